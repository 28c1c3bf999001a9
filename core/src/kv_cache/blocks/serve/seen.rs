//! What is seen of a run: what each slot is for, the tables, who waits.

use super::super::blocks_of;
use super::super::manager::Place;
use super::super::usage::{For, Segment, Usage};
use super::engine::{Engine, Group, Memory};
use super::{Keeper, Row, Stage};

impl Engine<'_> {
    /// Slots that a room for this group has.
    pub(super) fn room(&self, g: usize) -> u64 {
        let request = self.request(g);
        match self.setup.keeper {
            Keeper::Longest => self.setup.longest.max(request.stored()),
            Keeper::Power => request.prompt + request.answer.next_power_of_two() - 1,
            _ => request.stored(),
        }
    }

    /// What every slot is for.
    pub(super) fn slots(&self) -> (Usage, Vec<Segment>) {
        let mut segments = Vec::new();
        let mut usage = Usage { slots: self.setup.blocks * self.setup.block, ..Usage::default() };
        for (g, group) in self.groups.iter().enumerate() {
            let remaining = self.request(g).stored().saturating_sub(group.stored);
            for (number, name) in &group.sequences {
                if group.stage == Stage::Running {
                    usage.logical += group.stored;
                    self.of_sequence((g, *number, *name), remaining, &mut usage, &mut segments);
                }
            }
        }
        if let Memory::Known(prefixes) = &self.memory {
            let slots = self.setup.block;
            let one = |block: u32, what| Segment { from: u64::from(block) * slots, slots, what, owner: None, held: 0 };
            segments.push(one(0, For::Null));
            segments.extend(prefixes.kept().map(|block| one(block, For::Kept)));
        }
        segments.iter().for_each(|segment| usage.add(segment));
        let null = segments.iter().filter(|s| s.what == For::Null).map(|s| s.slots).sum::<u64>();
        usage.free = usage.slots.saturating_sub(usage.held() + null);
        if let (Memory::Rooms(_), Some(first)) = (&self.memory, self.waiting.front())
            && self.room(*first) <= usage.free
        {
            usage.external = usage.free;
        }
        (usage, segments)
    }

    fn of_sequence(
        &self,
        (g, number, name): (usize, u64, usize),
        remaining: u64,
        usage: &mut Usage,
        into: &mut Vec<Segment>,
    ) {
        let (stored, owner) = (self.group(g).stored, Some(self.sequence(g, number)));
        let mut put = |from: u64, parts: [(u64, For); 3], held: u32| {
            let mut from = from;
            for (slots, what) in parts {
                if slots > 0 {
                    into.push(Segment { from, slots, what, owner, held });
                }
                from += slots;
            }
        };
        let (table, held): (&[u32], Box<dyn Fn(u32) -> u32 + '_>) = match &self.memory {
            Memory::Rooms(arena) => {
                if let Some(room) = arena.rooms().iter().find(|room| room.sequence == name) {
                    let later = remaining.min(room.slots.saturating_sub(stored));
                    let never = room.slots.saturating_sub(stored + later);
                    put(room.from, [(stored, For::Token), (later, For::Later), (never, For::Never)], 1);
                }
                return;
            }
            Memory::Blocks(manager) => match manager.table(name) {
                Some((Place::Gpu, table)) => (table, Box::new(|block| manager.held(block))),
                _ => return,
            },
            Memory::Known(prefixes) => {
                (prefixes.table(name).unwrap_or_default(), Box::new(|block| prefixes.held(block)))
            }
        };
        usage.in_tables += table.len() as u64;
        for (i, block) in table.iter().enumerate() {
            let from = u64::from(*block) * self.setup.block;
            // What several sequences hold is counted for the first of them. A sequence of another length may have more in it.
            if self.is_counted(g, name, *block) {
                continue;
            }
            usage.blocks += 1;
            let filled = stored.saturating_sub(i as u64 * self.setup.block).min(self.setup.block);
            let empty = self.setup.block - filled;
            let later = remaining.min(empty);
            put(from, [(filled, For::Token), (later, For::Later), (empty - later, For::Never)], held(*block));
        }
    }

    /// Whether a block is in the table of a running sequence that comes before this one.
    fn is_counted(&self, g: usize, name: usize, block: u32) -> bool {
        let held = match &self.memory {
            Memory::Blocks(manager) => manager.held(block),
            Memory::Known(prefixes) => prefixes.held(block),
            Memory::Rooms(_) => 1,
        };
        if held < 2 {
            return false;
        }
        let has = |name: usize| match &self.memory {
            Memory::Blocks(manager) => manager.table(name).is_some_and(|(_, table)| table.contains(&block)),
            Memory::Known(prefixes) => prefixes.table(name).is_some_and(|table| table.contains(&block)),
            Memory::Rooms(_) => false,
        };
        // With vLLM 0.2 only the sequences of one request share.
        let first = if matches!(self.memory, Memory::Blocks(_)) { g } else { 0 };
        let before =
            self.groups[first..=g].iter().filter(|group| group.stage == Stage::Running).flat_map(|g| &g.sequences);
        before.take_while(|(_, other)| *other != name).any(|(_, other)| has(*other))
    }

    fn row(&self, g: usize, (number, name): (u64, usize)) -> Row {
        let group = self.group(g);
        let blocks = match &self.memory {
            Memory::Rooms(_) => Vec::new(),
            Memory::Blocks(manager) => manager.table(name).map_or(Vec::new(), |(_, table)| table.to_vec()),
            Memory::Known(prefixes) => prefixes.table(name).unwrap_or_default().to_vec(),
        };
        let stored = if group.stage == Stage::Waiting { 0 } else { group.stored };
        Row { name: self.sequence(g, number), stage: group.stage, stored, last: self.request(g).stored(), blocks }
    }

    /// Puts what is there after this step into the run.
    pub(super) fn show(&mut self, step: usize) {
        let (usage, segments) = self.slots();
        let sequences =
            |(g, group): (usize, &Group)| group.sequences.iter().map(|s| self.row(g, *s)).collect::<Vec<_>>();
        let rows = self.groups.iter().enumerate().flat_map(sequences).collect();
        let queue = self.waiting.iter().map(|g| self.called(*g)).collect();
        self.run.rows = rows;
        self.run.queue = queue;
        self.run.step = step;
        self.run.events = self.events.clone();
        self.run.segments = segments;
        self.run.usage = usage;
    }

    pub(super) fn why_stuck(&self) -> String {
        let Some(first) = self.swapped.first().or(self.waiting.front()) else { return String::new() };
        let (name, request) = (self.called(*first), self.request(*first));
        if self.setup.keeper.has_blocks() {
            let needed = blocks_of(request.prompt + self.group(*first).generated, self.setup.block);
            format!(
                "{name} needs {needed} blocks of {}, and what is kept free besides; even the empty pool of {} has no room for it.",
                self.setup.block, self.setup.blocks
            )
        } else {
            format!(
                "{name} needs a room of {} slots, and there are {}.",
                self.room(*first),
                self.setup.blocks * self.setup.block
            )
        }
    }
}
