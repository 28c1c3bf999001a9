//! Things that belong together: `match`, and `label` for the parts of a figure.

use serde::{Deserialize, Serialize};

use super::export::{Form, Leaves, Picture};
use super::kind::{ExerciseKind, Field, Posed, Slip, Visit};
use super::paper::{List, Marks, filled};
use super::report::Report;
use super::written::{partners, write_list};
use super::{Env, Exercise};
use crate::answer::write;
use crate::quantity::Unit;

/// `kind = "match"`: for each item on the left the one on the right that belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Match {
    /// What belongs together.
    pub pairs: Vec<Pair>,
    /// Items on the right that belong to nothing: Markdown templates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

/// Two things that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// On the left: a Markdown template.
    pub left: String,
    /// On the right: a Markdown template.
    pub right: String,
    /// Why they belong together, said for a wrong choice as well as for the right one: a Markdown template.
    pub say: String,
}

/// `kind = "label"`: names for the parts of a bar that is drawn to scale.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// The parts, from left to right.
    pub parts: Vec<Part>,
    /// What their sizes count.
    pub unit: Unit,
}

/// One part of the bar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its name: a Markdown template.
    pub text: String,
    /// How large it is: an expression over the names of the exercise, in base units.
    pub size: String,
    /// How one can tell: a Markdown template.
    pub say: String,
}

/// The smallest share of a bar that can be seen and pointed at.
const LEAST_PART: f64 = 0.03;

/// What came of a choice of partners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matched {
    /// Items on the left with a wrong partner, in order.
    pub wrong: Vec<usize>,
    /// How many have none yet.
    pub missing: usize,
}

impl Matched {
    /// Whether every item has its partner.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.missing == 0
    }
}

/// Judges partners: for each of `items` on the left the index on the right that was chosen; right is the same index.
pub fn check_partners(items: usize, chosen: &[Option<usize>]) -> Matched {
    let of = |i: usize| chosen.get(i).copied().flatten();
    Matched {
        wrong: (0..items).filter(|&i| of(i).is_some_and(|c| c != i)).collect(),
        missing: (0..items).filter(|&i| of(i).is_none()).count(),
    }
}

impl Label {
    /// The sizes of the parts in base units.
    ///
    /// # Errors
    /// Why one cannot be computed, or cannot be drawn: a sentence.
    pub fn sizes(&self, env: &Env) -> Result<Vec<f64>, String> {
        let size = |(i, part): (usize, &Part)| {
            let size = env.eval(&part.size).map_err(|e| format!("part {}, size: {e}", i + 1))?;
            if size > 0.0 {
                Ok(size)
            } else {
                Err(format!("part {}, size: It is {size}; nothing could be seen.", i + 1))
            }
        };
        self.parts.iter().enumerate().map(size).collect()
    }
}

/// The mark of an answer that gives each of `items` one of `n` partners.
fn mark(answer: &str, items: usize, n: usize) -> &'static str {
    match partners(answer, items, n) {
        None => "unreadable",
        Some(all) if all.iter().all(Option::is_none) => "empty",
        Some(all) if check_partners(items, &all).is_right() => "right",
        Some(_) => "wrong",
    }
}

/// How many partners are right, of how many.
fn parts(answer: &str, items: usize, n: usize) -> Option<[usize; 2]> {
    let right = partners(answer, items, n)?.iter().enumerate().filter(|(i, to)| **to == Some(*i)).count();
    Some([right, items])
}

/// The partners of an answer in words, `left: right` each.
fn in_words(answer: &str, left: &[String], right: &[&String]) -> Vec<String> {
    let all = partners(answer, left.len(), right.len()).unwrap_or_default();
    let one = |(i, to): (usize, Option<usize>)| Some(format!("{}: {}", left.get(i)?, right.get(to?)?));
    all.into_iter().enumerate().filter_map(one).collect()
}

impl Match {
    /// All there is on the right.
    fn right(&self) -> Vec<&String> {
        self.pairs.iter().map(|pair| &pair.right).chain(&self.extra).collect()
    }
}

