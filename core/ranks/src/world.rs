//! What the ranks share: who sends what to whom, and who waits for whom.
//!
//! A rank's program runs until it blocks; nothing here knows the time. A program can't ask for it or receive from whoever
//! comes first, so what it computes does not depend on it, and [`crate::timing`] adds it afterward.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use ringside_core::mix::Stream;
use ringside_core::program::{At, Diagnosis, EventKind, Job, KINDS, Kind, Submitted, Verdict, rank_list};
use ringside_core::quantity::{bytes_decimal, grouped};
use serde::{Deserialize, Serialize};

use crate::tensor::{After, Busy, DType, Storage, Tensor, shown};
use crate::wire::{Packet, Wire};

/// Something a rank did, for [`crate::timing`].
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Compute { flops: f64, line: u32, label: String },
    Memory { line: u32, bytes: [u64; KINDS] },
    Post { transfer: usize },
    Wait { transfers: Vec<usize>, line: u32, label: String, kind: EventKind, peer: Option<usize>, bytes: u64 },
    Print(String),
}

/// What a transfer is.
#[derive(Debug, Clone)]
pub(crate) enum What {
    /// From one rank to another. `eager`: it fits the buffer, so the sender does not wait.
    Message { from: usize, to: usize, eager: bool },
    /// A collective of these ranks. `bytes` of the transfer is the whole buffer, S.
    Collective { call: &'static str, ranks: Vec<usize>, root: usize },
}

/// A message or collective.
#[derive(Debug, Clone)]
pub(crate) struct Transfer {
    pub what: What,
    pub bytes: u64,
    /// Ranks that called, and their lines.
    pub posts: Vec<(usize, u32)>,
    /// Whether all have.
    pub done: bool,
}

impl Transfer {
    /// Ranks that must call before it can end.
    pub fn members(&self) -> Vec<usize> {
        match &self.what {
            What::Message { from, to, .. } => vec![*from, *to],
            What::Collective { ranks, .. } => ranks.clone(),
        }
    }

    /// Whether this rank has nothing more to wait for.
    pub fn done_for(&self, rank: usize) -> bool {
        self.done || matches!(self.what, What::Message { from, eager: true, .. } if from == rank)
    }

    pub fn missing(&self) -> Vec<usize> {
        self.members().into_iter().filter(|r| !self.posts.iter().any(|(p, _)| p == r)).collect()
    }

    pub fn line_of(&self, rank: usize) -> Option<u32> {
        self.posts.iter().find(|(r, _)| *r == rank).map(|(_, line)| *line)
    }
}

/// Why a call has no result.
#[derive(Debug)]
pub(crate) enum Fault {
    /// An exception for the program.
    Raise(monty_types::ExcType, String),
    /// The end of the run.
    Stop(Diagnosis),
    /// The rank dies.
    Die,
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Raise(monty_types::ExcType::RuntimeError, message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// A call that waits.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub transfers: Vec<usize>,
    pub line: u32,
    /// The call: "recv from rank 1".
    pub call: String,
}

/// A handle of something asynchronous.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub transfers: Vec<usize>,
    pub call: &'static str,
    pub line: u32,
}

/// One rank's side.
#[derive(Debug)]
pub(crate) struct Seat {
    pub tensors: BTreeMap<u64, Tensor>,
    pub works: BTreeMap<u64, Work>,
    pub busy: Vec<(Tensor, Busy)>,
    pub next: u64,
    pub orders: u64,
    pub log: Vec<Op>,
    pub line: u32,
    pub calls: u64,
    pub flops: f64,
    pub sent: u64,
    pub peak: u64,
    pub last: [u64; KINDS],
    pub stale: usize,
    pub random: Stream,
    pub groups: BTreeMap<Vec<usize>, usize>,
    pub submitted: Vec<(Submitted, Vec<f32>, Option<After>)>,
    pub dead: bool,
    /// When it last began or went on, by the world's clock.
    pub since: f64,
}

/// A collective as a rank calls it. Every rank of its group must call the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Called {
    pub call: String,
    pub root: Option<usize>,
    pub reduce: String,
    pub dtype: DType,
    /// What all ranks must agree on.
    pub elements: usize,
}

