//! The picture: each rank's chunks as a spoke, links between the ranks in the middle, chunks that fly along them.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::collective::data::{Held, State as Data};
use ringside_core::collective::schedule::Action;
use ringside_core::collective::{Op, Run};
use ringside_drawing::scenes::circle::{Circle, Point, Side, TENTH};

use super::Shown;
use super::flights::{self, Leg};
use crate::ui::transport::Playback;

/// How many shades a sum has on its way.
const SHADES: usize = 6;
/// Most links that are drawn where nothing moves: more would be a grey disc.
const LINKS: usize = 140;
/// Most ranks whose numbers are written into their cells.
const WRITTEN: usize = 8;
/// Most ranks of which that can be read across a room.
const WORDY: usize = 6;

/// The cells by what they hold: one path each, so that 64 × 64 cells are a dozen elements.
#[derive(Debug, Clone, PartialEq, Default)]
struct Cells {
    nothing: String,
    spent: String,
    parts: [String; SHADES],
    whole: String,
    arrived: String,
}

impl Cells {
    fn of(run: &Run, data: &Data, step: usize) -> Self {
        let circle = circle(run);
        let mut cells = Self::default();
        let ranks = run.params.ranks;
        for rank in 0..ranks {
            if run.params.op == Op::AllToAll {
                // On the left what it has for others, on the right what others had for it.
                cells.put(&circle, (rank, Side::Left), |chunk| data.held(rank, rank * ranks + chunk));
                cells.put(&circle, (rank, Side::Right), |chunk| data.held(rank, chunk * ranks + rank));
            } else {
                cells.put(&circle, (rank, Side::Whole), |chunk| data.held(rank, chunk));
            }
        }
        if let Some(done) = step.checked_sub(1).and_then(|i| run.schedule.steps.get(i)) {
            for t in &done.transfers {
                let (to, chunk) = (usize::from(t.to), usize::from(t.chunk));
                let (chunk, side) = match run.params.op {
                    Op::AllToAll if chunk % ranks == to => (chunk / ranks, Side::Right),
                    Op::AllToAll => continue,
                    _ => (chunk, Side::Whole),
                };
                circle.spoke(to, side).cells(&mut cells.arrived, chunk, chunk);
            }
        }
        cells
    }

    /// All cells of a spoke, each with what is `held` of its chunk.
    fn put(&mut self, circle: &Circle, (rank, side): (usize, Side), held: impl Fn(usize) -> Held) {
        let spoke = circle.spoke(rank, side);
        let mut first = 0;
        while first < circle.chunks {
            let layer = Layer::of(held(first));
            let mut last = first;
            while circle.merges() && last + 1 < circle.chunks && Layer::of(held(last + 1)) == layer {
                last += 1;
            }
            let path = match layer {
                Layer::Nothing => &mut self.nothing,
                Layer::Spent => &mut self.spent,
                Layer::Part(shade) => &mut self.parts[shade],
                Layer::Whole => &mut self.whole,
            };
            spoke.cells(path, first, last);
            first = last + 1;
        }
    }
}

/// In which path a cell is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layer {
    Nothing,
    Spent,
    Part(usize),
    Whole,
}

impl Layer {
    fn of(held: Held) -> Self {
        match held {
            Held::Nothing => Self::Nothing,
            Held::Spent => Self::Spent,
            Held::Whole => Self::Whole,
            Held::Part(part) => Self::Part(((part * SHADES as f64) as usize).min(SHADES - 1)),
        }
    }
}

/// The links: those of the whole operation, and those of this step.
#[derive(Debug, Clone, PartialEq, Default)]
struct Links {
    busy: String,
    heads: String,
    sums: bool,
    flights: Vec<Leg>,
    /// The dots of the ranks at their ends, and of those that wait for ever.
    docks: String,
    stuck: String,
}

impl Links {
    fn of(run: &Run, step: usize) -> Self {
        let circle = circle(run);
        let mut links = Self::default();
        let Some(index) = step.checked_sub(1) else { return links };
        let Some(done) = run.schedule.steps.get(index) else { return links };
        let dots = circle.dots();
        let mut busy = vec![false; run.params.ranks * dots];
        for m in done.messages() {
            // Chunks are dealt out to the trees in turn, and no message is of two.
            let tree = m.chunks.first().map_or(0, |chunk| chunk % dots);
            let ends = circle.link(m.from, m.to, tree);
            line(&mut links.busy, ends);
            circle.head(&mut links.heads, ends);
            links.sums |= m.action == Action::Reduce;
            links.flights.push(ends);
            for rank in [m.from, m.to] {
                if let Some(busy) = busy.get_mut(rank * dots + tree) {
                    *busy = true;
                }
            }
        }
        for (dot, busy) in busy.into_iter().enumerate() {
            let (rank, tree) = (dot / dots, dot % dots);
            let waits = run.stuck.get(rank).copied().flatten().is_some_and(|since| since <= index);
            if waits {
                circle.disc(&mut links.stuck, rank, tree);
            } else if busy {
                circle.disc(&mut links.docks, rank, tree);
            }
        }
        links
    }
}

