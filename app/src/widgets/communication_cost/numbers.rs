//! The curves as a table: a row for every power of ten.

use leptos::prelude::*;
use ringside_core::network::Cost;
use ringside_core::network::sizes::{Point, Sizes};
use ringside_core::quantity::Unit;

use super::Shown;

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
                <table>
                    <caption>"Measured, and the line that fits it"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Buffer"</th>
                            <th scope="col" class="number">"Out of place"</th>
                            <th scope="col" class="number">"In place"</th>
                            <th scope="col" class="number">"Fitted"</th>
                        </tr>
                    </thead>
                    <tbody>{measured.iter().map(row).collect_view()}</tbody>
                </table>
            }
        })
    };
    view! {
        <table>
            <thead>
                <tr>
                    <th scope="col">"Buffer"</th>
                    <th scope="col" class="number">"Time by ring"</th>
                    <th scope="col" class="number">"by tree"</th>
                    <th scope="col" class="number">"Bus bandwidth by ring"</th>
                    <th scope="col" class="number">"by tree"</th>
                </tr>
            </thead>
            <tbody>{(1..=10).map(row).collect_view()}</tbody>
        </table>
        {points}
    }
    .into_any()
}
