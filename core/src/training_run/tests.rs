use super::batch::{self, Noise};
use super::optimizer::{Rule, Weights};
use super::published::{ALL, Published};
use super::schedule::{Schedule, Shape};
use super::{DAY, Params, Run};
use crate::declare::Model;
use crate::query::Query;

fn run(query: &str) -> Run {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params.evaluate().expect(query)
}

fn near(ours: f64, theirs: f64, tolerance: f64) -> bool {
    (ours / theirs - 1.0).abs() <= tolerance
}

#[test]
fn tokens_days_and_money_are_three_ways_to_give_the_same() {
    let days = run("given=days&days=30&price=2");
    assert!(near(days.seconds(), 30.0 * DAY, 1e-12));
    for query in [format!("given=tokens&tokens={}", days.tokens), format!("given=money&money={}&price=2", days.cost())]
    {
        let other = run(&query);
        assert!(near(other.tokens, days.tokens, 1e-9) && near(other.seconds(), days.seconds(), 1e-9), "{query}");
    }
    assert!(near(run("given=money&price=0&days=30").tokens, days.tokens, 1e-12));
}

#[test]
fn six_nd_and_attention() {
    let plain = run("attention=none&given=tokens&tokens=300e9&params=175e9");
    assert!(near(plain.compute(), 3.15e23, 1e-12));
    let palm = run("params=540.35e9&layers=118&width=12288&seq=2048&attention=full");
    assert!(near(palm.size.attention_per_token(), 12.0 * 118.0 * 12288.0 * 2048.0, 1e-12));
    let causal = run("params=540.35e9&layers=118&width=12288&seq=2048&attention=causal");
    assert!(near(causal.size.attention_per_token() * 2.0, palm.size.attention_per_token(), 1e-12));
    assert!(near(run("recompute=1&mfu=0.3").hfu(), 0.4, 1e-12));
}

/// How far each published number is from what the model says of it, in percent.
#[test]
fn published_runs_come_out_as_near_as_their_own_numbers_allow() {
    let expected: [(&str, &[f64]); 8] = [
        ("gpt-3", &[0.1, -0.1, 0.1]),
        ("mt-nlg", &[0.2]),
        ("palm-540b", &[0.0, -33.5]),
        ("opt-175b", &[0.4, 0.6]),
        ("bloom-176b", &[-13.2, -13.7, -13.2]),
        ("llama-65b", &[0.1, -0.8, 0.3]),
        ("llama-3.1-405b", &[0.0, -6.2]),
        ("deepseek-v3", &[0.0, 0.0]),
    ];
    assert_eq!(ALL.iter().map(|p| p.id).collect::<Vec<_>>(), expected.map(|(id, _)| id));
    for (published, (_, differences)) in ALL.iter().zip(expected) {
        let (params, problems) = Params::read(&Query::parse(published.query));
        assert_eq!(problems, [], "{}", published.id);
        assert_eq!(Published::of(&params).map(|p| p.id), Some(published.id));
        let (_, compared) = published.compared().expect("a published run is possible");
        assert_eq!(compared.len(), published.facts.len(), "{}: every fact is a quantity", published.id);
        let ours: Vec<f64> =
            compared.iter().map(|(fact, value)| (fact.difference(*value) * 10.0).round() / 10.0).collect();
        assert_eq!(ours, differences, "{}", published.id);
    }
}

#[test]
fn a_changed_run_is_no_published_one() {
    let mut params = ALL[0].params();
    params.mfu = 0.2;
    assert!(Published::of(&params).is_none());
}

