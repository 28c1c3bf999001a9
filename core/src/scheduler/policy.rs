//! Which of the jobs that wait start: the policies.

use crate::declare::Origin;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::jobs::Job;
use super::params::{Order, Policy};
use super::place::Free;
use super::profile::{Promise, earliest};
use super::result::Event;
use super::simulate::Sim;

/// Where the policies come from.
pub const ORIGIN: Origin = Origin::Of(
    "Lifka 1995, JSSPP (EASY backfill); Mu’alem and Feitelson 2001, IEEE TPDS 12(6) (EASY and conservative); Shmueli and Feitelson 2005, JPDC 65(9) (lookahead); Slurm, doc/html/priority_multifactor.shtml (classic fair share); checked against dinesh121991/pyss",
);

/// Points for a fair share that nothing was used of, and for the longest wait that counts.
const POINTS: f64 = 1000.0;
/// The wait that counts fully: a day, in seconds.
const MAX_AGE: f64 = 86_400.0;
/// Most jobs that are looked at for the best packing.
const MOST_PACKED: usize = 50;

/// When the first job of the queue starts at the latest, and what is then free without it.
struct Shadow {
    time: u64,
    free: Free,
}

impl Sim<'_> {
    /// Runs the scheduler, after `new` came if that was the event.
    pub(super) fn schedule(&mut self, new: Option<usize>) {
        if self.setup.preempt {
            self.make_room();
        }
        match self.setup.policy {
            Policy::Fcfs | Policy::Sjf | Policy::Ljf => self.strict(),
            Policy::Easy | Policy::EasyShortest | Policy::EasyLatest | Policy::EasyLookahead => {
                self.strict();
                self.backfill();
            }
            Policy::Conservative => self.conservative(new),
            Policy::Kubernetes if self.setup.gang => self.greedy(),
            Policy::Kubernetes => self.pod_by_pod(),
        }
    }

    fn job(&self, j: usize) -> &Job {
        // Every index of the queue is one of the list.
        &self.jobs[j]
    }

    /// The queue, the first one first: by class, then as the order says.
    pub(super) fn ordered(&self) -> Vec<usize> {
        let mut queue = self.queue.clone();
        queue.sort_by_key(|&j| (self.job(j).submit, j));
        match self.setup.policy {
            Policy::Sjf => queue.sort_by_key(|&j| self.job(j).requested),
            Policy::Ljf => queue.sort_by_key(|&j| Reverse(self.job(j).requested)),
            _ if self.setup.order == Order::FairShare => {
                let usage = self.usage();
                queue.sort_by_key(|&j| Reverse(self.points(j, &usage)));
            }
            _ => {}
        }
        queue.sort_by_key(|&j| Reverse(self.job(j).class));
        queue
    }

    /// GPU-seconds that each user has had.
    fn usage(&self) -> BTreeMap<&str, f64> {
        let mut usage: BTreeMap<&str, f64> = self.jobs.iter().map(|job| (job.user.as_str(), 0.0)).collect();
        for span in &self.done.spans {
            let seconds = span.to.unwrap_or(self.now).saturating_sub(span.from);
            if let Some(of_user) = self.jobs.get(span.job).and_then(|job| usage.get_mut(job.user.as_str())) {
                *of_user += seconds as f64 * span.gpus.len() as f64;
            }
        }
        usage
    }

    /// The priority of a job as Slurm adds it up, in whole points: fair share and age.
    fn points(&self, j: usize, usage: &BTreeMap<&str, f64>) -> u64 {
        let job = self.job(j);
        let all: f64 = usage.values().sum();
        let used = usage.get(job.user.as_str()).copied().unwrap_or(0.0) / all.max(1.0);
        let fair = (-used * usage.len() as f64).exp2();
        let age = (self.now.saturating_sub(job.submit) as f64 / MAX_AGE).min(1.0);
        (POINTS * fair + POINTS * age).round() as u64
    }

    fn fits(&self, free: &Free, j: usize) -> Option<Vec<usize>> {
        self.setup.cluster.fit(free, self.job(j), self.setup.rules)
    }

    /// The first starts, and the next, until one has to wait.
    fn strict(&mut self) {
        while let Some(&head) = self.ordered().first() {
            let Some(nodes) = self.fits(&self.free, head) else { return };
            self.start(head, nodes, false);
        }
    }

    fn shadow(&self, head: usize) -> Option<Shadow> {
        let mut free = self.free.clone();
        let mut ends: Vec<(u64, usize)> =
            self.running.iter().enumerate().filter(|(_, r)| self.occupies(r)).map(|(i, r)| (r.limit, i)).collect();
        ends.sort_unstable();
        let mut ends = ends.into_iter().peekable();
        while let Some((time, i)) = ends.next() {
            if let Some(run) = self.running.get(i) {
                give(&mut free, &run.nodes, self.job(run.job).gpus);
            }
            let last_of_this_time = ends.peek().is_none_or(|(next, _)| *next > time);
            if last_of_this_time && self.fits(&free, head).is_some() {
                return Some(Shadow { time, free });
            }
        }
        None
    }

    /// Whether a job that starts now on `nodes` leaves the first of the queue its time.
    fn harmless(&self, shadow: &Shadow, head: usize, j: usize, nodes: &[usize]) -> bool {
        if self.now.saturating_add(self.job(j).requested) <= shadow.time {
            return true;
        }
        let mut free = shadow.free.clone();
        take(&mut free, nodes, self.job(j).gpus);
        self.fits(&free, head).is_some()
    }

    /// Who of those that wait has a promise, and from when: under EASY the first alone.
    pub(super) fn promises(&self, head: Option<usize>) -> Vec<(usize, u64)> {
        if self.setup.policy.reserves_for_the_first() {
            let first = head.and_then(|head| Some((head, self.shadow(head)?.time)));
            return first.into_iter().collect();
        }
        self.plan.iter().filter(|p| self.queue.contains(&p.job)).map(|p| (p.job, p.start)).collect()
    }

    /// Starts what does not delay the first of the queue.
    fn backfill(&mut self) {
        let queue = self.ordered();
        let Some((&head, behind)) = queue.split_first() else { return };
        let mut behind = behind.to_vec();
        match self.setup.policy {
            Policy::EasyShortest => behind.sort_by_key(|&j| self.job(j).requested),
            Policy::EasyLatest => behind.sort_by_key(|&j| Reverse(self.job(j).submit)),
            Policy::EasyLookahead => behind = self.best_packing(head, &behind),
            _ => {}
        }
        for j in behind {
            let Some(nodes) = self.fits(&self.free, j) else { continue };
            let Some(shadow) = self.shadow(head) else { return };
            if self.harmless(&shadow, head, j, &nodes) {
                self.start(j, nodes, true);
            }
        }
    }

    /// Those that together promise the most work, GPUs times limit, and do not delay the first of the queue: dynamic programming over GPUs.
    /// Shmueli and Feitelson maximise GPUs alone; PYSS weighs them with the limit, and so do we.
    fn best_packing(&self, head: usize, behind: &[usize]) -> Vec<usize> {
        #[derive(Clone)]
        struct Entry {
            work: u128,
            chosen: Vec<usize>,
            now: Free,
            then: Free,
        }
        let Some(shadow) = self.shadow(head) else { return Vec::new() };
        let behind = behind.get(..MOST_PACKED.min(behind.len())).unwrap_or_default();
        // What all sizes are multiples of is one unit.
        let unit = behind.iter().map(|&j| self.job(j).all_gpus()).fold(0, gcd).max(1);
        let units = self.free.iter().map(|f| u64::from(*f)).sum::<u64>() / unit;
        let empty = Entry { work: 0, chosen: Vec::new(), now: self.free.clone(), then: shadow.free.clone() };
        let mut best = vec![empty; units as usize + 1];
        for &j in behind {
            let (job, size) = (self.job(j), (self.job(j).all_gpus() / unit) as usize);
            let short = self.now.saturating_add(job.requested) <= shadow.time;
            let mut next = best.clone();
            for (k, entry) in next.iter_mut().enumerate() {
                let Some(with) = k.checked_sub(size).and_then(|k| best.get(k)) else { continue };
                let Some(nodes) = self.fits(&with.now, j) else { continue };
                let mut with = with.clone();
                take(&mut with.now, &nodes, job.gpus);
                if !short {
                    take(&mut with.then, &nodes, job.gpus);
                    if self.fits(&with.then, head).is_none() {
                        continue;
                    }
                }
                with.work += u128::from(job.all_gpus()) * u128::from(job.requested);
                with.chosen.push(j);
                if entry.work <= with.work {
                    *entry = with;
                }
            }
            best = next;
        }
        best.pop().map(|entry| entry.chosen).unwrap_or_default()
    }

    /// Everybody has a promise. Those who wait are promised anew, in order, when something ends; by fair share, whenever something happens.
    fn conservative(&mut self, new: Option<usize>) {
        let queue = self.ordered();
        let anew = new.is_none() || self.setup.order == Order::FairShare;
        if self.setup.order == Order::FairShare {
            let waiting = &self.queue;
            self.plan.retain(|p| !waiting.contains(&p.job));
        }
        for &j in &queue {
            let promised = self.plan.iter().find(|p| p.job == j).map(|p| p.start);
            if promised.is_none_or(|start| anew && start > self.now) {
                self.promise(j);
            }
        }
        for j in queue {
            let due = self.plan.iter().any(|p| p.job == j && p.start <= self.now);
            if !due {
                continue;
            }
            match self.fits(&self.free, j) {
                Some(nodes) => {
                    let first = self.ordered().first() == Some(&j);
                    self.start(j, nodes, !first);
                }
                // There are enough GPUs, in the wrong places: it waits for the next event.
                None => self.promise(j),
            }
        }
    }

    /// Promises a job the earliest time that breaks no other promise.
    fn promise(&mut self, j: usize) {
        self.plan.retain(|p| p.job != j);
        let (gpus, length) = (self.job(j).all_gpus(), self.job(j).requested);
        let start = earliest(self.setup.cluster.all(), &self.plan, gpus, length, self.now);
        self.plan.push(Promise { job: j, start, end: start.saturating_add(length), gpus });
    }

    /// Whoever fits starts, whoever is ahead.
    fn greedy(&mut self) {
        let mut overtakes = false;
        for j in self.ordered() {
            match self.fits(&self.free, j) {
                Some(nodes) => self.start(j, nodes, overtakes),
                None => overtakes = true,
            }
        }
    }

    /// Each job in turn gets a node for one more of its pods, until there is none for any. A job starts when it has all.
    fn pod_by_pod(&mut self) {
        loop {
            let mut placed = false;
            for j in self.ordered() {
                let held = self.held.get(j).cloned().unwrap_or_default();
                let mut free = self.free.clone();
                for &node in &held {
                    if let Some(free) = free.get_mut(node) {
                        *free = 0;
                    }
                }
                let pod = Job { nodes: 1, ..self.job(j).clone() };
                let Some(node) = self.setup.cluster.fit(&free, &pod, self.setup.rules).and_then(|n| n.first().copied())
                else {
                    continue;
                };
                placed = true;
                if held.len() as u32 + 1 == self.job(j).nodes {
                    let first = self.ordered().first() == Some(&j);
                    self.start(j, held.into_iter().chain([node]).collect(), !first);
                } else {
                    self.take(j, node, false);
                    if let Some(held) = self.held.get_mut(j) {
                        held.push(node);
                    }
                    self.events.push(Event::Placed(j, node));
                }
            }
            if !placed {
                return;
            }
        }
    }

    /// Takes GPUs from jobs of a lower class for the first of the queue, if that lets it start: of the lowest class first, and
    /// of those the youngest.
    fn make_room(&mut self) {
        while let Some(&head) = self.ordered().first() {
            if self.fits(&self.free, head).is_some() {
                return;
            }
            let class = self.job(head).class;
            let mut victims: Vec<usize> = (0..self.running.len())
                .filter(|&i| self.running.get(i).is_some_and(|r| self.occupies(r) && self.job(r.job).class < class))
                .collect();
            victims
                .sort_by_key(|&i| self.running.get(i).map(|r| (self.job(r.job).class, Reverse(r.start), Reverse(i))));
            let mut free = self.free.clone();
            let mut chosen = Vec::new();
            for i in victims {
                if self.fits(&free, head).is_some() {
                    break;
                }
                if let Some(run) = self.running.get(i) {
                    give(&mut free, &run.nodes, self.job(run.job).gpus);
                    chosen.push(i);
                }
            }
            if self.fits(&free, head).is_none() {
                return;
            }
            self.spare_who_need_not_go(head, &mut free, &mut chosen);
            chosen.sort_unstable_by_key(|&i| Reverse(i));
            for i in chosen {
                self.preempt(i, head);
            }
            let Some(nodes) = self.fits(&self.free, head) else { return };
            self.start(head, nodes, false);
        }
    }

    fn spare_who_need_not_go(&self, head: usize, free: &mut Free, chosen: &mut Vec<usize>) {
        chosen.retain(|&i| {
            let Some(run) = self.running.get(i) else { return false };
            let mut without = free.clone();
            take(&mut without, &run.nodes, self.job(run.job).gpus);
            let needed = self.fits(&without, head).is_none();
            if !needed {
                *free = without;
            }
            needed
        });
    }
}

fn give(free: &mut Free, nodes: &[usize], gpus: u32) {
    for &node in nodes {
        if let Some(free) = free.get_mut(node) {
            *free += gpus;
        }
    }
}

fn take(free: &mut Free, nodes: &[usize], gpus: u32) {
    for &node in nodes {
        if let Some(free) = free.get_mut(node) {
            *free = free.saturating_sub(gpus);
        }
    }
}

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
