//! The log of a run, as SCR writes it, to what the formulas need.
//!
//! After `scripts/python/scr_ckpt_interval.py` of LLNL/scr (commit 85e30b19), which computes this and, because of a name that is
//! never defined, prints 10.0 instead.

use crate::decimal;
use crate::declare::{Field, Slot, Text};
use crate::query::shorten;

/// Most entries of a log.
pub const MAX_ENTRIES: usize = 2000;
/// The shortest time that a log can have in all, and the longest of an entry, in seconds: 30 000 years.
const SECONDS: [f64; 2] = [1e-3, 1e12];

/// A log: its text as one line, entries separated by semicolons; empty for none.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Log {
    text: String,
    /// What it says; none where there is no log.
    pub measured: Option<Measured>,
}

/// What a log says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// All time over the number of starts, in seconds.
    pub mtbf: f64,
    /// Checkpoint phases, and flushes within them, over the number of checkpoints, in seconds. 0 where there was none.
    pub cost: f64,
    /// Starts.
    pub starts: u32,
    /// Checkpoints.
    pub checkpoints: u32,
}

/// Reads the entries of a log: `START`, `FETCH 30.0`, `COMPUTE_START`, `COMPUTE_END 3000.0`, `CHECKPOINT_START`,
/// `CHECKPOINT_END 60.0`, `FLUSH_SYNC 55.0`, `RESTART_SUCCESS 10.0`, `RESTART_FAILURE 20.0`. Others are passed over, as SCR does.
/// Every duration counts as run time. A flush within a checkpoint phase counts as part of the checkpoint, any other does not. Without
/// a start the mean time is all of the time.
///
/// # Errors
/// The first entry without the seconds that it needs, or that there is no time at all: a sentence.
pub fn measure(entries: &[&str]) -> Result<Measured, String> {
    let (mut starts, mut checkpoints, mut all, mut cost, mut saving) = (0_u32, 0_u32, 0.0, 0.0, false);
    for (i, entry) in entries.iter().enumerate() {
        let mut words = entry.split_whitespace();
        let label = words.next().unwrap_or_default();
        match label {
            "START" => starts += 1,
            "COMPUTE_START" => saving = false,
            "CHECKPOINT_START" => saving = true,
            "FETCH" | "RESTART_SUCCESS" | "RESTART_FAILURE" | "COMPUTE_END" | "CHECKPOINT_END" | "FLUSH_SYNC" => {
                let seconds = words.next().and_then(decimal::parse).filter(|s| (0.0..=SECONDS[1]).contains(s));
                let Some(seconds) = seconds else {
                    return Err(format!(
                        "log: entry {} needs its seconds, such as “{label} 60.0”, not “{}”.",
                        i + 1,
                        shorten(entry)
                    ));
                };
                all += seconds;
                if label == "CHECKPOINT_END" {
                    checkpoints += 1;
                }
                if label == "CHECKPOINT_END" || (label == "FLUSH_SYNC" && saving) {
                    cost += seconds;
                }
            }
            _ => {}
        }
    }
    if all < SECONDS[0] {
        return Err("log: it has no time in it; an entry such as “COMPUTE_END 3000.0” has.".to_owned());
    }
    let mtbf = all / f64::from(starts.max(1));
    Ok(Measured { mtbf, cost: cost / f64::from(checkpoints.max(1)), starts, checkpoints })
}

impl Text for Log {
    fn read(&mut self, text: &str) -> Result<(), String> {
        *self = Self::default();
        let entries: Vec<&str> = text.split(['\n', ';']).map(str::trim).filter(|e| !e.is_empty()).collect();
        if entries.is_empty() {
            return Ok(());
        }
        if entries.len() > MAX_ENTRIES {
            return Err(format!("log: at most {MAX_ENTRIES} entries can be read, not {}.", entries.len()));
        }
        *self = Self { measured: Some(measure(&entries)?), text: entries.join(";") };
        Ok(())
    }

    fn write(&self) -> String {
        self.text.clone()
    }
}

impl Field for Log {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}
