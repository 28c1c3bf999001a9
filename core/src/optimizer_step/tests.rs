use super::{FAR, Params, Path, Problem, ROWS, Rule};
use crate::declare::Model;

fn params(rule: Rule) -> Params {
    Params { rule, ..Params::standard() }
}

fn near(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0)
}

/// H has the eigenvalues 1 and κ, turned by the angle: seen by the gradient at its eigenvectors.
#[test]
fn the_bowl_is_as_steep_as_it_says() {
    for angle in [0.0, 30.0, 45.0] {
        let problem = Problem::new(50.0, angle, 0.0);
        let (sin, cos) = f64::to_radians(angle).sin_cos();
        for (w, eigenvalue) in [([cos, sin], 1.0), ([-sin, cos], 50.0)] {
            let g = problem.whole(w);
            assert!(near(g[0], eigenvalue * w[0]) && near(g[1], eigenvalue * w[1]), "{angle}: {g:?}");
            assert!(near(problem.loss(w), eigenvalue / 2.0));
        }
        for (x, y) in Problem::level(50.0, angle, 3.0, 12) {
            assert!(near(problem.loss([x, y]), 3.0));
        }
    }
}

#[test]
fn noise_moves_no_optimum_and_makes_batches_differ() {
    let problem = Problem::new(10.0, 20.0, 2.0);
    let best = problem.whole(Problem::BEST);
    assert!(near(best[0], 0.0) && near(best[1], 0.0));
    assert!(problem.variance(Problem::BEST) > 1.0);
    // The mean over rows is the whole gradient: the estimate has no bias.
    let w = [1.0, -2.0];
    let mean =
        (0..ROWS).map(|row| problem.gradient(&[row], w)).fold([0.0; 2], |s, g| [s[0] + g[0] / 8.0, s[1] + g[1] / 8.0]);
    let whole = problem.whole(w);
    assert!(near(mean[0], whole[0]) && near(mean[1], whole[1]));
}

/// Gradient descent on a quadratic shrinks each coordinate by 1 − ηλ a step, and diverges beyond 2/λ.
#[test]
fn sgd_is_the_power_of_a_matrix() {
    let p = Params { lr: 0.03, kappa: 50.0, steps: 10, ..params(Rule::Sgd) };
    let path = Path::new(&p);
    let expected = [p.start_across * 0.97_f64.powi(10), p.start_up * (-0.5_f64).powi(10)];
    let end = path.after(10);
    assert!(near(end[0], expected[0]) && near(end[1], expected[1]), "{end:?}");
    assert!(!path.diverges());
    let wild = Path::new(&Params { lr: 0.045, steps: 300, ..p });
    assert!(wild.diverges() && wild.at.len() < 300);
    assert!(wild.at.iter().all(|w| w[0].hypot(w[1]) < 3.0 * FAR));
}

#[test]
fn momentum_arrives_sooner_than_sgd_in_a_narrow_valley() {
    let arrives = |rule| Path::new(&Params { steps: 300, ..params(rule) }).arrives();
    let (sgd, momentum) = (arrives(Rule::Sgd), arrives(Rule::Momentum));
    assert!(momentum < sgd && momentum.is_some(), "{momentum:?} {sgd:?}");
}

/// Kingma & Ba 2015, §2.1: the first step has the length η in each coordinate, whatever the gradient.
#[test]
fn adams_first_step_is_the_learning_rate() {
    for kappa in [1.0, 1000.0] {
        let path = Path::new(&Params { lr: 0.1, kappa, ..params(Rule::Adam) });
        let [a, b] = path.changes[0];
        assert!((a.abs() - 0.1).abs() < 1e-6 && (b.abs() - 0.1).abs() < 1e-6, "{a} {b}");
    }
}

/// The variance of a batch's gradient is that of a row over the size of the batch: measured over many batches.
#[test]
fn the_variance_of_a_batch_falls_as_its_size() {
    let problem = Problem::new(5.0, 0.0, 3.0);
    let w = [-4.0, 1.0];
    let whole = problem.whole(w);
    for batch in [1, 2, 4] {
        let draws = 20_000;
        let off = |t| {
            let g = problem.gradient(&super::rows(t, batch), w);
            (g[0] - whole[0]).powi(2) + (g[1] - whole[1]).powi(2)
        };
        let measured = (0..draws).map(off).sum::<f64>() / draws as f64;
        let expected = problem.variance(w) / batch as f64;
        assert!((measured / expected - 1.0).abs() < 0.05, "{batch}: {measured} {expected}");
    }
    assert_eq!(super::rows(3, 8), (0..8).collect::<Vec<_>>());
}

#[test]
fn counts_are_those_of_a_layer() {
    let p = Params { rows: 4096, columns: 4096, tokens: 8192, ..params(Rule::Adam) };
    let path = p.evaluate().expect("possible");
    let quantity = |id: &str| p.quantities(&path).iter().find(|q| q.id == id).map(|q| q.value);
    assert_eq!(quantity("product-flop"), Some(6.0 * 4096.0 * 4096.0 * 8192.0));
    assert_eq!(quantity("update-bytes"), Some(28.0 * 4096.0 * 4096.0));
    assert_eq!(quantity("state-bytes"), Some(8.0 * 4096.0 * 4096.0));
    assert!(p.finding(&path).contains("Each weight"));
    assert!(Rule::ALL.iter().all(|rule| !rule.formula().is_empty()));
}
