//! The part of Python's pickle format that a memory snapshot needs, read piece by piece: numbers, texts, lists, tuples and dictionaries.
//!
//! A pickle is a program for a stack machine (`python/cpython`, `Lib/pickletools.py`), and some of its instructions call whatever function
//! the file names: that is why an unknown pickle must never be loaded by Python. None of those instructions exists here. What is not a
//! plain value is refused, nothing is called, and every instruction consumes bytes, so reading ends. A value may be referred to any number of
//! times, so whoever copies what a pickle holds has to count the copies.
//!
//! Nearly all of a long file is the history of allocations. So what is complete is kept as what a snapshot needs of it: of an entry of the history,
//! which becomes part of its recorder at once, nothing; of a list of frames, the call site.

use std::collections::BTreeMap;

use super::history::{Action, Entry, Recorder};

/// Values with parts, and parts, that are kept of one file.
const MOST_VALUES: usize = 12_000_000;

/// Places that a file may refer to again: a gigabyte of history has 14 million.
const MOST_PLACES: usize = 60_000_000;

/// Values that stand open: Python writes them in batches of a thousand.
const MOST_OPEN: usize = 4_000_000;

/// Bytes that are kept of one text, and of all.
const LONGEST_TEXT: usize = 4096;
const MOST_TEXT: usize = 50_000_000;

/// A value as it stands on the stack, in a list or in a dictionary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Item {
    /// Where a list or a dictionary begins.
    Mark,
    /// None, a float, or what no snapshot needs.
    Other,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A value with parts, by its place among all.
    At(u32),
}

/// A value with parts.
#[derive(Debug, Clone)]
pub(super) enum Cell {
    /// It was needed no longer.
    Gone,
    /// A text.
    Text(Box<str>),
    /// A list or a tuple.
    List(Vec<Item>),
    /// A dictionary whose members aren't there yet, and the place by which the file refers to it.
    Open(Option<u32>),
    /// A dictionary with none of the keys below.
    Dict,
    /// All of a snapshot: its segments, and the histories of its GPUs.
    Top(Box<[Item; 2]>),
    /// A segment.
    Segment(Box<Segment>),
    /// A block.
    Block(Box<Block>),
    /// A frame: its file and its function, both texts, and its line.
    Frame { file: u32, name: u32, line: i32 },
    /// A list of frames: the innermost of Python inside PyTorch, and outside of it.
    Frames { inside: Option<u32>, own: Option<u32> },
    /// An entry of the history.
    Entry(Box<(Entry, Option<u32>)>),
    /// A list of such entries.
    History(Box<Recorder>),
}

/// A segment, as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub total_size: Option<u64>,
    pub small: bool,
    pub expandable: bool,
    pub device: i64,
    /// A list.
    pub blocks: Item,
}

/// A block, as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub size: Option<u64>,
    pub requested: Option<u64>,
    /// A text.
    pub state: Item,
    /// A list of frames.
    pub frames: Item,
}

/// Many values in pieces of one size: growing copies none of them.
#[derive(Debug, Clone)]
struct Long<T>(Vec<Vec<T>>);

impl<T> Long<T> {
    const PIECE: usize = 1 << 16;

    fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * Self::PIECE + last.len())
    }

    fn push(&mut self, value: T) {
        match self.0.last_mut().filter(|last| last.len() < Self::PIECE) {
            Some(last) => last.push(value),
            None => {
                let mut piece = Vec::with_capacity(if self.0.is_empty() { 0 } else { Self::PIECE });
                piece.push(value);
                self.0.push(piece);
            }
        }
    }

    fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at / Self::PIECE)?.get(at % Self::PIECE)
    }

    fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.get_mut(at / Self::PIECE)?.get_mut(at % Self::PIECE)
    }
}

/// Why an instruction isn't followed.
enum Stop {
    /// Not all of it is there yet.
    More,
    /// It can't be.
    Bad(String),
}

