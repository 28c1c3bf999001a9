//! States worth looking at, each a button. That of the state on show is pressed.

use leptos::prelude::*;
use ringside_core::query::Query;

use super::state::State;

/// What a state is called, and its parameters as in a link.
pub type Preset = (&'static str, &'static str);

/// A button for each of `list`, in a group with this label. `at_rest` takes out of a state what does not count there, such as
/// how far it has been played.
pub fn presets<P: Clone + PartialEq + Send + Sync + 'static>(
    state: State<P>,
    label: &'static str,
    list: impl IntoIterator<Item = Preset>,
    at_rest: fn(&P) -> P,
) -> AnyView {
    let buttons = list.into_iter().map(|(name, query)| {
        let preset = StoredValue::new(state.read(&Query::parse(query)));
        let is_on_show = move || state.params().with(|p| preset.with_value(|preset| at_rest(p) == at_rest(preset)));
        button(name, is_on_show, move || preset.with_value(|preset| state.set(preset)))
    });
    group(label, buttons.collect())
}

/// The same for parts of a state: each leaves alone what it does not name.
pub fn partial<P: Clone + PartialEq + Send + Sync + 'static>(
    state: State<P>,
    label: &'static str,
    list: impl IntoIterator<Item = Preset>,
) -> AnyView {
    let buttons = list.into_iter().map(|(name, query)| {
        let changes = StoredValue::new(Query::parse(query));
        let changed = move |p: &P| changes.with_value(|changes| state.with(p, changes));
        let is_on_show = move || state.params().with(|p| changed(p) == *p);
        button(name, is_on_show, move || state.set(&state.params().with_untracked(changed)))
    });
    group(label, buttons.collect())
}

fn button(name: &'static str, is_on_show: impl Fn() -> bool + Send + 'static, show: impl Fn() + 'static) -> AnyView {
    view! {
        <button type="button" class="preset" aria-pressed=move || is_on_show().to_string() on:click=move |_| show()>
            {name}
        </button>
    }
    .into_any()
}

fn group(label: &'static str, buttons: Vec<AnyView>) -> AnyView {
    view! { <div class="presets" role="group" aria-label=label>{buttons}</div> }.into_any()
}
