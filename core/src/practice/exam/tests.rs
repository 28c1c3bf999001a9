use super::*;
use crate::exercise::Kind;
use proptest::prelude::*;

fn definitions() -> Definitions {
    let list = r#"{
        "scaling/speedup": {
            "id": "speedup", "kind": "number", "skill": "scaling.amdahl", "prompt": "How much faster on {n}?",
            "model": "amdahl", "params": { "serial": 0.05, "n": 64 }, "draw": { "n": [8, 16, 32, 128, 256] },
            "answer": "speedup", "unit": "ratio",
            "mistake": [{ "answer": "n", "say": "That forgets the serial part." }]
        },
        "memory/bytes": {
            "id": "bytes", "kind": "predict", "skill": "memory.bytes", "prompt": "How much?", "unlocks": "f",
            "reveal": "So much.", "model": "memory-breakdown", "params": { "params": "30e9" },
            "draw": { "params": ["7e9", "13e9", "70e9"] }, "answer": "weights", "unit": "bytes"
        },
        "memory/which": {
            "id": "which", "kind": "choice", "several": true, "skill": "memory.kinds", "prompt": "Which grow?",
            "options": [
                { "text": "Weights", "say": "No." },
                { "text": "Activations", "right": true, "say": "Yes." },
                { "text": "Logits", "right": true, "say": "Yes." }
            ]
        },
        "broken/model": {
            "id": "model", "kind": "number", "skill": "broken.s", "prompt": "?", "model": "no-such-model",
            "answer": "x", "unit": "count"
        }
    }"#;
    serde_json::from_str(list).unwrap()
}

fn quiz(seed: u64) -> QuizSpec {
    let exercises = ["scaling/speedup", "memory/bytes", "memory/which"].map(str::to_owned).to_vec();
    QuizSpec { exercises, seed, ..QuizSpec::default() }
}

fn taken(seed: u64, answers: [&str; 3]) -> ExamResult {
    let quiz = quiz(seed);
    let answers = quiz.exercises.iter().cloned().zip(answers.map(str::to_owned)).collect();
    ExamResult::mark(&quiz, "Ada", (1_700_000_000, 1_700_001_800), &answers, &definitions(), &by_catalogue)
}

fn again(result: &ExamResult) -> Recheck {
    recheck(result, &definitions(), &by_catalogue)
}

fn findings(recheck: &Recheck) -> Vec<Finding> {
    recheck.items.iter().map(|i| i.finding).collect()
}

#[test]
fn a_quiz_is_a_readable_link() {
    let text = "e=scaling/speedup,memory/bytes,memory/which&seed=7";
    assert_eq!(quiz(7).to_query().to_string(), text);
    assert_eq!(QuizSpec::read(&Query::parse(text)), (quiz(7), vec![]));
    assert_eq!(QuizSpec::read(&Query::parse("")), (QuizSpec::default(), vec![]));
}

#[test]
fn a_bad_link_is_read_as_far_as_it_goes() {
    let link = "e=Scaling/Speedup,,nonsense,scaling/speedup&e=memory/byte+a/b/c&seed=-1&sed=3";
    let (mut spec, mut problems) = QuizSpec::read(&Query::parse(link));
    assert_eq!((spec.exercises.clone(), spec.seed), (vec!["scaling/speedup".into(), "memory/byte".into()], 0));
    problems.extend(spec.keep_known(&["scaling/speedup", "memory/bytes"]));
    assert_eq!(spec.exercises, ["scaling/speedup"]);
    let messages: Vec<&str> = problems.iter().map(|p| p.message.as_str()).collect();
    let expected = [
        "“nonsense” is not",
        "listed twice",
        "“a/b/c” is not",
        "did you mean “seed”",
        "seed must be",
        "did you mean “memory/bytes”",
    ];
    assert_eq!(messages.len(), expected.len(), "{messages:?}");
    for (message, part) in messages.iter().zip(expected) {
        assert!(message.contains(part), "{message}");
    }
    let many = (0..150).map(|i| format!("a/e{i}")).collect::<Vec<_>>().join(",");
    let (spec, problems) = QuizSpec::read(&Query::new([("e", many), ("seed", u64::MAX.to_string())]));
    assert_eq!((spec.exercises.len(), spec.seed, problems.len()), (MAX_EXERCISES, 0, 2));
    assert!(problems[0].message.contains("50 exercises were left out"), "{}", problems[0].message);
}

