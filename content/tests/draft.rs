//! A chapter that is being written, rendered by itself.

use std::collections::BTreeMap;

use ringside_content::schema::Draft;
use ringside_content::{Tree, draft};

use crate::{file, root, texts};

const FOLDER: &str = "26-my-chapter";

/// The course with a new chapter made from the template, its text changed by `edit`.
fn with_template(edit: impl Fn(String) -> String) -> Draft {
    let mut files = texts();
    let template = |name: &str| std::fs::read_to_string(root().join("template").join(name)).expect("a template");
    files.get_mut("course.toml").expect("the manifest").push_str(&template("course.toml"));
    files.insert(format!("chapters/{FOLDER}/chapter.md"), edit(template("chapter.md")));
    files.insert(format!("chapters/{FOLDER}/exercises.toml"), template("exercises.toml"));
    draft(&Tree::from_files(files), FOLDER)
}

#[test]
fn the_template_is_a_chapter_that_wants_exercises() {
    let draft = with_template(|text| text);
    let list: Vec<&str> = draft.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(matches!(list.as_slice(), [one] if one.contains("at least 8 exercises")), "{list:#?}");
    assert!(draft.html.0.contains("data-slot-widget=\"amdahl\""), "{}", draft.html.0);
    assert_eq!(draft.exercises.exercises.len(), 1);
}

#[test]
fn a_mistake_is_said_with_its_line_and_shown_in_its_place() {
    let draft = with_template(|text| text.replace("?n=64)", "?m=64)"));
    let wrong = draft.diagnostics.iter().find(|d| d.file.ends_with("chapter.md")).expect("a diagnostic");
    assert_eq!(wrong.line, 19, "{wrong:?}");
    assert!(draft.html.0.contains("class=\"diagnostic\""));
}

#[test]
fn a_chapter_of_the_course_comes_out_as_the_site_has_it() {
    let draft = draft(&Tree::read(root()), "04-activations");
    assert_eq!(draft.diagnostics, []);
    assert_eq!(draft.html.0.as_bytes(), file("chapters/activations.html"));
    let exercises = serde_json::to_vec(&draft.exercises).expect("JSON");
    assert_eq!(exercises, file("chapters/activations.exercises.json"));
}

/// Chapter 3 with a file changed.
fn edited(name: &str, edit: impl Fn(&str) -> String) -> Vec<String> {
    const FOLDER: &str = "03-memory-accounting";
    let mut files = texts();
    let path = if name == "course.toml" { name.to_owned() } else { format!("chapters/{FOLDER}/{name}") };
    let text = files.get_mut(&path).expect("a file of the course");
    let new = edit(text);
    assert_ne!(*text, new);
    *text = new;
    draft(&Tree::from_files(files), FOLDER).diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn one_mistake_is_reported_for_one() {
    let line = |text: &str, n: usize| text.split_inclusive('\n').take(n).map(str::len).sum::<usize>();
    // A stray bracket, wherever it is.
    for n in [0, 1, 9, 40, 200] {
        let list = edited("exercises.toml", |text| {
            let at = line(text, n);
            format!("{}[\n{}", &text[..at], &text[at..])
        });
        assert!(matches!(list.as_slice(), [one] if one.contains("not TOML")), "{n}: {list:#?}");
    }
    let list = edited("course.toml", |text| text.replace("minutes = ", "minutes = [ "));
    assert!(matches!(list.as_slice(), [one] if one.contains("not TOML") && one.contains("course.toml")), "{list:#?}");
    // A fence that is not closed, where it begins.
    let list =
        edited("chapter.md", |text| text.replacen("# Sixteen bytes", "# Sixteen bytes\n\n```notes\nFor me.\n\n#", 1));
    assert!(matches!(list.as_slice(), [one] if one.contains("fence is not closed")), "{list:#?}");
    let list = edited("chapter.md", |text| format!("{text}\n```notes\nFor me.\n"));
    assert!(matches!(list.as_slice(), [one] if one.contains("fence is not closed")), "{list:#?}");
    // A formula, likewise.
    for formula in ["$\\frac{1}{s$", "$x^2", "$$x^2", "a $x + $y"] {
        let list = edited("chapter.md", |text| format!("{text}\n\nAs {formula} says.\n"));
        assert!(matches!(list.as_slice(), [one] if one.contains("formula")), "{formula}: {list:#?}");
    }
    for fine in ["\\$x", "US$ 5", "$5 or $6", "`$HOME`", "$x$"] {
        assert_eq!(edited("chapter.md", |text| format!("{text}\n\nAs {fine} says.\n")), [""; 0], "{fine}");
    }
}

#[test]
fn a_draft_replaces_the_files_of_the_course() {
    let course = BTreeMap::from([("course.toml".to_owned(), "[[part]]\nid = \"a\"\n".to_owned())]);
    let own = ["course.toml".to_owned(), "= no TOML".to_owned()];
    let draft = draft(&Tree::with_own(&course, &own), "26-mine");
    assert!(draft.html.is_empty());
    assert!(draft.diagnostics.iter().any(|d| d.message.contains("not TOML")), "{draft:?}");
}
