//! What the page and the worker that runs programs say to each other.

use serde::{Deserialize, Serialize};

use super::workers::{Alone, Ended, Took};
use super::{Diagnosis, Job, Outcome, State};

/// What the page asks of a worker: to run all ranks of a job, or to be one of several workers that run a rank each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// Run all ranks of a job.
    Run(Box<Job>),
    /// Be this rank. Ports to the others come along, by rank, without one to itself.
    Join(usize),
    /// Exchange messages with rank 1, and say how long they take.
    Ping,
    /// Run all ranks of a job here by the clock.
    Alone(Box<Job>),
    /// Get ready to run one rank of a job.
    Load {
        /// The job.
        job: Box<Job>,
        /// Which run of it this is: messages of another one are not for it.
        round: u32,
        /// The call at which the rank stops for good without telling the others.
        breaks: Option<u64>,
    },
    /// Run it.
    Go,
    /// Say where it is.
    Where,
}

/// What a worker says to the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Said {
    /// It is ready for a job.
    Ready,
    /// What came of a job.
    Done(Box<Outcome>),
    /// What was asked could not be read: it is of another version.
    Unread,
    /// Bytes and seconds one way of each size of message.
    Pinged(Vec<(f64, f64)>),
    /// All ranks in one worker, or what went wrong.
    Alone(Result<Box<Alone>, Diagnosis>),
    /// It is ready to run its rank, or the program can't be read.
    Loaded(Result<(), Diagnosis>),
    /// Where its rank is, and a number that changes as long as anything happens.
    Stands(State, u64),
    /// Its rank has ended.
    Ended(Box<Ended>, Took),
}
