//! Segments and blocks as they are drawn: of the simulated allocator, or of a snapshot of PyTorch's own.
//!
//! A snapshot is what `torch.cuda.memory._snapshot()` returns and `_dump_snapshot` pickles (`pytorch/pytorch`,
//! `torch/cuda/memory.py`): a dictionary whose `segments` have `total_size`, `segment_type`, `is_expandable` and `blocks`, each with
//! `size` and `state`, and where the history of allocations was recorded `frames`, the innermost first. Its `device_traces` are that history
//! ([`History`]).

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::device::Use;
use super::history::{History, Recorder};
use super::pickle::{Cell, Item, Pickle};
use super::{Run, Segment};
use crate::quantity::{Unit, counted, grouped};

/// Segments that are kept to be drawn; of a snapshot with more, the longest.
pub const MOST_SEGMENTS: usize = 60;

/// Pieces that are kept of one segment: more could not be told apart on a screen.
const MOST_PIECES: usize = 1000;

/// The longest snapshot in JSON, in bytes, which is held as a whole; a pickle is read piece by piece.
const MOST_JSON: usize = 200_000_000;

/// Blocks and segments that are read of one file. A pickle can refer to the same block any number of times, so its length bounds nothing.
const MOST_BLOCKS: u64 = 1_000_000;

/// The most characters of a file's and of a function's name.
const LONGEST: usize = 100;

/// GPUs of one process.
const MOST_DEVICES: usize = 64;

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
    /// What each GPU held over time, where the history was recorded.
    pub histories: Vec<History>,
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
    requested_size: Option<u64>,
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
    /// By GPU.
    #[serde(default)]
    device_traces: Vec<Recorder>,
}

impl Run {
    /// What it holds now, to be drawn.
    pub fn snapshot(&self) -> Snapshot {
        let segments = self.now.segments.iter().map(|s| Drawn::of(self, s)).collect();
        Snapshot::new(segments, BTreeMap::new(), Vec::new(), Vec::new())
    }
}

impl Snapshot {
    fn new(
        mut segments: Vec<Drawn>,
        sites: BTreeMap<String, u64>,
        histories: Vec<History>,
        problems: Vec<String>,
    ) -> Self {
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
        let more = (rest.len() as u64, held);
        Self { segments, more, bytes, given_back, sites, other_sites, histories, problems }
    }

    /// Reads a snapshot: a pickle, or JSON of all of it or of its `segments` alone.
    ///
    /// # Errors
    /// A sentence that says what is wrong, and how to write a snapshot.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut reader = Reader::default();
        bytes.chunks(1 << 20).all(|piece| reader.push(piece));
        reader.finish()
    }

    fn of(RawSnapshot { segments: raw, device_traces }: RawSnapshot) -> Result<Self, String> {
        if raw.is_empty() {
            return Err("The snapshot has no segments: nothing was taken from the device when it was made.".to_owned());
        }
        let blocks = raw.iter().fold(0_u64, |sum, s| sum.saturating_add(s.blocks.len() as u64));
        if blocks > MOST_BLOCKS {
            return Err(too_many());
        }
        let (histories, untold) = histories(&raw, device_traces);
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
        let problems = problems.into_iter().flatten().chain(untold).collect();
        Ok(Self::new(segments, sites, histories, problems))
    }
}

/// What each GPU held over time, and why it isn't known of one whose entries don't add up.
fn histories(segments: &[RawSegment], recorded: Vec<Recorder>) -> (Vec<History>, Vec<String>) {
    let (mut all, mut untold) = (Vec::new(), Vec::new());
    for (device, recorder) in recorded.into_iter().enumerate() {
        let own = segments.iter().filter(|segment| usize::try_from(segment.device) == Ok(device));
        let mut end = [0_u64; 2];
        for block in own.flat_map(|segment| &segment.blocks) {
            let size = block.size.min(MOST_SIZE);
            // Entries have the sizes that were asked for, and no line for what is freed on another stream.
            let asked =
                if matches!(block.state, RawState::Allocated) { block.requested_size.unwrap_or(size) } else { 0 };
            end = [end[0].saturating_add(asked), end[1].saturating_add(size)];
        }
        match recorder.finish(device as u64, end) {
            Ok(history) => all.extend(history),
            Err(why) => untold.push(why),
        }
    }
    (all, untold)
}

/// Reads a snapshot piece by piece. A pickle is kept as what is drawn of it.
#[derive(Debug, Clone, Default)]
pub struct Reader {
    form: Form,
    /// Why no more is read.
    ended: Option<String>,
}

#[derive(Debug, Clone, Default)]
enum Form {
    #[default]
    Nothing,
    Json(Vec<u8>),
    Pickle(Box<Pickle>),
    Neither,
}

