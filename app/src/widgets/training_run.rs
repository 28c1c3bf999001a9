//! What a training run is given, of which one amount is asked, and the published run that it is.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::Unit;
use ringside_core::training_run::published::{self, Published};
use ringside_core::training_run::{Given, Params};
use ringside_figures::{Example, Examples};

use super::controls::declared;
use super::one_picture::{self, Own};
use super::{Module, Props};
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, silent, words};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// The published runs, which the model compares itself with.
const EXAMPLES: Examples = Examples {
    label: "Published runs",
    keep_rest: false,
    ignore: &["show"],
    all: &{
        let mut all = [Example { label: "", state: "" }; published::ALL.len()];
        let mut i = 0;
        while i < all.len() {
            all[i] = Example { label: published::ALL[i].name, state: published::ALL[i].query };
            i += 1;
        }
        all
    },
};

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own {
        over: Some((move || live.with(|p, _| Published::of(p).map(comparison))).into_any()),
        special: Some(("given", budget(live.state))),
        examples: Some(&EXAMPLES),
        ..Own::default()
    })
}

/// What the run is given, and how much of it.
fn budget(state: State<Params>) -> AnyView {
    let amount = |name: &'static str, given: Given| {
        let is_other = Memo::new(move |_| state.params().with(|p| p.given != given));
        view! { <div class="bare" class:nowhere=is_other>{declared(state, name)}</div> }
    };
    view! {
        <div class="bare budget">
            {declared(state, "given")}
            {amount("tokens", Given::Tokens)} {amount("days", Given::Days)} {amount("money", Given::Money)}
        </div>
    }
    .into_any()
}

/// A published run beside what the model says of it.
fn comparison(run: &'static Published) -> AnyView {
    let Ok((_, facts)) = run.compared() else { return ().into_any() };
    let rows = facts.into_iter().map(|(fact, ours)| {
        let named = Params::QUANTITIES.iter().find(|m| m.shown.id == fact.quantity);
        let (label, unit) = named.map_or((fact.quantity, Unit::Ratio), |m| (m.shown.label, m.shown.unit));
        view! {
            <tr>
                <th scope="row">{label}</th>
                <td class="number">{unit.format(fact.value)}</td>
                <td class="number">{unit.format(ours)}</td>
                <td class="number">{format!("{:+.1}%", fact.difference(ours))}</td>
                <td>{fact.place}</td>
            </tr>
        }
    });
    view! {
        <div class="published">
            <p><b>{run.name}</b> " as it was published. Given: " {run.given} ". " {run.source} "."</p>
            <div class="scroll">
                <Table
                    columns=[
                        silent("Quantity"),
                        numbers("published"),
                        numbers("computed"),
                        numbers("difference"),
                        words("where"),
                    ]
                    rows=rows.collect_view().into_any()
                />
            </div>
            <p class="fine">{run.note}</p>
        </div>
    }
    .into_any()
}
