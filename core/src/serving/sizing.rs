//! `serving-planner`: how many GPUs so many users need, each of whom is to get a token so often, and what that costs.
//!
//! A replica of tp GPUs serves B users at once. In the steady state one of B/output requests ends in each step and another comes, so
//! that a step decodes B tokens and computes B·prompt/output tokens of prompts (chunked prefill, Sarathi-Serve, arXiv:2403.02310). What a
//! prefix cache has of a prompt is not computed, but decoding reads it, and each user is taken to hold it, shared or not. The step's
//! time is the time between tokens. B is the most that keeps the promise and fits in the cache, each request at its longest. Users
//! wait for nothing but that: no queue, and no chance in arrivals.

use super::command::{Read, Serve, Server};
use super::machine::{Machine, Serves};
use super::step::{Chunk, Engine};
use crate::declare::{
    Aim, Decision, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, doc, headline, join, lever,
    lever_of, measure, origin, real, target, when, whole, within, words, written, yes_no,
};
use crate::hardware::{PRICE, links};
use crate::kv_cache::blocks::fit::verdict;
use crate::kv_cache::figure::before_activations;
use crate::memory::overhead::Overhead;
use crate::memory::verdict::Verdict;
use crate::model::{ModelRef, reference};
use crate::quantity::{Unit, counted, dollars, grouped};
use crate::query::{Query, Reader};
use crate::units::GB;

/// GPUs of a replica that are tried.
pub const SIZES: [u64; 5] = [1, 2, 4, 8, 16];
/// Most users of a replica.
const MOST_USERS: u64 = 4096;
/// Tokens of a block.
const BLOCK: u64 = 16;

/// A first token that takes so many times as long as without a queue has waited in one.
const FAR: f64 = 4.0;
/// How many times as long the prompts are of the other case that is told.
const LONGER: u64 = 8;

/// MLPerf Inference v4.1, server, llama2-70b, DGX H100, four replicas of TP 2 in fp8: closed/NVIDIA/results/
/// DGX-H100_H100-SXM-80GBx8_TRT/llama2-70b-99/Server/performance/run_1/mlperf_log_detail.txt in mlcommons/inference_results_v4.1 at
/// a2f5d66: result_completed_tokens_per_second of 8 GPUs, result_time_to_output_token_mean.
pub const MLPERF_SERVER: (f64, f64) = (21_605.8, 0.154_960_329);
/// The same, offline (llama2-70b-99.9): tokens a second.
pub const MLPERF_OFFLINE: f64 = 24_524.9;

/// The model where none is given.
const MODEL: &str = "llama-3-70b";

/// The state of the figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The machine; its GPUs of a replica count for nothing.
    pub machine: Machine,
    /// Users at the same time.
    pub users: u64,
    /// Seconds for a token that they are promised.
    pub token: f64,
    /// Seconds to the first token that they are promised; 0 for no promise.
    pub first: f64,
    /// GPUs of a replica; 0 for what needs the fewest GPUs.
    pub tp: u64,
    /// Tokens of a prompt.
    pub prompt: u64,
    /// Tokens of a prompt that a prefix cache has.
    pub cached: u64,
    /// Tokens of an answer.
    pub output: u64,
    /// US dollars for an hour of a GPU.
    pub price: f64,
    /// GPUs that there are; 0 for as many as it takes.
    pub have: u64,
}

impl Serves for Params {
    fn machine(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

/// A replica with so many users.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Users.
    pub batch: u64,
    /// Seconds for a token.
    pub token: f64,
    /// Seconds of a step that takes a whole prompt besides: about what the first token takes where nobody waits.
    pub first: f64,
    /// Tokens a second of a GPU.
    pub per_gpu: f64,
    /// Whether computing, not reading weights, sets the time of the products.
    pub compute_bound: bool,
}

/// What is possible with so many GPUs of a replica.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Size {
    /// GPUs that share every layer.
    pub tp: u64,
    /// Groups of them that share the experts.
    pub dp: u64,
    /// Bytes of the weights, those left for caches, and those that a token takes of them, copies included.
    pub bytes: [f64; 3],
    /// Users whose requests fit in the cache.
    pub fit: u64,
    /// From one user to as many as fit.
    pub curve: Vec<Point>,
    /// The most users that keep the promise and fit; none if not even one does.
    pub most: Option<Point>,
    /// Replicas that all users need.
    pub replicas: u64,
    /// A replica with its share of all users.
    pub share: Point,
    /// Whether their caches fit beside what an engine takes for itself.
    pub verdict: Verdict,
}

