//! A step with each kind of memory.

use super::super::manager::{Appended, Full};
use super::engine::{Engine, Memory};
use super::{Event, Preempt, Stage};

impl Engine<'_> {
    /// vLLM 0.2.0: prompts alone, or everybody's next token.
    pub(super) fn step_with_blocks(&mut self) {
        if self.swapped.is_empty() && self.admit_prompts() {
            return;
        }
        let mut before = std::mem::take(&mut self.running);
        before.sort_unstable();
        let mut left: std::collections::VecDeque<usize> = before.into();
        let (mut went, mut out) = (Vec::new(), false);
        while let Some(g) = left.pop_front() {
            let wide = self.group(g).sequences.len();
            let mut goes_on = true;
            while goes_on && !self.blocks().is_some_and(|manager| manager.can_append(wide)) {
                let victim = left.pop_back().unwrap_or(g);
                goes_on = victim != g;
                // A request that is alone and does not fit never will.
                if !goes_on && self.running.is_empty() && went.is_empty() {
                    self.run.stuck = Some(format!(
                        "{} is alone and needs a block, and none is free: {}",
                        self.called(g),
                        Full::Gpu.message()
                    ));
                    self.running = vec![g];
                    return;
                }
                out |= self.preempt(victim);
                went.push(victim);
                if self.run.stuck.is_some() {
                    return;
                }
            }
            if goes_on {
                self.append_all(g);
                self.running.push(g);
            }
        }
        while let (Some(g), false) = (self.swapped.first().copied(), out) {
            if went.contains(&g) || !self.swap_in(g) {
                break;
            }
        }
        for g in self.running.clone() {
            self.advance(g);
        }
    }

    fn blocks(&mut self) -> Option<&mut super::super::manager::Manager> {
        match &mut self.memory {
            Memory::Blocks(manager) => Some(manager),
            _ => None,
        }
    }

    /// Admits what waits, in order, until one does not fit; whether any was.
    fn admit_prompts(&mut self) -> bool {
        let mut any = false;
        while let Some(&g) = self.waiting.front() {
            let tokens = self.request(g).prompt + self.group(g).generated;
            let names: Vec<usize> = self.group(g).sequences.iter().map(|(_, name)| *name).collect();
            let Some(manager) = self.blocks() else { break };
            let before = manager.free();
            if !manager.can_allocate(tokens) || manager.allocate(&names, tokens).is_err() {
                break;
            }
            let taken = (before - manager.free()) as u64;
            self.waiting.pop_front();
            self.running.push(g);
            self.events.push(Event::Admitted { name: self.called(g), taken, found: 0, lost: 0 });
            self.prefill(g, 0);
            any = true;
        }
        any
    }

    /// A request gives way; whether it went to the host.
    fn preempt(&mut self, g: usize) -> bool {
        self.run.totals.preempted += 1;
        let names: Vec<usize> = self.group(g).sequences.iter().map(|(_, name)| *name).collect();
        let swaps = names.len() > 1 || self.setup.preempt == Preempt::Swap;
        let name = self.called(g);
        if !swaps {
            names.iter().for_each(|sequence| self.free(*sequence));
            let tokens = self.group(g).stored;
            self.groups[g].stage = Stage::Waiting;
            self.waiting.push_front(g);
            self.events.push(Event::Evicted { name, tokens });
            return false;
        }
        match self.blocks().map(|manager| manager.swap_out(&names)) {
            Some(Ok(moved)) => {
                self.groups[g].stage = Stage::Swapped;
                self.swapped.push(g);
                self.swapped.sort_unstable();
                self.run.totals.swapped += moved.len() as u64;
                self.events.push(Event::SwappedOut { name, blocks: moved.len() as u64 });
            }
            Some(Err(full)) => {
                self.running.push(g);
                self.run.stuck = Some(format!("{name} has to give way: {}", full.message()));
            }
            None => {}
        }
        true
    }

    fn swap_in(&mut self, g: usize) -> bool {
        let names: Vec<usize> = self.group(g).sequences.iter().map(|(_, name)| *name).collect();
        let Some(manager) = self.blocks().filter(|manager| manager.can_swap_in(&names)) else { return false };
        let Ok(moved) = manager.swap_in(&names) else { return false };
        self.swapped.retain(|other| *other != g);
        self.groups[g].stage = Stage::Running;
        self.running.push(g);
        self.run.totals.swapped += moved.len() as u64;
        self.events.push(Event::SwappedIn { name: self.called(g), blocks: moved.len() as u64 });
        self.append_all(g);
        true
    }

    /// Room for the next token of each sequence of a group.
    fn append_all(&mut self, g: usize) {
        let tokens = self.group(g).stored + 1;
        for (number, name) in self.group(g).sequences.clone() {
            let called = self.sequence(g, number);
            match self.blocks().map(|manager| manager.append(name, tokens)) {
                Some(Ok(Appended::Block(block))) => self.events.push(Event::Grew { name: called, block }),
                Some(Ok(Appended::Copy { from, to })) => {
                    self.run.totals.copied += 1;
                    self.events.push(Event::Copied { name: called, from, to });
                }
                _ => {}
            }
        }
    }

    /// A token of each sequence goes through the model.
    fn advance(&mut self, g: usize) {
        let group = &mut self.groups[g];
        group.stored += 1;
        group.generated += 1;
        group.reached = group.reached.max(group.stored);
        self.computed += group.sequences.len() as u64;
    }

    /// vLLM V1: who runs goes on, and whoever fits joins.
    pub(super) fn step_with_known_blocks(&mut self) {
        let mut left: std::collections::VecDeque<usize> = std::mem::take(&mut self.running).into();
        let mut gave_way = false;
        while let Some(g) = left.pop_front() {
            loop {
                if self.append_known(g) {
                    self.running.push(g);
                    break;
                }
                let victim = left.pop_back().unwrap_or(g);
                if victim == g && self.running.is_empty() {
                    self.run.stuck = Some(format!("{} is alone and needs a block, and none is free.", self.called(g)));
                    self.running = vec![g];
                    return;
                }
                gave_way = true;
                self.evict(victim);
                if victim == g {
                    break;
                }
            }
        }
        for g in self.running.clone() {
            self.advance(g);
        }
        while let (Some(&g), false) = (self.waiting.front(), gave_way) {
            let tokens = self.request(g).prompt + self.group(g).generated;
            let (token, name) = (self.token(g), self.group(g).sequences[0].1);
            let Memory::Known(prefixes) = &mut self.memory else { break };
            let Some(admitted) = prefixes.allocate(name, tokens, &token) else { break };
            self.waiting.pop_front();
            self.running.push(g);
            self.run.totals.lost += admitted.lost;
            self.events.push(Event::Admitted {
                name: self.called(g),
                taken: admitted.taken,
                found: admitted.found,
                lost: admitted.lost,
            });
            self.prefill(g, admitted.found);
        }
    }

    fn append_known(&mut self, g: usize) -> bool {
        let tokens = self.group(g).stored + 1;
        let (token, (number, name)) = (self.token(g), self.group(g).sequences[0]);
        let Memory::Known(prefixes) = &mut self.memory else { return false };
        let Some(taken) = prefixes.append(name, tokens, &token) else { return false };
        if let Some((block, was_known)) = taken {
            self.run.totals.lost += u64::from(was_known);
            self.events.push(Event::Grew { name: self.sequence(g, number), block });
        }
        true
    }

    fn evict(&mut self, g: usize) {
        self.run.totals.preempted += 1;
        let tokens = self.group(g).stored;
        for (_, name) in self.group(g).sequences.clone() {
            self.free(name);
        }
        self.groups[g].stage = Stage::Waiting;
        self.waiting.push_front(g);
        self.events.push(Event::Evicted { name: self.called(g), tokens });
    }

    /// One room each: nobody has to give way, and whoever waits needs a gap.
    pub(super) fn step_with_rooms(&mut self) {
        for g in self.running.clone() {
            self.advance(g);
        }
        while let Some(&g) = self.waiting.front() {
            let (room, name) = (self.room(g), self.group(g).sequences[0].1);
            let Memory::Rooms(arena) = &mut self.memory else { break };
            if !arena.place(name, room) {
                break;
            }
            self.waiting.pop_front();
            self.running.push(g);
            self.events.push(Event::Admitted { name: self.called(g), taken: room, found: 0, lost: 0 });
            self.prefill(g, 0);
        }
    }
}
