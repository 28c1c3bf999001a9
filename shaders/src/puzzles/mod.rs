//! Puzzles of the workbench: the frame that a learner's text stands in, a solution, the sizes it is run at, and a twin that
//! says what is right.
//!
//! A text is run guarded (`ringside_gpu`), at sizes on both sides of every edge. Inputs go on beyond their end with
//! [`POISON`], and the output with values that nobody may touch, so that what is out of bounds is seen: WebGPU would keep it
//! within the buffer and say nothing.

mod check;
mod twin;

pub use check::{POISON, Slip, UNWRITTEN, Wrong};

use ringside_core::kernels::workbench;

use crate::attention::SUBGROUPS;
use crate::descriptor::{Dims, Parameter, Size};
use crate::problem::Random;
use check::Expected;

/// A puzzle of `ringside_core::kernels::workbench`: what it takes to run and to check it.
#[derive(Debug)]
pub struct Puzzle {
    /// Its id there.
    pub id: &'static str,
    /// The whole kernel, with what a learner writes between marks; see [`Puzzle::frame`].
    source: &'static str,
    /// The same kernel in CUDA, to be read.
    pub cuda: &'static str,
    /// The same kernel in Triton, to be read.
    pub triton: &'static str,
    /// Invocations of a workgroup.
    pub workgroup: [u32; 3],
    /// Workgroups by axis.
    pub grid: [Size; 3],
    /// Buffers that are read, bound from 0 on: name, and length in f32.
    pub inputs: &'static [(&'static str, Size)],
    /// The length of `out`, which is bound after them; the uniform with the sizes comes last.
    pub output: Size,
    /// The size along which `out` lies row by row, if it is a matrix.
    pub row: Option<&'static str>,
    /// The sizes in the order of the uniform, each with the least that it can be, of which it is a multiple, and the most
    /// that it is drawn.
    pub sizes: &'static [(&'static str, u64, u64)],
    /// Sizes that are always tried.
    pub edges: &'static [&'static [u64]],
    /// Changes inputs that would be too kind, or too large.
    prepare: fn(&Dims, &mut [Vec<f32>]),
    /// What is right, as the solution computes it.
    twin: fn(&Dims, &[Vec<f32>]) -> Expected,
}

/// Values beyond the end of every buffer.
pub const MARGIN: usize = 16;
/// Sizes that are drawn in each check.
const DRAWN: usize = 3;

/// The kernel of the puzzle `guard` as a function of PyTorch, to be read.
pub const CPP_EXTENSION: &str = include_str!("../../wgsl/puzzles/cpp_extension.py");

/// What stands on the workbench where a learner's own text goes.
pub const OWN: &str = include_str!("../../wgsl/own.wgsl");

/// A run: its sizes and its inputs.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// The sizes.
    pub dims: Dims,
    /// The inputs, without margin.
    pub inputs: Vec<Vec<f32>>,
}

/// What stands around a learner's text, and what stands in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Bindings and the head of `main`.
    pub head: &'static str,
    /// What the learner finds.
    pub start: &'static str,
    /// What the learner is after.
    pub solution: &'static str,
    /// The end of `main`.
    pub tail: &'static str,
}

const N: Size = Size::Dim("n");
const M_N: Size = Size::Product(&[Size::Dim("m"), N]);
const AREA: Size = Size::Product(&[Size::Dim("rows"), Size::Dim("cols")]);
const ONE: Size = Size::Of(1);
const BLOCKS: [Size; 3] = [Size::Tiles("n", workbench::BLOCK), ONE, ONE];
const LINE: [u32; 3] = [workbench::BLOCK as u32, 1, 1];
/// Lengths on both sides of a block.
const LENGTHS: &[&[u64]] = &[&[1], &[63], &[64], &[65], &[200]];
const WHOLE: &[&[u64]] = &[&[64], &[128], &[320]];
const PLANES: &[&[u64]] = &[&[1, 1], &[1, 40], &[40, 1], &[16, 16], &[17, 31]];
const ROWS: &[&[u64]] = &[&[1, 1], &[2, 63], &[3, 64], &[2, 65], &[4, 300]];
const PRODUCTS: &[&[u64]] = &[&[1, 1, 1], &[16, 16, 16], &[17, 15, 33], &[5, 40, 1], &[33, 17, 16]];

