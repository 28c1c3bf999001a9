//! The families whose rules are known.

use serde_json::Value;

use super::fields::Fields;

/// A family of models: a `model_type` whose rules are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// GPT-2.
    Gpt2,
    /// GPT-Neo.
    GptNeo,
    /// GPT-J.
    Gptj,
    /// CodeGen.
    Codegen,
    /// GPT-NeoX, Pythia.
    GptNeox,
    /// StarCoder (1).
    GptBigcode,
    /// MPT.
    Mpt,
    /// XGLM.
    Xglm,
    /// Llama 1 to 3, and the many models in its format.
    Llama,
    /// Llama 4, its language model.
    Llama4,
    /// Mistral 7B.
    Mistral,
    /// Mixtral.
    Mixtral,
    /// Qwen2, Qwen2.5.
    Qwen2,
    /// Qwen1.5-MoE, Qwen2-MoE.
    Qwen2Moe,
    /// Qwen3, dense.
    Qwen3,
    /// Qwen3, mixture of experts.
    Qwen3Moe,
    /// Gemma 1.
    Gemma,
    /// Gemma 2.
    Gemma2,
    /// Gemma 3, its language model.
    Gemma3,
    /// Phi-1, Phi-2.
    Phi,
    /// Phi-3, Phi-4.
    Phi3,
    /// Phi-3.5-MoE.
    PhiMoe,
    /// Falcon.
    Falcon,
    /// BLOOM.
    Bloom,
    /// OPT.
    Opt,
    /// StarCoder2.
    Starcoder2,
    /// OLMo.
    Olmo,
    /// OLMo 2.
    Olmo2,
    /// OLMo 3.
    Olmo3,
    /// OLMoE.
    Olmoe,
    /// DeepSeek-V2.
    DeepseekV2,
    /// DeepSeek-V3, R1.
    DeepseekV3,
    /// gpt-oss.
    GptOss,
    /// Command R.
    Cohere,
    /// Command R7B, Command A.
    Cohere2,
    /// Granite 3, dense.
    Granite,
    /// Granite 3, mixture of experts.
    GraniteMoe,
    /// GLM-4, June 2024.
    Glm,
    /// GLM-4, April 2025.
    Glm4,
    /// GLM-4.5.
    Glm4Moe,
    /// StableLM 2, 3B-4E1T.
    StableLm,
    /// DBRX.
    Dbrx,
    /// ERNIE 4.5, mixture of experts.
    Ernie,
    /// ERNIE 4.5, dense.
    ErnieDense,
    /// AFM.
    Arcee,
    /// BitNet b1.58.
    Bitnet,
    /// SmolLM3.
    SmolLm3,
    /// Nemotron 3 8B, Nemotron-4, Minitron.
    Nemotron,
    /// Qwen3-Next.
    Qwen3Next,
    /// Qwen3.5, dense, its language model.
    Qwen35,
    /// Qwen3.5, mixture of experts, its language model.
    Qwen35Moe,
    /// DeepSeek-V3.2.
    DeepseekV32,
    /// DeepSeek-V4.
    DeepseekV4,
    /// GLM-5.
    GlmMoeDsa,
    /// GLM-4.7 Flash.
    Glm4MoeLite,
    /// MiniMax-Text-01.
    MinimaxText,
    /// MiniMax-M2.
    MinimaxM2,
    /// MiniMax-M3, its language model.
    MinimaxM3,
    /// Gemma 4, its language model.
    Gemma4,
    /// Nemotron-H, Nemotron 3.
    NemotronH,
    /// Granite 4.
    GraniteHybrid,
    /// Falcon-H1.
    FalconH1,
    /// LFM2.
    Lfm2,
    /// LFM2, mixture of experts.
    Lfm2Moe,
    /// Kimi-Linear.
    KimiLinear,
    /// Trinity.
    Afmoe,
    /// EXAONE 4.
    Exaone4,
    /// K-EXAONE.
    ExaoneMoe,
    /// Seed-OSS.
    SeedOss,
    /// Hunyuan, dense.
    HunyuanDense,
    /// MiMo-V2-Flash.
    MimoV2,
}

