//! What the figure says, in sentences.

use super::params::{Group, Layout, Params};
use crate::quantity::{capital, counted, grouped};

/// "rank 3", "ranks 4 to 7", "ranks 1, 9 and 17", "ranks 0, 4, 8 … 60".
fn named(ranks: &[u64]) -> String {
    const LISTED: usize = 4;
    match ranks {
        [] => "no rank".to_owned(),
        [one] => format!("rank {one}"),
        [first, .., last] if ranks.len() > 2 && last - first + 1 == ranks.len() as u64 => {
            format!("ranks {first} to {last}")
        }
        [most @ .., last] if ranks.len() <= LISTED => {
            let most: Vec<String> = most.iter().map(u64::to_string).collect();
            format!("ranks {} and {last}", most.join(", "))
        }
        [a, b, c, .., last] => format!("ranks {a}, {b}, {c} … {last}"),
        [a, .., b] => format!("ranks {a} and {b}"),
    }
}

impl Params {
    /// Who shares the lit group, what for and over how many nodes; then where the rank lies on both grids.
    pub fn finding(&self, layout: &Layout) -> String {
        let ranks = layout.group(self.rank, self.group);
        let experts = self.experts_of(layout, self.rank);
        let who = capital(&named(&ranks));
        let alone = ranks.len() == 1;
        let what = match self.group {
            Group::Tensor if alone => "has each matrix of attention whole".to_owned(),
            Group::Tensor => format!("share each matrix of attention, {} each", part(self.tp)),
            Group::Context if alone => "has whole sequences".to_owned(),
            Group::Context => format!("share each sequence, {} each", part(self.cp)),
            Group::Data if alone => "is the only one with its part of attention and of a sequence".to_owned(),
            Group::Data => "hold the same part of attention, and each sees sequences of its own".to_owned(),
            Group::DataContext if alone => "sums no gradient of attention with another".to_owned(),
            Group::DataContext => "hold the same part of attention and sum its gradients".to_owned(),
            Group::ExpertTensor if alone => "has each of its experts whole".to_owned(),
            Group::ExpertTensor => format!("share each matrix of {experts}, {} each", part(self.etp)),
            Group::Expert if alone => format!("has {}", self.all_experts()),
            Group::Expert if self.etp > 1 => format!(
                "have {} between them, {} to a rank, and send each other tokens",
                self.all_experts(),
                counted(self.held(), "expert", "experts")
            ),
            Group::Expert => format!(
                "have {} between them, {} each, and send each other tokens",
                self.all_experts(),
                grouped(self.held())
            ),
            Group::ExpertData if alone => format!("is the only one with its part of {experts}"),
            Group::ExpertData => format!("hold the same part of {experts} and sum its gradients"),
        };
        let nodes = self.nodes(&ranks).len();
        let reach = match nodes {
            _ if alone => String::new(),
            1 => ", inside one node".to_owned(),
            n => format!(", over {n} nodes"),
        };
        format!("{who} {what}{reach}. {}{}", self.places(layout), self.catch(layout))
    }

    /// The experts of a layer on a rank: "expert 5", "experts 40 to 47".
    pub fn experts_of(&self, layout: &Layout, rank: u64) -> String {
        let held = self.held();
        let first = layout.experts.place(rank)[1] * held;
        if held == 1 { format!("expert {first}") } else { format!("experts {first} to {}", first + held.max(1) - 1) }
    }

    /// What a rank holds of the experts of a layer: "experts 40 to 47", "a quarter of expert 5".
    pub fn holds(&self, layout: &Layout, rank: u64) -> String {
        let experts = self.experts_of(layout, rank);
        if self.etp > 1 { format!("{} of {experts}", part(self.etp)) } else { experts }
    }

    /// What the ranks of an expert-parallel group have between them: "all 64 experts", "a quarter of each of the 64 experts".
    fn all_experts(&self) -> String {
        match (self.etp, self.experts) {
            (1, 1) => "the only expert".to_owned(),
            (1, n) => format!("all {} experts", grouped(n)),
            (etp, 1) => format!("{} of the only expert", part(etp)),
            (etp, n) => format!("{} of each of the {} experts", part(etp), grouped(n)),
        }
    }

    fn places(&self, layout: &Layout) -> String {
        let [tp, cp, dp, stage] = layout.attention.place(self.rank);
        let [etp, ep, edp, _] = layout.experts.place(self.rank);
        let stage = if self.pp > 1 { format!(" in stage {stage}") } else { String::new() };
        format!(
            "Rank {}{stage} is tp {tp}, cp {cp}, dp {dp} for attention and etp {etp}, ep {ep}, edp {edp} for experts, with {}.",
            self.rank,
            self.holds(layout, self.rank)
        )
    }

    /// What follows where ranks that share attention do not share experts.
    fn catch(&self, layout: &Layout) -> String {
        match layout.expert_sets(self.rank) {
            1 => String::new(),
            sets => format!(
                " The ranks of its tensor-parallel group hold {sets} different sets of experts, so each must come with tokens of its own: \
                 sequence parallelism."
            ),
        }
    }
}

/// "half", "a quarter", "1/8".
fn part(of: u64) -> String {
    match of {
        2 => "half".to_owned(),
        4 => "a quarter".to_owned(),
        n => format!("1/{n}"),
    }
}
