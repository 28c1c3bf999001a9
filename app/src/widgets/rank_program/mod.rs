//! A workbench for programs: distributed training to write oneself, run on several ranks in a worker and watched moment by moment.

mod cluster;
mod next_to;
mod trial;
mod watch;

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::program::figure::{PUZZLES, Params, find};
use ringside_core::program::playback::{Moments, Standing, places};
use ringside_core::program::{Job, Outcome, Puzzle, SHIM, Verdict, rank_counts, rank_list};
use ringside_core::quantity::Unit;

use super::controls::{Controls, Drawn};
use super::model_figure::ModelFigure;
use super::puzzles::draft::Draft;
use super::puzzles::editor::{Edited, Editor};
use super::puzzles::help::{self, Help};
use super::puzzles::kept;
use super::puzzles::ladder::{self, Rung};
use super::puzzles::{self, Judge};
use super::{Module, Props, readings};
use crate::data::Remote;
use crate::ui;
use crate::ui::file;
use crate::ui::scroll;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};
use trial::{Came, Trial};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

/// How a run is played.
const PACE: Pace = Pace { whole: 20_000.0, longest: 900.0, shortest: 60.0 };

/// The run on show, and how far it is played.
#[derive(Clone, Copy)]
struct Shown {
    outcome: Memo<Option<Arc<Outcome>>>,
    moments: Memo<Moments>,
    step: RwSignal<usize>,
    /// Where each rank is at the moment on show.
    standings: Memo<Vec<Standing>>,
}

impl Shown {
    fn new(trial: Trial) -> Self {
        let outcome = Memo::new_with_compare(
            move |_| {
                trial.came.with(|came| match came {
                    Some(Came::Ran { outcome, .. }) => Some(outcome.clone()),
                    _ => None,
                })
            },
            |a, b| match (a.and_then(Option::as_ref), b.and_then(Option::as_ref)) {
                (Some(a), Some(b)) => !Arc::ptr_eq(a, b),
                (None, None) => false,
                _ => true,
            },
        );
        let moments = Memo::new(move |_| {
            outcome.with(|outcome| outcome.as_ref().map(|outcome| Moments::of(&outcome.run)).unwrap_or_default())
        });
        let step = RwSignal::new(0);
        // A run is seen from its end, where it stands still.
        Effect::new(move |_| step.set(moments.with(Moments::steps)));
        let standings = Memo::new(move |_| {
            let now = moments.with(|moments| moments.time(step.get()));
            outcome.with(|outcome| outcome.as_ref().map(|outcome| outcome.run.standings(now)).unwrap_or_default())
        });
        Self { outcome, moments, step, standings }
    }

    /// Looks at what ran. Tracks.
    fn with<T: Default>(self, look: impl FnOnce(&Outcome) -> T) -> T {
        self.outcome.with(|outcome| outcome.as_deref().map(look).unwrap_or_default())
    }

    /// The moment on show, in seconds. Tracks.
    fn now(self) -> f64 {
        self.moments.with(|moments| moments.time(self.step.get()))
    }

    /// Looks at what ran and at the moment on show. Tracks.
    fn at<T: Default>(self, look: impl FnOnce(&Outcome, f64) -> T) -> T {
        let now = self.now();
        self.with(|outcome| look(outcome, now))
    }

    /// Whether something ran. Tracks.
    fn any(self) -> bool {
        self.outcome.with(Option::is_some)
    }
}

