//! A pipeline schedule that the learner lays out: a grid to key or drag blocks into, what is wrong with them, and the known
//! schedules to be measured against.

mod grid;
mod numbers;
mod tools;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::pipeline::Schedule;
use ringside_core::pipeline::board::Board;
use ringside_core::pipeline::editor::EditorParams;

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, readings};
use crate::ui;

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &EditorParams::ENTRY };

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
    let state = State::of(props.query);
    let params = state.params();
    let editor = Editor { state, before: RwSignal::new(Vec::new()), refused: RwSignal::new(String::new()) };
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let (stages, microbatches) = measures(p);
            format!("{stages} stages · {microbatches} micro-batches · memory for {}", p.cap)
        })
    });
    view! {
        <ModelFigure
            subtitle
            props
            state
            finding=Signal::derive(move || params.with(EditorParams::finding))
            controls=Controls::of(state).draw()
            below=(!props.compact).then(|| view! { {numbers::score(editor)} {readings(editor)} }.into_any())
            table=move || numbers::table(editor)
        >
            <div class="editor">
                {grid::view(editor)}
                {tools::view(editor)}
            </div>
        </ModelFigure>
    }
    .into_any()
}

fn readings(editor: Editor) -> impl IntoView {
    let quantities = Memo::new(move |_| editor.state.params().with(|p| p.quantities(&p.standing())));
    readings::view(&EditorParams::ENTRY, quantities)
}
