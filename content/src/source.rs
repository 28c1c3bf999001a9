//! The files of `content/`, and places in them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceFile {
    /// Below `content/`, with `/`.
    pub(crate) path: String,
    /// What is in it.
    pub(crate) text: String,
    /// What went wrong when it was read; the text is what could be saved of it.
    trouble: Option<String>,
}

/// All files that the build reads: the source of everything else, so that a test needs no disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, SourceFile>,
    /// The folders in `chapters/`, also empty ones.
    chapters: Vec<String>,
    /// The folders in `labs/`.
    labs: Vec<String>,
}

/// The data files, all of which must be there.
const DATA: [&str; 5] = ["course.toml", "readings.toml", "glossary.toml", "plan.toml", "reference.toml"];

impl Tree {
    /// Reads the folder `content/`.
    pub fn read(root: &Path) -> Self {
        let mut tree = Self::default();
        for name in DATA.into_iter().chain([
            "figures.toml",
            "coverage.toml",
            "formulas.toml",
            "signs.toml",
            "placement.toml",
            "search.toml",
            "questions.toml",
            "syllabus.toml",
        ]) {
            tree.read_file(root, name);
        }
        let folders = std::fs::read_dir(root.join("chapters")).into_iter().flatten().flatten();
        for folder in folders.filter(|f| f.path().is_dir()) {
            let name = folder.file_name().to_string_lossy().into_owned();
            tree.read_file(root, &format!("chapters/{name}/exercises.toml"));
            tree.read_ending(root, &format!("chapters/{name}"), &[".md"]);
            tree.chapters.push(name);
        }
        tree.chapters.sort();
        tree.read_labs(root);
        for folder in ["figures", "missions", "programs"] {
            tree.read_ending(root, folder, &[".toml"]);
        }
        tree
    }

    /// Reads the files of a folder whose names end in one of `ends`.
    fn read_ending(&mut self, root: &Path, folder: &str, ends: &[&str]) {
        let files = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        for file in files.map(|file| file.file_name().to_string_lossy().into_owned()) {
            if ends.iter().any(|end| file.ends_with(end)) {
                self.read_file(root, &format!("{folder}/{file}"));
            }
        }
    }

    fn read_labs(&mut self, root: &Path) {
        let folders = std::fs::read_dir(root.join("labs")).into_iter().flatten().flatten();
        for folder in folders.filter(|f| f.path().is_dir()) {
            let name = folder.file_name().to_string_lossy().into_owned();
            self.read_ending(root, &format!("labs/{name}"), &[".md", ".py", ".txt"]);
            self.labs.push(name);
        }
        self.labs.sort();
    }

    /// A tree from paths below `content/` and texts.
    pub fn from_files<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            let (path, text) = (path.into(), text.into());
            if let Some((folder, _)) = path.strip_prefix("chapters/").and_then(|p| p.split_once('/')) {
                tree.chapters.push(folder.to_owned());
            }
            if let Some((folder, _)) = path.strip_prefix("labs/").and_then(|p| p.split_once('/')) {
                tree.labs.push(folder.to_owned());
            }
            tree.files.insert(path.clone(), SourceFile { path, text, trouble: None });
        }
        tree.chapters.sort();
        tree.chapters.dedup();
        tree.labs.sort();
        tree.labs.dedup();
        tree
    }

    /// A tree of texts by path, with others in the place of some: `own` is path and text, in turn.
    pub fn with_own(texts: &BTreeMap<String, String>, own: &[String]) -> Self {
        let own = own.as_chunks().0.iter().map(|[path, text]| (path, text));
        Self::from_files(texts.iter().chain(own))
    }

    fn read_file(&mut self, root: &Path, path: &str) {
        let (text, trouble) = match std::fs::read(root.join(path)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => (text, None),
                Err(e) => (
                    String::from_utf8_lossy(e.as_bytes()).into_owned(),
                    Some(
                        "This file is not valid UTF-8; the characters that could not be read are shown as “\u{fffd}”."
                            .to_owned(),
                    ),
                ),
            },
            Err(e) if e.kind() == io::ErrorKind::NotFound => return,
            Err(e) => (String::new(), Some(format!("This file could not be read: {e}."))),
        };
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        self.files.insert(path.to_owned(), SourceFile { path: path.to_owned(), text, trouble });
    }

    /// Every file: its path below `content/`, and its text.
    pub(crate) fn texts(&self) -> BTreeMap<&str, &str> {
        self.files.values().map(|file| (file.path.as_str(), file.text.as_str())).collect()
    }

    /// The file at `path`.
    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.get(path)
    }

    /// The names of the folders in `chapters/`, sorted.
    pub(crate) fn chapters(&self) -> &[String] {
        &self.chapters
    }

    /// The names of the folders in `labs/`, sorted.
    pub(crate) fn labs(&self) -> &[String] {
        &self.labs
    }

    /// The files in `missions/` or another folder of that kind, by their names.
    pub(crate) fn files_in(&self, folder: &str) -> impl Iterator<Item = &SourceFile> {
        self.files.values().filter(move |file| file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The script in a lab's folder.
    pub(crate) fn script(&self, folder: &str) -> Option<&SourceFile> {
        let begin = format!("labs/{folder}/");
        self.files.values().find(|file| file.path.starts_with(&begin) && file.path.ends_with(".py"))
    }

    /// The files that could not be read, with why.
    pub(crate) fn troubles(&self) -> impl Iterator<Item = (&SourceFile, &str)> {
        self.files.values().filter_map(|file| Some((file, file.trouble.as_deref()?)))
    }
}

impl SourceFile {
    /// An empty file: where a missing one is reported.
    pub(crate) fn missing(path: impl Into<String>) -> Self {
        Self { path: path.into(), text: String::new(), trouble: None }
    }

    /// A place in it.
    pub(crate) fn spot(&self, at: usize) -> Spot<'_> {
        Spot { file: self, at }
    }

    /// All of it.
    pub(crate) fn located(&self) -> Located<'_> {
        Located { file: self, text: self.text.clone(), base: 0, verbatim: true, shifts: Vec::new(), pieces: Vec::new() }
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    /// The file.
    pub(crate) file: &'a SourceFile,
    /// Bytes from its beginning.
    pub(crate) at: usize,
}

