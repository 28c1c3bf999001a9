//! Every layout that is exported, held to the validation of the framework that it is for, as its sources have it; and every server
//! command, held to what the engine's own parser said of it.

mod deepspeed;
mod megatron;
mod serving;
mod torchtitan;
mod verdicts;

use std::collections::BTreeMap;

use ringside_core::declare::Model as _;
use ringside_core::memory::Params;
use ringside_core::memory::export::{ROTARY, Target};
use ringside_core::model::presets;
use ringside_core::query::Query;

/// What is tried for each model: what a planner's user might choose, sound or not.
const LAYOUTS: [&str; 16] = [
    "dp=64&zero=3&seq=4096",
    "dp=8&zero=2&mbs=2&microbatches=4",
    "dp=16&zero=1",
    "dp=8&zero=0",
    "dp=8&zero=3&recompute=full&seq=2048",
    "dp=4&tp=8&sp=1&zero=1&seq=4096&recompute=selective",
    "dp=4&tp=8&sp=1&pp=4&microbatches=96&mbs=4&zero=3",
    "dp=8&tp=4&sp=1&pp=4&microbatches=16&zero=1&seq=2048",
    "dp=8&pp=4&microbatches=8&zero=1",
    "dp=4&tp=2&sp=1&pp=4&vpp=2&microbatches=8&zero=1",
    "dp=8&tp=8&sp=1&pp=16&microbatches=32&zero=1",
    "dp=2&cp=4&tp=2&sp=1&zero=3&seq=32768",
    "dp=16&ep=8&zero=1",
    "dp=16&ep=8&tp=2&sp=1&pp=2&microbatches=8&zero=2",
    "dp=8&tp=16&sp=1&zero=2",
    "dp=8&zero=0&optimizer=sgd&dtype=fp32",
];

fn params(query: &str) -> Option<Params> {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    params.judged().map(|_| params)
}

/// Calls `with` for every layout of every model that is possible at all.
fn each(mut with: impl FnMut(&str, &Params)) {
    for preset in presets::ALL {
        for layout in LAYOUTS {
            let query = format!("model={}&{layout}", preset.id);
            if let Some(params) = params(&query) {
                with(&query, &params);
            }
        }
    }
}

#[test]
fn every_layout_that_is_exported_starts() {
    let mut accepted: BTreeMap<&str, u32> = BTreeMap::new();
    let mut refused: BTreeMap<&str, u32> = BTreeMap::new();
    each(|query, params| {
        for target in Target::ALL {
            match target.write(params) {
                Err(why) => {
                    assert!(why.ends_with('.') && why.len() > 20, "{query}: {why}");
                    *refused.entry(target.id()).or_default() += 1;
                }
                Ok(export) => {
                    let checked = match target {
                        Target::DeepSpeed => deepspeed::check(&export.text, params),
                        Target::Megatron => megatron::check(&export.text, params.gpus() as u64),
                        Target::Torchtitan => torchtitan::check(&export.text, params),
                        // Python: what its mesh needs is that it has as many ranks as the job.
                        Target::Fsdp => {
                            let mesh = format!("init_device_mesh(\"cuda\", ({},))", params.gpus());
                            let there = export.text.contains(&mesh) && export.text.contains("optimizer = ");
                            if there { Ok(()) } else { Err(format!("no {mesh}")) }
                        }
                    };
                    assert_eq!(checked, Ok(()), "{} of {query}:\n{}", target.id(), export.text);
                    assert!(!export.assumed.is_empty() && export.text.contains(&export.assumed[0]), "{query}");
                    *accepted.entry(target.id()).or_default() += 1;
                }
            }
        }
    });
    println!("accepted {accepted:?}, refused {refused:?}");
    assert!(accepted.values().sum::<u32>() >= 200);
    assert!(accepted["megatron"] >= 100 && accepted["deepspeed"] >= 60 && accepted["torchtitan"] >= 15);
}

/// Those that a trial found: each would have stopped at its start.
#[test]
fn what_did_not_start_is_right_or_refused() {
    let write = |target: Target, query: &str| target.write(&params(query).expect(query));
    let why = |target, query| write(target, query).expect_err(query);
    let text = |target, query| write(target, query).expect(query).text;

    let flags = text(Target::Megatron, "model=llama-3-8b&dp=8&zero=3");
    for flag in
        ["--seq-length 4096", "--max-position-embeddings 4096", "--ckpt-format fsdp_dtensor", "--rotary-base 500000"]
    {
        assert!(flags.contains(flag), "{flag} in {flags}");
    }
    let uneven = text(Target::Megatron, "model=deepseek-v3&dp=8&pp=16&microbatches=32&ep=8&zero=1");
    assert!(uneven.contains("--pipeline-model-parallel-layout \"Etttt|tttt|"), "{uneven}");
    assert!(why(Target::Megatron, "model=bloom-7b1&dp=8").contains("no ALiBi"));
    assert!(why(Target::DeepSpeed, "model=llama-3-8b&dp=4&pp=4&microbatches=8&zero=3").contains("refuses ZeRO-3"));
    assert!(why(Target::DeepSpeed, "model=llama-3-8b&dp=4&tp=4&zero=3").contains("tp 4"));
    let json = text(Target::DeepSpeed, "model=llama-3-8b&dp=64&zero=3&mbs=4&microbatches=6");
    assert!(!json.contains("\"train_batch_size\":"), "{json}");
    assert!(why(Target::Fsdp, "model=llama-3-8b&dp=4&tp=4&pp=4&zero=3").contains("tp 4 and pp 4"));
    assert!(why(Target::Fsdp, "model=llama-3-8b&dp=4&zero=1").contains("choose ZeRO-2 or 3"));
    assert!(text(Target::Fsdp, "model=llama-3-8b&dp=64&zero=3").contains("optimizer = torch.optim.AdamW"));
    assert!(why(Target::Torchtitan, "model=llama-2-7b&dp=8&zero=3").contains("brings its own models"));
    assert!(why(Target::Megatron, "mode=inference&model=llama-3-8b").contains("inference"));
}

/// Rotary bases and shares are those of the models' files.
#[test]
fn rotary_positions_are_those_of_the_configs() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/");
    let read = |path: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(format!("{root}{path}")).expect(path);
        serde_json::from_str(&text).expect("JSON")
    };
    let oracles = [("", read("configs/model_params.json")), ("configs/2026/", read("configs/2026/model_params.json"))];
    for (id, base, share) in ROTARY {
        let preset = presets::find(id).expect(id);
        // Weights that are stored otherwise turn their heads as far.
        let is_its =
            |case: &&serde_json::Value| case["hub_id"].as_str().and_then(presets::of_hub).is_some_and(|p| p.id == id);
        let case = oracles.iter().find_map(|(at, o)| Some((at, o["cases"].as_array()?.iter().find(is_its)?)));
        let (at, case) = case.expect(preset.hub);
        let file = case["config_file"].as_str().expect("a file");
        let config = read(&if at.is_empty() { file.to_owned() } else { file.replacen("configs/", at, 1) });
        let config = config.get("text_config").cloned().unwrap_or(config);
        let number = |names: &[&str]| names.iter().find_map(|n| config[*n].as_f64());
        assert_eq!(number(&["rope_theta", "rotary_emb_base"]).unwrap_or(10_000.0).floor(), base, "{id}");
        assert_eq!(number(&["partial_rotary_factor", "rotary_pct"]).unwrap_or(1.0), share, "{id}");
    }
}
