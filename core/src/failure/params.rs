//! The parameters of a campaign and what they are called.

use super::log::Log;
use super::rates::Rates;
use super::storage::Save;
use super::{DAY, Failures, HOUR, Outcome, View};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, doc, headline, measure,
    origin, real, switch, text, when, whole,
};
use crate::failure::campaign::Cause;
use crate::quantity::Unit;

impl Model for Failures {
    type Result = Outcome;
    const ID: &'static str = "failure-campaign";
    const TITLE: &'static str = "A cluster through the weeks";
    const SUMMARY: &'static str = "A job on thousands of GPUs lives through weeks of failures: what part of the time is useful \
                                   work, where the rest goes, and which checkpoint interval loses least.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "campaign").label("Show").main().at(|p| p.view.slot()),
        whole("gpus", "GPUs of the job", [8, 131_072], "16384")
            .takes(Takes::Gpus)
            .label("GPUs")
            .doubling(17)
            .main()
            .at(|p| p.gpus.slot()),
        real("interval", "seconds of computation between two checkpoints", [10.0, 100_000.0], "1800")
            .label("Checkpoint interval")
            .unit(Unit::Seconds)
            .slider(Scale::Decades(1, 5))
            .main()
            .at(|p| p.interval.slot()),
        real(
            "restart",
            "seconds from a noticed failure until processes run again, loading apart",
            [0.0, 3600.0],
            "600",
        )
        .label("Restart time")
        .unit(Unit::Seconds)
        .steps(30.0)
        .main()
        .at(|p| p.restart.slot()),
        choice("save", "how checkpoints are written", Save::LIST, "sharded")
            .label("Checkpoints")
            .more("Checkpoint")
            .at(|p| p.save.slot()),
        real("params", "parameters of the model", [1e8, 1e13], "405e9")
            .takes(Takes::Parameters)
            .label("Parameters")
            .unit(Unit::Count)
            .slider(Scale::Decades(8, 13))
            .more("Checkpoint")
            .at(|p| p.params.slot()),
        real(
            "bytes",
            "bytes of the checkpoint for each parameter: bf16 weight 2, fp32 weight 4, Adam 8",
            [2.0, 24.0],
            "14",
        )
        .label("Bytes per parameter")
        .steps(1.0)
        .more("Checkpoint")
        .at(|p| p.bytes.slot()),
        real("storage", "bytes per second that storage takes from all nodes together", [1e8, 1e13], "2e12")
            .label("Storage bandwidth")
            .unit(Unit::BytesPerSecond)
            .slider(Scale::Decades(8, 13))
            .more("Checkpoint")
            .at(|p| p.storage.slot()),
        real("node", "bytes per second between a node and storage or another node", [1e8, 1e12], "25e9")
            .label("Write bandwidth per node")
            .unit(Unit::BytesPerSecond)
            .slider(Scale::Decades(8, 12))
            .more("Checkpoint")
            .at(|p| p.node.slot()),
        real(
            "write",
            "seconds of writing to storage, instead of bytes over bandwidth; 0 to compute them",
            [0.0, 7200.0],
            "0",
        )
        .label("Write time (0 computes it)")
        .unit(Unit::Seconds)
        .more("Checkpoint")
        .at(|p| p.write.slot()),
        real("fixed", "seconds that each checkpoint stops training whatever its size", [0.0, 120.0], "2")
            .label("Minimum stop time")
            .unit(Unit::Seconds)
            .steps(1.0)
            .more("Checkpoint")
            .at(|p| p.fixed.slot()),
        whole("copies", "copies in memory, the node's own included", [1, 4], "2")
            .label("In-memory copies")
            .steps(1.0)
            .more("Checkpoint")
            .at(|p| p.copies.slot()),
        real("flush", "hours between two checkpoints that go from memory to storage", [0.1, 48.0], "4")
            .label("Storage checkpoint interval, hours")
            .each(Unit::Seconds, 3600.0)
            .more("Checkpoint")
            .at(|p| p.flush.slot()),
        choice("rates", "whose failure rate", Rates::LIST, "llama3")
            .label("Failure rate source")
            .more("Failures")
            .at(|p| p.rates.slot()),
        real("gpu-mtbf", "hours between failures of one GPU, where the rate is one's own", [100.0, 1e7], "50000")
            .label("Hours between failures per GPU")
            .each(Unit::Seconds, 3600.0)
            .more("Failures")
            .at(|p| p.gpu_mtbf.slot()),
        real(
            "host-mtbf",
            "hours between failures of one host of eight GPUs; 0 for hosts that never fail",
            [0.0, 1e7],
            "0",
        )
        .label("Hours between failures per host")
        .each(Unit::Seconds, 3600.0)
        .more("Failures")
        .at(|p| p.host_mtbf.slot()),
        real("planned", "planned stops a week", [0.0, 100.0], "6.1")
            .label("Planned stops per week")
            .more("Failures")
            .at(|p| p.planned.slot()),
        real("notice", "seconds of warning before a planned stop", [0.0, 3600.0], "120")
            .label("Warning before planned stops")
            .unit(Unit::Seconds)
            .steps(30.0)
            .more("Failures")
            .at(|p| p.notice.slot()),
        real("detect", "seconds until a process that ended is noticed", [0.0, 3600.0], "30")
            .label("Crash detection time")
            .unit(Unit::Seconds)
            .steps(10.0)
            .more("Noticing")
            .at(|p| p.detect.slot()),
        real("watchdog", "seconds until a collective that hangs is noticed", [0.0, 7200.0], "600")
            .label("Hang detection time")
            .unit(Unit::Seconds)
            .steps(30.0)
            .more("Noticing")
            .at(|p| p.watchdog.slot()),
        real("silent", "hours until wrong numbers are noticed; 0 for at once", [0.0, 168.0], "0")
            .label("Silent corruption detection, hours")
            .each(Unit::Seconds, 3600.0)
            .steps(1.0)
            .more("Noticing")
            .at(|p| p.silent.slot()),
        real("spares", "nodes that stand by, in percent of the job’s", [0.0, 20.0], "1")
            .label("Spare nodes, percent")
            .each(Unit::Fraction, 0.01)
            .steps(0.25)
            .more("Nodes")
            .at(|p| p.spares.slot()),
        real("repair", "hours until a broken node is back", [0.0, 336.0], "24")
            .label("Repair time, hours")
            .each(Unit::Seconds, 3600.0)
            .steps(1.0)
            .more("Nodes")
            .at(|p| p.repair.slot()),
        switch("shrink", "whether the job goes on with fewer replicas where nodes are missing", false)
            .label("Drop a replica if no spare is left")
            .more("Nodes")
            .at(|p| p.shrink.slot()),
        whole("replica", "GPUs per replica", [8, 16_384], "128")
            .label("GPUs per replica")
            .doubling(14)
            .range([8, 16_384])
            .more("Nodes")
            .at(|p| p.replica.slot()),
        whole("days", "days of the campaign", [1, 91], "54")
            .label("Days")
            .each(Unit::Seconds, 86_400.0)
            .steps(1.0)
            .more("The campaign")
            .at(|p| p.days.slot()),
        whole("seed", "the seed", [1, 999], "1").label("Seed").steps(1.0).more("The campaign").at(|p| p.seed.slot()),
        real("target", "the part of the time that is to be useful, in percent", [10.0, 99.0], "90")
            .label("Useful-work target, percent")
            .each(Unit::Fraction, 0.01)
            .steps(1.0)
            .more("The campaign")
            .at(|p| p.target.slot()),
        text("log", "the log of a run, as SCR writes it, whose failures and checkpoints count instead of these", "")
            .quiet()
            .at(|p| p.log.slot()),
        whole("event", "the event on show; 0 for all of them", [0, 100_000], "0")
            .drawn()
            .quiet()
            .at(|p| p.event.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["copies", "flush"], |p| p.save == Save::Memory),
        applies(&["gpu-mtbf", "host-mtbf"], |p| p.rates == Rates::Own),
        applies(&["replica"], |p| p.shrink),
        applies(&["notice"], |p| p.planned > 0.0),
        applies(&["target"], |p| p.view == View::Target),
    ];
    const ORIGIN: Origin =
        Origin::Own("failures as a Poisson process, played event by event through weeks of checkpoints and restarts");
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Llama 3, arXiv:2407.21783, Table 5; Kokolis et al. 2024, arXiv:2410.21680; Cui et al. 2025, arXiv:2503.11901; or the rate you set",
            ),
            &["mtbf", "node-mtbf", "expected-failures"],
        ),
        origin(
            Origin::Own(
                "bytes per parameter over the bandwidths of storage, network and PCIe, with Llama 3’s storage as default (arXiv:2407.21783, §3.3.1)",
            ),
            &["checkpoint-bytes", "gpu-bytes", "write-time", "cost", "lag", "recovery"],
        ),
        origin(super::interval::YOUNG, &["young"]),
        origin(super::interval::DALY, &["daly"]),
        origin(super::interval::COMPLETE, &["optimum", "predicted", "predicted-best", "longest-recovery"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "The share of the campaign in which training made progress that was kept.",
            measure("useful", "Useful work", Unit::Fraction, |_, o| o.campaign.share(Cause::Useful)),
        ),
        measure("saving", "Writing checkpoints", Unit::Fraction, |_, o| o.campaign.share(Cause::Saving)),
        measure("lost", "Lost work", Unit::Fraction, |_, o| o.campaign.share(Cause::Lost)),
        measure("noticing", "Undetected failures", Unit::Fraction, |_, o| o.campaign.share(Cause::Noticing)),
        measure("waiting", "Waiting for a replacement node", Unit::Fraction, |_, o| o.campaign.share(Cause::Waiting)),
        measure("restarting", "Restarting", Unit::Fraction, |_, o| o.campaign.share(Cause::Restarting)),
        measure("stopped", "Planned stops", Unit::Fraction, |_, o| o.campaign.share(Cause::Planned)),
        measure("shrunk", "Running with missing replicas", Unit::Fraction, |_, o| o.campaign.share(Cause::Shrunk)),
        measure("failures", "Failures", Unit::Count, |_, o| o.campaign.failures() as f64),
        measure("expected-failures", "Expected failures", Unit::Count, |p, o| p.days as f64 * DAY / o.mtbf),
        headline(
            "For the whole job: one component’s time divided by the number of components.",
            measure("mtbf", "Mean time between failures", Unit::Seconds, |_, o| o.mtbf),
        ),
        measure("node-mtbf", "Mean time between failures, one node", Unit::Seconds, |p, o| o.mtbf * p.nodes() as f64),
        measure("checkpoint-bytes", "Checkpoint size", Unit::Bytes, |_, o| o.store.bytes),
        measure("gpu-bytes", "Checkpoint size per GPU", Unit::Bytes, |_, o| o.store.bytes / o.store.gpus),
        measure("write-time", "Time to write a checkpoint to storage", Unit::Seconds, |_, o| o.store.write()),
        headline(
            "How long training stands still for each checkpoint.",
            measure("cost", "Pause per checkpoint", Unit::Seconds, |_, o| o.cost),
        ),
        measure("lag", "Time until a checkpoint is durable", Unit::Seconds, |_, o| o.store.lag()),
        doc(
            "From a failure until training runs again.",
            measure("recovery", "Recovery time", Unit::Seconds, |_, o| o.recovery),
        ),
        doc(
            "The optimal interval between checkpoints, to first order.",
            measure("young", "Young’s interval", Unit::Seconds, |_, o| o.young),
        ),
        doc(
            "The optimal interval between checkpoints, to higher order.",
            measure("daly", "Daly’s interval", Unit::Seconds, |_, o| o.daly),
        ),
        headline(
            "The interval at which the model loses least to checkpoints and failures together.",
            measure("optimum", "Best checkpoint interval", Unit::Seconds, |_, o| o.optimum),
        ),
        measure("predicted", "Useful work, predicted", Unit::Fraction, |p, o| o.efficiency(p.interval)),
        headline(
            "What Daly’s model predicts if you save at the best interval.",
            measure("predicted-best", "Useful work at the best interval", Unit::Fraction, |_, o| {
                o.efficiency(o.optimum)
            }),
        ),
        when(
            |_, o| o.curve.best().is_some(),
            measure("found", "Best interval found by simulation", Unit::Seconds, |_, o| {
                o.curve.best().map_or(0.0, |point| point.interval)
            }),
        ),
        measure("longest-recovery", "Longest recovery time that meets the target", Unit::Seconds, |p, o| {
            o.longest_recovery(p.interval, p.target).max(0.0)
        }),
        measure("checkpoints", "Checkpoints", Unit::Count, |_, o| o.campaign.checkpoints),
        doc(
            "Failures after which the run had to go back to a checkpoint in storage.",
            measure("fallbacks", "In-memory checkpoints lost", Unit::Count, |_, o| o.campaign.fallbacks.into()),
        ),
        measure("broken", "Most nodes in repair at one time", Unit::Count, |_, o| o.campaign.broken as f64),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.outcome()
    }
}

impl Default for Failures {
    fn default() -> Self {
        Self {
            view: View::Campaign,
            gpus: 16_384,
            interval: 1800.0,
            restart: 600.0,
            save: Save::Sharded,
            params: 405e9,
            bytes: 14.0,
            storage: 2e12,
            node: 25e9,
            write: 0.0,
            fixed: 2.0,
            copies: 2,
            flush: 4.0,
            rates: Rates::Llama3,
            gpu_mtbf: 50_000.0,
            host_mtbf: 0.0,
            planned: 6.1,
            notice: 120.0,
            detect: 30.0,
            watchdog: 600.0,
            silent: 0.0,
            spares: 1.0,
            repair: 24.0,
            shrink: false,
            replica: 128,
            days: 54,
            seed: 1,
            target: 90.0,
            log: Log::default(),
            event: 0,
        }
    }
}

/// Seconds of a number of hours.
pub(super) const fn hours(n: f64) -> f64 {
    n * HOUR
}
