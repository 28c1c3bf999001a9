//! A lane for each model and a column for each phase, filled to scale; below, what a GPU holds in all, and the phases in time.

use std::fmt::Write as _;

use ringside_core::declare::Model as _;
use ringside_core::memory::{Concept, Parts};
use ringside_core::post_training::held::Tune;
use ringside_core::post_training::memory::{Params, Phase, Role, Step, Work};
use ringside_core::quantity::{Unit, count, unbroken};

/// The classes of what is drawn, in the order in which it is stacked, and what they are called.
const KEYS: [(&str, &str); 6] = [
    ("weights", "weights"),
    ("gradients", "gradients"),
    ("optimizer", "optimizer states"),
    ("activations", "activations"),
    ("kv-cache", "KV cache"),
    ("working", "the engine’s weights, a forward pass"),
];

/// The part of its column that a bar is wide.
const WIDE: f64 = 0.8;

/// The drawing, as markup. `step` is the phase that is looked at, from 1; 0 for all.
pub(super) fn picture(params: &Params, step: &Step, at: usize) -> String {
    let mut html = String::from("<ul class=\"legend rlhf-legend\">");
    for (class, name) in KEYS {
        // Writing to a string does not fail.
        let _ = write!(html, "<li><i class=\"swatch {class}\"></i>{name}</li>");
    }
    html.push_str("</ul>");
    heads(&mut html, params, step, at);
    let most = Role::ALL.iter().flat_map(|role| step.phases.iter().map(move |p| of_role(p, *role))).fold(1.0, f64::max);
    for role in Role::ALL.into_iter().filter(|role| params.method.has(*role)) {
        lane(&mut html, params, step, role, most, at);
    }
    whole(&mut html, params, step, at);
    if params.runs(step) {
        time(&mut html, params, step, at);
    }
    html
}

/// What a role has in a phase, with what it works on.
fn of_role(phase: &Phase, role: Role) -> f64 {
    let working = if phase.work.role() == role { phase.working.0 } else { 0.0 };
    phase.roles[role as usize].total().0 + working
}

fn heads(html: &mut String, params: &Params, step: &Step, at: usize) {
    html.push_str("<div class=\"rlhf-row rlhf-heads\"><span></span><ol>");
    for (i, phase) in step.phases.iter().enumerate() {
        let now = if at == i + 1 { " now" } else { "" };
        let apart = if params.placement.is_apart() && phase.work.on_engine() { " apart" } else { "" };
        let _ = write!(
            html,
            "<li class=\"{}{now}{apart}\"><b>{}</b> <span>{}</span></li>",
            class(phase.work),
            i + 1,
            phase.work.label()
        );
    }
    html.push_str("</ol></div>");
}

/// The class of a phase, which gives it its colour.
fn class(work: Work) -> &'static str {
    match work {
        Work::Sync => "sync",
        Work::Generate => "generate",
        Work::Score(_) => "score",
        Work::Train(_) => "train",
    }
}

/// How a role is there, in a few words.
fn described(params: &Params, step: &Step, role: Role) -> String {
    if !params.is_there(role) {
        return match role {
            Role::Reference if params.tune != Tune::Full => "the policy, adapter off".to_owned(),
            Role::Reward => "a rule".to_owned(),
            _ => "none".to_owned(),
        };
    }
    let size = count(step.held[role as usize].params);
    match params.tune_of(role) {
        None => format!("{size}, frozen"),
        Some(Tune::Full) => format!("{size}, trained"),
        Some(tune) => format!("{size}, {}", tune.label()),
    }
}

fn open(html: &mut String, class: &str, name: &str, says: &str, columns: usize, label: &str) {
    let _ = write!(
        html,
        "<div class=\"rlhf-row {class}\"><p><b>{name}</b> <span>{says}</span></p><svg viewBox=\"0 0 {} 1\" \
         preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">",
        columns.max(1)
    );
}

