//! `moe-routing`: tokens go through a router to experts on ranks and come back.

mod finding;
mod models;

pub use models::Published;

use super::balance::{self, auxiliary, imbalance};
use super::capacity::{self, Drop};
use super::cost::{Layer, Placement, Sending, Times, Traffic};
use super::route::{Choice, Gate, Groups, Router, biased, load, softmax};
use super::tokens::logits;
use crate::declare::{
    Applies, Field as _, List, Measure, Model, Origin, Origins, Param, Takes, applies, choice, headline, join, measure,
    origin, real, when, whole,
};
use crate::hardware::links::{self, Link};
use crate::hardware::{self, Accelerator};
use crate::model::{ModelRef, reference};
use crate::options;
use crate::quantity::{Unit, grouped, number};
use crate::query::{Query, Reader};

/// The model where none is given.
const MODEL: &str = "mixtral-8x7b";

/// How load is kept even.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Balance {
    /// Not at all.
    #[default]
    None,
    /// By an auxiliary loss.
    Loss,
    /// By a bias that decides the choice alone.
    Bias,
}

options!(Balance {
    None: "none", "not at all";
    Loss: "loss", "by a loss";
    Bias: "bias", "by a bias";
});

/// From logits to weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Gating {
    /// As the model does.
    #[default]
    Own,
    /// Softmax over all experts.
    Softmax,
    /// Softmax over those chosen.
    Chosen,
    /// Sigmoid.
    Sigmoid,
}

options!(Gating {
    Own: "own", "as published";
    Softmax: "softmax", "softmax, then top-k";
    Chosen: "chosen", "top-k, then softmax";
    Sigmoid: "sigmoid", "sigmoid";
});

const BITS: List = List { ids: &["16", "8"], labels: &["16", "8"] };

/// Tokens that are routed at the most; they stand for the others.
pub const SAMPLE: u64 = 512;
/// Tokens by which a balance is found.
const BALANCED_BY: usize = 256;
/// Most updates of a balance.
pub const UPDATES: u64 = 40;
/// The first γ, of the deviation of what it is added to.
const GAMMA: f64 = 0.5;
/// The first step of gradient descent on the auxiliary loss, in logits.
const RATE: f64 = 0.5;

/// The steps of a layer, in order.
pub const STEPS: [&str; 6] = ["Scores", "Choice", "Capacity", "Dispatch", "Experts", "Combine"];

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model.
    pub model: ModelRef,
    /// How much some experts suit every token.
    pub skew: f64,
    /// How load is kept even.
    pub balance: Balance,
    /// Expert capacity over an even share; 0 for no limit.
    pub capacity: f64,
    /// From logits to weights.
    pub gating: Gating,
    /// Experts of a token; 0 for the model's own.
    pub top_k: u64,
    /// Groups of experts, of eight, that a token may use; 0 for the model's own.
    pub limit: u64,
    /// Who goes when an expert is full.
    pub drop: Drop,
    /// Updates of the balance.
    pub updates: u64,
    /// GPUs over which experts are spread.
    pub ep: u64,
    /// GPUs of a node.
    pub node: u64,
    /// Tokens of a GPU.
    pub tokens: u64,
    /// How copies go.
    pub sending: Sending,
    /// Bits of a value on its way to an expert.
    pub bits: u32,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Inside a node.
    pub link: &'static Link,
    /// Between nodes.
    pub net: &'static Link,
    /// The seed.
    pub seed: u64,
    /// The step on show; 0 for all of them.
    pub step: u64,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            model: ModelRef::default(),
            skew: 0.0,
            balance: Balance::None,
            capacity: 0.0,
            gating: Gating::Own,
            top_k: 0,
            limit: 0,
            drop: Drop::Position,
            updates: 0,
            ep: 1,
            node: 1,
            tokens: 1,
            sending: Sending::Copies,
            bits: 16,
            gpu: &hardware::ALL[0],
            link: &links::INSIDE[0],
            net: &links::BETWEEN[0],
            seed: 1,
            step: 0,
        }
    }
}

