//! Resident warps over block size, registers and shared memory, and the bandwidth that so many warps can ask for.

use ringside_core::occupancy::{Held, Over, Params};
use ringside_core::quantity::{Unit, grouped, number};

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};

/// Resident warps over one of the three, with this kernel marked.
pub fn over(p: &Params, held: &Held, over: Over) -> Chart {
    let (name, here, unit) = match over {
        Over::Block => ("Threads per block", p.block, 1.0),
        Over::Registers => ("Registers per thread", p.registers, 1.0),
        Over::Shared => ("Shared memory a block, KiB", p.dynamic, 1024.0),
    };
    let curve: Vec<(f64, f64)> = p.curve(over).into_iter().map(|(at, warps)| (at / unit, warps)).collect();
    // Between two values nothing is resident but what the next one holds: a block is made of whole warps.
    let stairs = curve.iter().zip(curve.iter().skip(1)).flat_map(|(here, next)| [*here, (here.0, next.1)]);
    let stairs = stairs.chain(curve.last().copied()).collect();
    let (from, to) = (curve.first().map_or(0.0, |c| c.0), curve.last().map_or(1.0, |c| c.0));
    let here = here as f64 / unit;
    let most = held.sm.warps() as f64;
    let across = Axis::linear((from.min(here), to.max(here))).written(Writing::Grouped).named(name);
    let across = match over {
        Over::Shared => across,
        Over::Block => across.at([32_u32, 256, 512, 768, 1024].map(|n| (f64::from(n), grouped(n.into())))),
        Over::Registers => across.at([32_u32, 64, 96, 128, 168, 255].map(|n| (f64::from(n), n.to_string()))),
    };
    let said = curve
        .iter()
        .step_by(curve.len().div_ceil(8).max(1))
        .map(|(at, warps)| format!("{} at {}", number(*warps), number(*at)));
    Chart {
        label: format!("Resident warps. {name}: {}.", said.collect::<Vec<_>>().join(", ")),
        across,
        up: Axis::linear((0.0, most)).named("Resident warps"),
        series: vec![Series::line("", Ink::Weights, stairs)],
        rules: Vec::new(),
        marks: vec![Mark::new((here, held.warps as f64), number(held.warps as f64))],
    }
}

/// The part of the bandwidth that so many warps can ask for.
pub fn reach(p: &Params, held: &Held) -> Chart {
    let most = held.sm.warps();
    let curve = (0..=most).map(|warps| (warps as f64, held.reach(warps as f64))).collect();
    let here = held.reach(held.warps as f64);
    let needed = held.needed_warps();
    let rule =
        (needed <= most).then(|| Rule::across(needed as f64, format!("{needed} are enough")).stroke(Stroke::Dotted));
    Chart {
        label: format!(
            "Bandwidth over resident warps: with {} of {} it is {}.",
            held.warps,
            most,
            Unit::Fraction.format(here)
        ),
        across: Axis::linear((0.0, most as f64)).named("Resident warps"),
        up: Axis::linear((0.0, 1.0))
            .written(Writing::Unit(Unit::Fraction))
            .named(format!("Bandwidth of {} at most", p.gpu.name)),
        series: vec![Series::line("", Ink::Optimizer, curve)],
        rules: rule.into_iter().collect(),
        marks: vec![Mark::new((held.warps as f64, here), Unit::Fraction.format(here))],
    }
}
