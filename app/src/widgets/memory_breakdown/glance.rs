//! The figure of the first screen, which the build put into the page whole (`content/src/fragment/figure.rs`): made alive in
//! its place, with what was moved and typed there before. It needs no view, which is most of what a figure's code weighs.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_content::drawing::caption::sentences;
use ringside_content::drawing::memory::{Drawn, PARAMETERS, RANKS, Slider, subtitle};
use ringside_core::decimal;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Params};
use ringside_core::query::{Query, plain};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlDetailsElement, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::place::{Place, set};
use super::{Shown, State, numbers, shown};
use crate::deferred::NotLoaded;
use crate::ui::copy_link::copy_link;
use crate::ui::dom::escaped;
use crate::ui::figure::{CAPTION_RESTS, take_states};
use crate::ui::islands::Islands;
use crate::ui::later::Later;
use crate::ui::number_field::read;
use crate::ui::{dom, link};
use crate::widgets::param;

/// Makes a figure alive.
pub type Enliven = fn(HtmlElement);

/// Downloads it.
#[wasm_split(memory_glance, wasm_split_path = leptos::wasm_split, fallible)]
pub fn load() -> Result<Enliven, NotLoaded> {
    Ok(enliven)
}

/// The parameters that are chosen from a list.
const LISTS: [&str; 2] = ["optimizer", "gpu"];

fn enliven(figure: HtmlElement) {
    let query = RwSignal::new(Query::default());
    let state = State::new(query, Params::read, Params::query);
    let shown = shown(state);
    let Some(mut place) = Place::of(&figure, shown.with(Drawn::of)) else { return };
    let Some(mut frame) = Frame::of(&figure) else { return };
    place.listen(&figure, state, move || untrack(|| shown.with(|b| b.suggestion().map(|s| s.change))));
    let fields = [PARAMETERS, RANKS].map(|slider| Field::of(&figure, slider));
    fields.iter().flatten().for_each(|field| field.listen(state, shown));
    let lists: Vec<HtmlSelectElement> =
        LISTS.iter().filter_map(|name| find(&figure, &format!("select[name={name}]"))).collect();
    for list in &lists {
        let chosen = list.clone();
        dom::on(list, "change", move |_| change(state, &chosen.name(), chosen.value()));
    }
    if let Some(form) = dom::find(&figure, "form.controls") {
        dom::on(&form, "submit", |event| event.prevent_default());
    }
    take_states(&figure, query);
    tools(&figure, query, shown);
    take_over(&figure, state, shown, &fields, &lists);

    let problems = state.problems();
    let busy = Later::after(CAPTION_RESTS);
    Effect::new(move |before: Option<()>| {
        let first = before.is_none();
        shown.with(|b| {
            place.show(Drawn::of(b));
            fields.iter().flatten().for_each(|field| field.show((field.slider.value)(b)));
            lists.iter().zip([b.params.optimizer.id(), b.params.gpu.id]).for_each(|(list, id)| list.set_value(id));
            frame.show(b);
        });
        let impossible = shown.error().map(|why| format!("Not possible: {why}"));
        frame.say(impossible.is_some(), problems.get().into_iter().map(|p| p.message).chain(impossible).collect());
        set(&figure, "data-query", &query.with(ToString::to_string));
        // The caption is announced once it rests.
        if !first {
            set(&frame.finding, "aria-busy", "true");
            let finding = frame.finding.clone();
            busy.run(move || set(&finding, "aria-busy", "false"));
        }
    });
}

fn find<T: wasm_bindgen::JsCast>(root: &Element, selector: &str) -> Option<T> {
    dom::find(root, selector)?.dyn_into().ok()
}

/// Sets one parameter, as a control does.
fn change(state: State, name: &str, value: String) {
    state.update(|p| *p = p.with(&Query::new([(name, value)])).0);
}

/// What was moved, typed and chosen before the app was there.
fn take_over(
    figure: &HtmlElement,
    state: State,
    shown: Shown,
    fields: &[Option<Field>; 2],
    lists: &[HtmlSelectElement],
) {
    fields.iter().flatten().for_each(|field| field.take_over(state, shown));
    for list in lists {
        change(state, &list.name(), list.value());
    }
    if let Some(zero) = find::<HtmlInputElement>(figure, ".bar-row input:checked") {
        change(state, "zero", zero.value());
    }
}

/// What is beside the title, and the numbers.
fn tools(figure: &HtmlElement, query: RwSignal<Query>, shown: Shown) {
    let islands = Islands::new();
    if let Some(place) = dom::find(figure, ".copy") {
        let address = move || link::to_widget(ENTRY.id, &query.get_untracked());
        islands.put(place, Box::new(move || copy_link("Copy link", address)));
    }
    for button in dom::all(figure, "button[disabled]") {
        // A button that stays as it is cannot be pressed; nothing else depends on it.
        let _ = button.remove_attribute("disabled");
    }
    let Some(details) = find::<HtmlDetailsElement>(figure, ".numbers") else { return };
    let mut place = dom::find(figure, ".numbers .scroll");
    let opened = details.clone();
    let mut open = move || {
        if let Some(place) = opened.open().then(|| place.take()).flatten() {
            islands.put_deferred(place, numbers::load, move |view: numbers::View| view(shown));
        }
    };
    open();
    dom::on(&details, "toggle", move |_| open());
}

