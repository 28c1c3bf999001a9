//! The diagnosis of traces held to what Meta's HTA says of them, case by case.
//!
//! The traces are published by others and are not in this repository: `RINGSIDE_TRACES` names the folder, by default `../shared/traces`
//! beside the repository. `hta.json` there has HTA's outputs, README.md its definitions. Without the folder the comparison is shown as
//! skipped. What HTA refuses (it raises) and what depends on the order of its unstable sort is left out, and counted.

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use ringside_core::trace::kind::Kind;
use ringside_core::trace::rows::{Rows, Rules};
use ringside_core::trace::{Reader, Trace, bandwidth, breakdown, describe, idle, launches};
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/traces");
    let folder = std::env::var_os("RINGSIDE_TRACES").map_or(beside, PathBuf::from);
    folder.join("hta.json").is_file().then_some(folder)
}

fn read(path: &PathBuf) -> Trace {
    let packed = fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut unpacked = flate2::read::GzDecoder::new(packed);
    let (mut reader, mut piece) = (Reader::default(), vec![0; 1 << 16]);
    loop {
        match unpacked.read(&mut piece).expect("it can be unpacked") {
            0 => return reader.finish(),
            n => {
                reader.push(&piece[..n]);
            }
        }
    }
}

/// What was compared, and what was not as it should be.
struct Ledger {
    place: String,
    compared: u32,
    left_out: u32,
    wrong: Vec<String>,
}

impl Ledger {
    /// Compares a number of ours with one of HTA's. Ours are exact: where HTA adds doubles, times since 1970 lose up to 0.02 µs.
    fn close(&mut self, what: &str, ours: f64, theirs: &Value, within: f64) {
        self.compared += 1;
        let expected = theirs.as_f64();
        if expected.is_none_or(|e| (e - ours).abs() > within + e.abs() * 1e-12) {
            self.wrong.push(format!("{}: {what}: {ours}, HTA {theirs}", self.place));
        }
    }

    fn same(&mut self, what: &str, ours: &str, theirs: &str) {
        self.compared += 1;
        if ours != theirs {
            self.wrong.push(format!("{}: {what}: {ours}, HTA {theirs}", self.place));
        }
    }
}

const MICRO: f64 = 1e3;

fn rules(inputs: &Value) -> Rules {
    Rules::Hta {
        rounded: inputs["ns_rounding"].as_bool().expect("a case says so"),
        last_step: inputs["include_last_profiler_step"].as_bool().expect("a case says so"),
    }
}

/// A section of the outputs: that of a stable sort where the order of ties matters; none where HTA raised.
fn section<'a>(case: &'a Value, name: &str) -> Option<&'a Value> {
    let stable = &case["outputs_stable_sort"][name];
    let section = if stable.is_null() { &case["outputs"][name] } else { stable };
    (!section.is_null() && section.get("raises").is_none()).then_some(section)
}

fn ties_matter(case: &Value, path: &str) -> bool {
    case["order_of_ties_matters"]
        .as_array()
        .is_some_and(|all| all.iter().any(|p| p.as_str().is_some_and(|p| p.starts_with(path))))
}

fn temporal(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    let ours = breakdown::temporal(rows).expect("HTA has one");
    for (part, time, share) in [
        ("idle", ours.idle, true),
        ("compute", ours.compute, true),
        ("non_compute", ours.rest, true),
        ("kernel_time", ours.window, false),
    ] {
        ledger.close(part, time as f64 / MICRO, &theirs[format!("{part}_us")], 0.02);
        if share {
            ledger.close(part, 100.0 * ours.share(time), &theirs[format!("{part}_pctg")], 0.0051);
        }
    }
}

fn kinds(ledger: &mut Ledger, ours: &[breakdown::Together], theirs: &Value) {
    let total: f64 = ours.iter().map(|t| t.time as f64).sum();
    let theirs = theirs.as_array().expect("a list");
    for row in theirs.iter().filter(|row| row["sum_us"] != 0) {
        let name = row["kernel_type"].as_str().unwrap_or_default();
        let time = ours.iter().find(|t| t.label() == name).map_or(0.0, |t| t.time as f64);
        ledger.close(name, time / MICRO, &row["sum_us"], 0.02);
        ledger.close(name, 100.0 * time / total, &row["percentage"], 0.051);
    }
    let named = |t: &breakdown::Together| theirs.iter().any(|row| row["kernel_type"].as_str() == Some(&t.label()));
    let unknown: Vec<String> = ours.iter().filter(|t| !named(t)).map(breakdown::Together::label).collect();
    ledger.same("kinds that HTA does not have", &unknown.join(", "), "");
}

