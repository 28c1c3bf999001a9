//! One training step on several ranks, really executed: what each holds, gathers, computes, reduces and frees under data
//! parallelism, the stages of ZeRO and the sharding strategies of FSDP.
//!
//! [`Params`] name a strategy and a tiny model. [`Run`] has the [`Event`]s in order and what a rank holds and has sent after
//! each; [`State`] has the numbers themselves. All ranks do the same at the same time, one event after another; the
//! result is compared with the step of a single rank ([`net::alone`]).
//!
//! Everything is fp32: 4 bytes of parameter, 4 of gradient, 8 of Adam's moments. That is 16 bytes for each parameter, as in
//! mixed precision (2 + 2 + 12). With Ψ parameters on N ranks a rank sends (N − 1)/N times 2Ψ under data parallelism and
//! ZeRO-1 and 2, and 3Ψ under ZeRO-3 (Rajbhandari et al., ZeRO, arXiv:1910.02054, §7). The order of events follows
//! PyTorch's `torch/distributed/fsdp/_runtime_utils.py` (`_post_forward_reshard`, `_pre_backward_hook`,
//! `_post_backward_reshard`) and DeepSpeed's `runtime/zero/stage_1_and_2.py`; Zhao et al., PyTorch FSDP, arXiv:2304.11277, §3.
//!
//! Not modelled: that a reduce-scatter still holds its input while the next layer is computed; buffers of the communication
//! library; tensor types other than fp32.

mod events;
mod finding;
pub mod net;
mod state;
#[cfg(test)]
mod tests;

pub use events::{Action, Event, Pass};
pub use state::{Check, Layer, Memory, Segment, State, Sum};

use crate::catalogue::{Entry, Evaluation};
use crate::quantity::{Quantity, Unit};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader};

/// What is sharded, and when it is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// Nothing: every rank has everything.
    Ddp,
    /// Optimizer states.
    Zero1,
    /// Optimizer states and gradients.
    Zero2,
    /// Parameters too; gathered for each pass and freed after it.
    Zero3,
    /// FSDP's name for the same, with its treatment of the root unit.
    FullShard,
    /// As [`Self::FullShard`], but what the forward pass gathers stays for the backward pass.
    ShardGradOp,
    /// [`Self::FullShard`] within each node; nodes have copies of each other.
    HybridShard,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Ddp, Self::Zero1, Self::Zero2, Self::Zero3, Self::FullShard, Self::ShardGradOp, Self::HybridShard];

    /// The name in a query string.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ddp => "ddp",
            Self::Zero1 => "zero1",
            Self::Zero2 => "zero2",
            Self::Zero3 => "zero3",
            Self::FullShard => "full-shard",
            Self::ShardGradOp => "shard-grad-op",
            Self::HybridShard => "hybrid-shard",
        }
    }

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Ddp => "DDP",
            Self::Zero1 => "ZeRO-1",
            Self::Zero2 => "ZeRO-2",
            Self::Zero3 => "ZeRO-3",
            Self::FullShard => "FULL_SHARD",
            Self::ShardGradOp => "SHARD_GRAD_OP",
            Self::HybridShard => "HYBRID_SHARD",
        }
    }

    /// The strategy with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.id() == id)
    }

    /// Whether a rank has only its shard of the parameters, except where it has gathered them.
    pub fn shards_parameters(self) -> bool {
        matches!(self, Self::Zero3 | Self::FullShard | Self::ShardGradOp | Self::HybridShard)
    }
}

/// What is gathered before it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefetch {
    /// Nothing.
    None,
    /// The next unit: ahead of the forward pass of the present one; after its backward pass, when it has been freed.
    Post,
    /// The next unit, ahead of either pass of the present one.
    Pre,
}

impl Prefetch {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::None, Self::Post, Self::Pre];

    /// The name in a query string.
    pub fn id(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Post => "post",
            Self::Pre => "pre",
        }
    }

    /// The one with this name.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|prefetch| prefetch.id() == id)
    }
}

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// What is sharded.
    pub strategy: Strategy,
    /// Ranks, 2 to [`MAX_RANKS`].
    pub ranks: usize,
    /// Ranks in a node.
    pub node: usize,
    /// Layers of the model.
    pub layers: usize,
    /// Width of each layer.
    pub width: usize,
    /// Layers that are gathered, freed and reduced together.
    pub wrap: usize,
    /// What is gathered ahead.
    pub prefetch: Prefetch,
    /// Most units that are gathered and not computed yet, the present one included.
    pub in_flight: usize,
    /// Rows of a micro-batch on each rank.
    pub rows: usize,
    /// Micro-batches of a step on each rank.
    pub accumulate: usize,
    /// Events that have happened. Beyond the last, all have.
    pub step: usize,
}

/// Most ranks.
pub const MAX_RANKS: usize = 8;
/// Most layers.
pub const MAX_LAYERS: usize = 8;
/// Most events that a step can have.
const MAX_EVENTS: u64 = 400;

