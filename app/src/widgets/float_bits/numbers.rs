//! The numbers behind the drawing: both formats beside each other.

use leptos::prelude::*;
use ringside_core::float::bits::{Params, Shown, written};
use ringside_core::float::{Format, sums::Course};
use ringside_core::quantity::Unit;

use crate::ui::table::{Table, numbers, silent};

/// Something that a row says of a format.
type Fact = (&'static str, fn(Format) -> String);

const FACTS: [Fact; 7] = [
    ("Bits", |f| f.bits().to_string()),
    ("Exponent bits", |f| f.exponent_bits.to_string()),
    ("Mantissa bits", |f| f.mantissa_bits.to_string()),
    ("Largest value", |f| written(f.max())),
    ("Smallest normal value", |f| written(f.min_normal())),
    ("Smallest positive value", |f| written(f.min_positive())),
    ("Machine epsilon", |f| written(f.epsilon())),
];

/// Something that a row says of what is shown in a format.
type Reading = (&'static str, fn(&Shown, usize) -> String);

const READINGS: [Reading; 8] = [
    ("Code", |s, i| format!("0x{:x}", s.held[i].code)),
    ("Stored value", |s, i| s.held[i].text()),
    ("Next value below", |s, i| s.held[i].neighbours[0].map_or("–".into(), written)),
    ("Next value above", |s, i| s.held[i].neighbours[1].map_or("–".into(), written)),
    ("Sum", |s, i| written(s.sums[i].last)),
    ("First step that changes nothing", |s, i| stalled(&s.sums[i])),
    ("Gradients flushed to zero", |s, i| Unit::Fraction.format(s.fates[i].zero)),
    ("Gradients that overflow", |s, i| Unit::Fraction.format(s.fates[i].overflowed)),
];

fn stalled(course: &Course) -> String {
    course.stalled.map_or("–".into(), |step| step.to_string())
}

/// The table.
pub(super) fn view(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let cell = |text: Signal<String>| view! { <td class="number">{text}</td> };
    let facts = FACTS.into_iter().map(move |(name, fact)| {
        let of = |i: usize| cell(Signal::derive(move || fact(params.get().formats[i])));
        view! { <tr><th scope="row">{name}</th>{of(0)}{of(1)}</tr> }.into_any()
    });
    let read = READINGS.into_iter().map(move |(name, reading)| {
        let of = |i: usize| cell(Signal::derive(move || shown.with(|s| reading(s, i))));
        view! { <tr><th scope="row">{name}</th>{of(0)}{of(1)}</tr> }.into_any()
    });
    view! {
        <Table
            columns=[silent("Property"), numbers("Format"), numbers("Beside it")]
            rows=facts.chain(read).collect_view().into_any()
        />
    }
    .into_any()
}
