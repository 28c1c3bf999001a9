//! The parameters of a run, and the model in the catalogue.

use super::schedule::Schedule;
use super::simulate::{Costs, Fault, Fleet, simulate};
use super::timeline::Timeline;
use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::quantity::{Unit, number, significant};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader, plain};

/// Most devices.
pub const MAX_STAGES: u32 = 64;
/// Most micro-batches.
pub const MAX_MICROBATCHES: u32 = 512;
/// Most chunks of a device.
pub const MAX_CHUNKS: u32 = 4;

/// What no second schedule is called.
const NONE: &str = "none";

/// The parameters of the model. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The order of the work.
    pub schedule: Schedule,
    /// A second schedule to compare it with.
    pub compare: Option<Schedule>,
    /// Devices, p, 1 to [`MAX_STAGES`].
    pub stages: u32,
    /// Micro-batches of a step, m, 1 to [`MAX_MICROBATCHES`].
    pub microbatches: u32,
    /// Chunks of a device, v, 1 to [`MAX_CHUNKS`]; only the interleaved schedule has a choice.
    pub chunks: u32,
    /// The forward pass of a micro-batch through a device.
    pub forward: f64,
    /// The gradient of its input.
    pub input: f64,
    /// The gradient of its weights.
    pub weight: f64,
    /// From one device to another.
    pub latency: f64,
    /// A device that is slower than the others.
    pub slow_stage: u32,
    /// How many times as long it takes.
    pub slow_by: f64,
    /// Whether the critical path stands out.
    pub path: bool,
}

const IDS: [&str; Schedule::ALL.len() + 1] = {
    let mut ids = [NONE; Schedule::ALL.len() + 1];
    let mut i = 0;
    while i < Schedule::ALL.len() {
        ids[i + 1] = Schedule::ALL[i].id();
        i += 1;
    }
    ids
};

const SCHEDULES: &[&str] = IDS.split_at(1).1;

const fn time(name: &'static str, doc: &'static str, min: f64, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Real { min, max: 1000.0 }, default }
}

const fn whole(name: &'static str, doc: &'static str, min: u32, max: u32, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: min as u64, max: max as u64 }, default }
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec { name: "schedule", doc: "order of the work", kind: Kind::Choice(SCHEDULES), default: "1f1b" },
    whole("stages", "pipeline stages, a device each", 1, MAX_STAGES, "4"),
    whole("microbatches", "micro-batches of a step", 1, MAX_MICROBATCHES, "8"),
    whole("chunks", "chunks of the model on a device, if interleaved", 1, MAX_CHUNKS, "2"),
    time("t-f", "forward pass of a micro-batch through a device, in ms", 0.001, "1"),
    time("t-b", "gradient of its input, in ms", 0.001, "1"),
    time("t-w", "gradient of its weights, in ms", 0.0, "1"),
    time("t-comm", "latency between devices, in ms", 0.0, "0"),
    whole("slow-stage", "device that is slower, from 0", 0, MAX_STAGES - 1, "0"),
    ParamSpec {
        name: "slow-by",
        doc: "how many times as long it takes",
        kind: Kind::Real { min: 1.0, max: 10.0 },
        default: "1",
    },
    ParamSpec { name: "compare", doc: "a second schedule beside it", kind: Kind::Choice(&IDS), default: NONE },
    ParamSpec {
        name: "path",
        doc: "whether the critical path stands out",
        kind: Kind::Choice(&["false", "true"]),
        default: "false",
    },
];

