//! A workbench: kernels to write oneself, checked and timed on the learner's own GPU.

mod help;
mod own;
mod trial;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::kernels::glass::Source;
use ringside_core::kernels::intensity;
use ringside_core::kernels::job::Note;
use ringside_core::kernels::workbench::{self, OWN, PUZZLES, Params};
use ringside_core::quantity::{Quantity, Unit, unbroken};
use ringside_shaders::puzzles::{self, Puzzle};

use super::controls::{Controls, Drawn};
use super::glass::Glass;
use super::kernels::bar;
use super::kernels::trouble::sentence;
use super::model_figure::ModelFigure;
use super::puzzles::Judge;
use super::puzzles::draft::Draft;
use super::puzzles::editor::{Edited, Editor};
use super::puzzles::kept;
use super::puzzles::ladder::{self, Rung};
use super::{Module, Props, readings};
use crate::ui;
use crate::ui::table::{self, Table, words};
use trial::{Outcome, Right, Trial};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

type State = ui::state::State<Params>;

fn view(props: Props) -> AnyView {
    let state = State::of(props.query);
    let params = state.params();
    let judge = use_context::<Judge>();
    let puzzle = Memo::new(move |_| params.with(|p| p.puzzle.id));
    let trial = Trial::new(Callback::new(move |(outcome, body): (Outcome, String)| {
        let id = puzzle.get_untracked();
        if let Outcome::Right(right) = &outcome {
            kept::change(id, |w| w.pass(&right.device, right.seconds));
        }
        let right = matches!(outcome, Outcome::Right(_));
        super::puzzles::tried(judge, "kernel", id, id.to_owned(), (right, body));
    }));
    Effect::new(move |before: Option<&'static str>| {
        let now = puzzle.get();
        if before.is_some_and(|before| before != now) {
            trial.stop();
        }
        now
    });
    let subtitle = Signal::derive(move || params.with(|p| p.puzzle.title).to_owned());
    let finding = Signal::derive(move || finding(puzzle.get(), trial));
    let controls = if judge.is_none() { Controls::of(state).draw() } else { Drawn::none() };
    let bench = move || match puzzle.get() {
        id if id == OWN.id => Some(own::view()),
        id => puzzles::find(id).map(|puzzle| bench(puzzle, trial, judge.is_none())),
    };
    let quantities = Memo::new(move |_| params.with(|p| p.quantities(&())));
    let with_ladder = judge.is_none() && !props.compact;
    let below = view! {
        {with_ladder.then(|| ladder(state))}
        {numbers_of(trial, quantities, puzzle)}
    };
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding
            controls
            below=Some(below.into_any())
            table=move || numbers()
        >
            {bench}
        </ModelFigure>
    }
    .into_any()
}

/// The puzzles, and the best time of each.
fn ladder(state: State) -> AnyView {
    let rung = |puzzle: &'static workbench::Puzzle| {
        let work = Memo::new(move |_| kept::of(puzzle.id));
        let best = Signal::derive(move || {
            let best = work.with(|w| w.best.iter().map(|b| b.seconds).fold(f64::INFINITY, f64::min));
            best.is_finite().then(|| Unit::Seconds.format(best))
        });
        Rung { id: puzzle.id, key: puzzle.id.to_owned(), title: puzzle.title, best }
    };
    let chosen = Signal::derive(move || state.params().with(|p| p.puzzle.id));
    let choose = move |id: &'static str| {
        if let Some(puzzle) = workbench::find(id) {
            state.update(|p| p.puzzle = puzzle);
        }
    };
    ladder::view(PUZZLES.iter().chain([OWN]).map(rung), chosen, Callback::new(choose))
}

