//! C = A·B in f32, A of m × k, B of k × n, row by row in memory: 2mnk FLOP, in a ladder of kernels that differ in where
//! operands wait between two uses.
//!
//! The ladder follows Simon Boehm, "How to optimize a CUDA matmul kernel for cuBLAS-like performance", 2022, and Goto and
//! van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008 (packing).

use super::config::{Config, Numbers};
use super::family::{kernel, measures, names};
use super::{Needs, RUN, Traffic, WORD, Work, intensity};
use crate::declare::{Declaration, Field as _, List, Measure, Origin, Origins, Param, Slot, measure, origin, whole};
use crate::quantity::{Unit, number, unbroken};

/// A kernel of the ladder.
pub type Kernel = super::Kernel<Scheme>;

/// The parameters of the model.
pub type Params = super::Params<Sizes>;

/// Where the operands of a product wait between two uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Nowhere: each invocation computes one element, and asks memory for all 2k operands of it.
    Direct,
    /// In workgroup memory: a workgroup computes one tile of C, and its operands are staged there, `depth` columns of A
    /// and rows of B at a time.
    Staged(Tile),
    /// In a copy of A and B, made before in the order of use, from which each invocation reads for a tile of its own.
    Packed {
        /// Rows and columns of the tile, both.
        side: u64,
        /// Bytes of an element of the copy: 4, or 2 for f16.
        bytes: u64,
    },
    /// In workgroup memory, while the next stage is on its way in registers; in f16, from a copy padded to whole tiles.
    Pipelined(Config),
}

/// Invocations of a workgroup that stages nothing, along each side; of one that reads from a copy, half as many.
const DIRECT: u64 = 16;

/// A tile of C that one workgroup computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub cols: u64,
    /// Columns of A and rows of B that are staged at a time.
    pub depth: u64,
    /// Rows, and columns, of C that one invocation keeps in registers.
    pub own: u64,
}

/// The ladder, from the bottom.
const KERNELS: [Kernel; 13] = [
    Kernel {
        id: "naive",
        label: "Naive",
        about: "One invocation for each element; neighbors compute elements one below the other, so that each reads from \
                another row of A.",
        scheme: Scheme::Direct,
    },
    Kernel {
        id: "coalesced",
        label: "Coalesced",
        about: "One invocation for each element; neighbors compute neighbors in a row, so that one request to memory \
                serves all of them.",
        scheme: Scheme::Direct,
    },
    Kernel {
        id: "tiled",
        label: "Tiled",
        about: "A workgroup stages tiles of A and B in workgroup memory; each value is used 16 times before the next is \
                fetched.",
        scheme: Scheme::Staged(Tile { rows: 16, cols: 16, depth: 16, own: 1 }),
    },
    Kernel {
        id: "register",
        label: "Register-blocked",
        about: "Each invocation keeps 4 × 4 results in registers, so that a value from workgroup memory is used 4 times.",
        scheme: Scheme::Staged(Tile { rows: 64, cols: 64, depth: 16, own: 4 }),
    },
    Kernel {
        id: "vector",
        label: "Vectorized",
        about: "As register-blocked, and everything moves four values at a time.",
        scheme: Scheme::Staged(Tile { rows: 64, cols: 64, depth: 16, own: 4 }),
    },
    Kernel {
        id: "wide",
        label: "Wide",
        about: "8 × 8 results for each invocation and 128 × 128 for each workgroup: half of the traffic, and work for \
                every register.",
        scheme: Scheme::Staged(Tile { rows: 128, cols: 128, depth: 8, own: 8 }),
    },
    Kernel {
        id: "packed",
        label: "Packed",
        about: "First copies A and B into the order in which they are used, padded to whole tiles; then 8 × 8 results for \
                each invocation, without workgroup memory.",
        scheme: Scheme::Packed { side: 8, bytes: WORD },
    },
    Kernel {
        id: "half",
        label: "Packed, f16",
        about: "As packed, with a copy in f16: half of the bytes, sums still in f32. Needs the feature shader-f16.",
        scheme: Scheme::Packed { side: 8, bytes: WORD / 2 },
    },
    Kernel {
        id: "pipelined",
        label: "Pipelined",
        about: "As wide, with the next stage on its way while this one is multiplied, warps of 4 × 8 invocations, no bounds where \
                tiles fit, and tiles in bands that share a cache.",
        scheme: Scheme::Pipelined(Config::SINGLE),
    },
    Kernel {
        id: "pipelined-deep",
        label: "Pipelined, deep",
        about: "As pipelined, with one buffer instead of two and stages twice as deep, in as much workgroup memory: the next stage waits \
                in registers alone.",
        scheme: Scheme::Pipelined(Config::DEEP),
    },
    Kernel {
        id: "pipelined-subgroups",
        label: "Pipelined, subgroups",
        about: "As pipelined; of the values of A, which four neighbors share, each reads a quarter from workgroup memory and gets \
                the others by shuffles. Needs the feature subgroups.",
        scheme: Scheme::Pipelined(Config::SINGLE),
    },
    Kernel {
        id: "pipelined-f16",
        label: "Pipelined, f16",
        about: "As pipelined, deep, from copies in f16 and in stages twice as deep again; products and sums in f32. Needs the feature \
                shader-f16.",
        scheme: Scheme::Pipelined(Config::HALF_TILES),
    },
    Kernel {
        id: "pipelined-f16-sums",
        label: "Pipelined, f16 sums",
        about: "As that, with products and the sums of a stage in f16 too: twice the arithmetic where f16 is twice as fast, and \
                a larger error. Needs the feature shader-f16.",
        scheme: Scheme::Pipelined(Config::HALF_SUMS),
    },
];

