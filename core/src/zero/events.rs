//! What happens in a step, in order. All ranks do the same at the same time, each with its own data.

use super::{Params, Prefetch, Strategy};

/// What the ranks do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// All-gather: every rank gets the parameters of some layers from those that hold a shard of them.
    Gather,
    /// One layer's forward pass, of which its input is kept.
    Forward,
    /// Gathered parameters are freed; the own shard stays.
    Reshard,
    /// One layer's backward pass: its gradient, from the kept input, which is freed.
    Backward,
    /// The gradients of all ranks are summed, and every rank gets the sum.
    AllReduce,
    /// The gradients are summed, and every rank gets a shard of the sum.
    ReduceScatter,
    /// The sums of the nodes are summed, shard by shard.
    AllReduceAcross,
    /// Whole gradients are freed; the shard of the sum stays.
    DropGradients,
    /// Adam's step, with what each rank holds of gradients and moments.
    Update,
    /// All-gather: every rank gets the parameters that others have updated into its copy.
    Publish,
    /// The gradients are freed.
    Clear,
}

/// In which part of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// Forward.
    Forward,
    /// Backward.
    Backward,
    /// The optimizer's step and after.
    Update,
}

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// What.
    pub action: Action,
    /// When.
    pub pass: Pass,
    /// The first layer that it is about, from 0.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// The micro-batch, from 0.
    pub micro: usize,
    /// Of a collective: whether a computation that does not wait for it can run meanwhile.
    pub hidden: bool,
}

impl Action {
    /// Whether ranks communicate.
    pub fn is_collective(self) -> bool {
        matches!(self, Self::Gather | Self::AllReduce | Self::ReduceScatter | Self::AllReduceAcross | Self::Publish)
    }

    /// Whether layers are computed.
    pub fn computes(self) -> bool {
        matches!(self, Self::Forward | Self::Backward)
    }

    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Gather => "All-gather",
            Self::Forward => "Forward",
            Self::Reshard => "Free parameters",
            Self::Backward => "Backward",
            Self::AllReduce => "All-reduce",
            Self::ReduceScatter => "Reduce-scatter",
            Self::AllReduceAcross => "All-reduce between nodes",
            Self::DropGradients => "Free gradients",
            Self::Update => "Adam",
            Self::Publish => "All-gather of the update",
            Self::Clear => "Free gradients",
        }
    }
}

impl Pass {
    /// What a person reads.
    pub fn label(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Update => "optimizer",
        }
    }
}

impl Event {
    /// Whether it is about this layer.
    pub fn is_about(&self, layer: usize) -> bool {
        (self.first..=self.last).contains(&layer)
    }
}

/// The events of a step.
pub fn events(params: &Params) -> Vec<Event> {
    let mut list = List::new(params);
    for micro in 0..params.accumulate {
        list.micro = micro;
        list.forward();
        list.backward();
    }
    list.update();
    let computed: Vec<Option<Event>> = list.next_computed();
    for (event, next) in list.events.iter_mut().zip(computed) {
        event.hidden = match event.action {
            // Its layers are computed after something else.
            Action::Gather => next.is_some_and(|next| !event.is_about(next.first)),
            Action::AllReduce | Action::ReduceScatter | Action::AllReduceAcross => next.is_some(),
            _ => false,
        };
    }
    list.events
}

struct List<'a> {
    params: &'a Params,
    /// First and last layer of each wrapped unit.
    units: Vec<(usize, usize)>,
    /// Units whose gathered parameters are there.
    gathered: Vec<bool>,
    micro: usize,
    events: Vec<Event>,
}

impl<'a> List<'a> {
    fn new(params: &'a Params) -> Self {
        let (layers, wrap) = (params.layers, params.wrap.max(1));
        let units: Vec<(usize, usize)> =
            (0..layers).step_by(wrap).map(|first| (first, (first + wrap).min(layers) - 1)).collect();
        Self { params, gathered: vec![false; units.len()], units, micro: 0, events: Vec::new() }
    }

    fn push(&mut self, action: Action, pass: Pass, (first, last): (usize, usize)) {
        self.events.push(Event { action, pass, first, last, micro: self.micro, hidden: false });
    }

