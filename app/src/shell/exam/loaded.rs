//! The exercises that a quiz or a file names, with the models that know what is right.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::ExerciseIndex;
use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::exercise::Exercise;
use ringside_core::practice::exam::Definitions;
use ringside_core::query::Query;

use crate::data::fetch_exercises;
use crate::deferred::deferred_after;
use crate::widgets;

/// Exercises and their models.
#[derive(Clone, Default)]
pub(in crate::shell) struct Loaded {
    pub(in crate::shell) definitions: Definitions,
    models: BTreeMap<String, &'static Entry>,
}

impl Loaded {
    /// Computes an exercise's model. Nothing is known of one that this site does not have.
    pub(in crate::shell) fn evaluate(&self, exercise: &Exercise, parameters: &Query) -> Evaluation {
        let model = exercise.model.as_ref().and_then(|id| self.models.get(id));
        model.map(|model| (model.evaluate)(parameters)).unwrap_or_default()
    }
}

/// Fetches the exercises among `keys` that the course has.
///
/// # Errors
/// A sentence: something could not be downloaded.
async fn fetch(keys: &[String], index: &ExerciseIndex) -> Result<Loaded, String> {
    let known = index.exercises.iter().filter(|e| keys.contains(&e.key));
    let chapters: BTreeSet<&str> = known.map(|e| e.chapter()).collect();
    let mut loaded = Loaded::default();
    for chapter in chapters {
        let file = fetch_exercises(chapter).await?;
        let named = file.exercises.into_iter().map(|e| (format!("{chapter}/{}", e.id), e));
        loaded.definitions.extend(named.filter(|(key, _)| keys.contains(key)));
    }
    let models: BTreeSet<String> = loaded.definitions.values().filter_map(|e| e.model.clone()).collect();
    for id in models {
        let Some(widget) = widgets::find(&id) else { continue };
        let module = (widget.load)().await.map_err(|_| {
            "A model that knows what is right could not be downloaded. Check the connection.".to_owned()
        })?;
        loaded.models.insert(id, module.model);
    }
    Ok(loaded)
}

/// What stands in the place of questions that are on their way.
pub(in crate::shell) fn waiting() -> AnyView {
    view! { <p class="lede">"Loading the questions …"</p> }.into_any()
}

/// Fetches the exercises among `keys` and shows `show` of them; when they cannot be had, says why and offers to try again.
pub(in crate::shell) fn show(
    keys: Vec<String>,
    index: Arc<ExerciseIndex>,
    show: impl Fn(Arc<Loaded>) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let load = move || {
        let (keys, index) = (keys.clone(), index.clone());
        async move { fetch(&keys, &index).await.map(Arc::new) }
    };
    deferred_after(load, waiting, show).into_any()
}