/// The sizes of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sizes {
    /// Rows of A and C.
    pub m: u64,
    /// Columns of B and C.
    pub n: u64,
    /// Columns of A, rows of B.
    pub k: u64,
}

impl Work for Sizes {
    type Scheme = Scheme;
    const NAME: &'static str = "matmul";
    const ID: &'static str = "matmul-kernels";
    const TITLE: &'static str = "Matmul on your GPU";
    const SUMMARY: &'static str = "The same product by a ladder of kernels, from naive to pipelined: checked, timed on your own GPU, and what each asked memory for.";
    const KERNELS: &'static [Kernel] = &KERNELS;
    const PARAMS: &'static [Param<Params>] = &[
        kernel(LIST, "tiled").at(|p: &mut Params| p.kernel.slot()),
        side("m", "rows of A and C", "Rows of A: m").at(|p: &mut Params| p.sizes.m.slot()),
        side("n", "columns of B and C", "Columns of B: n").at(|p: &mut Params| p.sizes.n.slot()),
        side("k", "columns of A, rows of B", "Between them: k").at(|p: &mut Params| p.sizes.k.slot()),
        RUN.at(|p: &mut Params| Slot::Whole(&mut p.run)),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Boehm 2022, “How to optimize a CUDA matmul kernel for cuBLAS-like performance”; Goto and van de Geijn 2008, ACM TOMS 34(3) (packing); counted in the kernels, each held against its CPU twin",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Definition, &["flop", "compulsory"]),
        origin(Origin::Rows, &["intensity", "best-intensity"]),
        origin(Origin::Of("Higham 2002, “Accuracy and Stability of Numerical Algorithms”, §3.5"), &["error-bound"]),
    ];
    const QUANTITIES: &'static [Measure<Params, Needs>] = &{
        let [a, b, c, d, e, f, g, h] = measures("Memory beside A, B, C");
        let bound =
            measure("error-bound", "Error bound, relative to |A|·|B|", Unit::Ratio, |p: &Params, _: &Needs| {
                p.kernel.0.error_bound(p.sizes)
            });
        [a, b, c, d, e, f, g, h, bound]
    };

    fn list(self) -> Vec<u64> {
        vec![self.m, self.n, self.k]
    }

    /// A multiplication and an addition for each of mnk terms.
    fn flop(self) -> u64 {
        2 * self.m * self.n * self.k
    }

    fn compulsory(self) -> u64 {
        WORD * (self.m * self.k + self.k * self.n + self.m * self.n)
    }

    fn needs(self, kernel: &Kernel) -> Needs {
        Needs {
            asked: kernel.traffic(self),
            scratch: kernel.scratch(self),
            workgroup_memory: kernel.workgroup_memory(),
            workgroups: kernel.workgroups(self),
        }
    }

    fn full() -> Self {
        Self { m: 2048, n: 2048, k: 2048 }
    }

    fn base(id: &str) -> Option<&'static str> {
        match id {
            "pipelined" => Some("wide"),
            "pipelined-subgroups" => Some("pipelined"),
            "pipelined-f16" => Some("pipelined-deep"),
            _ => None,
        }
    }

    fn finding(self, kernel: &Kernel) -> String {
        let (flop, asked, least) = (self.flop(), kernel.traffic(self).total(), self.compulsory());
        format!(
            "The {} kernel asks memory for {}, {} times what must be moved. That is {} FLOP per byte requested; with every \
             value read once it would be {}. {}",
            kernel.label.to_lowercase(),
            unbroken(&Unit::Bytes.format(asked as f64)),
            number(intensity(asked, least)),
            number(intensity(flop, asked)),
            number(intensity(flop, least)),
            kernel.about
        )
    }
}

