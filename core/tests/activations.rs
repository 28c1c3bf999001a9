//! What holds of activations, whatever the layout.

use proptest::prelude::*;
use ringside_core::catalogue;
use ringside_core::declare::Model as _;
use ringside_core::hardware;
use ringside_core::memory::Layout;
use ringside_core::memory::activations::{Activations, Counting, Params, Recompute, Term, activations};
use ringside_core::model::ModelRef;
use ringside_core::planner::recompute::time_added;
use ringside_core::query::Query;

use crate::generate::{self, shapes};
use crate::layouts::{layout, numbers};

fn eval(query: &[(&str, &str)]) -> catalogue::Evaluation {
    let entry = Params::ENTRY;
    (entry.evaluate)(&Query::new(query.iter().copied()))
}

/// 34sbh + 5as²b of a GPT-3: the first stage of 8 × 8 ranks.
const GPT3: [(&str, &str); 9] = [
    ("hidden_size", "12288"),
    ("num_hidden_layers", "96"),
    ("num_attention_heads", "96"),
    ("intermediate_size", "49152"),
    ("vocab_size", "51200"),
    ("gated_mlp", "false"),
    ("seq", "2048"),
    ("tp", "8"),
    ("pp", "8"),
];

#[test]
fn gpt_3_by_the_formula() {
    let with = |more: &[(&str, &str)]| {
        let e = eval(&[&GPT3[..], more].concat());
        assert_eq!(e.problems, []);
        e
    };
    let sbh = 2048.0 * 12_288.0;
    let layer = |more: &[(&str, &str)]| with(more).get("activations-per-layer").expect("there") / sbh;
    assert_eq!(layer(&[]), 10.0 + 24.0 / 8.0 + 80.0 / 8.0);
    assert_eq!(layer(&[("sp", "true")]), (34.0 + 80.0) / 8.0);
    assert_eq!(layer(&[("sp", "1"), ("recompute", "selective")]), 34.0 / 8.0);
    assert_eq!(layer(&[("recompute", "full")]), 2.0);
    assert_eq!(layer(&[("sp", "true"), ("cp", "2")]), (34.0 + 80.0) / 16.0);
    // FlashAttention keeps 4 bytes a row and head instead of 5 a key.
    let flash = layer(&[("flash", "true")]);
    assert!((flash - 13.0 - 4.0 * 96.0 / 12_288.0 / 8.0).abs() < 1e-12, "{flash}");
    let full = with(&[("recompute", "full"), ("microbatches", "64")]);
    assert_eq!(full.get("in-flight"), Some(8.0));
    assert_eq!(full.get("worst-stage"), Some(0.0));
    let fraction = full.get("recompute-flops-fraction").expect("there");
    assert!(fraction > 0.32 && fraction < 1.0 / 3.0, "{fraction}");
    // s/(18h + 3s + …): a third of the 2.7% in the paper.
    let selective = with(&[("recompute", "selective")]).get("recompute-flops-fraction").expect("there");
    assert!((selective - 0.009).abs() < 0.0005, "{selective}");
}

#[test]
fn a_layout_that_does_not_fit_the_model_says_why() {
    for (query, message) in [
        (("tp", "7"), "tp must divide the number of query heads: 96 heads cannot be split over 7."),
        (("pp", "97"), "96 layers cannot be put on 97 pipeline stages."),
        (("vpp", "5"), "vpp must split the layers evenly: 96 layers do not come out over 8 × 5 chunks."),
    ] {
        let mut pairs = GPT3.to_vec();
        pairs.push(query);
        let e = eval(&pairs);
        assert_eq!(e.error.as_deref(), Some(message));
        assert!(e.quantities.is_empty());
    }
    let params = Params { model: ModelRef::Count(30_000_000_000), ..Params::standard() };
    assert!(activations(&params).is_err());
}

