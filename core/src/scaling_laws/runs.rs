//! Models that were trained: their sizes and their tokens as published.

use super::fit::Point;

/// A run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Run {
    /// What a person reads.
    pub name: &'static str,
    /// The year of its publication.
    pub year: u16,
    /// Parameters that a token uses, and tokens.
    pub at: Point,
    /// Parameters in all, where a token uses a part of them.
    pub total: Option<f64>,
    /// The document and the place in it.
    pub source: &'static str,
}

const fn dense(name: &'static str, year: u16, params: f64, tokens: f64, source: &'static str) -> Run {
    Run { name, year, at: Point { params, tokens }, total: None, source }
}

/// Runs, the oldest first. Sizes and tokens as their papers print them, Llama's to the parameter.
pub const RUNS: [Run; 13] = [
    dense("GPT-3", 2020, 174.6e9, 300e9, "Brown et al., arXiv:2005.14165, Table D.1"),
    dense("Gopher", 2021, 280e9, 300e9, "Rae et al., arXiv:2112.11446, Table 1"),
    dense("MT-NLG", 2022, 530e9, 270e9, "Smith et al., arXiv:2201.11990, §3"),
    dense("Chinchilla", 2022, 70e9, 1.4e12, "Hoffmann et al., arXiv:2203.15556, Table 4"),
    dense("PaLM", 2022, 540.35e9, 780e9, "Chowdhery et al., arXiv:2204.02311, Table 1"),
    dense("BLOOM", 2022, 176.247e9, 366e9, "BigScience, arXiv:2211.05100, Table 3"),
    dense("LLaMA 7B", 2023, 6.7e9, 1.0e12, "Touvron et al., arXiv:2302.13971, Table 2"),
    dense("LLaMA 65B", 2023, 65.2e9, 1.4e12, "Touvron et al., arXiv:2302.13971, Table 2"),
    dense("Llama 2 70B", 2023, 68.976_653_312e9, 2.0e12, "Touvron et al., arXiv:2307.09288, Table 1"),
    dense("Falcon 180B", 2023, 179.522_565_12e9, 3.5e12, "Almazrouei et al., arXiv:2311.16867, Table 1"),
    dense("Llama 3 8B", 2024, 8.030_261_248e9, 15e12, "Meta, Llama 3.1 model card: 15T+ tokens"),
    dense("Llama 3.1 405B", 2024, 405.853_388_8e9, 15.6e12, "Llama team, arXiv:2407.21783, §1"),
    Run {
        name: "DeepSeek-V3",
        year: 2024,
        at: Point { params: 37e9, tokens: 14.8e12 },
        total: Some(671e9),
        source: "DeepSeek-AI, arXiv:2412.19437, abstract",
    },
];
