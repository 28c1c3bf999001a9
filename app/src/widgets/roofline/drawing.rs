//! The roofs, and what lies under them.

use leptos::prelude::*;
use ringside_core::hardware::Accelerator;
use ringside_core::quantity::{Unit, number};
use ringside_core::roofline::Roof;
use ringside_core::roofline::own::Point;

use super::{Shown, beside};
use crate::ui::plot::{self, Axes, Axis, Mark};

/// What the axis across shows.
const INTENSITIES: (f64, f64) = (0.1, 10_000.0);

/// Classes of the roofs that are always drawn.
const CLASSES: [&str; 3] = ["first", "second", "third"];

fn axes() -> Axes {
    let across = (-1..=4).map(|power| 10_f64.powi(power)).map(|i| (i, number(i)));
    let up = (9..=16).map(|power| 10_f64.powi(power)).map(|rate| (rate, Unit::FlopPerSecond.format(rate)));
    Axes { across: Axis::new(INTENSITIES, across), up: Axis::new((1e9, 1e16), up) }
}

pub(super) fn view(shown: Shown) -> AnyView {
    let axes = StoredValue::new(axes());
    let line = move |roof: Roof| axes.with_value(|axes| axes.curve(roof.line(INTENSITIES)));
    let dots = move |points: Vec<(f64, f64)>| axes.with_value(|axes| axes.dots(points));
    let places = |points: Vec<Point>| points.iter().map(|p| (p.intensity, p.rate)).collect::<Vec<_>>();
    let mut curves: Vec<(&'static str, Signal<String>)> =
        CLASSES.into_iter().zip(beside()).map(|(class, gpu)| (class, Signal::stored(line(Roof::of(gpu))))).collect();
    let chosen = Signal::derive(move || line(shown.placed.with(|p| p.roof)));
    let own = Signal::derive(move || shown.own.get().map(|(_, roof)| line(roof)).unwrap_or_default());
    let operations = Signal::derive(move || {
        dots(shown.placed.with(|p| {
            let place = |intensity: f64| (intensity, p.roof.attainable(intensity));
            p.layer.iter().map(|operation| place(operation.intensity())).collect()
        }))
    });
    curves.extend([
        ("chosen", chosen),
        ("own", own),
        ("operations dots", operations),
        ("kept dots", Signal::derive(move || dots(places(shown.points(false))))),
        ("ladder dots", Signal::derive(move || dots(places(shown.points(true))))),
    ]);
    let marks = Signal::derive(move || {
        shown.placed.with(|p| {
            let intensity = p.chosen.intensity();
            let rate = p.roof.attainable(intensity);
            vec![Mark {
                at: (intensity, rate),
                text: format!("{}: {}", p.chosen.label, Unit::FlopPerSecond.format(rate)),
                under: true,
            }]
        })
    });
    let label = Signal::derive(move || {
        shown.placed.with(|p| {
            let roof = |gpu: &Accelerator| format!("{} turns at {}", gpu.name, number(Roof::of(gpu).ridge()));
            let roofs = beside().map(roof).collect::<Vec<_>>().join(", ");
            format!(
                "Attainable operations a second over operations for each byte. {roofs}. {} lies at {}.",
                p.chosen.label,
                number(p.chosen.intensity())
            )
        })
    });
    view! {
        <div class="roofs">
            <p class="plot-title">"FLOP/s that can be had" <span>", over FLOP for each byte moved"</span></p>
            {legend(shown)}
            {axes.with_value(|axes| plot::view(axes.clone(), curves, Signal::stored(Vec::new()), marks, label))}
        </div>
    }
    .into_any()
}

fn legend(shown: Shown) -> impl IntoView {
    let item = |class: &str, name: String| {
        view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{name}</li> }
    };
    // The line of the chosen GPU lies over its own, if it is one of these.
    let others = move || {
        let chosen = shown.placed.with(|p| p.params.gpu.id);
        let others = CLASSES.into_iter().zip(beside()).filter(|(_, gpu)| gpu.id != chosen);
        others.map(|(class, gpu)| item(class, gpu.name.to_owned())).collect_view()
    };
    let chosen = move || item("chosen", format!("{}, chosen", shown.placed.with(|p| p.params.gpu.name)));
    let own = move || shown.own.get().map(|(device, _)| item("own", format!("{device}, measured")));
    let kept =
        move || (!shown.points(false).is_empty()).then(|| item("kept", "your kernels, kept or run now".to_owned()));
    view! {
        <ul class="legend">
            {others} {chosen} {item("operations", "operations of the layer".to_owned())} {own} {kept}
        </ul>
    }
}
