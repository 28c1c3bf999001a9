//! A sheet over the page: focus stays in it, Escape or a click beside it closes it, focus returns to where it was.

use leptos::html;
use leptos::prelude::*;

/// Shows `content` in a modal `<dialog>` while `open` holds. `close` is called when the learner closes it.
pub fn view(
    open: Signal<bool>,
    close: impl Fn() + Copy + 'static,
    title: &'static str,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        if open.get() && !dialog.open() {
            // It can only fail on a dialog that is already open.
            let _ = dialog.show_modal();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    let beside = move |event: leptos::ev::MouseEvent| {
        let on_backdrop = node.get_untracked().is_some_and(|dialog| event.target() == Some(dialog.into()));
        if on_backdrop {
            close();
        }
    };
    view! {
        <dialog class="sheet sans" node_ref=node aria-label=title on:close=move |_| close() on:click=beside>
            <div class="sheet-body">
                <div class="sheet-head">
                    <h2>{title}</h2>
                    <button type="button" class="quiet" aria-label="Close" on:click=move |_| close()>"✕"</button>
                </div>
                <Show when=move || open.get()>{content()}</Show>
            </div>
        </dialog>
    }
}
