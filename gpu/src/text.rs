//! A learner's text on the GPU: compiled, run on the buffers that come with it, and measured if that is asked for.
//!
//! What is right is not known here: the page looks at what comes out. `ringside_core::kernels::wire::TEXT` says how a job looks.

use js_sys::Array;
use ringside_core::kernels::timing::summary;
use ringside_core::kernels::wire::{Note, Ran, Role, Said, Trouble};
use wasm_bindgen::prelude::*;

use crate::adapter::Gpu;
use crate::pass::{Clock, download, thrown};
use crate::progress;
use crate::webgpu::{Buffer, ComputePass, Pipeline, member, object, text_of, usage, wait};

/// Does the job.
pub(crate) async fn run(gpu: &Gpu, job: &Array) -> Said {
    let device = &gpu.device;
    device.push_error_scope("out-of-memory");
    device.push_error_scope("validation");
    let ran = attempt(gpu, job).await;
    let invalid = wait(device.pop_error_scope()).await.unwrap_or(JsValue::NULL);
    let memory = wait(device.pop_error_scope()).await.unwrap_or(JsValue::NULL);
    let trouble = match ran {
        Err(trouble) => trouble,
        // A compiler that found errors has said so, and more of them.
        Ok(ran) if memory.is_null() && (invalid.is_null() || ran.notes.iter().any(|note| note.error)) => {
            return Said::Ran(Box::new(ran));
        }
        Ok(_) if !memory.is_null() => Trouble::OutOfMemory(0.0),
        Ok(_) => thrown(&invalid),
    };
    Said::Failed(gpu.explain(trouble))
}

async fn attempt(gpu: &Gpu, job: &Array) -> Result<Ran, Trouble> {
    let text = |i| job.get(i).as_string().unwrap_or_default();
    let (code, instead, timed, cases) = (text(1), text(2), job.get(3).is_truthy(), Array::from(&job.get(4)));
    progress("compiling", 0.0);
    let (module, notes) = compile(gpu, &code).await?;
    let mut ran = Ran { device: gpu.name.clone(), software: gpu.software, notes, ..Ran::default() };
    if ran.notes.iter().any(|note| note.error) {
        return Ok(ran);
    }
    let module = if instead.is_empty() { module } else { compile(gpu, &instead).await?.0 };
    let first = Case::read(&cases.get(0));
    let (layout, pipeline) = pipeline(gpu, &module, &first).await?;
    let count = cases.length();
    for (i, case) in cases.iter().enumerate() {
        progress("running", (i + 1) as f64 / (count + 1) as f64);
        let bench = Bench::new(gpu, Case::read(&case), &layout)?;
        let outcome = bench.run(gpu, &pipeline, timed, &mut ran).await;
        bench.destroy();
        if !outcome? {
            break;
        }
    }
    Ok(ran)
}

/// A module, and what the compiler says of it.
async fn compile(gpu: &Gpu, code: &str) -> Result<(JsValue, Vec<Note>), Trouble> {
    let module = gpu.device.create_shader_module(&object(&[("code", code.into())])).map_err(|e| thrown(&e))?;
    let ask = member(&module, "getCompilationInfo").dyn_into::<js_sys::Function>().map_err(|e| thrown(&e))?;
    let promise = ask.call0(&module).map_err(|e| thrown(&e))?;
    let info = wait(promise.unchecked_into()).await.map_err(|e| thrown(&e))?;
    let note = |message: JsValue| {
        let number = |name| member(&message, name).as_f64().unwrap_or(0.0) as u32;
        let error = member(&message, "type").as_string().as_deref() == Some("error");
        Note { error, line: number("lineNum"), column: number("linePos"), text: text_of(&message) }
    };
    Ok((module, Array::from(&member(&info, "messages")).iter().map(note).collect()))
}

