//! What a learner wrote for a puzzle: compiled, run at sizes on both sides of every edge and at those where it is timed, compared
//! with the puzzle's twin, and timed if all is right.
//!
//! It is timed as it was written, and nothing ends a kernel that runs. So it is run there twice with its loops guarded first, the
//! second time on what the first left: every later run begins as the second did, and ends as it did.

use ringside_core::kernels::job::{Note, Tried, Trouble, Verdict};
use ringside_core::kernels::timing::summary;
use ringside_shaders::descriptor::uniform;
use ringside_shaders::puzzles::guard::{guarded, taken};
use ringside_shaders::puzzles::{Case, MARGIN, POISON, Puzzle, UNWRITTEN};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingType, Buffer, BufferBindingType, BufferUsages, CompilationMessage, CompilationMessageType, ComputePass,
    ComputePipeline, ComputePipelineDescriptor, ErrorFilter, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::Progress;
use crate::adapter::{Gpu, Memory};
use crate::pass::{Clock, download};

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
    progress("compiling", 0.0);
    let code = puzzle.whole(body);
    let (module, notes) = compile(gpu, &code).await;
    if notes.iter().any(|note| note.error) {
        return Ok(Verdict::Refused(notes));
    }
    if let Some(name) = taken(&code) {
        let text = format!("The check needs the name {name} as WGSL has it. Call yours something else.");
        return Ok(Verdict::Refused(vec![Note { error: true, line: 0, column: 0, text }]));
    }
    let (guarded, _) = compile(gpu, &guarded(&code, puzzle.inputs.len() + 2)).await;
    let guarded = gpu.scoped(0, async { Ok(Program::new(gpu, &guarded, puzzle, true)) }).await?;
    let cases = puzzle.cases(seed);
    let count = cases.len() + 1;
    for (i, case) in cases.iter().enumerate() {
        progress("running", 0.5 * (i + 1) as f64 / count as f64);
        if let Some(wrong) = guarded.check(gpu, puzzle, case, 1).await? {
            return Ok(wrong);
        }
    }
    let timed = puzzle.timed();
    progress("running at full size", 0.5);
    match guarded.check(gpu, puzzle, &timed, 2).await {
        Ok(None) => {}
        Ok(Some(wrong)) => return Ok(wrong),
        Err(Trouble::OutOfMemory(_)) => return Ok(Verdict::Right(cases.len(), 0.0)),
        Err(trouble) => return Err(trouble),
    }
    match race(gpu, &module, puzzle, &timed, progress).await {
        Ok(seconds) => Ok(Verdict::Right(count, seconds)),
        Err(trouble @ (Trouble::Silent(_) | Trouble::Lost(_))) => Err(trouble),
        // What is right stays so if it cannot be timed.
        Err(_) => Ok(Verdict::Right(count, 0.0)),
    }
}

/// The median time of a run as it was written.
async fn race(
    gpu: &Gpu,
    module: &ShaderModule,
    puzzle: &Puzzle,
    timed: &Case,
    progress: Progress<'_>,
) -> Result<f64, Trouble> {
    let program = gpu.scoped(0, async { Ok(Program::new(gpu, module, puzzle, false)) }).await?;
    let memory = Memory::new(gpu);
    gpu.scoped(bytes(puzzle, timed), async {
        let bound = Bound::new(gpu, &memory, &program, puzzle, timed);
        let record = |pass: &mut ComputePass| bound.record(&program, pass);
        bound.clock.pass(record).await?;
        Ok(summary(&bound.clock.rounds(record, progress).await?.0).median)
    })
    .await
}

/// A module, and what the compiler says of it.
async fn compile(gpu: &Gpu, code: &str) -> (ShaderModule, Vec<Note>) {
    // What is wrong is in the notes, and all of it.
    let wrong = gpu.device.push_error_scope(ErrorFilter::Validation);
    let source = ShaderSource::Wgsl(code.into());
    let module = gpu.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
    drop(wrong.pop());
    let info = module.get_compilation_info().await;
    let notes = info.messages.into_iter().map(|message| note(message, code)).collect();
    (module, notes)
}

fn note(message: CompilationMessage, code: &str) -> Note {
    let (line, column) = message.location.map_or((0, 0), |place| {
        // Places are counted in bytes.
        let before = code.get(..place.offset as usize).unwrap_or("");
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (place.line_number, column as u32)
    });
    Note { error: message.message_type == CompilationMessageType::Error, line, column, text: message.message }
}

/// A pipeline for a puzzle's buffers, whether the text uses all of them or not; and its bind group layout.
struct Program {
    layout: BindGroupLayout,
    pipeline: ComputePipeline,
    guarded: bool,
}

