//! A kernel on the GPU: run once in pieces that are short enough, checked, and then measured.

use js_sys::{Array, Float32Array, Uint8Array};
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::timing::{SUBMISSION, next_piece, summary};
use ringside_core::kernels::wire::Trouble;
use ringside_shaders::check::check;
use ringside_shaders::descriptor::{Parameter, Resource, uniform};
use ringside_shaders::{Kernel, Problem};
use wasm_bindgen::prelude::*;

use crate::adapter::Gpu;
use crate::pass::{Clock, download, thrown};
use crate::progress;
use crate::webgpu::{Buffer, ComputePass, Pipeline, includes, now, object, text_of, usage, wait};

/// The inputs are the same every time.
pub(crate) const SEED: u32 = 1;
/// Multiplications that a check may take: about a second of them.
const CHECK: u64 = 1 << 28;
/// How long measurements may go on, in seconds.
const ENOUGH: f64 = 6.0;
/// What a first piece is made for: this many operations take a tenth of a second on a GPU made of software.
const FIRST: f64 = 5e7;

/// Runs, checks and measures.
pub(crate) async fn run(gpu: &Gpu, kernel: &'static Kernel, problem: &Problem) -> Result<Measured, Trouble> {
    if kernel.f16 && !gpu.f16 {
        return Err(Trouble::NoF16);
    }
    progress("compiling the kernel", 0.0);
    let inputs = problem.data(SEED);
    let program = Program::new(gpu, kernel, problem, &inputs).await?;
    let outcome = program.measure(kernel, problem, &inputs).await;
    program.destroy();
    outcome
}

/// All of a result but the times: what it is of, and whether it is right.
pub(crate) fn checked(kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>], output: &[f32]) -> Measured {
    progress("checking against f64", 0.4);
    let checked = check(kernel, problem, inputs, output, CHECK);
    let needs = problem.needs(kernel.id).unwrap_or_default();
    let values: u64 = problem.inputs().iter().map(|(_, len)| len).sum::<u64>() + problem.output().1;
    Measured {
        flop: problem.flop() as f64,
        asked: needs.asked.total() as f64,
        memory: (4 * values + needs.scratch) as f64,
        max_error: checked.max_error,
        bound: checked.bound,
        checked: checked.checked as f64,
        of: checked.of as f64,
        verified: checked.verified(),
        ..Measured::default()
    }
}

/// A kernel, ready to be dispatched.
struct Program<'a> {
    gpu: &'a Gpu,
    steps: Vec<Step>,
    output: Buffer,
    buffers: Vec<Buffer>,
    clock: Clock,
    bytes: f64,
}

/// One pass of it.
struct Step {
    pipeline: Pipeline,
    group: JsValue,
    parameters: &'static [Parameter],
    uniform: Buffer,
    grid: [u32; 3],
}

impl Step {
    fn record(&self, pass: &ComputePass, [x, y, z]: [u32; 3]) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group);
        pass.dispatch(x, y, z);
    }
}

