//! The curves as a table: a row for every power of ten.

use leptos::prelude::*;
use ringside_core::network::Cost;
use ringside_core::network::sizes::{Point, Sizes};
use ringside_core::quantity::Unit;

use super::Shown;
use crate::ui::table::{Table, numbers, words};

const NONE: &str = "–";

pub(super) fn view(shown: Shown) -> AnyView {
    let row = move |power: i32| {
        let bytes = 10_f64.powi(power);
        let cell = move |of: fn(&Sizes) -> Option<Cost>, unit: Unit| {
            let text = move |s: &Sizes| {
                let value = |cost: Cost| if unit == Unit::Seconds { cost.time(bytes) } else { s.busbw(cost, bytes) };
                of(s).map_or_else(|| NONE.to_owned(), |cost| unit.format(value(cost)))
            };
            view! { <td class="number">{move || shown.with(text)}</td> }
        };
        let [ring, tree]: [fn(&Sizes) -> Option<Cost>; 2] = [|s| Some(s.ring), |s| s.tree];
        view! {
            <tr>
                <th scope="row">{Unit::Bytes.format(bytes)}</th>
                {cell(ring, Unit::Seconds)}
                {cell(tree, Unit::Seconds)}
                {cell(ring, Unit::BytesPerSecond)}
                {cell(tree, Unit::BytesPerSecond)}
            </tr>
        }
    };
    let points = move || {
        let row = |p: &Point| {
            let time = |seconds: Option<f64>| seconds.map_or_else(|| NONE.to_owned(), |s| Unit::Seconds.format(s));
            let fitted = shown.with(|s| s.fit.map(|fit| fit.cost.time(p.bytes)));
            view! {
                <tr>
                    <th scope="row">{Unit::Bytes.format(p.bytes)}</th>
                    <td class="number">{time(Some(p.time))}</td>
                    <td class="number">{time(p.in_place)}</td>
                    <td class="number">{time(fitted)}</td>
                </tr>
            }
        };
        let measured = shown.with(|s| s.params.measured.clone());
        (!measured.is_empty()).then(|| {
            view! {
                <Table
                    caption="Measured, and the line that fits it"
                    columns=[words("Buffer"), numbers("Out of place"), numbers("In place"), numbers("Fitted")]
                    rows=measured.iter().map(row).collect_view().into_any()
                />
            }
        })
    };
    view! {
        <Table
            columns=[
                words("Buffer"),
                numbers("Ring time"),
                numbers("by tree"),
                numbers("Bus bandwidth by ring"),
                numbers("by tree"),
            ]
            rows=(1..=10).map(row).collect_view().into_any()
        />
        {points}
    }
    .into_any()
}
