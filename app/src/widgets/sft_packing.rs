//! Rows of tokens, and under them the conversation that was placed last, as its tokens.

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::post_training::packing::talks::TALKS;
use ringside_core::post_training::packing::{Batch, Params, Whose};
use ringside_drawing::figure::Figure as _;

use super::one_picture::{self, Own};
use super::{Module, Props};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

fn view(props: Props) -> AnyView {
    one_picture::view::<Params>(props, |live| {
        let text = move || live.with(|p, batch| Some(text(p, batch)));
        Own { below: Some(view! { <p class="packing-text">{text}</p> }.into_any()), ..Own::default() }
    })
}

/// A token of a conversation as it can be read, and the class of what became of it.
fn text(params: &Params, batch: &Batch) -> AnyView {
    let placed = params.played(batch).and_then(|played| batch.placed.get(played.step.checked_sub(1)?).copied());
    let Some((which, talk)) = placed.and_then(|(i, _)| TALKS.get(i).map(|talk| (i, talk))) else {
        return ().into_any();
    };
    let token = |(index, (piece, _)): (usize, &(&'static str, Whose))| {
        let cell = batch.cells().find(|cell| cell.talk == which && cell.index == index);
        let class = cell.map_or("gone", |cell| match cell.whose {
            Whose::Template => "template",
            Whose::System => "system",
            Whose::User => "user",
            Whose::Assistant => "assistant",
        });
        let has_loss = cell.is_some_and(|cell| cell.counted);
        // Spaces and line ends are shown.
        let piece = if piece.is_empty() { "·".to_owned() } else { piece.replace('\n', "⏎").replace(' ', "\u{a0}") };
        view! { <span class=class class:has-loss=has_loss>{piece}</span> }
    };
    view! {
        <b>{talk.name}</b>
        " "
        {talk.tokens.iter().enumerate().map(token).collect_view()}
    }
    .into_any()
}
