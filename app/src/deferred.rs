//! Code that is downloaded when it is first needed.
//!
//! `lazy!` names the module that a piece of code is downloaded in. The feature `split`, on for the deployed site, makes one
//! file of each such module; without it everything is in the main one, and only the `async` is left. What is lazy is a function
//! pointer or a struct of them, so that all the code behind it leaves the main module. When a download fails, the place says so
//! and offers to try again; the rest of the page works.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page;
use crate::shell::notices::{self, Level};
use crate::shell::prerendered;
use crate::ui::idle;
use crate::ui::trouble::trouble;

/// The code could not be downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotLoaded;

impl fmt::Display for NotLoaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("This part of the page could not be downloaded. Check the connection.")
    }
}

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for NotLoaded {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// `module: fn load() -> T { value }` becomes `async fn load() -> Result<T, NotLoaded>`, which downloads the module first. All
/// that name one module are downloaded together.
macro_rules! lazy {
    ($(#[$attribute:meta])* $module:ident: $visibility:vis fn $name:ident() -> $of:ty $value:block) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($module, wasm_split_path = leptos::wasm_split, fallible)]
        $(#[$attribute])*
        $visibility fn $name() -> Result<$of, $crate::deferred::NotLoaded> {
            Ok($value)
        }

        #[cfg(not(feature = "split"))]
        $(#[$attribute])*
        $visibility async fn $name() -> Result<$of, $crate::deferred::NotLoaded> {
            Ok($value)
        }
    };
}
pub(crate) use lazy;

/// Code on its way.
pub type Loading<T> = Pin<Box<dyn Future<Output = Result<T, NotLoaded>>>>;

/// A view in a module of its own.
pub type PageView = fn() -> AnyView;

/// Shows a page whose code is downloaded on demand. One that can be read already is made alive once somebody is there.
pub fn page<L, F>(load: L) -> impl IntoView
where
    L: Fn() -> F + Clone + 'static,
    F: Future<Output = Result<PageView, NotLoaded>> + 'static,
{
    let begin = |attempt: Attempt| if prerendered::has_text() { idle::when_idle(attempt) } else { attempt() };
    waiting(load, |page: PageView| page(), |_| prerendered::text(), begin)
}

/// Waits for code that is downloaded when it is asked for, then does `act` with it; says why if it cannot be had.
pub fn act<T: 'static>(code: impl Future<Output = Result<T, NotLoaded>> + 'static, act: impl FnOnce(T) + 'static) {
    let on_its_way = page::pending();
    spawn_local(async move {
        match code.await {
            Ok(code) => act(code),
            Err(why) => notices::say(Level::Warning, why.to_string()),
        }
        drop(on_its_way);
    });
}

/// The download, to be begun.
type Attempt = Box<dyn FnOnce()>;

/// Downloads with `load`, then shows `show` of what came. An error is a sentence for the learner.
pub fn deferred<T, E, L, F>(load: L, show: impl Fn(T) -> AnyView + Send + Sync + 'static) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    E: Clone + fmt::Display + Send + Sync + 'static,
    L: Fn() -> F + Clone + 'static,
    F: Future<Output = Result<T, E>> + 'static,
{
    deferred_after(load, || ().into_any(), show)
}

/// The same, with `until` in its place until something has come or failed.
pub fn deferred_after<T, E, L, F>(
    load: L,
    until: fn() -> AnyView,
    show: impl Fn(T) -> AnyView + Send + Sync + 'static,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    E: Clone + fmt::Display + Send + Sync + 'static,
    L: Fn() -> F + Clone + 'static,
    F: Future<Output = Result<T, E>> + 'static,
{
    waiting(load, show, move |failed| if failed { ().into_any() } else { until() }, |attempt| attempt())
}

/// Downloads with `load` when `begin` says so, then shows `show` of what came. Before that, and beside an error, stands what `instead`
/// says, which is told whether the download has failed.
fn waiting<T, E, L, F>(
    load: L,
    show: impl Fn(T) -> AnyView + Send + Sync + 'static,
    instead: impl Fn(bool) -> AnyView + Send + Sync + 'static,
    begin: fn(Attempt),
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    E: Clone + fmt::Display + Send + Sync + 'static,
    L: Fn() -> F + Clone + 'static,
    F: Future<Output = Result<T, E>> + 'static,
{
    let state = RwSignal::new(None::<Result<T, E>>);
    let attempt = move || {
        let on_its_way = page::pending();
        let load = load.clone();
        spawn_local(async move {
            let result = load().await;
            // The place may be gone by the time it arrives.
            state.try_set(Some(result));
            drop(on_its_way);
        });
    };
    let attempt = StoredValue::new_local(attempt);
    begin(Box::new(move || {
        // By the time, the learner may be elsewhere.
        attempt.try_with_value(|attempt| attempt());
    }));
    move || match state.get() {
        None => instead(false),
        Some(Ok(loaded)) => show(loaded),
        Some(Err(why)) => {
            let again = move || {
                state.set(None);
                attempt.with_value(|attempt| attempt());
            };
            view! { {trouble(why.to_string(), again)} {instead(true)} }.into_any()
        }
    }
}
