//! One query of each head against a long cache of keys and values: what generation does for every token, in three kernels.
//!
//! The queries are of heads × d, the cache of kv_heads × keys × d. A workgroup goes along `chunk` keys with the online softmax and
//! writes its maximum, its sum and its weighted sum of values; a second pass merges those of a head. This is split-K, as in Dao et al.,
//! "Flash-Decoding for long-context inference" (2023), and in FlashAttention's `flash_fwd_splitkv_kernel`.

use super::family::{kernel, measures, names};
use super::{Needs, RUN, Traffic, WORD, Work, intensity};
use crate::declare::{Field as _, List, Measure, Origin, Param, Scale, Slot, choice, whole};
use crate::kernels::attention::{MAX_HEADS, WIDTHS, uneven};
use crate::quantity::{Unit, grouped, number, unbroken};

/// A way to go along the cache.
pub type Kernel = super::Kernel<Scheme>;

/// The parameters of the model.
pub type Params = super::Params<Sizes>;

/// Who goes along the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// One workgroup for each head of Q, along all of it.
    Whole,
    /// One for each head of Q and each chunk.
    Split,
    /// One for each chunk and the heads of Q that share its keys.
    Shared,
}

const KERNELS: [Kernel; 3] = [
    Kernel {
        id: "whole",
        label: "One workgroup a head",
        about: "A workgroup goes along all keys of its head. A GPU with more SMs than heads leaves the others idle.",
        scheme: Scheme::Whole,
    },
    Kernel {
        id: "split",
        label: "Split along the keys",
        about: "Each chunk of the keys has a workgroup of its own; where there are several, a second pass merges what they found.",
        scheme: Scheme::Split,
    },
    Kernel {
        id: "shared",
        label: "Split, heads together",
        about: "As split, and the queries whose heads share keys and values are answered by one workgroup, which reads them once.",
        scheme: Scheme::Shared,
    },
];

/// Invocations that merge the chunks of a head.
pub const MERGERS: u64 = 256;
/// Heads of Q that one workgroup answers, at most: their sums have to stay in registers.
const MOST_TOGETHER: u64 = 8;

/// The sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Tokens in the cache.
    pub keys: u64,
    /// Width of a head, one of [`super::attention::HEAD_DIMS`].
    pub head_dim: u64,
    /// Heads of Q and O; of all sequences of a batch.
    pub heads: u64,
    /// Heads of K and V; divides `heads`.
    pub kv_heads: u64,
    /// Keys that one workgroup goes along.
    pub chunk: u64,
}

impl Sizes {
    /// Chunks of the cache, for this kernel.
    pub fn chunks(self, scheme: Scheme) -> u64 {
        if scheme == Scheme::Whole { 1 } else { self.keys.div_ceil(self.chunk.max(1)) }
    }

    /// Heads of Q that one workgroup answers: those that share keys, or the largest part of them that divides them and is at most
    /// eight.
    pub fn together(self, scheme: Scheme) -> u64 {
        let group = self.heads / self.kv_heads.max(1);
        match scheme {
            Scheme::Shared => (1..=MOST_TOGETHER).rev().find(|n| group.is_multiple_of(*n)).unwrap_or(1),
            Scheme::Whole | Scheme::Split => 1,
        }
    }

    /// Keys that a workgroup has in registers at a time: 8 KiB of them, eight vectors in each of 64 invocations.
    pub const fn tile(self) -> u64 {
        2048 / self.head_dim
    }

    /// Workgroups of the first pass.
    pub fn workgroups(self, scheme: Scheme) -> u64 {
        self.heads / self.together(scheme) * self.chunks(scheme)
    }
}

