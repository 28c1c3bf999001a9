//! Pages and parts of pages that the build rendered: put in place as they are, then made alive.

use leptos::html;
use leptos::prelude::*;
use web_sys::HtmlElement;

use super::prerendered;
use crate::data::{Fragment, Remote};
use crate::ui::dom;

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

/// What a list of the build has of one kind, `mission` or `lab`: slugs and titles.
pub fn titles(list: &Fragment, kind: &str) -> Vec<(String, String)> {
    let Ok(root) = document().create_element("div") else { return Vec::new() };
    root.set_inner_html(&list.0);
    let one = |a: HtmlElement| {
        let slug = dom::attribute(&a, "href").split('/').nth(1).unwrap_or_default().to_owned();
        (slug, a.text_content().unwrap_or_default().trim().to_owned())
    };
    dom::all(&root, &format!("h2 > a[href^=\"{kind}/\"]")).into_iter().map(one).collect()
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
