//! What a field asks for, and how what is typed in it is read: the same in figures, missions, labs and settings.

use super::read::duration;
use super::{MAX_LENGTH, Reading, read, say};
use crate::quantity::Unit;
use crate::query::{Kind, ParamSpec, parse_number, plain, shorten};

/// What a field asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Asked {
    unit: Unit,
    /// Base units of `unit` that one of what the field counts is: 3600 where it counts hours.
    each: f64,
    /// Whether the unit stands beside the field, so that a number without one is in it.
    is_named: bool,
}

/// Why what was typed is not a value.
struct Refused {
    /// What to type instead: a sentence.
    why: String,
    /// Whether it asks which of several amounts is meant.
    asks_back: bool,
}

impl Default for Asked {
    /// A number of things.
    fn default() -> Self {
        Self::of(Unit::Count)
    }
}

impl Asked {
    /// An amount in base units of `unit`.
    pub const fn of(unit: Unit) -> Self {
        Self { unit, each: 1.0, is_named: false }
    }

    /// A number of units that are `each` base units of `unit`, and that stand beside the field.
    pub const fn each(unit: Unit, each: f64) -> Self {
        Self { unit, each, is_named: true }
    }

    /// Reads what was typed. A unit that is missing is asked for where the number alone could mean several amounts.
    ///
    /// # Errors
    /// What to type instead: a sentence.
    pub fn read(self, typed: &str) -> Result<f64, String> {
        self.parse(typed).map_err(|refused| refused.why)
    }

    fn parse(self, typed: &str) -> Result<f64, Refused> {
        let refused = |why| Refused { why, asks_back: false };
        let typed = typed.trim().trim_start_matches('$');
        if self.unit == Unit::Seconds
            && typed.len() <= MAX_LENGTH
            && let Some(seconds) = duration(typed)
        {
            return Ok(seconds / self.each);
        }
        let answer = match read(typed, self.unit, &[]) {
            Reading::Answer(answer) => answer,
            Reading::Ambiguous { question: why, .. } => return Err(Refused { why, asks_back: true }),
            Reading::Unreadable { message: why, .. } => return Err(refused(why)),
            Reading::Empty => return Err(refused(say::empty(self.unit))),
        };
        match &answer.unit {
            Some(unit) if !unit.measure.fits(self.unit) => Err(refused(say::other_kind(unit, self.unit))),
            Some(_) => Ok(answer.value / self.each),
            None if self.is_named => Ok(answer.value),
            None if self.wants_unit(answer.value, answer.scaled) => {
                let (given, examples) = (shorten(typed), self.examples(typed));
                let why = format!("{given} what? Add a unit, such as {examples}.");
                Err(Refused { why, asks_back: true })
            }
            None => Ok(answer.value),
        }
    }

    /// Whether a number without a unit is unclear. Who writes out a power of ten means base units.
    fn wants_unit(self, value: f64, is_scaled: bool) -> bool {
        match self.unit {
            Unit::Count | Unit::Ratio => false,
            Unit::Fraction => value > 1.0,
            Unit::Bytes | Unit::BytesPerSecond | Unit::Seconds | Unit::Flop | Unit::FlopPerSecond => {
                value != 0.0 && !is_scaled
            }
        }
    }

    fn examples(self, typed: &str) -> String {
        let units: &[&str] = match self.unit {
            Unit::Bytes => &[" MB", " GB"],
            Unit::BytesPerSecond => &[" GB/s", " TB/s"],
            Unit::Seconds => &[" s", " min"],
            Unit::Flop => &[" TFLOP", " PFLOP"],
            Unit::FlopPerSecond => &[" TFLOP/s", " PFLOP/s"],
            Unit::Fraction => &["%"],
            Unit::Count | Unit::Ratio => &[""],
        };
        let typed = shorten(typed);
        units.iter().map(|unit| format!("{typed}{unit}")).collect::<Vec<_>>().join(" or ")
    }

