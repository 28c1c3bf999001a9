//! The address: which page it names, links that change it without a reload, and back and forward.
//!
//! Our own, because leptos_router would be a sixth of a first visit's code (ARCHITECTURE.md, Size) and the site has a handful
//! of routes without nesting.

use std::cell::{Cell, RefCell};

use leptos::ev;
use leptos::prelude::*;
use ringside_content::language::Lang;
use ringside_content::route::Route;
use ringside_content::schema::Page;
use ringside_core::query::Query;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, HtmlAnchorElement, MouseEvent};

use crate::data::base_path;
use crate::once::{self, Once};
use crate::page;
use crate::ui::later::Later;

/// Where the learner is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    /// Relative to the site's base, without slashes at its ends.
    path: String,
    /// With its `?`, or empty.
    search: String,
    /// Without its `#`, decoded.
    hash: String,
}

impl Place {
    fn now() -> Self {
        let location = location();
        let decoded = |text: String| js_sys::decode_uri_component(&text).map_or(text, String::from);
        let path = decoded(location.pathname().unwrap_or_default());
        Self {
            path: path.strip_prefix(&base_path()).unwrap_or(&path).trim_matches('/').to_owned(),
            search: location.search().unwrap_or_default(),
            hash: decoded(location.hash().unwrap_or_default().trim_start_matches('#').to_owned()),
        }
    }
}

/// The address as signals.
#[derive(Clone, Copy)]
pub struct Address(RwSignal<Place>);

thread_local! {
    static ADDRESS: Once<Address> = const { Once::new(None) };
}

/// The address. There is one from the start of the app on.
pub fn address() -> Address {
    once::get(&ADDRESS)
}

impl Address {
    /// The page. Changes only when the page does.
    pub fn route(self) -> Memo<Route> {
        Memo::new(move |_| self.0.with(|place| Route::of(&place.path)))
    }

    /// The query with its `?`, or empty.
    pub fn search(self) -> Memo<String> {
        Memo::new(move |_| self.0.with(|place| place.search.clone()))
    }

    /// What the address names on the page, without its `#`, or empty.
    pub fn hash(self) -> Memo<String> {
        Memo::new(move |_| self.0.with(|place| place.hash.clone()))
    }

    /// Runs again whenever a link, a button of the browser or [`Address::replace`] has set the address, also to the same.
    pub fn track(self) {
        self.0.track();
    }

    /// Puts another query into the address without a new entry in the history. Tells those who track it.
    pub fn replace(self, url: &str) {
        replace(url);
        self.0.set(Place::now());
    }

    fn follow(self, url: &web_sys::Url) {
        let pushed = window().history().and_then(|h| h.push_state_with_url(&JsValue::NULL, "", Some(&url.href())));
        if pushed.is_err() {
            // A browser that refuses to change the address in place can still load it.
            let _ = location().set_href(&url.href());
            return;
        }
        moved();
        let (before, now) = (self.0.get_untracked(), Place::now());
        self.0.set(now.clone());
        // A page that is still to come goes to what the address names by itself.
        if now.path != before.path || now.hash.is_empty() || !page::arrive(&now.hash) {
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    }
}

/// The language of the page: that of a chapter, and English elsewhere.
pub fn language() -> Lang {
    address().0.with_untracked(|place| match Route::of(&place.path) {
        Route::Chapter(_, lang) => lang,
        _ => Lang::En,
    })
}

/// The query in the bar now, whatever the signals say.
pub fn query() -> Query {
    Query::parse(location().search().unwrap_or_default().trim_start_matches('?'))
}

/// Puts another address into the bar, in place. Tells nobody. `false` if the browser refuses.
pub fn replace(url: &str) -> bool {
    let is_replaced = window().history().and_then(|h| h.replace_state_with_url(&JsValue::NULL, "", Some(url))).is_ok();
    noted();
    is_replaced
}

thread_local! {
    /// How often a link or a button of the browser has led elsewhere.
    static MOVES: Cell<u32> = const { Cell::new(0) };
    /// The path and the query that are in the bar, whatever the signals say.
    static BAR: RefCell<[String; 2]> = const { RefCell::new([String::new(), String::new()]) };
}

/// Takes note of what is in the bar. Whether it is another page, or another state of one.
fn noted() -> bool {
    let location = location();
    let now = [location.pathname(), location.search()].map(Result::unwrap_or_default);
    BAR.with_borrow_mut(|bar| std::mem::replace(bar, now.clone()) != now)
}

/// Takes note that somebody has gone elsewhere. Within a page its state stays.
fn moved() {
    if noted() {
        MOVES.set(MOVES.get().wrapping_add(1));
    }
}

/// What a page puts into its address once that has been still for a while. Where somebody has gone elsewhere meanwhile, it isn't written: the page
/// that wrote it may still be there while the next one is on its way, and the address is the next one's.
#[derive(Clone, Copy)]
pub struct Pending {
    later: Later,
    asked: StoredValue<u32>,
}

impl Pending {
    /// Nothing yet; what is asked for will be written after this many milliseconds of calm.
    pub fn after(milliseconds: u32) -> Self {
        Self { later: Later::after(milliseconds), asked: StoredValue::new(MOVES.get()) }
    }

    /// Writes later, instead of what was to be written.
    pub fn run(self, write: impl FnOnce() + 'static) {
        self.asked.set_value(MOVES.get());
        self.later.run(move || {
            if !self.is_overtaken() {
                write();
            }
        });
    }

    /// Whether somebody has gone elsewhere since it was asked for, or since the page began.
    pub fn is_overtaken(self) -> bool {
        self.asked.get_value() != MOVES.get()
    }

    /// Does not write it. What is asked for from now on belongs to the address as it is.
    pub fn cancel(self) {
        self.later.cancel();
        self.asked.set_value(MOVES.get());
    }
}

/// Sets the address up and listens for what changes it.
pub fn provide() {
    let address = Address(RwSignal::new(Place::now()));
    once::set(&ADDRESS, address);
    noted();
    let went = window_event_listener(ev::popstate, move |_| {
        moved();
        address.0.set(Place::now());
    });
    let clicked = window_event_listener(ev::click, move |event: MouseEvent| {
        if let Some(url) = followed(&event) {
            event.prevent_default();
            address.follow(&url);
        }
    });
    on_cleanup(move || {
        went.remove();
        clicked.remove();
    });
}

/// The page of this site that a click goes to, if it is ours to show: a plain click on a plain link, to another page.
fn followed(event: &MouseEvent) -> Option<web_sys::Url> {
    let modified = event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key();
    if event.default_prevented() || modified || event.button() != 0 {
        return None;
    }
    let link = event.target()?.dyn_into::<Element>().ok()?.closest("a[href]").ok()??;
    let link = link.dyn_into::<HtmlAnchorElement>().ok()?;
    if link.has_attribute("download") || !matches!(link.target().as_str(), "" | "_self") {
        return None;
    }
    let url = web_sys::Url::new(&link.href()).ok()?;
    let path = url.pathname();
    let ours = url.origin() == location().origin().ok()?;
    let path = path.strip_prefix(&base_path()).filter(|rest| ours && rest.starts_with('/'))?;
    // A browser lets a page use the camera, which counts votes, when it is loaded.
    if Route::of(path) == Route::Page(Page::Presenter) {
        return None;
    }
    // Within the page the browser finds its way, and moves the focus too.
    let elsewhere = location().pathname().ok()? != url.pathname() || location().search().ok()? != url.search();
    (Route::of(path) != Route::Unknown && (elsewhere || url.hash().is_empty())).then_some(url)
}
