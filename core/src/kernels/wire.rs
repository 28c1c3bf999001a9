//! What the page and the GPU worker say to each other.

use std::fmt;

use super::measured::Measured;
use super::timing::Summary;
use crate::quantity::Unit;
use crate::wire::{Wire, flag};

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
    /// A learner's text was compiled, and if it could be, run.
    Ran(Box<Ran>),
    /// The job cannot be done, and is too long for the CPU.
    Failed(Trouble),
}

/// The first word of a job that runs a learner's text. After it come the text as it was written; what to run in its place,
/// or nothing; whether to measure; and the cases. A case is an array of three numbers of workgroups, and for each binding a
/// [`Role`] and an array of values of four bytes.
pub const TEXT: &str = "text";

/// What a buffer is to a learner's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Role {
    /// The sizes.
    Uniform,
    /// It is only read.
    Read,
    /// It is written, and wanted back.
    Write,
    /// The same; and if its first bits are not 0 after a case, no other case is run.
    Flag,
}

impl Role {
    /// Of its number; one that is only read, if there is none of this number.
    pub fn read(number: f64) -> Self {
        [Self::Uniform, Self::Write, Self::Flag].into_iter().find(|r| *r as u32 as f64 == number).unwrap_or(Self::Read)
    }
}

/// What came of a text in WGSL and the cases that it was run on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ran {
    /// What it ran on, as the browser names it.
    pub device: String,
    /// Whether that is a GPU made of software.
    pub software: bool,
    /// What the compiler says. With an error among them nothing was run.
    pub notes: Vec<Note>,
    /// By case that was run, what was in its writable buffers in the end, one after the other.
    pub outputs: Vec<Vec<f32>>,
    /// Time of a run, in seconds; all 0 if none was asked for.
    pub times: Summary,
}

/// What a compiler says of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
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
            Self::Ran(ran) => ran.wire(),
            Self::Done(m, trouble) => {
                let (id, detail, [a, b]) = trouble.as_ref().map_or(("", "", [0.0; 2]), Trouble::parts);
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
            "ran" => Self::Ran(Box::new(Ran::read(wire)?)),
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

/// Numbers of a [`Ran`] before those of its notes.
const RAN_HEAD: usize = 6;

impl Ran {
    fn wire(&self) -> Wire {
        let mut words = vec!["ran", self.device.as_str()];
        let Summary { median, low, high } = self.times;
        let mut numbers =
            vec![flag(self.software), median, low, high, self.notes.len() as f64, self.outputs.len() as f64];
        for note in &self.notes {
            words.push(&note.text);
            numbers.extend([flag(note.error), f64::from(note.line), f64::from(note.column)]);
        }
        numbers.extend(self.outputs.iter().map(|output| output.len() as f64));
        numbers.extend(self.outputs.iter().flatten().map(|value| f64::from(*value)));
        Wire::new(&words, &numbers)
    }

    fn read(wire: &Wire) -> Option<Self> {
        let count = |i| wire.number(i) as usize;
        let notes = wire.words.get(2..)?.iter().zip(wire.numbers.get(RAN_HEAD..)?.chunks_exact(3));
        let notes: Vec<Note> = notes
            .map(|(text, place)| {
                let n = |i: usize| place.get(i).copied().unwrap_or(0.0);
                Note { error: n(0) == 1.0, line: n(1) as u32, column: n(2) as u32, text: text.clone() }
            })
            .collect();
        if notes.len() != count(4) {
            return None;
        }
        let mut rest = wire.numbers.get(RAN_HEAD + 3 * notes.len()..)?;
        let (lengths, values) = rest.split_at_checked(count(5))?;
        rest = values;
        let mut outputs = Vec::with_capacity(lengths.len());
        for length in lengths {
            let (output, after) = rest.split_at_checked(*length as usize)?;
            outputs.push(output.iter().map(|value| *value as f32).collect());
            rest = after;
        }
        let times = Summary { median: wire.number(1), low: wire.number(2), high: wire.number(3) };
        Some(Self { device: wire.word(1).to_owned(), software: wire.number(0) == 1.0, notes, outputs, times })
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
    fn a_run_is_read_as_it_was_meant_to_the_bit() {
        let note = |error, line| Note { error, line, column: 7, text: "unresolved value 'x'".into() };
        let ran = Ran {
            device: "a GPU".into(),
            software: true,
            notes: vec![note(true, 12), note(false, 0)],
            outputs: vec![vec![1.5, -0.0, f32::MIN_POSITIVE / 4.0], vec![], vec![f32::INFINITY]],
            times: Summary { median: 2e-6, low: 1e-6, high: 3e-6 },
        };
        for ran in [ran.clone(), Ran { notes: vec![], ..ran.clone() }, Ran { outputs: vec![], ..ran }, Ran::default()] {
            assert_eq!(Said::read(&Said::Ran(Box::new(ran.clone())).wire()), Some(Said::Ran(Box::new(ran))));
        }
        // What is not a number stays none.
        let ran = Ran { outputs: vec![vec![f32::NAN]], ..Ran::default() };
        let Some(Said::Ran(ran)) = Said::read(&Said::Ran(Box::new(ran)).wire()) else { panic!("read") };
        assert!(ran.outputs[0][0].is_nan());
    }

    #[test]
    fn what_is_not_said_is_not_read() {
        let cut = Wire::new(&["ran", "", "a note"], &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 3.0, 1.0]);
        assert_eq!(Said::read(&cut), None);
        assert_eq!(Said::read(&Wire::new(&["ran"], &[])), None);
        assert_eq!(Said::read(&Wire::default()), None);
        assert_eq!(Said::read(&Wire::new(&["failed", "else"], &[])), None);
        let Some(Said::Done(m, None)) = Said::read(&Wire::new(&["done"], &[f64::NAN; 16])) else { panic!("read") };
        assert!(!m.verified && m.max_error.is_finite());
    }
}
