//! An exercise as whoever presents or prints it needs it: what it asks, with all there is to choose from, and its answer.

use leptos::prelude::*;
use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::exercise::{Exercise, List, Template, Worked, draw, environment, on_paper};
use ringside_core::query::Query;

use crate::data;
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
    pub(super) async fn answer_to(&self, id: &str) -> Result<Worked, String> {
        let (exercise, model) = self.exercise(id).await?;
        Worked::of(exercise, &|query| evaluated(model, query))
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
pub(super) async fn to(key: &str) -> Result<Worked, String> {
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
    Ok(lists.iter().map(List::html).fold(prompt.to_owned(), |all, list| all + &list))
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
    Ok(lists.iter().map(List::html).fold(Template::fill(&exercise.prompt, &env)?, |all, list| all + &list))
}

fn parts(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or((key, ""))
}

/// Without a model an exercise has its parameters alone, and nothing asks for more.
fn evaluated(model: Option<&Entry>, query: &Query) -> Evaluation {
    model.map_or_else(Evaluation::default, |model| (model.evaluate)(query))
}

/// What came.
pub(super) fn view(answer: Result<Worked, String>) -> AnyView {
    match answer {
        Ok(answer) => view! { <div inner_html=answer.html()></div> }.into_any(),
        Err(why) => view! { <p class="message">{why}</p> }.into_any(),
    }
}
