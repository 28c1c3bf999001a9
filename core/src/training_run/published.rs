//! Runs that were published with enough of their numbers to compute the others, and how far the two are apart.

use super::{Params, Run};
use crate::declare::Model;
use crate::query::Query;

/// One published number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fact {
    /// The quantity of `training-run` that it is.
    pub quantity: &'static str,
    /// In the quantity's base unit.
    pub value: f64,
    /// Where it stands.
    pub place: &'static str,
}

impl Fact {
    /// How far a computed value is from it, in percent.
    pub fn difference(&self, computed: f64) -> f64 {
        (computed / self.value - 1.0) * 100.0
    }
}

/// A published run: what goes in, what was reported, and what the difference is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// Its name in tests and in the page: `opt-175b`.
    pub id: &'static str,
    /// What a person reads.
    pub name: &'static str,
    /// The state of the widget.
    pub query: &'static str,
    /// The document.
    pub source: &'static str,
    /// Where the utilisation that goes in is from.
    pub given: &'static str,
    /// What was reported.
    pub facts: &'static [Fact],
    /// Why it is not the same, or what the comparison is worth.
    pub note: &'static str,
}

const fn fact(quantity: &'static str, value: f64, place: &'static str) -> Fact {
    Fact { quantity, value, place }
}

impl Published {
    /// Its state.
    pub fn params(&self) -> Params {
        Params::read(&Query::parse(self.query)).0
    }

    /// The run that the model computes for it, and each fact beside what the model says of it.
    ///
    /// # Errors
    /// Never for the runs of [`ALL`], which the tests read.
    pub fn compared(&self) -> Result<(Run, Vec<(Fact, f64)>), String> {
        let params = self.params();
        let run = params.evaluate()?;
        let computed = |fact: &Fact| {
            Params::QUANTITIES.iter().find(|m| m.shown.id == fact.quantity).map(|m| (*fact, (m.of)(&params, &run)))
        };
        Ok((run, self.facts.iter().filter_map(computed).collect()))
    }

    /// The published run that this state is, if it is one.
    pub fn of(params: &Params) -> Option<&'static Published> {
        ALL.iter().find(|p| Params { show: params.show, ..p.params() } == *params)
    }
}

