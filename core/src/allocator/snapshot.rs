//! Segments and blocks as they are drawn: of the simulated allocator, or of a snapshot of PyTorch's own.
//!
//! A snapshot is what `torch.cuda.memory._snapshot()` returns and `_dump_snapshot` pickles (`pytorch/pytorch`,
//! `torch/cuda/memory.py`): a dictionary whose `segments` have `total_size`, `segment_type`, `is_expandable` and `blocks`, each with
//! `size` and `state`.

use serde::Deserialize;

use super::device::Use;
use super::pickle::{Pickle, Value};
use super::{Run, Segment};
use crate::quantity::grouped;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// In a tensor.
    Allocated,
    /// Freed by the program, and still in use on another stream.
    Pending,
    /// Free.
    Free,
    /// Addresses without memory.
    Unmapped,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Bytes.
    pub size: u64,
    /// What it is.
    pub state: State,
    /// For what, if that is known.
    pub name: String,
}

/// A segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// What stands beside it.
    pub name: String,
    /// Whether it is of the pool of small requests.
    pub small: bool,
    /// Whether it grows.
    pub expandable: bool,
    /// Its blocks by address.
    pub pieces: Vec<Piece>,
}

impl Drawn {
    fn of(run: &Run, segment: &Segment) -> Self {
        let piece = |block: &super::Block| match block.used {
            Use::Allocated(request) => {
                Piece { size: block.size, state: State::Allocated, name: run.name(request).to_owned() }
            }
            Use::Free => Piece { size: block.size, state: State::Free, name: String::new() },
            Use::Unmapped => Piece { size: block.size, state: State::Unmapped, name: String::new() },
        };
        let mut pieces: Vec<Piece> = segment.blocks.iter().map(piece).collect();
        // Addresses behind the last memory are no hole.
        pieces.pop_if(|last| last.state == State::Unmapped);
        Self {
            name: format!("Segment {}", segment.number),
            small: segment.small,
            expandable: segment.expandable,
            pieces,
        }
    }

    /// Bytes of its blocks in some state.
    pub fn bytes(&self, is_meant: impl Fn(State) -> bool) -> u64 {
        self.pieces.iter().filter(|p| is_meant(p.state)).fold(0, |sum, p| sum.saturating_add(p.size))
    }

    /// Bytes of the device that it holds.
    pub fn reserved(&self) -> u64 {
        self.bytes(|state| state != State::Unmapped)
    }

    /// Whether it is wholly free, and could be given back.
    pub fn is_free(&self) -> bool {
        self.pieces.iter().all(|p| matches!(p.state, State::Free | State::Unmapped))
    }
}

/// All segments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// In the order in which they were taken, or the longest first.
    pub segments: Vec<Drawn>,
    /// What is wrong with the file, and was left out: sentences.
    pub problems: Vec<String>,
}

#[derive(Deserialize)]
struct RawBlock {
    size: u64,
    #[serde(default)]
    state: String,
}

#[derive(Deserialize)]
struct RawSegment {
    #[serde(default)]
    total_size: Option<u64>,
    #[serde(default)]
    segment_type: String,
    #[serde(default)]
    is_expandable: bool,
    #[serde(default)]
    device: i64,
    blocks: Vec<RawBlock>,
}

#[derive(Deserialize)]
struct RawSnapshot {
    segments: Vec<RawSegment>,
}

impl Run {
    /// What it holds now, to be drawn.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { segments: self.now.segments.iter().map(|s| Drawn::of(self, s)).collect(), problems: Vec::new() }
    }
}

