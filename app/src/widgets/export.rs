//! A layout in the words of a framework, to take along.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_split::wasm_split;
use ringside_core::memory::export::{Export, Target};
use ringside_core::memory::{Mode, Params};

use crate::deferred::NotLoaded;
use crate::ui::clipboard;
use crate::ui::later::Later;
use crate::ui::segmented::Segmented;

/// The listing of a layout.
pub(super) type View = fn(Signal<Params>) -> AnyView;

/// Downloads it: small figures have none.
#[wasm_split(memory_export, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<View, NotLoaded> {
    Ok(view)
}

/// Folded; nothing in inference.
fn view(params: Signal<Params>) -> AnyView {
    let target = RwSignal::new(Target::Megatron);
    let export = Memo::new(move |_| params.with(|p| target.get().write(p)));
    let copied = RwSignal::new("Copy");
    let forget = Later::after(2500);
    let text = NodeRef::<html::Pre>::new();
    let copy = move |_| {
        spawn_local(async move {
            let done = clipboard::copy(&export.with_untracked(|e: &Export| e.text.clone())).await;
            copied.set(if done { "Copied ✓" } else { "Select it and copy" });
            if let (false, Some(text)) = (done, text.get_untracked()) {
                // The text can still be selected by hand.
                let _ = text.focus();
            }
            forget.run(move || copied.set("Copy"));
        });
    };
    let value = Signal::derive(move || target.get().id());
    let set = move |id: &'static str| target.set(Target::find(id).unwrap_or(Target::Megatron));
    let options = Target::ALL.map(|t| (t.id(), t.label())).to_vec();
    let left_out = move || export.with(|e| e.left_out.iter().map(|s| view! { <li>{*s}</li> }).collect_view());
    let nothing = move || params.with(|p| p.mode == Mode::Inference);
    view! {
        <details class="export" class:nowhere=nothing>
            <summary>"Take this layout with you"</summary>
            <div class="export-head">
                <Segmented name="export" label="Written for" options value set />
                <button type="button" class="secondary" on:click=copy>
                    <span aria-live="polite">{move || copied.get()}</span>
                </button>
            </div>
            <pre class="scroll" tabindex="0" node_ref=text role="group" aria-label="The layout as text">
                {move || export.with(|e| e.text.clone())}
            </pre>
            <p class="fine">"It does not say:"</p>
            <ul class="fine">{left_out}</ul>
        </details>
    }
    .into_any()
}
