//! What holds of every memory breakdown, whatever the input.

use proptest::prelude::*;
use ringside_core::catalogue;
use ringside_core::declare::Model as _;
use ringside_core::hardware;
use ringside_core::memory::activations::{Counting, Recompute};
use ringside_core::memory::{Concept, Convention, Dtype, Layout, Mode, Optimizer, Params, Verdict, breakdown};
use ringside_core::model::{Family, ModelRef, presets, shape};
use ringside_core::query::Query;

use crate::generate::{self, shapes};
use crate::layouts::{layout, numbers};

fn eval(query: &[(&str, &str)]) -> catalogue::Evaluation {
    let entry = catalogue::find("memory-breakdown").expect("it is in the catalogue");
    (entry.evaluate)(&Query::new(query.iter().copied()))
}

fn get(query: &[(&str, &str)], id: &str) -> f64 {
    let evaluation = eval(query);
    assert_eq!(evaluation.problems, []);
    evaluation.get(id).unwrap_or_else(|| panic!("{id}"))
}

/// The question of the reading map: 30 B in bf16; how much for weights, for Adam, and with ZeRO stage 3?
#[test]
fn the_question_of_the_reading_map() {
    let q = [("params", "30e9"), ("dtype", "bf16")];
    assert_eq!(get(&q, "weights"), 60e9);
    assert_eq!(get(&q, "optimizer"), 360e9);
    assert_eq!(get(&q, "optimizer") - get(&q, "master"), 240e9);
    assert_eq!(get(&q, "bytes-per-param"), 16.0);
    assert_eq!(get(&[("params", "30e9"), ("zero", "3"), ("dp", "64")], "total"), 7.5e9);
}

#[test]
fn bytes_a_parameter_by_optimizer_and_convention() {
    let of = |optimizer, dtype, convention| {
        get(
            &[("model", "llama-3-8b"), ("optimizer", optimizer), ("dtype", dtype), ("convention", convention)],
            "bytes-per-param",
        )
    };
    for (optimizer, mixed, fp32) in [
        ("adamw", 16.0, 16.0),
        ("adam8bit", 10.003_906_25, 10.003_906_25),
        ("sgd", 8.0, 8.0),
        ("momentum", 12.0, 12.0),
        ("lion", 12.0, 12.0),
    ] {
        assert_eq!(of(optimizer, "bf16", "zero"), mixed, "{optimizer}");
        assert_eq!(of(optimizer, "fp16", "zero"), mixed, "{optimizer}");
        assert_eq!(of(optimizer, "fp32", "zero"), fp32, "{optimizer}");
        assert_eq!(of(optimizer, "fp32", "megatron"), fp32, "{optimizer}");
        assert_eq!(of(optimizer, "fp32", "deepspeed"), fp32, "{optimizer}");
        assert_eq!(of(optimizer, "bf16", "megatron"), mixed + 2.0, "{optimizer}");
        assert_eq!(of(optimizer, "bf16", "deepspeed"), mixed + 4.0, "{optimizer}");
    }
    // Adafactor's second moment is next to nothing; Muon is AdamW for the embedding and the head only.
    let adafactor = of("adafactor", "bf16", "zero");
    assert!(adafactor > 8.0 && adafactor < 8.01, "{adafactor}");
    let muon = of("muon", "bf16", "zero");
    let outside = (2.0 * 525_336_576.0 + 266_240.0) / 8_030_261_248.0;
    assert!((muon - (12.0 + 4.0 * outside)).abs() < 1e-12, "{muon}");
}

#[test]
fn the_default_state_and_its_advice() {
    let result = breakdown(&Params::standard()).expect("the default is sound");
    assert_eq!(result.total.0, 480e9);
    assert_eq!(result.verdict, Verdict::DoesNotFit);
    assert_eq!(result.first_stage_that_fits().map(|row| row.stage), Some(2));
    let advice = result.suggestion().expect("it does not fit");
    assert_eq!(advice.change.get("zero"), Some("2"));
    assert_eq!(
        result.finding(),
        "Without ZeRO over 64 GPUs, each GPU would hold 480 GB: 395 GB more than the 84.9 GB it has. ZeRO\u{2011}2 is the first \
         stage that fits, with 18.4 GB left for activations. The optimizer states are the largest part, 75% of the total."
    );
    assert_eq!(
        advice.sentence,
        "The cheapest change that fits is ZeRO\u{2011}2: 66.6 GB on each GPU, with 18.4 GB left for activations. It costs no more \
         communication than plain data parallelism."
    );
    assert_eq!(
        result.rows.iter().map(|r| r.id).collect::<Vec<_>>(),
        ["weights", "gradients", "master", "momentum", "variance"]
    );
    assert_eq!(result.rows[0].formula, "2 bytes × 30 B");
    let sharded = breakdown(&Params { zero: 3, ..Params::standard() }).expect("sound");
    assert_eq!(sharded.rows[0].formula, "2 bytes × 30 B / 64");
    assert_eq!(sharded.suggestion(), None);
}

