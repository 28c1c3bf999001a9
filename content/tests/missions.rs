//! Every mission can be played: the best that the search finds beats a careless run, each decision matters, each chapter exists.

use std::collections::BTreeSet;

use ringside_core::mission::{Game, Made, Path as Answers};
use ringside_core::mission::{Mission, Models, Move, Report, SEED, Search, careless, read, validate, write};
use ringside_core::query::Query;

use crate::root;

/// The missions, by the names of their files. Their texts are Markdown here.
fn missions() -> Vec<(String, Mission)> {
    let folder = root().join("missions");
    let mut all: Vec<(String, Mission)> = std::fs::read_dir(folder)
        .expect("content/missions")
        .map(|file| {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let mission = toml::from_str(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
            (name, mission)
        })
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    let only = std::env::var("MISSION").unwrap_or_default();
    all.retain(|(name, _)| name.contains(&only));
    all
}

fn moves(path: &Answers) -> Vec<Move> {
    path.iter().flatten().cloned().map(Move::Decide).collect()
}

#[test]
fn every_mission_is_played_to_its_end_and_thinking_pays() {
    let course = std::fs::read_to_string(root().join("course.toml")).expect("course");
    let missions = missions();
    assert!(!missions.is_empty());
    for (name, mission) in &missions {
        let models = Models::all();
        assert_eq!(validate(mission, &models), [], "{name}");
        for decision in &mission.decision {
            assert!(course.contains(&format!("slug = \"{}\"", decision.chapter)), "{name}: {}", decision.chapter);
        }
        let began = std::time::Instant::now();
        let search = Search::new(mission, &models, SEED, &[]).run();
        let (best, score) = search.best().unwrap_or_else(|| panic!("{name}: nothing found"));
        let took = began.elapsed();
        // What the search found is what a learner gets who plays it, also by a link.
        let played = read(&write(&moves(&best))).expect("its own moves");
        let (game, problem) = Game::replay(mission, &models, SEED, &played).expect("a state");
        assert_eq!(problem, None, "{name}");
        assert!(game.is_over() && game.score() == Ok(score), "{name}");
        let report = Report::of(mission, &models, SEED, &game, &best).expect("a report");
        assert_eq!(report.mattered, [], "{name}");
        let without = report.careless.unwrap_or_else(|| panic!("{name}: the careless answers lead nowhere"));
        let scale = score.abs().max(without.score.abs());
        assert!(score - without.score > 0.05 * scale, "{name}: best {score}, careless {}", without.score);
        println!("== {name}: best {score:.4}, careless {:.4}, {} tried in {took:?}", without.score, search.tried());
        println!("   {}", write(&played));
        println!("   best {:?}\n   careless {:?}", report.best.outcomes, without.outcomes);
        alternatives(name, mission, &models, &best, score);
    }
}

/// Each decision of the best run has an answer that is worse, and at least two answers that come to something else.
fn alternatives(name: &str, mission: &Mission, models: &Models<'_>, best: &Answers, score: f64) {
    for (i, decision) in mission.decision.iter().enumerate() {
        let mut scores: Vec<(String, Option<f64>)> = Vec::new();
        for answer in decision.candidates() {
            let mut path = best.clone();
            path[i] = vec![answer.clone()];
            let (game, problem) = Game::replay(mission, models, SEED, &moves(&path)).expect("a state");
            let came = (problem.is_none() && game.is_over()).then(|| game.score().expect("a score"));
            scores.push((answer.to_string(), came));
        }
        let different = |came: &Option<f64>| came.is_none_or(|s| (s - score).abs() > 1e-3 * score.abs());
        assert!(scores.iter().any(|(_, s)| different(s)), "{name}, {}: {scores:?}", decision.id);
        assert!(
            scores.iter().all(|(_, s)| s.is_none_or(|s| s <= score * (1.0 + 1e-9) + 1e-9)),
            "{name}, {}",
            decision.id
        );
        if std::env::var_os("MISSION").is_some() {
            let list: Vec<String> =
                scores.iter().map(|(a, s)| format!("{a} {}", s.map_or("–".into(), |s| format!("{s:.4}")))).collect();
            println!("   {}: {}", decision.id, list.join(" | "));
        }
    }
}

#[test]
fn going_back_costs_and_is_told() {
    for (name, mission) in &missions() {
        let models = Models::all();
        let mut game = Game::new(mission, &models, SEED).expect("a state");
        // As somebody careless, and back from the end to the second decision.
        for (i, answers) in careless(mission).iter().enumerate() {
            for answer in answers {
                game.go(&Move::Decide(answer.clone()))
                    .unwrap_or_else(|why| panic!("{name}, decision {}: {why}", i + 1));
            }
            for answer in mission.decision[i].candidates() {
                if game.next() == i {
                    game.go(&Move::Decide(answer)).ok();
                }
            }
        }
        assert!(game.is_over(), "{name}");
        let spent = |game: &Game<'_>| -> Vec<f64> {
            let values = game.values();
            mission.state.iter().zip(values).filter(|(v, _)| v.spent).map(|(_, value)| value).collect()
        };
        let gone = spent(&game);
        assert!(!gone.is_empty(), "{name} spends nothing");
        game.go(&Move::Back(1)).expect("back");
        assert_eq!(game.next(), 1);
        assert!(
            spent(&game) != spent(&Game::new(mission, &models, SEED).expect("a state")),
            "{name}: going back is free"
        );
    }
}

