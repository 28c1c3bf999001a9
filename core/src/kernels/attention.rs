//! O = softmax(Q·Kᵀ/√d)·V in f32 for several heads, in five kernels that differ in what becomes of the seq × seq matrix
//! of scores.
//!
//! Q and O are of heads × seq × d, K and V of kv_heads × seq × d; heads / kv_heads heads share one K and V (grouped-query
//! attention, Ainslie et al., arXiv:2305.13245). Kernels: Milakov and Gimelshein, "Online normalizer calculation for
//! softmax", arXiv:1805.02867; Dao et al., "FlashAttention", arXiv:2205.14135; Dao, "FlashAttention-2", arXiv:2307.08691.

use super::{Needs, RUN, Traffic, WORD, Work, intensity};
use crate::catalogue::{Entry, Measures, Parameters};
use crate::quantity::{Unit, number, unbroken};
use crate::query::{Kind, ParamSpec, Query, Reader};

/// A way to compute attention.
pub type Kernel = super::Kernel<Scheme>;

/// The parameters of the model.
pub type Params = super::Params<Sizes>;

/// What becomes of the matrix of scores.
#[derive(Debug, Clone, Copy)]
pub enum Scheme {
    /// It is written to memory, normalised there, and read again.
    Written,
    /// Each invocation goes along `queries` rows of it at once and forgets each score when it has been used.
    Online {
        /// Rows of one invocation.
        queries: u64,
        /// Keys that it looks at before it adds up their values.
        keys: u64,
    },
    /// A workgroup takes `queries` rows of it, a tile at a time, with K and V staged in workgroup memory.
    Tiled {
        /// Rows of one workgroup, by head dimension.
        queries: fn(u64) -> u64,
        /// Keys in a tile, by head dimension.
        keys: fn(u64) -> u64,
        /// Whether invocations share rows, and the division by the sum comes last (FlashAttention-2).
        shared: bool,
    },
}

/// The kernels, the least clever first.
const KERNELS: &[Kernel] = &[
    Kernel {
        id: "three-pass",
        label: "Three passes",
        about: "Scores, softmax and weighted sum one after the other; the whole seq × seq matrix is written to memory and \
                read again.",
        scheme: Scheme::Written,
    },
    Kernel {
        id: "online",
        label: "Online softmax",
        about: "One invocation for each query goes along the keys with a running maximum and sum; no score is ever written.",
        scheme: Scheme::Online { queries: 1, keys: 1 },
    },
    Kernel {
        id: "rows",
        label: "Online, four queries",
        about: "As online softmax, with four queries in the registers of an invocation: each key and value that is read \
                serves four.",
        scheme: Scheme::Online { queries: 4, keys: 2 },
    },
    Kernel {
        id: "flash",
        label: "FlashAttention",
        about: "64 queries share tiles of K and V in workgroup memory; outputs are rescaled and divided after every tile.",
        scheme: Scheme::Tiled { queries: |_| 64, keys: |_| 16, shared: false },
    },
    Kernel {
        id: "flash-2",
        label: "FlashAttention-2 style",
        about: "As FlashAttention, with several invocations to a query, blocks of scores in registers, and one division \
                at the very end.",
        scheme: Scheme::Tiled { queries: flash_2_queries, keys: flash_2_keys, shared: true },
    },
];

/// Fewer queries where a head is wide: Q, a tile of K or V, and one of the scores fit into 16 KiB.
fn flash_2_queries(head_dim: u64) -> u64 {
    if head_dim > 64 { 16 } else { 32 }
}

fn flash_2_keys(head_dim: u64) -> u64 {
    match head_dim {
        ..=32 => 32,
        33..=64 => 16,
        _ => 8,
    }
}

/// The head dimensions that the kernels know.
pub const HEAD_DIMS: [u64; 3] = [32, 64, 128];

/// The sizes of an attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Queries, and keys.
    pub seq: u64,
    /// Width of a head, one of [`HEAD_DIMS`].
    pub head_dim: u64,
    /// Heads of Q and O.
    pub heads: u64,
    /// Heads of K and V; divides `heads`.
    pub kv_heads: u64,
    /// Whether a query sees only the keys up to its own.
    pub causal: bool,
}

impl Sizes {
    /// The scores that count, in all heads: seq², or seq(seq + 1)/2 when causal.
    pub fn scores(self) -> u64 {
        self.heads * if self.causal { self.seq * (self.seq + 1) / 2 } else { self.seq * self.seq }
    }
}

impl Work for Sizes {
    type Scheme = Scheme;
    const NAME: &'static str = "attention";
    const KERNELS: &'static [Kernel] = KERNELS;
    const ENTRY: &'static Entry = &ENTRY;

