//! The program that is simulated: batches, forward and backward pass through layers, all-reduces of gradients, the optimizer.

use super::super::Trace;
use super::machine::{Lane, Machine};
use super::{Cause, Setup};

/// Layers whose gradients share a bucket.
const BUCKET: u64 = 3;
/// Bytes of a layer's gradients.
const GRADIENTS: u64 = 50_000_000;
/// Bytes of activations that a layer keeps.
const ACTIVATIONS: i64 = 400_000_000;
/// Bytes of a batch as it comes from the data loader.
const BATCH: f64 = 80e6;
/// Microseconds that the all-reduce of a layer's gradients takes.
const ALL_REDUCE: f64 = 260.0;
/// How much slower the straggler is.
const LATE: f64 = 1.45;
/// Microseconds of Python and dispatcher before an operator's launches.
const PYTHON: f64 = 14.0;

const GEMM: &str = "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT";
const ATTENTION: &str =
    "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t> >";
const ATTENTION_BACKWARD: &str = "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, 4, 4, 4, cutlass::bfloat16_t> >";
const NORM: &str = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, false>";
const ADD: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >";
const ADAM_FUSED: &str =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedAdamMathFunctor<float, 4> >";

/// One operator of a layer: what PyTorch calls it, its kernel, and how long that takes in microseconds.
struct Work {
    operator: &'static str,
    kernel: &'static str,
    micros: f64,
    /// Moves data and computes little: a chain of such where nothing is fused.
    light: bool,
}

const fn heavy(operator: &'static str, kernel: &'static str, micros: f64) -> Work {
    Work { operator, kernel, micros, light: false }
}

const fn light(operator: &'static str, kernel: &'static str, micros: f64) -> Work {
    Work { operator, kernel, micros, light: true }
}

const FORWARD: [Work; 9] = [
    light("aten::layer_norm", NORM, 26.0),
    heavy("aten::linear", GEMM, 190.0),
    heavy("aten::scaled_dot_product_attention", ATTENTION, 150.0),
    heavy("aten::linear", GEMM, 70.0),
    light("aten::add", ADD, 24.0),
    light("aten::layer_norm", NORM, 26.0),
    heavy("aten::linear", GEMM, 250.0),
    light("aten::gelu", "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>", 40.0),
    heavy("aten::linear", GEMM, 250.0),
];

const BACKWARD: [Work; 8] = [
    heavy("autograd::engine::evaluate_function: MmBackward0", GEMM, 500.0),
    light(
        "autograd::engine::evaluate_function: GeluBackward0",
        "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl>",
        60.0,
    ),
    heavy("autograd::engine::evaluate_function: MmBackward0", GEMM, 500.0),
    light(
        "autograd::engine::evaluate_function: NativeLayerNormBackward0",
        "void at::native::(anonymous namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float>",
        52.0,
    ),
    heavy("autograd::engine::evaluate_function: MmBackward0", GEMM, 140.0),
    heavy("autograd::engine::evaluate_function: FlashAttentionBackward0", ATTENTION_BACKWARD, 400.0),
    heavy("autograd::engine::evaluate_function: MmBackward0", GEMM, 380.0),
    light("autograd::engine::evaluate_function: AddBackward0", ADD, 36.0),
];

/// What an unfused operator is made of.
const CHAIN: [&str; 11] = [
    "aten::mul",
    "aten::add",
    "aten::to",
    "aten::pow",
    "aten::mul",
    "aten::tanh",
    "aten::add",
    "aten::mul",
    "aten::to",
    "aten::mul",
    "aten::add",
];

/// Tensors of a layer: weights and biases of its linear layers and norms.
const TENSORS: u64 = 16;

/// AdamW of one tensor, operator by operator.
const ADAM: [&str; 10] = [
    "aten::add_",
    "aten::mul_",
    "aten::lerp_",
    "aten::mul_",
    "aten::addcmul_",
    "aten::sqrt",
    "aten::div",
    "aten::add_",
    "aten::div_",
    "aten::addcdiv_",
];

/// Runs the program on all ranks.
pub(super) fn run(setup: &Setup) -> Vec<Trace> {
    let world = setup.ranks.clamp(1, 8) as u32;
    let mut machines: Vec<Machine> = (0..world).map(|rank| Machine::new(rank, world, setup.seed)).collect();
    if setup.has(Cause::Straggler) {
        // The last of several; alone it waits for nobody.
        if let Some(last) = machines.last_mut() {
            last.slow = LATE;
        }
    }
    if setup.graphs {
        machines.iter_mut().for_each(|m| m.cost = 0.1);
    }
    for step in 0..setup.steps.clamp(1, 8) {
        one_step(setup, &mut machines, step);
    }
    machines.into_iter().map(|machine| machine.trace).collect()
}

fn one_step(setup: &Setup, machines: &mut [Machine], step: u64) {
    let begins: Vec<i64> = machines.iter().map(|m| m.now).collect();
    for m in machines.iter_mut() {
        input(setup, m);
        if setup.has(Cause::GarbageCollection) && step == 1.min(setup.steps.saturating_sub(1)) {
            m.pause(6_000.0 * setup.layers as f64);
        }
        forward(setup, m);
    }
    backward(setup, machines);
    for (m, begin) in machines.iter_mut().zip(begins) {
        m.thread = 0;
        m.wait_for(Lane::Compute, Lane::Nccl);
        optimizer(setup, m);
        if setup.has(Cause::Sync) {
            item(m);
        }
        m.step_range(step, begin);
    }
}

