//! Fetching a prefix against what vLLM published of its offloading connector: block sizes, speed of copies, time to first token.

use ringside_core::declare::Model as _;
use ringside_core::query::Query;
use ringside_core::serving::tiers::{Outcome, Params, Tier};
use ringside_core::units::{GB, KIB, MIB};

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "kv-tiers";
const FILE: &str = "oracles/vllm_kv_offloading.json";

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![blocks(), copies(), first_tokens()]
}

fn params(query: &str) -> (Params, Outcome) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    let outcome = params.evaluate().expect("it fits");
    (params, outcome)
}

/// Bytes of a piece in both layouts, by the table; its last digit is half a percent.
fn blocks() -> Check {
    let mut check = Check::new(MODEL, FILE, "bytes of a piece, one per layer and one for all layers", 0.01);
    for case in cases(&json(FILE)).iter().filter(|case| case["kind"] == "block") {
        let preset = case["preset"].as_str().expect("a model");
        if preset == "qwen3-8b" {
            check.exclude("listed with 28 KB, which its config does not have");
            continue;
        }
        let piece = |layout: &str| {
            let query = format!("model={preset}&tp={}&layout={layout}&quant=fp8", int(case, "tp"));
            let (_, outcome) = params(&query);
            outcome.here.bytes / outcome.here.copies
        };
        check.close(preset, piece("layers"), real(case, "old_kib") * KIB);
        check.close(preset, piece("block"), real(case, "new_mib") * MIB);
        check.case();
    }
    check
}

/// What a transfer of many pieces reaches, by their size.
fn copies() -> Check {
    let mut check = Check::new(MODEL, FILE, "measured: GB/s of copies from host to H100, by the size of a piece", 0.15);
    for case in cases(&json(FILE)).iter().filter(|case| case["kind"] == "copy") {
        let (p, _) = params("link=pcie5");
        let piece = real(case, "piece_kib") * KIB;
        let reached = piece / (p.copy + piece / p.bandwidth(Tier::Host));
        check.close(&format!("{piece} B"), reached, real(case, "gb_per_s") * GB);
        check.case();
    }
    check
}

/// The time to first token of one request, computed and loaded from the host. The figure has no start of a request, no sampling and no host.
fn first_tokens() -> Check {
    let mut check =
        Check::new(MODEL, FILE, "measured: time to first token, computed and loaded, Llama 3.1 8B on H100", 0.15);
    for case in cases(&json(FILE)).iter().filter(|case| case["kind"] == "first_token") {
        let tokens = 1000 * int(case, "k_tokens");
        let (_, outcome) = params(&format!("model=llama-3-8b&layout=block&after=1&tokens={tokens}"));
        let (fetched, rest) = (outcome.here.from(Tier::Host), outcome.here.rest);
        check.close(&format!("{tokens} computed"), 1e3 * (outcome.here.recompute + rest), real(case, "compute_ms"));
        if case["load_ms"].is_number() {
            check.close(&format!("{tokens} loaded"), 1e3 * (fetched + rest), real(case, "load_ms"));
        }
        check.case();
    }
    check
}
