//! Softmax, layer normalisation and an elementwise chain, fused and not: the descriptors of their kernels, and their twins.

use ringside_core::kernels::rows::{EPSILON, LANES, OWN, Op, Sizes};
use ringside_core::kernels::{Traffic, WORD};

use crate::descriptor::{Binding, Kernel, Parameter, Pass, Resource, Size, Twin};
use crate::lanes;
use crate::problem::Problem;
use crate::source::wgsl;
use crate::template::{Constant, number};

const X: Binding = Binding { number: 0, resource: Resource::Read("x") };
const Y: Binding = Binding { number: 1, resource: Resource::Write("y") };
const SIZES: Binding = Binding {
    number: 2,
    resource: Resource::Parameters(&[Parameter::Dim("rows"), Parameter::Dim("cols"), Parameter::First]),
};
const T: Binding = Binding { number: 3, resource: Resource::Write("t") };
const STAT: Binding = Binding { number: 4, resource: Resource::Write("stat") };
const SQUARES: Binding = Binding { number: 5, resource: Resource::Write("squares") };
const GAMMA: Binding = Binding { number: 6, resource: Resource::Read("gamma") };
const BETA: Binding = Binding { number: 7, resource: Resource::Read("beta") };
const B: Binding = Binding { number: 4, resource: Resource::Read("b") };
const G: Binding = Binding { number: 5, resource: Resource::Read("g") };
const R: Binding = Binding { number: 6, resource: Resource::Read("r") };

/// [`EPSILON`]. The code that writes a number with a fraction would be a twentieth of the worker's.
const EPSILON_IN_WGSL: &str = "1e-5";

const ONE: Size = Size::Of(1);
const ROWS: Size = Size::Dim("rows");
const VALUES: Size = Size::Dim("values");

/// A workgroup for each row.
const fn row(entry: &'static str, bindings: &'static [Binding]) -> Pass {
    Pass { entry, workgroup: [LANES as u32, 1, 1], grid: [ONE, ROWS, ONE], bindings }
}

/// An invocation for each value.
const fn each(entry: &'static str, bindings: &'static [Binding]) -> Pass {
    Pass { entry, workgroup: [LANES as u32, 1, 1], grid: [Size::Tiles("cols", LANES), ROWS, ONE], bindings }
}

const fn plain(op: Op, twin: Twin) -> Kernel {
    Kernel { constants: |_| constants(0), ..Kernel::plain(op.id(), twin) }
}

/// The kernels of each `Op` of `ringside_core::kernels::rows`, in its order.
pub const KERNELS: &[Kernel] = &[
    Kernel {
        id: "unfused",
        template: wgsl!("softmax_unfused"),
        scratch: &[("t", VALUES), ("stat", ROWS)],
        passes: &[
            row("row_max", &[X, SIZES, STAT]),
            each("subtract", &[X, SIZES, T, STAT]),
            each("exponential", &[SIZES, T]),
            row("row_sum", &[SIZES, T, STAT]),
            each("divide", &[Y, SIZES, T, STAT]),
        ],
        ..plain(Op::Softmax, |problem, inputs| twin(problem, inputs, softmax_unfused))
    },
    Kernel {
        id: "fused",
        template: wgsl!("softmax_fused"),
        passes: &[row("main", &[X, Y, SIZES])],
        ..plain(Op::Softmax, |problem, inputs| twin(problem, inputs, |twin, inputs| softmax_fused(twin, inputs, 0)))
    },
    Kernel {
        id: "kept",
        template: wgsl!("softmax_fused"),
        constants: |_| constants(OWN),
        passes: &[row("main", &[X, Y, SIZES])],
        ..plain(Op::Softmax, |problem, inputs| twin(problem, inputs, |twin, inputs| softmax_fused(twin, inputs, OWN)))
    },
    Kernel {
        id: "unfused",
        template: wgsl!("layer_norm_unfused"),
        scratch: &[("t", VALUES), ("squares", VALUES), ("stat", ROWS)],
        passes: &[
            row("mean", &[X, SIZES, STAT]),
            each("subtract", &[X, SIZES, T, STAT]),
            each("square", &[SIZES, T, SQUARES]),
            row("mean_of_squares", &[SIZES, SQUARES, STAT]),
            each("divide", &[SIZES, T, STAT]),
            each("scale", &[SIZES, T, GAMMA]),
            each("shift", &[Y, SIZES, T, BETA]),
        ],
        ..plain(Op::LayerNorm, |problem, inputs| twin(problem, inputs, layer_norm_unfused))
    },
    Kernel {
        id: "fused",
        template: wgsl!("layer_norm_fused"),
        passes: &[row("main", &[X, Y, SIZES, GAMMA, BETA])],
        ..plain(Op::LayerNorm, |problem, inputs| {
            twin(problem, inputs, |twin, inputs| layer_norm_fused(twin, inputs, 0))
        })
    },
    Kernel {
        id: "kept",
        template: wgsl!("layer_norm_fused"),
        constants: |_| constants(OWN),
        passes: &[row("main", &[X, Y, SIZES, GAMMA, BETA])],
        ..plain(Op::LayerNorm, |problem, inputs| {
            twin(problem, inputs, |twin, inputs| layer_norm_fused(twin, inputs, OWN))
        })
    },
    Kernel {
        id: "unfused",
        template: wgsl!("chain_unfused"),
        scratch: &[("t", VALUES)],
        passes: &[
            each("bias", &[X, SIZES, T, B]),
            each("activate", &[SIZES, T]),
            each("gate", &[SIZES, T, G]),
            each("residual", &[Y, SIZES, T, R]),
        ],
        ..plain(Op::Chain, |problem, inputs| twin(problem, inputs, chain_unfused))
    },
    Kernel {
        id: "pairs",
        template: wgsl!("chain_pairs"),
        scratch: &[("t", VALUES)],
        passes: &[each("bias_activate", &[X, SIZES, T, B]), each("gate_residual", &[Y, SIZES, T, G, R])],
        ..plain(Op::Chain, |problem, inputs| twin(problem, inputs, chain_pairs))
    },
    Kernel {
        id: "fused",
        template: wgsl!("chain_fused"),
        passes: &[each("main", &[X, Y, SIZES, B, G, R])],
        ..plain(Op::Chain, |problem, inputs| twin(problem, inputs, chain_fused))
    },
];

