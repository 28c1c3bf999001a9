//! The units that a learner may write, and what a written one can mean.

use crate::quantity::{Unit, significant};

/// What a unit measures: finer than [`Unit`], since bits are not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// `B`, `GB`, `GiB`.
    Bytes,
    /// `bit`, `Gbit`, `Gb`.
    Bits,
    /// `GB/s`.
    BytesPerSecond,
    /// `Gbit/s`, `Gbps`.
    BitsPerSecond,
    /// `ms`, `h`, `days`.
    Seconds,
    /// `TFLOP`.
    Flop,
    /// `TFLOP/s`, `TFLOPS`.
    FlopPerSecond,
    /// `tokens`, `GPUs`.
    Things,
    /// `×`.
    Times,
    /// `%`.
    Percent,
}

impl Measure {
    /// The unit of a quantity that this measures.
    pub fn unit(self) -> Unit {
        match self {
            Measure::Bytes | Measure::Bits => Unit::Bytes,
            Measure::BytesPerSecond | Measure::BitsPerSecond => Unit::BytesPerSecond,
            Measure::Seconds => Unit::Seconds,
            Measure::Flop => Unit::Flop,
            Measure::FlopPerSecond => Unit::FlopPerSecond,
            Measure::Things => Unit::Count,
            Measure::Times => Unit::Ratio,
            Measure::Percent => Unit::Fraction,
        }
    }

    /// Whether an answer in this measure can be meant for a quantity in `asked`.
    pub fn fits(self, asked: Unit) -> bool {
        match asked {
            Unit::Count => matches!(self, Measure::Things | Measure::Times),
            Unit::Ratio | Unit::Fraction => matches!(self, Measure::Things | Measure::Times | Measure::Percent),
            _ => self.unit() == asked,
        }
    }

    pub(super) fn is_bits(self) -> bool {
        matches!(self, Measure::Bits | Measure::BitsPerSecond)
    }
}

/// The prefix of a unit: a power of 1000 or of 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// A power of 1000: 3 for G, 0 for none, −1 for m.
    Decimal(i32),
    /// A power of 1024: 3 for Gi.
    Binary(i32),
}

impl Prefix {
    fn factor(self) -> f64 {
        match self {
            Prefix::Decimal(power) => 1000_f64.powi(power),
            Prefix::Binary(power) => 1024_f64.powi(power),
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Prefix::Decimal(-4) => "p",
            Prefix::Decimal(-3) => "n",
            Prefix::Decimal(-2) => "µ",
            Prefix::Decimal(-1) => "m",
            Prefix::Decimal(1) => "k",
            Prefix::Decimal(2) => "M",
            Prefix::Decimal(3) => "G",
            Prefix::Decimal(4) => "T",
            Prefix::Decimal(5) => "P",
            Prefix::Decimal(6) => "E",
            Prefix::Decimal(7) => "Z",
            Prefix::Decimal(8) => "Y",
            Prefix::Binary(1) => "Ki",
            Prefix::Binary(2) => "Mi",
            Prefix::Binary(3) => "Gi",
            Prefix::Binary(4) => "Ti",
            Prefix::Binary(5) => "Pi",
            Prefix::Binary(6) => "Ei",
            _ => "",
        }
    }
}

/// A unit as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// What it measures.
    pub measure: Measure,
    /// Its prefix.
    pub prefix: Prefix,
    /// How many base units of [`Measure::unit`] it is; a bit is an eighth of a byte.
    pub factor: f64,
    /// How it is written properly: `GiB/s`.
    pub name: String,
}

impl Named {
    fn new(measure: Measure, prefix: Prefix) -> Self {
        let (base, symbol) = match measure {
            Measure::Bytes => (1.0, "B"),
            Measure::Bits => (0.125, "bit"),
            Measure::BytesPerSecond => (1.0, "B/s"),
            Measure::BitsPerSecond => (0.125, "bit/s"),
            Measure::Seconds => (1.0, "s"),
            Measure::Flop => (1.0, "FLOP"),
            Measure::FlopPerSecond => (1.0, "FLOP/s"),
            Measure::Things => (1.0, ""),
            Measure::Times => (1.0, "×"),
            Measure::Percent => (0.01, "%"),
        };
        let name = match (measure, prefix) {
            // What the field writes for parameters and tokens.
            (Measure::Things, Prefix::Decimal(3)) => "B".to_owned(),
            _ => format!("{}{symbol}", prefix.symbol()),
        };
        Self { measure, prefix, factor: base * prefix.factor(), name }
    }

