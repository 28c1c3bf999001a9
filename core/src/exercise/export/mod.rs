//! Questions for learning platforms and flashcards: Moodle XML, Canvas (QTI 1.2), QTI 2.1, GIFT and Anki. A course as a
//! cartridge ([`cartridge`]), and a page as a package ([`scorm`]).
//!
//! A kind says once what it comes to outside the page (`Leaves`); each format has a file that writes it. An exercise
//! becomes a [`Pool`] of variants: the same question with other numbers. Whether a platform asks each learner one of them is in
//! [`Format::steps`]. What a format can't hold is in [`lost`], to be read before anything is saved.
//!
//! Texts are those of the exercise with their numbers in place: HTML where the site hands exercises out. Every format gets
//! them as well-formed XHTML with formulas in MathML, without classes and with the words of links.

mod anki;
mod canvas;
pub mod cartridge;
mod gift;
mod markup;
mod moodle;
mod qti;
pub mod scorm;

use std::collections::BTreeMap;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde::{Deserialize, Serialize};

use super::kind::Posed;
use super::names::Evaluate;
use super::{Exercise, MAX_SEED, Template};
use crate::quantity::{counted, significant};

pub(super) use markup::escaped;
pub use markup::{plain_text, xhtml};

/// The most variants of an exercise.
pub const MAX_VARIANTS: usize = 50;

/// A format that a learning platform or a flashcard program imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Moodle XML.
    Moodle,
    /// QTI 1.2 as Canvas reads it.
    Canvas,
    /// QTI 2.1.
    Qti21,
    /// GIFT.
    Gift,
    /// Anki's text import.
    Anki,
}

impl Format {
    /// Every one.
    pub const ALL: [Self; 5] = [Self::Moodle, Self::Canvas, Self::Qti21, Self::Gift, Self::Anki];

    /// For links and files: `moodle`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Moodle => "moodle",
            Self::Canvas => "canvas",
            Self::Qti21 => "qti21",
            Self::Gift => "gift",
            Self::Anki => "anki",
        }
    }

    /// For a list to choose from.
    pub fn label(self) -> &'static str {
        match self {
            Self::Moodle => "Moodle XML",
            Self::Canvas => "Canvas (QTI 1.2 package)",
            Self::Qti21 => "QTI 2.1 package",
            Self::Gift => "GIFT",
            Self::Anki => "Anki notes",
        }
    }

    /// What the file's name ends in. Several files go into one `zip`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Moodle => "xml",
            Self::Canvas | Self::Qti21 => "zip",
            Self::Gift | Self::Anki => "txt",
        }
    }

    /// Where to import it, and what becomes of the variants of an exercise.
    pub fn steps(self) -> &'static str {
        match self {
            Self::Moodle => {
                "In Moodle: Question bank → Import → Moodle XML format. The variants of an exercise share a category: to ask each learner one, add a random question from it."
            }
            Self::Canvas => {
                "In Canvas: Settings → Import Course Content → QTI .zip file. The quiz asks each learner one variant."
            }
            Self::Qti21 => {
                "In your platform: import a QTI 2.1 content package. Its test selects one variant of each exercise per learner, if your platform imports tests."
            }
            Self::Gift => {
                "In Moodle: Question bank → Import → GIFT format. The variants of an exercise share a category: to ask each learner one, add a random question from it."
            }
            Self::Anki => {
                "In Anki: File → Import. Importing the file again updates the same notes. Each variant is a note."
            }
        }
    }
}

/// A picture under a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Picture {
    /// What it shows, without what it comes to.
    pub alt: String,
    /// An SVG file.
    pub svg: String,
}

impl Picture {
    /// As an element whose file is at `src`.
    fn at(&self, src: &str) -> String {
        format!("<p><img src=\"{}\" alt=\"{}\"/></p>", escaped(src), escaped(&self.alt))
    }

