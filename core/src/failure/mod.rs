//! `failure-campaign`: a job on a cluster of which something fails every few hours.

pub mod campaign;
pub mod curve;
mod finding;
pub mod interval;
pub mod log;
mod params;
pub mod rates;
pub mod storage;
#[cfg(test)]
mod tests;

use crate::options;
use crate::quantity::{Unit, grouped};
use campaign::{Campaign, Setting, campaign};
use curve::Curve;
pub use finding::moment;
use log::Log;
use params::hours;
use rates::{Rates, Symptom};
use storage::{Save, Store};

const HOUR: f64 = 3600.0;
/// Seconds of a day.
pub const DAY: f64 = 24.0 * HOUR;
/// GPUs of a node.
pub const GPUS_PER_NODE: u64 = 8;
/// Bytes a second from a GPU to its host's memory: PCIe 4.0 ×16, about 25 GB/s of its 32 in practice.
const HOST: f64 = 25e9;
/// Most failures that a campaign may expect.
const MOST_FAILURES: f64 = 12_000.0;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// The weeks, and where the time went.
    #[default]
    Campaign,
    /// Time lost over the checkpoint interval.
    Interval,
    /// Which intervals and recoveries reach the target.
    Target,
    /// Time between failures over the size of the job.
    Size,
    /// Time to write a checkpoint over the bandwidth of storage.
    Storage,
}

options!(View {
    Campaign: "campaign", "weeks";
    Interval: "interval", "interval";
    Target: "target", "target";
    Size: "size", "size";
    Storage: "storage", "storage";
});

/// The state of the figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Failures {
    /// What is shown.
    pub view: View,
    /// GPUs of the job, in nodes of eight.
    pub gpus: u64,
    /// Seconds of computation between two checkpoints.
    pub interval: f64,
    /// Seconds from a noticed failure until processes run again.
    pub restart: f64,
    /// How checkpoints are written.
    pub save: Save,
    /// Parameters of the model.
    pub params: f64,
    /// Bytes of the checkpoint for each.
    pub bytes: f64,
    /// Bytes a second that storage takes.
    pub storage: f64,
    /// Bytes a second of a node.
    pub node: f64,
    /// Seconds of writing, where they are given; 0 where they are computed.
    pub write: f64,
    /// Seconds that each checkpoint stops training whatever its size.
    pub fixed: f64,
    /// Copies in memory.
    pub copies: u64,
    /// Hours between two checkpoints that go from memory to storage.
    pub flush: f64,
    /// Whose failure rate.
    pub rates: Rates,
    /// Hours between failures of one GPU.
    pub gpu_mtbf: f64,
    /// Hours between failures of one host; 0 for none.
    pub host_mtbf: f64,
    /// Planned stops a week.
    pub planned: f64,
    /// Seconds of warning before them.
    pub notice: f64,
    /// Seconds until a crash is noticed.
    pub detect: f64,
    /// Seconds until a hang is.
    pub watchdog: f64,
    /// Hours until wrong numbers are.
    pub silent: f64,
    /// Nodes that stand by, in percent of the job's.
    pub spares: f64,
    /// Hours of a repair.
    pub repair: f64,
    /// Whether replicas are dropped where nodes are missing.
    pub shrink: bool,
    /// GPUs of one replica.
    pub replica: u64,
    /// Days.
    pub days: u64,
    /// The seed.
    pub seed: u64,
    /// Percent of the time that is to be useful.
    pub target: f64,
    /// A log whose failures and checkpoints count instead.
    pub log: Log,
    /// The event on show; 0 for all.
    pub event: u64,
}

/// What comes of it. Times in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The campaign.
    pub campaign: Campaign,
    /// How checkpoints are written.
    pub store: Store,
    /// Mean time between failures of the job: M.
    pub mtbf: f64,
    /// Time that a checkpoint stops training: δ.
    pub cost: f64,
    /// Mean time from a failure until training runs again: noticing, restart, loading, and what a checkpoint that is still on its way
    /// makes the failure undo besides: R.
    pub recovery: f64,
    /// Young's interval.
    pub young: f64,
    /// Daly's.
    pub daly: f64,
    /// The minimum of Daly's complete model.
    pub optimum: f64,
    /// The same campaign at other intervals; empty where it is not shown.
    pub curve: Curve,
}

