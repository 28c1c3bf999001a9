//! Public runs as run files, predicted next to measured: nothing is tuned for any of them.

use std::path::PathBuf;

use super::{Metric, Outcome, Report, Row, Run, compare, gather, read};

fn fixtures(folder: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures")).join(folder)
}

fn runs() -> Vec<(String, Run)> {
    let mut files: Vec<_> =
        std::fs::read_dir(fixtures("runs")).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
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
    assert!(runs.len() >= 70, "{}", runs.len());
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
    assert!(at(0.5) < 0.25 && at(0.8) < 0.50, "{errors:?}");
    let mut on_a100: Vec<f64> =
        errors.iter().filter(|(_, file)| file.contains("a100")).map(|(error, _)| *error).collect();
    on_a100.sort_by(f64::total_cmp);
    assert!(on_a100.len() > 15 && on_a100[on_a100.len() / 2] < 0.12, "{on_a100:?}");
    // What NVIDIA tuned for its own H100s.
    let tuned = errors.iter().filter(|(_, file)| file.starts_with("dgxc-") && file.ends_with("xh100.toml"));
    let tuned: Vec<f64> = tuned.map(|(error, _)| *error).collect();
    assert!(tuned.len() > 5 && tuned.iter().all(|error| *error < 0.12), "{tuned:?}");
}

#[test]
fn what_is_usual_is_what_public_runs_take() {
    for usual in super::usual::ALL {
        let on_it = |run: &Run| {
            run.layout.fp8 != Some(true) && run.setup().0.gpu.is_some_and(|gpu| gpu.name.starts_with(usual.gpu))
        };
        let runs = runs();
        let gaps = runs.iter().filter(|(_, run)| on_it(run)).filter_map(|(_, run)| error(&compare(run), "step-time"));
        let mut times: Vec<f64> = gaps.map(|gap| 1.0 + gap).collect();
        times.sort_by(f64::total_cmp);
        let middle = f64::midpoint(times[(times.len() - 1) / 2], times[times.len() / 2]);
        let found = [times[0], middle, times[times.len() - 1]];
        assert_eq!(usual.runs, times.len(), "{}", usual.gpu);
        assert!(found.iter().zip(usual.times).all(|(a, b)| (a - b).abs() < 0.006), "{}: {found:?}", usual.gpu);
    }
}

/// A measured clock below the boost explains as much of the gap as the kernels lose by it, and is not asked for again.
#[test]
fn a_slow_clock_is_a_cause() {
    let path = fixtures("runs").join("torchtitan-llama-3.1-8b-8xh100-compile.toml");
    let text = std::fs::read_to_string(path).expect("a file");
    let smi = "name, clocks.sm [MHz]\n".to_owned() + &"NVIDIA H100 80GB HBM3, 1140 MHz\n".repeat(8);
    let cards = [read("run.toml", &text), read("smi.csv", &smi)];
    let report = compare(&gather(&cards).0);
    let ledger = report.ledger("step-time").expect("a step");
    let cause = ledger.gap.iter().find(|cause| cause.label.contains("clock")).unwrap_or_else(|| panic!("{ledger:?}"));
    let compute: f64 = ledger.predicted.iter().take(2).map(|cause| cause.size).sum();
    let boost = crate::hardware::find("h100-80").and_then(|gpu| gpu.chip).map(|chip| chip.clock).expect("its clock");
    assert!((cause.size / (compute * (boost / 1.14e9 - 1.0)) - 1.0).abs() < 1e-9, "{cause:?}");
    assert!(!report.next.iter().any(|next| next.command.contains("clocks.sm")));
    assert!(report.verdict.contains("public runs on H100s"), "{}", report.verdict);
    // A clock of a GPU that does nothing explains nothing.
    let idle = compare(&gather(&[read("run.toml", &text), read("smi.csv", &smi.replace("1140", "345"))]).0);
    let ledger = idle.ledger("step-time").expect("a step");
    assert!(!ledger.gap.iter().any(|cause| cause.label.contains("clock")), "{ledger:?}");
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

/// What names the cause of a thread, or would.
enum Answer {
    /// The page says it, with the sum or the prediction that shows it.
    Cause(&'static str),
    /// The page asks for the measurement that would.
    Next(&'static str),
}

/// Threads in which somebody found the cause; `docs/run.md` has the list.
#[test]
fn threads_get_the_cause_or_the_measurement_that_names_it() {
    use Answer::{Cause, Next};
    for (file, answer) in [
        ("fms-fsdp-89.toml", Cause("the peak with sparsity")),
        ("fms-fsdp-67.toml", Cause("the parameters that one of 8 GPUs holds")),
        ("huggingface-blog-1649.toml", Cause("of all 16 GPUs, taken for those of one")),
        ("huggingface-blog-1649.toml", Next("mpirun -np 16 all_reduce_perf")),
        ("internlm-22.toml", Next("nvidia-smi topo -m")),
        ("torchtitan-676.toml", Next("mpirun -np 32 all_reduce_perf")),
        ("llama2-accessory-26.toml", Cause("per GPU is predicted, and a GPU has")),
        ("torchtitan-996.toml", Next("_dump_snapshot")),
        ("llamafactory-1221.toml", Cause("It may not fit: ")),
        ("deepspeedexamples-186.txt", Next("expandable_segments")),
    ] {
        let text = std::fs::read_to_string(fixtures("threads").join(file)).expect("a file");
        let card = read(file, &text);
        assert_ne!(card.outcome, Outcome::Refused, "{file}: {}", card.said);
        let (run, _) = gather([&card]);
        let report = compare(&run);
        let causes = report
            .ledgers
            .iter()
            .flat_map(|l| l.predicted.iter().chain(&l.gap))
            .map(|c| format!("{}: {}", c.label, c.why));
        let causes: Vec<String> = causes.chain([report.verdict.clone()]).collect();
        let next: Vec<String> = report.next.iter().map(|n| format!("{} {}", n.why, n.command)).collect();
        println!("{file}\n  {}\n  {}", causes.join("\n  "), next.join("\n  "));
        let (said, wanted) = match answer {
            Cause(wanted) => (causes, wanted),
            Next(wanted) => (next, wanted),
        };
        assert!(said.iter().any(|text| text.contains(wanted)), "{file}: {wanted}: {said:#?}");
    }
}

/// With the link that the thread found, the InternLM run is predicted slower.
#[test]
fn a_thread_is_predicted_with_what_it_found() {
    let text = std::fs::read_to_string(fixtures("threads").join("internlm-22.toml")).expect("a file");
    let mut run = Run::parse(&text).expect("a run file");
    let gap = |run: &Run| error(&compare(run), "step-time").expect("a step time");
    let before = gap(&run);
    run.cluster.link = Some("pcie4".to_owned());
    let after = gap(&run);
    println!("{before:.2} {after:.2}");
    assert!(after < before, "{before} {after}");
}
