//! Runs the ranks in turn, each until it waits.

use std::borrow::Cow;
use std::collections::BTreeMap;

use monty::{FunctionCall, MontyRun, RunProgress};
use monty_types::{
    CompileOptions, ExcType, ExtFunctionResult, MontyException, MontyObject, NameLookupResult, OsFunctionCall,
    PrintWriter, PrintWriterCallback, ResourceLimits, ResourceTracker,
};
use ringside_core::program::{At, Diagnosis, Limits, State, Verdict};
use ringside_core::quantity::{bytes_binary, grouped};

use crate::host::{self, Reply};
use crate::names;
use crate::rewrite::Source;
use crate::say;
use crate::world::{Block, Fault, Op, World};

/// Bytecode steps between two calls of `poll_flush`.
const STEPS: u64 = 256;

/// How the ranks ended.
#[derive(Debug)]
pub(crate) struct End {
    pub states: Vec<State>,
    /// What ended the run, if it was no natural end.
    pub fault: Option<Diagnosis>,
}

/// Why an output refused to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Steps,
    Output,
}

/// What a rank prints, and how many steps it takes.
#[derive(Debug)]
struct Output {
    text: String,
    printed: usize,
    steps: u64,
    limits: Limits,
    stop: Option<Stop>,
}

impl Output {
    fn more(&mut self, bytes: usize) -> Result<(), MontyException> {
        self.printed += bytes;
        if self.printed > self.limits.output {
            self.stop = Some(Stop::Output);
            return Err(MontyException::new(ExcType::MemoryError, None));
        }
        Ok(())
    }

    /// The lines that are complete, or all of it.
    fn lines(&mut self, all: bool) -> Vec<String> {
        let end = if all { self.text.len() } else { self.text.rfind('\n').map_or(0, |at| at + 1) };
        let lines = self.text.get(..end).unwrap_or_default().lines().map(ToOwned::to_owned).collect();
        self.text.drain(..end);
        lines
    }
}

impl PrintWriterCallback for Output {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.more(output.len())?;
        self.text += &output;
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.more(1)?;
        self.text.push(end);
        Ok(())
    }

    fn poll_flush(&mut self) -> Result<(), MontyException> {
        self.steps += STEPS;
        if self.steps > self.limits.steps {
            self.stop = Some(Stop::Steps);
            return Err(MontyException::new(ExcType::TimeoutError, None));
        }
        Ok(())
    }
}

pub(crate) enum Status {
    /// It can go on from here.
    Ready(Box<RunProgress>),
    Blocked(Box<FunctionCall>, Block),
    Finished,
    Died(u32),
}

pub(crate) struct Runner {
    pub status: Status,
    output: Output,
}

impl Runner {
    /// Where a rank is.
    pub fn state(&self, world: &World<'_>, rank: usize) -> State {
        match &self.status {
            Status::Finished => State::Finished,
            Status::Died(line) => State::Died { line: *line },
            Status::Blocked(_, block) => {
                State::Waits { line: block.line, on: world.waits_on(rank, block), call: block.call.clone() }
            }
            Status::Ready(_) => State::Stopped { line: world.seats.get(rank).map_or(0, |s| s.line) },
        }
    }
}

/// The program as the interpreter runs it.
///
/// # Errors
/// If it is no Python that the interpreter knows.
pub(crate) fn compiled(source: &Source) -> Result<MontyRun, Diagnosis> {
    MontyRun::new(source.text.clone(), "program.py", Vec::new(), CompileOptions::default())
        .map_err(|error| say::syntax(line_of(&error, source), error.message().unwrap_or_default()))
}

/// Begins a rank, and runs it until it waits or ends.
pub(crate) fn begin(
    world: &mut World<'_>,
    rank: usize,
    program: &MontyRun,
    source: &Source,
) -> Result<Runner, Stopped> {
    let limits = world.job.limits;
    let mut output = Output { text: String::new(), printed: 0, steps: 0, limits, stop: None };
    let tracker = ResourceTracker::new(ResourceLimits {
        max_memory: usize::try_from(limits.heap).ok(),
        max_recursion_depth: limits.depth,
        max_suspensions: usize::MAX,
        ..ResourceLimits::default()
    });
    world.goes_on(rank);
    let result = program.clone().start(Vec::new(), tracker, PrintWriter::Callback(&mut output));
    let mut runner = Runner { status: Status::Finished, output };
    took(world, rank, &mut runner, source, result)?;
    Ok(runner)
}

