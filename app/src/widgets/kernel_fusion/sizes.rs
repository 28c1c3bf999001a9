//! Time over the rows of the matrix: predicted, and as measured.

use leptos::prelude::*;
use ringside_core::kernels::fusion::{MAX, Params, points};
use ringside_core::kernels::rows::Kernel;
use ringside_core::quantity::{Unit, grouped};

use super::Shown;
use crate::ui::plot::{self, Axes, Axis, Mark};

/// The chosen kernel, or the one that is best where the unfused one is chosen.
fn other(p: &Params) -> Option<&'static Kernel> {
    p.op.kernel(p.kernel).filter(|kernel| kernel.id != "unfused").or_else(|| p.op.kernels().last())
}

fn unfused(p: &Params) -> Option<&'static Kernel> {
    p.op.kernels().first()
}

/// A curve: its class, and that of its dots, and whose it is.
type Curve = (&'static str, &'static str, fn(&Params) -> Option<&'static Kernel>);

const CURVES: [Curve; 2] = [("unfused", "unfused dots", unfused), ("fused", "fused dots", other)];

pub(super) fn view(shown: Shown) -> AnyView {
    let times = (-7..=0).map(|power| 10_f64.powi(power)).map(|s| (s, Unit::Seconds.format(s)));
    let rows = (0..=MAX.ilog2()).step_by(2).map(|power| 2_f64.powi(power as i32)).map(|n| (n, grouped(n as u64)));
    let axes = StoredValue::new(Axes { across: Axis::new((1.0, MAX as f64), rows), up: Axis::new((1e-7, 1.0), times) });
    let curves = CURVES.map(|(class, dots, whose)| {
        let line = move || {
            shown.with(|p| axes.with_value(|axes| axes.curve(whose(p).map(|k| p.curve(k)).unwrap_or_default())))
        };
        let measured = move || {
            let dots = |p: &Params| {
                shown
                    .runner
                    .measured()
                    .with(|all| whose(p).map(|kernel| points(p.op, kernel, p.sizes.cols, all)).unwrap_or_default())
            };
            shown.with(|p| axes.with_value(|axes| axes.dots(dots(p))))
        };
        [(class, Signal::derive(line)), (dots, Signal::derive(measured))]
    });
    let marks = Signal::derive(move || {
        shown.with(|p| {
            let here = p.op.kernel(p.kernel).map(|kernel| p.predict(kernel, p.sizes).time());
            let mark = |seconds: f64| Mark {
                at: (p.sizes.rows as f64, seconds),
                text: format!("predicted {}", Unit::Seconds.format(seconds)),
                under: p.kernel != "unfused",
            };
            here.map(mark).into_iter().collect()
        })
    });
    let label = Signal::derive(move || {
        shown.with(|p| {
            let of = |kernel: Option<&'static Kernel>| {
                let points = kernel.map(|kernel| p.curve(kernel)).unwrap_or_default();
                let said = |(rows, seconds): &(f64, f64)| {
                    format!("{} for {} rows", Unit::Seconds.format(*seconds), grouped(*rows as u64))
                };
                points.iter().step_by(7).map(said).collect::<Vec<_>>().join(", ")
            };
            format!("Predicted time. Unfused: {}. Fused: {}.", of(unfused(p)), of(other(p)))
        })
    });
    let legend = CURVES.map(|(class, _, whose)| {
        let name = move || shown.with(|p| whose(p).map(|kernel| kernel.label));
        view! { <li><i class=format!("swatch {class}") aria-hidden="true"></i>{name}</li> }
    });
    let title = move || shown.with(|p| format!("Time over rows of {}", grouped(p.sizes.cols)));
    let gpu = move || shown.with(|p| format!(": lines are predicted for {}, dots are measured here", p.gpu.name));
    view! {
        <div class="fusion-sizes">
            <p class="plot-title">{title} <span>{gpu}</span></p>
            <ul class="legend">{legend.into_iter().collect_view()}</ul>
            {axes.with_value(|axes| plot::view(
                axes.clone(),
                curves.into_iter().flatten().collect(),
                Signal::stored(Vec::new()),
                marks,
                label,
            ))}
        </div>
    }
    .into_any()
}
