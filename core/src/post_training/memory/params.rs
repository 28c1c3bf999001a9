//! The parameters of the figure and what they are called.

use super::{Method, Params, Phase, Placement, Role, Step, Where, Work, roles};
use crate::declare::{
    Aim, Applies, Decision, Field as _, Measure, Model, Origin, Origins, Param, Takes, all_apart, all_quiet, applies,
    choice, doc, headline, join, lever, lever_of, measure, origin, real, switch, timed, whole, within, words, yes_no,
};
use crate::hardware;
use crate::hardware::links;
use crate::memory::activations::Recompute;
use crate::memory::{Dtype, Optimizer};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, reference};
use crate::post_training::held::Tune;
use crate::quantity::Unit;
use crate::query::{Query, Reader};

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";
/// Most GPUs.
const GPUS: u64 = 4096;
const MODELS: &str = "The models";
const LAYOUT: &str = "Training";
const ENGINE: &str = "Generation";
const BATCH: &str = "A step";

const MAIN: [Param<Params>; 6] = [
    choice("method", "how the model is trained", Method::LIST, "ppo")
        .label("Method")
        .main()
        .at(|p: &mut Params| p.method.slot()),
    reference::MODEL.default(MODEL).label("Policy").own_control(),
    reference::GUESS.apart(),
    choice("tune", "how the policy is trained: in full, or through an adapter", Tune::LIST, "full")
        .label("Policy training")
        .main()
        .at(|p: &mut Params| p.tune.slot()),
    whole("gpus", "Total GPUs", [1, GPUS], "8")
        .takes(Takes::Gpus)
        .label("GPUs")
        .doubling(12)
        .main()
        .at(|p: &mut Params| p.gpus.slot()),
    choice("placement", "which GPUs have which models, and when", Placement::LIST, "hybrid")
        .label("Model placement")
        .more("")
        .at(|p: &mut Params| p.placement.slot()),
];

const OF_MODELS: [Param<Params>; 9] = all_quiet([
    choice("reward", "the reward model; the policy’s architecture, or another", roles::LIST, "same")
        .label("Reward model")
        .more(MODELS)
        .at(|p: &mut Params| p.reward.slot()),
    choice("critic", "the critic; the policy’s architecture, or another", roles::LIST, "same")
        .label("Critic")
        .more(MODELS)
        .at(|p: &mut Params| p.critic.slot()),
    choice("critic-tune", "how the critic is trained", Tune::LIST, "full")
        .label("Critic training")
        .more(MODELS)
        .at(|p: &mut Params| p.critic_tune.slot()),
    choice("reference", "where the reference is; none: the policy without its adapter, log-probabilities computed before, or no penalty", Where::LIST, "gpu")
        .label("Reference")
        .more(MODELS)
        .at(|p: &mut Params| p.reference.slot()),
    choice("reward-at", "where the reward model is; none: a rule scores", Where::LIST, "gpu")
        .label("Reward model type")
        .labels(&["on the GPUs", "in host memory", "none: a rule"])
        .more(MODELS)
        .at(|p: &mut Params| p.reward_at.slot()),
    whole("rank", "rank of adapters, which are on every linear layer", [1, 1024], "16")
        .label("Adapter rank")
        .doubling(10)
        .more(MODELS)
        .at(|p: &mut Params| p.rank.slot()),
    choice("dtype", "type of what is trained", Dtype::TRAINING_LIST, "bf16")
        .label("Training format")
        .more(MODELS)
        .at(|p: &mut Params| p.dtype.slot()),
    choice("frozen-dtype", "type of what is frozen", Dtype::CACHE_LIST, "bf16")
        .label("Frozen weight format")
        .more(MODELS)
        .at(|p: &mut Params| p.frozen_dtype.slot()),
    choice("optimizer", "optimizer", Optimizer::LIST, "adamw")
        .label("Optimizer")
        .more(MODELS)
        .at(|p: &mut Params| p.optimizer.slot()),
]);