impl Spot<'_> {
    /// Both counted from 1; the column in characters.
    pub(crate) fn line_and_column(self) -> (usize, usize) {
        let mut at = self.at.min(self.file.text.len());
        while !self.file.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.file.text[..at];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.bytes().filter(|&b| b == b'\n').count() + 1, before[start..].chars().count() + 1)
    }
}

/// A text that knows where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Located<'a> {
    /// The file.
    pub(crate) file: &'a SourceFile,
    /// The text as its author means it: of a TOML string, what it denotes.
    pub(crate) text: String,
    /// Where it begins in the file.
    base: usize,
    /// Whether it stands there letter by letter. If not (a string with escapes), every place in it is its beginning.
    verbatim: bool,
    /// Where pieces were replaced by others of another length: bytes of this text, bytes of the original.
    shifts: Vec<(usize, usize)>,
    /// The texts that it is joined from, each with where it begins; none if it is one.
    pieces: Vec<(usize, Located<'a>)>,
}

impl<'a> Located<'a> {
    /// Texts one after the other, perhaps of several files: a place in them is one in its own file. Nothing if there are none.
    pub(crate) fn joined(pieces: Vec<Self>) -> Option<Self> {
        let first = pieces.first()?.clone();
        let (mut text, mut placed) = (String::new(), Vec::with_capacity(pieces.len()));
        for piece in pieces {
            let begins = text.len();
            text.push_str(&piece.text);
            placed.push((begins, piece));
        }
        Some(Self { text, pieces: placed, ..first })
    }

    /// What the piece `range` of this text's file denotes.
    pub(crate) fn denoted(&self, range: std::ops::Range<usize>, denotes: &str) -> Self {
        if let Some((begins, piece)) = self.piece(range.start) {
            return piece.denoted(range.start - begins..range.end.saturating_sub(begins), denotes);
        }
        let raw = self.text.get(range.clone()).unwrap_or_default();
        let found = raw.find(denotes).filter(|_| self.verbatim);
        let at = range.start + found.unwrap_or(0);
        Self {
            file: self.file,
            text: denotes.to_owned(),
            base: if self.verbatim { self.base + at } else { self.base },
            verbatim: found.is_some(),
            shifts: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// This text with pieces replaced. `shifts` has, in order, where an unchanged piece begins in the new text and where
    /// it began in this one.
    pub(crate) fn replaced(&self, text: String, shifts: Vec<(usize, usize)>) -> Self {
        Self { text, shifts, ..self.clone() }
    }

    /// The place of its byte `at`.
    pub(crate) fn spot(&self, at: usize) -> Spot<'a> {
        let shift = self.shifts.iter().rev().find(|(new, _)| *new <= at);
        let at = shift.map_or(at, |(new, old)| old + (at - new));
        if let Some((begins, piece)) = self.piece(at) {
            return piece.spot(at - begins);
        }
        Spot { file: self.file, at: if self.verbatim { self.base + at } else { self.base } }
    }

    /// The text that its byte `at` belongs to, and where that begins.
    fn piece(&self, at: usize) -> Option<(usize, &Self)> {
        self.pieces.iter().rev().find(|(begins, _)| *begins <= at).map(|(begins, piece)| (*begins, piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_lines_and_characters() {
        let file = SourceFile { path: "x".into(), text: "é\nabé = \"q\\\"r\"\n".into(), trouble: None };
        assert_eq!(file.spot(0).line_and_column(), (1, 1));
        assert_eq!(file.spot(7).line_and_column(), (2, 4));
        assert_eq!(file.spot(999).line_and_column(), (3, 1));
        let all = file.located();
        let quoted = all.denoted(9..16, "q\"r");
        assert_eq!(quoted.spot(2).line_and_column(), (2, 6), "escaped: the beginning of the string");
        assert_eq!(all.denoted(3..7, "bé").spot(1).line_and_column(), (2, 3));
    }

    #[test]
    fn a_place_in_joined_texts_is_one_of_its_own_file() {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into(), trouble: None };
        let (a, b) = (file("a", "one\ntwo\n"), file("b", "eins\nzwei\n"));
        let (first, second) = (b.located().denoted(0..5, "eins\n"), a.located().denoted(4..8, "two\n"));
        let both = Located::joined(vec![first, second]).expect("two");
        assert_eq!(both.text, "eins\ntwo\n");
        let place = |at: usize| (both.spot(at).file.path.as_str(), both.spot(at).line_and_column());
        assert_eq!([place(1), place(6)], [("b", (1, 2)), ("a", (2, 2))]);
        let word = both.denoted(5..8, "two");
        assert_eq!((word.spot(1).file.path.as_str(), word.spot(1).line_and_column()), ("a", (2, 2)));
    }
}
