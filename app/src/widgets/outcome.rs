//! What a model makes of a widget's state, when not every state is possible.

use leptos::prelude::*;
use ringside_core::declare::Model;

use super::readings;
use crate::ui::output::NoResult;

/// A result, and why it is not that of the state, if the state is impossible.
#[derive(Clone, PartialEq)]
struct Outcome<R> {
    result: Option<R>,
    error: Option<String>,
}

/// The result on show. Where the state is impossible, the reason is said in its place: the last possible result only keeps the drawing’s room,
/// and no number of it is seen.
pub(super) struct Shown<R: Send + Sync + 'static>(Memo<Outcome<R>>);

impl<R: Send + Sync> Clone for Shown<R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R: Send + Sync> Copy for Shown<R> {}

impl<R: Clone + PartialEq + Send + Sync + 'static> Shown<R> {
    /// What `compute` makes of `params`; one that is impossible from the start has the room of what `plain` makes of it.
    pub fn new<P: Clone + PartialEq + Send + Sync + 'static>(
        params: Memo<P>,
        compute: fn(&P) -> Result<R, String>,
        plain: fn(&P) -> P,
    ) -> Self {
        let outcome = Memo::new(move |before: Option<&Outcome<R>>| {
            params.with(|p| match compute(p) {
                Ok(result) => Outcome { result: Some(result), error: None },
                Err(why) => {
                    let last = before.and_then(|b| b.result.clone());
                    Outcome { result: last.or_else(|| compute(&plain(p)).ok()), error: Some(why) }
                }
            })
        });
        provide_context(NoResult(Signal::derive(move || outcome.with(|outcome| outcome.error.clone()))));
        Self(outcome)
    }

    /// Looks at the result. Tracks.
    pub fn with<T: Default>(self, look: impl FnOnce(&R) -> T) -> T {
        self.0.with(|outcome| outcome.result.as_ref().map(look).unwrap_or_default())
    }

    /// Why the state has no result, if it has none. Tracks.
    pub fn error(self) -> Option<String> {
        self.0.with(|outcome| outcome.error.clone())
    }

    /// Its quantities: the headlines, and behind "All numbers" every one.
    pub fn readings<P: Model<Result = R>>(self, params: Memo<P>) -> AnyView {
        let quantities = Memo::new(move |_| params.with(|p| self.with(|result| p.quantities(result))));
        readings::view(&P::ENTRY, quantities)
    }

    /// `drawing`, and while the state is impossible the reason over its empty room.
    pub fn frame(self, drawing: AnyView) -> AnyView {
        view! {
            <div role="alert">
                {move || self.error().map(|why| view! { <p class="message">"Not possible: " {why}</p> })}
            </div>
            <div class:impossible=move || self.0.with(|outcome| outcome.error.is_some())>{drawing}</div>
        }
        .into_any()
    }
}