/// What the figure says: how it stands with this puzzle, and with all.
fn finding(id: &'static str, trial: Trial) -> String {
    let Some(puzzle) = workbench::find(id) else { return String::new() };
    if puzzle.is_own() {
        return "Step a kernel of your own to see its races, missed barriers and wrong indices at their lines, and what each access costs."
            .to_owned();
    }
    let moved = unbroken(&Unit::Bytes.format(puzzle.compulsory() as f64));
    let now = trial.outcome.with(|outcome| match outcome {
        Some(Outcome::Right(right)) if right.seconds > 0.0 => format!(
            "{}: right, and a run took {}. That is at {}, where at least {moved} have to be moved.",
            puzzle.title,
            unbroken(&Unit::Seconds.format(right.seconds)),
            puzzle.timed_at()
        ),
        Some(Outcome::Right(_)) if trial.interpreted.with(Option::is_some) => {
            format!("{}: correct. The interpreter checked it, so there is no time to show.", puzzle.title)
        }
        Some(Outcome::Right(_)) => {
            format!("{}: right, and too slow to be timed at {}.", puzzle.title, puzzle.timed_at())
        }
        Some(_) => format!("{}: not right yet.", puzzle.title),
        None => format!(
            "{}: not written yet. Your kernel is checked at several sizes, some fixed and some random, then timed at {}, where it must \
             move at least {moved}.",
            puzzle.title,
            puzzle.timed_at()
        ),
    });
    let works = || PUZZLES.iter().map(|p| kept::of(p.id));
    let solved = works().filter(|w| w.solved && !w.looked_up).count();
    let of = PUZZLES.len();
    format!("{now} Solved so far: {solved} of {of}.")
}

