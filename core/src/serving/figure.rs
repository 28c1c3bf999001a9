//! `continuous-batching`: requests come, a scheduler fills steps with them, and what users see of it.

use super::command::{Read, Serve, Server};
use super::machine::{self, Machine, Serves};
use super::requests::{Lengths, MOST, Request, Trace, Workload};
use super::result::{Slo, percentile};
use super::scheduler::{Policy, Rules};
use super::simulate::{Moment, Schedule, Use, simulate};
use super::step::Engine;
use super::sweep::{Sweep, sweep};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, applies, choice, headline, join, measure,
    origin, real, switch, target, text, when, whole,
};
use crate::hardware::links;
use crate::model::{ModelRef, reference};
use crate::options;
use crate::quantity::{Unit, grouped};
use crate::query::{Query, Reader};
use crate::scheduler::jobs::Wrong;

/// More steps than there ever are.
pub const ALL_STEPS: u64 = 1_000_000;
/// Most blocks that are simulated.
const MOST_BLOCKS: u64 = 1 << 18;
/// The most that all steps of a simulation together may do: one for each request of each step.
const BUDGET: usize = 300_000;
/// Most requests of a step.
const MOST_SEQS: u64 = 1024;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// Slots over time.
    #[default]
    Schedule,
    /// Requests a second that keep the promises, over those that come.
    Goodput,
    /// Latencies over the requests a second that come.
    Latency,
}

options!(View {
    Schedule: "schedule", "Schedule";
    Goodput: "goodput", "Goodput";
    Latency: "latency", "Latency";
});

/// The model where none is given.
const MODEL: &str = "llama-3-8b";

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// What is shown.
    pub view: View,
    /// The machine of a replica.
    pub machine: Machine,
    /// Which requests a step is spent on.
    pub policy: Policy,
    /// Requests a second.
    pub rate: f64,
    /// Requests of a step at the most.
    pub seqs: u64,
    /// New tokens of a step at the most.
    pub tokens: u64,
    /// Tokens of a block.
    pub block: u64,
    /// Blocks of the cache; 0 for what fits.
    pub blocks: u64,
    /// Whether prefixes are used again.
    pub prefix: bool,
    /// Requests.
    pub requests: u64,
    /// Tokens of a prompt on average.
    pub prompt: u64,
    /// Tokens of an answer on average.
    pub output: u64,
    /// How lengths differ.
    pub lengths: Lengths,
    /// Tokens that all prompts begin with.
    pub shared: u64,
    /// The seed.
    pub seed: u64,
    /// Requests of one's own.
    pub trace: Trace,
    /// What users are promised.
    pub first: f64,
    /// And for each token.
    pub token: f64,
    /// Steps that have been done.
    pub step: u64,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// The schedule.
    pub schedule: Schedule,
    /// Lines of one's own trace that cannot be used.
    pub wrong: Vec<Wrong>,
    /// Tokens that fit in the cache of a replica.
    pub fit: f64,
    /// The same load at other rates and with other policies; empty while the schedule is shown.
    pub sweep: Sweep,
}

