//! What comes after the state on show: its name, and a look at it. Its code is there when it is its turn.

use leptos::prelude::*;
use ringside_core::query::Query;
use ringside_learner::talk::{Shows, Slide};

use crate::deferred::deferred;
use crate::ui::later::Later;
use crate::widgets::{self, Module, Props};

/// Milliseconds for which the talk rests on a state before there is a look at the next: whoever pages on needs none.
const REST: u32 = 400;

pub(super) fn view(next: Memo<Option<Slide>>) -> AnyView {
    let seen = RwSignal::new(None::<Slide>);
    let rest = Later::after(REST);
    Effect::new(move |_| {
        let next = next.get();
        seen.set(None);
        rest.run(move || drop(seen.try_set(next)));
    });
    let is_last = move || next.with(Option::is_none);
    let name = move || next.get().map_or_else(|| "This is the last one.".to_owned(), |slide| slide.label);
    let look = move || {
        match seen.get()?.shows {
        Shows::Figure { widget, query } => figure(&widget, query),
        Shows::Page(_) => None,
        Shows::Exercise { prompt, .. } | Shows::Text(prompt) => {
            Some(view! { <div class="next-prompt" tabindex="0" role="group" aria-label="What it asks" inner_html=prompt></div> }.into_any())
        }
    }
    };
    view! {
        <h2>"Next"</h2>
        <p class="presenter-next">{name}</p>
        <div class="next-look" hidden=is_last>{look}</div>
    }
    .into_any()
}

/// The figure in its next state, small: to be seen and not to be used.
fn figure(widget: &str, query: Query) -> Option<AnyView> {
    let widget = widgets::find(widget)?;
    let query = RwSignal::new(query);
    let show = move |module: Module| {
        let figure = (module.view)(Props { query, alone: false, compact: true });
        view! {
            <p class="next-title">{module.model.title}</p>
            <div class="next-figure" inert=true aria-hidden="true">{figure}</div>
        }
        .into_any()
    };
    Some(deferred(|| widget.to_show(), show).into_any())
}
