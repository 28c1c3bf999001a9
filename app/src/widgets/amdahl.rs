//! Being written.
use leptos::prelude::*;
use leptos::wasm_split::wasm_split;

use super::{Module, Props};
use crate::deferred::NotLoaded;

/// Downloads the widget.
#[wasm_split(widget_amdahl, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &ringside_core::amdahl::ENTRY })
}

fn view(props: Props) -> AnyView {
    view! { <p>{move || format!("{:?}", props.query.get())}</p> }.into_any()
}
