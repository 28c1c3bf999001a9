//! A pipeline schedule that the learner lays out: a grid to key or drag blocks into, what is wrong with them, and the known
//! schedules to be measured against.

mod grid;

use leptos::prelude::*;
use leptos::wasm_split::wasm_split;
use ringside_core::pipeline::Schedule;
use ringside_core::pipeline::board::Board;
use ringside_core::pipeline::editor::{EDITOR, EditorParams, MAX_BOARD_MICROBATCHES, MAX_BOARD_STAGES};
use ringside_core::quantity::{Unit, number};

use super::{Module, Props, param};
use crate::deferred::NotLoaded;
use crate::ui;
use crate::ui::figure::Figure;
use crate::ui::slider::{Scale, Slider};
use crate::ui::table::{Table, numbers, words};
use crate::widgets::readings;

/// Downloads the widget.
#[wasm_split(widget_schedule_editor, wasm_split_path = leptos::wasm_split, fallible)]
pub(super) fn load() -> Result<Module, NotLoaded> {
    Ok(Module { view, model: &EDITOR })
}

type State = ui::state::State<EditorParams>;

/// Most steps that can be undone.
const UNDONE: usize = 100;

/// The board, and what it was before.
#[derive(Clone, Copy)]
struct Editor {
    state: State,
    before: RwSignal<Vec<Board>>,
    /// What could not be done; empty if all could.
    refused: RwSignal<String>,
}

impl Editor {
    /// Changes the board, so that it can be undone.
    fn change(self, board: Board) {
        let now = self.state.params().with_untracked(|p| p.board.clone());
        self.refused.set(String::new());
        if board == now {
            return;
        }
        self.before.update(|list| {
            if list.len() == UNDONE {
                list.remove(0);
            }
            list.push(now);
        });
        self.state.update(|p| p.board = board);
    }

    fn undo(self) {
        // What is undone may be from a board of other measures, with a link in between.
        let back = self.before.try_update(Vec::pop).flatten();
        if let Some(board) = back {
            self.refused.set(String::new());
            self.state.update(|p| p.board = board);
        }
    }

    fn pack(self) {
        match self.state.params().with_untracked(|p| p.board.packed()) {
            Ok(board) => self.change(board),
            Err(fault) => self.refused.set(format!("This order cannot be run. {fault}")),
        }
    }

    fn load(self, schedule: Schedule) {
        let (stages, microbatches) = self.state.params().with_untracked(measures);
        self.change(Board::of(schedule, stages, microbatches));
    }
}

fn measures(p: &EditorParams) -> (u32, u32) {
    (p.board.rows.len() as u32, p.board.microbatches)
}

fn view(props: Props) -> AnyView {
    let state = State::new(props.query, EditorParams::read, EditorParams::query);
    let params = state.params();
    let editor = Editor { state, before: RwSignal::new(Vec::new()), refused: RwSignal::new(String::new()) };
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let (stages, microbatches) = measures(p);
            format!("{stages} stages · {microbatches} micro-batches · memory for {}", p.cap)
        })
    });
    view! {
        <Figure
            id=EDITOR.id
            title=EDITOR.title
            subtitle
            query=props.query
            alone=props.alone
            problems=state.problems()
            finding=Signal::derive(move || params.with(EditorParams::finding))
            notes="Every block takes one slot of a millisecond, and what is sent is there at once. The k-th F, B or W of a stage is that of \
                   micro-batch k."
            controls=controls(state)
            table=move || table(editor)
        >
            <div class="editor">
                {grid::view(editor)}
                {tools(editor)}
                {score(editor)}
                {readings(editor)}
            </div>
        </Figure>
    }
    .into_any()
}

fn controls(state: State) -> AnyView {
    let slider =
        move |name, label, max: u32, get: fn(&EditorParams) -> u32, set: fn(&EditorParams, u32) -> EditorParams| {
            let value = Signal::derive(move || f64::from(state.params().with(get)));
            let put = move |n: f64| {
                let next = state.params().with_untracked(|p| set(p, n as u32));
                state.set(&next);
            };
            let scale = Scale::Linear { min: 1.0, max: f64::from(max), step: 1.0 };
            view! { <Slider spec=param(&EDITOR, name) label value set=put scale format=number /> }
        };
    view! {
        <div class="control-grid">
            {slider("stages", "Stages", MAX_BOARD_STAGES, |p| measures(p).0, |p, n| p.emptied(n, p.board.microbatches))}
            {slider(
                "microbatches",
                "Micro-batches",
                MAX_BOARD_MICROBATCHES,
                |p| p.board.microbatches,
                |p, n| EditorParams { board: Board { microbatches: n, ..p.board.clone() }, ..p.clone() },
            )}
            {slider(
                "cap",
                "Micro-batches that fit into a stage",
                MAX_BOARD_MICROBATCHES,
                |p| p.cap,
                |p, cap| EditorParams { cap, ..p.clone() },
            )}
        </div>
    }
    .into_any()
}

