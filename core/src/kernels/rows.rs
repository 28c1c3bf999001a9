//! What transformers do between two matrix products, on a matrix of rows × cols in f32: softmax and layer normalisation of
//! each row, and a chain of elementwise operations. Each is written out as a framework runs it, one kernel for each operation,
//! and fused.
//!
//! The unfused softmax moves what the Triton tutorial "Fused Softmax" counts for it: 5MN + 2M values read and 3MN + 2M
//! written, for M rows of N. Layer normalisation: Ba, Kiros and Hinton, arXiv:1607.06450, with ε = 10⁻⁵. GELU in the chain is
//! that of tanh: Hendrycks and Gimpel, arXiv:1606.08415, §2.

use super::{Needs, Traffic, WORD};
use crate::declare::Origin;
use crate::options;
use crate::query::Query;

/// Where the counts come from.
pub const ORIGIN: Origin = Origin::Of(
    "Triton’s tutorial “Fused Softmax” (5MN + 2M values read, 3MN + 2M written); Ba, Kiros and Hinton 2016, arXiv:1607.06450; Hendrycks and Gimpel 2016, arXiv:1606.08415, §2; counted in the kernels",
);

/// Invocations of a workgroup of these kernels. One that works on a whole row takes every so many-th value of it.
pub const LANES: u64 = 128;
/// Values of a row that an invocation keeps in registers, in kernels that do.
pub const OWN: u64 = 32;
/// What layer normalisation adds to the variance.
pub const EPSILON: f64 = 1e-5;
/// The largest error that is taken for rounding, over what [`Op`] names: exponentials in WGSL are right to 3 + 2|x| units in
/// the last place (WGSL, §15.7.4), and sums of a row are made of [`LANES`] shorter ones.
pub const TOLERANCE: f64 = 2e-5;

/// What is done to a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Op {
    /// y = softmax(x) along each row.
    #[default]
    Softmax,
    /// y = (x − mean) / √(variance + ε) · γ + β along each row.
    LayerNorm,
    /// y = GELU(x + b) · g + r, value by value; b is one row.
    Chain,
}

/// The size of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Its rows: M.
    pub rows: u64,
    /// Its columns: N.
    pub cols: u64,
}

/// How much is done in one kernel. No operation has all of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// A kernel for each step.
    Unfused,
    /// A kernel for every two.
    Pairs,
    /// One.
    #[default]
    Fused,
    /// One that reads each value once.
    Kept,
}

/// A way to do it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    /// The name in a query string: `fused`.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// What becomes of the intermediate results: a sentence.
    pub about: &'static str,
    /// Its launches, in order.
    pub launches: &'static [Launch],
    /// Matrices of intermediate results in memory.
    pub matrices: u64,
    /// Numbers of each row in memory, between two launches.
    pub stats: u64,
    /// Whether invocations add up or compare within a workgroup, which takes a word of workgroup memory each.
    pub reduces: bool,
}

/// One launch: how much it reads and writes, in values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// What it does.
    pub name: &'static str,
    /// Matrices that it reads once.
    pub matrices: u64,
    /// How often it reads one of them again.
    pub again: u64,
    /// Whether what it reads again waits in registers, [`OWN`] values in each invocation; what does not fit is read again.
    pub kept: bool,
    /// Numbers of each row that it reads.
    pub stats: u64,
    /// Numbers of each column that it reads.
    pub vectors: u64,
    /// What it writes.
    pub out: Out,
}

/// What a launch writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Out {
    /// A matrix.
    Matrix,
    /// A number for each row.
    Stat,
}

const fn launch(name: &'static str, matrices: u64, stats: u64, vectors: u64) -> Launch {
    Launch { name, matrices, again: 0, kept: false, stats, vectors, out: Out::Matrix }
}

const fn stat(name: &'static str) -> Launch {
    Launch { out: Out::Stat, ..launch(name, 1, 0, 0) }
}

const fn whole(name: &'static str, vectors: u64, kept: bool) -> Launch {
    Launch { again: 2, kept, ..launch(name, 1, 0, vectors) }
}

/// In one launch, along the row three times.
const FUSED: Kernel = Kernel {
    id: Way::Fused.id(),
    label: Way::Fused.label(),
    about: "One kernel, a workgroup for each row. It goes along the row three times and relies on a cache for the second \
            and the third.",
    launches: &[],
    matrices: 0,
    stats: 0,
    reduces: true,
};

