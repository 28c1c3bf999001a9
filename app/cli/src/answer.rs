//! A figure in a state: its quantities, and whether what is claimed of them holds.

use ringside_core::catalogue::{Entry, Evaluation};
use ringside_core::declare::Shown;
use ringside_core::expr::{Assertion, name_matches};
use ringside_core::hardware::constants;
use ringside_core::quantity::Quantity;
use ringside_core::query::{Query, parse_number};
use serde_json::{Value, json};

use crate::{Unread, against};

/// A figure in a state that was read whole.
pub(crate) struct State {
    entry: &'static Entry,
    /// What came of it.
    pub evaluation: Evaluation,
}

impl State {
    /// Reads and computes it. A page replaces what it can't read by its default and says so; a script doesn't look, so here nothing
    /// is answered.
    pub(crate) fn read(entry: &'static Entry, query: &Query) -> Result<Self, Unread> {
        let evaluation = (entry.evaluate)(query);
        if evaluation.problems.is_empty() {
            return Ok(Self { entry, evaluation });
        }
        let lines = evaluation.problems.iter().map(|problem| problem.message.as_str());
        Err(Unread(lines.collect::<Vec<_>>().join("\n")))
    }

    /// Why the state can't be, if it can't.
    pub(crate) fn impossible(&self) -> Option<&str> {
        self.evaluation.error.as_deref()
    }

    /// Each quantity, and how a person sees it. There are none of a state that can't be.
    fn shown(&self) -> impl Iterator<Item = (Shown, &Quantity)> {
        self.entry.shown().zip(&self.evaluation.quantities)
    }

    /// All of it, for a program.
    pub(crate) fn json(&self) -> Value {
        let quantities = self.shown().map(|(shown, quantity)| {
            json!({
                "id": quantity.id, "label": quantity.label, "value": quantity.value, "unit": quantity.unit,
                "text": shown.text(quantity.value), "limit": quantity.limit, "headline": shown.headline, "applies": quantity.applies,
                "source": shown.origin.text(),
            })
        });
        json!({
            "figure": self.entry.id,
            "query": self.evaluation.query.to_string(),
            "quantities": quantities.collect::<Value>(),
            "error": self.evaluation.error,
        })
    }

    /// All of it, for a person.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.entry.title, self.evaluation.query);
        if let Some(why) = self.impossible() {
            return text + why;
        }
        let (first, others): (Vec<_>, Vec<_>) =
            self.shown().filter(|(_, quantity)| quantity.applies).partition(|(shown, _)| shown.headline);
        let rows: Vec<(&str, String, &str)> = first
            .iter()
            .chain(&others)
            .map(|(shown, quantity)| (quantity.id, written(shown, quantity), quantity.label))
            .collect();
        let ids = rows.iter().map(|(id, ..)| id.len()).max().unwrap_or_default();
        let wide = rows.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or_default();
        for (i, (id, value, label)) in rows.iter().enumerate() {
            let gap = if i == first.len() { "\n" } else { "" };
            text += &format!("{gap}{id:ids$}  {value:>wide$}  {label}\n");
        }
        text
    }

    /// Whether an assertion holds; it doesn't of a state that can't be.
    pub(crate) fn judge(&self, text: &str) -> Result<Verdict, Unread> {
        let assertion = Assertion::parse(text).map_err(|why| Unread(format!("--assert: {why}")))?;
        let text = text.to_owned();
        if self.impossible().is_some() {
            return Ok(Verdict { text, holds: false, values: None });
        }
        match assertion.eval(&|name| self.named(name)) {
            Ok((holds, values)) => Ok(Verdict { text, holds, values: Some(values) }),
            Err(error) => {
                let known =
                    self.evaluation.quantities.iter().map(|q| q.id.replace('-', "_")).collect::<Vec<_>>().join(", ");
                let names = if error.unknown.is_some() {
                    format!("\nQuantities of {}: {known}.", self.entry.id)
                } else {
                    String::new()
                };
                Err(Unread(format!("--assert '{text}': {error}{names}")))
            }
        }
    }

    /// The value of a quantity, a parameter or a fact of the hardware.
    fn named(&self, name: &str) -> Option<f64> {
        let quantity = || self.evaluation.quantities.iter().find(|q| name_matches(q.id, name)).map(|q| q.value);
        let parameter = || {
            let (_, text) = self.evaluation.query.iter().find(|(id, _)| name_matches(id, name))?;
            parse_number(text)
        };
        quantity().or_else(parameter).or_else(|| constants::find(name).map(|(value, _)| value))
    }
}

/// `7.5 GB of 84.9 GB`, `Yes`
fn written(shown: &Shown, quantity: &Quantity) -> String {
    let value = shown.text(quantity.value);
    match quantity.limit {
        Some(limit) => format!("{value} of {}", shown.text(limit)),
        None => value,
    }
}

/// What came of an assertion.
pub(crate) struct Verdict {
    /// As it was written.
    pub text: String,
    /// Whether it holds.
    pub holds: bool,
    /// Both sides; none of a state that can't be.
    pub values: Option<[f64; 2]>,
}

impl Verdict {
    /// `total < 75e9  (480,000,000,000 against 75,000,000,000)`
    pub(crate) fn line(&self) -> String {
        match self.values {
            Some(sides) => against(&self.text, sides),
            None => format!("{}  (the state is impossible)", self.text),
        }
    }
}