/// What a pickle holds, as far as it was given.
#[derive(Debug, Clone)]
pub(super) struct Pickle {
    /// The bytes of an instruction that isn't complete.
    held: Vec<u8>,
    /// Bytes before those.
    read: u64,
    /// Bytes of a text that are passed over.
    skip: u64,
    cells: Long<Cell>,
    /// Cells that are gone.
    free: Vec<u32>,
    /// Parts of all lists.
    parts: usize,
    texts: BTreeMap<Box<str>, u32>,
    text_bytes: usize,
    frames: BTreeMap<(u32, u32, i32), u32>,
    stack: Vec<Item>,
    /// What the file may refer to: cells, or [`NOWHERE`].
    memo: Long<u32>,
    /// The value of it all, once it is there.
    top: Option<Item>,
}

/// No cell.
const NOWHERE: u32 = u32::MAX;

/// The bytes of an instruction.
struct Code<'a>(&'a [u8]);

impl<'a> Code<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Stop> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Stop::More)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A number of so many bytes, the least first.
    fn number(&mut self, bytes: usize) -> Result<u64, Stop> {
        Ok(self.take(bytes)?.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte)))
    }

    fn length(&mut self, bytes: usize) -> Result<usize, Stop> {
        usize::try_from(self.number(bytes)?).map_err(|_| Stop::Bad(String::new()))
    }
}

impl Default for Pickle {
    fn default() -> Self {
        Self {
            held: Vec::new(),
            read: 0,
            skip: 0,
            cells: Long(Vec::new()),
            free: Vec::new(),
            parts: 0,
            texts: BTreeMap::new(),
            text_bytes: 0,
            frames: BTreeMap::new(),
            stack: Vec::new(),
            memo: Long(Vec::new()),
            top: None,
        }
    }
}

impl Pickle {
    /// Takes the next bytes. Whether it wants more.
    ///
    /// # Errors
    /// A sentence: what it is instead.
    pub fn push(&mut self, piece: &[u8]) -> Result<bool, String> {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(piece);
        let mut rest = held.as_slice();
        while self.top.is_none() {
            let skipped = rest.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
            self.skip -= skipped as u64;
            rest = rest.get(skipped..).unwrap_or_default();
            let mut code = Code(rest);
            self.read += skipped as u64;
            match self.step(&mut code) {
                Err(Stop::More) => break,
                Err(Stop::Bad(why)) if why.is_empty() => {
                    return Err(format!("The pickle is damaged at byte {}.", self.read));
                }
                Err(Stop::Bad(why)) => return Err(why),
                Ok(()) => {
                    self.read += (rest.len() - code.0.len()) as u64;
                    rest = code.0;
                }
            }
        }
        let done = held.len() - rest.len();
        held.drain(..done);
        self.held = held;
        Ok(self.top.is_none())
    }

    /// Its value.
    ///
    /// # Errors
    /// A sentence: it ends too early.
    pub fn top(&self) -> Result<Item, String> {
        let length = self.read + self.held.len() as u64;
        self.top.ok_or_else(|| format!("The pickle ends after {length} bytes, in the middle."))
    }

    /// A value with parts.
    pub fn cell(&self, item: Item) -> &Cell {
        match item {
            Item::At(at) => self.cells.get(at as usize).unwrap_or(&Cell::Gone),
            _ => &Cell::Gone,
        }
    }

    /// A text; empty for anything else.
    pub fn text(&self, item: Item) -> &str {
        match self.cell(item) {
            Cell::Text(text) => text,
            _ => "",
        }
    }

    /// Takes a history out of it.
    pub fn recorder(&mut self, item: Item) -> Option<Recorder> {
        let Item::At(at) = item else { return None };
        match self.cells.get_mut(at as usize) {
            Some(Cell::History(recorder)) => Some(std::mem::take(&mut **recorder)),
            _ => None,
        }
    }

    fn put(&mut self, cell: Cell) -> Result<u32, Stop> {
        if let Some(at) = self.free.pop() {
            if let Some(place) = self.cells.get_mut(at as usize) {
                *place = cell;
            }
            return Ok(at);
        }
        if self.cells.len() + self.parts >= MOST_VALUES {
            return Err(Stop::Bad(
                "The pickle has more than 12 million values beside its history. Record fewer frames: \
                 torch.cuda.memory._record_memory_history(stacks=\"python\")."
                    .to_owned(),
            ));
        }
        let at = self.cells.len() as u32;
        self.cells.push(cell);
        Ok(at)
    }

