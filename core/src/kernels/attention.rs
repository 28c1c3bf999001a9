//! O = softmax(Q·Kᵀ/√d)·V in f32 for several heads, in a ladder of kernels that differ in what becomes of the seq × seq matrix
//! of scores.
//!
//! Q and O are of heads × seq × d, K and V of kv_heads × seq × d; heads / kv_heads heads share one K and V (grouped-query
//! attention, Ainslie et al., arXiv:2305.13245). Kernels: Milakov and Gimelshein, "Online normalizer calculation for
//! softmax", arXiv:1805.02867; Dao et al., "FlashAttention", arXiv:2205.14135; Dao, "FlashAttention-2", arXiv:2307.08691.

use super::family::{kernel, measures, names};
use super::{Needs, RUN, Traffic, WORD, Work, intensity};
use crate::declare::{Field as _, List, Measure, Origin, Param, Slot, choice, switch, whole};
use crate::quantity::{Unit, number, unbroken};

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
    /// The same with Q and O in registers, a row of them split among [`NEIGHBOURS`] invocations.
    Registers {
        /// Whether parts of a score are added up by shuffles, with two tiles in workgroup memory, and not there, with one.
        shuffled: bool,
        /// Whether keys and values are copied to f16 before, and products of scores made in it.
        half: bool,
    },
}

/// Invocations that share a query of [`Scheme::Registers`]: as many as every subgroup has at least.
pub const NEIGHBOURS: u64 = 4;
/// Its invocations in a workgroup.
const LANES: u64 = 64;

