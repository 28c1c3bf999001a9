//! A text with its guard, as naga has it.
//!
//! What was `main` becomes a function, and a new `main` calls it with the counters of all loops: variables of `main`, one for each
//! loop, handed down as pointers. So what the compiler knows to be the same in all invocations of a workgroup stays so, and barriers
//! in loops stay allowed; one counter for all would differ as soon as one loop's laps do.

use naga::{
    AddressSpace, Arena, BinaryOperator, Binding, Block, BuiltIn, Expression, Function, FunctionArgument,
    GlobalVariable, Handle, Literal, LocalVariable, MemoryDecorations, Module, Range, ResourceBinding, Scalar, Span,
    Statement, StorageAccess, SwizzleComponent, Type, TypeInner, VectorSize,
};

use super::Frame;
use ringside_glass::survey::{Body, Survey};

const NOWHERE: Span = Span::UNDEFINED;

/// What the guard adds to a module.
struct Added {
    /// u32, three and four of them, and a pointer to one in a function.
    one: Handle<Type>,
    counter: Handle<Type>,
    /// Whether a loop was broken off.
    flag: Handle<GlobalVariable>,
    /// Where in the grid the piece begins; and a zero that no compiler knows.
    base: Handle<GlobalVariable>,
    /// What the invocations of a workgroup know of the flag, by count of guards.
    stops: Vec<Handle<GlobalVariable>>,
    limit: u32,
    /// How often each lap is counted.
    times: usize,
}

/// The module with every loop guarded, so many times over.
pub(super) fn guarded(mut module: Module, survey: &Survey, frame: Frame, times: usize) -> Module {
    let added = Added::to(&mut module, survey, frame, times);
    for ((_, function), body) in module.functions.iter_mut().zip(&survey.functions) {
        added.rewrite(function, body, survey);
    }
    let Some(entry) = module.entry_points.first_mut() else { return module };
    let mut inner = std::mem::take(&mut entry.function);
    let arguments = inner.arguments.clone();
    inner.name = Some("kernel".to_owned());
    inner.arguments.iter_mut().for_each(|argument| argument.binding = None);
    added.rewrite(&mut inner, &survey.main, survey);
    let size = entry.workgroup_size;
    let inner = module.functions.append(inner, NOWHERE);
    let main = added.main(arguments, size, inner, survey.loops());
    if let Some(entry) = module.entry_points.first_mut() {
        entry.function = main;
    }
    module
}

