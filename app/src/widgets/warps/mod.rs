//! What the two figures of an SM's warps share: cells in rows over time, and their legend.

pub(super) mod divergence;
pub(super) mod scheduler;

use std::fmt::Write as _;

use leptos::prelude::*;

/// Rows of cells over time, a unit each way: runs of the same class are one rectangle.
fn cells(rows: impl IntoIterator<Item = Vec<&'static str>>) -> String {
    let mut text = String::new();
    for (y, row) in rows.into_iter().enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| a == b) {
            let width = run.len();
            if let Some(class) = run.first().filter(|class| !class.is_empty()) {
                let _ = write!(
                    text,
                    r#"<rect class="{class}" x="{x}" y="{}" width="{width}" height=".84"></rect>"#,
                    y as f64 + 0.08
                );
            }
            x += width;
        }
    }
    text
}

/// What each colour is.
fn legend(entries: &[(&'static str, &'static str)]) -> AnyView {
    let entry = |(class, what): &(&'static str, &'static str)| {
        view! {
            <span>
                <i class=format!("swatch {class}")></i>
                {*what}
            </span>
        }
    };
    view! { <p class="warps-legend">{entries.iter().map(entry).collect_view()}</p> }.into_any()
}