/// Llama 3.1 405B as it was trained at 8192 tokens: tp 8, pp 16, dp 128 (Llama 3, arXiv:2407.21783, Table 4), with
/// ZeRO-1.
const LLAMA: [(&str, &str); 8] = [
    ("model", "llama-3.1-405b"),
    ("tp", "8"),
    ("sp", "true"),
    ("pp", "16"),
    ("dp", "128"),
    ("microbatches", "16"),
    ("seq", "8192"),
    ("zero", "1"),
];

#[test]
fn what_an_optimizer_keeps_is_said_in_words() {
    let each = |optimizer| {
        let params = Params { optimizer, ..Params::standard() };
        breakdown(&params).expect("sound").each(Concept::Optimizer)
    };
    assert_eq!(each(Optimizer::AdamW), "master 4, momentum 4, variance 4 bytes");
    assert_eq!(each(Optimizer::Adam8bit), "master 4, momentum 1, variance 1 bytes, scales of the 8-bit blocks");
}

#[test]
fn a_whole_layout_names_its_fullest_gpu_and_says_why() {
    let (params, problems) = Params::read(&Query::new(LLAMA));
    assert_eq!(problems, []);
    let b = breakdown(&params).expect("possible");
    assert_eq!(params.gpus(), 16_384.0);
    assert_eq!(b.pipeline.len(), 16);
    assert_eq!(b.worst.stage.index, 0);
    // 126 layers over 16 stages: eight on the first fourteen, seven on two. Matrices are split over 8, norms are not.
    let h = 16_384.0;
    let layer = (2.0 * h * h + 2.0 * h * 1024.0 + 3.0 * h * 53_248.0) / 8.0 + 2.0 * h;
    assert_eq!(b.worst.held.params(), 8.0 * layer + 128_256.0 * h / 8.0);
    assert_eq!(b.part("master").0, 4.0 * b.worst.held.params() / 128.0);
    assert_eq!(b.worst.stage.in_flight, 16.0);
    assert_eq!(
        b.why_worst().expect("a pipeline"),
        "Stage 1 of 16 is the fullest: 82.4 GB, which is 65.6 GB more than stage 16. Its activations are 63.9 GB more, with \
         16 micro-batches in flight here and 1 there. Its model states are 1.63 GB more: it has the embedding and 8 layers; \
         the other, 7 layers and the head."
    );
    assert_eq!(
        b.verdict(),
        [
            "Does not fit: only 2.57 GB of 84.9 GB left.",
            "CUDA, communication buffers and fragmentation take another 6.26 GB to 24.3 GB, more than is left."
        ]
    );
    let activations = ringside_core::memory::activations::Params::ENTRY;
    let mut query = LLAMA.to_vec();
    query.retain(|(name, _)| !matches!(*name, "dp" | "zero"));
    query.extend([("flash", "true"), ("counting", "architecture")]);
    let same = (activations.evaluate)(&Query::new(query));
    assert_eq!(same.problems, []);
    assert_eq!(same.get("activations-peak"), Some(b.parts.activations.0));
}

