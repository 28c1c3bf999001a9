//! What a model makes of a widget's state, when not every state is possible.

use leptos::prelude::*;

/// A result, and why it is not that of the state, if the state is impossible.
#[derive(Clone, PartialEq)]
struct Outcome<R> {
    result: Option<R>,
    error: Option<String>,
}

/// The result on show. Where the state is impossible the last possible one stays on show, and the reason is said.
pub(super) struct Shown<R: Send + Sync + 'static>(Memo<Outcome<R>>);

impl<R: Send + Sync> Clone for Shown<R> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<R: Send + Sync> Copy for Shown<R> {}

impl<R: Clone + PartialEq + Send + Sync + 'static> Shown<R> {
    /// What `compute` makes of `params`; a state that is impossible from the start is shown as `plain` makes it.
    pub fn new<P: Clone + PartialEq + Send + Sync + 'static>(
        params: Memo<P>,
        compute: fn(&P) -> Result<R, String>,
        plain: fn(&P) -> P,
    ) -> Self {
        Self(Memo::new(move |before: Option<&Outcome<R>>| {
            params.with(|p| match compute(p) {
                Ok(result) => Outcome { result: Some(result), error: None },
                Err(why) => {
                    let last = before.and_then(|b| b.result.clone());
                    Outcome { result: last.or_else(|| compute(&plain(p)).ok()), error: Some(why) }
                }
            })
        }))
    }

    /// Looks at the result. Tracks.
    pub fn with<T: Default>(self, look: impl FnOnce(&R) -> T) -> T {
        self.0.with(|outcome| outcome.result.as_ref().map(look).unwrap_or_default())
    }

    /// Why the state has no result, if it has none. Tracks.
    pub fn error(self) -> Option<String> {
        self.0.with(|outcome| outcome.error.clone())
    }

    /// `drawing`, dimmed under the reason while the state is impossible.
    pub fn frame(self, drawing: AnyView) -> AnyView {
        view! {
            <div role="alert">
                {move || self.error().map(|why| view! { <p class="message">"Not possible: " {why}</p> })}
            </div>
            <div class:stale=move || self.0.with(|outcome| outcome.error.is_some())>{drawing}</div>
        }
        .into_any()
    }
}
