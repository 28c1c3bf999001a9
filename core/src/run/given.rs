//! What a person can say of a run by hand, where nothing that was read says it.

use super::file::Run;
use crate::answer::Asked;
use crate::declare::List;
use crate::hardware;
use crate::hardware::links;
use crate::memory::activations::Recompute;
use crate::model::presets;
use crate::setup::{MAX_NODE, MAX_NODES};

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// One of these.
    Choice(List),
    /// A whole number from the first to the second.
    Whole(u64, u64),
}

/// A setting of a run file that a control can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Where it stands: `cluster.gpu`.
    pub key: &'static str,
    /// What a person calls it.
    pub label: &'static str,
    /// Its values.
    pub takes: Takes,
}

const fn setting(key: &'static str, label: &'static str, takes: Takes) -> Setting {
    Setting { key, label, takes }
}

/// Something without which nothing can be predicted, or why a layout is impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What it is, and what would say it: a sentence.
    pub sentence: String,
    /// Settings that would say it; none where it isn't a setting that is missing.
    pub asks: &'static [Setting],
}

impl Missing {
    /// A sentence alone.
    pub(super) fn because(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), asks: &[] }
    }
}

/// What is said where its model isn't known.
pub(super) const NO_MODEL: &str =
    "The model’s sizes aren’t known. Paste its config.json, or name it (model.name in a run file).";
/// The same of its GPU.
pub(super) const NO_GPU: &str =
    "The GPU isn’t known. Paste what nvidia-smi prints, or give it by hand (cluster.gpu in a run file).";
/// The model, by name.
pub(super) const MODEL: &[Setting] = &[setting("model.name", "Model", Takes::Choice(presets::LIST))];
/// The GPU.
pub(super) const GPU: &[Setting] = &[setting("cluster.gpu", "GPU", Takes::Choice(hardware::LIST))];
/// How many GPUs there are.
pub(super) const GPUS: &[Setting] = &[
    setting("cluster.node", "GPUs per node", Takes::Whole(1, MAX_NODE)),
    setting("cluster.nodes", "Nodes", Takes::Whole(1, MAX_NODES)),
];
/// Tokens of a sequence.
pub(super) const SEQ: &[Setting] = &[setting("layout.seq", "Sequence length", Takes::Whole(1, 16_777_216))];
/// How the GPUs share the model.
pub(super) const LAYOUT: &[Setting] = &[
    setting("layout.tp", "Tensor-parallel ranks", Takes::Whole(1, MAX_NODE)),
    setting("layout.pp", "Pipeline stages", Takes::Whole(1, 1024)),
    ZERO,
];
const ZERO: Setting = setting("layout.zero", "ZeRO stage", Takes::Choice(STAGES));
const STAGES: List = List {
    ids: &["0", "1", "2", "3"],
    labels: &[
        "0 or DDP: everything on each GPU",
        "1: optimizer states sharded",
        "2: gradients sharded, too",
        "3 or FSDP: weights sharded, too",
    ],
};
const SWITCH: List = List { ids: &["true", "false"], labels: &["yes", "no"] };
/// Settings whose values are tried where nobody gives one ([`super::Plan::variants`]).
pub(super) const SPANNED: &[Setting] = &[
    ZERO,
    setting("layout.recompute", "Recomputation", Takes::Choice(Recompute::LIST)),
    setting("layout.sp", "Sequence parallelism", Takes::Choice(SWITCH)),
    setting("layout.flash", "FlashAttention", Takes::Choice(SWITCH)),
];
/// The link inside a node.
pub(super) const INSIDE: &[Setting] =
    &[setting("cluster.link", "Link inside a node", Takes::Choice(links::INSIDE_LIST))];
/// The link between nodes.
pub(super) const BETWEEN: &[Setting] =
    &[setting("cluster.net", "Link between nodes", Takes::Choice(links::BETWEEN_LIST))];

/// What follows from others where nobody gives it.
const FOLLOWING: &[Setting] = &[
    setting("layout.mbs", "Micro-batch size", Takes::Whole(1, 1 << 20)),
    setting("layout.batch", "Sequences per step", Takes::Whole(1, 1 << 32)),
];

/// The setting at a key of the run file, if a control can ask for it.
pub fn setting_at(key: &str) -> Option<Setting> {
    let all = [MODEL, GPU, GPUS, SEQ, LAYOUT, SPANNED, INSIDE, BETWEEN, FOLLOWING].into_iter().flatten();
    all.copied().find(|setting| setting.key == key)
}

