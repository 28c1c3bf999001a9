//! A training step on more and more GPUs: what of it is work, and what is waiting.
//!
//! n GPUs are tp × pp × dp: tensor-parallel ranks beside each other in a node, then data-parallel ones, then the stages of a
//! pipeline. A step takes
//!
//! - **compute**: 3 × the forward FLOPs of its tokens, at the rate that one GPU reaches alone, on n GPUs that share them evenly;
//! - **idle**: what is added because sequences are whole: a replica has ⌈batch / dp⌉ of them;
//! - **communication** that hides behind nothing: two all-reduces of a layer's activations in the forward and two in the backward
//!   pass among tensor-parallel ranks (Shoeybi et al. 2019, arXiv:1909.08053, §3), messages between stages while the pipeline
//!   fills and drains, and what of the gradients' way does not fit behind the backward pass;
//! - **bubble**: pp − 1 micro-batches of a pipeline that fills and drains (Narayanan et al. 2021, arXiv:2104.04473, §2.2.1);
//! - **straggle**: the wait for the slowest GPU, whose time is the expected maximum of n independent normals.
//!
//! Collectives cost what [`crate::network`] says, by ring or by tree, whichever is faster. Gradients and weights go in 16 bits.
//! Whether the model fits a GPU's memory is not asked.

mod params;
mod slowest;

pub use params::{MAX_GPUS, Params, Scaling, Sharding};

use crate::collective::{Algo, Op};
use crate::model::ModelSize;
use crate::network::{Cost, Fabric, cost, ring};
use slowest::expected_maximum;

/// Bytes of a bucket of DDP's gradients (`bucket_cap_mb=25`).
const BUCKET: f64 = 25.0 * 1024.0 * 1024.0;
/// Bytes of a weight, a gradient or an activation.
const BYTES: f64 = 2.0;
/// All-reduces of a layer among tensor-parallel ranks, forward and backward.
const TENSOR_ALL_REDUCES: f64 = 4.0;
/// The share of a step's arithmetic that the backward pass is.
const BACKWARD: f64 = 2.0 / 3.0;

/// One step, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Step {
    /// GPUs.
    pub gpus: u64,
    /// Sequences of the step.
    pub sequences: f64,
    /// Work, shared evenly.
    pub compute: f64,
    /// Added because sequences are whole.
    pub idle: f64,
    /// Communication that hides behind nothing.
    pub communication: f64,
    /// The pipeline fills and drains.
    pub bubble: f64,
    /// The wait for the slowest.
    pub straggle: f64,
    /// All of the gradients' (and, if sharded, weights') communication, hidden or not.
    pub gradients: f64,
}

impl Step {
    /// Seconds in all.
    pub fn time(&self) -> f64 {
        self.compute + self.waits().iter().sum::<f64>()
    }

    /// The share of the time that is work: speed-up over GPUs.
    pub fn efficiency(&self) -> f64 {
        self.compute / self.time()
    }

    /// How many times as many sequences a second as one GPU.
    pub fn speedup(&self) -> f64 {
        self.gpus as f64 * self.efficiency()
    }

    /// What is not work: idle, communication, bubble, straggle.
    pub fn waits(&self) -> [f64; 4] {
        [self.idle, self.communication, self.bubble, self.straggle]
    }
}

/// What does not change with the number of GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    params: Params,
    fabric: Fabric,
    /// Parameters.
    weights: f64,
    /// Seconds that one GPU alone takes for a sequence, forward and backward.
    sequence: f64,
}

impl Model {
    /// Prepares it.
    ///
    /// # Errors
    /// A sentence, if the GPUs do not come out over the ranks of a replica.
    pub fn new(params: &Params) -> Result<Self, String> {
        let replica = params.replica();
        if !params.gpus.is_multiple_of(replica) {
            return Err(format!(
                "A replica has {} × {} = {replica} GPUs; {} GPUs are no multiple of that.",
                params.tp, params.pp, params.gpus
            ));
        }
        let shape = params.model.sound()?;
        let layers = shape.num_hidden_layers;
        if params.pp > layers {
            return Err(format!("{} has {layers} layers, too few for {} stages.", params.model.name(), params.pp));
        }
        let weights = ModelSize::of(shape).map_err(|problem| problem.message)?.params;
        let flops = 3.0 * shape.forward_flops(params.seq, true).total() * params.seq as f64;
        let sequence = flops / (params.gpu.peak * params.mfu);
        Ok(Self { params: *params, fabric: params.wires.fabric(), weights, sequence })
    }

