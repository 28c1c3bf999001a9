//! The front as a table.

use leptos::prelude::*;
use ringside_core::planner::{Layout, words};
use ringside_core::quantity::{Unit, bytes_decimal};

use super::hunt::Hunt;
use crate::ui::table::{Table, numbers, words};

pub(super) fn view(hunt: Hunt) -> AnyView {
    let rows = move || {
        hunt.found().with(|found| {
            let row = |l: &Layout| {
                let mfu = found.job.as_ref().map_or(0.0, |job| job.mfu(l.step));
                view! {
                    <tr>
                        <th scope="row">{words::layout(&l.choice)}</th>
                        <td class="number">{Unit::Seconds.format(l.step)}</td>
                        <td class="number">{Unit::Fraction.format(mfu)}</td>
                        <td class="number">{bytes_decimal(l.memory)}</td>
                        <td>{l.verdict.label()}</td>
                    </tr>
                }
            };
            found.front.iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="Layouts that no other beats in both time and memory"
            columns=[words("Layout"), numbers("Step"), numbers("MFU"), numbers("Memory"), words("On this GPU")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
