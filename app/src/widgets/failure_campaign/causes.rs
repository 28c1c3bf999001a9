//! What fails, and how often: the causes that were published, one GPU's time between two of each, and the same at the size of the job.

use leptos::prelude::*;
use ringside_core::failure::Failures;
use ringside_core::failure::rates::{self, AT_32K, Component, LLAMA3};
use ringside_core::quantity::{Unit, grouped};

use crate::ui::table::{Table, numbers, words};

const HOUR: f64 = 3600.0;

/// The table.
pub(super) fn view(params: Memo<Failures>) -> AnyView {
    let rows = move || {
        let gpus = params.with(|p| p.gpus) as f64;
        let all = f64::from(rates::total(&LLAMA3));
        let row = move |c: &Component| {
            let of_gpu = rates::gpu_time(c);
            let later = AT_32K.iter().find(|(name, _)| *name == c.name);
            view! {
                <tr>
                    <th scope="row">{c.name}</th>
                    <td class="number">{c.count}</td>
                    <td class="number">{Unit::Fraction.format(f64::from(c.count) / all)}</td>
                    <td class="number">{grouped((of_gpu / HOUR) as u64)}</td>
                    <td class="number">{Unit::Seconds.format(of_gpu / gpus)}</td>
                    <td class="number">
                        {later.map_or("–".to_owned(), |(_, percent)| Unit::Fraction.format(percent / 100.0))}
                    </td>
                </tr>
            }
        };
        LLAMA3.iter().map(row).collect_view()
    };
    view! {
        <Table
            scroll="Interruptions by cause"
            caption="Interruptions by cause, as published"
            columns=[
                words("Cause"),
                numbers("of 419"),
                numbers("share"),
                numbers("GPU-hours"),
                numbers("here, every"),
                numbers("at 32,000"),
            ]
            rows=rows.into_any()
        />
        <p class="fine">
            "Llama 3: 419 interruptions, GPU-hours between two of a cause, and what they come to in the job above (arXiv 2407.21783, table 5). Of 678 on 32,000 GPUs: arXiv 2602.00277; PCIe devices, kernel faults and reboots are another 29 % there. Delta: an \
             uncorrectable memory error every 88,768 hours of an H100 (arXiv 2503.11901)."
        </p>
    }
    .into_any()
}
