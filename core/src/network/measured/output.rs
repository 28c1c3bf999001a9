//! The table that a program of nccl-tests prints, as it is pasted.
//!
//! ```text
//! #                                                       out-of-place                       in-place
//! #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
//! #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
//!      1048576        262144     float     sum      -1    59.30   17.68   30.94      0    59.20   17.71   31.00      0
//! ```
//!
//! A launcher may have put its tag before a line, and within it where two processes wrote at once, and the `#` may be missing. A row
//! is found by its form: a size, a count and a type.
//!
//! Every row is held to itself: its bandwidth must be its size over its time, as far as the digits that it prints tell. Until commit
//! ec1b5e2 (June 2020) all_gather and reduce_scatter printed (n − 1)/n of that, with n the ranks: the same as their busbw.

use super::program::{PROGRAMS, Program};
use crate::collective::Op;
use crate::decimal;
use crate::quantity::{Unit, grouped, number};
use crate::query::shorten;

/// What was measured out of place, or in place: with the result in another buffer, or in the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Seconds.
    pub time: f64,
    /// Size over time, bytes a second.
    pub algbw: f64,
    /// The same times what every rank has to send at least.
    pub busbw: f64,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The line it stands on, from 1.
    pub line: usize,
    /// S: the buffer, in bytes.
    pub bytes: f64,
    /// With the result in another buffer.
    pub out_of_place: Side,
    /// With the result in the same buffer; none where the program does not do that.
    pub in_place: Option<Side>,
}

/// A GPU that is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The host that it is in.
    pub host: String,
    /// Its name, as the driver gives it.
    pub name: String,
}

/// A line that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it; a sentence that begins with its number.
    pub message: String,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The program, where the text names it or only one fits.
    pub program: Option<&'static Program>,
    /// The ranks, by their list or by the bandwidths.
    pub ranks: Option<usize>,
    /// The GPUs that it lists under “Using devices”, in order.
    pub devices: Vec<Device>,
    /// The rows in order.
    pub rows: Vec<Row>,
    /// The lines that are not used, and why. Comments and NCCL's own log are no faults.
    pub faults: Vec<Fault>,
    /// Whether algbw was printed by the formula of before June 2020. The rows have it by today's.
    pub old_formula: bool,
}

/// Most rows that are read.
pub const MAX_ROWS: usize = 64;
/// Most ranks that a bandwidth of three digits tells apart.
const MOST_TOLD: f64 = 64.0;
/// The largest number of a row, in its own unit.
const LARGEST: f64 = 1e15;
/// Most GPUs of a list that are kept.
const MAX_DEVICES: usize = 65_536;
/// Most words of a tag before a row.
const MAX_TAGS: usize = 6;
/// Most faults that are told apart.
const MAX_FAULTS: usize = 20;

/// The names of the columns of a half.
const COLUMNS: [&str; 4] = ["time", "algbw", "busbw", "#wrong"];

/// What nccl-tests prints beside its rows (`src/common.cu`), where its `#` has been lost, and rccl-tests without one: `rccl-tests: Version`.
const BESIDE: [&str; 13] = [
    "out-of-place",
    "size count",
    "(B) (elements)",
    "nThread",
    "Using devices",
    "Collective test",
    "Out of bounds values",
    "Avg bus bandwidth",
    "nccl-tests version",
    "NCCL version",
    "cudaDriver",
    "Collective operation",
    "Version ",
];

/// Reads what was pasted: any text. Of several tables the last one counts whose collective is known.
pub fn read(text: &str) -> Report {
    let lines: Vec<(usize, String)> = text.lines().enumerate().map(|(i, line)| (i + 1, untagged(line))).collect();
    let mut tables: Vec<Report> = apart(&lines).into_iter().map(table).collect();
    let Some(chosen) = tables.iter().rposition(|t| t.program.is_some()).or(tables.len().checked_sub(1)) else {
        return Report::default();
    };
    let mut report = tables.swap_remove(chosen);
    let read = report.rows.first().map_or(0, |row| row.line);
    for row in tables.iter().flat_map(|other| &other.rows) {
        let why = format!(
            "it is of another table than that with line {}, which is the one that is read.",
            grouped(read as u64)
        );
        report.fault(row.line, why);
    }
    report.faults.extend(tables.into_iter().flat_map(|other| other.faults));
    report.faults.sort_by_key(|fault| fault.line);
    report.faults.truncate(MAX_FAULTS);
    report
}

