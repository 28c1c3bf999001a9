//! The roofline: what limits an operation on a machine, and how far away the limit is.
//!
//! [`layer`] has the operations of a transformer layer, `roof` the model of a machine, [`own`] what is measured on the
//! learner's. [`Params`] puts them together.

pub mod layer;
pub mod own;
pub(crate) mod roof;

pub use roof::Roof;

use crate::declare::{
    Applies, Declaration, Field, List, Measure, Model, Origin, Origins, Param, Slot, applies, choice, headline, join,
    measure, one_of, origin, ridge, switch, when, whole, within, words,
};
use crate::hardware::{self, Accelerator};
use crate::kernels::RUN;
use crate::model::ModelRef;
use crate::model::reference;
use crate::quantity::{Unit, number, unbroken};
use crate::query::{Query, Reader};
use layer::{Load, Operation, Phase};

/// The GPUs whose roofs are always drawn.
pub const BESIDE: [&str; 3] = ["a100-80", "h100-80", "b200"];

/// The largest side of a product, and the most tokens and sequences.
pub const MAX: u64 = 1 << 20;

/// Every operation that can be looked at: those of a layer, a product of any size, and any kernel.
const OPERATIONS: [&str; 20] = [
    "norm-1",
    "qkv",
    "indexer",
    "attention",
    "scores",
    "softmax",
    "values",
    "out",
    "mixer",
    "residual-1",
    "norm-2",
    "router",
    "latent-in",
    "mlp-up",
    "activation",
    "mlp-down",
    "latent-out",
    "residual-2",
    PRODUCT,
    KERNEL,
];
/// The one of any size.
pub const PRODUCT: &str = "product";
/// Any kernel, by what it computes and moves.
pub const KERNEL: &str = "kernel";

/// The model that is meant if none is given.
const MODEL: &str = "llama-3-8b";

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// The model whose layer it is.
    pub model: ModelRef,
    /// What goes through the layer.
    pub load: Load,
    /// The operation that is looked at.
    pub op: Chosen,
    /// The product of any size: m, n, k.
    pub sizes: [u64; 3],
    /// Any kernel: its FLOPs, and the bytes that it moves.
    pub kernel: [u64; 2],
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Whether this machine's roof is to be measured as the page opens.
    pub run: bool,
}

/// The name of an operation, out of all that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chosen(pub &'static str);

one_of!(Chosen, OPERATIONS);

/// A size of the product of any size.
const fn side(name: &'static str, doc: &'static str, label: &'static str) -> Declaration {
    whole(name, doc, [1, MAX], "4096").label(label).doubling(14).more("Your product")
}

/// What any kernel computes or moves.
const fn amount(name: &'static str, doc: &'static str, label: &'static str) -> Declaration {
    whole(name, doc, [1, 1_000_000_000_000_000_000], "1000000").label(label).more("Your kernel")
}

const OWN: [Param<Params>; 13] = [
    reference::MODEL.default(MODEL).label("Layer from").more("Model").own_control(),
    choice(
        "phase",
        "prefill: all tokens at once, as in training; decode: one more token of each sequence",
        Phase::LIST,
        "prefill",
    )
    .label("Phase")
    .main()
    .at(|p: &mut Params| p.load.phase.slot()),
    whole("seq", "tokens of a sequence, or in its cache", [1, MAX], "4096")
        .label("Sequence length, tokens")
        .doubling(17)
        .main()
        .at(|p: &mut Params| p.load.seq.slot()),
    whole("batch", "sequences", [1, MAX], "1")
        .label("Sequences")
        .doubling(12)
        .main()
        .at(|p: &mut Params| p.load.batch.slot()),
    switch("flash", "whether attention is fused", true)
        .label("Attention")
        .labels(&["three kernels", "fused"])
        .at(|p: &mut Params| p.load.flash.slot()),
    choice(
        "op",
        "the operation that is looked at; what a layer has not is attention, or queries times keys",
        List { ids: &OPERATIONS, labels: &OPERATIONS },
        "mlp-up",
    )
    .drawn()
    .at(|p: &mut Params| p.op.slot()),
    choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").main().at(|p: &mut Params| p.gpu.slot()),
    side("m", "rows of the product", "Rows: m").at(|p: &mut Params| p.sizes[0].slot()),
    side("n", "columns of the product", "Columns: n").at(|p: &mut Params| p.sizes[1].slot()),
    side("k", "terms of each of its elements", "Terms of each element: k").at(|p: &mut Params| p.sizes[2].slot()),
    amount("flop", "floating-point operations of a kernel", "FLOPs").at(|p: &mut Params| p.kernel[0].slot()),
    amount("bytes", "bytes that the kernel moves to and from memory", "Bytes moved")
        .at(|p: &mut Params| p.kernel[1].slot()),
    RUN.at(|p: &mut Params| Slot::Whole(&mut p.run)),
];

