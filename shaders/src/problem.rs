//! What is computed: its sizes, its inputs, and what it comes to in f64.

use std::ops::Range;

use ringside_core::coalescing::measured::{self as gather, Gather, ORDERS};
use ringside_core::kernels::config::Config;
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{MAX_SIZE, Needs, Work, attention, decode, matmul, stream, tuner};

use crate::exact;
pub use crate::exact::Reference;
use crate::pipelined::SHAPE;

/// The sizes of a problem, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dims(pub Vec<(&'static str, u64)>);

impl Dims {
    /// A size; 0 if there is none of this name.
    pub fn get(&self, name: &str) -> u64 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, size)| *size)
    }
}

/// A computation with its sizes. What its kernels must come to is defined here, once, in f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// C = A·B.
    Matmul(matmul::Sizes),
    /// C = A·B, by a pipeline of this shape.
    Tuned(matmul::Sizes, Config),
    /// O = softmax(Q·Kᵀ/√d)·V.
    Attention(attention::Sizes),
    /// The same with one query for each head, the last of a long text.
    Decode(decode::Sizes),
    /// Something done to each row of a matrix.
    Rows(Op, rows::Sizes),
    /// Y = X.
    Copy(stream::Copy),
    /// y = x at places of some pattern.
    Gather(Gather),
    /// y = Σx.
    Sum(stream::Sum),
    /// Many multiplications and additions for each value.
    Intensity(stream::Intensity),
}

/// Whether none of these is larger than what can be dispatched.
fn within<const N: usize>(sizes: [u64; N]) -> bool {
    sizes.iter().all(|size| *size < MAX_SIZE)
}

impl Problem {
    /// Of a family and its sizes as `list` of `ringside_core::kernels` has them; none if they are of nothing.
    pub fn read(family: &str, sizes: &[u64]) -> Option<Self> {
        match (family, sizes) {
            ("matmul", &[m, n, k]) => Some(Self::Matmul(matmul::Sizes { m, n, k })),
            (tuner::FAMILY, &[m, n, k, ref shape @ ..]) => {
                Config::read(shape).map(|config| Self::Tuned(matmul::Sizes { m, n, k }, config))
            }
            (decode::Sizes::NAME, &[keys, head_dim, heads, kv_heads, chunk]) => {
                let sizes = decode::Sizes { keys, head_dim, heads, kv_heads, chunk };
                let known = attention::HEAD_DIMS.contains(&head_dim) && kv_heads > 0 && chunk > 0;
                (known && sizes.impossible().is_none()).then_some(Self::Decode(sizes))
            }
            ("attention", &[seq, head_dim, heads, kv_heads, causal]) => {
                let fits = attention::HEAD_DIMS.contains(&head_dim) && kv_heads > 0 && heads.is_multiple_of(kv_heads);
                let sizes = attention::Sizes { seq, head_dim, heads, kv_heads, causal: causal == 1 };
                fits.then_some(Self::Attention(sizes))
            }
            ("copy", &[rows, cols]) => within([rows, cols]).then_some(Self::Copy(stream::Copy { rows, cols })),
            (gather::FAMILY, &[n, order, stride, offset]) => {
                let fits = n.is_power_of_two() && n <= gather::MAX_VALUES && stride <= MAX_SIZE && offset < MAX_SIZE;
                let order = ORDERS.get(order as usize).filter(|_| fits)?;
                Some(Self::Gather(Gather { n, order: *order, stride, offset }))
            }
            ("sum", &[n]) => (n <= stream::MAX_VALUES).then_some(Self::Sum(stream::Sum { n })),
            ("intensity", &[n, fma]) => {
                (n <= stream::MAX_VALUES && fma < MAX_SIZE).then_some(Self::Intensity(stream::Intensity { n, fma }))
            }
            (op, &[rows, cols]) => {
                Op::find(op).filter(|_| within([rows, cols])).map(|op| Self::Rows(op, rows::Sizes { rows, cols }))
            }
            _ => None,
        }
        .filter(|problem| problem.work() > 0)
    }

