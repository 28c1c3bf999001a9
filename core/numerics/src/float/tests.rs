use super::*;
use crate::mix::Stream;

#[test]
fn every_code_of_up_to_sixteen_bits_reads_back_to_itself() {
    for format in ALL.into_iter().filter(|f| f.bits() <= 19) {
        for code in 0..1_u64 << format.bits() {
            let value = format.decode(code);
            if value.is_nan() {
                assert_eq!(format.class(code), Class::Nan, "{} {code:x}", format.id);
                continue;
            }
            let again = format.encode(value, Rounding::NearestEven, Overflow::Special);
            assert_eq!(again, code, "{} {value}", format.id);
        }
    }
}

#[test]
fn neighbours_are_the_codes_before_and_after() {
    for format in ALL.into_iter().filter(|f| f.bits() <= 16) {
        let mut values: Vec<f64> =
            (0..1_u64 << format.bits()).map(|c| format.decode(c)).filter(|v| v.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        values.dedup_by(|a, b| a == b);
        for pair in values.windows(2) {
            let [below, above] = *pair else { continue };
            assert_eq!(format.next_up(below), Some(above), "{} above {below}", format.id);
            assert_eq!(format.next_down(above), Some(below), "{} below {above}", format.id);
            let between = below + (above - below) * 0.3;
            assert_eq!((format.next_up(between), format.next_down(between)), (Some(above), Some(below)));
            assert_eq!(format.nearest(between), below);
            assert_eq!(format.round(between, Rounding::Up, Overflow::Special), above);
        }
        assert_eq!(format.next_up(format.max()), None);
        assert_eq!(format.next_up(f64::NAN), None);
        assert_eq!(format.next_down(format.min()), None);
        assert_eq!(format.next_down(f64::INFINITY), Some(format.max()));
        assert_eq!(format.next_up(f64::NEG_INFINITY), Some(format.min()));
    }
}

#[test]
fn fp32_and_fp64_are_those_of_the_machine() {
    let mut stream = Stream::new(1);
    for _ in 0..20_000 {
        let x = f64::from_bits(stream.bits());
        if x.is_nan() {
            continue;
        }
        let machine = (x as f32).to_bits();
        assert_eq!(FP32.encode(x, Rounding::NearestEven, Overflow::Special), u64::from(machine), "{x:e}");
        assert_eq!(FP64.encode(x, Rounding::NearestEven, Overflow::Special), x.to_bits());
        assert_eq!(FP64.decode(x.to_bits()), x);
        let y = f32::from_bits(stream.bits() as u32);
        if y.is_finite() {
            assert_eq!(FP32.decode(u64::from(y.to_bits())), f64::from(y));
            assert_eq!(FP32.next_up(y.into()).map(|v| v as f32), Some(y.next_up()).filter(|v| v.is_finite()));
        }
    }
}

#[test]
fn a_rounder_does_what_round_does() {
    let mut stream = Stream::new(2);
    for format in [FP32, TF32, BF16, FP16, E5M2, E4M3FN, E4M3, E3M2, E2M3, E2M1] {
        for overflow in [Overflow::Special, Overflow::Saturate] {
            let rounder = Rounder::new(format, overflow);
            for i in 0..20_000 {
                let bits = stream.bits() as u32;
                // Half of them near the range of the narrow formats.
                let x = if i % 2 == 0 { f32::from_bits(bits) } else { f32::from_bits(bits % (60 << 23) + (90 << 23)) };
                let slow = format.round(x.into(), Rounding::NearestEven, overflow) as f32;
                let fast = rounder.round(x);
                let same = fast.to_bits() == slow.to_bits() || (fast.is_nan() && slow.is_nan());
                assert!(same || x.is_nan() && slow == 0.0, "{} {x:e}: {fast:e}, not {slow:e}", format.id);
            }
        }
    }
}

#[test]
fn ends_and_spacings_are_those_of_the_specifications() {
    let facts = |f: Format| (f.bits(), f.max(), f.min_normal(), f.min_positive(), f.epsilon());
    let p = power_of_two;
    assert_eq!(facts(FP16), (16, 65504.0, p(-14), p(-24), p(-10)));
    assert_eq!(facts(BF16), (16, p(127) * (2.0 - p(-7)), p(-126), p(-133), p(-7)));
    assert_eq!(facts(TF32), (19, p(127) * (2.0 - p(-10)), p(-126), p(-136), p(-10)));
    assert_eq!(facts(E4M3FN), (8, 448.0, p(-6), p(-9), p(-3)));
    assert_eq!(facts(E5M2), (8, 57344.0, p(-14), p(-16), p(-2)));
    assert_eq!(facts(E4M3), (8, 240.0, p(-6), p(-9), p(-3)));
    assert_eq!(facts(E3M2), (6, 28.0, p(-2), p(-4), p(-2)));
    assert_eq!(facts(E2M3), (6, 7.5, 1.0, p(-3), p(-3)));
    assert_eq!(facts(E2M1), (4, 6.0, 1.0, 0.5, 0.5));
    assert_eq!((E8M0.min(), E8M0.max(), E8M0.bits()), (p(-127), p(127), 8));
    assert_eq!((INT8.min(), INT8.max(), INT8.spacing(100.0), INT8.bits()), (-128.0, 127.0, 1.0, 8));
    assert_eq!((FP64.max(), FP64.min_positive(), FP64.epsilon()), (f64::MAX, 5e-324, f64::EPSILON));
}

#[test]
fn what_is_too_large_is_special_or_saturates() {
    let special = |f: Format, x| f.round(x, Rounding::NearestEven, Overflow::Special);
    let saturated = |f: Format, x| f.round(x, Rounding::NearestEven, Overflow::Saturate);
    assert_eq!((special(E4M3FN, 464.0), saturated(E4M3FN, 465.0)), (448.0, 448.0));
    assert!(special(E4M3FN, 465.0).is_nan() && special(E4M3FN, f64::NEG_INFINITY).is_nan());
    assert_eq!(saturated(E4M3FN, f64::NEG_INFINITY), -448.0);
    assert_eq!((special(E5M2, 61440.0), saturated(E5M2, 61440.0)), (f64::INFINITY, 57344.0));
    assert_eq!((special(FP16, 65519.9), special(FP16, -65520.0)), (65504.0, f64::NEG_INFINITY));
    assert!(saturated(E5M2, f64::NAN).is_nan());
    assert_eq!(FP16.round(1e9, Rounding::TowardZero, Overflow::Special), 65504.0);
}

#[test]
fn stochastic_rounding_is_right_on_average() {
    let mut stream = Stream::new(5);
    let n = 40_000;
    let mean: f64 =
        (0..n).map(|_| BF16.round(1.003, Rounding::Stochastic(&mut stream), Overflow::Special)).sum::<f64>()
            / f64::from(n);
    assert!((mean - 1.003).abs() < 1e-4, "{mean}");
    let exact = E4M3FN.round(1.125, Rounding::Stochastic(&mut stream), Overflow::Special);
    assert_eq!(exact, 1.125);
}
