//! Links that were handed in, played again: what each run came to.

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::mission::{Game, Move};
use ringside_core::query::Query;

use super::run::{self, Source};
use crate::data::Remote;
use crate::page;
use crate::ui::table::{Table, numbers, words};

/// The most links that are read at a time.
const MOST: usize = 200;

/// A link, and what came of it.
#[derive(Clone, PartialEq)]
struct Marked {
    by: String,
    what: String,
    href: String,
    /// The seed, the score, and how often the run went back; or why there is no result.
    result: Result<(u64, String, usize), String>,
}

pub(super) fn view() -> AnyView {
    let text = RwSignal::new(String::new());
    let marked = RwSignal::new(Vec::<Marked>::new());
    let mark = move |_| {
        let lines: Vec<String> =
            text.get_untracked().lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).take(MOST).collect();
        let on_its_way = page::pending();
        spawn_local(async move {
            let mut all = Vec::new();
            for line in lines {
                all.push(one(&line).await);
            }
            marked.try_set(all);
            drop(on_its_way);
        });
    };
    let rows = move || {
        let row = |m: Marked| {
            let cells = match m.result {
                Ok((seed, score, backs)) => view! {
                    <td>{m.what}</td>
                    <td class="number">{seed}</td>
                    <td class="number">{score}</td>
                    <td class="number">{backs}</td>
                    <td><a href=m.href>"Open the run"</a></td>
                }
                .into_any(),
                Err(why) => view! { <td colspan="5">{why}</td> }.into_any(),
            };
            view! { <tr><th scope="row">{if m.by.is_empty() { "No name".to_owned() } else { m.by }}</th> {cells}</tr> }
        };
        marked.get().into_iter().map(row).collect_view()
    };
    let columns = || {
        vec![words("Who"), words("Mission"), numbers("Seed"), words("Result"), numbers("Went back"), words("The run")]
    };
    view! {
        <details class="mission-mark">
            <summary class="sans">"For instructors: mark runs that were handed in"</summary>
            <label class="sans">
                <span>"Links, one a line"</span>
                <textarea rows="5" spellcheck="false" on:input=move |event| text.set(event_target_value(&event))></textarea>
            </label>
            <p class="actions sans"><button type="button" on:click=mark>"Play them again"</button></p>
            <div aria-live="polite">
                <Show when=move || marked.with(|all| !all.is_empty())>
                    <Table scroll="Runs, played again" class="mission-marked" columns=columns() rows=rows.into_any() />
                </Show>
            </div>
        </details>
    }
    .into_any()
}

/// Plays the run of one link again.
async fn one(line: &str) -> Marked {
    let (path, query) = line.split_once('?').unwrap_or((line, ""));
    let query = query.split('#').next().unwrap_or_default();
    let source = Source::of(&Query::parse(query));
    let slug: String = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let href = format!("mission/{slug}/?{query}");
    let (what, result) = match (source.problem.clone(), source.shown.clone()) {
        (Some(why), _) => (slug, Err(why)),
        (None, None) => (slug, Err("This link has no run in it.".to_owned())),
        (None, Some(moves)) => again(slug, source.seed, &moves).await,
    };
    Marked { by: source.by, what, href, result }
}

async fn again(slug: String, seed: u64, moves: &[Move]) -> (String, Result<(u64, String, usize), String>) {
    let loaded = match run::load(Remote::new(format!("missions/{slug}.json")), slug.clone()).await {
        Ok(loaded) => loaded.take(),
        Err(_) => return (slug.clone(), Err(format!("There is no mission “{slug}” here."))),
    };
    let played = Game::replay(&loaded.mission, &loaded.models, seed, moves).and_then(|(game, problem)| match problem {
        Some(why) => Err(why),
        None if !game.is_over() => {
            Err(format!("Not finished: {} of {} decisions.", game.next(), loaded.mission.decision.len()))
        }
        None => {
            let backs = game.steps.iter().filter(|step| step.answer.is_none()).count();
            Ok((
                seed,
                format!("{}: {}", loaded.mission.score.label, loaded.mission.score.unit.format(game.score()?)),
                backs,
            ))
        }
    });
    (loaded.mission.title.clone(), played)
}
