//! From naga's IR to a [`Program`].

use std::collections::{BTreeMap, HashMap};

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator, Binding, Block, BuiltIn, Expression, Function, GatherMode,
    Handle, Literal, MathFunction, Module, RelationalFunction, Scalar, ScalarKind, ShaderStage, Span, Statement,
    SwitchValue, Type, TypeInner, UnaryOperator,
};

use crate::program::{
    Address, Atomic, From, Kind, Layout, Leaf, Len, Named, Op, Program, Root, Slot, Term, Told, Unary, Variable, Whole,
};
use crate::source::line_and_column;

/// Operations of a kernel with every call written out. The longest of ours has some 20 000.
const MAX_OPS: usize = 1 << 17;
/// Registers per lane, those of arrays included.
const MAX_SLOTS: u32 = 1 << 16;
/// Words of a value that is read or written in one piece.
const MAX_WORDS: usize = 4096;
/// Types, constants and calls within each other.
const MAX_DEPTH: usize = 64;

/// Why a kernel cannot be run here: where, and a sentence.
pub(crate) type Refusal = (Option<Span>, String);

fn refuse<T>(what: impl Into<String>) -> Result<T, Refusal> {
    Err((None, what.into()))
}

/// What an expression came to.
#[derive(Debug, Clone)]
enum Value {
    Register(Slot),
    Pointer(Address),
}

/// A function, as it is written out in one place.
struct Body<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    locals: Vec<Slot>,
    /// Where what it returns is put.
    result: Option<(Slot, u32)>,
    depth: usize,
}

struct Compiler<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    text: &'a str,
    overrides: &'a BTreeMap<String, f64>,
    program: Program,
    /// The variable in memory, or the registers, of each global variable.
    globals: Vec<Option<Value>>,
    scalars: HashMap<u32, Slot>,
    known: HashMap<Slot, u32>,
    line: u32,
    marked: u32,
    scope: u32,
    scopes: u32,
}

/// Compiles an entry point. `overrides` are values of the module's overrides, by name.
pub(crate) fn compile(
    module: &Module,
    info: &ModuleInfo,
    text: &str,
    entry: &str,
    overrides: &BTreeMap<String, f64>,
) -> Result<Program, Refusal> {
    let found = module.entry_points.iter().position(|e| e.name == entry && e.stage == ShaderStage::Compute);
    let Some((index, point)) = found.and_then(|index| Some((index, module.entry_points.get(index)?))) else {
        return refuse(format!("There is no compute entry point called {entry}."));
    };
    if point.workgroup_size_overrides.is_some() {
        return refuse("The workgroup’s size is an override. Write it as a number.");
    }
    let lanes = point.workgroup_size.iter().fold(1, |all: u64, n| all.saturating_mul(u64::from(*n)));
    if lanes == 0 || lanes > 1024 {
        return refuse(format!("A workgroup of {lanes} invocations is not run here. At most 1024 are."));
    }
    let mut compiler = Compiler {
        module,
        info,
        text,
        overrides,
        program: Program { workgroup: point.workgroup_size, ..Program::default() },
        globals: Vec::new(),
        scalars: HashMap::new(),
        known: HashMap::new(),
        line: 0,
        marked: 0,
        scope: 0,
        scopes: 0,
    };
    compiler.variables()?;
    let mut arguments = Vec::new();
    for argument in &point.function.arguments {
        let slot = compiler.argument(argument.ty, argument.binding.as_ref())?;
        arguments.push(Value::Register(slot));
        if let Some(name) = &argument.name {
            let named = compiler.named(name, slot, argument.ty)?;
            compiler.push(Op::Name(named))?;
        }
    }
    compiler.push(Op::Call)?;
    compiler.body(&point.function, info.get_entry_point(index), arguments, None, 0)?;
    compiler.push(Op::EndCall)?;
    let mut program = compiler.program;
    program.live = crate::live::most(&program);
    Ok(program)
}

fn kind_of(scalar: Scalar) -> Result<Kind, Refusal> {
    Ok(match (scalar.kind, scalar.width) {
        (ScalarKind::Float, 4) => Kind::F32,
        (ScalarKind::Float, 2) => Kind::F16,
        (ScalarKind::Sint, 4) => Kind::I32,
        (ScalarKind::Uint, 4) => Kind::U32,
        (ScalarKind::Bool, _) => Kind::Bool,
        _ => return refuse("Numbers of 64 bits are not run here."),
    })
}

impl<'a> Compiler<'a> {
    fn push(&mut self, op: Op) -> Result<usize, Refusal> {
        if self.program.ops.len() >= MAX_OPS {
            return refuse(format!(
                "With every call written out, the kernel has more than {MAX_OPS} operations. It is not run here."
            ));
        }
        self.program.ops.push(op);
        self.program.lines.push(self.line);
        self.program.scopes.push(self.scope);
        Ok(self.program.ops.len() - 1)
    }

    fn here(&self) -> u32 {
        self.program.ops.len() as u32
    }

    fn alloc(&mut self, n: usize) -> Result<Slot, Refusal> {
        let slot = self.program.slots;
        let n = u32::try_from(n).unwrap_or(MAX_SLOTS);
        if slot.saturating_add(n) > MAX_SLOTS {
            return refuse(format!(
                "The kernel needs more than {MAX_SLOTS} registers per invocation. Use smaller arrays."
            ));
        }
        self.program.slots += n;
        Ok(slot)
    }

    fn at(&mut self, span: Span) {
        if let Some(range) = span.to_range() {
            self.line = line_and_column(self.text, range.start).0;
        }
    }

