//! A file of the profiler, read in pieces.

mod named;
mod pairs;
mod problems;
mod room;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::event::{Raw, members};
use super::json::{Cut, Cutter, End};
use super::{Collective, Memory, Platform, Sort, Span, Trace, Track};
use pairs::Mark;
pub(crate) use problems::SQLITE;

/// Events kept of all files that are read together, 56 bytes each: of a file with more, those of its first seconds.
pub const MOST_EVENTS: usize = 2_000_000;

/// Bytes that are read of one file, unpacked.
pub const MOST_BYTES: u64 = 4_000_000_000;

/// Something about a file that who gave it has to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// What is wrong and what was done about it: sentences.
    pub message: String,
    /// Whether nothing of the file can be used.
    pub fatal: bool,
}

/// Reads a file piece by piece.
#[derive(Debug, Clone)]
pub struct Reader {
    cutter: Cutter,
    building: Building,
    /// Bytes that are read.
    most: u64,
    bytes: u64,
    /// Why it ended before the file did.
    ended: Option<Ended>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// There was more of it than is read.
    TooLong,
    /// The rest could not be had.
    Damaged,
}

#[derive(Debug, Clone, Default)]
struct Building {
    /// Events that are kept.
    room: usize,
    trace: Trace,
    /// Tracks by process and thread.
    tracks: BTreeMap<(String, String), u32>,
    process_names: BTreeMap<String, String>,
    thread_names: BTreeMap<(String, String), String>,
    /// Beginnings and ends that stand apart.
    marks: Vec<Mark>,
    /// Whether it is Nsight's own export, in which nothing is read.
    nsight: bool,
    /// Whether it begins as an SQLite database does.
    sqlite: bool,
    /// Events met, of every phase.
    position: u32,
    unpaired: u64,
    backwards: u64,
    timeless: u64,
    unreadable: u64,
    left_out: u64,
    /// Where it ends, if it has more events than are kept.
    until: Option<room::Until>,
    /// Whether nothing is gained by an earlier end.
    is_full: bool,
}

impl Default for Reader {
    fn default() -> Self {
        Self::with_room(MOST_EVENTS)
    }
}

impl Reader {
    /// A reader that keeps at most so many events.
    pub fn with_room(room: usize) -> Self {
        Self::within(room, MOST_BYTES)
    }

    /// A reader that keeps at most so many events, and reads at most so many bytes.
    pub(in crate::trace) fn within(room: usize, most: u64) -> Self {
        let building = Building { room, ..Building::default() };
        Self { cutter: Cutter::default(), building, most, bytes: 0, ended: None }
    }

    /// Takes the next bytes of the file, unpacked. Whether it wants more.
    pub fn push(&mut self, piece: &[u8]) -> bool {
        let left = self.most.saturating_sub(self.bytes);
        let taken = piece.get(..usize::try_from(left).unwrap_or(usize::MAX)).unwrap_or(piece);
        if self.bytes == 0 {
            self.building.sqlite = taken.starts_with(b"SQLite format 3");
        }
        self.bytes += taken.len() as u64;
        if taken.len() < piece.len() {
            self.ended = Some(Ended::TooLong);
        }
        self.take(taken);
        self.ended.is_none() && !self.building.nsight
    }

    fn take(&mut self, piece: &[u8]) {
        let Self { cutter, building, .. } = self;
        cutter.push(piece, |cut| match cut {
            Cut::Event(text) => building.event(text),
            Cut::Member(name, value) => building.member(name, value),
            Cut::Strange => {
                building.unreadable += 1;
                building.position = building.position.saturating_add(1);
            }
        });
    }

    /// Events that were read so far.
    pub fn events(&self) -> usize {
        self.building.count()
    }

    /// Bytes that were read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The rest of the file cannot be had: it could not be unpacked, or is gone.
    pub fn damaged(&mut self) {
        self.ended = Some(Ended::Damaged);
    }

    /// What was read. What is wrong with the file is in [`Trace::problems`].
    pub fn finish(self) -> Trace {
        let end = self.cutter.end();
        let mut building = self.building;
        building.pair();
        let writer = building.name_tracks();
        building.say(end, self.ended.map(|ended| (ended, self.most)), writer);
        building.trace
    }
}

