//! What every rank holds at one moment, in real numbers, and what an event does to it.
//!
//! Each layer's parameters are one list, cut into as many shards as there are ranks to share them, the last one filled up
//! with zeros. Collectives go round a ring (chapter 06): chunk c is summed from rank c + 1 on, and a rank sends every chunk
//! but one.

use std::ops::Range;

use super::events::{Action, Event};
use super::{Params, Strategy, net};

/// Bytes of a number in fp32.
const BYTES: f64 = 4.0;

/// One layer on one rank.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Layer {
    /// Parameters that the rank always has: its shard, or all of them.
    pub own: Vec<f32>,
    /// All of them, while they are gathered.
    pub gathered: Option<Vec<f32>>,
    /// Gradients of all of them.
    pub gradients: Option<Vec<f32>>,
    /// The rank's shard of the sum of gradients, where it has a place of its own.
    pub reduced: Option<Vec<f32>>,
    /// The shard of a micro-batch's sum over the node, until the nodes' sums are summed and added to the shard above.
    pub arriving: Option<Vec<f32>>,
    /// Adam's moments, of what the rank updates.
    pub momentum: Vec<f32>,
    /// The same, second.
    pub variance: Vec<f32>,
    /// What went into the layer in the forward pass.
    pub input: Option<Vec<f32>>,
    /// How far the gradients are summed.
    pub sum: Sum,
    /// Whether the rank's own part is updated, and whether the rest of its copy is.
    pub updated: (bool, bool),
}

impl Layer {
    /// Takes in the sum over the nodes: of the micro-batch that is arriving, or of what has been added up.
    fn summed_across(&mut self, all: Vec<f32>) {
        match (self.arriving.take(), &mut self.reduced) {
            (Some(_), Some(before)) => before.iter_mut().zip(all).for_each(|(sum, g)| *sum += g),
            (_, reduced) => *reduced = Some(all),
        }
    }
}

/// How far gradients are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sum {
    /// They are of the rank's own examples.
    #[default]
    Local,
    /// Over the ranks of its node.
    Node,
    /// Over all ranks.
    All,
}

/// Bytes that a rank holds, by what they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Memory {
    /// Parameters that it always has.
    pub parameters: f64,
    /// Parameters that are gathered for the moment.
    pub gathered: f64,
    /// Gradients.
    pub gradients: f64,
    /// Adam's moments.
    pub optimizer: f64,
    /// Activations.
    pub activations: f64,
}

impl Memory {
    /// What each part is called.
    pub const LABELS: [&'static str; 5] =
        ["Parameters", "Gathered parameters", "Gradients", "Optimizer states", "Activations"];

    /// The parts, in the order of [`Self::LABELS`].
    pub fn parts(&self) -> [f64; 5] {
        [self.parameters, self.gathered, self.gradients, self.optimizer, self.activations]
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.parts().iter().sum()
    }
}

/// What a segment of a list holds: one shard's worth of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment {
    /// Nothing.
    Absent,
    /// What the rank always has.
    Own,
    /// Parameters, there for the moment.
    Gathered,
    /// Parameters that another rank has updated and this one has not got yet.
    Stale,
    /// Gradients of its own examples only.
    Local,
    /// Gradients, summed over its node.
    Node,
    /// Gradients, summed over all ranks.
    Reduced,
}

/// All ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    params: Params,
    /// By rank, then by layer.
    ranks: Vec<Vec<Layer>>,
    /// By rank: the activations, or their gradients, on their way.
    flow: Vec<Vec<f32>>,
    /// By rank: bytes sent.
    sent: Vec<f64>,
    /// By node: bytes sent to other nodes.
    leaving: Vec<f64>,
}

impl State {
    /// Before the step.
    pub fn start(params: &Params) -> Self {
        let mut state = Self {
            params: *params,
            ranks: Vec::new(),
            flow: vec![Vec::new(); params.ranks],
            sent: vec![0.0; params.ranks],
            leaving: vec![0.0; params.ranks.div_ceil(params.in_node())],
        };
        state.ranks =
            (0..params.ranks).map(|rank| (0..params.layers).map(|l| state.layer_at_start(rank, l)).collect()).collect();
        state
    }

    /// After some events.
    pub fn after(params: &Params, events: &[Event]) -> Self {
        let mut state = Self::start(params);
        events.iter().for_each(|event| state.apply(event));
        state
    }

