//! Out of the site: a quiz's or a chapter's questions for a learning platform or for Anki, a chapter, a quiz or a mission as a SCORM
//! package, and a course of the syllabus as a cartridge. What a format can't hold is said before anything is saved.

use std::io::{Cursor, Write as _};
use std::sync::Arc;

use leptos::prelude::*;
use ringside_content::schema::{Course, ExerciseIndex, Taught};
use ringside_core::exercise::export::cartridge::{self, Quiz};
use ringside_core::exercise::export::scorm;
use ringside_core::exercise::export::{self, File, Format, Lost, MAX_VARIANTS, Missing, Pool, Source};
use ringside_core::quantity::counted;
use ringside_core::query::{Kind, ParamSpec};
use ringside_learner::export::{As, State, What, stem};
use ringside_learner::quiz::Link;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::loaded::{self, Loaded};
use crate::data::{Fragment, library};
use crate::router;
use crate::shell::{fragment, teach};
use crate::ui::number_field::NumberField;
use crate::ui::said::{Said, say};
use crate::ui::{file, link};

const VARIANTS: ParamSpec =
    ParamSpec { name: "variants", doc: "", kind: Kind::Integer { min: 1, max: MAX_VARIANTS as u64 }, default: "3" };

pub(super) fn view() -> AnyView {
    let library = library();
    // Asked for together: each is shown within the one before.
    untrack(|| drop((library.course.get(), library.exercises.get(), library.missions.get(), library.taught.get())));
    untrack(|| drop(library.exercise_pictures.get()));
    let ready = move |course: Arc<Course>| {
        let show = move |index: Arc<ExerciseIndex>| {
            let course = course.clone();
            let show = move |list: Arc<Fragment>| {
                let (course, index) = (course.clone(), index.clone());
                let missions = fragment::titles(&list, "mission");
                library.taught.show(move |taught| form(&course, index.clone(), missions.clone(), taught)).into_any()
            };
            library.missions.show(show).into_any()
        };
        library.exercises.show(show).into_any()
    };
    view! {
        <article class="exam export">
            {teach::pages()}
            <h1>"Export"</h1>
            <p class="lede">
                "Take questions into Moodle, Canvas, another learning platform or Anki, put a page into your course as a SCORM package that reports a score, or take a whole course of the syllabus."
            </p>
            {library.course.show(ready)}
        </article>
    }
    .into_any()
}

/// What there is of the page beside its settings.
#[derive(Clone, Copy)]
struct Shown {
    state: RwSignal<State>,
    /// What is exported, in words.
    name: Memo<String>,
    /// What came of the last download, while nothing has been changed since.
    said: Said,
}

