//! A curve to be drawn before the figure is uncovered.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::export::Leaves;
use super::kind::{ExerciseKind, Field, Posed, Visit};
use super::names::{Evaluate, names_of};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::template::bare;
use super::written::points;
use super::{Env, Exercise, Params, Value};
use crate::answer::write;
use crate::quantity::Unit;
use crate::query::{Query, parse_number};

/// `kind = "sketch"`: the learner draws a point for each value of a parameter, and then sees what the model says. A sketch is
/// never wrong; it is near or far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sketch {
    /// The id of the figure in the chapter that stays covered until the learner has committed.
    pub unlocks: String,
    /// What to say when it is uncovered: a Markdown template.
    pub reveal: String,
    /// The parameter along the axis.
    pub over: String,
    /// What the axis is called: plain text.
    pub across: String,
    /// What the parameter counts, where its values are written with a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub across_unit: Option<Unit>,
    /// The parameter's values, in order.
    pub at: Vec<Value>,
    /// What is drawn: an expression, in base units.
    pub value: String,
    /// What it counts.
    pub unit: Unit,
    /// The largest value that can be drawn, in base units: an expression over the names of the exercise.
    pub up_to: String,
}

/// How near is near: within a quarter of the true value.
const NEAR: f64 = 0.25;

/// What the model says, for one set of parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// The values of the parameter, as they are read: `64`, `30 B`, `bf16`.
    pub at: Vec<String>,
    /// By value of the parameter, in base units.
    pub values: Vec<f64>,
    /// The largest value that can be drawn.
    pub up_to: f64,
}

impl Sketch {
    /// The curve with `parameters` from [`draw`](super::draw).
    ///
    /// # Errors
    /// Why it cannot be computed: a sentence.
    pub fn curve(&self, exercise: &Exercise, parameters: &Query, evaluate: Evaluate<'_>) -> Result<Curve, String> {
        let up_to = names_of(exercise, parameters, evaluate).and_then(|env| env.eval(&self.up_to));
        let up_to = up_to.map_err(|e| format!("up_to: {e}"))?;
        let mut values = Vec::with_capacity(self.at.len());
        for at in &self.at {
            let mut changed = parameters.clone();
            changed.set(&self.over, at.as_str());
            let value = names_of(exercise, &changed, evaluate).and_then(|env| env.eval(&self.value));
            values.push(value.map_err(|e| format!("value: {e}"))?);
        }
        let written = |number: f64| self.across_unit.map_or_else(|| bare(number), |unit| write(number, unit, 3));
        let at = self.at.iter().map(|at| parse_number(at.as_str()).map_or_else(|| at.as_str().to_owned(), written));
        Ok(Curve { at: at.collect(), values, up_to })
    }
}

impl Curve {
    /// By point, whether what was drawn is near; points that were not drawn are far.
    pub fn near(&self, drawn: &[Option<f64>]) -> Vec<bool> {
        let at = |i: usize| drawn.get(i).copied().flatten();
        let near = |(i, value): (usize, &f64)| at(i).is_some_and(|d| (d - value).abs() <= NEAR * value.abs());
        self.values.iter().enumerate().map(near).collect()
    }

    /// Whether most points are near.
    pub fn is_near(&self, drawn: &[Option<f64>]) -> bool {
        let near = self.near(drawn);
        2 * near.iter().filter(|n| **n).count() > near.len()
    }
}

impl ExerciseKind for Sketch {
    const UNLOCKS: Option<fn(&Self) -> &str> = Some(|sketch| &sketch.unlocks);

    fn texts(&mut self, visit: Visit<'_>) {
        visit(Field::blocks("reveal"), &mut self.reveal);
    }

    fn sets(&self) -> Vec<(String, Cow<'_, Params>)> {
        let one = |at: &Value| Params::from([(self.over.clone(), at.clone())]);
        self.at.iter().map(|at| ("at".to_owned(), Cow::Owned(one(at)))).collect()
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.at.len() >= 2, || "at: A sketch needs at least two points.".into());
    }

    fn prove(&self, posed: &Posed<'_>, _env: &Env, report: &mut Report) -> Result<(), String> {
        let curve = self.curve(posed.exercise, &posed.parameters, posed.evaluate)?;
        if curve.values.iter().any(|v| *v < 0.0 || *v > curve.up_to) {
            report.of_seed("up_to", "up_to: The curve leaves what can be drawn.".into());
        }
        Ok(())
    }

    fn mark(&self, posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(match points(answer) {
            None => "unreadable",
            Some(drawn) if drawn.iter().all(Option::is_none) => "empty",
            Some(drawn) => {
                let near = self.curve(posed.exercise, &posed.parameters, posed.evaluate)?.is_near(&drawn);
                if near { "right" } else { "wrong" }
            }
        })
    }

    fn solve(&self, posed: &Posed<'_>) -> Result<Option<String>, String> {
        // Nine digits: a browser's last bits may differ.
        let values = self.curve(posed.exercise, &posed.parameters, posed.evaluate)?.values;
        Ok(Some(values.iter().map(|v| format!("{v:.8e}")).collect::<Vec<_>>().join(",")))
    }

    fn in_words(&self, _answer: &str) -> Vec<String> {
        Vec::new()
    }

    fn on_paper(&self, posed: &Posed<'_>, _env: &Env) -> Result<Vec<List>, String> {
        let curve = self.curve(posed.exercise, &posed.parameters, posed.evaluate)?;
        let lead = format!("{}; how much is it at each, up to {}?", self.across, write(curve.up_to, self.unit, 2));
        Ok(vec![List { lead, marks: Marks::None, items: curve.at, fill_in: true }])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        Ok(vec![filled(&[&self.reveal], env)?])
    }

    fn leaves(&self, _posed: &Posed<'_>, _env: &Env) -> Result<Leaves, String> {
        Ok(Leaves::Stays("the learner draws a curve"))
    }
}
