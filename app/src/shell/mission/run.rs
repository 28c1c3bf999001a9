//! A run that is played on a page: what it needs, where it is kept, and how a link tells it.

use std::collections::BTreeMap;
use std::rc::Rc;

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::mission::{self, Game, MOST_SEED, Mission, Models, Move, SEED, Step};
use ringside_core::query::Query;
use ringside_drawing::mission as drawing;
use ringside_learner::doc::RunNote;
use serde::Deserialize as _;
use serde_json::Value;

use crate::data::{Remote, fetch_text};
use crate::deferred::NotLoaded;
use crate::router;
use crate::store::store;
use crate::widgets;

/// Names in the address.
const RUN: &str = "run";
const BY: &str = "by";
const SEED_NAME: &str = "seed";
/// The longest name of a learner.
pub(super) const LONGEST_NAME: usize = 80;

/// Answers that were put to the vote, as moves are written, with the hands for each.
pub(super) type Ballot = Vec<(String, u32)>;
/// By move, counted from 0: its ballot.
type Votes = BTreeMap<usize, Ballot>;

/// The whole of a note of which this version cannot read something.
fn unreadable(note: &RunNote) -> Option<Value> {
    let votes = note.votes.is_null() || Votes::deserialize(&note.votes).is_ok();
    let run = note.run.is_empty() || mission::read(&note.run).is_ok();
    if votes && run { None } else { serde_json::to_value(note).ok() }
}

/// A mission with the models that it asks.
#[derive(Clone)]
pub(super) struct Loaded {
    pub(super) slug: String,
    pub(super) mission: Rc<Mission>,
    pub(super) models: Rc<Models<'static>>,
}

/// Fetches a mission and its models.
pub(super) async fn load(file: Remote<Mission>, slug: String) -> Result<Wrapped, NotLoaded> {
    let text = fetch_text(&file.path()).await.map_err(|_| NotLoaded)?;
    let mission: Mission = serde_json::from_str(&text).map_err(|_| NotLoaded)?;
    let mut entries: BTreeMap<String, &'static Entry> = BTreeMap::new();
    for id in mission.models() {
        let Some(widget) = widgets::find(id) else { continue };
        entries.insert(id.to_owned(), (widget.load)().await?.model);
    }
    let models = Models::new(move |id| entries.get(id).copied());
    Ok(Wrapped::new(Loaded { slug, mission: Rc::new(mission), models: Rc::new(models) }))
}

/// What was loaded; it stays on this thread.
pub(super) type Wrapped = send_wrapper::SendWrapper<Loaded>;

/// Where a run comes from.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) seed: u64,
    /// A run that a link brought, which is looked at and not kept.
    pub(super) shown: Option<Vec<Move>>,
    /// Whose it is.
    pub(super) by: String,
    /// What of the link could not be used.
    pub(super) problem: Option<String>,
}

impl Source {
    /// What a query says.
    pub(super) fn of(query: &Query) -> Self {
        let mut problems = Vec::new();
        let seed = match query.get(SEED_NAME) {
            None => SEED,
            Some(text) => text.parse().ok().filter(|seed| (1..=MOST_SEED).contains(seed)).unwrap_or_else(|| {
                problems.push(format!(
                    "The seed in the link is no whole number from 1 to {MOST_SEED}; this is seed {SEED}."
                ));
                SEED
            }),
        };
        let shown = query.get(RUN).and_then(|text| match mission::read(text) {
            Ok(moves) => Some(moves),
            Err(why) => {
                problems.push(format!("The run in the link cannot be read, so this is one of your own. {why}"));
                None
            }
        });
        let by = query.get(BY).unwrap_or_default().chars().take(LONGEST_NAME).collect();
        Self { seed, shown, by, problem: (!problems.is_empty()).then(|| problems.join(" ")) }
    }

    pub(super) fn here() -> Self {
        Self::of(&router::query())
    }
}

/// What a page shows of a run at a time.
#[derive(Clone, PartialEq, Default)]
pub(super) struct Shown {
    pub(super) steps: Vec<Step>,
    /// Which decision is next.
    pub(super) next: usize,
    pub(super) is_over: bool,
    pub(super) values: Vec<f64>,
    /// The GPUs and bars, with what the last move changed: HTML, or nothing.
    pub(super) board: String,
    /// What is asked: HTML.
    pub(super) ask: String,
    /// The state of the widget as it is found.
    pub(super) posed: Query,
    /// Ids and texts of the options, in the order of the mission.
    pub(super) options: Vec<(String, String)>,
    /// What is said at the end.
    pub(super) end: String,
    /// Moves that could not be made.
    pub(super) problem: Option<String>,
}

/// A run.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) loaded: StoredValue<Loaded, LocalStorage>,
    pub(super) seed: u64,
    pub(super) moves: RwSignal<Vec<Move>>,
    /// Whether it is looked at only: it came by a link.
    pub(super) fixed: bool,
    pub(super) shown: Memo<Shown>,
    /// What rooms voted.
    pub(super) votes: RwSignal<Votes>,
}

impl Run {
    pub(super) fn new(loaded: Loaded, source: &Source) -> Self {
        let (loaded, moves, seed) =
            (StoredValue::new_local(loaded), RwSignal::new(source.shown.clone().unwrap_or_default()), source.seed);
        let shown = Memo::new(move |_| loaded.with_value(|l| moves.with(|moves| show(l, seed, moves))));
        let votes = RwSignal::new(Votes::new());
        let run = Self { loaded, seed, moves, fixed: source.shown.is_some(), shown, votes };
        if !run.fixed {
            run.take_over(store().peek(|doc| doc.missions.get(&run.key()).cloned()).unwrap_or_default());
            // Another window may play the same run.
            Effect::new(move |_| {
                let key = run.key();
                run.take_over(store().with(|doc| doc.missions.get(&key).cloned()).unwrap_or_default());
            });
        }
        run
    }

