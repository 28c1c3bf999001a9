//! What was measured on GPUs that others can look up, for a learner to compare with.
//!
//! `cargo xtask kernels --reference` writes the file on a machine with a GPU: our kernels and, in the same session, cuBLAS and PyTorch's
//! attention (`shaders/gpu/reference.py`). Where nobody has run it, the file is empty and nothing is shown.

use serde::{Deserialize, Serialize};

use super::measured::Measured;
use super::{Work as _, attention, decode, matmul};
use crate::quantity::Unit;

/// What was measured in one session on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Reference {
    /// The day, as ISO 8601 has it.
    pub date: String,
    /// The driver of the GPU and its version.
    pub driver: String,
    /// What was run.
    pub command: String,
    /// What came of it; a peer's kernel has the peer's name.
    pub measured: Vec<Measured>,
}

/// A row of the table: kernel, sizes, speed, and median time.
pub type Row = [String; 4];

/// Every session.
pub fn all() -> Vec<Reference> {
    read(include_str!("reference.json")).unwrap_or_default()
}

/// Reads the file.
///
/// # Errors
/// A sentence: it is no such file, a session is empty, or what it has is not of a GPU, not right, or not timed.
pub fn read(text: &str) -> Result<Vec<Reference>, String> {
    let all: Vec<Reference> =
        serde_json::from_str(text).map_err(|e| format!("This is no file of reference measurements ({e})."))?;
    if all.iter().any(|session| session.measured.is_empty()) {
        return Err("Nothing was measured in a session.".to_owned());
    }
    for m in all.iter().flat_map(|session| &session.measured) {
        let what = format!("{} {} at {}", m.family, m.kernel, m.sizes);
        if m.software || !m.instead.is_empty() || m.device.is_empty() {
            return Err(format!("{what} was not measured on a GPU."));
        }
        let timed = m.seconds.is_finite() && m.seconds > 0.0 && m.flop.is_finite();
        if !m.verified || !timed {
            return Err(format!("{what} is not right, or was not timed."));
        }
    }
    Ok(all)
}

impl Reference {
    /// What the table of a family is called; none if nothing of the family was measured.
    pub fn caption(&self, family: &str) -> Option<String> {
        let first = self.measured.iter().find(|m| m.family == family)?;
        Some(format!("Measured on {}, {}, driver {}, by {}", first.device, self.date, self.driver, self.command))
    }

    /// It as text.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The table of a family: size by size, what is slowest first.
    pub fn rows(&self, family: &str) -> Vec<Row> {
        let row = |m: &&Measured| {
            [
                label(family, &m.kernel),
                m.sizes_in_words(),
                Unit::FlopPerSecond.format(m.rate()),
                Unit::Seconds.format(m.seconds),
            ]
        };
        let mut all: Vec<&Measured> = self.measured.iter().filter(|m| m.family == family).collect();
        let sizes: Vec<&str> = all.iter().map(|m| m.sizes.as_str()).collect();
        let first = |m: &Measured| sizes.iter().position(|sizes| *sizes == m.sizes);
        all.sort_by(|a, b| first(a).cmp(&first(b)).then(a.rate().total_cmp(&b.rate())));
        all.iter().map(row).collect()
    }
}

/// A kernel as the ladder names it; a peer has a name already.
fn label(family: &str, kernel: &str) -> String {
    let known = match family {
        matmul::Sizes::NAME => matmul::Sizes::kernel(kernel).map(|kernel| kernel.label),
        attention::Sizes::NAME => attention::Sizes::kernel(kernel).map(|kernel| kernel.label),
        decode::Sizes::NAME => decode::Sizes::kernel(kernel).map(|kernel| kernel.label),
        _ => None,
    };
    known.unwrap_or(kernel).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made up for this test: no such GPU, and no such speed.
    fn fixture() -> Reference {
        let one = Measured {
            family: "matmul".into(),
            kernel: "wide".into(),
            sizes: "m=4&n=4&k=4".into(),
            device: "Test GPU 0".into(),
            seconds: 0.5,
            flop: 128.0,
            verified: true,
            ..Measured::default()
        };
        let peer = Measured { kernel: "cuBLAS".into(), seconds: 0.25, ..one.clone() };
        Reference {
            date: "2000-01-01".into(),
            driver: "test 1.0".into(),
            command: "a test".into(),
            measured: vec![one, peer],
        }
    }

    #[test]
    fn a_session_is_read_and_shown_as_it_was_written() {
        let text = format!("[{}]", fixture().json());
        let all = read(&text).expect("it can be read");
        assert_eq!(all, [fixture()]);
        assert_eq!(
            all[0].caption("matmul").as_deref(),
            Some("Measured on Test GPU 0, 2000-01-01, driver test 1.0, by a test")
        );
        let rows = all[0].rows("matmul");
        assert_eq!(rows[0], ["Wide", "m 4, n 4, k 4", "256 FLOP/s", "500 ms"].map(str::to_owned));
        assert_eq!((rows.len(), rows[1][2].as_str()), (2, "512 FLOP/s"));
        assert_eq!((all[0].caption("decode"), all[0].rows("decode").len()), (None, 0));
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        let written = |change: fn(&mut Measured)| {
            let mut session = fixture();
            session.measured.iter_mut().for_each(change);
            read(&serde_json::to_string(&[session]).expect("it can be written"))
        };
        assert!(written(|m| m.software = true).is_err_and(|why| why.contains("not measured on a GPU")));
        assert!(written(|m| m.instead = "no GPU".into()).is_err());
        assert!(written(|m| m.verified = false).is_err());
        assert!(written(|m| m.seconds = 0.0).is_err());
        let empty = Reference { measured: Vec::new(), ..fixture() };
        assert!(read(&format!("[{}]", empty.json())).is_err_and(|why| why.contains("Nothing was measured")));
        assert!(read("{}").is_err());
    }

    #[test]
    fn the_file_of_the_course_can_be_read() {
        let shipped = read(include_str!("reference.json")).expect("it can be read");
        assert!(shipped.iter().all(|session| !session.date.is_empty() && !session.driver.is_empty()));
        assert_eq!(all(), shipped);
    }
}
