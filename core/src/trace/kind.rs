//! What a kernel is, by its name.

use super::{Sort, Span, Trace};

/// A kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Arithmetic.
    Computation,
    /// Between GPUs.
    Communication,
    /// Copies and memsets.
    Memory,
    /// None of these.
    Other,
}

impl Kind {
    /// The three that breakdowns speak of.
    pub const WORK: [Self; 3] = [Kind::Computation, Kind::Communication, Kind::Memory];

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Kind::Computation => "computation",
            Kind::Communication => "communication",
            Kind::Memory => "memory",
            Kind::Other => "other",
        }
    }

    /// What HTA's patterns make of a name (`hta/common/types.py:109-133`, `hta/utils/utils.py:104-112`): the first that matches.
    pub fn as_hta(name: &str) -> Self {
        let starts = |list: &[&str]| list.iter().any(|p| name.starts_with(p));
        let has = |list: &[&str]| list.iter().any(|p| name.contains(p));
        let plain = name.strip_prefix("hip").unwrap_or(name);
        if starts(&["nccl", "hip", "hccl"]) || has(&["ncclKernel"]) {
            Kind::Communication
        } else if plain.starts_with("Memcpy") || plain.starts_with("Memset") || name.starts_with("dma") {
            Kind::Memory
        } else if has(&["Memcpy", "Memset", "dma", "Sync"])
            || starts(&["Stream Wait Event", "runFunction", "job_exe", "packet", "pe_exe", "cpum_exe_subgraph"])
            || starts(&["collective_subgraph_execution"])
            || (name.starts_with("cuda") && has(&["LaunchKernel"]))
        {
            Kind::Other
        } else {
            Kind::Computation
        }
    }

    /// What a span is by our rules: what the profiler says it is comes before its name, and collectives are known that are not NCCL's.
    pub fn of(trace: &Trace, index: u32, span: &Span) -> Self {
        let name = trace.name(span);
        match span.sort {
            Sort::Copy if name.contains("PtoP") => Kind::Communication,
            Sort::Copy | Sort::Set => Kind::Memory,
            Sort::Kernel if trace.collective(index).is_some() || communicates(name) => Kind::Communication,
            Sort::Kernel => Kind::Computation,
            _ => Kind::Other,
        }
    }
}

/// Parts of the names of kernels that move data between GPUs: NCCL and RCCL, HCCL (whose kernels Ascend's profiler calls
/// `hcom_allReduce_…`); custom all-reduces of vLLM, SGLang and PyTorch's
/// symmetric memory; NVSHMEM; DeepEP.
const BETWEEN_GPUS: [&str; 11] = [
    "nccl",
    "rccl",
    "hccl",
    "hcom_",
    "multimem_",
    "cross_device_reduce",
    "one_shot_all_reduce",
    "two_shot_all_reduce",
    "nvshmem",
    "deep_ep::",
    "::ep::",
];

/// How XLA names collectives where an operation is no kernel of NCCL's, as on a TPU.
const OF_XLA: [&str; 5] = ["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute"];

/// Whether a kernel of this name moves data between GPUs.
pub(super) fn communicates(name: &str) -> bool {
    BETWEEN_GPUS.iter().any(|part| name.contains(part)) || OF_XLA.iter().any(|start| name.starts_with(start))
}
