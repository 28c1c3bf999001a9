//! What the figure says.

use super::{JUMP_AT, Params, Shown, View};
use crate::loss_scaling::network::TOKENS;
use crate::quantity::{Unit, grouped, number};

fn part(value: f64) -> String {
    Unit::Fraction.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Recipes => self.recipes_finding(shown),
            View::Delayed => self.delayed_finding(shown),
            View::Training => self.training_finding(shown),
            View::Accumulate => self.accumulate_finding(shown),
        }
    }

    fn recipes_finding(&self, shown: &Shown) -> String {
        let Some(result) = self.outcome(shown) else { return String::new() };
        let usable = shown.recipes.iter().filter(|r| r.recipe.leaves_the_sum());
        let best = usable.min_by(|a, b| a.error.total_cmp(&b.error)).unwrap_or(&result);
        let barred = if result.recipe.leaves_the_sum() {
            ""
        } else {
            " No product can use it for activations: columns are what the product sums over, and their scales cannot be taken out of the sum."
        };
        format!(
            "One column is {} times as large as the others. With {}, the others have an error of {}, and {} of them become zero. It takes {} \
             bits per value.{barred} The least error of a recipe that a product can use is {}, with {}.",
            number(self.outlier),
            result.recipe.name,
            part(result.error),
            part(result.zero),
            number(result.bits),
            part(best.error),
            best.recipe.name
        )
    }

    fn delayed_finding(&self, shown: &Shown) -> String {
        let jump = shown.delayed.get(JUMP_AT);
        let (saturated, error) = jump.map_or((0.0, 0.0), |step| (step.saturated, step.error));
        let many = shown.delayed.iter().filter(|step| step.saturated > 0.01).count();
        if saturated == 0.0 {
            return format!(
                "At step {} the values grow {} times, and the scale has room for them. The error of that step is {}.",
                JUMP_AT + 1,
                number(self.jump),
                part(error)
            );
        }
        format!(
            "At step {} the values grow {} times. Its scale knows only the maxima before it: {} of its values saturate and \
             its error is {}. More than 1% saturates in {many} of {} steps.",
            JUMP_AT + 1,
            number(self.jump),
            part(saturated),
            part(error),
            shown.delayed.len()
        )
    }

    fn training_finding(&self, shown: &Shown) -> String {
        let t = &shown.trained;
        format!(
            "With {} levels for each weight, rounding afterwards takes the loss from {} to {}. {} more steps of {TOKENS} \
             tokens with the rounding in the forward pass bring it to {}.",
            (1_u32 << self.bits) - 1,
            number(t.float.last),
            number(t.rounded),
            t.aware.steps.len(),
            number(t.aware.last)
        )
    }

    fn accumulate_finding(&self, shown: &Shown) -> String {
        let Some((k, [raw, promoted, full])) = shown.sums.last() else { return String::new() };
        format!(
            "Adding {} products with {} significant bits is off by {}. Added to fp32 after every 128 products it is off by \
             {}, in fp32 throughout by {}.",
            grouped(u64::from(*k)),
            self.kept,
            part(*raw),
            part(*promoted),
            part(*full)
        )
    }
}
