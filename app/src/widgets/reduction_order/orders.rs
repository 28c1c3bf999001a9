//! Every order with the bits of its sum: a press looks at one.

use leptos::prelude::*;
use ringside_core::declare::{Choose as _, Text as _};
use ringside_core::reduction_order::data::{Data, Values};
use ringside_core::reduction_order::finding::{bits, off};
use ringside_core::reduction_order::{ALL, Order, Shown};

use super::State;
use crate::ui::unique_id;

/// The list.
pub(super) fn view(state: State, shown: Memo<Shown>) -> AnyView {
    view! {
        <div class="orders" role="group" aria-label="Orders, with the bits of their sums">
            {ALL.into_iter().map(|order| row(state, shown, order)).collect_view()}
        </div>
        <p class="fine">"Bits from the first that differs from the exact sum, rounded once, stand out."</p>
    }
    .into_any()
}

fn row(state: State, shown: Memo<Shown>, order: Order) -> impl IntoView {
    let params = state.params();
    let pressed = Memo::new(move |_| params.with(|p| p.order == order));
    let written = Memo::new(move |_| {
        let format = params.with(|p| p.format.0);
        shown.with(|s| {
            let (Some(sum), Some(exact)) = (s.sums.of(order), s.sums.of(Order::Exact)) else {
                return Default::default();
            };
            let (same, differing) = bits(format, sum.code, exact.code);
            (same, differing, off(sum.error, s.sums.unit(format)))
        })
    });
    view! {
        <button
            type="button"
            class="order"
            aria-pressed=move || pressed.get().to_string()
            on:click=move |_| state.update(|p| p.order.choose(order.id()))
        >
            <span class="name">{order.label()}</span>
            <span class="code">{move || written.get().0}<b>{move || written.get().1}</b></span>
            <span class="off">{move || written.get().2}</span>
        </button>
    }
}

/// The field for numbers of one's own.
pub(super) fn own(state: State) -> AnyView {
    let params = state.params();
    let is_own = Memo::new(move |_| params.with(|p| p.data == Data::Own));
    let problem = RwSignal::new(None::<String>);
    let id = unique_id("values");
    let (for_id, problem_id) = (id.clone(), format!("{id}-problem"));
    let described = problem_id.clone();
    let take = move |text: String| {
        let mut values = Values::default();
        match values.read(&text) {
            Ok(()) => {
                problem.set(None);
                state.update(|p| p.values = values);
            }
            Err(why) => problem.set(Some(why)),
        }
    };
    view! {
        <div class="own" class:nowhere=move || !is_own.get()>
            <label for=for_id>"Your numbers"</label>
            <input
                id=id
                type="text"
                spellcheck="false"
                prop:value=move || params.with(|p| p.values.write())
                aria-invalid=move || problem.with(Option::is_some).to_string()
                aria-describedby=described
                on:change=move |event| take(event_target_value(&event))
            />
            <p id=problem_id class="problem" role="status">
                {move || problem.get().unwrap_or_default()}
            </p>
        </div>
    }
    .into_any()
}