/// The batch: from the data loader, and onto the GPU.
fn input(setup: &Setup, m: &mut Machine) {
    let slow = setup.has(Cause::DataLoader);
    // Longer than the GPU takes for a step, or ready already.
    let micros = if slow { 5_400.0 * setup.layers as f64 + 6_000.0 } else { 180.0 };
    m.range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", |m| m.pause(micros));
    m.operator("aten::to", PYTHON, |m| {
        if setup.has(Cause::PageableCopies) {
            m.copy("Memcpy HtoD (Pageable -> Device)", BATCH * setup.layers as f64 / 8.0, 5.6, Lane::Compute);
            m.synchronize("cudaStreamSynchronize");
        } else {
            m.copy("Memcpy HtoD (Pinned -> Device)", BATCH * scale(setup), 48.0, Lane::Copies);
        }
    });
    if !setup.has(Cause::PageableCopies) {
        m.wait_for(Lane::Compute, Lane::Copies);
    }
}

/// Times as long as a kernel takes: all are short where the batch is small.
fn scale(setup: &Setup) -> f64 {
    if setup.has(Cause::SmallKernels) { 0.022 } else { 1.0 }
}

fn work(setup: &Setup, m: &mut Machine, works: &[Work]) {
    for w in works {
        let micros = w.micros * scale(setup);
        m.operator(w.operator, PYTHON, |m| {
            m.kernel(w.kernel, micros);
        });
        if w.light && setup.has(Cause::MemoryBound) {
            for operator in CHAIN {
                m.operator(operator, PYTHON, |m| {
                    m.kernel(ADD, micros);
                });
            }
        }
    }
}

/// A value of the GPU, read in Python, and what is done with it there.
fn item(m: &mut Machine) {
    m.operator("aten::item", 6.0, |m| {
        m.operator("aten::_local_scalar_dense", 4.0, |m| {
            m.copy("Memcpy DtoH (Device -> Pinned)", 4.0, 0.004, Lane::Compute);
            m.synchronize("cudaStreamSynchronize");
        });
    });
    m.pause(310.0);
}

fn forward(setup: &Setup, m: &mut Machine) {
    for layer in 0..setup.layers {
        m.allocate(ACTIVATIONS);
        if setup.has(Cause::AllocatorRetries) && layer % 4 == 2 {
            retry(m);
        }
        work(setup, m, &FORWARD);
        if setup.has(Cause::Sync) {
            item(m);
        }
    }
    m.operator("aten::cross_entropy_loss", PYTHON, |m| {
        m.kernel(
            "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float>",
            180.0 * scale(setup),
        );
    });
}

/// Memory for a block cannot be found among what is reserved: the allocator waits for the GPU, frees what it has cached and asks for more.
fn retry(m: &mut Machine) {
    m.operator("aten::empty", 5.0, |m| {
        m.synchronize("cudaDeviceSynchronize");
        for _ in 0..6 {
            m.call("cudaFree", 420.0);
        }
        m.reserve(-9_000_000_000);
        m.call("cudaMalloc", 650.0);
        m.reserve(11_000_000_000);
    });
}

fn backward(setup: &Setup, machines: &mut [Machine]) {
    for m in machines.iter_mut() {
        m.thread = 1;
    }
    let exposed = setup.has(Cause::ExposedCommunication);
    let mut in_bucket = 0;
    for layer in (0..setup.layers).rev() {
        for m in machines.iter_mut() {
            if setup.has(Cause::Recomputation) {
                m.operator("CheckpointFunctionBackward", PYTHON, |m| {
                    work(setup, m, &FORWARD);
                    work(setup, m, &BACKWARD);
                });
            } else {
                work(setup, m, &BACKWARD);
            }
            m.allocate(-ACTIVATIONS);
        }
        in_bucket += 1;
        if (in_bucket == BUCKET || layer == 0) && !exposed {
            all_reduce(setup, machines, in_bucket);
            in_bucket = 0;
        }
    }
    if exposed {
        all_reduce(setup, machines, setup.layers);
    }
}

/// The all-reduce of some layers' gradients: it starts on each rank when that is ready, and ends on all of them when the last has come.
fn all_reduce(setup: &Setup, machines: &mut [Machine], layers: u64) {
    let world = machines.len() as u32;
    let starts: Vec<i64> = machines.iter().map(Machine::ready).collect();
    let last = starts.iter().copied().max().unwrap_or_default();
    let slower = if setup.has(Cause::ExposedCommunication) { 4.0 } else { 1.0 };
    let Some(first) = machines.first_mut() else { return };
    let end = last + first.about(ALL_REDUCE * slower * scale(setup).max(0.1) * layers as f64);
    for (m, start) in machines.iter_mut().zip(starts) {
        m.range("nccl:all_reduce", |m| m.all_reduce((start, end), GRADIENTS * layers, world.max(8)));
    }
}

fn optimizer(setup: &Setup, m: &mut Machine) {
    let scale = scale(setup);
    m.range("Optimizer.step#AdamW.step", |m| {
        if setup.has(Cause::UnfusedOptimizer) {
            for _ in 0..TENSORS * setup.layers {
                for operator in ADAM {
                    m.operator(operator, 11.0, |m| {
                        m.kernel(ADD, 2.6);
                    });
                }
            }
        } else {
            for _ in 0..setup.layers.div_ceil(4) {
                m.operator("aten::_fused_adamw_", 40.0, |m| {
                    m.kernel(ADAM_FUSED, 330.0 * scale);
                });
            }
        }
    });
}

impl Machine {
    /// The range of a step, which the profiler writes around it.
    fn step_range(&mut self, step: u64, begin: i64) {
        let end = self.now;
        self.now = begin;
        self.range(&format!("ProfilerStep#{}", step + 4), |m| m.now = end);
    }
}
