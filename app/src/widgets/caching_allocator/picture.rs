//! The drawing: the device as one bar, and under it every segment with its blocks.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::allocator::{Drawn, Snapshot, State};
use ringside_core::quantity::counted;

use super::bytes;
use crate::ui::markup::renewed;

/// What the colours mean: class and words.
const LEGEND: [(&str, &str); 5] = [
    ("allocated", "Allocated"),
    ("pending", "Freed, in use on another stream"),
    ("hole", "Free beside blocks in use"),
    ("cached", "Segment that is wholly free"),
    ("unmapped", "Addresses without memory"),
];

fn class(segment: &Drawn, state: State) -> &'static str {
    match state {
        State::Allocated => "allocated",
        State::Pending => "pending",
        State::Free if segment.is_free() => "cached",
        State::Free => "hole",
        State::Unmapped => "unmapped",
    }
}

/// What is drawn of it: all segments to the same scale, and the device, if its memory is known.
pub(super) fn view(drawn: Memo<Snapshot>, device: Memo<Option<u64>>) -> AnyView {
    let longest = Memo::new(move |_| drawn.with(|d| d.segments.iter().map(Drawn::length).max().unwrap_or(1).max(1)));
    let count = Memo::new(move |_| drawn.with(|d| d.segments.len()));
    let more = move || drawn.with(|d| rest(d.more));
    let entry = |(class, text): (&'static str, &'static str)| {
        view! { <li><i class=format!("swatch alloc-{class}") aria-hidden="true"></i>{text}</li> }
    };
    let is_empty = move || drawn.with(|d| d.segments.is_empty());
    view! {
        <div class="alloc">
            <div hidden=move || device.get().is_none()>{whole(drawn, device)}</div>
            <ul class="alloc-segments" tabindex="0" aria-label="Segments">
                <For each=move || 0..count.get() key=|i| *i children=move |i| segment(drawn, longest, i) />
            </ul>
            <p class="fine">{more}</p>
            <p class="fine" hidden=move || !is_empty()>"No segment is taken from the device yet."</p>
            <ul class="alloc-legend">{LEGEND.map(entry).into_iter().collect_view()}</ul>
        </div>
    }
    .into_any()
}

/// The segments that are not shown.
pub(super) fn rest((count, held): (u64, u64)) -> Option<String> {
    (count > 0)
        .then(|| format!("And {} more, which are shorter: {}.", counted(count, "segment", "segments"), bytes(held)))
}

/// Bars of one row, from the left: class and size each, of so much in all.
fn bars(parts: &[(&'static str, u64)], of: u64) -> String {
    let mut svg = "<svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">".to_owned();
    let scale = 1000.0 / of.max(1) as f64;
    let mut x = 0.0;
    for (class, size) in parts {
        let width = *size as f64 * scale;
        // Writing to a string does not fail.
        let _ = write!(svg, "<rect class=\"alloc-{class}\" x=\"{x:.2}\" width=\"{width:.2}\" height=\"10\" />");
        x += width;
    }
    svg + "</svg>"
}

/// The device: what is allocated, what is free in which way, and what was never taken.
fn whole(drawn: Memo<Snapshot>, device: Memo<Option<u64>>) -> impl IntoView {
    let parts = move || {
        drawn.with(|d| {
            let cached = d.given_back;
            [("allocated", d.bytes.allocated), ("hole", d.bytes.free.saturating_sub(cached)), ("cached", cached)]
        })
    };
    let says = move || {
        let [(_, allocated), (_, holes), (_, cached)] = parts();
        let left =
            device.get().unwrap_or_default().saturating_sub(allocated.saturating_add(holes).saturating_add(cached));
        format!(
            "Device: {} allocated, {} in holes, {} cached, {} not taken",
            bytes(allocated),
            bytes(holes),
            bytes(cached),
            bytes(left)
        )
    };
    view! {
        <div class="alloc-device">
            <p>{says}</p>
            <div class="alloc-bar" use:renewed=move || bars(&parts(), device.get().unwrap_or(1))></div>
        </div>
    }
}

/// A segment: its name, its blocks to the scale of all, and what the longer ones are for.
fn segment(drawn: Memo<Snapshot>, longest: Memo<u64>, i: usize) -> impl IntoView {
    let with = move |look: fn(&Drawn) -> String| drawn.with(|d| d.segments.get(i).map(look).unwrap_or_default());
    let name = move || {
        with(|s| {
            let pool = if s.small { " · small" } else { "" };
            let grows = if s.expandable { " · expandable" } else { "" };
            format!("{} · {}{pool}{grows}", s.name, bytes(s.reserved()))
        })
    };
    let blocks = move || {
        drawn.with(|d| {
            let Some(segment) = d.segments.get(i) else { return String::new() };
            let parts: Vec<(&str, u64)> = segment.pieces.iter().map(|p| (class(segment, p.state), p.size)).collect();
            bars(&parts, longest.get())
        })
    };
    // Names of blocks that have room for one.
    let names = move || {
        drawn.with(|d| {
            let Some(segment) = d.segments.get(i) else { return Vec::new() };
            let share = |size: u64| size as f64 / longest.get() as f64;
            let mut left = 0.0;
            let mut views = Vec::new();
            for piece in &segment.pieces {
                let wide = share(piece.size);
                if !piece.name.is_empty() && wide > 0.06 {
                    let (at, width) = (format!("{:.2}%", left * 100.0), format!("{:.2}%", wide * 100.0));
                    let title = format!("{}, {}", piece.name, bytes(piece.size));
                    views.push(view! {
                        <span class="alloc-name" style:left=at style:width=width title=title>{piece.name.clone()}</span>
                    });
                }
                left += wide;
            }
            views
        })
    };
    view! {
        <li>
            <span class="alloc-label">{name}</span>
            <div class="alloc-row">
                <div class="alloc-bar" use:renewed=blocks></div>
                {names}
            </div>
        </li>
    }
}
