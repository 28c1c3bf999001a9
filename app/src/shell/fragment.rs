//! Pages and parts of pages that the build rendered: put in place as they are, then made alive.

use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::prerendered;
use crate::data::{Fragment, Remote};

/// The fragment in a box of its own, which `enliven` gets before it is painted: as the page came with it, or else when it has
/// been fetched.
pub fn view(file: Remote<Fragment>, enliven: Callback<HtmlElement>) -> AnyView {
    match prerendered::take(&file.path()) {
        Some(built) => {
            let put = move |place: &HtmlElement| {
                // It could only fail for a place within what it moves.
                let _ = place.append_child(&built);
            };
            boxed(put, enliven)
        }
        None => file.show(move |html| put(html.0.clone(), enliven)).into_any(),
    }
}

/// HTML of this build in a box of its own, which `enliven` gets before it is painted.
pub fn put(html: String, enliven: Callback<HtmlElement>) -> AnyView {
    boxed(move |place| place.set_inner_html(&html), enliven)
}

fn boxed(fill: impl Fn(&HtmlElement) + 'static, enliven: Callback<HtmlElement>) -> AnyView {
    let node = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if let Some(place) = node.get() {
            fill(&place);
            enliven.run(place.into());
        }
    });
    view! { <div node_ref=node></div> }.into_any()
}