impl ExerciseKind for Match {
    fn shuffled(&self) -> usize {
        self.pairs.len() + self.extra.len()
    }

    fn texts(&mut self, visit: Visit<'_>) {
        for (i, pair) in self.pairs.iter_mut().enumerate() {
            visit(Field::line("left").within("pairs", i), &mut pair.left);
            visit(Field::listed("right").within("pairs", i).as_choice(), &mut pair.right);
            visit(Field::blocks("say").within("pairs", i), &mut pair.say);
        }
        for (i, extra) in self.extra.iter_mut().enumerate() {
            visit(Field::listed("").within("extra", i).as_choice(), extra);
        }
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.pairs.len() >= 2, || "pairs: There must be at least two to choose from.".into());
    }

    fn mark(&self, _posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(mark(answer, self.pairs.len(), self.pairs.len() + self.extra.len()))
    }

    fn parts(&self, answer: &str) -> Option<[usize; 2]> {
        parts(answer, self.pairs.len(), self.pairs.len() + self.extra.len())
    }

    fn slips(&self, posed: &Posed<'_>, answer: &str) -> Result<Vec<Slip>, String> {
        let right = self.right();
        let chosen = partners(answer, self.pairs.len(), right.len()).unwrap_or_default();
        if chosen.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let env = posed.environment()?;
        let of = |(i, (pair, to)): (usize, (&Pair, &Option<usize>))| match to {
            Some(to) if *to == i => None,
            Some(to) => Some(filled(&[&pair.left, "→", right.get(*to)?, &pair.say], &env)),
            None => Some(filled(&[&pair.left], &env).map(|left| format!("Not matched: {left}"))),
        };
        let slips = self.pairs.iter().zip(&chosen).enumerate().filter_map(of);
        slips.map(|say| Ok(Slip { say: say?, is_html: true })).collect()
    }

    fn solve(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(Some(write_list(0..self.pairs.len())))
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        let left: Vec<String> = self.pairs.iter().map(|pair| pair.left.clone()).collect();
        in_words(answer, &left, &self.right())
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let lead = "Write beside each the letter of what belongs to it.";
        Ok(vec![
            List::filled(lead, Marks::None, self.pairs.iter().map(|pair| &pair.left), env)?.with_blanks(),
            List::filled("", Marks::Letters, posed.shuffled(&self.right()), env)?,
        ])
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        self.pairs.iter().map(|pair| filled(&[&pair.left, "→", &pair.right], env)).collect()
    }

    fn leaves(&self, _posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let fill = |text: &String| filled(&[text], env);
        let pairs = self.pairs.iter().map(|pair| Ok([fill(&pair.left)?, fill(&pair.right)?]));
        let form = Form::Match {
            pairs: pairs.collect::<Result<_, String>>()?,
            extra: self.extra.iter().map(fill).collect::<Result<_, _>>()?,
        };
        let explained = self.pairs.iter().map(|pair| fill(&pair.say)).collect::<Result<_, _>>()?;
        Ok(Leaves::As { below: String::new(), explained, form, lost: "", picture: None })
    }

    fn fingerprint(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// A bar of parts to scale, with a letter each, for exports.
fn bar(sizes: &[f64]) -> Picture {
    const WIDTH: f64 = 600.0;
    let all = sizes.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let (mut parts, mut left) = (String::new(), 0.0);
    for ((size, letter), fill) in sizes.iter().zip('A'..).zip(["#d9e4f2", "#f2e3cf", "#dcecd9"].into_iter().cycle()) {
        let wide = WIDTH * size / all;
        parts.push_str(&format!(
            "<rect x=\"{left:.1}\" y=\"1\" width=\"{wide:.1}\" height=\"46\" fill=\"{fill}\" stroke=\"#1c1e22\"/>\
             <text x=\"{:.1}\" y=\"31\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"20\" fill=\"#1c1e22\">{letter}</text>",
            left + wide / 2.0
        ));
        left += wide;
    }
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"48\" viewBox=\"0 0 {WIDTH} 48\">{parts}</svg>"
    );
    Picture { alt: "A bar whose parts are drawn to scale, each with a letter".into(), svg }
}

