//! What the figure says.

use super::campaign::{Cause, Event, What};
use super::{DAY, Failures, Outcome, View};
use crate::quantity::{Unit, counted, grouped};

fn time(seconds: f64) -> String {
    Unit::Seconds.format(seconds)
}

fn part(fraction: f64) -> String {
    Unit::Fraction.format(fraction)
}

/// A moment as people write it: day 3, 14:07.
pub fn moment(seconds: f64) -> String {
    let minutes = (seconds / 60.0) as u64;
    format!("day {}, {:02}:{:02}", minutes / 1440 + 1, minutes / 60 % 24, minutes % 60)
}

impl Failures {
    /// What the figure shows, in sentences.
    pub fn finding(&self, outcome: &Outcome) -> String {
        match self.view {
            View::Campaign => self.campaign_finding(outcome),
            View::Interval => self.interval_finding(outcome),
            View::Target => self.target_finding(outcome),
            View::Size => self.size_finding(outcome),
            View::Storage => self.storage_finding(outcome),
        }
    }

    fn campaign_finding(&self, o: &Outcome) -> String {
        let c = &o.campaign;
        let mut causes: Vec<Cause> = Cause::ALL.into_iter().skip(1).filter(|cause| c.share(*cause) >= 0.0005).collect();
        causes.sort_by(|a, b| c.share(*b).total_cmp(&c.share(*a)));
        let named: Vec<String> =
            causes.iter().take(3).map(|cause| format!("{} {}", part(c.share(*cause)), cause.label())).collect();
        let rest = if named.is_empty() { String::new() } else { format!(" The rest: {}.", named.join(", ")) };
        format!(
            "{} of the {} is useful work, despite {}, one every {}.{rest} For failures alone, Daly’s model predicts {} at this interval; \
             saving every {} would give {}.",
            part(c.share(Cause::Useful)),
            counted(self.days, "day", "days"),
            counted(c.failures() as u64, "failure", "failures"),
            time(o.mtbf),
            part(o.efficiency(self.interval)),
            time(o.optimum),
            part(o.efficiency(o.optimum))
        )
    }

    fn interval_finding(&self, o: &Outcome) -> String {
        let (Some(best), Some((from, to))) = (o.curve.best(), o.curve.flat()) else {
            return format!("Young’s interval is {}, Daly’s {}.", time(o.young), time(o.daly));
        };
        format!(
            "The simulation wastes least, {}, near an interval of {}; Young’s formula says {}, Daly’s {}. The bottom is flat: anything from \
             {} to {} costs at most 1% of the time more. A checkpoint stops training for {}, something fails every {}.",
            part(best.wasted),
            time(best.interval),
            time(o.young),
            time(o.daly),
            time(from),
            time(to),
            time(o.cost),
            time(o.mtbf)
        )
    }

    fn target_finding(&self, o: &Outcome) -> String {
        let (here, best) = (o.longest_recovery(self.interval, self.target), o.longest_recovery(o.optimum, self.target));
        let target = part(self.target / 100.0);
        if best <= 0.0 {
            return format!(
                "No interval keeps {target} of the time useful, however short a recovery: checkpoints and lost work alone take {} at the \
                 best, {}.",
                part(1.0 - super::interval::efficiency(o.optimum, o.cost, o.mtbf, 0.0)),
                time(o.optimum)
            );
        }
        let now = if here <= 0.0 {
            format!(
                "With a checkpoint every {} no recovery is short enough for {target} of useful time",
                time(self.interval)
            )
        } else {
            format!(
                "With a checkpoint every {} a recovery may take {} for {target} of useful time",
                time(self.interval),
                time(here)
            )
        };
        format!("{now}; every {} it may take {}. It takes {} now.", time(o.optimum), time(best), time(o.recovery))
    }

    fn size_finding(&self, o: &Outcome) -> String {
        let node = o.mtbf * self.nodes() as f64;
        format!(
            "A node that fails once in {} makes a job of {} GPUs fail every {}. At its best interval, {}, {} of the time is useful work. \
             Twice the GPUs halve the time between failures.",
            time(node),
            grouped(self.gpus),
            time(o.mtbf),
            time(o.optimum),
            part(o.efficiency(o.optimum))
        )
    }

    fn storage_finding(&self, o: &Outcome) -> String {
        let (store, links) = (&o.store, o.store.writers() * o.store.node);
        let rate = |bytes: f64| Unit::BytesPerSecond.format(bytes);
        let limit = if links < store.storage {
            format!("the links of the nodes that write, {} together", rate(links))
        } else {
            format!("storage, {}", rate(store.storage))
        };
        format!(
            "{} take {} at the pace of {limit}; faster storage would help up to {}. Each checkpoint stops training for {}, so the best \
             interval is {}, and {} of the time is useful work.",
            Unit::Bytes.format(store.bytes),
            time(store.write()),
            rate(links),
            time(o.cost),
            time(o.optimum),
            part(o.efficiency(o.optimum))
        )
    }

    /// One event in a sentence.
    pub fn says(&self, event: &Event) -> String {
        let when = moment(event.at);
        let what = match event.what {
            What::Failure(i) => {
                let name = self.rates.components().get(i).map_or("failure", |c| c.name);
                format!("node {}: {}", grouped(event.node), name)
            }
            What::Alarm => "wrong numbers are found out".to_owned(),
            What::Stop => "planned stop".to_owned(),
            What::Regrown => "a node is back, replicas rejoin".to_owned(),
        };
        if event.idle {
            return format!("{when}. {what}, while nothing was running.");
        }
        if event.back <= event.at {
            return format!("{when}. {what}. Nobody notices.");
        }
        let noticed = if event.noticed > event.at {
            format!("Noticed after {}. ", time(event.noticed - event.at))
        } else {
            String::new()
        };
        let lost = if event.lost > 0.0 {
            format!("{} of work undone, ", time(event.lost))
        } else {
            "Nothing undone, ".to_owned()
        };
        let gone = if event.copies_gone { " The copies in memory were gone." } else { "" };
        format!("{when}. {what}. {noticed}{lost}running again after {}.{gone}", time(event.back - event.at))
    }

    /// Days of a row of the drawing: a day each up to a week, then weeks.
    pub fn row_days(&self) -> f64 {
        if self.days <= 7 { 1.0 } else { 7.0 }
    }

    /// Rows of the drawing.
    pub fn rows(&self) -> u64 {
        (self.days as f64 / self.row_days()).ceil() as u64
    }

    /// Seconds of a row.
    pub fn row_seconds(&self) -> f64 {
        self.row_days() * DAY
    }
}
