//! C = A·B: the descriptors of its kernels, and their twins.

use ringside_core::kernels::matmul::{Scheme, Sizes, Tile};
use ringside_core::kernels::{Traffic, WORD, Work as _};

use crate::descriptor::{Binding, Kernel, Parameter, Pass, Resource, Size};
use crate::half;
use crate::pipelined;
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, number};

pub(crate) const SIZES: Binding = Binding {
    number: 3,
    resource: Resource::Parameters(&[Parameter::Dim("m"), Parameter::Dim("n"), Parameter::Dim("k"), Parameter::First]),
};
pub(crate) const A: Binding = Binding { number: 0, resource: Resource::Read("a") };
pub(crate) const B: Binding = Binding { number: 1, resource: Resource::Read("b") };
pub(crate) const C: Binding = Binding { number: 2, resource: Resource::Write("c") };
const PACKED_A: Binding = Binding { number: 4, resource: Resource::Write("packed_a") };
const PACKED_B: Binding = Binding { number: 5, resource: Resource::Write("packed_b") };

pub(crate) const ONE: Size = Size::Of(1);

const fn direct(grid: [Size; 3]) -> Pass {
    Pass { entry: "main", workgroup: [16, 16, 1], grid, bindings: &[A, B, C, SIZES] }
}

const fn staged(side: u64) -> Pass {
    Pass {
        entry: "main",
        workgroup: [16, 16, 1],
        grid: [Size::Tiles("n", side), Size::Tiles("m", side), ONE],
        bindings: &[
            A,
            B,
            C,
            SIZES,
            Binding { number: 4, resource: Resource::Read("a") },
            Binding { number: 5, resource: Resource::Read("b") },
        ],
    }
}

const PACKED: &[Pass] = &[
    Pass {
        entry: "pack_a",
        workgroup: [64, 1, 1],
        grid: [Size::Tiles("k", 64), Size::Tiles("m", 8), ONE],
        bindings: &[A, SIZES, PACKED_A],
    },
    Pass {
        entry: "pack_b",
        workgroup: [64, 1, 1],
        grid: [Size::Tiles("n", 512), Size::Dim("k"), ONE],
        bindings: &[B, SIZES, PACKED_B],
    },
    Pass {
        entry: "multiply",
        workgroup: [8, 8, 1],
        grid: [Size::Tiles("n", 64), Size::Tiles("m", 64), ONE],
        bindings: &[C, SIZES, PACKED_A, PACKED_B],
    },
];

/// What all of them have in common.
const PLAIN: Kernel = Kernel::plain(Sizes::NAME, |problem, inputs| twin(problem, inputs, Scheme::Direct));

/// The ladder of `ringside_core::kernels::matmul`, in its order.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        id: "naive",
        template: wgsl!("matmul_naive"),
        passes: &[direct([Size::Tiles("m", 16), Size::Tiles("n", 16), ONE])],
        ..PLAIN
    },
    Kernel {
        id: "coalesced",
        template: wgsl!("matmul_coalesced"),
        passes: &[direct([Size::Tiles("n", 16), Size::Tiles("m", 16), ONE])],
        ..PLAIN
    },
    Kernel {
        id: "tiled",
        template: wgsl!("matmul_tiled"),
        passes: &[direct([Size::Tiles("n", 16), Size::Tiles("m", 16), ONE])],
        twin: |problem, inputs| twin(problem, inputs, scheme("tiled")),
        ..PLAIN
    },
    Kernel {
        id: "register",
        template: wgsl!("matmul_register"),
        passes: &[direct([Size::Tiles("n", 64), Size::Tiles("m", 64), ONE])],
        twin: |problem, inputs| twin(problem, inputs, scheme("register")),
        ..PLAIN
    },
    Kernel {
        id: "vector",
        template: wgsl!("matmul_staged"),
        constants: |_| staged_constants("vector"),
        passes: &[staged(64)],
        twin: |problem, inputs| twin(problem, inputs, scheme("vector")),
        ..PLAIN
    },
    Kernel {
        id: "wide",
        template: wgsl!("matmul_staged"),
        constants: |_| staged_constants("wide"),
        passes: &[staged(128)],
        twin: |problem, inputs| twin(problem, inputs, scheme("wide")),
        ..PLAIN
    },
    Kernel {
        id: "packed",
        template: wgsl!("matmul_packed"),
        constants: |_| vec![("T", "f32".to_owned()), ("ENABLE", String::new())],
        scratch: &[
            ("packed_a", Size::Product(&[Size::Of(8), Size::Tiles("m", 8), Size::Dim("k")])),
            ("packed_b", Size::Product(&[Size::Of(8), Size::Tiles("n", 8), Size::Dim("k")])),
        ],
        passes: PACKED,
        twin: |problem, inputs| twin(problem, inputs, scheme("packed")),
        ..PLAIN
    },
    Kernel {
        id: "half",
        template: wgsl!("matmul_packed"),
        constants: |_| vec![("T", "f16".to_owned()), ("ENABLE", "enable f16;".to_owned())],
        scratch: &[
            ("packed_a", Size::Product(&[Size::Of(4), Size::Tiles("m", 8), Size::Dim("k")])),
            ("packed_b", Size::Product(&[Size::Of(4), Size::Tiles("n", 8), Size::Dim("k")])),
        ],
        passes: PACKED,
        f16: true,
        twin: |problem, inputs| twin(problem, inputs, scheme("half")),
        ..PLAIN
    },
    pipelined::SINGLE,
    pipelined::DEEP,
    pipelined::SHUFFLED,
    pipelined::HALF_TILES,
    pipelined::HALF_SUMS,
];

