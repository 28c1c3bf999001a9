//! The numbers of the stage on show, which are also the legend of its bar, what would make it fit, and what no plan can compute.

use std::fmt::Write as _;

use ringside_core::memory::overhead::{PARTS, Range};
use ringside_core::memory::{Breakdown, Concept, Mode, Verdict};
use ringside_core::quantity::{Unit, bytes_binary, bytes_decimal};

use super::stage_name;
use crate::escaped;

/// A number among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// Its class: `nowhere` for what the state does not have.
    pub class: &'static str,
    /// What it is, as markup.
    pub name: String,
    /// Its quantity's id.
    pub quantity: &'static str,
    /// It, in bytes.
    pub bytes: f64,
    /// Where it comes from, or what else it is.
    pub small: String,
}

impl Reading {
    /// It for people.
    pub fn text(&self) -> String {
        Unit::Bytes.format(self.bytes)
    }

    fn markup(&self) -> String {
        let Self { class, name, quantity, bytes, small } = self;
        let headline = if class.contains("nowhere") { "" } else { " data-headline=\"\"" };
        format!(
            "<div class=\"{class}\"><dt>{name}</dt><dd>\
             <output{headline} data-quantity=\"{quantity}\" data-value=\"{bytes}\" aria-live=\"off\">{}</output>\
             <small>{}</small></dd></div>",
            self.text(),
            escaped(small)
        )
    }
}

/// It, piece by piece.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Readout {
    /// The class of the numbers: `loaded` where activations are among them.
    pub class: &'static str,
    /// The numbers: of each concept, then their sum.
    pub readings: Vec<Reading>,
    /// Whether it fits.
    pub fits: Verdict,
    /// Whether it fits, in words, and what would make it fit.
    pub verdict: String,
    /// Whether there is a change that makes it fit.
    pub can_fit: bool,
    /// What comes beside, in all.
    pub beside: String,
    /// What comes beside: rows of a table.
    pub beside_rows: String,
}

impl Readout {
    pub(super) fn of(b: &Breakdown) -> Self {
        let suggestion = b.suggestion();
        let [headline, rest] = b.verdict();
        let sentence = suggestion.as_ref().map(|s| s.sentence.as_str()).unwrap_or_default();
        Self {
            class: if is_listed(b, Concept::Activations) { "readings loaded" } else { "readings" },
            readings: readings(b),
            fits: b.verdict,
            verdict: format!("<b>{}</b> {} {}", escaped(&headline), escaped(sentence), escaped(&rest)),
            can_fit: suggestion.is_some_and(|s| !s.change.is_empty()),
            beside: format!(
                "Plus {} of overhead{} that can’t be planned exactly",
                between(b.overhead.total()),
                if b.verdict.possible() { "" } else { " in this layout" }
            ),
            beside_rows: beside_rows(b),
        }
    }

    /// The class of the verdict.
    pub fn verdict_class(&self) -> &'static str {
        match self.fits {
            Verdict::Fits => "verdict fits",
            Verdict::Tight => "verdict tight",
            Verdict::DoesNotFit => "verdict",
        }
    }

    /// All of it: a still picture, or one whose button can be pressed.
    pub fn markup(&self, is_still: bool) -> String {
        let Self { class, verdict, beside, beside_rows, .. } = self;
        let readings: String = self.readings.iter().map(Reading::markup).collect();
        let (verdict_class, hidden) = (self.verdict_class(), if self.can_fit { "" } else { " nowhere" });
        let disabled = if is_still { " disabled" } else { "" };
        format!(
            "<dl class=\"{class}\">{readings}</dl>\
             <div class=\"{verdict_class}\"><p tabindex=\"-1\">{verdict}</p>\
             <button type=\"button\" class=\"secondary{hidden}\"{disabled}>Make it fit</button></div>\
             <details class=\"beside\"><summary>{beside}</summary>\
             <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Overhead that can’t be planned exactly\"><table>\
             <thead><tr><th scope=\"col\">For</th><th scope=\"col\" class=\"number\">Between</th>\
             <th scope=\"col\">Who measured it</th></tr></thead><tbody>{beside_rows}</tbody></table></div></details>"
        )
    }
}

/// Whether a concept is among the readings: what the mode has, and activations only if they are counted.
fn is_listed(b: &Breakdown, concept: Concept) -> bool {
    match (b.params.mode, concept) {
        (_, Concept::Weights) => true,
        (Mode::Training, Concept::Gradients | Concept::Optimizer) | (Mode::Inference, Concept::KvCache) => true,
        (Mode::Training, Concept::Activations) => b.params.seq.is_some(),
        _ => false,
    }
}

fn readings(b: &Breakdown) -> Vec<Reading> {
    let stage = match b.params.mode {
        Mode::Training => format!("Total with {}", stage_name(b.params.mode, b.params.zero)[0]),
        Mode::Inference => "Total".to_owned(),
    };
    let total = Reading {
        class: "reading total",
        name: stage,
        quantity: "total",
        bytes: b.total.0,
        small: format!("= {}", bytes_binary(b.total.0)),
    };
    let of_concepts = Concept::ALL.map(|concept| Reading {
        class: if is_listed(b, concept) { "reading" } else { "reading nowhere" },
        name: format!("<i class=\"swatch {}\" aria-hidden=\"true\"></i>{}", concept.id(), concept.label()),
        quantity: concept.id(),
        bytes: b.parts.of(concept).0,
        small: b.each(concept),
    });
    of_concepts.into_iter().chain([total]).collect()
}

/// The ranges of what cannot be computed, each with who measured it.
fn beside_rows(b: &Breakdown) -> String {
    let mut rows = String::new();
    for ((name, source), range) in PARTS.iter().zip(b.overhead.parts()) {
        let class = if range.high.0 == 0.0 { "nowhere" } else { "" };
        let _ = write!(
            rows,
            "<tr class=\"{class}\"><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"source\">{}</td></tr>",
            escaped(name),
            between(range),
            escaped(source)
        );
    }
    rows
}

fn between(range: Range) -> String {
    format!("{} to {}", bytes_decimal(range.low.0), bytes_decimal(range.high.0))
}
