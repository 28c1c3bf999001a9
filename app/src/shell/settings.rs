//! Settings, and everything that is stored: to look at, to take along, to replace, to delete.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::practice::date;
use ringside_core::quantity::bytes_decimal;
use ringside_learner::doc::{self, Doc, Theme};
use ringside_learner::practice;

use super::offline;
use crate::clock;
use crate::deferred::{PageView, lazy};
use crate::store::{ASIDE, store};
use crate::ui::file;
use crate::ui::said::{Said, say};
use crate::ui::segmented::Segmented;

lazy! {
    /// Downloads the page.
    settings: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    view! {
        <article class="settings">
            <h1>"Settings"</h1>
            {appearance()}
            {stored()}
            {export()}
            {import()}
            {aside()}
            {offline::panel::view()}
            {reset()}
            {about()}
        </article>
    }
    .into_any()
}

fn appearance() -> impl IntoView {
    let store = store();
    let themes = [Theme::System, Theme::Light, Theme::Dark];
    let options =
        themes.iter().zip(["As the system", "Light", "Dark"]).map(|(theme, text)| (theme.name(), text)).collect();
    let value = Signal::derive(move || store.with(|doc| doc.settings.theme.name()));
    let set = move |name: &'static str| {
        let theme = themes.into_iter().find(|theme| theme.name() == name).unwrap_or_default();
        store.update(|doc| doc.settings.theme = theme);
    };
    view! {
        <section aria-labelledby="appearance">
            <h2 id="appearance">"Appearance"</h2>
            <div class="sans"><Segmented name="theme" label="Theme" options value set=Callback::new(set) /></div>
        </section>
        {shortcuts()}
    }
}

fn shortcuts() -> impl IntoView {
    let store = store();
    let options = vec![("on", "On"), ("off", "Off")];
    let value = Signal::derive(move || store.with(|doc| if doc.settings.no_shortcuts { "off" } else { "on" }));
    let set = move |name: &'static str| store.update(|doc| doc.settings.no_shortcuts = name == "off");
    view! {
        <section aria-labelledby="keyboard">
            <h2 id="keyboard">"Keyboard"</h2>
            <p>
                "Single keys such as "
                <kbd>"p"</kbd>
                " and "
                <kbd>"/"</kbd>
                " do something on every page. Turn them off if you dictate, or press keys by accident; a projected figure keeps its own."
            </p>
            <div class="sans"><Segmented name="shortcuts" label="Shortcuts of one key" options value set=Callback::new(set) /></div>
        </section>
    }
}

// -------------------------------------------------------------------- what is stored

