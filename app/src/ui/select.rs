//! A choice of many.

use leptos::html;
use leptos::prelude::*;

use super::unique_id;

/// Options of a [`Select`] under a heading of their own; those without a heading come as they are.
#[derive(Debug, Clone)]
pub struct Group {
    /// The heading; empty for none.
    pub label: &'static str,
    /// The values and what a person calls each.
    pub options: Vec<(&'static str, &'static str)>,
}

/// A labelled `<select>`. `children` come under it: a hint, a unit, a source.
#[component]
pub fn Select(
    /// The parameter's name.
    name: &'static str,
    /// What a person calls it.
    label: &'static str,
    /// The options.
    groups: Vec<Group>,
    /// The value.
    #[prop(into)]
    value: Signal<&'static str>,
    /// Called with the chosen value. If it does not change `value`, the control goes back to it.
    #[prop(into)]
    set: Callback<&'static str>,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let id = unique_id(name);
    let value = Memo::new(move |_| value.get());
    let node = NodeRef::<html::Select>::new();
    let known: Vec<&'static str> = groups.iter().flat_map(|g| &g.options).map(|(v, _)| *v).collect();
    let change = move |event| {
        let text = event_target_value(&event);
        if let Some(chosen) = known.iter().find(|v| **v == text) {
            set.run(chosen);
        }
        if let Some(select) = node.get_untracked() {
            select.set_value(value.get_untracked());
        }
    };
    let first = value.get_untracked();
    let option = move |(value, text): (&'static str, &'static str)| {
        view! { <option value=value selected=value == first>{text}</option> }
    };
    let groups = groups
        .into_iter()
        .map(|group| {
            let options = group.options.into_iter().map(option).collect_view();
            if group.label.is_empty() {
                options.into_any()
            } else {
                view! { <optgroup label=group.label>{options}</optgroup> }.into_any()
            }
        })
        .collect_view();
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <select id=id name=name node_ref=node prop:value=move || value.get() on:change=change>{groups}</select>
            {children.map(|children| children())}
        </div>
    }
}
