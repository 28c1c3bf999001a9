//! What attention keeps: kinds of attention and published models to scale, which can be pressed; one step, and requests that fit.

use ringside_core::kv_cache::figure::{Attention, Params, Published, Row, Shown, View, published_kind};
use ringside_core::kv_cache::models::{Model, Named};
use ringside_core::kv_cache::{Keeps, Layers};
use ringside_core::quantity::{Unit, grouped};
use ringside_core::query::Query;

use crate::chart::Ink;
use crate::charts::kv_compression as charts;
use crate::figure::{About, Figure, Table};
use crate::form::{Head, Lane, Lanes, Piece, Press, Tone};
use crate::picture::Picture;

const KEYS: Tone = Ink::Weights.at(100);
const VALUES: Tone = Ink::Optimizer.at(100);
const LATENT: Tone = Ink::Kv.at(100);
const ROTARY: Tone = Ink::Gradients.at(100);
const STATE: Tone = Ink::Activations.at(100);
const FULL: Tone = Ink::Ink.at(70);
const WINDOW: Tone = Ink::Mlp.at(100);

/// A token's keys and values under each kind of attention.
fn kinds(p: &Params, s: &Shown) -> Lanes {
    let row = |(kind, row): (&Attention, &Row)| {
        let (tones, part) = match row.keeps() {
            Keeps::Latent { rank, rope } => ([LATENT, ROTARY], rank as f64 / (rank + rope).max(1) as f64),
            Keeps::Heads { key, value, .. } => ([KEYS, VALUES], key as f64 / (key + value).max(1) as f64),
            Keeps::Index { .. } | Keeps::State { .. } => ([KEYS, VALUES], 0.5),
        };
        let parts = [(tones[0], part), (tones[1], 1.0 - part)];
        let parts = parts.map(|(tone, part)| (tone, row.per_token * part, String::new()));
        let name = match kind {
            Attention::Grouped => format!("grouped-query, {} heads", grouped(p.groups_of(&p.model.named()))),
            _ => kind.label().to_owned(),
        };
        let is_published = p.is_published(*kind);
        let is_on = if p.attention == Attention::Own { is_published } else { p.attention == *kind };
        let [token, sequence] = [row.per_token, row.sequence].map(|bytes| Unit::Bytes.format(bytes));
        let note = if is_published { "as published" } else { "" };
        let says =
            format!("{name}{}{note}: {token} a token, {sequence} a sequence", if is_published { ", " } else { "" });
        let sets = if is_published { Attention::Own } else { *kind };
        Lane::stack(name, parts, token).note(note).press(Press::new(says, "attention", sets.id(), is_on))
    };
    let keys = [(KEYS, "keys"), (VALUES, "values"), (LATENT, "latent"), (ROTARY, "rotary key")];
    let most = s.kinds.iter().map(|row| row.per_token).fold(s.chosen.per_token.max(1.0), f64::max);
    let rows = Attention::KINDS.iter().zip(&s.kinds).map(row).collect();
    Lanes::new(p.finding(s), Head::new("One token, all layers", &keys), rows, most * 1.02, None)
}

/// Which layers keep what: as long as there are layers.
fn layers(s: &Shown) -> Lanes {
    let all = s.chosen.cache.count();
    let tone = |l: &Layers| match (l.keeps, l.window) {
        (Keeps::State { .. }, _) => STATE,
        (_, Some(_)) => WINDOW,
        (_, None) => FULL,
    };
    let keeps = |l: &Layers| {
        let of = if l.every > 1 { format!("every {} tokens", grouped(l.every)) } else { "every token".to_owned() };
        match (l.keeps, l.window) {
            (Keeps::State { values }, _) => format!("a state of {} numbers", grouped(values)),
            (Keeps::Index { key, .. }, _) => format!("an indexer’s key of {} numbers for {of}", grouped(key)),
            (_, Some(window)) => format!("the last {} tokens", grouped(window)),
            (_, None) if l.every > 1 => format!("one row for {of}"),
            (_, None) => of,
        }
    };
    let kept = || s.chosen.cache.layers.iter().filter(|l| l.count > 0);
    let head = Head::new(format!("What each of {} layers keeps", grouped(all)), &[]);
    let head = kept().fold(head, |head, l| head.key(tone(l), format!("{}: {}", grouped(l.count), keeps(l))));
    let mut from = 0.0;
    // What some of them keep as well is in the words.
    let pieces = kept().filter(|l| !l.also).map(|l| {
        let piece = Piece::new(from, from + l.count as f64, tone(l));
        from = piece.to;
        piece
    });
    let row = Lane::new("", pieces.collect());
    let words: Vec<&str> = head.keys.iter().map(|(_, words)| words.as_ref()).collect();
    Lanes::new(format!("{}: {}.", head.title, words.join("; ")), head, vec![row], all.max(1) as f64, None)
}

