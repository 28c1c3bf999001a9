//! The controls.

use leptos::prelude::*;
use ringside_core::collective::schedule::MAX_RANKS;
use ringside_core::collective::{Algo, ENTRY, Op, Params};
use ringside_core::hardware::links;
use ringside_core::quantity::{Unit, number};
use ringside_core::query::Query;

use super::State;
use crate::ui::segmented::Segmented;
use crate::ui::select::{Group, Select};
use crate::ui::slider::{Scale, Slider};
use crate::widgets::fields::Fields;
use crate::widgets::param;

/// Those that matter most.
pub(super) fn main(state: State) -> AnyView {
    view! { {operation(state)} {algorithm(state)} {ranks(state)} {bytes(state)} }.into_any()
}

/// The others.
pub(super) fn more(state: State) -> AnyView {
    let fields = Fields::new(state, &ENTRY);
    view! {
        {fields.link("link", "Link within a node", links::INSIDE, |p| &mut p.link)}
        {fields.link("net", "Link between nodes", links::BETWEEN, |p| &mut p.net)}
        {node(state)} {slow_by(state)} {slow_rank(state)} {cut(state)}
        {cut_end(state, "cut-from", "Broken cable from rank", |p| &mut p.cut_from)}
        {cut_end(state, "cut-to", "to rank", |p| &mut p.cut_to)}
    }
    .into_any()
}

/// Whether one of [`more`] is not at its default.
pub(super) fn more_is_set(params: Memo<Params>) -> Signal<bool> {
    const MAIN: [&str; 5] = ["op", "algo", "ranks", "bytes", "step"];
    let default = StoredValue::new(Params::read(&Query::default()).0.query());
    let differs = move |now: &Query| {
        default.with_value(|default| now.iter().any(|(name, v)| !MAIN.contains(&name) && default.get(name) != Some(v)))
    };
    Signal::derive(move || params.with(|p| differs(&p.query())))
}

fn operation(state: State) -> impl IntoView {
    let groups = vec![Group { label: "", options: Op::ALL.map(|op| (op.id(), op.label())).to_vec() }];
    let value = Signal::derive(move || state.params().with(|p| p.op.id()));
    let set = move |id: &'static str| {
        if let Some(op) = Op::find(id) {
            state.update(|p| {
                p.op = op;
                p.step = 0;
                if !p.algo.does(op) {
                    p.algo = Algo::Ring;
                }
            });
        }
    };
    view! { <Select name="op" label="Operation" groups value set /> }
}

/// Only the algorithms that do the operation.
fn algorithm(state: State) -> impl IntoView {
    let op = Memo::new(move |_| state.params().with(|p| p.op));
    let value = Signal::derive(move || state.params().with(|p| p.algo.id()));
    let set = move |id: &'static str| {
        if let Some(algo) = Algo::find(id) {
            state.update(|p| {
                p.algo = algo;
                p.step = 0;
            });
        }
    };
    move || {
        let now = state.params().with_untracked(|p| p.algo);
        // One that does not do it can only come from a link; it is there to be seen.
        let fit = Algo::ALL.into_iter().filter(|a| a.does(op.get()) || *a == now);
        let groups = vec![Group { label: "", options: fit.map(|a| (a.id(), a.label())).collect() }];
        view! { <Select name="algo" label="Algorithm" groups value set /> }
    }
}

fn ranks(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.ranks as f64));
    let set = move |n: f64| {
        state.update(|p| {
            p.ranks = n as usize;
            p.step = 0;
        });
    };
    let scale = Scale::Linear { min: 2.0, max: MAX_RANKS as f64, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "ranks") label="Ranks" value set scale format=number /> }
}

fn bytes(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.bytes));
    let set = move |bytes: f64| state.update(|p| p.bytes = bytes);
    let format = |bytes: f64| Unit::Bytes.format(bytes);
    view! { <Slider spec=param(&ENTRY, "bytes") label="Buffer" value set scale=Scale::Decades(1, 12) format /> }
}

fn node(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.node as f64));
    let set = move |n: f64| {
        state.update(|p| {
            p.node = n as usize;
            p.step = 0;
        });
    };
    view! { <Slider spec=param(&ENTRY, "node") label="Ranks in a node" value set scale=Scale::Doubling(6) format=number /> }
}

fn slow_by(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.slow_by));
    let set = move |by: f64| state.update(|p| p.slow_by = by);
    let format = |by: f64| if by > 1.0 { format!("{}×", number(by)) } else { "none".to_owned() };
    let scale = Scale::Linear { min: 1.0, max: 16.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "slow-by") label="Straggler, slower by" value set scale format /> }
}

fn slow_rank(state: State) -> impl IntoView {
    let value = Signal::derive(move || state.params().with(|p| p.slow_rank as f64));
    let set = move |rank: f64| state.update(|p| p.slow_rank = rank as usize);
    let scale = Scale::Linear { min: 0.0, max: MAX_RANKS as f64 - 1.0, step: 1.0 };
    view! { <Slider spec=param(&ENTRY, "slow-rank") label="Straggling rank" value set scale format=number /> }
}

fn cut(state: State) -> impl IntoView {
    let options = vec![("false", "All work"), ("true", "One is broken")];
    let value = Signal::derive(move || if state.params().with(|p| p.cut) { "true" } else { "false" });
    let set = move |id: &'static str| {
        state.update(|p| {
            p.cut = id == "true";
            // An absent rank has no cable.
            if p.cut && p.broken().is_none() {
                (p.cut_from, p.cut_to) = (0, 1);
            }
        });
    };
    view! { <Segmented name="cut" label="Cables" options value set /> }
}

/// One end of the broken cable.
fn cut_end(state: State, name: &'static str, label: &'static str, end: fn(&mut Params) -> &mut usize) -> impl IntoView {
    let value = Signal::derive(move || *end(&mut state.params().get()) as f64);
    let set = move |rank: f64| state.update(|p| *end(p) = rank as usize);
    let scale = Scale::Linear { min: 0.0, max: MAX_RANKS as f64 - 1.0, step: 1.0 };
    let shown = move || !state.params().with(|p| p.cut);
    view! { <div hidden=shown><Slider spec=param(&ENTRY, name) label value set scale format=number /></div> }
}
