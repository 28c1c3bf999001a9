//! What attention reads for one query: the table above, the pool with the blocks that have been read below it, and what is known by
//! now.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::kv_cache::blocks::figure::{Params, Shown};
use ringside_core::kv_cache::blocks::serve::Name;
use ringside_core::quantity::{Unit, number};

use super::pool::{Grid, cells, colour};
use super::{Seen, State};
use crate::ui::markup::renewed;

/// Blocks of the table that are drawn around the one that is read.
const AROUND: usize = 14;

fn table(params: &Params, shown: &Shown) -> String {
    let Some(row) = params.walked(shown) else { return String::new() };
    let read = params.blocks_read(shown);
    let from = read.saturating_sub(AROUND / 2).min(row.blocks.len().saturating_sub(AROUND));
    let mut html = String::new();
    for (i, block) in row.blocks.iter().enumerate().skip(from).take(AROUND) {
        let class = match i + 1 {
            at if at == read => "now",
            at if at < read => "read",
            _ => "",
        };
        let first = i as u64 * params.block;
        let last = (first + params.block).min(row.stored).max(first + 1) - 1;
        // Writing to a string does not fail; so below.
        let _ = write!(html, "<li class=\"{class}\"><small>tokens {first}–{last}</small><b>{block}</b></li>");
    }
    html
}

fn pool(params: &Params, shown: &Shown) -> String {
    let grid = Grid::of(params);
    let read = params.blocks_read(shown);
    let blocks: Vec<u64> = shown.visits.iter().take(read).map(|visit| u64::from(visit.physical)).collect();
    let mut svg = format!(
        "<svg viewBox=\"0 0 900 {:.1}\" role=\"img\" aria-label=\"{}\">{}",
        grid.high(),
        ringside_drawing::escaped(&params.finding(shown)),
        cells(params, shown, &grid)
    );
    let _ = write!(svg, "<path class=\"was-read\" d=\"{}\"/>", grid.outline(blocks.iter().copied()));
    // The way from block to block.
    let middle = |block: &u64| {
        let [x, y, wide, high] = grid.cell(*block);
        (x + wide / 2.0, y + high / 2.0)
    };
    let mut way = String::new();
    for (i, block) in blocks.iter().enumerate() {
        let (x, y) = middle(block);
        let _ = write!(way, "{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" });
    }
    let _ = write!(svg, "<path class=\"way\" d=\"{way}\"/>");
    if let Some(last) = blocks.last() {
        let _ = write!(svg, "<path class=\"is-read\" d=\"{}\"/>", grid.outline([*last].into_iter()));
    }
    svg.push_str("</svg>");
    svg
}

fn known(params: &Params, shown: &Shown) -> String {
    let visit = params.blocks_read(shown).checked_sub(1).and_then(|i| shown.visits.get(i));
    let or = |of: fn(&ringside_core::kv_cache::blocks::walk::Visit) -> String| visit.map_or("–".to_owned(), of);
    let output = or(|v| v.output.iter().map(|o| format!("{o:.3}")).collect::<Vec<_>>().join(", "));
    let read = params.walked(shown).map_or(0, |row| row.stored) as f64;
    format!(
        "<span>largest score <b>{}</b></span><span>sum of exponentials <b>{}</b></span><span>output so far <b>{output}</b></span><span>a layer reads \
         <b>{}</b> on each GPU</span>",
        or(|v| number(v.maximum)),
        or(|v| number(v.sum)),
        Unit::Bytes.format(read * shown.fit.on_gpu / layers(params)),
    )
}

fn layers(params: &Params) -> f64 {
    params.model.shape().map_or(1.0, |shape| shape.num_hidden_layers.max(1) as f64)
}

/// The drawing, and a button for each sequence that has a table.
pub(super) fn view(state: State, shown: Seen) -> AnyView {
    let params = state.params();
    let now = move |of: fn(&Params, &Shown) -> String| move || params.with(|p| shown.with(|s| of(p, s)));
    let names = Memo::new(move |_| shown.with(|s| s.tables().map(|row| row.name).collect::<Vec<Name>>()));
    let walked = Memo::new(move |_| params.with(|p| shown.with(|s| p.walked(s).map(|row| row.name))));
    let button = move |(i, name): (usize, Name)| {
        let choose = move |_| {
            state.update(|p| {
                p.sequence = i as u64 + 1;
                p.at = ringside_core::kv_cache::blocks::figure::ALL_STEPS;
            });
        };
        view! {
            <button
                type="button"
                class=format!("quiet {}", colour(name.request))
                aria-pressed=move || (walked.get() == Some(name)).to_string()
                on:click=choose
            >
                {name.to_string()}
            </button>
        }
    };
    view! {
        <div class="kv-who" role="group" aria-label="The sequence that is read">
            <span>"Read the table of"</span>
            {move || names.get().into_iter().enumerate().map(button).collect_view()}
        </div>
        <ol class="kv-walk" aria-label="Its table" use:renewed=now(table)></ol>
        <div class="kv-pool walked" data-answer="" use:renewed=now(pool)></div>
        <p class="kv-known" data-answer="" use:renewed=now(known)></p>
    }
    .into_any()
}