/// A sequence in every published model.
fn models(p: &Params, s: &Shown) -> Lanes {
    let mut all = p.published();
    all.sort_by(|a, b| b.sequence.total_cmp(&a.sequence));
    let chosen = p.model.named().id;
    let row = |published: &Published| {
        let Named { id, name, cache, .. } = published.model;
        let tone = if published_kind(&published.model) == Attention::Latent { LATENT } else { KEYS };
        let state = cache.state_bytes();
        let parts = [(tone, published.sequence - state), (STATE, state)];
        let parts = parts.map(|(tone, bytes)| (tone, bytes, String::new()));
        let [token, sequence] = [published.per_token, published.sequence].map(|bytes| Unit::Bytes.format(bytes));
        let lane = Lane::stack(format!("{name}, {}", kind(&published.model)), parts, &sequence);
        // A reader's own has no name that could be set.
        match Model::find(id) {
            None => lane,
            Some(_) => lane.press(Press {
                name: format!("{name}: {token} a token, {sequence} a sequence"),
                sets: Query::new([("model", id), ("attention", Attention::Own.id())]),
                is_on: id == chosen,
            }),
        }
    };
    let keys = [(KEYS, "keys and values"), (LATENT, "latent"), (STATE, "state")];
    let most = all.first().map_or(1.0, |published| published.sequence.max(1.0));
    let rows = all.iter().map(row).collect();
    Lanes::new(p.finding(s), Head::new("One sequence", &keys), rows, most * 1.02, None)
}

/// How a model keeps its past, in a few words.
fn kind(model: &Named) -> String {
    let [first, second, state, ..] = model.cache.layers;
    let kind = match published_kind(model) {
        Attention::MultiHead => "MHA",
        Attention::Grouped => "GQA",
        Attention::MultiQuery => "MQA",
        Attention::Latent => "MLA",
        Attention::Own => return "state".to_owned(),
    };
    let window = match (first.count, second.count) {
        (_, 0) => "",
        (0, _) => ", window",
        _ => " + window",
    };
    let compressed = if model.cache.layers.iter().any(|l| l.every > 1 && l.count > 0) { ", compressed" } else { "" };
    format!("{kind}{window}{compressed}{}", if state.count > 0 { " + state" } else { "" })
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Cached(&mut self.model))
    }

    fn computed(&self) -> Self {
        Self { view: View::Kinds, ..*self }
    }

    fn subtitle(&self) -> String {
        if self.view == View::Models {
            return format!("{} tokens, {} bits", grouped(self.context), self.bits);
        }
        let name = match &self.model {
            Model::Other(named) => named.name.to_owned(),
            Model::Of(model) => model.name(),
        };
        match self.attention {
            Attention::Own => name,
            other => format!("{name}, {}", other.label()),
        }
    }

    fn finding(&self, s: &Shown) -> String {
        self.finding(s)
    }

    fn picture(&self, s: &Shown) -> Picture {
        match self.view {
            View::Kinds => Picture::Over(vec![(5.0, kinds(self, s).into()), (1.0, layers(s).into())]),
            View::Models => models(self, s).into(),
            View::Step => charts::step(self, s).into(),
            View::Requests => charts::requests(self, s).into(),
        }
    }

    /// Every kind of attention.
    fn table(&self, s: &Shown) -> Table {
        let row = |row: &Row| {
            vec![
                row.attention.label().to_owned(),
                grouped(row.keeps().values_per_token()),
                grouped(row.growing_layers()),
                Unit::Bytes.format(row.per_token),
                Unit::Bytes.format(row.sequence),
                grouped(row.requests as u64),
            ]
        };
        let heads = ["values, a layer", "layers that grow", "a token", "a sequence", "requests that fit"];
        Table::new("Attention", heads, s.kinds.iter().map(row).collect())
    }
}