/// A slider and the field beside it.
#[derive(Clone)]
struct Field {
    slider: Slider,
    range: HtmlInputElement,
    text: HtmlInputElement,
    error: HtmlElement,
}

impl Field {
    fn of(figure: &Element, slider: Slider) -> Option<Self> {
        let name = slider.name;
        Some(Self {
            slider,
            range: find(figure, &format!("input[name={name}]"))?,
            text: find(figure, &format!("input[data-for={name}]"))?,
            error: dom::find(figure, &format!("#first-{name}-error"))?,
        })
    }

    fn listen(&self, state: State, shown: Shown) {
        let field = self.clone();
        dom::on(&self.range, "input", move |_| field.slide(state, shown));
        let field = self.clone();
        dom::on(&self.text, "change", move |_| field.commit(state, shown));
        let field = self.clone();
        dom::on(&self.text, "keydown", move |event: Event| {
            if event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape") {
                field.write(field.value(shown));
            }
        });
    }

    fn value(&self, shown: Shown) -> f64 {
        untrack(|| shown.with(self.slider.value))
    }

    /// A typed value between two steps shows at the nearer one; it stays what it is until the thumb is moved.
    fn slide(&self, state: State, shown: Shown) {
        let moved = decimal::parse(&self.range.value()).map(|position| self.slider.scale.value(position));
        if let Some(value) = moved.filter(|moved| *moved != self.value(shown)) {
            change(state, self.slider.name, plain(value));
        }
    }

    fn commit(&self, state: State, shown: Shown) {
        let Slider { name, label, .. } = self.slider;
        match read(&param(&ENTRY, name), label, &self.text.value()) {
            Ok(value) => {
                self.write(value);
                if value != self.value(shown) {
                    change(state, name, plain(value));
                }
            }
            Err(why) => self.complain(&why),
        }
    }

    fn complain(&self, why: &str) {
        self.error.set_text_content(Some(why));
        if why.is_empty() {
            // It could only fail for a name that is none.
            let _ = self.text.remove_attribute("aria-invalid");
        } else {
            set(&self.text, "aria-invalid", "true");
        }
    }

    fn write(&self, value: f64) {
        self.text.set_value(&(self.slider.format)(value));
        self.complain("");
    }

    fn show(&self, value: f64) {
        let text = (self.slider.format)(value);
        // What is being typed stays until the value is another one.
        if dom::attribute(&self.range, "aria-valuetext") != text {
            set(&self.range, "aria-valuetext", &text);
            self.range.set_value(&self.slider.scale.position(value).to_string());
            self.write(value);
        }
    }

    fn take_over(&self, state: State, shown: Shown) {
        let Slider { scale, format, .. } = self.slider;
        let value = self.value(shown);
        if self.text.value() != format(value) {
            self.commit(state, shown);
        } else if self.range.value() != scale.position(value).to_string() {
            self.slide(state, shown);
        }
    }
}

/// What is around the drawing.
struct Frame {
    alert: HtmlElement,
    subtitle: HtmlElement,
    alone: HtmlElement,
    params: HtmlElement,
    drawing: HtmlElement,
    finding: HtmlElement,
    notes: HtmlElement,
    said: String,
    warned: String,
}

impl Frame {
    fn of(figure: &Element) -> Option<Self> {
        let find = |selector| dom::find(figure, selector);
        Some(Self {
            alert: find("[role=alert]")?,
            subtitle: find(".figure-subtitle")?,
            alone: find(".figure-tools a")?,
            params: find("[data-quantity=params]")?,
            drawing: find(".drawing")?,
            finding: find(".finding")?,
            notes: find("figcaption > .fine")?,
            said: String::new(),
            warned: String::new(),
        })
    }

    fn show(&mut self, b: &Breakdown) {
        self.subtitle.set_text_content(Some(&subtitle(&b.params)));
        set(&self.alone, "href", &link::to_widget(ENTRY.id, &b.params.query()));
        set(&self.params, "data-value", &b.size.params.to_string());
        self.params.set_text_content(Some(&(PARAMETERS.format)(b.size.params)));
        let finding = b.finding();
        if self.said != finding {
            let (lead, rest) = sentences(&finding);
            self.finding.set_inner_html(&format!("<b>{}</b>{}", escaped(lead), escaped(rest)));
            self.said = finding;
        }
        self.notes.set_text_content(Some(&b.notes.join(" ")));
        self.notes.set_hidden(b.notes.is_empty());
    }

    /// What could not be used of a state, and why it is not on show.
    fn say(&mut self, impossible: bool, sentences: Vec<String>) {
        let list: String = sentences.iter().map(|s| format!("<p class=\"message\">{}</p>", escaped(s))).collect();
        if self.warned != list {
            self.alert.set_inner_html(&list);
            self.warned = list;
        }
        self.drawing.set_class_name(if impossible { "drawing stale" } else { "drawing" });
    }
}
