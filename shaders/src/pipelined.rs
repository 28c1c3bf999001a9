//! C = A·B by a pipeline: the descriptors of the upper rungs and of what the tuner tries, and their twin.

use ringside_core::kernels::config::{Config, Numbers};
use ringside_core::kernels::matmul::{Sizes, Tile};
use ringside_core::kernels::{Traffic, WORD, Work as _, tuner};

use crate::attention::SUBGROUPS;
use crate::descriptor::{Binding, Dims, Fit, Kernel, Pass, Resource, Size};
use crate::half;
use crate::matmul::{A, B, C, ONE, SIZES, tiles};
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, expand, number};

const HALF_A: Binding = Binding { number: 4, resource: Resource::Write("half_a") };
const HALF_B: Binding = Binding { number: 5, resource: Resource::Write("half_b") };

/// The sizes of a problem that say the shape, in the order in which [`Config::list`] has them.
pub(crate) const SHAPE: [&str; 8] = ["rows", "cols", "depth", "own_rows", "own_cols", "buffers", "group", "numbers"];

/// The shape: the one that a problem of the tuner brings, or that of a rung of the ladder.
fn config(dims: &Dims, rung: Config) -> Config {
    Config::read(&SHAPE.map(|name| dims.get(name))).unwrap_or(rung)
}

/// A number of the shape of a kernel, as a size.
macro_rules! of {
    ($rung:ident, $config:ident => $number:expr) => {
        |dims| {
            let $config = config(dims, Config::$rung);
            $number
        }
    };
}

macro_rules! kernel {
    ($family:expr, $id:literal, $rung:ident, $(convert $first:expr, $second:expr,)? [$($binding:ident),+], $scratch:expr) => {
        Kernel {
            id: $id,
            template: wgsl!("matmul_pipelined"),
            constants: |dims| constants(dims, config(dims, Config::$rung), false),
            fits: &[
                Fit { name: "FIT_ROWS", size: "m", side: of!($rung, c => c.rows) },
                Fit { name: "FIT_COLS", size: "n", side: of!($rung, c => c.cols) },
                Fit { name: "FIT_DEPTH", size: "k", side: of!($rung, c => c.depth) },
            ],
            scratch: $scratch,
            passes: &[
                $($first, $second,)?
                Pass {
                    entry: "main",
                    workgroup: [256, 1, 1],
                    grid: [
                        Size::TilesBy("n", of!($rung, c => c.cols)),
                        Size::TilesBy("m", of!($rung, c => c.rows)),
                        ONE,
                    ],
                    bindings: &[$($binding),+],
                },
            ],
            twin: |problem, inputs| twin(problem, inputs, Config::$rung),
            ..Kernel::plain($family, |_, _| Default::default())
        }
    };
    ($family:expr, $id:literal, $rung:ident) => {
        Kernel {
            f16: true,
            ..kernel!(
                $family,
                $id,
                $rung,
                convert Pass {
                    entry: "convert_a",
                    workgroup: [16, 16, 1],
                    grid: [
                        Size::Tiles("k", 64),
                        Size::Product(&[
                            Size::TilesBy("m", of!($rung, c => c.rows)),
                            Size::By(of!($rung, c => c.rows / 16)),
                        ]),
                        ONE,
                    ],
                    bindings: &[A, SIZES, HALF_A],
                },
                Pass {
                    entry: "convert_b",
                    workgroup: [16, 16, 1],
                    grid: [
                        Size::Product(&[
                            Size::TilesBy("n", of!($rung, c => c.cols)),
                            Size::By(of!($rung, c => c.cols.div_ceil(64))),
                        ]),
                        Size::Product(&[Size::Tiles("k", 32), Size::Of(2)]),
                        ONE,
                    ],
                    bindings: &[B, SIZES, HALF_B],
                },
                [C, SIZES, HALF_A, HALF_B],
                // Two values in the room of an f32.
                &[
                    (
                        "half_a",
                        Size::Product(&[
                            Size::TilesBy("m", of!($rung, c => c.rows)),
                            Size::TilesBy("k", of!($rung, c => c.depth)),
                            Size::By(of!($rung, c => c.rows * c.depth / 2)),
                        ]),
                    ),
                    (
                        "half_b",
                        Size::Product(&[
                            Size::TilesBy("n", of!($rung, c => c.cols)),
                            Size::TilesBy("k", of!($rung, c => c.depth)),
                            Size::By(of!($rung, c => c.cols * c.depth / 2)),
                        ]),
                    ),
                ]
            )
        }
    };
}