/// McCandlish et al. 2018, equation 2.11: (S/S_min − 1)(E/E_min − 1) = 1; at the critical size both are doubled.
#[test]
fn steps_and_tokens_lie_on_their_hyperbola() {
    for trade in batch::trades(1e12, 4e6, 1e6) {
        let (steps, tokens) = (batch::step_factor(trade.batch, 1e6), batch::token_factor(trade.batch, 1e6));
        assert!(near((steps - 1.0) * (tokens - 1.0), 1.0, 1e-9));
        assert!(near(trade.steps * trade.batch, trade.tokens, 1e-12));
    }
    assert_eq!((batch::step_factor(1e6, 1e6), batch::token_factor(1e6, 1e6)), (2.0, 2.0));
    let same = batch::trade(1e12, 4e6, 1e6, 4e6);
    assert!(near(same.tokens, 1e12, 1e-12));
    let small = batch::trade(1e12, 4e6, 1e6, 1.0);
    assert!(near(small.tokens, 2e11, 1e-5), "five times the fewest were planned");
}

/// Kaplan et al. 2020, §5.1: B_crit doubles for every 13% that the loss falls.
#[test]
fn the_critical_batch_doubles_when_the_loss_falls_by_an_eighth() {
    let at = |loss| Noise::Kaplan.critical(loss);
    assert!(near(at(3.0 * 0.865) / at(3.0), 2.0, 0.01), "{}", at(3.0 * 0.865) / at(3.0));
    assert_eq!(Noise::Measured(7.0).critical(2.0), 7.0);
}

#[test]
fn learning_rates_rise_and_fall_as_their_names_say() {
    let shape = |shape| Schedule { shape, warmup: 0.1, decay: 0.2, floor: 0.1 };
    for schedule in Shape::ALL.map(shape) {
        let curve = schedule.curve();
        let sum: f64 = curve.windows(2).map(|w| (w[1].0 - w[0].0) * f64::midpoint(w[0].1, w[1].1)).sum();
        let left = schedule.left(3.0);
        assert!(near(left[0].1, (-3.0 * schedule.mean()).exp(), 6e-3), "{schedule:?}: {:?}", left[0]);
        assert!(left.is_sorted_by(|a, b| a.1 <= b.1) && left.last() == Some(&(1.0, 1.0)), "{schedule:?}");
        assert!((sum - schedule.mean()).abs() < 2e-3, "{schedule:?}: {sum} {}", schedule.mean());
        assert!(near(schedule.at(0.05), 0.5, 1e-12));
    }
    assert!(near(shape(Shape::Cosine).at(1.0), 0.1, 1e-12) && near(shape(Shape::Cosine).at(0.55), 0.55, 1e-9));
    assert!(near(shape(Shape::Wsd).at(0.8), 1.0, 1e-12) && near(shape(Shape::Wsd).at(0.9), 0.55, 1e-9));
    assert_eq!(shape(Shape::Constant).at(1.0), 1.0);
}

/// Bytes of state a parameter; Jordan 2024: Muon's FLOPs are at most 5m/B of the model's for matrices of m rows and batches of
/// B tokens, 0.7% for NanoGPT (m = 768, B = 524 288), 0.5% for Llama 405B (m = 16 384, B = 16 million).
#[test]
fn optimizers_store_and_compute_what_their_papers_say() {
    let weights = Weights::classic(&run("").size);
    let per_param = |rule: Rule| rule.state(&weights) / weights.elements.params;
    assert_eq!(per_param(Rule::AdamW), 8.0);
    assert_eq!(per_param(Rule::Lion), 4.0);
    assert!((2.0..2.01).contains(&per_param(Rule::Adam8bit)));
    assert!(per_param(Rule::Adafactor) < 0.01);
    assert!((4.0..5.0).contains(&per_param(Rule::Muon)));
    assert!(per_param(Rule::Soap) > per_param(Rule::Shampoo) && per_param(Rule::Shampoo) > 8.0);
    for (query, bound) in [
        ("params=124e6&layers=12&width=768&batch=524288&attention=none&optimizer=muon", 0.0073),
        ("params=405e9&layers=126&width=16384&batch=16e6&attention=none&optimizer=muon", 0.0052),
    ] {
        let share = run(query).optimizer_share();
        assert!(share < bound && share > bound / 2.0, "{query}: {share}");
    }
    let flop = |rule: Rule| rule.flop(&weights);
    assert!(flop(Rule::Soap) > flop(Rule::Shampoo) && flop(Rule::Muon) > flop(Rule::AdamW));
    assert!(flop(Rule::Momentum) < flop(Rule::Lion) && flop(Rule::Lion) < flop(Rule::AdamW));
}

