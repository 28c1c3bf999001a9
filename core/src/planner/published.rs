//! Runs whose speed somebody published, and what this model makes of them: nothing is tuned for any of them.
//!
//! A row's utilization is counted as its source counts: attention whole (Chowdhery et al. 2022, Korthikanti et al. 2022),
//! its masked half left out, or with recomputation as useful work (Narayanan et al. 2021, equation 3). Both columns of a row
//! count alike, so that their ratio is that of the times of a step.

use super::cluster::{Cluster, Degrees};
use super::job::{Choice, Job};
use crate::hardware::{self, Accelerator, links};
use crate::memory::activations::Recompute;
use crate::model::shape::Gated;
use crate::model::{Attention, ModelRef, Moe, Norms, Shape, presets};
use crate::quantity::{Unit, count, counted};

/// What a source counts as useful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Attention whole.
    Whole,
    /// Attention without its masked half.
    Masked,
    /// Attention whole, and every layer run forward twice.
    Again,
}

/// What a source gives.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measured {
    Seconds(f64),
    /// TFLOP/s of a GPU.
    Teraflops(f64),
    /// Of the peak.
    Utilization(f64),
}

/// A published run.
#[derive(Debug, Clone)]
pub struct Published {
    /// What it is: "GPT 175B, 64 A100".
    pub name: String,
    /// Where it is from.
    pub source: &'static str,
    /// What is trained, on what.
    pub job: Job,
    /// How.
    pub choice: Choice,
    /// What its source counts.
    pub counted: Counted,
    measured: Measured,
}

impl Published {
    /// FLOPs of a step, as the source counts.
    fn flops(&self) -> f64 {
        match self.counted {
            Counted::Whole => self.job.flops(false),
            Counted::Masked => self.job.flops(true),
            Counted::Again => self.job.flops(false) + self.job.flops_again(),
        }
    }

    fn of_peak(&self, seconds: f64) -> f64 {
        self.flops() / (seconds * self.job.cluster.gpu.peak * self.job.cluster.gpus() as f64)
    }

    /// The utilization that was published, or that follows from the published time of a step.
    pub fn published(&self) -> f64 {
        match self.measured {
            Measured::Seconds(seconds) => self.of_peak(seconds),
            Measured::Teraflops(rate) => rate * 1e12 / self.job.cluster.gpu.peak,
            Measured::Utilization(of_peak) => of_peak,
        }
    }

    /// The same as MFU: attention whole, and nothing computed again counted.
    pub fn mfu(&self) -> f64 {
        self.published() * self.job.flops(false) / self.flops()
    }

    /// Ours.
    pub fn computed(&self) -> f64 {
        self.of_peak(self.job.step(&self.choice).total())
    }

    /// Ours over theirs, less 1.
    pub fn error(&self) -> f64 {
        self.computed() / self.published() - 1.0
    }
}

/// The MFU of published runs on some GPUs, as shares of the peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reached {
    /// How many runs.
    pub runs: usize,
    /// The lowest.
    pub least: f64,
    /// The median.
    pub middle: f64,
    /// The highest.
    pub most: f64,
}

impl Reached {
    fn of<'a>(runs: impl Iterator<Item = &'a Published>) -> Option<Self> {
        let mut all: Vec<f64> = runs.map(Published::mfu).collect();
        all.sort_by(f64::total_cmp);
        let (least, most) = (*all.first()?, *all.last()?);
        let (below, above) = (*all.get((all.len() - 1) / 2)?, *all.get(all.len() / 2)?);
        Some(Self { runs: all.len(), least, middle: f64::midpoint(below, above), most })
    }

    /// On this very GPU; none where nobody published one.
    pub fn on(gpu: &Accelerator) -> Option<Self> {
        Self::of(all().iter().filter(|run| run.job.cluster.gpu.id == gpu.id))
    }

    /// On any GPU.
    pub fn anywhere() -> Option<Self> {
        Self::of(all().iter())
    }

    /// "Half of 10 published runs on this GPU", in the middle of a sentence.
    pub fn half(&self) -> String {
        format!("half of {} on this GPU", self.counted())
    }

    /// "10 published runs on this GPU reached 35% to 56%, median 42%".
    pub fn in_words(&self, on: &str) -> String {
        let share = |value: f64| Unit::Fraction.format(value);
        format!(
            "{} on {on} reached {} to {}, median {}",
            self.counted(),
            share(self.least),
            share(self.most),
            share(self.middle)
        )
    }

    /// "10 published runs".
    pub fn counted(&self) -> String {
        counted(self.runs as u64, "published run", "published runs")
    }
}

