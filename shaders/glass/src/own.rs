//! A learner's own text, whatever it computes: what it needs is read from it, and what it is given has a default for everything.

use std::collections::BTreeMap;
use std::rc::Rc;

use naga::valid::{Capabilities, GlobalUse, ModuleInfo};
use naga::{AddressSpace, ArraySize, Handle, Module, ScalarKind, ShaderStage, StorageAccess, Type, TypeInner};
use ringside_core::decimal;
use ringside_core::kernels::config::WORKGROUP_MEMORY;
use ringside_core::kernels::glass::{Declared, Fill, Filled, Need};
use ringside_core::kernels::job::Note;
use ringside_core::quantity::{grouped, number};
use ringside_core::query::Query;
use ringside_shaders::attention::SUBGROUPS;
use ringside_shaders::problem::Random;

use crate::compile::compile;
use crate::machine::{Launch, Memory};
use crate::program::{Kind, Leaf};
use crate::run::Runnable;
use crate::source::{note, parse, within};
use crate::survey::{self, INVOCATIONS};

/// Bytes of all buffers of a run. What is known of each cell takes some fifteen times as much.
const MAX_BYTES: u64 = 1 << 20;
/// Bytes of workgroup memory: what the largest GPUs have, not what WebGPU promises.
const MAX_SHARED: u64 = 1 << 16;
/// Bytes of the registers of a workgroup.
const MAX_REGISTERS: u64 = 1 << 25;
/// Workgroups along an axis, by WebGPU's default limits.
const MAX_GROUPS: u32 = 65_535;
/// Types within each other.
const MAX_DEPTH: usize = 64;
/// Invocations that a kernel along one axis has at least by default.
const INVOCATIONS_AT_FIRST: u32 = 128;
/// Values that are typed one by one.
const MAX_MEMBERS: usize = 64;

/// A text that was read.
struct Own {
    text: String,
    module: Module,
    info: ModuleInfo,
    /// The entry point that is run, by its number.
    entry: usize,
    declared: Declared,
    /// The memory of each of [`Declared::needs`] that is a buffer and right.
    buffers: Vec<Option<Memory>>,
}

/// A value of a type: where it lies, what it is and what it is called.
struct Value {
    leaf: Leaf,
    name: String,
    atomic: bool,
}

/// What a type is: values of their own, then an array.
#[derive(Default)]
struct Shape {
    values: Vec<Value>,
    array: Option<Elements>,
    bytes: u64,
    /// More values than are listed.
    more: bool,
}

/// An array: where it begins, how far apart its elements are, what is in one, and how many there are if the text says so.
struct Elements {
    from: u64,
    stride: u64,
    element: Vec<Value>,
    count: Option<u64>,
}

/// What a learner's own text needs, and what of it is given.
pub fn declare(text: &str, given: &str) -> Declared {
    read(text, given).map_or_else(|note| Declared { notes: vec![note], ..Declared::default() }, |own| own.declared)
}

