//! What holds of every model's anatomy.

use proptest::prelude::*;
use ringside_core::catalogue;
use ringside_core::declare::Model as _;
use ringside_core::model::ModelRef;
use ringside_core::model::anatomy::{Axis, Group, IDS, Measure, Params, anatomy};
use ringside_core::query::Query;

use crate::generate::{self, shapes};

fn eval(query: &[(&str, &str)]) -> catalogue::Evaluation {
    let entry = Params::ENTRY;
    (entry.evaluate)(&Query::new(query.iter().copied()))
}

#[test]
fn the_default_is_llama_3_8b() {
    let e = eval(&[]);
    assert_eq!(e.problems, []);
    assert_eq!(e.get("params"), Some(8_030_261_248.0));
    assert_eq!(e.get("params-mlp"), Some(5_637_144_576.0));
    // Forward, causal, 8192 tokens: a third of Megatron-LM's 51.47 GFLOP.
    assert_eq!(e.get("flops-per-token"), Some(51_470_401_536.0 / 3.0));
    assert_eq!(eval(&[("params", "30e9")]).problems.len(), 1);
    assert_eq!(eval(&[("model", "gpt2"), ("num_hidden_layers", "24")]).get("params-other"), Some(786_432.0));
    let text = anatomy(&Params::standard()).expect("sound").finding();
    assert_eq!(
        text,
        "Llama 3 8B: 8.03 B parameters, 70% of them in the MLPs, 17% in attention and 13% in the embedding and output \
         head. A token costs 17.2 GFLOP forward, 13% of it for the attention matrix at 8,192 tokens."
    );
    let notes = |query: &[(&str, &str)]| {
        let (params, _) = Params::read(&Query::new(query.iter().copied()));
        anatomy(&params).expect("sound").notes()
    };
    assert!(
        notes(&[])[0].contains("Megatron-LM does") && notes(&[("causal", "false")])[0].contains("PaLM and nanoGPT do")
    );
    assert!(notes(&[("model", "deepseek-v3")])[2].starts_with("Latent attention"));
    assert!(notes(&[("model", "gemma-2-2b")])[2].starts_with("Layers with a window"));
}

#[test]
fn the_matrix_overtakes_the_weights_where_the_formulas_meet() {
    // A GPT layer: 24h² of weights against 4hs of a whole matrix, half of that under a causal mask.
    let at = |more: &[(&str, &str)]| eval(&[&[("model", "gpt3-175b")], more].concat()).get("crossover-seq");
    assert_eq!(at(&[("causal", "true")]), Some(12.0 * 12_288.0));
    assert_eq!(at(&[("causal", "false")]), Some(6.0 * 12_288.0));
    // A window of 4096 in every layer: never.
    assert_eq!(eval(&[("model", "mistral-7b-v0.1")]).get("crossover-seq"), Some(0.0));
}

