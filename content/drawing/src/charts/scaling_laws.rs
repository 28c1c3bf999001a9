//! What a budget is best spent on: loss over size, size over budget, repeated text, training with serving.

use ringside_core::quantity::{Unit, number};
use ringside_core::scaling_laws::runs::RUNS;
use ringside_core::scaling_laws::{Law, Outcome, Params, Point, Show, serving};

use super::spread;
use crate::chart::{Axis, Chart, Ink, Mark, Rule, Series, Shape, Stroke, Writing};
use crate::figure::{Column, Figure, Table};
use crate::picture::Picture;

/// Budgets that are drawn over the sizes.
const BUDGETS: (f64, f64) = (1e18, 1e28);
/// Sizes that are drawn over the budgets.
const SIZES: (f64, f64) = (1e7, 1e14);
const COUNT: Writing = Writing::Unit(Unit::Count);

/// An axis of FLOPs, whose numbers are written as the field writes them: 5e23.
fn flops(range: (f64, f64), digits: &'static [u32]) -> Axis {
    let powers = range.0.log10().floor() as i32..=range.1.log10().ceil() as i32;
    let ticks = powers.flat_map(move |power| {
        digits.iter().map(move |digit| (f64::from(*digit) * 10_f64.powi(power), format!("{digit}e{power}")))
    });
    Axis::log10(range).at(ticks.filter(move |(value, _)| (range.0..=range.1).contains(value)))
}

/// The loss over the size of the model, for four budgets.
fn iso_flop(o: &Outcome) -> Chart {
    let compute = o.compute();
    let budgets = [0.01, 0.1, 1.0, 10.0].map(|times| times * compute);
    let bottom = |budget: f64| o.loss(o.surface.optimum(budget));
    let here = (o.here.params, o.loss(o.here));
    let (low, high) = (bottom(budgets[3]), (bottom(budgets[0]) + 0.35).max(here.1 * 1.02));
    let across = (o.surface.optimum(budgets[0]).params / 20.0, o.surface.optimum(budgets[3]).params * 20.0);
    let across = (across.0.min(here.0 / 2.0), across.1.max(here.0 * 2.0));
    let inside = |(params, loss): &(f64, f64)| (across.0..=across.1).contains(params) && *loss <= high;
    let curve = |budget: f64| -> Vec<(f64, f64)> { o.iso_flop(budget).into_iter().filter(inside).collect() };
    let mut series: Vec<Series> = budgets
        .into_iter()
        .map(|budget| {
            let name = format!("{} FLOP", number(budget));
            if budget == compute {
                Series::line(name, Ink::Weights, curve(budget))
            } else {
                Series::fine(name, Ink::Edge, Stroke::Solid, curve(budget))
            }
        })
        .collect();
    let best = spread((budgets[0], budgets[3]), 24).map(|budget| (o.surface.optimum(budget).params, bottom(budget)));
    series.push(Series::fine("the best size", Ink::Optimizer, Stroke::Dashed, best.collect()));
    let best = o.surface.optimum(compute);
    Chart {
        label: format!(
            "Loss over the parameters of a model, each curve for one budget. With {} FLOP the lowest is {:.3} at {}; {} have {:.3}.",
            number(compute),
            o.loss(best),
            COUNT.write(best.params),
            COUNT.write(here.0),
            here.1
        ),
        across: Axis::log10(across).written(COUNT).named("Parameters"),
        up: Axis::linear((low - 0.03, high)).named("Loss, nats per token"),
        series,
        rules: Vec::new(),
        marks: vec![Mark::new(here, format!("{:.3}", here.1))],
    }
}

