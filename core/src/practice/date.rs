//! Days as people write them.

/// A calendar day where the learner is: days since 1 January 1970.
pub type Day = i64;

/// 1 January of the year 1.
pub const FIRST: Day = -719_162;
/// 31 December 9999.
pub const LAST: Day = 2_932_896;

/// The day at `unix_seconds` where clocks are `minutes_east` of UTC (60 for Paris in winter; what a browser calls the
/// time-zone offset, negated).
pub fn day_at(unix_seconds: i64, minutes_east: i32) -> Day {
    unix_seconds.saturating_add(i64::from(minutes_east) * 60).div_euclid(86_400)
}

/// Year, month and day of the month, in the Gregorian calendar; days outside [`FIRST`] to [`LAST`] as the nearest.
///
/// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
pub fn civil(day: Day) -> (u16, u8, u8) {
    let z = day.clamp(FIRST, LAST) + 719_468;
    let (era, of_era) = (z.div_euclid(146_097), z.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year as u16, month as u8, day as u8)
}

/// The day as a date field of a form has it: `2026-03-01`.
pub fn iso(day: Day) -> String {
    let (year, month, day) = civil(day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The day for people who plan a few weeks: `Sun 1 Mar`.
pub fn short(day: Day) -> String {
    const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    // 1 January 1970 was a Thursday.
    let weekday = WEEKDAYS[day.clamp(FIRST, LAST).rem_euclid(7) as usize];
    let (_, month, date) = civil(day);
    format!("{weekday} {date} {}", MONTHS[usize::from(month) - 1])
}

/// The moment in UTC: `2026-03-01T09:30:00Z`.
pub fn iso_time(unix_seconds: i64) -> String {
    let (day, second) = (unix_seconds.div_euclid(86_400), unix_seconds.rem_euclid(86_400));
    format!("{}T{:02}:{:02}:{:02}Z", iso(day), second / 3600, second / 60 % 60, second % 60)
}

/// Reads `2026-03-01`; nothing for what is not a day of the calendar.
///
/// Howard Hinnant, as [`civil`], `days_from_civil`.
pub fn from_iso(text: &str) -> Option<Day> {
    let mut parts = text.trim().splitn(3, '-');
    let mut part = |digits: usize| -> Option<i64> {
        parts.next().filter(|p| p.len() == digits && p.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let y = year - i64::from(month <= 2);
    let (era, year_of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468;
    // 31 April is not 1 May.
    let same = civil(days);
    ((FIRST..=LAST).contains(&days) && same == (year as u16, month as u8, day as u8)).then_some(days)
}

/// A length of time as a clock has it, in minutes and seconds: `90:00`.
pub fn clock(seconds: i64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        for (day, text) in [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (20_513, "2026-03-01"),
            (FIRST, "0001-01-01"),
            (LAST, "9999-12-31"),
            (11_016, "2000-02-29"),
        ] {
            assert_eq!(iso(day), text);
            assert_eq!(from_iso(text), Some(day));
        }
        assert_eq!([0, 19_782, 20_513].map(short), ["Thu 1 Jan", "Thu 29 Feb", "Sun 1 Mar"]);
        assert_eq!([short(Day::MIN), short(Day::MAX)], ["Mon 1 Jan", "Fri 31 Dec"]);
        assert_eq!(iso(Day::MIN), "0001-01-01");
        assert_eq!(iso_time(1_700_000_000), "2023-11-14T22:13:20Z");
        assert_eq!(day_at(1_700_000_000, 120), day_at(1_700_000_000, 0) + 1);
        assert_eq!((day_at(-1, 0), day_at(i64::MAX, i32::MAX), day_at(i64::MIN, i32::MIN)).0, -1);
        for bad in ["", "2025-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-1-1", "-001-01-01", "0000-01-01"]
        {
            assert_eq!(from_iso(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back(day in FIRST..=LAST) {
            prop_assert_eq!(from_iso(&iso(day)), Some(day));
            let (a, b) = (civil(day), civil(day + 1));
            prop_assert!(a < b || day == LAST);
        }

        #[test]
        fn nothing_panics(seconds: i64, minutes: i32, text: String) {
            let _ = (day_at(seconds, minutes), iso(seconds), short(seconds), iso_time(seconds), from_iso(&text));
        }
    }

    #[test]
    fn a_time_is_minutes_and_seconds() {
        assert_eq!([clock(0), clock(61), clock(5400)], ["0:00", "1:01", "90:00"]);
    }
}