    fn time(factor: f64, name: &str) -> Self {
        Self { measure: Measure::Seconds, prefix: Prefix::Decimal(0), factor, name: name.to_owned() }
    }

    /// `value`, in base units, written in this unit with `digits` significant digits: `447 GiB`, `12.5%`.
    pub fn write(&self, value: f64, digits: u32) -> String {
        self.attach(&significant(value / self.factor, digits))
    }

    /// This unit behind a number that is already written.
    pub(super) fn attach(&self, number: &str) -> String {
        match self.measure {
            Measure::Percent | Measure::Times => format!("{number}{}", self.name),
            _ if self.name.is_empty() => number.to_owned(),
            _ => format!("{number} {}", self.name),
        }
    }
}

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;
const DAY: f64 = 86_400.0;
const YEAR: f64 = 365.25 * DAY;

/// The units in which people give an amount in `asked`, the base unit first. A bare number is in the base unit; a
/// fraction may also be a percentage, a count also thousands, millions, billions (`B`) and trillions.
pub fn units_of(asked: Unit) -> Vec<Named> {
    let decimal = |measure, powers: std::ops::RangeInclusive<i32>| {
        powers.map(move |power| Named::new(measure, Prefix::Decimal(power)))
    };
    let binary = |measure| (1..=5).map(move |power| Named::new(measure, Prefix::Binary(power)));
    match asked {
        Unit::Bytes => decimal(Measure::Bytes, 0..=6).chain(binary(Measure::Bytes)).collect(),
        Unit::BytesPerSecond => decimal(Measure::BytesPerSecond, 0..=5)
            .chain(binary(Measure::BytesPerSecond))
            .chain(decimal(Measure::BitsPerSecond, 0..=5))
            .collect(),
        Unit::Seconds => decimal(Measure::Seconds, -3..=0)
            .rev()
            .chain(
                [(MINUTE, "min"), (HOUR, "h"), (DAY, "days"), (7.0 * DAY, "weeks"), (YEAR, "years")]
                    .map(|(factor, name)| Named::time(factor, name)),
            )
            .collect(),
        Unit::Flop => decimal(Measure::Flop, 0..=8).collect(),
        Unit::FlopPerSecond => decimal(Measure::FlopPerSecond, 0..=7).collect(),
        Unit::Count => decimal(Measure::Things, 0..=4).collect(),
        Unit::Ratio => vec![Named::new(Measure::Times, Prefix::Decimal(0))],
        Unit::Fraction => {
            vec![Named::new(Measure::Things, Prefix::Decimal(0)), Named::new(Measure::Percent, Prefix::Decimal(0))]
        }
    }
}

/// Writes `value`, in base units, in the unit that suits its size, with `digits` significant digits: `479.6 GB`.
pub fn write(value: f64, unit: Unit, digits: u32) -> String {
    if unit == Unit::Count && value.abs() < 1e6 && value.fract() == 0.0 {
        return significant(value, digits.max(6));
    }
    if unit == Unit::Ratio {
        return significant(value, digits);
    }
    suited(value, unit).map_or_else(|| significant(value, digits), |named| named.write(value, digits))
}

/// The unit that suits the size of `value`, in base units.
pub(crate) fn suited(value: f64, unit: Unit) -> Option<Named> {
    let named = units_of(unit);
    let suits = |n: &&Named| matches!(n.prefix, Prefix::Decimal(_)) && !n.measure.is_bits();
    let percent = unit == Unit::Fraction;
    // One second is not written as 0.0167 min, nor 90 seconds as 1.5 min.
    let reach = |n: &Named| if n.factor >= MINUTE && unit == Unit::Seconds { 2.0 * n.factor } else { n.factor };
    let best = named
        .iter()
        .filter(suits)
        .filter(|n| percent == (n.measure == Measure::Percent))
        .filter(|n| value.abs() >= reach(n) * 0.9995)
        .max_by(|a, b| a.factor.total_cmp(&b.factor));
    let smallest = || {
        let base = named.iter().filter(suits).filter(|n| percent == (n.measure == Measure::Percent));
        base.min_by(|a, b| a.factor.total_cmp(&b.factor))
    };
    let base = || named.iter().find(|n| n.factor == 1.0);
    best.or_else(|| if value == 0.0 && !percent { base() } else { smallest() }).cloned()
}