    /// In base64.
    fn base64(&self) -> String {
        BASE64_STANDARD.encode(&self.svg)
    }
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path in the package, or its name.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// What an exercise comes to outside the page.
pub(super) enum Leaves {
    /// It can't leave. A clause after "because": "the learner draws a curve".
    Stays(&'static str),
    /// A question.
    As {
        /// HTML under the prompt.
        below: String,
        /// HTML before the solution: what the page says to parts of an answer and a platform can't.
        explained: String,
        /// The question.
        form: Form,
        /// What the page asks beyond it: a sentence, or nothing.
        lost: &'static str,
        /// What the page draws under the prompt, whatever the figure.
        picture: Option<Picture>,
    },
}

impl Leaves {
    /// A question, whole.
    pub(super) fn whole(form: Form) -> Self {
        Self::As { below: String::new(), explained: String::new(), form, lost: "", picture: None }
    }
}

/// What a question asks for. Texts are HTML.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A number.
    Number {
        /// The right one, in `unit`.
        value: f64,
        /// How far from it is right, in `unit`.
        tolerance: f64,
        /// The unit, as it is written behind the number; may be empty.
        unit: String,
        /// Wrong numbers that the author foresaw, none of which is within another's reach.
        mistakes: Vec<Foreseen>,
    },
    /// One option of several, or all that are right.
    Choice {
        /// Whether all that are right are to be chosen.
        several: bool,
        /// What there is to choose from.
        options: Vec<Answer>,
    },
    /// Items in order.
    Order {
        /// In the right order. The prompt says what it runs from, and to.
        items: Vec<String>,
    },
    /// Pairs.
    Match {
        /// What belongs together: left, right.
        pairs: Vec<[String; 2]>,
        /// What is on the right and belongs to nothing.
        extra: Vec<String>,
    },
    /// A text.
    Essay {
        /// What a good one says.
        rubric: Vec<String>,
        /// A good one.
        model: String,
        /// One that doesn't suffice, with a line before it that says so.
        weak: String,
    },
}

/// A wrong number that the author foresaw.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreseen {
    /// The number, in the question's unit.
    pub value: f64,
    /// How far from it is still this mistake, in the question's unit.
    pub tolerance: f64,
    /// What to say to it: HTML.
    pub say: String,
}

/// An option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it says: HTML.
    pub text: String,
    /// Whether it is right.
    pub right: bool,
    /// Why: HTML.
    pub say: String,
}

/// A question with its numbers in place.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Letters, digits and hyphens; no two in an export are the same.
    pub id: String,
    /// A few words: plain text.
    pub title: String,
    /// What is asked: HTML.
    pub prompt: String,
    /// What is drawn under it.
    pub picture: Option<Picture>,
    /// What is said once it is answered: HTML.
    pub solution: String,
    /// HTML, one at a time.
    pub hints: Vec<String>,
    /// What is asked for.
    pub form: Form,
}

/// An exercise to be exported.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// `<chapter>/<exercise>`.
    pub key: &'a str,
    /// What its chapter is called.
    pub chapter: &'a str,
    /// What it is called.
    pub title: &'a str,
    /// The exercise.
    pub exercise: &'a Exercise,
    /// The figure that its prompt points at.
    pub picture: Option<&'a Picture>,
    /// The seed of the first variant.
    pub seed: u64,
    /// Whether the page gives every learner numbers of their own.
    pub each: bool,
}

/// The variants of an exercise.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// `<chapter>/<exercise>`.
    pub key: String,
    /// What its chapter is called.
    pub chapter: String,
    /// What it is called.
    pub title: String,
    /// At least one.
    pub variants: Vec<Question>,
    /// What the page asks beyond it: a sentence, or nothing.
    pub lost: &'static str,
    /// Whether the page gives every learner numbers of their own.
    pub each: bool,
}

impl Pool {
    /// The variants, each with a title that no other has.
    fn titled(&self) -> impl Iterator<Item = (String, &Question)> {
        self.variants.iter().enumerate().map(|(i, variant)| match i {
            0 => (variant.title.clone(), variant),
            i => (format!("{} ({})", variant.title, i + 1), variant),
        })
    }
}

/// Why an exercise isn't in an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// It works on the page alone. A clause after "because".
    Stays(&'static str),
    /// It can't be computed: a sentence.
    Broken(String),
}