#[test]
fn a_model_made_wider_or_deeper_keeps_its_proportions() {
    let a = anatomy(&Params::standard()).expect("sound");
    let wide = a.shape.resized(8192, 32);
    assert_eq!((wide.head_dim(), wide.kv_heads(), wide.intermediate_size), (256, 8, 28_672));
    assert_eq!(wide.resized(4096, 32), a.shape);
    assert_eq!(a.shape.resized(4096, 64).num_hidden_layers, 64);
    let v3 = ringside_core::model::presets::find("deepseek-v3").expect("there").shape;
    assert_eq!(v3.resized(7168, 122).moe_layers(), 116);
    let model = Params::standard();
    assert_eq!(model.resized(Axis::Width, 4096), Some(model));
    assert_eq!(model.resized(Axis::Sequence, 0), None);
    assert_eq!(model.resized(Axis::Depth, 1_000_000), None);
    // Width makes the tables' share smaller; vocabulary makes it larger.
    for (axis, grows) in [(Axis::Width, false), (Axis::Depth, false), (Axis::Vocabulary, true)] {
        let sweep = a.sweep(axis, Measure::Params);
        let (from, to) = axis.range();
        assert_eq!((sweep[0].at, sweep[sweep.len() - 1].at), (from, to));
        assert!(sweep.windows(2).all(|w| (w[0].share(Group::Tables) < w[1].share(Group::Tables)) == grows), "{axis:?}");
    }
    let seq = a.sweep(Axis::Sequence, Measure::Flops);
    assert!(seq.windows(2).all(|w| w[0].share(Group::Matrix) < w[1].share(Group::Matrix)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_add_up(shape in shapes(), seq in 1..1_000_000_u64, causal: bool) {
        let params = Params { model: ModelRef::own(shape), seq, causal, ..Params::standard() };
        let (again, problems) = Params::read(&params.query());
        prop_assert_eq!((again, problems), (params, vec![]));
        let a = anatomy(&params).expect("sound");
        let total: f64 = a.pieces.iter().map(|p| p.params).sum();
        prop_assert_eq!(total, a.count.total as f64);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let flops: f64 = a.pieces.iter().map(|p| p.flops).sum();
        prop_assert!(near(flops, a.flops.total()));
        for p in &a.pieces {
            prop_assert!(IDS.contains(&p.id) && p.used <= p.copies, "{}", p.id);
            prop_assert!(!p.does.is_empty(), "{}", p.id);
            prop_assert_eq!(p.flops > 0.0, !p.cost.is_empty(), "{}", p.id);
        }
        for (measure, total) in [(Measure::Params, a.count.total as f64), (Measure::Flops, a.flops.total())] {
            prop_assert!(near(a.spans(measure).iter().map(|s| s.amount).sum(), total));
            let layer = a.layer(measure);
            let span = a.spans(measure).into_iter().find(|s| s.place == layer.kind);
            // Layers that mix tokens in several ways are counted together.
            let as_many = |s: ringside_core::model::anatomy::Span| s.layers == layer.layers && near(s.amount, layer.amount * s.layers as f64);
            let fits = span.is_some_and(|s| if shape.is_uniform() { as_many(s) } else { s.layers >= layer.layers });
            prop_assert!(fits);
            for group in Group::ALL {
                let of_group = a.pieces.iter().filter(|p| p.group() == group).map(|p| p.amount(measure)).sum();
                prop_assert!(near(a.mix(measure).parts[group as usize], of_group), "{}", group.id());
            }
        }
        for q in a.params.quantities(&a) {
            prop_assert!(q.value.is_finite() && q.value >= 0.0, "{:?}", q);
        }
        let half = shape.forward_flops(seq, true);
        let whole = shape.forward_flops(seq, false);
        prop_assert!(half.scores <= whole.scores && half.scores * 2.0 >= whole.scores * (1.0 - 1e-12));
    }
}

proptest! {
    #![proptest_config(generate::cases())]

    #[test]
    fn every_sound_shape_has_a_finite_count(shape in shapes(), seq in 1..100_000_000_u64) {
        let count = shape.count().expect("sound");
        let sum: u64 = ringside_core::model::Component::ALL.into_iter().map(|c| count.of(c)).sum();
        prop_assert_eq!(sum, count.total);
        prop_assert!(count.active + count.lookup <= count.total);
        let (half, whole) = (shape.forward_flops(seq, true), shape.forward_flops(seq, false));
        prop_assert!(half.total().is_finite() && half.total() > 0.0 && half.total() <= whole.total());
        // Every used weight in a matrix costs two FLOPs, whatever the length; besides these only states are updated.
        let states = shape.kinds.state.map_or(0.0, |s| s.layers as f64 * s.mixer.recurrence(shape.hidden_size));
        let weights = whole.total() - whole.scores - whole.values - states;
        prop_assert!(weights <= 2.0 * count.active as f64 * (1.0 + 1e-12));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sweep_goes_through_the_model(shape in shapes(), seq in 1..1_000_000_u64, causal: bool) {
        let params = Params { model: ModelRef::own(shape), seq, causal, ..Params::standard() };
        let a = anatomy(&params).expect("sound");
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        for (measure, total) in [(Measure::Params, a.count.total as f64), (Measure::Flops, a.flops.total())] {
            prop_assert!(near(a.mix(measure).total(), total));
            for axis in Axis::ALL {
                let sweep = a.sweep(axis, measure);
                let here = sweep.iter().find(|m| m.at == params.size(axis));
                prop_assert!(here.is_some_and(|m| near(m.total(), total)), "{axis:?} {measure:?}");
                prop_assert!(sweep.windows(2).all(|w| w[0].at < w[1].at));
            }
        }
    }
}

#[test]
fn the_sizes_that_are_moved_are_called_as_their_axes() {
    for axis in Axis::ALL {
        let param = Params::ENTRY.param(axis.id()).expect("declared");
        assert_eq!(param.look.label, axis.label());
        assert!(param.look.scale.is_some(), "{axis:?}");
    }
}
