//! From the module that the compiler wrote to the files that a browser loads. In a release what `#[wasm_split]` marks becomes
//! modules of its own, wasm-bindgen writes the glue of the main one, and binaryen shrinks them all. While somebody works on
//! the site it stays one module: [`whole`].

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use wasmparser::{Parser, Payload};

use crate::bindgen::bind;
use crate::esbuild;
use crate::failure::{Context, Result};
use crate::merge;
use crate::process;
use crate::shrink::{self, Binaryen};

/// The module by which the glue imports the loaders of the split modules; the splitter's name for it.
const LINK: &str = "__wasm_split.js";
/// What `#[wasm_split]` imports loaders and functions from; the splitter puts [`LINK`] in its place.
const UNSPLIT: &str = "__wasm_split_placeholder__";

/// The files of one program.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// Path from the site's root, and content.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// The module to start.
    pub(crate) script: String,
    /// The modules that it imports.
    pub(crate) imports: Vec<String>,
    /// Its WebAssembly.
    pub(crate) wasm: String,
}

/// Hexadecimal digits of a content's hash in a name. There are hundreds of names in a page's script, and no digit compresses.
pub(crate) const HASH_DIGITS: usize = 10;

/// The first [`HASH_DIGITS`] of a content's SHA-256: what goes into a file's name.
pub(crate) fn hash<B: AsRef<[u8]>>(parts: impl IntoIterator<Item = B>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().take(HASH_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// `name-<hash of content>.extension`.
pub(crate) fn hashed(name: &str, extension: &str, content: &[u8]) -> String {
    format!("{name}-{}.{extension}", hash([content]))
}

/// Splits and shrinks the program whose raw module is at `raw`. `scratch` is emptied and used.
pub(crate) fn split(raw: &Path, name: &str, binaryen: &Binaryen, scratch: &Path) -> Result<Program> {
    let input = process::read(raw)?;
    if scratch.exists() {
        std::fs::remove_dir_all(scratch).could_not(|| format!("remove {}", scratch.display()))?;
    }
    let parts = scratch.join("parts");
    let main = scratch.join(format!("{name}.wasm"));
    let import = format!("./{name}.js");
    std::fs::create_dir_all(&parts).could_not(|| format!("create {}", parts.display()))?;
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = &parts;
    options.main_out_path = &main;
    options.main_module = &import;
    let done =
        wasm_split_cli_support::transform(options).map_err(|e| format!("could not split {}: {e:?}", raw.display()))?;
    let mut link = process::read_text(&parts.join(LINK))?;
    merge::check(&done.prefetch_map)?;
    let gone = merge::chunks(&parts, &mut link, &done.prefetch_map)?;
    let mut split = done.split_modules;
    split.retain(|path| !gone.iter().any(|name| file_name(path) == format!("{name}.wasm")));
    split.sort();

    let bound = scratch.join("bound");
    bind(&main, name, &bound)?;
    let main = bound.join(format!("{name}_bg.wasm"));
    let mut modules = vec![main.clone()];
    modules.extend(split.iter().cloned());
    shrink::modules(&modules, binaryen)?;
    process::write(&parts.join(LINK), link)?;
    esbuild::shorten(&parts.join(LINK))?;
    esbuild::shorten(&bound.join(format!("{name}.js")))?;
    assemble(name, &bound, process::read_text(&parts.join(LINK))?, &main, &split)
}

/// The program whose raw module is at `raw`, in one piece: what would be downloaded on demand is in it, and is called through
/// JavaScript as the macro wants it. `scratch` is used.
pub(crate) fn whole(raw: &Path, name: &str, scratch: &Path) -> Result<Program> {
    let bound = scratch.join("bound");
    bind(raw, name, &bound)?;
    let glue = bound.join(format!("{name}.js"));
    let from = |module: &str| format!("from \"{module}\"");
    process::write(&glue, process::read_text(&glue)?.replace(&from(UNSPLIT), &from(&format!("./{LINK}"))))?;
    let main = bound.join(format!("{name}_bg.wasm"));
    let link = unsplit(&process::read(&main)?, name)?;
    assemble(name, &bound, link, &main, &[])
}

/// What the splitter would write, where everything is in the main module: loaders that have nothing to load, and functions
/// that are there.
fn unsplit(wasm: &[u8], name: &str) -> Result<String> {
    let mut link = format!("import {{ initSync }} from \"./{name}.js\";\n");
    for payload in Parser::new(0).parse_all(wasm) {
        let Payload::ImportSection(section) = payload.could_not(|| format!("read {name}.wasm"))? else { continue };
        for import in section.into_imports() {
            let import = import.could_not(|| format!("read the imports of {name}.wasm"))?;
            if import.module != UNSPLIT {
                continue;
            }
            let function = import.name;
            link += &match function.split_once("_import_") {
                Some((module, rest)) => {
                    format!("export const {function} = (...given) => initSync().{module}_export_{rest}(...given);\n")
                }
                None => format!(
                    "export const {function} = (call, data) => initSync().__indirect_function_table.get(call)(data, 1);\n"
                ),
            };
        }
    }
    Ok(link)
}

/// Gives every file a name made from its content, and lets them find each other by it.
pub(crate) fn assemble(name: &str, bound: &Path, mut link: String, main: &Path, split: &[PathBuf]) -> Result<Program> {
    let mut program = Program::default();
    for path in split {
        let bytes = process::read(path)?;
        let old = file_name(path);
        let new = hashed(&friendly(&old), "wasm", &bytes);
        if !link.contains(&format!("\"./{old}\"")) {
            return Err(format!("{LINK} does not name {old}: has the splitter changed what it writes?").into());
        }
        link = link.replace(&format!("\"./{old}\""), &format!("\"./{new}\""));
        program.files.push((new, bytes));
    }
    let wasm = process::read(main)?;
    program.wasm = hashed(name, "wasm", &wasm);
    program.files.push((program.wasm.clone(), wasm));
    let glue = process::read_text(&bound.join(format!("{name}.js")))?.replace(&file_name(main), &program.wasm);
    // The two import each other, so that neither can be named by what it holds alone.
    let both = hash([&glue, &link]);
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

fn file_name(path: &Path) -> String {
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
    fn modules_are_named_after_their_functions() {
        assert_eq!(friendly("split_memory_breakdown_17138114794029721627.wasm"), "memory-breakdown");
        assert_eq!(friendly("chunk_3.wasm"), "chunk");
        assert_eq!(friendly("split_gpt_2.wasm"), "gpt-2");
    }

    #[test]
    fn names_follow_content_alone() {
        assert_eq!(hashed("a", "wasm", b"x"), hashed("a", "wasm", b"x"));
        assert_ne!(hash(["ab", "c"]), hash(["a", "bc"]));
        assert_eq!(hash(["x"]).len(), HASH_DIGITS);
    }

    #[test]
    fn what_is_not_split_off_is_called_where_it_is() {
        let mut imports = wasm_encoder::ImportSection::new();
        let function = wasm_encoder::EntityType::Function(0);
        imports.import("./app_bg.js", "other", function);
        imports.import(UNSPLIT, "__wasm_split_load_home", function);
        imports.import(UNSPLIT, "__wasm_split_00home00_import_1f_view", function);
        let mut module = wasm_encoder::Module::new();
        module.section(&imports);
        let link = unsplit(&module.finish(), "app").expect("a module");
        assert_eq!(
            link,
            "import { initSync } from \"./app.js\";\n\
             export const __wasm_split_load_home = (call, data) => initSync().__indirect_function_table.get(call)(data, 1);\n\
             export const __wasm_split_00home00_import_1f_view = (...given) => \
             initSync().__wasm_split_00home00_export_1f_view(...given);\n"
        );
        assert!(unsplit(b"nonsense", "app").is_err());
    }

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
        let lazy = hashed("w", "wasm", b"lazy");
        let link = &program.imports[0];
        let lazy_link = format!("import {{ initSync }} from \"./{}\";\nfetch(\"./{lazy}\")\n", program.script);
        assert!(text(link).starts_with(&lazy_link), "{}", text(link));
        let glue = text(&program.script);
        assert!(glue.starts_with(&format!("import * as i from \"./{link}\"\n{{\"./__wasm_split.js\": i}}")), "{glue}");
        assert!(glue.contains(&program.wasm));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
