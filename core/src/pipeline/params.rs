//! The parameters of a run, and the model in the catalogue.

use super::boundary::{Boundary, Share};
use super::schedule::{MAX_CHUNKS, MAX_MICROBATCHES, MAX_STAGES, Schedule};
use super::simulate::{Costs, Fault, Fleet, simulate};
use super::timeline::Timeline;
use crate::declare::{
    Applies, Choose, Declaration, Field, List, Measure, Model, Origin, Origins, Param, Scale, Slot, applies, doc,
    headline, origin,
};
use crate::declare::{choice, measure, real, switch, whole};
use crate::hardware::links::{self, Link};
use crate::quantity::{Unit, grouped, named, number, significant};
use crate::query::Reader;

/// What no second schedule is called.
const NONE: &str = "none";

/// The parameters of the model. Times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
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
    /// From one device to another, if it is given rather than counted from bytes.
    pub latency: f64,
    /// Tokens of a micro-batch.
    pub tokens: u64,
    /// Width of the model, for the bytes of a message; 0 if the latency is given.
    pub width: u64,
    /// Tensor-parallel ranks of a stage.
    pub tensor: u64,
    /// How they share the sending.
    pub share: Share,
    /// The link between stages.
    pub net: &'static Link,
    /// The link between the tensor-parallel ranks of a stage.
    pub link: &'static Link,
    /// A device that is slower than the others.
    pub slow_stage: u32,
    /// How many times as long it takes.
    pub slow_by: f64,
    /// Whether the critical path stands out.
    pub path: bool,
}

/// What no second schedule is called, then all schedules: their ids or their labels.
const fn with_none(none: &'static str, all: &[&'static str]) -> [&'static str; Schedule::ALL.len() + 1] {
    let mut list = [none; Schedule::ALL.len() + 1];
    let mut i = 0;
    while i < all.len() {
        list[i + 1] = all[i];
        i += 1;
    }
    list
}

const BESIDE: List =
    List { ids: &with_none(NONE, Schedule::LIST.ids), labels: &with_none("nothing", Schedule::LIST.labels) };

impl Choose for Option<Schedule> {
    fn id(&self) -> &'static str {
        self.map_or(NONE, Schedule::id)
    }

    fn choose(&mut self, id: &str) {
        *self = Schedule::find(id);
    }
}

impl Field for Option<Schedule> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

const TIMES: &str = "What a micro-batch takes on a device";
const SLOW: &str = "A straggler";
const BOUNDARY: &str = "What crosses from stage to stage";

/// A time in milliseconds, set by a slider in quarters of one.
const fn time(name: &'static str, doc: &'static str, min: f64, default: &'static str) -> Declaration {
    let from = if min > 0.0 { 0.25 } else { 0.0 };
    real(name, doc, [min, 1000.0], default)
        .format(|v| format!("{} ms", number(v)))
        .each(Unit::Seconds, 1e-3)
        .slider(Scale::Linear { min: from, max: 4.0, step: 0.25 })
        .more(TIMES)
}

