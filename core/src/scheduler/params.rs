//! The parameters, and the model in the catalogue.

use super::jobs::{Job, JobList, Wrong};
use super::place::{Cluster, Placement, Rules};
use super::result::Schedule;
use super::simulate::{Setup, simulate};
use super::traces::Trace;
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, doc, headline, measure,
    origin, switch, text, when, whole,
};
use crate::options;
use crate::quantity::Unit;

/// More steps than there ever are.
pub const ALL_STEPS: u64 = 100_000;

/// Which of the jobs that wait start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// In order; the first that does not fit blocks all others.
    #[default]
    Fcfs,
    /// Others may start if they do not delay the first.
    Easy,
    /// Others may start if they delay nobody ahead of them.
    Conservative,
    /// EASY, the shortest limit first among the others.
    EasyShortest,
    /// EASY, the latest first among the others.
    EasyLatest,
    /// EASY, those of the others that fill the most.
    EasyLookahead,
    /// The shortest limit first.
    Sjf,
    /// The longest limit first.
    Ljf,
    /// Whatever fits, as pods in Kubernetes.
    Kubernetes,
}

options!(Policy {
    Fcfs: "fcfs", "FIFO";
    Easy: "easy", "EASY backfill";
    Conservative: "conservative", "conservative backfill";
    EasyShortest: "easy-shortest", "EASY, shortest first";
    EasyLatest: "easy-latest", "EASY, latest first";
    EasyLookahead: "easy-lookahead", "EASY, fullest packing";
    Sjf: "sjf", "shortest job first";
    Ljf: "ljf", "longest job first";
    Kubernetes: "kubernetes", "Kubernetes: what fits";
});

impl Policy {
    /// Whether it runs once per instant, after all of its events.
    pub(super) const fn runs_once_per_instant(self) -> bool {
        matches!(self, Self::Sjf | Self::Ljf | Self::Kubernetes)
    }

    /// Whether it keeps a time for the first of the queue alone.
    pub(super) const fn reserves_for_the_first(self) -> bool {
        matches!(self, Self::Easy | Self::EasyShortest | Self::EasyLatest | Self::EasyLookahead)
    }
}

/// Which of the jobs that wait is the first, within a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The one submitted first.
    #[default]
    Submitted,
    /// The one with the most points for fair share and age.
    FairShare,
}

options!(Order {
    Submitted: "submitted", "submitted first";
    FairShare: "fair-share", "fair share and age";
});

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The list of jobs, where none of one's own is given.
    pub trace: Trace,
    /// One's own list; an empty one for none.
    pub jobs: JobList,
    /// Nodes.
    pub nodes: u64,
    /// GPUs of a node.
    pub gpus: u64,
    /// Nodes of a block.
    pub block: u64,
    /// Whether a job that is no larger than a block must lie within one.
    pub within: bool,
    /// Which jobs start.
    pub policy: Policy,
    /// Which job is the first.
    pub order: Order,
    /// Where jobs are put.
    pub placement: Placement,
    /// Whether a job gets all of its GPUs or none; without it, only Kubernetes places pod by pod.
    pub gang: bool,
    /// Whether jobs of a lower class are stopped.
    pub preempt: bool,
    /// Minutes between checkpoints; 0 for none.
    pub checkpoint: u64,
    /// The job that is looked at, from 1.
    pub job: u64,
    /// The node that is looked at, from 1.
    pub node: u64,
    /// Steps that have been done.
    pub step: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Campaign {
    /// The jobs, each with the line of one's own list that it stands in.
    pub jobs: Vec<Job>,
    /// Their lines.
    pub lines: Vec<usize>,
    /// Lines that were not used, and why.
    pub wrong: Vec<Wrong>,
    /// The schedule.
    pub schedule: Schedule,
}

impl Params {
    /// The cluster.
    pub fn cluster(&self) -> Cluster {
        Cluster { nodes: self.nodes as usize, gpus: self.gpus as u32, block: self.block as usize }
    }

    fn setup(&self) -> Setup {
        Setup {
            cluster: self.cluster(),
            rules: Rules { placement: self.placement, within: self.within },
            policy: self.policy,
            order: self.order,
            gang: self.gang,
            preempt: self.preempt,
            checkpoint: self.checkpoint * 60,
        }
    }

