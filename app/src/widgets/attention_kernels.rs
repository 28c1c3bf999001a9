//! One attention by five kernels, on the learner's own GPU.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::kernels::attention::{ENTRY, HEAD_DIMS, Params, Sizes};
use ringside_core::quantity::grouped;
use ringside_core::query::Query;

use super::kernels::Bench;
use super::{Module, Props, param};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::segmented::Segmented;
use crate::ui::slider::{Scale, Slider};

/// Downloads the widget.
#[wasm_split(widget_attention_kernels, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ENTRY })
}

type State = ui::state::State<Params>;

/// Attentions worth running: what each is called, and its sizes.
const PRESETS: &[(&str, &str)] = &[
    ("One head, 1024 tokens", "seq=1024&head_dim=64&heads=1"),
    ("GPT-2 small", "seq=1024&head_dim=64&heads=12&causal=true"),
    ("Grouped queries: 8 share 2", "seq=512&head_dim=128&heads=8&kv_heads=2&causal=true"),
    ("No multiple of a tile", "seq=333&head_dim=32&heads=3"),
];

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, Params::read, Params::query);
    let params = state.params();
    let sizes = Memo::new(move |_| params.with(|p| (p.sizes.query().to_string(), p.sizes.list().to_vec())));
    let ladder = Memo::new(move |_| params.with(Params::ladder));
    let kernel = Signal::derive(move || params.with(|p| p.kernel));
    let set_kernel = Callback::new(move |id: &'static str| state.update(|p| p.kernel = id));
    let bench = Bench::new("attention", kernel, set_kernel, sizes, ladder);
    if params.with_untracked(|p| p.run) {
        bench.run([kernel.get_untracked()]);
    }

    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let Sizes { seq, head_dim, heads, kv_heads, causal } = p.sizes;
            let mask = if causal { ", causal" } else { "" };
            format!("{} tokens · {heads} heads of {head_dim}, {kv_heads} of K and V{mask}", grouped(seq))
        })
    });
    let finding = Signal::derive(move || params.with(Params::finding) + &bench.finding());
    let flop = Signal::derive(move || params.with(|p| p.sizes.flop()));
    let controls = if props.compact {
        view! { <div class="control-row">{bench.choice()}</div> }.into_any()
    } else {
        view! {
            {presets(state)}
            <div class="control-row">{bench.choice()} {head_dim(state)} {causal(state)}</div>
            <div class="control-grid">
                {size(state, "seq", "Tokens", 14, |s| &mut s.seq)}
                {heads(state)}
                {size(state, "kv_heads", "Heads of K and V", 6, |s| &mut s.kv_heads)}
            </div>
        }
        .into_any()
    };
    view! {
        <Figure
            id=ENTRY.id
            title=ENTRY.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding
            notes=String::new()
            controls
            table=move || bench.numbers(flop)
        >
            {bench.view(&ENTRY, move |id| params.with(|p| p.quantity(id)))}
        </Figure>
    }
    .into_any()
}

fn presets(state: State) -> AnyView {
    let button = |(name, query): &'static (&'static str, &'static str)| {
        let sizes = Params::read(&Query::parse(query)).0.sizes;
        let pressed = move || state.params().with(|p| p.sizes == sizes).to_string();
        let choose = move |_| state.update(|p| p.sizes = sizes);
        view! { <button type="button" class="preset" aria-pressed=pressed on:click=choose>{*name}</button> }
    };
    view! { <div class="presets" role="group" aria-label="Examples">{PRESETS.iter().map(button).collect_view()}</div> }
        .into_any()
}

fn head_dim(state: State) -> AnyView {
    let options = vec![("32", "32"), ("64", "64"), ("128", "128")];
    let value = Signal::derive(move || match state.params().with(|p| p.sizes.head_dim) {
        32 => "32",
        128 => "128",
        _ => "64",
    });
    let set = move |id: &'static str| {
        if let Some(d) = HEAD_DIMS.into_iter().find(|d| d.to_string() == id) {
            state.update(|p| p.sizes.head_dim = d);
        }
    };
    view! { <Segmented name="head_dim" label="Width of a head" options value set /> }.into_any()
}

fn causal(state: State) -> AnyView {
    let options = vec![("false", "all keys"), ("true", "causal")];
    let value = Signal::derive(move || if state.params().with(|p| p.sizes.causal) { "true" } else { "false" });
    let set = move |id: &'static str| state.update(|p| p.sizes.causal = id == "true");
    view! { <Segmented name="causal" label="A query sees" options value set /> }.into_any()
}

/// Heads of Q; those of K and V go along as long as there were as many of both, or would no longer divide.
fn heads(state: State) -> AnyView {
    let value = Signal::derive(move || state.params().with(|p| p.sizes.heads) as f64);
    let set = move |to: f64| {
        state.update(|p| {
            let all = p.sizes.kv_heads == p.sizes.heads;
            p.sizes.heads = (to as u64).max(1);
            if all || !p.sizes.heads.is_multiple_of(p.sizes.kv_heads.max(1)) {
                p.sizes.kv_heads = p.sizes.heads;
            }
        });
    };
    view! {
        <Slider spec=param(&ENTRY, "heads") label="Heads" value set scale=Scale::Doubling(6) format=|v| grouped(v as u64) />
    }
    .into_any()
}

fn size(state: State, name: &'static str, label: &'static str, power: u32, at: fn(&mut Sizes) -> &mut u64) -> AnyView {
    let value = Signal::derive(move || {
        let mut sizes = state.params().with(|p| p.sizes);
        *at(&mut sizes) as f64
    });
    let set = move |to: f64| state.update(|p| *at(&mut p.sizes) = to as u64);
    view! {
        <Slider spec=param(&ENTRY, name) label value set scale=Scale::Doubling(power) format=|v| grouped(v as u64) />
    }
    .into_any()
}
