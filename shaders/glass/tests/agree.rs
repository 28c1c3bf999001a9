//! Every kernel and every puzzle's solution comes to what its twin says, and nothing is wrong with it.

use std::time::Instant;

use ringside_core::coalescing::measured::{Gather, Order};
use ringside_core::kernels::config::{Config, Numbers, WORKGROUP_MEMORY};
use ringside_core::kernels::glass::{Finding, Source, WIDTHS};
use ringside_core::kernels::job::Verdict;
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{attention, decode, matmul, stream, tuner};
use ringside_glass::run::Runnable;
use ringside_shaders::check::check;
use ringside_shaders::puzzles::{PUZZLES, find};
use ringside_shaders::{Kernel, Problem};

const BUDGET: u64 = 1 << 24;

/// Small problems with an edge.
fn problems(kernel: &Kernel) -> Vec<Problem> {
    match kernel.family {
        "matmul" => [[33, 65, 17], [5, 7, 20]].map(|[m, n, k]| Problem::Matmul(matmul::Sizes { m, n, k })).to_vec(),
        tuner::FAMILY => {
            let numbers = Numbers::ALL.into_iter().find(|n| n.id() == kernel.id).expect("known");
            let fits = |config: &Config| config.workgroup_memory() <= WORKGROUP_MEMORY;
            let shapes = tuner::SPACE.iter().map(|shape| Config { numbers, ..shape.config }).filter(fits);
            shapes.step_by(7).map(|config| Problem::Tuned(matmul::Sizes { m: 33, n: 35, k: 17 }, config)).collect()
        }
        "decode" => [(32, 4, 4), (64, 6, 2)]
            .map(|(head_dim, heads, kv_heads)| decode::Sizes { keys: 77, head_dim, heads, kv_heads, chunk: 64 })
            .map(Problem::Decode)
            .to_vec(),
        "attention" => [(33, 32, true), (20, 64, false)]
            .map(|(seq, head_dim, causal)| attention::Sizes { seq, head_dim, heads: 2, kv_heads: 1, causal })
            .map(Problem::Attention)
            .to_vec(),
        "copy" => vec![Problem::Copy(stream::Copy { rows: 33, cols: 20 })],
        // No pass fits 500 values apart; 13 and 33 leave a rest.
        "gather" => {
            [(Order::Strided, 0), (Order::Strided, 1), (Order::Strided, 8), (Order::Strided, 13), (Order::Strided, 33)]
                .into_iter()
                .chain([(Order::Strided, 500), (Order::Permuted, 1), (Order::Scattered, 1)])
                .map(|(order, stride)| Problem::Gather(Gather { n: 256, order, stride, offset: 3 }))
                .collect()
        }
        "sum" => vec![Problem::Sum(stream::Sum { n: 4097 })],
        "intensity" => vec![Problem::Intensity(stream::Intensity { n: 33, fma: 17 })],
        other => {
            let op = Op::find(other).unwrap_or_else(|| panic!("{other}: no problem"));
            [17, 1100].map(|cols| Problem::Rows(op, rows::Sizes { rows: 3, cols })).to_vec()
        }
    }
}

fn said(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|f| format!("line {}: {}", f.line, f.text)).collect()
}

