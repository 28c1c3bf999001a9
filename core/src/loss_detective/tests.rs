use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn at(query: &str) -> (Params, Story) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let story = params.evaluate().expect("a story");
    (params, story)
}

/// The loss at the end under each act, in the order of [`Act`]: wait, rewind, skip, clip, lower, recipe; then the healthy run's.
fn ends(case: &str) -> [f64; 7] {
    let end = |act: &str| at(&format!("case={case}&act={act}")).1.last;
    let [wait, rewind, skip, clip, lower, recipe] = ["wait", "rewind", "skip", "clip", "lower", "recipe"].map(end);
    [wait[0], rewind[0], skip[0], clip[0], lower[0], recipe[0], wait[1]]
}

#[test]
fn going_back_to_the_same_data_gives_the_same_spike_and_skipping_it_does_not() {
    // One long gradient, as of PaLM's spikes: the batch and the state of Adam together.
    let [wait, rewind, skip, clip, _, recipe, healthy] = ends("c");
    assert_eq!(wait, rewind);
    assert!(wait > 10.0 * healthy && skip < 2.0 * healthy && clip < 2.0 * healthy && recipe < 2.0 * healthy);
    let [wait, rewind, skip, ..] = ends("b");
    assert!(wait == rewind && skip < wait / 2.0);
}

#[test]
fn a_rate_that_is_too_high_is_not_cured_half_way() {
    let [wait, rewind, skip, clip, lower, recipe, healthy] = ends("a");
    assert!([wait, rewind, skip, clip, lower].iter().all(|end| *end > 1.0));
    assert_eq!(recipe, healthy);
    let (_, story) = at("case=a");
    assert!(story.peak(|l| l.logit) > 200.0, "its attention logits grow, as in Wortsman et al. 2023");
    assert_eq!(at("case=a&act=recipe").1.dropped.len(), 120);
}

#[test]
fn a_sum_in_the_place_of_a_mean_shows_in_the_gradient_alone_and_its_cure_halfway_makes_it_worse() {
    let (params, story) = at("case=h");
    assert_eq!(story.last[0], story.last[1]);
    let ratio = params.quantities(&story).iter().find(|q| q.id == "gradient-ratio").map(|q| q.value);
    assert!(ratio.is_some_and(|r| (r - 64.0).abs() < 0.1), "{ratio:?}");
    // Adam's mean of squares is 64² times what the mean's gradients have.
    let [.., recipe, healthy] = ends("h");
    assert!(recipe > 10.0 * healthy, "{recipe} {healthy}");
}

#[test]
fn an_overflow_takes_the_loss_scale_to_one_whatever_is_done_in_fp16() {
    let (_, story) = at("case=g");
    assert!(story.kept.last().is_some_and(|l| l.scale == 1.0 && l.skipped && l.loss.is_nan()));
    let [wait, rewind, skip, clip, lower, recipe, _] = ends("g");
    assert!([wait, rewind, skip, clip, lower].iter().all(|end| end.is_nan()) && recipe < 0.1);
}

#[test]
fn what_the_other_runs_are_recognised_by() {
    let healthy = at("case=b&act=recipe").1;
    let epsilon = at("case=d").1;
    assert!(epsilon.last[0] > 0.5 && epsilon.kept[50].update < healthy.kept[50].update / 3.0);
    let logits = at("case=e").1;
    assert!(logits.kept[50].logit > 50.0 && logits.last[0] > 0.5 && logits.last[1] < 0.05);
    let drift = at("case=f").1;
    assert!(drift.kept[50].log_z > 20.0 * healthy.kept[50].log_z && drift.last[0] > 3.0 * drift.last[1]);
    let [wait, rewind, .., recipe, _] = ends("i");
    assert!(recipe < wait / 2.0 && rewind > 2.0 * recipe, "{wait} {rewind} {recipe}");
}

#[test]
fn what_it_costs_is_steps_times_their_time_and_the_restart() {
    let (params, story) = at("case=c&act=skip&found=120&back=20&every=20&restart=600");
    assert_eq!((story.checkpoint, story.dropped.len()), (100, 20));
    assert_eq!(params.lost(&story), (20.0 + story.behind()) * 100.0 * 14.4 + 600.0);
    assert!(params.finding(&story).starts_with("The run ends at a loss of"));
    assert!(params.answer().contains("clipped at 1"));
    let (hours, devices) = published::ALL[0].hours().expect("PaLM’s");
    assert!((hours - 0.489).abs() < 0.001 && (devices / hours - 6144.0).abs() < 1e-6);
}
