use super::*;

fn read(json: &str) -> Result<Exercise, String> {
    serde_json::from_str(json).map_err(|e| e.to_string())
}

const WEIGHTS: &str = r#"{
    "id": "speedup-64", "kind": "number", "skill": "scaling.amdahl", "level": 2,
    "prompt": "How much faster?", "model": "amdahl",
    "params": { "serial": 0.05, "n": 64 }, "draw": { "n": [8, "16", 1e3] },
    "answer": "speedup", "unit": "ratio",
    "solution": ["{speedup}"],
    "mistake": [{ "answer": "n", "say": "That forgets the serial part." }]
}"#;

#[test]
fn parameters_of_any_type_become_query_text() {
    let exercise = read(WEIGHTS).unwrap();
    assert_eq!(exercise.query(), Query::new([("n", "64"), ("serial", "0.05")]));
    assert_eq!(exercise.draw["n"], ["8", "16", "1000"].map(Value::from));
    assert_eq!(exercise.number().unwrap().tolerance, "2%");
}

#[test]
fn what_is_written_reads_back() {
    let predict = WEIGHTS.replace(r#""number""#, r#""predict", "unlocks": "curve", "reveal": "{speedup}""#);
    for json in [WEIGHTS, &predict] {
        let exercise = read(json).unwrap();
        let again = read(&serde_json::to_string(&exercise).unwrap()).unwrap();
        assert_eq!(exercise, again);
    }
}

#[test]
fn a_misspelt_field_is_named() {
    let predict = WEIGHTS.replace(r#""number""#, r#""predict", "unlocks": "curve", "reveal": "{speedup}""#);
    for json in [WEIGHTS, &predict] {
        for (field, wrong) in [("prompt", "promt"), ("unit", "units"), ("solution", "solutions"), ("say", "says")] {
            let error = read(&json.replace(&format!("\"{field}\""), &format!("\"{wrong}\""))).unwrap_err();
            assert!(error.contains(wrong) || error.contains(field), "{error}");
        }
    }
    let error = read(&WEIGHTS.replace("\"number\"", "\"nubmer\"")).unwrap_err();
    assert!(error.contains("nubmer") && error.contains("predict"), "{error}");
}
