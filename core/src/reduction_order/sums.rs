//! All sums of an array, and what a thousand random orders make of it.

use super::compensated::{kahan, neumaier};
use super::exact::Exact;
use super::numbers::{Adder, Depth, Double};
use super::orders;
use crate::float::{FP32, Format, Overflow, Rounding};
use crate::hardware::H100;
use crate::mix::Stream;
use crate::options;

/// Who adds, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Left to right.
    #[default]
    Sequential,
    /// Right to left.
    Reversed,
    /// `np.sum`.
    Numpy,
    /// A sum over rows of eight, then over the eight.
    Columns,
    /// `torch.sum` on the CPU.
    Torch,
    /// One block on a GPU.
    Block,
    /// In so many parts.
    Split,
    /// In as many parts as the batch leaves SMs for.
    Batch,
    /// Each rank its own part, then round a ring.
    Ring,
    /// As they arrive.
    Atomics,
    /// Left to right, each sum wider than what is added.
    Wider,
    /// Left to right in `f64`.
    Double,
    /// Kahan's.
    Kahan,
    /// Neumaier's.
    Neumaier,
    /// Without rounding, and then once.
    Exact,
}

options!(Order {
    Sequential: "sequential", "left to right";
    Reversed: "reversed", "right to left";
    Numpy: "numpy", "NumPy, pairwise";
    Columns: "columns", "NumPy, rows of eight";
    Torch: "torch", "PyTorch on the CPU";
    Block: "block", "one GPU block, a tree";
    Split: "split", "split-K";
    Batch: "batch", "split by batch size";
    Ring: "ring", "ring over the ranks";
    Atomics: "atomics", "atomics, as they arrive";
    Wider: "wider", "wider accumulator";
    Double: "double", "left to right in fp64";
    Kahan: "kahan", "Kahan";
    Neumaier: "neumaier", "Neumaier";
    Exact: "exact", "exact, rounded once";
});

/// Every order.
pub const ALL: [Order; 15] = [
    Order::Sequential,
    Order::Reversed,
    Order::Numpy,
    Order::Columns,
    Order::Torch,
    Order::Block,
    Order::Split,
    Order::Batch,
    Order::Ring,
    Order::Atomics,
    Order::Wider,
    Order::Double,
    Order::Kahan,
    Order::Neumaier,
    Order::Exact,
];

/// SMs of an H100.
const SMS: u32 = match &H100.chip {
    Some(chip) => chip.sms as u32,
    None => 1,
};

/// Parts that a row is cut into so that a batch of so many rows keeps an H100 busy: one block to a row once there are as many rows
/// as SMs. How kernels choose differs; that the choice follows the batch is what He et al. 2025 found.
pub const fn parts_for(batch: u32) -> usize {
    let parts = SMS / if batch == 0 { 1 } else { batch };
    if parts == 0 { 1 } else { parts as usize }
}

/// How the sums are made, beside their order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arithmetic {
    /// What the numbers and the result are held in.
    pub format: Format,
    /// What each partial sum is rounded to, where the order does not say so itself.
    pub accumulator: Format,
    /// Parts of split-K.
    pub splits: usize,
    /// Rows of the batch.
    pub batch: u32,
    /// Ranks of the ring.
    pub ranks: usize,
    /// The chunk of the ring that the number is in.
    pub chunk: usize,
    /// The seed of random arrivals.
    pub arrival: u64,
}

/// One sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sum {
    /// The order.
    pub order: Order,
    /// What came out, a value of the format.
    pub value: f64,
    /// Its code.
    pub code: u64,
    /// It minus the exact sum of the numbers as held; NaN where it is no finite number.
    pub error: f64,
    /// Additions on the longest way from a number to it; none where the order has no bound of this kind.
    pub depth: Option<u32>,
}

/// What random orders came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spread {
    /// Results, from the least: their error, and how many orders gave it. Those that are no finite number are left out.
    pub results: Vec<(f64, u32)>,
    /// Orders that gave no finite number.
    pub broken: u32,
}

