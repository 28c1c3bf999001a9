//! The frame around a widget: what it is called, its main controls, what its drawing says now, the drawing, and below that whatever
//! else there is: more sentences, tables, exports, the numbers and what they were checked against.
//!
//! Everything that a person needs at once is on one screen: `app/styles/figure.css` lays it out by the figure's own width, and
//! `tests/browser/figures.spec.ts` measures it.

use leptos::html;
use leptos::prelude::*;
use ringside_content::language::{COVERED, UNCOVER};
use ringside_core::query::{Problem, Query};
use ringside_drawing::caption;
use wasm_bindgen::JsCast as _;
use web_sys::{CustomEvent, CustomEventInit, HtmlElement};

use super::copy_link::copy_link;
use super::later::Later;
use super::more::More;
use super::{dom, link, unique_id};
use crate::router;

/// The event by which a figure is put into a state, as its `data-query` has it: `detail` is the text of a query.
const SET_STATE: &str = "ringside-set";

/// Lets `query` be set by that event.
pub fn take_states(root: &HtmlElement, query: RwSignal<Query>) {
    dom::on(root, SET_STATE, move |event| {
        let text = event.dyn_into::<CustomEvent>().ok().and_then(|event| event.detail().as_string());
        query.set(Query::parse(&text.unwrap_or_default()));
    });
}

/// Puts a figure into a state: now, or as soon as it is alive.
pub fn set_state(figure: &HtmlElement, query: &str) {
    dom::set(figure, "data-query", query);
    let init = CustomEventInit::new();
    init.set_detail(&query.into());
    if let Ok(event) = CustomEvent::new_with_event_init_dict(SET_STATE, &init) {
        // Nobody cancels it.
        let _ = figure.dispatch_event(&event);
    }
}

/// Milliseconds after which the caption is at rest.
pub const CAPTION_RESTS: u32 = 700;

/// What a figure that waits for a prediction finds in its context: its drawing stands there, and what it says is withheld.
#[derive(Clone, Copy)]
pub struct Withheld {
    /// Whether it still is.
    pub is: Memo<bool>,
    /// Shows it without a prediction.
    pub show: Callback<()>,
}

/// What a figure in which a mission's decision is made finds in its context. It has the controls that decide and its drawing; examples, other
/// controls, findings and numbers are left out, because they would make the decision.
#[derive(Clone, Copy)]
pub struct Deciding {
    free: StoredValue<Vec<String>>,
}

impl Deciding {
    /// The decision is made of these parameters.
    pub fn of(free: &[String]) -> Self {
        Self { free: StoredValue::new(free.to_vec()) }
    }

    /// That of the figure that is being made, if a decision is made in it.
    pub fn here() -> Option<Self> {
        use_context()
    }

    /// Whether this parameter decides.
    pub fn decides(self, name: &str) -> bool {
        self.free.with_value(|free| free.iter().any(|one| one == name))
    }
}

/// What a task's figure finds in its context: the parameters that the task fixes, whose controls are seen and can't be used.
#[derive(Clone, Copy)]
pub struct Fixed(StoredValue<Vec<String>>);

impl Fixed {
    /// These parameters.
    pub fn of(names: &[String]) -> Self {
        Self(StoredValue::new(names.to_vec()))
    }

    /// Whether a task fixes this parameter of the figure that is being made.
    pub fn has(name: &str) -> bool {
        use_context::<Self>().is_some_and(|fixed| fixed.0.with_value(|names| names.iter().any(|one| one == name)))
    }
}

/// What a talk calls the figure that it shows, in the context of the figure; empty where it is called as always.
#[derive(Clone, Copy)]
pub struct Titled(pub Signal<String>);

