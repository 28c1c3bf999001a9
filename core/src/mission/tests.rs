//! A small mission is played, searched and linked; hostile ones are told why.

use proptest::prelude::*;

use super::*;
use crate::query::Query;

/// Three decisions on a small scale; [`validate`] says that they are too few, and nothing else.
fn small() -> Mission {
    let json = r#"{
        "title": "Small", "question": "Q", "minutes": 10, "brief": "{money|3}",
        "score": {"label": "Left", "unit": "dollars", "value": "money"},
        "state": [
            {"id": "money", "label": "Money", "unit": "dollars", "start": "100"},
            {"id": "days", "label": "Days", "unit": "days", "spent": true}
        ],
        "decision": [
            {"id": "cause", "title": "Cause", "chapter": "c", "ask": "?", "careless": {"answer": "no"}, "option": [
                {"id": "no", "text": "No", "then": ["days = days + 1", "money = money - 5"], "again": true},
                {"id": "yes", "text": "Yes", "then": ["days = days + 0.5"]}
            ]},
            {"id": "serial", "title": "Serial", "chapter": "c", "ask": "{money}", "widget": "amdahl", "free": ["serial"],
             "given": {"n": "=round(money / 50)"}, "tries": {"serial": ["0.1", "0.5", "0.9"]}, "careless": {"serial": "0.9"},
             "limits": {"serial": [0, 0.95]},
             "then": ["money = money * serial_limit"], "back": ["money = money - 1"], "say": "{serial_limit|3}"},
            {"id": "spares", "title": "Spares", "chapter": "c", "ask": "?", "number": "count", "tries": {"answer": ["1", "4"]},
             "careless": {"answer": "4"},
             "case": [{"when": "spares < 2 and cause_yes == 1", "then": ["money = money + 7"]}, {"then": ["money = money - spares"]}]}
        ]
    }"#;
    serde_json::from_str(json).unwrap_or_else(|why| panic!("{why}"))
}

fn decide(text: &str) -> Move {
    Move::Decide(Query::parse(text))
}

fn play(mission: &Mission, moves: &[Move]) -> (Vec<f64>, Option<String>) {
    let models = Models::all();
    let (game, problem) = Game::replay(mission, &models, 1, moves).unwrap_or_else(|why| panic!("{why}"));
    (game.values(), problem)
}

#[test]
fn consequences_are_computed_and_a_wrong_answer_is_paid_for() {
    let mission = small();
    let moves = [decide("answer=no"), decide("answer=yes"), decide("serial=0.5"), decide("answer=1")];
    assert_eq!(play(&mission, &moves), (vec![95.0 * 2.0 + 7.0, 1.5], None));
}

#[test]
fn going_back_keeps_what_is_spent() {
    let mission = small();
    let moves = [decide("answer=yes"), decide("serial=0.5"), decide("answer=4"), Move::Back(1)];
    assert_eq!(play(&mission, &moves), (vec![99.0, 0.5], None));
    let models = Models::all();
    let (mut game, _) = Game::replay(&mission, &models, 1, &moves).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((game.next(), game.path().len()), (1, 1));
    assert!(game.go(&Move::Back(2)).is_err_and(|why| why.contains("not been made")));
}

#[test]
fn a_text_is_picked_by_what_was_decided() {
    let mut mission = small();
    mission.decision[1].given = [("n".to_owned(), "?cause_no:2,cause_yes:64,8".into())].into();
    let models = Models::all();
    let (game, problem) = Game::replay(&mission, &models, 1, &[decide("answer=yes"), decide("serial=0.5")])
        .unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((problem, game.eval("serial_n")), (None, Ok(64.0)));
    mission.decision[1].given = [("n".to_owned(), "?cause_no:2".into())].into();
    let (_, problem) = Game::replay(&mission, &models, 1, &[decide("answer=yes"), decide("serial=0.5")])
        .unwrap_or_else(|why| panic!("{why}"));
    assert!(problem.is_some_and(|why| why.contains("No condition holds")));
}