impl Model for Params {
    type Result = Placed;
    const ID: &'static str = "roofline";
    const TITLE: &'static str = "The roofline";
    const SUMMARY: &'static str =
        "What limits each operation of a layer, arithmetic or memory, on a GPU of your choice and on your own.";
    const PARAMS: &'static [Param<Self>] = &join::<_, { OWN.len() + reference::OWN }>(&[&OWN, &reference::own()]);
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["m", "n", "k"], |p| p.op.0 == PRODUCT), applies(&["flop", "bytes"], |p| p.op.0 == KERNEL)];
    const ORIGIN: Origin = roof::ORIGIN;
    const ORIGINS: &'static [Origins] = &[
        origin(
            layer::ORIGIN,
            &["flops", "bytes", "layer-time", "memory-bound-time", "memory-bound-flops", "layer-share-of-peak"],
        ),
        origin(crate::hardware::ORIGIN, &["bandwidth", "peak"]),
        origin(Origin::Rows, &["intensity", "share-of-peak"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Placed>] = &[
        measure("flops", "Work", Unit::Flop, |_, p| p.chosen.flop),
        measure("bytes", "Minimum bytes moved", Unit::Bytes, |_, p| p.chosen.bytes),
        ridge(
            |_, p| p.roof.ridge(),
            headline(
                "FLOPs over the bytes that must move. Above the ridge point, the operation is compute bound.",
                measure("intensity", "Arithmetic intensity, FLOP/byte", Unit::Ratio, |_, p| p.chosen.intensity()),
            ),
        ),
        measure("ridge", "Ridge point", Unit::Ratio, |_, p| p.roof.ridge()),
        within(
            |_, p| p.roof.peak,
            headline(
                "What the roof allows at this intensity.",
                measure("attainable", "Attainable FLOP/s", Unit::FlopPerSecond, |_, p| {
                    p.roof.attainable(p.chosen.intensity())
                }),
            ),
        ),
        measure("share-of-peak", "Share of peak", Unit::Fraction, |_, p| {
            p.roof.attainable(p.chosen.intensity()) / p.roof.peak
        }),
        headline(
            "No kernel is faster for this work on this GPU.",
            measure("time", "Minimum time", Unit::Seconds, |_, p| p.roof.time(&p.chosen)),
        ),
        words(
            &["Memory", "Compute"],
            headline(
                "What limits the operation: memory bandwidth or arithmetic.",
                measure("compute-bound", "Bound by", Unit::Count, |_, p| {
                    f64::from(u8::from(p.roof.is_compute_bound(&p.chosen)))
                }),
            ),
        ),
        when(
            |_, p| p.chosen.weights.is_some(),
            headline(
                "From this many tokens on, arithmetic limits the product instead of reading the weights.",
                measure("ridge-rows", "Tokens to become compute bound", Unit::Count, |_, p| {
                    p.chosen.weights.map_or(0.0, |weights| p.roof.ridge_rows(weights))
                }),
            ),
        ),
        measure("layer-time", "Layer time", Unit::Seconds, |_, p| p.time()),
        measure("layer-share-of-peak", "Layer’s share of peak", Unit::Fraction, |_, p| {
            p.layer.iter().map(|o| o.flop).sum::<f64>() / p.roof.peak / p.time()
        }),
        measure("memory-bound-time", "Memory-bound share of layer time", Unit::Fraction, |_, p| {
            p.memory_bound(|operation| p.roof.time(operation))
        }),
        measure("memory-bound-flops", "Memory-bound share of layer FLOPs", Unit::Fraction, |_, p| {
            p.memory_bound(|operation| operation.flop)
        }),
        measure("bandwidth", "GPU bandwidth", Unit::BytesPerSecond, |_, p| p.roof.bandwidth),
        measure("peak", "GPU peak", Unit::FlopPerSecond, |_, p| p.roof.peak),
    ];

    fn evaluate(&self) -> Result<Placed, String> {
        self.model.sound()?;
        Ok(Placed::new(self))
    }

    fn unplaced(&self) -> Query {
        self.model.query()
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        self.model = ModelRef::read_shape(reader, MODEL);
        *self = self.with_flash(self.load.flash);
    }

    fn follow(&mut self, _before: &Self) {
        *self = self.with_flash(self.load.flash);
    }
}

impl Params {
    /// The same with fused attention or without, looking at what is there.
    pub fn with_flash(&self, flash: bool) -> Self {
        let op = match (self.op.0, flash) {
            ("scores" | "softmax" | "values", true) => "attention",
            ("attention", false) => "scores",
            (op, _) => op,
        };
        Self { op: Chosen(op), load: Load { flash, ..self.load }, ..*self }
    }

    /// What is no operation of the layer: any kernel, or the product of any size.
    pub fn other(&self, id: &str) -> Operation {
        let [flop, bytes] = self.kernel.map(|n| n as f64);
        match id {
            KERNEL => Operation { id: KERNEL, label: "Your kernel", flop, bytes, weights: None },
            _ => Operation::product(PRODUCT, "Your product", self.sizes.map(|size| size as f64)),
        }
    }
}

