//! The routes. What is behind them follows from the course and from the widget registry.

use leptos::prelude::*;
use leptos_router::components::{Route, Router, Routes};
use leptos_router::path;

use crate::{data, deferred, page, shell, store};

/// The whole site.
#[component]
pub fn App() -> impl IntoView {
    page::provide();
    shell::notices::provide();
    store::provide();
    data::provide();
    view! {
        <Router base=data::base_path()>
            <shell::Frame>
                <Routes fallback=shell::not_found::view>
                    <Route path=path!("/") view=|| deferred::page(shell::home::load) />
                    <Route path=path!("/chapter/:slug") view=|| deferred::page(shell::chapter::load) />
                    <Route path=path!("/w/:id") view=|| deferred::page(shell::widget_page::load) />
                    <Route path=path!("/reference") view=|| deferred::page(shell::reference::load) />
                    <Route path=path!("/settings") view=|| deferred::page(shell::settings::load) />
                </Routes>
            </shell::Frame>
        </Router>
    }
}
