//! A warp at a branch: a row for each lane, a column for each instruction that the warp issues.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::execution::divergence::{LANES, Params, Step, Steps};

use super::{cells, legend};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};
use crate::widgets::controls::Controls;
use crate::widgets::model_figure::ModelFigure;
use crate::widgets::{Module, Props, readings};

/// Its code.
pub(in crate::widgets) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How it is played.
const PACE: Pace = Pace { whole: 16_000.0, longest: 900.0, shortest: 120.0 };
/// The step of a branch that is over, whatever its length.
const OVER: u64 = 128;

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let whole = Memo::new(move |_| params.with(|p| Params { step: OVER, ..*p }));
    let all = Memo::new(move |_| whole.get().steps());
    let steps = Signal::derive(move || all.with(Vec::len));
    let step = Memo::new(move |_| params.with(|p| all.with(|steps| p.shown(steps))));
    let place = Signal::derive(move || format!("Instruction {} of {}", step.get(), steps.get()));
    let set = move |to: usize| state.update(|p| p.step = if to == steps.get_untracked() { OVER } else { to as u64 });
    let quantities = Memo::new(move |_| params.with(|p| all.with(|steps| p.quantities(steps))));
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(|p| p.by.label().to_owned()))
            finding=Signal::derive(move || params.with(Params::finding))
            controls=Controls::of(state).draw()
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(all)
        >
            {drawing(all, step)}
        </ModelFigure>
    }
    .into_any()
}

fn drawing(all: Memo<Steps>, step: Memo<usize>) -> AnyView {
    let rows = move || {
        let shown = step.get();
        all.with(|steps| {
            let of = |lane: u32| -> Vec<&'static str> {
                let class = |(i, step): (usize, &Step)| match (i < shown, step.has(lane)) {
                    (false, _) => "",
                    (true, false) => "masked",
                    (true, true) if step.way == 0 => "math",
                    (true, true) if step.way % 2 == 1 => "load",
                    (true, true) => "ready",
                };
                steps.iter().enumerate().map(class).collect()
            };
            cells((0..LANES).map(of))
        })
    };
    let frame = move || all.with(|steps| format!("0 0 {} {LANES}", steps.len()));
    let heads = move || {
        all.with(|steps| {
            let head = |group: &[Step]| {
                let text = group.first().map_or("", |step| step.label.trim_end_matches(|c: char| c.is_ascii_digit()));
                let (wide, text) = (group.len().to_string(), text.trim().to_owned());
                view! { <span style:flex-grow=wide>{text}</span> }
            };
            steps.chunk_by(|a, b| a.way == b.way).map(head).collect_view()
        })
    };
    view! {
        <div class="warps divergence" aria-hidden="true">
            {legend(
                &[("math", "all lanes"), ("load", "the first way"), ("ready", "another way"), ("masked", "masked: the lane does nothing")],
            )}
            <div class="warps-heads">{heads}</div>
            <div class="warps-rows" style:--rows="32">
                <div class="warps-names"><span>"Lane 0"</span> <span>"Lane 31"</span></div>
                <svg viewBox=frame preserveAspectRatio="none" inner_html=rows></svg>
            </div>
        </div>
    }
    .into_any()
}

/// Every instruction and its lanes.
fn table(all: Memo<Steps>) -> AnyView {
    let rows = move || {
        all.with(|steps| {
            let row = |step: &Step| {
                view! {
                    <tr>
                        <th scope="row">{step.label.clone()}</th>
                        <td class="number">{step.mask.count_ones()}</td>
                        <td class="number">{format!("{:08x}", step.mask)}</td>
                    </tr>
                }
            };
            steps.iter().map(row).collect_view()
        })
    };
    view! {
        <Table columns=[words("Instruction"), numbers("Lanes"), numbers("Mask, hexadecimal")] rows=rows.into_any() />
    }
    .into_any()
}
