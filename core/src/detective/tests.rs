use super::*;
use crate::catalogue;
use crate::query::Query;
use crate::trace::diagnosis::{Certainty, Finding, Place};

#[test]
fn every_case_can_be_solved_from_what_its_trace_shows() {
    for number in 1..=MOST_CASES {
        let params = Params { case: number, view: View::Game, ..Params::standard() };
        let outcome = params.outcome();
        for cause in Case::of(number, 1).causes {
            let found = outcome.findings.iter().find(|f| f.cause == Some(cause));
            assert!(found.is_some_and(|f| !f.evidence.is_empty()), "case {number}: {cause:?} in {:?}", names(&outcome));
            let repaired = Params { repair: cause, ..params }.outcome();
            assert!(repaired.gain() > 0.02, "case {number}: {cause:?} gains {}", repaired.gain());
        }
    }
    assert!((1..=MOST_CASES).filter(|n| Case::of(*n, 1).causes.len() == 2).count() >= 4);
}

fn names(outcome: &Outcome) -> Vec<(Option<Cause>, f64)> {
    outcome.findings.iter().map(|f| (f.cause, f.share)).collect()
}

#[test]
fn fresh_cases_can_be_solved_too() {
    for seed in 1..60 {
        let params = Params { case: 0, seed, view: View::Game, ..Params::standard() };
        let outcome = params.outcome();
        let causes = Case::of(0, seed).causes;
        assert!(
            causes.iter().all(|c| outcome.findings.iter().any(|f| f.cause == Some(*c))),
            "{seed}: {causes:?} in {:?}",
            names(&outcome)
        );
    }
}

#[test]
fn a_repair_that_is_not_needed_changes_nothing() {
    let params = Params { cause: Cause::DataLoader, repair: Cause::Recomputation, ..Params::standard() };
    let outcome = params.outcome();
    assert_eq!(outcome.gain(), 0.0);
    assert!(params.finding(&outcome).contains("as before"));
}

#[test]
fn the_game_does_not_say_what_it_asks() {
    for number in 1..=MOST_CASES {
        let params = Params { case: number, view: View::Game, ..Params::standard() };
        let said = params.finding(&params.outcome());
        assert!(Cause::ALL.iter().skip(1).all(|cause| !said.contains(cause.label())), "{said}");
    }
}

#[test]
fn where_a_verdict_is_asked_for_nothing_answers() {
    for cause in Cause::ALL.into_iter().skip(1) {
        let params = Params { cause, view: View::Verdict, layers: 4, steps: 1, ..Params::standard() };
        let outcome = params.outcome();
        let said = params.finding(&outcome);
        assert!(Cause::ALL.iter().skip(1).all(|cause| !said.contains(cause.label())), "{said}");
        let numbers = params.quantities(&outcome);
        let named = Params { repair: cause, ..params };
        assert_eq!(named.quantities(&named.outcome()), numbers, "{cause:?}");
    }
}

#[test]
fn a_step_with_nothing_wrong_is_what_the_repair_leaves() {
    for cause in Cause::ALL.into_iter().skip(1) {
        let params = Params { cause, repair: cause, ..Params::standard() };
        let outcome = params.outcome();
        let quantity = |id: &str| params.quantities(&outcome).iter().find(|q| q.id == id).map(|q| q.value);
        assert_eq!(quantity("step-mended"), quantity("step-time"), "{cause:?}");
        let broken = Params { repair: Cause::None, ..params };
        let broken_outcome = broken.outcome();
        let mended = broken.quantities(&broken_outcome).iter().find(|q| q.id == "step-mended").map(|q| q.value);
        assert!(mended < Some(broken_outcome.step_time), "{cause:?}");
    }
}

#[test]
fn one_event_is_spoken_of_as_one() {
    let trace = Params::standard().outcome().traces.swap_remove(0);
    let many = ["1 times", "1 launches", "1 calls", "1 collectives", "1 kernels", "1 copies"];
    for cause in Cause::ALL.into_iter().skip(1) {
        let one = evidence(
            &trace,
            &Finding {
                cause: Some(cause),
                certainty: Certainty::Shown,
                place: Place::Anywhere,
                gain: 8_000_000,
                share: 0.1,
                evidence: vec![0],
            },
        );
        assert!(!many.iter().any(|words| one.contains(words)), "{one}");
    }
}

#[test]
fn choices_contain_the_right_ones() {
    let all = choices(&[Cause::Sync, Cause::Straggler], 4, 9);
    assert_eq!(all.len(), 6);
    assert!(all.contains(&Cause::Sync) && all.contains(&Cause::Straggler));
    assert_ne!(all, choices(&[Cause::Sync, Cause::Straggler], 4, 10));
}

#[test]
fn it_is_in_the_catalogue() {
    let entry = catalogue::find("trace-detective").expect("there");
    assert!((entry.evaluate)(&Query::parse("cause=sync")).get("idle").is_some_and(|v| v > 0.05));
}