fn form(
    course: &Arc<Course>,
    index: Arc<ExerciseIndex>,
    missions: Vec<(String, String)>,
    taught: Arc<Vec<Taught>>,
) -> AnyView {
    let start = State::read(&router::query());
    let quiz = match &start.what {
        What::Quiz(link) => Some(link.clone()),
        _ => None,
    };
    // Of each choice: its name, and what it stands for.
    let mut choices: Vec<(String, What)> = Vec::new();
    if let Some(link) = quiz {
        let title = if link.spec.title.is_empty() { "The quiz" } else { &link.spec.title };
        choices.push((
            format!("{title} ({})", counted(link.spec.exercises.len() as u64, "exercise", "exercises")),
            What::Quiz(link),
        ));
    }
    let with_exercises = course.chapters().filter(|c| index.of_chapter(&c.slug).next().is_some());
    choices.extend(
        with_exercises.map(|c| (format!("Chapter {:02} · {}", c.number, c.title), What::Chapter(c.slug.clone()))),
    );
    choices.extend(missions.into_iter().map(|(slug, title)| (format!("Mission {title}"), What::Mission(slug))));
    choices.extend(taught.iter().map(|t| (format!("Course: {}", t.course.title), What::Course(t.id.clone()))));
    let state = RwSignal::new(start.among(&choices));
    let choices = StoredValue::new(choices);
    let said: Said = RwSignal::new(None);
    Effect::new(move |before: Option<()>| {
        let href = state.with(State::href);
        said.set(None);
        if before.is_some() {
            // A browser that refuses leaves an older address in the bar.
            let _ = router::replace(&link::whole(&href));
        }
    });
    let options = choices.with_value(|all| {
        let option = |(i, (name, what)): (usize, &(String, What))| {
            let chosen = state.with_untracked(|state| state.what == *what);
            view! { <option value=i.to_string() selected=chosen>{name.clone()}</option> }
        };
        all.iter().enumerate().map(option).collect_view()
    });
    let choose = move |event| {
        let at: usize = event_target_value(&event).parse().unwrap_or_default();
        if let Some((_, what)) = choices.with_value(|all| all.get(at).cloned()) {
            state.update(|state| {
                state.what = what;
                state.settle();
            });
        }
    };
    let what = Memo::new(move |_| state.with(|state| state.what.clone()));
    let name = Memo::new(move |_| {
        let what = what.get();
        choices
            .with_value(|all| all.iter().find(|(_, of)| *of == what).map(|(name, _)| name.clone()))
            .unwrap_or_default()
    });
    let formats = As::all()
        .map(|to| {
            let refused = move || !what.with(|what| what.becomes(to));
            view! {
                <label class="option">
                    <input
                        type="radio"
                        name="as"
                        value=to.id()
                        prop:checked=move || state.with(|state| state.to == to)
                        disabled=refused
                        on:change=move |_| state.update(|state| state.to = to)
                    />
                    <span>{to.label()}</span>
                </label>
            }
        })
        .collect_view();
    let variants = Signal::derive(move || state.with(|state| state.variants as f64));
    let is_package = Memo::new(move |_| state.with(|state| matches!(state.to, As::Package(_))));
    let has_variants = Memo::new(move |_| state.with(|state| matches!(state.to, As::Questions(_))));
    let course = course.clone();
    let index = StoredValue::new(index);
    let shown = Shown { state, name, said };
    let body = move || {
        if is_package.get() {
            return package(shown).into_any();
        }
        let what = what.get();
        if let What::Course(id) = &what {
            let Some(taught) = taught.iter().find(|t| t.id == *id).cloned() else { return ().into_any() };
            return whole_course(said, taught, course.clone(), index.get_value());
        }
        let keys: Vec<String> = match &what {
            What::Quiz(link) => link.spec.exercises.clone(),
            What::Chapter(slug) => index.with_value(|index| index.of_chapter(slug).map(|e| e.key.clone()).collect()),
            What::Mission(_) | What::Course(_) => Vec::new(),
        };
        let (course, index) = (course.clone(), index.get_value());
        let show = {
            let (keys, index) = (keys.clone(), index.clone());
            move |loaded: Arc<Loaded>| questions(shown, what.clone(), keys.clone(), &course, &index, loaded)
        };
        loaded::show(keys, index, show)
    };
    view! {
        <div class="exam-settings sans">
            <div>
                <label for="export-what">"Export"</label>
                <select id="export-what" on:change=choose>{options}</select>
                <small>"To export a selection of your own, " <a href="quiz/">"compose a quiz"</a> " and choose Export there."</small>
            </div>
            <div hidden=move || !has_variants.get()>
                <label for="export-variants">"Variants per exercise"</label>
                <NumberField
                    id="export-variants"
                    spec=VARIANTS
                    label="Variants per exercise"
                    value=variants
                    set=Callback::new(move |value: f64| state.update(|state| state.variants = value as usize))
                    format=|value| format!("{value}")
                />
                <small>"The same question with other numbers."</small>
            </div>
        </div>
        <fieldset class="export-formats sans">
            <legend>"Format"</legend>
            {formats}
        </fieldset>
        {body}
    }
    .into_any()
}

