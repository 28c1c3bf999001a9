//! What the frameworks' own parsers said of every layout that is exported: `tests/frameworks/verdicts.json`, which
//! `cargo xtask test --only frameworks` writes.

use std::collections::BTreeMap;

use ringside_core::memory::Params;
use ringside_core::memory::export::Target;

const VERDICTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/frameworks/verdicts.json");
/// Where the layouts are written, if it names a file.
const EXPORTS: &str = "FRAMEWORK_EXPORTS";

/// FNV-1a of a text, in hexadecimal digits: changes when the text does.
pub(super) fn digest(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Models that joined after the parsers were last asked. Their layouts are held to the written rules alone
/// (`every_layout_that_is_exported_starts`) until `cargo xtask test --only frameworks` has asked for them too; then they go from here.
const NOT_ASKED: [&str; 7] =
    ["deepseek-v3.2", "kimi-k2.5", "minimax-m2.5", "qwen2.5-14b", "qwen2.5-32b", "qwen3-32b", "qwen3.5-35b-a3b"];

/// Every layout that a parser is to accept: for whom, from which query, and the text.
fn exports() -> Vec<(Target, String, Params, String)> {
    let targets = [Target::DeepSpeed, Target::Megatron, Target::Torchtitan];
    let mut all = Vec::new();
    super::each(|query, params| {
        if NOT_ASKED.iter().any(|id| query.starts_with(&format!("model={id}&"))) && std::env::var_os(EXPORTS).is_none()
        {
            return;
        }
        for target in targets {
            if let Ok(export) = target.write(params) {
                all.push((target, query.to_owned(), *params, export.text));
            }
        }
    });
    all
}

#[test]
fn the_frameworks_own_parsers_accepted_every_layout() {
    let exports = exports();
    if let Some(path) = std::env::var_os(EXPORTS) {
        let list: Vec<_> = exports
            .iter()
            .map(|(target, query, params, text)| {
                serde_json::json!({
                    "target": target.id(), "query": query, "gpus": params.gpus() as u64, "dp": params.dp,
                    "digest": digest(text), "text": text,
                })
            })
            .collect();
        std::fs::write(&path, serde_json::to_string(&list).expect("JSON")).expect("written");
        return;
    }
    let text = std::fs::read_to_string(VERDICTS).expect("tests/frameworks/verdicts.json");
    let verdicts: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text).expect("JSON");
    for (target, query, _, text) in &exports {
        let said = verdicts.get(target.id()).and_then(|all| all.get(query)).map(String::as_str);
        assert_eq!(
            said,
            Some(digest(text).as_str()),
            "{} of {query} is not what its parser accepted; `cargo xtask test --only frameworks` asks it again",
            target.id()
        );
    }
    assert!(exports.len() >= 200, "{}", exports.len());
}
