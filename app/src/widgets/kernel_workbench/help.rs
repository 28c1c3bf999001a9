//! What helps with a puzzle: hints, one at a time; a solution, which counts as looked up; the same kernel in CUDA and Triton,
//! and the way into PyTorch.

use leptos::prelude::*;
use ringside_core::kernels::workbench;
use ringside_shaders::puzzles::{CPP_EXTENSION, Puzzle};

use super::kept::{self, Work};
use crate::ui::{focus_soon, unique_id};

/// Hints and solution.
pub(super) fn view(puzzle: &'static Puzzle, work: Memo<Work>) -> AnyView {
    let hints = workbench::find(puzzle.id).map_or(&[][..], |p| p.hints);
    let opened = Memo::new(move |_| work.with(|w| w.hints).min(hints.len()));
    let all = move || opened.get() == hints.len();
    let list = StoredValue::new(unique_id("hints"));
    let hint = move |_| {
        kept::change(puzzle.id, |w| w.hints += 1);
        // The button goes with the last one.
        if untrack(all) {
            list.with_value(|id| focus_soon(id.clone()));
        }
    };
    let asked = RwSignal::new(false);
    let shown = RwSignal::new(false);
    let solution = StoredValue::new(unique_id("solution"));
    let reveal = move || {
        asked.set(false);
        shown.set(true);
        solution.with_value(|id| focus_soon(id.clone()));
    };
    let toggle = move |_| {
        if shown.get_untracked() {
            shown.set(false);
        } else if work.with_untracked(|w| w.solved || w.looked_up) {
            reveal();
        } else {
            asked.update(|asked| *asked = !*asked);
        }
    };
    let look_up = move |_| {
        kept::change(puzzle.id, |w| w.looked_up = true);
        reveal();
    };
    let items = move || hints.iter().take(opened.get()).map(|hint| view! { <li>{*hint}</li> }).collect_view();
    view! {
        <div class="puzzle-help">
            <ol class="hints" id=list.get_value() tabindex="-1" hidden=move || opened.get() == 0 aria-live="polite">{items}</ol>
            <div class="help-buttons">
                <button type="button" class="quiet" hidden=all on:click=hint>
                    {move || if opened.get() == 0 { "Hint" } else { "Another hint" }}
                </button>
                <button type="button" class="quiet" aria-expanded=move || shown.get().to_string() on:click=toggle>
                    {move || if shown.get() { "Hide the solution" } else { "Show a solution, also in CUDA and Triton" }}
                </button>
            </div>
            <Show when=move || asked.get()>
                <div class="message">
                    <p>"You have not solved this one yet. If you look now, it counts as looked up, whatever you write afterwards."</p>
                    <div class="bench-actions">
                        <button type="button" class="secondary" on:click=look_up>"Look it up"</button>
                        <button type="button" class="quiet" on:click=move |_| asked.set(false)>"Go on trying"</button>
                    </div>
                </div>
            </Show>
            <div id=solution.get_value() tabindex="-1">
                <Show when=move || shown.get()>{side_by_side(puzzle)}</Show>
            </div>
        </div>
    }
    .into_any()
}

/// The solution in three languages, and how PyTorch comes to call the second.
fn side_by_side(puzzle: &'static Puzzle) -> AnyView {
    let listing = |language: &'static str, by: &'static str, code: String| {
        view! {
            <div class="listing">
                <p class="listing-name">
                    <b>{language}</b>
                    " "
                    {by}
                </p>
                <pre tabindex="0" aria-label=format!("The kernel in {language}")><code>{code}</code></pre>
            </div>
        }
    };
    let solution = puzzle.frame().solution;
    view! {
        <div class="listings">
            {listing("WGSL", "the body of main", solution.trim_end().to_owned())}
            {listing("CUDA", "one thread; to be read, not run here", puzzle.cuda.trim_end().to_owned())}
            {listing("Triton", "one block of threads; to be read, not run here", puzzle.triton.trim_end().to_owned())}
        </div>
        <details class="fold">
            <summary>"From here to PyTorch: torch.utils.cpp_extension"</summary>
            <p class="fine">
                "load_inline compiles CUDA source when the program runs and returns a Python module. Below, the kernel of the puzzle
                Guard becomes a function of tensors; any other goes the same way. The chapter says what training asks for besides."
            </p>
            <pre tabindex="0" aria-label="A CUDA kernel as a function of PyTorch"><code>{CPP_EXTENSION.trim_end()}</code></pre>
        </details>
    }
    .into_any()
}
