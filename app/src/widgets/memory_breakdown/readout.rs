//! Under the drawing: the numbers of the chosen stage, which are also its legend, what would make it fit, and what no plan
//! can compute.

use leptos::html;
use leptos::prelude::*;
use ringside_core::memory::overhead::{PARTS, Range};
use ringside_core::memory::{Breakdown, Concept, Mode};
use ringside_core::quantity::{Unit, bytes_binary, bytes_decimal};

use super::{Shown, State, class, stage_name};
use crate::ui::output::Output;
use crate::ui::table::{Table, numbers, words};

/// The numbers, then the verdict.
pub(super) fn view(state: State, shown: Shown) -> impl IntoView {
    let concepts = Concept::ALL.map(|concept| {
        let value = Signal::derive(move || shown.with(|b| b.parts.of(concept).0));
        let beside = move || shown.with(|b| !is_listed(b, concept));
        view! {
            <div class="reading" class:nowhere=beside>
                <dt><i class=format!("swatch {}", class(concept)) aria-hidden="true"></i>{concept.label()}</dt>
                <dd>
                    <Output quantity=concept.id() value unit=Unit::Bytes />
                    <small>{move || shown.with(|b| b.each(concept))}</small>
                </dd>
            </div>
        }
    });
    let total = Signal::derive(move || shown.with(|b| b.total.0));
    let stage = move || {
        shown.with(|b| match b.params.mode {
            Mode::Training => format!("Total with {}", stage_name(b.params.mode, b.params.zero).0),
            Mode::Inference => "Total".to_owned(),
        })
    };
    let loaded = move || shown.with(|b| is_listed(b, Concept::Activations));
    view! {
        <dl class="readings" class:loaded=loaded>
            {concepts.into_iter().collect_view()}
            <div class="reading total">
                <dt>{stage}</dt>
                <dd>
                    <Output quantity="total" value=total unit=Unit::Bytes />
                    <small>{move || format!("= {}", bytes_binary(total.get()))}</small>
                </dd>
            </div>
        </dl>
        {verdict(state, shown)}
        {beside(shown)}
    }
}

/// Whether a concept is among the readings: what the mode has, and activations only if they are counted.
fn is_listed(b: &Breakdown, concept: Concept) -> bool {
    match (b.params.mode, concept) {
        (_, Concept::Weights) => true,
        (Mode::Training, Concept::Gradients | Concept::Optimizer) | (Mode::Inference, Concept::KvCache) => true,
        (Mode::Training, Concept::Activations) => b.params.seq.is_some(),
        _ => false,
    }
}

/// The ranges of what cannot be computed, each with who measured it.
fn beside(shown: Shown) -> AnyView {
    let text = |range: Range| format!("{} to {}", bytes_decimal(range.low.0), bytes_decimal(range.high.0));
    let rows = std::array::from_fn::<_, { PARTS.len() }, _>(|i| {
        let (name, source) = PARTS[i];
        let range = move || shown.with(|b| text(b.overhead.parts()[i]));
        let none = move || shown.with(|b| b.overhead.parts()[i].high.0 == 0.0);
        view! {
            <tr class:nowhere=none>
                <th scope="row">{name}</th>
                <td class="number">{range}</td>
                <td class="source">{source}</td>
            </tr>
        }
    });
    view! {
        <details class="beside">
            <summary>"Beside it: " {move || shown.with(|b| text(b.overhead.total()))} " that no plan can compute"</summary>
            <Table
                scroll="What no plan can compute"
                columns=[words("For"), numbers("Between"), words("Who measured it")]
                rows=rows.into_iter().collect_view().into_any()
            />
        </details>
    }
    .into_any()
}

fn verdict(state: State, shown: Shown) -> impl IntoView {
    let fits = Memo::new(move |_| shown.with(|b| b.fits));
    let said = Memo::new(move |_| shown.with(Breakdown::verdict));
    let headline = move || said.with(|[headline, _]| headline.clone());
    let rest = move || said.with(|[_, rest]| rest.clone());
    let suggestion = Memo::new(move |_| shown.with(Breakdown::suggestion));
    let sentence = move || suggestion.with(|s| s.as_ref().map(|s| s.sentence.clone()));
    let change = Memo::new(move |_| suggestion.with(|s| s.as_ref().filter(|s| !s.change.is_empty()).map(|s| s.params)));
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
            <p tabindex="-1" node_ref=text><b>{headline}</b> " " {sentence} {rest}</p>
            <button type="button" class="secondary" hidden=move || change.with(Option::is_none) on:click=apply>
                "Make it fit"
            </button>
        </div>
    }
}
