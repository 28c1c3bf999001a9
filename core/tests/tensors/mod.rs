//! Tensor parallelism against calculon and against a measured layer.

use ringside_core::declare::Model as _;
use ringside_core::hardware;
use ringside_core::hardware::links;
use ringside_core::model::Shape;
use ringside_core::model::shape::{Attention, Gated};
use ringside_core::network::Fabric;
use ringside_core::tensor_parallel::cost::{BYTES, Machine, Widths};
use ringside_core::tensor_parallel::trace::Phase;
use ringside_core::tensor_parallel::{Params, Split};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

/// A GPT layer: as many key–value heads as query heads, no gate, an MLP of width `mid`.
fn layer(hidden: u64, heads: u64, mid: u64) -> Shape {
    Shape {
        hidden_size: hidden,
        num_hidden_layers: 1,
        num_attention_heads: heads,
        attention: Attention::Heads { kv_heads: heads, head_dim: hidden / heads },
        intermediate_size: mid,
        gated_mlp: Gated::No,
        vocab_size: 51_200,
        ..Shape::default()
    }
}

fn widths(shape: &Shape, seq: u64, mbs: u64) -> Widths {
    Widths::of(shape, seq, mbs).unwrap_or_else(|e| panic!("{e}"))
}

/// calculon: the bytes of the buffers of a block's collectives, forward, backward, and gathered again.
fn buffers() -> Check {
    let file = "oracles/calculon_llm.json";
    let mut check = Check::new(Params::ID, file, "bytes of the buffers of a layer’s collectives", 0.0);
    for case in cases(&json(file)) {
        let (i, o) = (&case["inputs"], &case["outputs"]);
        let (model, run) = (&i["model"], &i["execution"]);
        let shape = layer(int(model, "hidden"), int(model, "attn_heads"), int(model, "feedforward"));
        let widths = widths(&shape, int(model, "seq_size"), int(run, "microbatch_size"));
        let sequence = run["tensor_par_comm_type"] == "rs_ag";
        let list = widths.exchanges(int(run, "tensor_par") as f64, Split::PAIR, sequence);
        let bytes = |phase: Phase, again: bool| -> f64 {
            list.iter().filter(|e| e.phase == phase && e.again == again).map(|e| e.elements * BYTES).sum()
        };
        let name = i["file"].to_string();
        check.close(&name, bytes(Phase::Forward, false), real(o, "baseblock_fw_tp_size"));
        check.close(&name, bytes(Phase::Backward, false), real(o, "baseblock_bw_tp_size"));
        let recomputed = run["activation_recompute"] == "full";
        if run["seq_par_ag_redo"] == true && !recomputed {
            check.close(&name, bytes(Phase::Backward, true), real(o, "baseblock_recomm_size"));
        }
        check.case();
    }
    check
}

/// Korthikanti et al. 2022, Table 4: a layer of the 22B model on eight A100s, four sequences, measured: the only layer
/// there. At the default part of the peak the model is faster, because f's all-reduces hide behind weight gradients whole.
fn measured() -> Check {
    let file = "oracles/korthikanti_2022.json";
    let mut check = Check::new(Params::ID, file, "a layer’s time, measured", 0.09);
    let oracle = json(file);
    let row = |table: u64, experiment: Option<&str>| -> Value {
        let rows = oracle["rows"].as_array().expect("it has rows");
        let fits = |r: &&Value| r["table"] == table && r["model"] == "22B" && r["experiment"].as_str() == experiment;
        rows.iter().find(fits).cloned().unwrap_or_else(|| panic!("no row of table {table}"))
    };
    let (model, time) = (row(3, None), row(4, Some("Baseline no recompute")));
    let shape = layer(int(&model, "hidden"), int(&model, "heads"), 4 * int(&model, "hidden"));
    let gpu = hardware::find("a100-80").expect("there are A100s");
    let inside = links::find("nvlink3").expect("with NVLink 3");
    let efficiency = Params::ENTRY.param("efficiency").and_then(|p| p.spec.default.parse::<f64>().ok());
    let machine = Machine {
        fabric: Fabric::nodes(8, inside, inside),
        speed: gpu.peak * efficiency.expect("it has a default"),
        overlap: false,
    };
    let widths = widths(&shape, int(&oracle["common"], "seq"), int(&model, "micro_batch"));
    let cost = widths.cost(int(&model, "tp") as usize, Split::PAIR, false, &machine);
    check.close("22B", (cost.compute + cost.exposed) * 1e3, real(&time, "combined_ms"));
    check.case();
    check
}

/// All of them.
pub fn all() -> Vec<Check> {
    vec![buffers(), measured()]
}

#[test]
fn the_collectives_of_a_layer_are_those_of_calculon() {
    assert_eq!(buffers().cases, 25);
}

#[test]
fn a_layer_takes_as_long_as_was_measured() {
    assert_eq!(measured().cases, 1);
}
