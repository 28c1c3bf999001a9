//! A chapter that is being written: its files, where a mistake lies in them, and what a link says of it.

use std::collections::BTreeMap;

use ringside_core::exercise::fnv1a;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Path below `content/`, and text.
pub type Files = BTreeMap<String, String>;

/// What of a stored value is one: every text of it, whatever stands beside.
pub fn readable(stored: &Value) -> Files {
    let all = stored.as_object().into_iter().flatten();
    all.filter_map(|(path, text)| Some((path.clone(), text.as_str()?.to_owned()))).collect()
}

/// One of the files that make a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// Its text.
    Text,
    /// Its exercises.
    Exercises,
    /// The course's manifest, where it has its entry.
    Manifest,
}

impl File {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Exercises, Self::Manifest];

    /// Its name on disk.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "chapter.md",
            Self::Exercises => "exercises.toml",
            Self::Manifest => "course.toml",
        }
    }

    /// The language that it is written in, as the editor calls it.
    pub fn language(self) -> &'static str {
        if self == Self::Text { "md" } else { "toml" }
    }

    /// The file with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    /// Where it is below `content/`, for the chapter in `folder`.
    pub fn path(self, folder: &str) -> String {
        match self {
            Self::Manifest => self.name().to_owned(),
            _ => format!("chapters/{folder}/{}", self.name()),
        }
    }
}

/// The folders of chapters that have a text.
pub fn folders(files: &Files) -> impl Iterator<Item = String> {
    files.keys().filter_map(|path| path.strip_prefix("chapters/")?.strip_suffix("/chapter.md")).map(str::to_owned)
}

/// Whether there is a chapter in this folder.
pub fn exists(files: &Files, folder: &str) -> bool {
    files.contains_key(&File::Text.path(folder))
}

const MANIFEST: &str = include_str!("../../../content/template/course.toml");
const TEXT: &str = include_str!("../../../content/template/chapter.md");
const EXERCISES: &str = include_str!("../../../content/template/exercises.toml");
/// The template’s slug and number.
const SLUG: &str = "my-chapter";
const NUMBER: u32 = 26;

/// A manifest, cut around the entry of one chapter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// What stands before the entry.
    pub before: String,
    /// The entry; empty if there is none.
    pub entry: String,
    /// What stands after it.
    pub after: String,
}

impl Cut {
    /// Cuts a manifest around the entry of the chapter in `folder`: from its head to the next.
    pub fn of(manifest: &str, folder: &str) -> Self {
        const HEAD: &str = "[[part.chapter]]";
        let (number, slug) = folder.split_once('-').unwrap_or(("", folder));
        let mut heads: Vec<(usize, &str)> = Vec::new();
        let mut at = 0;
        for line in manifest.split_inclusive('\n') {
            if line.starts_with("[[") {
                heads.push((at, line.trim_end()));
            }
            at += line.len();
        }
        let ends = heads.iter().skip(1).map(|(at, _)| *at).chain([manifest.len()]);
        let entries = heads.iter().zip(ends).filter(|((_, head), _)| *head == HEAD).map(|((from, _), to)| (*from, to));
        let entries: Vec<(usize, usize)> = entries.collect();
        let says = |key: &str, value: &str, (from, to): (usize, usize)| {
            let mut lines = manifest[from..to].lines();
            lines.any(|line| {
                let pair = line.split_once('=').map(|(k, v)| (k.trim(), v.trim().trim_matches('"')));
                pair.is_some_and(|(k, v)| k == key && v.trim_start_matches('0') == value.trim_start_matches('0'))
            })
        };
        let by = |key: &str, value: &str| entries.iter().copied().find(|range| says(key, value, *range));
        // An author may be changing either of them.
        match by("slug", slug).or_else(|| by("number", number)) {
            Some((from, to)) => {
                let entry = manifest[from..to].trim_end();
                let (before, after) = (&manifest[..from], &manifest[from + entry.len()..]);
                Self {
                    before: before.to_owned(),
                    entry: format!("{entry}\n"),
                    after: after.trim_start_matches('\n').to_owned(),
                }
            }
            None => Self { before: format!("{}\n\n", manifest.trim_end()), ..Self::default() },
        }
    }

    /// The whole manifest.
    pub fn whole(&self) -> String {
        let gap = if self.after.is_empty() || self.entry.is_empty() { "" } else { "\n" };
        [&self.before, &self.entry, gap, &self.after].concat()
    }

    /// Lines before the entry.
    pub fn lines_before(&self) -> usize {
        self.before.matches('\n').count()
    }
}

/// Why a chapter cannot have this slug; nothing if it can.
pub fn refuses(manifest: &str, slug: &str) -> Option<String> {
    let letter = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if !slug.bytes().all(letter) || slug.starts_with('-') {
        return Some(format!("“{slug}” cannot stand in an address. Use a to z, digits and “-”."));
    }
    let taken = manifest.lines().any(|line| line.trim() == format!("slug = \"{slug}\""));
    taken.then(|| format!("There is a chapter “{slug}” already."))
}