impl Model for Params {
    type Result = Timeline;
    const ID: &'static str = "pipeline-timeline";
    const TITLE: &'static str = "Pipeline timeline";
    const SUMMARY: &'static str =
        "Who computes what when in a pipeline of devices, where they wait, and what they keep meanwhile.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("schedule", "order of the work", Schedule::LIST, "1f1b")
            .label("Schedule")
            .main()
            .at(|p| p.schedule.slot()),
        whole("stages", "pipeline stages, a device each", [1, MAX_STAGES as u64], "4")
            .label("Stages")
            .steps(1.0)
            .main()
            .at(|p| p.stages.slot()),
        whole("microbatches", "micro-batches per step", [1, MAX_MICROBATCHES as u64], "8")
            .label("Micro-batches")
            .format(|v| grouped(v as u64))
            .slider(Scale::Quarters(2, 9))
            .main()
            .at(|p| p.microbatches.slot()),
        whole("chunks", "chunks of the model on a device, if interleaved", [1, MAX_CHUNKS as u64], "2")
            .label("Chunks per device")
            .steps(1.0)
            .at(|p| p.chunks.slot()),
        time("t-f", "forward pass of a micro-batch through a device, in ms", 1e-6, "1")
            .label("Forward")
            .at(|p| p.forward.slot()),
        time("t-b", "gradient of its input, in ms", 1e-6, "1").label("Backward, input").at(|p| p.input.slot()),
        time("t-w", "gradient of its weights, in ms", 0.0, "1").label("Backward, weights").at(|p| p.weight.slot()),
        time("t-comm", "latency between devices, in ms", 0.0, "0").label("Latency").at(|p| p.latency.slot()),
        whole(
            "width",
            "width of the model, from which a message’s bytes and latency follow; 0 to take t-comm",
            [0, 1_000_000],
            "0",
        )
        .label("Hidden size")
        .format(|n| if n > 0.0 { grouped(n as u64) } else { "latency as given".to_owned() })
        .slider(Scale::FromZero(15))
        .more(BOUNDARY)
        .at(|p| p.width.slot()),
        whole("tokens", "tokens of a micro-batch", [1, 100_000_000], "4096")
            .label("Tokens per micro-batch")
            .doubling(17)
            .more(BOUNDARY)
            .at(|p| p.tokens.slot()),
        whole("tp", "tensor-parallel ranks of a stage", [1, 256], "8")
            .label("Tensor-parallel ranks")
            .doubling(6)
            .more(BOUNDARY)
            .at(|p| p.tensor.slot()),
        choice("share", "how tensor-parallel ranks share the sending", Share::LIST, "whole")
            .label("Ranks share sends")
            .more(BOUNDARY)
            .at(|p| p.share.slot()),
        choice("net", "link between stages, a port for each GPU", links::BETWEEN_LIST, "ndr")
            .label("Link between stages")
            .more(BOUNDARY)
            .at(|p| p.net.slot()),
        choice("link", "link between the tensor-parallel ranks", links::INSIDE_LIST, "nvlink4")
            .label("Link within a stage")
            .more(BOUNDARY)
            .at(|p| p.link.slot()),
        whole("slow-stage", "device that is slower, from 0", [0, MAX_STAGES as u64 - 1], "0")
            .label("Slow device")
            .steps(1.0)
            .more(SLOW)
            .at(|p| p.slow_stage.slot()),
        real("slow-by", "how many times as long it takes", [1.0, 10.0], "1")
            .label("Slow device’s slowdown")
            .format(|v| format!("{} ×", number(v)))
            .slider(Scale::Linear { min: 1.0, max: 4.0, step: 0.1 })
            .more(SLOW)
            .at(|p| p.slow_by.slot()),
        choice("compare", "a second schedule beside it", BESIDE, NONE)
            .label("Compared with")
            .main()
            .at(|p| p.compare.slot()),
        switch("path", "whether the critical path stands out", false)
            .label("Highlight")
            .labels(&["All blocks", "Critical path"])
            .at(|p| p.path.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["chunks"], |p| [Some(p.schedule), p.compare].contains(&Some(Schedule::Interleaved)))];
    const ORIGIN: Origin = Origin::Of(
        "Huang et al. 2019 (GPipe), arXiv:1811.06965; Harlap et al. 2018 (PipeDream), arXiv:1806.03377; Narayanan et al. 2021, arXiv:2104.04473, §2.2; Qi et al. 2024, arXiv:2401.10241 and arXiv:2405.15362; DeepSeek-AI’s dualpipev.py; simulated block by block",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Of("Narayanan et al. 2021, arXiv:2104.04473, §2.2.1"), &["bubble-fraction", "ideal-time"]),
        origin(
            Origin::Of("Harlap et al. 2018 (PipeDream), arXiv:1806.03377, §3"),
            &["step-interval", "interval-bubble", "weight-versions"],
        ),
        origin(
            Origin::Of(
                "Narayanan et al. 2021, arXiv:2104.04473, §3.2 and §4.1: bsh numbers per transfer, scattered and gathered over tensor-parallel ranks",
            ),
            &["message", "boundary-bytes", "boundary-sent", "messages"],
        ),
    ];
    const QUANTITIES: &'static [Measure<Self, Timeline>] = &[
        headline(
            "From the first forward pass to the last backward pass of a step.",
            measure("makespan", "Makespan", Unit::Seconds, |_, t| t.makespan() / 1e3),
        ),
        headline(
            "The share of the stages’ time without work.",
            measure("bubble-fraction", "Bubble fraction", Unit::Fraction, |_, t| t.idle_share(t.makespan())),
        ),
        measure("ideal-time", "Ideal time", Unit::Seconds, |_, t| t.ideal() / 1e3),
        doc(
            "The time from one step to the next if the pipeline is never emptied.",
            measure("step-interval", "Step interval without a flush", Unit::Seconds, |_, t| t.interval() / 1e3),
        ),
        measure("interval-bubble", "Bubble fraction without a flush", Unit::Fraction, |_, t| {
            t.idle_share(t.interval())
        }),
        headline(
            "Micro-batches whose activations the fullest stage holds.",
            measure("peak-in-flight", "Peak micro-batches in flight", Unit::Count, |_, t| t.worst_peak()),
        ),
        measure("weight-versions", "Peak weight versions", Unit::Count, |p, t| p.versions(t)),
        measure("message", "Transfer time between stages", Unit::Seconds, |p, _| p.message() / 1e3),
        measure("boundary-bytes", "Bytes per transfer", Unit::Bytes, |p, _| p.boundary().bytes),
        measure("boundary-sent", "Bytes per transfer over one GPU’s port", Unit::Bytes, |p, _| p.boundary().sent),
        measure("messages", "Transfers per step, inner stage", Unit::Count, |p, t| p.messages(t)),
    ];

    fn evaluate(&self) -> Result<Timeline, String> {
        self.timeline(self.schedule).map_err(|fault| fault.to_string())
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let last = self.stages.saturating_sub(1);
        if self.slow_stage > last {
            reader.problem("slow-stage", format!("slow-stage must be less than stages; {last} is used."));
            self.slow_stage = last;
        }
    }

    fn follow(&mut self, _before: &Self) {
        self.slow_stage = self.slow_stage.min(self.stages.saturating_sub(1));
    }
}

