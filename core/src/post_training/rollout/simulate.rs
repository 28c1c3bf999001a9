//! Event by event: answers end, steps end, weights arrive.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Layout, Params, STEPS, WARM};

/// What somebody does for a while, in a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Nothing.
    Idle,
    /// Weights of a version are in transit to it, or from it.
    Moving,
    /// An engine writes under weights of this version, with so many quarters of its places.
    Writing {
        /// Version of the weights.
        version: u64,
        /// Places in use, in quarters, 1 to 4.
        quarters: u8,
    },
    /// The trainer turns this version into the next.
    Training {
        /// Version of the weights.
        version: u64,
    },
    /// Finished answers wait, so many quarters of a batch (4: a batch or more).
    Queued {
        /// In quarters of a batch, 1 to 4.
        quarters: u8,
    },
}

/// A stretch of time in which somebody does one thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Its beginning, in seconds.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// What is done.
    pub what: What,
}

/// What somebody does from the start on.
pub type Track = Vec<Span>;

/// How a pool spends its time, as parts of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shares {
    /// It generates, or trains.
    pub busy: f64,
    /// It takes or sends weights.
    pub moving: f64,
    /// It waits.
    pub idle: f64,
}

impl Shares {
    /// Of seconds of each.
    fn of(busy: f64, moving: f64, idle: f64) -> Self {
        let all = (busy + moving + idle).max(f64::MIN_POSITIVE);
        Self { busy: busy / all, moving: moving / all, idle: idle / all }
    }
}

/// A layout on some answers, once the pipeline is full.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Run {
    /// Samples trained on per second.
    pub rate: f64,
    /// Seconds per training step.
    pub step: f64,
    /// The engines, by places.
    pub generation: Shares,
    /// The trainer.
    pub training: Shares,
    /// Mean staleness of a sample by its first token, in versions.
    pub age: f64,
    /// Mean staleness of a token, in versions.
    pub token_age: f64,
    /// The staleness of the oldest sample, in versions.
    pub oldest: u64,
    /// Samples by staleness, from 0 versions on.
    pub ages: Vec<u64>,
    /// The longest answer of a batch, in seconds, on average.
    pub longest: f64,
    /// An answer, in seconds, on average.
    pub answer: f64,
    /// The part of the samples that were cut off.
    pub cut: f64,
    /// What the first engines do.
    pub engines: Vec<Track>,
    /// What waits for the trainer.
    pub queue: Track,
    /// What the trainer does.
    pub trainer: Track,
}

/// How many more answers may be started: at most `places` are written at once, and no more than (`bound` + `version` + 1) · `batch` are started
/// in all. Below 0 after a version is taken back. AReaL, `areal/infra/staleness_manager.py`, `get_capacity`.
pub fn capacity(places: u64, batch: u64, bound: u64, version: u64, running: u64, started: u64) -> i64 {
    let places = places.max(1) as i64 - running as i64;
    let ahead = (bound + version + 1) as i64 * batch.max(1) as i64 - started as i64;
    places.min(ahead)
}

/// Engines that are drawn.
const DRAWN: usize = 6;
/// Pieces of a drawn track.
const PIECES: usize = 110;
/// Clocks are compared to this part of themselves.
const FINE: f64 = 1e-9;

/// An answer that was started.
#[derive(Debug, Clone, Copy)]
struct Answer {
    /// Seconds that it takes to write.
    seconds: f64,
    cut: bool,
    /// The version that wrote its first token.
    version: u64,
    /// The engine's sum of versions over time when it began; after its end, its own.
    versions: f64,
}

#[derive(Debug, Clone, Default)]
struct Engine {
    /// Answers by when they end on the engine's clock; positive numbers are in the order of their bits.
    running: BinaryHeap<Reverse<(u64, u64)>>,
    /// Seconds that it has been able to write.
    clock: f64,
    /// Its version over its clock, added up.
    versions: f64,
    version: u64,
    /// Newer weights are there.
    stale: bool,
    /// Takes weights until then, and has this version afterwards.
    loads: Option<(f64, u64)>,
}