/// Published runs, the oldest first.
pub const ALL: &[Published] = &[
    Published {
        id: "gpt-3",
        name: "GPT-3 175B",
        query: "params=174.6e9&layers=96&width=12288&seq=2048&attention=none&gpu=v100-32&gpus=10000&mfu=0.1968&given=tokens&\
                tokens=300e9&batch=3.2e6&watts=330&pue=1.1&price=1",
        source: "Brown et al., arXiv:2005.14165; Patterson et al., arXiv:2104.10350",
        given: "24.6 TFLOP/s of a V100’s 125 (Patterson, Table 4)",
        facts: &[
            fact("compute", 3.14e23, "Brown, Table D.1"),
            fact("time", 14.8 * super::DAY, "Patterson, Table 4"),
            fact("energy", 1_287e3, "Patterson, Table 4"),
        ],
        note: "Patterson took 10,000 GPUs as a vendor’s announcement has them, and found the days by this division; the energy is \
               what those days draw at 330 W each.",
    },
    Published {
        id: "mt-nlg",
        name: "MT-NLG 530B",
        query: "params=530e9&layers=105&width=20480&seq=2048&attention=full&gpu=a100-80&gpus=2240&mfu=0.302&recompute=1&\
                given=tokens&tokens=270e9&batch=3932160",
        source: "Smith et al., arXiv:2201.11990; Chowdhery et al., arXiv:2204.02311",
        given: "MFU 30.2% with attention (PaLM, §4.1)",
        facts: &[fact("step-time", 60.1, "Smith, §2.4: 280 nodes, batch 1920")],
        note: "126 TFLOP/s were reported too: hardware FLOPs, a third of which are the forward pass computed again.",
    },
    Published {
        id: "palm-540b",
        name: "PaLM 540B",
        query: "params=540.35e9&layers=118&width=12288&seq=2048&attention=full&gpu=tpu-v4&gpus=6144&mfu=0.462&\
                recompute=0.753&given=tokens&tokens=780e9&batch=4194304&watts=378.5&pue=1.08",
        source: "Chowdhery et al., arXiv:2204.02311",
        given: "MFU 46.2% with attention (§4.1)",
        facts: &[
            fact("hfu", 0.578, "§4.1"),
            fact("gpu-hours", 8_404_992.0, "Appendix B: 6144 chips for 1200 hours and 3072 for 336"),
        ],
        note: "The chip-hours have downtime, repeated steps and smaller batches in them; the MFU is that of steps that went well. A third of \
               the time lies between the two.",
    },
    Published {
        id: "opt-175b",
        name: "OPT-175B",
        query: "params=175e9&layers=96&width=12288&seq=2048&attention=full&gpu=a100-80&gpus=1024&mfu=0.3534&recompute=1&\
                given=tokens&tokens=300e9&batch=2e6",
        source: "Zhang et al., arXiv:2205.01068; facebookresearch/metaseq, logbook of 7 January 2022",
        given: "147 TFLOP/s of an A100’s 312 with recomputation, three quarters of it the model’s",
        facts: &[
            fact("hardware-compute", 4.30e23, "logbook: FLOPs of compute"),
            fact("time", 33.0 * super::DAY, "logbook: assuming no hardware issues"),
        ],
        note: "The 4.3e23 are hardware FLOPs: 6ND for this model is 3.15e23. By the calendar it took two months, with 35 restarts by hand \
               and more by themselves.",
    },
    Published {
        id: "bloom-176b",
        name: "BLOOM 176B",
        query: "params=176.247e9&layers=70&width=14336&seq=2048&attention=full&gpu=a100-80&gpus=384&mfu=0.375&recompute=1&\
                given=tokens&tokens=366e9&batch=4194304&watts=400&pue=1",
        source: "BigScience, arXiv:2211.05100; Luccioni et al., arXiv:2211.02001",
        given: "156 TFLOP/s of an A100’s 312 with recomputation, in the fastest configuration (§3.4)",
        facts: &[
            fact("gpu-hours", 1_082_990.0, "§3.4.1; Luccioni, Table 1"),
            fact("time", 118.24 * super::DAY, "Luccioni, Table 1: 118 days, 5 hours, 41 min"),
            fact("energy", 433_196.0, "Luccioni, §4.2: GPU-hours times 400 W"),
        ],
        note: "The published hours are an eighth more: restarts, evaluation, and days on which it was not at its fastest.",
    },
    Published {
        id: "llama-65b",
        name: "LLaMA 65B",
        query: "params=65.2e9&layers=80&width=8192&seq=2048&attention=full&gpu=a100-80&gpus=2048&mfu=0.496&given=tokens&\
                tokens=1.4e12&batch=4e6&watts=400&pue=1.1",
        source: "Touvron et al., arXiv:2302.13971",
        given: "380 tokens per second per GPU (§2.4)",
        facts: &[
            fact("gpu-hours", 1_022_362.0, "Table 15"),
            fact("time", 21.0 * super::DAY, "§2.4: about 21 days"),
            fact("energy", 449e3, "Table 15"),
        ],
        note: "The hours follow from the speed: interruptions are in neither.",
    },
    Published {
        id: "llama-3.1-405b",
        name: "Llama 3.1 405B",
        query: "params=405.8533888e9&layers=126&width=16384&seq=8192&attention=none&gpu=h100-80&gpus=16384&mfu=0.41&\
                goodput=0.9&given=tokens&tokens=15.6e12&batch=16e6&watts=700&pue=1.1",
        source: "Llama team, arXiv:2407.21783; Llama 3.1 model card",
        given: "MFU 41% on 16,384 GPUs (Table 4), over 90% of the time effective (§3.3.4)",
        facts: &[fact("compute", 3.8e25, "§3.2"), fact("gpu-hours", 30.84e6, "model card")],
        note: "41% is one of three stages, from 43% on 8,192 GPUs to 38% with long sequences, and the hours have the whole of them.",
    },
    Published {
        id: "deepseek-v3",
        name: "DeepSeek-V3",
        query: "params=37e9&total=671e9&layers=61&width=7168&seq=4096&attention=none&gpu=h100-80&gpus=2048&mfu=0.3465&\
                given=tokens&tokens=14.8e12&batch=62914560&price=2",
        source: "DeepSeek-AI, arXiv:2412.19437",
        given: "no utilisation was published: 34.65% of an H800’s bf16 peak is what the hours come to",
        facts: &[
            fact("gpu-hours", 2.664e6, "Table 1: pre-training"),
            fact("cost", 5.328e6, "Table 1: at 2 dollars an hour"),
        ],
        note: "The products ran in fp8, of whose peak it is half as much. Whoever divides 6ND by hours and calls the quotient MFU has assumed \
               the answer.",
    },
];
