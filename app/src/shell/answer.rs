//! An exercise as whoever presents or prints it needs it: what it asks, with all there is to choose from, and its answer.

use leptos::prelude::*;
use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::exercise::{Exercise, Key, List, Marks, Template, answer_key, draw, environment, on_paper};
use ringside_core::query::Query;

use crate::data;
use crate::ui::dom;
use crate::widgets;

/// The exercises of a chapter.
pub(super) struct Chapter(Vec<Exercise>);

impl Chapter {
    /// Fetches them.
    ///
    /// # Errors
    /// A sentence.
    pub(super) async fn fetch(slug: &str) -> Result<Self, String> {
        Ok(Self(data::fetch_exercises(slug).await?.exercises))
    }

    /// The answer to the exercise `id` with the numbers of the page.
    ///
    /// # Errors
    /// A sentence: it is gone, or cannot be computed.
    pub(super) async fn answer_to(&self, id: &str) -> Result<Answer, String> {
        let (exercise, model) = self.exercise(id).await?;
        of(exercise, &|query| evaluated(model, query))
    }

    async fn exercise(&self, id: &str) -> Result<(&Exercise, Option<&'static Entry>), String> {
        let exercise = self.0.iter().find(|e| e.id == id).ok_or("There is no such exercise any more.")?;
        let model = match exercise.model.as_deref().and_then(widgets::find) {
            Some(widget) => Some((widget.load)().await.map_err(|why| why.to_string())?.model),
            None => None,
        };
        Ok((exercise, model))
    }
}

/// [`Chapter::answer_to`] the exercise `<chapter>/<id>`.
///
/// # Errors
/// A sentence: it cannot be fetched or computed.
pub(super) async fn to(key: &str) -> Result<Answer, String> {
    let (chapter, id) = parts(key);
    Chapter::fetch(chapter).await?.answer_to(id).await
}

/// What the exercise `<chapter>/<id>` asks: its prompt, and what there is to choose from, as HTML of our own build.
///
/// # Errors
/// A sentence: it cannot be fetched or computed.
pub(super) async fn question(key: &str, prompt: &str) -> Result<String, String> {
    let (chapter, id) = parts(key);
    let chapter = Chapter::fetch(chapter).await?;
    let (exercise, model) = chapter.exercise(id).await?;
    let lists = on_paper(exercise, 0, &|query| evaluated(model, query))?;
    Ok(lists.iter().map(html).fold(prompt.to_owned(), |all, list| all + &list))
}

/// What the exercise `<chapter>/<id>` asks with the numbers of `seed`, as HTML of our own build.
///
/// # Errors
/// A sentence: it cannot be fetched or computed.
pub(super) async fn posed(key: &str, seed: u64) -> Result<String, String> {
    let (chapter, id) = parts(key);
    let chapter = Chapter::fetch(chapter).await?;
    let (exercise, model) = chapter.exercise(id).await?;
    let evaluate = |query: &Query| evaluated(model, query);
    let env = environment(exercise, &draw(exercise, seed), &evaluate)?;
    let lists = on_paper(exercise, seed, &evaluate)?;
    Ok(lists.iter().map(html).fold(Template::fill(&exercise.prompt, &env)?, |all, list| all + &list))
}

fn parts(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or((key, ""))
}

/// Without a model an exercise has its parameters alone, and nothing asks for more.
fn evaluated(model: Option<&Entry>, query: &Query) -> Evaluation {
    model.map_or_else(Evaluation::default, |model| (model.evaluate)(query))
}

/// A list of an exercise on paper.
fn html(list: &List) -> String {
    let (open, close) = match list.marks {
        Marks::None => ("<ul", "</ul>"),
        Marks::Letters => ("<ol type=\"A\"", "</ol>"),
        Marks::Numbers => ("<ol", "</ol>"),
    };
    let class = if list.fill_in { " class=\"fill-in\"" } else { "" };
    let items: String = list.items.iter().map(|text| format!("<li>{text}</li>")).collect();
    let lead = if list.lead.is_empty() { String::new() } else { format!("<p>{}</p>", dom::escaped(&list.lead)) };
    format!("{lead}{open}{class}>{items}{close}")
}

/// What is right, and why: HTML of our own build.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    key: Key,
    /// The worked solution, step by step.
    solution: Vec<String>,
}

/// The answer to an exercise with the numbers of the page.
///
/// # Errors
/// A sentence: it cannot be computed.
pub(super) fn of(exercise: &Exercise, evaluate: &dyn Fn(&Query) -> Evaluation) -> Result<Answer, String> {
    let mut key = answer_key(exercise, evaluate)?;
    if exercise.number().is_some() {
        key.pieces.iter_mut().for_each(|number| *number = format!("<b>{number}</b>"));
    }
    let env = environment(exercise, &draw(exercise, 0), evaluate)?;
    let solution = exercise.solution.iter().map(|step| Template::fill(step, &env)).collect::<Result<_, _>>()?;
    Ok(Answer { key, solution })
}

impl Answer {
    /// Which of the lettered options are right: places, from 0.
    pub(super) fn right(&self) -> &[usize] {
        &self.key.right
    }

    /// All of it as HTML: for the window that has none of this code.
    pub(super) fn html(&self) -> String {
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

/// What came.
pub(super) fn view(answer: Result<Answer, String>) -> AnyView {
    match answer {
        Ok(answer) => view! { <div inner_html=answer.html()></div> }.into_any(),
        Err(why) => view! { <p class="message">{why}</p> }.into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_options_and_a_reason_is_no_item() {
        let answer = |marks, right: &[usize]| Answer {
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
