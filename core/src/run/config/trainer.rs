//! Arguments of the Hugging Face Trainer (`TrainingArguments`, TRL's `SFTConfig`) on a line of `torchrun`, `accelerate launch` or `deepspeed`, with
//! the launchers' own, or in YAML, as LLaMA-Factory, TRL and the alignment handbook have them. Names and values: transformers
//! `training_args.py`, accelerate `commands/launch.py`, LLaMA-Factory `src/llamafactory/hparams`.

use super::Given;
use super::fsdp::set;
use crate::launch::yaml::{Node, Value};
use crate::memory::activations::Recompute;
use crate::run::card::{Card, Kind};

/// Why what trains a part of the parameters isn't read.
pub(in crate::run) const ADAPTERS: &str = "adapters aren’t in this prediction: the adapter figure has them";

/// Flags of which a script that trains with it has one.
const MARKS: [&str; 8] = [
    "per-device-train-batch-size",
    "gradient-accumulation-steps",
    "gradient-checkpointing",
    "model-name-or-path",
    "num-train-epochs",
    "max-seq-length",
    "optim",
    "fsdp",
];

/// Flags that say nothing of memory or time, or that the launch itself is read by, by how they begin.
const PASSED: &[&str] = &[
    // Launchers and schedulers.
    "account",
    "cpus-per",
    "dynamo-backend",
    "error",
    "exclusive",
    "gpu-ids",
    "gpus-per",
    "gres",
    "job-name",
    "local-rank",
    "log-dir",
    "machine-rank",
    "main-process",
    "main-training",
    "master",
    "max-restarts",
    "mem",
    "module",
    "multi-gpu",
    "nnodes",
    "no-python",
    "node-rank",
    "nodes",
    "nproc",
    "ntasks",
    "num-cpu-threads",
    "num-gpus",
    "num-nodes",
    "partition",
    "rdzv",
    "redirects",
    "role",
    "same-network",
    "standalone",
    "tee",
    "time",
    // The Trainer and scripts around it.
    "adam-",
    "beta",
    "chat-template",
    "config-name",
    "data-path",
    "data-seed",
    "dataset",
    "dataloader",
    "ddp-",
    "disable-tqdm",
    "do-",
    "eval",
    "evaluation",
    "gradient-checkpointing-kwargs",
    "hub-",
    "include-num-input",
    "label-smoothing",
    "learning-rate",
    "load-best",
    "log-level",
    "logging",
    "lr-",
    "max-grad-norm",
    "max-prompt-length",
    "max-samples",
    "max-steps",
    "metric-for",
    "model-revision",
    "num-train-epochs",
    "output",
    "overwrite",
    "per-device-eval",
    "plot-loss",
    "preprocessing",
    "push-to-hub",
    "remove-unused",
    "report-to",
    "resume",
    "run-name",
    "save",
    "seed",
    "template",
    "tokenizer",
    "train-file",
    "trust-remote",
    "use-cache",
    "val-size",
    "validation",
    "wandb",
    "warmup",
    "weight-decay",
];

/// Whether flags are the Trainer's.
pub(in crate::run) fn is(given: &[Given]) -> bool {
    given.iter().any(|flag| MARKS.contains(&flag.name.as_str()))
}

/// Flags of `accelerate launch` that say how ranks share the model.
const OF_LAUNCH: [&str; 9] = [
    "config-file",
    "deepspeed-config-file",
    "fsdp-sharding-strategy",
    "mixed-precision",
    "num-machines",
    "num-processes",
    "use-deepspeed",
    "use-fsdp",
    "zero-stage",
];

/// Reads what `accelerate launch` is given, where nothing is known of the script that it starts.
pub(in crate::run) fn launch(given: &[Given], card: &mut Card) {
    let own: Vec<Given> = given.iter().filter(|flag| OF_LAUNCH.contains(&flag.name.as_str())).cloned().collect();
    of(&own, card);
}

