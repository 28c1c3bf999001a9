//! A widget alone: to project, to embed, to test. Its state is in the address and follows it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::route::Route;

use ringside_core::query::{Query, did_you_mean};

use super::{embed, print, projector};
use crate::data::library;
use crate::deferred::{PageView, deferred, lazy};
use crate::page;
use crate::router::{self, Pending, address};
use crate::ui::link;
use crate::widgets::{self, Module, Props, Widget, my_setup};

/// Names in the address that are the page's and not the widget's.
const OF_THE_PAGE: &[&str] = &[projector::PRESENT, embed::EMBED, my_setup::SETUP];

lazy! {
    /// Downloads the page.
    widget_page: pub fn load() -> PageView {
        view
    }
}

fn view() -> AnyView {
    print::on_keys(print::whole_page);
    let route = address().route();
    let id = Memo::new(move |before: Option<&String>| match route.get() {
        Route::Widget(id) => id,
        // On its way to another page.
        _ => before.cloned().unwrap_or_default(),
    });
    (move || match widgets::find(&id.get()) {
        Some(widget) => known(widget).into_any(),
        None => unknown(&id.get()).into_any(),
    })
    .into_any()
}

fn known(widget: &'static Widget) -> impl IntoView {
    let query = address_of(widget.id);
    deferred(
        || widget.to_show(),
        move |module: Module| {
            page::title(module.model.title);
            if embed::is_asked() {
                connect(module, query);
            }
            let figure = (module.view)(Props { query, alone: true, compact: false });
            let whole = move || {
                let href = move || query.with(|q| link::to_widget(widget.id, q));
                view! { <p class="embed-from sans"><a target="_blank" href=href>"Open in Ringside"</a></p> }
            };
            view! {
                <article class="widget-page">
                    <p class="widget-head sans">{move || chapter_link(widget.id)} " " {module.model.summary}</p>
                    {figure}
                    {embed::is_asked().then(whole)}
                </article>
            }
            .into_any()
        },
    )
}

/// Connects a figure in a frame to the page around it. A frame that stays alone shows its figure all the same.
fn connect(module: Module, query: RwSignal<Query>) {
    let owner = Owner::current();
    spawn_local(async move {
        if let (Ok(connect), Some(owner)) = (embed::load().await, owner) {
            owner.with(|| connect(module.model, query));
        }
    });
}

/// A link to the chapter that the widget belongs to, if one lists it and once the course is there.
fn chapter_link(id: &str) -> AnyView {
    let course = library().course.ready();
    let chapter = course.as_ref().and_then(|course| course.chapters().find(|c| c.widgets.iter().any(|w| w == id)));
    let Some(chapter) = chapter else { return ().into_any() };
    view! { <a href=chapter.href()>{format!("Chapter {} · {}", chapter.number, chapter.title)}</a> }.into_any()
}

fn unknown(id: &str) -> impl IntoView + use<> {
    page::title("No such widget");
    let ids: Vec<&str> = widgets::all().map(|w| w.id).collect();
    let hint = did_you_mean(id, &ids);
    let list = ids.into_iter().map(|id| view! { <li><a href=link::to_widget(id, &Query::default())>{id}</a></li> });
    view! {
        <article class="prose">
            <h1>"There is no such widget"</h1>
            <p>{format!("No widget is called “{id}”{hint}. There are:")}</p>
            <ul>{list.collect_view()}</ul>
        </article>
    }
}

/// The state of a widget, kept in step with the page's address: read from it now and when the learner goes back or follows a
/// link; written into it, in place, when the learner has changed something and rests.
fn address_of(id: &'static str) -> RwSignal<Query> {
    // This page changes the address behind the back of its signals.
    let (of_widget, _) = split(&router::query());
    let query = RwSignal::new(of_widget.clone());
    let in_address = StoredValue::new(of_widget);

    let rest = Pending::after(250);
    let address = address();
    let route = address.route();
    Effect::new(move |before: Option<()>| {
        address.track();
        // Until the next page is there, its address isn't this widget's.
        if before.is_some() && untrack(|| route.with(|route| matches!(route, Route::Widget(at) if at == id))) {
            let (of_widget, _) = split(&router::query());
            // A link may lead to the state that the address had before a change that isn't written yet.
            if rest.is_overtaken() || in_address.with_value(|seen| *seen != of_widget) {
                rest.cancel();
                in_address.set_value(of_widget.clone());
                query.set(of_widget);
            }
        }
    });

    let write = move || {
        let of_widget = query.get_untracked();
        let (_, of_page) = split(&router::query());
        let address = link::whole(&link::to_widget(id, &of_widget.with(&of_page)));
        // A browser that refuses leaves an older link in the bar.
        if router::replace(&address) {
            in_address.set_value(of_widget);
        }
    };
    Effect::new(move |_| {
        let is_written = query.with(|q| in_address.with_value(|seen| seen == q));
        if is_written { rest.cancel() } else { rest.run(write) }
    });
    query
}

/// The widget's part of a query and the page's.
fn split(query: &Query) -> (Query, Query) {
    let is_page = |name: &str| OF_THE_PAGE.contains(&name);
    let part = |page: bool| Query::new(query.iter().filter(|(name, _)| is_page(name) == page));
    (part(false), part(true))
}
