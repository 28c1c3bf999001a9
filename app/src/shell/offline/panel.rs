//! What the settings say of it: how much is kept, whether to keep it, and the way to be rid of it.

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::quantity::bytes_decimal;

use super::keeper::{self, Kept};
use crate::store::store;
use crate::ui::said::{Said, say};
use crate::ui::segmented::Segmented;

/// How often it is looked at how much is kept, while that changes, in milliseconds.
const LOOK: u32 = 1500;

/// The section.
pub fn view() -> impl IntoView {
    let store = store();
    let kept = RwSignal::new(None::<Kept>);
    let said: Said = RwSignal::new(None);
    let look = move || {
        spawn_local(async move {
            loop {
                let now = keeper::kept().await;
                // The page may have been left meanwhile.
                let is_left = kept.try_set(now).is_some();
                if is_left || now.is_some_and(|now| now.is_whole()) || store.peek(|doc| doc.settings.online_only) {
                    break;
                }
                TimeoutFuture::new(LOOK).await;
            }
        });
    };
    look();
    let value = Signal::derive(move || store.with(|doc| if doc.settings.online_only { "no" } else { "yes" }));
    let set = move |answer: &'static str| {
        store.update(|doc| doc.settings.online_only = answer == "no");
        said.set(None);
        if answer == "no" {
            spawn_local(async move {
                let gone = keeper::forget().await;
                kept.try_set(None);
                said.try_set(Some(if gone {
                    Ok("Nothing of the course is kept here any more.".to_owned())
                } else {
                    Err("This browser did not let it be deleted; clearing its site data does.".to_owned())
                }));
            });
        } else {
            spawn_local(keeper::keep_all());
            look();
        }
    };
    let how_much = move || match kept.get() {
        _ if !keeper::is_possible() => {
            "This browser keeps no pages here: it has no service workers, or the address is not a secure one."
                .to_owned()
        }
        None => "Nothing is kept yet.".to_owned(),
        Some(k) if k.is_whole() => format!("The whole course is kept: {}.", bytes_decimal(k.bytes)),
        Some(k) => format!("Kept so far: {} of {}.", bytes_decimal(k.bytes), bytes_decimal(k.of_bytes)),
    };
    view! {
        <section aria-labelledby="offline">
            <h2 id="offline">"Without a network"</h2>
            <p>
                "After a visit the course is fetched and kept in this browser, so that it works on a train: every page, figure and exercise."
            </p>
            <div class="sans">
                <Segmented
                    name="offline"
                    label="Keep the course here"
                    options=vec![("yes", "Keep it here"), ("no", "Keep nothing")]
                    value
                    set=Callback::new(set)
                />
            </div>
            <p class="hint sans" data-kept=move || kept.get().map(|k| k.files)>{how_much}</p>
            {say(said)}
        </section>
    }
}
