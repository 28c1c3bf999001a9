//! One room in one piece for each sequence, the first gap that is large enough: what an engine does that hands a kernel one tensor.

/// The room of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Whose it is.
    pub sequence: usize,
    /// Its first slot.
    pub from: u64,
    /// Its slots.
    pub slots: u64,
}

/// Slots for tokens, and the rooms in them in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arena {
    slots: u64,
    rooms: Vec<Room>,
}

impl Arena {
    /// So many slots.
    pub const fn new(slots: u64) -> Self {
        Self { slots, rooms: Vec::new() }
    }

    /// The rooms, by their first slot.
    pub fn rooms(&self) -> &[Room] {
        &self.rooms
    }

    /// Slots outside all rooms.
    pub fn free(&self) -> u64 {
        self.slots.saturating_sub(self.rooms.iter().map(|room| room.slots).sum())
    }

    /// The gaps: first slot and slots of each, and before which room it lies.
    fn gaps(&self) -> impl Iterator<Item = (u64, u64, usize)> {
        (0..=self.rooms.len()).map(|i| {
            let from = i.checked_sub(1).and_then(|i| self.rooms.get(i)).map_or(0, |room| room.from + room.slots);
            let to = self.rooms.get(i).map_or(self.slots, |room| room.from);
            (from, to.saturating_sub(from), i)
        })
    }

    /// The largest room that could be had.
    pub fn largest_gap(&self) -> u64 {
        self.gaps().map(|(_, slots, _)| slots).max().unwrap_or(0)
    }

    /// Gives a sequence a room of so many slots, in the first gap that has them; whether there is one.
    pub fn place(&mut self, sequence: usize, slots: u64) -> bool {
        let gap = self.gaps().find(|(_, gap, _)| *gap >= slots);
        if let Some((from, _, at)) = gap {
            self.rooms.insert(at, Room { sequence, from, slots });
        }
        gap.is_some()
    }

    /// Gives a room back.
    pub fn free_sequence(&mut self, sequence: usize) {
        self.rooms.retain(|room| room.sequence != sequence);
    }
}
