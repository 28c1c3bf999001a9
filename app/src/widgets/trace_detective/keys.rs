//! Moving in the drawing by keys.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::picked::{End, Picked};
use super::pointer::{CLOSEST, pan, zoom};
use super::rows::Row;
use super::{Chosen, Scene, Shown};

/// The keys, as `aria-keyshortcuts` names them.
pub(super) const KEYS: &str = "W A S D ArrowLeft ArrowRight ArrowUp ArrowDown Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp \
                               Shift+ArrowDown Enter F 0 Escape";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Left,
    Right,
    Up,
    Down,
}

/// W and S zoom, A and D move, arrows go from event to event and from lane to lane, with Shift they select, Enter goes along a flow, F fills
/// the view, 0 shows all, Escape clears.
pub(super) fn key(event: &KeyboardEvent, shown: Shown, rows: Memo<Vec<Row>>) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let step = match event.key().as_str() {
        "ArrowLeft" => Some(Step::Left),
        "ArrowRight" => Some(Step::Right),
        "ArrowUp" => Some(Step::Up),
        "ArrowDown" => Some(Step::Down),
        _ => None,
    };
    match (step, event.key().as_str()) {
        (Some(step), _) if event.shift_key() => extend(shown, rows, step),
        (Some(step), _) => go(shown, rows, step),
        (_, "w" | "W" | "+" | "=") => zoom(shown, 1.5, middle_of_chosen(shown)),
        (_, "s" | "S" | "-") => zoom(shown, 1.0 / 1.5, None),
        (_, "a" | "A") => pan(shown, -0.2),
        (_, "d" | "D") => pan(shown, 0.2),
        (_, "0") => shown.all(),
        (_, "Escape") if shown.picked.with_untracked(Option::is_some) => shown.picked.set(None),
        (_, "Escape") => shown.chosen.set(None),
        (_, "f" | "F") => fill(shown),
        (_, "Enter") => follow(shown),
        _ => return,
    }
    event.prevent_default();
}

fn middle_of_chosen(shown: Shown) -> Option<f64> {
    let chosen = shown.chosen.get_untracked()?;
    shown.scene.with_untracked(|s| s.span(chosen).map(|(_, s)| (s.start + s.end()) as f64 / 2.0))
}

/// Makes the selection fill the view, or the chosen event half of it.
fn fill(shown: Shown) {
    if let Some((from, to)) = shown.picked.with_untracked(|picked| picked.as_ref().map(|p| p.times)) {
        let room = ((to - from) as f64 * 0.02).max((CLOSEST - (to - from) as f64) / 2.0);
        shown.window.set((from as f64 - room, to as f64 + room));
        return;
    }
    let Some(chosen) = shown.chosen.get_untracked() else { return };
    if let Some((start, length)) =
        shown.scene.with_untracked(|s| s.span(chosen).map(|(_, s)| (s.start as f64, s.length as f64)))
    {
        let span = (2.0 * length).max(CLOSEST);
        let middle = start + length / 2.0;
        shown.window.set((middle - span / 2.0, middle + span / 2.0));
    }
}

/// From a launch to its work, and back.
pub(super) fn follow(shown: Shown) {
    let Some((trace, _)) = shown.chosen.get_untracked() else { return };
    if let Some(other) = shown.partners.with_untracked(|partners| partners.first().copied()) {
        shown.look_at((trace, other));
    }
}

/// The lane of an event.
fn lane_of(scene: &Scene, (trace, span): Chosen) -> Option<usize> {
    let of = scene.traces.get(trace)?;
    scene.own.lanes.iter().position(|lane| lane.trace == trace && lane.place(of, span).is_some())
}

/// The event that is chosen, with its lane; none if none is, or its row is folded away.
fn here(shown: Shown, scene: &Scene, rows: &[Row]) -> Option<End> {
    let chosen = shown.chosen.get_untracked()?;
    let lane = lane_of(scene, chosen)?;
    rows.iter().any(|row| row.lane == lane).then_some((lane, chosen.1))
}

