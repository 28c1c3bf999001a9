//! Segments and blocks as they are drawn: of the simulated allocator, or of a snapshot of PyTorch's own.
//!
//! A snapshot is what `torch.cuda.memory._snapshot()` returns and `_dump_snapshot` pickles (`pytorch/pytorch`,
//! `torch/cuda/memory.py`): a dictionary whose `segments` have `total_size`, `segment_type`, `is_expandable` and `blocks`, each with
//! `size` and `state`, and where the history of allocations was recorded `frames`, the innermost first.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::device::Use;
use super::pickle::{Pickle, Value};
use super::{Run, Segment};
use crate::quantity::{counted, grouped};

/// Segments that are kept to be drawn; of a snapshot with more, the longest.
pub const MOST_SEGMENTS: usize = 60;

/// Pieces that are kept of one segment: more could not be told apart on a screen.
const MOST_PIECES: usize = 1000;

/// Blocks and segments that are read of one file. A pickle can refer to the same block any number of times, so its length bounds nothing.
const MOST_BLOCKS: u64 = 1_000_000;

/// The most characters of a file's and of a function's name.
const LONGEST: usize = 100;

/// Call sites that are told apart.
const MOST_SITES: usize = 10_000;

/// A size of this many bytes or more is of no memory: 8 PiB, up to which a double is exact.
const MOST_SIZE: u64 = 1 << 53;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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

/// A block, or where there are too many to be told apart, several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Bytes.
    pub size: u64,
    /// What it is; of several, what most of their bytes are.
    pub state: State,
    /// For what, if that is known.
    pub name: String,
}

/// Bytes by what they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bytes {
    /// In tensors.
    pub allocated: u64,
    /// Freed by the program, and still in use on another stream.
    pub pending: u64,
    /// Free.
    pub free: u64,
    /// Addresses without memory.
    pub unmapped: u64,
    /// The longest free block.
    pub longest_free: u64,
}

impl Bytes {
    fn of(pieces: &[Piece]) -> Self {
        let mut bytes = Self::default();
        for piece in pieces {
            let sum = match piece.state {
                State::Allocated => &mut bytes.allocated,
                State::Pending => &mut bytes.pending,
                State::Free => &mut bytes.free,
                State::Unmapped => &mut bytes.unmapped,
            };
            *sum = sum.saturating_add(piece.size);
            if piece.state == State::Free {
                bytes.longest_free = bytes.longest_free.max(piece.size);
            }
        }
        bytes
    }

    fn add(&mut self, other: &Self) {
        self.allocated = self.allocated.saturating_add(other.allocated);
        self.pending = self.pending.saturating_add(other.pending);
        self.free = self.free.saturating_add(other.free);
        self.unmapped = self.unmapped.saturating_add(other.unmapped);
        self.longest_free = self.longest_free.max(other.longest_free);
    }

    /// Bytes of the device that are held.
    pub fn reserved(&self) -> u64 {
        self.allocated.saturating_add(self.pending).saturating_add(self.free)
    }

    /// Whether nothing of it is in use.
    pub fn is_free(&self) -> bool {
        self.allocated == 0 && self.pending == 0
    }
}

/// A segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drawn {
    /// What stands beside it.
    pub name: String,
    /// Whether it is of the pool of small requests.
    pub small: bool,
    /// Whether it grows.
    pub expandable: bool,
    /// Its blocks by address, as many as can be drawn.
    pub pieces: Vec<Piece>,
    /// How many blocks it has.
    pub blocks: u64,
    /// What its bytes are.
    pub bytes: Bytes,
}

impl Drawn {
    fn new(name: String, small: bool, expandable: bool, pieces: Vec<Piece>) -> Self {
        let (blocks, bytes) = (pieces.len() as u64, Bytes::of(&pieces));
        Self { name, small, expandable, pieces: few(pieces), blocks, bytes }
    }

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
        Self::new(format!("Segment {}", segment.number), segment.small, segment.expandable, pieces)
    }

    /// Bytes of the device that it holds.
    pub fn reserved(&self) -> u64 {
        self.bytes.reserved()
    }

    /// Its addresses, with memory and without.
    pub fn length(&self) -> u64 {
        self.reserved().saturating_add(self.bytes.unmapped)
    }

    /// Whether it is wholly free, and could be given back.
    pub fn is_free(&self) -> bool {
        self.bytes.is_free()
    }
}

/// As many pieces as can be drawn: each of them at least a thousandth of the segment, or of its blocks.
fn few(pieces: Vec<Piece>) -> Vec<Piece> {
    if pieces.len() <= MOST_PIECES {
        return pieces;
    }
    pieces.chunks(pieces.len().div_ceil(MOST_PIECES)).filter_map(joined).collect()
}

fn joined(pieces: &[Piece]) -> Option<Piece> {
    let bytes = Bytes::of(pieces);
    let states = [
        (bytes.allocated, State::Allocated),
        (bytes.pending, State::Pending),
        (bytes.free, State::Free),
        (bytes.unmapped, State::Unmapped),
    ];
    let (_, state) = states.into_iter().max_by_key(|(size, _)| *size)?;
    let size = pieces.iter().fold(0_u64, |sum, p| sum.saturating_add(p.size));
    Some(Piece { size, state, name: String::new() })
}

