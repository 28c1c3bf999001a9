//! Number formats against ml_dtypes, and the dynamic loss scale against Megatron-LM.

use ringside_core::float::{self, Format, Overflow, Rounding};
use ringside_core::loss_scaling::scaler::{Scaler, Settings};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const FORMATS: &str = "oracles/ml_dtypes_formats.json";
const CONVERSIONS: &str = "oracles/ml_dtypes_conversions.json";

/// Our format of ml_dtypes' name.
fn format(dtype: &str) -> Format {
    let id = match dtype {
        "float32" => "fp32",
        "float16" => "fp16",
        "bfloat16" => "bf16",
        "float8_e5m2" => "e5m2",
        "float8_e4m3fn" => "e4m3fn",
        "float8_e4m3" => "e4m3",
        "float6_e3m2fn" => "e3m2",
        "float6_e2m3fn" => "e2m3",
        "float4_e2m1fn" => "e2m1",
        "float8_e8m0fnu" => "e8m0",
        other => panic!("no format {other}"),
    };
    float::find(id).expect("a format")
}

/// A number of the files, which write what JSON cannot as words. All are exact in fp32, to which they are rounded because
/// serde_json reads decimals to within a unit in the last place of an `f64`.
fn number(value: &Value) -> f64 {
    let number = value.as_f64().unwrap_or_else(|| value.as_str().and_then(|text| text.parse().ok()).expect("a number"));
    f64::from(number as f32)
}

fn assert_same(context: &str, ours: f64, theirs: f64) {
    let same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
    assert!(same, "{context}: ours {ours}, theirs {theirs}");
}

fn encode(format: Format, x: f32) -> u64 {
    format.encode(x.into(), Rounding::NearestEven, Overflow::Special)
}

/// Ends, roundings and tables of seven types; then sums of small numbers.
fn formats() -> Check {
    let mut check = Check::new("float-bits", FORMATS, "ends, roundings and tables of seven types, sums in two", 0.0);
    for case in cases(&json(FORMATS)) {
        let dtype = case["inputs"]["dtype"].as_str().expect("a type");
        let format = format(dtype);
        check.case();
        if let Some(op) = case["inputs"]["op"].as_str() {
            let (start, update, steps) = if op.starts_with("s=") { (0.0, 1.0, 5000) } else { (1.0, -1e-4, 1000) };
            let course = float::sums::Updates { format, start, update, steps, stochastic: None }.run();
            check.close(op, course.last, real(&case["outputs"], "final"));
            continue;
        }
        let info = &case["outputs"]["finfo"];
        assert_eq!((format.bits(), format.mantissa_bits), (int(info, "bits") as u32, int(info, "nmant") as u32));
        assert_eq!(format.exponent_bits, int(info, "nexp") as u32, "{dtype}");
        for (key, ours) in [
            ("max", format.max()),
            ("min", format.min()),
            ("smallest_normal", format.min_normal()),
            ("smallest_subnormal", format.min_positive()),
            ("eps", format.epsilon()),
        ] {
            check.close(&format!("{dtype} {key}"), ours, number(&info[key]));
        }
        for (text, theirs) in case["outputs"]["rounded"].as_object().expect("values") {
            let x: f32 = text.parse().expect("a number");
            let code = encode(format, x);
            let bits = theirs["bits_hex"].as_str().expect("bits");
            assert_eq!(code, u64::from_str_radix(bits, 16).expect("hexadecimal"), "{dtype} of {text}");
            assert_same(&format!("{dtype} of {text}"), format.decode(code), number(&theirs["value"]));
        }
        table(format, &case["outputs"]);
    }
    check
}

/// What every code stands for, where the file has it.
fn table(format: Format, outputs: &Value) {
    for (code, theirs) in outputs["decode_table"].as_array().into_iter().flatten().enumerate() {
        assert_same(&format!("{} {code:x}", format.id), format.decode(code as u64), number(theirs));
    }
}

/// Conversions where rounding is decided.
fn conversions() -> Check {
    let what = "conversions at and beside the midpoints of nine types";
    let mut check = Check::new("float-bits", CONVERSIONS, what, 0.0);
    for case in cases(&json(CONVERSIONS)) {
        let format = format(case["inputs"]["dtype"].as_str().expect("a type"));
        for pair in case["outputs"]["pairs"].as_str().expect("pairs").split(' ') {
            let (x, theirs) = pair.split_once(':').expect("a pair");
            let x = f32::from_bits(u32::from_str_radix(x, 16).expect("hexadecimal"));
            let (ours, theirs) = (encode(format, x), u64::from_str_radix(theirs, 16).expect("hexadecimal"));
            // Whether the sign of NaN is kept depends on the type in ml_dtypes; here it is not.
            let sign = if x.is_nan() && format.signed() { 1 << (format.bits() - 1) } else { 0 };
            let sign = if format.specials == float::Specials::Finite { 0 } else { sign };
            assert_eq!(ours & !sign, theirs & !sign, "{} of {x:e}", format.id);
            check.case();
        }
        table(format, &case["outputs"]);
    }
    check
}

/// Megatron's scaler, step by step.
fn megatron_scaler() -> Check {
    let file = "oracles/megatron_dynamic_loss_scale.json";
    let mut check = Check::new("loss-scaling", file, "the scale after each step", 0.0);
    for case in cases(&json(file)) {
        let i = &case["inputs"];
        let mut scaler = Scaler::new(Settings {
            initial: real(i, "initial_scale"),
            min: real(i, "min_scale"),
            growth: real(i, "growth_factor"),
            backoff: real(i, "backoff_factor"),
            interval: int(i, "growth_interval") as u32,
            hysteresis: int(i, "hysteresis") as u32,
            ..Settings::MEGATRON
        });
        let overflows = i["found_inf_sequence"].as_str().expect("a sequence").bytes().map(|b| b == b'1');
        let scales = case["outputs"]["scale_after_each_step"].as_array().expect("scales");
        assert_eq!(overflows.len(), scales.len());
        for (overflow, scale) in overflows.zip(scales) {
            scaler.update(overflow);
            check.close("scale", scaler.scale, number(scale));
            check.case();
        }
    }
    check
}

/// Every comparison of this file.
pub fn all() -> Vec<Check> {
    vec![formats(), conversions(), megatron_scaler()]
}

#[test]
fn number_formats_agree_with_ml_dtypes_and_the_scaler_with_megatron() {
    let counts: Vec<u32> = all().iter().map(|check| check.cases).collect();
    assert_eq!(counts, [10, 5269, 62]);
}
