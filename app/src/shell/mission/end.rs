//! The end: the run beside the best that a search finds and beside a careless one, and what mattered.

use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use ringside_core::mission::{self, Game, Mattered, Move, Path, Played, Report, Search};
use ringside_core::quantity::Unit;
use ringside_drawing::mission::{self as drawing, Compared};

use super::run::{LONGEST_NAME, Run};
use super::{Slice, answers};
use crate::shell::lms;
use crate::ui::copy_link::copy_link;
use crate::ui::dom;
use crate::ui::table::{Table, numbers, words};

/// How far the search is.
#[derive(Clone, PartialEq)]
enum Found {
    Searching(usize),
    Here(Box<Report>, usize),
    Failed(String),
}

pub(super) fn view(run: Run) -> AnyView {
    let found = RwSignal::new(Found::Searching(0));
    search(run, found);
    let result_of = Memo::new(move |_| match found.get() {
        Found::Searching(_) => Found::Searching(0),
        came => came,
    });
    let path = run.loaded.with_value(|loaded| format!("mission/{}/", loaded.slug));
    lms::hello(&path, |_| {});
    Effect::new(move |_| {
        if let Found::Here(report, _) = result_of.get() {
            lms::report(&path, &lms::Report { score: Some(report.mark()), done: true, suspend: String::new() });
        }
    });
    let end = run.shown.with_untracked(|s| s.end.clone());
    view! {
        <section class="mission-end" id="mission-end" data-slide="How it went" data-slide-now aria-labelledby="mission-end-title">
            <h2 id="mission-end-title">"How it went"</h2>
            <div class="chapter-text" inner_html=end></div>
            // Who listens is told when it is found, and not of every run that is tried.
            <p class="sans" aria-hidden="true">
                {move || match found.get() {
                    Found::Searching(tried) => format!("{tried} runs tried…"),
                    _ => String::new(),
                }}
            </p>
            <div role="status">
                {move || match result_of.get() {
                    Found::Searching(_) => {
                        view! { <p class="sans">"Searching for the best run with the same models."</p> }.into_any()
                    }
                    Found::Failed(why) => view! { <div class="message"><p>{why}</p></div> }.into_any(),
                    Found::Here(report, tried) => result(run, &report, tried),
                }}
            </div>
            {hand_in(run)}
            <p class="sans"><a href=run.debrief()>"How to write a debrief, and how it is marked"</a></p>
            {next()}
        </section>
    }
    .into_any()
}

/// The mission after this one, as the build wrote it on the page.
fn next() -> Option<AnyView> {
    let page = document().query_selector("[data-next]").ok().flatten()?;
    let (slug, title) = (dom::attribute(&page, "data-next"), dom::attribute(&page, "data-next-title"));
    Some(view! { <p class="mission-next sans"><a class="button" href=format!("mission/{slug}/")>"Next mission: " {title}</a></p> }.into_any())
}

/// Searches in slices, so that the page stays alive.
fn search(run: Run, found: RwSignal<Found>) {
    let loaded = run.loaded.get_value();
    let (seed, moves) = (run.seed, run.moves.get_untracked());
    spawn_local(async move {
        let (mission, models) = (Rc::clone(&loaded.mission), Rc::clone(&loaded.models));
        let game = match Game::replay(&mission, &models, seed, &moves) {
            Ok((game, _)) => game,
            Err(why) => {
                found.try_set(Found::Failed(why));
                return;
            }
        };
        let known: Path = game.path();
        let mut search = Search::new(&mission, &models, seed, &[known]);
        let mut slice = Slice::begin();
        while search.step() {
            if !slice.is_over() {
                continue;
            }
            if found.try_set(Found::Searching(search.tried())).is_some() {
                // The page was left.
                return;
            }
            slice.rest().await;
        }
        let report = match search.best() {
            Some((best, _)) => Report::of(&mission, &models, seed, &game, &best),
            None => Err("The search found no run that can be played to its end.".to_owned()),
        };
        found.try_set(match report {
            Ok(report) => Found::Here(Box::new(report), search.tried()),
            Err(why) => Found::Failed(why),
        });
    });
}

