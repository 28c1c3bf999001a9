//! A kernel on a Vulkan adapter: the same descriptors that the browser's worker reads.

use std::sync::mpsc;
use std::time::Instant;

use ringside_shaders::descriptor::{Parameter, Resource, uniform};
use ringside_shaders::{Kernel, Problem};
use wgpu::{BufferUsages, Features, Limits, PollType};

/// An adapter's device, and what is known of it.
pub(crate) struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// What it is called.
    pub(crate) name: String,
    /// Whether it is made of software.
    pub(crate) software: bool,
    /// Whether shaders may use f16.
    pub(crate) f16: bool,
}

impl Gpu {
    /// Asks Vulkan for the fastest.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub(crate) fn ask() -> Result<Self, String> {
        let mut options = wgpu::InstanceDescriptor::new_without_display_handle();
        options.backends = wgpu::Backends::VULKAN;
        let instance = wgpu::Instance::new(options);
        let wanted = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&wanted)).map_err(|why| {
            format!(
                "There is no Vulkan adapter here ({why}). Install the driver of your GPU; or, to try the kernels in software, \
                 lavapipe (on Debian: mesa-vulkan-drivers)."
            )
        })?;
        let info = adapter.get_info();
        let f16 = adapter.features().contains(Features::SHADER_F16);
        let allowed = adapter.limits();
        // As in the browser: the defaults, but for the size of buffers.
        let limits = Limits {
            max_buffer_size: allowed.max_buffer_size,
            max_storage_buffer_binding_size: allowed.max_storage_buffer_binding_size,
            ..Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor {
            required_features: if f16 { Features::SHADER_F16 } else { Features::empty() },
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))
            .map_err(|why| format!("{} gives no device: {why}.", info.name))?;
        Ok(Self { device, queue, name: info.name, software: info.device_type == wgpu::DeviceType::Cpu, f16 })
    }

    fn buffer(&self, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    }
}

/// A kernel with its buffers, ready to run.
pub(crate) struct Program<'a> {
    gpu: &'a Gpu,
    steps: Vec<Step>,
    output: wgpu::Buffer,
    values: u64,
}

struct Step {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    grid: [u32; 3],
}

impl<'a> Program<'a> {
    /// Compiles `kernel` and fills its inputs.
    pub(crate) fn new(gpu: &'a Gpu, kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>]) -> Self {
        let dims = problem.dims();
        let mut sizes: Vec<(&str, u64)> = problem.inputs();
        let (name, values) = problem.output();
        sizes.push((name, values));
        sizes.extend(kernel.scratch.iter().map(|(name, size)| (*name, size.at(&dims))));
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        // Vectors of four are bound over the same buffers.
        let buffers: Vec<(&str, wgpu::Buffer)> =
            sizes.iter().map(|(name, values)| (*name, gpu.buffer((4 * values).next_multiple_of(16), usage))).collect();
        for ((_, buffer), data) in buffers.iter().zip(inputs) {
            let bytes: Vec<u8> = data.iter().flat_map(|value| value.to_le_bytes()).collect();
            gpu.queue.write_buffer(buffer, 0, &bytes);
        }
        let source = wgpu::ShaderSource::Wgsl(kernel.wgsl(&dims).into());
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(kernel.id), source });
        let step = |pass: &ringside_shaders::descriptor::Pass| {
            let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(pass.entry),
                layout: None,
                module: &module,
                entry_point: Some(pass.entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            let block = gpu.buffer(64, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
            let bound = |resource: Resource| match resource {
                Resource::Parameters(list) => {
                    gpu.queue.write_buffer(&block, 0, &parameters(list, problem));
                    &block
                }
                Resource::Read(wanted) | Resource::Write(wanted) => {
                    // The tests of the descriptors have seen that every buffer is there.
                    buffers.iter().find(|(name, _)| *name == wanted).map_or(&block, |(_, buffer)| buffer)
                }
            };
            let entries: Vec<wgpu::BindGroupEntry> = pass
                .bindings
                .iter()
                .map(|b| wgpu::BindGroupEntry { binding: b.number, resource: bound(b.resource).as_entire_binding() })
                .collect();
            let layout = pipeline.get_bind_group_layout(0);
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &entries,
            });
            Step { pipeline, group, grid: pass.workgroups(&dims).map(|n| n as u32) }
        };
        let steps = kernel.passes.iter().map(step).collect();
        let output = buffers.iter().find(|(known, _)| *known == name).map(|(_, buffer)| buffer.clone());
        let output = output.unwrap_or_else(|| gpu.buffer(16, usage));
        Self { gpu, steps, output, values }
    }

    /// Runs it so many times in one submission, and returns how long that took in seconds.
    pub(crate) fn run(&self, times: u32) -> f64 {
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for step in std::iter::repeat_n(&self.steps, times as usize).flatten() {
                let [x, y, z] = step.grid;
                pass.set_pipeline(&step.pipeline);
                pass.set_bind_group(0, &step.group, &[]);
                pass.dispatch_workgroups(x, y, z);
            }
        }
        let commands = encoder.finish();
        let started = Instant::now();
        self.gpu.queue.submit([commands]);
        self.wait();
        started.elapsed().as_secs_f64()
    }

    fn wait(&self) {
        // A device that was lost yields an output that is not right, which is said.
        let _ = self.gpu.device.poll(PollType::wait_indefinitely());
    }

    /// What the last run came to; nothing if the device was lost.
    pub(crate) fn output(&self) -> Vec<f32> {
        let bytes = (4 * self.values).next_multiple_of(16);
        let copy = self.gpu.buffer(bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&self.output, 0, &copy, 0, bytes);
        self.gpu.queue.submit([encoder.finish()]);
        let (said, heard) = mpsc::channel();
        copy.map_async(wgpu::MapMode::Read, .., move |result| _ = said.send(result));
        self.wait();
        if !matches!(heard.try_recv(), Ok(Ok(()))) {
            return Vec::new();
        }
        let range = copy.get_mapped_range(..);
        let read = |view: wgpu::BufferView| -> Vec<f32> {
            let words = view.chunks_exact(4).take(self.values as usize);
            words.map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
        };
        range.map(read).unwrap_or_default()
    }
}

/// The uniform of a run that starts at the first workgroup.
fn parameters(list: &[Parameter], problem: &Problem) -> Vec<u8> {
    uniform(list, &problem.dims(), 0)
}