/// Lets a rank go on whose call may, or has to: it is over, or raises an error.
pub(crate) fn wake(
    world: &mut World<'_>,
    rank: usize,
    runner: &mut Runner,
    source: &Source,
    ends: Result<(), String>,
) -> Result<(), Stopped> {
    let Status::Blocked(call, block) = std::mem::replace(&mut runner.status, Status::Finished) else { return Ok(()) };
    let answer: ExtFunctionResult = match ends {
        Ok(()) => {
            waited(world, rank, &block);
            MontyObject::None.into()
        }
        Err(why) => MontyException::new(ExcType::RuntimeError, Some(format!("{}: {why}", block.call))).into(),
    };
    world.goes_on(rank);
    let result = call.resume(answer, PrintWriter::Callback(&mut runner.output));
    took(world, rank, runner, source, result)
}

/// The innermost line of the program, not of the prelude, that an error is from.
fn line_of(error: &MontyException, source: &Source) -> u32 {
    let mut lines = error.traceback().iter().map(|frame| frame.start.line);
    lines.rfind(|line| *line > source.offset).map_or(0, |line| line - source.offset)
}

fn failed(
    rank: usize,
    error: &MontyException,
    source: &Source,
    output: &Output,
    limits: &Limits,
) -> (State, Diagnosis) {
    let line = line_of(error, source);
    let place = if line > 0 { format!(" at line {line}") } else { String::new() };
    let text = names::tidy(&match error.message() {
        Some(message) if message.starts_with("unsupported operand type(s) for %: 'str'") => {
            format!("{}: strings have no % here; use an f-string", error.exc_type())
        }
        Some(message) if !message.is_empty() => format!("{}: {message}", error.exc_type()),
        _ => error.exc_type().to_string(),
    });
    let (verdict, sentence) = match (output.stop, error.exc_type()) {
        (Some(Stop::Steps), _) => (
            Verdict::Limit,
            format!(
                "Rank {rank} was stopped{place} after {} steps. Check whether its loops end.",
                grouped(limits.steps)
            ),
        ),
        (Some(Stop::Output), _) => (
            Verdict::Limit,
            format!(
                "Rank {rank} prints more than {}; it was stopped{place}. Print less.",
                bytes_binary(limits.output as f64)
            ),
        ),
        (None, ExcType::RecursionError) => (
            Verdict::Limit,
            format!(
                "Rank {rank} calls functions more than {} deep{place}. Check whether a function there calls itself forever.",
                limits.depth
            ),
        ),
        (None, ExcType::MemoryError) if !text.contains("doesn't fit") => (
            Verdict::Limit,
            format!(
                "Rank {rank} needs more than {} for lists and strings{place}. Keep large data in tensors.",
                bytes_binary(limits.heap as f64)
            ),
        ),
        (None, ExcType::ModuleNotFoundError) => (
            Verdict::Error,
            format!(
                "Rank {rank} stopped{place}: {text} here. Programs can import torch, torch.distributed, ringside and a few of Python's \
                 own modules, such as math and itertools."
            ),
        ),
        _ => (Verdict::Error, format!("Rank {rank} stopped{place}: {}", say::stopped(&text))),
    };
    // What the allocator had counted differs from run to run.
    let error = if verdict == Verdict::Limit { error.exc_type().to_string() } else { text };
    (State::Failed { line, error }, Diagnosis { verdict, sentence, at: vec![At { rank, line }] })
}

/// Runs a program as all ranks of a world.
pub(crate) fn run(world: &mut World<'_>, source: &Source) -> End {
    let n = world.seats.len();
    let mut runners: Vec<Runner> = Vec::new();
    let states = |runners: &[Runner], world: &World<'_>, failed: Option<(usize, State)>| -> Vec<State> {
        (0..n)
            .map(|rank| {
                if let Some((_, state)) = failed.as_ref().filter(|(r, _)| *r == rank) {
                    return state.clone();
                }
                let line = world.seats.get(rank).map_or(0, |s| s.line);
                runners.get(rank).map_or(State::Stopped { line }, |runner| runner.state(world, rank))
            })
            .collect()
    };
    let program = match compiled(source) {
        Ok(program) => program,
        Err(told) => return End { states: states(&runners, world, None), fault: Some(told) },
    };
    for rank in 0..n {
        match begin(world, rank, &program, source) {
            Ok(runner) => runners.push(runner),
            Err((state, told)) => {
                return End { states: states(&runners, world, Some((rank, state))), fault: Some(told) };
            }
        }
    }
    loop {
        let mut moved = false;
        for rank in 0..n {
            let Some(runner) = runners.get_mut(rank) else { continue };
            let wakes = matches!(&runner.status, Status::Blocked(_, block) if world.ready(rank, block));
            if !wakes {
                continue;
            }
            moved = true;
            if let Err((state, told)) = wake(world, rank, runner, source, Ok(())) {
                return End { states: states(&runners, world, Some((rank, state))), fault: Some(told) };
            }
        }
        if moved {
            continue;
        }
        // Nobody can go on. Who waits for a dead rank hears of it.
        let bereaved = (0..n).find_map(|rank| match runners.get(rank).map(|r| &r.status) {
            Some(Status::Blocked(_, block)) => world.bereaved(rank, block).map(|dead| (rank, dead)),
            _ => None,
        });
        let Some((rank, dead)) = bereaved else { break };
        let Some(runner) = runners.get_mut(rank) else { break };
        if let Err((state, told)) = wake(world, rank, runner, source, Err(format!("rank {dead} is gone"))) {
            return End { states: states(&runners, world, Some((rank, state))), fault: Some(told) };
        }
    }
    let blocked: BTreeMap<usize, Block> = runners
        .iter()
        .enumerate()
        .filter_map(|(rank, r)| match &r.status {
            Status::Blocked(_, block) => Some((rank, block.clone())),
            _ => None,
        })
        .collect();
    for rank in blocked.keys() {
        if let Some(block) = blocked.get(rank) {
            waited(world, *rank, block);
        }
    }
    let fault = if blocked.is_empty() { world.left_over() } else { Some(say::deadlock(world, &blocked)) };
    End { states: states(&runners, world, None), fault }
}

