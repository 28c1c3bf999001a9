//! States worth looking at, each a button.

use leptos::prelude::*;
use ringside_core::query::{Problem, Query};

use super::state::State;

/// What each is called, and its parameters as in a link.
pub type List = &'static [(&'static str, &'static str)];

/// The buttons. That of the state on show is pressed; `at_rest` takes out of a state what does not count there, such as how
/// far it has been played.
pub fn presets<P: Clone + PartialEq + Send + Sync + 'static>(
    state: State<P>,
    list: List,
    read: fn(&Query) -> (P, Vec<Problem>),
    at_rest: fn(&P) -> P,
) -> AnyView {
    let button = |(name, query): &'static (&'static str, &'static str)| {
        let params = StoredValue::new(read(&Query::parse(query)).0);
        let is_on_show = move || state.params().with(|p| params.with_value(|preset| at_rest(p) == at_rest(preset)));
        let show = move |_| params.with_value(|preset| state.set(preset));
        view! {
            <button type="button" class="preset" aria-pressed=move || is_on_show().to_string() on:click=show>
                {*name}
            </button>
        }
    };
    view! { <div class="presets" role="group" aria-label="Examples">{list.iter().map(button).collect_view()}</div> }
        .into_any()
}
