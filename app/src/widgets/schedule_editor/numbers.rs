//! The learner's schedule among the known ones, and block by block.

use leptos::prelude::*;
use ringside_core::quantity::{Unit, number};

use super::Editor;
use crate::ui::debounced::debounced;
use crate::ui::table::{Table, numbers, words};

/// The learner's schedule among the known ones.
pub(super) fn score(editor: Editor) -> AnyView {
    let params = debounced(editor.state.params());
    let rows = move || {
        params.with(|p| {
            let own = p.standing();
            let known = p.known().into_iter().map(|k| (k.schedule.label(), k.makespan, k.bubble, k.peak, ""));
            let state = if own.is_complete() { "yours" } else { "yours so far" };
            let yours = (state, own.makespan, own.bubble, own.peak, "here");
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

/// By stage, what is placed and what is wrong.
pub(super) fn table(editor: Editor) -> AnyView {
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