/// Keys that only LLaMA-Factory's files have.
const OF_FACTORY: [&str; 2] = ["finetuning_type", "template"];

/// Whether a YAML document is the Trainer's arguments.
pub(in crate::run) fn is_yaml(node: &Node) -> bool {
    let has = |key: &str| node.get(key).is_some();
    has("model_name_or_path") && (has("output_dir") || MARKS.iter().any(|mark| has(&mark.replace('-', "_"))))
}

/// Reads such a document.
pub(in crate::run) fn yaml(name: &str, node: &Node) -> Card {
    let mut card = Card::new(name, Kind::Trainer);
    let Value::Map(entries) = &node.value else { return card.done() };
    let mut given: Vec<Given> = Vec::new();
    for (key, line, value) in entries {
        let is_map = matches!(value.value, Value::Map(_));
        let values = match &value.value {
            Value::Text(text) if matches!(text.as_str(), "" | "null" | "~") => continue,
            Value::Text(text) => vec![text.clone()],
            Value::List(list) => list.iter().map(|item| item.text().unwrap_or("…").to_owned()).collect(),
            Value::Map(_) => vec!["…".to_owned()],
        };
        given.push(Given { name: key.replace('_', "-"), values, line: *line, is_key: true, is_map, open: None });
    }
    let is_factory = OF_FACTORY.iter().any(|key| node.get(key).is_some());
    if is_factory && node.get("finetuning_type").is_none() {
        card.unread_setting("finetuning_type", "LLaMA-Factory trains adapters unless it says full", 0);
    }
    of(&given, &mut card);
    // `disable_gradient_checkpointing` is off by default there (`hparams/model_args.py`). What only answers or is evaluated has no backward pass.
    let is_on = |key: &str| node.get(key).and_then(Node::text) == Some("true");
    let trains =
        node.get("infer_backend").is_none() && (is_on("do_train") || !(is_on("do_predict") || is_on("do_eval")));
    if is_factory && !trains {
        let said = "It is a configuration of LLaMA-Factory that trains nothing. Give the model and the number of GPUs as a command of vLLM: vllm serve \
                    org/model --tensor-parallel-size 4.";
        return Card::refused(name, Kind::Trainer, said);
    }
    if is_factory && card.run.layout.recompute.is_none() && !card.run.is_unknown("layout.recompute") {
        card.run.layout.recompute = Some(Recompute::Full);
        card.found("Recomputation", "every layer, which is LLaMA-Factory’s default", 0);
    }
    card.done()
}