impl Size {
    /// GPUs in all; none where it is not possible.
    pub fn gpus(&self) -> Option<u64> {
        self.most.map(|_| self.replicas * self.replica())
    }

    /// GPUs of a replica.
    pub fn replica(&self) -> u64 {
        self.tp * self.dp
    }

    /// Whether the cache, not the promise, says how many users a replica has.
    pub fn is_full(&self) -> bool {
        self.most.is_some_and(|point| point.batch == self.fit)
    }
}

/// Every size of a replica, and the one that is taken.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Those in which the weights fit, in the order of [`SIZES`].
    pub sizes: Vec<Size>,
    /// Which of them is taken.
    pub chosen: usize,
}

impl Plan {
    /// The size that is taken.
    pub fn size(&self) -> Option<&Size> {
        self.sizes.get(self.chosen)
    }

    fn of(&self, value: impl Fn(&Size) -> f64) -> f64 {
        self.size().map_or(0.0, value)
    }

    /// GPUs in all with replicas of so many; 0 where that is not possible.
    fn gpus_with(&self, tp: u64) -> f64 {
        self.sizes.iter().find(|size| size.tp == tp).and_then(Size::gpus).unwrap_or(0) as f64
    }
}

impl Model for Params {
    type Result = Plan;
    const ID: &'static str = "serving-planner";
    const TITLE: &'static str = "Sizing a node";
    const SUMMARY: &'static str = "How many GPUs it takes to serve your users at your latency, by tensor parallelism and quantization, and what a million tokens cost.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 10 + Machine::PARAMS + reference::OWN }>(&[
        &[
            reference::MODEL.default(MODEL).own_control(),
            whole("users", "users who are served at the same time", [1, 1_000_000], "500")
                .takes(Takes::Users)
                .label("Concurrent users")
                .slider(Scale::Decades(0, 5))
                .main()
                .at(|p: &mut Params| p.users.slot()),
            real("token", "seconds for a token that users are promised", [0.0005, 10.0], "0.05")
                .label("TPOT target")
                .unit(Unit::Seconds)
                .slider(Scale::Decades(-3, 0))
                .main()
                .at(|p| p.token.slot()),
            whole("tp", "GPUs per replica, which share every layer; 0 for what needs the fewest in all", [0, 16], "0")
                .takes(Takes::Replica)
                .label("GPUs per replica")
                .format(|v| if v == 0.0 { "the best".to_owned() } else { grouped(v as u64) })
                .slider(Scale::FromZero(4))
                .main()
                .at(|p| p.tp.slot()),
            real("first", "seconds to the first token that users are promised; 0 for no promise", [0.0, 1000.0], "0")
                .label("TTFT target")
                .unit(Unit::Seconds)
                .format(|v| if v == 0.0 { "none".to_owned() } else { Unit::Seconds.format(v) })
                .slider(Scale::Linear { min: 0.0, max: 10.0, step: 0.1 })
                .more("Requests")
                .quiet()
                .at(|p| p.first.slot()),
            whole("prompt", "tokens of a prompt", [1, 1 << 17], "1024")
                .label("Tokens per prompt")
                .doubling(17)
                .more("Requests")
                .at(|p| p.prompt.slot()),
            whole(
                "cached",
                "tokens of a prompt that a prefix cache has; one is computed in any case",
                [0, 1 << 17],
                "0",
            )
            .label("Cached tokens per prompt")
            .slider(Scale::FromZero(17))
            .more("Requests")
            .at(|p| p.cached.slot()),
            whole("output", "tokens of an answer", [1, 1 << 15], "256")
                .label("Tokens per answer")
                .doubling(15)
                .more("Requests")
                .at(|p| p.output.slot()),
            real("price", "US dollars per GPU-hour", [0.0, 1000.0], PRICE)
                .label("US$ per GPU-hour")
                .slider(Scale::Linear { min: 0.0, max: 12.0, step: 0.1 })
                .more("Money")
                .at(|p| p.price.slot()),
            whole("have", "GPUs that there are; 0 for as many as it takes", [0, 1_000_000], "0")
                .label("GPUs you have")
                .format(|v| if v == 0.0 { "no limit".to_owned() } else { grouped(v as u64) })
                .slider(Scale::FromZero(12))
                .more("Money")
                .at(|p| p.have.slot()),
        ],
        &Machine::params::<Self>(),
        &reference::own(),
    ]);
    const ORIGIN: Origin = crate::serving::step::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Agrawal et al. 2024 (Sarathi-Serve), arXiv:2403.02310: prompts spread over decode steps, in steady state",
            ),
            &["most-users", "batch", "token-time", "first-token", "first-in-time"],
        ),
        origin(
            Origin::Rows,
            &[
                "gpus",
                "replicas",
                "throughput",
                "per-gpu",
                "dollars-per-million",
                "dollars-per-hour",
                "cache-bound",
                "gpus-tp1",
                "gpus-tp2",
                "gpus-tp4",
                "gpus-tp8",
            ],
        ),
        origin(crate::model::params::ORIGIN, &["weights"]),
        origin(crate::kv_cache::ORIGIN, &["bytes-per-token", "fit"]),
        origin(crate::kv_cache::blocks::fit::ORIGIN, &["room"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Plan>] = &[
        when(
            |_, p| p.of(|s| s.gpus().unwrap_or(0) as f64) > 0.0,
            within(
                |o, _| if o.have == 0 { f64::INFINITY } else { o.have as f64 },
                headline(
                    "GPUs for all users.",
                    measure("gpus", "GPUs", Unit::Count, |_, p| p.of(|s| s.gpus().unwrap_or(0) as f64)),
                ),
            ),
        ),
        measure("replicas", "Replicas", Unit::Count, |_, p| p.of(|s| s.replicas as f64)),
        headline(
            "Tensor-parallel ranks that serve one copy of the model.",
            measure("replica-gpus", "GPUs per replica", Unit::Count, |_, p| p.of(|s| s.replica() as f64)),
        ),
        measure("most-users", "Most users per replica", Unit::Count, |_, p| {
            p.of(|s| s.most.map_or(0.0, |m| m.batch as f64))
        }),
        measure("fit", "Users whose requests fit in a replica’s cache", Unit::Count, |_, p| p.of(|s| s.fit as f64)),
        measure("batch", "Users per replica", Unit::Count, |_, p| p.of(|s| s.share.batch as f64)),
        target(
            |o, _| o.token,
            headline(
                "What a user waits for each token.",
                measure("token-time", "Time between tokens", Unit::Seconds, |_, p| p.of(|s| s.share.token)),
            ),
        ),
        measure("first-token", "Time to first token without queueing", Unit::Seconds, |_, p| p.of(|s| s.share.first)),
        yes_no(when(
            |o, _| o.first > 0.0,
            measure("first-in-time", "First token on time", Unit::Count, |o, p| {
                p.of(|s| f64::from(u8::from(s.share.first <= o.first)))
            }),
        )),
        measure("throughput", "Tokens/s, all users", Unit::Count, |o, p| o.throughput(p)),
        measure("per-gpu", "Tokens/s per GPU", Unit::Count, |_, p| p.of(|s| s.share.per_gpu)),
        headline(
            "GPU price over generated tokens.",
            written(
                dollars,
                measure("dollars-per-million", "Cost per million tokens", Unit::Ratio, |o, p| o.dollars(p)),
            ),
        ),
        written(
            dollars,
            measure("dollars-per-hour", "Cost per hour", Unit::Ratio, |o, p| {
                o.price * p.of(|s| s.gpus().unwrap_or(0) as f64)
            }),
        ),
        measure("weights", "Weights per replica", Unit::Bytes, |_, p| p.of(|s| s.bytes[0])),
        measure("room", "Memory left for the KV cache per replica", Unit::Bytes, |_, p| p.of(|s| s.bytes[1])),
        measure("bytes-per-token", "KV cache per token", Unit::Bytes, |_, p| p.of(|s| s.bytes[2])),
        // Where they fit, the targets say more.
        when(
            |o, p| o.is_short_of_memory(p),
            words(
                &["Caches too large beside the engine", "Tight beside the engine", "Caches fit"],
                doc(
                    "With what an engine takes beside weights and caches: the activations that are set, or the CUDA context and communicators that others measured.",
                    measure("caches", "Verdict on the caches", Unit::Count, |_, p| {
                        p.of(|s| f64::from(s.verdict as u8))
                    }),
                ),
            ),
        ),
        words(
            &["Latency", "KV cache"],
            headline(
                "What stops a replica from taking more users: the time between tokens or the memory for their caches.",
                measure("cache-bound", "Limited by", Unit::Count, |_, p| p.of(|s| f64::from(u8::from(s.is_full())))),
            ),
        ),
        measure("one-user", "Time between tokens with one user", Unit::Seconds, |_, p| {
            p.of(|s| s.curve.first().map_or(0.0, |point| point.token))
        }),
        when(
            |_, p| p.gpus_with(1) > 0.0,
            measure("gpus-tp1", "Total GPUs with one GPU per replica", Unit::Count, |_, p| p.gpus_with(1)),
        ),
        when(
            |_, p| p.gpus_with(2) > 0.0,
            measure("gpus-tp2", "Total GPUs with two GPUs per replica", Unit::Count, |_, p| p.gpus_with(2)),
        ),
        when(
            |_, p| p.gpus_with(4) > 0.0,
            measure("gpus-tp4", "Total GPUs with four GPUs per replica", Unit::Count, |_, p| p.gpus_with(4)),
        ),
        when(
            |_, p| p.gpus_with(8) > 0.0,
            measure("gpus-tp8", "Total GPUs with eight GPUs per replica", Unit::Count, |_, p| p.gpus_with(8)),
        ),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["gpus", "token-time"],
        aim: Aim::Within,
        judges: &["caches"],
        words: ["Not enough GPUs", "Meets the targets"],
        levers: &[
            lever_of("tp", &["0"], "The planner chooses the GPUs per replica."),
            lever_of("kv-bits", &["8"], "It changes the numerics: check the answers."),
            lever_of("quant", &["fp8", "int4"], "It changes the numerics: check the answers."),
            lever_of("token", &["0.05", "0.1"], "Users wait longer for each token."),
            lever_of("first", &["0"], "Nothing is promised for the first token."),
            lever("gpu", "It costs larger GPUs."),
            lever_of("have", &["2", "4", "8", "16", "32", "64", "128", "256", "512", "1024"], "You need more GPUs."),
        ],
        not_counted: "Not counted: activations and CUDA graphs, unless you set them, queues, bursts of arrivals, and spare replicas for failures.",
    });

    fn evaluate(&self) -> Result<Plan, String> {
        self.plan()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.machine.model = ModelRef::read_shape(reader, MODEL);
    }

    fn unplaced(&self) -> Query {
        self.machine.model.query()
    }
}