macro_rules! sources {
    ($name:literal) => {
        [
            include_str!(concat!("../../wgsl/puzzles/", $name, ".wgsl")),
            include_str!(concat!("../../wgsl/puzzles/", $name, ".cu")),
            include_str!(concat!("../../wgsl/puzzles/", $name, ".py")),
        ]
    };
}

const fn puzzle(id: &'static str, [source, cuda, triton]: [&'static str; 3]) -> Puzzle {
    Puzzle {
        id,
        source,
        cuda,
        triton,
        workgroup: LINE,
        grid: BLOCKS,
        inputs: &[("a", N)],
        output: N,
        row: None,
        sizes: &[("n", 1, 300)],
        edges: LENGTHS,
        prepare: |_, _| {},
        twin: twin::doubled,
    }
}

/// The puzzles of `ringside_core::kernels::workbench`, in its order.
pub const PUZZLES: &[Puzzle] = &[
    Puzzle { sizes: &[("n", 64, 320)], edges: WHOLE, twin: twin::plus_ten, ..puzzle("map", sources!("map")) },
    Puzzle {
        sizes: &[("n", 64, 320)],
        edges: WHOLE,
        inputs: &[("a", N), ("b", N)],
        twin: twin::products,
        ..puzzle("zip", sources!("zip"))
    },
    puzzle("guard", sources!("guard")),
    Puzzle {
        workgroup: [8, 8, 1],
        grid: [Size::Tiles("cols", 8), Size::Tiles("rows", 8), ONE],
        inputs: &[("a", Size::Dim("rows")), ("b", Size::Dim("cols"))],
        output: AREA,
        row: Some("cols"),
        sizes: &[("rows", 1, 40), ("cols", 1, 40)],
        edges: PLANES,
        twin: twin::outer_sum,
        ..puzzle("broadcast", sources!("broadcast"))
    },
    Puzzle {
        workgroup: [16, 16, 1],
        grid: [Size::Tiles("cols", 16), Size::Tiles("rows", 16), ONE],
        inputs: &[("a", AREA)],
        output: AREA,
        row: Some("rows"),
        sizes: &[("rows", 1, 50), ("cols", 1, 50)],
        edges: PLANES,
        twin: twin::transposed,
        ..puzzle("transpose", sources!("transpose"))
    },
    Puzzle { output: Size::Tiles("n", workbench::BLOCK), twin: twin::block_sums, ..puzzle("sum", sources!("sum")) },
    Puzzle {
        inputs: &[("a", N), ("w", Size::Of(workbench::TAPS))],
        twin: twin::convolved,
        ..puzzle("stencil", sources!("stencil"))
    },
    Puzzle {
        grid: [ONE, ONE, ONE],
        inputs: &[("a", N), ("b", N)],
        output: ONE,
        twin: twin::dot,
        ..puzzle("dot", sources!("dot"))
    },
    Puzzle { twin: twin::prefix_sums, ..puzzle("scan", sources!("scan")) },
    Puzzle { twin: twin::product, ..product("matmul", sources!("matmul")) },
    Puzzle { twin: twin::tiled_product, ..product("tiled-matmul", sources!("tiled-matmul")) },
    Puzzle { twin: twin::softmax, ..rows("softmax", sources!("softmax")) },
    Puzzle { twin: twin::online_softmax, ..rows("online-softmax", sources!("online-softmax")) },
    Puzzle {
        grid: [Size::Tiles("n", 4 * workbench::BLOCK), ONE, ONE],
        inputs: &[("a", N), ("b", N)],
        edges: &[&[1], &[4], &[63], &[255], &[256], &[257]],
        sizes: &[("n", 1, 900)],
        twin: twin::doubled_and_added,
        ..puzzle("vector", sources!("vector"))
    },
    Puzzle {
        grid: [Size::By(|dims| (dims.get("rows") * dims.get("cols")).div_ceil(workbench::BLOCK)), ONE, ONE],
        inputs: &[("a", AREA)],
        output: AREA,
        sizes: &[("rows", 1, 40), ("cols", 1, 40), ("high", 1, 9)],
        edges: &[&[1, 1, 1], &[16, 16, 4], &[17, 5, 4], &[3, 40, 8], &[40, 1, 3], &[30, 7, 1]],
        twin: twin::in_bands,
        ..puzzle("grouped", sources!("grouped"))
    },
    Puzzle {
        grid: [Size::Tiles("k", workbench::CHUNK), Size::Dim("rows"), ONE],
        inputs: &[("a", Size::Product(&[Size::Dim("rows"), Size::Dim("k")])), ("b", Size::Dim("k"))],
        output: Size::Product(&[Size::Dim("rows"), Size::Tiles("k", workbench::CHUNK)]),
        sizes: &[("rows", 1, 6), ("k", 1, 1000)],
        edges: &[&[1, 1], &[3, 255], &[2, 256], &[3, 257], &[1, 1000]],
        twin: twin::chunk_sums,
        ..puzzle("split-k", sources!("split-k"))
    },
    Puzzle { twin: twin::tiled_product, ..product("double-buffer", sources!("double-buffer")) },
    Puzzle {
        grid: [Size::Dim("rows"), ONE, ONE],
        inputs: &[
            ("mosts", PAIRS),
            ("sums", PAIRS),
            ("parts", Size::Product(&[Size::Dim("rows"), Size::Dim("chunks"), Size::Dim("d")])),
        ],
        output: Size::Product(&[Size::Dim("rows"), Size::Dim("d")]),
        row: Some("d"),
        sizes: &[("rows", 1, 4), ("chunks", 1, 9), ("d", 1, 150)],
        edges: &[&[1, 1, 1], &[2, 1, 64], &[3, 2, 63], &[2, 5, 65], &[1, 8, 128]],
        prepare: twin::apart,
        twin: twin::merged_chunks,
        ..puzzle("merge", sources!("merge"))
    },
    Puzzle {
        output: Size::Tiles("n", workbench::BLOCK),
        twin: twin::block_sums,
        ..puzzle("subgroup-sum", sources!("subgroup-sum"))
    },
    Puzzle { twin: twin::prefix_sums, ..puzzle("subgroup-scan", sources!("subgroup-scan")) },
    Puzzle { twin: twin::softmax, ..rows("subgroup-softmax", sources!("subgroup-softmax")) },
    Puzzle { twin: twin::compacted, ..puzzle("compact", sources!("compact")) },
];

