//! The communication of a sharded step against the ZeRO paper.

use ringside_core::declare::Model as _;
use ringside_core::zero::{Params, Run, Strategy};

use crate::compare::{Check, json};

/// What a rank sends in a step, in Ψ, on 2, 3, 4, 6 and 8 ranks; the paper leaves out the factor (N − 1)/N.
fn volumes() -> Check {
    let file = "oracles/zero_table1.json";
    let what = "volume of a step over (N − 1)/N, on 2 to 8 ranks";
    let mut check = Check::new("zero-stepper", file, what, 1e-12);
    let stated = &json(file)["communication_volume"];
    for (key, strategies) in [
        ("DP", [Strategy::Ddp].as_slice()),
        ("stage1_2", &[Strategy::Zero1, Strategy::Zero2]),
        ("stage3", &[Strategy::Zero3, Strategy::FullShard]),
    ] {
        let text = stated[key].as_str().unwrap_or_default();
        let times = text.split('P').next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{key}: {text}"));
        for (&strategy, ranks) in strategies.iter().flat_map(|s| [2, 3, 4, 6, 8].map(|ranks| (s, ranks))) {
            let params = Params { strategy, ranks, ..Params::standard() };
            let run = Run::new(&params).unwrap_or_else(|e| panic!("{e}"));
            let part = (ranks - 1) as f64 / ranks as f64;
            check.close(&format!("{} on {ranks}", strategy.label()), run.volume() / part, times);
            check.case();
        }
    }
    check
}

/// All comparisons of this module.
pub fn all() -> Vec<Check> {
    vec![volumes()]
}

#[test]
fn volumes_agree_with_the_zero_paper() {
    assert_eq!(all().iter().map(|c| c.cases).collect::<Vec<_>>(), [25]);
}
