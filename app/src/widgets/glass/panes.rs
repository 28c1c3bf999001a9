//! What there is to see of a step.

use leptos::prelude::*;
use ringside_core::decimal;
use ringside_core::kernels::glass::{Access, Counts, Finding, Held, Opened, SharedVariable, WarpAt};
use ringside_core::quantity::{Unit, counted, grouped, number, significant};

use super::Glass;
use crate::ui::link;

/// Lines on show before and after the one that is looked at.
const BEFORE: usize = 9;
const AFTER: usize = 12;

/// What is wrong with the kernel, each with a button that goes there.
pub(super) fn findings(glass: Glass) -> AnyView {
    let (findings, stopped, width, clean) = glass.opened.with(|opened| {
        let of = |o: &Opened| (o.findings.clone(), o.stopped.clone(), o.width, o.clean());
        opened.as_ref().map(of).unwrap_or_default()
    });
    let empty = findings.is_empty();
    let none = (!clean.is_empty()).then(|| view! { <p class="fine">{clean}</p> });
    let item = move |finding: Finding| {
        let Finding { line, lanes, round, times, text, .. } = finding;
        let often = (times > 1).then(|| format!(" ({} times)", grouped(times)));
        let go = move |_| glass.find(round, lanes[0].checked_div(width).unwrap_or(0), line);
        view! {
            <li>
                <button type="button" class="quiet" on:click=go>{format!("Line {line}")}</button>
                " "
                {text}
                {often}
            </li>
        }
    };
    view! {
        {stopped.map(|why| view! { <p class="message">{why}</p> })}
        {none}
        <ul class="glass-findings" hidden=empty>{findings.into_iter().map(item).collect_view()}</ul>
    }
    .into_any()
}

/// The lines around the one that the warp is about to run, with the warps that are at each.
pub(super) fn listing(glass: Glass) -> AnyView {
    let at = Memo::new(move |_| {
        let own = glass.shown.with(|shown| shown.warps.get(shown.warp as usize).map_or(0, |warp| warp.line));
        glass.line.get().unwrap_or(own)
    });
    let lines = move || {
        let at = at.get() as usize;
        let looked_at = glass.line.get();
        let warps = glass.shown.with(|shown| shown.warps.clone());
        glass.opened.with(|opened| {
            let opened = opened.as_ref()?;
            // The same number of lines wherever it is, so that nothing below moves.
            let window = BEFORE + AFTER + 1;
            let first = at.saturating_sub(BEFORE).min((opened.text.len() + 1).saturating_sub(window)).max(1);
            let rows = opened.text.iter().enumerate().skip(first - 1).take(window).map(|(i, text)| {
                let line = i + 1;
                let here: Vec<usize> =
                    (0..).zip(&warps).filter(|(_, w)| !w.done && w.line as usize == line).map(|(n, _)| n).collect();
                let count = here.len();
                let said = match here.as_slice() {
                    [] => String::new(),
                    [one] => format!("warp {one}"),
                    [.., _] => format!("{count} warps"),
                };
                let wrong = opened.findings.iter().any(|f| f.line as usize == line);
                let cost = opened.lines.get(i).copied().unwrap_or_default().cost();
                let (here, looked) = (line == at, looked_at == Some(line as u32));
                view! {
                    <tr class:here=here class:wrong=wrong class:looked=looked>
                        <td class="glass-warps">{said}</td>
                        <th scope="row">{line}</th>
                        <td class="glass-cost">{cost}</td>
                        <td><code>{text.clone()}</code></td>
                    </tr>
                }
            });
            Some(rows.collect_view())
        })
    };
    view! {
        <div class="glass-code" tabindex="0" role="region" aria-label="The kernel’s lines">
            <table>
                <caption class="visually-hidden">
                    "The lines around the current one, with the warps about to run each, and sectors and bank passes per access"
                </caption>
                <tbody>{lines}</tbody>
            </table>
        </div>
    }
    .into_any()
}

