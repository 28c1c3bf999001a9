//! Every puzzle's solution is read by naga, which must find its bindings; every start text is read too, and comes to nothing
//! right. Twins come to what f64 does. That the solutions themselves are right is shown where they run: in the browser's
//! tests, and natively by no one.

use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ScalarKind, StorageAccess, TypeInner};
use proptest::prelude::*;
use ringside_core::kernels::config::WORKGROUP_MEMORY;
use ringside_core::kernels::workbench;
use ringside_shaders::attention::SUBGROUPS;
use ringside_shaders::descriptor::{Dims, Parameter};
use ringside_shaders::puzzles::{Case, MARGIN, PUZZLES, Puzzle, UNWRITTEN, find};

/// WebGPU's default limits.
const WORKGROUPS: u64 = 65_535;

fn read(text: &str) -> Result<Module, String> {
    let subgroups = text.starts_with(SUBGROUPS);
    let text = &text.replacen(SUBGROUPS, "", 1);
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let mut known = Capabilities::empty();
    known.set(Capabilities::SUBGROUP, subgroups);
    let mut validator = Validator::new(ValidationFlags::all(), known);
    validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    let checked = validator.validate(&module);
    checked.map_err(|e| e.emit_to_string(text)).map(|_| module)
}

#[test]
fn the_puzzles_are_those_of_the_model() {
    let ids: Vec<&str> = PUZZLES.iter().map(|p| p.id).collect();
    assert_eq!(ids, workbench::PUZZLES.iter().map(|p| p.id).collect::<Vec<_>>());
    assert!(ids.len() >= 10);
    for puzzle in PUZZLES {
        let timed = workbench::find(puzzle.id).expect(puzzle.id);
        let names: Vec<&str> = timed.timed.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, puzzle.sizes.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), "{}", puzzle.id);
        // What must be moved is what is bound.
        let case = puzzle.timed(1);
        let bound: usize = case.inputs.iter().map(Vec::len).sum();
        assert_eq!(timed.compulsory(), 4 * (bound as u64 + puzzle.output.at(&case.dims)), "{}", puzzle.id);
        for case in puzzle.cases(7).into_iter().chain([case]) {
            let grid = puzzle.grid.each_ref().map(|size| size.at(&case.dims));
            assert!(grid.iter().all(|n| (1..=WORKGROUPS).contains(n)), "{} {grid:?}", puzzle.id);
        }
    }
}

#[test]
fn solutions_and_beginnings_are_valid() {
    for puzzle in PUZZLES {
        let frame = puzzle.frame();
        assert!(frame.head.ends_with("{\n") && frame.tail == "}\n", "{}", puzzle.id);
        assert_ne!(frame.start.trim(), frame.solution.trim(), "{}", puzzle.id);
        for body in [frame.start, frame.solution, "", "// nothing"] {
            let text = puzzle.whole(body);
            read(&text).unwrap_or_else(|e| panic!("{}: {e}", puzzle.id));
        }
    }
}

