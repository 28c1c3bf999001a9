use super::*;
use crate::declare::Model as _;
use crate::query::Query;

fn step(query: &str) -> (Params, Step) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let step = params.evaluate().expect(query);
    (params, step)
}

fn read(query: &str) -> Params {
    Params::read(&Query::parse(query)).0
}

#[test]
fn ppo_with_four_alike_takes_thirty_six_bytes_a_parameter() {
    // GPT-2's head is its embedding, so a critic is as large as the policy.
    let (_, s) = step("method=ppo&model=gpt2-xl&gpus=1&zero=0&critic-zero=0&shard-frozen=false");
    let n = s.held[0].params;
    assert_eq!(s.states(), 36.0 * n, "16 + 2 + 2 + 16");
    assert_eq!(s.pretraining_states, 16.0 * n);
    let (_, s) = step("method=grpo&model=gpt2-xl&gpus=1&zero=0&reward-at=none");
    assert_eq!(s.states(), 18.0 * s.held[0].params, "no critic, no reward model");
    let (_, s) = step("method=dpo&model=gpt2-xl&gpus=1&zero=0&reference=none");
    assert_eq!(s.states(), 16.0 * s.held[0].params);
}

#[test]
fn a_critic_has_no_output_matrix_and_no_logits() {
    let (_, s) = step("method=ppo&model=llama-3-8b");
    assert_eq!(s.held[0].params - s.held[3].params, 128_256.0 * 4096.0);
    assert!(s.held[3].forward < s.held[0].forward);
}

#[test]
fn with_an_adapter_the_states_shrink_and_the_weights_stay() {
    let (_, full) = step("method=ppo&gpus=8");
    let (_, lora) = step("method=ppo&gpus=8&tune=lora&critic-tune=lora&reference=none");
    assert!(lora.states() < 0.25 * full.states());
    assert!(lora.held[0].parts.weights.0 >= full.held[0].parts.weights.0);
    assert!(lora.held[1].parts.states().0 == 0.0);
}

#[test]
fn states_do_not_depend_on_the_phase_where_all_stay() {
    let (_, s) = step("method=ppo&placement=hybrid");
    for phase in &s.phases {
        let states: f64 = phase.roles.iter().map(|p| p.states().0).sum();
        assert!((states / s.states() - 1.0).abs() < 1e-12, "{:?}", phase.work);
    }
    let (_, swapped) = step("method=ppo&placement=swapped");
    assert!(swapped.peak_bytes() < s.peak_bytes());
    assert!(swapped.phases.iter().all(|p| p.roles.iter().filter(|r| r.states().0 > 0.0).count() <= 1));
    assert!(swapped.seconds(|_| true) > s.seconds(|_| true), "swapping takes time");
}

#[test]
fn apart_the_engines_hold_weights_and_cache_alone() {
    let (p, s) = step("method=ppo&placement=apart&gpus=16&gen-gpus=8");
    let generation = s.phases.iter().find(|p| p.work == Work::Generate).expect("it generates");
    assert_eq!(generation.total().0, p.engine_weights() + s.generation.cache);
    assert!(p.idle(&s) > 0.2);
    let (q, t) = step("method=ppo&placement=async&gpus=16&gen-gpus=8");
    assert!(q.seconds(&t) < p.seconds(&s) && q.idle(&t) < p.idle(&s));
}

#[test]
fn generation_takes_most_of_the_time_and_a_small_part_of_the_flops() {
    let (p, s) = step("method=ppo&gpus=8&prompts=64");
    let share = s.seconds(|w| w == Work::Generate) / s.seconds(|_| true);
    assert!(share > p.flop_share(&s) && p.flop_share(&s) < 0.25, "{share} {}", p.flop_share(&s));
}

#[test]
fn a_longer_answer_takes_longer_and_a_larger_cache() {
    let of = |response: u64| step(&format!("method=ppo&response={response}&at-once=16")).1.generation;
    assert!(of(2048).decode > 2.0 * of(1024).decode && of(2048).cache > of(1024).cache);
    // Weights are read once for all at once, so a larger batch costs less each.
    let (_, a) = step("method=ppo&at-once=1");
    let (_, b) = step("method=ppo&at-once=64");
    assert!(b.generation.decode < 0.1 * a.generation.decode);
}

#[test]
fn a_reference_in_host_memory_is_on_the_gpu_in_its_own_phase_alone() {
    let (_, s) = step("method=ppo&reference=host");
    for phase in &s.phases {
        let there = phase.roles[1].states().0 > 0.0;
        assert_eq!(there, phase.work == Work::Score(Role::Reference), "{:?}", phase.work);
    }
}

#[test]
fn what_is_impossible_is_said() {
    for query in [
        "placement=apart&gpus=4&gen-gpus=4",
        "gpus=6&tp=4",
        "gpus=8&gen-tp=3",
        "placement=async&gpus=12&gen-gpus=4&tp=3",
    ] {
        let why = read(query).evaluate().expect_err(query);
        assert!(why.ends_with('.'), "{why}");
    }
}

#[test]
fn findings_have_their_numbers() {
    for method in Method::ALL {
        for placement in Placement::ALL {
            let params = read(&format!("method={}&placement={}", method.id(), placement.id()));
            let finding = params.finding(&params.evaluate().expect("possible"));
            assert!(finding.ends_with('.') && !finding.contains("NaN") && !finding.contains("  "), "{finding}");
        }
    }
}

#[test]
fn a_step_that_does_not_fit_has_no_time() {
    let params = read("model=llama-3-70b&gpus=8");
    let step = params.evaluate().expect("possible");
    assert!(!params.runs(&step));
    let finding = params.finding(&step);
    assert!(finding.starts_with("Does not fit") && !finding.contains("of the time"), "{finding}");
    let applied = params.quantities(&step).into_iter().filter(|q| q.applies);
    assert!(applied.into_iter().all(|q| !["step-time", "generation-time", "generation-share", "idle"].contains(&q.id)));
}
