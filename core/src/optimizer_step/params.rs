//! The parameters, and the model in the catalogue.

use super::{Path, Problem, ROWS, Rule};
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, measure, origin, real,
    when, whole,
};
use crate::quantity::{Unit, number};

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The rule.
    pub rule: Rule,
    /// The learning rate η.
    pub lr: f64,
    /// β of momentum, β₁ of Adam.
    pub beta: f64,
    /// β₂ of Adam.
    pub beta2: f64,
    /// How many times as steep the bowl is across as along.
    pub kappa: f64,
    /// By how many degrees it is turned.
    pub angle: f64,
    /// How far the targets are off.
    pub noise: f64,
    /// Rows of a batch.
    pub batch: u64,
    /// Steps.
    pub steps: u64,
    /// The first weight at the start.
    pub start_across: f64,
    /// The second.
    pub start_up: f64,
    /// Steps that have been done.
    pub step: u64,
    /// Rows of a weight matrix for which FLOPs and bytes are counted.
    pub rows: u64,
    /// Its columns.
    pub columns: u64,
    /// Tokens of the batch that it sees.
    pub tokens: u64,
}

impl Params {
    fn weights(&self) -> f64 {
        self.rows as f64 * self.columns as f64
    }

    /// FLOPs of the layer's three products: forward, the gradient of its input, that of its weights.
    fn products(&self) -> f64 {
        6.0 * self.weights() * self.tokens as f64
    }

    /// What an update of the layer takes by a rule: FLOPs, bytes moved and bytes of state in fp32, FLOPs a byte.
    pub fn update(&self, rule: Rule) -> [f64; 4] {
        let n = self.weights();
        let (flop, bytes) = (rule.flop_per_weight() * n, rule.bytes_per_weight() * n);
        [flop, bytes, 4.0 * rule.states() * n, flop / bytes]
    }

    /// What comes of it, in sentences.
    pub fn finding(&self, path: &Path) -> String {
        let start = path.problem.loss(path.after(0));
        let end = path.problem.loss(path.after(usize::MAX));
        let first = if path.diverges() {
            format!(
                "{} runs away: after {} steps the loss is {} times what it was",
                self.rule.label(),
                path.changes.len(),
                number(end / start.max(1e-300))
            )
        } else {
            match path.arrives() {
                Some(steps) => {
                    format!("{} brings the loss under a hundredth of its start in {steps} steps", self.rule.label())
                }
                None => format!(
                    "After {} steps {} has {} of the loss left",
                    self.steps,
                    self.rule.label(),
                    Unit::Fraction.format(end / start.max(1e-300))
                ),
            }
        };
        let limit = 2.0 / self.kappa;
        let why = match self.rule {
            Rule::Sgd if self.lr > limit => format!(" Across the valley the gradient grows {} times as fast as along it, and a rate over 2/κ = {} throws the weights farther than they were.", number(self.kappa), number(limit)),
            Rule::Sgd => format!(" The rate may be at most 2/κ = {}, set by the steep direction; along the valley a step then covers at most {} of the way.", number(limit), Unit::Fraction.format(limit)),
            Rule::Momentum => " Across the valley steps point to and fro and cancel; along it they add up.".to_owned(),
            Rule::Adam => " Each weight gets a step of about the rate, whatever its gradient; in a bowl that is turned, the weights are not its axes, and that helps less.".to_owned(),
        };
        let noise = if self.noise > 0.0 && self.batch < ROWS as u64 {
            format!(" Batches of {} leave noise that no number of steps removes.", self.batch)
        } else {
            String::new()
        };
        format!("{first}.{why}{noise}")
    }
}