fn line(path: &mut String, (a, b): (Point, Point)) {
    // Writing to a string does not fail.
    let _ = write!(path, "M{:.1} {:.1}L{:.1} {:.1}", a.0, a.1, b.0, b.1);
}

fn circle(run: &Run) -> Circle {
    Circle::new(run.params.ranks, run.params.algo)
}

/// The links that the operation ever uses.
fn quiet_links(run: &Run) -> String {
    let circle = circle(run);
    let n = run.params.ranks;
    let used: Vec<(usize, usize)> = (0..n)
        .flat_map(|from| (0..n).map(move |to| (from, to)))
        .filter(|&(from, to)| run.cost.link(from, to) > 0.0)
        .collect();
    let mut path = String::new();
    if used.len() <= LINKS {
        for (from, to) in used {
            line(&mut path, circle.link(from, to, circle.tree_of(from, to)));
        }
    }
    path
}

/// The picture; messages fly as fast as it is played.
pub(super) fn view(shown: Shown, playback: Playback) -> impl IntoView {
    let cells = Memo::new(move |_| shown.now(Cells::of));
    let links = Memo::new(move |_| shown.with(|run| Links::of(run, shown.step.get())));
    let quiet = Memo::new(move |_| shown.with(quiet_links));
    let layer = move |class: &'static str, look: fn(&Cells) -> &String| {
        view! { <path class=class d=move || cells.with(|c| look(c).clone()) /> }
    };
    let shades = (0..SHADES).map(|i| {
        let share = format!("{}%", 18 + i * 68 / (SHADES - 1));
        view! { <path class="part" style=("--share", share) d=move || cells.with(|c| c.parts[i].clone()) /> }
    });
    let legs = Memo::new(move |_| links.with(|l| l.flights.clone()));
    let size = Signal::derive(move || shown.with(|run| circle(run).dot() * 1.6));
    let ring = Memo::new(move |_| shown.with(|run| run.params.ranks).max(2));
    let merges = Memo::new(move |_| shown.with(|run| circle(run).merges()));
    let stems = Memo::new(move |_| shown.with(|run| circle(run).stems()));
    // In a tree the root is in the middle; a cable that is broken may go through it.
    let taken = Memo::new(move |_| shown.with(|run| circle(run).is_tree() || run.params.broken().is_some()));
    let at = move |middle: &'static str, corner: &'static str| move || if taken.get() { corner } else { middle };
    let op = Memo::new(move |_| shown.with(|run| Some(run.params.op)));
    let path = move |class: &'static str, look: fn(&Links) -> &String| {
        view! { <path class=class d=move || links.with(|l| look(l).clone()) /> }
    };
    // The picture in words, for whoever does not see it.
    let ranks = move || {
        shown.now(|run, data, step| {
            (0..run.params.ranks).map(|rank| view! { <li>{run.rank_in_words(data, step, rank)}</li> }).collect_view()
        })
    };
    let of_ranks = move || shown.with(|run| format!("The ranks after step {} of {}", shown.step.get(), run.steps()));
    view! {
        <ul class="visually-hidden" data-answer="" aria-label=of_ranks>{ranks}</ul>
        <div class="circle-room" data-seen="" aria-hidden="true">
            <svg class="circle" class:many=move || merges.get() class:wordy=move || ring.get() <= WORDY viewBox="0 0 1000 1000">
                <path class="stems" d=move || stems.get() />
                <path class="quiet-links" d=move || quiet.get() />
                <g class="cells" transform=TENTH>
                    {layer("nothing", |c| &c.nothing)} {layer("spent", |c| &c.spent)} {shades.collect_view()}
                    {layer("whole", |c| &c.whole)}
                </g>
                <path class="node" d=nodes(shown) />
                <g class="busy" class:sums=move || links.with(|l| l.sums)>
                    {path("lines", |l| &l.busy)} {path("heads", |l| &l.heads)}
                    <g transform=TENTH>{layer("arrived", |c| &c.arrived)}</g>
                </g>
                <path class="broken" d=broken(shown) />
                {docks(shown)} {path("dock busy", |l| &l.docks)} {path("dock stuck", |l| &l.stuck)}
                {move || written(shown)}
                <text class="middle" class:corner=move || taken.get() x=at("500", "8") y=at("486", "40")>{move || shown.with(|run| phase(run, shown.step.get()))}</text>
                <text class="middle small" data-answer="" class:corner=move || taken.get() x=at("500", "8") y=at("531", "82")>
                    {move || shown.with(|run| format!("{} of {}", shown.step.get(), run.steps()))}
                </text>
            </svg>
            {flights::view(shown, legs, size, playback)}
        </div>
        <p class="legend fine">{move || op.get().map(legend)}</p>
    }
}

