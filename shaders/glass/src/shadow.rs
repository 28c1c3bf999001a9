//! Who touched a cell of memory last, and whether anything orders that before what happens now.

/// An access: by which invocation of the dispatch, counted from 1 (0 is nobody); between which barriers; and on which line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Mark {
    pub who: u32,
    pub epoch: u32,
    pub line: u32,
}

/// What is known of a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cell {
    pub writer: Mark,
    readers: [Mark; 2],
    /// The last reader of another workgroup.
    far: Mark,
    /// Whether it ever had a value.
    pub written: bool,
}

impl Cell {
    /// Untouched, with a value or without.
    pub fn new(written: bool) -> Self {
        Self { written, ..Self::default() }
    }

    /// Forgets who touched it: another dispatch begins.
    pub fn settle(&mut self) {
        *self = Self::new(self.written);
    }

    /// Whether `before` and `now` may happen at once, in workgroups of so many invocations.
    fn races(before: Mark, now: Mark, size: u32) -> bool {
        before.who != 0
            && before.who != now.who
            && (before.epoch == now.epoch || (before.who - 1) / size != (now.who - 1) / size)
    }

    /// Takes note of a read. The write that it races with, if any.
    pub fn read(&mut self, now: Mark, size: u32) -> Option<Mark> {
        let [first, second] = &mut self.readers;
        if first.who == 0 || first.epoch != now.epoch {
            if first.who != 0 && (first.who - 1) / size != (now.who - 1) / size {
                self.far = *first;
            }
            (*first, *second) = (now, Mark::default());
        } else if first.who != now.who {
            *second = now;
        }
        Some(self.writer).filter(|writer| Self::races(*writer, now, size))
    }

    /// Takes note of a write. What it races with, if anything; and whether that was a write.
    pub fn write(&mut self, now: Mark, size: u32) -> Option<(Mark, bool)> {
        let before = std::mem::replace(&mut self.writer, now);
        self.written = true;
        if Self::races(before, now, size) {
            return Some((before, true));
        }
        let [first, second] = self.readers;
        [first, second, self.far].into_iter().find(|reader| Self::races(*reader, now, size)).map(|mark| (mark, false))
    }
}
