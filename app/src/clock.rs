//! The learner's clock: the one place where time is read.

use ringside_core::practice::Day;
use ringside_core::practice::date::day_at;

/// Now, in Unix seconds.
pub fn now() -> i64 {
    (js_sys::Date::now() / 1000.0) as i64
}

/// Today, where the learner is.
pub fn today() -> Day {
    // What JavaScript calls the offset is minutes west.
    day_at(now(), -(js_sys::Date::new_0().get_timezone_offset() as i32))
}
