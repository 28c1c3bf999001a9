//! The simulation against what follows from its layouts on paper. What others publish is in `core/tests/rollouts`.

use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn params(query: &str) -> Params {
    Params::read(&Query::parse(query)).0
}

fn run(query: &str) -> Run {
    Run::of(&params(query), 0.0)
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// 128 answers of 10 s on 128 places, 20 s of training.
const EQUAL: &str =
    "lengths=constant&mean=500&cap=1000&speed=50&batch=128&engines=8&slots=16&trainers=8&cost=1.25&transfer=3";

#[test]
fn layouts_with_a_barrier_take_what_their_closed_forms_say() {
    // Synchronous: generation + training + transfer. One step off: the longer of the two + transfer.
    let sync = run(&format!("{EQUAL}&layout=sync"));
    assert!(near(sync.step, 10.0 + 20.0 + 3.0, 1e-9), "{sync:?}");
    assert!(near(sync.generation.busy, 10.0 / 33.0, 1e-9) && near(sync.training.busy, 20.0 / 33.0, 1e-9));
    assert_eq!(sync.oldest, 0);
    let one = run(&format!("{EQUAL}&layout=one-step"));
    assert!(near(one.step, 20.0 + 3.0, 1e-9), "{one:?}");
    assert_eq!((one.age, one.oldest), (1.0, 1));
    // The same where generation is slower: two rounds of answers, of 25 s each.
    let slow = run(
        "lengths=constant&mean=500&cap=1000&speed=20&batch=256&engines=8&slots=16&trainers=8&cost=0.5&transfer=3&layout=one-step",
    );
    assert!(near(slow.step, 50.0 + 3.0, 1e-9), "{slow:?}");
}

#[test]
fn a_synchronous_step_is_the_longest_answer_and_the_rest_where_all_start_together() {
    for lengths in ["exponential", "lognormal"] {
        let state = format!("lengths={lengths}&batch=128&engines=8&slots=16&cap=131072&layout=sync");
        let (p, run) = (params(&state), run(&state));
        assert!(near(run.step, run.longest + p.training() + p.transfer, 1e-9), "{run:?}");
    }
}

#[test]
fn without_a_wait_the_slower_pool_decides() {
    // Training is slower: partial rollouts keep it busy but for transfers, whatever lengths are like.
    let p = params("layout=partial&cost=10&bound=4");
    let run = Run::of(&p, 0.0);
    assert!(near(run.rate, p.training_rate(), 1e-6) && p.training_rate() < p.generation_rate(), "{run:?}");
    assert!(run.training.idle < 1e-9);
    // Generation is slower: with equal answers and no transfer, places are never free.
    let p = params("layout=partial&lengths=constant&mean=4000&cost=1&transfer=0&bound=8&batch=64");
    let run = Run::of(&p, 0.0);
    assert!(near(run.rate, p.generation_rate(), 0.01) && p.training_rate() > p.generation_rate(), "{run:?}");
    assert!(run.generation.idle < 1e-9, "{run:?}");
}

#[test]
fn a_bound_of_no_version_is_the_synchronous_layout() {
    for layout in ["async", "partial"] {
        for rest in ["lengths=lognormal", "lengths=exponential&engines=2&slots=4", "lengths=constant&transfer=0"] {
            let (bounded, sync) =
                (run(&format!("layout={layout}&bound=0&{rest}")), run(&format!("layout=sync&{rest}")));
            assert!(near(bounded.rate, sync.rate, 1e-9), "{layout} {rest}: {} {}", bounded.rate, sync.rate);
            assert_eq!(bounded.oldest, 0);
        }
    }
}

#[test]
fn what_is_started_never_exceeds_the_bound_and_time_is_accounted_for() {
    for seed in 1..=3 {
        for layout in Layout::ALL {
            for bound in [0, 1, 4, 8] {
                let p = Params { layout, bound, seed, engines: 4, ..params("batch=64&slots=8") };
                let run = Run::of(&p, 100.0);
                for pool in [run.generation, run.training] {
                    assert!(near(pool.busy + pool.moving + pool.idle, 1.0, 1e-9), "{p:?}");
                    assert!(pool.busy > 0.0 && pool.idle > -1e-9, "{p:?} {pool:?}");
                }
                // No pool does more than its own rate allows, and all answers of the measured steps are counted.
                assert!(run.rate <= p.training_rate() * (1.0 + 1e-9), "{p:?}");
                assert_eq!(run.ages.iter().sum::<u64>(), (STEPS - WARM) * p.batch);
                // On average no sample is older than generation may run ahead.
                let ahead = match layout {
                    Layout::Synchronous => 0,
                    Layout::OneStep => 1,
                    _ => bound,
                };
                assert!(run.age <= ahead as f64 + 0.25, "{p:?}: {}", run.age);
                assert!(run.token_age <= run.age.max(run.oldest as f64) + 1e-9);
                for track in run.engines.iter().chain([&run.queue, &run.trainer]) {
                    assert!(track.windows(2).all(|pair| pair[0].to <= pair[1].from + 1e-9), "{track:?}");
                    assert!(near(track.last().map_or(0.0, |last| last.to), 100.0, 1e-9), "{p:?}");
                }
            }
        }
    }
}

#[test]
fn more_waiting_is_never_faster() {
    for seed in 1..=3 {
        let [sync, one, _, partial] = Params { seed, ..params("") }.runs();
        assert!(sync.rate < one.rate && one.rate < partial.rate, "{seed}");
        assert!(partial.rate <= params("").limit() * 1.1, "{seed}");
    }
}

#[test]
fn expected_maxima_are_those_of_the_simulated_lengths() {
    let lengths = Lengths { shape: Shape::Exponential, sigma: 0.0, mean: 1000.0, cap: 1e6 };
    let harmonic: f64 = (1..=64).map(|i| 1.0 / f64::from(i)).sum();
    assert!(near(lengths.expected_longest(64), 1000.0 * harmonic, 1e-4), "{}", lengths.expected_longest(64));
    for shape in [Shape::Exponential, Shape::Lognormal] {
        let lengths = Lengths { shape, sigma: 0.8, mean: 1000.0, cap: 1e6 };
        let batches = 1000;
        let longest = |b: u64| (0..64).map(|i| lengths.draw(b, i).0).fold(0.0, f64::max);
        let mean = (0..batches).map(longest).sum::<f64>() / batches as f64;
        assert!(near(mean, lengths.expected_longest(64), 0.02), "{shape:?} {mean} {}", lengths.expected_longest(64));
    }
}
