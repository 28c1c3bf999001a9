//! One option, or several, of a list.

use serde::{Deserialize, Serialize};

use super::export::{Answer, Form, Leaves};
use super::kind::{ExerciseKind, Field, Posed, Slip, Visit};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::written::{indices, mark_list, write_list};
use super::{Env, Exercise};

/// `kind = "choice"`: one option, or several, of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// What there is to choose from; shown in an order of its own for every seed.
    pub options: Vec<OptionDef>,
    /// Whether more than one option may be right, so that all right ones have to be chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several: bool,
}

/// One option of a choice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionDef {
    /// What it says: a Markdown template.
    pub text: String,
    /// Whether it is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub right: bool,
    /// Why it is right, or what is wrong with it: a Markdown template. Every option has one.
    #[serde(default)]
    pub say: String,
}

/// What came of a choice. Each option that was chosen has a sentence of its own, `say`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Options that were chosen and are not right, in the order of the exercise.
    pub wrong: Vec<usize>,
    /// How many right options were not chosen; which is not for the learner to see yet.
    pub missing: usize,
}

impl Chosen {
    /// Whether exactly the right options were chosen.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.missing == 0
    }
}

impl Choice {
    /// Judges the options with the indices `chosen` (of [`Choice::options`], not of the order shown). Indices that do
    /// not exist are ignored, and so is choosing an option twice.
    pub fn check(&self, chosen: &[usize]) -> Chosen {
        let options = || self.options.iter().enumerate();
        let wrong = options().filter(|(i, o)| chosen.contains(i) && !o.right).map(|(i, _)| i).collect();
        let missing = options().filter(|(i, o)| !chosen.contains(i) && o.right).count();
        Chosen { wrong, missing }
    }
}

impl OptionDef {
    /// Visits the templates of `options`, which stand in the field `list`.
    pub(super) fn texts(options: &mut [Self], list: &'static str, visit: Visit<'_>) {
        for (i, option) in options.iter_mut().enumerate() {
            visit(Field::line("text").within(list, i).as_choice(), &mut option.text);
            visit(Field::blocks("say").within(list, i).as_reason(), &mut option.say);
        }
    }

    /// Reports what is wrong with `options`, each called `what`, of which one or several are right.
    pub(super) fn check(options: &[Self], what: &str, several: bool, report: &mut Report) {
        let right = options.iter().filter(|o| o.right).count();
        report.unless(options.len() >= 2, || format!("{what}s: There must be at least two to choose from."));
        report.unless(right > 0, || format!("{what}s: None is right; set right = true."));
        report.unless(right <= 1 || several, || {
            format!("{what}s: {right} are right, and several is not set: set several = true, or leave one right.")
        });
        report.unless(!several || right < options.len(), || {
            format!("{what}s: All are right, so that there is nothing to find out.")
        });
        for (i, option) in options.iter().enumerate() {
            let why = if option.right { "why it is right" } else { "what is wrong with it" };
            report.unless(!option.say.trim().is_empty(), || format!("{what} {}, say: Say {why}.", i + 1));
        }
    }

    /// `options` for outside the page, filled.
    pub(super) fn answers(options: &[&Self], env: &Env) -> Result<Vec<Answer>, String> {
        let one =
            |o: &&Self| Ok(Answer { text: filled(&[&o.text], env)?, right: o.right, say: filled(&[&o.say], env)? });
        options.iter().map(one).collect()
    }

    /// Where the right ones of `options` are seen, in the order of [`Self::key`].
    pub(super) fn places(options: &[Self], posed: &Posed<'_>) -> Vec<usize> {
        let shown = posed.shuffled(&(0..options.len()).collect::<Vec<_>>());
        let right = options.iter().enumerate().filter(|(_, option)| option.right);
        right.filter_map(|(i, _)| shown.iter().position(|at| *at == i)).collect()
    }

    /// The right ones of `options` with why, filled.
    pub(super) fn key(options: &[Self], env: &Env) -> Result<Vec<String>, String> {
        options.iter().filter(|option| option.right).map(|o| filled(&[&o.text, &o.say], env)).collect()
    }
}

impl ExerciseKind for Choice {
    fn shuffled(&self) -> usize {
        self.options.len()
    }

    fn texts(&mut self, visit: Visit<'_>) {
        OptionDef::texts(&mut self.options, "options", visit);
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        OptionDef::check(&self.options, "option", self.several, report);
    }

    fn mark(&self, _posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(mark_list(answer, self.options.len(), |chosen| self.check(chosen).is_right()))
    }

    fn slips(&self, posed: &Posed<'_>, answer: &str) -> Result<Vec<Slip>, String> {
        let chosen = indices(answer, self.options.len()).unwrap_or_default();
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        let env = posed.environment()?;
        let wrong = self.check(&chosen).wrong.into_iter().filter_map(|i| self.options.get(i));
        let missing = self.options.iter().enumerate().filter(|(i, option)| option.right && !chosen.contains(i));
        let wrong = wrong.map(|option| filled(&[&option.text, &option.say], &env));
        let missing =
            missing.filter(|_| self.several).map(|(_, o)| Ok(format!("Not chosen: {}", filled(&[&o.text], &env)?)));
        wrong.chain(missing).map(|say| Ok(Slip { say: say?, is_html: true })).collect()
    }

    fn solve(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        let right = self.options.iter().enumerate().filter(|(_, option)| option.right);
        Ok(Some(write_list(right.map(|(i, _)| i))))
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        let chosen = indices(answer, self.options.len()).unwrap_or_default();
        chosen.into_iter().filter_map(|i| self.options.get(i)).map(|option| option.text.clone()).collect()
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let lead = if self.several { "Choose all that apply." } else { "Choose one." };
        let texts: Vec<&String> = self.options.iter().map(|option| &option.text).collect();
        Ok(vec![List::filled(lead, Marks::Letters, posed.shuffled(&texts), env)?])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        OptionDef::key(&self.options, env)
    }

    fn right(&self, posed: &Posed<'_>) -> Vec<usize> {
        OptionDef::places(&self.options, posed)
    }

    fn leaves(&self, posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let shown = posed.shuffled(&self.options.iter().collect::<Vec<_>>());
        Ok(Leaves::whole(Form::Choice { several: self.several, options: OptionDef::answers(&shown, env)? }))
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }
}
