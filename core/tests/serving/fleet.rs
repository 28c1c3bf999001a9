//! The router against inference-lab's, choice by choice, and small fleets against what its own tests expect.

use ringside_core::declare::Model as _;
use ringside_core::query::Query;
use ringside_core::serving::fleet::{Load, Params, Policy, Router, Run, Session, Signal, Turn, run};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "fleet";
const FILE: &str = "oracles/inference_lab_router.json";

/// Every comparison.
pub fn all() -> Vec<Check> {
    vec![choices(), fleets()]
}

fn list(value: &Value) -> Vec<u64> {
    value.as_array().expect("a list").iter().filter_map(Value::as_u64).collect()
}

/// Which replica is chosen. Load is counted in requests there.
fn choices() -> Check {
    let mut check = Check::new(MODEL, FILE, "the replica that a router chooses", 0.0);
    for (i, case) in cases(&json(FILE)).iter().enumerate() {
        let router = |policy, bound| Router::new(policy, Load::Requests, bound);
        let kind = case["kind"].as_str().expect("a kind");
        let (mut router, signals, chosen) = match kind {
            "round_robin" => {
                let signals = vec![Signal::default(); int(case, "replicas") as usize];
                (router(Policy::RoundRobin, 0.0), signals, list(&case["chosen"]))
            }
            "least_loaded" | "prefix_affinity" => {
                let signal = |value: &Value| {
                    let [requests, queued, cached]: [u64; 3] = list(value).try_into().expect("three numbers");
                    Signal { requests, queued, cached, tokens: 0 }
                };
                let bound = if case["ratio"].is_number() { real(case, "ratio") } else { 0.0 };
                let policy = if kind == "least_loaded" { Policy::LeastLoaded } else { Policy::Prefix };
                let signals = case["signals"].as_array().expect("signals").iter().map(signal).collect();
                (router(policy, bound), signals, vec![int(case, "chosen")])
            }
            _ => continue,
        };
        for theirs in chosen {
            let ours = router.choose(&signals).expect("there is a replica");
            // Replica 0 would be like any other to a relative difference.
            check.close(&format!("case {i}"), ours as f64 + 1.0, theirs as f64 + 1.0);
        }
        check.case();
    }
    check
}

/// Turns that find a prefix, and prompts per replica. Their arrivals are set; here a turn comes a second after the last answer, which is a few
/// milliseconds later and in the same order. A prompt there doesn't have the last answer; ours has as many tokens.
fn fleets() -> Check {
    let mut check = Check::new(MODEL, FILE, "turns with a cached prefix, and prompts per replica", 0.0);
    for case in cases(&json(FILE)).iter().filter(|case| case["kind"] == "fleet") {
        let [policy, pool] = ["policy", "pool"].map(|key| case[key].as_str().expect("text"));
        let (sessions, turns) = (int(case, "sessions"), int(case, "turns"));
        let (prompt, grows, output) = (int(case, "prompt"), int(case, "grows"), int(case, "output"));
        let split = if pool == "decode" { "&prefill=4" } else { "" };
        let query = format!(
            "policy={policy}&load=requests&bound=0&replicas={}{split}&shared=0&block=16&tokens=8192&seqs=256&dies=0",
            int(case, "replicas")
        );
        let (params, problems) = Params::read(&Query::parse(&query));
        assert_eq!(problems, []);
        let engine = params.machine.deployment().engine().expect("it fits");
        let session = |s: u64| Session {
            start: s as f64 * real(case, "apart"),
            shared: 0,
            turns: (0..turns)
                .map(|turn| match turn {
                    0 => Turn { new: prompt, output, wait: 0.0 },
                    _ => Turn { new: grows - output, output, wait: 1.0 },
                })
                .collect(),
        };
        let sessions: Vec<Session> = (0..sessions).map(session).collect();
        let run = run(&params, &engine, &sessions, false).expect("it ends");
        let name = format!("{policy}, {pool}");
        if case["hits"].is_number() {
            let hits = run.asked.iter().filter(|asked| asked.hit.is_some_and(|hit| hit > 0)).count();
            check.close(&name, hits as f64, real(case, "hits"));
        }
        if case["per_replica"].is_array() {
            check.close(&name, f64::from(u8::from(per_replica(&run, pool) == list(&case["per_replica"]))), 1.0);
        }
        check.case();
    }
    check
}

fn per_replica(run: &Run, pool: &str) -> Vec<u64> {
    let first = if pool == "decode" { 4 } else { 0 };
    let count = |r: usize| run.asked.iter().filter(|a| if first > 0 { a.decoded } else { a.prefilled } == r).count();
    (first..run.busy.len()).map(|r| count(r) as u64).collect()
}

#[test]
fn routers_choose_and_fleets_find_what_inference_lab_says() {
    assert_eq!(all().iter().map(|check| check.cases).collect::<Vec<_>>(), [94, 5]);
}