/// A button for each warp: where it is, and which of its lanes are active.
pub(super) fn warps(glass: Glass) -> AnyView {
    let heading = move || {
        glass.shown.with(|shown| match shown.dispatch.as_str() {
            "" => "The kernel has ended".to_owned(),
            entry => format!("{entry}, workgroup {}", shown.workgroup),
        })
    };
    let rows = move || {
        let (warps, chosen) = glass.shown.with(|shown| (shown.warps.clone(), shown.warp));
        let row = |(number, warp): (u32, WarpAt)| {
            let count = warp.active.count_ones();
            let of = warp.full.count_ones();
            let state = match warp {
                WarpAt { done: true, .. } => "ended".to_owned(),
                WarpAt { waiting: true, .. } => format!("waits at the barrier on line {}", warp.line),
                WarpAt { line: 0, .. } => "about to begin".to_owned(),
                _ => format!("line {}, {count} of {of} lanes active", warp.line),
            };
            let lanes = (0..64).take_while(|lane| warp.full >> lane & 1 == 1).map(|lane| {
                let on = warp.active >> lane & 1 == 1;
                view! { <i class:on=on></i> }
            });
            let pressed = (number == chosen).to_string();
            view! {
                <li>
                    <button type="button" class="quiet" aria-pressed=pressed on:click=move |_| glass.look(number)>
                        {format!("Warp {number}: {state}")}
                    </button>
                    <span class="glass-lanes" aria-hidden="true">{lanes.collect_view()}</span>
                </li>
            }
        };
        (0..).zip(warps).map(row).collect_view()
    };
    view! {
        <div class="glass-part">
            <p class="glass-title">{heading}</p>
            <ul class="glass-warp-list">{rows}</ul>
        </div>
    }
    .into_any()
}

/// What the warp accessed in this step, sector by sector or bank by bank.
pub(super) fn accesses(glass: Glass) -> AnyView {
    let items = move || glass.shown.with(|shown| shown.accesses.iter().take(8).map(access).collect_view());
    let none = move || {
        let none = glass.shown.with(|shown| shown.accesses.is_empty());
        none.then(|| view! { <p class="fine">"The warp accessed no memory in this step."</p> })
    };
    view! {
        <div class="glass-part">
            <p class="glass-title">"Memory accessed in this step"</p>
            {none}
            <ul class="glass-accesses">{items}</ul>
        </div>
    }
    .into_any()
}

fn access(access: &Access) -> AnyView {
    let cells = access.cells();
    let title = move |(cell, count): (u32, usize)| match access.shared {
        true => format!("bank {cell}: {}", counted(count as u64, "word", "words")),
        false => format!("sector {cell}: {}", counted(count as u64, "lane", "lanes")),
    };
    let drawn = cells.iter().take(64).map(|cell| {
        let many = access.shared && cell.1 > 1;
        view! { <i class:many=many title=title(*cell)>{cell.1}</i> }
    });
    let href = access.coalescing().map(|query| link::to_widget("coalescing", &query));
    let figure = href.map(|href| view! { " " <a href=href>"Open this access in the coalescing figure"</a> });
    view! {
        <li>
            <p>{access.sentence()} {figure}</p>
            <p class="glass-cells" aria-hidden="true">{drawn.collect_view()}</p>
        </li>
    }
    .into_any()
}

/// Digits of a value in a cell; the title has all of them.
const DIGITS: u32 = 4;

/// The first of three components, if the others are zero: of `(5, 0, 0)`, but not of `(5, 6, 0, 0)`.
fn in_one_dimension(value: &str) -> Option<&str> {
    value.strip_prefix('(')?.strip_suffix(", 0, 0)").filter(|x| !x.contains(','))
}

/// A value as a cell has it: a fraction with [`DIGITS`], and of a place in one dimension, as all in its row are, that alone.
fn in_line(value: &str, is_one_dimension: bool) -> String {
    if let Some(x) = in_one_dimension(value).filter(|_| is_one_dimension) {
        return x.to_owned();
    }
    match decimal::parse(value) {
        Some(number) if value.contains('.') => significant(number, DIGITS),
        _ => value.to_owned(),
    }
}

