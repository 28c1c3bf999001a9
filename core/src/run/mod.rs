//! A run as a file: what was configured, what was measured, and what the models say of it.
//!
//! Whatever is pasted is taken apart where it holds several things ([`read_all()`]), recognized and read ([`read()`]): configurations, launch flags, run output, what `nvidia-smi` and nccl-tests print,
//! traces, snapshots. A [`Card`] says what of it was read and what wasn't, and carries a piece of a [`Run`]; pieces are put together by
//! [`gather()`]. A run is written as `run.toml` ([`Run::write`]) and read back. [`compare()`] puts what the planner and the memory model
//! predict next to what was measured and divides the gap among named causes; [`check`] holds assertions against both.
//!
//! Nothing that wasn't read decides anything. A setting that a framework has a default for, and nobody gave, is [`Assumed`]: predictions
//! then are a range over its values, and a verdict that hangs on it isn't given.

mod broken;
#[cfg(test)]
mod brought;
mod bus;
mod card;
mod check;
mod compare;
mod config;
mod content;
mod evidence;
mod file;
mod gather;
mod given;
mod hardware;
mod ledger;
mod load;
mod measure;
mod oom;
mod output;
mod parts;
mod plan;
mod planned;
#[cfg(test)]
mod public;
mod read;
#[cfg(test)]
mod tests;
mod topology;
mod usual;
mod waits;

pub use card::{Card, Found, Kind, Outcome, Stop, Unread};
pub use check::{Checked, check, named};
pub(crate) use compare::standing;
pub use compare::{Answer, Question, Report, Row, compare, serves};
pub(crate) use config::serve::read as serving_command;
pub use content::{Content, content};
pub use file::{Cluster, Fails, Layout, Model, Run, Serving, Size};
pub use gather::{gather, grown, stops, versus};
pub use given::{Missing, Setting, Takes, setting_at};
pub use ledger::{Cause, Ledger, Link, Next};
pub use measure::{Measured, Metric};
pub use output::Output;
pub use parts::{is_log_line, read_all};
pub use plan::{Assumed, Plan};
pub use planned::planned;
pub use read::{MOST, file, read, snapshot, traces};
pub use topology::{Device, Hop, Socket, Topology};
