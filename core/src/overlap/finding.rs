//! What the map says, in sentences.

use super::{Map, Place, Technique, Verdict};
use crate::quantity::{Unit, grouped, unbroken};

fn text(unit: Unit, value: f64) -> String {
    unbroken(&unit.format(value))
}

impl Technique {
    /// What it sends, for the beginning of a sentence.
    fn what(self) -> &'static str {
        match self {
            Technique::Ddp => "DDP’s all-reduce",
            Technique::Fsdp => "FSDP’s gathering and reducing",
            Technique::Tensor => "What tensor parallelism sends",
            Technique::Mix => "What FSDP × tensor parallelism sends",
            Technique::Context => "The ring of keys and values",
            Technique::Expert => "The way to the experts and back",
            Technique::Pipeline => "What stages pass on",
        }
    }
}

impl Place {
    /// The verdict in a few words.
    pub fn in_words(&self, tokens: f64) -> String {
        match &self.verdict {
            Verdict::Impossible(why) => format!("impossible: {why}"),
            Verdict::Free => "free".to_owned(),
            Verdict::Exposed => format!("{} exposed", Unit::Seconds.format(self.terms.exposed(tokens))),
        }
    }
}

impl Map {
    /// What the map shows where the state is, in sentences.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let Some(place) = self.chosen() else { return String::new() };
        let tokens = p.tokens as f64;
        let at = format!("{} {} with {} tokens each", grouped(p.gpus), p.gpu.name, grouped(p.tokens));
        let (send, work): (f64, f64) =
            (place.terms.send(tokens).iter().sum(), place.terms.arithmetic(tokens).iter().sum());
        let (send, work) = (text(Unit::Seconds, send), text(Unit::Seconds, work));
        let what = p.technique.what();
        let here = match &place.verdict {
            Verdict::Impossible(why) => format!("{} is impossible on {at}: {why}.", p.technique.label()),
            Verdict::Free if p.gpus < 2 => "One GPU sends nothing.".to_owned(),
            Verdict::Free => {
                format!("{what} is free on {at}: {send} per layer, behind {work} of arithmetic.")
            }
            Verdict::Exposed => {
                let exposed = place.terms.exposed(tokens);
                let all = exposed + place.terms.arithmetic(tokens).iter().sum::<f64>();
                format!(
                    "{what} is exposed on {at}: {send} per layer beside {work} of arithmetic. For {} of the layer’s time nothing is computed.",
                    text(Unit::Fraction, exposed / all)
                )
            }
        };
        format!("{here}{}{}", self.threshold(place), self.stretch())
    }

    /// From how many tokens on it hides on as many GPUs.
    fn threshold(&self, place: &Place) -> String {
        let n = grouped(self.params.gpus);
        match place.hides_from {
            _ if self.params.gpus < 2 => String::new(),
            None if matches!(place.verdict, Verdict::Impossible(_)) => String::new(),
            None => format!(" On {n} GPUs no number of tokens hides it."),
            Some(tokens) => format!(" On {n} GPUs it is free from {} tokens each.", grouped(tokens.ceil() as u64)),
        }
    }

    /// How far the batch can be spread.
    fn stretch(&self) -> String {
        let batch = text(Unit::Count, self.batch());
        match self.stretches() {
            0 | 1 => format!(" No share of this batch of {batch} tokens hides it on more than one."),
            n => format!(" This batch of {batch} tokens hides it on up to {} GPUs.", grouped(n)),
        }
    }
}
