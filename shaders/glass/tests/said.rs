//! What is said of a mistake is so: who waits and who is missing, what is out of bounds, and where the step is.

use ringside_core::kernels::glass::{Ask, Finding, FindingKind, Said, Source};
use ringside_core::kernels::job::Note;
use ringside_glass::run::Runnable;
use ringside_shaders::puzzles::{Puzzle, find};

const BUDGET: u64 = 1 << 20;
const REQUIRED: &str = "WGSL requires every invocation of a workgroup to reach a barrier: a browser may refuse the kernel, and a GPU may hang \
     or compute garbage.";

fn puzzle(id: &str) -> &'static Puzzle {
    find(id).expect("there is such a puzzle")
}

fn findings(id: &str, body: &str, width: u32) -> Vec<Finding> {
    let puzzle = puzzle(id);
    Runnable::puzzle(puzzle, body, &puzzle.shown(1))
        .unwrap_or_else(|e| panic!("{body}: {e:?}"))
        .run(width, BUDGET)
        .findings
}

/// The only line of a kernel with this body that has `part` in it.
fn line(id: &str, body: &str, part: &str) -> u32 {
    let text = puzzle(id).whole(body);
    let mut found = (1..).zip(text.lines()).filter(|(_, line)| line.contains(part)).map(|(n, _)| n);
    let line = found.next().expect("there is such a line");
    assert_eq!(found.next(), None, "{part}\n{text}");
    line
}

/// What is said first of a barrier in the sum, whose workgroups have 64 invocations: where and of whom.
fn barrier(body: &str, width: u32) -> Finding {
    let found = findings("sum", body, width);
    found.into_iter().find(|f| f.kind == FindingKind::Barrier).unwrap_or_else(|| panic!("nothing found: {body}"))
}

#[test]
fn who_ends_without_a_return_is_not_said_to_return() {
    for body in [
        "  if (local.x < 32u) { workgroupBarrier(); }",
        "  if (local.x < 32u) {\n    workgroupBarrier();\n  } else {\n    part[local.x] = 1.0;\n  }",
        "  switch local.x / 32u {\n    case 0u: { workgroupBarrier(); }\n    default: { part[local.x] = 1.0; }\n  }",
        "  { if (local.x >= 32u) { part[local.x] = 1.0; } else { workgroupBarrier(); } }",
    ] {
        let found = barrier(body, 32);
        assert_eq!(
            found.text,
            format!(
                "Not every invocation reaches this barrier: invocation 0 of workgroup 0 waits here, and invocation 32 of workgroup 0 \
                 ended without reaching it. {REQUIRED}"
            ),
            "{body}"
        );
        assert_eq!((found.line, found.other, found.lanes), (line("sum", body, "workgroupBarrier"), 0, [0, 32]));
        // The same in one warp.
        assert_eq!(
            barrier(body, 64).text,
            format!(
                "Not every invocation reaches this barrier: invocation 0 of workgroup 0 waits here, and invocation 32 of workgroup 0 \
                 does not. {REQUIRED}"
            ),
            "{body}"
        );
    }
}

#[test]
fn who_returns_is_said_to_and_where() {
    let body = "  if (local.x >= 32u) {\n    return;\n  }\n  workgroupBarrier();";
    let returned = line("sum", body, "return;");
    for width in [16, 32, 64] {
        let found = barrier(body, width);
        assert_eq!(
            found.text,
            format!(
                "Not every invocation reaches this barrier: invocation 0 of workgroup 0 waits here, and invocation 32 of workgroup 0 \
                 returned on line {returned}. {REQUIRED}"
            )
        );
        assert_eq!((found.line, found.other), (line("sum", body, "workgroupBarrier"), returned), "{width}");
    }
    // A function that returns is not its caller.
    let body =
        "  if (local.x < 32u) { wait(); }\n}\nfn skip() {\n  return;\n}\nfn wait() {\n  skip();\n  workgroupBarrier();";
    let text = barrier(body, 32).text;
    assert!(text.contains("and invocation 32 of workgroup 0 ended without reaching it."), "{text}");
}