/// Vyas et al. 2024, §6: for a matrix of m × n SOAP keeps 2mn + 2m² + 2n² beside the gradient.
#[test]
fn soap_keeps_two_moments_and_four_squares() {
    let weights = Weights::classic(&run("params=12e6&layers=1&width=1000").size);
    let expected = 2.0 * 12e6 + 2.0 * (4.0 * 2.0 + 2.0 * 17.0) * 1e6;
    assert!(near(Rule::Soap.state(&weights), 4.0 * expected, 1e-12));
}

#[test]
fn a_token_cannot_use_more_than_there_is() {
    let (params, _) = Params::read(&Query::parse("params=70e9&total=37e9"));
    assert!(params.evaluate().is_err_and(|why| why.ends_with('.')));
}

#[test]
fn findings_name_what_was_asked() {
    let run = run("params=70e9&gpus=1024&days=30");
    assert!(run.finding().starts_with("Training 70\u{a0}B parameters on "), "{}", run.finding());
    assert!(run.batch_finding().contains("of the critical size"));
    assert!(run.optimizer_finding().starts_with("AdamW keeps"));
    assert!(run.curve().windows(2).all(|w| w[1].1 < w[0].1));
}

/// Fine-tuning has no loss by law and no number of tokens that is enough: neither in a sentence nor in a number, nor as a decision.
#[test]
fn fine_tuning_is_no_pre_training() {
    let query = "params=8e9&gpus=8&given=tokens&tokens=2e7&batch=262144&start=pretrained";
    let tuned = run(query);
    let says = tuned.finding().replace(char::is_whitespace, " ");
    assert!(
        says.contains("That is 77 steps of 262 k tokens.") || says.contains("77 steps of 262,144 tokens."),
        "{says}"
    );
    assert!(says.contains(" min on 8 × ") && says.contains("Scaling laws describe training from scratch"), "{says}");
    assert!(run(&format!("{query}&batch=4194304000")).finding().contains("choose a smaller batch"));
    let entry = Params::ENTRY;
    let shown = |query: &str| -> Vec<&str> {
        let evaluated = (entry.evaluate)(&Query::parse(query));
        evaluated.quantities.iter().filter(|q| q.applies).map(|q| q.id).collect()
    };
    let first = shown("given=tokens&tokens=2e7");
    let tuned = shown(query);
    for id in ["loss", "ratio", "optimal-share", "optimal-tokens", "critical-batch", "steps-min"] {
        assert!(first.contains(&id) && !tuned.contains(&id), "{id}");
    }
    for id in ["time", "cost", "steps", "step-time"] {
        assert!(tuned.contains(&id), "{id}");
    }
    let (params, _) = Params::read(&Query::parse(&format!("{query}&show=loss")));
    assert_eq!(params.drawn(), super::Show::Schedule);
    assert!(!params.applies("show"));
}

/// Wang and Aitchison 2024: 1/(ηλ) steps.
#[test]
fn weights_remember_as_many_tokens_as_rate_decay_and_batch_say() {
    let memory = |run: &Run| run.memory().expect("weights decay");
    let one = run("peak=3e-4&weight-decay=0.1&batch=4194304");
    assert!(near(memory(&one), 4_194_304.0 / 3e-5, 1e-12));
    // Four times the batch at twice the rate wants twice the decay.
    let other = run("peak=6e-4&weight-decay=0.2&batch=16777216");
    assert!(near(memory(&other), memory(&one), 1e-12));
    let none = run("weight-decay=0");
    assert!(none.memory().is_none() && near(none.initial_left(), 1.0, 1e-12));
}
