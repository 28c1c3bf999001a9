use std::time::{Duration, Instant};

use super::*;
use crate::catalogue::{ALL, find};
use crate::quantity::Unit;

/// A figure of which one state takes longer is a simulation.
const SLOW: Duration = Duration::from_millis(3);

/// The parameters of a figure that are tried: all of them; of a simulation one with few values.
fn tried(entry: &Entry) -> Vec<Axis> {
    let begun = Instant::now();
    (entry.evaluate)(&Query::default());
    let is_slow = begun.elapsed() > SLOW;
    let all = axes(entry).into_iter();
    if is_slow { all.filter(|axis| axis.len() <= 4).take(1).collect() } else { all.collect() }
}

/// A quantity that an axis moves, and its values at both ends and in the middle; none where it moves none.
fn moved(entry: &Entry, base: &Query, axis: &Axis) -> Option<(Named, Vec<f64>)> {
    let states = axis.spread(3).into_iter().filter_map(|at| axis.turned(entry, base, at));
    let results: Vec<_> = states.map(|state| (entry.evaluate)(&state)).filter(|r| r.error.is_none()).collect();
    let values = |id: &str| {
        let all = results.iter().flat_map(|result| &result.quantities);
        all.filter(|q| q.id == id && q.applies).map(|q| q.value).collect::<Vec<f64>>()
    };
    let differ = |list: &[f64]| list.windows(2).any(|pair| pair[0] != pair[1]);
    entry.quantities().map(|named| (named, values(named.0))).find(|(_, values)| differ(values))
}

/// The state as its link says it, evaluated again.
fn again(entry: &Entry, point: &Point, quantity: &str) -> f64 {
    let link = Query::parse(&point.query.to_string());
    (entry.evaluate)(&link).get(quantity).unwrap_or_else(|| panic!("{}: {link} has no result", entry.id))
}

fn ask(entry: &'static Entry, base: &Query, axis: &Axis, goal: Goal) -> Outcome {
    let outcome = Solve::new(*entry, base, axis.clone(), goal).finish().outcome();
    let context = format!("{}: {} for {} {:?} {}", entry.id, axis.name(), goal.quantity.0, goal.relation, goal.limit);
    assert!(outcome.said.ends_with('.') && !outcome.said.contains("  "), "{context}: {}", outcome.said);
    assert!(outcome.tried <= axis.len(), "{context}: no value is tried twice");
    if let Some(found) = &outcome.found {
        let value = again(entry, found, goal.quantity.0);
        assert!(goal.meets(value), "{context}: {} gives {value}", found.at);
    }
    if let Some(next) = &outcome.next {
        let value = again(entry, next, goal.quantity.0);
        assert!(!goal.meets(value), "{context}: one notch further, at {}, still gives {value}", next.at);
        let at = |point: &Option<Point>| point.as_ref().and_then(|p| axis.position(&p.query)).expect("a notch");
        assert_eq!(at(&outcome.found).abs_diff(at(&outcome.next)), 1, "{context}: not the next notch");
    }
    if outcome.found.is_none() {
        for i in 0..axis.len().min(100) {
            let state = axis.turned(entry, base, (i * 7919) % axis.len());
            let value = state.and_then(|state| (entry.evaluate)(&state).get(goal.quantity.0));
            assert!(!value.is_some_and(|value| goal.meets(value)), "{context}: notch {i} meets it, none was found");
        }
    }
    outcome
}

#[test]
fn what_is_solved_meets_the_limit_and_one_notch_further_does_not() {
    let (mut solved, mut bisected) = (0, 0);
    for entry in ALL {
        let base = (entry.evaluate)(&Query::default()).query;
        for (i, axis) in tried(entry).into_iter().enumerate() {
            let Some((quantity, values)) = moved(entry, &base, &axis) else { continue };
            let limit = values[values.len() / 2];
            let outcome = ask(entry, &base, &axis, Goal { quantity, relation: Relation::ALL[i % 3], limit });
            assert!(
                outcome.found.is_some(),
                "{}: {} has a value at which {} is {limit}",
                entry.id,
                axis.name(),
                quantity.0
            );
            solved += 1;
            bisected += usize::from(outcome.tried < axis.len());
        }
    }
    assert!(solved > 150 && bisected > 10, "{solved} solved, {bisected} of them by bisection");
}

