//! The files of the course, fetched from the site's own origin when they are first needed and then kept.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_content::schema::{
    Course, ExerciseIndex, ExercisePictures, Exercises, Glossary, Pictures, Readings, Reference, SearchIndex, Signs,
    Taught,
};
use ringside_core::practice::placement::Area;
use serde::de::DeserializeOwned;

use crate::once::{self, Once};
use crate::page;
use crate::ui::trouble::trouble;

/// What becomes of a file's text.
pub trait FromText: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// A sentence for the learner.
    fn from_text(path: &str, text: String) -> Result<Self, String>;
}

impl<T: DeserializeOwned> FromText for T {
    fn from_text(path: &str, text: String) -> Result<Self, String> {
        serde_json::from_str(&text)
            .map_err(|e| format!("{path} does not read as this version expects ({e}). Reload the page."))
    }
}

/// HTML that the build rendered.
pub struct Fragment(pub String);

impl FromText for Fragment {
    fn from_text(_: &str, text: String) -> Result<Self, String> {
        Ok(Self(text))
    }
}

/// One file of the course: not asked for, on its way, there, or failed with a sentence that says why.
pub struct Remote<T: 'static> {
    path: StoredValue<String>,
    state: RwSignal<Option<Result<Arc<T>, String>>>,
    asked: StoredValue<bool>,
    waiting: StoredValue<Vec<Waker>>,
}

impl<T> Clone for Remote<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Remote<T> {}

impl<T: Send + Sync + 'static> Remote<T> {
    /// The file at a path under the content folder. Asks for nothing yet.
    pub fn new(path: String) -> Self {
        Self {
            path: StoredValue::new(path),
            state: RwSignal::new(None),
            asked: StoredValue::new(false),
            waiting: StoredValue::default(),
        }
    }

    /// A file that is there already.
    pub fn there(file: T) -> Self {
        let state = RwSignal::new(Some(Ok(Arc::new(file))));
        Self { path: StoredValue::default(), state, asked: StoredValue::new(true), waiting: StoredValue::default() }
    }

    /// The path under the content folder.
    pub fn path(self) -> String {
        self.path.get_value()
    }
}

impl<T: FromText + Send + Sync + 'static> Remote<T> {
    /// What there is of it now; asks for it the first time. Tracks.
    pub fn get(self) -> Option<Result<Arc<T>, String>> {
        self.ask();
        self.state.get()
    }

    /// The file if it is there. Asks for it the first time. Tracks.
    pub fn ready(self) -> Option<Arc<T>> {
        self.get().and_then(Result::ok)
    }

    /// The file once it is there. Asks for it the first time, and again after a failure.
    ///
    /// # Errors
    /// A sentence for the learner.
    pub async fn wait(self) -> Result<Arc<T>, String> {
        match self.state.get_untracked() {
            Some(Err(_)) => self.retry(),
            _ => self.ask(),
        }
        let got = |task: &mut Context<'_>| match self.state.get_untracked() {
            Some(got) => Poll::Ready(got),
            None => {
                self.waiting.update_value(|waiting| waiting.push(task.waker().clone()));
                Poll::Pending
            }
        };
        poll_fn(got).await
    }

    /// Asks again after a failure.
    pub fn retry(self) {
        self.asked.set_value(false);
        self.state.set(None);
        self.ask();
    }

    /// Shows the file when it is there; when it cannot be had, says why and offers to try again.
    pub fn show(self, show: impl Fn(Arc<T>) -> AnyView + Send + Sync + 'static) -> impl IntoView {
        self.show_after(|| ().into_any(), show)
    }

    /// The same, with `until` in its place until then.
    pub fn show_after(
        self,
        until: impl Fn() -> AnyView + Send + Sync + 'static,
        show: impl Fn(Arc<T>) -> AnyView + Send + Sync + 'static,
    ) -> impl IntoView {
        move || match self.get() {
            None => until(),
            Some(Ok(file)) => show(file),
            Some(Err(why)) => trouble(why, move || self.retry()),
        }
    }

    fn ask(self) {
        if self.asked.get_value() {
            return;
        }
        self.asked.set_value(true);
        let on_its_way = page::pending();
        spawn_local(async move {
            let Some(path) = self.path.try_get_value() else { return };
            let result = fetch_text(&path).await.and_then(|text| T::from_text(&path, text)).map(Arc::new);
            self.state.try_set(Some(result));
            self.waiting.try_update_value(std::mem::take).into_iter().flatten().for_each(Waker::wake);
            drop(on_its_way);
        });
    }
}

