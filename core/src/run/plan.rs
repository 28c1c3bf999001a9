//! A run as the planner and the memory model take it, with what had to be assumed.

use super::file::Run;
use super::given::{self, Missing};
use crate::hardware::{self, links};
use crate::memory::activations::Recompute;
use crate::memory::{self, Convention, Dtype, Optimizer};
use crate::planner::{Choice, Cluster, Degrees, Job};
use crate::quantity::grouped;

/// A setting that nobody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// Where it stands in a run file: `layout.recompute`.
    pub key: &'static str,
    /// What was assumed, and how to say it instead: a sentence.
    pub sentence: String,
}

/// What is said of the sizes of a model whose config says more than any rule counts.
pub(super) const GUESSED: &str = "No rule counts all that the model’s config says, so its sizes are a guess. Check them, then delete guess from model.sizes in the run file.";

impl Assumed {
    /// The GPU, of a run that has only a name that fits several.
    pub(super) fn gpu(run: &Run) -> Option<Self> {
        let (gpu, name) = run.likely()?;
        let others = any_of(&hardware::others(name));
        let sentence = format!("The GPU is the {}: “{name}” may also mean {others}. Set cluster.gpu.", gpu.name);
        Some(Self { key: "cluster.gpu", sentence })
    }

    /// Whether predictions are a range over its values.
    pub(super) fn is_spanned(&self) -> bool {
        given::SPANNED.iter().any(|setting| setting.key == self.key)
    }
}

/// Names as alternatives: `the A, the B or the C`.
pub(super) fn any_of(names: &[&str]) -> String {
    let the: Vec<String> = names.iter().map(|name| format!("the {name}")).collect();
    match the.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "another one".to_owned(),
    }
}

/// A run that can be predicted.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The job.
    pub job: Job,
    /// The layout.
    pub choice: Choice,
    /// The state of the memory model.
    pub memory: memory::Params,
    /// What was assumed.
    pub assumed: Vec<Assumed>,
}

