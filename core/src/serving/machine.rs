//! The machine that serves, as parameters that more than one figure has.

use super::command::{Read, Serve, Server};
use super::step::{Deployment, KV_BITS, Quant, Reach};
use crate::declare::{Field as _, Param, Scale, Takes, choice, real, whole};
use crate::hardware::{self, Accelerator};
use crate::kv_cache::figure::{ACTIVATIONS, USED};
use crate::model::{ModelRef, presets};
use crate::quantity::Unit;
use crate::query::shorten;
use crate::units::GB;

/// A model on GPUs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Machine {
    /// The model.
    pub model: ModelRef,
    /// The GPU.
    pub gpu: &'static Accelerator,
    /// GPUs that share every layer of attention: all of a replica, unless it has groups.
    pub tp: u64,
    /// Groups of so many GPUs that share the experts.
    pub dp: u64,
    /// The form of the weights.
    pub quant: Quant,
    /// Bits of a cached value.
    pub kv_bits: u32,
    /// What kernels reach.
    pub reach: Reach,
    /// The share of each GPU's memory that the engine may use.
    pub share: f64,
    /// GB of each GPU that activations take.
    pub activations: f64,
}

impl Default for Machine {
    fn default() -> Self {
        Self {
            model: ModelRef::default(),
            gpu: &hardware::ALL[0],
            tp: 1,
            dp: 1,
            quant: Quant::Bf16,
            kv_bits: 16,
            reach: Reach::Kernels,
            share: USED,
            activations: 0.0,
        }
    }
}

/// What engines call a cache in 16 bits.
const WHOLE: [&str; 5] = ["bfloat16", "bf16", "float16", "fp16", "half"];

/// Parameters that have a machine.
pub trait Serves {
    /// The machine.
    fn machine(&mut self) -> &mut Machine;
}

impl Machine {
    /// Most GPUs of a replica that share every layer.
    pub const MOST: u64 = 16;
    /// Most groups of them.
    pub const MOST_GROUPS: u64 = 128;

    /// How many parameters [`Machine::params`] has.
    pub const PARAMS: usize = 7;

    /// The parameters that all figures have in the same place.
    pub const fn params<P: Serves>() -> [Param<P>; Self::PARAMS] {
        [
            choice("gpu", "the GPU", hardware::LIST, "h100-80")
                .label("GPU")
                .more("Machine")
                .at(|p: &mut P| p.machine().gpu.slot()),
            choice("quant", "the form of the weights", Quant::LIST, "bf16")
                .label("Weights")
                .more("Machine")
                .at(|p: &mut P| p.machine().quant.slot()),
            choice("kv-bits", "bits of a cached value", KV_BITS, "16")
                .label("Bits per cached value")
                .more("Machine")
                .at(|p: &mut P| p.machine().kv_bits.slot()),
            choice("reach", "what of the data sheet kernels reach", Reach::LIST, "kernels")
                .label("Speeds")
                .more("Machine")
                .at(|p: &mut P| p.machine().reach.slot()),
            whole(
                "dp",
                "groups of GPUs with requests and caches of their own, which share the experts of a model that has some; 1 for none",
                [1, Self::MOST_GROUPS],
                "1",
            )
            .label("Data-parallel attention groups")
            .doubling(7)
            .more("Machine")
            .quiet()
            .at(|p: &mut P| p.machine().dp.slot()),
            ACTIVATIONS.more("Machine").at(|p: &mut P| p.machine().activations.slot()),
            real(
                "share",
                "share of each GPU’s memory that the engine may use (gpu_memory_utilization)",
                [0.01, 1.0],
                "0.9",
            )
            .label("GPU memory utilization")
            .unit(Unit::Fraction)
            .slider(Scale::Linear { min: 0.5, max: 1.0, step: 0.01 })
            .more("Machine")
            .quiet()
            .at(|p: &mut P| p.machine().share.slot()),
        ]
    }

    /// GPUs of a replica.
    pub fn gpus(&self) -> u64 {
        self.tp.saturating_mul(self.dp)
    }