fn constants(own: u64) -> Vec<Constant> {
    vec![
        number("LANES", LANES),
        number("OWN", own),
        number("HELD", own * LANES),
        lanes::reduce(LANES),
        ("GELU", wgsl!("gelu").to_owned()),
        ("EPSILON", EPSILON_IN_WGSL.to_owned()),
    ]
}

/// What a kernel does, launch by launch.
type Steps = fn(&mut Rows, &[&[f32]]) -> Vec<f32>;

fn twin(problem: &Problem, inputs: &[Vec<f32>], steps: Steps) -> (Vec<f32>, Traffic) {
    let Problem::Rows(_, sizes) = problem else { return Default::default() };
    let fit = problem.inputs().iter().map(|(_, len)| *len).eq(inputs.iter().map(|data| data.len() as u64));
    if !fit {
        return Default::default();
    }
    let inputs: Vec<&[f32]> = inputs.iter().map(Vec::as_slice).collect();
    let mut twin = Rows { sizes: *sizes, traffic: Traffic::default() };
    (steps(&mut twin, &inputs), twin.traffic)
}

struct Rows {
    sizes: Sizes,
    traffic: Traffic,
}

/// What an invocation reads for its value.
#[derive(Clone, Copy)]
enum From<'a> {
    Matrix(&'a [f32]),
    /// A number for each row.
    Stat(&'a [f32]),
    /// A number for each column.
    Vector(&'a [f32]),
}

impl Rows {
    fn rows<'a>(&self, matrix: &'a [f32]) -> impl Iterator<Item = &'a [f32]> + use<'a> {
        matrix.chunks_exact((self.sizes.cols as usize).max(1))
    }

    /// A launch with an invocation for each value.
    fn each<const N: usize>(&mut self, from: [From; N], compute: fn([f32; N]) -> f32) -> Vec<f32> {
        let cols = self.sizes.cols as usize;
        let value = |i: usize| {
            compute(from.map(|from| match from {
                From::Matrix(data) => data[i],
                From::Stat(data) => data[i / cols],
                From::Vector(data) => data[i % cols],
            }))
        };
        let out: Vec<f32> = (0..self.sizes.values() as usize).map(value).collect();
        self.traffic.read += WORD * N as u64 * self.sizes.values();
        self.traffic.written += WORD * self.sizes.values();
        out
    }

    /// A launch with a workgroup for each row of `from`, which comes to one number.
    fn stat(&mut self, from: &[f32], start: f32, with: fn(f32, f32) -> f32, last: impl Fn(f32) -> f32) -> Vec<f32> {
        let whole = |row: &[f32]| last(lanes::fold(LANES, row.iter().copied(), start, with));
        let out: Vec<f32> = self.rows(from).map(whole).collect();
        self.traffic.read += WORD * self.sizes.values();
        self.traffic.written += WORD * self.sizes.rows;
        out
    }

    /// A launch with a workgroup for each row, which goes along it three times and keeps `own` values in each invocation.
    fn whole(&mut self, from: &[f32], own: u64, row: impl Fn(&[f32]) -> Vec<f32>) -> Vec<f32> {
        let out: Vec<f32> = self.rows(from).flat_map(row).collect();
        let again = self.sizes.cols.saturating_sub(own * LANES);
        self.traffic.read += WORD * (self.sizes.values() + 2 * again * self.sizes.rows);
        self.traffic.written += WORD * self.sizes.values();
        out
    }
}

fn add(a: f32, b: f32) -> f32 {
    a + b
}

fn softmax_unfused(twin: &mut Rows, inputs: &[&[f32]]) -> Vec<f32> {
    let most = twin.stat(inputs[0], -3.4e38, f32::max, |most| most);
    let t = twin.each([From::Matrix(inputs[0]), From::Stat(&most)], |[x, most]| x - most);
    let t = twin.each([From::Matrix(&t)], |[t]| t.exp());
    let sum = twin.stat(&t, 0.0, add, |sum| sum);
    twin.each([From::Matrix(&t), From::Stat(&sum)], |[t, sum]| t / sum)
}

fn softmax_fused(twin: &mut Rows, inputs: &[&[f32]], own: u64) -> Vec<f32> {
    twin.whole(inputs[0], own, |row| {
        let most = lanes::fold(LANES, row.iter().copied(), -3.4e38, f32::max);
        let weights: Vec<f32> = row.iter().map(|x| (x - most).exp()).collect();
        let sum = lanes::fold(LANES, weights.iter().copied(), 0.0, add);
        weights.into_iter().map(|weight| weight / sum).collect()
    })
}

fn layer_norm_unfused(twin: &mut Rows, inputs: &[&[f32]]) -> Vec<f32> {
    let cols = twin.sizes.cols as f32;
    let mean = twin.stat(inputs[0], 0.0, add, |sum| sum / cols);
    let t = twin.each([From::Matrix(inputs[0]), From::Stat(&mean)], |[x, mean]| x - mean);
    let squares = twin.each([From::Matrix(&t)], |[t]| t * t);
    let variance = twin.stat(&squares, 0.0, add, |sum| sum / cols);
    let t = twin.each([From::Matrix(&t), From::Stat(&variance)], |[t, v]| t / (v + EPSILON as f32).sqrt());
    let t = twin.each([From::Matrix(&t), From::Vector(inputs[1])], |[t, gamma]| t * gamma);
    twin.each([From::Matrix(&t), From::Vector(inputs[2])], |[t, beta]| t + beta)
}

fn layer_norm_fused(twin: &mut Rows, inputs: &[&[f32]], own: u64) -> Vec<f32> {
    let (gamma, beta) = (inputs[1], inputs[2]);
    twin.traffic.read += WORD * 2 * twin.sizes.values();
    twin.whole(inputs[0], own, |row| {
        let cols = row.len() as f32;
        let mean = lanes::fold(LANES, row.iter().copied(), 0.0, add) / cols;
        let squares = row.iter().map(|x| (x - mean) * (x - mean));
        let deviation = (lanes::fold(LANES, squares, 0.0, add) / cols + EPSILON as f32).sqrt();
        let scaled = row.iter().zip(gamma).map(|(x, gamma)| (x - mean) / deviation * gamma);
        scaled.zip(beta).map(|(scaled, beta)| scaled + beta).collect()
    })
}

fn gelu(x: f32) -> f32 {
    // 2√(2/π).
    let steep = std::f32::consts::SQRT_2 * std::f32::consts::FRAC_2_SQRT_PI;
    x / (1.0 + (-steep * (x + 0.044_715 * x * x * x)).exp())
}

fn chain_unfused(twin: &mut Rows, inputs: &[&[f32]]) -> Vec<f32> {
    let t = twin.each([From::Matrix(inputs[0]), From::Vector(inputs[1])], |[x, b]| x + b);
    let t = twin.each([From::Matrix(&t)], |[t]| gelu(t));
    let t = twin.each([From::Matrix(&t), From::Matrix(inputs[2])], |[t, g]| t * g);
    twin.each([From::Matrix(&t), From::Matrix(inputs[3])], |[t, r]| t + r)
}

fn chain_pairs(twin: &mut Rows, inputs: &[&[f32]]) -> Vec<f32> {
    let t = twin.each([From::Matrix(inputs[0]), From::Vector(inputs[1])], |[x, b]| gelu(x + b));
    twin.each([From::Matrix(&t), From::Matrix(inputs[2]), From::Matrix(inputs[3])], |[t, g, r]| t * g + r)
}

fn chain_fused(twin: &mut Rows, inputs: &[&[f32]]) -> Vec<f32> {
    let [x, g, r] = [inputs[0], inputs[2], inputs[3]].map(From::Matrix);
    twin.each([x, From::Vector(inputs[1]), g, r], |[x, b, g, r]| gelu(x + b) * g + r)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_add_the_same_as_the_model() {
        assert_eq!(EPSILON_IN_WGSL.parse(), Ok(EPSILON));
    }
}
