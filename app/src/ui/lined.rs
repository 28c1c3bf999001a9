//! A field for lines of text, with their numbers, and what is wrong with them beside it.

use leptos::html;
use leptos::prelude::*;

use super::unique_id;

/// What is wrong with a line, counted from 1.
pub type Remark = (usize, String);

/// A field for lines of text. Nothing that is typed is lost: what is wrong is said beside it, and leads to its line.
#[component]
pub fn Lined(
    /// What is to be written.
    #[prop(into)]
    label: Signal<String>,
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// Called with each change.
    #[prop(into)]
    set: Callback<String>,
    /// What is wrong with which lines.
    #[prop(into)]
    remarks: Signal<Vec<Remark>>,
    /// Lines that are shown at least.
    #[prop(default = 6)]
    least: usize,
) -> impl IntoView {
    let id = unique_id("lines");
    let field = NodeRef::<html::Textarea>::new();
    // As it is typed, with blanks at its end that what is read of it may not have.
    let own = RwSignal::new(text.get_untracked());
    Effect::new(move |_| {
        let given = text.get();
        if own.with_untracked(|own| own.trim() != given.trim()) {
            own.set(given);
        }
    });
    let typed = move |event| {
        let value = event_target_value(&event);
        own.set(value.clone());
        set.run(value);
    };
    let count = Memo::new(move |_| own.with(|text| text.split('\n').count()).max(least));
    let numbers = move || {
        let wrong: Vec<usize> = remarks.with(|list| list.iter().map(|(line, _)| *line).collect());
        (1..=count.get()).map(|line| view! { <span class:wrong=wrong.contains(&line)>{line}</span> }).collect_view()
    };
    let go = move |line: usize| {
        let Some(field) = field.get_untracked() else { return };
        // Of the field, positions are in UTF-16.
        let (start, end) = own.with_untracked(|text| {
            let before: usize = text.split('\n').take(line - 1).map(|l| l.encode_utf16().count() + 1).sum();
            let here = text.split('\n').nth(line - 1).map_or(0, |l| l.encode_utf16().count());
            (before as u32, (before + here) as u32)
        });
        // A field that cannot be focused is not on show.
        let _ = field.focus();
        let _ = field.set_selection_range(start, end);
    };
    let said = move || {
        remarks.with(|list| {
            list.iter()
                .map(|(line, why)| {
                    let (line, why) = (*line, why.clone());
                    view! {
                        <li>
                            <button type="button" class="quiet" on:click=move |_| go(line)>{format!("Line {line}")}</button>
                            <span>{why}</span>
                        </li>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <div class="lined">
            <label for=id.clone()>{label}</label>
            <div class="lined-body">
                <div class="lined-scroll">
                    <div class="lined-numbers" aria-hidden="true">{numbers}</div>
                    <textarea
                        id=id
                        node_ref=field
                        rows=move || count.get().to_string()
                        wrap="off"
                        spellcheck="false"
                        autocapitalize="off"
                        prop:value=own
                        on:input=typed
                    ></textarea>
                </div>
                <ul class="lined-remarks" aria-live="polite">{said}</ul>
            </div>
        </div>
    }
}
