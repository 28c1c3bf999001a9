//! A chart on the page: drawn on a canvas, read with the pointer and by keys, on paper and in pictures as markup.
//!
//! ```ignore
//! let chart = Memo::new(move |_| charts::amdahl::chart(&params.get()));
//! view! { {chart::view("laws", chart)} }
//! ```

mod screen;
mod theme;

use std::rc::Rc;

use leptos::html;
use leptos::prelude::*;
use ringside_drawing::chart::hand::Piece;
use ringside_drawing::chart::paint::paint;
use ringside_drawing::chart::reading::Reading;
use ringside_drawing::chart::{Chart, Frame, Layout, svg};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Element, HtmlCanvasElement, HtmlElement, KeyboardEvent, PointerEvent, ResizeObserver};

use super::dom;
use super::figure::Deciding;
use screen::Screen;

/// The property of a chart's canvas that is a function to its markup, in the colours that it has now.
const AS_MARKUP: &str = "ringsideMarkup";

/// The chart on a canvas as an SVG element in the colours that it has now, if it is one.
pub fn markup_of(canvas: &Element) -> Option<String> {
    let markup: js_sys::Function = js_sys::Reflect::get(canvas, &AS_MARKUP.into()).ok()?.dyn_into().ok()?;
    markup.call0(canvas).ok()?.as_string().filter(|markup| !markup.is_empty())
}

/// The room of a chart on the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Room {
    pub(super) frame: Frame,
    /// The pixels of the canvas.
    pixels: (u32, u32),
    /// What its text is set in.
    family: String,
}

/// Draws a chart as large as its class makes it.
pub fn view(class: &'static str, chart: Memo<Chart>) -> AnyView {
    framed(class, chart, None)
}

/// The same for a chart that is drawn by hand: `hand` is told what a pressed pointer draws. Nothing is read of it, and keys are for
/// whoever shows it.
pub fn by_hand(class: &'static str, chart: Memo<Chart>, hand: Callback<Piece>) -> AnyView {
    framed(class, chart, Some(hand))
}

fn framed(class: &'static str, chart: Memo<Chart>, hand: Option<Callback<Piece>>) -> AnyView {
    let chart = match Deciding::here() {
        Some(_) => Memo::new(move |_| chart.with(|chart| chart.clone().undecided())),
        None => chart,
    };
    let place = NodeRef::<html::Div>::new();
    let canvas = NodeRef::<html::Canvas>::new();
    let paper = NodeRef::<html::Div>::new();
    let room = RwSignal::new(None::<Room>);
    let read = RwSignal::new(None::<usize>);
    let theme = theme::current();
    let layout = Memo::new(move |_| {
        let frame = room.with(|room| room.as_ref().map(|room| room.frame))?;
        Some(chart.with(|chart| Layout::of(chart, frame)))
    });
    let reading = Memo::new(move |_| {
        let index = read.get()?;
        chart.with(|chart| chart.stops().get(index).map(|stop| chart.read(stop)))
    });
    Effect::new(move |_| {
        let Some(place) = place.get() else { return };
        keep_measured(place.into(), room);
    });
    let colours = theme.clone();
    Effect::new(move |_| {
        let (Some(canvas), Some(room)) = (canvas.get(), room.get()) else { return };
        let Some(layout) = layout.get() else { return };
        let theme = colours.get();
        chart.with(|chart| reading.with(|reading| draw(&canvas, &room, chart, &layout, &theme, reading.as_ref())));
    });
    Effect::new(move |_| {
        let (Some(canvas), Some(paper)) = (canvas.get(), paper.get()) else { return };
        let colours = theme.clone();
        let frame = move || room.try_get_untracked().flatten().map(|room| room.frame);
        let markup = move || {
            let theme = colours.get_untracked();
            let of = |frame| chart.try_with_untracked(|chart| svg::in_colours(chart, frame, &theme));
            frame().and_then(of).unwrap_or_default()
        };
        give_markup(&canvas, markup);
        let on_paper = move || {
            frame().and_then(|frame| chart.try_with_untracked(|chart| svg::in_page(chart, frame))).unwrap_or_default()
        };
        fill_when_printed(paper.into(), on_paper);
    });
    view! {
        <div class=format!("chart {class}") node_ref=place>
            <canvas node_ref=canvas role="img" aria-label=move || chart.with(|c| c.label.clone())></canvas>
            {match hand {
                Some(hand) => sheet(chart, layout, hand),
                None => reader(chart, layout, read, reading),
            }}
            <div class="chart-paper" aria-hidden="true" node_ref=paper></div>
        </div>
    }
    .into_any()
}

