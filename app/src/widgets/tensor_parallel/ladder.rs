//! A layer's time by the number of ranks: arithmetic, what is waited for, and where the node ends.

use leptos::prelude::*;
use ringside_core::quantity::Unit;
use ringside_core::tensor_parallel::{Run, Rung};

use super::Shown;
use crate::ui::scale::{Linear, percent};

fn rungs(run: &Run) -> impl IntoView + use<> {
    let ladder = run.ladder();
    let longest = ladder.iter().map(|r| r.cost.compute + r.cost.exposed).fold(0.0, f64::max);
    let scale = Linear::to(longest);
    let (node, now) = (run.params.node, run.params.tp);
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
    view! {
        <div class="ladder" aria-hidden="true">
            <p class="side-title">
                "One layer of the chosen model, forward and backward, by ranks"
                <small><i class="swatch compute"></i> "arithmetic"</small> <small><i class="swatch exchange"></i> "and waiting"</small>
            </p>
            {move || shown.run.with(|run| Some(rungs(run)))}
        </div>
    }
    .into_any()
}
