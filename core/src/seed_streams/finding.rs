//! What the figure says: the damage, and nothing of which cell does it.

use super::{Params, Shown};
use crate::quantity::{Unit, grouped, number};

impl Params {
    /// What the figure shows, in sentences.
    pub fn finding(&self, shown: &Shown) -> String {
        let Shown { run, right } = shown;
        let whole = self.disagree(self.drop_whole.equal());
        let mut text = String::new();
        if whole > 0.0 {
            text += &format!(
                "Tensor-parallel ranks disagree about {} of what should be copies. ",
                Unit::Fraction.format(whole)
            );
        }
        text += &format!(
            "The run ends at a loss of {}, with the right streams at {}{}.",
            number(run.last),
            number(right.last),
            if whole > 0.0 { ", but this network has no dropout, so its loss does not show them" } else { "" }
        );
        let apart = run.apart.last().copied().unwrap_or(0.0);
        if apart > 0.0 {
            text += &format!(" The replicas are {} apart.", Unit::Fraction.format(apart));
        }
        if run.distinct < right.distinct {
            text += &format!(
                " {} sequences were seen in the place of {}.",
                grouped(run.distinct.into()),
                grouped(right.distinct.into())
            );
        }
        if run.columns < right.columns {
            text += &format!(" Of {} columns of the MLP, {} are copies.", right.columns, right.columns - run.columns);
        }
        let repeated = |equal: bool| equal && self.dropout > 0.0;
        if repeated(self.drop_shard.equal()) {
            text += " Both shards drop the same places.";
        }
        if repeated(self.drop_dp.equal()) {
            text += " Both replicas drop the same places.";
        }
        text
    }
}