/// The values of the warp's lanes.
pub(super) fn lanes(glass: Glass) -> AnyView {
    let head = move || {
        let full = glass.shown.with(|shown| shown.warps.get(shown.warp as usize).map_or(0, |w| w.full));
        let cells = (0..64).take_while(|lane| full >> lane & 1 == 1).map(|lane| view! { <th scope="col">{lane}</th> });
        view! { <tr><th scope="col">"Lane"</th>{cells.collect_view()}</tr> }
    };
    let rows = move || {
        glass.shown.with(|shown| {
            let active = shown.warps.get(shown.warp as usize).map_or(0, |w| w.active);
            let full = shown.warps.get(shown.warp as usize).map_or(0, |w| w.full);
            let row = |lanes: &ringside_core::kernels::glass::Lanes| {
                let count = full.count_ones() as usize;
                let one = lanes.values.iter().flatten().all(|value| in_one_dimension(value).is_some());
                let cells = lanes.values.iter().take(count).enumerate().map(|(lane, value)| {
                    let off = active >> lane & 1 == 0;
                    let value = value.clone().unwrap_or_else(|| "–".to_owned());
                    view! { <td class:off=off title=value.clone()>{in_line(&value, one)}</td> }
                });
                view! { <tr><th scope="row">{lanes.name.clone()}</th>{cells.collect_view()}</tr> }
            };
            shown.values.iter().map(row).collect_view()
        })
    };
    let none = move || glass.shown.with(|shown| shown.values.is_empty());
    view! {
        <div class="glass-part">
            <p class="glass-title">"Variables across lanes"</p>
            <p class="small" hidden=move || !none()>"No variables yet."</p>
            <div class="glass-scroll" tabindex="0" role="region" aria-label="Variables across lanes" hidden=none>
                <table class="glass-table"><thead>{head}</thead><tbody>{rows}</tbody></table>
            </div>
        </div>
    }
    .into_any()
}

/// The workgroup's memory, with who wrote each cell last.
pub(super) fn shared(glass: Glass) -> AnyView {
    let all = move || {
        let (shared, width) = glass
            .shown
            .with(|shown| (shown.shared.clone(), glass.opened.with_untracked(|o| o.as_ref().map_or(32, |o| o.width))));
        shared.into_iter().map(|variable| memory(variable, width)).collect_view()
    };
    view! { <div class="glass-memory">{all}</div> }.into_any()
}

fn memory(variable: SharedVariable, width: u32) -> AnyView {
    let SharedVariable { name, row, of, cells } = variable;
    let shown = cells.len();
    let more = (shown < of).then(|| format!(", the first {} of {} cells", grouped(shown as u64), grouped(of as u64)));
    let label = format!("Cells of {name}");
    let rows = cells.chunks(row.max(1)).enumerate().map(|(i, cells)| {
        let cells = cells.iter().map(|(value, writer)| {
            let (class, by) = match writer {
                Some(who) => (format!("w{}", who / width.max(1) % 8), format!("{who}")),
                None => ("unwritten".to_owned(), "–".to_owned()),
            };
            view! { <td class=class title=value.clone()>{in_line(value, false)}<small>{by}</small></td> }
        });
        view! { <tr><th scope="row">{i * row.max(1)}</th>{cells.collect_view()}</tr> }
    });
    view! {
        <div class="glass-part">
            <p class="glass-title">"Workgroup memory: " {name} {more}</p>
            <p class="fine">"Each cell shows its value and, below it, the invocation that wrote it last. Colors tell warps apart."</p>
            <div class="glass-scroll" tabindex="0" role="region" aria-label=label>
                <table class="glass-table glass-shared"><tbody>{rows.collect_view()}</tbody></table>
            </div>
        </div>
    }
    .into_any()
}

