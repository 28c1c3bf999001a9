use super::campaign::{Cause, What};
use super::curve::Curve;
use super::interval::{daly, efficiency, exact, longest_recovery, system, young};
use super::log::{Log, measure};
use super::rates::Rates;
use super::storage::Save;
use super::*;
use crate::declare::Text as _;

/// A campaign of which Daly's model says everything: crashes alone, at once noticed, nobody to wait for.
fn daly_world() -> Failures {
    Failures {
        rates: Rates::Delta,
        gpus: 65_536,
        fixed: 0.0,
        write: 60.0,
        detect: 0.0,
        restart: 300.0,
        repair: 0.0,
        planned: 0.0,
        days: 91,
        ..Failures::default()
    }
}

fn outcome(failures: &Failures) -> Outcome {
    failures.outcome().expect("possible")
}

#[test]
fn all_of_the_time_is_accounted_for() {
    let lives: [Failures; 7] = [
        Failures::default(),
        Failures { save: Save::Async, silent: 24.0, ..Failures::default() },
        Failures { save: Save::Memory, copies: 1, ..Failures::default() },
        Failures { spares: 0.0, shrink: true, ..Failures::default() },
        Failures { spares: 0.0, repair: 100.0, ..Failures::default() },
        Failures { gpus: 8, days: 1, spares: 0.0, shrink: true, ..Failures::default() },
        Failures { gpus: 131_072, silent: 168.0, notice: 0.0, planned: 100.0, interval: 1e5, ..Failures::default() },
    ];
    for life in lives {
        let c = outcome(&life).campaign;
        let length = life.days as f64 * DAY;
        assert!((c.spent.iter().sum::<f64>() / length - 1.0).abs() < 1e-9, "{life:?}: {:?}", c.spent);
        assert!(c.spent.iter().all(|s| *s >= -1e-6), "{:?}", c.spent);
        let mut at = 0.0;
        for stretch in &c.stretches {
            assert!((stretch.from - at).abs() < 1e-6 && stretch.to >= stretch.from, "{stretch:?} after {at}");
            at = stretch.to;
        }
        assert!((at - length).abs() < 1e-6);
        assert!(c.events.is_sorted_by(|a, b| a.at <= b.at));
    }
}

#[test]
fn the_simulation_agrees_with_dalys_model_where_that_holds() {
    for (interval, restart) in [(300.0, 0.0), (600.0, 300.0), (1500.0, 300.0), (6000.0, 900.0)] {
        let life = Failures { interval, restart, ..daly_world() };
        let o = outcome(&life);
        let seeds = 12;
        let one = |seed| outcome(&Failures { seed, ..life.clone() }).campaign.share(Cause::Useful);
        let mean = (1..=seeds).map(one).sum::<f64>() / seeds as f64;
        let model = o.efficiency(interval);
        assert!((mean / model - 1.0).abs() < 0.01, "every {interval}: {mean}, the model {model}");
    }
}

#[test]
fn the_best_interval_that_is_found_costs_what_the_formulas_say() {
    let life = Failures { view: View::Interval, ..daly_world() };
    let o = outcome(&life);
    let best = o.curve.best().expect("a curve");
    assert!((best.wasted - (1.0 - o.efficiency(o.optimum))).abs() < 0.01, "{best:?}");
    let (from, to) = o.curve.flat().expect("a bottom");
    assert!(from < o.daly && o.daly < to && o.young < to, "{from} {to} {}", o.daly);
    assert!(o.efficiency(o.optimum) >= o.efficiency(1.1 * o.optimum).max(o.efficiency(0.9 * o.optimum)));
    let again = Curve::of(&life.setting());
    assert_eq!(again, o.curve, "the same seed, the same curve");
}

#[test]
fn llama_3_stays_above_nine_tenths_only_with_a_short_interval_and_a_short_restart() {
    let useful = |interval, restart| {
        outcome(&Failures { interval, restart, ..Failures::default() }).campaign.share(Cause::Useful)
    };
    assert!(useful(300.0, 300.0) > 0.9);
    assert!(useful(300.0, 1800.0) < 0.9);
    assert!(useful(7200.0, 300.0) < 0.9);
    let o = outcome(&Failures::default());
    let longest = o.longest_recovery(o.optimum, 90.0);
    assert!((efficiency(o.optimum, o.cost, o.mtbf, longest) - 0.9).abs() < 1e-9);
}

