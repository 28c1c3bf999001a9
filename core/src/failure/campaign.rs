//! A cluster lives through weeks: failures, checkpoints, recoveries, event by event.
//!
//! Failures of the nodes in the job are a Poisson process in wall-clock time, so that the same seed strikes at the same moments
//! whatever is changed about checkpoints. A failure costs what was computed since the last checkpoint that it cannot undo, the time
//! until it is noticed, the wait for a node where there is no spare, and the restart. A further failure during a restart begins it
//! anew. In memory, node i's part is kept by the nodes of its group of `copies` (Gemini's group placement); if all of a group fail in
//! one recovery, the job goes back to what is in storage. Left out: failures of
//! nodes that wait for others, nodes that wear out, repairs that fail, slow nodes.

use super::rates::{Component, Symptom};
use super::storage::{Save, Store};
use crate::float::elementary::ln;
use crate::mix::Stream;

/// All that a campaign depends on. Times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// How long it lasts.
    pub length: f64,
    /// Nodes of the job.
    pub nodes: u64,
    /// Nodes that stand by.
    pub spares: u64,
    /// Mean time between failures of the job.
    pub mtbf: f64,
    /// What fails.
    pub components: &'static [Component],
    /// How checkpoints are written.
    pub store: Store,
    /// Computation between two checkpoints.
    pub interval: f64,
    /// In memory: computation between two checkpoints that go to storage.
    pub flush: f64,
    /// Until a process that ended is noticed.
    pub detect: f64,
    /// Until a collective that hangs is.
    pub watchdog: f64,
    /// Until wrong numbers are; 0 for at once.
    pub silent: f64,
    /// From there until processes run again, loading apart.
    pub restart: f64,
    /// Until a broken node is back.
    pub repair: f64,
    /// Nodes of a replica, which is given up as a whole where nodes are missing; none to wait for a node.
    pub shrink: Option<u64>,
    /// Mean time between planned stops; infinite for none.
    pub planned: f64,
    /// Warning before a planned stop.
    pub notice: f64,
    /// The seed.
    pub seed: u64,
}

/// What a stretch of time was spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Work that was kept.
    Useful,
    /// Writing checkpoints.
    Saving,
    /// Work that was undone.
    Lost,
    /// Nobody has noticed yet.
    Noticing,
    /// No node is free.
    Waiting,
    /// Processes start, meet and load.
    Restarting,
    /// A stop that was planned.
    Planned,
    /// Replicas that are missing.
    Shrunk,
}

impl Cause {
    /// All of them, useful work first.
    pub const ALL: [Self; 8] = [
        Self::Useful,
        Self::Saving,
        Self::Lost,
        Self::Noticing,
        Self::Waiting,
        Self::Restarting,
        Self::Planned,
        Self::Shrunk,
    ];
    /// All but useful work, in the order of [`Cause::ALL`].
    pub const WASTE: &[Self] = Self::ALL.split_at(1).1;

    /// What a person calls it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Useful => "useful work",
            Self::Saving => "writing checkpoints",
            Self::Lost => "work lost",
            Self::Noticing => "not noticed yet",
            Self::Waiting => "waiting for a node",
            Self::Restarting => "restarting",
            Self::Planned => "planned stops",
            Self::Shrunk => "missing replicas",
        }
    }
}

/// A stretch of the campaign. While it computes it also writes checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// When it begins.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// Mostly what. [`Cause::Saving`] and [`Cause::Shrunk`] have no stretches of their own.
    pub cause: Cause,
    /// The part of the replicas that is there.
    pub capacity: f64,
    /// When this run began, for one that computes.
    origin: f64,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// A part failed, by its place among the components.
    Failure(usize),
    /// Wrong numbers were found out.
    Alarm,
    /// A planned stop.
    Stop,
    /// A node came back, and the job with it to more replicas.
    Regrown,
}

/// One event and what followed from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// When.
    pub at: f64,
    /// What.
    pub what: What,
    /// The node, of a failure.
    pub node: u64,
    /// When it was noticed.
    pub noticed: f64,
    /// Work undone, in seconds of running.
    pub lost: f64,
    /// When training ran again; the end of the campaign if it did not.
    pub back: f64,
    /// Whether copies in memory were gone too, so that storage was needed.
    pub copies_gone: bool,
    /// Whether nothing was running anyway.
    pub idle: bool,
}