/// The variants of an exercise, each with other numbers: at most `variants`, fewer where the exercise has no more. The first is
/// that of the source's seed.
///
/// # Errors
/// Why it can't be exported.
pub fn pool(source: Source<'_>, variants: usize, evaluate: Evaluate<'_>) -> Result<Pool, Missing> {
    let wanted = variants.clamp(1, MAX_VARIANTS);
    let (mut questions, mut seen, mut lost) = (Vec::new(), Vec::new(), "");
    let candidates = if source.exercise.draw.is_empty() { 1 } else { 8 * wanted as u64 };
    for i in 0..candidates {
        let posed = Posed::new(source.exercise, later_seed(source.seed, i), evaluate);
        let parameters = posed.parameters.to_string();
        if seen.contains(&parameters) {
            continue;
        }
        seen.push(parameters);
        let number = questions.len() + 1;
        let (question, beyond) = question(source, &posed, number)?;
        lost = beyond;
        questions.push(question);
        if questions.len() == wanted {
            break;
        }
    }
    Ok(Pool {
        key: source.key.to_owned(),
        chapter: source.chapter.to_owned(),
        title: source.title.to_owned(),
        variants: questions,
        lost,
        each: source.each && !source.exercise.draw.is_empty(),
    })
}

/// The seed of variant `i`, from 0, after that of the first.
fn later_seed(first: u64, i: u64) -> u64 {
    first.wrapping_add(i) & MAX_SEED
}

fn question(source: Source<'_>, posed: &Posed<'_>, number: usize) -> Result<(Question, &'static str), Missing> {
    let exercise = source.exercise;
    let env = posed.environment().map_err(Missing::Broken)?;
    let fill = |text: &String| Template::fill(text, &env).map(|text| xhtml(&text)).map_err(Missing::Broken);
    let (below, explained, form, lost, drawn) = match exercise.kind.leaves(posed, &env).map_err(Missing::Broken)? {
        Leaves::Stays(why) => return Err(Missing::Stays(why)),
        Leaves::As { below, explained, form, lost, picture } => (below, explained, form, lost, picture),
    };
    let steps: String = exercise.solution.iter().map(fill).collect::<Result<_, _>>()?;
    let question = Question {
        id: format!("{}-{number}", source.key.replace('/', "-")),
        title: source.title.to_owned(),
        prompt: format!("{}{}", fill(&exercise.prompt)?, xhtml(&below)),
        picture: drawn.or_else(|| source.picture.cloned()),
        solution: format!("{}{steps}", xhtml(&explained)),
        hints: exercise.hints.iter().map(fill).collect::<Result<_, _>>()?,
        form: form.cleaned(),
    };
    Ok((question, lost))
}

impl Question {
    /// The name of its picture's file.
    fn picture_file(&self) -> String {
        format!("{}.svg", self.id)
    }

    /// The prompt, with its picture at `src`.
    fn prompt_with(&self, src: &str) -> String {
        let picture = self.picture.as_ref().map(|picture| picture.at(src)).unwrap_or_default();
        format!("{}{picture}", self.prompt)
    }
}

impl Form {
    /// The points of a whole answer: those that graders are told of.
    fn points(&self) -> usize {
        match self {
            Self::Essay { rubric, .. } => rubric.len().max(1),
            _ => 1,
        }
    }

    /// With every text as XHTML.
    fn cleaned(self) -> Self {
        let all = |texts: Vec<String>| texts.iter().map(|text| xhtml(text)).collect();
        match self {
            Self::Number { value, tolerance, unit, mut mistakes } => {
                for mistake in &mut mistakes {
                    mistake.say = xhtml(&mistake.say);
                }
                Self::Number { value, tolerance, unit, mistakes }
            }
            Self::Choice { several, options } => {
                let clean = |o: Answer| Answer { text: xhtml(&o.text), right: o.right, say: xhtml(&o.say) };
                Self::Choice { several, options: options.into_iter().map(clean).collect() }
            }
            Self::Order { items } => Self::Order { items: all(items) },
            Self::Match { pairs, extra } => {
                let pairs = pairs.iter().map(|pair| [xhtml(&pair[0]), xhtml(&pair[1])]).collect();
                Self::Match { pairs, extra: all(extra) }
            }
            Self::Essay { rubric, model, weak } => {
                Self::Essay { rubric: all(rubric), model: xhtml(&model), weak: xhtml(&weak) }
            }
        }
    }
}

