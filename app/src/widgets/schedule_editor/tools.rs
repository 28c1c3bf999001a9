//! What can be done to all of the board.

use leptos::prelude::*;
use ringside_core::pipeline::Schedule;
use ringside_core::pipeline::board::Board;

use super::{Editor, measures};

/// Buttons that change all of the board, and what could not be done.
pub(super) fn view(editor: Editor) -> AnyView {
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
            <button type="button" class="quiet" data-solves="" on:click=move |_| editor.load(Schedule::ZeroBubbleH1)>"Show ZB-H1"</button>
        </div>
        <p class="fine" role="status">{move || editor.refused.get()}</p>
    }
    .into_any()
}
