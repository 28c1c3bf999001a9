//! Kernels that do little more than read and write, to find out what a GPU can: a copy in two orders, a sum, and a ladder of
//! arithmetic intensity, from one multiplication and addition for each value to hundreds.

use super::{Needs, Traffic, WORD};
use crate::query::Query;

/// A kernel: its name, and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel {
    /// What it computes: `copy`, `sum`, `intensity`.
    pub family: &'static str,
    /// The name within its family.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// What it shows: a sentence.
    pub about: &'static str,
}

const fn kernel(family: &'static str, id: &'static str, label: &'static str, about: &'static str) -> Kernel {
    Kernel { family, id, label, about }
}

/// Every one of them.
pub const KERNELS: &[Kernel] = &[
    kernel(
        "copy",
        "strided",
        "Strided copy",
        "Neighbors copy values one below the other, a row of the matrix apart: each request to memory brings one that is wanted.",
    ),
    kernel(
        "copy",
        "coalesced",
        "Coalesced copy",
        "Neighbors copy neighbors, so that one request to memory serves many of them.",
    ),
    kernel("copy", "vector", "Vectorized copy", "As coalesced, four values at a time."),
    kernel(
        "sum",
        "one",
        "Sum by one workgroup",
        "256 invocations add up everything: all other processors of the GPU stand idle.",
    ),
    kernel("sum", "tree", "Sum by many workgroups", "Each workgroup adds up 4096 values, and one adds up their sums."),
    kernel(
        "sum",
        "serial",
        "Sum by one invocation",
        "A single invocation adds up everything, from the first value on.",
    ),
    kernel(
        "sum",
        "split",
        "Sum in sixteen parts",
        "Sixteen invocations each add a run of neighbors, from its first value on; one adds their sums, as split-K does.",
    ),
    kernel(
        "sum",
        "pairwise",
        "Sum in pairs",
        "Neighbors are added, then neighbouring sums, until one is left: the shortest way for every value.",
    ),
    kernel(
        "sum",
        "atomic",
        "Sum by atomics",
        "Every value is added to the same sum as it arrives. WGSL has no atomics on floats: each invocation tries until nobody came between.",
    ),
    kernel(
        "intensity",
        "ladder",
        "Intensity ladder",
        "Reads a value, multiplies and adds so many times, and writes it: the more, the further from memory’s limit.",
    ),
];

impl Kernel {
    /// Whether it adds in an order of its own, the same each time.
    pub fn has_order(&self) -> bool {
        (self.family, self.id) != ("sum", "atomic")
    }

    /// Whether it says something of a machine's speed: of the sums, those that are not there for their order alone.
    pub fn is_fast(&self) -> bool {
        self.family != "sum" || matches!(self.id, "one" | "tree")
    }
}

/// The kernel of `family` with this id.
pub fn find(family: &str, id: &str) -> Option<&'static Kernel> {
    KERNELS.iter().find(|k| k.family == family && k.id == id)
}

/// The most values of a sum, or of a rung of the intensity ladder: more workgroups than WebGPU promises to start would follow.
pub const MAX_VALUES: u64 = 1 << 27;
/// Invocations of a workgroup that adds up.
pub const ADDERS: u64 = 256;
/// Values that a workgroup of the kernel `tree` adds up.
pub const CHUNK: u64 = 4096;

/// Runs of the kernel `split`.
pub const SPLITS: u64 = 16;

/// A copy of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copy {
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub cols: u64,
}

/// A sum of `n` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// Values.
    pub n: u64,
}

/// y = x, and then y = a·y + x for `fma` times with a = 1/√fma, for each of `n` values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intensity {
    /// Values.
    pub n: u64,
    /// Multiplications and additions for each of them.
    pub fma: u64,
}

/// Vectors of four that hold `n` values.
fn vectors(n: u64) -> u64 {
    4 * n.div_ceil(4)
}

