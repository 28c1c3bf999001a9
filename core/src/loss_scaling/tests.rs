use super::network::{FakeQuant, Op, Pass, Settings, continued, held_out, train};
use super::*;
use crate::query::Query;

fn at(query: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    let shown = params.shown();
    (params, shown)
}

fn says(query: &str, what: &str) {
    let (params, shown) = at(query);
    let finding = params.finding(&shown);
    assert!(finding.contains(what), "{query}: {finding}");
}

fn first_broken(run: &Run) -> Option<(usize, (Op, Pass))> {
    run.steps.iter().enumerate().find_map(|(i, step)| step.broken.map(|broken| (i + 1, broken)))
}

#[test]
fn fp16_dies_without_loss_scaling_and_lives_with_it() {
    let (_, none) = at("");
    assert!(none.run.last > 1.5 && none.reference.last < 0.1, "{} {}", none.run.last, none.reference.last);
    says("", "in the backward pass of the first step, 55.5% of the numbers of “loss” become zero");
    for alive in ["scaling=static", "scaling=pytorch", "compute=bf16", "compute=tf32", "compute=fp8", "micro=1"] {
        let (_, shown) = at(alive);
        assert!(shown.run.last < 0.1, "{alive}: {}", shown.run.last);
    }
    // fp8 with no scales flushes what e5m2 cannot hold.
    assert!(at("compute=fp8-raw").1.run.last > 1.5);
}

#[test]
fn the_operation_that_dies_first_is_the_one_that_is_not_in_fp32() {
    let broken = |query: &str| first_broken(&at(query).1.run);
    assert_eq!(broken("qk=128&scaling=pytorch&logits=false"), Some((1, (Op::Logits, Pass::Forward))));
    assert_eq!(broken("qk=128&scaling=pytorch"), None);
    assert_eq!(broken("compute=bf16&qk=128&logits=false"), None);
    assert_eq!(broken("compute=bf16&norm=false&mean=32"), Some((1, (Op::NormAttention, Pass::Forward))));
    assert_eq!(broken("compute=bf16&mean=32"), None);
    assert_eq!(broken("micro=1&mean=256&norm=false"), Some((1, (Op::NormAttention, Pass::Forward))));
    says("compute=bf16&norm=false&mean=32", "bf16 ends in NaN");
}

#[test]
fn a_loss_summed_in_bf16_is_printed_too_small_and_master_weights_keep_small_updates() {
    let (_, shown) = at("compute=bf16&loss=false&micro=1024");
    let last = shown.run.steps.last().expect("a step");
    assert!(f64::from(last.printed) < last.loss / 2.0, "{} {}", last.printed, last.loss);
    let slow = "compute=bf16&rate=0.003&steps=240";
    assert!(at(slow).1.run.last + 0.1 < at(&format!("{slow}&master=false")).1.run.last);
}

#[test]
fn every_step_skipped_takes_megatrons_scale_to_one() {
    let (_, shown) = at("qk=128&scaling=megatron&logits=false");
    assert!(shown.run.steps.iter().all(|step| step.skipped));
    assert_eq!(shown.run.steps.last().map(|step| step.scale), Some(1.0));
}

#[test]
fn a_run_is_the_same_again() {
    assert_eq!(at("compute=fp8&steps=20").1, at("compute=fp8&steps=20").1);
    assert_ne!(at("steps=5&seed=2").1.run.weights, at("steps=5").1.run.weights);
}

#[test]
fn gradients_move_with_the_scale() {
    let fate = |query: &str| {
        let (params, shown) = at(query);
        params.fate(&shown)
    };
    assert!(fate("steps=1").0 > 0.1);
    assert_eq!(fate("steps=1&scaling=static&scale=16"), (0.0, 0.0));
    assert!(fate("steps=1&scaling=static&scale=38").1 > 0.1);
    says("view=gradients", "The largest scale at which none overflows is 2³⁴");
}

#[test]
fn scalers_differ_by_hysteresis() {
    says(
        "view=scaler",
        "PyTorch’s scaler skips 3 of 16 steps, lowers the scale 3 times, raises it 0 times and ends at 2¹³.",
    );
    says("view=scaler&scaling=megatron&interval=4", "2 of the overflows left the scale as it was");
    let (_, problems) = Params::read(&Query::parse("overflows=0012"));
    assert!(problems[0].message.contains("such as 0010"), "{problems:?}");
}

#[test]
fn training_with_rounding_is_better_than_rounding_afterwards() {
    let base = Settings { rate: 0.03, steps: 120, ..Settings::default() };
    let float = train(&base);
    let at_two_bits = |per_channel: bool| {
        let fake = Some(FakeQuant { bits: 2, per_channel });
        let rounded = held_out(&float.weights, &Settings { fake, ..base });
        (rounded, continued(&float.weights, &Settings { fake, steps: 60, rate: 0.01, ..base }).last)
    };
    let (matrix, channel) = (at_two_bits(false), at_two_bits(true));
    assert!(matrix.0 > 1.0 && matrix.1 < 0.7 && channel.0 < matrix.0 && channel.1 < 0.1, "{matrix:?} {channel:?}");
}