    /// Goes on from what is kept, unless that is how it stands.
    fn take_over(self, kept: RunNote) {
        if self.moves.with_untracked(|moves| mission::write(moves) != kept.run) {
            self.moves.set(mission::read(&kept.run).unwrap_or_default());
        }
        let votes: Votes = serde_json::from_value(kept.votes).unwrap_or_default();
        if self.votes.with_untracked(|ours| *ours != votes) {
            self.votes.set(votes);
        }
    }

    /// Keeps what was counted for a move.
    pub(super) fn count(self, at: usize, ballot: Ballot) {
        self.votes.update(|votes| drop(votes.insert(at, ballot)));
        self.keep();
    }

    /// Its name in the store.
    fn key(self) -> String {
        self.loaded.with_value(|l| format!("{}/{}", l.slug, self.seed))
    }

    /// Looks at the mission.
    pub(super) fn with<T>(self, look: impl FnOnce(&Mission) -> T) -> T {
        self.loaded.with_value(|l| look(&l.mission))
    }

    /// The game as it stands.
    pub(super) fn play<T>(self, look: impl FnOnce(&Mission, &Models<'_>, &Game<'_>) -> T) -> Option<T> {
        self.loaded.with_value(|l| {
            let moves = self.moves.get_untracked();
            let (game, _) = Game::replay(&l.mission, &l.models, self.seed, &moves).ok()?;
            Some(look(&l.mission, &l.models, &game))
        })
    }

    /// Makes a move, and keeps it.
    ///
    /// # Errors
    /// Why it cannot be made: a sentence.
    pub(super) fn go(self, one: Move) -> Result<(), String> {
        let moves = self.moves.get_untracked();
        let played = self.loaded.with_value(|l| {
            let (mut game, _) = Game::replay(&l.mission, &l.models, self.seed, &moves)?;
            let played = game.steps.len();
            game.go(&one).map(|()| played)
        })?;
        self.moves.update(|moves| {
            // What could not be played again, of a mission that has changed, is gone.
            moves.truncate(played);
            moves.push(one);
        });
        self.votes.update(|votes| votes.retain(|at, _| *at <= played));
        self.keep();
        Ok(())
    }

    /// Begins anew.
    pub(super) fn begin_again(self) {
        self.votes.set(Votes::new());
        self.moves.set(Vec::new());
        self.keep();
    }

    fn keep(self) {
        if self.fixed {
            return;
        }
        let (key, run) = (self.key(), self.moves.with_untracked(|moves| mission::write(moves)));
        let votes = self.votes.get_untracked();
        store().update(|doc| {
            if let Some(unreadable) = doc.missions.get(&key).and_then(unreadable) {
                doc.set_aside(&format!("mission-{key}"), unreadable);
            }
            if run.is_empty() && votes.is_empty() {
                doc.missions.remove(&key);
            } else {
                let note = doc.missions.entry(key).or_default();
                note.run = run;
                // Numbers and texts are always written.
                note.votes =
                    if votes.is_empty() { Value::Null } else { serde_json::to_value(votes).unwrap_or_default() };
            }
        });
    }

    /// Its page, relative to the site's base.
    pub(super) fn page(self) -> String {
        self.loaded.with_value(|l| format!("mission/{}/", l.slug))
    }

    /// A link to this mission with this seed, relative to the site's base; with the run and its player's name, if `by` is there.
    pub(super) fn link(self, by: Option<&str>) -> String {
        let mut query = Query::default();
        query.set(SEED_NAME, self.seed.to_string());
        if let Some(by) = by {
            if !by.trim().is_empty() {
                query.set(BY, by.trim());
            }
            query.set(RUN, self.moves.with_untracked(|moves| mission::write(moves)));
        }
        self.loaded.with_value(|l| format!("mission/{}/?{query}", l.slug))
    }

    /// Where it is said how the mission's debrief is written and marked.
    pub(super) fn debrief(self) -> String {
        self.loaded.with_value(|l| format!("syllabus/#debrief-{}", l.slug))
    }
}

/// Plays `moves` and takes what the page shows.
fn show(loaded: &Loaded, seed: u64, moves: &[Move]) -> Shown {
    let (game, problem) = match Game::replay(&loaded.mission, &loaded.models, seed, moves) {
        Ok(played) => played,
        Err(why) => return Shown { problem: Some(why), is_over: true, ..Shown::default() },
    };
    let fill = |text: &str| game.fill(text).unwrap_or_else(|why| format!("<p>{}</p>", why.replace('<', "&lt;")));
    let before = moves.len().checked_sub(1).and_then(|last| moves.get(..last));
    let before = before.and_then(|moves| Game::replay(&loaded.mission, &loaded.models, seed, moves).ok());
    let before = before.and_then(|(game, _)| game.picture().ok().flatten());
    let board = game.picture().ok().flatten().map(|now| drawing::board(&now, before.as_ref()));
    let decision = game.decision();
    let options = decision.map_or(&[][..], |d| d.option.as_slice());
    Shown {
        next: game.next(),
        is_over: game.is_over(),
        values: game.values(),
        board: board.unwrap_or_default(),
        ask: decision.map(|d| fill(&d.ask)).unwrap_or_default(),
        posed: game.posed().unwrap_or_default(),
        options: options.iter().map(|o| (o.id.clone(), o.text.clone())).collect(),
        end: if game.is_over() { fill(&loaded.mission.end) } else { String::new() },
        problem,
        steps: game.steps,
    }
}