#[test]
fn the_lanes_that_wait_are_named_and_no_others() {
    let body = "  if (local.x >= 5u && local.x < 32u) {\n    workgroupBarrier();\n  }\n  if (local.x >= 40u) {\n    storageBarrier();\n  }";
    let other = line("sum", body, "storageBarrier");
    let found = findings("sum", body, 32);
    let all: Vec<&str> = found.iter().map(|f| f.text.as_str()).collect();
    for said in [
        "invocation 5 of workgroup 0 waits here, and invocation 0 of workgroup 0 does not.".to_owned(),
        "invocation 40 of workgroup 0 waits here, and invocation 32 of workgroup 0 does not.".to_owned(),
        format!(
            "invocation 5 of workgroup 0 waits here, and invocation 40 of workgroup 0 waits at the barrier on line {other}."
        ),
    ] {
        assert!(all.iter().any(|text| text.contains(&said)), "{said}\n{all:#?}");
    }
}

#[test]
fn who_left_a_loop_is_not_said_to_take_a_branch() {
    let body = "  for (var i = 0u; i < 64u; i++) {\n    if (i > local.x) { break; }\n    workgroupBarrier();\n  }";
    let text = barrier(body, 64).text;
    assert_eq!(
        text,
        format!(
            "Not every invocation reaches this barrier: invocation 1 of workgroup 0 waits here, and invocation 0 of workgroup 0 \
             does not. {REQUIRED}"
        )
    );
}

#[test]
fn what_no_lane_runs_is_not_counted() {
    let body = "  for (var i = 0u; i < 2u; i++) {\n    part[local.x] = f32(i);\n  }";
    let source = Source::Puzzle { puzzle: "sum".to_owned(), body: body.to_owned() };
    let (_, opened) = ringside_glass::open(&source, 32).expect("valid");
    let cost = opened.lines[line("sum", body, "part[local.x] =") as usize - 1];
    // Two warps of each workgroup, two laps. The lap that leaves the loop stores nothing.
    let stores = 4 * opened.counts.workgroups;
    assert_eq!((cost.shared_requests, cost.passes, opened.counts.stores), (stores, stores, stores));
    assert_eq!(cost.cost(), "1 pass");
}

#[test]
fn an_index_beyond_the_end_contradicts_nothing() {
    let n = puzzle("sum").shown(1).inputs[0].len();
    let groups = n.div_ceil(64);
    // Just beyond, in the margin; and beyond that.
    for at in [0, 1000] {
        let body = format!("  if (local.x == 3u && group.x == 0u) {{ part[3] = a[sizes.n + {at}u]; }}");
        let [found] = findings("sum", &body, 32).try_into().expect("one");
        assert_eq!(
            found.text,
            format!(
                "a[{}] is out of bounds: a has {n} elements, and invocation 3 of workgroup 0 reads there. WebGPU raises no error: the \
                 read may return another element or zero.",
                n + at
            )
        );
        let body = format!("  if (local.x == 3u && group.x == 0u) {{ out[{}] = 1.0; }}", groups + at);
        let [found] = findings("sum", &body, 32).try_into().expect("one");
        assert_eq!(
            found.text,
            format!(
                "out[{}] is out of bounds: out has {groups} elements, and invocation 3 of workgroup 0 writes there. WebGPU raises no \
                 error: the write may land on another element or be dropped.",
                groups + at
            )
        );
    }
    let body = "  if (local.x == 3u && group.x == 0u) { part[local.x + 90u] = 1.0; }";
    let [found] = findings("sum", body, 32).try_into().expect("one");
    assert!(
        found.text.starts_with("part[93] is out of bounds: part has 64 elements, and invocation 3"),
        "{}",
        found.text
    );
}

