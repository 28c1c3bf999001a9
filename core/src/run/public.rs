//! Public runs as run files, predicted next to measured: nothing is tuned for any of them.

use super::{Metric, Report, Row, Run, compare};

fn runs() -> Vec<(String, Run)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/runs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let text = std::fs::read_to_string(path).expect("a file");
        let run = Run::parse(&text).unwrap_or_else(|why| panic!("{name}: {why}"));
        (name, run)
    };
    files.iter().map(read).collect()
}

fn error(report: &Report, id: &str) -> Option<f64> {
    report.row(id).and_then(Row::gap)
}

#[test]
fn public_runs_are_predicted() {
    let runs = runs();
    assert!(runs.len() >= 30, "{}", runs.len());
    let mut errors = Vec::new();
    for (file, run) in &runs {
        assert!(run.source.contains('/') && run.source.contains(" at "), "{file}: a repository, a path and a commit");
        let report = compare(run);
        assert_eq!((report.missing.as_slice(), report.assumed.as_slice()), (&[][..], &[][..]), "{file}");
        let row = report.row("step-time").expect("a step");
        let gap = error(&report, "step-time").unwrap_or_else(|| panic!("{file}: no step time"));
        println!(
            "{:<58} predicted {:>9} measured {:>9} gap {:>6}",
            run.name,
            row.predicted_text(),
            row.measured_text(),
            row.gap_text()
        );
        errors.push((gap.abs(), file.clone()));
        // Whatever is divided adds up.
        for ledger in &report.ledgers {
            let sum: f64 = ledger.prediction() + ledger.gap.iter().map(|c| c.size).sum::<f64>() + ledger.remainder;
            assert!((sum / ledger.total - 1.0).abs() < 1e-9, "{file}: {}", ledger.id);
        }
        assert_eq!(Run::parse(&run.write()).as_ref(), Ok(run), "{file}");
    }
    errors.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| errors[((errors.len() - 1) as f64 * share).round() as usize].0;
    println!("median {:.3}, 80% within {:.3}, worst {:.3} ({})", at(0.5), at(0.8), at(1.0), errors[errors.len() - 1].1);
    // docs/run.md states these.
    assert!(at(0.5) < 0.35 && at(0.8) < 0.60, "{errors:?}");
    let mut on_a100: Vec<f64> =
        errors.iter().filter(|(_, file)| file.contains("a100")).map(|(error, _)| *error).collect();
    on_a100.sort_by(f64::total_cmp);
    assert!(on_a100.len() > 15 && on_a100[on_a100.len() / 2] < 0.12, "{on_a100:?}");
}

/// llm-foundry counts attention whole and divides by the dense peak (its README). The ledger finds that from the numbers alone.
#[test]
fn llm_foundry_counts_attention_whole() {
    let mut named = 0;
    for (file, run) in
        runs().iter().filter(|(_, run)| run.measured.contains_key(&Metric::Flops) && run.source.contains("llm-foundry"))
    {
        let report = compare(run);
        let ledger = report.ledger("mfu").expect("an MFU is reported");
        assert!(ledger.remainder.abs() < 0.02 * ledger.total, "{file}: {ledger:?}");
        for cause in &ledger.gap {
            assert!(cause.why.contains("attention counted whole"), "{file}: {cause:?}");
            named += 1;
        }
    }
    assert!(named > 8, "{named}");
}