impl Family {
    /// Every family.
    pub const ALL: [Family; 71] = [
        Family::Gpt2,
        Family::GptNeo,
        Family::Gptj,
        Family::Codegen,
        Family::GptNeox,
        Family::GptBigcode,
        Family::Mpt,
        Family::Xglm,
        Family::Llama,
        Family::Llama4,
        Family::Mistral,
        Family::Mixtral,
        Family::Qwen2,
        Family::Qwen2Moe,
        Family::Qwen3,
        Family::Qwen3Moe,
        Family::Gemma,
        Family::Gemma2,
        Family::Gemma3,
        Family::Phi,
        Family::Phi3,
        Family::PhiMoe,
        Family::Falcon,
        Family::Bloom,
        Family::Opt,
        Family::Starcoder2,
        Family::Olmo,
        Family::Olmo2,
        Family::Olmo3,
        Family::Olmoe,
        Family::DeepseekV2,
        Family::DeepseekV3,
        Family::GptOss,
        Family::Cohere,
        Family::Cohere2,
        Family::Granite,
        Family::GraniteMoe,
        Family::Glm,
        Family::Glm4,
        Family::Glm4Moe,
        Family::StableLm,
        Family::Dbrx,
        Family::Ernie,
        Family::ErnieDense,
        Family::Arcee,
        Family::Bitnet,
        Family::SmolLm3,
        Family::Nemotron,
        Family::Qwen3Next,
        Family::Qwen35,
        Family::Qwen35Moe,
        Family::DeepseekV32,
        Family::DeepseekV4,
        Family::GlmMoeDsa,
        Family::Glm4MoeLite,
        Family::MinimaxText,
        Family::MinimaxM2,
        Family::MinimaxM3,
        Family::Gemma4,
        Family::NemotronH,
        Family::GraniteHybrid,
        Family::FalconH1,
        Family::Lfm2,
        Family::Lfm2Moe,
        Family::KimiLinear,
        Family::Afmoe,
        Family::Exaone4,
        Family::ExaoneMoe,
        Family::SeedOss,
        Family::HunyuanDense,
        Family::MimoV2,
    ];

    /// Its `model_type`.
    pub const fn model_type(self) -> &'static str {
        match self {
            Family::Gpt2 => "gpt2",
            Family::GptNeo => "gpt_neo",
            Family::Gptj => "gptj",
            Family::Codegen => "codegen",
            Family::GptNeox => "gpt_neox",
            Family::GptBigcode => "gpt_bigcode",
            Family::Mpt => "mpt",
            Family::Xglm => "xglm",
            Family::Llama => "llama",
            Family::Llama4 => "llama4_text",
            Family::Mistral => "mistral",
            Family::Mixtral => "mixtral",
            Family::Qwen2 => "qwen2",
            Family::Qwen2Moe => "qwen2_moe",
            Family::Qwen3 => "qwen3",
            Family::Qwen3Moe => "qwen3_moe",
            Family::Gemma => "gemma",
            Family::Gemma2 => "gemma2",
            Family::Gemma3 => "gemma3_text",
            Family::Phi => "phi",
            Family::Phi3 => "phi3",
            Family::PhiMoe => "phimoe",
            Family::Falcon => "falcon",
            Family::Bloom => "bloom",
            Family::Opt => "opt",
            Family::Starcoder2 => "starcoder2",
            Family::Olmo => "olmo",
            Family::Olmo2 => "olmo2",
            Family::Olmo3 => "olmo3",
            Family::Olmoe => "olmoe",
            Family::DeepseekV2 => "deepseek_v2",
            Family::DeepseekV3 => "deepseek_v3",
            Family::GptOss => "gpt_oss",
            Family::Cohere => "cohere",
            Family::Cohere2 => "cohere2",
            Family::Granite => "granite",
            Family::GraniteMoe => "granitemoe",
            Family::Glm => "glm",
            Family::Glm4 => "glm4",
            Family::Glm4Moe => "glm4_moe",
            Family::StableLm => "stablelm",
            Family::Dbrx => "dbrx",
            Family::Ernie => "ernie4_5_moe",
            Family::ErnieDense => "ernie4_5",
            Family::Arcee => "arcee",
            Family::Bitnet => "bitnet",
            Family::SmolLm3 => "smollm3",
            Family::Nemotron => "nemotron",
            Family::Qwen3Next => "qwen3_next",
            Family::Qwen35 => "qwen3_5_text",
            Family::Qwen35Moe => "qwen3_5_moe_text",
            Family::DeepseekV32 => "deepseek_v32",
            Family::DeepseekV4 => "deepseek_v4",
            Family::GlmMoeDsa => "glm_moe_dsa",
            Family::Glm4MoeLite => "glm4_moe_lite",
            Family::MinimaxText => "minimax",
            Family::MinimaxM2 => "minimax_m2",
            Family::MinimaxM3 => "minimax_m3",
            Family::Gemma4 => "gemma4_text",
            Family::NemotronH => "nemotron_h",
            Family::GraniteHybrid => "granitemoehybrid",
            Family::FalconH1 => "falcon_h1",
            Family::Lfm2 => "lfm2",
            Family::Lfm2Moe => "lfm2_moe",
            Family::KimiLinear => "kimi_linear",
            Family::Afmoe => "afmoe",
            Family::Exaone4 => "exaone4",
            Family::ExaoneMoe => "exaone_moe",
            Family::SeedOss => "seed_oss",
            Family::HunyuanDense => "hunyuan_v1_dense",
            Family::MimoV2 => "mimo_v2_flash",
        }
    }

    /// The family of a `model_type`.
    pub fn find(model_type: &str) -> Option<Family> {
        let of = |name: &str| Self::ALL.into_iter().find(|f| f.model_type() == name);
        of(model_type).or_else(|| Some(Relative::find(model_type)?.rule))
    }

    /// The family whose class `architectures` names.
    pub(super) fn of_class(fields: &Fields<'_>) -> Option<Family> {
        let class = fields.value("architectures")?.get(0)?.as_str()?;
        Self::ALL.into_iter().find(|family| family.is_class(class))
    }

    /// Whether the library's class for it has this name, as `architectures` and `auto_map` write it: `modeling_mpt.MPTForCausalLM`.
    pub(super) fn is_class(self, class: &str) -> bool {
        let name = self.model_type();
        let other = CLASSES.iter().find(|(family, _)| *family == name).map(|(_, class)| *class);
        is_class(name, other, class)
    }

    /// The family whose fields these look like.
    pub(super) fn looks_like(fields: &Fields<'_>) -> Option<Family> {
        let has = |name: &str| fields.value(name).is_some();
        if let Some(family) = Self::of_class(fields) {
            return Some(family);
        }
        Some(match () {
            () if has("kv_lora_rank") => Family::DeepseekV3,
            // DeepSeek's names without latent attention, and by the router with or without its correction bias.
            () if has("n_routed_experts") => {
                let sigmoid = fields.value("scoring_func").and_then(Value::as_str) == Some("sigmoid");
                if sigmoid { Family::DeepseekV3 } else { Family::DeepseekV2 }
            }
            () if has("num_local_experts") => Family::Mixtral,
            () if has("num_experts") && has("shared_expert_intermediate_size") => Family::Qwen2Moe,
            () if has("num_experts") && has("moe_intermediate_size") => Family::Qwen3Moe,
            () if has("num_experts") => Family::Olmoe,
            () if has("n_embd") => Family::Gpt2,
            () if has("n_embed") => Family::Bloom,
            () if has("ffn_dim") => Family::Opt,
            () if has("hidden_size") && (has("intermediate_size") || has("num_hidden_layers")) => Family::Llama,
            () => return None,
        })
    }
}