/// The kernels, the least clever first.
const KERNELS: [Kernel; 9] = [
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
    Kernel {
        id: "registers",
        label: "Registers",
        about: "Queries and outputs stay in registers, split among four neighbors; what these four have of a score is added up in \
                workgroup memory. The next tile is on its way while this one is used.",
        scheme: Scheme::Registers { shuffled: false, half: false },
    },
    Kernel {
        id: "subgroups",
        label: "Registers, subgroups",
        about: "As that, with scores added up by shuffles within a subgroup and room for two tiles: one barrier for each. Needs the \
                feature subgroups.",
        scheme: Scheme::Registers { shuffled: true, half: false },
    },
    Kernel {
        id: "registers-f16",
        label: "Registers, f16",
        about: "As registers, from copies of K and V in f16 and with tiles of twice as many keys. A score's products are made in f16, \
                four at a time; softmax, sums and outputs stay in f32. Needs the feature shader-f16.",
        scheme: Scheme::Registers { shuffled: false, half: true },
    },
    Kernel {
        id: "subgroups-f16",
        label: "Registers, subgroups, f16",
        about: "Both: f16 as there, and scores added up by shuffles. Needs the features shader-f16 and subgroups.",
        scheme: Scheme::Registers { shuffled: true, half: true },
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

/// Queries of an invocation of [`Scheme::Registers`]: as many as leave room in its registers.
pub const fn own_queries(head_dim: u64) -> u64 {
    if head_dim > 64 { 2 } else { 4 }
}

/// Queries of a workgroup of [`Scheme::Registers`], and keys of its tiles: 4 KiB of keys, in f16 or f32.
pub const fn registers_tile(head_dim: u64, half: bool) -> (u64, u64) {
    (LANES / NEIGHBOURS * own_queries(head_dim), 4096 / stored(half) / head_dim)
}

/// Bytes of a stored key's value.
const fn stored(half: bool) -> u64 {
    if half { WORD / 2 } else { WORD }
}

/// The head dimensions that the kernels know.
pub const HEAD_DIMS: [u64; 3] = [32, 64, 128];
/// The same, as a query has them.
pub(super) const WIDTHS: [&str; HEAD_DIMS.len()] = ["32", "64", "128"];

/// The sizes of an attention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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

/// Why so many heads of Q cannot share so many of K and V, if they cannot.
pub(super) fn uneven(heads: u64, kv_heads: u64) -> Option<String> {
    (!heads.is_multiple_of(kv_heads)).then(|| {
        format!(
            "{heads} heads cannot share {kv_heads} heads of K and V evenly: the second number must divide the first."
        )
    })
}

impl Work for Sizes {
    type Scheme = Scheme;
    const NAME: &'static str = "attention";
    const ID: &'static str = "attention-kernels";
    const TITLE: &'static str = "Attention on your GPU";
    const SUMMARY: &'static str = "The same attention by a ladder of kernels, with and without the matrix of scores: checked, and timed on your own GPU.";
    const KERNELS: &'static [Kernel] = &KERNELS;
    const PARAMS: &'static [Param<Params>] = &[
        kernel(LIST, "flash").at(|p: &mut Params| p.kernel.slot()),
        whole("seq", "queries, and keys", [1, MAX_SEQ], "512")
            .label("Tokens")
            .doubling(14)
            .main()
            .at(|p: &mut Params| p.sizes.seq.slot()),
        choice("head_dim", "width of a head", List { ids: &WIDTHS, labels: &WIDTHS }, "64")
            .label("Head dimension")
            .at(|p: &mut Params| p.sizes.head_dim.slot()),
        whole("heads", "heads of Q", [1, MAX_HEADS], "1")
            .label("Query heads")
            .doubling(6)
            .main()
            .at(|p: &mut Params| p.sizes.heads.slot()),
        whole("kv_heads", "heads of K and V; as many as of Q if left out", [1, MAX_HEADS], "")
            .label("Key–value heads")
            .doubling(6)
            .at(|p: &mut Params| p.sizes.kv_heads.slot()),
        switch("causal", "whether a query sees only the keys up to its own", false)
            .label("Attention span")
            .labels(&["all keys", "causal"])
            .main()
            .at(|p: &mut Params| p.sizes.causal.slot()),
        RUN.at(|p: &mut Params| Slot::Whole(&mut p.run)),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Milakov and Gimelshein 2018, arXiv:1805.02867; Dao et al. 2022 (FlashAttention), arXiv:2205.14135; Dao 2023 (FlashAttention-2), arXiv:2307.08691; counted in the kernels, each held against its CPU twin",
    );
    const QUANTITIES: &'static [Measure<Params, Needs>] = &measures("Memory beside Q, K, V, O");

    fn settle(&mut self) {
        if self.kv_heads == 0 {
            self.kv_heads = self.heads;
        }
    }

    /// Heads of K and V go along with those of Q as long as there were as many of both, or would no longer divide.
    fn follow(&mut self, before: &Self) {
        let divides = self.heads.is_multiple_of(self.kv_heads.max(1));
        if self.heads != before.heads && (before.kv_heads == before.heads || !divides) {
            self.kv_heads = self.heads;
        }
    }

    fn full() -> Self {
        Self { seq: 2048, head_dim: 64, heads: 16, kv_heads: 16, causal: false }
    }

    fn list(self) -> Vec<u64> {
        vec![self.seq, self.head_dim, self.heads, self.kv_heads, u64::from(self.causal)]
    }

    fn impossible(self) -> Option<String> {
        uneven(self.heads, self.kv_heads)
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
            workgroups: kernel.workgroups(self),
        }
    }

    fn base(id: &str) -> Option<&'static str> {
        (id == "registers-f16").then_some("registers")
    }

    fn finding(self, kernel: &Kernel) -> String {
        let (asked, least, scratch) = (kernel.traffic(self).total(), self.compulsory(), kernel.scratch(self));
        let bytes = |n: u64| unbroken(&Unit::Bytes.format(n as f64));
        let beside = |what| format!("{what} take {} beside {} of Q, K, V and O.", bytes(scratch), bytes(least));
        let scores = match kernel.scheme {
            Scheme::Written => beside("The scores"),
            _ if scratch > 0 => beside("No score is ever written; the copies in f16"),
            _ => "No score is ever written.".to_owned(),
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
    /// Workgroups along the queries of all heads; of the pass that makes scores, where these are written.
    pub fn workgroups(&self, Sizes { seq, head_dim, heads, .. }: Sizes) -> u64 {
        heads
            * match self.scheme {
                Scheme::Written => seq.div_ceil(16) * seq.div_ceil(16),
                Scheme::Online { queries, .. } => seq.div_ceil(32 * queries),
                Scheme::Tiled { queries, .. } => seq.div_ceil(queries(head_dim)),
                Scheme::Registers { half, .. } => seq.div_ceil(registers_tile(head_dim, half).0),
            }
    }

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
            Scheme::Registers { half, .. } => {
                let (queries, keys) = registers_tile(head_dim, half);
                let seen = seen(sizes, queries, |end| end.next_multiple_of(keys).min(seq));
                let read = heads * head_dim * (WORD * seq + stored(half) * 2 * seen);
                // In f16, every key and value is read once more, and its copy written.
                let copied = if half { 2 * sizes.kv_heads * seq * head_dim } else { 0 };
                Traffic { read: read + WORD * copied, written: WORD * out + stored(half) * copied }
            }
        }
    }

    /// Bytes of memory that it needs beside Q, K, V and O.
    pub fn scratch(&self, sizes: Sizes) -> u64 {
        match self.scheme {
            Scheme::Written => WORD * sizes.heads * sizes.seq * sizes.seq,
            Scheme::Registers { half: true, .. } => stored(true) * 2 * sizes.kv_heads * sizes.seq * sizes.head_dim,
            Scheme::Online { .. } | Scheme::Tiled { .. } | Scheme::Registers { .. } => 0,
        }
    }

    /// The largest error that is taken for rounding, over the largest |O|.
    pub fn tolerance(&self) -> f64 {
        if matches!(self.scheme, Scheme::Registers { half: true, .. }) { HALF_TOLERANCE } else { TOLERANCE }
    }

    /// Bytes of workgroup memory that a workgroup occupies.
    pub fn workgroup_memory(&self, head_dim: u64) -> u64 {
        match self.scheme {
            // What the softmax of a row is reduced in.
            Scheme::Written => WORD * 64,
            Scheme::Online { .. } => 0,
            Scheme::Tiled { keys, shared: false, .. } => WORD * 2 * keys(head_dim) * head_dim,
            Scheme::Tiled { queries, keys, shared: true } => {
                // Rows of Q, K and V are one vector longer, so that neighbors read from different banks.
                let (queries, keys) = (queries(head_dim), keys(head_dim));
                WORD * ((queries + keys) * (head_dim + 4) + queries * keys)
            }
            Scheme::Registers { shuffled, half } => {
                let tile = stored(half) * registers_tile(head_dim, half).1 * head_dim;
                // Four scores of each query of each invocation, twice.
                let exchanged = WORD * 2 * LANES * own_queries(head_dim) * 4;
                2 * tile + if shuffled { 2 * tile } else { exchanged }
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
/// The same where keys, values and products of scores are in f16, of 11 bits where f32 has 24.
pub const HALF_TOLERANCE: f64 = 0.02;

/// The longest sequence, and the most heads, that the widget takes.
pub const MAX_SEQ: u64 = 16_384;
/// See [`MAX_SEQ`].
pub const MAX_HEADS: u64 = 64;

const LIST: List = List { ids: &names(&KERNELS, false), labels: &names(&KERNELS, true) };

#[cfg(test)]
mod tests {
    use super::super::Chosen;
    use super::super::config::WORKGROUP_MEMORY;
    use super::*;
    use crate::declare::Model as _;
    use crate::query::Query;

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
    fn what_a_kernel_asks_for_is_said() {
        assert_eq!(WIDTHS, HEAD_DIMS.map(|width| width.to_string()));
        let params = Params { kernel: Chosen(&KERNELS[0]), sizes: GPT2, run: true };
        assert!(
            params.finding().contains("The scores take 50.3\u{a0}MB beside 12.6\u{a0}MB of Q"),
            "{}",
            params.finding()
        );
        assert_eq!(Params::read(&params.query()), (params, vec![]));
        let odd = Params { sizes: Sizes { kv_heads: 5, ..GPT2 }, ..params };
        assert!(odd.sizes.impossible().is_some() && odd.evaluate().is_err());
    }

    #[test]
    fn keys_and_values_have_as_many_heads_unless_they_have_their_own() {
        let read = |text: &str| Params::read(&Query::parse(text)).0;
        assert_eq!(read("heads=8").sizes.kv_heads, 8);
        let shared = read("heads=8&kv_heads=2");
        let more = |params: Params, heads| {
            let mut now = Params { sizes: Sizes { heads, ..params.sizes }, ..params };
            now.follow(&params);
            now.sizes.kv_heads
        };
        assert_eq!((more(shared, 16), more(shared, 5), more(read("heads=8"), 16)), (2, 5, 16));
    }

    #[test]
    fn everything_fits_into_sixteen_kibibytes() {
        for kernel in KERNELS {
            for head_dim in HEAD_DIMS {
                assert!(kernel.workgroup_memory(head_dim) <= WORKGROUP_MEMORY, "{} {head_dim}", kernel.id);
            }
        }
    }

    #[test]
    fn a_causal_mask_halves_the_work() {
        let causal = Sizes { causal: true, ..GPT2 };
        assert_eq!(causal.flop(), GPT2.flop() / 1024 * 1025 / 2);
    }
}
