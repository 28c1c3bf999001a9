//! What tools wrote and nobody reads, in fewer words: the loaders of the split modules, and the names by which the main
//! module and its glue call each other.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ImportSection, Module, RawSection};
use wasmparser::{Parser, Payload};

/// What the splitter writes before and behind the file that a loader fetches.
const BEFORE: &str = "makeLoad(() => {\nconst src = fetch(new URL(";
const BEHIND: &str = ", import.meta.url));\nsrc.catch(() => {});\n\
     return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n}\n, ";
/// The same for any file.
const FETCHED: &str = "function fetched(file, deps) {\nreturn makeLoad(() => {\nconst src = fetch(new URL(file, import.meta.url));\n\
     src.catch(() => {});\nreturn async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n}, deps);\n}\n";

/// The loaders, without what each repeats, and without a second name for what was merged.
///
/// # Errors
/// The splitter has changed what it writes.
pub(crate) fn loaders(link: &str) -> Result<String, String> {
    // A debug build's loaders explain what cannot happen here: that a module is another build's.
    let link = &link.replace("=> debugWrap(", "=> (");
    if link.matches(BEFORE).count() != link.matches(BEHIND).count() {
        return Err("the loaders of the modules are not what they were: has the splitter changed?".to_owned());
    }
    let link = link.replace(BEFORE, "fetched(").replace(BEHIND, ", ");
    let mut same = BTreeMap::new();
    let mut out = String::with_capacity(link.len());
    for line in link.lines() {
        if let Some((from, to)) = line.strip_prefix("const ").and_then(|l| l.strip_suffix(';')?.split_once(" = "))
            && from.starts_with("__chunk_")
            && to.starts_with("__chunk_")
        {
            let to = same.get(to).copied().unwrap_or(to);
            same.insert(from, to);
        } else {
            out.push_str(&dependencies(line, &same));
            out.push('\n');
        }
    }
    out.push_str(FETCHED);
    Ok(out)
}

/// A line with its list of loaders, if it has one, in which each stands once.
fn dependencies(line: &str, same: &BTreeMap<&str, &str>) -> String {
    let list = line.find('[').and_then(|open| Some((open + 1, open + line.get(open..)?.find(']')?)));
    let Some((list, (open, close))) = list.and_then(|at| Some((line.get(at.0..at.1)?, at))) else {
        return line.to_owned();
    };
    let mut kept: Vec<&str> = Vec::new();
    for name in list.split(", ") {
        let name = same.get(name).copied().unwrap_or(name);
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    let (before, behind) = (line.get(..open).unwrap_or_default(), line.get(close..).unwrap_or_default());
    format!("{before}{}{behind}", kept.join(", "))
}

/// The module and its glue with short names for what it imports from `from`.
///
/// # Errors
/// wasm-bindgen has changed what it writes.
pub(crate) fn imports(wasm: &[u8], glue: &str, from: &str) -> Result<(Vec<u8>, String), String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|e| e.to_string())?;
        if let Payload::ImportSection(section) = payload {
            let mut imports = ImportSection::new();
            for import in section.into_imports() {
                let mut import = import.map_err(|e| e.to_string())?;
                let short = format!("i{}", names.len());
                if import.module == from {
                    names.insert(import.name.to_owned(), short.clone());
                    import.name = &short;
                }
                RoundtripReencoder.parse_import(&mut imports, import).map_err(|e| e.to_string())?;
            }
            module.section(&imports);
        } else if let Some((id, range)) = payload.as_section() {
            let at = |offset: u64| usize::try_from(offset).ok();
            let data = at(range.start).zip(at(range.end)).and_then(|(start, end)| wasm.get(start..end));
            let data = data.ok_or("a section ends behind the module")?;
            module.section(&RawSection { id, data });
        }
    }
    let mut renamed = 0;
    let mut out = String::with_capacity(glue.len());
    for line in glue.lines() {
        let key = line.split_once(": function(").and_then(|(name, rest)| Some((names.get(name)?, rest)));
        match key {
            Some((short, rest)) => {
                renamed += 1;
                out.push_str(&format!("{short}: function({rest}\n"));
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    if renamed != names.len() {
        return Err(format!(
            "the glue defines {renamed} of the {} functions that the module imports: has wasm-bindgen changed?",
            names.len()
        ));
    }
    Ok((module.finish(), out))
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{CodeSection, EntityType, Function, FunctionSection, TypeSection};

    use super::*;

    #[test]
    fn loaders_say_once_what_they_share() {
        let load = |file: &str, deps: &str| format!("{BEFORE}\"./{file}\"{BEHIND}[{deps}])");
        let link = format!(
            "const __chunk_1 = {};\nconst __chunk_2 = __chunk_1;\nconst __chunk_3 = __chunk_2;\nexport const w = wrap({});\n",
            load("a.wasm", ""),
            load("w.wasm", "__chunk_1, __chunk_2, __chunk_3")
        );
        let text = loaders(&link).expect("as the splitter writes it");
        let expected = "const __chunk_1 = fetched(\"./a.wasm\", []);\nexport const w = wrap(fetched(\"./w.wasm\", [__chunk_1]));\n";
        assert_eq!(text, format!("{expected}{FETCHED}"));
        let debug = link.replace("=> (", "=> debugWrap(");
        assert_eq!(loaders(&debug).as_deref(), Ok(text.as_str()));
        assert!(loaders(BEFORE).is_err());
    }

    #[test]
    fn imports_are_renamed_on_both_sides() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("./app_bg.js", "__wbg_long_0123456789abcdef", EntityType::Function(0));
        imports.import("./other.js", "kept", EntityType::Function(0));
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut code = CodeSection::new();
        let mut body = Function::new([]);
        body.instructions().call(0).call(1).end();
        code.function(&body);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&code);
        let glue = "const import0 = {\n__wbg_long_0123456789abcdef: function(arg0) {\n},\n};\n";
        let (wasm, text) = super::imports(&module.finish(), glue, "./app_bg.js").expect("renamed");
        wasmparser::validate(&wasm).expect("valid");
        assert_eq!(text, "const import0 = {\ni0: function(arg0) {\n},\n};\n");
        let names: Vec<_> = Parser::new(0)
            .parse_all(&wasm)
            .flatten()
            .filter_map(|p| match p {
                Payload::ImportSection(s) => {
                    Some(s.into_imports().flatten().map(|i| i.name.to_owned()).collect::<Vec<_>>())
                }
                _ => None,
            })
            .flatten()
            .collect();
        assert_eq!(names, ["i0", "kept"]);
        assert!(super::imports(&wasm, "", "./app_bg.js").is_err());
    }
}
