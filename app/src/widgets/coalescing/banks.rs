//! Shared memory in its 32 banks: the rows of it that a warp reads, with the lane in each word and the pass in which it is served.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::coalescing::banks::BANKS;
use ringside_core::coalescing::{Cost, Params};

use crate::widgets::outcome::Shown;

/// Width and height of a word.
const CELL: (f64, f64) = (28.0, 16.0);
/// Room for the number of a row, and for those of the banks.
const HEAD: (f64, f64) = (34.0, 17.0);

pub(super) fn view(params: Memo<Params>, shown: Shown<Cost>, step: Memo<usize>) -> AnyView {
    let rows = Memo::new(move |_| {
        shown.with(|cost| {
            let mut rows: Vec<u64> = cost.banks.places.iter().map(|place| place.word / BANKS).collect();
            rows.sort_unstable();
            rows.dedup();
            rows
        })
    });
    let height = Memo::new(move |_| HEAD.1 + rows.with(Vec::len) as f64 * CELL.1);
    let frame = move || format!("0 0 {} {}", HEAD.0 + BANKS as f64 * CELL.0, height.get());
    let words = move || params.with(|p| (p.width.bytes() / 4).max(1));
    let text = move || shown.with(|cost| rows.with(|rows| cells(cost, rows, words(), step.get() as u64)));
    view! {
        <div aria-hidden="true">
            <p class="plot-title">
                "Shared memory by bank; a number is the lane that reads there"
                <span><i class="swatch used"></i> "served" <i class="swatch now"></i> "in this pass" <i class="swatch waits"></i> "waits"</span>
            </p>
            <svg class="banks" viewBox=frame inner_html=text></svg>
        </div>
    }
    .into_any()
}

fn cells(cost: &Cost, rows: &[u64], words: u64, step: u64) -> String {
    let mut text = String::new();
    let x = |bank: u64| HEAD.0 + bank as f64 * CELL.0;
    for bank in 0..BANKS {
        let _ = write!(text, r#"<text class="bank" x="{}" y="12">{bank}</text>"#, x(bank) + CELL.0 / 2.0);
    }
    for (i, row) in rows.iter().enumerate() {
        let y = HEAD.1 + i as f64 * CELL.1;
        let _ = write!(text, r#"<text class="row" x="{}" y="{}">{row}</text>"#, HEAD.0 - 6.0, y + 11.8);
        for bank in 0..BANKS {
            let _ = write!(
                text,
                r#"<rect class="word" x="{}" y="{y}" width="{}" height="{}"></rect>"#,
                x(bank),
                CELL.0 - 1.5,
                CELL.1 - 1.5
            );
        }
    }
    for place in &cost.banks.places {
        let class = match place.pass + 1 {
            pass if pass == step && step < cost.banks.passes => "now",
            pass if pass <= step => "used",
            _ => "waits",
        };
        for word in place.word..place.word + words {
            let Some(i) = rows.iter().position(|row| *row == word / BANKS) else { continue };
            let (left, top) = (x(word % BANKS), HEAD.1 + i as f64 * CELL.1);
            let _ = write!(
                text,
                r#"<rect class="{class}" x="{left}" y="{top}" width="{}" height="{}"></rect><text class="on {class}" x="{}" y="{}">{}</text>"#,
                CELL.0 - 1.5,
                CELL.1 - 1.5,
                left + CELL.0 / 2.0 - 0.75,
                top + 11.3,
                place.lane
            );
        }
    }
    text
}
