//! The controls.

use leptos::prelude::*;
use ringside_core::attention::algorithm::{Algo, Direction};
use ringside_core::attention::{Dtype, ENTRY, MAX_SEQ, Params};
use ringside_core::quantity::{Unit, grouped};

use super::State;
use crate::ui::presets::{Preset, presets};
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};
use crate::widgets::param;

/// States worth looking at.
const PRESETS: &[Preset] = &[
    ("FlashAttention", "step=40"),
    ("FlashAttention-2", "algo=flash2&step=40"),
    ("Standard", "algo=standard&step=40"),
    ("Causal mask", "algo=flash2&causal=true&block_q=64&block_k=64&step=70"),
    ("Backward", "pass=backward&step=40"),
    ("16 tokens", "seq=16&head_dim=2&heads=1&block_q=4&block_k=4&algo=flash2&row=5&step=6"),
    (
        "32 768 tokens",
        "seq=32768&head_dim=128&heads=32&block_q=128&block_k=128&algo=flash2&causal=true&step=20000&row=20000",
    ),
];

/// All of them.
pub(super) fn all(state: State) -> AnyView {
    view! {
        {presets(state, "Examples", PRESETS.iter().copied(), |p| Params { step: 0, ..*p })}
        <div class="control-row">{algorithm(state)} {direction(state)} {causal(state)} {dtype(state)}</div>
        <div class="control-grid">
            {size(state, "seq", "Tokens", 16, |p| &mut p.seq)} {size(state, "head_dim", "Head dimension", 9, |p| &mut p.head_dim)}
            {size(state, "heads", "Heads", 8, |p| &mut p.heads)} {sram(state)}
            {block(state, "block_q", "Rows of a tile", |p| &mut p.block_q)}
            {block(state, "block_k", "Columns of a tile", |p| &mut p.block_k)}
        </div>
    }
    .into_any()
}

/// Those that matter most.
pub(super) fn few(state: State) -> AnyView {
    view! { <div class="control-row">{algorithm(state)} {size(state, "seq", "Tokens", 16, |p| &mut p.seq)}</div> }
        .into_any()
}

/// Where a number is in the parameters.
type At = fn(&mut Params) -> &mut u64;

/// Another run begins at its beginning.
fn restart(state: State, change: impl FnOnce(&mut Params)) {
    state.update(|p| {
        change(p);
        p.step = 0;
    });
}

fn number(state: State, at: At) -> Signal<f64> {
    Signal::derive(move || {
        let mut params = state.params().get();
        *at(&mut params) as f64
    })
}

fn algorithm(state: State) -> impl IntoView {
    let options = vec![("standard", "standard"), ("flash1", "Flash"), ("flash2", "Flash-2")];
    let value = Signal::derive(move || state.params().with(|p| p.algo.id()));
    let set = move |id: &'static str| {
        if let Some(algo) = Algo::find(id) {
            restart(state, |p| p.algo = algo);
        }
    };
    view! { <Segmented name="algo" label="Algorithm" options value set /> }
}

fn direction(state: State) -> impl IntoView {
    let options = vec![("forward", "forward"), ("backward", "backward")];
    let value = Signal::derive(move || state.params().with(|p| p.direction.id()));
    let set = move |id: &'static str| {
        let direction = if id == Direction::Backward.id() { Direction::Backward } else { Direction::Forward };
        restart(state, |p| p.direction = direction);
    };
    view! { <Segmented name="pass" label="Pass" options value set /> }
}

fn causal(state: State) -> impl IntoView {
    let options = vec![("false", "none"), ("true", "causal")];
    let value = Signal::derive(move || if state.params().with(|p| p.causal) { "true" } else { "false" });
    let set = move |id: &'static str| restart(state, |p| p.causal = id == "true");
    view! { <Segmented name="causal" label="Mask" options value set /> }
}

fn dtype(state: State) -> impl IntoView {
    let options = Dtype::ALL.map(|d| (d.id(), d.id())).to_vec();
    let value = Signal::derive(move || state.params().with(|p| p.dtype.id()));
    let set = move |id: &'static str| {
        if let Some(dtype) = Dtype::find(id) {
            restart(state, |p| p.dtype = dtype);
        }
    };
    view! { <Segmented name="dtype" label="Numbers in HBM" options value set /> }
}

fn size(state: State, name: &'static str, label: &'static str, power: u32, at: At) -> AnyView {
    let set = move |n: f64| restart(state, |p| *at(p) = n as u64);
    let format = |n: f64| grouped(n as u64);
    let value = number(state, at);
    view! { <Slider spec=param(&ENTRY, name) label value set scale=Scale::Doubling(power) format /> }.into_any()
}

fn sram(state: State) -> impl IntoView {
    let set = move |n: f64| restart(state, |p| p.sram = n as u64);
    let value = number(state, |p| &mut p.sram);
    let format = |bytes: f64| Unit::Bytes.format(bytes);
    view! { <Slider spec=param(&ENTRY, "sram") label="Memory on chip" value set scale=Scale::Decades(3, 6) format /> }
}

fn block(state: State, name: &'static str, label: &'static str, at: At) -> AnyView {
    let set = move |n: f64| restart(state, |p| *at(p) = n as u64);
    let format = |n: f64| if n == 0.0 { "auto".to_owned() } else { grouped(n as u64) };
    let value = number(state, at);
    let scale = Scale::Linear { min: 0.0, max: 512.0, step: 16.0 };
    view! { <Slider spec=param(&ENTRY, name) label value set scale format /> }.into_any()
}

/// The row that is watched, of as many as there are.
pub(super) fn row(state: State) -> impl IntoView {
    let last = Memo::new(move |_| state.params().with(|p| p.seq.min(MAX_SEQ) - 1));
    let value = Signal::derive(move || state.params().with(|p| p.row.min(p.seq.saturating_sub(1)) as f64));
    let set = move |n: f64| state.update(|p| p.row = n as u64);
    let format = |n: f64| grouped(n as u64);
    move || {
        let scale = Scale::Linear { min: 0.0, max: last.get().max(1) as f64, step: 1.0 };
        view! { <Slider spec=param(&ENTRY, "row") label="Row" value set scale format /> }
    }
}