/// The run of a learner's own text.
///
/// # Errors
/// Why it cannot be run, and where.
pub(crate) fn runnable(text: &str, given: &str) -> Result<(Runnable, String), Vec<Note>> {
    let own = read(text, given).map_err(|note| vec![note])?;
    let Own { text: read, module, info, entry, declared, buffers } = own;
    if !declared.runs() {
        let wrong = declared
            .needs
            .iter()
            .filter_map(|need| need.wrong.as_ref().map(|why| note(text, None, format!("{}: {why}", need.name))));
        let groups = declared.groups_wrong.iter().map(|why| note(text, None, why.clone()));
        return Err(declared.notes.iter().cloned().chain(groups).chain(wrong).collect());
    }
    let program = compile(&module, &info, &read, &declared.entry, &BTreeMap::new())
        .map_err(|(place, why)| vec![note(text, place, why)])?;
    let lanes = invocations(&module, entry);
    let registers = 4 * u64::from(program.slots) * lanes;
    if registers > MAX_REGISTERS {
        let (registers, most) = (grouped(registers), grouped(MAX_REGISTERS));
        let why = format!(
            "A workgroup’s variables take {registers} bytes of registers. At most {most} are interpreted. Use smaller arrays or a smaller workgroup."
        );
        return Err(vec![note(text, None, why)]);
    }
    let mut named = BTreeMap::new();
    let mut memories = Vec::new();
    for (need, memory) in declared.needs.iter().zip(buffers) {
        if let Some(memory) = memory {
            named.insert(need.name.as_str(), memories.len());
            memories.push(memory);
        }
    }
    let bound = program.variables.iter().map(|variable| named.get(variable.name.as_str()).copied()).collect();
    let [x, y, z] = declared.groups.map(|n| grouped(n.into()));
    let sizes = format!("{x} × {y} × {z} workgroups");
    let launch = Launch { program: Rc::new(program), grid: declared.groups, buffers: bound };
    let entries = vec![declared.entry];
    Ok((Runnable::new(text.to_owned(), vec![launch], memories, entries), sizes))
}

/// Invocations of a workgroup.
fn invocations(module: &Module, entry: usize) -> u64 {
    let size = module.entry_points.get(entry).map_or([1; 3], |entry| entry.workgroup_size);
    size.iter().fold(1, |all: u64, n| all.saturating_mul(u64::from(*n)))
}

/// Everything that shaders may ask for and that is interpreted.
fn known() -> Capabilities {
    Capabilities::SUBGROUP | Capabilities::SHADER_FLOAT16
}

fn read(text: &str, given: &str) -> Result<Own, Note> {
    within(text)?;
    let given = Query::parse(given);
    // Chromium wants the word, naga does not know it. All that follows stays where it is.
    let plain = text.replacen(SUBGROUPS, &" ".repeat(SUBGROUPS.len()), 1);
    let (first, _) = parse(&plain, known())?;
    let (text, constants) = constants(&plain, &first, &given);
    let (module, info) = parse(&text, known())?;
    let mut declared = Declared::default();
    let entry = entry(&text, &module, &given, &mut declared)?;
    let used = info.get_entry_point(entry);
    let lanes = invocations(&module, entry);
    if lanes == 0 {
        return Err(note(
            &text,
            None,
            format!("{} has no invocations. Write a workgroup size of at least 1.", declared.entry),
        ));
    }
    let shared = survey::memory(&module, MAX_SHARED, "The most that is interpreted is")
        .map_err(|(why, span)| note(&text, Some(span), why))?;
    if lanes > INVOCATIONS {
        declared.cautions.push(format!(
            "A workgroup has {} invocations. WebGPU promises {INVOCATIONS}, so a page has to ask for more as maxComputeInvocationsPerWorkgroup.",
            grouped(lanes)
        ));
    }
    if shared > WORKGROUP_MEMORY {
        declared.cautions.push(format!(
            "Workgroup memory takes {} bytes. WebGPU promises {}, so a page has to ask for more as maxComputeWorkgroupStorageSize.",
            grouped(shared),
            grouped(WORKGROUP_MEMORY)
        ));
    }
    groups(&given, &mut declared);
    declared.needs = constants;
    let mut own = Own { text, module, info: info.clone(), entry, declared, buffers: Vec::new() };
    own.buffers.resize_with(own.declared.needs.len(), || None);
    let mut bound = Vec::new();
    for (handle, variable) in own.module.global_variables.iter() {
        if used[handle].is_empty() {
            continue;
        }
        let span = own.module.global_variables.get_span(handle);
        let name = variable.name.clone().unwrap_or_default();
        match variable.space {
            AddressSpace::Storage { .. } | AddressSpace::Uniform => {
                bound.push((name, shape(&own.module, variable.ty), variable.space, used[handle]));
            }
            AddressSpace::Handle => {
                let is_sampler = matches!(own.module.types[variable.ty].inner, TypeInner::Sampler { .. });
                let why = match is_sampler {
                    true => format!(
                        "{name} is a sampler, and only buffers can be bound here. Read the values by their index instead."
                    ),
                    false => format!(
                        "{name} is a texture, and only buffers can be bound here. Pass its values as var<storage, read> {name}: array<f32>."
                    ),
                };
                own.declared.notes.push(note(&own.text, Some(span), why));
            }
            AddressSpace::WorkGroup | AddressSpace::Private | AddressSpace::Function => {}
            _ => {
                let why = format!("{name} is in an address space that isn’t interpreted. Use storage or uniform.");
                own.declared.notes.push(note(&own.text, Some(span), why));
            }
        }
    }
    let side = side(&own.declared, bound.iter().map(|(_, shape, ..)| shape));
    let mut bytes = 0;
    for (name, shape, space, used) in bound {
        let (need, memory) = buffer(&name, &shape, space, used, side, &given, &mut bytes);
        own.declared.needs.push(need);
        own.buffers.push(memory);
    }
    Ok(own)
}