/// What is decided in the test below: what a search tries, and the ends of what is allowed.
fn answers(decision: &ringside_core::mission::Decision) -> Vec<Query> {
    let mut all = decision.candidates();
    let first = all.first().cloned().unwrap_or_default();
    for (name, ends) in &decision.limits {
        for end in ends {
            let one = first.with(&Query::new([(name.as_str(), ringside_core::query::plain(*end).as_str())]));
            if !all.contains(&one) {
                all.push(one);
            }
        }
    }
    all
}

/// Answers to two decisions are paired up to so many pairs. Of decisions with more, each answer goes on to the end once.
const PAIRS: usize = 60;

/// Whatever was accepted before, every decision has an answer that goes on, and no text or expression fails. All runs would be too many: a game is
/// played on if it has an answer, or a pair of two answers, that no other has.
#[test]
fn no_accepted_answers_lead_to_a_dead_end() {
    for (name, mission) in &missions() {
        let models = Models::all();
        let counts: Vec<usize> = mission.decision.iter().map(|decision| answers(decision).len()).collect();
        let mut reached = vec![(Vec::new(), Game::new(mission, &models, SEED).expect("a state"))];
        for (i, decision) in mission.decision.iter().enumerate() {
            let place = format!("{name}, {}", decision.id);
            let answers = answers(decision);
            // An answer, or two of them, by decision.
            let mut covered = BTreeSet::new();
            let of = |made: &[usize], nth: usize| {
                let all: Vec<(usize, usize)> = made.iter().copied().chain([nth]).enumerate().collect();
                let pairs = all[..i].iter().filter(|(d, _)| counts[*d] * answers.len() <= PAIRS);
                let pairs: Vec<_> = pairs.map(|one| (*one, Some((i, nth)))).collect();
                all.into_iter().map(|one| (one, None)).chain(pairs).collect::<Vec<_>>()
            };
            let mut next = Vec::new();
            for (made, game) in &reached {
                let run =
                    || write(&game.steps.iter().filter_map(|s| s.answer.clone()).map(Move::Decide).collect::<Vec<_>>());
                game.fill(&decision.ask).unwrap_or_else(|why| panic!("{place} after {}: {why}", run()));
                let mut goes_on = false;
                // Each game begins with another answer.
                for k in 0..answers.len() {
                    let nth = (k + next.len()) % answers.len();
                    let covers = of(made, nth);
                    if goes_on && covers.iter().all(|one| covered.contains(one)) {
                        continue;
                    }
                    let mut tried = game.clone();
                    match tried.go(&Move::Decide(answers[nth].clone())) {
                        // A model says why one of its states is impossible; everything else is the author's.
                        Err(why) => assert!(
                            matches!(decision.made(), Made::Widget(_)) && !why.starts_with('“'),
                            "{place}, {} after {}: {why}",
                            answers[nth],
                            run()
                        ),
                        Ok(()) if tried.next() > i => {
                            goes_on = true;
                            if !covers.iter().all(|one| covered.contains(one)) {
                                covered.extend(covers);
                                next.push((made.iter().copied().chain([nth]).collect(), tried));
                            }
                        }
                        Ok(()) => {}
                    }
                }
                assert!(goes_on, "{place}: no answer goes on after {}", run());
            }
            reached = next;
            println!("{place}: {} games", reached.len());
        }
        for (_, game) in &reached {
            let outcomes = mission.outcome.iter().map(|o| o.value.as_str()).chain([mission.score.value.as_str()]);
            for value in outcomes {
                assert!(game.eval(value).is_ok_and(f64::is_finite), "{name}: {value}");
            }
            game.fill(&mission.end).unwrap_or_else(|why| panic!("{name}, end: {why}"));
        }
    }
}

/// A bill is GPUs × price × hours: nothing scales it by a speed.
#[test]
fn a_bill_is_gpus_times_price_times_hours() {
    for (name, mission) in &missions() {
        let lines = mission.decision.iter().flat_map(|d| {
            let cases = d.case.iter().flat_map(|case| &case.then);
            d.then.iter().chain(cases).chain(d.option.iter().flat_map(|option| &option.then))
        });
        for line in lines.filter(|line| line.trim_start().starts_with("bill =")) {
            assert!(line.contains("gpus") && line.contains("price * month"), "{name}: {line}");
        }
    }
}
