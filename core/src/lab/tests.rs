//! The stored outputs of the scripts hold; pastes that are wrong are told why.

use proptest::prelude::*;

use super::{ALL, BEGIN, END, Within, read};

/// What each script printed, on two or four processes of a machine with two cores.
const OUTPUTS: [(&str, &str); 10] = [
    ("collectives", include_str!("../../../content/labs/01-collectives/output.txt")),
    ("ddp", include_str!("../../../content/labs/02-ddp/output.txt")),
    ("fsdp", include_str!("../../../content/labs/03-fsdp/output.txt")),
    ("mixed-precision", include_str!("../../../content/labs/04-mixed-precision/output.txt")),
    ("deepspeed", include_str!("../../../content/labs/05-deepspeed/output.txt")),
    ("profile", include_str!("../../../content/labs/06-profile/output.txt")),
    ("parallel", include_str!("../../../content/labs/07-parallel/output.txt")),
    ("serve", include_str!("../../../content/labs/08-serve/output.txt")),
    ("fsdp-in-code", include_str!("../../../content/labs/09-fsdp-in-code/output.txt")),
    ("ring-attention", include_str!("../../../content/labs/10-ring-attention/output.txt")),
];

#[test]
fn what_the_scripts_printed_is_what_the_models_say() {
    for ((id, output), lab) in OUTPUTS.into_iter().zip(&ALL) {
        assert_eq!(id, lab.id);
        let held = read(output, Some(id)).unwrap_or_else(|why| panic!("{id}: {why:?}"));
        assert!(!held.rows.is_empty() && !held.finding.is_empty(), "{id}");
        for row in &held.rows {
            // Times are of one machine on one day: a test that holds them would fail by load. Bytes, counts and bits do not.
            if !matches!(row.within, Within::Times(_)) {
                assert!(row.holds(), "{id}: {row:?}");
            }
            assert!(row.predicted.is_finite(), "{id}: {row:?}");
            assert_eq!(row.holds(), row.why.is_empty(), "{id}: {row:?}");
        }
    }
}

/// `cargo xtask test --only labs` runs the scripts and says where their outputs are.
#[test]
fn what_the_scripts_print_now_is_what_the_models_say() {
    let Some(folder) = std::env::var_os("LABS_PRINTED") else {
        eprintln!("skipped: run `cargo xtask test --only labs`");
        return;
    };
    for (number, lab) in (1..).zip(&ALL) {
        let path = std::path::Path::new(&folder).join(format!("{number:02}-{}.txt", lab.id));
        let printed = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let held = read(&printed, Some(lab.id)).unwrap_or_else(|why| panic!("{}: {why:?}", lab.id));
        for row in held.rows {
            if !matches!(row.within, Within::Times(_)) {
                assert!(row.holds(), "{}: {row:?}", lab.id);
            } else if !row.holds() {
                eprintln!("{}: {}: {} ({})", lab.id, row.what, row.difference(), row.why);
            }
        }
    }
}

#[test]
fn a_measurement_that_is_wrong_is_seen() {
    let (_, fsdp) = OUTPUTS[2];
    let wrong = fsdp.replacen("8388608", "8388612", 1);
    let held = read(&wrong, None).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(held.rows.iter().filter(|row| !row.holds()).count(), 1);
}

#[test]
fn a_line_that_a_terminal_folded_is_read() {
    let (id, output) = OUTPUTS[0];
    let (before, json) = output.split_once(BEGIN).unwrap_or_default();
    let (json, after) = json.split_once(END).unwrap_or_default();
    let letters: Vec<char> = json.trim().chars().collect();
    let folded: String = letters.chunks(80).map(|line| line.iter().collect::<String>() + "\r\n").collect();
    let folded = format!("{before}{BEGIN}\r\n{folded}{END}{after}");
    assert_eq!(read(&folded, Some(id)), read(output, Some(id)));
}

#[test]
fn bad_pastes_are_told_why() {
    let block = |json: &str| format!("{BEGIN}\n{json}\n{END}\n");
    let (_, good) = OUTPUTS[1];
    let cases = [
        (String::new(), "Nothing is pasted"),
        ("rank 0 of 2".into(), "There is no line"),
        (good.replace(END, ""), "cut off"),
        (block("{\"lab\": \"ddp\", "), "no JSON"),
        (block("[1]"), "no object"),
        (block("{}"), "which lab"),
        (block("{\"lab\": \"dpp\"}"), "did you mean"),
        (good.replace("\"version\": 1", "\"version\": 7"), "version 7"),
        (good.replace("\"world\": 2", "\"world\": 0"), "cannot be less"),
        (good.replace("\"world\": 2", "\"world\": \"two\""), "must be a number"),
        (good.replace("\"layers\"", "\"layer\""), "“layers” is missing"),
        (good.replace("\"same_bits\": true", "\"same_bits\": 3"), "true or false"),
    ];
    for (paste, needle) in cases {
        let why = read(&paste, Some("ddp")).err().unwrap_or_default().join(" ");
        assert!(why.contains(needle), "{needle}: {why}");
    }
    let other = read(good, Some("serve")).err().unwrap_or_default().join(" ");
    assert!(other.contains("“ddp”") && other.contains("“serve”"), "{other}");
}

proptest! {
    #[test]
    fn no_paste_is_too_much(lab in 0..10_usize, from in 0..4000_usize, with in "[0-9a-z\\-\\.\\[\\]{}\",: ]{0,12}") {
        let output = OUTPUTS[lab].1;
        let begin = output.find(BEGIN).unwrap_or(0) + BEGIN.len();
        let at = (begin + from).min(output.len());
        let (a, b) = (output.get(..at), output.get(at..));
        if let (Some(a), Some(b)) = (a, b) {
            let text = format!("{a}{with}{}", b.get(with.len()..).unwrap_or_default());
            match read(&text, None) {
                Ok(held) => for row in held.rows {
                    prop_assert!(row.predicted.is_finite() && row.measured.is_finite(), "{row:?}");
                    prop_assert!(!row.difference().is_empty());
                },
                Err(why) => prop_assert!(!why.is_empty() && why.iter().all(|w| w.len() < 400), "{why:?}"),
            }
        }
    }
}
