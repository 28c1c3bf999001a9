//! What hides, against the closed forms of How to Scale Your Model.

use ringside_core::declare::Model as _;
use ringside_core::overlap::{Map, Params, book};
use ringside_core::query::Query;

use crate::compare::{Check, cases, json, real};

/// FLOPs for each byte of the machine's links, by the name of the fixture.
fn ratio(map: &Map, link: &str) -> f64 {
    let id = format!("ratio-{link}");
    let all = map.params.quantities(map);
    all.iter().find(|q| q.id == id).map(|q| q.value).unwrap_or_else(|| panic!("{id} is a quantity"))
}

/// On H100s at their peak, in nodes of eight.
fn scaling_book() -> Check {
    let file = "oracles/scaling_book_gpus.json";
    let mut check = Check::new(
        "overlap-map",
        file,
        "tokens per GPU and tensor-parallel ranks that hide on H100s, without latency",
        2e-3,
    );
    let (params, problems) = Params::read(&Query::parse("gpu=h100-80&model=llama-3-70b"));
    assert_eq!(problems, []);
    let map = Map::new(&params).unwrap_or_else(|why| panic!("{why}"));
    for case in cases(&json(file)) {
        let link = case["link"].as_str().expect("a case names a link");
        let ours = match case["rule"].as_str().expect("a case names a rule") {
            "data" => book::data_tokens(ratio(&map, link), real(case, "spread")),
            "tensor" => book::tensor_ranks(real(case, "wide"), ratio(&map, link)),
            _ => {
                check.exclude("(n − 1)/n with n nodes: the model takes it of all ranks, and with latency");
                continue;
            }
        };
        check.close(link, ours, real(case, "value"));
        check.case();
    }
    check
}

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![scaling_book()]
}

#[test]
fn of_the_scaling_book() {
    assert_eq!(scaling_book().cases, 5);
}