/// Notes in a rank's log that it waits.
fn waited(world: &mut World<'_>, rank: usize, block: &Block) {
    use ringside_core::program::EventKind;
    let first = block.transfers.first().and_then(|t| world.transfers.get(*t));
    let bytes = first.map_or(0, |t| t.bytes);
    let peer = first.and_then(|t| match t.what {
        crate::world::What::Message { from, to, .. } => Some(if from == rank { to } else { from }),
        crate::world::What::Collective { .. } => None,
    });
    let word = block.call.split(' ').next().unwrap_or_default();
    let kind = match word {
        "send" => EventKind::Send,
        "recv" => EventKind::Recv,
        "wait" => EventKind::Wait,
        _ => EventKind::Collective,
    };
    let op =
        Op::Wait { transfers: block.transfers.clone(), line: block.line, label: word.to_owned(), kind, peer, bytes };
    if let Some(seat) = world.seats.get_mut(rank) {
        seat.log.push(op);
    }
}

fn flush(world: &mut World<'_>, rank: usize, output: &mut Output, all: bool) {
    if output.text.is_empty() {
        return;
    }
    if let Some(seat) = world.seats.get_mut(rank) {
        seat.log.extend(output.lines(all).into_iter().map(Op::Print));
    }
}

pub(crate) type Stopped = (State, Diagnosis);

fn took(
    world: &mut World<'_>,
    rank: usize,
    runner: &mut Runner,
    source: &Source,
    result: Result<RunProgress, MontyException>,
) -> Result<(), Stopped> {
    match result {
        Ok(progress) => {
            runner.status = Status::Ready(Box::new(progress));
            advance(world, rank, runner, source)
        }
        Err(error) => {
            flush(world, rank, &mut runner.output, true);
            let (state, told) = failed(rank, &error, source, &runner.output, &world.job.limits);
            Err((state, told))
        }
    }
}

/// What a name that the program does not bind is.
fn lookup(name: &str, source: &Source) -> NameLookupResult {
    let function =
        |name: &str| NameLookupResult::Value(MontyObject::Function { name: name.to_owned(), docstring: None });
    if let Some((space, member, _)) = names::read_host(name) {
        if let Some(value) = host::constant(space, member) {
            return NameLookupResult::Value(value);
        }
        if host::knows(space, member) {
            return function(name);
        }
        let module = match space {
            "dist" => "torch.distributed",
            "op" => "ReduceOp",
            "cuda" => "torch.cuda",
            other => other,
        };
        return NameLookupResult::Error(MontyException::new(
            ExcType::AttributeError,
            Some(host::absent(module, member)),
        ));
    }
    if let Some((space, member)) = source.members.get(name) {
        // Bound somewhere else in the program as well, so its line is not known.
        return function(&names::host(space, member, 0));
    }
    match name.strip_prefix("_rs_") {
        Some(member) if host::knows("", member) => function(name),
        _ if names::of("ringside").contains(&name) => NameLookupResult::Error(MontyException::new(
            ExcType::NameError,
            Some(format!("name '{name}' is not defined; add “from ringside import {name}”")),
        )),
        _ => NameLookupResult::Undefined,
    }
}

