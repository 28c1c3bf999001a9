//! `quantization`: what scales save and what outliers cost, quantization-aware training against rounding afterwards, and how
//! many bits a matrix unit adds in.

mod finding;
#[cfg(test)]
mod tests;

use crate::declare::{
    Applies, Choose, Field, List, Measure, Model, Origin, Origins, Param, Slot, applies, choice, headline, measure,
    origin, real, switch, when, whole,
};
use crate::float::block::{self, RECIPES, Recipe, relative_error};
use crate::float::sums::Accumulator;
use crate::float::{E4M3FN, FP32, Overflow, Rounding};
use crate::loss_scaling::network::{self, FakeQuant, Run, continued, held_out, train};
use crate::mix::Stream;
use crate::options;
use crate::quantity::{Unit, grouped, number};

/// What the figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The error of a tensor under every recipe.
    #[default]
    Recipes,
    /// A scale from the maxima of earlier steps.
    Delayed,
    /// Quantization-aware training against rounding afterwards.
    Training,
    /// Dot products in few bits.
    Accumulate,
}

options!(View {
    Recipes: "recipes", "Recipes";
    Delayed: "delayed", "Delayed scaling";
    Training: "training", "Training";
    Accumulate: "accumulate", "Accumulation";
});

impl Choose for Recipe {
    fn id(&self) -> &'static str {
        self.id
    }

    fn choose(&mut self, id: &str) {
        *self = block::find(id).unwrap_or(*self);
    }
}

impl Field for Recipe {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

const RECIPE_LIST: List = List {
    ids: &{
        let mut ids = [""; RECIPES.len()];
        let mut i = 0;
        while i < ids.len() {
            ids[i] = RECIPES[i].id;
            i += 1;
        }
        ids
    },
    labels: &{
        let mut labels = [""; RECIPES.len()];
        let mut i = 0;
        while i < labels.len() {
            labels[i] = RECIPES[i].name;
            i += 1;
        }
        labels
    },
};

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The recipe that is looked at.
    pub recipe: Recipe,
    /// What the outlier column is multiplied by; in training, one channel of the MLP's weights.
    pub outlier: f64,
    /// Steps whose maxima a delayed scale is made from.
    pub history: u32,
    /// What the largest value is suddenly multiplied by.
    pub jump: f64,
    /// Powers of two that a delayed scale leaves free.
    pub margin: u32,
    /// Bits of a weight in training.
    pub bits: u32,
    /// A scale for each output channel.
    pub per_channel: bool,
    /// Products of a dot product.
    pub k: u32,
    /// Significant bits that the accumulator keeps.
    pub kept: u32,
    /// Products after which it is added to fp32; 0 for never.
    pub promote: u32,
    /// The seed.
    pub seed: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            view: View::Recipes,
            recipe: RECIPES[0],
            outlier: 1.0,
            history: 1,
            jump: 1.0,
            margin: 0,
            bits: 4,
            per_channel: false,
            k: 1,
            kept: 14,
            promote: 0,
            seed: 1,
        }
    }
}

/// The tensor: rows and columns.
pub const SIZE: usize = 128;
/// The column with the outliers.
pub const OUTLIER_COLUMN: usize = 37;
/// Steps of delayed scaling on show.
pub const DELAYED_STEPS: usize = 24;
/// The step at which the largest value jumps.
pub const JUMP_AT: usize = 12;

/// The tensor under a recipe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// The recipe.
    pub recipe: Recipe,
    /// The root-mean-square error relative to that of the values, outside the outlier column.
    pub error: f64,
    /// The part of those values that become zero.
    pub zero: f64,
    /// Bits for each value, scales included.
    pub bits: f64,
}

/// A step of delayed scaling.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayedStep {
    /// The largest value of the step.
    pub amax: f64,
    /// The largest that its scale has room for.
    pub room: f64,
    /// The part of its values that saturate.
    pub saturated: f64,
    /// Relative error of the step.
    pub error: f64,
}

