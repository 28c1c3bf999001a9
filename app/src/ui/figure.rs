//! The frame around a widget: what it is called, its controls, its drawing, what the drawing says now, the numbers behind it,
//! and what those were checked against.

use leptos::html;
use leptos::prelude::*;
use ringside_core::query::{Problem, Query};
use ringside_drawing::caption;
use wasm_bindgen::JsCast as _;
use web_sys::{CustomEvent, HtmlElement};

use super::copy_link::copy_link;
use super::later::Later;
use super::{dom, link, unique_id};

/// The event by which a figure is put into a state, as its `data-query` has it: `detail` is the text of a query.
pub const SET_STATE: &str = "ringside-set";

/// Lets `query` be set by that event.
pub fn take_states(root: &HtmlElement, query: RwSignal<Query>) {
    dom::on(root, SET_STATE, move |event| {
        let text = event.dyn_into::<CustomEvent>().ok().and_then(|event| event.detail().as_string());
        query.set(Query::parse(&text.unwrap_or_default()));
    });
}

/// Milliseconds after which the caption is at rest.
pub const CAPTION_RESTS: u32 = 700;

/// A figure. Its root bears `data-widget`, and `data-query`, its state.
#[component]
pub fn Figure(
    /// The widget's id.
    id: &'static str,
    /// Its title.
    title: &'static str,
    /// The state in a few words.
    #[prop(into)]
    subtitle: Signal<String>,
    /// The state, for links to it.
    query: RwSignal<Query>,
    /// Whether it stands on its own page, which has the title already.
    alone: bool,
    /// What could not be used of a link; the learner can close the list.
    problems: RwSignal<Vec<Problem>>,
    /// What the drawing says now, in sentences. The first is set in bold.
    #[prop(into)]
    finding: Signal<String>,
    /// Small print, if any.
    #[prop(into)]
    notes: Signal<String>,
    /// The controls.
    controls: AnyView,
    /// The numbers behind the drawing: made when they are first asked for.
    #[prop(into)]
    table: ViewFn,
    /// The drawing and its legend.
    children: Children,
) -> impl IntoView {
    let (finding, notes) = (Memo::new(move |_| finding.get()), Memo::new(move |_| notes.get()));
    let title_id = unique_id("figure");
    let labelledby = title_id.clone();
    // While the learner drags, the caption changes at every step: it is busy until it rests, and announced once.
    let busy = RwSignal::new(false);
    let rest = Later::after(CAPTION_RESTS);
    Effect::new(move |before: Option<()>| {
        finding.track();
        if before.is_some() {
            if !busy.get_untracked() {
                busy.set(true);
            }
            rest.run(move || busy.set(false));
        }
    });
    let root = NodeRef::<html::Figure>::new();
    Effect::new(move |_| {
        if let Some(root) = root.get() {
            take_states(&root, query);
        }
    });
    let numbers = NodeRef::<html::Details>::new();
    let open = RwSignal::new(false);
    let toggled = move |_| open.set(numbers.get_untracked().is_some_and(|details| details.open()));
    let lead = move || finding.with(|text| caption::sentences(text).0.to_owned());
    let others = move || finding.with(|text| caption::sentences(text).1.to_owned());
    view! {
        <figure
            class="figure sans"
            class:alone=alone
            data-widget=id
            data-query=move || query.with(ToString::to_string)
            aria-labelledby=labelledby
            node_ref=root
        >
            <div class="figure-head">
                <p class="figure-title" id=title_id class:visually-hidden=alone>{title}</p>
                <p class="figure-subtitle">{subtitle}</p>
                <Tools id query alone />
            </div>
            <Problems problems />
            // Radio buttons of two figures on a page are two groups because their forms are two.
            <form class="controls" autocomplete="off" on:submit=|event| event.prevent_default()>{controls}</form>
            <div class="drawing">{children()}</div>
            <figcaption>
                <div class="caption-row">
                    <p class="finding" aria-live="polite" aria-atomic="true" aria-busy=move || busy.get().to_string()>
                        <b>{lead}</b>
                        {others}
                    </p>
                    {caption::compared_with(id).map(|html| view! { <details class="checked" inner_html=html></details> })}
                </div>
                <p class="fine" hidden=move || notes.with(String::is_empty)>{notes}</p>
                <details class="numbers" node_ref=numbers on:toggle=toggled>
                    <summary>"The numbers"</summary>
                    <div class="scroll" tabindex="0" role="group" aria-label="The numbers">
                        <Show when=move || open.get()>{table.run()}</Show>
                    </div>
                </details>
            </figcaption>
        </figure>
    }
}

#[component]
fn Tools(id: &'static str, query: RwSignal<Query>, alone: bool) -> impl IntoView {
    let href = move || query.with(|q| link::to_widget(id, q));
    view! {
        <div class="figure-tools">
            {copy_link("Copy link", move || link::to_widget(id, &query.get_untracked()))}
            {(!alone).then(|| view! { <a class="quiet" href=href>"Open alone"</a> })}
            <button type="button" class="quiet" data-project="">"Project"</button>
            <button type="button" class="quiet" data-share="">"Share"</button>
        </div>
    }
}

#[component]
fn Problems(problems: RwSignal<Vec<Problem>>) -> impl IntoView {
    view! {
        <div role="alert">
            <Show when=move || problems.with(|list| !list.is_empty())>
                <div class="message problems">
                    <div>
                        <p>"Not all of the link could be used:"</p>
                        <ul>
                            {move || {
                                problems.get().into_iter().map(|p| view! { <li>{p.message}</li> }).collect_view()
                            }}
                        </ul>
                    </div>
                    <button
                        type="button"
                        class="quiet"
                        aria-label="Close this list"
                        on:click=move |_| problems.set(Vec::new())
                    >
                        "✕"
                    </button>
                </div>
            </Show>
        </div>
    }
}
