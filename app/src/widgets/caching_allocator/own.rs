//! The learner's own memory snapshot. It stays in the browser.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::allocator::Snapshot;

use crate::ui::file;
use crate::ui::unique_id;

/// Bytes that are read.
const MOST_BYTES: f64 = 50e6;

/// The snapshot that was given.
#[derive(Clone, Copy)]
pub(super) struct Own {
    /// What was read; nothing for the simulated allocator.
    pub snapshot: RwSignal<Option<Snapshot>>,
    /// What the file is called.
    pub name: RwSignal<String>,
    problems: RwSignal<Vec<String>>,
}

impl Own {
    pub fn new() -> Self {
        Self { snapshot: RwSignal::new(None), name: RwSignal::new(String::new()), problems: RwSignal::new(Vec::new()) }
    }

    pub fn read(self, files: Vec<web_sys::File>) {
        let Some(given) = files.into_iter().next() else { return };
        spawn_local(async move {
            let bytes = file::read_bytes(&given, MOST_BYTES).await;
            let name = given.name();
            let read = match bytes {
                Ok(bytes) => Snapshot::read(&bytes).map_err(|why| format!("{name}: {why}")),
                Err(why) => Err(why),
            };
            match read {
                Ok(snapshot) => {
                    self.problems.set(snapshot.problems.clone());
                    self.name.set(name);
                    self.snapshot.set(Some(snapshot));
                }
                // What was on show stays.
                Err(why) => self.problems.set(vec![why]),
            }
        });
    }
}

/// Where it is chosen, and what was wrong with it.
pub(super) fn view(own: Own) -> impl IntoView {
    let id = unique_id("own-snapshot");
    let problem = |text: String| view! { <li>{text}</li> };
    view! {
        <section class="alloc-own">
            <p class="alloc-title">"Your own snapshot"</p>
            <p class="fine">
                "Drop what torch.cuda.memory._dump_snapshot() wrote on the figure, or _snapshot() as JSON, up to 50 MB. It stays in your browser."
            </p>
            <div class="alloc-files">
                <label for=id.clone()>"Choose a snapshot"</label>
                <input
                    type="file"
                    id=id
                    accept=".pickle,.pkl,.json"
                    on:change=move |event| own.read(file::all_chosen(&event))
                />
                <button
                    type="button"
                    class="secondary"
                    hidden=move || own.snapshot.with(Option::is_none)
                    on:click=move |_| own.snapshot.set(None)
                >
                    "Back to the simulated allocator"
                </button>
            </div>
            <div role="alert">
                <ul class="alloc-problems" hidden=move || own.problems.with(Vec::is_empty)>
                    {move || own.problems.get().into_iter().map(problem).collect_view()}
                </ul>
            </div>
        </section>
    }
}
