//! What the page and the GPU worker say to each other: words and numbers, so that the worker needs no code to write or
//! read a format.

use std::fmt;

use super::measured::Measured;
use crate::quantity::Unit;

/// A message: words, the first of which says what it is, and numbers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wire {
    /// Words.
    pub words: Vec<String>,
    /// Numbers.
    pub numbers: Vec<f64>,
}

/// What the worker says.
#[derive(Debug, Clone, PartialEq)]
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
    /// The job cannot be done, and is too long for the CPU.
    Failed(Trouble),
}

/// Why a kernel did not run on the GPU.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The browser has no WebGPU.
    NoWebGpu,
    /// It has, and offers no adapter.
    Refused,
    /// The adapter gives no device, for this reason.
    NoDevice(String),
    /// The device was lost, for this reason.
    Lost(String),
    /// There is not enough memory for this many bytes.
    OutOfMemory(f64),
    /// A buffer of so many bytes, and so many are allowed.
    TooLarge(f64, f64),
    /// The kernel needs f16, which the adapter does not have.
    NoF16,
    /// The browser did not accept the kernel, or what it was to do, for this reason.
    NotAccepted(String),
}

impl Wire {
    /// A message of these words and numbers.
    pub fn new(words: &[&str], numbers: &[f64]) -> Self {
        Self { words: words.iter().map(|w| (*w).to_owned()).collect(), numbers: numbers.to_vec() }
    }

    fn word(&self, i: usize) -> &str {
        self.words.get(i).map_or("", String::as_str)
    }

    fn number(&self, i: usize) -> f64 {
        self.numbers.get(i).copied().filter(|n| !n.is_nan()).unwrap_or(f64::INFINITY)
    }
}

impl Said {
    /// As a message.
    pub fn wire(&self) -> Wire {
        match self {
            Self::Ready => Wire::new(&["ready"], &[]),
            Self::Progress { doing, done } => Wire::new(&["progress", doing], &[*done]),
            Self::Failed(trouble) => {
                let (id, detail, [a, b]) = trouble.parts();
                Wire::new(&["failed", id, detail], &[a, b])
            }
            Self::Done(m, trouble) => {
                let (id, detail, [a, b]) = trouble.as_ref().map_or(("", "", [0.0; 2]), Trouble::parts);
                let flag = |yes: bool| f64::from(u8::from(yes));
                let numbers = [
                    a,
                    b,
                    flag(m.software),
                    m.seconds,
                    m.low,
                    m.high,
                    f64::from(m.rounds),
                    f64::from(m.repeats),
                    m.flop,
                    m.asked,
                    m.memory,
                    m.max_error,
                    m.bound,
                    m.checked,
                    m.of,
                    flag(m.verified),
                ];
                Wire::new(&["done", id, detail, &m.device], &numbers)
            }
        }
    }

    /// Reads a message; none if it is of another version.
    pub fn read(wire: &Wire) -> Option<Self> {
        let trouble = || Trouble::read(wire.word(1), wire.word(2), [wire.number(0), wire.number(1)]);
        Some(match wire.word(0) {
            "ready" => Self::Ready,
            "progress" => Self::Progress { doing: wire.word(1).to_owned(), done: wire.number(0).clamp(0.0, 1.0) },
            "failed" => Self::Failed(trouble()?),
            "done" => {
                let n = |i| wire.number(i);
                let measured = Measured {
                    device: wire.word(3).to_owned(),
                    software: n(2) == 1.0,
                    seconds: n(3),
                    low: n(4),
                    high: n(5),
                    rounds: n(6) as u32,
                    repeats: n(7) as u32,
                    flop: n(8),
                    asked: n(9),
                    memory: n(10),
                    // What is not a number, or beyond all of them, is so wrong that no number says how wrong.
                    max_error: n(11).min(f64::MAX),
                    bound: n(12),
                    checked: n(13),
                    of: n(14),
                    verified: n(15) == 1.0,
                    ..Measured::default()
                };
                Self::Done(Box::new(measured), trouble())
            }
            _ => return None,
        })
    }
}