    /// The jobs of the list, those refused that could never start here.
    pub fn campaign(&self) -> Campaign {
        let own = !self.jobs.0.is_empty();
        let listed = if own { self.jobs.listed() } else { self.trace.list().listed() };
        let mut campaign = Campaign { wrong: listed.wrong, ..Campaign::default() };
        for (line, job) in listed.jobs {
            // Who does not say how many GPUs takes whole nodes.
            let gpus = if job.gpus == 0 { self.gpus as u32 } else { job.gpus };
            let job = Job { gpus, ..job };
            if u64::from(job.nodes) > self.nodes || u64::from(job.gpus) > self.gpus {
                let why = format!(
                    "{} asks for {} nodes with {} GPUs each, and there are {} with {}: Requested node configuration is not available.",
                    job.name, job.nodes, job.gpus, self.nodes, self.gpus
                );
                campaign.wrong.push(Wrong { line, why });
                continue;
            }
            campaign.jobs.push(job);
            campaign.lines.push(line);
        }
        campaign.wrong.sort_by_key(|wrong| wrong.line);
        campaign.schedule = simulate(self.setup(), &campaign.jobs);
        campaign
    }

    /// The step that is shown, from 0 for before the first.
    pub fn shown(&self, campaign: &Campaign) -> usize {
        (self.step as usize).min(campaign.schedule.steps.len())
    }

    /// The index of the job that is looked at; none if there is none of this number.
    pub fn looked_at(&self, campaign: &Campaign) -> Option<usize> {
        (self.job as usize).checked_sub(1).filter(|&j| j < campaign.jobs.len())
    }

    /// The score that the node looked at has at the step shown for a pod of the job looked at; 0 where it does not fit.
    fn score(&self, campaign: &Campaign) -> u64 {
        let cluster = self.cluster();
        let free = match self.shown(campaign).checked_sub(1).and_then(|i| campaign.schedule.steps.get(i)) {
            Some(step) => (self.node as usize)
                .checked_sub(1)
                .and_then(|n| step.cells.get(n))
                .map_or(0, |row| row.iter().filter(|cell| cell.is_none()).count() as u32),
            None => cluster.gpus,
        };
        let gpus = self.looked_at(campaign).and_then(|j| campaign.jobs.get(j)).map_or(0, |job| job.gpus);
        cluster.score(free, gpus, self.placement).unwrap_or(0)
    }

    /// Something of the job that is looked at; none if none is, or if it has no such thing yet.
    fn job<T>(&self, campaign: &Campaign, of: impl Fn(&Job, &super::result::Outcome) -> Option<T>) -> Option<T> {
        let at = self.looked_at(campaign)?;
        of(campaign.jobs.get(at)?, campaign.schedule.outcomes.get(at)?)
    }

    fn of_job(&self, campaign: &Campaign, of: impl Fn(&Job, &super::result::Outcome) -> Option<u64>) -> f64 {
        self.job(campaign, of).unwrap_or(0) as f64
    }
}

/// A part of all GPUs' time from the first submission to the last end.
fn share(p: &Params, c: &Campaign, gpu_seconds: u64) -> f64 {
    let all = p.cluster().all() as f64 * c.schedule.makespan(&c.jobs) as f64;
    if all == 0.0 { 0.0 } else { gpu_seconds as f64 / all }
}

fn at_step(p: &Params, c: &Campaign, of: impl Fn(&super::result::Step) -> usize) -> f64 {
    p.shown(c).checked_sub(1).and_then(|i| c.schedule.steps.get(i)).map_or(0.0, |step| of(step) as f64)
}

