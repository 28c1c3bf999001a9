//! A question with numbers in it, and the figure that answers it: "7B LoRA on one 24 GB card".
//!
//! [`answers`] reads the model, the GPUs and the amounts that a question names (`read`), takes the first figure of a short list whose words the
//! question has, and sets it through the parameters that the figure declares ([`crate::setup::fill()`]). What was read is listed, what was not
//! read is not claimed, and the figure's own model says what comes of it. A speed that was measured opens the page that compares a run with its
//! prediction, and is held against published runs (`measured`).

mod card;
mod command;
mod compare;
mod computed;
mod layout;
mod measured;
mod read;
mod scaling;
mod symptom;
#[cfg(test)]
mod tests;

use crate::catalogue;
use crate::declare::{Model, Takes};
use crate::explore::decided;
use crate::hardware::Accelerator;
use crate::kv_cache::blocks::figure as cache;
use crate::kv_cache::blocks::fit::Fit;
use crate::memory::activations::Recompute;
use crate::memory::breakdown as memory;
use crate::memory::overhead::Overhead;
use crate::memory::verdict::Verdict;
use crate::model::{Import, ModelRef, presets};
use crate::planner;
use crate::planner::published::Reached;
use crate::post_training::adapters::figure as adapters;
use crate::post_training::memory as rlhf;
use crate::quantity::{Unit, bytes_decimal, count, counted, dollars, grouped, listed, number};
use crate::query::{Kind, Query, plain};
use crate::roofline;
use crate::serving::figure as batching;
use crate::serving::machine::Machine;
use crate::serving::sizing;
use crate::serving::step::Quant;
use crate::setup::{MAX_NODE, MAX_NODES, Setup, fill};
use crate::training_run::{self, share as share_of};
use crate::units::GB;
pub use measured::of_log;
use read::{Reading, What, like};

/// A figure in the state that answers a question, or the page that compares runs with what was measured of one.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The figure's id; [`RUN`] for the page that compares runs.
    pub figure: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Its state; of that page what its fragment holds.
    pub query: Query,
    /// What was read of the question.
    pub read: Vec<String>,
    /// What the question says and the answer doesn't count.
    pub unused: Vec<String>,
    /// What comes of it: a sentence or a few. Empty where only the figure can say it.
    pub says: String,
}

impl Answered {
    /// Its address, relative to the site's base.
    pub fn href(&self) -> String {
        match self.figure {
            RUN if self.query.iter().next().is_none() => format!("{RUN}/"),
            RUN => format!("{RUN}/#{}", self.query),
            figure => format!("w/{figure}/?{}", self.query),
        }
    }

    /// What was read of the question, in words.
    pub fn read_as(&self) -> String {
        let rest = if self.figure == RUN { "" } else { " Every other setting keeps the figure’s default." };
        let unused = match self.unused.as_slice() {
            [] => String::new(),
            unused => format!(" Not used: {}.", unused.join(", ")),
        };
        format!("Read as: {}.{unused}{rest}", self.read.join(", "))
    }
}

/// The page that compares a run with what the models predict of it.
pub const RUN: &str = "run";

/// A figure that answers a kind of question.
struct Rule {
    figure: &'static str,
    /// Whether the question is of its kind.
    is_asked: fn(&Reading) -> bool,
    /// What the question sets beside the model and the GPUs: names and values of parameters.
    sets: fn(&Reading) -> Vec<(&'static str, String)>,
    /// What the figure says.
    says: fn(&Query, &Reading) -> String,
}

/// The rule whose figure this is.
fn rule_of(figure: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.figure == figure)
}

/// The state of the memory figure with the stage of ZeRO that a question says, or the first that fits.
fn sharded(rule: &Rule, reading: &Reading, query: &Query) -> Query {
    if (rule.sets)(reading).iter().any(|(name, _)| *name == "zero") {
        return query.clone();
    }
    let (params, _) = memory::Params::read(query);
    let stage = match params.evaluate() {
        Ok(b) if b.params.mode == memory::Mode::Training => b.first_stage_that_fits().map(|row| row.stage),
        _ => None,
    };
    match stage.filter(|stage| *stage > 0) {
        Some(stage) => query.with(&Query::new([("zero", stage.to_string())])),
        None => query.clone(),
    }
}

/// The state of the adapter figure with ZeRO-3 over its GPUs, where they don't fit each of them.
fn sharded_adapter(reading: &Reading, query: &Query) -> Query {
    let (params, _) = adapters::Params::read(query);
    let fits = |params: adapters::Params| {
        let params = adapters::Params { recompute: Recompute::Full, ..params };
        params.evaluate().is_ok_and(|s| params.verdict(&s).possible())
    };
    if params.dp < 2 || params.zero > 0 || reading.has(&["ddp"]) || fits(params) {
        return query.clone();
    }
    query.with(&Query::new([("zero", "3")]))
}

/// The serving planner with what a question says, on replicas of the GPUs that it names if the model can be divided so.
fn sized(reading: &Reading) -> Option<(sizing::Params, sizing::Plan)> {
    let rule = rule_of(sizing::Params::ID)?;
    let (params, _) = sizing::Params::read(&state(rule, reading)?.query);
    let own = reading
        .all_gpus()
        .filter(|gpus| sizing::SIZES.contains(gpus))
        .map(|tp| sizing::Params { tp, ..params.clone() });
    own.into_iter().chain([params]).find_map(|params| params.evaluate().ok().map(|plan| (params, plan)))
}

const ADAPTER: [&str; 6] = ["lora", "qlora", "peft", "adapter", "adapters", "dora"];
/// Words of a model that is run and not trained.
const RUNS: [&str; 9] = ["run", "load", "infer", "inference", "cpp", "llamacpp", "ollama", "gguf", "ngl"];
/// Words of a question about what a run comes to.
const LEARNS: [&str; 7] = ["loss", "perplexity", "quality", "optimal", "chinchilla", "best", "worth"];
/// What goes wrong in a run without a word of memory.
const TROUBLE: [&str; 20] = [
    "unbalanced",
    "imbalance",
    "loss",
    "losses",
    "spike",
    "spikes",
    "nan",
    "diverges",
    "diverging",
    "hang",
    "hangs",
    "hung",
    "stuck",
    "timeout",
    "slow",
    "slower",
    "faster",
    "latency",
    "crash",
    "crashes",
];
/// Words that set one thing against another.
const AGAINST: [&str; 4] = ["than", "vs", "versus", "compared"];
/// Words of a question about what some GPUs can do, whatever it compares them with.
const AMOUNT: [&str; 12] =
    ["fit", "fits", "can", "could", "enough", "possible", "need", "needed", "needs", "require", "required", "requires"];
/// Words of a question about an amount of memory.
const MUCH: [&str; 6] = ["much", "memory", "vram", "ram", "size", "big"];
/// Words that ask for the fewest GPUs.
const FEWEST: [&str; 5] = ["minimum", "min", "fewest", "least", "smallest"];
const RL: [&str; 4] = ["ppo", "grpo", "dpo", "rlhf"];
const COST: [&str; 8] = ["days", "weeks", "hours", "cost", "costs", "expensive", "price", "budget"];
const FIT: [&str; 5] = ["fit", "fits", "memory", "vram", "oom"];
/// Memory that runs out, in one word.
const OUT: [&str; 6] = ["oom", "ooms", "oomed", "ooming", "outofmemory", "outofmemoryerror"];
/// Tokens that a run is counted for where a question about tuning gives none.
const TUNED_ON: f64 = 1e9;
/// Tokens per parameter of a training run whose question gives none: about the compute-optimal number (Hoffmann et al. 2022, arXiv:2203.15556,
/// Table 3).
const TOKENS_EACH: f64 = 20.0;
/// Sequences per step of a tuning run whose question gives no batch: Stanford Alpaca's.
const TUNED_BATCH: u64 = 128;
/// GPUs of a tuning run whose question gives none: a node.
const NODE: u64 = 8;
const SERVE: [&str; 21] = [
    "serve",
    "served",
    "serving",
    "users",
    "user",
    "deploy",
    "deployed",
    "deploying",
    "hosting",
    "host",
    "vllm",
    "sglang",
    "throughput",
    "concurrent",
    "inference",
    "concurrency",
    "req",
    "reqs",
    "rps",
    "qps",
    "rpm",
];
/// What only a training step has.
const TRAINING: [&str; 12] = [
    "fsdp",
    "zero",
    "zero1",
    "zero2",
    "zero3",
    "deepspeed",
    "ddp",
    "adam",
    "adamw",
    "optimizer",
    "gradients",
    "activations",
];
const MEMORY: [&str; 24] = [
    "fit",
    "fits",
    "memory",
    "vram",
    "oom",
    "train",
    "training",
    "finetune",
    "finetuning",
    "tune",
    "tuning",
    "pretrain",
    "fsdp",
    "zero",
    "deepspeed",
    "ddp",
    "gpu",
    "gpus",
    "card",
    "run",
    "load",
    "cuda",
    "need",
    "needed",
];

