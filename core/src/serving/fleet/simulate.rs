//! Event by event: turns come, steps end, caches arrive, a replica dies and comes back.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::router::{Router, Signal};
use super::{Params, Session};
use crate::serving::requests::Request;
use crate::serving::result::percentile;
use crate::serving::scheduler::{Batch, Policy as Batching, Rules, Scheduler};
use crate::serving::step::Engine;

/// The most that all steps of a run may do: one for each request of each step, and for so many blocks of the cache.
const BUDGET: usize = 200_000;
/// Blocks of the cache that take as long to handle as a request of a step.
const BLOCKS_OF_A_REQUEST: usize = 32;
/// Most blocks that are simulated, of all replicas together.
const MOST_BLOCKS: u64 = 1 << 18;
/// Pieces of a drawn lane.
const PIECES: usize = 96;

/// What a replica does for a while, in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Steps with prompts for most of its time, with so many quarters of the most requests that any replica has, 1 to 4.
    Prompts(u8),
    /// Steps that only decode, likewise.
    Decoding(u8),
    /// It is dead.
    Down,
}

/// A stretch of time in which a replica does one thing; what lies between is idle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Its beginning, in seconds.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// What is done.
    pub what: What,
}

/// A turn of a session, and what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Asked {
    /// The session.
    pub session: usize,
    /// Which of its turns, from 0.
    pub turn: usize,
    /// When it came, and its tokens.
    pub request: Request,
    /// Tokens of its prompt that were in the cache of the replica that computed the rest.
    pub hit: Option<u64>,
    /// When the first token of the answer was there that was finished.
    pub first: Option<f64>,
    /// When the last one was.
    pub end: Option<f64>,
    /// How often it was sent anew because its replica had died.
    pub retries: u32,
    /// The replica that computes its prompt.
    pub prefilled: usize,
    /// The replica that decodes it.
    pub decoded: usize,
}

/// What comes of a fleet at work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// All turns, in the order in which they came.
    pub asked: Vec<Asked>,
    /// Answers that were finished.
    pub answered: u64,
    /// Seconds of steps, of each replica.
    pub busy: Vec<f64>,
    /// Prompt tokens that steps computed, those of lost requests and of preempted ones included.
    pub prefilled: u64,
    /// Tokens of answers that were lost with a replica.
    pub lost: u64,
    /// Seconds that each cache took from one pool to the other.
    pub transfers: Vec<f64>,
    /// How often a request lost its blocks because memory ran out.
    pub preempted: u64,
    /// Seconds until the last answer was finished.
    pub end: f64,
    /// What each replica does over time.
    pub lanes: Vec<Vec<Piece>>,
}

impl Run {
    /// The time to the first token that the share `p` of all turns do not exceed, in seconds.
    pub fn first(&self, p: f64) -> f64 {
        percentile(self.asked.iter().filter_map(|a| Some(a.first? - a.request.arrival)), p)
    }

    fn sum(&self, of: impl Fn(&Asked) -> u64) -> f64 {
        self.asked.iter().map(of).sum::<u64>() as f64
    }

    /// Tokens of all prompts.
    pub fn prompts(&self) -> f64 {
        self.sum(|a| a.request.prompt)
    }

    /// Tokens of them that were in a cache.
    pub fn hits(&self) -> f64 {
        self.sum(|a| a.hit.unwrap_or(0))
    }

    /// The share of all prompt tokens that were in a cache.
    pub fn hit_rate(&self) -> f64 {
        self.hits() / self.prompts().max(1.0)
    }

    /// Tokens of answers per second, until the last one.
    pub fn throughput(&self) -> f64 {
        self.sum(|a| if a.end.is_some() { a.request.output } else { 0 }) / self.end.max(f64::MIN_POSITIVE)
    }