#[test]
fn how_it_is_written_changes_the_stall_and_not_the_bytes() {
    let store = |save| outcome(&Failures { save, ..Failures::default() }).store;
    let [single, sharded, asynchronous, memory] = Save::ALL.map(store);
    assert!((sharded.bytes - 5.67e12).abs() < 1e6 && (sharded.write() - 2.835).abs() < 1e-9);
    assert!((single.write() - 5.67e12 / 25e9).abs() < 1e-9, "one node writes all of it");
    assert!(single.stall() > sharded.stall() && sharded.stall() > asynchronous.stall());
    assert!(asynchronous.lag() > 0.0 && memory.lag() < asynchronous.lag() && memory.load() < asynchronous.load());
    let slow = outcome(&Failures { save: Save::Async, storage: 1e9, interval: 60.0, ..Failures::default() });
    assert!(slow.campaign.checkpoints < 54.0 * DAY / slow.store.write() + 1.0, "one at a time");
}

#[test]
fn wrong_numbers_undo_all_that_came_after_them() {
    let at_once = outcome(&Failures::default()).campaign;
    let late = outcome(&Failures { silent: 24.0, ..Failures::default() }).campaign;
    assert!(late.share(Cause::Lost) > at_once.share(Cause::Lost) + 0.03);
    assert!(late.events.iter().any(|e| e.what == What::Alarm && e.lost > 0.5 * DAY));
    assert!(at_once.events.iter().all(|e| e.what != What::Alarm));
}

#[test]
fn one_copy_in_memory_dies_with_its_node_and_two_do_not() {
    let life = |copies| Failures { save: Save::Memory, copies, ..Failures::default() };
    let (one, two) = (outcome(&life(1)).campaign, outcome(&life(2)).campaign);
    assert!(one.fallbacks > 200 && two.fallbacks == 0, "{} {}", one.fallbacks, two.fallbacks);
    assert!(one.share(Cause::Lost) > 3.0 * two.share(Cause::Lost));
}

#[test]
fn without_spares_a_job_waits_or_shrinks() {
    let life = |spares, shrink| outcome(&Failures { spares, shrink, ..Failures::default() }).campaign;
    let (waits, shrinks, spared) = (life(0.0, false), life(0.0, true), life(2.0, false));
    assert!(spared.share(Cause::Waiting) == 0.0 && waits.share(Cause::Waiting) > 0.3);
    assert!(shrinks.share(Cause::Waiting) == 0.0 && shrinks.share(Cause::Shrunk) > 0.002);
    assert!(shrinks.share(Cause::Useful) > waits.share(Cause::Useful));
    assert!(shrinks.events.iter().any(|e| e.what == What::Regrown));
}

#[test]
fn a_planned_stop_with_too_short_a_warning_loses_work() {
    let life = |notice| Failures { gpus: 8, planned: 50.0, notice, ..Failures::default() };
    let (warned, not) = (outcome(&life(600.0)).campaign, outcome(&life(0.0)).campaign);
    let stopped = |c: &Campaign| c.events.iter().filter(|e| e.what == What::Stop).map(|e| e.lost).sum::<f64>();
    assert!(stopped(&warned) == 0.0 && stopped(&not) > 0.0);
}

#[test]
fn formulas_hold_at_their_ends() {
    assert_eq!((young(0.0, 1.0), daly(1.0, f64::NAN), exact(-1.0, 1.0)), (0.0, 0.0, 0.0));
    assert_eq!(daly(200.0, 100.0), 100.0, "from δ = 2M on it is M");
    assert!((exact(1e-6, 1e6) / young(1e-6, 1e6) - 1.0).abs() < 1e-5);
    assert!((exact(1e6, 1.0) - 1.0).abs() < 1e-9, "never longer than M");
    assert!((system(&[(10_000.0, 2e4), (1250.0, 1e4)]) - 1.6).abs() < 1e-12);
    assert_eq!(system(&[(0.0, 1.0), (3.0, 0.0)]), 0.0);
    assert!(longest_recovery(0.9, 1e3, 60.0, 100.0) < 0.0);
}

#[test]
fn a_log_counts_instead_of_the_published_rate() {
    let mut log = Log::default();
    log.read("START; COMPUTE_END 3000;CHECKPOINT_START\nCHECKPOINT_END 60").expect("sound");
    let o = outcome(&Failures { log: log.clone(), days: 7, ..Failures::default() });
    assert!((o.mtbf - 3060.0).abs() < 1e-9 && (o.cost - 60.0).abs() < 1e-9);
    let mut again = Log::default();
    assert!(again.read(&log.write()).is_ok() && again == log);
    assert!(measure(&["START", "COMPUTE_END"]).is_err_and(|why| why.contains("entry 2")));
    assert!(measure(&["START"]).is_err() && measure(&["SOMETHING 3"]).is_err());
}

#[test]
fn what_would_take_too_long_is_refused() {
    let own = Failures { rates: Rates::Own, gpu_mtbf: 100.0, gpus: 131_072, ..Failures::default() };
    assert!(own.outcome().is_err_and(|why| why.contains("fewer days or GPUs") && why.ends_with('.')));
    assert!(Failures { interval: 0.0, ..Failures::default() }.outcome().is_err());
}
