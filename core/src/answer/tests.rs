use proptest::prelude::*;

use super::*;

const UNITS: [Unit; 8] = [
    Unit::Bytes,
    Unit::Seconds,
    Unit::Flop,
    Unit::FlopPerSecond,
    Unit::BytesPerSecond,
    Unit::Count,
    Unit::Ratio,
    Unit::Fraction,
];

fn verdict(expected: f64, unit: Unit, input: &str) -> Verdict {
    check(expected, unit, Tolerance::default(), &[], input)
}

#[test]
fn a_tolerance_is_read_and_said() {
    for (text, unit, tolerance, said) in [
        ("2%", Unit::Bytes, Tolerance::Relative(0.02), "within 2%"),
        (" 0.5 % ", Unit::Bytes, Tolerance::Relative(0.005), "within 0.5%"),
        ("exact", Unit::Count, Tolerance::Exact, "exactly"),
        ("0.5 GB", Unit::Bytes, Tolerance::Absolute(0.5e9), "within 500 MB"),
        ("3", Unit::Count, Tolerance::Absolute(3.0), "within 3"),
        ("2 ms", Unit::Seconds, Tolerance::Absolute(0.002), "within 2 ms"),
        ("0.01", Unit::Fraction, Tolerance::Absolute(0.01), "within 1%"),
    ] {
        let read = Tolerance::parse(text, unit).unwrap();
        assert_eq!(read, tolerance);
        assert_eq!(read.describe(unit), said);
    }
    for text in ["", "2", "-1%", "0%", "200%", "2 ms", "two percent", "1,5 GB", "-3 GB", "NaN%"] {
        let error = Tolerance::parse(text, Unit::Bytes);
        if text == "2" {
            assert_eq!(error, Ok(Tolerance::Absolute(2.0)));
        } else {
            assert!(error.unwrap_err().contains("tolerance"), "{text}");
        }
    }
}

#[test]
fn a_question_that_names_its_unit_needs_none_in_the_answer() {
    let asks = |input, expected, unit, converts| {
        let (tolerance, written_in) = (Tolerance::default(), Some(unit));
        let question =
            Question { expected, unit: Unit::Bytes, tolerance, mistakes: &[], names: &[], written_in, converts };
        question.check(input)
    };
    let asked = |input, expected, unit| asks(input, expected, unit, true);
    for right in ["13.5", "13.5 GB", "13.52e9", "13500000000", "27/2"] {
        assert!(asked(right, 13.52e9, "GB").is_right(), "{right}: {}", asked(right, 13.52e9, "GB").say());
    }
    assert!(!asked("8", 13.52e9, "GB").is_right() && !asked("8", 13.52e9, "GB").say().contains("of what"));
    // No hint offers what is refused: the same amount in another unit.
    let gib = 2.5 * 1_073_741_824.0;
    let (digits, converted) = (asked("2.5 GB", gib, "GiB"), asked("2.684 GB", gib, "GiB"));
    assert!(digits.say().ends_with("Write 2.5 GiB."), "{}", digits.say());
    assert_eq!(converted.say(), "Convert it: the question asks for GiB.");
    // Where converting is not the question, the same amount is right in any unit.
    let taken = asks("2.684 GB", gib, "GiB", false);
    assert!(taken.is_right() && taken.say().ends_with("In the unit asked for it is 2.5 GiB."), "{}", taken.say());
    assert!(asks("2.5", gib, "GiB", false).is_right() && !asks("2.5 GB", gib, "GiB", false).is_right());
    assert!(
        check(gib, Unit::Bytes, Tolerance::default(), &[], "2.5 GB").say().ends_with("Write 2.5 GiB, or convert it.")
    );
    assert!(check(gib, Unit::Bytes, Tolerance::default(), &[], "2.684 GB").is_right());
}

#[test]
fn how_far_off_a_guess_is_says_no_more_than_its_size() {
    let said = |value: f64, expected: f64| how_far(value, expected);
    assert_eq!(said(32.0, 15.4), "2.1 times too large.");
    assert_eq!(said(7.6, 33.6), "4.4 times too small.");
    assert_eq!(said(96.0, 100.0), "4% too small.");
    assert_eq!([said(0.0, 5.0), said(3.0, -1.0), said(1.0, 0.0)], ["Too small.", "Too large.", "Too large."]);
}

