//! An exercise on paper, or on a wall: what there is to answer it with, besides its prompt.

use super::export::escaped;
use super::{Env, Evaluate, Exercise, Template, answer_key, draw, environment};

/// A list under the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// What it is, or what to do with it: plain text.
    pub lead: String,
    /// How its items are told apart.
    pub marks: Marks,
    /// Its items, with their numbers in place: in the form that the exercise's own texts have, or numbers and labels of
    /// quantities, which have no markup in any form.
    pub items: Vec<String>,
    /// Whether something is to be written beside each.
    pub fill_in: bool,
}

impl List {
    /// With items from templates.
    pub(super) fn filled<'a>(
        lead: &str,
        marks: Marks,
        templates: impl IntoIterator<Item = &'a String>,
        env: &Env,
    ) -> Result<Self, String> {
        let items = templates.into_iter().map(|text| Template::fill(text, env)).collect::<Result<_, _>>()?;
        Ok(Self { lead: lead.to_owned(), marks, items, fill_in: false })
    }

    /// With something to be written beside each item.
    pub(super) fn with_blanks(self) -> Self {
        Self { fill_in: true, ..self }
    }

    /// As HTML.
    pub fn html(&self) -> String {
        let (open, close) = match self.marks {
            Marks::None => ("<ul", "</ul>"),
            Marks::Letters => ("<ol type=\"A\"", "</ol>"),
            Marks::Numbers => ("<ol", "</ol>"),
        };
        let class = if self.fill_in { " class=\"fill-in\"" } else { "" };
        let items: String = self.items.iter().map(|text| format!("<li>{text}</li>")).collect();
        let lead = if self.lead.is_empty() { String::new() } else { format!("<p>{}</p>", escaped(&self.lead)) };
        format!("{lead}{open}{class}>{items}{close}")
    }
}

/// The answer to an exercise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// What is right, in pieces, with their numbers in place.
    pub pieces: Vec<String>,
    /// How the pieces are told apart.
    pub marks: Marks,
    /// Where they are letters: the place of each piece among the lettered options of [`on_paper`](super::on_paper), from 0.
    pub right: Vec<usize>,
}

/// How the items of a list are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// They are not: they all hold.
    None,
    /// A, B, C …
    Letters,
    /// 1, 2, 3 …
    Numbers,
}

/// Templates, filled and put together.
pub(super) fn filled(templates: &[&str], env: &Env) -> Result<String, String> {
    let texts: Result<Vec<String>, String> = templates.iter().map(|text| Template::fill(text, env)).collect();
    texts.map(|texts| texts.join(" "))
}

/// What is right, and why, as HTML.
#[derive(Debug, Clone, PartialEq)]
pub struct Worked {
    key: Key,
    /// The worked solution, step by step.
    solution: Vec<String>,
}

impl Worked {
    /// The answer to an exercise with the numbers of the page.
    ///
    /// # Errors
    /// A sentence: it cannot be computed.
    pub fn of(exercise: &Exercise, evaluate: Evaluate<'_>) -> Result<Self, String> {
        let mut key = answer_key(exercise, evaluate)?;
        if exercise.number().is_some() {
            key.pieces.iter_mut().for_each(|number| *number = format!("<b>{number}</b>"));
        }
        let env = environment(exercise, &draw(exercise, 0), evaluate)?;
        let solution = exercise.solution.iter().map(|step| Template::fill(step, &env)).collect::<Result<_, _>>()?;
        Ok(Self { key, solution })
    }

    /// Which of the lettered options are right: places, from 0.
    pub fn right(&self) -> &[usize] {
        &self.key.right
    }

    /// All of it as HTML: for the window that has none of this code.
    pub fn html(&self) -> String {
        let Key { pieces, marks, right } = &self.key;
        let key: String = match marks {
            Marks::Letters => {
                let mut lettered: Vec<(&usize, &String)> = right.iter().zip(pieces).collect();
                lettered.sort();
                let item = |(at, piece): (&usize, &String)| format!("<li value=\"{}\">{piece}</li>", at + 1);
                format!("<ol class=\"worked\" type=\"A\">{}</ol>", lettered.into_iter().map(item).collect::<String>())
            }
            Marks::Numbers => steps(pieces),
            Marks::None => pieces.iter().map(|piece| format!("<div>{piece}</div>")).collect(),
        };
        // A single step is no list.
        let why = match self.solution.as_slice() {
            [why] => format!("<div>{why}</div>"),
            all => steps(all),
        };
        format!("{key}<div class=\"worked-why\">{why}</div>")
    }
}

fn steps(all: &[String]) -> String {
    let items: String = all.iter().map(|step| format!("<li>{step}</li>")).collect();
    if items.is_empty() { items } else { format!("<ol class=\"worked\">{items}</ol>") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_options_and_a_reason_is_no_item() {
        let answer = |marks, right: &[usize]| Worked {
            key: Key { pieces: ["x", "y"].map(str::to_owned).to_vec(), marks, right: right.to_vec() },
            solution: vec!["Because.".to_owned()],
        };
        let html = answer(Marks::Letters, &[3, 1]).html();
        assert!(html.contains("type=\"A\"><li value=\"2\">y</li><li value=\"4\">x</li></ol>"), "{html}");
        assert!(html.ends_with("<div class=\"worked-why\"><div>Because.</div></div>"), "{html}");
        assert!(answer(Marks::Numbers, &[]).html().starts_with("<ol class=\"worked\"><li>x</li><li>y</li></ol>"));
        assert!(answer(Marks::None, &[]).html().starts_with("<div>x</div>"));
    }
}
