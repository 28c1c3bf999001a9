//! The colours of the page's design tokens as they are now: light, dark, or the system's own where colours are forced.

use std::cell::RefCell;

use js_sys::Reflect;
use leptos::prelude::{ArcRwSignal, Update as _, document, window};
use ringside_drawing::chart::Ink;
pub(super) use ringside_drawing::chart::ink::Theme as Colours;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{
    CanvasRenderingContext2d, EventTarget, HtmlCanvasElement, HtmlElement, MutationObserver, MutationObserverInit,
};

thread_local! {
    static CURRENT: RefCell<Option<ArcRwSignal<Colours>>> = const { RefCell::new(None) };
}

const FORCED: &str = "(forced-colors: active)";

/// The colours, for all charts of the page: the first asks for them, and they are kept current from then on.
pub(super) fn current() -> ArcRwSignal<Colours> {
    CURRENT.with_borrow_mut(|current| current.get_or_insert_with(kept_current).clone())
}

fn kept_current() -> ArcRwSignal<Colours> {
    let signal = ArcRwSignal::new(colours());
    let kept = signal.clone();
    let changed = Closure::<dyn Fn()>::new(move || {
        kept.update(|now| *now = colours());
    });
    let act = changed.as_ref().unchecked_ref();
    for media in ["(prefers-color-scheme: dark)", FORCED, "(prefers-contrast: more)"] {
        if let Ok(Some(media)) = window().match_media(media) {
            listen(&media, "change", act);
            // A list that nobody holds may be thrown away with its listeners.
            std::mem::forget(media);
        }
    }
    // A typeface that comes late changes what is written.
    if let Ok(fonts) = Reflect::get(&document(), &"fonts".into())
        && let Some(fonts) = fonts.dyn_ref::<EventTarget>()
    {
        listen(fonts, "loadingdone", act);
    }
    if let (Ok(observer), Some(root)) = (MutationObserver::new(act), document().document_element()) {
        let wanted = MutationObserverInit::new();
        wanted.set_attributes(true);
        wanted.set_attribute_filter(&js_sys::Array::of1(&"data-theme".into()));
        // Whoever cannot be watched keeps the colours that it had.
        let _ = observer.observe_with_options(&root, &wanted);
        std::mem::forget(observer);
    }
    // As long as the page.
    changed.forget();
    signal
}

fn listen(target: &EventTarget, name: &str, act: &js_sys::Function) {
    // A change that is not heard leaves the colours as they were.
    let _ = target.add_event_listener_with_callback(name, act);
}

fn colours() -> Colours {
    read().unwrap_or_default()
}

/// Whatever words the page has for its colours: each is given to an element, painted, and looked at.
fn read() -> Result<Colours, JsValue> {
    let forced = window().match_media(FORCED)?.is_some_and(|media| media.matches());
    let probes: HtmlElement = document().create_element("div")?.unchecked_into();
    probes.style().set_property("display", "none")?;
    probes.style().set_property("forced-color-adjust", "none")?;
    for ink in Ink::ALL {
        let probe: HtmlElement = document().create_element("i")?.unchecked_into();
        let colour = if forced { ink.forced().to_owned() } else { format!("var({})", ink.token()) };
        probe.style().set_property("color", &colour)?;
        probes.append_child(&probe)?;
    }
    document().body().ok_or(JsValue::NULL)?.append_child(&probes)?;
    let painted = painted(&probes);
    probes.remove();
    painted
}

fn painted(probes: &HtmlElement) -> Result<Colours, JsValue> {
    let count = Ink::ALL.len() as u32;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width(count);
    canvas.set_height(1);
    let context: CanvasRenderingContext2d = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.unchecked_into();
    let children = probes.children();
    for i in 0..count {
        let Some(probe) = children.item(i) else { continue };
        let style = window().get_computed_style(&probe)?.ok_or(JsValue::NULL)?;
        context.set_fill_style_str(&style.get_property_value("color")?);
        context.fill_rect(f64::from(i), 0.0, 1.0, 1.0);
    }
    let data = context.get_image_data(0.0, 0.0, f64::from(count), 1.0)?.data();
    let (pixels, _) = data.as_chunks::<4>();
    Ok(Colours(pixels.iter().map(|[red, green, blue, _]| (*red, *green, *blue)).collect()))
}