/// How an MFU stands among published runs, and what usually costs one: those on the same GPU, if there are any. That of a model that does so few
/// FLOPs per token (`each`, where they are known) that no published run is like it isn't judged.
pub fn standing(mfu: f64, gpu: Option<&Accelerator>, each: Option<f64>) -> String {
    if let Some(each) = each.filter(|each| is_too_small(*each)) {
        return format!(
            "Its MFU of {} isn’t judged: at {} per token the model has about {} parameters, far fewer than in any published run, and so small a \
             model doesn’t fill a GPU.",
            Unit::Fraction.format(mfu),
            Unit::Flop.format(each),
            count(each / 6.0),
        );
    }
    let runs = all();
    let family = |gpu: &Accelerator| gpu.name.split(' ').next().unwrap_or_default();
    let own = || runs.iter().filter(|run| gpu.is_some_and(|gpu| family(run.job.cluster.gpu) == family(gpu)));
    let (reached, on) = match (Reached::of(own()), gpu) {
        (None, None) => (Reached::anywhere(), "GPUs of all kinds".to_owned()),
        (None, Some(_)) => (Reached::anywhere(), "other GPUs".to_owned()),
        (reached, gpu) => {
            let is_same = own().all(|run| gpu.is_some_and(|gpu| run.job.cluster.gpu.id == gpu.id));
            let name = gpu.map_or("", family);
            (reached, if is_same { "this GPU".to_owned() } else { format!("another {name}") })
        }
    };
    let Some(reached) = reached else { return String::new() };
    let Reached { least, middle, most, .. } = reached;
    let share = |value: f64| Unit::Fraction.format(value);
    let judged = if mfu < least {
        "is low"
    } else if mfu < middle {
        "is in the lower half of what others reach"
    } else if mfu <= most {
        "is in the upper half of what others reach"
    } else {
        "is more than published runs reach"
    };
    let work = gpu.map_or_else(String::new, |gpu| {
        let (peak, done) = (Unit::FlopPerSecond.format(gpu.peak), Unit::FlopPerSecond.format(mfu * gpu.peak));
        format!(" At {} of {peak} a GPU does {done} of useful work.", share(mfu))
    });
    let causes = if mfu < middle { format!(" {CAUSES}") } else { String::new() };
    format!("{} {judged}: {}.{work}{causes}", share(mfu), reached.in_words(&on),)
}

/// How far the parameters of two models may be apart, as a ratio, for their MFUs to be put side by side.
const OF_A_SIZE: f64 = 3.0;

/// Whether a model of so many FLOPs per token is smaller than any of the published runs that its MFU may be put beside.
pub fn is_too_small(each: f64) -> bool {
    let least = all().iter().map(|run| run.job.parameters()).fold(f64::INFINITY, f64::min);
    // FLOPs per token are six for each parameter and some for attention.
    each / 6.0 < least / OF_A_SIZE
}