/// All sums of an array.
#[derive(Debug, Clone, PartialEq)]
pub struct Sums {
    /// The numbers as the format holds them.
    pub values: Vec<f32>,
    /// Their exact sum, rounded to `f64`.
    pub exact: f64,
    /// The same, rounded once to the format.
    pub nearest: f64,
    /// Σ|a|.
    pub magnitude: f64,
    /// Each order's, in the order of [`ALL`].
    pub sums: Vec<Sum>,
    /// Those of random orders.
    pub spread: Spread,
    /// Elements of a ring all-reduce over the ranks that differ from the sum from rank 0 upward, and elements in all.
    pub ring: (u32, u32),
}

impl Arithmetic {
    /// Whether partial sums are as narrow as the numbers.
    fn narrow(&self) -> bool {
        self.format.mantissa_bits < FP32.mantissa_bits
    }

    /// The sum of numbers that are held in the format: a value of the accumulator, not yet rounded to the format.
    fn unrounded(&self, order: Order, values: &[f32]) -> f64 {
        let (adder, fp32) = (Adder::new(self.accumulator), Adder::new(FP32));
        let doubles = || values.iter().map(|v| f64::from(*v)).collect::<Vec<_>>();
        let single: f32 = match order {
            Order::Sequential => orders::sequential(adder, values),
            Order::Reversed => orders::sequential(adder, &values.iter().rev().copied().collect::<Vec<_>>()),
            Order::Numpy => orders::numpy(fp32, values),
            Order::Columns => orders::columns(fp32, values),
            Order::Torch if self.narrow() => orders::torch_narrow(fp32, values),
            Order::Torch => orders::torch(fp32, values),
            Order::Block => orders::block(adder, values),
            Order::Split => orders::split(adder, values, self.splits),
            Order::Batch => orders::split(adder, values, parts_for(self.batch)),
            Order::Ring => orders::ring(adder, &orders::partial(adder, values, self.ranks), self.chunk),
            Order::Atomics => orders::from_zero(adder, &shuffled(values, &mut Stream::new(self.arrival))),
            Order::Wider if self.narrow() => orders::from_zero(fp32, values),
            Order::Wider => return orders::from_zero(Double, &doubles()),
            Order::Double => return orders::sequential(Double, &doubles()),
            Order::Kahan => kahan(values),
            Order::Neumaier => neumaier(values),
            Order::Exact => return Exact::of(values).to(self.format),
        };
        single.into()
    }

    /// The sum of numbers that are held in the format, as the order makes it: a value of the format.
    pub fn sum(&self, order: Order, values: &[f32]) -> f64 {
        self.format.nearest(self.unrounded(order, values))
    }

    /// Additions on the longest way from one of n numbers to the sum; none for sums that are not a tree of additions in the
    /// accumulator.
    pub fn depth(&self, order: Order, n: usize) -> Option<u32> {
        let values = vec![Some(0); n];
        match order {
            Order::Sequential | Order::Reversed | Order::Atomics => orders::sequential(Depth, &values),
            Order::Numpy => orders::numpy(Depth, &values),
            Order::Columns => orders::columns(Depth, &values),
            Order::Torch if self.narrow() => orders::torch_narrow(Depth, &values),
            Order::Torch => orders::torch(Depth, &values),
            Order::Block => orders::block(Depth, &values),
            Order::Split => orders::split(Depth, &values, self.splits),
            Order::Batch => orders::split(Depth, &values, parts_for(self.batch)),
            Order::Ring => orders::ring(Depth, &orders::partial(Depth, &values, self.ranks), self.chunk),
            Order::Wider | Order::Double | Order::Kahan | Order::Neumaier | Order::Exact => None,
        }
    }

    /// What the additions of an order are rounded to.
    fn rounded_to(&self, order: Order) -> Format {
        if matches!(order, Order::Numpy | Order::Columns | Order::Torch) { FP32 } else { self.accumulator }
    }

