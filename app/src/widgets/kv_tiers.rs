//! Fetch or recompute: seconds over the length of a prefix, from each tier.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, count, grouped};
use ringside_core::serving::tiers::{Outcome, Params, Tier};
use ringside_drawing::charts::kv_tiers::chart;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::presets::Preset;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// vLLM's three ways to copy, measured on an H100, and models and links for which it comes out otherwise.
const STATES: [Preset; 7] = [
    ("vLLM 0.11: a piece per layer", "model=llama-3-8b&tier=host&layout=layers"),
    ("vLLM 0.12: a piece per block", "model=llama-3-8b&tier=host&layout=block"),
    ("Copied by a kernel", "model=llama-3-8b&tier=host&layout=layers&copy=0.00000024"),
    ("No shared heads (Llama 2 7B)", "model=llama-2-7b&tier=host&layout=layers"),
    ("Disk", "model=llama-3-8b&tier=disk&layout=block&block=256"),
    ("Peer over 10 Gb/s Ethernet", "model=llama-3-8b&tier=peer&net=eth-10&layout=block&block=256"),
    ("DeepSeek-V3 on 8 H200", "model=deepseek-v3&gpu=h200-141&quant=fp8&tp=8&tier=peer&net=ndr&layout=block&block=64"),
];

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let input = ModelInput::serving(state);
    let shown = Shown::new(params, Params::evaluate, |_| Params::standard());
    let subtitle =
        Signal::derive(move || params.with(|p| format!("{}, {} prefix tokens", p.machine.words(), grouped(p.tokens))));
    let quantities = Memo::new(move |_| params.with(|p| shown.with(|o| p.quantities(o))));
    let drawn = Memo::new(move |_| params.with(|p| shown.with(|o| Some(chart(p, o)))).unwrap_or_default());
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || params.with(|p| shown.with(|o| p.finding(o))))
            notes="Nothing else is copied, and the pass has the GPUs for itself. The fixed cost per copy was measured between host and H100 and is used for \
                   every tier. Prices of memory and disk are assumptions."
                .to_owned()
            presets=ui::presets::presets(state, "States", STATES, Clone::clone)
            controls=Controls::of(state).special("model", input.choose_any()).draw()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(ui::chart::view("kv-tiers-chart", drawn))}
        </ModelFigure>
    };
    input.drop_zone(figure.into_any())
}

/// Every tier.
fn table(shown: Shown<Outcome>) -> AnyView {
    let rows = move || {
        shown.with(|o| {
            let row = |tier: Tier| {
                let i = tier as usize;
                let faster = if o.here.fetches(tier) { "fetch" } else { "recompute" };
                view! {
                    <tr>
                        <th scope="row">{tier.label()}</th>
                        <td class="number">{Unit::Seconds.format(o.here.from(tier))}</td>
                        <td class="number">{Unit::Seconds.format(o.here.recompute)}</td>
                        <td>{faster}</td>
                        <td class="number">{o.breaks_even[i].map_or_else(|| "never".to_owned(), grouped)}</td>
                        <td class="number">{count(o.capacity[i])}</td>
                        <td class="number">
                            {o.worth_keeping(tier).map_or_else(|| "always".to_owned(), |s| Unit::Seconds.format(s))}
                        </td>
                    </tr>
                }
            };
            Some(Tier::ALL.into_iter().map(row).collect_view())
        })
    };
    view! {
        <Table
            columns=[
                words("Tier"),
                numbers("Fetch"),
                numbers("Recompute"),
                words("Faster"),
                numbers("Break-even prefix"),
                numbers("Capacity in tokens"),
                numbers("Longest time between uses that pays"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
