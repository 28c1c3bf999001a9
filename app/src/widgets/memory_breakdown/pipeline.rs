//! The stages of the pipeline side by side, the fullest one marked, and why it is the fullest.

use leptos::prelude::*;
use ringside_core::memory::{Breakdown, Concept};
use ringside_drawing::columns::Columns;

use super::Shown;
use crate::ui::columns;

/// Nothing, unless there are several stages.
pub(super) fn view(shown: Shown) -> AnyView {
    let why = Memo::new(move |_| shown.with(Breakdown::why_worst));
    let label = Signal::derive(move || why.get().unwrap_or_default());
    let stages = Signal::derive(move || {
        shown.with(|b| {
            let marked = usize::try_from(b.worst.stage.index).unwrap_or_default();
            let parts = |i: usize| Concept::ALL.map(|c| b.pipeline.get(i).map_or(0.0, |row| row.parts.of(c).0));
            Columns::new(b.pipeline.len(), marked, parts)
        })
    });
    view! {
        <Show when=move || why.with(Option::is_some)>
            <div class="stages">
                <p class="stages-head">"Pipeline stages, side by side"</p>
                {columns::view(stages, Concept::ALL.map(Concept::id), label)}
                <p>{label}</p>
            </div>
        </Show>
    }
    .into_any()
}