    /// The family of its kernels.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Matmul(_) => matmul::Sizes::NAME,
            Self::Tuned(..) => tuner::FAMILY,
            Self::Attention(_) => attention::Sizes::NAME,
            Self::Decode(_) => decode::Sizes::NAME,
            Self::Rows(op, _) => op.id(),
            Self::Copy(_) => "copy",
            Self::Gather(_) => gather::FAMILY,
            Self::Sum(_) => "sum",
            Self::Intensity(_) => "intensity",
        }
    }

    /// The sizes by name.
    pub fn dims(&self) -> Dims {
        Dims(match *self {
            Self::Matmul(s) => vec![("m", s.m), ("n", s.n), ("k", s.k)],
            Self::Tuned(s, config) => {
                let shape = SHAPE.into_iter().zip(config.list());
                [("m", s.m), ("n", s.n), ("k", s.k)].into_iter().chain(shape).collect()
            }
            Self::Decode(s) => vec![
                ("keys", s.keys),
                ("head_dim", s.head_dim),
                ("heads", s.heads),
                ("kv_heads", s.kv_heads),
                ("chunk", s.chunk),
            ],
            Self::Attention(s) => vec![
                ("seq", s.seq),
                ("head_dim", s.head_dim),
                ("heads", s.heads),
                ("kv_heads", s.kv_heads),
                ("causal", u64::from(s.causal)),
            ],
            Self::Rows(_, s) => vec![("rows", s.rows), ("cols", s.cols), ("values", s.values())],
            Self::Copy(s) => vec![("rows", s.rows), ("cols", s.cols), ("values", s.values())],
            Self::Gather(s) => {
                vec![("n", s.n), ("order", s.order as u64), ("stride", s.stride), ("offset", s.offset)]
            }
            Self::Sum(s) => vec![("n", s.n)],
            Self::Intensity(s) => vec![("n", s.n), ("fma", s.fma)],
        })
    }

    /// The inputs' names and lengths.
    pub fn inputs(&self) -> Vec<(&'static str, u64)> {
        match *self {
            Self::Matmul(s) | Self::Tuned(s, _) => vec![("a", s.m * s.k), ("b", s.k * s.n)],
            Self::Decode(s) => {
                let cache = s.kv_heads * s.keys * s.head_dim;
                vec![("q", s.heads * s.head_dim), ("k", cache), ("v", cache)]
            }
            Self::Attention(s) => {
                let row = s.seq * s.head_dim;
                vec![("q", s.heads * row), ("k", s.kv_heads * row), ("v", s.kv_heads * row)]
            }
            Self::Rows(Op::Softmax, s) => vec![("x", s.values())],
            Self::Rows(Op::LayerNorm, s) => vec![("x", s.values()), ("gamma", s.cols), ("beta", s.cols)],
            Self::Rows(Op::Chain, s) => vec![("x", s.values()), ("b", s.cols), ("g", s.values()), ("r", s.values())],
            Self::Copy(s) => vec![("x", s.values())],
            Self::Gather(s) => vec![("x", s.n)],
            Self::Sum(s) => vec![("x", s.n)],
            Self::Intensity(s) => vec![("x", s.n)],
        }
    }

    /// The output's name and length.
    pub fn output(&self) -> (&'static str, u64) {
        match *self {
            Self::Matmul(s) | Self::Tuned(s, _) => ("c", s.m * s.n),
            Self::Decode(s) => ("o", s.heads * s.head_dim),
            Self::Attention(s) => ("o", s.heads * s.seq * s.head_dim),
            Self::Rows(_, s) => ("y", s.values()),
            Self::Copy(s) => ("y", s.values()),
            Self::Gather(s) => ("y", s.n),
            Self::Sum(_) => ("y", 1),
            Self::Intensity(s) => ("y", s.n),
        }
    }

    /// Floating-point operations.
    pub fn flop(&self) -> u64 {
        match self {
            Self::Matmul(s) | Self::Tuned(s, _) => s.flop(),
            Self::Attention(s) => s.flop(),
            Self::Decode(s) => s.flop(),
            Self::Rows(op, s) => op.flop() * s.values(),
            Self::Copy(_) | Self::Gather(_) => 0,
            Self::Sum(s) => s.n,
            Self::Intensity(s) => s.flop(),
        }
    }

    /// How long it may take, in operations: as many as it does, or values that it moves.
    pub fn work(&self) -> u64 {
        let moved: u64 = self.inputs().iter().map(|(_, len)| len).sum::<u64>() + self.output().1;
        let nothing = self.inputs().iter().any(|(_, len)| *len == 0) || self.output().1 == 0;
        if nothing { 0 } else { self.flop().max(moved) }
    }

    /// What the model says that the kernel with this id asks of memory; none if the family has no such kernel.
    pub fn needs(&self, kernel: &str) -> Option<Needs> {
        fn of<W: Work>(sizes: W, kernel: &str) -> Option<Needs> {
            W::kernel(kernel).map(|kernel| sizes.needs(kernel))
        }
        match *self {
            Self::Matmul(s) => of(s, kernel),
            Self::Tuned(s, config) => Some(s.needs(&tuner::kernel(config))),
            Self::Attention(s) => of(s, kernel),
            Self::Decode(s) => of(s, kernel),
            Self::Rows(op, s) => op.kernel(kernel).map(|kernel| kernel.needs(s)),
            Self::Copy(s) => stream::find("copy", kernel).map(|kernel| s.needs(kernel.id)),
            Self::Gather(s) => (kernel == gather::KERNEL).then(|| s.needs()),
            Self::Sum(s) => stream::find("sum", kernel).map(|kernel| s.needs(kernel.id)),
            Self::Intensity(s) => stream::find("intensity", kernel).map(|_| s.needs()),
        }
    }

    /// Inputs by a seed, from −1 to 1 and never within 2⁻¹² of 0, where f16 has fewer bits. Queries and keys are three
    /// times as large, so that the softmax has peaks; what softmax is taken of, four times.
    pub fn data(&self, seed: u32) -> Vec<Vec<f32>> {
        let values = |(i, (name, len)): (usize, (&str, u64))| {
            let factor = match (self, name) {
                (Self::Attention(_) | Self::Decode(_), "q" | "k") => 3.0,
                (Self::Rows(Op::Softmax, _), _) => 4.0,
                _ => 1.0,
            };
            let mut random = Random::new(seed.wrapping_add(i as u32));
            (0..len).map(|_| factor * random.next()).collect()
        };
        self.inputs().into_iter().enumerate().map(values).collect()
    }

    /// Rows of the output.
    pub fn rows(&self) -> u64 {
        match self {
            Self::Matmul(s) | Self::Tuned(s, _) => s.m,
            Self::Attention(s) => s.heads * s.seq,
            Self::Decode(s) => s.heads,
            Self::Rows(_, s) => s.rows,
            Self::Copy(s) => s.rows,
            Self::Gather(s) => s.n,
            Self::Sum(_) => 1,
            Self::Intensity(s) => s.n,
        }
    }

    /// Multiplications that a row of [`Self::reference`] takes, or about as long.
    pub fn row_cost(&self) -> u64 {
        match self {
            Self::Matmul(s) | Self::Tuned(s, _) => s.n * s.k,
            Self::Attention(s) => 2 * s.seq * s.head_dim,
            Self::Decode(s) => 2 * s.keys * s.head_dim,
            Self::Rows(op, s) => op.flop() * s.cols,
            Self::Copy(s) => s.cols,
            Self::Gather(_) => 64,
            Self::Sum(s) => s.n,
            Self::Intensity(s) => s.fma.max(64),
        }
    }

    /// A row of what the inputs come to. Empty for a row that there is not, or inputs that do not fit.
    pub fn reference(&self, inputs: &[Vec<f32>], row: u64) -> Reference {
        let fit = self.inputs().iter().zip(inputs).all(|((_, len), data)| data.len() as u64 == *len);
        if row >= self.rows() || !fit {
            return Reference::default();
        }
        match (*self, inputs) {
            (Self::Matmul(sizes) | Self::Tuned(sizes, _), [a, b]) => product(sizes, a, b, row as usize),
            (Self::Attention(sizes), [q, k, v]) => {
                let (seq, query) = (sizes.seq as usize, row as usize % sizes.seq as usize);
                let kv = row as usize / seq * sizes.kv_heads as usize / sizes.heads as usize * seq;
                weighted(
                    sizes.head_dim as usize,
                    [q, k, v],
                    row as usize,
                    kv..kv + if sizes.causal { query + 1 } else { seq },
                )
            }
            (Self::Decode(sizes), [q, k, v]) => {
                let kv = (row * sizes.kv_heads / sizes.heads * sizes.keys) as usize;
                weighted(sizes.head_dim as usize, [q, k, v], row as usize, kv..kv + sizes.keys as usize)
            }
            (Self::Rows(op, sizes), inputs) => exact::row(op, inputs, row as usize, sizes.cols as usize),
            (Self::Copy(sizes), [x]) => {
                let cols = sizes.cols as usize;
                let values = x[row as usize * cols..][..cols].iter().map(|x| f64::from(*x)).collect();
                Reference { values, weights: vec![0.0; cols] }
            }
            (Self::Gather(sizes), [x]) => {
                Reference { values: vec![f64::from(x[sizes.place(row) as usize])], weights: vec![0.0] }
            }
            (Self::Sum(_), [x]) => exact::sum(x),
            (Self::Intensity(sizes), [x]) => exact::ladder(sizes, x[row as usize]),
            _ => Reference::default(),
        }
    }
}

