//! Fenced blocks that are not code: `widget`, `exercise`, `exercises`, `sources`, `notes`, `lab`.

use ringside_core::query::Query;
use toml::de::DeValue;

use crate::diagnostic::Sink;
use crate::source::Located;
use crate::toml_reader::Document;

/// What the info string of a fence asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fence {
    Widget(WidgetFence),
    /// The exercise with this id.
    Exercise(String),
    /// All exercises that are not placed by themselves.
    Exercises,
    /// The chapter's sources.
    Sources,
    /// A part of a lab's script: the lab's slug, and what stands in the marks `# [part]` and `# [/part]`.
    Lab(String, String),
    /// What whoever presents the chapter sees, and learners do not.
    Notes,
    /// Code, in the language of this name (empty for none).
    Code(String),
}

/// `widget memory-breakdown #main after=predict-30b`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WidgetFence {
    pub(crate) widget: String,
    pub(crate) id: Option<String>,
    pub(crate) after: Option<String>,
    /// Words that mean nothing there.
    pub(crate) extra: Vec<String>,
}

impl Fence {
    /// Reads an info string.
    pub(crate) fn parse(info: &str) -> Self {
        let mut words = info.split_whitespace();
        match words.next().unwrap_or_default() {
            "widget" => {
                let mut fence = WidgetFence::default();
                for word in words {
                    if let Some(id) = word.strip_prefix('#').filter(|_| fence.id.is_none()) {
                        fence.id = Some(id.to_owned());
                    } else if let Some(after) = word.strip_prefix("after=").filter(|_| fence.after.is_none()) {
                        fence.after = Some(after.to_owned());
                    } else if fence.widget.is_empty() {
                        word.clone_into(&mut fence.widget);
                    } else {
                        fence.extra.push(word.to_owned());
                    }
                }
                Fence::Widget(fence)
            }
            "exercise" => Fence::Exercise(words.collect::<Vec<_>>().join(" ")),
            "exercises" => Fence::Exercises,
            "sources" => Fence::Sources,
            "notes" => Fence::Notes,
            "lab" => Fence::Lab(words.next().unwrap_or_default().to_owned(), words.collect::<Vec<_>>().join(" ")),
            language => Fence::Code(language.to_owned()),
        }
    }
}

/// Why a fenced block, as it stands in the text, is not closed where its author meant it to be; nothing if it is.
pub(crate) fn unclosed(block: &str) -> Option<&'static str> {
    let mut lines = block.lines().map(|line| line.trim_start_matches(['>', ' ', '\t']).trim_end());
    let fence = |line: &str| {
        let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        Some((mark, line.chars().take_while(|c| *c == mark).count()))
    };
    let opening = lines.next().and_then(fence)?;
    let mut closed = false;
    for line in lines {
        closed = false;
        let Some((mark, length)) = fence(line).filter(|(mark, length)| *mark == opening.0 && *length >= opening.1)
        else {
            continue;
        };
        let info = line.trim_start_matches(mark);
        closed = info.is_empty();
        // A listing may show code of any kind; these begin something.
        if length == opening.1 && !closed && !matches!(Fence::parse(info), Fence::Code(_)) {
            return Some("This fence is not closed before the next one begins.");
        }
    }
    (!closed).then_some("This fence is not closed.")
}

/// The body of a `widget` fence: TOML of names and scalar values.
pub(crate) fn parameters(body: &Located<'_>, sink: &Sink) -> Query {
    let document = Document::parse(body, sink);
    let mut query = Query::default();
    let root = document.root();
    let mut pairs: Vec<_> = root
        .entries()
        .filter_map(|(name, value, spot)| match scalar(value) {
            Some(text) => Some((spot.at, name.to_owned(), text)),
            None => {
                let message = format!("`{name}` must be a string, a number, true or false: the value of a parameter.");
                sink.report(spot, message);
                None
            }
        })
        .collect();
    // The parser sorts keys; the order of the author is the better one to read.
    pairs.sort();
    for (_, name, text) in pairs {
        query.set(&name, text);
    }
    query
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(s) => Some(s.to_string()),
        DeValue::Integer(i) if i.radix() == 10 => Some(i.as_str().replace('_', "")),
        DeValue::Float(f) => Some(f.as_str().replace('_', "")),
        DeValue::Boolean(b) => Some(b.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_that_is_not_closed_is_found() {
        for closed in
            ["```\n```", "```notes\na\n```", "````\n```widget x\n```\n````", "> ```notes\n> a\n> ```", "~~~\n```\n~~~"]
        {
            assert_eq!(unclosed(closed), None, "{closed}");
        }
        for open in ["```notes", "```notes\na", "```notes\na\n\n```widget amdahl\nn = 2\n```", "````\n```"] {
            assert!(unclosed(open).is_some(), "{open}");
        }
    }

    #[test]
    fn info_strings_are_read() {
        let widget = WidgetFence {
            widget: "memory-breakdown".into(),
            id: Some("main".into()),
            after: Some("predict-30b".into()),
            extra: vec![],
        };
        assert_eq!(Fence::parse("widget memory-breakdown #main after=predict-30b"), Fence::Widget(widget));
        assert_eq!(Fence::parse(" exercise weights-30b"), Fence::Exercise("weights-30b".into()));
        assert_eq!(Fence::parse("exercises"), Fence::Exercises);
        assert_eq!(Fence::parse("notes"), Fence::Notes);
        assert_eq!(Fence::parse("lab ddp hooks"), Fence::Lab("ddp".into(), "hooks".into()));
        assert_eq!(Fence::parse("python"), Fence::Code("python".into()));
        assert_eq!(Fence::parse(""), Fence::Code(String::new()));
    }
}
