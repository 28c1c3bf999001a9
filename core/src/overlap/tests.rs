use super::technique::Setup;
use super::*;
use crate::catalogue::examples;
use crate::declare::Model as _;
use crate::query::Query;
use crate::tensor_parallel::Split;
use crate::tensor_parallel::cost::{Machine as Ranks, Widths};

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

fn map(query: &str) -> Map {
    Map::new(&params(query)).unwrap_or_else(|e| panic!("{query}: {e}"))
}

/// Tokens from which on the technique of `query` hides, over links without latency.
fn without_latency(query: &str) -> Option<f64> {
    let params = params(query);
    let mut setup = Setup::new(&params).unwrap_or_else(|e| panic!("{query}: {e}"));
    setup.machine.fabric.tiers.iter_mut().for_each(|tier| tier.latency = 0.0);
    setup.column(params.technique, params.gpus).hides_from
}

fn near(a: Option<f64>, b: f64) {
    assert!(a.is_some_and(|a| (a / b - 1.0).abs() < 1e-9), "{a:?} is not {b}");
}

/// "GPUs", Data Parallelism: 990e12 / 450e9 = 2200 tokens within a node, 990e12 / 400e9 = 2475 beyond; our H100 has 989 TFLOP/s.
#[test]
fn data_parallelism_needs_as_many_tokens_as_the_link_has_flops_for_a_byte() {
    let (inside, across): (f64, f64) = (989e12 / 450e9, 989e12 / 400e9);
    assert!((inside / 2200.0 - 1.0).abs() < 2e-3 && (across / 2475.0 - 1.0).abs() < 2e-3);
    let small = "model=llama-3-8b&seq=1";
    // (n − 1)/n of it, which the book drops: all but 1/1024 of it on 1024 GPUs, 7/8 on eight.
    near(without_latency(&format!("technique=fsdp&gpus=1024&{small}")), across * 1023.0 / 1024.0);
    near(without_latency(&format!("technique=fsdp&gpus=8&{small}&gpu=b300")), 2250e12 / 900e9 * 7.0 / 8.0);
    near(without_latency("technique=ddp&gpus=8&model=llama-2-7b&seq=1&gpu=b300"), 2250e12 / 900e9 * 7.0 / 8.0);
    // Chapter 8's 2F/B for fp32, and 1.5 F/B for FSDP, whose gathers stay in 16 bits.
    near(without_latency("technique=ddp&gpus=1024&model=gpt2-xl&seq=1&reduce=fp32"), 2.0 * across * 1023.0 / 1024.0);
    near(without_latency(&format!("technique=fsdp&gpus=1024&{small}&reduce=fp32")), 1.5 * across * 1023.0 / 1024.0);
}

/// "GPUs", MoE models: E/k times as many.
#[test]
fn experts_that_are_not_used_are_sent_all_the_same() {
    let spread = |model: &str| {
        let params = params(&format!("model={model}"));
        let shape = params.shape();
        let layer = Layer::of(shape, None);
        2.0 * layer.weights / layer.flops
    };
    assert_eq!(spread("llama-3-70b"), 1.0);
    let mixtral = spread("mixtral-8x7b");
    assert!((3.0..4.0).contains(&mixtral), "8 experts of which 2 are used, and attention besides: {mixtral}");
    // DeepSeek-V3's first three layers are dense. What must hide is a layer with experts: 11.5 B parameters, of which a token uses 0.58 B.
    let deepseek = spread("deepseek-v3");
    assert!((deepseek - 19.7).abs() < 0.05, "{deepseek}");
    let (ratio, n) = (989e12 / 400e9, 1024.0);
    near(
        without_latency("technique=fsdp&gpus=1024&model=mixtral-8x7b&seq=1"),
        book::data_tokens(ratio, mixtral) * (n - 1.0) / n,
    );
}

