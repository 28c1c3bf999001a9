//! What a class got wrong, together: which mistakes, and how many made each.

use super::{Definitions, Evaluator, Mark, Points, Recheck};
use crate::exercise::input::{self, Slip};

/// How a class did in one exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// `<chapter>/<exercise>`.
    pub exercise: String,
    /// How many were asked.
    pub asked: usize,
    /// How many had all of it right.
    pub right: usize,
    /// How many answered nothing.
    pub empty: usize,
    /// How many answers a person has to mark: nothing is said of them yet.
    pub to_mark: usize,
    /// How many points a whole answer has.
    pub worth: usize,
    /// The points of all answers that are marked.
    pub points: Points,
    /// What went wrong, the commonest first.
    pub mistakes: Vec<Shared>,
}

/// A mistake, and who made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// What went wrong.
    pub slip: Slip,
    /// The names of those who made it, as they typed them.
    pub learners: Vec<String>,
}

/// What went wrong in results that were marked again, by exercise, in the order of the quizzes. Answers that do not count are left out; one that a
/// person should look at stands with what was answered.
pub fn class_report(results: &[Recheck], definitions: &Definitions, evaluate: Evaluator<'_>) -> Vec<Common> {
    let mut report: Vec<Common> = Vec::new();
    let counted = results.iter().flat_map(|r| r.items.iter().map(move |item| (&r.learner, item)));
    for (learner, item) in counted {
        let (Some(mark), Some(exercise)) = (item.mark, definitions.get(&item.exercise)) else { continue };
        let at = report.iter().position(|common| common.exercise == item.exercise).unwrap_or(report.len());
        if at == report.len() {
            let exercise = item.exercise.clone();
            let worth = item.worth;
            report.push(Common {
                exercise,
                asked: 0,
                right: 0,
                empty: 0,
                to_mark: 0,
                worth,
                points: Points::default(),
                mistakes: Vec::new(),
            });
        }
        let Some(common) = report.get_mut(at) else { continue };
        common.asked += 1;
        common.points = [common.points, item.points()].into_iter().sum();
        common.to_mark += usize::from(item.is_to_mark());
        match mark {
            Mark::Right => common.right += 1,
            Mark::Unanswered => common.empty += 1,
            Mark::Unclear if item.given == Some(item.worth) => common.right += 1,
            Mark::Wrong | Mark::Unclear => {
                let slips = input::slips(exercise, item.seed, &item.answer, &|query| evaluate(exercise, query));
                for slip in slips.unwrap_or_default() {
                    match common.mistakes.iter_mut().find(|shared| shared.slip == slip) {
                        Some(shared) => shared.learners.push(learner.clone()),
                        None => common.mistakes.push(Shared { slip, learners: vec![learner.clone()] }),
                    }
                }
            }
        }
    }
    for common in &mut report {
        common.mistakes.sort_by_key(|shared| std::cmp::Reverse(shared.learners.len()));
    }
    report
}
