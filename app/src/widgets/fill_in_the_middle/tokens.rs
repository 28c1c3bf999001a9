//! What the tokenizer does at the cut: tokens of the whole document and of its parts, and a prompt's end, healed.

use leptos::prelude::*;
use ringside_core::fim::figure::{Params, Shown};
use ringside_core::fim::pieces::{Kind, slice};

use super::class;

/// Tokens that are listed as allowed, at most.
const LISTED: usize = 24;

/// The tokens, those with a cut inside marked.
pub(super) fn view(params: Memo<Params>, shown: Memo<Option<Shown>>) -> AnyView {
    let whole = move || {
        params.with(|p| {
            shown.with(|s| {
                let s = s.as_ref()?;
                let mut at = 0;
                let one = |token: String| {
                    let from = at;
                    at += token.chars().count();
                    let cut = s.hole.iter().any(|hole| (from + 1..at).contains(hole));
                    view! { <span class="token" class:cut=cut>{seen(&token)}</span> }
                };
                Some(p.bpe().encode(&s.document).into_iter().map(one).collect_view())
            })
        })
    };
    let parts = move || {
        params.with(|p| {
            shown.with(|s| {
                let s = s.as_ref()?;
                let [from, to] = s.hole;
                let part = |kind, from, to| {
                    let tokens = p.bpe().encode(&slice(&s.document, from, to));
                    let one = |token: String| view! { <span class="token">{seen(&token)}</span> };
                    view! { <span class=class(kind)>{tokens.into_iter().map(one).collect_view()}</span> }
                };
                Some(
                    view! { {part(Kind::Prefix, 0, from)} {part(Kind::Middle, from, to)} {part(Kind::Suffix, to, usize::MAX)} }
                        .into_any(),
                )
            })
        })
    };
    let healed = move || {
        shown.with(|s| {
            let healing = &s.as_ref()?.healing;
            let token = |token: &String| view! { <span class="token">{seen(token)}</span> };
            let more = healing.allowed.len().saturating_sub(LISTED);
            Some(
                view! {
                    <span class="token cut">{seen(&healing.dropped)}</span>
                    " is taken back; allowed: "
                    {healing.allowed.iter().take(LISTED).map(token).collect_view()}
                    {(more > 0).then(|| format!(" and {more} more"))}
                }
                .into_any(),
            )
        })
    };
    view! {
        <div class="fim-tokens" tabindex="0" role="group" aria-label="Tokens">
            <p class="fim-part">"The whole document"</p>
            <pre>{whole}</pre>
            <p class="fim-part">"Its three parts, each by itself"</p>
            <pre>{parts}</pre>
            <p class="fim-part">"The end of the prefix, healed"</p>
            <p>{healed}</p>
        </div>
    }
    .into_any()
}

/// A token with its line breaks visible.
fn seen(token: &str) -> String {
    token.replace('\n', "⏎\n")
}