/// A new chapter: its folder and its files, the manifest with its entry among them. Without a slug it has that of the template.
pub fn new_chapter(manifest: &str, slug: &str) -> (String, Files) {
    let numbers = manifest.lines().filter_map(|line| line.strip_prefix("number = ")?.trim().parse::<u32>().ok());
    let number = numbers.max().map_or(0, |n| n + 1);
    // Its second chapter must have other ids than its first.
    let slug = match slug {
        "" if manifest.contains(&format!("slug = \"{SLUG}\"")) => format!("{SLUG}-{number}"),
        "" => SLUG.to_owned(),
        slug => slug.to_owned(),
    };
    let entry = MANIFEST.replace(SLUG, &slug).replace(&format!("number = {NUMBER}"), &format!("number = {number}"));
    let folder = format!("{number:02}-{slug}");
    let files = [
        (File::Manifest, format!("{}\n{entry}", manifest.trim_end())),
        (File::Text, TEXT.to_owned()),
        (File::Exercises, EXERCISES.replace(SLUG, &slug)),
    ];
    let files = files.into_iter().map(|(file, text)| (file.path(&folder), text)).collect();
    (folder, files)
}

/// What a fragment begins with that is a draft.
pub const NAME: &str = "draft=";

/// A chapter as it is shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// Its folder.
    pub folder: String,
    /// What is edited of each file, in the order of [`File::ALL`].
    pub files: [Text; File::ALL.len()],
}

/// The text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// All of it, as older links have it.
    Whole(String),
    /// What differs from the course's.
    Changed(Changed),
}

/// Lines that stand in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
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
    pub fn of(published: &str, text: &str) -> Self {
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
    pub fn whole(self, published: &str) -> Option<String> {
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
    pub fn differs_at(&self) -> Option<usize> {
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
pub fn letters(hash: &str) -> Option<&str> {
    hash.trim_start_matches('#').strip_prefix(NAME)
}

/// A line from a column on, in the units of a text area: UTF-16.
pub fn range(text: &str, line: usize, column: usize) -> (u32, u32) {
    let units = |text: &str| text.encode_utf16().count() as u32;
    let mut lines = text.split_inclusive('\n');
    let before: u32 = lines.by_ref().take(line.saturating_sub(1)).map(units).sum();
    let own = lines.next().unwrap_or_default().trim_end_matches('\n');
    let skipped: String = own.chars().take(column.saturating_sub(1)).collect();
    (before + units(&skipped), before + units(own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_new_chapter_has_a_number_and_a_name_of_its_own() {
        let (first, files) = new_chapter("[[part]]\nid = \"a\"\n\n[[part.chapter]]\nslug = \"x\"\nnumber = 4\n", "");
        assert_eq!(first, "05-my-chapter");
        assert_eq!(files.len(), 3);
        assert!(files["course.toml"].contains("number = 5\n"), "{files:#?}");
        let (second, files) = new_chapter(&files["course.toml"], "");
        assert_eq!(second, "06-my-chapter-6");
        assert!(files["chapters/06-my-chapter-6/exercises.toml"].contains("skill = \"my-chapter-6.limit\""));
    }

    #[test]
    fn a_new_chapter_has_the_name_that_its_author_gives_it() {
        let manifest = "[[part]]\nid = \"a\"\n\n[[part.chapter]]\nslug = \"x\"\nnumber = 25\n";
        let (folder, files) = new_chapter(manifest, "amdahl");
        assert_eq!(folder, "26-amdahl");
        assert!(files["course.toml"].contains("slug = \"amdahl\""));
        assert_eq!(refuses(manifest, "amdahl"), None);
        assert!(refuses(&files["course.toml"], "amdahl").is_some_and(|why| why.contains("already")));
        assert!(refuses(manifest, "A b").is_some());
    }

    #[test]
    fn a_manifest_is_cut_around_an_entry_and_put_together_again() {
        let one = "[[part.chapter]]\nslug = \"x\"\nnumber = 4\nskills = [\n  { id = \"x.y\" },\n]\n";
        let two = "[[part.chapter]]\nslug = \"my\"\nnumber = 5\n";
        let manifest = format!("[[part]]\nid = \"a\"\n\n{one}\n[[part]]\nid = \"b\"\n\n{two}");
        for (folder, entry, lines) in
            [("04-x", one, 3), ("05-my", two, 13), ("05-renamed", two, 13), ("04-renamed", one, 3)]
        {
            let cut = Cut::of(&manifest, folder);
            assert_eq!((cut.entry.as_str(), cut.lines_before()), (entry, lines), "{folder}");
            assert_eq!(cut.whole(), manifest, "{folder}");
        }
        let none = Cut::of(&manifest, "09-none");
        assert_eq!(none.entry, "");
        assert!(none.whole().starts_with(&manifest));
    }

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

    #[test]
    fn a_line_is_found_in_utf_16() {
        let text = "é𝒳\nab\n\nlast";
        assert_eq!(range(text, 1, 2), (1, 3));
        assert_eq!(range(text, 2, 1), (4, 6));
        assert_eq!(range(text, 2, 2), (5, 6));
        assert_eq!(range(text, 4, 1), (8, 12));
        assert_eq!(range(text, 9, 3), (12, 12));
    }
}
