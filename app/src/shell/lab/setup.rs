//! "My setup": what labs measured of the learner's machine, kept in the store.

use leptos::prelude::*;
use ringside_core::lab::{Measured, Setup};

use crate::store::store;

/// A button that keeps these numbers.
pub(super) fn offer(measured: Vec<Measured>) -> AnyView {
    let measured = StoredValue::new(measured);
    let is_kept = move || {
        store()
            .with(|doc| measured.with_value(|list| list.iter().all(|m| doc.setup.get(m.what.id()) == Some(&m.value))))
    };
    let keep = move |_| {
        store().update(|doc| {
            measured.with_value(|list| doc.setup.extend(list.iter().map(|m| (m.what.id().to_owned(), m.value))));
        });
    };
    view! {
        <p class="actions sans">
            <button type="button" disabled=is_kept on:click=keep>
                {move || if is_kept() { "Kept as my setup ✓" } else { "Keep these numbers as my setup" }}
            </button>
        </p>
        {view()}
    }
    .into_any()
}

/// What is kept.
pub(super) fn view() -> AnyView {
    let kept = Memo::new(move |_| {
        store().with(|doc| {
            let number = |what: Setup| Some(Measured { what, value: *doc.setup.get(what.id())? });
            Setup::ALL
                .into_iter()
                .filter_map(number)
                .filter(|m| m.value.is_finite() && m.value > 0.0)
                .collect::<Vec<_>>()
        })
    });
    let forget = move |_| store().update(|doc| doc.setup.clear());
    let shown = move |list: Vec<Measured>| {
        let rows = list
            .into_iter()
            .map(|m| view! { <dt>{m.what.label()}</dt> <dd>{m.what.unit().format(m.value)}</dd> })
            .collect_view();
        view! {
            <section class="my-setup sans" aria-label="My setup">
                <h3>"My setup"</h3>
                <dl class="facts">{rows}</dl>
                <button type="button" class="quiet" on:click=forget>
                    "Forget it"
                </button>
            </section>
        }
        .into_any()
    };
    (move || {
        let list = kept.get();
        if list.is_empty() { ().into_any() } else { shown(list) }
    })
    .into_any()
}
