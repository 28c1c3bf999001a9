//! What part of a peak real kernels reach: one table for every run, tuned for none.
//!
//! A matrix product takes max(FLOPs / (ε·peak), bytes / (β·bandwidth)) and [`LAUNCH`] besides, so that the part of the peak
//! that it reaches falls as tensor parallelism or small micro-batches make it small or narrow. An element-wise kernel takes
//! bytes / (β·bandwidth) and a latency.

use crate::declare::Origin;
use crate::hardware::Accelerator;

/// Where the rates come from.
pub const ORIGIN: Origin =
    Origin::Own("FLOPs and bytes at the share of the peak that published kernels reach, one table for every run");

/// What an accelerator reaches of its data sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// ε: large matrix products of the shapes that training has, as a fraction of the dense 16-bit peak.
    pub matmul: f64,
    /// β: element-wise kernels, as a fraction of the memory bandwidth.
    pub memory: f64,
    /// Fused attention, forward and backward, as fractions of the peak.
    pub attention: [f64; 2],
    /// Seconds that an element-wise kernel takes beside moving its bytes.
    pub latency: f64,
    /// Who says so.
    pub source: &'static str,
}

/// Seconds that a kernel takes beside its work. Calculon's table for A100 gives products of 1 GFLOP 60% of the speed of
/// large ones and of 16 GFLOP 90%: about the time of 1 GFLOP each (`systems/a100_80e.json`).
pub const LAUNCH: f64 = 4e-6;

/// Fused attention forward and backward, of the peak, the masked half not counted and the backward pass's five products as
/// 2.5 times the forward pass: FlashAttention-2 on A100 (arXiv:2307.08691, §4) and FlashAttention-3 on H100
/// (arXiv:2407.08608, §4) both reach about this with heads of 128.
const FLASH: [f64; 2] = [0.62, 0.53];
/// The same on B200: SimuMax's averages for long sequences, which count the masked half, halved.
const FLASH_B200: [f64; 2] = [0.5, 0.4];

/// Products of many experts, of what one large product reaches: 0.60 to 0.70 on H100 (SimuMax, `h100_nvlink.json`).
pub const GROUPED: f64 = 0.857;

/// Products in fp8, of what those in 16 bits reach: of the FLOPs, and of the bandwidth where they wait for weights. On an H100 aiconfigurator
/// measured 0.55 of the fp8 peak beside 0.72 of the bf16 peak, and 0.61 of the bandwidth beside 0.81 (ai-dynamo/aiconfigurator 0.8.0, its table of
/// products on H100).
pub const FP8: [f64; 2] = [0.76, 0.75];

/// What collectives reach of a link's peak: 0.67 to 0.74 over NVLink on B200, 0.7 over NVLink on A100 and over InfiniBand on
/// H100 (SimuMax, `configs/system`).
pub const LINK: f64 = 0.7;

/// Seconds that starting a collective takes (NCCL's tuner, `src/graph/tuning.cc`).
pub const COLLECTIVE: f64 = 8.4e-6;

/// Shapes of training, of the best shape that a search finds: 0.75 of 0.869 on A100, 0.70 of 0.803 on H100.
const TYPICAL: f64 = 0.87;

const SIMUMAX: &str = "MooreThreads/SimuMax, configs/system at e691807: averages over the shapes of training";
const MAMF: &str = "stas00/ml-engineering, maximum achievable matmul FLOPS, times 0.87 for the shapes of training";
const ASSUMED: &str = "assumed: nobody has published it";

/// What `gpu` reaches. The figures for A100, H100 and B200 are averages over the products of transformer layers; for others
/// the best product that was found is taken down by as much as it is on A100 and H100.
pub fn reached(gpu: &Accelerator) -> Reached {
    let (matmul, memory, latency, source) = match gpu.id {
        "a100-40" | "a100-80" => (0.75, 0.70, 40e-6, SIMUMAX),
        "h100-80" | "h100-pcie-80" | "h200-141" => (0.70, 0.85, 20e-6, SIMUMAX),
        "b200" | "b300" => (0.488, 0.666, 30e-6, SIMUMAX),
        "gb200" => (0.729 * TYPICAL, 0.7, 30e-6, MAMF),
        "mi300x" => (0.514 * TYPICAL, 0.7, 30e-6, MAMF),
        "mi325x" => (0.604 * TYPICAL, 0.7, 30e-6, MAMF),
        "mi355x" => (0.68 * TYPICAL, 0.7, 30e-6, MAMF),
        "gaudi2" => (0.969 * TYPICAL, 0.7, 30e-6, MAMF),
        "gaudi3" => (0.741 * TYPICAL, 0.7, 30e-6, MAMF),
        _ => (0.7, 0.7, 30e-6, ASSUMED),
    };
    let attention = if matches!(gpu.id, "b200" | "b300") { FLASH_B200 } else { FLASH };
    Reached { matmul, memory, attention, latency, source }
}
