//! What the home page shows of this: the next half hour.

use leptos::prelude::*;
use ringside_core::practice::next::Item;

use super::Desk;
use super::now::{Suggestion, item};
use crate::deferred::{PageView, lazy};

/// The minutes there are.
const MINUTES: u32 = 30;
/// The most lines for which `app/styles/home.css` keeps a place.
const MOST: usize = 7;

lazy! {
    /// Downloads it.
    home: pub fn load() -> PageView {
        || Desk::show(view).into_any()
    }
}

fn view(desk: Desk) -> AnyView {
    let suggestion = Suggestion::new(desk, || MINUTES);
    // A line that says how many more there are takes the place of the last. It comes after a chapter in which the learner
    // stopped, before which reviews take half of the time at most.
    let shown = move |items: &[Item]| if items.len() > MOST { MOST - 1 } else { items.len() };
    let list =
        move || suggestion.items.with(|items| items.iter().take(shown(items)).map(|it| item(desk, it)).collect_view());
    let rest = move || match suggestion.items.with(|items| (items.len(), items.len() - shown(items))) {
        (0, _) => Some(view! { <p class="rest sans">{suggestion.say()}</p> }.into_any()),
        (_, 0) => None,
        (_, more) => {
            Some(view! { <p class="rest sans"><a href="practice/">{format!("And {more} more")}</a></p> }.into_any())
        }
    };
    view! {
        <ol class="to-do-now sans">{list}</ol>
        {rest}
    }
    .into_any()
}
