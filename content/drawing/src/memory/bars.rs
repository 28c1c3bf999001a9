//! One stacked bar for each ZeRO stage, against the memory of the GPU.

use std::fmt::Write as _;

use ringside_core::memory::{Breakdown, Concept, Mode, Params, Verdict};
use ringside_core::quantity::bytes_decimal;

use super::stage_name;
use crate::scale::{Linear, percent};
use crate::ticks;

/// The memory of the GPU is on the axis unless it is this many times the largest bar: the bars are the subject.
const CAPACITY_WITHIN: f64 = 4.0;
/// The narrowest visible part of a bar, in percent of the axis.
const HAIR: f64 = 0.35;
/// Parts narrower than this touch: a gap between them would be wider than they are.
const THIN: f64 = 2.0;
/// Most parts of the optimizer states: master copy, two moments, their scales.
const MAX_STATES: usize = 4;

/// A stretch of a bar, in percent of the axis, with what it is called and how much it is.
#[derive(Debug, Clone, PartialEq, Default)]
struct Part {
    start: f64,
    width: f64,
    name: &'static str,
    amount: String,
}

/// Concepts of a bar.
const CONCEPTS: usize = Concept::ALL.len();
/// Which of them is the optimizer's.
const OPTIMIZER: usize = Concept::Optimizer as usize;

/// A bar: its parts, the states that the optimizer's part consists of, and where it ends.
#[derive(Debug, Clone, PartialEq, Default)]
struct Bar {
    parts: [Part; CONCEPTS],
    states: [Part; MAX_STATES],
    end: f64,
    total: String,
    verdict: Verdict,
}

impl Bar {
    fn of(b: &Breakdown, stage: usize, scale: Linear) -> Option<Self> {
        let row = b.stages.get(stage)?;
        let mut end = 0.0;
        let mut put = |name, bytes: f64, least: f64| {
            let start = end;
            let width = if bytes > 0.0 { scale.percent(bytes).max(least) } else { 0.0 };
            end += width;
            Part { start, width, name, amount: bytes_decimal(bytes) }
        };
        let parts = Concept::ALL.map(|concept| put(concept.id(), row.parts.of(concept).0, HAIR));
        // Every stage shards the optimizer's states alike, so that their shares are those of the stage on show.
        let mut states: [Part; MAX_STATES] = Default::default();
        let mut start = parts[OPTIMIZER].start;
        let of_optimizer = b.rows.iter().filter(|r| r.concept == Concept::Optimizer && !r.of_experts);
        for (state, r) in states.iter_mut().zip(of_optimizer) {
            let share = b.part(r.id) / b.parts.optimizer;
            let width = parts[OPTIMIZER].width * share;
            *state = Part { start, width, name: r.id, amount: bytes_decimal(row.parts.optimizer.0 * share) };
            start += width;
        }
        Some(Self { parts, states, end, total: bytes_decimal(row.total.0), verdict: row.verdict })
    }

    /// Its parts that are there, each with its concept.
    fn there(&self) -> impl Iterator<Item = (Concept, &Part)> {
        Concept::ALL.into_iter().zip(&self.parts).filter(|(_, part)| part.width > 0.0)
    }

    /// The parts, and the edges between the optimizer's states, as markup: the browser reads it faster than it is told of
    /// each change.
    fn drawing(&self) -> String {
        let mut svg = String::new();
        for (concept, part) in self.there() {
            let thin = if part.width < THIN { " thin" } else { "" };
            let (class, x, width) = (concept.id(), percent(part.start), percent(part.width));
            // Writing to a string does not fail; so below.
            let _ = write!(svg, "<rect class=\"part {class}{thin}\" x=\"{x}\" width=\"{width}\" height=\"100%\"/>");
        }
        for state in self.states.iter().skip(1).filter(|s| s.width >= THIN) {
            let x = percent(state.start);
            let _ = write!(svg, "<line class=\"edge\" x1=\"{x}\" x2=\"{x}\" y2=\"100%\"/>");
        }
        svg
    }

