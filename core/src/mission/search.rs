//! The best run that the same models allow, searched for step by step so that a page stays alive meanwhile.

use super::play::{Game, Move, careless};
use super::{Mission, Models};
use crate::query::Query;

/// By decision, what was answered until it was made: all but the last answer had to be given again.
pub type Path = Vec<Vec<Query>>;

/// How often all decisions are gone through.
const MOST_ROUNDS: usize = 8;
/// Pairs of decisions are changed together where that takes no more runs than this.
const MOST_PAIRS: usize = 1500;

/// Plays a path to its end. An answer that has to be given again, and is the last of its decision, is followed by the first of the
/// decision's candidates that does not, if `forgiving`.
///
/// # Errors
/// Why it cannot be played to its end: a sentence.
pub(super) fn follow<'a>(
    mission: &'a Mission,
    models: &'a Models<'a>,
    seed: u64,
    path: &[Vec<Query>],
    forgiving: bool,
) -> Result<Game<'a>, String> {
    let mut game = Game::new(mission, models, seed)?.silent();
    for (i, answers) in path.iter().enumerate() {
        for answer in answers {
            if game.next() == i {
                game.go(&Move::Decide(answer.clone()))?;
            }
        }
        if game.next() == i {
            let title = mission.decision.get(i).map_or("", |d| &d.title);
            if !forgiving {
                return Err(format!("{title}: It has to be decided again."));
            }
            let candidates = mission.decision.get(i).map(|d| d.candidates()).unwrap_or_default();
            let made = candidates.into_iter().find_map(|answer| {
                let mut tried = game.clone();
                tried.go(&Move::Decide(answer)).ok()?;
                (tried.next() > i).then_some(tried)
            });
            game = made.ok_or_else(|| format!("{title}: No answer of those that are tried goes on."))?;
        }
    }
    if !game.is_over() {
        return Err("Not all decisions are made.".into());
    }
    Ok(game)
}

/// A search: coordinate by coordinate, then pairs of them, until nothing gets better.
pub struct Search<'a> {
    mission: &'a Mission,
    models: &'a Models<'a>,
    seed: u64,
    candidates: Vec<Vec<Query>>,
    best: Option<(Vec<Query>, f64)>,
    /// The best run before each of its decisions.
    before: Vec<Game<'a>>,
    /// Runs that are to be tried: which answers of the best are replaced.
    queue: Vec<Vec<(usize, usize)>>,
    rounds: usize,
    /// Whether the best has become better since the queue was filled.
    improved: bool,
    in_pairs: bool,
    tried: usize,
}

impl<'a> Search<'a> {
    /// A search that begins where somebody careless, the first candidates, and `known` paths end.
    pub fn new(mission: &'a Mission, models: &'a Models<'a>, seed: u64, known: &[Path]) -> Self {
        let candidates: Vec<Vec<Query>> = mission.decision.iter().map(|d| d.candidates()).collect();
        let mut search = Self {
            mission,
            models,
            seed,
            candidates,
            best: None,
            before: Vec::new(),
            queue: Vec::new(),
            rounds: 0,
            improved: false,
            in_pairs: false,
            tried: 0,
        };
        let first = search.first();
        for path in known.iter().chain([&careless(mission), &first]) {
            let last: Vec<Query> = path.iter().filter_map(|answers| answers.last().cloned()).collect();
            search.before.clear();
            search.try_path(last, 0);
        }
        search.fill();
        search
    }

    /// By decision the first candidate that goes on.
    fn first(&self) -> Path {
        let Ok(mut game) = Game::new(self.mission, self.models, self.seed).map(Game::silent) else { return Vec::new() };
        let mut path = Vec::new();
        for (i, candidates) in self.candidates.iter().enumerate() {
            let made = candidates.iter().find_map(|answer| {
                let mut tried = game.clone();
                tried.go(&Move::Decide(answer.clone())).ok()?;
                (tried.next() > i).then_some((tried, answer))
            });
            let Some((tried, answer)) = made else { break };
            game = tried;
            path.push(vec![answer.clone()]);
        }
        path
    }

