use super::{Kept, Params};
use crate::declare::Model as _;
use crate::fim::format::Order;
use crate::quantity::Unit;
use crate::query::Query;

fn params(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params
}

#[test]
fn one_token_reads_the_weights_once() {
    let p = params("model=deepseek-coder-6.7b&gpu=h100-80&context=64&efficiency=1&network=0&output=1&kept=nothing");
    let times = p.times();
    // 32 layers of 4·4096² + 3·4096·11008 and norms, and 32256·4096 of the output matrix, in two bytes, over 3.35 TB/s.
    let weights = 2.0 * (32.0 * (4.0 * 4096.0 * 4096.0 + 3.0 * 4096.0 * 11008.0 + 8192.0) + 32256.0 * 4096.0 + 4096.0);
    assert_eq!(times.weights, weights);
    let cache = 64.0 * 32.0 * 2.0 * 4096.0 * 2.0;
    assert!((times.step - (weights + cache) / p.gpu.bandwidth).abs() < 1e-12);
}

#[test]
fn suffix_first_computes_what_was_typed_and_prefix_first_the_suffix_too() {
    let base = params("context=8192&suffix=0.25&typed=3");
    let computed = |kept, order| Params { kept, order, ..base }.times().computed;
    assert_eq!(computed(Kept::Prompt, Order::Spm), 3.0);
    assert_eq!(computed(Kept::Prompt, Order::Psm), 2051.0);
    assert_eq!([Order::Psm, Order::Spm].map(|order| computed(Kept::Nothing, order)), [8192.0; 2]);
    let whole = |order| Params { order, ..base }.times().whole;
    assert!(whole(Order::Spm) < whole(Order::Psm));
}

#[test]
fn times_grow_with_the_prompt_and_the_longest_is_the_last_in_time() {
    for model in
        ["starcoder2-3b", "deepseek-coder-6.7b", "llama-2-7b", "qwen2.5-7b", "starcoder", "llama-2-70b", "qwen2.5-72b"]
    {
        let base = params(&format!("model={model}&kept=nothing"));
        let at = |context| Params { context, ..base }.times().whole;
        let all: Vec<f64> = (6..17).map(|power| at(1 << power)).collect();
        assert!(all.windows(2).all(|w| w[0] <= w[1]), "{model} {all:?}");
        let longest = base.longest();
        assert!(longest == 0 || at(longest) <= base.budget);
        let longer = Params { context: longest + 1, ..base };
        assert!(longest == 131_072 || !longer.fits(&longer.times()) || at(longest + 1) > base.budget);
    }
}

#[test]
fn a_large_model_is_too_late_whatever_the_prompt() {
    let large = params("model=llama-2-70b&gpu=h100-80&context=64");
    let times = large.times();
    assert!(large.longest() == 0 && !large.fits(&times));
    let finding = large.finding(&times);
    assert!(
        finding.starts_with("It doesn’t fit") && !finding.contains(&Unit::Seconds.format(times.whole)),
        "{finding}"
    );
    assert_eq!(large.longest(), 0, "what doesn’t fit is never in time");
}
