//! A step of one rank in time: what its two streams do, and what each piece of work waits for.

use super::buckets::assign;
use super::params::{Iteration, Params};
use super::tensors::{Part, Piece, pieces};
use crate::collective::{Algo, Op};
use crate::critical;
use crate::network;
use crate::trace::{Event, chrome};

/// A queue of work on the GPU; both run at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Where the passes run.
    Compute,
    /// Where collectives run.
    Nccl,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The forward pass of a micro-batch.
    Forward,
    /// Looking for parameters that will get no gradient.
    Search,
    /// The backward pass through a part of the model.
    Backward(Part),
    /// The all-reduce of a bucket, from 0.
    AllReduce(u32),
    /// The all-reduce that says which parameters were used anywhere.
    Map,
    /// The all-reduce that says who still has a batch.
    Join,
    /// Averages back from the buckets.
    Copy,
}

/// A piece of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// What is done.
    pub kind: Kind,
    /// The micro-batch, from 0.
    pub pass: u32,
    /// Since when what it needs is there, in seconds; its stream may still be busy then.
    pub ready: f64,
    /// When it begins.
    pub start: f64,
    /// When it ends.
    pub end: f64,
    /// The block that it began after. None for one that could begin at once.
    pub after: Option<u32>,
}

impl Block {
    /// The stream that it runs on.
    pub fn stream(&self) -> Stream {
        match self.kind {
            Kind::AllReduce(_) | Kind::Map | Kind::Join => Stream::Nccl,
            Kind::Forward | Kind::Search | Kind::Backward(_) | Kind::Copy => Stream::Compute,
        }
    }
}

/// Gradients that travel together.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// Its tensors, by their places in [`Timeline::pieces`].
    pub tensors: Vec<usize>,
    /// Bytes.
    pub bytes: f64,
}

/// A step.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// The model, input to output.
    pub pieces: Vec<Piece>,
    /// The buckets, in the order in which they start.
    pub buckets: Vec<Bucket>,
    /// All the work, in order of its beginning on each stream.
    pub blocks: Vec<Block>,
    /// Seconds in which the compute stream works, copies and the search included.
    pub computing: f64,
    /// Seconds in which the other stream works.
    pub communicating: f64,
    /// Seconds in which the step only waits for it.
    pub exposed: f64,
    /// Bytes that are all-reduced.
    pub reduced: f64,
    /// Bytes of all gradients.
    pub gradients: f64,
    /// Buckets of the last pass that never start, because a gradient never comes.
    pub stalled: usize,
}

/// What all-reduces take.
struct Wire<'p> {
    params: &'p Params,
}

impl Wire<'_> {
    /// NCCL's choice between ring and double binary tree is the faster one.
    fn time(&self, bytes: f64) -> f64 {
        let (ranks, fabric) = (self.params.ranks as usize, self.params.fabric());
        let by = |algo| network::time(Op::AllReduce, algo, ranks, bytes, &fabric).unwrap_or(f64::INFINITY);
        by(Algo::Ring).min(by(Algo::DoubleBinaryTree))
    }
}

impl Timeline {
    /// Runs the step.
    ///
    /// # Errors
    /// A sentence, if the model is no architecture or has too many tensors.
    pub fn new(params: &Params) -> Result<Self, String> {
        let shape = params.model.shape().ok_or("Buckets follow from tensors: choose a model, or give its sizes.")?;
        if let Some(problem) = shape.check().into_iter().next() {
            return Err(problem.message);
        }
        shape.count().map_err(|problem| problem.message)?;
        let pieces = pieces(shape, params.seq)?;
        let skipped: Vec<bool> = pieces.iter().map(|p| Some(p.part) == params.skipped()).collect();
        let element = params.element();
        let gradients: f64 = pieces.iter().map(|p| p.elements * element).sum();
        let buckets = params.buckets(&pieces);
        let mut run = Run {
            params,
            skipped,
            timeline: Self {
                pieces,
                buckets,
                blocks: Vec::new(),
                computing: 0.0,
                communicating: 0.0,
                exposed: 0.0,
                reduced: 0.0,
                gradients,
                stalled: 0,
            },
            compute: End::default(),
            nccl: End::default(),
        };
        let per_flop = params.seconds_per_flop(&run.timeline.pieces, &run.skipped);
        for pass in 0..params.microbatches {
            let sync = !params.no_sync || pass + 1 == params.microbatches;
            run.pass(pass as u32, sync, per_flop);
            if run.timeline.stalled > 0 {
                // The next forward pass raises an error.
                break;
            }
        }
        Ok(run.timeline)
    }

    /// When the last piece of work ends.
    pub fn end(&self) -> f64 {
        self.blocks.iter().map(|b| b.end).fold(0.0, f64::max)
    }