/// The key of a puzzle's work in the store.
fn key(id: &str) -> String {
    format!("program/{id}")
}

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let judge = use_context::<Judge>();
    let puzzle = Memo::new(move |_| params.with(|p| p.puzzle));
    let trial = Trial::new(Callback::new(move |(passed, text): (bool, String)| {
        if passed {
            kept::change(&key(puzzle.get_untracked().id), |w| w.solved = true);
        }
        let id = puzzle.get_untracked().id;
        puzzles::tried(judge, "program", id, key(id), (passed, text));
    }));
    // What ran on another machine says nothing of this one.
    Effect::new(move |before: Option<Params>| {
        let now = params.get();
        if before.is_some_and(|before| before != now) {
            trial.stop();
        }
        now
    });
    let shown = Shown::new(trial);
    let subtitle = Signal::derive(move || params.with(|p| format!("{} · {} ranks", p.puzzle.title, p.ranks)));
    let finding = Signal::derive(move || {
        let title = puzzle.get().title;
        let said = shown.with(|outcome| Some(outcome.finding(title)));
        said.unwrap_or_else(|| format!("{title}: write the program, then run it."))
    });
    let controls = match judge {
        None => Controls::of(state).draw(),
        Some(_) => Drawn::none(),
    };
    let steps = Signal::derive(move || shown.moments.with(Moments::steps));
    let place = Signal::derive(move || Unit::Seconds.format(shown.now()));
    let playback = PACE.of(steps);
    let transport = move || {
        let set = move |step| shown.step.set(step);
        // Where no time passed there is nothing to step through.
        let moves = shown.with(|outcome| outcome.run.totals.time > 0.0);
        moves.then(|| view! { <Transport steps step=shown.step set playback place alone=props.alone /> })
    };
    let bench = move || {
        let file: Remote<Puzzle> = Remote::new(format!("programs/{}.json", puzzle.get().id));
        file.show(move |file| bench(file, Bench { state, trial, shown, with_help: judge.is_none() }))
    };
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&())));
    let with_ladder = judge.is_none() && !props.compact;
    let below = view! {
        {with_ladder.then(|| rungs(state))}
        {used(shown)}
        {readings::view(&Params::ENTRY, quantities)}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            controls
            transport=transport.into_any()
            below=Some(below.into_any())
            table=move || table(shown)
        >
            {bench}
        </ModelFigure>
    }
    .into_any()
}

/// The puzzles, and which are solved.
fn rungs(state: State) -> AnyView {
    let rungs = PUZZLES.iter().map(|puzzle| Rung {
        id: puzzle.id,
        key: key(puzzle.id),
        title: puzzle.title,
        best: Signal::stored(None),
    });
    let chosen = Signal::derive(move || state.params().with(|p| p.puzzle.id));
    let choose = move |id: &'static str| {
        if let Some(puzzle) = find(id) {
            state.update(|p| p.puzzle = puzzle);
        }
    };
    ladder::view(rungs, chosen, Callback::new(choose))
}

/// What a puzzle is worked on with.
#[derive(Clone, Copy)]
struct Bench {
    state: State,
    trial: Trial,
    shown: Shown,
    with_help: bool,
}

