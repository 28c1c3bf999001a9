//! What helps with a puzzle: its hints and its solution, the same kernel in CUDA and Triton, and the way into PyTorch.

use leptos::prelude::*;
use ringside_core::kernels::workbench;
use ringside_learner::workbench::Work;
use ringside_shaders::puzzles::{CPP_EXTENSION, Puzzle};

use crate::ui::dom;
use crate::widgets::puzzles::help::{self, Help};

/// Hints and solution.
pub(super) fn view(puzzle: &'static Puzzle, work: Memo<Work>) -> AnyView {
    let hints = workbench::find(puzzle.id).map_or(&[][..], |p| p.hints);
    let help = Help {
        key: puzzle.id.to_owned(),
        hints: hints.iter().map(|hint| dom::escaped(hint)).collect(),
        show: "Show a solution, also in CUDA and Triton",
        solution: ViewFn::from(move || side_by_side(puzzle)),
    };
    help::view(help, work)
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