const PAIRS: Size = Size::Product(&[Size::Dim("rows"), Size::Dim("chunks")]);

const fn product(id: &'static str, sources: [&'static str; 3]) -> Puzzle {
    Puzzle {
        workgroup: [16, 16, 1],
        grid: [Size::Tiles("n", 16), Size::Tiles("m", 16), ONE],
        inputs: &[("a", Size::Product(&[Size::Dim("m"), Size::Dim("k")])), ("b", Size::Product(&[Size::Dim("k"), N]))],
        output: M_N,
        row: Some("n"),
        sizes: &[("m", 1, 40), ("n", 1, 40), ("k", 1, 50)],
        edges: PRODUCTS,
        ..puzzle(id, sources)
    }
}

const fn rows(id: &'static str, sources: [&'static str; 3]) -> Puzzle {
    Puzzle {
        grid: [Size::Dim("rows"), ONE, ONE],
        inputs: &[("a", AREA)],
        output: AREA,
        row: Some("cols"),
        sizes: &[("rows", 1, 4), ("cols", 1, 300)],
        edges: ROWS,
        prepare: twin::far_from_zero,
        ..puzzle(id, sources)
    }
}

/// The puzzle with this id.
pub fn find(id: &str) -> Option<&'static Puzzle> {
    PUZZLES.iter().find(|p| p.id == id)
}