/// A collective that some ranks of a group have called.
#[derive(Debug)]
struct Gathering {
    call: &'static str,
    called: Called,
    transfer: usize,
    sides: Vec<Side>,
}

/// What a rank brings to a collective.
#[derive(Debug)]
pub(crate) struct Side {
    pub rank: usize,
    pub order: u64,
    pub line: u32,
    pub input: Vec<Vec<f32>>,
    pub output: Vec<Tensor>,
}

/// A process group.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub ranks: Vec<usize>,
    counts: BTreeMap<usize, usize>,
    open: BTreeMap<usize, Gathering>,
}

#[derive(Debug)]
struct Sent {
    transfer: usize,
    values: Vec<f32>,
    dtype: DType,
}

#[derive(Debug)]
struct Awaited {
    transfer: usize,
    into: Tensor,
    order: u64,
    line: u32,
}

#[derive(Debug, Default)]
struct Channel {
    sent: VecDeque<Sent>,
    awaited: VecDeque<Awaited>,
}

/// What a process expects a rank to submit.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub rank: usize,
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// A file that a rank saved.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
    pub dtype: DType,
}

/// All ranks.
#[derive(Debug)]
pub(crate) struct World<'a> {
    pub job: &'a Job,
    pub size: usize,
    pub seats: Vec<Seat>,
    pub transfers: Vec<Transfer>,
    pub groups: Vec<Group>,
    channels: BTreeMap<(usize, usize, i64), Channel>,
    pub files: BTreeMap<String, Saved>,
    pub expected: Vec<Expected>,
    /// Whether this is a reference, which may say what it expects.
    pub reference: bool,
    /// What leads to the other ranks, where this world is one rank's own and the others are elsewhere.
    pub wire: Option<Wire>,
    /// Seconds of real time. With it, a rank's log has the time that its program takes instead of its tensors' FLOPs.
    pub clock: Option<fn() -> f64>,
}

pub(crate) fn told(verdict: Verdict, sentence: String, at: &[(usize, u32)]) -> Fault {
    let at = at.iter().map(|(rank, line)| At { rank: *rank, line: *line }).collect();
    Fault::Stop(Diagnosis { verdict, sentence, at })
}

impl Called {
    /// In words: `all_reduce on 8 elements`.
    fn in_words(&self) -> String {
        let root = self.root.map(|r| format!(" with root {r}")).unwrap_or_default();
        match self.call.as_str() {
            "barrier" => "barrier".to_owned(),
            call => {
                let reduce = if self.reduce.is_empty() || self.reduce == "sum" {
                    String::new()
                } else {
                    format!(" ({})", self.reduce)
                };
                let n = self.elements;
                let dtype = if self.dtype == DType::F32 { String::new() } else { format!(" {}", self.dtype.name()) };
                format!("{call}{reduce}{root} on {}{dtype} element{}", grouped(n as u64), if n == 1 { "" } else { "s" })
            }
        }
    }

    /// Stops the run where two ranks, each at its line, call something else as the same collective.
    pub fn same(&self, at: (usize, u32), other: &Self, then: (usize, u32)) -> Result<(), Fault> {
        if self == other {
            return Ok(());
        }
        let (first, mine) = (self.in_words(), other.in_words());
        Err(told(
            Verdict::Mismatch,
            format!(
                "Rank {} calls {first} at line {}, but rank {} calls {mine} at line {}. Every rank of a group must \
                 call the same collectives in the same order, with the same sizes.",
                at.0, at.1, then.0, then.1
            ),
            &[at, then],
        ))
    }

    /// Two elements put together as its reduction does; an average is divided at the end.
    pub fn combine(&self, a: f32, b: f32) -> f32 {
        match self.reduce.as_str() {
            "max" => a.max(b),
            "min" => a.min(b),
            "product" => a * b,
            _ => a + b,
        }
    }
}

