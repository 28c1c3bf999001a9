//! "See …": a link of the text that puts a figure into a state, leads to it and back, and is undone by the browser's Back.

use std::collections::BTreeMap;
use std::time::Duration;

use leptos::ev::{self, MouseEvent};
use leptos::prelude::*;
use ringside_content::language::{self, Lang};
use ringside_core::explore::carried;
use ringside_core::query::Query;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsValue;
use web_sys::{Element, HtmlElement};

use super::place::Figure;
use crate::ui::{dom, scroll};

/// What one link did.
#[derive(Clone)]
struct Step {
    figure: Figure,
    before: Query,
    after: Query,
    link: SendWrapper<HtmlElement>,
}

/// What the links of a chapter have shown since it was opened. Each has an entry of the browser's history, whose state is how many came before it.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    figures: StoredValue<BTreeMap<String, Figure>>,
    steps: StoredValue<Vec<Step>>,
    /// How many of them have not been undone.
    done: StoredValue<usize>,
    /// The link to go back to, while it is out of view.
    from: RwSignal<Option<SendWrapper<HtmlElement>>>,
}

impl Shown {
    /// Nothing yet. `figures` are those that the links name.
    pub(super) fn new(figures: StoredValue<BTreeMap<String, Figure>>) -> Self {
        let shown =
            Self { figures, steps: StoredValue::default(), done: StoredValue::new(0), from: RwSignal::new(None) };
        let moved = window_event_listener(ev::popstate, move |event| {
            // Entries of other links have no number.
            if let Some(to) = event.state().as_f64() {
                shown.travel(to as usize);
            }
        });
        let scrolled = window_event_listener(ev::scroll, move |_| {
            if shown.from.with_untracked(|from| from.as_ref().is_some_and(|link| is_seen(link))) {
                shown.from.set(None);
            }
        });
        on_cleanup(move || {
            moved.remove();
            scrolled.remove();
        });
        shown
    }

    /// Follows a link, if it is one.
    pub(super) fn click(self, event: &MouseEvent) {
        if event.button() != 0 || event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        let Some(link) = dom::closest(event, "a.see") else { return };
        let name = dom::attribute(&link, "data-see");
        let Some(figure) = self.figures.with_value(|figures| figures.get(&name).cloned()) else { return };
        event.prevent_default();
        let before = figure.query.get_untracked();
        let after = figure.base.with(&Query::parse(&dom::attribute(&link, "data-query")));
        let after = carried(&before, after);
        let done = self.done.get_value() + 1;
        // A browser that refuses has no way back of its own; there is the one of the page.
        let _ = window().history().and_then(|history| {
            history.replace_state(&JsValue::from(done as f64 - 1.0), "")?;
            history.push_state(&JsValue::from(done as f64), "")
        });
        figure.query.set(after.clone());
        let link = SendWrapper::new(link);
        self.steps.update_value(|steps| {
            steps.truncate(done - 1);
            steps.push(Step { figure, before, after, link: link.clone() });
        });
        self.done.set_value(done);
        show(&name);
        self.from.set((!is_seen(&link)).then_some(link));
    }

    /// Undoes the latest steps, or does them again, until there are `to`.
    fn travel(self, to: usize) {
        let steps = self.steps.get_value();
        let done = self.done.get_value();
        let to = to.min(steps.len());
        for step in steps.iter().take(done).skip(to).rev() {
            step.figure.query.set(step.before.clone());
        }
        for step in steps.iter().take(to).skip(done) {
            step.figure.query.set(step.after.clone());
        }
        self.done.set_value(to);
        if to < done
            && let Some(step) = steps.get(to)
        {
            self.read_on(&step.link);
        }
    }

    /// Goes back to a link in the text.
    fn read_on(self, link: &HtmlElement) {
        self.from.set(None);
        scroll::to_nearest(link.clone().into());
        // Without the focus it is where the learner looks, all the same.
        let _ = link.focus();
    }

    /// The way back to the text, while there is one.
    pub(super) fn way_back(self, lang: Lang) -> AnyView {
        let back = move |_| {
            if let Some(link) = self.from.get_untracked() {
                self.read_on(&link);
            }
        };
        view! {
            <Show when=move || self.from.with(Option::is_some)>
                <p class="way-back sans">
                    <button type="button" lang=lang.marked() on:click=back>
                        "↩ "
                        {language::BACK.to(lang)}
                    </button>
                </p>
            </Show>
        }
        .into_any()
    }
}

/// Whether all of an element is in the window.
fn is_seen(element: &Element) -> bool {
    let room = window().inner_height().ok().and_then(|height| height.as_f64()).unwrap_or_default();
    let place = element.get_bounding_client_rect();
    place.top() >= 0.0 && place.bottom() <= room
}

/// Brings the drawing of a figure into view and shows for a moment which one it is.
fn show(id: &str) {
    let Some(slot) = document().get_element_by_id(id) else { return };
    let drawing = dom::find(&slot, ".stage").map_or_else(|| slot.clone(), Into::into);
    scroll::to_nearest(drawing);
    // Without the mark the figure has changed all the same.
    let _ = slot.class_list().add_1("shown");
    let unmark = move || {
        let _ = slot.class_list().remove_1("shown");
    };
    set_timeout(unmark, Duration::from_millis(1400));
}