impl Outcome {
    /// The part of the time that Daly's complete model has for useful work at this interval.
    pub fn efficiency(&self, interval: f64) -> f64 {
        interval::efficiency(interval, self.cost, self.mtbf, self.recovery)
    }

    /// The longest recovery with which `target` percent of the time are useful.
    pub fn longest_recovery(&self, interval: f64, target: f64) -> f64 {
        interval::longest_recovery(target / 100.0, interval, self.cost, self.mtbf)
    }
}

impl Failures {
    /// Nodes of the job.
    pub fn nodes(&self) -> u64 {
        self.gpus.div_ceil(GPUS_PER_NODE).max(1)
    }

    /// The mean time between failures of a job of so many GPUs, in seconds.
    pub fn mtbf_of(&self, gpus: f64) -> f64 {
        match self.rates.published() {
            Some(rate) => interval::system(&[(gpus, 1.0 / rate)]),
            None => {
                interval::system(&[(gpus, hours(self.gpu_mtbf)), (gpus / GPUS_PER_NODE as f64, hours(self.host_mtbf))])
            }
        }
    }

    /// How checkpoints are written.
    pub fn store(&self) -> Store {
        let given = match self.log.measured {
            Some(log) => Some((log.cost - self.fixed).max(0.0)),
            None => Some(self.write).filter(|seconds| *seconds > 0.0),
        };
        Store {
            save: self.save,
            bytes: self.params * self.bytes,
            gpus: self.gpus as f64,
            nodes: self.nodes() as f64,
            storage: self.storage,
            node: self.node,
            host: HOST,
            fixed: self.log.measured.map_or(self.fixed, |log| self.fixed.min(log.cost)),
            copies: self.copies as f64,
            given,
        }
    }

    /// The campaign as it is lived through.
    pub fn setting(&self) -> Setting {
        let mtbf = self.log.measured.map_or_else(|| self.mtbf_of(self.gpus as f64), |log| log.mtbf);
        Setting {
            length: self.days as f64 * DAY,
            nodes: self.nodes(),
            spares: (self.nodes() as f64 * self.spares / 100.0).ceil() as u64,
            mtbf,
            components: self.rates.components(),
            store: self.store(),
            interval: self.interval,
            flush: hours(self.flush),
            detect: self.detect,
            watchdog: self.watchdog,
            silent: hours(self.silent),
            restart: self.restart,
            repair: hours(self.repair),
            shrink: self.shrink.then(|| self.replica.min(self.gpus).div_ceil(GPUS_PER_NODE)),
            planned: if self.planned > 0.0 { 7.0 * DAY / self.planned } else { f64::INFINITY },
            notice: self.notice,
            seed: self.seed,
        }
    }

    /// The mean time from a failure to its notice, where wrong numbers are noticed at once.
    fn noticing(&self) -> f64 {
        let hangs = rates::share(self.rates.components(), Symptom::Hang);
        hangs * self.watchdog + (1.0 - hangs) * self.detect
    }

    /// Lives through it.
    ///
    /// # Errors
    /// More failures to expect than can be lived through: a sentence.
    pub fn outcome(&self) -> Result<Outcome, String> {
        self.in_range()?;
        let setting = self.setting();
        let expected = setting.length / setting.mtbf;
        if expected > MOST_FAILURES {
            return Err(format!(
                "{} failures are to be expected, one every {}; at most {} can be lived through: take fewer days or GPUs.",
                grouped(expected as u64),
                Unit::Seconds.format(setting.mtbf),
                grouped(MOST_FAILURES as u64)
            ));
        }
        let (store, mtbf) = (setting.store, setting.mtbf);
        let cost = store.stall();
        Ok(Outcome {
            campaign: campaign(&setting),
            store,
            mtbf,
            cost,
            recovery: self.noticing() + self.restart + store.load() + store.lag(),
            young: interval::young(cost, mtbf),
            daly: interval::daly(cost, mtbf),
            optimum: interval::exact(cost, mtbf),
            curve: if self.view == View::Interval { Curve::of(&setting) } else { Curve::default() },
        })
    }
}

use crate::declare::Model as _;