/// What a document holds, as a learner would count it.
fn holds(doc: &Doc) -> [(&'static str, usize); 5] {
    [
        ("Chapters done", doc.chapters.values().filter(|c| c.done).count()),
        ("Exercises tried", doc.exercises.values().filter(|e| e.tries > 0).count()),
        ("Exercises right", doc.exercises.values().filter(|e| e.right).count()),
        ("Sources read", doc.sources.values().filter(|s| s.read).count()),
        ("Summaries written", doc.sources.values().filter(|s| !s.summary.trim().is_empty()).count()),
    ]
}

/// What a document holds of which it holds anything: `sources read: 2, summaries written: 1`.
fn in_words(doc: &Doc) -> String {
    let held = holds(doc).into_iter().filter(|(_, n)| *n > 0);
    held.map(|(what, n)| format!("{}: {n}", what.to_lowercase())).collect::<Vec<_>>().join(", ")
}

fn stored() -> impl IntoView {
    let store = store();
    let rows = move || {
        let rows = store.with(holds).map(|(what, n)| view! { <dt>{what}</dt> <dd>{n}</dd> });
        rows.collect_view()
    };
    let size = move || {
        store.with(|_| ());
        bytes_decimal(store.export().len() as f64)
    };
    view! {
        <section aria-labelledby="stored">
            <h2 id="stored">"What is stored"</h2>
            <p>
                "Everything that you do here is kept in this browser and nowhere else. Clearing the browser’s site data deletes it."
            </p>
            <dl class="facts sans">{rows} <dt>"Size"</dt> <dd>{size}</dd></dl>
        </section>
    }
}

fn export() -> impl IntoView {
    let store = store();
    let said: Said = RwSignal::new(None);
    let everything = move |_| {
        let name = format!("ringside-{}.json", date::iso(clock::today()));
        said.set(Some(file::save(&name, "application/json", &store.export())));
    };
    view! {
        <section aria-labelledby="export">
            <h2 id="export">"Export"</h2>
            <p>
                "One file with everything, to import in another browser or to keep. Your summaries as one document are under "
                <a href="practice/#summaries">"Practice"</a> "."
            </p>
            <p class="actions sans">
                <button type="button" on:click=everything>"Export everything"</button>
            </p>
            {say(said)}
        </section>
    }
}

/// A document that was read from a file and waits for the learner's yes.
#[derive(Clone, PartialEq)]
struct Offer {
    name: String,
    text: String,
    doc: Doc,
}

fn import() -> impl IntoView {
    let store = store();
    let said: Said = RwSignal::new(None);
    let offer = RwSignal::new(None::<Offer>);
    let choose = move |event: leptos::ev::Event| {
        let Some(chosen) = file::chosen(&event) else { return };
        said.set(None);
        offer.set(None);
        spawn_local(async move {
            let name = chosen.name();
            let read = match file::read_text(&chosen, 2e7).await {
                Ok(text) => {
                    let whole = |doc: Doc| practice::read(&doc).map(|_| doc);
                    match doc::read(&text).map_err(|why| why.to_string()).and_then(whole) {
                        Ok(doc) => Ok(Offer { name, text, doc }),
                        Err(why) => Err(format!("{name} was not imported: {why}. Nothing was changed.")),
                    }
                }
                Err(why) => Err(format!("{why} Nothing was changed.")),
            };
            // The page may have been left meanwhile.
            match read {
                Ok(read) => drop(offer.try_set(Some(read))),
                Err(why) => drop(said.try_set(Some(Err(why)))),
            }
        });
    };
    let accept = move |_| {
        let Some(Offer { name, text, doc }) = offer.get_untracked() else { return };
        offer.set(None);
        said.set(Some(store.import(&text).map(|()| {
            let came = in_words(&doc);
            if came.is_empty() {
                format!("{name} was imported. It holds settings only.")
            } else {
                format!("Imported from {name}: {came}.")
            }
        })));
    };
    let question = move || {
        offer.get().map(|Offer { name, doc, .. }| {
            let rows = store
                .with(holds)
                .into_iter()
                .zip(holds(&doc))
                .map(|((what, here), (_, there))| {
                    view! {
                        <tr>
                            <th scope="row">{what}</th>
                            <td class="number">{here}</td>
                            <td class="number">{there}</td>
                        </tr>
                    }
                })
                .collect_view();
            view! {
                <div class="question sans" role="group" aria-label="Replace what is stored?">
                    <p>"What is stored here will be replaced by what is in " <b>{name}</b> ":"</p>
                    <table>
                        <thead>
                            <tr>
                                <th scope="col"><span class="visually-hidden">"What"</span></th>
                                <th scope="col" class="number">"Stored here"</th>
                                <th scope="col" class="number">"In the file"</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                    <p class="actions">
                        <button type="button" on:click=accept>"Replace"</button>
                        <button type="button" class="secondary" on:click=move |_| offer.set(None)>"Keep what is here"</button>
                    </p>
                </div>
            }
        })
    };
    view! {
        <section aria-labelledby="import">
            <h2 id="import">"Import"</h2>
            <p>"From a file that was exported here. You see what would be replaced before anything is."</p>
            <p class="actions sans">
                <label for="import-file">"Import a file"</label>
                <input type="file" id="import-file" accept=".json,application/json" on:change=choose />
            </p>
            {question}
            {say(said)}
        </section>
    }
}

fn aside() -> impl IntoView {
    let store = store();
    let list = RwSignal::new(store.aside());
    let said: Said = RwSignal::new(None);
    let rows = move || {
        list.get()
            .into_iter()
            .map(|(key, text)| {
                let size = bytes_decimal(text.len() as f64);
                let number = key.strip_prefix(ASIDE).unwrap_or(&key).to_owned();
                let (save_label, delete_label) = (format!("Save {key}"), format!("Delete {key}"));
                let save = move |_| {
                    let name = format!("ringside-aside-{number}.json");
                    said.set(Some(file::save(&name, "application/json", &text)));
                };
                let delete = {
                    let key = key.clone();
                    move |_| {
                        store.forget_aside(&key);
                        said.set(Some(Ok(format!("{key} was deleted."))));
                        list.set(store.aside());
                    }
                };
                view! {
                    <li>
                        <span>{key} ", " {size}</span>
                        <button type="button" class="secondary" aria-label=save_label on:click=save>"Save"</button>
                        <button type="button" class="secondary" aria-label=delete_label on:click=delete>"Delete"</button>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <section aria-labelledby="aside" hidden=move || list.with(Vec::is_empty) && said.with(Option::is_none)>
            <h2 id="aside">"Kept aside"</h2>
            <p>"Documents that were stored here and could not be read, by this version at least. They are as they were found."</p>
            <ul class="aside-list sans">{rows}</ul>
            {say(said)}
        </section>
    }
}

fn reset() -> impl IntoView {
    let store = store();
    let asked = RwSignal::new(false);
    let said: Said = RwSignal::new(None);
    let delete = move |_| {
        store.reset();
        asked.set(false);
        said.set(Some(Ok("Everything stored here was deleted.".to_owned())));
    };
    let what = move || {
        let held = store.with(in_words);
        if held.is_empty() { String::new() } else { format!(" ({held})") }
    };
    let question = move || {
        asked.get().then(|| {
            view! {
                <div class="question sans" role="group" aria-label="Reset everything?">
                    <p>"This deletes everything stored here" {what} ", what was kept aside included. It cannot be undone."</p>
                    <p class="actions">
                        <button type="button" class="danger" on:click=delete>"Reset everything"</button>
                        <button type="button" class="secondary" on:click=move |_| asked.set(false)>"Keep it"</button>
                    </p>
                </div>
            }
        })
    };
    view! {
        <section aria-labelledby="reset">
            <h2 id="reset">"Reset"</h2>
            <p class="actions sans">
                <button
                    type="button"
                    class="secondary"
                    aria-expanded=move || asked.get().to_string()
                    on:click=move |_| {
                        said.set(None);
                        asked.update(|asked| *asked = !*asked);
                    }
                >
                    "Reset …"
                </button>
            </p>
            {question}
            {say(said)}
        </section>
    }
}

fn about() -> impl IntoView {
    view! {
        <section aria-labelledby="about">
            <h2 id="about">"About"</h2>
            <p>
                "Ringside " {env!("CARGO_PKG_VERSION")} ", stored format " {doc::VERSION}
                ". Free software under MIT or Apache-2.0, at your choice. Its typefaces are "
                <a href="licences/OFL-source-serif-4.txt" rel="external">"Source Serif 4"</a> " and "
                <a href="licences/OFL-inter.txt" rel="external">"Inter"</a>
                ", both under the SIL Open Font License; its editor is "
                <a href="licences/MIT-codemirror.txt" rel="external">"CodeMirror"</a> ", under MIT. " <kbd>"?"</kbd> " shows the keyboard’s shortcuts."
            </p>
            <p>
                "Do you teach? Everything for your class is under " <a href="teach/">"Teach"</a> "."
            </p>
            <p>
                "What was tried so that everyone can use this, and what is known to be missing: "
                <a href="accessibility.html" rel="external">"Accessibility"</a> "."
            </p>
        </section>
    }
}
