//! What recomputation costs in time: the kernels of a layer, priced as the planner prices them.

use super::cluster::{Cluster, Degrees};
use super::work::{Products, Run, Seconds};
use crate::declare::Model as _;
use crate::hardware::links;
use crate::memory::activations::{Params, Recompute};
use crate::query::Query;

/// The time that a policy adds to the forward and backward pass of a layer, as a fraction of both: its kernels alone, on the
/// GPU of `params`, without waiting for other ranks. What is recomputed by kernels that move much and compute little costs
/// more time than FLOPs. A model with experts is looked at in a layer that has them.
pub fn time_added(params: &Params, recompute: Recompute) -> f64 {
    let Some(shape) = params.model.shape() else { return 0.0 };
    let l = &params.layout;
    // Nothing of a layer's kernels depends on the links.
    let cluster = Cluster { gpu: params.gpu, node: l.tp, nodes: 1, link: &links::INSIDE[0], net: &links::BETWEEN[0] };
    let degrees = Degrees { tp: l.tp, cp: l.cp, ep: l.ep, dp: 1, pp: 1 };
    let run = Run { degrees, sp: l.sp, flash: params.flash, seq: params.seq, mbs: params.mbs };
    let work = Products::new(shape, params.seq).work(&cluster, &run);
    let layer = if shape.moe_layers() > 0 { work.mixture } else { work.dense };
    let kernels = |s: Seconds| s.compute + s.elementwise + s.recompute;
    let again = match recompute {
        Recompute::None => 0.0,
        Recompute::Selective => kernels(layer.attention),
        Recompute::Full => kernels(layer.again()),
    };
    let whole = kernels(layer.forward) + kernels(layer.backward);
    if whole > 0.0 && again.is_finite() { again / whole } else { 0.0 }
}

/// A layer that was measured: the 22B model on 8 A100, 4 sequences of 2048 tokens, attention not fused.
const MEASURED: &str = "hidden_size=6144&num_hidden_layers=48&num_attention_heads=64&intermediate_size=24576\
                        &vocab_size=51200&gated_mlp=false&seq=2048&mbs=4&tp=8&gpu=a100-80&flash=false";

/// What recomputing attention, and all of a layer, added to the time of one that was measured, and what [`time_added`] says
/// of it. Korthikanti et al. 2022 (arXiv:2205.05198), Table 4: 19.6 ms became 20.9 and 27.2, all-reduces among them.
pub fn measured() -> [(f64, f64); 2] {
    let (params, _) = Params::read(&Query::parse(MEASURED));
    let at = |policy, took: f64| (took / 19.6 - 1.0, time_added(&params, policy));
    [at(Recompute::Selective, 20.9), at(Recompute::Full, 27.2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::activations;

    #[test]
    fn a_measured_layer() {
        let (params, problems) = Params::read(&Query::parse(MEASURED));
        assert_eq!(problems, []);
        // Within three hundredths of the layer's time: what a launch, a mask or an all-reduce more comes to.
        for (theirs, ours) in measured() {
            assert!((ours - theirs).abs() < 0.03, "{ours} for {theirs}");
        }
        let selective = Params { recompute: Recompute::Selective, ..params };
        let flops = activations::activations(&selective).expect("sound").recompute_flops;
        assert!(
            time_added(&params, Recompute::Selective) > 3.0 * flops,
            "the matrix is moved more than it is computed"
        );
        assert_eq!(time_added(&params, Recompute::None), 0.0);
    }
}