/// How an order that became pairs is answered: HTML.
const PLACES: &str = "<p>Give each item its place, counting from 1.</p>";

/// An order as pairs, for formats without orders: each item with its place, not in the right order.
fn as_pairs(items: &[String]) -> Vec<[String; 2]> {
    scrambled(items).into_iter().map(|(i, item)| [item.clone(), (i + 1).to_string()]).collect()
}

/// `items` with their places, in an order that isn't the one they are in, always the same: a platform that shows them as they come
/// must not show the answer.
fn scrambled<T: Ord>(items: &[T]) -> Vec<(usize, &T)> {
    let mut all: Vec<(usize, &T)> = items.iter().enumerate().collect();
    all.sort_by_key(|(_, item)| *item);
    if all.is_sorted_by_key(|(i, _)| *i) {
        all.reverse();
    }
    all
}

/// A share of the mark as Moodle lists it: five places.
fn share(of: usize) -> String {
    written((1e7 / of.max(1) as f64).round() / 1e5)
}

/// What graders of a text are told: HTML.
pub(super) fn for_graders(rubric: &[String], model: &str, weak: &str) -> String {
    let points: String = rubric.iter().map(|point| format!("<li>{point}</li>")).collect();
    format!("<p>A good answer makes these points, one mark each:</p><ul>{points}</ul><p>For example:</p>{model}{weak}")
}

/// Words with a space between each two, in one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The right answer for a person: HTML.
fn right_answer(form: &Form) -> String {
    let list = |items: Vec<String>, tag: &str| {
        let items: String = items.iter().map(|item| format!("<li>{item}</li>")).collect();
        format!("<{tag}>{items}</{tag}>")
    };
    match form {
        Form::Number { value, unit, .. } => format!("<p><strong>{}</strong></p>", shown(*value, unit)),
        Form::Choice { options, .. } => {
            let right = options.iter().filter(|o| o.right);
            list(right.map(|o| format!("<strong>{}</strong> {}", o.text, o.say)).collect(), "ul")
        }
        Form::Order { items } => list(items.clone(), "ol"),
        Form::Match { pairs, .. } => list(pairs.iter().map(|[l, r]| format!("{l} → {r}")).collect(), "ul"),
        Form::Essay { model, .. } => model.clone(),
    }
}

/// A number to four digits with its unit, for a person: HTML.
fn shown(value: f64, unit: &str) -> String {
    let space = if unit.is_empty() || unit == "%" { "" } else { "\u{a0}" };
    format!("{}{space}{}", significant(value, 4), escaped(unit))
}

/// The wrong numbers that the author foresaw, as items of a list: HTML.
fn foreseen(mistakes: &[Foreseen], unit: &str) -> String {
    mistakes.iter().map(|m| format!("<li>{}: {}</li>", shown(m.value, unit), m.say)).collect()
}

/// A number in full, without grouping or powers: twelve digits, which a double holds for certain.
fn written(value: f64) -> String {
    let twelve: f64 = format!("{value:.11e}").parse().unwrap_or(value);
    format!("{twelve}")
}

/// Writes an export. `name` is what the quiz or the selection is called.
pub fn write(format: Format, name: &str, pools: &[Pool]) -> Vec<File> {
    match format {
        Format::Moodle => vec![File { path: "questions.xml".into(), text: moodle::write(name, pools) }],
        Format::Canvas => canvas::write(name, pools),
        Format::Qti21 => qti::write(name, pools),
        Format::Gift => vec![File { path: "questions.gift.txt".into(), text: gift::write(name, pools) }],
        Format::Anki => vec![File { path: "notes.txt".into(), text: anki::write(name, pools) }],
    }
}

