//! The parameters, and the model in the catalogue.

use super::{Run, Work, run};
use crate::declare::{
    Applies, Field, Measure, Model, Origin, Origins, Param, Scale, applies, choice, doc, headline, measure, origin,
    real, whole,
};
use crate::options;
use crate::quantity::{Unit, number, plural};

/// A kind of machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Cores with SIMD lanes and one memory, half of it beside each socket.
    Cpu,
    /// Warps, and one memory.
    #[default]
    Gpu,
    /// A square of cells through which activations march.
    Systolic,
    /// Nodes that share nothing.
    Nodes,
}

options!(Kind {
    Cpu: "cpu", "CPU cores";
    Gpu: "gpu", "GPU warps";
    Systolic: "systolic", "systolic array";
    Nodes: "nodes", "nodes";
});

/// Who touched the memory first, and so has it beside him.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Touch {
    /// Each core its own part.
    #[default]
    Each,
    /// One thread all of it: half of the cores are on the other socket.
    One,
}

options!(Touch {
    Each: "each", "each its own part";
    One: "one", "one thread, all of it";
});

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Params {
    /// The machine.
    pub machine: Kind,
    /// The computation.
    pub work: Work,
    /// Elements of a vector, cells, vertices.
    pub n: u64,
    /// Rows and columns of the matrices of a product.
    pub side: u64,
    /// Cores, warps, nodes.
    pub units: u64,
    /// Lanes of a unit; rows and columns of the array.
    pub lanes: u64,
    /// Who touched the memory first.
    pub touch: Touch,
    /// A step with memory of the other socket takes as long as so many with near memory.
    pub remote: f64,
    /// A message takes as long as so many steps, however short it is.
    pub latency: f64,
    /// Steps that have been done.
    pub step: u64,
}

impl Params {
    /// Elements, or the side of a product.
    pub fn elements(&self) -> usize {
        (if self.work == Work::Product { self.side } else { self.n }) as usize
    }

    /// What comes of it, in sentences.
    pub fn finding(&self, run: &Run) -> String {
        let busy = Unit::Fraction.format(run.utilisation());
        let mut text = format!(
            "The run makes {} in the time of {} with near memory; its lanes are busy {busy} of that time.",
            plural(&run.steps.len().to_string(), "step"),
            plural(&number(run.time()), "step")
        );
        if run.masked() > 0.0 {
            text += &format!(" {} times a lane had no part in what its unit did.", number(run.masked()));
        }
        if run.far() > 0.0 {
            text += &format!(
                " {} of {} bytes lie beside the other socket.",
                number(run.far()),
                number(run.far() + run.near())
            );
        }
        if run.messages() > 0.0 {
            text += &format!(" {} messages carry {} bytes.", number(run.messages()), number(run.sent()));
        }
        text
    }
}

impl Model for Params {
    type Result = Run;
    const ID: &'static str = "parallel-machines";
    const TITLE: &'static str = "Four machines, one computation";
    const SUMMARY: &'static str = "A vector update, a product, a stencil, a sum and a graph walk, step by step on cores with lanes, on warps, \
                                   on a systolic array and on nodes.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("work", "computation", Work::LIST, "update").label("Computation").main().at(|p| p.work.slot()),
        choice("machine", "machine", Kind::LIST, "gpu").label("Machine").main().at(|p| p.machine.slot()),
        whole("n", "elements of a vector, cells, vertices", [1, 128], "100")
            .label("Elements")
            .slider(Scale::Linear { min: 1.0, max: 128.0, step: 1.0 })
            .main()
            .at(|p| p.n.slot()),
        whole("side", "rows and columns of the matrices of a product", [1, 16], "8")
            .label("Rows and columns")
            .steps(1.0)
            .at(|p| p.side.slot()),
        whole("units", "cores, warps or nodes", [1, 16], "4")
            .label("Cores, warps, nodes")
            .doubling(4)
            .at(|p| p.units.slot()),
        whole("lanes", "lanes of each; rows and columns of the array", [1, 32], "32")
            .label("Lanes per core, warp or node")
            .doubling(5)
            .main()
            .at(|p| p.lanes.slot()),
        choice("touch", "who touched the memory of the cores first", Touch::LIST, "each")
            .label("First touch by")
            .more("Memory and messages")
            .at(|p| p.touch.slot()),
        real("remote", "a step with memory of the other socket, in steps with near memory", [1.0, 100.0], "1.6")
            .label("Far-to-near memory latency")
            .more("Memory and messages")
            .at(|p| p.remote.slot()),
        real("latency", "a message, in steps, however short it is", [0.0, 1e6], "20")
            .label("Message time, steps")
            .more("Memory and messages")
            .at(|p| p.latency.slot()),
        whole("step", "steps that have been done", [0, 100_000], "0").drawn().quiet().at(|p| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["n"], |p| p.work != Work::Product),
        applies(&["side"], |p| p.work == Work::Product),
        applies(&["units"], |p| p.machine != Kind::Systolic),
    ];
    const ORIGIN: Origin = Origin::Own(
        "one computation executed on four machine shapes; shapes from the Intel Intrinsics Guide, the CUDA programming guide, Jouppi et al. 2017, arXiv:1704.04760, and Norrie et al. 2021, IEEE Micro 41(2)",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["utilisation", "speedup", "parallelism"]),
        origin(Origin::Of("Brent 1974, JACM 21(2): work and span"), &["span", "needed"]),
        origin(Origin::Controls, &["lanes-in-all"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Run>] = &[
        measure("steps", "Steps", Unit::Count, |_, r| r.steps.len() as f64),
        headline(
            "Steps, of which each lasts as long as its slowest memory access.",
            measure("time", "Time, in near-memory steps", Unit::Ratio, |_, r| r.time()),
        ),
        headline(
            "The share of lane steps that compute.",
            measure("utilisation", "Lane utilization", Unit::Fraction, |_, r| r.utilisation()),
        ),
        headline(
            "The time on one lane over the time on this machine.",
            measure("speedup", "Speedup over one lane", Unit::Ratio, |_, r| r.speedup()),
        ),
        measure("lanes-in-all", "Total lanes", Unit::Count, |_, r| (r.units * r.lanes) as f64),
        measure("masked", "Masked lane steps", Unit::Count, |_, r| r.masked()),
        measure("near", "Bytes from near memory", Unit::Bytes, |_, r| r.near()),
        headline(
            "Bytes that come from memory that is slow to reach.",
            measure("far", "Bytes from far memory", Unit::Bytes, |_, r| r.far()),
        ),
        measure("messages", "Messages", Unit::Count, |_, r| r.messages()),
        measure("sent", "Bytes sent", Unit::Bytes, |_, r| r.sent()),
        measure("needed", "Work, multiply–adds", Unit::Count, |_, r| r.needed),
        doc(
            "The longest chain of operations that depend on each other.",
            measure("span", "Span, multiply–adds", Unit::Count, |p, _| p.work.span(p.elements())),
        ),
        headline(
            "No number of lanes speeds the work up by more.",
            measure("parallelism", "Parallelism: work over span", Unit::Ratio, |p, r| {
                r.needed / p.work.span(p.elements())
            }),
        ),
    ];

    fn evaluate(&self) -> Result<Run, String> {
        Ok(run::run(self))
    }

    fn follow(&mut self, _before: &Self) {
        self.step = 0;
    }
}
