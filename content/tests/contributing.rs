//! The examples of CONTRIBUTING.md, in the place of the golden course's exercises: one of every kind, without a mistake.

use std::path::Path;

use ringside_content::schema::Exercises;
use ringside_content::{Mode, Tree, build_tree};

const EXERCISES: &str = "chapters/07-everything/exercises.toml";

#[test]
fn the_guide_has_an_example_of_every_kind() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file");
    let guide = read(&root.join("../CONTRIBUTING.md"));
    let blocks = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let examples: String = blocks.filter(|block| block.contains("[[exercise]]")).collect::<Vec<_>>().join("\n");
    let examples = examples.replace("scaling.amdahl", "everything.bound");
    let golden = ["course.toml", "readings.toml", "glossary.toml", "plan.toml", "reference.toml"]
        .into_iter()
        .chain(["chapters/07-everything/chapter.md"])
        .map(|path| (path.to_owned(), read(&root.join("tests/golden").join(path))));
    let files = golden.chain([(EXERCISES.to_owned(), examples)]).collect::<Vec<_>>();
    let site = build_tree(&Tree::from_files(files), Mode::Strict);
    let list: Vec<String> = site.diagnostics.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));

    let json = &site.files.iter().find(|(path, _)| path == "chapters/everything.exercises.json").expect("exercises").1;
    let exercises: Exercises = serde_json::from_slice(json).expect("exercises");
    let kinds: Vec<&str> = exercises.exercises.iter().map(|e| e.kind.name()).collect();
    // In the order of the page, on which the prediction has a place of its own before the others.
    let all =
        ["predict", "number", "choice", "sketch", "order", "match", "label", "task", "trace", "explain", "kernel"];
    assert_eq!(kinds, all);
}