const fn whole(name: &'static str, doc: &'static str, [min, max]: [u64; 2], default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min, max }, default }
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "strategy",
        doc: "what is sharded",
        kind: Kind::Choice(&["ddp", "zero1", "zero2", "zero3", "full-shard", "shard-grad-op", "hybrid-shard"]),
        default: "zero3",
    },
    whole("ranks", "ranks", [2, MAX_RANKS as u64], "4"),
    whole("node", "ranks in a node", [2, MAX_RANKS as u64], "2"),
    whole("layers", "layers of the model", [1, MAX_LAYERS as u64], "4"),
    whole("width", "width of each layer, which has width² + width parameters", [2, 12], "8"),
    whole("wrap", "layers wrapped together: gathered, freed and reduced as one", [1, MAX_LAYERS as u64], "1"),
    ParamSpec {
        name: "prefetch",
        doc: "what is gathered ahead: nothing, after the backward pass of the unit before, or before it",
        kind: Kind::Choice(&["none", "post", "pre"]),
        default: "pre",
    },
    whole(
        "in-flight",
        "most units gathered and not yet computed, the present one included",
        [1, MAX_LAYERS as u64],
        "2",
    ),
    whole("rows", "rows of a micro-batch", [1, 4], "2"),
    whole("accumulate", "micro-batches of a step", [1, 4], "1"),
    whole("step", "events that have happened", [0, MAX_EVENTS], "0"),
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "zero-stepper",
    title: "One sharded training step",
    summary: "A real training step on several ranks, event by event: what each holds, gathers, computes, reduces and frees.",
    params: PARAMS,
    quantities: &[
        ("params", "Parameters of the model, Ψ", Unit::Count),
        ("peak-memory", "Peak memory of a rank", Unit::Bytes),
        ("model-states", "Model states when Adam steps", Unit::Bytes),
        ("resting-memory", "Held between steps", Unit::Bytes),
        ("bytes-on-wire", "Sent by a rank in a step", Unit::Bytes),
        ("volume-over-params", "The same in Ψ", Unit::Ratio),
        ("bytes-exposed", "Of it, with nothing to hide behind", Unit::Bytes),
        ("bytes-between-nodes", "Sent by a node to others", Unit::Bytes),
        ("memory-now", "Memory of a rank now", Unit::Bytes),
        ("params-held", "Parameters on a rank now", Unit::Count),
        ("events", "Events of the step", Unit::Count),
        ("peak-event", "Event after which memory peaks", Unit::Count),
        ("matches-single-rank", "Same result as one rank (1) or not (0)", Unit::Count),
        ("bits-differ", "Parameters and moments whose last bits differ", Unit::Fraction),
        ("largest-difference", "Largest difference from it", Unit::Ratio),
    ],
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        Evaluation::new(params.query(), problems, Run::new(&params).map(|run| run.quantities(params.step)))
    },
};

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let params = Self {
            strategy: Strategy::find(reader.choice("strategy")).unwrap_or(Strategy::Zero3),
            ranks: reader.integer("ranks") as usize,
            node: reader.integer("node") as usize,
            layers: reader.integer("layers") as usize,
            width: reader.integer("width") as usize,
            wrap: reader.integer("wrap") as usize,
            prefetch: Prefetch::find(reader.choice("prefetch")).unwrap_or(Prefetch::Pre),
            in_flight: reader.integer("in-flight") as usize,
            rows: reader.integer("rows") as usize,
            accumulate: reader.integer("accumulate") as usize,
            step: reader.integer("step") as usize,
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        Query::new([
            ("strategy", self.strategy.id().to_owned()),
            ("ranks", self.ranks.to_string()),
            ("node", self.node.to_string()),
            ("layers", self.layers.to_string()),
            ("width", self.width.to_string()),
            ("wrap", self.wrap.to_string()),
            ("prefetch", self.prefetch.id().to_owned()),
            ("in-flight", self.in_flight.to_string()),
            ("rows", self.rows.to_string()),
            ("accumulate", self.accumulate.to_string()),
            ("step", self.step.to_string()),
        ])
    }

    /// Ranks in a node that there are.
    pub fn in_node(&self) -> usize {
        self.node.clamp(1, self.ranks.max(1))
    }

    /// Ranks among which one copy of everything is cut up, or, where nothing is cut up, exchanged.
    pub fn sharers(&self) -> usize {
        if self.strategy == Strategy::HybridShard { self.in_node() } else { self.ranks.max(1) }
    }

    /// How many such copies there are.
    pub fn replicas(&self) -> usize {
        self.ranks / self.sharers()
    }

    /// Parameters of the model: Ψ.
    pub fn size(&self) -> usize {
        self.layers * net::elements(self.width)
    }

    /// Whether this can be run.
    fn check(&self) -> Result<(), String> {
        for (name, value) in [
            ("ranks", self.ranks),
            ("node", self.node),
            ("layers", self.layers),
            ("width", self.width),
            ("wrap", self.wrap),
            ("in-flight", self.in_flight),
            ("rows", self.rows),
            ("accumulate", self.accumulate),
        ] {
            let range = PARAMS.iter().find(|spec| spec.name == name).map(|spec| spec.kind);
            if let Some(Kind::Integer { min, max }) = range
                && !(min..=max).contains(&(value as u64))
            {
                return Err(format!("{name} must be a whole number from {min} to {max}, not {value}."));
            }
        }
        let node = self.in_node();
        if self.strategy == Strategy::HybridShard && !self.ranks.is_multiple_of(node) {
            return Err(format!(
                "HYBRID_SHARD needs nodes that are alike: {} ranks are no multiple of {node}.",
                self.ranks
            ));
        }
        Ok(())
    }
}