impl<'a> World<'a> {
    pub fn new(job: &'a Job, size: usize, files: BTreeMap<String, Saved>, reference: bool) -> Self {
        let seat = |_: usize| Seat {
            tensors: BTreeMap::new(),
            works: BTreeMap::new(),
            busy: Vec::new(),
            next: 1,
            orders: 0,
            log: Vec::new(),
            line: 0,
            calls: 0,
            flops: 0.0,
            sent: 0,
            peak: 0,
            last: [0; KINDS],
            stale: 0,
            random: Stream::new(job.seed),
            groups: BTreeMap::new(),
            submitted: Vec::new(),
            dead: false,
            since: 0.0,
        };
        let all = Group { ranks: (0..size).collect(), ..Group::default() };
        Self {
            job,
            size,
            seats: (0..if reference { 1 } else { size }).map(seat).collect(),
            transfers: Vec::new(),
            groups: vec![all],
            channels: BTreeMap::new(),
            files,
            expected: Vec::new(),
            reference,
            wire: None,
            clock: None,
        }
    }

    /// Notes that a rank's program goes on now.
    pub fn goes_on(&mut self, rank: usize) {
        if let (Some(clock), Some(seat)) = (self.clock, self.seats.get_mut(rank)) {
            seat.since = clock();
        }
    }

    /// Logs what a rank's program has taken since it went on, where the world has a clock.
    pub fn took(&mut self, rank: usize) {
        if let (Some(clock), Some(seat)) = (self.clock, self.seats.get_mut(rank)) {
            let now = clock();
            let flops = (now - seat.since).max(0.0) * self.job.machine.peak;
            seat.since = now;
            seat.log.push(Op::Compute { flops, line: seat.line, label: "compute".to_owned() });
        }
    }

    /// Whether a rank waits for nothing more.
    pub fn ready(&self, rank: usize, block: &Block) -> bool {
        block.transfers.iter().all(|t| self.transfers.get(*t).is_none_or(|t| t.done_for(rank)))
    }

    /// Ranks that a blocked rank waits for.
    pub fn waits_on(&self, rank: usize, block: &Block) -> Vec<usize> {
        let open = block.transfers.iter().filter_map(|t| Some((*t, self.transfers.get(*t)?)));
        let missing = |(at, transfer): (usize, &Transfer)| {
            let steps = self.wire.as_ref().and_then(|wire| wire.awaits(at));
            steps.unwrap_or_else(|| transfer.missing())
        };
        let on: BTreeSet<usize> =
            open.filter(|(_, t)| !t.done_for(rank)).flat_map(missing).filter(|r| *r != rank).collect();
        on.into_iter().collect()
    }

    /// A dead rank without which a blocked one can't go on.
    pub fn bereaved(&self, rank: usize, block: &Block) -> Option<usize> {
        self.gone(&self.waits_on(rank, block))
    }

    /// What a rank's tensors take, by kind.
    pub fn held(&self, rank: usize) -> [u64; KINDS] {
        let mut bytes = [0; KINDS];
        let mut seen: BTreeSet<*const Storage> = BTreeSet::new();
        let Some(seat) = self.seats.get(rank) else { return bytes };
        for tensor in seat.tensors.values().chain(seat.busy.iter().map(|(t, _)| t)) {
            if seen.insert(Rc::as_ptr(&tensor.storage)) {
                let kind = tensor.storage.kind.get();
                let at = Kind::ALL.iter().position(|k| *k == kind).unwrap_or(KINDS - 1);
                if let Some(slot) = bytes.get_mut(at) {
                    *slot += tensor.storage.bytes();
                }
            }
        }
        bytes
    }

