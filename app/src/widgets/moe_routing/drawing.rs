//! Scores over loads over GPUs, all by the same columns, and the layer in time below.

use std::fmt::Write as _;

use ringside_core::moe::figure::{Params, Routed, STEPS};
use ringside_core::quantity::{Unit, grouped, number};

/// Tokens on show.
const ROWS: usize = 24;
/// Shades of a score.
const SHADES: usize = 5;

/// The outline of a score, with room to the next token's.
const CELL: &str = "h1v.84h-1z";

/// Which steps have been done.
struct Done(usize);

impl Done {
    fn chosen(&self) -> bool {
        self.0 >= 2
    }
    fn room(&self) -> bool {
        self.0 >= 3
    }
    fn sent(&self) -> bool {
        self.0 >= 4
    }
    fn computed(&self) -> bool {
        self.0 >= 5
    }
    fn back(&self) -> bool {
        self.0 >= STEPS.len()
    }
}

/// The drawing after `step` steps, as markup.
pub fn picture(params: &Params, routed: &Routed, step: usize) -> String {
    let done = Done(step);
    let mut html = String::new();
    scores(&mut html, routed, &done);
    loads(&mut html, routed, &done);
    ranks(&mut html, routed, &done);
    time(&mut html, params, routed, &done);
    html
}

/// The places of the tokens on show in the sample.
fn rows(routed: &Routed) -> impl Iterator<Item = usize> + use<> {
    let all = routed.routed.len();
    let shown = all.min(ROWS);
    (0..shown).map(move |i| i * all / shown.max(1))
}

fn part(html: &mut String, class: &str, title: &str, says: &str, legend: &str) {
    // Writing to a string does not fail.
    let _ = write!(
        html,
        "<div class=\"part {class}\"><p class=\"part-head\"><b>{title}</b> <span class=\"keys\">{legend}</span> <span class=\"says\">{says}</span></p>"
    );
}

/// Lines where a GPU's experts end, heavier where a node does.
fn borders(html: &mut String, routed: &Routed, high: f64) {
    let place = &routed.place;
    let wide = place.experts as f64 / place.ranks.max(1) as f64;
    for rank in 1..place.ranks {
        let class = if rank % place.node.max(1) == 0 { "node" } else { "rank" };
        let x = rank as f64 * wide;
        let _ = write!(html, "<path class=\"{class}\" d=\"M{x} 0V{high}\"/>");
    }
}

fn scores(html: &mut String, routed: &Routed, done: &Done) {
    let shown = rows(routed).count();
    let says = format!("{} of {} tokens, {} experts", shown, grouped(routed.routed.len() as u64), routed.place.experts);
    let legend = if done.room() && routed.capacity.is_some() {
        "<i class=\"key chosen\"></i>chosen <i class=\"key dropped\"></i>no room"
    } else if done.chosen() {
        "<i class=\"key chosen\"></i>chosen"
    } else {
        ""
    };
    part(html, "scores", "The router’s scores", &says, legend);
    let words = format!("Scores of {says}; each token’s {} chosen experts are marked.", routed.router.top_k);
    let _ = write!(
        html,
        "<svg viewBox=\"0 0 {} {shown}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{words}\">",
        routed.place.experts
    );
    let mut shades: [String; SHADES] = Default::default();
    let (mut chosen, mut dropped, mut closed) = (String::new(), String::new(), String::new());
    for (y, token) in rows(routed).enumerate() {
        let Some(row) = routed.scores.get(token) else { continue };
        let least = row.iter().copied().fold(f64::INFINITY, f64::min);
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for (x, score) in row.iter().enumerate() {
            // The root, so that what a softmax leaves of the others can be told apart.
            let part = if most > least { ((score - least) / (most - least)).sqrt() } else { 0.0 };
            let shade = ((part * SHADES as f64) as usize).min(SHADES - 1);
            if let Some(path) = shades.get_mut(shade) {
                let _ = write!(path, "M{x} {y}{CELL}");
            }
        }
        if done.chosen() {
            limits(&mut closed, routed, token, y);
            let kept = routed.kept.get(token);
            for (slot, choice) in routed.routed.get(token).into_iter().flatten().enumerate() {
                let has_room = !done.room() || kept.and_then(|k| k.get(slot)).copied().unwrap_or(true);
                let path = if has_room { &mut chosen } else { &mut dropped };
                let _ = write!(path, "M{} {y}{CELL}", choice.expert);
            }
        }
    }
    for (i, path) in shades.iter().enumerate() {
        let _ = write!(html, "<path class=\"shade s{i}\" d=\"{path}\"/>");
    }
    let _ = write!(
        html,
        "<path class=\"closed\" d=\"{closed}\"/><path class=\"chosen\" d=\"{chosen}\"/><path class=\"dropped\" d=\"{dropped}\"/>"
    );
    borders(html, routed, shown as f64);
    html.push_str("</svg></div>");
}

/// The groups that a token may not use.
fn limits(path: &mut String, routed: &Routed, token: usize, y: usize) {
    let (Some(groups), Some(allowed)) = (routed.router.groups, routed.allowed.get(token)) else { return };
    let size = routed.place.experts / groups.count.max(1);
    for group in (0..groups.count).filter(|group| !allowed.contains(group)) {
        let _ = write!(path, "M{} {y}h{size}v1h-{size}z", group * size);
    }
}