impl<'a> Program<'a> {
    async fn new(
        gpu: &'a Gpu,
        kernel: &'static Kernel,
        problem: &Problem,
        inputs: &[Vec<f32>],
    ) -> Result<Self, Trouble> {
        let dims = problem.dims();
        let device = &gpu.device;
        let storage = usage::STORAGE | usage::COPY_SRC | usage::COPY_DST;
        // Vectors of four are bound over the same buffers.
        let mut sizes: Vec<(&str, u64)> = problem.inputs();
        sizes.push(problem.output());
        sizes.extend(kernel.scratch.iter().map(|(name, size)| (*name, size.at(&dims))));
        let bytes = |values: u64| (4 * values).next_multiple_of(16) as f64;
        if let Some(most) = sizes.iter().map(|(_, values)| bytes(*values)).find(|size| *size > gpu.largest) {
            return Err(Trouble::TooLarge(most, gpu.largest));
        }
        let total: f64 = sizes.iter().map(|(_, values)| bytes(*values)).sum();
        device.push_error_scope("out-of-memory");
        device.push_error_scope("validation");
        let make = |size: f64, usage: u32| {
            let descriptor = object(&[("size", size.into()), ("usage", usage.into())]);
            device.create_buffer(&descriptor).map_err(|e| match text_of(&e) {
                // A buffer that is larger than the browser can even think of is thrown at once.
                why if includes(&why, "too large") || includes(&why, "memory") => Trouble::OutOfMemory(total),
                why => Trouble::NotAccepted(why),
            })
        };
        let built = Self::build(gpu, kernel, problem, inputs, &sizes, storage, make).await;
        let invalid = wait(device.pop_error_scope()).await.unwrap_or(JsValue::NULL);
        let memory = wait(device.pop_error_scope()).await.unwrap_or(JsValue::NULL);
        if !memory.is_null() {
            return Err(Trouble::OutOfMemory(total));
        }
        if !invalid.is_null() {
            return Err(thrown(&invalid));
        }
        built.map(|built| Self { bytes: total, ..built })
    }