/// The fields of an event that are used.
#[derive(Default)]
struct Fields<'a> {
    phase: Option<Raw<'a>>,
    category: Option<Raw<'a>>,
    name: Option<Raw<'a>>,
    process: Option<Raw<'a>>,
    thread: Option<Raw<'a>>,
    start: Option<Raw<'a>>,
    length: Option<Raw<'a>>,
    args: Option<&'a [u8]>,
}

/// The arguments of an event that are used.
#[derive(Debug, Clone, Default)]
struct Args {
    stream: Option<i64>,
    correlation: Option<i64>,
    bandwidth: Option<f64>,
    collective: Option<String>,
    elements: u64,
    element: u64,
    group: u32,
    allocated: Option<u64>,
    reserved: Option<u64>,
    on_gpu: bool,
    device: i64,
    name: Option<String>,
}

fn text(raw: Option<Raw<'_>>) -> String {
    raw.map(|raw| raw.text().into_owned()).unwrap_or_default()
}

/// Bytes of an element of a type as c10d names it.
fn size_of(dtype: &str) -> u64 {
    match dtype {
        "Double" | "Long" | "ComplexFloat" => 8,
        "Half" | "BFloat16" | "Short" => 2,
        "Byte" | "Char" | "Bool" => 1,
        name if name.starts_with("Float8") => 1,
        _ => 4,
    }
}

impl Args {
    fn read(text: &[u8]) -> Self {
        let mut args = Args::default();
        let natural = |raw: Raw<'_>| raw.whole().and_then(|n| u64::try_from(n).ok());
        members(text, |name, raw| match name {
            b"stream" => args.stream = Some(raw.whole().unwrap_or(-1)),
            b"correlation" | b"correlation_id" => args.correlation = raw.whole(),
            b"memory bandwidth (GB/s)" => args.bandwidth = raw.number(),
            b"Collective name" => args.collective = Some(raw.text().into_owned()),
            b"In msg nelems" => args.elements = natural(raw).unwrap_or_default(),
            b"dtype" => args.element = size_of(&raw.text()),
            b"Group size" => args.group = natural(raw).and_then(|n| u32::try_from(n).ok()).unwrap_or_default(),
            b"Total Allocated" => args.allocated = natural(raw),
            b"Total Reserved" => args.reserved = natural(raw),
            b"Device Type" => args.on_gpu = raw.whole() == Some(1),
            b"Device Id" => args.device = raw.whole().unwrap_or_default(),
            b"name" => args.name = Some(raw.text().into_owned()),
            _ => {}
        });
        args
    }
}

impl Building {
    fn event(&mut self, event: &[u8]) {
        let position = self.position;
        self.position = position.saturating_add(1);
        let mut fields = Fields::default();
        let whole = members(event, |name, raw| match name {
            b"ph" => fields.phase = Some(raw),
            b"cat" => fields.category = Some(raw),
            b"name" => fields.name = Some(raw),
            b"pid" => fields.process = Some(raw),
            b"tid" => fields.thread = Some(raw),
            b"ts" => fields.start = Some(raw),
            b"dur" => fields.length = Some(raw),
            b"args" => {
                if let Raw::Nested(text) = raw {
                    fields.args = Some(text);
                }
            }
            _ => {}
        });
        if !whole {
            self.unreadable += 1;
            return;
        }
        match fields.phase {
            Some(Raw::Text(b"M")) => self.metadata(&fields),
            Some(Raw::Text(b"i" | b"I")) => self.instant(&fields),
            Some(Raw::Text(b"X")) => self.span(&fields, position),
            Some(Raw::Text(phase @ (b"B" | b"E"))) => self.mark(&fields, position, phase == b"B"),
            None if fields.length.is_some() => self.span(&fields, position),
            _ => {}
        }
    }

    fn metadata(&mut self, fields: &Fields<'_>) {
        let Some(name) = fields.args.and_then(|args| Args::read(args).name) else { return };
        let process = text(fields.process);
        match fields.name {
            Some(Raw::Text(b"process_name")) => drop(self.process_names.insert(process, name)),
            Some(Raw::Text(b"thread_name")) => drop(self.thread_names.insert((process, text(fields.thread)), name)),
            _ => {}
        }
    }

