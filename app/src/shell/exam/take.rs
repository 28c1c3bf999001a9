//! Taking a quiz: a name, the questions without feedback, and the file that is handed in.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use ringside_content::schema::ExerciseIndex;
use ringside_core::practice::date;
use ringside_core::practice::exam::{ExamResult, HONESTY, QuizSpec};
use ringside_learner::quiz::Link;
use ringside_learner::sitting::{self, Sitting};

use super::loaded::{self, Loaded};
use super::problems;
use crate::data::library;
use crate::shell::lms;
use crate::store::store;
use crate::ui::file;
use crate::ui::later::Later;
use crate::ui::said::{Said, say};
use crate::{clock, exercises, page};

pub(super) fn view(link: Link, messages: Vec<String>) -> AnyView {
    let title = link.spec.title.clone();
    // As it was exported: also with exercises that are no more.
    let path = StoredValue::new(link.href());
    let show = move |index: Arc<ExerciseIndex>| {
        let (mut link, mut messages) = (link.clone(), messages.clone());
        let known: Vec<&str> = index.exercises.iter().map(|e| e.key.as_str()).collect();
        messages.extend(link.spec.keep_known(&known).into_iter().map(|p| p.message));
        let keys = link.spec.exercises.clone();
        let quiz = Quiz { path, spec: StoredValue::new(link.spec), minutes: link.minutes };
        if keys.is_empty() {
            return view! {
                {problems(messages)}
                <p>"Nothing is left to ask. Look at the link again, or " <a href="quiz/">"compose a quiz"</a> "."</p>
            }
            .into_any();
        }
        view! {
            {problems(messages)}
            {loaded::show(keys, index, move |loaded| phases(quiz, loaded))}
        }
        .into_any()
    };
    let title = if title.is_empty() { "Quiz".to_owned() } else { title };
    page::title(&title);
    view! {
        <article class="exam">
            <h1>{title}</h1>
            {library().exercises.show_after(loaded::waiting, show)}
        </article>
    }
    .into_any()
}

/// What is asked.
#[derive(Clone, Copy)]
struct Quiz {
    /// Its address, relative to the site's base.
    path: StoredValue<String>,
    spec: StoredValue<QuizSpec>,
    minutes: u32,
}

impl Quiz {
    /// The name of the quiz in the store.
    fn name(self) -> String {
        self.spec.with_value(|spec| spec.to_query().to_string())
    }

    fn exercises(self) -> Vec<String> {
        self.spec.with_value(|spec| spec.exercises.clone())
    }

    /// The sitting of this quiz. Tracks.
    fn sitting(self) -> Option<Sitting> {
        store().with(sitting::read).filter(|s| s.quiz == self.name())
    }

