//! An SM with the blocks of a kernel in it: its warp slots, its resources, and what ran out.

mod numbers;
mod sm;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::occupancy::definition::Sm;
use ringside_core::occupancy::{Capability, Held, Over, Params};
use ringside_drawing::charts::occupancy as charts;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::outcome::Shown;
use super::{Module, Props};
use crate::ui::{self, chart};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let shown = Shown::new(params, Params::held, |p| Params { capability: Capability::OfGpu, sm_shared: None, ..*p });
    let own = |of: fn(&Sm) -> u64| Signal::derive(move || params.with(|p| of(&p.sm()) as f64));
    let set = |set: fn(&mut Params, Option<u64>)| move |number: f64| state.update(|p| set(p, Some(number as u64)));
    let cycles = Signal::derive(move || {
        params.with(|p| p.held().map_or(0.0, |held| (held.latency * p.gpu.chip_or_h100().clock).round()))
    });
    let controls = Controls::of(state)
        .number("max_threads_per_sm", own(|sm| sm.threads), set(|p, n| p.threads = n))
        .number("regs_per_sm", own(|sm| sm.registers), set(|p, n| p.sm_registers = n))
        .number("smem_per_sm", own(|sm| sm.shared), set(|p, n| p.sm_shared = n))
        .number("smem_per_block_optin", own(|sm| sm.block_shared_opt_in), set(|p, n| p.block_shared = n))
        .number("latency", cycles, set(|p, n| p.latency = n))
        .number("reserved_smem_per_block", own(|sm| sm.reserved), set(|p, n| p.reserved = n));
    let below = view! {
        <div class="occupancy">
            {curves(params, shown)}
            {quantities(params, shown)}
        </div>
    };
    view! {
        <ModelFigure
            props
            state
            subtitle=Signal::derive(move || params.with(Params::subtitle))
            finding=Signal::derive(move || params.with(Params::finding))
            notes=Signal::derive(move || params.with(Params::sources))
            controls=controls.draw()
            below=Some(below.into_any())
            table=move || numbers::view(params, shown)
        >
            {shown.frame(sm::view(params, shown))}
        </ModelFigure>
    }
    .into_any()
}

/// Resident warps over what a kernel's author decides on, and bandwidth over resident warps.
fn curves(params: Memo<Params>, shown: Shown<Held>) -> AnyView {
    let of = move |draw: fn(&Params, &Held) -> ringside_drawing::chart::Chart| {
        chart::view("occupancy-curve", Memo::new(move |_| params.with(|p| shown.with(|h| draw(p, h)))))
    };
    view! {
        <div class="occupancy-curves">
            {of(|p, h| charts::over(p, h, Over::Block))}
            {of(|p, h| charts::over(p, h, Over::Registers))}
            {of(|p, h| charts::over(p, h, Over::Shared))}
            {of(charts::reach)}
        </div>
    }
    .into_any()
}

fn quantities(params: Memo<Params>, shown: Shown<Held>) -> AnyView {
    shown.readings(params)
}