/// This model in the catalogue.
pub const ENTRY: Entry = Entry {
    id: "pipeline-timeline",
    title: "Pipeline timeline",
    summary: "Who computes what when in a pipeline of devices, where they wait, and what they keep meanwhile.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("makespan", "Step, first start to last end", Unit::Seconds),
        ("bubble-fraction", "Bubble: share of that time idle", Unit::Fraction),
        ("ideal-time", "If no device waited", Unit::Seconds),
        ("step-interval", "From one step to the next, no barrier", Unit::Seconds),
        ("interval-bubble", "Bubble of that interval", Unit::Fraction),
        ("peak-in-flight", "Micro-batches kept, worst device", Unit::Count),
        ("weight-versions", "Versions of weights, worst device", Unit::Count),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let result = params.timeline(params.schedule).map_err(|fault| fault.to_string());
        let quantities = result.map(|timeline| ENTRY.measured(|id| params.quantity(&timeline, id)));
        Evaluation::new(params.query(), problems, quantities)
    },
};

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let schedule = Schedule::find(reader.choice("schedule")).unwrap_or(Schedule::OneForwardOneBackward);
        let mut whole = |name| reader.integer(name).min(u64::from(u32::MAX)) as u32;
        let stages = whole("stages").clamp(1, MAX_STAGES);
        let microbatches = whole("microbatches").clamp(1, MAX_MICROBATCHES);
        let chunks = whole("chunks").clamp(1, MAX_CHUNKS);
        let slow = whole("slow-stage");
        if slow >= stages {
            reader.problem("slow-stage", format!("slow-stage must be less than stages; {} is used.", stages - 1));
        }
        let params = Self {
            schedule,
            compare: Schedule::find(reader.choice("compare")),
            stages,
            microbatches,
            chunks,
            forward: reader.real("t-f"),
            input: reader.real("t-b"),
            weight: reader.real("t-w"),
            latency: reader.real("t-comm"),
            slow_stage: slow.min(stages - 1),
            slow_by: reader.real("slow-by"),
            path: reader.choice("path") == "true",
        };
        (params, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        Query::new([
            ("schedule", self.schedule.id().to_owned()),
            ("stages", self.stages.to_string()),
            ("microbatches", self.microbatches.to_string()),
            ("chunks", self.chunks.to_string()),
            ("t-f", plain(self.forward)),
            ("t-b", plain(self.input)),
            ("t-w", plain(self.weight)),
            ("t-comm", plain(self.latency)),
            ("slow-stage", self.slow_stage.to_string()),
            ("slow-by", plain(self.slow_by)),
            ("path", self.path.to_string()),
            ("compare", self.compare.map_or(NONE, Schedule::id).to_owned()),
        ])
    }

    /// The same on another number of devices.
    pub fn resized(self, stages: u32) -> Self {
        let stages = stages.clamp(1, MAX_STAGES);
        Self { stages, slow_stage: self.slow_stage.min(stages - 1), ..self }
    }

    /// What `schedule` runs on with these parameters.
    pub fn fleet(&self, schedule: Schedule) -> Fleet {
        Fleet {
            devices: self.stages.clamp(1, MAX_STAGES),
            chunks: schedule.chunks(self.chunks.clamp(1, MAX_CHUNKS)),
            microbatches: self.microbatches.clamp(1, MAX_MICROBATCHES),
            placement: schedule.placement(),
        }
    }

    /// How long things take.
    pub fn costs(&self) -> Costs {
        let mut factors = vec![1.0; self.stages.clamp(1, MAX_STAGES) as usize];
        if let Some(slow) = factors.get_mut(self.slow_stage as usize) {
            *slow = self.slow_by;
        }
        let &Self { forward, input, weight, latency, .. } = self;
        Costs { forward, input, weight, latency, factors }
    }

    /// Runs `schedule` with these parameters. Every schedule of [`Schedule::ALL`] comes to its end.
    pub fn timeline(&self, schedule: Schedule) -> Result<Timeline, Fault> {
        let fleet = self.fleet(schedule);
        let orders = schedule.orders(fleet.devices, fleet.microbatches, fleet.chunks);
        simulate(&orders, fleet, &self.costs())
    }

    /// The most micro-batches that a device may keep under `schedule`, as its authors say; none for those that set no bound
    /// of their own.
    pub fn cap(&self, schedule: Schedule) -> f64 {
        let fleet = self.fleet(schedule);
        let (p, v, m) = (f64::from(fleet.devices), f64::from(fleet.chunks), f64::from(fleet.microbatches));
        let cap = match schedule {
            Schedule::Naive => 1.0,
            Schedule::GPipe => m,
            Schedule::Interleaved if v > 1.0 => p + (p - 1.0) / v,
            Schedule::ZeroBubbleH2 => 2.0 * p - 1.0,
            Schedule::DualPipeV => p + 0.5,
            _ => p,
        };
        cap.min(m)
    }

    /// The value of a quantity of [`ENTRY`] for the timeline of [`Params::schedule`]; 0 for any other id. Times are in seconds.
    pub fn quantity(&self, timeline: &Timeline, id: &str) -> f64 {
        match id {
            "makespan" => timeline.makespan() / 1e3,
            "bubble-fraction" => timeline.idle_share(timeline.makespan()),
            "ideal-time" => timeline.ideal() / 1e3,
            "step-interval" => timeline.interval() / 1e3,
            "interval-bubble" => timeline.idle_share(timeline.interval()),
            "peak-in-flight" => timeline.worst_peak(),
            "weight-versions" if self.schedule == Schedule::PipeDream => {
                f64::from((0..timeline.fleet.devices).map(|d| timeline.versions(d)).max().unwrap_or(1))
            }
            "weight-versions" => 1.0,
            _ => 0.0,
        }
    }

    /// What `other`, the timeline of [`Params::compare`], is beside that of the schedule: a sentence.
    fn beside(&self, timeline: &Timeline, compare: Schedule, other: &Timeline) -> String {
        let times = |of: fn(&Timeline) -> f64| of(other) / of(timeline);
        let say = |times: f64, like: &str| {
            let factor = significant(times, 3);
            if factor == "1" { format!("as {like}") } else { format!("{factor} times as {like}") }
        };
        let (longer, more) = (say(times(Timeline::makespan), "long"), say(times(Timeline::worst_peak), "much"));
        format!(" {} takes {longer} and keeps {more}.", compare.label())
    }

    /// What the timeline of [`Params::schedule`] shows, and that of [`Params::compare`] beside it, in a few sentences.
    pub fn finding(&self, timeline: &Timeline, other: Option<&Timeline>) -> String {
        let of = |id| self.quantity(timeline, id);
        let (bubble, peak) = (of("bubble-fraction"), of("peak-in-flight"));
        let percent = Unit::Fraction.format(bubble);
        let mut text = format!(
            "{} takes {} for {} of work on the busiest device: the devices are idle {percent} of the time and keep at most \
             {} micro-batches.",
            self.schedule.label(),
            Unit::Seconds.format(of("makespan")),
            Unit::Seconds.format(of("ideal-time")),
            number(peak),
        );
        let gain = of("makespan") - of("step-interval");
        if self.schedule == Schedule::PipeDream {
            let versions = number(of("weight-versions"));
            text += &format!(
                " Filling and draining are paid once for the whole stream, not once a step; the price is {versions} versions of \
                 the weights."
            );
        } else if gain > of("makespan") * 1e-9 {
            let (interval, share) = (Unit::Seconds.format(of("step-interval")), of("interval-bubble"));
            text += &format!(
                " Without a barrier between steps, one follows another every {interval}, of which {} is idle.",
                Unit::Fraction.format(share)
            );
        }
        if let (Some(compare), Some(other)) = (self.compare, other) {
            text += &self.beside(timeline, compare, other);
        }
        text
    }
}
