//! What was measured on someone's machine, as the GPU worker reports it and a learner keeps it.

use serde::{Deserialize, Serialize};

use super::timing::Summary;

/// A kernel's run on a machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Measured {
    /// What was computed: `matmul`.
    pub family: String,
    /// The kernel's id.
    pub kernel: String,
    /// The sizes, as a query.
    pub sizes: String,
    /// What it ran on, as the browser names it.
    pub device: String,
    /// Why it ran on the CPU instead, in sentences; empty if it ran on the GPU.
    pub instead: String,
    /// Whether the device is a GPU made of software.
    pub software: bool,
    /// Median time of a run, in seconds.
    pub seconds: f64,
    /// A quarter of the runs were faster, in seconds.
    pub low: f64,
    /// A quarter of the runs were slower, in seconds.
    pub high: f64,
    /// Measurements.
    pub rounds: u32,
    /// Runs in each.
    pub repeats: u32,
    /// Floating-point operations of a run.
    pub flop: f64,
    /// Bytes that a run asks memory for.
    pub asked: f64,
    /// Bytes of all buffers.
    pub memory: f64,
    /// The largest error against f64.
    pub max_error: f64,
    /// What rounding explains where an error comes closest to it.
    pub bound: f64,
    /// Values that were looked at.
    pub checked: f64,
    /// Values that there are.
    pub of: f64,
    /// The bits of a result that is one number: as it came out, and as the CPU adds in the same order.
    #[serde(default)]
    pub bits: Option<[u32; 2]>,
    /// Whether all of them were right.
    pub verified: bool,
}

impl Measured {
    /// Sets the times.
    pub fn with_times(self, times: Summary) -> Self {
        Self { seconds: times.median, low: times.low, high: times.high, ..self }
    }

    /// What it ran on, as a sentence has it.
    pub fn ran_on(&self) -> &str {
        if self.instead.is_empty() { &self.device } else { "the CPU" }
    }

    /// Floating-point operations a second.
    pub fn rate(&self) -> f64 {
        if self.seconds > 0.0 { self.flop / self.seconds } else { 0.0 }
    }

    /// Bytes asked for, a second.
    pub fn bandwidth(&self) -> f64 {
        if self.seconds > 0.0 { self.asked / self.seconds } else { 0.0 }
    }

    /// Whether it is the same run as `other`, made again: of the same kernel at the same sizes on the same device.
    pub fn same_run(&self, other: &Self) -> bool {
        let run = |m: &Self| [&m.family, &m.kernel, &m.sizes, &m.device].map(Clone::clone);
        run(self) == run(other)
    }

    /// The sizes as a person reads them: `m 5, n 6, k 7`.
    pub fn sizes_in_words(&self) -> String {
        self.sizes.replace('&', ", ").replace('=', " ")
    }
}

/// The columns of [`csv`].
const COLUMNS: &str = "family,kernel,sizes,device,software,on_cpu,seconds,low,high,rounds,repeats,flop_per_second,\
                       bytes_asked_per_second,memory_bytes,max_error,error_bound,values_checked,values,verified";

/// The measurements as a table with a row of names (RFC 4180).
pub fn csv(all: &[Measured]) -> String {
    let mut text = format!("{COLUMNS}\r\n");
    for m in all {
        let row = [
            quoted(&m.family),
            quoted(&m.kernel),
            quoted(&m.sizes),
            quoted(&m.device),
            m.software.to_string(),
            (!m.instead.is_empty()).to_string(),
            m.seconds.to_string(),
            m.low.to_string(),
            m.high.to_string(),
            m.rounds.to_string(),
            m.repeats.to_string(),
            m.rate().to_string(),
            m.bandwidth().to_string(),
            m.memory.to_string(),
            m.max_error.to_string(),
            m.bound.to_string(),
            m.checked.to_string(),
            m.of.to_string(),
            m.verified.to_string(),
        ];
        text.push_str(&row.join(","));
        text.push_str("\r\n");
    }
    text
}

/// A field, in quotes where it needs them. What a spreadsheet would take for a formula is kept from being one.
pub(crate) fn quoted(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// The measurements as JSON.
pub fn json(all: &[Measured]) -> String {
    serde_json::to_string_pretty(all).unwrap_or_default()
}

/// Reads what [`json`] wrote, on this machine or another.
///
/// # Errors
/// A sentence.
pub fn from_json(text: &str) -> Result<Vec<Measured>, String> {
    let all: Vec<Measured> = serde_json::from_str(text)
        .map_err(|e| format!("This is no file of measurements ({e}). Choose one that was saved here as JSON."))?;
    let sound = |m: &Measured| [m.seconds, m.low, m.high, m.flop, m.asked, m.max_error].iter().all(|v| v.is_finite());
    if all.iter().all(sound) { Ok(all) } else { Err("A number in this file is not finite.".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() -> Measured {
        Measured {
            family: "matmul".into(),
            kernel: "tiled".into(),
            sizes: "m=5&n=6&k=7".into(),
            device: "=a \"b\", c".into(),
            seconds: 0.5,
            flop: 420.0,
            ..Measured::default()
        }
    }

    #[test]
    fn files_read_back() {
        assert_eq!(from_json(&json(&[one()])), Ok(vec![one()]));
        assert!(from_json("[{}]").is_err() && from_json("").is_err());
        let infinite = json(&[one()]).replace("420.0", "1e999");
        assert!(from_json(&infinite).is_err());
    }

    #[test]
    fn tables_are_read_by_anyone() {
        let text = csv(&[one()]);
        let (head, row) = text.trim_end().split_once("\r\n").expect("two lines");
        assert_eq!(head.split(',').count(), 19);
        assert!(row.starts_with("matmul,tiled,m=5&n=6&k=7,\"'=a \"\"b\"\", c\",false,false,0.5,"), "{row}");
        assert!(row.contains(",840,"), "{row}");
    }
}
