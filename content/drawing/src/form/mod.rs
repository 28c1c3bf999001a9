//! Drawings that aren't charts, as data: [`Lanes`] are rows along one length (time, bytes), [`Cells`] are places in a grid (matrices,
//! pages, bits, who holds what). Each says what there is to see; `pen` lays it out in a frame and writes it as markup.

mod cells;
mod lanes;
mod pen;

pub use cells::{Cell, Cells};
pub use lanes::{Lane, Lanes, Limit, Piece};
pub(crate) use pen::{Area, Pen};

use std::borrow::Cow;

use ringside_core::query::Query;

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
    pub keys: Vec<(Tone, Cow<'static, str>)>,
}

impl Head {
    /// A title with what the colors mean.
    pub fn new(title: impl Into<String>, keys: &[(Tone, &'static str)]) -> Self {
        let keys = keys.iter().map(|(tone, name)| (*tone, Cow::Borrowed(*name))).collect();
        Self { title: title.into(), keys }
    }

    /// With a color whose meaning follows from the state.
    pub fn key(mut self, tone: impl Into<Tone>, meaning: impl Into<String>) -> Self {
        self.keys.push((tone.into(), Cow::Owned(meaning.into())));
        self
    }
}

/// What pressing a part of a drawing does: it sets parameters of the figure. A page puts it over the drawing ([`Picture::with_presses`]); on
/// paper and in files there is nothing to press.
///
/// [`Picture::with_presses`]: crate::picture::Picture::with_presses
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Press {
    /// What is pressed, for who does not see it.
    pub name: String,
    /// The parameters that it sets.
    pub sets: Query,
    /// Whether this one is chosen now.
    pub is_on: bool,
}

impl Press {
    /// Sets one parameter.
    pub fn new(name: impl Into<String>, param: &str, value: impl Into<String>, is_on: bool) -> Self {
        Self { name: name.into(), sets: Query::new([(param, value.into())]), is_on }
    }
}
