//! Traces of a training step: what PyTorch's profiler writes, read, diagnosed and simulated.
//!
//! [`Reader`] reads Chrome's trace event format as Kineto writes it (`pytorch/kineto`, `libkineto/src/output_json.cpp`), in pieces, and
//! keeps of each event what a diagnosis needs; what other programs write in that format is read, or named ([`Platform`] says whose device
//! it is of). [`rows`] says which of them count, [`breakdown`], [`idle`] and [`launches`] what they come
//! to, by the definitions of Meta's Holistic Trace Analysis (`facebookresearch/HolisticTraceAnalysis` @ `f4d0062c`) or by ours where
//! those mislead ([`rows::Rules`] has both). [`chrome`] writes such a file.
//!
//! Times are whole nanoseconds. Those of a file are kept as they are, relative to the earliest of them.

pub mod bandwidth;
pub mod breakdown;
mod chrome;
pub mod describe;
pub mod diagnosis;
mod event;
pub mod idle;
pub mod intervals;
mod json;
pub mod kind;
pub mod launches;
pub mod layout;
pub mod look;
mod names;
pub mod platform;
pub mod ranks;
mod read;
pub mod rows;
pub mod select;
pub mod simulate;
#[cfg(test)]
mod tests;
pub mod versus;

pub use chrome::{Event, chrome};
pub use names::Names;
pub use platform::Platform;
pub(crate) use read::SQLITE;
pub use read::{MOST_BYTES, MOST_EVENTS, Problem, Reader};

use serde::{Deserialize, Serialize};

/// What kind of row of the file an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sort {
    /// An operator of PyTorch, `cpu_op`.
    Operator,
    /// A call of the device's runtime or driver: CUDA's, HIP's, SYCL's, another vendor's.
    Call,
    /// A range that the program named, on the CPU.
    Range,
    /// A Python function.
    Python,
    /// A kernel.
    Kernel,
    /// A copy.
    Copy,
    /// A memset.
    Set,
    /// A range of the program as the GPU saw it.
    GpuRange,
    /// A wait that the profiler draws on a stream, `cuda_sync`.
    Wait,
    /// Anything else.
    Other,
}

impl Sort {
    /// Whether it is work of the GPU.
    pub const fn is_work(self) -> bool {
        matches!(self, Sort::Kernel | Sort::Copy | Sort::Set)
    }

    /// What `cat` says, in the words of every version of Kineto since 2021 (`pytorch/kineto`, `libkineto/include/ActivityType.h`). Each
    /// vendor puts its own name before the same words, `xpu_runtime` and `privateuse1_driver`, so the words decide and not the name.
    fn of(category: &str, name: &str) -> Self {
        let starts = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
        match category {
            // What MTIA's firmware records, by the names that HTA's tests have (`hta/common/types.py`).
            "mtia_ccp_events" if starts(&["event_wait"]) => Sort::Wait,
            "mtia_ccp_events" if starts(&["event_record", "merge", "remote", "packet", "job_exe"]) => Sort::Other,
            "mtia_ccp_events" if starts(&["dma"]) => Sort::Copy,
            "mtia_ccp_events" => Sort::Kernel,
            "cpu_op" | "Operator" | "operator" => Sort::Operator,
            "Runtime" => Sort::Call,
            "user_annotation" => Sort::Range,
            "python_function" => Sort::Python,
            "kernel" | "Kernel" => Sort::Kernel,
            "Memcpy" => Sort::Copy,
            "Memset" => Sort::Set,
            "async_gpu" => Sort::GpuRange,
            other => match other.rsplit_once('_').map(|(_, last)| last) {
                Some("runtime" | "driver") => Sort::Call,
                Some("memcpy") => Sort::Copy,
                Some("memset") => Sort::Set,
                Some("sync") => Sort::Wait,
                Some("annotation") if other.ends_with("_user_annotation") => Sort::GpuRange,
                _ => Sort::Other,
            },
        }
    }
}