#[test]
fn amounts_are_written_in_a_unit_that_suits_them() {
    for (value, unit, text) in [
        (479.64e9, Unit::Bytes, "479.6 GB"),
        (0.0, Unit::Bytes, "0 B"),
        (12.0, Unit::Bytes, "12 B"),
        (0.125, Unit::Fraction, "12.5%"),
        (1e-5, Unit::Fraction, "0.001%"),
        (30e9, Unit::Count, "30 B"),
        (1536.0, Unit::Count, "1,536"),
        (100_001.0, Unit::Count, "100,001"),
        (1.0, Unit::Seconds, "1 s"),
        (90.0, Unit::Seconds, "90 s"),
        (9000.0, Unit::Seconds, "2.5 h"),
        (1e-12, Unit::Seconds, "0.001 ns"),
        (1.08e23, Unit::Flop, "108 ZFLOP"),
        (50e9, Unit::BytesPerSecond, "50 GB/s"),
        (1.75, Unit::Ratio, "1.75"),
        (f64::NAN, Unit::Bytes, "–"),
    ] {
        assert!(write(value, unit, 4).starts_with(text), "{value} {unit:?}: {}", write(value, unit, 4));
    }
}

#[test]
fn every_reading_that_is_offered_can_be_read() {
    for (input, unit) in [
        ("1,5 GB", Unit::Bytes),
        ("≈1,50 GB", Unit::Bytes),
        ("4,8e11", Unit::Bytes),
        ("4,8×10^11 B", Unit::Bytes),
        ("480 G", Unit::Bytes),
        ("1,5 × 2,5 GB", Unit::Bytes),
        ("50 gb/s", Unit::BytesPerSecond),
        ("2.5 m", Unit::Seconds),
        ("12,5%", Unit::Fraction),
        ("1.500", Unit::Count),
    ] {
        let Outcome::Ambiguous { readings } = verdict(1500.0, unit, input).outcome else {
            panic!("{input} is not ambiguous: {:?}", verdict(1500.0, unit, input));
        };
        assert_eq!(readings.len(), 2);
        for reading in readings {
            assert!(matches!(read(&reading, unit, &[]), Reading::Answer(_)), "{input}: {reading}");
        }
    }
    assert_eq!(
        verdict(1.0, Unit::Bytes, "1,5 GB").outcome,
        Outcome::Ambiguous { readings: vec!["1.5 GB".into(), "15 GB".into()] }
    );
}

#[test]
fn a_position_points_into_the_input() {
    for (input, at) in [("≈ 480 GX", 8), ("480 ± 5", 4), ("4,5.5", 0), ("(480 GB", 0), ("1/0", 1), ("−2/0 GB", 4)]
    {
        match verdict(480e9, Unit::Bytes, input).outcome {
            Outcome::Unreadable { at: found } => assert_eq!(found, at, "{input}"),
            other => panic!("{input}: {other:?}"),
        }
    }
}

#[test]
fn questions_do_not_count_as_attempts() {
    for (input, asks) in [("480", true), ("480 Gb", true), ("480 s", true), ("1,5 GB", true), ("?", true), ("", true)] {
        assert_eq!(verdict(480e9, Unit::Bytes, input).asks(), asks, "{input}");
    }
    for input in ["480 GB", "447 GB", "240 GB", "1 GB"] {
        assert!(!verdict(480e9, Unit::Bytes, input).asks(), "{input}");
    }
}

#[test]
fn hostile_input_is_answered_quickly() {
    for input in [
        "9".repeat(1_000_000),
        "(".repeat(399),
        "-".repeat(399),
        "2^".repeat(199) + "9",
        "1,".repeat(199) + "1",
        "1 ".repeat(199) + "1",
        "x".repeat(400),
        "½".repeat(199),
        "²".repeat(199),
        "per gpu ".repeat(49),
        format!("4 {}", " per gpu".repeat(49)),
        "about ".repeat(66),
        "1h".repeat(199),
        "💾".repeat(99),
        "\u{202e}480 GB".to_owned(),
        format!("1e{}", "9".repeat(390)),
        format!("1e-{}", "9".repeat(390)),
    ] {
        for unit in UNITS {
            let verdict = verdict(480e9, unit, &input);
            assert!(!verdict.is_right(), "{input}");
            assert!(verdict.say().len() < 400, "{}", verdict.say());
        }
    }
}

fn any_unit() -> impl Strategy<Value = Unit> {
    (0..UNITS.len()).prop_map(|i| UNITS[i])
}

