//! The list's blocks in order: each is moved by dragging its handle or by its buttons, timed, or taken out.

use leptos::ev::DragEvent;
use leptos::prelude::*;
use ringside_content::words::duration;
use ringside_core::quantity::counted;
use ringside_learner::MOST_MINUTES;
use ringside_learner::order::{self, Block};

use crate::ui::{dom, focus_soon};

/// The blocks of `list`; nothing of an empty one.
pub(super) fn view(list: RwSignal<String>) -> AnyView {
    let blocks = Memo::new(move |_| list.with(|list| order::blocks(list)));
    let order = Order { list, dragged: StoredValue::new(None), said: RwSignal::new(String::new()) };
    let rows = move || {
        let blocks = blocks.get();
        let last = blocks.len().saturating_sub(1);
        blocks.into_iter().enumerate().map(|(at, block)| order.row(at, last, block)).collect_view()
    };
    let sum = move || {
        blocks.with(|blocks| {
            let minutes: u32 = blocks.iter().filter_map(|block| block.minutes).sum();
            let open = blocks.iter().filter(|block| block.minutes.is_none()).count();
            let all = counted(blocks.len() as u64, "line", "lines");
            match (minutes, open) {
                (0, _) => format!("{all}. Give each its minutes to see how long the talk takes."),
                (_, 0) => format!("{all}, {}.", duration(minutes)),
                _ => format!(
                    "{all}: {} so far, and {} without minutes.",
                    duration(minutes),
                    counted(open as u64, "line", "lines")
                ),
            }
        })
    };
    view! {
        <div class="lecture-order sans" hidden=move || blocks.with(Vec::is_empty)>
            <ol aria-label="Slides in order">{rows}</ol>
            <p class="lecture-sum">{sum}</p>
            <p class="visually-hidden" role="status">{order.said}</p>
        </div>
    }
    .into_any()
}

#[derive(Clone, Copy)]
struct Order {
    list: RwSignal<String>,
    /// The block that is being dragged.
    dragged: StoredValue<Option<usize>>,
    /// What was moved last, and where to.
    said: RwSignal<String>,
}

/// The id of a button that moves a block up, or down.
fn id(up: bool, at: usize) -> String {
    format!("lecture-{}-{at}", if up { "up" } else { "down" })
}

impl Order {
    fn row(self, at: usize, last: usize, block: Block) -> AnyView {
        let Block { title, minutes, .. } = block;
        let name = StoredValue::new(title.clone());
        let go = move |to: usize| {
            self.list.update(|list| *list = order::moved(list, at, to));
            self.said.set(format!("{}: place {} of {}.", name.get_value(), to + 1, last + 1));
        };
        let step = move |up: bool| {
            let to = if up { at.saturating_sub(1) } else { (at + 1).min(last) };
            go(to);
            // The focus goes with the block; at an end, the other button has it.
            focus_soon(id(if to == 0 { false } else { up || to == last }, to));
        };
        let dropped = move |event: DragEvent| {
            event.prevent_default();
            if let Some(from) = self.dragged.get_value().filter(|from| *from != at) {
                self.list.update(|list| *list = order::moved(list, from, at));
            }
            self.dragged.set_value(None);
        };
        let shown = minutes.map(|minutes| minutes.to_string()).unwrap_or_default();
        let before = StoredValue::new(shown.clone());
        let time = move |event: leptos::ev::Event| {
            let field: web_sys::HtmlInputElement = event_target(&event);
            let typed = field.value();
            match ringside_learner::minutes(&typed).filter(|minutes| (1..=MOST_MINUTES).contains(minutes)) {
                None if !typed.trim().is_empty() => field.set_value(&before.get_value()),
                minutes => self.list.update(|list| *list = order::timed(list, at, minutes)),
            }
        };
        view! {
            <li
                on:dragover=move |event: DragEvent| if self.dragged.with_value(Option::is_some) { event.prevent_default() }
                on:drop=dropped
            >
                // Text in a line that is draggable as a whole can't be selected.
                <span
                    class="lecture-grip"
                    draggable="true"
                    title="Drag to move"
                    on:dragstart=move |event: DragEvent| {
                        dom::drag(&event);
                        self.dragged.set_value(Some(at));
                    }
                    on:dragend=move |_| self.dragged.set_value(None)
                ></span>
                <span class="lecture-title">{title.clone()}</span>
                <label>
                    <input type="text" inputmode="numeric" maxlength="16" aria-label=format!("Minutes for {title}") prop:value=shown on:change=time />
                    " min"
                </label>
                <button type="button" class="quiet" id=id(true, at) disabled=at == 0 aria-label=format!("Move {title} up") on:click=move |_| step(true)>"↑"</button>
                <button type="button" class="quiet" id=id(false, at) disabled=at == last aria-label=format!("Move {title} down") on:click=move |_| step(false)>"↓"</button>
                <button type="button" class="quiet" aria-label=format!("Remove {title}") on:click=move |_| self.list.update(|list| *list = order::without(list, at))>"×"</button>
            </li>
        }
        .into_any()
    }
}
