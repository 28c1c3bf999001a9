//! What the figure says.

use super::{Held, Params, Shown, View, power, written};
use crate::quantity::{Unit, number};

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Bits => self.bits_finding(shown),
            View::Spacing => {
                let [a, b] = self.formats;
                format!(
                    "From 1 to 2, neighbours of {} are {} apart and those of {} {}. {} ends at {} and {} at {}; the \
                     smallest positive numbers are {} and {}.",
                    a.name,
                    number(a.epsilon()),
                    b.name,
                    number(b.epsilon()),
                    a.name,
                    number(a.max()),
                    b.name,
                    number(b.max()),
                    number(a.min_positive()),
                    number(b.min_positive())
                )
            }
            View::Sum => self.sum_finding(shown),
            View::Gradients => self.gradients_finding(shown),
        }
    }

    fn bits_finding(&self, shown: &Shown) -> String {
        let one = |h: &Held| {
            if h.value == shown.number {
                return format!("{} holds {} exactly", h.format.name, written(shown.number));
            }
            if !h.value.is_finite() && shown.number.is_finite() {
                let largest = number(h.format.max());
                return format!("{} makes {} of it, because its largest number is {largest}", h.format.name, h.text());
            }
            if shown.number.is_nan() {
                return format!("{} holds {}", h.format.name, h.text());
            }
            format!("{} holds {}, off by {}", h.format.name, h.text(), number(h.error))
        };
        let [a, b] = &shown.held;
        let apart = format!(
            "Neighbours there are {} apart in {} and {} in {}.",
            number(a.spacing()),
            a.format.name,
            number(b.spacing()),
            b.format.name
        );
        if a.format == b.format { format!("{}. {apart}", one(a)) } else { format!("{}; {}. {apart}", one(a), one(b)) }
    }

    fn sum_finding(&self, shown: &Shown) -> String {
        let one = |i: usize| {
            let (course, name) = (&shown.sums[i], self.formats[i].name);
            let last = written(course.last);
            match course.stalled {
                Some(step) if !self.stochastic => format!(
                    "{name} ends at {last}: step {step} is the first that changes nothing, because the update is no \
                     more than half the spacing"
                ),
                _ => format!("{name} ends at {last}"),
            }
        };
        let exact = format!("The exact sum is {}.", written(shown.sums[0].exact));
        let how = if self.stochastic { " Rounding up as often as the rest is large, the losses cancel." } else { "" };
        format!("{}; {}. {exact}{how}", one(0), one(1))
    }

    fn gradients_finding(&self, shown: &Shown) -> String {
        let one = |i: usize| {
            let (fate, name) = (shown.fates[i], self.formats[i].name);
            let over = if fate.overflowed > 0.0 {
                format!(" and {} overflow", Unit::Fraction.format(fate.overflowed))
            } else {
                String::new()
            };
            format!("{} of these gradients become zero in {name}{over}", Unit::Fraction.format(fate.zero))
        };
        let scaled = if self.scale > 0.0 {
            format!(" All are multiplied by {} here.", power(self.scale))
        } else {
            String::new()
        };
        format!("{}; {}.{scaled}", one(0), one(1))
    }
}