/// The entry point that is run: the one that is given, or the first.
fn entry(text: &str, module: &Module, given: &Query, declared: &mut Declared) -> Result<usize, Note> {
    let compute = || (0..).zip(&module.entry_points).filter(|(_, entry)| entry.stage == ShaderStage::Compute);
    declared.entries = compute().map(|(_, entry)| entry.name.clone()).collect();
    let wanted = given.get(Declared::ENTRY);
    let found = compute().find(|(_, entry)| Some(entry.name.as_str()) == wanted).or_else(|| compute().next());
    let Some((at, entry)) = found else {
        let why = match module.entry_points.first() {
            Some(other) => format!(
                "The text has no compute entry point: {} is a {} shader. Mark a function with @compute @workgroup_size(64).",
                other.name,
                if other.stage == ShaderStage::Fragment { "fragment" } else { "vertex" }
            ),
            None => "The text has no entry point. Mark a function with @compute @workgroup_size(64).".to_owned(),
        };
        return Err(note(text, None, why));
    };
    declared.entry = entry.name.clone();
    declared.workgroup = entry.workgroup_size;
    Ok(at)
}

/// The numbers of workgroups: those that are given, or a few.
fn groups(given: &Query, declared: &mut Declared) {
    let [x, y, z] = declared.workgroup.map(|n| n.max(1));
    declared.groups = match (y, z) {
        (1, 1) => [(INVOCATIONS_AT_FIRST / x).clamp(2, 64), 1, 1],
        (_, 1) => [2, 2, 1],
        _ => [2, 2, 2],
    };
    let Some(typed) = given.get(Declared::GROUPS) else { return };
    let mut all = typed.split(',').map(str::trim);
    for (axis, into) in ["x", "y", "z"].into_iter().zip(&mut declared.groups) {
        let Some(text) = all.next() else { continue };
        match text.parse::<u32>() {
            Ok(n) if (1..=MAX_GROUPS).contains(&n) => *into = n,
            _ => {
                declared.groups_wrong.get_or_insert_with(|| {
                    let most = grouped(MAX_GROUPS.into());
                    format!("“{text}” isn’t a number of workgroups along {axis}. Type a whole number from 1 to {most}.")
                });
            }
        }
    }
}