/// What is written behind a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Suffix {
    /// "billion" and its like: a factor for the number.
    pub(super) multiplier: f64,
    /// The unit behind that.
    pub(super) unit: Written,
}

/// The unit of a [`Suffix`].
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Written {
    /// There is none.
    Nothing,
    /// It means one thing.
    One(Named),
    /// It may mean several things.
    Either(Vec<Named>),
    /// It means nothing that is known.
    Unknown,
}

/// Words that say for whom an amount is, not what it is.
const TAILS: [&str; 20] = [
    " per gpu",
    "/gpu",
    "/ gpu",
    " per device",
    "/device",
    " per rank",
    "/rank",
    " per node",
    "/node",
    " per chip",
    " per accelerator",
    " each",
    " in total",
    " total",
    " altogether",
    " of memory",
    " per step",
    "/step",
    " per token",
    "/token",
];

/// What `text`, written behind a number, can mean where `asked` is asked for.
pub(super) fn read_suffix(text: &str, asked: Unit) -> Suffix {
    let text = tidy(text);
    let plain = |multiplier, unit| Suffix { multiplier, unit };
    let compact = text.replace(" per ", "/").replace(' ', "");
    if compact.is_empty() {
        return plain(1.0, Written::Nothing);
    }
    let meaning = unit_word(&compact, asked);
    if meaning != Written::Unknown {
        return plain(1.0, meaning);
    }
    let (first, rest) = text.split_once(' ').unwrap_or((&text, ""));
    let rest = rest.replace(" per ", "/").replace(' ', "");
    let Some(multiplier) = multiplier(first, counts_in_letters(asked)) else {
        return plain(1.0, Written::Unknown);
    };
    plain(multiplier, if rest.is_empty() { Written::Nothing } else { unit_word(&rest, asked) })
}

/// One space between words, nothing at the ends, no full stop, none of the [`TAILS`].
fn tidy(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut text = format!(" {}", words.join(" "));
    loop {
        let end = text.trim_end_matches(['.', ',', ';', '!', '?', ' ']).len();
        text.truncate(end);
        let lower = text.to_ascii_lowercase();
        match TAILS.iter().find(|tail| lower.ends_with(*tail)) {
            Some(tail) => text.truncate(text.len() - tail.len()),
            None => return text.trim_start().to_owned(),
        }
    }
}

/// Whether `30 B` can be thirty billion where `asked` is asked for.
fn counts_in_letters(asked: Unit) -> bool {
    !matches!(asked, Unit::Bytes | Unit::BytesPerSecond | Unit::Seconds)
}

/// The factor of a word such as "billion", or of a letter such as `k` where `letters` may stand for one.
fn multiplier(word: &str, letters: bool) -> Option<f64> {
    let lower = word.to_lowercase();
    let factor = match lower.as_str() {
        "hundred" => 1e2,
        "thousand" => 1e3,
        "million" | "millions" | "mio" | "mn" => 1e6,
        "billion" | "billions" | "bn" | "mrd" => 1e9,
        "trillion" | "trillions" | "tn" => 1e12,
        "quadrillion" => 1e15,
        "quintillion" => 1e18,
        _ if !letters => return None,
        "k" => 1e3,
        "m" => 1e6,
        "b" | "g" => 1e9,
        "t" => 1e12,
        "p" => 1e15,
        _ => return None,
    };
    Some(factor)
}

fn one(measure: Measure, prefix: Prefix) -> Written {
    Written::One(Named::new(measure, prefix))
}