/// Where a pointer is in the chart's frame.
fn place_of(event: &PointerEvent, layout: &Layout) -> Option<(f64, f64)> {
    let target: HtmlElement = event.current_target()?.dyn_into().ok()?;
    let seen = target.get_bounding_client_rect();
    let zoom = seen.width() / layout.frame.width;
    Some(((f64::from(event.client_x()) - seen.left()) / zoom, (f64::from(event.client_y()) - seen.top()) / zoom))
}

/// What is drawn on.
fn sheet(chart: Memo<Chart>, layout: Memo<Option<Layout>>, hand: Callback<Piece>) -> AnyView {
    let before = StoredValue::new(None::<(f64, f64)>);
    let tell = move |event: &PointerEvent| {
        let at = layout.with_untracked(|layout| {
            let layout = layout.as_ref()?;
            let place = place_of(event, layout)?;
            Some(chart.with_untracked(|chart| layout.value(chart, place)))
        });
        if let Some(to) = at {
            hand.run(Piece { from: before.get_value().unwrap_or(to), to });
            before.set_value(at);
        }
    };
    let pressed = move |event: PointerEvent| {
        if let Some(target) = event.current_target().and_then(|t| t.dyn_into::<HtmlElement>().ok()) {
            // Without it a stroke ends where the pointer leaves the chart.
            let _ = target.set_pointer_capture(event.pointer_id());
        }
        before.set_value(None);
        tell(&event);
    };
    let moved = move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            tell(&event);
        }
    };
    view! { <div class="chart-sheet" on:pointerdown=pressed on:pointermove=moved></div> }.into_any()
}

