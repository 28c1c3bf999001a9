//! A layout in the words of the frameworks that run it: what to paste into a job.
//!
//! What a framework cannot do is refused with the reason, by the rules that its own validation has:
//!
//! - DeepSpeed, `deepspeed/runtime/config.py` and `runtime/pipe/engine.py` at edaa722;
//! - PyTorch's `fully_shard` (FSDP2, pytorch.org/docs/stable/distributed.fsdp.fully_shard.html);
//! - Megatron-LM, `megatron/training/arguments.py` and `megatron/core/transformer/transformer_config.py` at d98e8a6;
//! - torchtitan 0.2.2, `torchtitan/config/job_config.py`, `distributed/parallel_dims.py`, `distributed/pipeline_parallel.py`.
//!
//! `core/tests/frameworks` has those rules once more, written down from the sources, and holds every export to them.

mod deepspeed;
mod fsdp;
mod megatron;
pub(crate) mod torchtitan;

pub use self::megatron::ROTARY;
use super::breakdown::{Mode, Params};
use super::optimizer::Optimizer;

/// A framework to write a layout for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// DeepSpeed's JSON.
    DeepSpeed,
    /// PyTorch's FSDP2 calls.
    Fsdp,
    /// Megatron-LM's command-line flags.
    Megatron,
    /// torchtitan's TOML.
    Torchtitan,
}

/// A layout as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Export {
    /// What to run or to paste, with what was assumed in a comment.
    pub text: String,
    /// What was assumed or is not said, a sentence each.
    pub assumed: Vec<String>,
}

/// What the framework starts with, or why it would not start: a sentence.
pub type Outcome = Result<Export, String>;

impl Target {
    /// All of them.
    pub const ALL: [Target; 4] = [Target::DeepSpeed, Target::Fsdp, Target::Megatron, Target::Torchtitan];

    /// The name in an attribute.
    pub const fn id(self) -> &'static str {
        match self {
            Target::DeepSpeed => "deepspeed",
            Target::Fsdp => "fsdp",
            Target::Megatron => "megatron",
            Target::Torchtitan => "torchtitan",
        }
    }

    /// What a person reads.
    pub const fn label(self) -> &'static str {
        match self {
            Target::DeepSpeed => "DeepSpeed",
            Target::Fsdp => "FSDP2",
            Target::Megatron => "Megatron-LM",
            Target::Torchtitan => "torchtitan",
        }
    }

    /// The name of its file.
    pub const fn file(self) -> &'static str {
        match self {
            Target::DeepSpeed => "ds_config.json",
            Target::Fsdp => "fsdp2.py",
            Target::Megatron => "megatron.sh",
            Target::Torchtitan => "torchtitan.toml",
        }
    }

    /// The target with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.id() == id)
    }

    /// Writes a layout.
    ///
    /// # Errors
    /// Why the framework would not start with it: a sentence.
    pub fn write(self, params: &Params) -> Outcome {
        if params.mode == Mode::Inference {
            return Err("These frameworks train; inference has nothing to write.".to_owned());
        }
        match self {
            Target::DeepSpeed => deepspeed::write(params),
            Target::Fsdp => fsdp::write(params),
            Target::Megatron => megatron::write(params),
            Target::Torchtitan => torchtitan::write(params),
        }
    }
}

impl Params {
    /// Sequences of one optimizer step: mbs × micro-batches × dp.
    fn global_batch(&self) -> u64 {
        self.mbs.saturating_mul(self.layout.pipeline.microbatches).saturating_mul(self.dp)
    }
}

/// An error with this reason if `wrong`.
fn refuse_if(wrong: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if wrong { Err(why()) } else { Ok(()) }
}

/// The axes that split anything besides data, by name: "tp 8 and pp 4"; none if there is none.
fn splits(p: &Params, names: &[&str]) -> Option<String> {
    let l = &p.layout;
    let all = [("tp", l.tp), ("cp", l.cp), ("ep", l.ep), ("pp", l.pipeline.stages)];
    let there = all.into_iter().filter(|(name, n)| *n > 1 && names.contains(name));
    let list: Vec<String> = there.map(|(name, n)| format!("{name} {n}")).collect();
    (!list.is_empty()).then(|| list.join(" and "))
}

/// A comment of one line for each remark, behind `mark`.
fn comment(mark: &str, assumed: &[String]) -> String {
    assumed.iter().map(|line| format!("{mark} {line}\n")).collect()
}

/// The class of PyTorch and its arguments, for an optimizer that PyTorch has.
fn torch_optimizer(optimizer: Optimizer) -> Option<&'static str> {
    Some(match optimizer {
        Optimizer::AdamW => "torch.optim.AdamW(model.parameters(), lr=3e-4)",
        Optimizer::Sgd => "torch.optim.SGD(model.parameters(), lr=0.1)",
        Optimizer::Momentum => "torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)",
        Optimizer::Adafactor => "torch.optim.Adafactor(model.parameters(), lr=1e-2)",
        _ => return None,
    })
}
