//! The run: who is admitted, who goes on, what is seen of it.

use std::collections::VecDeque;

use super::super::arena::Arena;
use super::super::manager::Manager;
use super::super::prefix::Prefixes;
use super::super::requests::{Request, Sampling};
use super::{Asked, Event, Keeper, MOST_STEPS, Name, Run, Setup, Stage, Tick};
use crate::mix::{Stream, mix};

/// The memory.
#[derive(Debug, Clone)]
pub(super) enum Memory {
    Rooms(Arena),
    Blocks(Manager),
    Known(Prefixes),
}

/// The sequences of a request. They are equally long at every step.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) request: usize,
    /// With V1 a sample is a group of its own: which.
    pub(super) sample: u64,
    /// Its sequences: the number of each in its name, and its name to the memory.
    pub(super) sequences: Vec<(u64, usize)>,
    pub(super) stage: Stage,
    pub(super) stored: u64,
    pub(super) generated: u64,
    /// Tokens that were computed once.
    pub(super) reached: u64,
}

pub(super) struct Engine<'a> {
    pub(super) setup: Setup,
    requests: &'a [Request],
    pub(super) groups: Vec<Group>,
    pub(super) memory: Memory,
    pub(super) waiting: VecDeque<usize>,
    pub(super) running: Vec<usize>,
    pub(super) swapped: Vec<usize>,
    pub(super) events: Vec<Event>,
    pub(super) run: Run,
    /// The next name of a sequence to the memory.
    next: usize,
    draws: Stream,
    /// Tokens of this step.
    pub(super) computed: u64,
}

/// Runs the requests to their end, or until it is clear that there is none.
pub fn serve(asked: Asked<'_>) -> Run {
    let mut engine = Engine::new(asked.setup, asked.requests);
    if asked.step == 0 {
        engine.show(0);
    }
    for step in 1..=MOST_STEPS {
        if engine.run.stuck.is_some() || engine.is_over() {
            break;
        }
        engine.step();
        if step <= asked.step {
            engine.show(step);
        }
    }
    if engine.run.stuck.is_none() && !engine.is_over() {
        engine.run.stuck = Some(format!("Only the first {MOST_STEPS} steps are shown."));
    }
    engine.run
}

impl<'a> Engine<'a> {
    fn new(setup: Setup, requests: &'a [Request]) -> Self {
        let blocks = u32::try_from(setup.blocks).unwrap_or(u32::MAX);
        let memory = match setup.keeper {
            Keeper::Paged => {
                let host = u32::try_from(setup.host).unwrap_or(u32::MAX);
                Memory::Blocks(Manager::new(setup.block, blocks, host, setup.watermark))
            }
            Keeper::Hashed => Memory::Known(Prefixes::new(setup.block, blocks, setup.caches)),
            Keeper::Longest | Keeper::Power | Keeper::Oracle => Memory::Rooms(Arena::new(setup.blocks * setup.block)),
        };
        let mut engine = Self {
            setup,
            requests,
            groups: Vec::new(),
            memory,
            waiting: VecDeque::new(),
            running: Vec::new(),
            swapped: Vec::new(),
            events: Vec::new(),
            run: Run::default(),
            next: 0,
            draws: Stream::new(setup.seed),
            computed: 0,
        };
        for (i, request) in requests.iter().enumerate() {
            // Only vLLM 0.2 has requests of several sequences; elsewhere each is a request of its own.
            let apart = if setup.keeper == Keeper::Paged { 1 } else { request.wide };
            for sample in 1..=apart {
                let number = if request.wide > 1 { sample } else { 0 };
                let sequences = vec![(number, engine.name())];
                engine.waiting.push_back(engine.groups.len());
                engine.groups.push(Group {
                    request: i,
                    sample: if apart > 1 { number } else { 0 },
                    sequences,
                    stage: Stage::Waiting,
                    stored: 0,
                    generated: 0,
                    reached: 0,
                });
            }
        }
        engine
    }

