use proptest::prelude::*;

use super::candidates::write;
use super::figure::{PROGRAMS, Params};
use super::judge::{Tests, Verdict, judge};
use super::language::{FUEL, Run, Stop, Value, arguments, parse};
use super::problems::ALL;
use super::similarity::edit;
use crate::declare::Model as _;
use crate::query::Query;

fn value(program: &str, given: &str) -> Result<Value, Stop> {
    Run::call(&parse(program).expect("a program"), &arguments(given).expect("values")).0
}

#[test]
fn programs_do_what_they_say() {
    let int = |n| Ok(Value::Int(n));
    assert_eq!(value("f(x) = 1 + 2 * x - 3", "5"), int(8));
    assert_eq!(value("f(x) = let y = x * x in if y > 10 and not (x == 4) then y else -y", "4"), int(-16));
    assert_eq!(value("f(xs) = [1] + tail(xs) + [head(xs)]", "[7, 8]"), Ok(Value::List(vec![1, 8, 7])));
    // As Python divides.
    for (given, quotient, rest) in [("7, 2", 3, 1), ("-7, 2", -4, 1), ("7, -2", -4, -1), ("-7, -2", 3, -1)] {
        assert_eq!(value("f(a, b) = a / b", given), int(quotient), "{given}");
        assert_eq!(value("f(a, b) = a % b", given), int(rest), "{given}");
    }
    assert_eq!(value("f(x) = x == 1 or 1 / 0 == 1", "1"), Ok(Value::Bool(true)));
}

#[test]
fn what_goes_wrong_stops_and_says_why() {
    for (program, given, word) in [
        ("f(x) = x / 0", "1", "division by zero"),
        ("f(x) = x % 0", "1", "division by zero"),
        ("f(x) = y", "1", "not defined"),
        ("f(x) = g(x)", "1", "not defined"),
        ("f(x) = head([])", "1", "out of range"),
        ("f(x) = x + [1]", "1", "operand types"),
        ("f(x) = x * 9223372036854775807", "2", "64 bits"),
        ("f(x) = f(x, x)", "1", "takes 1 values"),
        ("f(x) = if x then 1 else 2", "1", "true or false"),
    ] {
        match value(program, given) {
            Err(Stop::Error(why)) => assert!(why.contains(word) && why.ends_with('.'), "{program}: {why}"),
            other => panic!("{program}: {other:?}"),
        }
    }
    assert_eq!(value("f(x) = f(x)", "1"), Err(Stop::Depth));
    assert_eq!(value("f(n) = if n < 2 then n else f(n - 1) + f(n - 2)", "25"), Err(Stop::Fuel));
    assert_eq!(value("f(xs) = f(xs + xs)", "[1, 2, 3]"), Err(Stop::Fuel));
}

#[test]
fn what_is_no_program_is_refused_at_its_line() {
    for (text, line, word) in [
        ("", 1, "name of a function"),
        ("banana", 1, "“(”"),
        ("f(x) =\n  if x then 1", 2, "“else”"),
        ("f(x) = (x", 1, "ends"),
        ("f(x) = x x", 1, "end of the program"),
        ("f(x) = $", 1, "means nothing"),
        ("f(if) = 1", 1, "parameter"),
        ("f(x) = 99999999999999999999", 1, "too large"),
    ] {
        let refused = parse(text).expect_err("refused");
        assert!(refused.line == line && refused.why.contains(word), "{text}: {refused:?}");
    }
    let deep = format!("f(x) = {}x{}", "(".repeat(500), ")".repeat(500));
    assert!(parse(&deep).expect_err("too deep").why.contains("nested"));
    let long = format!("f(x) = x{}", " + x".repeat(500));
    assert!(parse(&long).is_err());
    assert!(parse(&format!("f(x) = {}x", "-".repeat(500))).is_err());
}

