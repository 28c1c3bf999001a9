use super::*;
use crate::collective::data::State as Ring;
use crate::collective::schedule::Schedule;
use crate::collective::{Algo, Op};
use crate::memory::{Convention, Dtype, Optimizer, breakdown};
use crate::model::ModelRef;

fn base() -> Params {
    Params::standard()
}

fn run(params: &Params) -> Run {
    Run::new(params).unwrap_or_else(|e| panic!("{params:?}: {e}"))
}

fn quantity(run: &Run, id: &str) -> f64 {
    let all = Params { step: 0, ..run.params }.quantities(run);
    all.iter().find(|q| q.id == id).map(|q| q.value).unwrap_or_else(|| panic!("{id}"))
}

/// Every strategy on every number of ranks, with some wraps, prefetches, limits, shapes and micro-batches.
fn all() -> impl Iterator<Item = Params> {
    use Prefetch::{None, Post, Pre};
    let shapes = [(1, 3, 1, 1), (3, 4, 2, 1), (4, 2, 1, 3), (2, 8, 4, 2)];
    let ahead =
        [(1, None, 2), (1, Post, 2), (1, Pre, 1), (1, Pre, 2), (1, Pre, 8), (2, Pre, 2), (8, Post, 2), (8, Pre, 8)];
    let sizes = shapes.into_iter().flat_map(|(layers, width, rows, accumulate)| {
        (2..=MAX_RANKS).map(move |ranks| Params { layers, width, rows, accumulate, ranks, ..base() })
    });
    let ways =
        sizes.flat_map(move |p| ahead.map(|(wrap, prefetch, in_flight)| Params { wrap, prefetch, in_flight, ..p }));
    let strategies = ways.flat_map(|p| Strategy::ALL.map(|strategy| Params { strategy, ..p }));
    strategies.flat_map(|p| [false, true].map(|last_only| Params { last_only, ..p })).filter(|p| {
        // What is gathered ahead is of no matter where nothing is gathered.
        let matters = p.strategy.shards_parameters() || p.prefetch == Pre && p.in_flight == 2;
        matters && (p.can_wait() || !p.last_only) && p.check().is_ok()
    })
}

#[test]
fn every_strategy_takes_the_step_of_a_single_rank() {
    let mut worst: f64 = 0.0;
    for params in all() {
        let run = run(&params);
        assert!(run.check.matches(), "{params:?}: off by {}", run.check.largest);
        worst = worst.max(run.check.largest);
        // Two numbers have one sum, whichever comes first.
        if params.ranks == 2 && params.accumulate == 1 {
            assert_eq!(run.check.differ, 0, "{params:?}");
        }
        assert!(run.steps() as u64 <= MAX_EVENTS);
    }
    assert!(worst > 0.0, "with more ranks the ring’s order shows in the last bits");
}

#[test]
fn a_rank_left_out_of_a_sum_is_noticed() {
    let params = base();
    let run = run(&params);
    let alone = net::alone(params.layers, params.width, params.ranks - 1, params.rows);
    assert!(!run.state(run.steps()).check(&alone).matches());
    let before = run.state(0).check(&net::alone(params.layers, params.width, params.ranks, params.rows));
    assert!(!before.matches() && before.differ > before.compared / 2, "{before:?}");
}

#[test]
fn volumes_are_those_of_the_paper() {
    // 72 parameters a layer: whole shards for 2, 3, 4, 6 and 8 ranks.
    for ranks in [2, 3, 4, 6, 8] {
        let part = (ranks - 1) as f64 / ranks as f64;
        for (strategy, times) in [
            (Strategy::Ddp, 2.0),
            (Strategy::Zero1, 2.0),
            (Strategy::Zero2, 2.0),
            (Strategy::Zero3, 3.0),
            (Strategy::FullShard, 3.0),
            (Strategy::ShardGradOp, 2.0),
        ] {
            for prefetch in Prefetch::ALL {
                let run = run(&Params { strategy, ranks, prefetch, ..base() });
                assert_eq!(run.volume(), times * part, "{strategy:?} on {ranks}");
            }
        }
        if ranks % 2 == 0 {
            let node = ranks / 2;
            let run = run(&Params { strategy: Strategy::HybridShard, ranks, node: node.max(2), ..base() });
            let (g, r) = (run.params.sharers() as f64, run.params.replicas() as f64);
            let wanted = 3.0 * (g - 1.0) / g + 2.0 / g * (r - 1.0) / r;
            assert!((run.volume() - wanted).abs() < 1e-12, "{ranks}");
            let psi = 4.0 * run.params.size() as f64;
            let leaving = 2.0 * (r - 1.0) / r * psi;
            assert!((quantity(&run, "bytes-between-nodes") - leaving).abs() < 1e-9, "{ranks}");
        }
    }
}

