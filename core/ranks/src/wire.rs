//! What leads from one rank to the others where each runs on its own: calls as packets, and collectives as steps of packets.
//!
//! Each rank has a world of its own. A send or receive that a rank calls is told to the rank at the other end, which enters it in
//! its world as if that rank had called it there; so messages are matched, and sizes compared, by the rules of [`World::message`]. A
//! collective goes by the steps of [`Schedule`]: a ring, or pair by pair for an all-to-all, as [`crate::timing`] takes it to go.
//! What a rank sends to another must arrive in order. Elements travel in four bytes each, whatever their type.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ringside_core::collective::schedule::{Action, Schedule};
use ringside_core::collective::{Algo, Op};
use ringside_core::program::operation;
use serde::{Deserialize, Serialize};

use crate::tensor::{After, DType, Tensor};
use crate::world::{Block, Called, Fault, Side, Transfer, What, World, fits_in, sends};

/// A collective on all ranks that take part: the group's ranks, which of the groups of these ranks it is, and which of its calls.
type Name = (Vec<usize>, usize, usize);

/// Chunks of a buffer, by their numbers.
type Chunks = Vec<(u16, Vec<f32>)>;

/// What one rank tells another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Packet {
    /// It has called a send to it.
    Send { tag: i64, line: u32, dtype: DType, values: Vec<f32> },
    /// It has called a receive from it.
    Recv { tag: i64, line: u32, dtype: DType, elements: usize },
    /// Its part of a step of a collective.
    Part(Part),
    /// It takes no further part in a collective, because that one is dead.
    Left { name: Name, dead: usize },
    /// It has died.
    Gone,
}

impl Packet {
    /// One side of a message.
    pub fn message(sends: bool, tag: i64, line: u32, tensor: &Tensor) -> Self {
        let dtype = tensor.dtype();
        match sends {
            true => Self::Send { tag, line, dtype, values: tensor.values() },
            false => Self::Recv { tag, line, dtype, elements: tensor.numel() },
        }
    }
}

/// A part of a step of a collective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    name: Name,
    called: Called,
    line: u32,
    step: usize,
    chunks: Chunks,
}

/// One rank's way to the others.
#[derive(Debug, Default)]
pub(crate) struct Wire {
    pub rank: usize,
    /// What is to be sent, and to whom.
    pub out: Vec<(usize, Packet)>,
    /// The call at which this rank stops for good and tells nobody: its worker is about to be ended.
    pub breaks: Option<u64>,
    going: BTreeMap<Name, Going>,
    /// Parts of collectives that this rank hasn't called yet.
    early: BTreeMap<Name, Vec<(usize, Part)>>,
    /// Collectives that ranks have left, and whose death they left for.
    left: BTreeMap<(Name, usize), usize>,
}

impl Wire {
    pub fn new(rank: usize, breaks: Option<u64>) -> Self {
        Self { rank, breaks, ..Self::default() }
    }

    /// Whether another rank has said that this one died. What it had sent before may still be on its way.
    pub fn heard_of(&self, rank: usize) -> bool {
        self.left.values().any(|dead| *dead == rank)
    }

    /// Ranks whose parts a collective waits for; none if this transfer is no collective that is under way.
    pub fn awaits(&self, transfer: usize) -> Option<Vec<usize>> {
        let going = self.going.values().find(|going| going.transfer == transfer)?;
        Some(going.awaited_ranks())
    }
}

/// A collective that this rank has called.
#[derive(Debug)]
struct Going {
    call: &'static str,
    called: Called,
    transfer: usize,
    side: Side,
    ranks: Vec<usize>,
    /// This rank's place in the group, and the root's.
    place: usize,
    root: usize,
    schedule: Schedule,
    step: usize,
    /// Whether this rank's part of the step is sent.
    sent: bool,
    chunks: BTreeMap<u16, Vec<f32>>,
    /// What came, by step and place.
    came: BTreeMap<(usize, usize), Chunks>,
}

