//! A draft chapter in a link: what differs from the course, compressed, in the fragment, which browsers keep from every server.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use ringside_core::exercise::fnv1a;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::files::File;
use crate::ui::script;

/// The script that packs and unpacks, which is that of the editor.
pub(super) const SCRIPT: &str = "author-editor.js";
const ELEMENT: &str = "author-editor";
/// What a fragment begins with that is a draft.
const NAME: &str = "draft=";

/// A chapter as it is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Shared {
    /// Its folder.
    pub(super) folder: String,
    /// What is edited of each file, in the order of [`File::ALL`].
    pub(super) files: [Text; File::ALL.len()],
}

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Text {
    /// All of it, as older links have it.
    Whole(String),
    /// What differs from the course's.
    Changed(Changed),
}

/// Lines that stand in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changed {
    /// What the course's text is known by: see [`mark`].
    of: String,
    /// How many of its lines come before.
    after: usize,
    /// How many of its lines are replaced.
    instead: usize,
    lines: String,
}

impl Text {
    /// `text`, told by what differs from `published` where that is shorter.
    pub(super) fn of(published: &str, text: &str) -> Self {
        let [old, new] = [published, text].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let left = old.len().min(new.len()) - same;
        let ends = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(a, b)| a == b).count();
        let lines = new.get(same..new.len() - ends).unwrap_or_default().concat();
        if lines.len() >= text.len() {
            return Self::Whole(text.to_owned());
        }
        Self::Changed(Changed { of: mark(published), after: same, instead: old.len() - ends - same, lines })
    }

    /// The whole text. Nothing if it changes another one than the course's.
    pub(super) fn whole(self, published: &str) -> Option<String> {
        let Changed { of, after, instead, lines } = match self {
            Self::Whole(text) => return Some(text),
            Self::Changed(changed) if changed.is_nothing() => return Some(published.to_owned()),
            Self::Changed(changed) => changed,
        };
        let old: Vec<&str> = published.split_inclusive('\n').collect();
        let known = of == mark(published) && after.saturating_add(instead) <= old.len();
        known.then(|| [old[..after].concat(), lines, old[after + instead..].concat()].concat())
    }

    /// The line at which it begins to differ from the course's, counted from 1; nothing if it doesn't, or holds all.
    pub(super) fn differs_at(&self) -> Option<usize> {
        match self {
            Self::Changed(changed) if !changed.is_nothing() => Some(changed.after + 1),
            _ => None,
        }
    }
}

impl Changed {
    /// Whether the text is the course's.
    fn is_nothing(&self) -> bool {
        self.instead == 0 && self.lines.is_empty()
    }
}

/// Sixteen hexadecimal digits that tell texts apart.
fn mark(text: &str) -> String {
    format!("{:016x}", fnv1a(text.bytes()))
}

/// The letters of a draft in a fragment, if it has any.
pub(super) fn letters(hash: &str) -> Option<&str> {
    hash.trim_start_matches('#').strip_prefix(NAME)
}

/// The address of a draft, relative to the site's base.
///
/// # Errors
/// A sentence: it is too long for a link, or the browser cannot pack it.
pub(super) async fn address(shared: &Shared) -> Result<String, String> {
    // Strings can always be written.
    let json = serde_json::to_string(shared).unwrap_or_default();
    let letters = call("pack", &json, "This browser cannot pack a draft into a link. Send the files instead.").await?;
    Ok(format!("author/#{NAME}{letters}"))
}

/// The draft that letters say.
///
/// # Errors
/// A sentence: they say none.
pub(super) async fn read(letters: &str) -> Result<Shared, String> {
    let json = call("unpack", letters, "This browser cannot unpack a draft. Ask for the files.").await?;
    let shared: Shared = serde_json::from_str(&json)
        .map_err(|_| "The link holds something other than a draft of a chapter.".to_owned())?;
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if shared.folder.is_empty() || !shared.folder.bytes().all(plain) {
        return Err("The link holds a draft without a name that a chapter can have.".to_owned());
    }
    Ok(shared)
}

/// Has the script do something with a text.
async fn call(name: &str, text: &str, cannot: &str) -> Result<String, String> {
    script::ask(SCRIPT);
    let promise = |value: JsValue| value.dyn_into::<Promise>();
    let made = async {
        let elements = Reflect::get(&window(), &"customElements".into())?;
        let defined = Reflect::get(&elements, &"whenDefined".into())?.dyn_into::<Function>()?;
        let element = JsFuture::from(promise(defined.call1(&elements, &ELEMENT.into())?)?).await?;
        let function = Reflect::get(&element, &name.into())?.dyn_into::<Function>()?;
        JsFuture::from(promise(function.call1(&element, &text.into())?)?).await
    };
    made.await.map(|text: JsValue| text.as_string().unwrap_or_default()).map_err(|why: JsValue| {
        // It throws sentences; a browser throws errors.
        why.as_string().unwrap_or_else(|| cannot.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_holds_what_differs_from_the_course() {
        let course = "a\nb\nc\nd\n";
        for (text, at, lines) in [
            ("a\nb\nX\nd\n", Some(3), "X\n"),
            ("a\nb\nc\nd\ne", Some(5), "e"),
            ("X\na\nb\nc\nd\n", Some(1), "X\n"),
            ("a\nd\n", Some(2), ""),
            (course, None, ""),
            ("b\nb\nb\nc\nd\n", Some(1), "b\nb\n"),
            ("a\nb\nb\nc\nd\n", Some(3), "b\n"),
        ] {
            let short = Text::of(course, text);
            assert_eq!(short.differs_at(), at, "{text:?}");
            assert!(matches!(&short, Text::Changed(changed) if changed.lines == lines), "{text:?}: {short:?}");
            let json = serde_json::to_string(&short).expect("JSON");
            let read: Text = serde_json::from_str(&json).expect("the same");
            assert_eq!(read.clone().whole(course).as_deref(), Some(text));
            // Where the course has changed since, only what isn't changed is known.
            assert_eq!(read.whole("another"), (text == course).then(|| "another".to_owned()), "{text:?}");
        }
        assert_eq!(Text::of("", "new"), Text::Whole("new".into()));
        let old: Shared = serde_json::from_str(r#"{"folder":"03-a","files":["x","y","z"]}"#).expect("an older link");
        assert_eq!(old.files.map(|text| text.whole("other")), ["x", "y", "z"].map(|text| Some(text.to_owned())));
        let beyond = Text::Changed(Changed { of: mark(course), after: usize::MAX, instead: 9, lines: String::new() });
        assert_eq!(beyond.whole(course), None);
    }

    #[test]
    fn a_fragment_is_a_draft_or_it_is_not() {
        assert_eq!(letters("#draft=abc-_"), Some("abc-_"));
        assert_eq!(letters("#law"), None);
        assert_eq!(letters(""), None);
    }
}