impl Added {
    fn to(module: &mut Module, survey: &Survey, frame: Frame, times: usize) -> Self {
        let mut ty = |inner| module.types.insert(Type { name: None, inner }, NOWHERE);
        let one = ty(TypeInner::Scalar(Scalar::U32));
        let four = ty(TypeInner::Vector { size: VectorSize::Quad, scalar: Scalar::U32 });
        let atomic = ty(TypeInner::Atomic(Scalar::U32));
        let counter = ty(TypeInner::Pointer { base: one, space: AddressSpace::Function });
        let mut global = |name: &str, space, binding: Option<u32>, ty| {
            let variable = GlobalVariable {
                name: Some(name.to_owned()),
                space,
                binding: binding.map(|binding| ResourceBinding { group: 0, binding }),
                ty,
                init: None,
                memory_decorations: MemoryDecorations::empty(),
            };
            module.global_variables.append(variable, NOWHERE)
        };
        let both = AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE };
        let flag = global("broken_off", both, Some(frame.buffers), atomic);
        let base = global("base", AddressSpace::Uniform, Some(frame.buffers + 1), four);
        let stops = if survey.loops() == 0 { 0 } else { times };
        let stops = (0..stops).map(|_| global("stop", AddressSpace::WorkGroup, None, one)).collect();
        Self { one, counter, flag, base, stops, limit: survey.limit(), times }
    }

    /// Gives a function its counters, counts the laps of its loops, and hands the counters on to whatever it calls.
    fn rewrite(&self, function: &mut Function, body: &Body, survey: &Survey) {
        let mut pointers = Vec::new();
        for _ in 0..self.times {
            for _ in &body.loops {
                let index = function.arguments.len() as u32;
                let name = Some("laps".to_owned());
                function.arguments.push(FunctionArgument { name, ty: self.counter, binding: None });
                pointers.push(function.expressions.append(Expression::FunctionArgument(index), NOWHERE));
            }
        }
        let block = std::mem::take(&mut function.body);
        let expressions = &mut function.expressions;
        let mut writer = Writer { added: self, body, survey, expressions, pointers, seen: 0 };
        function.body = writer.block(block);
    }

    /// The new `main`.
    fn main(
        &self,
        arguments: Vec<FunctionArgument>,
        size: [u32; 3],
        inner: Handle<Function>,
        loops: usize,
    ) -> Function {
        let mut main = Function { arguments, ..Function::default() };
        let all = &mut main.expressions;
        let mut block = Block::new();
        for stop in &self.stops {
            self.stop(*stop, all, &mut block);
        }
        let base = all.append(Expression::GlobalVariable(self.base), NOWHERE);
        let loaded = emitted(all, &mut block, [Expression::Load { pointer: base }]);
        use SwizzleComponent::{W, X, Y, Z};
        let place = Expression::Swizzle { size: VectorSize::Tri, vector: loaded, pattern: [X, Y, Z, W] };
        let place = emitted(all, &mut block, [place]);
        let zero = emitted(all, &mut block, [Expression::AccessIndex { base: loaded, index: 3 }]);
        let mut passed = Vec::new();
        for (index, argument) in (0..).zip(&main.arguments) {
            let told = all.append(Expression::FunctionArgument(index), NOWHERE);
            passed.push(match &argument.binding {
                Some(Binding::BuiltIn(BuiltIn::WorkGroupId)) => emitted(all, &mut block, [sum(told, place)]),
                Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId)) => {
                    let [x, y, z] = size.map(|n| all.append(Expression::Literal(Literal::U32(n)), NOWHERE));
                    let parts = [X, Y, Z].map(|axis| Expression::AccessIndex { base: loaded, index: axis as u32 });
                    let steps = parts.into_iter().zip([x, y, z]).map(|(part, size)| {
                        let part = emitted(all, &mut block, [part]);
                        let product = Expression::Binary { op: BinaryOperator::Multiply, left: part, right: size };
                        emitted(all, &mut block, [product])
                    });
                    let components = steps.collect();
                    let offset = emitted(all, &mut block, [Expression::Compose { ty: argument.ty, components }]);
                    emitted(all, &mut block, [sum(told, offset)])
                }
                _ => told,
            });
        }
        // A compiler that knew the counters of two guards to be the same would keep one of them.
        let known = all.append(Expression::Literal(Literal::U32(0)), NOWHERE);
        for number in 0..self.times * loops {
            let value = if number < loops { known } else { zero };
            let variable = LocalVariable { name: Some("laps".to_owned()), ty: self.one, init: None };
            let variable = main.local_variables.append(variable, NOWHERE);
            let pointer = all.append(Expression::LocalVariable(variable), NOWHERE);
            block.push(Statement::Store { pointer, value }, NOWHERE);
            passed.push(pointer);
        }
        block.push(Statement::Call { function: inner, arguments: passed, result: None }, NOWHERE);
        main.body = block;
        main
    }

    /// Ends the workgroup if a loop was broken off before.
    fn stop(&self, stop: Handle<GlobalVariable>, all: &mut Arena<Expression>, block: &mut Block) {
        let flag = all.append(Expression::GlobalVariable(self.flag), NOWHERE);
        let pointer = all.append(Expression::GlobalVariable(stop), NOWHERE);
        let zero = all.append(Expression::Literal(Literal::U32(0)), NOWHERE);
        let value = emitted(all, block, [Expression::Load { pointer: flag }]);
        block.push(Statement::Store { pointer, value }, NOWHERE);
        let result = all.append(Expression::WorkGroupUniformLoadResult { ty: self.one }, NOWHERE);
        block.push(Statement::WorkGroupUniformLoad { pointer, result }, NOWHERE);
        let condition = Expression::Binary { op: BinaryOperator::NotEqual, left: result, right: zero };
        let condition = emitted(all, block, [condition]);
        let accept = Block::from_vec(vec![Statement::Return { value: None }]);
        block.push(Statement::If { condition, accept, reject: Block::new() }, NOWHERE);
    }
}

