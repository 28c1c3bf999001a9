//! "My setup": the learner's own model, cluster and measurements, kept in the store, and carried by links.

use std::collections::BTreeMap;

use leptos::prelude::*;
use ringside_core::declare::Takes;
use ringside_core::hardware::{self, links};
use ringside_core::model::{ModelRef, presets};
use ringside_core::query::{Kind, ParamSpec, Query};
use ringside_core::setup::{JOB, MAX_NODE, MAX_NODES, Measured, SERVING, Setup, Times};

use crate::router::{self, address};
use crate::store::store;
use crate::ui::copy_link::copy_link;
use crate::ui::select::{Group, Select};
use crate::ui::unsaid::{self, NOT_SAID};
use crate::widgets::model_input::ModelInput;
use crate::widgets::my_setup::SETUP;
use crate::{data, page};

/// The place on the page, for links to it.
const PLACE: &str = "my-setup";

/// The setup in the store, as it is read.
fn kept() -> Memo<Setup> {
    Memo::new(|_| store().with(|doc| Setup::read(&doc.setup).0))
}

/// Changes what is kept. What of it cannot be read is left out from then on.
fn change(change: impl FnOnce(&mut Setup)) {
    store().update(|doc| {
        let mut setup = Setup::read(&doc.setup).0;
        change(&mut setup);
        doc.setup = setup.query().to_string();
    });
}

/// The address of a page that offers this setup.
fn link_to(setup: &Setup) -> String {
    format!("lab/?{}#{PLACE}", Query::new([(SETUP, setup.query().to_string())]))
}

/// A button that keeps what a lab measured, and what is kept.
pub(super) fn offer(measured: Vec<Measured>, times: Option<Times>) -> AnyView {
    let kept = kept();
    let measured = StoredValue::new((measured, times));
    let is_kept = move || kept.with(|setup| measured.with_value(|(list, times)| setup.has(list, times.as_ref())));
    let keep = move |_| measured.with_value(|(list, times)| change(|setup| setup.keep(list, times.as_ref())));
    view! {
        <p class="actions sans">
            <button type="button" disabled=is_kept on:click=keep>
                {move || if is_kept() { "Kept as my setup ✓" } else { "Keep these numbers as my setup" }}
            </button>
        </p>
        {move || {
            kept.with(|setup| {
                (!setup.is_empty())
                    .then(|| {
                        view! {
                            <section class="my-setup sans" aria-label="My setup">
                                <h3>"My setup"</h3>
                                {lines(setup)}
                                <p>
                                    <a href=format!("lab/#{PLACE}")>"Add your model and cluster"</a>
                                    ", then press “My setup” on any figure."
                                </p>
                            </section>
                        }
                    })
            })
        }}
    }
    .into_any()
}

/// What a setup says, line by line.
fn lines(setup: &Setup) -> AnyView {
    let lines =
        setup.in_words().into_iter().map(|(name, value)| view! { <dt>{name}</dt> <dd>{value}</dd> }).collect_view();
    view! { <dl class="facts">{lines}</dl> }.into_any()
}

/// What is kept, to be changed; and what a link brings.
pub(super) fn view() -> AnyView {
    let kept = kept();
    if address().hash().with_untracked(|hash| hash == PLACE) {
        request_animation_frame(|| {
            page::arrive(PLACE);
        });
    }
    let is_empty = move || kept.with(Setup::is_empty);
    view! {
        <section class="my-setup sans" id=PLACE aria-labelledby="my-setup-title">
            <h2 id="my-setup-title">"My setup"</h2>
            <p>
                "Your model, your cluster, your job and what the labs measured. Every figure that can use them has a button “My setup”."
            </p>
            {brought(kept)} {model(kept)} {cluster(kept)} {job(kept)} {measured(kept)}
            <p class="actions" hidden=is_empty>
                {copy_link("Copy a link to it", move || kept.with_untracked(link_to))}
                <button type="button" class="quiet" on:click=move |_| store().update(|doc| doc.setup.clear())>
                    "Forget it"
                </button>
            </p>
        </section>
    }
    .into_any()
}