impl Serves for Params {
    fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

const OWN: [Param<Params>; 19] = [
    choice("view", "what is shown", View::LIST, "schedule").label("Show").main().at(|p: &mut Params| p.view.slot()),
    choice("policy", "which requests a step is spent on", Policy::LIST, "prefill-first")
        .label("Batching")
        .main()
        .at(|p| p.policy.slot()),
    real("rate", "requests per second, as they come by chance; 0 for all at once", [0.0, 1024.0], "16")
        .label("Requests/s")
        .slider(Scale::FromZero(8))
        .main()
        .at(|p| p.rate.slot()),
    whole("seqs", "requests of a step at the most (max_num_seqs)", [1, MOST_SEQS], "8")
        .label("Maximum requests per step")
        .doubling(10)
        .main()
        .at(|p| p.seqs.slot()),
    whole("tokens", "new tokens of a step at the most (max_num_batched_tokens)", [1, 1 << 17], "2048")
        .label("Maximum tokens per step")
        .doubling(17)
        .more("Scheduler")
        .at(|p| p.tokens.slot()),
    whole("block", "tokens of a block", [1, 256], "16")
        .label("Tokens per block")
        .doubling(8)
        .more("Scheduler")
        .at(|p| p.block.slot()),
    whole("blocks", "blocks of the cache; 0 for what fits beside the weights", [0, MOST_BLOCKS], "0")
        .label("Cache blocks")
        .format(|v| if v == 0.0 { "what fits".to_owned() } else { grouped(v as u64) })
        .slider(Scale::FromZero(18))
        .more("Scheduler")
        .at(|p| p.blocks.slot()),
    switch("prefix", "whether blocks that hold the beginning of a prompt are used again", true)
        .label("Prefix cache")
        .more("Scheduler")
        .at(|p| p.prefix.slot()),
    whole("requests", "requests that come", [1, MOST as u64], "16")
        .label("Requests")
        .slider(Scale::Linear { min: 1.0, max: MOST as f64, step: 1.0 })
        .more("Requests")
        .at(|p| p.requests.slot()),
    whole("prompt", "tokens of a prompt, on average", [1, 1 << 17], "512")
        .label("Tokens per prompt")
        .doubling(17)
        .more("Requests")
        .at(|p| p.prompt.slot()),
    whole("output", "tokens of an answer, on average", [1, 1 << 15], "48")
        .label("Tokens per answer")
        .doubling(15)
        .more("Requests")
        .at(|p| p.output.slot()),
    choice("lengths", "how lengths differ", Lengths::LIST, "skewed")
        .label("Lengths")
        .more("Requests")
        .at(|p| p.lengths.slot()),
    whole("shared", "tokens that all prompts begin with", [0, 1 << 17], "0")
        .label("Shared prompt prefix")
        .slider(Scale::FromZero(17))
        .more("Requests")
        .at(|p| p.shared.slot()),
    whole("seed", "the seed of lengths and arrivals", [0, 1_000_000], "1")
        .label("Seed")
        .more("Requests")
        .at(|p| p.seed.slot()),
    text("trace", "requests of one’s own: a line for each, “prompt output” or “seconds prompt output” in tokens", "")
        .quiet()
        .at(|p| p.trace.slot()),
    real("first", "seconds to the first token that users are promised", [0.001, 1000.0], "0.2")
        .label("TTFT SLO")
        .unit(Unit::Seconds)
        .slider(Scale::Decades(-2, 2))
        .more("Promise")
        .at(|p| p.first.slot()),
    real("token", "seconds for each token after it, on average, that users are promised", [0.0001, 100.0], "0.02")
        .label("TPOT SLO")
        .unit(Unit::Seconds)
        .slider(Scale::Decades(-3, 1))
        .more("Promise")
        .at(|p| p.token.slot()),
    whole("step", "steps that have been done; more than there are stand for all", [0, ALL_STEPS], "1000000")
        .drawn()
        .quiet()
        .at(|p| p.step.slot()),
    reference::MODEL.default(MODEL).more("Machine").own_control(),
];

const COUNT: usize = OWN.len() + 1 + Machine::PARAMS + reference::OWN;

impl Model for Params {
    type Result = Shown;
    const ID: &'static str = "continuous-batching";
    const TITLE: &'static str = "Continuous batching";
    const SUMMARY: &'static str = "Requests come, and a scheduler fills each step of the engine with prompts and tokens: the schedule, \
                                   what users wait for, and the rate at which it breaks down.";
    const PARAMS: &'static [Param<Self>] =
        &join::<Self, COUNT>(&[&OWN, &[machine::tp::<Self>()], &Machine::params::<Self>(), &reference::own()]);
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["requests", "prompt", "output", "lengths"], |p| p.trace.0.is_empty())];
    const ORIGIN: Origin = crate::serving::scheduler::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            crate::serving::step::ORIGIN,
            &["makespan", "ttft", "ttft-p90", "tpot", "gap-p99", "gap-max", "throughput", "served", "time"],
        ),
        origin(Origin::Of("Zhong et al. 2024 (DistServe), arXiv:2401.09670, §1"), &["goodput", "attained", "knee"]),
        origin(Origin::Rows, &["throughput-per-gpu"]),
        origin(crate::kv_cache::ORIGIN, &["fit", "blocks-there"]),
        origin(Origin::Controls, &["replicas-gpus", "requests-there"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Shown>] = &[
        measure("steps", "Steps", Unit::Count, |_, s| s.schedule.steps.len() as f64),
        measure("prefill-steps", "Steps with prompts", Unit::Count, |_, s| count(s, |m| m.batch.prefills())),
        measure("decode-steps", "Steps that only decode", Unit::Count, |_, s| count(s, |m| !m.batch.prefills())),
        measure("makespan", "First arrival to last token", Unit::Seconds, |_, s| s.schedule.makespan()),
        measure("ttft", "Time to first token, mean", Unit::Seconds, |_, s| s.schedule.mean_first()),
        target(
            |p, _| p.slo().first,
            headline(
                "Nine of ten requests get their first token within this time.",
                measure("ttft-p90", "Time to first token, 90th percentile", Unit::Seconds, |_, s| {
                    percentile(s.schedule.firsts(), 0.9)
                }),
            ),
        ),
        measure("tpot", "Time between tokens, mean", Unit::Seconds, |_, s| s.schedule.mean_per_token()),
        target(
            |p, _| p.slo().token,
            headline(
                "One token in a hundred comes later than this after the one before.",
                measure("gap-p99", "Time between tokens, 99th percentile", Unit::Seconds, |_, s| {
                    percentile(s.schedule.gaps(), 0.99)
                }),
            ),
        ),
        measure("gap-max", "Longest time between tokens", Unit::Seconds, |_, s| s.schedule.gaps().fold(0.0, f64::max)),
        headline(
            "Generated tokens per second, all GPUs.",
            measure("throughput", "Tokens/s", Unit::Count, |_, s| s.schedule.throughput()),
        ),
        measure("throughput-per-gpu", "Tokens/s per GPU", Unit::Count, |p, s| {
            s.schedule.throughput() / p.gpus() as f64
        }),
        measure("served", "Requests/s", Unit::Count, |_, s| s.schedule.rate()),
        measure("goodput", "Requests/s within the SLO", Unit::Count, |p, s| s.schedule.goodput(p.slo())),
        headline(
            "Requests that got both their first and their other tokens in time.",
            measure("attained", "Requests within the SLO", Unit::Fraction, |p, s| s.schedule.attained(p.slo())),
        ),
        measure("mean-batch", "Decoding requests per step, mean", Unit::Count, |_, s| s.schedule.mean_batch()),
        measure("padding", "Slot time on finished requests", Unit::Fraction, |_, s| s.schedule.share(Use::Padding)),
        measure("stalled", "Slot time stalled by other requests’ prompts", Unit::Fraction, |_, s| {
            s.schedule.share(Use::Stalled)
        }),
        when(
            |_, s| s.schedule.preemptions() > 0,
            headline(
                "How often a request lost its cache because memory ran out.",
                measure("preemptions", "Preemptions", Unit::Count, |_, s| f64::from(s.schedule.preemptions())),
            ),
        ),
        measure("prefilled", "Prompt tokens computed", Unit::Count, |_, s| s.schedule.prefilled() as f64),
        measure("found", "Prompt tokens found in the prefix cache", Unit::Count, |_, s| s.schedule.found() as f64),
        measure("blocks-there", "Cache blocks", Unit::Count, |_, s| s.schedule.blocks as f64),
        measure("fewest-free", "Fewest free blocks", Unit::Count, |_, s| s.schedule.fewest_free() as f64),
        measure("fit", "Tokens that fit in the cache", Unit::Count, |_, s| s.fit),
        measure("replicas-gpus", "GPUs", Unit::Count, |p, _| p.gpus() as f64),
        measure("requests-there", "Requests", Unit::Count, |_, s| s.schedule.requests.len() as f64),
        measure("time", "Time at this step", Unit::Seconds, |p, s| p.moment(s).map_or(0.0, |m| m.to)),
        measure("free", "Free blocks at this step", Unit::Count, |p, s| {
            p.moment(s).map_or(s.schedule.blocks as f64, |m| m.batch.free as f64)
        }),
        measure("waiting", "Waiting requests at this step", Unit::Count, |p, s| {
            p.moment(s).map_or(0.0, |m| m.waiting as f64)
        }),
        measure("batch", "Requests in this step", Unit::Count, |p, s| {
            p.moment(s).map_or(0.0, |m| m.batch.work.len() as f64)
        }),
        when(
            |p, s| s.sweep.knee(p.policy).is_some(),
            measure("knee", "Highest request rate tried with 90% within the SLO", Unit::Count, |p, s| {
                s.sweep.knee(p.policy).unwrap_or(0.0)
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Shown, String> {
        self.shown()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.machine.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.machine.model.query()
    }

    fn follow(&mut self, before: &Self) {
        if (Self { step: before.step, ..self.clone() }) != *before {
            self.step = ALL_STEPS;
        }
    }
}

fn count(shown: &Shown, which: impl Fn(&Moment) -> bool) -> f64 {
    shown.schedule.steps.iter().filter(|step| which(step)).count() as f64
}

impl Params {
    /// The promise.
    pub fn slo(&self) -> Slo {
        Slo { first: self.first, token: self.token }
    }

    /// GPUs of all replicas.
    pub fn gpus(&self) -> u64 {
        self.machine.gpus() * if self.policy == Policy::Disaggregated { 2 } else { 1 }
    }

    /// What is drawn where there is no trace.
    pub fn workload(&self) -> Workload {
        Workload {
            count: self.requests as usize,
            rate: self.rate,
            mean: [self.prompt, self.output],
            lengths: self.lengths,
            shared: self.shared,
            seed: self.seed,
        }
    }

    /// The requests, and lines of one's own trace that cannot be used. A trace without times comes at the rate that is set.
    pub fn load(&self) -> (Vec<Request>, Vec<Wrong>) {
        let listed = self.trace.listed();
        if listed.requests.is_empty() {
            return (self.workload().draw(), listed.wrong);
        }
        let shared = |request: &Request| Request { shared: self.shared.min(request.prompt - 1), ..*request };
        let requests: Vec<Request> = listed.requests.iter().map(shared).collect();
        let requests = if listed.timed { requests } else { self.workload().arriving(requests) };
        (requests, listed.wrong)
    }

    /// What the scheduler keeps to, with a policy.
    pub fn rules(&self, engine: &Engine, policy: Policy) -> Rules {
        let fit = (engine.tokens_that_fit() / self.block as f64).floor() as u64;
        let blocks = if self.blocks == 0 { fit.min(MOST_BLOCKS) } else { self.blocks };
        Rules {
            policy,
            blocks: blocks as usize,
            block: self.block,
            seqs: self.seqs as usize,
            tokens: self.tokens,
            prefix: self.prefix,
        }
    }

    /// How an engine is started with these settings.
    pub fn serve(&self, server: Server) -> Serve {
        let serve = self.machine.serve(server, [self.seqs, self.tokens, 0]);
        let chunked = match self.policy {
            Policy::Chunked => Some(true),
            Policy::PrefillFirst | Policy::Static => Some(false),
            Policy::Disaggregated => None,
        };
        Serve { block: Some(self.block), prefix: Some(self.prefix), chunked, ..serve }
    }

    /// Takes what a command says. What has no place here is returned, a sentence each.
    pub fn take(&mut self, read: &Read) -> Vec<String> {
        let serve = &read.serve;
        self.seqs = serve.max_seqs.unwrap_or(self.seqs).clamp(1, MOST_SEQS);
        self.tokens = serve.max_tokens.unwrap_or(self.tokens).clamp(1, 1 << 17);
        self.block = serve.block.unwrap_or(self.block).clamp(1, 256);
        self.prefix = serve.prefix.unwrap_or(true);
        self.policy = if serve.chunked == Some(false) { Policy::PrefillFirst } else { Policy::Chunked };
        let mut left = self.machine.take(read);
        left.extend(self.machine.unused(read, &self.serve(read.server)));
        left
    }

    /// Bytes a second of each GPU over which caches go from one replica to another: those of its port to other nodes, else of PCIe 4.
    pub fn bandwidth(&self) -> f64 {
        let link = links::of(self.machine.gpu).1.or_else(|| links::find("pcie4"));
        link.map_or(1e9, |link| link.bandwidth)
    }

    fn shown(&self) -> Result<Shown, String> {
        self.in_range()?;
        let engine = self.machine.deployment().engine()?;
        let (requests, wrong) = self.load();
        let rules = self.rules(&engine, self.policy);
        let schedule = simulate(requests, rules, &engine, self.bandwidth(), BUDGET)?;
        let sweep = if self.view == View::Schedule { Sweep::default() } else { sweep(self, &engine) };
        Ok(Shown { schedule, wrong, fit: engine.tokens_that_fit(), sweep })
    }

    /// The number of the step that is shown, from 0 for before the first.
    pub fn at(&self, shown: &Shown) -> usize {
        (self.step as usize).min(shown.schedule.steps.len())
    }

    /// The step that is shown.
    pub fn moment<'a>(&self, shown: &'a Shown) -> Option<&'a Moment> {
        shown.schedule.steps.get(self.at(shown).checked_sub(1)?)
    }
}
