//! When everything happened.
//!
//! What a rank computes never depends on the time, so its log is played afterward: computing takes FLOPs over the peak; a message
//! takes α and its bytes over the bandwidth, once both ends of the way are free; a collective takes what [`ringside_core::network`]
//! says, once every rank of its group has called it. Of what could start, what was ready first goes first.

use ringside_core::collective::schedule::Schedule;
use ringside_core::collective::{Algo, Op as Collective};
use ringside_core::network::{Fabric, time};
use ringside_core::program::{
    Collective as Call, Event, EventKind, KINDS, Machine, MemoryPoint, Message, Printed, Rank, Run, State, Totals,
    operation,
};

use crate::world::{Op, Seat, Transfer, What, sends};

/// Most events of a rank, and most messages of a run, that are kept.
const MOST: usize = 20_000;

struct Lane {
    at: usize,
    clock: f64,
    rank: Rank,
}

#[derive(Clone)]
struct Flight {
    /// When each member called.
    posted: Vec<(usize, f64)>,
    ready: Option<f64>,
    span: Option<(f64, f64)>,
}

/// Seconds that a collective takes, and the operation that it is.
fn seconds(call: &str, ranks: &[usize], bytes: u64, machine: &Machine) -> (f64, Option<Collective>) {
    let found = operation(call);
    let op = found.unwrap_or(Collective::AllReduce);
    let algo = if op == Collective::AllToAll { Algo::Direct } else { Algo::Ring };
    let node = machine.node.max(1);
    let inside = ranks.iter().all(|r| r / node == ranks.first().copied().unwrap_or(0) / node);
    let stride = match ranks {
        [a, b, ..] => b - a,
        _ => 1,
    };
    let regular = ranks.windows(2).all(|w| matches!(w, [a, b] if b - a == stride));
    let fabric: Fabric = if inside {
        Machine { node: ranks.len().max(1), ..*machine }.fabric()
    } else if regular {
        machine.fabric().every(stride)
    } else {
        machine.fabric()
    };
    let took = time(op, algo, ranks.len(), bytes as f64, &fabric).unwrap_or(0.0);
    (took, found)
}

/// Plays the logs.
pub(crate) fn play(seats: &[Seat], transfers: &[Transfer], states: Vec<State>, machine: &Machine) -> Run {
    let n = seats.len();
    let empty = MemoryPoint { time: 0.0, line: 0, bytes: [0; KINDS] };
    let mut lanes: Vec<Lane> = states
        .into_iter()
        .zip(seats)
        .map(|(state, seat)| {
            let rank = Rank {
                events: Vec::new(),
                memory: vec![empty],
                peak: empty,
                sent: seat.sent,
                flops: seat.flops,
                calls: seat.calls,
                printed: Vec::new(),
                submitted: seat.submitted.iter().map(|(s, ..)| s.clone()).collect(),
                state,
                end: 0.0,
            };
            Lane { at: 0, clock: 0.0, rank }
        })
        .collect();
    let mut flights = vec![Flight { posted: Vec::new(), ready: None, span: None }; transfers.len()];
    // When each rank's way out and way in are free.
    let (mut out, mut into) = (vec![0.0_f64; n], vec![0.0_f64; n]);
    let mut run = Run::default();
    let mut waiting: Vec<usize> = Vec::new();
    loop {
        for (rank, lane) in lanes.iter_mut().enumerate() {
            let Some(seat) = seats.get(rank) else { continue };
            while let Some(op) = seat.log.get(lane.at) {
                if !step(op, rank, lane, transfers, &mut flights, &mut waiting, machine, &mut run.cut) {
                    break;
                }
                lane.at += 1;
            }
        }
        let ready = |t: &usize| flights.get(*t).and_then(|f| f.ready).unwrap_or(f64::INFINITY);
        let first = waiting.iter().enumerate().min_by(|a, b| ready(a.1).total_cmp(&ready(b.1)).then(a.1.cmp(b.1)));
        let Some((place, transfer)) = first.map(|(p, t)| (p, *t)) else { break };
        waiting.swap_remove(place);
        start(transfer, transfers, &mut flights, &mut out, &mut into, machine, &mut lanes, &mut run);
    }
    for (rank, lane) in lanes.iter_mut().enumerate() {
        // A wait that never ended.
        if let Some(Op::Wait { line, label, kind, peer, bytes, .. }) = seats.get(rank).and_then(|s| s.log.get(lane.at))
        {
            let event = Event {
                kind: *kind,
                line: *line,
                start: lane.clock,
                end: lane.clock,
                stream: false,
                label: label.clone(),
                peer: *peer,
                bytes: *bytes,
                flops: 0.0,
                hangs: true,
            };
            lane.rank.events.push(event);
        }
        lane.rank.end = lane.clock;
    }
    // A message that nobody waits for may arrive after the last program has ended.
    let landed = flights.iter().filter_map(|f| f.span).map(|(_, end)| end);
    let end = lanes.iter().map(|l| l.clock).chain(landed).fold(0.0, f64::max);
    for lane in &mut lanes {
        for event in &mut lane.rank.events {
            if event.hangs {
                event.end = end.max(event.start);
            }
        }
        lane.rank.events.sort_by(|a, b| a.start.total_cmp(&b.start));
    }
    run.messages.sort_by(|a, b| a.start.total_cmp(&b.start));
    run.ranks = lanes.into_iter().map(|l| l.rank).collect();
    run.totals = Totals {
        time: end,
        memory: run.ranks.iter().map(|r| r.peak.total()).max().unwrap_or(0),
        bytes: run.ranks.iter().map(|r| r.sent).max().unwrap_or(0),
        bytes_total: run.ranks.iter().map(|r| r.sent).sum(),
        flops: run.ranks.iter().map(|r| r.flops).sum(),
    };
    run
}

