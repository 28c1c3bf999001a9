//! A still picture of a projected figure.

use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlElement;

use super::stage::Stage;
use crate::ui::dom;

/// A still picture of the figure as it is now, over what goes on behind it.
pub(super) fn view(stage: StoredValue<Stage, LocalStorage>) -> AnyView {
    let node = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        let (Some(host), Some(figure)) = (node.get(), stage.with_value(Stage::seen)) else { return };
        let Ok(still) = figure.clone_node_with_deep(true) else { return };
        let still: HtmlElement = still.unchecked_into();
        for (from, to) in dom::all(&figure, "canvas").iter().zip(dom::all(&still, "canvas")) {
            copy_canvas(from.unchecked_ref(), to.unchecked_ref());
        }
        copy_properties("input, select, textarea", &figure, &still);
        // A radio button that is checked unchecks those of its name.
        for radio in dom::all(&still, "input[type=radio]") {
            let _ = radio.remove_attribute("name");
        }
        // What cannot be held is seen to change.
        let _ = host.append_child(&still);
        copy_properties("code-editor", &figure, &still);
        for (from, to) in dom::all(&figure, ".drawing").iter().zip(dom::all(&still, ".drawing")) {
            to.set_scroll_top(from.scroll_top());
        }
    });
    view! { <div class="projected room-held" node_ref=node inert="" aria-hidden="true"></div> }.into_any()
}

/// Copies what was set by hand or by a program: no attribute says it, so that it is not cloned.
fn copy_properties(fields: &str, from: &HtmlElement, to: &HtmlElement) {
    for (from, to) in dom::all(from, fields).iter().zip(dom::all(to, fields)) {
        for property in ["value", "checked"] {
            if let Ok(value) = js_sys::Reflect::get(from, &property.into())
                && !value.is_undefined()
            {
                // What cannot be set is seen as it was at first.
                let _ = js_sys::Reflect::set(&to, &property.into(), &value);
            }
        }
    }
}

fn copy_canvas(from: &web_sys::HtmlCanvasElement, to: &web_sys::HtmlCanvasElement) {
    let context =
        to.get_context("2d").ok().flatten().and_then(|c| c.dyn_into::<web_sys::CanvasRenderingContext2d>().ok());
    if let Some(context) = context {
        // An empty canvas has nothing to copy.
        let _ = context.draw_image_with_html_canvas_element(from, 0.0, 0.0);
    }
}