impl Run {
    /// The run as models take it.
    ///
    /// # Errors
    /// What isn't known, or why the layout is impossible, and what would say it.
    pub fn plan(&self) -> Result<Plan, Vec<Missing>> {
        let (setup, problems) = self.setup();
        let mut missing: Vec<Missing> = problems.into_iter().map(Missing::because).collect();
        let l = &self.layout;
        let mut lacks = |is_missing: bool, asks, sentence: &str| {
            if is_missing {
                missing.push(Missing { asks, ..Missing::because(sentence) });
            }
        };
        let (node, nodes) = self.nodes();
        let split: Vec<u64> = [l.tp, l.cp, l.pp].into_iter().flatten().collect();
        let ranks = split.iter().fold(1_u64, |a, b| a.saturating_mul(*b));
        let gpus = node.map(|node| node.saturating_mul(nodes.unwrap_or(1)));
        let gpus = gpus.or_else(|| l.dp.map(|dp| dp.saturating_mul(ranks)));
        lacks(setup.model.is_none_or(|model| model.shape().is_none()), given::MODEL, given::NO_MODEL);
        lacks(setup.gpu.is_none(), given::GPU, given::NO_GPU);
        lacks(
            gpus.is_none(),
            given::GPUS,
            "How many GPUs the run has isn’t known. Paste the launch script, or give them by hand (cluster.node and cluster.nodes in a run file).",
        );
        lacks(
            l.seq.is_none(),
            given::SEQ,
            "The sequence length isn’t known. Paste the launch flags, or give it by hand (layout.seq in a run file).",
        );
        let says_nothing = l.framework.is_none() && [l.tp, l.pp, l.dp].iter().all(Option::is_none);
        lacks(
            gpus.is_some_and(|n| n > 1) && says_nothing,
            given::LAYOUT,
            "How the GPUs share the model isn’t known. Paste the framework’s configuration, or give the degrees by hand (layout.tp, layout.pp and layout.zero in a run file).",
        );
        let (Some(model), Some(gpu), Some(gpus), Some(seq), true) =
            (setup.model, setup.gpu, gpus, l.seq, missing.is_empty())
        else {
            return Err(missing);
        };
        let mut assumed: Vec<Assumed> = Assumed::gpu(self).into_iter().collect();
        if model.is_guess() {
            assumed.push(Assumed { key: "model.sizes", sentence: GUESSED.to_owned() });
        }
        assumed.extend(self.left_open([
            ("layout.tp", l.tp.is_some(), "No tensor parallelism."),
            ("layout.cp", l.cp.is_some(), "No context parallelism."),
            ("layout.ep", l.ep.is_some(), "No expert parallelism."),
            ("layout.pp", l.pp.is_some(), "No pipeline parallelism."),
            ("layout.vpp", l.vpp.is_some(), "No virtual stages."),
            ("layout.dtype", l.dtype.is_some(), "Weights and gradients in bf16."),
            ("layout.optimizer", l.optimizer.is_some(), "AdamW."),
            ("layout.grads", l.grads.is_some(), "Gradients as the framework keeps them."),
            ("layout.fp8", l.fp8.is_some(), "No matrix products in FP8."),
        ]));
        let mut assume = |key, sentence: String| assumed.push(Assumed { key, sentence });
        let [tp, cp, ep, pp, chunks] = [l.tp, l.cp, l.ep, l.pp, l.vpp].map(|n| n.unwrap_or(1).max(1));
        let dp = l.dp.unwrap_or(gpus / ranks.max(1)).max(1);
        let node_size = node.unwrap_or_else(|| {
            if gpus > 1 {
                assume("cluster.node", format!("{} GPUs per node.", grouped(gpus.min(8))));
            }
            gpus.min(8)
        });
        let nodes = match (node, nodes) {
            (Some(_), Some(nodes)) => nodes,
            (Some(node), None) => {
                assume("cluster.nodes", format!("One node of {}.", grouped(node)));
                1
            }
            (None, _) => gpus.div_ceil(node_size.max(1)),
        };
        let [link, net] = [setup.inside(), setup.between()];
        let mut unknown = Vec::new();
        if node_size > 1 && link.is_none() {
            let sentence = "The link inside a node isn’t known. Paste nvidia-smi topo -m, or give it by hand (cluster.link in a run file).";
            unknown.push(Missing { asks: given::INSIDE, ..Missing::because(sentence) });
        }
        if nodes > 1 && net.is_none() {
            let sentence = "The link between nodes isn’t known. Set cluster.net: ndr for 400 Gb/s InfiniBand.";
            unknown.push(Missing { asks: given::BETWEEN, ..Missing::because(sentence) });
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        // Of a link that nothing goes over, any will do.
        let (link, net) = (link.unwrap_or(&links::INSIDE[0]), net.unwrap_or(&links::BETWEEN[0]));
        let mbs = l.mbs.unwrap_or_else(|| match (l.batch, l.microbatches) {
            (Some(batch), Some(m)) if m > 0 => (batch / dp / m).max(1),
            _ => {
                assume("layout.mbs", "Micro-batches of one sequence.".to_owned());
                1
            }
        });
        let batch = l.batch.unwrap_or_else(|| {
            let m = l.microbatches.unwrap_or_else(|| {
                assume("layout.batch", "One micro-batch per step on each data-parallel rank.".to_owned());
                1
            });
            mbs.saturating_mul(m).saturating_mul(dp)
        });
        let flash = l.flash.unwrap_or_else(|| {
            assume("layout.flash", "FlashAttention.".to_owned());
            true
        });
        let zero = l.zero.unwrap_or_else(|| {
            if dp > 1 {
                let ranks = grouped(dp);
                assume(
                    "layout.zero",
                    format!(
                        "DDP: each of the {ranks} data-parallel ranks holds the whole model. Nothing that was read says whether it is DDP, ZeRO or FSDP."
                    ),
                );
            }
            0
        });
        let sp = l.sp.unwrap_or_else(|| {
            if tp > 1 {
                assume("layout.sp", "No sequence parallelism.".to_owned());
            }
            false
        });
        let recompute = l.recompute.unwrap_or_else(|| {
            assume("layout.recompute", "No recomputation.".to_owned());
            Recompute::None
        });
        let cluster = Cluster { gpu, node: node_size.max(1), nodes, link, net };
        let job =
            Job::new(model, cluster, [seq, batch], flash).map_err(|problem| vec![Missing::because(problem.message)])?;
        let choice = Choice {
            degrees: Degrees { tp, cp, ep, dp, pp },
            sp,
            chunks,
            mbs: mbs.max(1),
            zero: zero.min(3),
            recompute,
        };
        job.check_degrees(&choice.degrees)
            .and_then(|()| job.check_schedule(&choice))
            .map_err(|refusal| vec![Missing::because(refusal.to_string())])?;
        let memory = self.memory(&job, &choice);
        Ok(Plan { job, choice, memory, assumed })
    }

    fn memory(&self, job: &Job, choice: &Choice) -> memory::Params {
        memory::Params {
            dtype: self.layout.dtype.unwrap_or(Dtype::Bf16),
            optimizer: self.layout.optimizer.unwrap_or(Optimizer::AdamW),
            convention: match self.layout.framework.as_deref() {
                Some("megatron") if matches!(self.layout.grads, None | Some(Dtype::Fp32)) => Convention::Megatron,
                Some("deepspeed") => Convention::DeepSpeed,
                _ => Convention::Zero,
            },
            ..job.memory_params(choice)
        }
    }

    /// What is assumed of settings that were given with a value that isn't known. Of each setting: its key, whether another input gives
    /// it, and what is assumed.
    pub(super) fn left_open<const N: usize>(
        &self,
        settings: [(&'static str, bool, &'static str); N],
    ) -> impl Iterator<Item = Assumed> {
        let is_open = move |(key, is_given, _): &(&'static str, bool, &'static str)| !is_given && self.is_unknown(key);
        settings.into_iter().filter(is_open).map(|(key, _, sentence)| Assumed { key, sentence: sentence.to_owned() })
    }
}

impl Plan {
    /// Whether its ranges span every value of what was assumed.
    pub(super) fn is_spanned(&self) -> bool {
        self.assumed.iter().all(Assumed::is_spanned)
    }