proptest! {
    #[test]
    fn nothing_that_is_written_breaks_it(text in "[a-f0-9 ()\\[\\],+*/%<>=\\-]{0,60}", head in any::<bool>()) {
        let text = if head { format!("f(a, b) = {text}") } else { text };
        if let Ok(program) = parse(&text) {
            let (_, steps) = Run::call(&program, &[Value::Int(3), Value::List(vec![1, 2])]);
            prop_assert!(steps <= FUEL);
        }
    }
}

#[test]
fn solutions_pass_and_tests_tell_drafts_apart() {
    for problem in &ALL {
        let solved = judge(problem.solution, problem, Tests::Extra);
        assert_eq!(solved.verdict, Verdict::Passes, "{}: {}", problem.name, solved.why);
        let passing = |which| {
            problem.drafts.iter().filter(|(text, _)| judge(text, problem, which).verdict == Verdict::Passes).count()
        };
        assert!(passing(Tests::Extra) >= 1 && passing(Tests::Base) < problem.drafts.len(), "{}", problem.name);
    }
    let overturned = ALL.iter().flat_map(|p| p.drafts.iter().map(move |(text, _)| (p, text))).filter(|(p, text)| {
        judge(text, p, Tests::Base).verdict == Verdict::Passes
            && judge(text, p, Tests::Extra).verdict != Verdict::Passes
    });
    assert!(overturned.count() >= 5);
}

#[test]
fn samples_are_the_same_again_and_do_not_depend_on_their_number() {
    let text = |sample| write(&ALL[3], 3, sample, 0.8, 1);
    assert_eq!(text(5), text(5));
    let all: Vec<String> = (0..40).map(text).collect();
    assert!(all.iter().any(|other| *other != all[0]));
    // Cold, and without slips that happen to be: one draft.
    let cold: Vec<String> = (0..40).map(|sample| write(&ALL[6], 6, sample, 0.1, 1)).collect();
    assert!(cold.iter().filter(|text| **text == ALL[6].drafts[1].0).count() > 30);
}

#[test]
fn the_score_grows_from_runs() {
    let (params, problems) = Params::read(&Query::new([("n", "20"), ("k", "5")]));
    assert_eq!((problems.len(), params.run), (0, PROGRAMS));
    let all = params.evaluate().expect("sound");
    assert_eq!((all.run, all.rounds, all.ran().count()), (160, 20, 160));
    let early = Params { run: 39, ..params.clone() };
    let few = early.after(&all);
    assert_eq!((few.rounds, few.ran().count()), (4, 39));
    assert!(few.score.is_none() && early.finding(&few).contains("needs 5"));
    assert_eq!(early.evaluate().expect("sound"), few);
    let score = all.score.expect("scored");
    assert!(score.interval[0] < score.unbiased && score.unbiased < score.interval[1]);
    let hard = Params { tests: Tests::Extra, ..params }.evaluate().expect("sound");
    assert!(hard.score.expect("scored").unbiased < score.unbiased);
}

#[test]
fn likeness_is_no_rightness() {
    for (a, b, distance) in [("kitten", "sitting", 3.0), ("", "abc", 3.0), ("flaw", "lawn", 2.0), ("same", "same", 0.0)]
    {
        let longest = a.len().max(b.len()) as f64;
        assert!((edit(a, b) - (1.0 - distance / longest)).abs() < 1e-12 && edit(a, b) == edit(b, a), "{a} {b}");
    }
    assert_eq!(edit("", ""), 1.0);
    // A wrong draft that is nearer to the reference than a right one.
    let gap = &ALL[0];
    let wrong = "gap(a, b) = if a < b then a - b else b - a";
    assert_eq!(judge(wrong, gap, Tests::Base).verdict, Verdict::Wrong);
    assert_eq!(judge("gap(a, b) = abs(a - b)", gap, Tests::Extra).verdict, Verdict::Passes);
    assert!(edit(wrong, gap.solution) > 0.95 && edit("gap(a, b) = abs(a - b)", gap.solution) < 0.6);
}