/// That an MFU of a job is below what published runs reached: those of models of about its size on GPUs of its kind, or where fewer than three were
/// published of its size alone, or on its GPUs alone. None where it isn't.
pub fn low(job: &Job, mfu: f64) -> Option<String> {
    let family = |gpu: &Accelerator| gpu.name.split(' ').find(|word| word.contains(|c: char| c.is_ascii_digit()));
    let own = family(job.cluster.gpu)?;
    let of_size = |run: &Published| (1.0 / OF_A_SIZE..=OF_A_SIZE).contains(&(run.job.parameters() / job.parameters()));
    let on_gpu = |run: &Published| family(run.job.cluster.gpu) == Some(own);
    let runs = all();
    let of = |fits: &dyn Fn(&Published) -> bool| {
        Reached::of(runs.iter().filter(|run| fits(run))).filter(|reached| reached.runs >= 3)
    };
    let (reached, what) = of(&|run| of_size(run) && on_gpu(run))
        .map(|reached| (reached, format!("of models of about this size on {own}s")))
        .or_else(|| Some((of(&of_size)?, "of models of about this size, on other GPUs too,".to_owned())))
        .or_else(|| Some((of(&on_gpu)?, format!("on {own}s, of models of other sizes,"))))?;
    let share = |value: f64| Unit::Fraction.format(value);
    (mfu < reached.least).then(|| {
        format!(
            "An MFU of {} is low: {} {what} reached {} to {}.",
            share(mfu),
            reached.counted(),
            share(reached.least),
            share(reached.most)
        )
    })
}

/// What usually costs MFU, the cheapest check first.
pub const CAUSES: &str = "What usually costs it, the cheapest check first: a throttled GPU (its clock in nvidia-smi), a data loader that the \
     GPU waits for (gaps between steps in a trace), recomputation that memory doesn’t need, a micro-batch too small to fill the GPU, \
     communication that isn’t overlapped (tensor parallelism across nodes, ZeRO-3 on a slow network), a pipeline bubble.";

/// How far a computed utilization may be off and still count as met.
pub const NEAR: f64 = 0.15;

const NARAYANAN: &str = "Narayanan et al. 2021, Table 1; micro-batches and chunks from Megatron-LM’s examples/sc21";
const KORTHIKANTI: &str = "Korthikanti et al. 2022, Table 5";
const LLAMA_3: &str = "Llama 3 (arXiv:2407.21783), Table 4; four chunks assumed";
const SMITH: &str = "Smith et al. 2022 (arXiv:2201.11990), §2.4";
const SIMUMAX: &str = "MooreThreads/SimuMax, measured with Megatron-LM on 8 B200";
const COLLECTED: &str = "zhebrak/llm-cluster-simulator, published-training-configs.ts";

/// GPT-2's layout with 51 200 words.
fn gpt(layers: u64, hidden: u64, heads: u64) -> Shape {
    Shape {
        hidden_size: hidden,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        attention: Attention::Heads { kv_heads: heads, head_dim: hidden / heads.max(1) },
        intermediate_size: 4 * hidden,
        vocab_size: 51_200,
        gated_mlp: Gated::No,
        qkv_bias: true,
        o_bias: true,
        mlp_bias: true,
        norms: Norms { bias: true, ..Norms::default() },
        position_rows: 2048,
        tie_word_embeddings: true,
        ..Shape::default()
    }
}

/// Llama's layout with heads of 128: layers, width, heads, key–value heads, width of the MLP, words.
fn llama([layers, hidden, heads, kv_heads, mlp, words]: [u64; 6]) -> Shape {
    Shape {
        hidden_size: hidden,
        num_hidden_layers: layers,
        num_attention_heads: heads,
        attention: Attention::Heads { kv_heads, head_dim: 128 },
        intermediate_size: mlp,
        vocab_size: words,
        ..Shape::default()
    }
}

fn preset(id: &str) -> Shape {
    presets::find(id).map_or_else(Shape::default, |p| p.shape)
}

/// The machines that the runs were on.
#[derive(Clone, Copy)]
enum Machine {
    A100,
    H100,
    B200,
}

