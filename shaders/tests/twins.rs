//! Every kernel's twin comes to what f64 does, and reads and writes what the model says.

use proptest::prelude::*;
use ringside_core::coalescing::measured::{Gather, ORDERS};
use ringside_core::kernels::config::{Config, Numbers};
use ringside_core::kernels::rows::{self, Op};
use ringside_core::kernels::{Work as _, attention, decode, matmul, stream, tuner};
use ringside_shaders::check::check;
use ringside_shaders::{Kernel, Problem};

const ALL: u64 = u64::MAX;

fn holds(kernel: &Kernel, problem: &Problem, seed: u32) {
    let inputs = problem.data(seed);
    let (output, traffic) = (kernel.twin)(problem, &inputs);
    let checked = check(kernel, problem, &inputs, &output, ALL);
    assert!(checked.verified() && checked.checked == checked.of, "{} {problem:?}: {checked:?}", kernel.id);
    let products = kernel.passes.iter().find(|pass| ["main", "multiply", "score"].contains(&pass.entry));
    let said = problem.needs(kernel.id).map_or(0, |needs| needs.workgroups);
    if let Some(pass) = products.filter(|_| said > 0) {
        assert_eq!(said, pass.workgroups(&problem.dims()).iter().product::<u64>(), "{} {problem:?}", kernel.id);
    }
    assert_eq!(Some(traffic), problem.needs(kernel.id).map(|needs| needs.asked), "{} {problem:?}", kernel.id);
}

fn product() -> impl Strategy<Value = matmul::Sizes> {
    let size = || prop_oneof![3 => 1_u64..40, 1 => 60_u64..70, 1 => 126_u64..131];
    (size(), size(), size()).prop_map(|(m, n, k)| matmul::Sizes { m, n, k })
}

