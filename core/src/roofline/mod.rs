//! The roofline: what limits an operation on a machine, and how far away the limit is.
//!
//! [`layer`] has the operations of a transformer layer, `roof` the model of a machine, [`own`] what is measured on the
//! learner's. [`Params`] puts them together.

pub mod layer;
pub mod own;
mod roof;

pub use roof::Roof;

use crate::catalogue::{Entry, Evaluation, Measures, Parameters};
use crate::hardware::{self, Accelerator};
use crate::kernels::RUN;
use crate::model::presets::{self, Preset};
use crate::quantity::{Quantity, Unit, number, unbroken};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader};
use crate::scaling::MODELS;
use layer::{Load, Operation, Phase};

/// The GPUs whose roofs are always drawn.
pub const BESIDE: [&str; 3] = ["a100-80", "h100-80", "b200"];

/// The largest side of a product, and the most tokens and sequences.
pub const MAX: u64 = 1 << 20;

/// Every operation that can be looked at: those of a layer, and a product of any size.
const OPERATIONS: [&str; 14] = [
    "norm-1",
    "qkv",
    "attention",
    "scores",
    "softmax",
    "values",
    "out",
    "residual-1",
    "norm-2",
    "mlp-up",
    "activation",
    "mlp-down",
    "residual-2",
    PRODUCT,
];
/// The one of any size.
pub const PRODUCT: &str = "product";

/// The parameters of the model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// The model whose layer it is.
    pub model: &'static Preset,
    /// What goes through the layer.
    pub load: Load,
    /// The operation that is looked at.
    pub op: &'static str,
    /// The product of any size: m, n, k.
    pub sizes: [u64; 3],
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// Whether this machine's roof is to be measured as the page opens.
    pub run: bool,
}

const fn whole(name: &'static str, doc: &'static str, default: &'static str) -> ParamSpec {
    ParamSpec { name, doc, kind: Kind::Integer { min: 1, max: MAX }, default }
}

const PARAMS: &[ParamSpec] = &[
    ParamSpec { name: "model", doc: "the model", kind: Kind::Choice(&MODELS), default: "llama-3-8b" },
    ParamSpec {
        name: "phase",
        doc: "prefill: all tokens at once, as in training; decode: one more token of each sequence",
        kind: Kind::Choice(&["prefill", "decode"]),
        default: "prefill",
    },
    whole("seq", "tokens of a sequence, or in its cache", "4096"),
    whole("batch", "sequences", "1"),
    ParamSpec {
        name: "flash",
        doc: "whether attention is fused",
        kind: Kind::Choice(&["false", "true"]),
        default: "true",
    },
    ParamSpec {
        name: "op",
        doc: "the operation that is looked at; what a layer has not is attention, or queries times keys",
        kind: Kind::Choice(&OPERATIONS),
        default: "mlp-up",
    },
    ParamSpec { name: "gpu", doc: "the GPU", kind: Kind::Choice(&hardware::IDS), default: "h100-80" },
    whole("m", "rows of the product", "4096"),
    whole("n", "columns of the product", "4096"),
    whole("k", "terms of each of its elements", "4096"),
    RUN,
];

/// This model in the catalogue. What is measured is no quantity of it: that differs by machine.
pub const ENTRY: Entry = Entry {
    id: "roofline",
    title: "The roofline",
    summary: "What limits each operation of a layer, arithmetic or memory, on a GPU of your choice and on your own.",
    params: Parameters::Specs(PARAMS),
    quantities: Measures::List(&[
        ("flops", "Work", Unit::Flop),
        ("bytes", "Must be moved", Unit::Bytes),
        ("intensity", "FLOP for each byte", Unit::Ratio),
        ("ridge", "Ridge point", Unit::Ratio),
        ("attainable", "At best", Unit::FlopPerSecond),
        ("share-of-peak", "Of the peak", Unit::Fraction),
        ("time", "Takes at least", Unit::Seconds),
        ("compute-bound", "Compute bound: 1, memory bound: 0", Unit::Count),
        ("ridge-rows", "Tokens from which its product is compute bound; 0 for none", Unit::Count),
        ("layer-time", "The whole layer", Unit::Seconds),
        ("layer-share-of-peak", "of it at the peak", Unit::Fraction),
        ("memory-bound-time", "of it memory bound", Unit::Fraction),
        ("memory-bound-flops", "Work that is memory bound", Unit::Fraction),
        ("bandwidth", "Bandwidth of the GPU", Unit::BytesPerSecond),
        ("peak", "Peak of the GPU", Unit::FlopPerSecond),
    ]),
    evaluate: |query| {
        let (params, problems) = Params::read(query);
        let placed = Placed::new(&params);
        Evaluation::new(params.query(), problems, Ok(placed.quantities()))
    },
};