/// The best size over the budget by every law, and runs.
fn frontier(o: &Outcome) -> Chart {
    let short = |law: Law| match law {
        Law::Kaplan => "Kaplan",
        Law::Approach1 => "approach 1",
        Law::Approach2 => "approach 2",
        Law::Rounded => "approach 3, printed",
        Law::Unrounded => "approach 3, all digits",
        Law::Refit => "Besiroglu",
        Law::C4 => "Muennighoff",
    };
    let line = |law: Law| {
        let points = spread(BUDGETS, 40).map(|c| (c, law.optimum(c).params)).filter(|(_, n)| *n <= SIZES.1).collect();
        if law == o.law {
            Series::line(short(law), Ink::Weights, points)
        } else {
            let stroke = match law {
                Law::Kaplan | Law::Rounded | Law::Unrounded => Stroke::Dashed,
                Law::Approach1 | Law::Approach2 => Stroke::Dotted,
                Law::Refit | Law::C4 => Stroke::Solid,
            };
            Series::fine(short(law), Ink::Edge, stroke, points)
        }
    };
    let mut series: Vec<Series> = Law::ALL.into_iter().filter(|law| *law != o.law).map(line).collect();
    series.push(line(o.law));
    let places = RUNS.iter().map(|run| (run.at.compute(), run.at.params)).collect();
    let names = RUNS.iter().map(|run| format!("{}, {}", run.name, run.year)).collect();
    series.push(Series::dots("Runs", Ink::Gradients, Shape::Disc, places).with_names(names));
    let named = ["GPT-3", "Chinchilla", "Llama 3 8B", "Llama 3.1 405B"];
    let marks = RUNS.iter().filter(|run| named.contains(&run.name));
    let here = (o.compute(), o.here.params);
    Chart {
        label: format!(
            "The best number of parameters over the budget, by seven laws, and {} runs. {} puts {} FLOP into {} parameters.",
            RUNS.len(),
            o.law.label(),
            number(here.0),
            COUNT.write(o.optimum.params)
        ),
        across: flops(BUDGETS, &[1]).named("Budget, FLOPs"),
        up: Axis::log10(SIZES).written(COUNT).named("Parameters"),
        series,
        rules: Vec::new(),
        marks: marks
            .map(|run| Mark::new((run.at.compute(), run.at.params), run.name))
            .chain([Mark::new(here, format!("here: {}", COUNT.write(here.1)))])
            .collect(),
    }
}

/// What passes over a text are worth.
fn repeated(o: &Outcome) -> Chart {
    let worth = o.repeated();
    let all_new = worth.iter().map(|(passes, _)| (*passes, passes * o.unique)).collect::<Vec<_>>();
    let most = (1.0 + ringside_core::scaling_laws::data::REPEAT_TOKENS) * o.unique;
    let passes = o.epochs(o.here);
    let value = ringside_core::scaling_laws::data::effective(&o.surface, o.here, o.unique).tokens;
    let mark = (1.0..=64.0).contains(&passes).then(|| Mark::new((passes, value.min(most)), COUNT.write(value)));
    let top = most * 1.25;
    Chart {
        label: format!(
            "Tokens as good as new over passes through {} tokens: at most {}. This run makes {} over the text, worth {} new tokens.",
            COUNT.write(o.unique),
            COUNT.write(most),
            if passes == 1.0 { "one pass".to_owned() } else { format!("{} passes", number(passes)) },
            COUNT.write(value)
        ),
        across: Axis::log2((1.0, 64.0)).named("Epochs"),
        up: Axis::linear((0.0, top)).written(COUNT).named("Effective tokens"),
        series: vec![
            Series::fine(
                "if every pass were new",
                Ink::Edge,
                Stroke::Dashed,
                all_new.into_iter().filter(|(_, t)| *t <= top).collect(),
            ),
            Series::line("worth", Ink::Weights, worth),
        ],
        rules: vec![
            Rule::up(most, format!("never more than {}", COUNT.write(most))).stroke(Stroke::Dotted).ink(Ink::Soft),
        ],
        marks: mark.into_iter().collect(),
    }
}

