//! Ranks as columns, layers as rows: the shards of parameters, gradients and optimizer states that each rank holds now.

use std::fmt::Write as _;

use leptos::prelude::*;
use ringside_core::zero::{Action, Memory, Run, Segment, State as Ranks, Strategy};
use ringside_drawing::scale::{Linear, percent};

use super::Shown;
use crate::ui::markup::renewed;

/// The box of one layer on one rank, and what is left free beside its bars.
const WIDE: f64 = 100.0;
const HIGH: f64 = 48.0;
const BESIDE: f64 = 6.0;
/// The bars of parameters, gradients and optimizer states: where each begins, and its height. What is there only for the
/// moment is drawn half as high.
const TOPS: [f64; 3] = [7.0, 20.0, 33.0];
const BAR: f64 = 10.0;
/// With more ranks than these, a narrow figure has no room for a number under each.
const MANY: usize = 4;

/// The class of an action: what the ranks are busy with.
pub(super) fn kind(action: Action) -> &'static str {
    match action {
        _ if action.is_collective() => "wire",
        Action::Forward => "forward",
        Action::Backward => "backward",
        Action::Update => "update",
        _ => "free",
    }
}

/// What is drawn, one path for each look.
#[derive(Debug, Clone, PartialEq, Default)]
struct Board {
    ranks: usize,
    layers: usize,
    slots: String,
    own: String,
    gathered: String,
    stale: String,
    local: String,
    node: String,
    reduced: String,
    optimizer: String,
    /// The rows that the event is about, and its class.
    rows: Vec<bool>,
    kind: &'static str,
    band: String,
    /// Where bytes flow.
    flow: String,
    heads: String,
    nodes: String,
    held: Held,
}

impl Board {
    fn of(run: &Run, state: &Ranks, step: usize) -> Self {
        let (ranks, layers) = (run.params.ranks, run.params.layers);
        let mut board = Self { ranks, layers, rows: vec![false; layers], ..Self::default() };
        for (rank, layer) in (0..ranks).flat_map(|rank| (0..layers).map(move |layer| (rank, layer))) {
            for (top, segments) in TOPS.into_iter().zip(state.segments(rank, layer)) {
                board.bar((rank as f64 * WIDE + BESIDE, layer as f64 * HIGH + top), &segments, top);
            }
        }
        if let Some(event) = run.event(step) {
            board.kind = kind(event.action);
            board.rows = (0..layers).map(|layer| event.is_about(layer)).collect();
            let (top, rows) = (event.first as f64 * HIGH, (event.last + 1 - event.first) as f64);
            // Writing to a string does not fail.
            let _ = write!(board.band, "M0 {top}h{}v{}h-{0}z", ranks as f64 * WIDE, rows * HIGH);
            if event.action.is_collective() {
                let groups =
                    if event.action == Action::AllReduceAcross { state.counterparts() } else { state.sharing() };
                for group in &groups {
                    board.ring(group, top);
                }
            }
        }
        if run.params.in_node() < ranks {
            for rank in (run.params.in_node()..ranks).step_by(run.params.in_node()) {
                let _ = write!(board.nodes, "M{} 0v{}", rank as f64 * WIDE, layers as f64 * HIGH);
            }
        }
        board.held = Held::of(run, state);
        board
    }

    /// As markup, which the browser reads faster than it is told of each path.
    fn drawing(&self) -> String {
        let mut text = String::new();
        let band = format!("band {}", self.kind);
        for (class, path) in [
            (band.as_str(), &self.band),
            ("slots", &self.slots),
            ("own", &self.own),
            ("gathered", &self.gathered),
            ("stale", &self.stale),
            ("local", &self.local),
            ("node", &self.node),
            ("reduced", &self.reduced),
            ("moments", &self.optimizer),
            ("between", &self.nodes),
            ("flow", &self.flow),
            ("heads", &self.heads),
        ] {
            put(class, path, &mut text);
        }
        text
    }

    /// One bar of segments; `which` of the three it is follows from its `top` in the box.
    fn bar(&mut self, (left, y): (f64, f64), segments: &[Segment], top: f64) {
        let wide = (WIDE - 2.0 * BESIDE) / segments.len().max(1) as f64;
        for (i, segment) in segments.iter().enumerate() {
            let is_moment = top == TOPS[2];
            let (path, part) = match segment {
                Segment::Absent => (&mut self.slots, 1.0),
                Segment::Own if is_moment => (&mut self.optimizer, 1.0),
                Segment::Own => (&mut self.own, 1.0),
                Segment::Gathered => (&mut self.gathered, 0.5),
                Segment::Stale => (&mut self.stale, 1.0),
                Segment::Local => (&mut self.local, 0.5),
                Segment::Node => (&mut self.node, 1.0),
                Segment::Reduced => (&mut self.reduced, 1.0),
            };
            let (x, high) = (left + wide * i as f64, BAR * part);
            let _ = write!(path, "M{x:.2} {:.2}h{:.2}v{high}h-{1:.2}z", y + (BAR - high) / 2.0, wide * 0.9);
        }
    }

    /// A ring through the ranks of a group, drawn over a row that begins at `top`: on to the next and back to the first.
    fn ring(&mut self, group: &[usize], top: f64) {
        let x = |rank: usize| (rank as f64 + 0.5) * WIDE;
        if let [first, .., last] = group {
            let _ = write!(self.flow, "M{} {}H{}", x(*first), top + 2.5, x(*last));
            let _ = write!(self.flow, "M{} {}H{}", x(*last), top + HIGH - 2.0, x(*first));
        }
        for rank in group {
            let _ = write!(self.heads, "M{:.1} {}l4 2.5l-4 2.5z", x(*rank) - 2.0, top);
        }
    }
}

