//! The lanes of a warp, and under them the lines that they touch: four sectors each, and in them the bytes that are used.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::coalescing::memory::{LINE, SECTOR};
use ringside_core::coalescing::{LANES, Params};
use ringside_core::quantity::grouped;

pub(super) fn view(params: Memo<Params>, step: Memo<usize>) -> AnyView {
    let lane = move |i: u64| {
        let class = move || match step.get() as u64 {
            step if i + 1 == step && step < LANES => "lane now",
            step if i < step => "lane done",
            _ => "lane",
        };
        view! { <i class=class>{i}</i> }
    };
    let all = Memo::new(move |_| params.with(|p| p.access(LANES)));
    let lines = move || {
        let at = step.get() as u64;
        params.with(|p| {
            let width = p.width.bytes();
            let now = p.access(at);
            all.with(|all| all.lines.iter().map(|line| drawn(*line, &now.addresses, width, at)).collect_view())
        })
    };
    let class = move || all.with(|all| if all.lines.len() > 8 { "lines many" } else { "lines" });
    view! {
        <div aria-hidden="true">
            <p class="plot-title">"Lanes of the warp"</p>
            <div class="lanes">{(0..LANES).map(lane).collect_view()}</div>
            <p class="plot-title">
                "Lines of 128 B that they touch"
                <span><i class="swatch used"></i> "used" <i class="swatch vain"></i> "moved in vain" <i class="swatch left"></i> "not moved"</span>
            </p>
            <div class=class>{lines}</div>
        </div>
    }
    .into_any()
}

/// A line: its sectors and the bytes that lanes use, along its 128 bytes. The last lane's stand out until all have been served.
fn drawn(line: u64, addresses: &[u64], width: u64, step: u64) -> impl IntoView + use<> {
    let start = line * LINE;
    let within = |address: u64| (address.max(start), (address + width).min(start + LINE));
    let mut text = String::new();
    for sector in 0..LINE / SECTOR {
        let (from, to) = (start + sector * SECTOR, start + (sector + 1) * SECTOR);
        let touched = addresses.iter().any(|a| *a < to && a + width > from);
        let class = if touched { "vain" } else { "left" };
        let _ = write!(text, r#"<rect class="{class}" x="{}" width="{SECTOR}" height="10"></rect>"#, sector * SECTOR);
    }
    for (i, address) in addresses.iter().enumerate() {
        let (from, to) = within(*address);
        if from < to {
            let last = i as u64 + 1 == step && step < LANES;
            let class = if last { "used now" } else { "used" };
            let _ =
                write!(text, r#"<rect class="{class}" x="{}" width="{}" height="10"></rect>"#, from - start, to - from);
        }
    }
    for sector in 1..LINE / SECTOR {
        let _ = write!(text, r#"<path class="edge" d="M{} 0V10"></path>"#, sector * SECTOR);
    }
    view! {
        <div class="line">
            <small>{format!("{}–{}", grouped(start), grouped(start + LINE - 1))}</small>
            <svg viewBox="0 0 128 10" preserveAspectRatio="none" inner_html=text></svg>
        </div>
    }
}