/// The upper rungs of the ladder.
pub(crate) const SINGLE: Kernel = kernel!(Sizes::NAME, "pipelined", SINGLE, [A, B, C, SIZES], &[]);
pub(crate) const DEEP: Kernel = kernel!(Sizes::NAME, "pipelined-deep", DEEP, [A, B, C, SIZES], &[]);
pub(crate) const SHUFFLED: Kernel = Kernel {
    id: "pipelined-subgroups",
    constants: |dims| constants(dims, config(dims, Config::SINGLE), true),
    subgroups: true,
    ..SINGLE
};
pub(crate) const HALF_TILES: Kernel = kernel!(Sizes::NAME, "pipelined-f16", HALF_TILES);
pub(crate) const HALF_SUMS: Kernel = kernel!(Sizes::NAME, "pipelined-f16-sums", HALF_SUMS);

/// What the tuner tries: the same with any shape.
pub const TUNED: &[Kernel] = &[
    kernel!(tuner::FAMILY, "f32", SINGLE, [A, B, C, SIZES], &[]),
    kernel!(tuner::FAMILY, "f16", HALF_TILES),
    kernel!(tuner::FAMILY, "f16-sums", HALF_SUMS),
];

/// What stands for the names of the template; `shuffled` says whether four neighbours share what they read of A.
fn constants(dims: &Dims, config: Config, shuffled: bool) -> Vec<Constant> {
    let Config { rows, cols, depth, own_rows, own_cols, buffers, group, numbers } = config;
    let flag = |name, is: bool| number(name, u64::from(is));
    let text = |name, text: &str| (name, text.to_owned());
    let half = numbers != Numbers::Single;
    let lanes = config.lanes();
    let [a_vectors, b_vectors] = [rows, cols].map(|side| side * depth / 4);
    let [a_whole, c_whole] = ["k", "n"].map(|name| dims.get(name).is_multiple_of(4));
    let element = |whole: bool| if whole && !half { "vec4<f32>" } else { "f32" };
    let (sum, f, v) = match numbers {
        Numbers::HalfSums => ("part", "f16", "vec4<f16>"),
        Numbers::Single | Numbers::HalfTiles => ("sum", "f32", "vec4<f32>"),
    };
    let mut all = vec![
        number("ROWS", rows),
        number("COLS", cols),
        number("COLS4", cols / 4),
        number("DEPTH", depth),
        number("DEPTH4", depth / 4),
        number("SHIFT", config.swizzle().1.into()),
        number("OWN_ROWS", own_rows),
        number("OWN_COLS4", own_cols / 4),
        number("ACROSS", config.across()),
        number("HIGH", rows / own_rows),
        number("WARPS_X", config.across() / 8),
        number("LANES", lanes),
        number("BUFFERS", buffers),
        number("GROUP", group),
        number("A_VECTORS", a_vectors),
        number("B_VECTORS", b_vectors),
        number("A_TILE", buffers * a_vectors),
        number("B_TILE", buffers * b_vectors),
        number("A_LOADS", a_vectors.div_ceil(lanes)),
        number("B_LOADS", b_vectors.div_ceil(lanes)),
        flag("A_SOME", !a_vectors.is_multiple_of(lanes)),
        flag("B_SOME", !b_vectors.is_multiple_of(lanes)),
        flag("SINGLE", buffers == 1),
        flag("PARTS", numbers == Numbers::HalfSums),
        flag("HALF", half),
        flag("A_WHOLE", a_whole && !half),
        flag("A_SINGLE", !a_whole && !half),
        flag("B_WHOLE", c_whole && !half),
        flag("B_SINGLE", !c_whole && !half),
        flag("C_WHOLE", c_whole),
        flag("C_SINGLE", !c_whole),
        text("A_ELEMENT", element(a_whole)),
        text("B_ELEMENT", element(c_whole)),
        text("C_ELEMENT", if c_whole { "vec4<f32>" } else { "f32" }),
        text("T", if half { "f16" } else { "f32" }),
        text("F", f),
        text("V", v),
        text("SUM", sum),
        number("QUADS", own_rows / 4),
        flag("ALONE", !shuffled),
        flag("SHUFFLE", shuffled),
        text(
            "ENABLE",
            match (half, shuffled) {
                (true, _) => "enable f16;",
                (_, true) => SUBGROUPS,
                _ => "",
            },
        ),
    ];
    let convert = if half { expand(wgsl!("matmul_convert"), &all) } else { String::new() };
    all.push(("CONVERT", convert));
    all
}

