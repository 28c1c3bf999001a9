//! The state of the figure.

use super::data::{self, Data, MOST, Sort, Values};
use super::growth::{Apart, Growth, Start, grow, settings};
use super::sums::{Arithmetic, Order, Sum, Sums};
use crate::declare::{
    Applies, Choose, Field, List, Measure, Model, Origin, Origins, Param, Slot, applies, choice, headline, measure,
    origin, real, text, when, whole, written,
};
use crate::float::{self, FP32, Format};
use crate::options;
use crate::quantity::{Unit, grouped};

/// What the figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The sums.
    #[default]
    Sums,
    /// What a bit comes to over steps.
    Steps,
    /// Sums in several orders on the learner's GPU.
    Gpu,
}

options!(View {
    Sums: "sums", "Sums";
    Steps: "steps", "Over training steps";
    Gpu: "gpu", "On your GPU";
});

/// A format that numbers are held in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Held(pub Format);

impl Held {
    const LIST: List = List {
        ids: &["fp32", "bf16", "fp16", "e4m3fn", "e5m2"],
        labels: &["fp32", "bf16", "fp16", "fp8 e4m3fn", "fp8 e5m2"],
    };
}

impl Default for Held {
    fn default() -> Self {
        Self(FP32)
    }
}

impl Choose for Held {
    fn id(&self) -> &'static str {
        self.0.id
    }

    fn choose(&mut self, id: &str) {
        self.0 = float::find(id).unwrap_or(FP32);
    }
}

impl Field for Held {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// What partial sums are held in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accumulator {
    /// The format of the numbers.
    #[default]
    Same,
    /// fp32, rounded once at the end.
    Fp32,
}

options!(Accumulator {
    Same: "same", "the numbers’ format";
    Fp32: "fp32", "fp32";
});

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub show: View,
    /// The order that is looked at.
    pub order: Order,
    /// What the numbers are like.
    pub data: Data,
    /// How many.
    pub n: u32,
    /// The seed that draws them.
    pub seed: u32,
    /// How they are sorted.
    pub sort: Sort,
    /// One's own.
    pub values: Values,
    /// What they are held in.
    pub format: Held,
    /// What partial sums are held in.
    pub accumulator: Accumulator,
    /// Parts of split-K.
    pub splits: u32,
    /// Rows of the batch.
    pub batch: u32,
    /// Ranks of the ring.
    pub ranks: u32,
    /// The chunk of the ring.
    pub chunk: u32,
    /// The seed of random arrivals.
    pub arrival: u32,
    /// Random orders.
    pub draws: u32,
    /// What differs between two runs.
    pub start: Start,
    /// The bit that is flipped.
    pub bit: u32,
    /// Learning rate.
    pub rate: f64,
    /// Steps.
    pub steps: u32,
    /// Whether the sums are run on the GPU as the page opens.
    pub run: bool,
}

/// All that is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The sums.
    pub sums: Sums,
    /// The two runs.
    pub growth: Growth,
}