fn sizes<const N: usize>(pairs: [(&'static str, u64); N]) -> Query {
    Query::new(pairs.map(|(name, size)| (name, size.to_string())))
}

impl Copy {
    /// Values of the matrix.
    pub fn values(self) -> u64 {
        self.rows * self.cols
    }

    /// What the kernel with this id asks for.
    pub fn needs(self, id: &str) -> Needs {
        let values = if id == "vector" { vectors(self.values()) } else { self.values() };
        Needs { asked: Traffic { read: WORD * values, written: WORD * values }, ..Needs::default() }
    }

    /// The sizes in the order in which they are sent, and as a query: rows, cols.
    pub fn sizes(self) -> (Query, Vec<u64>) {
        (sizes([("rows", self.rows), ("cols", self.cols)]), vec![self.rows, self.cols])
    }
}

/// Sums of pairs on the way to one, all levels together.
fn pair_sums(n: u64) -> u64 {
    std::iter::successors(Some(n.div_ceil(2)), |left| (*left > 1).then(|| left.div_ceil(2))).sum()
}

impl Sum {
    /// What the kernel with this id asks for and occupies.
    pub fn needs(self, id: &str) -> Needs {
        let n = self.n;
        let partial = if id == "tree" { n.div_ceil(CHUNK) } else { 0 };
        let (read, written, scratch) = match id {
            "pairwise" => (n + pair_sums(n), pair_sums(n) + 1, 2 * n.div_ceil(2)),
            // Each value, and the sum before and after it.
            "atomic" => (2 * n, n + 1, 0),
            _ => (n + partial, partial + 1, partial),
        };
        Needs {
            asked: Traffic { read: WORD * read, written: WORD * written },
            scratch: WORD * scratch,
            workgroup_memory: match id {
                "serial" | "pairwise" | "atomic" => 0,
                "split" => WORD * SPLITS,
                _ => WORD * ADDERS,
            },
            ..Needs::default()
        }
    }

    /// The bound on the sum's error, over the sum of magnitudes: 2⁻²⁴ for each addition on the longest way from a value to
    /// the sum (Higham, "Accuracy and stability of numerical algorithms", §4.2).
    pub fn error_bound(self, id: &str) -> f64 {
        let way = |n: u64| n.div_ceil(ADDERS) + u64::from(ADDERS.ilog2());
        let steps = match id {
            "tree" => way(CHUNK) + way(self.n.div_ceil(CHUNK)),
            "serial" | "atomic" => self.n,
            "split" => self.n.div_ceil(SPLITS) + SPLITS,
            "pairwise" => u64::from(self.n.next_power_of_two().ilog2()).max(1),
            _ => way(self.n),
        };
        steps as f64 * 2_f64.powi(-24)
    }

    /// The size as it is sent, and as a query: n.
    pub fn sizes(self) -> (Query, Vec<u64>) {
        (sizes([("n", self.n)]), vec![self.n])
    }
}

impl Intensity {
    /// Floating-point operations: two for each multiplication and addition.
    pub fn flop(self) -> u64 {
        2 * self.n * self.fma
    }

    /// What has to be moved: each value read and written.
    pub fn compulsory(self) -> Traffic {
        Traffic { read: WORD * self.n, written: WORD * self.n }
    }

    /// What it asks for, four values at a time.
    pub fn needs(self) -> Needs {
        let bytes = WORD * vectors(self.n);
        Needs { asked: Traffic { read: bytes, written: bytes }, ..Needs::default() }
    }

    /// The sizes in the order in which they are sent, and as a query: n, fma.
    pub fn sizes(self) -> (Query, Vec<u64>) {
        (sizes([("n", self.n), ("fma", self.fma)]), vec![self.n, self.fma])
    }
}

/// The bound on an error of the intensity ladder, over the magnitudes of all products and sums on the way: each multiplication
/// and each addition is rounded, or both together, and a little for what the error itself adds.
pub const INTENSITY_BOUND: f64 = 3.0 / (1 << 24) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_do_not_depend_on_the_arithmetic() {
        let at = |fma| Intensity { n: 1000, fma };
        assert_eq!(at(1).needs(), at(512).needs());
        assert_eq!((at(1).flop(), at(512).flop()), (2000, 1_024_000));
    }

    #[test]
    fn more_workgroups_mean_shorter_ways_and_smaller_errors() {
        let sum = Sum { n: 1 << 24 };
        assert!(sum.error_bound("tree") * 100.0 < sum.error_bound("one"));
        assert_eq!(sum.needs("one").asked.written, 4);
        assert_eq!(sum.needs("tree").scratch, 4 * 4096);
    }
}
