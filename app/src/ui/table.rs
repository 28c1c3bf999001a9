//! Tables: a caption, a head for each column, and rows as they are written.

use std::borrow::Cow;

use leptos::prelude::*;

/// A column: its head, and how it is set.
#[derive(Debug, Clone)]
pub struct Column {
    head: Cow<'static, str>,
    class: Option<&'static str>,
    silent: bool,
}

/// A column of words.
pub fn words(head: impl Into<Cow<'static, str>>) -> Column {
    Column { head: head.into(), class: None, silent: false }
}

/// A column of numbers, which stand at its right edge.
pub fn numbers(head: impl Into<Cow<'static, str>>) -> Column {
    Column { head: head.into(), class: Some("number"), silent: false }
}

/// A column that needs no head to be seen, only one to be heard.
pub fn silent(head: &'static str) -> Column {
    Column { head: head.into(), class: None, silent: true }
}

/// A table.
#[component]
pub fn Table(
    /// What the frame is called in which it scrolls where there is no room for it; none if it needs no frame of its own.
    #[prop(optional)]
    scroll: Option<&'static str>,
    /// What it shows, unless that is said already.
    #[prop(into, optional)]
    caption: MaybeProp<String>,
    /// Its class, if it has one.
    #[prop(optional)]
    class: Option<&'static str>,
    /// Its columns; the cells of the first are the heads of their rows.
    #[prop(into)]
    columns: Vec<Column>,
    /// Its rows.
    rows: AnyView,
) -> AnyView {
    let head = |Column { head, class, silent }| {
        let text =
            if silent { view! { <span class="visually-hidden">{head}</span> }.into_any() } else { head.into_any() };
        view! { <th scope="col" class=class>{text}</th> }
    };
    let table = view! {
        <table class=class>
            {caption.get_untracked().is_some().then(|| view! { <caption>{move || caption.get()}</caption> })}
            <thead>
                <tr>{columns.into_iter().map(head).collect_view()}</tr>
            </thead>
            <tbody hidden=super::output::no_result()>{rows}</tbody>
        </table>
    }
    .into_any();
    match scroll {
        Some(label) => {
            view! { <div class="scroll" tabindex="0" role="group" aria-label=label>{table}</div> }.into_any()
        }
        None => table,
    }
}
