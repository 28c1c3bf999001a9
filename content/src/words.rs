//! Words for numbers, the same in what the build renders and in what the app says.

/// A time to plan with: `45 min`, `1 h`, `1 h 30 min`.
pub fn duration(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// A time to compare with, of many things together: `45 min`, `31 h`.
pub fn about(minutes: u32) -> String {
    if minutes < 100 { format!("{minutes} min") } else { format!("{} h", minutes.saturating_add(30) / 60) }
}

/// `1 source`, `7 sources`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    ringside_core::quantity::counted(n as u64, one, many)
}

/// What the link to the first chapter says to whoever has begun none.
pub const START: &str = "Start here";

/// What leads whoever has found a starting point back to it: before the link, the link, behind it.
pub const PLACED: [&str; 3] = ["You found your starting point:", "see the result", "or take the questions again."];

/// What the box asks for.
pub const ASK: &str = "Ask, or paste an error or a log";

/// Questions to try in it.
pub const EXAMPLES: [&str; 3] = [
    "7B LoRA on one 24 GB card",
    "how many GPUs to serve Llama 3 70B to 100 users",
    "CUDA out of memory at the first optimizer.step",
];

/// The name of a source's priority, 1 to 3.
pub fn priority(priority: u8) -> &'static str {
    match priority {
        3 => "Must read",
        2 => "Recommended",
        _ => "Optional",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!([45, 60, 90, 0].map(duration), ["45 min", "1 h", "1 h 30 min", "0 min"]);
        assert_eq!([0, 90, 100, 1859].map(about), ["0 min", "90 min", "2 h", "31 h"]);
        assert_eq!(about(u32::MAX), "71582788 h");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!([0, 1, 2].map(|n| count(n, "source", "sources")), ["0 sources", "1 source", "2 sources"]);
    }
}