    /// γ_d: what the error of a tree d additions deep may be, over Σ|a|. With a last rounding to the format where that is
    /// narrower. Infinite where d·u reaches 1.
    pub fn bound(&self, order: Order, depth: u32) -> f64 {
        let accumulator = self.rounded_to(order);
        let u = accumulator.epsilon() / 2.0;
        let du = f64::from(depth) * u;
        if du >= 1.0 {
            return f64::INFINITY;
        }
        let gamma = du / (1.0 - du);
        let last =
            if self.format.mantissa_bits < accumulator.mantissa_bits { self.format.epsilon() / 2.0 } else { 0.0 };
        gamma + last * (1.0 + gamma)
    }

    /// Sums an array in every order, and in `draws` random ones.
    pub fn all(&self, values: &[f32], draws: u32) -> Sums {
        let adder = Adder::new(self.format);
        let values: Vec<f32> = values.iter().map(|v| adder.hold(*v)).collect();
        let exact = Exact::of(&values);
        let error = |value: f64| if value.is_finite() { -exact.minus(value) } else { f64::NAN };
        let sum = |order| {
            let value = self.sum(order, &values);
            let code = self.format.encode(value, Rounding::NearestEven, Overflow::Special);
            Sum { order, value, code, error: error(value), depth: self.depth(order, values.len()) }
        };
        let ring = || {
            let adder = Adder::new(self.accumulator);
            let bits = |sums: Vec<f32>| sums.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            let (round, upward) = (
                bits(orders::ring_all_reduce(adder, &values, self.ranks)),
                bits(orders::rank_order(adder, &values, self.ranks)),
            );
            (round.iter().zip(&upward).filter(|(a, b)| a != b).count() as u32, round.len() as u32)
        };
        Sums {
            exact: exact.to_f64(),
            nearest: exact.to(self.format),
            magnitude: values.iter().map(|v| f64::from(v.abs())).sum(),
            sums: ALL.map(sum).to_vec(),
            spread: self.spread(&values, draws, error),
            ring: ring(),
            values,
        }
    }

    fn spread(&self, values: &[f32], draws: u32, error: impl Fn(f64) -> f64) -> Spread {
        let adder = Adder::new(self.accumulator);
        let mut stream = Stream::new(self.arrival);
        let mut results: Vec<f64> = (0..draws)
            .map(|_| self.format.nearest(orders::from_zero(adder, &shuffled(values, &mut stream)).into()))
            .collect();
        results.sort_by(f64::total_cmp);
        let mut spread = Spread::default();
        for run in results.chunk_by(|a, b| a == b) {
            match run.first() {
                Some(value) if value.is_finite() => spread.results.push((error(*value), run.len() as u32)),
                _ => spread.broken += run.len() as u32,
            }
        }
        spread
    }
}

/// In a random order.
fn shuffled(values: &[f32], stream: &mut Stream) -> Vec<f32> {
    let mut all = values.to_vec();
    stream.shuffle(&mut all);
    all
}

impl Sums {
    /// The sum of an order.
    pub fn of(&self, order: Order) -> Option<&Sum> {
        self.sums.iter().find(|s| s.order == order)
    }

    /// The distance between neighbours where the sum lies; where that is zero, where the largest number does.
    pub fn unit(&self, format: Format) -> f64 {
        let largest = self.values.iter().fold(0.0_f64, |m, v| m.max(f64::from(v.abs())));
        let at = if self.nearest == 0.0 || !self.nearest.is_finite() { largest } else { self.nearest };
        format.spacing(at)
    }

    /// How many different bit patterns the orders come to; all NaN are one.
    pub fn distinct(&self) -> usize {
        let mut codes: Vec<u64> = self.sums.iter().map(|s| s.code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes.len()
    }

    /// The first bit, from the sign at 1, in which two codes of a format differ; 0 where none does.
    pub fn first_bit(format: Format, a: u64, b: u64) -> u32 {
        let differing = a ^ b;
        if differing == 0 { 0 } else { format.bits() - differing.ilog2() }
    }
}