/// Everything that the figure shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// The model.
    pub model: Published,
    /// The router.
    pub router: Router,
    /// Where everything lies.
    pub place: Placement,
    /// Each token's score for each expert, as the router sees it.
    pub scores: Vec<Vec<f64>>,
    /// The groups that each token may use; nothing where it may use all.
    pub allowed: Vec<Vec<usize>>,
    /// Each token's experts.
    pub routed: Vec<Vec<Choice>>,
    /// Which of them have room.
    pub kept: Vec<Vec<bool>>,
    /// Tokens of each expert, before any is dropped.
    pub load: Vec<usize>,
    /// Tokens that an expert has room for; none for any number.
    pub capacity: Option<u64>,
    /// The auxiliary loss; 1 when balanced.
    pub auxiliary: f64,
    /// The part of the weights that the balance moved to other experts.
    pub moved: f64,
    /// The traffic.
    pub traffic: Traffic,
    /// The layer.
    pub layer: Layer,
    /// What it takes.
    pub times: Times,
    /// Tokens that one of the sample stands for.
    pub each: f64,
}

/// Groups of experts.
const GROUPS: u64 = 8;

fn as_published(value: f64) -> String {
    if value == 0.0 { "as published".to_owned() } else { grouped(value as u64) }
}

const ROUTER: &str = "Router";
const MACHINE: &str = "Expert parallelism";