#[test]
fn inference_is_weights_and_a_cache() {
    let b = |more: &[(&str, &str)]| {
        let query = [&[("model", "llama-3-8b"), ("mode", "inference"), ("dp", "1")][..], more].concat();
        let (params, problems) = Params::read(&Query::new(query));
        assert_eq!(problems, []);
        breakdown(&params).expect("possible")
    };
    let cache = |more: &[(&str, &str)]| b(&[&[("seq", "8192"), ("mbs", "16")][..], more].concat()).parts.kv_cache.0;
    // 2 × 8 heads × 128 × 32 layers × 2 bytes = 128 KiB a token.
    let token = 131_072.0;
    assert_eq!(b(&[]).kv_per_token.0, token);
    assert_eq!(cache(&[]), token * 8192.0 * 16.0);
    assert_eq!(cache(&[("kv_dtype", "fp8")]), token * 8192.0 * 8.0);
    assert_eq!(cache(&[("tp", "4")]), token * 8192.0 * 4.0);
    // Sixteen ranks share eight heads: every head is there twice.
    assert_eq!(cache(&[("tp", "16")]), token * 8192.0 * 2.0);
    assert_eq!(cache(&[("pp", "2"), ("cp", "2")]), token * 8192.0 * 4.0);
    let alone = b(&[("zero", "3")]);
    assert_eq!(alone.total.0, 2.0 * 8_030_261_248.0);
    assert_eq!(alone.max_sequences(), 0.0);
    let served = b(&[("seq", "8192"), ("mbs", "16")]);
    assert_eq!(served.max_sequences(), ((served.capacity.0 - 2.0 * 8_030_261_248.0) / (token * 8192.0)).floor());
    // MLA keeps 576 values a token and layer on every rank, whatever tp is.
    let latent = |tp| {
        let query = [("model", "deepseek-v3"), ("mode", "inference"), ("seq", "1"), ("tp", tp)];
        let (params, _) = Params::read(&Query::new(query));
        breakdown(&params).expect("possible").parts.kv_cache.0
    };
    assert_eq!((latent("1"), latent("8")), (576.0 * 61.0 * 2.0, 576.0 * 61.0 * 2.0));
    // Layers with a window keep no more than that: Gemma 2 has 4096 on every other one.
    let (params, _) = Params::read(&Query::new([("model", "gemma-2-27b"), ("mode", "inference"), ("seq", "8192")]));
    let gemma = breakdown(&params).expect("possible");
    assert_eq!(gemma.parts.kv_cache.0, gemma.kv_per_token.0 * (8192.0 + 4096.0) / 2.0);
}

#[test]
fn an_impossible_layout_says_what_would_divide() {
    for (pair, message) in [
        (("tp", "3"), "tp must divide the number of query heads: 128 heads cannot be split over 3."),
        (("pp", "200"), "126 layers cannot be put on 200 pipeline stages."),
        (("ep", "2"), "ep splits experts, and this model has none: ep must be 1."),
    ] {
        let evaluation = eval(&[&LLAMA[..], &[pair]].concat());
        assert_eq!((evaluation.error.as_deref(), evaluation.quantities.len()), (Some(message), 0));
    }
    let evaluation = eval(&[("params", "30e9"), ("seq", "4096")]);
    assert_eq!(evaluation.get("total"), Some(480e9));
    assert!(evaluation.problems[0].message.starts_with("Activations and the KV cache follow from sizes"));
}

#[test]
fn advice_is_a_change_that_fits_or_says_that_none_was_found() {
    for (query, change) in [
        (vec![("params", "30e9"), ("dp", "1")], "dp=8 zero=3"),
        (vec![("params", "405e9"), ("zero", "3")], "dp=128"),
        // ZeRO-2 over two would leave 7.5 GB, which CUDA, buffers and fragmentation may take.
        (vec![("params", "8.6e9"), ("dp", "1")], "dp=2 zero=3"),
        (vec![("params", "400e12"), ("dp", "65536"), ("zero", "3")], "gpu=h200-141"),
        (vec![("params", "800e12"), ("dp", "65536"), ("zero", "3")], "gpu=b300"),
        (vec![("params", "1e15"), ("dp", "40000"), ("optimizer", "momentum"), ("convention", "megatron")], ""),
    ] {
        let (params, problems) = Params::read(&Query::new(query.clone()));
        assert_eq!(problems, []);
        let advice = breakdown(&params).expect("sound").suggestion().expect("it does not fit");
        let mut pairs: Vec<String> = advice.change.iter().map(|(n, v)| format!("{n}={v}")).collect();
        pairs.sort();
        println!("{query:?}: {}", advice.sentence);
        if change.is_empty() {
            assert!(pairs.is_empty() && advice.sentence.contains("Nothing tried"));
        } else {
            assert_eq!(pairs.join(" "), change, "{query:?}: {}", advice.sentence);
        }
    }
}

