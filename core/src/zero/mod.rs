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
pub mod price;
mod state;
#[cfg(test)]
mod tests;

pub use events::{Action, Event, Pass};
pub use finding::bytes;
pub use state::{Check, Layer, Memory, Segment, State, Sum};

use crate::declare::{
    Applies, Declaration, Field, Measure, Model, Origin, Origins, Param, Takes, applies, choice, headline, measure,
    origin, switch, whole, written, yes_no,
};
use crate::options;
use crate::quantity::Unit;

/// What is sharded, and when it is put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// Nothing: every rank has everything.
    #[default]
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

options!(Strategy {
    Ddp: "ddp", "DDP";
    Zero1: "zero1", "ZeRO-1";
    Zero2: "zero2", "ZeRO-2";
    Zero3: "zero3", "ZeRO-3";
    FullShard: "full-shard", "FULL_SHARD";
    ShardGradOp: "shard-grad-op", "SHARD_GRAD_OP";
    HybridShard: "hybrid-shard", "HYBRID_SHARD";
});

impl Strategy {
    /// Whether a rank has only its shard of the parameters, except where it has gathered them.
    pub fn shards_parameters(self) -> bool {
        matches!(self, Self::Zero3 | Self::FullShard | Self::ShardGradOp | Self::HybridShard)
    }
}

/// What is gathered before it is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefetch {
    /// Nothing.
    #[default]
    None,
    /// The next unit: ahead of the forward pass of the present one; after its backward pass, when it has been freed.
    Post,
    /// The next unit, ahead of either pass of the present one.
    Pre,
}

options!(Prefetch {
    None: "none", "off";
    Post: "post", "BACKWARD_POST";
    Pre: "pre", "BACKWARD_PRE";
});

/// The state of the widget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// Whether the sum between nodes waits for the last micro-batch.
    pub last_only: bool,
    /// Events that have happened. Beyond the last, all have.
    pub step: usize,
}

/// Most ranks.
pub const MAX_RANKS: usize = 8;
/// Most layers.
pub const MAX_LAYERS: usize = 8;
/// Most events that a step can have.
const MAX_EVENTS: u64 = 400;

