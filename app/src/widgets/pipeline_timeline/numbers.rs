//! The numbers behind the drawing: a row for each device.

use leptos::prelude::*;
use ringside_core::pipeline::Schedule;
use ringside_core::quantity::{Unit, grouped, number};

use super::{Run, Runs, Shown};
use crate::ui::table::{Table, numbers, words};

/// A table for each schedule on show.
pub(super) fn view(shown: Shown) -> AnyView {
    (move || shown.runs.with(|runs| runs.runs.iter().map(|run| table(runs, run)).collect_view())).into_any()
}

fn table(runs: &Runs, run: &Run) -> AnyView {
    let timeline = &run.timeline;
    let makespan = timeline.makespan();
    let versions = run.schedule == Schedule::PipeDream;
    let row = |device: u32| {
        let busy = timeline.busy(device);
        let slow = device == runs.params.slow_stage && runs.params.slow_by > 1.0;
        let name = if slow { format!("{device} (slow)") } else { device.to_string() };
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="number">{grouped(timeline.of(device).len() as u64)}</td>
                <td class="number">{Unit::Seconds.format(busy / 1e3)}</td>
                <td class="number">{Unit::Fraction.format((1.0 - busy / makespan).max(0.0))}</td>
                <td class="number">{number(timeline.peak(device))}</td>
                {versions.then(|| view! { <td class="number">{timeline.versions(device).to_string()}</td> })}
            </tr>
        }
    };
    let mut columns = vec![
        words("Device"),
        numbers("Blocks"),
        numbers("Works"),
        numbers("Idle"),
        numbers("Micro-batches kept, at most"),
    ];
    if versions {
        columns.push(numbers("Versions of weights"));
    }
    view! {
        <Table
            caption=format!("{}, {}", run.schedule.label(), Unit::Seconds.format(makespan / 1e3))
            columns
            rows=(0..timeline.fleet.devices).map(row).collect_view().into_any()
        />
    }
    .into_any()
}
