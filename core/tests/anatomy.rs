//! What holds of every model's anatomy.

mod generate;

use generate::shapes;
use proptest::prelude::*;
use ringside_core::catalogue;
use ringside_core::model::ModelRef;
use ringside_core::model::anatomy::{Params, anatomy};
use ringside_core::query::Query;

fn eval(query: &[(&str, &str)]) -> catalogue::Evaluation {
    let entry = ringside_core::model::anatomy::ENTRY;
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
    let text = anatomy(&Params::default()).expect("sound").finding();
    assert_eq!(
        text,
        "Llama 3 8B: 8.03 B parameters, 70% of them in the MLPs, 17% in attention and 13% in the embedding and output \
         head. A token costs 17.2 GFLOP forward, 13% of it for the attention matrix at 8\u{202f}192 tokens."
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_add_up(shape in shapes(), seq in 1..1_000_000_u64, causal: bool) {
        let params = Params { model: ModelRef::Custom { shape, guess: None }, seq, causal };
        let (again, problems) = Params::read(&params.query());
        prop_assert_eq!((again, problems), (params, vec![]));
        let a = anatomy(&params).expect("sound");
        let total: f64 = a.pieces.iter().map(|p| p.params).sum();
        prop_assert_eq!(total, a.count.total as f64);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(b.abs());
        let tied = if shape.tie_word_embeddings { a.flops.lm_head } else { 0.0 };
        let weights: f64 = a.pieces.iter().map(|p| p.flops).sum();
        prop_assert!(near(weights + tied + a.flops.scores + a.flops.values, a.flops.total()));
        for q in a.quantities() {
            prop_assert!(q.value.is_finite() && q.value >= 0.0, "{:?}", q);
        }
        let half = shape.forward_flops(seq, true);
        let whole = shape.forward_flops(seq, false);
        prop_assert!(half.scores <= whole.scores && half.scores * 2.0 >= whole.scores * (1.0 - 1e-12));
    }
}
