//! How well the learner's confidence matches what happens: predictions by how sure they were and how many came true.

use leptos::prelude::*;
use ringside_core::practice::mastery::{Bin, Calibration, calibration};
use ringside_drawing::scale::{Linear, percent};

use super::Desk;

/// The radius of the dot for one prediction, in pixels; the area goes by their number.
const DOT: f64 = 7.0;

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
    let scale = Linear::to(1.0);
    let at = move |share: f64| percent(scale.percent(share));
    let filled: Vec<Bin> = result.bins.iter().filter(|b| b.count > 0).cloned().collect();
    let ticks = [0.0, 0.25, 0.5, 0.75, 1.0];
    let text = |share: f64| format!("{}%", (share * 100.0).round());
    let grid = ticks
        .map(|tick| {
            view! {
                <line class="grid" x1="0" x2="100%" y1=at(1.0 - tick) y2=at(1.0 - tick) />
                <text class="tick-y" x="-8" y=at(1.0 - tick) dy=".35em">{text(tick)}</text>
                <text class="tick-x" x=at(tick) y="100%" dy="1.5em">{text(tick)}</text>
            }
        })
        .collect_view();
    let dots = filled
        .iter()
        .map(|bin| {
            let radius = (DOT * f64::from(bin.count).sqrt()).min(4.0 * DOT).to_string();
            view! { <circle cx=at(bin.confidence) cy=at(1.0 - bin.share) r=radius /> }
        })
        .collect_view();
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
        <div class="plot">
            <p class="axis-y" aria-hidden="true">"Right ↑"</p>
            <svg aria-hidden="true" width="100%" height="260" overflow="visible">
                {grid}
                <line class="even" x1="0" y1="100%" x2="100%" y2="0" />
                {dots}
            </svg>
            <p class="axis-x" aria-hidden="true">"How sure you were → (dashed: exactly as often right as sure; a larger dot: more predictions)"</p>
        </div>
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
