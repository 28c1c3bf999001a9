//! What a schedule says, in sentences.

use super::figure::{Params, Shown, View};
use super::scheduler::Policy;
use super::simulate::Use;
use super::sweep::ATTAINED;
use crate::quantity::{Unit, capital, grouped, listed, number};

fn seconds(value: f64) -> String {
    Unit::Seconds.format(value)
}

fn share(value: f64) -> String {
    Unit::Fraction.format(value)
}

fn list(requests: &[usize]) -> String {
    let mut names: Vec<String> = requests.iter().take(6).map(|r| (r + 1).to_string()).collect();
    if requests.len() > 6 {
        names.push(format!("{} more", grouped(requests.len() as u64 - 6)));
    }
    format!("{} {}", if requests.len() == 1 { "request" } else { "requests" }, listed(&names))
}

impl Params {
    /// What came of it, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Schedule => self.of_schedule(shown),
            View::Goodput | View::Latency => self.of_sweep(shown),
        }
    }

    fn of_schedule(&self, shown: &Shown) -> String {
        let s = &shown.schedule;
        let mut text = format!(
            "{}: {} requests in {}, {} tokens per second. The first token takes {} on average, each next one {}.",
            capital(self.policy.label()),
            grouped(s.requests.len() as u64),
            seconds(s.makespan()),
            number(s.throughput().round()),
            seconds(s.mean_first()),
            seconds(s.mean_per_token())
        );
        let (padding, stalled) = (s.share(Use::Padding), s.share(Use::Stalled));
        if padding > 0.0 {
            text += &format!(" For {} of their time slots belong to requests that have ended.", share(padding));
        }
        if stalled > 0.01 {
            text += &format!(" For {} of their time slots wait while a step computes others’ prompts.", share(stalled));
        }
        match s.preemptions() {
            0 => {}
            1 => text += " Once a request lost its blocks and was computed again.",
            n => text += &format!(" {n} times a request lost its blocks and was computed again."),
        }
        if s.found() > 0 {
            text += &format!(" {} tokens of prompts were in the cache already.", grouped(s.found()));
        }
        text
    }

    fn of_sweep(&self, shown: &Shown) -> String {
        let name = self.policy.label();
        let points = shown.sweep.points(self.policy);
        let (Some(slowest), Some(fastest)) = (points.first(), points.last()) else {
            return "This load is too long to be simulated at several rates: fewer or shorter answers.".to_owned();
        };
        let promise =
            format!("a first token within {} and each next within {}", seconds(self.first), seconds(self.token));
        let Some(knee) = shown.sweep.knee(self.policy) else {
            return format!(
                "{}: not even {} requests per second keep the promise of {promise} for {} of users.",
                capital(name),
                number(slowest.rate),
                share(ATTAINED)
            );
        };
        let best = Policy::ALL.into_iter().filter_map(|p| Some((p, shown.sweep.knee(p)?)));
        let best = best.max_by(|a, b| a.1.total_cmp(&b.1));
        let mut text = format!(
            "{}: up to {} requests per second, {} of users have {promise}. At {} per second {} do.",
            capital(name),
            number(knee),
            share(ATTAINED),
            number(fastest.rate),
            share(fastest.attained)
        );
        if let Some((other, rate)) = best.filter(|(other, rate)| *other != self.policy && *rate > knee) {
            let twice = if other == Policy::Disaggregated { " with twice the GPUs" } else { "" };
            text += &format!(" {} holds to {}{twice}.", capital(other.label()), number(rate));
        }
        text
    }

    /// What the step that is shown does.
    pub fn caption(&self, shown: &Shown) -> String {
        let Some(step) = self.moment(shown) else {
            return "Nothing has come yet. Play it, or step with the arrow keys.".to_owned();
        };
        let of = |decode: bool| -> Vec<usize> {
            step.batch.work.iter().filter(|work| work.decode == decode).map(|work| work.request).collect()
        };
        let (prompts, tokens) = (of(false), of(true));
        let mut said = Vec::new();
        if !prompts.is_empty() {
            let new: u64 = step.batch.work.iter().filter(|w| !w.decode).map(|w| w.chunk.new).sum();
            said.push(format!("{} tokens of the prompts of {}", grouped(new), list(&prompts)));
        }
        if !tokens.is_empty() {
            said.push(format!("a token each for {}", list(&tokens)));
        }
        let place = match (self.policy, step.replica) {
            (Policy::Disaggregated, 0) => ", prefill replica",
            (Policy::Disaggregated, _) => ", decode replica",
            _ => "",
        };
        let mut text = format!(
            "Step {}{place}, {} long: {}. {}, {} of {} blocks are free.",
            grouped(self.at(shown) as u64),
            seconds(step.to - step.from),
            said.join(" and "),
            match step.waiting {
                0 => "Nobody waits".to_owned(),
                1 => "1 waits".to_owned(),
                n => format!("{} wait", grouped(n as u64)),
            },
            grouped(step.batch.free as u64),
            grouped(shown.schedule.blocks as u64)
        );
        if !step.batch.preempted.is_empty() {
            text += &format!(" {} lost their blocks.", capital(&list(&step.batch.preempted)));
        }
        if !step.ended.is_empty() {
            text += &format!(" {} ended.", capital(&list(&step.ended)));
        }
        text
    }
}
