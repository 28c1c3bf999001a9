//! The numbers behind the drawing: the run step by step, as a log prints it.

use leptos::prelude::*;
use ringside_core::loss_scaling::Shown;
use ringside_core::loss_scaling::finding::{loss, power};

use crate::ui::table::{Table, numbers, words};

/// The table.
pub(super) fn view(shown: Memo<Shown>) -> AnyView {
    let steps = Memo::new(move |_| shown.with(|s| s.run.steps.len()));
    let row = move |i: usize| {
        let cell =
            move |text: fn(&Shown, usize) -> Option<String>| move || shown.with(|s| text(s, i).unwrap_or_default());
        view! {
            <tr>
                <th scope="row">{i + 1}</th>
                <td class="number">{cell(|s, i| Some(loss(s.run.steps.get(i)?.printed.into())))}</td>
                <td class="number">{cell(|s, i| Some(loss(s.run.steps.get(i)?.loss)))}</td>
                <td class="number">{cell(|s, i| Some(loss(s.reference.steps.get(i)?.loss)))}</td>
                <td class="number">{cell(|s, i| Some(power(s.run.steps.get(i)?.scale)))}</td>
                <td>{cell(|s, i| Some(if s.run.steps.get(i)?.skipped { "skipped" } else { "" }.to_owned()))}</td>
                <td>{cell(|s, i| s.run.steps.get(i)?.broken.map(|(op, _)| op.name().to_owned()))}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[
                numbers("Step"),
                numbers("Loss in the log"),
                numbers("Loss"),
                numbers("Loss in fp32"),
                numbers("Scale"),
                words("Update"),
                words("First ∞ or NaN"),
            ]
            rows=(move || (0..steps.get()).map(row).collect_view()).into_any()
        />
    }
    .into_any()
}