impl ExerciseKind for Label {
    fn shuffled(&self) -> usize {
        self.parts.len()
    }

    fn texts(&mut self, visit: Visit<'_>) {
        for (i, part) in self.parts.iter_mut().enumerate() {
            visit(Field::listed("text").within("parts", i).as_choice(), &mut part.text);
            visit(Field::blocks("say").within("parts", i), &mut part.say);
        }
    }

    fn review(&self, _exercise: &Exercise, report: &mut Report) {
        report.unless(self.parts.len() >= 2, || "parts: There must be at least two to tell apart.".into());
    }

    fn prove(&self, _posed: &Posed<'_>, env: &Env, report: &mut Report) -> Result<(), String> {
        let sizes = self.sizes(env)?;
        let whole: f64 = sizes.iter().sum();
        for (i, size) in sizes.iter().enumerate() {
            if *size < LEAST_PART * whole {
                let message = format!("part {}, size: It is under 3% of the bar; nothing could be seen.", i + 1);
                report.of_seed("small parts", message);
            }
            let near = |other: &&f64| (*other - size).abs() < 0.05 * size.abs();
            if sizes.iter().take(i).any(|other| near(&other)) {
                report.of_seed("equal parts", format!("part {}, size: Another part is as large.", i + 1));
            }
        }
        Ok(())
    }

    fn mark(&self, _posed: &Posed<'_>, answer: &str) -> Result<&'static str, String> {
        Ok(mark(answer, self.parts.len(), self.parts.len()))
    }

    fn parts(&self, answer: &str) -> Option<[usize; 2]> {
        parts(answer, self.parts.len(), self.parts.len())
    }

    fn solve(&self, _posed: &Posed<'_>) -> Result<Option<String>, String> {
        Ok(Some(write_list(0..self.parts.len())))
    }

    fn in_words(&self, answer: &str) -> Vec<String> {
        let left: Vec<String> = ('A'..).take(self.parts.len()).map(|letter| format!("Part {letter}")).collect();
        in_words(answer, &left, &self.parts.iter().map(|part| &part.text).collect::<Vec<_>>())
    }

    fn on_paper(&self, posed: &Posed<'_>, env: &Env) -> Result<Vec<List>, String> {
        let items = self.sizes(env)?.into_iter().map(|size| write(size, self.unit, 3)).collect();
        let lead = "The parts of a bar, from left to right. Write beside each the number of its name.".to_owned();
        let names: Vec<&String> = self.parts.iter().map(|part| &part.text).collect();
        Ok(vec![
            List { lead, marks: Marks::Letters, items, fill_in: true },
            List::filled("", Marks::Numbers, posed.shuffled(&names), env)?,
        ])
    }

    fn leaves(&self, _posed: &Posed<'_>, env: &Env) -> Result<Leaves, String> {
        let sizes = self.sizes(env)?;
        let pair = |((part, size), letter): ((&Part, &f64), char)| {
            Ok([format!("{letter}: {}", write(*size, self.unit, 3)), filled(&[&part.text], env)?])
        };
        let pairs = self.parts.iter().zip(&sizes).zip('A'..).map(pair).collect::<Result<_, String>>()?;
        let explained = self.parts.iter().map(|part| filled(&[&part.say], env)).collect::<Result<_, _>>()?;
        Ok(Leaves::As {
            below: "<p>Which part of the bar is which?</p>".into(),
            explained,
            form: Form::Match { pairs, extra: Vec::new() },
            lost: "",
            picture: Some(bar(&sizes)),
        })
    }

    fn answer_key(&self, _posed: &Posed<'_>, env: &Env) -> Result<Vec<String>, String> {
        self.parts.iter().map(|part| filled(&[&part.text, &part.say], env)).collect()
    }
}