/// A pipeline for buffers like those of `case`, whether the text uses all of them or not; and its bind group layout.
async fn pipeline(gpu: &Gpu, module: &JsValue, case: &Case) -> Result<(JsValue, Pipeline), Trouble> {
    let device = &gpu.device;
    let entry = |(i, (role, _)): (usize, &(Role, JsValue))| {
        let kind = match role {
            Role::Uniform => "uniform",
            Role::Read => "read-only-storage",
            Role::Write | Role::Flag => "storage",
        };
        let buffer = object(&[("type", kind.into())]);
        object(&[("binding", (i as u32).into()), ("visibility", usage::COMPUTE.into()), ("buffer", buffer)])
    };
    let entries: Array = case.buffers.iter().enumerate().map(entry).collect();
    let group = device.create_bind_group_layout(&object(&[("entries", entries.into())])).map_err(|e| thrown(&e))?;
    let layout = object(&[("bindGroupLayouts", Array::of1(&group).into())]);
    let layout = device.create_pipeline_layout(&layout).map_err(|e| thrown(&e))?;
    let compute = object(&[("module", module.clone()), ("entryPoint", "main".into())]);
    let pipeline =
        device.create_pipeline(&object(&[("layout", layout), ("compute", compute)])).map_err(|e| thrown(&e))?;
    Ok((group, wait(pipeline).await.map_err(|e| thrown(&e))?.unchecked_into()))
}

/// How many workgroups, and what they are given.
struct Case {
    grid: [u32; 3],
    /// Role and typed array of each binding.
    buffers: Vec<(Role, JsValue)>,
}

impl Case {
    fn read(case: &JsValue) -> Self {
        let case = Array::from(case);
        let number = |i| case.get(i).as_f64().unwrap_or(0.0);
        let buffers = (3..case.length()).step_by(2).map(|i| (Role::read(number(i)), case.get(i + 1))).collect();
        Self { grid: [0, 1, 2].map(|i| number(i) as u32), buffers }
    }
}

/// A case with its buffers on the GPU.
struct Bench {
    case: Case,
    buffers: Vec<Buffer>,
    group: JsValue,
    /// What writable buffers are read by, each after its place among the bindings.
    readers: Vec<(usize, u64, Buffer)>,
    clock: Clock,
}

impl Bench {
    fn new(gpu: &Gpu, case: Case, layout: &JsValue) -> Result<Self, Trouble> {
        let device = &gpu.device;
        let make = |size: f64, usage: u32| {
            let descriptor = object(&[("size", size.into()), ("usage", usage.into())]);
            device.create_buffer(&descriptor).map_err(|e| thrown(&e))
        };
        let (mut buffers, mut readers) = (Vec::new(), Vec::new());
        let entries = Array::new();
        for (i, (role, data)) in case.buffers.iter().enumerate() {
            let size = member(data, "byteLength").as_f64().unwrap_or(0.0);
            let usage = if *role == Role::Uniform { usage::UNIFORM } else { usage::STORAGE };
            let buffer = make(size, usage | usage::COPY_SRC | usage::COPY_DST)?;
            device.queue().write(&buffer, 0.0, data).map_err(|e| thrown(&e))?;
            let resource = object(&[("buffer", (&buffer).into())]);
            entries.push(&object(&[("binding", (i as u32).into()), ("resource", resource)]));
            if matches!(role, Role::Write | Role::Flag) {
                readers.push((i, size as u64 / 4, make(size, usage::MAP_READ | usage::COPY_DST)?));
            }
            buffers.push(buffer);
        }
        let group = object(&[("layout", layout.clone()), ("entries", entries.into())]);
        let group = device.create_bind_group(&group).map_err(|e| thrown(&e))?;
        Ok(Self { case, buffers, group, readers, clock: Clock::new(gpu, make)? })
    }

    /// Runs it into `ran`; returns whether others may follow.
    async fn run(&self, gpu: &Gpu, pipeline: &Pipeline, timed: bool, ran: &mut Ran) -> Result<bool, Trouble> {
        let record = |pass: &ComputePass| {
            let [x, y, z] = self.case.grid;
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.group);
            pass.dispatch(x, y, z);
        };
        self.clock.pass(gpu, record).await?;
        if timed {
            ran.times = summary(&self.clock.rounds(gpu, record).await?.0);
            return Ok(true);
        }
        let mut output = Vec::new();
        let mut go_on = true;
        for (i, values, by) in &self.readers {
            let Some(from) = self.buffers.get(*i) else { continue };
            let written = download(gpu, from, by, *values).await?;
            if self.case.buffers.get(*i).is_some_and(|(role, _)| *role == Role::Flag) {
                go_on &= written.first().is_none_or(|flag| flag.to_bits() == 0);
            }
            output.extend(written);
        }
        ran.outputs.push(output);
        Ok(go_on)
    }

    fn destroy(&self) {
        self.buffers.iter().for_each(Buffer::destroy);
        self.readers.iter().for_each(|(.., by)| by.destroy());
        self.clock.destroy();
    }
}