    fn layer_at_start(&self, rank: usize, layer: usize) -> Layer {
        let (strategy, width) = (self.params.strategy, self.params.width);
        let padded = |mut list: Vec<f32>| {
            list.resize(self.length(), 0.0);
            list
        };
        let shard = self.shard(rank);
        let part = |list: Vec<f32>, whole: bool| if whole { list } else { list[shard.clone()].to_vec() };
        let moments = strategy == Strategy::Ddp;
        Layer {
            own: part(padded(net::parameters(layer, width)), !strategy.shards_parameters()),
            momentum: part(padded(net::momentum(layer, width)), moments),
            variance: part(padded(net::variance(layer, width)), moments),
            ..Layer::default()
        }
    }

    /// What `rank` holds of `layer`; nothing of what does not exist.
    pub fn layer(&self, rank: usize, layer: usize) -> Option<&Layer> {
        self.ranks.get(rank)?.get(layer)
    }

    /// Numbers in a layer's list, filled up to whole shards where it is sharded.
    pub fn length(&self) -> usize {
        let elements = net::elements(self.params.width);
        match self.params.strategy {
            Strategy::Ddp => elements,
            _ => elements.next_multiple_of(self.params.sharers()),
        }
    }

    /// The numbers of chunk `chunk` of a list of `length`, cut for `sharers` ranks.
    fn chunk(length: usize, sharers: usize, chunk: usize) -> Range<usize> {
        let size = length.div_ceil(sharers.max(1));
        (chunk * size).min(length)..((chunk + 1) * size).min(length)
    }

    /// The numbers of a list that are `rank`'s.
    pub fn shard(&self, rank: usize) -> Range<usize> {
        let sharers = self.params.sharers();
        Self::chunk(self.length(), sharers, rank % sharers)
    }

    /// The ranks that share one copy of everything.
    pub fn sharing(&self) -> Vec<Vec<usize>> {
        let sharers = self.params.sharers();
        (0..self.params.ranks).step_by(sharers).map(|first| (first..first + sharers).collect()).collect()
    }

    /// The ranks with the same shard in different nodes.
    pub fn counterparts(&self) -> Vec<Vec<usize>> {
        let sharers = self.params.sharers();
        (0..sharers).map(|place| (place..self.params.ranks).step_by(sharers).collect()).collect()
    }

    /// Does what an event says.
    pub fn apply(&mut self, event: &Event) {
        match event.action {
            Action::Forward => self.forward(event),
            Action::Backward => self.backward(event),
            Action::Update => self.update(),
            _ => (event.first..=event.last).for_each(|layer| self.exchange(event.action, layer)),
        }
    }

    fn exchange(&mut self, action: Action, layer: usize) {
        match action {
            Action::Gather | Action::Publish => {
                for ranks in self.sharing() {
                    self.all_gather(&ranks, layer);
                }
            }
            Action::AllReduce => {
                for ranks in self.sharing() {
                    self.all_reduce(&ranks, layer, |l| l.gradients.as_deref(), |l, all| l.gradients = Some(all));
                }
            }
            Action::ReduceScatter => {
                let sum = if self.params.replicas() > 1 { Sum::Node } else { Sum::All };
                let in_place = self.params.strategy == Strategy::Zero1;
                let goes_on = self.params.sums_across_each();
                for ranks in self.sharing() {
                    let sums = self.ring_sums(&ranks, layer, |l| l.gradients.as_deref());
                    self.count(&ranks, &sums, 1.0);
                    let shards: Vec<Range<usize>> = ranks.iter().map(|&rank| self.shard(rank)).collect();
                    self.each(&ranks, layer, |place, l| {
                        l.sum = sum;
                        let (Some(mine), Some(shard)) = (sums.get(place), shards.get(place)) else { return };
                        if goes_on {
                            l.arriving = Some(mine.clone());
                            return;
                        }
                        match (&mut l.reduced, &mut l.gradients) {
                            (Some(before), _) => before.iter_mut().zip(mine).for_each(|(sum, g)| *sum += g),
                            (None, Some(whole)) if in_place => whole[shard.clone()].copy_from_slice(mine),
                            (none, _) => *none = Some(mine.clone()),
                        }
                    });
                }
            }
            Action::AllReduceAcross => {
                for ranks in self.counterparts() {
                    self.all_reduce(
                        &ranks,
                        layer,
                        |l| l.arriving.as_deref().or(l.reduced.as_deref()),
                        Layer::summed_across,
                    );
                }
            }
            Action::Reshard => self.every(layer, |l| l.gathered = None),
            Action::DropGradients => self.every(layer, |l| l.gradients = None),
            Action::Clear => self.every(layer, |l| {
                l.gradients = None;
                l.reduced = None;
                l.sum = Sum::Local;
            }),
            Action::Forward | Action::Backward | Action::Update => {}
        }
    }