    /// What is written on the parts, as markup. Names and amounts have no signs that mean something there.
    fn labels(&self) -> String {
        let mut svg = String::new();
        let mut put = |class: &str, start, text: &str| {
            let x = percent(start);
            let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" dx=\"8\" y=\"50%\" dy=\".35em\">{text}</text>");
        };
        let of_states = self.labels_states();
        let with_amounts = self.held_states().all(|s| s.fit(Written::Both) != NOWHERE);
        for state in self.held_states().filter(|_| of_states) {
            let amount = if with_amounts { format!(" {}", state.amount) } else { String::new() };
            put(&format!("on-optimizer {WIDE}"), state.start, &format!("{}{amount}", state.name));
        }
        for (concept, part) in self.there() {
            let fit = part.fit(Written::Amount);
            if fit == NOWHERE {
                continue;
            }
            // Where the states are labelled one by one, the whole is labelled only in narrow figures.
            let narrow =
                if concept == Concept::Optimizer && of_states && fit == ANYWHERE { "narrow-only" } else { fit };
            let name = match part.fit(Written::Both) {
                NOWHERE => String::new(),
                with_name => format!("<tspan class=\"{with_name}\">{} </tspan>", part.name),
            };
            put(&format!("on-{} {narrow}", concept.id()), part.start, &format!("{name}{}", part.amount));
        }
        svg
    }

    /// The amounts, where the bar is too short for labels: they come after it, in the same order.
    fn apart(&self) -> String {
        if self.end >= 40.0 || self.there().all(|(_, part)| part.fit(Written::Amount) != NOWHERE) {
            return String::new();
        }
        self.there().map(|(_, part)| part.amount.as_str()).collect::<Vec<_>>().join(" + ")
    }

    fn held_states(&self) -> impl Iterator<Item = &Part> {
        self.states.iter().filter(|s| s.width > 0.0)
    }

    /// Whether the optimizer's part is wide enough for the name of each of its states.
    fn labels_states(&self) -> bool {
        self.held_states().next().is_some() && self.held_states().all(|s| s.fit(Written::Name) != NOWHERE)
    }
}

/// What is written on a part.
enum Written {
    Name,
    Amount,
    Both,
}

/// Where a label fits: in any figure, in a wide one (class `wide-only`), or in none (class `nowhere`).
const ANYWHERE: &str = "";
const WIDE: &str = "wide-only";
const NOWHERE: &str = "nowhere";

impl Part {
    /// Where it fits into the part: by the narrowest plot of a wide figure (420 px) and of a phone (290 px), at 8 px a
    /// character and 12 px of margins.
    fn fit(&self, written: Written) -> &'static str {
        let [name, amount] = [self.name, self.amount.as_str()].map(|text| text.chars().count());
        let characters = match written {
            Written::Name => name,
            Written::Amount => amount,
            Written::Both => name + 1 + amount,
        };
        let needed = characters as f64 * 8.0 + 12.0;
        match self.width / 100.0 {
            w if w * 290.0 >= needed => ANYWHERE,
            w if w * 420.0 >= needed => WIDE,
            _ => NOWHERE,
        }
    }
}

/// A ZeRO stage: how it is called, whether it is chosen, and its bar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Its class: `selected` for the stage on show, `nowhere` for one that the mode does not have.
    pub class: String,
    /// What it is called, and what it shards beyond the stage before.
    pub name: [&'static str; 2],
    /// Whether it is on show.
    pub selected: bool,
    /// All of it in words, for whoever does not see the bar.
    pub spoken: String,
    /// The bar and what is written on it: the inside of two drawings.
    pub layers: [String; 2],
    /// Where the bar ends, in percent of the axis.
    pub end: String,
    /// What stands behind it: the total, whether it fits, and the amounts where they have no place on the bar.
    pub amounts: [String; 3],
}

impl Row {
    fn of(p: &Params, b: &Breakdown, stage: usize, scale: Linear) -> Self {
        let Some((bar, row)) = Bar::of(b, stage, scale).zip(b.stages.get(stage)) else { return Self::default() };
        let selected = usize::from(p.stage(p.zero)) == stage;
        // In inference nothing is sharded: one bar is left.
        let gone = stage > 0 && b.params.mode == Mode::Inference;
        let name = stage_name(b.params.mode, row.stage);
        let class = |is: bool, class: &'static str| if is { class } else { "" };
        let (verdict, fits) = (bar.verdict, bar.verdict.label());
        let mark = match verdict {
            Verdict::Fits => "✓ fits",
            Verdict::Tight => fits,
            Verdict::DoesNotFit => "",
        };
        Self {
            class: format!("bar-row {}{}{}", verdict.class(), class(selected, " selected"), class(gone, " nowhere")),
            name,
            selected,
            spoken: format!("{}, {}: {}, {fits}", name[0], name[1], bar.total),
            layers: [bar.drawing(), bar.labels()],
            end: percent(bar.end),
            amounts: [bar.total.clone(), mark.to_owned(), bar.apart()],
        }
    }