impl Reader {
    /// Takes the next bytes of the file, unpacked. Whether it wants more.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        if matches!(self.form, Form::Nothing) {
            self.form = match piece.trim_ascii_start().first() {
                None => return true,
                Some(b'{' | b'[') => Form::Json(Vec::new()),
                Some(0x80) => Form::Pickle(Box::default()),
                Some(_) => Form::Neither,
            };
        }
        match &mut self.form {
            Form::Nothing | Form::Neither => false,
            Form::Json(all) if all.len() + piece.len() > MOST_JSON => {
                let most = Unit::Bytes.format(MOST_JSON as f64);
                self.ended = Some(format!(
                    "It is JSON of more than {most}. Bring the pickle that torch.cuda.memory._dump_snapshot(\"snapshot.pickle\") writes, which may be longer."
                ));
                false
            }
            Form::Json(all) => {
                all.extend_from_slice(piece);
                true
            }
            Form::Pickle(pickle) => pickle.push(piece).unwrap_or_else(|why| {
                self.ended = Some(why);
                false
            }),
        }
    }

    /// What was read.
    ///
    /// # Errors
    /// A sentence that says what is wrong, and how to write a snapshot.
    pub fn finish(self) -> Result<Snapshot, String> {
        if let Some(why) = self.ended {
            return Err(why);
        }
        Snapshot::of(match self.form {
            Form::Nothing => return Err("The file is empty.".to_owned()),
            Form::Neither => return Err(format!("It is neither JSON nor a pickle. {HOW}")),
            Form::Json(all) if all.trim_ascii_start().starts_with(b"[") => {
                RawSnapshot { segments: json(&all)?, device_traces: Vec::new() }
            }
            Form::Json(all) => json(&all)?,
            Form::Pickle(pickle) => pickled(*pickle)?,
        })
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

/// What a pickle holds.
fn pickled(mut pickle: Pickle) -> Result<RawSnapshot, String> {
    let top = pickle.top()?;
    let (segments, traces) = match pickle.cell(top) {
        Cell::Top(parts) => (parts[0], parts[1]),
        _ => (top, Item::Other),
    };
    let Cell::List(segments) = pickle.cell(segments) else {
        return Err(format!("This pickle has no segments. {HOW}"));
    };
    // Blocks share their frames: each list is looked at once.
    let mut known: BTreeMap<u32, Frames> = BTreeMap::new();
    let mut frames_of = |list: Item| {
        let (Item::At(at), Cell::Frames { inside, own }) = (list, pickle.cell(list)) else { return Frames::default() };
        let frame = |at: u32| match pickle.cell(Item::At(at)) {
            Cell::Frame { file, name, line } => {
                let text = |at: &u32| pickle.text(Item::At(*at)).to_owned();
                Some(RawFrame { filename: text(file), line: i64::from(*line), name: text(name) })
            }
            _ => None,
        };
        let read = || Choice { inside: inside.and_then(frame), own: own.and_then(frame) }.site();
        known.entry(at).or_insert_with(read).clone()
    };
    let mut block = |item: &Item| {
        let Cell::Block(block) = pickle.cell(*item) else { return None };
        Some(RawBlock {
            size: block.size?,
            requested_size: block.requested,
            state: RawState::of(pickle.text(block.state)),
            frames: frames_of(block.frames),
        })
    };
    // What is referred to again is copied again: the copies are counted before they are made.
    let mut count = 0_u64;
    let mut all = Vec::new();
    for item in segments {
        let Cell::Segment(segment) = pickle.cell(*item) else {
            return Err(format!("A segment of this pickle has no blocks. {HOW}"));
        };
        let Cell::List(blocks) = pickle.cell(segment.blocks) else {
            return Err(format!("A segment of this pickle has no blocks. {HOW}"));
        };
        count = count.saturating_add(blocks.len() as u64 + 1);
        if count > MOST_BLOCKS {
            return Err(too_many());
        }
        let blocks: Option<Vec<RawBlock>> = blocks.iter().map(&mut block).collect();
        all.push(RawSegment {
            total_size: segment.total_size,
            segment_type: if segment.small { "small".to_owned() } else { String::new() },
            is_expandable: segment.expandable,
            device: segment.device,
            blocks: blocks.ok_or_else(|| format!("A block of this pickle has no size. {HOW}"))?,
        });
    }
    let traces = match pickle.cell(traces) {
        Cell::List(traces) => traces.clone(),
        _ => Vec::new(),
    };
    let device_traces = traces.into_iter().take(MOST_DEVICES).map(|item| pickle.recorder(item).unwrap_or_default());
    Ok(RawSnapshot { segments: all, device_traces: device_traces.collect() })
}