#[test]
fn each_exercise_has_a_seed_of_its_own_in_every_version() {
    assert_eq!(quiz(0).seed_of("scaling/speedup", "Ada"), 0);
    let seeds: Vec<u64> = quiz(7).exercises.iter().map(|e| quiz(7).seed_of(e, "Ada")).collect();
    // A promise: a link shows the same numbers in every version.
    assert_eq!(seeds, [509_425_174, 338_976_928, 156_011_377]);
    assert_ne!(quiz(8).seed_of("scaling/speedup", "Ada"), seeds[0]);
}

#[test]
fn a_result_is_marked_and_marked_again() {
    let result = taken(0, ["15.4", "60 GB", "1, 2"]);
    let verdicts: Vec<&str> = result.answers.iter().map(|a| a.verdict.as_str()).collect();
    assert_eq!(verdicts, ["right", "right", "right"]);
    let checked = again(&result);
    assert!(checked.agrees());
    assert_eq!(checked.say(), "3 of 3 right. The file agrees with this in every answer.");
    let mixed = taken(0, ["64", "60", "1"]);
    let marks: Vec<Mark> = mixed.answers.iter().map(|a| Mark::of(&a.verdict)).collect();
    assert_eq!(mixed.answers[0].verdict, "declared-mistake");
    assert_eq!(marks, [Mark::Wrong, Mark::Unclear, Mark::Wrong]);
    assert_eq!(again(&mixed).say(), "0 of 3 right, 1 to mark. The file agrees with this in every answer.");
    let empty = taken(9, ["", " ", ""]);
    assert!(empty.answers.iter().all(|a| Mark::of(&a.verdict) == Mark::Unanswered));
    assert_eq!(taken(0, ["1", "1", "1,7"]).answers[2].verdict, "unreadable");
}

#[test]
fn edits_are_found() {
    let honest = taken(7, ["64", "60 GB", "1"]);
    let mut verdict = honest.clone();
    verdict.answers[0].verdict = "right".into();
    assert_eq!(findings(&again(&verdict)), [Finding::Contradicts, Finding::Agrees, Finding::Agrees]);
    assert!(
        again(&verdict).items[0].say.contains("the file says “right”, and it is “"),
        "{}",
        again(&verdict).items[0].say
    );
    assert_eq!(again(&verdict).points(), again(&honest).points());

    // A better answer typed in without touching its verdict.
    let mut answer = honest.clone();
    answer.answers[2].answer = "1,2".into();
    assert_eq!(findings(&again(&answer))[2], Finding::Contradicts);

    let mut seed = honest.clone();
    seed.answers[1].seed = 0;
    let other = &again(&seed).items[1];
    assert_eq!((other.finding, other.mark), (Finding::OtherSeed, None));

    let mut order = honest.clone();
    order.answers.remove(0);
    order.answers.push(order.answers[0].clone());
    order.answers.push(Answered { exercise: "memory/else".into(), ..order.answers[0].clone() });
    let checked = again(&order);
    assert_eq!(
        findings(&checked),
        [Finding::Missing, Finding::Agrees, Finding::Agrees, Finding::Surplus, Finding::Surplus]
    );
    assert_eq!((checked.of(), checked.items[0].mark), (3, Some(Mark::Unanswered)));

    let mut clock = honest;
    clock.ended = clock.started - 1;
    assert!(!again(&clock).agrees() && again(&clock).say().contains("look at its notes"));
}