fn attending() -> impl Strategy<Value = attention::Sizes> {
    let dims = proptest::sample::select(&attention::HEAD_DIMS[..]);
    (prop_oneof![1_u64..20, 30_u64..70], dims, 1_u64..3, 1_u64..3, any::<bool>()).prop_map(
        |(seq, head_dim, kv_heads, shares, causal)| attention::Sizes {
            seq,
            head_dim,
            heads: kv_heads * shares,
            kv_heads,
            causal,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn products_are_right_and_cost_what_the_model_says(sizes in product(), seed: u32) {
        for kernel in ringside_shaders::matmul::KERNELS {
            holds(kernel, &Problem::Matmul(sizes), seed);
        }
    }

    #[test]
    fn attention_is_right_and_costs_what_the_model_says(sizes in attending(), seed: u32) {
        for kernel in ringside_shaders::attention::KERNELS {
            holds(kernel, &Problem::Attention(sizes), seed);
        }
    }
}

fn decoding() -> impl Strategy<Value = decode::Sizes> {
    let dims = proptest::sample::select(&attention::HEAD_DIMS[..]);
    (1_u64..400, dims, 1_u64..3, 1_u64..12, 1_u64..150).prop_map(|(keys, head_dim, kv_heads, shares, chunk)| {
        decode::Sizes { keys, head_dim, heads: kv_heads * shares, kv_heads, chunk }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn decoding_is_right_and_costs_what_the_model_says(sizes in decoding(), seed: u32) {
        all_hold(&Problem::Decode(sizes), seed);
        prop_assert_eq!(Problem::read("decode", &sizes.list()), Some(Problem::Decode(sizes)));
    }

    #[test]
    fn every_shape_of_the_tuner_is_right_and_costs_what_the_model_says(
        sizes in product(),
        shape in 0..tuner::SPACE.len(),
        numbers in proptest::sample::select(&Numbers::ALL[..]),
        seed: u32,
    ) {
        let config = Config { numbers, ..tuner::SPACE[shape].config };
        let kernel = ringside_shaders::find(tuner::FAMILY, numbers.id()).expect("there");
        let problem = Problem::Tuned(sizes, config);
        holds(kernel, &problem, seed);
        let list: Vec<u64> = sizes.list().into_iter().chain(config.list()).collect();
        prop_assert_eq!(Problem::read(tuner::FAMILY, &list), Some(problem));
    }
}

/// Every kernel of the problem's family.
fn all_hold(problem: &Problem, seed: u32) {
    for kernel in ringside_shaders::all().filter(|kernel| kernel.family == problem.family()) {
        holds(kernel, problem, seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn operations_on_rows_are_right_and_cost_what_the_model_says(
        op in proptest::sample::select(&Op::ALL[..]),
        rows in 1_u64..6,
        cols in prop_oneof![3 => 1_u64..300, 1 => 4000_u64..4500],
        seed: u32,
    ) {
        all_hold(&Problem::Rows(op, rows::Sizes { rows, cols }), seed);
    }

    #[test]
    fn copies_sums_and_ladders_are_right_and_cost_what_the_model_says(
        rows in 1_u64..70,
        cols in 1_u64..70,
        n in prop_oneof![2 => 1_u64..600, 1 => 4090_u64..8200],
        fma in prop_oneof![1_u64..40, Just(0_u64), Just(257_u64)],
        seed: u32,
    ) {
        all_hold(&Problem::Copy(stream::Copy { rows, cols }), seed);
        all_hold(&Problem::Sum(stream::Sum { n }), seed);
        all_hold(&Problem::Intensity(stream::Intensity { n, fma }), seed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn gathers_are_right_and_cost_what_the_model_says(
        log in 0_u32..13,
        order in proptest::sample::select(&ORDERS[..]),
        stride in 0_u64..70,
        offset in 0_u64..70,
        seed: u32,
    ) {
        let gather = Gather { n: 1 << log, order, stride, offset };
        let problem = Problem::Gather(gather);
        all_hold(&problem, seed);
        prop_assert_eq!(Problem::read("gather", &gather.sizes().1), Some(problem));
    }
}

#[test]
fn problems_are_read_as_they_are_sent() {
    let product = matmul::Sizes { m: 5, n: 7, k: 3 };
    assert_eq!(Problem::read("matmul", &product.list()), Some(Problem::Matmul(product)));
    let attending = attention::Sizes { seq: 5, head_dim: 32, heads: 4, kv_heads: 2, causal: true };
    assert_eq!(Problem::read("attention", &attending.list()), Some(Problem::Attention(attending)));
    let sizes = rows::Sizes { rows: 5, cols: 7 };
    for op in Op::ALL {
        assert_eq!(Problem::read(op.id(), &sizes.list()), Some(Problem::Rows(op, sizes)));
    }
    let (copy, ladder) = (stream::Copy { rows: 5, cols: 7 }, stream::Intensity { n: 9, fma: 2 });
    assert_eq!(Problem::read("copy", &copy.sizes().1), Some(Problem::Copy(copy)));
    assert_eq!(Problem::read("sum", &stream::Sum { n: 9 }.sizes().1), Some(Problem::Sum(stream::Sum { n: 9 })));
    assert_eq!(Problem::read("intensity", &ladder.sizes().1), Some(Problem::Intensity(ladder)));
    for (family, sizes) in [
        ("matmul", &[5, 0, 3][..]),
        ("matmul", &[1]),
        ("attention", &[5, 33, 4, 2, 1]),
        ("softmax", &[5, 0]),
        ("softmax", &[1 << 20, 1]),
        ("copy", &[0, 5]),
        ("sum", &[0]),
        ("sum", &[1 << 40]),
        ("gather", &[63, 0, 1, 0]),
        ("decode", &[5, 64, 3, 2, 64]),
        ("decode", &[5, 64, 2, 2, 0]),
        (tuner::FAMILY, &[5, 5, 5]),
        (tuner::FAMILY, &[5, 5, 5, 100, 128, 8, 8, 8, 2, 8, 0]),
        ("gather", &[64, 3, 1, 0]),
        ("no-such", &[5, 5]),
    ] {
        assert_eq!(Problem::read(family, sizes), None);
    }
}

#[test]
fn a_wrong_value_is_noticed_wherever_it_is() {
    let kernel = &ringside_shaders::matmul::KERNELS[0];
    let problem = Problem::Matmul(matmul::Sizes { m: 5, n: 7, k: 3 });
    let inputs = problem.data(1);
    let (right, _) = (kernel.twin)(&problem, &inputs);
    for at in 0..right.len() {
        for wrong in [right[at] + 1e-5, f32::NAN, f32::INFINITY] {
            let mut output = right.clone();
            output[at] = wrong;
            assert!(!check(kernel, &problem, &inputs, &output, ALL).verified(), "{wrong} at {at}");
        }
    }
    assert!(!check(kernel, &problem, &inputs, &right[1..], ALL).verified());
}

#[test]
fn a_small_budget_looks_at_the_first_and_the_last_row() {
    let kernel = &ringside_shaders::matmul::KERNELS[0];
    let problem = Problem::Matmul(matmul::Sizes { m: 50, n: 7, k: 3 });
    let inputs = problem.data(1);
    let (right, _) = (kernel.twin)(&problem, &inputs);
    let checked = check(kernel, &problem, &inputs, &right, 2 * problem.row_cost());
    assert!(checked.verified());
    assert_eq!((checked.checked, checked.of), (14, 350));
    for at in [0, 349] {
        let mut output = right.clone();
        output[at] += 1.0;
        assert!(!check(kernel, &problem, &inputs, &output, 2 * problem.row_cost()).verified());
    }
}

#[test]
fn inputs_are_the_same_every_time_and_look_random() {
    let problem = Problem::Attention(attention::Sizes { seq: 64, head_dim: 64, heads: 2, kv_heads: 1, causal: false });
    let data = problem.data(3);
    assert_eq!(data, problem.data(3));
    assert_ne!(data, problem.data(4));
    let mean = |values: &[f32]| values.iter().map(|v| f64::from(*v)).sum::<f64>() / values.len() as f64;
    for (values, most) in data.iter().zip([3.0, 3.0, 1.0]) {
        assert!(values.iter().all(|v| v.abs() <= most && v.abs() >= most / 4096.0));
        assert!(mean(values).abs() < 0.05 * f64::from(most));
    }
}
