//! The figure that an exercise is answered on: opened by a button, so that a page does not download it for everybody.

use leptos::prelude::*;
use ringside_content::language::Phrase;
use ringside_core::exercise::Kind;
use ringside_core::query::Query;

use super::session::Session;
use crate::deferred::deferred;
use crate::ui::figure::Fixed;
use crate::ui::{focus_soon, unique_id};
use crate::widgets::{self, Module, Props};

/// A figure, open or not.
#[derive(Clone, Copy)]
pub(super) struct Figure {
    /// Whether it is open.
    pub open: RwSignal<bool>,
    id: StoredValue<String>,
}

impl Figure {
    pub fn new(open: bool) -> Self {
        Self { open: RwSignal::new(open), id: StoredValue::new(unique_id("exercise-figure")) }
    }

    /// Brings the focus to it.
    pub fn focus(self) {
        self.id.with_value(|id| focus_soon(id.clone()));
    }

    /// The figure of the exercise's model in this state, or the button that opens it.
    pub fn view(self, session: Session, state: RwSignal<Query>, button: Phrase) -> AnyView {
        let model = session.exercise.with_value(|e| e.model.clone().unwrap_or_default());
        let widget = widgets::find(&model);
        let lang = session.lang;
        let fixed = session.exercise.with_value(|e| match &e.kind {
            Kind::Task(task) => Fixed::of(&task.fixed),
            _ => Fixed::of(&[]),
        });
        let figure = move || {
            if !self.open.get() {
                let start = move |_| {
                    self.open.set(true);
                    self.focus();
                };
                return view! { <button type="button" lang=lang.marked() on:click=start>{button.to(lang)}</button> }
                    .into_any();
            }
            provide_context(fixed);
            match widget {
                Some(widget) => deferred(
                    || widget.to_show(),
                    move |module: Module| (module.view)(Props { query: state, alone: false, compact: false }),
                )
                .into_any(),
                None => ().into_any(),
            }
        };
        view! { <div class="task-figure" id=self.id.get_value() tabindex="-1">{figure}</div> }.into_any()
    }
}