    /// Notes what a rank holds, by kind, if it changed.
    pub fn note(&mut self, rank: usize, line: u32, bytes: [u64; KINDS]) {
        if let Some(seat) = self.seats.get_mut(rank)
            && bytes != seat.last
        {
            seat.last = bytes;
            seat.peak = seat.peak.max(bytes.iter().sum());
            seat.log.push(Op::Memory { line, bytes });
        }
    }

    /// Stops a program that uses a tensor which a message is still reading or writing.
    pub fn free_to(&self, rank: usize, tensor: &Tensor, line: u32, write: bool) -> Result<(), Fault> {
        let Some(seat) = self.seats.get(rank) else { return Ok(()) };
        let clash = seat.busy.iter().find(|(held, busy)| (write || busy.writes) && overlap(held, tensor));
        let Some((_, busy)) = clash else { return Ok(()) };
        let (does, doing) = match (write, busy.writes) {
            (true, true) => ("overwrites", "writing"),
            (true, false) => ("overwrites", "reading"),
            _ => ("reads", "writing"),
        };
        let call = busy.call;
        Err(told(
            Verdict::Race,
            format!(
                "Rank {rank} {does} a tensor at line {line} while the {call} from line {} may still be {doing} it. Call wait() \
                 on that handle first.",
                busy.line
            ),
            &[(rank, line), (rank, busy.line)],
        ))
    }

    pub fn post(&mut self, transfer: usize, rank: usize, line: u32) {
        self.took(rank);
        if let Some(transfer) = self.transfers.get_mut(transfer) {
            transfer.posts.push((rank, line));
        }
        if let Some(seat) = self.seats.get_mut(rank) {
            seat.log.push(Op::Post { transfer });
        }
    }

    /// The next number of a rank's communication.
    pub fn order(&mut self, rank: usize) -> u64 {
        self.seats.get_mut(rank).map_or(0, |seat| {
            seat.orders += 1;
            seat.orders
        })
    }

    pub fn gone(&self, ranks: &[usize]) -> Option<usize> {
        ranks.iter().copied().find(|r| self.seats.get(*r).is_some_and(|s| s.dead))
    }