/// A path of this class, if there is anything in it.
fn put(class: &str, path: &str, into: &mut String) {
    if !path.is_empty() {
        // Writing to a string does not fail.
        let _ = write!(into, "<path class=\"{class}\" d=\"{path}\"/>");
    }
}

/// What each rank holds in all, against the peak of a rank: a bar under each column.
#[derive(Debug, Clone, PartialEq, Default)]
struct Held {
    slots: String,
    /// One path for each part, in the order of [`STACK`].
    parts: [String; STACK.len()],
    amounts: String,
}

impl Held {
    fn of(run: &Run, state: &Ranks) -> Self {
        let wide = WIDE - 2.0 * BESIDE;
        let scale = Linear::to(run.mark(run.peak()).memory.total());
        let mut held = Self::default();
        for rank in 0..run.params.ranks {
            let mut x = rank as f64 * WIDE + BESIDE;
            // Writing to a string does not fail; so below.
            let _ = write!(held.slots, "M{x} 0h{wide}v1h-{wide}z");
            let memory = state.memory(rank);
            for (path, bytes) in held.parts.iter_mut().zip(stacked(&memory)).filter(|(_, bytes)| *bytes > 0.0) {
                let part = wide * scale.percent(bytes) / 100.0;
                let _ = write!(path, "M{x:.2} 0h{part:.2}v1h-{part:.2}z");
                x += part;
            }
            let _ = write!(held.amounts, "<b>{}</b>", super::bytes(memory.total()));
        }
        held
    }

    fn drawing(&self) -> String {
        let mut text = String::new();
        put("free", &self.slots, &mut text);
        for ((_, class), path) in STACK.iter().zip(&self.parts) {
            put(&format!("part {class}"), path, &mut text);
        }
        text
    }
}

/// The board and the legend.
pub(super) fn view(shown: Shown) -> AnyView {
    let board = Memo::new(move |_| shown.now(Board::of));
    let drawing = Memo::new(move |_| board.with(Board::drawing));
    let held = Memo::new(move |_| board.with(|b| b.held.drawing()));
    let amounts = Memo::new(move |_| board.with(|b| b.held.amounts.clone()));
    let ranks = Memo::new(move |_| board.with(|b| b.ranks));
    let layers = Memo::new(move |_| board.with(|b| b.layers));
    let wide = move || ranks.get() as f64 * WIDE;
    let heads = move || (0..ranks.get()).map(|rank| view! { <span><i>"rank "</i>{rank}</span> }).collect_view();
    let names = move || {
        let name = |layer: usize| {
            let here = move || board.with(|b| b.rows.get(layer).copied().unwrap_or_default());
            view! { <span class:here=here><i>"layer "</i>{layer}</span> }
        };
        (0..layers.get()).map(name).collect_view()
    };
    view! {
        <div
            class="board"
            class:many=move || MANY < ranks.get()
            style=("--ranks", move || ranks.get().to_string())
            style=("--layers", move || layers.get().to_string())
            aria-hidden="true"
        >
            <div class="rank-names">{heads}</div>
            <div class="layer-names">{names}</div>
            <svg
                class="layers"
                viewBox=move || format!("0 0 {} {}", wide(), layers.get() as f64 * HIGH)
                preserveAspectRatio="none"
                use:renewed=move || drawing.get()
            ></svg>
            <svg
                class="held"
                viewBox=move || format!("0 0 {} 1", wide())
                preserveAspectRatio="none"
                use:renewed=move || held.get()
            ></svg>
            <div class="amounts" use:renewed=move || amounts.get()></div>
        </div>
        {legend(shown)}
    }
    .into_any()
}

/// The order in which the parts of memory lie on each other, and the class of each: what stays comes first.
pub(super) const STACK: [(usize, &str); 5] =
    [(0, "weights"), (3, "optimizer"), (2, "gradients"), (1, "gathered"), (4, "activations")];

/// The parts of a memory in the order of [`STACK`].
pub(super) fn stacked(memory: &Memory) -> [f64; 5] {
    let parts = memory.parts();
    STACK.map(|(part, _)| parts.get(part).copied().unwrap_or_default())
}

/// A bar of the parts of a memory.
pub(super) fn bar(memory: &Memory, scale: Linear) -> AnyView {
    let parts = STACK.into_iter().zip(stacked(memory)).map(|((_, class), bytes)| {
        view! { <i class=format!("swatch {class}") style:width=percent(scale.percent(bytes))></i> }
    });
    view! { <span class="stack">{parts.collect_view()}</span> }.into_any()
}

/// What the looks mean, as far as they can occur.
fn legend(shown: Shown) -> impl IntoView {
    let entry = |class: &'static str, text: &'static str, of: fn(&Run) -> bool| {
        view! {
            <li hidden=move || !shown.run.with(of)>
                <i class=format!("key {class}")></i>
                {text}
            </li>
        }
    };
    view! {
        <ul class="board-legend" aria-hidden="true">
            {entry("own", "parameters", |_| true)}
            {entry("gathered", "gathered for the moment", |run| run.params.strategy.shards_parameters())}
            {entry(
                "stale",
                "old: updated elsewhere",
                |run| matches!(run.params.strategy, Strategy::Zero1 | Strategy::Zero2),
            )}
            {entry("local", "gradients of its own rows", |_| true)}
            {entry("node", "summed in its node", |run| run.params.replicas() > 1)}
            {entry("reduced", "summed over all ranks", |_| true)}
            {entry("moments", "optimizer states", |_| true)}
            {entry("activations", "activations", |_| true)}
        </ul>
    }
}