    /// The row as markup, with a radio button that chooses the stage of this number. In a still picture it shows the choice; where it
    /// can be pressed, the choice is its property.
    fn markup(&self, stage: usize, is_still: bool) -> String {
        let Self { class, name: [name, what], spoken, layers: [bar, labels], end, amounts, selected } = self;
        let state = match (is_still, *selected) {
            (true, true) => " disabled checked",
            (true, false) => " disabled",
            (false, _) => "",
        };
        let [total, fits, apart] = amounts;
        // An empty drawing is as wide as the bar: the policy forbids to say by a style in markup where something begins.
        format!(
            "<label class=\"{class}\"><span class=\"bar-name\">\
             <input type=\"radio\" name=\"zero\" value=\"{stage}\" aria-label=\"{spoken}\"{state}>\
             <b>{name}</b><small>{what}</small></span>\
             <span class=\"bar-cell\"><svg class=\"bar\" aria-hidden=\"true\">{bar}</svg>\
             <svg class=\"bar labels\" aria-hidden=\"true\">{labels}</svg>\
             <span class=\"bar-end\"><svg width=\"{end}\" aria-hidden=\"true\"></svg><b>{total}</b><span class=\"fits\">{fits}</span>\
             <small class=\"apart\">{apart}</small></span></span></label>"
        )
    }
}

/// The drawing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// The four stages.
    pub rows: [Row; 4],
    /// Round amounts, under the bars: the inside of a drawing.
    pub axis: String,
    /// The memory of the GPU, drawn through the bars: the inside of a drawing.
    pub capacity: String,
}

impl Plot {
    pub(super) fn of(p: &Params, b: &Breakdown) -> Self {
        let largest = b.stages.iter().map(|s| s.total.0).fold(0.0, f64::max);
        let with_capacity = b.capacity.0 <= largest * CAPACITY_WITHIN;
        let scale = Linear::to(if with_capacity { largest.max(b.capacity.0) } else { largest });
        let text = |amount: f64| if amount == 0.0 { "0".to_owned() } else { bytes_decimal(amount) };
        Self {
            rows: std::array::from_fn(|stage| Row::of(p, b, stage, scale)),
            axis: format!("<g class=\"ticks\">{}</g>", ticks::across(&ticks::ticks(scale, text))),
            capacity: capacity(b, scale),
        }
    }

    /// What is in the element `.plot`: a still picture, or one in which a stage can be chosen.
    pub fn markup(&self, is_still: bool) -> String {
        let rows: String = self.rows.iter().enumerate().map(|(stage, row)| row.markup(stage, is_still)).collect();
        format!(
            "<svg class=\"axis\" aria-hidden=\"true\">{}</svg>\
             <div class=\"bars\" role=\"radiogroup\" aria-label=\"ZeRO stage\">{rows}</div>\
             <svg class=\"axis capacity\" aria-hidden=\"true\">{}</svg>",
            self.axis, self.capacity
        )
    }
}

/// Off the axis, the label alone points to where the line would be. Names of GPUs have no signs that mean something in markup.
fn capacity(b: &Breakdown, scale: Linear) -> String {
    let at = Some(b.capacity.0).filter(|c| scale.shows(*c)).map(|c| scale.percent(c));
    let x = percent(at.unwrap_or(100.0));
    let line = at.map(|_| format!("<line x1=\"{x}\" x2=\"{x}\" y1=\"-18\" y2=\"100%\"/>")).unwrap_or_default();
    let (dx, anchor) = if at.is_some_and(|at| at < 55.0) { (7, "start") } else { (-7, "end") };
    let (name, arrow) = (b.params.gpu.with_memory(), if at.is_none() { " →" } else { "" });
    format!("{line}<text x=\"{x}\" dx=\"{dx}\" y=\"-8\" text-anchor=\"{anchor}\">one {name}{arrow}</text>")
}
