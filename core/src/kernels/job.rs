//! What the GPU's worker is asked to do, and what it says of it.

use serde::{Deserialize, Serialize};

use super::measured::Measured;

/// What it is asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Job {
    /// Run one of our kernels, check it, and time it.
    Kernel {
        /// What it computes: `matmul`.
        family: String,
        /// The kernel's id.
        kernel: String,
        /// The sizes, in the order in which the family has them.
        sizes: Vec<u64>,
    },
    /// Try what a learner wrote for a puzzle of [`super::workbench`].
    Puzzle {
        /// The puzzle's id.
        puzzle: String,
        /// What the learner wrote.
        body: String,
        /// By this, sizes are drawn and inputs filled.
        seed: u32,
    },
}

/// What the worker says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It can be given a job.
    Ready,
    /// How far the job is.
    Progress {
        /// What it does now, in a few words.
        doing: String,
        /// 0 to 1.
        done: f64,
    },
    /// The job is done; if there is a trouble, on the CPU because of it. What was to be run is not said again.
    Done(Box<Measured>, Option<Trouble>),
    /// A learner's text was tried.
    Tried(Box<Tried>),
    /// The job cannot be done, and is too long for the CPU.
    Failed(Trouble),
}

/// What came of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What it ran on.
    pub device: String,
    /// Whether that is a GPU made of software.
    pub software: bool,
    /// What it came to.
    pub verdict: Verdict,
}

/// What a text came to. Sizes are in words: `rows = 17, cols = 15`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// The compiler did not take it, for these reasons.
    Refused(Vec<Note>),
    /// At these sizes, this is wrong.
    Wrong(String, String),
    /// At these sizes a loop did not end, and was broken off after so many laps.
    Endless(String, u32),
    /// At these sizes it was given up after so many seconds, with this share of its workgroups done.
    Slow(String, f64, f64),
    /// At these sizes the interpreter stopped it, for this reason.
    Stopped(String, String),
    /// At these sizes the values are right, and these mistakes mean that a GPU may compute others. Only the interpreter sees them.
    Unsound(String, Vec<Note>),
    /// It is right.
    Right(Timing),
}

/// How long a text takes that is right.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Sizes at which it is right, those among them at which it is timed.
    pub cases: usize,
    /// Median time of a run there, guarded; 0 if it could not be timed.
    pub seconds: f64,
    /// How much of that the guard takes, which counts the laps of its loops.
    pub guard: f64,
}

/// What a compiler says of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Whether the text cannot be run for it.
    pub error: bool,
    /// The line, from 1; 0 for none in particular.
    pub line: u32,
    /// The character in the line, from 1; 0 for none in particular.
    pub column: u32,
    /// What is wrong.
    pub text: String,
}

/// Why a kernel did not run on the GPU.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Trouble {
    /// The browser has no WebGPU.
    NoWebGpu,
    /// There is no adapter, for this reason.
    Refused(String),
    /// The adapter gives no device, for this reason.
    NoDevice(String),
    /// The device was lost, for this reason.
    Lost(String),
    /// Nothing was heard of it for so many seconds: it may run for ever, and the device with it.
    Silent(f64),
    /// There is not enough memory for this many bytes.
    OutOfMemory(f64),
    /// A buffer of so many bytes, and so many are allowed.
    TooLarge(f64, f64),
    /// The kernel needs f16, which the adapter does not have.
    NoF16,
    /// The kernel, or what it was to do, was not accepted, for this reason.
    NotAccepted(String),
    /// The kernel needs subgroups of at least four, which the adapter does not have.
    NoSubgroups,
    /// A workgroup needs so many bytes of workgroup memory, and so many are allowed.
    WorkgroupMemory(f64, f64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again<T: serde::Serialize + serde::de::DeserializeOwned>(sent: &T) -> T {
        postcard::from_bytes(&postcard::to_allocvec(sent).expect("it can be written")).expect("it can be read")
    }

    #[test]
    fn jobs_arrive_as_they_were_meant() {
        for job in [
            Job::Kernel { family: "matmul".into(), kernel: "tiled".into(), sizes: vec![1, 300, 1 << 40] },
            Job::Puzzle { puzzle: "map".into(), body: "größer\n".into(), seed: u32::MAX },
        ] {
            assert_eq!(again(&job), job);
        }
    }

    #[test]
    fn what_is_said_arrives_as_it_was_meant() {
        let note = |error, line| Note { error, line, column: 7, text: "unresolved value 'x'".into() };
        let tried = |verdict| Said::Tried(Box::new(Tried { device: "a GPU".into(), software: true, verdict }));
        let done =
            Measured { device: "a GPU".into(), seconds: 0.5, rounds: 9, max_error: f64::MAX, ..Measured::default() };
        for said in [
            Said::Ready,
            Said::Progress { doing: "a b".into(), done: 0.25 },
            Said::Done(Box::new(done.clone()), None),
            Said::Done(Box::new(done), Some(Trouble::TooLarge(8.0, 9.0))),
            tried(Verdict::Refused(vec![note(true, 12), note(false, 0)])),
            tried(Verdict::Wrong("n = 3".into(), "why".into())),
            tried(Verdict::Endless("n = 3".into(), 8)),
            tried(Verdict::Stopped("n = 3".into(), "why".into())),
            tried(Verdict::Unsound("n = 3".into(), vec![note(true, 12)])),
            tried(Verdict::Slow("n = 3".into(), 10.5, 0.25)),
            tried(Verdict::Right(Timing { cases: 6, seconds: 1e-6, guard: 1e-7 })),
            Said::Failed(Trouble::Lost("why".into())),
        ] {
            assert_eq!(again(&said), said);
        }
    }

    #[test]
    fn what_is_cut_short_is_not_read() {
        let bytes = postcard::to_allocvec(&Said::Failed(Trouble::NotAccepted("why".into()))).expect("written");
        assert!((0..bytes.len()).all(|end| postcard::from_bytes::<Said>(&bytes[..end]).is_err()));
        assert!(postcard::from_bytes::<Said>(&[99]).is_err());
    }
}
