//! What a layer keeps, term by term; what each policy comes to.

use leptos::prelude::*;
use ringside_core::memory::activations::{Activations, Policy, Recompute, Term};
use ringside_core::planner::recompute;
use ringside_core::quantity::{Unit, bytes_decimal};
use ringside_drawing::scale::percent;

use super::Live;
use crate::ui::debounced::debounced;
use crate::ui::table::{Table, numbers, silent, words};

/// The terms of one layer, those that it does not keep last.
pub(super) fn terms(live: Live) -> AnyView {
    let ids = move || {
        live.with(|_, a| {
            let kept = a.terms.iter().map(|t| (t.id, true));
            kept.chain(a.dropped.iter().map(|t| (t.id, false))).collect::<Vec<_>>()
        })
    };
    let row = move |(id, kept): (&'static str, bool)| {
        let look = move |look: fn(&Activations, &Term) -> String| {
            move || {
                live.with(|_, a| {
                    let list = if kept { &a.terms } else { &a.dropped };
                    list.iter().find(|t| t.id == id).map(|t| look(a, t)).unwrap_or_default()
                })
            }
        };
        let share = look(|a, t| {
            let all = a.terms.iter().chain(&a.dropped).map(Term::total).fold(0.0, f64::max);
            percent(if all > 0.0 { t.total() / all * 100.0 } else { 0.0 })
        });
        view! {
            <tr class:dropped=!kept>
                <th scope="row">{look(|_, t| t.label.to_owned())}</th>
                <td>{look(|_, t| t.part.label().to_owned())}</td>
                <td>{look(|_, t| t.formula())}</td>
                <td class="number">{look(|_, t| bytes_decimal(t.total()))}</td>
                <td class="bar-of">
                    <span style:width=share></span>
                    {(!kept).then(|| view! { <em>{look(|a, t| a.not_kept(t).to_owned())}</em> })}
                </td>
            </tr>
        }
    };
    let sum = move || live.with(|_, a| bytes_decimal(a.per_layer.0));
    let rows = view! {
        <For each=ids key=|id| *id children=row />
        <tr class="sum">
            <th scope="row">"Kept"</th>
            <td></td>
            <td></td>
            <td class="number">{sum}</td>
            <td></td>
        </tr>
    };
    view! {
        <Table
            scroll="What one layer keeps"
            caption="What one layer keeps of one micro-batch, on one GPU"
            class="layer-terms"
            columns=[words("Term"), words("Of"), words("Formula"), numbers("Bytes"), silent("Share")]
            rows=rows.into_any()
        />
    }
    .into_any()
}

/// What no, selective and full recomputation come to.
pub(super) fn policies(live: Live) -> AnyView {
    let all = Memo::new(move |_| live.with(|_, a| Some(a.policies())));
    let at_rest = debounced(live.state.params());
    let percents = |(theirs, ours)| (Unit::Fraction.format(theirs), Unit::Fraction.format(ours));
    let [attention, all_of_it] = recompute::measured().map(percents);
    let names = [
        (Recompute::None, "no recomputation"),
        (Recompute::Selective, "selective recomputation"),
        (Recompute::Full, "full recomputation"),
    ];
    let rows = names.into_iter().enumerate().map(|(i, (policy, name))| {
        let look = move |look: fn(&Policy) -> String| {
            move || all.with(|p| p.as_ref().and_then(|p| p.get(i)).map(look).unwrap_or_default())
        };
        let here = move || live.state.params().with(|p| p.recompute == policy);
        let time = move || at_rest.with(|p| Unit::Fraction.format(recompute::time_added(p, policy)));
        view! {
            <tr class:here=here aria-current=move || here().then_some("true")>
                <th scope="row">{name}</th>
                <td class="number">{look(|p| bytes_decimal(p.per_layer.0))}</td>
                <td class="number">{look(|p| bytes_decimal(p.kept.0))}</td>
                <td class="number">{look(|p| bytes_decimal(p.peak.0))}</td>
                <td class="number">{look(|p| Unit::Fraction.format(p.flops))}</td>
                <td class="number">{time}</td>
            </tr>
        }
    });
    view! {
        <Table
            scroll="Policies of recomputation"
            caption="What each policy of recomputation buys, and its price"
            class="policies"
            columns=[
                words("Policy"),
                numbers("A layer keeps"),
                numbers("The fullest GPU keeps"),
                numbers("At its peak"),
                numbers("FLOPs added"),
                numbers("Time added"),
            ]
            rows=rows.collect_view().into_any()
        />
        <p class="fine">
            "Time: the kernels of a layer on the chosen GPU, without waiting for others. An attention matrix is many bytes for few FLOPs. A layer of the 22B model of Korthikanti et al. (2022, Table 4) took "
            {format!("{} longer on A100, {} with all of it recomputed; the kernels priced here say {} and {}.", attention.0, all_of_it.0, attention.1, all_of_it.1)}
        </p>
    }
    .into_any()
}