fn scheme(id: &str) -> Scheme {
    Sizes::kernel(id).map_or(Scheme::Direct, |k| k.scheme)
}

fn staged_constants(id: &str) -> Vec<Constant> {
    let Scheme::Staged(Tile { rows, cols, depth, own }) = scheme(id) else { return Vec::new() };
    vec![
        number("ROWS", rows),
        number("COLS", cols),
        number("COLS4", cols / 4),
        number("DEPTH", depth),
        number("DEPTH4", depth / 4),
        number("OWN", own),
        number("OWN4", own / 4),
        number("A_VECTORS", rows * depth / 4),
        number("B_VECTORS", depth * cols / 4),
    ]
}

/// What the kernels of `scheme` do: the same tiles, staged in the same order, every sum along k in f32.
fn twin(problem: &Problem, inputs: &[Vec<f32>], scheme: Scheme) -> (Vec<f32>, Traffic) {
    let (Problem::Matmul(sizes), [a, b]) = (problem, inputs) else { return Default::default() };
    match scheme {
        Scheme::Direct => tiles(*sizes, a, b, Tile { rows: 1, cols: 1, depth: sizes.k, own: 1 }),
        Scheme::Staged(tile) => tiles(*sizes, a, b, tile),
        Scheme::Packed { side, bytes } => packed(*sizes, a, b, side as usize, bytes),
        // These have a twin of their own.
        Scheme::Pipelined(_) => Default::default(),
    }
}

/// A tile of C after another; for each, a stage of A's columns and B's rows after another.
pub(crate) fn tiles(sizes: Sizes, a: &[f32], b: &[f32], tile: Tile) -> (Vec<f32>, Traffic) {
    let [m, n, k] = [sizes.m, sizes.n, sizes.k].map(|size| size as usize);
    let [rows, cols, depth] = [tile.rows, tile.cols, tile.depth].map(|size| (size as usize).max(1));
    let mut c = vec![0.0; m * n];
    let mut traffic = Traffic::default();
    for top in (0..m).step_by(rows) {
        for left in (0..n).step_by(cols) {
            let (high, wide) = (rows.min(m - top), cols.min(n - left));
            for start in (0..k).step_by(depth) {
                let deep = depth.min(k - start);
                let stage_a: Vec<&[f32]> = (0..high).map(|i| &a[(top + i) * k + start..][..deep]).collect();
                let stage_b: Vec<&[f32]> = (0..deep).map(|i| &b[(start + i) * n + left..][..wide]).collect();
                traffic.read += WORD * (deep * (high + wide)) as u64;
                for (i, row) in stage_a.iter().enumerate() {
                    let sums = &mut c[(top + i) * n + left..][..wide];
                    for (a, b) in row.iter().zip(&stage_b) {
                        sums.iter_mut().zip(*b).for_each(|(sum, b)| *sum += a * b);
                    }
                }
            }
            traffic.written += WORD * (high * wide) as u64;
        }
    }
    (c, traffic)
}

/// Copies into panels of `side`, then a tile of C from a panel of each.
fn packed(sizes: Sizes, a: &[f32], b: &[f32], side: usize, bytes: u64) -> (Vec<f32>, Traffic) {
    let [m, n, k] = [sizes.m, sizes.n, sizes.k].map(|size| size as usize);
    let side = side.max(1);
    let store = |value: f32| if bytes == WORD { value } else { half::round(value) };
    let mut traffic = Traffic::default();
    // Panels of `lanes` values, one after the other: for each i of k, the values of all lanes.
    let mut pack = |lanes: usize, value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
        let mut copy = vec![0.0; lanes.div_ceil(side) * k * side];
        for (panel, part) in copy.chunks_exact_mut((k * side).max(1)).enumerate() {
            for (i, step) in part.chunks_exact_mut(side).enumerate() {
                for (lane, slot) in step.iter_mut().enumerate().filter(|(lane, _)| panel * side + lane < lanes) {
                    *slot = store(value(panel * side + lane, i));
                    traffic.read += WORD;
                }
            }
        }
        traffic.written += bytes * copy.len() as u64;
        copy
    };
    let panels_a = pack(m, &|row, i| a[row * k + i]);
    let panels_b = pack(n, &|col, i| b[i * n + col]);
    let mut c = vec![0.0; m * n];
    let panel = (k * side).max(1);
    for (high, panel_a) in panels_a.chunks_exact(panel).enumerate() {
        for (wide, panel_b) in panels_b.chunks_exact(panel).enumerate() {
            let mut sums = vec![0.0; side * side];
            for (a, b) in panel_a.chunks_exact(side).zip(panel_b.chunks_exact(side)) {
                traffic.read += bytes * 2 * side as u64;
                for (a, sums) in a.iter().zip(sums.chunks_exact_mut(side)) {
                    sums.iter_mut().zip(b).for_each(|(sum, b)| *sum += a * b);
                }
            }
            let (top, left) = (high * side, wide * side);
            let width = side.min(n - left);
            for (i, sums) in sums.chunks_exact(side).take(side.min(m - top)).enumerate() {
                c[(top + i) * n + left..][..width].copy_from_slice(&sums[..width]);
                traffic.written += WORD * width as u64;
            }
        }
    }
    (c, traffic)
}