const OF_LAYOUT: [Param<Params>; 8] = all_quiet([
    whole("zero", "ZeRO stage of the policy", [0, 3], "3")
        .takes(Takes::Zero)
        .label("ZeRO stage of the policy")
        .steps(1.0)
        .more(LAYOUT)
        .at(|p: &mut Params| p.zero.slot()),
    whole("critic-zero", "ZeRO stage of the critic", [0, 3], "3")
        .label("ZeRO stage of the critic")
        .steps(1.0)
        .more(LAYOUT)
        .at(|p: &mut Params| p.critic_zero.slot()),
    switch("shard-frozen", "whether frozen weights are partitioned over the GPUs as well", true)
        .label("Frozen weights")
        .labels(&["whole on each", "partitioned"])
        .more(LAYOUT)
        .at(|p: &mut Params| p.shard_frozen.slot()),
    switch("offload", "whether optimizer states are in host memory", false)
        .label("Optimizer states")
        .labels(&["on the GPUs", "in host memory"])
        .more(LAYOUT)
        .at(|p: &mut Params| p.offload.slot()),
    whole("tp", "tensor-parallel ranks in training", [1, 64], "1")
        .takes(Takes::Tensor)
        .label("Tensor-parallel ranks")
        .doubling(6)
        .more(LAYOUT)
        .at(|p: &mut Params| p.tp.slot()),
    whole("mbs", "sequences, or pairs, of a micro-batch", [1, 1024], "1")
        .takes(Takes::MicroBatch)
        .label("Micro-batch size, sequences")
        .doubling(10)
        .more(LAYOUT)
        .at(|p: &mut Params| p.mbs.slot()),
    choice("recompute", "what the backward pass computes again", Recompute::LIST, "full")
        .label("Recomputation")
        .more(LAYOUT)
        .at(|p: &mut Params| p.recompute.slot()),
    real("mfu", "percent of the GPU’s peak that large products reach", [1.0, 100.0], "40")
        .takes_times(Takes::Mfu, 100.0)
        .label("Share of peak FLOP/s reached, percent")
        .each(Unit::Fraction, 0.01)
        .steps(1.0)
        .more(LAYOUT)
        .at(|p: &mut Params| p.mfu.slot()),
]);

