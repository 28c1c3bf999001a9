//! A token's experts from the router's logits.
//!
//! | gate | rule | where |
//! |---|---|---|
//! | [`Gate::Softmax`] | softmax over all experts, the k largest, divided by their sum or not | Shazeer et al. 2017, arXiv:1701.06538; Mixtral, Qwen3, DeepSeek-V2 |
//! | [`Gate::Chosen`] | the k largest logits, softmax over those | gpt-oss; the same as Mixtral's |
//! | [`Gate::Sigmoid`] | sigmoid, the k largest of score + bias, weights of the scores alone | DeepSeek-V3, arXiv:2412.19437, §2.1.2 |
//! | [`Gate::SigmoidOfChosen`] | the k largest logits, sigmoid of each | Llama 4 |
//!
//! With groups, experts lie on so many nodes, and a token may use those of a few: the nodes whose best experts score highest.

use crate::declare::Origin;
use crate::float::elementary::exp;

/// Where the rules of routers come from.
pub const ORIGIN: Origin = Origin::Of(
    "Shazeer et al. 2017, arXiv:1701.06538; DeepSeek-V3, arXiv:2412.19437, §2.1.2; routers as in huggingface/transformers; counted over the tokens routed here",
);

/// From logits to the weights of the experts that are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Softmax over all experts; `renormalised` divides by the sum of those chosen.
    Softmax {
        /// Whether the weights of a token add up to one.
        renormalised: bool,
    },
    /// Softmax over the logits of those chosen.
    Chosen,
    /// Sigmoid of each logit; `renormalised` divides by the sum of those chosen.
    Sigmoid {
        /// Whether the weights of a token add up to one.
        renormalised: bool,
    },
    /// Sigmoid of the logits of those chosen.
    SigmoidOfChosen,
}

/// Groups of experts, of which a token may use a few.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Groups {
    /// How many there are; they divide the experts.
    pub count: usize,
    /// How many a token may use.
    pub kept: usize,
    /// A group's score is the sum of so many of its best: 1 in DeepSeek-V2, 2 in DeepSeek-V3, k over `kept` in Megatron-LM.
    pub best: usize,
}

/// A router.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Router {
    /// How weights are made.
    pub gate: Gate,
    /// Experts of a token.
    pub top_k: usize,
    /// Which groups it may use; none for all.
    pub groups: Option<Groups>,
    /// What weights are multiplied by.
    pub scale: f64,
}

/// An expert that a token is given, and the weight of what it says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// The expert.
    pub expert: usize,
    /// Its weight.
    pub weight: f64,
}

/// Softmax.
pub fn softmax(logits: &[f64]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = logits.iter().map(|logit| exp(logit - most)).collect();
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / sum).collect()
}

/// 1 / (1 + e⁻ˣ).
pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// Each number and the bias of its place; none where there are fewer.
pub fn biased(numbers: &[f64], bias: &[f64]) -> Vec<f64> {
    numbers.iter().enumerate().map(|(e, number)| number + bias.get(e).copied().unwrap_or(0.0)).collect()
}

/// The places of the `k` largest of `scores`, largest first; of equal ones the first.
fn largest(scores: &[f64], k: usize) -> Vec<usize> {
    let mut best: Vec<usize> = Vec::with_capacity(k.saturating_add(1));
    for (place, score) in scores.iter().enumerate() {
        let at = best.partition_point(|held| scores.get(*held).is_some_and(|s| s >= score));
        if at < k {
            best.insert(at, place);
            best.truncate(k);
        }
    }
    best
}

impl Router {
    /// The score of each expert, before any bias.
    pub fn scores(&self, logits: &[f64]) -> Vec<f64> {
        match self.gate {
            Gate::Softmax { .. } => softmax(logits),
            Gate::Chosen | Gate::SigmoidOfChosen => logits.to_vec(),
            Gate::Sigmoid { .. } => logits.iter().map(|logit| sigmoid(*logit)).collect(),
        }
    }

    /// The groups that a token may use, by the scores that decide, best first; all of them where there is no limit.
    pub fn allowed(&self, deciding: &[f64]) -> Vec<usize> {
        let Some(groups) = self.groups.filter(|g| g.count > 0) else { return vec![0] };
        let size = deciding.len().div_ceil(groups.count).max(1);
        let score = |group: &[f64]| {
            largest(group, groups.best.max(1)).iter().filter_map(|place| group.get(*place)).sum::<f64>()
        };
        let scores: Vec<f64> = deciding.chunks(size).map(score).collect();
        largest(&scores, groups.kept)
    }

    /// The experts of a token by its `scores` ([`Router::scores`]) and a bias for each expert (none where there are fewer), which
    /// decides the choice and no weight: from the largest weight to the smallest.
    pub fn choose(&self, scores: &[f64], bias: &[f64]) -> Vec<Choice> {
        self.choose_by(scores, biased(scores, bias))
    }

    /// The same where something else decides: the largest of `deciding` are chosen, `scores` make the weights.
    pub fn choose_by(&self, scores: &[f64], mut deciding: Vec<f64>) -> Vec<Choice> {
        if let Some(groups) = self.groups.filter(|g| g.count > 0) {
            let allowed = self.allowed(&deciding);
            let size = deciding.len().div_ceil(groups.count).max(1);
            for (group, experts) in deciding.chunks_mut(size).enumerate() {
                if !allowed.contains(&group) {
                    experts.fill(f64::NEG_INFINITY);
                }
            }
        }
        let chosen: Vec<usize> = largest(&deciding, self.top_k)
            .into_iter()
            .filter(|expert| deciding.get(*expert).is_some_and(|score| score.is_finite()))
            .collect();
        let picked: Vec<f64> = chosen.iter().filter_map(|expert| scores.get(*expert)).copied().collect();
        let weights = match self.gate {
            Gate::Softmax { renormalised: false } | Gate::Sigmoid { renormalised: false } => picked,
            Gate::Softmax { renormalised: true } | Gate::Sigmoid { renormalised: true } => {
                let sum: f64 = picked.iter().sum();
                picked.into_iter().map(|weight| if sum == 0.0 { 0.0 } else { weight / sum }).collect()
            }
            Gate::Chosen => softmax(&picked),
            Gate::SigmoidOfChosen => picked.into_iter().map(sigmoid).collect(),
        };
        let mut choices: Vec<Choice> = chosen
            .into_iter()
            .zip(weights)
            .map(|(expert, weight)| Choice { expert, weight: weight * self.scale })
            .collect();
        choices.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        choices
    }

    /// The experts of a token by its logits.
    pub fn route(&self, logits: &[f64], bias: &[f64]) -> Vec<Choice> {
        self.choose(&self.scores(logits), bias)
    }
}

/// Tokens that each of `experts` experts is given.
pub fn load(routed: &[Vec<Choice>], experts: usize) -> Vec<usize> {
    let mut load = vec![0; experts];
    for choice in routed.iter().flatten() {
        if let Some(n) = load.get_mut(choice.expert) {
            *n += 1;
        }
    }
    load
}
