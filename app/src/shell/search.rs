//! Being written.
use leptos::prelude::*;

use super::Overlay;
use crate::ui::dialog;

/// The search.
pub fn view(overlay: RwSignal<Option<Overlay>>) -> impl IntoView {
    let open = Signal::derive(move || overlay.get() == Some(Overlay::Search));
    dialog::view(open, move || overlay.set(None), "Search", || ().into_any())
}
