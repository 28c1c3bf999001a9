//! The examples of AUTHORING.md and CONTRIBUTING.md, within the course as it is: a chapter with every construct and an exercise of every
//! kind, without a mistake; and the lines of code that they quote, which stand where they say.

use std::collections::BTreeMap;

use ringside_content::schema::Exercises;
use ringside_content::{Mode, Tree, build_tree, draft};

use crate::{root, texts};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join("..").join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// The fenced blocks of a guide in a language, indented or not.
fn blocks(guide: &str, language: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for line in guide.lines() {
        let indent = line.len() - line.trim_start().len();
        match &mut open {
            Some(_) if line.trim() == "```" => all.extend(open.take().map(|(_, text)| text)),
            Some((by, text)) => {
                text.push_str(line.get(*by..).unwrap_or_default());
                text.push('\n');
            }
            None if line.trim() == format!("```{language}") => open = Some((indent, String::new())),
            None => {}
        }
    }
    all
}

/// What stands in the first column of a table of AUTHORING.md as code, one after the other.
fn codes(guide: &str) -> Vec<String> {
    let rows = guide.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells
        .flat_map(|cell| {
            let mut codes = Vec::new();
            let mut rest = cell;
            while let Some(begins) = rest.find('`') {
                let ticks = rest[begins..].chars().take_while(|c| *c == '`').count();
                let mark = "`".repeat(ticks);
                let Some(length) = rest[begins + ticks..].find(&mark) else { break };
                codes.push(rest[begins + ticks..][..length].trim().to_owned());
                rest = &rest[begins + ticks + length + ticks..];
            }
            codes
        })
        .collect()
}

/// The chapter that the guides describe, and the folder that AUTHORING.md gives it.
fn chapter() -> (String, BTreeMap<String, String>) {
    let (authoring, contributing) = (read("AUTHORING.md"), read("CONTRIBUTING.md"));
    let entry =
        blocks(&authoring, "toml").into_iter().find(|block| block.contains("[[part.chapter]]")).expect("an entry");
    let folder =
        authoring.split("`content/chapters/").nth(1).and_then(|rest| rest.split("/`").next()).expect("a folder");
    let front: String = authoring
        .lines()
        .skip_while(|line| line.trim() != "+++")
        .map_while(|line| line.strip_prefix("    ").or(line.is_empty().then_some("")))
        .map(|line| format!("{line}\n"))
        .collect();
    let all = [blocks(&authoring, "toml"), blocks(&contributing, "toml")].concat();
    let exercises: Vec<String> = all.into_iter().filter(|block| block.contains("[[exercise]]")).collect();
    let mut text = front;
    let codes = codes(&authoring);
    assert!(codes.len() >= 14, "{codes:#?}");
    for code in &codes {
        let piece = match code.strip_prefix("```") {
            // `unlocks` of two of the exercises name figures.
            Some(info) if info.starts_with("widget") => {
                let second = info.replace("#main", "#curve after=sketch");
                format!("```{info} after=predict-speedup\nserial = 0.05\n```\n\n```{second}\nserial = 0.05\n```")
            }
            Some("notes") => "```notes\nFor me.\n```".to_owned(),
            Some(info) => format!("```{info}\n```"),
            // What only stands for something.
            None if code == "serial = 0.05" || code == "$$…$$" => continue,
            None if code.starts_with("=") => format!("At most `{code}` times."),
            None => code.clone(),
        };
        text.push_str(&format!("\n{piece}\n"));
    }
    text.push_str("\n```exercises\n```\n");
    let mut files = texts();
    files.get_mut("course.toml").expect("the manifest").push_str(&format!("\n{entry}"));
    files.insert(format!("chapters/{folder}/chapter.md"), text);
    files.insert(format!("chapters/{folder}/exercises.toml"), exercises.join("\n"));
    (folder.to_owned(), files)
}

#[test]
fn the_guides_describe_a_chapter_without_a_mistake() {
    let (folder, files) = chapter();
    let text = files[&format!("chapters/{folder}/chapter.md")].clone();
    let draft = draft(&Tree::from_files(files.clone()), &folder);
    let list: Vec<String> = draft.diagnostics.iter().map(ToString::to_string).collect();
    assert!(list.is_empty(), "{}\n{text}", list.join("\n"));
    assert!(draft.html.0.contains("data-slot-widget=\"amdahl\""));
    // The course with it asks for its place among the others, as the guide says, and for nothing else.
    let site = build_tree(&Tree::from_files(files), Mode::Strict);
    let list: Vec<&str> = site.diagnostics.iter().map(|d| d.message.as_str()).collect();
    let asked = ["No area of placement.toml", "No other chapter links", "The term of syllabus.toml leaves out"];
    assert!(list.len() == asked.len() && asked.iter().all(|a| list.iter().any(|m| m.starts_with(a))), "{list:#?}");
    let exercises: &Exercises = &draft.exercises;
    let mut kinds: Vec<&str> = exercises.exercises.iter().map(|e| e.kind.name()).collect();
    let mut all = ringside_core::exercise::Kind::NAMES.to_vec();
    kinds.sort_unstable();
    all.sort_unstable();
    assert_eq!(kinds, all, "an example of every kind");
}

#[test]
fn the_code_that_is_quoted_stands_in_the_code() {
    let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    let sources = [
        "core/src/lib.rs",
        "core/src/catalogue.rs",
        "core/src/amdahl.rs",
        "core/src/zero/mod.rs",
        "core/src/exercise/kinds.rs",
        "content/drawing/src/charts/amdahl.rs",
        "app/src/widgets/amdahl.rs",
        "app/src/widgets/mod.rs",
        "app/src/exercises/mod.rs",
    ];
    let code: String = sources.map(|path| bare(&read(path))).concat();
    let blocks = blocks(&read("CONTRIBUTING.md"), "rust");
    assert!(blocks.len() >= 6);
    for line in blocks.iter().flat_map(|block| block.lines()) {
        let line = line.split("  //").next().unwrap_or_default().trim();
        assert!(line == "…" || code.contains(&bare(line)), "this stands nowhere: {line}");
    }
}

#[test]
fn the_files_that_are_named_are_there() {
    for guide in ["AUTHORING.md", "CONTRIBUTING.md", "ARCHITECTURE.md"] {
        let text = read(guide);
        let named = text.split('`').skip(1).step_by(2).filter(|code| code.contains('/') && code.contains('.'));
        let plain = |code: &&str| code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
        for path in named
            .filter(plain)
            .filter(|path| path.ends_with(".rs") || path.ends_with(".toml") || path.ends_with(".css"))
        {
            let beside = ["", "app/src/", "core/src/", "shaders/src/"];
            assert!(
                beside.iter().any(|folder| root().join("..").join(folder).join(path).exists()),
                "{guide} names {path}, which is not there"
            );
        }
    }
}
