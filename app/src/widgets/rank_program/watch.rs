//! A run to watch: ranks as lanes over time with their memory, messages on their way around a ring, and where each rank is now.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use leptos::ev::PointerEvent;
use leptos::html;
use leptos::prelude::*;
use ringside_core::program::playback::{Doing, Standing};
use ringside_core::program::{EventKind, Message, Rank, Run};
use ringside_core::quantity::Unit;
use ringside_drawing::timeline::{Axis, Window, strip};

use super::Shown;
use crate::ui::timeline;

/// How high the parts of a lane are, in pixels: what the program does, what runs beside it, memory, and the gap to the next rank.
#[derive(Clone, Copy)]
struct Rows {
    program: f64,
    beside: f64,
    memory: f64,
    gap: f64,
}

impl Rows {
    /// Those for so many ranks.
    fn of(ranks: usize) -> Self {
        if ranks > 8 {
            Self { program: 13.0, beside: 4.0, memory: 8.0, gap: 4.0 }
        } else {
            Self { program: 18.0, beside: 5.0, memory: 14.0, gap: 7.0 }
        }
    }

    fn lane(self) -> f64 {
        self.program + self.beside + self.memory + 2.0
    }

    fn pitch(self) -> f64 {
        self.lane() + self.gap
    }

    fn top(self, rank: usize) -> f64 {
        rank as f64 * self.pitch()
    }

    /// The middle of what the program of a rank does.
    fn middle(self, rank: usize) -> f64 {
        self.top(rank) + self.program / 2.0
    }
}

/// What a lane is painted in, by class and by what a person calls it.
const LOOKS: [(&str, &str); 5] = [
    ("does-compute", "Computes"),
    ("does-send", "Sends"),
    ("does-wait", "Waits to receive"),
    ("does-collective", "In a collective"),
    ("does-hang", "Hangs"),
];

/// The index in [`LOOKS`] of what never ends.
const HANGS: usize = 4;

/// The index in [`LOOKS`] of a kind of event.
fn look(kind: EventKind) -> usize {
    match kind {
        EventKind::Compute => 0,
        EventKind::Send => 1,
        EventKind::Recv | EventKind::Wait => 2,
        EventKind::Collective => 3,
    }
}

/// Messages up to which all of a run are drawn as lines from lane to lane.
const LINES: usize = 400;

/// The narrowest block, in pixels.
const NARROWEST: f64 = 1.0;

fn ranks(shown: Shown) -> Memo<usize> {
    Memo::new(move |_| shown.with(|outcome| outcome.run.ranks.len()))
}

/// The run.
pub(super) fn view(shown: Shown) -> AnyView {
    view! {
        <section class="rank-watch" aria-label="The run">
            {lanes(shown)}
            {legend()}
            {move || shown.with(|outcome| outcome.run.cut).then(cut)}
            <div class="rank-now">
                {ring(shown)}
                {standings(shown)}
            </div>
            {printed(shown)}
        </section>
    }
    .into_any()
}

/// Of a run that is not drawn in full.
fn cut() -> AnyView {
    view! { <p class="fine">"The run has more events than are drawn here. The totals count them all."</p> }.into_any()
}

fn legend() -> AnyView {
    let look = |(class, label): (&'static str, &'static str)| {
        let class = format!("swatch {class}");
        view! { <li><i class=class></i> {label}</li> }
    };
    view! {
        <ul class="timeline-legend">
            {LOOKS.map(look).into_iter().collect_view()}
            <li><i class="swatch does-memory"></i> "Memory, scaled to the highest peak"</li>
        </ul>
    }
    .into_any()
}

/// The lanes of the ranks over time.
fn lanes(shown: Shown) -> AnyView {
    let (window, width) = (RwSignal::new(Window::ALL), RwSignal::new(0.0));
    let last = Memo::new(move |_| shown.with(|outcome| end(&outcome.run)));
    let axis = Memo::new(move |_| {
        let (last, window) = (last.get(), window.get());
        Axis { from: window.from * last, to: window.to * last, width: width.get() }
    });
    let count = ranks(shown);
    let height = move || Rows::of(count.get()).pitch() * count.get() as f64;
    let picture = move || shown.with(|outcome| drawing(&outcome.run, axis.get(), last.get()));
    let over = move || shown.at(|outcome, now| now_drawing(&outcome.run, axis.get(), now, last.get()));
    let node = NodeRef::<html::Div>::new();
    timeline::follow_width(node, width);
    let names = move || (0..count.get()).map(|rank| view! { <span>{rank}</span> }).collect_view();
    let point = move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            let time = axis.get_untracked().time(f64::from(event.offset_x()));
            shown.step.set(shown.moments.with_untracked(|moments| moments.step(time)));
        }
    };
    let label = move || format!("Timeline of {} ranks. The list below says where each rank is.", count.get());
    let busy = Memo::new(move |_| shown.with(|outcome| strip(&outcome.run.computing(last.get(), PARTS))));
    view! {
        <div class="track rank-track">
            <div
                class="track-rows"
                style:height=move || format!("{}px", height())
                style=("--row", move || format!("{}px", Rows::of(count.get()).pitch()))
                style=("--block", move || format!("{}px", Rows::of(count.get()).program))
            >
                <div class="track-names" aria-hidden="true">{names}</div>
                <div
                    class="timeline"
                    node_ref=node
                    role="img"
                    aria-label=label
                    on:pointerdown=point
                    on:pointermove=point
                    on:wheel=move |event| timeline::wheel(&event, window, width)
                >
                    <svg class="pieces" aria-hidden="true" width=move || width.get() height=height inner_html=picture></svg>
                    <svg class="over" aria-hidden="true" inner_html=over></svg>
                </div>
            </div>
            {timeline::ticks(axis, |t| Unit::Seconds.format(t))}
            {timeline::overview(window, busy, "Share of ranks computing")}
        </div>
    }
    .into_any()
}