    fn push_item(&mut self, item: Item) -> Result<(), Stop> {
        if self.stack.len() >= MOST_OPEN {
            return Err(Stop::Bad(String::new()));
        }
        self.stack.push(item);
        Ok(())
    }

    fn push_cell(&mut self, cell: Cell) -> Result<(), Stop> {
        let at = self.put(cell)?;
        self.push_item(Item::At(at))
    }

    fn pop(&mut self) -> Result<Item, Stop> {
        self.stack.pop().filter(|item| *item != Item::Mark).ok_or(Stop::Bad(String::new()))
    }

    /// Everything above the last mark.
    fn marked(&mut self) -> Result<Vec<Item>, Stop> {
        let at = self.stack.iter().rposition(|item| *item == Item::Mark).ok_or(Stop::Bad(String::new()))?;
        let above = self.stack.split_off(at + 1);
        self.stack.pop();
        Ok(above)
    }

    fn push_text(&mut self, text: &[u8]) -> Result<(), Stop> {
        let text = String::from_utf8_lossy(text);
        if let Some(at) = self.texts.get(text.as_ref()) {
            return self.push_item(Item::At(*at));
        }
        self.text_bytes += text.len();
        if self.text_bytes > MOST_TEXT {
            return Err(Stop::Bad("The pickle has more than 50 MB of names, so it is no snapshot.".to_owned()));
        }
        let at = self.put(Cell::Text(text.as_ref().into()))?;
        self.texts.insert(text.into(), at);
        self.push_item(Item::At(at))
    }

    fn remember(&mut self, place: usize) -> Result<(), Stop> {
        let item = self.stack.last().copied().filter(|item| *item != Item::Mark).ok_or(Stop::Bad(String::new()))?;
        // Places are given in turn: one far beyond is of no real file.
        if place > self.memo.len() + 1 || place >= MOST_PLACES {
            return Err(Stop::Bad(String::new()));
        }
        let at = match item {
            Item::At(at) => at,
            _ => NOWHERE,
        };
        if let Some(Cell::Open(known)) = self.cells.get_mut(at as usize) {
            *known = u32::try_from(place).ok();
        }
        while self.memo.len() <= place {
            self.memo.push(NOWHERE);
        }
        if let Some(remembered) = self.memo.get_mut(place) {
            *remembered = at;
        }
        Ok(())
    }

    fn recall(&mut self, place: usize) -> Result<(), Stop> {
        match self.memo.get(place) {
            None => Err(Stop::Bad(String::new())),
            Some(&NOWHERE) => self.push_item(Item::Other),
            Some(at) => {
                let at = *at;
                self.push_item(Item::At(at))
            }
        }
    }

    /// A cell that nothing needs any longer: the file can't refer to it again.
    fn drop_cell(&mut self, at: u32, place: Option<u32>) {
        if let Some(remembered) = place.and_then(|place| self.memo.get_mut(place as usize)).filter(|held| **held == at)
        {
            *remembered = NOWHERE;
        }
        if let Some(cell) = self.cells.get_mut(at as usize) {
            *cell = Cell::Gone;
            self.free.push(at);
        }
    }

