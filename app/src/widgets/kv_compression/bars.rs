//! Bars to one scale: keys and values, or a latent and its rotary key; pressing one looks at it.

use leptos::prelude::*;
use ringside_core::kv_cache::Keeps;
use ringside_core::kv_cache::figure::{Attention, Params, Row, Shown, published_kind};
use ringside_core::kv_cache::models::{Model, Named};
use ringside_core::quantity::{Unit, grouped};

use super::State;

/// Every kind of attention of the model, for one token.
pub(super) fn kinds(state: State, shown: Memo<Shown>) -> AnyView {
    let params = state.params();
    let most = Memo::new(move |_| {
        shown.with(|s| s.kinds.iter().map(|r| r.per_token).fold(s.chosen.per_token.max(1.0), f64::max))
    });
    let row = move |i: usize, kind: Attention| {
        let row = Memo::new(move |_| shown.with(|s| s.kinds.get(i).copied()));
        let pressed = move || params.with(|p| looked_at(p, kind));
        let press = move |_| {
            state.update(|p| {
                p.attention = if p.is_published(kind) { Attention::Own } else { kind };
            });
        };
        let name = move || {
            params.with(|p| match kind {
                Attention::Grouped => format!("grouped-query, {} heads", grouped(p.groups_of(&p.model.named()))),
                _ => kind.label().to_owned(),
            })
        };
        let published = move || params.with(|p| p.is_published(kind));
        let pieces = move || row.get().map(|r| pieces(&r, most.get()));
        let of =
            move |value: fn(&Row) -> f64| move || row.get().map_or(String::new(), |r| Unit::Bytes.format(value(&r)));
        view! {
            <button type="button" class="kv-row" aria-pressed=move || pressed().to_string() on:click=press>
                <span class="name">
                    {name} {move || published().then(|| view! { <span class="own">" as published"</span> })}
                </span>
                <svg class="bar" aria-hidden="true">{pieces}</svg>
                <span class="amount">{of(|r| r.per_token)}</span>
                <span class="amount whole">{of(|r| r.sequence)}</span>
            </button>
        }
    };
    view! {
        <ul class="legend kv-legend">
            <li><i class="swatch key" aria-hidden="true"></i>"keys"</li>
            <li><i class="swatch value" aria-hidden="true"></i>"values"</li>
            <li><i class="swatch latent" aria-hidden="true"></i>"latent"</li>
            <li><i class="swatch rotary" aria-hidden="true"></i>"rotary key"</li>
        </ul>
        <div class="kv-row kv-head" aria-hidden="true">
            <span>"attention"</span>
            <span>"one token, all layers, to scale"</span>
            <span class="amount">"a token"</span>
            <span class="amount whole">"a sequence"</span>
        </div>
        <div class="kv-rows" role="group" aria-label="Kinds of attention, with the bytes of a token and of a sequence">
            {Attention::KINDS.iter().enumerate().map(|(i, kind)| row(i, *kind)).collect_view()}
        </div>
        <Layers shown />
    }
    .into_any()
}

/// Which layers keep what: a stack to scale, as many rows as layers.
#[component]
fn Layers(shown: Memo<Shown>) -> impl IntoView {
    let stack = move || {
        shown.with(|s| {
            let all = s.chosen.cache.count().max(1) as f64;
            let mut left = 0.0;
            let piece = |l: &ringside_core::kv_cache::Layers| {
                let wide = 100.0 * l.count as f64 / all;
                let class = class_of(l);
                let at = left;
                left += wide;
                view! { <rect class=class x=format!("{at:.3}%") width=format!("{wide:.3}%") height="100%" /> }
            };
            // What some of them keep as well is in the words.
            s.chosen.cache.layers.iter().filter(|l| l.count > 0 && !l.also).map(piece).collect_view()
        })
    };
    let words = move || {
        shown.with(|s| {
            let one = |l: &ringside_core::kv_cache::Layers| {
                let of =
                    if l.every > 1 { format!("every {} tokens", grouped(l.every)) } else { "every token".to_owned() };
                let keeps = match (l.keeps, l.window) {
                    (Keeps::State { values }, _) => format!("a state of {} numbers", grouped(values)),
                    (Keeps::Index { key, .. }, _) => format!("an indexer’s key of {} numbers for {of}", grouped(key)),
                    (_, Some(window)) => format!("the last {} tokens", grouped(window)),
                    (_, None) if l.every > 1 => format!("one row for {of}"),
                    (_, None) => of,
                };
                let class = format!("swatch {}", class_of(l));
                view! { <li><i class=class aria-hidden="true"></i>{format!("{}: {keeps}", grouped(l.count))}</li> }
            };
            s.chosen.cache.layers.iter().filter(|l| l.count > 0).map(one).collect_view()
        })
    };
    let heading = move || shown.with(|s| format!("What each of {} layers keeps", grouped(s.chosen.cache.count())));
    view! {
        <div class="kv-layers">
            <svg aria-hidden="true">{stack}</svg>
            <ul class="legend kv-legend" ><li>{heading}</li>{words}</ul>
        </div>
    }
}