#[test]
fn accumulation_costs_nothing_where_sums_are_kept_whole_and_everything_elsewhere() {
    let part = 0.75;
    for (strategy, times) in [
        (Strategy::Ddp, 2.0),
        (Strategy::Zero1, 2.0),
        (Strategy::Zero2, 5.0),
        (Strategy::Zero3, 12.0),
        (Strategy::ShardGradOp, 8.0),
    ] {
        assert_eq!(run(&Params { strategy, accumulate: 4, ..base() }).volume(), times * part, "{strategy:?}");
    }
}

/// FSDP2's three ways to accumulate, pytorch/pytorch#126166: a reduce-scatter and an all-reduce for each micro-batch unless it is told.
#[test]
fn nodes_exchange_for_every_micro_batch_unless_told_to_wait() {
    let leaving = |accumulate, last_only| {
        let hybrid = Params { strategy: Strategy::HybridShard, ranks: 8, node: 4, accumulate, last_only, ..base() };
        quantity(&run(&hybrid), "bytes-between-nodes")
    };
    let once = leaving(1, false);
    assert_eq!((leaving(4, false), leaving(4, true), leaving(1, true)), (4.0 * once, once, once));
}

#[test]
fn the_whole_model_as_one_unit_is_never_freed_between_the_passes_by_fsdp() {
    let bad = |strategy| run(&Params { strategy, wrap: 8, ..base() });
    assert_eq!(bad(Strategy::FullShard).volume(), bad(Strategy::ShardGradOp).volume());
    assert_eq!(bad(Strategy::Zero3).volume(), 3.0 * 0.75);
    let good = run(&Params { strategy: Strategy::FullShard, ..base() });
    let (good, bad) = (quantity(&good, "peak-memory"), quantity(&bad(Strategy::FullShard), "peak-memory"));
    assert!(bad > 1.5 * good, "{bad} {good}");
}

#[test]
fn states_agree_with_the_memory_breakdown() {
    for (strategy, zero) in
        [(Strategy::Ddp, 0), (Strategy::Zero1, 1), (Strategy::Zero2, 2), (Strategy::Zero3, 3), (Strategy::FullShard, 3)]
    {
        for ranks in [2, 3, 4, 6, 8] {
            let run = run(&Params { strategy, ranks, ..base() });
            let params = crate::memory::Params {
                model: ModelRef::Count(run.params.size() as u64),
                dtype: Dtype::Fp32,
                optimizer: Optimizer::AdamW,
                convention: Convention::Zero,
                zero,
                dp: ranks as u64,
                ..crate::memory::Params::standard()
            };
            let there = breakdown(&params).unwrap_or_else(|e| panic!("{e}"));
            let here = run.states();
            assert_eq!(here.parameters + here.gathered, there.parts.weights.0, "{strategy:?} on {ranks}");
            assert_eq!(here.gradients, there.parts.gradients.0, "{strategy:?} on {ranks}");
            assert_eq!(here.optimizer, there.parts.optimizer.0, "{strategy:?} on {ranks}");
        }
    }
}

#[test]
fn all_ranks_hold_and_send_alike_and_the_step_ends_as_it_began() {
    for params in all().filter(|p| p.in_flight == 2 && p.wrap < 8) {
        let run = run(&params);
        let mut state = State::start(&params);
        for event in &run.events {
            state.apply(event);
            // The last shard of a list that is not padded is shorter; that of DDP is.
            if params.strategy != Strategy::Ddp {
                for rank in 1..params.ranks {
                    assert_eq!(state.memory(rank), state.memory(0), "{params:?} {event:?}");
                    // Between nodes a shard is cut again, and not always evenly.
                    assert!(params.replicas() > 1 || state.sent(rank) == state.sent(0), "{params:?} {event:?}");
                }
            }
        }
        assert_eq!(run.mark(run.steps()).memory, run.resting(), "{params:?}");
        assert_eq!(run.mark(usize::MAX).parameters, run.mark(0).parameters);
    }
}

#[test]
fn no_more_units_are_gathered_than_are_allowed() {
    for params in all().filter(|p| matches!(p.strategy, Strategy::Zero3) && p.accumulate == 1) {
        let run = run(&params);
        let unit = 4.0 * run.state(0).length() as f64 * params.wrap.min(params.layers) as f64;
        let most = run.marks.iter().map(|m| m.memory.gathered).fold(0.0, f64::max);
        let allowed = if params.prefetch == Prefetch::None { 1 } else { params.in_flight };
        assert!(most <= unit * allowed as f64, "{params:?}: {most}");
    }
}

#[test]
fn prefetching_hides_all_but_the_ends() {
    let at = |prefetch| quantity(&run(&Params { prefetch, ..base() }), "bytes-exposed");
    let shard = 3.0 * 18.0 * 4.0;
    // The first gather of the step, and the last reduce-scatter.
    assert_eq!(at(Prefetch::Pre), 2.0 * shard + shard);
    assert!(at(Prefetch::Post) > at(Prefetch::Pre));
    let peak = |prefetch| quantity(&run(&Params { prefetch, ..base() }), "peak-memory");
    assert!(peak(Prefetch::Post) < peak(Prefetch::Pre), "what is gathered later is held for less long");
    assert!(at(Prefetch::None) > at(Prefetch::Post));
    let ddp = quantity(&run(&Params { strategy: Strategy::Ddp, ..base() }), "bytes-exposed");
    assert_eq!(ddp, 2.0 * shard);
}