/// Something that an export leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// What: a sentence.
    pub say: String,
    /// The exercises that it holds for, by title.
    pub titles: Vec<String>,
}

/// What `format` doesn't hold of these exercises. `missing` are those that couldn't be exported at all, by title.
pub fn lost(format: Format, pools: &[Pool], missing: &[(String, Missing)]) -> Vec<Lost> {
    collected(pools, missing, MAX_VARIANTS, |question| lost_by(format, question))
}

/// What `by` says of each exercise's first variant, and why exercises are `missing`, by what is said. At most `variants` of an exercise are
/// written.
fn collected(
    pools: &[Pool],
    missing: &[(String, Missing)],
    variants: usize,
    by: impl Fn(&Question) -> Vec<&'static str>,
) -> Vec<Lost> {
    let mut all: BTreeMap<(u8, String), Vec<String>> = BTreeMap::new();
    for (title, why) in missing {
        let (rank, say) = match why {
            Missing::Stays(why) => (0, format!(" left out, because {why}.")),
            Missing::Broken(why) => (1, format!(" left out, because it can’t be computed: {why}")),
        };
        all.entry((rank, say)).or_default().push(title.clone());
    }
    for pool in pools {
        let mut say = |rank, say: &str| all.entry((rank, format!(": {say}"))).or_default().push(pool.title.clone());
        if !pool.lost.is_empty() {
            say(2, pool.lost);
        }
        if pool.each {
            let sets = counted(pool.variants.len().min(variants) as u64, "set of numbers", "sets of numbers");
            say(2, &format!("Here every learner has numbers of their own. The file has {sets} for all learners."));
        }
        let Some(question) = pool.variants.first() else { continue };
        for beyond in by(question) {
            say(3, beyond);
        }
    }
    let lost = |((_, say), titles): ((u8, String), Vec<String>)| Lost {
        say: format!("{}{say}", counted(titles.len() as u64, "exercise", "exercises")),
        titles,
    };
    all.into_iter().map(lost).collect()
}

/// What `format` doesn't hold of a question: sentences.
fn lost_by(format: Format, question: &Question) -> Vec<&'static str> {
    let mut lost = Vec::new();
    let mut when = |holds: bool, say: &'static str| {
        if holds {
            lost.push(say);
        }
    };
    let form = &question.form;
    let number = matches!(form, Form::Number { .. });
    let mistakes = matches!(form, Form::Number { mistakes, .. } if !mistakes.is_empty());
    let (pairs, order) = (matches!(form, Form::Match { .. }), matches!(form, Form::Order { .. }));
    let essay = matches!(form, Form::Essay { .. });
    when(
        number && format != Format::Anki,
        "The number is answered in one unit. The page also reads other units and expressions.",
    );
    match format {
        Format::Moodle => {
            when(order, "Ordering questions need Moodle 4.4 or later, or the ordering plugin.");
            when(
                pairs,
                "The right-hand sides are plain text. What the page says to each pair stands in the general feedback.",
            );
        }
        Format::Canvas => {
            when(
                mistakes,
                "A wrong number gets all foreseen mistakes as one comment, because Canvas has no comment for each.",
            );
            when(order, "Asked as matching: the learner gives each item its place.");
            when(pairs || order, "Both sides are plain text.");
            when(!question.hints.is_empty(), "Hints are left out.");
        }
        Format::Qti21 => when(!question.hints.is_empty(), "Hints are left out."),
        Format::Gift => {
            when(order, "Asked as matching: the learner gives each item its place.");
            when(pairs || order, "Both sides are plain text.");
            when(
                essay,
                "The rubric, its points and the model answer are left out, because GIFT has no field for graders or points.",
            );
            when(!question.hints.is_empty(), "Hints are left out.");
            when(question.picture.is_some(), "The figure under the question is left out, because GIFT holds no files.");
        }
        Format::Anki => when(
            true,
            "Nothing is marked: the back of the note shows the answer, the foreseen mistakes and the solution.",
        ),
    }
    lost
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