/// The first whose kind of question it is.
const RULES: [Rule; 8] = [
    Rule {
        figure: adapters::Params::ID,
        is_asked: |r| r.wants(&ADAPTER),
        sets: |r| {
            let mut sets = some([("rank", r.rank), ("seq", r.seq), ("mbs", r.micro_batch())]);
            if r.has(&["qlora"]) {
                sets.push(("tune", "qlora".to_owned()));
            }
            sets
        },
        says: |query, r| {
            let trainable = |p: &adapters::Params, s: &adapters::Shown| {
                let params = s.adapter.params() as f64;
                format!("{} trainable parameters: {}. ", count(params), p.in_words())
            };
            let is_asked = r.has(&["trainable", "parameters", "params"]);
            of(query, |p: &adapters::Params, s| {
                let batch = if r.asks_batch() && p.verdict(s) == Verdict::Fits {
                    format!(
                        "The largest micro-batch that fits is {} of {} tokens. ",
                        counted(p.mbs, "sequence", "sequences"),
                        grouped(p.seq)
                    )
                } else {
                    String::new()
                };
                let trainable = if is_asked { trainable(p, s) } else { String::new() };
                batch + &trainable + &p.verdict_in_words(s, p.tune)
            })
        },
    },
    Rule {
        figure: rlhf::Params::ID,
        is_asked: |r| r.has(&RL),
        sets: |r| {
            let method = ["grpo", "dpo"].into_iter().find(|method| r.has(&[method])).unwrap_or("ppo");
            let mut sets = some([("response", r.answer), ("mbs", r.micro_batch()), ("gen-tp", r.tp)]);
            sets.push(("method", method.to_owned()));
            // Whoever names no reward model of GRPO scores by a rule.
            if method == "grpo" && !r.has(&["reward", "rewards", "rm", "orm", "prm"]) {
                sets.push(("reward-at", "none".to_owned()));
            }
            sets
        },
        says: |query, r| {
            of(query, |p: &rlhf::Params, s| {
                let engine = match p.gen_tp {
                    tp if tp > 1 && r.tp.is_none() => format!("With engines of {}: ", counted(tp, "GPU", "GPUs")),
                    _ => String::new(),
                };
                let is_ruled = p.method == rlhf::Method::Grpo && p.reward_at == rlhf::Where::Nowhere;
                let ruled =
                    if is_ruled { " A rule is taken to score: name a reward model to have one counted." } else { "" };
                format!("{engine}{}{ruled}", p.finding(s))
            })
        },
    },
    Rule {
        figure: batching::Params::ID,
        is_asked: |r| r.asks_first() && !r.trains() && !r.promises(),
        sets: |r| {
            sized(r).map_or_else(Vec::new, |(p, plan)| {
                let tp = plan.size().map(crate::serving::sizing::Size::replica);
                some([("tp", tp), ("prompt", Some(p.prompt)), ("output", Some(p.output))])
            })
        },
        says: |_, r| sized(r).map_or_else(String::new, |(p, plan)| p.first_token(&plan, r.first)),
    },
    Rule {
        figure: sizing::Params::ID,
        is_asked: |r| {
            let serves = serves(r) && !asks_room(r) && !asks_cache(r) && !r.asks_batch() && !r.asks_length();
            let is_fast = (r.asks_speed() || r.promises() || r.is_served_at()) && !r.trains();
            serves || is_fast || r.asks_price() || comes(r) || r.asks_rate()
        },
        sets: |r| {
            let held = held(r);
            // Nobody named users: as many as the GPUs hold, or the one of whom a speed is asked.
            let open = held.map_or(1, |held| held.users);
            let users = r.users.or_else(|| at_a_time(r).map(|(users, _)| users)).or(Some(open));
            // Who asks how many is told how many; who has some is told whether they are enough.
            let have = r.all_gpus().filter(|_| r.users.is_some() || comes(r));
            // Who asks how fast some GPUs are has them in one replica.
            let is_fast = r.asks_speed() || r.is_served_at();
            let own = r.all_gpus().filter(|gpus| is_fast && r.users.is_none() && sizing::SIZES.contains(gpus));
            let tp = r.tp.filter(|tp| *tp <= Machine::MOST).or(own).or(held.map(|held| held.tp));
            let have = have.or(held.filter(|_| r.cluster().is_some()).map(|held| held.gpus));
            let mut sets =
                some([("users", users), ("prompt", r.seq), ("output", r.answer), ("have", have), ("tp", tp)]);
            sets.extend(r.hourly.map(|price| ("price", plain(price))));
            let slow = held.map(|held| held.token).filter(|token| SLOWER.contains(token));
            sets.extend(held.filter(|held| held.taken > 0.0).map(|held| ("activations", plain(held.taken))));
            sets.extend(
                [("token", r.each.or(slow)), ("first", r.first)]
                    .into_iter()
                    .filter_map(|(name, s)| Some((name, plain(s?)))),
            );
            sets
        },
        says: |query, r| {
            let price = of(query, |p: &sizing::Params, plan| match p.dollars(plan) {
                cost if cost.is_finite() && r.asks_price() => format!(
                    "A million tokens of answers cost {} on {} × {} at {} per GPU-hour{}. ",
                    dollars(cost),
                    grouped(plan.size().and_then(sizing::Size::gpus).unwrap_or(0)),
                    p.machine.gpu.name,
                    dollars(p.price),
                    if r.hourly.is_some() { "" } else { ", which is assumed" }
                ),
                _ => String::new(),
            });
            let at_a_time = at_a_time(r).filter(|_| r.users.is_none());
            let assumed = at_a_time.map_or_else(String::new, |(_, sentence)| sentence + " ");
            let per_hour = |p: &sizing::Params, plan: &sizing::Plan| {
                let gpus = plan.size().and_then(sizing::Size::gpus).unwrap_or(0) as f64;
                let assumed = if r.hourly.is_some() { "" } else { ", which is assumed" };
                format!(" All GPUs cost {} per hour at that price{assumed}.", dollars(gpus * p.price))
            };
            let come = of(query, |p: &sizing::Params, plan| match r.asks_rate() {
                true => format!("About {} requests per second. ", number(p.throughput(plan) / p.output as f64)),
                false => String::new(),
            });
            let says = of(query, |p: &sizing::Params, plan| {
                let speed = if r.asks_speed() || r.is_served_at() { speed_of(p, plan) } else { String::new() };
                let load = open_load(p, plan, r)
                    .unwrap_or_else(|| verdict(sizing::Params::ID, query, r) + &p.finding_at(plan, r.hourly.is_none()));
                speed + &load + &if r.has(&COST) { per_hour(p, plan) } else { String::new() }
            });
            [price, come, assumed, says].concat()
        },
    },
    Rule {
        figure: training_run::Params::ID,
        is_asked: is_planned,
        sets: |r| {
            let tunes = r.tunes() || r.wants(&ADAPTER);
            let usual = || if tunes { Some(TUNED_ON) } else { enough_tokens(r) };
            let given = |name: &'static str, value: f64| vec![("given", name.to_owned()), (name, plain(value))];
            let mut sets = match (r.tokens, time_of(r), r.money) {
                (Some(tokens), ..) => given("tokens", tokens),
                (None, Some((days, _)), _) => given("days", days),
                (None, None, Some(money)) => given("money", money),
                (None, None, None) => usual().map_or_else(Vec::new, |tokens| given("tokens", tokens)),
            };
            sets.extend(r.hourly.map(|price| ("price", plain(price))));
            let laid_out = layout::run(r);
            let enough = || short_of(r).and_then(|(_, enough)| enough).or(r.gpus.filter(|_| r.is_timed));
            // How fast a GPU is that is named is asked of one.
            let usual = if r.asks_speed() && r.gpu.is_some() { Some(1) } else { tunes.then_some(NODE) };
            let usual = usual.filter(|_| r.cluster().is_none());
            let hours = || time_of(r).and_then(|(_, gpus)| gpus);
            let gpus = if laid_out.is_some() { None } else { enough().or_else(hours).or(usual) };
            let own = r.seq.or(tunes.then(|| planner::Params::standard().seq));
            sets.extend(some([("seq", own), ("gpus", gpus)]));
            let seq = own.unwrap_or(training_run::Params::standard().seq);
            let sequences = r.batch.or(tunes.then_some(TUNED_BATCH)).filter(|_| laid_out.is_none());
            let counted = || sequences.map(|batch| batch as f64 * seq as f64);
            let batch = r.batch_tokens.or_else(counted);
            // A token of a mixture computes with a part of it.
            let parts = r.active.zip(r.params).filter(|_| r.preset.is_none());
            sets.extend(parts.into_iter().flat_map(|(active, all)| [("params", plain(active)), ("total", plain(all))]));
            sets.extend(batch.map(|batch| ("batch", plain(batch))));
            let published = || reached(r).filter(|_| laid_out.is_none()).map(|reached| share_of(reached.middle));
            sets.extend(r.mfu.map(plain).or_else(published).map(|mfu| ("mfu", mfu)));
            if let Some(laid_out) = laid_out {
                let said = |name: &str| sets.iter().any(|(own, _)| *own == name);
                let more: Vec<_> = laid_out.sets.into_iter().filter(|(name, _)| !said(name)).collect();
                sets.extend(more);
            }
            if tunes {
                sets.push(("start", training_run::Start::Pretrained.id().to_owned()));
            }
            sets.extend(without_attention(r));
            sets
        },
        says: |query, r| {
            of(query, |_: &training_run::Params, run| {
                let rate = format!("About {} tokens per second. ", count(run.rate()));
                let work = if asks_work(r) {
                    format!(
                        "Training {} parameters on {} tokens takes {}: {} per token. ",
                        count(run.size.total.max(run.size.params)),
                        count(run.tokens),
                        Unit::Flop.format(run.compute()),
                        Unit::Flop.format(run.size.flop_per_token())
                    )
                } else {
                    String::new()
                };
                if asks_work(r) && r.cluster().is_none() && !r.has(&COST) && !r.says(&["how", "long"]) {
                    return work
                        + "Name the GPUs and their number to hear how long that takes: the figure opens with some of its own.";
                }
                let mut says = work + &too_few(r) + if r.asks_speed() { &rate } else { "" } + &run.costs() + ".";
                if r.mfu.is_none() {
                    says += &layout::run(r).map_or_else(
                        || match reached(r) {
                            Some(reached) => format!(" That MFU is assumed: {} reach it or pass it.", reached.half()),
                            None => " That MFU is assumed: the question doesn’t say it.".to_owned(),
                        },
                        |found| found.says(run, r.tokens.is_none() && time_of(r).is_some()),
                    );
                }
                // Who asks how long and how much is told no more, but what a run of fine-tuning is.
                if run.start == training_run::Start::Pretrained || r.has(&LEARNS) {
                    says = format!("{says} {}", run.learns());
                }
                if r.tokens.is_none() && time_of(r).is_none() && r.money.is_none() {
                    says += " The question doesn’t say how many tokens";
                    says += &match run.start {
                        training_run::Start::Pretrained => ".".to_owned(),
                        _ => format!(": {} per parameter are assumed.", number(TOKENS_EACH)),
                    };
                }
                if r.wants(&ADAPTER) {
                    says += " That is full fine-tuning: with an adapter the gradients of the weights, a third of the work, aren’t computed.";
                }
                says
            })
        },
    },
    Rule { figure: planner::Params::ID, is_asked: layout::is_asked, sets: layout::sets, says: layout::says },
    Rule {
        figure: cache::Params::ID,
        is_asked: |r| {
            let is_stored = r.preset.is_some_and(|preset| preset.stored.quant != Quant::Bf16);
            let is_named = r.terms().any(|term| term.sets.iter().any(|(name, _)| *name == "weight-bits"));
            let trains = r.trains() || r.has(&TRAINING);
            // The memory figure has no weights in fewer than 16 bits.
            let runs = (is_stored || is_named) && !trains && (r.has(&MEMORY) || r.gpu.is_some());
            let is_divided = r.has(&RUNS) && r.gpu.is_some() && r.all_gpus().is_some_and(|gpus| gpus > 1);
            let divides = is_divided && !trains;
            (!is_trouble(r) && (runs || divides))
                || asks_room(r)
                || asks_cache(r)
                || (r.asks_batch() && !trains && (r.has(&SERVE) || r.has(&RUNS)))
                || (r.asks_length() && !is_for_training(r))
                || (r.seq.is_some() && r.has(&["context", "concurrency"]) && !is_for_training(r))
        },
        sets: |r| {
            let mut sets = vec![("view", "fit".to_owned())];
            // All GPUs, over several nodes too, as far as the figure divides a model.
            let all = r.all_gpus().filter(|gpus| *gpus <= 64).or(r.gpus);
            sets.extend(some([("tokens", r.seq), ("tp", r.tp.or(all))]));
            sets.extend(r.used.map(|used| ("used", plain(used))));
            sets
        },
        says: |query, r| {
            of(query, |p: &cache::Params, s| {
                let is_each = r.has(&["kv", "kvcache"]) && r.says_token();
                let long = match r.asks_length() && s.fit.room > 0.0 {
                    true => format!(
                        "One request may have up to {} tokens, if the model allows that many: the cache has room for them. ",
                        grouped(s.fit.slots as u64)
                    ),
                    false => String::new(),
                };
                let kept = if is_each {
                    format!(
                        "{} keeps {} in its KV cache for each token. ",
                        p.model.name(),
                        Unit::Bytes.format(s.fit.per_token)
                    )
                } else if asks_cache(r) {
                    kept(p, &s.fit, r)
                } else {
                    String::new()
                };
                long + &kept + &verdict(cache::Params::ID, query, r) + &p.finding(s) + &on_more(p, s, r)
            })
        },
    },
    Rule {
        figure: memory::Params::ID,
        is_asked: |r| (r.has(&MEMORY) || r.has(&OUT) || r.gpu.is_some()) && !is_trouble(r) && !r.asks_host(),
        sets: |r| {
            let sharded = r.has(&["fsdp", "zero3", "shard"]).then_some(3);
            let stage = r.words.windows(2).find_map(|pair| match pair {
                [zero, stage] if zero == "zero" || zero == "stage" && r.has(&["zero", "deepspeed"]) => {
                    stage.parse::<u64>().ok().filter(|stage| *stage <= 3)
                }
                _ => None,
            });
            let gpus = r.all_gpus().unwrap_or(1);
            let runs = r.has(&RUNS) && !r.trains();
            // Who says “DDP” asks about DDP.
            let stage = stage.or(sharded).or(r.has(&["ddp"]).then_some(0));
            let mut sets = some([("dp", Some(gpus)), ("zero", stage), ("mbs", r.micro_batch())]);
            if shaped(r).is_some() {
                let usual = r.asks_batch().then(|| planner::Params::standard().seq);
                sets.extend(some([("seq", r.seq.or(usual))]));
            }
            if runs {
                sets.push(("mode", "inference".to_owned()));
            }
            sets
        },
        says: |query, r| {
            of(query, |p: &memory::Params, b| {
                let load = p.seq.filter(|_| p.mode == memory::Mode::Training).map(|seq| {
                    format!(
                        " At {} tokens the activations take {} of the {}.",
                        grouped(seq),
                        bytes_decimal(b.parts.activations.0),
                        bytes_decimal(b.total.0)
                    )
                });
                let [headline, change] = b.answer();
                let unsaid = p.mode == memory::Mode::Training && !is_for_training(r);
                let what = if unsaid {
                    format!(" That is for training in full with {}.", p.optimizer.label())
                } else {
                    String::new()
                };
                let states = states_of(b, r);
                let batch = if r.asks_batch() { batch_of(b) } else { String::new() };
                [batch, states, headline, what, load.unwrap_or_default(), card::fits(b, r), change].concat()
            })
        },
    },
];

