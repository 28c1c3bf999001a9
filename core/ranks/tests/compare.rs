//! Runs next to the models of the course's figures.

use ringside_core::declare::Model;
use ringside_core::program::figure::{PUZZLES, Params, find};
use ringside_core::program::{Compared, Comparison, Job, Puzzle, Row};
use ringside_core::query::Query;
use ringside_core::{network, pipeline, zero};

use super::ladder::puzzles;

fn compared(puzzle: &Puzzle, program: &str, ranks: usize) -> Compared {
    let params = Params { puzzle: find(&puzzle.id).unwrap(), ranks: ranks as u64, ..Params::default() };
    params.compare(puzzle, &ringside_ranks::run(&params.job(puzzle, program, ranks)))
}

/// A puzzle of the ladder by its id.
fn puzzle(id: &str) -> Puzzle {
    let all = puzzles().into_iter();
    let (_, puzzle) = all.into_iter().find(|(name, _)| name.split_once('-').unwrap().1 == id).unwrap();
    Puzzle { id: id.to_owned(), ..puzzle }
}

fn of_solution(id: &str, ranks: usize) -> Compared {
    let puzzle = puzzle(id);
    compared(&puzzle, &puzzle.solution, ranks)
}

fn row<'a>(comparison: &'a Comparison, what: &str) -> &'a Row {
    let found = comparison.rows.iter().find(|row| row.what.starts_with(what));
    found.unwrap_or_else(|| panic!("{what}: {comparison:?}"))
}

/// Whether the figure shows, in the state that is linked, what the row says of the model.
fn shows<M: Model>(state: &Query, id: &str, value: f64) {
    let (params, problems) = M::read(state);
    assert_eq!(problems, [], "{state}");
    let quantities = params.quantities(&params.evaluate().unwrap());
    let shown = quantities.iter().find(|quantity| quantity.id == id).unwrap().value;
    assert!((shown / value - 1.0).abs() < 1e-9, "{state}: {id} is {shown}, not {value}");
}

#[test]
fn every_solution_is_compared_or_it_is_said_why_not() {
    for named in PUZZLES {
        let puzzle = puzzle(named.id);
        for ranks in &puzzle.ranks {
            let compared = compared(&puzzle, &puzzle.solution, *ranks);
            assert!(!compared.with.is_empty() || !compared.without.is_empty(), "{} on {ranks}", named.id);
            for comparison in &compared.with {
                let Comparison { figure, state, rows, .. } = comparison;
                let problems = match *figure {
                    "communication-cost" => network::sizes::Params::read(state).1,
                    "zero-stepper" => zero::Params::read(state).1,
                    _ => pipeline::Params::read(state).1,
                };
                assert_eq!(problems, [], "{} on {ranks}: {state}", named.id);
                let odd = rows.iter().find(|row| !(row.ratio().is_some_and(|ratio| (0.3..4.0).contains(&ratio))));
                assert_eq!(odd, None, "{} on {ranks}, {}: {}", named.id, comparison.title, comparison.finding());
                println!("{} on {ranks}: {}: {}", named.id, comparison.title, comparison.finding());
            }
            compared.without.iter().for_each(|why| println!("{} on {ranks}: {why}", named.id));
        }
    }
}

#[test]
fn calls_take_what_the_model_says() {
    for (id, ranks) in [("ddp", 4), ("zero-1", 8), ("two-level-all-reduce", 4), ("two-level-all-reduce", 8)] {
        let compared = of_solution(id, ranks);
        let calls: Vec<_> = compared.with.iter().filter(|c| c.figure == "communication-cost").collect();
        assert!(!calls.is_empty(), "{id}");
        for call in calls {
            for row in &call.rows {
                assert!((row.run / row.model - 1.0).abs() < 1e-9, "{id} on {ranks}: {}: {row:?}", call.title);
            }
            assert_eq!(call.finding(), "The run matches the model.");
            shows::<network::sizes::Params>(&call.state, "time", row(call, "Time").model);
            assert!(call.state.get("measured").is_some_and(|points| points.contains(':')), "{}", call.state);
        }
    }
}

