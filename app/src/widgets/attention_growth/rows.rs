//! The two pictures, side by side, a row for each part of the sequence: what is scored, and what is kept.

use leptos::prelude::*;
use ringside_core::attention::growth::{Params, STEPS};
use ringside_drawing::scenes::growth::{DEEP, kept, scores, shared};

use crate::ui::markup::renewed;

/// Both.
pub(super) fn view(params: Memo<Params>) -> impl IntoView {
    let step = Memo::new(move |_| params.with(|p| p.step));
    let heads = Memo::new(move |_| params.with(|p| p.heads));
    // Who shares with whom does not change as the sequence grows.
    let still = Memo::new(move |_| Params { step: 0, seq: 1, ..params.get() });
    let drawn = Memo::new(move |_| params.with(|p| Params { seq: 1, ..*p }));
    let across = move |deep: f64| move || format!("0 0 {} {deep}", heads.get());
    let who = move || params.with(|p| format!("{} query heads on {} of keys and values", p.heads, p.kv_heads));
    view! {
        <div class="growth-panels" aria-hidden="true">
            <p class="growth-title">"Scored: each token against all up to it"</p>
            <p class="growth-title kept">"Kept: keys and values of each token"</p>
            <p class="growth-axis">"keys, first to newest →"</p>
            <svg class="growth-heads" viewBox=across(DEEP) preserveAspectRatio="none" use:renewed=move || still.with(shared)></svg>
            <svg class="growth-rows" viewBox=format!("0 0 {STEPS} {STEPS}") preserveAspectRatio="none" use:renewed=move || scores(step.get())></svg>
            <svg class="growth-rows kept" viewBox=across(STEPS as f64) preserveAspectRatio="none" use:renewed=move || drawn.with(kept)></svg>
            <p class="growth-foot">"↓ tokens as they come"</p>
            <p class="growth-foot kept">{who}</p>
        </div>
    }
}
