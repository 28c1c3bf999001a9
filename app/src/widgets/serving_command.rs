//! The command that starts a server: written for an engine, and taken from what somebody pastes.

use leptos::html;
use leptos::prelude::*;
use ringside_core::serving::command::{Read, Server, read};
use ringside_core::serving::step::Quant;

use super::export::copy_button;
use crate::ui::segmented::Segmented;
use crate::ui::unique_id;

/// Folded. `write` writes the state for an engine, `take` puts what was read into the state and says what has no place in it; `quant` is the
/// form of the weights, which the checkpoint must have.
pub(super) fn view(
    write: impl Fn(Server) -> Result<String, String> + Copy + Send + Sync + 'static,
    take: impl Fn(&Read) -> Vec<String> + Copy + Send + Sync + 'static,
    quant: Signal<Quant>,
) -> AnyView {
    let server = RwSignal::new(Server::Vllm);
    let written = Memo::new(move |_| write(server.get()));
    let text = move || written.with(|w| w.clone().unwrap_or_default());
    let refused = move || written.with(|w| w.as_ref().err().cloned());
    let needs = move || quant.get().needs().map(|what| format!("These weights need {what}: put its repository there."));
    let node = NodeRef::<html::Pre>::new();
    let value = Signal::derive(move || server.get().id());
    let set = move |id: &'static str| server.set(Server::find(id).unwrap_or_default());
    let options = Server::ALL.map(|server| (server.id(), server.label())).to_vec();
    let id = unique_id("command");
    let said = RwSignal::new(Vec::<String>::new());
    let typed = move |event| {
        let pasted = event_target_value(&event);
        said.set(match read(&pasted) {
            Some(command) => {
                let mut left = take(&command);
                left.insert(0, format!("Read as a command of {}.", command.server.label()));
                left
            }
            None if pasted.trim().is_empty() => Vec::new(),
            None => vec!["No command is found here. Paste one that begins with “vllm serve”.".to_owned()],
        });
    };
    view! {
        <details class="export">
            <summary>"Server command"</summary>
            <div class="export-head">
                <Segmented name="server" label="Written for" options value set />
                {copy_button(text, node, Signal::derive(move || refused().is_some()))}
            </div>
            <p class="message" role="status" hidden=move || refused().is_none()>{refused}</p>
            <pre
                class="scroll"
                tabindex="0"
                node_ref=node
                role="group"
                aria-label="The command as text"
                hidden=move || refused().is_some()
            >
                {text}
            </pre>
            <p class="fine">{needs}</p>
            <label for=id.clone()>"Paste a server command to set the figure"</label>
            <textarea
                id=id
                rows="3"
                spellcheck="false"
                autocomplete="off"
                placeholder="vllm serve … --tensor-parallel-size 2"
                on:change=typed
            ></textarea>
            <ul class="fine" role="status">
                {move || said.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}
            </ul>
        </details>
    }
    .into_any()
}
