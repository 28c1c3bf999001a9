//! The signals of a run over its steps: as it went, what was thrown away, and the same run with nothing wrong.

use ringside_core::loss_detective::{Act, Logged, Params, Story};
use ringside_core::quantity::number;

use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};
use crate::figure::{Column, Figure, Table};
use crate::picture::Picture;

/// What is drawn over the steps.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Loss,
    Gradient,
    Logit,
    Update,
    LogZ,
    Scale,
}

impl Signal {
    const fn name(self) -> &'static str {
        match self {
            Self::Loss => "Loss",
            Self::Gradient => "Gradient norm",
            Self::Logit => "Largest attention logit",
            Self::Update => "Update over weights",
            Self::LogZ => "ln Z of the output",
            Self::Scale => "Loss scale",
        }
    }

    fn of(self, logged: &Logged) -> f64 {
        match self {
            Self::Loss => logged.loss,
            Self::Gradient => logged.gradient,
            Self::Logit => logged.logit,
            Self::Update => logged.update,
            Self::LogZ => logged.log_z,
            Self::Scale => logged.scale,
        }
    }
}

/// One signal of a run.
fn chart(params: &Params, story: &Story, signal: Signal) -> Chart {
    let points = |log: &[Logged], from: usize| -> Vec<(f64, f64)> {
        let all = log.iter().enumerate().map(|(i, l)| ((from + i) as f64, signal.of(l)));
        // A logarithmic axis has no place for what is zero.
        all.filter(|(_, y)| y.is_finite() && (signal == Signal::Loss || *y > 0.0)).collect()
    };
    let from = story.checkpoint as usize;
    let [healthy, kept, dropped] = [points(&story.healthy, 0), points(&story.kept, 0), points(&story.dropped, from)];
    let all = || healthy.iter().chain(&kept).chain(&dropped).map(|p| p.1);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::MIN_POSITIVE, f64::max));
    let low = low.min(high);
    // Its name stands in the key, beside its line.
    let up = match signal {
        Signal::Loss => Axis::linear((0.0, high * 1.08)),
        Signal::Scale => Axis::log2((low / 2.0, high * 2.0)),
        _ => Axis::log10((low / 1.6, high * 1.6)),
    };
    let named = |name: &'static str| if signal == Signal::Loss { name } else { "" };
    let dead = story.kept.iter().position(|l| !signal.of(l).is_finite());
    let acted = (params.act != Act::Wait).then(|| Rule::across(f64::from(params.found), "").ink(Ink::Edge));
    let mut rules: Vec<Rule> = acted.into_iter().collect();
    rules.extend(dead.map(|at| Rule::across(at as f64, "∞ or NaN").ink(Ink::Warn).stroke(Stroke::Solid)));
    let mut series = vec![
        Series::fine(named("nothing wrong"), Ink::Ink, Stroke::Dotted, healthy).in_key(),
        Series::line(signal.name(), Ink::Gradients, kept).in_key(),
    ];
    if !dropped.is_empty() {
        series.insert(1, Series::fine(named("thrown away"), Ink::Warn, Stroke::Dashed, dropped).in_key());
    }
    Chart {
        label: format!("{} over the steps. {}", signal.name(), params.finding(story)),
        across: Axis::linear((0.0, story.kept.len().max(2) as f64)).written(Writing::Grouped).named("Step"),
        up,
        series,
        rules,
        ..Chart::default()
    }
}

impl Figure for Params {
    /// Neither what it costs nor whether the cause is told changes the run.
    fn computed(&self) -> Self {
        Self { told: false, per: 0.0, seconds: 0.0, restart: 0.0, gpus: 0, ..*self }
    }

    fn subtitle(&self) -> String {
        format!("run {} · {}", self.case.label(), self.done())
    }

    fn finding(&self, story: &Story) -> String {
        self.finding(story)
    }

    fn picture(&self, story: &Story) -> Picture {
        let row = |signals: [Signal; 3]| Picture::Beside(signals.map(|s| (1.0, chart(self, story, s).into())).into());
        Picture::Over(vec![
            (1.0, row([Signal::Loss, Signal::Gradient, Signal::Logit])),
            (1.0, row([Signal::Update, Signal::LogZ, Signal::Scale])),
        ])
    }

    /// The log of the run.
    fn table(&self, story: &Story) -> Table {
        let finite = |x: f64| if x.is_finite() { number(x) } else { "NaN".to_owned() };
        let row = |(i, l): (usize, &Logged)| {
            let numbers = [l.loss, l.gradient, l.logit, l.update, l.log_z, l.scale].map(finite);
            let skipped = if l.skipped { "skipped" } else { "" }.to_owned();
            std::iter::once(i.to_string()).chain(numbers).chain([skipped]).collect()
        };
        let heads = ["Step", "Loss", "Gradient norm", "Attention logit", "Update over weights", "ln Z", "Loss scale"];
        let columns: Vec<Column> = heads.into_iter().map(Column::Numbers).chain([Column::Words("Update")]).collect();
        Table::of(columns, story.kept.iter().enumerate().map(row).collect())
    }
}