/// Most steps of the two runs.
pub const MAX_STEPS: u64 = 400;
/// Most random orders.
const MAX_DRAWS: u64 = 1000;
/// Additions that random orders may take together: a large array gets fewer orders.
const BUDGET: u32 = 1 << 20;

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "reduction-order";
    const TITLE: &'static str = "The order of a sum";
    const SUMMARY: &'static str = "The same numbers added in the orders that NumPy, PyTorch, GPUs and all-reduces add in, to the last bit, and what one bit comes to over training steps.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("show", "what is shown", View::LIST, "sums").label("Show").main().at(|p| p.show.slot()),
        choice("format", "what the numbers are held in", Held::LIST, "fp32")
            .label("Number format")
            .main()
            .at(|p| p.format.slot()),
        choice("data", "what the numbers are like", Data::LIST, "signed")
            .label("Numbers")
            .more("The numbers")
            .at(|p| p.data.slot()),
        whole("n", "how many numbers", [1, MOST as u64], "1024")
            .label("Number count")
            .doubling(13)
            .main()
            .at(|p| p.n.slot()),
        choice("order", "the order that is looked at", Order::LIST, "sequential")
            .label("Order")
            .drawn()
            .at(|p| p.order.slot()),
        choice("start", "what differs between the two runs", Start::LIST, "bit")
            .label("Difference at the start")
            .main()
            .at(|p| p.start.slot()),
        whole(
            "bit",
            "the bit of the weight that is flipped: 0 is the last of the mantissa, 23 the lowest of the exponent",
            [0, 26],
            "0",
        )
        .label("Flipped bit")
        .steps(1.0)
        .more("The runs")
        .at(|p| p.bit.slot()),
        real("rate", "learning rate of Adam", [0.0001, 0.5], "0.1")
            .label("Learning rate")
            .more("The runs")
            .at(|p| p.rate.slot()),
        whole("steps", "steps of the two runs", [1, MAX_STEPS], "200")
            .label("Steps")
            .more("The runs")
            .at(|p| p.steps.slot()),
        choice(
            "accumulator",
            "what partial sums are held in, where the order does not say so itself",
            Accumulator::LIST,
            "same",
        )
        .label("Partial sum format")
        .more("The arithmetic")
        .at(|p| p.accumulator.slot()),
        choice("sort", "how the numbers are ordered first", Sort::LIST, "none")
            .label("Sorted")
            .more("The numbers")
            .at(|p| p.sort.slot()),
        whole("seed", "seed of the numbers, or of weights and data", [0, 4_294_967_295], "1")
            .label("Seed")
            .more("The numbers")
            .at(|p| p.seed.slot()),
        whole("splits", "parts of split-K", [1, 64], "4")
            .label("Parts of split-K")
            .doubling(6)
            .more("The orders")
            .at(|p| p.splits.slot()),
        whole("batch", "rows of the batch, which decide in how many parts a row is summed", [1, 512], "8")
            .label("Rows in the batch")
            .doubling(9)
            .more("The orders")
            .at(|p| p.batch.slot()),
        whole("ranks", "ranks of the ring", [1, 64], "8")
            .label("Ring ranks")
            .doubling(6)
            .more("The orders")
            .at(|p| p.ranks.slot()),
        whole("chunk", "the ring’s chunk that the number is in", [0, 63], "0")
            .label("Ring chunk")
            .steps(1.0)
            .more("The orders")
            .at(|p| p.chunk.slot()),
        whole("arrival", "seed of the order in which atomics arrive", [0, 4_294_967_295], "1")
            .label("Arrival seed")
            .format(|v| grouped(v as u64))
            .more("The orders")
            .at(|p| p.arrival.slot()),
        whole("draws", "random orders", [0, MAX_DRAWS], "500")
            .label("Random orders")
            .more("The orders")
            .at(|p| p.draws.slot()),
        text("values", "your own numbers, with commas between them", data::STANDARD).quiet().at(|p| p.values.slot()),
        crate::kernels::RUN.quiet().at(|p| Slot::Whole(&mut p.run)),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["data", "accumulator", "sort", "splits", "batch", "ranks", "chunk", "arrival", "draws"], |p| {
            p.show == View::Sums
        }),
        applies(&["format", "seed"], |p| p.show != View::Gpu),
        applies(&["n"], |p| p.show == View::Gpu || p.show == View::Sums && p.data != Data::Own),
        applies(&["start", "rate", "steps"], |p| p.show == View::Steps),
        applies(&["bit"], |p| p.show == View::Steps && p.start == Start::Bit),
    ];
    const ORIGIN: Origin = super::orders::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(super::exact::ORIGIN, &["exact"]),
        origin(Origin::Definition, &["error", "off", "magnitude", "depth", "distinct", "first-bit"]),
        origin(
            Origin::Of(
                "Higham 2002, “Accuracy and Stability of Numerical Algorithms”, 2nd ed., eq. 4.4; Higham and Mary 2019 for the probable error",
            ),
            &["bound"],
        ),
        origin(Origin::Own("the same numbers shuffled a thousand times"), &["random-distinct", "random-spread"]),
        origin(
            Origin::Of("Patarasuk and Yuan 2009, JPDC 69(2), executed in fp32"),
            &["ring-different", "ring-elements"],
        ),
        origin(
            Origin::Own(
                "a transformer small enough to train in your browser, twice, from weights that differ by one bit",
            ),
            &["apart-first", "apart-last", "apart-losses", "all-differ", "doubling"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        when(
            |p, _| p.show == View::Sums,
            headline(
                "What this order of additions comes to.",
                measure("sum", "Sum in this order", Unit::Ratio, |p, s| finite(p.sum(s).value)),
            ),
        ),
        written(
            |code| format!("{:#x}", code as u64),
            when(
                |p, _| p.show == View::Sums,
                measure("bits", "Bits of the sum", Unit::Count, |p, s| p.sum(s).code as f64),
            ),
        ),
        when(|p, _| p.show == View::Sums, measure("exact", "Exact sum", Unit::Ratio, |_, s| finite(s.sums.exact))),
        when(
            |p, _| p.show == View::Sums,
            measure("error", "Error of the sum", Unit::Ratio, |p, s| finite(p.sum(s).error)),
        ),
        when(
            |p, _| p.show == View::Sums,
            headline(
                "How many representable numbers lie between the sum and the exact one.",
                measure("off", "Error, in units of the last place", Unit::Ratio, |p, s| {
                    finite(p.sum(s).error / s.sums.unit(p.format.0))
                }),
            ),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("depth", "Additions on the longest path", Unit::Count, |p, s| {
                p.sum(s).depth.map_or(0.0, f64::from)
            }),
        ),
        when(
            |p, _| p.show == View::Sums,
            headline(
                "The error that this order can’t exceed.",
                measure("bound", "Error bound", Unit::Ratio, |p, s| finite(p.bound(s))),
            ),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("magnitude", "Sum of the magnitudes", Unit::Ratio, |_, s| finite(s.sums.magnitude)),
        ),
        when(
            |p, _| p.show == View::Sums,
            headline(
                "How many different sums the orders give.",
                measure("distinct", "Distinct results, all orders shown", Unit::Count, |_, s| s.sums.distinct() as f64),
            ),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("random-distinct", "Distinct results, random orders", Unit::Count, |_, s| {
                s.sums.spread.results.len() as f64 + f64::from(u32::from(s.sums.spread.broken > 0))
            }),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("random-spread", "Spread of results, random orders", Unit::Ratio, |_, s| {
                let all = &s.sums.spread.results;
                finite(all.last().zip(all.first()).map_or(0.0, |(last, first)| last.0 - first.0))
            }),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("first-bit", "First bit that differs from the exact sum", Unit::Count, |p, s| {
                p.exact_code(s).map_or(0.0, |exact| f64::from(Sums::first_bit(p.format.0, p.sum(s).code, exact)))
            }),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure(
                "ring-different",
                "Elements a ring sums in another order than rank 0 upward",
                Unit::Count,
                |_, s| f64::from(s.sums.ring.0),
            ),
        ),
        when(
            |p, _| p.show == View::Sums,
            measure("ring-elements", "Elements per rank", Unit::Count, |_, s| f64::from(s.sums.ring.1)),
        ),
        when(
            |p, _| p.show == View::Steps,
            headline(
                "How far two runs are apart that differ in one sum’s order.",
                measure("apart-first", "Weight distance after the first step", Unit::Ratio, |_, s| {
                    finite(s.growth.first)
                }),
            ),
        ),
        when(
            |p, _| p.show == View::Steps,
            headline(
                "How far the two runs are apart after the last step.",
                measure("apart-last", "Weight distance at the end", Unit::Ratio, |_, s| {
                    finite(s.growth.steps.last().map_or(0.0, |step| step.distance))
                }),
            ),
        ),
        when(
            |p, _| p.show == View::Steps,
            headline(
                "How much the two runs’ losses differ.",
                measure("apart-losses", "Loss difference at the last step", Unit::Ratio, |_, s| {
                    finite(s.growth.steps.last().map_or(0.0, |step| (step.losses[0] - step.losses[1]).abs()))
                }),
            ),
        ),
        when(
            |p, _| p.show == View::Steps,
            headline(
                "From then on almost no weight is equal to the last bit.",
                measure("all-differ", "Step after which 90% of weights differ", Unit::Count, |_, s| {
                    s.growth.steps.iter().position(|step| step.differing > 0.9).map_or(0.0, |i| i as f64 + 1.0)
                }),
            ),
        ),
        when(
            |p, _| p.show == View::Steps,
            measure("doubling", "Steps to double the distance, initially", Unit::Ratio, |_, s| {
                finite(s.growth.doubling())
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        Ok(Shown { sums: self.sums(), growth: self.growth() })
    }
}

/// 0 for what is no finite number: the bits say what it is.
fn finite(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}

impl Growth {
    /// Steps in which the distance doubled, on average from the first step to the one where it is a thousandth; 0 if it does not grow.
    pub fn doubling(&self) -> f64 {
        let end = self.steps.iter().position(|s| s.distance > 1e-3).unwrap_or(self.steps.len().saturating_sub(1));
        let at = |i: usize| self.steps.get(i).map_or(0.0, |s: &Apart| s.distance);
        let (first, last) = (at(0), at(end));
        if first > 0.0 && last > first {
            end as f64 / (float::elementary::ln(last / first) / std::f64::consts::LN_2)
        } else {
            0.0
        }
    }
}

impl Params {
    /// The numbers as they are drawn or typed, in fp32, sorted.
    pub fn numbers(&self) -> Vec<f32> {
        self.sort.sorted(match self.data {
            Data::Own => self.values.0.clone(),
            drawn => drawn.draw(self.n as usize, self.seed),
        })
    }

    /// How they are summed.
    pub fn arithmetic(&self) -> Arithmetic {
        let format = self.format.0;
        Arithmetic {
            format,
            accumulator: if self.accumulator == Accumulator::Fp32 { FP32 } else { format },
            splits: self.splits as usize,
            batch: self.batch,
            ranks: self.ranks as usize,
            chunk: self.chunk as usize,
            arrival: self.arrival.into(),
        }
    }

    /// Every sum.
    pub fn sums(&self) -> Sums {
        let numbers = self.numbers();
        let draws = if self.show != View::Sums { 0 } else { self.draws.min(BUDGET / numbers.len().max(1) as u32) };
        self.arithmetic().all(&numbers, draws)
    }

    /// The two runs; none where they are not shown, because they take longer than all else.
    pub fn growth(&self) -> Growth {
        if self.show != View::Steps {
            return Growth::default();
        }
        grow(self.start, self.bit, &settings(self.format.0 != FP32, self.rate, self.steps, self.seed.into()))
    }

    /// The sum in the order that is looked at.
    pub fn sum(&self, shown: &Shown) -> Sum {
        let none = Sum { order: self.order, value: 0.0, code: 0, error: 0.0, depth: None };
        shown.sums.of(self.order).copied().unwrap_or(none)
    }

    /// The code of the exact sum, rounded once.
    pub fn exact_code(&self, shown: &Shown) -> Option<u64> {
        shown.sums.of(Order::Exact).map(|s| s.code)
    }

    /// How far the sum in this order may be off; 0 where there is no bound of this kind.
    pub fn bound(&self, shown: &Shown) -> f64 {
        let sum = self.sum(shown);
        sum.depth.map_or(0.0, |depth| self.arithmetic().bound(self.order, depth) * shown.sums.magnitude)
    }
}