#[test]
fn frames_bind_what_the_puzzle_says() {
    for puzzle in PUZZLES {
        let module = read(&puzzle.whole(puzzle.frame().solution)).expect(puzzle.id);
        let entry = &module.entry_points[0];
        assert_eq!((entry.name.as_str(), entry.workgroup_size), ("main", puzzle.workgroup), "{}", puzzle.id);
        let mut found = Vec::new();
        let mut occupied = 0;
        for (_, variable) in module.global_variables.iter() {
            let name = variable.name.as_deref().unwrap_or_default();
            let kind = match variable.space {
                AddressSpace::Uniform => "uniform",
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => "write",
                AddressSpace::Storage { .. } => "read",
                AddressSpace::WorkGroup => {
                    occupied += module.types[variable.ty].inner.size(module.to_ctx());
                    continue;
                }
                other => panic!("{}: a variable in {other:?}", puzzle.id),
            };
            let binding = variable.binding.expect("bound");
            assert_eq!(binding.group, 0);
            found.push((binding.binding, name, kind));
            if let TypeInner::Struct { members, .. } = &module.types[variable.ty].inner {
                let members: Vec<_> = members
                    .iter()
                    .map(|m| (m.name.as_deref().unwrap_or(""), m.offset, module.types[m.ty].inner.scalar_kind()))
                    .collect();
                let sizes: Vec<_> = puzzle.parameters().iter().map(|p| Parameter::name(*p)).collect();
                let sizes: Vec<_> =
                    sizes.into_iter().zip((0..).step_by(4)).map(|(n, at)| (n, at, Some(ScalarKind::Uint))).collect();
                assert_eq!(members, sizes, "{}", puzzle.id);
            }
        }
        found.sort_unstable();
        let names = puzzle.inputs.iter().map(|(name, _)| (*name, "read"));
        let described: Vec<_> =
            names.chain([("out", "write"), ("sizes", "uniform")]).zip(0..).map(|((n, k), i)| (i, n, k)).collect();
        assert_eq!(found, described, "{}", puzzle.id);
        assert!(u64::from(occupied) <= WORKGROUP_MEMORY, "{}", puzzle.id);
    }
}

/// What a puzzle asks for, by its definition, in f64.
fn exact(puzzle: &Puzzle, case: &Case) -> Vec<f64> {
    let input = |i: usize, at: usize| f64::from(case.inputs[i][at]);
    let size = |name: &str| case.dims.get(name) as usize;
    let n = size("n");
    let block = |i: usize| i / 64 * 64;
    let matrix = |rows: usize, cols: usize, value: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
        (0..rows * cols).map(|i| value(i / cols, i % cols)).collect()
    };
    let (rows, cols) = (size("rows"), size("cols"));
    match puzzle.id {
        "map" => (0..n).map(|i| input(0, i) + 10.0).collect(),
        "zip" => (0..n).map(|i| input(0, i) * input(1, i)).collect(),
        "guard" => (0..n).map(|i| 2.0 * input(0, i)).collect(),
        "broadcast" => matrix(rows, cols, &|row, col| input(0, row) + input(1, col)),
        "transpose" => matrix(cols, rows, &|row, col| input(0, col * cols + row)),
        "sum" | "subgroup-sum" => {
            (0..n.div_ceil(64)).map(|g| (64 * g..(64 * g + 64).min(n)).map(|i| input(0, i)).sum()).collect()
        }
        "stencil" => (0..n)
            .map(|i| (0..5).filter(|k| (2..n + 2).contains(&(i + k))).map(|k| input(1, k) * input(0, i + k - 2)).sum())
            .collect(),
        "dot" => vec![(0..n).map(|i| input(0, i) * input(1, i)).sum()],
        "scan" | "subgroup-scan" => (0..n).map(|i| (block(i)..=i).map(|j| input(0, j)).sum()).collect(),
        "matmul" | "tiled-matmul" | "double-buffer" => {
            let k = size("k");
            matrix(size("m"), n, &|row, col| (0..k).map(|i| input(0, row * k + i) * input(1, i * n + col)).sum())
        }
        "softmax" | "online-softmax" | "subgroup-softmax" => matrix(rows, cols, &|row, col| {
            let of = |col| input(0, row * cols + col);
            1.0 / (0..cols).map(|other| (of(other) - of(col)).exp()).sum::<f64>()
        }),
        "vector" => (0..n).map(|i| 2.0 * input(0, i) + input(1, i)).collect(),
        "grouped" => {
            // The elements, sorted as the task says: by band, then by column, then by row.
            let mut places: Vec<(usize, usize)> =
                (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col))).collect();
            places.sort_by_key(|(row, col)| (row / size("high"), *col, *row));
            places.into_iter().map(|(row, col)| input(0, row * cols + col)).collect()
        }
        "split-k" => {
            let k = size("k");
            matrix(rows, k.div_ceil(256), &|row, chunk| {
                (256 * chunk..(256 * chunk + 256).min(k)).map(|i| input(0, row * k + i) * input(1, i)).sum()
            })
        }
        "merge" => {
            let (chunks, d) = (size("chunks"), size("d"));
            let weight = |row: usize, c: usize| (input(0, row * chunks + c) - input(0, row * chunks)).exp();
            matrix(rows, d, &|row, i| {
                let all: f64 = (0..chunks).map(|c| weight(row, c) * input(2, (row * chunks + c) * d + i)).sum();
                all / (0..chunks).map(|c| weight(row, c) * input(1, row * chunks + c)).sum::<f64>()
            })
        }
        "compact" => (0..n)
            .map(|i| {
                let kept = (block(i)..n.min(block(i) + 64)).filter(|j| input(0, *j) > 0.0);
                kept.skip(i - block(i)).map(|j| input(0, j)).next().unwrap_or(0.0)
            })
            .collect(),
        other => panic!("{other} has no definition"),
    }
}