#[test]
fn where_no_solution_is_claimed_there_is_none() {
    let mut none = 0;
    for entry in ALL {
        let base = (entry.evaluate)(&Query::default()).query;
        // One parameter of each figure, with few values: every one of them is tried.
        let few = tried(entry).into_iter().filter(|axis| axis.len() <= 64);
        let axis = few.map(|axis| (moved(entry, &base, &axis), axis)).find_map(|(moved, axis)| Some((moved?, axis)));
        let Some(((quantity, values), axis)) = axis else { continue };
        let largest = values.iter().copied().fold(0.0, |a: f64, b| a.max(b.abs()));
        let goal = Goal { quantity, relation: Relation::Equal, limit: -largest - 1.0 };
        none += usize::from(ask(entry, &base, &axis, goal).found.is_none());
    }
    assert!(none > 30, "{none} without a solution");
}

#[test]
fn a_limit_is_typed_with_its_unit() {
    assert_eq!(Goal::limit("80 GB", Unit::Bytes), Ok(80e9));
    assert_eq!(Goal::limit("45 min", Unit::Seconds), Ok(2700.0));
    assert_eq!(Goal::limit("60%", Unit::Fraction), Ok(0.6));
    assert_eq!(Goal::limit("512", Unit::Count), Ok(512.0));
    for (text, unit) in [("80", Unit::Bytes), ("", Unit::Count), ("5 GB", Unit::Seconds), ("soon", Unit::Seconds)] {
        let why = Goal::limit(text, unit).expect_err(text);
        assert!(why.ends_with('.') || why.ends_with('?'), "{why}");
    }
}

#[test]
fn memory_is_solved_for_the_number_of_ranks() {
    let entry = find("memory-breakdown").expect("a figure");
    let base = Query::parse("params=30e9&zero=3");
    let axis = axes(entry).into_iter().find(|axis| axis.name() == "dp").expect("a parameter");
    let quantity = entry.quantities().find(|(id, ..)| *id == "total").expect("a quantity");
    let goal = Goal { quantity, relation: Relation::AtMost, limit: 80e9 };
    let outcome = ask(entry, &base, &axis, goal);
    let found = outcome.found.expect("a solution");
    // 480 GB over 8 ranks.
    assert_eq!((found.query.get("dp"), found.value), (Some("8"), 60e9));
    assert!(outcome.said.contains("with data-parallel ranks at 8 or more"), "{}", outcome.said);
}

#[test]
fn two_values_that_differ_look_different() {
    let entry = find("memory-breakdown").expect("a figure");
    let quantity = entry.quantities().find(|(id, ..)| *id == "total").expect("a quantity");
    assert_eq!(apart(entry, quantity, [60e9, 80e9]), ["60 GB", "80 GB"]);
    assert_eq!(apart(entry, quantity, [60.01e9, 60.02e9]), ["60.01 GB", "60.02 GB"]);
    assert_eq!(apart(entry, quantity, [60e9, 60e9]), ["60 GB", "60 GB"]);
    let share = entry.quantities().find(|(_, _, unit)| *unit == Unit::Fraction).unwrap_or(("", "", Unit::Fraction));
    assert_eq!(apart(entry, share, [0.623_44, 0.623_41]), ["62.344%", "62.341%"]);
}

#[test]
fn a_search_begins_with_what_the_quantity_is_held_against() {
    let entry = find("rlhf-memory").expect("a figure");
    let limit = |id: &str| {
        let quantity = entry.quantities().find(|(other, ..)| *other == id).expect("a quantity");
        declared_limit(entry, &Query::parse("gpu=h100-80"), quantity)
    };
    assert!(limit("peak").is_some_and(|text| text.ends_with("GB")), "{:?}", limit("peak"));
    assert_eq!(limit("step-time"), None);
}

#[test]
fn a_map_has_a_state_in_each_cell() {
    let entry = find("memory-breakdown").expect("a figure");
    let all = axes(entry);
    let axis = |name: &str| all.iter().find(|axis| axis.name() == name).cloned().expect("a parameter");
    let quantity = entry.quantities().find(|(id, ..)| *id == "total").expect("a quantity");
    let goal = Goal { quantity, relation: Relation::AtMost, limit: 80e9 };
    let map = Map::new(*entry, &Query::parse("params=30e9"), [axis("dp"), axis("zero")], goal).finish();
    let (columns, rows) = map.size();
    assert_eq!(map.cells().len(), columns * rows);
    for cell in map.cells() {
        let state = cell.query.as_ref().expect("nothing is ruled out here");
        assert_eq!((entry.evaluate)(state).get("total"), cell.value);
        assert_eq!(cell.meets, cell.value.is_some_and(|value| value <= 80e9));
    }
    assert!(map.cells().iter().any(|cell| cell.meets) && map.cells().iter().any(|cell| !cell.meets));
}

