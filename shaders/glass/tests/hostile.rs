//! Whatever naga takes is run or refused with a sentence, and ends.

use proptest::prelude::*;
use ringside_core::kernels::glass::{FindingKind, Source};
use ringside_core::kernels::job::Verdict;
use ringside_glass::run::Runnable;
use ringside_shaders::puzzles::{Puzzle, find};

const BUDGET: u64 = 1 << 18;

fn guard() -> &'static Puzzle {
    find("guard").expect("there is such a puzzle")
}

fn verdict(body: &str) -> Verdict {
    ringside_glass::try_puzzle(guard(), body, 7, |_| ()).verdict
}

#[test]
fn endless_loops_are_stopped_and_said() {
    for body in ["var i = id.x;\n  while (true) { i++; out[0] = f32(i); }", "for (;;) { out[id.x] = 1.0; }"] {
        assert!(matches!(verdict(body), Verdict::Stopped(..)), "{body}");
        let source = Source::Puzzle { puzzle: "guard".to_owned(), body: body.to_owned() };
        let (_, opened) = ringside_glass::open(&source, 32).expect("valid");
        let why = opened.stopped.expect("it was stopped");
        assert!(why.contains("stopped after 4,000,000 operations") || why.contains("first 100,000 steps"), "{why}");
        let Verdict::Stopped(_, why) = verdict(body) else { panic!("{body}") };
        assert!(why.starts_with("The kernel was stopped after 2,000,000 operations. Does every loop end?"), "{why}");
    }
}

#[test]
fn huge_arrays_and_strange_types_are_refused_with_a_sentence() {
    for (body, said) in [
        (
            "giant[id.x] = 1.0; out[0] = giant[0]; }\nvar<workgroup> giant: array<f32, 100000>;\nfn last() { ",
            "The workgroup’s variables take 400,000 bytes. WebGPU promises 16,384.",
        ),
        (
            "var own: array<f32, 100000>; own[id.x] = 1.0; out[0] = own[3];",
            "The variables of an invocation take 400,000 bytes. WGSL promises 8,192.",
        ),
        (
            "let own = array<f32, 2100>(); out[0] = own[id.x];",
            "An array of more than 8,192 bytes is copied here. Read one element of it at a time.",
        ),
        ("let m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0) * vec2<f32>(a[0], a[1]); out[0] = m.x;", "matrices"),
        ("out[0] = 1.0", ""),
    ] {
        let Verdict::Refused(notes) = verdict(body) else { panic!("{body}") };
        assert!(notes.iter().any(|note| note.text.contains(said) && !note.text.is_empty()), "{notes:?}");
    }
}

#[test]
fn long_texts_are_refused_with_a_sentence() {
    let refused = |body: &str| {
        let Verdict::Refused(notes) = verdict(body) else { panic!("{body}") };
        notes.into_iter().map(|note| note.text).collect::<String>()
    };
    let frame = guard().whole("").len();
    let said = refused(&format!("//{}", "x".repeat(40_000 - frame - 2)));
    assert_eq!(said, "The text has 40,000 bytes. At most 32,768 are read.");
    let calls = |name: &str, of: &str| format!("fn {name}() {{ {} }}\n", format!("{of}(); ").repeat(20));
    let many =
        format!("a1(); }}\n{}{}{}fn a4() {{ out[0] = 1.0; ", calls("a1", "a2"), calls("a2", "a3"), calls("a3", "a4"));
    let said = refused(&many);
    assert!(said.starts_with("With every call written out, the kernel has "), "{said}");
    assert!(said.ends_with(" operations. At most 8,192 are run."), "{said}");
}

#[test]
fn lanes_part_and_meet_again() {
    for body in [
        "var x = 0.0; switch id.x % 4u { case 0u: { x = 1.0; } case 1u, 2u: { x = 2.0; if (id.x > 5u) { break; } x = 2.0; } default: { x = 0.5; } }\n  if (id.x < sizes.n) { out[id.x] = select(2.0 * a[id.x], x, x < 0.1); }",
        "var sum = 0.0; for (var i = 0u; i < 8u; i++) { if (i > id.x % 8u) { continue; } if (i == 5u) { break; } sum += 1.0; }\n  let wanted = f32(min(id.x % 8u, 4u) + 1u);\n  if (id.x < sizes.n) { out[id.x] = select(0.0, 2.0 * a[id.x], sum == wanted); }",
        "if (id.x < sizes.n) { out[id.x] = twice(a[id.x], id.x); } }\nfn twice(x: f32, i: u32) -> f32 { if (i % 3u == 0u) { return x + x; } for (var k = 0u; k < 4u; k++) { if (k == i % 3u) { return 2.0 * x; } } return -1.0; ",
        "var own: array<f32, 4>; for (var i = 0u; i < 4u; i++) { own[i] = f32(i); }\n  let at = id.x % 4u; own[at] += 1.0;\n  if (id.x < sizes.n) { out[id.x] = select(0.0, 2.0 * a[id.x], own[at] == f32(at) + 1.0); }",
        "if (id.x < sizes.n) { var v = vec3<f32>(a[id.x]); put(&v, id.x % 3u); out[id.x] = v[id.x % 3u]; } }\nfn put(v: ptr<function, vec3<f32>>, i: u32) { (*v)[i] = 2.0 * (*v).y; ",
    ] {
        let verdict = verdict(body);
        assert!(matches!(verdict, Verdict::Right(_)), "{body}\n{verdict:?}");
    }
}