#[test]
fn a_collective_by_sends_is_compared_with_the_whole_of_it() {
    for (id, ranks) in [("broadcast", 4), ("ring-reduce-scatter", 3), ("ring-all-gather", 4), ("ring-all-reduce", 8)] {
        let compared = of_solution(id, ranks);
        let [sends] = compared.with.as_slice() else { panic!("{id}: {compared:?}") };
        assert_eq!(row(sends, "Bytes").ratio(), Some(1.0), "{id}: {sends:?}");
        assert!(row(sends, "Time").ratio().is_some_and(|ratio| (0.999..1.05).contains(&ratio)), "{id}: {sends:?}");
        shows::<network::sizes::Params>(&sends.state, "time", row(sends, "Time").model);
    }
    let puzzle = puzzle("ring-all-reduce");
    let wrong = &puzzle.wrong[0];
    let told = compared(&puzzle, &puzzle.broken(wrong).unwrap(), wrong.ranks);
    let says = "The run is compared with the model of an all-reduce by ring once its result is right.";
    assert_eq!((told.with.len(), told.without), (0, vec![says.to_owned()]));
    let silent = compared(&puzzle, &puzzle.starter, 4);
    assert_eq!(silent.without, ["No message arrived in this run, so there is nothing to compare with a model."]);
}

#[test]
fn shards_are_compared_in_units_of_the_program_s_parameters() {
    for (id, ranks) in [("zero-1", 4), ("zero-2", 4), ("zero-3", 4), ("zero-3", 8), ("zero-3-prefetch", 4)] {
        let compared = of_solution(id, ranks);
        let shards = compared.with.first().unwrap();
        assert_eq!(shards.figure, "zero-stepper", "{id}: {compared:?}");
        assert!((row(shards, "Bytes sent").ratio().unwrap() - 1.0).abs() < 1e-9, "{id} on {ranks}: {shards:?}");
        assert!((row(shards, "Peak parameters").ratio().unwrap() - 1.0).abs() < 1e-9, "{id} on {ranks}: {shards:?}");
    }
    assert!(of_solution("zero-1", 4).with[0].rows.iter().any(|row| row.what.contains("optimizer")));
    assert!(of_solution("zero-3", 4).with[0].note.contains("forward pass"));
}

#[test]
fn pipelines_are_read_off_their_messages() {
    for (id, ranks, microbatches) in
        [("gpipe", 4, "8"), ("1f1b", 2, "12"), ("1f1b", 4, "12"), ("interleaved-1f1b", 4, "8")]
    {
        let compared = of_solution(id, ranks);
        let pipe = compared.with.first().unwrap_or_else(|| panic!("{id}: {compared:?}"));
        assert_eq!((pipe.figure, pipe.state.get("microbatches")), ("pipeline-timeline", Some(microbatches)), "{id}");
        assert_eq!(pipe.state.get("stages"), Some(ranks.to_string().as_str()));
        shows::<pipeline::Params>(&pipe.state, "makespan", row(pipe, "Time").model);
    }
    // GPipe's order in 1F1B's puzzle is right but holds more.
    let puzzle = puzzle("1f1b");
    let held = row(&compared(&puzzle, &puzzle.starter, 4).with[0], "Peak activations").ratio();
    assert!(held.is_some_and(|ratio| ratio > 2.0), "{held:?}");
    assert!(of_solution("interleaved-1f1b", 2).without[0].starts_with("Two ranks of Interleaved 1F1B send"));
}

#[test]
fn a_program_of_another_kind_is_not_compared() {
    let told = of_solution("experts", 4);
    assert!(told.without.iter().any(|why| why.starts_with("An all-to-all goes pair by pair")), "{told:?}");
    let ring = of_solution("ring-attention", 4);
    assert!(ring.with.is_empty() && ring.without[0].starts_with("This program’s messages are neither"), "{ring:?}");
    // The first rank of a node and the second of the next.
    let program = "import torch\nimport torch.distributed as dist\nfrom ringside import rank\ng = dist.new_group([0, 3])\nif rank() in [0, 3]:\n    dist.all_reduce(torch.ones(4), group=g)\n";
    let puzzle = puzzle("two-level-all-reduce");
    let job = Job { reference: None, best: None, ..puzzle.job(program, 4) };
    let params = Params { puzzle: find(&puzzle.id).unwrap(), ranks: 4, ..Params::default() };
    let told = params.compare(&puzzle, &ringside_ranks::run(&job));
    assert!(told.with.is_empty() && told.without[0].contains("lies unevenly in the nodes"), "{told:?}");
}