/// Reads flags into a card. One that isn't known is marked.
pub(in crate::run) fn of(given: &[Given], card: &mut Card) {
    card.run.layout.framework = Some("accelerate".to_owned());
    for (i, flag) in given.iter().enumerate() {
        let (name, line) = (flag.name.as_str(), flag.line);
        // Another value replaces it further down.
        let is_last = given.iter().skip(i + 1).all(|later| later.name != name);
        if !is_last {
            continue;
        }
        let differs = given.iter().any(|other| other.name == name && other.values != flag.values);
        if differs && !is_passed(name) {
            card.unread_setting(&flag.text(), "given more than once: the last one is used", line);
        }
        // A flag without a value is a switch; the script may stand behind one.
        let value = Some(flag.value()).filter(|value| !value.is_empty() && !value.ends_with(".py")).unwrap_or("true");
        match name {
            "deepspeed" if flag.values.is_empty() => card.run.layout.framework = Some("deepspeed".to_owned()),
            "deepspeed" | "deepspeed-config" | "deepspeed-config-file" => {
                card.run.layout.framework = Some("deepspeed".to_owned());
                // ms-swift’s own files go by these names (swift/config).
                let built_in = value.strip_suffix("_offload").unwrap_or(value).strip_prefix("zero");
                if let Some(stage) = built_in.and_then(|n| n.parse::<u8>().ok()).filter(|n| *n <= 3) {
                    card.run.layout.zero = Some(stage);
                    card.found("ZeRO stage", stage.to_string(), line);
                    if value.ends_with("_offload") {
                        card.unread_setting(&flag.text(), "offloading isn't in this prediction", line);
                    }
                    continue;
                }
                let why = "the ZeRO stage is in that file, which counts once it is pasted too";
                card.unknown("layout.zero", &flag.text(), why, line);
            }
            "fsdp" => fsdp(card, flag),
            "fsdp-config" if flag.is_map => card.unread_setting(&flag.text(), "these settings aren’t read here", line),
            "fsdp-config" => card.unread_setting(&flag.text(), "that file counts once it is pasted too", line),
            "finetuning-type" if value == "full" => {}
            "stage" if matches!(value, "sft" | "pt") => {}
            "stage" => card.unread_setting(
                &flag.text(),
                "other models than the one in training aren’t in this prediction",
                line,
            ),
            "disable-gradient-checkpointing" => {
                let is_off = matches!(value, "true" | "True" | "yes" | "1");
                card.run.layout.recompute = Some(if is_off { Recompute::None } else { Recompute::Full });
                card.found("Recomputation", if is_off { "none" } else { "every layer" }, line);
            }
            "use-peft" | "use-lora" | "load-in-4bit" | "load-in-8bit" if matches!(value, "false" | "False") => {}
            "finetuning-type" | "lora-r" | "use-peft" | "use-lora" | "lora-rank" | "load-in-4bit" | "load-in-8bit"
            | "quantization-bit" => {
                card.unread_setting(&flag.text(), ADAPTERS, line);
            }
            _ if value.contains('$') && !is_passed(name) => match key(name) {
                Some(key) => card.unknown(key, &flag.text(), super::not_read(value, ""), line),
                None => card.unread_setting(&flag.text(), super::not_read(value, ""), line),
            },
            "config-file" => {
                card.unread_setting(
                    &flag.text(),
                    "how the ranks share the model is in that file, which counts once it is pasted too",
                    line,
                );
            }
            "use-deepspeed" => card.run.layout.framework = Some("deepspeed".to_owned()),
            "use-fsdp" => card.run.layout.framework = Some("fsdp".to_owned()),
            _ if is_passed(name) => {}
            _ => set(card, &of_yaml(name), value, &flag.text(), line),
        }
    }
    let l = &mut card.run.layout;
    let is_fsdp = l.framework.as_deref() == Some("fsdp");
    l.zero = l.zero.or(is_fsdp.then_some(3).filter(|_| !card.run.unknown.iter().any(|key| key == "layout.zero")));
}

fn is_passed(name: &str) -> bool {
    PASSED.iter().any(|start| name.starts_with(start))
}

/// What Accelerate and Axolotl call a flag in their files.
fn of_yaml(name: &str) -> String {
    match name {
        "max-length" | "model-max-length" | "cutoff-len" | "block-size" | "max-seq-len" => "max_seq_length".to_owned(),
        "model-name-or-path" | "model-name" | "model-id" | "model" => "base_model".to_owned(),
        "optim" => "optimizer".to_owned(),
        "attn-implementation" | "use-flash-attn" | "flash-attn" => "flash_attention".to_owned(),
        "torch-dtype" | "dtype" => "mixed_precision".to_owned(),
        _ => name.replace('-', "_"),
    }
}

/// Where a run file keeps what a flag sets.
fn key(name: &str) -> Option<&'static str> {
    Some(match of_yaml(name).as_str() {
        "per_device_train_batch_size" => "layout.mbs",
        "gradient_accumulation_steps" => "layout.microbatches",
        "max_seq_length" => "layout.seq",
        "gradient_checkpointing" => "layout.recompute",
        "flash_attention" => "layout.flash",
        "optimizer" => "layout.optimizer",
        "bf16" | "fp16" | "mixed_precision" => "layout.dtype",
        _ => return None,
    })
}

