//! The places in a chapter's text for what is alive: widgets, exercises, sources.

use std::collections::BTreeMap;

use leptos::prelude::*;
use ringside_content::language::Lang;
use ringside_content::schema::Exercises;
use ringside_core::query::Query;
use web_sys::Element;

use super::{nav, sources};
use crate::data::Remote;
use crate::deferred::deferred;
use crate::exercises::{self, Place};
use crate::ui::figure::Withheld;
use crate::ui::islands::Islands;
use crate::ui::{dom, near};
use crate::widgets::{self, Module, Props};

/// A figure of the chapter: the state it starts from and the state it is in.
#[derive(Clone)]
pub(super) struct Figure {
    pub(super) base: Query,
    pub(super) query: RwSignal<Query>,
}

impl Figure {
    /// The figure of a place, in the state that the chapter gives it.
    pub(super) fn of(place: &Element) -> Self {
        let base = Query::parse(&place.get_attribute("data-query").unwrap_or_default());
        Self { query: RwSignal::new(base.clone()), base }
    }
}

/// A chapter as it is put into the page.
pub(super) struct Text {
    pub(super) slug: String,
    pub(super) html: String,
    pub(super) exercises: Remote<Exercises>,
    pub(super) lang: Lang,
    /// Still being written: what is done in it is not kept.
    pub(super) draft: bool,
}

impl Text {
    /// The chapter under which its exercises are stored.
    pub(super) fn stored_as(&self) -> &str {
        if self.draft { exercises::DRAFT } else { &self.slug }
    }
}

/// Fills every place under `root`, each when it comes near what is seen. Yields the figures by the ids of their places.
pub(super) fn fill(root: &Element, text: &Text) -> BTreeMap<String, Figure> {
    let islands = Islands::new();
    let mut figures = BTreeMap::new();
    for slot in dom::all(root, "[data-slot-widget]") {
        let widget = slot.get_attribute("data-slot-widget").as_deref().and_then(widgets::find);
        let Some(widget) = widget else { continue };
        let figure = Figure::of(&slot);
        let query = figure.query;
        figures.insert(slot.id(), figure);
        let waits = slot.get_attribute("data-after").map(|id| (text.stored_as().to_owned(), id));
        let here = slot.clone();
        near::when_near(&here, move || islands.put(slot, Box::new(move || widget_view(widget, query, waits))));
    }
    let given = exercises::given();
    for slot in dom::all(root, "[data-slot-exercise]") {
        let place = Place {
            chapter: text.stored_as().to_owned(),
            id: slot.get_attribute("data-slot-exercise").unwrap_or_default(),
            prompt: slot.inner_html(),
            given,
            exercises: text.exercises,
            alone: None,
        };
        let here = slot.clone();
        near::when_near(&here, move || {
            let view = move |show: exercises::View| show(place.clone());
            islands.put_deferred(slot, exercises::load, view);
        });
    }
    for slot in dom::all(root, "[data-slot-sources]") {
        let slug = text.slug.clone();
        let here = slot.clone();
        near::when_near(&here, move || {
            let view = move |show: sources::View| show(&slug);
            islands.put_deferred(slot, sources::load, view);
        });
    }
    for slot in dom::all(root, "[data-slot-done]").into_iter().filter(|_| !text.draft) {
        let (slug, lang) = (text.slug.clone(), text.lang);
        islands.put(slot, Box::new(move || nav::done(slug, lang)));
    }
    figures
}

/// A widget in its place. What it says is withheld until the prediction that it `waits` for, by chapter and id, is made.
fn widget_view(widget: &'static widgets::Widget, query: RwSignal<Query>, waits: Option<(String, String)>) -> AnyView {
    if let Some((slug, id)) = waits {
        let (chapter, prediction) = (slug.clone(), id.clone());
        provide_context(Withheld {
            is: Memo::new(move |_| !exercises::committed(&chapter, &prediction)),
            show: Callback::new(move |()| exercises::skip(&slug, &id)),
        });
    }
    deferred(|| widget.to_show(), move |module: Module| (module.view)(Props { query, alone: false, compact: false }))
        .into_any()
}
