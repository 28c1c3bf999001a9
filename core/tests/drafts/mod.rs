//! Speculative decoding against transformers' `_speculative_sampling` and the paper's tables.

use ringside_core::speculative::{acceptance, operations, residual, speedup, tokens};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "multi-token-prediction";
const FILE: &str = "oracles/speculative_decoding.json";

fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// One token, whole steps, and the formulas.
fn steps() -> Check {
    let mut check = Check::new(MODEL, FILE, "what is kept, what replaces it, tokens of a pass, speed-up", 1e-9);
    for case in cases(&json(FILE)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let name = inputs["name"].as_str().unwrap_or("formula");
        match inputs["kind"].as_str() {
            Some("formula") => {
                let (alpha, drafted) = (real(inputs, "alpha"), int(inputs, "gamma") as u32);
                check.close(name, tokens(alpha, drafted), real(outputs, "expected_tokens"));
                check.close(name, speedup(alpha, drafted, real(inputs, "c")), real(outputs, "speedup"));
                if let Some(theirs) = outputs["operations_factor_with_draft_cost_0"].as_f64() {
                    check.close(name, operations(alpha, drafted, 0.0), theirs);
                }
                if let Some(best) = outputs["best_gamma_up_to_64"].as_u64() {
                    let speed = |n: &u32| speedup(alpha, *n, real(inputs, "c"));
                    let ours = (0..=64).max_by(|a, b| speed(a).total_cmp(&speed(b)).then(b.cmp(a)));
                    assert_eq!(ours.map(u64::from), Some(best), "{inputs}");
                }
            }
            kind => {
                let (target, draft) = (list(&inputs["target_p"]), list(&inputs["draft_q"]));
                let alpha = acceptance(&target, &draft);
                if kind == Some("whole_step") {
                    let drafted = int(inputs, "gamma") as u32;
                    check.close(name, tokens(alpha, drafted), real(outputs, "expected_tokens"));
                } else {
                    check.close(name, alpha, real(outputs, "acceptance_probability"));
                    one_token(&mut check, name, [&target, &draft], outputs);
                }
            }
        }
        check.case();
    }
    check
}

/// What comes out is distributed as the target, whatever the draft.
fn one_token(check: &mut Check, name: &str, [target, draft]: [&[f64]; 2], outputs: &Value) {
    let rest = residual(target, draft);
    assert_eq!(rest.is_none(), outputs["residual_distribution"].is_null(), "{name}");
    let rest = rest.unwrap_or_else(|| vec![0.0; target.len()]);
    for (ours, theirs) in rest.iter().zip(outputs["residual_distribution"].as_array().into_iter().flatten()) {
        check.close(name, *ours, theirs.as_f64().expect("a number"));
    }
    let refused = 1.0 - acceptance(target, draft);
    for ((p, q), rest) in target.iter().zip(draft).zip(&rest) {
        assert!((p.min(*q) + refused * rest - p).abs() < 1e-12, "{name}");
    }
}

#[test]
fn drafts_agree_with_transformers() {
    assert_eq!(steps().cases, 30);
}

/// Leviathan et al., Table 1, to the digits printed.
#[test]
fn the_papers_table_comes_out() {
    let oracle = json(FILE);
    let rows = oracle["published"][0]["rows"].as_array().expect("rows");
    for row in rows {
        let (alpha, drafted) = (real(row, "alpha"), int(row, "gamma") as u32);
        assert!((operations(alpha, drafted, 0.0) - real(row, "operations")).abs() < 0.0051, "{row}");
        assert!((speedup(alpha, drafted, 0.0) - real(row, "speed")).abs() < 0.0051, "{row}");
    }
    assert_eq!(rows.len(), 6);
}

/// Every comparison.
pub fn all() -> [Check; 1] {
    [steps()]
}