/// The puzzle: its task, the text, what came of it, and the run.
fn bench(puzzle: Arc<Puzzle>, bench: Bench) -> AnyView {
    let Bench { state, trial, shown, with_help } = bench;
    let draft = Draft::new(&key(&puzzle.id), &puzzle.starter);
    let idle = move || trial.doing.with(Option::is_none);
    let ran = puzzle.clone();
    let run = StoredValue::new(move || {
        if untrack(idle) {
            draft.keep();
            let text = draft.text.get_untracked();
            trial.start(jobs(state.params().get_untracked(), &ran, &text));
        }
    });
    let run = move || run.with_value(|run| run());
    let marks = Signal::derive(move || {
        shown.with(|outcome| {
            let at = outcome.diagnosis.at.iter().filter(|at| at.line > 0);
            at.map(|at| format!("{}:0 Rank {}", at.line, at.rank)).collect::<Vec<_>>().join("\n")
        })
    });
    let places = Signal::derive(move || {
        let place = |(line, ranks): (u32, Vec<usize>)| format!("{line} {}", rank_list(&ranks));
        shown.standings.with(|standings| places(standings).into_iter().map(place).collect::<Vec<_>>().join("\n"))
    });
    let editor = Editor::new();
    let edited = Edited {
        language: "python",
        head: "",
        tail: "",
        text: draft.text,
        marks,
        places,
        label: format!("The program {}", puzzle.title),
    };
    let again = move |_| {
        draft.begin_again();
        trial.stop();
    };
    let asked = puzzle.clone();
    // What plays the run lies over the window's lower edge.
    let verdict_place = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        if trial.came.with(Option::is_some) {
            request_animation_frame(move || {
                if let Some(place) = verdict_place.get_untracked() {
                    scroll::to_nearest(place.into());
                }
            });
        }
    });
    let said = move || trial.came.with(|came| came.as_ref().map(|came| verdict(came, editor, &asked)));
    let compared = puzzle.clone();
    let solution = puzzle.clone();
    let help = with_help.then(|| {
        let help = Help {
            key: key(&puzzle.id),
            hints: puzzle.hints.clone(),
            show: "Show a solution",
            solution: ViewFn::from(move || listing(&solution)),
        };
        help::view(help, draft.work)
    });
    view! {
        <div class="rank-bench">
            <div class="workbench">
                <div class="puzzle-task" inner_html=puzzle.task.clone()></div>
                <p class="fine">
                    "Every rank runs this text. "
                    <span class="by-keys">
                        "Tab indents; " <kbd>"Esc"</kbd> " and then " <kbd>"Tab"</kbd> " leaves the editor; " <kbd>"Ctrl Enter"</kbd> " runs."
                    </span>
                </p>
                {editor.view(edited, move || draft.changed(), run)}
                <div class="bench-actions">
                    <button type="button" disabled=move || !idle() on:click=move |_| run()>"Run"</button>
                    <button type="button" class="secondary" disabled=idle on:click=move |_| trial.stop()>"Stop"</button>
                    <button type="button" class="quiet" disabled=move || !idle() || draft.is_start() on:click=again>
                        "Reset the program"
                    </button>
                    <span class="fine" role="status">{move || trial.doing.get()}</span>
                </div>
                <div role="status" class="verdict" node_ref=verdict_place>{said}</div>
                {help}
                {cluster::view(puzzle.clone(), state, editor, move || draft.text.get_untracked())}
                {for_real(draft, &puzzle)}
            </div>
            {
                move || {
                    shown.any().then(|| view! { {watch::view(shown)} {next_to::view(shown, state, compared.clone())} })
                }
            }
        </div>
    }
    .into_any()
}

/// Ranks with which a program is run for real.
const REAL: usize = 4;

/// The same text on real processes.
fn for_real(draft: Draft, puzzle: &Puzzle) -> AnyView {
    let launches = puzzle.launches_before(REAL).into_iter().chain([REAL]).enumerate().map(|(i, ranks)| {
        let command = format!("torchrun --nproc_per_node {ranks} program.py");
        view! { {if i == 0 { "" } else { " and then " }} <code>{command}</code> }
    });
    let launches = launches.collect_view();
    let said = RwSignal::new(String::new());
    let save = move |name: &'static str, text: &str| {
        said.set(file::save(name, "text/x-python", text).unwrap_or_else(|why| why));
    };
    view! {
        <details class="fold">
            <summary>"Run it with PyTorch"</summary>
            <p class="fine">
                "Save both files into one folder, then run " {launches}
                ". It needs PyTorch; processes talk over gloo, or over NCCL where each has a GPU."
            </p>
            <div class="bench-actions">
                <button type="button" class="secondary" on:click=move |_| save("program.py", &draft.text.get_untracked())>
                    "Save program.py"
                </button>
                <button type="button" class="secondary" on:click=move |_| save("ringside.py", SHIM)>"Save ringside.py"</button>
                <span class="fine" role="status">{said}</span>
            </div>
        </details>
    }
    .into_any()
}

/// The ranks that are asked for, then every other number of ranks that the puzzle must pass on.
fn jobs(params: Params, puzzle: &Puzzle, text: &str) -> VecDeque<Job> {
    let asked = params.ranks as usize;
    let others = puzzle.ranks.iter().copied().filter(|ranks| *ranks != asked);
    std::iter::once(asked).chain(others).map(|ranks| params.job(puzzle, text, ranks)).collect()
}

