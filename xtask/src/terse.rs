//! What tools wrote and nobody reads, in fewer words: the loaders of the split modules, the names by which the main
//! module and its glue call each other, and the places of its table that are empty.

use std::collections::BTreeMap;

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ConstExpr, ElementSection, Elements, ImportSection, Module, RawSection};
use wasmparser::{ElementItems, ElementKind, ElementSectionReader, Operator, Parser, Payload};

/// What the splitter writes before and behind the file that a loader fetches.
const BEFORE: &str = "makeLoad(() => {\nconst src = fetch(new URL(";
const BEHIND: &str = ", import.meta.url));\nsrc.catch(() => {});\n\
     return async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n}\n, ";
/// The same for any file.
const FETCHED: &str = "function fetched(file, deps) {\nreturn makeLoad(() => {\nconst src = fetch(new URL(file, import.meta.url));\n\
     src.catch(() => {});\nreturn async (imports) => (WebAssembly.instantiateStreaming(src, imports));\n}, deps);\n}\n";

/// The loaders, without what each repeats, in short names, and without a second one for what was merged.
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
    // What each loader of a chunk is called here.
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut out = String::with_capacity(link.len());
    for line in link.lines() {
        let Some((chunk, load)) = chunk(line) else {
            out.push_str(&dependencies(line, &names)?);
            out.push('\n');
            continue;
        };
        let name = if load.starts_with("__chunk_") {
            let other = load.trim_end_matches(';');
            names.get(other).cloned().ok_or_else(|| format!("{other} is not there before {chunk}"))?
        } else {
            let name = format!("c{}", names.len());
            out.push_str(&format!("const {name} = {}\n", dependencies(load, &names)?));
            name
        };
        names.insert(chunk, name);
    }
    out.push_str(FETCHED);
    Ok(out)
}

/// The name of the chunk whose loader a line defines, and how it is loaded.
fn chunk(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("const ")?.split_once(" = ").filter(|(name, _)| name.starts_with("__chunk_"))
}

/// A line with its list of loaders, if it has one, in which each stands once.
fn dependencies(line: &str, names: &BTreeMap<&str, String>) -> Result<String, String> {
    let list = line.find("[__chunk_").and_then(|open| Some((open + 1, open + line.get(open..)?.find(']')?)));
    let Some((list, (open, close))) = list.and_then(|at| Some((line.get(at.0..at.1)?, at))) else {
        return Ok(line.to_owned());
    };
    let mut kept: Vec<&str> = Vec::new();
    for name in list.split(", ") {
        let name = names.get(name).ok_or_else(|| format!("{name} is loaded and not there"))?;
        if !kept.contains(&name.as_str()) {
            kept.push(name);
        }
    }
    let (before, behind) = (line.get(..open).unwrap_or_default(), line.get(close..).unwrap_or_default());
    Ok(format!("{before}{}{behind}", kept.join(", ")))
}

/// The module and its glue with short names for what it imports from `from`.
///
/// # Errors
/// wasm-bindgen has changed what it writes.
pub(crate) fn imports(wasm: &[u8], glue: &str, from: &str) -> Result<(Vec<u8>, String), String> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let wasm = with_sections(wasm, |module, payload| {
        let Payload::ImportSection(section) = payload else { return Ok(false) };
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
        Ok(true)
    })?;
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
    Ok((wasm, out))
}

/// The module without the places of its table that it leaves empty for other modules to fill: a table is empty to begin with,
/// and the splitter says so for each.
///
/// # Errors
/// The splitter has changed what it writes.
pub(crate) fn table(wasm: &[u8]) -> Result<Vec<u8>, String> {
    with_sections(wasm, |module, payload| {
        let Payload::ElementSection(section) = payload else { return Ok(false) };
        let mut elements = ElementSection::new();
        for (start, functions) in stretches(section)? {
            elements.active(None, &ConstExpr::i32_const(start), Elements::Functions(functions.into()));
        }
        module.section(&elements);
        Ok(true)
    })
}

