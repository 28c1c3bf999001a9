//! Whose memory is looked at: a choice among the ranks that are drawn.

use leptos::prelude::*;
use ringside_core::tensor_parallel::Params;

use super::State;
use crate::ui::select::{Group, Select};

/// The numbers of ranks that can be drawn, as values of a choice; the first is none.
const RANKS: [(&str, &str); 9] = [
    ("", "all ranks"),
    ("0", "rank 0"),
    ("1", "rank 1"),
    ("2", "rank 2"),
    ("3", "rank 3"),
    ("4", "rank 4"),
    ("5", "rank 5"),
    ("6", "rank 6"),
    ("7", "rank 7"),
];

pub(super) fn view(state: State) -> impl IntoView {
    let drawn = Memo::new(move |_| state.params().with(Params::drawn));
    let value = Signal::derive(move || {
        let rank = state.params().with(|p| p.rank).map_or(0, |rank| rank as usize + 1);
        RANKS.get(rank).map_or("", |(id, _)| *id)
    });
    let set = Callback::new(move |id: &'static str| state.update(|p| p.rank = id.parse().ok()));
    move || {
        let options = RANKS.iter().take(drawn.get() + 1).copied().collect();
        view! { <Select name="rank" label="Memory view of" groups=vec![Group { label: "", options }] value set /> }
    }
}