/// What hears the pointer and the keys, and says what is read.
fn reader(
    chart: Memo<Chart>,
    layout: Memo<Option<Layout>>,
    read: RwSignal<Option<usize>>,
    reading: Memo<Option<Reading>>,
) -> AnyView {
    let last = Memo::new(move |_| chart.with(|chart| chart.stops().len().saturating_sub(1)));
    let pointed = move |event: PointerEvent| {
        let found = layout.with_untracked(|layout| {
            let layout = layout.as_ref()?;
            let at = place_of(&event, layout)?;
            chart.with_untracked(|chart| chart.nearest(layout, &chart.stops(), at))
        });
        if found != read.get_untracked() {
            read.set(found);
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let last = last.get_untracked();
        let now = read.get_untracked().unwrap_or_default();
        let stride = (last / 60).max(1);
        let to = match event.key().as_str() {
            "ArrowRight" | "ArrowUp" => now + stride,
            "ArrowLeft" | "ArrowDown" => now.saturating_sub(stride),
            "Home" => 0,
            "End" => last,
            // Pages are turned by others, and what is not read is left by them.
            "Escape" if read.with_untracked(Option::is_some) => {
                event.stop_propagation();
                return read.set(None);
            }
            _ => return,
        };
        event.prevent_default();
        // These keys step through a presentation or a figure where nothing is read.
        event.stop_propagation();
        read.set(Some(to.min(last)));
    };
    let text =
        move || reading.with(|r| r.as_ref().map_or("Arrow keys read it value by value".to_owned(), Reading::sentence));
    // Beside what is read, on the side with more room.
    let side = move || {
        let part = layout.with(|layout| {
            let layout = layout.as_ref()?;
            let x = chart.with(|chart| reading.with(|r| r.as_ref().map(|r| layout.x(chart, r.at))))?;
            Some(x / layout.frame.width)
        });
        part.map_or((0.0, false), |part| (part * 100.0, part > 0.5))
    };
    let rows = move || {
        let rows = reading.get().map(|r| r.rows).unwrap_or_default();
        rows.into_iter()
            .map(|row| {
                let colour = format!("var({})", row.ink.token());
                view! { <span><i style:background=colour></i>{row.name}</span> <b>{row.text}</b> }
            })
            .collect_view()
    };
    view! {
        <div
            class="chart-reader"
            role="slider"
            tabindex="0"
            aria-label="Values of the chart"
            aria-valuemin="0"
            aria-valuemax=move || last.get().to_string()
            aria-valuenow=move || read.get().unwrap_or_default().min(last.get()).to_string()
            aria-valuetext=text
            on:pointermove=pointed
            on:pointerdown=pointed
            on:pointerleave=move |_| read.set(None)
            on:keydown=pressed
            on:focusout=move |_| read.set(None)
        ></div>
        <div
            class="chart-reading"
            aria-hidden="true"
            hidden=move || reading.with(Option::is_none)
            class:left=move || side().1
            style:left=move || format!("{:.2}%", side().0)
        >
            <p>{move || reading.with(|r| r.as_ref().map(|r| r.head.clone()))}</p>
            {rows}
        </div>
    }
    .into_any()
}

/// Draws on the canvas, as sharp as the screen is.
fn draw(
    canvas: &HtmlCanvasElement,
    room: &Room,
    chart: &Chart,
    layout: &Layout,
    theme: &theme::Colours,
    reading: Option<&Reading>,
) {
    let (wide, high) = room.pixels;
    if canvas.width() != wide || canvas.height() != high {
        canvas.set_width(wide);
        canvas.set_height(high);
    }
    let Some(screen) = Screen::new(canvas, layout, &room.family, theme) else { return };
    // What a canvas refuses is not drawn: the caption and the table have it.
    let _ = paint(screen, chart, layout, theme, reading);
}

/// The event of the window that says that the size of a drawing's text was set.
pub const TEXT_SET: &str = "ringside:text-set";

/// Keeps `room` the room of the chart, whatever changes it: the window, its zoom, the screen, the figure.
pub(super) fn keep_measured(place: HtmlElement, room: RwSignal<Option<Room>>) {
    let measured = place.clone();
    let measure: Rc<dyn Fn()> = Rc::new(move || {
        let now = measured_room(&measured);
        if now.is_some() && room.try_get_untracked().is_some_and(|before| before != now) {
            room.set(now);
        }
    });
    measure();
    // Text may be set larger in a place that stays as large as it is.
    let text = SendWrapper::new(Rc::clone(&measure));
    let text = window_event_listener_untyped(TEXT_SET, move |_| text());
    on_cleanup(move || text.remove());
    let act = Closure::<dyn FnMut()>::new(move || measure());
    let Ok(observer) = ResizeObserver::new(act.as_ref().unchecked_ref()) else { return };
    // With pixels of the device it also fires where only their size changes; not every browser has them.
    let options = js_sys::Object::new();
    let _ = js_sys::Reflect::set(&options, &"box".into(), &"device-pixel-content-box".into());
    let observe = js_sys::Reflect::get(&observer, &"observe".into()).map(JsValue::unchecked_into::<js_sys::Function>);
    if observe.and_then(|observe| observe.call2(&observer, &place, &options)).is_err() {
        observer.observe(&place);
    }
    let kept = SendWrapper::new((observer, act));
    on_cleanup(move || kept.0.disconnect());
}

fn measured_room(place: &HtmlElement) -> Option<Room> {
    let (width, height) = (f64::from(place.client_width()), f64::from(place.client_height()));
    let seen = place.get_bounding_client_rect();
    if width < 1.0 || height < 1.0 || seen.width() < 1.0 {
        return None;
    }
    // A figure in a room is zoomed, which is part of what is seen and not of its own pixels.
    let scale = window().device_pixel_ratio().max(0.25) * seen.width() / width;
    let style = window().get_computed_style(place).ok()??;
    let text = style.get_property_value("font-size").ok()?;
    let text = ringside_core::decimal::parse(text.trim_end_matches("px")).unwrap_or(13.0);
    Some(Room {
        frame: Frame { width, height, text, pixel: 1.0 / scale },
        pixels: ((width * scale).round() as u32, (height * scale).round() as u32),
        family: style.get_property_value("font-family").ok()?,
    })
}

/// Lets whoever takes a picture of the page ask the canvas for its markup.
fn give_markup(canvas: &HtmlCanvasElement, markup: impl Fn() -> String + 'static) {
    let markup = Closure::<dyn Fn() -> String>::new(markup);
    // Without it a picture has the canvas as it is.
    let _ = js_sys::Reflect::set(canvas, &AS_MARKUP.into(), markup.as_ref());
    let kept = SendWrapper::new((canvas.clone(), markup));
    on_cleanup(move || _ = js_sys::Reflect::delete_property(&kept.0, &AS_MARKUP.into()));
}

/// On paper a chart is markup, which is sharp at any size and in the colours of paper.
fn fill_when_printed(paper: HtmlElement, markup: impl Fn() -> String + 'static) {
    let Ok(Some(media)) = window().match_media("print") else { return };
    let target = media.clone();
    let fill = move || paper.set_inner_html(&if target.matches() { markup() } else { String::new() });
    fill();
    dom::on(&media, "change", move |_| fill());
}
