//! What a learner wrote for a puzzle: compiled, run at sizes on both sides of every edge and at those where it is timed, compared
//! with the puzzle's twin, and timed if all is right.
//!
//! All of its runs are guarded, those that are timed too. What the guard takes is measured apart: the same text is timed with its
//! laps counted twice, except on a GPU made of software, whose times mean little. The timed runs take two sets of inputs in turn,
//! so that no run finds its own answer in the output, and what the last one leaves is checked again.

use ringside_core::kernels::job::{Note, Timing, Tried, Trouble, Verdict};
use ringside_core::kernels::timing::Summary;
use ringside_glass::source::line_and_column;
use ringside_shaders::puzzles::{Case, Puzzle};
use wgpu::{
    CompilationMessage, CompilationMessageType, ErrorFilter, ShaderModule, ShaderModuleDescriptor, ShaderSource,
};

use super::Progress;
use super::adapter::{Gpu, Memory};
use super::platform;
use super::program::{Bound, Program};
use crate::guard::{Frame, Refused, guard};

/// Tries `body` at sizes that `seed` draws.
///
/// # Errors
/// Whatever keeps it from being tried. A compiler that does not take it is a verdict, and no error.
pub async fn try_puzzle(
    gpu: &Gpu,
    puzzle: &Puzzle,
    body: &str,
    seed: u32,
    progress: Progress<'_>,
) -> Result<Tried, Trouble> {
    let verdict = verdict(gpu, puzzle, body, seed, progress).await?;
    Ok(Tried { device: gpu.name.clone(), software: gpu.software, verdict })
}

async fn verdict(
    gpu: &Gpu,
    puzzle: &Puzzle,
    body: &str,
    seed: u32,
    progress: Progress<'_>,
) -> Result<Verdict, Trouble> {
    if puzzle.subgroups() && !gpu.subgroups {
        return Err(Trouble::NoSubgroups);
    }
    progress("compiling", 0.0);
    let program = match program(gpu, puzzle, &puzzle.whole(body)).await? {
        Ok(program) => program,
        Err(notes) => return Ok(Verdict::Refused(notes)),
    };
    let cases = puzzle.cases(seed);
    for (i, case) in cases.iter().enumerate() {
        let from = 0.5 * i as f64 / (cases.len() + 1) as f64;
        let progress = |done: f64| progress("running", from + 0.5 * done / (cases.len() + 1) as f64);
        let act = async {
            let memory = Memory::new(gpu);
            let bound = Bound::new(gpu, &memory, &program, puzzle, &[case]);
            checked(&program, puzzle, &bound, case, 0, &progress).await
        };
        if let Err(wrong) = gpu.scoped(Bound::bytes(puzzle, case), act).await? {
            return Ok(wrong);
        }
    }
    // Two of the same sizes. Their seeds are those of no case.
    let timed = [1, 2].map(|n| puzzle.timed(seed.wrapping_sub(n)));
    let bytes = timed.iter().map(|case| Bound::bytes(puzzle, case)).sum();
    match gpu.scoped(bytes, race(gpu, puzzle, &program, &timed, progress)).await {
        Ok(Ok((seconds, guard))) => Ok(Verdict::Right(Timing { cases: cases.len() + 1, seconds, guard })),
        Ok(Err(wrong)) => Ok(wrong),
        // What is right stays so where there is no memory to time it.
        Err(Trouble::OutOfMemory(_)) => Ok(Verdict::Right(Timing { cases: cases.len(), seconds: 0.0, guard: 0.0 })),
        Err(trouble) => Err(trouble),
    }
}

/// A text, guarded and compiled; or what is wrong with it.
async fn program(gpu: &Gpu, puzzle: &Puzzle, code: &str) -> Result<Result<Program, Vec<Note>>, Trouble> {
    let guarded = match guard(code, Frame::of(puzzle)) {
        Err(Refused::TooMuch(note)) => return Ok(Err(vec![note])),
        other => other,
    };
    // The browser's own words come first.
    let (_, notes) = compile(gpu, code).await;
    if notes.iter().any(|note| note.error) {
        return Ok(Err(notes));
    }
    let guarded = match guarded {
        Ok(guarded) => guarded,
        Err(Refused::Invalid(note) | Refused::TooMuch(note)) => return Ok(Err(vec![note])),
    };
    let mut modules = Vec::new();
    for text in std::iter::once(&guarded.text).chain(guarded.twice.as_ref().filter(|_| !gpu.software)) {
        let (module, notes) = compile(gpu, text).await;
        if let Some(why) = notes.into_iter().find(|note| note.error) {
            let text = format!("The browser does not take it once its laps are counted: {}", why.text);
            return Ok(Err(vec![Note { error: true, line: 0, column: 0, text }]));
        }
        modules.push(module);
    }
    let program = gpu.scoped(0, async { Ok(Program::new(gpu, &modules, puzzle, guarded.laps)) }).await?;
    Ok(Ok(program))
}