/// What one word without spaces means as a unit.
fn unit_word(word: &str, asked: Unit) -> Written {
    let lower = word.to_lowercase();
    match lower.as_str() {
        "%" | "percent" | "pct" => return one(Measure::Percent, Prefix::Decimal(0)),
        "x" | "*" | "times" | "fold" | "-fold" => return one(Measure::Times, Prefix::Decimal(0)),
        // A model's parameters (ZeRO, arXiv:1910.02054, §3): what is asked for as a multiple of them is written so.
        "ψ" if asked == Unit::Ratio => return one(Measure::Times, Prefix::Decimal(0)),
        "pf-day" | "pf-days" | "pfdays" | "pf/s-day" | "pf/s-days" | "petaflop/s-day" | "petaflop/s-days"
        | "pflop/s-day" | "pflop/s-days" | "pflops-day" | "pflops-days" | "petaflops-days" => {
            let factor = 1e15 * DAY;
            let (measure, prefix) = (Measure::Flop, Prefix::Decimal(0));
            return Written::One(Named { measure, prefix, factor, name: "PF-days".into() });
        }
        _ => {}
    }
    if is_thing(&lower) {
        return one(Measure::Things, Prefix::Decimal(0));
    }
    let memory = matches!(asked, Unit::Bytes | Unit::BytesPerSecond);
    let (top, per) = split_rate(word);
    if let Some(written) = only_prefix(top, asked).filter(|_| memory || asked == Unit::Seconds) {
        return written;
    }
    if counts_in_letters(asked) && multiplier(top, true).is_some() {
        return Written::Unknown;
    }
    if let Some(intensity) = word.split_once('/').and_then(|(top, per)| intensity(top, per)) {
        return Written::One(intensity);
    }
    let Some(base) = prefixed(top) else {
        let rate_of_things = per.is_some() && is_thing(&top.to_lowercase());
        return if rate_of_things { one(Measure::Things, Prefix::Decimal(0)) } else { Written::Unknown };
    };
    let named = match base {
        Base::Time(named) => return if per.is_none() { Written::One(named) } else { Written::Unknown },
        Base::Data(_, prefix) if word.ends_with("bps") => (Measure::Bits, prefix),
        Base::Data(measure, prefix) => (measure, prefix),
        Base::Flop { prefix, plural } => {
            let rate = per.is_some() || (plural && asked == Unit::FlopPerSecond);
            (if rate { Measure::FlopPerSecond } else { Measure::Flop }, prefix)
        }
    };
    let Some(seconds) = per else {
        return one(named.0, named.1);
    };
    let measure = match named.0 {
        Measure::Bytes => Measure::BytesPerSecond,
        Measure::Bits => Measure::BitsPerSecond,
        other => other,
    };
    if seconds != 1.0 {
        let mut slow = Named::new(measure, named.1);
        slow.factor /= seconds;
        slow.name = word.to_owned();
        return Written::One(slow);
    }
    // Bandwidths are given both ways, and in small letters nobody can tell which.
    if word.contains('/') && top.len() == 2 && top.ends_with('b') && top.bytes().all(|b| b.is_ascii_lowercase()) {
        return Written::Either(vec![
            Named::new(Measure::BytesPerSecond, named.1),
            Named::new(Measure::BitsPerSecond, named.1),
        ]);
    }
    one(measure, named.1)
}

/// FLOP for each byte, or bytes for each FLOP: a ratio.
fn intensity(top: &str, per: &str) -> Option<Named> {
    let (upper, lower, factor) = match (prefixed(top)?, prefixed(per)?) {
        (Base::Flop { prefix, .. }, Base::Data(Measure::Bytes, per)) => ("FLOP", "B", prefix.factor() / per.factor()),
        (Base::Data(Measure::Bytes, prefix), Base::Flop { prefix: per, .. }) => {
            ("B", "FLOP", prefix.factor() / per.factor())
        }
        _ => return None,
    };
    let name = if factor == 1.0 { format!(" {upper}/{lower}") } else { format!(" {top}/{per}") };
    Some(Named { measure: Measure::Times, prefix: Prefix::Decimal(0), factor, name })
}

/// Splits `GB/s`, `GBps`, `GB*s^-1` into `GB` and how many seconds the "per" is.
fn split_rate(word: &str) -> (&str, Option<f64>) {
    for ending in ["*s^-1", "s^-1", "*s-1"] {
        if let Some(top) = word.strip_suffix(ending) {
            return (top, Some(1.0));
        }
    }
    if let Some((top, per)) = word.split_once('/') {
        if let Some(Base::Time(time)) = prefixed(per) {
            return (top, Some(time.factor));
        }
        return (word, None);
    }
    match word.strip_suffix("ps").or_else(|| word.strip_suffix("PS")) {
        Some(top) if top.ends_with(['b', 'B']) || top.ends_with("bit") => (top, Some(1.0)),
        _ => (word, None),
    }
}