/// A figure. Its element bears `data-widget`, and `data-query`, its state; that of its drawing bears `data-drawing`.
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
    /// Whether it stands on its own page, of which its title is the heading.
    alone: bool,
    /// What could not be used of a link; the learner can close the list.
    problems: RwSignal<Vec<Problem>>,
    /// What the drawing says now, in sentences. The first stands over the drawing, in bold.
    #[prop(into)]
    finding: Signal<String>,
    /// Small print, if any.
    #[prop(into)]
    notes: Signal<String>,
    /// States worth looking at: a row of [`super::presets`].
    #[prop(optional_no_strip)]
    presets: Option<AnyView>,
    /// A tool of its own, beside those of every figure.
    #[prop(optional_no_strip)]
    tool: Option<AnyView>,
    /// What such a tool has to say.
    #[prop(optional_no_strip)]
    said: Option<AnyView>,
    /// What such a tool opens under the drawing. It is projected and printed.
    #[prop(optional_no_strip)]
    panel: Option<AnyView>,
    /// The two to four controls that matter most: their fields, without anything around them.
    main: AnyView,
    /// Every other control: fields, without anything around them.
    #[prop(optional_no_strip)]
    more: Option<AnyView>,
    /// Whether any of those is set to something else than its default.
    #[prop(optional, into)]
    more_is_set: Signal<bool>,
    /// What plays the drawing: a [`super::transport::Transport`].
    #[prop(optional_no_strip)]
    transport: Option<AnyView>,
    /// What need not be seen with the drawing: readings, tables, secondary views, exports. It is not projected.
    #[prop(optional_no_strip)]
    below: Option<AnyView>,
    /// The numbers behind the drawing: made when they are first asked for.
    #[prop(into)]
    table: ViewFn,
    /// The drawing and its legend, and nothing else.
    children: Children,
) -> impl IntoView {
    let (finding, notes) = (Memo::new(move |_| finding.get()), Memo::new(move |_| notes.get()));
    let title_id = unique_id("figure");
    let labelledby = title_id.clone();
    let root = NodeRef::<html::Figure>::new();
    Effect::new(move |_| {
        if let Some(root) = root.get() {
            take_states(&root, query);
        }
    });
    let plays = transport.is_some();
    let is_deciding = Deciding::here().is_some();
    let (presets, panel, below) = if is_deciding { (None, None, None) } else { (presets, panel, below) };
    let waits = use_context::<Withheld>();
    let withheld = move || waits.is_some_and(|waits| waits.is.get());
    let heading = if alone {
        view! { <h1 class="figure-title" id=title_id>{title}</h1> }.into_any()
    } else {
        let titled = use_context::<Titled>();
        // What only adds to the figure's own title is told by its state.
        let own = move || titled.map(|titled| titled.0.get()).filter(|own| !own.is_empty() && !own.starts_with(title));
        view! { <p class="figure-title" id=title_id>{move || own().unwrap_or_else(|| title.to_owned())}</p> }.into_any()
    };
    view! {
        <div class="figure-room">
            <figure
                class="figure sans"
                class:plays=plays
                class:withheld=withheld
                class:deciding=is_deciding
                data-widget=id
                data-query=move || query.with(ToString::to_string)
                aria-labelledby=labelledby
                node_ref=root
            >
                <div class="figure-head">
                    {heading}
                    <p class="figure-subtitle">{subtitle}</p>
                    {(!is_deciding).then(|| view! { <Tools id title query alone tool /> })}
                </div>
                <div class="figure-alert"><Problems problems /> {said}</div>
                {presets.map(|presets| view! { <div class="figure-presets" inert=withheld>{presets}</div> })}
                <div class="stage">
                    <div class="deck" inert=withheld>
                        // Radio buttons of two figures on a page are two groups because their forms are two.
                        <form class="controls" autocomplete="off" on:submit=|event| event.prevent_default()>
                            <More id main more is_set=more_is_set alone />
                        </form>
                        {transport.map(|transport| view! { <div class="figure-transport">{transport}</div> })}
                    </div>
                    {(!is_deciding).then(|| view! { <Lead finding waits /> })}
                    <div class="drawing" data-drawing="" inert=withheld>{children()}</div>
                </div>
                {panel.map(|panel| view! { <div class="figure-panel" inert=withheld>{panel}</div> })}
                {below.map(|below| view! { <div class="figure-below" inert=withheld>{below}</div> })}
                {(!is_deciding)
                    .then(|| view! { <Caption id finding notes table withheld=Signal::derive(withheld) /> })}
            </figure>
        </div>
    }
}

/// The first sentence of the finding, or that it is withheld. While the learner drags, it changes at every step: it is busy until it rests, and
/// announced once.
#[component]
fn Lead(finding: Memo<String>, waits: Option<Withheld>) -> impl IntoView {
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
    let lead = move || match waits {
        Some(waits) if waits.is.get() => {
            let show = move |_| waits.show.run(());
            let lang = router::language();
            let button = view! { <button type="button" class="quiet" on:click=show>{UNCOVER.to(lang)}</button> };
            view! { <span lang=lang.marked()>{COVERED.to(lang)} " " {button}</span> }.into_any()
        }
        _ => view! { <b>{move || finding.with(|text| caption::sentences(text).0.to_owned())}</b> }.into_any(),
    };
    // On paper nothing can be uncovered.
    let on_paper = move || {
        let waits = waits.is_some_and(|waits| waits.is.get());
        waits.then(|| finding.with(|text| caption::sentences(text).0.to_owned()))
    };
    view! {
        <p
            class="finding"
            aria-live="polite"
            aria-atomic="true"
            aria-busy=move || busy.get().to_string()
            data-on-paper=on_paper
        >
            {lead}
        </p>
    }
}

/// What else the drawing says, the small print, the numbers, and what they were checked against.
#[component]
fn Caption(
    id: &'static str,
    finding: Memo<String>,
    notes: Memo<String>,
    table: ViewFn,
    withheld: Signal<bool>,
) -> impl IntoView {
    let numbers = NodeRef::<html::Details>::new();
    let open = RwSignal::new(false);
    let toggled = move |_| open.set(numbers.get_untracked().is_some_and(|details| details.open()));
    let others = move || finding.with(|text| caption::sentences(text).1.trim_start().to_owned());
    view! {
        <figcaption inert=withheld>
            <div class="caption-row">
                <p class="finding-rest">{others}</p>
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
    }
}

#[component]
fn Tools(
    id: &'static str,
    title: &'static str,
    query: RwSignal<Query>,
    alone: bool,
    tool: Option<AnyView>,
) -> impl IntoView {
    let href = move || query.with(|q| link::to_widget(id, q));
    view! {
        <div class="figure-tools">
            {copy_link("Copy link", move || link::to_widget(id, &query.get_untracked()))}
            {tool}
            {(!alone).then(|| view! { <a class="quiet" href=href>"Open alone"</a> })}
            <button type="button" class="quiet" data-project="">"Project"</button>
            <button type="button" class="quiet" data-share="">"Share"</button>
            <button type="button" class="quiet" data-lecture=href data-title=title>"Add to lecture"</button>
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
