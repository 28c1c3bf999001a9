//! O = softmax(Q·Kᵀ/√d)·V: the descriptors of its kernels, and their twins.

use ringside_core::kernels::attention::{Scheme, Sizes, own_queries, registers_tile};
use ringside_core::kernels::{Traffic, WORD, Work as _};

use crate::descriptor::{Binding, Dims, Kernel, Parameter, Pass, Resource, Size};
use crate::half;
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, number};

const SIZES: Binding = Binding {
    number: 4,
    resource: Resource::Parameters(&[
        Parameter::Dim("seq"),
        Parameter::Dim("head_dim"),
        Parameter::Dim("heads"),
        Parameter::Dim("kv_heads"),
        Parameter::Dim("causal"),
        Parameter::First,
        Parameter::RootInverse("head_dim"),
    ]),
};
pub(crate) const Q: Binding = Binding { number: 0, resource: Resource::Read("q") };
pub(crate) const K: Binding = Binding { number: 1, resource: Resource::Read("k") };
pub(crate) const V: Binding = Binding { number: 2, resource: Resource::Read("v") };
pub(crate) const O: Binding = Binding { number: 3, resource: Resource::Write("o") };
const HALF_K: Binding = Binding { number: 5, resource: Resource::Write("half_k") };
const HALF_V: Binding = Binding { number: 6, resource: Resource::Write("half_v") };
const SCORES: Binding = Binding { number: 5, resource: Resource::Write("scores") };

const HEADS: Size = Size::Dim("heads");
pub(crate) const ONE: Size = Size::Of(1);

/// What Chromium wants said before shuffles, and naga not: whoever compiles natively leaves it out.
pub const SUBGROUPS: &str = "enable subgroups;";

/// Invocations of a workgroup of the kernels that go along rows on their own.
const LANES: u64 = 32;
/// What a masked score is in the kernels.
pub(crate) const HIDDEN: f32 = -3.4e38;

const fn alone(workgroup: [u32; 3], blocks: Size) -> Pass {
    Pass { entry: "main", workgroup, grid: [ONE, blocks, HEADS], bindings: &[Q, K, V, O, SIZES] }
}

/// What all of them have in common.
const PLAIN: Kernel = Kernel::plain(Sizes::NAME, |problem, inputs| twin(problem, inputs, Scheme::Written));

/// The kernels of `ringside_core::kernels::attention`, in its order.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        id: "three-pass",
        template: wgsl!("attention_three_pass"),
        scratch: &[("scores", Size::Product(&[HEADS, Size::Dim("seq"), Size::Dim("seq")]))],
        passes: &[
            Pass {
                entry: "score",
                workgroup: [16, 16, 1],
                grid: [Size::Tiles("seq", 16), Size::Tiles("seq", 16), HEADS],
                bindings: &[Q, K, SIZES, SCORES],
            },
            Pass {
                entry: "normalise",
                workgroup: [64, 1, 1],
                grid: [ONE, Size::Dim("seq"), HEADS],
                bindings: &[SIZES, SCORES],
            },
            Pass {
                entry: "weigh",
                workgroup: [16, 16, 1],
                grid: [Size::Tiles("head_dim", 16), Size::Tiles("seq", 16), HEADS],
                bindings: &[V, O, SIZES, SCORES],
            },
        ],
        ..PLAIN
    },
    Kernel {
        id: "online",
        template: wgsl!("attention_online"),
        constants: |dims| online_constants("online", dims),
        passes: &[alone([LANES as u32, 1, 1], Size::Tiles("seq", LANES))],
        twin: |problem, inputs| twin(problem, inputs, scheme("online")),
        ..PLAIN
    },
    Kernel {
        id: "rows",
        template: wgsl!("attention_online"),
        constants: |dims| online_constants("rows", dims),
        passes: &[alone([LANES as u32, 1, 1], Size::Tiles("seq", 4 * LANES))],
        twin: |problem, inputs| twin(problem, inputs, scheme("rows")),
        ..PLAIN
    },
    Kernel {
        id: "flash",
        template: wgsl!("attention_flash"),
        constants: |dims| tiled_constants("flash", dims),
        passes: &[alone([64, 1, 1], Size::Tiles("seq", 64))],
        twin: |problem, inputs| twin(problem, inputs, scheme("flash")),
        ..PLAIN
    },
    Kernel {
        id: "flash-2",
        template: wgsl!("attention_flash_2"),
        constants: |dims| tiled_constants("flash-2", dims),
        passes: &[alone([8, 8, 1], Size::TilesBy("seq", |dims| tile("flash-2", dims).0))],
        twin: |problem, inputs| twin(problem, inputs, scheme("flash-2")),
        ..PLAIN
    },
    Kernel {
        id: "registers",
        template: wgsl!("attention_registers"),
        constants: |dims| registers_constants("registers", dims),
        passes: &[alone([64, 1, 1], REGISTERS_BLOCKS)],
        twin: |problem, inputs| twin(problem, inputs, scheme("registers")),
        ..PLAIN
    },
    Kernel {
        id: "subgroups",
        template: wgsl!("attention_registers"),
        constants: |dims| registers_constants("subgroups", dims),
        passes: &[alone([64, 1, 1], REGISTERS_BLOCKS)],
        subgroups: true,
        twin: |problem, inputs| twin(problem, inputs, scheme("subgroups")),
        ..PLAIN
    },
    Kernel {
        id: "registers-f16",
        constants: |dims| registers_constants("registers-f16", dims),
        twin: |problem, inputs| twin(problem, inputs, scheme("registers-f16")),
        ..HALF
    },
    Kernel {
        id: "subgroups-f16",
        constants: |dims| registers_constants("subgroups-f16", dims),
        subgroups: true,
        twin: |problem, inputs| twin(problem, inputs, scheme("subgroups-f16")),
        ..HALF
    },
];