fn add(rank: &mut Rank, event: Event, cut: &mut bool) {
    if rank.events.len() < MOST {
        rank.events.push(event);
    } else {
        *cut = true;
    }
}

/// Plays one entry of a log. False if the rank waits there.
#[expect(clippy::too_many_arguments, reason = "one step of a simulation over its state")]
fn step(
    op: &Op,
    rank: usize,
    lane: &mut Lane,
    transfers: &[Transfer],
    flights: &mut [Flight],
    waiting: &mut Vec<usize>,
    machine: &Machine,
    cut: &mut bool,
) -> bool {
    match op {
        Op::Compute { flops, line, label } => {
            let start = lane.clock;
            lane.clock += flops / machine.peak;
            // What one line computes in a row is one bar.
            if let Some(last) = lane.rank.events.last_mut()
                && last.kind == EventKind::Compute
                && last.line == *line
                && last.label == *label
                && last.end == start
            {
                last.end = lane.clock;
                last.flops += flops;
            } else if lane.clock > start {
                let event = Event {
                    kind: EventKind::Compute,
                    line: *line,
                    start,
                    end: lane.clock,
                    stream: false,
                    label: label.clone(),
                    peer: None,
                    bytes: 0,
                    flops: *flops,
                    hangs: false,
                };
                add(&mut lane.rank, event, cut);
            }
        }
        Op::Memory { line, bytes } => {
            let point = MemoryPoint { time: lane.clock, line: *line, bytes: *bytes };
            if point.total() > lane.rank.peak.total() {
                lane.rank.peak = point;
            }
            if lane.rank.memory.len() < MOST {
                lane.rank.memory.push(point);
            } else {
                *cut = true;
            }
        }
        Op::Print(text) => lane.rank.printed.push(Printed { time: lane.clock, text: text.clone() }),
        Op::Post { transfer } => {
            let (Some(flight), Some(of)) = (flights.get_mut(*transfer), transfers.get(*transfer)) else { return true };
            flight.posted.push((rank, lane.clock));
            let early = matches!(of.what, What::Message { from, eager: true, .. } if from == rank);
            let all = flight.posted.len() == of.members().len();
            if flight.ready.is_none() && (early || all) {
                let eager = matches!(of.what, What::Message { eager: true, .. });
                let sender = match of.what {
                    What::Message { from, .. } => flight.posted.iter().find(|(r, _)| *r == from).map(|(_, t)| *t),
                    What::Collective { .. } => None,
                };
                let latest = flight.posted.iter().map(|(_, t)| *t).fold(0.0, f64::max);
                flight.ready = Some(if eager { sender.unwrap_or(latest) } else { latest });
                waiting.push(*transfer);
            }
        }
        Op::Wait { transfers: on, line, label, kind, peer, bytes } => {
            let mut end = lane.clock;
            for t in on {
                let (Some(flight), Some(of)) = (flights.get(*t), transfers.get(*t)) else { continue };
                if matches!(of.what, What::Message { from, eager: true, .. } if from == rank) {
                    continue;
                }
                let Some((_, done)) = flight.span else { return false };
                end = end.max(done);
            }
            if end > lane.clock || *kind != EventKind::Wait {
                let event = Event {
                    kind: *kind,
                    line: *line,
                    start: lane.clock,
                    end,
                    stream: false,
                    label: label.clone(),
                    peer: *peer,
                    bytes: *bytes,
                    flops: 0.0,
                    hangs: false,
                };
                add(&mut lane.rank, event, cut);
            }
            lane.clock = end;
        }
    }
    true
}