/// In one launch, along the row once.
const KEPT: Kernel = Kernel {
    id: Way::Kept.id(),
    label: Way::Kept.label(),
    about: "One kernel, and each value is read once: rows of up to 4096 wait in the registers of their workgroup.",
    ..FUSED
};

const SOFTMAX: &[Kernel] = &[
    Kernel {
        id: Way::Unfused.id(),
        label: Way::Unfused.label(),
        about: "Five kernels, one for each operation; what is between two of them goes to memory and comes back.",
        launches: &[
            stat("maximum"),
            launch("subtract", 1, 1, 0),
            launch("exponential", 1, 0, 0),
            stat("sum"),
            launch("divide", 1, 1, 0),
        ],
        matrices: 1,
        stats: 1,
        reduces: true,
    },
    Kernel { launches: &[whole("softmax", 0, false)], ..FUSED },
    Kernel { launches: &[whole("softmax", 0, true)], ..KEPT },
];

const LAYER_NORM: &[Kernel] = &[
    Kernel {
        id: Way::Unfused.id(),
        label: Way::Unfused.label(),
        about: "Seven kernels, one for each operation; what is between two of them goes to memory and comes back.",
        launches: &[
            stat("mean"),
            launch("subtract", 1, 1, 0),
            launch("square", 1, 0, 0),
            stat("mean of squares"),
            launch("divide", 1, 1, 0),
            launch("scale", 1, 0, 1),
            launch("shift", 1, 0, 1),
        ],
        matrices: 2,
        stats: 1,
        reduces: true,
    },
    Kernel { launches: &[whole("layer norm", 2, false)], ..FUSED },
    Kernel { launches: &[whole("layer norm", 2, true)], ..KEPT },
];

const CHAIN: &[Kernel] = &[
    Kernel {
        id: Way::Unfused.id(),
        label: Way::Unfused.label(),
        about: "Four kernels, one for each operation; what is between two of them goes to memory and comes back.",
        launches: &[
            launch("add the bias", 1, 0, 1),
            launch("GELU", 1, 0, 0),
            launch("gate", 2, 0, 0),
            launch("add the residual", 2, 0, 0),
        ],
        matrices: 1,
        stats: 0,
        reduces: false,
    },
    Kernel {
        id: Way::Pairs.id(),
        label: Way::Pairs.label(),
        about: "Two kernels of two operations each; one intermediate result goes to memory and comes back.",
        launches: &[launch("bias and GELU", 1, 0, 1), launch("gate and residual", 3, 0, 0)],
        matrices: 1,
        stats: 0,
        reduces: false,
    },
    Kernel {
        id: Way::Fused.id(),
        label: Way::Fused.label(),
        about: "One kernel: what is between two operations is a register.",
        launches: &[launch("all four", 3, 0, 1)],
        matrices: 0,
        stats: 0,
        reduces: false,
    },
];

// Their names are also those of the families of kernels.
options!(Op {
    Softmax: "softmax", "Softmax";
    LayerNorm: "layer-norm", "Layer norm";
    Chain: "chain", "Elementwise chain";
});

options!(Way {
    Unfused: "unfused", "Unfused";
    Pairs: "pairs", "Fused in pairs";
    Fused: "fused", "Fused";
    Kept: "kept", "Fused, kept in registers";
});

impl Op {
    /// Its kernels, the unfused one first.
    pub const fn kernels(self) -> &'static [Kernel] {
        match self {
            Self::Softmax => SOFTMAX,
            Self::LayerNorm => LAYER_NORM,
            Self::Chain => CHAIN,
        }
    }

    /// The one in which every step is a kernel.
    pub const fn unfused(self) -> &'static Kernel {
        match self {
            Self::Softmax => &SOFTMAX[0],
            Self::LayerNorm => &LAYER_NORM[0],
            Self::Chain => &CHAIN[0],
        }
    }

    /// The kernel with this id.
    pub fn kernel(self, id: &str) -> Option<&'static Kernel> {
        self.kernels().iter().find(|k| k.id == id)
    }

    /// Operations for each value, an exponential and a division being one: maximum, difference, exponential, sum and
    /// quotient; sum, difference, square, sum, quotient, product and sum; a sum, the eight of a GELU, a product and a sum.
    pub const fn flop(self) -> u64 {
        match self {
            Self::Softmax => 5,
            Self::LayerNorm => 7,
            Self::Chain => 11,
        }
    }

    /// Matrices that go in.
    const fn inputs(self) -> u64 {
        match self {
            Self::Chain => 3,
            Self::Softmax | Self::LayerNorm => 1,
        }
    }

    /// Rows of numbers that go in, as long as a row of the matrix.
    const fn vectors(self) -> u64 {
        match self {
            Self::Softmax => 0,
            Self::LayerNorm => 2,
            Self::Chain => 1,
        }
    }

    /// What has to be moved at least: every input read once, the output written once.
    pub fn compulsory(self, sizes: Sizes) -> Traffic {
        let read = self.inputs() * sizes.values() + self.vectors() * sizes.cols;
        Traffic { read: WORD * read, written: WORD * sizes.values() }
    }
}