#[test]
fn a_model_and_a_number_the_later_has_its_way() {
    let evaluation = eval(&[("params", "30e9"), ("model", "llama-3-8b")]);
    assert_eq!(evaluation.get("params"), Some(8_030_261_248.0));
    assert_eq!(evaluation.problems.len(), 1);
    let evaluation = eval(&[("model", "llama-3-8b"), ("params", "30e9")]);
    assert_eq!(evaluation.get("params"), Some(30e9));
    let (params, problems) = Params::standard().with(&Query::new([("model", "llama-3-8b"), ("zero", "1")]));
    assert_eq!((params.model.name(), params.zero, problems), ("Llama 3 8B".to_owned(), 1, vec![]));
    let (params, problems) = params.with(&Query::new([("params", "1e9")]));
    assert_eq!((params.model, problems), (ModelRef::Count(1_000_000_000), vec![]));
}

#[test]
fn a_shape_in_the_query_is_a_model() {
    let sizes = [
        ("hidden_size", "4096"),
        ("num_hidden_layers", "32"),
        ("num_attention_heads", "32"),
        ("num_key_value_heads", "8"),
        ("intermediate_size", "14336"),
        ("vocab_size", "128256"),
    ];
    assert_eq!(get(&sizes, "params"), 8_030_261_248.0);
    let evaluation = eval(&sizes[1..]);
    let messages: Vec<&str> = evaluation.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "hidden_size is missing: model=custom needs it (for example hidden_size=4096).",
            "model=custom is incomplete; 30e9 parameters are used."
        ]
    );
    // Sizes beside a preset change it.
    assert_eq!(get(&[("model", "llama-3-8b"), ("vocab_size", "32000")], "params"), 7_241_732_096.0);
    let evaluation = eval(&[("model", "gpt2"), ("hidden_size", "7")]);
    let messages: Vec<&str> = evaluation.problems.iter().map(|p| p.message.as_str()).collect();
    assert_eq!(messages, ["hidden_size 7 is not a multiple of num_attention_heads 12 and no head_dim is given."]);
}

#[test]
fn every_preset_is_there_under_its_id() {
    for preset in presets::ALL {
        let (params, problems) = Params::read(&Query::new([("model", preset.id)]));
        assert_eq!(problems, []);
        assert_eq!(params.model, ModelRef::Preset(preset));
        assert!(breakdown(&params).is_ok());
    }
}

fn models() -> impl Strategy<Value = ModelRef> {
    prop_oneof![
        (0..presets::ALL.len()).prop_map(|i| ModelRef::Preset(&presets::ALL[i])),
        (1..=shape::MAX_PARAMS).prop_map(ModelRef::Count),
        (1..=200_000_000_000_u64).prop_map(ModelRef::Count),
        (shapes(), prop::option::of(0..Family::ALL.len())).prop_map(|(shape, guess)| ModelRef::Custom {
            shape,
            guess: guess.map(|g| Family::ALL[g]),
            stored: ringside_core::serving::step::Stored::default(),
        }),
    ]
}

fn params() -> impl Strategy<Value = Params> {
    let choices = (0..3_usize, 0..7_usize, 0..3_usize, 0..hardware::ALL.len(), 0..3_usize, 0..4_usize);
    let load = (prop::option::of(1..200_000_u64), 1..20_u64, any::<[bool; 3]>());
    let ranks = prop_oneof![1..129_u64, 1..65_537_u64];
    (models(), choices, 0..4_u8, ranks, load, numbers()).prop_map(
        |(model, (d, o, c, g, r, k), zero, dp, (seq, mbs, [inference, flash, paper]), numbers)| {
            let shape = model.shape().copied();
            Params {
                as_stored: true,
                model,
                dtype: [Dtype::Bf16, Dtype::Fp16, Dtype::Fp32][d],
                optimizer: Optimizer::ALL[o],
                convention: Convention::ALL[c],
                zero,
                dp,
                gpu: &hardware::ALL[g],
                mode: if inference { Mode::Inference } else { Mode::Training },
                layout: shape.map_or(Layout::default(), |shape| layout(&shape, dp, numbers)),
                seq: seq.filter(|_| shape.is_some()),
                mbs,
                recompute: [Recompute::None, Recompute::Selective, Recompute::Full][r],
                flash,
                counting: if paper { Counting::Paper } else { Counting::Architecture },
                kv_dtype: [Dtype::Bf16, Dtype::Fp16, Dtype::Fp8, Dtype::Fp32][k],
            }
        },
    )
}

