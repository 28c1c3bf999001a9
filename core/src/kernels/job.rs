//! What the GPU's worker is asked to do, and what it says of it.

use serde::{Deserialize, Serialize};

use super::measured::Measured;
use super::timing::Summary;

/// What it is asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Job {
    /// Run one of our kernels, check it, and time it.
    Kernel {
        /// What it computes: `matmul`.
        family: String,
        /// The kernel's id.
        kernel: String,
        /// The sizes, in the order in which the family has them.
        sizes: Vec<u64>,
    },
    /// Run what a learner wrote.
    Text(Text),
}

/// A text in WGSL, and what it is to be run on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Text {
    /// As it was written: what the compiler says is of this.
    pub code: String,
    /// What to run in its place; nothing if it is to be run as it is.
    pub instead: String,
    /// Whether to measure it.
    pub timed: bool,
    /// The runs. All bind the same roles.
    pub cases: Vec<Case>,
}

/// A run of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Workgroups by axis.
    pub grid: [u32; 3],
    /// By binding, what is bound.
    pub buffers: Vec<Buffer>,
}

/// What is bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Buffer {
    /// What it is to the text.
    pub role: Role,
    /// What is in it before the run, in words of four bytes, the lowest byte first.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

impl Buffer {
    /// One of numbers.
    pub fn of(role: Role, values: &[f32]) -> Self {
        Self { role, bytes: values.iter().flat_map(|value| value.to_le_bytes()).collect() }
    }
}

/// What a buffer is to a learner's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// The sizes.
    Uniform,
    /// It is only read.
    Read,
    /// It is written, and wanted back.
    Write,
    /// The same; and if its first bits are not 0 after a case, no other case is run.
    Flag,
}

/// What the worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It can be given a job.
    Ready,
    /// How far the job is.
    Progress {
        /// What it does now, in a few words.
        doing: String,
        /// 0 to 1.
        done: f64,
    },
    /// The job is done; if there is a trouble, on the CPU because of it. What was to be run is not said again.
    Done(Box<Measured>, Option<Trouble>),
    /// A learner's text was compiled, and if it could be, run.
    Ran(Box<Ran>),
    /// The job cannot be done, and is too long for the CPU.
    Failed(Trouble),
}

/// What came of a text in WGSL and the cases that it was run on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ran {
    /// What it ran on.
    pub device: String,
    /// Whether that is a GPU made of software.
    pub software: bool,
    /// What the compiler says. With an error among them nothing was run.
    pub notes: Vec<Note>,
    /// By case that was run, what was in its writable buffers in the end, one after the other.
    pub outputs: Vec<Vec<f32>>,
    /// Time of a run, in seconds; all 0 if none was asked for.
    pub times: Summary,
}

/// What a compiler says of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Whether the text cannot be run for it.
    pub error: bool,
    /// The line, from 1; 0 for none in particular.
    pub line: u32,
    /// The character in the line, from 1; 0 for none in particular.
    pub column: u32,
    /// What is wrong.
    pub text: String,
}

/// Why a kernel did not run on the GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Trouble {
    /// The browser has no WebGPU.
    NoWebGpu,
    /// There is no adapter, for this reason.
    Refused(String),
    /// The adapter gives no device, for this reason.
    NoDevice(String),
    /// The device was lost, for this reason.
    Lost(String),
    /// Nothing was heard of it for so many seconds: it may run for ever, and the device with it.
    Silent(f64),
    /// There is not enough memory for this many bytes.
    OutOfMemory(f64),
    /// A buffer of so many bytes, and so many are allowed.
    TooLarge(f64, f64),
    /// The kernel needs f16, which the adapter does not have.
    NoF16,
    /// The kernel, or what it was to do, was not accepted, for this reason.
    NotAccepted(String),
}
