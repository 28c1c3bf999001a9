//! Every launch as a table.

use leptos::prelude::*;
use ringside_core::kernels::rows::{Kernel, Launch, Out};
use ringside_core::quantity::Unit;

use super::Shown;
use crate::ui::table::{Table, numbers, words};

pub(super) fn view(shown: Shown) -> AnyView {
    let bytes = |n: u64| Unit::Bytes.format(n as f64);
    let rows = move || {
        shown.with(|p| {
            let launch = |kernel: &'static Kernel, launch: &'static Launch| {
                let (moved, asked) = (launch.moved(p.sizes), launch.asked(p.sizes));
                let out = if launch.out == Out::Matrix { "a matrix" } else { "a number for each row" };
                view! {
                    <tr>
                        <th scope="row">{format!("{}: {}", kernel.label, launch.name)}</th>
                        <td class="number">{bytes(moved.read)}</td>
                        <td class="number">{bytes(moved.written)}</td>
                        <td>{out}</td>
                        <td class="number">{bytes(asked.read)}</td>
                        <td class="number">{Unit::Seconds.format(moved.total() as f64 / p.gpu.bandwidth)}</td>
                    </tr>
                }
            };
            let kernels = p.op.kernels().iter();
            kernels.flat_map(|kernel| kernel.launches.iter().map(move |l| launch(kernel, l))).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                words("Launch"),
                numbers("Reads"),
                numbers("Writes"),
                words("Comes to"),
                numbers("Asks to read, caches included"),
                numbers("Traffic takes"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
