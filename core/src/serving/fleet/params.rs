//! The parameters, and the model in the catalogue.

use super::{Load, MOST_REPLICAS, MOST_SESSIONS, MOST_TURNS, Outcome, Params, Policy};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, applies, choice, doc, headline, join, measure,
    origin, real, target, when, whole, written,
};
use crate::hardware::links;
use crate::model::{ModelRef, reference};
use crate::quantity::{Unit, number};
use crate::query::{Query, Reader};
use crate::serving::machine::{self, Machine, Serves};
use crate::serving::requests::Lengths;
use crate::serving::tiers::BLOCKS;

/// The model where none is given.
const MODEL: &str = "llama-3-8b";

const ROUTER: &str = "Router and pools";
const SESSIONS: &str = "Sessions";
const FAILURE: &str = "Failure";
const ENGINE: &str = "Engine";

impl Serves for Params {
    fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

const OWN: [Param<Params>; 23] = [
    choice("policy", "how the router chooses a replica", Policy::LIST, "round-robin")
        .label("Router")
        .main()
        .at(|p: &mut Params| p.policy.slot()),
    whole("replicas", "replicas of the model", [1, MOST_REPLICAS], "4")
        .label("Replicas")
        .steps(1.0)
        .main()
        .at(|p| p.replicas.slot()),
    whole("prefill", "replicas that only compute prompts; 0 if all do everything", [0, MOST_REPLICAS - 1], "0")
        .label("Prefill replicas")
        .steps(1.0)
        .main()
        .at(|p| p.prefill.slot()),
    real("dies", "seconds until the last replica dies; 0 for never", [0.0, 3600.0], "20")
        .label("One dies after")
        .format(|v| if v == 0.0 { "never".to_owned() } else { Unit::Seconds.format(v) })
        .slider(Scale::Linear { min: 0.0, max: 60.0, step: 1.0 })
        .main()
        .at(|p| p.dies.slot()),
    choice("load", "what the router takes for the load of a replica", Load::LIST, "tokens")
        .label("Load")
        .more(ROUTER)
        .at(|p| p.load.slot()),
    real(
        "bound",
        "times the mean load above which the owner of a prefix is passed over; 0 for never",
        [0.0, 16.0],
        "2",
    )
    .label("Load bound, times the mean")
    .format(|v| if v == 0.0 { "none".to_owned() } else { number(v) })
    .slider(Scale::Linear { min: 0.0, max: 4.0, step: 0.1 })
    .more(ROUTER)
    .at(|p| p.bound.slot()),
    choice("net", "link between the pools, a port per GPU", links::BETWEEN_LIST, "ndr")
        .label("Link between the pools")
        .more(ROUTER)
        .at(|p| p.net.slot()),
    whole("sessions", "sessions that begin", [1, MOST_SESSIONS], "64")
        .label("Sessions")
        .slider(Scale::Linear { min: 1.0, max: MOST_SESSIONS as f64, step: 1.0 })
        .more(SESSIONS)
        .at(|p| p.sessions.slot()),
    whole("turns", "turns per session", [1, MOST_TURNS], "6")
        .label("Turns per session")
        .steps(1.0)
        .more(SESSIONS)
        .at(|p| p.turns.slot()),
    real("rate", "sessions that begin per second, by chance", [0.01, 1000.0], "4")
        .label("New sessions per second")
        .each(Unit::Count, 1.0)
        .slider(Scale::Decades(-1, 2))
        .more(SESSIONS)
        .at(|p| p.rate.slot()),
    real("think", "seconds between an answer and the next turn, on average", [0.0, 3600.0], "3")
        .label("Time between turns")
        .unit(Unit::Seconds)
        .slider(Scale::Linear { min: 0.0, max: 60.0, step: 1.0 })
        .more(SESSIONS)
        .at(|p| p.think.slot()),
    whole("prompt", "new prompt tokens per turn, on average", [1, 1 << 17], "3072")
        .label("New prompt tokens per turn")
        .slider(Scale::Quarters(7, 17))
        .more(SESSIONS)
        .at(|p| p.prompt.slot()),
    whole("output", "tokens per answer, on average", [1, 1 << 15], "96")
        .label("Tokens per answer")
        .doubling(15)
        .more(SESSIONS)
        .at(|p| p.output.slot()),
    whole("shared", "tokens that all prompts begin with", [0, 1 << 17], "1024")
        .label("Shared system prompt, tokens")
        .slider(Scale::FromZero(17))
        .more(SESSIONS)
        .at(|p| p.shared.slot()),
    choice("lengths", "how lengths differ", Lengths::LIST, "skewed")
        .label("Lengths")
        .more(SESSIONS)
        .at(|p| p.lengths.slot()),
    whole("seed", "the seed of lengths, arrivals and pauses", [0, 1_000_000], "1")
        .label("Seed")
        .more(SESSIONS)
        .at(|p| p.seed.slot()),
    real("down", "seconds until a dead replica is back, with an empty cache", [0.0, 3600.0], "15")
        .label("Time until it is back")
        .unit(Unit::Seconds)
        .slider(Scale::Linear { min: 0.0, max: 120.0, step: 1.0 })
        .more(FAILURE)
        .at(|p| p.down.slot()),
    real("detect", "seconds until the router notices that a replica is dead", [0.0, 600.0], "3")
        .label("Time until the router notices")
        .unit(Unit::Seconds)
        .slider(Scale::Linear { min: 0.0, max: 30.0, step: 0.5 })
        .more(FAILURE)
        .at(|p| p.detect.slot()),
    whole("seqs", "requests of a step at the most (max_num_seqs)", [1, 256], "64")
        .label("Maximum requests per step")
        .doubling(8)
        .more(ENGINE)
        .at(|p| p.seqs.slot()),
    whole("tokens", "new tokens of a step at the most (max_num_batched_tokens)", [1, 1 << 17], "2048")
        .label("Maximum tokens per step")
        .doubling(17)
        .more(ENGINE)
        .at(|p| p.tokens.slot()),
    choice("block", "tokens per block", BLOCKS, "64").label("Tokens per block").more(ENGINE).at(|p| p.block.slot()),
    real("first", "seconds to the first token that users are promised", [0.001, 1000.0], "1")
        .label("Time-to-first-token SLO")
        .unit(Unit::Seconds)
        .slider(Scale::Decades(-2, 2))
        .more("Promise")
        .at(|p| p.first.slot()),
    reference::MODEL.default(MODEL).more("Machine").own_control(),
];

const COUNT: usize = OWN.len() + 1 + Machine::PARAMS + reference::OWN;

fn dies(p: &Params) -> bool {
    p.dies > 0.0
}

fn is_split(p: &Params) -> bool {
    p.prefill > 0
}

/// A quotient; 0 by nothing.
fn ratio(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { 0.0 }
}

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "fleet";
    const TITLE: &'static str = "A fleet of replicas";
    const SUMMARY: &'static str = "A router in front of replicas: what round robin, the least load and cached prefixes do to hit rate and balance, what separate \
                                   pools for prefill and decoding change, and what it costs when a replica dies.";
    const PARAMS: &'static [Param<Self>] =
        &join::<Self, COUNT>(&[&OWN, &[machine::tp::<Self>()], &Machine::params::<Self>(), &reference::own()]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["load"], |p| p.policy != Policy::RoundRobin),
        applies(&["bound"], |p| p.policy == Policy::Prefix),
        applies(&["net"], is_split),
        applies(&["down", "detect"], dies),
    ];
    const ORIGIN: Origin = Origin::Own(
        "replicas behind a router, simulated step by step; routing after SGLang’s cache_aware policy, vLLM’s router and llm-d; checked against doublewordai/inference-lab at 24d4011",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(crate::kv_cache::ORIGIN, &["fit"]),
        origin(Origin::Rows, &["hit-rate", "death-cost", "throughput-per-gpu"]),
        origin(Origin::Controls, &["gpus"]),
        origin(Origin::Definition, &["requests", "finished", "prompts"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        target(
            |p, _| p.first,
            headline(
                "One turn in a hundred waits longer than this for its first token.",
                measure("ttft-p99", "Time to first token, 99th percentile", Unit::Seconds, |_, o| o.run.first(0.99)),
            ),
        ),
        headline(
            "Prompt tokens that the replica had in its cache.",
            measure("hit-rate", "Prefix hit rate", Unit::Fraction, |_, o| o.run.hit_rate()),
        ),
        headline(
            "The GPU time of the busiest replica over the mean of its pool.",
            measure("imbalance", "Load imbalance", Unit::Ratio, |p, o| p.imbalance(&o.run)),
        ),
        headline(
            "Answer tokens per second, from the first session to the last answer.",
            measure("throughput-per-gpu", "Tokens/s per GPU", Unit::Count, |p, o| o.run.throughput() / p.gpus() as f64),
        ),
        when(
            |p, o| dies(p) && o.calm.is_some(),
            headline(
                "The 99th percentile of the time to first token over that of the same sessions without the failure.",
                written(
                    |times| format!("{}×", number(times)),
                    measure("death-cost", "Rise of TTFT p99 by the failure", Unit::Ratio, |_, o| {
                        ratio(o.run.first(0.99), o.calm.unwrap_or(0.0))
                    }),
                ),
            ),
        ),
        target(
            |p, _| p.first,
            measure("ttft-p50", "Time to first token, median", Unit::Seconds, |_, o| o.run.first(0.5)),
        ),
        measure("attained", "Turns within the SLO", Unit::Fraction, |p, o| {
            let kept = o.run.asked.iter().filter(|a| a.first.is_some_and(|at| at - a.request.arrival <= p.first));
            ratio(kept.count() as f64, o.run.asked.len() as f64)
        }),
        doc(
            "The shared prefix and everything said earlier in a session: the most that a router can find, once caches are warm.",
            measure("reusable", "Prompt tokens seen before", Unit::Fraction, |_, o| o.reusable),
        ),
        measure("prompts", "Prompt tokens", Unit::Count, |_, o| o.run.prompts()),
        measure("hits", "Prompt tokens found in a cache", Unit::Count, |_, o| o.run.hits()),
        doc(
            "Those of lost and of preempted requests included.",
            measure("prefilled", "Prompt tokens computed", Unit::Count, |_, o| o.run.prefilled as f64),
        ),
        measure("requests", "Requests", Unit::Count, |_, o| o.run.asked.len() as f64),
        measure("finished", "Finished answers", Unit::Count, |_, o| o.run.answered as f64),
        when(|p, _| dies(p), measure("retried", "Retried requests", Unit::Count, |_, o| o.run.retried())),
        when(|p, _| dies(p), measure("lost", "Lost answer tokens", Unit::Count, |_, o| o.run.lost as f64)),
        when(
            |p, o| dies(p) && o.calm.is_some(),
            measure("ttft-calm", "TTFT p99 without the failure", Unit::Seconds, |_, o| o.calm.unwrap_or(0.0)),
        ),
        when(
            |p, o| is_split(p) && !o.run.transfers.is_empty(),
            measure("transfer", "Mean transfer time per cache", Unit::Seconds, |_, o| {
                ratio(o.run.transfers.iter().sum(), o.run.transfers.len() as f64)
            }),
        ),
        measure("busy", "Busy share of the replicas", Unit::Fraction, |p, o| {
            ratio(o.run.busy.iter().sum(), o.run.end * p.replicas as f64)
        }),
        measure("preemptions", "Preemptions", Unit::Count, |_, o| o.run.preempted as f64),
        measure("fit", "Cache tokens per replica", Unit::Count, |_, o| o.fit),
        measure("makespan", "Time until the last answer", Unit::Seconds, |_, o| o.run.end),
        measure("gpus", "Total GPUs", Unit::Count, |p, _| p.gpus() as f64),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.in_range()?;
        self.outcome()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.machine.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.machine.model.query()
    }
}