/// Replicas that only compute prompts, and others that only decode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pools {
    /// Replicas that compute prompts.
    pub prefill: u64,
    /// Replicas that decode.
    pub decode: u64,
    /// Users of a replica that decodes.
    pub batch: u64,
    /// Seconds between the tokens of a user.
    pub token: f64,
    /// Prompts that come per second.
    pub prompts: f64,
    /// Seconds of one of them, alone.
    pub each: f64,
    /// GPUs of a replica.
    pub replica: u64,
}

impl Pools {
    /// GPUs of both.
    pub fn gpus(&self) -> u64 {
        (self.prefill + self.decode) * self.replica
    }
}

/// The most of `all` for which something holds that holds for fewer too.
fn most(all: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut within, mut beyond) = (0, all + 1);
    while beyond - within > 1 {
        let middle = within.midpoint(beyond);
        if holds(middle) { within = middle } else { beyond = middle }
    }
    within
}

impl Params {
    /// The users in two pools of replicas of the plan's size, which send caches from one to the other (Splitwise, arXiv:2311.18677;
    /// `DistServe`, arXiv:2401.09670). A replica that decodes has no prompts in its steps, and takes as many users as keep the promise. Prompts
    /// come as often as in the plan, so that an answer takes as long in all, and are computed one by one, with nothing between them.
    ///
    /// # Errors
    /// Why there are none, in a sentence.
    pub fn pools(&self, plan: &Plan) -> Result<Pools, String> {
        let size = plan.size().ok_or("No replica keeps the promise.")?;
        let engine = Machine { tp: size.tp, ..self.machine }.deployment().engine()?;
        let token = |batch: u64| engine.decode(batch, self.prompt + self.output / 2).time();
        let most = most(size.fit, |batch| token(batch) <= self.token);
        let decode = self.users.div_ceil(most.max(1));
        let batch = self.users.div_ceil(decode);
        let new = self.prompt.saturating_sub(self.cached).max(1);
        let each = engine.step_of([(Chunk { new, past: self.prompt - new }, 1)]).time();
        let prompts = self.throughput(plan) / self.output as f64;
        let prefill = (prompts * each).ceil().max(1.0) as u64;
        Ok(Pools { prefill, decode, batch, token: token(batch), prompts, each, replica: size.replica() })
    }

