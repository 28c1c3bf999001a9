//! A layer of every technique at one place of the map, under it.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::overlap::{Params, Place, Technique, Verdict};
use ringside_core::quantity::counted;

use super::one_picture::{self, Live, Own};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| Own { below: Some(layer(live)), ..Own::default() })
}

/// A layer of every technique at the place of the state: arithmetic and waiting, and under them what is sent.
fn layer(live: Live<Params>) -> AnyView {
    let rows = move || {
        live.with(|_, map| {
            let tokens = map.params.tokens as f64;
            let row = |place: &Place| row(place, tokens, place.technique == map.params.technique);
            map.here.iter().map(row).collect_view()
        })
    };
    let head = move || {
        live.with(|_, map| {
            let gpus = counted(map.params.gpus, "GPU", "GPUs");
            format!("A layer on {gpus} with {} each", counted(map.params.tokens, "token", "tokens"))
        })
    };
    view! {
        <div class="overlap">
        <p class="overlap-key">
            <span>{head}</span>
            <span><i class="computes"></i>"computes"</span>
            <span><i class="waits"></i>"waits"</span>
            <span><i class="sends"></i>"sends"</span>
        </p>
        <ul class="overlap-rows">{rows}</ul>
        </div>
    }
    .into_any()
}

fn row(place: &Place, tokens: f64, chosen: bool) -> AnyView {
    let ([forward, backward], [there, back]) = (place.terms.arithmetic(tokens), place.terms.send(tokens));
    let (first, second) = (forward.max(there), backward.max(back));
    let all = (first + second).max(f64::MIN_POSITIVE);
    let part = |class: &'static str, time: f64| {
        view! { <i class=class style:width=format!("{:.3}%", 100.0 * time / all)></i> }
    };
    let lane = |class: &'static str, rest: &'static str, [a, b]: [f64; 2]| {
        let parts = [(class, a), (rest, first - a), (class, b), (rest, second - b)];
        view! { <span class="lane">{parts.map(|(class, time)| part(class, time)).collect_view()}</span> }
    };
    let impossible = matches!(place.verdict, Verdict::Impossible(_));
    let bars = (!impossible).then(|| {
        view! {
            <span class="overlap-bars" aria-hidden="true">
                {lane("computes", "waits", [forward, backward])} {lane("sends", "rest", [there, back])}
            </span>
        }
    });
    let name = match (place.technique, place.terms.tp) {
        (Technique::Mix, tp) if tp > 0 => format!("{} {tp}", place.technique.label()),
        _ => place.technique.label().to_owned(),
    };
    view! {
        <li class="overlap-row" class:chosen=chosen class:out=impossible aria-current=chosen.then_some("true")>
            <span class="overlap-name">{name}</span>
            {bars}
            <span class="overlap-verdict">{place.in_words(tokens)}</span>
        </li>
    }
    .into_any()
}
