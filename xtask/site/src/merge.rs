//! Fewer, larger shared chunks.
//!
//! The splitter writes a chunk for every combination of modules that share code: nearly a hundred, most below a kilobyte, each
//! with its own copy of the types and of the shims through which it calls the others. Chunks that are mostly loaded together
//! become one file here.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::path::Path;

use wasm_encoder::reencode::{Reencode, utils};
use wasm_encoder::{
    CodeSection, DataCountSection, DataSection, ElementSection, FunctionSection, ImportSection, Module, TypeSection,
};
use wasmparser::{Parser, Payload, TypeRef};

use xtask::failure::{Context, Result};
use xtask::process;

/// What one more file costs whoever loads it, in bytes of WebAssembly that still has its names (two thirds of it): the
/// request, its compilation, and the types and shims that two files have twice. At a quarter of it a figure's page loads 110
/// files and not 44, with 3 % fewer bytes.
const FILE: usize = 50_000;
/// The modules of a first visit, to the home page or to a chapter, with what is seen first of them.
const FIRST: [&str; 4] = ["home", "chapter", "exercises", "chapter_03"];
/// For how many others each of them counts: at 1 a first visit loads a fifth more code.
const WEIGHT: usize = 20;

/// A shared chunk: its name, its size, and the modules that load it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Chunk {
    name: String,
    size: usize,
    users: BTreeSet<String>,
}

/// Whether what this file says of modules is still true of those that `loads` names.
pub(crate) fn check<T>(loads: &HashMap<String, T>) -> Result<()> {
    match FIRST.iter().find(|first| !loads.contains_key(**first)) {
        Some(first) => Err(format!("no module is called {first}, which {} says a first visit loads", file!()).into()),
        None => Ok(()),
    }
}

/// Merges the chunks in `parts` where that pays, and lets the loaders in `link` know. `loads` says which files each module
/// loads. Yields the names of the files that are no longer there.
pub(crate) fn chunks(parts: &Path, link: &mut String, loads: &HashMap<String, Vec<String>>) -> Result<Vec<String>> {
    let names: BTreeSet<&String> = loads.values().flatten().filter(|name| name.starts_with("chunk_")).collect();
    let mut names: Vec<&String> = names.into_iter().collect();
    names.sort_by_key(|name| link.find(&loader(name)));
    let mut chunks = Vec::new();
    for name in names {
        let size = process::read(&parts.join(format!("{name}.wasm")))?.len();
        let users = loads.iter().filter(|(_, files)| files.contains(name)).map(|(user, _)| user.clone()).collect();
        chunks.push(Chunk { name: name.clone(), size, users });
    }
    let mut gone = Vec::new();
    for group in groups(&chunks) {
        let members: Vec<&Chunk> = group.iter().filter_map(|i| chunks.get(*i)).collect();
        let Some((first, others)) = members.split_first() else { continue };
        if others.is_empty() {
            continue;
        }
        let mut inputs = Vec::new();
        for member in &members {
            inputs.push(process::read(&parts.join(format!("{}.wasm", member.name)))?);
        }
        let merged = merge(&inputs).could_not(|| format!("merge {} with its neighbours", first.name))?;
        process::write(&parts.join(format!("{}.wasm", first.name)), &merged)?;
        for other in others {
            let file = parts.join(format!("{}.wasm", other.name));
            std::fs::remove_file(&file).could_not(|| format!("remove {}", file.display()))?;
            forget(link, &other.name)?;
            gone.push((other.name.clone(), first.name.clone()));
        }
    }
    *link = redirected(link, &gone);
    Ok(gone.into_iter().map(|(name, _)| name).collect())
}

/// Where the loader of a chunk begins.
fn loader(name: &str) -> String {
    format!("const __{name} = makeLoad(")
}

/// Removes the loader of a chunk.
fn forget(link: &mut String, chunk: &str) -> Result<()> {
    let begin = loader(chunk);
    let end = ", []);\n";
    let whole = link.find(&begin).and_then(|at| {
        let length = link.get(at..)?.find(end)? + end.len();
        Some(at..at + length)
    });
    let whole =
        whole.ok_or_else(|| format!("there is no loader of {chunk}: has the splitter changed what it writes?"))?;
    link.replace_range(whole, "");
    Ok(())
}