#[test]
fn what_turns_out_badly_is_marked() {
    let mut mission = small();
    mission.decision[2].case[1].bad = true;
    let models = Models::all();
    let moves = [decide("answer=no"), decide("answer=yes"), decide("serial=0.5"), decide("answer=4")];
    let (game, _) = Game::replay(&mission, &models, 1, &moves).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(game.steps.iter().map(|step| step.bad).collect::<Vec<_>>(), [true, false, false, true]);
    mission.decision[1].show = vec!["limits".into()];
    assert!(validate(&mission, &models).iter().any(|f| f.message.contains("no quantity “limits”")));
}

#[test]
fn a_model_is_asked_before_the_brief() {
    let mut mission = small();
    mission.state[0].start = "100 * half_limit".into();
    mission.brief = "{half_limit|3}".into();
    mission.state[1].draw = vec![8.0];
    mission.model = vec![Asked {
        id: "half".into(),
        model: "amdahl".into(),
        params: [("serial".to_owned(), "0.5".into()), ("n".to_owned(), "=days".into())].into(),
    }];
    let models = Models::all();
    let game = Game::new(&mission, &models, 1).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!((game.values(), game.fill(&mission.brief)), (vec![200.0, 8.0], Ok("2".to_owned())));
    assert_eq!(game.eval("half_n"), Ok(8.0));
    assert_eq!(mission.models(), ["amdahl"]);
}

#[test]
fn a_model_that_is_wrong_is_found_where_it_stands() {
    let asked = |id: &str, model: &str| Asked { id: id.into(), model: model.into(), params: Params::new() };
    let told = |second: Asked| {
        let mut mission = small();
        for nth in 0..3 {
            let mut more = mission.decision[2].clone();
            more.id = format!("more{nth}");
            more.case = vec![Case { then: vec![format!("money = money - more{nth}")], ..Case::default() }];
            mission.decision.push(more);
        }
        mission.model = vec![asked("half", "amdahl"), second];
        validate(&mission, &Models::all())
    };
    assert_eq!(told(asked("two", "amdahl")), []);
    let mut params = asked("two", "amdahl");
    params.params = [("n".to_owned(), "=1/0".into())].into();
    for (second, message) in [
        (asked("two", "amdal"), "no model “amdal”"),
        (asked("half", "amdahl"), "“half” is taken"),
        (asked("money", "amdahl"), "“money” is taken"),
        (asked("Two", "amdahl"), "no name"),
        (params, "divides by zero"),
    ] {
        let found = told(second);
        assert!(found.len() == 1 && found[0].place == "model 2" && found[0].message.contains(message), "{found:?}");
    }
}

#[test]
fn a_move_that_cannot_be_made_changes_nothing() {
    let mission = small();
    let cases = [("answer=maybe", "none of its answers"), ("serial=0.5", "not a part"), ("", "no answer yet")];
    for (answer, needle) in cases {
        let (values, problem) = play(&mission, &[decide(answer)]);
        assert_eq!(values, [100.0, 0.0]);
        assert!(problem.is_some_and(|why| why.contains(needle)), "{answer}");
    }
    for (answer, needle) in [("serial=0.99", "0.95"), ("n=4", "not a part"), ("serial=x", "serial")] {
        let (_, problem) = play(&mission, &[decide("answer=yes"), decide(answer)]);
        assert!(problem.as_ref().is_some_and(|why| why.contains(needle)), "{answer}: {problem:?}");
    }
}

#[test]
fn the_search_finds_the_best_and_the_report_says_what_mattered() {
    let mission = small();
    let models = Models::all();
    let search = Search::new(&mission, &models, 1, &[]).run();
    let (best, score) = search.best().unwrap_or_else(|| panic!("nothing found"));
    assert_eq!(score, 100.0 * 10.0 + 7.0);
    let moves = [decide("answer=no"), decide("answer=yes"), decide("serial=0.9"), decide("answer=1")];
    let (game, _) = Game::replay(&mission, &models, 1, &moves).unwrap_or_else(|why| panic!("{why}"));
    let report = Report::of(&mission, &models, 1, &game, &best).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(report.mattered.iter().map(|m| m.decision).collect::<Vec<_>>(), [1]);
    assert!(report.careless.as_ref().is_some_and(|played| played.score < report.you.score));
    // The first answer had to be made again; it cost what a run without it has more.
    let clean = [decide("answer=yes"), decide("serial=0.9"), decide("answer=1")];
    let (game, _) = Game::replay(&mission, &models, 1, &clean).unwrap_or_else(|why| panic!("{why}"));
    let straight = Report::of(&mission, &models, 1, &game, &best).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(straight.failed, 0.0);
    assert!((report.failed - (straight.you.score - report.you.score)).abs() < 1e-9 && report.failed > 1.0);
    // What hardly counts is not said to matter.
    for (report, apart) in [&report, &straight].map(|r| (r, r.best.score - r.you.score)) {
        assert!(report.mattered.iter().all(|m| m.gain >= super::report::MATTERS * apart.abs() * 0.9));
    }
}

