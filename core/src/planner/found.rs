//! What a search came to, as far as anything is shown of it.

use super::job::Job;
use super::search::{Layout, Search};
use super::words::{self, Reason};

/// Cells of the picture of time against memory, across and up: layouts that lie in one cell are drawn as one.
pub const CELLS: (usize, usize) = (160, 72);
/// The highest step time of the picture, in those of the fastest layout.
pub const SLOWEST: f64 = 12.0;
/// The most memory of the picture, in those of the GPU.
pub const FULLEST: f64 = 2.0;

/// A rule that layouts broke.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Barrier {
    /// The rule.
    pub rule: String,
    /// The first that broke it.
    pub example: String,
    /// How many did; a division of the GPUs that is impossible counts once.
    pub count: u64,
}

/// What a search came to.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// What was searched; none if it is impossible.
    pub job: Option<Job>,
    /// How many layouts fit.
    pub valid: usize,
    /// How many are possible.
    pub all: usize,
    /// The fastest that fits.
    pub best: Option<Layout>,
    /// Those that nothing beats in both time and memory, the fastest first.
    pub front: Vec<Layout>,
    /// Seconds of a step and bytes on the fullest GPU of layouts: one for each cell of the picture that has any.
    pub cloud: Vec<(f64, f64)>,
    /// Why the best is what it is.
    pub reasons: Vec<Reason>,
    /// Why others are not possible.
    pub barriers: Vec<Barrier>,
    /// All of it in words.
    pub finding: String,
}

impl Found {
    /// What was found so far, by a search that was `stopped` or is at its end.
    pub fn of(search: &Search, stopped: bool) -> Self {
        let stopped = if stopped { " The search was stopped: others may be faster." } else { "" };
        let barriers = search.refused().map(|refused| Barrier {
            rule: refused.example.rule().to_owned(),
            example: refused.example.to_string(),
            count: refused.count,
        });
        Self {
            job: Some(search.job().clone()),
            valid: search.valid(),
            all: search.layouts().len(),
            best: search.best().copied(),
            front: search.front().to_vec(),
            cloud: cloud(search),
            reasons: words::reasons(search),
            barriers: barriers.collect(),
            finding: words::finding(search) + stopped,
        }
    }

    /// Nothing, because of what is wrong with the job.
    pub fn impossible(finding: String) -> Self {
        Self { finding, ..Self::default() }
    }
}

fn cloud(search: &Search) -> Vec<(f64, f64)> {
    let capacity = search.job().cluster.gpu.memory.0;
    let fastest = search.front().first().map_or(1.0, |l| l.step);
    let (wide, high) = CELLS;
    let mut taken = vec![false; wide * high];
    let mut points = Vec::new();
    for layout in search.layouts() {
        let (up, across) = ((layout.step / fastest).ln() / SLOWEST.ln(), layout.memory / (FULLEST * capacity));
        if !(0.0..1.0).contains(&up) || !(0.0..1.0).contains(&across) {
            continue;
        }
        let cell = (up * high as f64) as usize * wide + (across * wide as f64) as usize;
        if let Some(taken) = taken.get_mut(cell)
            && !std::mem::replace(taken, true)
        {
            points.push((layout.step, layout.memory));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;
    use crate::declare::Model as _;
    use crate::query::Query;

    fn search(query: &str) -> Search {
        Params::read(&Query::parse(query)).0.search().expect("the model is possible")
    }

    #[test]
    fn a_search_that_was_stopped_says_so_and_what_it_found() {
        let mut search = search("tp=0&cp=0&ep=0&mbs=0&zero=any");
        assert!(!search.step(2000).finished());
        let some = Found::of(&search, true);
        assert!(some.finding.contains("The search was stopped") && some.all >= 2000 && !some.cloud.is_empty());
        assert_eq!((some.all, some.valid, some.best.as_ref()), (search.layouts().len(), search.valid(), search.best()));
        let search = search.run();
        let all = Found::of(&search, false);
        assert!(!all.finding.contains("stopped") && all.all > some.all);
        assert_eq!((all.all, all.front.as_slice()), (search.layouts().len(), search.front()));
    }

    #[test]
    fn where_no_layout_is_possible_that_is_what_was_found() {
        let found = Found::of(&search("tp=7").run(), false);
        assert!(
            found.finding.starts_with("No layout is possible") && found.best.is_none() && !found.barriers.is_empty()
        );
    }

    #[test]
    fn the_cloud_is_of_layouts_on_the_picture_one_for_a_cell() {
        let search = search("tp=0&cp=1&mbs=0&zero=any").run();
        let found = Found::of(&search, false);
        let (capacity, fastest) = (search.job().cluster.gpu.memory.0, found.front[0].step);
        assert!(found.cloud.len() > 1000 && found.cloud.len() < found.all, "{}", found.cloud.len());
        for &(step, memory) in &found.cloud {
            assert!((fastest..fastest * SLOWEST).contains(&step) && (0.0..capacity * FULLEST).contains(&memory));
            assert!(search.layouts().iter().any(|l| (l.step, l.memory) == (step, memory)));
        }
    }
}
