//! What a text would take at most, counted before it runs; and what of it is refused.

use naga::{AddressSpace, Block, EntryPoint, Expression, Function, Handle, Module, ShaderStage, Span, Statement, Type};
use ringside_core::kernels::config::WORKGROUP_MEMORY;
use ringside_core::kernels::workbench::LAPS;
use ringside_core::quantity::grouped;

use crate::source::Frame;

/// Operations of a run without its loops, every call written out, which a compiler does. The longest solution has about 150.
const MAX_STEPS: u64 = 1 << 13;
/// Loops. The solution with the most has 5.
const MAX_LOOPS: usize = 16;
/// Loops that may each take the most laps; of more, each may take fewer.
const FULL_LOOPS: usize = 8;
/// Operations in a lap; one with more counts for several.
const LAP_STEPS: u64 = 256;
/// WGSL's limit of variables of an invocation, in bytes.
const OWN_MEMORY: u64 = 8192;
/// Invocations of a workgroup by WebGPU's default limits.
pub(crate) const INVOCATIONS: u64 = 256;

/// Why a text is not run, and what of it is to blame.
type Refusal = (String, Span);

/// What is known of a function.
#[derive(Debug, Default)]
pub struct Body {
    /// Operations, loops taken once, calls written out.
    steps: u64,
    /// How many laps one lap of each of its own loops counts for, in the order of the text.
    pub weights: Vec<u32>,
    /// The number of its first loop.
    pub first: usize,
    /// The numbers of all loops in it and in what it calls.
    pub loops: Vec<usize>,
}

/// What is known of a text.
#[derive(Debug)]
pub struct Survey {
    /// Its functions, in their order: whoever is called comes first.
    pub functions: Vec<Body>,
    /// Its `main`.
    pub main: Body,
}

impl Survey {
    /// Looks a text over, which is valid.
    pub fn of(module: &Module, frame: Frame) -> Result<Self, Refusal> {
        let main = entry(module, frame)?;
        bindings(module, frame)?;
        memory(module, WORKGROUP_MEMORY, "WebGPU promises")?;
        let mut functions: Vec<Body> = Vec::new();
        let mut next = 0;
        for (_, function) in module.functions.iter() {
            let body = body(&function.body, &functions, next);
            next += body.weights.len();
            functions.push(body);
        }
        let main = body(&main.function.body, &functions, next);
        let survey = Self { functions, main };
        let start = Span::UNDEFINED;
        if survey.main.steps > MAX_STEPS {
            let (steps, most) = (grouped(survey.main.steps), grouped(MAX_STEPS));
            let why =
                format!("With every call written out, the kernel has {steps} operations. At most {most} are run.");
            return Err((why, start));
        }
        if survey.loops() > MAX_LOOPS {
            let loops = grouped(survey.loops() as u64);
            return Err((format!("The kernel has {loops} loops. At most {MAX_LOOPS} are run."), start));
        }
        Ok(survey)
    }

    /// Loops that may run.
    pub fn loops(&self) -> usize {
        self.main.loops.len()
    }

    /// Laps that each may take.
    pub fn limit(&self) -> u32 {
        let loops = self.loops().max(FULL_LOOPS);
        LAPS * FULL_LOOPS as u32 / loops as u32
    }
}

/// The only entry point, as the frame has it.
fn entry(module: &Module, frame: Frame) -> Result<&EntryPoint, Refusal> {
    let entry = match module.entry_points.as_slice() {
        [entry] if entry.name == "main" && entry.stage == ShaderStage::Compute => entry,
        all => {
            let others: Vec<&str> = all.iter().map(|e| e.name.as_str()).filter(|name| *name != "main").collect();
            let why = format!("Only main is run. {} must be a plain function.", others.join(", "));
            return Err((why, Span::UNDEFINED));
        }
    };
    if entry.workgroup_size != frame.workgroup {
        let [x, y, z] = entry.workgroup_size;
        let all = [x, y, z].iter().fold(1, |all: u64, n| all.saturating_mul(u64::from(*n)));
        let [fx, fy, fz] = frame.workgroup;
        let why = if all > INVOCATIONS {
            let all = grouped(all);
            format!("A workgroup of {x} × {y} × {z} has {all} invocations. WebGPU promises {INVOCATIONS}.")
        } else {
            format!("The workgroup is {x} × {y} × {z}. This kernel is started with {fx} × {fy} × {fz}.")
        };
        return Err((why, Span::UNDEFINED));
    }
    if let Some((_, constant)) = module.overrides.iter().next() {
        let name = constant.name.as_deref().unwrap_or_default();
        return Err((format!("{name} is an override, and nobody sets one here. Write const."), Span::UNDEFINED));
    }
    Ok(entry)
}

/// What is bound is what the frame binds, each once.
fn bindings(module: &Module, frame: Frame) -> Result<(), Refusal> {
    let mut bound = Vec::new();
    for (handle, variable) in module.global_variables.iter() {
        let Some(binding) = variable.binding else { continue };
        let name = variable.name.as_deref().unwrap_or_default();
        let place = format!("@group({}) @binding({})", binding.group, binding.binding);
        let span = module.global_variables.get_span(handle);
        if binding.group != 0 || binding.binding >= frame.buffers {
            return Err((format!("Nothing is bound at {place}, where {name} should be."), span));
        }
        if bound.contains(&binding.binding) {
            return Err((format!("{name} is a second name for what is bound at {place}. Use the first."), span));
        }
        bound.push(binding.binding);
    }
    Ok(())
}

