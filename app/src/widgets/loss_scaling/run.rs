//! The loss over the steps, beside that of fp32.

use leptos::prelude::*;
use ringside_core::loss_scaling::network::Run;
use ringside_core::loss_scaling::{Params, Shown};
use ringside_drawing::scale::percent;
use ringside_drawing::ticks;

/// The curves.
pub(super) fn view(params: Memo<Params>, shown: Memo<Shown>) -> AnyView {
    let most = Memo::new(move |_| {
        let losses = |run: &Run| run.steps.iter().map(|s| s.loss).filter(|l| l.is_finite()).fold(0.0, f64::max);
        shown.with(|s| losses(&s.run).max(losses(&s.reference)).min(6.0))
    });
    let scale = move || ringside_drawing::scale::Linear::to(most.get() * 1.05);
    let across = move |i: usize, steps: usize| i as f64 / steps.saturating_sub(1).max(1) as f64 * 100.0;
    let path = move |of: fn(&Shown) -> &Run| {
        move || {
            shown.with(|s| {
                let run = of(s);
                let point = |(i, step): (usize, &ringside_core::loss_scaling::network::Step)| {
                    let y = 100.0 - scale().percent(step.loss).min(100.0);
                    format!("{:.2},{y:.2} ", across(i, run.steps.len()))
                };
                run.steps
                    .iter()
                    .enumerate()
                    .take_while(|(_, step)| step.loss.is_finite())
                    .map(point)
                    .collect::<String>()
            })
        }
    };
    let here = move || {
        let (at, steps) = (params.with(Params::at), shown.with(|s| s.run.steps.len()));
        percent(across(at, steps))
    };
    // Where the run ends in NaN, the first step that has it.
    let dead = move || {
        shown.with(|s| s.run.steps.iter().position(|step| !step.loss.is_finite()).map(|i| across(i, s.run.steps.len())))
    };
    let skipped = move || {
        shown.with(|s| {
            let steps = s.run.steps.len();
            let skipped = s.run.steps.iter().enumerate().filter(|(_, step)| step.skipped);
            skipped
                .map(|(i, _)| {
                    let x = percent(across(i, steps));
                    view! { <line class="skipped" x1=x.clone() x2=x y1="92%" y2="100%" /> }
                })
                .collect_view()
        })
    };
    let label = move || params.with(|p| shown.with(|s| p.finding(s)));
    view! {
        <ul class="legend">
            <li><span class="swatch run"></span>{move || params.with(|p| p.compute.label())}</li>
            <li><span class="swatch reference"></span>"the same in fp32"</li>
            <li><span class="swatch skipped"></span>"step skipped"</li>
        </ul>
        <svg class="losses" role="img" aria-label=label>
            <g class="ticks" inner_html=move || ticks::up(&ticks::ticks(scale(), |v| format!("{v:.1}")))></g>
            <svg viewBox="0 0 100 100" preserveAspectRatio="none">
                <polyline class="reference" points=path(|s| &s.reference) />
                <polyline class="run" points=path(|s| &s.run) />
            </svg>
            {skipped}
            <line class="here" x1=here x2=here y2="100%" />
            {move || {
                dead().map(|x| {
                    view! {
                        <g class="dead">
                            <line x1=percent(x) x2=percent(x) y2="100%" />
                            <text x=percent(x) y="14" dx="8">"NaN from here on"</text>
                        </g>
                    }
                })
            }}
            <text y="100%" dy="18">"step 1"</text>
            <text x="100%" y="100%" dy="18" text-anchor="end">{move || shown.with(|s| s.run.steps.len().to_string())}</text>
        </svg>
    }
    .into_any()
}
