//! The sentinels of each model, and where they stand.
//!
//! Sources: StarCoder2 and SantaCoder: `nuprl/MultiPL-E`, `starcoder2.py`, and the model cards; SantaCoder's two orders: Ben Allal et al.
//! 2023, arXiv 2301.03988, section 5.2 ("SPM+PSM joint training"), and bigcode-project/Megatron-LM, `megatron/data/gpt_dataset.py`,
//! `permute`; StarCoder2's repositories: Lozhkov et al. 2024, arXiv 2402.19173, section 5.1, and bigcode-project/starcoder2, issue 10 ("we
//! apply FIM inside each file"). Code Llama: `meta-llama/codellama`, `llama/generation.py`, `infilling_prompt_tokens`. DeepSeek-Coder: its
//! README, "Code Insertion". Qwen2.5-Coder: `QwenLM/Qwen3-Coder`, `examples/`. Mellum: the example of its model card. Codestral:
//! `mistral-common` 1.13.1, `encode_fim`.

use super::pieces::{Kind, Piece};
use crate::declare::Origin;
use crate::options;

/// A model, as far as its training for infilling goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// StarCoder and StarCoder2.
    #[default]
    StarCoder2,
    /// SantaCoder.
    SantaCoder,
    /// Code Llama.
    CodeLlama,
    /// DeepSeek-Coder.
    DeepSeekCoder,
    /// Qwen2.5-Coder.
    QwenCoder,
    /// Mellum.
    Mellum,
    /// Codestral.
    Codestral,
}

options!(Format {
    StarCoder2: "starcoder2", "StarCoder2";
    SantaCoder: "santacoder", "SantaCoder";
    CodeLlama: "code-llama", "Code Llama";
    DeepSeekCoder: "deepseek-coder", "DeepSeek-Coder";
    QwenCoder: "qwen2.5-coder", "Qwen2.5-Coder";
    Mellum: "mellum", "Mellum";
    Codestral: "codestral", "Codestral";
});

/// What comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Prefix, suffix, middle.
    #[default]
    Psm,
    /// Suffix, prefix, middle.
    Spm,
}

options!(Order {
    Psm: "psm", "prefix first (PSM)";
    Spm: "spm", "suffix first (SPM)";
});

/// A place of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Sentinel(&'static str),
    /// The prefix; with a space before it, unless it is empty, where the tokenizer puts one at the beginning of a text.
    Prefix {
        space: bool,
    },
    Suffix,
}

use Place::{Sentinel, Suffix};

/// Where the sentinels come from.
pub const ORIGIN: Origin = Origin::Of(
    "Each model’s own code or card: nuprl/MultiPL-E, starcoder2.py; meta-llama/codellama, llama/generation.py; DeepSeek-Coder’s README; QwenLM/Qwen3-Coder, examples/; Mellum’s card; mistral-common 1.13.1, encode_fim",
);

const PREFIX: Place = Place::Prefix { space: false };
const SPACED: Place = Place::Prefix { space: true };

/// How other files are written before the one with the hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Files {
    /// Each as a comment with its path, then its text; no sentinel was trained for it.
    Comments,
    /// The repository's name after `repo`, then for each file `file`, its path, a line break and its text. The path of the file with
    /// the hole is the beginning of its prefix where files are rearranged one by one, path and all; else it stands before.
    Repository { repo: &'static str, file: &'static str, line: &'static str, path_in_prefix: bool },
    /// For each file, and for that with the hole, this sentinel, its path, a line break and its text.
    Named(&'static str),
}

/// What stands around the hole.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hole<'a> {
    /// The name of the repository.
    pub repo: &'a str,
    /// The path of the file with the hole.
    pub path: &'a str,
    /// Other files: path and text.
    pub files: &'a [(String, String)],
    /// Before the hole.
    pub prefix: &'a str,
    /// After the hole.
    pub suffix: &'a str,
    /// What stood in it, in training; nothing in a prompt.
    pub middle: Option<&'a str>,
}

