//! Drawings that aren't charts, as data: [`Lanes`] are rows along one length (time, bytes), [`Cells`] are places in a grid (matrices,
//! pages, bits, who holds what). Each says what there is to see; `pen` lays it out in a frame and writes it as markup.

mod cells;
mod lanes;
mod pen;

pub use cells::{Cell, Cells};
pub use lanes::{Lane, Lanes, Limit, Piece};
pub(crate) use pen::{Area, Pen};

use crate::chart::Ink;

/// A color of the page, and how strongly it covers what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tone {
    /// The color.
    pub ink: Ink,
    /// In percent.
    pub strength: u8,
}

impl Ink {
    /// The color, covering so many percent of what is behind it.
    pub const fn at(self, strength: u8) -> Tone {
        Tone { ink: self, strength }
    }

    /// The design token of words on it, where that isn't the color of text.
    pub(crate) const fn on(self) -> Option<&'static str> {
        match self {
            Ink::Weights | Ink::Forward => Some("--on-weights"),
            Ink::Gradients | Ink::Backward => Some("--on-gradients"),
            Ink::Optimizer => Some("--on-optimizer"),
            Ink::Activations => Some("--on-activations"),
            Ink::Kv | Ink::Communication => Some("--on-kv"),
            Ink::Attention => Some("--on-attention"),
            Ink::Mlp => Some("--on-mlp"),
            Ink::Small => Some("--on-small"),
            Ink::Ink | Ink::Soft | Ink::Warn | Ink::Accent | Ink::Edge => Some("--panel"),
            Ink::Panel | Ink::Line | Ink::Idle => None,
        }
    }
}

impl From<Ink> for Tone {
    fn from(ink: Ink) -> Self {
        ink.at(100)
    }
}

/// What stands over a drawing: its title, and what its colors mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Head {
    /// What is drawn; empty where the figure says it.
    pub title: String,
    /// Colors and their meanings.
    pub keys: Vec<(Tone, &'static str)>,
}

impl Head {
    /// A title with what the colors mean.
    pub fn new(title: impl Into<String>, keys: &[(Tone, &'static str)]) -> Self {
        Self { title: title.into(), keys: keys.to_vec() }
    }
}