    /// How an engine is started on it. `requests` and `tokens` are of a step at the most, `longest` of a request; what is 0 is left to the
    /// engine.
    pub fn serve(&self, server: Server, [requests, tokens, longest]: [u64; 3]) -> Serve {
        let given = |n: u64| Some(n).filter(|n| *n > 0);
        let model = match self.model {
            ModelRef::Preset(preset) if !preset.hub.is_empty() => preset.hub.to_owned(),
            _ => "path/to/your-model".to_owned(),
        };
        let kv = match self.kv_bits {
            8 => Some("fp8"),
            4 => Some("nvfp4"),
            _ => None,
        };
        // vLLM counts activations within its share, SGLang beside it, TensorRT-LLM gives the cache a share of what loading leaves.
        let beside = self.activations * GB / self.gpu.memory.0;
        let memory = match server {
            Server::Vllm | Server::Trtllm => self.share,
            Server::Sglang => (self.share - beside).max(0.01),
        };
        Serve {
            model,
            tp: Some(self.tp),
            dp: Some(self.dp),
            expert_parallel: self.dp > 1,
            max_len: given(longest),
            max_seqs: given(requests),
            max_tokens: given(tokens),
            memory: Some(memory),
            quantization: self.quant.online().map(str::to_owned),
            kv: kv.map(str::to_owned),
            ..Serve::default()
        }
    }

    /// Takes another model, and with it the form in which its checkpoint stores the weights, unless they have another form than the checkpoint
    /// of the model before.
    pub fn choose(&mut self, model: ModelRef) {
        if model.brings_its_form(self.quant == self.model.stored().quant) {
            self.quant = model.stored().quant;
        }
        self.model = model;
    }

    /// Takes what a command says. What cannot be read or computed is returned, a sentence each; [`Machine::unused`] has the options that are
    /// left.
    pub fn take(&mut self, read: &Read) -> Vec<String> {
        let serve = &read.serve;
        let mut left = read.problems.clone();
        match presets::of_hub(&serve.model) {
            Some(preset) => self.model = ModelRef::Preset(preset),
            None if !serve.model.is_empty() => left.push(format!(
                "{} is none of the models in the list, so {} stays. Paste its config.json to use it.",
                shorten(&serve.model),
                self.name()
            )),
            None => {}
        }
        self.tp = serve.tp.unwrap_or(1).clamp(1, Self::MOST);
        let has_experts = self.model.shape().is_some_and(|shape| shape.moe_layers() > 0);
        // Groups of a model without experts share nothing: they are replicas.
        self.dp = if has_experts { serve.dp.unwrap_or(1).clamp(1, Self::MOST_GROUPS) } else { 1 };
        if !has_experts && serve.dp.is_some_and(|dp| dp > 1) {
            left.push(format!(
                "{} has no experts to share, so data-parallel groups are replicas of their own; one is taken.",
                self.name()
            ));
        }
        self.share = USED;
        match (read.server, serve.memory) {
            (Server::Vllm, Some(share)) => self.share = share,
            // Its share is of weights and cache alone.
            (Server::Sglang, Some(share)) => {
                self.share = (share + self.activations * GB / self.gpu.memory.0).min(1.0);
            }
            (Server::Trtllm, Some(_)) => left.push(
                "TensorRT-LLM’s share is of what loading the model leaves free. Set “GPU memory utilization” instead."
                    .to_owned(),
            ),
            (_, None) => {}
        }
        let lower = |text: &Option<String>| text.as_deref().unwrap_or_default().to_lowercase();
        let (weights, path, kv) = (lower(&serve.quantization), serve.model.to_lowercase(), lower(&serve.kv));
        let says = |word: &str| weights.contains(word) || path.contains(word);
        self.quant = if says("mxfp4") {
            Quant::Mxfp4
        } else if says("fp4") {
            Quant::Nvfp4
        } else if (says("int8") || says("8bit") || says("w8a")) && !says("fp8") {
            // GPTQ has 4 bits unless the name says 8.
            Quant::Int8
        } else if ["awq", "gptq", "int4", "4bit", "w4a"].into_iter().any(says) {
            Quant::Int4
        } else if says("fp8") {
            Quant::Fp8
        } else if weights.is_empty() && !says("bf16") {
            presets::of_hub(&serve.model).map_or(Quant::Bf16, |preset| preset.stored.quant)
        } else {
            Quant::Bf16
        };
        self.kv_bits = if kv.contains("fp4") || kv.contains("int4") || kv.contains("4bit") {
            4
        } else if kv.contains('8') {
            8
        } else {
            16
        };
        if serve.pp.is_some_and(|stages| stages > 1) {
            left.push("Pipeline stages are not computed here; one stage is taken.".to_owned());
        }
        left
    }

    /// The options of a command that count for nothing here, in a sentence: those that `own`, which a figure would start its engine with after
    /// taking the command, doesn't have.
    pub fn unused(&self, read: &Read, own: &Serve) -> Option<String> {
        let said = &read.serve;
        // Forms have other words in commands than here.
        let is_form = said.quantization.is_some() && self.quant != Quant::Bf16;
        let is_cache = self.kv_bits < 16 || said.kv.as_deref().is_some_and(|kv| WHOLE.contains(&kv));
        let has_groups = self.model.shape().is_some_and(|shape| shape.moe_layers() > 0);
        let taken = Serve {
            // Said in sentences of their own.
            pp: said.pp,
            dp: if has_groups { own.dp } else { said.dp },
            quantization: said.quantization.clone().filter(|_| is_form),
            kv: said.kv.clone().filter(|_| is_cache),
            memory: said.memory.filter(|_| read.server != Server::Trtllm),
            ..own.clone()
        };
        let left: Vec<&str> = read.unused(&taken).collect();
        (!left.is_empty()).then(|| format!("Not used: {}.", left.join(", ")))
    }

