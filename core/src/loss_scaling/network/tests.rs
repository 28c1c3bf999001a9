use super::*;
use crate::loss_scaling::scaler;

fn losses(settings: Settings) -> (f64, f64, Run) {
    let run = train(&settings);
    (run.steps.first().map_or(0.0, |s| s.loss), run.last, run)
}

#[test]
fn explore() {
    use super::Compute::*;
    let fp16 = Settings { compute: Fp16, ..Settings::default() };
    let dynamic = Scaling::Dynamic(scaler::Settings::PYTORCH);
    let k = Keep::ALL;
    for (name, s) in [
        ("fp32", Settings::default()),
        ("tf32", Settings { compute: Tf32, ..fp16 }),
        ("bf16", Settings { compute: Bf16, ..fp16 }),
        ("bf16 no master", Settings { compute: Bf16, keep: Keep { master: false, ..k }, ..fp16 }),
        ("fp16 no master", Settings { keep: Keep { master: false, ..k }, ..fp16 }),
        (
            "bf16 no master low rate",
            Settings { compute: Bf16, keep: Keep { master: false, ..k }, rate: 0.002, steps: 400, ..fp16 },
        ),
        ("bf16 master low rate", Settings { compute: Bf16, rate: 0.002, steps: 400, ..fp16 }),
        ("fp8 scaled", Settings { compute: Fp8 { scaled: true }, ..fp16 }),
        ("fp8 raw", Settings { compute: Fp8 { scaled: false }, ..fp16 }),
        ("fp8 raw micro 1024", Settings { compute: Fp8 { scaled: false }, micro: 1024, ..fp16 }),
        ("fp8 scaled micro 1024", Settings { compute: Fp8 { scaled: true }, micro: 1024, ..fp16 }),
        ("fp16", fp16),
        ("fp16 micro 1024", Settings { micro: 1024, ..fp16 }),
        ("fp16 micro 4096", Settings { micro: 4096, ..fp16 }),
        ("fp16 micro 16384", Settings { micro: 16384, ..fp16 }),
        ("fp16 micro 4096 dyn", Settings { micro: 4096, scaling: dynamic, ..fp16 }),
        ("fp16 micro 1 dyn", Settings { scaling: dynamic, ..fp16 }),
        ("bf16 micro 4096", Settings { compute: Bf16, micro: 4096, ..fp16 }),
        ("fp16 static 2^20", Settings { scaling: Scaling::Static(1048576.0), ..fp16 }),
        ("fp32 mean 64", Settings { compute: Fp32, mean: 64.0, ..fp16 }),
        ("bf16 mean 16", Settings { compute: Bf16, mean: 16.0, ..fp16 }),
        ("bf16 mean 64", Settings { compute: Bf16, mean: 64.0, ..fp16 }),
        ("bf16 mean 4 norm", Settings { compute: Bf16, mean: 4.0, keep: Keep { norm: false, ..k }, ..fp16 }),
        ("bf16 mean 16 norm", Settings { compute: Bf16, mean: 16.0, keep: Keep { norm: false, ..k }, ..fp16 }),
        ("fp16 mean 16 norm", Settings { mean: 16.0, keep: Keep { norm: false, ..k }, ..fp16 }),
        ("fp16 mean 300 norm", Settings { mean: 300.0, keep: Keep { norm: false, ..k }, ..fp16 }),
        ("fp32 qk 256", Settings { compute: Fp32, qk: 256.0, ..fp16 }),
        ("fp16 qk 256", Settings { qk: 256.0, ..fp16 }),
        ("fp16 qk 256 logits", Settings { qk: 256.0, keep: Keep { logits: false, ..k }, ..fp16 }),
        ("fp16 qk 128 logits", Settings { qk: 128.0, keep: Keep { logits: false, ..k }, ..fp16 }),
        ("bf16 qk 256 logits", Settings { compute: Bf16, qk: 256.0, keep: Keep { logits: false, ..k }, ..fp16 }),
        ("bf16 softmax", Settings { compute: Bf16, keep: Keep { softmax: false, ..k }, ..fp16 }),
        ("fp16 loss", Settings { keep: Keep { loss: false, ..k }, scaling: dynamic, micro: 1024, ..fp16 }),
        ("bf16 loss", Settings { compute: Bf16, keep: Keep { loss: false, ..k }, micro: 1024, ..fp16 }),
        ("qat4", Settings { compute: Fp32, fake: Some(FakeQuant { bits: 4, per_channel: false }), ..fp16 }),
        ("qat3", Settings { compute: Fp32, fake: Some(FakeQuant { bits: 3, per_channel: false }), ..fp16 }),
        ("qat2", Settings { compute: Fp32, fake: Some(FakeQuant { bits: 2, per_channel: false }), ..fp16 }),
        ("qat2 channel", Settings { compute: Fp32, fake: Some(FakeQuant { bits: 2, per_channel: true }), ..fp16 }),
    ] {
        let (first, last, run) = losses(s);
        let end = run.steps.last().unwrap();
        let broken = run.steps.iter().position(|s| s.broken.is_some());
        let (counts, zero) = run.steps[0].gradients;
        let med = counts
            .iter()
            .scan(0, |a, c| {
                *a += c;
                Some(*a)
            })
            .position(|a| a * 2 > counts.iter().sum());
        println!(
            "{name:24} {first:.3} -> {last:.3} printed {} scale {} broken {broken:?} {:?} skipped {} zero {zero} med 2^{:?}",
            end.printed,
            end.scale,
            broken.map(|b| run.steps[b].broken),
            run.steps.iter().filter(|s| s.skipped).count(),
            med.map(|m| m as i32 - 50)
        );
    }
    for bits in [2, 3, 4, 5, 6, 8] {
        for per_channel in [false, true] {
            for outlier in [1.0, 16.0] {
                let base = Settings { outlier, ..Settings::default() };
                let fake = Some(FakeQuant { bits, per_channel });
                let float = train(&base);
                let ptq = super::train::held_out(&float.weights, &Settings { fake, ..base });
                let qat = train(&Settings { fake, ..base });
                println!(
                    "bits {bits} channel {per_channel} outlier {outlier}: float {:.3} ptq {ptq:.3} qat {:.3}",
                    float.last, qat.last
                );
            }
        }
    }
}