#[test]
fn changes_of_the_course_are_told_from_edits() {
    let result = taken(7, ["64", "60 GB", "1,2"]);
    let mut later = definitions();
    later.get_mut("memory/bytes").unwrap().prompt = "How many?".into();
    later.remove("scaling/speedup");
    if let Kind::Choice(choice) = &mut later.get_mut("memory/which").unwrap().kind {
        choice.options[2].right = false;
    }
    let checked = recheck(&result, &later, &by_catalogue);
    assert_eq!(findings(&checked), [Finding::Unknown, Finding::Changed, Finding::Changed]);
    assert!(checked.items[1].say.ends_with("the verdict is the same."), "{}", checked.items[1].say);
    assert!(checked.items[2].say.contains("the file says “right”, and it is “wrong”"), "{}", checked.items[2].say);
    // Marked otherwise by another Ringside: not the learner's doing.
    let mut older = result;
    older.made_with = "0.0.1".into();
    older.answers[0].verdict = "factor-off".into();
    assert_eq!(findings(&again(&older))[0], Finding::Changed);
}

#[test]
fn what_cannot_be_marked_says_so() {
    let quiz = QuizSpec { exercises: vec!["broken/model".into(), "no/such".into()], seed: 3, ..QuizSpec::default() };
    let result = ExamResult::mark(&quiz, "", (0, 0), &BTreeMap::new(), &definitions(), &by_catalogue);
    assert!(result.answers.iter().all(|a| a.verdict == NOT_MARKED && a.fingerprint.is_empty()));
    let checked = again(&result);
    assert_eq!(findings(&checked), [Finding::Unknown; 2]);
    assert!(checked.items[0].say.contains("no-such-model"), "{}", checked.items[0].say);
}

