//! What the step shows, and what each piece of work is, in words.

use super::params::{Iteration, Params};
use super::sampler::Split;
use super::tensors::Part;
use super::timeline::{Block, Bucket, Kind, Timeline};
use crate::quantity::{Unit, counted, grouped, unbroken};

fn time(seconds: f64) -> String {
    unbroken(&Unit::Seconds.format(seconds))
}

fn bytes(bytes: f64) -> String {
    unbroken(&Unit::Bytes.format(bytes))
}

impl Part {
    /// "the embedding", "layer 3", "the head".
    pub fn name(self) -> String {
        match self {
            Self::Input => "the embedding".to_owned(),
            Self::Layer(layer) => format!("layer {layer}"),
            Self::Output => "the head".to_owned(),
        }
    }
}

impl Block {
    /// What is written into it.
    pub fn name(&self) -> String {
        match self.kind {
            Kind::Forward => "forward".to_owned(),
            Kind::Search => "search".to_owned(),
            Kind::Backward(Part::Layer(layer)) => format!("{layer}"),
            Kind::Backward(Part::Input) => "embedding".to_owned(),
            Kind::Backward(Part::Output) => "head".to_owned(),
            Kind::AllReduce(bucket) => format!("b{bucket}"),
            Kind::Map => "used?".to_owned(),
            Kind::Join => "join".to_owned(),
            Kind::Copy => "copy".to_owned(),
        }
    }

    /// What it is called in a sentence.
    fn described(&self) -> String {
        match self.kind {
            Kind::Forward => "the forward pass".to_owned(),
            Kind::Search => "the search for unused parameters".to_owned(),
            Kind::Backward(part) => format!("the backward pass through {}", part.name()),
            Kind::AllReduce(bucket) => format!("the all-reduce of bucket {bucket}"),
            Kind::Map => "the map of used parameters".to_owned(),
            Kind::Join => "the all-reduce of Join".to_owned(),
            Kind::Copy => "the copy".to_owned(),
        }
    }

    /// What kind of work it is.
    pub fn category(&self) -> &'static str {
        match self.kind {
            Kind::Forward => "forward",
            Kind::Search => "search",
            Kind::Backward(_) => "backward",
            Kind::AllReduce(_) | Kind::Map | Kind::Join => "all-reduce",
            Kind::Copy => "copy",
        }
    }
}

impl Timeline {
    /// What the block with this index is, when it runs and what it began after; empty if there is no such block.
    pub fn explain(&self, block: u32) -> String {
        let Some(b) = self.blocks.get(block as usize) else { return String::new() };
        let what = match b.kind {
            Kind::Forward => format!("Forward pass of micro-batch {}", b.pass),
            Kind::Search => "The graph is walked for parameters that will get no gradient".to_owned(),
            Kind::Backward(part) => format!("Backward pass of micro-batch {} through {}", b.pass, part.name()),
            Kind::AllReduce(i) => {
                let bucket = self.buckets.get(i as usize);
                format!("All-reduce of bucket {i}: {}", bucket.map_or_else(String::new, |bucket| self.contents(bucket)))
            }
            Kind::Map => "All-reduce of a map that says which parameters were used on any rank".to_owned(),
            Kind::Join => "All-reduce of one number that says who still has a batch".to_owned(),
            Kind::Copy => "Averages are copied from the buckets back into the gradients".to_owned(),
        };
        let mut text = format!("{what}, from {} to {}.", time(b.start), time(b.end));
        match b.after.and_then(|after| self.blocks.get(after as usize)) {
            None => text += " It can begin at once.",
            Some(cause) if cause.end > b.start => {
                text += &format!(" Its last gradient comes from within {}.", cause.described());
            }
            Some(cause) if cause.stream() == b.stream() => {
                text += &format!(" It begins when {} is done.", cause.described())
            }
            Some(cause) => text += &format!(" It waits for {}.", cause.described()),
        }
        if b.start > b.ready * (1.0 + 1e-9) {
            text += &format!(" It has been complete for {}.", time(b.start - b.ready));
        }
        text
    }