/// Variables, and values of all types, are no larger than they may be. The workgroup’s may take so many bytes, for a reason in words; how
/// many they take.
pub(crate) fn memory(module: &Module, most: u64, why: &str) -> Result<u64, Refusal> {
    let size = |ty: Handle<Type>| {
        let inner = module.types.get_handle(ty).map(|ty| ty.inner.size(module.to_ctx()));
        inner.map_or(0, u64::from)
    };
    let (mut shared, mut own) = (0, 0);
    let mut last = Span::UNDEFINED;
    for (handle, variable) in module.global_variables.iter() {
        match variable.space {
            AddressSpace::WorkGroup => shared += size(variable.ty),
            AddressSpace::Private => own += size(variable.ty),
            _ => continue,
        }
        last = module.global_variables.get_span(handle);
        if shared > most {
            let (shared, most) = (grouped(shared), grouped(most));
            let why = format!("The workgroup’s variables take {shared} bytes. {why} {most}.");
            return Err((why, last));
        }
    }
    let mains = module.entry_points.iter().map(|entry| &entry.function);
    for function in module.functions.iter().map(|(_, function)| function).chain(mains) {
        for (handle, variable) in function.local_variables.iter() {
            own += size(variable.ty);
            last = function.local_variables.get_span(handle);
        }
        if let Some(span) = large_value(module, function, &size) {
            let most = grouped(OWN_MEMORY);
            let why = format!("An array of more than {most} bytes is copied here. Read one element of it at a time.");
            return Err((why, span));
        }
    }
    if own > OWN_MEMORY {
        let (own, most) = (grouped(own), grouped(OWN_MEMORY));
        let why = format!("The variables of an invocation take {own} bytes. WGSL promises {most}.");
        return Err((why, last));
    }
    Ok(shared)
}

/// A value that is made, and too large to be.
fn large_value(module: &Module, function: &Function, size: &impl Fn(Handle<Type>) -> u64) -> Option<Span> {
    let large = |ty: Handle<Type>| size(ty) > OWN_MEMORY;
    let found = function.expressions.iter().find(|(_, expression)| match **expression {
        Expression::ZeroValue(ty) | Expression::Compose { ty, .. } => large(ty),
        Expression::Constant(constant) => module.constants.try_get(constant).is_ok_and(|c| large(c.ty)),
        Expression::CallResult(called) => {
            module.functions.try_get(called).is_ok_and(|f| f.result.as_ref().is_some_and(|r| large(r.ty)))
        }
        Expression::FunctionArgument(index) => function.arguments.get(index as usize).is_some_and(|a| large(a.ty)),
        Expression::Load { pointer } => match function.expressions.try_get(pointer) {
            Ok(Expression::GlobalVariable(global)) => {
                module.global_variables.try_get(*global).is_ok_and(|variable| large(variable.ty))
            }
            _ => false,
        },
        _ => false,
    });
    found.map(|(handle, _)| function.expressions.get_span(handle))
}

fn body(block: &Block, functions: &[Body], first: usize) -> Body {
    let mut body = Body { steps: steps(block, functions), first, ..Body::default() };
    look(block, functions, &mut body);
    body.loops.extend(first..first + body.weights.len());
    body.loops.sort_unstable();
    body.loops.dedup();
    body
}

/// Takes note of the loops of a block, and of those of the functions that it calls.
fn look(block: &Block, functions: &[Body], body: &mut Body) {
    for statement in block.iter() {
        match statement {
            Statement::Block(inner) => look(inner, functions, body),
            Statement::If { accept, reject, .. } => {
                look(accept, functions, body);
                look(reject, functions, body);
            }
            Statement::Switch { cases, .. } => cases.iter().for_each(|case| look(&case.body, functions, body)),
            Statement::Loop { body: inner, continuing, .. } => {
                let lap = steps(inner, functions).saturating_add(steps(continuing, functions));
                body.weights.push(u32::try_from(lap.div_ceil(LAP_STEPS).max(1)).unwrap_or(u32::MAX));
                look(inner, functions, body);
                look(continuing, functions, body);
            }
            Statement::Call { function, .. } => {
                body.loops.extend(functions.get(function.index()).iter().flat_map(|called| &called.loops));
            }
            _ => {}
        }
    }
}

fn steps(block: &Block, functions: &[Body]) -> u64 {
    let of = |statement: &Statement| match statement {
        Statement::Emit(range) => range.clone().count() as u64,
        Statement::Block(inner) => steps(inner, functions),
        Statement::If { accept, reject, .. } => steps(accept, functions).saturating_add(steps(reject, functions)),
        Statement::Switch { cases, .. } => {
            cases.iter().fold(0, |sum, case| steps(&case.body, functions).saturating_add(sum))
        }
        Statement::Loop { body, continuing, .. } => steps(body, functions).saturating_add(steps(continuing, functions)),
        Statement::Call { function, .. } => functions.get(function.index()).map_or(0, |called| called.steps),
        _ => 0,
    };
    block.iter().fold(0, |sum, statement| sum.saturating_add(1).saturating_add(of(statement)))
}
