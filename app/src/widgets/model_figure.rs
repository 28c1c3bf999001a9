//! The figure of a model: the frame of every widget, filled from what the model declares and `content/figures` says of it.

use leptos::prelude::*;
use ringside_core::declare::Model;
use ringside_figures::Examples;

use super::Props;
use super::controls::Drawn;
use super::explore::{self, Explore};
use super::model_input::ModelInput;
use super::my_setup::{self, MySetup};
use crate::ui::figure::Figure;
use crate::ui::output::why_no_result;
use crate::ui::presets::presets;
use crate::ui::state::State;

/// A [`Figure`] of `M`. On a page of which it is a small part it has neither examples nor "More controls".
#[component]
pub(super) fn ModelFigure<M: Model>(
    /// What the page gave.
    props: Props,
    /// The parameters.
    state: State<M>,
    /// The state in a few words.
    #[prop(into)]
    subtitle: Signal<String>,
    /// The model that it is about, where that may be the learner's own: a file dropped on the figure is read as one.
    #[prop(into, optional_no_strip)]
    input: Option<ModelInput>,
    /// What the drawing says now, in sentences.
    #[prop(into)]
    finding: Signal<String>,
    /// Small print, where it is computed and not the figure's own.
    #[prop(into, optional_no_strip)]
    notes: Option<Signal<String>>,
    /// States worth looking at, where the model knows them and not the figure's file.
    #[prop(optional_no_strip)]
    examples: Option<&'static Examples>,
    /// Its controls.
    controls: Drawn,
    /// What plays the drawing.
    #[prop(into, optional_no_strip)]
    transport: Option<AnyView>,
    /// What need not be seen with the drawing.
    #[prop(optional_no_strip)]
    below: Option<AnyView>,
    /// The numbers behind the drawing: made when they are first asked for.
    #[prop(into)]
    table: ViewFn,
    /// The drawing and its legend, and nothing else.
    children: Children,
) -> impl IntoView {
    let Drawn { main, more, more_is_set, .. } = controls;
    let figure = const { ringside_figures::find(M::ID).expect("content/figures has a file for every figure") };
    let notes = notes.unwrap_or_else(|| Signal::stored(figure.notes.to_owned()));
    let examples = examples.unwrap_or(&figure.examples);
    let presets = (!props.compact && !examples.all.is_empty()).then(|| presets(state, examples));
    let why = why_no_result();
    let finding = Signal::derive(move || why().unwrap_or_else(|| finding.get()));
    let MySetup { tool, said } = my_setup::offer(M::ENTRY, props.query);
    let explore = (!props.compact).then(|| explore::offer(M::ENTRY, props.query));
    let (explore, panel) = explore.map_or((None, None), |Explore { tool, panel }| (Some(tool), Some(panel)));
    let tool = view! { {tool} {explore} }.into_any();
    let decision = (!props.compact).then(|| explore::decision(M::ENTRY, props.query)).flatten();
    let below = match decision {
        Some(decision) => Some(view! { {decision} {below} }.into_any()),
        None => below,
    };
    let figure = view! {
        <Figure
            id=M::ID
            title=M::TITLE
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            tool=Some(tool)
            said
            panel
            finding
            notes
            presets
            main
            more=more.filter(|_| !props.compact)
            more_is_set
            transport
            below
            table
        >
            {children()}
        </Figure>
    };
    match input {
        Some(input) => input.drop_zone(figure.into_any()),
        None => figure.into_any(),
    }
}
