//! The parameters, and the model in the catalogue.

use super::{Cure, Outcome, Params, View};
use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, Scale, Takes, applies, choice, headline, measure,
    origin, real, when, whole,
};
use crate::quantity::Unit;

/// As rare as a pause can be: none.
const NEVER: f64 = 1e7;

impl Model for Params {
    type Result = Outcome;
    const ID: &'static str = "stragglers";
    const TITLE: &'static str = "The slowest of n";
    const SUMMARY: &'static str = "A synchronous step waits for its slowest rank: what jitter, pauses and one slow rank cost as ranks grow, and \
                                   what spares are worth.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("view", "what is shown", View::LIST, "step").label("Show").main().at(|p| p.view.slot()),
        whole("ranks", "ranks that step together", [2, 16_384], "1024")
            .takes(Takes::Gpus)
            .label("Ranks")
            .doubling(14)
            .main()
            .at(|p| p.ranks.slot()),
        real("slow", "how much slower one rank is, in percent; 0 for none", [0.0, 200.0], "40")
            .label("Slow rank’s slowdown, percent")
            .each(Unit::Fraction, 0.01)
            .steps(5.0)
            .main()
            .at(|p| p.slow.slot()),
        choice("cure", "what is done about the slow rank", Cure::LIST, "nothing")
            .label("Mitigation")
            .main()
            .at(|p| p.cure.slot()),
        whole("spares", "ranks that stand by, or start besides", [0, 64], "8")
            .label("Spare ranks")
            .steps(1.0)
            .more("What is done")
            .at(|p| p.spares.slot()),
        real("jitter", "deviation of the computation per rank, in percent of it", [0.0, 20.0], "2")
            .label("Jitter, percent")
            .each(Unit::Fraction, 0.01)
            .steps(0.5)
            .more("A rank")
            .at(|p| p.jitter.slot()),
        real("every", "a rank pauses once in so many steps", [10.0, NEVER], "10000")
            .label("Pause interval, steps")
            .slider(Scale::Decades(1, 7))
            .more("A rank")
            .at(|p| p.every.slot()),
        real("pause", "length of a pause, in percent of the computation per rank; 0 for none", [0.0, 500.0], "50")
            .label("Pause length, percent of the step")
            .each(Unit::Fraction, 0.01)
            .steps(10.0)
            .more("A rank")
            .at(|p| p.pause.slot()),
        real("seconds", "seconds that an undisturbed rank computes in a step", [0.01, 600.0], "10")
            .label("Compute time per rank")
            .unit(Unit::Seconds)
            .more("A rank")
            .at(|p| p.seconds.slot()),
        whole("seed", "the step that is drawn", [1, 999], "1")
            .label("Step")
            .steps(1.0)
            .more("A rank")
            .at(|p| p.seed.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] =
        &[applies(&["spares"], |p| p.cure != Cure::Nothing), applies(&["pause"], |p| p.every < NEVER)];
    const ORIGIN: Origin = Origin::Own(
        "a normal step time with rare pauses and one slow rank; a step ends with the expected maximum, ∫(1 − F(x)ⁿ) dx",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "Chen et al. 2016, “Revisiting Distributed Synchronous SGD”, arXiv:1604.00981, for backup workers; an order statistic",
            ),
            &["step", "slowdown"],
        ),
        origin(Origin::Rows, &["waiting", "straggler-waiting", "useful", "lost-ranks"]),
        origin(Origin::Controls, &["paid"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Outcome>] = &[
        headline(
            "With stragglers and with the treatment as set.",
            measure("step", "Expected step time", Unit::Seconds, |p, o| o.step * p.seconds),
        ),
        headline(
            "The step over what an undisturbed rank computes.",
            measure("slowdown", "Slowdown against an undisturbed rank", Unit::Ratio, |_, o| o.step),
        ),
        measure("healthy", "Slowdown without a slow rank", Unit::Ratio, |_, o| o.healthy),
        measure("untreated", "Slowdown with a slow rank, untreated", Unit::Ratio, |_, o| o.untreated),
        headline(
            "The share of the step in which a healthy rank waits for the slowest.",
            measure("waiting", "Wait share, healthy rank", Unit::Fraction, |_, o| (1.0 - o.mean / o.step).max(0.0)),
        ),
        when(
            |p, _| p.limps(),
            measure("straggler-waiting", "Wait share of the slow rank", Unit::Fraction, |p, o| {
                if p.limps() { (1.0 - (o.mean + p.excess()) / o.step).max(0.0) } else { 0.0 }
            }),
        ),
        headline(
            "The share of paid GPU time that trains.",
            measure("useful", "Useful share of GPU time", Unit::Fraction, |_, o| o.useful),
        ),
        measure("paid", "Ranks paid for", Unit::Count, |p, _| p.paid() as f64),
        headline(
            "The lost time, counted in ranks.",
            measure("lost-ranks", "Rank equivalents lost", Unit::Count, |p, o| p.paid() as f64 * (1.0 - o.useful)),
        ),
        measure("pausing", "Pause probability per step", Unit::Fraction, |p, _| {
            let law = p.law();
            1.0 - crate::float::elementary::exp(p.ranks as f64 * crate::float::elementary::ln(1.0 - law.often))
        }),
        measure("drawn", "Time of the step drawn", Unit::Seconds, |p, o| o.drawn.over * p.seconds),
    ];

    fn evaluate(&self) -> Result<Outcome, String> {
        self.in_range()?;
        Ok(self.outcome())
    }
}