#[test]
fn drivers_are_ranked_and_their_states_are_real() {
    for id in ["memory-breakdown", "scaling-curve", "serving-planner", "amdahl"] {
        let entry = find(id).expect("a figure");
        let quantity = headlines(entry)[0];
        let drivers = Drivers::new(*entry, &Query::default(), quantity).finish();
        let ranked = drivers.ranked();
        assert!(!ranked.is_empty() && ranked.len() <= MOST_DRIVERS, "{id}: {}", drivers.said());
        assert!(ranked.windows(2).all(|pair| pair[0].effect >= pair[1].effect), "{id}");
        for moved in ranked.iter().flat_map(|driver| [&driver.low, &driver.high]).flatten() {
            assert_eq!((entry.evaluate)(&moved.query).get(quantity.0), Some(moved.value), "{id}: {}", moved.to);
        }
    }
}

#[test]
fn what_never_ends_has_no_time_to_be_ranked_by() {
    let entry = find("ring-all-reduce").expect("a figure");
    for id in ["time", "bytes-sent-per-rank"] {
        let quantity = entry.quantities().find(|(other, ..)| *other == id).expect("a quantity");
        let drivers = Drivers::new(*entry, &Query::default(), quantity).finish();
        let ranked = drivers.ranked();
        let mut moves = ranked.iter().flat_map(|driver| [&driver.low, &driver.high]).flatten();
        assert!(moves.all(|moved| moved.query.get("cut") != Some("true")), "{id}");
        assert!(drivers.said().ends_with("No result with Cables at “One is broken”."), "{}", drivers.said());
    }
    let states = ["", "cut=true"].map(Query::parse);
    let said = Compare::new(*entry, &states).finish().comparison().said(1);
    assert!(!said.contains('×'), "{said}");
    // A job that can never start leaves the others’ waits no measure of the cluster.
    let stuck = ALL.iter().find(|entry| entry.id == "cluster-scheduler").expect("a figure");
    for (text, jobs) in [("", 0.0), ("trace=gangs&policy=kubernetes&gang=false", 2.0)] {
        let result = (stuck.evaluate)(&Query::parse(text));
        let quantity = |id: &str| result.quantities.iter().find(|q| q.id == id).expect("a quantity");
        assert_eq!(quantity("stuck").value, jobs, "{text}");
        for id in ["makespan", "mean-wait", "utilisation", "slowdown"] {
            assert_eq!(quantity(id).applies, quantity("stuck").value == 0.0, "{text}: {id}");
        }
    }
}

#[test]
fn states_are_compared_with_the_first() {
    let entry = find("memory-breakdown").expect("a figure");
    let states = ["params=30e9&dp=64", "params=30e9&dp=64&zero=3", "params=30e9&dp=64&zero=1"].map(Query::parse);
    let found = Compare::new(*entry, &states).finish().comparison();
    let labels: Vec<_> = found.differing.iter().map(|param| (param.label, param.values.clone())).collect();
    assert_eq!(labels, [("ZeRO stage", vec!["0".to_owned(), "3".to_owned(), "1".to_owned()])]);
    assert!(found.said(1).starts_with("With ZeRO stage 3 instead of 0: "), "{}", found.said(1));
    let csv = found.csv(&["Now".to_owned(), "A".to_owned(), "B".to_owned()]);
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert_eq!(Change::of(40e9, 60e9).text(Unit::Bytes), "+20 GB, ×1.5");
    assert_eq!(Change::of(0.5, 0.4).text(Unit::Fraction), "−10 points");
    assert_eq!(Change::of(0.0, 4.0).text(Unit::Count), "+4");
}

#[test]
fn what_is_explored_is_one_parameter_of_the_link() {
    let entry = find("memory-breakdown").expect("a figure");
    let mut explored = Explored { tool: Tool::Solve, param: "dp".to_owned(), ..Explored::default() };
    explored.limit = "80 GB ~*:&=%+".to_owned();
    for state in ["", "dp=8", "params=7e9&zero=3", "dp=16"] {
        assert_eq!(explored.keep(entry, &Query::parse(state)), Ok(()), "{state}");
    }
    assert!(explored.keep(entry, &Query::parse("dp=8")).is_err(), "kept twice");
    assert!(explored.keep(entry, &Query::parse("dp=32")).is_err(), "a fifth");
    let query = Explored::put(Some(&explored), &Query::parse("dp=4"));
    let link = Query::parse(&query.to_string());
    assert_eq!(Explored::of(&link), Some(explored));
    // The model neither hears of it nor loses anything by it.
    let result = (entry.evaluate)(&link);
    assert_eq!((result.problems.len(), result.query.get(EXPLORE), result.query.get("dp")), (0, None, Some("4")));
    assert_eq!(carried(&link, Query::parse("dp=2")).get(EXPLORE), link.get(EXPLORE));
    assert_eq!(Explored::put(None, &link), Query::parse("dp=4"));
    let strange = Explored::of(&Query::parse("explore=tool:x*param:nonsense**q")).expect("read");
    assert_eq!((strange.tool, strange.problems(entry).len(), strange.kept.len()), (Tool::Compare, 1, 1));
}

