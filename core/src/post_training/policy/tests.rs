use super::answers::HACK;
use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn read(query: &str) -> Params {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    params
}

fn last(query: &str) -> Update {
    *read(query).shown().updates.last().expect("an update")
}

#[test]
fn a_policy_stays_one() {
    for algorithm in Algorithm::ALL {
        for query in ["", "beta=0&clip=0&rate=5&epochs=16", "lag=64&batch=2", "clip=1&beta=1&updates=400"] {
            let params = Params { algorithm, ..read(query) };
            for update in params.run() {
                assert!((update.new.iter().sum::<f64>() - 1.0).abs() < 1e-9 && update.new.iter().all(|p| *p >= 0.0));
                assert!(update.divergence() >= -1e-9 && (0.0..=1.0).contains(&update.clipped));
            }
        }
    }
}

#[test]
fn without_a_penalty_the_reward_model_is_fooled() {
    for algorithm in ["ppo", "grpo", "rloo", "dr-grpo"] {
        let off = last(&format!("algorithm={algorithm}&beta=0&updates=400"));
        assert!(off.new[HACK] > 0.9 && off.worth() < 0.1 && off.score() > 1.5, "{algorithm}: {off:?}");
    }
}

#[test]
fn a_penalty_in_the_reward_leads_to_the_policy_that_it_defines() {
    for algorithm in ["ppo", "rloo"] {
        let found = last(&format!("algorithm={algorithm}&beta=0.3&updates=400&batch=512"));
        for (ours, theirs) in found.new.iter().zip(optimum(0.3)) {
            assert!((ours - theirs).abs() < 0.05, "{algorithm}: {:?} {:?}", found.new, optimum(0.3));
        }
        assert!(found.worth() > 0.5);
    }
    assert_eq!(optimum(0.0)[HACK], 1.0);
    assert!((optimum(1e6)[2] - 0.39).abs() < 1e-3, "a strong penalty keeps the reference");
}

/// The gradient of k3 on the policy's own samples is that of KL(π_ref ‖ π): E[(1 − π_ref/π)∇log π] = −Σ π_ref ∇log π. It keeps every answer of the
/// reference possible and does not keep the policy away from one that the reference seldom gives.
#[test]
fn a_penalty_in_the_loss_pulls_with_the_other_divergence() {
    // Where score − β·KL(π_ref ‖ π) is highest, π = β·π_ref/(λ − score).
    let found = last("algorithm=dr-grpo&beta=0.3&updates=400&batch=512").new;
    let lambda: Vec<f64> = found.iter().zip(&answers::ANSWERS).map(|(p, a)| 0.3 * a.reference / p + a.score).collect();
    for one in &lambda {
        assert!((one - lambda[0]).abs() < 0.15, "{lambda:?}");
    }
    assert!(found[HACK] > 0.5);
}

#[test]
fn a_token_beyond_the_clip_is_left_alone_only_on_the_side_it_was_pushed_to() {
    let slope = |query: &str| read(query).shown().token.slope;
    assert_eq!(slope("old=0.2&new=0.3&advantage=1&clip=0.2"), 0.0);
    assert!((slope("old=0.2&new=0.3&advantage=-1&clip=0.2") - 1.5).abs() < 1e-12, "pushed back");
    assert_eq!(slope("old=0.3&new=0.2&advantage=-1&clip=0.2"), 0.0);
    assert!(slope("old=0.3&new=0.2&advantage=1&clip=0.2") < 0.0);
    assert!((slope("old=0.2&new=0.3&advantage=1&clip=0") + 1.5).abs() < 1e-12, "no clip");
}

#[test]
fn late_samples_are_clipped_more() {
    let clipped = |lag| read(&format!("lag={lag}")).run().iter().map(|u| u.clipped).sum::<f64>();
    assert!(clipped(16) > 1.5 * clipped(0), "{} {}", clipped(0), clipped(16));
}

#[test]
fn a_group_that_agrees_teaches_nothing() {
    let p = read("algorithm=grpo&group=8");
    assert_eq!((p.grouped(0), p.grouped(8)), ([0.0; 2], [0.0; 2]));
    let [right, wrong] = p.grouped(1);
    assert!((right - 0.875 / (0.125_f64.sqrt() + 1e-4)).abs() < 1e-9 && wrong < 0.0);
    assert!(p.grouped(1)[0] > p.grouped(4)[0]);
    assert!(read("group=4&right=5").evaluate().is_err_and(|why| why.ends_with('.')));
}

#[test]
fn findings_have_their_numbers() {
    for view in ["policy", "course", "objective", "group"] {
        for more in ["", "&beta=0&updates=400", "&right=0", "&advantage=-1&clip=0"] {
            let p = read(&format!("view={view}{more}"));
            let finding = p.finding(&p.shown());
            assert!(finding.ends_with('.') && !finding.contains("NaN"), "{finding}");
        }
    }
}