/// How layers are drawn.
fn class_of(layers: &ringside_core::kv_cache::Layers) -> &'static str {
    match (layers.keeps, layers.window) {
        (Keeps::State { .. }, _) => "state",
        (_, Some(_)) => "window",
        (_, None) => "full",
    }
}

/// Whether a kind is looked at.
fn looked_at(params: &Params, kind: Attention) -> bool {
    if params.attention == Attention::Own { params.is_published(kind) } else { params.attention == kind }
}

/// Keys and values, or latent and rotary key, in per cent of `most`.
fn pieces(row: &Row, most: f64) -> impl IntoView + use<> {
    let whole = 100.0 * row.per_token / most;
    let (first, second, part) = match row.keeps() {
        Keeps::Heads { key, value, .. } => ("key", "value", key as f64 / (key + value).max(1) as f64),
        Keeps::Latent { rank, rope } => ("latent", "rotary", rank as f64 / (rank + rope).max(1) as f64),
        Keeps::Index { .. } | Keeps::State { .. } => ("key", "value", 0.5),
    };
    let percent = |value: f64| format!("{value:.3}%");
    view! {
        <rect class=first width=percent(whole * part) height="100%" />
        <rect class=second x=percent(whole * part) width=percent(whole * (1.0 - part)) height="100%" />
    }
}

/// Published models and the one that is looked at, for a sequence; pressing one looks at it.
pub(super) fn models(state: State, whole: Memo<Params>) -> AnyView {
    let params = state.params();
    let published = Memo::new(move |_| {
        let mut all = whole.with(Params::published);
        all.sort_by(|a, b| b.sequence.total_cmp(&a.sequence));
        all
    });
    let rows = move || {
        let all = published.get();
        let most = all.first().map_or(1.0, |p| p.sequence.max(1.0));
        let row = |p: ringside_core::kv_cache::figure::Published| {
            let id = p.model.id;
            let class = match published_kind(&p.model) {
                Attention::Latent => "latent",
                Attention::Own => "state",
                _ => "key",
            };
            let state_bytes = p.model.cache.state_bytes();
            let grown = format!("{:.3}%", 100.0 * (p.sequence - state_bytes) / most);
            let kept = format!("{:.3}%", 100.0 * state_bytes / most);
            let (at, kind) = (grown.clone(), words(&p.model));
            view! {
                <button
                    type="button"
                    class="kv-row many"
                    aria-pressed=move || params.with(|p| p.model.named().id == id).to_string()
                    on:click=move |_| {
                        state.update(|p| {
                            p.model = Model::find(id).unwrap_or(p.model);
                            p.attention = Attention::Own;
                        });
                    }
                >
                    <span class="name">{p.model.name} " " <span class="own">{kind}</span></span>
                    <svg class="bar" aria-hidden="true">
                        <rect class=class width=grown height="100%" />
                        <rect class="state" x=at width=kept height="100%" />
                    </svg>
                    <span class="amount">{Unit::Bytes.format(p.per_token)}</span>
                    <span class="amount whole">{Unit::Bytes.format(p.sequence)}</span>
                </button>
            }
        };
        all.into_iter().map(row).collect_view()
    };
    view! {
        <div class="kv-row kv-head" aria-hidden="true">
            <span>"model"</span>
            <span>"a sequence, to scale"</span>
            <span class="amount">"a token"</span>
            <span class="amount whole">"a sequence"</span>
        </div>
        <div class="kv-rows" role="group" aria-label="Published models, with the bytes of a token and of a sequence">{rows}</div>
    }
    .into_any()
}

/// How a model keeps its past, in a few words.
fn words(model: &Named) -> String {
    let [first, second, state, ..] = model.cache.layers;
    let kind = match published_kind(model) {
        Attention::MultiHead => "MHA",
        Attention::Grouped => "GQA",
        Attention::MultiQuery => "MQA",
        Attention::Latent => "MLA",
        Attention::Own => return "state".to_owned(),
    };
    let window = match (first.count, second.count) {
        (_, 0) => "",
        (0, _) => ", window",
        _ => " + window",
    };
    let compressed = if model.cache.layers.iter().any(|l| l.every > 1 && l.count > 0) { ", compressed" } else { "" };
    format!("{kind}{window}{compressed}{}", if state.count > 0 { " + state" } else { "" })
}