    /// How many GPUs two pools take, beside those of the plan and those that there are, in sentences.
    pub fn pooled(&self, plan: &Plan, pools: &Pools) -> String {
        let gpus = |n: u64| counted(n, "GPU", "GPUs");
        let replicas = |n: u64, what: &str| format!("{} {what}", counted(n, "replica", "replicas"));
        let (took, planned) = (pools.gpus(), plan.size().and_then(Size::gpus).unwrap_or(0));
        let both = if took == planned {
            "as many as replicas that do both".to_owned()
        } else {
            format!("and replicas that do both take {}", grouped(planned))
        };
        let have = match self.have {
            have if have > 0 && took > have => {
                format!(" You have {}, which is {} too few for two pools.", grouped(have), grouped(took - have))
            }
            _ => String::new(),
        };
        format!(
            "{} and {} of {} take {}, {both}.{have}",
            replicas(pools.prefill, "for prefill"),
            replicas(pools.decode, "for decode"),
            gpus(pools.replica),
            gpus(took)
        )
    }

    /// A replica with `batch` users in the steady state.
    pub fn point(&self, engine: &Engine, tp: u64, batch: u64) -> Point {
        let past = self.prompt + self.output / 2;
        let decodes = (Chunk { new: 1, past }, batch);
        let new = self.prompt.saturating_sub(self.cached).max(1);
        let prompt = |n: u64| Chunk { new: n, past: self.prompt - new };
        // Prompts come whole as far as they go, and the rest as a piece of one.
        let tokens = (batch as f64 * new as f64 / self.output as f64).round() as u64;
        let (whole, rest) = (tokens / new, tokens % new);
        let piece = Some((prompt(rest), 1)).filter(|_| rest > 0);
        let step = engine.step_of([decodes, (prompt(new), whole)].into_iter().chain(piece));
        let first = engine.step_of([decodes, (prompt(new), 1)]).time();
        let token = step.time();
        Point {
            batch,
            token,
            first,
            per_gpu: batch as f64 / token / (tp * self.machine.dp) as f64,
            compute_bound: step.compute_bound,
        }
    }

