use proptest::prelude::*;

use super::buckets::assign;
use super::tensors::pieces;
use super::timeline::{Kind, Stream, Timeline};
use super::{GradientType, Iteration, Params, Part, Sampler, Split};
use crate::declare::Model as _;
use crate::model::presets;
use crate::query::Query;
use crate::units::MIB;

fn params(text: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(text));
    assert_eq!(problems, [], "{text}");
    params
}

fn run(text: &str) -> Timeline {
    Timeline::new(&params(text)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn quantity(text: &str, id: &str) -> f64 {
    let evaluation = (Params::ENTRY.evaluate)(&Query::parse(text));
    evaluation.get(id).unwrap_or_else(|| panic!("{text} has no {id}: {:?}", evaluation.error))
}

#[test]
fn buckets_close_with_the_tensor_that_reaches_the_limit() {
    // torch.distributed._compute_bucket_assignment_by_size with three Linear(512, 512) in fp32, torch 2.2.2:
    // limits [1 MiB, 1 MiB] → [[0], [1, 2], [3, 4], [5]], no limit → [[0, 1, 2, 3, 4, 5]].
    let sizes = [1_048_576.0, 2048.0, 1_048_576.0, 2048.0, 1_048_576.0, 2048.0];
    let of = |limits: &[f64]| assign(sizes.into_iter().enumerate(), limits);
    assert_eq!(of(&[MIB, MIB]), [vec![0], vec![1, 2], vec![3, 4], vec![5]]);
    assert_eq!(of(&[f64::INFINITY]), [vec![0, 1, 2, 3, 4, 5]]);
    assert_eq!(of(&[1.0, 2.0 * MIB]), [vec![0], vec![1, 2, 3, 4], vec![5]]);
}

#[test]
fn every_model_is_all_of_its_parameters() {
    let mut shown = 0;
    for preset in presets::ALL {
        let Ok(list) = pieces(&preset.shape, 1024) else { continue };
        shown += 1;
        let count = preset.shape.count().expect(preset.id).total as f64;
        assert_eq!(list.iter().map(|p| p.elements).sum::<f64>(), count, "{}", preset.id);
        let flops: f64 = list.iter().map(|p| p.flops).sum();
        let all = preset.shape.forward_flops(1024, true).total();
        assert!((flops / all - 1.0).abs() < 1e-9, "{}: {flops} {all}", preset.id);
        let parts: Vec<Part> = list.iter().map(|p| p.part).collect();
        let layers = parts.iter().filter(|p| matches!(p, Part::Layer(_))).count();
        assert!(parts[0] == Part::Input && *parts.last().expect("some") == Part::Output && layers > 0, "{}", preset.id);
    }
    assert!(shown > presets::ALL.len() / 2, "{shown}");
}

#[test]
fn the_first_iteration_hides_nothing_and_the_next_most_of_it() {
    let first = run("iteration=first");
    assert_eq!(first.buckets.len(), 1);
    assert!(first.hidden() < 1e-12 && (first.exposed / first.communicating - 1.0).abs() < 1e-12);
    let later = run("");
    assert!(later.buckets.len() > 10 && later.end() < first.end() && later.exposed < first.exposed);
    // The first bucket: what comes first in the backward pass, up to 1 MiB.
    assert!(
        later.buckets[0].bytes >= MIB && later.buckets[0].tensors.iter().all(|&i| later.pieces[i].part != Part::Input)
    );
    let embedding = later.buckets.last().expect("buckets");
    assert!(embedding.tensors.iter().any(|&i| later.pieces[i].name == "embed_tokens"));
    assert_eq!(first.reduced, later.reduced);
    assert_eq!(later.reduced, 4.0 * 124_439_808.0);
}

#[test]
fn looking_for_unused_parameters_puts_the_small_bucket_last() {
    let t = run("model=llama-3-8b&find-unused=true&seq=256&mbs=1");
    let first = t.buckets.last().expect("buckets");
    assert_eq!(first.tensors, [0], "the embedding, registered first, fills the first bucket and goes last");
    assert!(t.buckets.windows(2).all(|w| w[0].tensors[0] > w[1].tensors[0]));
    assert!(t.blocks.iter().any(|b| b.kind == Kind::Search) && t.blocks.iter().any(|b| b.kind == Kind::Map));
}

#[test]
fn a_skipped_layer_stalls_its_bucket_and_those_behind_it() {
    let stalled = run("skip=true&skip-layer=6");
    let started = stalled.blocks.iter().filter(|b| matches!(b.kind, Kind::AllReduce(_))).count();
    assert!(stalled.stalled > 0 && started > 0);
    assert_eq!(started + stalled.stalled, stalled.buckets.len());
    let text = stalled.finding(&params("skip=true&skip-layer=6"));
    assert!(text.contains("never start: layer 6 was skipped"), "{text}");
    assert_eq!(quantity("skip=true&skip-layer=6&find-unused=true", "stalled"), 0.0);
    assert_eq!(quantity("skip=true&skip-layer=6&iteration=first", "stalled"), 1.0);
    // It stops there: no further micro-batch.
    assert!(run("skip=true&no-sync=false&microbatches=4").blocks.iter().all(|b| b.pass == 0));
    // A layer that the model does not have cannot be skipped.
    assert_eq!(quantity("skip=true&skip-layer=99", "stalled"), 0.0);
}

#[test]
fn accumulation_all_reduces_once_under_no_sync_and_every_time_without() {
    let (once, four) = (quantity("microbatches=4", "bytes"), quantity("microbatches=4&no-sync=false", "bytes"));
    assert_eq!(four, 4.0 * once);
    assert_eq!(once, quantity("", "bytes"));
    assert!(quantity("microbatches=4", "step-time") < quantity("microbatches=4&no-sync=false", "step-time"));
}

#[test]
fn a_view_saves_the_copies_and_half_of_the_memory() {
    assert_eq!(2.0 * quantity("view=true", "gradient-memory"), quantity("", "gradient-memory"));
    assert!(quantity("view=true", "compute") < quantity("", "compute"));
    let copies = quantity("", "compute") - quantity("view=true", "compute");
    // In and back, read and written each time.
    assert!((copies / (4.0 * 4.0 * 124_439_808.0 / params("").gpu.bandwidth) - 1.0).abs() < 1e-9);
}

#[test]
fn a_measured_backward_pass_is_taken() {
    let t = run("backward-ms=30&view=true");
    let backward: f64 = t.blocks.iter().filter(|b| matches!(b.kind, Kind::Backward(_))).map(|b| b.end - b.start).sum();
    assert!((backward - 0.03).abs() < 1e-12, "{backward}");
    let forward = t.blocks[0];
    assert!(forward.kind == Kind::Forward && (forward.end - 0.015).abs() < 1e-12);
}

#[test]
fn the_default_by_hand() {
    let p = params("");
    let t = run("");
    // Backward: twice the forward FLOPs of 8 × 1024 tokens at 40 % of the peak; copies beside it.
    let flops = p.model.shape().expect("a shape").forward_flops(1024, true).total();
    let forward = flops * 8192.0 / (0.4 * p.gpu.peak);
    let copies = 4.0 * t.gradients / p.gpu.bandwidth;
    assert!((t.computing / (3.0 * forward + copies) - 1.0).abs() < 1e-12);
    // Two nodes of eight: every all-reduce is a ring over eight ports of 50 GB/s.
    let wire: f64 = t.buckets.iter().map(|b| 2.0 * 15.0 / 16.0 * b.bytes / 400e9).sum();
    let hops = t.buckets.len() as f64 * 2.0 * (14.0 * 3.4e-6 + 14e-6);
    assert!(t.communicating <= wire + hops + 1e-12 && t.communicating > wire, "{} {wire} {hops}", t.communicating);
    assert!((t.end() - (t.computing + t.exposed)).abs() < 1e-12);
    // Forward, head, and then the first bucket, while layer 11 still computes.
    let kinds: Vec<Kind> = t.order().iter().take(4).map(|&i| t.blocks[i as usize].kind).collect();
    let backward = |part| Kind::Backward(part);
    assert_eq!(kinds, [Kind::Forward, backward(Part::Output), Kind::AllReduce(0), backward(Part::Layer(11))]);
}

#[test]
fn the_trace_is_json_with_every_piece_of_work() {
    let t = run("microbatches=2&find-unused=true&join=true");
    let trace: serde_json::Value = serde_json::from_str(&t.chrome_trace("a \"step\"")).expect("JSON");
    let work: Vec<_> = trace["traceEvents"].as_array().expect("events").iter().filter(|e| e["ph"] == "X").collect();
    assert_eq!(work.len(), t.blocks.len());
    let end = work.iter().filter_map(|e| Some(e["ts"].as_f64()? + e["dur"].as_f64()?)).fold(0.0, f64::max);
    assert!((end / (t.end() * 1e6) - 1.0).abs() < 1e-12);
    assert!(work.iter().any(|e| e["cat"] == "all-reduce" && e["args"]["bytes"].as_u64() > Some(0)));
}

#[test]
fn samplers_deal_out_as_pytorch_does() {
    // DistributedSampler(range(10), 4, shuffle=False): [0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]; with drop_last two each.
    let of = |split, shuffle| Sampler { dataset: 10, ranks: 4, split, shuffle };
    let list =
        |s: Sampler, rank: u64| (0..s.samples(rank)).filter_map(|k| s.at(rank, k)).map(|(i, _)| i).collect::<Vec<_>>();
    let pad = of(Split::Pad, None);
    assert_eq!([0, 1, 2, 3].map(|r| list(pad, r)), [vec![0, 4, 8], vec![1, 5, 9], vec![2, 6, 0], vec![3, 7, 1]]);
    assert_eq!((pad.repeated(), pad.at(2, 2), pad.at(0, 3), pad.at(4, 0)), (2, Some((0, true)), None, None));
    let drop = of(Split::Drop, None);
    assert_eq!([0, 3].map(|r| list(drop, r)), [vec![0, 4], vec![3, 7]]);
    assert_eq!(drop.dropped(), 2);
    let uneven = of(Split::Uneven, None);
    assert_eq!([0, 1, 2, 3].map(|r| uneven.samples(r)), [3, 3, 2, 2]);
    // More ranks than twice the samples: they are given out again and again.
    let few = Sampler { dataset: 3, ranks: 8, split: Split::Pad, shuffle: None };
    assert_eq!((0..8).filter_map(|r| few.at(r, 0)).map(|(i, _)| i).collect::<Vec<_>>(), [0, 1, 2, 0, 1, 2, 0, 1]);
}

#[test]
fn findings_say_what_there_is() {
    let text = |state: &str| run(state).finding(&params(state));
    assert!(text("").starts_with("The step takes "), "{}", text(""));
    assert!(text("").contains("hides behind the backward pass"));
    assert!(text("iteration=first").contains("a single bucket"));
    assert!(text("find-unused=true").contains("the search is for nothing"));
    assert!(text("find-unused=true&skip=true").contains("ready from the start"));
    assert!(text("microbatches=4").contains("Only the last of 4"));
    assert!(text("ranks=1").contains("nobody to share"));
    let says = |state: &str| params(state).sampling();
    assert_eq!(
        says("ranks=4&dataset=10&mbs=1"),
        "10 samples for 4 ranks: rank 0 reads 3, as every rank does; 2 samples are read twice."
    );
    assert!(says("ranks=4&dataset=10&mbs=1&sampler=drop").ends_with("2 samples are read by nobody."));
    let uneven = "ranks=4&dataset=10&mbs=1&sampler=uneven";
    assert!(says(uneven).ends_with("Rank 3 is done after 2 batches; in batch 3 the others wait for it for ever."));
    assert!(says(&format!("{uneven}&join=true")).ends_with("all-reduces of the others with zeros."));
    assert!(says("epoch=3&set-epoch=false").ends_with("epoch 3 has the order of epoch 0 again."));
    assert_eq!(
        says("ranks=4&dataset=8"),
        "8 samples for 4 ranks: rank 0 reads 2, as every rank does, each sample once."
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_shuffle_has_every_sample_once(dataset in 1_u64..400, ranks in 1_u64..20, epoch in 0_u64..5) {
        let sampler = Sampler { dataset, ranks, split: Split::Uneven, shuffle: Some(epoch) };
        let mut all: Vec<u64> =
            (0..ranks).flat_map(|r| (0..sampler.samples(r)).filter_map(move |k| sampler.at(r, k)).map(|(i, _)| i)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..dataset).collect::<Vec<_>>());
    }

    /// Whatever the settings: streams do one thing at a time, nothing is reduced before it is there, nothing is lost.
    #[test]
    fn timelines_hold_together(
        ranks in 1_u64..64, node in 1_u64..9, cap in 0.01..100.0_f64, first in 0.01..10.0_f64, m in 1_u64..5,
        flags in any::<[bool; 7]>(), layer in 0_u64..12
    ) {
        let [first_iteration, find_unused, skip, no_sync, view, join, fp32] = flags;
        let iteration = if first_iteration { Iteration::First } else { Iteration::Later };
        let gradients = if fp32 { GradientType::Fp32 } else { GradientType::Bf16 };
        let base = params("seq=512&mbs=2");
        let p = Params {
            ranks, node, cap, first, microbatches: m, iteration, find_unused, no_sync, view, join, gradients,
            skip, skip_layer: layer, ..base
        };
        let t = Timeline::new(&p).expect("a timeline");
        for stream in [Stream::Compute, Stream::Nccl] {
            let blocks: Vec<_> = t.blocks.iter().filter(|b| b.stream() == stream).collect();
            prop_assert!(blocks.windows(2).all(|w| w[0].end <= w[1].start + 1e-12));
        }
        for block in &t.blocks {
            if let Some(after) = block.after {
                let cause = &t.blocks[after as usize];
                prop_assert!(cause.start <= block.start && cause.end >= 0.0);
            }
        }
        let mut tensors: Vec<usize> = t.buckets.iter().flat_map(|b| b.tensors.clone()).collect();
        tensors.sort_unstable();
        let all: Vec<usize> = (0..t.pieces.len()).filter(|&i| t.pieces[i].elements > 0.0).collect();
        prop_assert_eq!(tensors, all);
        prop_assert!(t.stalled > 0 || (t.end() - t.computing - t.exposed).abs() < 1e-9);
        prop_assert!((0.0..=1.0).contains(&t.hidden()));
        prop_assert!((0..t.blocks.len() as u32).all(|b| t.explain(b).ends_with('.')));
        let waited: f64 = t.waits().iter().map(|(from, to)| to - from).sum();
        prop_assert!(t.stalled > 0 || (waited - t.exposed).abs() < 1e-9);
        let busy: f64 = t.working(50).iter().sum::<f64>() / 50.0 * 2.0 * t.end();
        prop_assert!((busy - t.computing - t.communicating).abs() < 1e-9);
        prop_assert_eq!(t.order().len(), t.blocks.len());
        let path = t.critical_path();
        prop_assert!(path.windows(2).all(|w| t.blocks[w[1] as usize].after == Some(w[0])));
    }
}
