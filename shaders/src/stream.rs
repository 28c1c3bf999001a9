//! Copies, sums and the intensity ladder: the descriptors of their kernels, and their twins.

use ringside_core::kernels::stream::{ADDERS, CHUNK, SPLITS};
use ringside_core::kernels::{Traffic, WORD};

use crate::descriptor::{Binding, Kernel, Parameter, Pass, Resource, Size, Twin};
use crate::lanes;
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, number};

const X: Binding = Binding { number: 0, resource: Resource::Read("x") };
const Y: Binding = Binding { number: 1, resource: Resource::Write("y") };
const MATRIX: Binding = Binding {
    number: 2,
    resource: Resource::Parameters(&[Parameter::Dim("rows"), Parameter::Dim("cols"), Parameter::First]),
};
const LENGTH: Binding = Binding { number: 2, resource: Resource::Parameters(&[Parameter::Dim("n"), Parameter::First]) };
const LADDER: Binding = Binding {
    number: 2,
    resource: Resource::Parameters(&[
        Parameter::Dim("n"),
        Parameter::Dim("fma"),
        Parameter::First,
        Parameter::RootInverse("fma"),
    ]),
};
const PARTIAL: Binding = Binding { number: 3, resource: Resource::Write("partial") };

const ONE: Size = Size::Of(1);
/// Workgroups along the first axis of kernels that go through values in vectors, and values that such a line of 64
/// invocations each has.
const WIDE: Size = Size::Of(64);
const LINE: u64 = 64 * 64 * 4;

const fn copy(grid: [Size; 3]) -> Pass {
    Pass { entry: "main", workgroup: [64, 1, 1], grid, bindings: &[X, Y, MATRIX] }
}

const fn adding(entry: &'static str, groups: Size, bindings: &'static [Binding]) -> Pass {
    Pass { entry, workgroup: [ADDERS as u32, 1, 1], grid: [ONE, groups, ONE], bindings }
}

/// What all copies have in common.
const COPY: Kernel = Kernel::plain("copy", |problem, inputs| copied(problem, inputs, 1));

const fn sum(twin: Twin) -> Kernel {
    Kernel { constants: |_| adders(), ..Kernel::plain("sum", twin) }
}

/// The kernels of `ringside_core::kernels::stream`, in its order.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        id: "strided",
        template: wgsl!("copy_strided"),
        passes: &[copy([Size::Tiles("rows", 64), Size::Dim("cols"), ONE])],
        ..COPY
    },
    Kernel {
        id: "coalesced",
        template: wgsl!("copy_coalesced"),
        passes: &[copy([Size::Tiles("cols", 64), Size::Dim("rows"), ONE])],
        ..COPY
    },
    Kernel {
        id: "vector",
        template: wgsl!("copy_vector"),
        passes: &[copy([WIDE, Size::Tiles("values", LINE), ONE])],
        twin: |problem, inputs| copied(problem, inputs, 4),
        ..COPY
    },
    Kernel {
        id: "one",
        template: wgsl!("sum_one"),
        passes: &[adding("main", ONE, &[X, Y, LENGTH])],
        ..sum(|problem, inputs| summed(problem, inputs, u64::MAX))
    },
    Kernel {
        id: "tree",
        template: wgsl!("sum_tree"),
        scratch: &[("partial", Size::Tiles("n", CHUNK))],
        passes: &[
            adding("chunks", Size::Tiles("n", CHUNK), &[X, LENGTH, PARTIAL]),
            adding("rest", ONE, &[Y, LENGTH, PARTIAL]),
        ],
        ..sum(|problem, inputs| summed(problem, inputs, CHUNK))
    },
    Kernel {
        id: "serial",
        template: wgsl!("sum_serial"),
        passes: &[Pass { entry: "main", workgroup: [1, 1, 1], grid: [ONE, ONE, ONE], bindings: &[X, Y, LENGTH] }],
        ..Kernel::plain("sum", added)
    },
    Kernel {
        id: "split",
        template: wgsl!("sum_split"),
        passes: &[Pass {
            entry: "main",
            workgroup: [SPLITS as u32, 1, 1],
            grid: [ONE, ONE, ONE],
            bindings: &[X, Y, LENGTH],
        }],
        constants: |_| vec![number("SPLITS", SPLITS)],
        ..Kernel::plain("sum", split)
    },
    Kernel {
        id: "pairwise",
        template: wgsl!("sum_pairwise"),
        scratch: &[("partial", Size::Product(&[Size::Of(2), Size::Tiles("n", 2)]))],
        passes: &[adding("main", ONE, &[X, Y, LENGTH, PARTIAL])],
        constants: |_| vec![number("LANES", ADDERS)],
        ..Kernel::plain("sum", paired)
    },
    Kernel {
        id: "atomic",
        template: wgsl!("sum_atomic"),
        passes: &[
            Pass { entry: "clear", workgroup: [1, 1, 1], grid: [ONE, ONE, ONE], bindings: &[Y] },
            adding("main", Size::Tiles("n", CHUNK), &[X, Y, LENGTH]),
        ],
        constants: |_| vec![number("LANES", ADDERS), number("CHUNK", CHUNK)],
        ..Kernel::plain("sum", arrived)
    },
    Kernel {
        id: "ladder",
        template: wgsl!("intensity"),
        passes: &[Pass {
            entry: "main",
            workgroup: [64, 1, 1],
            grid: [WIDE, Size::Tiles("n", LINE), ONE],
            bindings: &[X, Y, LADDER],
        }],
        ..Kernel::plain("intensity", climbed)
    },
];