/// The largest micro-batch that fits, in the state that has it.
fn batch_of(b: &memory::Breakdown) -> String {
    let p = &b.params;
    let Some(seq) = p.seq else { return String::new() };
    let again = if p.recompute == Recompute::Full { ", with full activation recomputation" } else { "" };
    match b.verdict.possible() {
        true => format!(
            "The largest micro-batch that fits is {} of {} tokens per GPU{again}. ",
            counted(p.mbs, "sequence", "sequences"),
            grouped(seq)
        ),
        false => format!(
            "Not even one sequence of {} tokens fits for full training with {}, with or without recomputation. ",
            grouped(seq),
            p.optimizer.label()
        ),
    }
}

/// Whether it asks for the fewest GPUs on which something fits, rather than says how many there are.
fn asks_fewest(r: &Reading) -> bool {
    r.cluster().is_none() && (r.asks_gpus() || r.has(&FEWEST))
}

/// The fewest GPUs for which something holds: fewer than a node's are doubled, then come whole nodes.
fn fewest(holds: impl Fn(&u64) -> bool) -> Option<u64> {
    let nodes = (1..=64).map(|nodes| nodes * NODE);
    [1, 2, 4].into_iter().chain(nodes).find(holds)
}

/// The GPUs of a figure's state on which its job fits; none where it doesn't.
fn fitted(rule: &Rule, query: &Query) -> Option<(u64, &'static Accelerator)> {
    match rule.figure {
        rlhf::Params::ID => {
            let (params, _) = rlhf::Params::read(query);
            params.evaluate().is_ok_and(|step| step.verdict.possible()).then_some((params.gpus, params.gpu))
        }
        adapters::Params::ID => {
            let (params, _) = adapters::Params::read(query);
            params.evaluate().is_ok_and(|s| params.verdict(&s).possible()).then_some((params.dp, params.gpu))
        }
        memory::Params::ID => {
            let (params, _) = memory::Params::read(query);
            params.judged().is_some_and(|(_, verdict)| verdict.possible()).then_some((params.gpus() as u64, params.gpu))
        }
        _ => None,
    }
}

/// The state of the figure of reinforcement learning with an engine that is divided among as few GPUs as make its step fit; as it is where the question
/// says how many, or none would.
fn generated(reading: &Reading, query: &Query) -> Query {
    let with = |tp: u64| query.with(&Query::new([("gen-tp", tp.to_string())]));
    let fits =
        |query: &Query, least: Verdict| rlhf::Params::read(query).0.evaluate().is_ok_and(|step| step.verdict >= least);
    if reading.tp.is_some() || fits(query, Verdict::Fits) {
        return query.clone();
    }
    let (params, _) = rlhf::Params::read(query);
    let divided = || [2, 4, 8].into_iter().filter(|tp| params.gpus % tp == 0).map(with);
    let found = divided().find(|query| fits(query, Verdict::Fits));
    let tight = || divided().find(|own| fits(own, Verdict::Tight)).filter(|_| !fits(query, Verdict::Tight));
    found.or_else(tight).unwrap_or_else(|| query.clone())
}