#[test]
fn what_is_right_by_luck_is_not_right() {
    let sum = find("sum").expect("there is such a puzzle");
    let lucky = sum.frame().solution.replacen("if (local.x == 0u)", "if (local.x < 2u)", 1);
    let verdict = ringside_glass::try_puzzle(sum, &lucky, 7, |_| ()).verdict;
    let Verdict::Unsound(_, notes) = verdict else { panic!("{verdict:?}") };
    assert!(notes.iter().all(|note| note.line > 0 && note.text.contains("Data race on out")), "{notes:?}");
}

#[test]
fn both_invocations_are_named() {
    let body = "out[0] = f32(id.x);";
    let case = guard().shown(1);
    let run = Runnable::puzzle(guard(), body, &case).expect("valid").run(32, BUDGET);
    let race = run.findings.iter().find(|f| f.kind == FindingKind::Race).expect("found");
    assert!(race.text.contains("invocation 1") && race.text.contains("invocation 0"), "{}", race.text);
}

/// Bodies of many kinds, made of pieces that fit.
fn body() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        Just("id.x".to_owned()),
        Just("local.x".to_owned()),
        Just("sizes.n".to_owned()),
        (0_u32..70).prop_map(|n| format!("{n}u")),
        Just("u32(a[id.x])".to_owned()),
        Just("arrayLength(&out)".to_owned()),
        Just("bitcast<u32>(i)".to_owned()),
    ];
    let index = (number.clone(), proptest::sample::select(&["+", "-", "*", "/", "%", "^", "<<", ">>"][..]), number)
        .prop_map(
            |(x, op, y)| if op.len() == 2 { format!("({x} {op} ({y} % 32u))") } else { format!("({x} {op} {y})") },
        );
    let statement = (index.clone(), index, 0..12).prop_map(|(i, j, kind)| match kind {
        0 => format!("out[{i}] = a[{j}];"),
        1 => format!("part[{i}] += f32({j});"),
        2 => "workgroupBarrier();".to_owned(),
        3 => format!("if ({i} < {j}) {{ part[{j}] = 1.0; }} else {{ workgroupBarrier(); }}"),
        4 => format!("for (var k = {i}; k < {j}; k++) {{ out[k] += 1.0; if (k > 9u) {{ break; }} }}"),
        5 => format!("count += atomicAdd(&hits[{i}], {j});"),
        6 => format!("switch {i} {{ case 1u: {{ own[{j}] = 1.0; }} case 2u: {{ return; }} default: {{ own[0] = exp(own[{i}]); }} }}"),
        7 => format!("i = i32({i}) / i32({j}) - (i << ({j} % 32u));"),
        8 => format!("let v{kind} = vec4<f32>(a[{i}]) * f32({j}); out[{j}] = dot(v{kind}, v{kind}.wzyx);"),
        9 => format!("while (count < {i}) {{ count += {j}; if (count > 90u) {{ continue; }} out[count] = 0.0; }}"),
        10 => format!("out[{i}] = f32(extractBits({j}, {i}, 5u)) + pow(a[{j}], 0.5);"),
        _ => "storageBarrier();".to_owned(),
    });
    proptest::collection::vec(statement, 1..8).prop_map(|all| {
        let all: Vec<String> = all.into_iter().map(|s| format!("{{ {s} }}")).collect();
        format!("  let local = id; var i = i32(id.x); var count = 0u; var own: array<f32, 5>;\n  {}\n}}\nvar<workgroup> part: array<f32, 64>;\nvar<workgroup> hits: array<atomic<u32>, 4>;\nfn last() {{ ", all.join("\n  "))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_naga_takes_ends_without_a_panic(body in body(), width in proptest::sample::select(&[16_u32, 32, 64][..])) {
        let case = guard().shown(1);
        if let Ok(runnable) = Runnable::puzzle(guard(), &body, &case) {
            let once = runnable.run(width, BUDGET);
            let again = runnable.run(width, BUDGET);
            prop_assert_eq!(&once.findings, &again.findings);
            let bits = |run: &ringside_glass::run::Run| run.output.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&once), bits(&again));
        }
    }
}