/// The elements of a buffer of `len` that are chunk `i` of `n`.
fn chunk(len: usize, n: usize, i: usize) -> Range<usize> {
    let cut = |i: usize| len * i / n.max(1);
    cut(i)..cut(i + 1)
}

impl Going {
    /// The place in the group of a place in the schedule, whose root is at 0.
    fn turned(&self, place: u8) -> usize {
        (usize::from(place) + self.root) % self.ranks.len().max(1)
    }

    /// Places of whom this step still needs a part.
    fn awaited(&self) -> BTreeSet<usize> {
        let transfers = self.schedule.steps.get(self.step).map(|step| step.transfers.as_slice()).unwrap_or_default();
        let senders = transfers.iter().filter(|t| self.turned(t.to) == self.place).map(|t| self.turned(t.from));
        senders.filter(|place| !self.came.contains_key(&(self.step, *place))).collect()
    }

    fn awaited_ranks(&self) -> Vec<usize> {
        self.awaited().into_iter().filter_map(|place| self.ranks.get(place).copied()).collect()
    }

    /// What this rank sends in this step, by place.
    fn outgoing(&self) -> BTreeMap<usize, Chunks> {
        let mut out: BTreeMap<usize, Chunks> = BTreeMap::new();
        let transfers = self.schedule.steps.get(self.step).map(|step| step.transfers.as_slice()).unwrap_or_default();
        for transfer in transfers.iter().filter(|t| self.turned(t.from) == self.place) {
            let values = self.chunks.get(&transfer.chunk).cloned().unwrap_or_default();
            out.entry(self.turned(transfer.to)).or_default().push((transfer.chunk, values));
        }
        out
    }

    /// Takes what came in this step.
    fn take(&mut self) {
        let transfers = self.schedule.steps.get(self.step).map(|step| step.transfers.clone()).unwrap_or_default();
        for transfer in transfers {
            let (from, to) = (self.turned(transfer.from), self.turned(transfer.to));
            if to != self.place {
                continue;
            }
            let came = self.came.get_mut(&(self.step, from)).and_then(|chunks| {
                chunks
                    .iter_mut()
                    .find(|(number, _)| *number == transfer.chunk)
                    .map(|(_, values)| std::mem::take(values))
            });
            let Some(came) = came else { continue };
            match (transfer.action, self.chunks.get_mut(&transfer.chunk)) {
                (Action::Reduce, Some(mine)) => {
                    for (a, b) in mine.iter_mut().zip(came) {
                        *a = self.called.combine(*a, b);
                    }
                }
                _ => drop(self.chunks.insert(transfer.chunk, came)),
            }
        }
        self.came.retain(|(step, _), _| *step > self.step);
        self.step += 1;
        self.sent = false;
    }

    fn ended(&self) -> bool {
        self.step >= self.schedule.steps.len()
    }

    /// The chunks that this rank brings.
    fn begin(&mut self) {
        let n = self.ranks.len();
        let first = self.side.input.first().cloned().unwrap_or_default();
        let numbered = |number: usize, values: Vec<f32>| (number as u16, values);
        self.chunks = match self.call {
            "all_gather" => [numbered(self.place, first)].into(),
            "reduce_scatter" => self.side.input.iter().cloned().enumerate().map(|(i, v)| numbered(i, v)).collect(),
            "all_to_all" => {
                let to = self.side.input.iter().cloned().enumerate();
                to.map(|(i, v)| numbered(self.place * n + i, v)).collect()
            }
            _ => {
                let part = |i: usize| first.get(chunk(first.len(), n, i)).unwrap_or_default().to_vec();
                (0..n).map(|i| numbered(i, part(i))).collect()
            }
        };
    }