/// Slack for sums of rounded parts.
const EPS: f64 = 1e-12;

proptest! {
    #![proptest_config(generate::cases())]

    #[test]
    fn a_state_reads_back_to_itself(params in params()) {
        let (again, problems) = Params::read(&params.query());
        prop_assert_eq!(problems, vec![]);
        prop_assert_eq!(again, params);
    }

    #[test]
    fn totals_are_sums_and_everything_is_finite(params in params()) {
        let b = breakdown(&params).expect("generated parameters are sound");
        let rows: f64 = b.rows.iter().map(|r| r.bytes.0).sum();
        let near = |a: f64, b: f64| (a - b).abs() <= EPS * a.abs().max(b.abs());
        prop_assert!(near(rows, b.total.0));
        prop_assert!(near(b.parts.total().0, b.total.0));
        prop_assert!(b.pipeline.iter().all(|row| row.parts.total().0 <= b.total.0));
        prop_assert!(b.pipeline.contains(&b.worst));
        let whole: f64 = b.pipeline.iter().map(|row| row.held.params()).sum();
        let copies = b.params.layout.tp.max(b.params.layout.pipeline.stages) as f64;
        prop_assert!(whole * b.params.layout.tp as f64 * b.params.layout.ep as f64 >= b.size.params * (1.0 - 1e-9));
        prop_assert!(whole <= b.size.params * copies * (1.0 + 1e-9));
        let range = b.overhead.total();
        prop_assert!(range.low.0 > 0.0 && range.low.0 <= range.high.0 && range.high.0.is_finite());
        prop_assert!(b.rows.iter().all(|r| r.bytes.0.is_finite() && r.bytes.0 >= 0.0 && !r.formula.contains('–')));
        for q in b.params.quantities(&b) {
            prop_assert!(q.value.is_finite() && (q.value >= 0.0 || q.id == "headroom"), "{:?}", q);
        }
        prop_assert!(b.headroom.0 >= 0.0 || !b.verdict.possible());
        prop_assert_eq!(b.verdict == Verdict::Fits, b.headroom.0 >= b.overhead.total().high.0);
        let suggestion = b.suggestion();
        prop_assert_eq!(suggestion.is_some(), !b.verdict.possible());
        if let Some(s) = &suggestion {
            let (changed, problems) = params.with(&s.change);
            prop_assert_eq!(problems, vec![]);
            prop_assert_eq!(changed, s.params);
            prop_assert!(s.change.is_empty() || breakdown(&changed).is_ok_and(|c| c.verdict.possible()), "{}", s.sentence);
        }
        prop_assert!(b.finding().ends_with('.'));
        prop_assert_eq!(b.why_worst().is_some(), b.pipeline.len() > 1);
    }

    #[test]
    fn more_sharding_never_costs_more(params in params(), more in 1..9_u64) {
        let b = breakdown(&params).expect("sound");
        for pair in b.stages.windows(2) {
            // DeepSpeed's stage 3 gathers the largest layer in fp32; a model that is mostly one layer can lose by it.
            let gathered = if pair[1].stage == 3 && params.convention == Convention::DeepSpeed {
                4.0 * b.size.largest_layer / params.layout.tp as f64
            } else {
                0.0
            };
            prop_assert!(pair[1].total.0 <= (pair[0].total.0 + gathered) * (1.0 + EPS));
        }
        let dp = (params.dp * more).min(65_536);
        if dp.is_multiple_of(params.dp) {
            let wider = breakdown(&Params { dp, ..params }).expect("sound");
            prop_assert!(wider.total.0 <= b.total.0 * (1.0 + EPS));
        }
        let Some(shape) = params.model.shape() else { return Ok(()) };
        let l = params.layout;
        let mut layouts = vec![Layout { sp: true, ..l }, Layout { cp: l.cp * more, ..l }];
        if shape.num_attention_heads.is_multiple_of(l.tp * more) {
            layouts.push(Layout { tp: l.tp * more, ..l });
        }
        if shape.moe.is_some_and(|m| m.num_experts.is_multiple_of(l.ep * more)) && (params.dp * l.cp).is_multiple_of(l.ep * more) {
            layouts.push(Layout { ep: l.ep * more, ..l });
        }
        let leaner = [Params { flash: true, ..params }, Params { recompute: Recompute::Full, ..params }];
        for p in layouts.into_iter().map(|layout| Params { layout, ..params }).chain(leaner) {
            let less = breakdown(&p).expect("possible");
            prop_assert!(less.total.0 <= b.total.0 * (1.0 + 1e-9), "{:?}", p);
        }
    }

    #[test]
    fn no_query_panics(pairs in prop::collection::vec((name(), value()), 0..12)) {
        let evaluation = eval(&pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect::<Vec<_>>());
        prop_assert_eq!(evaluation.quantities.is_empty(), evaluation.error.is_some());
        let again = (catalogue::find("memory-breakdown").expect("there").evaluate)(&evaluation.query);
        prop_assert_eq!(again.problems, vec![]);
        prop_assert_eq!(again.quantities, evaluation.quantities);
    }

    #[test]
    fn no_config_panics(text in config()) {
        if let Ok(import) = ringside_core::model::import(&text) {
            prop_assert!(import.imported().shape.count().is_ok());
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    let specs = catalogue::find("memory-breakdown").expect("there").specs();
    prop_oneof![4 => (0..specs.len()).prop_map(move |i| specs[i].name.to_owned()), 1 => "\\PC{0,12}"]
}

fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,6}",
        "-?[0-9.]{0,4}[eE]?[0-9]{0,3}[kmbt]?",
        "\\PC{0,20}",
        Just("custom".to_owned()),
        Just("llama-3-8b".to_owned()),
        Just("true".to_owned()),
        Just("deepspeed".to_owned()),
        Just("1e308".to_owned()),
        Just("NaN".to_owned()),
    ]
}