/// A prefix, or an `m`, without a unit behind it.
fn only_prefix(word: &str, asked: Unit) -> Option<Written> {
    if asked == Unit::Seconds {
        return match word {
            "m" => Some(Written::Either(vec![
                Named::time(MINUTE, "min"),
                Named::new(Measure::Seconds, Prefix::Decimal(-1)),
            ])),
            "µ" | "μ" | "u" => Some(one(Measure::Seconds, Prefix::Decimal(-2))),
            "n" => Some(one(Measure::Seconds, Prefix::Decimal(-3))),
            _ => None,
        };
    }
    let mut letters = word.chars();
    let power = decimal_power(letters.next()?)?;
    let rate = asked == Unit::BytesPerSecond;
    let bytes = if rate { Measure::BytesPerSecond } else { Measure::Bytes };
    match letters.as_str() {
        "" if rate => Some(Written::Either(vec![
            Named::new(bytes, Prefix::Decimal(power)),
            Named::new(Measure::BitsPerSecond, Prefix::Decimal(power)),
        ])),
        "" => Some(Written::Either(vec![
            Named::new(bytes, Prefix::Decimal(power)),
            Named::new(bytes, Prefix::Binary(power)),
        ])),
        "i" => Some(one(bytes, Prefix::Binary(power))),
        _ => None,
    }
}

/// The power of 1000 of a prefix above one, in either case: `mb` and `tflops` are written too.
fn decimal_power(letter: char) -> Option<i32> {
    let power = match letter.to_ascii_lowercase() {
        'k' => 1,
        'm' => 2,
        'g' => 3,
        't' => 4,
        'p' => 5,
        'e' => 6,
        'z' => 7,
        'y' => 8,
        _ => return None,
    };
    Some(power)
}

enum Base {
    Time(Named),
    Data(Measure, Prefix),
    Flop { prefix: Prefix, plural: bool },
}

/// Reads a unit with its prefix, without a "per".
fn prefixed(word: &str) -> Option<Base> {
    if let Some(named) = time_word(word) {
        return Some(Base::Time(named));
    }
    let small = word.bytes().all(|b| !b.is_ascii_uppercase());
    if let Some(found) = data_word(word, Prefix::Decimal(0), false) {
        return Some(found);
    }
    let lower = word.to_lowercase();
    const WORDS: [(&str, Prefix); 13] = [
        ("kilo", Prefix::Decimal(1)),
        ("mega", Prefix::Decimal(2)),
        ("giga", Prefix::Decimal(3)),
        ("tera", Prefix::Decimal(4)),
        ("peta", Prefix::Decimal(5)),
        ("exa", Prefix::Decimal(6)),
        ("zetta", Prefix::Decimal(7)),
        ("kibi", Prefix::Binary(1)),
        ("mebi", Prefix::Binary(2)),
        ("gibi", Prefix::Binary(3)),
        ("tebi", Prefix::Binary(4)),
        ("pebi", Prefix::Binary(5)),
        ("exbi", Prefix::Binary(6)),
    ];
    for (name, prefix) in WORDS {
        if let Some(rest) = lower.strip_prefix(name)
            && rest.len() > 1
            && let Some(found) = data_word(rest, prefix, false)
        {
            return Some(found);
        }
    }
    let mut letters = word.chars();
    let power = decimal_power(letters.next()?)?;
    let rest = letters.as_str();
    if let Some(rest) = rest.strip_prefix(['i', 'I'])
        && let Some(found) = data_word(rest, Prefix::Binary(power), small)
        && !matches!(found, Base::Flop { .. })
    {
        return Some(found);
    }
    data_word(rest, Prefix::Decimal(power), small).or_else(|| {
        let prefix = Prefix::Decimal(power);
        (rest == "F").then_some(Base::Flop { prefix, plural: true })
    })
}

/// Bytes, bits and FLOP. `small`: the whole unit is in small letters, where `b` is more likely a byte.
fn data_word(word: &str, prefix: Prefix, small: bool) -> Option<Base> {
    match word {
        "B" => return Some(Base::Data(Measure::Bytes, prefix)),
        "b" if small => return Some(Base::Data(Measure::Bytes, prefix)),
        "b" => return Some(Base::Data(Measure::Bits, prefix)),
        _ => {}
    }
    match word.to_lowercase().as_str() {
        "byte" | "bytes" => Some(Base::Data(Measure::Bytes, prefix)),
        "bit" | "bits" => Some(Base::Data(Measure::Bits, prefix)),
        "flop" => Some(Base::Flop { prefix, plural: false }),
        "flops" => Some(Base::Flop { prefix, plural: true }),
        "operation" | "operations" | "ops" if prefix == Prefix::Decimal(0) => {
            Some(Base::Flop { prefix, plural: false })
        }
        _ => None,
    }
}

