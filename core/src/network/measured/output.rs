//! The table that a program of nccl-tests prints, as it is pasted.
//!
//! ```text
//! #                                                       out-of-place                       in-place
//! #       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
//! #        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
//!      1048576        262144     float     sum      -1    59.30   17.68   30.94      0    59.20   17.71   31.00      0
//! ```
//!
//! Every row is held to itself: its bandwidth must be its size over its time, as far as the digits that it prints tell.

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
    /// The rows in order.
    pub rows: Vec<Row>,
    /// The lines that are not used, and why. Comments and NCCL's own log are no faults.
    pub faults: Vec<Fault>,
}

/// Most rows that are read.
pub const MAX_ROWS: usize = 64;
/// Most faults that are told apart.
const MAX_FAULTS: usize = 20;

/// The names of the columns of a half.
const COLUMNS: [&str; 4] = ["time", "algbw", "busbw", "#wrong"];

/// Reads what was pasted: any text.
pub fn read(text: &str) -> Report {
    let mut report = Report::default();
    let mut listed = 0;
    for (line, content) in text.lines().enumerate().map(|(i, content)| (i + 1, untagged(content).trim())) {
        if let Some(found) = PROGRAMS.iter().find(|program| names(content, program.name)) {
            report.program = Some(found);
            continue;
        }
        if let Some(comment) = content.strip_prefix('#') {
            listed = listed.max(rank(comment).map_or(0, |rank| rank + 1));
        } else if !content.is_empty() && !content.contains(" NCCL ") {
            match row(line, content) {
                Ok(row) if row.bytes == 0.0 => {}
                Ok(row) if report.rows.len() < MAX_ROWS => report.rows.push(row),
                Ok(_) => report.fault(line, format!("only the first {MAX_ROWS} rows are used.")),
                Err(why) => report.fault(line, why),
            }
        }
    }
    report.ranks = (listed > 1).then_some(listed);
    report.infer();
    report.hold();
    report
}

/// The line without what `mpirun --tag-output` puts before it: `[1,0]<stdout>:`.
fn untagged(line: &str) -> &str {
    match line.split_once("<stdout>:") {
        Some((tag, rest)) if tag.starts_with('[') => rest,
        _ => line,
    }
}

/// Whether the line names the program, and not one whose name ends like it.
fn names(line: &str, program: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.split(|c| !word(c)).any(|found| found == program)
}

/// The rank that a comment lists: `  Rank  3 Group  0 Pid 1234 on node01 device  3 …`.
fn rank(comment: &str) -> Option<usize> {
    let mut words = comment.split_whitespace();
    let number = (words.next() == Some("Rank")).then(|| words.next())??;
    number.parse().ok().filter(|rank| *rank < 100_000)
}

fn row(line: usize, content: &str) -> Result<Row, String> {
    let quoted = || format!("“{}”", shorten(content));
    let fields: Vec<&str> = content.split_whitespace().collect();
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
            decimal::parse(text).filter(|v| v.is_finite() && *v >= 0.0).ok_or(bad)
        };
        let (time, algbw, busbw) = (value(0, time)?, value(1, algbw)?, value(2, busbw)?);
        let wrong = if *wrong == "N/A" { 0.0 } else { value(3, wrong)? };
        if time == 0.0 {
            return Err(format!("time {of} is 0."));
        }
        // Before 2.13 the last column was the largest error, such as 2e-07.
        if wrong >= 1.0 {
            return Err(format!("{} results {of} are wrong; such a time says nothing.", number(wrong)));
        }
        Ok(Some(Side { time: time / 1e6, algbw: algbw * 1e9, busbw: busbw * 1e9 }))
    };
    let (first, second) = numbers.split_at(numbers.len().min(4));
    let Some(out_of_place) = half("out of place", first)? else {
        return Err("nothing was measured out of place.".to_owned());
    };
    let row = Row { line, bytes, out_of_place, in_place: half("in place", second)? };
    for (of, side) in row.sides() {
        let stated = side.algbw / 1e9;
        if !Rounded::bandwidth(stated).meets(side.by_time(bytes)) {
            let real = number(bytes / side.time / 1e9);
            let (size, time) = (Unit::Bytes.format(bytes), Unit::Seconds.format(side.time));
            return Err(format!("{size} in {time} are {real} GB/s; algbw {of} says {}.", number(stated)));
        }
    }
    Ok(row)
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
    /// Its halves, by what they are called.
    pub fn sides(&self) -> impl Iterator<Item = (&'static str, Side)> {
        [("out of place", Some(self.out_of_place)), ("in place", self.in_place)]
            .into_iter()
            .filter_map(|(name, side)| side.map(|side| (name, side)))
    }
}