    /// A bucket's size and the parts its tensors are of: "28.4 MB, 9 gradients, layer 11 to layer 10".
    pub fn contents(&self, bucket: &Bucket) -> String {
        let part = |i: Option<&usize>| i.and_then(|&i| self.pieces.get(i)).map(|p| p.part);
        let n = bucket.tensors.len();
        let tensors = if n == 1 { "1 gradient".to_owned() } else { format!("{n} gradients") };
        let parts = match (part(bucket.tensors.first()), part(bucket.tensors.last())) {
            (Some(first), Some(last)) if first != last => format!(", {} to {}", first.name(), last.name()),
            (Some(first), _) => format!(" of {}", first.name()),
            _ => String::new(),
        };
        format!("{}, {tensors}{parts}", bytes(bucket.bytes))
    }

    /// What the step shows, in a few sentences.
    pub fn finding(&self, params: &Params) -> String {
        let buckets = self.buckets.len();
        if self.stalled > 0 {
            let part = params.skipped().map_or_else(String::new, Part::name);
            return format!(
                "{} of {buckets} buckets never start: {part} was skipped, its gradients never come, and buckets start in order. \
                 The backward pass returns all the same, with gradients that are not averaged, and the next forward pass raises \
                 an error.",
                self.stalled
            );
        }
        let counted = if buckets == 1 { "one bucket".to_owned() } else { format!("{buckets} buckets") };
        let mut text = if params.ranks < 2 {
            format!("The step takes {}. One rank has nobody to share gradients with.", time(self.end()))
        } else {
            format!(
                "The step takes {}; the GPU waits {} of it for all-reduces: {} of {} in {counted} hides behind the backward pass.",
                time(self.end()),
                time(self.exposed),
                unbroken(&Unit::Fraction.format(self.hidden())),
                time(self.communicating)
            )
        };
        if params.backward_ms == 0.0 && self.exposed > 0.0 {
            let share = |part: f64| unbroken(&Unit::Fraction.format(part));
            text +=
                &format!(" MFU falls from {} to {}.", share(params.mfu), share(params.mfu * self.computing_share()));
        }
        if params.iteration == Iteration::First && !params.find_unused {
            text += " The first iteration has a single bucket, which is complete when the backward pass is done.";
        }
        if let Some(last) = self.buckets.last().filter(|_| self.exposed > 0.0 && buckets > 1) {
            text += &format!(" The last bucket, {}, can only start at the end.", self.contents(last));
        }
        if params.find_unused {
            text += match params.skipped() {
                Some(_) => " The skipped layer counts as ready from the start.",
                None => {
                    " Nothing is unused here: the search is for nothing, and buckets keep the order of registration."
                }
            };
        }
        if params.microbatches > 1 {
            let m = params.microbatches;
            text += &if params.no_sync {
                format!(" Only the last of {m} micro-batches is followed by all-reduces.")
            } else {
                format!(" Each of {m} micro-batches is: {m} times the bytes for the same sum.")
            };
        }
        text
    }
}

impl Params {
    /// How the data set is dealt out, in a few sentences.
    pub fn sampling(&self) -> String {
        let sampler = self.sampler();
        let n = self.ranks;
        let samples = |count: u64| counted(count, "sample", "samples");
        let mut text = format!("{} for {n} ranks: rank 0 reads {}", samples(self.dataset), grouped(sampler.samples(0)));
        let last = n.saturating_sub(1);
        let (most, least) = (self.batches(0), self.batches(last));
        text += &match self.split {
            Split::Pad if sampler.repeated() > 0 => {
                format!(", as every rank does; {} are read twice.", samples(sampler.repeated()))
            }
            Split::Drop if sampler.dropped() > 0 => {
                format!(", as every rank does; {} are read by nobody.", samples(sampler.dropped()))
            }
            Split::Uneven if sampler.samples(0) != sampler.samples(last) => {
                format!(", rank {last} {}.", grouped(sampler.samples(last)))
            }
            _ => ", as every rank does, each sample once.".to_owned(),
        };
        if most != least {
            text += &if self.join {
                format!(
                    " Rank {last} is done after {} batches and then, under Join, takes part in the all-reduces of the others with \
                     zeros.",
                    grouped(least)
                )
            } else {
                format!(
                    " Rank {last} is done after {} batches; in batch {} the others wait for it for ever.",
                    grouped(least),
                    grouped(least + 1)
                )
            };
        }
        if self.shuffle && !self.set_epoch && self.epoch > 0 {
            text += &format!(" Without set_epoch, epoch {} has the order of epoch 0 again.", self.epoch);
        }
        text
    }
}