    fn read(reader: &mut Reader) -> Self {
        let seq = reader.integer("seq").max(1);
        let head_dim = reader.choice("head_dim");
        let head_dim = HEAD_DIMS.into_iter().find(|d| d.to_string() == head_dim).unwrap_or(64);
        let heads = reader.integer("heads").max(1);
        let kv_heads = reader.real_or_none("kv_heads").map_or(heads, |n| n as u64).max(1);
        let causal = reader.choice("causal") == "true";
        Self { seq, head_dim, heads, kv_heads, causal }
    }

    fn query(self) -> Query {
        let numbers =
            [("seq", self.seq), ("head_dim", self.head_dim), ("heads", self.heads), ("kv_heads", self.kv_heads)];
        let mut query = Query::new(numbers.map(|(name, size)| (name, size.to_string())));
        query.set("causal", self.causal.to_string());
        query
    }

    fn list(self) -> Vec<u64> {
        vec![self.seq, self.head_dim, self.heads, self.kv_heads, u64::from(self.causal)]
    }

    fn impossible(self) -> Option<String> {
        let Sizes { heads, kv_heads, .. } = self;
        (!heads.is_multiple_of(kv_heads)).then(|| {
            format!(
                "{heads} heads cannot share {kv_heads} heads of K and V evenly: the second number must divide the first."
            )
        })
    }

    /// Those of the two products: 4d for each score that counts.
    fn flop(self) -> u64 {
        4 * self.head_dim * self.scores()
    }

    fn compulsory(self) -> u64 {
        WORD * self.seq * self.head_dim * 2 * (self.heads + self.kv_heads)
    }

    fn needs(self, kernel: &Kernel) -> Needs {
        Needs {
            asked: kernel.traffic(self),
            scratch: kernel.scratch(self),
            workgroup_memory: kernel.workgroup_memory(self.head_dim),
        }
    }

    fn finding(self, kernel: &Kernel) -> String {
        let (asked, least, scratch) = (kernel.traffic(self).total(), self.compulsory(), kernel.scratch(self));
        let bytes = |n: u64| unbroken(&Unit::Bytes.format(n as f64));
        let scores = if scratch > 0 {
            format!("The scores take {} beside {} of Q, K, V and O.", bytes(scratch), bytes(least))
        } else {
            "No score is ever written.".to_owned()
        };
        format!(
            "{} asks memory for {}, {} times what must be moved. {scores} {}",
            kernel.label,
            bytes(asked),
            number(intensity(asked, least)),
            kernel.about
        )
    }
}

impl Kernel {
    /// What its invocations ask memory for.
    pub fn traffic(&self, sizes: Sizes) -> Traffic {
        let Sizes { seq, head_dim, heads, .. } = sizes;
        let out = heads * seq * head_dim;
        match self.scheme {
            // Scores: a row of Q and one of K for each that counts, and a store for each of all. Softmax: three reads and
            // two writes of each. The weighted sum: a score and a value for each that counts and each column.
            Scheme::Written => {
                let all = heads * seq * seq;
                let scores = 2 * head_dim * sizes.scores();
                let sums = 2 * head_dim * sizes.scores();
                Traffic { read: WORD * (scores + 3 * all + sums), written: WORD * (all + 2 * all + out) }
            }
            // Beyond the end, the last query and the last key are read once more.
            Scheme::Online { queries, keys } => {
                let blocks = seq.div_ceil(queries);
                let seen = seen(sizes, queries, |end| end.next_multiple_of(keys));
                Traffic { read: WORD * heads * head_dim * (blocks * queries + 2 * seen), written: WORD * out }
            }
            // Beyond the end, tiles are filled with zeros, and only invocations with a query of their own read one more.
            Scheme::Tiled { queries, keys, shared } => {
                let (queries, keys) = (queries(head_dim), keys(head_dim));
                let seen = seen(sizes, queries, |end| end.next_multiple_of(keys).min(seq));
                let own = if shared { seq } else { seq.next_multiple_of(queries) };
                Traffic { read: WORD * heads * head_dim * (own + 2 * seen), written: WORD * out }
            }
        }
    }

    /// Bytes of memory that it needs beside Q, K, V and O.
    pub fn scratch(&self, sizes: Sizes) -> u64 {
        match self.scheme {
            Scheme::Written => WORD * sizes.heads * sizes.seq * sizes.seq,
            Scheme::Online { .. } | Scheme::Tiled { .. } => 0,
        }
    }

    /// Bytes of workgroup memory that a workgroup occupies.
    pub fn workgroup_memory(&self, head_dim: u64) -> u64 {
        match self.scheme {
            // What the softmax of a row is reduced in.
            Scheme::Written => WORD * 64,
            Scheme::Online { .. } => 0,
            Scheme::Tiled { keys, shared: false, .. } => WORD * 2 * keys(head_dim) * head_dim,
            Scheme::Tiled { queries, keys, shared: true } => {
                // Rows of Q, K and V are one vector longer, so that neighbours read from different banks.
                let (queries, keys) = (queries(head_dim), keys(head_dim));
                WORD * ((queries + keys) * (head_dim + 4) + queries * keys)
            }
        }
    }
}