/// What the kernels do: the same tiles in the same stages; in f16 from rounded copies, and where sums are too, each
/// product and sum of a stage rounded.
fn twin(problem: &Problem, inputs: &[Vec<f32>], rung: Config) -> (Vec<f32>, Traffic) {
    let (Problem::Matmul(sizes) | Problem::Tuned(sizes, _), [a, b]) = (problem, inputs) else {
        return Default::default();
    };
    let Config { rows, cols, depth, numbers, .. } = config(&problem.dims(), rung);
    if numbers == Numbers::Single {
        return tiles(*sizes, a, b, Tile { rows, cols, depth, own: 1 });
    }
    let [half_a, half_b] = [a, b].map(|values| values.iter().map(|value| half::round(*value)).collect::<Vec<f32>>());
    let c = match numbers {
        Numbers::HalfSums => half_sums(*sizes, &half_a, &half_b, depth as usize),
        _ => tiles(*sizes, &half_a, &half_b, Tile { rows, cols, depth, own: 1 }).0,
    };
    // Zeros beyond the edges change no sum, and are written and read all the same.
    let mut traffic = Traffic { read: WORD * (a.len() + b.len()) as u64, written: WORD * c.len() as u64 };
    let stage = |side: u64| numbers.bytes() * side * depth;
    for _ in (0..sizes.k).step_by(depth as usize) {
        for _ in (0..sizes.m).step_by(rows as usize) {
            traffic.written += stage(rows);
            for _ in (0..sizes.n).step_by(cols as usize) {
                traffic.read += stage(rows) + stage(cols);
            }
        }
        traffic.written += stage(cols) * sizes.n.div_ceil(cols);
    }
    (c, traffic)
}

/// Products and the sums of a stage in f16, the sums of stages in f32.
fn half_sums(sizes: Sizes, a: &[f32], b: &[f32], depth: usize) -> Vec<f32> {
    let [m, n, k] = [sizes.m, sizes.n, sizes.k].map(|size| size as usize);
    let mut c = vec![0.0; m * n];
    for (row, sums) in c.chunks_exact_mut(n.max(1)).enumerate() {
        for start in (0..k).step_by(depth.max(1)) {
            let mut part = vec![0.0_f32; n];
            for i in start..(start + depth).min(k) {
                let a = a[row * k + i];
                for (part, b) in part.iter_mut().zip(&b[i * n..][..n]) {
                    *part = half::round(*part + half::round(a * b));
                }
            }
            sums.iter_mut().zip(&part).for_each(|(sum, part)| *sum += part);
        }
    }
    c
}