impl Format {
    /// Where everything stands in this order; none where the model knows no such order.
    fn template(self, order: Order) -> Option<&'static [Place]> {
        Some(match (self, order) {
            (Format::StarCoder2, Order::Psm) => {
                &[Sentinel("<fim_prefix>"), PREFIX, Sentinel("<fim_suffix>"), Suffix, Sentinel("<fim_middle>")]
            }
            (Format::StarCoder2, Order::Spm) => {
                &[Sentinel("<fim_prefix>"), Sentinel("<fim_suffix>"), Suffix, Sentinel("<fim_middle>"), PREFIX]
            }
            (Format::SantaCoder, Order::Psm) => {
                &[Sentinel("<fim-prefix>"), PREFIX, Sentinel("<fim-suffix>"), Suffix, Sentinel("<fim-middle>")]
            }
            (Format::SantaCoder, Order::Spm) => {
                &[Sentinel("<fim-prefix>"), Sentinel("<fim-suffix>"), Suffix, Sentinel("<fim-middle>"), PREFIX]
            }
            (Format::CodeLlama, Order::Psm) => {
                &[Sentinel("<s>"), Sentinel(" <PRE>"), SPACED, Sentinel(" <SUF>"), Suffix, Sentinel(" <MID>")]
            }
            (Format::CodeLlama, Order::Spm) => {
                &[Sentinel("<s>"), Sentinel(" <PRE>"), Sentinel(" <SUF>"), Suffix, Sentinel(" <MID>"), SPACED]
            }
            (Format::DeepSeekCoder, Order::Psm) => {
                &[Sentinel("<｜fim▁begin｜>"), PREFIX, Sentinel("<｜fim▁hole｜>"), Suffix, Sentinel("<｜fim▁end｜>")]
            }
            (Format::QwenCoder, Order::Psm) => {
                &[Sentinel("<|fim_prefix|>"), PREFIX, Sentinel("<|fim_suffix|>"), Suffix, Sentinel("<|fim_middle|>")]
            }
            (Format::Mellum, Order::Spm) => {
                &[Sentinel("<fim_suffix>"), Suffix, Sentinel("<fim_prefix>"), PREFIX, Sentinel("<fim_middle>")]
            }
            (Format::Codestral, Order::Spm) => {
                &[Sentinel("<s>"), Sentinel("[SUFFIX]"), Suffix, Sentinel("[PREFIX]"), PREFIX]
            }
            (Format::DeepSeekCoder | Format::QwenCoder, Order::Spm)
            | (Format::Mellum | Format::Codestral, Order::Psm) => return None,
        })
    }

    /// What ends the middle.
    pub fn end(self) -> &'static str {
        match self {
            Format::StarCoder2 | Format::SantaCoder | Format::Mellum | Format::QwenCoder => "<|endoftext|>",
            Format::CodeLlama => " <EOT>",
            Format::DeepSeekCoder => "<｜end▁of▁sentence｜>",
            Format::Codestral => "</s>",
        }
    }

    fn files(self) -> Files {
        match self {
            Format::StarCoder2 => {
                Files::Repository { repo: "<repo_name>", file: "<file_sep>", line: "", path_in_prefix: true }
            }
            Format::QwenCoder => {
                Files::Repository { repo: "<|repo_name|>", file: "<|file_sep|>", line: "\n", path_in_prefix: false }
            }
            Format::Mellum => Files::Named("<filename>"),
            Format::SantaCoder | Format::CodeLlama | Format::DeepSeekCoder | Format::Codestral => Files::Comments,
        }
    }

    /// Whether there is a form for other files that the model was trained with.
    pub fn knows_files(self) -> bool {
        self.files() != Files::Comments
    }

    /// The order that is used where this one is asked for.
    pub fn order(self, asked: Order) -> Order {
        match (self.template(asked), asked) {
            (Some(_), _) => asked,
            (None, Order::Psm) => Order::Spm,
            (None, Order::Spm) => Order::Psm,
        }
    }

    /// The sequence: a prompt, or in training with the middle and its end.
    pub fn arrange(self, asked: Order, hole: &Hole<'_>) -> Vec<Piece> {
        let mut all = Vec::new();
        let begins = self.before(hole, &mut all);
        let kind = if self.files() == Files::Comments { Kind::File } else { Kind::Path };
        let prefix = format!("{begins}{}", hole.prefix);
        for place in self.template(self.order(asked)).unwrap_or_default() {
            match *place {
                Sentinel(text) => all.push(Piece::new(Kind::Sentinel, text)),
                Suffix => all.push(Piece::new(Kind::Suffix, hole.suffix)),
                Place::Prefix { space } => {
                    let lead = if space && !prefix.is_empty() { " " } else { "" };
                    if !begins.is_empty() {
                        all.push(Piece::new(kind, format!("{lead}{begins}")));
                        all.push(Piece::new(Kind::Prefix, hole.prefix));
                    } else {
                        all.push(Piece::new(Kind::Prefix, format!("{lead}{prefix}")));
                    }
                }
            }
        }
        if let Some(middle) = hole.middle {
            all.push(Piece::new(Kind::Middle, middle));
            all.push(Piece::new(Kind::Sentinel, self.end()));
        }
        all.retain(|piece| !piece.text.is_empty());
        all
    }

    /// What stands before the first sentinel of the hole. What comes back begins the prefix: other files where no form was trained for
    /// them, or the path of the file with the hole.
    fn before(self, hole: &Hole<'_>, all: &mut Vec<Piece>) -> String {
        match self.files() {
            Files::Comments => hole.files.iter().map(|(path, text)| format!("# {path}\n{text}\n")).collect(),
            Files::Named(sentinel) => {
                for (path, text) in hole.files {
                    all.push(Piece::new(Kind::Sentinel, sentinel));
                    all.push(Piece::new(Kind::Path, format!("{path}\n")));
                    all.push(Piece::new(Kind::File, format!("{text}\n\n")));
                }
                all.push(Piece::new(Kind::Sentinel, sentinel));
                all.push(Piece::new(Kind::Path, format!("{}\n", hole.path)));
                String::new()
            }
            Files::Repository { repo, file, line, path_in_prefix } => {
                if hole.files.is_empty() {
                    return String::new();
                }
                all.push(Piece::new(Kind::Sentinel, repo));
                all.push(Piece::new(Kind::Path, format!("{}{line}", hole.repo)));
                for (path, text) in hole.files {
                    all.push(Piece::new(Kind::Sentinel, file));
                    all.push(Piece::new(Kind::Path, format!("{path}\n")));
                    all.push(Piece::new(Kind::File, text.as_str()));
                }
                all.push(Piece::new(Kind::Sentinel, file));
                let path = format!("{}\n", hole.path);
                if path_in_prefix {
                    return path;
                }
                all.push(Piece::new(Kind::Path, path));
                String::new()
            }
        }
    }
}
