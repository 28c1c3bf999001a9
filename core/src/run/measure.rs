//! What is measured of a run.

use serde::{Deserialize, Serialize};

use crate::options;
use crate::quantity::Unit;

/// A quantity that logs and tools report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Seconds of an optimizer step.
    StepTime,
    /// Tokens per second of the whole job.
    TokensPerSecond,
    /// Tokens per second per GPU.
    TokensPerGpu,
    /// Sequences per second of the whole job.
    SequencesPerSecond,
    /// FLOP/s per GPU, by the framework's own count.
    Flops,
    /// MFU, by the framework's own count and peak.
    Mfu,
    /// The peak that the framework divides by, FLOP/s.
    Peak,
    /// Most bytes that PyTorch reserved on a GPU.
    MemoryReserved,
    /// Most bytes that PyTorch's tensors took on a GPU.
    MemoryAllocated,
    /// Bytes in use on a GPU by the driver's count.
    MemoryUsed,
    /// Times that PyTorch's allocator had to free its cache and try again.
    AllocationRetries,
    /// The loss scale.
    LossScale,
    /// Bytes of the weights on a GPU.
    Weights,
    /// Bytes that a GPU has for the KV cache.
    KvMemory,
    /// Tokens that the KV cache has room for.
    KvTokens,
    /// The part of the KV cache that is in use.
    KvUsage,
    /// Generated tokens per second.
    GenerationRate,
    /// Prompt tokens that are computed per second.
    PromptRate,
    /// Requests that the engine works on at a time.
    Running,
    /// Requests that wait to be begun.
    Waiting,
    /// Requests that an engine took out of its batch so far because the cache was full.
    Preempted,
    /// The part of the prompts' tokens that are found in the cache.
    PrefixHits,
    /// Mean seconds from a request to its first token (TTFT).
    FirstToken,
    /// Mean seconds per further token of a request (TPOT).
    PerToken,
    /// Bus bandwidth of a collective on its largest buffer, bytes per second.
    BusBandwidth,
    /// Ranks of that collective.
    BusRanks,
    /// GPUs per node that take part in it.
    BusNode,
    /// The part of a traced step in which a GPU computes.
    GpuCompute,
    /// The part of it in which something runs on the GPU and nothing computes: exposed communication and copies.
    GpuExposed,
    /// The part of it in which nothing runs on the GPU.
    GpuIdle,
    /// Bytes that a GPU sends in a step for the collectives of a trace.
    Sent,
    /// SM clock under load, hertz.
    Clock,
    /// Seconds per step that the slowest rank takes longer than the fastest.
    Straggling,
}

options!(Metric {
    StepTime: "step-time", "Step time";
    TokensPerSecond: "tokens-per-second", "Tokens/s";
    TokensPerGpu: "tokens-per-gpu", "Tokens/s per GPU";
    SequencesPerSecond: "sequences-per-second", "Sequences/s";
    Flops: "flops", "Reported FLOP/s per GPU";
    Mfu: "mfu", "Reported MFU";
    Peak: "peak", "Peak that the log divides by";
    MemoryReserved: "memory-reserved", "Memory reserved by PyTorch";
    MemoryAllocated: "memory-allocated", "Memory allocated by PyTorch";
    MemoryUsed: "memory-used", "Memory in use (driver)";
    AllocationRetries: "allocation-retries", "Allocation retries";
    LossScale: "loss-scale", "Loss scale";
    Weights: "weights", "Weights per GPU";
    KvMemory: "kv-memory", "Memory for the KV cache";
    KvTokens: "kv-tokens", "KV cache capacity, tokens";
    KvUsage: "kv-usage", "KV cache usage";
    GenerationRate: "generation-rate", "Generated tokens/s";
    PromptRate: "prompt-rate", "Prompt tokens/s";
    Running: "running", "Requests running";
    Waiting: "waiting", "Requests waiting";
    Preempted: "preempted", "Preemptions so far";
    PrefixHits: "prefix-hits", "Prompt tokens found in the cache";
    FirstToken: "first-token", "Time to first token, mean";
    PerToken: "per-token", "Time per further token, mean";
    BusBandwidth: "bus-bandwidth", "Bus bandwidth of a ring collective";
    BusRanks: "bus-ranks", "Ranks of the collective";
    BusNode: "bus-node", "GPUs per node of the collective";
    GpuCompute: "gpu-compute", "GPU computing, share of the step";
    GpuExposed: "gpu-exposed", "Exposed communication and copies, share of the step";
    GpuIdle: "gpu-idle", "GPU idle, share of the step";
    Sent: "sent", "Communication sent per GPU per step";
    Clock: "clock", "SM clock";
    Straggling: "straggling", "Slowest rank less fastest, per step";
});

impl Metric {
    /// Its unit.
    pub const fn unit(self) -> Unit {
        match self {
            Self::StepTime | Self::FirstToken | Self::PerToken | Self::Straggling => Unit::Seconds,
            Self::Flops | Self::Peak => Unit::FlopPerSecond,
            Self::Mfu | Self::KvUsage | Self::PrefixHits | Self::GpuCompute | Self::GpuExposed | Self::GpuIdle => {
                Unit::Fraction
            }
            Self::MemoryReserved
            | Self::MemoryAllocated
            | Self::MemoryUsed
            | Self::Weights
            | Self::KvMemory
            | Self::Sent => Unit::Bytes,
            Self::BusBandwidth => Unit::BytesPerSecond,
            Self::TokensPerSecond
            | Self::TokensPerGpu
            | Self::SequencesPerSecond
            | Self::AllocationRetries
            | Self::LossScale
            | Self::KvTokens
            | Self::GenerationRate
            | Self::PromptRate
            | Self::Running
            | Self::Waiting
            | Self::Preempted
            | Self::BusRanks
            | Self::BusNode
            | Self::Clock => Unit::Count,
        }
    }

    /// A value of it for a person.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Clock => format!("{} MHz", crate::quantity::number(value / 1e6)),
            _ => self.unit().format(value),
        }
    }

    /// Whether a value can be one: finite, not negative, a fraction at most 2, since an MFU over a wrong peak can exceed 1.
    pub fn takes(self, value: f64) -> bool {
        let most = if self.unit() == Unit::Fraction { 2.0 } else { 1e21 };
        let of_engine =
            [Self::KvUsage, Self::PrefixHits, Self::PromptRate, Self::Running, Self::Waiting, Self::Preempted];
        let positive = value > 0.0
            || of_engine.contains(&self)
            || matches!(self, Self::AllocationRetries | Self::GpuIdle | Self::GpuExposed | Self::Straggling);
        value.is_finite() && value >= 0.0 && value <= most && positive
    }
}

/// A measured value and where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// In the metric's base unit: bytes, seconds, FLOP/s, fractions.
    pub value: f64,
    /// The file and lines, or the document.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub from: String,
}
