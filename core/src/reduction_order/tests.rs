use super::data::Data;
use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn at(query: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let shown = params.evaluate().expect("a result");
    (params, shown)
}

fn of(query: &str, id: &str) -> f64 {
    let (params, shown) = at(query);
    params.quantities(&shown).iter().find(|q| q.id == id).map(|q| q.value).expect("a quantity")
}

#[test]
fn ones_after_2_to_the_24_are_lost_one_by_one_and_kept_together() {
    let data = format!("data=own&values=16777216{}", ",1".repeat(63));
    assert_eq!(of(&format!("{data}&order=sequential"), "sum"), 16_777_216.0);
    assert_eq!(of(&format!("{data}&order=reversed"), "sum"), 16_777_216.0 + 64.0);
    assert_eq!(of(&format!("{data}&order=exact"), "sum"), 16_777_280.0);
    assert_eq!(of(&format!("{data}&order=exact"), "exact"), 16_777_279.0);
}

#[test]
fn depths_are_those_of_their_trees() {
    let depth = |query: &str| of(query, "depth");
    assert_eq!(depth("n=1024&order=sequential"), 1023.0);
    // Four blocks of 256 lanes: three additions in each lane, eight halvings.
    assert_eq!(depth("n=1024&order=block"), 3.0 + 8.0);
    // Eight blocks of 128: fifteen additions, three for the eight, three for the blocks.
    assert_eq!(depth("n=1024&order=numpy"), 15.0 + 3.0 + 3.0);
    assert_eq!(depth("n=1024&order=split&splits=4"), 255.0 + 3.0);
    assert_eq!(depth("n=1024&order=ring&ranks=8"), 127.0 + 7.0);
    assert_eq!(depth("n=1&order=sequential"), 0.0);
}

#[test]
fn the_batch_decides_the_split_and_so_the_bits() {
    let bits = |batch: u32| of(&format!("n=4096&order=batch&batch={batch}"), "bits");
    assert_ne!(bits(1), bits(256));
    assert_eq!((parts_for(1), parts_for(8), parts_for(132), parts_for(512)), (132, 16, 1, 1));
    assert_eq!(bits(256), of("n=4096&order=sequential", "bits"));
}

#[test]
fn random_orders_spread_and_an_exact_sum_does_not() {
    let spread = |query: &str| of(query, "random-distinct");
    assert!(spread("n=1024") > 5.0);
    assert!(spread("n=2") == 1.0, "two numbers have one sum");
    assert_eq!(of("data=cancel&n=512&order=exact", "sum"), 0.0);
    assert!(of("data=cancel&n=512", "random-spread") > 0.0);
    assert_eq!(Data::Cancel.draw(3, 5)[2], Data::Cancel.draw(3, 5)[0]);
}

#[test]
fn one_bit_grows_until_nothing_agrees_and_nothing_does_not() {
    let last = |query: &str| of(&format!("show=steps&{query}"), "apart-last");
    let first = of("show=steps", "apart-first");
    assert!(first > 0.0 && first < 1e-7, "{first}");
    assert!(last("") > 1e4 * first, "{}", last(""));
    // A small rate keeps the runs together, and bf16 does not see the last bit of an fp32 weight at all.
    assert!(last("rate=0.01") < 1e-5, "{}", last("rate=0.01"));
    assert!(last("format=bf16") < first && last("format=bf16&start=order") > 0.1);
    assert!(last("start=order") > 0.1);
    assert_eq!(last("start=nothing"), 0.0);
    assert!(of("show=steps", "all-differ") > 0.0 && of("show=steps", "doubling") > 0.0);
}

#[test]
fn findings_say_what_is_shown() {
    let says = |query: &str| {
        let (params, shown) = at(query);
        params.finding(&shown)
    };
    assert!(says("order=exact").contains("is the exact sum, rounded once"), "{}", says("order=exact"));
    assert!(says("").contains("from bit"), "{}", says(""));
    assert!(says("data=own&format=fp16").contains("gives NaN"), "{}", says("data=own&format=fp16"));
    assert!(says("show=steps&start=nothing").contains("agree in every bit"));
    let (_, problems) = Params::read(&Query::parse("data=own&values=1,x"));
    assert!(problems[0].message.contains("“x” is no number"), "{problems:?}");
}

/// At a rate at which the network trains well, another order of every sum in bf16 takes the weights apart and leaves both runs as good.
#[test]
fn two_runs_that_part_can_be_equally_good() {
    let growth = super::growth::grow(super::growth::Start::Order, 0, &super::growth::settings(true, 0.02, 400, 1));
    assert!(growth.steps.last().is_some_and(|step| step.distance > 0.2), "{:?}", growth.steps.last());
    let late = growth.steps.iter().skip(360);
    let mean = |run: usize| late.clone().map(|step| step.losses[run]).sum::<f64>() / 40.0;
    assert!(mean(0) < 0.002 && mean(1) < 0.002, "{} {}", mean(0), mean(1));
}