/// The setup that the address carries, to be kept in the place of the learner's own.
fn brought(kept: Memo<Setup>) -> AnyView {
    let text = RwSignal::new(router::query().get(SETUP).unwrap_or_default().to_owned());
    let before = RwSignal::new(None::<String>);
    let keep = move |setup: &Setup| {
        before.set(Some(store().peek(|doc| doc.setup.clone())));
        store().update(|doc| doc.setup = setup.query().to_string());
    };
    let leave = move |_| {
        text.set(String::new());
        address().replace(&format!("{}/lab/#{PLACE}", data::base_path()));
    };
    let back = move |_| {
        if let Some(own) = before.get_untracked() {
            store().update(|doc| doc.setup = own);
            before.set(None);
        }
    };
    let shown = move || {
        let (setup, problems) = text.with(|text| (!text.is_empty()).then(|| Setup::read(text)))?;
        let problems = (!problems.is_empty()).then(|| {
            let list = problems.into_iter().map(|p| view! { <li>{p.message}</li> }).collect_view();
            view! { <div class="message" role="alert"><p>"Not all of the link could be used:"</p><ul>{list}</ul></div> }
        });
        let setup = StoredValue::new(setup);
        let is_kept = move || setup.with_value(|setup| kept.with(|kept| kept == setup));
        let nothing = setup.with_value(Setup::is_empty);
        Some(view! {
            <section class="brought" aria-label="The link’s setup">
                <h3>"The link brings a setup"</h3>
                {problems}
                {setup.with_value(lines)}
                <p class="actions">
                    <button
                        type="button"
                        disabled=move || nothing || is_kept()
                        on:click=move |_| setup.with_value(keep)
                    >
                        {move || if is_kept() { "Kept as my setup ✓" } else { "Keep it in place of mine" }}
                    </button>
                    <button type="button" class="quiet" on:click=leave>"Leave it"</button>
                    <Show when=move || before.with(|own| own.as_ref().is_some_and(|own| !own.is_empty()))>
                        <button type="button" class="quiet" on:click=back>"Back to mine"</button>
                    </Show>
                </p>
            </section>
        })
    };
    shown.into_any()
}

fn model(kept: Memo<Setup>) -> AnyView {
    let model = Signal::derive(move || kept.with(|setup| setup.model).unwrap_or_default());
    let input = ModelInput::new(model, |model| change(|setup| setup.model = Some(model)));
    let value = Signal::derive(move || match kept.with(|setup| setup.model) {
        Some(ModelRef::Preset(preset)) => preset.id,
        Some(ModelRef::Custom { .. }) => "custom",
        Some(ModelRef::Count(_)) => "count",
        None => "",
    });
    let set = move |id: &'static str| {
        if id.is_empty() {
            change(|setup| setup.model = None);
        } else if let Some(preset) = presets::find(id) {
            change(|setup| setup.model = Some(ModelRef::Preset(preset)));
        }
    };
    let groups = move || {
        let own = match value.get() {
            "custom" => Some(("custom", "Your config.json")),
            "count" => Some(("count", "A number of parameters")),
            _ => None,
        };
        let none = std::iter::once(("", NOT_SAID)).chain(own).collect();
        vec![
            Group { label: "", options: none },
            Group { label: "Models", options: presets::ALL.iter().map(|p| (p.id, p.name)).collect() },
        ]
    };
    let has_own = Memo::new(move |_| matches!(value.get(), "custom" | "count"));
    view! {
        <div class="control-grid">
            {move || {
                has_own.track();
                view! { <Select name="setup-model" label="Model" groups=groups() value set /> }
            }}
        </div>
        {input.drop_zone(input.panel())}
    }
    .into_any()
}