/// The figure of a rule on the fewest of its GPUs on which a question's job fits, where it asks for them: adapters with ZeRO-3.
fn on_fewest(rule: &Rule, reading: &Reading, query: &Query) -> Query {
    let set = |gpus: u64| match rule.figure {
        rlhf::Params::ID => generated(reading, &query.with(&Query::new([("gpus", gpus.to_string())]))),
        _ => query.with(&Query::new(some([("dp", Some(gpus)), ("zero", (gpus > 1).then_some(3))]))),
    };
    let again = Query::new([("recompute", Recompute::Full.id())]);
    let fits = |gpus: &u64| match rule.figure {
        // Whoever trains an adapter checkpoints before they take more GPUs.
        adapters::Params::ID => fitted(rule, &set(*gpus).with(&again)).is_some(),
        _ => fitted(rule, &set(*gpus)).is_some(),
    };
    let least = asks_fewest(reading).then(|| fewest(fits)).flatten();
    least.map_or_else(|| query.clone(), set)
}

/// The memory figure on as many of its GPUs as fit, where the cheapest change is more of them.
fn enough(query: &Query) -> Query {
    let (params, _) = memory::Params::read(query);
    let change = params.evaluate().ok().and_then(|b| b.suggestion()).filter(|change| {
        change.params.gpu == params.gpu && change.params.gpus() > params.gpus() && change.params.judged().is_some()
    });
    change.map_or_else(|| query.clone(), |change| query.with(&change.change))
}

/// The largest number that `fits`, if 1 does; numbers up to a few thousand are tried.
fn largest(fits: impl Fn(u64) -> bool) -> Option<u64> {
    const MOST: u64 = 1024;
    let mut low = Some(1).filter(|one| fits(*one))?;
    let mut high = std::iter::successors(Some(2), |n| Some(n * 2)).find(|n| *n > MOST || !fits(*n))?;
    low = low.max(high / 2);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// The memory figure with the largest micro-batch that fits beside what can't be planned; with recomputation where nothing fits without.
fn filled_up(query: &Query) -> Query {
    let (params, _) = memory::Params::read(query);
    if params.mode != memory::Mode::Training || params.seq.is_none() {
        return query.clone();
    }
    let most = |p: memory::Params| {
        let fits = |mbs: u64| memory::Params { mbs, ..p }.judged().is_some_and(|(_, verdict)| verdict == Verdict::Fits);
        largest(fits)
    };
    let again = memory::Params { recompute: Recompute::Full, ..params };
    let set = |mbs: u64| Query::new([("mbs", mbs.to_string())]);
    match (most(params), most(again)) {
        (Some(mbs), _) => query.with(&set(mbs)),
        (None, Some(mbs)) => query.with(&set(mbs)).with(&Query::new([("recompute", Recompute::Full.id())])),
        (None, None) => query.clone(),
    }
}

/// The adapter figure with what its verdict is on: recomputation where only that fits, and the largest micro-batch where that is asked for.
fn tuned(reading: &Reading, query: &Query) -> Query {
    let (mut params, _) = adapters::Params::read(query);
    let Ok(shown) = params.evaluate() else { return query.clone() };
    let mut query = query.clone();
    if let Some(again) = params.checkpointed(&shown, params.tune) {
        query.set("recompute", again.recompute.id());
        params = again;
    }
    let fits = |mbs: u64| {
        let params = adapters::Params { mbs, ..params };
        params.evaluate().is_ok_and(|s| params.verdict(&s) == Verdict::Fits)
    };
    if let Some(mbs) = largest(fits).filter(|_| reading.asks_batch()) {
        query.set("mbs", mbs.to_string());
    }
    query
}

/// What all optimizer states of a model take, where the question asks for them.
fn states_of(b: &memory::Breakdown, r: &Reading) -> String {
    let is_asked = r.has(&["states", "moments", "optimizer", "adam", "adamw"]) && r.has(&MUCH);
    let all = memory::Params { dp: 1, zero: 0, ..b.params }.evaluate().ok();
    match all.filter(|_| is_asked && b.params.mode == memory::Mode::Training) {
        Some(all) => format!(
            "{}’s states take {} in all, the fp32 copy of the weights included. ",
            b.params.optimizer.label(),
            bytes_decimal(all.parts.optimizer.0)
        ),
        None => String::new(),
    }
}

/// Whether it asks for the FLOPs of a run.
fn asks_work(r: &Reading) -> bool {
    r.has(&["flop", "flops", "compute", "exaflops"]) && r.flops.is_none() && r.tokens.is_some()
}

/// Tokens of a training run whose question gives none.
fn enough_tokens(r: &Reading) -> Option<f64> {
    let of_preset = || r.preset?.shape.count().ok().map(|count| count.total as f64);
    Some(of_preset().or(r.params)? * TOKENS_EACH)
}

/// The model with a shape that a training question about a length or a batch is of: the one that is named, or the nearest to a bare size. A
/// number of parameters alone has no activations.
fn shaped(r: &Reading) -> Option<&'static presets::Preset> {
    let near = || {
        let is_load = r.seq.is_some() || r.micro_batch().is_some();
        let params = r.params.filter(|_| ((r.trains() && is_load) || r.asks_batch()) && !r.is_unlisted())?;
        like(params, r.is_mixture(), presets::LIST.ids)
    };
    r.preset.or_else(near)
}

/// Whether a model is served in it: a throughput may be that of training.
fn serves(r: &Reading) -> bool {
    let is_named = |word: &&&str| **word != "throughput" || !r.trains();
    SERVE.iter().filter(is_named).any(|word| r.has(&[word]))
}

/// Whether something goes wrong in it that isn't memory: "expert load is unbalanced".
fn is_trouble(r: &Reading) -> bool {
    r.has(&TROUBLE) && !r.has(&FIT)
}

/// Whether no state of a figure answers it: it sets two things against each other ("slower than", "A100 vs H100") or asks why, and for no amount.
fn has_no_state(r: &Reading) -> bool {
    let is_counted = ["many", "much", "long"].iter().any(|amount| r.says(&["how", amount]));
    let compares =
        r.has(&AGAINST) || r.says(&["as", "fast", "as"]) || r.says(&["same", "speed"]) || r.says_speeds() > 1;
    let memory = r.has(&FIT) || r.has(&OUT);
    !is_counted && ((compares && !r.has(&AMOUNT)) || (explains(r) && !memory))
}

/// Whether it asks why something is so, and not how long it takes.
fn explains(r: &Reading) -> bool {
    let asks = r.has(&["why", "bottleneck", "bottlenecked"]) || r.says(&["what", "limits"]);
    asks && !r.has(&COST) && !r.says(&["how", "long"]) && r.days.is_none() && r.money.is_none()
}

/// Whether it asks if a model runs on some GPUs, and neither for how many nor how fast.
fn asks_room(r: &Reading) -> bool {
    let is_load =
        r.users.is_some() || r.rate.is_some() || r.promises() || r.asks_speed() || r.asks_price() || r.has(&COST);
    let is_counted = r.says(&["how", "many"]) || r.has(&["throughput", "users", "concurrent", "concurrency"]);
    r.has(&SERVE) && r.cluster().is_some() && !is_load && !is_counted && !r.trains()
}

/// Whether it asks what a cache of keys and values takes, or the memory of so many users or of such a length.
fn asks_cache(r: &Reading) -> bool {
    let is_cache = r.has(&["kv", "kvcache"]);
    let is_memory = r.has(&["memory", "vram", "ram"]) && (r.users.is_some() || r.seq.is_some());
    let is_context = r.seq.is_some() && r.has(&["context", "concurrency"]);
    let is_other = r.trains() || r.rate.is_some() || r.promises() || r.asks_first() || r.asks_price() || r.asks_speed();
    let is_counted = r.says(&["how", "many"]) && !is_cache;
    // So many as fit, where the promise of the planner can't be kept.
    let is_unkept = r.asks_users() && r.cluster().is_some() && held(r).is_none();
    if is_unkept && !is_other {
        return true;
    }
    (is_cache || is_memory || (is_context && r.users.is_none() && !r.has(&SERVE)))
        && !is_other
        && !is_counted
        && !r.has(&TRAINING)
}

/// The verdict of a serving figure on a question's GPUs, as the figure itself gives it; empty where it is good, which the sentence behind it says,
/// and where the question names no GPUs.
fn verdict(figure: &str, query: &Query, r: &Reading) -> String {
    let is_of_gpus = r.gpu.is_some() || r.cluster().is_some();
    let entry = catalogue::find(figure).filter(|_| is_of_gpus);
    let decided = entry.and_then(|entry| {
        let good = entry.decision?.words[1];
        decided(entry, &(entry.evaluate)(query)).filter(|decided| !decided.verdict.starts_with(good))
    });
    decided.map_or_else(String::new, |decided| format!("{} ", decided.verdict))
}

/// The fewest GPUs of the kind that hold a model of which a question's GPUs hold no request, in a sentence with a space before it; empty where they
/// hold one, or none of the usual numbers would.
fn on_more(p: &cache::Params, s: &cache::Shown, r: &Reading) -> String {
    if s.fit.verdict.possible() || (r.gpu.is_none() && r.cluster().is_none()) {
        return String::new();
    }
    let more = sizing::SIZES.into_iter().filter(|tp| *tp > p.tp);
    let held = more.filter_map(|tp| {
        let params = cache::Params { tp, ..p.clone() };
        let fit = params.evaluate().ok()?.fit;
        (fit.verdict == Verdict::Fits).then_some((tp, fit.beside[0]))
    });
    held.into_iter().next().map_or_else(String::new, |(tp, requests)| {
        format!(" {} × {} hold it, with {}.", grouped(tp), p.gpu.name, counted(requests as u64, "request", "requests"))
    })
}

