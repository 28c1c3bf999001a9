//! A learner's text on the GPU: compiled, run on the buffers that come with it, and measured if that is asked for.
//!
//! What is right is not known here: the page looks at what comes out.

use ringside_core::kernels::job::{self, Case, Note, Ran, Role, Text, Trouble};
use ringside_core::kernels::timing::summary;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingType, Buffer, BufferBindingType, BufferUsages, CompilationMessage, CompilationMessageType, ComputePass,
    ComputePipeline, ComputePipelineDescriptor, ErrorFilter, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModule, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::Progress;
use crate::adapter::{Gpu, Memory};
use crate::pass::{Clock, download};

/// Compiles a text, and runs it on its cases. What a compiler has against it is no error.
///
/// # Errors
/// Whatever else keeps it from running.
pub async fn run(gpu: &Gpu, text: &Text, progress: Progress<'_>) -> Result<Ran, Trouble> {
    progress("compiling", 0.0);
    let (module, notes) = compile(gpu, &text.code).await;
    let mut ran = Ran { device: gpu.name.clone(), software: gpu.software, notes, ..Ran::default() };
    let Some(first) = text.cases.first().filter(|_| !ran.notes.iter().any(|note| note.error)) else { return Ok(ran) };
    let module = if text.instead.is_empty() { module } else { compile(gpu, &text.instead).await.0 };
    let (layout, pipeline) = gpu.scoped(0, async { Ok(pipeline(gpu, &module, first)) }).await?;
    for (i, case) in text.cases.iter().enumerate() {
        progress("running", (i + 1) as f64 / (text.cases.len() + 1) as f64);
        let bytes = case.buffers.iter().map(|buffer| buffer.bytes.len() as u64).sum();
        let memory = Memory::new(gpu);
        let act = async {
            let bound = Bound::new(gpu, &memory, case, &layout);
            bound.run(&pipeline, text.timed, &mut ran, progress).await
        };
        if !gpu.scoped(bytes, act).await? {
            break;
        }
    }
    Ok(ran)
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

/// A pipeline for buffers like those of `case`, whether the text uses all of them or not; and its bind group layout.
fn pipeline(gpu: &Gpu, module: &ShaderModule, case: &Case) -> (BindGroupLayout, ComputePipeline) {
    let entry = |(i, buffer): (usize, &job::Buffer)| {
        let ty = match buffer.role {
            Role::Uniform => BufferBindingType::Uniform,
            Role::Read => BufferBindingType::Storage { read_only: true },
            Role::Write | Role::Flag => BufferBindingType::Storage { read_only: false },
        };
        BindGroupLayoutEntry {
            binding: i as u32,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        }
    };
    let entries: Vec<BindGroupLayoutEntry> = case.buffers.iter().enumerate().map(entry).collect();
    let group = gpu.device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
    let layout =
        PipelineLayoutDescriptor { bind_group_layouts: &[Some(&group)], ..PipelineLayoutDescriptor::default() };
    let layout = gpu.device.create_pipeline_layout(&layout);
    let pipeline = gpu.device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module,
        entry_point: Some("main"),
        compilation_options: PipelineCompilationOptions::default(),
        cache: None,
    });
    (group, pipeline)
}

/// A case with its buffers on the GPU.
struct Bound<'a> {
    gpu: &'a Gpu,
    grid: [u32; 3],
    group: BindGroup,
    /// Buffers that are wanted back, and what each is read by.
    wanted: Vec<(Role, Buffer, Buffer)>,
    clock: Clock<'a>,
}

impl<'a> Bound<'a> {
    fn new(gpu: &'a Gpu, memory: &Memory, case: &Case, layout: &BindGroupLayout) -> Self {
        let mut wanted = Vec::new();
        let put = |of: &job::Buffer| {
            let kind = if of.role == Role::Uniform { BufferUsages::UNIFORM } else { BufferUsages::STORAGE };
            let size = of.bytes.len() as u64;
            let buffer = memory.buffer(size, kind | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
            gpu.queue.write_buffer(&buffer, 0, &of.bytes);
            if matches!(of.role, Role::Write | Role::Flag) {
                let reader = memory.buffer(size, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
                wanted.push((of.role, buffer.clone(), reader));
            }
            buffer
        };
        let buffers: Vec<Buffer> = case.buffers.iter().map(put).collect();
        let entries: Vec<BindGroupEntry> = (0..)
            .zip(&buffers)
            .map(|(binding, buffer)| BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = gpu.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries: &entries });
        Self { gpu, grid: case.grid, group, wanted, clock: Clock::new(gpu, memory) }
    }

    /// Runs it into `ran`; returns whether others may follow.
    async fn run(
        &self,
        pipeline: &ComputePipeline,
        timed: bool,
        ran: &mut Ran,
        progress: Progress<'_>,
    ) -> Result<bool, Trouble> {
        let record = |pass: &mut ComputePass| {
            let [x, y, z] = self.grid;
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.group, &[]);
            pass.dispatch_workgroups(x, y, z);
        };
        self.clock.pass(record).await?;
        if timed {
            ran.times = summary(&self.clock.rounds(record, progress).await?.0);
            return Ok(true);
        }
        let mut output = Vec::new();
        let mut go_on = true;
        for (role, from, by) in &self.wanted {
            let written = download(self.gpu, from, by).await?;
            if *role == Role::Flag {
                go_on &= written.first().is_none_or(|flag| flag.to_bits() == 0);
            }
            output.extend(written);
        }
        ran.outputs.push(output);
        Ok(go_on)
    }
}
