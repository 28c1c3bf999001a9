//! The site without a network: what has been visited is kept at once, the whole course once the page has come to rest.
//!
//! The work is the service worker's, `app/sw.js`; what is here starts it, late enough to be in nobody's way, and says how it stands.

mod keeper;
pub(super) mod panel;

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::embed;
use crate::deferred::lazy;
use crate::ui::idle;

/// How long after somebody was seen to be there.
const LATER: Duration = Duration::from_secs(3);

lazy! {
    /// Downloads it.
    settings: fn load() -> fn() {
        keeper::begin
    }
}

/// Begins to keep the site, later.
pub fn later() {
    // A frame in another page keeps nothing.
    if embed::is_asked() {
        return;
    }
    let begin = || {
        spawn_local(async {
            // Without a network there is nothing to keep.
            if let Ok(begin) = load().await {
                begin();
            }
        });
    };
    idle::when_idle(move || set_timeout(begin, LATER));
}