#[test]
fn kernels_come_to_what_f64_does_and_are_sound() {
    let mut wrong = Vec::new();
    for kernel in ringside_shaders::all() {
        for problem in problems(kernel) {
            let inputs = problem.data(3);
            let runnable = match Runnable::kernel(kernel, &problem, &inputs) {
                Ok(runnable) => runnable,
                Err(note) => {
                    wrong.push(format!("{} {} line {}: {}", kernel.family, kernel.id, note.line, note.text));
                    continue;
                }
            };
            for width in WIDTHS {
                let run = runnable.run(width, BUDGET);
                let mut output = run.output;
                output.truncate(problem.output().1 as usize);
                let checked = check(kernel, &problem, &inputs, &output, u64::MAX);
                if !checked.verified() || run.stopped.is_some() || !run.findings.is_empty() {
                    wrong.push(format!(
                        "{} {} {problem:?} {width}: {checked:?} {:?} {:?}",
                        kernel.family,
                        kernel.id,
                        run.stopped,
                        said(&run.findings)
                    ));
                }
                // What the twin counts for global memory is what lanes asked for, where a kernel goes through no atomics.
                if kernel.family == "copy" && run.counts.read + run.counts.written != 2 * 4 * 33 * 20 {
                    wrong.push(format!("{} moved {:?}", kernel.id, run.counts));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn solutions_are_right_and_sound_and_beginnings_are_neither() {
    for puzzle in PUZZLES {
        let frame = puzzle.frame();
        for case in puzzle.cases(7) {
            let runnable = Runnable::puzzle(puzzle, frame.solution, &case).expect(puzzle.id);
            for width in WIDTHS {
                let run = runnable.run(width, BUDGET);
                assert_eq!(puzzle.check(&case, &run.output), None, "{} {} {width}", puzzle.id, case.name());
                assert!(run.findings.is_empty() && run.stopped.is_none(), "{} {:?}", puzzle.id, said(&run.findings));
            }
        }
        let right = ringside_glass::try_puzzle(puzzle, frame.solution, 7, |_| ()).verdict;
        assert!(matches!(right, Verdict::Right(t) if t.cases >= 6), "{} {right:?}", puzzle.id);
        let wrong = ringside_glass::try_puzzle(puzzle, frame.start, 7, |_| ()).verdict;
        assert!(!matches!(wrong, Verdict::Right(_)), "{}", puzzle.id);
    }
}

/// Solutions that take a subgroup to have 32 invocations, or forget that there may be several, and how they are caught.
#[test]
fn subgroups_of_another_size_are_tried() {
    let caught = |id: &str, was: &str, now: &str| {
        let puzzle = find(id).expect(id);
        let solution = puzzle.frame().solution;
        assert!(solution.contains(was), "{id}: {was}");
        ringside_glass::try_puzzle(puzzle, &solution.replace(was, now), 7, |_| ()).verdict
    };
    for (id, was, now) in [
        ("subgroup-sum", "local.x / size", "local.x / 32u"),
        ("subgroup-sum", "s * size < 64u", "s < 2u"),
        ("subgroup-scan", "local.x / size", "local.x / 32u"),
        ("subgroup-scan", "lane == size - 1u", "lane == 31u"),
        ("subgroup-softmax", "s * size < 64u", "s < 2u"),
        ("compact", "s * size < 64u", "s < 2u"),
        ("compact", "word < 4u", "word < 1u"),
    ] {
        let verdict = caught(id, was, now);
        let (Verdict::Wrong(at, _) | Verdict::Unsound(at, _)) = &verdict else { panic!("{id} {now}: {verdict:?}") };
        assert!(at.ends_with("subgroups of 16") || at.ends_with("subgroups of 64"), "{id} {now}: {verdict:?}");
    }
    for (id, was, now) in [
        ("subgroup-sum", "out[group.x] = total", "out[group.x] = sum"),
        ("subgroup-sum", "if (i < sizes.n) { value", "if (true) { value"),
        ("subgroup-scan", "subgroupInclusiveAdd", "subgroupExclusiveAdd"),
        ("subgroup-scan", "before + sum", "sum"),
        ("subgroup-softmax", "most = subgroupMax(most);", ""),
        ("subgroup-softmax", "sum = subgroupAdd(sum);", ""),
        ("compact", "place += kept[s]", "place += 0u"),
        ("compact", "i32(lane) -", "i32(lane) + 1 -"),
        ("compact", "if (i < sizes.n && local.x >= all) { out[i] = 0.0; }", ""),
    ] {
        let verdict = caught(id, was, now);
        assert!(matches!(verdict, Verdict::Wrong(..)), "{id} {now}: {verdict:?}");
    }
}

#[test]
fn a_matrix_product_is_counted() {
    let sizes = matmul::Sizes { m: 32, n: 32, k: 16 };
    let problem = Problem::Matmul(sizes);
    let kernel = ringside_shaders::find("matmul", "tiled").expect("there");
    let run = Runnable::kernel(kernel, &problem, &problem.data(1)).expect("valid").run(32, BUDGET);
    assert_eq!(run.counts.flop, 2 * 32 * 32 * 16);
    let asked = problem.needs("tiled").expect("known").asked;
    assert_eq!(run.counts.read + run.counts.written, asked.total());
    // Two barriers for the one tile, in each of 8 warps of 4 workgroups.
    assert_eq!((run.counts.workgroups, run.counts.barriers), (4, 2 * 8 * 4));
    assert_eq!(run.counts.divergent, 0);
}

#[test]
fn any_step_can_be_shown_in_any_order() {
    for puzzle in ["sum", "transpose", "softmax"] {
        let body = ringside_shaders::puzzles::find(puzzle).expect("there").frame().solution.to_owned();
        let source = Source::Puzzle { puzzle: puzzle.to_owned(), body };
        let (mut session, opened) = ringside_glass::open(&source, 32).expect("valid");
        assert!(opened.rounds > 10 && !opened.barriers.is_empty() && opened.stopped.is_none(), "{opened:?}");
        let forth: Vec<_> = (0..=opened.rounds).map(|round| session.show(round, 1)).collect();
        for round in (0..=opened.rounds).rev().step_by(3) {
            assert_eq!(session.show(round, 1), forth[round as usize], "{puzzle} {round}");
        }
        assert!(forth.iter().any(|shown| shown.accesses.iter().any(|a| !a.shared && a.units > 0)));
        assert!(forth.iter().any(|shown| shown.shared.iter().any(|v| v.cells.iter().any(|(_, who)| who.is_some()))));
        assert!(forth.iter().any(|shown| shown.values.iter().any(|v| v.name == "local")));
        assert!(forth.iter().any(|shown| shown.warps.iter().any(|w| w.waiting)));
    }
}

#[test]
fn every_kernel_can_be_opened() {
    for kernel in ringside_shaders::all() {
        let source =
            Source::Kernel { family: kernel.family.to_owned(), kernel: kernel.id.to_owned(), sizes: Vec::new() };
        let (mut session, opened) =
            ringside_glass::open(&source, 32).unwrap_or_else(|e| panic!("{} {}: {e:?}", kernel.family, kernel.id));
        assert!(opened.findings.is_empty() && opened.rounds > 0, "{} {:?}", kernel.id, said(&opened.findings));
        assert!(opened.registers > 0, "{}", kernel.id);
        session.show(opened.rounds / 2, 0);
    }
}

/// Not a promise: `cargo test --release -p ringside-glass speed -- --nocapture --ignored`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    for id in ["tiled", "register", "pipelined"] {
        let problem = Problem::Matmul(matmul::Sizes { m: 128, n: 128, k: 128 });
        let kernel = ringside_shaders::find("matmul", id).expect("there");
        let runnable = Runnable::kernel(kernel, &problem, &problem.data(1)).expect("valid");
        let started = Instant::now();
        let run = runnable.run(32, u64::MAX >> 1);
        let seconds = started.elapsed().as_secs_f64();
        println!("{id}: {:.1} M lane instructions per second", run.counts.lanes as f64 / seconds / 1e6);
    }
}
