//! The controls.

use leptos::prelude::*;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Convention, Dtype, Mode, Optimizer};
use ringside_core::model::ModelRef;
use ringside_core::quantity::{Unit, grouped, number};
use ringside_drawing::memory::{self, PARAMETERS, RANKS};

use super::{Shown, State};
use crate::ui::output::Output;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::Slider;
use crate::widgets::fields::Fields;
use crate::widgets::model_input::ModelInput;
use crate::widgets::param;

/// All of them, the layout and the load folded; what is dragged comes last, next to the drawing.
pub(super) fn all(state: State, shown: Shown, input: ModelInput) -> AnyView {
    let serving = Memo::new(move |_| state.params().with(|p| p.mode == Mode::Inference));
    view! {
        <div class="control-row">
            {model(state, shown, input)} {mode(state)}
            <div class="bare" class:nowhere=serving>{optimizer(state)}</div> {dtype(state)}
        </div>
        <div class="counted" class:nowhere=serving>{convention(state)} {whose(state, shown)}</div>
        {input.panel()}
        <div class="control-grid">{Fields::new(state, &ENTRY).gpu(|p| &mut p.gpu)} {parameters(state, shown)} {ranks(state, shown)}</div>
        {layout(state)}
        {load(state)}
    }
    .into_any()
}

/// Tensor, sequence, context, pipeline and expert parallelism.
fn layout(state: State) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let words = move || state.params().with(|p| p.layout.in_words());
    let gpus = move || state.params().with(|p| grouped(p.gpus() as u64));
    view! {
        <details class="fold">
            <summary>"Split the model: " <span>{words}</span></summary>
            <div class="control-grid">
                {fields.layout(|p| &mut p.layout)}
                {fields.doubling("ep", "Expert-parallel ranks", 8, |p| &mut p.layout.ep)}
            </div>
            <p class="fine">
                "tp × cp × pp × data-parallel ranks: " {gpus} " GPUs. Experts are spread over ranks of dp × cp."
            </p>
        </details>
    }
    .into_any()
}

/// What activations or the KV cache depend on.
fn load(state: State) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    let inference = Memo::new(move |_| state.params().with(|p| p.mode == Mode::Inference));
    let nameless = Memo::new(move |_| state.params().with(|p| p.model.shape().is_none()));
    let last = StoredValue::new(8192);
    let counted = Signal::derive(move || if state.params().with(|p| p.seq.is_some()) { "true" } else { "false" });
    let count = move |id: &'static str| {
        state.update(|p| {
            if let Some(seq) = p.seq {
                last.set_value(seq);
            }
            p.seq = (id == "true").then(|| last.get_value());
        });
    };
    let seq = Signal::derive(move || state.params().with(|p| p.seq).unwrap_or_else(|| last.get_value()) as f64);
    let set_seq = move |n| state.update(|p| p.seq = Some(n));
    let kv_options = [Dtype::Bf16, Dtype::Fp8, Dtype::Fp32].map(|d| (d.id(), d.id())).to_vec();
    let kv = Signal::derive(move || state.params().with(|p| p.kv_dtype.id()));
    let set_kv = move |id: &'static str| {
        if let Some(dtype) = Dtype::find(id) {
            state.update(|p| p.kv_dtype = dtype);
        }
    };
    let name = move || if inference.get() { "KV cache: " } else { "Activations: " };
    let words = move || {
        state.params().with(|p| match p.seq {
            None => "not counted".to_owned(),
            Some(seq) => format!("{} × {} tokens", grouped(p.mbs), grouped(seq)),
        })
    };
    view! {
        <details class="fold">
            <summary>{name} <span>{words}</span></summary>
            <p class="fine" class:nowhere=move || !nameless.get()>
                "They follow from a model’s sizes, not from its number of parameters: choose a model above."
            </p>
            <fieldset class="control-grid bare" disabled=nameless>
                <Segmented
                    name="counted"
                    label="Counted"
                    options=vec![("false", "left out"), ("true", "counted")]
                    value=counted
                    set=count
                />
                {fields.slider("seq", "Tokens of a sequence", 20, seq, set_seq)}
                {fields.doubling("mbs", "Sequences at once", 8, |p| &mut p.mbs)}
                <div class="bare" class:nowhere=inference>{fields.recompute(|p| &mut p.recompute)}</div>
                <div class="bare" class:nowhere=inference>{fields.flash(|p| &mut p.flash)}</div>
                <div class="bare" class:nowhere=inference>{fields.counting(|p| &mut p.counting)}</div>
                <div class="bare" class:nowhere=move || !inference.get()>
                    <Segmented name="kv_dtype" label="Cache in" options=kv_options value=kv set=set_kv />
                </div>
            </fieldset>
        </details>
    }
    .into_any()
}

fn mode(state: State) -> AnyView {
    let options = vec![("training", "training"), ("inference", "inference")];
    let value = Signal::derive(move || state.params().with(|p| p.mode.id()));
    let set = move |id: &'static str| {
        state.update(|p| p.mode = if id == "inference" { Mode::Inference } else { Mode::Training });
    };
    view! { <Segmented name="mode" label="For" options value set /> }.into_any()
}

/// Those that matter most.
pub(super) fn few(state: State, shown: Shown) -> AnyView {
    let exactly = Signal::derive(move || shown.with(|b| b.size.params));
    view! {
        <div class="control-row">{parameters(state, shown)} {ranks(state, shown)} {optimizer(state)} {Fields::new(state, &ENTRY).gpu(|p| &mut p.gpu)}</div>
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
    slider(&PARAMETERS, state, shown, move |n| state.update(|p| p.model = ModelRef::Count(n.round() as u64)))
}

fn ranks(state: State, shown: Shown) -> impl IntoView {
    slider(&RANKS, state, shown, move |n| state.update(|p| p.dp = n as u64))
}

fn slider(
    slider: &memory::Slider,
    state: State,
    shown: Shown,
    set: impl Fn(f64) + Send + Sync + 'static,
) -> impl IntoView {
    let memory::Slider { name, label, scale, format, value } = *slider;
    let value = Signal::derive(move || state.params().with(|p| shown.with(|b| value(p, b))));
    view! { <Slider spec=param(&ENTRY, name) label value set scale format /> }
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
    let each = move || number(shown.with(Breakdown::bytes_per_param));
    let of = move || state.params().with(|p| (p.convention.label(), p.convention.source()));
    view! {
        <p class="fine whose">
            {each} " bytes a parameter before sharding, as " {move || of().0} " counts: " {move || of().1} "."
        </p>
    }
}