/// Rectangles one on another from the foot; each of what is given with its class.
fn stack(
    html: &mut String,
    column: usize,
    faint: bool,
    most: f64,
    parts: impl IntoIterator<Item = (&'static str, f64)>,
) {
    let (x, mut foot) = (column as f64 + (1.0 - WIDE) / 2.0, 1.0);
    let faint = if faint { " faint" } else { "" };
    for (class, bytes) in parts {
        let high = bytes / most;
        foot -= high;
        let _ = write!(
            html,
            "<rect class=\"{class}{faint}\" x=\"{x:.3}\" y=\"{foot:.4}\" width=\"{WIDE}\" height=\"{high:.4}\"/>"
        );
    }
}

fn parts(parts: &Parts, working: f64) -> [(&'static str, f64); 6] {
    let mut all = [("", 0.0); 6];
    for ((slot, (class, _)), concept) in all.iter_mut().zip(KEYS).zip(Concept::ALL.map(Some).into_iter().chain([None]))
    {
        *slot = (class, concept.map_or(working, |concept| parts.of(concept).0));
    }
    all
}

fn lane(html: &mut String, params: &Params, step: &Step, role: Role, most: f64, at: usize) {
    let fullest = step.phases.iter().map(|p| of_role(p, role)).fold(0.0, f64::max);
    let says = described(params, step, role);
    let label = format!("{}, {says}: at most {} on a GPU", role.label(), Unit::Bytes.format(fullest));
    open(html, "lane", role.label(), &says, step.phases.len(), &label);
    for (i, phase) in step.phases.iter().enumerate() {
        let works = phase.work.role() == role;
        if works {
            let _ = write!(html, "<rect class=\"works\" x=\"{i}\" y=\"0\" width=\"1\" height=\"1\"/>");
        }
        let working = if works { phase.working.0 } else { 0.0 };
        let faint = at > 0 && at != i + 1;
        stack(html, i, faint, most, parts(&phase.roles[role as usize], working));
    }
    html.push_str("</svg></div>");
}

fn whole(html: &mut String, params: &Params, step: &Step, at: usize) {
    let (capacity, peak) = (params.gpu.memory.0, step.peak_bytes());
    let most = capacity.max(peak) * 1.04;
    let here = at.checked_sub(1).and_then(|i| step.phases.get(i)).map(|phase| phase.total().0);
    let (word, bytes) = here.map_or(("fullest", peak), |bytes| ("now", bytes));
    let says = format!(
        "{word} {} of {} (dashed)",
        unbroken(&Unit::Bytes.format(bytes)),
        unbroken(&Unit::Bytes.format(capacity))
    );
    open(html, "whole", "One GPU", &says, step.phases.len(), &format!("What a GPU holds in each phase: {says}"));
    for (i, phase) in step.phases.iter().enumerate() {
        let sum = phase.roles.iter().fold([("", 0.0); 6], |mut sum, role| {
            for (sum, (class, bytes)) in sum.iter_mut().zip(parts(role, 0.0)) {
                *sum = (class, sum.1 + bytes);
            }
            sum
        });
        let faint = at > 0 && at != i + 1;
        let working =
            sum.into_iter().zip(0..).map(|((class, bytes), n)| (class, if n == 5 { phase.working.0 } else { bytes }));
        stack(html, i, faint, most, working);
    }
    let _ =
        write!(html, "<path class=\"capacity\" d=\"M0 {0:.4}H{1}\"/>", 1.0 - capacity / most, step.phases.len().max(1));
    html.push_str("</svg></div>");
}

/// The class of a kind of phase, what it is called, and which phases are of it.
type Kind = (&'static str, &'static str, fn(Work) -> bool);

/// The phases in time, to scale. Generation on GPUs of its own, at once with the others, has a line of its own.
fn time(html: &mut String, params: &Params, step: &Step, at: usize) {
    let all = params.seconds(step).max(f64::MIN_POSITIVE);
    let engine = step.seconds(Work::on_engine);
    let at_once = all < step.seconds(|_| true) * 0.999_999;
    let here = at.checked_sub(1).and_then(|i| step.phases.get(i)).map(|phase| phase.seconds + phase.loading);
    let says = match here {
        Some(seconds) => format!("now {} of {}", Unit::Seconds.format(seconds), Unit::Seconds.format(all)),
        None => format!("{} at the least", Unit::Seconds.format(all)),
    };
    open(html, "time", "A step in time", &says, 1, &format!("A step in time: {says}"));
    let (mut x, high) = (0.0, if at_once { 0.46 } else { 1.0 });
    for (i, phase) in step.phases.iter().enumerate() {
        let (mine, y) = match (at_once, phase.work.on_engine()) {
            (true, true) => (x, 0.0),
            (true, false) => (x - engine / all, 0.54),
            (false, _) => (x, 0.0),
        };
        let wide = (phase.seconds + phase.loading) / all;
        let faint = if at > 0 && at != i + 1 { " faint" } else { "" };
        let _ = write!(
            html,
            "<rect class=\"{}{faint}\" x=\"{mine:.4}\" y=\"{y}\" width=\"{wide:.4}\" height=\"{high}\"/>",
            class(phase.work)
        );
        x += wide;
    }
    html.push_str("</svg></div>");
    html.push_str("<ul class=\"legend rlhf-legend times\">");
    let kinds: [Kind; 4] = [
        ("sync", "weights to the engine", |w| w == Work::Sync),
        ("generate", "generating", |w| w == Work::Generate),
        ("score", "scoring", |w| matches!(w, Work::Score(_))),
        ("train", "training", |w| matches!(w, Work::Train(_))),
    ];
    for (class, name, which) in kinds {
        let seconds = step.seconds(which);
        let _ =
            write!(html, "<li><i class=\"swatch {class}\"></i>{name} <b>{}</b></li>", Unit::Seconds.format(seconds));
    }
    html.push_str("</ul>");
}
