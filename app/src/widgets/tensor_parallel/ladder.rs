//! A layer's time by the number of ranks: arithmetic, what is waited for, and where the node ends.

use leptos::prelude::*;
use ringside_core::quantity::Unit;
use ringside_core::tensor_parallel::{Run, Rung};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::ui::debounced::debounced;

/// All that the bars show.
#[derive(Debug, Clone, PartialEq, Default)]
struct Ladder {
    rungs: Vec<Rung>,
    /// Ranks in a node, and the ranks of the run.
    node: u64,
    now: u64,
}

impl Ladder {
    fn of(run: &Run) -> Self {
        Self { rungs: run.ladder(), node: run.params.node, now: run.params.tp }
    }
}

fn rungs(ladder: Ladder) -> impl IntoView + use<> {
    let Ladder { rungs: ladder, node, now } = ladder;
    let longest = ladder.iter().map(|r| r.cost.compute + r.cost.exposed).fold(0.0, f64::max);
    let scale = Linear::to(longest);
    let ends = ladder.iter().find(|r| r.across).map(|r| r.tp);
    let rung = |r: Rung| {
        let width = |seconds: f64| percent(scale.percent(seconds));
        let border = (ends == Some(r.tp)).then(|| {
            view! { <p class="fine node-ends">{format!("more than a node of {node}")}</p> }
        });
        let (all, waiting) = (r.cost.compute + r.cost.exposed, Unit::Fraction.format(r.cost.share()));
        view! {
            {border}
            <div class="rung" class:here=r.tp == now>
                <span class="rung-name">{r.tp}</span>
                <span class="rung-bar">
                    <i class="compute" style:width=width(r.cost.compute)></i>
                    <i class="wait" style:width=width(r.cost.exposed)></i>
                </span>
                <span class="rung-says">
                    <b>{Unit::Seconds.format(all)}</b>
                    <small>{format!("{waiting} waiting")}</small>
                </span>
            </div>
        }
    };
    ladder.into_iter().map(rung).collect_view()
}

/// The bars.
pub(super) fn view(shown: Shown) -> AnyView {
    let ladder = debounced(Memo::new(move |_| shown.run.with(Ladder::of)));
    view! {
        <div class="ladder" aria-hidden="true">
            <p class="side-title">
                "One layer of the chosen model, forward and backward, by ranks"
                <small><i class="swatch compute"></i> "arithmetic"</small> <small><i class="swatch exchange"></i> "and waiting"</small>
            </p>
            {move || rungs(ladder.get())}
        </div>
    }
    .into_any()
}
