//! One query against a cache: the descriptors of its kernels, and their twin.

use ringside_core::kernels::decode::{MERGERS, Scheme, Sizes};
use ringside_core::kernels::{Traffic, WORD, Work as _};

use crate::attention::{HIDDEN, K, O, ONE, Q, V};
use crate::descriptor::{Binding, Dims, Kernel, Parameter, Pass, Resource, Size};
use crate::lanes::reduce;
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, number};

const SIZES: Binding = Binding {
    number: 4,
    resource: Resource::Parameters(&[
        Parameter::Dim("keys"),
        Parameter::Dim("head_dim"),
        Parameter::Dim("heads"),
        Parameter::Dim("kv_heads"),
        Parameter::Dim("chunk"),
        Parameter::First,
        Parameter::RootInverse("head_dim"),
    ]),
};
const PARTIAL: Binding = Binding { number: 5, resource: Resource::Write("partial") };
const PAIRS: Binding = Binding { number: 6, resource: Resource::Write("pairs") };

/// Invocations of a workgroup.
const LANES: u64 = 64;
const HEADS: Size = Size::Dim("heads");
const CHUNKS: Size = Size::TilesBy("keys", |dims| dims.get("chunk"));

const MERGE: Pass = Pass {
    entry: "merge",
    workgroup: [MERGERS as u32, 1, 1],
    grid: [ONE, HEADS, ONE],
    bindings: &[O, SIZES, PARTIAL, PAIRS],
};

const fn split(workgroups: Size) -> Pass {
    Pass {
        entry: "main",
        workgroup: [LANES as u32, 1, 1],
        grid: [CHUNKS, workgroups, ONE],
        bindings: &[Q, K, V, SIZES, PARTIAL, PAIRS],
    }
}

const SCRATCH: &[(&str, Size)] = &[
    ("partial", Size::Product(&[HEADS, CHUNKS, Size::Dim("head_dim")])),
    ("pairs", Size::Product(&[HEADS, CHUNKS, Size::Of(2)])),
];

const fn kernel(template: &'static str) -> Kernel {
    Kernel { template, ..Kernel::plain(Sizes::NAME, |problem, inputs| twin(problem, inputs, Scheme::Whole)) }
}

/// The kernels of `ringside_core::kernels::decode`, in its order.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        id: "whole",
        constants: |dims| constants(dims, Scheme::Whole),
        passes: &[Pass {
            entry: "main",
            workgroup: [LANES as u32, 1, 1],
            grid: [ONE, HEADS, ONE],
            bindings: &[Q, K, V, O, SIZES],
        }],
        ..kernel(wgsl!("attention_decode"))
    },
    Kernel {
        id: "split",
        constants: |dims| constants(dims, Scheme::Split),
        scratch: SCRATCH,
        passes: &[split(HEADS), MERGE],
        twin: |problem, inputs| twin(problem, inputs, Scheme::Split),
        ..kernel(wgsl!("attention_decode"))
    },
    Kernel {
        id: "shared",
        constants: |dims| constants(dims, Scheme::Shared),
        scratch: SCRATCH,
        passes: &[split(Size::By(|dims| dims.get("heads") / sizes(dims).together(Scheme::Shared))), MERGE],
        twin: |problem, inputs| twin(problem, inputs, Scheme::Shared),
        ..kernel(wgsl!("attention_decode"))
    },
];

fn sizes(dims: &Dims) -> Sizes {
    let [keys, head_dim, heads, kv_heads, chunk] =
        ["keys", "head_dim", "heads", "kv_heads", "chunk"].map(|name| dims.get(name));
    Sizes { keys, head_dim: head_dim.max(1), heads, kv_heads, chunk }
}

fn constants(dims: &Dims, scheme: Scheme) -> Vec<Constant> {
    let sizes = sizes(dims);
    let (d4, keys, share) = (sizes.head_dim / 4, sizes.tile(), sizes.together(scheme));
    let whole = scheme == Scheme::Whole;
    vec![
        number("D4", d4),
        number("KEYS", keys),
        number("SHARE", share),
        number("PARTS", LANES / d4.max(1)),
        number("Q_TILE", share * d4),
        number("BESIDE", LANES / keys),
        number("P_TILE", share * LANES),
        number("S_TILE", share * keys / 4),
        number("MERGERS", MERGERS),
        reduce(MERGERS),
        number("WHOLE", whole.into()),
        number("SPLIT", (!whole).into()),
    ]
}

/// The maximum, the sum of weights and the weighted sum of values of some keys.
struct Partial {
    most: f32,
    sum: f32,
    all: Vec<f32>,
}

impl Partial {
    fn none(d: usize) -> Self {
        Self { most: HIDDEN, sum: 0.0, all: vec![0.0; d] }
    }

    /// Takes in another.
    fn merge(&mut self, other: &Self) {
        let now = self.most.max(other.most);
        let (kept, share) = ((self.most - now).exp(), (other.most - now).exp());
        self.most = now;
        self.sum = self.sum * kept + other.sum * share;
        self.all.iter_mut().zip(&other.all).for_each(|(mine, theirs)| *mine = *mine * kept + theirs * share);
    }
}

/// What the kernels of `scheme` do: chunk by chunk, in each tile by tile; and what their workgroups ask for.
fn twin(problem: &Problem, inputs: &[Vec<f32>], scheme: Scheme) -> (Vec<f32>, Traffic) {
    let (Problem::Decode(sizes), [q, k, v]) = (problem, inputs) else { return Default::default() };
    let Sizes { keys, head_dim, heads, kv_heads, .. } = *sizes;
    let d = head_dim as usize;
    let scale = (1.0 / head_dim.max(1) as f32).sqrt();
    let chunk = if scheme == Scheme::Whole { keys } else { sizes.chunk };
    let together = sizes.together(scheme);
    let mut traffic = Traffic::default();
    let mut o = Vec::with_capacity((heads * head_dim) as usize);
    for head in 0..heads {
        let q: Vec<f32> = q[(head * head_dim) as usize..][..d].iter().map(|q| q * scale).collect();
        let cache = |data: &[f32], key: u64| {
            let row = (head * kv_heads / heads * keys + key) as usize * d;
            data[row..][..d].to_vec()
        };
        let mut whole = Partial::none(d);
        for start in (0..keys).step_by(chunk.max(1) as usize) {
            let end = (start + chunk).min(keys);
            // One of the heads that go together asks for the keys of all.
            let asks = if head.is_multiple_of(together) { 2 * (end - start) } else { 0 };
            traffic.read += WORD * head_dim * (1 + asks);
            let mut part = Partial::none(d);
            for tile in (start..end).step_by(sizes.tile() as usize) {
                let range = tile..(tile + sizes.tile()).min(end);
                let scores: Vec<f32> =
                    range.clone().map(|key| q.iter().zip(cache(k, key)).map(|(q, k)| q * k).sum()).collect();
                let mut now = Partial::none(d);
                now.most = scores.iter().copied().fold(part.most, f32::max);
                for (key, score) in range.zip(scores) {
                    let weight = (score - now.most).exp();
                    now.sum += weight;
                    now.all.iter_mut().zip(cache(v, key)).for_each(|(o, v)| *o += weight * v);
                }
                part.merge(&now);
            }
            if scheme != Scheme::Whole {
                traffic.written += WORD * (head_dim + 2);
                traffic.read += WORD * (1 + 2 * head_dim / 4 + head_dim);
            }
            whole.merge(&part);
        }
        traffic.written += WORD * head_dim;
        o.extend(whole.all.iter().map(|value| value / whole.sum));
    }
    (o, traffic)
}
