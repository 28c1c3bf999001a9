//! The controls.

use leptos::prelude::*;
use ringside_core::hardware;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Convention, Dtype, Optimizer};
use ringside_core::model::ModelRef;
use ringside_core::quantity::{Unit, count, grouped};

use super::{Shown, State};
use crate::ui::output::Output;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// All of them; what is dragged comes last, next to the drawing.
pub(super) fn all(state: State, shown: Shown, input: ModelInput) -> AnyView {
    view! {
        <div class="control-row">
            {model(state, shown, input)} {optimizer(state)} {dtype(state)} {convention(state)}
        </div>
        {whose(state, shown)}
        {input.panel()}
        <div class="control-grid">{gpu(state)} {parameters(state, shown)} {ranks(state)}</div>
    }
    .into_any()
}

/// Those that matter most.
pub(super) fn few(state: State, shown: Shown) -> AnyView {
    let exactly = Signal::derive(move || shown.with(|b| b.size.params));
    view! {
        <div class="control-row">{parameters(state, shown)} {ranks(state)} {optimizer(state)} {gpu(state)}</div>
        <p class="visually-hidden"><Output quantity="params" value=exactly unit=Unit::Count /> " parameters"</p>
    }
    .into_any()
}

fn model(state: State, shown: Shown, input: ModelInput) -> AnyView {
    let exactly = Signal::derive(move || shown.with(|b| b.size.params));
    let by_count = move |()| state.update(|p| p.model = ModelRef::Count(exactly.get_untracked() as u64));
    input.select(exactly, Some(Callback::new(by_count)))
}

fn parameters(state: State, shown: Shown) -> impl IntoView {
    let value = Signal::derive(move || shown.with(|b| b.size.params));
    let set = move |n: f64| state.update(|p| p.model = ModelRef::Count(n.round() as u64));
    view! {
        <Slider spec=param(&ENTRY, "params") label="Parameters" value set scale=Scale::Decades(7, 13) format=count />
    }
}

fn ranks(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.dp as f64));
    let set = move |n: f64| state.update(|p| p.dp = n as u64);
    let format = |n: f64| grouped(n as u64);
    view! {
        <Slider spec=param(&ENTRY, "dp") label="Data-parallel ranks" value set scale=Scale::Doubling(16) format />
    }
}

fn gpu(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: hardware::ALL.iter().map(|a| (a.id, a.name)).collect() }];
    let value = Signal::derive(move || state.params().with(|p| p.gpu.id));
    let set = move |id: &'static str| {
        if let Some(gpu) = hardware::find(id) {
            state.update(|p| p.gpu = gpu);
        }
    };
    view! { <Select name="gpu" label="GPU" groups value set /> }
}

fn optimizer(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: Optimizer::ALL.map(|o| (o.id(), o.label())).to_vec() }];
    let value = Signal::derive(move || state.params().with(|p| p.optimizer.id()));
    let set = move |id: &'static str| {
        if let Some(optimizer) = Optimizer::find(id) {
            state.update(|p| p.optimizer = optimizer);
        }
    };
    view! { <Select name="optimizer" label="Optimizer" groups value set /> }
}

fn dtype(state: State) -> impl IntoView {
    let options = Dtype::TRAINING.map(|d| (d.id(), d.id())).to_vec();
    let value = Signal::derive(move || state.params().with(|p| p.dtype.id()));
    let set = move |id: &'static str| {
        if let Some(dtype) = Dtype::find(id) {
            state.update(|p| p.dtype = dtype);
        }
    };
    view! { <Segmented name="dtype" label="Precision" options value set /> }
}

fn convention(state: State) -> impl IntoView {
    let name = |c: Convention| match c {
        Convention::Zero => "ZeRO paper",
        Convention::DeepSpeed => "DeepSpeed",
        Convention::Megatron => "Megatron-LM",
    };
    let options = Convention::ALL.map(|c| (c.id(), name(c))).to_vec();
    let value = Signal::derive(move || state.params().with(|p| p.convention.id()));
    let set = move |id: &'static str| {
        if let Some(convention) = Convention::find(id) {
            state.update(|p| p.convention = convention);
        }
    };
    view! { <Segmented name="convention" label="Counted as by" options value set /> }
}

/// Whose way of counting it is, and what it comes to.
fn whose(state: State, shown: Shown) -> impl IntoView {
    let each = move || {
        shown.with(|b| {
            let quantities = b.quantities();
            let each = quantities.iter().find(|q| q.id == "bytes-per-param");
            each.map(|q| q.text()).unwrap_or_default()
        })
    };
    let of = move || state.params().with(|p| (p.convention.label(), p.convention.source()));
    view! {
        <p class="fine whose">
            {each} " bytes a parameter before sharding, as " {move || of().0} " counts: " {move || of().1} "."
        </p>
    }
}
