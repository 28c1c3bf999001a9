//! The files of a chapter.

use std::collections::BTreeMap;

/// Path below `content/`, and text.
pub(super) type Files = BTreeMap<String, String>;

/// One of the files that make a chapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    /// Its text.
    Text,
    /// Its exercises.
    Exercises,
    /// The course's manifest, where it has its entry.
    Manifest,
}

impl File {
    pub(super) const ALL: [Self; 3] = [Self::Text, Self::Exercises, Self::Manifest];

    /// Its name on disk.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "chapter.md",
            Self::Exercises => "exercises.toml",
            Self::Manifest => "course.toml",
        }
    }

    /// The file with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|file| file.name() == name)
    }

    /// Where it is below `content/`, for the chapter in `folder`.
    pub(super) fn path(self, folder: &str) -> String {
        match self {
            Self::Manifest => self.name().to_owned(),
            _ => format!("chapters/{folder}/{}", self.name()),
        }
    }
}

/// The folders of chapters that have a text.
pub(super) fn folders(files: &Files) -> impl Iterator<Item = String> {
    files.keys().filter_map(|path| path.strip_prefix("chapters/")?.strip_suffix("/chapter.md")).map(str::to_owned)
}

/// Whether there is a chapter in this folder.
pub(super) fn exists(files: &Files, folder: &str) -> bool {
    files.contains_key(&File::Text.path(folder))
}

const MANIFEST: &str = include_str!("../../../../content/template/course.toml");
const TEXT: &str = include_str!("../../../../content/template/chapter.md");
const EXERCISES: &str = include_str!("../../../../content/template/exercises.toml");
/// The template’s slug and number.
const SLUG: &str = "my-chapter";
const NUMBER: u32 = 26;

/// A new chapter: its folder and its files, the manifest with its entry among them.
pub(super) fn new_chapter(manifest: &str) -> (String, Files) {
    let numbers = manifest.lines().filter_map(|line| line.strip_prefix("number = ")?.trim().parse::<u32>().ok());
    let number = numbers.max().map_or(0, |n| n + 1);
    // Its second chapter must have other ids than its first.
    let slug =
        if manifest.contains(&format!("slug = \"{SLUG}\"")) { format!("{SLUG}-{number}") } else { SLUG.to_owned() };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_new_chapter_has_a_number_and_a_name_of_its_own() {
        let (first, files) = new_chapter("[[part]]\nid = \"a\"\n\n[[part.chapter]]\nslug = \"x\"\nnumber = 4\n");
        assert_eq!(first, "05-my-chapter");
        assert_eq!(files.len(), 3);
        assert!(files["course.toml"].contains("number = 5\n"), "{files:#?}");
        let (second, files) = new_chapter(&files["course.toml"]);
        assert_eq!(second, "06-my-chapter-6");
        assert!(files["chapters/06-my-chapter-6/exercises.toml"].contains("skill = \"my-chapter-6.limit\""));
    }
}