/// A whole number, set by a slider that stops at each.
const fn each(name: &'static str, doc: &'static str, range: [u64; 2], default: &'static str) -> Declaration {
    whole(name, doc, range, default).steps(1.0)
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "zero-stepper";
    const TITLE: &'static str = "One sharded training step";
    const SUMMARY: &'static str =
        "A real training step on several ranks, event by event: what each holds, gathers, computes, reduces and frees.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("strategy", "what is sharded", Strategy::LIST, "zero3")
            .label("Strategy")
            .main()
            .at(|p| p.strategy.slot()),
        each("ranks", "ranks", [2, MAX_RANKS as u64], "4")
            .takes(Takes::Gpus)
            .label("Ranks")
            .main()
            .at(|p| p.ranks.slot()),
        each("node", "ranks in a node", [2, MAX_RANKS as u64], "2")
            .takes(Takes::Node)
            .label("Ranks per node")
            .at(|p| p.node.slot()),
        each("layers", "layers of the model", [1, MAX_LAYERS as u64], "4")
            .label("Layers")
            .main()
            .at(|p| p.layers.slot()),
        each("width", "width of each layer, which has width² + width parameters", [2, 12], "8")
            .label("Layer width")
            .at(|p| p.width.slot()),
        each("wrap", "layers wrapped together: gathered, freed and reduced as one", [1, MAX_LAYERS as u64], "1")
            .label("Layers per FSDP unit")
            .at(|p| p.wrap.slot()),
        choice(
            "prefetch",
            "what is gathered ahead: nothing, after the backward pass of the unit before, or before it",
            Prefetch::LIST,
            "pre",
        )
        .label("Prefetch")
        .at(|p| p.prefetch.slot()),
        each(
            "in-flight",
            "most units gathered and not yet computed, the present one included",
            [1, MAX_LAYERS as u64],
            "2",
        )
        .label("Maximum units in flight")
        .at(|p| p.in_flight.slot()),
        each("rows", "rows of a micro-batch", [1, 4], "2").label("Rows per micro-batch").at(|p| p.rows.slot()),
        each("accumulate", "micro-batches per step", [1, 4], "1")
            .label("Micro-batches per step")
            .at(|p| p.accumulate.slot()),
        switch("last-only", "whether HYBRID_SHARD’s all-reduce between nodes waits for the last micro-batch", false)
            .label("All-reduce between nodes")
            .labels(&["each micro-batch", "after the last"])
            .at(|p| p.last_only.slot()),
        whole("step", "events that have happened", [0, MAX_EVENTS], "0").drawn().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[applies(&["last-only"], Self::can_wait)];
    const ORIGIN: Origin = Origin::Of(
        "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, §5 and §7; PyTorch, torch/distributed/fsdp/_runtime_utils.py; DeepSpeed, runtime/zero/stage_1_and_2.py; executed event by event",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Controls, &["params"]),
        origin(Origin::Definition, &["events", "peak-event"]),
        origin(
            Origin::Own("the same step on one rank, compared value by value"),
            &["matches-single-rank", "bits-differ", "largest-difference"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("params", "Parameters, Ψ", Unit::Count, |p, _| p.size() as f64),
        headline(
            "The most that a rank holds within a step.",
            written(
                bytes,
                measure("peak-memory", "Peak memory per rank", Unit::Bytes, |_, run| {
                    run.mark(run.peak()).memory.total()
                }),
            ),
        ),
        written(
            bytes,
            measure("model-states", "Model states during the Adam update", Unit::Bytes, |_, run| run.states().total()),
        ),
        written(bytes, measure("resting-memory", "Memory between steps", Unit::Bytes, |_, run| run.resting().total())),
        headline(
            "What a rank sends in one step.",
            written(
                bytes,
                measure("bytes-on-wire", "Sent per rank per step", Unit::Bytes, |_, run| run.mark(usize::MAX).sent),
            ),
        ),
        headline(
            "The traffic over the number of parameters; DDP sends 2.",
            measure("volume-over-params", "Sent per rank per step, in units of Ψ", Unit::Ratio, |_, run| run.volume()),
        ),
        written(bytes, measure("bytes-exposed", "Exposed bytes", Unit::Bytes, |_, run| run.mark(usize::MAX).exposed)),
        written(
            bytes,
            measure("bytes-between-nodes", "Sent between nodes, per node", Unit::Bytes, |_, run| {
                run.mark(usize::MAX).leaving
            }),
        ),
        written(
            bytes,
            measure("memory-now", "Memory per rank now", Unit::Bytes, |p, run| run.mark(p.step).memory.total()),
        ),
        measure("params-held", "Parameters per rank now", Unit::Count, |p, run| run.mark(p.step).parameters as f64),
        measure("events", "Events in the step", Unit::Count, |_, run| run.steps() as f64),
        measure("peak-event", "Event at the memory peak", Unit::Count, |_, run| run.peak() as f64),
        yes_no(headline(
            "Whether training on several ranks gives the same weights.",
            measure("matches-single-rank", "Matches a single rank", Unit::Count, |_, run| {
                f64::from(u8::from(run.check.matches()))
            }),
        )),
        measure("bits-differ", "Values that differ in their last bits", Unit::Fraction, |_, run| {
            run.check.differ as f64 / run.check.compared.max(1) as f64
        }),
        measure("largest-difference", "Largest difference from a single rank", Unit::Ratio, |_, run| run.check.largest),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Run::new(self)
    }

    fn follow(&mut self, _before: &Self) {
        self.step = 0;
    }
}

impl Params {
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

    /// Whether there is a sum that can wait for the last micro-batch: one between nodes, of several micro-batches.
    pub fn can_wait(&self) -> bool {
        self.replicas() > 1 && self.accumulate > 1
    }

    /// Whether each micro-batch's gradients are summed over the nodes as they come. HYBRID_SHARD does so unless it is told to wait:
    /// FSDP1's `_reduce_grad`, and FSDP2 without `set_requires_all_reduce(False)` (pytorch/pytorch#126166).
    pub fn sums_across_each(&self) -> bool {
        self.replicas() > 1 && !self.last_only
    }

    /// Parameters of the model: Ψ.
    pub fn size(&self) -> usize {
        self.layers * net::elements(self.width)
    }

    /// Whether this can be run.
    fn check(&self) -> Result<(), String> {
        self.in_range()?;
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
