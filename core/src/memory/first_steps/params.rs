//! The parameters, and the model in the catalogue.

use super::measured;
use super::{Course, Params, course};
use crate::declare::{
    Aim, Decision, Field as _, Measure, Model, Origin, Origins, Param, Takes, all_apart, choice, doc, headline, join,
    lever, lever_of, measure, origin, real, when, whole, within, words,
};
use crate::memory::activations::{FLASH, GPU, MBS, RECOMPUTE, SEQ};
use crate::memory::breakdown::MAX_DP;
use crate::memory::{Convention, Layout};
use crate::model::shape::SPECS as SHAPE;
use crate::model::{ModelRef, reference};
use crate::quantity::{Unit, grouped, number};
use crate::query::{Query, Reader};

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";
const STATES: &str = "Model states";
const KEPT: &str = "Activations";
const LATER: &str = "Much later";

const OWN: [Param<Params>; 11] = [
    reference::MODEL.default(MODEL).own_control(),
    SEQ.main().at(|p: &mut Params| p.run.seq.slot()),
    MBS.more(KEPT).at(|p: &mut Params| p.run.mbs.slot()),
    whole("zero", "ZeRO stage", [0, 3], "3")
        .takes(Takes::Zero)
        .label("ZeRO stage")
        .steps(1.0)
        .main()
        .at(|p: &mut Params| p.run.zero.slot()),
    whole("dp", "data-parallel ranks", [1, MAX_DP], "8")
        .takes(Takes::Data)
        .label("Data-parallel ranks")
        .doubling(12)
        .main()
        .at(|p: &mut Params| p.run.dp.slot()),
    RECOMPUTE.more(KEPT).at(|p: &mut Params| p.run.recompute.slot()),
    FLASH.default("true").more(KEPT).at(|p: &mut Params| p.run.flash.slot()),
    choice(
        "convention",
        "whose way of counting: the ZeRO paper’s, DeepSpeed’s, Megatron-LM’s",
        Convention::LIST,
        "zero",
    )
    .label("Counting convention")
    .more(STATES)
    .at(|p: &mut Params| p.run.convention.slot()),
    GPU.more("Hardware").at(|p: &mut Params| p.run.gpu.slot()),
    whole("late", "tokens of the longest sequence, at step 3,000; 0 for none longer", [0, 1_000_000], "0")
        .label("Longest later sequence")
        .format(|n| if n > 0.0 { grouped(n as u64) } else { "none longer".to_owned() })
        .slider(crate::declare::Scale::FromZero(17))
        .more(LATER)
        .at(|p: &mut Params| p.late.slot()),
    real(
        "reserved",
        "what the allocator reserves by then beyond what is allocated, in percent of it",
        [0.0, 100.0],
        "5",
    )
    .label("Reserved beyond allocated, percent")
    .each(Unit::Fraction, 0.01)
    .format(number)
    .steps(1.0)
    .more(LATER)
    .at(|p: &mut Params| p.reserved.slot()),
];

