//! What a figure's file may say, and what it may not.

use ringside_content::{Mode, Tree, build_tree};
use ringside_core::catalogue;

use crate::golden;

const FILE: &str = "figures/amdahl.toml";

const FIGURE: &str = r#"want = "How fast?"
words = "Gustafson."
notes = "Costs are left out."
examples = "States"
keep_rest = true
ignore = ["n"]

[[example]]
label = "as it is"
state = ""

[[example]]
label = "half serial"
state = "serial=0.5&n=64"
"#;

/// What is said of the golden course with these files: file, line and message.
fn said(files: &[(&str, &str)]) -> Vec<(String, usize, String)> {
    let all = golden().into_iter().chain(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let site = build_tree(&Tree::from_files(all), Mode::Strict);
    site.diagnostics.into_iter().map(|d| (d.file, d.line, d.message)).collect()
}

#[test]
fn a_mistake_is_named_at_its_line() {
    assert_eq!(said(&[(FILE, FIGURE)]), []);
    for (from, to, line, says) in [
        ("want = ", "wnat = ", 1, "no key `wnat`"),
        ("keep_rest = true", "keep_rest = 1", 5, "`keep_rest` must be true or false"),
        ("[\"n\"]", "[\"m\"]", 6, "no parameter “m”"),
        ("examples = \"States\"\n", "", 1, "`examples` is missing"),
        ("label = \"as it is\"", "label = \"\"", 9, "`label` must not be empty"),
        ("as it is", "half serial", 13, "two examples “half serial”"),
        ("state = \"\"\n", "", 8, "`state` is missing"),
        ("serial=0.5", "serail=0.5", 14, "serail"),
        ("serial=0.5", "serial=2", 14, "serial"),
        ("state = \"serial", "sate = \"serial", 14, "no key `sate`"),
    ] {
        assert!(FIGURE.contains(from), "{from}");
        let found = said(&[(FILE, &FIGURE.replacen(from, to, 1))]);
        let here = found
            .iter()
            .any(|(file, at, message)| file == "content/figures/amdahl.toml" && *at == line && message.contains(says));
        assert!(here, "{to}: {found:#?}");
    }
    let (head, _) = FIGURE.split_once("[[").expect("examples");
    let found = said(&[(FILE, head)]);
    assert!(matches!(&found[..], [(_, 4, message)] if message == "The row has no `[[example]]`."), "{found:#?}");
}

#[test]
fn every_file_has_its_figure_and_every_figure_its_file() {
    let found = said(&[("figures/amdhal.toml", FIGURE)]);
    assert!(matches!(&found[..], [(file, ..)] if file == "content/figures/amdhal.toml"), "{found:#?}");
    assert!(found[0].2.contains("no widget “amdhal”"), "{found:#?}");
    let groups = "[[group]]\ntitle = \"Speed\"\nfigures = [\"amdahl\", \"rooflime\"]\n";
    let found = said(&[(FILE, FIGURE), ("figures.toml", groups)]);
    let missing: Vec<&str> = found.iter().filter(|f| f.2.contains("is missing")).map(|f| f.0.as_str()).collect();
    assert_eq!(missing.len(), catalogue::ALL.len() - 1, "{found:#?}");
    assert!(missing.contains(&"content/figures/roofline.toml"), "{missing:?}");
    let others: Vec<_> = found.iter().filter(|f| !f.2.contains("is missing")).collect();
    assert!(
        matches!(&others[..], [(file, 3, message)] if file == "content/figures.toml" && message.contains("rooflime")),
        "{others:#?}"
    );
}