/// A campaign that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// All of the time, in order, without gaps.
    pub stretches: Vec<Stretch>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// Seconds by cause, in the order of [`Cause::ALL`]. They add up to the length.
    pub spent: [f64; 8],
    /// Checkpoints that were finished.
    pub checkpoints: f64,
    /// Recoveries for which copies in memory did not suffice.
    pub fallbacks: u32,
    /// Most nodes in repair at once.
    pub broken: u64,
    rhythm: Rhythm,
}

impl Campaign {
    /// The part of the time that was spent on this.
    pub fn share(&self, cause: Cause) -> f64 {
        let all: f64 = self.spent.iter().sum();
        self.spent.get(cause as usize).copied().unwrap_or(0.0) / all.max(f64::MIN_POSITIVE)
    }

    /// Seconds by cause up to this moment, in the order of [`Cause::ALL`].
    pub fn spent_until(&self, end: f64) -> [f64; 8] {
        let mut spent = [0.0; 8];
        for stretch in self.stretches.iter().take_while(|s| s.from < end) {
            let s = Stretch { to: stretch.to.min(end), ..*stretch };
            let saving = if s.computes() { s.saving(self.rhythm) } else { 0.0 };
            let rest = s.to - s.from - saving;
            let here = if s.computes() { rest * s.capacity } else { rest };
            spent[Cause::Saving as usize] += saving;
            spent[s.cause as usize] += here;
            spent[Cause::Shrunk as usize] += rest - here;
        }
        spent
    }

    /// When the first so many events are over.
    pub fn over(&self, events: usize) -> f64 {
        self.events.iter().take(events).map(|event| event.back).fold(0.0, f64::max)
    }

    /// Failures among the events.
    pub fn failures(&self) -> usize {
        self.events.iter().filter(|event| matches!(event.what, What::Failure(_))).count()
    }
}

/// Checkpoints of a run, counted from when it began.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rhythm {
    /// Computation between two.
    compute: f64,
    /// And the stall after it.
    cycle: f64,
}

impl Rhythm {
    /// A checkpoint does not begin before the last is safe.
    fn of(setting: &Setting) -> Self {
        let compute = setting.interval.max(setting.store.lag());
        Self { compute, cycle: compute + setting.store.stall() }
    }

    /// Checkpoints done after so long.
    fn done(self, seconds: f64) -> f64 {
        (seconds / self.cycle).floor().max(0.0)
    }

    /// Seconds of stall within the first so many.
    fn stalled(self, seconds: f64) -> f64 {
        let done = self.done(seconds);
        let into = seconds - done * self.cycle;
        done * (self.cycle - self.compute) + (into - self.compute).max(0.0)
    }
}

struct Strike {
    at: f64,
    component: usize,
    node: u64,
}

/// An exponential waiting time of this mean.
fn wait(stream: &mut Stream, mean: f64) -> f64 {
    -mean * ln(1.0 - stream.unit())
}

/// All failures of the campaign.
fn strikes(setting: &Setting) -> Vec<Strike> {
    let mut stream = Stream::new(setting.seed);
    let all = setting.components.iter().map(|c| u64::from(c.count)).sum::<u64>();
    let (mut at, mut list) = (wait(&mut stream, setting.mtbf), Vec::new());
    while at < setting.length {
        let mut ticket = stream.below(all);
        let component = setting.components.iter().position(|c| {
            let hit = ticket < u64::from(c.count);
            ticket = ticket.saturating_sub(c.count.into());
            hit
        });
        list.push(Strike { at, component: component.unwrap_or(0), node: stream.below(setting.nodes) });
        at += wait(&mut stream, setting.mtbf);
    }
    list
}

/// All planned stops, drawn apart from the failures.
fn stops(setting: &Setting) -> Vec<f64> {
    let mut stream = Stream::new(setting.seed ^ 0x0009_1a77_ed50);
    let (mut at, mut list) = (0.0, Vec::new());
    while setting.planned.is_finite() && setting.planned > 0.0 {
        at += wait(&mut stream, setting.planned);
        if at >= setting.length {
            break;
        }
        list.push(at);
    }
    list
}

