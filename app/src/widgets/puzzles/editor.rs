//! The editor: the element `<code-editor>` of `app/editor`, downloaded with the first of them, around a plain field that
//! serves until it is there, and where it does not come.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::{CustomEvent, CustomEventInit, Element};

use crate::ui::{dom, script, unique_id};

/// The event that puts the cursor on a line.
const GO_TO: &str = "go-to";

/// What is edited.
pub(in crate::widgets) struct Edited {
    /// Its language: `wgsl`, `python`.
    pub language: &'static str,
    /// What stands before the text, to its last line break.
    pub head: &'static str,
    /// What stands after it, from its line on.
    pub tail: &'static str,
    /// The text, without a line break at its end.
    pub text: RwSignal<String>,
    /// What a compiler complains about: a line `line:column message` for each.
    pub marks: Signal<String>,
    /// Who is at which line now: `line who` for each.
    pub places: Signal<String>,
    /// What it is called.
    pub label: String,
}

/// A handle on an editor that is on show.
#[derive(Clone, Copy)]
pub(in crate::widgets) struct Editor(NodeRef<html::Div>);

impl Editor {
    /// None yet.
    pub fn new() -> Self {
        Self(NodeRef::new())
    }

    /// Puts the cursor on a line, counted from 1 with the head's first.
    pub fn go_to(self, line: u32) {
        let Some(root) = self.0.get_untracked() else { return };
        let init = CustomEventInit::new();
        init.set_detail(&line.into());
        if let (Some(editor), Ok(event)) =
            (dom::find(&root, "code-editor"), CustomEvent::new_with_event_init_dict(GO_TO, &init))
        {
            // Nobody stops it.
            let _ = editor.dispatch_event(&event);
        }
    }

    /// The editor. `edited` is called after each change that the learner makes, `run` when they press Ctrl and Enter.
    pub fn view(
        self,
        edited: Edited,
        changed: impl Fn() + Copy + Send + Sync + 'static,
        run: impl Fn() + Copy + Send + Sync + 'static,
    ) -> AnyView {
        script::ask("code-editor.js");
        let Edited { language, head, tail, text, marks, places, label } = edited;
        let id = unique_id("code");
        let input = move |event: ev::Event| {
            // Of the field, or of the editor: both have a value.
            let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
            let value = js_sys::Reflect::get(&target, &"value".into()).ok().and_then(|value| value.as_string());
            if let Some(value) = value {
                text.set(value);
                changed();
            }
        };
        let pressed = move |event: ev::KeyboardEvent| {
            if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
                event.prevent_default();
                run();
            }
        };
        let after = if tail.is_empty() { String::new() } else { format!("\n{}", tail.trim_end()) };
        let name = label.clone();
        view! {
            <div class="kernel-text" node_ref=self.0 on:input=input on:keydown=pressed>
                <code-editor language=language head=head tail=after label=label prop:value=text prop:marks=marks prop:places=places>
                    {(!head.is_empty()).then(|| view! { <pre>{head}</pre> })}
                    <label class="visually-hidden" for=id.clone()>{name}</label>
                    <textarea id=id rows="8" spellcheck="false" prop:value=text></textarea>
                    {(!tail.is_empty()).then(|| view! { <pre>{tail}</pre> })}
                </code-editor>
            </div>
        }
        .into_any()
    }
}