/// Parts of the strip over the whole run.
const PARTS: usize = 120;

/// A rectangle as a part of a path.
fn block(path: &mut String, x: f64, y: f64, width: f64, height: f64) {
    // Writing to a string does not fail.
    let _ = write!(path, "M{x:.1} {y:.1}h{width:.1}v{height:.1}h{:.1}z", -width);
}

/// Where the lanes of a run end, in seconds: what never ends is drawn on beyond the last event, even where no time has passed.
fn end(run: &Run) -> f64 {
    let hangs = run.ranks.iter().any(|rank| rank.events.iter().any(|event| event.hangs));
    if hangs { (run.totals.time * 1.15).max(1e-6) } else { run.totals.time }
}

/// Every lane: one path for each look, and one for memory.
fn drawing(run: &Run, axis: Axis, last: f64) -> String {
    let rows = Rows::of(run.ranks.len());
    let mut paths: [String; LOOKS.len()] = Default::default();
    let mut memory = String::new();
    let (most, mut never) = (run.totals.memory.max(1) as f64, String::new());
    for (i, rank) in run.ranks.iter().enumerate() {
        let top = rows.top(i);
        for event in &rank.events {
            let until = if event.hangs { last } else { event.end };
            let (x, right) = (axis.x(event.start).max(0.0), axis.x(until).min(axis.width));
            if right < 0.0 || x > axis.width {
                continue;
            }
            let (y, high) = if event.stream { (top + rows.program + 1.0, rows.beside) } else { (top, rows.program) };
            let look = if event.hangs { HANGS } else { look(event.kind) };
            if event.hangs && right > x {
                let _ = write!(
                    never,
                    "<text class=\"never\" x=\"{:.1}\" y=\"{:.1}\">never ends</text>",
                    right - 4.0,
                    y + high / 2.0
                );
            }
            block(&mut paths[look], x, y, (right - x).max(NARROWEST), high);
        }
        filled(&mut memory, rank, axis, (top + rows.lane(), rows.memory / most), last);
    }
    let mut markup = format!("<path class=\"does-memory\" d=\"{memory}\"/>");
    for ((class, _), path) in LOOKS.iter().zip(&paths) {
        let _ = write!(markup, "<path class=\"{class}\" d=\"{path}\"/>");
    }
    if run.messages.len() <= LINES {
        let lines: String = run.messages.iter().map(|message| line(message, axis, rows)).collect();
        let _ = write!(markup, "<path class=\"message-line\" d=\"{lines}\"/>");
    }
    markup + &never
}

/// A rank's memory as an area over `foot`, `scale` pixels for each byte.
fn filled(path: &mut String, rank: &Rank, axis: Axis, (foot, scale): (f64, f64), end: f64) {
    let _ = write!(path, "M0 {foot:.1}");
    for (i, point) in rank.memory.iter().enumerate() {
        let until = rank.memory.get(i + 1).map_or(end, |next| next.time);
        let (x, right) = (axis.x(point.time).clamp(0.0, axis.width), axis.x(until).clamp(0.0, axis.width));
        let y = foot - point.total() as f64 * scale;
        let _ = write!(path, "L{x:.1} {y:.1}L{right:.1} {y:.1}");
    }
    let _ = write!(path, "L{:.1} {foot:.1}z", axis.x(end).clamp(0.0, axis.width));
}

fn line(message: &Message, axis: Axis, rows: Rows) -> String {
    let (x, right) = (axis.x(message.start), axis.x(message.end));
    format!("M{x:.1} {:.1}L{right:.1} {:.1}", rows.middle(message.from), rows.middle(message.to))
}