    fn instant(&mut self, fields: &Fields<'_>) {
        let is_memory = fields.name == Some(Raw::Text(b"[memory]"));
        let (true, Some(args)) = (is_memory, fields.args.map(Args::read)) else { return };
        let at = fields.start.and_then(Raw::nanoseconds);
        if let (true, 0, Some(at), Some(allocated)) = (args.on_gpu, args.device, at, args.allocated)
            && self.trace.memory.len() < MOST_EVENTS
            && self.until.is_none_or(|until| at < until.at)
        {
            let reserved = args.reserved.unwrap_or(allocated);
            self.trace.memory.push(Memory { at, allocated, reserved });
        }
    }

    fn span(&mut self, fields: &Fields<'_>, position: u32) {
        let start = fields.start.and_then(Raw::nanoseconds);
        let length = fields.length.map(|raw| raw.nanoseconds());
        let (Some(start), Some(length)) = (start, length) else {
            self.timeless += 1;
            return;
        };
        let Some(length) = length else {
            self.timeless += 1;
            return;
        };
        let written = fields.category.map(Raw::text);
        if written.as_deref() == Some("Trace") {
            return;
        }
        if length < 0 {
            self.backwards += 1;
            return;
        }
        if !self.has_room(start, length) {
            return;
        }
        let (span, args) = self.made(fields, position, (start, length));
        self.keep(span, args);
    }

    fn keep(&mut self, span: Span, args: Args) {
        let index = self.trace.spans.len() as u32;
        if let Some(bandwidth) = args.bandwidth.filter(|b| b.is_finite()) {
            self.trace.bandwidths.push((index, bandwidth));
        }
        if let Some(name) = args.collective {
            let bytes = args.elements.saturating_mul(args.element.max(1));
            self.trace.collectives.push((index, Collective { name, bytes, group: args.group }));
        }
        self.trace.fractions |= span.start % 1000 != 0;
        self.trace.spans.push(span);
    }

    /// The span of an event, and what its arguments say beside it.
    fn made(&mut self, fields: &Fields<'_>, position: u32, (start, length): (i64, i64)) -> (Span, Args) {
        let args = fields.args.map(Args::read).unwrap_or_default();
        let written = fields.category.map(Raw::text);
        let name = fields.name.map(Raw::text).unwrap_or_default();
        let sort = written.as_deref().map_or(Sort::Other, |category| Sort::of(category, &name));
        if let (Sort::Call, Some(category)) = (sort, &written) {
            self.trace.platform = self.trace.platform.or(Platform::of_call(category, &name));
        }
        let span = Span {
            name: self.trace.names.number(&name),
            sort,
            category: written.map_or(Trace::NONE, |category| self.trace.names.number(&category)),
            track: self.track(fields),
            position,
            stream: args.stream.unwrap_or(-1),
            correlation: args.correlation.unwrap_or(-1),
            start,
            length,
        };
        (span, args)
    }

    fn track(&mut self, fields: &Fields<'_>) -> u32 {
        let key = (text(fields.process), text(fields.thread));
        if let Some(track) = self.tracks.get(&key) {
            return *track;
        }
        let track = self.trace.tracks.len() as u32;
        self.trace.tracks.push(Track { process: key.0.clone(), thread: key.1.clone(), ..Track::default() });
        self.tracks.insert(key, track);
        track
    }

    fn has_events(&self) -> bool {
        self.position > 0
    }

    /// Beside the events: the rank, and the device.
    fn member(&mut self, name: &[u8], value: &[u8]) {
        let number = |raw: Raw<'_>| raw.whole().and_then(|n| u32::try_from(n).ok());
        match name {
            b"distributedInfo" => drop(members(value, |name, raw| match name {
                b"rank" => self.trace.rank = number(raw),
                b"world_size" => self.trace.world = number(raw),
                _ => {}
            })),
            // A line of `nsys export --type=json` is an object with one of these, as "CudaEvent".
            _ if !self.has_events() && name.ends_with(b"Event") && name.first().is_some_and(u8::is_ascii_uppercase) => {
                self.nsight = true;
            }
            b"deviceProperties" => {
                // The first of a list.
                let first = value.iter().position(|b| *b == b'{').and_then(|at| value.get(at..));
                members(first.unwrap_or_default(), |name, raw| {
                    if name == b"name" {
                        self.trace.device = raw.text().into_owned();
                    }
                });
            }
            _ => {}
        }
    }
}
