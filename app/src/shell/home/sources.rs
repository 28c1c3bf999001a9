//! Every source, with filters that are kept in the address. The list is fetched when it comes near, or is asked for.

use leptos::prelude::*;
use ringside_content::filter::{Facts, Filters, SPECS};
use ringside_content::words;
use ringside_core::query::{ParamSpec, Problem, Query};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, FormData, HtmlElement, HtmlFormElement, HtmlInputElement};

use crate::data::{base_path, library};
use crate::router::{Pending, address};
use crate::shell::notices::{self, Level};
use crate::shell::{fragment, marks};
use crate::store::store;
use crate::ui::islands::Islands;
use crate::ui::{dom, near};

/// How long the filters rest before they are written into the address. Browsers refuse more than about three changes a
/// second.
const REST: u32 = 400;

/// The section, and what it shows.
#[derive(Clone, Copy)]
struct Section {
    root: StoredValue<Element, LocalStorage>,
    filters: RwSignal<Filters>,
    rows: RwSignal<Vec<Row>, LocalStorage>,
}

/// A source of the list.
struct Row {
    id: String,
    item: HtmlElement,
    /// The list of the chapter that it serves first.
    list: Element,
    facts: Facts,
}

impl Row {
    /// The source of an item of the list.
    fn of(item: HtmlElement) -> Option<Self> {
        let card = dom::find(&item, "[data-source]")?;
        let data = |name: &str| dom::attribute(&card, &format!("data-{name}"));
        let mut text = data("source");
        for part in dom::all(&card, "h3, .source-about span, .source-look, .source-insight") {
            text.push(' ');
            text.push_str(&part.text_content().unwrap_or_default());
        }
        let facts = Facts {
            layers: data("layers"),
            weeks: data("weeks"),
            priority: data("priority"),
            minutes: data("minutes").parse().unwrap_or_default(),
            kind: data("kind"),
            chapters: data("chapters"),
            text: text.to_lowercase(),
        };
        Some(Self { id: data("source"), list: item.parent_element()?, facts, item })
    }
}

/// Makes the section under `root` alive.
pub(super) fn enliven(root: &Element) {
    let Some(root) = dom::find(root, "#sources") else { return };
    let section = Section {
        root: StoredValue::new_local(root.clone().into()),
        filters: RwSignal::new(Filters::default()),
        rows: RwSignal::new_local(Vec::new()),
    };
    section.keep_in_address();
    section.listen(&root);
    let near = RwSignal::new(false);
    near::when_near(&root, move || near.set(true));
    let hash = address().hash();
    let wanted = Memo::new(move |_| {
        let linked = hash.with(|hash| hash == "sources");
        near.get() || linked || section.filters.with(|filters| *filters != Filters::default())
    });
    let islands = Islands::new();
    let enliven = Callback::new(move |list: HtmlElement| section.take(&list));
    Effect::new(move |_| {
        let empty = || section.find("[data-island=sources]:empty");
        if let Some(place) = wanted.get().then(empty).flatten() {
            islands.put(place, Box::new(move || fragment::view(library().sources, enliven)));
        }
    });
    Effect::new(move |_| section.show());
}

impl Section {
    fn find(self, selector: &str) -> Option<HtmlElement> {
        self.root.with_value(|root| dom::find(root, selector))
    }

    /// Takes the list over when it has come.
    fn take(self, list: &Element) {
        marks::now(list);
        self.rows.set(dom::all(list, ".sources > li").into_iter().filter_map(Row::of).collect());
    }

    /// The filters, read from the address now and whenever a link or the back button changes it, and written into it once
    /// they rest.
    fn keep_in_address(self) {
        let filters = self.filters;
        let address = address();
        let search = address.search();
        let written = StoredValue::new(Query::default());
        Effect::new(move |before: Option<()>| {
            let query = search.with(|s| Query::parse(s.trim_start_matches('?')));
            if before.is_none() && query.is_empty() {
                // What was chosen before this began.
                filters.set(self.filled_in());
            }
            if written.with_value(|own| *own == query) {
                return;
            }
            let (read, problems) = self.read(&query);
            for problem in problems {
                notices::say(Level::Warning, problem.message);
            }
            written.set_value(read.query());
            filters.set(read);
        });
        let rest = Pending::after(REST);
        Effect::new(move |_| {
            let query = filters.with(Filters::query);
            self.fill_in(&query);
            if written.with_value(|own| *own == query) {
                rest.cancel();
                return;
            }
            rest.run(move || {
                let search = if query.is_empty() { String::new() } else { format!("?{query}") };
                written.set_value(query);
                address.replace(&format!("{}/{search}", base_path()));
            });
        });
    }

