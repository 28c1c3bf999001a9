//! Which model a widget is about: one from the list, or the learner's own, from its `config.json`: pasted, chosen, or
//! dropped on the figure.

use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::declare::Model;
use ringside_core::model::config::check_size;
use ringside_core::model::reference::BY_COUNT;
use ringside_core::model::{Component, Import, Imported, ModelRef, Shape, import, presets};
use ringside_core::quantity::{count, grouped};
use ringside_core::serving::machine::Serves;
use web_sys::{DragEvent, File};

use crate::ui::file;
use crate::ui::later::Later;
use crate::ui::output::no_result;
use crate::ui::select::{Group, Select};
use crate::ui::state::State;
use crate::ui::unique_id;

/// What came of the last text or file.
#[derive(Debug, Clone, PartialEq)]
enum Report {
    /// It could not be used: why, a sentence each. What is on the screen stays.
    Refused(Vec<String>),
    /// Its family is not known: a question, and what to use if the answer is yes.
    Asks(String, Imported),
    /// It is on the screen; remarks on how it was read.
    Read(Imported),
    /// It is on the screen, counted by the rule of a family that it only looks like.
    Guessed(Imported),
}

/// Models that one figure alone has, the one of them that is chosen, and what to do when one is.
type Others = (&'static [(&'static str, &'static str)], Signal<Option<&'static str>>, Callback<&'static str>);

/// A widget's model: the list to choose from, the panel for a model of one's own, and the place to drop it.
#[derive(Clone, Copy)]
pub(crate) struct ModelInput {
    model: Signal<ModelRef>,
    set: Callback<ModelRef>,
    dropping: RwSignal<bool>,
    open: RwSignal<bool>,
    text: RwSignal<String>,
    report: RwSignal<Option<Report>>,
    /// The last model of the learner's own, to come back to.
    last: StoredValue<Option<ModelRef>>,
    /// That model as it was read, before a slider varied it.
    read: RwSignal<Option<Shape>>,
    box_: NodeRef<html::Textarea>,
    calm: Later,
    gone: Later,
}

impl ModelInput {
    /// The input for `model`; `set` is called with what the learner chooses.
    pub(crate) fn new(model: Signal<ModelRef>, set: impl Fn(ModelRef) + Send + Sync + 'static) -> Self {
        let (last, read) = (StoredValue::new(None), RwSignal::new(None));
        Effect::new(move |_| {
            let now = model.get();
            if let ModelRef::Custom { shape, .. } = now {
                last.set_value(Some(now));
                if read.with_untracked(Option::is_none) {
                    read.set(Some(shape));
                }
            }
        });
        Self {
            model,
            set: Callback::new(set),
            dropping: RwSignal::new(false),
            open: RwSignal::new(false),
            text: RwSignal::new(String::new()),
            report: RwSignal::new(None),
            last,
            read,
            box_: NodeRef::new(),
            calm: Later::after(300),
            gone: Later::after(500),
        }
    }

    /// The input of a figure of an engine.
    pub(crate) fn serving<P: Model + Serves>(state: State<P>) -> Self {
        let params = state.params();
        let model = Signal::derive(move || params.get().machine().model);
        Self::new(model, move |model| state.update(|p| p.machine().choose(model)))
    }

    /// Whether the panel is open. Tracks.
    pub(crate) fn is_open(self) -> bool {
        self.open.get()
    }

    /// The list, with the number of parameters beside it.
    pub(crate) fn choose_any(self) -> AnyView {
        let params = Signal::derive(move || self.model.get().size().map_or(0.0, |size| size.params));
        self.select(params, None)
    }

    /// The list with `others` below it, which only this figure has: the one that is chosen, and what to do when one is.
    pub(crate) fn select_or(
        self,
        others: &'static [(&'static str, &'static str)],
        chosen: Signal<Option<&'static str>>,
        choose: Callback<&'static str>,
    ) -> AnyView {
        let params = Signal::derive(move || self.model.get().size().map_or(0.0, |size| size.params));
        self.list(params, None, Some((others, chosen, choose)))
    }

    /// The list. `params` is the exact number of parameters; `by_count`, what to do when the learner wants to give only that.
    pub(crate) fn select(self, params: Signal<f64>, by_count: Option<Callback<()>>) -> AnyView {
        self.list(params, by_count, None)
    }

    fn list(self, params: Signal<f64>, by_count: Option<Callback<()>>, others: Option<Others>) -> AnyView {
        let mut own = vec![("custom", presets::CUSTOM)];
        if by_count.is_some() {
            own.insert(0, ("", BY_COUNT));
        }
        let mut models: Vec<_> = presets::ALL.iter().map(|p| (p.id, p.name)).collect();
        models.extend(others.map_or(&[][..], |(others, ..)| others));
        let groups = vec![Group { label: "", options: own }, Group { label: "Models", options: models }];
        let value = Signal::derive(move || {
            let other = others.and_then(|(_, chosen, _)| chosen.get());
            other.unwrap_or_else(|| match self.model.get() {
                ModelRef::Count(_) => "",
                ModelRef::Custom { .. } => "custom",
                ModelRef::Preset(preset) => preset.id,
            })
        });
        let set = move |id: &'static str| match (id, presets::find(id), by_count, others) {
            ("custom", ..) => self.choose(),
            (_, Some(preset), ..) => self.set.run(ModelRef::Preset(preset)),
            (_, None, Some(by_count), _) => by_count.run(()),
            (_, None, None, Some((.., choose))) => choose.run(id),
            _ => {}
        };
        let guess = move || match self.model.get() {
            ModelRef::Custom { guess: Some(family), .. } => {
                Some(format!("A guess: its model_type is not known; counted by the {} rule.", family.model_type()))
            }
            _ => None,
        };
        let nothing = no_result();
        view! {
            <Select name="model" label="Model" groups value set>
                <span class="hint nowrap" title=move || grouped(params.get() as u64)>
                    {move || if nothing() { "–".to_owned() } else { count(params.get()) }} " parameters"
                </span>
                <span class="hint guess" role="status">{guess}</span>
                <span class="hint varied" role="status">{move || self.varied()}</span>
            </Select>
        }
        .into_any()
    }

    /// What a slider has made of the learner's own model, with the way back.
    fn varied(self) -> Option<AnyView> {
        let ModelRef::Custom { shape, guess, stored } = self.model.get() else { return None };
        let (now, read) = (shape.num_hidden_layers, self.read.get()?);
        if now == read.num_hidden_layers || shape != read.with_layers(now) {
            return None;
        }
        let back = move |_| self.set.run(ModelRef::Custom { shape: read, guess, stored });
        let layers = read.num_hidden_layers;
        Some(
            view! {
                {format!("Your config.json with {} layers instead of {}. ", grouped(now), grouped(layers))}
                <button type="button" class="quiet" on:click=back>{format!("Back to {}", grouped(layers))}</button>
            }
            .into_any(),
        )
    }

    /// `figure` with everything around it that takes a dropped file.
    pub(crate) fn drop_zone(self, figure: AnyView) -> AnyView {
        view! {
            <div
                class="drop-zone"
                class:dropping=self.dropping
                on:dragover=move |event| self.over(&event)
                on:drop=move |event| self.drop(&event)
            >
                {figure}
            </div>
        }
        .into_any()
    }

    /// Goes back to the last model that was read, or asks for one.
    fn choose(self) {
        if let Some(model) = self.last.get_value() {
            self.set.run(model);
        } else {
            self.open.set(true);
            request_animation_frame(move || {
                if let Some(text) = self.box_.get_untracked() {
                    // A box without focus can still be clicked.
                    let _ = text.focus();
                }
            });
        }
    }

    /// Something is dragged over the figure.
    fn over(self, event: &DragEvent) {
        let has_file = event.data_transfer().is_some_and(|d| d.types().includes(&"Files".into(), 0));
        if has_file {
            event.prevent_default();
            self.dropping.set(true);
            self.gone.run(move || self.dropping.set(false));
        }
    }

    /// Something is dropped on the figure.
    fn drop(self, event: &DragEvent) {
        self.dropping.set(false);
        if let Some(file) = event.data_transfer().and_then(|d| d.files()).and_then(|files| files.get(0)) {
            event.prevent_default();
            self.open.set(true);
            self.read_file(file);
        }
    }

    fn read_file(self, file: File) {
        // By its size alone: a file that is too large is not looked into.
        if let Err(problem) = check_size(file.size() as u64) {
            self.report.set(Some(Report::Refused(vec![format!("{}: {problem}", file.name())])));
            return;
        }
        spawn_local(async move {
            match file::read_text(&file, 2e7).await {
                Ok(text) => {
                    self.read_text(&text);
                    self.text.set(text);
                }
                Err(why) => self.report.set(Some(Report::Refused(vec![why]))),
            }
        });
    }

    fn read_text(self, text: &str) {
        match import(text) {
            Ok(Import::Known(imported)) => self.show(imported, false),
            Ok(Import::Guess { imported, message, .. }) => self.report.set(Some(Report::Asks(message, imported))),
            Err(problems) => {
                let messages = problems.into_iter().map(|p| p.message).collect();
                self.report.set(Some(Report::Refused(messages)));
            }
        }
    }

    fn show(self, imported: Imported, guessed: bool) {
        self.read.set(Some(imported.shape));
        self.set.run(imported.model(guessed));
        self.report.set(Some(if guessed { Report::Guessed(imported) } else { Report::Read(imported) }));
    }

    /// The panel: a box to paste into, a file to choose, and what came of it.
    pub(crate) fn panel(self) -> AnyView {
        let id = unique_id("config");
        let typed = move |event| {
            let text = event_target_value(&event);
            self.text.set(text.clone());
            if text.trim().is_empty() {
                self.calm.cancel();
                self.report.set(None);
            } else {
                self.calm.run(move || self.read_text(&text));
            }
        };
        let chosen = move |event| {
            if let Some(file) = file::chosen(&event) {
                self.read_file(file);
            }
        };
        let refused = move || self.report.with(|r| matches!(r, Some(Report::Refused(_))));
        let node = NodeRef::<html::Details>::new();
        let toggled = move |_| self.open.set(node.get_untracked().is_some_and(|details| details.open()));
        view! {
            <details class="own-model" node_ref=node prop:open=self.open on:toggle=toggled>
                <summary>"Use your own config.json"</summary>
                <div class="own-model-body">
                    <div class="own-model-in">
                        <label for=id.clone()>
                            "Paste a Hugging Face config.json, choose the file, or drop it on the figure. It stays in your browser."
                        </label>
                        <textarea
                            id=id
                            rows="7"
                            spellcheck="false"
                            autocomplete="off"
                            placeholder="{ \"model_type\": \"llama\", \"hidden_size\": 4096, … }"
                            aria-invalid=move || refused().then_some("true")
                            node_ref=self.box_
                            prop:value=self.text
                            on:input=typed
                        ></textarea>
                        <label class="button secondary choose">
                            "Choose a file"
                            <input type="file" class="visually-hidden" accept=".json,application/json" on:change=chosen />
                        </label>
                    </div>
                    <div class="own-model-out">
                        <div role="status">{move || self.report.get().map(|report| self.outcome(report))}</div>
                        {self.components()}
                    </div>
                </div>
            </details>
        }
        .into_any()
    }

    fn outcome(self, report: Report) -> AnyView {
        match report {
            Report::Refused(messages) => {
                let list = messages.into_iter().map(|m| view! { <li>{m}</li> }).collect_view();
                view! {
                    <div class="message">
                        <p><b>"This was not used."</b> " Nothing has changed."</p>
                        <ul>{list}</ul>
                    </div>
                }
                .into_any()
            }
            Report::Asks(message, imported) => {
                let rule = imported.family.model_type();
                let yes = move |_| self.show(imported.clone(), true);
                view! {
                    <div class="message">
                        <p>{message}</p>
                        <button type="button" on:click=yes>{format!("Count it by the {rule} rule")}</button>
                        " "
                        <button type="button" class="secondary" on:click=move |_| self.report.set(None)>"Leave it"</button>
                    </div>
                }
                .into_any()
            }
            Report::Guessed(imported) => {
                let rule = imported.family.model_type();
                let warnings = imported.warnings.into_iter().map(|w| view! { <li>{w.message}</li> }).collect_view();
                view! {
                    <p class="guess">{format!("A guess: counted by the {rule} rule, though its model_type is not known.")}</p>
                    <ul class="fine">{warnings}</ul>
                }
                .into_any()
            }
            Report::Read(imported) => {
                let context = imported.context.map(|n| format!(", up to {} tokens", grouped(n)));
                let warnings = imported.warnings.into_iter().map(|w| view! { <li>{w.message}</li> }).collect_view();
                view! {
                    <p class="read">"✓ Read as " <b>{imported.family.model_type()}</b> {context} "."</p>
                    <ul class="fine">{warnings}</ul>
                }
                .into_any()
            }
        }
    }

    /// The parameters of the learner's model by component, once there is one: exact unless it is a guess, and still there after a reload.
    fn components(self) -> impl IntoView {
        let count = Memo::new(move |_| match self.model.get() {
            ModelRef::Custom { shape, guess, .. } => shape.count().ok().map(|count| (count, guess.is_some())),
            _ => None,
        });
        move || {
            count.get().map(|(count, guess)| {
                let rows = Component::ALL
                    .into_iter()
                    .filter(|c| count.of(*c) > 0)
                    .map(|c| {
                        view! { <tr><th scope="row">{c.label()}</th><td class="number">{grouped(count.of(c))}</td></tr> }
                    })
                    .collect_view();
                view! {
                    <table class="components">
                        <caption>{if guess { "Parameters of your model, by a guess" } else { "Parameters of your model" }}</caption>
                        <tbody>
                            {rows}
                            <tr class="sum"><th scope="row">"Total"</th><td class="number">{grouped(count.total)}</td></tr>
                        </tbody>
                    </table>
                }
            })
        }
    }
}
