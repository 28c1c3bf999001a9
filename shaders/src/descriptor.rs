//! What has to be known to run a kernel: its text, what it binds, its parameters and its dispatches.

use ringside_core::kernels::Traffic;

pub use crate::problem::Dims;
use crate::problem::Problem;
use crate::template::{Constant, expand};

/// A kernel: one way to compute what its family is about.
#[derive(Debug)]
pub struct Kernel {
    /// What it computes: `matmul`, `attention`.
    pub family: &'static str,
    /// The name within its family, as in a query string.
    pub id: &'static str,
    /// WGSL with loops to unroll, see [`crate::template`].
    pub template: &'static str,
    /// What stands for the template's names at these sizes.
    pub constants: fn(&Dims) -> Vec<Constant>,
    /// Buffers that it needs beside inputs and output: name, and size in f32.
    pub scratch: &'static [(&'static str, Size)],
    /// The dispatches, in order.
    pub passes: &'static [Pass],
    /// Whether it needs the feature `shader-f16`.
    pub f16: bool,
    /// Whether it needs the feature `subgroups`, and four neighbours in each.
    pub subgroups: bool,
    /// Constants of the pipeline that say where no bounds need be looked at.
    pub fits: &'static [Fit],
    /// The same on the CPU.
    pub twin: Twin,
}

/// A constant of the pipeline: whether tiles of this side cover a size without a rest.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// The name of the `override` in WGSL.
    pub name: &'static str,
    /// The size, by its name.
    pub size: &'static str,
    /// The side of a tile.
    pub side: fn(&Dims) -> u64,
}

impl Fit {
    /// Whether it is so at these sizes.
    pub fn at(&self, dims: &Dims) -> bool {
        dims.get(self.size).is_multiple_of((self.side)(dims).max(1))
    }
}

/// Of a problem and its inputs: the output, and what was read and written.
pub type Twin = fn(&Problem, &[Vec<f32>]) -> (Vec<f32>, Traffic);

/// One dispatch.
#[derive(Debug)]
pub struct Pass {
    /// The function.
    pub entry: &'static str,
    /// Invocations of a workgroup, by axis; the most where they depend on the sizes.
    pub workgroup: [u32; 3],
    /// Workgroups, by axis. Along the second, a run may be cut: the parameter `first` is where a piece starts.
    pub grid: [Size; 3],
    /// What it binds, all in group 0.
    pub bindings: &'static [Binding],
}

/// One binding.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Its number.
    pub number: u32,
    /// What is bound there.
    pub resource: Resource,
}

/// What may be bound.
#[derive(Debug, Clone, Copy)]
pub enum Resource {
    /// A storage buffer, by its name, that is only read.
    Read(&'static str),
    /// A storage buffer, by its name.
    Write(&'static str),
    /// The parameters: a uniform of four bytes each, in this order.
    Parameters(&'static [Parameter]),
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A size, by its name; a u32.
    Dim(&'static str),
    /// `first`, the first workgroup along the second axis; a u32.
    First,
    /// `scale`, one over the root of a size; an f32.
    RootInverse(&'static str),
}

/// A number that depends on the sizes of a problem.
#[derive(Debug, Clone, Copy)]
pub enum Size {
    /// This number.
    Of(u64),
    /// A size, by its name.
    Dim(&'static str),
    /// As many tiles of this side as cover a size.
    Tiles(&'static str, u64),
    /// As many tiles as cover a size, with a side that depends on the sizes.
    TilesBy(&'static str, fn(&Dims) -> u64),
    /// A number that depends on the sizes in another way.
    By(fn(&Dims) -> u64),
    /// All of these, multiplied.
    Product(&'static [Size]),
}

impl Size {
    /// The number at these sizes.
    pub fn at(&self, dims: &Dims) -> u64 {
        match self {
            Self::Of(number) => *number,
            Self::Dim(name) => dims.get(name),
            Self::Tiles(name, side) => dims.get(name).div_ceil(*side),
            Self::TilesBy(name, side) => dims.get(name).div_ceil(side(dims).max(1)),
            Self::By(number) => number(dims),
            Self::Product(factors) => factors.iter().map(|f| f.at(dims)).fold(1, u64::saturating_mul),
        }
    }
}

impl Kernel {
    /// One of `family` that is nothing but its twin: what its kernels are described as differences from.
    pub const fn plain(family: &'static str, twin: Twin) -> Self {
        let (id, template, constants) = ("", "", |_: &Dims| Vec::new());
        Self {
            family,
            id,
            template,
            constants,
            scratch: &[],
            passes: &[],
            f16: false,
            subgroups: false,
            fits: &[],
            twin,
        }
    }

    /// The WGSL for these sizes.
    pub fn wgsl(&self, dims: &Dims) -> String {
        expand(self.template, &(self.constants)(dims))
    }
}

impl Pass {
    /// Workgroups by axis.
    pub fn workgroups(&self, dims: &Dims) -> [u64; 3] {
        self.grid.each_ref().map(|size| size.at(dims))
    }
}

impl Parameter {
    /// The name of the member in WGSL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dim(name) => name,
            Self::First => "first",
            Self::RootInverse(_) => "scale",
        }
    }

    /// Its four bytes.
    fn bytes(self, dims: &Dims, first: u32) -> [u8; 4] {
        match self {
            Self::Dim(name) => (dims.get(name) as u32).to_le_bytes(),
            Self::First => first.to_le_bytes(),
            Self::RootInverse(name) => (1.0 / dims.get(name).max(1) as f32).sqrt().to_le_bytes(),
        }
    }
}

/// The uniform that holds `parameters`, padded to 16 bytes, for a dispatch that starts at workgroup `first`.
pub fn uniform(parameters: &[Parameter], dims: &Dims, first: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = parameters.iter().flat_map(|p| p.bytes(dims, first)).collect();
    bytes.resize(bytes.len().next_multiple_of(16), 0);
    bytes
}
