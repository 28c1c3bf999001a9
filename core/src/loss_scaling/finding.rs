//! What the figure says.

use super::network::{Op, Pass, Run};
use super::{Loss, Params, ScalerStep, Shown, View};
use crate::float::bits::superscript;
use crate::float::exponent;
use crate::quantity::{Unit, counted, number, plural};

/// A power of two.
pub fn power(scale: f64) -> String {
    if scale > 0.0 && scale.is_finite() { format!("2{}", superscript(exponent(scale).into())) } else { number(scale) }
}

/// A loss, or NaN.
pub fn loss(loss: f64) -> String {
    if loss.is_finite() { number(loss) } else { "NaN".to_owned() }
}

fn of_pass(pass: Pass) -> &'static str {
    match pass {
        Pass::Forward => "the forward pass",
        Pass::Backward => "the backward pass",
    }
}

/// The operation that lost the largest part of its numbers to zero in the backward pass of the first step, with that part.
pub fn flushed(run: &Run) -> Option<(Op, f64)> {
    let step = run.steps.first()?;
    let share = |op: Op| {
        let tally = step.tallies.get(op as usize)?[Pass::Backward as usize];
        Some((op, f64::from(tally.flushed) / f64::from(tally.numbers.max(1))))
    };
    // In the order of the backward pass, so that of several the first to lose is named.
    Op::ALL.into_iter().rev().filter_map(share).find(|(_, part)| *part > 0.25)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Train => self.train_finding(shown),
            View::Gradients => self.gradients_finding(shown),
            View::Scaler => self.scaler_finding(&shown.scaler),
        }
    }

    fn train_finding(&self, shown: &Shown) -> String {
        let (run, name) = (&shown.run, self.compute.label());
        let reference = loss(shown.reference.last);
        let broken = run.steps.iter().enumerate().find_map(|(i, step)| step.broken.map(|broken| (i + 1, broken)));
        let skipped = run.steps.iter().filter(|step| step.skipped).count();
        if !run.last.is_finite() {
            let where_ = broken.map_or(String::new(), |(step, (op, pass))| {
                format!(
                    " At step {step} the first number that is infinite or NaN comes from: {}, in {}.",
                    op.name(),
                    of_pass(pass)
                )
            });
            return format!("{name} ends in NaN; fp32 gets to {reference}.{where_}");
        }
        let mut text = format!(
            "{name} gets to a loss of {} in {}, fp32 to {reference}.",
            loss(run.last),
            plural(&run.steps.len().to_string(), "step")
        );
        if let Some((op, part)) = flushed(run) {
            text += &format!(
                " It dies of zeros: in the backward pass of the first step, {} of the numbers of “{}” become zero.",
                Unit::Fraction.format(part),
                op.name()
            );
        }
        if skipped > 0 {
            let last = run.steps.last().map_or(1.0, |step| step.scale);
            text +=
                &format!(" The scaler skips {} and ends at {}.", counted(skipped as u64, "step", "steps"), power(last));
        } else if let Some((step, (op, pass))) = broken {
            text += &format!(" At step {step}, {} overflows in {}.", op.name(), of_pass(pass));
        }
        if let Some(step) = run.steps.last()
            && f64::from((f64::from(step.printed) - step.loss).abs() as f32) > 0.1 * step.loss
        {
            let printed = if step.printed.is_finite() { number(step.printed.into()) } else { "inf".to_owned() };
            text += &format!(" The log prints {printed} at the last step, where the loss is {}.", loss(step.loss));
        }
        text
    }

    fn gradients_finding(&self, shown: &Shown) -> String {
        let (zero, over) = self.fate(shown);
        let format = self.compute.held().name;
        let scaled = match self.scaling {
            Loss::None => "Without a loss scale".to_owned(),
            _ => format!("Multiplied by 2{}", superscript(self.scale as i64)),
        };
        let overflow =
            if over > 0.0 { format!(" and {} overflow", Unit::Fraction.format(over)) } else { String::new() };
        format!(
            "{scaled}, {} of the gradients of step {} become zero in {format}{overflow}. The largest scale at which none \
             overflows is {}.",
            Unit::Fraction.format(zero),
            self.at() + 1,
            power(self.largest_scale(shown))
        )
    }

    fn scaler_finding(&self, steps: &[ScalerStep]) -> String {
        let name = if self.scaling == Loss::Megatron { "Megatron’s scaler" } else { "PyTorch’s scaler" };
        let Some(last) = steps.last() else { return format!("{name} has seen no step.") };
        let overflows = steps.iter().filter(|s| s.overflow).count();
        let lowered = steps.iter().filter(|s| s.scale < s.used).count();
        let grown = steps.iter().filter(|s| s.scale > s.used).count();
        let forgiven = overflows - lowered;
        let patience = if self.scaling == Loss::Megatron && forgiven > 0 {
            format!(" {forgiven} of the overflows left the scale as it was: hysteresis, or the floor.")
        } else {
            String::new()
        };
        format!(
            "{name} skips {overflows} of {}, lowers the scale {}, raises it {} and ends at {}.{patience}",
            plural(&steps.len().to_string(), "step"),
            plural(&lowered.to_string(), "time"),
            plural(&grown.to_string(), "time"),
            power(last.scale)
        )
    }
}
