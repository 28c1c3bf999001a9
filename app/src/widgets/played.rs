//! States that are played step by step. How far one has been played does not change what is computed of it.

use leptos::prelude::*;

use crate::ui::state::State;

/// A state with a number of steps done.
pub(super) trait Played: Clone + PartialEq + Send + Sync + 'static {
    /// Steps done.
    fn step(&self) -> usize;

    /// Sets how many steps are done.
    fn set_step(&mut self, step: usize);

    /// The same before the first step.
    fn at_start(&self) -> Self {
        let mut start = self.clone();
        start.set_step(0);
        start
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

/// What sets the steps done.
pub(super) fn set<P: Played>(state: State<P>) -> impl Fn(usize) + Copy + Send + Sync + 'static {
    move |step| state.update(|p| p.set_step(step))
}

/// States with a field `step`.
macro_rules! have_steps {
    ($($params:ty),* $(,)?) => {$(
        impl Played for $params {
            fn step(&self) -> usize {
                self.step as usize
            }

            fn set_step(&mut self, step: usize) {
                self.step = step as _;
            }
        }
    )*};
}

have_steps![
    ringside_core::collective::Params,
    ringside_core::context_parallel::Params,
    ringside_core::machines::Params,
    ringside_core::moe::figure::Params,
    ringside_core::post_training::memory::Params,
    ringside_core::serving::figure::Params,
    ringside_core::zero::Params,
];
