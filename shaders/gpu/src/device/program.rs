//! A learner's kernel with what it is bound to: run piece by piece, so that no submission holds up what else the GPU has to draw,
//! and given up if it takes too long; and timed.

use std::cell::Cell;

use ringside_core::kernels::job::Trouble;
use ringside_core::kernels::timing::{SUBMISSION, Summary, next_piece, summary};
use ringside_shaders::descriptor::uniform;
use ringside_shaders::puzzles::{Case, MARGIN, POISON, Puzzle, UNWRITTEN};
use web_time::Instant;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingType, Buffer, BufferBindingType, BufferUsages, ComputePass, ComputePipeline, ComputePipelineDescriptor,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModule, ShaderStages,
};

use super::Progress;
use super::adapter::{Gpu, Memory};
use super::pass::{Clock, download};
use crate::pieces::piece;

/// How long a run may take, in seconds. Naive solutions take a second on a GPU made of software.
const ENOUGH: f64 = 10.0;
/// Runs that are timed of what is too long for one submission.
const FEW: usize = 3;
/// Bytes of a base: four u32.
const BASE: u64 = 16;

/// A pipeline for a puzzle's buffers, whether the text uses all of them or not; and its bind group layout.
pub(crate) struct Program {
    layout: BindGroupLayout,
    /// Guarded once, and twice if that differs.
    pub(crate) pipelines: Vec<ComputePipeline>,
    /// Laps after which a loop is broken off.
    pub(crate) laps: u32,
}

impl Program {
    pub(crate) fn new(gpu: &Gpu, modules: &[ShaderModule], puzzle: &Puzzle, laps: u32) -> Self {
        let storage = |read_only| BufferBindingType::Storage { read_only };
        let mut kinds = vec![storage(true); puzzle.inputs.len()];
        // Output, sizes, flag, base.
        kinds.extend([storage(false), BufferBindingType::Uniform, storage(false), BufferBindingType::Uniform]);
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
        let pipeline = |module| {
            gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: None,
                layout: Some(&whole),
                module,
                entry_point: Some("main"),
                compilation_options: PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let pipelines = modules.iter().map(pipeline).collect();
        Self { layout, pipelines, laps }
    }
}

/// Cases of the same sizes with their buffers on the GPU. The output is one for all.
pub(crate) struct Bound<'a> {
    gpu: &'a Gpu,
    grid: [u32; 3],
    groups: Vec<BindGroup>,
    base: Buffer,
    /// The output and the flag, and what each is read by.
    written: [[Buffer; 2]; 2],
    clock: Clock<'a>,
    /// Workgroups that were found to fit into a submission.
    piece: Cell<u32>,
}