/// Whether a class has the name of a `model_type`, or another that it is known by.
fn is_class(model_type: &str, other: Option<&str>, class: &str) -> bool {
    let plain = |name: &str| -> String {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let class = class.rsplit('.').next().unwrap_or(class);
    let ends = ["ForCausalLM", "LMHeadModel", "ForConditionalGeneration"];
    ends.iter().find_map(|end| class.strip_suffix(end)).is_some_and(|begin| {
        plain(begin) == plain(model_type.strip_suffix("_text").unwrap_or(model_type)) || other == Some(begin)
    })
}

/// A value that a class takes of its own.
#[derive(Clone, Copy)]
enum Says {
    Number(u64),
    Flag(bool),
    Null,
}

impl Says {
    fn value(self) -> Value {
        match self {
            Says::Number(number) => Value::from(number),
            Says::Flag(flag) => Value::from(flag),
            Says::Null => Value::Null,
        }
    }
}

/// A `model_type` that is counted by the rule of another once the file says what is different about its class.
pub(super) struct Relative {
    model_type: &'static str,
    rule: Family,
    /// What the name of its class begins with, where that isn't its `model_type`.
    class: &'static str,
    /// What its class takes where the file says nothing.
    absent: &'static [(&'static str, Says)],
    /// What its class does, whatever the file says.
    always: &'static [(&'static str, Says)],
    /// What alone is counted as its class has it.
    expects: &'static [(&'static str, Says)],
    /// Fields of it that are no sizes.
    ignored: &'static [&'static str],
}

const fn relative(model_type: &'static str, rule: Family) -> Relative {
    Relative { model_type, rule, class: "", absent: &[], always: &[], expects: &[], ignored: &[] }
}

