//! The grid: a row for each stage, a cell for each slot. Keys and clicks place blocks, drags move them.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;
use ringside_core::pipeline::Kind;
use ringside_core::pipeline::editor::{EditorParams, slots_shown};
use ringside_core::quantity::number;

use super::Editor;
use crate::ui::segmented::Segmented;
use crate::ui::{focus_soon, unique_id};

/// What a click on an empty cell puts there.
const TOOLS: [(&str, &str); 4] = [("F", "F forward"), ("B", "B input"), ("W", "W weights"), ("erase", "erase")];

/// A cell as it is drawn.
#[derive(Debug, Clone, PartialEq)]
struct Cell {
    text: String,
    class: &'static str,
    /// What is wrong with it.
    why: String,
}

fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Forward => "forward",
        Kind::Input | Kind::Backward => "backward",
        Kind::Weight => "weight-gradient",
    }
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
        let mut row = vec![Cell { text: String::new(), class: "", why: String::new() }; shown];
        for (slot, op) in p.board.ops(stage) {
            let why: Vec<&str> =
                troubles.iter().filter(|t| (t.stage, t.slot) == (stage, slot)).map(|t| t.why.as_str()).collect();
            if let Some(cell) = row.get_mut(slot) {
                *cell = Cell {
                    text: format!("{}{}", op.kind.letter(), op.microbatch),
                    class: class(op.kind),
                    why: why.join(" "),
                };
            }
        }
        row
    };
    (0..p.board.rows.len()).map(row).collect()
}