/// What the caches of a question's requests take, and the weights with them.
fn kept(p: &cache::Params, fit: &Fit, r: &Reading) -> String {
    let [each, weights] = [fit.request, fit.weights].map(|bytes| bytes * p.tp as f64);
    let users = r.users.unwrap_or(1).max(1);
    let all = each * users as f64;
    let of_all =
        if users > 1 { format!(", and {} of them take {}", grouped(users), bytes_decimal(all)) } else { String::new() };
    format!(
        "The KV cache of one request of {} tokens takes {}{of_all}. With the weights, {}, that is {} on all GPUs together. ",
        grouped(p.tokens),
        bytes_decimal(each),
        bytes_decimal(weights),
        bytes_decimal(all + weights)
    )
}

/// Seconds per token that GPUs may keep which don't keep the usual promise.
const SLOWER: [f64; 4] = [0.1, 0.2, 0.5, 1.0];

/// The most users that GPUs hold, and how they are divided.
#[derive(Debug, Clone, Copy)]
struct Held {
    users: u64,
    tp: u64,
    gpus: u64,
    /// Seconds per token that they are promised.
    token: f64,
    /// GB of each GPU that the engine is taken to need for itself.
    taken: f64,
}

/// The most users that a question's GPUs hold, or those of the smallest replica where it names no number of them; none where the question says
/// its users, or asks for the speed of one.
fn held(r: &Reading) -> Option<Held> {
    *r.held.get_or_init(|| found_held(r))
}

fn found_held(r: &Reading) -> Option<Held> {
    let asks_most = r.asks_users() || r.asks_price() || r.asks_rate();
    if r.users.is_some() || comes(r) || ((r.asks_speed() || r.is_served_at()) && !asks_most) {
        return None;
    }
    let gpus = r.all_gpus();
    let rule = rule_of(sizing::Params::ID)?;
    let sets = some([("prompt", r.seq), ("output", r.answer)]);
    let setup = bare(rule, r, sets)?;
    let (params, _) = sizing::Params::read(&setup);
    let fits = |tp: u64, token: f64| {
        // What an engine takes for itself is no room for caches: the most that others measured, or the least where only that leaves any.
        let engine = Overhead::of_engine(tp);
        let beside = match params.machine.activations {
            own if own > 0.0 => [own; 2],
            _ => [engine.high, engine.low].map(|taken| (taken.0 / GB * 100.0).ceil() / 100.0),
        };
        let (batch, taken) = beside.into_iter().find_map(|taken| {
            let machine = Machine { activations: taken, ..params.machine };
            let plan = sizing::Params { tp, token, users: 1, machine, ..params.clone() }.evaluate().ok()?;
            let size = plan.size().filter(|size| size.replica() == tp)?;
            Some((size.most?.batch, taken))
        })?;
        let gpus = gpus.unwrap_or(tp);
        Some(Held { users: batch * (gpus / tp), tp, gpus, token, taken })
    };
    let divides = |tp: &u64| gpus.is_none_or(|gpus| *tp <= gpus && gpus % tp == 0) && r.tp.is_none_or(|own| own == *tp);
    let most = |token: f64| {
        let mut sizes = sizing::SIZES.into_iter().filter(divides).filter_map(|tp| fits(tp, token));
        if gpus.is_some() { sizes.max_by_key(|held| held.users) } else { sizes.next() }
    };
    // Who promises nobody anything may have slower tokens than the usual ones.
    let is_free = r.each.is_none() && !(r.asks_users() && gpus.is_some());
    let slower = || SLOWER.into_iter().find_map(most).filter(|_| is_free);
    most(params.token).or_else(slower)
}

/// How fast one user's answer comes, and all of them together.
fn speed_of(p: &sizing::Params, plan: &sizing::Plan) -> String {
    let Some(size) = plan.size() else { return String::new() };
    let each = 1.0 / size.share.token.max(1e-12);
    let users = if p.users > 1 { format!(" per user, {} in all", number(p.throughput(plan))) } else { String::new() };
    format!("About {} tokens per second{users}. ", number(each))
}

/// What serves a question that names no users: its GPUs, or the smallest replica, and how many users that is for. None where the question names
/// users, or asks for the speed of one.
fn open_load(p: &sizing::Params, plan: &sizing::Plan, r: &Reading) -> Option<String> {
    let (held, size) = (held(r)?, plan.size()?);
    let name = p.machine.gpu.name;
    let (gpus, most) = (format!("{} × {name}", grouped(held.gpus)), counted(held.users, "user", "users"));
    let slow = if SLOWER.contains(&held.token) {
        format!(" ({} is out of reach)", Unit::Seconds.format(sizing::Params::standard().token))
    } else {
        String::new()
    };
    // Who names a GPU and no number of them asks about one.
    let is_of_one = r.cluster().is_none() && r.gpu.is_some() && r.tp.is_none();
    let serves = match (r.cluster(), held.tp) {
        (Some(_), _) => format!("{gpus} {} up to {most}", if held.gpus == 1 { "serves" } else { "serve" }),
        (None, 1) if is_of_one => format!("One {name} is enough for up to {most}"),
        (None, _) if is_of_one => format!("One {name} isn’t enough. The smallest replica is {gpus}, for up to {most}"),
        (None, _) => format!("The smallest replica is {gpus}, for up to {most}"),
    };
    let replicas = if size.replicas > 1 {
        format!(" That is {} replicas of {}.", grouped(size.replicas), counted(size.replica(), "GPU", "GPUs"))
    } else {
        String::new()
    };
    let limit =
        if size.is_full() { "More of them don’t fit in the cache" } else { "One more would make a token too slow" };
    let taken = if held.taken > 0.0 {
        let beside = if held.tp > 1 { " and communicators" } else { "" };
        format!(
            ", and {} of each GPU is left to the engine’s CUDA context{beside}",
            Unit::Bytes.format(held.taken * GB)
        )
    } else {
        String::new()
    };
    let unsaid = match (r.asks_price(), r.asks_users() || r.asks_rate()) {
        (true, _) => " With fewer users a token costs more.",
        (false, true) => "",
        (false, false) => " Name your users to size it for them.",
    };
    Some(format!(
        "{serves} at {} per token{slow}, with prompts of {} tokens and answers of {}.{replicas} {limit}{taken}.{unsaid}{}",
        Unit::Seconds.format(p.token),
        grouped(p.prompt),
        grouped(p.output),
        p.link_assumed(size)
    ))
}

/// Days of a run, and the GPUs where the question has GPU-hours and not both.
fn time_of(r: &Reading) -> Option<(f64, Option<u64>)> {
    let of_hours = || {
        let hours = r.gpu_hours?;
        let gpus = r.all_gpus();
        // A run has no more days than the figure takes.
        let own = gpus.unwrap_or_else(|| (hours / 24.0 / 9e3).ceil().max(1.0) as u64);
        Some((hours / 24.0 / own as f64, gpus.is_none().then_some(own)))
    };
    r.days.map(|days| (days, None)).or_else(of_hours)
}

/// The GPUs that train on a question's tokens in its days, where it names none, and the sentence that says so.
fn gpus_in_time(r: &Reading) -> Option<(u64, String)> {
    let (tokens, days) = r.tokens.zip(r.days).filter(|_| r.cluster().is_none())?;
    let seconds = days * 86_400.0;
    let fewest = |mfu: Option<f64>| {
        let mut sets = vec![("given", "tokens".to_owned()), ("tokens", plain(tokens)), ("gpus", "1".to_owned())];
        sets.extend(mfu.map(|mfu| ("mfu", plain(mfu))));
        let gpus = (bare_run(r, sets)?.seconds() / seconds).ceil().max(1.0);
        (gpus <= (MAX_NODE * MAX_NODES) as f64).then_some(gpus as u64)
    };
    // More than a node has come in whole nodes.
    let whole = |gpus: u64| if gpus > NODE { gpus.next_multiple_of(NODE) } else { gpus };
    let first = fewest(r.mfu.or_else(|| Some(reached(r)?.middle)))?;
    // On so many GPUs the fastest layout may reach less than what others published.
    let laid_out = layout::run(&r.on(whole(first))).and_then(|found| found.mfu());
    let least = fewest(laid_out).filter(|_| laid_out.is_some()).unwrap_or(first).max(first);
    let gpus = whole(least);
    let nodes = if gpus > least { format!(", so {} in whole nodes", grouped(gpus)) } else { String::new() };
    let text =
        format!("In {} it takes at least {}{nodes}. ", Unit::Seconds.format(seconds), counted(least, "GPU", "GPUs"));
    Some((gpus, text))
}

/// What published runs on a question's GPU reach, or on that with which the figure of a run opens; none where nobody published one.
fn reached(r: &Reading) -> Option<Reached> {
    let gpu = r.gpu.or_else(|| Some(bare_run(r, Vec::new())?.machine.gpu))?;
    Reached::on(gpu)
}

/// Whether a question says how much comes to a server per second.
fn comes(r: &Reading) -> bool {
    r.rate.is_some() || r.flow.is_some()
}