/// Constants that a pipeline sets, each written into the text as a constant of its own; and their rows.
fn constants(text: &str, module: &Module, given: &Query) -> (String, Vec<Need>) {
    let mut out = text.to_owned();
    let mut needs = Vec::new();
    for (handle, constant) in module.overrides.iter() {
        let Some(name) = constant.name.as_deref() else { continue };
        let Some(range) = module.overrides.get_span(handle).to_range() else { continue };
        let Some(at) = out.get(range.clone()).and_then(|part| part.find("override")).map(|at| range.start + at) else {
            continue;
        };
        let Some(end) = out.get(at..).and_then(|rest| rest.find(';')).map(|end| at + end) else { continue };
        let kind = match module.types[constant.ty].inner {
            TypeInner::Scalar(scalar) => (scalar.kind, scalar.width),
            _ => continue,
        };
        let written = out.get(at..end).unwrap_or_default().to_owned();
        let (before, init) = written.split_once('=').map_or((written.as_str(), None), |(b, i)| (b, Some(i.trim())));
        let typed = given.get(&Declared::given(name, "first")).map(str::trim).filter(|typed| !typed.is_empty());
        let (type_name, standard) = match kind {
            (ScalarKind::Bool, _) => ("bool", "false"),
            (ScalarKind::Sint, _) => ("i32", "64"),
            (ScalarKind::Uint, _) => ("u32", "64"),
            (_, 2) => ("f16", "1"),
            _ => ("f32", "1"),
        };
        let mut need = Need {
            name: name.to_owned(),
            says: "override constant".to_owned(),
            members: type_name.to_owned(),
            first: typed.or(init).unwrap_or(standard).to_owned(),
            ..Need::default()
        };
        let is_fine = typed.is_none_or(|typed| match type_name {
            "bool" => ["true", "false"].contains(&typed),
            "f16" | "f32" => decimal::parse(typed).is_some_and(f64::is_finite),
            "i32" => typed.parse::<i32>().is_ok(),
            _ => typed.parse::<u32>().is_ok(),
        });
        let value = match typed {
            Some(typed) if is_fine => typed.to_owned(),
            _ => init.unwrap_or(standard).to_owned(),
        };
        if !is_fine {
            let wanted = match type_name {
                "bool" => "true or false",
                "i32" => "a whole number",
                "u32" => "a whole number from 0 on",
                _ => "a number",
            };
            need.wrong = Some(format!("“{}” isn’t a value of {type_name}. Type {wanted}.", need.first));
        }
        let value = if ["f16", "f32"].contains(&type_name) { format!("{type_name}({value})") } else { value };
        let gap: String = written.chars().filter(|c| *c == '\n').collect();
        let head = before.replacen("override", "const", 1).replace('\n', " ");
        let line = format!("{head} = {value}");
        // The rest of the line moves, the lines after it do not.
        let attributes: String =
            out.get(range.start..at).unwrap_or_default().chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
        let whole = format!("{attributes}{line}{gap}");
        needs.push((range.start, end, whole, need));
    }
    // From the last on, so that the places of those before stay.
    needs.sort_by_key(|(start, ..)| *start);
    for (start, end, whole, _) in needs.iter().rev() {
        out.replace_range(*start..*end, whole);
    }
    (out, needs.into_iter().map(|(.., need)| need).collect())
}

/// The values of a type, in order; of a buffer's last array, those of one element.
fn shape(module: &Module, ty: Handle<Type>) -> Shape {
    let mut shape = Shape { bytes: u64::from(module.types[ty].inner.size(module.to_ctx())), ..Shape::default() };
    match module.types[ty].inner {
        TypeInner::Struct { ref members, .. } => {
            for member in members {
                let name = member.name.clone().unwrap_or_default();
                match module.types[member.ty].inner {
                    TypeInner::Array { base, size, stride } if matches!(size, ArraySize::Dynamic) => {
                        shape.array = elements(module, base, size, stride, member.offset.into());
                    }
                    _ => shape.more |= !values(module, member.ty, member.offset.into(), &name, &mut shape.values, 0),
                }
            }
        }
        TypeInner::Array { base, size, stride } => shape.array = elements(module, base, size, stride, 0),
        _ => shape.more = !values(module, ty, 0, "", &mut shape.values, 0),
    }
    shape
}

fn elements(module: &Module, base: Handle<Type>, size: ArraySize, stride: u32, from: u64) -> Option<Elements> {
    let mut element = Vec::new();
    values(module, base, 0, "", &mut element, 0);
    let count = match size {
        ArraySize::Constant(n) => Some(u64::from(n.get())),
        _ => None,
    };
    Some(Elements { from, stride: u64::from(stride).max(1), element, count })
}