/// A package that opens a page.
fn package(shown: Shown) -> impl IntoView {
    let Shown { state, name, said } = shown;
    let save = move |_| {
        let state = state.get_untracked();
        let As::Package(version) = state.to else { return };
        let name = name.get_untracked();
        let files = scorm::package(version, &name, &link::whole(""), &state.path());
        said.set(Some(save_zip(&format!("{}-{}.zip", stem(&name), version.id()), &files)));
    };
    let counts = move || match state.with(|state| state.what.clone()) {
        What::Quiz(_) => "The score is the share of correct answers, once the quiz is handed in.",
        What::Chapter(_) => {
            "The score is the share of the chapter’s exercises that are solved. The chapter is complete when all are."
        }
        What::Mission(_) => {
            "The score compares the run with the best one that a search finds. The mission is complete at its end."
        }
        What::Course(_) => "",
    };
    view! {
        <section aria-labelledby="holds">
            <h2 id="holds">"What the package does"</h2>
            <p>
                "It opens the page on this site in its own tab and passes the score to your platform. It also saves the learner’s work there, unless the work is longer than SCORM allows. Learners need a connection to this site. "
                {counts}
            </p>
            <p class="actions sans"><button type="button" on:click=save>"Download the package"</button></p>
            {say(said)}
        </section>
    }
}

/// Questions in a file.
fn questions(
    shown: Shown,
    what: What,
    keys: Vec<String>,
    course: &Course,
    index: &ExerciseIndex,
    loaded: Arc<Loaded>,
) -> AnyView {
    let Shown { state, name, said } = shown;
    let called = called(&keys, course, index);
    let variants = Memo::new(move |_| state.with(|state| state.variants));
    let made = Memo::new(move |_| {
        let seed = |key: &str| match &what {
            What::Quiz(link) => link.spec.seed_of(key, ""),
            _ => 0,
        };
        let each = matches!(&what, What::Quiz(link) if link.spec.each);
        made(&called, seed, each, variants.get(), &loaded)
    });
    let format = Memo::new(move |_| match state.with(|state| state.to) {
        As::Questions(format) => format,
        As::Package(_) | As::Cartridge => Format::Moodle,
    });
    let lost = move || made.with(|(pools, missing)| export::lost(format.get(), pools, missing));
    let holds = move || {
        made.with(|(pools, missing)| {
            let questions: usize = pools.iter().map(|pool| pool.variants.len()).sum();
            let all = counted((pools.len() + missing.len()) as u64, "exercise", "exercises");
            format!("{} from {} of {all}.", counted(questions as u64, "question", "questions"), pools.len())
        })
    };
    let none = move || made.with(|(pools, _)| pools.is_empty());
    let save = move |_| {
        let (format, name) = (format.get_untracked(), name.get_untracked());
        let files = made.with_untracked(|(pools, _)| export::write(format, &name, pools));
        let called = format!("{}-{}.{}", stem(&name), format.id(), format.extension());
        said.set(Some(match files.as_slice() {
            [one] if format.extension() != "zip" => file::save(&called, "text/plain", &one.text),
            files => save_zip(&called, files),
        }));
    };
    view! {
        <section aria-labelledby="holds">
            <h2 id="holds">"What the file holds"</h2>
            <p role="status">{holds}</p>
            {move || losses(lost())}
            <p class="actions sans">
                <button type="button" disabled=none on:click=save>"Download the questions"</button>
            </p>
            {say(said)}
            <p class="sans">{move || format.get().steps()}</p>
        </section>
    }
    .into_any()
}

/// An exercise: its key, its title, its chapter.
type Called = [String; 3];

fn called(keys: &[String], course: &Course, index: &ExerciseIndex) -> Vec<Called> {
    let one = |key: &String| {
        let found = index.exercises.iter().find(|e| e.key == *key);
        let title = found.map_or_else(|| key.clone(), |e| e.title.clone());
        let chapter = found.and_then(|e| course.chapter(e.chapter())).map(|c| c.title.clone());
        [key.clone(), title, chapter.unwrap_or_default()]
    };
    keys.iter().map(one).collect()
}

/// What exercises come to, and which of them can't be exported, by title.
type Made = (Vec<Pool>, Vec<(String, Missing)>);

fn made(called: &[Called], seed: impl Fn(&str) -> u64, each: bool, variants: usize, loaded: &Loaded) -> Made {
    let mut made = Made::default();
    let pictures = library().exercise_pictures.ready();
    for [key, title, chapter] in called {
        let Some(exercise) = loaded.definitions.get(key) else { continue };
        let source = Source {
            key,
            chapter,
            title,
            exercise,
            picture: pictures.as_ref().and_then(|all| all.get(key)),
            seed: seed(key),
            each,
        };
        match export::pool(source, variants, &|query| loaded.evaluate(exercise, query)) {
            Ok(pool) => made.0.push(pool),
            Err(why) => made.1.push((title.clone(), why)),
        }
    }
    made
}