    /// The step on `gpus` GPUs, a multiple of a replica's.
    pub fn step(&self, gpus: u64) -> Step {
        let p = &self.params;
        let (replica, stages) = (p.replica() as f64, p.pp as f64);
        let dp = (gpus / p.replica()).max(1);
        let sequences = match p.scaling {
            Scaling::Strong => p.batch,
            Scaling::Weak => p.each * dp,
        };
        let each = sequences.div_ceil(dp);
        let micro = p.mbs.min(each).max(1);
        let microbatches = each.div_ceil(micro) as f64;

        let shape = p.shape();
        let layers = shape.num_hidden_layers as f64 / stages;
        let tokens = (micro * p.seq) as f64;
        let activations = tokens * shape.hidden_size as f64 * BYTES;
        let all_reduce = self.all_reduce(p.tp, &self.fabric).time(activations);
        let tensor = if p.tp > 1 { TENSOR_ALL_REDUCES * layers * all_reduce } else { 0.0 };
        let work = micro as f64 * self.sequence / replica;
        let one = work + tensor;

        let far = self.fabric.every((p.tp * dp) as usize);
        let message = cost(Op::Broadcast, Algo::Naive, 2, &far).unwrap_or_default().time(activations / p.tp as f64);
        let messages = if p.pp > 1 { 2.0 * (stages - 1.0) * message } else { 0.0 };

        let compute = sequences as f64 * self.sequence / gpus as f64;
        let (gradients, hidden) = self.gradients(dp, layers, microbatches, work);
        let busy = microbatches * one;
        Step {
            gpus,
            sequences: sequences as f64,
            compute,
            idle: (microbatches * work - compute).max(0.0),
            communication: microbatches * tensor + messages + (gradients - hidden).max(0.0),
            bubble: (stages - 1.0) * one,
            straggle: p.jitter * expected_maximum(gpus) * busy,
            gradients,
        }
    }

    fn all_reduce(&self, ranks: u64, fabric: &Fabric) -> Both {
        let ranks = ranks as usize;
        let tree = cost(Op::AllReduce, Algo::DoubleBinaryTree, ranks, fabric);
        Both { ring: ring(Op::AllReduce, ranks, fabric), tree }
    }

    /// What data parallelism sends, in seconds, and how much of it there is something to hide behind.
    fn gradients(&self, dp: u64, layers: f64, microbatches: f64, work: f64) -> (f64, f64) {
        if dp < 2 {
            return (0.0, 0.0);
        }
        let p = &self.params;
        let bytes = self.weights * BYTES / p.replica() as f64;
        let fabric = self.fabric.every(p.tp as usize);
        match p.sharding {
            Sharding::Ddp => {
                // All gradients go during the last micro-batch's backward pass, but the last bucket after it.
                let buckets = (bytes / BUCKET).ceil().max(1.0);
                let time = buckets * self.all_reduce(dp, &fabric).time(bytes / buckets);
                (time, p.overlap * (BACKWARD * work).min(time) * (1.0 - 1.0 / buckets))
            }
            Sharding::Fsdp => {
                // Each micro-batch gathers the weights twice and scatters the gradients once, layer by layer; the first layer's
                // gathering and the last one's scattering have nothing beside them.
                let once = ring(Op::AllGather, dp as usize, &fabric).time(bytes / layers);
                let time = 3.0 * microbatches * layers * once;
                (time, p.overlap * (microbatches * work).min(time) * (1.0 - 1.0 / layers))
            }
        }
    }

    /// Steps for each doubling, from one replica to [`MAX_GPUS`].
    pub fn curve(&self) -> Vec<Step> {
        let replica = self.params.replica();
        let doublings = std::iter::successors(Some(replica), |n| n.checked_mul(2));
        doublings.take_while(|n| *n <= MAX_GPUS).map(|n| self.step(n)).collect()
    }
}

/// An all-reduce by ring and by tree.
struct Both {
    ring: Cost,
    tree: Option<Cost>,
}

impl Both {
    /// The faster one's time.
    fn time(&self, bytes: f64) -> f64 {
        let ring = self.ring.time(bytes);
        self.tree.map_or(ring, |tree| tree.time(bytes).min(ring))
    }
}

/// The state’s step and all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it was made from.
    pub params: Params,
    /// The step of the state.
    pub here: Step,
    /// The step on twice as many GPUs.
    pub next: Step,
    /// Every doubling.
    pub steps: Vec<Step>,
}

/// What is not work, by what a learner reads: those of [`Step::waits`].
pub const WAITS: [&str; 4] =
    ["replicas without a sequence", "exposed communication", "the pipeline’s bubble", "the wait for the slowest GPU"];

impl Curve {
    /// Works it out.
    ///
    /// # Errors
    /// As [`Model::new`].
    pub fn new(params: &Params) -> Result<Self, String> {
        let model = Model::new(params)?;
        let (here, next) = (model.step(params.gpus), model.step(params.gpus.saturating_mul(2)));
        Ok(Self { params: *params, here, next, steps: model.curve() })
    }

