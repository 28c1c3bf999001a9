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
use super::{Module, Props, played};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

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
    let controls = Controls::of(state).special("model", input.choose_any()).draw();
    let picture = move || params.with(|p| shown.with(|routed| drawing::picture(p, routed, step.get())));
    view! {
        <ModelFigure
            props
            state
            input
            subtitle
            finding=Signal::derive(move || still.with(|p| shown.with(|routed| p.finding(routed))))
            controls
            transport=view! { <Transport steps step set playback place alone=props.alone /> }.into_any()
            below=Some(view! { {shown.readings(still)} {input.panel()} }.into_any())
            table=move || table(shown)
        >
            {shown.frame(view! { <div class="moe" use:renewed=picture></div> }.into_any())}
        </ModelFigure>
    }
    .into_any()
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
