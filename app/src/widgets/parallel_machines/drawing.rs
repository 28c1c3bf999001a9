//! Units as rows of lanes, what each lane does, the memory beside them, and the messages between them.

use std::fmt::Write as _;

use ringside_core::machines::{Kind, Lane, Message, Params, Run, Step, Touch};
use ringside_core::quantity::{Unit, capital};

/// The side of a lane and what lies between two, in units of the drawing.
const SIDE: f64 = 14.0;
const PITCH: f64 = 16.0;
/// Room to the left of the lanes: for messages, names and memory.
const LEFT: f64 = 132.0;
/// Room between units that are no rows of one array.
const APART: f64 = 8.0;
/// Lanes up to which an element's number fits in its lane.
const NUMBERED: usize = 32;

/// The drawing after `done` steps, as markup, and its size.
pub fn picture(params: &Params, run: &Run, done: usize) -> String {
    let array = params.machine == Kind::Systolic;
    let row = PITCH + if array { 0.0 } else { APART };
    let (wide, high) = (LEFT + run.lanes as f64 * PITCH + 4.0, run.units as f64 * row + 8.0);
    let idle = Step { lanes: vec![Lane::Waits; run.units * run.lanes], ..Step::default() };
    let step = done.checked_sub(1).and_then(|i| run.steps.get(i)).unwrap_or(&idle);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {wide} {high}\" width=\"{:.0}\" role=\"img\" aria-label=\"{}\">",
        wide * 2.2,
        in_words(run, step, done)
    );
    for unit in 0..run.units {
        let top = 4.0 + unit as f64 * row;
        unit_of(&mut svg, params, run, unit, top);
        for lane in 0..run.lanes {
            let what = step.lanes.get(unit * run.lanes + lane).copied().unwrap_or_default();
            cell(&mut svg, what, LEFT + lane as f64 * PITCH, top, run.lanes <= NUMBERED);
        }
    }
    for message in &step.messages {
        arc(&mut svg, message, row);
    }
    svg.push_str("</svg>");
    svg
}

/// The name of a unit and the memory beside it.
fn unit_of(svg: &mut String, params: &Params, run: &Run, unit: usize, top: f64) {
    let middle = top + SIDE * 0.75;
    let name = match params.machine {
        Kind::Cpu => "core",
        Kind::Gpu => "warp",
        Kind::Nodes => "node",
        // The rows of an array have no names.
        Kind::Systolic if unit == 0 => {
            // Writing to a string does not fail.
            let _ = write!(
                svg,
                "<text class=\"name\" x=\"{:.0}\" y=\"{middle:.1}\" text-anchor=\"end\">activations →</text>",
                LEFT - 8.0
            );
            return;
        }
        Kind::Systolic => return,
    };
    let far = params.machine == Kind::Cpu && params.touch == Touch::One && unit >= run.units.div_ceil(2);
    let memory = if far { "far" } else { "near" };
    let _ = write!(
        svg,
        "<rect class=\"memory {memory}\" x=\"46\" y=\"{top:.1}\" width=\"34\" height=\"{SIDE}\" rx=\"2\" /><text class=\"in-memory\" x=\"63\" \
         y=\"{middle:.1}\" text-anchor=\"middle\">{memory}</text><text class=\"name\" x=\"{:.0}\" y=\"{middle:.1}\" \
         text-anchor=\"end\">{name} {unit}</text>",
        LEFT - 6.0
    );
}

/// A lane.
fn cell(svg: &mut String, lane: Lane, left: f64, top: f64, numbered: bool) {
    let class = match lane {
        Lane::Waits => "waits",
        Lane::Masked => "masked",
        Lane::Works(_) => "works",
    };
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{left:.0}\" y=\"{top:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" rx=\"2\" />"
    );
    let middle = left + SIDE / 2.0;
    match lane {
        Lane::Works(element) if numbered => {
            let _ =
                write!(svg, "<text x=\"{middle:.0}\" y=\"{:.1}\" text-anchor=\"middle\">{element}</text>", top + 9.8);
        }
        Lane::Masked => {
            let (right, bottom) = (left + SIDE - 3.0, top + SIDE - 3.0);
            let _ = write!(
                svg,
                "<path class=\"cross\" d=\"M{:.0} {:.1}L{right:.0} {bottom:.1}\" />",
                left + 3.0,
                top + 3.0
            );
        }
        _ => {}
    }
}

/// A message, as a bow on the left from one unit to another.
fn arc(svg: &mut String, message: &Message, row: f64) {
    let at = |unit: usize| 4.0 + unit as f64 * row + SIDE / 2.0;
    let (from, to) = (at(message.from), at(message.to));
    let reach = 42.0 - (from - to).abs().min(200.0) * 0.19;
    let _ = write!(
        svg,
        "<path class=\"message\" d=\"M44 {from:.1}Q{reach:.1} {:.1} 44 {to:.1}\" /><circle class=\"arrives\" cx=\"44\" cy=\"{to:.1}\" \
         r=\"2.6\" />",
        f64::midpoint(from, to)
    );
}

/// What a step is, for who does not see it.
fn in_words(run: &Run, step: &Step, done: usize) -> String {
    if done == 0 {
        return format!("{} units of {} lanes, nothing done yet.", run.units, run.lanes);
    }
    let masked = step.lanes.iter().filter(|lane| **lane == Lane::Masked).count();
    let messages = match step.messages.len() {
        0 => String::new(),
        n => format!(", {n} messages"),
    };
    format!("Step {done}: {}. {} lanes work, {masked} are masked{messages}.", step.what, step.working())
}

/// What a step does and costs, in words for the page.
pub fn caption(run: &Run, done: usize) -> String {
    let Some(step) = done.checked_sub(1).and_then(|i| run.steps.get(i)) else {
        return "Nothing done yet. Play it, or step with the arrow keys.".to_owned();
    };
    let near = Unit::Bytes.format(step.near);
    let far = if step.far > 0.0 { format!(", {} far", Unit::Bytes.format(step.far)) } else { String::new() };
    let sent: f64 = step.messages.iter().map(|message| message.bytes).sum();
    let messages = match step.messages.len() {
        0 => String::new(),
        1 => format!(", 1 message of {}", Unit::Bytes.format(sent)),
        n => format!(", {n} messages with {}", Unit::Bytes.format(sent)),
    };
    format!(
        "{}: {} of {} lanes work; {near} of near memory{far}{messages}.",
        capital(step.what),
        step.working(),
        step.lanes.len()
    )
}