#[test]
fn nothing_races_where_no_element_is() {
    let groups = puzzle("sum").shown(1).inputs[0].len().div_ceil(64);
    let found = findings("sum", &format!("  out[{}] = f32(local.x);", groups + 9), 32);
    assert_eq!(found.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::Bounds], "{found:?}");
    let found = findings("sum", "  out[0] = f32(local.x);", 32);
    assert_eq!(found.iter().map(|f| f.kind).collect::<Vec<_>>(), [FindingKind::Race], "{found:?}");
}

#[test]
fn a_finding_opens_the_workgroup_that_it_is_of() {
    let whole = puzzle("sum").frame().solution;
    for (was, now) in [
        ("out[group.x] = part[0]", "out[0] = part[0]"),
        ("out[group.x] = part[0]", "if (group.x == 1u) { out[900] = part[0]; }"),
        ("part[local.x] = value;\n  workgroupBarrier();", "part[local.x] = value;"),
    ] {
        assert!(whole.contains(was), "{was}");
        let source = Source::Puzzle { puzzle: "sum".to_owned(), body: whole.replacen(was, now, 1) };
        for width in [16, 32, 64] {
            let (mut session, opened) = ringside_glass::open(&source, width).expect("valid");
            assert!(!opened.findings.is_empty() || width == 64, "{now}");
            for found in &opened.findings {
                let shown = session.show(found.round, found.lanes[0] / width);
                let of = format!("invocation {} of workgroup {}", found.lanes[0], shown.workgroup);
                assert!(
                    found.text.contains(&of),
                    "{} in {}, but workgroup {}",
                    found.text,
                    found.round,
                    shown.workgroup
                );
            }
        }
    }
}

#[test]
fn a_workgroup_begins_in_a_step_of_its_own() {
    let body = puzzle("sum").frame().solution.to_owned();
    let (mut session, opened) =
        ringside_glass::open(&Source::Puzzle { puzzle: "sum".to_owned(), body }, 32).expect("valid");
    let all: Vec<_> = (0..=opened.rounds).map(|round| session.show(round, 0)).collect();
    let mut begun = 1;
    for pair in all.windows(2).filter(|pair| pair[0].workgroup != pair[1].workgroup) {
        assert!(pair[0].warps.iter().all(|warp| warp.done), "{:?}", pair[0]);
        assert!(pair[1].accesses.is_empty() && !opened.barriers.contains(&pair[1].round));
        if !pair[1].dispatch.is_empty() {
            assert!(pair[1].warps.iter().all(|warp| !warp.done && warp.line == 0), "{:?}", pair[1]);
            begun += 1;
        }
    }
    assert_eq!(begun, opened.counts.workgroups);
    assert!(all.last().is_some_and(|last| last.dispatch.is_empty()));
}

#[test]
fn what_is_asked_and_said_arrives_as_it_was_meant() {
    let source = || Source::Kernel { family: "matmul".into(), kernel: "tiled".into(), sizes: vec![1, 300] };
    for ask in [
        Ask::Try { puzzle: "map".into(), body: "größer".into(), seed: 7 },
        Ask::Open { source: source(), width: 32 },
        Ask::Show { round: u64::MAX, warp: 3 },
        Ask::Declare { text: "größer".into(), given: "a.length=3".into() },
    ] {
        let bytes = postcard::to_allocvec(&ask).expect("it can be written");
        assert_eq!(postcard::from_bytes::<Ask>(&bytes).expect("it can be read"), ask);
    }
    let (mut session, opened) = ringside_glass::open(&source(), 32).expect("valid");
    let shown = session.show(opened.rounds / 2, 1);
    for said in [
        Said::Opened(Box::new(opened)),
        Said::Opened(Box::default()),
        Said::Declared(Box::new(ringside_glass::declare(ringside_shaders::puzzles::OWN, ""))),
        Said::Shown(Box::new(shown)),
        Said::Shown(Box::default()),
        Said::Refused(vec![Note { error: true, line: 0, column: 0, text: "why".into() }]),
    ] {
        let bytes = postcard::to_allocvec(&said).expect("it can be written");
        assert_eq!(postcard::from_bytes::<Said>(&bytes).expect("it can be read"), said);
    }
}
