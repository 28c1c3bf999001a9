//! What each slot of the memory is for, as PagedAttention's Figures 2 and 3 divide it.

use super::serve::Name;

/// What a slot is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// A token is in it.
    Token,
    /// A later token of the same sequence will be in it.
    Later,
    /// No token ever will: internal fragmentation.
    Never,
    /// Nobody holds it, and its content can be found again.
    Kept,
    /// It is never given out (V1's block 0).
    Null,
}

/// Neighbouring slots that are for the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// The first slot.
    pub from: u64,
    /// How many.
    pub slots: u64,
    /// What they are for.
    pub what: For,
    /// Whose they are; any of the owners, where there are several.
    pub owner: Option<Name>,
    /// How many sequences hold them.
    pub held: u32,
}

/// Slots by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// All of them.
    pub slots: u64,
    /// With a token in them. A token that several sequences share is one.
    pub tokens: u64,
    /// For a later token of their sequence.
    pub later: u64,
    /// For no token ever.
    pub never: u64,
    /// Held by nobody.
    pub free: u64,
    /// Of those, slots that somebody waits for who would fit, were they in one piece.
    pub external: u64,
    /// Of those, slots whose content can be found again.
    pub kept: u64,
    /// Tokens that sequences have together, shared ones counted for each.
    pub logical: u64,
    /// Blocks that are held.
    pub blocks: u64,
    /// Blocks in all tables together, shared ones counted for each.
    pub in_tables: u64,
}

impl Usage {
    /// Slots that are held.
    pub const fn held(&self) -> u64 {
        self.tokens + self.later + self.never
    }

    /// The part of what is held that has a token in it; 1 where nothing is held.
    pub fn utilisation(&self) -> f64 {
        if self.held() == 0 { 1.0 } else { self.tokens as f64 / self.held() as f64 }
    }

    /// The part of all blocks in tables that sharing saves.
    pub fn saved(&self) -> f64 {
        if self.in_tables == 0 { 0.0 } else { 1.0 - self.blocks as f64 / self.in_tables as f64 }
    }

    /// Counts slots.
    pub fn add(&mut self, segment: &Segment) {
        match segment.what {
            For::Token => self.tokens += segment.slots,
            For::Later => self.later += segment.slots,
            For::Never => self.never += segment.slots,
            For::Kept => self.kept += segment.slots,
            For::Null => {}
        }
    }
}
