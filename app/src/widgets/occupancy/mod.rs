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
use super::{Module, Props, readings};
use crate::ui::presets::{Preset, presets};
use crate::ui::{self, chart};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// Kernels whose registers and shared memory were published, and launches that show a limit.
const PRESETS: &[Preset] = &[
    (
        "Tiled matmul, 32 × 32 (Boehm)",
        "gpu=rtx-3090&block_size=1024&regs_per_thread=37&dynamic_smem=0&static_smem=8192",
    ),
    ("FlashAttention-2, 128 × 64", "gpu=a100-80&block_size=128&regs_per_thread=255&dynamic_smem=65536"),
    ("FlashAttention-2, 64 × 64", "gpu=a100-80&block_size=128&regs_per_thread=180&dynamic_smem=49152"),
    ("PyTorch’s top-k", "gpu=a100-80&block_size=256&regs_per_thread=40&dynamic_smem=0"),
    ("A copy", "gpu=h100-80&block_size=256&regs_per_thread=16&dynamic_smem=0"),
    ("A copy of float4", "gpu=h100-80&block_size=256&regs_per_thread=16&dynamic_smem=0&load_bytes=16"),
    ("A block of one warp", "gpu=h100-80&block_size=32&regs_per_thread=32&dynamic_smem=0"),
];

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
            presets=presets(state, "Kernels", PRESETS.iter().copied(), |p| *p)
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
    let all = Memo::new(move |_| params.with(|p| shown.with(|h| p.quantities(h))));
    readings::view(&Params::ENTRY, all)
}