impl Trouble {
    fn parts(&self) -> (&'static str, &str, [f64; 2]) {
        match self {
            Self::NoWebGpu => ("no-webgpu", "", [0.0; 2]),
            Self::Refused => ("refused", "", [0.0; 2]),
            Self::NoDevice(why) => ("no-device", why, [0.0; 2]),
            Self::Lost(why) => ("lost", why, [0.0; 2]),
            Self::OutOfMemory(wanted) => ("out-of-memory", "", [*wanted, 0.0]),
            Self::TooLarge(wanted, most) => ("too-large", "", [*wanted, *most]),
            Self::NoF16 => ("no-f16", "", [0.0; 2]),
            Self::NotAccepted(why) => ("not-accepted", why, [0.0; 2]),
        }
    }

    fn read(id: &str, detail: &str, [a, b]: [f64; 2]) -> Option<Self> {
        let why = detail.to_owned();
        Some(match id {
            "no-webgpu" => Self::NoWebGpu,
            "refused" => Self::Refused,
            "no-device" => Self::NoDevice(why),
            "lost" => Self::Lost(why),
            "out-of-memory" => Self::OutOfMemory(a),
            "too-large" => Self::TooLarge(a, b),
            "no-f16" => Self::NoF16,
            "not-accepted" => Self::NotAccepted(why),
            _ => return None,
        })
    }
}

/// What went wrong and what to do about it.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = |n: f64| Unit::Bytes.format(n);
        match self {
            Self::NoWebGpu => f.write_str(
                "This browser has no WebGPU here. A current Chrome, Edge, Safari or Firefox has it, on pages that come over \
                 https or from this machine.",
            ),
            Self::Refused => f.write_str(
                "This browser knows WebGPU but offers no GPU. Turn on hardware acceleration in its settings, update the \
                 graphics driver, and start it again.",
            ),
            Self::NoDevice(why) => {
                write!(f, "The GPU did not answer ({why}). Close what else uses it, or start the browser again.")
            }
            Self::Lost(why) => write!(
                f,
                "The GPU was lost in the middle of the run ({why}). Choose smaller sizes, close what else uses it, and run \
                 again: a new one is asked for."
            ),
            Self::OutOfMemory(wanted) => write!(
                f,
                "The GPU has not enough memory for {}. Choose smaller sizes, or a kernel that needs no extra memory.",
                bytes(*wanted)
            ),
            Self::TooLarge(wanted, most) => write!(
                f,
                "This needs a buffer of {}, and this GPU allows {} in this browser. Choose smaller sizes, or a kernel that \
                 needs no extra memory.",
                bytes(*wanted),
                bytes(*most)
            ),
            Self::NoF16 => f.write_str(
                "This GPU, or this browser, has no f16 in shaders (the WebGPU feature shader-f16). Choose a kernel in f32.",
            ),
            Self::NotAccepted(why) => write!(f, "The browser did not accept this kernel: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_read_as_it_was_meant() {
        let measured = Measured {
            device: "a GPU".into(),
            software: true,
            seconds: 0.5,
            rounds: 9,
            repeats: 3,
            of: 12.0,
            verified: true,
            ..Measured::default()
        };
        let all = [
            Trouble::NoWebGpu,
            Trouble::Refused,
            Trouble::NoDevice("x".into()),
            Trouble::Lost("y".into()),
            Trouble::OutOfMemory(7.0),
            Trouble::TooLarge(8.0, 9.0),
            Trouble::NoF16,
            Trouble::NotAccepted("z".into()),
        ];
        let mut said = vec![Said::Ready, Said::Progress { doing: "a b".into(), done: 0.25 }];
        said.push(Said::Done(Box::new(measured.clone()), None));
        for trouble in all {
            assert!(trouble.to_string().len() > 40);
            said.push(Said::Done(Box::new(measured.clone()), Some(trouble.clone())));
            said.push(Said::Failed(trouble));
        }
        for said in said {
            assert_eq!(Said::read(&said.wire()), Some(said));
        }
    }

    #[test]
    fn what_is_not_said_is_not_read() {
        assert_eq!(Said::read(&Wire::default()), None);
        assert_eq!(Said::read(&Wire::new(&["failed", "else"], &[])), None);
        let Some(Said::Done(m, None)) = Said::read(&Wire::new(&["done"], &[f64::NAN; 16])) else { panic!("read") };
        assert!(!m.verified && m.max_error.is_finite());
    }
}
