//! A rank: its CPU thread, its streams, and what a profiler writes down of both.

use super::super::{Collective, Memory, Platform, Sort, Span, Trace, Track};
use crate::mix::Stream;

/// Streams of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// CUDA's default stream.
    Compute,
    /// That of copies.
    Copies,
    /// NCCL's.
    Nccl,
}

impl Lane {
    const fn number(self) -> i64 {
        match self {
            Lane::Compute => 7,
            Lane::Copies => 16,
            Lane::Nccl => 20,
        }
    }
}

/// Nanoseconds from the end of a launch to the earliest start of its kernel.
const LATENCY: i64 = 3_500;
/// Nanoseconds between two kernels of a stream.
const BETWEEN: i64 = 900;
/// Launched kernels that have not started: CUDA's queue takes so many.
const QUEUE: usize = 1024;
/// The process and its threads, as they would be numbered.
const PROCESS: &str = "4711";

pub(super) struct Machine {
    pub trace: Trace,
    /// The time of the CPU thread, in nanoseconds.
    pub now: i64,
    /// Times as slow as the other ranks.
    pub slow: f64,
    /// What launching costs the CPU, 1 as it is.
    pub cost: f64,
    /// When each stream is done with what it was given.
    free: [i64; 3],
    /// Starts of the kernels that were launched last.
    starts: std::collections::VecDeque<i64>,
    correlation: i64,
    random: Stream,
    allocated: u64,
    pub reserved: u64,
    /// The CPU thread that works now: 0 runs the program, 1 its backward pass.
    pub thread: u32,
}

const THREADS: u32 = 2;

impl Machine {
    pub fn new(rank: u32, world: u32, seed: u64) -> Self {
        let track = |process: &str, thread: &str, process_name: &str, thread_name: &str| Track {
            process: process.to_owned(),
            thread: thread.to_owned(),
            process_name: process_name.to_owned(),
            thread_name: thread_name.to_owned(),
        };
        let tracks = vec![
            track(PROCESS, "4711", "python", "thread 4711 (python)"),
            track(PROCESS, "4802", "python", "thread 4802 (pt_autograd_0)"),
            track("0", "7", "GPU 0", "stream 7"),
            track("0", "16", "GPU 0", "stream 16"),
            track("0", "20", "GPU 0", "stream 20"),
        ];
        let trace = Trace {
            tracks,
            rank: Some(rank),
            world: Some(world),
            device: "Simulated GPU".to_owned(),
            platform: Platform::Cuda,
            fractions: true,
            ..Trace::default()
        };
        Self {
            trace,
            now: 0,
            slow: 1.0,
            cost: 1.0,
            free: [0; 3],
            starts: std::collections::VecDeque::new(),
            correlation: 1000,
            random: Stream::new(seed.wrapping_mul(97).wrapping_add(u64::from(rank))),
            allocated: 20_000_000_000,
            reserved: 26_000_000_000,
            thread: 0,
        }
    }

    /// About so many microseconds, in nanoseconds.
    pub fn about(&mut self, micros: f64) -> i64 {
        let varied = micros * (1.0 + 0.04 * self.random.normal().clamp(-2.5, 2.5));
        (varied * 1e3).round() as i64
    }

    fn push(&mut self, sort: Sort, category: &str, name: &str, track: u32, at: (i64, i64)) -> u32 {
        let index = self.trace.spans.len() as u32;
        let span = Span {
            name: self.trace.names.number(name),
            category: self.trace.names.number(category),
            track,
            position: index,
            sort,
            stream: -1,
            correlation: -1,
            start: at.0,
            length: at.1.saturating_sub(at.0).max(0),
        };
        self.trace.spans.push(span);
        index
    }

    /// An operator or a range around whatever `inside` does.
    fn around(&mut self, sort: Sort, category: &str, name: &str, inside: impl FnOnce(&mut Self)) {
        let index = self.push(sort, category, name, self.thread, (self.now, self.now));
        let start = self.now;
        inside(self);
        let length = self.now.saturating_sub(start);
        if let Some(span) = self.trace.spans.get_mut(index as usize) {
            span.length = length;
        }
    }

    /// A range that the program or PyTorch names.
    pub fn range(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        self.around(Sort::Range, "user_annotation", name, inside);
    }

    /// An operator: what Python and the dispatcher take before `inside`, in microseconds.
    pub fn operator(&mut self, name: &str, before: f64, inside: impl FnOnce(&mut Self)) {
        let python = self.about(before * self.cost);
        self.around(Sort::Operator, "cpu_op", name, |m| {
            m.now += python;
            inside(m);
            m.now += (1_200.0 * m.cost) as i64;
        });
    }

    /// A call of the runtime that takes so many microseconds.
    pub fn call(&mut self, name: &str, micros: f64) {
        let end = self.now + self.about(micros);
        self.push(Sort::Call, "cuda_runtime", name, self.thread, (self.now, end));
        self.now = end;
    }

