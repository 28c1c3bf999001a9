//! A number with a name and a unit, as a widget shows it, an exercise asks for it and a test reads it.

use crate::decimal;
use crate::float::bits::superscript;
use crate::units::{GB, GIB, KB, KIB, MB, MIB, TB, TIB};

/// What a quantity counts. Values are always held in the base unit named here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Floating-point operations.
    Flop,
    /// Floating-point operations a second.
    FlopPerSecond,
    /// Bytes a second.
    BytesPerSecond,
    /// Things counted: parameters, tokens, steps.
    Count,
    /// A pure number: a ratio, a speed-up.
    Ratio,
    /// A fraction of one, written as a percentage.
    Fraction,
}

/// One number of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// The stable name in `data-quantity`, in exercises and in prose: `weights`, `bubble-fraction`.
    pub id: &'static str,
    /// What a person reads: "Weights".
    pub label: &'static str,
    /// In the base unit of `unit`. Finite.
    pub value: f64,
    /// What `value` counts.
    pub unit: Unit,
    /// Whether it means anything in this state. If not, no person is shown it.
    pub applies: bool,
    /// What `value` is held against, in the same unit.
    pub limit: Option<f64>,
    /// What a person reads instead of 0, 1 and so on; empty for a number.
    pub words: &'static [&'static str],
}

