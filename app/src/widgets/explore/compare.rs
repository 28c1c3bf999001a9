//! Kept states beside the present one.

use std::cmp::Ordering;

use leptos::prelude::*;
use ringside_core::explore::{Compare, Comparison, MOST_KEPT};
use ringside_core::query::Query;

use super::panel::Ask;
use super::run::Run;
use crate::deferred::deferred;
use crate::ui::copy_link::copy_text;
use crate::widgets::{self, Module, Props};

/// The column that the table is sorted by, and whether the smallest comes first; none for the order in which states were kept.
type By = Option<(usize, bool)>;

pub(super) fn view(ask: Ask) -> AnyView {
    let kept = Memo::new(move |_| ask.explored.with(|e| e.kept.clone()));
    let run = Run::new(move || {
        let states: Vec<Query> = ask.base.with(|base| [base.clone()].into_iter().chain(kept.get()).collect());
        (states.len() > 1).then(|| Compare::new(ask.model(), &states))
    });
    let comparison = Memo::new(move |_| run.result(Compare::comparison));
    let wrong = RwSignal::new(None::<String>);
    let keep = move |_| {
        let now = ask.query.get_untracked();
        let model = ask.model();
        ask.change(|e| wrong.set(e.keep(&model, &now).err()));
    };
    let csv = move || {
        let found = comparison.get_untracked()?;
        Some(found.csv(&(0..found.states.len()).map(name).collect::<Vec<_>>()))
    };
    let none = move || kept.with(Vec::is_empty);
    let drawings = Memo::new(move |_| ask.explored.with(|e| e.drawings && !e.kept.is_empty()));
    let by = RwSignal::new(By::None);
    view! {
        <p class="explore-actions">
            <button type="button" class="secondary" on:click=keep>
                "Keep this state"
            </button>
            <button
                type="button"
                class="quiet"
                hidden=none
                aria-pressed=move || drawings.get().to_string()
                on:click=move |_| ask.change(|e| e.drawings = !e.drawings)
            >
                {move || if drawings.get() { "Hide drawings" } else { "Show drawings" }}
            </button>
            <span hidden=none>{copy_text("Copy as CSV", csv)}</span>
        </p>
        <div role="alert">{move || wrong.get().map(|why| view! { <p class="message">{why}</p> })}</div>
        <p class="fine" hidden=move || !none()>
            {format!("Keep this state, then change a setting to compare the two. You can keep up to {MOST_KEPT} states.")}
        </p>
        {run.bar()}
        {move || comparison.get().map(|found| table(ask, found, by))}
        <Show when=move || drawings.get()>
            {move || {
                let drawing = move |(i, state)| drawing(ask, i, state);
                let kept = kept.get().into_iter().enumerate();
                view! { <div class="explore-drawings">{kept.map(drawing).collect_view()}</div> }
            }}
        </Show>
    }
    .into_any()
}

/// What a state is called: the present one, then A, B, C, D.
fn name(i: usize) -> String {
    match i.checked_sub(1) {
        None => "Now".to_owned(),
        Some(i) => char::from_u32('A' as u32 + i as u32).map(String::from).unwrap_or_default(),
    }
}

/// The rows in the order of a column; the first column is that of the names.
fn ordered(found: &Comparison, by: By) -> Vec<usize> {
    let mut order: Vec<usize> = (0..found.states.len()).collect();
    let Some((column, turned)) = by else { return order };
    let params = found.differing.len();
    order.sort_by(|a, b| {
        let compared = match column.checked_sub(1) {
            None => a.cmp(b),
            Some(i) if i < params => {
                found.differing.get(i).map_or(Ordering::Equal, |param| param.values.get(*a).cmp(&param.values.get(*b)))
            }
            Some(i) => {
                let value = |state: &usize| found.states.get(*state)?.values.get(i - params).copied().flatten();
                match (value(a), value(b)) {
                    (Some(a), Some(b)) => b.total_cmp(&a),
                    (a, b) => b.is_some().cmp(&a.is_some()),
                }
            }
        };
        if turned { compared.reverse() } else { compared }
    });
    order
}

fn table(ask: Ask, found: Comparison, by: RwSignal<By>) -> AnyView {
    let labels = found.differing.iter().map(|p| p.label).chain(found.quantities.iter().map(|(_, label, _)| *label));
    let heads: Vec<&'static str> = ["State"].into_iter().chain(labels).collect();
    let sort = move |column: usize| {
        by.update(|by| *by = Some((column, matches!(by, Some((same, false)) if *same == column))));
    };
    let head = move |(i, label): (usize, &'static str)| {
        let way = move || match by.get() {
            Some((column, true)) if column == i => "ascending",
            Some((column, false)) if column == i => "descending",
            _ => "none",
        };
        view! {
            <th scope="col" aria-sort=way>
                <button type="button" class="sorts" on:click=move |_| sort(i)>
                    {label}
                </button>
            </th>
        }
    };
    let heads = heads.into_iter().enumerate().map(head).collect_view();
    let sentences = (1..found.states.len()).map(|i| view! { <li><b>{name(i)}</b> " " {found.said(i)}</li> });
    let sentences = sentences.collect_view();
    let rows = move || ordered(&found, by.get()).into_iter().map(|i| row(ask, &found, i)).collect_view();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label="Kept states">
            <table class="explore-states">
                <thead>
                    <tr>
                        {heads}
                        <th scope="col"><span class="visually-hidden">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        <div role="status"><ul class="explore-said">{sentences}</ul></div>
    }
    .into_any()
}

fn row(ask: Ask, found: &Comparison, i: usize) -> AnyView {
    let params = found.differing.iter().map(|param| {
        let differs = param.values.get(i) != param.values.first();
        view! { <td class:differs=differs>{param.values.get(i).cloned().unwrap_or_default()}</td> }
    });
    let values = found.quantities.iter().enumerate().map(|(q, (_, _, unit))| {
        let text = found.states.get(i).and_then(|state| state.texts.get(q).cloned());
        let change = found.change(i, q).filter(|_| i > 0).map(|change| change.text(*unit));
        view! { <td class="number">{text} {change.map(|text| view! { <small>{text}</small> })}</td> }
    });
    let state = found.states.get(i).map(|state| state.query.clone()).unwrap_or_default();
    let remove = move |_| {
        ask.change(|e| {
            if i <= e.kept.len() {
                e.kept.remove(i - 1);
            }
        });
    };
    let actions = (i > 0).then(|| {
        view! {
            <button type="button" class="quiet" aria-label=format!("Open state {}", name(i)) on:click=move |_| ask.open(&state)>
                "Open"
            </button>
            <button type="button" class="quiet" aria-label=format!("Remove state {}", name(i)) on:click=remove>
                "Remove"
            </button>
        }
    });
    view! {
        <tr>
            <th scope="row">{name(i)}</th>
            {params.collect_view()}
            {values.collect_view()}
            <td class="explore-row-actions">{actions}</td>
        </tr>
    }
    .into_any()
}

/// The drawing of a kept state, to be looked at.
fn drawing(ask: Ask, i: usize, state: Query) -> AnyView {
    let Some(widget) = widgets::find(ask.model().id) else { return ().into_any() };
    let query = RwSignal::new(state);
    let shown = deferred(
        || widget.to_show(),
        move |module: Module| (module.view)(Props { query, alone: false, compact: true }),
    );
    view! {
        <section class="explore-drawing" aria-label=format!("State {}", name(i + 1))>
            <b>{name(i + 1)}</b>
            <div inert>{shown}</div>
        </section>
    }
    .into_any()
}