/// Lists the values of a type; whether that is all of them.
fn values(module: &Module, ty: Handle<Type>, at: u64, name: &str, out: &mut Vec<Value>, depth: usize) -> bool {
    // An element may be an array of its own.
    if out.len() >= MAX_BYTES as usize / 4 || depth > MAX_DEPTH {
        return false;
    }
    let mut push = |at: u64, kind: Kind, name: String, atomic: bool| {
        out.push(Value { leaf: Leaf { offset: at.min(u64::from(u32::MAX)) as u32, kind }, name, atomic });
    };
    let kind_of = |scalar: naga::Scalar| match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 2) => Kind::F16,
        (ScalarKind::Float, _) => Kind::F32,
        (ScalarKind::Sint, _) => Kind::I32,
        (ScalarKind::Bool, _) => Kind::Bool,
        _ => Kind::U32,
    };
    let letters = ["x", "y", "z", "w"];
    match module.types[ty].inner {
        TypeInner::Scalar(scalar) => push(at, kind_of(scalar), name.to_owned(), false),
        TypeInner::Atomic(scalar) => push(at, kind_of(scalar), name.to_owned(), true),
        TypeInner::Vector { size, scalar } => {
            let kind = kind_of(scalar);
            for (i, letter) in (0..size as u64).zip(letters) {
                push(at + i * u64::from(kind.bytes()), kind, format!("{name}.{letter}"), false);
            }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let kind = kind_of(scalar);
            let stride = u64::from(kind.bytes()) * if rows as u32 == 2 { 2 } else { 4 };
            for column in 0..columns as u64 {
                for (row, letter) in (0..rows as u64).zip(letters) {
                    let at = at + column * stride + row * u64::from(kind.bytes());
                    push(at, kind, format!("{name}[{column}].{letter}"), false);
                }
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(n), stride } => {
            for i in 0..u64::from(n.get()) {
                if !values(module, base, at + i * u64::from(stride), &format!("{name}[{i}]"), out, depth + 1) {
                    return false;
                }
            }
        }
        TypeInner::Struct { ref members, .. } => {
            for member in members {
                let own = member.name.as_deref().unwrap_or_default();
                let name = if name.is_empty() { own.to_owned() } else { format!("{name}.{own}") };
                if !values(module, member.ty, at + u64::from(member.offset), &name, out, depth + 1) {
                    return false;
                }
            }
        }
        _ => return false,
    }
    true
}

/// What sizes are by default: of one axis, and of an array.
#[derive(Clone, Copy)]
struct Side {
    along: u64,
    length: u64,
}

/// One size is the number of invocations. Of several along one axis, as rows and columns are, two multiply to no more.
fn side<'a>(declared: &Declared, shapes: impl Iterator<Item = &'a Shape>) -> Side {
    let along = |axis: usize| u64::from(declared.workgroup[axis].max(1)) * u64::from(declared.groups[axis]);
    let length = (along(0) * along(1) * along(2)).min(MAX_BYTES / 16);
    let is_size = |value: &&Value| matches!(value.leaf.kind, Kind::U32 | Kind::I32) && !value.atomic;
    let sizes: usize = shapes.map(|shape| shape.values.iter().filter(is_size).count()).sum();
    if along(1) * along(2) > 1 || sizes < 2 {
        return Side { along: along(0), length };
    }
    let length = length.max(256);
    Side { along: length.isqrt(), length }
}