impl Report {
    fn fault(&mut self, line: usize, why: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { line, message: format!("Line {}: {why}", grouped(line as u64)) });
        }
    }

    /// What the text does not say, from the row with the most bandwidth: only an all-reduce has a factor over 1.
    fn infer(&mut self) {
        let fastest = self.rows.iter().map(|r| r.out_of_place).max_by(|a, b| a.algbw.total_cmp(&b.algbw));
        let Some(side) = fastest.filter(|side| side.algbw >= 0.5e9) else { return };
        let factor = side.busbw / side.algbw;
        if self.program.is_none() && factor > 1.02 {
            self.program = PROGRAMS.iter().find(|program| program.op == Some(Op::AllReduce));
        }
        if self.ranks.is_none() {
            self.ranks = self.program.and_then(|program| program.ranks_of(factor));
        }
    }

    /// Takes out the rows whose bus bandwidth is not their algorithm bandwidth times the factor.
    fn hold(&mut self) {
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
        self.faults.sort_by_key(|fault| fault.line);
    }

    /// The measurements out of place: bytes and seconds.
    pub fn points(&self) -> Vec<(f64, f64)> {
        self.rows.iter().map(|row| (row.bytes, row.out_of_place.time)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{EXAMPLE, fit};
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        read(text).faults.into_iter().map(|fault| fault.message).collect()
    }

    const ROW: &str = "1048576 262144 float sum -1 27.76 37.78 66.11 0 27.49 38.15 66.76 0";

    #[test]
    fn a_posted_table_is_read_whole() {
        let report = read(EXAMPLE);
        assert_eq!(report.faults, []);
        assert_eq!((report.rows.len(), report.ranks), (15, Some(8)));
        assert_eq!(report.program.map(|p| p.name), Some("all_reduce_perf"));
        let last = report.rows.last().expect("rows");
        assert_eq!((last.bytes, last.out_of_place.busbw), (1_073_741_824.0, 357.73e9));
        let fit = fit(&report.points()).expect("many sizes");
        let busbw = fit.cost.peak() * 1.75 / 1e9;
        assert!((320.0..360.0).contains(&busbw), "{busbw}");
        assert!((15e-6..30e-6).contains(&fit.cost.latency), "{fit:?}");
    }

    #[test]
    fn ranks_are_counted_or_inferred_and_logs_passed_over() {
        let listed = "#  Rank  0 Group 0\n#  Rank 15 Group 0\nnode1:1:2 [0] NCCL INFO Using network IB\n\n# Avg bus bandwidth : 12";
        assert_eq!((read(listed).ranks, read(listed).faults.len()), (Some(16), 0));
        let tagged = format!("$ mpirun ./build/all_reduce_perf -b 8\n[1,0]<stdout>: {ROW}\r\n");
        let report = read(&tagged);
        assert_eq!((report.rows.len(), report.rows[0].line, report.ranks), (1, 2, Some(8)));
        // A program without an operation and root in its table, or without a check.
        let short = "1048576 32768 float 50.00 20.97 18.35 N/A 50.00 20.97 18.35 N/A";
        let report = read(&format!("./all_gather_perf -g 8\n{short}"));
        assert_eq!((report.rows.len(), report.program.and_then(|p| p.op)), (1, Some(Op::AllGather)));
        assert_eq!(report.ranks, Some(8));
    }

    #[test]
    fn nonsense_is_named_by_its_line() {
        assert_eq!(faults("banana"), ["Line 1: “banana” does not begin with a size in bytes and a count."]);
        assert_eq!(faults("\n8 2 float"), ["Line 2: “8 2 float” has 3 columns; there must be 11 to 13."]);
        let broken =
            |from: &str, to: &str| faults(&format!("# all_reduce_perf\n#  Rank  7\n{}", ROW.replacen(from, to, 1)));
        assert_eq!(broken("66.11", "sixty"), ["Line 3: busbw out of place, “sixty”, is no number."]);
        assert_eq!(broken("27.49", "0"), ["Line 3: time in place is 0."]);
        assert_eq!(
            broken("37.78", "73.78"),
            ["Line 3: 1.05 MB in 27.8 µs are 37.8 GB/s; algbw out of place says 73.8."]
        );
        assert_eq!(broken("66.76 0", "66.76 12"), ["Line 3: 12 results in place are wrong; such a time says nothing."]);
        assert_eq!(
            broken("66.11", "90.00"),
            ["Line 3: busbw out of place is 2.38 times algbw; all_reduce_perf on 8 ranks makes it 1.75."]
        );
        let many: String = (0..MAX_ROWS + 1).map(|_| format!("{ROW}\n")).collect();
        assert_eq!(faults(&many), ["Line 65: only the first 64 rows are used."]);
        assert_eq!(faults(&"x\n".repeat(1000)).len(), MAX_FAULTS);
    }

    #[test]
    fn a_row_that_is_rounded_as_it_must_be_is_read() {
        // Eight ranks: 1024 B in 23.34 µs are 0.0439 GB/s, and 7/4 of that 0.0768.
        let row = |rest: &str| faults(&format!("# all_reduce_perf\n#  Rank  7\n1024 256 float sum -1 {rest}"));
        assert_eq!(row("23.34 0.04 0.08 0 23.10 0.04 0.08 0"), [""; 0]);
        assert_eq!(row("23.34 0.04 0.07 0 23.10 0.04 0.08 0").len(), 1);
        assert_eq!(row("23.34 0.05 0.08 0 23.10 0.04 0.08 0").len(), 1);
    }

    #[test]
    fn a_line_is_found_again() {
        let line = |bytes: f64| 20e-6 + bytes / 200e9;
        let points: Vec<(f64, f64)> = [8.0, 1e4, 1e6, 1e8, 1e10].map(|bytes| (bytes, line(bytes))).to_vec();
        let found = fit(&points).expect("five sizes");
        assert!((found.cost.latency / 20e-6 - 1.0).abs() < 1e-9 && (found.cost.peak() / 200e9 - 1.0).abs() < 1e-9);
        assert!(found.off < 1e-9);
        assert_eq!(fit(&[(8.0, 1.0), (8.0, 2.0)]), None);
        let falling = fit(&[(1.0, 2.0), (1e9, 1.0)]).expect("two sizes");
        assert!(falling.cost.per_byte == 0.0 && falling.cost.latency > 1.0);
        let steep = fit(&[(1.0, 1e-9), (1e6, 1.0)]).expect("two sizes");
        assert!(steep.cost.latency >= 0.0 && steep.cost.per_byte > 0.0);
    }
}