/// The event from which a step is made where none is chosen: the first that is seen on the first row.
fn first(shown: Shown, scene: &Scene, rows: &[Row]) -> Option<End> {
    let row = rows.first()?;
    let lane = scene.own.lanes.get(row.lane)?;
    let (from, to) = shown.window.get_untracked();
    let trace = scene.traces.get(lane.trace)?;
    let seen = lane.between(trace, from as i64, to as i64).first().or_else(|| lane.spans.first());
    Some((row.lane, *seen?))
}

/// The event beside one, on its lane or on the next that has any.
fn beside(scene: &Scene, rows: &[Row], (lane, span): End, step: Step) -> Option<End> {
    let forward = matches!(step, Step::Right | Step::Down);
    let here = scene.own.lanes.get(lane)?;
    let trace = scene.traces.get(here.trace)?;
    if matches!(step, Step::Left | Step::Right) {
        return Some((lane, here.beside(trace, span, forward)?));
    }
    let now = trace.spans.get(span as usize)?;
    let time = now.start.saturating_add(now.length / 2);
    let at = rows.iter().position(|row| row.lane == lane)?;
    let next = if forward { rows.get(at + 1)? } else { rows.get(at.checked_sub(1)?)? };
    let there = scene.own.lanes.get(next.lane)?;
    Some((next.lane, there.at(scene.traces.get(there.trace)?, time, i64::MAX / 4)?))
}

/// Goes to the next event.
fn go(shown: Shown, rows: Memo<Vec<Row>>, step: Step) {
    let next = shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| {
            let (lane, span) = match here(shown, scene, rows) {
                Some(here) => beside(scene, rows, here, step)?,
                None => first(shown, scene, rows)?,
            };
            Some((scene.own.lanes.get(lane)?.trace, span))
        })
    });
    if let Some(next) = next {
        shown.look_at(next);
    }
}

/// Moves the end of the selection to the next event. Where nothing is selected, it begins with the chosen event.
fn extend(shown: Shown, rows: Memo<Vec<Row>>, step: Step) {
    let picked = shown.scene.with_untracked(|scene| {
        rows.with_untracked(|rows| {
            let ends = match shown.picked.with_untracked(|picked| picked.as_ref().and_then(|p| p.ends)) {
                Some((began, end)) => (began, beside(scene, rows, end, step).unwrap_or(end)),
                None => {
                    let began = here(shown, scene, rows).or_else(|| first(shown, scene, rows))?;
                    (began, beside(scene, rows, began, step).unwrap_or(began))
                }
            };
            Picked::between(scene, rows, ends)
        })
    });
    if let Some(picked) = picked {
        shown.show(picked.times);
        shown.picked.set(Some(picked));
    }
}

/// The next event in time whose name has what is searched for.
pub(super) fn find_next(shown: Shown) {
    let search = shown.search.get_untracked();
    if search.is_empty() {
        return;
    }
    let next = shown.scene.with_untracked(|scene| {
        let now = shown.chosen.get_untracked();
        let after = now.and_then(|c| scene.span(c)).map(|(_, s)| s.start);
        let mut found: Vec<(i64, usize, u32)> = Vec::new();
        for (t, (trace, named)) in scene.traces.iter().zip(scene.named(&search)).enumerate() {
            let has = |name: u32| named.get(name as usize).copied().unwrap_or_default();
            found.extend(
                trace.spans.iter().enumerate().filter(|(_, s)| has(s.name)).map(|(i, s)| (s.start, t, i as u32)),
            );
        }
        found.sort_unstable();
        let later = found.iter().find(|f| after.is_none_or(|after| f.0 > after) && Some((f.1, f.2)) != now);
        later.or_else(|| found.first()).map(|f| (f.1, f.2))
    });
    if let Some(next) = next {
        shown.look_at(next);
    }
}