const REGISTERS_BLOCKS: Size = Size::TilesBy("seq", |dims| registers_tile(dims.get("head_dim").max(1), false).0);

/// As many values as f32 in half of the room.
const COPY: Size = Size::Product(&[Size::Dim("kv_heads"), Size::Dim("seq"), Size::By(|dims| dims.get("head_dim") / 2)]);

/// What those in f16 have in common: the copies of K and V, and the pass that makes them.
const HALF: Kernel = Kernel {
    template: wgsl!("attention_registers"),
    scratch: &[("half_k", COPY), ("half_v", COPY)],
    passes: &[
        Pass {
            entry: "convert",
            workgroup: [64, 1, 1],
            grid: [ONE, Size::TilesBy("seq", |dims| 256 / dims.get("head_dim").max(1)), Size::Dim("kv_heads")],
            bindings: &[K, V, SIZES, HALF_K, HALF_V],
        },
        Pass {
            entry: "main",
            workgroup: [64, 1, 1],
            grid: [ONE, REGISTERS_BLOCKS, HEADS],
            bindings: &[Q, O, SIZES, HALF_K, HALF_V],
        },
    ],
    f16: true,
    ..PLAIN
};

fn scheme(id: &str) -> Scheme {
    Sizes::kernel(id).map_or(Scheme::Written, |k| k.scheme)
}

/// Queries and keys of a tile.
fn tile(id: &str, dims: &Dims) -> (u64, u64) {
    match scheme(id) {
        Scheme::Tiled { queries, keys, .. } => (queries(dims.get("head_dim")), keys(dims.get("head_dim"))),
        Scheme::Online { queries, keys } => (queries, keys),
        Scheme::Registers { half, .. } => registers_tile(dims.get("head_dim").max(1), half),
        Scheme::Written => (1, 1),
    }
}

fn online_constants(id: &str, dims: &Dims) -> Vec<Constant> {
    let (queries, keys) = tile(id, dims);
    vec![number("ROWS", queries), number("KEYS", keys), number("LANES", LANES), number("D4", dims.get("head_dim") / 4)]
}

fn tiled_constants(id: &str, dims: &Dims) -> Vec<Constant> {
    let (queries, keys) = tile(id, dims);
    let d4 = dims.get("head_dim") / 4;
    vec![
        number("D4", d4),
        number("KEYS", keys),
        number("TILE", keys * d4),
        number("QUERIES", queries),
        number("PITCH", d4 + 1),
        number("Q_TILE", queries * (d4 + 1)),
        number("KV_TILE", keys * (d4 + 1)),
        number("S_TILE", queries * keys),
        number("ROWS", queries / 8),
        number("COLS", keys / 8),
        number("W4", d4 / 8),
    ]
}