const OF_ENGINE: [Param<Params>; 7] = all_quiet([
    whole("gen-gpus", "GPUs that generate, where they are apart", [1, GPUS], "4")
        .label("Generation GPUs")
        .doubling(12)
        .more(ENGINE)
        .at(|p: &mut Params| p.gen_gpus.slot()),
    whole("gen-tp", "tensor-parallel ranks of an engine", [1, 64], "1")
        .label("GPUs per engine")
        .doubling(6)
        .more(ENGINE)
        .at(|p: &mut Params| p.gen_tp.slot()),
    whole("at-once", "sequences at once on an engine; 0 for as many as fit", [0, 65_536], "0")
        .label("Concurrent sequences per engine (0 uses all that fit)")
        .more(ENGINE)
        .at(|p: &mut Params| p.at_once.slot()),
    choice("kv-dtype", "type of the cache", Dtype::CACHE_LIST, "bf16")
        .label("Cache format")
        .more(ENGINE)
        .at(|p: &mut Params| p.kv_dtype.slot()),
    choice("link", "what new weights travel over", links::INSIDE_LIST, "nvlink4")
        .label("Weight transfer link")
        .more(ENGINE)
        .at(|p: &mut Params| p.link.slot()),
    real("mbu", "percent of the GPU’s bandwidth that generation reaches", [1.0, 100.0], "60")
        .takes_times(Takes::Mbu, 100.0)
        .label("Share of link bandwidth reached, percent")
        .each(Unit::Fraction, 0.01)
        .steps(1.0)
        .more(ENGINE)
        .at(|p: &mut Params| p.mbu.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(ENGINE).at(|p: &mut Params| p.gpu.slot()),
]);

const OF_BATCH: [Param<Params>; 6] = all_quiet([
    whole("prompts", "prompts of a step, or pairs, or examples", [1, 1 << 17], "512")
        .label("Prompts per step")
        .doubling(17)
        .more(BATCH)
        .at(|p: &mut Params| p.prompts.slot()),
    whole("group", "GRPO: answers to each prompt", [1, 256], "8")
        .label("Answers per prompt")
        .doubling(8)
        .more(BATCH)
        .at(|p: &mut Params| p.group.slot()),
    whole("prompt", "tokens of a prompt", [1, 1 << 17], "512")
        .label("Tokens per prompt")
        .doubling(17)
        .more(BATCH)
        .at(|p: &mut Params| p.prompt.slot()),
    whole("response", "tokens of an answer", [1, 1 << 17], "1024")
        .label("Tokens per answer")
        .doubling(17)
        .more(BATCH)
        .at(|p: &mut Params| p.response.slot()),
    whole("epochs", "passes of training over each step’s answers", [1, 16], "1")
        .label("Passes per batch")
        .steps(1.0)
        .more(BATCH)
        .at(|p: &mut Params| p.epochs.slot()),
    whole("step", "the phase on show; 0 for all", [0, 9], "0").drawn().at(|p: &mut Params| p.step.slot()),
]);

fn at(s: &Step, work: Work) -> f64 {
    s.phases.iter().find(|p| p.work == work).map_or(0.0, |p| p.total().0)
}

fn states(s: &Step, role: Role) -> f64 {
    s.held[role as usize].parts.states().0
}

impl Model for Params {
    type Result = Step;
    const ID: &'static str = "rlhf-memory";
    const TITLE: &'static str = "Four models at once";
    const SUMMARY: &'static str = "What policy, reference, reward model and critic hold on each GPU in each phase of a step of SFT, DPO, PPO or \
                                   GRPO, and how long each phase takes.";
    const PARAMS: &'static [Param<Self>] =
        &join::<_, 72>(&[&MAIN, &OF_MODELS, &OF_LAYOUT, &OF_ENGINE, &OF_BATCH, &all_apart(&SHAPE)]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["tune"], |p| p.method.trains(Role::Policy)),
        applies(&["placement", "gen-tp", "at-once", "kv-dtype", "link", "mbu", "reward-at"], |p| p.method.generates()),
        applies(&["gen-gpus"], |p| p.method.generates() && p.placement.is_apart()),
        applies(&["critic", "critic-tune", "critic-zero"], |p| p.method.has(Role::Critic)),
        applies(&["reward"], |p| p.method.has(Role::Reward)),
        applies(&["reference"], |p| p.method.has(Role::Reference)),
        applies(&["rank"], |p| p.tune != Tune::Full || p.critic_tune != Tune::Full),
        applies(&["group"], |p| p.method == Method::Grpo),
    ];
    const ORIGIN: Origin = crate::post_training::held::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(crate::model::params::ORIGIN, &["policy-params", "reward-params", "critic-params"]),
        origin(crate::kv_cache::ORIGIN, &["kv-cache"]),
        origin(crate::memory::activations::ORIGIN, &["activations"]),
        origin(crate::hardware::ORIGIN, &["capacity"]),
        origin(crate::memory::overhead::ORIGIN, &["verdict", "fits"]),
        origin(Origin::Rows, &["states", "ratio", "headroom", "generation-share", "generation-flop-share"]),
        origin(
            Origin::Of(
                "Placement after DeepSpeed-Chat, Yao et al. 2023, arXiv:2308.01320, §4, verl and OpenRLHF; memory is the sum of what each phase holds",
            ),
            &["peak", "generation-bytes", "policy-training-bytes", "critic-training-bytes", "copy"],
        ),
        origin(
            super::time::ORIGIN,
            &["generation-time", "scoring-time", "training-time", "step-time", "idle", "at-once-fit", "waves"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Step>] = &[
        measure("policy", "Policy states per GPU", Unit::Bytes, |_, s| states(s, Role::Policy)),
        measure("reference-bytes", "Reference weights per GPU", Unit::Bytes, |_, s| states(s, Role::Reference)),
        measure("reward-bytes", "Reward model weights per GPU", Unit::Bytes, |_, s| states(s, Role::Reward)),
        measure("critic-bytes", "Critic states per GPU", Unit::Bytes, |_, s| states(s, Role::Critic)),
        measure("states", "States of all models per GPU", Unit::Bytes, |_, s| s.states()),
        measure("policy-params", "Policy parameters", Unit::Count, |_, s| s.held[0].params),
        measure("trained", "Trained policy parameters", Unit::Count, |_, s| s.held[0].trained),
        measure("reward-params", "Reward model parameters", Unit::Count, |_, s| s.held[2].params),
        measure("critic-params", "Critic parameters", Unit::Count, |_, s| s.held[3].params),
        measure("pretraining-states", "Pre-training states per GPU", Unit::Bytes, |_, s| s.pretraining_states),
        measure("ratio", "States relative to pre-training", Unit::Ratio, |_, s| {
            s.states() / s.pretraining_states.max(1.0)
        }),
        within(
            |p, _| p.gpu.memory.0,
            headline(
                "What a GPU holds in the fullest phase.",
                measure("peak", "Peak memory", Unit::Bytes, |_, s| s.peak_bytes()),
            ),
        ),
        measure("generation-bytes", "Memory while generating", Unit::Bytes, |_, s| at(s, Work::Generate)),
        measure("policy-training-bytes", "Memory while training the policy", Unit::Bytes, |_, s| {
            at(s, Work::Train(Role::Policy))
        }),
        measure("critic-training-bytes", "Memory while training the critic", Unit::Bytes, |_, s| {
            at(s, Work::Train(Role::Critic))
        }),
        measure("kv-cache", "KV cache per GPU", Unit::Bytes, |_, s| s.generation.cache),
        measure("copy", "Inference engine’s copy of the weights", Unit::Bytes, |_, s| {
            s.phases.iter().find(|p| p.work == Work::Generate).map_or(0.0, |p| p.working.0)
        }),
        measure("activations", "Activations while training the policy", Unit::Bytes, |_, s| {
            s.held[0].parts.activations.0
        }),
        measure("capacity", "GPU memory", Unit::Bytes, |p, _| p.gpu.memory.0),
        measure("headroom", "Memory left", Unit::Bytes, |p, s| p.gpu.memory.0 - s.peak_bytes()),
        yes_no(headline(
            "Whether every phase fits.",
            measure("fits", "Fits", Unit::Count, |_, s| f64::from(u8::from(s.verdict.possible()))),
        )),
        words(
            &["Does not fit", "Tight", "Fits"],
            doc(
                "The fullest phase, with what nobody can compute beside its tensors: the CUDA context, buffers, fragmentation.",
                measure("verdict", "Verdict", Unit::Count, |_, s| f64::from(s.verdict as u8)),
            ),
        ),
        measure("generation-time", "Generation time", Unit::Seconds, |_, s| time(s, Work::Generate)),
        measure("scoring-time", "Scoring time", Unit::Seconds, |_, s| s.seconds(|w| matches!(w, Work::Score(_)))),
        measure("training-time", "Training time", Unit::Seconds, |_, s| s.seconds(|w| matches!(w, Work::Train(_)))),
        headline(
            "Generation, scoring and training.",
            measure("step-time", "Step time", Unit::Seconds, Params::seconds),
        ),
        timed(headline(
            "The share of a step in which answers are generated.",
            measure("generation-share", "Generation share of step time", Unit::Fraction, |_, s| {
                time(s, Work::Generate) / s.seconds(|_| true).max(f64::MIN_POSITIVE)
            }),
        )),
        measure("generation-flop-share", "Generation share of FLOPs", Unit::Fraction, Params::flop_share),
        timed(headline(
            "Time in which a GPU has finished its part and waits.",
            measure("idle", "GPU time waiting for other GPUs", Unit::Fraction, Params::idle),
        )),
        timed(measure("at-once-fit", "Concurrent sequences per engine", Unit::Count, |_, s| s.generation.at_once)),
        timed(measure("waves", "Generation waves", Unit::Count, |_, s| s.generation.waves)),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["peak"],
        aim: Aim::Within,
        judges: &["verdict"],
        words: ["Does not fit", "Fits"],
        levers: &[
            lever_of("shard-frozen", &["true"], "Frozen weights are gathered before they are used."),
            lever_of("zero", &["1", "2", "3"], "ZeRO-3 communicates 50% more; stages 1 and 2 don’t."),
            lever_of("critic-zero", &["1", "2", "3"], "ZeRO-3 communicates 50% more; stages 1 and 2 don’t."),
            lever_of("recompute", &["full"], "It costs one more forward pass in training."),
            lever_of("mbs", &["1"], "Each step runs more micro-batches."),
            lever_of("reference", &["host"], "That model is copied to the GPU in every step."),
            lever_of("reward-at", &["host"], "That model is copied to the GPU in every step."),
            lever_of("offload", &["true"], "The optimizer’s update waits for host memory."),
            lever_of("optimizer", &["adam8bit"], "It changes the numerics: check the loss curve."),
            lever_of("tune", &["lora", "qlora"], "Only an adapter of the policy is trained."),
            lever_of("critic-tune", &["lora", "qlora"], "Only an adapter of the critic is trained."),
            lever("gpu", "It costs larger GPUs."),
            lever_of("gpus", &["2", "4", "8", "16", "32", "64", "128", "256"], "You need more GPUs."),
        ],
        not_counted: "The peak leaves out the CUDA context, communication buffers and fragmentation, several GB. The verdict leaves room for them.",
    });

    fn evaluate(&self) -> Result<Step, String> {
        self.in_range()?;
        self.step_of()
    }

    fn runs(&self, step: &Step) -> bool {
        step.verdict.possible()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }
}

fn time(s: &Step, work: Work) -> f64 {
    s.phases.iter().filter(|p| p.work == work).map(|p: &Phase| p.seconds + p.loading).sum()
}
