//! The site: what every page shares, and which page is shown.

use leptos::prelude::*;

use crate::router::{self, Route, address};
use crate::{data, deferred, page, shell, store, style};

/// The whole site.
#[component]
pub fn App() -> impl IntoView {
    page::provide();
    shell::notices::provide();
    store::provide();
    data::provide();
    router::provide();
    let route = address().route();
    // A page that shows one thing of many follows the address itself.
    let kind = Memo::new(move |_| route.with(std::mem::discriminant));
    let shown = move || {
        // Read and not only tracked: a memo that nobody reads is never computed.
        let _ = kind.get();
        match route.get_untracked() {
            Route::Home => deferred::page(shell::home::load).into_any(),
            Route::Chapter(_) => deferred::page(shell::chapter::load).into_any(),
            Route::Gallery => deferred::page(|| style::with(&["gallery"], shell::gallery::load())).into_any(),
            Route::Widget(_) => deferred::page(shell::widget_page::load).into_any(),
            Route::Lab(_) => deferred::page(|| style::with(&["labs"], shell::lab::load())).into_any(),
            Route::Mission(_) => deferred::page(|| style::with(&["missions"], shell::mission::load())).into_any(),
            Route::Reference => deferred::page(|| style::with(&["reference"], shell::reference::load())).into_any(),
            Route::Practice => {
                deferred::page(|| style::with(&["to-do-now", "practice"], shell::practice::load())).into_any()
            }
            Route::Record => deferred::page(|| style::with(&["exam", "record"], shell::record::load())).into_any(),
            Route::Placement => deferred::page(|| style::with(&["exam"], shell::placement::load())).into_any(),
            Route::Syllabus => deferred::page(|| style::with(&["syllabus"], shell::syllabus::load())).into_any(),
            Route::Quiz => deferred::page(|| style::with(&["exam"], shell::exam::load_quiz())).into_any(),
            Route::Check => deferred::page(|| style::with(&["exam"], shell::exam::load_check())).into_any(),
            Route::Presenter => {
                deferred::page(|| style::with(&["projector", "talk"], shell::presenter::load())).into_any()
            }
            Route::Lecture => deferred::page(|| style::with(&["talk"], shell::lecture::load())).into_any(),
            Route::Settings => deferred::page(shell::settings::load).into_any(),
            Route::Author => deferred::page(|| style::with(&["author"], shell::author::load())).into_any(),
            Route::Unknown => shell::not_found::view().into_any(),
        }
    };
    view! { <shell::Frame>{shown}</shell::Frame> }
}
