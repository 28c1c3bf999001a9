//! Where the memory of one GPU goes, in training under ZeRO-0 to ZeRO-3 and any layout, or in inference, and whether it fits.
//!
//! What it draws of a result is markup (`ringside_drawing::memory`), of which the build makes the still picture of the first screen.

mod controls;
mod numbers;
mod pipeline;

use leptos::html;
use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::{Breakdown, Layout, Params};
use ringside_core::quantity::{grouped, number};
use ringside_drawing::memory::{Drawn, subtitle};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlInputElement};

use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::{Module, Props, export, outcome, readings};
use crate::deferred::deferred;
use crate::ui::markup::Markup;
use crate::ui::{self, dom};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

type Shown = outcome::Shown<Breakdown>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::evaluate, |p| Params { layout: Layout::default(), ..*p });
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let controls = controls::all(state, shown, input);
    let finding = Signal::derive(move || shown.error().unwrap_or_else(|| shown.with(Breakdown::finding)));
    let quantities = Memo::new(move |_| shown.with(|b| b.params.quantities(b)));
    let below = view! {
        {readings::all(&Params::ENTRY, quantities)}
        {(!props.compact).then(|| counted(state, shown))}
        {input.panel()}
        {(!props.compact).then(|| deferred(export::load, move |view: export::View| view(params.into(), Signal::stored(None))))}
    };
    view! {
        <ModelFigure
            subtitle=Signal::derive(move || params.with(subtitle))
            props
            state
            input
            finding
            notes=Signal::derive(move || shown.with(|b| b.notes.join(" ")))
            controls
            below=Some(below.into_any())
            table=move || deferred(numbers::load, move |view: numbers::View| view(shown))
        >
            {shown.frame(drawing(state, shown))}
        </ModelFigure>
    }
    .into_any()
}

/// The bars, the stages of a pipeline, the numbers and the verdict.
fn drawing(state: State, shown: Shown) -> AnyView {
    let drawn = Memo::new(move |_| state.params().with(|p| shown.with(|b| Drawn::of(p, b))));
    view! { {bars(state, drawn)} {pipeline::view(shown)} {readout(state, shown, drawn)} }.into_any()
}

/// A form of its own, so that the radio buttons of two figures on a page are two groups.
fn bars(state: State, drawn: Memo<Drawn>) -> AnyView {
    let root = NodeRef::<html::Form>::new();
    let markup = Memo::new(move |_| drawn.with(|d| d.plot.markup(false)));
    let had_focus = StoredValue::new(false);
    Markup::follow(root, markup, move |root| {
        let radios = dom::all(root, "input").into_iter().map(|radio| radio.unchecked_into::<HtmlInputElement>());
        for (radio, row) in radios.zip(drawn.with(|d| d.plot.rows.clone())) {
            radio.set_checked(row.selected);
            // Rows that were made anew have lost the focus.
            if row.selected && had_focus.get_value() && document().active_element() == document().body().map(Into::into)
            {
                // Without the focus it can still be chosen.
                let _ = radio.focus();
            }
        }
    });
    let chosen = move |event: web_sys::Event| {
        let radio = dom::closest(&event, "input").map(|radio| radio.unchecked_into::<HtmlInputElement>());
        if let Some(zero) = radio.and_then(|radio| radio.value().parse().ok()) {
            state.update(|p| p.zero = zero);
        }
    };
    view! {
        <form
            class="plot"
            node_ref=root
            inner_html=markup.get_untracked()
            on:change=chosen
            on:focusin=move |_| had_focus.set_value(true)
            on:focusout=move |event| had_focus.set_value(event.related_target().is_none())
            on:submit=|event| event.prevent_default()
        ></form>
    }
    .into_any()
}

/// The numbers and the verdict, with the button that makes it fit.
fn readout(state: State, shown: Shown, drawn: Memo<Drawn>) -> AnyView {
    let root = NodeRef::<html::Div>::new();
    let markup = Memo::new(move |_| drawn.with(|d| d.readout.markup(false)));
    Markup::follow(root, markup, |_| {});
    let pressed = move |event: web_sys::MouseEvent| {
        if dom::closest(&event, "button").is_none() {
            return;
        }
        if let Some(change) = untrack(|| shown.with(|b| b.suggestion().map(|s| s.change))) {
            state.update(|p| *p = p.with(&change).0);
            // The button goes; whoever pressed it by keyboard is left where it was.
            let said = root.get_untracked().and_then(|root| dom::find(AsRef::<Element>::as_ref(&root), ".verdict p"));
            let _ = said.map(|said| said.focus());
        }
    };
    view! { <div node_ref=root inner_html=markup.get_untracked() on:click=pressed></div> }.into_any()
}

/// Whose way of counting it is, what that comes to, and how many GPUs the layout has.
fn counted(state: State, shown: Shown) -> AnyView {
    let each = move || number(shown.with(Breakdown::bytes_per_param));
    let of = move || state.params().with(|p| (p.convention.author(), p.convention.source()));
    let gpus = move || state.params().with(|p| grouped(p.gpus() as u64));
    view! {
        <p class="fine">
            {each} " bytes per parameter before sharding, as " {move || of().0} " counts: " {move || of().1}
            ". tp × cp × pp × data-parallel ranks are " {gpus} " GPUs; experts are spread over ranks of dp × cp."
        </p>
    }
    .into_any()
}
