//! PyTorch's caching allocator, step by step, and the learner's own memory snapshot.

mod own;
mod picture;

use leptos::prelude::*;
use ringside_core::allocator::{Op, Params, Run, Snapshot};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{bytes_binary, grouped};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui::drop_zone::drop_zone;
use crate::ui::file;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// What is simulated.
const SIMULATED: &str = "Simulated: one device, one stream, PyTorch’s defaults.";
/// What the sizes are, of a simulated allocator and of a snapshot alike.
const SIZES: &str =
    "Sizes as torch.cuda.memory_stats() has them: allocated counts blocks, which are requests rounded up.";

/// How it is played.
const PACE: Pace = Pace { whole: 24_000.0, longest: 1400.0, shortest: 300.0 };

fn bytes(value: u64) -> String {
    bytes_binary(value as f64)
}

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let run = Memo::new(move |_| params.with(Params::run));
    // The program to its end, to count its steps.
    let whole = Memo::new(move |_| params.with(|p| Params { step: u64::MAX, ..*p }.run().program));
    let own = own::Own::new();
    if props.alone {
        file::on_handed_over(move |file| own.read(vec![file]));
    }
    let is_own = Memo::new(move |_| own.snapshot.with(Option::is_some));
    let drawn = Memo::new(move |_| own.snapshot.get().unwrap_or_else(|| run.with(Run::snapshot)));
    let steps = Signal::derive(move || whole.with(Vec::len));
    let step = Signal::derive(move || run.with(|r| r.step));
    let place = Signal::derive(move || {
        let (step, steps) = (step.get(), steps.get());
        let op = whole.with(|all| step.checked_sub(1).and_then(|i| all.get(i)).map(|op| what(op, all)));
        format!("Step {step} of {steps}{}", op.map(|op| format!(" · {op}")).unwrap_or_default())
    });
    let set = move |step: usize| {
        own.snapshot.set(None);
        state.update(|p| p.step = step as u64);
    };
    let subtitle = Signal::derive(move || match is_own.get() {
        true => own.name.get(),
        false => params.with(|p| {
            let grows = if p.expandable { ", expandable segments" } else { "" };
            format!("{}{grows}", p.scenario.label())
        }),
    });
    let finding = Signal::derive(move || match is_own.get() {
        true => drawn.with(Snapshot::finding),
        false => run.with(Run::finding),
    });
    let quantities = Memo::new(move |_| params.with(|p| run.with(|r| p.quantities(r))));
    let below = view! {
        <div>
            <Show when=move || !is_own.get()>
                {readings::view(&Params::ENTRY, quantities)}
            </Show>
            {own::view(own)}
        </div>
    };
    let device = Memo::new(move |_| (!is_own.get()).then(|| run.with(|r| r.now.memory)));
    let figure = view! {
        <ModelFigure
            props
            state
            subtitle
            finding
            notes=Signal::derive(move || if is_own.get() { SIZES.to_owned() } else { format!("{SIMULATED} {SIZES}") })
            controls=Controls::of(state).draw()
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=(!props.compact).then_some(below.into_any())
            table=move || table(drawn)
        >
            {picture::view(drawn, device)}
        </ModelFigure>
    };
    // With a snapshot on show, nothing is left of the simulated allocator.
    let figure = view! { <div class:own-file=is_own>{figure}</div> };
    drop_zone(move |files| own.read(files), figure.into_any())
}

/// A step in a few words.
fn what(op: &Op, all: &[Op]) -> String {
    match op {
        Op::Alloc { name, bytes: size } => format!("{name}: {}", bytes(*size)),
        Op::Free(request) => match all.get(*request as usize) {
            Some(Op::Alloc { name, .. }) => format!("free {name}"),
            _ => String::new(),
        },
    }
}

/// The segments as a table.
fn table(drawn: Memo<Snapshot>) -> AnyView {
    let rows = move || {
        drawn.with(|snapshot| {
            let row = |s: &ringside_core::allocator::Drawn| {
                view! {
                    <tr>
                        <th scope="row">{s.name.clone()}</th>
                        <td>{if s.small { "small" } else { "large" }}</td>
                        <td class="number">{bytes(s.reserved())}</td>
                        <td class="number">{bytes(s.bytes.allocated)}</td>
                        <td class="number">{bytes(s.bytes.free)}</td>
                        <td class="number">{bytes(s.bytes.longest_free)}</td>
                        <td class="number">{grouped(s.blocks)}</td>
                    </tr>
                }
            };
            snapshot.segments.iter().map(row).collect_view()
        })
    };
    let columns = [
        words("Segment"),
        words("pool"),
        numbers("reserved"),
        numbers("allocated"),
        numbers("free"),
        numbers("longest free block"),
        numbers("blocks"),
    ];
    view! {
        <Table columns rows=rows.into_any() />
        <p class="fine">{move || drawn.with(|d| picture::rest(d.more))}</p>
    }
    .into_any()
}