    fn name(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    pub(super) fn group(&self, g: usize) -> &Group {
        &self.groups[g]
    }

    pub(super) fn request(&self, g: usize) -> Request {
        self.requests[self.groups[g].request]
    }

    /// What a person calls the whole group.
    pub(super) fn called(&self, g: usize) -> Name {
        Name { request: self.group(g).request, number: self.group(g).sample }
    }

    pub(super) fn sequence(&self, g: usize, number: u64) -> Name {
        Name { request: self.group(g).request, number }
    }

    /// The token of a sequence at a place: the same number for the same token.
    pub(super) fn token(&self, g: usize) -> impl Fn(u64) -> u64 + use<> {
        let (group, request) = (self.group(g), self.request(g));
        let (number, sample, shared) = (group.request as u64 + 1, group.sample, self.setup.shared);
        move |at| match at {
            _ if at < shared.min(request.prompt) => at,
            _ if at < request.prompt => mix(number << 32 | at),
            _ => mix(number << 40 | sample << 32 | at),
        }
    }

    fn is_over(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty() && self.swapped.is_empty()
    }

    fn step(&mut self) {
        self.events.clear();
        self.computed = 0;
        self.outputs();
        if self.is_over() {
            self.tick();
            return;
        }
        let before = self.waiting.len() + self.swapped.len();
        match self.setup.keeper {
            Keeper::Paged => self.step_with_blocks(),
            Keeper::Hashed => self.step_with_known_blocks(),
            Keeper::Longest | Keeper::Power | Keeper::Oracle => self.step_with_rooms(),
        }
        self.tick();
        if self.running.is_empty() && self.run.stuck.is_none() && self.waiting.len() + self.swapped.len() == before {
            self.run.stuck = Some(self.why_stuck());
        }
    }

    /// What the pass before has yielded: sequences end, fork, and beams are chosen.
    fn outputs(&mut self) {
        for g in self.running.clone() {
            let request = self.request(g);
            if self.group(g).generated >= request.answer {
                for (number, name) in std::mem::take(&mut self.groups[g].sequences) {
                    self.free(name);
                    self.events.push(Event::Ended(self.sequence(g, number)));
                }
                self.running.retain(|other| *other != g);
                continue;
            }
            let decoded = self.group(g).generated - 1;
            let apart = self.setup.keeper != Keeper::Paged || request.wide == 1;
            if apart {
                continue;
            }
            if self.group(g).sequences.len() == 1 {
                if decoded == request.parts {
                    self.fork(g, request.wide);
                }
            } else if request.sampling == Sampling::Beam {
                self.choose_beams(g);
            }
        }
    }

    /// The only sequence of a group becomes so many.
    fn fork(&mut self, g: usize, wide: u64) {
        let (parent, from) = self.group(g).sequences[0];
        for number in 2..=wide {
            let child = self.name();
            if let Memory::Blocks(manager) = &mut self.memory {
                manager.fork(from, child);
            }
            self.events.push(Event::Forked { from: self.sequence(g, parent), to: self.sequence(g, number) });
            self.groups[g].sequences.push((number, child));
        }
    }

    /// As many beams as before, each the continuation of one of them; better ones, which stand first, are continued more often.
    fn choose_beams(&mut self, g: usize) {
        let wide = self.group(g).sequences.len();
        let mut children = vec![0_u64; wide];
        for _ in 0..wide {
            let u = self.draws.unit();
            children[((u * u * wide as f64) as usize).min(wide - 1)] += 1;
        }
        // Forks first, as vLLM does: what is dropped may be shared with what goes on.
        let old = self.group(g).sequences.clone();
        let dropped: Vec<usize> = (0..wide).filter(|i| children.get(*i) == Some(&0)).collect();
        let parents =
            children.iter().enumerate().flat_map(|(i, n)| std::iter::repeat_n(i, n.saturating_sub(1) as usize));
        for (parent, &place) in parents.zip(&dropped) {
            let (from, child) = (old[parent], self.name());
            if let Memory::Blocks(manager) = &mut self.memory {
                manager.fork(from.1, child);
            }
            self.groups[g].sequences[place].1 = child;
            let (from, to) = (self.sequence(g, from.0), self.sequence(g, old[place].0));
            self.events.push(Event::Replaced { from, to });
        }
        dropped.iter().for_each(|i| self.free(old[*i].1));
    }

    pub(super) fn free(&mut self, name: usize) {
        match &mut self.memory {
            Memory::Rooms(arena) => arena.free_sequence(name),
            Memory::Blocks(manager) => manager.free_sequence(name),
            Memory::Known(prefixes) => prefixes.free_sequence(name),
        }
    }

    /// A prompt, or what is computed again, goes through the model.
    pub(super) fn prefill(&mut self, g: usize, found: u64) {
        let request = self.request(g);
        let group = &mut self.groups[g];
        group.stage = Stage::Running;
        group.stored = request.prompt + group.generated;
        group.generated += 1;
        self.computed += group.stored - found;
        self.run.totals.found += found;
        self.run.totals.again += group.reached.saturating_sub(found);
        group.reached = group.reached.max(group.stored);
    }

    fn tick(&mut self) {
        let (usage, _) = self.slots();
        let sequences = |g: &usize| self.group(*g).sequences.len() as u64;
        let tick = Tick {
            running: self.running.iter().map(sequences).sum(),
            waiting: self.waiting.len() as u64,
            swapped: self.swapped.len() as u64,
            computed: self.computed,
            usage,
        };
        self.run.totals.computed += self.computed;
        self.run.ticks.push(tick);
    }
}
