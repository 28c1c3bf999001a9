//! Controls for what may be left unsaid: "My setup", and a run of which not everything is known.

use leptos::prelude::*;
use ringside_core::declare::List;
use ringside_core::quantity::grouped;
use ringside_core::query::{Kind, ParamSpec};

use super::number_field::NumberField;
use super::select::{Group, Select};
use super::unique_id;

/// What a value is called that isn't said.
pub const NOT_SAID: &str = "not said";

/// One of a list, or the empty id, which `none` names.
pub fn choice(
    name: &'static str,
    label: &'static str,
    none: &'static str,
    list: List,
    value: Signal<&'static str>,
    set: Callback<&'static str>,
) -> AnyView {
    let all = list.ids.iter().copied().zip(list.labels.iter().copied());
    let groups = vec![Group { label: "", options: std::iter::once(("", none)).chain(all).collect() }];
    view! { <Select name label groups value set /> }.into_any()
}

/// A whole number from `least` to `most`, or none. It is given as one.
pub fn number(
    name: &'static str,
    label: &'static str,
    [least, most]: [u64; 2],
    value: Signal<Option<u64>>,
    set: Callback<Option<u64>>,
) -> AnyView {
    // Below the least stands for none, where the least isn't 0.
    let spec = ParamSpec { name, doc: "", kind: Kind::Integer { min: 0, max: most }, default: "8" };
    let shown = Signal::derive(move || value.get().map_or(-1.0, |n| n as f64));
    let set = move |n: f64| set.run(Some(n as u64).filter(|said| n >= 0.0 && *said >= least));
    let format = |n: f64| if n < 0.0 { String::new() } else { grouped(n as u64) };
    let id = unique_id(name);
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <NumberField spec label value=shown set format placeholder=NOT_SAID id=id.clone() />
        </div>
    }
    .into_any()
}