/// A row of A·B, and of |A|·|B|.
fn product(sizes: matmul::Sizes, a: &[f32], b: &[f32], row: usize) -> Reference {
    let (n, k) = (sizes.n as usize, sizes.k as usize);
    let (mut values, mut weights) = (vec![0.0; n], vec![0.0; n]);
    for (a, b) in a[row * k..][..k].iter().zip(b.chunks_exact(n.max(1))) {
        let a = f64::from(*a);
        for ((b, value), weight) in b.iter().zip(&mut values).zip(&mut weights) {
            let term = a * f64::from(*b);
            *value += term;
            *weight += term.abs();
        }
    }
    Reference { values, weights }
}

/// The output of the query in a row of Q that sees these rows of K and V; how far it may be off is a share of its largest value.
fn weighted(d: usize, [q, k, v]: [&[f32]; 3], row: usize, seen: Range<usize>) -> Reference {
    let q = &q[row * d..][..d];
    let dot = |k: &[f32]| q.iter().zip(k).map(|(q, k)| f64::from(*q) * f64::from(*k)).sum::<f64>();
    let scale = 1.0 / (d as f64).sqrt();
    let scores: Vec<f64> = k[seen.start * d..seen.end * d].chunks_exact(d).map(|k| dot(k) * scale).collect();
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let mut values = vec![0.0; d];
    for (weight, v) in weights.iter().zip(v[seen.start * d..].chunks_exact(d)) {
        for (value, v) in values.iter_mut().zip(v) {
            *value += weight / sum * f64::from(*v);
        }
    }
    let largest = values.iter().map(|v| v.abs()).fold(0.0, f64::max);
    Reference { weights: vec![largest; d], values }
}

/// Numbers that look random and are the same everywhere (splitmix32).
pub struct Random(u32);

impl Random {
    /// The sequence that a seed begins.
    pub fn new(seed: u32) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9))
    }

    /// From −1 to 1, and never within 2⁻¹² of 0.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        let mut x = self.0;
        x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad);
        x = (x ^ (x >> 15)).wrapping_mul(0x735a_2d97);
        x ^= x >> 15;
        let size = ((x >> 9) as f32 + 0.5) / (1 << 23) as f32;
        let least = 2_f32.powi(-12);
        let value = least + (1.0 - least) * size;
        if x & 1 == 0 { value } else { -value }
    }
}
