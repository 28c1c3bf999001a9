//! One rank on its own, for a worker that runs no other: what it is told and what it tells are bytes.

use std::collections::BTreeMap;

use monty::MontyRun;
use ringside_core::program::workers::Ended;
use ringside_core::program::{At, Diagnosis, Job, State};

use crate::engine::{self, Runner, Status, Stopped};
use crate::rewrite::{Source, rewrite};
use crate::say;
use crate::tensor::DType;
use crate::wire::{Packet, Wire};
use crate::world::{Fault, World};

/// One rank of a job whose other ranks are elsewhere.
///
/// [`Member::go`] runs it until it waits. Then whoever has it sends [`Member::out`] to the other ranks, in order, and gives it what
/// they send by [`Member::hear`], until it has [ended](Member::ended).
pub struct Member<'a> {
    rank: usize,
    world: World<'a>,
    source: Source,
    program: MontyRun,
    runner: Option<Runner>,
    /// What ended it before its program had.
    stopped: Option<Stopped>,
    heard: u64,
}

/// What a send of so many elements is, as it travels.
pub fn sample(elements: usize) -> Vec<u8> {
    let values = vec![1.0; elements];
    postcard::to_stdvec(&Packet::Send { tag: 0, line: 0, dtype: DType::F32, values }).unwrap_or_default()
}

/// What came, read and written again, as a rank would that passes it on.
pub fn echo(packet: &[u8]) -> Vec<u8> {
    let read = postcard::from_bytes::<Packet>(packet).ok();
    read.and_then(|packet| postcard::to_stdvec(&packet).ok()).unwrap_or_default()
}

impl<'a> Member<'a> {
    /// Reads the program, but runs none of it. At its call number `breaks` the rank stops and tells nobody.
    ///
    /// # Errors
    /// If the program can't be read.
    pub fn new(job: &'a Job, rank: usize, breaks: Option<u64>) -> Result<Self, Diagnosis> {
        let source = rewrite(&job.program).map_err(|unreadable| say::syntax(unreadable.line, &unreadable.message))?;
        let program = engine::compiled(&source)?;
        let mut world = World::new(job, job.world_size, BTreeMap::new(), false);
        world.wire = Some(Wire::new(rank, breaks));
        Ok(Self { rank, world, source, program, runner: None, stopped: None, heard: 0 })
    }

    /// Runs it until it waits or ends.
    pub fn go(&mut self) {
        if !self.runs() {
            return;
        }
        let went = self.advance();
        self.stopped = went.err();
        let dead = self.world.seats.get(self.rank).is_some_and(|seat| seat.dead);
        if dead && let Some(wire) = &mut self.world.wire {
            let others = (0..self.world.size).filter(|rank| *rank != wire.rank);
            wire.out.extend(others.map(|rank| (rank, Packet::Gone)));
        }
    }

    /// Begins it, or lets it go on from what it waited for.
    fn advance(&mut self) -> Result<(), Stopped> {
        let Self { rank, world, source, program, runner, .. } = self;
        let runner = match runner {
            Some(runner) => runner,
            none => none.insert(engine::begin(world, *rank, program, source)?),
        };
        loop {
            let Status::Blocked(_, block) = &runner.status else { return Ok(()) };
            let ends = match world.lost(block) {
                _ if world.ready(*rank, block) => Ok(()),
                Some(dead) => {
                    world.leave(block, dead);
                    Err(format!("rank {dead} is gone"))
                }
                None => return Ok(()),
            };
            engine::wake(world, *rank, runner, source, ends)?;
        }
    }

    /// Enters what another rank sent; what can't be read is passed over.
    pub fn hear(&mut self, from: usize, packet: &[u8]) {
        self.heard += 1;
        if self.stopped.is_some() || from >= self.world.size {
            return;
        }
        let Ok(packet) = postcard::from_bytes::<Packet>(packet) else { return };
        if let Err(fault) = self.world.hear(from, packet) {
            let line = self.line();
            let at = vec![At { rank: self.rank, line }];
            let diagnosis = match fault {
                Fault::Stop(diagnosis) => diagnosis,
                Fault::Raise(_, sentence) => say::failed(sentence, at),
                Fault::Die => say::failed("it died".to_owned(), at),
            };
            self.stopped = Some((State::Refused { line, call: String::new() }, diagnosis));
        }
    }

    /// What is to be sent to which ranks, in order. It is given once.
    pub fn out(&mut self) -> Vec<(usize, Vec<u8>)> {
        let out = self.world.wire.as_mut().map(|wire| std::mem::take(&mut wire.out)).unwrap_or_default();
        out.into_iter().map(|(to, packet)| (to, postcard::to_stdvec(&packet).unwrap_or_default())).collect()
    }

    fn line(&self) -> u32 {
        self.world.seats.get(self.rank).map_or(0, |seat| seat.line)
    }

    fn runs(&self) -> bool {
        matches!(self.state(), State::Waits { .. } | State::Stopped { .. })
    }

    /// Where it is.
    pub fn state(&self) -> State {
        match (&self.stopped, &self.runner) {
            (Some((state, _)), _) => state.clone(),
            (None, Some(runner)) => runner.state(&self.world, self.rank),
            (None, None) => State::Stopped { line: 0 },
        }
    }

    /// Calls that it has made and packets that came: what changes as long as anything happens.
    pub fn moves(&self) -> u64 {
        self.heard + self.world.seats.get(self.rank).map_or(0, |seat| seat.calls)
    }

    /// How it ended; none as long as it can go on or waits.
    pub fn ended(&self) -> Option<Ended> {
        if self.runs() {
            return None;
        }
        let submitted = self.world.seats.get(self.rank).map(|seat| seat.submitted.iter().map(|(s, ..)| s.clone()));
        Some(Ended {
            state: self.state(),
            fault: self.stopped.as_ref().map(|(_, diagnosis)| diagnosis.clone()),
            submitted: submitted.into_iter().flatten().collect(),
        })
    }
}