    fn read(self, query: &Query) -> (Filters, Vec<Problem>) {
        let options = self.root.with_value(|root| dom::all(root, "[name=chapter] option"));
        let slugs: Vec<String> = options.iter().map(|option| dom::attribute(option, "value")).collect();
        Filters::read(query, &slugs.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// Sets the filters by the form and its button.
    fn listen(self, root: &Element) {
        // A search field tells every key, the others what was chosen.
        dom::on(root, "input", move |event| {
            if dom::closest(&event, "form.filters").is_some() {
                self.filters.set(self.filled_in());
            }
        });
        dom::on(root, "submit", |event| event.prevent_default());
        dom::on(root, "click", move |event| {
            if dom::closest(&event, ".count button").is_some() {
                self.filters.update(|filters| *filters = filters.cleared());
            }
        });
    }

    /// The filters as the form has them.
    fn filled_in(self) -> Filters {
        let form = self.find("form.filters");
        let values = form.and_then(|form| FormData::new_with_form(form.unchecked_ref::<HtmlFormElement>()).ok());
        let value = |spec: &ParamSpec| values.as_ref()?.get(spec.name).as_string();
        self.read(&Query::new(SPECS.iter().map(|spec| (spec.name, value(spec).unwrap_or_default())))).0
    }

    /// Shows the filters in the form.
    fn fill_in(self, query: &Query) {
        for control in self.root.with_value(|root| dom::all(root, "form.filters [name]")) {
            let value = query.get(&dom::attribute(&control, "name")).unwrap_or_default();
            if let Some(select) = control.dyn_ref::<web_sys::HtmlSelectElement>() {
                select.set_value(value);
            } else if let Some(input) = control.dyn_ref::<HtmlInputElement>() {
                if input.type_() == "radio" {
                    input.set_checked(input.value() == value);
                } else if input.value() != value {
                    // Where the cursor is in it stays.
                    input.set_value(value);
                }
            }
        }
    }

    /// Shows the sources that the filters keep, in their order; by the ticks as they were when the filters were set: a
    /// source does not vanish under the pointer that ticks it.
    fn show(self) {
        let filters = self.filters.get();
        if let Some(clear) = self.find(".count button") {
            clear.set_hidden(!filters.narrow());
        }
        self.rows.with(|rows| {
            if rows.is_empty() {
                return;
            }
            let (mut kept, mut minutes) = (0, 0_u32);
            for row in rows {
                let keep = filters.keep(&row.facts, store().peek(|doc| doc.is_read(&row.id)));
                row.item.set_hidden(!keep);
                if keep {
                    kept += 1;
                    minutes = minutes.saturating_add(row.facts.minutes);
                }
            }
            self.sort(rows, filters.sort == "priority");
            self.say(rows.len(), kept, minutes);
        });
    }

    /// Puts the sources into the groups of their priorities, or back into those of their chapters.
    fn sort(self, rows: &[Row], by_priority: bool) {
        let lists = ["3", "2", "1"].map(|p| (p, self.find(&format!("[data-of-priority=\"{p}\"] .sources"))));
        let list = |row: &Row| -> Option<Element> {
            if !by_priority {
                return Some(row.list.clone());
            }
            lists.iter().find(|(p, _)| *p == row.facts.priority)?.1.clone().map(Into::into)
        };
        let in_place = |row: &Row| row.item.parent_element() == list(row);
        if !rows.iter().all(in_place) {
            for row in rows {
                if let Some(list) = list(row) {
                    // A source that cannot be moved stays in the list.
                    let _ = list.append_child(&row.item);
                }
            }
        }
        for group in self.root.with_value(|root| dom::all(root, ".group")) {
            group.set_hidden(dom::find(&group, ".sources > li:not([hidden])").is_none());
        }
    }

    /// Says how many there are.
    fn say(self, all: usize, kept: usize, minutes: u32) {
        if let Some(status) = self.find("[role=status]") {
            let text = match kept {
                0 => format!("None of {all} sources"),
                _ => format!("{kept} of {all} sources, {}", words::about(minutes)),
            };
            status.set_text_content(Some(&text));
        }
        if let Some(nothing) = self.find(".nothing") {
            nothing.set_hidden(kept > 0);
        }
    }
}
