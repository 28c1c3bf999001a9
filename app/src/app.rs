//! The site: what every page shares, and which page is shown.

use leptos::prelude::*;
use ringside_content::route::Route;
use ringside_content::schema::Page;

use crate::deferred::Loading;
use crate::router::{self, address};
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
    let kind = Memo::new(move |_| {
        route.with(|route| match route {
            Route::Page(page) => (std::mem::discriminant(route), Some(*page)),
            _ => (std::mem::discriminant(route), None),
        })
    });
    let shown = move || {
        // Read and not only tracked: a memo that nobody reads is never computed.
        let _ = kind.get();
        match route.get_untracked() {
            Route::Home => deferred::page(shell::home::load).into_any(),
            Route::Chapter(..) => deferred::page(shell::chapter::load).into_any(),
            Route::Widget(_) => deferred::page(shell::widget_page::load).into_any(),
            Route::Lab(_) => with_styles_of(Page::Labs),
            Route::Mission(_) => with_styles_of(Page::Missions),
            Route::Page(of) => {
                page::title(of.title());
                with_styles_of(of)
            }
            Route::Unknown => shell::not_found::view().into_any(),
        }
    };
    view! { <shell::Frame>{shown}</shell::Frame> }
}

/// A page with the style sheets that it declares.
fn with_styles_of(of: Page) -> AnyView {
    deferred::page(move || style::with(of.styles(), load(of))).into_any()
}

fn load(page: Page) -> Loading<deferred::PageView> {
    match page {
        Page::Gallery => Box::pin(shell::gallery::load()),
        Page::Labs => Box::pin(shell::lab::load()),
        Page::Run => Box::pin(shell::run::load()),
        Page::Missions => Box::pin(shell::mission::load()),
        Page::Reference => Box::pin(shell::reference::load()),
        Page::Practice => Box::pin(shell::practice::load()),
        Page::PracticeNow => Box::pin(shell::practice::load_now()),
        Page::Record => Box::pin(shell::record::load()),
        Page::Placement => Box::pin(shell::placement::load()),
        Page::Teach => Box::pin(shell::teach::load()),
        Page::Syllabus => Box::pin(shell::syllabus::load()),
        Page::Quiz => Box::pin(shell::exam::load_quiz()),
        Page::Export => Box::pin(shell::exam::load_export()),
        Page::Check => Box::pin(shell::exam::load_check()),
        Page::Presenter => Box::pin(shell::presenter::load()),
        Page::Cards => Box::pin(shell::votes::load()),
        Page::Lecture => Box::pin(shell::lecture::load()),
        Page::Settings => Box::pin(shell::settings::load()),
        Page::Author => Box::pin(shell::author::load()),
    }
}