impl Engine {
    /// Seconds until its next event.
    fn next(&self, now: f64) -> Option<f64> {
        if let Some((until, _)) = self.loads {
            return Some(until - now);
        }
        self.running.peek().map(|Reverse((end, _))| f64::from_bits(*end) - self.clock)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Trainer {
    Waits,
    Trains(f64),
    Sends(f64),
}

/// What was measured since the pipeline was full.
#[derive(Debug, Clone, Default)]
struct Measured {
    since: f64,
    written: f64,
    loaded: f64,
    open: f64,
    trained: f64,
    sent: f64,
    waited: f64,
    samples: u64,
    age: f64,
    tokens: f64,
    token_age: f64,
    ages: Vec<u64>,
    longest: f64,
    cut: u64,
}

/// What is drawn of an engine or the queue, in pieces of equal length.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    level: f64,
    moving: f64,
    version: u64,
}

struct Simulation<'a> {
    p: &'a Params,
    now: f64,
    engines: Vec<Engine>,
    answers: Vec<Answer>,
    running: u64,
    /// Finished answers, the oldest first.
    queue: BinaryHeap<Reverse<u64>>,
    finished: u64,
    trainer: Trainer,
    /// Training steps done: the trainer's version.
    version: u64,
    /// The version that all engines have, in layouts with a barrier.
    delivered: u64,
    measured: Measured,
    /// Seconds that are drawn.
    shown: f64,
    pieces: Vec<Vec<Piece>>,
    steps: Track,
}

impl Run {
    /// Runs a layout, and draws its first `shown` seconds.
    pub fn of(p: &Params, shown: f64) -> Self {
        let engines = vec![Engine::default(); p.engines.max(1) as usize];
        let rows = if shown > 0.0 { engines.len().min(DRAWN) + 1 } else { 0 };
        let mut simulation = Simulation {
            p,
            now: 0.0,
            engines,
            answers: Vec::new(),
            running: 0,
            queue: BinaryHeap::new(),
            finished: 0,
            trainer: Trainer::Waits,
            version: 0,
            delivered: 0,
            measured: Measured::default(),
            shown,
            pieces: vec![vec![Piece::default(); PIECES]; rows],
            steps: Track::new(),
        };
        simulation.go();
        simulation.result()
    }
}

