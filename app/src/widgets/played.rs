//! States that are played step by step. How far one has been played does not change what is computed of it.

use leptos::prelude::*;

/// A state with a number of steps done.
pub(super) trait Played: Clone + PartialEq + Send + Sync + 'static {
    /// Steps done.
    fn step(&self) -> usize;

    /// The same state with so many steps done.
    fn at(&self, step: usize) -> Self;

    /// The same before the first step.
    fn at_start(&self) -> Self {
        self.at(0)
    }
}

/// What is played, whatever the step: it changes only when something else does.
pub(super) fn whole<P: Played>(params: Memo<P>) -> Memo<P> {
    Memo::new(move |_| params.with(P::at_start))
}

/// Steps done of as many as there are.
pub(super) fn step<P: Played>(params: Memo<P>, steps: impl Fn() -> usize + Send + Sync + 'static) -> Memo<usize> {
    Memo::new(move |_| params.with(P::step).min(steps()))
}

/// States with a field `step`.
macro_rules! have_steps {
    ($($params:ty),* $(,)?) => {$(
        impl Played for $params {
            fn step(&self) -> usize {
                self.step
            }

            fn at(&self, step: usize) -> Self {
                Self { step, ..*self }
            }
        }
    )*};
}

have_steps![
    ringside_core::collective::Params,
    ringside_core::context_parallel::Params,
    ringside_core::tile_order::Params,
    ringside_core::zero::Params,
];