    /// How much of a GPU each one that the next doubling adds is worth.
    pub fn gain(&self) -> f64 {
        (self.next.speedup() - self.here.speedup()) / self.here.gpus.max(1) as f64
    }

    /// The most GPUs, of the doublings, that work at least half of the time; 0 if none do.
    pub fn half(&self) -> f64 {
        self.steps.iter().rev().find(|s| s.efficiency() >= 0.5).map_or(0.0, |s| s.gpus as f64)
    }

    /// The largest of [`Step::waits`]: its index.
    pub fn worst(&self) -> usize {
        let waits = self.here.waits();
        (0..waits.len()).max_by(|a, b| waits[*a].total_cmp(&waits[*b])).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::examples;
    use crate::declare::Model as _;
    use crate::query::Query;

    fn curve(query: &str) -> Curve {
        let (params, problems) = Params::read(&Query::parse(query));
        assert_eq!(problems, [], "{query}");
        Curve::new(&params).unwrap_or_else(|e| panic!("{query}: {e}"))
    }

    #[test]
    fn one_gpu_does_nothing_but_work() {
        let one = curve("gpus=1").here;
        assert_eq!((one.efficiency(), one.waits(), one.gradients), (1.0, [0.0; 4], 0.0));
        // 6 FLOPs for each parameter and token, and the attention on top.
        let (params, _) = Params::read(&Query::parse("model=llama-2-7b&seq=4096&gpus=1&batch=1"));
        let model = Model::new(&params).expect("sound");
        let least = 6.0 * 6.6e9 * 4096.0 / (params.gpu.peak * params.mfu);
        assert!((1.0..1.25).contains(&(model.step(1).compute / least)));
    }

    #[test]
    fn strong_scaling_shares_the_work_and_weak_scaling_adds_to_it() {
        let strong = curve("scaling=strong&jitter=0").steps;
        for pair in strong.windows(2) {
            assert!((pair[0].compute / pair[1].compute - 2.0).abs() < 1e-9);
            assert!(pair[1].efficiency() <= pair[0].efficiency() + 1e-9, "{pair:?}");
        }
        let weak = curve("scaling=weak&jitter=0").steps;
        for pair in weak.windows(2) {
            assert!((pair[0].compute / pair[1].compute - 1.0).abs() < 1e-9);
        }
        assert_eq!(weak.len(), 15);
    }

    #[test]
    fn more_replicas_than_sequences_only_wait() {
        let full = curve("scaling=strong&batch=64&gpus=64&jitter=0").here;
        let over = curve("scaling=strong&batch=64&gpus=128&jitter=0").here;
        assert!(full.idle.abs() < 1e-12 && (over.idle / over.compute - 1.0).abs() < 1e-9);
        assert!(over.speedup() <= full.speedup());
    }

    #[test]
    fn gradients_cost_what_the_network_says() {
        // 8 GPUs of a node, no overlap: an all-reduce of 13.5 GB in 25 MiB buckets over 450 GB/s.
        let step = curve("model=llama-2-7b&gpus=8&overlap=0&jitter=0").here;
        let bytes = 6_738_415_616.0 * 2.0;
        let least = 1.75 * bytes / 450e9;
        let latency = (bytes / BUCKET).ceil() * 14.0 * 3.4e-6;
        assert!((step.communication / (least + latency) - 1.0).abs() < 1e-9, "{step:?}");
        // Three passes of (n − 1)/n instead of two, layer by layer.
        let sharded = curve("model=llama-2-7b&gpus=8&overlap=0&jitter=0&sharding=fsdp&scaling=weak&each=1").here;
        let passes = 3.0 * (0.875 * bytes / 450e9 + 32.0 * 7.0 * 3.4e-6);
        assert!((sharded.gradients / passes - 1.0).abs() < 1e-9, "{sharded:?}");
    }

    #[test]
    fn a_bubble_is_the_stages_less_one_of_the_micro_batches() {
        let step = curve("model=llama-2-7b&gpus=8&pp=8&batch=32&mbs=1&jitter=0").here;
        assert!((step.bubble / step.compute - 7.0 / 32.0).abs() < 1e-9, "{step:?}");
        let error = Curve::new(&Params::read(&Query::parse("gpus=12&tp=8")).0);
        assert_eq!(error, Err("A replica has 8 × 1 = 8 GPUs; 12 GPUs are no multiple of that.".to_owned()));
    }

    #[test]
    fn every_question_has_the_answer_it_is_there_for() {
        let found: Vec<(usize, bool)> = examples(Params::ID)
            .iter()
            .map(|query| {
                let curve = curve(query);
                (curve.worst(), curve.here.efficiency() < 0.85)
            })
            .collect();
        assert_eq!(found, [(1, true), (3, true), (1, true), (1, true), (2, true)]);
    }
}
