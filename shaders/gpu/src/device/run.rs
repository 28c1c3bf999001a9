//! A kernel on the GPU: run once in pieces that are short enough, checked, and then measured.

use ringside_core::kernels::TWIN;
use ringside_core::kernels::job::Trouble;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::timing::{SUBMISSION, next_piece, summary};
use ringside_shaders::check::check;
use ringside_shaders::descriptor::{Parameter, Resource, uniform};
use ringside_shaders::{Kernel, Problem};
use web_time::Instant;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, ComputePass, ComputePipeline,
    ComputePipelineDescriptor, PipelineCompilationOptions, ShaderModuleDescriptor, ShaderSource,
};

use super::Progress;
use super::adapter::{Gpu, Memory};
use super::pass::{Clock, download};
use super::platform;

/// The inputs are the same every time.
pub(crate) const SEED: u32 = 1;
/// How long measurements may go on, in seconds.
const ENOUGH: f64 = 6.0;
/// What a first piece is made for: this many operations take a tenth of a second on a GPU made of software.
const FIRST: f64 = 5e7;
/// Bytes of a block of parameters.
const BLOCK: u64 = 64;

/// How much is done with a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Multiplications that its check may take, where there are too many values to look at all.
    pub check: u64,
    /// Whether it is timed, too.
    pub timed: bool,
}

impl Default for Effort {
    /// A check of about a second in a browser, and times.
    fn default() -> Self {
        Self { check: 1 << 28, timed: true }
    }
}

/// Runs a kernel, checks it against f64, and times it. The result does not say of what it is.
///
/// # Errors
/// Whatever keeps it from running. A wrong output is no error: `verified` says so.
pub async fn run(
    gpu: &Gpu,
    kernel: &'static Kernel,
    problem: &Problem,
    effort: Effort,
    progress: Progress<'_>,
) -> Result<Measured, Trouble> {
    if kernel.f16 && !gpu.f16 {
        return Err(Trouble::NoF16);
    }
    if kernel.subgroups && !gpu.subgroups {
        return Err(Trouble::NoSubgroups);
    }
    let shared = problem.needs(kernel.id).unwrap_or_default().workgroup_memory;
    if shared > gpu.workgroup_memory {
        return Err(Trouble::WorkgroupMemory(shared as f64, gpu.workgroup_memory as f64));
    }
    progress("compiling the kernel", 0.0);
    let sizes = sizes(kernel, problem);
    if let Some((_, most)) = sizes.iter().find(|(_, bytes)| *bytes > gpu.largest) {
        return Err(Trouble::TooLarge(*most as f64, gpu.largest as f64));
    }
    let bytes = sizes.iter().map(|(_, bytes)| bytes).sum();
    let inputs = problem.data(SEED);
    let memory = Memory::new(gpu);
    let program = gpu.scoped(bytes, async { Program::new(gpu, &memory, kernel, problem, &sizes, &inputs) }).await?;
    let measured = gpu.scoped(bytes, program.measure(kernel, &inputs, effort, progress)).await?;
    Ok(Measured { memory: bytes as f64, ..measured })
}

/// All buffers of a kernel but those of parameters: inputs, output, scratch; name and bytes. Vectors of four are bound over the
/// same buffers.
fn sizes(kernel: &Kernel, problem: &Problem) -> Vec<(&'static str, u64)> {
    let dims = problem.dims();
    let mut sizes = problem.inputs();
    sizes.push(problem.output());
    sizes.extend(kernel.scratch.iter().map(|(name, size)| (*name, size.at(&dims))));
    sizes.into_iter().map(|(name, values)| (name, (4 * values).next_multiple_of(16))).collect()
}

/// All of a result but the times: what it is of, and whether it is right.
pub(crate) fn checked(
    kernel: &Kernel,
    problem: &Problem,
    inputs: &[Vec<f32>],
    output: &[f32],
    budget: u64,
) -> Measured {
    let checked = check(kernel, problem, inputs, output, budget);
    let needs = problem.needs(kernel.id).unwrap_or_default();
    let values: u64 = problem.inputs().iter().map(|(_, len)| len).sum::<u64>() + problem.output().1;
    Measured {
        flop: problem.flop() as f64,
        asked: needs.asked.total() as f64,
        memory: (4 * values + needs.scratch) as f64,
        // What is not a number, or beyond all of them, is so wrong that no number says how wrong.
        max_error: checked.max_error.min(f64::MAX),
        bound: checked.bound,
        checked: checked.checked as f64,
        of: checked.of as f64,
        verified: checked.verified(),
        bits: (problem.output().1 == 1 && problem.work() <= TWIN)
            .then(|| (kernel.twin)(problem, inputs).0)
            .and_then(|twin| Some([output.first()?.to_bits(), twin.first()?.to_bits()])),
        ..Measured::default()
    }
}

/// A kernel, ready to be dispatched.
struct Program<'a> {
    gpu: &'a Gpu,
    problem: &'a Problem,
    steps: Vec<Step>,
    /// What the output is in, and what it is read by.
    output: [Buffer; 2],
    clock: Clock<'a>,
}

/// One pass of it.
struct Step {
    pipeline: ComputePipeline,
    group: BindGroup,
    parameters: &'static [Parameter],
    uniform: Buffer,
    grid: [u32; 3],
}

