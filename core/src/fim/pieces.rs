//! A sequence as a model sees it: pieces of text, each with what it is.

/// What a piece of a sequence is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A token that stands for no text.
    Sentinel,
    /// Before the hole.
    Prefix,
    /// What stood in the hole.
    Middle,
    /// After the hole.
    Suffix,
    /// Another file.
    File,
    /// A path, or a repository's name.
    Path,
    /// Text that was left as it is.
    Plain,
}

impl Kind {
    /// What a person calls it.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Sentinel => "sentinel",
            Kind::Prefix => "prefix",
            Kind::Middle => "middle",
            Kind::Suffix => "suffix",
            Kind::File => "other file",
            Kind::Path => "path",
            Kind::Plain => "as it is",
        }
    }
}

/// A piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Its text.
    pub text: String,
}

impl Piece {
    /// A piece.
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }
}

/// All of it as one text.
pub fn text(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// The characters `from` to `to` of a text, counted in characters.
pub fn slice(text: &str, from: usize, to: usize) -> String {
    text.chars().skip(from).take(to.saturating_sub(from)).collect()
}
