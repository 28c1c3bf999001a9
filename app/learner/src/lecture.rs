//! A lecture list: a text with a state on each line, and texts and pictures between them.
//!
//! A line is the address of a state, relative to the site's base or whole, and after a space what to call it.
//! `w/<id>/?…` is a widget's state, `chapter/<slug>/?present=<n>` one that a chapter sets, `chapter/<slug>/` all of them, and
//! `chapter/<slug>/#exercise-<id>` an exercise, `mission/<slug>/` a mission and `lab/<slug>/` a lab. Lines that begin with `>` are together a text, in Markdown. `![caption](name)` is a picture that
//! whoever lectures keeps in the tab. Lines that begin with `//` are notes on the line before, for whoever presents alone. Empty lines, and lines that begin with `#`, say nothing.

use ringside_core::query::Query;

/// The name of a list in an address. It stands behind the `#`, so that it may be long and is sent to no server.
pub const LIST: &str = "list";

/// A page with a list in its address.
pub fn address_of(page: &str, list: &str) -> String {
    if list.trim().is_empty() { format!("{page}/") } else { format!("{page}/#{}", Query::new([(LIST, list)])) }
}

/// A list with a line more.
pub fn with_line(list: &str, address: &str, label: &str) -> String {
    let before = if list.is_empty() || list.ends_with('\n') { "" } else { "\n" };
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{list}{before}{}\n", format!("{address} {label}").trim_end())
}

/// A list with a chapter more: a slide with its title and question, then its slides, each an address and what it is called.
pub fn with_chapter<'a>(
    list: &str,
    title: &str,
    question: &str,
    slides: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> String {
    // Two texts with nothing between them would be one.
    let apart = match list {
        "" => "",
        _ if list.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let heading = format!("{list}{apart}> # {title}\n>\n> {question}\n");
    slides.into_iter().fold(heading, |all, (address, label)| with_line(&all, address, label))
}

/// A line of a list, or several that belong together.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// An address, and what it is called.
    State(String, String),
    /// Markdown.
    Text(String),
    /// A caption, and the name of a picture.
    Picture(String, String),
    /// A note on the line before.
    Note(String),
}

/// The lines of a list that say something.
pub fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut in_text = false;
    for line in text.lines().map(str::trim) {
        if let Some(more) = line.strip_prefix('>') {
            let more = more.strip_prefix(' ').unwrap_or(more);
            match lines.last_mut() {
                Some(Line::Text(text)) if in_text => {
                    text.push('\n');
                    text.push_str(more);
                }
                _ => lines.push(Line::Text(more.to_owned())),
            }
            in_text = true;
            continue;
        }
        in_text = false;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(note) = line.strip_prefix("//") {
            lines.push(Line::Note(note.trim().to_owned()));
            continue;
        }
        let picture =
            line.strip_prefix("![").and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.split_once("]("));
        lines.push(match picture {
            Some((caption, name)) => Line::Picture(caption.trim().to_owned(), name.trim().to_owned()),
            None => {
                let (address, label) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
                Line::State(address.to_owned(), label.trim().to_owned())
            }
        });
    }
    lines
}

/// How many lines of a list show something.
pub fn count(text: &str) -> usize {
    lines(text).iter().filter(|line| !matches!(line, Line::Note(_))).count()
}

/// What a text is called: its first line, without the marks of Markdown.
pub fn title_of(markdown: &str) -> String {
    let words = markdown.lines().map(without_marks).find(|line| !line.is_empty()).unwrap_or_else(|| "Text".to_owned());
    if words.chars().count() > 60 {
        format!("{} …", words.chars().take(60).collect::<String>().trim_end())
    } else {
        words
    }
}

/// A line without the marks of Markdown.
pub(crate) fn without_marks(line: &str) -> String {
    line.trim_matches(['#', '*', '-', '_', ' ']).chars().filter(|c| !matches!(c, '*' | '`')).collect()
}