    fn gather(&mut self, pass: Pass, unit: usize) {
        if !self.gathered[unit] {
            self.gathered[unit] = true;
            self.push(Action::Gather, pass, self.units[unit]);
        }
    }

    /// Gathers the `coming` units, as many as may be in flight beside the present one.
    fn gather_ahead(&mut self, pass: Pass, coming: impl Iterator<Item = usize>) {
        for unit in coming.take(self.params.in_flight.saturating_sub(1)) {
            self.gather(pass, unit);
        }
    }

    fn reshard(&mut self, pass: Pass, unit: usize) {
        self.gathered[unit] = false;
        self.push(Action::Reshard, pass, self.units[unit]);
    }

    fn forward(&mut self) {
        let Params { strategy, prefetch, .. } = *self.params;
        let pass = Pass::Forward;
        for unit in 0..self.units.len() {
            if strategy.shards_parameters() {
                self.gather(pass, unit);
                if prefetch != Prefetch::None {
                    self.gather_ahead(pass, unit + 1..self.units.len());
                }
            }
            let (first, last) = self.units[unit];
            (first..=last).for_each(|layer| self.push(Action::Forward, pass, (layer, layer)));
            if strategy.shards_parameters() && !self.keeps_after_forward() {
                self.reshard(pass, unit);
            }
        }
    }

    /// Whether what was gathered for the forward pass stays for the backward pass. FSDP never frees the root unit
    /// between them, which is the only one if the whole model is wrapped as one.
    fn keeps_after_forward(&self) -> bool {
        let strategy = self.params.strategy;
        strategy == Strategy::ShardGradOp || strategy != Strategy::Zero3 && self.units.len() == 1
    }

    fn backward(&mut self) {
        let Params { strategy, prefetch, .. } = *self.params;
        let pass = Pass::Backward;
        for unit in (0..self.units.len()).rev() {
            if strategy.shards_parameters() {
                self.gather(pass, unit);
                if prefetch == Prefetch::Pre {
                    self.gather_ahead(pass, (0..unit).rev());
                }
            }
            let (first, last) = self.units[unit];
            (first..=last).rev().for_each(|layer| self.push(Action::Backward, pass, (layer, layer)));
            if strategy.shards_parameters() {
                self.reshard(pass, unit);
                if prefetch == Prefetch::Post {
                    self.gather_ahead(pass, (0..unit).rev());
                }
            }
            self.reduce(self.units[unit]);
        }
    }

    fn reduce(&mut self, layers: (usize, usize)) {
        let pass = Pass::Backward;
        let is_last = self.micro + 1 == self.params.accumulate;
        match self.params.strategy {
            // They have room for sums over micro-batches and exchange them once.
            Strategy::Ddp if is_last => self.push(Action::AllReduce, pass, layers),
            Strategy::Zero1 if is_last => self.push(Action::ReduceScatter, pass, layers),
            Strategy::Ddp | Strategy::Zero1 => {}
            Strategy::Zero2 | Strategy::Zero3 | Strategy::FullShard | Strategy::ShardGradOp | Strategy::HybridShard => {
                self.push(Action::ReduceScatter, pass, layers);
                self.push(Action::DropGradients, pass, layers);
                if self.params.replicas() > 1 && (is_last || !self.params.last_only) {
                    self.push(Action::AllReduceAcross, pass, layers);
                }
            }
        }
    }

    fn update(&mut self) {
        let (pass, all) = (Pass::Update, (0, self.params.layers.saturating_sub(1)));
        self.push(Action::Update, pass, all);
        if matches!(self.params.strategy, Strategy::Zero1 | Strategy::Zero2) {
            for unit in 0..self.units.len() {
                self.push(Action::Publish, pass, self.units[unit]);
            }
        }
        self.push(Action::Clear, pass, all);
    }

    /// For each event the next one after it that computes.
    fn next_computed(&self) -> Vec<Option<Event>> {
        let mut next = None;
        let mut all: Vec<Option<Event>> = (self.events.iter().rev())
            .map(|event| {
                let after = next;
                if event.action.computes() {
                    next = Some(*event);
                }
                after
            })
            .collect();
        all.reverse();
        all
    }
}