#[test]
fn the_finding_has_the_numbers() {
    let text = activations(&Params::standard()).expect("sound").finding();
    assert_eq!(
        text,
        "A layer keeps 11.8 GB of each micro-batch, 91% of it the attention matrix; the GPU keeps 382 GB at its fullest."
    );
}

/// ZeRO-Infinity (arXiv:2104.07857), §4.1: FLOPs a byte of a model of 12 L h² parameters, recomputed in full.
#[test]
fn offload_needs_the_bandwidth_that_zero_infinity_derives() {
    let (h, layers, seq, mbs) = (12_288_u64, 16_u64, 64_u64, 8_u64);
    let numbers = [h, layers, 96, 4 * h, 8, seq, mbs].map(|n| n.to_string());
    let names =
        ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size", "seq", "mbs"];
    let mut pairs: Vec<(&str, &str)> = names.iter().copied().zip(numbers.iter().map(String::as_str)).collect();
    pairs.extend([("gated_mlp", "false"), ("recompute", "full"), ("gpu", "a100-80")]);
    let e = eval(&pairs);
    assert_eq!(e.problems, []);
    let peak = hardware::find("a100-80").expect("there").peak;
    let near = |id: &str, intensity: f64| {
        let ours = e.get(id).expect("there") * intensity / peak;
        // They leave out the attention matrix, which is s/6h of the FLOPs, and the norms’ parameters.
        assert!((ours - 1.0).abs() < 0.005, "{id}: {ours}");
    };
    let tokens = (seq * mbs) as f64;
    near("offload-weights-bandwidth", tokens);
    near("offload-optimizer-bandwidth", tokens / 4.0);
    near("offload-activations-bandwidth", 24.0 * h as f64);
    // Gradient accumulation moves the optimizer’s states once for more arithmetic, and the weights as often as before.
    pairs.push(("microbatches", "4"));
    let more = eval(&pairs);
    let ratio = |id: &str| more.get(id).expect("there") / e.get(id).expect("there");
    assert!((ratio("offload-optimizer-bandwidth") - 0.25).abs() < 1e-9);
    assert!((ratio("offload-weights-bandwidth") - 1.0).abs() < 1e-9);
}

#[test]
fn the_peak_and_the_fullest_stage_are_explained() {
    let a = |query: &[(&str, &str)]| {
        let (params, problems) = Params::read(&Query::new([&GPT3[..], query].concat()));
        assert_eq!(problems, []);
        activations(&params).expect("possible")
    };
    let full = a(&[("recompute", "full"), ("microbatches", "64")]);
    assert!(full.why_peak().contains("while it is recomputed"), "{}", full.why_peak());
    let why = full.why_worst().expect("a pipeline");
    assert!(why.starts_with("Stage 1 of 8 keeps the most: ") && why.contains("12 layers × 8 in flight"), "{why}");
    assert_eq!((full.terms.len(), full.dropped.len()), (1, 13));
    let fused = a(&[("recompute", "full"), ("flash", "true")]);
    let never = |a: &Activations| a.dropped.iter().filter(|t| a.not_kept(t) == "never stored").count();
    assert_eq!((never(&full), never(&fused)), (0, 3));
    let alone = a(&[("pp", "1")]);
    assert!(alone.why_peak().contains("logits") && alone.why_worst().is_none(), "{}", alone.why_peak());
    assert_eq!(alone.dropped, []);
    let [none, selective, all] = alone.policies();
    assert_eq!((none.peak, none.flops), (alone.worst.peak, 0.0));
    assert!(all.peak < selective.peak && selective.peak < none.peak && all.flops > selective.flops);
}