    fn every(&mut self, layer: usize, change: impl Fn(&mut Layer)) {
        self.ranks.iter_mut().filter_map(|layers| layers.get_mut(layer)).for_each(change);
    }

    /// Changes the layer on some ranks; `change` is given the place of the rank among them.
    fn each(&mut self, ranks: &[usize], layer: usize, change: impl Fn(usize, &mut Layer)) {
        for (place, &rank) in ranks.iter().enumerate() {
            if let Some(layer) = self.ranks.get_mut(rank).and_then(|layers| layers.get_mut(layer)) {
                change(place, layer);
            }
        }
    }

    /// The sums of what ranks have, chunk by chunk, each in the order in which a ring passes it on.
    fn ring_sums(&self, ranks: &[usize], layer: usize, list: fn(&Layer) -> Option<&[f32]>) -> Vec<Vec<f32>> {
        let lists: Vec<&[f32]> =
            ranks.iter().map(|&rank| self.layer(rank, layer).and_then(list).unwrap_or_default()).collect();
        let n = lists.len();
        let length = lists.iter().map(|list| list.len()).min().unwrap_or(0);
        let sum = |chunk: usize| {
            let range = Self::chunk(length, n, chunk);
            let mut sum = vec![0.0; range.len()];
            for hop in 1..=n {
                let next = &lists[(chunk + hop) % n][range.clone()];
                for (sum, value) in sum.iter_mut().zip(next) {
                    // The first is passed on as it is.
                    *sum = if hop == 1 { *value } else { *sum + *value };
                }
            }
            sum
        };
        (0..n).map(sum).collect()
    }

    /// Counts what goes round a ring of `ranks`, `rounds` times: from each rank every chunk but one.
    fn count(&mut self, ranks: &[usize], chunks: &[Vec<f32>], rounds: f64) {
        let all: usize = chunks.iter().map(Vec::len).sum();
        let node = self.params.in_node();
        for (place, &rank) in ranks.iter().enumerate() {
            let left_out = chunks.get(place).map_or(0, Vec::len);
            let bytes = (all - left_out) as f64 * BYTES * rounds;
            let next = ranks.get((place + 1) % ranks.len()).copied().unwrap_or(rank);
            if let Some(sent) = self.sent.get_mut(rank) {
                *sent += bytes;
            }
            if rank / node != next / node
                && let Some(leaving) = self.leaving.get_mut(rank / node)
            {
                *leaving += bytes;
            }
        }
    }

    /// Every rank gets the sums of all that `list` has, where `put` puts them.
    fn all_reduce(
        &mut self,
        ranks: &[usize],
        layer: usize,
        list: fn(&Layer) -> Option<&[f32]>,
        put: fn(&mut Layer, Vec<f32>),
    ) {
        let sums = self.ring_sums(ranks, layer, list);
        self.count(ranks, &sums, 2.0);
        let all = sums.concat();
        self.each(ranks, layer, |_, l| {
            put(l, all.clone());
            l.sum = Sum::All;
        });
    }

    /// Every rank gets the shards of all into a whole list: gathered beside its shard, or in its copy.
    fn all_gather(&mut self, ranks: &[usize], layer: usize) {
        let whole = !self.params.strategy.shards_parameters();
        let shards: Vec<Vec<f32>> = ranks
            .iter()
            .map(|&rank| {
                let own = self.layer(rank, layer).map(|l| l.own.as_slice()).unwrap_or_default();
                if whole { own[self.shard(rank)].to_vec() } else { own.to_vec() }
            })
            .collect();
        self.count(ranks, &shards, 1.0);
        let all = shards.concat();
        self.each(ranks, layer, |_, l| {
            if whole {
                l.own.clone_from(&all);
                l.updated = (true, true);
            } else {
                l.gathered = Some(all.clone());
            }
        });
    }

    /// The first of the examples that a rank has in a micro-batch.
    fn first_example(&self, rank: usize, micro: usize) -> usize {
        (micro * self.params.ranks + rank) * self.params.rows
    }

