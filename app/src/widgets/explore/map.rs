//! A quantity over two settings, with the line where the limit runs. Each cell is a state: a click opens it, arrow keys and Enter do as well.

use std::fmt::Write as _;

use leptos::html;
use leptos::prelude::*;
use ringside_core::explore::{Axis, Cell, Goal, Map};
use web_sys::MouseEvent;

use super::panel::Ask;
use super::run::Run;
use crate::ui::dom;

/// With as many rows or columns as these each is named, in its middle; of more, the first and the last.
const EACH: usize = 8;

pub(super) fn view(ask: Ask, axes: Signal<Option<[Axis; 2]>>, goal: Memo<Result<Goal, String>>) -> AnyView {
    let run = Run::new(move || {
        let (axes, goal) = (axes.get()?, goal.get().ok()?);
        Some(ask.base.with(|base| Map::new(ask.model(), base, axes, goal)))
    });
    // The cell that is looked at: column and row.
    let at = RwSignal::new(None::<(usize, usize)>);
    let place = move || at.get().or_else(|| run.result(Map::here).flatten()).unwrap_or_default();
    let drawing = move || run.result(drawing);
    let size = move || run.result(Map::size).unwrap_or((1, 1));
    let open = move || {
        let (column, row) = untrack(place);
        let state = untrack(|| run.result(|map| map.cell(column, row).and_then(|cell| cell.query.clone())));
        if let Some(state) = state.flatten() {
            ask.open(&state);
        }
    };
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        if !dom::is_plain(&event) {
            return;
        }
        let ((columns, rows), (column, row)) = (untrack(size), untrack(place));
        let to = match event.key().as_str() {
            "ArrowLeft" => (column.saturating_sub(1), row),
            "ArrowRight" => ((column + 1).min(columns.saturating_sub(1)), row),
            "ArrowDown" => (column, row.saturating_sub(1)),
            "ArrowUp" => (column, (row + 1).min(rows.saturating_sub(1))),
            "Home" => (0, row),
            "End" => (columns.saturating_sub(1), row),
            "Enter" => {
                event.prevent_default();
                open();
                return;
            }
            _ => return,
        };
        event.prevent_default();
        at.set(Some(to));
    };
    let node = NodeRef::<html::Div>::new();
    let under = move |event: &MouseEvent| {
        let room = node.get_untracked()?.get_bounding_client_rect();
        let (columns, rows) = untrack(size);
        let part =
            |offset: f64, length: f64, n: usize| ((offset / length * n as f64) as usize).min(n.saturating_sub(1));
        let column = part(f64::from(event.client_x()) - room.left(), room.width(), columns);
        Some((column, rows.saturating_sub(1) - part(f64::from(event.client_y()) - room.top(), room.height(), rows)))
    };
    let moved = move |event: MouseEvent| {
        if let Some(place) = under(&event)
            && at.get_untracked() != Some(place)
        {
            at.set(Some(place));
        }
    };
    let clicked = move |event: MouseEvent| {
        if let Some(place) = under(&event) {
            at.set(Some(place));
            open();
        }
    };
    let percent = |part: usize, all: usize| format!("{:.3}%", part as f64 / all as f64 * 100.0);
    let left = move || percent(place().0, size().0);
    let top = move || percent(size().1.saturating_sub(1).saturating_sub(place().1), size().1);
    let words = move || {
        let (column, row) = place();
        run.result(|map| map.words(column, row)).unwrap_or_default()
    };
    let possible = move || {
        let (column, row) = place();
        run.result(|map| map.cell(column, row).is_some_and(|cell| cell.query.is_some())).unwrap_or_default()
    };
    let has_each = move |up: bool| move || if up { size().1 } else { size().0 } <= EACH;
    let named = move |up: bool| {
        move || {
            run.result(|map| {
                let (columns, rows) = map.size();
                let n = if up { rows } else { columns };
                let is_named = |at: &usize| n <= EACH || *at == 0 || at + 1 == n;
                let name = |at| if up { map.row(at) } else { map.column(at) };
                (0..n).filter(is_named).map(|at| view! { <span>{name(at)}</span> }).collect_view()
            })
        }
    };
    let across = move || run.result(|map| map.labels()[0]);
    let up = move || run.result(|map| map.labels()[1]);
    view! {
        {run.bar()}
        <div class="explore-map" hidden=move || drawing().is_none()>
            <p class="explore-map-title">{up} " ↑"</p>
            <div class="explore-map-up" class:each=has_each(true) aria-hidden="true">{named(true)}</div>
            <div
                class="explore-map-cells"
                tabindex="0"
                role="application"
                aria-roledescription="map"
                aria-label=move || {
                    format!("{} Arrow keys move over the map, Enter opens a state.", run.result(Map::said).unwrap_or_default())
                }
                node_ref=node
                on:keydown=keydown
                on:mousemove=moved
                on:click=clicked
            >
                <div class="explore-map-drawing" inner_html=move || drawing().unwrap_or_default()></div>
                <i
                    class="explore-map-cursor"
                    style:left=left
                    style:top=top
                    style:width=move || percent(1, size().0)
                    style:height=move || percent(1, size().1)
                ></i>
            </div>
            <div class="explore-map-across" class:each=has_each(false) aria-hidden="true">{named(false)}</div>
            <p class="explore-map-title across">{across} " →"</p>
            <p class="explore-map-key">
                <i class="meets"></i> " meets the limit " <i class="fails"></i> " doesn’t " <i class="impossible"></i>
                " not possible. A stronger color means a larger value."
            </p>
            <p class="explore-actions">
                <span aria-live="polite">{words}</span>
                <button type="button" class="secondary" disabled=move || !possible() on:click=move |_| open()>
                    "Open this state"
                </button>
            </p>
        </div>
    }
    .into_any()
}

/// The cells as an SVG picture, one unit each, with the line between those that meet the limit and those that don't.
fn drawing(map: &Map) -> String {
    let (columns, rows) = map.size();
    let mut svg = format!("<svg viewBox=\"0 0 {columns} {rows}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
    let mut line = String::new();
    for row in 0..rows {
        let y = rows - 1 - row;
        for x in 0..columns {
            let Some(cell) = map.cell(x, row) else { continue };
            // Writing into a string does not fail.
            let _ = match cell.value {
                Some(value) => {
                    let class = if cell.meets { "meets" } else { "fails" };
                    let opacity = 0.25 + 0.65 * map.share(value);
                    write!(
                        svg,
                        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\" opacity=\"{opacity:.2}\"/>"
                    )
                }
                None => write!(svg, "<rect class=\"impossible\" x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\"/>"),
            };
            let differs = |other: Option<&Cell>| other.is_some_and(|other| other.meets != cell.meets);
            if differs(map.cell(x + 1, row)) {
                let _ = write!(line, "M{} {y}v1", x + 1);
            }
            if differs(map.cell(x, row + 1)) {
                let _ = write!(line, "M{x} {y}h1");
            }
        }
    }
    svg + &format!("<path class=\"limit\" d=\"{line}\" vector-effect=\"non-scaling-stroke\"/></svg>")
}