fn tools(editor: Editor) -> AnyView {
    let nothing = move || editor.before.with(Vec::is_empty);
    let clear = move |_| {
        let (stages, microbatches) = editor.state.params().with_untracked(measures);
        editor.change(Board::new(stages, microbatches));
    };
    view! {
        <div class="editor-tools">
            <button type="button" on:click=move |_| editor.pack()>"Move all as early as they can"</button>
            <button type="button" class="secondary" disabled=nothing on:click=move |_| editor.undo()>"Undo"</button>
            <button type="button" class="secondary" on:click=clear>"Clear"</button>
            <button type="button" class="quiet" on:click=move |_| editor.load(Schedule::OneForwardOneBackward)>"Start from 1F1B"</button>
            <button type="button" class="quiet" on:click=move |_| editor.load(Schedule::ZeroBubbleH1)>"Show ZB-H1"</button>
        </div>
        <p class="fine" role="status">{move || editor.refused.get()}</p>
    }
    .into_any()
}

/// The learner's schedule among the known ones.
fn score(editor: Editor) -> AnyView {
    let rows = move || {
        editor.state.params().with(|p| {
            let own = p.quantities();
            let of = |id: &str| own.iter().find(|q| q.id == id).map_or(0.0, |q| q.value);
            let known = p.known().into_iter().map(|k| (k.schedule.label(), k.makespan, k.bubble, k.peak, ""));
            let state = if of("complete") == 1.0 { "yours" } else { "yours so far" };
            let yours = (state, of("makespan") * 1e3, of("bubble-fraction"), of("peak-in-flight"), "here");
            [yours]
                .into_iter()
                .chain(known)
                .map(|(name, makespan, bubble, peak, class)| {
                    view! {
                        <tr class=class>
                            <th scope="row">{name}</th>
                            <td class="number">{number(makespan)}</td>
                            <td class="number">{Unit::Fraction.format(bubble)}</td>
                            <td class="number">{number(peak)}</td>
                        </tr>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <Table
            scroll="Beside known schedules"
            class="editor-score"
            caption="Beside known schedules"
            columns=[words("schedule"), numbers("slots"), numbers("idle"), numbers("micro-batches kept")]
            rows=rows.into_any()
        />
    }
    .into_any()
}

fn readings(editor: Editor) -> impl IntoView {
    let quantities = Memo::new(move |_| editor.state.params().with(EditorParams::quantities));
    view! { <dl class="readings editor-readings">{readings::all(&EDITOR, quantities)}</dl> }
}

/// By stage, what is placed and what is wrong.
fn table(editor: Editor) -> AnyView {
    let rows = move || {
        editor.state.params().with(|p| {
            let troubles = p.troubles();
            let timeline = p.board.timeline();
            (0..p.board.rows.len())
                .map(|stage| {
                    let blocks: Vec<String> = p
                        .board
                        .ops(stage)
                        .map(|(slot, op)| format!("{}{} at {slot}", op.kind.letter(), op.microbatch))
                        .collect();
                    let wrong: Vec<&str> =
                        troubles.iter().filter(|t| t.stage == stage).map(|t| t.why.as_str()).collect();
                    view! {
                        <tr>
                            <th scope="row">{stage}</th>
                            <td>{blocks.join(", ")}</td>
                            <td class="number">{number(timeline.peak(stage as u32))}</td>
                            <td>{wrong.join(" ")}</td>
                        </tr>
                    }
                })
                .collect_view()
        })
    };
    view! {
        <Table
            caption="What is placed, by stage and slot"
            columns=[words("stage"), words("blocks"), numbers("micro-batches kept"), words("against a rule")]
            rows=rows.into_any()
        />
    }
    .into_any()
}