/// What lies over the lanes: the moment on show, and the messages that are under way then.
fn now_drawing(run: &Run, axis: Axis, now: f64, last: f64) -> String {
    let rows = Rows::of(run.ranks.len());
    let lines: String = run.under_way(now).map(|message| line(message, axis, rows)).collect();
    let now = if now < run.totals.time { now } else { last };
    let (x, high) = (axis.x(now), rows.pitch() * run.ranks.len() as f64);
    let width = (axis.width - x).max(0.0);
    format!(
        "<rect class=\"veil\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"{high:.1}\"/><path class=\"message-now\" d=\"{lines}\"/>\
         <line class=\"now\" x1=\"{x:.1}\" x2=\"{x:.1}\" y2=\"{high:.1}\"/>"
    )
}

/// The radius of the ring and of a rank on it, in a drawing of 200 by 200.
const RING: (f64, f64) = (78.0, 13.0);

/// The length of an arrow's head.
const HEAD: f64 = 7.0;

/// The ranks around a ring, with the messages that are under way.
fn ring(shown: Shown) -> AnyView {
    let picture =
        move || shown.at(|outcome, now| shown.standings.with(|standings| ring_drawing(&outcome.run, now, standings)));
    view! {
        <svg class="rank-ring" viewBox="0 0 200 200" aria-hidden="true">
            <g inner_html=picture></g>
        </svg>
    }
    .into_any()
}

fn ring_drawing(run: &Run, now: f64, standings: &[Standing]) -> String {
    let (radius, disc) = RING;
    let count = run.ranks.len().max(1);
    let at = |rank: usize| {
        let turn = rank as f64 / count as f64 * TAU;
        (100.0 + radius * turn.sin(), 100.0 - radius * turn.cos())
    };
    let mut markup = format!("<circle class=\"around\" cx=\"100\" cy=\"100\" r=\"{radius}\"/>");
    for message in run.under_way(now) {
        let ((x, y), (to_x, to_y)) = (at(message.from), at(message.to));
        let length = (to_x - x).hypot(to_y - y).max(1.0);
        let (dx, dy) = ((to_x - x) / length, (to_y - y) / length);
        let (tip_x, tip_y) = (to_x - dx * disc, to_y - dy * disc);
        let (back_x, back_y) = (tip_x - dx * HEAD, tip_y - dy * HEAD);
        let _ = write!(
            markup,
            "<path class=\"flight\" d=\"M{:.1} {:.1}L{tip_x:.1} {tip_y:.1}M{:.1} {:.1}L{tip_x:.1} {tip_y:.1}L{:.1} {:.1}\"/>",
            x + dx * disc,
            y + dy * disc,
            back_x - dy * HEAD * 0.6,
            back_y + dx * HEAD * 0.6,
            back_x + dy * HEAD * 0.6,
            back_y - dx * HEAD * 0.6
        );
    }
    for (rank, standing) in standings.iter().enumerate() {
        let (x, y) = at(rank);
        let class = class(standing.doing);
        let _ = write!(
            markup,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{disc}\"/><text class=\"on-{class}\" x=\"{x:.1}\" y=\"{:.1}\">{rank}</text>",
            y + 4.0
        );
    }
    markup
}

/// The class of what a rank does.
fn class(doing: Doing) -> &'static str {
    match doing {
        Doing::Busy(kind) => LOOKS[look(kind)].0,
        Doing::Hangs | Doing::Stopped => LOOKS[HANGS].0,
        Doing::Between | Doing::Finished => "does-nothing",
    }
}

/// Where each rank is, in words.
fn standings(shown: Shown) -> AnyView {
    let row = |(rank, standing): (usize, Standing)| {
        let class = format!("swatch {}", class(standing.doing));
        let line = (standing.line > 0).then(|| format!("line {}", standing.line));
        view! {
            <li>
                <i class=class></i>
                <b>{format!("Rank {rank}")}</b>
                <span class="at-line">{line}</span>
                <span class="what">{standing.says}</span>
                <span class="holds">{Unit::Bytes.format(standing.memory as f64)}</span>
            </li>
        }
    };
    let rows = move || shown.standings.get().into_iter().enumerate().map(row).collect_view();
    let label = move || format!("The ranks at {}", Unit::Seconds.format(shown.now()));
    view! { <ul class="rank-list" aria-label=label>{rows}</ul> }.into_any()
}

/// What the ranks printed up to the moment on show.
fn printed(shown: Shown) -> AnyView {
    let any = Memo::new(move |_| shown.with(|outcome| outcome.run.ranks.iter().any(|rank| !rank.printed.is_empty())));
    let text = move || shown.at(|outcome, now| outcome.run.printed(now));
    view! {
        <Show when=move || any.get()>
            <div class="rank-output">
                <p class="fine">"Output up to this moment"</p>
                <pre tabindex="0" aria-label="Output of the ranks">{text}</pre>
            </div>
        </Show>
    }
    .into_any()
}