    /// Whether users get what they are promised.
    fn keeps(&self, point: Point) -> bool {
        point.token <= self.token && (self.first == 0.0 || point.first <= self.first)
    }

    fn size(&self, tp: u64) -> Result<Size, String> {
        let engine = Machine { tp, ..self.machine }.deployment().engine()?;
        let fit = engine.requests_that_fit(self.prompt + self.output, BLOCK).min(MOST_USERS);
        let bytes = [engine.stored, engine.room, engine.per_token];
        let at = |batch: u64| self.point(&engine, tp, batch);
        // The most users within the promise: between the last that are and the first that are not.
        let within = most(fit, |batch| self.keeps(at(batch)));
        let most = (within > 0).then(|| at(within));
        let replicas = self.users.div_ceil(within.max(1));
        let mut batches: Vec<u64> = (0..=48).map(|i| 2_f64.powf(f64::from(i) / 4.0).round() as u64).collect();
        batches.push(fit);
        batches.retain(|batch| (1..=fit).contains(batch));
        batches.sort_unstable();
        batches.dedup();
        let share = self.users.div_ceil(replicas);
        let gpus = (tp * self.machine.dp) as f64;
        let held = engine.stored + share as f64 * engine.request(self.prompt + self.output, BLOCK);
        let usable = self.machine.share * self.machine.gpu.memory.0;
        let activations = self.machine.activations * GB;
        Ok(Size {
            tp,
            dp: self.machine.dp,
            verdict: verdict(held / gpus, activations, tp * self.machine.dp, usable),
            bytes,
            fit,
            curve: batches.into_iter().map(at).collect(),
            most,
            replicas,
            share: most.map_or_else(Point::default, |_| at(share)),
        })
    }