fn phase(run: &Run, step: usize) -> &'static str {
    let done = step.checked_sub(1).and_then(|i| run.schedule.steps.get(i));
    done.map_or("before", |step| step.phase)
}

/// The dots at which links end, and the labels of the ranks.
fn docks(shown: Shown) -> impl IntoView {
    let marks = Memo::new(move |_| {
        shown.with(|run| Some((circle(run), run.params.straggles().then_some(run.params.slow_rank))))
    });
    let discs = move |of: fn(usize, Option<usize>) -> bool| {
        move || {
            let mut path = String::new();
            if let Some((circle, slow)) = marks.get() {
                for rank in (0..circle.ranks).filter(|&rank| of(rank, slow)) {
                    (0..circle.dots()).for_each(|tree| circle.disc(&mut path, rank, tree));
                }
            }
            path
        }
    };
    let labels = move || {
        marks.get().map(|(circle, slow)| {
            let labelled = (0..circle.ranks).filter(|&rank| circle.labelled(rank) || slow == Some(rank));
            let label = |rank: usize| {
                let ((x, y), is_slow) = (circle.label(rank), slow == Some(rank));
                let text = if is_slow { format!("{rank} slow") } else { rank.to_string() };
                view! { <text class="rank" class:slow=is_slow x=x y=y dy=".35em">{text}</text> }
            };
            labelled.map(label).collect_view()
        })
    };
    view! {
        <path class="dock" d=discs(|_, _| true) />
        {labels}
        <path class="dock slow" d=discs(|rank, slow| slow == Some(rank)) />
    }
}

/// An arc around the ranks of each node, if there are several.
fn nodes(shown: Shown) -> Memo<String> {
    Memo::new(move |_| {
        shown.with(|run| {
            let (circle, node) = (circle(run), run.params.node.max(1));
            let arc = |first: usize| circle.node(first, (first + node).min(circle.ranks) - 1);
            // Ranks of a tree stand in its order.
            let side_by_side = !circle.is_tree() || circle.dots() > 1;
            if node < circle.ranks && side_by_side {
                (0..circle.ranks).step_by(node).map(arc).collect()
            } else {
                String::new()
            }
        })
    })
}

/// The cable that is broken, if one is.
fn broken(shown: Shown) -> Memo<String> {
    Memo::new(move |_| shown.with(|run| run.params.broken().map(|(a, b)| circle(run).broken(a, b)).unwrap_or_default()))
}

/// The numbers in the cells, where there is room for them.
fn written(shown: Shown) -> impl IntoView {
    shown.now(|run, data, _| {
        let circle = circle(run);
        if circle.ranks > WRITTEN || run.params.op == Op::AllToAll {
            return None;
        }
        let pairs = (0..circle.ranks).flat_map(|rank| (0..circle.ranks).map(move |chunk| (rank, chunk)));
        let all = pairs.map(|(rank, chunk)| {
            let (x, y) = circle.middle(rank, chunk);
            let held = data.held(rank, chunk);
            let text = match held {
                Held::Nothing | Held::Spent => return None,
                Held::Part(_) | Held::Whole => format!("{:.1}", data.cell(rank, chunk).value),
            };
            let turn = format!("translate({x:.1} {y:.1}) rotate({:.1})", circle.turn(rank));
            Some(view! { <text class="number" class:on-whole=held == Held::Whole transform=turn dy=".35em">{text}</text> })
        });
        Some(all.collect_view())
    })
}

/// What the colours mean in this operation.
fn legend(op: Op) -> impl IntoView {
    let entry =
        |class: &'static str, text: &'static str| view! { <span><i class=format!("key {class}")></i>{text}</span> };
    let sums = matches!(op, Op::Reduce | Op::AllReduce | Op::ReduceScatter);
    let entries = match op {
        Op::AllToAll => {
            vec![entry("part", "left: for other ranks"), entry("whole", "right: received"), entry("spent", "sent")]
        }
        _ if sums => vec![
            entry("part", "sum on its way: the stronger, the more ranks are in it"),
            entry("whole", "finished sum"),
            entry("spent", "passed on"),
        ],
        _ => vec![entry("whole", "there"), entry("nothing", "not there yet")],
    };
    entries.collect_view()
}
