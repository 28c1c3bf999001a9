//! The bytes between HBM and the chip, and the quantities.

use leptos::prelude::*;
use ringside_core::attention::algorithm::Algo;
use ringside_core::attention::plan::Traffic;
use ringside_core::attention::{Params, Run};
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, unbroken};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::widgets::readings;

/// Two bars to one scale: what standard attention moves, and FlashAttention.
pub(super) fn view(shown: Shown) -> AnyView {
    let bars = move || {
        shown.now(|run, step| {
            let scale = Linear::to(run.of_all_heads(run.standard.bytes().max(run.flash.bytes())));
            let so_far = run.plan.until(step);
            let other = if run.params.algo == Algo::Standard { Algo::Flash1 } else { run.params.algo };
            let bar = |algo: Algo, whole: &Traffic| {
                let moving = algo == run.params.algo;
                one(run, algo.label(), whole, moving.then_some(&so_far), scale)
            };
            view! { {bar(Algo::Standard, &run.standard)} {bar(other, &run.flash)} }
        })
    };
    view! {
        <div class="tiling-traffic">
            <p class="tiling-title">"Moved between them" <small>" all heads"</small></p>
            {bars}
            <p class="fine traffic-key" aria-hidden="true">
                <span><i class="read"></i>"read"</span><span><i class="written"></i>"written"</span>
                <span><i class="total"></i>"still to come, or the other one’s total"</span>
            </p>
        </div>
    }
    .into_any()
}

fn one(
    run: &Run,
    name: &'static str,
    whole: &Traffic,
    so_far: Option<&Traffic>,
    scale: Linear,
) -> impl IntoView + use<> {
    let width = |bytes: u64| percent(scale.percent(run.of_all_heads(bytes)));
    let text = |bytes: u64| unbroken(&Unit::Bytes.format(run.of_all_heads(bytes)));
    let (read, written) = so_far.map_or((0, 0), |t| (t.read, t.written));
    let amount = match so_far {
        Some(t) => format!("{} of {}", text(t.bytes()), text(whole.bytes())),
        None => text(whole.bytes()),
    };
    view! {
        <div class="traffic-bar" class:moving=so_far.is_some()>
            <p><span>{name}</span> <b>{amount}</b></p>
            <div class="bar-bed" aria-hidden="true">
                <i class="total" style:width=width(whole.bytes())></i>
                <i class="read" style:width=width(read)></i>
                <i class="written" style:left=width(read) style:width=width(written)></i>
            </div>
        </div>
    }
}

/// The quantities, for people and for scripts.
pub(super) fn readings(shown: Shown, params: Memo<Params>) -> impl IntoView {
    let quantities = Memo::new(move |_| {
        shown.run.with(|run| Params { step: params.with(|p| p.step), ..run.params }.quantities(run))
    });
    readings::view(&Params::ENTRY, quantities)
}