    /// Plays a path that is the best one's up to the decision `from`.
    fn try_path(&mut self, path: Vec<Query>, from: usize) {
        self.tried += 1;
        let begin = self.before.get(from).cloned().map_or_else(|| Ok((self.begin()?, 0)), |game| Ok((game, from)));
        let Ok((mut game, from)) = begin.map_err(|_: String| ()) else { return };
        for (i, answer) in path.iter().enumerate().skip(from) {
            if game.go(&Move::Decide(answer.clone())).is_err() || game.next() != i + 1 {
                return;
            }
        }
        let Some(score) = Some(game).filter(Game::is_over).and_then(|game| game.score().ok()) else { return };
        let slack = 1e-9 * score.abs();
        if self.best.as_ref().is_none_or(|(_, best)| score > best + slack) {
            self.before = self.stations(&path);
            self.best = Some((path, score));
            self.improved = true;
        }
    }

    fn begin(&self) -> Result<Game<'a>, String> {
        Game::new(self.mission, self.models, self.seed).map(Game::silent)
    }

    /// The games before each decision of a path.
    fn stations(&self, path: &[Query]) -> Vec<Game<'a>> {
        let Ok(mut game) = self.begin() else { return Vec::new() };
        let mut before = Vec::with_capacity(path.len());
        for answer in path {
            before.push(game.clone());
            if game.go(&Move::Decide(answer.clone())).is_err() {
                break;
            }
        }
        before
    }

    fn fill(&mut self) {
        self.improved = false;
        let single =
            |decision: usize, list: &Vec<Query>| (0..list.len()).map(move |c| vec![(decision, c)]).collect::<Vec<_>>();
        self.queue = self.candidates.iter().enumerate().flat_map(|(d, list)| single(d, list)).collect();
        self.queue.reverse();
    }

    fn fill_pairs(&mut self) {
        self.improved = false;
        let sizes: Vec<usize> = self.candidates.iter().map(Vec::len).collect();
        for (a, first) in sizes.iter().enumerate() {
            for (b, second) in sizes.iter().enumerate().skip(a + 1) {
                if first * second > MOST_PAIRS || self.queue.len() + first * second > MOST_PAIRS {
                    continue;
                }
                for i in 0..*first {
                    self.queue.extend((0..*second).map(|j| vec![(a, i), (b, j)]));
                }
            }
        }
    }

    /// Tries one run more. Yields whether there are more to try.
    pub fn step(&mut self) -> bool {
        let Some(change) = self.queue.pop() else {
            self.rounds += 1;
            if self.rounds >= MOST_ROUNDS || self.best.is_none() || (self.in_pairs && !self.improved) {
                return false;
            }
            if self.improved {
                self.in_pairs = false;
                self.fill();
            } else {
                self.in_pairs = true;
                self.fill_pairs();
            }
            return !self.queue.is_empty();
        };
        let Some((best, _)) = &self.best else { return true };
        let mut path = best.clone();
        let mut from = path.len();
        for (decision, candidate) in change {
            let answer = self.candidates.get(decision).and_then(|list| list.get(candidate));
            if let Some((place, answer)) = path.get_mut(decision).zip(answer)
                && place != answer
            {
                place.clone_from(answer);
                from = from.min(decision);
            }
        }
        if from < path.len() {
            self.try_path(path, from);
        }
        true
    }

    /// Searches to the end.
    #[must_use]
    pub fn run(mut self) -> Self {
        while self.step() {}
        self
    }

    /// Runs that were tried.
    pub fn tried(&self) -> usize {
        self.tried
    }

    /// The best path so far and its score.
    pub fn best(&self) -> Option<(Path, f64)> {
        self.best.as_ref().map(|(path, score)| (path.iter().map(|answer| vec![answer.clone()]).collect(), *score))
    }
}