/// Users at the same time of so many requests or tokens per second, and the sentence that says what is assumed for it: Little's law.
fn at_a_time(r: &Reading) -> Option<(u64, String)> {
    let p = sizing::Params::standard();
    let token = r.each.unwrap_or(p.token);
    let users = |n: f64| n.ceil().clamp(1.0, 1e6) as u64;
    if let Some(flow) = r.flow {
        let users = users(flow * token);
        let sentence = format!(
            "That is {} tokens per second, if they come evenly: about {} at the same time at {} per token.",
            number(flow),
            counted(users, "user", "users"),
            Unit::Seconds.format(token)
        );
        return Some((users, sentence));
    }
    let rate = r.rate?;
    let output = r.answer.unwrap_or(p.output);
    let each = output as f64 * token;
    let users = users(rate * each);
    let sentence = format!(
        "{} requests per second are about {} at the same time, if a request takes {}: {} tokens of answer at {} each (rate × time).",
        number(rate),
        grouped(users),
        Unit::Seconds.format(each),
        grouped(output),
        Unit::Seconds.format(token)
    );
    Some((users, sentence))
}

/// Whether a run is planned: for a speed that the question then takes for granted.
fn is_planned(r: &Reading) -> bool {
    let is_given =
        r.tokens.is_some() || r.gpu_hours.is_some() || (r.trains() && (r.days.is_some() || r.money.is_some()));
    let generates = r.has(&["generate", "generating", "synthetic"]) && !r.trains();
    (is_given && !generates) || (r.trains() && (r.has(&COST) || r.says(&["how", "long"]) || r.asks_speed()))
}

/// The GPUs of a question about a run that its model doesn't fit, and the fewest, of these and their doubles, on which ZeRO-3 makes it fit. None
/// where it fits, and where the question is of an adapter or says no GPUs.
fn short_of(r: &Reading) -> Option<(u64, Option<u64>)> {
    *r.short.get_or_init(|| found_short(r))
}

fn found_short(r: &Reading) -> Option<(u64, Option<u64>)> {
    let own = r.all_gpus()?;
    let rule = rule_of(memory::Params::ID)?;
    if r.wants(&ADAPTER) || r.has(&RL) {
        return None;
    }
    let (params, _) = memory::Params::read(&sharded(rule, r, &state(rule, r)?.query));
    let fits = |p: &memory::Params| p.evaluate().is_ok_and(|b| b.verdict.possible());
    if params.mode != memory::Mode::Training || params.evaluate().is_err() || fits(&params) {
        return None;
    }
    let enough = std::iter::successors(Some(own), |gpus| (*gpus < MAX_NODE * MAX_NODES).then_some(gpus * 2))
        .find(|gpus| fits(&memory::Params { dp: *gpus, zero: 3, ..params }));
    Some((own, enough))
}

/// What is said before the time of a run that doesn't fit the GPUs of the question.
fn too_few(r: &Reading) -> String {
    let counted = |gpus| counted(gpus, "GPU", "GPUs");
    match short_of(r) {
        None => String::new(),
        Some((gpus, enough)) if enough != Some(gpus) && layout::run(r).is_some() => {
            format!(
                "With ZeRO\u{2011}3/FSDP alone it doesn’t fit on {}. With the layout below it does. ",
                counted(gpus)
            )
        }
        // Another stage was asked for.
        Some((gpus, Some(enough))) if gpus == enough => {
            format!("As asked it doesn’t fit on {}. With ZeRO\u{2011}3/FSDP it does. ", counted(gpus))
        }
        Some((gpus, Some(enough))) => {
            format!("It doesn’t fit on {}. With ZeRO\u{2011}3/FSDP it fits on {}. ", counted(gpus), counted(enough))
        }
        Some((gpus, None)) => {
            format!("It doesn’t fit on {}, nor on more with ZeRO\u{2011}3/FSDP alone. If it did: ", counted(gpus))
        }
    }
}