    /// The share of the all-reduces that runs beside the passes; 1 if there are none.
    pub fn hidden(&self) -> f64 {
        if self.communicating > 0.0 { (1.0 - self.exposed / self.communicating).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The share of the step in which the GPU computes; 1 for a step that takes no time.
    pub fn computing_share(&self) -> f64 {
        if self.end() > 0.0 { self.computing / self.end() } else { 1.0 }
    }

    /// The blocks in the order in which they end.
    pub fn order(&self) -> Vec<u32> {
        let end = |i: u32| self.blocks.get(i as usize).map_or(0.0, |b| b.end);
        let mut order: Vec<u32> = (0..self.blocks.len() as u32).collect();
        order.sort_by(|a, b| end(*a).total_cmp(&end(*b)).then(a.cmp(b)));
        order
    }

    /// The blocks of a stream, in order of time.
    pub fn of(&self, stream: Stream) -> impl DoubleEndedIterator<Item = (u32, &Block)> {
        let all = self.blocks.iter().enumerate().map(|(i, block)| (i as u32, block));
        all.filter(move |(_, block)| block.stream() == stream)
    }

    /// When the compute stream waits for all-reduces: from, to.
    pub fn waits(&self) -> Vec<(f64, f64)> {
        let mut waits = Vec::new();
        let mut free = 0.0;
        for (_, block) in self.of(Stream::Compute) {
            if block.start > free {
                waits.push((free, block.start));
            }
            free = block.end;
        }
        if self.stalled == 0 && self.end() > free {
            waits.push((free, self.end()));
        }
        waits
    }

    /// The share of both streams that works in each of `parts` equal parts of the step.
    pub fn working(&self, parts: usize) -> Vec<f64> {
        let mut shares = vec![0.0; parts];
        let part = self.end() / parts.max(1) as f64;
        if part.is_nan() || part <= 0.0 {
            return shares;
        }
        for block in &self.blocks {
            let (first, last) = ((block.start / part) as usize, (block.end / part) as usize);
            for (i, share) in shares.iter_mut().enumerate().take(last + 1).skip(first) {
                let (from, to) = (i as f64 * part, (i + 1) as f64 * part);
                *share += (block.end.min(to) - block.start.max(from)).max(0.0) / (2.0 * part);
            }
        }
        shares
    }

    /// The blocks that decide when the step ends, the first one first: each began when the one before it was done.
    pub fn critical_path(&self) -> Vec<u32> {
        critical::path(&self.blocks, |block| block.end, |block| block.after)
    }

    /// The step as a Chrome trace, with a row for each stream.
    pub fn chrome_trace(&self, name: &str) -> String {
        let rows = ["compute stream".to_owned(), "NCCL stream".to_owned()];
        let events = self.blocks.iter().map(|block| {
            let bucket = match block.kind {
                Kind::AllReduce(bucket) => self.buckets.get(bucket as usize).map(|b| ("bytes", b.bytes as u64)),
                _ => None,
            };
            let mut args = vec![("microbatch", u64::from(block.pass))];
            args.extend(bucket);
            Event {
                row: usize::from(block.stream() == Stream::Nccl),
                name: block.name(),
                category: block.category(),
                start: block.start * 1e3,
                end: block.end * 1e3,
                args,
            }
        });
        chrome(name, &rows, events)
    }
}

impl Params {
    /// The part that is left out of this iteration, if the model has it.
    pub fn skipped(&self) -> Option<Part> {
        let layers = self.model.shape().map_or(0, |shape| shape.num_hidden_layers);
        (self.skip && self.skip_layer < layers).then_some(Part::Layer(self.skip_layer as u32))
    }

    /// Which tensors travel together, in the order in which the buckets start.
    fn buckets(&self, pieces: &[Piece]) -> Vec<Bucket> {
        let bytes = |i: usize| pieces.get(i).map_or(0.0, |p| p.elements * self.element());
        let registered: Vec<usize> = (0..pieces.len()).filter(|&i| bytes(i) > 0.0).collect();
        let sized = |order: Vec<usize>| order.into_iter().map(|i| (i, bytes(i)));
        let assigned = if self.find_unused {
            let mut list = assign(sized(registered), &self.limits());
            list.reverse();
            list
        } else if self.iteration == Iteration::First {
            vec![registered]
        } else {
            let mut order = registered;
            order.reverse();
            assign(sized(order), &self.limits())
        };
        let bucket = |tensors: Vec<usize>| {
            let bytes = tensors.iter().map(|&i| bytes(i)).sum();
            Bucket { tensors, bytes }
        };
        assigned.into_iter().filter(|tensors| !tensors.is_empty()).map(bucket).collect()
    }

    /// Seconds for each FLOP of a token's forward pass: as counted, or so that the backward pass takes what was measured.
    fn seconds_per_flop(&self, pieces: &[Piece], skipped: &[bool]) -> f64 {
        let tokens = self.seq as f64 * self.mbs as f64;
        if self.backward_ms > 0.0 {
            let used = pieces.iter().zip(skipped).filter(|(_, skipped)| !**skipped);
            let forward: f64 = used.map(|(piece, _)| piece.flops).sum();
            if forward > 0.0 { self.backward_ms / 1e3 / (2.0 * forward) } else { 0.0 }
        } else {
            tokens / (self.gpu.peak * self.mfu)
        }
    }
}

/// Where a stream is: its last block, and when that ends.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    time: f64,
    block: Option<u32>,
}

struct Run<'p> {
    params: &'p Params,
    skipped: Vec<bool>,
    timeline: Timeline,
    compute: End,
    nccl: End,
}