    /// Turns that were sent anew.
    pub fn retried(&self) -> f64 {
        self.sum(|a| u64::from(a.retries > 0))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Turn { session: usize, turn: usize },
    Step { replica: usize, life: u32 },
    Arrives { ask: usize, retries: u32 },
    Dies,
    Noticed,
    Back,
}

/// A request at a replica, with its number there; none while its cache is on the way, or if the replica is dead.
#[derive(Debug, Clone, Copy)]
struct Open {
    ask: usize,
    here: Option<usize>,
}

/// A step that has ended, for the drawing.
#[derive(Debug, Clone, Copy)]
struct Done {
    from: f64,
    to: f64,
    prompts: bool,
    open: f64,
}

struct Replica {
    scheduler: Scheduler,
    /// The request of the fleet that each of the scheduler's is.
    names: Vec<usize>,
    open: Vec<Open>,
    step: Option<(f64, Batch)>,
    /// How often it has died.
    life: u32,
    is_up: bool,
    /// The router sends requests to it.
    is_listed: bool,
    /// When its port is free to send.
    port: f64,
    done: Vec<Done>,
}

impl Replica {
    fn new(rules: Rules) -> Self {
        Self {
            scheduler: Scheduler::new(rules),
            names: Vec::new(),
            open: Vec::new(),
            step: None,
            life: 0,
            is_up: true,
            is_listed: true,
            port: 0.0,
            done: Vec::new(),
        }
    }
}

struct Simulation<'a> {
    p: &'a Params,
    engine: &'a Engine,
    sessions: &'a [Session],
    now: f64,
    events: BinaryHeap<Reverse<(u64, u64, Event)>>,
    numbered: u64,
    replicas: Vec<Replica>,
    /// Of the pool that computes prompts, and of the one that decodes where there is one.
    routers: [Router; 2],
    /// Requests that no replica of a pool is there for.
    waiting: Vec<(usize, usize)>,
    run: Run,
    left: usize,
}

/// Runs all sessions to their end; the last replica dies if `fails`.
///
/// # Errors
/// If a request could never end, or all of it is more than can be simulated here: a sentence.
pub fn run(p: &Params, engine: &Engine, sessions: &[Session], fails: bool) -> Result<Run, String> {
    let replicas = (0..p.replicas as usize).map(|r| Replica::new(p.rules(engine, sessions, r))).collect();
    let router = Router::new(p.policy, p.load, p.bound);
    let mut simulation = Simulation {
        p,
        engine,
        sessions,
        now: 0.0,
        events: BinaryHeap::new(),
        numbered: 0,
        replicas,
        routers: [router; 2],
        waiting: Vec::new(),
        run: Run::default(),
        left: BUDGET,
    };
    for (session, s) in sessions.iter().enumerate() {
        simulation.later(s.start, Event::Turn { session, turn: 0 });
    }
    if fails {
        simulation.later(p.dies, Event::Dies);
    }
    simulation.go()?;
    Ok(simulation.result())
}

impl Params {
    /// What the scheduler of a replica keeps to.
    fn rules(&self, engine: &Engine, sessions: &[Session], replica: usize) -> Rules {
        let fit = (engine.tokens_that_fit() / self.block as f64).floor() as u64;
        // A pool as large as everything that is ever put into it, twice because of retries, behaves like any larger one.
        let ever: u64 =
            sessions.iter().map(|s| s.requests().map(|r| (r.prompt + r.output) / self.block + 1).sum::<u64>()).sum();
        let split = self.prefill > 0;
        let decodes = split && replica >= self.prefill as usize;
        Rules {
            policy: if decodes { Batching::Disaggregated } else { Batching::Chunked },
            blocks: fit.min(2 * ever).min(MOST_BLOCKS / self.replicas.max(1)) as usize,
            block: self.block,
            seqs: self.seqs as usize,
            tokens: self.tokens,
            prefix: true,
        }
    }

    /// The replicas of a pool: 0 takes requests, 1 takes their caches.
    pub(super) fn pool(&self, pool: usize) -> Range<usize> {
        let (all, first) = (self.replicas as usize, self.prefill as usize);
        match (first, pool) {
            (0, _) => 0..all,
            (_, 0) => 0..first,
            _ => first..all,
        }
    }
}