/// A campaign under way.
struct Walk<'a> {
    setting: &'a Setting,
    rhythm: Rhythm,
    strikes: Vec<Strike>,
    next: usize,
    /// When each broken node is back, the first first.
    broken: Vec<f64>,
    capacity: f64,
    /// When the present run began.
    origin: f64,
    /// When the state began that is in storage.
    stored: f64,
    /// Wrong numbers that nobody has noticed: when they will be, and when the last state without them was saved.
    alarm: Option<(f64, f64)>,
    out: Campaign,
}

/// Lives through it.
pub fn campaign(setting: &Setting) -> Campaign {
    let (stops, rhythm) = (stops(setting), Rhythm::of(setting));
    let mut walk = Walk {
        setting,
        rhythm,
        strikes: strikes(setting),
        next: 0,
        broken: Vec::new(),
        capacity: 1.0,
        origin: 0.0,
        stored: 0.0,
        alarm: None,
        out: Campaign {
            stretches: Vec::new(),
            events: Vec::new(),
            spent: [0.0; 8],
            checkpoints: 0.0,
            fallbacks: 0,
            broken: 0,
            rhythm,
        },
    };
    let (mut at, mut stop) = (0.0, 0);
    while at < setting.length {
        let failure = walk.strikes.get(walk.next).map_or(f64::INFINITY, |s| s.at);
        while stops.get(stop).is_some_and(|s| *s < at) {
            stop += 1;
        }
        let planned = stops.get(stop).copied().unwrap_or(f64::INFINITY);
        let alarm = walk.alarm.map_or(f64::INFINITY, |(at, _)| at);
        let regrow = if walk.capacity < 1.0 { walk.returns(at) } else { f64::INFINITY };
        let to = setting.length.min(failure).min(planned).min(alarm).min(regrow).max(at);
        walk.stretch(at, to, Cause::Useful);
        if to >= setting.length {
            break;
        }
        at = if failure <= to {
            walk.fail(to)
        } else if alarm <= to {
            walk.sound(to)
        } else if planned <= to {
            walk.stop(to)
        } else {
            walk.regrow(to)
        };
    }
    walk.finish()
}