#[test]
fn rings_add_in_the_order_of_chapter_six() {
    let params = Params { ranks: 5, width: 4, layers: 1, ..base() };
    let run = run(&params);
    let reduce = run.events.iter().position(|e| e.action == Action::ReduceScatter).unwrap_or_else(|| panic!("reduces"));
    let (before, after) = (run.state(reduce), run.state(reduce + 1));
    let schedule = Schedule::new(Op::ReduceScatter, Algo::Ring, 5, 5).unwrap_or_else(|e| panic!("{e}"));
    let size = before.length() / 5;
    let gradient = |rank: usize, at: usize| {
        before.layer(rank, 0).and_then(|l| l.gradients.as_ref()).and_then(|g| g.get(at)).copied().unwrap_or(f32::NAN)
    };
    for offset in 0..size {
        let mut ring = Ring::start(Op::ReduceScatter, 5, |rank, chunk| gradient(rank, chunk * size + offset));
        schedule.steps.iter().for_each(|step| ring.apply(step));
        for rank in 0..5 {
            let ours = after.layer(rank, 0).and_then(|l| l.reduced.as_ref()).map(|sum| sum[offset].to_bits());
            assert_eq!(ours, Some(ring.cell(rank, rank).value.to_bits()), "rank {rank}, {offset}");
        }
    }
}

#[test]
fn gradients_are_the_slopes_of_the_loss() {
    let (width, rows) = (3, 2);
    let x = net::inputs(0, rows, width);
    let loss = |parameters: &[f32]| -> f64 {
        let y = net::forward(parameters, &x, width, true);
        // The gradient of Σ d²/n is 2d/n: the loss from it.
        let d = net::loss_gradient(&y, 0, rows, width);
        d.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>() * (rows * width) as f64 / 4.0
    };
    let parameters = net::parameters(0, width);
    let dz = net::loss_gradient(&net::forward(&parameters, &x, width, true), 0, rows, width);
    let (gradient, _) = net::backward(&parameters, &x, &dz, width, true);
    for (i, slope) in gradient.iter().enumerate() {
        let moved = |by: f32| {
            let mut other = parameters.clone();
            other[i] += by;
            loss(&other)
        };
        let wanted = (moved(0.01) - moved(-0.01)) / 0.02;
        assert!((f64::from(*slope) - wanted).abs() < 1e-3, "{i}: {slope} {wanted}");
    }
}

#[test]
fn what_is_drawn_and_written_is_what_is_held() {
    for params in all().filter(|p| p.in_flight == 2 && p.wrap < 8 && p.prefetch == Prefetch::Pre) {
        let run = run(&params);
        let mut state = State::start(&params);
        for event in &run.events {
            state.apply(event);
            for (rank, layer) in (0..params.ranks).flat_map(|r| (0..params.layers).map(move |l| (r, l))) {
                let (segments, numbers) = (state.segments(rank, layer), state.numbers(rank, layer));
                for (drawn, written) in segments.iter().zip(&numbers) {
                    let there: Vec<bool> = drawn.iter().map(|s| *s != Segment::Absent).collect();
                    // Of a list that is not filled up the last chunk can be empty.
                    let known: Vec<bool> = written.iter().map(Option::is_some).collect();
                    let short = params.strategy == Strategy::Ddp && !state.length().is_multiple_of(params.ranks);
                    assert!(short || there == known, "{params:?} {event:?} rank {rank}: {drawn:?} {written:?}");
                }
            }
        }
    }
}

#[test]
fn sentences_say_what_happens() {
    let run = run(&base());
    assert!(run.step_finding(0).starts_with("Before the step each of 4 ranks has a shard of every layer, 72 of 288"));
    for step in 1..=run.steps() {
        let text = run.step_finding(step);
        assert!(text.starts_with(&format!("Event {step} of {}", run.steps())) && text.ends_with('.'), "{text}");
    }
    assert!(run.step_finding(1).contains("gathers the parameters of layer\u{a0}0"), "{}", run.step_finding(1));
    assert!(run.finding().contains("2.25 times Ψ"), "{}", run.finding());
    assert!(
        run.end_finding().starts_with("Parameters and moments are those of a single rank"),
        "{}",
        run.end_finding()
    );
}

#[test]
fn what_cannot_be_run_says_why() {
    let odd = Params { strategy: Strategy::HybridShard, ranks: 5, node: 2, ..base() };
    assert_eq!(
        Run::new(&odd).err().as_deref(),
        Some("HYBRID_SHARD needs nodes that are alike: 5 ranks are no multiple of 2.")
    );
    let none = Params { ranks: 0, node: 0, layers: 0, width: 0, wrap: 0, ..base() };
    assert!(Run::new(&none).is_err_and(|e| e.starts_with("ranks must be")));
    assert_eq!(State::start(&none).memory(3), Memory::default());
}
