//! The document: coloured by its parts, and changed in the same place.

use leptos::html;
use leptos::prelude::*;
use ringside_core::declare::Text as _;
use ringside_core::fim::cut::Cut;
use ringside_core::fim::figure::{Document, Shown};
use ringside_core::fim::pieces::{Kind, slice};

use super::{State, class};
use crate::ui::unique_id;

/// The document with its hole. What is typed is the document; where the caret stands, or what is selected, is the hole.
pub(super) fn view(state: State, shown: Memo<Option<Shown>>) -> AnyView {
    let params = state.params();
    let id = unique_id("document");
    let field = NodeRef::<html::Textarea>::new();
    let refused = RwSignal::new(None::<String>);
    let text = Memo::new(move |_| params.with(|p| p.document.text()));
    // As it is typed, with blanks at its end that a link does not keep.
    let own = RwSignal::new(text.get_untracked());
    Effect::new(move |_| {
        let given = text.get();
        if own.with_untracked(|own| own.trim() != given.trim()) {
            own.set(given);
        }
    });
    let typed = move |event| {
        let value = event_target_value(&event);
        let mut document = Document::default();
        refused.set(document.read(&value).err());
        own.set(value);
        state.update(|p| p.document = document);
    };
    let hole = move || {
        let Some(field) = field.get_untracked() else { return };
        let (Ok(Some(start)), Ok(Some(end))) = (field.selection_start(), field.selection_end()) else { return };
        // Of the field, positions are in UTF-16.
        let [from, to] = own.with_untracked(|text| [start, end].map(|at| characters(text, at)));
        let same = params.with_untracked(|p| p.cut == Cut::Own && (p.from, p.to) == (from, to));
        if !same {
            state.update(|p| (p.cut, p.from, p.to) = (Cut::Own, from, to));
        }
    };
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        if event.key() != "Tab" && event.key() != "Shift" {
            hole();
        }
    };
    let parts = move || {
        shown.with(|s| {
            let s = s.as_ref()?;
            let [from, to] = s.hole;
            let part = |kind, from, to| view! { <span class=class(kind)>{slice(&s.document, from, to)}</span> };
            let caret = (from == to).then(|| view! { <span class="fim-caret"></span> });
            Some(
                view! {
                    {part(Kind::Prefix, 0, from)}
                    {caret}
                    {part(Kind::Middle, from, to)}
                    {part(Kind::Suffix, to, usize::MAX)}
                }
                .into_any(),
            )
        })
    };
    let changed = move || params.with(|p| !p.document.0.is_empty());
    let back = move |_| {
        refused.set(None);
        state.update(|p| p.document = Document::default());
    };
    view! {
        <div class="fim-doc">
            <label for=id.clone()>"The document: type or paste, select the hole"</label>
            <div class="fim-page">
                <pre aria-hidden="true">{parts}</pre>
                <textarea
                    id=id
                    node_ref=field
                    wrap="off"
                    spellcheck="false"
                    autocapitalize="off"
                    prop:value=own
                    on:input=typed
                    on:keyup=pressed
                    on:pointerup=move |_| hole()
                ></textarea>
            </div>
            <p class="fine" role="status">{move || refused.get()}</p>
            <button type="button" class="quiet" disabled=move || !changed() on:click=back>"As it was"</button>
        </div>
    }
    .into_any()
}

/// A position in UTF-16 as one in characters.
fn characters(text: &str, at: u32) -> u64 {
    let mut units = 0;
    text.chars()
        .take_while(|c| {
            units += c.len_utf16() as u32;
            units <= at
        })
        .count() as u64
}