fn time_word(word: &str) -> Option<Named> {
    let lower = word.to_lowercase();
    let (factor, name) = match lower.as_str() {
        "min" | "mins" | "minute" | "minutes" => (MINUTE, "min"),
        "h" | "hr" | "hrs" | "hour" | "hours" => (HOUR, "h"),
        "d" | "day" | "days" => (DAY, "days"),
        "wk" | "wks" | "week" | "weeks" => (7.0 * DAY, "weeks"),
        "month" | "months" => (YEAR / 12.0, "months"),
        "y" | "yr" | "yrs" | "year" | "years" => (YEAR, "years"),
        _ => {
            let second = |w: &str| matches!(w, "s" | "sec" | "secs" | "second" | "seconds");
            if second(&lower) {
                return Some(Named::new(Measure::Seconds, Prefix::Decimal(0)));
            }
            const PREFIXES: [(&str, i32); 9] = [
                ("milli", -1),
                ("micro", -2),
                ("nano", -3),
                ("m", -1),
                ("µ", -2),
                ("μ", -2),
                ("u", -2),
                ("n", -3),
                ("p", -4),
            ];
            let power = PREFIXES.iter().find_map(|(prefix, power)| {
                let source = if prefix.len() > 2 { lower.as_str() } else { word };
                source.strip_prefix(prefix).filter(|rest| second(rest)).map(|_| *power)
            })?;
            return Some(Named::new(Measure::Seconds, Prefix::Decimal(power)));
        }
    };
    Some(Named::time(factor, name))
}

/// Reads one word as a unit of time, for durations in several parts; `m` is minutes there.
pub(super) fn time_part(word: &str) -> Option<f64> {
    if word == "m" { Some(MINUTE) } else { time_word(word).map(|n| n.factor) }
}

/// Whether `lower` names what is counted.
fn is_thing(lower: &str) -> bool {
    const THINGS: [&str; 40] = [
        "parameter",
        "param",
        "weight",
        "token",
        "step",
        "gpu",
        "rank",
        "layer",
        "head",
        "microbatch",
        "microbatche",
        "batch",
        "batche",
        "sample",
        "sequence",
        "request",
        "element",
        "number",
        "value",
        "message",
        "hop",
        "block",
        "stage",
        "device",
        "node",
        "chunk",
        "page",
        "iteration",
        "epoch",
        "shard",
        "group",
        "expert",
        "gpuhour",
        "user",
        "slot",
        "row",
        "column",
        "warp",
        "thread",
        "tile",
    ];
    let bare = lower.replace('-', "");
    let bare = bare.as_str();
    THINGS.contains(&bare) || bare.strip_suffix('s').is_some_and(|singular| THINGS.contains(&singular))
}

/// The units to name in a message, and an example of an answer that is not the answer.
pub(super) fn examples(asked: Unit) -> (&'static str, &'static str) {
    match asked {
        Unit::Bytes => ("B, kB, MB, GB and TB, or KiB, MiB, GiB and TiB", "1 GB"),
        Unit::BytesPerSecond => ("GB/s, GiB/s or Gbit/s", "1 GB/s"),
        Unit::Seconds => ("ns, µs, ms, s, min, h, days, weeks and years", "1 ms"),
        Unit::Flop => ("FLOP, GFLOP, TFLOP, PFLOP and EFLOP", "1 TFLOP"),
        Unit::FlopPerSecond => ("FLOP/s, GFLOP/s, TFLOP/s and PFLOP/s", "1 TFLOP/s"),
        Unit::Count => ("none, or k, M, B (billion) and T", "1024, 7.5k or 30 B"),
        Unit::Ratio => ("none, or ×, % or FLOP/B", "1.5 or 3/2"),
        Unit::Fraction => ("none, or %", "12.5%, 0.125 or 1/8"),
    }
}

/// The unit called `name`, as an author writes it in a template: `GB`, `GiB/s`, `ms`, `TFLOP/s`, `%`, `×`.
pub fn find(name: &str) -> Option<Named> {
    let asked = if name.to_ascii_uppercase().ends_with("FLOPS") { Unit::FlopPerSecond } else { Unit::Bytes };
    match unit_word(&name.replace('×', "x"), asked) {
        Written::One(named) if named.measure != Measure::Things => Some(named),
        _ => None,
    }
}