/// What a person calls settings that no control asks for, as the cards that read them do.
const OTHERS: [(&str, &str); 15] = [
    ("cluster.gpus", "GPUs"),
    ("model.sizes", "Size of the model"),
    ("layout.cp", "Context-parallel ranks"),
    ("layout.ep", "Expert-parallel ranks"),
    ("layout.vpp", "Virtual stages per rank"),
    ("layout.dtype", "Precision"),
    ("layout.optimizer", "Optimizer"),
    ("layout.grads", "Gradients"),
    ("layout.fp8", "FP8 matrix products"),
    ("serving.memory", "Share of the GPU’s memory"),
    ("serving.tp", "Tensor-parallel ranks"),
    ("serving.pp", "Pipeline stages"),
    ("serving.dp", "Data-parallel ranks"),
    ("serving.weight", "Weights stored as"),
    ("serving.kv", "KV cache format"),
];

/// What a person calls the setting at a key of the run file: the words of its control, without what a value means.
pub(super) fn label(key: &str) -> &str {
    let other = || OTHERS.into_iter().find(|(known, _)| *known == key).map(|(_, label)| label);
    let label = setting_at(key).map(|setting| setting.label).or_else(other).unwrap_or(key);
    label.split(',').next().unwrap_or(label)
}

impl Setting {
    /// This run with the setting at this value, an id or a whole number.
    ///
    /// # Errors
    /// A sentence: it can't have this value.
    pub fn put(&self, run: &Run, value: &str) -> Result<Run, String> {
        let (table, name) = self.key.split_once('.').unwrap_or(("", self.key));
        let whole =
            Asked::default().read(value).ok().filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n)).map(|n| n as u64);
        let value = match (self.takes, whole) {
            // Of a stage or a switch the ids are TOML's own.
            (Takes::Choice(list), _) if list.ids.contains(&value) => {
                let is_bare = value.parse::<u8>().is_ok() || value.parse::<bool>().is_ok();
                if is_bare { value.to_owned() } else { format!("\"{value}\"") }
            }
            (Takes::Whole(min, max), Some(n)) if (min..=max).contains(&n) => n.to_string(),
            (Takes::Choice(_), _) => return Err(format!("“{value}” is not a value of “{}”.", self.label)),
            (Takes::Whole(min, max), _) => {
                return Err(format!("{} can’t be “{value}”. Write a whole number from {min} to {max}.", self.label));
            }
        };
        let mut run = run.clone();
        run.take(&Run::parse(&format!("[{table}]\n{name} = {value}\n"))?);
        Ok(run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::compare;

    /// Whatever is asked for can be given, until there is a prediction.
    #[test]
    fn what_is_asked_for_by_a_control_makes_a_prediction() {
        let mut run = Run::default();
        let mut asked = Vec::new();
        for _ in 0..8 {
            let report = compare(&run);
            let asks: Vec<Setting> = report.missing.iter().flat_map(|missing| missing.asks).copied().collect();
            assert_eq!(report.missing.is_empty(), asks.is_empty(), "{:?}", report.missing);
            for setting in &asks {
                let value = match setting.takes {
                    Takes::Choice(list) => {
                        let usual = ["llama-3-8b", "h100-80"].into_iter().find(|id| list.ids.contains(id));
                        usual.unwrap_or(list.ids[0]).to_owned()
                    }
                    Takes::Whole(min, max) => (2_u64).clamp(min, max).to_string(),
                };
                run = setting.put(&run, &value).unwrap_or_else(|why| panic!("{}: {why}", setting.key));
                asked.push(setting.key);
            }
        }
        let report = compare(&run);
        assert!(report.missing.is_empty() && report.row("step-time").is_some(), "{asked:?}: {report:?}");
        assert!(
            ["model.name", "cluster.gpu", "cluster.node", "layout.seq", "layout.zero"]
                .iter()
                .all(|key| asked.contains(key))
        );
        assert!(GPU[0].put(&run, "hopper").is_err() && SEQ[0].put(&run, "0").is_err());
        assert_eq!(GPU[0].put(&run, "t4").map(|run| run.cluster.gpu), Ok(Some("t4".to_owned())));
    }
}