    /// One side of a message: its transfer.
    ///
    /// # Errors
    /// If the other rank is none, dead, or its message has another size.
    pub fn message(
        &mut self,
        rank: usize,
        line: u32,
        call: &'static str,
        peer: i64,
        tag: i64,
        tensor: &Tensor,
    ) -> Result<usize, Fault> {
        let sends = call.ends_with("send");
        let Some(peer) = usize::try_from(peer).ok().filter(|p| *p < self.size) else {
            return Err(Fault::Raise(
                monty_types::ExcType::ValueError,
                format!("{call}: there is no rank {peer}; ranks run from 0 to {}", self.size - 1),
            ));
        };
        if peer == rank {
            return Err(Fault::Raise(
                monty_types::ExcType::ValueError,
                format!("{call}: rank {rank} can't exchange messages with itself"),
            ));
        }
        if let Some(dead) = self.gone(&[peer]) {
            return Err(format!("{call}: rank {dead} is gone").into());
        }
        self.free_to(rank, tensor, line, !sends)?;
        let (from, to) = if sends { (rank, peer) } else { (peer, rank) };
        let order = self.order(rank);
        let next = self.transfers.len();
        let channel = self.channels.entry((from, to, tag)).or_default();
        let waiting = if sends {
            channel.awaited.front().map(|a| (a.transfer, a.into.numel(), a.into.dtype()))
        } else {
            channel.sent.front().map(|s| (s.transfer, s.values.len(), s.dtype))
        };
        if let Some((other, n, dtype)) = waiting {
            let other_line = self.transfers.get(other).and_then(|t| t.line_of(peer)).unwrap_or(0);
            if n != tensor.numel() || dtype != tensor.dtype() {
                let mine = (rank, line, tensor.numel(), tensor.dtype());
                let its = (peer, other_line, n, dtype);
                let ((from, at, n, d), (to, then, m, e)) = if sends { (mine, its) } else { (its, mine) };
                let kinds =
                    if d == e { [String::new(), String::new()] } else { [d, e].map(|d| format!(" {}", d.name())) };
                return Err(told(
                    Verdict::Mismatch,
                    format!(
                        "Rank {from} sends {}{} elements at line {at}, but rank {to} receives into a tensor of {}{} elements at \
                         line {then}. Both tensors need the same size and type.",
                        grouped(n as u64),
                        kinds[0],
                        grouped(m as u64),
                        kinds[1]
                    ),
                    &[(from, at), (to, then)],
                ));
            }
        }
        let transfer = waiting.map_or(next, |(t, ..)| t);
        if transfer == next {
            let bytes = tensor.bytes();
            let eager = bytes <= self.job.machine.buffer;
            let what = What::Message { from, to, eager };
            self.transfers.push(Transfer { what, bytes, posts: Vec::new(), done: false });
        }
        self.post(transfer, rank, line);
        if let Some(wire) = self.wire.as_mut().filter(|wire| wire.rank == rank) {
            wire.out.push((peer, Packet::message(sends, tag, line, tensor)));
        }
        let channel = self.channels.entry((from, to, tag)).or_default();
        let landed = if sends {
            let sent = Sent { transfer, values: tensor.values(), dtype: tensor.dtype() };
            match channel.awaited.pop_front() {
                Some(awaited) => Some((sent, awaited)),
                None => {
                    channel.sent.push_back(sent);
                    None
                }
            }
        } else {
            let awaited = Awaited { transfer, into: tensor.clone(), order, line };
            match channel.sent.pop_front() {
                Some(sent) => Some((sent, awaited)),
                None => {
                    channel.awaited.push_back(awaited);
                    None
                }
            }
        };
        if let Some((sent, awaited)) = landed {
            awaited.into.write(&sent.values);
            awaited.into.storage.after.set(Some(After { order: awaited.order, line: awaited.line, call: "recv" }));
            if let Some(transfer) = self.transfers.get_mut(transfer) {
                transfer.done = true;
            }
        }
        if sends && let Some(seat) = self.seats.get_mut(rank) {
            seat.sent += tensor.bytes();
        }
        Ok(transfer)
    }

    /// A group of these ranks, the same for all of them: the nth that a rank makes is the nth of the others.
    pub fn group(&mut self, rank: usize, mut ranks: Vec<usize>) -> usize {
        ranks.sort_unstable();
        ranks.dedup();
        let nth = self.seats.get_mut(rank).map_or(0, |seat| {
            let count = seat.groups.entry(ranks.clone()).or_default();
            *count += 1;
            *count
        });
        let found = self.groups.iter().enumerate().skip(1).filter(|(_, g)| g.ranks == ranks).nth(nth - 1);
        if let Some((at, _)) = found {
            return at;
        }
        self.groups.push(Group { ranks, ..Group::default() });
        self.groups.len() - 1
    }