/// The puzzle: its task, the text, what can be done with it and what came of that.
fn bench(puzzle: &'static Puzzle, trial: Trial, with_help: bool) -> AnyView {
    let id = puzzle.id;
    let frame = puzzle.frame();
    let draft = Draft::new(id, frame.start);
    let idle = move || trial.progress.with(Option::is_none);
    let check = move || {
        if untrack(idle) {
            draft.keep();
            trial.start(puzzle, draft.text.get_untracked());
        }
    };
    let glass = Glass::new();
    let step = move |_| glass.open(Source::Puzzle { puzzle: id.to_owned(), body: draft.text.get_untracked() });
    let again = move |_| {
        draft.begin_again();
        trial.outcome.set(None);
    };
    let marks = Signal::derive(move || {
        trial.outcome.with(|outcome| match outcome {
            Some(Outcome::Refused(notes) | Outcome::Unsound(_, notes)) => {
                let mark = |note: &Note| format!("{}:{} {}", note.line, note.column, note.text.replace('\n', " "));
                notes.iter().map(mark).collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        })
    });
    let editor = Editor::new();
    let model = workbench::find(id);
    let label = format!("The body of the kernel {}", model.map_or("", |p| p.title));
    let places = Signal::stored(String::new());
    let edited =
        Edited { language: "wgsl", head: frame.head, tail: frame.tail, text: draft.text, marks, places, label };
    let progress = move || trial.progress.with(|p| p.clone().unwrap_or_default());
    view! {
        <div class="workbench">
            <p class="puzzle-task">{model.map_or("", |p| p.task)}</p>
            <p class="fine">
                "Shaded lines can’t be edited. "
                <span class="by-keys">
                    "Tab indents; " <kbd>"Esc"</kbd> " and then " <kbd>"Tab"</kbd> " leaves the editor; " <kbd>"Ctrl Enter"</kbd> " checks."
                </span>
            </p>
            {editor.view(edited, move || draft.changed(), check)}
            <div class="bench-actions">
                <button type="button" disabled=move || !idle() on:click=move |_| check()>"Check, then time"</button>
                <button type="button" class="secondary" on:click=step>"Step it"</button>
                <button type="button" class="secondary" disabled=idle on:click=move |_| trial.stop()>"Stop"</button>
                <button type="button" class="quiet" disabled=move || !idle() || draft.is_start() on:click=again>
                    "Reset the kernel"
                </button>
                {bar(idle, move || progress().1, move || Some(progress().0))}
            </div>
            <div role="status" class="verdict">{move || trial.outcome.with(|o| o.as_ref().map(|o| verdict(o, editor)))}</div>
            <p class="fine" hidden=move || trial.interpreted.with(Option::is_none)>
                {move || trial.interpreted.with(|why| why.as_ref().map(sentence))}
                " So your kernel is checked by an interpreter on the CPU, at the small sizes, against the same results. It isn’t timed."
            </p>
            {glass.view()}
            {with_help.then(|| help::view(puzzle, draft.work))}
        </div>
    }
    .into_any()
}

/// What came of a trial.
fn verdict(outcome: &Outcome, editor: Editor) -> AnyView {
    let sentence = outcome.sentence();
    match outcome {
        Outcome::Right(right) => {
            let caveat = (right.software && right.seconds > 0.0).then(|| {
                format!(
                    "“{}” is a GPU made of software: the result counts, but its time does not show how a GPU behaves.",
                    right.device
                )
            });
            view! {
                <div class="came-right">
                    <p><b>"✓ " {sentence}</b></p>
                    {caveat.map(|text| view! { <p>{text}</p> })}
                </div>
            }
            .into_any()
        }
        Outcome::Refused(notes) | Outcome::Unsound(_, notes) => {
            let notes = notes.iter().cloned().map(|note| complaint(note, editor)).collect_view();
            view! {
                <div class="message">
                    <p>{sentence}</p>
                    <ul class="complaints">{notes}</ul>
                </div>
            }
            .into_any()
        }
        Outcome::Untried(_) => view! {
            <div class="message">
                <p>{sentence}</p>
                <p>"Your text is kept; hints and solutions need no GPU."</p>
            </div>
        }
        .into_any(),
        _ => view! { <div class="message"><p>{sentence}</p></div> }.into_any(),
    }
}

/// What a compiler says, with a button that goes there.
fn complaint(note: Note, editor: Editor) -> AnyView {
    let Note { line, text, .. } = note;
    if line == 0 {
        return view! { <li>{text}</li> }.into_any();
    }
    view! {
        <li>
            <button type="button" class="quiet" on:click=move |_| editor.go_to(line)>{format!("Line {line}")}</button>
            " "
            {text}
        </li>
    }
    .into_any()
}

/// What was measured, once something was, and what the model says of the timed run.
fn numbers_of(trial: Trial, quantities: Memo<Vec<Quantity>>, puzzle: Memo<&'static str>) -> AnyView {
    let right = Memo::new(move |_| {
        trial.outcome.with(|outcome| match outcome {
            Some(Outcome::Right(right)) => Some(right.clone()),
            _ => None,
        })
    });
    let tried =
        Memo::new(move |_| trial.outcome.with(|o| o.as_ref().is_some_and(|o| !matches!(o, Outcome::Untried(_)))));
    let timed = Memo::new(move |_| right.with(|r| r.as_ref().is_some_and(|r| r.seconds > 0.0)));
    let seconds = Signal::derive(move || right.with(|r| r.as_ref().map_or(0.0, |r| r.seconds)));
    let verified = Signal::derive(move || f64::from(u8::from(right.with(Option::is_some))));
    let rate = move |id: &'static str| {
        Signal::derive(move || {
            let seconds = seconds.get();
            if seconds > 0.0 { readings::value(quantities, id) / seconds } else { 0.0 }
        })
    };
    let best = Signal::derive(move || {
        let of = |right: &Option<Right>| right.as_ref().map(|r| r.device.clone()).unwrap_or_default();
        let device = right.with(of);
        kept::of(puzzle.get()).best.iter().find(|b| b.device == device).map_or(0.0, |b| b.seconds)
    });
    view! {
        <dl class="readings">
            <Show when=move || tried.get()>
                {readings::verified("Correct result", verified)}
            </Show>
            <Show when=move || timed.get()>
                {readings::one("time", "Median time per run", Unit::Seconds, seconds)}
                {readings::one("best-time", "Your best time on this GPU", Unit::Seconds, best)}
                {readings::one("gflops", "Measured FLOP/s", Unit::FlopPerSecond, rate("flop"))}
                {readings::one("bandwidth", "Effective bandwidth", Unit::BytesPerSecond, rate("compulsory"))}
            </Show>
        </dl>
        {readings::view(&Params::ENTRY, quantities)}
    }
    .into_any()
}

/// Every puzzle with what its timed run comes to.
fn numbers() -> AnyView {
    let row = |p: &workbench::Puzzle| {
        let work = kept::of(p.id);
        let best = work.best.iter().map(|b| format!("{} ({})", Unit::Seconds.format(b.seconds), b.device));
        view! {
            <tr>
                <th scope="row">{p.title}</th>
                <td>{p.timed_at()}</td>
                <td class="number">{Unit::Flop.format(p.flop() as f64)}</td>
                <td class="number">{Unit::Bytes.format(p.compulsory() as f64)}</td>
                <td class="number">{Unit::Ratio.format(intensity(p.flop(), p.compulsory()))}</td>
                <td>{best.collect::<Vec<_>>().join("; ")}</td>
            </tr>
        }
    };
    view! {
        <Table
            columns=[
                words("Puzzle"),
                words("Timed at"),
                table::numbers("Work"),
                table::numbers("Minimum bytes moved"),
                table::numbers("FLOP/byte"),
                words("Your best"),
            ]
            rows=(move || PUZZLES.iter().map(row).collect_view()).into_any()
        />
    }
    .into_any()
}