impl Simulation<'_> {
    fn has_barrier(&self) -> bool {
        matches!(self.p.layout, Layout::Synchronous | Layout::OneStep)
    }

    fn go(&mut self) {
        while self.version < STEPS {
            self.act();
            let engines = self.engines.iter().filter_map(|engine| engine.next(self.now));
            let trainer = match self.trainer {
                Trainer::Waits => None,
                Trainer::Trains(until) | Trainer::Sends(until) => Some(until - self.now),
            };
            // Something always happens next: whoever waits, waits for one of these.
            let Some(wait) = engines.chain(trainer).min_by(f64::total_cmp) else { return };
            self.pass(wait.max(0.0));
            self.happen();
        }
    }

    /// How many more answers may be started now.
    fn room(&self) -> i64 {
        let (p, started) = (self.p, self.answers.len() as u64);
        // Layouts with a barrier run ahead by no version and by one.
        let (bound, version) = match p.layout {
            Layout::Synchronous => (0, self.delivered),
            Layout::OneStep if self.finished < p.batch => (0, 0),
            Layout::OneStep => (1, self.delivered),
            Layout::Asynchronous | Layout::Partial => (p.bound, self.version),
        };
        capacity(p.places(), p.batch, bound, version, self.running, started)
    }

    /// Starts whatever can be started now.
    fn act(&mut self) {
        let p = self.p;
        let until = self.now + p.transfer;
        let version = self.version;
        if self.has_barrier() {
            let all_done = self.running == 0 && self.room() <= 0;
            if version > self.delivered && self.trainer == Trainer::Waits && all_done {
                self.trainer = Trainer::Sends(until);
                for engine in &mut self.engines {
                    engine.loads = Some((until, version));
                }
            }
        } else {
            for engine in &mut self.engines {
                let can = p.layout == Layout::Partial || engine.running.is_empty();
                if engine.stale && engine.loads.is_none() && can {
                    engine.loads = Some((until, version));
                    engine.stale = false;
                }
            }
        }
        let is_current = !self.has_barrier() || self.delivered == version;
        if self.trainer == Trainer::Waits && is_current && self.queue.len() as u64 >= p.batch {
            self.trainer = Trainer::Trains(self.now + p.training());
            self.take();
        }
        for _ in 0..self.room().max(0) {
            let open = self
                .engines
                .iter_mut()
                .filter(|engine| engine.loads.is_none() && !engine.stale && (engine.running.len() as u64) < p.slots);
            let Some(engine) = open.min_by_key(|engine| engine.running.len()) else { break };
            let id = self.answers.len() as u64;
            let (tokens, cut) = p.lengths().draw(p.seed, id);
            let seconds = tokens / p.speed;
            engine.running.push(Reverse(((engine.clock + seconds).to_bits(), id)));
            self.answers.push(Answer { seconds, cut, version: engine.version, versions: engine.versions });
            self.running += 1;
        }
    }

    /// The trainer takes a batch, the oldest answers first.
    fn take(&mut self) {
        let counts = self.version >= WARM;
        let mut longest = 0.0_f64;
        for _ in 0..self.p.batch {
            let Some(Reverse(id)) = self.queue.pop() else { break };
            let Some(answer) = self.answers.get(id as usize) else { break };
            longest = longest.max(answer.seconds);
            if counts {
                let age = self.version.saturating_sub(answer.version);
                let m = &mut self.measured;
                m.samples += 1;
                m.age += age as f64;
                m.tokens += answer.seconds;
                m.token_age += self.version as f64 * answer.seconds - answer.versions;
                m.cut += u64::from(answer.cut);
                if m.ages.len() as u64 <= age {
                    m.ages.resize(age as usize + 1, 0);
                }
                if let Some(count) = m.ages.get_mut(age as usize) {
                    *count += 1;
                }
            }
        }
        if counts {
            self.measured.longest += longest;
        }
    }

    /// Lets time pass, in which nothing changes.
    fn pass(&mut self, wait: f64) {
        self.draw(wait);
        let counts = self.version >= WARM;
        for engine in &mut self.engines {
            let running = engine.running.len() as f64;
            let (mut written, mut loaded) = (0.0, 0.0);
            if engine.loads.is_some() {
                loaded = self.p.slots as f64 * wait;
            } else {
                engine.clock += wait;
                engine.versions += engine.version as f64 * wait;
                written = running * wait;
            }
            if counts {
                self.measured.written += written;
                self.measured.loaded += loaded;
                self.measured.open += self.p.slots as f64 * wait - written - loaded;
            }
        }
        if counts {
            match self.trainer {
                Trainer::Waits => self.measured.waited += wait,
                Trainer::Trains(_) => self.measured.trained += wait,
                Trainer::Sends(_) => self.measured.sent += wait,
            }
        }
        self.now += wait;
    }

    /// Takes note of what has ended.
    fn happen(&mut self) {
        let (now, fine) = (self.now, FINE * (1.0 + self.now));
        for engine in &mut self.engines {
            if let Some((until, version)) = engine.loads {
                if until <= now + fine {
                    (engine.loads, engine.version) = (None, version);
                }
                continue;
            }
            while let Some(Reverse((end, id))) = engine.running.peek().copied() {
                if f64::from_bits(end) > engine.clock + fine {
                    break;
                }
                engine.running.pop();
                self.running -= 1;
                self.finished += 1;
                self.queue.push(Reverse(id));
                if let Some(answer) = self.answers.get_mut(id as usize) {
                    answer.versions = engine.versions - answer.versions;
                }
            }
        }
        match self.trainer {
            Trainer::Trains(until) if until <= now + fine => {
                self.version += 1;
                if self.version == WARM {
                    self.measured.since = now;
                }
                self.trainer = Trainer::Waits;
                if !self.has_barrier() {
                    self.trainer = Trainer::Sends(now + self.p.transfer);
                    for engine in &mut self.engines {
                        engine.stale = true;
                    }
                }
            }
            Trainer::Sends(until) if until <= now + fine => {
                self.delivered = self.version;
                self.trainer = Trainer::Waits;
            }
            _ => {}
        }
    }

    /// Draws the stretch of time that is about to pass.
    fn draw(&mut self, wait: f64) {
        if self.now >= self.shown || wait <= 0.0 {
            return;
        }
        let what = match self.trainer {
            Trainer::Waits => What::Idle,
            Trainer::Trains(_) => What::Training { version: self.version },
            Trainer::Sends(_) => What::Moving,
        };
        let to = (self.now + wait).min(self.shown);
        join(&mut self.steps, Span { from: self.now, to, what });
        let width = self.shown / PIECES as f64;
        let first = (self.now / width) as usize;
        let queued = (self.queue.len() as f64 / self.p.batch.max(1) as f64).min(1.0);
        let mut rows = self.pieces.iter_mut();
        let queue = rows.next().map(|row| (row, queued, false, 0));
        let slots = self.p.slots.max(1) as f64;
        let engines = rows
            .zip(&self.engines)
            .map(|(row, engine)| (row, engine.running.len() as f64 / slots, engine.loads.is_some(), engine.version));
        for (row, level, moves, version) in queue.into_iter().chain(engines) {
            for (i, piece) in row.iter_mut().enumerate().skip(first) {
                let (from, end) = ((i as f64 * width).max(self.now), ((i + 1) as f64 * width).min(to));
                if end <= from {
                    break;
                }
                let part = (end - from) / width;
                if moves {
                    piece.moving += part;
                } else {
                    piece.level += level * part;
                    piece.version = version;
                }
            }
        }
    }

    fn result(self) -> Run {
        let width = self.shown / PIECES as f64;
        let track = |pieces: &Vec<Piece>, what: fn(u8, u64) -> What| {
            let mut track = Track::new();
            for (i, piece) in pieces.iter().enumerate() {
                let what = match (piece.moving > 0.5, (piece.level * 4.0).round() as u8) {
                    (true, _) => What::Moving,
                    (false, 0) if piece.level < 0.02 => What::Idle,
                    (false, quarters) => what(quarters.clamp(1, 4), piece.version),
                };
                join(&mut track, Span { from: i as f64 * width, to: (i + 1) as f64 * width, what });
            }
            track
        };
        let mut rows = self.pieces.iter();
        let queue = rows.next().map(|row| track(row, |quarters, _| What::Queued { quarters }));
        let engines = rows.map(|row| track(row, |quarters, version| What::Writing { version, quarters })).collect();
        let m = self.measured;
        let steps = (STEPS - WARM) as f64;
        let took = (self.now - m.since).max(f64::MIN_POSITIVE);
        let samples = m.samples.max(1) as f64;
        Run {
            rate: steps * self.p.batch as f64 / took,
            step: took / steps,
            generation: Shares::of(m.written, m.loaded, m.open),
            training: Shares::of(m.trained, m.sent, m.waited),
            age: m.age / samples,
            token_age: m.token_age / m.tokens.max(f64::MIN_POSITIVE),
            oldest: m.ages.len().saturating_sub(1) as u64,
            ages: m.ages,
            longest: m.longest / steps,
            answer: m.tokens / samples,
            cut: m.cut as f64 / samples,
            engines,
            queue: queue.unwrap_or_default(),
            trainer: self.steps,
        }
    }
}

/// Puts a stretch at the end, as part of the last one if that is the same.
fn join(track: &mut Track, span: Span) {
    match track.last_mut() {
        Some(last) if last.what == span.what => last.to = span.to,
        _ => track.push(span),
    }
}