fn adders() -> Vec<Constant> {
    vec![number("LANES", ADDERS), number("CHUNK", CHUNK), lanes::reduce(ADDERS)]
}

/// Of `values`, moved in vectors of so many.
fn moved(values: usize, vector: usize) -> u64 {
    WORD * values.next_multiple_of(vector) as u64
}

fn copied(problem: &Problem, inputs: &[Vec<f32>], vector: usize) -> (Vec<f32>, Traffic) {
    let (Problem::Copy(_), [x]) = (problem, inputs) else { return Default::default() };
    (x.clone(), Traffic { read: moved(x.len(), vector), written: moved(x.len(), vector) })
}

fn summed(problem: &Problem, inputs: &[Vec<f32>], chunk: u64) -> (Vec<f32>, Traffic) {
    let (Problem::Sum(_), [x]) = (problem, inputs) else { return Default::default() };
    let add = |values: &[f32]| lanes::fold(ADDERS, values.iter().copied(), 0.0, |a, b| a + b);
    let mut traffic = Traffic { read: moved(x.len(), 1), written: WORD };
    if chunk == u64::MAX {
        return (vec![add(x)], traffic);
    }
    let partial: Vec<f32> = x.chunks(chunk as usize).map(add).collect();
    traffic.written += moved(partial.len(), 1);
    traffic.read += moved(partial.len(), 1);
    (vec![add(&partial)], traffic)
}

fn added(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (Problem::Sum(_), [x]) = (problem, inputs) else { return Default::default() };
    (vec![x.iter().fold(0.0, |sum, x| sum + x)], Traffic { read: moved(x.len(), 1), written: WORD })
}

/// Runs of neighbours, each from its first value on, and their sums from the first on.
fn split(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (Problem::Sum(_), [x]) = (problem, inputs) else { return Default::default() };
    let add = |values: &[f32]| values.iter().fold(0.0, |sum, x| sum + x);
    let parts: Vec<f32> = x.chunks(x.len().div_ceil(SPLITS as usize).max(1)).map(add).collect();
    (vec![add(&parts)], Traffic { read: moved(x.len(), 1), written: WORD })
}

/// Neighbours, then neighbouring sums, until one is left.
fn paired(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (Problem::Sum(_), [x]) = (problem, inputs) else { return Default::default() };
    let mut level = x.clone();
    let mut traffic = Traffic { read: moved(x.len(), 1), written: WORD };
    loop {
        level = level.chunks(2).map(|pair| pair.iter().copied().reduce(|a, b| a + b).unwrap_or(0.0)).collect();
        traffic.read += moved(level.len(), 1);
        traffic.written += moved(level.len(), 1);
        if level.len() <= 1 {
            return (level, traffic);
        }
    }
}

/// One after another as they stand, which is one of the orders in which they may arrive.
fn arrived(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (sum, _) = added(problem, inputs);
    let n = inputs.first().map_or(0, Vec::len);
    (sum, Traffic { read: 2 * moved(n, 1), written: moved(n + 1, 1) })
}

fn climbed(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (Problem::Intensity(sizes), [x]) = (problem, inputs) else { return Default::default() };
    let scale = (1.0 / sizes.fma.max(1) as f32).sqrt();
    let value = |start: &f32| (0..sizes.fma).fold(*start, |value, _| value * scale + start);
    (x.iter().map(value).collect(), Traffic { read: moved(x.len(), 4), written: moved(x.len(), 4) })
}