/// Whether it is a picture and nothing else.
pub fn is_picture(address: &str) -> bool {
    ["data:image/webp;base64,", "data:image/png;base64,", "data:image/jpeg;base64,"].iter().any(|kind| {
        let data = address.strip_prefix(kind);
        data.is_some_and(|data| data.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')))
    })
}

/// How a sentence begins, in at most so many characters as fit a line of the list.
pub fn begins(sentence: &str) -> String {
    const MOST: usize = 60;
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut text = String::new();
    for word in &words {
        if text.chars().count() + word.chars().count() >= MOST {
            return format!("{text} …").trim_start().to_owned();
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_line_by_line() {
        let text = "# Monday\n\nw/amdahl/?n=8  Eight of them\r\n  chapter/zero-and-fsdp/?present=2\n";
        let line = |address: &str, label: &str| Line::State(address.to_owned(), label.to_owned());
        assert_eq!(lines(text), [line("w/amdahl/?n=8", "Eight of them"), line("chapter/zero-and-fsdp/?present=2", "")]);
    }

    #[test]
    fn texts_and_pictures_stand_between_states() {
        let text = "> # One\n>\n> - a\n\n> Two\n![A rack](rack.png)\nw/amdahl/\n";
        let all = lines(text);
        let expected = [
            Line::Text("# One\n\n- a".into()),
            Line::Text("Two".into()),
            Line::Picture("A rack".into(), "rack.png".into()),
            Line::State("w/amdahl/".into(), String::new()),
        ];
        assert_eq!((all.as_slice(), count(text)), (expected.as_slice(), 4));
        let noted = "w/amdahl/ Eight\n// Ask for hands first.\n//then wait\n";
        let note = |text: &str| Line::Note(text.to_owned());
        assert_eq!(lines(noted)[1..], [note("Ask for hands first."), note("then wait")]);
        assert_eq!(count(noted), 1);
        assert_eq!(title_of("\n## What **we** `saw`\n- a"), "What we saw");
        assert_eq!(title_of(""), "Text");
    }

    #[test]
    fn a_line_is_added_on_a_line_of_its_own() {
        assert_eq!(with_line("", "w/amdahl/", "Eight\nof them"), "w/amdahl/ Eight of them\n");
        assert_eq!(with_line("# Monday", "w/amdahl/", ""), "# Monday\nw/amdahl/\n");
    }

    #[test]
    fn a_chapter_is_added_under_one_heading() {
        let slides = [("w/amdahl/?n=8", "Amdahl’s law"), ("chapter/zero/#exercise-guess", "Predict: Amdahl’s law")];
        for before in ["", "> Monday", "> Monday\n"] {
            let list = with_chapter(before, "ZeRO", "What is divided?", slides);
            let all = lines(&list);
            let expected = [
                Line::Text("# ZeRO\n\nWhat is divided?".into()),
                Line::State(slides[0].0.into(), slides[0].1.into()),
                Line::State(slides[1].0.into(), slides[1].1.into()),
            ];
            assert_eq!(all[all.len() - 3..], expected, "{list}");
            assert_eq!(all.len(), if before.is_empty() { 3 } else { 4 }, "{list}");
        }
        assert_eq!(title_of("# ZeRO\n\nWhat is divided?"), "ZeRO");
    }

    #[test]
    fn a_picture_is_one_and_nothing_else() {
        assert!(is_picture("data:image/webp;base64,UklGRg=="));
        for other in
            ["", "data:image/svg+xml;base64,PHN2Zz4=", "data:image/png;base64,\"><script>", "https://example.org/x.png"]
        {
            assert!(!is_picture(other), "{other}");
        }
    }

    #[test]
    fn a_line_says_how_the_sentence_begins() {
        assert_eq!(begins("  It holds 480 GB. "), "It holds 480 GB");
        let long = begins(&"seven letters ".repeat(10));
        assert!(long.ends_with("letters …") && long.chars().count() < 64, "{long}");
        assert_eq!(begins(&"x".repeat(100)), "…");
    }
}