/// Amounts as they occur, over many orders of magnitude.
fn amount() -> impl Strategy<Value = f64> {
    (1.0..10.0_f64, -9..24_i32).prop_map(|(mantissa, power)| mantissa * 10_f64.powi(power))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_expected_value_in_any_unit_is_right(value in amount(), unit in any_unit(), pick in any::<prop::sample::Index>(), digits in 4..9_u32) {
        let units = units_of(unit);
        let named = &units[pick.index(units.len())];
        let typed = named.write(value, digits);
        let judged = verdict(value, unit, &typed);
        prop_assert!(judged.is_right(), "{} for {}: {:?}", typed, value, judged);
        let usual = write(value, unit, digits);
        prop_assert!(verdict(value, unit, &usual).is_right(), "{} for {}", usual, value);
        // A share that is written as “under 0.001%” is no answer.
        let shown = unit.format(value);
        prop_assert!(shown.starts_with("under") || verdict(value, unit, &shown).is_right(), "{}", shown);
    }

    #[test]
    fn the_same_number_in_another_country_is_right_or_asked_about(whole in 1000..100_000_000_u64, hundredths in 0..100_u64) {
        let value = (whole as f64 + hundredths as f64 / 100.0) * 1e6;
        let groups = |separator: &str| {
            crate::quantity::grouped(whole).replace(',', separator)
        };
        for thousands in [" ", "\u{a0}", "\u{202f}", "\u{2009}", "_", "'", "’", ",", "."] {
            for decimals in [".", ","] {
                if thousands == decimals {
                    continue;
                }
                let typed = format!("{}{decimals}{hundredths:02} MB", groups(thousands));
                prop_assert!(verdict(value, Unit::Bytes, &typed).is_right(), "{typed}: {:?}", verdict(value, Unit::Bytes, &typed));
            }
        }
        let lone = format!("{whole},{hundredths:02} MB");
        let asked = matches!(verdict(value, Unit::Bytes, &lone).outcome, Outcome::Ambiguous { .. });
        prop_assert!(asked, "{}", lone);
    }

    #[test]
    fn what_is_outside_the_tolerance_is_not_right(expected in amount(), off in 0.0021..3.0_f64, up: bool, unit in any_unit(), pick in any::<prop::sample::Index>()) {
        // Eight digits, so that it is not a rounding of the expected value.
        let value = if up { expected * (1.0 + off) } else { expected / (1.0 + off) };
        let tolerance = Tolerance::Relative(0.002);
        let units = units_of(unit);
        let typed = units[pick.index(units.len())].write(value, 8);
        let mistakes = [Mistake { value, say: "This one.".into() }];
        let judged = check(expected, unit, tolerance, &[], &typed);
        prop_assert!(!judged.is_right(), "{} for {}: {:?}", typed, expected, judged);
        let judged = check(expected, unit, tolerance, &mistakes, &typed);
        prop_assert_eq!(judged.outcome, Outcome::DeclaredMistake { index: 0 });
    }

    #[test]
    fn a_declared_mistake_within_the_tolerance_is_never_chosen(expected in amount(), off in -0.0199..0.0199_f64, typed in amount()) {
        let mistakes = [Mistake { value: expected * (1.0 + off), say: "Never.".into() }];
        for input in [format!("{typed:e}"), format!("{:e}", mistakes[0].value), format!("{:e}", expected * 1.021)] {
            let judged = check(expected, Unit::Bytes, Tolerance::default(), &mistakes, &input);
            let chosen = matches!(judged.outcome, Outcome::DeclaredMistake { .. });
            prop_assert!(!chosen, "{}", input);
        }
    }

    #[test]
    fn nothing_panics(
        input in "\\PC*|[-0-9 .,'_eExX×*/^()%a-zA-Zµ≈~²³½]{0,40}|[0-9]{1,3}[., ]?[0-9]{0,3} ?[kKMGTPmµun]?i?[bBsFx%]?(/s|ps|it|LOPS?)?",
        expected in any::<f64>(), unit in any_unit(), tolerance in any::<f64>(), named: bool,
    ) {
        let names = if named { vec![("n".to_owned(), 8.0), ("min".to_owned(), f64::NAN)] } else { Vec::new() };
        let mistakes = [Mistake { value: tolerance, say: "Declared.".into() }];
        for tolerance in [Tolerance::Relative(tolerance), Tolerance::Absolute(tolerance), Tolerance::Exact] {
            let question = Question { expected, unit, tolerance, mistakes: &mistakes, names: &names, written_in: None, converts: false };
            let verdict = question.check(&input);
            prop_assert!(verdict.say().ends_with(['.', '?']), "{:?}", verdict);
            prop_assert!(!tolerance.describe(unit).is_empty());
            if let Outcome::Unreadable { at } = verdict.outcome {
                prop_assert!(input.is_char_boundary(at), "{} in {:?}", at, input);
            }
        }
    }
}
