//! What is in a page that we did not make of views: found, and listened to.

use leptos::prelude::on_cleanup;
pub use ringside_drawing::escaped;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::{DragEvent, Element, Event, EventTarget, HtmlElement, KeyboardEvent};

/// The first element under `root` that matches.
pub fn find(root: &Element, selector: &str) -> Option<HtmlElement> {
    root.query_selector(selector).ok()??.dyn_into().ok()
}

/// Every element under `root` that matches, in order.
pub fn all(root: &Element, selector: &str) -> Vec<HtmlElement> {
    let Ok(list) = root.query_selector_all(selector) else { return Vec::new() };
    (0..list.length()).filter_map(|i| list.item(i)?.dyn_into().ok()).collect()
}

/// The nearest element around the event's target that matches.
pub fn closest(event: &Event, selector: &str) -> Option<HtmlElement> {
    closest_element(event, selector)?.dyn_into().ok()
}

/// The same, where it may be part of a drawing.
pub fn closest_element(event: &Event, selector: &str) -> Option<Element> {
    event.target()?.dyn_into::<Element>().ok()?.closest(selector).ok()?
}

/// The value of an attribute, or nothing.
pub fn attribute(element: &Element, name: &str) -> String {
    element.get_attribute(name).unwrap_or_default()
}

/// Sets an attribute of a name of ours, which does not fail.
pub fn set(element: &Element, name: &str, value: &str) {
    let _ = element.set_attribute(name, value);
}

/// Opens every fold that an element stands in, or whose summary it stands in.
pub fn unfold(element: &Element) {
    let mut at = element.closest("details").ok().flatten();
    while let Some(fold) = at {
        set(&fold, "open", "");
        at = fold.parent_element().and_then(|parent| parent.closest("details").ok().flatten());
    }
}

/// Whether a key was pressed alone, for nobody before us: no combination of keys is ours.
pub fn is_plain(event: &KeyboardEvent) -> bool {
    !(event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key())
}

/// Does `act` for every event of this name on `target` or within it, until the place that this belongs to is gone.
pub fn on(target: &EventTarget, name: &'static str, act: impl FnMut(Event) + 'static) {
    listen(target, name, Closure::<dyn FnMut(Event)>::new(act));
}

fn listen(target: &EventTarget, name: &'static str, act: Closure<dyn FnMut(Event)>) {
    // An event that is not listened to leaves the page readable.
    let _ = target.add_event_listener_with_callback(name, act.as_ref().unchecked_ref());
    let kept = SendWrapper::new((target.clone(), act));
    on_cleanup(move || {
        let (target, act) = &*kept;
        let _ = target.remove_event_listener_with_callback(name, act.as_ref().unchecked_ref());
    });
}

/// Lets what begins to be dragged be dragged, with the line that it is in: Firefox does so only with data.
pub fn drag(event: &DragEvent) {
    let Some(data) = event.data_transfer() else { return };
    let _ = data.set_data("text/plain", "");
    let dragged = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(line) = dragged.and_then(|element| element.closest("li").ok().flatten()) {
        let at = line.get_bounding_client_rect();
        data.set_drag_image(&line, event.client_x() - at.left() as i32, event.client_y() - at.top() as i32);
    }
}