fn cluster(kept: Memo<Setup>) -> AnyView {
    let number = |name, label, most, get: fn(&Setup) -> Option<u64>, set: fn(&mut Setup, Option<u64>)| {
        let value = Signal::derive(move || kept.with(get));
        unsaid::number(name, label, [1, most], value, Callback::new(move |n| change(|setup| set(setup, n))))
    };
    let choice = |name, label, none, list, get: fn(&Setup) -> &'static str, set: fn(&mut Setup, &str)| {
        let value = Signal::derive(move || kept.with(get));
        unsaid::choice(name, label, none, list, value, Callback::new(move |id| change(|setup| set(setup, id))))
    };
    let own = "as the GPU comes";
    view! {
        <div class="control-grid">
            {choice(
                "setup-gpu",
                "GPU",
                NOT_SAID,
                hardware::LIST,
                |setup| setup.gpu.map_or("", |gpu| gpu.id),
                |setup, id| setup.gpu = hardware::find(id),
            )}
            {number("setup-node", "GPUs per node", MAX_NODE, |setup| setup.node, |setup, n| setup.node = n)}
            {number("setup-nodes", "Nodes", MAX_NODES, |setup| setup.nodes, |setup, n| setup.nodes = n)}
            {choice(
                "setup-link",
                "Link inside a node",
                own,
                links::INSIDE_LIST,
                |setup| setup.link.map_or("", |link| link.id),
                |setup, id| setup.link = links::find(id),
            )}
            {choice(
                "setup-net",
                "Link between nodes",
                own,
                links::BETWEEN_LIST,
                |setup| setup.net.map_or("", |link| link.id),
                |setup, id| setup.net = links::find(id),
            )}
        </div>
    }
    .into_any()
}

/// How a step is made up, and how the GPUs share it.
fn job(kept: Memo<Setup>) -> AnyView {
    let field = |(what, spec): (Takes, ParamSpec)| {
        let value = Signal::derive(move || kept.with(|setup| setup.job.get(&what).copied()));
        let set = move |n: Option<u64>| {
            change(|setup| {
                match n {
                    Some(n) => setup.job.insert(what, n),
                    None => setup.job.remove(&what),
                };
            });
        };
        let Kind::Integer { min, max } = spec.kind else { return ().into_any() };
        unsaid::number(spec.name, spec.doc, [min, max], value, Callback::new(set)).into_any()
    };
    view! {
        <h3>"Training job"</h3>
        <div class="control-grid">{JOB.into_iter().take(SERVING).map(field).collect_view()}</div>
        <h3>"Server"</h3>
        <div class="control-grid">{JOB.into_iter().skip(SERVING).map(field).collect_view()}</div>
    }
    .into_any()
}

/// What labs measured, each to be dropped.
fn measured(kept: Memo<Setup>) -> AnyView {
    let rows = move || {
        let mut rows: BTreeMap<&'static str, (String, Callback<()>)> = kept.with(|setup| {
            let row = |(what, value): (&_, &f64)| {
                let what: ringside_core::setup::Measurable = *what;
                let drop = Callback::new(move |()| {
                    change(|setup| {
                        setup.measured.remove(&what);
                    });
                });
                (what.label(), (what.unit().format(*value), drop))
            };
            setup.measured.iter().map(row).collect()
        });
        if let Some(times) = kept.with(|setup| setup.times.clone()) {
            let text = format!("{} on {} ranks, {} sizes", times.op.label(), times.ranks, times.points.len());
            rows.insert("Times by size", (text, Callback::new(|()| change(|setup| setup.times = None))));
        }
        if rows.is_empty() {
            return view! { <p>"Nothing is measured yet: do a lab, paste what it prints, and keep the numbers."</p> }
                .into_any();
        }
        let rows = rows
            .into_iter()
            .map(|(label, (value, drop))| {
                view! {
                    <dt>{label}</dt>
                    <dd>
                        {value} " "
                        <button
                            type="button"
                            class="quiet"
                            aria-label=format!("Forget: {label}")
                            on:click=move |_| drop.run(())
                        >
                            "✕"
                        </button>
                    </dd>
                }
            })
            .collect_view();
        view! { <dl class="facts">{rows}</dl> }.into_any()
    };
    view! { <h3>"Measured"</h3> {rows} }.into_any()
}
