//! A run beside the best and a careless one, and which decisions mattered.

use super::play::{Game, careless};
use super::search::{Path, follow};
use super::{Mission, Models};
use crate::query::Query;

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Played {
    /// What the search makes large.
    pub score: f64,
    /// In the order of [`Mission::outcome`].
    pub outcomes: Vec<f64>,
    /// By decision, its last answer.
    pub answers: Vec<Query>,
}

/// A decision that another answer would have made better.
#[derive(Debug, Clone, PartialEq)]
pub struct Mattered {
    /// Which, counted from 0.
    pub decision: usize,
    /// What was decided.
    pub yours: Query,
    /// What the best run decides.
    pub best: Query,
    /// By how much the score would be larger with that answer alone.
    pub gain: f64,
}

/// A run at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The run.
    pub you: Played,
    /// The best that was found.
    pub best: Played,
    /// Somebody who did not think; none if the mission's careless answers lead nowhere.
    pub careless: Option<Played>,
    /// Up to two decisions, the one that cost most first. What cost less than a twentieth of the distance to the best run didn't matter.
    pub mattered: Vec<Mattered>,
    /// What answers cost that had to be made again, in the score.
    pub failed: f64,
    /// What going back cost, in the score.
    pub returning: f64,
}

/// The least share of the distance to the best run that a decision which mattered has cost.
pub const MATTERS: f64 = 0.05;

impl Played {
    fn of(mission: &Mission, game: &Game<'_>) -> Result<Self, String> {
        let outcomes = mission.outcome.iter().map(|o| game.eval(&o.value)).collect::<Result<_, _>>()?;
        let answers = game.path().iter().filter_map(|answers| answers.last().cloned()).collect();
        Ok(Self { score: game.score()?, outcomes, answers })
    }
}

impl Report {
    /// The run as a mark from 0 to 1: 1 is the best that was found, 0 is a run without thinking or worse. Where a mission has no
    /// such run, 1 is a score at least as good as the best, and 0 any other.
    pub fn mark(&self) -> f64 {
        let (you, best) = (self.you.score, self.best.score);
        let floor = self.careless.as_ref().map_or(best, |played| played.score);
        if you >= best {
            return 1.0;
        }
        let share = (you - floor) / (best - floor);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// Of a game that is over, beside the best path that a search found.
    ///
    /// # Errors
    /// Why there is none: a sentence.
    pub fn of(
        mission: &Mission,
        models: &Models<'_>,
        seed: u64,
        game: &Game<'_>,
        best: &[Vec<Query>],
    ) -> Result<Self, String> {
        if !game.is_over() {
            return Err("Not all decisions are made.".into());
        }
        let play = |path: &[Vec<Query>], forgiving| follow(mission, models, seed, path, forgiving);
        let yours = game.path();
        let straight = play(&yours, true)?.score()?;
        let best_game = play(best, false)?;
        let mut mattered: Vec<Mattered> = Vec::new();
        for (decision, (mine, theirs)) in yours.iter().zip(best).enumerate() {
            let (Some(mine), Some(theirs)) = (mine.last(), theirs.last()) else { continue };
            let mut path: Path = yours.clone();
            if let Some(place) = path.get_mut(decision) {
                *place = vec![theirs.clone()];
            }
            let Ok(score) = play(&path, false).or_else(|_| play(&path, true)).and_then(|game| game.score()) else {
                continue;
            };
            let gain = score - straight;
            if gain > 1e-6 * straight.abs() {
                mattered.push(Mattered { decision, yours: mine.clone(), best: theirs.clone(), gain });
            }
        }
        let best = Played::of(mission, &best_game)?;
        mattered.retain(|m| m.gain >= MATTERS * (best.score - straight).abs());
        mattered.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        mattered.truncate(2);
        let careless = play(&careless(mission), true).and_then(|game| Played::of(mission, &game)).ok();
        let you = Played::of(mission, game)?;
        let last: Path = yours.iter().map(|answers| answers.last().cloned().into_iter().collect()).collect();
        let failed = play(&last, true).and_then(|game| game.score()).map_or(0.0, |clean| (clean - straight).max(0.0));
        let returning = (straight - you.score).max(0.0);
        Ok(Self { you, best, careless, mattered, failed, returning })
    }
}
