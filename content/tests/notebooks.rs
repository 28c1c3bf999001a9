//! Every lab as a notebook. `cargo xtask test --only labs` has them validated and executed by Jupyter's own programs.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{SITE, texts};

/// Where the files are written, if it names a folder.
const NOTEBOOKS: &str = "LAB_NOTEBOOKS";

#[test]
fn a_notebook_has_the_script_and_every_command_of_its_lab() {
    let texts = texts();
    let labs: Vec<_> = texts.keys().filter_map(|path| path.strip_prefix("labs/")?.strip_suffix("/lab.md")).collect();
    assert!(labs.len() >= 10);
    for folder in labs {
        let slug = folder.split_once('-').expect(folder).1;
        let path = format!("labs/{slug}.ipynb");
        let (_, bytes) = SITE.files.iter().find(|(p, _)| *p == path).expect(&path);
        if let Some(to) = std::env::var_os(NOTEBOOKS) {
            let to = std::path::Path::new(&to);
            std::fs::create_dir_all(to).expect("a folder");
            std::fs::write(to.join(format!("{folder}.ipynb")), bytes).expect("a file");
        }
        let notebook: Value = serde_json::from_slice(bytes).expect(&path);
        let cells = notebook["cells"].as_array().expect(&path);
        let ids: BTreeSet<&str> = cells.iter().filter_map(|cell| cell["id"].as_str()).collect();
        assert_eq!(ids.len(), cells.len(), "{path}");
        let of = |kind: &str| -> String {
            let own = cells.iter().filter(|cell| cell["cell_type"] == kind).filter_map(|cell| cell["source"].as_str());
            own.map(|source| format!("{source}\n")).collect()
        };
        let (code, text) = (of("code"), of("markdown"));
        let script = texts.iter().find(|(p, _)| p.starts_with(&format!("labs/{folder}/")) && p.ends_with(".py"));
        assert!(code.contains(script.expect(folder).1.trim_end()), "{path}");
        let front: toml::Table =
            texts[&format!("labs/{folder}/lab.md")].split("+++").nth(1).expect(folder).parse().expect(folder);
        for (i, run) in front["run"].as_array().expect(folder).iter().enumerate() {
            let place = if i == 0 { &code } else { &text };
            assert!(place.contains(run["command"].as_str().expect(folder).trim()), "{path}: {run}");
        }
        // No link that leads nowhere outside the site, and no piece of a link.
        for scheme in ["](chapter:", "](widget:", "](source:", "](term:", "](see:", "](#"] {
            assert!(!text.contains(scheme), "{path}: {scheme}");
        }
        assert!(text.contains("## What goes wrong"), "{path}");
    }
}
