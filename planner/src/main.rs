//! The dedicated worker that searches the layouts of a job: downloaded with the first planner that comes alive.
//!
//! When it is ready it says so ([`Said`]): what comes before that is lost. Then the page posts a number and a query, and is told
//! under this number how far the search is and what it came to. A newer query takes the place of an older one, of which nothing
//! more is said. An empty array ends the search with what it has found.

mod seeker;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use ringside_core::planner::wire::Said;
use ringside_worker::{hear, member, say};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use seeker::Seeker;

fn main() {
    let seeker: Rc<RefCell<Seeker>> = Rc::default();
    let hears = hear(move |message| {
        let message = Array::from(&message);
        match (message.get(0).as_f64(), message.get(1).as_string()) {
            (Some(number), Some(query)) => spawn_local(search(seeker.clone(), number as u32, query)),
            _ => seeker.borrow_mut().stop().iter().for_each(tell),
        }
    });
    if hears {
        tell(&Said::Ready);
    }
}

/// Searches until all is found, or something else is asked for.
async fn search(seeker: Rc<RefCell<Seeker>>, number: u32, query: String) {
    seeker.borrow_mut().ask(number, &query);
    loop {
        let said = seeker.borrow_mut().go_on(number);
        said.iter().for_each(tell);
        if !matches!(said, Some(Said::Progress(..))) {
            return;
        }
        pause().await;
    }
}

fn tell(said: &Said) {
    say(&said.wire());
}

/// Lets the worker hear what was posted meanwhile.
async fn pause() {
    let scope = js_sys::global();
    let promise = Promise::new(&mut |done, _| {
        if let Ok(later) = member(&scope, "setTimeout").dyn_into::<Function>() {
            // Every worker has timers; without them the search would rest for ever, and the page's “Stop” end it.
            let _ = later.call1(&scope, &done);
        }
    });
    // It is never refused.
    let _ = JsFuture::from(promise).await;
}