impl Work for Sizes {
    type Scheme = Scheme;
    const NAME: &'static str = "decode";
    const ID: &'static str = "decode-kernels";
    const TITLE: &'static str = "Decoding on your GPU";
    const SUMMARY: &'static str =
        "One query against a long cache, by one workgroup a head or by many: checked, and timed on your own GPU.";
    const KERNELS: &'static [Kernel] = &KERNELS;
    const PARAMS: &'static [Param<Params>] = &[
        kernel(LIST, "split").at(|p: &mut Params| p.kernel.slot()),
        whole("keys", "tokens in the cache", [1, MAX_KEYS], "8192")
            .label("Tokens in the cache")
            .doubling(15)
            .main()
            .at(|p: &mut Params| p.sizes.keys.slot()),
        whole("chunk", "keys that one workgroup goes along", [64, MAX_KEYS], "128")
            .label("Keys per workgroup")
            .slider(Scale::Quarters(6, 15))
            .main()
            .at(|p: &mut Params| p.sizes.chunk.slot()),
        choice("head_dim", "width of a head", List { ids: &WIDTHS, labels: &WIDTHS }, "128")
            .label("Head dimension")
            .at(|p: &mut Params| p.sizes.head_dim.slot()),
        whole("heads", "heads of Q, of all sequences", [1, MAX_HEADS], "8")
            .label("Query heads")
            .doubling(6)
            .main()
            .at(|p: &mut Params| p.sizes.heads.slot()),
        whole("kv_heads", "heads of K and V", [1, MAX_HEADS], "2")
            .label("Key–value heads")
            .doubling(6)
            .at(|p: &mut Params| p.sizes.kv_heads.slot()),
        RUN.at(|p: &mut Params| Slot::Whole(&mut p.run)),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Dao et al. 2023, “Flash-Decoding for long-context inference”; FlashAttention’s flash_fwd_splitkv_kernel; counted in the kernels, each held against its CPU twin",
    );
    const QUANTITIES: &'static [Measure<Params, Needs>] = &measures("Memory for partial results");

    fn follow(&mut self, before: &Self) {
        if self.heads != before.heads && !self.heads.is_multiple_of(self.kv_heads.max(1)) {
            self.kv_heads = self.heads;
        }
    }

    fn list(self) -> Vec<u64> {
        vec![self.keys, self.head_dim, self.heads, self.kv_heads, self.chunk]
    }

    fn impossible(self) -> Option<String> {
        uneven(self.heads, self.kv_heads)
    }

    /// Those of the two products: 4d for each key of each head.
    fn flop(self) -> u64 {
        4 * self.head_dim * self.heads * self.keys
    }

    fn compulsory(self) -> u64 {
        WORD * self.head_dim * 2 * (self.heads + self.kv_heads * self.keys)
    }

    fn needs(self, kernel: &Kernel) -> Needs {
        Needs {
            asked: kernel.traffic(self),
            scratch: kernel.scratch(self),
            workgroup_memory: kernel.workgroup_memory(self),
            workgroups: self.workgroups(kernel.scheme),
        }
    }

    /// A cache of 268 MB: the L2 of an RTX 5090 holds 96 MB (NVIDIA RTX Blackwell GPU Architecture, 2025), that of others less.
    fn full() -> Self {
        Self { keys: 32_768, head_dim: 128, heads: 32, kv_heads: 8, chunk: 256 }
    }

    fn finding(self, kernel: &Kernel) -> String {
        let (asked, least) = (kernel.traffic(self).total(), self.compulsory());
        let workgroups = self.workgroups(kernel.scheme);
        let merged = match self.chunks(kernel.scheme) {
            1 => "Nothing is merged.".to_owned(),
            chunks => format!("A second pass merges {} partial results for each head.", grouped(chunks)),
        };
        format!(
            "{} workgroup{} read{} {}, {} times what must be moved: {} FLOP per byte requested. {merged} {}",
            grouped(workgroups),
            if workgroups == 1 { "" } else { "s" },
            if workgroups == 1 { "s" } else { "" },
            unbroken(&Unit::Bytes.format(asked as f64)),
            number(intensity(asked, least)),
            number(intensity(self.flop(), asked)),
            kernel.about
        )
    }
}

