//! What adapters save: a GPU in full, with LoRA and with QLoRA; parameters over the rank; many adapters on one base.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::memory::Concept;
use ringside_core::post_training::adapters::figure::{Params, Shown, View};
use ringside_core::post_training::held::Tune;
use ringside_core::quantity::{Unit, grouped};
use ringside_drawing::charts::lora_adapters;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome;
use super::{Module, Props};
use crate::ui::chart;
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// What each way is called.
const NAMES: [&str; 3] = ["In full", "LoRA", "QLoRA"];

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let shown = outcome::Shown::new(params, Params::evaluate, |p| *p);
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| state.update(|p| p.model = model));
    let show = Memo::new(move |_| params.with(|p| p.view));
    let size = Signal::derive(move || params.with(|p| p.model.size().map_or(0.0, |size| size.params)));
    let controls = Controls::of(state).special("model", input.select(size, None)).draw();
    let of = move |draw: fn(&Params, &Shown) -> ringside_drawing::chart::Chart| {
        let drawn = Memo::new(move |_| params.with(|p| shown.with(|s| Some(draw(p, s)))).unwrap_or_default());
        chart::view("lora-chart", drawn)
    };
    let bars = move || params.with(|p| shown.with(|s| bars(p, s)));
    let drawing = move || match show.get() {
        View::Memory => view! { <div class="lora" use:renewed=bars></div> }.into_any(),
        View::Rank => of(lora_adapters::rank).into_any(),
        View::Serving => of(lora_adapters::serving).into_any(),
    };
    let below = view! {
        {shown.readings(params)}
        {input.panel()}
    };
    view! {
        <ModelFigure
            props
            state
            input
            subtitle=Signal::derive(move || params.with(Params::in_words))
            finding=Signal::derive(move || params.with(|p| shown.with(|s| p.finding(s))))
            controls
            below=Some(below.into_any())
            table=move || table(shown)
        >
            {shown.frame(drawing.into_any())}
        </ModelFigure>
    }
    .into_any()
}

/// A bar for each way, of the same scale, with the GPU's memory.
fn bars(params: &Params, shown: &Shown) -> String {
    let capacity = params.gpu.memory.0;
    let most = Tune::ALL.map(|tune| shown.total(tune)).into_iter().fold(capacity, f64::max) * 1.02;
    let mut html = String::from("<ul class=\"legend lora-legend\">");
    for concept in Concept::ALL.into_iter().filter(|c| *c != Concept::KvCache) {
        // Writing to a string does not fail.
        let _ = write!(html, "<li><i class=\"swatch {}\"></i>{}</li>", concept.id(), concept.in_text());
    }
    let _ = write!(html, "<li><i class=\"swatch capacity\"></i>{}</li></ul>", params.gpu.with_memory());
    for (tune, name) in Tune::ALL.into_iter().zip(NAMES) {
        let parts = shown.held[tune as usize].parts;
        let total = Unit::Bytes.format(shown.total(tune));
        let _ = write!(
            html,
            "<div class=\"lora-row\"><b>{name}</b><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{name}: {total}\">"
        );
        let mut x = 0.0;
        for concept in Concept::ALL {
            let wide = 100.0 * parts.of(concept).0 / most;
            let _ = write!(
                html,
                "<rect class=\"{}\" x=\"{x:.3}\" y=\"0\" width=\"{wide:.3}\" height=\"10\"/>",
                concept.id()
            );
            x += wide;
        }
        let _ = write!(
            html,
            "<path class=\"capacity\" d=\"M{:.3} -1V11\"/></svg><span>{total}</span></div>",
            100.0 * capacity / most
        );
    }
    let files = [("Model on disk", shown.model_bytes()), ("Adapter on disk", shown.adapter_bytes())];
    html.push_str("<p class=\"lora-files\">");
    for (name, bytes) in files {
        let _ = write!(html, "<span>{name} <b>{}</b></span>", Unit::Bytes.format(bytes));
    }
    let _ = write!(
        html,
        "<span>Trained <b>{}</b> of <b>{}</b></span></p>",
        grouped(shown.adapter.params()),
        grouped(shown.held[0].params as u64)
    );
    html
}

/// The adapted matrices.
fn table(shown: outcome::Shown<Shown>) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let rank = s.adapter.rank;
            let row = |m: &ringside_core::post_training::adapters::Adapted| {
                let all = rank.saturating_mul(m.inputs.saturating_add(m.outputs)).saturating_mul(m.count);
                view! {
                    <tr>
                        <th scope="row">{m.name}</th>
                        <td class="number">{grouped(m.inputs)}</td>
                        <td class="number">{grouped(m.outputs)}</td>
                        <td class="number">{grouped(m.count)}</td>
                        <td class="number">{grouped(all)}</td>
                    </tr>
                }
            };
            Some(s.adapter.matrices.iter().map(row).collect_view())
        })
    };
    view! {
        <Table
            columns=[
                words("Matrix"),
                numbers("inputs"),
                numbers("outputs"),
                numbers("how often"),
                numbers("parameters of A and B"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
