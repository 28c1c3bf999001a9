//! A learner's own text, whatever it computes: the text, what it is given, and the stepper.

use leptos::ev;
use leptos::prelude::*;
use ringside_core::kernels::glass::{Declared, Fill, Filled, Need, Source};
use ringside_core::kernels::workbench::OWN;
use ringside_core::query::Query;
use ringside_shaders::puzzles;

use super::complaint;
use crate::ui::later::Later;
use crate::ui::unique_id;
use crate::widgets::glass::Glass;
use crate::widgets::puzzles::draft::Draft;
use crate::widgets::puzzles::editor::{Edited, Editor};
use crate::widgets::puzzles::kept;

/// The text, and what it is given.
#[derive(Clone, Copy)]
struct Own {
    draft: Draft,
    glass: Glass,
    /// What was read of the last text that could be read.
    read: RwSignal<Declared>,
}

impl Own {
    fn given(self) -> String {
        self.draft.work.with_untracked(|work| work.given.clone())
    }

    /// Has what it needs read anew.
    fn declare(self) {
        self.glass.declare(self.draft.text.get_untracked(), self.given());
    }

    fn step(self) {
        self.draft.keep();
        self.declare();
        self.glass.open(Source::Own { text: self.draft.text.get_untracked(), given: self.given() });
    }

    /// Changes something that it is given; nothing means the default. A run that is open begins anew.
    fn set(self, name: &str, value: &str) {
        let mut query = Query::parse(&self.given());
        match value.trim() {
            "" => query = query.without(name),
            value => query.set(name, value),
        }
        kept::change(OWN.id, |work| work.given = query.to_string());
        if self.glass.is_open_now() { self.step() } else { self.declare() }
    }
}

/// All of it.
pub(super) fn view() -> AnyView {
    let own =
        Own { draft: Draft::new(OWN.id, puzzles::OWN), glass: Glass::new(), read: RwSignal::new(Declared::default()) };
    let Own { draft, glass, read } = own;
    let rest = Later::after(400);
    own.declare();
    let declared = glass.declared();
    Effect::new(move |_| {
        if let Some(declared) = declared.get().filter(|declared| !declared.entries.is_empty()) {
            read.set(declared);
        }
    });
    let notes = Memo::new(move |_| declared.with(|d| d.as_ref().map(|d| d.notes.clone()).unwrap_or_default()));
    let marks = Signal::derive(move || {
        let mark = |note: &ringside_core::kernels::job::Note| {
            format!("{}:{} {}", note.line, note.column, note.text.replace('\n', " "))
        };
        notes.with(|notes| notes.iter().filter(|note| note.line > 0).map(mark).collect::<Vec<_>>().join("\n"))
    });
    let editor = Editor::new();
    let changed = move || {
        draft.changed();
        rest.run(move || own.declare());
    };
    let again = move |_| {
        draft.begin_again();
        kept::change(OWN.id, |work| work.given.clear());
        glass.close();
        own.declare();
    };
    let is_start = move || draft.is_start() && draft.work.with(|work| work.given.is_empty());
    let edited = Edited {
        language: "wgsl",
        head: "",
        tail: "",
        text: draft.text,
        marks,
        places: Signal::stored(String::new()),
        label: "Your kernel".to_owned(),
    };
    let complaints = move || {
        let notes = notes.get();
        (!notes.is_empty()).then(|| {
            let items = notes.into_iter().map(|note| complaint(note, editor)).collect_view();
            view! { <div class="message"><p>"It can’t be run yet."</p><ul class="complaints">{items}</ul></div> }
        })
    };
    let trouble = move || glass.trouble().map(|why| view! { <p class="message">{why}</p> });
    view! {
        <div class="workbench">
            <p class="puzzle-task">{OWN.task}</p>
            <p class="fine by-keys">
                "Tab indents; " <kbd>"Esc"</kbd> " and then " <kbd>"Tab"</kbd> " leaves the editor; " <kbd>"Ctrl Enter"</kbd> " steps."
            </p>
            {editor.view(edited, changed, move || own.step())}
            <div role="status" class="verdict">{complaints}{trouble}</div>
            {rows(own)}
            <div class="bench-actions">
                <button type="button" on:click=move |_| own.step()>"Step it"</button>
                <button type="button" class="quiet" disabled=is_start on:click=again>"Reset the kernel"</button>
            </div>
            {glass.view()}
        </div>
    }
    .into_any()
}

