//! The grid: a row for each stage, a cell for each slot. Keys and clicks place blocks, drags move them.
//!
//! A cell stays the element that it is whatever stands in it, and the focus moves to the next one before a key's event is
//! over. So there is always a cell in focus, and no key is lost however fast they come.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use ringside_core::pipeline::Kind;
use ringside_core::pipeline::editor::{EditorParams, slots_shown};
use ringside_core::quantity::number;

use super::Editor;
use crate::ui::segmented::Segmented;
use crate::ui::{focus, unique_id};

/// What a click on an empty cell puts there.
const TOOLS: [(&str, &str); 4] = [("F", "F forward"), ("B", "B input"), ("W", "W weights"), ("erase", "erase")];

/// A cell as it is drawn.
#[derive(Debug, Clone, PartialEq, Default)]
struct Cell {
    text: String,
    kind: Option<Kind>,
    /// What is wrong with it.
    why: String,
}

fn kind(tool: &str) -> Option<Kind> {
    match tool {
        "F" => Some(Kind::Forward),
        "B" => Some(Kind::Input),
        "W" => Some(Kind::Weight),
        _ => None,
    }
}

/// The cells of every stage.
fn cells(p: &EditorParams) -> Vec<Vec<Cell>> {
    let troubles = p.troubles();
    let shown = slots_shown(p);
    let row = |stage: usize| {
        let mut row = vec![Cell::default(); shown];
        for (slot, op) in p.board.ops(stage) {
            let why: Vec<&str> =
                troubles.iter().filter(|t| (t.stage, t.slot) == (stage, slot)).map(|t| t.why.as_str()).collect();
            if let Some(cell) = row.get_mut(slot) {
                *cell = Cell {
                    text: format!("{}{}", op.kind.letter(), op.microbatch),
                    kind: Some(op.kind),
                    why: why.join(" "),
                };
            }
        }
        row
    };
    (0..p.board.rows.len()).map(row).collect()
}

/// How many micro-batches every stage keeps, in words, and whether those are too many.
fn kept(p: &EditorParams) -> Vec<(String, bool)> {
    let timeline = p.board.timeline();
    let of_stage = |stage: usize| {
        let peak = timeline.peak(stage as u32);
        (format!("{} of {}", number(peak), p.cap), peak > f64::from(p.cap))
    };
    (0..p.board.rows.len()).map(of_stage).collect()
}

/// The grid: where the keys are, and what is dragged.
#[derive(Clone, Copy)]
struct Grid {
    editor: Editor,
    /// What a click on an empty cell puts there.
    tool: RwSignal<&'static str>,
    cursor: RwSignal<(usize, usize)>,
    /// The cursor, or on a board that has become smaller the nearest cell that is left.
    here: Memo<(usize, usize)>,
    /// The block that is being dragged.
    dragged: RwSignal<Option<(usize, usize)>>,
    /// The slot under the pointer that drags.
    over: RwSignal<Option<usize>>,
    stem: StoredValue<String>,
    all: Memo<Vec<Vec<Cell>>>,
    all_kept: Memo<Vec<(String, bool)>>,
    /// Stages and slots.
    size: Memo<(usize, usize)>,
}

impl Grid {
    fn new(editor: Editor) -> Self {
        let params = editor.state.params();
        let cursor = RwSignal::new((0_usize, 0_usize));
        let all = Memo::new(move |_| params.with(cells));
        let size = Memo::new(move |_| all.with(|rows| (rows.len(), rows.first().map_or(0, Vec::len))));
        let here = Memo::new(move |_| {
            let ((stage, slot), (rows, slots)) = (cursor.get(), size.get());
            (stage.min(rows.saturating_sub(1)), slot.min(slots.saturating_sub(1)))
        });
        Self {
            editor,
            tool: RwSignal::new("F"),
            cursor,
            here,
            dragged: RwSignal::new(None),
            over: RwSignal::new(None),
            stem: StoredValue::new(unique_id("cell")),
            all,
            all_kept: Memo::new(move |_| params.with(kept)),
            size,
        }
    }