    fn keep(self, change: impl FnOnce(&mut Sitting)) {
        store().update(|doc| {
            if let Some(mut sitting) = sitting::read(doc).filter(|s| s.quiz == self.name()) {
                change(&mut sitting);
                sitting::write(doc, Some(&sitting));
            }
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Before,
    During,
    After,
}

fn phases(quiz: Quiz, loaded: Arc<Loaded>) -> AnyView {
    let phase = Memo::new(move |_| match quiz.sitting() {
        None => Phase::Before,
        Some(Sitting { ended: None, .. }) => Phase::During,
        Some(_) => Phase::After,
    });
    let said: Said = RwSignal::new(None);
    follow(quiz, loaded.clone());
    (move || match phase.get() {
        Phase::Before => before(quiz),
        Phase::During => during(quiz, loaded.clone(), said),
        Phase::After => after(quiz, loaded.clone(), said),
    })
    .into_any()
}

/// Where a learning platform opened the quiz: what it kept of a sitting is taken up, and it hears of this one.
fn follow(quiz: Quiz, loaded: Arc<Loaded>) {
    let path = quiz.path.get_value();
    if !lms::is_asked(&path) {
        return;
    }
    lms::hello(&path, move |text| {
        let kept = serde_json::from_str::<Sitting>(&text).ok().filter(|s| s.quiz == quiz.name());
        if let Some(kept) = kept.filter(|_| untrack(|| quiz.sitting()).is_none()) {
            store().update(|doc| sitting::write(doc, Some(&kept)));
        }
    });
    Effect::new(move |_| {
        let Some(sitting) = quiz.sitting() else { return };
        let done = sitting.ended.is_some();
        let score = done.then(|| result(quiz, &sitting, &loaded).share(&loaded.definitions));
        let suspend = serde_json::to_string(&sitting).unwrap_or_default();
        lms::report(&path, &lms::Report { score, done, suspend });
    });
}

// -------------------------------------------------------------------- before

fn before(quiz: Quiz) -> AnyView {
    let name = RwSignal::new(String::new());
    let count = quiz.exercises().len();
    let exercises = if count == 1 { "One exercise".to_owned() } else { format!("{count} exercises") };
    let time = match quiz.minutes {
        0 => ", without a limit of time".to_owned(),
        1 => ", in one minute".to_owned(),
        minutes => format!(", in {minutes} minutes"),
    };
    let (seed, each) = quiz.spec.with_value(|spec| (spec.seed, spec.each));
    let numbers = match seed {
        _ if each => ", with numbers of your own, drawn from your name.".to_owned(),
        0 => ", with the numbers of the course.".to_owned(),
        seed => format!(", with the numbers of seed {seed}."),
    };
    let other = store().peek(sitting::read).filter(|s| s.ended.is_none()).map(|s| {
        let began = date::iso_time(s.started);
        format!("Another quiz, begun at {began}, has not been handed in. Beginning this one discards its answers.")
    });
    let begin = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let learner = name.get_untracked().trim().to_owned();
        let sitting =
            Sitting { quiz: quiz.name(), learner, started: clock::now(), ended: None, answers: BTreeMap::new() };
        store().update(|doc| sitting::write(doc, Some(&sitting)));
    };
    view! {
        <p class="lede">{exercises} {time} {numbers}</p>
        <p>
            "You answer without hints and without feedback. At the end you get a file with your answers to hand in. What you answer is kept in this browser, also if you reload the page."
        </p>
        {other.map(|text| view! { <div class="message"><p>{text}</p></div> })}
        <form class="actions sans" autocomplete="off" on:submit=begin>
            <label for="learner">"Your name"</label>
            <input
                type="text"
                id="learner"
                maxlength="200"
                required=each
                pattern=each.then_some(r".*\S.*")
                prop:value=name
                on:input=move |event| name.set(event_target_value(&event))
            />
            <button type="submit">"Begin"</button>
        </form>
        <p class="honesty sans">{HONESTY}</p>
    }
    .into_any()
}

// -------------------------------------------------------------------- during

fn during(quiz: Quiz, loaded: Arc<Loaded>, said: Said) -> AnyView {
    let Some(sitting) = untrack(move || quiz.sitting()) else { return ().into_any() };
    let keys = quiz.exercises();
    let all = keys.len();
    let answers: BTreeMap<String, RwSignal<String>> = keys
        .iter()
        .map(|key| (key.clone(), RwSignal::new(sitting.answers.get(key).cloned().unwrap_or_default())))
        .collect();
    let questions = keys
        .iter()
        .enumerate()
        .filter_map(|(i, key)| Some((i, key, loaded.definitions.get(key)?, *answers.get(key)?)))
        .map(|(i, key, exercise, answer)| {
            keep_up(quiz, key.clone(), answer);
            let seed = quiz.spec.with_value(|spec| spec.seed_of(key, &sitting.learner));
            let nth = format!("Question {} of {all}", i + 1);
            view! { <li data-question=key.clone()>{exercises::question(exercise, &nth, seed, answer)}</li> }
        })
        .collect_view();
    let answers = StoredValue::new(answers);
    let empty = move || answers.with_value(|a| a.values().filter(|a| a.with(|a| a.trim().is_empty())).count());
    let asked = RwSignal::new(false);
    let hand_in = move || {
        quiz.keep(|s| {
            s.answers = answers.with_value(|a| a.iter().map(|(k, v)| (k.clone(), v.get_untracked())).collect());
            s.ended = Some(clock::now());
        });
        if let Some(sitting) = untrack(move || quiz.sitting()) {
            said.set(Some(download(quiz, &sitting, &loaded, Form::Json)));
        }
    };
    let hand_in = StoredValue::new(hand_in);
    let ask = move |_| {
        if untrack(empty) == 0 { hand_in.with_value(|act| act()) } else { asked.set(true) }
    };
    let question = move || {
        let left = empty();
        (asked.get() && left > 0).then(|| {
            let text = if left == 1 { "One question has no answer.".to_owned() } else { format!("{left} questions have no answer.") };
            view! {
                <div class="question" role="group" aria-label="Hand in all the same?">
                    <p>{text}</p>
                    <p class="actions">
                        <button type="button" on:click=move |_| hand_in.with_value(|act| act())>"Hand in all the same"</button>
                        <button type="button" class="secondary" on:click=move |_| asked.set(false)>"Go on"</button>
                    </p>
                </div>
            }
        })
    };
    view! {
        <div class="exam-bar sans">
            <span>{move || all - empty()} " of " {all} " answered"</span>
            {clock_view(quiz.minutes, sitting.started)}
            <button type="button" on:click=ask>"Hand in"</button>
            <div class="asked" role="status">{question}</div>
        </div>
        <h2 class="visually-hidden">"Questions"</h2>
        <ol class="questions">{questions}</ol>
        <p class="actions sans"><button type="button" on:click=ask>"Hand in"</button></p>
    }
    .into_any()
}

/// Keeps an answer in the store once the learner rests.
fn keep_up(quiz: Quiz, key: String, answer: RwSignal<String>) {
    let rest = Later::after(300);
    Effect::new(move |before: Option<()>| {
        let text = answer.get();
        let key = key.clone();
        if before.is_some() {
            rest.run(move || quiz.keep(|s| drop(s.answers.insert(key, text))));
        }
    });
}

/// The time that is left, or that has gone by.
fn clock_view(minutes: u32, started: i64) -> AnyView {
    let now = RwSignal::new(clock::now());
    if let Ok(ticking) = set_interval_with_handle(move || now.set(clock::now()), Duration::from_secs(1)) {
        on_cleanup(move || ticking.clear());
    }
    let limit = i64::from(minutes) * 60;
    let spent = move || now.get().saturating_sub(started).max(0);
    let text = move || {
        if limit == 0 { date::clock(spent()) } else { format!("{} left", date::clock((limit - spent()).max(0))) }
    };
    let over = Memo::new(move |_| limit > 0 && spent() >= limit);
    view! {
        <span class="time" role="timer">{text}</span>
        <span class="over" role="alert">
            {move || over.get().then_some("The time is over. Hand in what you have; the file says how long it took.")}
        </span>
    }
    .into_any()
}

// -------------------------------------------------------------------- after

/// What a result can be saved as.
#[derive(Clone, Copy)]
enum Form {
    /// What is handed in.
    Json,
    /// For a spreadsheet.
    Csv,
}

/// Marks a sitting.
fn result(quiz: Quiz, sitting: &Sitting, loaded: &Loaded) -> ExamResult {
    let evaluate = |exercise: &_, query: &_| loaded.evaluate(exercise, query);
    let times = (sitting.started, sitting.ended.unwrap_or(sitting.started));
    quiz.spec.with_value(|spec| {
        ExamResult::mark(spec, &sitting.learner, times, &sitting.answers, &loaded.definitions, &evaluate)
    })
}

/// Marks a sitting and saves the file.
fn download(quiz: Quiz, sitting: &Sitting, loaded: &Loaded, form: Form) -> Result<String, String> {
    let ended = sitting.ended.unwrap_or(sitting.started);
    let result = result(quiz, sitting, loaded);
    let stem = sitting::file_stem(&sitting.learner, &date::iso(clock::day_of(ended)));
    let (name, media_type, text) = match form {
        Form::Json => (format!("{stem}.json"), "application/json", result.to_json()),
        Form::Csv => (format!("{stem}.csv"), "text/csv", result.to_csv()),
    };
    file::save(&name, media_type, &text)
}

fn after(quiz: Quiz, loaded: Arc<Loaded>, said: Said) -> AnyView {
    let Some(sitting) = untrack(move || quiz.sitting()) else { return ().into_any() };
    let keys = quiz.exercises();
    let answered = format!("{} of {} answered", sitting.answered(&keys), keys.len());
    let minutes = (sitting.ended.unwrap_or(sitting.started) - sitting.started).max(0).div_euclid(60);
    let took = if minutes == 0 { "in less than a minute".to_owned() } else { format!("in {minutes} min") };
    let sitting = StoredValue::new(sitting);
    let loaded = StoredValue::new(loaded);
    let again = move |form: Form| {
        said.set(Some(sitting.with_value(|s| loaded.with_value(|l| download(quiz, s, l, form)))));
    };
    let forget = move |_| store().update(|doc| sitting::write(doc, None));
    view! {
        <p class="lede">"Handed in: " {answered} ", " {took} "."</p>
        {say(said)}
        <p>
            "Give the file to whoever set the quiz. It holds your answers as you typed them; under " <a href="check/">"Check"</a>
            " anybody can see what they are worth."
        </p>
        <p class="actions sans">
            <button type="button" on:click=move |_| again(Form::Json)>"Download the file again"</button>
            <button type="button" class="secondary" on:click=move |_| again(Form::Csv)>"As CSV"</button>
            <button type="button" class="quiet" on:click=forget>"Forget these answers"</button>
        </p>
        <p class="honesty sans">{HONESTY}</p>
    }
    .into_any()
}