impl Walk<'_> {
    fn stretch(&mut self, from: f64, to: f64, cause: Cause) {
        let to = to.min(self.setting.length);
        if to > from {
            let (capacity, origin) = (self.capacity, self.origin);
            self.out.stretches.push(Stretch { from, to, cause, capacity, origin });
        }
    }

    /// When the last checkpoint was taken that is safe at `at`.
    fn safe(&self, at: f64, lag: f64) -> f64 {
        self.origin + self.rhythm.done(at - self.origin - lag) * self.rhythm.cycle
    }

    /// The same of those that go to storage.
    fn safe_in_storage(&self, at: f64) -> f64 {
        if self.setting.store.save != Save::Memory {
            return self.safe(at, self.setting.store.lag());
        }
        let every = (self.setting.flush / self.rhythm.compute).ceil().max(1.0) * self.rhythm.cycle;
        let done = ((at - self.origin - self.setting.store.write()) / every).floor().max(0.0);
        if done > 0.0 { self.origin + done * every } else { self.stored }
    }

    /// Undoes all work from `to` on; the seconds of running that are undone.
    fn undo(&mut self, to: f64) -> f64 {
        let mut undone = 0.0;
        let mut i = self.out.stretches.len();
        while i > 0 {
            i -= 1;
            let Some(stretch) = self.out.stretches.get_mut(i) else { break };
            if stretch.to <= to {
                break;
            }
            if stretch.cause != Cause::Useful {
                continue;
            }
            undone += stretch.to - stretch.from.max(to);
            if stretch.from >= to {
                stretch.cause = Cause::Lost;
            } else {
                let rest = Stretch { from: to, cause: Cause::Lost, ..*stretch };
                stretch.to = to;
                self.out.stretches.insert(i + 1, rest);
            }
        }
        if self.alarm.is_some_and(|(_, clean)| to <= clean) {
            self.alarm = None;
        }
        undone
    }

    /// A broken node leaves. If it is in repair already nothing changes for the others.
    fn leave(&mut self, at: f64) {
        let back = at + self.setting.repair;
        self.broken.retain(|other| *other > at);
        let place = self.broken.partition_point(|other| *other <= back);
        self.broken.insert(place, back);
        self.out.broken = self.out.broken.max(self.missing(at));
    }

    fn missing(&self, at: f64) -> u64 {
        self.broken.iter().filter(|back| **back > at).count() as u64
    }

    /// When the job can have more replicas than now.
    fn returns(&self, at: f64) -> f64 {
        let later = self.broken.iter().copied().filter(|back| *back > at);
        later.into_iter().find(|back| self.room(*back) > self.capacity).unwrap_or(f64::INFINITY)
    }

    /// The part of the replicas for which there are nodes.
    fn room(&self, at: f64) -> f64 {
        let healthy = (self.setting.nodes + self.setting.spares).saturating_sub(self.missing(at));
        if healthy >= self.setting.nodes {
            return 1.0;
        }
        match self.setting.shrink {
            Some(replica) if replica > 0 => (healthy / replica * replica) as f64 / self.setting.nodes as f64,
            _ => 0.0,
        }
    }

    fn component(&self, strike: &Strike) -> Component {
        self.setting.components.get(strike.component).copied().unwrap_or(super::rates::HBM[0])
    }

    /// A failure while it runs; when it runs again.
    fn fail(&mut self, at: f64) -> f64 {
        let Some(strike) = self.strikes.get(self.next) else { return at };
        let (part, node, place) = (self.component(strike), strike.node, strike.component);
        self.next += 1;
        let event = Event {
            at,
            what: What::Failure(place),
            node,
            noticed: at,
            lost: 0.0,
            back: at,
            copies_gone: false,
            idle: false,
        };
        if part.symptom == Symptom::Silent && self.setting.silent > 0.0 {
            if self.alarm.is_none() {
                let clean = self.safe_in_storage(at);
                self.alarm = Some((at + self.setting.silent, clean));
            }
            self.out.events.push(event);
            return at;
        }
        if part.repair {
            self.leave(at);
        }
        let detect = if part.symptom == Symptom::Hang { self.setting.watchdog } else { self.setting.detect };
        let (in_memory, stored) = (self.safe(at, self.setting.store.lag()), self.safe_in_storage(at));
        self.stored = stored;
        let first = self.out.events.len();
        self.out.events.push(event);
        let lost = if part.repair { vec![node] } else { Vec::new() };
        let (back, gone) = self.recover(at, detect, lost);
        let noticed = (at + detect).min(self.setting.length);
        let undone = self.undo(if gone { stored } else { in_memory });
        self.out.fallbacks += u32::from(gone);
        if let Some(event) = self.out.events.get_mut(first) {
            (event.noticed, event.lost, event.back, event.copies_gone) = (noticed, undone, back, gone);
        }
        back
    }

    /// From a failure until training runs again, and whether copies in memory were gone. `lost` are the nodes that lost their memory.
    fn recover(&mut self, at: f64, detect: f64, mut lost: Vec<u64>) -> (f64, bool) {
        let mut from = at;
        let mut detect = detect;
        loop {
            let noticed = from + detect;
            self.stretch(from, noticed, Cause::Noticing);
            self.idle_until(noticed, &mut lost);
            let mut ready = noticed;
            while self.room(ready) == 0.0 {
                let Some(back) = self.broken.iter().copied().find(|back| *back > ready) else { break };
                ready = back;
            }
            self.stretch(noticed, ready, Cause::Waiting);
            while self.strikes.get(self.next).is_some_and(|s| s.at <= ready) {
                self.next += 1;
            }
            self.capacity = self.room(ready).max(f64::MIN_POSITIVE);
            let gone = self.gone(&lost);
            let load = if gone { self.setting.store.read() } else { self.setting.store.load() };
            let back = ready + self.setting.restart + load;
            match self.strikes.get(self.next).map(|s| s.at).filter(|next| *next < back && *next < self.setting.length) {
                Some(next) => {
                    self.stretch(ready, next, Cause::Restarting);
                    let hangs = self.strikes.get(self.next).is_some_and(|s| self.component(s).symptom == Symptom::Hang);
                    detect = if hangs { self.setting.watchdog } else { self.setting.detect };
                    self.idle_until(next, &mut lost);
                    from = next;
                }
                None => {
                    self.stretch(ready, back, Cause::Restarting);
                    self.origin = back;
                    return (back.min(self.setting.length), gone);
                }
            }
        }
    }

    /// Failures up to `to` while nothing runs.
    fn idle_until(&mut self, to: f64, lost: &mut Vec<u64>) {
        while let Some(strike) = self.strikes.get(self.next).filter(|s| s.at <= to) {
            let (part, node, at, place) = (self.component(strike), strike.node, strike.at, strike.component);
            self.next += 1;
            if part.repair {
                self.leave(at);
                lost.push(node);
            }
            let what = What::Failure(place);
            let event = Event { at, what, node, noticed: at, lost: 0.0, back: at, copies_gone: false, idle: true };
            self.out.events.push(event);
        }
    }

    /// Whether a whole group of nodes that keep each other's parts has lost its memory.
    fn gone(&self, lost: &[u64]) -> bool {
        let copies = self.setting.store.copies.max(1.0) as u64;
        let group_of = |node: u64| node / copies;
        self.setting.store.save == Save::Memory
            && lost.iter().any(|node| {
                let mut group: Vec<u64> = lost.iter().copied().filter(|n| group_of(*n) == group_of(*node)).collect();
                group.sort_unstable();
                group.dedup();
                group.len() as u64 >= copies.min(self.setting.nodes - group_of(*node) * copies)
            })
    }

    /// Wrong numbers are found out: back to the last state without them.
    fn sound(&mut self, at: f64) -> f64 {
        let clean = self.alarm.take().map_or(at, |(_, clean)| clean);
        self.leave(at);
        self.down(at, What::Alarm, Cause::Restarting, 0.0, Some(clean))
    }

    /// A planned stop: saved where the warning is long enough.
    fn stop(&mut self, at: f64) -> f64 {
        let store = &self.setting.store;
        let saved = store.stall() + if store.save == Save::Memory { store.write() } else { store.lag() };
        let undone = (saved > self.setting.notice).then(|| self.safe_in_storage(at));
        let saving = if undone.is_none() { saved } else { 0.0 };
        self.down(at, What::Stop, Cause::Planned, saving, undone)
    }

    /// More replicas can run: a checkpoint and a restart.
    fn regrow(&mut self, at: f64) -> f64 {
        let saving = self.setting.store.stall() + self.setting.store.lag();
        self.down(at, What::Regrown, Cause::Restarting, saving, None)
    }

    /// Stops after `saving` and starts again, with the work undone from `undone` on.
    fn down(&mut self, at: f64, what: What, cause: Cause, saving: f64, undone: Option<f64>) -> f64 {
        let lost = undone.map_or(0.0, |to| self.undo(to));
        let place = self.out.events.len();
        let event = Event { at, what, node: 0, noticed: at, lost, back: at, copies_gone: false, idle: false };
        self.out.events.push(event);
        self.stored = undone.unwrap_or(at);
        let restarts = (at + saving).min(self.setting.length);
        self.stretch(at, restarts, cause);
        let first = self.out.stretches.len();
        let (back, _) = self.recover(restarts, 0.0, Vec::new());
        for stretch in self.out.stretches.iter_mut().skip(first).filter(|s| s.cause == Cause::Restarting) {
            stretch.cause = cause;
        }
        if let Some(event) = self.out.events.get_mut(place) {
            event.back = back;
        }
        back
    }

    /// Adds up.
    fn finish(mut self) -> Campaign {
        self.out.events.sort_by(|a, b| a.at.total_cmp(&b.at));
        self.out.spent = self.out.spent_until(self.setting.length);
        let computes = self.out.stretches.iter().filter(|s| s.computes());
        self.out.checkpoints =
            computes.map(|s| self.rhythm.done(s.to - s.origin) - self.rhythm.done(s.from - s.origin)).sum();
        self.out
    }
}

impl Stretch {
    /// Whether training runs.
    fn computes(&self) -> bool {
        matches!(self.cause, Cause::Useful | Cause::Lost)
    }

    /// Seconds of it in which a checkpoint is written.
    fn saving(&self, rhythm: Rhythm) -> f64 {
        rhythm.stalled(self.to - self.origin) - rhythm.stalled(self.from - self.origin)
    }
}