/// Where one table ends and what belongs to the next begins: behind the last row that stands before another head.
fn apart(lines: &[(usize, String)]) -> Vec<&[(usize, String)]> {
    let (mut all, mut from, mut behind) = (Vec::new(), 0, None);
    for (i, (line, content)) in lines.iter().enumerate() {
        if content.contains("busbw") && content.contains("size") {
            if let Some(end) = behind.take() {
                all.extend(lines.get(from..end));
                from = end;
            }
        } else if row(*line, content, true).is_ok() {
            behind = Some(i + 1);
        }
    }
    all.extend(lines.get(from..));
    all
}

/// Reads one table with what stands around it.
fn table(lines: &[(usize, String)]) -> Report {
    let mut report = Report::default();
    let (mut listed, mut is_count) = (0, true);
    for (line, content) in lines.iter().map(|(line, content)| (*line, content.as_str())) {
        // Before 2.13 the last column was the largest error, such as 2e-07.
        if content.contains("busbw error") {
            is_count = false;
        }
        if let Some(found) = PROGRAMS.iter().find(|program| names(content, program.name)) {
            report.program = Some(found);
            continue;
        }
        if let Some(rank) = rank(content) {
            listed = listed.max(rank + 1);
            report.devices.extend(device(content).filter(|_| report.devices.len() < MAX_DEVICES));
        } else if !is_beside(content) {
            match row(line, content, is_count) {
                Ok(row) if row.bytes == 0.0 => {}
                Ok(row) if report.rows.len() < MAX_ROWS => report.rows.push(row),
                Ok(_) => report.fault(line, format!("only the first {MAX_ROWS} rows are used.")),
                Err(why) => report.fault(line, why),
            }
        }
    }
    report.ranks = (listed > 1).then_some(listed);
    report.hold_algbw();
    report.infer();
    report.hold_busbw();
    report
}

/// The line in words, without what a launcher puts before it or into it: `[1,0]<stdout>:` of Open MPI, `[0]` of MPICH, `0:` of
/// `srun -l`.
fn untagged(line: &str) -> String {
    let mut words = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        words.push_str(before);
        words.push(' ');
        let end = after.find(']').map_or(after.len(), |end| end + 1);
        rest = after.get(end..).unwrap_or_default();
        for stream in ["<stdout>:", "<stderr>:"] {
            rest = rest.strip_prefix(stream).unwrap_or(rest);
        }
    }
    words.push_str(rest);
    let words: Vec<&str> = words.split_whitespace().collect();
    // `0:`, `worker-3:`, a date, a time.
    let timed = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains([':', '-', '/']);
    let tags = words.iter().take_while(|word| !word.starts_with('#') && (word.ends_with(':') || timed(word))).count();
    words.get(tags..).unwrap_or_default().join(" ")
}

/// Whether a line is none of the table's rows and needs none of a reader's attention.
fn is_beside(content: &str) -> bool {
    content.is_empty()
        || content.split(' ').take(MAX_TAGS).any(|word| word.starts_with('#'))
        || content.contains(" NCCL ")
        || BESIDE.iter().any(|known| content.contains(known))
        || content.split(' ').all(is_setting)
}

/// Whether a word sets a variable, as people write above a table which they set: `NCCL_ALGO=Ring`.
fn is_setting(word: &str) -> bool {
    let (name, _) = word.split_once('=').unwrap_or_default();
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether the line names the program, and not one whose name ends like it.
fn names(line: &str, program: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c| !word(c)).any(|found| found == program)
}