fn sum(left: Handle<Expression>, right: Handle<Expression>) -> Expression {
    Expression::Binary { op: BinaryOperator::Add, left, right }
}

/// Adds expressions that are evaluated here. The last of them.
fn emitted<const N: usize>(
    all: &mut Arena<Expression>,
    block: &mut Block,
    expressions: [Expression; N],
) -> Handle<Expression> {
    let handles = expressions.map(|expression| all.append(expression, NOWHERE));
    let (first, last) = (handles[0], handles[N - 1]);
    block.push(Statement::Emit(Range::new_from_bounds(first, last)), NOWHERE);
    last
}

/// Writes the body of a function anew.
struct Writer<'a> {
    added: &'a Added,
    body: &'a Body,
    survey: &'a Survey,
    expressions: &'a mut Arena<Expression>,
    /// The counters that it was given: of each guard, those of all loops.
    pointers: Vec<Handle<Expression>>,
    /// Own loops that it has come by.
    seen: usize,
}

impl Writer<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Block::with_capacity(block.len());
        for (statement, span) in block.span_into_iter() {
            let statement = match statement {
                Statement::Block(inner) => Statement::Block(self.block(inner)),
                Statement::If { condition, accept, reject } => {
                    Statement::If { condition, accept: self.block(accept), reject: self.block(reject) }
                }
                Statement::Switch { selector, mut cases } => {
                    for case in &mut cases {
                        case.body = self.block(std::mem::take(&mut case.body));
                    }
                    Statement::Switch { selector, cases }
                }
                Statement::Loop { body, continuing, break_if } => {
                    let mut counted = self.count();
                    counted.extend_block(self.block(body));
                    Statement::Loop { body: counted, continuing: self.block(continuing), break_if }
                }
                Statement::Call { function, mut arguments, result } => {
                    let called = self.survey.functions.get(function.index());
                    for guard in 0..self.added.times {
                        let loops = called.iter().flat_map(|called| &called.loops);
                        arguments.extend(loops.filter_map(|number| self.pointer(guard, *number)));
                    }
                    Statement::Call { function, arguments, result }
                }
                other => other,
            };
            out.push(statement, span);
        }
        out
    }

    /// The counter of a loop.
    fn pointer(&self, guard: usize, number: usize) -> Option<Handle<Expression>> {
        let place = self.body.loops.binary_search(&number).ok()?;
        self.pointers.get(guard * self.body.loops.len() + place).copied()
    }

    /// What a lap of the next loop begins with.
    fn count(&mut self) -> Block {
        let number = self.body.first + self.seen;
        let weight = self.body.weights.get(self.seen).copied().unwrap_or(1);
        self.seen += 1;
        let mut block = Block::new();
        for guard in 0..self.added.times {
            let Some(pointer) = self.pointer(guard, number) else { continue };
            let all = &mut *self.expressions;
            let [weight, limit, one] =
                [weight, self.added.limit, 1].map(|n| all.append(Expression::Literal(Literal::U32(n)), NOWHERE));
            let flag = all.append(Expression::GlobalVariable(self.added.flag), NOWHERE);
            let laps = emitted(all, &mut block, [Expression::Load { pointer }]);
            let value = emitted(all, &mut block, [sum(laps, weight)]);
            block.push(Statement::Store { pointer, value }, NOWHERE);
            let over = Expression::Binary { op: BinaryOperator::Greater, left: value, right: limit };
            let condition = emitted(all, &mut block, [over]);
            let accept = Block::from_vec(vec![Statement::Store { pointer: flag, value: one }, Statement::Break]);
            block.push(Statement::If { condition, accept, reject: Block::new() }, NOWHERE);
        }
        block
    }
}
