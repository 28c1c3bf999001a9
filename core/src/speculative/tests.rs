use super::figure::Params;
use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn quantity(query: &str, id: &str) -> f64 {
    (Params::ENTRY.evaluate)(&Query::parse(query)).get(id).expect("a quantity")
}

/// The model card's README_WEIGHTS.md: 11.5B parameters of its own in the module, of which with the shared matrices 2.4B are active;
/// the report, §5.4.3: 85 to 90% kept, 1.8 times the tokens a second.
#[test]
fn deepseek_v3_comes_out() {
    let added = quantity("model=deepseek-v3", "module-params");
    assert!((added / 11.5e9 - 1.0).abs() < 0.02, "{added}");
    // 2.4B counts the embedding, which is looked up and not multiplied.
    let active = quantity("model=deepseek-v3", "module-active") + 129_280.0 * 7168.0;
    assert!((active / 2.4e9 - 1.0).abs() < 0.06, "{active}");
    for alpha in ["0.85", "0.9"] {
        let speed = quantity(&format!("model=deepseek-v3&drafted=1&alpha={alpha}&batch=64"), "speedup");
        assert!((1.5..1.95).contains(&speed), "{speed}");
    }
    assert_eq!(quantity("depth=4&lambda=0.3", "loss-weight"), 0.075);
}

#[test]
fn a_dense_model_at_batch_one_is_the_closed_form() {
    let (alpha, drafted) = (0.8, 5);
    let query = format!("model=llama-3-70b&batch=1&alpha={alpha}&drafted={drafted}");
    let cost = quantity(&query, "draft-cost");
    let ours = quantity(&query, "speedup");
    assert!((ours / speedup(alpha, drafted, cost) - 1.0).abs() < 1e-12, "{ours}");
    assert_eq!(quantity(&query, "check-cost"), 1.0);
}

#[test]
fn a_large_batch_takes_the_gain_away() {
    let at = |batch: u64| quantity(&format!("model=llama-3-70b&drafted=3&alpha=0.7&batch={batch}"), "speedup");
    assert!(at(1) > 2.0 && at(4096) < 0.7, "{} {}", at(1), at(4096));
    assert_eq!(quantity("model=llama-3-70b&alpha=0.7&batch=4096", "best"), 0.0);
}

#[test]
fn ends_of_the_formula() {
    assert_eq!(tokens(1.0, 7), 8.0);
    assert_eq!(tokens(0.0, 7), 1.0);
    assert_eq!(operations(1.0, 3, 0.0), 1.0);
    assert_eq!(residual(&[0.5, 0.5], &[0.5, 0.5]), None);
    assert_eq!(residual(&[0.7, 0.2, 0.1], &[0.1, 0.2, 0.7]), Some(vec![1.0, 0.0, 0.0]));
}
