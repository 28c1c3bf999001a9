use super::*;
use crate::query::Query;

fn quantity(query: &str, id: &str) -> f64 {
    let evaluation = (Params::ENTRY.evaluate)(&Query::parse(&format!("reach=peak&{query}")));
    assert_eq!((&evaluation.error, evaluation.problems.len()), (&None, 0), "{query}");
    evaluation.get(id).expect("a quantity")
}

/// 8.03B parameters less the embedding that is looked up, two bytes each.
#[test]
fn a_pass_reads_the_weights_and_the_caches() {
    assert_eq!(quantity("batch=1&context=1024", "weight-bytes"), 2.0 * (8_030_261_248.0 - 128_256.0 * 4096.0));
    assert_eq!(quantity("batch=64", "weight-bytes"), quantity("batch=1", "weight-bytes"));
    assert_eq!(quantity("batch=64", "cache-bytes"), 64.0 * quantity("batch=1", "cache-bytes"));
    let alone = "batch=1&context=1024";
    assert!((quantity(alone, "pass") / quantity(alone, "reads") - 1.0).abs() < 1e-9);
    let refused = (Params::ENTRY.evaluate)(&Query::parse("model=llama-3-70b&tp=1"));
    assert!(refused.error.is_some_and(|why| why.contains("More GPUs or fewer bits")));
}

/// Where caches are small it is chapter 13's figure, but for what GPUs say to each other and the module's projection.
#[test]
fn a_draft_is_that_of_chapter_13_where_caches_are_small() {
    let ours = quantity("model=llama-3-8b&batch=1&context=1&draft=layer&drafted=4&alpha=0.7", "speedup");
    let other = super::super::figure::Params::ENTRY;
    let theirs = (other.evaluate)(&Query::parse("model=llama-3-8b&drafted=4&alpha=0.7&batch=1&weight-bits=16"));
    let ratio = ours / theirs.get("speedup").expect("a quantity");
    assert!((0.97..1.06).contains(&ratio), "{ratio}");
}

#[test]
fn a_draft_stops_paying_and_a_tree_stops_sooner() {
    let state = "model=llama-3-70b&tp=4&context=1024&draft=llama-3.2-1b&drafted=4&alpha=0.7";
    let stops = quantity(state, "pays-up-to");
    assert!((32.0..1024.0).contains(&stops), "{stops}");
    let at = |batch: f64| quantity(&format!("{state}&batch={batch}"), "speedup");
    assert!(at(stops) > 1.0 && at(stops + 1.0) <= 1.0, "{stops}");
    let tree = format!("{state}&branches=2");
    assert!(quantity(&format!("{tree}&batch=1"), "tokens-per-pass") > quantity(state, "tokens-per-pass"));
    assert!(quantity(&tree, "pays-up-to") < stops);
    assert_eq!(quantity(&tree, "checked"), 31.0);
    // A long context keeps a pass memory bound, and drafting worth it.
    assert!(quantity(&state.replace("context=1024", "context=32768"), "pays-up-to") > 1.5 * stops);
}

#[test]
fn weights_in_four_bits_pay_where_weights_are_read() {
    let at = |query: &str| quantity(&format!("model=llama-3-8b&quant=int4&{query}"), "speedup-bits");
    let alone = at("batch=1&context=1");
    // The output matrix stays in 16 bits, and is a fourteenth of what a token reads: 15.0 GB against 4.65 GB.
    let (head, all) = (128_256.0 * 4096.0, 8_030_261_248.0 - 128_256.0 * 4096.0);
    let expected = 2.0 * all / ((all - head) * (0.5 + 2.0 / 128.0) + 2.0 * head);
    assert!((alone - expected).abs() < 0.02 && alone < 3.25, "{alone} {expected}");
    assert!((at("batch=2048&context=1") - 1.0).abs() < 0.01);
    assert!((1.0..1.4).contains(&at("batch=64&context=16384")));
    assert!((280.0..320.0).contains(&quantity("model=llama-3-8b&context=1", "ridge-batch")));
    assert_eq!(quantity("model=llama-3-8b&context=8192", "ridge-batch"), 0.0);
    // 60.4 GB of room, 131 kB a token.
    assert_eq!(quantity("model=llama-3-8b&context=8192", "fit"), 56.0);
}

#[test]
fn a_prompt_is_compute_bound() {
    let at = |id: &str| quantity("model=llama-3-8b&batch=1&context=2048", id);
    assert!(at("prefill-intensity") > 5.0 * at("ridge"));
    assert!(at("intensity") < 0.01 * at("ridge"));
    assert!(at("one-by-one") > 40.0 * at("prefill"));
}

#[test]
fn sequences_that_do_not_fit_have_no_speed() {
    for view in ["pass", "draft", "weights"] {
        let params = Params::read(&Query::parse(&format!("view={view}&model=llama-3-8b&context=8192&batch=512"))).0;
        let outcome = params.outcome().expect("weights that fit");
        assert!(outcome.fit() < 512.0);
        let applied: Vec<_> = params.quantities(&outcome).into_iter().filter(|q| q.applies).collect();
        assert!(applied.iter().all(|q| q.unit != Unit::Seconds && !["tokens-per-second", "speedup"].contains(&q.id)));
        assert!(applied.iter().any(|q| q.id == "fit"), "{view}");
        let finding = outcome.finding();
        assert!(
            finding.contains("don’t fit") && !finding.contains(&Unit::Seconds.format(outcome.pass.time())),
            "{finding}"
        );
    }
}
