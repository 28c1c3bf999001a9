//! The drawing and what stands under it, in a page that has both as markup: each piece is renewed when it changes.

use ringside_content::drawing::memory::{Drawn, Plot, Readout};
use ringside_core::query::Query;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::State;
use crate::ui::{dom, unique_id};

/// What of a stage's row changes.
struct Row {
    row: HtmlElement,
    radio: HtmlInputElement,
    name: [HtmlElement; 2],
    layers: [Element; 2],
    end: Element,
    amounts: [HtmlElement; 3],
}

/// What of a number changes.
struct Number {
    whole: HtmlElement,
    name: HtmlElement,
    output: HtmlElement,
    small: HtmlElement,
}

/// Where a result is on show.
pub(super) struct Place {
    shown: Drawn,
    rows: Vec<Row>,
    axis: Element,
    capacity: Element,
    readings: HtmlElement,
    numbers: Vec<Number>,
    verdict: HtmlElement,
    said: HtmlElement,
    fit: HtmlElement,
    beside: HtmlElement,
    beside_rows: HtmlElement,
}

impl Place {
    /// Under this root, where `shown` is as markup. `None` if it is not.
    pub(super) fn of(root: &Element, shown: Drawn) -> Option<Self> {
        let find = |selector| dom::find(root, selector);
        let row = |row: HtmlElement| {
            let find = |selector| dom::find(&row, selector);
            Some(Row {
                radio: find("input")?.unchecked_into(),
                name: [find("b")?, find("small")?],
                layers: [drawing(&row, ".bar")?, drawing(&row, ".labels")?],
                end: drawing(&row, ".bar-end svg")?,
                amounts: [find(".bar-end b")?, find(".fits")?, find(".apart")?],
                row,
            })
        };
        let number = |whole: HtmlElement| {
            let find = |selector| dom::find(&whole, selector);
            Some(Number { name: find("dt")?, output: find("output")?, small: find("small")?, whole })
        };
        Some(Self {
            numbers: dom::all(root, ".reading").into_iter().filter_map(number).collect(),
            rows: dom::all(root, ".bar-row").into_iter().filter_map(row).collect(),
            axis: drawing(root, ".axis")?,
            capacity: drawing(root, ".capacity")?,
            readings: find(".readings")?,
            verdict: find(".verdict")?,
            said: find(".verdict p")?,
            fit: find(".verdict button")?,
            beside: find(".beside summary")?,
            beside_rows: find(".beside tbody")?,
            shown,
        })
    }

    /// Shows this instead.
    pub(super) fn show(&mut self, now: Drawn) {
        let before = std::mem::replace(&mut self.shown, now);
        let now = &self.shown;
        for (place, (before, now)) in self.rows.iter().zip(before.plot.rows.iter().zip(&now.plot.rows)) {
            if before == now {
                continue;
            }
            place.row.set_class_name(&now.class);
            place.radio.set_checked(now.selected);
            set(&place.radio, "aria-label", &now.spoken);
            for (place, (before, now)) in place.name.iter().zip(before.name.iter().zip(now.name)) {
                say(place, before, now);
            }
            for (place, (before, now)) in place.layers.iter().zip(before.layers.iter().zip(&now.layers)) {
                renew(place, before, now);
            }
            set(&place.end, "width", &now.end);
            for (place, (before, now)) in place.amounts.iter().zip(before.amounts.iter().zip(&now.amounts)) {
                say(place, before, now);
            }
        }
        let (Plot { axis, capacity, .. }, was) = (&now.plot, &before.plot);
        renew(&self.axis, &was.axis, axis);
        renew(&self.capacity, &was.capacity, capacity);
        let (Readout { class, readings, verdict, can_fit, beside, beside_rows, .. }, was) =
            (&now.readout, &before.readout);
        self.readings.set_class_name(class);
        for (place, (before, now)) in self.numbers.iter().zip(was.readings.iter().zip(readings)) {
            if before != now {
                place.whole.set_class_name(now.class);
                renew(&place.name, &before.name, &now.name);
                set(&place.output, "data-value", &now.bytes.to_string());
                say(&place.output, &before.text(), &now.text());
                say(&place.small, &before.small, &now.small);
            }
        }
        self.verdict.set_class_name(now.readout.verdict_class());
        renew(&self.said, &was.verdict, verdict);
        self.fit.set_hidden(!can_fit);
        say(&self.beside, &was.beside, beside);
        renew(&self.beside_rows, &was.beside_rows, beside_rows);
    }

    /// Lets a stage be chosen, and the button make it fit. `form` is the one of the controls: the stages of two figures on a
    /// page are two groups because their forms are two.
    pub(super) fn listen(&self, root: &Element, state: State, suggestion: impl Fn() -> Option<Query> + 'static) {
        let figure = root.closest(".figure").ok().flatten();
        if let Some(form) = figure.and_then(|figure| dom::find(&figure, "form.controls")) {
            if form.id().is_empty() {
                form.set_id(&unique_id("controls"));
            }
            self.rows.iter().for_each(|row| set(&row.radio, "form", &form.id()));
        }
        dom::on(root, "change", move |event| {
            let chosen = dom::closest(&event, ".bar-row input").map(|e| e.unchecked_into::<HtmlInputElement>());
            if let Some(zero) = chosen.and_then(|radio| radio.value().parse().ok()) {
                state.update(|p| p.zero = zero);
            }
        });
        let said = self.said.clone();
        dom::on(&self.fit, "click", move |_| {
            if let Some(change) = suggestion() {
                state.update(|p| *p = p.with(&change).0);
                // The button goes; whoever pressed it by keyboard is left where it was.
                let _ = said.focus();
            }
        });
    }
}

/// The first drawing under `root` that matches.
fn drawing(root: &Element, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok()?
}

/// Sets a text that is another one.
pub(super) fn say(place: &Element, before: &str, now: &str) {
    if before != now {
        place.set_text_content(Some(now));
    }
}

fn renew(place: &Element, before: &str, now: &str) {
    if before != now {
        place.set_inner_html(now);
    }
}

/// Sets an attribute.
pub(super) fn set(place: &Element, name: &str, value: &str) {
    // The names are ours: it does not fail.
    let _ = place.set_attribute(name, value);
}
