//! The definition of a term while it is pointed at or has the focus.

use leptos::prelude::*;
use ringside_content::schema::Glossary;
use wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

use crate::data::library;
use crate::ui::dom;
use crate::ui::later::Later;

/// The id of the box, for `aria-describedby`.
const BOX: &str = "term-definition";

#[derive(Debug, Clone, PartialEq)]
struct At {
    term: String,
    left: f64,
    top: f64,
}

/// The box with the definition: where it is, if it is open.
#[derive(Clone, Copy)]
pub(super) struct Definition {
    at: RwSignal<Option<At>>,
    gone: Later,
}

impl Definition {
    pub(super) fn new() -> Self {
        Self { at: RwSignal::new(None), gone: Later::after(150) }
    }

    /// Opens at the term under the pointer or with the focus.
    pub(super) fn over(self, event: &web_sys::Event) {
        let Some(link) = dom::closest(event, "a.term") else { return };
        self.gone.cancel();
        // The box is laid out in the frame around the text.
        let Some(frame) = link.closest(".chapter-frame").ok().flatten() else { return };
        let _ = link.set_attribute("aria-describedby", BOX);
        self.at.set(Some(place(&link, &frame)));
    }

    /// Closes soon, unless another term is pointed at.
    pub(super) fn leave(self) {
        self.gone.run(move || self.close());
    }

    /// Closes.
    pub(super) fn close(self) {
        if self.at.with_untracked(Option::is_some) {
            self.at.set(None);
        }
    }

    /// The box.
    pub(super) fn view(self) -> impl IntoView {
        let glossary = library().glossary;
        move || {
            self.at.get().map(|at| {
                let text = glossary.get().map(|glossary| glossary.map(|g| define(&g, &at.term)));
                let content = match text {
                    None => "…".to_owned(),
                    Some(Err(why)) => why,
                    Some(Ok(html)) => html,
                };
                view! {
                    <div
                        id=BOX
                        class="definition sans"
                        role="tooltip"
                        style:left=format!("{}px", at.left)
                        style:top=format!("{}px", at.top)
                        inner_html=content
                        on:mouseenter=move |_| self.gone.cancel()
                        on:mouseleave=move |_| self.leave()
                    ></div>
                }
            })
        }
    }
}

fn define(glossary: &Glossary, id: &str) -> String {
    let term = glossary.terms.iter().find(|t| t.id == id);
    term.map(|t| t.definition.0.clone()).unwrap_or_default()
}

/// Under the link, inside the frame.
fn place(link: &Element, frame: &Element) -> At {
    let (link_box, frame_box) = (link.get_bounding_client_rect(), frame.get_bounding_client_rect());
    let width = link
        .unchecked_ref::<HtmlElement>()
        .closest(".chapter-text")
        .ok()
        .flatten()
        .map_or(0.0, |t| t.get_bounding_client_rect().width());
    let most = (width - 300.0).max(0.0);
    At {
        term: link.get_attribute("data-term").unwrap_or_default(),
        left: (link_box.left() - frame_box.left()).clamp(0.0, most),
        top: link_box.bottom() - frame_box.top() + 6.0,
    }
}
