//! The numbers behind the drawing: the log of the run.

use leptos::prelude::*;
use ringside_core::loss_detective::{Logged, Story};
use ringside_core::quantity::number;

use crate::ui::table::{Table, numbers, words};

/// The table.
pub(super) fn view(story: Memo<Story>) -> AnyView {
    let finite = |x: f64| if x.is_finite() { number(x) } else { "NaN".to_owned() };
    let rows = move || {
        let row = |(i, l): (usize, &Logged)| {
            view! {
                <tr>
                    <th scope="row">{i}</th>
                    <td class="number">{finite(l.loss)}</td>
                    <td class="number">{finite(l.gradient)}</td>
                    <td class="number">{finite(l.logit)}</td>
                    <td class="number">{finite(l.update)}</td>
                    <td class="number">{finite(l.log_z)}</td>
                    <td class="number">{finite(l.scale)}</td>
                    <td>{if l.skipped { "skipped" } else { "" }}</td>
                </tr>
            }
        };
        story.with(|s| s.kept.iter().enumerate().map(row).collect_view())
    };
    view! {
        <Table
            columns=[
                numbers("Step"),
                numbers("Loss"),
                numbers("Gradient norm"),
                numbers("Attention logit"),
                numbers("Update over weights"),
                numbers("ln Z"),
                numbers("Loss scale"),
                words("Update"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
