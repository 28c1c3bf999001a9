//! The front as a table.

use leptos::prelude::*;
use ringside_core::planner::{Layout, words};
use ringside_core::quantity::{Unit, bytes_decimal};

use super::Shown;

pub(super) fn view(shown: Shown) -> AnyView {
    let rows = move || {
        shown.hunt.with(|found| {
            let row = |l: &Layout| {
                let mfu = found.job.as_ref().map_or(0.0, |job| job.mfu(l.step));
                view! {
                    <tr>
                        <th scope="row">{words::layout(&l.choice)}</th>
                        <td class="number">{Unit::Seconds.format(l.step)}</td>
                        <td class="number">{Unit::Fraction.format(mfu)}</td>
                        <td class="number">{bytes_decimal(l.memory)}</td>
                        <td>{if l.fits { "fits" } else { "does not fit" }}</td>
                    </tr>
                }
            };
            found.front.iter().map(row).collect_view()
        })
    };
    view! {
        <table>
            <caption>"Layouts that no other beats in both time and memory"</caption>
            <thead>
                <tr>
                    <th scope="col">"Layout"</th>
                    <th scope="col" class="number">"Step"</th>
                    <th scope="col" class="number">"MFU"</th>
                    <th scope="col" class="number">"Memory"</th>
                    <th scope="col">"On this GPU"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}