/// What it is given: a row for each buffer and constant, and the number of workgroups.
fn rows(own: Own) -> AnyView {
    let read = own.read;
    let entries = Memo::new(move |_| read.with(|d| d.entries.clone()));
    let entry = Memo::new(move |_| read.with(|d| d.entry.clone()));
    let choice = move || {
        let entries = entries.get();
        (entries.len() > 1).then(|| {
            let id = unique_id("own-entry");
            let chosen = entry.get_untracked();
            let options = entries.into_iter().map(|name| {
                let selected = name == chosen;
                view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
            });
            let change = move |event| own.set(Declared::ENTRY, &event_target_value(&event));
            view! {
                <div class="own-row">
                    <div class="field">
                        <label for=id.clone()>"Entry point"</label>
                        <select id=id on:change=change prop:value=move || entry.get()>{options.collect_view()}</select>
                    </div>
                </div>
            }
        })
    };
    let group = move |axis: usize, label: &'static str| {
        let value = Memo::new(move |_| read.with(|d| d.groups[axis].to_string()));
        let set = move |text: String| {
            let mut all = read.with_untracked(|d| d.groups).map(|n| n.to_string());
            all[axis] = text.trim().to_owned();
            own.set(Declared::GROUPS, &all.join(","));
        };
        field(label, value, set, "numeric")
    };
    let workgroup = move || {
        let [x, y, z] = read.with(|d| d.workgroup);
        format!("each of {x} × {y} × {z} invocations")
    };
    let groups_wrong = move || {
        let wrong = read.with(|d| d.groups_wrong.clone());
        wrong.map(|why| view! { <p class="field-error" role="alert">{why}</p> })
    };
    // What a row is made of. What its fields hold changes within it, so that the focus stays.
    let made = move || {
        read.with(|d| {
            let key = |need: &Need| {
                (need.name.clone(), need.says.clone(), need.members.clone(), need.array.as_ref().map(|a| a.fixed))
            };
            d.needs.iter().map(key).collect::<Vec<_>>()
        })
    };
    let cautions = move || {
        let all = read.with(|d| d.cautions.clone());
        all.into_iter().map(|text| view! { <p class="fine">{text}</p> }).collect_view()
    };
    view! {
        <fieldset class="own-given" hidden=move || read.with(|d| d.entry.is_empty())>
            <legend>"Inputs and workgroups"</legend>
            {choice}
            <div class="own-row">
                <p class="own-name">"Workgroups" <small>{workgroup}</small></p>
                {group(0, "x")} {group(1, "y")} {group(2, "z")}
                {groups_wrong}
            </div>
            <For each=made key=Clone::clone children=move |(name, says, members, fixed)| row(own, name, says, members, fixed) />
            {cautions}
            <p class="fine">
                "Random floats lie between −1 and 1, random integers below the length. To test the edges, choose a length that isn’t a multiple of the workgroup."
            </p>
        </fieldset>
    }
    .into_any()
}

/// A buffer or a constant. `fixed` says whether its array's length stands in the text, if it has one.
fn row(own: Own, name: String, says: String, members: String, fixed: Option<bool>) -> AnyView {
    let read = own.read;
    let stored = StoredValue::new(name.clone());
    let need = Memo::new(move |_| {
        read.with(|d| {
            stored.with_value(|name| d.needs.iter().find(|need| need.name == *name).cloned().unwrap_or_default())
        })
    });
    let set =
        move |part: &'static str, value: &str| stored.with_value(|name| own.set(&Declared::given(name, part), value));
    let array = Memo::new(move |_| need.with(|need| need.array.clone().unwrap_or_default()));
    let of = move |look: fn(&Filled) -> String| Memo::new(move |_| array.with(look));
    let first = (!members.is_empty()).then(|| {
        let value = Memo::new(move |_| need.with(|need| need.first.clone()));
        field(members.clone(), value, move |text| set("first", &text), "text")
    });
    let filled = fixed.map(|fixed| {
        let id = unique_id("own-fill");
        let fill = of(|array| array.fill.id().to_owned());
        let chosen = fill.get_untracked();
        let options = Fill::ALL.map(|(_, id, label)| view! { <option value=id selected=id == chosen>{label}</option> });
        let length = move || match fixed {
            true => view! { <p class="own-fixed">{move || format!("{} elements", array.with(|a| a.length))}</p> }.into_any(),
            false => field("Length", of(|a| a.length.to_string()), move |text| set("length", &text), "numeric"),
        };
        view! {
            {length()}
            <div class="field">
                <label for=id.clone()>"Filled with"</label>
                <select id=id on:change=move |event| set("fill", &event_target_value(&event)) prop:value=move || fill.get()>
                    {options.into_iter().collect_view()}
                </select>
            </div>
            <Show when=move || array.with(|a| a.fill == Fill::Random)>
                {field("Seed", of(|a| a.seed.to_string()), move |text| set("seed", &text), "numeric")}
            </Show>
            <Show when=move || array.with(|a| a.fill == Fill::Typed)>
                {field("Values", of(|a| a.typed.clone()), move |text| set("typed", &text), "text")}
            </Show>
        }
    });
    let wrong =
        move || need.with(|need| need.wrong.clone()).map(|why| view! { <p class="field-error" role="alert">{why}</p> });
    view! {
        <div class="own-row" role="group" aria-label=name.clone()>
            <p class="own-name"><code>{name.clone()}</code> <small>{says}</small></p>
            {first} {filled} {wrong}
        </div>
    }
    .into_any()
}

/// A field that is used when it is left; emptied, it has its default again.
fn field(
    label: impl Into<String>,
    value: Memo<String>,
    set: impl Fn(String) + Copy + Send + Sync + 'static,
    mode: &'static str,
) -> AnyView {
    let id = unique_id("own");
    let class = if mode == "numeric" { "field own-number" } else { "field" };
    let change = move |event: ev::Event| {
        let text = event_target_value(&event);
        if text.trim().is_empty() {
            event_target::<web_sys::HtmlInputElement>(&event).set_value(&value.get_untracked());
        }
        set(text);
    };
    view! {
        <div class=class>
            <label for=id.clone()>{label.into()}</label>
            <input type="text" id=id inputmode=mode autocomplete="off" spellcheck="false" prop:value=move || value.get() on:change=change />
        </div>
    }
    .into_any()
}