/// Rounded and trained weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    /// The run without rounding.
    pub float: Run,
    /// Loss of its weights, rounded afterwards.
    pub rounded: f64,
    /// Trained on with rounded weights in the forward pass.
    pub aware: Run,
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// Every recipe.
    pub recipes: Vec<Outcome>,
    /// Delayed scaling, step by step.
    pub delayed: Vec<DelayedStep>,
    /// The training.
    pub trained: Trained,
    /// Relative errors of a dot product: as the accumulator adds, with promotion every 128 products, and in fp32; K, then those.
    pub sums: Vec<(u32, [f64; 3])>,
}

/// Longest dot product, as a power of two.
const K: u32 = 13;

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "quantization";
    const TITLE: &'static str = "Scales and few bits";
    const SUMMARY: &'static str = "What outliers cost under every scaling recipe, delayed scaling, quantization-aware training, and how wide a matrix unit adds.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "recipes").label("Show").main().at(|p| p.view.slot()),
        choice("recipe", "the recipe that is looked at", RECIPE_LIST, "e4m3-tensor")
            .label("Recipe")
            .drawn()
            .at(|p| p.recipe.slot()),
        real(
            "outlier",
            "what one column, or one channel of the trained weights, is multiplied by",
            [1.0, 65536.0],
            "256",
        )
        .label("Outlier")
        .format(|v| format!("{} ×", number(v)))
        .doubling(16)
        .main()
        .at(|p| p.outlier.slot()),
        whole("history", "steps whose maxima a delayed scale is made from", [1, 1024], "16")
            .label("History")
            .doubling(10)
            .more("Delayed scaling")
            .at(|p| p.history.slot()),
        real("jump", "what the largest value is suddenly multiplied by", [1.0, 1024.0], "8")
            .label("Jump")
            .format(|v| format!("{} ×", number(v)))
            .doubling(10)
            .main()
            .at(|p| p.jump.slot()),
        whole("margin", "powers of two that a delayed scale leaves free", [0, 10], "0")
            .label("Margin")
            .steps(1.0)
            .more("Delayed scaling")
            .at(|p| p.margin.slot()),
        whole("bits", "bits of a weight", [2, 8], "2").label("Bits per weight").steps(1.0).main().at(|p| p.bits.slot()),
        switch("per-channel", "whether each output channel has a scale", false)
            .label("Per-channel scales")
            .more("Training")
            .at(|p| p.per_channel.slot()),
        whole("k", "products of a dot product", [32, 1 << K], "4096")
            .label("Products added")
            .format(|v| grouped(v as u64))
            .doubling(K)
            .more("Accumulation")
            .at(|p| p.k.slot()),
        whole("kept", "significant bits that the accumulator keeps", [8, 24], "14")
            .label("Accumulator bits")
            .steps(1.0)
            .more("Accumulation")
            .at(|p| p.kept.slot()),
        whole("promote", "products after which the sum is added to fp32; 0 for never", [0, 1 << K], "0")
            .label("Promotion interval")
            .more("Accumulation")
            .at(|p| p.promote.slot()),
        whole("seed", "seed of all numbers", [1, 999], "1").label("Seed").more("Numbers").at(|p| p.seed.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["outlier"], |p| matches!(p.view, View::Recipes | View::Training)),
        applies(&["history", "jump", "margin"], |p| p.view == View::Delayed),
        applies(&["bits", "per-channel"], |p| p.view == View::Training),
        applies(&["k", "kept", "promote"], |p| p.view == View::Accumulate),
    ];
    const ORIGIN: Origin = Origin::Of(
        "OCP Microscaling Formats 1.0; NVIDIA 2025 (NVFP4), arXiv:2509.25149; values quantized here with the scales you choose",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "NVIDIA/TransformerEngine, transformer_engine.common.recipe.DelayedScaling: the scale follows a window of past maxima",
            ),
            &["saturated", "steps-saturated", "jump-error"],
        ),
        origin(
            Origin::Own(
                "a transformer small enough to train in your browser, with weights rounded during or after training",
            ),
            &["float-loss", "rounded-loss", "aware-loss"],
        ),
        origin(
            Origin::Of("DeepSeek-V3, arXiv:2412.19437, §3.3.2: 14 bits in the accumulator, promotion every 128"),
            &["sum-error", "promoted-error"],
        ),
        origin(Origin::Definition, &["bits-per-value", "levels"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| p.view == View::Recipes,
            headline(
                "The rounding error of the columns without outliers.",
                measure("error", "Error in the normal columns", Unit::Fraction, |p, s| {
                    p.outcome(s).map_or(0.0, |r| r.error)
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Recipes,
            headline(
                "Values so small that they become zero.",
                measure("zero", "Share rounded to zero", Unit::Fraction, |p, s| p.outcome(s).map_or(0.0, |r| r.zero)),
            ),
        ),
        when(
            |p, _| p.view == View::Recipes,
            headline(
                "Bits per value, scales included.",
                measure("bits-per-value", "Bits per value", Unit::Ratio, |p, s| p.outcome(s).map_or(0.0, |r| r.bits)),
            ),
        ),
        when(
            |p, _| p.view == View::Delayed,
            headline(
                "Values too large for a scale that was set before the jump.",
                measure("saturated", "Values that saturate at the jump", Unit::Fraction, |_, s| s.at_jump().saturated),
            ),
        ),
        when(
            |p, _| p.view == View::Delayed,
            headline(
                "Steps in which any value is too large for its scale.",
                measure("steps-saturated", "Steps that saturate", Unit::Count, |_, s| {
                    s.delayed.iter().filter(|step| step.saturated > 0.0).count() as f64
                }),
            ),
        ),
        when(
            |p, _| p.view == View::Delayed,
            headline(
                "The rounding error in the step of the jump.",
                measure("jump-error", "Error at the jump", Unit::Fraction, |_, s| s.at_jump().error),
            ),
        ),
        when(
            |p, _| p.view == View::Training,
            headline(
                "Final loss with weights in fp32.",
                measure("float-loss", "Loss without rounding", Unit::Ratio, |_, s| s.trained.float.last),
            ),
        ),
        when(
            |p, _| p.view == View::Training,
            headline(
                "Final loss if the trained weights are rounded.",
                measure("rounded-loss", "Loss, rounded after training", Unit::Ratio, |_, s| s.trained.rounded),
            ),
        ),
        when(
            |p, _| p.view == View::Training,
            headline(
                "Final loss if the model trains with rounded weights.",
                measure("aware-loss", "Loss, trained with rounding", Unit::Ratio, |_, s| s.trained.aware.last),
            ),
        ),
        when(
            |p, _| p.view == View::Training,
            measure("levels", "Levels per weight", Unit::Count, |p, _| f64::from((1_u32 << p.bits) - 1)),
        ),
        when(
            |p, _| p.view == View::Accumulate,
            headline(
                "The error of a long sum in the tensor core’s accumulator.",
                measure("sum-error", "Error of the sum", Unit::Fraction, |_, s| s.sums.last().map_or(0.0, |s| s.1[0])),
            ),
        ),
        when(
            |p, _| p.view == View::Accumulate,
            headline(
                "The error if partial sums move to fp32 every 128 additions.",
                measure("promoted-error", "Error of the sum with promotion every 128", Unit::Fraction, |_, s| {
                    s.sums.last().map_or(0.0, |s| s.1[1])
                }),
            ),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(self.shown())
    }
}

impl Shown {
    fn at_jump(&self) -> DelayedStep {
        let none = DelayedStep { amax: 0.0, room: 0.0, saturated: 0.0, error: 0.0 };
        self.delayed.get(JUMP_AT).copied().unwrap_or(none)
    }
}

impl Params {
    /// The tensor: about normal, one column multiplied.
    fn tensor(&self) -> Vec<f64> {
        let mut stream = Stream::new(self.seed);
        let value = |i: usize, x: f64| if i % SIZE == OUTLIER_COLUMN { x * self.outlier } else { x };
        (0..SIZE * SIZE).map(|i| value(i, stream.normal())).collect()
    }

    /// The recipe that is looked at.
    pub fn outcome(&self, shown: &Shown) -> Option<Outcome> {
        shown.recipes.iter().find(|r| r.recipe.id == self.recipe.id).copied()
    }

    fn recipes(&self) -> Vec<Outcome> {
        let tensor = self.tensor();
        let others = |values: &[f64]| -> Vec<f64> {
            values.iter().enumerate().filter(|(i, _)| i % SIZE != OUTLIER_COLUMN).map(|(_, v)| *v).collect()
        };
        let exact = others(&tensor);
        let outcome = |recipe: Recipe| {
            let held = others(&recipe.quantize(&tensor, SIZE).values);
            let zero = held.iter().filter(|v| **v == 0.0).count() as f64 / held.len().max(1) as f64;
            // Bits of a tensor so large that one scale for all of it costs nothing.
            let bits = recipe.bits_per_value(8192, 8192);
            Outcome { recipe, error: relative_error(&exact, &held), zero, bits }
        };
        RECIPES.into_iter().map(outcome).collect()
    }

    /// e4m3fn under Transformer Engine's delayed scaling: the scale of a step is made from the largest maximum of the steps
    /// before it.
    fn delayed(&self) -> Vec<DelayedStep> {
        let mut stream = Stream::new(self.seed);
        let mut maxima: Vec<f64> = Vec::new();
        let step = |i: usize| {
            let size = if i >= JUMP_AT { self.jump } else { 1.0 };
            let values: Vec<f64> = (0..512).map(|_| stream.normal() * size).collect();
            let amax = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
            let known = maxima.iter().rev().take(self.history as usize).copied().fold(0.0, f64::max);
            maxima.push(amax);
            // Before there is a history, the step's own maximum serves.
            let room = if known > 0.0 { known } else { amax } * f64::from(1_u32 << self.margin);
            let scale = room / E4M3FN.max();
            let held: Vec<f64> = values
                .iter()
                .map(|v| E4M3FN.round(v / scale, Rounding::NearestEven, Overflow::Saturate) * scale)
                .collect();
            let saturated =
                values.iter().filter(|v| v.abs() > room * (1.0 + 1e-12)).count() as f64 / values.len() as f64;
            DelayedStep { amax, room, saturated, error: relative_error(&values, &held) }
        };
        (0..DELAYED_STEPS).map(step).collect()
    }

    fn trained(&self) -> Trained {
        // Beyond 32 the network does not train well even without rounding.
        let outlier = self.outlier.min(32.0);
        let base =
            network::Settings { outlier, rate: 0.03, steps: 120, seed: self.seed, ..network::Settings::default() };
        let fake = Some(FakeQuant { bits: self.bits, per_channel: self.per_channel });
        let float = train(&base);
        let rounded = held_out(&float.weights, &network::Settings { fake, ..base });
        let aware = continued(&float.weights, &network::Settings { fake, steps: 60, rate: 0.01, ..base });
        Trained { float, rounded, aware }
    }

    /// Positive fp8 numbers to be multiplied and added.
    fn factors(&self) -> [Vec<f64>; 2] {
        let mut stream = Stream::new(self.seed);
        [0, 1].map(|_| (0..self.k).map(|_| E4M3FN.nearest(stream.unit())).collect())
    }

    fn sums(&self) -> Vec<(u32, [f64; 3])> {
        let [a, b] = self.factors();
        let at = |k: u32| {
            let (a, b) = (&a[..k as usize], &b[..k as usize]);
            let exact: f64 = a.iter().zip(b).map(|(x, y)| x * y).sum();
            let error = |acc: Accumulator| if exact == 0.0 { 0.0 } else { (acc.dot(a, b) / exact - 1.0).abs() };
            let aligned = |promote| error(Accumulator::Aligned { bits: self.kept, promote });
            (k, [aligned(self.promote as usize), aligned(128), error(Accumulator::Format(FP32))])
        };
        (5..=K).map(|power| 1 << power).filter(|k| *k < self.k).chain([self.k]).map(at).collect()
    }

    /// Computes all of it.
    pub fn shown(&self) -> Shown {
        Shown { recipes: self.recipes(), delayed: self.delayed(), trained: self.trained(), sums: self.sums() }
    }
}
