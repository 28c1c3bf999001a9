//! What holds of activations, whatever the layout.

mod generate;

use generate::shapes;
use proptest::prelude::*;
use ringside_core::catalogue;
use ringside_core::memory::activations::{Counting, Params, Recompute, Term, activations};
use ringside_core::memory::pipeline::Pipeline;
use ringside_core::model::ModelRef;
use ringside_core::query::Query;

fn eval(query: &[(&str, &str)]) -> catalogue::Evaluation {
    let entry = ringside_core::memory::activations::ENTRY;
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
    let params = Params { model: ModelRef::Count(30_000_000_000), ..Params::default() };
    assert!(activations(&params).is_err());
}

#[test]
fn the_finding_has_the_numbers() {
    let text = activations(&Params::default()).expect("sound").finding();
    assert_eq!(
        text,
        "A layer keeps 11.8 GB of each micro-batch, 91% of it the attention matrix; the GPU keeps 382 GB at its fullest."
    );
}

fn layouts() -> impl Strategy<Value = Params> {
    let sizes = (1..40_000_u64, 1..9_u64, 1..9_u64, 1..5_u64, 1..40_u64, 1..5_u64, 1..100_u64);
    (shapes(), sizes, any::<[bool; 3]>(), 0..3_u8).prop_map(|(shape, sizes, [sp, flash, paper], recompute)| {
        let (seq, mbs, tp, cp, pp, vpp, microbatches) = sizes;
        let heads = shape.num_attention_heads;
        let stages = pp.min(shape.num_hidden_layers);
        let even = shape.num_hidden_layers.is_multiple_of(stages * vpp);
        Params {
            model: ModelRef::Custom { shape, guess: None },
            seq,
            mbs,
            tp: if heads.is_multiple_of(tp) { tp } else { 1 },
            sp,
            cp,
            pipeline: Pipeline { stages, virtual_stages: if even { vpp } else { 1 }, microbatches },
            recompute: [Recompute::None, Recompute::Selective, Recompute::Full][usize::from(recompute)],
            flash,
            counting: if paper { Counting::Paper } else { Counting::Architecture },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sums_peaks_and_round_trips(params in layouts()) {
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
        for q in a.quantities() {
            prop_assert!(q.value.is_finite() && q.value >= 0.0, "{:?}", q);
        }
        let highest = a.curve().iter().map(|p| p.bytes.0).fold(0.0, f64::max);
        prop_assert!(near(highest, a.peak().0), "{} {}", highest, a.peak().0);
        prop_assert!(a.finding().ends_with('.'));
    }

    #[test]
    fn splitting_and_recomputing_never_keep_more(params in layouts(), more in 2..5_u64) {
        let total = |p: &Params| activations(p).map(|a| a.worst.total.0);
        let here = total(&params).expect("a possible layout");
        let less = |p: Params| total(&p).is_ok_and(|t| t <= here * (1.0 + 1e-9));
        let (sp, cp) = (less(Params { sp: true, ..params }), less(Params { cp: params.cp * more, ..params }));
        prop_assert!(sp && cp);
        let tp = params.tp * more;
        if params.model.shape().is_some_and(|s| s.num_attention_heads.is_multiple_of(tp)) {
            let split = less(Params { tp, ..params });
            prop_assert!(split);
        }
        let none = Params { recompute: Recompute::None, ..params };
        let selective = Params { recompute: Recompute::Selective, ..params };
        let full = Params { recompute: Recompute::Full, ..params };
        let [none, selective, full] = [none, selective, full].map(|p| activations(&p).expect("possible"));
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
    let specs = ringside_core::memory::activations::ENTRY.params;
    (0..specs.len()).prop_map(move |i| specs[i].name.to_owned())
}