/// `values` with an untouched margin.
fn with_margin(values: &[f32]) -> Vec<f32> {
    [values, &[UNWRITTEN; MARGIN]].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn twins_are_what_the_definition_says(seed: u32, index in 0..PUZZLES.len()) {
        let puzzle = &PUZZLES[index];
        for case in puzzle.cases(seed) {
            let exact: Vec<f32> = exact(puzzle, &case).iter().map(|value| *value as f32).collect();
            let wrong = puzzle.check(&case, &with_margin(&exact));
            prop_assert_eq!(wrong, None, "{} at {}", puzzle.id, case.name());
        }
    }
}

#[test]
fn the_edges_of_every_puzzle_are_what_the_definition_says() {
    for puzzle in PUZZLES {
        for case in puzzle.cases(1) {
            let exact: Vec<f32> = exact(puzzle, &case).iter().map(|value| *value as f32).collect();
            assert_eq!(puzzle.check(&case, &with_margin(&exact)), None, "{} at {}", puzzle.id, case.name());
        }
    }
}

#[test]
fn a_wrong_value_is_noticed_wherever_it_is() {
    for puzzle in PUZZLES {
        for case in puzzle.cases(3) {
            let right = with_margin(&puzzle.expected(&case));
            assert_eq!(puzzle.check(&case, &right), None);
            let most = right.iter().take(right.len() - MARGIN).fold(0.0_f32, |most, v| most.max(v.abs()));
            for at in (0..right.len()).step_by(1 + right.len() / 40).chain([right.len() - MARGIN, right.len() - 1]) {
                for change in [0.01 * most, f32::NAN, f32::INFINITY] {
                    let mut output = right.clone();
                    output[at] += change;
                    // Far beyond the end, a hundredth of the largest value is lost in what stands there.
                    if output[at] != right[at] {
                        assert!(
                            puzzle.check(&case, &output).is_some(),
                            "{} {}: {change} at {at}",
                            puzzle.id,
                            case.name()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn cases_have_both_sides_of_every_edge_and_differ_by_seed() {
    let matmul = find("tiled-matmul").expect("a puzzle");
    let sizes = |seed| matmul.cases(seed).iter().map(|case| case.dims.clone()).collect::<Vec<_>>();
    assert_eq!(sizes(5), sizes(5));
    assert_ne!(sizes(5), sizes(6));
    assert!(sizes(5).iter().any(|Dims(dims)| dims.iter().all(|(_, size)| size % 16 == 0)));
    assert!(sizes(5).iter().any(|Dims(dims)| dims.iter().all(|(_, size)| size % 16 != 0)));
    for puzzle in PUZZLES {
        for case in (0..50).flat_map(|seed| puzzle.cases(seed)) {
            for ((_, size), (name, least, most)) in case.dims.0.iter().zip(puzzle.sizes) {
                assert!(size.is_multiple_of(*least) && (1..=*most).contains(size), "{} {name} = {size}", puzzle.id);
            }
        }
    }
    assert_eq!(matmul.cases(0)[2].name(), "m = 17, n = 15, k = 33");
}