    fn plan(&self) -> Result<Plan, String> {
        self.in_range()?;
        let tried: Vec<u64> = if self.tp == 0 { SIZES.to_vec() } else { vec![self.tp] };
        let mut sizes: Vec<Size> = SIZES.iter().filter_map(|tp| self.size(*tp).ok()).collect();
        if self.tp > 0 && !SIZES.contains(&self.tp) {
            sizes.push(self.size(self.tp)?);
        }
        let best = sizes.iter().enumerate().filter(|(_, size)| tried.contains(&size.tp));
        let best = best.filter_map(|(i, size)| Some((i, size.gpus()?))).min_by_key(|(_, gpus)| *gpus);
        match best {
            Some((chosen, _)) => Ok(Plan { sizes, chosen }),
            None => Err(self.why_not(&sizes, &tried)),
        }
    }

    /// Why no replica keeps the promise.
    fn why_not(&self, sizes: &[Size], tried: &[u64]) -> String {
        let fastest = sizes.iter().filter(|size| tried.contains(&size.tp)).filter_map(|size| size.curve.first());
        match fastest.min_by(|a, b| a.token.total_cmp(&b.token)) {
            Some(point) if point.token <= self.token => format!(
                "The first token takes {} even for a single user, not {}. A shorter prompt, more of it cached, more GPUs per replica or a \
                 smaller model are needed.",
                Unit::Seconds.format(point.first),
                Unit::Seconds.format(self.first)
            ),
            Some(point) => format!(
                "A single user gets a token every {} at best, not every {}. More GPUs per replica, fewer bits or a smaller model are \
                 needed.",
                Unit::Seconds.format(point.token),
                Unit::Seconds.format(self.token)
            ),
            None => match self.size(tried.last().copied().unwrap_or(1)) {
                Err(why) => why,
                Ok(_) => format!(
                    "The cache of a request of {} tokens does not fit beside the weights.",
                    grouped(self.prompt + self.output)
                ),
            },
        }
    }

    /// How an engine is started for a replica of the plan, with room for the users that it has at the most.
    pub fn serve(&self, plan: &Plan, server: Server) -> Serve {
        let size = plan.size();
        let machine = Machine { tp: size.map_or(self.tp.max(1), |size| size.tp), ..self.machine };
        let most = size.and_then(|size| size.most).map_or(0, |point| point.batch.div_ceil(machine.dp));
        let serve = machine.serve(server, [most, 0, self.prompt + self.output]);
        Serve { prefix: (self.cached > 0).then_some(true), ..serve }
    }

    /// The command that starts a replica of a plan.
    ///
    /// # Errors
    /// Why there is none: a sentence.
    pub fn command(&self, plan: &Plan, server: Server) -> Result<String, String> {
        if plan.size().and_then(|size| size.most).is_none() {
            return Err("No replica keeps these promises, so there is no command for one.".to_owned());
        }
        self.serve(plan, server).write(server)
    }