impl Kernel {
    /// What its invocations ask memory for.
    pub fn traffic(&self, sizes: Sizes) -> Traffic {
        let Sizes { m, n, k } = sizes;
        let written = WORD * m * n;
        match self.scheme {
            Scheme::Direct => Traffic { read: WORD * 2 * m * n * k, written },
            // A is read once for each column of tiles, B once for each row of them; nothing beyond the edges is read.
            Scheme::Staged(tile) => {
                let a = m * k * n.div_ceil(tile.cols);
                let b = k * n * m.div_ceil(tile.rows);
                Traffic { read: WORD * (a + b), written }
            }
            Scheme::Packed { side, bytes } => {
                let (high, wide) = (m.div_ceil(side), n.div_ceil(side));
                let copies = bytes * side * k * (high + wide);
                let read = bytes * 2 * side * k * high * wide;
                Traffic { read: WORD * (m * k + k * n) + read, written: copies + written }
            }
            Scheme::Pipelined(config) => {
                let [high, wide] = [m.div_ceil(config.rows), n.div_ceil(config.cols)];
                match config.numbers {
                    Numbers::Single => Traffic { read: WORD * (m * k * wide + k * n * high), written },
                    Numbers::HalfTiles | Numbers::HalfSums => {
                        let deep = k.next_multiple_of(config.depth);
                        let [a, b] =
                            [high * config.rows * deep, deep * wide * config.cols].map(|n| n * config.numbers.bytes());
                        Traffic { read: WORD * (m * k + k * n) + a * wide + b * high, written: a + b + written }
                    }
                }
            }
        }
    }

    /// Workgroups that make the products.
    pub fn workgroups(&self, Sizes { m, n, .. }: Sizes) -> u64 {
        let (rows, cols) = match self.scheme {
            Scheme::Direct => (DIRECT, DIRECT),
            Scheme::Staged(tile) => (tile.rows, tile.cols),
            Scheme::Packed { side, .. } => (DIRECT / 2 * side, DIRECT / 2 * side),
            Scheme::Pipelined(config) => (config.rows, config.cols),
        };
        m.div_ceil(rows) * n.div_ceil(cols)
    }

    /// Bytes of memory that it needs beside A, B and C.
    pub fn scratch(&self, sizes: Sizes) -> u64 {
        match self.scheme {
            Scheme::Direct | Scheme::Staged(_) => 0,
            Scheme::Packed { side, bytes } => {
                bytes * side * sizes.k * (sizes.m.div_ceil(side) + sizes.n.div_ceil(side))
            }
            Scheme::Pipelined(Config { numbers: Numbers::Single, .. }) => 0,
            Scheme::Pipelined(config) => {
                let padded = sizes.m.next_multiple_of(config.rows) + sizes.n.next_multiple_of(config.cols);
                config.numbers.bytes() * sizes.k.next_multiple_of(config.depth) * padded
            }
        }
    }

    /// Bytes of workgroup memory that a workgroup occupies.
    pub fn workgroup_memory(&self) -> u64 {
        match self.scheme {
            Scheme::Staged(tile) => WORD * tile.depth * (tile.rows + tile.cols),
            Scheme::Direct | Scheme::Packed { .. } => 0,
            Scheme::Pipelined(config) => config.workgroup_memory(),
        }
    }