    /// The plan under each value that an assumed setting could have: itself first.
    pub fn variants(&self, run: &Run) -> Vec<Self> {
        let is_assumed = |key: &str| self.assumed.iter().any(|a| a.key == key);
        let mut all = vec![self.clone()];
        let mut widen = |key: &str, change: &dyn Fn(&Self) -> Vec<Self>| {
            if is_assumed(key) {
                all = all.iter().flat_map(change).collect();
            }
        };
        widen("layout.zero", &|plan| {
            (0..=3).map(|zero| Self { choice: Choice { zero, ..plan.choice }, ..plan.clone() }).collect()
        });
        widen("layout.recompute", &|plan| {
            let with = |recompute| Self { choice: Choice { recompute, ..plan.choice }, ..plan.clone() };
            Recompute::ALL.map(with).to_vec()
        });
        widen("layout.sp", &|plan| {
            [false, true].map(|sp| Self { choice: Choice { sp, ..plan.choice }, ..plan.clone() }).to_vec()
        });
        widen("layout.flash", &|plan| {
            let with = |flash| {
                let mut plan = plan.clone();
                plan.job.flash = flash;
                plan
            };
            [true, false].map(with).to_vec()
        });
        for plan in &mut all {
            plan.memory = run.memory(&plan.job, &plan.choice);
        }
        all
    }

    /// Seconds of a step.
    pub fn step_time(&self) -> f64 {
        self.job.step(&self.choice).total()
    }
}
