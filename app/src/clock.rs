//! The learner's clock: the one place where time is read.

use ringside_core::practice::Day;
use ringside_core::practice::date::day_at;

/// Now, in Unix seconds.
pub fn now() -> i64 {
    (js_sys::Date::now() / 1000.0) as i64
}

/// Now, in Unix milliseconds: to share time out, not to tell it.
pub fn milliseconds() -> f64 {
    js_sys::Date::now()
}

/// Today, where the learner is.
pub fn today() -> Day {
    day_of(now())
}

/// The day of a moment in Unix seconds, where the learner is.
pub fn day_of(seconds: i64) -> Day {
    // What JavaScript calls the offset is minutes west.
    let there = js_sys::Date::new(&(seconds as f64 * 1000.0).into());
    day_at(seconds, -(there.get_timezone_offset() as i32))
}