/// The rank that a line lists: `#  Rank  3 Group  0 Pid 1234 on node01 device  3 …`.
fn rank(content: &str) -> Option<usize> {
    let mut words = content.split(' ').map(|word| word.trim_start_matches('#'));
    words.by_ref().take(MAX_TAGS).find(|word| *word == "Rank")?;
    let number = words.next()?;
    if !(content.starts_with('#') || matches!(words.next(), Some("Group" | "Pid"))) {
        return None;
    }
    number.parse().ok().filter(|rank| *rank < 100_000)
}

/// The GPU of such a line.
fn device(content: &str) -> Option<Device> {
    let (_, rest) = content.split_once(" on ")?;
    let (host, rest) = rest.split_once(" device ")?;
    let (_, name) = rest.trim_start().split_once(' ')?;
    let name = name.trim();
    (!host.trim().is_empty() && !name.is_empty())
        .then(|| Device { host: host.trim().to_owned(), name: name.to_owned() })
}

/// A row, whose last column of each half counts wrong results or is the largest error.
fn row(line: usize, content: &str, is_count: bool) -> Result<Row, String> {
    let quoted = || format!("“{}”", shorten(content));
    let fields: Vec<&str> = content.split_whitespace().collect();
    // Other tags, such as a name or a time, stand before the size.
    let begins = |at: &usize| {
        let typed = fields.get(at + 2).is_some_and(|of| of.starts_with(|c: char| c.is_ascii_alphabetic()));
        typed && [*at, at + 1].iter().all(|&at| fields.get(at).is_some_and(|f| whole(f).is_some()))
    };
    let from = (0..=MAX_TAGS).find(begins).unwrap_or(0);
    let fields = fields.get(from..).unwrap_or_default();
    let (Some(bytes), Some(_)) = (fields.first().and_then(|f| whole(f)), fields.get(1).and_then(|f| whole(f))) else {
        return Err(format!("{} does not begin with a size in bytes and a count.", quoted()));
    };
    // Size, count and type; the operation and the root where there are any; twice four numbers.
    let Some(at) = fields.len().checked_sub(8).filter(|at| (3..=5).contains(at)) else {
        return Err(format!("{} has {} columns; there must be 11 to 13.", quoted(), fields.len()));
    };
    let numbers = fields.get(at..).unwrap_or_default();
    let half = |of: &str, numbers: &[&str]| -> Result<Option<Side>, String> {
        let [time, algbw, busbw, wrong] = numbers else { return Ok(None) };
        if [time, algbw, busbw].iter().all(|n| **n == "N/A") {
            return Ok(None);
        }
        let value = |column: usize, text: &str| {
            let bad = format!("{} {of}, “{}”, is no number.", COLUMNS.get(column).unwrap_or(&""), shorten(text));
            decimal::parse(text).filter(|v| (0.0..=LARGEST).contains(v)).ok_or(bad)
        };
        let (time, algbw, busbw) = (value(0, time)?, value(1, algbw)?, value(2, busbw)?);
        let wrong = if *wrong == "N/A" { 0.0 } else { value(3, wrong)? };
        if time == 0.0 {
            return Err(format!("time {of} is 0."));
        }
        if is_count && wrong >= 1.0 {
            return Err(format!("{} results {of} are wrong; such a time says nothing.", number(wrong)));
        }
        Ok(Some(Side { time: time / 1e6, algbw: algbw * 1e9, busbw: busbw * 1e9 }))
    };
    let (first, second) = numbers.split_at(numbers.len().min(4));
    let Some(out_of_place) = half("out of place", first)? else {
        return Err("nothing was measured out of place.".to_owned());
    };
    Ok(Row { line, bytes, out_of_place, in_place: half("in place", second)? })
}

/// Digits only, as many as an exact number has.
fn whole(text: &str) -> Option<f64> {
    let digits = !text.is_empty() && text.len() <= 15 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| decimal::parse(text)).flatten()
}