fn config() -> impl Strategy<Value = String> {
    let families = ringside_core::model::config::MODEL_TYPES;
    let fields = [
        "hidden_size",
        "n_embd",
        "n_embed",
        "num_hidden_layers",
        "n_layer",
        "num_attention_heads",
        "n_head",
        "vocab_size",
        "num_key_value_heads",
        "head_dim",
        "intermediate_size",
        "ffn_dim",
        "n_positions",
        "max_position_embeddings",
        "num_experts",
        "num_local_experts",
        "num_experts_per_tok",
        "moe_intermediate_size",
        "n_routed_experts",
        "shared_expert_intermediate_size",
        "kv_lora_rank",
        "q_lora_rank",
        "qk_nope_head_dim",
        "qk_rope_head_dim",
        "v_head_dim",
        "sliding_window",
        "layer_types",
        "mlp_only_layers",
        "decoder_sparse_step",
        "tie_word_embeddings",
        "first_k_dense_replace",
        "n_shared_experts",
        "use_sliding_window",
        "max_window_layers",
        "word_embed_proj_dim",
    ];
    let field = (
        0..fields.len(),
        prop_oneof![
            5 => "[1-9][0-9]{0,5}",
            1 => "-?[0-9]{1,25}",
            1 => Just("18446744073709551615".to_owned()),
            1 => "[0-9]{1,3}\\.[0-9]{1,3}e[0-9]{1,3}",
            1 => Just("null".to_owned()),
            1 => Just("true".to_owned()),
            1 => Just("[0, 1, 2]".to_owned()),
            1 => Just("\"4096\"".to_owned()),
            1 => "\\PC{0,6}",
        ],
    );
    let some = prop::collection::vec(field, 0..35);
    (0..=families.len(), some, 0..200_usize).prop_map(move |(family, some, cut)| {
        let family = families.get(family).copied().unwrap_or("zephyr_next");
        let mut text = format!("{{\"model_type\": \"{family}\"");
        for (i, value) in some {
            text += &format!(", \"{}\": {value}", fields[i]);
        }
        text.push('}');
        if cut < 5 { text.chars().take(text.len() / 2).collect() } else { text }
    })
}

#[test]
fn what_is_on_or_off_may_be_said_by_a_digit() {
    let (params, problems) = Params::read(&Query::parse("model=llama-3-8b&tp=8&sp=1&flash=0&seq=4096"));
    assert_eq!((problems, params.layout.sp, params.flash), (Vec::new(), true, false));
    let text = params.query().to_string();
    assert_eq!(
        text,
        "model=llama-3-8b&dtype=bf16&optimizer=adamw&convention=zero&zero=0&dp=64&gpu=h100-80&seq=4096&flash=false&tp=8&sp=true"
    );
}
