//! The campaign as strips of time, a week or a day each, and where the time went.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::failure::campaign::Cause;
use ringside_core::failure::{DAY, Failures, Outcome};
use ringside_core::quantity::{Unit, counted};

use crate::ui::markup::renewed;
use crate::widgets::outcome::Shown;

/// Units of the drawing across a strip and from one strip to the next.
const WIDE: f64 = 1000.0;
const PITCH: f64 = 10.0;
const HIGH: f64 = 8.0;

/// The class of a cause, which gives it its colour.
fn class(cause: Cause) -> &'static str {
    match cause {
        Cause::Useful => "useful",
        Cause::Saving => "saving",
        Cause::Lost => "lost",
        Cause::Noticing => "noticing",
        Cause::Waiting => "waiting",
        Cause::Restarting => "restarting",
        Cause::Planned => "planned",
        Cause::Shrunk => "shrunk",
    }
}

/// The strips, what the event on show is, and where the time went until then.
pub(super) fn view(params: Memo<Failures>, shown: Shown<Outcome>, step: Signal<usize>) -> AnyView {
    let spent = Memo::new(move |_| shown.with(|o| o.campaign.spent_until(until(o, step.get()))));
    let part = move |cause: Cause| {
        spent.with(|s| s.get(cause as usize).copied().unwrap_or(0.0) / s.iter().sum::<f64>().max(f64::MIN_POSITIVE))
    };
    let entry = move |cause: Cause| {
        view! {
            <li class:absent=move || part(cause) < 0.000_05>
                <i class=format!("swatch {}", class(cause)) aria-hidden="true"></i>
                {cause.label()}
                " "
                <b>{move || Unit::Fraction.format(part(cause))}</b>
            </li>
        }
    };
    let names = move || {
        params.with(|p| {
            let word = if p.row_days() > 1.0 { "week" } else { "day" };
            (1..=p.rows()).map(|i| view! { <span>{format!("{word} {i}")}</span> }).collect_view()
        })
    };
    let strips = move || params.with(|p| shown.with(|o| picture(p, o, step.get())));
    let waste = move || shown.with(|o| wasted(o, until(o, step.get())));
    let event = move || {
        params.with(|p| {
            shown.with(|o| {
                let event = step.get().checked_sub(1).and_then(|i| o.campaign.events.get(i));
                event.map_or_else(|| "Nothing happens.".to_owned(), |event| p.says(event))
            })
        })
    };
    view! {
        <div class="campaign">
            <div class="campaign-strips" style:--rows=move || params.with(|p| p.rows().to_string())>
                <div class="campaign-names" aria-hidden="true">{names}</div>
                <div class="campaign-weeks" use:renewed=strips></div>
            </div>
            <p class="campaign-event">{event}</p>
            <p class="campaign-lost">
                {move || format!("Time not spent on useful work: {}", Unit::Fraction.format(1.0 - part(Cause::Useful)))}
            </p>
            <div class="campaign-waste" use:renewed=waste></div>
            <ul class="campaign-causes">{Cause::WASTE.iter().copied().map(entry).collect_view()}</ul>
        </div>
    }
    .into_any()
}

/// The end of what is on show: all of it once the last event is.
fn until(o: &Outcome, step: usize) -> f64 {
    let all = o.campaign.stretches.last().map_or(0.0, |s| s.to);
    if step >= o.campaign.events.len() { all } else { o.campaign.over(step) }
}

/// The strips as markup.
fn picture(p: &Failures, o: &Outcome, step: usize) -> String {
    let (row, rows, end) = (p.row_seconds(), p.rows() as f64, until(o, step));
    let length = p.days as f64 * DAY;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDE} {:.0}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{} in {}\">",
        rows * PITCH,
        counted(p.days, "day", "days"),
        counted(p.rows(), "strip", "strips")
    );
    let mut paths: [String; 8] = Default::default();
    for stretch in o.campaign.stretches.iter().take_while(|s| s.from < end) {
        let thin = stretch.capacity < 1.0 && stretch.cause == Cause::Useful;
        let cause = if thin { Cause::Shrunk } else { stretch.cause };
        if let Some(path) = paths.get_mut(cause as usize) {
            strip(path, (stretch.from, stretch.to.min(end)), row);
        }
    }
    let mut ground = String::new();
    strip(&mut ground, (0.0, length), row);
    // Writing to a string does not fail.
    let _ = write!(svg, "<path class=\"ahead\" d=\"{ground}\" />");
    for (cause, path) in Cause::ALL.into_iter().zip(&paths) {
        let _ = write!(svg, "<path class=\"{}\" d=\"{path}\" />", class(cause));
    }
    let at = step.checked_sub(1).and_then(|i| o.campaign.events.get(i)).map_or(0.0, |event| event.at);
    let (x, y) = (at % row / row * WIDE, (at / row).floor() * PITCH);
    let _ = write!(svg, "<path class=\"now\" d=\"M{x:.2} {:.1}v{:.1}\" /></svg>", y - 0.8, HIGH + 1.6);
    svg
}

/// A stretch of time, cut where a strip ends.
fn strip(path: &mut String, (mut from, end): (f64, f64), row: f64) {
    while from < end {
        let i = (from / row).floor();
        let to = end.min((i + 1.0) * row);
        let (x, wide) = ((from - i * row) / row * WIDE, (to - from) / row * WIDE);
        let _ = write!(path, "M{x:.2} {:.1}h{wide:.2}v{HIGH}h-{wide:.2}z", i * PITCH + 1.0);
        from = to;
    }
}

/// All that is not useful, by cause, to the scale of the whole.
fn wasted(o: &Outcome, end: f64) -> String {
    let spent = o.campaign.spent_until(end);
    let seconds = |cause: Cause| spent.get(cause as usize).copied().unwrap_or(0.0);
    let lost: f64 = Cause::WASTE.iter().map(|cause| seconds(*cause)).sum();
    let mut svg =
        "<svg viewBox=\"0 0 1000 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"What is not useful, by cause\">".to_owned();
    let mut x = 0.0;
    for cause in Cause::WASTE.iter().copied() {
        let wide = seconds(cause) / lost.max(f64::MIN_POSITIVE) * WIDE;
        let _ =
            write!(svg, "<rect class=\"{}\" x=\"{x:.2}\" y=\"0\" width=\"{wide:.2}\" height=\"10\" />", class(cause));
        x += wide;
    }
    svg.push_str("</svg>");
    svg
}