impl Sizes {
    /// Values of the matrix.
    pub fn values(self) -> u64 {
        self.rows * self.cols
    }

    /// The sizes in the order in which they are sent: rows, cols.
    pub fn list(self) -> [u64; 2] {
        [self.rows, self.cols]
    }

    /// The sizes as a query.
    pub fn query(self) -> Query {
        Query::new([("rows", self.rows), ("cols", self.cols)].map(|(name, size)| (name, size.to_string())))
    }
}

impl Launch {
    /// What has to cross between memory and chip for it: every value that it reads once, if a cache answers the rest.
    pub fn moved(&self, sizes: Sizes) -> Traffic {
        let Sizes { rows, cols } = sizes;
        let read = self.matrices * sizes.values() + self.stats * rows + self.vectors * cols;
        Traffic { read: WORD * read, written: WORD * self.written(sizes) }
    }

    /// What its invocations ask memory for.
    pub fn asked(&self, sizes: Sizes) -> Traffic {
        let held = if self.kept { (LANES * OWN).min(sizes.cols) } else { 0 };
        let again = self.again * sizes.rows * sizes.cols.saturating_sub(held);
        let read = (self.matrices + self.stats + self.vectors) * sizes.values() + again;
        Traffic { read: WORD * read, written: WORD * self.written(sizes) }
    }

    fn written(&self, sizes: Sizes) -> u64 {
        match self.out {
            Out::Matrix => sizes.values(),
            Out::Stat => sizes.rows,
        }
    }
}

impl Kernel {
    /// What its launches move, added up; see [`Launch::moved`].
    pub fn moved(&self, sizes: Sizes) -> Traffic {
        self.launches.iter().map(|launch| launch.moved(sizes)).sum()
    }

    /// What it asks for and occupies.
    pub fn needs(&self, sizes: Sizes) -> Needs {
        Needs {
            asked: self.launches.iter().map(|launch| launch.asked(sizes)).sum(),
            scratch: WORD * (self.matrices * sizes.values() + self.stats * sizes.rows),
            workgroup_memory: if self.reduces { WORD * LANES } else { 0 },
            ..Needs::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { rows: 4096, cols: 1024 };

    #[test]
    fn the_unfused_softmax_moves_what_the_triton_tutorial_counts() {
        let (m, n) = (SIZES.rows, SIZES.cols);
        let moved = SOFTMAX[0].moved(SIZES);
        assert_eq!((moved.read, moved.written), (WORD * (5 * m * n + 2 * m), WORD * (3 * m * n + 2 * m)));
    }

    #[test]
    fn one_launch_moves_what_must_be_moved_and_more_launches_move_more() {
        for op in Op::ALL {
            let least = op.compulsory(SIZES);
            for kernel in op.kernels() {
                let (moved, asked) = (kernel.moved(SIZES), kernel.needs(SIZES).asked);
                assert_eq!(moved == least, kernel.launches.len() == 1, "{} {}", op.id(), kernel.id);
                assert!(moved.read >= least.read && moved.written >= least.written);
                assert!(asked.read >= moved.read && asked.written == moved.written);
            }
            assert!(op.kernels().windows(2).all(|k| k[0].moved(SIZES).total() >= k[1].moved(SIZES).total()));
        }
    }

    #[test]
    fn a_row_that_fits_into_registers_is_asked_for_once() {
        let asked = |cols| SOFTMAX[2].needs(Sizes { rows: 1, cols }).asked.read / WORD;
        assert_eq!((asked(1), asked(4096), asked(4097)), (1, 4096, 4099));
    }
}