impl Simulation<'_> {
    fn later(&mut self, at: f64, event: Event) {
        // Positive numbers are in the order of their bits.
        self.events.push(Reverse((at.max(0.0).to_bits(), self.numbered, event)));
        self.numbered += 1;
    }

    fn charge(&mut self, cost: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(cost).ok_or_else(|| {
            "That is too much to simulate here. Choose fewer sessions or turns, shorter answers, or larger blocks."
                .to_owned()
        })?;
        Ok(())
    }

    fn go(&mut self) -> Result<(), String> {
        let all: u64 = self.sessions.iter().map(|s| s.turns.len() as u64).sum();
        while self.run.answered < all
            && let Some(Reverse((at, _, event))) = self.events.pop()
        {
            self.now = f64::from_bits(at);
            self.happen(event)?;
            // What happens at one moment is seen before the next steps begin.
            if self.events.peek().is_none_or(|Reverse((next, ..))| *next != at) {
                for r in 0..self.replicas.len() {
                    self.start(r)?;
                }
            }
        }
        Ok(())
    }

    fn happen(&mut self, event: Event) -> Result<(), String> {
        let last = self.replicas.len().saturating_sub(1);
        match event {
            Event::Turn { session, turn } => {
                let Some(request) = self.sessions.get(session).and_then(|s| s.requests().nth(turn)) else {
                    return Ok(());
                };
                let request = Request { arrival: self.now, ..request };
                self.run.asked.push(Asked { session, turn, request, ..Asked::default() });
                self.route(self.run.asked.len() - 1, 0)
            }
            Event::Step { replica, life } => self.finish(replica, life),
            Event::Arrives { ask, retries } => self.receive(ask, retries),
            Event::Dies => {
                let down = self.p.down.max(0.0);
                self.later(self.now + self.p.detect.min(down), Event::Noticed);
                self.later(self.now + down, Event::Back);
                let rules = self.p.rules(self.engine, self.sessions, last);
                let Some(replica) = self.replicas.get_mut(last) else { return Ok(()) };
                for open in &mut replica.open {
                    let prompt = self.run.asked.get(open.ask).map_or(0, |a| a.request.prompt);
                    let tokens = open.here.take().map_or(0, |here| replica.scheduler.tokens(here));
                    self.run.lost += tokens.saturating_sub(prompt);
                }
                if let Some((from, _)) = replica.step.take() {
                    replica.done.push(Done { from, to: self.now, prompts: false, open: replica.open.len() as f64 });
                }
                replica.scheduler = Scheduler::new(rules);
                replica.names.clear();
                replica.life += 1;
                replica.is_up = false;
                Ok(())
            }
            Event::Noticed => {
                let Some(replica) = self.replicas.get_mut(last) else { return Ok(()) };
                replica.is_listed = false;
                for open in std::mem::take(&mut replica.open) {
                    if let Some(asked) = self.run.asked.get_mut(open.ask) {
                        asked.retries += 1;
                        (asked.hit, asked.first) = (None, None);
                    }
                    self.route(open.ask, 0)?;
                }
                Ok(())
            }
            Event::Back => {
                if let Some(replica) = self.replicas.get_mut(last) {
                    (replica.is_up, replica.is_listed) = (true, true);
                }
                for (ask, pool) in std::mem::take(&mut self.waiting) {
                    self.route(ask, pool)?;
                }
                Ok(())
            }
        }
    }

    fn signal(&self, r: usize, asked: &Asked) -> Signal {
        let Some(replica) = self.replicas.get(r) else { return Signal::default() };
        let mut signal = Signal { cached: replica.scheduler.holds(&asked.request, asked.session), ..Signal::default() };
        for open in &replica.open {
            let prompt = self.run.asked.get(open.ask).map_or(0, |a| a.request.prompt);
            signal.requests += 1;
            signal.tokens += open.here.map_or(prompt, |here| replica.scheduler.tokens(here));
            signal.queued += open.here.map_or(0, |here| replica.scheduler.prompt_left(here));
        }
        signal
    }

    /// Sends a request to a replica of a pool, as its router says.
    fn route(&mut self, ask: usize, pool: usize) -> Result<(), String> {
        let Some(asked) = self.run.asked.get(ask).copied() else { return Ok(()) };
        let listed: Vec<usize> =
            self.p.pool(pool).filter(|r| self.replicas.get(*r).is_some_and(|replica| replica.is_listed)).collect();
        let signals: Vec<Signal> = listed.iter().map(|r| self.signal(*r, &asked)).collect();
        let looked: u64 = signals.iter().map(|s| s.requests + s.cached / self.p.block.max(1)).sum();
        self.charge(looked as usize / BLOCKS_OF_A_REQUEST)?;
        let chosen = self.routers.get_mut(pool).and_then(|router| router.choose(&signals));
        let Some(&r) = chosen.and_then(|i| listed.get(i)) else {
            self.waiting.push((ask, pool));
            return Ok(());
        };
        if pool == 0 { self.give(ask, r) } else { self.send(ask, r) }
    }

    /// Gives a prompt to a replica.
    fn give(&mut self, ask: usize, r: usize) -> Result<(), String> {
        let (Some(asked), Some(replica)) = (self.run.asked.get_mut(ask), self.replicas.get_mut(r)) else {
            return Ok(());
        };
        (asked.prefilled, asked.decoded) = (r, r);
        let mut here = None;
        if replica.is_up {
            let output = if self.p.prefill > 0 { 1 } else { asked.request.output };
            replica.scheduler.add_turn(Request { output, ..asked.request }, asked.session)?;
            here = Some(replica.names.len());
            replica.names.push(ask);
        }
        replica.open.push(Open { ask, here });
        Ok(())
    }

    /// Sends a prompt's cache to a replica that decodes; a port sends one after another.
    fn send(&mut self, ask: usize, r: usize) -> Result<(), String> {
        let Some(asked) = self.run.asked.get_mut(ask) else { return Ok(()) };
        asked.decoded = r;
        let (from, retries) = (asked.prefilled, asked.retries);
        let seconds = self.engine.transfer(asked.request.prompt, self.p.net.bandwidth);
        let Some(sender) = self.replicas.get_mut(from) else { return Ok(()) };
        sender.port = sender.port.max(self.now) + seconds;
        let at = sender.port + self.p.net.latency;
        self.run.transfers.push(at - self.now);
        if let Some(replica) = self.replicas.get_mut(r) {
            replica.open.push(Open { ask, here: None });
        }
        self.later(at, Event::Arrives { ask, retries });
        Ok(())
    }

    fn receive(&mut self, ask: usize, retries: u32) -> Result<(), String> {
        let Some(asked) = self.run.asked.get(ask).filter(|a| a.retries == retries) else { return Ok(()) };
        let Some(replica) = self.replicas.get_mut(asked.decoded).filter(|r| r.is_up) else { return Ok(()) };
        replica.scheduler.receive(asked.request)?;
        if let Some(open) = replica.open.iter_mut().find(|open| open.ask == ask) {
            open.here = Some(replica.names.len());
        }
        replica.names.push(ask);
        Ok(())
    }

    /// Begins the next step of a replica that has something to do.
    fn start(&mut self, r: usize) -> Result<(), String> {
        loop {
            let Some(replica) = self.replicas.get_mut(r) else { return Ok(()) };
            if !replica.is_up || replica.step.is_some() || replica.scheduler.is_done() {
                return Ok(());
            }
            let batch = replica.scheduler.schedule();
            let cost = batch.work.len().max(1) + replica.scheduler.take_touched() / BLOCKS_OF_A_REQUEST;
            self.run.preempted += batch.preempted.len() as u64;
            for work in batch.work.iter().filter(|work| !work.decode) {
                self.run.prefilled += work.chunk.new;
                let asked = replica.names.get(work.request).and_then(|ask| self.run.asked.get_mut(*ask));
                if let Some(asked) = asked {
                    asked.hit.get_or_insert(work.chunk.past);
                }
            }
            if !batch.work.is_empty() {
                let end = self.now + self.engine.step(batch.work.iter().map(|work| work.chunk)).time();
                let life = replica.life;
                replica.step = Some((self.now, batch));
                self.later(end, Event::Step { replica: r, life });
            }
            self.charge(cost)?;
        }
    }

    fn finish(&mut self, r: usize, life: u32) -> Result<(), String> {
        let Some(replica) = self.replicas.get_mut(r).filter(|replica| replica.life == life) else { return Ok(()) };
        let Some((from, batch)) = replica.step.take() else { return Ok(()) };
        let open = replica.open.len() as f64;
        replica.done.push(Done { from, to: self.now, prompts: batch.prefills(), open });
        let got = replica.scheduler.finish(&batch);
        let mut ended = Vec::new();
        for (here, is_last) in got {
            let Some(&ask) = replica.names.get(here) else { continue };
            if let Some(asked) = self.run.asked.get_mut(ask) {
                asked.first.get_or_insert(self.now);
            }
            if is_last {
                replica.open.retain(|open| open.ask != ask);
                ended.push(ask);
            }
        }
        let hands_over = r < self.p.prefill as usize;
        for ask in ended {
            let Some(asked) = self.run.asked.get_mut(ask) else { continue };
            if hands_over && asked.request.output > 1 {
                self.route(ask, 1)?;
                continue;
            }
            asked.end = Some(self.now);
            self.run.answered += 1;
            self.run.end = self.now;
            let (session, turn) = (asked.session, asked.turn + 1);
            if let Some(next) = self.sessions.get(session).and_then(|s| s.turns.get(turn)) {
                self.later(self.now + next.wait, Event::Turn { session, turn });
            }
        }
        Ok(())
    }

    fn result(self) -> Run {
        let mut run = self.run;
        run.busy = self.replicas.iter().map(|r| r.done.iter().map(|done| done.to - done.from).sum()).collect();
        let width = (run.end / PIECES as f64).max(f64::MIN_POSITIVE);
        // Of each piece: request-seconds, and seconds with and without prompts.
        let filled = |replica: &Replica| {
            let mut pieces = vec![[0.0_f64; 3]; PIECES];
            for done in &replica.done {
                let first = (done.from / width) as usize;
                for (i, piece) in pieces.iter_mut().enumerate().skip(first) {
                    let long = done.to.min((i + 1) as f64 * width) - done.from.max(i as f64 * width);
                    if long <= 0.0 {
                        break;
                    }
                    piece[0] += done.open * long;
                    piece[if done.prompts { 1 } else { 2 }] += long;
                }
            }
            pieces
        };
        let all: Vec<Vec<[f64; 3]>> = self.replicas.iter().map(filled).collect();
        let most = all.iter().flatten().map(|piece| piece[0]).fold(f64::MIN_POSITIVE, f64::max);
        let (dead, back) = (self.p.dies, self.p.dies + self.p.down);
        for (pieces, replica) in all.iter().zip(&self.replicas) {
            let mut lane: Vec<Piece> = Vec::new();
            for (i, [open, prompts, decoding]) in pieces.iter().copied().enumerate() {
                let from = i as f64 * width;
                let middle = from + width / 2.0;
                let quarters = (4.0 * open / most).ceil().clamp(1.0, 4.0) as u8;
                let what = if replica.life > 0 && (dead..back).contains(&middle) {
                    What::Down
                } else if open <= 0.0 {
                    continue;
                } else if prompts > decoding {
                    What::Prompts(quarters)
                } else {
                    What::Decoding(quarters)
                };
                match lane.last_mut() {
                    Some(last) if last.what == what && last.to > from - width / 2.0 => last.to = from + width,
                    _ => lane.push(Piece { from, to: from + width, what }),
                }
            }
            run.lanes.push(lane);
        }
        run
    }
}
