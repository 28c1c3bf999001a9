use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn at(query: &str) -> (Params, Outcome) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let outcome = params.evaluate().expect("an outcome");
    (params, outcome)
}

#[test]
fn steps_that_are_drawn_take_as_long_as_the_integral_says() {
    for query in ["slow=0", "slow=40", "slow=40&cure=backup&spares=4", "slow=5&jitter=5&ranks=64", "slow=40&cure=swap"]
    {
        let (p, o) = at(query);
        let p = Params { ranks: p.ranks.min(256), ..p };
        let o = if p.ranks == 256 { p.outcome() } else { o };
        let mean = (1..=800).map(|seed| p.draw(seed).over).sum::<f64>() / 800.0;
        assert!((mean / o.step - 1.0).abs() < 0.006, "{query}: {mean} {}", o.step);
    }
}

#[test]
fn one_slow_rank_costs_as_much_as_if_all_were() {
    let (_, o) = at("jitter=0&pause=0&slow=40");
    assert!((o.step - 1.4).abs() < 1e-3 && (o.useful - 1.0 / 1.4).abs() < 1e-3);
    let (p, o) = at("jitter=0&pause=0&slow=40&cure=swap&spares=8");
    assert!((o.step - 1.0).abs() < 1e-3 && (o.useful - 1024.0 / 1032.0).abs() < 1e-3 && p.paid() == 1032);
    assert!((at("jitter=0&pause=0&slow=40&cure=swap&spares=0").1.step - 1.4).abs() < 1e-3);
}

#[test]
fn more_ranks_take_longer_and_backups_take_pauses_away() {
    let steps: Vec<f64> = [16, 256, 4096].map(|n| at(&format!("slow=0&ranks={n}")).1.step).to_vec();
    assert!(steps.is_sorted(), "{steps:?}");
    let (swap, backup) = (at("ranks=4096&cure=swap").1.step, at("ranks=4096&cure=backup").1.step);
    assert!(backup < swap - 0.05, "a spare replaces one rank, a backup whoever is late: {backup} {swap}");
}

#[test]
fn the_straggler_is_the_one_that_does_not_wait() {
    let (p, o) = at("");
    assert_eq!(Some(o.drawn.slowest()), p.slow_rank());
    let of = |id: &str| p.quantities(&o).iter().find(|q| q.id == id).map_or(f64::NAN, |q| q.value);
    assert!(of("waiting") > 0.25 && of("straggler-waiting") < 0.02);
    assert_eq!((o.drawn.shown().len(), o.drawn.shown().last().map(|r| r.0)), (DRAWN, Some(1023)));
}