impl Program {
    /// With the flag of the guard among the buffers, if it is guarded.
    fn new(gpu: &Gpu, module: &ShaderModule, puzzle: &Puzzle, guarded: bool) -> Self {
        let storage = |read_only| BufferBindingType::Storage { read_only };
        let mut kinds = vec![storage(true); puzzle.inputs.len()];
        kinds.extend([storage(false), BufferBindingType::Uniform]);
        if guarded {
            kinds.push(storage(false));
        }
        let entry = |(binding, ty)| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let entries: Vec<BindGroupLayoutEntry> = (0..).zip(kinds).map(entry).collect();
        let layout = gpu.device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
        let whole = gpu.device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(&layout)],
            ..PipelineLayoutDescriptor::default()
        });
        let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: Some(&whole),
            module,
            entry_point: Some("main"),
            compilation_options: PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { layout, pipeline, guarded }
    }

    /// Runs it so many times at the sizes of `case`, each time on what is there. What is wrong with it, if anything is.
    async fn check(&self, gpu: &Gpu, puzzle: &Puzzle, case: &Case, runs: u32) -> Result<Option<Verdict>, Trouble> {
        let memory = Memory::new(gpu);
        let act = async {
            let bound = Bound::new(gpu, &memory, self, puzzle, case);
            let mut right = Vec::new();
            for _ in 0..runs {
                bound.clock.pass(|pass| bound.record(self, pass)).await?;
                let [output, flag] = bound.written(gpu).await?;
                if flag.first().is_none_or(|flag| flag.to_bits() != 0) {
                    return Ok(Some(Verdict::Endless(case.name())));
                }
                // What came out before is right.
                if output == right {
                    continue;
                }
                if let Some(wrong) = puzzle.check(case, &output) {
                    return Ok(Some(Verdict::Wrong(case.name(), wrong.to_string())));
                }
                right = output;
            }
            Ok(None)
        };
        gpu.scoped(bytes(puzzle, case), act).await
    }
}

/// Bytes of all buffers of a case.
fn bytes(puzzle: &Puzzle, case: &Case) -> u64 {
    let inputs: usize = case.inputs.iter().map(|input| input.len() + MARGIN).sum();
    4 * (inputs as u64 + puzzle.output.at(&case.dims) + MARGIN as u64)
}

/// A case with its buffers on the GPU.
struct Bound<'a> {
    grid: [u32; 3],
    group: BindGroup,
    /// The output and the flag, and what each is read by.
    written: [[Buffer; 2]; 2],
    clock: Clock<'a>,
}

impl<'a> Bound<'a> {
    fn new(gpu: &'a Gpu, memory: &Memory, program: &Program, puzzle: &Puzzle, case: &Case) -> Self {
        let put = |bytes: &[u8], usage: BufferUsages| {
            let usage = usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let buffer = memory.buffer(bytes.len() as u64, usage);
            gpu.queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        let values = |values: &[f32]| put(bytemuck::cast_slice(values), BufferUsages::STORAGE);
        let input = |input: &Vec<f32>| values(&[&input[..], &[POISON; MARGIN]].concat());
        let output = values(&vec![UNWRITTEN; puzzle.output.at(&case.dims) as usize + MARGIN]);
        let flag = values(&[0.0]);
        let mut buffers: Vec<Buffer> = case.inputs.iter().map(input).collect();
        buffers.push(output.clone());
        buffers.push(put(&uniform(&puzzle.parameters(), &case.dims, 0), BufferUsages::UNIFORM));
        if program.guarded {
            buffers.push(flag.clone());
        }
        let entries: Vec<BindGroupEntry> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let descriptor = BindGroupDescriptor { label: None, layout: &program.layout, entries: &entries };
        let reader = |buffer: &Buffer| memory.buffer(buffer.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        Self {
            grid: puzzle.grid.each_ref().map(|size| size.at(&case.dims) as u32),
            group: gpu.device.create_bind_group(&descriptor),
            written: [output, flag].map(|buffer| [buffer.clone(), reader(&buffer)]),
            clock: Clock::new(gpu, memory),
        }
    }

    fn record(&self, program: &Program, pass: &mut ComputePass) {
        let [x, y, z] = self.grid;
        pass.set_pipeline(&program.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }

    /// What is in the output and in the flag.
    async fn written(&self, gpu: &Gpu) -> Result<[Vec<f32>; 2], Trouble> {
        let [[output, by], [flag, flag_by]] = &self.written;
        Ok([download(gpu, output, by).await?, download(gpu, flag, flag_by).await?])
    }
}
