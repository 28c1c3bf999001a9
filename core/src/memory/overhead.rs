//! What a GPU holds beside the tensors that a plan can name: a range, because nobody can compute it.
//!
//! Each bound is a number that somebody measured, or a default that somebody's code has:
//!
//! - **CUDA context and kernels**: 723 MiB after the first tensor of one process (PyTorch forum, 73021), 1343 MB with
//!   the kernels that a training step loads (Hugging Face, "Model training anatomy").
//! - **Communicators**: 544 MiB a group on four A100s (NVIDIA/nccl#964) to 1.6 GB a group (NVIDIA/nccl#864), for each
//!   kind of parallelism that has more than one rank.
//! - **Buckets**: from ZeRO stage 1 on, none to DeepSpeed's two of 5·10⁸ elements (`reduce_bucket_size`,
//!   `allgather_bucket_size`); never more than the parameters on the GPU.
//! - **Gathered weights**, at stage 3: the largest module, to two whole layers: the one in use and the one prefetched.
//! - **Temporaries**, in training: gradients of activations, fp32 copies, workspaces of kernels. 1.9% to 10.3% of the
//!   tensors: what 31 Megatron-LM runs of dense Llamas on B200s allocated beyond them.
//! - **Fragmentation**: what the caching allocator reserves beyond what is allocated, 2.7% to 9.3% over 43 Megatron-LM
//!   runs on B200s (`simumax_b200_measured.json`; the oracle test checks these bounds). A KV cache in pages wastes at most
//!   3.7%: the 96.3% of its memory that held tokens in vLLM (Kwon et al. 2023, arXiv:2309.06180, Figure 2).

use crate::declare::Origin;
use crate::units::{Bytes, MIB};

/// Where the bounds come from.
pub const ORIGIN: Origin = Origin::Own(
    "bounds that others measured, on the PyTorch forum (73021), in NVIDIA/nccl issues 864 and 964, over 43 Megatron-LM runs (MooreThreads/SimuMax) and by Kwon et al. 2023, arXiv:2309.06180, Figure 2; and DeepSpeed’s default buckets",
);

/// A lower and an upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Range {
    /// At least.
    pub low: Bytes,
    /// At most.
    pub high: Bytes,
}

impl Range {
    fn new(low: f64, high: f64) -> Self {
        Self { low: Bytes(low), high: Bytes(high.max(low)) }
    }
}

/// Reserved beyond allocated, as a fraction of what is allocated: the least and the most that was measured.
pub const FRAGMENTATION: (f64, f64) = (0.027, 0.093);
/// Cache that is reserved and holds no token, as a fraction of it, in pages.
const PAGES: (f64, f64) = (0.0, 0.037);
/// Allocated beyond the tensors of the plan in training, as a fraction of them: the least and the most that was measured.
pub const WORKSPACE: (f64, f64) = (0.019, 0.103);
/// CUDA context of one process, bytes.
const CONTEXT: (f64, f64) = (723.0 * MIB, 1343e6);
/// One communicator, bytes.
const GROUP: (f64, f64) = (544.0 * MIB, 1.6e9);
/// Elements of DeepSpeed's two default buckets.
const BUCKETS: f64 = 2.0 * 5e8;

/// What it is for.
pub const PARTS: [(&str, &str); 4] = [
    ("CUDA context and kernels", "PyTorch forum, topic 73021; Hugging Face, “Model training anatomy”"),
    ("Communicators, buckets, gathered layers", "NVIDIA/nccl issues 864 and 964; DeepSpeed’s default bucket sizes"),
    (
        "Temporaries",
        "MooreThreads/SimuMax, 31 Megatron-LM runs of dense Llamas on 8 B200: allocated beyond these tensors",
    ),
    ("Fragmentation", "MooreThreads/SimuMax, 43 Megatron-LM runs on 8 B200: reserved beyond allocated"),
];

/// The parts of what cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Overhead {
    /// CUDA context and kernels.
    pub context: Range,
    /// Communicators, buckets, gathered weights.
    pub buffers: Range,
    /// Temporaries of a training step, if activations are counted.
    pub workspace: Range,
    /// Fragmentation.
    pub fragmentation: Range,
}

/// What it follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Basis {
    /// Kinds of parallelism with more than one rank.
    pub groups: f64,
    /// Bytes of the tensors on the GPU.
    pub tensors: f64,
    /// Whether the tensors are those of a whole training step.
    pub step: bool,
    /// Bytes of its KV cache, which is kept in pages.
    pub cache: f64,
    /// Bytes of one 16-bit (or fp32) copy of its parameters, if a stage of ZeRO gathers or reduces them; 0 if none.
    pub reduced: f64,
    /// Bytes of one element of them.
    pub element: f64,
    /// Bytes of the largest module and of two whole layers, if stage 3 gathers them; 0 if not.
    pub gathered: (f64, f64),
}

impl Overhead {
    pub(crate) fn of(b: &Basis) -> Self {
        let buckets = b.reduced.min(BUCKETS * b.element);
        let workspace = if b.step { WORKSPACE } else { (0.0, 0.0) };
        let of_tensors = |(low, high): (f64, f64)| (b.tensors * low, b.tensors * high);
        let (workspace, fragmentation) = (of_tensors(workspace), of_tensors(FRAGMENTATION));
        Self {
            context: Range::new(CONTEXT.0, CONTEXT.1),
            buffers: Range::new(b.groups * GROUP.0 + b.gathered.0, b.groups * GROUP.1 + buckets + b.gathered.1),
            workspace: Range::new(workspace.0, workspace.1),
            fragmentation: Range::new(fragmentation.0 + b.cache * PAGES.0, fragmentation.1 + b.cache * PAGES.1),
        }
    }

    /// What an engine of `gpus` GPUs takes of each one before its activations and CUDA graphs: its context and its communicators.
    pub fn of_engine(gpus: u64) -> Range {
        let groups = f64::from(u8::from(gpus > 1));
        Range::new(CONTEXT.0 + groups * GROUP.0, CONTEXT.1 + groups * GROUP.1)
    }

    /// The parts in the order of [`PARTS`].
    pub fn parts(&self) -> [Range; 4] {
        [self.context, self.buffers, self.workspace, self.fragmentation]
    }

    /// The sum of the bounds.
    pub fn total(&self) -> Range {
        let add = |a: Range, b: Range| Range { low: a.low + b.low, high: a.high + b.high };
        self.parts().into_iter().fold(Range::default(), add)
    }
}
