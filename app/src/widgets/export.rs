//! A layout in the words of a framework, to take along.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::memory::export::Target;
use ringside_core::memory::{Mode, Params};
use ringside_core::run::planned;

use crate::deferred::lazy;
use crate::ui::later::Later;
use crate::ui::segmented::Segmented;
use crate::ui::{clipboard, file, link};

/// The listing of a layout.
pub(super) type View = fn(Signal<Params>, Signal<Option<u64>>) -> AnyView;

lazy! {
    /// Downloads it: small figures have none.
    memory_export: pub(super) fn load() -> View {
        view
    }
}

/// A button that copies what `now` says, which `text` shows.
fn copy_button(
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

/// What is written, or why it can't be, under `head` and a button that copies it. `label` names the text.
pub(super) fn listing(head: AnyView, written: Memo<Result<String, String>>, label: &'static str) -> AnyView {
    let text = move || written.with(|w| w.clone().unwrap_or_default());
    let refused = move || written.with(|w| w.as_ref().err().cloned());
    let is_refused = Signal::derive(move || written.with(Result::is_err));
    let node = NodeRef::<html::Pre>::new();
    view! {
        <div class="export-head">{head} {copy_button(text, node, is_refused)}</div>
        <p class="message" role="status" hidden=move || !is_refused.get()>{refused}</p>
        <pre class="scroll" tabindex="0" node_ref=node role="group" aria-label=label hidden=is_refused>
            {text}
        </pre>
    }
    .into_any()
}

/// Folded; nothing in inference. `node` is how many GPUs a node has, where that is known.
fn view(params: Signal<Params>, node: Signal<Option<u64>>) -> AnyView {
    let target = RwSignal::new(Target::Megatron);
    // With a reason in place of the text where the framework would not start.
    let written = Memo::new(move |_| params.with(|p| target.get().write(p)).map(|export| export.text));
    let saved = RwSignal::new(String::new());
    let save = move |_| {
        let file = target.get_untracked().file();
        let text = written.with_untracked(|w| w.clone().unwrap_or_default());
        saved.set(file::save(file, "text/plain", &text).unwrap_or_else(|why| why));
    };
    let value = Signal::derive(move || target.get().id());
    let set = move |id: &'static str| target.set(Target::find(id).unwrap_or(Target::Megatron));
    let options = Target::ALL.map(|t| (t.id(), t.label())).to_vec();
    let head = view! {
        <Segmented name="export" label="Written for" options value set />
        <button type="button" class="secondary" disabled=move || written.with(Result::is_err) on:click=save>
            "Download"
        </button>
    };
    let beside = move || link::to_run(&params.with(|p| planned(p, node.get())));
    let nothing = move || params.with(|p| p.mode == Mode::Inference);
    view! {
        <details class="export" class:nowhere=nothing>
            <summary>"Take this layout with you"</summary>
            {listing(head.into_any(), written, "The layout as text")}
            <p class="fine" role="status">{move || saved.get()}</p>
            <p>
                "Once it runs, "
                <a href=beside>"compare the run with this prediction"</a>
                ": bring its log or its trace."
            </p>
        </details>
    }
    .into_any()
}
