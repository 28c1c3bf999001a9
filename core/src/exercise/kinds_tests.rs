//! The kinds that are not a number or a choice: right, nearly right, wrong and absurd answers.

use super::input::{cause_and_change, indices, mark, partners, points, solve, write_partners};
use super::*;

fn read(rest: &str) -> Exercise {
    let head = r#""id": "x", "skill": "s.t", "prompt": "?", "model": "amdahl", "params": { "serial": 0.05, "n": 64 },
        "draw": { "serial": [0.02, 0.1] }"#;
    serde_json::from_str(&format!("{{ {head}, {rest} }}")).unwrap()
}

fn marked(exercise: &Exercise, answer: &str) -> &'static str {
    mark(exercise, 0, answer, &by_catalogue(exercise)).unwrap()
}

fn problems(exercise: &Exercise) -> Vec<String> {
    validate(exercise, &by_catalogue(exercise), 200)
}

fn order(by: bool) -> Exercise {
    let by = if by { r#""by": "speedup", "unit": "ratio","# } else { "" };
    read(&format!(
        r#""kind": "order", {by} "ends": ["least", "most"], "say": "Yes: {{speedup}}.", "items": [
            {{ "text": "8", "set": {{ "n": 8 }}, "say": "Few." }},
            {{ "text": "256", "set": {{ "n": 256 }}, "say": "Many." }},
            {{ "text": "64", "set": {{ "n": 64 }}, "say": "Some." }}
        ]"#
    ))
}

#[test]
fn an_order_is_computed_or_as_written() {
    assert_eq!(problems(&order(true)), [] as [String; 0]);
    for (given, came) in [
        ("0,2,1", "right"),
        (" 0 , 2,1", "right"),
        ("0,1,2", "wrong"),
        ("0,2", "wrong"),
        ("0,0,0", "wrong"),
        ("", "empty"),
        ("0,2,3", "unreadable"),
        ("first", "unreadable"),
    ] {
        assert_eq!(marked(&order(true), given), came, "{given}");
    }
    assert_eq!(marked(&order(false), "0,1,2"), "right");
    let computed = order(true);
    let Kind::Order(def) = &computed.kind else { panic!() };
    let right = right_order(&computed, def, &computed.query(), &by_catalogue(&computed)).unwrap();
    assert_eq!(right.ranks, [0, 2, 1]);
    assert_eq!(right.check(&[1, 0, 2]), Placed::Swapped { early: 1, late: 0 });
    assert_eq!(right.check(&[0]), Placed::Incomplete);
    assert_eq!(right.begin(vec![0, 2, 1]), [1, 2, 0]);
    assert_eq!(right.begin(vec![2, 1, 0]), [2, 1, 0]);
}

#[test]
fn equal_items_are_in_order_either_way_and_named_to_the_author() {
    let mut exercise = order(true);
    let Kind::Order(order) = &mut exercise.kind else { panic!() };
    order.items[2].set = order.items[1].set.clone();
    assert_eq!(problems(&exercise), ["item 3: It comes out equal to item 2."]);
    assert_eq!(marked(&exercise, "0,1,2"), "right");
    assert_eq!(marked(&exercise, "0,2,1"), "right");
}

#[test]
fn partners_belong_together() {
    let exercise = read(
        r#""kind": "match", "pairs": [
            { "left": "limit", "right": "{limit}", "say": "1/s" }, { "left": "speed-up", "right": "{speedup}", "say": "n" }
        ], "extra": ["{n}"]"#,
    );
    assert_eq!(problems(&exercise), [] as [String; 0]);
    for (given, came) in [
        ("0,1", "right"),
        ("1,0", "wrong"),
        ("0,2", "wrong"),
        ("0,", "wrong"),
        (",", "empty"),
        ("", "empty"),
        ("0", "unreadable"),
        ("0,3", "unreadable"),
        ("0,1,2", "unreadable"),
        ("a,b", "unreadable"),
    ] {
        assert_eq!(marked(&exercise, given), came, "{given}");
    }
    let came = check_partners(3, &[Some(0), Some(2), None]);
    assert_eq!((came.wrong.as_slice(), came.missing, came.is_right()), ([1].as_slice(), 1, false));
    assert_eq!(partners(&write_partners(&[Some(1), None]), 2, 2), Some(vec![Some(1), None]));
}