impl Model for Params {
    type Result = Campaign;
    const ID: &'static str = "cluster-scheduler";
    const TITLE: &'static str = "A scheduler at work";
    const SUMMARY: &'static str = "Jobs come to a cluster drawn node by node, and a scheduler decides, event by event, which of them starts and \
                                   where.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("policy", "which of the jobs that wait start", Policy::LIST, "fcfs")
            .label("Scheduler")
            .main()
            .at(|p| p.policy.slot()),
        choice("trace", "the jobs", Trace::LIST, "hole").label("Jobs").main().at(|p| p.trace.slot()),
        choice("placement", "which of the nodes that would do are taken", Placement::LIST, "pack")
            .label("Node placement")
            .main()
            .at(|p| p.placement.slot()),
        choice("order", "which of the jobs that wait is the first", Order::LIST, "submitted")
            .label("Queue order")
            .main()
            .at(|p| p.order.slot()),
        whole("nodes", "nodes of the cluster", [1, 64], "8")
            .takes(Takes::Nodes)
            .label("Nodes")
            .slider(Scale::Linear { min: 1.0, max: 64.0, step: 1.0 })
            .more("Cluster")
            .at(|p| p.nodes.slot()),
        whole("gpus", "GPUs per node", [1, 8], "8")
            .takes(Takes::Node)
            .label("GPUs per node")
            .doubling(3)
            .more("Cluster")
            .at(|p| p.gpus.slot()),
        whole("block", "nodes of a block: an NVLink domain, or what hangs on one leaf switch", [1, 64], "4")
            .label("Nodes per block")
            .doubling(6)
            .more("Cluster")
            .at(|p| p.block.slot()),
        switch("within", "a job that is no larger than a block must lie within one", false)
            .label("Jobs stay within a block")
            .more("Cluster")
            .at(|p| p.within.slot()),
        switch("gang", "a job gets all of its GPUs at once or none; off, Kubernetes places pod by pod", true)
            .label("Gang scheduling")
            .more("Jobs")
            .at(|p| p.gang.slot()),
        switch("preempt", "a job may take the GPUs of one of a lower class", false)
            .label("Preemption")
            .more("Jobs")
            .at(|p| p.preempt.slot()),
        whole("checkpoint", "minutes between two checkpoints of a job; 0 for none", [0, 1440], "0")
            .label("Checkpoint interval, minutes")
            .each(Unit::Seconds, 60.0)
            .slider(Scale::FromZero(10))
            .more("Jobs")
            .at(|p| p.checkpoint.slot()),
        text("jobs", "jobs of your own: headers of sbatch scripts, lines of sacct -P, or a line for each job", "")
            .quiet()
            .at(|p| p.jobs.slot()),
        whole("job", "the job that is looked at, from 1; 0 for none", [0, 100], "0")
            .drawn()
            .quiet()
            .at(|p| p.job.slot()),
        whole("node", "the node that is looked at, from 1", [1, 64], "1").drawn().quiet().at(|p| p.node.slot()),
        whole("step", "steps that have been done; more than there are stand for all", [0, ALL_STEPS], "100000")
            .drawn()
            .quiet()
            .at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["gang"], |p| p.policy == Policy::Kubernetes), applies(&["checkpoint"], |p| p.preempt)];
    const ORIGIN: Origin = super::policy::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Definition,
            &[
                "mean-wait",
                "longest-wait",
                "makespan",
                "jobs",
                "all-gpus",
                "waiting",
                "time",
                "free-gpus",
                "free-nodes",
                "job-start",
                "job-wait",
                "job-end",
            ],
        ),
        origin(Origin::Of("dinesh121991/pyss: (wait + run) / run, runs under 10 s counted as 10 s"), &["slowdown"]),
        origin(super::kube::ORIGIN, &["score"]),
        origin(Origin::Controls, &["job-gpus"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Campaign>] = &[
        // Averages over the jobs that start, and the end of the last of them, would praise a cluster on which others never do.
        when(
            |_, c| c.schedule.stuck() == 0,
            headline(
                "GPU time in use, from the first submission to the last end.",
                measure("utilisation", "GPU utilization", Unit::Fraction, |p, c| {
                    c.schedule.utilisation(&c.jobs, p.cluster())
                }),
            ),
        ),
        when(
            |_, c| c.schedule.stuck() == 0,
            headline(
                "From submission to start, averaged over jobs.",
                measure("mean-wait", "Mean wait", Unit::Seconds, |_, c| c.schedule.mean_wait(&c.jobs)),
            ),
        ),
        when(
            |_, c| c.schedule.stuck() == 0,
            headline(
                "The job that waited longest.",
                measure("longest-wait", "Longest wait", Unit::Seconds, |_, c| c.schedule.longest_wait(&c.jobs) as f64),
            ),
        ),
        when(
            |_, c| c.schedule.stuck() == 0,
            headline(
                "From the first submission to the last end.",
                measure("makespan", "Makespan", Unit::Seconds, |_, c| c.schedule.makespan(&c.jobs) as f64),
            ),
        ),
        when(
            |_, c| c.schedule.stuck() == 0,
            measure("slowdown", "Mean bounded slowdown", Unit::Ratio, |_, c| c.schedule.slowdown(&c.jobs)),
        ),
        measure("jobs", "Jobs", Unit::Count, |_, c| c.jobs.len() as f64),
        measure("backfilled", "Backfilled jobs", Unit::Count, |_, c| {
            c.schedule.outcomes.iter().filter(|o| o.backfilled).count() as f64
        }),
        when(
            |_, c| c.schedule.stuck() > 0,
            headline(
                "Jobs that no state of the cluster can start.",
                measure("stuck", "Jobs that never start", Unit::Count, |_, c| c.schedule.stuck() as f64),
            ),
        ),
        measure("preemptions", "Preemptions", Unit::Count, |_, c| {
            c.schedule.outcomes.iter().map(|o| f64::from(o.preempted)).sum()
        }),
        measure("lost", "GPU time lost to preemption", Unit::Fraction, |p, c| share(p, c, c.schedule.lost)),
        measure("idle-waiting", "GPU time idle while jobs wait", Unit::Fraction, |p, c| {
            share(p, c, c.schedule.idle_waiting)
        }),
        doc(
            "Enough GPUs are free for the first job in line, but not where it needs them.",
            measure("fragmented", "GPU time blocked by fragmentation", Unit::Fraction, |p, c| {
                share(p, c, c.schedule.fragmented)
            }),
        ),
        measure("all-gpus", "Total GPUs", Unit::Count, |p, _| p.cluster().all() as f64),
        measure("time", "Time at this step", Unit::Seconds, |p, c| at_step(p, c, |s| s.time as usize)),
        measure("free-gpus", "Free GPUs at this step", Unit::Count, |p, c| match p.shown(c) {
            0 => p.cluster().all() as f64,
            _ => at_step(p, c, |s| s.free() as usize),
        }),
        measure("free-nodes", "Empty nodes at this step", Unit::Count, |p, c| match p.shown(c) {
            0 => p.nodes as f64,
            _ => at_step(p, c, |s| s.cells.iter().filter(|row| row.iter().all(Option::is_none)).count()),
        }),
        measure("waiting", "Waiting jobs at this step", Unit::Count, |p, c| at_step(p, c, |s| s.waiting.len())),
        when(
            |p, c| p.job(c, |_, o| o.start).is_some(),
            measure("job-start", "Start of the selected job", Unit::Seconds, |p, c| p.of_job(c, |_, o| o.start)),
        ),
        when(
            |p, c| p.job(c, |_, o| o.first_start).is_some(),
            measure("job-wait", "Wait of the selected job", Unit::Seconds, |p, c| {
                p.of_job(c, |job, o| Some(o.first_start?.saturating_sub(job.submit)))
            }),
        ),
        when(
            |p, c| p.job(c, |_, o| o.end).is_some(),
            measure("job-end", "End of the selected job", Unit::Seconds, |p, c| p.of_job(c, |_, o| o.end)),
        ),
        when(
            |p, c| p.job(c, |_, _| Some(1)).is_some(),
            measure("job-gpus", "GPUs of the selected job", Unit::Count, |p, c| {
                p.of_job(c, |job, _| Some(job.all_gpus()))
            }),
        ),
        measure("score", "Placement score of the selected node", Unit::Count, |p, c| p.score(c) as f64),
    ];

    fn evaluate(&self) -> Result<Campaign, String> {
        self.in_range()?;
        Ok(self.campaign())
    }

    fn follow(&mut self, _before: &Self) {
        self.step = ALL_STEPS;
    }
}
