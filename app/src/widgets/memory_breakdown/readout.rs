//! Under the drawing: the numbers of the chosen stage, which are also its legend, and what would make it fit.

use leptos::html;
use leptos::prelude::*;
use ringside_core::memory::{Breakdown, Concept};
use ringside_core::quantity::{Unit, bytes_binary, bytes_decimal, number};

use super::{Shown, State, class, stage_name};
use crate::ui::output::Output;

/// The numbers, then the verdict.
pub(super) fn view(state: State, shown: Shown) -> impl IntoView {
    let concepts = Concept::ALL.map(|concept| {
        let value = Signal::derive(move || shown.with(|b| bytes(b, concept)));
        view! {
            <div class="reading">
                <dt><i class=format!("swatch {}", class(concept)) aria-hidden="true"></i>{concept.label()}</dt>
                <dd>
                    <Output quantity=concept.id() value unit=Unit::Bytes />
                    <small>{move || shown.with(|b| bytes_each(b, concept))}</small>
                </dd>
            </div>
        }
    });
    let total = Signal::derive(move || shown.with(|b| b.total.0));
    let stage = move || shown.with(|b| stage_name(b.params.zero).0);
    view! {
        <dl class="readings">
            {concepts.into_iter().collect_view()}
            <div class="reading total">
                <dt>"Total with " {stage}</dt>
                <dd>
                    <Output quantity="total" value=total unit=Unit::Bytes />
                    <small>{move || format!("= {}", bytes_binary(total.get()))}</small>
                </dd>
            </div>
        </dl>
        {verdict(state, shown)}
    }
}

fn bytes(b: &Breakdown, concept: Concept) -> f64 {
    match concept {
        Concept::Weights => b.weights.0,
        Concept::Gradients => b.gradients.0,
        Concept::Optimizer => b.optimizer.0,
    }
}

/// "master 4, momentum 4, variance 4 bytes", "2 bytes", "nothing".
fn bytes_each(b: &Breakdown, concept: Concept) -> String {
    let terms: Vec<_> = b.rows.iter().map(|r| &r.term).filter(|t| t.concept == concept).collect();
    match terms.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.formula(),
        many => {
            let each = many.iter().map(|t| match t.of {
                "" => format!("{} {}", t.id, number(t.bytes)),
                _ => t.id.to_owned(),
            });
            format!("{} bytes", each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn verdict(state: State, shown: Shown) -> impl IntoView {
    let fits = Memo::new(move |_| shown.with(|b| b.fits));
    let headline = move || {
        shown.with(|b| {
            let (margin, capacity) = (bytes_decimal(b.headroom.0.abs()), bytes_decimal(b.capacity.0));
            if b.fits {
                format!("Fits: {margin} of {capacity} left for activations and all else.")
            } else {
                format!("Does not fit: {margin} more than {capacity}.")
            }
        })
    };
    let sentence = move || shown.with(|b| b.suggestion.as_ref().map(|s| s.sentence.clone()));
    let change =
        Memo::new(move |_| shown.with(|b| b.suggestion.as_ref().filter(|s| !s.change.is_empty()).map(|s| s.params)));
    let text = NodeRef::<html::P>::new();
    let apply = move |_| {
        if let Some(params) = change.get_untracked() {
            state.set(&params);
            // The button goes; whoever pressed it by keyboard is left where it was.
            if let Some(text) = text.get_untracked() {
                let _ = text.focus();
            }
        }
    };
    view! {
        <div class="verdict" class:fits=fits>
            <p tabindex="-1" node_ref=text><b>{headline}</b> " " {sentence}</p>
            <button type="button" class="secondary" hidden=move || change.with(Option::is_none) on:click=apply>
                "Make it fit"
            </button>
        </div>
    }
}
