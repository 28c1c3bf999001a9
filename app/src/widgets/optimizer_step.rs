//! A step of an optimizer in matrix form, under the way that it goes.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::optimizer_step::Params;
use ringside_core::quantity::number;
use ringside_drawing::figure::Figure as _;

use super::one_picture::{self, Live, Own};
use super::{Module, Props};
use crate::ui::table::{Table, numbers, silent, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own { over: Some(matrices(live)), ..Own::default() })
}

/// The step on show as it is written: the rule, and its matrices with their numbers.
fn matrices(live: Live<Params>) -> AnyView {
    let step = Memo::new(move |_| live.with(|p, path| p.played(path).map_or(0, |played| played.step)));
    let formula = move || {
        live.state
            .params()
            .with(|p| p.rule.formula().iter().map(|line| view! { <li><code>{*line}</code></li> }).collect_view())
    };
    let numbers_of = move || {
        live.with(|_, path| {
            let step = step.get();
            let before = path.after(step.saturating_sub(1));
            let pair = |name: &'static str, shape: &'static str, [a, b]: [f64; 2]| {
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td>{shape}</td>
                        <td class="number">{number(a)}</td>
                        <td class="number">{number(b)}</td>
                    </tr>
                }
            };
            let at = |list: &[[f64; 2]]| step.checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or_default();
            vec![
                pair("W before", "2 × 1", before),
                pair("G, of the batch", "2 × 1", at(&path.gradients)),
                pair("change", "2 × 1", at(&path.changes)),
                pair("W after", "2 × 1", path.after(step)),
            ]
            .collect_view()
        })
    };
    view! {
        <div class="step-in-matrices">
            <ol class="formulas">{formula}</ol>
            <Table
                caption=Signal::derive(move || format!("Step {}: X is 8 × 2, Xw − y is 8 × 1, G = Xᵀ(Xw − y)/b", step.get()))
                columns=[silent("Matrix"), words("shape"), numbers("first"), numbers("second")]
                rows=numbers_of.into_any()
            />
        </div>
    }
    .into_any()
}
