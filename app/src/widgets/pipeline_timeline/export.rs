//! The timeline as a file: a trace for Perfetto, a picture for a slide.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::pipeline::chrome_trace;
use ringside_core::quantity::Unit;
use ringside_drawing::timeline::Window;

use super::canvas::{Palette, Probe};
use super::{CLASSES, Run, Runs, Shown, svg, track};
use crate::ui::file;

/// The width of a picture, in pixels.
const WIDTH: f64 = 1600.0;
/// What a picture has around its rows.
const MARGIN: f64 = 40.0;

/// Two buttons, and what went wrong.
pub(super) fn view(shown: Shown) -> impl IntoView {
    let failed = RwSignal::new(String::new());
    let save = move |media: &'static str, extension: &'static str, text: fn(&Runs, &Run) -> String| {
        move |_| {
            let file = shown.runs.with_untracked(|runs| {
                let run = runs.runs.first()?;
                let p = &runs.params;
                let name = format!("{}-{}x{}.{extension}", run.schedule.id(), p.stages, p.microbatches);
                Some((name, text(runs, run)))
            });
            if let Some((name, text)) = file {
                failed.set(file::save(&name, media, &text).err().unwrap_or_default());
            }
        }
    };
    let trace = save("application/json", "json", |_, run| chrome_trace(&run.timeline, run.schedule.label()));
    let picture = save("image/svg+xml", "svg", picture);
    view! {
        <div class="timeline-export">
            <button type="button" class="quiet" on:click=trace>"Save as Chrome trace"</button>
            <button type="button" class="quiet" on:click=picture>"Save as SVG"</button>
            <span class="fine" role="status">{failed}</span>
        </div>
    }
}

/// All of a run as an SVG file in the colours of the page now.
fn picture(runs: &Runs, run: &Run) -> String {
    let height = track::height(runs, run);
    let pieces = track::pieces(runs, run, Window::ALL, WIDTH);
    let Palette { fills, texts, .. } = Palette::now();
    let [paper, ink] = ["background-color", "color"].map(|property| Probe::new("timeline-paper", property).colour());
    let mut style = String::new();
    for ((class, fill), text) in CLASSES.iter().zip(fills).zip(texts) {
        let _ = write!(style, ".{class}{{fill:{fill}}}.on-{class}{{fill:{text}}}");
    }
    let (wide, high) = (WIDTH + 2.0 * MARGIN, height + 2.0 * MARGIN);
    let title = format!("{}, {}", run.schedule.label(), Unit::Seconds.format(run.timeline.makespan() / 1e3));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" \
         font-family=\"Inter, system-ui, sans-serif\" font-size=\"12\"><title>{title}</title>\
         <style>{style}.later{{fill:{ink};fill-opacity:.55}}.dim{{opacity:.25}}.row text{{text-anchor:middle;font-weight:600}}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/><text x=\"{MARGIN}\" y=\"26\" fill=\"{ink}\" font-size=\"16\" \
         font-weight=\"600\">{title}</text><g class=\"row\" transform=\"translate({MARGIN} {MARGIN})\">{}</g></svg>\n",
        svg::pieces(&pieces)
    )
}
