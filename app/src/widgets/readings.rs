//! The quantities of a result, for people and for scripts.

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::quantity::{Quantity, Unit, bytes_binary};

use crate::ui::output::Output;

/// The value of a quantity among `quantities`; 0 if it is not there. Tracks.
pub(super) fn value(quantities: Memo<Vec<Quantity>>, id: &str) -> f64 {
    quantities.with(|list| list.iter().find(|q| q.id == id).map_or(0.0, |q| q.value))
}

/// Every quantity of `entry`, named as the catalogue names it.
pub(super) fn all(entry: &'static Entry, quantities: Memo<Vec<Quantity>>) -> AnyView {
    only(entry, quantities, |_| true)
}

/// Every quantity of `entry`, bytes with binary prefixes.
pub(super) fn binary(entry: &'static Entry, quantities: Memo<Vec<Quantity>>) -> AnyView {
    let reading = |(id, label, unit): (&'static str, &'static str, Unit)| match unit {
        Unit::Bytes => {
            let value = Signal::derive(move || value(quantities, id));
            view! {
                <div class="reading">
                    <dt>{label}</dt>
                    <dd><Output quantity=id value unit format=bytes_binary /></dd>
                </div>
            }
            .into_any()
        }
        _ => reading(quantities, id, label, unit),
    };
    entry.quantities().map(reading).collect_view().into_any()
}

/// Those quantities of `entry` whose ids `which` picks.
pub(super) fn only(entry: &'static Entry, quantities: Memo<Vec<Quantity>>, which: fn(&str) -> bool) -> AnyView {
    let picked = entry.quantities().filter(|(id, ..)| which(id));
    picked.map(|(id, label, unit)| reading(quantities, id, label, unit)).collect_view().into_any()
}

/// Some quantities of `entry` by their ids, each with what it is called here.
pub(super) fn some(
    entry: &'static Entry,
    quantities: Memo<Vec<Quantity>>,
    names: &[(&'static str, &'static str)],
) -> AnyView {
    let unit = |id| entry.quantities().find(|(other, ..)| *other == id).map_or(Unit::Ratio, |(.., unit)| unit);
    names.iter().map(|&(id, label)| reading(quantities, id, label, unit(id))).collect_view().into_any()
}

/// Ids of quantities, and what they are called where they are shown.
pub(super) type Names = &'static [(&'static str, &'static str)];

/// The list of those quantities of `entry` that belong to the view on show.
pub(super) fn of_view(
    entry: &'static Entry,
    quantities: Memo<Vec<Quantity>>,
    names: impl Fn() -> Names + Send + Sync + 'static,
) -> impl IntoView {
    move || view! { <dl class="readings">{some(entry, quantities, names())}</dl> }
}

fn reading(quantities: Memo<Vec<Quantity>>, id: &'static str, label: &'static str, unit: Unit) -> AnyView {
    one(id, label, unit, Signal::derive(move || value(quantities, id)))
}

/// A number that no list of quantities has.
pub(super) fn one(quantity: &'static str, label: &'static str, unit: Unit, value: Signal<f64>) -> AnyView {
    view! {
        <div class="reading">
            <dt>{label}</dt>
            <dd><Output quantity value unit /></dd>
        </div>
    }
    .into_any()
}

/// Whether what ran was right: 1 or 0.
pub(super) fn verified(value: Signal<f64>) -> AnyView {
    let format = |value: f64| if value > 0.0 { "yes" } else { "no" }.to_owned();
    view! {
        <div class="reading">
            <dt>"Right"</dt>
            <dd><Output quantity="verified" value unit=Unit::Count format /></dd>
        </div>
    }
    .into_any()
}