    fn forward(&mut self, event: &Event) {
        let Params { width, rows, layers, .. } = self.params;
        for rank in 0..self.params.ranks {
            let examples = self.first_example(rank, event.micro);
            let (Some(flow), Some(l)) =
                (self.flow.get_mut(rank), self.ranks.get_mut(rank).and_then(|r| r.get_mut(event.first)))
            else {
                continue;
            };
            let x = if event.first == 0 { net::inputs(examples, rows, width) } else { std::mem::take(flow) };
            *flow = net::forward(l.gathered.as_ref().unwrap_or(&l.own), &x, width, event.first + 1 == layers);
            l.input = Some(x);
        }
    }

    fn backward(&mut self, event: &Event) {
        let Params { width, rows, layers, .. } = self.params;
        let length = self.length();
        for rank in 0..self.params.ranks {
            let examples = self.first_example(rank, event.micro);
            let (Some(flow), Some(l)) =
                (self.flow.get_mut(rank), self.ranks.get_mut(rank).and_then(|r| r.get_mut(event.first)))
            else {
                continue;
            };
            if event.first + 1 == layers {
                *flow = net::loss_gradient(flow, examples, rows, width);
            }
            let x = l.input.take().unwrap_or_default();
            let parameters = l.gathered.as_ref().unwrap_or(&l.own);
            let (mut gradient, dx) = net::backward(parameters, &x, flow, width, event.first == 0);
            *flow = if event.first == 0 { Vec::new() } else { dx };
            gradient.resize(length, 0.0);
            match &mut l.gradients {
                Some(sum) => sum.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += g),
                none => *none = Some(gradient),
            }
        }
    }

    fn update(&mut self) {
        let strategy = self.params.strategy;
        let scale = 1.0 / (self.params.ranks * self.params.accumulate).max(1) as f32;
        for rank in 0..self.params.ranks {
            let shard = if strategy == Strategy::Ddp { 0..self.length() } else { self.shard(rank) };
            for l in self.ranks.get_mut(rank).into_iter().flatten() {
                let gradients = match (&l.reduced, &l.gradients) {
                    (Some(mine), _) => mine.as_slice(),
                    (None, Some(whole)) => &whole[shard.clone()],
                    (None, None) => &[],
                };
                let own = if strategy.shards_parameters() { 0..l.own.len() } else { shard.clone() };
                net::adam(&mut l.own[own], &mut l.momentum, &mut l.variance, gradients, scale);
                l.updated = (true, strategy == Strategy::Ddp || strategy.shards_parameters());
            }
        }
    }

    /// What a rank holds.
    pub fn memory(&self, rank: usize) -> Memory {
        let mut memory = Memory::default();
        let bytes = |list: &[f32]| list.len() as f64 * BYTES;
        let maybe = |list: &Option<Vec<f32>>| list.as_deref().map_or(0.0, bytes);
        for l in self.ranks.get(rank).into_iter().flatten() {
            memory.parameters += bytes(&l.own);
            memory.gathered += maybe(&l.gathered);
            memory.gradients += maybe(&l.gradients) + maybe(&l.reduced) + maybe(&l.arriving);
            memory.optimizer += bytes(&l.momentum) + bytes(&l.variance);
            memory.activations += maybe(&l.input);
        }
        memory.activations += self.flow.get(rank).map_or(0.0, |flow| bytes(flow));
        memory
    }

    /// Bytes that a rank has sent.
    pub fn sent(&self, rank: usize) -> f64 {
        self.sent.get(rank).copied().unwrap_or_default()
    }

    /// The most that a rank has sent.
    pub fn most_sent(&self) -> f64 {
        self.sent.iter().copied().fold(0.0, f64::max)
    }

    /// The most that a node has sent to others.
    pub fn most_leaving(&self) -> f64 {
        self.leaving.iter().copied().fold(0.0, f64::max)
    }

    /// Numbers of parameters that a rank holds, its own and gathered ones, none counted twice.
    pub fn parameters_held(&self, rank: usize) -> usize {
        let held = |l: &Layer| l.gathered.as_ref().map_or(l.own.len(), Vec::len);
        self.ranks.get(rank).map_or(0, |layers| layers.iter().map(held).sum())
    }

    /// What a rank holds of a layer's parameters, gradients and optimizer states: each shard's worth of each.
    pub fn segments(&self, rank: usize, layer: usize) -> [Vec<Segment>; 3] {
        let sharers = self.params.sharers();
        let Some(l) = self.layer(rank, layer) else { return Default::default() };
        let mine = |place: usize| place == rank % sharers;
        let replicated = !self.params.strategy.shards_parameters();
        let parameter = |place: usize| match () {
            () if mine(place) => Segment::Own,
            () if replicated && l.updated == (true, false) => Segment::Stale,
            () if replicated => Segment::Own,
            () if l.gathered.is_some() => Segment::Gathered,
            () => Segment::Absent,
        };
        let summed = match l.sum {
            Sum::Local => Segment::Local,
            Sum::Node => Segment::Node,
            Sum::All => Segment::Reduced,
        };
        let everywhere = self.params.strategy == Strategy::Ddp;
        let gradient = |place: usize| match () {
            () if l.sum != Sum::Local && (everywhere || mine(place)) => summed,
            () if l.gradients.is_some() => Segment::Local,
            () if l.reduced.is_some() && mine(place) => summed,
            () => Segment::Absent,
        };
        let moment = |place: usize| if everywhere || mine(place) { Segment::Own } else { Segment::Absent };
        [
            (0..sharers).map(parameter).collect(),
            (0..sharers).map(gradient).collect(),
            (0..sharers).map(moment).collect(),
        ]
    }

    /// The first number of each shard of a layer, as far as the rank holds it: of its parameters, its gradients and Adam's
    /// first moment.
    pub fn numbers(&self, rank: usize, layer: usize) -> [Vec<Option<f32>>; 3] {
        let sharers = self.params.sharers();
        let Some(l) = self.layer(rank, layer) else { return Default::default() };
        let number = |whole: Option<&Vec<f32>>, shard: Option<&Vec<f32>>, place: usize| {
            let of_whole = || whole?.get(Self::chunk(self.length(), sharers, place).start);
            let of_shard = || shard?.first().filter(|_| place == rank % sharers);
            of_shard().or_else(of_whole).copied()
        };
        let own = |list, is_whole: bool| if is_whole { (Some(list), None) } else { (None, Some(list)) };
        let (copy, shard) = own(&l.own, !self.params.strategy.shards_parameters());
        let (moments, part) = own(&l.momentum, self.params.strategy == Strategy::Ddp);
        [
            (0..sharers).map(|place| number(l.gathered.as_ref().or(copy), shard, place)).collect(),
            (0..sharers)
                .map(|place| number(l.gradients.as_ref(), l.arriving.as_ref().or(l.reduced.as_ref()), place))
                .collect(),
            (0..sharers).map(|place| number(moments, part, place)).collect(),
        ]
    }

    /// How parameters and moments compare with those after a step of one rank.
    pub fn check(&self, alone: &[[Vec<f32>; 3]]) -> Check {
        let mut check = Check::default();
        let strategy = self.params.strategy;
        for (rank, layers) in self.ranks.iter().enumerate() {
            let start = |is_shard: bool| if is_shard { self.shard(rank).start } else { 0 };
            let (parameters, moments) = (start(strategy.shards_parameters()), start(strategy != Strategy::Ddp));
            for (l, [p, m, v]) in layers.iter().zip(alone) {
                check.compare(&l.own, p.get(parameters..));
                check.compare(&l.momentum, m.get(moments..));
                check.compare(&l.variance, v.get(moments..));
            }
        }
        check
    }
}

/// How parameters and moments compare with those after a step of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Check {
    /// Numbers compared, those of all ranks.
    pub compared: usize,
    /// Of those, the ones whose bits differ.
    pub differ: usize,
    /// The largest difference, as a part of the number or of 1, whichever is larger.
    pub largest: f64,
}

impl Check {
    /// The largest difference that another order of summing is allowed to make: two units in the last place of 1.
    pub const ALLOWED: f64 = 2.0 * f32::EPSILON as f64;

    /// Compares what a rank has with what it should; zeros that fill up its shard are left out.
    fn compare(&mut self, ours: &[f32], theirs: Option<&[f32]>) {
        for (ours, theirs) in ours.iter().zip(theirs.unwrap_or_default()) {
            self.compared += 1;
            self.differ += usize::from(ours.to_bits() != theirs.to_bits());
            let off = (f64::from(*ours) - f64::from(*theirs)).abs() / f64::from(theirs.abs()).max(1.0);
            self.largest = self.largest.max(off);
        }
    }

    /// Whether they are the same but for the order of sums.
    pub fn matches(&self) -> bool {
        self.compared > 0 && self.largest <= Self::ALLOWED
    }
}