#[test]
fn files_are_told_apart() {
    let result = taken(7, ["1", "2", "0"]);
    assert_eq!(ExamResult::read(&result.to_json()), Ok(result.clone()));
    assert_eq!(ExamResult::read(&format!("\u{feff}{}", result.to_json())), Ok(result.clone()));
    let newer = result.to_json().replace("\"version\": 1", "\"version\": 9");
    for (text, part) in [
        ("", "not a result"),
        ("[1]", "not a result"),
        (r#"{"format":"other","version":1}"#, "not a result"),
        (r#"{"format":"ringside-exam","version":1}"#, "damaged"),
        (&newer, "later version"),
        (&" ".repeat(MAX_FILE + 1), "too long"),
        (&"[".repeat(100_000), "not a result"),
    ] {
        let error = ExamResult::read(text).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
    let mut long = result;
    long.answers = vec![long.answers[0].clone(); MAX_EXERCISES + 1];
    assert!(ExamResult::read(&long.to_json()).unwrap_err().contains("too many"));
}

#[test]
fn a_class_in_a_table() {
    let mut grace = taken(0, ["15.4", "60", ""]);
    grace.learner = "grace ".into();
    let mut formula = taken(3, ["64", "60 GB", "1,2"]);
    formula.learner = "=cmd|' /C calc'!A0".into();
    let mut twice = taken(0, ["1", "1", "1"]);
    twice.learner = " Grace".into();
    twice.started += 60;
    twice.answers[0].verdict = "right".into();
    let results: Vec<Recheck> = [grace, formula, twice, taken(0, ["15.4", "60 GB", "2,1"])].iter().map(again).collect();
    let table = class_table(&results);
    let rows: Vec<(&str, Points, usize, usize)> =
        table.rows.iter().map(|r| (r.learner.as_str(), r.points, r.to_mark, r.odd)).collect();
    let whole = |(who, points, left, odd)| (who, Points::whole(points), left, odd);
    assert_eq!(rows[1..], [("Ada", 3, 0, 0), (" Grace", 0, 1, 1), ("grace ", 1, 1, 0)].map(whole));
    assert_eq!(table.right.len(), 3);
    assert_eq!(table.notes, ["These files answer 2 different quizzes.", "“Grace” is on 2 files."]);
    assert_eq!(csv::read(&table.to_csv()), table.cells());
    assert!(table.to_csv().contains("\r\n\"'=cmd|' /C calc'!A0\","), "{}", table.to_csv());
    assert_eq!(table.cells()[2][..5], ["Ada", "2023-11-14T22:13:20Z", "2023-11-14T22:43:20Z", "3", "3"]);
    assert_eq!(class_table(&[]).cells().len(), 1);
}

fn answers() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::sample::select(vec!["60 GB", "15.4", "64", "1,2", "1", "0", "1,5", "5 m", "", "14e9 B", "-3", "=1+1"])
            .prop_map(str::to_owned),
        any::<f64>().prop_map(|x| x.to_string()),
    ]
}

fn results() -> impl Strategy<Value = ExamResult> {
    (prop_oneof![Just(0), 0..=MAX_SEED], [answers(), answers(), answers()], any::<String>(), any::<(i64, i64)>())
        .prop_map(|(seed, answers, learner, (started, ended))| {
            let result = taken(seed, [&answers[0], &answers[1], &answers[2]]);
            ExamResult { learner, started, ended: ended.max(started), ..result }
        })
}

proptest! {
    #[test]
    fn what_was_handed_in_is_marked_the_same_again(result in results()) {
        let read = ExamResult::read(&result.to_json());
        prop_assert_eq!(read.as_ref(), Ok(&result));
        let checked = again(&result);
        prop_assert!(checked.agrees(), "{:?}", checked);
        for (then, now) in result.answers.iter().zip(&checked.items) {
            prop_assert_eq!(Some(then.verdict.as_str()), now.verdict);
            prop_assert_eq!(Some(Mark::of(&then.verdict)), now.mark);
        }
        let table = class_table(&[checked]);
        prop_assert_eq!(csv::read(&table.to_csv()), table.cells());
        let lines = csv::read(&result.to_csv());
        prop_assert_eq!(lines.len(), 4);
        for (line, a) in lines[1..].iter().zip(&result.answers) {
            let kept = [&line[0], &line[4], &line[6], &line[7]];
            prop_assert_eq!(kept, [&result.learner, &a.exercise, &a.answer, &a.verdict]);
        }
    }

    #[test]
    fn a_mark_is_what_the_verdict_says(answer in answers(), seed in 0..1000u64) {
        let exercise = &definitions()["memory/bytes"];
        let parameters = exercise::draw(exercise, seed);
        let resolved = exercise::resolve(exercise, &parameters, &exercise::by_catalogue(exercise)).unwrap();
        let verdict = resolved.check(&answer);
        let mark = Mark::of(verdict.outcome.id());
        prop_assert_eq!(mark == Mark::Right, verdict.is_right());
        prop_assert_eq!(matches!(mark, Mark::Unclear | Mark::Unanswered), verdict.asks());
    }

    #[test]
    fn an_edited_verdict_never_counts(result in results(), which in 0usize..3, claim in "[a-z-]{0,20}") {
        let mut edited = result.clone();
        edited.answers[which].verdict = claim;
        let (before, after) = (again(&result), again(&edited));
        prop_assert_eq!(before.points(), after.points());
        let changed = edited.answers[which].verdict != result.answers[which].verdict;
        prop_assert_eq!(after.items[which].finding == Finding::Contradicts, changed);
    }

    #[test]
    fn any_link_and_any_file_are_read(text: String, seed: u64, ids in prop::collection::vec(any::<String>(), 0..4)) {
        let (spec, _) = QuizSpec::read(&Query::parse(&text));
        let (again_spec, problems) = QuizSpec::read(&spec.to_query());
        prop_assert_eq!(&spec, &again_spec);
        prop_assert!(problems.is_empty());
        let _ = ExamResult::read(&text);
        // A file can claim any quiz.
        let mut hostile = taken(0, [&text, &text, &text]);
        let exercises = ids.iter().chain(&ids).cloned().chain(["memory/which".into()]).collect();
        hostile.quiz = QuizSpec { exercises, seed, ..QuizSpec::default() };
        let checked = again(&hostile);
        prop_assert!(checked.items.iter().filter(|i| i.mark == Some(Mark::Right)).count() <= checked.of());
        let _ = (checked.say(), class_table(&[checked]).to_csv());
    }
}

#[test]
fn a_title_stands_in_the_link_and_in_the_file() {
    let (titled, problems) = QuizSpec::read(&Query::parse("e=memory/which&seed=0&title=  Week 3,\tmemory "));
    assert_eq!((titled.title.as_str(), problems.len()), ("Week 3, memory", 0));
    assert_eq!(QuizSpec::read(&titled.to_query()).0, titled);
    let long = QuizSpec { title: "x".repeat(500), ..QuizSpec::default() };
    assert_eq!(QuizSpec::read(&long.to_query()).0.title.len(), MAX_TITLE);
    let result = ExamResult::mark(&titled, "Ada", (0, 1), &BTreeMap::new(), &definitions(), &by_catalogue);
    assert_eq!(ExamResult::read(&result.to_json()).unwrap().quiz.title, "Week 3, memory");
    // Files of before have none.
    assert!(!taken(0, ["", "", ""]).to_json().contains("title"));
}

#[test]
fn a_class_is_told_which_mistakes_it_made() {
    let results =
        [["64", "60 GB", "0,1"], ["64", "60 GiB", "1,2"], ["15.42", "", "1"], ["about ten <b>", "60 GB", "1,2"]]
            .map(|answers| again(&taken(0, answers)));
    let report = class_report(&results, &definitions(), &by_catalogue);
    let counts: Vec<_> = report.iter().map(|c| (c.asked, c.right, c.empty)).collect();
    assert_eq!(counts, [(4, 1, 0), (4, 2, 1), (4, 2, 0)]);
    let speedup: Vec<_> = report[0].mistakes.iter().map(|m| (m.slip.say.as_str(), m.learners.len())).collect();
    assert_eq!(speedup[0], ("That forgets the serial part.", 2));
    // What a learner typed is never taken for markup.
    assert!(report.iter().flat_map(|c| &c.mistakes).all(|m| !m.slip.is_html || !m.slip.say.contains("<b>")));
    let which: Vec<_> = report[2].mistakes.iter().map(|m| m.slip.say.as_str()).collect();
    assert_eq!(which, ["Not chosen: Logits", "Weights No."]);
    assert_eq!(report[2].mistakes[0].learners.len(), 2);
}

#[test]
fn a_copied_file_is_noticed_in_the_table() {
    let definitions = definitions();
    let quiz = quiz(0);
    let result = |learner: &str, ended: i64, answer: &str| {
        let answers = quiz.exercises.iter().map(|e| (e.clone(), answer.to_owned())).collect();
        ExamResult::mark(&quiz, learner, (100, ended), &answers, &definitions, &by_catalogue)
    };
    let table = |results: &[ExamResult]| {
        class_table(&results.iter().map(|r| recheck(r, &definitions, &by_catalogue)).collect::<Vec<_>>())
    };
    let copied = table(&[result("Ada", 200, "60 GB"), result("Bob", 200, "60 GB"), result("Cleo", 201, "60 GB")]);
    assert_eq!(copied.notes, ["“Ada” and “Bob” have the same start, end and answers: one file is a copy of another."]);
    assert_eq!(copied.rows.iter().map(|row| row.odd).collect::<Vec<_>>(), [1, 1, 0]);
    for honest in
        [[result("Ada", 200, "60 GB"), result("Bob", 200, "61 GB")], [result("Ada", 200, ""), result("Bob", 200, "")]]
    {
        assert_eq!(table(&honest).notes, [] as [String; 0]);
    }
}

/// Thirty files as they are handed in: 27 learners, one of whom handed in twice, and two who are called the same.
#[test]
fn a_class_of_thirty_files_gets_into_both_gradebooks() {
    let right = ["15.4", "60 GB", "1, 2"];
    let answers = |points: usize| [0, 1, 2].map(|i| if i < points { right[i] } else { "" });
    let file = |learner: &str, ended: i64, points: usize| {
        let taken = taken(0, answers(points));
        ExamResult { learner: learner.to_owned(), ended, ..taken }.to_json()
    };
    let name = |i: usize| format!("Learner{i} Last{i}");
    let mut files: Vec<String> = (0..27).map(|i| file(&name(i), 1_700_001_800, i % 4)).collect();
    files.push(file(&name(2), 1_700_009_000, 3));
    files.extend([1, 2].map(|points| file("Kim Lee", 1_700_001_800, points)));
    assert_eq!(files.len(), 30);
    let read: Vec<Recheck> = files.iter().map(|file| again(&ExamResult::read(file).unwrap())).collect();
    assert!(read.iter().all(Recheck::agrees));
    let table = class_table(&read);
    let learners: Vec<String> = (0..27).map(name).chain(["Kim Lee".to_owned(), "Kim Lee".to_owned()]).collect();
    let moodle = learners.iter().enumerate().map(|(i, name)| {
        let (first, last) = name.split_once(' ').unwrap();
        format!("{first},{last},{i},l{i}@x.org")
    });
    let canvas = learners.iter().enumerate().map(|(i, name)| {
        let (first, last) = name.split_once(' ').unwrap();
        format!("\"{last}, {first}\",{i},s{i},l{i},A")
    });
    let moodle = ["First name,Last name,ID number,Email address".to_owned()].into_iter().chain(moodle);
    let canvas = ["Student,ID,SIS User ID,SIS Login ID,Section", "    Points Possible,,,,"]
        .map(str::to_owned)
        .into_iter()
        .chain(canvas);
    for (platform, above, rows) in [("Moodle", 1, moodle.collect::<Vec<_>>()), ("Canvas", 2, canvas.collect())] {
        let graded = gradebook::gradebook(&rows.join("\n"), &table, "Quiz").unwrap();
        assert_eq!((graded.platform, graded.marked, graded.of), (platform, 27, 29));
        assert_eq!(graded.unknown, ["Kim Lee", "Kim Lee"]);
        let cells = csv::read(&graded.csv);
        for i in 0..29 {
            let points = if i == 2 {
                "3".to_owned()
            } else if i < 27 {
                (i % 4).to_string()
            } else {
                String::new()
            };
            assert_eq!(cells[i + above].last(), Some(&points), "{platform}: {}", learners[i]);
        }
    }
}

#[test]
fn a_person_marks_what_only_a_person_can() {
    let essay = r#"{ "id": "why", "kind": "explain", "skill": "memory.kinds", "prompt": "Why?", "rubric": ["a", "b", "c", "d"],
                     "model_answer": "So.", "weak_answer": "No.", "weak_points": [] }"#;
    let mut definitions = definitions();
    definitions.insert("memory/why".into(), serde_json::from_str(essay).unwrap());
    let quiz = QuizSpec { exercises: vec!["memory/why".into(), "memory/bytes".into()], ..QuizSpec::default() };
    let result = |learner: &str, answers: [&str; 2]| {
        let answers = quiz.exercises.iter().cloned().zip(answers.map(str::to_owned)).collect();
        let result = ExamResult::mark(&quiz, learner, (0, 60), &answers, &definitions, &by_catalogue);
        recheck(&result, &definitions, &by_catalogue)
    };
    let mut class =
        [result("Ada", ["Because.", "60 GB"]), result("Grace", ["Why not.", "60"]), result("Edsger", ["", "60 GB"])];
    assert_eq!(class[1].say(), "0 of 5 points, 2 to mark. The file agrees with this in every answer.");
    let unread = class_report(&class, &definitions, &by_catalogue);
    assert_eq!((unread[0].asked, unread[0].to_mark, unread[0].right, unread[0].empty), (3, 2, 0, 1));
    // Three points for Ada's essay, more than there are for Grace's, and some for a file that isn't there.
    let given = [(class[0].id_of(&class[0].items[0]), 3), (class[1].id_of(&class[1].items[0]), 9), ("0".to_owned(), 1)];
    // What the exercise itself marks keeps its mark.
    let own = [(class[0].id_of(&class[0].items[1]), 0), (class[2].id_of(&class[2].items[0]), 4)];
    let given: BTreeMap<String, usize> = given.into_iter().chain(own).collect();
    class.iter_mut().for_each(|one| one.give(&given));
    let table = class_table(&class);
    let rows: Vec<_> = table.rows.iter().map(|r| (r.points.to_string(), r.of, r.to_mark)).collect();
    let want = [("4", 5, 0), ("1", 5, 0), ("4", 5, 1)].map(|(points, of, left)| (points.to_owned(), of, left));
    assert_eq!(rows, want, "Ada, Edsger, Grace");
    assert_eq!(table.right, [1, 2]);
    let cells = table.cells();
    assert_eq!(cells[1][7..], ["3", "right"]);
    assert_eq!(cells[3][7..], ["4", "to mark"]);
    let read = class_report(&class, &definitions, &by_catalogue);
    assert_eq!((read[0].to_mark, read[0].right, read[0].points, read[0].worth), (0, 1, Points::whole(7), 4));
    assert_ne!(class[0].id_of(&class[0].items[0]), result("Ada", ["Because!", "60 GB"]).id_of(&class[0].items[1]));
}