    /// Does nothing that a profiler sees.
    pub fn pause(&mut self, micros: f64) {
        self.now += self.about(micros);
    }

    /// Launches a kernel of so many microseconds of computation.
    pub fn kernel(&mut self, name: &str, micros: f64) -> u32 {
        let length = (self.about(micros) as f64 * self.slow) as i64;
        self.launch("cudaLaunchKernel", (Sort::Kernel, "kernel"), name, Lane::Compute, (0, length))
    }

    /// Launches work that takes `length` and may not start before `earliest`. The index of its span.
    fn launch(
        &mut self,
        call: &str,
        sort: (Sort, &str),
        name: &str,
        lane: Lane,
        (earliest, length): (i64, i64),
    ) -> u32 {
        // A full queue: the call waits for a place in it.
        if self.starts.len() >= QUEUE
            && let Some(first) = self.starts.pop_front()
        {
            self.now = self.now.max(first);
        }
        self.correlation += 1;
        let end = self.now + self.about(4.6 * self.cost);
        let index = self.push(Sort::Call, "cuda_runtime", call, self.thread, (self.now, end));
        self.correlate(index, -1);
        self.now = end;
        let free = self.free.get(lane as usize).copied().unwrap_or_default();
        let start = (end + LATENCY).max(free + BETWEEN).max(earliest);
        self.starts.push_back(start);
        let index = self.push(sort.0, sort.1, name, THREADS + lane as u32, (start, start + length));
        self.correlate(index, lane.number());
        self.set_free(lane, start + length);
        index
    }

    fn correlate(&mut self, index: u32, stream: i64) {
        let correlation = self.correlation;
        if let Some(span) = self.trace.spans.get_mut(index as usize) {
            (span.correlation, span.stream) = (correlation, stream);
        }
    }

    pub fn free(&self, lane: Lane) -> i64 {
        self.free.get(lane as usize).copied().unwrap_or_default()
    }

    fn set_free(&mut self, lane: Lane, at: i64) {
        if let Some(free) = self.free.get_mut(lane as usize) {
            *free = at;
        }
    }

    /// What is launched on `lane` from now on waits for what `other` was given so far.
    pub fn wait_for(&mut self, lane: Lane, other: Lane) {
        self.call("cudaStreamWaitEvent", 1.4);
        self.set_free(lane, self.free(lane).max(self.free(other)));
    }

    /// The CPU waits until the compute stream is done.
    pub fn synchronize(&mut self, call: &str) {
        let end = self.free(Lane::Compute).max(self.now) + self.about(9.0);
        self.push(Sort::Call, "cuda_runtime", call, self.thread, (self.now, end));
        self.now = end;
    }

    /// Copies bytes at so many GB/s. From memory that is not pinned the call returns when the copy is done.
    pub fn copy(&mut self, name: &str, bytes: f64, rate: f64, lane: Lane) -> u32 {
        let length = (bytes / rate) as i64;
        let index = self.launch("cudaMemcpyAsync", (Sort::Copy, "gpu_memcpy"), name, lane, (0, length));
        self.trace.bandwidths.push((index, rate));
        if name.contains("Pageable") {
            let end = self.free(lane);
            if let Some(call) = (index as usize).checked_sub(1).and_then(|call| self.trace.spans.get_mut(call)) {
                call.length = end.saturating_sub(call.start);
            }
            self.now = end;
        }
        index
    }

    /// When an all-reduce that is launched now could start.
    pub fn ready(&self) -> i64 {
        (self.now + 8_000).max(self.free(Lane::Compute)).max(self.free(Lane::Nccl) + BETWEEN)
    }

    /// An all-reduce of gradients that starts here at `start` and ends everywhere at `end`.
    pub fn all_reduce(&mut self, (start, end): (i64, i64), bytes: u64, world: u32) {
        let name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
        let kernel = (Sort::Kernel, "kernel");
        let index = self.launch("cudaLaunchKernelExC", kernel, name, Lane::Nccl, (start, 0));
        if let Some(span) = self.trace.spans.get_mut(index as usize) {
            span.length = end.saturating_sub(span.start).max(0);
        }
        self.set_free(Lane::Nccl, end);
        self.trace.collectives.push((index, Collective { name: "allreduce".to_owned(), bytes, group: world }));
    }

    /// Takes memory for tensors, or gives it back.
    pub fn allocate(&mut self, bytes: i64) {
        self.allocated = self.allocated.saturating_add_signed(bytes);
        self.reserved = self.reserved.max(self.allocated);
        self.note_memory();
    }

    /// Gives so much back to the device, or takes it.
    pub fn reserve(&mut self, bytes: i64) {
        self.reserved = self.reserved.saturating_add_signed(bytes).max(self.allocated);
        self.note_memory();
    }

    fn note_memory(&mut self) {
        self.trace.memory.push(Memory { at: self.now, allocated: self.allocated, reserved: self.reserved });
    }
}
