//! `sft-packing`: conversations as rows of tokens: what is padding, what has a loss, and what may see what.

mod rows;
pub mod talks;
#[cfg(test)]
mod tests;

pub use rows::{Batch, Cell, Whose};

use crate::declare::{
    Applies, Field as _, Measure, Model, Origin, Origins, Param, applies, choice, headline, measure, origin, switch,
    whole,
};
use crate::options;
use crate::quantity::{Unit, grouped, number};
use talks::TALKS;

/// How conversations lie in rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// A row for each, padded to a fixed length.
    #[default]
    Padded,
    /// A row for each, padded to the longest.
    Longest,
    /// Several in a row, whole.
    Packed,
    /// One after another, cut where a row ends.
    Cut,
}

options!(Layout {
    Padded: "padded", "padded to the row";
    Longest: "longest", "padded to the longest";
    Packed: "packed", "packed";
    Cut: "cut", "concatenated and cut";
});

/// Which tokens the loss counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Counted {
    /// The assistant's.
    #[default]
    Answers,
    /// Those of the last answer.
    Last,
    /// All.
    All,
}

options!(Counted {
    Answers: "answers", "answers";
    Last: "last", "last answer";
    All: "all", "all tokens";
});

/// What the loss is the mean of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weighting {
    /// All counted tokens of the batch.
    #[default]
    Tokens,
    /// The means of the rows.
    Rows,
}

options!(Weighting {
    Tokens: "tokens", "over tokens";
    Rows: "rows", "over rows";
});

/// The state of the figure.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params {
    /// How conversations lie in rows.
    pub layout: Layout,
    /// Which tokens the loss counts.
    pub counted: Counted,
    /// Tokens of a row.
    pub row: u64,
    /// Whether attention between conversations of a row is cut off.
    pub blocks: bool,
    /// What the loss is the mean of.
    pub weighting: Weighting,
    /// Conversations.
    pub talks: u64,
    /// The seed of their order; 0 for that of the list.
    pub seed: u64,
    /// Conversations that have been placed; 0 for all.
    pub step: u64,
}

impl Model for Params {
    type Result = Batch;
    const ID: &'static str = "sft-packing";
    const TITLE: &'static str = "Rows of tokens";
    const SUMMARY: &'static str = "Conversations as rows of real tokens: what is padding, which tokens the loss counts, what packing saves and \
                                   what may see what.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("layout", "how conversations lie in rows", Layout::LIST, "padded")
            .label("Rows")
            .main()
            .at(|p: &mut Params| p.layout.slot()),
        choice("counted", "which tokens the loss counts", Counted::LIST, "answers")
            .label("Loss on")
            .main()
            .at(|p: &mut Params| p.counted.slot()),
        whole("row", "tokens of a row", [32, 160], "96")
            .label("Tokens per row")
            .steps(8.0)
            .main()
            .at(|p: &mut Params| p.row.slot()),
        switch("blocks", "whether attention between conversations of a row is cut off", true)
            .label("Attention between conversations")
            .labels(&["open", "cut off"])
            .more("The batch")
            .at(|p: &mut Params| p.blocks.slot()),
        choice("weighting", "what the loss is the mean of", Weighting::LIST, "tokens")
            .label("Loss averaging")
            .more("The batch")
            .at(|p: &mut Params| p.weighting.slot()),
        whole("talks", "conversations", [1, TALKS.len() as u64], "8")
            .label("Conversations")
            .steps(1.0)
            .more("The batch")
            .at(|p: &mut Params| p.talks.slot()),
        whole("seed", "seed of their order; 0 for that of the list", [0, 999], "0")
            .label("Order seed")
            .steps(1.0)
            .more("The batch")
            .at(|p: &mut Params| p.seed.slot()),
        whole("step", "conversations that have been placed; 0 for all", [0, TALKS.len() as u64], "0")
            .drawn()
            .quiet()
            .at(|p: &mut Params| p.step.slot()),
    ];
    const APPLIES: &'static [Applies<Self>] = &[
        applies(&["blocks"], |p| matches!(p.layout, Layout::Packed | Layout::Cut)),
        applies(&["row"], |p| p.layout != Layout::Longest),
    ];
    const ORIGIN: Origin = Origin::Own(
        "conversations laid into rows token by token, padded, packed first-fit decreasing (Johnson 1973), or cut",
    );
    const ORIGINS: &'static [Origins] =
        &[origin(Origin::Definition, &["tokens", "longest"]), origin(Origin::Rows, &["counted-share"])];
    const QUANTITIES: &'static [Measure<Self, Batch>] = &[
        measure("rows", "Rows", Unit::Count, |_, b| b.rows.len() as f64),
        measure("slots", "Slots", Unit::Count, |_, b| b.slots() as f64),
        measure("tokens", "Tokens", Unit::Count, |_, b| b.tokens() as f64),
        headline(
            "The share of slots without a token.",
            measure("padding", "Padding", Unit::Fraction, |_, b| 1.0 - b.tokens() as f64 / b.slots().max(1) as f64),
        ),
        measure("counted-tokens", "Tokens with a loss", Unit::Count, |_, b| b.counted() as f64),
        headline(
            "The share of slots with a loss: the rest is computed without teaching anything.",
            measure("counted-share", "Slots that train, share", Unit::Fraction, |_, b| {
                b.counted() as f64 / b.slots().max(1) as f64
            }),
        ),
        measure("longest", "Longest conversation", Unit::Count, |p, _| p.longest() as f64),
        headline(
            "Tokens that didn’t fit and are never seen.",
            measure("lost", "Tokens cut off", Unit::Count, |_, b| b.lost as f64),
        ),
        measure("lost-answers", "Answer tokens cut off", Unit::Count, |_, b| b.lost_answers as f64),
        measure("own-pairs", "Token pairs within conversations", Unit::Count, |_, b| b.pairs()[0] as f64),
        headline(
            "Pairs in which a token attends to another conversation. There should be none.",
            measure("foreign-pairs", "Token pairs across conversations", Unit::Count, |p, b| {
                if p.blocks { 0.0 } else { b.pairs()[1] as f64 }
            }),
        ),
        headline(
            "How differently tokens weigh in the loss.",
            measure("weight-ratio", "Heaviest over lightest answer token", Unit::Ratio, |p, b| p.spread(b)),
        ),
    ];

    fn evaluate(&self) -> Result<Batch, String> {
        self.in_range()?;
        Ok(Batch::new(self))
    }
}