/// What is in the buffers at the end of the run.
pub(super) fn buffers(glass: Glass) -> AnyView {
    let all = glass.opened.with(|opened| opened.as_ref().map(|o| o.buffers.clone()).unwrap_or_default());
    let buffer = |held: Held| {
        let Held { name, of, values } = held;
        let shown = values.len();
        let more =
            (shown < of).then(|| format!(", the first {} of {} values", grouped(shown as u64), grouped(of as u64)));
        let label = format!("Values of {name} after the run");
        let rows = values.chunks(16).map(|values| {
            let cells = values.iter().map(|(place, value)| {
                view! { <td title=value.clone()>{in_line(value, false)}<small>{place.clone()}</small></td> }
            });
            view! { <tr>{cells.collect_view()}</tr> }
        });
        view! {
            <div class="glass-part">
                <p class="glass-title">"After the run: " {name} {more}</p>
                <div class="glass-scroll" tabindex="0" role="region" aria-label=label>
                    <table class="glass-table glass-held"><tbody>{rows.collect_view()}</tbody></table>
                </div>
            </div>
        }
    };
    view! { <div class="glass-memory">{all.into_iter().map(buffer).collect_view()}</div> }.into_any()
}

/// What the whole run did, with links into the figures that take it further.
pub(super) fn counts(glass: Glass) -> AnyView {
    let (counts, occupancy, roofline, registers, shared) = glass.opened.with(|opened| {
        opened.as_ref().map_or_else(Default::default, |o| {
            let roofline = o.roofline().map(|query| link::to_widget("roofline", &query));
            (o.counts, link::to_widget("occupancy", &o.occupancy()), roofline, o.registers, o.shared_bytes)
        })
    });
    let on_the_roof = roofline.map(|roofline| {
        view! {
            "What would limit it on a GPU, if every byte that it asks for came from memory: "
            <a href=roofline>"Open this kernel in the roofline"</a>
            ". "
        }
    });
    let Counts { workgroups, issued, flop, barriers, divergent, branches, .. } = counts;
    let bytes = |n: u64| Unit::Bytes.format(n as f64);
    let rows = [
        ("Workgroups", grouped(workgroups)),
        ("Warp instructions", grouped(issued)),
        ("Floating-point instructions", grouped(counts.float)),
        ("Integer and logic instructions", grouped(counts.integer)),
        ("Special functions", grouped(counts.special)),
        ("Conversions", grouped(counts.convert)),
        ("Loads", grouped(counts.loads)),
        ("Stores", grouped(counts.stores)),
        ("Atomics", grouped(counts.atomics)),
        ("Subgroup operations", grouped(counts.subgroup)),
        ("FLOPs", grouped(flop)),
        ("Bytes read from buffers", bytes(counts.read)),
        ("Bytes written to buffers", bytes(counts.written)),
        ("FLOPs per byte requested", number(counts.intensity())),
        ("Sectors per buffer access", number(counts.sectors_per_request())),
        ("Bank passes per workgroup-memory access", number(counts.passes_per_request())),
        ("Barriers, per warp", grouped(barriers)),
        ("Divergent branches", format!("{} of {}", grouped(divergent), grouped(branches))),
        ("Active lanes", Unit::Fraction.format(counts.active())),
        ("Live registers per lane, at least", grouped(registers.into())),
        ("Workgroup memory", bytes(shared.into())),
    ];
    let rows = rows.into_iter().map(|(label, value)| view! { <div><dt>{label}</dt><dd>{value}</dd></div> });
    view! {
        <div class="glass-part">
            <p class="glass-title">"Counts of the whole run"</p>
            <dl class="glass-counts">{rows.collect_view()}</dl>
            <p class="fine">
                {on_the_roof}
                "How many of these workgroups fit on an SM: "
                <a href=occupancy>"Open this kernel in the occupancy figure"</a>
                ". Real compilers use more registers than are live."
            </p>
        </div>
    }
    .into_any()
}