impl Model for Params {
    type Result = Path;
    const ID: &'static str = "optimizer-step";
    const TITLE: &'static str = "A step of SGD, momentum and Adam";
    const SUMMARY: &'static str =
        "Two weights in an ill-conditioned bowl, step by step in matrix form, with noise, shapes, FLOPs and bytes.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("rule", "update rule", Rule::LIST, "sgd").label("Rule").main().at(|p| p.rule.slot()),
        real("lr", "learning rate", [1e-6, 100.0], "0.009")
            .label("Learning rate")
            .slider(Scale::Decades(-4, 1))
            .main()
            .at(|p| p.lr.slot()),
        real("kappa", "how many times as steep the bowl is across as along", [1.0, 1e4], "200")
            .label("Condition κ")
            .slider(Scale::Decades(0, 3))
            .main()
            .at(|p| p.kappa.slot()),
        whole("batch", "rows of a batch, of 8; fewer are drawn at random", [1, 8], "8")
            .label("Batch, of 8 rows")
            .doubling(3)
            .main()
            .at(|p| p.batch.slot()),
        real("noise", "how far the targets are off", [0.0, 10.0], "0")
            .label("Target noise")
            .slider(Scale::Linear { min: 0.0, max: 5.0, step: 0.1 })
            .more("The bowl")
            .at(|p| p.noise.slot()),
        real("angle", "degrees by which the bowl is turned", [0.0, 90.0], "0")
            .label("Rotation, degrees")
            .steps(5.0)
            .more("The bowl")
            .at(|p| p.angle.slot()),
        real("start-across", "first weight at the start", [-10.0, 10.0], "-4")
            .label("Start, first weight")
            .steps(0.5)
            .more("The bowl")
            .at(|p| p.start_across.slot()),
        real("start-up", "second weight at the start", [-10.0, 10.0], "0.5")
            .label("Start, second weight")
            .steps(0.5)
            .more("The bowl")
            .at(|p| p.start_up.slot()),
        real("beta", "β of momentum, β₁ of Adam", [0.0, 0.9999], "0.9")
            .label("β, β₁")
            .slider(Scale::Linear { min: 0.0, max: 0.99, step: 0.01 })
            .more("The rule")
            .at(|p| p.beta.slot()),
        real("beta2", "β₂ of Adam", [0.0, 0.99999], "0.999").label("β₂").more("The rule").at(|p| p.beta2.slot()),
        whole("steps", "steps", [1, 1000], "60")
            .label("Steps")
            .slider(Scale::Linear { min: 10.0, max: 300.0, step: 10.0 })
            .more("The rule")
            .at(|p| p.steps.slot()),
        whole("rows", "rows of a weight matrix to be counted", [1, 1_000_000], "4096")
            .label("Rows, m")
            .doubling(16)
            .more("A layer of m × n")
            .at(|p| p.rows.slot()),
        whole("columns", "its columns", [1, 1_000_000], "4096")
            .label("Columns, n")
            .doubling(16)
            .more("A layer of m × n")
            .at(|p| p.columns.slot()),
        whole("tokens", "tokens of the batch that it sees", [1, 1_000_000_000], "8192")
            .label("Tokens, B")
            .doubling(24)
            .more("A layer of m × n")
            .at(|p| p.tokens.slot()),
        whole("step", "steps that have been done", [0, 1000], "0").drawn().quiet().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["beta"], |p| p.rule != Rule::Sgd), applies(&["beta2"], |p| p.rule == Rule::Adam)];
    const ORIGIN: Origin = Origin::Of(
        "Polyak 1964 and Sutskever et al. 2013 (momentum, as torch.optim.SGD has it); Kingma & Ba 2015 (Adam), arXiv:1412.6980, Algorithm 1; run step by step on a quadratic bowl",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of("Goh 2017, “Why Momentum Really Works”, Distill: 2 over the largest eigenvalue"),
            &["lr-limit"],
        ),
        origin(
            Origin::Of("McCandlish et al. 2018, arXiv:1812.06162, §2.2"),
            &["variance", "batch-variance", "noise-scale"],
        ),
        origin(Origin::Definition, &["weights"]),
        origin(
            Origin::Of("Kaplan et al. 2020, arXiv:2001.08361, §2.1: 2 FLOPs per weight and row forward, 4 backward"),
            &["product-flop", "forward-flop"],
        ),
        origin(
            Origin::Own("arithmetic and memory accesses of the update rule, counted per weight"),
            &["update-flop", "update-bytes", "state-bytes", "product-bytes", "intensity"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Path>] = &[
        headline(
            "Loss above the minimum after the last step.",
            measure("loss", "Excess loss", Unit::Ratio, |p, path| path.problem.loss(path.after(p.steps as usize))),
        ),
        measure("loss-start", "Initial excess loss", Unit::Ratio, |_, path| path.problem.loss(path.after(0))),
        when(
            |_, path| path.arrives().is_some(),
            headline(
                "How long the optimizer takes to get close.",
                measure("arrives", "Steps to 1% of the initial loss", Unit::Count, |_, path| {
                    path.arrives().unwrap_or_default() as f64
                }),
            ),
        ),
        headline(
            "With a larger learning rate, SGD diverges along the steep direction.",
            measure("lr-limit", "SGD’s largest learning rate, 2/κ", Unit::Ratio, |p, _| 2.0 / p.kappa),
        ),
        measure("first-change", "Length of the first step", Unit::Ratio, |_, path| {
            path.changes.first().map_or(0.0, |[a, b]| a.hypot(*b))
        }),
        measure("variance", "Gradient variance per row, tr Σ", Unit::Ratio, |_, path| {
            path.problem.variance(path.after(0))
        }),
        measure("batch-variance", "Gradient variance of the batch", Unit::Ratio, |p, path| {
            if p.batch as usize >= ROWS { 0.0 } else { path.problem.variance(path.after(0)) / p.batch as f64 }
        }),
        headline(
            "Batches much larger than this gain little.",
            measure("noise-scale", "Gradient noise scale at the start, rows", Unit::Ratio, |_, path| {
                let [a, b] = path.problem.whole(path.after(0));
                let square = a * a + b * b;
                if square > 0.0 { path.problem.variance(path.after(0)) / square } else { 0.0 }
            }),
        ),
        measure("weights", "Weights of the layer", Unit::Count, |p, _| p.weights()),
        measure("product-flop", "Forward and backward FLOPs", Unit::Flop, |p, _| p.products()),
        measure("forward-flop", "Forward FLOPs", Unit::Flop, |p, _| p.products() / 3.0),
        measure("update-flop", "Update FLOPs", Unit::Flop, |p, _| p.update(p.rule)[0]),
        measure("update-bytes", "Update traffic, fp32", Unit::Bytes, |p, _| p.update(p.rule)[1]),
        headline(
            "What the optimizer keeps for the layer.",
            measure("state-bytes", "Optimizer states, fp32", Unit::Bytes, |p, _| p.update(p.rule)[2]),
        ),
        measure("product-bytes", "Minimum forward traffic, fp32", Unit::Bytes, |p, _| {
            let (m, n, b) = (p.rows as f64, p.columns as f64, p.tokens as f64);
            4.0 * (b * m + m * n + b * n)
        }),
        measure("intensity", "Update intensity, FLOP/byte", Unit::Ratio, |p, _| p.update(p.rule)[3]),
    ];

    fn evaluate(&self) -> Result<Path, String> {
        Ok(Path::new(self))
    }

    fn follow(&mut self, _before: &Self) {
        self.step = 0;
    }
}

impl Problem {
    /// The loss of points on an ellipse around the best weights: one on which it is `loss`, as `points` pairs.
    pub fn level(kappa: f64, angle: f64, loss: f64, points: usize) -> Vec<(f64, f64)> {
        let (sin, cos) = angle.to_radians().sin_cos();
        let (along, across) = ((2.0 * loss).sqrt(), (2.0 * loss / kappa).sqrt());
        (0..=points)
            .map(|i| {
                let (s, c) = (std::f64::consts::TAU * i as f64 / points.max(1) as f64).sin_cos();
                let (a, b) = (along * c, across * s);
                (a * cos - b * sin, a * sin + b * cos)
            })
            .collect()
    }
}
