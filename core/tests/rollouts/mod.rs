//! The RL pipeline against AReaL's staleness manager, against expected maxima, and against what frameworks report.

use ringside_core::declare::Model as _;
use ringside_core::post_training::rollout::{Lengths, Params, Shape, capacity};
use ringside_core::query::Query;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "rl-pipeline";
const AREAL: &str = "oracles/areal_staleness.json";
const LONGEST: &str = "oracles/order_statistics.json";

/// How many more answers AReaL lets start, of its own code.
fn areal() -> Check {
    let mut check = Check::new(MODEL, AREAL, "answers that may still be started", 0.0);
    for case in cases(&json(AREAL)) {
        let i = &case["inputs"];
        let started = int(i, "accepted") + int(i, "running");
        let ours =
            capacity(int(i, "places"), int(i, "batch"), int(i, "bound"), int(i, "version"), int(i, "running"), started);
        let theirs = case["outputs"]["capacity"].as_i64().expect("a whole number");
        check.close("capacity", ours as f64, theirs as f64);
        check.case();
    }
    check
}

/// The longest of n answers, as scipy integrates it, and the mean times the harmonic number.
fn longest() -> Check {
    let mut check = Check::new(MODEL, LONGEST, "expected longest of n lognormal or exponential answers", 2e-6);
    for case in cases(&json(LONGEST)) {
        let i = &case["inputs"];
        let (shape, sigma) = match i["kind"].as_str() {
            Some("exponential") => (Shape::Exponential, 0.0),
            _ => (Shape::Lognormal, real(i, "sigma")),
        };
        let lengths = Lengths { shape, sigma, mean: real(i, "mean"), cap: 1e6 };
        check.close("longest", lengths.expected_longest(int(i, "n")), real(&case["outputs"], "longest"));
        check.case();
    }
    check
}

pub fn all() -> Vec<Check> {
    vec![areal(), longest()]
}

#[test]
fn the_rule_and_the_maxima_are_those_of_others() {
    assert_eq!(all().iter().map(|check| check.cases).collect::<Vec<_>>(), [108, 24]);
}

/// What frameworks report over synchronous training in one pool of as many GPUs: AReaL up to 2.77× (arXiv 2505.24298), verl's fully
/// asynchronous recipe 2.35× to 2.67× (verl.readthedocs.io, advance/fully_async), ROLL Flash up to 2.24× (arXiv 2510.11345), Laminar up
/// to 5.48× (arXiv 2510.12633).
#[test]
fn gains_lie_where_frameworks_report_them() {
    for sigma in [0.6, 0.8, 1.0] {
        let outcome = Params { sigma, ..Params::read(&Query::parse("layout=partial")).0 }.outcome();
        let gain = outcome.run.rate / outcome.shared;
        assert!((1.8..5.5).contains(&gain), "{sigma}: {gain}");
    }
}
