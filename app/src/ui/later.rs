//! Doing something once things have calmed down.

use gloo_timers::callback::Timeout;
use leptos::prelude::*;

/// One thing to be done later; asking again puts it off. It is forgotten when the place that it belongs to is gone.
#[derive(Clone, Copy)]
pub struct Later {
    milliseconds: u32,
    timer: StoredValue<Option<Timeout>, LocalStorage>,
}

impl Later {
    /// Nothing yet; what is asked for will be done after this many milliseconds of calm.
    pub fn after(milliseconds: u32) -> Self {
        Self { milliseconds, timer: StoredValue::new_local(None) }
    }

    /// Does `action` later, instead of what was to be done.
    pub fn run(self, action: impl FnOnce() + 'static) {
        let act = move || {
            self.cancel();
            action();
        };
        self.timer.set_value(Some(Timeout::new(self.milliseconds, act)));
    }

    /// Whether something is still to be done.
    pub fn is_waiting(self) -> bool {
        self.timer.with_value(Option::is_some)
    }

    /// Does not do it.
    pub fn cancel(self) {
        self.timer.set_value(None);
    }
}