/// "GPUs", Tensor Parallelism: Y < F · W / C, "about 11-way" for F = 28 000 beyond a node and F/2200 within.
#[test]
fn tensor_parallelism_hides_up_to_a_number_of_ranks_whatever_the_tokens() {
    let inside = 989e12 / 450e9;
    assert_eq!((book::tensor_ranks(28_000.0, 2475.0) as u64, book::tensor_ranks(28_672.0, inside) as u64), (11, 13));
    // A rack of 72 with H100s: 8 ranks hide, 16 do not. The layer as a whole has p/4h = 26 112 for the book's 28 672.
    let layer = map("model=llama-3-70b").layer;
    assert_eq!(layer.weights / 4.0 / layer.hidden, 26_112.0);
    let rack = |n: u64| {
        without_latency(&format!("technique=tp&gpus={n}&node=72&nics=72&seq=1&gpu=gb200&link=nvlink4&net=ndr&mfu=0.4"))
    };
    assert_eq!(map("gpu=gb200&mfu=0.4&link=nvlink4").machine.speed, 1e15);
    assert_eq!((rack(8), rack(16)), (Some(1.0), None));
    let bound = 26_112.0 / (1e15 / 450e9) + 1.0;
    assert!((8.0..16.0).contains(&bound));
    // The book's MLP of two matrices, by the same inequality: n − 1 ≤ f · B/F.
    for wide in [8192.0, 14_336.0, 28_672.0_f64] {
        let (h, ranks) = (4096.0, book::tensor_ranks(wide, inside) + 1.0);
        let pass = Pass {
            fixed: 0.0,
            per_token: 2.0 * 2.0 * h * (ranks - 1.0) / 450e9,
            work: 2.0 * 2.0 * h * wide / 989e12,
            pairs: 0.0,
        };
        assert!((pass.per_token / pass.work - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_layer_sends_what_chapter_10_says() {
    for (model, n) in [("llama-3-70b", 8), ("llama-2-7b", 4), ("gpt3-175b", 8), ("llama-3.1-405b", 16)] {
        let map = map(&format!("technique=tp&model={model}&gpus={n}&tokens=1024&seq=1024&gpu=b300&link=nvlink4"));
        let widths = Widths::of(map.params.shape(), 1024, n).expect("has heads");
        let machine = Ranks { fabric: map.machine.fabric, speed: map.machine.speed, overlap: false };
        let layer = widths.cost(n as usize, Split::PAIR, true, &machine);
        let setup = Setup::new(&map.params).expect("sound");
        let terms = setup.terms(Technique::Tensor, n, n);
        // Two passes of a gather and a reduction around each half; the third gather of the backward pass is counted apart there.
        let [forward, backward]: [f64; 2] = terms.send(1024.0);
        assert!((2.0 * forward / layer.communication - 1.0).abs() < 1e-12, "{model}: {forward}, {layer:?}");
        assert!((backward / forward - 1.5).abs() < 1e-9);
    }
}

/// "Training", Combining FSDP and Tensor Parallelism: the best mix has √(F/T) tensor-parallel ranks, where both send for as long.
#[test]
fn the_best_mix_on_equal_links_is_the_book_s() {
    assert!((book::mix_ranks(32_768.0, 48_000.0 / 64.0) - 64.0 / 9.68).abs() < 0.01, "X ≈ 9.7 of 64 by √(BN/F)");
    for tokens in [64_u64, 256, 1024, 4096] {
        let p = params(&format!("technique=fsdp-tp&gpus=64&node=64&nics=64&tokens={tokens}&seq=1&gpu=b300"));
        let mut setup = Setup::new(&p).expect("sound");
        setup.machine.fabric.tiers.iter_mut().for_each(|tier| tier.latency = 0.0);
        let forward = |tp: u64| setup.terms(Technique::Mix, 64, tp).send(tokens as f64)[0];
        let best = [1_u64, 2, 4, 8, 16, 32, 64].into_iter().min_by(|a, b| forward(*a).total_cmp(&forward(*b)));
        let best = best.expect("one of seven") as f64;
        // p/4h for the width of the MLP, to the next power of two.
        let ideal = book::mix_ranks(26_112.0, tokens as f64);
        assert!((best / ideal).log2().abs() <= 0.55, "{tokens}: {best}, {ideal}");
    }
}

/// "GPUs", Pop Quiz 3: an inner axis of at most a node leaves the time of the outer gathering as it is.
#[test]
fn slices_inside_a_node_of_eight_do_not_make_shards_hide_sooner() {
    let fsdp = without_latency("technique=fsdp&gpus=1024&seq=1").expect("hides");
    for tp in [2, 4, 8] {
        let mix = without_latency(&format!("technique=fsdp-tp&tp={tp}&gpus=1024&seq=1")).expect("hides");
        assert!((mix / fsdp - 1.0).abs() < 0.01, "tp {tp}: {mix}, {fsdp}");
    }
    // In a rack of 72 with a port for each GPU the ports together are four times an NVLink: four ranks make it hide four times as soon.
    let rack = "gpu=gb200&gpus=1152&node=72&nics=72&seq=1";
    let alone = without_latency(&format!("technique=fsdp&{rack}")).expect("hides");
    let mixed = without_latency(&format!("technique=fsdp-tp&tp=4&{rack}")).expect("hides");
    assert!((alone / mixed - 4.0).abs() < 0.02, "{alone}, {mixed}");
}

/// Liu et al. 2023, §3: a block of c tokens hides if c ≥ F/B, without a mask and with as many key–value heads as query heads.
#[test]
fn a_ring_hides_from_some_tokens_on_and_grouped_heads_divide_them() {
    let ratio = 989e12 / 450e9;
    near(without_latency("technique=cp&gpus=8&model=llama-2-7b"), 2.0 * ratio);
    near(without_latency("technique=cp&gpus=8&model=llama-3-8b"), 2.0 * ratio / 4.0);
    // Between nodes a rank has one port for its neighbour.
    near(without_latency("technique=cp&gpus=16&model=llama-3-8b"), 2.0 * 989e12 / 50e9 / 4.0);
}

#[test]
fn what_sends_for_each_token_hides_or_does_not_whatever_the_tokens() {
    assert_eq!(
        without_latency("technique=pp&gpus=16&model=gpt3-175b&seq=1"),
        None,
        "its states fill more than 16 GPUs"
    );
    assert_eq!(without_latency("technique=pp&gpus=32&model=gpt3-175b&seq=1&gpu=h200-141"), Some(1.0));
    assert_eq!(without_latency("technique=ep&gpus=64&model=deepseek-v3&seq=1&gpu=b300"), None);
    let inside = without_latency("technique=ep&gpus=8&model=mixtral-8x7b&seq=1&gpu=b300");
    assert_eq!(inside, Some(1.0));
}

#[test]
fn what_cannot_be_done_is_said() {
    let verdict = |query: &str| match map(query).chosen().map(|place| place.verdict.clone()) {
        Some(Verdict::Impossible(why)) => why,
        other => panic!("{query}: {other:?}"),
    };
    assert_eq!(verdict("technique=ddp"), "the states take 1.13 TB of each GPU’s 84.9 GB");
    assert_eq!(verdict("technique=tp&gpus=128"), "64 heads do not come out evenly among 128 ranks");
    assert_eq!(verdict("technique=ep"), "Llama 3 70B has no experts");
    assert_eq!(verdict("technique=ep&model=deepseek-v3&gpus=96"), "256 experts do not come out evenly among 96 GPUs");
    assert_eq!(verdict("technique=pp&gpus=128"), "80 layers are too few for 128 stages");
    assert_eq!(verdict("technique=fsdp-tp&tp=16&gpus=24"), "24 GPUs are no multiple of 16");
    assert_eq!(verdict("technique=fsdp&tokens=2048&seq=4096"), "2,048 tokens are no whole sequence of 4,096");
    assert_eq!(verdict("technique=fsdp-tp&tp=4&tokens=512&seq=4096"), "2,048 tokens are no whole sequence of 4,096");
}

/// At every place: exposed below what [`Column::hides_from`] says and free above, possible from where it says.
#[test]
fn columns_and_places_agree() {
    for technique in Technique::ALL {
        for rest in [
            "",
            "&model=mixtral-8x7b&gpu=h200-141",
            "&gpu=a100-80&nics=1&seq=512",
            "&gpu=gb200&node=72&nics=72&seq=128&attention=true",
        ] {
            let params = params(&format!("technique={}{rest}", technique.id()));
            let setup = Setup::new(&params).expect("sound");
            for gpus in [1, 2, 8, 16, 64, 512, 4096] {
                let column = setup.column(technique, gpus);
                let mut last = f64::INFINITY;
                for tokens in (4..72).map(|quarter| 2_f64.powf(f64::from(quarter) / 4.0)) {
                    let place = setup.place(technique, gpus, tokens);
                    let expected = match (column.possible_from, column.hides_from) {
                        (Some(possible), _) if tokens < possible => "impossible",
                        (None, _) => "impossible",
                        (_, Some(hides)) if tokens >= hides => "free",
                        _ => "exposed",
                    };
                    let found = match place.verdict {
                        Verdict::Free => "free",
                        Verdict::Exposed => "exposed",
                        Verdict::Impossible(_) => "impossible",
                    };
                    let on_the_edge = column.hides_from.is_some_and(|hides| (tokens / hides - 1.0).abs() < 1e-9);
                    assert!(
                        found == expected || on_the_edge,
                        "{technique:?}{rest} on {gpus} with {tokens}: {found}, {column:?}"
                    );
                    if found == "exposed" && technique != Technique::Mix {
                        let share = place.terms.exposed(tokens) / place.terms.arithmetic(tokens).iter().sum::<f64>();
                        assert!(
                            share <= last * (1.0 + 1e-9),
                            "{technique:?}{rest}: more tokens expose no more of a layer"
                        );
                        last = share;
                    }
                }
            }
        }
    }
}

#[test]
fn the_least_tokens_solve_the_inequality() {
    let seconds = [0.0, 1e-6, 1e-3];
    for (fixed, per_token, work, pairs) in seconds
        .into_iter()
        .flat_map(|a| seconds.into_iter().map(move |b| (a, b)))
        .flat_map(|(a, b)| seconds.into_iter().flat_map(move |c| [0.0, 1e-9, 1e-5].map(|d| (a, b, c, d))))
    {
        let pass = Pass { fixed, per_token, work, pairs };
        match pass.hides_from() {
            Some(tokens) => {
                assert!(
                    tokens >= 0.0 && pass.exposed(tokens * (1.0 + 1e-9) + 1e-9) <= 1e-12 * pass.send(tokens),
                    "{pass:?}"
                );
                let before = tokens * 0.99;
                assert!(tokens < 1e-9 || pass.send(before) > pass.arithmetic(before), "{pass:?}: {tokens}");
            }
            None => assert!([1.0, 1e3, 1e6].iter().all(|t| pass.exposed(*t) > 0.0), "{pass:?}"),
        }
    }
}

#[test]
fn a_batch_stretches_to_where_it_is_exposed() {
    let map = map("technique=fsdp&gpus=512&tokens=8192");
    let most = map.stretches();
    let hides = |gpus: u64| {
        let tokens = map.batch() / gpus as f64;
        map.columns.iter().find(|c| c.gpus == gpus).and_then(|c| c.hides_from).is_some_and(|from| tokens >= from)
    };
    assert!(hides(most) && !hides(most * 2), "{most}");
}

#[test]
fn every_question_shows_what_it_is_there_for() {
    let found: Vec<_> = examples(Params::ID)
        .iter()
        .map(|query| {
            let map = map(query);
            let finding = map.finding();
            assert!(finding.ends_with('.') && !finding.contains("NaN"), "{finding}");
            map.chosen().map(|place| place.verdict.clone())
        })
        .collect();
    use Verdict::{Exposed, Free};
    assert_eq!(found, [Free, Exposed, Free, Free, Free, Exposed].map(Some));
}

/// Every combination of extremes and a few values between gives finite numbers and sentences.
#[test]
fn no_state_breaks_it() {
    let mut stream = crate::mix::Stream::new(26);
    let mut pick = |list: &[&str]| list[(stream.unit() * list.len() as f64) as usize % list.len()].to_owned();
    for _ in 0..400 {
        let query = format!(
            "technique={}&gpu={}&gpus={}&tokens={}&model={}&seq={}&reduce={}&tp={}&attention={}&mfu={}&reach={}&node={}&nics={}&sockets={}&spine={}",
            pick(&["ddp", "fsdp", "tp", "fsdp-tp", "cp", "ep", "pp"]),
            pick(&["h100-80", "mi300x", "tpu-v4", "rtx-4090", "b300"]),
            pick(&["1", "2", "3", "7", "64", "72", "1000", "16384"]),
            pick(&["64", "1000", "262144"]),
            pick(&[
                "gpt2-xl",
                "llama-2-7b",
                "llama-3-8b",
                "llama-3-70b",
                "llama-3.1-405b",
                "gpt3-175b",
                "mixtral-8x7b",
                "deepseek-v3"
            ]),
            pick(&["1", "4096", "1048576"]),
            pick(&["bf16", "fp32"]),
            pick(&["0", "1", "3", "64"]),
            pick(&["true", "false"]),
            pick(&["0.05", "1"]),
            pick(&["0.05", "1"]),
            pick(&["1", "8", "72"]),
            pick(&["1", "8", "72"]),
            pick(&["1", "2", "4"]),
            pick(&["1", "64"]),
        );
        let map = map(&query);
        for quantity in map.params.quantities(&map) {
            assert!(quantity.value.is_finite(), "{query}: {}", quantity.id);
        }
        let finding = map.finding();
        assert!(finding.ends_with('.') && !finding.contains("NaN") && !finding.contains('–'), "{query}: {finding}");
    }
}