/// All segments.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Snapshot {
    /// In the order in which they were taken, or the longest first. No more than can be drawn.
    pub segments: Vec<Drawn>,
    /// How many there are beyond those, and the bytes of the device that they hold.
    pub more: (u64, u64),
    /// What the bytes of all of them are.
    pub bytes: Bytes,
    /// Bytes of segments that are wholly free: those that a retry gives back.
    pub given_back: u64,
    /// Which lines of code allocated what is in tensors, the largest first; none where the file doesn't say it.
    pub sites: Vec<Site>,
    /// Bytes in tensors of further sites, which aren't told apart.
    pub other_sites: u64,
    /// What is wrong with the file, and was left out: sentences.
    pub problems: Vec<String>,
}

/// A line of code, and the bytes in tensors that it allocated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// `run/train.py:20 (forward)`
    pub name: String,
    /// Bytes.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct RawBlock {
    size: u64,
    #[serde(default)]
    state: RawState,
    #[serde(default)]
    frames: Frames,
}

/// The line of code that a block's frames name; empty for none.
#[derive(Clone, Default)]
struct Frames(String);

/// A frame.
#[derive(Deserialize)]
struct RawFrame {
    #[serde(default)]
    filename: String,
    #[serde(default)]
    line: i64,
    #[serde(default)]
    name: String,
}

/// Which of some frames is the call site: the innermost of Python outside of PyTorch, or else the innermost of Python.
#[derive(Default)]
struct Choice {
    inside: Option<RawFrame>,
    own: Option<RawFrame>,
}

impl Choice {
    fn take(&mut self, frame: RawFrame) {
        let is_python = frame.filename.ends_with(".py");
        let is_inside = frame.filename.starts_with("torch/") || frame.filename.contains("/torch/");
        let place = if is_inside { &mut self.inside } else { &mut self.own };
        if is_python && place.is_none() {
            *place = Some(frame);
        }
    }

    fn site(self) -> Frames {
        let Some(RawFrame { filename, line, name }) = self.own.or(self.inside) else { return Frames::default() };
        // The folder tells files of one name apart.
        let short = filename.rmatch_indices('/').nth(1).and_then(|(at, _)| filename.get(at + 1..)).unwrap_or(&filename);
        let bounded = |text: &str| text.chars().take(LONGEST).collect::<String>();
        Frames(format!("{}:{line} ({})", bounded(short), bounded(&name)))
    }
}

impl<'de> Deserialize<'de> for Frames {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Frames;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a list of frames")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut frames: A) -> Result<Frames, A::Error> {
                let mut choice = Choice::default();
                while let Some(frame) = frames.next_element()? {
                    choice.take(frame);
                }
                Ok(choice.site())
            }
        }
        from.deserialize_seq(Reader)
    }
}

/// What a block says that it is.
#[derive(Clone, Copy, Default, Deserialize)]
enum RawState {
    #[serde(rename = "active_allocated")]
    Allocated,
    #[serde(rename = "active_pending_free", alias = "active_awaiting_free")]
    Pending,
    #[serde(rename = "inactive")]
    Inactive,
    #[default]
    #[serde(other)]
    Unknown,
}

impl RawState {
    fn of(text: &str) -> Self {
        match text {
            "active_allocated" => Self::Allocated,
            "active_pending_free" | "active_awaiting_free" => Self::Pending,
            "inactive" => Self::Inactive,
            _ => Self::Unknown,
        }
    }
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
        Snapshot::new(self.now.segments.iter().map(|s| Drawn::of(self, s)).collect(), BTreeMap::new(), Vec::new())
    }
}