/// The pairs that have a value.
fn some<const N: usize>(pairs: [(&'static str, Option<u64>); N]) -> Vec<(&'static str, String)> {
    pairs.into_iter().filter_map(|(name, value)| Some((name, value?.to_string()))).collect()
}

/// What a model says in this state: its sentence, or why there is no result.
fn of<M: Model>(query: &Query, says: impl Fn(&M, &M::Result) -> String) -> String {
    let (params, _) = M::read(query);
    match params.evaluate() {
        Ok(result) => says(&params, &result),
        Err(why) => why,
    }
}

/// The figures that answer a question, if the question names a model or its size and is of a kind that a figure answers, the one to begin with
/// first; or the page that compares runs, if the question names a GPU and a speed that was measured on it. Who asks both whether a run fits and
/// how long it takes gets two answers.
pub fn answers(question: &str) -> Vec<Answered> {
    if let Some(answered) = command::of(question) {
        return vec![answered];
    }
    if let Some(answered) = compare::of_sides(question) {
        return answered;
    }
    let reading = Reading::of(question);
    if let Some(answered) = scaling::of(&reading).or_else(|| computed::of_numbers(&reading)) {
        return vec![answered];
    }
    match symptom::of_symptom(&reading) {
        None => of_reading(&reading),
        // Of a model that is named there may be more to say.
        Some(symptom) if reading.preset.is_some() => [symptom].into_iter().chain(of_reading(&reading)).collect(),
        Some(symptom) => vec![symptom],
    }
}

fn of_reading(reading: &Reading) -> Vec<Answered> {
    let planned = is_planned(reading) && !explains(reading);
    if (!planned || measured::is_timed(reading))
        && let Some(answered) = measured::of(reading)
    {
        return vec![answered];
    }
    if let Some(gpu) = reading.gpu.filter(|_| reading.is_gpu_alone) {
        return catalogue::find(roofline::Params::ID).map(|entry| of_gpu(entry, gpu)).into_iter().collect();
    }
    let is_run = |rule: &&Rule| rule.figure == training_run::Params::ID;
    if reading.preset.is_none() && reading.params.is_none() {
        // How long an unnamed model takes is asked of the figure itself.
        let alone = reading.says(&["how", "long"]) && reading.trains();
        let run = RULES.iter().find(is_run).filter(|_| alone).and_then(|rule| catalogue::find(rule.figure));
        let unsaid = |entry: &catalogue::Entry| Answered {
            figure: entry.id,
            title: entry.title,
            query: Query::default(),
            read: vec!["how long a training run takes".to_owned()],
            unused: reading.said.iter().map(|(_, text)| text.clone()).chain(reading.unread.iter().cloned()).collect(),
            says: "Say how many parameters, tokens and GPUs: 7B on 1B tokens with 8 H100.".to_owned(),
        };
        return run.map(unsaid).into_iter().collect();
    }
    // The figure of adapters shows full fine-tuning, LoRA and QLoRA beside each other.
    let is_open = |rule: &&Rule| !has_no_state(reading) || rule.figure == adapters::Params::ID;
    let asked = || RULES.iter().filter(is_open).filter(|rule| (rule.is_asked)(reading));
    let run = asked().find(is_run).filter(|_| planned);
    let fits = reading.has(&FIT);
    let other = asked()
        .find(|rule| !is_run(rule) && (run.is_none() || fits || (reading.trains() && reading.cluster().is_some())));
    // What is asked for comes first: whether it fits, or how long it takes.
    let is_possible = fits || reading.has(&["can", "could", "enough", "possible"]) || reading.wants(&ADAPTER);
    let in_order = if is_possible { [other, run] } else { [run, other] };
    // Of a mixture that the table lacks nothing but its weights is known.
    let is_served = |rule: &Rule| [cache::Params::ID, sizing::Params::ID, batching::Params::ID].contains(&rule.figure);
    let trains = is_for_training(reading) || reading.wants(&ADAPTER) || reading.has(&RL);
    let is_of_memory = |rule: &Rule| rule.figure == memory::Params::ID && !trains;
    if reading.is_unlisted() && other.is_some_and(|rule| is_served(rule) || is_of_memory(rule)) {
        return held_weights(reading).into_iter().collect();
    }
    // Who doesn't say what the memory is for may want to run the model.
    let is_open = run.is_none() && !is_for_training(reading) && !reading.has(&RUNS);
    let runs = other.filter(|rule| is_open && rule.figure == memory::Params::ID);
    let runs = runs.and_then(|_| rule_of(cache::Params::ID));
    in_order.into_iter().flatten().chain(runs).filter_map(|rule| set(rule, reading)).collect()
}

/// What can't be said of a mixture that the table lacks, and what would say it.
fn unlisted(r: &Reading) -> String {
    let active = r.active.map_or_else(String::new, |active| format!(" and {} per token", count(active)));
    format!(
        "The table of models has no mixture with {} parameters{active} by that name, and its layers and heads don’t follow from its size: they decide \
         what its activations and its KV cache take. Drop its config.json here to have them counted.",
        count(r.params.unwrap_or_default())
    )
}

/// The memory figure with the weights of a mixture that the table lacks, and how many GPUs hold them.
fn held_weights(r: &Reading) -> Option<Answered> {
    let rule = rule_of(memory::Params::ID)?;
    let mut answered = state(rule, r)?;
    answered.query = answered.query.with(&Query::new([("mode", "inference"), ("zero", "0"), ("dp", "1")]));
    let (params, _) = memory::Params::read(&answered.query);
    let all = params.evaluate().ok()?.parts.weights.0;
    let [half, quarter] = [2.0, 4.0].map(|part| bytes_decimal(all / part));
    let needed = (all / params.gpu.memory.0).ceil() as u64;
    let beside = match r.all_gpus() {
        Some(gpus) => {
            let have = gpus as f64 * params.gpu.memory.0;
            let forms = [("in bf16", all), ("in 8 bits", all / 2.0), ("in 4 bits", all / 4.0)];
            let left = forms.into_iter().find(|(_, weights)| *weights < have).map_or_else(
                || ", too little for any of them".to_owned(),
                |(form, weights)| {
                    format!(", which {form} leaves {} for the KV cache and the engine", bytes_decimal(have - weights))
                },
            );
            format!("{} × {} have {}{left}", grouped(gpus), params.gpu.name, bytes_decimal(have))
        }
        None => format!("at least {} × {} hold them in bf16, without a KV cache", grouped(needed), params.gpu.name),
    };
    answered.says = format!(
        "Its weights take {} in bf16, {half} in 8 bits and {quarter} in 4 bits: {beside}. {}",
        bytes_decimal(all),
        unlisted(r)
    );
    Some(answered)
}

/// FLOPs that a training step takes per token of a question's model.
fn flop_per_token(r: &Reading) -> Option<f64> {
    Some(bare_run(r, some([("seq", r.seq)]))?.size.flop_per_token())
}

/// The run of a question's model on its GPU with these parameters alone.
fn bare_run(r: &Reading, mut sets: Vec<(&'static str, String)>) -> Option<training_run::Run> {
    sets.extend(without_attention(r));
    let (params, _) = training_run::Params::read(&bare(rule_of(training_run::Params::ID)?, r, sets)?);
    params.evaluate().ok()
}

/// Of a bare size neither depth nor width is known, so its attention isn't counted.
fn without_attention(r: &Reading) -> Option<(&'static str, String)> {
    r.preset.is_none().then(|| ("attention", "none".to_owned()))
}

/// Whether a question about memory is of training; otherwise nothing says what the memory is for.
fn is_for_training(r: &Reading) -> bool {
    r.trains() || r.batch.is_some() || r.micro.is_some() || r.has(&TRAINING) || r.has(&OUT)
}

/// What a GPU can do, where a question is its name and nothing else.
fn of_gpu(entry: &catalogue::Entry, gpu: &'static Accelerator) -> Answered {
    let setup = Setup { gpu: Some(gpu), ..Setup::default() };
    let says = format!(
        "{}: {} of memory at {}, and {} of dense {}. Add a model to ask what fits on it.",
        gpu.name,
        Unit::Bytes.format(gpu.memory.0),
        Unit::BytesPerSecond.format(gpu.bandwidth),
        Unit::FlopPerSecond.format(gpu.peak),
        gpu.peak_dtype,
    );
    Answered {
        figure: entry.id,
        title: entry.title,
        query: fill(entry.params(), &setup, &Query::default()).query,
        read: vec![gpu.name.to_owned()],
        unused: Vec::new(),
        says,
    }
}

/// A figure set to what was read, and what it says; none if it takes no such model.
fn set(rule: &Rule, reading: &Reading) -> Option<Answered> {
    if rule.figure == training_run::Params::ID
        && !reading.is_timed
        && let Some((gpus, sentence)) = gpus_in_time(reading)
    {
        // The same run as if the question named the GPUs.
        let mut answered = set(rule, &reading.on(gpus))?;
        answered.says = sentence + &answered.says;
        return Some(answered);
    }
    let mut answered = state(rule, reading)?;
    if rule.figure == memory::Params::ID {
        answered.query = sharded(rule, reading, &answered.query);
        if reading.asks_batch() {
            answered.query = filled_up(&answered.query);
        }
        if reading.asks_gpus() {
            answered.query = enough(&answered.query);
        }
    }
    if rule.figure == adapters::Params::ID {
        answered.query = on_fewest(rule, reading, &answered.query);
        answered.query = tuned(reading, &sharded_adapter(reading, &answered.query));
    }
    if rule.figure == rlhf::Params::ID {
        answered.query = generated(reading, &on_fewest(rule, reading, &answered.query));
    }
    if reading.foreign.is_some() && reading.gpu.is_none() {
        answered.says = offloaded(rule, &answered.query, reading) + &answered.says;
    }
    // What holds for another model is no answer.
    if answered.says.is_empty() {
        let says = (rule.says)(&answered.query, reading);
        answered.says = [
            offloaded(rule, &answered.query, reading),
            staged(rule, reading).to_owned(),
            assumed(rule, reading, &answered.query),
            says,
        ]
        .concat();
    }
    Some(answered)
}

/// That offloading isn't modeled, and what it would have to take, where a question wants it and the figure doesn't count it.
fn offloaded(rule: &Rule, query: &Query, r: &Reading) -> String {
    let Some(entry) = catalogue::find(rule.figure) else { return String::new() };
    if !r.offloads() || entry.params().any(|param| param.spec.name == "offload") {
        return String::new();
    }
    let would = match rule.figure {
        memory::Params::ID => {
            let (params, _) = memory::Params::read(query);
            memory::Params { dp: 1, zero: 0, ..params }.evaluate().map_or_else(
                |_| String::new(),
                |all| match params.mode {
                    memory::Mode::Training => format!(
                        " Offloading the optimizer’s states would take {} of host memory and leave {} of weights and gradients to the GPUs together.",
                        bytes_decimal(all.parts.optimizer.0),
                        bytes_decimal((all.parts.weights + all.parts.gradients).0)
                    ),
                    memory::Mode::Inference => format!(
                        " The weights take {} and a GPU has {}: what stays outside is read again over a slower link, or computed by the CPU, for each token.",
                        bytes_decimal(all.parts.weights.0),
                        bytes_decimal(params.gpu.memory.0)
                    ),
                },
            )
        }
        _ => String::new(),
    };
    format!("Offloading to the CPU or to a disk isn’t modeled here.{would} What follows assumes no offloading. ")
}

/// That pipeline stages aren't computed, where a question about serving names them and the figure has none.
fn staged(rule: &Rule, r: &Reading) -> &'static str {
    let is_named = r.pp.is_some() || r.has(&["pp", "pipeline"]);
    if !is_named || ![cache::Params::ID, sizing::Params::ID, batching::Params::ID].contains(&rule.figure) {
        return "";
    }
    "Computed with tensor parallelism. Pipeline stages aren’t computed for serving: they send less between GPUs, but a token passes through them \
     one after the other, so they don’t shorten the time it takes. "
}

/// The GPUs that a figure counts and the question doesn't say, which its answer begins with; empty where the question says them.
fn assumed(rule: &Rule, reading: &Reading, query: &Query) -> String {
    // A symptom doesn’t rest on their number.
    // FLOPs are the same on any number of GPUs.
    let is_work = rule.figure == training_run::Params::ID && asks_work(reading);
    let is_counted = RULES.iter().any(|own| own.figure == rule.figure) && reading.cluster().is_none() && !is_work;
    let Some(entry) = catalogue::find(rule.figure).filter(|_| is_counted) else {
        return String::new();
    };
    let shown = (entry.read)(query).0;
    let takes = |param: &crate::declare::Declared| {
        param.takes.is_some_and(|take| matches!(take.what, Takes::Gpus | Takes::Data))
    };
    let gpus = entry.params().find(takes).and_then(|param| shown.get(param.spec.name)?.parse::<u64>().ok());
    // Who asks how many is told.
    let fitted = || fitted(rule, query);
    let of = |said: fn(&str) -> String| {
        fitted().map_or_else(String::new, |(gpus, gpu)| said(&format!("{} × {}", grouped(gpus), gpu.name)))
    };
    match rule.figure {
        rlhf::Params::ID | adapters::Params::ID if asks_fewest(reading) => {
            return of(|gpus| format!("At least {gpus}. "));
        }
        memory::Params::ID if reading.asks_gpus() => {
            let how = laid_out(&memory::Params::read(query).0);
            return fitted()
                .map_or_else(String::new, |(gpus, gpu)| format!("{} × {} are enough{how}. ", grouped(gpus), gpu.name));
        }
        _ => {}
    }
    gpus.map_or_else(String::new, |gpus| {
        format!("Assumed, because the question doesn’t say how many: {}. ", counted(gpus, "GPU", "GPUs"))
    })
}

/// How a state of the memory figure divides a model and its sequences, beside ZeRO: `, with context parallelism over 16`. Empty where it doesn't.
fn laid_out(p: &memory::Params) -> String {
    let over = |name: &str, ranks: u64| (ranks > 1).then(|| format!("{name} over {ranks}"));
    let tp = over("tensor parallelism", p.layout.tp);
    let cp = over("context parallelism", p.layout.cp);
    let again = (p.recompute == Recompute::Full).then(|| "full activation recomputation".to_owned());
    let parts: Vec<String> = [tp, cp, again].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(", with {}", listed(&parts)) }
}

/// The state of a rule's figure with a question's model and GPU and these parameters alone.
fn bare(rule: &Rule, reading: &Reading, sets: Vec<(&'static str, String)>) -> Option<Query> {
    let entry = catalogue::find(rule.figure)?;
    let setup = Setup { model: model_of(rule, entry, reading).0, gpu: reading.gpu, ..Setup::default() };
    let named = |name: &str| entry.params().any(|param| param.spec.name == name);
    let terms = reading.terms().filter_map(|term| term.sets.iter().find(|(name, _)| named(name)));
    let stored = stored(rule, reading).map(|(name, value, _)| (name, value));
    let forms = stored.into_iter().chain(terms.map(|(name, value)| (*name, (*value).to_owned())));
    Some(fill(entry.params(), &setup, &Query::default()).query.with(&Query::new(forms)).with(&Query::new(sets)))
}

/// A question's model as a figure takes it, and what is said where it's another one.
fn model_of(rule: &Rule, entry: &catalogue::Entry, reading: &Reading) -> (Option<ModelRef>, Option<String>) {
    let takes_count =
        entry.params().any(|p| matches!(p.takes.map(|t| t.what), Some(Takes::Parameters | Takes::Active)));
    let choices = entry.params().find_map(|p| match (p.takes.map(|t| t.what), p.spec.kind) {
        (Some(Takes::Model), Kind::Choice(ids)) => Some(ids),
        _ => None,
    });
    let takes = |preset: &presets::Preset| choices.is_none_or(|ids| ids.contains(&preset.id));
    match (reading.preset.filter(|preset| takes(preset)), reading.params) {
        (Some(preset), _) => (Some(ModelRef::Preset(preset)), None),
        (None, Some(_)) if rule.figure == memory::Params::ID && shaped(reading).is_some() => {
            let of_shape = |near: &'static presets::Preset| {
                let text = format!("counted as {}, whose shape the activations need", near.name);
                (ModelRef::Preset(near), text)
            };
            shaped(reading).map(of_shape).unzip()
        }
        (None, Some(params)) if takes_count => (Some(ModelRef::Count(params as u64)), None),
        (None, params) => {
            let of_preset = || reading.preset?.shape.count().ok().map(|count| count.total as f64);
            let is_mixture = reading.preset.map_or_else(|| reading.is_mixture(), |preset| preset.shape.moe.is_some());
            let params = params.or_else(of_preset).filter(|_| !reading.is_unlisted());
            let near = params.zip(choices).and_then(|(params, ids)| like(params, is_mixture, ids));
            let named = |near: &'static presets::Preset| {
                (ModelRef::Preset(near), format!("counted as {}, the nearest model in this figure", near.name))
            };
            near.map(named).unzip()
        }
    }
}