impl Step {
    fn record(&self, pass: &mut ComputePass, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}

impl<'a> Program<'a> {
    fn new(
        gpu: &'a Gpu,
        memory: &Memory,
        kernel: &'static Kernel,
        problem: &'a Problem,
        sizes: &[(&'static str, u64)],
        inputs: &[Vec<f32>],
    ) -> Result<Self, Trouble> {
        let dims = problem.dims();
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let buffers: Vec<Buffer> = sizes.iter().map(|(_, bytes)| memory.buffer(*bytes, usage)).collect();
        for (buffer, data) in buffers.iter().zip(inputs) {
            gpu.queue.write_buffer(buffer, 0, bytemuck::cast_slice(data));
        }
        let named = |name: &str| {
            let place = sizes.iter().position(|(known, _)| *known == name);
            let buffer = place.and_then(|place| buffers.get(place));
            buffer.ok_or_else(|| Trouble::NotAccepted(["there is no buffer ", name].concat()))
        };
        let source = ShaderSource::Wgsl(platform::accepted(kernel.wgsl(&dims)).into());
        let fits: Vec<(&str, f64)> =
            kernel.fits.iter().map(|fit| (fit.name, f64::from(u8::from(fit.at(&dims))))).collect();
        let module = gpu.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        let mut steps = Vec::new();
        for pass in kernel.passes {
            let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: None,
                layout: None,
                module: &module,
                entry_point: Some(pass.entry),
                compilation_options: PipelineCompilationOptions {
                    constants: &fits,
                    ..PipelineCompilationOptions::default()
                },
                cache: None,
            });
            let uniform = memory.buffer(BLOCK, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
            let mut parameters: &'static [Parameter] = &[];
            let mut entries = Vec::new();
            for binding in pass.bindings {
                let buffer = match binding.resource {
                    Resource::Parameters(list) => {
                        parameters = list;
                        &uniform
                    }
                    Resource::Read(name) | Resource::Write(name) => named(name)?,
                };
                entries.push(BindGroupEntry { binding: binding.number, resource: buffer.as_entire_binding() });
            }
            let layout = pipeline.get_bind_group_layout(0);
            let descriptor = BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
            let group = gpu.device.create_bind_group(&descriptor);
            let grid = pass.workgroups(&dims).map(|n| n as u32);
            steps.push(Step { pipeline, group, parameters, uniform, grid });
        }
        let output = named(problem.output().0)?.clone();
        let reader = memory.buffer(output.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        Ok(Self { gpu, problem, steps, output: [output, reader], clock: Clock::new(gpu, memory) })
    }

    async fn measure(
        &self,
        kernel: &Kernel,
        inputs: &[Vec<f32>],
        effort: Effort,
        progress: Progress<'_>,
    ) -> Result<Measured, Trouble> {
        // The first run finds how large a piece may be.
        let share = (FIRST / self.problem.work().max(1) as f64).min(1.0);
        let mut pieces: Vec<u32> = self.steps.iter().map(|s| ((f64::from(s.grid[1]) * share) as u32).max(1)).collect();
        let first = self.once(&mut pieces, |done| progress("running", 0.05 + 0.3 * done)).await?;
        let [output, reader] = &self.output;
        let mut output = download(self.gpu, output, reader).await?;
        output.truncate(self.problem.output().1 as usize);
        progress("checking against f64", 0.4);
        let result = checked(kernel, self.problem, inputs, &output, effort.check);
        drop(output);

        let mut seconds = Vec::new();
        let mut times = 1;
        if effort.timed && first <= SUBMISSION {
            self.steps.iter().for_each(|step| self.start(step, 0));
            let all = |pass: &mut ComputePass| self.steps.iter().for_each(|step| step.record(pass, step.grid));
            (seconds, times) = self.clock.rounds(all, progress).await?;
        } else if effort.timed {
            // It takes so long that its first run is as good as any.
            if first > ENOUGH / 2.0 {
                seconds.push(first);
            }
            let started = Instant::now();
            while seconds.len() < 3 && started.elapsed().as_secs_f64() < ENOUGH || seconds.is_empty() {
                let from = 0.5 + seconds.len() as f64 / 6.0;
                seconds.push(self.once(&mut pieces, |done| progress("running", from + done / 6.0)).await?);
            }
        }
        let measured = Measured {
            device: self.gpu.name.clone(),
            software: self.gpu.software,
            rounds: seconds.len() as u32,
            repeats: times,
            ..result
        };
        Ok(measured.with_times(summary(&seconds)))
    }

    /// Writes where the next dispatches of a step start.
    fn start(&self, step: &Step, first: u32) {
        let bytes = uniform(step.parameters, &self.problem.dims(), first);
        self.gpu.queue.write_buffer(&step.uniform, 0, &bytes);
    }

    /// One run, step by step and piece by piece; `pieces` become those that have proven right. Returns the seconds that it took.
    async fn once(&self, pieces: &mut [u32], progress: impl Fn(f64)) -> Result<f64, Trouble> {
        let mut total = 0.0;
        let count = self.steps.len() as f64;
        for ((i, step), piece) in self.steps.iter().enumerate().zip(pieces) {
            let [x, rows, z] = step.grid;
            let mut row = 0;
            while row < rows {
                progress((i as f64 + f64::from(row) / f64::from(rows)) / count);
                let now = (*piece).min(rows - row);
                self.start(step, row);
                let seconds = self.clock.pass(|pass| step.record(pass, [x, now, z])).await?;
                total += seconds;
                row += now;
                *piece = next_piece(now, seconds, rows);
            }
        }
        Ok(total)
    }
}