/// Runs it once on some of what is bound, and looks at what comes out. The seconds that it took, or what is wrong.
async fn checked(
    program: &Program,
    puzzle: &Puzzle,
    bound: &Bound<'_>,
    case: &Case,
    inputs: usize,
    progress: &impl Fn(f64),
) -> Result<Result<f64, Verdict>, Trouble> {
    let ran = bound.run(program, 0, inputs, progress).await?;
    Ok(match looked_at(program, puzzle, bound, case).await? {
        Some(Verdict::Endless(at, laps)) => Err(Verdict::Endless(at, laps)),
        wrong => match ran {
            Err((seconds, share)) => Err(Verdict::Slow(case.name(), seconds, share)),
            Ok(seconds) => wrong.map_or(Ok(seconds), Err),
        },
    })
}

/// What is wrong with what was written.
async fn looked_at(
    program: &Program,
    puzzle: &Puzzle,
    bound: &Bound<'_>,
    case: &Case,
) -> Result<Option<Verdict>, Trouble> {
    let [output, flag] = bound.written().await?;
    if flag.first().is_none_or(|flag| flag.to_bits() != 0) {
        return Ok(Some(Verdict::Endless(case.name(), program.laps)));
    }
    Ok(puzzle.check(case, &output).map(|wrong| Verdict::Wrong(case.name(), wrong.to_string())))
}

/// The median time of a run in seconds, and how much of it the guard takes; or what is wrong at these sizes.
async fn race(
    gpu: &Gpu,
    puzzle: &Puzzle,
    program: &Program,
    timed: &[Case; 2],
    progress: Progress<'_>,
) -> Result<Result<(f64, f64), Verdict>, Trouble> {
    let memory = Memory::new(gpu);
    let bound = Bound::new(gpu, &memory, program, puzzle, &timed.each_ref());
    let mut seconds = 0.0;
    for (inputs, case) in timed.iter().enumerate() {
        let progress = |_| progress("running at full size", 0.5);
        // The second run begins with the first one's answer in the output.
        match checked(program, puzzle, &bound, case, inputs, &progress).await? {
            Ok(took) => seconds = took,
            Err(wrong) => return Ok(Err(wrong)),
        }
    }
    let mut times = [Summary::default(); 2];
    let variants = program.pipelines.len();
    for (variant, time) in times.iter_mut().enumerate().take(variants) {
        let progress = |doing: &str, done: f64| {
            progress(doing, 0.5 + (variant as f64 + 2.0 * (done - 0.5)) / (2 * variants) as f64);
        };
        let (took, last) = bound.time(program, variant, seconds, &progress).await?;
        *time = took;
        // What is right once, and not when it is repeated, has no time.
        let case = timed.get(last).unwrap_or(&timed[0]);
        if let Some(wrong) = looked_at(program, puzzle, &bound, case).await? {
            return Ok(Err(wrong));
        }
    }
    // Whatever else the machine does makes runs slower, never faster.
    let [once, twice] = times;
    Ok(Ok((once.median, (twice.low - once.low).clamp(0.0, once.low))))
}

/// A module, and what the compiler says of it.
async fn compile(gpu: &Gpu, code: &str) -> (ShaderModule, Vec<Note>) {
    // What is wrong is in the notes, and all of it.
    let wrong = gpu.device.push_error_scope(ErrorFilter::Validation);
    let source = ShaderSource::Wgsl(platform::accepted(code.to_owned()).into());
    let module = gpu.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
    drop(wrong.pop());
    let info = module.get_compilation_info().await;
    let notes = info.messages.into_iter().map(|message| note(message, code)).collect();
    (module, notes)
}

fn note(message: CompilationMessage, code: &str) -> Note {
    // Places are counted in bytes.
    let (line, column) = message.location.map_or((0, 0), |place| line_and_column(code, place.offset as usize));
    Note { error: message.message_type == CompilationMessageType::Error, line, column, text: message.message }
}