/// A figure set to what was read; none if it takes no such model.
fn state(rule: &Rule, reading: &Reading) -> Option<Answered> {
    let entry = catalogue::find(rule.figure)?;
    let mut unused = reading.unread.clone();
    let (model, near_model) = model_of(rule, entry, reading);
    let takes_any = |of: &[Takes]| entry.params().any(|p| p.takes.is_some_and(|take| of.contains(&take.what)));
    let takes_cluster = takes_any(&[Takes::Node, Takes::Nodes, Takes::Gpus, Takes::Data]);
    let cluster = reading.cluster().filter(|_| takes_cluster);
    let [node, nodes] = cluster.map_or([None, None], |cluster| cluster.map(Some));
    let setup = Setup { model, gpu: reading.gpu, node, nodes, ..Setup::default() };
    let filled = fill(entry.params(), &setup, &Query::default());
    let declared = |name: &str| entry.params().any(|param| param.spec.name == name);
    let sets: Vec<_> = (rule.sets)(reading).into_iter().filter(|(name, _)| declared(name)).collect();
    // A figure without a batch of the whole step takes it for the micro-batch.
    let is_micro = reading.micro.is_none()
        && reading.micro_batch().is_some()
        && sets.iter().any(|(name, _)| *name == "mbs")
        && !sets.iter().any(|(name, _)| *name == "batch");
    let is_used = |what: What| match what {
        What::Model | What::Gpu => true,
        What::Cluster if takes_cluster => true,
        What::Price => rule.figure == sizing::Params::ID,
        What::Days if rule.figure == training_run::Params::ID && reading.is_timed => true,
        // Users that are given are what it would say.
        What::Rate if reading.users.is_some() => false,
        // Its answer is the planner's, with the time beside it.
        What::First | What::Users | What::Length | What::Cluster if rule.figure == batching::Params::ID => true,
        What::Batch if is_micro => true,
        // The caches of so many are counted beside what fits.
        What::Users if rule.figure == cache::Params::ID => asks_cache(reading),
        What::Tokens if rule.figure == planner::Params::ID => layout::has_run(reading),
        _ => sets.iter().any(|(name, _)| what.params().contains(name)),
    };
    let (used, left): (Vec<_>, Vec<_>) = reading.said.iter().partition(|(what, _)| is_used(*what));
    let said = |(what, text): &(What, String)| match what {
        What::Batch if is_micro && reading.micro_batch() == reading.batch => {
            format!("{text}, counted as the micro-batch")
        }
        What::Batch if is_micro => format!("{text}, {} per GPU", grouped(reading.micro_batch().unwrap_or_default())),
        _ => text.clone(),
    };
    let mut read: Vec<String> = used.into_iter().map(said).chain(near_model).collect();
    unused.extend(left.into_iter().map(|(_, text)| text.clone()));
    let terms = reading.terms().map(|term| (term, term.sets.iter().find(|(name, _)| declared(name))));
    let (counted, left): (Vec<_>, Vec<_>) = terms.partition(|(_, set)| set.is_some());
    read.extend(counted.iter().map(|(term, _)| term.name.to_owned()));
    unused.extend(left.iter().map(|(term, _)| term.name.to_owned()));
    if reading.says(&["how", "long"]) && !is_planned(reading) {
        unused.push("how long".to_owned());
    }
    let sets: Vec<(&str, String)> = sets
        .into_iter()
        .chain(counted.into_iter().filter_map(|(_, set)| set.map(|(name, value)| (*name, (*value).to_owned()))))
        .collect();
    let stored = stored(rule, reading).filter(|(name, ..)| !sets.iter().any(|(own, _)| own == name));
    read.extend(stored.iter().map(|(.., text)| text.clone()));
    let sets = sets.into_iter().chain(stored.map(|(name, value, _)| (name, value)));
    let (query, problems) = (entry.read)(&filled.query.with(&Query::new(sets)));
    // What the figure does not take is said beside what was read.
    read.extend(filled.left.into_iter().chain(problems.into_iter().map(|problem| problem.message)));
    // The address names what the question sets, and nothing that is as it would be anyway.
    let standard = (entry.read)(&Query::default()).0;
    let query = Query::new(query.iter().filter(|(name, value)| standard.get(name) != Some(*value)));
    let is_open = reading.foreign.as_ref().filter(|_| reading.gpu.is_none() && takes_any(&[Takes::Gpu]));
    let is_default = reading.gpu.is_none() || reading.cluster().is_none();
    let says = match model {
        _ if let Some(name) = is_open => format!(
            "{} isn’t in the table of GPUs, so what holds for it isn’t said. Ask with its memory instead (“4 cards with 24 GB”), or choose a GPU like it in the figure.",
            crate::quantity::capital(name)
        ),
        // What holds for the GPU, or the one GPU, with which a figure opens is no answer for others.
        _ if let Some(what) = reading.uncounted.as_ref().filter(|_| takes_any(&[Takes::Gpu]) && is_default) => {
            format!(
                "Which GPUs, and how many? “{what}” isn’t read, and what holds for other GPUs isn’t said. Ask with both, as in “2 cards with 24 GB” or “8 H100”."
            )
        }
        // A symptom may be asked about without a model.
        None if reading.preset.is_none() && reading.params.is_none() => String::new(),
        Some(_) => String::new(),
        None if reading.is_unlisted() => format!("{} The figure opens with its default model.", unlisted(reading)),
        None => "This figure can’t show a model of your size, and opens with its default model.".to_owned(),
    };
    Some(Answered { figure: entry.id, title: entry.title, query, read, unused, says })
}

/// The parameter that sets the weights of a serving figure to what the named model's checkpoint stores, its value, and both in words. None
/// where the question names a precision, or the checkpoint has 16 bits.
fn stored(rule: &Rule, reading: &Reading) -> Option<(&'static str, String, String)> {
    let quant = reading.preset?.stored.quant;
    let is_said = reading.has(&["bf16", "bfloat16", "fp16", "float16", "fp8", "int8", "8bit", "nvfp4", "mxfp4", "fp4"]);
    if quant == Quant::Bf16 || is_said || reading.trains() {
        return None;
    }
    let text = format!("weights in {}, as the checkpoint stores them", quant.label());
    match rule.figure {
        sizing::Params::ID | batching::Params::ID => Some(("quant", quant.id().to_owned(), text)),
        cache::Params::ID => Some(("weight-bits", quant.bits().to_string(), text)),
        _ => None,
    }
}

/// The figure that shows the model of a pasted `config.json`; none if the text is none, or cannot be read.
pub fn of_config(text: &str) -> Option<Answered> {
    let import = crate::model::import(text).ok()?;
    let model = import.imported().model(matches!(import, Import::Guess { .. }));
    let query = model.query();
    let says = of(&query, |_: &memory::Params, b| b.verdict().join(" ").trim_end().to_owned());
    let read = vec![model.name()];
    Some(Answered { figure: memory::Params::ID, title: memory::Params::TITLE, query, read, unused: Vec::new(), says })
}