/// Training and serving over the size, at the loss of the model in question.
fn same_loss(o: &Outcome) -> Chart {
    let points = o.same_loss();
    let ends = |of: fn(&(f64, f64, f64)) -> f64| {
        points.iter().map(of).fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
    };
    let at = |point: Point| (point.params, serving::total(point, o.served));
    let (here, lean) = (at(o.here), at(o.lean));
    let (across, up) = (ends(|p| p.0), (ends(|p| p.1).0.min(here.1), ends(|p| p.2).1.max(here.1)));
    let across = (across.0.min(here.0), across.1.max(here.0));
    Chart {
        label: format!(
            "FLOPs over the parameters of models with a loss of {:.3}, of training and with {} tokens served. The least in all is {} at {}.",
            o.loss(o.here),
            COUNT.write(o.served),
            number(lean.1),
            COUNT.write(lean.0)
        ),
        across: Axis::log10((across.0 / 1.3, across.1 * 1.3)).written(COUNT).named("Parameters"),
        up: flops((up.0 / 1.5, up.1 * 1.5), &[1, 2, 5]).named("FLOPs, all with the same loss"),
        series: vec![
            Series::line("training", Ink::Optimizer, points.iter().map(|p| (p.0, p.1)).collect())
                .stroke(Stroke::Dashed),
            Series::line("training and serving", Ink::Weights, points.iter().map(|p| (p.0, p.2)).collect()),
        ],
        rules: Vec::new(),
        marks: vec![
            Mark::new(here, format!("here: {}", COUNT.write(here.0))),
            Mark::new(lean, format!("cheapest: {}", COUNT.write(lean.0))),
        ],
    }
}

impl Figure for Params {
    fn subtitle(&self) -> String {
        let size = Unit::Count.format(self.params);
        format!("{} FLOP, {size} parameters, {}", number(self.compute), self.law.label())
    }

    fn finding(&self, o: &Outcome) -> String {
        match self.show {
            Show::Frontier => o.frontier_finding(),
            _ => o.finding(),
        }
    }

    fn notes(&self) -> Option<String> {
        let none = if self.law.surface().is_none() {
            "This law has no formula for the loss: the curves are Besiroglu’s. "
        } else {
            ""
        };
        Some(format!("{none}{}. Losses belong to one tokenizer and one mixture of text.", self.law.source()))
    }

    fn picture(&self, o: &Outcome) -> Picture {
        let chart = match self.show {
            Show::IsoFlop => iso_flop(o),
            Show::Frontier => frontier(o),
            Show::Data => repeated(o),
            Show::Serving => same_loss(o),
        };
        chart.into()
    }

    /// Every law at this budget.
    fn table(&self, _: &Outcome) -> Table {
        let row = |law: Law| {
            let best = law.optimum(self.compute);
            vec![
                law.label().to_owned(),
                format!("{:.3}", law.exponent()),
                Unit::Count.format(best.params),
                Unit::Count.format(best.tokens),
                number(best.ratio()),
            ]
        };
        let heads = ["exponent", "parameters", "tokens", "tokens for each"];
        Table::new("Law", heads, Law::ALL.into_iter().map(row).collect())
            .captioned("What each law spends this budget on")
    }

    /// Every run.
    fn more_tables(&self, _: &Outcome) -> Vec<Table> {
        let rows = RUNS.iter().map(|run| {
            vec![
                run.name.to_owned(),
                run.year.to_string(),
                Unit::Count.format(run.at.params),
                Unit::Count.format(run.at.tokens),
                number(run.at.compute()),
                number(run.at.ratio()),
                run.source.to_owned(),
            ]
        });
        let columns = [
            Column::Words("Run"),
            Column::Numbers("year"),
            Column::Numbers("parameters a token uses"),
            Column::Numbers("tokens"),
            Column::Numbers("6ND, FLOPs"),
            Column::Numbers("tokens for each"),
            Column::Words("source"),
        ];
        vec![Table::of(columns, rows.collect()).captioned("Runs")]
    }
}
