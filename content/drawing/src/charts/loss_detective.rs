//! The signals of a run over its steps: as it went, what was thrown away, and the same run with nothing wrong.

use ringside_core::loss_detective::{Act, Logged, Params, Story};

use crate::chart::{Axis, Chart, Ink, Rule, Series, Stroke, Writing};

/// What is drawn over the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The loss.
    Loss,
    /// The length of the gradient.
    Gradient,
    /// The largest attention logit.
    Logit,
    /// The length of the update over that of the weights.
    Update,
    /// ln Z.
    LogZ,
    /// The loss scale.
    Scale,
}

impl Signal {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Loss, Self::Gradient, Self::Logit, Self::Update, Self::LogZ, Self::Scale];

    /// Its name.
    pub const fn name(self) -> &'static str {
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
pub fn chart(params: &Params, story: &Story, signal: Signal) -> Chart {
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