/// A buffer's row, and its memory unless something is wrong.
fn buffer(
    name: &str,
    shape: &Shape,
    space: AddressSpace,
    used: GlobalUse,
    side: Side,
    given: &Query,
    bytes: &mut u64,
) -> (Need, Option<Memory>) {
    let part = |part: &str| given.get(&Declared::given(name, part)).map(str::trim).filter(|text| !text.is_empty());
    let is_uniform = space == AddressSpace::Uniform;
    let mut need = Need {
        name: name.to_owned(),
        says: match space {
            AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                "storage buffer, read and write"
            }
            AddressSpace::Storage { .. } => "storage buffer, read-only",
            _ => "uniform buffer",
        }
        .to_owned(),
        ..Need::default()
    };
    let listed: Vec<&Value> = shape.values.iter().take(MAX_MEMBERS).collect();
    let describe = |value: &&Value| match value.name.as_str() {
        "" => kind_name(value.leaf.kind).to_owned(),
        name => format!("{}: {}", name.trim_start_matches('.'), kind_name(value.leaf.kind)),
    };
    need.members = listed.iter().map(describe).collect::<Vec<_>>().join(", ");
    if shape.more || shape.values.len() > MAX_MEMBERS {
        need.members.push_str(", …");
    }
    let standard = |value: &&Value| match value.leaf.kind {
        _ if value.atomic || !used.intersects(GlobalUse::READ) => 0.0,
        Kind::F32 | Kind::F16 if is_uniform || shape.array.is_none() => 1.0,
        _ => side.along as f64,
    };
    let first = listed.iter().map(|value| standard(value).to_string()).collect::<Vec<_>>().join(", ");
    need.first = part("first").map_or(first, str::to_owned);
    let mut cells: Vec<(u64, Kind, u32)> = Vec::new();
    match numbers(&need.first) {
        Ok(typed) => {
            for (i, value) in shape.values.iter().enumerate() {
                let number = typed.get(i).copied().unwrap_or_else(|| standard(&value));
                put(&mut cells, u64::from(value.leaf.offset), value.leaf.kind, number, &mut need.wrong);
            }
            if typed.len() > shape.values.len() && !shape.more {
                let (typed, of) = (typed.len(), shape.values.len());
                need.wrong
                    .get_or_insert(format!("You typed {typed} values, but {name} has {of}. Remove the extra ones."));
            }
        }
        Err(why) => need.wrong = Some(why),
    }
    let mut end = shape.bytes;
    let mut written = true;
    if let Some(array) = &shape.array {
        let atomic = array.element.iter().any(|value| value.atomic);
        let float = array.element.iter().any(|value| value.leaf.kind.float());
        let standard = match (used.intersects(GlobalUse::READ) && !atomic, float) {
            (false, _) => Fill::Zeros,
            (true, true) => Fill::Random,
            (true, false) => Fill::Index,
        };
        let mut filled = Filled {
            length: array.count.unwrap_or(side.length),
            fixed: array.count.is_some(),
            fill: part("fill").and_then(Fill::find).unwrap_or(standard),
            seed: 1,
            typed: part("typed").unwrap_or_default().to_owned(),
        };
        let whole = |text: &str, what: &str| {
            text.parse::<u32>().map_err(|_| {
                format!("“{text}” isn’t a {what}. Type a whole number from 0 to {}.", grouped(u32::MAX.into()))
            })
        };
        match part("length").filter(|_| !filled.fixed).map(|text| whole(text, "length")) {
            Some(Ok(length)) => filled.length = length.into(),
            Some(Err(why)) => need.wrong = Some(why),
            None => {}
        }
        match part("seed").map(|text| whole(text, "seed")) {
            Some(Ok(seed)) => filled.seed = seed,
            Some(Err(why)) => need.wrong = Some(why),
            None => {}
        }
        if filled.length == 0 {
            need.wrong.get_or_insert("A buffer has at least one element. Type a length from 1 on.".to_owned());
        }
        end = array.from.saturating_add(array.stride.saturating_mul(filled.length));
        written = filled.fill != Fill::Unset;
        if bytes.saturating_add(end) <= MAX_BYTES && need.wrong.is_none() {
            fill(array, &filled, &mut cells, &mut need.wrong);
        }
        need.array = Some(filled);
    }
    if bytes.saturating_add(end) > MAX_BYTES {
        need.wrong.get_or_insert(format!(
            "With {name}, the buffers take {} bytes. At most {} are interpreted. Use a shorter length.",
            grouped(bytes.saturating_add(end)),
            grouped(MAX_BYTES)
        ));
    }
    if need.wrong.is_some() {
        return (need, None);
    }
    *bytes += end;
    let halves = cells.iter().any(|(_, kind, _)| *kind == Kind::F16);
    let mut memory = Memory::new(vec![0; end.div_ceil(4) as usize], halves, end as u32, written);
    for (at, kind, word) in cells {
        memory.set(at as u32, kind, word);
        if at < shape.array.as_ref().map_or(u64::MAX, |array| array.from) {
            memory.know(at as u32);
        }
    }
    (need, Some(memory))
}

