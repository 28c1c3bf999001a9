//! A number of a result.

use leptos::prelude::*;
use ringside_core::declare::Shown;

/// Why the figure in which this stands has no result, if it has none. Then none of its numbers is shown: they would be those of another
/// state.
#[derive(Clone, Copy)]
pub struct NoResult(pub Signal<Option<String>>);

/// Why there is no result here. Tracks when it is called.
pub fn why_no_result() -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    let known = use_context::<NoResult>();
    move || known.and_then(|none| none.0.get())
}

/// Whether there is no result here. Tracks when it is called.
pub fn no_result() -> impl Fn() -> bool + Copy + Send + Sync + 'static {
    let why = why_no_result();
    move || why().is_some()
}

/// A quantity: its text for people, its value in base units for everything else. Not announced at each change; the figure's
/// caption is.
#[component]
pub fn Output(
    /// What it is.
    shown: Shown,
    /// Its value in base units.
    #[prop(into)]
    value: Signal<f64>,
) -> impl IntoView {
    let nothing = no_result();
    let text = move || if nothing() { "–".to_owned() } else { shown.text(value.get()) };
    let exact = move || (!nothing()).then(|| value.get().to_string());
    let headline = shown.headline.then_some("");
    view! {
        <output data-quantity=shown.id data-headline=headline data-value=exact aria-live="off">
            {text}
        </output>
    }
}
