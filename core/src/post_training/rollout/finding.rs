//! What the figure says.

use super::{Layout, Outcome, Params, Run};
use crate::quantity::{Unit, counted, named};

fn part(fraction: f64) -> String {
    Unit::Fraction.format(fraction)
}

fn ratio(value: f64) -> String {
    Unit::Ratio.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, o: &Outcome) -> String {
        let run = &o.run;
        let idle = format!(
            "The engines are idle {} of the time, the trainer {}.",
            part(run.generation.idle),
            part(run.training.idle)
        );
        let speedup = run.rate / o.synchronous;
        let than = if speedup >= 1.0 {
            format!("{}× as fast as", ratio(speedup))
        } else {
            format!("slower ({}×) than", ratio(speedup))
        };
        match self.layout {
            Layout::Synchronous => format!(
                "Every step waits {} for its longest answer, {}× the mean, and then the engines wait for the trainer. {idle} Partial \
                 rollouts reach {}× as many samples per second.",
                Unit::Seconds.format(run.longest),
                ratio(run.longest / run.answer),
                ratio(Run::of(&Self { layout: Layout::Partial, ..*self }, 0.0).rate / run.rate)
            ),
            Layout::OneStep => format!(
                "A step takes as long as the slower of generation and training, plus the weight transfer: {}, {than} the synchronous layout, on samples one version \
                 old. {idle}",
                Unit::Seconds.format(run.step)
            ),
            Layout::Asynchronous | Layout::Partial if self.bound == 0 => format!(
                "With a bound of 0 versions nothing runs ahead, so every step waits for its longest answer, as in the synchronous layout. \
                 {idle} {}",
                self.staleness(o)
            ),
            Layout::Asynchronous => format!(
                "Engines run ahead, but each finishes its longest answer before it takes new weights: {than} the synchronous layout. \
                 {idle} {}",
                self.staleness(o)
            ),
            Layout::Partial => format!(
                "No answer is waited for: {than} the synchronous layout, at {} of what the slower pool can do. {idle} {}",
                part((run.rate / self.limit()).min(1.0)),
                self.staleness(o)
            ),
        }
    }

    fn staleness(&self, o: &Outcome) -> String {
        let run = &o.run;
        let beyond = if run.oldest > self.bound {
            " The bound limits how far generation runs ahead, so a long answer can get older than it."
        } else {
            ""
        };
        format!(
            "Samples are {} old on average, the oldest {}.{beyond}",
            named(&ratio(run.age), "version", "versions"),
            counted(run.oldest, "version", "versions")
        )
    }
}