/// The word that stands for a number: the first for 0, the second for 1, and so on; none where there are no words.
pub fn word(words: &[&'static str], value: f64) -> Option<&'static str> {
    words.get(value as usize).copied()
}

impl Quantity {
    /// A quantity whose value is in the base unit of `unit`.
    pub fn new(id: &'static str, label: &'static str, value: f64, unit: Unit) -> Self {
        // The sum of no floats is −0, and so is 0 times a negative number.
        Self { id, label, value: value + 0.0, unit, applies: true, limit: None, words: &[] }
    }

    /// The value for a person: `480 GB`, `30 B`, `2.5 ms`, `12.5%`, `Yes`.
    pub fn text(&self) -> String {
        word(self.words, self.value).map_or_else(|| self.unit.format(self.value), str::to_owned)
    }
}

impl Unit {
    /// Writes `value` (in base units) with three significant digits and the usual decimal prefix.
    pub fn format(self, value: f64) -> String {
        match self {
            Unit::Bytes => bytes_decimal(value),
            Unit::BytesPerSecond => format!("{}/s", prefixed(value, "", &BYTES)),
            Unit::Seconds => seconds(value),
            Unit::Flop => flop(value),
            Unit::FlopPerSecond => prefixed(value, "FLOP/s", &SI),
            Unit::Count => count(value),
            Unit::Ratio => number(value),
            Unit::Fraction if value > 0.0 && value < 1e-5 => "under 0.001%".to_owned(),
            Unit::Fraction => format!("{}%", number(value * 100.0)),
        }
    }
}

/// FLOPs with a prefix up to exa, and beyond it as the field writes those of a training run: `5.76 × 10²³ FLOP`.
fn flop(value: f64) -> String {
    if value.abs() < 0.9995e21 {
        return prefixed(value, "FLOP", &SI);
    }
    format!("{} FLOP", in_tens(value))
}

/// A number as [`number`] writes it, with a power of ten in place of an exponent: `3.12 × 10⁻⁸`.
pub fn in_tens(value: f64) -> String {
    let text = number(value);
    let Some((digits, power)) = text.split_once('e') else { return text };
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    format!("{digits} × 10{}", superscript(power.parse().unwrap_or_default()))
}

const SI: [(f64, &str); 7] = [(1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")];

fn prefixed(value: f64, unit: &str, scale: &[(f64, &str)]) -> String {
    let (factor, prefix) = pick(value, scale);
    format!("{} {prefix}{unit}", number(value / factor))
}

/// The largest step of `scale` (largest first) that `value` reaches after rounding to three digits.
fn pick<'a>(value: f64, scale: &[(f64, &'a str)]) -> (f64, &'a str) {
    let reached = |factor: f64| value.abs() >= factor * 0.9995;
    scale
        .iter()
        .copied()
        .find(|&(factor, _)| reached(factor))
        .unwrap_or_else(|| scale.last().copied().unwrap_or((1.0, "")))
}

const BYTES: [(f64, &str); 6] = [(1e15, "PB"), (TB, "TB"), (GB, "GB"), (MB, "MB"), (KB, "kB"), (1.0, "B")];

/// Bytes with decimal prefixes: `60 GB`. A whole number below a million that three digits cannot hold is written in full: `16,384 B`.
pub fn bytes_decimal(value: f64) -> String {
    let rounds = |value: f64| (value / 10_f64.powf(value.log10().floor() - 2.0)).fract() != 0.0;
    match exact(value).filter(|_| (KB..MB).contains(&value) && rounds(value)) {
        Some(whole) => format!("{whole} B"),
        None => prefixed(value, "", &BYTES),
    }
}

/// Bytes with binary prefixes: `55.9 GiB`.
pub fn bytes_binary(value: f64) -> String {
    prefixed(value, "", &[(1024.0 * TIB, "PiB"), (TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB"), (1.0, "B")])
}

fn seconds(value: f64) -> String {
    if value == 0.0 {
        return "0 s".to_owned();
    }
    if value.abs() >= 119.5 {
        let text = prefixed(value, "", &[(86400.0 * 365.25, "years"), (86400.0, "days"), (3600.0, "h"), (60.0, "min")]);
        let one = text.strip_prefix("1 ").and_then(|unit| unit.strip_suffix('s'));
        return one.map_or_else(|| text.clone(), |unit| format!("1 {unit}"));
    }
    prefixed(value, "s", &[(1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")])
}

/// A count with the suffix the field uses for parameters and tokens: `30 B`, `8.03 B`, `405 M`; below a million in full: `40,960`.
pub fn count(value: f64) -> String {
    if value.abs() < 999_500.0 || (value.abs() < 1e6 && value.fract() == 0.0) {
        return number(value);
    }
    let (factor, suffix) = pick(value, &[(1e12, "T"), (1e9, "B"), (1e6, "M")]);
    format!("{} {suffix}", number(value / factor))
}

/// US dollars: below a thousand with cents unless there are none, from there on as [`count`] has them: `$1.10`, `−$12`, `$1.2 M`. Below
/// ten cents as many digits as a number has: `$0.0032`.
pub fn dollars(value: f64) -> String {
    let (sign, size) = (if value < 0.0 { "−" } else { "" }, value.abs());
    let text = if (0.1..1e3).contains(&size) {
        let cents = format!("{size:.2}");
        with_commas(cents.strip_suffix(".00").unwrap_or(&cents))
    } else {
        count(size)
    };
    format!("{sign}${text}")
}

/// Three significant digits and every digit before the point, no exponent between 10⁻⁴ and 10⁶, no trailing zeros: `480`, `7.5`,
/// `0.0625`, `4,096`, `1.5e-7`, `−0.353`.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { "–".into() };
    }
    let size = value.abs();
    let magnitude = size.log10().floor();
    if !(-4.0..6.0).contains(&magnitude) {
        return signed(value, &format!("{size:.2e}"));
    }
    let decimals = (2.0 - magnitude).max(0.0) as usize;
    let text = format!("{size:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    signed(value, &with_commas(text))
}

/// A number with `digits` significant digits (1 to 15), no exponent between 10⁻⁴ and 10⁹, no trailing zeros: `479.6`.
pub fn significant(value: f64, digits: u32) -> String {
    if value == 0.0 || !value.is_finite() {
        return number(value);
    }
    let digits = digits.clamp(1, 15) as i32;
    // Rounded first, so that 999.96 to four digits is a number of the next magnitude.
    let Some(rounded) = decimal::parse(&format!("{:.*e}", (digits - 1) as usize, value.abs())) else {
        return number(value);
    };
    let magnitude = rounded.log10().floor();
    let text = if (-4.0..9.0).contains(&magnitude) {
        let decimals = (f64::from(digits) - 1.0 - magnitude).max(0.0) as usize;
        format!("{rounded:.decimals$}")
    } else {
        format!("{rounded:e}")
    };
    let text = match text.split_once('.') {
        Some((_, decimals)) if decimals.contains('e') => text,
        Some(_) => with_commas(text.trim_end_matches('0').trim_end_matches('.')),
        None if text.contains('e') => text,
        None => with_commas(&text),
    };
    signed(value, &text)
}

/// A plain decimal without a sign, with a comma between groups of three digits before its point.
fn with_commas(decimal: &str) -> String {
    let whole = decimal.split('.').next().unwrap_or_default().len();
    let mut text = String::with_capacity(decimal.len() + whole / 3);
    for (i, letter) in decimal.chars().enumerate() {
        let left = whole.saturating_sub(i);
        if i > 0 && left > 0 && left.is_multiple_of(3) {
            text.push(',');
        }
        text.push(letter);
    }
    text
}

/// A whole number with commas between groups of three, for exact counts: `8,030,261,248`.
pub fn grouped(value: u64) -> String {
    with_commas(&value.to_string())
}

/// A whole number from 0 to 10¹⁵ as [`grouped`] writes it; none for any other.
pub fn exact(value: f64) -> Option<String> {
    let whole = (0.0..=1e15).contains(&value) && value.fract() == 0.0;
    whole.then(|| grouped(value as u64))
}

/// Where somebody stands among so many: "Event 3 of 12".
pub fn place(what: &str, at: usize, of: usize) -> String {
    let name = what.to_lowercase();
    match (at, of) {
        (_, 0) => format!("No {name}s"),
        (0, of) => format!("Before the first of {}", counted(of as u64, &name, &format!("{name}s"))),
        (at, of) => format!("{what} {} of {}", grouped(at as u64), grouped(of as u64)),
    }
}

/// A number as it is written, and what it counts: `1 pass`, `1.5 passes`.
pub fn named(written: &str, one: &str, many: &str) -> String {
    format!("{written} {}", if written == "1" { one } else { many })
}

/// A number of things: `1 call waits`, `4,096 calls wait`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    named(&grouped(n), one, many)
}

/// A number as it is written, and what it counts: `1 token`, `4,096 tokens`.
///
/// ```
/// use ringside_core::quantity::plural;
/// assert_eq!([plural("1", "token"), plural("0", "token"), plural("1.5", "token")], ["1 token", "0 tokens", "1.5 tokens"]);
/// ```
pub fn plural(written: &str, one: &str) -> String {
    named(written, one, &format!("{one}s"))
}

/// A size with its sign in front: `−533 ms`.
pub fn signed(value: f64, size: &str) -> String {
    format!("{}{size}", if value < 0.0 { "−" } else { "" })
}

/// A list as a sentence has it: "a", "a and b", "a, b and c".
pub fn listed(items: &[String]) -> String {
    match items {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// With a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A number and its unit, kept on one line: a no-break space between them.
pub fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// A text whose numbers stay on the line of their units: "1 × H100 SXM 80 GB" never breaks before "GB".
pub fn bound(text: &str) -> String {
    const UNITS: [&str; 34] = [
        "B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB", "B/s", "MB/s", "GB/s", "TB/s", "Gb/s", "ns",
        "µs", "ms", "s", "min", "h", "FLOPs", "FLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s", "W", "kW", "MHz",
        "GHz", "points", "d", "days",
    ];
    let is_unit = |rest: &str| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '/').unwrap_or(rest.len());
        rest.get(..end).is_some_and(|word| UNITS.contains(&word.trim_end_matches('/')))
    };
    let mut bound = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let follows_number = bound.ends_with(|c: char| c.is_ascii_digit());
        let binds = c == ' ' && follows_number && text.get(at + 1..).is_some_and(is_unit);
        bound.push(if binds { '\u{a0}' } else { c });
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_stays_with_its_unit() {
        let text = "31 GB to 35 GB on 8 × H100 SXM 80 GB, 2.5 s per step (312 TFLOP/s) in 8 GPUs’ time";
        let kept = "31\u{a0}GB to 35\u{a0}GB on 8 × H100 SXM 80\u{a0}GB, 2.5\u{a0}s per step (312\u{a0}TFLOP/s) in 8 GPUs’ time";
        assert_eq!(bound(text), kept);
        assert_eq!(bound("step 3 seems slow, 4 sets"), "step 3 seems slow, 4 sets");
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let bytes = Unit::Bytes;
        assert_eq!(bytes.format(60e9), "60 GB");
        assert_eq!(bytes.format(7.5e9), "7.5 GB");
        assert_eq!(bytes.format(999.7e6), "1 GB");
        assert_eq!(bytes.format(0.0), "0 B");
        assert_eq!(bytes_binary(60e9), "55.9 GiB");
        // Exact values are written exactly: three digits would make another number of them.
        assert_eq!((bytes.format(16_384.0), bytes.format(4096.0)), ("16,384 B".to_owned(), "4,096 B".to_owned()));
        assert_eq!((bytes.format(12_000.0), bytes.format(16_384.5)), ("12 kB".to_owned(), "16.4 kB".to_owned()));
        assert_eq!(
            (bytes.format(268_435_456.0), Unit::BytesPerSecond.format(16_384.0)),
            ("268 MB".to_owned(), "16.4 kB/s".to_owned())
        );
        assert_eq!(
            (Unit::Count.format(40_960.0), Unit::Count.format(999_999.0)),
            ("40,960".to_owned(), "999,999".to_owned())
        );
        assert_eq!(
            (Unit::Count.format(24_812.5), Unit::Count.format(999_600.5)),
            ("24,812".to_owned(), "1 M".to_owned())
        );
        assert_eq!(
            (Unit::Flop.format(5.76e23), Unit::Flop.format(1e21)),
            ("5.76 × 10²³ FLOP".to_owned(), "1 × 10²¹ FLOP".to_owned())
        );
        assert_eq!(Unit::Flop.format(5.88e20), "588 EFLOP");
        assert_eq!(
            (Unit::Fraction.format(4.8e-7), Unit::Fraction.format(1.5e-4)),
            ("under 0.001%".to_owned(), "0.015%".to_owned())
        );
        assert_eq!(Unit::Count.format(30e9), "30 B");
        assert_eq!(Unit::Count.format(64.0), "64");
        assert_eq!(Unit::Seconds.format(0.0025), "2.5 ms");
        assert_eq!(Unit::Seconds.format(0.0), "0 s");
        assert_eq!(Unit::Fraction.format(0.125), "12.5%");
        assert_eq!(significant(479.64, 4), "479.6");
        assert_eq!(significant(999.96, 4), "1,000");
        assert_eq!(significant(-0.000_123_456, 3), "−0.000123");
        assert_eq!(significant(4.8e11, 4), "4.8e11");
        assert_eq!(significant(1234567.0, 2), "1,200,000");
        assert_eq!((significant(-12_345.67, 7), number(-4096.0)), ("−12,345.67".to_owned(), "−4,096".to_owned()));
        assert_eq!(grouped(8_030_261_248), "8,030,261,248");
        assert_eq!(exact(1234.0).as_deref(), Some("1,234"));
        assert_eq!(counted(1, "rank", "ranks"), "1 rank");
        assert_eq!(counted(4096, "rank", "ranks"), "4,096 ranks");
        assert_eq!((capital("élan vital"), capital("")), ("Élan vital".to_owned(), String::new()));
        assert_eq!((exact(0.5), exact(-1.0), exact(f64::NAN)), (None, None, None));
        for (value, written) in [
            (1.1, "$1.10"),
            (-12.0, "−$12"),
            (12.001, "$12"),
            (480.4, "$480.40"),
            (0.5, "$0.50"),
            (0.0032, "$0.0032"),
            (999.999, "$1,000"),
            (1.2e6, "$1.2 M"),
            (4096.5, "$4,096"),
            (0.0, "$0"),
        ] {
            assert_eq!(dollars(value), written, "{value}");
        }
    }

    #[test]
    fn nothing_is_no_event_of_none() {
        let said = [(0, 0), (0, 1), (0, 34), (3, 1200)].map(|(at, of)| place("Event", at, of));
        assert_eq!(
            said,
            ["No events", "Before the first of 1 event", "Before the first of 34 events", "Event 3 of 1,200"]
        );
    }
}