#[test]
fn an_author_is_told_what_is_wrong() {
    let told = |change: &dyn Fn(&mut Mission)| {
        let mut mission = small();
        change(&mut mission);
        validate(&mission, &Models::all())
            .into_iter()
            .map(|f| format!("{}: {}", f.place, f.message))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(told(&|_| ()), ": A mission has six to ten decisions; this one has 3.");
    let full = |change: &dyn Fn(&mut Mission)| {
        told(&|mission| {
            for nth in 0..3 {
                let mut more = mission.decision[2].clone();
                more.id = format!("more{nth}");
                more.case = vec![Case { then: vec![format!("money = money - more{nth}")], ..Case::default() }];
                mission.decision.push(more);
            }
            change(mission);
        })
    };
    assert_eq!(full(&|_| ()), "");
    assert!(full(&|m| m.decision[1].then[0] = "monney = 1".into()).contains("no variable “monney”"));
    assert!(full(&|m| m.decision[1].then[0] = "money = serial_limt".into()).contains("did you mean “serial_limit”"));
    assert!(full(&|m| m.decision[1].say = "{serial_".into()).contains("never closed"));
    assert!(full(&|m| m.decision[1].widget = Some("amdal".into())).contains("no widget “amdal”"));
    assert!(full(&|m| m.decision[1].free = vec!["seriall".into()]).contains("no parameter “seriall”"));
    assert!(full(&|m| m.decision[2].case[0].when = "spares".into()).contains("compares two"));
    assert!(full(&|m| m.decision[0].option.truncate(1)).contains("at least two"));
    assert!(full(&|m| m.state[1].id = "money".into()).contains("taken"));
    assert!(full(&|m| m.state[0].start = "1/0".into()).contains("divides by zero"));
    assert!(full(&|m| m.score.value = "mony".into()).contains("mony"));
}

proptest! {
    #[test]
    fn moves_survive_a_link(answers in proptest::collection::vec(("[a-z]{1,6}", "[a-z0-9.]{1,8}"), 0..20)) {
        let moves: Vec<Move> = answers.iter().map(|(name, value)| {
            if name == "back" { Move::Back(3) } else { Move::Decide(Query::new([(name.as_str(), value.as_str())])) }
        }).collect();
        prop_assert_eq!(read(&write(&moves)), Ok(moves));
    }

    #[test]
    fn no_link_is_too_much(text in "\\PC*|[a-z:;,=0-9.\\-]{0,80}") {
        let mission = small();
        match read(&text) {
            Ok(moves) => {
                let (values, _) = play(&mission, &moves);
                prop_assert!(values.iter().all(|v| v.is_finite()));
            }
            Err(why) => prop_assert!(!why.is_empty()),
        }
    }

    #[test]
    fn no_mission_is_too_much(line in "[a-z_=+*/<>0-9. ]{0,30}", say in "[a-z{}|0-9]{0,20}", draw in proptest::num::f64::ANY) {
        let mut mission = small();
        mission.decision[1].then = vec![line.clone()];
        mission.decision[2].case[0].when = line;
        mission.decision[0].option[1].say = say;
        mission.state[1].draw = vec![draw];
        let models = Models::all();
        let _ = validate(&mission, &models);
        let moves = [decide("answer=yes"), decide("serial=0.5"), decide("answer=1"), Move::Back(0)];
        if let Ok((game, _)) = Game::replay(&mission, &models, 1, &moves) {
            prop_assert!(game.values().iter().all(|v| v.is_finite()));
        }
    }
}