fn registers_constants(id: &str, dims: &Dims) -> Vec<Constant> {
    let Scheme::Registers { shuffled, half } = scheme(id) else { return Vec::new() };
    let (queries, keys) = tile(id, dims);
    let d4 = dims.get("head_dim") / 4;
    let rows = own_queries(dims.get("head_dim"));
    let vectors = keys * d4;
    vec![
        ("ENABLE", [if half { "enable f16;" } else { "" }, if shuffled { SUBGROUPS } else { "" }].concat()),
        ("T", if half { "f16" } else { "f32" }.to_owned()),
        ("STORED", if half { "half_" } else { "" }.to_owned()),
        number("CONVERT", half.into()),
        number("D4", d4),
        number("D16", d4 / 4),
        number("ROWS", rows),
        number("KEYS", keys),
        number("QUERIES", queries),
        number("LOADS", vectors / 64),
        number("TILES", if shuffled { 2 * vectors } else { vectors }),
        number("OTHER", if shuffled { vectors } else { 0 }),
        number("SHUFFLE", shuffled.into()),
        number("EXCHANGE", (!shuffled).into()),
        number("HALF", rows * 64),
        number("QUARTERS", 2 * rows * 64),
    ]
}

/// What the kernels of `scheme` do, in f32 and in their order.
fn twin(problem: &Problem, inputs: &[Vec<f32>], scheme: Scheme) -> (Vec<f32>, Traffic) {
    let (Problem::Attention(sizes), [q, k, v]) = (problem, inputs) else { return Default::default() };
    let twin = Twin { sizes: *sizes, q, k, v };
    match scheme {
        Scheme::Written => twin.written(),
        Scheme::Online { queries, keys } => {
            twin.blocks(&Block { clamped: true, padded: false, ..Block::of(queries, keys) })
        }
        Scheme::Tiled { queries, keys, shared } => {
            let (queries, keys) = (queries(sizes.head_dim), keys(sizes.head_dim));
            let partial = if shared { 8 } else { 1 };
            twin.blocks(&Block { partial, divide_always: !shared, clamped: !shared, ..Block::of(queries, keys) })
        }
        Scheme::Registers { half: false, .. } => {
            let (queries, keys) = registers_tile(sizes.head_dim, false);
            twin.blocks(&Block { step: 4, ..Block::of(queries, keys) })
        }
        Scheme::Registers { half: true, .. } => {
            let (queries, keys) = registers_tile(sizes.head_dim, true);
            let [k, v] = [k, v].map(|values| values.iter().map(|value| half::round(*value)).collect::<Vec<f32>>());
            let twin = Twin { sizes: *sizes, q, k: &k, v: &v };
            let (o, traffic) = twin.blocks(&Block { step: 4, half: true, ..Block::of(queries, keys) });
            let copied = (k.len() + v.len()) as u64;
            let copies = Traffic { read: WORD * copied, written: WORD / 2 * copied };
            (o, [copies, traffic].into_iter().sum())
        }
    }
}

/// How a kernel goes along the keys.
struct Block {
    /// Queries that read each key together.
    queries: u64,
    /// Keys that are read at a time.
    keys: u64,
    /// Keys between two adjustments of the maximum.
    step: u64,
    /// Invocations that add up the weights of a query, each of its own keys.
    partial: usize,
    /// Whether the output is divided by the sum after every tile.
    divide_always: bool,
    /// Whether nothing is read for keys beyond the end; else the last one is.
    padded: bool,
    /// Whether the last query is read for those beyond the end.
    clamped: bool,
    /// Whether keys and values are read in f16, and products of scores made in it.
    half: bool,
}

impl Block {
    /// Blocks of so many queries and keys, and of nothing else that is special.
    fn of(queries: u64, keys: u64) -> Self {
        Self { queries, keys, step: keys, partial: 1, divide_always: false, padded: true, clamped: false, half: false }
    }

    /// A query, scaled, times a key: in f16 four products at a time, whose sums are added up in f32.
    fn score(&self, q: &[f32], k: &[f32]) -> f32 {
        if !self.half {
            return q.iter().zip(k).map(|(q, k)| q * k).sum();
        }
        let four = |q: &[f32], k: &[f32]| {
            let products = q.iter().zip(k).map(|(q, k)| half::round(half::round(*q) * k));
            products.fold(0.0, |sum, product| half::round(sum + product))
        };
        q.chunks(4).zip(k.chunks(4)).map(|(q, k)| four(q, k)).sum()
    }
}

struct Twin<'a> {
    sizes: Sizes,
    q: &'a [f32],
    k: &'a [f32],
    v: &'a [f32],
}