    /// What [`Params::take`] made of what a command leaves open: a sentence each.
    pub fn taken(&self, read: &Read) -> Vec<String> {
        let divided = read.serve.max_len.map(|longest| {
            format!(
                "A request of at most {} tokens counts as a prompt of {} and an answer of {}, divided as before.",
                grouped(longest),
                grouped(self.prompt),
                grouped(self.output)
            )
        });
        let kept =
            "A command doesn’t say how many users there are, on which GPU and at what price: these stay as they are.";
        divided.into_iter().chain([kept.to_owned()]).collect()
    }

    /// Takes what a command says. What has no place here is returned, a sentence each.
    pub fn take(&mut self, read: &Read) -> Vec<String> {
        let mut left = self.machine.take(read);
        self.tp = self.machine.tp;
        if let Some(longest) = read.serve.max_len {
            // As much of the longest request is its answer as was.
            let whole = (self.prompt + self.output) as f64;
            let output = (longest as f64 * self.output as f64 / whole).round().clamp(1.0, f64::from(1 << 15));
            self.output = output as u64;
            self.prompt = longest.saturating_sub(self.output).clamp(1, 1 << 17);
            self.cached = self.cached.min(self.prompt - 1);
        }
        // Prompts are cut into chunks, and requests per step are what the plan finds.
        let plan = self.evaluate().unwrap_or_default();
        let own = Serve {
            prefix: Some(self.cached > 0),
            chunked: Some(true),
            memory: read.serve.memory,
            tp: Some(self.machine.tp),
            ..self.serve(&plan, read.server)
        };
        left.extend(self.machine.unused(read, &own));
        left
    }

    /// Whether the caches of the plan's users don't surely fit beside the engine, where the GPUs are enough.
    fn is_short_of_memory(&self, plan: &Plan) -> bool {
        let is_enough = |size: &Size| size.gpus().is_some_and(|gpus| self.have == 0 || gpus <= self.have);
        plan.size().is_some_and(|size| is_enough(size) && size.verdict != Verdict::Fits)
    }

    /// Tokens a second that all users get.
    pub fn throughput(&self, plan: &Plan) -> f64 {
        plan.of(|size| self.users as f64 / size.share.token.max(1e-12))
    }

    /// US dollars for a million tokens of answers.
    pub fn dollars(&self, plan: &Plan) -> f64 {
        let gpus = plan.of(|size| size.gpus().unwrap_or(0) as f64);
        1e6 * self.price * gpus / 3600.0 / self.throughput(plan).max(1e-12)
    }

    /// How long the first token takes where nobody waits, and what a measured time says beside it, in seconds.
    pub fn first_token(&self, plan: &Plan, measured: Option<f64>) -> String {
        let Some(size) = plan.size() else { return String::new() };
        let seconds = |seconds: f64| Unit::Seconds.format(seconds);
        let alone = size.share.first;
        let longer = Self { prompt: self.prompt * LONGER, tp: size.tp, ..self.clone() };
        let longer = longer.evaluate().ok().and_then(|plan| Some((longer.prompt, plan.size()?.share.first)));
        let longer =
            longer.map(|(prompt, first)| format!(" With prompts of {} it takes {}.", grouped(prompt), seconds(first)));
        let first = format!(
            "With prompts of {} tokens and answers of {}, the first token takes {} without queueing on {} × {}.{}",
            grouped(self.prompt),
            grouped(self.output),
            seconds(alone),
            grouped(size.replica()),
            self.machine.gpu.name,
            longer.unwrap_or_default()
        );
        let queue = "requests wait for a slot in the batch or for room in the KV cache. Compare Waiting with KV cache usage in the engine’s log. \
                     If the cache is full: FP8 cache or weights, prefix caching or shorter contexts; if slots are: more sequences per step. \
                     Chunked prefill keeps long prompts from blocking others, and a second replica halves the load.";
        match measured {
            Some(measured) if measured > FAR * alone => {
                format!(
                    "{first} {} is {} times that, so probably {queue}",
                    seconds(measured),
                    crate::quantity::number((measured / alone).round())
                )
            }
            Some(measured) => format!(
                "{first} {} isn’t far from that: a shorter prompt, prefix caching or more GPUs per replica lower it.",
                seconds(measured)
            ),
            None => format!("{first} If you measure several times as much, {queue}"),
        }
    }