fn kernels(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    let ours = breakdown::kernels(rows);
    for row in theirs["top10"].as_array().expect("a list") {
        let name = row["name"].as_str().unwrap_or_default();
        let kind = row["kernel_type"].as_str().unwrap_or_default();
        let Some(kernel) = ours.iter().find(|k| k.name == name && k.kind.label().to_uppercase() == kind) else {
            ledger.same("a kernel", "missing", name);
            continue;
        };
        let time = kernel.time;
        ledger.close("count", time.count as f64, &row["count"], 0.0);
        for (what, value) in [("sum", time.sum), ("mean", time.mean), ("max", time.max), ("min", time.min)] {
            ledger.close(what, value, &row[format!("{what}_us")], 0.02);
        }
        ledger.close("deviation", time.deviation.unwrap_or(0.0), &row["stddev_us"], 0.02);
    }
}

fn launch_statistics(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    let ours = launches::launches(rows);
    let count = |takes: fn(&launches::Launch) -> bool| ours.iter().filter(|l| takes(l)).count() as f64;
    ledger.close("launches", ours.len() as f64, &theirs["events"], 0.0);
    ledger.close("short kernels", count(launches::Launch::is_short), &theirs["short_gpu_kernels"], 0.0);
    ledger.close("runtime outliers", count(launches::Launch::is_long_call), &theirs["runtime_outliers"], 0.0);
    ledger.close("delay outliers", count(launches::Launch::is_delayed), &theirs["launch_delay_outliers"], 0.0);
    type Part = (&'static str, fn(&launches::Launch) -> i64);
    let parts: [Part; 3] =
        [("cpu_duration_us", |l| l.cpu), ("gpu_duration_us", |l| l.gpu), ("launch_delay_us", |l| l.delay)];
    for (name, of) in parts {
        if let Some(s) = describe::describe(ours.iter().map(|l| of(l) as f64 / MICRO)) {
            // Sums of thousands of differences of doubles.
            ledger.close(name, s.sum, &theirs[name]["sum"], 0.002 * s.count as f64 + 0.02);
            ledger.close(name, s.mean, &theirs[name]["mean"], 0.02);
            ledger.close(name, s.median, &theirs[name]["median"], 0.02);
            ledger.close(name, s.max, &theirs[name]["max"], 0.02);
        }
    }
}

fn described(ledger: &mut Ledger, what: &str, ours: Option<describe::Summary>, theirs: &Value) {
    let Some(ours) = ours else {
        ledger.same(what, "nothing", "something");
        return;
    };
    ledger.close(&format!("{what}: count"), ours.count as f64, &theirs["count"], 0.0);
    let parts = [
        ("mean", ours.mean),
        ("min", ours.min),
        ("25%", ours.lower),
        ("50%", ours.median),
        ("75%", ours.upper),
        ("max", ours.max),
    ];
    for (name, value) in parts {
        ledger.close(&format!("{what}: {name}"), value, &theirs[name], 1e-9);
    }
    if let Some(deviation) = ours.deviation {
        ledger.close(&format!("{what}: deviation"), deviation, &theirs["std"], 1e-9);
    }
}

fn queues(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    let ours = launches::queues(rows);
    let theirs = theirs.as_array().expect("a list");
    ledger.same("streams with a queue", &ours.len().to_string(), &theirs.len().to_string());
    for (row, (stream, changes)) in theirs.iter().zip(&ours) {
        ledger.same("stream", &stream.to_string(), &row["stream"].to_string());
        described(ledger, &format!("queue of stream {stream}"), launches::summary(changes), row);
    }
}

fn idle_time(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    let ours = idle::by_stream(rows);
    let find = |row: &Value| {
        let wait = idle::Wait::ALL.into_iter().find(|w| Some(w.label()) == row["category"].as_str())?;
        Some((ours.iter().find(|s| Some(s.stream) == row["stream"].as_i64())?, wait))
    };
    for row in theirs["per_stream"].as_array().expect("a list") {
        let Some((stream, wait)) = find(row) else {
            ledger.same("a stream", "missing", &row.to_string());
            continue;
        };
        ledger.close("idle", stream.idle(wait) as f64 / MICRO, &row["idle_us"], 0.02);
        let total: i64 = idle::Wait::ALL.iter().map(|w| stream.idle(*w)).sum();
        if total != 0 {
            ledger.close("ratio", stream.idle(wait) as f64 / total as f64, &row["ratio"], 0.0051);
        }
    }
    for row in theirs["interval_stats"].as_array().expect("a list") {
        let Some((stream, wait)) = find(row) else { continue };
        let count = row["count"].as_u64().unwrap_or_default();
        match stream.summary(wait) {
            Some(s) => {
                ledger.close("gaps", s.count as f64, &row["count"], 0.0);
                // Given to two decimals.
                for (name, value) in [("mean", s.mean), ("min", s.min), ("50%", s.median), ("max", s.max)] {
                    ledger.close(&format!("gaps: {name}"), value, &row[name], 0.0251);
                }
            }
            None => ledger.same("gaps", "0", &count.to_string()),
        }
    }
}

fn bandwidths(ledger: &mut Ledger, case: &Value, rows: &Rows<'_>, theirs: &Value) {
    let ours = bandwidth::summaries(rows);
    for (i, row) in theirs.as_array().expect("a list").iter().enumerate() {
        let name = row["name"].as_str().unwrap_or_default();
        if ties_matter(case, &format!("memory_bw_summary/{i}"))
            && case["outputs_stable_sort"]["memory_bw_summary"].is_null()
        {
            ledger.left_out += 1;
            continue;
        }
        described(ledger, name, ours.iter().find(|b| b.0 == name).map(|b| b.1), row);
    }
}

fn counts(ledger: &mut Ledger, rows: &Rows<'_>, theirs: &Value) {
    ledger.close("events kept", rows.all.len() as f64, &theirs["events_kept"], 0.0);
    ledger.close("rows on streams", rows.on_gpu().count() as f64, &theirs["on_stream_events"], 0.0);
    for kind in [Kind::Computation, Kind::Communication, Kind::Memory, Kind::Other] {
        let count = rows.on_gpu().filter(|row| rows.kind(row) == kind).count();
        let theirs = theirs["on_stream_by_kernel_type"][kind.label().to_uppercase()].as_u64().unwrap_or_default();
        ledger.same(kind.label(), &count.to_string(), &theirs.to_string());
    }
    ledger.close(
        "negative",
        rows.on_gpu().filter(|r| r.length() < 0).count() as f64,
        &theirs["negative_durations"],
        0.0,
    );
    ledger.close(
        "of no length",
        rows.on_gpu().filter(|r| r.length() == 0).count() as f64,
        &theirs["zero_durations"],
        0.0,
    );
}

/// Every section of a case of one rank.
fn one_rank(ledger: &mut Ledger, case: &Value, trace: &Trace) {
    let rows = Rows::of(trace, rules(&case["inputs"]));
    counts(ledger, &rows, &case["outputs"]["counts"]);
    match section(case, "temporal_breakdown") {
        Some(theirs) if !ties_matter(case, "temporal_breakdown") => temporal(ledger, &rows, theirs),
        _ => ledger.left_out += 1,
    }
    let sections: [(&str, &[Kind]); 2] =
        [("kernel_type_breakdown", &Kind::WORK[..2]), ("kernel_type_breakdown_with_memory", &Kind::WORK)];
    for (name, of) in sections {
        match section(case, name) {
            Some(theirs) if !ties_matter(case, name) => kinds(ledger, &breakdown::together(&rows, of), theirs),
            _ => ledger.left_out += 1,
        }
    }
    match &case["outputs"]["comm_comp_overlap_pctg"] {
        Value::Null => ledger.same("overlap", &format!("{:?}", breakdown::overlap(&rows)), "None"),
        theirs => ledger.close("overlap", 100.0 * breakdown::overlap(&rows).unwrap_or(-1.0), theirs, 0.0051),
    }
    let mut compare = |name: &str, with: &mut dyn FnMut(&mut Ledger, &Value)| match section(case, name) {
        Some(theirs) => with(ledger, theirs),
        None => ledger.left_out += 1,
    };
    compare("kernels", &mut |ledger, theirs| kernels(ledger, &rows, theirs));
    compare("launch_stats", &mut |ledger, theirs| launch_statistics(ledger, &rows, theirs));
    compare("queue_length_summary", &mut |ledger, theirs| queues(ledger, &rows, theirs));
    compare("idle_time_breakdown", &mut |ledger, theirs| idle_time(ledger, &rows, theirs));
    compare("memory_bw_summary", &mut |ledger, theirs| bandwidths(ledger, case, &rows, theirs));
}

/// Two ranks at once: breakdowns of each, kinds of work summed over both, a shared origin.
fn several_ranks(ledger: &mut Ledger, case: &Value, traces: &[Trace]) {
    let ranks = Rows::of_all(traces, rules(&case["inputs"]));
    let outputs = &case["outputs"];
    for (rank, rows) in ranks.iter().enumerate() {
        temporal(ledger, rows, &outputs["temporal_breakdown"][rank]);
        let theirs = &outputs["comm_comp_overlap_pctg"][rank]["pctg"];
        ledger.close("overlap", 100.0 * breakdown::overlap(rows).unwrap_or(-1.0), theirs, 0.0051);
    }
    for (name, of) in
        [("kernel_type_breakdown", &Kind::WORK[..2]), ("kernel_type_breakdown_with_memory", &Kind::WORK[..])]
    {
        let mut sums: Vec<breakdown::Together> = Vec::new();
        for together in ranks.iter().flat_map(|rows| breakdown::together(rows, of)) {
            match sums.iter_mut().find(|s| s.kinds == together.kinds) {
                Some(sum) => sum.time += together.time,
                None => sums.push(together),
            }
        }
        kinds(ledger, &sums, &outputs[name]);
    }
}

/// Every case of `hta.json`.
#[test]
fn every_trace_comes_to_what_hta_says() {
    let Some(folder) = folder() else {
        println!("skipped: no traces; RINGSIDE_TRACES names their folder");
        return;
    };
    let text = fs::read_to_string(folder.join("hta.json")).expect("it is there");
    let oracle: Value = serde_json::from_str(&text).expect("it is JSON");
    let mut ledger = Ledger { place: String::new(), compared: 0, left_out: 0, wrong: Vec::new() };
    let mut last: Option<(String, Trace)> = None;
    let cases = oracle["cases"].as_array().expect("it has cases");
    for case in cases {
        ledger.place = format!("{} {} {}", case["file"], case["files"], case["inputs"]);
        if let Some(files) = case["files"].as_array() {
            let traces: Vec<Trace> =
                files.iter().filter_map(Value::as_str).map(|file| read(&folder.join(file))).collect();
            several_ranks(&mut ledger, case, &traces);
            continue;
        }
        let file = case["file"].as_str().expect("a case has a file");
        let trace = match last.take() {
            Some((name, trace)) if name == file => trace,
            _ => read(&folder.join(file)),
        };
        one_rank(&mut ledger, case, &trace);
        last = Some((file.to_owned(), trace));
    }
    println!("{} cases, {} comparisons, {} sections left out", cases.len(), ledger.compared, ledger.left_out);
    let wrong = ledger.wrong.len();
    assert!(wrong == 0, "{wrong} of {} differ:\n{}", ledger.compared, ledger.wrong.join("\n"));
}

/// The kinds of 84 names.
#[test]
fn names_are_told_apart_as_hta_does() {
    let Some(folder) = folder() else {
        println!("skipped: no traces; RINGSIDE_TRACES names their folder");
        return;
    };
    let text = fs::read_to_string(folder.join("hta.json")).expect("it is there");
    let oracle: Value = serde_json::from_str(&text).expect("it is JSON");
    for row in oracle["kernel_types"].as_array().expect("a list") {
        let name = row["name"].as_str().unwrap_or_default();
        assert_eq!(Some(Kind::as_hta(name).label().to_uppercase().as_str()), row["type"].as_str(), "{name}");
    }
}
