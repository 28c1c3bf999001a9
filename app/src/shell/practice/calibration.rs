//! How well the learner's confidence matches what happens: predictions by how sure they were and how many came true.

use leptos::prelude::*;
use ringside_core::practice::mastery::{Bin, Calibration, calibration};
use ringside_drawing::charts::calibration::chart;

use super::Desk;
use crate::ui;

pub(super) fn view(desk: Desk) -> AnyView {
    let result = Memo::new(move |_| desk.practice.with(|p| calibration(&p.predictions)));
    let finding = move || result.with(Calibration::finding);
    let drawing = move || result.with(|r| (r.count > 0).then(|| drawing(r)));
    view! {
        <section aria-labelledby="calibration" class="calibration">
            <h2 id="calibration">"How well you know what you know"</h2>
            <p>
                "A figure that waits for your prediction also asks how sure you are. Someone who is well calibrated is right in three of four predictions that they were 75% sure of."
            </p>
            <figure class="sans">{drawing} <figcaption>{finding}</figcaption></figure>
        </section>
    }
    .into_any()
}

fn drawing(result: &Calibration) -> AnyView {
    let shown = chart(result);
    let filled: Vec<Bin> = result.bins.iter().filter(|b| b.count > 0).cloned().collect();
    let text = |share: f64| format!("{}%", (share * 100.0).round());
    let rows = filled
        .iter()
        .map(|bin| {
            view! {
                <tr>
                    <th scope="row">{format!("{}–{}%", bin.from, bin.to)}</th>
                    <td class="number">{bin.count}</td>
                    <td class="number">{text(bin.confidence)}</td>
                    <td class="number">{text(bin.share)}</td>
                </tr>
            }
        })
        .collect_view();
    let brier = format!("{:.2}", result.brier);
    view! {
        {ui::chart::view("sure", Memo::new(move |_| shown.clone()))}
        <details>
            <summary>"The numbers"</summary>
            <table>
                <thead>
                    <tr>
                        <th scope="col">"Sure"</th>
                        <th scope="col" class="number">"Predictions"</th>
                        <th scope="col" class="number">"Mean"</th>
                        <th scope="col" class="number">"Right"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <p>
                "Brier score: " <output data-quantity="brier" data-value=result.brier.to_string()>{brier}</output>
                ", the mean square of confidence minus outcome. 0 is perfect; always saying 50% gives 0.25."
            </p>
        </details>
    }
    .into_any()
}