impl Puzzle {
    /// The parts of its text.
    pub fn frame(&self) -> Frame {
        let part = |text: &'static str, mark: &str| text.split_once(mark).unwrap_or((text, ""));
        let (head, rest) = part(self.source, "//# start\n");
        let (start, rest) = part(rest, "//# solution\n");
        let (solution, tail) = part(rest, "//# end\n");
        Frame { head, start, solution, tail }
    }

    /// Whether its frame asks for the feature `subgroups`.
    pub fn subgroups(&self) -> bool {
        self.source.starts_with(SUBGROUPS)
    }

    /// The whole text with `body` in its place.
    pub fn whole(&self, body: &str) -> String {
        let Frame { head, tail, .. } = self.frame();
        let gap = if body.ends_with('\n') { "" } else { "\n" };
        [head, body, gap, tail].concat()
    }

    /// The runs of a check: the edges, and sizes that `seed` draws.
    pub fn cases(&self, seed: u32) -> Vec<Case> {
        let mut random = Random::new(seed);
        let mut all: Vec<Vec<u64>> = self.edges.iter().map(|sizes| sizes.to_vec()).collect();
        for _ in 0..DRAWN {
            let draw = |(_, least, most): &(&str, u64, u64)| {
                let steps = (most / least).max(1);
                let share = f64::from(random.next()).abs();
                least * ((share * steps as f64) as u64 + 1).min(steps)
            };
            all.push(self.sizes.iter().map(draw).collect());
        }
        let numbered = all.into_iter().zip(seed..);
        numbered.map(|(sizes, seed)| self.case(&sizes, seed)).collect()
    }

    /// The run at which it is looked into: the last edge, which has a rest in most puzzles.
    pub fn shown(&self, seed: u32) -> Case {
        self.case(self.edges.last().copied().unwrap_or_default(), seed)
    }

    /// The run at which it is timed, with inputs that `seed` draws.
    pub fn timed(&self, seed: u32) -> Case {
        let sizes = workbench::find(self.id).map_or(&[][..], |p| p.timed);
        self.case(&sizes.iter().map(|(_, size)| *size).collect::<Vec<_>>(), seed)
    }

    fn case(&self, sizes: &[u64], seed: u32) -> Case {
        let dims = Dims(self.sizes.iter().map(|(name, ..)| *name).zip(sizes.iter().copied()).collect());
        let mut random = Random::new(seed);
        let mut inputs: Vec<Vec<f32>> =
            self.inputs.iter().map(|(_, size)| (0..size.at(&dims)).map(|_| random.next()).collect()).collect();
        (self.prepare)(&dims, &mut inputs);
        Case { dims, inputs }
    }

    /// The sizes in the order of the uniform.
    pub fn parameters(&self) -> Vec<Parameter> {
        self.sizes.iter().map(|(name, ..)| Parameter::Dim(name)).collect()
    }

    /// What is wrong with `output`, margin included, after this run; nothing if it is right.
    pub fn check(&self, case: &Case, output: &[f32]) -> Option<Wrong> {
        let width = self.row.map(|row| case.dims.get(row));
        check::compare(&(self.twin)(&case.dims, &case.inputs), output, width)
    }

    /// What the twin comes to, without margin.
    pub fn expected(&self, case: &Case) -> Vec<f32> {
        (self.twin)(&case.dims, &case.inputs).values
    }
}

impl Case {
    /// The sizes in words: `m = 17, n = 15, k = 33`.
    pub fn name(&self) -> String {
        self.dims.0.iter().map(|(name, size)| format!("{name} = {size}")).collect::<Vec<_>>().join(", ")
    }
}
