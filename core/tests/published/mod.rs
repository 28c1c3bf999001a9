//! Published runs against the planner: those of the two papers that give every number it asks for. `tests/planner.rs` has the
//! others, met and missed.

use ringside_core::planner::published::{self, NEAR};

use crate::compare::Check;

/// Utilization of the runs of one source.
fn runs(source: &str, file: &'static str) -> Check {
    let mut check = Check::new("parallel-planner", file, "utilization of published runs, nothing tuned", NEAR);
    for run in published::all().iter().filter(|run| run.source.starts_with(source)) {
        check.close(&run.name, run.computed(), run.published());
        check.case();
    }
    check
}

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![runs("Narayanan", "oracles/narayanan_2021_table1.json"), runs("Korthikanti", "oracles/korthikanti_2022.json")]
}

#[test]
fn of_narayanan_and_korthikanti() {
    assert_eq!(all().iter().map(|check| check.cases).collect::<Vec<_>>(), [10, 9]);
}
