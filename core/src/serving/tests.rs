use super::step::{Chunk, Deployment, Quant, Reach};
use crate::hardware;
use crate::model::presets;

fn deployment(model: &str, gpu: &str, tp: u64, quant: Quant) -> Deployment {
    Deployment {
        shape: presets::find(model).expect("there").shape,
        gpu: hardware::find(gpu).expect("there"),
        tp,
        quant,
        kv_bits: if quant == Quant::Bf16 { 16 } else { 8 },
        reach: Reach::Kernels,
    }
}

#[test]
fn decoding_alone_is_the_weights_over_the_bandwidth() {
    let peak = Deployment { reach: Reach::Peak, ..deployment("llama-3-8b", "h100-80", 1, Quant::Bf16) };
    let engine = peak.engine().expect("fits");
    let step = engine.decode(1, 0);
    let weights = (8_030_261_248.0 - 128_256.0 * 4096.0) * 2.0;
    assert!((step.products / (weights / 3.35e12) - 1.0).abs() < 1e-3, "{step:?}");
    assert!(!step.compute_bound && engine.prefill(1, 2048).compute_bound);
    assert_eq!(engine.per_token, 131_072.0);
    assert_eq!((step.communication, step.launches), (0.0, 0.0));
}

#[test]
fn chunks_of_a_prompt_do_the_work_of_the_prompt() {
    for model in ["llama-3-70b", "gemma-2-27b"] {
        let engine = deployment(model, "h100-80", 4, Quant::Bf16).engine().expect("fits");
        let whole = engine.step([Chunk { new: 8192, past: 0 }]);
        let head = 2.0 * 15.0 * engine.step([Chunk { new: 1, past: 0 }]).flop;
        let parts: f64 = (0..16).map(|i| engine.step([Chunk { new: 512, past: 512 * i }]).flop).sum();
        assert!(parts >= whole.flop && parts - whole.flop < head, "{model}: {parts} {}", whole.flop);
    }
}

/// NVIDIA/TensorRT-LLM, docs/source/performance.md at 138f96d (v0.6.1), "Peak Throughput": static batches in fp8 on H100, in fp16 on
/// A100. Model, GPU, TP, batch, input, output, tokens a second of a GPU.
type Row = (&'static str, &'static str, u64, u64, u64, u64, f64);
const TENSORRT: [Row; 11] = [
    ("llama-2-7b", "h100-80", 1, 768, 128, 128, 19_694.0),
    ("llama-2-7b", "h100-80", 1, 112, 128, 2048, 6818.0),
    ("llama-2-7b", "h100-80", 1, 80, 2048, 128, 2244.0),
    ("llama-2-7b", "h100-80", 1, 48, 2048, 2048, 2740.0),
    ("llama-2-70b", "h100-80", 2, 1024, 128, 128, 2657.0),
    ("llama-2-70b", "h100-80", 4, 480, 128, 2048, 1486.0),
    ("llama-2-70b", "h100-80", 2, 96, 2048, 128, 306.0),
    ("llama-2-70b", "h100-80", 2, 64, 2048, 2048, 547.0),
    ("llama-2-7b", "a100-80", 1, 384, 128, 128, 5586.0),
    ("llama-2-7b", "a100-80", 1, 60, 128, 2048, 1928.0),
    ("llama-2-7b", "a100-80", 1, 52, 2048, 128, 591.0),
];

/// The 7B model is met within a third, most rows within 15%. On the 70B model the engine of that time was up to 2.6 times slower than
/// its kernels; MLPerf's of a year later was 1.2 times.
#[test]
fn static_batches_are_as_fast_as_measured() {
    for (model, gpu, tp, batch, input, output, measured) in TENSORRT {
        let quant = if gpu == "h100-80" { Quant::Fp8 } else { Quant::Bf16 };
        let engine = deployment(model, gpu, tp, quant).engine().expect("fits");
        let decode: f64 = (1..output).map(|i| engine.decode(batch, input + i).time()).sum();
        let rate = (batch * output) as f64 / (engine.prefill(batch, input).time() + decode) / tp as f64;
        let (low, high) = if model == "llama-2-7b" { (0.85, 1.35) } else { (1.3, 2.6) };
        let ratio = rate / measured;
        assert!(
            (low..high).contains(&ratio),
            "{model} {gpu} {batch} × {input}/{output}: {rate:.0}, measured {measured}"
        );
    }
}