    fn cell_id(self, stage: usize, slot: usize) -> String {
        self.stem.with_value(|stem| format!("{stem}-{stage}-{slot}"))
    }

    fn focus_here(self) -> bool {
        let (stage, slot) = self.here.get_untracked();
        focus(&self.cell_id(stage, slot))
    }

    fn go(self, stage: usize, slot: usize) {
        self.cursor.set((stage, slot));
        self.cursor.set(self.here.get_untracked());
        // A cell that is not drawn yet gets the focus when it is. Until then the keys come from the one before.
        if !self.focus_here() {
            request_animation_frame(move || _ = self.focus_here());
        }
    }

    fn put(self, stage: usize, slot: usize, kind: Option<Kind>) {
        let mut board = self.editor.state.params().with_untracked(|p| p.board.clone());
        board.put(stage, slot, kind);
        self.editor.change(board);
        self.go(stage, slot);
    }

    fn press(self, event: KeyboardEvent) {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let (stage, slot) = self.here.get_untracked();
        match event.key().as_str() {
            "ArrowLeft" => self.go(stage, slot.saturating_sub(1)),
            "ArrowRight" => self.go(stage, slot + 1),
            "ArrowUp" => self.go(stage.saturating_sub(1), slot),
            "ArrowDown" => self.go(stage + 1, slot),
            "Home" => self.go(stage, 0),
            "End" => self.go(stage, usize::MAX),
            "Delete" => self.put(stage, slot, None),
            "Backspace" => {
                self.put(stage, slot, None);
                self.go(stage, slot.saturating_sub(1));
            }
            " " | "Enter" => self.put(stage, slot, kind(self.tool.get_untracked())),
            key => match kind(key.to_ascii_uppercase().as_str()) {
                Some(kind) => {
                    self.put(stage, slot, Some(kind));
                    self.go(stage, slot + 1);
                }
                None => return,
            },
        }
        event.prevent_default();
        event.stop_propagation();
    }

    /// The cell under the pointer: on a touch screen the events of a drag go to where it began.
    fn under(event: &PointerEvent) -> Option<(usize, usize)> {
        let element = document().element_from_point(event.client_x() as f32, event.client_y() as f32)?;
        let cell = element.closest("[data-slot]").ok().flatten()?;
        let number = |name: &str| cell.get_attribute(name).and_then(|text| text.parse::<usize>().ok());
        Some((number("data-stage")?, number("data-slot")?))
    }

    fn down(self, event: PointerEvent) {
        if event.button() != 0 {
            return;
        }
        let Some((stage, slot)) = Self::under(&event) else { return };
        let block = self.editor.state.params().with_untracked(|p| p.board.at(stage, slot));
        let chosen = kind(self.tool.get_untracked());
        if block.is_none() || chosen.is_none() {
            self.put(stage, slot, chosen);
        } else {
            self.dragged.set(Some((stage, slot)));
            self.go(stage, slot);
        }
    }

    fn moved(self, event: PointerEvent) {
        if let Some((stage, _)) = self.dragged.get_untracked() {
            self.over.set(Self::under(&event).filter(|(s, _)| *s == stage).map(|(_, slot)| slot));
        }
    }

    fn up(self, event: PointerEvent) {
        let Some((stage, slot)) = self.dragged.get_untracked() else { return };
        self.dragged.set(None);
        self.over.set(None);
        let Some((_, to)) = Self::under(&event).filter(|(s, to)| *s == stage && *to != slot) else { return };
        let mut board = self.editor.state.params().with_untracked(|p| p.board.clone());
        let block = board.at(stage, slot);
        board.put(stage, slot, None);
        board.put(stage, to, block);
        self.editor.change(board);
        self.go(stage, to);
    }