/// Runs a rank until it waits or ends.
fn advance(world: &mut World<'_>, rank: usize, runner: &mut Runner, source: &Source) -> Result<(), Stopped> {
    let limits = world.job.limits;
    loop {
        let Status::Ready(progress) = std::mem::replace(&mut runner.status, Status::Finished) else { return Ok(()) };
        flush(world, rank, &mut runner.output, false);
        let writer = PrintWriter::Callback(&mut runner.output);
        let calls = world.seats.get_mut(rank).map_or(0, |seat| {
            seat.calls += 1;
            seat.calls
        });
        if world.wire.as_ref().is_some_and(|wire| wire.breaks == Some(calls)) {
            runner.status = Status::Died(world.seats.get(rank).map_or(0, |s| s.line));
            return Ok(());
        }
        if calls > limits.calls {
            let line = world.seats.get(rank).map_or(0, |s| s.line);
            let sentence = format!(
                "Rank {rank} was stopped at line {line} after {} calls into tensors and communication. Check whether a loop there \
                 ever ends.",
                grouped(limits.calls)
            );
            let told = Diagnosis { verdict: Verdict::Limit, sentence, at: vec![At { rank, line }] };
            return Err((State::Failed { line, error: "too many calls".to_owned() }, told));
        }
        let result = match *progress {
            RunProgress::Complete(_) => {
                world.took(rank);
                flush(world, rank, &mut runner.output, true);
                runner.status = Status::Finished;
                return Ok(());
            }
            RunProgress::NameLookup(name) => {
                let answer =
                    if name.object_id().is_some() { NameLookupResult::Undefined } else { lookup(&name.name, source) };
                name.resume(answer, writer)
            }
            RunProgress::OsCall(call) => {
                let text = match &call.function_call {
                    OsFunctionCall::Getenv(_) | OsFunctionCall::GetEnviron => {
                        "there are no environment variables here; use rank() and world_size()"
                    }
                    _ => "there are no files or clock here; use torch.save, torch.load and exists",
                };
                let error = MontyException::new(ExcType::OSError, Some(text.to_owned()));
                call.resume(error, writer)
            }
            RunProgress::ResolveFutures(futures) => futures.abort(
                MontyException::new(ExcType::RuntimeError, Some("await has nothing to wait for".to_owned())),
                writer,
            ),
            RunProgress::FunctionCall(call) => {
                let first = world.seats.get(rank).map_or(0, |s| s.next);
                let answer = world.call(rank, &call.function_name, call.object_id.as_ref(), &call.args, &call.kwargs);
                remember(world, rank, &call, first);
                match answer {
                    Ok(Reply::Value(value)) => call.resume(value, writer),
                    Ok(Reply::Wait(block)) if world.ready(rank, &block) => {
                        world.took(rank);
                        waited(world, rank, &block);
                        call.resume(MontyObject::None, writer)
                    }
                    Ok(Reply::Wait(block)) => {
                        world.took(rank);
                        runner.status = Status::Blocked(Box::new(call), block);
                        return Ok(());
                    }
                    Err(Fault::Raise(kind, message)) => {
                        call.resume(ExtFunctionResult::Error(MontyException::new(kind, Some(message))), writer)
                    }
                    Err(Fault::Stop(told)) => {
                        let line = world.seats.get(rank).map_or(0, |s| s.line);
                        return Err((State::Refused { line, call: names::called(&call.function_name) }, told));
                    }
                    Err(Fault::Die) => {
                        if let Some(seat) = world.seats.get_mut(rank) {
                            seat.dead = true;
                            runner.status = Status::Died(seat.line);
                        }
                        return Ok(());
                    }
                }
            }
        };
        match result {
            Ok(progress) => runner.status = Status::Ready(Box::new(progress)),
            Err(error) => {
                flush(world, rank, &mut runner.output, true);
                let (state, told) = failed(rank, &error, source, &runner.output, &limits);
                return Err((state, told));
            }
        }
    }
}

/// New tensors after which a rank's memory is counted exactly.
const STALE: usize = 16;

/// Counts a rank's memory after a call. What the program dropped is looked for only where it could matter: at a new peak, and from
/// time to time. `first` is the first number that this call could have given.
fn remember(world: &mut World<'_>, rank: usize, call: &FunctionCall, first: u64) {
    let mut bytes = world.held(rank);
    let total: u64 = bytes.iter().sum();
    let Some(seat) = world.seats.get(rank) else { return };
    let line = seat.line;
    let message = call.function_name.contains("_dist_");
    if seat.stale > 0 && (total > seat.peak || seat.stale > STALE || message) {
        let snapshot = postcard::to_stdvec(call).unwrap_or_default();
        world.sweep(rank, &snapshot, first);
        bytes = world.held(rank);
    }
    world.note(rank, line, bytes);
}
