//! What an exercise asks, for whoever composes a quiz of it.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page;
use crate::shell::answer;

/// The question of the exercise `key`, with the numbers that this quiz asks with.
pub(super) fn view(key: String, seed: impl Fn() -> u64 + Send + Sync + 'static) -> AnyView {
    let asked = RwSignal::new(None::<Result<String, String>>);
    let seed = Memo::new(move |_| seed());
    Effect::new(move |_| {
        let (key, seed_now) = (key.clone(), seed.get());
        let on_its_way = page::pending();
        spawn_local(async move {
            let came = answer::posed(&key, seed_now).await;
            // The numbers may be others by now.
            if seed.try_get_untracked() == Some(seed_now) {
                asked.try_set(Some(came));
            }
            drop(on_its_way);
        });
    });
    let shown = move || match asked.get() {
        None => ().into_any(),
        Some(Ok(html)) => view! { <div class="asked-text" inner_html=html></div> }.into_any(),
        Some(Err(why)) => view! { <p class="why">{why}</p> }.into_any(),
    };
    view! { {shown} }.into_any()
}