/// `--fsdp \"full_shard auto_wrap\"`.
fn fsdp(card: &mut Card, flag: &Given) {
    let mut strategy = None;
    for word in flag.values.iter().flat_map(|value| value.split([' ', ','])) {
        match word {
            "full_shard" | "shard_grad_op" | "no_shard" | "hybrid_shard" | "hybrid_shard_zero2" => {
                strategy = Some(word.to_uppercase());
            }
            "auto_wrap" | "" => {}
            "offload" => card.unread_setting("--fsdp offload", "offloading isn't in this prediction", flag.line),
            _ => card.unread_setting(&flag.text(), "", flag.line),
        }
    }
    if let Some(strategy) = strategy {
        card.run.layout.framework = Some("fsdp".to_owned());
        set(card, "sharding_strategy", &strategy, &flag.text(), flag.line);
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::activations::Recompute;
    use crate::memory::{Dtype, Optimizer};
    use crate::run::{Card, Kind, Outcome, read};

    const FLAGS: &str = "--model_name_or_path meta-llama/Llama-2-7b-hf --per_device_train_batch_size 2 --gradient_accumulation_steps 8 \\\n  --bf16 True --gradient_checkpointing --max_seq_length 4096 --optim adamw_torch --learning_rate 2e-5 --num_train_epochs 3 --report_to none";

    fn card(launch: &str, more: &str) -> Card {
        let card = read("train.sh", &format!("{launch} train.py \\\n  {FLAGS} {more}\n"));
        assert_eq!(card.kind, Kind::Script, "{launch}: {card:?}");
        card
    }

    fn unread(card: &Card) -> Vec<&str> {
        card.unread.iter().map(|unread| unread.text.as_str()).collect()
    }

    #[test]
    fn the_trainers_flags_are_read_on_any_launcher() {
        for launch in [
            "torchrun --nnodes 2 --nproc_per_node 8",
            "accelerate launch --num_machines 2 --num_processes 16",
            "deepspeed --num_nodes 2 --num_gpus 8",
        ] {
            let card = card(launch, "");
            let l = &card.run.layout;
            assert_eq!(card.outcome, Outcome::Read, "{launch}: {:?}", card.unread);
            assert_eq!((l.mbs, l.microbatches, l.seq, l.zero), (Some(2), Some(8), Some(4096), None), "{launch}");
            assert_eq!(
                (l.dtype, l.optimizer, l.recompute),
                (Some(Dtype::Bf16), Some(Optimizer::AdamW), Some(Recompute::Full)),
                "{launch}"
            );
            assert_eq!(card.run.model.name, "llama-2-7b", "{launch}");
            assert_eq!(card.run.nodes(), (Some(8), Some(2)), "{launch}");
        }
        assert_eq!(card("torchrun --nproc_per_node 8", "--bf16 False --optim adafactor").run.layout.dtype, None);
    }

    #[test]
    fn sharding_is_read_or_asked_for() {
        let fsdp = card("torchrun --nproc_per_node 8", "--fsdp \"full_shard auto_wrap\"");
        assert_eq!((fsdp.run.layout.zero, fsdp.outcome), (Some(3), Outcome::Read), "{:?}", fsdp.unread);
        let grads = card("torchrun --nproc_per_node 8", "--fsdp shard_grad_op --fsdp_config fsdp.json");
        assert_eq!((grads.run.layout.zero, unread(&grads)), (Some(2), vec!["--fsdp-config fsdp.json"]));
        let offloads = card("torchrun --nproc_per_node 8", "--fsdp \"full_shard offload\"");
        assert_eq!(unread(&offloads), ["--fsdp offload"]);
        let deepspeed = card("deepspeed --num_gpus 8", "--deepspeed ds_z3.json");
        assert_eq!((deepspeed.run.layout.zero, unread(&deepspeed)), (None, vec!["--deepspeed ds_z3.json"]));
        assert!(deepspeed.run.is_unknown("layout.zero") && deepspeed.unread[0].why.contains("once it is pasted too"));
        // With the file, the stage is known.
        let mut run = deepspeed.run;
        run.take(
            &read("ds.json", "{\"zero_optimization\": {\"stage\": 3}, \"train_micro_batch_size_per_gpu\": \"auto\"}")
                .run,
        );
        assert_eq!((run.layout.zero, run.layout.mbs), (Some(3), Some(2)));
    }

    #[test]
    fn what_is_not_known_is_marked() {
        let launch = "torchrun --nproc_per_node 8";
        assert_eq!(unread(&card(launch, "--my_trick 3 --lora_r 16")), ["--my-trick 3", "--lora-r 16"]);
        let own = card(launch, "--optim my_adam");
        assert!(own.run.is_unknown("layout.optimizer") && unread(&own).contains(&"--optim my_adam"), "{own:?}");
        let open = card(launch, "--max_seq_length $LENGTH");
        assert!(open.run.is_unknown("layout.seq") && open.run.layout.seq.is_none(), "{open:?}");
        let plain = read("run.sh", "accelerate launch --num_processes 16 --mixed_precision bf16 my.py --trick 3\n");
        assert_eq!((plain.run.cluster.gpus, plain.run.layout.dtype), (Some(16), Some(Dtype::Bf16)), "{plain:?}");
        let filed = read("run.sh", "accelerate launch --config_file fsdp.yaml my.py\n");
        assert!(filed.unread.iter().any(|u| u.text.starts_with("--config-file fsdp.yaml")), "{filed:?}");
        let bare = read("flags", "--per_device_train_batch_size 8 --bf16 --output_dir out");
        assert_eq!((bare.kind, bare.run.layout.mbs), (Kind::Script, Some(8)));
        let twice = card(launch, "--gradient_accumulation_steps 4");
        assert_eq!(twice.run.layout.microbatches, Some(4));
        assert_eq!(unread(&twice), ["--gradient-accumulation-steps 4"]);
    }

    #[test]
    fn the_trainers_arguments_in_yaml_are_read() {
        let factory = read("sft.yaml", include_str!("../../../../tests/fixtures/brought/llama-factory-full.yaml"));
        let l = &factory.run.layout;
        assert_eq!((factory.kind, factory.outcome), (Kind::Trainer, Outcome::Partly));
        assert_eq!(unread(&factory), ["deepspeed: examples/deepspeed/ds_z3_config.json"]);
        assert_eq!((l.mbs, l.microbatches, l.seq, l.zero), (Some(1), Some(2), Some(2048), None));
        // What isn't written is the program's default.
        assert_eq!((l.dtype, l.recompute), (Some(Dtype::Bf16), Some(Recompute::Full)));
        assert_eq!(factory.run.model.name, "llama-3-8b");
        let handbook = read("config_full.yaml", include_str!("../../../../tests/fixtures/brought/zephyr-sft.yaml"));
        let l = &handbook.run.layout;
        assert_eq!((handbook.kind, handbook.outcome, unread(&handbook)), (Kind::Trainer, Outcome::Read, vec![]));
        assert_eq!((l.mbs, l.seq, l.flash, l.recompute), (Some(16), Some(2048), Some(true), Some(Recompute::Full)));
        // Adapters, models beside the one in training, and what nobody knows.
        let text = "model_name_or_path: a/b\nstage: dpo\nfinetuning_type: lora\nquantization_bit: 4\nmy_trick: 3\noutput_dir: x\n";
        let marked = ["stage: dpo", "finetuning_type: lora", "quantization_bit: 4", "my_trick: 3"];
        let card = read("x.yaml", text);
        assert!(marked.iter().all(|line| unread(&card).contains(line)), "{:?}", unread(&card));
        let off = "disable_gradient_checkpointing: true\n";
        assert_eq!(read("x.yaml", &[text, off].concat()).run.layout.recompute, Some(Recompute::None));
    }
}
