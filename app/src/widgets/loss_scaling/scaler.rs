//! A dynamic scaler, step by step: each step can be made to overflow.

use leptos::prelude::*;
use ringside_core::float::bits::superscript;
use ringside_core::loss_scaling::{MAX_OVERFLOWS, ScalerStep, Shown};
use ringside_drawing::scale::percent;

use super::State;

/// The scale over the steps, and the steps as buttons.
pub(super) fn view(state: State, shown: Memo<Shown>) -> AnyView {
    let params = state.params();
    let steps = Memo::new(move |_| params.with(|p| p.overflows.0.len()));
    let label = move || params.with(|p| shown.with(|s| p.finding(s)));
    let button = move |i: usize| {
        let overflow = move || params.with(|p| p.overflows.0.get(i).copied().unwrap_or_default());
        let flip = move |_| {
            state.update(|p| {
                if let Some(step) = p.overflows.0.get_mut(i) {
                    *step = !*step;
                }
            });
        };
        view! {
            <button
                type="button"
                class="bit"
                aria-pressed=move || overflow().to_string()
                aria-label=format!("Step {} overflows", i + 1)
                on:click=flip
            >
                {move || if overflow() { "∞" } else { "✓" }}
            </button>
        }
    };
    view! {
        <svg class="scales" role="img" aria-label=label>{move || shown.with(|s| staircase(&s.scaler))}</svg>
        <div class="overflows" role="group" aria-label="Steps">
            {move || (0..steps.get()).map(button).collect_view()}
        </div>
        <p class="overflow-tools">
            <button
                type="button"
                class="quiet"
                disabled=move || { steps.get() + 1 > MAX_OVERFLOWS }
                on:click=move |_| state.update(|p| p.overflows.0.push(false))
            >
                "Add a step"
            </button>
            <button
                type="button"
                class="quiet"
                disabled=move || steps.get() == 0
                on:click=move |_| state.update(|p| _ = p.overflows.0.pop())
            >
                "Remove the last"
            </button>
        </p>
        <p class="fine">"Press a step to make its gradients overflow, or not. A step that overflows (∞) is skipped."</p>
    }
    .into_any()
}

/// The scale that each step used and the one after the last, on a logarithmic axis.
fn staircase(steps: &[ScalerStep]) -> AnyView {
    let logs: Vec<f64> = steps.iter().map(|s| s.used.log2()).chain(steps.last().map(|s| s.scale.log2())).collect();
    let (low, high) = logs.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    if low > high {
        return ().into_any();
    }
    let (low, high) = (low - 1.0, high + 1.0);
    let y = |log: f64| 100.0 - (log - low) / (high - low) * 100.0;
    let width = 100.0 / steps.len().max(1) as f64;
    let parts = steps.iter().enumerate().map(|(i, step)| {
        let (x, next) = (i as f64 * width, (i + 1) as f64 * width);
        let (from, to) = (y(step.used.log2()), y(step.scale.log2()));
        view! {
            <rect class="overflow" class:nowhere=!step.overflow x=percent(x) width=percent(width) height="100%" />
            <line x1=percent(x) x2=percent(next) y1=percent(from) y2=percent(from) />
            <line x1=percent(next) x2=percent(next) y1=percent(from) y2=percent(to) />
        }
    });
    let every = (((high - low) / 6.0).ceil() as i32).max(1);
    let ticks = (low.ceil() as i32..=high.floor() as i32).filter(|e| e % every == 0).map(|e| {
        let y = percent(y(e.into()));
        view! {
            <line y1=y.clone() y2=y.clone() x2="100%" />
            <text dx="-8" y=y dy=".35em" text-anchor="end">{format!("2{}", superscript(e.into()))}</text>
        }
    });
    view! {
        <g class="ticks">{ticks.collect_view()}</g>
        <g class="course">{parts.collect_view()}</g>
    }
    .into_any()
}
