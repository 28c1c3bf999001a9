//! A launch as people write it, the processes that it makes, and what they print.

mod nodes;
mod record;

use leptos::prelude::*;
use ringside_core::declare::{Model as _, Text as _};
use ringside_core::launch::{Launch, Outcome, Params, Script, Show};
use ringside_core::quantity::counted;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::lined::Lined;
use crate::ui::state::State;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    // Only what the launch depends on: looking at another process launches nothing anew.
    let still = Memo::new(move |_| params.with(|p| Params { node: 0, local: 0, ..p.clone() }));
    let show = Memo::new(move |_| params.with(|p| p.show));
    let launch = Memo::new(move |_| still.with(Params::launch));
    let quantities = Memo::new(move |_| params.with(|p| launch.with(|l| p.quantities(l))));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let (nodes, gpus) = (counted(p.nodes, "node", "nodes"), counted(p.gpus, "GPU", "GPUs"));
            format!("{nodes} of {gpus}, {}", p.case.label())
        })
    });
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || still.with(|p| launch.with(|l| p.finding(l))))
            controls=Controls::of(state).draw()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || nodes::table(launch)
        >
            <div class="launch">
                <div class="launch-seen">
                    {move || match show.get() {
                        Show::Launch => {
                            view! {
                                {nodes::view(state, launch)}
                                {log(params, launch)}
                                {nodes::process(params, launch)}
                            }
                                .into_any()
                        }
                        Show::Record => record::view(still, launch),
                    }}
                </div>
                <div class="launch-script">{script(state, launch)}</div>
            </div>
        </ModelFigure>
    }
    .into_any()
}

/// The script, to be changed.
fn script(state: State<Params>, launch: Memo<Launch>) -> AnyView {
    let params = state.params();
    let text = Signal::derive(move || params.with(Params::text));
    let refused = RwSignal::new(None::<String>);
    let set = move |text: String| {
        let mut script = Script::default();
        refused.set(script.read(&text).err());
        state.update(|p| p.script = script);
    };
    let remarks = Memo::new(move |_| params.with(|p| launch.with(|l| p.remarks(l))));
    let label = Signal::derive(move || {
        let manifest = launch.with(|l| l.kubernetes);
        if manifest { "Manifest: change it, or paste yours" } else { "Script: change it, or paste yours" }.to_owned()
    });
    let changed = move || params.with(|p| !p.script.0.is_empty());
    let back = move |_| {
        refused.set(None);
        state.update(|p| p.script = Script::default());
    };
    let withheld = move || params.with(|p| !p.explains()) && launch.with(|l| l.fault.is_some());
    let explain = move |_| state.update(|p| p.explain = true);
    view! {
        <Lined label text set remarks least=12 />
        <p class="fine" role="status">{move || refused.get()}</p>
        <div class="launch-tools">
            <button type="button" class="secondary" disabled=move || !changed() on:click=back>"As it was"</button>
            <button type="button" class="quiet" disabled=move || !withheld() on:click=explain>"Say what is wrong"</button>
        </div>
    }
    .into_any()
}

/// What is printed.
fn log(params: Memo<Params>, launch: Memo<Launch>) -> AnyView {
    let lines = move || {
        params.with(|p| {
            launch.with(|l| l.log(p.world()).into_iter().map(|line| view! { <span>{line}</span> }).collect_view())
        })
    };
    let outcome = move || {
        launch.with(|l| match l.outcome() {
            Outcome::Trains => "launch-log good",
            Outcome::Silent => "launch-log silent",
            Outcome::Unread => "launch-log",
            _ => "launch-log bad",
        })
    };
    view! {
        <div class=outcome data-answer="">
            <p>{move || launch.with(|l| l.outcome().label())}</p>
            <pre tabindex="0" role="group" aria-label="What is printed">{lines}</pre>
        </div>
    }
    .into_any()
}
