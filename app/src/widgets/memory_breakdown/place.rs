//! The drawing and what stands under it, in a page that has both as markup: each piece is renewed when it changes.

use leptos::prelude::untrack;
use ringside_drawing::memory::{self as drawing, Drawn, Reading};
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::{Shown, State};
use crate::ui::markup::Markup;
use crate::ui::{dom, unique_id};

/// What of a stage's row changes.
struct Row {
    row: HtmlElement,
    radio: HtmlInputElement,
    name: [HtmlElement; 2],
    layers: [Markup; 2],
    end: Element,
    amounts: [HtmlElement; 3],
}

/// What of a number changes.
struct Number {
    whole: HtmlElement,
    name: Markup,
    output: HtmlElement,
    small: HtmlElement,
}

/// Where a result is on show.
pub(super) struct Place {
    shown: Drawn,
    rows: Vec<Row>,
    axis: Markup,
    capacity: Markup,
    readings: HtmlElement,
    numbers: Vec<Number>,
    verdict: HtmlElement,
    said: HtmlElement,
    sentence: Markup,
    fit: HtmlElement,
    beside: HtmlElement,
    beside_rows: Markup,
}

impl Place {
    /// Under this root, where `shown` is as markup. `None` if it is not.
    pub(super) fn of(root: &Element, shown: Drawn) -> Option<Self> {
        let find = |selector| dom::find(root, selector);
        let row = |(row, shown): (HtmlElement, &drawing::Row)| {
            let find = |selector| dom::find(&row, selector);
            let [bar, labels] = &shown.layers;
            Some(Row {
                radio: find("input")?.unchecked_into(),
                name: [find("b")?, find("small")?],
                layers: [markup(&row, ".bar", bar)?, markup(&row, ".labels", labels)?],
                end: first(&row, ".bar-end svg")?,
                amounts: [find(".bar-end b")?, find(".fits")?, find(".apart")?],
                row,
            })
        };
        let number = |(whole, shown): (HtmlElement, &Reading)| {
            let find = |selector| dom::find(&whole, selector);
            Some(Number {
                name: markup(&whole, "dt", &shown.name)?,
                output: find("output")?,
                small: find("small")?,
                whole,
            })
        };
        let Drawn { plot, readout } = &shown;
        Some(Self {
            numbers: dom::all(root, ".reading").into_iter().zip(&readout.readings).filter_map(number).collect(),
            rows: dom::all(root, ".bar-row").into_iter().zip(&plot.rows).filter_map(row).collect(),
            axis: markup(root, ".axis", &plot.axis)?,
            capacity: markup(root, ".capacity", &plot.capacity)?,
            readings: find(".readings")?,
            verdict: find(".verdict")?,
            said: find(".verdict p")?,
            sentence: markup(root, ".verdict p", &readout.verdict)?,
            fit: find(".verdict button")?,
            beside: find(".beside summary")?,
            beside_rows: markup(root, ".beside tbody", &readout.beside_rows)?,
            shown,
        })
    }

    /// Shows this instead.
    pub(super) fn show(&mut self, now: Drawn) {
        let before = std::mem::replace(&mut self.shown, now);
        let now = &self.shown;
        for (place, (before, now)) in self.rows.iter_mut().zip(before.plot.rows.iter().zip(&now.plot.rows)) {
            if before == now {
                continue;
            }
            place.row.set_class_name(&now.class);
            place.radio.set_checked(now.selected);
            dom::set(&place.radio, "aria-label", &now.spoken);
            for (place, (before, now)) in place.name.iter().zip(before.name.iter().zip(now.name)) {
                say(place, before, now);
            }
            for (place, now) in place.layers.iter_mut().zip(&now.layers) {
                place.show(now);
            }
            dom::set(&place.end, "width", &now.end);
            for (place, (before, now)) in place.amounts.iter().zip(before.amounts.iter().zip(&now.amounts)) {
                say(place, before, now);
            }
        }
        self.axis.show(&now.plot.axis);
        self.capacity.show(&now.plot.capacity);
        let (now, before) = (&now.readout, &before.readout);
        self.readings.set_class_name(now.class);
        for (place, (before, now)) in self.numbers.iter_mut().zip(before.readings.iter().zip(&now.readings)) {
            if before != now {
                place.whole.set_class_name(now.class);
                place.name.show(&now.name);
                dom::set(&place.output, "data-value", &now.bytes.to_string());
                say(&place.output, &before.text(), &now.text());
                say(&place.small, &before.small, &now.small);
            }
        }
        self.verdict.set_class_name(now.verdict_class());
        self.sentence.show(&now.verdict);
        self.fit.set_hidden(!now.can_fit);
        say(&self.beside, &before.beside, &now.beside);
        self.beside_rows.show(&now.beside_rows);
    }

    /// Lets a stage be chosen, and the button make it fit. `form` is the one of the controls: the stages of two figures on a
    /// page are two groups because their forms are two.
    pub(super) fn listen(&self, root: &Element, state: State, shown: Shown) {
        let figure = root.closest(".figure").ok().flatten();
        if let Some(form) = figure.and_then(|figure| dom::find(&figure, "form.controls")) {
            if form.id().is_empty() {
                form.set_id(&unique_id("controls"));
            }
            self.rows.iter().for_each(|row| dom::set(&row.radio, "form", &form.id()));
        }
        dom::on(root, "change", move |event| {
            let chosen = dom::closest(&event, ".bar-row input").map(|e| e.unchecked_into::<HtmlInputElement>());
            if let Some(zero) = chosen.and_then(|radio| radio.value().parse().ok()) {
                state.update(|p| p.zero = zero);
            }
        });
        let said = self.said.clone();
        dom::on(&self.fit, "click", move |_| {
            if let Some(change) = untrack(|| shown.with(|b| b.suggestion().map(|s| s.change))) {
                state.update(|p| *p = p.with(&change).0);
                // The button goes; whoever pressed it by keyboard is left where it was.
                let _ = said.focus();
            }
        });
    }
}

/// The first element under `root` that matches, drawings included.
fn first(root: &Element, selector: &str) -> Option<Element> {
    root.query_selector(selector).ok()?
}

/// What has this markup in it.
fn markup(root: &Element, selector: &str, shown: &str) -> Option<Markup> {
    first(root, selector).map(|place| Markup::of(place, shown.to_owned()))
}

/// Sets a text that is another one.
pub(super) fn say(place: &Element, before: &str, now: &str) {
    if before != now {
        place.set_text_content(Some(now));
    }
}