fn loads(html: &mut String, routed: &Routed, done: &Done) {
    let most = routed.load.iter().copied().max().unwrap_or(0) as f64;
    let room = routed.capacity.map(|c| c as f64);
    let mean = routed.load.iter().sum::<usize>() as f64 / routed.load.len().max(1) as f64;
    let high = most.max(room.unwrap_or(0.0)).max(2.0 * mean).max(1.0) * 1.05;
    let says = match (done.room(), room) {
        (false, _) => String::new(),
        (true, Some(room)) => format!("mean {}, room for {}, most {}", number(mean), number(room), number(most)),
        (true, None) => format!("mean {}, most {}", number(mean), number(most)),
    };
    let legend = if done.room() && room.is_some() { "<i class=\"key line\"></i>room" } else { "" };
    part(html, "loads", "Tokens of each expert", &says, legend);
    let _ = write!(
        html,
        "<svg viewBox=\"0 0 {} {high:.2}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Tokens of each expert: {says}.\">",
        routed.place.experts
    );
    if done.room() {
        let (mut kept, mut over) = (String::new(), String::new());
        for (x, load) in routed.load.iter().enumerate() {
            let load = *load as f64;
            let held = room.map_or(load, |room| load.min(room));
            let _ = write!(kept, "M{:.2} {:.2}V{:.2}h.8V{high:.2}z", x as f64 + 0.1, high, high - held);
            if load > held {
                let _ =
                    write!(over, "M{:.2} {:.2}V{:.2}h.8V{:.2}z", x as f64 + 0.1, high - held, high - load, high - held);
            }
        }
        let _ = write!(html, "<path class=\"kept\" d=\"{kept}\"/><path class=\"over\" d=\"{over}\"/>");
        if let Some(room) = room {
            let _ = write!(html, "<path class=\"limit\" d=\"M0 {0:.2}H{1}\"/>", high - room, routed.place.experts);
        }
    }
    borders(html, routed, high);
    html.push_str("</svg></div>");
}

fn ranks(html: &mut String, routed: &Routed, done: &Done) {
    let slowest = routed.times.slowest();
    let arrived = |rank: usize| {
        let got = |ports: &[[u64; 2]]| ports.get(rank).map_or(0, |[_, got]| *got);
        (got(&routed.traffic.inside) + got(&routed.traffic.between)) as f64
    };
    let most = (0..routed.place.ranks).map(arrived).fold(1.0, f64::max);
    let says = if done.computed() {
        format!(
            "slowest {}, {} of the time spent waiting for it",
            Unit::Seconds.format(slowest),
            Unit::Fraction.format(routed.times.waiting())
        )
    } else if done.sent() && routed.place.ranks > 1 {
        format!(
            "each sends {} inside its node and {} to others",
            Unit::Bytes.format(routed.times.sent[0]),
            Unit::Bytes.format(routed.times.sent[1])
        )
    } else {
        String::new()
    };
    let legend = if done.computed() {
        "<i class=\"key works\"></i>computes <i class=\"key waits\"></i>waits"
    } else if done.sent() && routed.place.ranks > 1 {
        "<i class=\"key came\"></i>tokens that came"
    } else {
        ""
    };
    part(
        html,
        "gpus",
        &format!("{} GPU{}", routed.place.ranks, if routed.place.ranks == 1 { "" } else { "s" }),
        &says,
        legend,
    );
    let _ = write!(
        html,
        "<svg viewBox=\"0 0 {} 1\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"GPUs: {says}.\">",
        routed.place.experts
    );
    let wide = routed.place.experts as f64 / routed.place.ranks.max(1) as f64;
    let gap = wide * 0.06;
    for rank in 0..routed.place.ranks {
        let (x, w) = (rank as f64 * wide + gap, wide - 2.0 * gap);
        if done.computed() {
            let time = routed.times.experts.get(rank).copied().unwrap_or(0.0);
            let part = if slowest > 0.0 { time / slowest } else { 0.0 };
            let _ = write!(
                html,
                "<rect class=\"waits\" x=\"{x:.3}\" y=\"0\" width=\"{w:.3}\" height=\"{:.4}\"/><rect class=\"works\" x=\"{x:.3}\" y=\"{:.4}\" width=\"{w:.3}\" height=\"{part:.4}\"/>",
                1.0 - part,
                1.0 - part,
            );
        } else if done.sent() {
            let part = arrived(rank) / most;
            let _ = write!(
                html,
                "<rect class=\"came\" x=\"{x:.3}\" y=\"{:.4}\" width=\"{w:.3}\" height=\"{part:.4}\"/>",
                1.0 - part
            );
        }
    }
    borders(html, routed, 1.0);
    html.push_str("</svg></div>");
}

fn time(html: &mut String, params: &Params, routed: &Routed, done: &Done) {
    let times = &routed.times;
    let total = times.total();
    let says = if done.back() {
        format!("{}, {} of it all-to-alls", Unit::Seconds.format(total), Unit::Fraction.format(times.communication()))
    } else {
        String::new()
    };
    let pieces = [
        ("sent", "dispatch", times.dispatch, done.sent() && params.ep > 1),
        ("works", "experts", times.slowest(), done.computed()),
        ("back", "combine", times.combine, done.back() && params.ep > 1),
    ];
    let (mut legend, mut bars, mut left) = (String::new(), String::new(), 0.0);
    for (class, name, seconds, there) in pieces {
        let wide = if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
        if there {
            let _ = write!(legend, "<i class=\"key {class}\"></i>{name} {} ", Unit::Seconds.format(seconds));
            let _ =
                write!(bars, "<rect class=\"{class}\" x=\"{left:.3}%\" y=\"0\" width=\"{wide:.3}%\" height=\"100%\"/>");
        }
        left += wide;
    }
    part(html, "time", "The layer in time", &says, &legend);
    let _ = write!(html, "<svg role=\"img\" aria-label=\"The layer in time: {says}.\">{bars}</svg></div>");
}
