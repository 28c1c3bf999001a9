//! What the figure says, in sentences.

use super::blocks::Split;
use super::params::{Method, Params, Pass};
use super::run::Run;
use crate::quantity::{Unit, counted, grouped, number};

impl Run {
    /// What the step on show does, then what the layer comes to.
    pub fn finding(&self, step: usize) -> String {
        let p = &self.params;
        format!("{} {}", self.step_finding(step), p.outcome(self))
    }

    fn step_finding(&self, step: usize) -> String {
        let p = &self.params;
        let n = p.ranks;
        if n == 1 {
            return "One rank has the whole sequence and exchanges nothing.".to_owned();
        }
        match (p.method, step) {
            (_, 0) => format!(
                "Each of {n} ranks has the queries, keys and values{} of {} tokens: {}.",
                match p.pass {
                    Pass::Forward => "",
                    Pass::Backward => ", and the gradient of the output,",
                },
                grouped(p.tokens() as u64),
                match p.split {
                    Split::Contiguous => "one piece of the sequence",
                    Split::Zigzag => "an early chunk and a late one",
                }
            ),
            (Method::Ring, step) => ring(p, step),
            (Method::AllGather, 1) => format!(
                "Every rank gathers all keys and values{} before attention starts: with {} it holds {}.",
                if p.pass == Pass::Backward { " again" } else { "" },
                if p.pass == Pass::Backward { "their gradients" } else { "them" },
                Unit::Bytes.format(p.kv_held())
            ),
            (Method::AllGather, 3) => {
                "A reduce-scatter adds up the gradients of keys and values and leaves each rank those of its own tokens."
                    .to_owned()
            }
            (Method::AllGather, _) => {
                "Each rank computes its own rows of the matrix, with every key in its memory.".to_owned()
            }
            (Method::Ulysses, 1) => format!(
                "An all-to-all turns {} into heads: each rank now has {} of {} query heads, for all {} tokens.",
                match p.pass {
                    Pass::Forward => "pieces of the sequence",
                    Pass::Backward => "the output’s gradient from pieces of the sequence",
                },
                p.heads / n,
                p.heads,
                grouped(p.seq)
            ),
            (Method::Ulysses, 2) => {
                "Each rank computes the whole matrix for its own heads, so all have as much to do.".to_owned()
            }
            (Method::Ulysses, _) => match p.pass {
                Pass::Forward => "A second all-to-all gives each rank all heads of its own tokens again.".to_owned(),
                Pass::Backward => "A second all-to-all gives each rank the gradients of its own tokens, for all heads.".to_owned(),
            },
        }
    }
}

/// A step of the ring.
fn ring(p: &Params, step: usize) -> String {
    let n = p.ranks;
    let backward = p.pass == Pass::Backward;
    if step as u64 > n {
        return "The gradients of keys and values make one more hop and are home. Nothing is left to compute beside it.".to_owned();
    }
    let vain = (0..n).filter(|rank| p.work(*rank, step) == 0.0).count() as u64;
    let from = if step == 1 {
        "Each rank starts with its own keys and values".to_owned()
    } else {
        let away = step - 1;
        format!(
            "Each rank has the keys and values from {} before it in the ring",
            counted(away as u64, "place", "places")
        )
    };
    let last = step as u64 == n;
    let sends = match (backward, step) {
        (false, _) if last => "",
        (false, _) => " and sends them on",
        (true, 1) => " and sends them on. Their gradients follow a step later",
        (true, _) if last => {
            ". Their gradients arrive, as far as they have been added up, and each rank adds the last part"
        }
        (true, _) => " and sends them on. Their gradients arrive a step behind, and each rank adds its part",
    };
    let work = match vain {
        0 => String::new(),
        some if some == n => " Nobody has anything to compute.".to_owned(),
        1 => " For one rank all of them lie in the future: it has nothing to compute.".to_owned(),
        some => format!(" For {some} ranks all of them lie in the future: they have nothing to compute."),
    };
    format!("{from}{sends}.{work}")
}

impl Params {
    /// What the layer comes to.
    fn outcome(&self, run: &Run) -> String {
        let seconds = |s: f64| Unit::Seconds.format(s);
        if self.ranks == 1 {
            return format!("Its {} attention takes {} per layer.", self.pass.label(), seconds(run.total));
        }
        let waits = format!(
            "A layer’s {} attention takes {}, {} times as fast as on one rank; {} of the ranks’ time is waiting.",
            self.pass.label(),
            seconds(run.total),
            number(run.speedup()),
            Unit::Fraction.format(run.idle())
        );
        let why = match self.method {
            Method::Ring => {
                let sends = format!(
                    "Each send takes {} and each step’s attention {}",
                    seconds(self.step_transfer()),
                    seconds(self.step_attention())
                );
                let home = match self.pass {
                    Pass::Forward => "",
                    Pass::Backward => ", but for the gradients’ way home",
                };
                if self.step_transfer() <= self.step_attention() {
                    format!("{sends}, so the sends hide{home}.")
                } else {
                    let enough = grouped(self.hides_from().ceil() as u64);
                    format!(
                        "{sends}: {} is in the open. With {enough} tokens per rank the sends would hide{home}.",
                        seconds(run.exposed)
                    )
                }
            }
            Method::AllGather => match self.pass {
                Pass::Forward => format!("The all-gather is in the open: {}.", seconds(run.exposed)),
                Pass::Backward => {
                    format!("The all-gather and the reduce-scatter are in the open: {}.", seconds(run.exposed))
                }
            },
            Method::Ulysses => format!("Both all-to-alls are in the open: {}.", seconds(run.exposed)),
        };
        let uneven = if run.imbalance() > 1.001 {
            format!(" The busiest rank has {} times the mean to compute.", number(run.imbalance()))
        } else {
            String::new()
        };
        format!(
            "{waits} {why}{uneven} Each rank sends {} and holds {} of keys and values{}.",
            Unit::Bytes.format(self.sent_now()),
            Unit::Bytes.format(self.kv_held()),
            if self.pass == Pass::Backward { " with their gradients" } else { "" }
        )
    }
}
