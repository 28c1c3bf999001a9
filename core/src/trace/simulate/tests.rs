//! Each cause is found in the traces that have it, and in no other.

use super::super::breakdown::temporal;
use super::super::diagnosis::diagnose;
use super::super::rows::{Rows, Rules};
use super::{Cause, Setup};

fn setup(causes: &[Cause]) -> Setup {
    Setup { causes: causes.to_vec(), layers: 12, steps: 3, ranks: 2, seed: 1, graphs: false }
}

fn found(setup: &Setup) -> Vec<(Cause, f64)> {
    let known = |f: super::super::diagnosis::Finding| f.cause.map(|cause| (cause, f.share));
    diagnose(&setup.run(), 0).into_iter().filter_map(known).collect()
}

#[test]
fn a_healthy_step_shows_nothing() {
    assert_eq!(diagnose(&setup(&[]).run(), 0), []);
}

#[test]
fn each_cause_is_the_first_that_is_found() {
    for cause in Cause::ALL.into_iter().skip(1) {
        let all = found(&setup(&[cause]));
        assert_eq!(all.first().map(|f| f.0), Some(cause), "{all:?}");
    }
}

#[test]
fn two_causes_are_both_found() {
    for pair in [
        [Cause::DataLoader, Cause::UnfusedOptimizer],
        [Cause::Sync, Cause::Straggler],
        [Cause::ExposedCommunication, Cause::MemoryBound],
        [Cause::AllocatorRetries, Cause::Recomputation],
    ] {
        let all = found(&setup(&pair));
        assert!(pair.iter().all(|cause| all.iter().any(|f| f.0 == *cause)), "{pair:?}: {all:?}");
    }
}

/// What removing a cause gains, simulated anew, is not more than was said.
#[test]
fn no_repair_gains_more_than_was_said() {
    for cause in Cause::ALL.into_iter().skip(1) {
        let broken = setup(&[cause]);
        let window = |setup: &Setup| {
            let traces = setup.run();
            temporal(&Rows::of(&traces[0], Rules::Ours)).expect("it works").window
        };
        let (before, after) = (window(&broken), window(&broken.repaired(cause)));
        let said = found(&broken).first().map_or(0.0, |f| f.1);
        let gained = 1.0 - after as f64 / before as f64;
        assert!(gained > 0.03, "{cause:?} gains {gained}");
        assert!(gained <= said + 0.05, "{cause:?}: {gained} of {said}");
    }
}