/// The values of an array.
fn fill(array: &Elements, filled: &Filled, cells: &mut Vec<(u64, Kind, u32)>, wrong: &mut Option<String>) {
    let typed = match filled.fill {
        Fill::Typed => match numbers(&filled.typed) {
            Ok(typed) => typed,
            Err(why) => {
                wrong.get_or_insert(why);
                return;
            }
        },
        _ => Vec::new(),
    };
    let room = filled.length.saturating_mul(array.element.len() as u64);
    if typed.len() as u64 > room {
        let (typed, room) = (grouped(typed.len() as u64), grouped(room));
        wrong.get_or_insert(format!("You typed {typed} values, and there is room for {room}. Use a larger length."));
        return;
    }
    let mut random = Random::new(filled.seed);
    let mut place = 0_u64;
    for element in 0..filled.length {
        for value in &array.element {
            let kind = value.leaf.kind;
            let number = match filled.fill {
                Fill::Zeros | Fill::Unset => 0.0,
                Fill::Index => place as f64,
                Fill::Random if kind.float() => f64::from(random.next()),
                // So that it can be an index into a buffer of the same length.
                Fill::Random => (f64::from(random.next()).abs() * filled.length as f64).floor(),
                Fill::Typed => typed.get(place as usize).copied().unwrap_or(0.0),
            };
            let at = array.from + element * array.stride + u64::from(value.leaf.offset);
            put(cells, at, kind, number, wrong);
            place += 1;
        }
    }
}

/// Puts a number where its type can hold it.
fn put(cells: &mut Vec<(u64, Kind, u32)>, at: u64, kind: Kind, value: f64, wrong: &mut Option<String>) {
    let (least, most, range) = match kind {
        Kind::I32 => (f64::from(i32::MIN), f64::from(i32::MAX), "−2,147,483,648 to 2,147,483,647"),
        Kind::U32 | Kind::Bool => (0.0, f64::from(u32::MAX), "0 to 4,294,967,295"),
        Kind::F32 | Kind::F16 => {
            let value = value as f32;
            let value = if kind == Kind::F16 { half::f16::from_f32(value).to_f32() } else { value };
            cells.push((at, kind, value.to_bits()));
            return;
        }
    };
    if value.fract() != 0.0 || value < least || value > most {
        let (value, kind) = (number(value), kind_name(kind));
        wrong.get_or_insert(format!("{kind} can’t hold {value}. Type whole numbers from {range}."));
        return;
    }
    let word = if kind == Kind::I32 { value as i32 as u32 } else { value as u32 };
    cells.push((at, kind, word));
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::F32 => "f32",
        Kind::F16 => "f16",
        Kind::I32 => "i32",
        Kind::U32 => "u32",
        Kind::Bool => "bool",
    }
}

/// The numbers of a text, as WGSL or a list in another language writes them.
fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let words = text.split(|c: char| c == ',' || c == ';' || c == '[' || c == ']' || c.is_whitespace());
    words
        .filter(|word| !word.is_empty())
        .map(|word| {
            decimal::parse(word.trim_end_matches(['u', 'i', 'f', 'h'])).filter(|value| value.is_finite()).ok_or_else(
                || {
                    let word: String = word.chars().take(24).collect();
                    format!("“{word}” isn’t a number. Type numbers separated by commas: 1, 2.5, -3.")
                },
            )
        })
        .collect()
}