/// The keys that blocks of `queries` see, added up: all of them, or when causal up to the block's last query, as far as
/// `reach` goes from there.
fn seen(sizes: Sizes, queries: u64, reach: impl Fn(u64) -> u64) -> u64 {
    let blocks = sizes.seq.div_ceil(queries);
    if sizes.causal {
        (1..=blocks).map(|block| reach((block * queries).min(sizes.seq))).sum()
    } else {
        blocks * reach(sizes.seq)
    }
}

/// The largest error that is taken for rounding, over the largest |O|.
pub const TOLERANCE: f64 = 1e-4;

/// The longest sequence, and the most heads, that the widget takes.
pub const MAX_SEQ: u64 = 16_384;
/// See [`MAX_SEQ`].
pub const MAX_HEADS: u64 = 64;

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "kernel",
        doc: "the kernel",
        kind: Kind::Choice(&["three-pass", "online", "rows", "flash", "flash-2"]),
        default: "flash",
    },
    ParamSpec { name: "seq", doc: "queries, and keys", kind: Kind::Integer { min: 1, max: MAX_SEQ }, default: "512" },
    ParamSpec { name: "head_dim", doc: "width of a head", kind: Kind::Choice(&["32", "64", "128"]), default: "64" },
    ParamSpec { name: "heads", doc: "heads of Q", kind: Kind::Integer { min: 1, max: MAX_HEADS }, default: "1" },
    ParamSpec {
        name: "kv_heads",
        doc: "heads of K and V; as many as of Q if left out",
        kind: Kind::Integer { min: 1, max: MAX_HEADS },
        default: "",
    },
    ParamSpec {
        name: "causal",
        doc: "whether a query sees only the keys up to its own",
        kind: Kind::Choice(&["false", "true"]),
        default: "false",
    },
    RUN,
];

/// This model in the catalogue. What is measured is no quantity of it: that differs by machine.
pub const ENTRY: Entry = Entry {
    id: "attention-kernels",
    title: "Attention on your GPU",
    summary: "The same attention by five kernels, with and without the matrix of scores: checked, and timed on your own GPU.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("flop", "Work", Unit::Flop),
        ("compulsory", "Must be moved", Unit::Bytes),
        ("asked", "Asked of memory", Unit::Bytes),
        ("intensity", "FLOP for each byte asked", Unit::Ratio),
        ("best-intensity", "FLOP for each byte, at best", Unit::Ratio),
        ("scratch", "Memory for scores", Unit::Bytes),
        ("workgroup-memory", "Workgroup memory", Unit::Bytes),
    ]),
    evaluate: Params::evaluate,
};

#[cfg(test)]
mod tests {
    use super::*;

    const GPT2: Sizes = Sizes { seq: 1024, head_dim: 64, heads: 12, kv_heads: 12, causal: false };

    #[test]
    fn tiles_divide_the_traffic_and_need_no_scratch() {
        let flash = Sizes::kernel("flash").map(|k| k.traffic(GPT2).total()).unwrap_or_default();
        let online = Sizes::kernel("online").map(|k| k.traffic(GPT2).total()).unwrap_or_default();
        let written = Sizes::kernel("three-pass").map(|k| k.traffic(GPT2).total()).unwrap_or_default();
        assert!(flash * 50 < online && online < written, "{flash} {online} {written}");
        assert_eq!(Sizes::kernel("three-pass").map(|k| k.scratch(GPT2)), Some(12 * (4 << 20)));
    }

    #[test]
    fn the_choices_are_the_kernels() {
        assert_eq!(PARAMS[0].kind, Kind::Choice(&KERNELS.iter().map(|k| k.id).collect::<Vec<_>>().leak()[..]));
        let params = Params { kernel: "three-pass", sizes: GPT2, run: true };
        assert!(
            params.finding().contains("The scores take 50.3\u{a0}MB beside 12.6\u{a0}MB of Q"),
            "{}",
            params.finding()
        );
        assert_eq!(Params::read(&params.query()), (params, vec![]));
        let odd = Params { sizes: Sizes { kv_heads: 5, ..GPT2 }, ..params };
        assert!(odd.sizes.impossible().is_some());
    }

    #[test]
    fn everything_fits_into_sixteen_kibibytes() {
        for kernel in KERNELS {
            for head_dim in HEAD_DIMS {
                assert!(kernel.workgroup_memory(head_dim) <= 16_384, "{} {head_dim}", kernel.id);
            }
        }
    }

    #[test]
    fn a_causal_mask_halves_the_work() {
        let causal = Sizes { causal: true, ..GPT2 };
        assert_eq!(causal.flop(), GPT2.flop() / 1024 * 1025 / 2);
    }
}