    fn cancel(self) {
        self.dragged.set(None);
        self.over.set(None);
    }

    fn cell(self, stage: usize, slot: usize) -> impl IntoView {
        let cell = Memo::new(move |_| {
            self.all.with(|rows| rows.get(stage).and_then(|row| row.get(slot)).cloned().unwrap_or_default())
        });
        let is = move |kinds: &'static [Kind]| move || cell.with(|c| c.kind.is_some_and(|kind| kinds.contains(&kind)));
        let label = move || {
            cell.with(|c| {
                let what = if c.text.is_empty() { "empty" } else { &c.text };
                let colon = if c.why.is_empty() { "" } else { ". " };
                format!("stage {stage}, slot {slot}: {what}{colon}{}", c.why)
            })
        };
        view! {
            <div
                role="gridcell"
                id=self.cell_id(stage, slot)
                class="cell"
                class:forward=is(&[Kind::Forward])
                class:backward=is(&[Kind::Input, Kind::Backward])
                class:weight-gradient=is(&[Kind::Weight])
                class:wrong=move || cell.with(|c| !c.why.is_empty())
                class:target=move || self.over.get() == Some(slot) && self.dragged.get().is_some_and(|(s, _)| s == stage)
                class:lifted=move || self.dragged.get() == Some((stage, slot))
                data-stage=stage.to_string()
                data-slot=slot.to_string()
                aria-label=label
                tabindex=move || if self.here.get() == (stage, slot) { "0" } else { "-1" }
                on:focus=move |_| self.cursor.set((stage, slot))
            >
                {move || cell.with(|c| c.text.clone())}
            </div>
        }
    }

    fn row(self, stage: usize) -> impl IntoView {
        let text = move || self.all_kept.with(|list| list.get(stage).map(|(text, _)| text.clone()));
        let too_much = move || self.all_kept.with(|list| list.get(stage).is_some_and(|(_, too_much)| *too_much));
        view! {
            <div role="row" class="editor-row">
                <div role="rowheader" class="editor-name">{stage}</div>
                <For each=move || 0..self.size.get().1 key=|slot| *slot children=move |slot| self.cell(stage, slot) />
                <div role="gridcell" class="editor-kept" class:wrong=too_much>{text}</div>
            </div>
        }
    }

    /// What there is to say of the cell in focus.
    fn about(self) -> String {
        let (stage, slot) = self.here.get();
        self.all.with(|rows| {
            let cell = rows.get(stage).and_then(|row| row.get(slot));
            match cell {
                Some(cell) if !cell.why.is_empty() => cell.why.clone(),
                Some(cell) if !cell.text.is_empty() => format!("{} on stage {stage}, slot {slot}: allowed.", cell.text),
                _ => "Keys: F, B, W place a block, Delete takes it away, arrows move. Or click, and drag blocks along their stage.".to_owned(),
            }
        })
    }
}

/// The grid with its tools, and a line that says what is wrong with the cell in focus.
pub(super) fn view(editor: Editor) -> AnyView {
    let grid = Grid::new(editor);
    let columns = move || grid.size.get().1.to_string();
    let set = move |id: &'static str| grid.tool.set(id);
    view! {
        <Segmented name="tool" label="A click places" options=TOOLS.to_vec() value=grid.tool set />
        <div class="editor-scroll">
            <div
                class="editor-grid"
                role="grid"
                aria-label="Stages and slots"
                style=("--slots", columns)
                on:keydown=move |event| grid.press(event)
                on:pointerdown=move |event| grid.down(event)
                on:pointermove=move |event| grid.moved(event)
                on:pointerup=move |event| grid.up(event)
                on:pointercancel=move |_| grid.cancel()
            >
                <For each=move || 0..grid.size.get().0 key=|stage| *stage children=move |stage| grid.row(stage) />
            </div>
        </div>
        <p class="editor-about" aria-live="polite">{move || grid.about()}</p>
    }
    .into_any()
}
