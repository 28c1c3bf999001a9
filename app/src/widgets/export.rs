//! A layout in the words of a framework, to take along.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::memory::export::Target;
use ringside_core::memory::{Mode, Params};

use crate::deferred::lazy;
use crate::ui::later::Later;
use crate::ui::segmented::Segmented;
use crate::ui::{clipboard, file};

/// The listing of a layout.
pub(super) type View = fn(Signal<Params>) -> AnyView;

lazy! {
    /// Downloads it: small figures have none.
    memory_export: pub(super) fn load() -> View {
        view
    }
}

/// A button that copies what `now` says, which `text` shows.
pub(super) fn copy_button(
    now: impl Fn() -> String + Copy + 'static,
    text: NodeRef<html::Pre>,
    disabled: Signal<bool>,
) -> impl IntoView {
    let copied = RwSignal::new("Copy");
    let forget = Later::after(2500);
    let copy = move |_| {
        let said = untrack(now);
        spawn_local(async move {
            let done = clipboard::copy(&said).await;
            copied.set(if done { "Copied ✓" } else { "Select it and copy" });
            if let (false, Some(text)) = (done, text.get_untracked()) {
                // The text can still be selected by hand.
                let _ = text.focus();
            }
            forget.run(move || copied.set("Copy"));
        });
    };
    view! {
        <button type="button" class="secondary" disabled=disabled on:click=copy>
            <span aria-live="polite">{move || copied.get()}</span>
        </button>
    }
}

/// Folded; nothing in inference.
fn view(params: Signal<Params>) -> AnyView {
    let target = RwSignal::new(Target::Megatron);
    let export = Memo::new(move |_| params.with(|p| target.get().write(p)));
    // With a reason in place of the text where the framework would not start.
    let written = move || export.with(|e| e.as_ref().map(|e| e.text.clone()).unwrap_or_default());
    let now = move || export.with_untracked(|e| e.as_ref().map(|e| e.text.clone()).unwrap_or_default());
    let refused = move || export.with(|e| e.as_ref().err().cloned());
    let saved = RwSignal::new(String::new());
    let save = move |_| {
        let file = target.get_untracked().file();
        saved.set(file::save(file, "text/plain", &now()).unwrap_or_else(|why| why));
    };
    let text = NodeRef::<html::Pre>::new();
    let value = Signal::derive(move || target.get().id());
    let set = move |id: &'static str| target.set(Target::find(id).unwrap_or(Target::Megatron));
    let options = Target::ALL.map(|t| (t.id(), t.label())).to_vec();
    let nothing = move || params.with(|p| p.mode == Mode::Inference);
    view! {
        <details class="export" class:nowhere=nothing>
            <summary>"Take this layout with you"</summary>
            <div class="export-head">
                <Segmented name="export" label="Written for" options value set />
                <button type="button" class="secondary" disabled=move || refused().is_some() on:click=save>
                    "Download"
                </button>
                {copy_button(now, text, Signal::derive(move || refused().is_some()))}
            </div>
            <p class="message" role="status" hidden=move || refused().is_none()>{refused}</p>
            <pre
                class="scroll"
                tabindex="0"
                node_ref=text
                role="group"
                aria-label="The layout as text"
                hidden=move || refused().is_some()
            >
                {written}
            </pre>
            <p class="fine" role="status">{move || saved.get()}</p>
        </details>
    }
    .into_any()
}
