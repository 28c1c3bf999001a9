//! The tiles of a product in the order of their launch: C beside A and under B, and what of both comes from memory or the L2.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::quantity::{Unit, grouped};
use ringside_core::tile_order::{Order, Params, Run};

use super::controls::Controls;
use super::model_figure::ModelFigure;
use super::{Module, Props, played, readings};
use crate::ui::markup::renewed;
use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};
use crate::ui::transport::{Pace, Transport};

/// Its code.
pub(super) const MODULE: Module = Module { view, model: &Params::ENTRY };

/// How it is played.
const PACE: Pace = Pace { whole: 12_000.0, longest: 1200.0, shortest: 120.0 };

fn view(props: Props) -> AnyView {
    let state = State::<Params>::of(props.query);
    let params = state.params();
    let whole = played::whole(params);
    let run = Memo::new(move |_| whole.with(|p| Run::new(*p)));
    let steps = Signal::derive(move || run.with(|run| run.waves.len()));
    let step = played::step(params, move || steps.get());
    let set = played::set(state);
    let place = Signal::derive(move || format!("Wave {} of {}", step.get(), grouped(steps.get() as u64)));
    let subtitle = Signal::derive(move || {
        params.with(|p| {
            let order = match p.order {
                Order::RowMajor => "row by row".to_owned(),
                Order::Grouped => format!("groups of {} rows", p.group),
            };
            format!("{} × {} tiles, {order}, {} at a time", p.rows, p.columns, p.running)
        })
    });
    let finding = Signal::derive(move || run.with(|run| run.params.finding(run, step.get())));
    let quantities = Memo::new(move |_| run.with(|run| run.params.quantities(run)));
    let controls = Controls::of(state).draw();
    let drawn = move || run.with(|run| picture(run, step.get()));
    view! {
        <ModelFigure
            props
            state
            subtitle
            finding
            controls
            transport=view! { <Transport steps step set playback=PACE.of(steps) place alone=props.alone /> }.into_any()
            below=Some(readings::view(&Params::ENTRY, quantities))
            table=move || table(whole)
        >
            <div class="tile-order" use:renewed=drawn></div>
        </ModelFigure>
    }
    .into_any()
}

/// Free space between the matrices, as a part of all; free units around a cell.
const BETWEEN: f64 = 0.035;
const GAP: f64 = 0.06;
/// Most tiles that are numbered.
const NUMBERED: u64 = 100;

/// A rectangle, added to a path.
fn add(path: &mut String, [x, y]: [f64; 2], [wide, high]: [f64; 2]) {
    // Writing to a string does not fail.
    let _ = write!(
        path,
        "M{:.2} {:.2}h{:.2}v{:.2}h-{:.2}z",
        x + GAP,
        y + GAP,
        wide - 2.0 * GAP,
        high - 2.0 * GAP,
        wide - 2.0 * GAP
    );
}

/// Stretches of equal values: where each begins, how long it is, the value.
fn stretches(values: &[bool]) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
    let mut start = 0;
    values.chunk_by(|a, b| a == b).map(move |chunk| {
        let from = start;
        start += chunk.len();
        (from, chunk.len(), chunk.first().copied().unwrap_or_default())
    })
}

/// A, B and C after `step` waves, as markup.
fn picture(run: &Run, step: usize) -> String {
    let p = &run.params;
    let depth = p.depth as f64;
    let between = BETWEEN * (depth + p.columns.max(p.rows) as f64);
    let (left, top) = (depth + between, depth + between);
    let [wide, high] = [left + p.columns as f64, top + p.rows as f64];
    let [mut beds, mut done, mut now, mut read, mut found] = [const { String::new() }; 5];
    add(&mut beds, [0.0, top], [depth, p.rows as f64]);
    add(&mut beds, [left, 0.0], [p.columns as f64, depth]);
    add(&mut beds, [left, top], [p.columns as f64, p.rows as f64]);
    for (i, wave) in run.waves.iter().take(step).enumerate() {
        let path = if i + 1 == step { &mut now } else { &mut done };
        for [row, column] in &wave.tiles {
            add(path, [left + *column as f64, top + *row as f64], [1.0; 2]);
        }
    }
    if let Some(wave) = step.checked_sub(1).and_then(|i| run.waves.get(i)) {
        for (row, had) in &wave.a {
            for (from, long, had) in stretches(had) {
                add(if had { &mut found } else { &mut read }, [from as f64, top + *row as f64], [long as f64, 1.0]);
            }
        }
        for (column, had) in &wave.b {
            for (from, long, had) in stretches(had) {
                add(if had { &mut found } else { &mut read }, [left + *column as f64, from as f64], [1.0, long as f64]);
            }
        }
    }
    let label = format!("Tiles of C after {step} waves, with the blocks of A and B that the last wave uses.");
    let size = (wide.max(high) / 22.0).max(0.5);
    let mut html = format!(
        "<p class=\"tile-order-keys\"><span><i class=\"key now\"></i>computed in this wave</span> <span><i class=\"key done\"></i>computed before</span> \
         <span><i class=\"key read\"></i>read from memory</span> <span><i class=\"key found\"></i>found in the L2</span></p>\
         <svg viewBox=\"0 0 {:.2} {high:.2}\" role=\"img\" aria-label=\"{label}\">",
        wide + size
    );
    for (class, path) in [("bed", beds), ("done", done), ("now", now), ("read", read), ("found", found)] {
        let _ = write!(html, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    for (name, x, y) in [("A", size, top - 0.3 * size), ("B", left - size, size), ("C", wide + 0.6 * size, top + size)]
    {
        let _ = write!(html, "<text class=\"name\" x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.2}\">{name}</text>");
    }
    if p.tiles() <= NUMBERED {
        let running = p.running.max(1);
        let current = step.saturating_sub(1) as u64 * running..step as u64 * running;
        for number in 0..p.tiles() {
            let [row, column] = p.tile(number);
            let class = if current.contains(&number) { "on" } else { "tile" };
            let (x, y) = (left + column as f64 + 0.5, top + row as f64 + 0.5);
            let _ = write!(html, "<text class=\"{class}\" x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"0.5\">{number}</text>");
        }
    }
    html.push_str("</svg>");
    html
}

/// Sizes of a group that are compared.
const GROUPS: [u64; 6] = [1, 2, 4, 8, 16, 32];

/// What other groups would read.
fn table(params: Memo<Params>) -> AnyView {
    let rows = move || {
        params.with(|p| {
            let row = |group: u64| {
                let run = Run::new(Params { order: Order::Grouped, group, ..*p });
                let first = run.waves.first().map_or(0, |wave| wave.used());
                view! {
                    <tr>
                        <th scope="row">{if group == 1 { "1: row by row".to_owned() } else { group.to_string() }}</th>
                        <td class="number">{grouped(first)}</td>
                        <td class="number">{grouped(run.read())}</td>
                        <td class="number">{Unit::Fraction.format(run.hits())}</td>
                    </tr>
                }
            };
            GROUPS.iter().filter(|group| **group <= p.rows.max(1)).map(|group| row(*group)).collect_view()
        })
    };
    view! {
        <Table
            caption="The same product in other groups"
            columns=[
                words("Rows of a group"),
                numbers("blocks of the first wave"),
                numbers("read from memory"),
                numbers("found in the L2"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
