//! What the figure shows, in sentences.

use super::answers::{ANSWERS, HACK};
use super::{Algorithm, Params, Shown, View};
use crate::quantity::{Unit, counted, grouped, number};

fn part(value: f64) -> String {
    Unit::Fraction.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Policy | View::Course => self.course_finding(shown),
            View::Objective => self.token_finding(shown),
            View::Group => self.group_finding(shown),
        }
    }

    fn course_finding(&self, s: &Shown) -> String {
        let Some(last) = s.updates.last() else { return "Nothing is updated.".to_owned() };
        let (best, most) = s.best();
        let (worth, hack) = (last.worth(), last.new[HACK]);
        let first = format!(
            "After {} the reward model says {}, the answers are worth {}, and the policy is {} nats from its reference.",
            counted(self.updates, "update", "updates"),
            number(last.score()),
            number(worth),
            number(last.divergence())
        );
        let then = if hack > 0.5 {
            format!(
                " The reward is hacked: “{}” has {} of the probability. The answers were worth most, {}, after update {best}.",
                ANSWERS[HACK].text,
                part(hack),
                number(most)
            )
        } else if most > worth + 0.05 {
            format!(" They were worth most, {}, after update {best}.", number(most))
        } else {
            format!(" “{}” has {} of the probability.", ANSWERS[0].text, part(last.new[0]))
        };
        let clipped = s.updates.iter().map(|u| u.clipped).sum::<f64>() / s.updates.len() as f64;
        let clip = if clipped > 0.0 {
            format!(" The clip stops {} of the samples’ gradients.", part(clipped))
        } else {
            String::new()
        };
        format!("{first}{then}{clip}")
    }

    fn token_finding(&self, s: &Shown) -> String {
        let (ratio, token) = (self.ratio(), s.token);
        let why = if token.clipped {
            if self.advantage > 0.0 {
                "it is likely enough already: no gradient"
            } else {
                "it is unlikely enough already: no gradient"
            }
        } else if self.advantage == 0.0 {
            "no better than expected: no gradient"
        } else if self.advantage > 0.0 {
            "it is made more likely"
        } else {
            "it is made less likely"
        };
        format!(
            "The token went from {} to {}: ratio {}. With an advantage of {} the objective is {}, and {why}.",
            part(self.old),
            part(self.new),
            number(ratio),
            number(self.advantage),
            number(-token.loss)
        )
    }

    fn group_finding(&self, s: &Shown) -> String {
        let [right, wrong] = s.group;
        if self.right == 0 || self.right >= self.group {
            let what = if self.right == 0 { "wrong" } else { "right" };
            let all = counted(self.group, "answer", "answers");
            return format!("Every one of {all} is {what}: every advantage is 0, and the prompt teaches nothing.");
        }
        let by = match self.algorithm {
            Algorithm::Ppo | Algorithm::Grpo => "less the mean, over the deviation",
            Algorithm::DrGrpo => "less the mean",
            Algorithm::Rloo => "less the mean of the others",
        };
        format!(
            "{} of {} are right. A right answer’s advantage is {}, a wrong one’s {}: reward {by}. The rarer, the larger.",
            grouped(self.right),
            grouped(self.group),
            number(right),
            number(wrong)
        )
    }
}
