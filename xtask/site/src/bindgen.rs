//! From the module that the compiler wrote to the files that a browser loads: wasm-bindgen writes the glue, in the version of the
//! app's, to which it is bound, and every file is named by its content.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;
use xtask::failure::{Context, Result};
use xtask::process;

use crate::hash;
use crate::program::Program;

/// The module by which the glue imports the loaders of the split modules; the splitter's name for it.
pub(crate) const LINK: &str = "__wasm_split.js";

/// Writes `<name>_bg.wasm`, its glue `<name>.js` and its types `<name>.d.ts` for the module in `raw` into the folder `out`, which is
/// emptied. With `names` the module keeps those of its functions.
pub(crate) fn bind(raw: &Path, name: &str, out: &Path, names: bool) -> Result<()> {
    if out.exists() {
        std::fs::remove_dir_all(out).could_not(|| format!("remove {}", out.display()))?;
    }
    let mut bindgen = Bindgen::new();
    bindgen.input_path(raw).out_name(name).typescript(true).demangle(false).omit_default_module_path(false);
    // The split modules share the main one's table and memory.
    bindgen.keep_lld_exports(true);
    bindgen.remove_name_section(!names).remove_producers_section(!names);
    let done = bindgen.web(true).and_then(|bindgen| bindgen.generate(out));
    done.map_err(|error| format!("could not bind {}: {error:#}", raw.display()).into())
}

/// The program whose raw module is at `raw`, in one piece. `scratch` is used; what this very program left there of the same module is
/// taken: binding the app takes longer than rendering a chapter that was edited.
pub(crate) fn whole(raw: &Path, name: &str, scratch: &Path) -> Result<Program> {
    let (bound, from) = (scratch.join("bound"), scratch.join("bound-from"));
    let program = std::env::current_exe().could_not(|| "find this program".to_owned())?;
    let version = hash::version([raw, &program]);
    let before = process::read_text(&from).ok();
    if version.is_none() || version != before {
        // Until it's whole there is nothing to take.
        let _ = std::fs::remove_file(&from);
        bind(raw, name, &bound, true)?;
        process::write(&from, version.unwrap_or_default())?;
    }
    assemble(name, &bound, String::new(), &bound.join(format!("{name}_bg.wasm")), &[])
}

/// Gives every file a name made from its content, and lets them find each other by it.
pub(crate) fn assemble(name: &str, bound: &Path, mut link: String, main: &Path, split: &[PathBuf]) -> Result<Program> {
    let mut program = Program::default();
    for path in split {
        let bytes = process::read(path)?;
        let old = file_name(path);
        let new = hash::named(&friendly(&old), "wasm", &bytes);
        if !link.contains(&format!("\"./{old}\"")) {
            return Err(format!("{LINK} does not name {old}: has the splitter changed what it writes?").into());
        }
        link = link.replace(&format!("\"./{old}\""), &format!("\"./{new}\""));
        program.files.push((new, bytes));
    }
    let wasm = process::read(main)?;
    program.wasm = hash::named(name, "wasm", &wasm);
    program.files.push((program.wasm.clone(), wasm));
    let glue = process::read_text(&bound.join(format!("{name}.js")))?.replace(&file_name(main), &program.wasm);
    // The two import each other, so that neither can be named by what it holds alone.
    let both = hash::of([&glue, &link]);
    let glue_name = format!("{name}-{both}.js");
    let link_name = format!("{name}-lazy-{both}.js");
    let quoted = |name: &str| format!("\"./{name}\"");
    if glue.contains(&quoted(LINK)) {
        // For each split module wasm-bindgen names it twice: where it is imported, and where the imports are handed
        // over, which must stay as the WebAssembly has it.
        let from = ["from ", "from"].map(|from| format!("{from}{}", quoted(LINK)));
        let glue = from.iter().fold(glue, |glue, from| glue.replace(from, &format!("from {}", quoted(&link_name))));
        let link = link.replace(&quoted(&format!("{name}.js")), &quoted(&glue_name));
        program.files.push((glue_name.clone(), glue.into_bytes()));
        program.files.push((link_name.clone(), link.into_bytes()));
        program.imports.push(link_name);
    } else {
        program.files.push((glue_name.clone(), glue.into_bytes()));
    }
    program.script = glue_name;
    // Scripts that come with crates; their folders are named by content already.
    if bound.join("snippets").is_dir() {
        for snippet in process::files_under(&bound.join("snippets"))? {
            let bytes = process::read(&bound.join("snippets").join(&snippet))?;
            program.imports.push(format!("snippets/{snippet}"));
            program.files.push((format!("snippets/{snippet}"), bytes));
        }
    }
    program.files.sort();
    Ok(program)
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// `split_memory_breakdown_1713…1627.wasm` is the function `memory_breakdown`: `memory-breakdown`.
fn friendly(file: &str) -> String {
    let stem = file.strip_suffix(".wasm").unwrap_or(file);
    if stem.starts_with("chunk_") {
        return "chunk".to_owned();
    }
    let stem = stem.strip_prefix("split_").unwrap_or(stem);
    let name = match stem.rsplit_once('_') {
        Some((name, number)) if !name.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) && number.len() > 4 => {
            name
        }
        _ => stem,
    };
    name.replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_wired_to_each_other_by_their_new_names() {
        let folder = std::env::temp_dir().join(format!("ringside-split-{}", std::process::id()));
        let (bound, parts) = (folder.join("bound"), folder.join("parts"));
        process::write(
            &bound.join("app.js"),
            "import * as i from \"./__wasm_split.js\"\n{\"./__wasm_split.js\": i}\nnew URL('app_bg.wasm')\n",
        )
        .expect("written");
        process::write(&bound.join("app_bg.wasm"), b"\0asm\x01\0\0\0").expect("written");
        let link = "import { initSync } from \"./app.js\";\nfetch(\"./split_w_12345678.wasm\")\n";
        process::write(&parts.join("split_w_12345678.wasm"), b"lazy").expect("written");
        let done = assemble(
            "app",
            &bound,
            link.to_owned(),
            &bound.join("app_bg.wasm"),
            &[parts.join("split_w_12345678.wasm")],
        );
        let again = assemble(
            "app",
            &bound,
            link.to_owned(),
            &bound.join("app_bg.wasm"),
            &[parts.join("split_w_12345678.wasm")],
        );
        let program = done.expect("assembled");
        assert_eq!(program.files, again.expect("assembled").files);
        let text = |name: &str| {
            let (_, bytes) = program.files.iter().find(|(n, _)| n == name).expect("there");
            String::from_utf8_lossy(bytes).into_owned()
        };
        let lazy = hash::named("w", "wasm", b"lazy");
        let link = &program.imports[0];
        let lazy_link = format!("import {{ initSync }} from \"./{}\";\nfetch(\"./{lazy}\")\n", program.script);
        assert!(text(link).starts_with(&lazy_link), "{}", text(link));
        let glue = text(&program.script);
        assert!(glue.starts_with(&format!("import * as i from \"./{link}\"\n{{\"./__wasm_split.js\": i}}")), "{glue}");
        assert!(glue.contains(&program.wasm));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