/// Starts what is ready and says when it ends.
#[expect(clippy::too_many_arguments, reason = "one step of a simulation over its state")]
fn start(
    at: usize,
    transfers: &[Transfer],
    flights: &mut [Flight],
    out: &mut [f64],
    into: &mut [f64],
    machine: &Machine,
    lanes: &mut [Lane],
    run: &mut Run,
) {
    let (Some(flight), Some(of)) = (flights.get_mut(at), transfers.get(at)) else { return };
    let ready = flight.ready.unwrap_or(0.0);
    let line = |rank: usize| of.line_of(rank).unwrap_or(0);
    let (start, end) = match &of.what {
        What::Message { from, to, .. } => {
            let (Some(leaves), Some(enters)) = (out.get_mut(*from), into.get_mut(*to)) else { return };
            let wire = machine.wire(*from, *to);
            let start = ready.max(*leaves).max(*enters);
            let busy = of.bytes as f64 / wire.bandwidth;
            *leaves = start + busy;
            *enters = start + busy;
            let end = start + wire.latency + busy;
            let message =
                Message { from: *from, to: *to, bytes: of.bytes, start, end, line: line(*from), collective: None };
            if run.messages.len() < MOST {
                run.messages.push(message)
            } else {
                run.cut = true
            }
            (start, end)
        }
        What::Collective { call, ranks, root } => {
            let free = ranks.iter().flat_map(|r| [out.get(*r), into.get(*r)]).flatten().fold(ready, |t, f| t.max(*f));
            let (took, op) = seconds(call, ranks, of.bytes, machine);
            let end = free + took;
            for rank in ranks {
                if let (Some(leaves), Some(enters)) = (out.get_mut(*rank), into.get_mut(*rank)) {
                    *leaves = end;
                    *enters = end;
                }
            }
            if run.collectives.len() >= MOST {
                run.cut = true;
            } else if let Some(op) = op {
                let number = run.collectives.len();
                run.collectives.push(Call {
                    call: (*call).to_owned(),
                    ranks: ranks.clone(),
                    bytes: of.bytes,
                    sent: ranks.iter().map(|rank| sends(call, Some(*root), *rank, ranks, of.bytes)).max().unwrap_or(0),
                    called: ready,
                    start: free,
                    end,
                });
                hops(op, ranks, *root, of, (free, end, number), machine, run);
            }
            (free, end)
        }
    };
    flight.span = Some((start, end));
    for rank in of.members() {
        let Some(lane) = lanes.get_mut(rank) else { continue };
        let peer = match &of.what {
            What::Message { from, to, .. } => Some(if *from == rank { *to } else { *from }),
            What::Collective { .. } => None,
        };
        let kind = match &of.what {
            What::Message { from, .. } if *from == rank => EventKind::Send,
            What::Message { .. } => EventKind::Recv,
            What::Collective { .. } => EventKind::Collective,
        };
        let event = Event {
            kind,
            line: line(rank),
            start,
            end,
            stream: true,
            label: of.what.label().to_owned(),
            peer,
            bytes: of.bytes,
            flops: 0.0,
            hangs: false,
        };
        add(&mut lane.rank, event, &mut run.cut);
    }
}

/// The messages of a collective, spread evenly over its time.
fn hops(
    op: Collective,
    ranks: &[usize],
    root: usize,
    of: &Transfer,
    (start, end, number): (f64, f64, usize),
    machine: &Machine,
    run: &mut Run,
) {
    let n = ranks.len();
    let algo = if op == Collective::AllToAll { Algo::Direct } else { Algo::Ring };
    let Ok(schedule) = Schedule::new(op, algo, n, machine.node.max(1)) else { return };
    let turn = match op {
        Collective::Broadcast | Collective::Reduce => ranks.iter().position(|r| *r == root).unwrap_or(0),
        _ => 0,
    };
    let chunk = match op {
        Collective::AllToAll => of.bytes / n as u64,
        _ => of.bytes / op.chunks(n).max(1) as u64,
    };
    let steps = schedule.steps.len().max(1) as f64;
    for (i, step) in schedule.steps.iter().enumerate() {
        let at = |i: usize| start + (end - start) * i as f64 / steps;
        let mut pairs: std::collections::BTreeMap<(u8, u8), u64> = std::collections::BTreeMap::new();
        for transfer in &step.transfers {
            *pairs.entry((transfer.from, transfer.to)).or_default() += chunk;
        }
        for ((from, to), bytes) in pairs {
            if run.messages.len() >= MOST {
                run.cut = true;
                return;
            }
            let rank = |place: u8| ranks.get((usize::from(place) + turn) % n).copied().unwrap_or(0);
            let (from, to) = (rank(from), rank(to));
            let line = of.line_of(from).unwrap_or(0);
            run.messages.push(Message {
                from,
                to,
                bytes,
                start: at(i),
                end: at(i + 1),
                line,
                collective: Some(number),
            });
        }
    }
}