/// A complete event: what happened from when to when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Its name, of [`Trace::names`].
    pub name: u32,
    /// Its category as written, of [`Trace::names`]; [`Trace::NONE`] for none.
    pub category: u32,
    /// Its row, of [`Trace::tracks`].
    pub track: u32,
    /// Its place among all events of the file.
    pub position: u32,
    /// What kind of row it is.
    pub sort: Sort,
    /// The stream that its arguments name; −1 for none.
    pub stream: i64,
    /// The id of the API call that caused it; −1 for none.
    pub correlation: i64,
    /// When it begins, in nanoseconds.
    pub start: i64,
    /// How long it takes, in nanoseconds; never negative.
    pub length: i64,
}

impl Span {
    /// When it ends, in nanoseconds.
    pub const fn end(&self) -> i64 {
        self.start.saturating_add(self.length)
    }
}

/// A row: a thread of a process, or a stream of a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Track {
    /// The process or device, as written.
    pub process: String,
    /// The thread or stream, as written.
    pub thread: String,
    /// What the file calls the process.
    pub process_name: String,
    /// What the file calls the thread.
    pub thread_name: String,
}

/// What a collective's kernel says of itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Collective {
    /// What was asked for: `allreduce`.
    pub name: String,
    /// Bytes in.
    pub bytes: u64,
    /// Ranks.
    pub group: u32,
}

/// What the caching allocator held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// When, in nanoseconds.
    pub at: i64,
    /// Bytes in tensors.
    pub allocated: u64,
    /// Bytes taken from the device.
    pub reserved: u64,
}

/// A trace of one rank.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Names and categories.
    pub names: Names,
    /// Events with a duration, in the order of the file.
    pub spans: Vec<Span>,
    /// Rows, in the order in which they were first met.
    pub tracks: Vec<Track>,
    /// Collectives by the index of their span, in its order.
    pub collectives: Vec<(u32, Collective)>,
    /// Bandwidths that copies state, in GB/s, by the index of their span, in its order.
    pub bandwidths: Vec<(u32, f64)>,
    /// The allocator's figures on the first GPU, in the order of the file.
    pub memory: Vec<Memory>,
    /// The rank, if the file says it.
    pub rank: Option<u32>,
    /// How many ranks there are, if the file says it.
    pub world: Option<u32>,
    /// What the first device is called, if the file says it.
    pub device: String,
    /// Whose device it is.
    pub platform: Platform,
    /// Whether any time has a fraction of a microsecond: HTA then rounds all of them.
    pub fractions: bool,
    /// What was wrong with the file; what could be read is here all the same.
    pub problems: Vec<Problem>,
}

impl Trace {
    /// The category of an event that has none.
    pub const NONE: u32 = u32::MAX;

    /// The name of a span.
    pub fn name(&self, span: &Span) -> &str {
        self.names.get(span.name)
    }

    /// The earliest start and the latest end, in nanoseconds; nothing for an empty trace.
    pub fn extent(&self) -> Option<(i64, i64)> {
        let first = self.spans.iter().map(|s| s.start).min()?;
        let last = self.spans.iter().map(Span::end).max()?;
        Some((first, last))
    }

    /// How long each step takes that the profiler marked, in nanoseconds.
    pub fn steps(&self) -> impl Iterator<Item = i64> {
        let is_step = |span: &&Span| span.sort == Sort::Range && self.name(span).starts_with("ProfilerStep");
        self.spans.iter().filter(is_step).map(|span| span.length)
    }

    /// For how long at least one of those steps runs, in nanoseconds.
    pub fn stepped(&self) -> i64 {
        let is_step = |span: &&Span| span.sort == Sort::Range && self.name(span).starts_with("ProfilerStep");
        let steps = self.spans.iter().filter(is_step);
        intervals::length(&intervals::union(steps.map(|span| (span.start, span.start.saturating_add(span.length)))))
    }

    /// Whether the GPU does anything in it.
    pub fn has_gpu(&self) -> bool {
        self.spans.iter().any(|s| s.sort.is_work())
    }

    /// The bandwidth that the span with this index states, in GB/s.
    pub fn bandwidth(&self, span: u32) -> Option<f64> {
        let at = self.bandwidths.binary_search_by_key(&span, |b| b.0).ok()?;
        self.bandwidths.get(at).map(|b| b.1)
    }

    /// What the collective with this index of a span says of itself.
    pub fn collective(&self, span: u32) -> Option<&Collective> {
        let at = self.collectives.binary_search_by_key(&span, |c| c.0).ok()?;
        self.collectives.get(at).map(|c| &c.1)
    }
}
