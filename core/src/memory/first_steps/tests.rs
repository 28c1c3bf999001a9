//! Every measured run lies over its model by as much as overhead says; the three deaths can be had.

use super::{Params, When, course, measured};
use crate::declare::Model as _;
use crate::memory::overhead::{FRAGMENTATION, WORKSPACE};
use crate::query::Query;

fn at(text: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(text));
    assert!(problems.is_empty(), "{text}: {problems:?}");
    params
}

#[test]
fn measured_runs_are_found_and_lie_over_the_model() {
    for run in &measured::ALL {
        let params = at(&run.query());
        let course = course(&params).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(course.measured, Some(run), "{}", run.query());
        let over = run.allocated().0 / course.peak() - 1.0;
        assert!((WORKSPACE.0..=WORKSPACE.1).contains(&over), "{}: {over}", run.query());
        let reserved = run.reserved().0 / run.allocated().0 - 1.0;
        assert!((FRAGMENTATION.0..=FRAGMENTATION.1).contains(&reserved), "{}: {reserved}", run.query());
        assert_eq!(super::course(&Params { late: 1_000_000, ..params }).ok().and_then(|c| c.measured), Some(run));
    }
    assert_eq!(course(&at("model=llama-3-8b")).ok().and_then(|c| c.measured), None);
}

#[test]
fn a_run_dies_at_each_of_three_moments() {
    let dies = |text: &str| course(&at(text)).ok().and_then(|c| c.dies());
    assert_eq!(dies("dp=1&zero=0&seq=1024"), Some(When::Update(1)));
    let second = (1..=16).find(|i| dies(&format!("dp=8&zero=1&seq={}", 1024 * i)) == Some(When::Passes(2)));
    println!("{second:?}");
    assert!(second.is_some());
    assert_eq!(dies("dp=8&zero=3&seq=131072"), Some(When::Passes(1)));
    assert_eq!(dies("dp=8&zero=3&seq=8192"), None);
    assert_eq!(dies("dp=8&zero=3&seq=8192&late=131072"), Some(When::Late));
}

#[test]
fn moments_come_with_the_first_update_and_stay() {
    let c = course(&at("dp=8&zero=1&seq=4096")).unwrap_or_else(|why| panic!("{why}"));
    let added = c.passes(2) - c.passes(1);
    let moments = c.moments.last().map_or(0.0, |m| m.held.moments);
    assert!((added / moments - 1.0).abs() < 1e-9, "{added} and {moments}");
    assert_eq!(c.passes(2), c.passes(4));
    // Two fp32 moments over eight ranks: 8 bytes a parameter.
    assert!((moments / 8_030_261_248.0 - 1.0).abs() < 1e-6);
    assert!(c.loaded() < c.update(1));
}