    /// The bound on an element's error, over the same element of |A|·|B|: every one of k products and sums is rounded
    /// to f32 (unit roundoff 2⁻²⁴; Higham, "Accuracy and stability of numerical algorithms", §3.5); with copies in f16
    /// both factors are rounded before, to 11 bits; and with sums in f16, so is each of a stage's products and sums.
    pub fn error_bound(&self, sizes: Sizes) -> f64 {
        let (sums, half) = (sizes.k as f64 * 2_f64.powi(-24), 2_f64.powi(-11));
        let gamma = |roundings: f64| roundings * half / (1.0 - roundings * half);
        match self.scheme {
            Scheme::Packed { bytes: 2, .. } | Scheme::Pipelined(Config { numbers: Numbers::HalfTiles, .. }) => {
                sums + 2.0 * half + half * half
            }
            Scheme::Pipelined(config @ Config { numbers: Numbers::HalfSums, .. }) => {
                sums + gamma(config.depth.min(sizes.k) as f64 + 3.0)
            }
            _ => sums,
        }
    }

    /// What an element's error may be beside that bound: in f16 what is below 2⁻¹⁴ has fewer bits, and may be taken for 0 (WGSL,
    /// "Floating point evaluation"): a product and a sum for each step along k.
    pub fn error_floor(&self, sizes: Sizes) -> f64 {
        match self.scheme {
            Scheme::Pipelined(Config { numbers: Numbers::HalfSums, .. }) => 2.0 * sizes.k as f64 * 2_f64.powi(-14),
            _ => 0.0,
        }
    }
}

/// The largest size that the widget takes.
pub const MAX: u64 = 8192;

const LIST: List = List { ids: &names(&KERNELS, false), labels: &names(&KERNELS, true) };

const fn side(name: &'static str, doc: &'static str, label: &'static str) -> Declaration {
    whole(name, doc, [1, MAX], "512").label(label).doubling(13).main()
}

#[cfg(test)]
mod tests {
    use super::super::Chosen;
    use super::super::config::WORKGROUP_MEMORY;
    use super::*;
    use crate::declare::Model as _;

    const CUBE: Sizes = Sizes { m: 1024, n: 1024, k: 1024 };

    #[test]
    fn tiles_divide_the_traffic_by_their_side() {
        let read = |id| Sizes::kernel(id).map(|k| k.traffic(CUBE).read);
        assert_eq!(read("naive"), Some(8 << 30));
        assert_eq!(read("tiled"), Some((8 << 30) / 16));
        assert_eq!(read("register"), Some((8 << 30) / 64));
        assert_eq!(read("wide"), Some((8 << 30) / 128));
        assert_eq!(read("pipelined"), read("wide"));
    }

    #[test]
    fn every_kernel_but_the_lowest_improves_on_another() {
        let ladder = Params::default().ladder();
        let base = |id| ladder.iter().find(|rung| rung.id == id).and_then(|rung| rung.base);
        assert_eq!((base("naive"), base("coalesced"), base("pipelined")), (None, Some("naive"), Some("wide")));
        assert_eq!(
            (base("pipelined-f16"), base("pipelined-f16-sums")),
            (Some("pipelined-deep"), Some("pipelined-f16"))
        );
        assert!(ladder.iter().skip(1).all(|rung| rung.base.is_some_and(|id| Sizes::kernel(id).is_some())));
    }

    #[test]
    fn what_a_kernel_asks_for_is_said() {
        let naive = Params { kernel: Chosen(&KERNELS[0]), sizes: CUBE, run: false };
        let finding = naive.finding();
        assert!(
            finding.starts_with("The naive kernel asks memory for 8.59\u{a0}GB, 683 times what must be moved."),
            "{finding}"
        );
        assert_eq!(Params::read(&naive.query()), (naive, vec![]));
    }

    #[test]
    fn no_kernel_asks_for_less_than_it_must() {
        for kernel in KERNELS {
            for sizes in [CUBE, Sizes { m: 1, n: 1, k: 1 }, Sizes { m: 100, n: 7, k: 33 }] {
                let Sizes { m, n, k } = sizes;
                let asked = kernel.traffic(sizes);
                assert!(
                    asked.read >= WORD * (m * k + k * n) && asked.written >= WORD * m * n,
                    "{} {sizes:?}",
                    kernel.id
                );
                assert!(kernel.workgroup_memory() <= WORKGROUP_MEMORY, "{}", kernel.id);
            }
        }
    }
}
