//! Where the ranks lie: nodes as boxes, ranks coloured by their group along one axis.

use std::fmt::Write as _;

use leptos::html;
use leptos::prelude::*;
use ringside_core::decimal;
use ringside_core::planner::{Axis, Degrees, Job, words};
use ringside_core::quantity::grouped;
use web_sys::PointerEvent;

use super::Look;
use crate::ui::dom;
use crate::ui::segmented::Segmented;
use crate::ui::unique_id;

/// Most ranks that are drawn.
const MOST: u64 = 128;
/// Colours of groups, in turn.
const COLOURS: u64 = 8;

/// The layout's degrees, GPUs of a node, and how many ranks are drawn: whole nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Drawn {
    degrees: Degrees,
    node: u64,
    ranks: u64,
}

pub(super) fn view(look: Memo<Look>) -> AnyView {
    let axis = RwSignal::new(Axis::Tensor);
    let rank = RwSignal::new(0_u64);
    let drawn = Memo::new(move |_| {
        look.with(|look| {
            look.at(|job, layout| {
                let node = job.cluster.node.max(1);
                let ranks = job.cluster.gpus().min((MOST / node).max(1) * node);
                Some(Drawn { degrees: layout.choice.degrees, node, ranks })
            })
        })
    });
    let at = move || drawn.get().map(|d| (d, rank.get().min(d.ranks.saturating_sub(1))));
    // The chosen rank, and its group.
    let chosen = Memo::new(move |_| at().map(|(d, chosen)| (chosen, d.degrees.place(axis.get(), chosen).1)));
    let marks = move |r: u64, group: u64| {
        let (here, own) = chosen.get_untracked().unzip();
        [("rank-near", own == Some(group)), ("rank-here", here == Some(r))]
    };
    let nodes = move || {
        let along = axis.get();
        drawn.get().map(|d| markup(d, along, marks)).unwrap_or_default()
    };
    // Another rank: the marks move, and nothing else changes.
    let root = NodeRef::<html::Div>::new();
    Effect::new(move |_| {
        chosen.track();
        let (Some(root), Some(d)) = (root.get_untracked(), drawn.get_untracked()) else { return };
        for (r, cell) in (0..).zip(dom::all(&root, ".mesh-rank")) {
            let (_, group) = d.degrees.place(axis.get_untracked(), r);
            for (name, on) in marks(r, group) {
                // A mark that cannot be set leaves the sentence above.
                let _ = cell.class_list().toggle_with_force(name, on);
            }
        }
    });
    let point_at = move |event: PointerEvent| {
        let pointed =
            dom::closest(&event, ".mesh-rank").and_then(|cell| decimal::parse(&dom::attribute(&cell, "data-rank")));
        if let Some(pointed) = pointed {
            rank.set(pointed as u64);
        }
    };
    let says = move || {
        let along = axis.get();
        let Some((d, chosen)) = at() else { return String::new() };
        look.with(|look| look.at(|job, _| sentence(job, d, along, chosen)))
    };
    let more = move || {
        let gpus = look.with(|look| look.at(|job, _| job.cluster.gpus()));
        drawn
            .get()
            .filter(|d| d.ranks < gpus)
            .map(|d| format!(" Drawn: the first {} of {} ranks.", d.ranks, grouped(gpus)))
    };
    let options = Axis::ALL.map(|a| (a.id(), a.label())).to_vec();
    let value = Signal::derive(move || axis.get().id());
    let set = move |id: &'static str| axis.set(Axis::find(id).unwrap_or(Axis::Tensor));
    let slide = move |event| {
        if let Some(at) = decimal::parse(&event_target_value(&event)) {
            rank.set(at as u64);
        }
    };
    let last = move || drawn.get().map_or(0, |d| d.ranks.saturating_sub(1)).to_string();
    let id = unique_id("rank");
    view! {
        <section class="mesh">
            <p class="planner-title">"Where the ranks lie"</p>
            <div class="mesh-controls">
                <Segmented name="mesh-axis" label="Groups of" options value set />
                <div class="field">
                    <label for=id.clone()>"Rank"</label>
                    <input
                        type="range"
                        id=id
                        min="0"
                        max=last
                        prop:value=move || at().map_or(0, |(_, r)| r).to_string()
                        aria-valuetext=says
                        on:input=slide
                    />
                </div>
            </div>
            <p class="mesh-says" aria-live="polite">{says} <span class="fine">{more}</span></p>
            <div class="mesh-nodes" aria-hidden="true" node_ref=root on:pointerover=point_at inner_html=nodes></div>
        </section>
    }
    .into_any()
}

/// Which marks a rank of a group has.
type Marks = [(&'static str, bool); 2];

/// The nodes with their ranks, as markup.
fn markup(d: Drawn, along: Axis, marks: impl Fn(u64, u64) -> Marks) -> String {
    let mut text = String::new();
    for r in 0..d.ranks {
        if r.is_multiple_of(d.node) {
            let _ = write!(text, "<div class=\"mesh-node\"><span>node {}</span><div>", r / d.node);
        }
        let (position, group) = d.degrees.place(along, r);
        let _ = write!(text, "<i data-rank=\"{r}\" class=\"mesh-rank g{}", group % COLOURS);
        for (name, _) in marks(r, group).into_iter().filter(|(_, on)| *on) {
            let _ = write!(text, " {name}");
        }
        let _ = write!(text, "\">{position}</i>");
        if (r + 1).is_multiple_of(d.node) {
            text.push_str("</div></div>");
        }
    }
    text
}

/// Where the chosen rank is.
fn sentence(job: &Job, d: Drawn, along: Axis, chosen: u64) -> String {
    let group = d.degrees.group(along, d.node);
    let (position, own) = d.degrees.place(along, chosen);
    if group.ranks < 2 {
        return format!("There is no {} parallelism: each rank is alone.", along.label());
    }
    format!(
        "Rank {}, on node {}, is number {position} of {} in {} group {own}: {}; its neighbours are {} {} away.",
        grouped(chosen),
        grouped(chosen / d.node),
        group.ranks,
        along.label(),
        words::place(job, group),
        grouped(group.stride),
        if group.stride == 1 { "rank" } else { "ranks" }
    )
}
