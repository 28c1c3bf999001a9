//! The measures of the board, and what can be done to all of it.

use leptos::prelude::*;
use ringside_core::pipeline::Schedule;
use ringside_core::pipeline::board::Board;
use ringside_core::pipeline::editor::{EDITOR, EditorParams, MAX_BOARD_MICROBATCHES, MAX_BOARD_STAGES};
use ringside_core::quantity::number;

use super::{Editor, State, measures};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::param;

/// The measures.
pub(super) fn sliders(state: State) -> AnyView {
    let slider =
        move |name, label, max: u32, get: fn(&EditorParams) -> u32, set: fn(&EditorParams, u32) -> EditorParams| {
            let value = Signal::derive(move || f64::from(state.params().with(get)));
            let put = move |n: f64| {
                let next = state.params().with_untracked(|p| set(p, n as u32));
                state.set(&next);
            };
            let scale = Scale::Linear { min: 1.0, max: f64::from(max), step: 1.0 };
            view! { <Slider spec=param(&EDITOR, name) label value set=put scale format=number /> }
        };
    view! {
        <div class="control-grid">
            {slider("stages", "Stages", MAX_BOARD_STAGES, |p| measures(p).0, |p, n| p.emptied(n, p.board.microbatches))}
            {slider(
                "microbatches",
                "Micro-batches",
                MAX_BOARD_MICROBATCHES,
                |p| p.board.microbatches,
                |p, n| EditorParams { board: Board { microbatches: n, ..p.board.clone() }, ..p.clone() },
            )}
            {slider(
                "cap",
                "Micro-batches that fit into a stage",
                MAX_BOARD_MICROBATCHES,
                |p| p.cap,
                |p, cap| EditorParams { cap, ..p.clone() },
            )}
        </div>
    }
    .into_any()
}

/// Buttons that change all of the board, and what could not be done.
pub(super) fn tools(editor: Editor) -> AnyView {
    let nothing = move || editor.before.with(Vec::is_empty);
    let clear = move |_| {
        let (stages, microbatches) = editor.state.params().with_untracked(measures);
        editor.change(Board::new(stages, microbatches));
    };
    view! {
        <div class="editor-tools">
            <button type="button" on:click=move |_| editor.pack()>"Move all as early as they can"</button>
            <button type="button" class="secondary" disabled=nothing on:click=move |_| editor.undo()>"Undo"</button>
            <button type="button" class="secondary" on:click=clear>"Clear"</button>
            <button type="button" class="quiet" on:click=move |_| editor.load(Schedule::OneForwardOneBackward)>"Start from 1F1B"</button>
            <button type="button" class="quiet" on:click=move |_| editor.load(Schedule::ZeroBubbleH1)>"Show ZB-H1"</button>
        </div>
        <p class="fine" role="status">{move || editor.refused.get()}</p>
    }
    .into_any()
}
