//! A model in parts to scale: all of it, and one of its layers.

use ringside_core::model::anatomy::{Anatomy, Group, Piece, Place};
use ringside_core::quantity::counted;

use crate::chart::Ink;
use crate::form::{Head, Lane, Lanes, Tone};

const fn tone(group: Group) -> Tone {
    match group {
        Group::Tables => Ink::Optimizer.at(100),
        Group::Attention => Ink::Weights.at(100),
        Group::Matrix => Ink::Kv.at(100),
        Group::Mlp => Ink::Gradients.at(100),
        Group::Small => Ink::Idle.at(100),
    }
}

/// A row for the model and a row for a layer.
pub fn picture(a: &Anatomy) -> Lanes {
    let measure = a.params.show;
    let of = |piece: &Piece| (tone(piece.group()), piece.amount(measure), piece.id.to_owned());
    let spans = a.spans(measure);
    let total: f64 = spans.iter().map(|span| span.amount).sum::<f64>().max(f64::MIN_POSITIVE);
    let whole = spans.iter().flat_map(|span| match span.place {
        Place::Before | Place::After => a.pieces.iter().filter(|piece| piece.place == span.place).map(of).collect(),
        _ if span.layers == 0 => Vec::new(),
        _ => vec![(Ink::Soft.at(55), span.amount, counted(span.layers, "layer", "layers"))],
    });
    let whole = whole.map(|(tone, amount, text)| (tone, amount / total, text));
    let layer = a.layer(measure);
    let all: f64 = layer.pieces.iter().map(|piece| piece.amount(measure)).sum::<f64>().max(f64::MIN_POSITIVE);
    let inside = layer.pieces.iter().map(|piece| of(piece)).map(|(tone, amount, text)| (tone, amount / all, text));
    let rows = vec![Lane::stack("the model", whole, ""), Lane { high: 1.6, ..Lane::stack("a layer", inside, "") }];
    let keys = [
        (tone(Group::Tables), "tables"),
        (tone(Group::Attention), "attention"),
        (tone(Group::Matrix), "scores"),
        (tone(Group::Mlp), "MLP"),
        (Ink::Soft.at(55), "layers"),
    ];
    Lanes::new(a.finding(), Head::new("", &keys), rows, 1.0, None)
}