    /// The link that is assumed between a replica's GPUs where the table has none, in a sentence with a space before it; empty where it has one.
    pub fn link_assumed(&self, size: &Size) -> String {
        if size.tp < 2 || links::of(self.machine.gpu).0.is_some() {
            return String::new();
        }
        format!(" The table has no link for the {}, so PCIe 4 is assumed between them.", self.machine.gpu.name)
    }

    /// What the plan says, in sentences.
    pub fn finding(&self, plan: &Plan) -> String {
        self.finding_at(plan, false)
    }

    /// The same, where the price may be one that nobody gave.
    pub fn finding_at(&self, plan: &Plan, is_assumed: bool) -> String {
        let Some(size) = plan.size() else { return String::new() };
        let replicas = match (size.replicas, size.tp) {
            (1, _) => "one replica".to_owned(),
            (n, _) => format!("{} replicas", grouped(n)),
        };
        let limit = if size.is_full() { "then the cache is full" } else { "one more would make a token too slow" };
        let most = size.most.map_or(0, |point| point.batch);
        let mut text = format!(
            "{} at {} per token, with prompts of {} tokens and answers of {}: {} × {}, {replicas} of {}. Each replica serves up to {}; {limit}. A \
             million tokens cost {} at {}{} per GPU-hour.",
            counted(self.users, "user", "users"),
            Unit::Seconds.format(self.token),
            grouped(self.prompt),
            grouped(self.output),
            grouped(size.gpus().unwrap_or(0)),
            self.machine.gpu.name,
            grouped(size.replica()),
            counted(most, "user", "users"),
            dollars(self.dollars(plan)),
            if is_assumed { "an assumed " } else { "" },
            dollars(self.price)
        );
        if self.first > 0.0 {
            text += &format!(
                " The first token takes {} where no request waits, within the {} promised; waiting in a queue comes on top.",
                Unit::Seconds.format(size.share.first),
                Unit::Seconds.format(self.first)
            );
        }
        match (self.have, size.gpus().unwrap_or(0)) {
            (0, _) => {}
            (have, gpus) if gpus > have => {
                text += &format!(" You have {}, which is {} too few.", grouped(have), grouped(gpus - have));
            }
            (have, gpus) if gpus == have => text += &format!(" You have {}, and all are used.", grouped(have)),
            (have, gpus) => text += &format!(" You have {}, so {} stay free.", grouped(have), grouped(have - gpus)),
        }
        let others = plan.sizes.iter().filter(|other| other.tp != size.tp);
        if let Some((other, gpus)) = others.filter_map(|s| Some((s, s.gpus()?))).min_by_key(|(_, gpus)| *gpus) {
            let replica = counted(other.replica(), "GPU", "GPUs");
            text += &match size.gpus() {
                Some(own) if own == gpus => format!(" It takes as many with {replica} per replica."),
                _ if gpus == other.replica() => format!(" One replica of {replica} would do it, too."),
                _ => format!(" With {replica} per replica it would take {}.", counted(gpus, "GPU", "GPUs")),
            };
        }
        text += &self.link_assumed(size);
        if self.machine.activations == 0.0 && size.is_full() {
            let taken = Overhead::of_engine(size.replica());
            let left = [taken.high, taken.low].map(|taken| {
                let machine = Machine { tp: size.tp, activations: taken.0 / GB, ..self.machine };
                let engine = machine.deployment().engine();
                engine.map_or(0, |engine| engine.requests_that_fit(self.prompt + self.output, BLOCK)) as f64
            });
            text += &before_activations(size.replica(), left, ["user per replica", "users per replica"]);
        }
        text
    }
}