    /// One side of a collective: its transfer. `elements` is what all ranks must agree on, `whole` the bytes of the whole buffer.
    ///
    /// # Errors
    /// If the rank is not in the group, one of the group is dead, or another rank has called something else.
    #[expect(clippy::too_many_arguments, reason = "what a collective is told")]
    pub fn collective(
        &mut self,
        group: usize,
        call: &'static str,
        root: Option<usize>,
        reduce: &str,
        dtype: DType,
        elements: usize,
        whole: u64,
        side: Side,
    ) -> Result<usize, Fault> {
        let (rank, line) = (side.rank, side.line);
        let ranks = self.groups.get(group).map(|g| g.ranks.clone()).unwrap_or_default();
        if !ranks.contains(&rank) {
            return Err(Fault::Raise(
                monty_types::ExcType::ValueError,
                format!("{call}: rank {rank} is not in this group, which has ranks {}", shown(&ranks)),
            ));
        }
        // Over a wire the call begins, so that the others hear that this rank gives up.
        if let Some(dead) = self.gone(&ranks).filter(|_| self.wire.is_none()) {
            return Err(format!("{call}: rank {dead} is gone").into());
        }
        let next = self.transfers.len();
        let Some(state) = self.groups.get_mut(group) else { return Err("this group is gone".into()) };
        let count = state.counts.entry(rank).or_default();
        let index = *count;
        *count += 1;
        let mine = Called { call: call.to_owned(), root, reduce: reduce.to_owned(), dtype, elements };
        if self.wire.is_some() {
            return self.by_wire(group, index, call, mine, whole, side);
        }
        let gathering = state.open.entry(index).or_insert_with(|| Gathering {
            call,
            called: mine.clone(),
            transfer: next,
            sides: Vec::new(),
        });
        let first = gathering.sides.first().map_or((rank, line), |s| (s.rank, s.line));
        gathering.called.same(first, &mine, (rank, line))?;
        let transfer = gathering.transfer;
        if transfer == next {
            let what = What::Collective { call, ranks: ranks.clone(), root: root.unwrap_or(0) };
            self.transfers.push(Transfer { what, bytes: whole, posts: Vec::new(), done: false });
        }
        gathering.sides.push(side);
        let full = gathering.sides.len() == ranks.len();
        let done = if full { state.open.remove(&index) } else { None };
        self.post(transfer, rank, line);
        if let Some(seat) = self.seats.get_mut(rank) {
            seat.sent += sends(call, root, rank, &ranks, whole);
        }
        if let Some(mut gathering) = done {
            gathering.sides.sort_by_key(|side| ranks.iter().position(|r| *r == side.rank));
            uneven(&gathering)?;
            land(&gathering, &ranks);
            if let Some(transfer) = self.transfers.get_mut(transfer) {
                transfer.done = true;
            }
        }
        Ok(transfer)
    }

    /// What nobody answers once every rank has ended: a message or a collective.
    pub fn left_over(&self) -> Option<Diagnosis> {
        let open = self.transfers.iter().find(|t| !t.done && self.gone(&t.members()).is_none())?;
        let (rank, line) = *open.posts.first()?;
        let at = vec![At { rank, line }];
        let (verdict, sentence) = match &open.what {
            What::Message { from, to, .. } if *from == rank => (
                Verdict::Unreceived,
                format!(
                    "Rank {from} sends {} to rank {to} at line {line}, but rank {to} never receives it. Every send needs a recv.",
                    bytes_decimal(open.bytes as f64)
                ),
            ),
            What::Message { from, to, .. } => (
                Verdict::Unreceived,
                format!(
                    "Rank {to} posts a receive from rank {from} at line {line}, but rank {from} never sends. Every recv needs a send."
                ),
            ),
            What::Collective { call, .. } => {
                let missing = open.missing();
                (
                    Verdict::Mismatch,
                    format!(
                        "Rank {rank} calls {call} at line {line}, but {} never {}. Every rank of a group must call it.",
                        rank_list(&missing),
                        if missing.len() == 1 { "does" } else { "do" }
                    ),
                )
            }
        };
        Some(Diagnosis { verdict, sentence, at })
    }
}

/// Bytes that a rank sends in a collective by a ring, of a buffer of `whole` bytes.
pub(crate) fn sends(call: &str, root: Option<usize>, rank: usize, ranks: &[usize], whole: u64) -> u64 {
    let n = ranks.len() as u64;
    if n < 2 {
        return 0;
    }
    let after = |root: usize| {
        let place = |r: usize| ranks.iter().position(|x| *x == r).unwrap_or(0);
        (place(rank) + ranks.len() - place(root)) % ranks.len()
    };
    match call {
        "barrier" => 0,
        // A chain from the root, or to it: the one at its end sends nothing.
        "broadcast" => {
            if after(root.unwrap_or(0)) + 1 == ranks.len() {
                0
            } else {
                whole
            }
        }
        "reduce" => {
            if after(root.unwrap_or(0)) == 0 {
                0
            } else {
                whole
            }
        }
        "all_reduce" => 2 * whole * (n - 1) / n,
        _ => whole * (n - 1) / n,
    }
}

