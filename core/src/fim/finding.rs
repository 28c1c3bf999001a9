//! What the figure says, in sentences.

use super::context::{FILES, Pick};
use super::figure::{Params, Shown, View};
use super::format::Order;
use super::pieces::Kind;
use crate::quantity::{Unit, grouped, number};

fn n(count: usize) -> String {
    grouped(count as u64)
}

impl Params {
    /// What the figure shows.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Train => self.training(shown),
            View::Packed => self.sample(shown),
            View::Editor => self.prompt(shown),
            View::Tokens => Self::at_the_cut(shown),
        }
    }

    /// That a model knows one order alone, where another was asked for.
    fn only(&self) -> String {
        let used = self.format.order(self.order);
        if used == self.order {
            return String::new();
        }
        let name = if used == Order::Psm { "PSM" } else { "SPM" };
        format!(" {} documents {name} alone, and that is what stands here.", self.format.label())
    }

    fn training(&self, shown: &Shown) -> String {
        let [from, to] = shown.hole;
        let more = (shown.tokens[1] as f64 + self.marks() - shown.tokens[0] as f64) / shown.tokens[0].max(1) as f64;
        format!(
            "{} characters of {} move to the end, and the loss is taken on every token as ever.{} Sentinels and tokens split at the cut make \
             the document {} longer.",
            n(to - from),
            n(shown.document.chars().count()),
            self.only(),
            Unit::Fraction.format(more)
        )
    }

    fn sample(&self, shown: &Shown) -> String {
        let whole = |kind| shown.of(kind).count();
        let cut = shown.document.chars().count();
        let missing = whole(Kind::Sentinel) % 3 != 2;
        let end = if missing {
            " The end of the sample is cut off in the middle of a rearranged document: it has sentinels without what belongs to them."
        } else {
            ""
        };
        format!(
            "Of three documents {} are rearranged at a FIM rate of {}, and what is longer than before is cut off at the end.{end} The \
             document on the left has {} characters. Numbers are numpy’s: seed {} gives what BigCode’s Megatron-LM gives.",
            shown.of(Kind::Sentinel).filter(|piece| piece.text == "<fim_prefix>").count(),
            number(self.rate),
            n(cut),
            self.seed
        )
    }

    fn prompt(&self, shown: &Shown) -> String {
        let chosen = &shown.chosen;
        let files: Vec<&str> = chosen.files.iter().map(|(path, _)| path.as_str()).collect();
        let others = match (self.pick, files.is_empty()) {
            (Pick::None, _) => "no other file".to_owned(),
            (_, true) => "no other file, because none fits".to_owned(),
            _ => files.join(", "),
        };
        let cut = match chosen.cut {
            [0, 0] => "nothing of the open file is cut off".to_owned(),
            [prefix, suffix] => {
                format!("{} characters of the prefix and {} of the suffix are cut off", n(prefix), n(suffix))
            }
        };
        let form = if self.format.knows_files() || files.is_empty() {
            String::new()
        } else {
            format!(
                " {} has no sentinel for other files: they stand as comments before the prefix.",
                self.format.label()
            )
        };
        format!(
            "The prompt of {} tokens has {others} of {} files; {cut}.{}{form}",
            n(shown.sequence_tokens(self.bpe())),
            FILES.len(),
            self.only()
        )
    }

    fn at_the_cut(shown: &Shown) -> String {
        let healing = &shown.healing;
        let split = match shown.split {
            0 => "Neither end of the hole lies inside a token".to_owned(),
            1 => "One end of the hole lies inside a token".to_owned(),
            _ => "Both ends of the hole lie inside a token".to_owned(),
        };
        let healed = if healing.dropped.is_empty() {
            "The prefix is empty, and there is nothing to heal.".to_owned()
        } else {
            format!(
                "Token healing takes “{}” back and allows the {} tokens that begin with it.",
                healing.dropped.replace('\n', "⏎"),
                n(healing.allowed.len())
            )
        };
        format!(
            "{split}: the document is {} tokens, its three parts {}. {healed}",
            n(shown.tokens[0]),
            n(shown.tokens[1])
        )
    }
}