/// The figures in which something is decided, each in a state in which it isn't good.
const BAD: [(&str, &str); 9] = [
    ("lora-adapters", "gpu=t4"),
    ("rlhf-memory", "gpus=2"),
    ("first-steps", "dp=1&zero=0"),
    ("kv-cache", "view=fit&model=llama-3-70b"),
    ("parallel-planner", "nodes=2&tp=1&pp=1&zero=0&recompute=none"),
    ("training-run", "days=2"),
    ("serving-planner", "have=8"),
    ("serving-planner", "token=0.005&tp=2"),
    ("serving-planner", "gpu=a100-40&tp=1"),
];

#[test]
fn a_decision_names_what_its_figure_has() {
    let deciding: Vec<&str> = ALL.iter().filter(|entry| entry.decision.is_some()).map(|e| e.id).collect();
    assert!(BAD.iter().all(|(id, _)| deciding.contains(id)));
    for entry in ALL.iter() {
        let Some(decision) = entry.decision else { continue };
        let has = |id: &str| entry.quantities().any(|(quantity, ..)| quantity == id);
        assert!(
            decision.quantities.iter().all(|id| has(id)) && decision.judges.iter().all(|id| has(id)),
            "{}",
            entry.id
        );
        assert!(decision.not_counted.ends_with('.') && decision.levers.iter().all(|l| l.cost.ends_with('.')));
        for (i, lever) in decision.levers.iter().enumerate() {
            let param = entry.param(lever.param).unwrap_or_else(|| panic!("{} has no {}", entry.id, lever.param));
            assert!(decision.levers[..i].iter().all(|other| other.param != lever.param), "{}: twice", lever.param);
            for value in lever.values {
                let (_, problems) = (entry.read)(&Query::new([(lever.param, *value)]));
                assert!(problems.is_empty(), "{} {}={value}: {problems:?}", entry.id, param.spec.name);
            }
        }
    }
}

#[test]
fn the_cheapest_change_makes_a_bad_decision_good_and_no_part_of_it_is_idle() {
    for (id, query) in BAD {
        let entry = find(id).expect("a figure");
        let query = Query::parse(query);
        let good = |query: &Query| decided(entry, &(entry.evaluate)(query)).expect("something to decide");
        assert!(!good(&query).is_good, "{id}: {:?}", good(&query));
        let remedy = Levers::new(*entry, &query).expect("a decision").finish().remedy();
        let found = remedy.query.unwrap_or_else(|| panic!("{id}: {}", remedy.said));
        println!("{id}: {} {}\n  {}", good(&query).verdict, good(&query).by, remedy.said);
        assert!(good(&found).is_good, "{id}: {}", remedy.said);
        // Taking back any one lever undoes it.
        let base = (entry.read)(&query).0;
        for lever in entry.decision.expect("a decision").levers {
            let (before, after) = (base.get(lever.param), found.get(lever.param));
            if let (Some(before), true) = (before, before != after) {
                let back = (entry.turn)(&found, lever.param, before);
                assert!(back == found || !good(&back).is_good, "{id}: {} is not needed", lever.param);
            }
        }
    }
}

#[test]
fn where_nothing_helps_it_is_said() {
    let entry = find("kv-cache").expect("a figure");
    let query = Query::parse("view=fit&model=llama-3.1-405b&tokens=1048576&gpu=t4&used=0.1");
    let Remedy { query, said } = Levers::new(*entry, &query).expect("a decision").finish().remedy();
    assert_eq!(query, None, "{said}");
    assert!(said.starts_with("No change tried is enough."), "{said}");
    // No lever that changes nothing is named as closest.
    assert!(!said.contains("Closest"), "{said}");
}

#[test]
fn a_change_is_no_stronger_than_it_has_to_be() {
    let entry = find("first-steps").expect("a figure");
    let query = Query::parse("model=llama-3.1-405b&dp=1&gpu=t4");
    let remedy = Levers::new(*entry, &query).expect("a decision").finish().remedy();
    let found = remedy.query.unwrap_or_else(|| panic!("{}", remedy.said));
    let gpu = found.get("gpu").and_then(crate::hardware::find).expect("a GPU");
    let least = crate::hardware::find("t4").expect("there").peak;
    for other in crate::hardware::ALL.iter().filter(|g| g.sold.0 < gpu.sold.0 && g.peak >= least) {
        let state = (entry.turn)(&found, "gpu", other.id);
        let good = decided(entry, &(entry.evaluate)(&state)).is_some_and(|decided| decided.is_good);
        assert!(!good, "{} would do: {}", other.id, remedy.said);
    }
}