impl Params {
    /// What `schedule` runs on with these parameters.
    pub fn fleet(&self, schedule: Schedule) -> Fleet {
        Fleet {
            devices: self.stages.clamp(1, MAX_STAGES),
            chunks: schedule.chunks(self.chunks.clamp(1, MAX_CHUNKS)),
            microbatches: self.microbatches.clamp(1, MAX_MICROBATCHES),
            placement: schedule.placement(),
        }
    }

    /// A message from one stage to the next.
    pub fn boundary(&self) -> Boundary {
        let &Self { tokens, width, tensor, share, net, link, .. } = self;
        Boundary::new(tokens as f64, width as f64, tensor as f64, share, net, link)
    }

    /// What a message takes, in milliseconds: as given, or from its bytes.
    pub fn message(&self) -> f64 {
        if self.width > 0 { self.boundary().seconds * 1e3 } else { self.latency }
    }

    /// Messages that a device between two others sends in a step: activations forward and gradients back, for each of its chunks.
    fn messages(&self, timeline: &Timeline) -> f64 {
        let fleet = timeline.fleet;
        if fleet.devices < 2 { 0.0 } else { 2.0 * f64::from(fleet.microbatches) * f64::from(fleet.chunks) }
    }

    /// How long things take.
    pub fn costs(&self) -> Costs {
        let mut factors = vec![1.0; self.stages.clamp(1, MAX_STAGES) as usize];
        if let Some(slow) = factors.get_mut(self.slow_stage as usize) {
            *slow = self.slow_by;
        }
        let &Self { forward, input, weight, .. } = self;
        let latency = self.message();
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

    /// The most versions of the weights that a device keeps in the timeline of [`Params::schedule`].
    fn versions(&self, timeline: &Timeline) -> f64 {
        if self.schedule != Schedule::PipeDream {
            return 1.0;
        }
        f64::from((0..timeline.fleet.devices).map(|device| timeline.versions(device)).max().unwrap_or(1))
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
        let (whole, interval) = (timeline.makespan(), timeline.interval());
        let percent = Unit::Fraction.format(timeline.idle_share(whole));
        let seconds = |milliseconds: f64| Unit::Seconds.format(milliseconds / 1e3);
        let mut text = format!(
            "{} takes {} for {} of work on the busiest device: the devices are idle {percent} of the time and keep at most \
             {}.",
            self.schedule.label(),
            seconds(whole),
            seconds(timeline.ideal()),
            named(&number(timeline.worst_peak()), "micro-batch", "micro-batches"),
        );
        if self.schedule == Schedule::PipeDream {
            let versions = number(self.versions(timeline));
            text += &format!(
                " Filling and draining are paid once for the whole stream, not once a step; the price is {versions} versions of \
                 the weights."
            );
        } else if whole - interval > whole * 1e-9 {
            text += &format!(
                " Without a barrier between steps, one follows another every {}, of which {} is idle.",
                seconds(interval),
                Unit::Fraction.format(timeline.idle_share(interval))
            );
        }
        if let (Some(compare), Some(other)) = (self.compare, other) {
            text += &self.beside(timeline, compare, other);
        }
        text
    }
}
