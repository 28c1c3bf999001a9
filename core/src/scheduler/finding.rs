//! What a schedule says, in sentences.

use super::params::{Campaign, Params, Policy};
use super::result::{Event, Why};
use crate::quantity::{Unit, plural};
use crate::slurm::time::clock;

impl Params {
    /// What came of it, in sentences.
    pub fn finding(&self, c: &Campaign) -> String {
        if c.jobs.is_empty() {
            return "No job of the list can be used: each line that is wrong says why.".to_owned();
        }
        let s = &c.schedule;
        let (stuck, makespan) = (s.stuck(), clock(s.makespan(&c.jobs)));
        let used = Unit::Fraction.format(s.utilisation(&c.jobs, self.cluster()));
        let wait = clock(s.mean_wait(&c.jobs).round() as u64);
        if stuck > 0 {
            return format!(
                "Never started: {} of {}. Each holds GPUs that another waits for, {} GPUs for nothing.",
                stuck,
                plural(&c.jobs.len().to_string(), "job"),
                s.steps.last().map_or(0, |step| self.cluster().all() - step.free())
            );
        }
        let mut text = format!(
            "{}: {used} of the GPUs’ time is used, a job waits {wait} on average, all is done after {makespan}.",
            self.policy.label()
        );
        let overtook = s.outcomes.iter().filter(|o| o.backfilled).count();
        if overtook > 0 {
            text += &format!(" {overtook} of {} jobs overtook another.", c.jobs.len());
        }
        let preempted: u32 = s.outcomes.iter().map(|o| o.preempted).sum();
        if preempted > 0 {
            let lost = s.lost / 3600;
            text +=
                &format!(" {preempted} times a job lost its GPUs to another, and {lost} GPU-hours of work with them.");
        }
        let share =
            |gpu_seconds: u64| gpu_seconds as f64 / (self.cluster().all() as f64 * s.makespan(&c.jobs).max(1) as f64);
        if s.fragmented > 0 {
            text += &format!(
                " For {} of the GPUs’ time enough of them were free for the first in the queue, and in the wrong places.",
                Unit::Fraction.format(share(s.fragmented))
            );
        } else if self.policy == Policy::Fcfs && s.idle_waiting > 0 {
            text += &format!(
                " For {} of it GPUs were free while a job waited.",
                Unit::Fraction.format(share(s.idle_waiting))
            );
        }
        text
    }

    /// What happened at the step that is shown, and why the first of the queue waits.
    pub fn caption(&self, c: &Campaign) -> String {
        let Some(step) = self.shown(c).checked_sub(1).and_then(|i| c.schedule.steps.get(i)) else {
            return "Nothing has come yet. Play it, or step with the arrow keys.".to_owned();
        };
        let name = |j: usize| c.jobs.get(j).map_or("", |job| job.name.as_str());
        let mut said: Vec<String> = Vec::new();
        for event in &step.events {
            said.push(match *event {
                Event::Submitted(j) => {
                    let job = c.jobs.get(j);
                    let size = job.map_or_else(String::new, |job| {
                        format!(" ({}×{} GPUs, {})", job.nodes, job.gpus, clock(job.requested))
                    });
                    format!("{}{size} is submitted", name(j))
                }
                Event::Started(j, false) => format!("{} starts", name(j)),
                Event::Started(j, true) => format!("{} starts, ahead of its turn", name(j)),
                Event::Ended(j) => format!("{} ends", name(j)),
                Event::Preempted(j, by) => format!("{} is stopped for {} and waits again", name(j), name(by)),
                Event::Placed(j, node) => format!("a pod of {} takes GPUs on node {} and waits", name(j), node + 1),
            });
        }
        let mut text = format!("{}: {}.", clock(step.time), said.join("; "));
        if let (Some(&first), Some(why)) = (step.waiting.first(), step.why) {
            let (free, wants) = (step.free(), c.jobs.get(first).map_or(0, super::jobs::Job::all_gpus));
            let reason = match why {
                Why::Resources => format!("{free} GPUs are free, it needs {wants}"),
                Why::Fragmented => {
                    format!("{free} GPUs are free, it needs {wants}, and too few nodes have enough of them")
                }
                Why::Blocks => format!("{free} GPUs are free, it needs {wants}, and no block has enough nodes"),
                Why::Holds => format!("it holds some of its {wants} GPUs and waits for the others"),
                Why::Turn => "its turn comes at this moment".to_owned(),
            };
            text += &format!(" First in the queue is {}: {reason}.", name(first));
            if let Some((_, at)) = step.promised.iter().find(|(j, _)| *j == first) {
                text += &format!(" It starts at {} at the latest.", clock(*at));
            }
        }
        text
    }
}
