//! The time of a token over the tokens a second of a GPU, for each number of GPUs that share a replica.

use ringside_core::quantity::{Unit, grouped, number};
use ringside_core::serving::sizing::{MLPERF_SERVER, Params, Plan, Size};
use ringside_core::serving::step::Quant;

use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{About, Column, Figure, Table};
use crate::picture::Picture;

/// GPUs of MLPerf's machine.
const MLPERF_GPUS: f64 = 8.0;

/// Latency over throughput, and where the plan is.
fn chart(params: &Params, plan: &Plan) -> Chart {
    let drawn = || plan.sizes.iter().enumerate().filter_map(|(i, size)| Some((stroke(i, plan.chosen)?, size)));
    let points = || drawn().flat_map(|(_, size)| &size.curve);
    let (fast, slow) = points().fold((params.token, params.token), |(a, b), p| (a.min(p.token), b.max(p.token)));
    let most = points().map(|point| point.per_gpu).fold(1.0, f64::max);
    let mut series: Vec<Series> = drawn().map(|(stroke, size)| line(stroke, size)).collect();
    let is_mlperf = params.machine.model.query().get("model") == Some("llama-2-70b")
        && params.machine.gpu.id == "h100-80"
        && params.machine.quant == Quant::Fp8;
    let (rate, token) = MLPERF_SERVER;
    if is_mlperf {
        let at = vec![(rate / MLPERF_GPUS, token)];
        let name = vec!["MLPerf v4.1, server, measured".to_owned()];
        series.push(Series::dots("measured (MLPerf)", Ink::Gradients, Shape::Diamond, at).with_names(name));
    }
    let mark = plan.size().map(|size| {
        let text = format!("{} users each, {} GPUs", grouped(size.share.batch), grouped(size.gpus().unwrap_or(0)));
        Mark::new((size.share.per_gpu, size.share.token), text)
    });
    Chart {
        label: params.finding(plan),
        across: Axis::linear((0.0, 1.15 * most.max(if is_mlperf { rate / MLPERF_GPUS } else { 0.0 })))
            .written(Writing::Grouped)
            .named("Tokens per second per GPU"),
        up: Axis::log10((fast / 1.4, slow.max(if is_mlperf { token } else { 0.0 }) * 1.4))
            .written(Writing::Unit(Unit::Seconds))
            .named("Time between tokens"),
        series,
        rules: vec![Rule::up(params.token, format!("promise {}", Unit::Seconds.format(params.token))).ink(Ink::Warn)],
        marks: mark.into_iter().collect(),
    }
}

/// How a size is drawn, and whether it is the one that is taken: that one, up to two below it and one above it.
fn stroke(size: usize, chosen: usize) -> Option<(Stroke, bool)> {
    match (size + 2).checked_sub(chosen)? {
        0 => Some((Stroke::Dotted, false)),
        1 => Some((Stroke::Dashed, false)),
        2 => Some((Stroke::Solid, true)),
        3 => Some((Stroke::Solid, false)),
        _ => None,
    }
}

/// From one user, low on the left, to as many as fit.
fn line((stroke, is_chosen): (Stroke, bool), size: &Size) -> Series {
    let points = size.curve.iter().map(|point| (point.per_gpu, point.token)).collect();
    let name = format!("{} per replica", grouped(size.tp));
    let names = size.curve.iter().map(|p| format!("{} users on {}", grouped(p.batch), grouped(size.tp))).collect();
    let line = if is_chosen {
        Series::line(name, Ink::Weights, points)
    } else {
        Series::fine(name, Ink::Soft, stroke, points)
    };
    line.in_key().with_names(names)
}

impl Figure for Params {
    fn about(&mut self) -> Option<About<'_>> {
        Some(About::Machine(&mut self.machine))
    }

    fn subtitle(&self) -> String {
        format!("{} on {}, {}", self.machine.name(), self.machine.gpu.name, self.machine.quant.label())
    }

    fn finding(&self, plan: &Plan) -> String {
        self.finding(plan)
    }

    fn picture(&self, plan: &Plan) -> Picture {
        chart(self, plan).into()
    }

    /// Every size of a replica.
    fn table(&self, plan: &Plan) -> Table {
        let row = |size: &Size| {
            let limit = match (size.most, size.is_full()) {
                (None, _) => "too slow for one user",
                (Some(_), true) => "the cache",
                (Some(_), false) => "the promise",
            };
            vec![
                grouped(size.replica()),
                grouped(size.fit),
                size.most.map_or_else(String::new, |most| grouped(most.batch)),
                limit.to_owned(),
                size.gpus().map_or_else(|| "not possible".to_owned(), grouped),
                Unit::Seconds.format(size.share.token),
                number(size.share.per_gpu),
            ]
        };
        let columns = [
            Column::Words("GPUs per replica"),
            Column::Numbers("Users that fit"),
            Column::Numbers("Most users"),
            Column::Words("Limited by"),
            Column::Numbers("Total GPUs"),
            Column::Numbers("Time per token"),
            Column::Numbers("Tokens/s per GPU"),
        ];
        Table::of(columns, plan.sizes.iter().map(row).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringside_core::declare::Model as _;
    use ringside_core::query::Query;

    #[test]
    fn before_a_decision_the_drawing_says_nothing_of_the_plan() {
        let (params, _) = Params::read(&Query::parse(""));
        let plan = params.evaluate().expect("a plan");
        let (open, before) = (chart(&params, &plan), chart(&params, &plan).undecided());
        assert!(open.label == params.finding(&plan) && open.marks[0].text.ends_with("GPUs"));
        assert_eq!(before.label, "Time between tokens over Tokens per second per GPU");
        assert!(before.marks[0].text.is_empty() && before.marks[0].at == open.marks[0].at);
    }
}