impl Machine {
    fn cluster(self, gpus: u64) -> Option<Cluster> {
        let (gpu, link, net) = match self {
            Machine::A100 => ("a100-80", "nvlink3", "hdr"),
            Machine::H100 => ("h100-80", "nvlink4", "ndr"),
            Machine::B200 => ("b200", "nvlink5", "ndr"),
        };
        let (gpu, link, net) = (hardware::find(gpu)?, links::find(link)?, links::find(net)?);
        Some(Cluster { gpu, node: 8, nodes: gpus / 8, link, net })
    }
}

/// A row before its job is made: [tp, cp, ep, dp, pp], [chunks, mbs], [sequence, batch].
struct Row {
    name: String,
    source: &'static str,
    shape: Shape,
    machine: Machine,
    degrees: [u64; 5],
    schedule: [u64; 2],
    load: [u64; 2],
    zero: u8,
    recompute: Recompute,
    sp: bool,
    flash: bool,
    measured: Measured,
    counted: Counted,
}

impl Row {
    fn published(self) -> Option<Published> {
        let ([tp, cp, ep, dp, pp], [chunks, mbs]) = (self.degrees, self.schedule);
        let degrees = Degrees { tp, cp, ep, dp, pp };
        let cluster = self.machine.cluster(degrees.gpus())?;
        let model = ModelRef::own(self.shape);
        let job = Job::new(model, cluster, self.load, self.flash).ok()?;
        let choice = Choice { degrees, sp: self.sp, chunks, mbs, zero: self.zero, recompute: self.recompute };
        let Self { name, source, counted, measured, .. } = self;
        Some(Published { name, source, job, choice, counted, measured })
    }
}

/// Every run.
pub fn all() -> Vec<Published> {
    let rows = narayanan().chain(korthikanti()).chain(later()).chain(simumax());
    rows.filter_map(Row::published).collect()
}

