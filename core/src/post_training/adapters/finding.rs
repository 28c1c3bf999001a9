//! What the figure shows, in sentences.

use super::figure::{Params, Shown, View};
use crate::post_training::held::Tune;
use crate::quantity::{Unit, count, grouped, number};

fn bytes(value: f64) -> String {
    Unit::Bytes.format(value)
}

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        match self.view {
            View::Memory => self.memory_finding(shown),
            View::Rank => self.rank_finding(shown),
            View::Serving => self.serving_finding(shown),
        }
    }

    fn memory_finding(&self, s: &Shown) -> String {
        let [full, lora, qlora] = Tune::ALL.map(|tune| s.total(tune));
        format!(
            "In full {}, with LoRA {}, with QLoRA {}. LoRA takes gradients and optimizer states from {} to {}. The weights stay, until they are \
             quantized: {} become {}. Activations stay: {} of {}.",
            bytes(full),
            bytes(lora),
            bytes(qlora),
            bytes(s.states(Tune::Full)),
            bytes(s.states(Tune::Lora)),
            bytes(s.held[1].parts.weights.0),
            bytes(s.held[2].parts.weights.0),
            bytes(s.held[1].parts.activations.0),
            bytes(s.held[0].parts.activations.0),
        )
    }

    fn rank_finding(&self, s: &Shown) -> String {
        format!(
            "Rank {} on {} matrices trains {} of {} parameters, {}. Twice the rank, twice the parameters. The file has {}, the model’s {}.",
            grouped(self.rank),
            grouped(s.adapter.modules()),
            count(s.adapter.params() as f64),
            count(s.held[0].params),
            Unit::Fraction.format(s.adapter.params() as f64 / s.held[0].params),
            bytes(s.adapter_bytes()),
            bytes(s.model_bytes()),
        )
    }

    fn serving_finding(&self, s: &Shown) -> String {
        let (one, copies) = (s.serving(self.served), self.served as f64 * s.model_bytes());
        let weigh = s.model_bytes() / s.adapter_bytes().max(1.0);
        format!(
            "{} on one base take {}, as many merged models {}. An adapter is {}: {} of them weigh as much as the base.",
            if self.served == 1 { "One adapter".to_owned() } else { format!("{} adapters", grouped(self.served)) },
            bytes(one),
            bytes(copies),
            bytes(s.adapter_bytes()),
            number(weigh),
        )
    }
}