    /// Puts parts into the list on top of the stack.
    fn append(&mut self, parts: &[Item]) -> Result<(), Stop> {
        let Some(Item::At(list)) = self.stack.last().copied() else { return Err(Stop::Bad(String::new())) };
        for part in parts {
            let first = self.cell(*part);
            match first {
                Cell::Entry(entry) => {
                    let (entry, place) = **entry;
                    let Some(cell) = self.cells.get_mut(list as usize) else { return Err(Stop::Bad(String::new())) };
                    match cell {
                        Cell::History(recorder) => recorder.take(entry),
                        Cell::List(before) if before.is_empty() => {
                            let mut recorder = Box::<Recorder>::default();
                            recorder.take(entry);
                            *cell = Cell::History(recorder);
                        }
                        _ => return Err(Stop::Bad(String::new())),
                    }
                    if let Item::At(at) = *part {
                        self.drop_cell(at, place);
                    }
                }
                Cell::Frame { file, .. } => {
                    let path = self.text(Item::At(*file));
                    let is_python = path.ends_with(".py");
                    let is_inside = path.starts_with("torch/") || path.contains("/torch/");
                    let Some(cell) = self.cells.get_mut(list as usize) else { return Err(Stop::Bad(String::new())) };
                    if matches!(cell, Cell::List(before) if before.is_empty()) {
                        *cell = Cell::Frames { inside: None, own: None };
                    }
                    if let (Cell::Frames { inside, own }, true, Item::At(at)) = (cell, is_python, *part) {
                        let slot = if is_inside { inside } else { own };
                        slot.get_or_insert(at);
                    }
                }
                _ => match self.cells.get_mut(list as usize) {
                    Some(Cell::List(before)) => {
                        before.push(*part);
                        self.parts += 1;
                        if self.cells.len() + self.parts > MOST_VALUES {
                            return Err(Stop::Bad(
                                "The pickle has more than 12 million values, so it is no snapshot.".to_owned(),
                            ));
                        }
                    }
                    // Among frames and entries nothing else counts.
                    Some(Cell::Frames { .. } | Cell::History(_)) => {}
                    _ => return Err(Stop::Bad(String::new())),
                },
            }
        }
        Ok(())
    }

    /// Puts keys and values, in turn, into the dictionary on top of the stack, and keeps what a snapshot needs of it.
    fn set(&mut self, parts: &[Item]) -> Result<(), Stop> {
        let Some(Item::At(at)) = self.stack.last().copied() else { return Err(Stop::Bad(String::new())) };
        let place = match self.cells.get(at as usize) {
            Some(Cell::Open(place)) => *place,
            // Members beyond the first thousand say nothing.
            Some(
                Cell::Dict | Cell::Top(_) | Cell::Segment(_) | Cell::Block(_) | Cell::Frame { .. } | Cell::Entry(_),
            ) => {
                return Ok(());
            }
            _ => return Err(Stop::Bad(String::new())),
        };
        let of = |name: &str| {
            let is_key = |pair: &&[Item]| pair.first().is_some_and(|key| self.text(*key) == name);
            parts.chunks_exact(2).take(64).find(is_key).and_then(|pair| pair.get(1)).copied()
        };
        let size = |name: &str| match of(name) {
            Some(Item::Int(n)) => u64::try_from(n).ok(),
            _ => None,
        };
        let list = |name: &str| of(name).unwrap_or(Item::Other);
        let cell = if let Some(segments) = of("segments") {
            Cell::Top(Box::new([segments, list("device_traces")]))
        } else if let Some(action) = of("action") {
            let time_us = match of("time_us") {
                Some(Item::Int(time)) => Some(time),
                _ => None,
            };
            let entry =
                Entry { action: Action::of(self.text(action)), size: size("size").unwrap_or_default(), time_us };
            Cell::Entry(Box::new((entry, place)))
        } else if let Some(blocks) = of("blocks") {
            let device = match of("device") {
                Some(Item::Int(n)) => n,
                _ => 0,
            };
            Cell::Segment(Box::new(Segment {
                total_size: size("total_size"),
                small: of("segment_type").is_some_and(|kind| self.text(kind) == "small"),
                expandable: of("is_expandable") == Some(Item::Bool(true)),
                device,
                blocks,
            }))
        } else if let (Some(Item::At(file)), Some(Item::Int(line))) = (of("filename"), of("line")) {
            let name = match of("name") {
                Some(Item::At(name)) => name,
                _ => NOWHERE,
            };
            let frame = (file, name, i32::try_from(line).unwrap_or_default());
            // Older files repeat it wherever it stands.
            if let Some(known) = self.frames.get(&frame).copied().filter(|known| *known != at) {
                self.drop_cell(at, place);
                if let Some(remembered) = place.and_then(|place| self.memo.get_mut(place as usize)) {
                    *remembered = known;
                }
                if let Some(last) = self.stack.last_mut() {
                    *last = Item::At(known);
                }
                return Ok(());
            }
            self.frames.insert(frame, at);
            Cell::Frame { file, name, line: frame.2 }
        } else if let Some(state) = of("state") {
            Cell::Block(Box::new(Block {
                size: size("size"),
                requested: size("requested_size"),
                state,
                frames: list("frames"),
            }))
        } else {
            Cell::Dict
        };
        if let Some(open) = self.cells.get_mut(at as usize) {
            *open = cell;
        }
        Ok(())
    }

