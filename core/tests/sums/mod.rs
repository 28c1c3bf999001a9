//! Sums in different orders against NumPy, PyTorch, ml_dtypes and CPython, bit for bit.

use ringside_core::float::{self, BF16, E4M3FN, E5M2, FP16, FP32, FP64, Format, Overflow, Rounding};
use ringside_core::reduction_order::compensated::{kahan, neumaier};
use ringside_core::reduction_order::data::{Data, Sort};
use ringside_core::reduction_order::exact::Exact;
use ringside_core::reduction_order::numbers::{Adder, Double};
use ringside_core::reduction_order::orders;
use ringside_core::reduction_order::{Arithmetic, Order};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::compare::{Check, cases, int, json, real};

const FILE: &str = "oracles/reduction_sums.json";

/// The numbers of a case: drawn again by our own generator where it says how, read from it where it does not.
fn numbers(inputs: &Value) -> Vec<f32> {
    let n = int(inputs, "n") as usize;
    let code = |text: &Value| f32::from_bits(bits(text) as u32);
    if let Some(kind) = inputs["generator"].as_str() {
        let data = match kind {
            "signed" => Data::Signed,
            "positive" => Data::Positive,
            "wide" => Data::Wide,
            "mean_one" => Data::MeanOne,
            "cancel" => Data::Cancel,
            other => panic!("no generator {other}"),
        };
        let sort = match inputs["order"].as_str() {
            Some("asc") => Sort::Ascending,
            Some("desc") => Sort::Descending,
            Some("abs_asc") => Sort::BySize,
            _ => Sort::None,
        };
        return sort.sorted(data.draw(n, int(inputs, "seed") as u32));
    }
    match &inputs["constant_fp32_bits"] {
        Value::Null => inputs["fp32_bits"].as_array().expect("numbers").iter().map(code).collect(),
        constant => vec![code(constant); n],
    }
}

fn bits(text: &Value) -> u64 {
    u64::from_str_radix(text.as_str().expect("bits").trim_start_matches("0x"), 16).expect("hexadecimal")
}

/// Asserts the same bits; of NaN, that both are.
fn assert_bits(context: &str, format: Format, ours: f64, theirs: &Value) {
    let theirs = bits(theirs);
    let code = format.encode(ours, Rounding::NearestEven, Overflow::Special);
    let both_nan = ours.is_nan() && format.decode(theirs).is_nan();
    assert!(both_nan || code == theirs, "{context}: ours {code:#x} ({ours:e}), theirs {theirs:#x}");
}

/// Asserts the same number: serde_json reads decimals to within a unit in the last place of an `f64`.
fn assert_near(context: &str, ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= f64::EPSILON * theirs.abs(), "{context}: ours {ours:e}, theirs {theirs:e}");
}

fn plain(format: Format) -> Arithmetic {
    Arithmetic { format, accumulator: format, splits: 4, batch: 8, ranks: 8, chunk: 0, arrival: 1 }
}

/// What each library's sum is here: its name in the file, the format of its bits, ours.
fn ours(name: &str, values: &[f32]) -> Option<(Format, f64)> {
    let in_format = |format: Format, order| {
        let held: Vec<f32> = values.iter().map(|v| Adder::new(format).hold(*v)).collect();
        Some((format, plain(format).sum(order, &held)))
    };
    let doubles: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    match name {
        "numpy_sum_fp32" => in_format(FP32, Order::Numpy),
        "numpy_cumsum_last_fp32" => in_format(FP32, Order::Sequential),
        "numpy_cumsum_last_reversed_fp32" => in_format(FP32, Order::Reversed),
        "numpy_sum_axis0_of_rows_of_8_then_sum_fp32" => in_format(FP32, Order::Columns),
        "numpy_sum_fp16" => in_format(FP16, Order::Numpy),
        "numpy_cumsum_last_fp16" => in_format(FP16, Order::Sequential),
        "math_fsum_rounded_to_fp32" => Some((FP32, FP32.nearest(Exact::of(values).to_f64()))),
        "math_fsum_fp64" => Some((FP64, Exact::of(values).to_f64())),
        "sequential_fp64_rounded_to_fp32" => in_format(FP32, Order::Double),
        "kahan_fp32" => Some((FP32, kahan(values).into())),
        "neumaier_fp32" => Some((FP32, neumaier(values).into())),
        "ml_dtypes_sequential_bf16" => in_format(BF16, Order::Sequential),
        "ml_dtypes_sequential_fp8_e4m3fn" => in_format(E4M3FN, Order::Sequential),
        "ml_dtypes_sequential_fp8_e5m2" => in_format(E5M2, Order::Sequential),
        "bf16_inputs_fp32_accumulator_then_bf16" => {
            let held: Vec<f32> = values.iter().map(|v| Adder::new(BF16).hold(*v)).collect();
            Some((BF16, Arithmetic { accumulator: FP32, ..plain(BF16) }.sum(Order::Sequential, &held)))
        }
        "torch_sum_fp32" => in_format(FP32, Order::Torch),
        "torch_sum_bf16" => in_format(BF16, Order::Torch),
        "torch_sum_fp16" => in_format(FP16, Order::Torch),
        "torch_cumsum_last_fp32" => in_format(FP32, Order::Wider),
        "torch_cumsum_last_bf16" => in_format(BF16, Order::Wider),
        "python_3_13_builtin_sum_fp64" => Some((FP64, neumaier(&doubles))),
        "plain_loop_fp64" => Some((FP64, orders::from_zero(Double, &doubles))),
        _ => None,
    }
}