/// A course as a cartridge, once the exercises of its quizzes are there.
fn whole_course(said: Said, taught: Taught, course: Arc<Course>, index: Arc<ExerciseIndex>) -> AnyView {
    let read = |href: &String| Link::read(href.split_once('?').map_or("", |(_, query)| query)).0;
    let quizzes: Vec<Link> = taught.quizzes.iter().map(read).collect();
    let keys = quizzes.iter().flat_map(|link| link.spec.exercises.clone()).collect();
    let known = index.clone();
    let show = move |loaded: Arc<Loaded>| {
        let mut whole = taught.course.clone();
        let mut lost = Made::default();
        for (session, Link { spec, .. }) in whole.sessions.iter_mut().zip(&quizzes) {
            for link in &mut session.links {
                link.url = link::whole(&link.url);
            }
            let called = called(&spec.exercises, &course, &known);
            let (pools, missing) = made(&called, |key| spec.seed_of(key, ""), spec.each, 1, &loaded);
            lost.0.extend(pools.iter().cloned());
            lost.1.extend(missing);
            session.quiz = (!pools.is_empty()).then(|| Quiz { title: format!("Quiz: {}", spec.title), pools });
        }
        cartridge(said, whole, &lost)
    };
    loaded::show(keys, index, show)
}

/// What the cartridge of a course holds, and what it doesn't.
fn cartridge(said: Said, whole: cartridge::Course, (pools, missing): &Made) -> AnyView {
    let (sessions, links) = (whole.sessions.len(), whole.sessions.iter().map(|s| s.links.len()).sum::<usize>());
    let quizzes = whole.sessions.iter().filter(|s| s.quiz.is_some()).count();
    let holds = format!(
        "{} with {} to this site and {} that ask {} of {}.",
        counted(sessions as u64, "session", "sessions"),
        counted(links as u64, "link", "links"),
        counted(quizzes as u64, "quiz", "quizzes"),
        pools.len(),
        counted((pools.len() + missing.len()) as u64, "exercise", "exercises"),
    );
    let lost = losses(cartridge::lost(pools, missing));
    let save = move |_| {
        said.set(Some(save_zip(&format!("{}.imscc", stem(&whole.title)), &cartridge::write(&whole))));
    };
    view! {
        <section aria-labelledby="holds">
            <h2 id="holds">"What the file holds"</h2>
            <p role="status">{holds}</p>
            <p class="sans">
                "Each session is a module. Chapters, talks, handouts, labs and missions are links, so learners need a connection to this site. Talks are hidden from learners. Everybody gets the same numbers in a quiz. The page “The plan” lists the marks; enter them in your gradebook."
            </p>
            {lost}
            <p class="actions sans"><button type="button" on:click=save>"Download the course"</button></p>
            {say(said)}
            <p class="sans">
                "In Moodle: Course reuse → Restore. In Canvas: Settings → Import Course Content → Common Cartridge 1.x Package."
            </p>
        </section>
    }
    .into_any()
}

/// What the format can't hold.
fn losses(lost: Vec<Lost>) -> AnyView {
    if lost.is_empty() {
        return view! { <p class="sans">"This format holds everything."</p> }.into_any();
    }
    let one = |lost: Lost| {
        view! {
            <details>
                <summary>{lost.say}</summary>
                <p>{lost.titles.join(" · ")}</p>
            </details>
        }
    };
    view! {
        <h3>"What this format can’t hold"</h3>
        <div class="sans export-lost">{lost.into_iter().map(one).collect_view()}</div>
    }
    .into_any()
}

fn save_zip(name: &str, files: &[File]) -> Result<String, String> {
    let bytes = zipped(files).map_err(|why| format!("The package could not be made: {why}."))?;
    file::save_bytes(name, "application/zip", &bytes)
}

fn zipped(files: &[File]) -> zip::result::ZipResult<Vec<u8>> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        package.start_file(file.path.as_str(), options)?;
        package.write_all(file.text.as_bytes())?;
    }
    Ok(package.finish()?.into_inner())
}
