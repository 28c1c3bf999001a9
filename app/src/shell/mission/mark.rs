//! Links that were handed in, played again: what each run came to.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::mission::{Game, Move};
use ringside_core::query::Query;

use super::Slice;
use super::run::{self, Loaded, Source};
use crate::data::Remote;
use crate::page;
use crate::ui::table::{Table, numbers, words};

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
    // How many are played, of how many.
    let progress = RwSignal::new(None::<(usize, usize)>);
    let mark = move |_| {
        let lines: Vec<String> =
            text.get_untracked().lines().map(|l| l.trim().to_owned()).filter(|l| !l.is_empty()).collect();
        let on_its_way = page::pending();
        progress.set(Some((0, lines.len())));
        spawn_local(async move {
            let (mut all, mut missions) = (Vec::new(), Missions::new());
            let mut slice = Slice::begin();
            for line in &lines {
                all.push(one(line, &mut missions).await);
                if slice.is_over() {
                    if progress.try_set(Some((all.len(), lines.len()))).is_some() {
                        // The page was left.
                        return;
                    }
                    slice.rest().await;
                }
            }
            marked.try_set(all);
            progress.try_set(None);
            drop(on_its_way);
        });
    };
    let said = move || match progress.get() {
        Some((done, of)) => format!("{done} of {of} played again…"),
        None => match marked.with(Vec::len) {
            0 => String::new(),
            1 => "1 link.".to_owned(),
            n => format!("{n} links."),
        },
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
        <details class="mission-mark teaching">
            <summary class="sans">"For instructors: mark runs that were handed in"</summary>
            <label class="sans">
                <span>"Links, one a line"</span>
                <textarea rows="5" spellcheck="false" on:input=move |event| text.set(event_target_value(&event))></textarea>
            </label>
            <p class="actions sans">
                <button type="button" disabled=move || progress.with(Option::is_some) on:click=mark>"Play them again"</button>
                <span>{said}</span>
            </p>
            <div aria-live="polite">
                <Show when=move || marked.with(|all| !all.is_empty())>
                    <Table scroll="Runs, played again" class="mission-marked" columns=columns() rows=rows.into_any() />
                </Show>
            </div>
        </details>
    }
    .into_any()
}

/// What was fetched, by slug; nothing where there is no such mission.
type Missions = BTreeMap<String, Option<Loaded>>;

/// Plays the run of one link again.
async fn one(line: &str, missions: &mut Missions) -> Marked {
    let (path, query) = line.split_once('?').unwrap_or((line, ""));
    let query = query.split('#').next().unwrap_or_default();
    let source = Source::of(&Query::parse(query));
    let slug: String = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    let href = format!("mission/{slug}/?{query}");
    let (what, result) = match (source.problem.clone(), source.shown.clone()) {
        (Some(why), _) => (slug, Err(why)),
        (None, None) => (slug, Err("This link has no run in it.".to_owned())),
        (None, Some(moves)) => again(slug, source.seed, &moves, missions).await,
    };
    Marked { by: source.by, what, href, result }
}

async fn again(
    slug: String,
    seed: u64,
    moves: &[Move],
    missions: &mut Missions,
) -> (String, Result<(u64, String, usize), String>) {
    if !missions.contains_key(&slug) {
        let loaded = run::load(Remote::new(format!("missions/{slug}.json")), slug.clone()).await;
        missions.insert(slug.clone(), loaded.ok().map(|loaded| loaded.take()));
    }
    let Some(Some(loaded)) = missions.get(&slug) else {
        return (slug.clone(), Err(format!("There is no mission “{slug}” here.")));
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