    /// Reads what was typed in the field of a parameter, which is called `label` and writes its values with `format`.
    ///
    /// # Errors
    /// A sentence that says what is valid.
    pub fn read_parameter(
        self,
        spec: &ParamSpec,
        label: &str,
        format: fn(f64) -> String,
        typed: &str,
    ) -> Result<f64, String> {
        let (kind, min, max) = match spec.kind {
            Kind::Real { min, max } => ("a number", min, max),
            Kind::Integer { min, max } => ("a whole number", min as f64, max as f64),
            Kind::Choice(_) => ("a number", f64::MIN, f64::MAX),
        };
        let typed = typed.trim();
        let standard = parse_number(spec.default);
        // A word that the field itself writes: “the best”, “no limit”.
        if let Some(own) = standard.into_iter().chain([min, max]).find(|value| format(*value) == typed) {
            return Ok(own);
        }
        let write = |value: f64| {
            let text = format(value);
            if text.contains(|c: char| c.is_ascii_digit()) { text } else { plain(value) }
        };
        let whole = matches!(spec.kind, Kind::Integer { .. });
        let value = match self.parse(typed) {
            // 4.3 GB × 10⁹ is a whole number of bytes, but for the last bit of a double.
            Ok(value) if whole && (value - value.round()).abs() <= 1e-9 * value.abs() => value.round(),
            Ok(value) => value,
            Err(Refused { why, asks_back: true }) => return Err(format!("{label}: {why}")),
            Err(_) => f64::NAN,
        };
        if (min..=max).contains(&value) && (!whole || value.fract() == 0.0) {
            return Ok(value);
        }
        let example = standard.map_or_else(String::new, |value| format!(", such as {}", write(value)));
        let given = shorten(typed);
        Err(format!("{label}: {kind} from {} to {}{example}. “{given}” was not used.", write(min), write(max)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_unit_that_a_person_writes_is_read_where_it_is_asked_for() {
        let read = |unit, typed| Asked::of(unit).read(typed);
        for (unit, typed, value) in [
            (Unit::Seconds, "45 min", 2700.0),
            (Unit::Seconds, "50 ms", 0.05),
            (Unit::Seconds, "2 h 30 min", 9000.0),
            (Unit::Bytes, "200 MB", 200e6),
            (Unit::Bytes, "2GB", 2e9),
            (Unit::Bytes, "64 KiB", 65_536.0),
            (Unit::Bytes, "480e9", 480e9),
            (Unit::Count, "7B", 7e9),
            (Unit::Count, "4,096", 4096.0),
            (Unit::Count, "1\u{202f}024", 1024.0),
            (Unit::Fraction, "10%", 0.1),
            (Unit::Fraction, "0.1", 0.1),
            (Unit::BytesPerSecond, "1.5 TB/s", 1.5e12),
            (Unit::BytesPerSecond, "400 Gbit/s", 50e9),
            (Unit::FlopPerSecond, "989 TFLOP/s", 989e12),
        ] {
            assert_eq!(read(unit, typed), Ok(value), "{typed}");
        }
    }

    #[test]
    fn a_missing_unit_is_asked_for_and_another_kind_is_named() {
        let why = |unit, typed| Asked::of(unit).read(typed).expect_err(typed);
        assert_eq!(why(Unit::Bytes, "200"), "200 what? Add a unit, such as 200 MB or 200 GB.");
        assert_eq!(why(Unit::Seconds, "45"), "45 what? Add a unit, such as 45 s or 45 min.");
        assert_eq!(why(Unit::Fraction, "12"), "12 what? Add a unit, such as 12%.");
        assert!(why(Unit::Seconds, "3 GB").contains("“GB” is for an amount of memory"));
        assert!(why(Unit::Bytes, "many").contains("many") && why(Unit::Bytes, "").contains("1 GB"));
        // Where the unit stands beside the field, it may be left out.
        let hours = Asked::each(Unit::Seconds, 3600.0);
        assert_eq!((hours.read("3.5"), hours.read("3.5 h"), hours.read("1 h 30 min")), (Ok(3.5), Ok(3.5), Ok(1.5)));
        assert_eq!(Asked::each(Unit::Fraction, 0.01).read("5%"), Ok(5.0));
        assert_eq!(Asked::default().read("$400"), Ok(400.0));
    }

    #[test]
    fn a_field_says_what_it_takes() {
        let spec = ParamSpec { name: "dp", doc: "", kind: Kind::Integer { min: 1, max: 65_536 }, default: "64" };
        let format = |value: f64| crate::quantity::grouped(value as u64);
        let dp = |typed| Asked::default().read_parameter(&spec, "Ranks", format, typed);
        assert_eq!((dp(" 4 096 "), dp("4,096"), dp("2k")), (Ok(4096.0), Ok(4096.0), Ok(2000.0)));
        assert_eq!(
            dp("2.5").expect_err("no whole number"),
            "Ranks: a whole number from 1 to 65,536, such as 64. “2.5” was not used."
        );
        assert!(dp("many").is_err() && dp("").is_err() && dp("0").is_err() && dp("4,09").is_err());
        let spec = ParamSpec { kind: Kind::Real { min: 10.0, max: 1e5 }, default: "1800", ..spec };
        let every = |typed| {
            Asked::of(Unit::Seconds).read_parameter(&spec, "Save every", |value| Unit::Seconds.format(value), typed)
        };
        assert_eq!(every("45 min"), Ok(2700.0));
        assert_eq!(every("45").expect_err("no unit"), "Save every: 45 what? Add a unit, such as 45 s or 45 min.");
        assert_eq!(
            every("3 days").expect_err("too long"),
            "Save every: a number from 10 s to 1.16 days, such as 30 min. “3 days” was not used."
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(value in 1e-9..1e18_f64, nth in 0..8_usize) {
            let unit = [Unit::Bytes, Unit::BytesPerSecond, Unit::Seconds, Unit::Flop, Unit::FlopPerSecond, Unit::Count, Unit::Ratio, Unit::Fraction][nth];
            let text = unit.format(value);
            prop_assume!(!text.starts_with("under") && !text.contains('×'));
            let back = Asked::of(unit).read(&text);
            prop_assert!(back.as_ref().is_ok_and(|back| (back - value).abs() <= 0.006 * value), "{text} {back:?}");
        }

        #[test]
        fn nothing_that_is_typed_panics_and_an_error_says_something(typed in ".{0,40}", nth in 0..4_usize) {
            let unit = [Unit::Bytes, Unit::Seconds, Unit::Count, Unit::Fraction][nth];
            if let Err(why) = Asked::of(unit).read(&typed) {
                prop_assert!(!why.is_empty());
            }
        }
    }
}