impl<'a> Bound<'a> {
    pub(crate) fn new(gpu: &'a Gpu, memory: &Memory, program: &Program, puzzle: &Puzzle, cases: &[&Case]) -> Self {
        let put = |bytes: &[u8], usage: BufferUsages| {
            let usage = usage | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
            let buffer = memory.buffer(bytes.len() as u64, usage);
            gpu.queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        let values = |values: &[f32]| put(bytemuck::cast_slice(values), BufferUsages::STORAGE);
        let dims = cases.first().map(|case| case.dims.clone()).unwrap_or_default();
        let output = values(&vec![UNWRITTEN; puzzle.output.at(&dims) as usize + MARGIN]);
        let flag = values(&[0.0]);
        let base = put(&[0; BASE as usize], BufferUsages::UNIFORM);
        let sizes = put(&uniform(&puzzle.parameters(), &dims, 0), BufferUsages::UNIFORM);
        let group = |case: &&Case| {
            let input = |input: &Vec<f32>| values(&[&input[..], &[POISON; MARGIN]].concat());
            let mut buffers: Vec<Buffer> = case.inputs.iter().map(input).collect();
            buffers.extend([&output, &sizes, &flag, &base].map(Buffer::clone));
            let entries: Vec<BindGroupEntry> = (0..)
                .zip(&buffers)
                .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
                .collect();
            let descriptor = BindGroupDescriptor { label: None, layout: &program.layout, entries: &entries };
            gpu.device.create_bind_group(&descriptor)
        };
        let groups = cases.iter().map(group).collect();
        let reader = |buffer: &Buffer| memory.buffer(buffer.size(), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        Self {
            gpu,
            grid: puzzle.grid.each_ref().map(|size| size.at(&dims) as u32),
            groups,
            base,
            written: [output, flag].map(|buffer| [buffer.clone(), reader(&buffer)]),
            clock: Clock::new(gpu, memory),
            piece: Cell::new(1),
        }
    }

    /// Bytes of all buffers of a case.
    pub(crate) fn bytes(puzzle: &Puzzle, case: &Case) -> u64 {
        let inputs: usize = case.inputs.iter().map(|input| input.len() + MARGIN).sum();
        4 * (inputs as u64 + puzzle.output.at(&case.dims) + MARGIN as u64)
    }

    /// One run on some of the inputs, piece by piece. The seconds that it took; or those after which it was given up, and the
    /// share of the workgroups that were done.
    pub(crate) async fn run(
        &self,
        program: &Program,
        variant: usize,
        inputs: usize,
        progress: &impl Fn(f64),
    ) -> Result<Result<f64, (f64, f64)>, Trouble> {
        let all = self.grid.iter().fold(1, |all: u32, n| all.saturating_mul(*n));
        let (mut done, mut total) = (0, 0.0);
        let begun = Instant::now();
        while done < all {
            let share = f64::from(done) / f64::from(all);
            progress(share);
            let elapsed = begun.elapsed().as_secs_f64();
            if elapsed > ENOUGH {
                return Ok(Err((elapsed, share)));
            }
            let (base, size) = piece(self.grid, done, self.piece.get());
            self.begin(base);
            let seconds = self.clock.pass(|pass| self.record(program, variant, inputs, size, pass)).await?;
            let now = size.iter().product();
            total += seconds;
            done += now;
            self.piece.set(next_piece(now, seconds, all));
        }
        Ok(Ok(total))
    }

    /// The times of a run that takes about so many seconds, the inputs taken in turn; and which were the last.
    pub(crate) async fn time(
        &self,
        program: &Program,
        variant: usize,
        about: f64,
        progress: Progress<'_>,
    ) -> Result<(Summary, usize), Trouble> {
        let runs = Cell::new(0);
        let next = || {
            let inputs = runs.get() % self.groups.len().max(1);
            runs.set(runs.get() + 1);
            inputs
        };
        let seconds = if about <= SUBMISSION {
            self.begin([0; 3]);
            let record = |pass: &mut ComputePass| self.record(program, variant, next(), self.grid, pass);
            self.clock.rounds(record, progress).await?.0
        } else {
            let mut seconds = Vec::new();
            for round in 0..FEW {
                let from = 0.5 + 0.5 * round as f64 / FEW as f64;
                let progress = |done: f64| progress("measuring", from + 0.5 * done / FEW as f64);
                // What was given up is as long as it took until then.
                let ran = self.run(program, variant, next(), &progress).await?;
                seconds.push(ran.unwrap_or_else(|(seconds, _)| seconds));
            }
            seconds
        };
        Ok((summary(&seconds), (runs.get() + self.groups.len() - 1) % self.groups.len().max(1)))
    }

    /// What is in the output and in the flag.
    pub(crate) async fn written(&self) -> Result<[Vec<f32>; 2], Trouble> {
        let [[output, by], [flag, flag_by]] = &self.written;
        Ok([download(self.gpu, output, by).await?, download(self.gpu, flag, flag_by).await?])
    }

    /// Says where in the grid the next dispatch begins.
    fn begin(&self, [x, y, z]: [u32; 3]) {
        self.gpu.queue.write_buffer(&self.base, 0, bytemuck::cast_slice(&[x, y, z, 0]));
    }

    fn record(&self, program: &Program, variant: usize, inputs: usize, [x, y, z]: [u32; 3], pass: &mut ComputePass) {
        let Some((pipeline, group)) = program.pipelines.get(variant).zip(self.groups.get(inputs)) else { return };
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, group, &[]);
        pass.dispatch_workgroups(x, y, z);
    }
}
