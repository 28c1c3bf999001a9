//! What is promised to whom until when: free GPUs over time.

/// GPUs that are promised from one time to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promise {
    /// The job.
    pub job: usize,
    /// From when.
    pub start: u64,
    /// Until when.
    pub end: u64,
    /// How many.
    pub gpus: u64,
}

/// The earliest time from `now` on at which `gpus` are free for `length`, where there are `all` and these are promised.
pub fn earliest(all: u64, promises: &[Promise], gpus: u64, length: u64, now: u64) -> u64 {
    let mut changes: Vec<(u64, i128)> = Vec::with_capacity(2 * promises.len());
    for promise in promises.iter().filter(|p| p.end > now && p.end > p.start) {
        changes.push((promise.start.max(now), -i128::from(promise.gpus)));
        changes.push((promise.end, i128::from(promise.gpus)));
    }
    changes.sort_unstable();
    let (mut free, mut candidate, mut i) = (i128::from(all), now, 0);
    let mut at = now;
    loop {
        while let Some(&(_, by)) = changes.get(i).filter(|(time, _)| *time <= at) {
            free += by;
            i += 1;
        }
        let until = changes.get(i).map(|(time, _)| *time);
        if free < i128::from(gpus) {
            // The last change leaves everything free.
            let Some(until) = until else { return candidate.max(at) };
            candidate = until;
        } else if until.is_none_or(|until| until >= candidate.saturating_add(length)) {
            return candidate;
        }
        let Some(until) = until else { return candidate };
        at = until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_used_if_it_is_long_enough() {
        let promises =
            [Promise { job: 0, start: 0, end: 10, gpus: 6 }, Promise { job: 1, start: 10, end: 20, gpus: 10 }];
        assert_eq!(earliest(10, &promises, 4, 10, 0), 0);
        assert_eq!(earliest(10, &promises, 4, 11, 0), 20);
        assert_eq!(earliest(10, &promises, 5, 1, 0), 20);
        assert_eq!(earliest(10, &promises, 1, 0, 12), 20);
        assert_eq!(earliest(10, &[], 10, 5, 3), 3);
    }
}