/// The grid with its tools, and a line that says what is wrong with the cell in focus.
pub(super) fn view(editor: Editor) -> AnyView {
    let params = editor.state.params();
    let tool = RwSignal::new("F");
    let cursor = RwSignal::new((0_usize, 0_usize));
    // The block that is being dragged, and where the pointer is.
    let dragged = RwSignal::new(None::<(usize, usize)>);
    let over = RwSignal::new(None::<usize>);
    let stem = unique_id("cell");
    let id = StoredValue::new(stem);
    let cell_id = move |stage: usize, slot: usize| id.with_value(|stem| format!("{stem}-{stage}-{slot}"));
    let all = Memo::new(move |_| params.with(cells));
    let size = move || all.with_untracked(|rows| (rows.len(), rows.first().map_or(0, Vec::len)));

    let go = move |stage: usize, slot: usize| {
        let (rows, slots) = size();
        let to = (stage.min(rows.saturating_sub(1)), slot.min(slots.saturating_sub(1)));
        cursor.set(to);
        focus_soon(cell_id(to.0, to.1));
    };
    let put = move |stage: usize, slot: usize, kind: Option<Kind>| {
        let mut board = params.with_untracked(|p| p.board.clone());
        board.put(stage, slot, kind);
        editor.change(board);
        // The cells are drawn anew: the one in focus goes.
        focus_soon(cell_id(stage, slot));
    };
    let press = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let (stage, slot) = cursor.get_untracked();
        match event.key().as_str() {
            "ArrowLeft" => go(stage, slot.saturating_sub(1)),
            "ArrowRight" => go(stage, slot + 1),
            "ArrowUp" => go(stage.saturating_sub(1), slot),
            "ArrowDown" => go(stage + 1, slot),
            "Home" => go(stage, 0),
            "End" => go(stage, usize::MAX),
            "Delete" => put(stage, slot, None),
            "Backspace" => {
                put(stage, slot, None);
                go(stage, slot.saturating_sub(1));
            }
            " " | "Enter" => put(stage, slot, kind(tool.get_untracked())),
            key => match kind(key.to_ascii_uppercase().as_str()) {
                Some(kind) => {
                    put(stage, slot, Some(kind));
                    go(stage, slot + 1);
                }
                None => return,
            },
        }
        event.prevent_default();
        event.stop_propagation();
    };

    // The cell under the pointer: on a touch screen the events of a drag go to where it began.
    let under = move |event: &PointerEvent| -> Option<(usize, usize)> {
        let element = document().element_from_point(event.client_x() as f32, event.client_y() as f32)?;
        let cell = element.closest("[data-slot]").ok().flatten()?;
        let number = |name: &str| cell.get_attribute(name).and_then(|text| text.parse::<usize>().ok());
        Some((number("data-stage")?, number("data-slot")?))
    };
    let down = move |event: PointerEvent| {
        if event.button() != 0 {
            return;
        }
        let Some((stage, slot)) = under(&event) else { return };
        cursor.set((stage, slot));
        let block = params.with_untracked(|p| p.board.at(stage, slot));
        let chosen = kind(tool.get_untracked());
        if block.is_none() || chosen.is_none() {
            put(stage, slot, chosen);
        } else {
            dragged.set(Some((stage, slot)));
        }
        focus_soon(cell_id(stage, slot));
    };
    let moved = move |event: PointerEvent| {
        if let Some((stage, _)) = dragged.get_untracked() {
            over.set(under(&event).filter(|(s, _)| *s == stage).map(|(_, slot)| slot));
        }
    };
    let up = move |event: PointerEvent| {
        let Some((stage, slot)) = dragged.get_untracked() else { return };
        dragged.set(None);
        over.set(None);
        let Some((_, to)) = under(&event).filter(|(s, to)| *s == stage && *to != slot) else { return };
        let mut board = params.with_untracked(|p| p.board.clone());
        let block = board.at(stage, slot);
        board.put(stage, slot, None);
        board.put(stage, to, block);
        editor.change(board);
        go(stage, to);
    };
    let cancel = move |_| {
        dragged.set(None);
        over.set(None);
    };

    let row = move |(stage, row): (usize, Vec<Cell>)| {
        let cell = move |(slot, cell): (usize, Cell)| {
            let wrong = !cell.why.is_empty();
            let what = if cell.text.is_empty() { "empty" } else { &cell.text };
            let colon = if wrong { ". " } else { "" };
            let label = format!("stage {stage}, slot {slot}: {what}{colon}{}", cell.why);
            view! {
                <div
                    role="gridcell"
                    id=cell_id(stage, slot)
                    class=format!("cell {}", cell.class)
                    class:wrong=wrong
                    class:target=move || over.get() == Some(slot) && dragged.get().is_some_and(|(s, _)| s == stage)
                    class:lifted=move || dragged.get() == Some((stage, slot))
                    data-stage=stage.to_string()
                    data-slot=slot.to_string()
                    aria-label=label
                    tabindex=move || if cursor.get() == (stage, slot) { "0" } else { "-1" }
                    on:focus=move |_| cursor.set((stage, slot))
                >
                    {cell.text}
                </div>
            }
        };
        let kept = move || {
            params.with(|p| {
                let peak = p.board.timeline().peak(stage as u32);
                (format!("{} of {}", number(peak), p.cap), peak > f64::from(p.cap))
            })
        };
        view! {
            <div role="row" class="editor-row">
                <div role="rowheader" class="editor-name">{stage}</div>
                {row.into_iter().enumerate().map(cell).collect_view()}
                <div role="gridcell" class="editor-kept" class:wrong=move || kept().1>{move || kept().0}</div>
            </div>
        }
    };
    let rows = move || all.get().into_iter().enumerate().map(row).collect_view();
    let columns = move || all.with(|rows| rows.first().map_or(0, Vec::len).to_string());
    let about = move || {
        let (stage, slot) = cursor.get();
        all.with(|rows| {
            let cell = rows.get(stage).and_then(|row| row.get(slot));
            match cell {
                Some(cell) if !cell.why.is_empty() => cell.why.clone(),
                Some(cell) if !cell.text.is_empty() => format!("{} on stage {stage}, slot {slot}: allowed.", cell.text),
                _ => "Keys: F, B, W place a block, Delete takes it away, arrows move. Or click, and drag blocks along their stage.".to_owned(),
            }
        })
    };
    let set = move |id: &'static str| tool.set(id);
    view! {
        <Segmented name="tool" label="A click places" options=TOOLS.to_vec() value=tool set />
        <div class="editor-scroll">
            <div
                class="editor-grid"
                role="grid"
                aria-label="Stages and slots"
                style=("--slots", columns)
                on:keydown=press
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=up
                on:pointercancel=cancel
            >
                {rows}
            </div>
        </div>
        <p class="editor-about" aria-live="polite">{about}</p>
    }
    .into_any()
}
