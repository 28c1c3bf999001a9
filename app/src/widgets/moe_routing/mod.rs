//! Tokens to experts: scores, choices, room, both all-to-alls and who waits, one above the other, expert under expert.

mod drawing;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::moe::figure::{Params, Routed, STEPS};
use ringside_core::quantity::{Unit, counted, grouped, number};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::model_input::ModelInput;
use super::outcome::Shown;
use super::{Module, Props, played, readings};
use crate::ui;
use crate::ui::markup::renewed;
use crate::ui::presets::Preset;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// Why each of them exists.
const STATES: [Preset; 6] = [
    ("even", "model=mixtral-8x7b&skew=0"),
    ("collapse", "model=mixtral-8x7b&skew=3"),
    ("repaired by a bias", "model=mixtral-8x7b&skew=3&balance=bias"),
    ("one expert a token", "model=mixtral-8x7b&top-k=1&skew=1&capacity=1"),
    ("DeepSeek-V3 on 64 GPUs", "model=deepseek-v3&ep=64&capacity=0&sending=nodes&bits=8"),
    ("a step of decoding", "model=deepseek-v3&ep=64&capacity=0&sending=nodes&bits=8&tokens=64"),
];

/// How fast it is played.
const PACE: Pace = Pace { whole: 9_000.0, longest: 1_500.0, shortest: 600.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let model = Signal::derive(move || params.with(|p| p.model));
    let input = ModelInput::new(model, move |model| {
        state.update(|p| {
            let before = *p;
            p.model = model;
            p.follow(&before);
        })
    });
    // A step back and forth routes nothing anew.
    let still = played::whole(params);
    let shown = Shown::new(still, Params::evaluate, |p| Params { ep: 1, ..*p });
    let steps = Signal::stored(STEPS.len());
    // All of it is on show until somebody steps.
    let step = Signal::derive(move || match params.with(|p| p.step) as usize {
        0 => STEPS.len(),
        step => step.min(STEPS.len()),
    });
    let set = move |to: usize| state.update(|p| p.step = to.max(1) as u64);
    let place = Signal::derive(move || {
        let step = step.get();
        format!("{} of {}: {}", step, STEPS.len(), STEPS.get(step.saturating_sub(1)).copied().unwrap_or_default())
    });
    let playback = PACE.of(steps);
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let published = p.published();
            let gpus = counted(p.ep, "GPU", "GPUs");
            format!("{}, top {} of {}, {gpus}", published.name, p.router().top_k, grouped(published.experts))
        })
    });
    let quantities = Memo::new(move |_| still.with(|p| shown.with(|routed: &Routed| p.quantities(routed))));
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    let picture = move || params.with(|p| shown.with(|routed| drawing::picture(p, routed, step.get())));
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle
            finding=Signal::derive(move || still.with(|p| shown.with(|routed| p.finding(routed))))
            notes="Logits are drawn from a seed: tokens come in runs about one subject, each subject has experts that suit it, and “popular \
                   experts” says how much some suit every token. At most 512 tokens are routed; they stand for all. With few tokens for each \
                   expert, chance alone makes some busier. Times are of one layer, forward; links give 70% of their peak."
                .to_owned()
            presets=ui::presets::partial(state, "States", STATES)
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(view! { {readings::view(&Params::ENTRY, quantities)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(view! { <div class="moe" use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    };
    input.drop_zone(figure.into_any())
}

/// What each GPU holds, gets and does.
fn table(shown: Shown<Routed>) -> AnyView {
    let rows = move || {
        shown.with(|routed| {
            let row = |rank: usize| {
                let held = routed.layer.held as usize;
                let chosen: usize = routed.load.iter().skip(rank * held).take(held).sum();
                let worked = routed.traffic.worked.get(rank).copied().unwrap_or_default();
                let ports = |ports: &[[u64; 2]]| ports.get(rank).map_or(0, |[_, got]| *got);
                view! {
                    <tr>
                        <th scope="row">{grouped(rank as u64)}</th>
                        <td class="number">{grouped(chosen as u64)}</td>
                        <td class="number">{grouped(worked)}</td>
                        <td class="number">{grouped(ports(&routed.traffic.inside))}</td>
                        <td class="number">{grouped(ports(&routed.traffic.between))}</td>
                        <td class="number">
                            {Unit::Seconds.format(routed.times.experts.get(rank).copied().unwrap_or_default())}
                        </td>
                    </tr>
                }
            };
            (0..routed.place.ranks).map(row).collect_view()
        })
    };
    let caption = Signal::derive(move || {
        shown.with(|routed| format!("Each token of the sample stands for {}", number(routed.each)))
    });
    view! {
        <Table
            caption
            columns=[
                words("GPU"),
                numbers("chosen"),
                numbers("with room"),
                numbers("came inside the node"),
                numbers("came from other nodes"),
                numbers("experts"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