impl Kernel {
    /// What its invocations ask memory for: every workgroup its queries, its keys and its values; for each chunk a maximum, a sum and d
    /// values go to memory, each vector of the output asks for all three, and the largest maximum is found first.
    pub fn traffic(&self, sizes: Sizes) -> Traffic {
        let Sizes { keys, head_dim, heads, .. } = sizes;
        let (chunks, together) = (sizes.chunks(self.scheme), sizes.together(self.scheme));
        let cache = 2 * heads / together * keys * head_dim;
        let out = heads * head_dim;
        match self.scheme {
            Scheme::Whole => Traffic { read: WORD * (out + cache), written: WORD * out },
            Scheme::Split | Scheme::Shared => {
                let merged = heads * chunks * (1 + 2 * head_dim / 4 + head_dim);
                let partial = heads * chunks * (head_dim + 2);
                Traffic { read: WORD * (out * chunks + cache + merged), written: WORD * (partial + out) }
            }
        }
    }

    /// Bytes of memory beside Q, the cache and O.
    pub fn scratch(&self, sizes: Sizes) -> u64 {
        match self.scheme {
            Scheme::Whole => 0,
            Scheme::Split | Scheme::Shared => WORD * sizes.heads * sizes.chunks(self.scheme) * (sizes.head_dim + 2),
        }
    }

    /// Bytes of workgroup memory, for each query: the query, a part of a score from each of 64 invocations, the scores of a tile, and
    /// in the end a vector of the output from each invocation. The pass that merges has a vector and two values for each of its own.
    pub fn workgroup_memory(&self, sizes: Sizes) -> u64 {
        let (tile, together) = (sizes.tile(), sizes.together(self.scheme));
        let merge = if self.scheme == Scheme::Whole { 0 } else { MERGERS * (4 + 1 + 1) };
        WORD * (together * (sizes.head_dim + 64 + tile + 4 * 64)).max(merge)
    }
}

/// The longest cache that the widget takes.
pub const MAX_KEYS: u64 = 32_768;

const LIST: List = List { ids: &names(&KERNELS, false), labels: &names(&KERNELS, true) };

#[cfg(test)]
mod tests {
    use super::super::Chosen;
    use super::super::attention::HEAD_DIMS;
    use super::super::config::WORKGROUP_MEMORY;
    use super::*;
    use crate::declare::Model as _;

    const LLAMA: Sizes = Sizes { keys: 8192, head_dim: 128, heads: 32, kv_heads: 8, chunk: 512 };

    fn of(id: &str) -> &'static Kernel {
        Sizes::kernel(id).unwrap_or(&KERNELS[0])
    }

    #[test]
    fn splitting_makes_workgroups_and_sharing_saves_bytes() {
        let workgroups = ["whole", "split", "shared"].map(|id| LLAMA.workgroups(of(id).scheme));
        assert_eq!(workgroups, [32, 32 * 16, 8 * 16]);
        let read = ["whole", "split", "shared"].map(|id| of(id).traffic(LLAMA).read as f64 / LLAMA.compulsory() as f64);
        assert!(read[0] > 3.9 && read[1] > read[0] && read[2] < 1.1, "{read:?}");
    }

    #[test]
    fn the_heads_of_a_workgroup_divide_those_that_share_keys() {
        for (heads, kv_heads, together) in [(8, 8, 1), (32, 8, 4), (64, 1, 8), (12, 1, 6), (22, 2, 1), (18, 2, 3)] {
            assert_eq!(Sizes { heads, kv_heads, ..LLAMA }.together(Scheme::Shared), together, "{heads} {kv_heads}");
        }
    }

    #[test]
    fn everything_fits_into_sixteen_kibibytes_and_is_said() {
        for kernel in &KERNELS {
            for head_dim in HEAD_DIMS {
                for kv_heads in [1, 4, 32] {
                    let sizes = Sizes { head_dim, kv_heads, ..LLAMA };
                    assert!(kernel.workgroup_memory(sizes) <= WORKGROUP_MEMORY, "{} {sizes:?}", kernel.id);
                }
            }
            let params = Params { kernel: Chosen(kernel), sizes: LLAMA, run: false };
            assert!(params.finding().ends_with(kernel.about));
            assert_eq!(Params::read(&params.query()), (params, vec![]));
        }
    }
}