/// The loaders, of which each that loads a chunk that is `gone` loads the one that it is in, once.
fn redirected(link: &str, gone: &[(String, String)]) -> String {
    let into: HashMap<&str, &str> = gone.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let mut out = String::with_capacity(link.len());
    let mut rest = link;
    while let Some((before, (list, after))) =
        rest.split_once("[__chunk_").and_then(|(before, rest)| Some((before, rest.split_once(']')?)))
    {
        let mut kept: Vec<String> = Vec::new();
        for name in format!("__chunk_{list}").split(", ").filter_map(|name| name.strip_prefix("__")) {
            let name = format!("__{}", into.get(name).unwrap_or(&name));
            if !kept.contains(&name) {
                kept.push(name);
            }
        }
        out.push_str(&format!("{before}[{}]", kept.join(", ")));
        rest = after;
    }
    out + rest
}

/// Which chunks to merge: pairs of groups are merged as long as that saves more in files than it adds in code that a module
/// loads and does not need. The members of a group are in order.
fn groups(chunks: &[Chunk]) -> Vec<Vec<usize>> {
    let everyone: BTreeSet<&String> = chunks.iter().flat_map(|c| &c.users).collect();
    let mut groups: Vec<Option<Group>> = chunks
        .iter()
        .enumerate()
        .map(|(i, c)| {
            let weight = |user: &str| if FIRST.contains(&user) { WEIGHT } else { 1 };
            let users = everyone.iter().map(|user| if c.users.contains(*user) { weight(user) } else { 0 }).collect();
            Some(Group { members: vec![i], size: c.size, users })
        })
        .collect();
    // For each group the later one that it gains most from.
    let mut best: Vec<Option<Gain>> = (0..groups.len()).map(|i| Gain::of(&groups, i)).collect();
    while let Some((i, Gain { with: j, .. })) =
        best.iter().enumerate().filter_map(|(i, gain)| Some((i, (*gain)?))).max_by_key(|(i, g)| (g.saved, Reverse(*i)))
    {
        let Some(b) = groups.get_mut(j).and_then(Option::take) else { break };
        if let Some(a) = groups.get_mut(i).and_then(Option::as_mut) {
            a.take(b);
        }
        for (k, gain) in best.iter_mut().enumerate() {
            let stale = k == i || k == j || gain.is_some_and(|gain| gain.with == i || gain.with == j);
            if stale {
                *gain = Gain::of(&groups, k);
            } else if k < i {
                *gain = (*gain).max(Gain::between(&groups, k, i));
            }
        }
    }
    groups.into_iter().flatten().map(|g| g.members).collect()
}

/// Chunks that are to be one file.
struct Group {
    members: Vec<usize>,
    size: usize,
    /// For each module what it counts for, if it loads the group.
    users: Vec<usize>,
}

impl Group {
    fn take(&mut self, other: Group) {
        self.members.extend(other.members);
        self.members.sort_unstable();
        self.size += other.size;
        for (a, b) in self.users.iter_mut().zip(other.users) {
            *a = b.max(*a);
        }
    }
}

/// What merging a group with a later one saves, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Gain {
    saved: usize,
    with: usize,
}

impl Gain {
    /// The most for one group.
    fn of(groups: &[Option<Group>], i: usize) -> Option<Self> {
        (i + 1..groups.len())
            .filter_map(|j| Self::between(groups, i, j))
            .reduce(|a, b| if b.saved > a.saved { b } else { a })
    }

    /// For these two, if they are there and it saves anything.
    fn between(groups: &[Option<Group>], i: usize, j: usize) -> Option<Self> {
        let (a, b) = (groups.get(i)?.as_ref()?, groups.get(j)?.as_ref()?);
        let (mut both, mut only_a, mut only_b) = (0, 0, 0);
        for (a, b) in a.users.iter().zip(&b.users) {
            match (*a, *b) {
                (weight, 0) => only_a += weight,
                (0, weight) => only_b += weight,
                (weight, _) => both += weight,
            }
        }
        // Who loads one alone would load the other for nothing.
        let (saved, wasted) = (FILE * both, b.size * only_a + a.size * only_b);
        (saved > wasted).then(|| Self { saved: saved - wasted, with: j })
    }
}

/// Where the things of one module come to lie in the merged one.
#[derive(Default)]
struct Shift {
    types: u32,
    functions: u32,
    data: u32,
    elements: u32,
    /// By index in the module.
    globals: Vec<u32>,
}

type Error = wasm_encoder::reencode::Error<Infallible>;

impl Reencode for Shift {
    type Error = Infallible;

    fn type_index(&mut self, index: u32) -> std::result::Result<u32, Error> {
        Ok(index + self.types)
    }

    fn function_index(&mut self, index: u32) -> std::result::Result<u32, Error> {
        Ok(index + self.functions)
    }

    fn data_index(&mut self, index: u32) -> std::result::Result<u32, Error> {
        Ok(index + self.data)
    }