#[test]
fn parts_are_drawn_to_scale_and_told_apart() {
    let label = |second: &str| {
        read(&format!(
            r#""kind": "label", "unit": "ratio", "parts": [
                {{ "text": "limit", "size": "limit", "say": "a" }}, {{ "text": "other", "size": "{second}", "say": "b" }}
            ]"#
        ))
    };
    assert_eq!(problems(&label("speedup / 2")), [] as [String; 0]);
    assert_eq!(marked(&label("speedup / 2"), "0,1"), "right");
    assert_eq!(marked(&label("speedup / 2"), "1,0"), "wrong");
    assert_eq!(problems(&label("limit * 1.01")), ["part 2, size: Another part is as large."]);
    assert!(problems(&label("0"))[0].starts_with("part 2, size: It is 0; nothing could be seen."));
    assert!(problems(&label("lmit"))[0].contains("did you mean “limit”"));
}

fn task() -> Exercise {
    read(
        r#""kind": "task", "fixed": ["serial"], "say": "{speedup} with {n}.",
        "hints": ["More."], "solution": ["{limit} is the limit."],
        "goals": [
            { "text": "at least {limit|2}", "value": "speedup", "at_least": "0.9 * limit" },
            { "text": "at most 60 000 processors", "value": "n", "at_most": "60000" }
        ], "wins": [{ "n": 10000 }, { "n": 60000 }]"#,
    )
}

#[test]
fn a_task_has_more_than_one_right_answer() {
    assert_eq!(problems(&task()), [] as [String; 0]);
    for (state, came) in [
        ("serial=0.05&n=10000", "right"),
        ("serial=0.05&n=1000", "right"),
        ("n=10000&serial=5e-2", "right"),
        ("serial=0.05&n=64", "wrong"),
        ("serial=0.01&n=10000", "wrong"),
        ("serial=banana&n=10000", "wrong"),
        ("n", "wrong"),
        ("", "empty"),
    ] {
        assert_eq!(marked(&task(), state), came, "{state}");
    }
}

#[test]
fn a_goal_says_where_it_stands_if_it_is_about_one_quantity() {
    let exercise = task();
    let Kind::Task(goals) = &exercise.kind else { panic!("a task") };
    let state = Query::parse("serial=0.05&n=64");
    let judged = goals.judge(&exercise, &draw(&exercise, 0), &state, &by_catalogue(&exercise)).unwrap();
    assert_eq!((judged.met, judged.now), (vec![false, true], vec!["15.4".to_owned(), String::new()]));
}

#[test]
fn what_is_read_in_words_stays_words_in_an_exercise() {
    let mut exercise = task();
    exercise.model = Some("overlap-map".into());
    (exercise.params, exercise.draw) = (Params::from([("tokens".into(), "8192".into())]), Default::default());
    let Kind::Task(goals) = &mut exercise.kind else { panic!("a task") };
    goals.fixed.clear();
    goals.goals.truncate(1);
    (goals.goals[0].value, goals.goals[0].at_least) = ("hides".into(), Some("1".into()));
    let goals = goals.clone();
    for (state, word) in [("tokens=64", "No"), ("tokens=262144", "Yes")] {
        let evaluate = by_catalogue(&exercise);
        let judged = goals.judge(&exercise, &exercise.query(), &Query::parse(state), &evaluate).unwrap();
        assert_eq!((judged.met, judged.now), (vec![word == "Yes"], vec![word.to_owned()]), "{state}");
        let env = environment(&exercise, &Query::parse(state), &evaluate).unwrap();
        let filled = |text: &str| Template::fill(text, &env).unwrap();
        assert_eq!([filled("{hides}"), filled("{hides|1}")], [word.to_owned(), u8::from(word == "Yes").to_string()]);
        let hides = evaluate(&Query::parse(state)).quantities.into_iter().find(|q| q.id == "hides");
        assert_eq!(hides.unwrap().text(), word, "as evidence");
    }
}

