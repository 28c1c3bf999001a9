//! Tokens of a GPU over GPUs: where a technique is free, where it is exposed, and where it cannot be used.

use ringside_core::overlap::{Column as Width, MAX_GPUS, MAX_TOKENS, MIN_TOKENS, Map, Params, Place};
use ringside_core::quantity::{Unit, grouped};

use crate::chart::{Axis, Chart, Ink, Mark, Series, Stroke, Writing};
use crate::figure::{About, Column, Figure, Table};
use crate::picture::Picture;

/// Tokens of a GPU that are drawn.
const TOKENS: (f64, f64) = (MIN_TOKENS as f64, MAX_TOKENS as f64);

/// Where a column is impossible, exposed and free, from the lowest: the ends of each.
fn bands(column: &Width) -> [(f64, f64); 3] {
    let (least, most) = TOKENS;
    let possible = column.possible_from.unwrap_or(most).clamp(least, most);
    let hides = column.hides_from.unwrap_or(most).clamp(possible, most);
    [(least, possible), (possible, hides), (hides, most)]
}

/// The chart.
fn chart(map: &Map) -> Chart {
    let p = &map.params;
    let half = std::f64::consts::SQRT_2;
    let names = [("Free", Ink::Weights, 2), ("Exposed", Ink::Communication, 1), ("Impossible", Ink::Idle, 0)];
    let mut series: Vec<Series> = names
        .into_iter()
        .map(|(name, ink, band)| {
            let ends = |column: &Width| bands(column).get(band).copied().unwrap_or(TOKENS);
            let tops = map.columns.iter().map(|c| (c.gpus as f64, ends(c).1)).collect();
            Series::bars(name, ink, tops).over(map.columns.iter().map(|c| ends(c).0).collect())
        })
        .collect();
    let batch = map.batch();
    let shared = map.columns.iter().map(|c| (c.gpus as f64, batch / c.gpus as f64));
    let shared = shared.filter(|(_, tokens)| (TOKENS.0..=TOKENS.1).contains(tokens)).collect();
    series.push(
        Series::fine(format!("the same {} tokens", Unit::Count.format(batch)), Ink::Ink, Stroke::Dashed, shared)
            .in_key(),
    );
    let free = map
        .columns
        .iter()
        .filter_map(|c| Some(format!("{} on {}", grouped(c.hides_from?.ceil() as u64), grouped(c.gpus))));
    let free = free.collect::<Vec<_>>().join(", ");
    Chart {
        label: if free.is_empty() {
            format!("Tokens per GPU over GPUs. {} is free nowhere.", p.technique.label())
        } else {
            format!("Tokens per GPU over GPUs. {} is free from so many tokens: {free}.", p.technique.label())
        },
        across: Axis::log2((1.0 / half, MAX_GPUS as f64 * half)).written(Writing::Binary).named("GPUs"),
        up: Axis::log2(TOKENS).written(Writing::Binary).named("Tokens per GPU"),
        series,
        rules: Vec::new(),
        marks: vec![Mark::new(
            (p.gpus as f64, p.tokens as f64),
            format!("{} on {}", grouped(p.tokens), grouped(p.gpus)),
        )],
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        format!("{} on {}, {}", self.model.name(), self.gpu.name, self.wires.in_words())
    }

    fn finding(&self, map: &Map) -> String {
        map.finding()
    }

    fn picture(&self, map: &Map) -> Picture {
        chart(map).into()
    }

    /// The techniques at the place of the state.
    fn table(&self, map: &Map) -> Table {
        let tokens = map.params.tokens as f64;
        let row = |place: &Place| {
            let ([forward, backward], [there, back]) = (place.terms.arithmetic(tokens), place.terms.send(tokens));
            let time = |time| if place.terms.flows.is_empty() { "–".to_owned() } else { Unit::Seconds.format(time) };
            let from = place.hides_from.map_or_else(|| "–".to_owned(), |tokens| grouped(tokens.ceil() as u64));
            std::iter::once(place.technique.label().to_owned())
                .chain([forward, there, backward, back].map(time))
                .chain([from, place.in_words(tokens)])
                .collect()
        };
        let numbers = ["computes, forward", "sends", "computes, backward", "sends", "free from tokens"];
        let columns: Vec<Column> = std::iter::once(Column::Words("Technique"))
            .chain(numbers.map(Column::Numbers))
            .chain([Column::Words("here")])
            .collect();
        Table::of(columns, map.here.iter().map(row).collect())
    }
}
