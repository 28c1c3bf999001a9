//! Times as Slurm writes them.

/// Longest time that is understood: a hundred years, in seconds.
const LONGEST: u64 = 100 * 366 * 86_400;

/// What a time limit may look like.
pub const FORMS: &str =
    "minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes or days-hours:minutes:seconds";

fn number(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Seconds of a time limit, as `--time` takes it. `UNLIMITED` and what is no time yield none.
pub fn limit(text: &str) -> Option<u64> {
    let (days, rest) = match text.split_once('-') {
        Some((days, rest)) => (Some(number(days)?), rest),
        None => (None, text),
    };
    let parts: Vec<u64> = rest.split(':').map(number).collect::<Option<_>>()?;
    let seconds = match (days, parts.as_slice()) {
        (None, [minutes]) => minutes * 60,
        (None, [minutes, seconds]) => minutes * 60 + seconds,
        (None, [hours, minutes, seconds]) => hours * 3600 + minutes * 60 + seconds,
        (Some(days), [hours]) => days * 86_400 + hours * 3600,
        (Some(days), [hours, minutes]) => days * 86_400 + hours * 3600 + minutes * 60,
        (Some(days), [hours, minutes, seconds]) => days * 86_400 + hours * 3600 + minutes * 60 + seconds,
        _ => return None,
    };
    (seconds <= LONGEST).then_some(seconds)
}

/// Seconds of a time that has passed, as `sacct` writes it: `[days-]hours:minutes:seconds`, at times without hours, at times with
/// parts of a second.
pub fn elapsed(text: &str) -> Option<u64> {
    let whole = text.split('.').next()?;
    if whole.contains('-') || whole.matches(':').count() == 2 {
        limit(whole)
    } else {
        limit(whole).filter(|_| whole.contains(':'))
    }
}

/// Seconds of a moment, from the beginning of the year 2000: `2026-11-22T10:00:00`. Only differences between two mean something.
pub fn moment(text: &str) -> Option<u64> {
    let (date, clock) = text.split_once('T')?;
    let date: Vec<u64> = date.split('-').map(number).collect::<Option<_>>()?;
    let clock: Vec<u64> = clock.split(':').map(number).collect::<Option<_>>()?;
    let (&[year, month, day], &[hour, minute, second]) = (date.as_slice(), clock.as_slice()) else { return None };
    let sound = (2000..2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_of(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 61;
    if !sound {
        return None;
    }
    let years: u64 = (2000..year).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let months: u64 = (1..month).map(|m| days_of(year, m)).sum();
    Some((years + months + day - 1) * 86_400 + hour * 3600 + minute * 60 + second)
}

const fn leap(year: u64) -> bool {
    year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400)
}

const fn days_of(year: u64, month: u64) -> u64 {
    match month {
        2 if leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time as people write it in a compact list: `90s`, `30m`, `4h`, `1h30m`, `2d`; a bare number counts seconds.
pub fn short(text: &str) -> Option<u64> {
    if let Some(seconds) = number(text) {
        return Some(seconds);
    }
    let (mut rest, mut seconds) = (text, 0_u64);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, tail) = rest.split_at(end);
        let factor = match tail.chars().next()? {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(number(digits)?.checked_mul(factor)?)?;
        rest = tail.get(1..)?;
    }
    (seconds <= LONGEST && !text.is_empty()).then_some(seconds)
}

/// A time for people: `1:05:00`, `2-04:00:00`, `0:45`.
pub fn clock(seconds: u64) -> String {
    let (days, hours, minutes, rest) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{rest:02}"),
        (0, _) => format!("{hours}:{minutes:02}:{rest:02}"),
        _ => format!("{days}-{hours:02}:{minutes:02}:{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_the_six_forms_of_the_manual() {
        let forms = [
            ("90", 5400),
            ("2:30", 150),
            ("1:00:00", 3600),
            ("1-12", 129_600),
            ("1-0:30", 88_200),
            ("2-00:00:01", 172_801),
        ];
        for (text, seconds) in forms {
            assert_eq!(limit(text), Some(seconds), "{text}");
        }
        for wrong in ["", "1h", "UNLIMITED", "1:2:3:4", "-5", "1-", "999999999999"] {
            assert_eq!(limit(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_sacct_prints_is_read() {
        assert_eq!(
            (elapsed("01:02:03"), elapsed("1-00:00:00"), elapsed("02:03.500")),
            (Some(3723), Some(86_400), Some(123))
        );
        assert_eq!((elapsed("17"), elapsed("INVALID")), (None, None));
        let (before, after) = (moment("2024-02-28T23:59:59"), moment("2024-03-01T00:00:00"));
        assert_eq!(after.zip(before).map(|(a, b)| a - b), Some(86_401));
        assert_eq!(
            (moment("2023-02-29T00:00:00"), moment("Unknown"), moment("2026-13-01T00:00:00")),
            (None, None, None)
        );
    }

    #[test]
    fn short_times_are_sums() {
        assert_eq!(
            (short("1h30m"), short("45"), short("2d"), short("90s")),
            (Some(5400), Some(45), Some(172_800), Some(90))
        );
        assert_eq!((short(""), short("h"), short("3x"), short("1h2")), (None, None, None, None));
        assert_eq!((clock(65), clock(3600), clock(90_061)), ("1:05".into(), "1:00:00".into(), "1-01:01:01".into()));
    }
}