/// The numbers that nccl-tests can have rounded to what it printed. It prints bandwidths with two decimals, and of large
/// numbers fewer (`src/common.cu`, and in newer versions `getFloatStr` in `src/util.cu`).
#[derive(Debug, Clone, Copy)]
struct Rounded {
    from: f64,
    to: f64,
}

impl Rounded {
    /// Of a bandwidth in GB/s.
    fn bandwidth(printed: f64) -> Self {
        Self::within(printed, if printed < 1000.0 { 0.005 } else { 0.5 })
    }

    /// Of a time in µs.
    fn time(printed: f64) -> Self {
        let half = match printed {
            p if p < 100.0 => 0.005,
            p if p < 1e4 => 0.05,
            p if p < 1e7 => 0.5,
            // 1.2e+07
            p => 0.05 * p,
        };
        Self::within(printed, half)
    }

    /// A little more than half of the last digit, for the last bits of a double.
    fn within(printed: f64, half: f64) -> Self {
        Self { from: (printed - 1.001 * half).max(0.0), to: printed + 1.001 * half }
    }

    fn scaled(self, factor: f64) -> Self {
        Self { from: self.from * factor, to: self.to * factor }
    }

    /// Whether one number can have become both; half a per cent is let pass.
    fn meets(self, other: Self) -> bool {
        const SLACK: f64 = 1.005;
        self.from <= other.to * SLACK && other.from <= self.to * SLACK
    }
}

impl Side {
    /// GB/s, by the time that `bytes` bytes took.
    fn by_time(self, bytes: f64) -> Rounded {
        let time = Rounded::time(self.time * 1e6);
        Rounded { from: bytes / 1e3 / time.to, to: bytes / 1e3 / time.from.max(f64::MIN_POSITIVE) }
    }
}

impl Row {
    /// What is wrong with its bandwidths, if `part` of the size was taken for them: 1, or by the old formula less.
    fn contradiction(&self, part: f64) -> Option<String> {
        let off = |side: &Side| {
            let by_time = side.by_time(self.bytes).scaled(part);
            let both = part == 1.0 || Rounded::bandwidth(side.busbw / 1e9).meets(by_time);
            !(both && Rounded::bandwidth(side.algbw / 1e9).meets(by_time))
        };
        let (of, side) = self.sides().find(|(_, side)| off(side))?;
        let real = number(self.bytes * part / side.time / 1e9);
        let (size, time) = (Unit::Bytes.format(self.bytes), Unit::Seconds.format(side.time));
        Some(format!("{size} in {time} are {real} GB/s; algbw {of} says {}.", number(side.algbw / 1e9)))
    }

    /// Its halves, by what they are called.
    pub fn sides(&self) -> impl Iterator<Item = (&'static str, Side)> {
        [("out of place", Some(self.out_of_place)), ("in place", self.in_place)]
            .into_iter()
            .filter_map(|(name, side)| side.map(|side| (name, side)))
    }
}

impl Report {
    /// GPUs of a host and hosts, where every rank is listed and each host has as many.
    pub fn hosts(&self) -> Option<[usize; 2]> {
        let mut hosts: Vec<(&str, usize)> = Vec::new();
        for device in &self.devices {
            match hosts.iter_mut().rev().find(|(host, _)| *host == device.host) {
                Some((_, n)) => *n += 1,
                None => hosts.push((&device.host, 1)),
            }
        }
        let (_, each) = *hosts.first()?;
        let is_whole = self.ranks.is_none_or(|ranks| ranks == self.devices.len());
        (is_whole && hosts.iter().all(|(_, n)| *n == each)).then_some([each, hosts.len()])
    }

    fn fault(&mut self, line: usize, why: String) {
        if self.faults.len() < MAX_FAULTS + MAX_ROWS {
            self.faults.push(Fault { line, message: format!("Line {}: {why}", grouped(line as u64)) });
        }
    }

