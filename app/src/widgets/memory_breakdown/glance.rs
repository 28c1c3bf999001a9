//! The figure of the first screen, which the build put into the page whole (`content/src/fragment/figure.rs`): made alive in
//! its place, with what was moved and typed there before. It needs no view, which is most of what a figure's code weighs.

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::decimal;
use ringside_core::memory::breakdown::ENTRY;
use ringside_core::memory::{Breakdown, Params, breakdown};
use ringside_core::query::{Problem, Query, plain};
use ringside_drawing::caption::sentences;
use ringside_drawing::memory::{Drawn, PARAMETERS, RANKS, Slider, subtitle};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, Event, HtmlDetailsElement, HtmlElement, HtmlInputElement, HtmlSelectElement, KeyboardEvent};

use super::place::{Place, say};
use super::{Shown, State, numbers, shown};
use crate::deferred::{NotLoaded, deferred};
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
    let served = breakdown(&Params::read(&Query::default()).0);
    let Some(served) = served.ok() else { return };
    // By now it may have been put into another state.
    let query = RwSignal::new(Query::parse(&dom::attribute(&figure, "data-query")));
    let state = State::new(query, Params::read, Params::query);
    let shown = shown(state);
    let Some(mut place) = Place::of(&figure, Drawn::of(&served.params, &served)) else { return };
    let Some(mut frame) = Frame::of(&figure, served.finding()) else { return };
    place.listen(&figure, state, shown);
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
        let error = shown.error();
        let p = state.params().get();
        shown.with(|b| {
            place.show(Drawn::of(&p, b));
            fields.iter().flatten().for_each(|field| field.show((field.slider.value)(&p, b)));
            frame.show(b, error.clone().unwrap_or_else(|| b.finding()));
        });
        lists.iter().zip([p.optimizer.id(), p.gpu.id]).for_each(|(list, id)| list.set_value(id));
        frame.warn(&problems.get(), error);
        query.with(|query| {
            dom::set(&frame.alone, "href", &link::to_widget(ENTRY.id, query));
            dom::set(&figure, "data-query", &query.to_string());
        });
        // The caption is announced once it rests.
        if !first {
            dom::set(&frame.finding, "aria-busy", "true");
            let finding = frame.finding.clone();
            busy.run(move || dom::set(&finding, "aria-busy", "false"));
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
        let served = list.query_selector("option[selected]").ok().flatten();
        if served.is_some_and(|option| dom::attribute(&option, "value") != list.value()) {
            change(state, &list.name(), list.value());
        }
    }
    let zero = find::<HtmlInputElement>(figure, ".bar-row input:checked");
    if let Some(zero) = zero.filter(|zero| !zero.default_checked()) {
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
            let numbers = move || deferred(numbers::load, move |view: numbers::View| view(shown)).into_any();
            islands.put(place, Box::new(numbers));
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
        // What was begun before the app was there ends without a change.
        dom::on(&self.text, "blur", move |_| field.commit(state, shown));
        let field = self.clone();
        dom::on(&self.text, "keydown", move |event: Event| {
            let escape = event.dyn_ref::<KeyboardEvent>().is_some_and(|event| event.key() == "Escape");
            if escape && field.is_edited(state, shown) {
                event.prevent_default();
                field.write(field.value(state, shown));
            }
        });
    }

    fn value(&self, state: State, shown: Shown) -> f64 {
        untrack(|| state.params().with(|p| shown.with(|b| (self.slider.value)(p, b))))
    }

    fn is_edited(&self, state: State, shown: Shown) -> bool {
        self.text.value() != (self.slider.format)(self.value(state, shown))
    }

    /// A typed value between two steps shows at the nearer one; it stays what it is until the thumb is moved.
    fn slide(&self, state: State, shown: Shown) {
        let moved = decimal::parse(&self.range.value()).map(|position| self.slider.scale.value(position));
        if let Some(value) = moved.filter(|moved| *moved != self.value(state, shown)) {
            change(state, self.slider.name, plain(value));
        }
    }

    fn commit(&self, state: State, shown: Shown) {
        if !self.is_edited(state, shown) {
            return;
        }
        let Slider { name, label, .. } = self.slider;
        match read(&param(&ENTRY, name), label, &self.text.value()) {
            Ok(value) => {
                self.write(value);
                if value != self.value(state, shown) {
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
            dom::set(&self.text, "aria-invalid", "true");
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
            dom::set(&self.range, "aria-valuetext", &text);
            self.write(value);
        }
        let position = self.slider.scale.position(value).to_string();
        if self.range.value() != position {
            self.range.set_value(&position);
        }
    }

    /// A field in which somebody is typing is left to them.
    fn take_over(&self, state: State, shown: Shown) {
        let typed = self.text.value() != self.text.default_value();
        let typing = document().active_element().as_ref() == Some(self.text.as_ref());
        if typed && !typing {
            self.commit(state, shown);
        } else if self.range.value() != self.range.default_value() {
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
    rest: HtmlElement,
    notes: HtmlElement,
    said: String,
    warned: String,
}

impl Frame {
    /// Where this is said.
    fn of(figure: &Element, said: String) -> Option<Self> {
        let find = |selector| dom::find(figure, selector);
        Some(Self {
            alert: find("[role=alert]")?,
            subtitle: find(".figure-subtitle")?,
            alone: find(".figure-tools a")?,
            params: find("[data-quantity=params]")?,
            drawing: find(".drawing")?,
            finding: find(".finding")?,
            rest: find(".finding-rest")?,
            notes: find("figcaption > .fine")?,
            said,
            warned: String::new(),
        })
    }

    fn show(&mut self, b: &Breakdown, finding: String) {
        let now = |place: &HtmlElement| place.text_content().unwrap_or_default();
        say(&self.subtitle, &now(&self.subtitle), &subtitle(&b.params));
        dom::set(&self.params, "data-value", &b.size.params.to_string());
        say(&self.params, &now(&self.params), &(PARAMETERS.format)(b.size.params));
        if self.said != finding {
            let (lead, rest) = sentences(&finding);
            self.finding.set_inner_html(&format!("<b>{}</b>", escaped(lead)));
            self.rest.set_text_content(Some(rest.trim_start()));
            self.said = finding;
        }
        say(&self.notes, &now(&self.notes), &b.notes.join(" "));
        self.notes.set_hidden(b.notes.is_empty());
    }

    /// What could not be used of a state from outside, and why a state is not on show.
    fn warn(&mut self, problems: &[Problem], error: Option<String>) {
        let mut html = String::new();
        if !problems.is_empty() {
            let list: String = problems.iter().map(|p| format!("<li>{}</li>", escaped(&p.message))).collect();
            html = format!(
                "<div class=\"message problems\"><div><p>Not all of the link could be used:</p><ul>{list}</ul></div></div>"
            );
        }
        let impossible = error.is_some();
        html.extend(error.map(|why| format!("<p class=\"message\">Not possible: {}</p>", escaped(&why))));
        if self.warned != html {
            self.alert.set_inner_html(&html);
            self.warned = html;
        }
        self.drawing.set_class_name(if impossible { "drawing stale" } else { "drawing" });
    }
}
