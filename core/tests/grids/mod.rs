//! The groups of ranks of a mixture of experts, against those that Megatron-LM makes.

use ringside_core::declare::Model as _;
use ringside_core::expert_grid::{Group, Params};

use crate::compare::{Check, cases, int, json};

fn megatron() -> Check {
    let file = "oracles/megatron_rank_groups.json";
    let mut check = Check::new("expert-grid", file, "ranks of every group of attention and of experts", 0.0);
    for case in cases(&json(file)) {
        let of = |key: &str| int(case, key);
        let params = Params {
            gpus: of("gpus"),
            tp: of("tp"),
            cp: of("cp"),
            pp: of("pp"),
            ep: of("ep"),
            etp: of("etp"),
            ..Params::standard()
        };
        let layout = params.evaluate().unwrap_or_else(|why| panic!("{why}"));
        for group in Group::ALL {
            let theirs = case["groups"][group.id()].as_array().expect("a case has this group");
            let mut theirs: Vec<Vec<u64>> =
                theirs.iter().map(|ranks| serde_json::from_value(ranks.clone()).expect("ranks are numbers")).collect();
            // Theirs are in the order of the places that are left, ours by their first ranks; the ranks of two places mixed alike.
            theirs.iter_mut().for_each(|ranks| ranks.sort_unstable());
            theirs.sort_unstable();
            let ours = layout.grid(group).groups(group.along());
            let sizes = |groups: &[Vec<u64>]| groups.iter().map(Vec::len).collect::<Vec<_>>();
            assert_eq!(sizes(&ours), sizes(&theirs), "{params:?} {group:?}");
            for (i, (ours, theirs)) in ours.concat().iter().zip(theirs.concat()).enumerate() {
                check.close(&format!("{group:?} {i}"), *ours as f64, theirs as f64);
            }
        }
        check.case();
    }
    check
}

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![megatron()]
}

#[test]
fn of_megatron() {
    assert_eq!(megatron().cases, 11);
}
