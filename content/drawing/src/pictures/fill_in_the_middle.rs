//! A document with a hole: its parts as they stand in the file, and as the model reads them.

use ringside_core::fim::figure::{Params, Shown};
use ringside_core::fim::pieces::Kind;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Tone};

const fn tone(kind: Kind) -> Tone {
    match kind {
        Kind::Sentinel => Ink::Ink.at(70),
        Kind::Prefix => Ink::Weights.at(90),
        Kind::Middle => Ink::Optimizer.at(100),
        Kind::Suffix => Ink::Gradients.at(90),
        Kind::File | Kind::Path => Ink::Kv.at(80),
        Kind::Plain => Ink::Idle.at(60),
    }
}

/// Both orders, in characters.
pub fn picture(p: &Params, s: &Shown) -> Lanes {
    let [from, to] = s.hole;
    let length = s.document.chars().count();
    let part = |kind: Kind, length: usize| (tone(kind), length as f64, kind.label().to_owned());
    let document = [
        part(Kind::Prefix, from),
        part(Kind::Middle, to.saturating_sub(from)),
        part(Kind::Suffix, length.saturating_sub(to)),
    ];
    let piece = |piece: &ringside_core::fim::pieces::Piece| {
        let text = if piece.kind == Kind::Sentinel { piece.text.clone() } else { piece.kind.label().to_owned() };
        (tone(piece.kind), piece.text.chars().count() as f64, text)
    };
    let read: f64 = s.pieces.iter().map(|piece| piece.text.chars().count() as f64).sum();
    let rows = vec![
        Lane::stack("the document", document, ""),
        Lane::stack("as the model reads it", s.pieces.iter().map(piece), ""),
    ];
    let keys = [
        (tone(Kind::Prefix), "prefix"),
        (tone(Kind::Middle), "middle"),
        (tone(Kind::Suffix), "suffix"),
        (tone(Kind::Sentinel), "sentinel"),
    ];
    Lanes::new(p.finding(s), Head::new("", &keys), rows, read.max(length as f64).max(1.0), None)
}
