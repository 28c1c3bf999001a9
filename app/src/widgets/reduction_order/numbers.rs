//! The numbers behind the drawing: each order's sum, or each step's distance.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::reduction_order::finding::{hexadecimal, off, value};
use ringside_core::reduction_order::{Params, Show, Shown};

use crate::ui::table::{Table, numbers, words};

/// The table.
pub(super) fn view(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let show = Memo::new(move |_| params.with(|p| p.show));
    (move || match show.get() {
        Show::Sums => sums(params, shown),
        Show::Steps => steps(shown),
    })
    .into_any()
}

fn sums(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let (format, arithmetic) = (p.format.0, p.arithmetic());
            shown.with(|s| {
                let unit = s.sums.unit(format);
                let row = |sum: &ringside_core::reduction_order::Sum| {
                    let bound = sum.depth.map(|depth| arithmetic.bound(sum.order, depth) * s.sums.magnitude);
                    view! {
                        <tr>
                            <th scope="row">{sum.order.label()}</th>
                            <td class="number">{value(sum.value)}</td>
                            <td class="number">{hexadecimal(sum.code, format.bits())}</td>
                            <td class="number">{off(sum.error, unit)}</td>
                            <td class="number">{sum.depth.map_or("–".to_owned(), |d| grouped(d.into()))}</td>
                            <td class="number">{bound.map_or("–".to_owned(), |b| value(b / unit))}</td>
                        </tr>
                    }
                };
                s.sums.sums.iter().map(row).collect_view()
            })
        })
    };
    view! {
        <Table
            columns=[
                words("Order"),
                numbers("Sum"),
                numbers("Bits"),
                numbers("Off"),
                numbers("Longest way"),
                numbers("Bound, in ulp"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}

fn steps(shown: Memo<Shown>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let row = |(i, step): (usize, &ringside_core::reduction_order::Apart)| {
                view! {
                    <tr>
                        <th scope="row">{i + 1}</th>
                        <td class="number">{value(step.distance)}</td>
                        <td class="number">{Unit::Fraction.format(step.differing)}</td>
                        <td class="number">{value(step.losses[0])}</td>
                        <td class="number">{value(step.losses[1])}</td>
                    </tr>
                }
            };
            s.growth.steps.iter().enumerate().map(row).collect_view()
        })
    };
    view! {
        <Table
            columns=[
                numbers("Step"),
                numbers("Distance of the weights"),
                numbers("Weights that differ"),
                numbers("Loss"),
                numbers("Loss beside it"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