impl Params {
    fn longest(&self) -> usize {
        rows::order(self).iter().filter_map(|i| TALKS.get(*i)).map(|talk| talk.tokens.len()).max().unwrap_or(0)
    }

    /// The weight in the loss of a token of the conversation whose tokens weigh most, over that of the one whose weigh least.
    fn spread(&self, batch: &Batch) -> f64 {
        let weights = rows::order(self).into_iter().map(|talk| batch.weight(talk, self.weighting));
        let weights: Vec<f64> = weights.filter(|w| *w > 0.0).collect();
        let most = weights.iter().copied().fold(0.0, f64::max);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        if most > 0.0 { most / least } else { 1.0 }
    }

    /// What the figure shows, in sentences.
    pub fn finding(&self, batch: &Batch) -> String {
        let (slots, tokens) = (batch.slots().max(1) as f64, batch.tokens() as f64);
        let mut says = format!(
            "{} slots in {} hold {} tokens: {} is padding. The loss counts {} of them, {} of the slots.",
            grouped(batch.slots() as u64),
            if batch.rows.len() == 1 { "one row".to_owned() } else { format!("{} rows", batch.rows.len()) },
            grouped(batch.tokens() as u64),
            Unit::Fraction.format(1.0 - tokens / slots),
            grouped(batch.counted() as u64),
            Unit::Fraction.format(batch.counted() as f64 / slots),
        );
        let foreign = batch.pairs()[1];
        if foreign > 0 && !self.blocks {
            says += &format!(
                " {} pairs of tokens attend to one another across conversations, {} of all.",
                grouped(foreign as u64),
                Unit::Fraction.format(foreign as f64 / (foreign + batch.pairs()[0]) as f64)
            );
        }
        if batch.lost > 0 {
            says += &format!(
                " {} tokens had no room, {} of an answer.",
                grouped(batch.lost as u64),
                grouped(batch.lost_answers as u64)
            );
        }
        let spread = self.spread(batch);
        if spread > 1.001 {
            says +=
                &format!(" A token of one answer weighs up to {} times as much as a token of another.", number(spread));
        }
        says
    }
}