    /// The part of the size that the old formula took, where that explains more rows than today's formula does.
    fn old_part(&self) -> Option<f64> {
        if !self.program.is_none_or(|p| matches!(p.op, Some(Op::AllGather | Op::ReduceScatter))) {
            return None;
        }
        let ranks = match self.ranks {
            Some(ranks) => ranks as f64,
            None => {
                // From the row whose bandwidth has the most digits.
                let row = self.rows.iter().max_by(|a, b| a.out_of_place.algbw.total_cmp(&b.out_of_place.algbw))?;
                let part = row.out_of_place.algbw * row.out_of_place.time / row.bytes;
                (1.0 / (1.0 - part)).round()
            }
        };
        let part = (ranks - 1.0) / ranks;
        let explained = |part: f64| self.rows.iter().filter(|row| row.contradiction(part).is_none()).count();
        let told = self.ranks.is_some() || ranks <= MOST_TOLD;
        (ranks >= 2.0 && told && explained(part) > explained(1.0)).then_some(part)
    }

    /// Takes out the rows whose algorithm bandwidth is not their size over their time.
    fn hold_algbw(&mut self) {
        let old = self.old_part();
        self.old_formula = old.is_some();
        for mut row in std::mem::take(&mut self.rows) {
            if let Some(why) = row.contradiction(old.unwrap_or(1.0)) {
                self.fault(row.line, why);
                continue;
            }
            if old.is_some() {
                for side in [Some(&mut row.out_of_place), row.in_place.as_mut()].into_iter().flatten() {
                    side.algbw = row.bytes / side.time;
                }
            }
            self.rows.push(row);
        }
        if let (Some(part), None) = (old, self.ranks) {
            self.ranks = Some((1.0 / (1.0 - part)).round() as usize);
        }
    }

    /// What the text does not say, from the row with the most bandwidth: only an all-reduce has a factor over 1.
    fn infer(&mut self) {
        let fastest = self.rows.iter().map(|r| r.out_of_place).max_by(|a, b| a.algbw.total_cmp(&b.algbw));
        let Some(side) = fastest.filter(|side| side.algbw >= 0.5e9) else { return };
        let factor = side.busbw / side.algbw;
        let [algbw, busbw] = [side.algbw, side.busbw].map(|rate| Rounded::bandwidth(rate / 1e9));
        let within = [busbw.from / algbw.to, busbw.to / algbw.from.max(f64::MIN_POSITIVE)];
        if self.program.is_none() && factor > 1.02 {
            self.program = PROGRAMS.iter().find(|program| program.op == Some(Op::AllReduce));
        }
        if self.ranks.is_none() {
            self.ranks = self.program.and_then(|program| program.ranks_of(within));
        }
    }

    /// Takes out the rows whose bus bandwidth is not their algorithm bandwidth times the factor.
    fn hold_busbw(&mut self) {
        let (Some(program), Some(ranks)) = (self.program, self.ranks) else { return };
        let factor = program.bus_factor(ranks);
        for row in std::mem::take(&mut self.rows) {
            // From the time, which has more digits than a small bandwidth.
            let agrees =
                |side: &Side| Rounded::bandwidth(side.busbw / 1e9).meets(side.by_time(row.bytes).scaled(factor));
            let off = row.sides().find(|(_, side)| !agrees(side));
            match off {
                None => self.rows.push(row),
                Some((of, side)) => self.fault(
                    row.line,
                    format!(
                        "busbw {of} is {} times algbw; {} on {ranks} ranks makes it {}.",
                        number(side.busbw / side.algbw),
                        program.name,
                        number(factor)
                    ),
                ),
            }
        }
    }

    /// The measurements out of place: bytes and seconds.
    pub fn points(&self) -> Vec<(f64, f64)> {
        self.rows.iter().map(|row| (row.bytes, row.out_of_place.time)).collect()
    }
}

#[cfg(test)]
mod tests;