    /// Begins a line, unless it has begun.
    fn mark(&mut self) -> Result<(), Refusal> {
        if self.line != self.marked && self.line != 0 {
            self.marked = self.line;
            self.push(Op::Line)?;
        }
        Ok(())
    }

    fn ty(&self, ty: Handle<Type>) -> &'a TypeInner {
        &self.module.types[ty].inner
    }

    fn size_of(&self, size: &ArraySize) -> Result<Option<u32>, Refusal> {
        match size {
            ArraySize::Constant(n) => Ok(Some(n.get())),
            ArraySize::Dynamic => Ok(None),
            ArraySize::Pending(_) => refuse("An array’s length is an override. Write it as a number."),
        }
    }

    /// The words of a type, in order, with where each lies in memory.
    fn leaves(&self, inner: &TypeInner, offset: u32, out: &mut Vec<Leaf>, depth: usize) -> Result<(), Refusal> {
        if out.len() > MAX_WORDS || depth > MAX_DEPTH {
            return refuse(format!(
                "A value of more than {MAX_WORDS} words is copied. Read one element of it at a time."
            ));
        }
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                out.push(Leaf { offset, kind: kind_of(scalar)? });
            }
            TypeInner::Vector { size, scalar } => {
                let kind = kind_of(scalar)?;
                out.extend((0..size as u32).map(|i| Leaf { offset: offset + i * kind.bytes(), kind }));
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let kind = kind_of(scalar)?;
                let stride = kind.bytes() * if rows as u32 == 2 { 2 } else { 4 };
                for column in 0..columns as u32 {
                    out.extend(
                        (0..rows as u32).map(|i| Leaf { offset: offset + column * stride + i * kind.bytes(), kind }),
                    );
                }
            }
            TypeInner::Array { base, ref size, stride } => {
                let Some(n) = self.size_of(size)? else { return refuse("A whole buffer is copied.") };
                for i in 0..n {
                    self.leaves(self.ty(base), offset.saturating_add(i.saturating_mul(stride)), out, depth + 1)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for member in members {
                    self.leaves(self.ty(member.ty), offset.saturating_add(member.offset), out, depth + 1)?;
                }
            }
            _ => return refuse("Textures, samplers and cooperative matrices are not run here."),
        }
        Ok(())
    }

    fn shape(&self, inner: &TypeInner) -> Result<Vec<Leaf>, Refusal> {
        let mut out = Vec::new();
        self.leaves(inner, 0, &mut out, 0)?;
        Ok(out)
    }

    fn layout(&self, ty: Handle<Type>, depth: usize) -> Result<Layout, Refusal> {
        if depth > MAX_DEPTH {
            return refuse("Types are nested too deeply.");
        }
        Ok(match *self.ty(ty) {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Layout::Scalar(kind_of(scalar)?),
            TypeInner::Vector { size, scalar } => Layout::Vector(kind_of(scalar)?, size as u32),
            TypeInner::Matrix { rows, scalar, .. } => {
                let kind = kind_of(scalar)?;
                let stride = kind.bytes() * if rows as u32 == 2 { 2 } else { 4 };
                Layout::Array(Box::new(Layout::Vector(kind, rows as u32)), stride)
            }
            TypeInner::Array { base, stride, .. } => Layout::Array(Box::new(self.layout(base, depth + 1)?), stride),
            TypeInner::Struct { ref members, .. } => {
                let mut named = Vec::new();
                for member in members {
                    let name = member.name.clone().unwrap_or_default();
                    named.push((name, member.offset, self.layout(member.ty, depth + 1)?));
                }
                Layout::Struct(named)
            }
            _ => return refuse("Textures, samplers and cooperative matrices are not run here."),
        })
    }

    /// Places all global variables.
    fn variables(&mut self) -> Result<(), Refusal> {
        for (handle, variable) in self.module.global_variables.iter() {
            let name = variable.name.clone().unwrap_or_default();
            let value = match variable.space {
                AddressSpace::WorkGroup | AddressSpace::Uniform | AddressSpace::Storage { .. } => {
                    let layout = self
                        .layout(variable.ty, 0)
                        .map_err(|(_, why)| (Some(self.module.global_variables.get_span(handle)), why))?;
                    let shared = variable.space == AddressSpace::WorkGroup;
                    let bytes = self.ty(variable.ty).size(self.module.to_ctx());
                    if shared {
                        self.program.shared_bytes = self.program.shared_bytes.saturating_add(bytes);
                    }
                    let number = self.program.variables.len() as u32;
                    let binding = variable.binding.map(|binding| binding.binding);
                    self.program.variables.push(Variable {
                        name,
                        binding,
                        uniform: variable.space == AddressSpace::Uniform,
                        bytes,
                        layout,
                    });
                    let root = if shared { Root::Shared(number) } else { Root::Buffer(number) };
                    Some(Value::Pointer(Address { root, offset: 0, terms: Vec::new() }))
                }
                AddressSpace::Private => {
                    let shape = self.shape(self.ty(variable.ty))?;
                    let slot = self.alloc(shape.len())?;
                    if let Some(init) = variable.init {
                        let mut words = Vec::new();
                        self.constant(&self.module.global_expressions, init, &mut words, 0)?;
                        self.program.constants.extend((slot..).zip(words));
                    }
                    let kinds = shape.iter().map(|leaf| leaf.kind).collect();
                    self.program.named.push(Named { name, scope: u32::MAX, slot, kinds });
                    Some(Value::Pointer(Address { root: Root::Own(slot), offset: 0, terms: Vec::new() }))
                }
                _ => None,
            };
            self.globals.push(value);
        }
        Ok(())
    }

    /// The words of a constant.
    fn constant(
        &self,
        all: &naga::Arena<Expression>,
        handle: Handle<Expression>,
        out: &mut Vec<u32>,
        depth: usize,
    ) -> Result<(), Refusal> {
        if depth > MAX_DEPTH || out.len() > MAX_WORDS {
            return refuse("A constant is too large to be run here.");
        }
        match all[handle] {
            Expression::Literal(literal) => out.push(bits(literal)?),
            Expression::ZeroValue(ty) => out.resize(out.len() + self.shape(self.ty(ty))?.len(), 0),
            Expression::Constant(constant) => {
                let init = self.module.constants[constant].init;
                self.constant(&self.module.global_expressions, init, out, depth + 1)?;
            }
            Expression::Override(handle) => {
                let found = &self.module.overrides[handle];
                let name = found.name.as_deref().unwrap_or_default();
                match (self.overrides.get(name), found.init) {
                    (Some(value), _) => out.push(match *self.ty(found.ty) {
                        TypeInner::Scalar(Scalar { kind: ScalarKind::Float, .. }) => (*value as f32).to_bits(),
                        TypeInner::Scalar(Scalar { kind: ScalarKind::Sint, .. }) => *value as i32 as u32,
                        TypeInner::Scalar(Scalar { kind: ScalarKind::Bool, .. }) => u32::from(*value != 0.0),
                        _ => *value as u32,
                    }),
                    (None, Some(init)) => self.constant(&self.module.global_expressions, init, out, depth + 1)?,
                    (None, None) => return refuse(format!("{name} is an override that nobody sets.")),
                }
            }
            Expression::Compose { ref components, .. } => {
                for component in components {
                    self.constant(all, *component, out, depth + 1)?;
                }
            }
            Expression::Splat { size, value } => {
                let mut one = Vec::new();
                self.constant(all, value, &mut one, depth + 1)?;
                for _ in 0..size as u32 {
                    out.extend(&one);
                }
            }
            _ => return refuse("A constant is an expression that is not evaluated here."),
        }
        Ok(())
    }

    /// A register with a value that never changes.
    fn fixed(&mut self, word: u32) -> Result<Slot, Refusal> {
        if let Some(slot) = self.scalars.get(&word) {
            return Ok(*slot);
        }
        let slot = self.alloc(1)?;
        self.scalars.insert(word, slot);
        self.known.insert(slot, word);
        self.program.constants.push((slot, word));
        Ok(slot)
    }

    fn fixed_all(&mut self, words: &[u32]) -> Result<Slot, Refusal> {
        if let [word] = words {
            return self.fixed(*word);
        }
        let slot = self.alloc(words.len())?;
        for (at, word) in (slot..).zip(words) {
            self.program.constants.push((at, *word));
            self.known.insert(at, *word);
        }
        Ok(slot)
    }

    fn argument(&mut self, ty: Handle<Type>, binding: Option<&Binding>) -> Result<Slot, Refusal> {
        if let (TypeInner::Struct { members, .. }, None) = (self.ty(ty), binding) {
            let slot = self.program.slots;
            for member in members {
                self.argument(member.ty, member.binding.as_ref())?;
            }
            return Ok(slot);
        }
        let told = match binding {
            Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)) => Told::Global,
            Some(Binding::BuiltIn(BuiltIn::LocalInvocationId)) => Told::Local,
            Some(Binding::BuiltIn(BuiltIn::LocalInvocationIndex)) => Told::Index,
            Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => Told::Group,
            Some(Binding::BuiltIn(BuiltIn::NumWorkGroups)) => Told::Groups,
            Some(Binding::BuiltIn(BuiltIn::WorkGroupSize)) => Told::Size,
            Some(Binding::BuiltIn(BuiltIn::SubgroupSize)) => Told::SubgroupSize,
            Some(Binding::BuiltIn(BuiltIn::SubgroupInvocationId)) => Told::SubgroupLane,
            Some(Binding::BuiltIn(BuiltIn::SubgroupId)) => Told::SubgroupId,
            Some(Binding::BuiltIn(BuiltIn::NumSubgroups)) => Told::Subgroups,
            _ => return refuse("An argument of the entry point is not known here."),
        };
        let slot = self.alloc(self.shape(self.ty(ty))?.len())?;
        self.program.told.push((told, slot));
        Ok(slot)
    }

    fn named(&mut self, name: &str, slot: Slot, ty: Handle<Type>) -> Result<u32, Refusal> {
        let kinds = self.shape(self.ty(ty))?.iter().map(|leaf| leaf.kind).collect();
        Ok(self.named_as(name, slot, kinds))
    }

    fn named_as(&mut self, name: &str, slot: Slot, kinds: Vec<Kind>) -> u32 {
        self.program.named.push(Named { name: name.to_owned(), scope: self.scope, slot, kinds });
        self.program.named.len() as u32 - 1
    }

    /// Writes a function out.
    fn body(
        &mut self,
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Value>,
        result: Option<(Slot, u32)>,
        depth: usize,
    ) -> Result<(), Refusal> {
        if depth > MAX_DEPTH {
            return refuse("Calls are nested too deeply.");
        }
        let outer = std::mem::replace(&mut self.scope, self.scopes);
        self.scopes += 1;
        let mut locals = Vec::new();
        for (_, variable) in function.local_variables.iter() {
            let shape = self.shape(self.ty(variable.ty))?;
            locals.push(self.alloc(shape.len())?);
        }
        let values = vec![None; function.expressions.len()];
        let mut body = Body { function, info, values, arguments, locals, result, depth };
        for (handle, variable) in function.local_variables.iter() {
            let slot = body.locals[handle.index()];
            let kinds: Vec<Kind> = self.shape(self.ty(variable.ty))?.iter().map(|leaf| leaf.kind).collect();
            let n = kinds.len() as u32;
            let src = match variable.init {
                Some(init) => self.value(&mut body, init)?,
                None => {
                    let zero = self.fixed(0)?;
                    self.push(Op::Fill { dst: slot, src: zero, n })?;
                    zero
                }
            };
            if variable.init.is_some() {
                self.push(Op::Move { dst: slot, src, n })?;
            }
            if let Some(name) = &variable.name {
                let named = self.named_as(name, slot, kinds);
                self.push(Op::Name(named))?;
            }
        }
        self.block(&mut body, &function.body)?;
        self.scope = outer;
        Ok(())
    }

    fn inner<'b>(&'b self, body: &'b Body<'a>, handle: Handle<Expression>) -> &'b TypeInner {
        body.info[handle].ty.inner_with(&self.module.types)
    }

    fn block(&mut self, body: &mut Body<'a>, block: &'a Block) -> Result<(), Refusal> {
        for (statement, span) in block.span_iter() {
            self.statement(body, statement, *span)
                .map_err(|(place, why)| (place.or_else(|| span.is_defined().then_some(*span)), why))?;
        }
        Ok(())
    }

    fn patch(&mut self, at: usize) {
        let here = self.here();
        if let Some(
            Op::If { orelse: to, .. } | Op::Else { end: to } | Op::Continuing { end: to } | Op::Case { next: to, .. },
        ) = self.program.ops.get_mut(at)
        {
            *to = here;
        }
    }

    fn statement(&mut self, body: &mut Body<'a>, statement: &'a Statement, span: Span) -> Result<(), Refusal> {
        match statement {
            Statement::Emit(range) => {
                for handle in range.clone() {
                    self.at(body.function.expressions.get_span(handle));
                    self.mark()?;
                    let value = self.expression(body, handle)?;
                    if let (Some(name), Value::Register(slot)) = (body.function.named_expressions.get(&handle), &value)
                    {
                        let slot = *slot;
                        let kinds = self.shape(self.inner(body, handle))?.iter().map(|leaf| leaf.kind).collect();
                        let named = self.named_as(name, slot, kinds);
                        self.push(Op::Name(named))?;
                    }
                    body.values[handle.index()] = Some(value);
                }
            }
            Statement::Block(inner) => self.block(body, inner)?,
            Statement::If { condition, accept, reject } => {
                let condition = self.value(body, *condition)?;
                if let Some(word) = self.known.get(&condition) {
                    let taken = if *word != 0 { accept } else { reject };
                    return self.block(body, taken);
                }
                self.at(span);
                self.mark()?;
                let top = self.line;
                let branch = self.push(Op::If { condition, orelse: 0 })?;
                self.marked = 0;
                self.block(body, accept)?;
                if reject.is_empty() {
                    self.patch(branch);
                } else {
                    let middle = self.push(Op::Else { end: 0 })?;
                    if let Some(Op::If { orelse, .. }) = self.program.ops.get_mut(branch) {
                        *orelse = middle as u32;
                    }
                    self.marked = 0;
                    self.block(body, reject)?;
                    self.patch(middle);
                }
                self.line = top;
                self.push(Op::EndIf)?;
                self.marked = 0;
            }
            Statement::Switch { selector, cases } => {
                let selector = self.value(body, *selector)?;
                self.at(span);
                self.mark()?;
                let top = self.line;
                self.push(Op::Switch)?;
                let word = |value: &SwitchValue| match value {
                    SwitchValue::I32(n) => Some(*n as u32),
                    SwitchValue::U32(n) => Some(*n),
                    SwitchValue::Default => None,
                };
                let all: Vec<u32> = cases.iter().filter_map(|case| word(&case.value)).collect();
                // By default come those that nothing names, so that falling through stays in order.
                let mut falls = false;
                let (mut next, last) = (None, cases.len());
                for (i, case) in cases.iter().enumerate() {
                    if let Some(at) = next.take() {
                        self.patch(at);
                    }
                    let values = match word(&case.value) {
                        Some(value) => vec![1, value],
                        None => std::iter::once(0).chain(all.iter().copied()).collect(),
                    };
                    self.program.cases.push(values);
                    let values = self.program.cases.len() as u32 - 1;
                    self.line = top;
                    next = Some(self.push(Op::Case { selector, values, falls, next: 0 })?);
                    self.marked = 0;
                    self.block(body, &case.body)?;
                    falls = case.fall_through && i + 1 < last;
                }
                if let Some(at) = next {
                    self.patch(at);
                }
                self.line = top;
                self.push(Op::EndSwitch)?;
                self.marked = 0;
            }
            Statement::Loop { body: inner, continuing, break_if } => {
                self.at(span);
                let top = self.line;
                self.push(Op::Loop)?;
                let start = self.here();
                self.marked = 0;
                self.block(body, inner)?;
                self.line = top;
                self.marked = 0;
                let middle = self.push(Op::Continuing { end: 0 })?;
                self.block(body, continuing)?;
                if let Some(condition) = break_if {
                    let condition = self.value(body, *condition)?;
                    self.push(Op::BreakIf { condition })?;
                }
                self.line = top;
                self.push(Op::Again { start })?;
                self.patch(middle);
                self.push(Op::EndLoop)?;
                self.marked = 0;
            }
            Statement::Break => {
                self.at(span);
                self.push(Op::Break)?;
            }
            Statement::Continue => {
                self.at(span);
                self.push(Op::Continue)?;
            }
            Statement::Return { value } => {
                if let (Some(value), Some((dst, n))) = (value, body.result) {
                    let src = self.value(body, *value)?;
                    self.at(span);
                    self.push(Op::Move { dst, src, n })?;
                }
                // The end of a function needs none, and has no line of its own.
                self.at(span);
                if value.is_some() || span.is_defined() {
                    self.mark()?;
                } else {
                    self.line = 0;
                }
                self.push(Op::Return)?;
            }
            Statement::ControlBarrier(flags) => {
                if flags.contains(naga::Barrier::SUB_GROUP) {
                    return refuse("subgroupBarrier is not run here.");
                }
                self.at(span);
                self.mark()?;
                let (shared, storage) =
                    (flags.contains(naga::Barrier::WORK_GROUP), flags.contains(naga::Barrier::STORAGE));
                self.push(Op::Barrier { shared, storage })?;
                self.marked = 0;
            }
            Statement::Store { pointer, value } => {
                self.at(span);
                self.mark()?;
                let src = self.value(body, *value)?;
                let shape = self.shape(self.inner(body, *value))?;
                let address = self.pointer(body, *pointer)?;
                self.at(span);
                if self.is_atomic(body, *pointer) {
                    let kind = shape.first().map_or(Kind::U32, |leaf| leaf.kind);
                    let address = self.address(address);
                    self.push(Op::Atomic { fun: Atomic::Store, kind, dst: src, value: src, address })?;
                } else {
                    self.store(address, src, shape)?;
                }
            }
            Statement::Atomic { pointer, fun, value, result } => {
                self.at(span);
                self.mark()?;
                let address = self.pointer(body, *pointer)?;
                let address = self.address(address);
                let kind = self.shape(self.inner(body, *value))?.first().map_or(Kind::U32, |leaf| leaf.kind);
                let value = self.value(body, *value)?;
                let fun = match *fun {
                    AtomicFunction::Exchange { compare: Some(compare) } => Atomic::Compare(self.value(body, compare)?),
                    fun => Atomic::Do(fun),
                };
                let n = match result {
                    Some(result) => self.shape(self.inner(body, *result))?.len(),
                    None => 2,
                };
                let dst = self.alloc(n.max(2))?;
                self.push(Op::Atomic { fun, kind, dst, value, address })?;
                if let Some(result) = result {
                    self.keep(body, *result, dst)?;
                }
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                self.at(span);
                self.mark()?;
                self.push(Op::Barrier { shared: true, storage: false })?;
                let shape = self.shape(self.inner(body, *result))?;
                let address = self.pointer(body, *pointer)?;
                let atomic = self.is_atomic(body, *pointer);
                let dst = self.load(address, shape, atomic)?;
                self.keep(body, *result, dst)?;
                self.push(Op::Barrier { shared: true, storage: false })?;
                self.marked = 0;
            }
            Statement::Call { function, arguments, result } => {
                self.at(span);
                self.mark()?;
                let mut passed = Vec::new();
                for argument in arguments {
                    let pointer = matches!(
                        self.inner(body, *argument),
                        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
                    );
                    passed.push(if pointer {
                        Value::Pointer(self.pointer(body, *argument)?)
                    } else {
                        Value::Register(self.value(body, *argument)?)
                    });
                }
                let called = &self.module.functions[*function];
                let returns = match &called.result {
                    Some(result) => {
                        let n = self.shape(self.ty(result.ty))?.len();
                        Some((self.alloc(n)?, n as u32))
                    }
                    None => None,
                };
                let line = self.line;
                self.push(Op::Call)?;
                self.marked = 0;
                self.body(called, &self.info[*function], passed, returns, body.depth + 1)?;
                self.line = line;
                self.push(Op::EndCall)?;
                self.marked = 0;
                if let (Some(handle), Some((slot, _))) = (result, returns) {
                    self.keep(body, *handle, slot)?;
                }
            }
            Statement::SubgroupBallot { result, predicate } => {
                self.at(span);
                self.mark()?;
                let predicate = predicate.map(|p| self.value(body, p)).transpose()?;
                let dst = self.alloc(4)?;
                self.push(Op::Ballot { dst, predicate })?;
                self.keep(body, *result, dst)?;
            }
            Statement::SubgroupGather { mode, argument, result } => {
                self.at(span);
                self.mark()?;
                let a = self.value(body, *argument)?;
                let n = self.shape(self.inner(body, *argument))?.len();
                let from = match *mode {
                    GatherMode::BroadcastFirst => From::First,
                    GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) => From::Lane(self.value(body, lane)?),
                    GatherMode::ShuffleDown(by) => From::Down(self.value(body, by)?),
                    GatherMode::ShuffleUp(by) => From::Up(self.value(body, by)?),
                    GatherMode::ShuffleXor(by) => From::Xor(self.value(body, by)?),
                    GatherMode::QuadBroadcast(lane) => From::Quad(self.value(body, lane)?),
                    GatherMode::QuadSwap(direction) => From::Swap(direction as u32 + 1),
                };
                let dst = self.alloc(n)?;
                self.push(Op::Gather { from, dst, a, n: n as u32 })?;
                self.keep(body, *result, dst)?;
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                self.at(span);
                self.mark()?;
                let a = self.value(body, *argument)?;
                let shape = self.shape(self.inner(body, *argument))?;
                let kind = shape.first().map_or(Kind::U32, |leaf| leaf.kind);
                let dst = self.alloc(shape.len())?;
                self.push(Op::Collective { op: *op, how: *collective_op, kind, dst, a, n: shape.len() as u32 })?;
                self.keep(body, *result, dst)?;
            }
            Statement::MemoryBarrier(_) => {}
            _ => return refuse("This statement is not run here."),
        }
        Ok(())
    }

    /// What a statement came to, under its name if it has one.
    fn keep(&mut self, body: &mut Body<'a>, handle: Handle<Expression>, slot: Slot) -> Result<(), Refusal> {
        body.values[handle.index()] = Some(Value::Register(slot));
        if let Some(name) = body.function.named_expressions.get(&handle) {
            let kinds = self.shape(self.inner(body, handle))?.iter().map(|leaf| leaf.kind).collect();
            let named = self.named_as(name, slot, kinds);
            self.push(Op::Name(named))?;
        }
        Ok(())
    }

    fn is_atomic(&self, body: &Body<'a>, pointer: Handle<Expression>) -> bool {
        match self.inner(body, pointer) {
            TypeInner::Pointer { base, .. } => matches!(self.ty(*base), TypeInner::Atomic(_)),
            _ => false,
        }
    }

    fn address(&mut self, address: Address) -> u32 {
        self.program.addresses.push(address);
        self.program.addresses.len() as u32 - 1
    }

    fn store(&mut self, address: Address, src: Slot, shape: Vec<Leaf>) -> Result<(), Refusal> {
        let n = shape.len() as u32;
        match (address.root, address.terms.is_empty()) {
            (Root::Own(slot), true) => self.push(Op::Move { dst: slot + address.offset, src, n })?,
            (Root::Own(_), false) => {
                let address = self.address(address);
                self.push(Op::StoreOwn { src, address, n })?
            }
            _ => {
                let address = self.address(address);
                self.program.shapes.push(shape);
                let shape = self.program.shapes.len() as u32 - 1;
                self.push(Op::Store { src, address, shape })?
            }
        };
        Ok(())
    }

    fn load(&mut self, address: Address, shape: Vec<Leaf>, atomic: bool) -> Result<Slot, Refusal> {
        let dst = self.alloc(shape.len())?;
        let n = shape.len() as u32;
        match (address.root, address.terms.is_empty()) {
            (Root::Own(slot), true) => self.push(Op::Move { dst, src: slot + address.offset, n })?,
            (Root::Own(_), false) => {
                let address = self.address(address);
                self.push(Op::LoadOwn { dst, address, n })?
            }
            _ if atomic => {
                let kind = shape.first().map_or(Kind::U32, |leaf| leaf.kind);
                let address = self.address(address);
                self.push(Op::Atomic { fun: Atomic::Load, kind, dst, value: dst, address })?
            }
            _ => {
                let address = self.address(address);
                self.program.shapes.push(shape);
                let shape = self.program.shapes.len() as u32 - 1;
                self.push(Op::Load { dst, address, shape })?
            }
        };
        Ok(dst)
    }

    fn pointer(&mut self, body: &mut Body<'a>, handle: Handle<Expression>) -> Result<Address, Refusal> {
        match self.any(body, handle)? {
            Value::Pointer(address) => Ok(address),
            Value::Register(_) => refuse("This pointer is not run here."),
        }
    }

    fn value(&mut self, body: &mut Body<'a>, handle: Handle<Expression>) -> Result<Slot, Refusal> {
        match self.any(body, handle)? {
            Value::Register(slot) => Ok(slot),
            Value::Pointer(_) => refuse("This pointer is not run here."),
        }
    }

    fn any(&mut self, body: &mut Body<'a>, handle: Handle<Expression>) -> Result<Value, Refusal> {
        if let Some(value) = &body.values[handle.index()] {
            return Ok(value.clone());
        }
        let value = self.expression(body, handle)?;
        body.values[handle.index()] = Some(value.clone());
        Ok(value)
    }

    fn words(&self, body: &Body<'a>, handle: Handle<Expression>) -> Result<u32, Refusal> {
        Ok(self.shape(self.inner(body, handle))?.len() as u32)
    }

    fn first_kind(&self, body: &Body<'a>, handle: Handle<Expression>) -> Result<Kind, Refusal> {
        let found = self.shape(self.inner(body, handle))?.first().map(|leaf| leaf.kind);
        found.map_or_else(|| refuse("An empty value is not run here."), Ok)
    }

    fn matrix(&self, body: &Body<'a>, handle: Handle<Expression>) -> bool {
        matches!(self.inner(body, handle), TypeInner::Matrix { .. })
    }

    fn expression(&mut self, body: &mut Body<'a>, handle: Handle<Expression>) -> Result<Value, Refusal> {
        let function = body.function;
        let slot = match function.expressions[handle] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::Override(_) | Expression::ZeroValue(_) => {
                let mut words = Vec::new();
                self.constant(&function.expressions, handle, &mut words, 0)?;
                self.fixed_all(&words)?
            }
            Expression::Compose { ref components, .. } => {
                let mut parts = Vec::new();
                for component in components {
                    parts.push((self.value(body, *component)?, self.words(body, *component)?));
                }
                let known: Option<Vec<u32>> = parts
                    .iter()
                    .flat_map(|(slot, n)| *slot..slot + n)
                    .map(|slot| self.known.get(&slot).copied())
                    .collect();
                if let Some(words) = known {
                    self.fixed_all(&words)?
                } else {
                    let dst = self.alloc(parts.iter().map(|(_, n)| *n as usize).sum())?;
                    let mut at = dst;
                    for (src, n) in parts {
                        self.push(Op::Move { dst: at, src, n })?;
                        at += n;
                    }
                    dst
                }
            }
            Expression::Splat { size, value } => {
                let src = self.value(body, value)?;
                let n = size as u32;
                if let Some(word) = self.known.get(&src).copied() {
                    self.fixed_all(&vec![word; n as usize])?
                } else {
                    let dst = self.alloc(n as usize)?;
                    self.push(Op::Fill { dst, src, n })?;
                    dst
                }
            }
            Expression::Swizzle { size, vector, pattern } => {
                let src = self.value(body, vector)?;
                let dst = self.alloc(size as usize)?;
                for (at, component) in (dst..).zip(pattern).take(size as usize) {
                    self.push(Op::Move { dst: at, src: src + component as u32, n: 1 })?;
                }
                dst
            }
            Expression::FunctionArgument(index) => {
                return match body.arguments.get(index as usize) {
                    Some(value) => Ok(value.clone()),
                    None => refuse("An argument is missing."),
                };
            }
            Expression::GlobalVariable(variable) => {
                return match self.globals.get(variable.index()).and_then(Option::as_ref) {
                    Some(value) => Ok(value.clone()),
                    None => refuse("Textures, samplers and immediates are not run here."),
                };
            }
            Expression::LocalVariable(variable) => {
                let root = Root::Own(body.locals[variable.index()]);
                return Ok(Value::Pointer(Address { root, offset: 0, terms: Vec::new() }));
            }
            Expression::AccessIndex { base, index } => return self.member(body, base, index),
            Expression::Access { base, index } => return self.element(body, base, index),
            Expression::Load { pointer } => {
                let shape = self.shape(self.inner(body, handle))?;
                let atomic = self.is_atomic(body, pointer);
                let address = self.pointer(body, pointer)?;
                self.load(address, shape, atomic)?
            }
            Expression::Unary { op, expr } => {
                let (kind, n) = (self.first_kind(body, expr)?, self.words(body, expr)?);
                let a = self.value(body, expr)?;
                let dst = self.alloc(n as usize)?;
                let op = match op {
                    UnaryOperator::Negate => Unary::Negate,
                    UnaryOperator::LogicalNot => Unary::Not,
                    UnaryOperator::BitwiseNot => Unary::Complement,
                };
                self.push(Op::Unary { op, kind, dst, a, n })?;
                dst
            }
            Expression::Binary { op, left, right } => {
                if op == BinaryOperator::Multiply && (self.matrix(body, left) || self.matrix(body, right)) {
                    return refuse("Products of matrices are not run here. Write them out.");
                }
                let kind = self.first_kind(body, left)?;
                let (na, nb) = (self.words(body, left)?, self.words(body, right)?);
                let (a, b) = (self.value(body, left)?, self.value(body, right)?);
                let n = na.max(nb);
                let dst = self.alloc(n as usize)?;
                self.push(Op::Binary { op, kind, dst, a, b, n, sa: na < n, sb: nb < n })?;
                dst
            }
            Expression::Select { condition, accept, reject } => {
                let n = self.words(body, accept)?;
                let one = self.words(body, condition)? < n;
                let [condition, accept, reject] =
                    [self.value(body, condition)?, self.value(body, accept)?, self.value(body, reject)?];
                let dst = self.alloc(n as usize)?;
                self.push(Op::Select { dst, condition, accept, reject, n, one })?;
                dst
            }
            Expression::Relational { fun, argument } => {
                let (kind, n) = (self.first_kind(body, argument)?, self.words(body, argument)?);
                let a = self.value(body, argument)?;
                match fun {
                    RelationalFunction::All | RelationalFunction::Any => {
                        let dst = self.alloc(1)?;
                        self.push(Op::Fold { all: fun == RelationalFunction::All, dst, a, n })?;
                        dst
                    }
                    RelationalFunction::IsNan | RelationalFunction::IsInf => {
                        let dst = self.alloc(n as usize)?;
                        let op = if fun == RelationalFunction::IsNan { Unary::IsNan } else { Unary::IsInf };
                        self.push(Op::Unary { op, kind, dst, a, n })?;
                        dst
                    }
                }
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => self.math(body, handle, fun, arg, [arg1, arg2, arg3])?,
            Expression::As { expr, kind, convert } => {
                if self.matrix(body, expr) {
                    return refuse("Matrices are not converted here.");
                }
                let (from, n) = (self.first_kind(body, expr)?, self.words(body, expr)?);
                let a = self.value(body, expr)?;
                match convert {
                    Some(width) => {
                        let to = kind_of(Scalar { kind, width })?;
                        let dst = self.alloc(n as usize)?;
                        self.push(Op::Cast { from, to, dst, a, n })?;
                        dst
                    }
                    None if from == Kind::F16 => return refuse("bitcast of f16 is not run here."),
                    // A register holds bits.
                    None => a,
                }
            }
            Expression::ArrayLength(array) => {
                let Address { root: Root::Buffer(buffer), offset, .. } = self.pointer(body, array)? else {
                    return refuse("This array’s length is not known here.");
                };
                let stride = match self.inner(body, array) {
                    TypeInner::Pointer { base, .. } => match self.ty(*base) {
                        TypeInner::Array { stride, .. } => *stride,
                        _ => 4,
                    },
                    _ => 4,
                };
                let dst = self.alloc(1)?;
                self.push(Op::Length { dst, buffer, from: offset, stride: stride.max(1) })?;
                dst
            }
            _ => return refuse("This expression is not run here."),
        };
        Ok(Value::Register(slot))
    }

    /// A member, by a number that is known.
    fn member(&mut self, body: &mut Body<'a>, base: Handle<Expression>, index: u32) -> Result<Value, Refusal> {
        match self.any(body, base)? {
            Value::Register(slot) => {
                let before = self.before(self.inner(body, base), index, true)?;
                Ok(Value::Register(slot + before))
            }
            Value::Pointer(mut address) => {
                let own = matches!(address.root, Root::Own(_));
                address.offset = address.offset.saturating_add(match *self.inner(body, base) {
                    TypeInner::Pointer { base, .. } => self.before(self.ty(base), index, own)?,
                    TypeInner::ValuePointer { scalar, .. } => index * if own { 1 } else { kind_of(scalar)?.bytes() },
                    _ => return refuse("This pointer is not run here."),
                });
                Ok(Value::Pointer(address))
            }
        }
    }

    /// What lies before a member: words, or bytes.
    fn before(&self, inner: &TypeInner, index: u32, words: bool) -> Result<u32, Refusal> {
        match inner {
            TypeInner::Struct { members, .. } => {
                if !words {
                    return Ok(members.get(index as usize).map_or(0, |member| member.offset));
                }
                let mut sum = 0;
                for member in members.iter().take(index as usize) {
                    sum += self.shape(self.ty(member.ty))?.len() as u32;
                }
                Ok(sum)
            }
            _ => Ok(index.saturating_mul(self.stride(inner, words)?)),
        }
    }

    /// From one element to the next: words, or bytes.
    fn stride(&self, inner: &TypeInner, words: bool) -> Result<u32, Refusal> {
        Ok(match *inner {
            TypeInner::Vector { scalar, .. } => {
                if words {
                    1
                } else {
                    kind_of(scalar)?.bytes()
                }
            }
            TypeInner::Matrix { rows, scalar, .. } => {
                if words {
                    rows as u32
                } else {
                    kind_of(scalar)?.bytes() * if rows as u32 == 2 { 2 } else { 4 }
                }
            }
            TypeInner::Array { base, stride, .. } => {
                if words {
                    self.shape(self.ty(base))?.len() as u32
                } else {
                    stride
                }
            }
            _ => return refuse("This index is not run here."),
        })
    }

    /// An element, by an index known at run time.
    fn element(
        &mut self,
        body: &mut Body<'a>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Value, Refusal> {
        let signed = self.first_kind(body, index)? == Kind::I32;
        let slot = self.value(body, index)?;
        match self.any(body, base)? {
            Value::Register(from) => {
                let inner = self.inner(body, base);
                let stride = self.stride(inner, true)?;
                let all = self.shape(inner)?.len() as u32;
                let len = Len::Fixed(all / stride.max(1));
                let dst = self.alloc(stride as usize)?;
                let term = Term { index: slot, signed, len, stride };
                self.push(Op::Extract { dst, base: from, term, n: stride })?;
                Ok(Value::Register(dst))
            }
            Value::Pointer(mut address) => {
                let own = matches!(address.root, Root::Own(_));
                let (stride, len) = match *self.inner(body, base) {
                    TypeInner::Pointer { base, .. } => {
                        let inner = self.ty(base);
                        let len = match *inner {
                            TypeInner::Vector { size, .. } => Some(size as u32),
                            TypeInner::Matrix { columns, .. } => Some(columns as u32),
                            TypeInner::Array { ref size, .. } => self.size_of(size)?,
                            _ => return refuse("This index is not run here."),
                        };
                        (self.stride(inner, own)?, len)
                    }
                    TypeInner::ValuePointer { size: Some(size), scalar, .. } => {
                        (if own { 1 } else { kind_of(scalar)?.bytes() }, Some(size as u32))
                    }
                    _ => return refuse("This pointer is not run here."),
                };
                let len = match (len, address.root) {
                    (Some(n), _) => Len::Fixed(n),
                    (None, Root::Buffer(buffer)) => Len::Rest { buffer, from: address.offset },
                    (None, _) => return refuse("This array’s length is not known here."),
                };
                address.terms.push(Term { index: slot, signed, len, stride });
                Ok(Value::Pointer(address))
            }
        }
    }

    fn math(
        &mut self,
        body: &mut Body<'a>,
        handle: Handle<Expression>,
        fun: MathFunction,
        arg: Handle<Expression>,
        more: [Option<Handle<Expression>>; 3],
    ) -> Result<Slot, Refusal> {
        use MathFunction as M;
        let (kind, n) = (self.first_kind(body, arg)?, self.words(body, arg)?);
        if self.matrix(body, arg) {
            return refuse("Functions of matrices are not run here.");
        }
        let a = self.value(body, arg)?;
        let mut args = [a; 4];
        for (slot, handle) in args.iter_mut().skip(1).zip(more) {
            let Some(handle) = handle else { continue };
            *slot = self.value(body, handle)?;
            // mix may take one weight for all.
            let given = self.words(body, handle)?;
            if given < n && !matches!(fun, M::ExtractBits | M::InsertBits) {
                let dst = self.alloc(n as usize)?;
                self.push(Op::Fill { dst, src: *slot, n })?;
                *slot = dst;
            }
        }
        let whole = match fun {
            M::Dot => Some(Whole::Dot),
            M::Length => Some(Whole::Length),
            M::Distance => Some(Whole::Distance),
            M::Normalize => Some(Whole::Normalize),
            M::Cross => Some(Whole::Cross),
            _ => None,
        };
        let results = self.words(body, handle)?;
        let dst = self.alloc(results as usize)?;
        if let Some(fun) = whole {
            self.push(Op::Whole { fun, kind, dst, a, b: args[1], n })?;
            return Ok(dst);
        }
        if !crate::math::knows(fun) || results != n {
            return refuse(format!("The function {fun:?} is not run here."));
        }
        self.push(Op::Math { fun, kind, dst, args, n })?;
        Ok(dst)
    }
}

/// The bits of a literal.
fn bits(literal: Literal) -> Result<u32, Refusal> {
    Ok(match literal {
        Literal::F32(value) => value.to_bits(),
        Literal::F16(value) => value.to_f32().to_bits(),
        Literal::U32(value) => value,
        Literal::I32(value) => value as u32,
        Literal::Bool(value) => u32::from(value),
        Literal::AbstractInt(value) => value as u32,
        Literal::AbstractFloat(value) => (value as f32).to_bits(),
        _ => return refuse("Numbers of 64 or 16 bits are not run here."),
    })
}