/// A layer's operations on a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The parameters.
    pub params: Params,
    /// The roof of the GPU.
    pub roof: Roof,
    /// The operations of the layer, in the order in which they run.
    pub layer: Vec<Operation>,
    /// The operation that is looked at.
    pub chosen: Operation,
}

impl Placed {
    /// Places the operations.
    pub fn new(params: &Params) -> Self {
        let layer = params.model.shape().map_or_else(Vec::new, |shape| layer::operations(shape, &params.load));
        let chosen = layer.iter().find(|operation| operation.id == params.op.0).copied();
        Self {
            params: *params,
            roof: Roof::of(params.gpu),
            layer,
            chosen: chosen.unwrap_or_else(|| params.other(params.op.0)),
        }
    }

    /// Seconds that the layer takes at least, each operation after the other.
    pub fn time(&self) -> f64 {
        self.layer.iter().map(|operation| self.roof.time(operation)).sum()
    }

    /// The share that memory-bound operations have of what `look` says.
    fn memory_bound(&self, look: impl Fn(&Operation) -> f64) -> f64 {
        let bound: f64 = self.layer.iter().filter(|o| !self.roof.is_compute_bound(o)).map(&look).sum();
        bound / self.layer.iter().map(&look).sum::<f64>()
    }

    /// Which limit applies to the operation, what would move it, and what that makes of the layer, in sentences.
    pub fn finding(&self) -> String {
        let (chosen, roof) = (&self.chosen, &self.roof);
        let gpu = self.params.gpu.name;
        let rate = |r: f64| unbroken(&Unit::FlopPerSecond.format(r));
        let intensity = chosen.intensity();
        let place = format!(
            "{} does {} FLOP per byte, and the ridge point of {gpu} is {}",
            chosen.label,
            number(intensity),
            number(roof.ridge())
        );
        let verdict = if roof.is_compute_bound(chosen) {
            format!("it is compute bound. At best it takes {}", unbroken(&Unit::Seconds.format(roof.time(chosen))))
        } else {
            let share = Unit::Fraction.format(roof.attainable(intensity) / roof.peak);
            let rows = chosen.weights.map_or(0.0, |weights| roof.ridge_rows(weights));
            let cure = if rows > 0.0 {
                format!("; from {} rows on arithmetic would limit it", number(rows))
            } else {
                String::new()
            };
            format!(
                "it is memory bound. However good its kernel, it gets {} of {}, {share}{cure}",
                rate(roof.attainable(intensity)),
                rate(roof.peak)
            )
        };
        format!(
            "{place}: {verdict}. {} of the layer’s time is memory bound, with {} of its work.",
            Unit::Fraction.format(self.memory_bound(|operation| roof.time(operation))),
            Unit::Fraction.format(self.memory_bound(|operation| operation.flop))
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    fn placed(query: &str) -> Placed {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        assert_eq!(Params::read(&params.query()), (params, vec![]));
        Placed::new(&params)
    }

    fn quantity(placed: &Placed, id: &str) -> f64 {
        let all = placed.params.quantities(placed);
        all.iter().find(|q| q.id == id).map_or(f64::NAN, |q| q.value)
    }

    #[test]
    fn any_kernel_lies_where_its_flops_and_bytes_say() {
        let kernel = placed("op=kernel&flop=8000000&bytes=1000000");
        assert_eq!(quantity(&kernel, "intensity"), 8.0);
        assert_eq!((quantity(&kernel, "compute-bound"), kernel.chosen.label), (0.0, "Your kernel"));
    }

    #[test]
    fn prefill_is_compute_bound_and_decoding_is_not() {
        let prefill = placed("");
        assert_eq!(quantity(&prefill, "compute-bound"), 1.0);
        assert!(quantity(&prefill, "memory-bound-flops") < 0.01);
        let decode = placed("phase=decode");
        assert_eq!((quantity(&decode, "compute-bound"), quantity(&decode, "memory-bound-time")), (0.0, 1.0));
        // One token reads every weight once: two operations for two bytes.
        assert!((quantity(&decode, "intensity") - 1.0).abs() < 0.01);
        assert!(decode.finding().contains("it is memory bound."), "{}", decode.finding());
    }

    #[test]
    fn a_batch_of_some_hundred_makes_decoding_compute_bound() {
        let rows = quantity(&placed("phase=decode"), "ridge-rows");
        assert!((300.0..350.0).contains(&rows), "{rows}");
        let at = |batch: f64| quantity(&placed(&format!("phase=decode&batch={batch}")), "compute-bound");
        assert_eq!((at(rows - 1.0), at(rows)), (0.0, 1.0));
    }

    #[test]
    fn what_a_layer_has_not_is_replaced_by_what_it_has() {
        assert_eq!(placed("op=softmax").params.op.0, "attention");
        assert_eq!(placed("op=attention&flash=false").params.op.0, "scores");
        assert_eq!(quantity(&placed("op=product&m=64&n=64&k=64"), "intensity"), 64.0 / 3.0);
    }
}