    async fn build(
        gpu: &'a Gpu,
        kernel: &'static Kernel,
        problem: &Problem,
        inputs: &[Vec<f32>],
        sizes: &[(&'static str, u64)],
        storage: u32,
        make: impl Fn(f64, u32) -> Result<Buffer, Trouble>,
    ) -> Result<Self, Trouble> {
        let dims = problem.dims();
        let device = &gpu.device;
        let mut buffers = Vec::new();
        for (_, values) in sizes {
            buffers.push(make((4 * values).next_multiple_of(16) as f64, storage)?);
        }
        for (buffer, data) in buffers.iter().zip(inputs) {
            let data = Float32Array::from(data.as_slice());
            device.queue().write(buffer, 0.0, &data).map_err(|e| thrown(&e))?;
        }
        let code = kernel.wgsl(&dims);
        let module = device.create_shader_module(&object(&[("code", code.as_str().into())])).map_err(|e| thrown(&e))?;
        let mut steps = Vec::new();
        for pass in kernel.passes {
            let compute = object(&[("module", module.clone()), ("entryPoint", pass.entry.into())]);
            let descriptor = object(&[("layout", "auto".into()), ("compute", compute)]);
            let pipeline = device.create_pipeline(&descriptor).map_err(|e| thrown(&e))?;
            let pipeline: Pipeline = wait(pipeline).await.map_err(|e| thrown(&e))?.unchecked_into();
            let block = make(64.0, usage::UNIFORM | usage::COPY_DST)?;
            let entries = Array::new();
            let mut parameters: &'static [Parameter] = &[];
            for binding in pass.bindings {
                let buffer = match binding.resource {
                    Resource::Parameters(list) => {
                        parameters = list;
                        &block
                    }
                    Resource::Read(name) | Resource::Write(name) => {
                        let place = sizes.iter().position(|(known, _)| *known == name);
                        place
                            .and_then(|place| buffers.get(place))
                            .ok_or_else(|| Trouble::NotAccepted(["there is no buffer ", name].concat()))?
                    }
                };
                let resource = object(&[("buffer", buffer.into())]);
                entries.push(&object(&[("binding", binding.number.into()), ("resource", resource)]));
            }
            let descriptor = object(&[("layout", pipeline.bind_group_layout(0)), ("entries", entries.into())]);
            let group = device.create_bind_group(&descriptor).map_err(|e| thrown(&e))?;
            let grid = pass.workgroups(&dims).map(|n| n as u32);
            steps.push(Step { pipeline, group, parameters, uniform: block, grid });
        }
        let out_bytes = (4 * problem.output().1).next_multiple_of(16) as f64;
        let output = make(out_bytes, usage::MAP_READ | usage::COPY_DST)?;
        let clock = Clock::new(gpu, make)?;
        Ok(Self { gpu, steps, output, buffers, clock, bytes: 0.0 })
    }

    async fn measure(&self, kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>]) -> Result<Measured, Trouble> {
        // The first run finds how large a piece may be.
        let share = (FIRST / problem.work().max(1) as f64).min(1.0);
        let pieces: Vec<u32> = self.steps.iter().map(|s| ((f64::from(s.grid[1]) * share) as u32).max(1)).collect();
        let (first, pieces) = self.once(problem, pieces, 0.05, 0.35).await?;
        let output = self.read(problem).await?;
        let result = checked(kernel, problem, inputs, &output);
        drop(output);

        let started = now();
        let mut seconds = Vec::new();
        let mut times = 1;
        if first <= SUBMISSION {
            self.start_at(problem, 0)?;
            let rounds = self.clock.rounds(self.gpu, |pass| self.record(pass)).await?;
            (seconds, times) = rounds;
        } else {
            // It takes so long that its first run is as good as any.
            if first > ENOUGH / 2.0 {
                seconds.push(first);
            }
            let mut pieces = pieces;
            while seconds.len() < 3 && (now() - started) / 1e3 < ENOUGH || seconds.is_empty() {
                let from = 0.5 + seconds.len() as f64 / 6.0;
                let (again, found) = self.once(problem, pieces, from, from + 1.0 / 6.0).await?;
                seconds.push(again);
                pieces = found;
            }
        }
        let measured = Measured {
            device: self.gpu.name.clone(),
            software: self.gpu.software,
            rounds: seconds.len() as u32,
            repeats: times,
            memory: self.bytes,
            ..result
        };
        Ok(measured.with_times(summary(&seconds)))
    }

    /// Writes where the next dispatches of every step start.
    fn start_at(&self, problem: &Problem, first: u32) -> Result<(), Trouble> {
        self.steps.iter().try_for_each(|step| self.start_step(step, problem, first))
    }

    fn start_step(&self, step: &Step, problem: &Problem, first: u32) -> Result<(), Trouble> {
        let bytes = uniform(step.parameters, &problem.dims(), first);
        let data = Uint8Array::from(bytes.as_slice());
        self.gpu.device.queue().write(&step.uniform, 0.0, &data).map_err(|e| thrown(&e))
    }

    /// One run, step by step and piece by piece. Returns the seconds that it took and the pieces that have proven right.
    async fn once(
        &self,
        problem: &Problem,
        mut pieces: Vec<u32>,
        from: f64,
        to: f64,
    ) -> Result<(f64, Vec<u32>), Trouble> {
        let mut total = 0.0;
        let count = self.steps.len() as f64;
        for ((i, step), piece) in self.steps.iter().enumerate().zip(&mut pieces) {
            let [x, rows, z] = step.grid;
            let mut row = 0;
            while row < rows {
                let share = (i as f64 + f64::from(row) / f64::from(rows)) / count;
                progress("running", from + (to - from) * share);
                let now = (*piece).min(rows - row);
                self.start_step(step, problem, row)?;
                let seconds = self.clock.pass(self.gpu, |pass| step.record(pass, [x, now, z])).await?;
                total += seconds;
                row += now;
                *piece = next_piece(now, seconds, rows);
            }
        }
        Ok((total, pieces))
    }

    /// All steps, once.
    fn record(&self, pass: &ComputePass) {
        self.steps.iter().for_each(|step| step.record(pass, step.grid));
    }

    /// The output.
    async fn read(&self, problem: &Problem) -> Result<Vec<f32>, Trouble> {
        let (_, values) = problem.output();
        let place = problem.inputs().len();
        let from = self.buffers.get(place).ok_or_else(|| Trouble::NotAccepted("there is no output".to_owned()))?;
        download(self.gpu, from, &self.output, values).await
    }

    /// Gives all memory back at once, not when someone collects it.
    fn destroy(&self) {
        self.buffers.iter().for_each(Buffer::destroy);
        self.steps.iter().for_each(|step| step.uniform.destroy());
        self.output.destroy();
        self.clock.destroy();
    }
}