/// Language models inside larger ones, and classes that the library derives from another's (transformers 5.24,
/// `configuration_<model_type>.py`; MiMo, `modeling_mimo.py` of its repository).
const RELATIVES: [Relative; 17] = [
    Relative { class: "DeepseekV3", ..relative("kimi_k2", Family::DeepseekV3) },
    relative("qwen3_vl_text", Family::Qwen3),
    Relative {
        absent: &[("num_key_value_heads", Says::Number(16))],
        expects: NO_WINDOW,
        ..relative("qwen3_vl_moe_text", Family::Qwen3Moe)
    },
    Relative {
        absent: &[("num_key_value_heads", Says::Number(4)), ("head_dim", Says::Null)],
        expects: NO_WINDOW,
        ..relative("qwen3_omni_moe_text", Family::Qwen3Moe)
    },
    Relative { absent: QWEN2_VL, ..relative("qwen2_vl", Family::Qwen2) },
    Relative { absent: QWEN2_VL, ..relative("qwen2_vl_text", Family::Qwen2) },
    Relative { absent: QWEN2_VL, ..relative("qwen2_5_vl", Family::Qwen2) },
    Relative { absent: QWEN2_VL, ..relative("qwen2_5_vl_text", Family::Qwen2) },
    Relative { absent: &[("num_key_value_heads", Says::Number(4))], ..relative("qwen2_5_omni_text", Family::Qwen2) },
    // Qwen2’s attention has its biases anyway.
    Relative { ignored: &["attention_bias"], ..relative("mimo", Family::Qwen2) },
    Relative {
        absent: &[("head_dim", Says::Number(128)), ("sliding_window", Says::Null)],
        ..relative("ministral3", Family::Mistral)
    },
    Relative { absent: MISTRAL4, ..relative("mistral4", Family::DeepseekV2) },
    Relative {
        absent: &[("num_key_value_heads", Says::Number(2)), ("head_dim", Says::Null)],
        always: &[("attention_bias", Says::Flag(true))],
        ..relative("glm4v_text", Family::Glm4)
    },
    Relative {
        absent: &[("attention_bias", Says::Flag(true)), ("head_dim", Says::Null)],
        always: &[("use_qk_norm", Says::Flag(false))],
        ..relative("glm4v_moe_text", Family::Glm4Moe)
    },
    Relative {
        absent: &[("head_dim", Says::Number(128))],
        always: &[("first_k_dense_replace", Says::Number(0)), ("use_qk_norm", Says::Flag(false))],
        ..relative("solar_open", Family::Glm4Moe)
    },
    Relative { absent: &[("num_experts_per_tok", Says::Number(5))], ..relative("flex_olmo", Family::Olmoe) },
    Relative {
        absent: &[
            ("num_key_value_heads", Says::Number(8)),
            ("head_dim", Says::Number(128)),
            ("sliding_window", Says::Null),
        ],
        expects: &[("mlp_bias", Says::Flag(false)), ("num_shared_experts", Says::Number(1))],
        ignored: &["enable_moe_fp32_combine"],
        ..relative("hy_v3", Family::ExaoneMoe)
    },
];

/// Their cache has a window where there is a number, whatever `use_sliding_window` says.
const NO_WINDOW: &[(&str, Says)] = &[("sliding_window", Says::Null)];
const QWEN2_VL: &[(&str, Says)] = &[("num_key_value_heads", Says::Number(8)), ("max_window_layers", Says::Number(80))];
const MISTRAL4: &[(&str, Says)] = &[
    ("q_lora_rank", Says::Number(1024)),
    ("n_shared_experts", Says::Number(1)),
    ("first_k_dense_replace", Says::Number(0)),
    ("num_experts_per_tok", Says::Number(4)),
];

impl Relative {
    /// That of a `model_type`.
    pub(super) fn find(model_type: &str) -> Option<&'static Relative> {
        RELATIVES.iter().find(|relative| relative.model_type == model_type)
    }

    /// Makes a file say what its class does, and returns the numbers that it left to the class.
    pub(super) fn complete(&self, pairs: &mut Vec<(String, Value)>) -> Vec<(&'static str, u64)> {
        pairs.retain(|(name, _)| {
            !self.ignored.contains(&name.as_str()) && !self.always.iter().any(|(always, _)| always == name)
        });
        let mut left = Vec::new();
        for (name, says) in self.absent {
            if !pairs.iter().any(|(given, _)| given == name) {
                pairs.push(((*name).to_owned(), says.value()));
                if let Says::Number(number) = says {
                    left.push((*name, *number));
                }
            }
        }
        pairs.extend(self.always.iter().map(|(name, says)| ((*name).to_owned(), says.value())));
        left
    }

    /// Marks the total where the file says what is counted otherwise.
    pub(super) fn expect(&self, fields: &mut Fields<'_>) {
        for (name, says) in self.expects {
            fields.expect(name, &says.value());
        }
    }

    /// Whether the library's class for it has this name.
    pub(super) fn is_class(&self, class: &str) -> bool {
        is_class(self.model_type, Some(self.class), class)
    }
}

/// Classes that are not called by their `model_type`.
const CLASSES: [(&str, &str); 2] = [("hunyuan_v1_dense", "HunYuanDenseV1"), ("minimax_m3", "MiniMaxM3Sparse")];

/// Every `model_type` that is known, in the order of [`Family::ALL`].
pub const MODEL_TYPES: [&str; Family::ALL.len()] = {
    let mut names = [""; Family::ALL.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = Family::ALL[i].model_type();
        i += 1;
    }
    names
};
