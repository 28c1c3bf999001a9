//! What a completion takes over the length of the prompt, by what is kept and which order.

use ringside_core::editor_latency::{Kept, Params, Times};
use ringside_core::fim::format::Order;
use ringside_core::quantity::{Unit, grouped};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Stroke, Writing};
use crate::figure::{About, Figure, Table};
use crate::picture::Picture;

/// Shortest and longest prompt of the axis.
const PROMPTS: (f64, f64) = (64.0, 131_072.0);
/// Steps of a curve.
const STEPS: u32 = 44;

/// The chart.
fn chart(params: &Params) -> Chart {
    // A prompt that doesn't fit has no time.
    let at = |params: Params| {
        let times = params.times();
        params.fits(&times).then_some(times.whole)
    };
    let curve = |kept, order| -> Vec<(f64, f64)> {
        let at = |tokens: f64| at(Params { kept, order, context: tokens.round() as u64, ..*params });
        spread(PROMPTS, STEPS).filter_map(|tokens| Some((tokens, at(tokens)?))).collect()
    };
    let nothing = curve(Kept::Nothing, params.order);
    let [prefix, suffix] = [Order::Psm, Order::Spm].map(|order| curve(Kept::Prompt, order));
    let here = at(*params);
    let most = (params.budget * 4.0).max(here.unwrap_or_default() * 1.15);
    let low = |line: Vec<(f64, f64)>| line.into_iter().filter(|(_, y)| *y <= most).collect::<Vec<_>>();
    Chart {
        label: params.finding(&params.times()),
        across: Axis::log2(PROMPTS).written(Writing::Binary).named("Tokens of the prompt"),
        up: Axis::linear((0.0, most)).written(Writing::Unit(Unit::Seconds)).named("Until the completion is there"),
        series: vec![
            Series::fine("nothing kept", Ink::Edge, Stroke::Dotted, low(nothing)).in_key(),
            Series::line("prefix first, cache kept", Ink::Gradients, low(prefix)).stroke(Stroke::Dashed).in_key(),
            Series::line("suffix first, cache kept", Ink::Weights, low(suffix)).in_key(),
        ],
        rules: vec![Rule::up(params.budget, "it may take").ink(Ink::Warn)],
        marks: here
            .map(|whole| Mark::new((params.context as f64, whole), Unit::Seconds.format(whole)))
            .into_iter()
            .collect(),
    }
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Model(&mut self.model))
    }

    fn subtitle(&self) -> String {
        format!("{} on one {}, {} tokens", self.name(), self.gpu.name, grouped(self.context))
    }

    fn finding(&self, times: &Times) -> String {
        self.finding(times)
    }

    fn picture(&self, _: &Times) -> Picture {
        chart(self).into()
    }

    /// What it takes for prompts of some lengths.
    fn table(&self, _: &Times) -> Table {
        let row = |power: u32| {
            let context = 1_u64 << power;
            let at = |kept, order| {
                let params = Params { context, kept, order, ..*self };
                let times = params.times();
                if params.fits(&times) { Unit::Seconds.format(times.whole) } else { "doesn’t fit".to_owned() }
            };
            vec![
                grouped(context),
                at(Kept::Nothing, Order::Psm),
                at(Kept::Prompt, Order::Psm),
                at(Kept::Prompt, Order::Spm),
                Unit::Bytes.format(Params { context, ..*self }.times().cache),
            ]
        };
        let heads = ["Tokens of the prompt", "nothing kept", "prefix first", "suffix first", "cache"];
        Table::of_numbers(heads, (6..=17).map(row).collect())
    }
}