    /// What this rank ends with, for each of its outputs.
    fn results(&self) -> Vec<Vec<f32>> {
        let n = self.ranks.len();
        let of = |number: usize| self.chunks.get(&(number as u16)).cloned().unwrap_or_default();
        let mean = |mut values: Vec<f32>| {
            if self.called.reduce == "avg" {
                values.iter_mut().for_each(|value| *value /= n as f32);
            }
            values
        };
        match self.call {
            "barrier" => Vec::new(),
            "reduce" if self.place != self.root => Vec::new(),
            "all_gather" => (0..n).map(of).collect(),
            "reduce_scatter" => vec![mean(of(self.place))],
            "all_to_all" => (0..n).map(|from| of(from * n + self.place)).collect(),
            _ => vec![mean((0..n).flat_map(of).collect())],
        }
    }
}

impl World<'_> {
    /// Begins a collective whose other sides are elsewhere: its transfer.
    ///
    /// # Errors
    /// If another rank has called something else.
    pub fn by_wire(
        &mut self,
        group: usize,
        index: usize,
        call: &'static str,
        called: Called,
        whole: u64,
        side: Side,
    ) -> Result<usize, Fault> {
        let ranks = self.groups.get(group).map(|g| g.ranks.clone()).unwrap_or_default();
        let nth = self.groups.iter().take(group).filter(|g| g.ranks == ranks).count();
        let (rank, line) = (side.rank, side.line);
        let place_of = |rank: usize| ranks.iter().position(|r| *r == rank).unwrap_or(0);
        let transfer = self.transfers.len();
        let what = What::Collective { call, ranks: ranks.clone(), root: called.root.unwrap_or(0) };
        self.transfers.push(Transfer { what, bytes: whole, posts: Vec::new(), done: false });
        self.post(transfer, rank, line);
        if let Some(seat) = self.seats.get_mut(rank) {
            seat.sent += sends(call, called.root, rank, &ranks, whole);
        }
        // A barrier is an all-reduce of nothing.
        let op = operation(call).unwrap_or(Op::AllReduce);
        let algo = if op == Op::AllToAll { Algo::Direct } else { Algo::Ring };
        // A group of one has nothing to exchange.
        let schedule = Schedule::new(op, algo, ranks.len(), ranks.len())
            .unwrap_or_else(|_| Schedule { ranks: ranks.len(), steps: Vec::new() });
        let name = (ranks.clone(), nth, index);
        let (place, root) = (place_of(rank), called.root.map_or(0, place_of));
        let (chunks, came) = (BTreeMap::new(), BTreeMap::new());
        let mut going =
            Going { call, called, transfer, side, ranks, place, root, schedule, step: 0, sent: false, chunks, came };
        going.begin();
        let Some(wire) = &mut self.wire else { return Ok(transfer) };
        let early = wire.early.remove(&name).unwrap_or_default();
        wire.going.insert(name.clone(), going);
        for (from, part) in early {
            self.part(from, part)?;
        }
        self.steps(&name)?;
        Ok(transfer)
    }

    /// Enters what another rank has told this one.
    ///
    /// # Errors
    /// If what it called doesn't go with what this one has called.
    pub fn hear(&mut self, from: usize, packet: Packet) -> Result<(), Fault> {
        let Some(mine) = self.wire.as_ref().map(|wire| wire.rank as i64) else { return Ok(()) };
        match packet {
            Packet::Send { tag, line, dtype, values } => {
                let tensor = Tensor::new(vec![values.len()], values, dtype);
                self.message(from, line, "send", mine, tag, &tensor).map(drop)
            }
            Packet::Recv { tag, line, dtype, elements } => {
                // Where the values would go on the other side; they are not looked at here.
                let tensor = Tensor::new(vec![elements], vec![0.0; elements], dtype);
                self.message(from, line, "recv", mine, tag, &tensor).map(drop)
            }
            Packet::Part(part) => {
                let name = part.name.clone();
                self.part(from, part)?;
                self.steps(&name)
            }
            Packet::Left { name, dead } => {
                if let Some(wire) = &mut self.wire {
                    wire.left.insert((name, from), dead);
                }
                Ok(())
            }
            Packet::Gone => {
                if let Some(seat) = self.seats.get_mut(from) {
                    seat.dead = true;
                }
                Ok(())
            }
        }
    }

    /// A dead rank without which this rank's call can't end. What a rank had sent before it died comes before the news, so only
    /// whoever still waits for the dead one, or for one that gave up, can't go on.
    pub fn lost(&self, block: &Block) -> Option<usize> {
        let wire = self.wire.as_ref()?;
        let open = block.transfers.iter().filter(|t| self.transfers.get(**t).is_some_and(|t| !t.done_for(wire.rank)));
        open.copied().find_map(|at| match wire.going.iter().find(|(_, going)| going.transfer == at) {
            Some((name, going)) => {
                let awaited = going.awaited_ranks();
                let left = || awaited.iter().find_map(|rank| wire.left.get(&(name.clone(), *rank)).copied());
                self.gone(&awaited).or_else(left)
            }
            None => self.transfers.get(at).and_then(|transfer| self.gone(&transfer.members())),
        })
    }

    /// Leaves the collectives that a call waits for, for the death of a rank.
    pub fn leave(&mut self, block: &Block, dead: usize) {
        let Some(wire) = &mut self.wire else { return };
        let rank = wire.rank;
        let names: Vec<Name> = wire
            .going
            .iter()
            .filter(|(_, going)| block.transfers.contains(&going.transfer))
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let others = name.0.iter().filter(|other| **other != rank);
            wire.out.extend(others.map(|other| (*other, Packet::Left { name: name.clone(), dead })));
            wire.going.remove(&name);
        }
    }

    /// Keeps a part until its step comes.
    fn part(&mut self, from: usize, part: Part) -> Result<(), Fault> {
        let Some(wire) = &mut self.wire else { return Ok(()) };
        let Some(going) = wire.going.get_mut(&part.name) else {
            wire.early.entry(part.name.clone()).or_default().push((from, part));
            return Ok(());
        };
        let mine = (going.side.rank, going.side.line);
        part.called.same((from, part.line), &going.called, mine)?;
        let Some(place) = going.ranks.iter().position(|rank| *rank == from) else { return Ok(()) };
        if going.call == "all_to_all" {
            let room = going.side.output.get(place).map_or(0, Tensor::numel);
            for (_, values) in &part.chunks {
                fits_in((from, part.line), values.len(), mine, room)?;
            }
        }
        going.came.insert((part.step, place), part.chunks);
        let transfer = going.transfer;
        if let Some(transfer) = self.transfers.get_mut(transfer)
            && transfer.line_of(from).is_none()
        {
            transfer.posts.push((from, part.line));
        }
        Ok(())
    }

    /// Goes on with a collective as far as what came allows.
    fn steps(&mut self, name: &Name) -> Result<(), Fault> {
        let Some(wire) = &mut self.wire else { return Ok(()) };
        let Some(going) = wire.going.get_mut(name) else { return Ok(()) };
        while !going.ended() {
            if !going.sent {
                going.sent = true;
                for (place, chunks) in going.outgoing() {
                    let Some(to) = going.ranks.get(place) else { continue };
                    let (called, line) = (going.called.clone(), going.side.line);
                    let part = Part { name: name.clone(), called, line, step: going.step, chunks };
                    wire.out.push((*to, Packet::Part(part)));
                }
            }
            if !going.awaited().is_empty() {
                return Ok(());
            }
            going.take();
        }
        let Some(going) = wire.going.remove(name) else { return Ok(()) };
        // A rank's own part of an all-to-all goes nowhere.
        if going.call == "all_to_all" {
            let at = (going.side.rank, going.side.line);
            let [sent, room] = [
                going.side.input.get(going.place).map_or(0, Vec::len),
                going.side.output.get(going.place).map_or(0, Tensor::numel),
            ];
            fits_in(at, sent, at, room)?;
        }
        let after = After { order: going.side.order, line: going.side.line, call: going.call };
        for (output, values) in going.side.output.iter().zip(going.results()) {
            output.write(&values);
            output.storage.after.set(Some(after));
        }
        if let Some(transfer) = self.transfers.get_mut(going.transfer) {
            transfer.done = true;
        }
        Ok(())
    }
}