    fn list_of(&mut self, parts: &[Item]) -> Result<(), Stop> {
        self.push_cell(Cell::List(Vec::new()))?;
        self.append(parts)
    }

    /// One instruction. What it needs of `code` is taken before anything changes.
    fn step(&mut self, code: &mut Code<'_>) -> Result<(), Stop> {
        let which = code.number(1)? as u8;
        match which {
            0x80 => drop(code.take(1)?),
            0x95 => drop(code.take(8)?),
            b'.' => self.top = Some(self.pop()?),
            b'(' => self.push_item(Item::Mark)?,
            b'0' => drop(self.pop()?),
            b'N' => self.push_item(Item::Other)?,
            b'G' => {
                code.take(8)?;
                self.push_item(Item::Other)?;
            }
            0x88 | 0x89 => self.push_item(Item::Bool(which == 0x88))?,
            b'K' | b'M' => {
                let number = code.number(if which == b'K' { 1 } else { 2 })?;
                self.push_item(Item::Int(number as i64))?;
            }
            b'J' => {
                let number = code.number(4)? as u32;
                self.push_item(Item::Int(i64::from(number as i32)))?;
            }
            0x8a => {
                let length = code.length(1)?;
                let number = long(code.take(length)?);
                self.push_item(number)?;
            }
            0x8c | b'X' => {
                let length = code.length(if which == 0x8c { 1 } else { 4 })?;
                let kept = length.min(LONGEST_TEXT);
                let text = code.take(kept)?;
                self.push_text(text)?;
                self.skip = (length - kept) as u64;
            }
            b']' | b')' => self.push_cell(Cell::List(Vec::new()))?,
            b'}' => self.push_cell(Cell::Open(None))?,
            b'l' | b't' => {
                let parts = self.marked()?;
                self.list_of(&parts)?;
            }
            0x85..=0x87 => {
                let mut parts = (0..which - 0x84).map(|_| self.pop()).collect::<Result<Vec<Item>, Stop>>()?;
                parts.reverse();
                self.list_of(&parts)?;
            }
            b'a' => {
                let part = self.pop()?;
                self.append(&[part])?;
            }
            b'e' => {
                let parts = self.marked()?;
                self.append(&parts)?;
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(&[key, value])?;
            }
            b'u' => {
                let parts = self.marked()?;
                self.set(&parts)?;
            }
            0x94 => self.remember(self.memo.len())?,
            b'q' | b'r' => {
                let place = code.length(if which == b'q' { 1 } else { 4 })?;
                self.remember(place)?;
            }
            b'h' | b'j' => {
                let place = code.length(if which == b'h' { 1 } else { 4 })?;
                self.recall(place)?;
            }
            b'c' | b'i' | b'o' | b'R' | b'b' | b'P' | b'Q' | 0x81..=0x84 | 0x92 | 0x93 => {
                return Err(Stop::Bad(format!(
                    "At byte {} it asks for an object that Python would have to call code for. A snapshot has none, so it is no snapshot, and \
                     was not read any further.",
                    self.read
                )));
            }
            _ => {
                return Err(Stop::Bad(format!("Byte {} is no instruction that a snapshot’s pickle has.", self.read)));
            }
        }
        Ok(())
    }
}

/// A whole number of up to eight bytes in two's complement; what is longer is no size and no address.
fn long(bytes: &[u8]) -> Item {
    let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    if bytes.len() > 8 {
        return Item::Other;
    }
    let all = bytes.iter().copied().chain(std::iter::repeat(fill)).take(8);
    Item::Int(all.enumerate().fold(0, |n, (i, byte)| n | i64::from(byte) << (8 * i)))
}
