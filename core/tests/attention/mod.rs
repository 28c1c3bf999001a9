//! Attention against FlashAttention's paper: its rule for blocks, its count of HBM accesses, and what it measured.

use ringside_core::attention::{Params, Run, schedule};
use ringside_core::declare::Model;
use ringside_core::expr;
use ringside_core::query::Query;
use serde_json::Value;

use crate::compare::{Check, json, real};

const MODEL: &str = "flash-attention-tiling";
const FILE: &str = "oracles/flashattention_paper.json";

/// The right side of `name=` in the paper's list of sizes.
fn formula(table: &Value, name: &str) -> String {
    let text = table["block_sizes"].as_str().expect("the rule");
    let from = text.find(&format!("{name}=")).unwrap_or_else(|| panic!("{name}")) + name.len() + 1;
    let rest = &text[from..];
    let end = rest.find(';').unwrap_or(rest.len());
    rest[..end].split(", T").next().unwrap_or_default().split(", B").next().unwrap_or_default().replace("4d", "(4*d)")
}

fn run(query: &str) -> Run {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, [], "{query}");
    Run::new(&params)
}

/// The rule for block sizes and Algorithm 1's loads and stores, in numbers of 4 bytes; and Theorem 2's bounds.
fn accesses() -> Check {
    let what = "block sizes, and HBM accesses of a forward pass: 4N² + 4Nd, and 2Nd + Tc(3Nd + 4N)";
    let mut check = Check::new(MODEL, FILE, what, 0.0);
    let table = json(FILE);
    for d in [32_u64, 64, 128] {
        for n in [512_u64, 1000, 4096, 16_384] {
            for m in [2 * d, 16 * d, d * d, 25_600, n * d / 2, n * d] {
                let run = run(&format!("seq={n}&head_dim={d}&heads=1&sram={}&dtype=fp32", 4 * m));
                let name = format!("N {n} d {d} M {m}");
                let [rows, columns] = run.params.paper_blocks();
                let value = |text: &str| {
                    let names = |name: &str| match name {
                        "M" => Some(m as f64),
                        "d" => Some(d as f64),
                        "N" => Some(n as f64),
                        "Br" => Some(rows as f64),
                        "Bc" => Some(columns as f64),
                        _ => None,
                    };
                    expr::evaluate(text, &names).unwrap_or_else(|e| panic!("{text}: {e}"))
                };
                check.close(&name, columns as f64, value(&formula(&table, "Bc")));
                check.close(&name, rows as f64, value(&formula(&table, "Br")));
                let [tr, tc] = ["Tr", "Tc"].map(|t| value(&formula(&table, t)));
                check.close(&name, run.plan.sizes.row_blocks() as f64, tr);
                check.close(&name, run.plan.sizes.column_blocks() as f64, tc);
                check.close(&name, run.tiles() as f64, tr * tc);

                let (n, d, m) = (n as f64, d as f64, m as f64);
                let [standard, flash] = [run.standard.bytes(), run.flash.bytes()].map(|bytes| bytes as f64 / 4.0);
                check.close(&name, standard, 4.0 * n * n + 4.0 * n * d);
                // Kj and Vj once; Qi, Oi, li, mi in, and Oi, li, mi out, for every column block.
                check.close(&name, flash, 2.0 * n * d + tc * (3.0 * n * d + 4.0 * n));
                // Θ(Nd + N²), and Θ(N²d²/M) for d ≤ M ≤ Nd.
                let theta = flash / (n * n * d * d / m);
                assert!((4.0..=20.0).contains(&theta), "{name}: {theta} times N²d²/M");
                check.case();
            }
        }
    }
    check
}

/// Figure 2, left: GB read and written, forward and backward, GPT-2 medium on an A100. The paper's kernels also drop out
/// and mask; which blocks they used it does not say.
fn measured() -> Check {
    let what = "GB moved forward and backward, measured with dropout and masks that the model has not";
    let mut check = Check::new(MODEL, FILE, what, 0.4);
    let table = json(FILE);
    let rows = table["rows"].as_array().expect("rows");
    // 16 heads and a batch of 64; 128 KiB make 256 columns.
    let heads = 64.0;
    let bytes = |direction: &str, algo: &str| {
        let run = run(&format!("seq=1024&head_dim=64&heads=16&sram=131072&dtype=fp16&algo={algo}&pass={direction}"));
        run.of_all_heads(run.whole.bytes()) * heads / 1e9
    };
    for (name, algo) in [("Standard", "standard"), ("FlashAttention", "flash1")] {
        let row = rows.iter().find(|r| r["attention"] == name).unwrap_or_else(|| panic!("{name}"));
        check.close(name, bytes("forward", algo) + bytes("backward", algo), real(row, "HBM_RW_GB"));
        check.case();
    }
    check
}

const SCHEDULES: &str = "oracles/attention_schedules.json";

fn scheduled(case: &Value) -> (schedule::Params, schedule::Schedule) {
    let params = schedule::Params::read(&Query::parse(case["query"].as_str().expect("a query"))).0;
    let schedule = params.evaluate().expect("within range");
    (params, schedule)
}

fn listed<'a>(table: &'a Value, name: &str) -> &'a [Value] {
    table[name].as_array().expect("a list")
}

/// How long exponentials take beside products, as the papers count it.
fn tiles() -> Check {
    let mut check = Check::new(schedule::Params::ID, SCHEDULES, "exponentials over products of a tile", 0.0);
    for case in listed(&json(SCHEDULES), "tiles") {
        let (_, s) = scheduled(case);
        check.close(case["name"].as_str().unwrap_or_default(), s.exponentials / s.products, real(case, "exp_share"));
        check.case();
    }
    check
}

/// What kernels of each order were measured at lies below the order's bound, and not far.
fn kernels() -> Check {
    let what = "upper bound of each order against the FLOP/s that its kernel was measured at";
    let mut check = Check::new(schedule::Params::ID, SCHEDULES, what, 0.5);
    for case in listed(&json(SCHEDULES), "kernels") {
        let (params, s) = scheduled(case);
        let name = case["name"].as_str().unwrap_or_default();
        let measured = real(case, "tflops") * 1e12;
        assert_eq!(params.measured().map(|(flops, _)| flops), Some(measured), "{name}");
        assert!(measured < params.bound(&s), "{name}");
        check.close(name, params.bound(&s), measured);
        check.case();
    }
    check
}

#[test]
fn accesses_and_schedules_agree_with_the_papers() {
    assert_eq!(all().map(|check| check.cases), [72, 2, 2, 4]);
}

/// Every comparison.
pub fn all() -> [Check; 4] {
    [accesses(), measured(), tiles(), kernels()]
}