/// Every library's sum of every array.
fn libraries() -> Check {
    let what = "sums of 48 arrays by 22 functions of NumPy, PyTorch, ml_dtypes and CPython, bit for bit";
    let mut check = Check::new("reduction-order", FILE, what, 0.0);
    for case in cases(&json(FILE)) {
        let name = case["inputs"]["name"].as_str().expect("a name");
        let values = numbers(&case["inputs"]);
        let first = case["inputs"]["first_values"].as_array().expect("values");
        for (ours, theirs) in values.iter().zip(first) {
            assert_eq!(*ours, theirs.as_f64().expect("a number") as f32, "{name}");
        }
        let exact = Exact::of(&values);
        assert_near(name, exact.to_f64(), real(&case["outputs"]["exact"], "value_nearest_double"));
        for (function, theirs) in case["outputs"].as_object().expect("outputs") {
            let Some((format, sum)) = ours(function, &values) else {
                assert!(["exact", "ring_all_reduce"].contains(&function.as_str()), "{function} is not compared");
                continue;
            };
            assert_bits(&format!("{name}: {function}"), format, sum, &theirs["bits"]);
            if let Some(error) = theirs["error"].as_f64()
                && format.mantissa_bits <= 23
            {
                assert_near(function, -exact.minus(sum), error);
            }
            check.case();
        }
    }
    check
}

/// The ring's order, chunk by chunk.
fn rings() -> Check {
    let mut check = Check::new("reduction-order", FILE, "ring all-reduces over 2 to 8 ranks, bit for bit", 0.0);
    for case in cases(&json(FILE)) {
        let name = case["inputs"]["name"].as_str().expect("a name");
        let values = numbers(&case["inputs"]);
        for (ranks, theirs) in case["outputs"]["ring_all_reduce"].as_object().into_iter().flatten() {
            let ranks: usize = ranks.parse().expect("ranks");
            let context = format!("{name}, {ranks} ranks");
            let same = |format: Format, ours: Vec<f32>, key: &str| {
                // Of long ones the file has the first eight and a hash of all.
                if let Some(hash) = theirs[format!("{}_sha256_of_le_bytes", format.id)].as_str()
                    && key.starts_with(format.id)
                {
                    let bytes = ours.iter().flat_map(|v| {
                        let code = format.encode((*v).into(), Rounding::NearestEven, Overflow::Special);
                        code.to_le_bytes().into_iter().take(format.bits() as usize / 8)
                    });
                    let digest = Sha256::digest(bytes.collect::<Vec<u8>>());
                    let ours: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                    assert_eq!(ours, hash, "{context}: {key}");
                }
                let short = theirs[format!("{key}_first_8")].as_array();
                let theirs = short.or(theirs[key].as_array());
                let Some(theirs) = theirs else { return };
                assert_eq!(ours.len().min(theirs.len()), theirs.len(), "{context}: {key}");
                if short.is_none() {
                    assert_eq!(ours.len(), theirs.len(), "{context}: {key}");
                }
                for (ours, theirs) in ours.into_iter().zip(theirs) {
                    assert_bits(&format!("{context}: {key}"), format, ours.into(), theirs);
                }
            };
            same(FP32, orders::ring_all_reduce(Adder::new(FP32), &values, ranks), "fp32_bits");
            same(FP32, orders::rank_order(Adder::new(FP32), &values, ranks), "rank0_first_fp32_bits");
            let held: Vec<f32> = values.iter().map(|v| Adder::new(BF16).hold(*v)).collect();
            same(BF16, orders::ring_all_reduce(Adder::new(BF16), &held, ranks), "bf16_each_hop_bits");
            let sums = Arithmetic { ranks, ..plain(FP32) }.all(&values, 0);
            assert_eq!(u64::from(sums.ring.0), int(theirs, "count_different"), "{context}");
            check.case();
        }
    }
    check
}

/// Every comparison of this file.
pub fn all() -> Vec<Check> {
    vec![libraries(), rings()]
}

#[test]
fn sums_agree_with_those_of_libraries_to_the_last_bit() {
    let counts: Vec<u32> = all().iter().map(|check| check.cases).collect();
    assert_eq!(counts, [1041, 101]);
}

/// Higham's bound holds for every order of every array of the file, in every format.
#[test]
fn no_error_is_beyond_its_bound() {
    for case in cases(&json(FILE)) {
        let values = numbers(&case["inputs"]);
        for format in [FP32, BF16, FP16, float::E5M2] {
            let arithmetic = plain(format);
            let sums = arithmetic.all(&values, 0);
            for sum in sums.sums.iter().filter(|s| s.value.is_finite()) {
                let Some(depth) = sum.depth else { continue };
                let bound = arithmetic.bound(sum.order, depth) * sums.magnitude;
                let beyond = sum.error.abs() > bound * (1.0 + 1e-12);
                assert!(!beyond, "{}: {sum:?}, bound {bound}", sum.order.label());
            }
        }
    }
}