/// What a rank has after an event.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mark {
    /// What it holds, of the rank that holds most.
    pub memory: Memory,
    /// Bytes that it has sent, of the rank that has sent most.
    pub sent: f64,
    /// Of them, those that no computation could hide.
    pub exposed: f64,
    /// Bytes that have left a node, of the node that has sent most.
    pub leaving: f64,
    /// Numbers of parameters that it holds, its own and gathered.
    pub parameters: usize,
}

/// A step from the first event to the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// What it was made from; its `step` does not matter.
    pub params: Params,
    /// What happens.
    pub events: Vec<Event>,
    /// What a rank has before the first event, and after each.
    pub marks: Vec<Mark>,
    /// How the result compares with that of one rank.
    pub check: Check,
}

impl Run {
    /// Takes the step.
    ///
    /// # Errors
    /// A sentence, if a parameter is out of range or the nodes are not alike.
    pub fn new(params: &Params) -> Result<Self, String> {
        params.check()?;
        let events = events::events(params);
        let mut state = State::start(params);
        let mut marks = vec![mark(&state, Mark::default(), None)];
        for event in &events {
            state.apply(event);
            let before = marks.last().copied().unwrap_or_default();
            marks.push(mark(&state, before, Some(event)));
        }
        let alone = net::alone(params.layers, params.width, params.ranks * params.accumulate, params.rows);
        let check = state.check(&alone);
        Ok(Self { params: *params, events, marks, check })
    }

    /// How many events there are.
    pub fn steps(&self) -> usize {
        self.events.len()
    }

    /// The event that is the `step`th; none before the first.
    pub fn event(&self, step: usize) -> Option<&Event> {
        self.events.get(step.min(self.steps()).checked_sub(1)?)
    }

    /// What a rank has after `step` events.
    pub fn mark(&self, step: usize) -> Mark {
        self.marks.get(step.min(self.steps())).copied().unwrap_or_default()
    }

    /// What the ranks hold after `step` events.
    pub fn state(&self, step: usize) -> State {
        State::after(&self.params, self.events.get(..step).unwrap_or(&self.events))
    }

    /// Events until memory is at its highest, for the first time.
    pub fn peak(&self) -> usize {
        let higher = |best: (usize, f64), (i, m): (usize, &Mark)| {
            let total = m.memory.total();
            if total > best.1 { (i, total) } else { best }
        };
        self.marks.iter().enumerate().fold((0, 0.0), higher).0
    }

    /// What is held between steps: parameters and moments.
    pub fn resting(&self) -> Memory {
        self.mark(0).memory
    }

    /// What is held when Adam has all it needs: parameters, gradients, moments.
    fn states(&self) -> Memory {
        let update = self.events.iter().position(|event| event.action == Action::Update).unwrap_or(0);
        self.mark(update).memory
    }

    /// Bytes that a rank sends, in units of the model's parameters.
    pub fn volume(&self) -> f64 {
        self.mark(usize::MAX).sent / (4.0 * self.params.size() as f64)
    }

    /// The numbers of [`ENTRY`], those of now after `step` events.
    pub fn quantities(&self, step: usize) -> Vec<Quantity> {
        let (end, now) = (self.mark(usize::MAX), self.mark(step));
        ENTRY.measured(|id| match id {
            "params" => self.params.size() as f64,
            "peak-memory" => self.mark(self.peak()).memory.total(),
            "model-states" => self.states().total(),
            "resting-memory" => self.resting().total(),
            "bytes-on-wire" => end.sent,
            "volume-over-params" => self.volume(),
            "bytes-exposed" => end.exposed,
            "bytes-between-nodes" => end.leaving,
            "memory-now" => now.memory.total(),
            "params-held" => now.parameters as f64,
            "events" => self.steps() as f64,
            "peak-event" => self.peak() as f64,
            "matches-single-rank" => f64::from(u8::from(self.check.matches())),
            "bits-differ" => self.check.differ as f64 / self.check.compared.max(1) as f64,
            _ => self.check.largest,
        })
    }
}

fn mark(state: &State, before: Mark, event: Option<&Event>) -> Mark {
    let ranks = 0..MAX_RANKS;
    let fuller = |a: Memory, b: Memory| if b.total() > a.total() { b } else { a };
    let memory = ranks.clone().map(|rank| state.memory(rank)).fold(Memory::default(), fuller);
    let sent = state.most_sent();
    let is_hidden = event.is_none_or(|event| event.hidden);
    Mark {
        memory,
        sent,
        exposed: before.exposed + if is_hidden { 0.0 } else { sent - before.sent },
        leaving: state.most_leaving(),
        parameters: ranks.map(|rank| state.parameters_held(rank)).max().unwrap_or(0),
    }
}
