use super::*;
use crate::float::Class;
use crate::query::Query;

fn at(query: &str) -> (Params, Shown) {
    let (params, problems) = Params::read(&Query::parse(query));
    assert_eq!(problems, []);
    (params, params.shown())
}

#[test]
fn a_tenth_is_not_a_tenth() {
    let (params, shown) = at("");
    assert_eq!((shown.held[0].code, shown.held[1].code), (0x2e66, 0x3dcd));
    assert_eq!(shown.held[0].formula(), "+2⁻⁴ × (1 + 614/1024)");
    assert!(params.finding(&shown).starts_with("fp16 holds 0.0999755859, off by"), "{}", params.finding(&shown));
    let values = shown.values(0, 200).expect("few");
    assert!(values.len() > 20 && values.contains(&shown.held[0].value), "{values:?}");
    assert!(shown.values(1, 200).expect("few").len() >= 5);
}

#[test]
fn a_flipped_bit_flips_back_also_through_nan() {
    for query in ["value=0.1", "value=inf&format=e5m2", "value=448&format=e4m3fn", "value=-3&format=int8"] {
        let (params, shown) = at(query);
        for bit in 0..params.formats[0].bits() {
            let there = params.flipped(0, bit);
            let read = Params::read(&there.query()).0;
            assert_eq!(read.held(0).code, shown.held[0].code ^ (1 << bit), "{query} {bit}");
            assert_eq!(read.flipped(0, bit).held(0).code, shown.held[0].code, "{query} {bit}");
        }
    }
}

#[test]
fn what_is_too_large_is_said() {
    let (params, shown) = at("value=70000&other=e4m3fn");
    assert_eq!(shown.held[0].class, Class::Infinity);
    let finding = params.finding(&shown);
    assert!(finding.contains("fp16 makes ∞ of it, because its largest number is 65,504"), "{finding}");
    assert!(finding.contains("fp8 e4m3fn makes NaN of it"), "{finding}");
    assert_eq!(at("value=70000&other=e4m3fn&saturate=true").1.held[1].value, 448.0);
}

#[test]
fn sums_stall_and_gradients_vanish() {
    let (params, shown) = at("view=sum");
    assert!((shown.sums[0].kept() - 1.0).abs() < 0.1 || shown.sums[0].stalled.is_some());
    assert_eq!(shown.sums[1].kept(), 0.0);
    assert!(params.finding(&shown).contains("bf16 ends at 1: step 1 is the first"), "{}", params.finding(&shown));
    let (_, shown) = at("view=gradients");
    assert!(shown.fates[0].zero > 0.3 && shown.fates[1].zero == 0.0, "{:?}", shown.fates);
    let (_, shown) = at("view=gradients&scale=16");
    assert!(shown.fates[0].zero < 0.001 && shown.fates[0].overflowed < 0.001, "{:?}", shown.fates);
    assert_eq!(shown.gradients.iter().sum::<u32>(), GRADIENTS);
}

#[test]
fn every_format_beside_every_number_can_be_shown() {
    for id in IDS {
        for value in ["0", "-0", "1e-300", "1e300", "inf", "-448", "0xff", "2.5"] {
            let (params, shown) = at(&format!("format={id}&value={value}"));
            assert!(!params.finding(&shown).is_empty());
            let (from, to) = shown.stretch();
            assert!(from < to && from.is_finite() && to.is_finite(), "{id} {value} {from} {to}");
            _ = shown.values(0, 100);
        }
    }
}
