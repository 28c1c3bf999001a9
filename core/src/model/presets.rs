//! Well-known models by name: their shapes as constants, so that no JSON travels with the page.
//!
//! Each shape is that of the model's published `config.json`; the tests compare it with the config's import and its
//! count with Hugging Face transformers'.

use crate::declare::{List, Takes, chosen_by_id, is_same};
use crate::serving::step::{Quant, Stored};

use super::layers::{Compressed, Heads, Indexer, Kinds, Mixer, NONE, OutputGate, StateLayers};
use super::shape::{Attention, Gated, Moe, Norms, QkNorm, Shape, Sliding};

/// A model that can be chosen by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// The name in a query string: `llama-3-8b`.
    pub id: &'static str,
    /// What a person reads: "Llama 3 8B".
    pub name: &'static str,
    /// Its repository on the Hugging Face hub; empty if its weights were never published.
    pub hub: &'static str,
    /// Its architecture.
    pub shape: Shape,
    /// How its published checkpoint stores the weights.
    pub stored: Stored,
}

chosen_by_id!(Preset, &ALL[0], find, |_: &[&str]| Some(Takes::Model););

/// The preset with this id.
pub fn find(id: &str) -> Option<&'static Preset> {
    ALL.iter().find(|p| p.id == id)
}

/// Words of a repository's name that say nothing of the sizes: who it is for, and how its weights are stored.
const OF_A_VARIANT: [&str; 30] = [
    "instruct",
    "chat",
    "base",
    "it",
    "hf",
    "meta",
    "thinking",
    "unsloth",
    "fp8",
    "dynamic",
    "awq",
    "gptq",
    "int4",
    "int8",
    "w4a16",
    "w8a8",
    "w8a16",
    "nvfp4",
    "mxfp4",
    "fp4",
    "bf16",
    "fp16",
    "4bit",
    "8bit",
    "bnb",
    "quantized",
    "marlin",
    "g128",
    "128g",
    "qat",
];

/// Models with the sizes of a preset, and that preset: what is trained further keeps its shape.
pub const ALIKE: [(&str, &str); 12] = [
    ("Llama-3.1-8B", "llama-3-8b"),
    ("Llama-3.1-70B", "llama-3-70b"),
    ("DeepSeek-V3.1", "deepseek-v3"),
    ("DeepSeek-R1", "deepseek-v3"),
    ("DeepSeek-R1-671B", "deepseek-v3"),
    ("DeepSeek-V3.1-671B", "deepseek-v3"),
    ("DeepSeek-R1-Distill-Qwen-7B", "qwen2.5-7b"),
    ("DeepSeek-R1-Distill-Qwen-14B", "qwen2.5-14b"),
    ("DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b"),
    ("DeepSeek-R1-Distill-Llama-8B", "llama-3-8b"),
    ("DeepSeek-R1-Distill-Llama-70B", "llama-3-70b"),
    ("QwQ-32B", "qwen2.5-32b"),
];

/// The preset that is this repository on the Hub, or this path's last part, or has the sizes of it.
pub fn of_hub(name: &str) -> Option<&'static Preset> {
    let bare = |name: &str| {
        let name = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name).to_lowercase();
        let is_kept = |word: &&str| {
            let is_date = word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
            !is_date && !word.starts_with("quantized.") && !OF_A_VARIANT.contains(word)
        };
        let words: Vec<&str> = name.split(['-', '_']).filter(is_kept).collect();
        words.join("-")
    };
    let alike = |name: String| {
        let same = ALIKE.iter().find(|(other, _)| other.eq_ignore_ascii_case(&name));
        same.map_or(name, |(_, id)| (*id).to_owned())
    };
    let wanted = alike(bare(name));
    if wanted.is_empty() {
        return None;
    }
    ALL.iter().find(|p| !p.hub.is_empty() && alike(bare(p.hub)) == wanted || p.id == wanted)
}

