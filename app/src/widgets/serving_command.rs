//! The command that starts a server: written for an engine, and taken from what somebody pastes.

use leptos::prelude::*;
use ringside_core::serving::command::{Read, Server, read};
use ringside_core::serving::step::Quant;

use super::export::listing;
use crate::ui::later::Later;
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
    let needs = move || {
        quant.get().needs(server.get()).map(|what| format!("These weights need {what}: put its repository there."))
    };
    let value = Signal::derive(move || server.get().id());
    let set = move |id: &'static str| server.set(Server::find(id).unwrap_or_default());
    let options = Server::ALL.map(|server| (server.id(), server.label())).to_vec();
    let id = unique_id("command");
    let said = RwSignal::new(Vec::<String>::new());
    let calm = Later::after(400);
    let taken = move |pasted: String| {
        said.set(match read(&pasted) {
            Some(command) => {
                let mut left = take(&command);
                left.insert(0, format!("Read as {}.", command.server.label()));
                left
            }
            None if pasted.trim().is_empty() => Vec::new(),
            None => vec![
                "No server command found. Paste one that begins with “vllm serve”, “trtllm-serve” or “python -m sglang.launch_server”."
                    .to_owned(),
            ],
        });
    };
    let head = view! { <Segmented name="server" label="Written for" options value set /> };
    view! {
        <details class="export">
            <summary>"Server command"</summary>
            {listing(head.into_any(), written, "The command as text")}
            <p class="fine">
                {move || {
                    let server = server.get();
                    format!("The argument parser of {} {} accepts commands like this one. ", server.label(), server.version())
                }} {needs}
            </p>
            <label for=id.clone()>"Paste a server command to set the figure"</label>
            <textarea
                id=id
                rows="3"
                spellcheck="false"
                autocomplete="off"
                placeholder="vllm serve … --tensor-parallel-size 2"
                on:input=move |event| {
                    let pasted = event_target_value(&event);
                    calm.run(move || taken(pasted));
                }
            ></textarea>
            <ul class="fine" role="status">
                {move || said.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()}
            </ul>
        </details>
    }
    .into_any()
}