fn runs() -> impl Strategy<Value = Params> {
    (shapes(), 1..40_000_u64, 1..9_u64, numbers(), any::<[bool; 2]>(), 0..3_u8).prop_map(
        |(shape, seq, mbs, numbers, [flash, paper], recompute)| Params {
            model: ModelRef::own(shape),
            seq,
            mbs,
            layout: Layout { ep: 1, ..layout(&shape, 1, numbers) },
            recompute: [Recompute::None, Recompute::Selective, Recompute::Full][usize::from(recompute)],
            flash,
            counting: if paper { Counting::Paper } else { Counting::Architecture },
            gpu: &hardware::ALL[0],
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn recomputing_more_never_takes_less_time(params in runs()) {
        let [none, selective, full] =
            [Recompute::None, Recompute::Selective, Recompute::Full].map(|policy| time_added(&params, policy));
        prop_assert_eq!(none, 0.0);
        prop_assert!(0.0 <= selective && selective <= full && full <= 1.0, "{} {}", selective, full);
    }
}

proptest! {
    #![proptest_config(generate::cases())]

    #[test]
    fn sums_peaks_and_round_trips(params in runs()) {
        let (again, problems) = Params::read(&params.query());
        prop_assert_eq!((again, problems), (params, vec![]));
        let a = activations(&params).expect("a possible layout");
        let sum: f64 = a.terms.iter().map(Term::total).sum();
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
        prop_assert!(near(sum, a.per_layer.0));
        for s in &a.stages {
            prop_assert!(near(s.layers.0 + s.embedding.0 + s.head.0, s.total.0));
            prop_assert!(s.total.0 <= a.worst.total.0);
        }
        prop_assert_eq!(a.stages.iter().map(|s| s.stage.layers).sum::<u64>(), params.model.shape().map_or(0, |s| s.num_hidden_layers));
        for q in a.params.quantities(&a) {
            prop_assert!(q.value.is_finite() && q.value >= 0.0, "{:?}", q);
        }
        let highest = a.curve().iter().map(|p| p.bytes.0).fold(0.0, f64::max);
        prop_assert!(near(highest, a.peak().0), "{} {}", highest, a.peak().0);
        prop_assert!(a.finding().ends_with('.'));
    }

    #[test]
    fn splitting_and_recomputing_never_keep_more(params in runs(), more in 2..5_u64) {
        let total = |p: &Params| activations(p).map(|a| a.worst.total.0);
        let here = total(&params).expect("a possible layout");
        let l = params.layout;
        let less = |layout| total(&Params { layout, ..params }).is_ok_and(|t| t <= here * (1.0 + 1e-9));
        let (sp, cp) = (less(Layout { sp: true, ..l }), less(Layout { cp: l.cp * more, ..l }));
        prop_assert!(sp && cp);
        let tp = l.tp * more;
        if params.model.shape().is_some_and(|s| s.num_attention_heads.is_multiple_of(tp)) {
            let split = less(Layout { tp, ..l });
            prop_assert!(split);
        }
        let none = Params { recompute: Recompute::None, ..params };
        let selective = Params { recompute: Recompute::Selective, ..params };
        let full = Params { recompute: Recompute::Full, ..params };
        let [none, selective, full] = [none, selective, full].map(|p| activations(&p).expect("possible"));
        prop_assert!(selective.peak().0 <= none.peak().0 * (1.0 + 1e-9) && full.peak().0 <= none.peak().0 * (1.0 + 1e-9));
        prop_assert!(selective.worst.total.0 <= none.worst.total.0 && full.per_layer.0 <= selective.per_layer.0);
        prop_assert!(none.recompute_flops == 0.0 && selective.recompute_flops <= full.recompute_flops);
        prop_assert!(full.recompute_flops <= 1.0 / 3.0 + 1e-12);
    }

    #[test]
    fn no_query_panics(pairs in prop::collection::vec((name(), "[0-9]{1,9}|true|1|\\PC{0,9}|gpt2|custom|full"), 0..14)) {
        let e = eval(&pairs.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect::<Vec<_>>());
        prop_assert_eq!(e.quantities.is_empty(), e.error.is_some());
    }
}

fn name() -> impl Strategy<Value = String> {
    let specs = Params::ENTRY.specs();
    (0..specs.len()).prop_map(move |i| specs[i].name.to_owned())
}
