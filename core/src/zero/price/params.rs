//! The parameters, and the model in the catalogue.

use super::{Params, Price, Scheme, Sent};
use crate::declare::{
    Field as _, Measure, Model, Origin, Origins, Param, choice, headline, measure, origin, real, switch, whole, within,
    yes_no,
};
use crate::hardware::{self, links};
use crate::quantity::{Unit, count, grouped};
use crate::query::Reader;

const MACHINE: &str = "The machine";
const STEP: &str = "The step";
const TYPES: &str = "Mixed precision";

impl Model for Params {
    type Result = Price;
    const ID: &'static str = "sharding-price";
    const TITLE: &'static str = "What each sharding strategy costs";
    const SUMMARY: &'static str =
        "Every strategy of FSDP and stage of ZeRO priced: what a GPU holds, what it sends, and what leaves the node.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("scheme", "the way of sharding", Scheme::LIST, "full-shard")
            .label("Strategy")
            .main()
            .at(|p| p.scheme.slot()),
        real("params", "parameters of the model", [1e6, 1e13], "7.5e9")
            .label("Parameters")
            .format(count)
            .slider(crate::declare::Scale::Decades(8, 12))
            .main()
            .at(|p| p.params.slot()),
        whole("gpus", "GPUs", [1, 65_536], "64").label("GPUs").doubling(14).main().at(|p| p.gpus.slot()),
        whole("node", "GPUs per node", [1, 256], "8")
            .label("GPUs per node")
            .doubling(6)
            .more(MACHINE)
            .at(|p| p.node.slot()),
        whole("microbatches", "micro-batches per step", [1, 4096], "1")
            .label("Micro-batches")
            .format(|n| grouped(n as u64))
            .doubling(6)
            .main()
            .at(|p| p.microbatches.slot()),
        choice("param-dtype", "the type in which parameters are gathered: param_dtype", Sent::LIST, "bf16")
            .label("param_dtype")
            .more(TYPES)
            .at(|p| p.gathered.slot()),
        choice("reduce-dtype", "the type in which gradients are reduced: reduce_dtype", Sent::LIST, "fp32")
            .label("reduce_dtype")
            .more(TYPES)
            .at(|p| p.reduced.slot()),
        switch("last-only", "whether gradients are exchanged after the last micro-batch only", false)
            .label("Gradient exchange")
            .labels(&["every micro-batch", "last one only"])
            .more(STEP)
            .at(|p| p.last_only.slot()),
        whole("units", "blocks of the model, each a unit", [1, 1000], "32")
            .label("Blocks")
            .doubling(7)
            .more(STEP)
            .at(|p| p.units.slot()),
        choice("gpu", "the GPU", hardware::LIST, "h100-80").label("GPU").more(MACHINE).at(|p| p.gpu.slot()),
        choice("link", "link within a node", links::INSIDE_LIST, "nvlink4")
            .label("Link within a node")
            .more(MACHINE)
            .at(|p| p.link.slot()),
        choice("net", "link between nodes, a port for each GPU", links::BETWEEN_LIST, "ndr")
            .label("Link between nodes")
            .more(MACHINE)
            .at(|p| p.net.slot()),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Rajbhandari et al. 2020 (ZeRO), arXiv:1910.02054, §5 and §7; Zhao et al. 2023 (PyTorch FSDP), arXiv:2304.11277, §3.2; PyTorch, torch/distributed/fsdp/api.py and _fully_shard/_fully_shard.py",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(Origin::Rows, &["peak", "fits", "leaving-per-gpu"]),
        origin(crate::network::ORIGIN, &["wire", "between"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Price>] = &[
        headline(
            "Weights, gradients and optimizer states that a GPU holds all the time.",
            measure("states", "Model states per GPU", Unit::Bytes, |_, p| p.states),
        ),
        measure("copy", "Gathered copy for the backward pass", Unit::Bytes, |_, p| p.copy),
        measure("working", "Gathered units in use", Unit::Bytes, |_, p| p.working),
        measure("waiting", "Unsharded gradients waiting", Unit::Bytes, |_, p| p.waiting),
        within(
            |p, _| p.gpu.memory.0,
            headline(
                "Model states and what is gathered at the same time.",
                measure("peak", "Peak memory per GPU", Unit::Bytes, |_, p| p.peak()),
            ),
        ),
        yes_no(measure("fits", "Fits without activations", Unit::Count, |p, price| f64::from(u8::from(p.runs(price))))),
        headline(
            "All traffic of a GPU in one step.",
            measure("sent", "Sent per GPU per step", Unit::Bytes, |_, p| p.sent),
        ),
        headline(
            "The part of the traffic that the network carries.",
            measure("leaving", "Leaves each node per step", Unit::Bytes, |_, p| p.leaving),
        ),
        measure("leaving-per-gpu", "Sent over each GPU’s network port per step", Unit::Bytes, |p, price| {
            price.leaving / p.in_node()
        }),
        headline(
            "With nothing overlapped.",
            measure("wire", "Communication time per step", Unit::Seconds, |_, p| p.wire()),
        ),
        measure("between", "Communication time between nodes per step", Unit::Seconds, |_, p| p.between),
        measure("shards", "Shards of the model states", Unit::Count, |p, _| p.shards(p.scheme)),
    ];

    fn evaluate(&self) -> Result<Price, String> {
        self.in_range()?;
        let node = self.node.min(self.gpus);
        if !self.gpus.is_multiple_of(node.max(1)) {
            return Err(format!(
                "Nodes must be alike: {} GPUs are no multiple of {}. Take a multiple of it.",
                grouped(self.gpus),
                grouped(node)
            ));
        }
        Ok(self.price(self.scheme))
    }

    fn runs(&self, price: &Price) -> bool {
        price.peak() <= self.gpu.memory.0
    }

    fn settle(&mut self, reader: &mut Reader<'_>) {
        let query = reader.query();
        [self.link, self.net] = links::with_gpu(self.gpu, query, [self.link, self.net]);
    }

    fn follow(&mut self, before: &Self) {
        [self.link, self.net] = links::follow([before.gpu, self.gpu], [self.link, self.net]);
    }
}
