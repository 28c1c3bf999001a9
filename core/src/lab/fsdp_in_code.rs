//! Lab 09: each sharding strategy in FSDP1 and in FSDP2: units, shards, types, bytes, and the same gradient.

use super::block::Block;
use super::{Rows, Within};
use crate::quantity::Unit;
use crate::zero::price::{Params, Scheme, Sent};

/// FSDP1's names.
const STRATEGIES: [(&str, Scheme); 3] =
    [("FULL_SHARD", Scheme::FullShard), ("SHARD_GRAD_OP", Scheme::ShardGradOp), ("HYBRID_SHARD", Scheme::HybridShard)];

pub(super) fn hold(block: &mut Block<'_>) -> Rows {
    let mut rows = Rows::default();
    let world = block.whole("world", 1.0, 65_536.0);
    let [layers, width] = ["layers", "width"].map(|name| block.whole(name, 1.0, 1e6));
    let node = block.whole("node", 1.0, 65_536.0).min(world);
    let params = Params {
        params: layers * 4.0 * width * width,
        gpus: world as u64,
        node: node as u64,
        gathered: Sent::Bf16,
        reduced: Sent::Fp32,
        microbatches: 1,
        ..Params::default()
    };
    let uneven = |_: f64| "The ranks do not divide the tensors evenly, or the wrap found other units.".to_owned();
    block.within("runs", |runs| {
        for (name, scheme) in STRATEGIES {
            let price = params.price(scheme);
            runs.within(name, |run| {
                for (key, which) in [("fsdp1", "FSDP1"), ("fsdp2", "FSDP2")] {
                    run.within(key, |held| {
                        let mut add = |what: &str, pair: (f64, f64), unit| {
                            rows.add(format!("{name} in {which}: {what}"), pair, unit, Within::Exactly, uneven);
                        };
                        add("units", (layers + 1.0, held.whole("units", 0.0, 1e9)), Unit::Count);
                        add("sent per rank", (price.sent, held.bytes("sent")), Unit::Bytes);
                        let across = if scheme == Scheme::HybridShard { price.leaving / node } else { 0.0 };
                        add("all-reduced between nodes", (across, held.bytes("between")), Unit::Bytes);
                        // The shard is the fp32 weight.
                        let shard = 4.0 * params.params / params.shards(scheme);
                        add("shard of the weights", (shard, held.bytes("shard")), Unit::Bytes);
                        let types = held.flag("low") && held.flag("master");
                        rows.right(
                            &format!("{name} in {which}: computes in bf16, keeps fp32"),
                            types,
                            "The mixed-precision policy did not reach the blocks.",
                        );
                    });
                }
                let is_same = run.flag("same_bits");
                rows.right(
                    &format!("{name}: the same gradient in FSDP1 and FSDP2"),
                    is_same,
                    "The two reduce in another order or type.",
                );
            });
        }
    });
    block.within("wrong", |held| {
        let units = held.whole("units", 0.0, 1e9);
        rows.add("A policy with the wrong class: units", (1.0, units), Unit::Count, Within::Exactly, |_| {
            "The class was found after all.".into()
        });
        // One unit is the root, which is not gathered again.
        let price = params.price(Scheme::ShardGradOp);
        rows.add(
            "A policy with the wrong class: sent per rank",
            (price.sent, held.bytes("sent")),
            Unit::Bytes,
            Within::Exactly,
            uneven,
        );
        held.whole("gathers", 0.0, 1e9);
    });
    let [full, hybrid] = [Scheme::FullShard, Scheme::HybridShard].map(|scheme| params.price(scheme));
    rows.finding = format!(
        "FULL_SHARD sends {} from a rank, HYBRID_SHARD {}, of which {} go to other nodes; FSDP1 and FSDP2 send the same.",
        Unit::Bytes.format(full.sent),
        Unit::Bytes.format(hybrid.sent),
        Unit::Bytes.format(hybrid.leaving / node.max(1.0)),
    );
    rows
}