impl Model for Params {
    type Result = Course;
    const ID: &'static str = "first-steps";
    const TITLE: &'static str = "The first steps of a run";
    const SUMMARY: &'static str = "What a GPU holds through the first four steps and at step 3,000: which of three moments runs out of memory, with measured peaks.";
    const PARAMS: &'static [Param<Self>] =
        &join::<_, 54>(&[&OWN, &Layout::splits(), &[reference::GUESS.apart()], &all_apart(&SHAPE)]);
    const ORIGIN: Origin = Origin::Own(
        "memory-breakdown’s states and activations in the order in which PyTorch allocates them (torch/optim/adam.py, _init_group)",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(crate::memory::convention::ORIGIN, &["loaded", "moments"]),
        origin(crate::hardware::ORIGIN, &["capacity"]),
        origin(Origin::Rows, &["peak", "most", "dies"]),
        origin(crate::memory::overhead::ORIGIN, &["late-allocated", "late-reserved"]),
        origin(super::measured::ORIGIN, &["measured-allocated", "measured-reserved"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Course>] = &[
        measure("loaded", "Memory after loading", Unit::Bytes, |_, c| c.loaded()),
        headline(
            "Before the optimizer has any states.",
            measure("step-1-passes", "Peak of step 1, forward and backward", Unit::Bytes, |_, c| c.passes(1)),
        ),
        headline(
            "When Adam creates its moments.",
            measure("step-1-update", "Peak of step 1, optimizer update", Unit::Bytes, |_, c| c.update(1)),
        ),
        headline(
            "The first step with moments and activations together.",
            measure("step-2-passes", "Peak of step 2, forward and backward", Unit::Bytes, |_, c| c.passes(2)),
        ),
        measure("late-allocated", "Memory allocated at step 3,000", Unit::Bytes, |_, c| c.late()),
        headline(
            "With the fragmentation that has grown until then.",
            measure("late-reserved", "Memory reserved at step 3,000", Unit::Bytes, |_, c| c.late_reserved()),
        ),
        measure("moments", "Adam’s moments", Unit::Bytes, |_, c| {
            c.moments.last().map_or(0.0, |moment| moment.held.moments)
        }),
        within(|_, c| c.capacity.0, measure("peak", "Peak of the first steps", Unit::Bytes, |_, c| c.peak())),
        within(
            |_, c| c.capacity.0,
            doc(
                "The peak of the first steps or what is reserved at step 3,000, whichever is more.",
                measure("most", "Most memory of the run", Unit::Bytes, |_, c| c.peak().max(c.late_reserved())),
            ),
        ),
        measure("capacity", "GPU memory", Unit::Bytes, |_, c| c.capacity.0),
        words(
            &["Never", "Step 1, forward and backward", "Step 1, update", "Step 2", "By step 3,000"],
            headline(
                "The moment at which the run dies.",
                measure("dies", "Out of memory", Unit::Count, |_, c| f64::from(c.death())),
            ),
        ),
        when(
            |_, c| c.measured.is_some(),
            measure("measured-allocated", "Measured peak, allocated", Unit::Bytes, |_, c| {
                c.measured.map_or(0.0, |run| run.allocated().0)
            }),
        ),
        when(
            |_, c| c.measured.is_some(),
            measure("measured-reserved", "Measured peak, reserved", Unit::Bytes, |_, c| {
                c.measured.map_or(0.0, |run| run.reserved().0)
            }),
        ),
    ];

    const DECISION: Option<Decision> = Some(Decision {
        quantities: &["most"],
        aim: Aim::Within,
        judges: &[],
        words: ["The run goes out of memory", "The run fits in memory"],
        levers: &[
            lever_of("flash", &["true"], "It costs nothing: FlashAttention is also faster."),
            lever_of("zero", &["1", "2", "3"], "ZeRO-3 communicates 50% more; stages 1 and 2 don’t."),
            lever_of("recompute", &["selective", "full"], "It costs up to one more forward pass per step."),
            lever_of("mbs", &["1"], "Each step runs more micro-batches."),
            lever_of("dp", &["16", "32", "64", "128", "256"], "You need more GPUs."),
            lever("gpu", "It costs larger GPUs."),
            lever_of("tp", &["2", "4", "8"], "You need more GPUs and two all-reduces per layer in each pass."),
        ],
        not_counted: "Not counted: the CUDA context and communication buffers, one to several GB.",
    });

    fn evaluate(&self) -> Result<Course, String> {
        course(self)
    }

    fn translate(query: &mut Query) {
        crate::memory::translate_switches(query);
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.run.model = ModelRef::read_shape(reader, MODEL);
        self.run.counting = crate::memory::activations::Counting::Architecture;
    }

    fn unplaced(&self) -> Query {
        self.run.model.query()
    }
}

impl Params {
    /// The measured runs as states of the figure.
    pub fn presets() -> impl Iterator<Item = (&'static measured::Measured, String)> {
        measured::ALL.iter().map(|run| (run, run.query()))
    }
}
