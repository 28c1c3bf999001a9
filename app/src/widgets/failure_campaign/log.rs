//! The log of a run of one's own, whose failures and checkpoints count instead of the published ones.

use leptos::prelude::*;
use ringside_core::declare::Text as _;
use ringside_core::failure::log::Log;
use ringside_core::quantity::{Unit, grouped};

use super::State;
use crate::ui::unique_id;

/// A log that can be tried.
const EXAMPLE: &str = "START\nFETCH 30.0\nCOMPUTE_START\nCOMPUTE_END 3000.0\nCHECKPOINT_START\nCHECKPOINT_END 60.0\nSTART\nFETCH 40.0\n\
                       RESTART_SUCCESS 10.0\nCOMPUTE_START\nCOMPUTE_END 4500.0\nCHECKPOINT_START\nCHECKPOINT_END 80.0";

/// A field for it, and what was read.
pub(super) fn view(state: State) -> AnyView {
    let params = state.params();
    let text = RwSignal::new(params.with_untracked(|p| p.log.write().replace(';', "\n")));
    let trouble = RwSignal::new(None::<String>);
    let id = unique_id("log");
    let read = move || {
        let mut log = Log::default();
        match text.with_untracked(|text| log.read(text)) {
            Ok(()) => {
                trouble.set(None);
                state.update(|p| p.log = log);
            }
            Err(why) => trouble.set(Some(why)),
        }
    };
    let example = move |_| {
        text.set(EXAMPLE.to_owned());
        read();
    };
    let forget = move |_| {
        text.set(String::new());
        read();
    };
    let measured = move || {
        params.with(|p| {
            p.log.measured.map(|log| {
                format!(
                    "{} starts and {} checkpoints: one failure every {}, a checkpoint costs {}. These count now.",
                    grouped(log.starts.into()),
                    grouped(log.checkpoints.into()),
                    Unit::Seconds.format(log.mtbf),
                    Unit::Seconds.format(log.cost)
                )
            })
        })
    };
    view! {
        <details class="fold own-log">
            <summary>"A run of your own " <span>"from its log"</span></summary>
            <label for=id.clone()>
                "One entry a line, as SCR logs them: START, COMPUTE_END and its seconds, CHECKPOINT_END and its seconds, RESTART_SUCCESS and its \
                 seconds."
            </label>
            <textarea
                id=id
                rows="6"
                spellcheck="false"
                prop:value=move || text.get()
                on:input=move |event| text.set(event_target_value(&event))
            ></textarea>
            <p class="own-log-tools">
                <button type="button" on:click=move |_| read()>"Read it"</button>
                <button type="button" class="quiet" on:click=example>"Try an example"</button>
                <button type="button" class="quiet" on:click=forget>"Forget it"</button>
            </p>
            <div role="status">
                {move || trouble.get().map(|why| view! { <p class="message">{why}</p> })}
                {move || measured().map(|text| view! { <p class="fine">{text}</p> })}
            </div>
        </details>
    }
    .into_any()
}