/// Size, layers, width, heads, tp, pp, chunks, GPUs, batch, mbs, TFLOP/s.
type Narayanan = (&'static str, [u64; 3], [u64; 3], [u64; 3], f64);

const TABLE_1: [Narayanan; 10] = [
    ("1.7B", [24, 2304, 24], [1, 1, 1], [32, 512, 16], 137.0),
    ("3.6B", [30, 3072, 32], [2, 1, 1], [64, 512, 16], 138.0),
    ("7.5B", [36, 4096, 32], [4, 1, 1], [128, 512, 16], 142.0),
    ("18B", [40, 6144, 48], [8, 1, 1], [256, 1024, 8], 135.0),
    ("39B", [48, 8192, 64], [8, 2, 1], [512, 1536, 4], 138.0),
    ("76B", [60, 10_240, 80], [8, 4, 3], [1024, 1792, 2], 140.0),
    ("145B", [80, 12_288, 96], [8, 8, 2], [1536, 2304, 2], 148.0),
    ("310B", [96, 16_384, 128], [8, 16, 2], [1920, 2160, 1], 155.0),
    ("530B", [105, 20_480, 128], [8, 35, 3], [2520, 2520, 1], 163.0),
    ("1T", [128, 25_600, 160], [8, 64, 1], [3072, 3072, 1], 163.0),
];

fn narayanan() -> impl Iterator<Item = Row> {
    TABLE_1.into_iter().map(|(size, [layers, hidden, heads], [tp, pp, chunks], [gpus, batch, mbs], rate)| Row {
        name: format!("GPT {size}, {gpus} A100"),
        source: NARAYANAN,
        shape: gpt(layers, hidden, heads),
        machine: Machine::A100,
        degrees: [tp, 1, 1, gpus / (tp * pp), pp],
        schedule: [chunks, mbs],
        load: [2048, batch],
        zero: 0,
        recompute: Recompute::Full,
        sp: false,
        flash: false,
        measured: Measured::Teraflops(rate),
        counted: Counted::Again,
    })
}

/// Size, layers, width, heads, dp, pp, chunks, batch, mbs, seconds with full recomputation, and as they propose.
type Korthikanti = (&'static str, [u64; 3], [u64; 3], [u64; 2], Option<f64>, f64);

const TABLE_5: [Korthikanti; 5] = [
    ("22B", [48, 6144, 64], [1, 1, 1], [4, 4], Some(1.42), 1.10),
    ("175B", [96, 12_288, 96], [1, 8, 3], [64, 1], Some(18.13), 13.75),
    ("530B", [105, 20_480, 128], [1, 35, 3], [280, 1], Some(49.05), 37.83),
    ("1T", [128, 25_600, 160], [1, 64, 1], [512, 1], Some(94.42), 71.49),
    ("530B", [105, 20_480, 128], [8, 35, 3], [2240, 1], None, 39.15),
];

fn korthikanti() -> impl Iterator<Item = Row> {
    TABLE_5.into_iter().flat_map(|(size, [layers, hidden, heads], [dp, pp, chunks], [batch, mbs], full, present)| {
        let row = move |proposed: bool, seconds: f64| Row {
            name: format!("GPT {size}, {} A100, {}", 8 * dp * pp, if proposed { "selective + SP" } else { "full" }),
            source: KORTHIKANTI,
            shape: gpt(layers, hidden, heads),
            machine: Machine::A100,
            degrees: [8, 1, 1, dp, pp],
            schedule: [chunks, mbs],
            load: [2048, batch],
            zero: 0,
            recompute: if proposed { Recompute::Selective } else { Recompute::Full },
            sp: proposed,
            flash: false,
            measured: Measured::Seconds(seconds),
            counted: Counted::Whole,
        };
        full.map(|seconds| row(false, seconds)).into_iter().chain([row(true, present)])
    })
}

/// Single runs since then.
fn later() -> impl Iterator<Item = Row> {
    let row = |name: &str, source, shape, machine, degrees, schedule, load| Row {
        name: name.to_owned(),
        source,
        shape,
        machine,
        degrees,
        schedule,
        load,
        zero: 1,
        recompute: Recompute::None,
        sp: true,
        flash: true,
        measured: Measured::Utilization(0.0),
        counted: Counted::Whole,
    };
    use Machine::{A100, H100};
    use Measured::{Teraflops, Utilization};
    let llama_405b = preset("llama-3.1-405b");
    let mt_nlg = |nodes: u64, rate| Row {
        recompute: Recompute::Full,
        sp: false,
        flash: false,
        measured: Teraflops(rate),
        counted: Counted::Again,
        ..row(
            &format!("MT-NLG 530B, {} A100", 8 * nodes),
            SMITH,
            gpt(105, 20_480, 128),
            A100,
            [8, 1, 1, nodes / 35, 35],
            [1, 1],
            [2048, 1920],
        )
    };
    let moe = |[experts, used, width, shared]: [u64; 4], layers| {
        Some(Moe {
            layers,
            num_experts: experts,
            num_experts_per_tok: used,
            intermediate_size: width,
            shared_intermediate_size: shared,
            shared_gate: false,
            expert_bias: false,
            router_bias: false,
        })
    };
    let nemotron = |name: &str, mfu, sizes, degrees, schedule, load| Row {
        measured: Utilization(mfu),
        recompute: Recompute::Selective,
        ..row(name, COLLECTED, Shape { gated_mlp: Gated::No, ..llama(sizes) }, H100, degrees, schedule, load)
    };
    [
        Row {
            measured: Teraflops(430.0),
            ..row("Llama 3 405B, 8192 H100", LLAMA_3, llama_405b, H100, [8, 1, 1, 64, 16], [4, 1], [8192, 2048])
        },
        Row {
            measured: Teraflops(400.0),
            ..row("Llama 3 405B, 16384 H100", LLAMA_3, llama_405b, H100, [8, 1, 1, 128, 16], [4, 1], [8192, 2048])
        },
        Row {
            measured: Teraflops(380.0),
            counted: Counted::Masked,
            recompute: Recompute::Full,
            ..row(
                "Llama 3 405B, 131072 tokens, 16384 H100",
                LLAMA_3,
                llama_405b,
                H100,
                [8, 16, 1, 8, 16],
                [4, 1],
                [131_072, 128],
            )
        },
        mt_nlg(280, 126.0),
        mt_nlg(350, 121.0),
        mt_nlg(420, 113.0),
        nemotron(
            "Nemotron-4 340B, 6144 H100",
            0.41,
            [96, 18_432, 96, 8, 73_728, 256_000],
            [8, 1, 1, 64, 12],
            [8, 1],
            [4096, 768],
        ),
        nemotron(
            "Nemotron-4 15B, 64 H100",
            0.56,
            [32, 6144, 48, 8, 24_576, 256_000],
            [2, 1, 1, 32, 1],
            [1, 4],
            [4096, 256],
        ),
        Row {
            measured: Utilization(0.41),
            recompute: Recompute::Selective,
            zero: 3,
            ..row(
                "OLMo 3 32B, 1024 H100",
                COLLECTED,
                llama([64, 5120, 40, 8, 27_648, 100_352]),
                H100,
                [1, 1, 1, 1024, 1],
                [1, 1],
                [8192, 1024],
            )
        },
        Row {
            measured: Utilization(0.4125),
            recompute: Recompute::Full,
            zero: 3,
            ..row(
                "Llama 2 70B, 512 H100",
                COLLECTED,
                preset("llama-2-70b"),
                H100,
                [8, 1, 1, 64, 1],
                [1, 2],
                [2048, 1024],
            )
        },
        Row {
            measured: Utilization(0.57),
            zero: 3,
            ..row("Llama 2 7B, 128 A100", COLLECTED, preset("llama-2-7b"), A100, [1, 1, 1, 128, 1], [1, 2], [4096, 256])
        },
        Row {
            measured: Teraflops(150.0),
            counted: Counted::Again,
            recompute: Recompute::Full,
            sp: false,
            flash: false,
            ..row(
                "BLOOM 176B, 384 A100",
                COLLECTED,
                Shape { vocab_size: 250_880, ..gpt(70, 14_336, 112) },
                A100,
                [4, 1, 1, 8, 12],
                [1, 2],
                [2048, 2048],
            )
        },
        Row {
            measured: Utilization(0.463),
            recompute: Recompute::Full,
            ..row(
                "Mixtral 8×22B, 128 H100",
                COLLECTED,
                Shape { moe: moe([8, 2, 16_384, 0], 56), ..llama([56, 6144, 48, 8, 0, 32_768]) },
                H100,
                [2, 1, 4, 8, 8],
                [1, 1],
                [4096, 256],
            )
        },
        Row {
            measured: Utilization(0.353),
            recompute: Recompute::Full,
            ..row(
                "Qwen2 57B-A14B, 64 H100",
                COLLECTED,
                Shape { moe: moe([64, 8, 2560, 20_480], 28), ..llama([28, 3584, 28, 4, 0, 151_936]) },
                H100,
                [2, 1, 4, 8, 4],
                [1, 1],
                [4096, 256],
            )
        },
        Row {
            measured: Utilization(0.536),
            recompute: Recompute::Selective,
            ..row("NeMo Llama 405B, 1024 H100", COLLECTED, llama_405b, H100, [8, 2, 1, 8, 8], [2, 1], [8192, 512])
        },
    ]
    .into_iter()
}

const LLAMA_70B: &str = "llama-3-70b";
const LLAMA_405B: &str = "llama-3.1-405b";

/// Model, layers kept, [tp, cp, pp, dp], micro-batches, tokens, milliseconds.
type Simumax = (&'static str, u64, [u64; 4], u64, u64, f64);

const B200: [Simumax; 31] = [
    (LLAMA_70B, 12, [1, 1, 2, 4], 4, 4096, 843.0),
    (LLAMA_70B, 12, [2, 1, 1, 4], 4, 4096, 725.5),
    (LLAMA_70B, 12, [4, 1, 1, 2], 4, 4096, 409.8),
    (LLAMA_70B, 12, [8, 1, 1, 1], 4, 4096, 280.9),
    (LLAMA_70B, 12, [1, 1, 2, 4], 8, 4096, 1476.8),
    (LLAMA_70B, 12, [2, 1, 1, 4], 8, 4096, 1387.0),
    (LLAMA_70B, 12, [4, 1, 1, 2], 8, 4096, 765.6),
    (LLAMA_70B, 12, [8, 1, 1, 1], 8, 4096, 556.7),
    (LLAMA_70B, 12, [1, 1, 2, 4], 32, 4096, 5436.5),
    (LLAMA_70B, 12, [2, 1, 1, 4], 32, 4096, 5376.5),
    (LLAMA_70B, 12, [4, 1, 1, 2], 32, 4096, 2964.6),
    (LLAMA_70B, 12, [8, 1, 1, 1], 32, 4096, 2073.7),
    (LLAMA_405B, 4, [1, 1, 2, 4], 4, 4096, 1074.6),
    (LLAMA_405B, 4, [2, 1, 1, 4], 4, 4096, 907.3),
    (LLAMA_405B, 4, [4, 1, 1, 2], 4, 4096, 476.0),
    (LLAMA_405B, 4, [8, 1, 1, 1], 4, 4096, 258.8),
    (LLAMA_405B, 4, [1, 1, 2, 4], 8, 4096, 1935.4),
    (LLAMA_405B, 4, [2, 1, 1, 4], 8, 4096, 1716.8),
    (LLAMA_405B, 4, [4, 1, 1, 2], 8, 4096, 899.6),
    (LLAMA_405B, 4, [8, 1, 1, 1], 8, 4096, 488.1),
    (LLAMA_405B, 4, [1, 1, 2, 4], 32, 4096, 7046.4),
    (LLAMA_405B, 4, [2, 1, 1, 4], 32, 4096, 6604.1),
    (LLAMA_405B, 4, [4, 1, 1, 2], 32, 4096, 3455.4),
    (LLAMA_405B, 4, [8, 1, 1, 1], 32, 4096, 1901.8),
    (LLAMA_70B, 12, [2, 4, 1, 1], 4, 32768, 1758.0),
    (LLAMA_70B, 12, [1, 8, 1, 1], 4, 32768, 1768.1),
    (LLAMA_405B, 4, [2, 4, 1, 1], 4, 32768, 1984.7),
    (LLAMA_405B, 4, [1, 8, 1, 1], 4, 32768, 2003.6),
    (LLAMA_70B, 12, [2, 4, 1, 1], 4, 131072, 11315.7),
    (LLAMA_70B, 12, [1, 8, 1, 1], 4, 131072, 11301.9),
    (LLAMA_405B, 4, [2, 4, 1, 1], 4, 131072, 10577.6),
];

fn simumax() -> impl Iterator<Item = Row> {
    B200.into_iter().map(|(model, layers, [tp, cp, pp, dp], m, seq, milliseconds)| Row {
        name: format!(
            "{}, {layers} layers, tp {tp} cp {cp} pp {pp}, {m} × {seq} tokens, 8 B200",
            if model == LLAMA_70B { "Llama 3 70B" } else { "Llama 3 405B" }
        ),
        source: SIMUMAX,
        shape: Shape { num_hidden_layers: layers, ..preset(model) },
        machine: Machine::B200,
        degrees: [tp, cp, 1, dp, pp],
        schedule: [1, 1],
        load: [seq, dp * m],
        zero: 1,
        recompute: Recompute::None,
        sp: tp > 1,
        flash: true,
        measured: Measured::Seconds(milliseconds / 1e3),
        counted: Counted::Masked,
    })
}
