//! The closed forms agree with the step that is really taken, and with the papers.

use super::{Params, Scheme, Sent};
use crate::declare::Model as _;
use crate::zero::{Params as Step, Run, Strategy};

fn params() -> Params {
    Params { gathered: Sent::Fp32, reduced: Sent::Fp32, ..Params::standard() }
}

#[test]
fn bytes_are_those_of_a_step_that_is_run() {
    let pairs = [
        (Scheme::NoShard, Strategy::Ddp),
        (Scheme::Zero1, Strategy::Zero1),
        (Scheme::Zero2, Strategy::Zero2),
        (Scheme::ShardGradOp, Strategy::ShardGradOp),
        (Scheme::HybridShard, Strategy::HybridShard),
    ];
    // Eight ranks divide the 72 numbers of a layer.
    for (scheme, strategy) in pairs {
        for (accumulate, node, waits) in [(1, 4, false), (3, 2, false), (3, 2, true)] {
            let step = Step { strategy, ranks: 8, node, layers: 4, accumulate, last_only: waits, ..Step::standard() };
            let run = Run::new(&step).unwrap_or_else(|why| panic!("{why}"));
            // Without shards of gradients the step exchanges once.
            let last_only = match scheme {
                Scheme::NoShard | Scheme::Zero1 => true,
                Scheme::HybridShard => waits,
                _ => false,
            };
            let ours = Params {
                params: step.size() as f64,
                gpus: 8,
                node: node as u64,
                microbatches: accumulate as u64,
                last_only,
                ..params()
            }
            .price(scheme);
            let mark = run.mark(usize::MAX);
            let last = if strategy == Strategy::HybridShard { 0.3 } else { 1e-9 };
            // FSDP's last unit is the root, which is not gathered again.
            assert!((ours.sent / mark.sent - 1.0).abs() <= last, "{scheme:?}: {} and {}", ours.sent, mark.sent);
            assert!(
                (ours.leaving / mark.leaving - 1.0).abs() <= 1e-9,
                "{scheme:?}: {} and {}",
                ours.leaving,
                mark.leaving
            );
        }
    }
}

#[test]
fn hybrid_saves_between_nodes_what_the_types_and_the_nodes_say() {
    // Two nodes: 2 · 4Ψ/2 against (2 + 2 + 4)Ψ · 15/16. Many nodes with an fp32 reduce: as much.
    let at = |gpus, reduced| {
        let p = Params { gpus, reduced, ..Params::standard() };
        p.price(Scheme::HybridShard).leaving / p.price(Scheme::FullShard).leaving
    };
    assert!((at(16, Sent::Fp32) - 0.5 / (15.0 / 16.0)).abs() < 1e-12);
    assert!((at(65_536, Sent::Fp32) - 1.0).abs() < 1e-3);
    assert!((at(65_536, Sent::Bf16) - 2.0 / 3.0).abs() < 1e-3);
}

#[test]
fn states_are_the_papers() {
    // ZeRO, Figure 1: 7.5 B parameters on 64 GPUs.
    let p = Params::standard();
    let states = |scheme| (p.price(scheme).states / 1e8).round() / 10.0;
    assert_eq!(states(Scheme::NoShard), 120.0);
    assert_eq!(states(Scheme::Zero1), 31.4);
    assert_eq!(states(Scheme::Zero2), 16.6);
    assert_eq!(states(Scheme::FullShard), 1.9);
    assert_eq!(states(Scheme::HybridShard), 15.0);
}

#[test]
fn one_node_and_one_gpu_send_nothing_out() {
    for scheme in Scheme::ALL {
        let alone = Params { gpus: 1, ..params() }.price(scheme);
        assert!(alone.sent == 0.0 && alone.leaving == 0.0 && alone.wire() == 0.0, "{scheme:?}");
        assert_eq!(Params { gpus: 8, ..params() }.price(scheme).leaving, 0.0);
    }
    assert!(Params { gpus: 12, ..params() }.evaluate().is_err());
}
