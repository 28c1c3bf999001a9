//! Every mission can be played: the best that the search finds beats a careless run, each decision matters, each chapter exists.

use ringside_core::mission::{Game, Path as Answers};
use ringside_core::mission::{Mission, Models, Move, Report, SEED, Search, careless, read, validate, write};

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
