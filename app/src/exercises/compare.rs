//! What a learner predicted, with what the model says drawn over it.

use leptos::prelude::*;
use ringside_core::answer::write;
use ringside_core::quantity::Unit;
use ringside_drawing::scale::{Linear, percent};

/// A pair of bars for each row: its name, the prediction and the truth, in base units.
pub(super) fn bars(rows: Vec<(String, f64, f64)>, unit: Unit) -> AnyView {
    let largest = rows.iter().flat_map(|(_, yours, truth)| [*yours, *truth]).fold(0.0, f64::max);
    let scale = Linear::to(largest);
    let rows = rows
        .into_iter()
        .map(|(name, yours, truth)| {
            let bar = |class: &'static str, label: &'static str, value: f64| {
                view! {
                    <div class=format!("compare-bar {class}")>
                        <div aria-hidden="true"><i style:width=percent(scale.percent(value))></i></div>
                        <span>{label} " " <b>{write(value, unit, 3)}</b></span>
                    </div>
                }
            };
            view! {
                <div class="compare-row">
                    <span class="compare-name">{name}</span>
                    <div class="compare-pair">{bar("yours", "you", yours)} {bar("truth", "it is", truth)}</div>
                </div>
            }
        })
        .collect_view();
    view! { <div class="compare">{rows}</div> }.into_any()
}