impl Params {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::new(PARAMS, query);
        let model = presets::find(reader.choice("model")).unwrap_or(&presets::ALL[0]);
        let phase = if reader.choice("phase") == "decode" { Phase::Decode } else { Phase::Prefill };
        let flash = reader.choice("flash") == "true";
        let op = reader.choice("op");
        let [seq, batch, m, n, k] = ["seq", "batch", "m", "n", "k"].map(|name| reader.integer(name).max(1));
        let gpu = hardware::find(reader.choice("gpu")).unwrap_or(&hardware::ALL[0]);
        let run = reader.integer("run") == 1;
        let load = Load { phase, seq, batch, flash };
        (Self { model, load, op, sizes: [m, n, k], gpu, run }.with_flash(flash), reader.finish())
    }

    /// The same with fused attention or without, looking at what is there.
    pub fn with_flash(&self, flash: bool) -> Self {
        let op = match (self.op, flash) {
            ("scores" | "softmax" | "values", true) => "attention",
            ("attention", false) => "scores",
            (op, _) => op,
        };
        Self { op, load: Load { flash, ..self.load }, ..*self }
    }

    /// The product of any size, as an operation.
    pub fn product(&self) -> Operation {
        Operation::product(PRODUCT, "Your product", self.sizes.map(|size| size as f64))
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let Load { phase, seq, batch, flash } = self.load;
        let mut query = Query::new([("model", self.model.id), ("phase", phase.id())]);
        query.set("seq", seq.to_string());
        query.set("batch", batch.to_string());
        query.set("flash", flash.to_string());
        query.set("op", self.op);
        query.set("gpu", self.gpu.id);
        for (name, size) in ["m", "n", "k"].into_iter().zip(self.sizes) {
            query.set(name, size.to_string());
        }
        query.set("run", if self.run { "1" } else { "0" });
        query
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
        let layer = layer::operations(&params.model.shape, &params.load);
        let chosen = layer.iter().find(|operation| operation.id == params.op).copied();
        Self { params: *params, roof: Roof::of(params.gpu), layer, chosen: chosen.unwrap_or_else(|| params.product()) }
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

    /// All quantities of [`ENTRY`].
    pub fn quantities(&self) -> Vec<Quantity> {
        ENTRY.measured(|id| self.quantity(id))
    }

    fn quantity(&self, id: &str) -> f64 {
        let (chosen, roof) = (&self.chosen, &self.roof);
        match id {
            "flops" => chosen.flop,
            "bytes" => chosen.bytes,
            "intensity" => chosen.intensity(),
            "ridge" => roof.ridge(),
            "attainable" => roof.attainable(chosen.intensity()),
            "share-of-peak" => roof.attainable(chosen.intensity()) / roof.peak,
            "time" => roof.time(chosen),
            "compute-bound" => f64::from(u8::from(roof.is_compute_bound(chosen))),
            "ridge-rows" => chosen.weights.map_or(0.0, |weights| roof.ridge_rows(weights)),
            "layer-time" => self.time(),
            "layer-share-of-peak" => self.layer.iter().map(|o| o.flop).sum::<f64>() / roof.peak / self.time(),
            "memory-bound-time" => self.memory_bound(|operation| roof.time(operation)),
            "memory-bound-flops" => self.memory_bound(|operation| operation.flop),
            "bandwidth" => roof.bandwidth,
            "peak" => roof.peak,
            _ => 0.0,
        }
    }

    /// Which limit applies to the operation, what would move it, and what that makes of the layer, in sentences.
    pub fn finding(&self) -> String {
        let (chosen, roof) = (&self.chosen, &self.roof);
        let gpu = self.params.gpu.name;
        let rate = |r: f64| unbroken(&Unit::FlopPerSecond.format(r));
        let intensity = chosen.intensity();
        let place = format!(
            "{} does {} FLOP for each byte, and {gpu} turns at {}",
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

    fn placed(query: &str) -> Placed {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, []);
        assert_eq!(Params::read(&params.query()), (params, vec![]));
        Placed::new(&params)
    }

    #[test]
    fn prefill_is_compute_bound_and_decoding_is_not() {
        let prefill = placed("");
        assert_eq!(prefill.quantity("compute-bound"), 1.0);
        assert!(prefill.quantity("memory-bound-flops") < 0.01);
        let decode = placed("phase=decode");
        assert_eq!((decode.quantity("compute-bound"), decode.quantity("memory-bound-time")), (0.0, 1.0));
        // One token reads every weight once: two operations for two bytes.
        assert!((decode.quantity("intensity") - 1.0).abs() < 0.01);
        assert!(decode.finding().contains("it is memory bound."), "{}", decode.finding());
    }

    #[test]
    fn a_batch_of_some_hundred_makes_decoding_compute_bound() {
        let rows = placed("phase=decode").quantity("ridge-rows");
        assert!((300.0..350.0).contains(&rows), "{rows}");
        let at = |batch: f64| placed(&format!("phase=decode&batch={batch}")).quantity("compute-bound");
        assert_eq!((at(rows - 1.0), at(rows)), (0.0, 1.0));
    }

    #[test]
    fn what_a_layer_has_not_is_replaced_by_what_it_has() {
        assert_eq!(placed("op=softmax").params.op, "attention");
        assert_eq!(placed("op=attention&flash=false").params.op, "scores");
        assert_eq!(placed("op=product&m=64&n=64&k=64").quantity("intensity"), 64.0 / 3.0);
    }
}
