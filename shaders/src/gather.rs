//! y\[i\] = x\[place of i\]: reads in an order that is chosen, writes in a row. What an access pattern costs is its time beside a copy's.

use ringside_core::coalescing::measured::{FAMILY, KERNEL};
use ringside_core::kernels::Traffic;

use crate::descriptor::{Binding, Kernel, Parameter, Pass, Resource, Size};
use crate::problem::Problem;
use crate::source::wgsl;

/// Values that a line of 64 workgroups of 64 invocations has.
const LINE: u64 = 64 * 64;

const PARAMETERS: &[Parameter] = &[
    Parameter::Dim("n"),
    Parameter::Dim("order"),
    Parameter::Dim("stride"),
    Parameter::Dim("offset"),
    Parameter::First,
];

/// The kernel of `ringside_core::coalescing::measured`.
pub const KERNELS: &[Kernel] = &[Kernel {
    id: KERNEL,
    template: wgsl!("gather"),
    passes: &[Pass {
        entry: "main",
        workgroup: [64, 1, 1],
        grid: [Size::Of(64), Size::Tiles("n", LINE), Size::Of(1)],
        bindings: &[
            Binding { number: 0, resource: Resource::Read("x") },
            Binding { number: 1, resource: Resource::Write("y") },
            Binding { number: 2, resource: Resource::Parameters(PARAMETERS) },
        ],
    }],
    ..Kernel::plain(FAMILY, gathered)
}];

fn gathered(problem: &Problem, inputs: &[Vec<f32>]) -> (Vec<f32>, Traffic) {
    let (Problem::Gather(gather), [x]) = (problem, inputs) else { return Default::default() };
    let read = |i: u64| x.get(gather.place(i) as usize).copied().unwrap_or_default();
    ((0..gather.n).map(read).collect(), gather.needs().asked)
}