#[test]
fn a_task_is_proven_to_be_one() {
    let mut begun = task();
    begun.params.insert("n".into(), "10000".into());
    assert_eq!(problems(&begun), ["goals: The state in which the task begins meets them already."]);
    let change = |from: &str, to: &str| {
        let json = serde_json::to_string(&task()).unwrap().replace(from, to);
        problems(&serde_json::from_str(&json).unwrap())
    };
    assert_eq!(change(r#"{"n":"10000"}"#, r#"{"n":"100"}"#), ["win 1: It does not meet goal 1."]);
    assert_eq!(
        change(r#"{"n":"10000"}"#, r#"{"n":"10000","serial":"0.04"}"#),
        ["win 1: It changes serial, which is fixed."]
    );
    assert_eq!(change(r#","at_most":"60000""#, ""), ["goal 2: It needs at_most or at_least."]);
    assert!(change("0.9 * limit", "0.9 * lmit")[0].contains("goal 1, at_least"));
}

fn trace() -> Exercise {
    read(
        r#""kind": "trace", "evidence": ["speedup"], "measure": "1 / speedup", "unit": "ratio", "factor": 1.3,
        "causes": [
            { "text": "serial", "right": true, "say": "Yes, {limit}." }, { "text": "too few", "say": "No." }
        ],
        "changes": [
            { "text": "less serial", "set": { "serial": 0.001 }, "say": "{before|3} to {after|3}" },
            { "text": "one more", "set": { "n": 65 }, "say": "{before|3} to {after|3}" }
        ]"#,
    )
}

#[test]
fn a_cause_is_named_and_proven() {
    assert_eq!(problems(&trace()), [] as [String; 0]);
    for (given, came) in [
        ("0;0", "right"),
        (" 0 ; 0 ", "right"),
        ("0;1", "wrong"),
        ("1;0", "wrong"),
        ("0;", "wrong"),
        ("0", "wrong"),
        ("9;9", "wrong"),
        ("", "empty"),
        ("serial", "empty"),
    ] {
        assert_eq!(marked(&trace(), given), came, "{given}");
    }
    assert_eq!(cause_and_change("2;0"), (Some(2), Some(0)));
    let mut weak = trace();
    let Kind::Trace(def) = &mut weak.kind else { panic!() };
    def.factor = 1e6;
    // The name of a quantity in an expression is not its id.
    def.evidence.push("scaled_speedup".into());
    let none = "evidence: The model has no quantity “scaled_speedup”.";
    assert_eq!(problems(&weak), ["changes: 0 of 2 prove anything.", none]);
}

#[test]
fn an_answer_has_the_letters_that_the_options_have() {
    for seed in 0..8 {
        let several = read(
            r#""kind": "choice", "several": true, "options": [
                { "text": "a", "right": true, "say": "Yes." }, { "text": "b", "say": "No." },
                { "text": "c", "right": true, "say": "Yes." }, { "text": "d", "say": "No." }
            ]"#,
        );
        // The order of the options depends on the exercise's id.
        for exercise in [several, trace()].map(|e| Exercise { id: format!("{}-{seed}", e.id), ..e }) {
            let key = answer_key(&exercise, &by_catalogue(&exercise)).unwrap();
            let lists = on_paper(&exercise, 0, &by_catalogue(&exercise)).unwrap();
            let lettered = lists.iter().find(|list| list.marks == Marks::Letters).unwrap();
            assert_eq!((key.marks, key.right.len()), (Marks::Letters, key.pieces.len()));
            for (at, piece) in key.right.iter().zip(&key.pieces) {
                assert!(piece.starts_with(&lettered.items[*at]), "{at}: {piece}, {lettered:?}");
            }
        }
    }
    let key = |exercise: &Exercise| answer_key(exercise, &by_catalogue(exercise)).unwrap();
    assert_eq!((key(&order(true)).marks, key(&order(true)).right), (Marks::Numbers, Vec::new()));
    assert_eq!(key(&task()).marks, Marks::None);
}

#[test]
fn a_sketch_is_near_or_far() {
    let exercise = read(
        r#""kind": "sketch", "unlocks": "f", "reveal": "{speedup}", "over": "n", "across": "processors", "at": [1, 16, 1024],
        "value": "speedup", "unit": "ratio", "up_to": "1.2 * limit""#,
    );
    assert_eq!(problems(&exercise), [] as [String; 0]);
    for (given, came) in [
        ("1,9,19.6", "right"),
        ("1,9", "right"),
        ("1,16,1024", "wrong"),
        ("1", "wrong"),
        ("", "empty"),
        (",,", "empty"),
        ("1,x", "unreadable"),
        ("1,inf", "unreadable"),
    ] {
        assert_eq!(marked(&exercise, given), came, "{given}");
    }
    assert_eq!(exercise.kind.unlocks(), Some("f"));
    let Kind::Sketch(sketch) = &exercise.kind else { panic!() };
    let curve = sketch.curve(&exercise, &exercise.query(), &by_catalogue(&exercise)).unwrap();
    assert_eq!(curve.at, ["1", "16", "1,024"]);
    assert_eq!(curve.near(&[Some(1.0), Some(100.0)]), [true, false, false]);
    assert_eq!(curve.near(&[None, Some(curve.values[1])]), [false, true, false]);
    assert_eq!(points("1, 2e3,,"), Some(vec![Some(1.0), Some(2000.0), None, None]));
    let low = serde_json::to_string(&exercise).unwrap().replace("1.2 * limit", "limit / 2");
    assert_eq!(problems(&serde_json::from_str(&low).unwrap()), ["up_to: The curve leaves what can be drawn."]);
}

#[test]
fn nobody_marks_free_text_but_its_author() {
    let with = |points: &str| {
        let texts = r#""kind": "explain", "rubric": ["a", "b", "c"], "model_answer": "It is {limit}.", "weak_answer": "No {n}.""#;
        read(&format!("{texts}, \"weak_points\": {points}"))
    };
    let exercise = with("[3]");
    assert_eq!(problems(&exercise), [] as [String; 0]);
    for (points, wrong) in
        [("[1, 2]", "fewer than half"), ("[0]", "from 1 to 3"), ("[4]", "from 1 to 3"), ("[1, 1]", "once each")]
    {
        let said = problems(&with(points));
        assert!(said.len() == 1 && said[0].contains(wrong), "{points}: {said:?}");
    }
    let key = answer_key(&exercise, &by_catalogue(&exercise)).unwrap().pieces.join(" ");
    assert!(key.contains("one mark each") && key.contains("weak answer (1 of 3)"), "{key}");
    assert_eq!(marked(&exercise, "Because."), "unmarked");
    assert_eq!(marked(&exercise, " \n"), "empty");
    let Kind::Explain(explain) = &exercise.kind else { panic!() };
    assert!(explain.is_right(&[1, 0, 2]) && !explain.is_right(&[1]) && !explain.is_right(&[]));
}

#[test]
fn only_a_gpu_marks_a_kernel() {
    let kernel = |model: &str, params: &str| -> Exercise {
        let fields = r#""id": "k", "skill": "s.s", "prompt": "Write it.", "hints": ["h"], "solution": ["s"]"#;
        let text = format!(
            r#"{{ {fields}, "model": "{model}", "params": {params}, "kind": "kernel", "say": "{{flop}} at {{puzzle}}." }}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let fine = kernel("kernel-workbench", r#"{ "puzzle": "tiled-matmul" }"#);
    assert_eq!(problems(&fine), [] as [String; 0]);
    assert_eq!((marked(&fine, "sum += 1.0;"), marked(&fine, " ")), ("unmarked", "empty"));
    assert_eq!(solve(&fine, 0, &by_catalogue(&fine)), Ok(None));
    for (wrong, fragment) in [
        (kernel("kernel-workbench", "{}"), "params: Name the puzzle."),
        (
            kernel("kernel-workbench", r#"{ "puzzle": "own" }"#),
            "params: A kernel of one’s own isn’t checked. Name a puzzle.",
        ),
        (kernel("kernel-workbench", r#"{ "puzzle": "tiled" }"#), "params: “tiled” is not a value of puzzle"),
        (kernel("amdahl", r#"{ "n": 2 }"#), "model: A kernel is written on the workbench"),
    ] {
        let said = problems(&wrong);
        assert!(said.iter().any(|s| s.contains(fragment)), "{fragment}: {said:?}");
    }
}

#[test]
fn only_a_run_marks_a_program() {
    let program = |puzzle: &str| -> Exercise {
        let fields = r#""id": "p", "skill": "s.s", "prompt": "Write it.", "hints": ["h"], "solution": ["s"]"#;
        let kind = r#""kind": "program", "say": "{ring_steps} steps.", "model": "rank-program""#;
        serde_json::from_str(&format!(r#"{{ {fields}, {kind}, "params": {{ "puzzle": "{puzzle}" }} }}"#)).unwrap()
    };
    let fine = program(crate::program::figure::PUZZLES[0].id);
    assert_eq!(problems(&fine), [] as [String; 0]);
    assert_eq!((marked(&fine, "import torch"), marked(&fine, " ")), ("unmarked", "empty"));
    assert!(problems(&program("none"))[0].contains("“none” is not a value of puzzle"));
    let unmarked: Vec<&str> = Kind::NAMES.iter().copied().filter(|name| Kind::is_unmarked(name)).collect();
    assert_eq!(unmarked, ["explain", "kernel", "program"]);
}

#[test]
fn every_kind_is_solved_by_its_own_solution() {
    let matching = read(
        r#""kind": "match", "pairs": [
            { "left": "limit", "right": "{limit}", "say": "1/s" }, { "left": "speed-up", "right": "{speedup}", "say": "n" }
        ]"#,
    );
    let number = read(r#""kind": "number", "answer": "speedup", "unit": "ratio", "solution": ["{speedup}"]"#);
    for exercise in [order(true), order(false), task(), trace(), matching, number] {
        for seed in 0..200 {
            let own = solve(&exercise, seed, &by_catalogue(&exercise)).unwrap().unwrap();
            assert_eq!(mark(&exercise, seed, &own, &by_catalogue(&exercise)), Ok("right"), "{seed}: {own}");
        }
    }
    let mut hopeless = trace();
    let Kind::Trace(def) = &mut hopeless.kind else { panic!() };
    def.factor = 1e6;
    assert!(solve(&hopeless, 0, &by_catalogue(&hopeless)).unwrap_err().contains("no change"));
    let mut free = trace();
    free.kind = Kind::Explain(Explain {
        rubric: Vec::new(),
        model_answer: String::new(),
        weak_answer: String::new(),
        weak_points: Vec::new(),
    });
    assert_eq!(solve(&free, 0, &by_catalogue(&free)), Ok(None));
}

#[test]
fn a_parameter_that_an_exercise_changes_must_exist() {
    let change = |exercise: Exercise, from: &str, to: &str| {
        let json = serde_json::to_string(&exercise).unwrap();
        let changed = json.replacen(from, to, 1);
        assert_ne!(json, changed, "{from}");
        problems(&serde_json::from_str(&changed).unwrap())
    };
    for (said, fragment) in [
        (change(order(true), r#"{"n":"8"}"#, r#"{"n":"0"}"#), "item 1, set: n must be"),
        (change(order(true), r#"{"n":"8"}"#, r#"{"m":"8"}"#), "item 1, set: There is no parameter “m”"),
        (change(task(), r#"{"n":"10000"}"#, r#"{"n":"-1"}"#), "win 1: n must be"),
        (change(task(), r#"["serial"]"#, r#"["serials"]"#), "fixed: There is no parameter “serials” (did you mean"),
        (change(trace(), r#"{"n":"65"}"#, r#"{"n":"many"}"#), "change 2, set: n must be"),
        (change(trace(), r#""model":"amdahl""#, r#""model":null"#), "model: There is nothing to measure"),
    ] {
        assert!(said.iter().any(|s| s.contains(fragment)), "{fragment}: {said:?}");
    }
}

#[test]
fn misspelt_fields_are_refused_in_every_kind() {
    for exercise in [order(true), task(), trace()] {
        let json = serde_json::to_string(&exercise).unwrap();
        assert_eq!(serde_json::from_str::<Exercise>(&json).unwrap(), exercise);
        let wrong = json.replacen('{', r#"{"anwser": "1","#, 1);
        assert!(serde_json::from_str::<Exercise>(&wrong).is_err(), "{wrong}");
    }
}

proptest::proptest! {
    #[test]
    fn no_answer_panics(text in "\\PC*|[-0-9,;=&a-z. ]{0,40}", seed: u64) {
        for exercise in [order(true), task(), trace()] {
            let _ = mark(&exercise, seed, &text, &by_catalogue(&exercise));
        }
        let _ = indices(&text, 3);
        let _ = partners(&text, 2, 3);
    }

    #[test]
    fn the_right_order_is_right_from_any_beginning(seed in 0_u64..10_000) {
        let exercise = order(true);
        let Kind::Order(def) = &exercise.kind else { panic!() };
        let right = right_order(&exercise, def, &draw(&exercise, seed), &by_catalogue(&exercise)).unwrap();
        let begun = right.begin(option_order(&exercise, seed));
        proptest::prop_assert!(right.check(&begun) != Placed::Right && right.check(&begun) != Placed::Incomplete);
        let mut solved = begun;
        solved.sort_by_key(|i| right.ranks[*i]);
        proptest::prop_assert_eq!(right.check(&solved), Placed::Right);
    }
}
