//! What crosses from one stage to the next: the residual stream of a micro-batch, and how tensor-parallel ranks share the sending.
//!
//! A micro-batch of b sequences of s tokens and a width of h is 2sbh bytes in 16 bits, once forward and, as a gradient, once back.
//! After the all-reduce at the end of a layer each of t tensor-parallel ranks has all of it. Without care each sends all of it to
//! its counterpart: t times the same bytes over the network. Megatron-LM's scatter/gather optimization sends a t-th from each rank
//! and all-gathers within the receiving node (Narayanan et al. 2021, arXiv:2104.04473, §4.1). Under sequence parallelism a rank has a
//! t-th of the rows anyway, and nothing is gathered at the boundary (Korthikanti et al. 2022, arXiv:2205.05198, §4.2.2).

use crate::hardware::links::Link;
use crate::options;

/// How the tensor-parallel ranks of a stage share the sending.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// Not: each sends everything.
    #[default]
    Whole,
    /// Each sends a part, and the receivers all-gather.
    ScatterGather,
    /// Each has a part only.
    SequenceParallel,
}

options!(Share {
    Whole: "whole", "each sends all";
    ScatterGather: "scatter-gather", "scatter/gather";
    SequenceParallel: "sequence", "sequence parallel";
});

/// One message from stage to stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Boundary {
    /// Bytes of the residual stream of a micro-batch.
    pub bytes: f64,
    /// Bytes that one GPU sends over the network for it.
    pub sent: f64,
    /// Bytes that one GPU sends within its node to put it together again.
    pub gathered: f64,
    /// Seconds from the start of the message until the next stage has it.
    pub seconds: f64,
}

impl Boundary {
    /// The message of `tokens` rows of `width` numbers between stages of `ranks` tensor-parallel ranks each.
    pub fn new(tokens: f64, width: f64, ranks: f64, share: Share, net: &Link, link: &Link) -> Self {
        let (bytes, ranks) = (2.0 * tokens * width, ranks.max(1.0));
        let sent = if share == Share::Whole { bytes } else { bytes / ranks };
        let gathers = share == Share::ScatterGather && ranks > 1.0;
        let gathered = if gathers { bytes * (ranks - 1.0) / ranks } else { 0.0 };
        let inside = if gathers { link.latency * (ranks - 1.0) + gathered / link.bandwidth } else { 0.0 };
        Self { bytes, sent, gathered, seconds: net.latency + sent / net.bandwidth + inside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::links;

    #[test]
    fn a_share_is_sent_once_and_gathered_within_the_node() {
        let (Some(net), Some(link)) = (links::find("hdr"), links::find("nvlink3")) else {
            panic!("both links are in the table");
        };
        let of = |share| Boundary::new(2048.0, 12_288.0, 8.0, share, net, link);
        let [whole, scattered, sequence] = Share::ALL.map(of);
        // GPT-3, one sequence: 2 · 2048 · 12,288.
        assert_eq!(whole.bytes, 50_331_648.0);
        assert_eq!(whole.sent, 8.0 * scattered.sent);
        assert_eq!(scattered.gathered, 7.0 * scattered.sent);
        assert_eq!(sequence.gathered, 0.0);
        assert!(sequence.seconds < scattered.seconds && scattered.seconds < whole.seconds);
        // One rank has nothing to share.
        let alone = Share::ALL.map(|share| Boundary::new(10.0, 10.0, 1.0, share, net, link).seconds);
        assert!(alone.iter().all(|s| *s == alone[0]));
    }
}