#[test]
fn the_parts_of_an_answer_that_are_right_have_their_share_of_its_point() {
    let pairs = r#"{ "id": "who", "kind": "match", "skill": "s.s", "prompt": "Who?", "hints": [], "solution": ["s"],
                     "pairs": [{ "left": "a", "right": "1", "say": "" }, { "left": "b", "right": "2", "say": "" },
                               { "left": "c", "right": "3", "say": "" }] }"#;
    let mut definitions = definitions();
    definitions.insert("memory/who".into(), serde_json::from_str(pairs).unwrap());
    let quiz = QuizSpec { exercises: vec!["memory/who".into(), "memory/bytes".into()], ..QuizSpec::default() };
    for (answer, points, cell, share) in [
        ("0,1,2", "1", "right", 0.5),
        ("0,1,1", "0.66", "0.66", 1.0 / 3.0),
        ("0,,", "0.33", "0.33", 1.0 / 6.0),
        ("1,2,0", "0", "wrong", 0.0),
        (",,", "0", "unanswered", 0.0),
        ("x", "0", "to mark", 0.0),
    ] {
        let answers = BTreeMap::from([("memory/who".to_owned(), answer.to_owned())]);
        let result = ExamResult::mark(&quiz, "Ada", (0, 60), &answers, &definitions, &by_catalogue);
        assert!((result.share(&definitions) - share).abs() < 1e-9, "{answer}: {}", result.share(&definitions));
        let again = recheck(&result, &definitions, &by_catalogue);
        assert_eq!((again.points().to_string().as_str(), again.of()), (points, 2), "{answer}");
        let table = class_table(&[again]);
        assert_eq!((table.cells()[1][7].as_str(), table.rows[0].odd), (cell, 0), "{answer}");
    }
    let thirds: Points = [Points::part([1, 3], 1); 3].into_iter().sum();
    assert_eq!([Points::whole(2), Points::part([1, 2], 5), thirds].map(|p| p.to_string()), ["2", "2.5", "0.99"]);
}

