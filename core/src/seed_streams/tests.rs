use super::*;
use crate::query::Query;

const RIGHT: &str = "init-tp=different&data-dp=different&drop-dp=different&drop-shard=different";

fn at(change: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(&format!("{RIGHT}&{change}")));
    assert_eq!(problems, []);
    let shown = params.evaluate().expect("a result");
    (params, shown)
}

#[test]
fn the_right_streams_do_no_damage() {
    let (params, shown) = at("");
    assert_eq!(params, params.right());
    assert_eq!(shown.run, shown.right);
    assert_eq!(shown.run.apart.last(), Some(&0.0));
    assert_eq!((shown.run.columns, params.disagree(true)), (16, 0.0));
    assert!(params.finding(&shown).ends_with('.') && !params.finding(&shown).contains("apart"));
}

#[test]
fn each_wrong_stream_has_its_damage() {
    let replicas = at("init-dp=different").1;
    assert!(replicas.run.apart.last().is_some_and(|d| *d > 0.1) && replicas.run.last > 2.0 * replicas.right.last);
    let labels = at("data-pp=different").1;
    assert!(labels.run.last > 1.9, "no better than guessing: ln 8 is 2.08, not {}", labels.run.last);
    // The copies stay copies: equal weights have equal gradients.
    let (params, _) = Params::read(&Query::parse(&RIGHT.replace("init-tp=different&", "")));
    assert_eq!(params.run().columns, 8);
    let (params, _) = Params::read(&Query::parse(&RIGHT.replace("data-dp=different&", "")));
    let same = params.run();
    assert!(same.apart.last() == Some(&0.0) && same.distinct * 2 == params.right().run().distinct);
}

#[test]
fn masks_disagree_as_two_draws_do() {
    let (params, shown) = at("drop-whole=different&dropout=0.1");
    let disagree = params.disagree(false);
    // 2p(1 − p) = 18%, within four deviations of 4096 draws.
    assert!((disagree - 0.18).abs() < 0.024, "{disagree}");
    assert!(params.finding(&shown).starts_with("Tensor-parallel ranks disagree about"));
}