impl Snapshot {
    /// Reads a snapshot: a pickle, or JSON of all of it or of its `segments` alone.
    ///
    /// # Errors
    /// A sentence that says what is wrong, and how to write a snapshot.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let segments = match bytes.trim_ascii_start().first() {
            None => return Err("The file is empty.".to_owned()),
            Some(b'{') => json::<RawSnapshot>(bytes)?.segments,
            Some(b'[') => json::<Vec<RawSegment>>(bytes)?,
            Some(0x80) => pickled(&Pickle::read(bytes)?)?,
            Some(_) => return Err(format!("It is neither JSON nor a pickle. {HOW}")),
        };
        if segments.is_empty() {
            return Err("The snapshot has no segments: nothing was taken from the device when it was made.".to_owned());
        }
        Ok(Self::of(segments))
    }

    fn of(raw: Vec<RawSegment>) -> Self {
        let (mut unknown, mut uneven, mut empty) = (0_u64, 0_u64, 0_u64);
        let devices = raw.iter().map(|s| s.device).min().zip(raw.iter().map(|s| s.device).max());
        let several = devices.is_some_and(|(first, last)| first != last);
        let mut segments: Vec<Drawn> = Vec::new();
        for (i, segment) in raw.into_iter().enumerate() {
            let piece = |block: RawBlock| {
                let state = match block.state.as_str() {
                    "active_allocated" => State::Allocated,
                    "active_pending_free" | "active_awaiting_free" => State::Pending,
                    "inactive" => State::Free,
                    _ => {
                        unknown += 1;
                        State::Free
                    }
                };
                Piece { size: block.size, state, name: String::new() }
            };
            let pieces: Vec<Piece> = segment.blocks.into_iter().filter(|b| b.size > 0).map(piece).collect();
            let name = if several { format!("GPU {}, {}", segment.device, i + 1) } else { (i + 1).to_string() };
            let drawn =
                Drawn { name, small: segment.segment_type == "small", expandable: segment.is_expandable, pieces };
            uneven += u64::from(segment.total_size.is_some_and(|total| total != drawn.reserved()));
            if drawn.pieces.is_empty() {
                empty += 1;
            } else {
                segments.push(drawn);
            }
        }
        segments.sort_by_key(|s| std::cmp::Reverse(s.reserved()));
        let counted = |n: u64, what: &str| (n > 0).then(|| format!("{} {what}", grouped(n)));
        let problems = [
            counted(unknown, "blocks have a state that is not known here, and are drawn as free."),
            counted(uneven, "segments say another size than their blocks have together. The blocks are drawn."),
            counted(empty, "segments have no blocks, and are left out."),
        ];
        Self { segments, problems: problems.into_iter().flatten().collect() }
    }

    /// Bytes of all blocks in some state.
    pub fn bytes(&self, is_meant: impl Fn(State) -> bool + Copy) -> u64 {
        self.segments.iter().fold(0, |sum, s| sum.saturating_add(s.bytes(is_meant)))
    }

    /// The longest free block.
    pub fn longest_free(&self) -> u64 {
        let free = self.segments.iter().flat_map(|s| &s.pieces).filter(|p| p.state == State::Free);
        free.map(|p| p.size).max().unwrap_or(0)
    }

    /// Bytes of segments that are wholly free: those that a retry gives back.
    pub fn given_back(&self) -> u64 {
        self.segments.iter().filter(|s| s.is_free()).fold(0, |sum, s| sum.saturating_add(s.reserved()))
    }
}

/// How a snapshot is written.
const HOW: &str = "Write one with torch.cuda.memory._dump_snapshot(\"snapshot.pickle\"), or json.dump(torch.cuda.memory._snapshot()[\"segments\"], file).";

fn json<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|why| {
        if why.is_eof() {
            format!("The JSON stops in the middle, in line {}: the copy is not complete.", why.line())
        } else if why.is_data() {
            format!("This JSON is no snapshot: {why}. {HOW}")
        } else {
            format!("This is no JSON: {why}. {HOW}")
        }
    })
}

/// The segments of a pickle.
fn pickled(pickle: &Pickle) -> Result<Vec<RawSegment>, String> {
    let segments = match pickle.top() {
        all @ Value::Dict(_) => pickle.member(all, "segments"),
        list => Some(list),
    };
    let Some(Value::List(segments)) = segments else {
        return Err(format!("This pickle has no segments. {HOW}"));
    };
    let number = |dict: &Value, key: &str| match pickle.member(dict, key) {
        Some(Value::Int(n)) => Some(*n),
        _ => None,
    };
    let text = |dict: &Value, key: &str| match pickle.member(dict, key) {
        Some(Value::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let block = |at: &usize| {
        let block = pickle.get(*at);
        let size = number(block, "size").and_then(|n| u64::try_from(n).ok())?;
        Some(RawBlock { size, state: text(block, "state") })
    };
    let segment = |at: &usize| {
        let segment = pickle.get(*at);
        let Some(Value::List(blocks)) = pickle.member(segment, "blocks") else {
            return Err(format!("A segment of this pickle has no blocks. {HOW}"));
        };
        let blocks: Option<Vec<RawBlock>> = blocks.iter().map(block).collect();
        Ok(RawSegment {
            total_size: number(segment, "total_size").and_then(|n| u64::try_from(n).ok()),
            segment_type: text(segment, "segment_type"),
            is_expandable: pickle.member(segment, "is_expandable") == Some(&Value::Bool(true)),
            device: number(segment, "device").unwrap_or_default(),
            blocks: blocks.ok_or_else(|| format!("A block of this pickle has no size. {HOW}"))?,
        })
    };
    segments.iter().map(segment).collect()
}