/// What a person calls each of these models; its id for one that does not exist.
pub const fn names<const N: usize>(ids: &[&'static str; N]) -> [&'static str; N] {
    let mut names = *ids;
    let (mut n, mut i) = (0, 0);
    while n < N {
        if i == ALL.len() {
            (n, i) = (n + 1, 0);
        } else if is_same(ids[n], ALL[i].id) {
            names[n] = ALL[i].name;
            (n, i) = (n + 1, 0);
        } else {
            i += 1;
        }
    }
    names
}

/// The ids of [`ALL`] and then `custom`: the choices of a `model` parameter.
pub const CHOICES: [&str; ALL.len() + 1] = {
    let mut ids = ["custom"; ALL.len() + 1];
    let mut i = 0;
    while i < ALL.len() {
        ids[i] = ALL[i].id;
        i += 1;
    }
    ids
};

/// What a person calls `custom` among [`CHOICES`].
pub const CUSTOM: &str = "Your config.json";

/// What a person calls each of [`CHOICES`].
pub const LABELS: [&str; CHOICES.len()] = {
    let mut labels = names(&CHOICES);
    labels[ALL.len()] = CUSTOM;
    labels
};

/// The models by name alone.
pub const LIST: List = List { ids: CHOICES.split_at(ALL.len()).0, labels: LABELS.split_at(ALL.len()).0 };

/// (layers, width, heads, kv heads, head_dim, MLP width, vocabulary).
type Sizes = (u64, u64, u64, u64, u64, u64, u64);

/// The Llama layout, untied.
const fn llama((layers, hidden, heads, kv_heads, head_dim, mlp, vocab): Sizes) -> Shape {
    Shape {
        hidden_size: hidden,
        num_hidden_layers: layers,
        vocab_size: vocab,
        num_attention_heads: heads,
        attention: Attention::Heads { kv_heads, head_dim },
        qkv_bias: false,
        o_bias: false,
        qk_norm: QkNorm::None,
        attention_sinks: false,
        intermediate_size: mlp,
        gated_mlp: Gated::Yes,
        mlp_bias: false,
        moe: None,
        norms: Norms { per_layer: 2, bias: false, last: true, embedding: false, mlp: false },
        position_rows: 0,
        word_embed_proj_dim: None,
        tie_word_embeddings: false,
        lm_head_bias: false,
        sliding: None,
        kinds: NONE,
    }
}

/// The GPT-2 layout: layer norms, biases, no gate, tied, learned positions.
const fn gpt2(sizes: Sizes, position_rows: u64) -> Shape {
    Shape {
        qkv_bias: true,
        o_bias: true,
        gated_mlp: Gated::No,
        mlp_bias: true,
        norms: Norms { per_layer: 2, bias: true, last: true, embedding: false, mlp: false },
        position_rows,
        tie_word_embeddings: true,
        ..llama(sizes)
    }
}

const fn qwen2(sizes: Sizes) -> Shape {
    Shape { qkv_bias: true, ..llama(sizes) }
}

const fn qwen3(sizes: Sizes) -> Shape {
    Shape { qk_norm: QkNorm::Head, ..llama(sizes) }
}

const fn gemma2(sizes: Sizes) -> Shape {
    Shape {
        norms: Norms { per_layer: 4, bias: false, last: true, embedding: false, mlp: false },
        tie_word_embeddings: true,
        sliding: Some(Sliding { window: 4096, layers: sizes.0.div_ceil(2) }),
        ..llama(sizes)
    }
}

/// Experts in every layer: (experts, used by a token, width of one).
const fn experts(layers: u64, (num_experts, num_experts_per_tok, intermediate_size): (u64, u64, u64)) -> Moe {
    Moe {
        layers,
        num_experts,
        num_experts_per_tok,
        intermediate_size,
        shared_intermediate_size: 0,
        shared_gate: false,
        expert_bias: false,
        router_bias: false,
    }
}

/// The latent attention of DeepSeek-V2 and V3 and of those that took it over.
const fn latent() -> Attention {
    Attention::Latent {
        q_lora_rank: Some(1536),
        kv_lora_rank: 512,
        qk_nope_head_dim: 128,
        qk_rope_head_dim: 64,
        v_head_dim: 128,
    }
}

const fn gpt_oss(layers: u64, num_experts: u64) -> Shape {
    Shape {
        qkv_bias: true,
        o_bias: true,
        attention_sinks: true,
        moe: Some(Moe { expert_bias: true, router_bias: true, ..experts(layers, (num_experts, 4, 2880)) }),
        sliding: Some(Sliding { window: 128, layers: layers / 2 }),
        ..llama((layers, 2880, 64, 8, 64, 0, 201_088))
    }
}

/// Qwen3-Next and Qwen3.5: one layer in four has attention, with a gate; the others have delta nets.
const fn qwen3_hybrid(sizes: Sizes, value_heads: u64) -> Shape {
    let mixer = Mixer::Delta { key_heads: 16, value_heads, key_dim: 128, value_dim: 128, kernel: 4 };
    let state = StateLayers { layers: sizes.0 / 4 * 3, mixer, beside_attention: false };
    Shape { kinds: Kinds { state: Some(state), gate: OutputGate::Wide, ..NONE }, ..qwen3(sizes) }
}

/// The same with experts, one of them shared, in every layer.
const fn qwen3_hybrid_moe(sizes: Sizes, value_heads: u64, (num_experts, used, width): (u64, u64, u64)) -> Shape {
    let moe = experts(sizes.0, (num_experts, used, width));
    Shape {
        moe: Some(Moe { shared_intermediate_size: width, shared_gate: true, ..moe }),
        ..qwen3_hybrid(sizes, value_heads)
    }
}

const fn preset(id: &'static str, name: &'static str, hub: &'static str, shape: Shape) -> Preset {
    Preset { id, name, hub, shape, stored: Stored::of(Quant::Bf16) }
}

impl Preset {
    const fn stored_as(self, quant: Quant) -> Self {
        Self { stored: Stored::of(quant), ..self }
    }

    /// With so many bits beside routed experts and in them.
    const fn stored_with(self, quant: Quant, bits: [f64; 2]) -> Self {
        Self { stored: Stored::with(quant, bits), ..self }
    }
}

/// Bits of fp8 with an fp32 scale for each 128 × 128.
const FP8: [f64; 2] = [8.0 + 32.0 / 16_384.0; 2];

/// All presets, by family and then by size.
pub const ALL: &[Preset] = &[
    preset("gpt2", "GPT-2 (124M)", "openai-community/gpt2", gpt2((12, 768, 12, 12, 64, 3072, 50257), 1024)),
    preset(
        "gpt2-medium",
        "GPT-2 medium (355M)",
        "openai-community/gpt2-medium",
        gpt2((24, 1024, 16, 16, 64, 4096, 50257), 1024),
    ),
    preset("gpt2-xl", "GPT-2 XL (1.5B)", "openai-community/gpt2-xl", gpt2((48, 1600, 25, 25, 64, 6400, 50257), 1024)),
    // Brown et al. 2020, arXiv:2005.14165, Table 2.1; there is no repository. Vocabulary and positions as GPT-2's, n_ctx 2048.
    preset("gpt3-175b", "GPT-3 (175B)", "", gpt2((96, 12288, 96, 96, 128, 49152, 50257), 2048)),
    preset("opt-6.7b", "OPT 6.7B", "facebook/opt-6.7b", gpt2((32, 4096, 32, 32, 128, 16384, 50272), 2050)),
    preset("opt-13b", "OPT 13B", "facebook/opt-13b", gpt2((40, 5120, 40, 40, 128, 20480, 50272), 2050)),
    preset(
        "bloom-7b1",
        "BLOOM 7.1B",
        "bigscience/bloom-7b1",
        Shape {
            norms: Norms { per_layer: 2, bias: true, last: true, embedding: true, mlp: false },
            ..gpt2((30, 4096, 32, 32, 128, 16384, 250_880), 0)
        },
    ),
    preset(
        "gpt-neox-20b",
        "GPT-NeoX 20B",
        "EleutherAI/gpt-neox-20b",
        Shape { tie_word_embeddings: false, ..gpt2((44, 6144, 64, 64, 96, 24576, 50432), 0) },
    ),
    preset(
        "falcon-7b",
        "Falcon 7B",
        "tiiuae/falcon-7b",
        Shape {
            qkv_bias: false,
            o_bias: false,
            mlp_bias: false,
            norms: Norms { per_layer: 1, bias: true, last: true, embedding: false, mlp: false },
            ..gpt2((32, 4544, 71, 1, 64, 18176, 65024), 0)
        },
    ),
    preset("llama-2-7b", "Llama 2 7B", "meta-llama/Llama-2-7b-hf", llama((32, 4096, 32, 32, 128, 11008, 32000))),
    preset("llama-2-13b", "Llama 2 13B", "meta-llama/Llama-2-13b-hf", llama((40, 5120, 40, 40, 128, 13824, 32000))),
    preset("llama-2-70b", "Llama 2 70B", "meta-llama/Llama-2-70b-hf", llama((80, 8192, 64, 8, 128, 28672, 32000))),
    preset(
        "llama-3.2-1b",
        "Llama 3.2 1B",
        "meta-llama/Llama-3.2-1B",
        Shape { tie_word_embeddings: true, ..llama((16, 2048, 32, 8, 64, 8192, 128_256)) },
    ),
    preset("llama-3-8b", "Llama 3 8B", "meta-llama/Meta-Llama-3-8B", llama((32, 4096, 32, 8, 128, 14336, 128_256))),
    // In front of Llama 3: a bare "Llama 70B" is the last of that size.
    preset(
        "llama-3.3-70b",
        "Llama 3.3 70B",
        "meta-llama/Llama-3.3-70B-Instruct",
        llama((80, 8192, 64, 8, 128, 28672, 128_256)),
    ),
    preset("llama-3-70b", "Llama 3 70B", "meta-llama/Meta-Llama-3-70B", llama((80, 8192, 64, 8, 128, 28672, 128_256))),
    preset(
        "llama-3.1-405b",
        "Llama 3.1 405B",
        "meta-llama/Llama-3.1-405B",
        llama((126, 16384, 128, 8, 128, 53248, 128_256)),
    ),
    preset(
        "deepseek-coder-6.7b",
        "DeepSeek Coder 6.7B",
        "deepseek-ai/deepseek-coder-6.7b-base",
        llama((32, 4096, 32, 32, 128, 11008, 32256)),
    ),
    preset(
        "mistral-7b-v0.1",
        "Mistral 7B v0.1",
        "mistralai/Mistral-7B-v0.1",
        Shape { sliding: Some(Sliding { window: 4096, layers: 32 }), ..llama((32, 4096, 32, 8, 128, 14336, 32000)) },
    ),
    preset(
        "mixtral-8x7b",
        "Mixtral 8×7B",
        "mistralai/Mixtral-8x7B-v0.1",
        Shape { moe: Some(experts(32, (8, 2, 14336))), ..llama((32, 4096, 32, 8, 128, 0, 32000)) },
    ),
    preset("qwen2.5-7b", "Qwen2.5 7B", "Qwen/Qwen2.5-7B", qwen2((28, 3584, 28, 4, 128, 18944, 152_064))),
    preset("qwen2.5-14b", "Qwen2.5 14B", "Qwen/Qwen2.5-14B", qwen2((48, 5120, 40, 8, 128, 13824, 152_064))),
    preset("qwen2.5-32b", "Qwen2.5 32B", "Qwen/Qwen2.5-32B", qwen2((64, 5120, 40, 8, 128, 27648, 152_064))),
    preset("qwen2.5-72b", "Qwen2.5 72B", "Qwen/Qwen2.5-72B", qwen2((80, 8192, 64, 8, 128, 29568, 152_064))),
    preset(
        "qwen1.5-moe-a2.7b",
        "Qwen1.5-MoE A2.7B",
        "Qwen/Qwen1.5-MoE-A2.7B",
        Shape {
            moe: Some(Moe { shared_intermediate_size: 5632, shared_gate: true, ..experts(24, (60, 4, 1408)) }),
            ..qwen2((24, 2048, 16, 16, 128, 0, 151_936))
        },
    ),
    preset("qwen3-8b", "Qwen3 8B", "Qwen/Qwen3-8B", qwen3((36, 4096, 32, 8, 128, 12288, 151_936))),
    preset(
        "qwen3-30b-a3b",
        "Qwen3 30B-A3B",
        "Qwen/Qwen3-30B-A3B",
        Shape { moe: Some(experts(48, (128, 8, 768))), ..qwen3((48, 2048, 32, 4, 128, 0, 151_936)) },
    ),
    preset("gemma-2-2b", "Gemma 2 2B", "google/gemma-2-2b", gemma2((26, 2304, 8, 4, 256, 9216, 256_000))),
    preset("gemma-2-27b", "Gemma 2 27B", "google/gemma-2-27b", gemma2((46, 4608, 32, 16, 128, 36864, 256_000))),
    preset(
        "phi-2",
        "Phi-2 (2.8B)",
        "microsoft/phi-2",
        Shape {
            norms: Norms { per_layer: 1, bias: true, last: true, embedding: false, mlp: false },
            tie_word_embeddings: false,
            lm_head_bias: true,
            ..gpt2((32, 2560, 32, 32, 80, 10240, 51200), 0)
        },
    ),
    preset(
        "phi-3-mini-4k",
        "Phi-3 mini 4k (3.8B)",
        "microsoft/Phi-3-mini-4k-instruct",
        Shape { sliding: Some(Sliding { window: 2047, layers: 32 }), ..llama((32, 3072, 32, 32, 96, 8192, 32064)) },
    ),
    preset("olmo-2-7b", "OLMo 2 7B", "allenai/OLMo-2-1124-7B", {
        Shape { qk_norm: QkNorm::Full, ..llama((32, 4096, 32, 32, 128, 11008, 100_352)) }
    }),
    preset("starcoder", "StarCoder (15.5B)", "bigcode/starcoder", gpt2((40, 6144, 48, 1, 128, 24576, 49152), 8192)),
    preset(
        "starcoder2-3b",
        "StarCoder2 3B",
        "bigcode/starcoder2-3b",
        Shape { sliding: Some(Sliding { window: 4096, layers: 30 }), ..gpt2((30, 3072, 24, 2, 128, 12288, 49152), 0) },
    ),
    preset("gpt-oss-20b", "gpt-oss 20B", "openai/gpt-oss-20b", gpt_oss(24, 32)).stored_as(Quant::Mxfp4),
    preset("gpt-oss-120b", "gpt-oss 120B", "openai/gpt-oss-120b", gpt_oss(36, 128)).stored_as(Quant::Mxfp4),
    preset("deepseek-v2", "DeepSeek-V2 (236B)", "deepseek-ai/DeepSeek-V2", {
        Shape {
            attention: latent(),
            moe: Some(Moe { shared_intermediate_size: 3072, ..experts(59, (160, 6, 1536)) }),
            ..llama((60, 5120, 128, 128, 0, 12288, 102_400))
        }
    }),
    preset(
        "deepseek-v3",
        "DeepSeek-V3 (671B)",
        "deepseek-ai/DeepSeek-V3",
        Shape {
            attention: latent(),
            moe: Some(Moe { shared_intermediate_size: 2048, router_bias: true, ..experts(58, (256, 8, 2048)) }),
            ..llama((61, 7168, 128, 128, 0, 18432, 129_280))
        },
    )
    .stored_with(Quant::Fp8, FP8),
    preset("deepseek-v3.2", "DeepSeek-V3.2 (671B)", "deepseek-ai/DeepSeek-V3.2", {
        let indexer = Indexer { layers: 61, choosing: 61, heads: 64, dim: 128, top: 2048, normed: false };
        Shape {
            attention: latent(),
            moe: Some(Moe { shared_intermediate_size: 2048, router_bias: true, ..experts(58, (256, 8, 2048)) }),
            kinds: Kinds { indexer: Some(indexer), ..NONE },
            ..llama((61, 7168, 128, 128, 0, 18432, 129_280))
        }
    })
    .stored_with(Quant::Fp8, FP8),
    preset("kimi-k2.5", "Kimi-K2.5, text (1T)", "moonshotai/Kimi-K2.5", {
        Shape {
            attention: latent(),
            moe: Some(Moe { shared_intermediate_size: 2048, router_bias: true, ..experts(60, (384, 8, 2048)) }),
            ..llama((61, 7168, 64, 64, 0, 18432, 163_840))
        }
    })
    .stored_with(Quant::Int4, [16.0, 4.5]),
    preset("minimax-m2.5", "MiniMax-M2.5 (229B)", "MiniMaxAI/MiniMax-M2.5", {
        Shape {
            qk_norm: QkNorm::Full,
            moe: Some(Moe { router_bias: true, ..experts(62, (256, 8, 1536)) }),
            ..llama((62, 3072, 48, 8, 128, 0, 200_064))
        }
    })
    .stored_with(Quant::Fp8, FP8),
    preset("qwen3-32b", "Qwen3 32B", "Qwen/Qwen3-32B", qwen3((64, 5120, 64, 8, 128, 25600, 151_936))),
    preset("minimax-text-01", "MiniMax-Text-01 (456B)", "MiniMaxAI/MiniMax-Text-01-hf", {
        // Seven layers of lightning attention to one of softmax.
        let state =
            StateLayers { layers: 70, mixer: Mixer::Lightning { heads: 64, head_dim: 128 }, beside_attention: false };
        Shape {
            moe: Some(experts(80, (32, 2, 9216))),
            kinds: Kinds { state: Some(state), ..NONE },
            ..llama((80, 6144, 64, 8, 128, 0, 200_064))
        }
    }),
    preset("qwen3-next-80b-a3b", "Qwen3-Next 80B-A3B", "Qwen/Qwen3-Next-80B-A3B-Instruct", {
        qwen3_hybrid_moe((48, 2048, 16, 2, 256, 0, 151_936), 32, (512, 10, 512))
    }),
    preset("qwen3.5-35b-a3b", "Qwen3.5 35B-A3B, text", "Qwen/Qwen3.5-35B-A3B", {
        qwen3_hybrid_moe((40, 2048, 16, 2, 256, 0, 248_320), 32, (256, 8, 512))
    }),
    preset("qwen3.5-27b", "Qwen3.5 27B, text", "Qwen/Qwen3.5-27B", {
        qwen3_hybrid((64, 5120, 24, 4, 256, 17408, 248_320), 48)
    }),
    preset("qwen3.5-397b-a17b", "Qwen3.5 397B-A17B, text", "Qwen/Qwen3.5-397B-A17B", {
        qwen3_hybrid_moe((60, 4096, 32, 2, 256, 0, 248_320), 64, (512, 10, 1024))
    }),
    preset("gemma-3-27b", "Gemma 3 27B, text", "google/gemma-3-27b-it", {
        Shape {
            qk_norm: QkNorm::Head,
            norms: Norms { per_layer: 4, bias: false, last: true, embedding: false, mlp: false },
            tie_word_embeddings: true,
            sliding: Some(Sliding { window: 1024, layers: 52 }),
            ..llama((62, 5376, 32, 16, 128, 21504, 262_208))
        }
    }),
    preset("gemma-4-26b-a4b", "Gemma 4 26B-A4B, text", "google/gemma-4-26B-A4B", {
        Shape {
            kinds: Kinds {
                windowed: Some(Heads { heads: 16, kv_heads: 8, head_dim: 256 }),
                one_projection: true,
                dense_beside_experts: true,
                router_scales: true,
                ..NONE
            },
            qk_norm: QkNorm::Head,
            moe: Some(experts(30, (128, 8, 704))),
            norms: Norms { per_layer: 7, bias: false, last: true, embedding: false, mlp: false },
            tie_word_embeddings: true,
            sliding: Some(Sliding { window: 1024, layers: 25 }),
            ..llama((30, 2816, 16, 2, 512, 2112, 262_144))
        }
    }),
    preset("nemotron-3-nano", "Nemotron 3 Nano 30B-A3B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", {
        let mixer = Mixer::Mamba {
            heads: 64,
            head_dim: 64,
            groups: 8,
            state: 128,
            kernel: 4,
            conv_bias: true,
            bias: false,
            norm: true,
        };
        Shape {
            gated_mlp: Gated::No,
            moe: Some(Moe { shared_intermediate_size: 3712, router_bias: true, ..experts(23, (128, 6, 1856)) }),
            norms: Norms { per_layer: 1, bias: false, last: true, embedding: false, mlp: false },
            kinds: Kinds {
                state: Some(StateLayers { layers: 23, mixer, beside_attention: false }),
                without_mixer: 23,
                without_mlp: 29,
                ..NONE
            },
            ..llama((52, 2688, 32, 2, 128, 0, 131_072))
        }
    }),
    preset("glm-5", "GLM-5 (744B)", "zai-org/GLM-5", {
        let indexer = Indexer { layers: 78, choosing: 78, heads: 32, dim: 128, top: 2048, normed: false };
        Shape {
            attention: Attention::Latent {
                q_lora_rank: Some(2048),
                kv_lora_rank: 512,
                qk_nope_head_dim: 192,
                qk_rope_head_dim: 64,
                v_head_dim: 256,
            },
            moe: Some(Moe { shared_intermediate_size: 2048, router_bias: true, ..experts(75, (256, 8, 2048)) }),
            kinds: Kinds { indexer: Some(indexer), ..NONE },
            ..llama((78, 6144, 64, 64, 0, 12288, 154_880))
        }
    }),
    preset("deepseek-v4-flash", "DeepSeek-V4 Flash (284B)", "deepseek-ai/DeepSeek-V4-Flash", {
        let compressed = Compressed { q_rank: 1024, o_rank: 1024, o_groups: 8, near: [4, 21], far: [128, 20] };
        let indexer = Indexer { layers: 21, choosing: 0, heads: 64, dim: 128, top: 512, normed: false };
        Shape {
            attention_sinks: true,
            moe: Some(Moe { shared_intermediate_size: 2048, router_bias: true, ..experts(43, (256, 6, 2048)) }),
            sliding: Some(Sliding { window: 128, layers: 43 }),
            kinds: Kinds { indexer: Some(indexer), compressed: Some(compressed), streams: 4, hashed: 3, ..NONE },
            ..llama((43, 4096, 64, 1, 512, 0, 129_280))
        }
    })
    // fp8 with an 8-bit scale for each 128 × 128, and MXFP4.
    .stored_with(Quant::Mxfp4, [8.0 + 8.0 / 16_384.0, 4.25]),
];