    /// What is deployed.
    pub fn deployment(&self) -> Deployment {
        let shape = self.model.shape().copied().unwrap_or_default();
        let Self { gpu, tp, dp, kv_bits, reach, share, activations, .. } = *self;
        let stored = self.model.stored_in(self.quant);
        Deployment { shape, gpu, tp, dp, stored, kv_bits, reach, share, activations: activations * GB }
    }

    /// The model’s name.
    pub fn name(&self) -> String {
        self.model.name()
    }

    /// What it is, in a few words.
    pub fn words(&self) -> String {
        let gpus = if self.gpus() == 1 { String::new() } else { format!("{} × ", self.gpus()) };
        format!("{} on {gpus}{}", self.name(), self.gpu.name)
    }
}

/// GPUs of a replica, as a parameter.
pub const fn tp<P: Serves>() -> Param<P> {
    whole("tp", "GPUs per replica, which share every layer", [1, Machine::MOST], "1")
        .takes(Takes::Replica)
        .label("GPUs per replica")
        .doubling(4)
        .more("Machine")
        .at(|p: &mut P| p.machine().tp.slot())
}

#[cfg(test)]
mod tests {
    use super::super::command::read;
    use super::*;

    fn preset(id: &str) -> ModelRef {
        ModelRef::Preset(presets::find(id).expect(id))
    }

    #[test]
    fn a_model_brings_the_form_of_its_checkpoint_unless_another_was_set() {
        let mut machine = Machine { model: preset("llama-3-8b"), ..Machine::default() };
        for (id, quant) in [
            ("deepseek-v3", Quant::Fp8),
            ("kimi-k2.5", Quant::Int4),
            ("gpt-oss-20b", Quant::Mxfp4),
            ("llama-3-70b", Quant::Bf16),
        ] {
            machine.choose(preset(id));
            assert_eq!((machine.model, machine.quant), (preset(id), quant));
        }
        machine.quant = Quant::Int4;
        machine.choose(preset("deepseek-v3"));
        assert_eq!(machine.quant, Quant::Int4);
        let mut whole = Machine { model: preset("deepseek-v3"), quant: Quant::Bf16, ..Machine::default() };
        whole.choose(preset("deepseek-v3.2"));
        assert_eq!(whole.quant, Quant::Bf16);
    }

    /// Every form of a cache that `--kv-cache-dtype` of SGLang 0.5.23 has, and the words of the other engines.
    #[test]
    fn the_form_of_a_cache_is_read_from_every_engine() {
        let bits = |command: &str| {
            let mut machine = Machine::default();
            let read = read(command).expect(command);
            assert_eq!(machine.take(&read), Vec::<String>::new(), "{command}");
            assert_eq!(machine.unused(&read, &Serve::default()), None, "{command}");
            machine.kv_bits
        };
        let of =
            |engine: &str, form: &str| bits(&format!("{engine} meta-llama/Meta-Llama-3-8B --kv-cache-dtype {form}"));
        let sglang = "python -m sglang.launch_server --model-path";
        for (form, want) in [
            ("auto", 16),
            ("bf16", 16),
            ("bfloat16", 16),
            ("fp8_e5m2", 8),
            ("fp8_e4m3", 8),
            ("mxfp8", 8),
            ("nvfp4", 4),
            ("fp4_mx_block16", 4),
        ] {
            assert_eq!(of(sglang, form), want, "{form}");
        }
        assert_eq!(["fp8", "fp8_e5m2", "fp8_e4m3", "auto"].map(|form| of("vllm serve", form)), [8, 8, 8, 16]);
        assert_eq!(["fp8", "nvfp4", "auto"].map(|form| of("trtllm-serve", form)), [8, 4, 16]);
    }

    #[test]
    fn tensorrt_llm_needs_a_checkpoint_in_fp8_and_the_others_make_one() {
        assert_eq!(Server::ALL.map(|server| Quant::Fp8.needs(server).is_some()), [false, false, true]);
        assert_eq!(Server::ALL.map(|server| Quant::Nvfp4.needs(server).is_some()), [true; 3]);
        assert_eq!(Server::ALL.map(|server| Quant::Bf16.needs(server).is_some()), [false; 3]);
    }
}