/// The files that serve the whole site.
#[derive(Clone, Copy)]
pub struct Library {
    /// The course's contents, rendered.
    pub contents: Remote<Fragment>,
    /// The reading map, rendered.
    pub home: Remote<Fragment>,
    /// The gallery, rendered.
    pub figures: Remote<Fragment>,
    /// The list of labs, rendered.
    pub labs: Remote<Fragment>,
    /// The list of missions, rendered.
    pub missions: Remote<Fragment>,
    /// How to teach with the course, rendered.
    pub syllabus: Remote<Fragment>,
    /// The same courses, to be exported whole.
    pub taught: Remote<Vec<Taught>>,
    /// The figures that prompts point at.
    pub exercise_pictures: Remote<ExercisePictures>,
    /// The areas of the quiz that says where to begin.
    pub placement: Remote<Vec<Area>>,
    /// Every source as a card, rendered.
    pub sources: Remote<Fragment>,
    /// Parts, chapters, plan.
    pub course: Remote<Course>,
    /// Every source of the reading map.
    pub readings: Remote<Readings>,
    /// Every term.
    pub glossary: Remote<Glossary>,
    /// Every formula, rendered.
    pub formulas: Remote<Fragment>,
    /// The small pictures of the glossary.
    pub pictures: Remote<Pictures>,
    /// Variables, tools, courses, the reference card.
    pub reference: Remote<Reference>,
    /// What logs say.
    pub signs: Remote<Signs>,
    /// Everything that can be found.
    pub search: Remote<SearchIndex>,
    /// Every exercise in short.
    pub exercises: Remote<ExerciseIndex>,
}

thread_local! {
    static LIBRARY: Once<Library> = const { Once::new(None) };
}

/// Sets the library up.
pub fn provide() {
    let library = Library {
        contents: Remote::new("contents.html".into()),
        home: Remote::new("home.html".into()),
        figures: Remote::new("figures.html".into()),
        labs: Remote::new("labs.html".into()),
        missions: Remote::new("missions.html".into()),
        syllabus: Remote::new("syllabus.html".into()),
        taught: Remote::new("syllabus.json".into()),
        exercise_pictures: Remote::new("exercise-pictures.json".into()),
        placement: Remote::new("placement.json".into()),
        sources: Remote::new("sources.html".into()),
        course: Remote::new("course.json".into()),
        readings: Remote::new("readings.json".into()),
        glossary: Remote::new("glossary.json".into()),
        formulas: Remote::new("formulas.html".into()),
        pictures: Remote::new("pictures.json".into()),
        reference: Remote::new("reference.json".into()),
        signs: Remote::new("signs.json".into()),
        search: Remote::new("search.json".into()),
        exercises: Remote::new("exercises.json".into()),
    };
    once::set(&LIBRARY, library);
}

/// The library. There is one from the start of the app on.
pub fn library() -> Library {
    once::get(&LIBRARY)
}

/// Fetches one text file under the content folder.
///
/// # Errors
/// A sentence for the learner: not reachable, or not found.
pub async fn fetch_text(path: &str) -> Result<String, String> {
    fetch_if_there(path).await?.ok_or_else(|| format!("{path} is not on the server."))
}

/// The same; nothing if the server says that it has no such file.
///
/// # Errors
/// A sentence for the learner: not reachable, or not given.
pub async fn fetch_if_there(path: &str) -> Result<Option<String>, String> {
    let unreachable = || format!("{path} could not be fetched. Check the connection.");
    let response = gloo_net::http::Request::get(&address_of(path)).send().await.map_err(|_| unreachable())?;
    match response.status() {
        404 => Ok(None),
        _ if response.ok() => response.text().await.map(Some).map_err(|_| unreachable()),
        status => Err(format!("The server did not give {path} (status {status}).")),
    }
}

/// Where the exercises of a chapter are, under the content folder.
pub fn exercises_path(chapter: &str) -> String {
    format!("chapters/{chapter}.exercises.json")
}

/// Fetches the exercises of a chapter.
///
/// # Errors
/// A sentence for the learner.
pub async fn fetch_exercises(chapter: &str) -> Result<Exercises, String> {
    let path = exercises_path(chapter);
    Exercises::from_text(&path, fetch_text(&path).await?)
}

/// Where a file under the content folder is, relative to the site's base.
pub fn address_of(path: &str) -> String {
    format!("{}{path}", content_folder())
}

/// Where this build's content lies, relative to the site's base: the build writes it into the page, with a hash in it, so
/// that app and content always belong together.
fn content_folder() -> String {
    noted("meta[name=ringside-content]").unwrap_or_else(|| "content/".to_owned())
}

/// The script of a worker, relative to the site's base. `meta` is what `xtask/src/worker.rs` names it in.
pub fn worker_script(meta: &str) -> Option<String> {
    noted(&format!("meta[name={meta}]"))
}

/// What the build wrote into the page.
fn noted(meta: &str) -> Option<String> {
    document().query_selector(meta).ok().flatten().and_then(|meta| meta.get_attribute("content"))
}

/// The path of the site's base without its last slash: empty at the root of a host, `/ringside` on a sub-path.
pub fn base_path() -> String {
    document()
        .base_uri()
        .ok()
        .flatten()
        .and_then(|uri| web_sys::Url::new(&uri).ok())
        .map(|url| url.pathname().trim_end_matches('/').to_owned())
        .unwrap_or_default()
}
