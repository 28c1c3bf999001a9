//! What rows are whose events have no category: their process and thread say so by name.

use super::Building;
use crate::trace::{Platform, Sort, Trace, Track};

/// Who wrote a file whose rows are told apart by their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writer {
    /// Kineto, JAX, or nobody known: everything that is needed is in the events.
    Plain,
    /// Ascend's `msprof`, through `torch_npu`.
    Ascend,
    /// PyTorch's autograd profiler before Kineto, and without it.
    Autograd,
    /// AMD's `rocprof`.
    Rocprof,
}

impl Building {
    /// What the file calls its rows, and by that what their events are.
    pub(super) fn name_tracks(&mut self) -> Writer {
        let mut rows: Vec<Row> = Vec::new();
        let mut writer = Writer::Plain;
        for track in &mut self.trace.tracks {
            let key = (track.process.clone(), track.thread.clone());
            track.process_name = self.process_names.get(&key.0).cloned().unwrap_or_default();
            track.thread_name = self.thread_names.get(&key).cloned().unwrap_or_default();
            let (row, by) = Row::of(track);
            if by != Writer::Plain {
                writer = by;
            }
            rows.push(row);
        }
        let mut platform = self.trace.platform;
        for span in self.trace.spans.iter_mut().filter(|s| s.category == Trace::NONE) {
            let name = self.trace.names.get(span.name);
            let Some(row) = rows.get(span.track as usize) else { continue };
            span.sort = row.sort(name);
            if let Row::Stream(stream) | Row::Tpu(stream) = row {
                span.stream = *stream;
            }
            platform = platform.or(match (row, span.sort) {
                (_, Sort::Call) => Platform::of_call(if name.starts_with("hip") { "hip" } else { "cuda" }, name),
                (Row::Tpu(_), _) => Platform::Tpu,
                _ => Platform::Unknown,
            });
        }
        self.trace.platform = platform.or(match writer {
            Writer::Ascend => Platform::Ascend,
            Writer::Rocprof => Platform::Rocm,
            Writer::Autograd if self.trace.has_gpu() => Platform::Cuda,
            _ => Platform::of_device(&self.trace.device),
        });
        writer
    }
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Row {
    /// Work of a device, with the number of its stream.
    Stream(i64),
    /// The same of a TPU.
    Tpu(i64),
    /// Copies of a device.
    Copies,
    /// A thread of JAX's host, on which calls of the driver stand among others.
    Host,
    /// Calls of a runtime.
    Calls,
    /// A thread of PyTorch's: operators and ranges.
    Torch,
    /// Ranges that the program named.
    Ranges,
    /// None of these, or what says the same again.
    Other,
}

impl Row {
    /// By its names. JAX (`openxla/xprof`, trace viewer): work of a GPU stands on threads `Stream #…` of a process `/device:GPU:0`, that of a
    /// TPU on `XLA Ops` of `/device:TPU:0`, calls of the driver on threads of `/host:CPU`; its other rows of a device say the same again by
    /// step and module. Ascend (`Ascend/pytorch`, `torch_npu/profiler/analysis`): work on threads of a process `Ascend Hardware`, operators
    /// on those of `Python`; `Overlap Analysis` and `Communication` say the same again. The autograd profiler before Kineto
    /// (`pytorch/pytorch` 1.7, `torch/autograd/profiler.py`, `export_chrome_trace`): processes `CPU functions` and `CUDA functions`, as
    /// numbers of processes. `rocprof` (`ROCm/rocprofiler`, `bin/tblextr.py`): processes `CPU HIP API`, `COPY`, `GPU0`, `Markers and Ranges`.
    fn of(track: &Track) -> (Self, Writer) {
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok();
        let (process, thread) = (track.process_name.as_str(), track.thread_name.as_str());
        let gpu =
            process.strip_prefix("GPU").filter(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
        match (track.process.as_str(), process) {
            ("CPU functions" | "CPU Functions", _) => (Self::Torch, Writer::Autograd),
            ("CUDA functions" | "CUDA Functions", _) => {
                (Self::Stream(digits(&track.thread).unwrap_or(0)), Writer::Autograd)
            }
            (_, "Ascend Hardware") => {
                let stream = thread.strip_prefix("Stream ").and_then(digits).or_else(|| digits(&track.thread));
                (Self::Stream(stream.unwrap_or(0)), Writer::Ascend)
            }
            (_, "Python") => (Self::Torch, Writer::Plain),
            (_, "CPU HIP API") => (Self::Calls, Writer::Rocprof),
            (_, "COPY") => (Self::Copies, Writer::Plain),
            (_, "Markers and Ranges") => (Self::Ranges, Writer::Plain),
            _ if gpu.is_some() => (Self::Stream(digits(&track.thread).unwrap_or(0)), Writer::Plain),
            (_, name) if name.starts_with("/device:GPU") => {
                let stream = thread.strip_prefix("Stream #").and_then(digits);
                (stream.map_or(Self::Other, Self::Stream), Writer::Plain)
            }
            (_, name) if name.starts_with("/device:TPU") && thread == "XLA Ops" => (Self::Tpu(0), Writer::Plain),
            (_, name) if name.starts_with("/host:CPU") => (Self::Host, Writer::Plain),
            _ => (Self::Other, Writer::Plain),
        }
    }

    /// What an event of this name is on it.
    fn sort(self, name: &str) -> Sort {
        let starts = |all: &[&str]| all.iter().any(|start| name.starts_with(start));
        match self {
            // Ascend's streams have their waits on them.
            Self::Stream(_) if starts(&["EVENT_", "NOTIFY_", "Notify_Wait"]) => Sort::Wait,
            Self::Stream(_) if starts(&["Memcpy", "MEMCPY"]) => Sort::Copy,
            Self::Stream(_) if starts(&["Memset", "MEMSET"]) => Sort::Set,
            Self::Stream(_) | Self::Tpu(_) => Sort::Kernel,
            Self::Copies => Sort::Copy,
            Self::Host if is_driver_call(name) => Sort::Call,
            Self::Calls => Sort::Call,
            Self::Torch if starts(&["ProfilerStep#", "Optimizer.", "enumerate(DataLoader)"]) => Sort::Range,
            Self::Torch if name.contains("::") || name.contains("Backward") => Sort::Operator,
            Self::Ranges => Sort::Range,
            Self::Torch | Self::Host | Self::Other => Sort::Other,
        }
    }
}

/// Whether a call without a category is one of CUDA's or HIP's: `cuLaunchKernel`.
fn is_driver_call(name: &str) -> bool {
    let rest = ["cuda", "cu", "hip"].iter().find_map(|prefix| name.strip_prefix(prefix));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}
