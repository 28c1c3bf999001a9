//! A line for each sequence: where it is, how long, and the blocks of its table.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::kv_cache::blocks::figure::{Params, Shown};
use ringside_core::kv_cache::blocks::serve::{Keeper, Name, Row, Stage};
use ringside_core::quantity::{Unit, grouped};

use super::Seen;
use super::pool::colour;
use crate::ui::markup::renewed;
use crate::ui::table::{Table, numbers, words};

/// Blocks of a table that are named; a longer one names its ends.
const NAMED: usize = 12;

/// Every sequence that there ever is, whether it is there now or not.
fn names(params: &Params) -> Vec<Name> {
    let of = |(request, r): (usize, &ringside_core::kv_cache::blocks::requests::Request)| {
        let numbers = if r.wide > 1 { 1..=r.wide } else { 0..=0 };
        numbers.map(move |number| Name { request, number })
    };
    params.requests.0.iter().enumerate().flat_map(of).collect()
}

fn state_of(row: Option<&Row>, shown: &Shown, name: Name) -> (&'static str, String) {
    match row {
        Some(row) if row.stage == Stage::Running => {
            ("runs", format!("{} of {}", grouped(row.stored), grouped(row.last)))
        }
        Some(row) if row.stage == Stage::Swapped => ("swapped", format!("{} on the host", grouped(row.stored))),
        Some(_) => ("waits", "waits".to_owned()),
        // A sample that has not forked yet has the first of its request still there.
        None if shown.run.rows.iter().any(|row| row.name.request == name.request) => ("waits", "not yet".to_owned()),
        None => ("over", "has ended".to_owned()),
    }
}

/// The blocks of a table, those in the middle of a long one left out.
fn chips(html: &mut String, row: &Row) {
    let all = row.blocks.len();
    let mut put = |block: u32| {
        // Writing to a string does not fail; so below.
        let _ = write!(html, "<i>{block}</i>");
    };
    if all <= NAMED {
        row.blocks.iter().for_each(|block| put(*block));
        return;
    }
    row.blocks.iter().take(NAMED / 2).for_each(|block| put(*block));
    let last: Vec<u32> = row.blocks.iter().skip(all - NAMED / 2 + 1).copied().collect();
    let _ = write!(html, "<b>… {} …</b>", all - NAMED + 1);
    for block in last {
        let _ = write!(html, "<i>{block}</i>");
    }
}

fn lines(params: &Params, shown: &Shown) -> String {
    let mut html = String::new();
    for name in names(params) {
        let row = shown.run.rows.iter().find(|row| row.name == name);
        let (class, state) = state_of(row, shown, name);
        let _ = write!(
            html,
            "<li class=\"{} {class}\"><span class=\"who\">{name}</span><span class=\"how\">{state}</span><span class=\"blocks\">",
            colour(name.request)
        );
        if let Some(row) = row {
            chips(&mut html, row);
        }
        html.push_str("</span></li>");
    }
    html
}

/// The lines.
pub(super) fn view(params: Memo<Params>, shown: Seen) -> AnyView {
    let rows = move || params.with(|p| shown.with(|s| lines(p, s)));
    view! { <ul class="kv-tables" aria-label="Block tables" data-answer="" use:renewed=rows></ul> }.into_any()
}

/// Every step, as numbers.
pub(super) fn all(params: Memo<Params>, shown: Seen) -> AnyView {
    let rows = move || {
        shown.with(|s| {
            let row = |(i, tick): (usize, &ringside_core::kv_cache::blocks::serve::Tick)| {
                let usage = tick.usage;
                view! {
                    <tr>
                        <th scope="row" class="number">{i + 1}</th>
                        <td class="number">{grouped(tick.running)}</td>
                        <td class="number">{grouped(tick.waiting)}</td>
                        <td class="number">{grouped(tick.swapped)}</td>
                        <td class="number">{grouped(tick.computed)}</td>
                        <td class="number">{grouped(usage.tokens)}</td>
                        <td class="number">{grouped(usage.later)}</td>
                        <td class="number">{grouped(usage.never)}</td>
                        <td class="number">{grouped(usage.free)}</td>
                        <td class="number">{Unit::Fraction.format(usage.utilisation())}</td>
                    </tr>
                }
            };
            s.run.ticks.iter().take(400).enumerate().map(row).collect_view()
        })
    };
    let caption = Signal::derive(move || {
        let kind = params.with(|p| p.keeper);
        let what = if kind == Keeper::Hashed { "free, what can be found again included" } else { "free" };
        format!("Slots at each step by what they are for; the last but one column: {what}")
    });
    view! {
        <Table
            scroll="Every step"
            caption
            columns=[
                numbers("Step"),
                numbers("run"),
                numbers("wait"),
                numbers("on the host"),
                numbers("tokens computed"),
                numbers("tokens"),
                numbers("for later"),
                numbers("for none"),
                numbers("free"),
                words("tokens of what is held"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