impl Snapshot {
    fn new(mut segments: Vec<Drawn>, sites: BTreeMap<String, u64>, problems: Vec<String>) -> Self {
        let (mut bytes, mut given_back) = (Bytes::default(), 0_u64);
        for segment in &segments {
            bytes.add(&segment.bytes);
            if segment.is_free() {
                given_back = given_back.saturating_add(segment.reserved());
            }
        }
        let rest = segments.split_off(segments.len().min(MOST_SEGMENTS));
        let held = rest.iter().fold(0_u64, |sum, s| sum.saturating_add(s.reserved()));
        let mut sites: Vec<Site> = sites.into_iter().map(|(name, bytes)| Site { name, bytes }).collect();
        sites.sort_by_key(|site| std::cmp::Reverse(site.bytes));
        let further = sites.split_off(sites.len().min(MOST_SITES));
        let other_sites = further.iter().fold(0_u64, |sum, site| sum.saturating_add(site.bytes));
        Self { segments, more: (rest.len() as u64, held), bytes, given_back, sites, other_sites, problems }
    }

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
        let blocks = segments.iter().fold(0_u64, |sum, s| sum.saturating_add(s.blocks.len() as u64));
        if blocks > MOST_BLOCKS {
            return Err(too_many());
        }
        Ok(Self::of(segments))
    }

    fn of(raw: Vec<RawSegment>) -> Self {
        let (mut unknown, mut uneven, mut empty, mut huge) = (0_u64, 0_u64, 0_u64, 0_u64);
        let devices = raw.iter().map(|s| s.device).min().zip(raw.iter().map(|s| s.device).max());
        let several = devices.is_some_and(|(first, last)| first != last);
        let mut segments: Vec<Drawn> = Vec::new();
        let mut sites: BTreeMap<String, u64> = BTreeMap::new();
        for (i, segment) in raw.into_iter().enumerate() {
            let piece = |block: RawBlock| {
                if block.size >= MOST_SIZE {
                    huge += 1;
                    return None;
                }
                let state = match block.state {
                    RawState::Allocated => State::Allocated,
                    RawState::Pending => State::Pending,
                    RawState::Inactive => State::Free,
                    RawState::Unknown => {
                        unknown += 1;
                        State::Free
                    }
                };
                let Frames(site) = block.frames;
                if state == State::Allocated && !site.is_empty() {
                    let bytes = sites.entry(site).or_default();
                    *bytes = bytes.saturating_add(block.size);
                }
                (block.size > 0).then(|| Piece { size: block.size, state, name: String::new() })
            };
            let pieces: Vec<Piece> = segment.blocks.into_iter().filter_map(piece).collect();
            let name = if several { format!("GPU {}, {}", segment.device, i + 1) } else { (i + 1).to_string() };
            let drawn = Drawn::new(name, segment.segment_type == "small", segment.is_expandable, pieces);
            uneven += u64::from(segment.total_size.is_some_and(|total| total != drawn.reserved()));
            if drawn.pieces.is_empty() {
                empty += 1;
            } else {
                segments.push(drawn);
            }
        }
        segments.sort_by_key(|s| std::cmp::Reverse(s.reserved()));
        let said =
            |n: u64, one: &str, more: &str, what: &str| (n > 0).then(|| format!("{} {what}", counted(n, one, more)));
        let problems = [
            said(unknown, "block", "blocks", "in a state that is not known here: drawn as free."),
            said(huge, "block", "blocks", "of 8 PiB or more: no memory has as much, so they are left out."),
            said(uneven, "segment", "segments", "of another size than its blocks have together: the blocks are drawn."),
            said(empty, "segment", "segments", "without blocks: left out."),
        ];
        Self::new(segments, sites, problems.into_iter().flatten().collect())
    }
}

fn too_many() -> String {
    format!(
        "The snapshot has more than {} blocks, which are too many to be drawn. Make it earlier in the run, or of one device.",
        grouped(MOST_BLOCKS)
    )
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
    fn text<'a>(pickle: &'a Pickle, dict: &Value, key: &str) -> &'a str {
        match pickle.member(dict, key) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }
    let frame = |at: &usize| {
        let frame = pickle.get(*at);
        let text = |key| text(pickle, frame, key).to_owned();
        RawFrame { filename: text("filename"), line: number(frame, "line").unwrap_or_default(), name: text("name") }
    };
    // Blocks share their frames: each list is looked through once.
    let mut known: BTreeMap<usize, Frames> = BTreeMap::new();
    let mut frames_of = |block: &Value| {
        let Some(at) = pickle.place(block, "frames") else { return Frames::default() };
        let read = || {
            let Value::List(frames) = pickle.get(at) else { return Frames::default() };
            let mut choice = Choice::default();
            frames.iter().for_each(|at| choice.take(frame(at)));
            choice.site()
        };
        known.entry(at).or_insert_with(read).clone()
    };
    let mut block = |at: &usize| {
        let block = pickle.get(*at);
        let size = number(block, "size").and_then(|n| u64::try_from(n).ok())?;
        Some(RawBlock { size, state: RawState::of(text(pickle, block, "state")), frames: frames_of(block) })
    };
    // What is referred to again is copied again: the copies are counted before they are made.
    let mut count = 0_u64;
    let mut all = Vec::new();
    for at in segments {
        let segment = pickle.get(*at);
        let Some(Value::List(blocks)) = pickle.member(segment, "blocks") else {
            return Err(format!("A segment of this pickle has no blocks. {HOW}"));
        };
        count = count.saturating_add(blocks.len() as u64 + 1);
        if count > MOST_BLOCKS {
            return Err(too_many());
        }
        let blocks: Option<Vec<RawBlock>> = blocks.iter().map(&mut block).collect();
        all.push(RawSegment {
            total_size: number(segment, "total_size").and_then(|n| u64::try_from(n).ok()),
            segment_type: if text(pickle, segment, "segment_type") == "small" {
                "small".to_owned()
            } else {
                String::new()
            },
            is_expandable: pickle.member(segment, "is_expandable") == Some(&Value::Bool(true)),
            device: number(segment, "device").unwrap_or_default(),
            blocks: blocks.ok_or_else(|| format!("A block of this pickle has no size. {HOW}"))?,
        });
    }
    Ok(all)
}