impl Run<'_> {
    /// Work that needs `ready` and begins after `from`.
    fn block(&mut self, kind: Kind, pass: u32, [ready, from]: [End; 2], time: f64) -> End {
        let block = self.timeline.blocks.len() as u32;
        let (start, end) = (from.time, from.time + time);
        self.timeline.blocks.push(Block { kind, pass, ready: ready.time, start, end, after: from.block });
        End { time: end, block: Some(block) }
    }

    /// The next work of the compute stream.
    fn computes(&mut self, kind: Kind, pass: u32, time: f64) {
        self.compute = self.block(kind, pass, [self.compute; 2], time);
        self.timeline.computing += time;
    }

    /// The next work of the other stream, which waits for `ready`.
    fn communicates(&mut self, kind: Kind, pass: u32, ready: End, time: f64) {
        let from = if self.nccl.time > ready.time { self.nccl } else { ready };
        self.nccl = self.block(kind, pass, [ready, from], time);
        self.timeline.communicating += time;
    }

    fn pass(&mut self, pass: u32, sync: bool, per_flop: f64) {
        let wire = Wire { params: self.params };
        let forward: f64 =
            self.timeline.pieces.iter().zip(&self.skipped).filter(|(_, s)| !**s).map(|(p, _)| p.flops * per_flop).sum();
        if sync && self.params.join {
            let begin = self.compute;
            self.communicates(Kind::Join, pass, begin, wire.time(4.0));
        }
        self.computes(Kind::Forward, pass, forward);
        let tensors = self.timeline.buckets.iter().map(|b| b.tensors.len()).sum::<usize>() as f64;
        if sync && self.params.find_unused {
            self.computes(Kind::Search, pass, tensors * self.params.search_us / 1e6);
        }
        let ready = self.backward(pass, sync, per_flop);
        if !sync {
            return;
        }
        let computed = self.compute;
        self.reduce(pass, &ready, &wire);
        if self.timeline.stalled > 0 {
            return;
        }
        if self.params.find_unused {
            self.communicates(Kind::Map, pass, computed, wire.time(4.0 * tensors));
        }
        // What comes next needs the averages.
        self.timeline.exposed += (self.nccl.time - computed.time).max(0.0);
        if self.nccl.time > computed.time {
            self.compute = self.nccl;
        }
        if !self.params.view {
            let copied = self.params.copying(self.timeline.gradients);
            self.computes(Kind::Copy, pass, copied);
        }
    }

    /// From output to input. Says when and after which block each tensor's gradient is there; none for those that get none.
    fn backward(&mut self, pass: u32, sync: bool, per_flop: f64) -> Vec<Option<End>> {
        let element = self.params.element();
        let begin = self.compute;
        let mut ready: Vec<Option<End>> = vec![None; self.timeline.pieces.len()];
        let mut to = self.timeline.pieces.len();
        while let Some(last) = to.checked_sub(1) {
            let part = self.timeline.pieces[last].part;
            let from = self.timeline.pieces[..to].iter().rposition(|p| p.part != part).map_or(0, |i| i + 1);
            let block = self.timeline.blocks.len() as u32;
            let mut time = 0.0;
            for i in (from..to).rev() {
                let piece = self.timeline.pieces[i];
                if self.skipped[i] {
                    // With `find_unused_parameters` it counts as ready before the pass begins.
                    ready[i] = self.params.find_unused.then_some(begin);
                    continue;
                }
                time += 2.0 * piece.flops * per_flop;
                if sync && !self.params.view {
                    time += self.params.copying(piece.elements * element);
                }
                ready[i] = Some(End { time: self.compute.time + time, block: Some(block) });
            }
            if !self.skipped[last] {
                self.computes(Kind::Backward(part), pass, time);
            }
            to = from;
        }
        ready
    }

    /// Bucket after bucket, each as soon as it is complete and those before it have started.
    fn reduce(&mut self, pass: u32, ready: &[Option<End>], wire: &Wire<'_>) {
        let mut started = End::default();
        let mut held = false;
        for b in 0..self.timeline.buckets.len() {
            let bucket = &self.timeline.buckets[b];
            let bytes = bucket.bytes;
            let complete = bucket.tensors.iter().try_fold(End::default(), |latest, &i| {
                let end = ready.get(i).copied().flatten()?;
                Some(if end.time >= latest.time { end } else { latest })
            });
            held |= complete.is_none();
            let Some(complete) = complete.filter(|_| !held) else {
                self.timeline.stalled += 1;
                continue;
            };
            // A bucket may be complete before one that has to start first.
            started = if complete.time >= started.time { complete } else { started };
            self.communicates(Kind::AllReduce(b as u32), pass, started, wire.time(bytes));
            self.timeline.reduced += bytes;
        }
    }
}

impl Params {
    /// Seconds to copy `bytes` on the GPU: they are read and written.
    fn copying(&self, bytes: f64) -> f64 {
        2.0 * bytes / self.gpu.bandwidth
    }
}