/// What came of a trial.
fn verdict(came: &Came, editor: Editor, puzzle: &Puzzle) -> AnyView {
    match came {
        Came::Ended(why) => view! { <div class="message"><p>{why.clone()}</p></div> }.into_any(),
        Came::Ran { outcome, passed, .. } if came.passed() => {
            let sentence = outcome.diagnosis.sentence.clone();
            view! {
                <div class="came-right">
                    <p><b>"✓ " {format!("Passed on {} ranks.", rank_counts(passed))}</b> " " {sentence}</p>
                </div>
            }
            .into_any()
        }
        Came::Ran { outcome, ranks, passed } => {
            let title = format!("On {ranks} ranks: {}", outcome.diagnosis.verdict.label());
            let before = (!passed.is_empty()).then(|| format!(" It passed on {}.", rank_counts(passed)));
            // What can't be read fails on any number of ranks.
            let is_read = outcome.diagnosis.verdict != Verdict::Syntax;
            let unchecked = is_read.then(|| puzzle.unchecked(*ranks)).flatten().map(|said| format!(" {said}"));
            let at = outcome.diagnosis.at.iter().filter(|at| at.line > 0).copied();
            let go = at.map(|at| {
                let label = format!("Rank {}, line {}", at.rank, at.line);
                view! { <button type="button" class="quiet" on:click=move |_| editor.go_to(at.line)>{label}</button> }
            });
            view! {
                <div class="message">
                    <p><b>{title}"."</b> {before} {unchecked}</p>
                    <p class="said">{outcome.diagnosis.sentence.clone()}</p>
                    <p class="complaints">{go.collect_view()}</p>
                </div>
            }
            .into_any()
        }
    }
}

/// The best known program, and why it works.
fn listing(puzzle: &Puzzle) -> AnyView {
    view! {
        <div inner_html=puzzle.say.clone()></div>
        <pre tabindex="0" aria-label="The best known program"><code>{puzzle.solution.trim_end().to_owned()}</code></pre>
    }
    .into_any()
}

/// What the run used.
fn used(shown: Shown) -> AnyView {
    let of = move |look: fn(&Outcome) -> f64| Signal::derive(move || shown.with(look));
    let passed = of(|outcome| f64::from(u8::from(outcome.diagnosis.passed())));
    view! {
        <dl class="readings">
            <Show when=move || shown.any()>
                {readings::verified("Correct and within the budgets", passed)}
                {readings::one("time", "Time of the run", Unit::Seconds, of(|o| o.run.totals.time))}
                {readings::one("peak-memory", "Highest peak memory on any rank", Unit::Bytes, of(|o| o.run.totals.memory as f64))}
                {readings::one("sent", "Bytes sent by the busiest rank", Unit::Bytes, of(|o| o.run.totals.bytes as f64))}
                {readings::one("flops", "FLOPs of all ranks", Unit::Flop, of(|o| o.run.totals.flops))}
            </Show>
        </dl>
        <Show when=move || shown.any()>
            <p>
                <a href="w/trace-detective/" on:click=move |_| hand_over(shown)>"Open in the trace viewer"</a>
            </p>
        </Show>
    }
    .into_any()
}

/// Gives the run to the trace viewer.
fn hand_over(shown: Shown) {
    let name = "rank-program.pt.trace.json";
    untrack(|| shown.with(|outcome| file::hand_over(file::of_text(name, &outcome.run.chrome_trace("ranks")))));
}

/// Every rank with what it used.
fn table(shown: Shown) -> AnyView {
    let rows = move || {
        let ranks = shown.with(|outcome| outcome.run.ranks.clone());
        let row = |(i, rank): (usize, ringside_core::program::Rank)| {
            let end = rank.standing(f64::INFINITY);
            view! {
                <tr>
                    <th scope="row">{format!("Rank {i}")}</th>
                    <td>{end.says}</td>
                    <td class="number">{Unit::Seconds.format(rank.end)}</td>
                    <td class="number">{Unit::Bytes.format(rank.peak.total() as f64)}</td>
                    <td class="number">{Unit::Bytes.format(rank.sent as f64)}</td>
                    <td class="number">{Unit::Flop.format(rank.flops)}</td>
                    <td class="number">{Unit::Count.format(rank.calls as f64)}</td>
                </tr>
            }
        };
        ranks.into_iter().enumerate().map(row).collect_view()
    };
    view! {
        <Table
            columns=[
                words("Rank"),
                words("End"),
                numbers("Time"),
                numbers("Peak memory"),
                numbers("Bytes sent"),
                numbers("FLOPs"),
                numbers("Calls"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
