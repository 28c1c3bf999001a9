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

/// The grid with its tools, and a line that says what is wrong with the cell in focus.
pub(super) fn view(editor: Editor) -> AnyView {
    let params = editor.state.params();
    let tool = RwSignal::new("F");
    let cursor = RwSignal::new((0_usize, 0_usize));
    // The block that is being dragged, and where the pointer is.
    let dragged = RwSignal::new(None::<(usize, usize)>);
    let over = RwSignal::new(None::<usize>);
    let stem = StoredValue::new(unique_id("cell"));
    let cell_id = move |stage: usize, slot: usize| stem.with_value(|stem| format!("{stem}-{stage}-{slot}"));
    let all = Memo::new(move |_| params.with(cells));
    let all_kept = Memo::new(move |_| params.with(kept));
    let size = Memo::new(move |_| all.with(|rows| (rows.len(), rows.first().map_or(0, Vec::len))));
    // Of a board that has become smaller, the nearest cell that is left.
    let here = Memo::new(move |_| {
        let ((stage, slot), (rows, slots)) = (cursor.get(), size.get());
        (stage.min(rows.saturating_sub(1)), slot.min(slots.saturating_sub(1)))
    });

    let focus_here = move || {
        let (stage, slot) = here.get_untracked();
        focus(&cell_id(stage, slot))
    };
    let go = move |stage: usize, slot: usize| {
        cursor.set((stage, slot));
        cursor.set(here.get_untracked());
        // A cell that is not drawn yet gets the focus when it is. Until then the keys come from the one before.
        if !focus_here() {
            request_animation_frame(move || _ = focus_here());
        }
    };
    let put = move |stage: usize, slot: usize, kind: Option<Kind>| {
        let mut board = params.with_untracked(|p| p.board.clone());
        board.put(stage, slot, kind);
        editor.change(board);
        go(stage, slot);
    };
    let press = move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let (stage, slot) = here.get_untracked();
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
        let block = params.with_untracked(|p| p.board.at(stage, slot));
        let chosen = kind(tool.get_untracked());
        if block.is_none() || chosen.is_none() {
            put(stage, slot, chosen);
        } else {
            dragged.set(Some((stage, slot)));
            go(stage, slot);
        }
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

    let cell = move |stage: usize, slot: usize| {
        let cell = Memo::new(move |_| {
            all.with(|rows| rows.get(stage).and_then(|row| row.get(slot)).cloned().unwrap_or_default())
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
                id=cell_id(stage, slot)
                class="cell"
                class:forward=is(&[Kind::Forward])
                class:backward=is(&[Kind::Input, Kind::Backward])
                class:weight-gradient=is(&[Kind::Weight])
                class:wrong=move || cell.with(|c| !c.why.is_empty())
                class:target=move || over.get() == Some(slot) && dragged.get().is_some_and(|(s, _)| s == stage)
                class:lifted=move || dragged.get() == Some((stage, slot))
                data-stage=stage.to_string()
                data-slot=slot.to_string()
                aria-label=label
                tabindex=move || if here.get() == (stage, slot) { "0" } else { "-1" }
                on:focus=move |_| cursor.set((stage, slot))
            >
                {move || cell.with(|c| c.text.clone())}
            </div>
        }
    };
    let row = move |stage: usize| {
        let text = move || all_kept.with(|list| list.get(stage).map(|(text, _)| text.clone()));
        let too_much = move || all_kept.with(|list| list.get(stage).is_some_and(|(_, too_much)| *too_much));
        view! {
            <div role="row" class="editor-row">
                <div role="rowheader" class="editor-name">{stage}</div>
                <For each=move || 0..size.get().1 key=|slot| *slot children=move |slot| cell(stage, slot) />
                <div role="gridcell" class="editor-kept" class:wrong=too_much>{text}</div>
            </div>
        }
    };
    let columns = move || size.get().1.to_string();
    let about = move || {
        let (stage, slot) = here.get();
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
                <For each=move || 0..size.get().0 key=|stage| *stage children=row />
            </div>
        </div>
        <p class="editor-about" aria-live="polite">{about}</p>
    }
    .into_any()
}