impl Model for Params {
    type Result = Routed;
    const ID: &'static str = "moe-routing";
    const TITLE: &'static str = "Tokens to experts";
    const SUMMARY: &'static str = "A router gives tokens to experts on many GPUs: scores, top-k, capacity and dropped tokens, balance, both all-to-alls and who waits.";
    const PARAMS: &'static [Param<Self>] = &join::<Self, { 19 + reference::OWN }>(&[
        &[
            reference::MODEL.default(MODEL).own_control(),
            real("skew", "how much some experts suit every token", [0.0, 4.0], "0.5")
                .label("Expert popularity skew")
                .steps(0.25)
                .main()
                .at(|p: &mut Params| p.skew.slot()),
            choice("balance", "how load is kept even", Balance::LIST, "none")
                .label("Balance")
                .main()
                .at(|p| p.balance.slot()),
            real("capacity", "expert capacity over an even share; 0 for no limit", [0.0, 4.0], "1.25")
                .label("Capacity factor")
                .format(|v| if v == 0.0 { "no limit".to_owned() } else { number(v) })
                .steps(0.25)
                .main()
                .at(|p| p.capacity.slot()),
            choice("gating", "from logits to weights", Gating::LIST, "own")
                .label("Gate")
                .more(ROUTER)
                .at(|p| p.gating.slot()),
            whole("top-k", "experts per token; 0 for the model’s own", [0, 16], "0")
                .label("Experts per token")
                .format(as_published)
                .steps(1.0)
                .more(ROUTER)
                .quiet()
                .at(|p| p.top_k.slot()),
            whole(
                "limit",
                "groups of experts, of eight, that a token may use; 0 for the model’s own",
                [0, GROUPS],
                "0",
            )
            .label("Groups a token may use, of 8")
            .format(as_published)
            .steps(1.0)
            .more(ROUTER)
            .quiet()
            .at(|p| p.limit.slot()),
            choice("drop", "who goes when an expert is full", Drop::LIST, "position")
                .label("Tokens dropped at capacity")
                .more(ROUTER)
                .at(|p| p.drop.slot()),
            whole("updates", "updates of the balance", [0, UPDATES], "40")
                .label("Balancing updates")
                .steps(1.0)
                .more(ROUTER)
                .at(|p| p.updates.slot()),
            whole("ep", "GPUs over which experts are spread", [1, 256], "8")
                .label("Expert-parallel GPUs")
                .doubling(8)
                .more(MACHINE)
                .at(|p| p.ep.slot()),
            whole("node", "GPUs per node", [1, 72], "8")
                .takes(Takes::Node)
                .label("GPUs per node")
                .more(MACHINE)
                .at(|p| p.node.slot()),
            whole("tokens", "tokens per GPU", [1, 1 << 16], "4096")
                .label("Tokens per GPU")
                .doubling(16)
                .more(MACHINE)
                .at(|p| p.tokens.slot()),
            choice("sending", "how copies go", Sending::LIST, "copies")
                .label("Dispatch copies")
                .more(MACHINE)
                .at(|p| p.sending.slot()),
            choice("bits", "bits of a value on its way to an expert; it comes back in 16", BITS, "16")
                .label("Bits per value sent")
                .more(MACHINE)
                .at(|p| p.bits.slot()),
            choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(MACHINE).at(|p| p.gpu.slot()),
            choice("link", "inside a node", links::INSIDE_LIST, "nvlink4")
                .label("Link within a node")
                .more(MACHINE)
                .at(|p| p.link.slot()),
            choice("net", "between nodes, one port for each GPU", links::BETWEEN_LIST, "ndr")
                .label("Link between nodes")
                .more(MACHINE)
                .at(|p| p.net.slot()),
            whole("seed", "seed of all numbers", [1, 999], "1").label("Seed").more("Numbers").at(|p| p.seed.slot()),
            whole("step", "the step on show; 0 for all", [0, STEPS.len() as u64], "0")
                .drawn()
                .quiet()
                .at(|p| p.step.slot()),
        ],
        &reference::own(),
    ]);
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["updates"], |p| p.balance != Balance::None),
        applies(&["drop"], |p| p.capacity > 0.0),
        applies(&["sending", "bits", "link", "net"], |p| p.ep > 1),
    ];
    const ORIGIN: Origin = super::cost::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            crate::model::params::ORIGIN,
            &["total-params", "active-params", "lookup-params", "expert-params", "expert-bytes"],
        ),
        origin(Origin::Controls, &["experts", "chosen", "hidden", "width", "moe-layers"]),
        origin(super::capacity::ORIGIN, &["room", "dropped", "passed-by"]),
        origin(super::route::ORIGIN, &["routed-tokens", "busiest", "busiest-rank", "idle", "nodes"]),
        origin(Origin::Of("Fedus et al. 2021 (Switch), arXiv:2101.03961, eq. 4"), &["auxiliary"]),
        origin(
            Origin::Of(
                "DeepSeek-V3, arXiv:2412.19437, §2.1.2, for the bias; its effect on the weights is counted here",
            ),
            &["moved"],
        ),
        origin(Origin::Rows, &["layer-time", "communication", "waiting"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Routed>] = &[
        measure("total-params", "Parameters", Unit::Count, |_, r| r.model.total),
        measure("active-params", "Active parameters", Unit::Count, |_, r| r.model.active),
        measure("lookup-params", "Input embedding, parameters", Unit::Count, |_, r| r.model.lookup),
        measure("expert-params", "Parameters per expert", Unit::Count, |_, r| r.model.expert()),
        measure("experts", "Experts per layer", Unit::Count, |_, r| r.place.experts as f64),
        measure("chosen", "Experts per token", Unit::Count, |_, r| r.router.top_k as f64),
        measure("hidden", "Hidden size", Unit::Count, |_, r| r.layer.hidden as f64),
        measure("width", "Expert intermediate size", Unit::Count, |_, r| r.layer.width as f64),
        measure("moe-layers", "Layers with experts", Unit::Count, |_, r| r.model.layers),
        measure("expert-bytes", "Expert weights per GPU, bf16", Unit::Bytes, |_, r| {
            2.0 * r.model.expert() * r.layer.held as f64 * r.model.layers
        }),
        when(
            |_, r| r.capacity.is_some(),
            measure("room", "Expert capacity, tokens", Unit::Count, |_, r| {
                r.capacity.unwrap_or(r.routed.len() as u64) as f64
            }),
        ),
        measure("routed-tokens", "Tokens routed", Unit::Count, |_, r| r.routed.len() as f64),
        headline(
            "Assignments that an expert at capacity refuses.",
            measure("dropped", "Dropped token assignments", Unit::Fraction, |_, r| r.dropped()),
        ),
        measure("passed-by", "Tokens no expert processes", Unit::Fraction, |_, r| r.passed_by()),
        headline(
            "How many times the average load the fullest expert has.",
            measure("busiest", "Busiest expert over the mean", Unit::Ratio, |_, r| r.busiest()),
        ),
        measure("busiest-rank", "Busiest GPU over the mean", Unit::Ratio, |_, r| r.busiest_rank()),
        measure("idle", "Idle experts", Unit::Count, |_, r| r.idle() as f64),
        measure("auxiliary", "Auxiliary loss (1 is balanced)", Unit::Ratio, |_, r| r.auxiliary),
        measure("moved", "Routing weight moved by balancing", Unit::Fraction, |_, r| r.moved),
        measure("nodes", "Other nodes each token goes to", Unit::Ratio, |_, r| {
            r.traffic.nodes as f64 / r.routed.len().max(1) as f64
        }),
        measure("inside-bytes", "Dispatched within a node, per GPU", Unit::Bytes, |_, r| r.times.sent[0]),
        measure("between-bytes", "Dispatched between nodes, per GPU", Unit::Bytes, |_, r| r.times.sent[1]),
        measure("dispatch", "All-to-all time, dispatch", Unit::Seconds, |_, r| r.times.dispatch),
        measure("experts-time", "Expert compute time, slowest GPU", Unit::Seconds, |_, r| r.times.slowest()),
        measure("combine", "All-to-all time, combine", Unit::Seconds, |_, r| r.times.combine),
        headline(
            "Dispatch, experts on the slowest GPU, combine.",
            measure("layer-time", "Expert layer time, forward", Unit::Seconds, |_, r| r.times.total()),
        ),
        headline(
            "The share of the time from dispatch to combine that goes into both all-to-alls. Attention is not in it.",
            measure("communication", "All-to-all share of expert layer time", Unit::Fraction, |_, r| {
                r.times.communication()
            }),
        ),
        headline(
            "Expert compute time lost because other GPUs have more tokens.",
            measure("waiting", "GPU time waiting for the busiest GPU", Unit::Fraction, |_, r| r.times.waiting()),
        ),
        measure("busiest-bytes", "Activation memory per layer, busiest GPU", Unit::Bytes, |_, r| {
            r.activations(r.traffic.worked.iter().copied().max().unwrap_or(0) as f64)
        }),
        measure("even-bytes", "Activation memory per layer and GPU, balanced", Unit::Bytes, |_, r| {
            r.activations(r.traffic.worked.iter().sum::<u64>() as f64 / r.place.ranks.max(1) as f64)
        }),
    ];

    fn evaluate(&self) -> Result<Routed, String> {
        if self.model.sound()?.moe.is_none() {
            return Err(format!("{} has no experts to route to. Choose a model that has some.", self.model.name()));
        }
        let experts = self.published().experts;
        if !experts.is_multiple_of(self.ep) {
            return Err(format!(
                "{} experts do not spread evenly over {} GPUs. Choose a number that divides {}: {}.",
                grouped(experts),
                grouped(self.ep),
                grouped(experts),
                (0..=8)
                    .map(|p| 1_u64 << p)
                    .filter(|n| experts.is_multiple_of(*n))
                    .map(grouped)
                    .collect::<Vec<_>>()
                    .join(", ")
            ));
        }
        Ok(self.routed())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
        let (experts, asked) = (self.published().experts, self.top_k);
        if asked > experts {
            self.top_k = experts;
            reader.problem("top-k", format!("top-k {asked}: there are {experts} experts, so {experts} are taken."));
        }
        [self.link, self.net] = links::with_gpu(self.gpu, reader.query(), [self.link, self.net]);
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn follow(&mut self, before: &Self) {
        [self.link, self.net] = links::follow([before.gpu, self.gpu], [self.link, self.net]);
        let experts = self.published().experts;
        if self.model != before.model {
            self.ep = self.published().spread;
        }
        self.top_k = self.top_k.min(experts);
    }
}

impl Params {
    /// The model, with its router.
    pub fn published(&self) -> Published {
        Published::of(&self.model)
    }

    /// The router.
    pub fn router(&self) -> Router {
        let own = self.published().router;
        let gate = match self.gating {
            Gating::Own => own.gate,
            Gating::Softmax => Gate::Softmax { renormalised: true },
            Gating::Chosen => Gate::Chosen,
            Gating::Sigmoid => Gate::Sigmoid { renormalised: true },
        };
        let groups = match self.limit {
            0 => own.groups,
            GROUPS => None,
            kept => Some(Groups { count: GROUPS as usize, kept: kept as usize, best: 2 }),
        };
        let top_k = if self.top_k == 0 { own.top_k } else { self.top_k as usize };
        Router { gate, groups, top_k, ..own }
    }

    /// Whatever the step.
    fn routed(&self) -> Routed {
        let model = self.published();
        let router = self.router();
        let experts = model.experts as usize;
        let all = self.ep * self.tokens;
        let sample = all.min(SAMPLE);
        let each = all as f64 / sample as f64;
        let plain = logits(sample as usize, experts, self.skew, self.seed);
        let by = &plain[..plain.len().min(BALANCED_BY)];
        let updates = self.updates as u32;
        let (offset, bias) = match self.balance {
            Balance::None => (Vec::new(), Vec::new()),
            Balance::Loss => (balance::offsets(&router, by, experts, updates, RATE), Vec::new()),
            Balance::Bias => {
                let deciding: Vec<Vec<f64>> = by.iter().map(|row| decides(&router, row)).collect();
                let gamma = GAMMA * deviation(&deciding);
                (Vec::new(), balance::biases(&router, &deciding, experts, updates, gamma))
            }
        };
        let seen: Vec<Vec<f64>> = plain.iter().map(|row| biased(row, &offset)).collect();
        let scores: Vec<Vec<f64>> = seen.iter().map(|row| router.scores(row)).collect();
        let deciding: Vec<Vec<f64>> = if bias.is_empty() {
            scores.clone()
        } else {
            seen.iter().map(|row| biased(&decides(&router, row), &bias)).collect()
        };
        let allowed =
            if router.groups.is_some() { deciding.iter().map(|row| router.allowed(row)).collect() } else { Vec::new() };
        let routed: Vec<Vec<Choice>> =
            scores.iter().zip(deciding).map(|(row, deciding)| router.choose_by(row, deciding)).collect();
        let moved = match self.balance {
            Balance::None => 0.0,
            Balance::Loss | Balance::Bias => {
                let before: Vec<Vec<Choice>> = plain.iter().map(|row| router.route(row, &[])).collect();
                moved_weight(&before, &routed)
            }
        };
        let capacity = (self.capacity > 0.0)
            .then(|| capacity::capacity(sample, router.top_k as u64, model.experts, self.capacity));
        let kept = capacity::keep(&routed, experts, capacity.unwrap_or(u64::MAX), self.drop);
        let place = Placement { ranks: self.ep as usize, node: self.node as usize, experts };
        let traffic = Traffic::of(&routed, &kept, &place, self.sending);
        let layer = Layer {
            gpu: self.gpu,
            link: self.link,
            net: self.net,
            hidden: model.hidden,
            width: model.width,
            shared: model.shared,
            held: model.experts / self.ep,
            out: f64::from(self.bits) / 8.0,
            back: 2.0,
        };
        let times = layer.times(&traffic, each, self.tokens as f64);
        let probabilities: Vec<Vec<f64>> = match router.gate {
            Gate::Softmax { .. } => scores.clone(),
            // DeepSeek-V3, eq. 19: scores over their sum.
            Gate::Sigmoid { .. } => scores.iter().map(|row| normalised(row)).collect(),
            Gate::Chosen | Gate::SigmoidOfChosen => seen.iter().map(|row| softmax(row)).collect(),
        };
        Routed {
            auxiliary: auxiliary(&routed, &probabilities, experts),
            moved,
            load: load(&routed, experts),
            model,
            router,
            place,
            scores,
            allowed,
            routed,
            kept,
            capacity,
            traffic,
            layer,
            times,
            each,
        }
    }
}

/// What a bias is added to: sigmoids, as in DeepSeek-V3; the logits under other gates, whose scores lie close to nothing.
fn decides(router: &Router, logits: &[f64]) -> Vec<f64> {
    match router.gate {
        Gate::Sigmoid { .. } => router.scores(logits),
        _ => logits.to_vec(),
    }
}

/// The deviation of all numbers from their mean.
fn deviation(rows: &[Vec<f64>]) -> f64 {
    let n = rows.iter().map(Vec::len).sum::<usize>().max(1) as f64;
    let mean = rows.iter().flatten().sum::<f64>() / n;
    (rows.iter().flatten().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n).sqrt()
}

fn normalised(row: &[f64]) -> Vec<f64> {
    let sum: f64 = row.iter().sum();
    row.iter().map(|score| if sum == 0.0 { 0.0 } else { score / sum }).collect()
}

/// The part of each token's weights that lies on other experts than before, on average.
fn moved_weight(before: &[Vec<Choice>], after: &[Vec<Choice>]) -> f64 {
    let one = |(before, after): (&Vec<Choice>, &Vec<Choice>)| {
        let whole: f64 = before.iter().map(|c| c.weight).sum();
        let stays: f64 = before
            .iter()
            .map(|b| after.iter().find(|a| a.expert == b.expert).map_or(0.0, |a| a.weight.min(b.weight)))
            .sum();
        if whole == 0.0 { 0.0 } else { (1.0 - stays / whole).max(0.0) }
    };
    let n = before.len().max(1) as f64;
    before.iter().zip(after).map(one).sum::<f64>() / n
}

impl Routed {
    /// The part of all choices that finds no room.
    pub fn dropped(&self) -> f64 {
        let all = self.kept.iter().flatten().count();
        let gone = self.kept.iter().flatten().filter(|kept| !**kept).count();
        if all == 0 { 0.0 } else { gone as f64 / all as f64 }
    }

    /// The part of the tokens that no routed expert sees.
    pub fn passed_by(&self) -> f64 {
        let none = self.kept.iter().filter(|kept| kept.iter().all(|kept| !kept)).count();
        none as f64 / self.kept.len().max(1) as f64
    }

    /// The busiest expert over the mean, before any token is dropped.
    pub fn busiest(&self) -> f64 {
        imbalance(&self.load.iter().map(|n| *n as f64).collect::<Vec<_>>())
    }

    /// The busiest rank over the mean, of what it works on.
    pub fn busiest_rank(&self) -> f64 {
        imbalance(&self.traffic.worked.iter().map(|n| *n as f64).collect::<Vec<_>>())
    }

    /// Experts that no token chose.
    pub fn idle(&self) -> usize {
        self.load.iter().filter(|n| **n == 0).count()
    }

    /// Bytes that a rank keeps for the backward pass of `copies` of the sample: input and output of an expert, and what its gate,
    /// its up-projection and their product give.
    pub fn activations(&self, copies: f64) -> f64 {
        copies * self.each * 2.0 * (2.0 * self.layer.hidden as f64 + 3.0 * self.layer.width as f64)
    }
}