/// The functions of a table: each stretch without a gap, and where it begins.
fn stretches(section: ElementSectionReader<'_>) -> Result<Vec<(i32, Vec<u32>)>, String> {
    let mut filled: BTreeMap<i32, u32> = BTreeMap::new();
    let mut put = |slot: i32, function: Option<u32>| match function {
        Some(function) => filled.insert(slot, function),
        None => filled.remove(&slot),
    };
    for element in section {
        let element = element.map_err(|e| e.to_string())?;
        let ElementKind::Active { table_index: None | Some(0), offset_expr } = element.kind else {
            return Err("the main module fills its table in a way that is new: has the splitter changed?".to_owned());
        };
        let start = match offset_expr.get_operators_reader().read() {
            Ok(Operator::I32Const { value }) => value,
            other => return Err(format!("a stretch of the table begins at {other:?}")),
        };
        match element.items {
            ElementItems::Functions(functions) => {
                for (slot, function) in (start..).zip(functions) {
                    put(slot, Some(function.map_err(|e| e.to_string())?));
                }
            }
            ElementItems::Expressions(_, expressions) => {
                for (slot, expression) in (start..).zip(expressions) {
                    let expression = expression.map_err(|e| e.to_string())?;
                    match expression.get_operators_reader().read() {
                        Ok(Operator::RefNull { .. }) => put(slot, None),
                        Ok(Operator::RefFunc { function_index }) => put(slot, Some(function_index)),
                        other => return Err(format!("a place of the table holds {other:?}")),
                    };
                }
            }
        }
    }
    let mut stretches: Vec<(i32, Vec<u32>)> = Vec::new();
    let mut next = None;
    for (slot, function) in filled {
        match stretches.last_mut().filter(|_| next == Some(slot)) {
            Some((_, functions)) => functions.push(function),
            None => stretches.push((slot, vec![function])),
        }
        next = slot.checked_add(1);
    }
    Ok(stretches)
}

/// The module with the sections that `write` writes itself, which it says, and the others as they are.
fn with_sections(
    wasm: &[u8],
    mut write: impl FnMut(&mut Module, Payload<'_>) -> Result<bool, String>,
) -> Result<Vec<u8>, String> {
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload.map_err(|e| e.to_string())?;
        let raw = payload.as_section();
        if !write(&mut module, payload)?
            && let Some((id, range)) = raw
        {
            let at = |offset: u64| usize::try_from(offset).ok();
            let data = at(range.start).zip(at(range.end)).and_then(|(start, end)| wasm.get(start..end));
            let data = data.ok_or("a section ends behind the module")?;
            module.section(&RawSection { id, data });
        }
    }
    Ok(module.finish())
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, EntityType, Function, FunctionSection, HeapType, RefType, TableSection, TableType, TypeSection,
    };

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
        let expected = "const c0 = fetched(\"./a.wasm\", []);\nexport const w = wrap(fetched(\"./w.wasm\", [c0]));\n";
        assert_eq!(text, format!("{expected}{FETCHED}"));
        let debug = link.replace("=> (", "=> debugWrap(");
        assert_eq!(loaders(&debug).as_deref(), Ok(text.as_str()));
        assert!(loaders(BEFORE).is_err());
        assert!(loaders(&link.replace("__chunk_1, ", "__chunk_7, ")).is_err());
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

    #[test]
    fn what_a_table_leaves_empty_is_not_said() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0).function(0);
        let mut tables = TableSection::new();
        let (minimum, element_type) = (9, RefType::FUNCREF);
        tables.table(TableType { element_type, table64: false, minimum, maximum: None, shared: false });
        let mut elements = ElementSection::new();
        let null = ConstExpr::ref_null(HeapType::FUNC);
        let mixed = [null.clone(), ConstExpr::ref_func(1), ConstExpr::ref_func(0)];
        elements.active(None, &ConstExpr::i32_const(1), Elements::Expressions(element_type, mixed.as_slice().into()));
        elements.active(None, &ConstExpr::i32_const(4), Elements::Functions([1].as_slice().into()));
        elements.active(None, &ConstExpr::i32_const(5), Elements::Expressions(element_type, [null].as_slice().into()));
        elements.active(None, &ConstExpr::i32_const(7), Elements::Functions([0].as_slice().into()));
        let mut code = CodeSection::new();
        for _ in 0..2 {
            let mut body = Function::new([]);
            body.instructions().end();
            code.function(&body);
        }
        let mut module = Module::new();
        module.section(&types).section(&functions).section(&tables).section(&elements).section(&code);
        let wasm = table(&module.finish()).expect("as the splitter writes it");
        wasmparser::validate(&wasm).expect("valid");
        let section = Parser::new(0).parse_all(&wasm).flatten().find_map(|payload| match payload {
            Payload::ElementSection(section) => Some(section),
            _ => None,
        });
        let stretches = super::stretches(section.expect("a table")).expect("stretches");
        assert_eq!(stretches, [(2, vec![1, 0, 1]), (7, vec![0])]);
    }
}