impl Twin<'_> {
    fn kv_row<'b>(&self, data: &'b [f32], head: u64, key: u64) -> &'b [f32] {
        let Sizes { seq, head_dim, heads, kv_heads, .. } = self.sizes;
        let row = head * kv_heads / heads.max(1) * seq + key;
        &data[(row * head_dim) as usize..][..head_dim as usize]
    }

    fn hidden(&self, query: u64, key: u64) -> bool {
        key >= self.sizes.seq || self.sizes.causal && key > query
    }

    fn scale(&self) -> f32 {
        (1.0 / self.sizes.head_dim.max(1) as f32).sqrt()
    }

    fn written(&self) -> (Vec<f32>, Traffic) {
        let Sizes { seq, head_dim, heads, causal, .. } = self.sizes;
        let d = head_dim as usize;
        let mut traffic = Traffic::default();
        let mut o = Vec::with_capacity((heads * seq * head_dim) as usize);
        for row in 0..heads * seq {
            let (head, query) = (row / seq, row % seq);
            let q = &self.q[row as usize * d..][..d];
            let mut scores: Vec<f32> = (0..seq)
                .map(|key| {
                    traffic.written += WORD;
                    if self.hidden(query, key) {
                        return HIDDEN;
                    }
                    traffic.read += WORD * 2 * head_dim;
                    q.iter().zip(self.kv_row(self.k, head, key)).map(|(q, k)| q * k).sum::<f32>() * self.scale()
                })
                .collect();
            let most = scores.iter().copied().fold(HIDDEN, f32::max);
            scores.iter_mut().for_each(|s| *s = (*s - most).exp());
            let sum: f32 = scores.iter().sum();
            scores.iter_mut().for_each(|s| *s /= sum);
            traffic.read += WORD * 3 * seq;
            traffic.written += WORD * 2 * seq;
            let keys = if causal { query + 1 } else { seq };
            for col in 0..d {
                let terms = (0..keys).zip(&scores).map(|(key, weight)| weight * self.kv_row(self.v, head, key)[col]);
                o.push(terms.sum());
            }
            traffic.read += WORD * 2 * keys * head_dim;
            traffic.written += WORD * head_dim;
        }
        (o, traffic)
    }

    fn blocks(&self, block: &Block) -> (Vec<f32>, Traffic) {
        let Sizes { seq, head_dim, heads, causal, .. } = self.sizes;
        let mut traffic = Traffic::default();
        let mut o = vec![0.0; (heads * seq * head_dim) as usize];
        for head in 0..heads {
            for top in (0..seq).step_by(block.queries as usize) {
                let end = (top + block.queries).min(seq);
                let keys = if causal { end } else { seq };
                let asked = keys.next_multiple_of(block.keys);
                let asked = if block.padded { asked.min(seq) } else { asked };
                let own = if block.clamped { block.queries } else { end - top };
                traffic.read += head_dim * (WORD * own + if block.half { WORD / 2 } else { WORD } * 2 * asked);
                for query in top..end {
                    let at = ((head * seq + query) * head_dim) as usize;
                    self.along(block, head, query, keys, &mut o[at..][..head_dim as usize]);
                    traffic.written += WORD * head_dim;
                }
            }
        }
        (o, traffic)
    }

    /// One query along `keys` keys.
    fn along(&self, block: &Block, head: u64, query: u64, keys: u64, o: &mut [f32]) {
        let d = o.len();
        let row = (head * self.sizes.seq + query) as usize * d;
        let q: Vec<f32> = self.q[row..][..d].iter().map(|q| q * self.scale()).collect();
        let mut most = HIDDEN;
        let mut sums = vec![0.0; block.partial];
        for start in (0..keys).step_by(block.step as usize) {
            let scores: Vec<f32> = (start..start + block.step)
                .map(|key| match self.hidden(query, key) {
                    true => HIDDEN,
                    false => block.score(&q, self.kv_row(self.k, head, key)),
                })
                .collect();
            let now = scores.iter().copied().fold(most, f32::max);
            let shrink = (most - now).exp();
            most = now;
            sums.iter_mut().for_each(|sum| *sum *= shrink);
            let kept = if block.divide_always { sums[0] } else { shrink };
            o.iter_mut().for_each(|o| *o *= kept);
            for (i, score) in scores.iter().enumerate().filter(|(_, score)| **score > HIDDEN) {
                let weight = (score - now).exp();
                sums[i % block.partial] += weight;
                let v = self.kv_row(self.v, head, start + i as u64);
                o.iter_mut().zip(v).for_each(|(o, v)| *o += weight * v);
            }
            if block.divide_always {
                o.iter_mut().for_each(|o| *o /= sums[0]);
            }
        }
        if !block.divide_always {
            let sum: f32 = sums.iter().sum();
            o.iter_mut().for_each(|o| *o /= sum);
        }
    }
}