fn overlap(a: &Tensor, b: &Tensor) -> bool {
    if !Rc::ptr_eq(&a.storage, &b.storage) || a.numel() == 0 || b.numel() == 0 {
        return false;
    }
    if a.contiguous() && b.contiguous() {
        return a.offset < b.offset + b.numel() && b.offset < a.offset + a.numel();
    }
    let places: BTreeSet<usize> = a.places().into_iter().collect();
    b.places().iter().any(|p| places.contains(p))
}

/// Refuses an all-to-all in which a rank makes room for another number of elements than it gets.
fn uneven(gathering: &Gathering) -> Result<(), Fault> {
    if gathering.call != "all_to_all" {
        return Ok(());
    }
    for (from, sender) in gathering.sides.iter().enumerate() {
        for (to, receiver) in gathering.sides.iter().enumerate() {
            let sent = sender.input.get(to).map_or(0, Vec::len);
            let room = receiver.output.get(from).map_or(0, Tensor::numel);
            fits_in((sender.rank, sender.line), sent, (receiver.rank, receiver.line), room)?;
        }
    }
    Ok(())
}

/// Refuses a part of an all-to-all for which its receiver makes another room; both with their lines.
pub(crate) fn fits_in(from: (usize, u32), sent: usize, to: (usize, u32), room: usize) -> Result<(), Fault> {
    if sent == room {
        return Ok(());
    }
    let sentence = format!(
        "In the all_to_all, rank {} sends rank {} {} elements at line {}, but rank {} makes room for {} at line {}. \
         What one sends, the other must expect.",
        from.0,
        to.0,
        grouped(sent as u64),
        from.1,
        to.0,
        grouped(room as u64),
        to.1
    );
    Err(told(Verdict::Mismatch, sentence, &[from, to]))
}

/// Gives every rank what a collective brings it.
fn land(gathering: &Gathering, ranks: &[usize]) {
    let Gathering { call, called, sides, .. } = gathering;
    let call = *call;
    let fold = |pick: &dyn Fn(&Side) -> Vec<f32>| {
        let mut parts = sides.iter().map(pick);
        let mut sum = parts.next().unwrap_or_default();
        for part in parts {
            for (a, b) in sum.iter_mut().zip(part) {
                *a = called.combine(*a, b);
            }
        }
        if called.reduce == "avg" {
            for a in &mut sum {
                *a /= sides.len() as f32;
            }
        }
        sum
    };
    let first = |side: &Side| side.input.first().cloned().unwrap_or_default();
    let root = called.root.and_then(|root| ranks.iter().position(|r| *r == root)).unwrap_or(0);
    let summed = matches!(call, "all_reduce" | "reduce").then(|| fold(&first));
    for (place, side) in sides.iter().enumerate() {
        let results: Vec<Vec<f32>> = match call {
            "all_reduce" => summed.iter().cloned().collect(),
            "reduce" if place == root => summed.iter().cloned().collect(),
            // Only the root gets the result, so whoever submits this tensor elsewhere is told of the call.
            "reduce" => {
                for output in &side.output {
                    let after = After { order: side.order, line: side.line, call: "reduce to another rank" };
                    output.storage.after.set(Some(after));
                }
                Vec::new()
            }
            "broadcast" => sides.get(root).map(first).into_iter().collect(),
            "reduce_scatter" => vec![fold(&|s: &Side| s.input.get(place).cloned().unwrap_or_default())],
            "all_gather" => sides.iter().map(first).collect(),
            "all_to_all" => sides.iter().map(|s| s.input.get(place).cloned().unwrap_or_default()).collect(),
            _ => Vec::new(),
        };
        for (output, values) in side.output.iter().zip(results) {
            output.write(&values);
            let after = After { order: side.order, line: side.line, call };
            output.storage.after.set(Some(after));
        }
    }
}