#[test]
fn one_link_gives_every_learner_numbers_of_their_own() {
    let spec = QuizSpec { each: true, ..quiz(7) };
    assert_eq!(QuizSpec::read(&spec.to_query()), (spec.clone(), vec![]));
    assert!(!quiz(7).to_query().to_string().contains("each"));
    let (_, problems) = QuizSpec::read(&Query::parse("e=a/b&each=yes"));
    assert!(problems[0].message.contains("each must be 1"), "{problems:?}");
    let seed = |learner: &str| spec.seed_of("scaling/speedup", learner);
    assert_eq!(seed("Ada Right"), seed("  ada  right "), "the same name, typed otherwise");
    assert!(seed("Ada Right") != seed("Bob Wrong") && seed("") != 0);
    assert_ne!(seed("Ada Right"), QuizSpec { seed: 0, ..spec.clone() }.seed_of("scaling/speedup", "Ada Right"));
    // A file with another name on it has numbers that are not that learner's.
    let definitions = definitions();
    let mut result = ExamResult::mark(&spec, "Ada", (0, 60), &BTreeMap::new(), &definitions, &by_catalogue);
    assert!(recheck(&result, &definitions, &by_catalogue).agrees());
    result.learner = "Eve".into();
    let copied = recheck(&result, &definitions, &by_catalogue);
    assert!(copied.items.iter().all(|item| item.finding == Finding::OtherSeed), "{copied:?}");
}

#[test]
fn every_verdict_has_words() {
    for verdict in ["right", "missing-unit", "not-in-unit", "unreadable", "unmarked", "empty", NOT_MARKED] {
        assert!(in_words(verdict).is_some_and(|words| !words.contains('-')), "{verdict}");
    }
    assert_eq!(in_words("claimed"), None);
}