    fn element_index(&mut self, index: u32) -> std::result::Result<u32, Error> {
        Ok(index + self.elements)
    }

    fn global_index(&mut self, index: u32) -> std::result::Result<u32, Error> {
        Ok(self.globals.get(index as usize).copied().unwrap_or_else(|| utils::global_index(self, index)))
    }
}

/// One module that does what these do. They share memory, table and globals, all imported; each has functions, elements and
/// data of its own, and exports nothing.
fn merge(inputs: &[Vec<u8>]) -> std::result::Result<Vec<u8>, String> {
    let (mut types, mut imports, mut functions) = (TypeSection::new(), ImportSection::new(), FunctionSection::new());
    let (mut elements, mut code, mut data) = (ElementSection::new(), CodeSection::new(), DataSection::new());
    // With its index among the globals, if it is one.
    let mut imported: Vec<((String, String), Option<u32>)> = Vec::new();
    let mut globals = 0;
    let mut counted = false;
    for input in inputs {
        let mut shift = Shift {
            types: types.len(),
            functions: functions.len(),
            data: data.len(),
            elements: elements.len(),
            globals: Vec::new(),
        };
        for payload in Parser::new(0).parse_all(input) {
            let payload = payload.map_err(|e| e.to_string())?;
            let done = match payload {
                Payload::TypeSection(section) => shift.parse_type_section(&mut types, section),
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import.map_err(|e| e.to_string())?;
                        let name = (import.module.to_owned(), import.name.to_owned());
                        if !matches!(import.ty, TypeRef::Memory(_) | TypeRef::Table(_) | TypeRef::Global(_)) {
                            return Err(format!("it imports {}.{}, which chunks do not", name.0, name.1));
                        }
                        let known = imported.iter().find(|(other, _)| *other == name).map(|(_, index)| *index);
                        let index = known.unwrap_or_else(|| matches!(import.ty, TypeRef::Global(_)).then_some(globals));
                        shift.globals.extend(index);
                        if known.is_none() {
                            globals += u32::from(index.is_some());
                            imported.push((name, index));
                            shift.parse_import(&mut imports, import).map_err(|e| e.to_string())?;
                        }
                    }
                    Ok(())
                }
                Payload::FunctionSection(section) => section.into_iter().try_for_each(|ty| {
                    functions.function(ty? + shift.types);
                    Ok(())
                }),
                Payload::ElementSection(section) => shift.parse_element_section(&mut elements, section),
                Payload::DataCountSection { .. } => {
                    counted = true;
                    Ok(())
                }
                Payload::CodeSectionEntry(body) => shift.parse_function_body(&mut code, body),
                Payload::DataSection(section) => shift.parse_data_section(&mut data, section),
                Payload::ExportSection(section) if section.count() == 0 => Ok(()),
                Payload::Version { .. }
                | Payload::CodeSectionStart { .. }
                | Payload::CustomSection(_)
                | Payload::End(_) => Ok(()),
                other => return Err(format!("it has a section that chunks do not have: {other:?}")),
            };
            done.map_err(|e: Error| e.to_string())?;
        }
    }
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&elements);
    if counted {
        module.section(&DataCountSection { count: data.len() });
    }
    module.section(&code).section(&data);
    Ok(module.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ConstExpr, Elements, EntityType, Function, GlobalType, MemoryType, RefType, TableType, ValType,
    };

    fn chunk(name: &str, size: usize, users: &[&str]) -> Chunk {
        Chunk { name: name.to_owned(), size, users: users.iter().map(|u| (*u).to_owned()).collect() }
    }

    #[test]
    fn chunks_that_are_loaded_together_are_merged_and_others_are_not() {
        let same = [chunk("a", 90_000, &["x", "y"]), chunk("b", 90_000, &["x", "y"]), chunk("c", 90_000, &["x", "z"])];
        assert_eq!(groups(&same), [vec![0, 1], vec![2]]);
        let small = [chunk("a", 500, &["x", "y"]), chunk("b", 90_000, &["v", "w"]), chunk("c", 500, &["z", "x"])];
        assert_eq!(groups(&small), [vec![0, 2], vec![1]]);
        let used_by_all = [chunk("a", 500, &["x", "y", "z"]), chunk("b", 90_000, &["x"])];
        assert_eq!(groups(&used_by_all), [vec![0], vec![1]]);
        let seen_first = |users: [&str; 2]| groups(&[chunk("a", 9000, &users), chunk("b", 9000, &users[..1])]);
        assert_eq!(seen_first(["x", "y"]), [vec![0, 1]]);
        assert_eq!(seen_first(["x", "home"]), [vec![0], vec![1]]);
        assert_eq!(groups(&[]), [] as [Vec<usize>; 0]);
    }

    #[test]
    fn who_loaded_a_merged_chunk_loads_what_it_is_in() {
        let text = "const __chunk_1 = makeLoad(() => {\n  f(\"./chunk_1.wasm\");\n}\n, []);\n\
                    const __chunk_12 = makeLoad(1, []);\nexport const a = wrap(1, [__chunk_1, __chunk_12, __chunk_13]);\n\
                    export const b = wrap(2, [__chunk_12]);\n";
        let mut link = text.to_owned();
        forget(&mut link, "chunk_12").expect("there");
        assert!(forget(&mut link, "chunk_2").is_err());
        let link = redirected(&link, &[("chunk_12".to_owned(), "chunk_1".to_owned())]);
        assert_eq!(
            link,
            "const __chunk_1 = makeLoad(() => {\n  f(\"./chunk_1.wasm\");\n}\n, []);\n\
             export const a = wrap(1, [__chunk_1, __chunk_13]);\nexport const b = wrap(2, [__chunk_1]);\n"
        );
    }

    /// A function that yields `value`, at `slot` of the table.
    fn module(value: i32, slot: i32) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([ValType::I64], []);
        types.ty().function([], [ValType::I32]);
        let mut imports = ImportSection::new();
        let memory = MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None };
        let table =
            TableType { element_type: RefType::FUNCREF, table64: false, minimum: 8, maximum: None, shared: false };
        imports.import("s", "memory", EntityType::Memory(memory));
        imports.import("s", "table", EntityType::Table(table));
        let stack = GlobalType { val_type: ValType::I32, mutable: true, shared: false };
        imports.import("s", "stack", EntityType::Global(stack));
        let mut functions = FunctionSection::new();
        functions.function(1);
        let mut elements = ElementSection::new();
        elements.active(None, &ConstExpr::i32_const(slot), Elements::Functions([0].as_slice().into()));
        let mut code = CodeSection::new();
        let mut body = Function::new([]);
        body.instructions().i32_const(value).global_get(0).i32_add().end();
        code.function(&body);
        let mut data = DataSection::new();
        data.active(0, &ConstExpr::i32_const(slot), [1]);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&elements).section(&code).section(&data);
        module.finish()
    }

    #[test]
    fn merged_modules_are_valid_and_keep_their_places() {
        let merged = merge(&[module(3, 1), module(5, 2)]).expect("merged");
        wasmparser::validate(&merged).expect("valid");
        let mut sections = HashMap::new();
        for payload in Parser::new(0).parse_all(&merged).flatten() {
            match payload {
                Payload::ImportSection(s) => sections.insert("imports", s.into_imports().count()),
                Payload::FunctionSection(s) => sections.insert("functions", s.count() as usize),
                Payload::ElementSection(s) => sections.insert("elements", s.count() as usize),
                Payload::DataSection(s) => sections.insert("data", s.count() as usize),
                _ => None,
            };
        }
        let expected = [("imports", 3), ("functions", 2), ("elements", 2), ("data", 2)];
        assert_eq!(sections, HashMap::from(expected));
    }

    #[test]
    fn what_is_merged_is_one_file() {
        let folder = std::env::temp_dir().join(format!("ringside-merge-{}", std::process::id()));
        let mut link = String::new();
        let names: Vec<String> = [2, 9, 10, 101].iter().map(|n| format!("chunk_{n}")).collect();
        for (slot, name) in (1..).zip(&names) {
            process::write(&folder.join(format!("{name}.wasm")), module(3, slot)).expect("written");
            link.push_str(&format!("const __{name} = makeLoad(\"./{name}.wasm\", []);\n"));
        }
        let loads = HashMap::from([("view".to_owned(), names)]);
        let gone = chunks(&folder, &mut link, &loads).expect("merged");
        assert_eq!(gone, ["chunk_9", "chunk_10", "chunk_101"]);
        assert_eq!(link, "const __chunk_2 = makeLoad(\"./chunk_2.wasm\", []);\n");
        let left: Vec<_> = process::files_under(&folder).expect("listed");
        assert_eq!(left, ["chunk_2.wasm"]);
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn what_is_no_chunk_is_refused() {
        let mut exports = wasm_encoder::ExportSection::new();
        exports.export("f", wasm_encoder::ExportKind::Memory, 0);
        let mut module = Module::new();
        module.section(&exports);
        assert!(merge(&[module.finish()]).is_err());
        assert!(merge(&[b"nonsense".to_vec()]).is_err());
    }
}