fn result(run: Run, report: &Report, tried: usize) -> AnyView {
    let careless = report.careless.clone();
    let columns = vec![words("At the end"), numbers("You"), numbers("Best found"), numbers("Without thinking")];
    let rows = run.with(|mission| {
        let score = [(&mission.score, None)].into_iter();
        let others = mission.outcome.iter().enumerate().map(|(i, outcome)| (outcome, Some(i)));
        score
            .chain(others)
            .map(|(outcome, i)| {
                let of = |played: &Played| match i {
                    None => played.score,
                    Some(i) => played.outcomes.get(i).copied().unwrap_or_default(),
                };
                let write = |value: f64| outcome.unit.format(value);
                let cell = |name: &'static str, value: f64| {
                    view! { <td class="number"><output data-result=name data-value=value>{write(value)}</output></td> }
                };
                view! {
                    <tr class:score=i.is_none()>
                        <th scope="row">{outcome.label.clone()}</th>
                        {cell("you", of(&report.you))}
                        {cell("best", of(&report.best))}
                        {match &careless {
                            Some(played) => cell("careless", of(played)).into_any(),
                            None => view! { <td class="number">"–"</td> }.into_any(),
                        }}
                    </tr>
                }
            })
            .collect_view()
    });
    let unit = run.with(|m| m.score.unit);
    let label = run.with(|m| m.score.label.clone());
    let plan: Vec<Move> = report.best.answers.iter().cloned().map(Move::Decide).collect();
    let plan = mission::write(&plan);
    let mattered = report.mattered.iter().map(|m| matters(run, m)).collect_view();
    let none = report.mattered.is_empty().then(|| {
        view! { <p>"No other answer to a single decision would have made much of a difference."</p> }
    });
    let (yours, most) = (report.you.score, report.best.score);
    let share = (most > 0.0 && yours >= 0.0).then(|| Unit::Fraction.format((yours / most).min(1.0)));
    let shared = card(run, report, share.as_deref());
    let share = share.map(|share| {
        view! { <p class="mission-share sans"><b data-share-of-best>{share}</b> " of the best run that was found"</p> }
    });
    let slack = 1e-6 * report.you.score.abs();
    let returning = (report.returning > slack).then(|| {
        view! { <p>"Going back and deciding again cost " <b>{unit.format(report.returning)}</b> " of it."</p> }
    });
    let failed = (report.failed > slack).then(|| {
        view! { <p>"Answers that failed and had to be made again cost " <b>{unit.format(report.failed)}</b> " of it."</p> }
    });
    let best = run.with(|mission| {
        let answers = mission.decision.iter().zip(&report.best.answers).map(|(decision, answer)| {
            let text = answers::in_words(decision, answer, run.entry(decision.widget.as_deref()));
            view! { <li><b>{decision.title.clone()}</b> ": " {text}</li> }
        });
        answers.collect_view()
    });
    view! {
        {share}
        <Table scroll="You, the best found, and somebody careless" class="mission-result" columns rows=rows.into_any() />
        <h3>"What mattered most"</h3>
        <p class="sans small">"By how much “" {label} "” would have been better, had this one decision been the best run’s."</p>
        <ol class="mission-mattered">{mattered}</ol>
        {none}
        {failed}
        {returning}
        {shared}
        <details class="mission-best" data-best=plan>
            <summary class="sans">"What the best run decides"</summary>
            <p class="sans small">"The best of " {tried} " runs that were tried with the models of the chapters."</p>
            <ol>{best}</ol>
        </details>
    }
    .into_any()
}

/// The run on one card, to be shared as a picture: how it compares, how the GPUs and the days stand, and what mattered.
fn card(run: Run, report: &Report, share: Option<&str>) -> AnyView {
    let (title, unit, label) = run.with(|m| (m.title.clone(), m.score.unit, m.score.label.clone()));
    let others = [
        ("You", Some(&report.you)),
        ("Best found", Some(&report.best)),
        ("Without thinking", report.careless.as_ref()),
    ];
    let runs: Vec<Compared<'_>> = others
        .into_iter()
        .filter_map(|(label, played)| Some(Compared { label, score: played?.score, says: unit.format(played?.score) }))
        .collect();
    let drawn = drawing::compared(&runs) + &run.shown.with_untracked(|s| s.board.clone());
    let names: Vec<String> = run.with(|mission| {
        let title = |m: &Mattered| mission.decision.get(m.decision).map(|d| format!("“{}”", d.title));
        report.mattered.iter().filter_map(title).collect()
    });
    let finding = match names.as_slice() {
        [] => "No other answer to a single decision would have made much of a difference.".to_owned(),
        [one] => format!("One decision mattered: {one}."),
        many => format!("Two decisions mattered most: {}.", many.join(" and ")),
    };
    let subtitle = match share {
        Some(share) => format!("{label}: {share} of the best run found"),
        None => label,
    };
    let address = run.link(Some(""));
    let name = run.loaded.with_value(|l| format!("mission-{}", l.slug));
    view! {
        <figure class="figure sans mission-card" data-address=address data-name=name aria-label="Your run on a card">
            <div class="figure-head">
                <p class="figure-title">{title}</p>
                <p class="figure-subtitle">{subtitle}</p>
                <div class="figure-tools"><button type="button" class="quiet" data-share="">"Share this card"</button></div>
            </div>
            <div class="drawing" data-drawing="" inner_html=drawn></div>
            <p class="finding"><b>{finding}</b></p>
        </figure>
    }
    .into_any()
}

/// A decision that mattered.
fn matters(run: Run, m: &Mattered) -> AnyView {
    let Some(decision) = run.with(|mission| mission.decision.get(m.decision).cloned()) else { return ().into_any() };
    let entry = run.entry(decision.widget.as_deref());
    let (yours, best) = (answers::in_words(&decision, &m.yours, entry), answers::in_words(&decision, &m.best, entry));
    let gain = run.with(|mission| mission.score.unit.format(m.gain));
    view! {
        <li>
            <b>{decision.title}</b> ": " {gain} ". You chose “" {yours} "”. The best run chose “" {best} "”. "
            <a href=format!("chapter/{}/", decision.chapter)>"The chapter that teaches it"</a>
        </li>
    }
    .into_any()
}

/// A name, and the link that is handed in.
fn hand_in(run: Run) -> AnyView {
    if run.fixed {
        return ().into_any();
    }
    let name = RwSignal::new(String::new());
    view! {
        <section class="mission-hand-in sans">
            <h3>"Hand it in"</h3>
            <p>
                "The link holds your decisions. Whoever opens it sees this result computed again; nothing that the link says of itself is believed."
            </p>
            <p class="actions">
                <label>
                    "Your name "
                    <input
                        type="text"
                        maxlength=LONGEST_NAME
                        prop:value=name
                        on:input=move |event| name.set(event_target_value(&event))
                    />
                </label>
                {copy_link("Copy the link of my run", move || name.with_untracked(|name| run.link(Some(name))))}
            </p>
        </section>
    }
    .into_any()
}
