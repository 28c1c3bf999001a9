//! What came of tests, as their runners say it: how many, which failed, which took longest, and which passed only at their second try.

use serde_json::Value;

/// What came of some tests. A stage without tests of its own counts as one.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Outcomes {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    /// Names of those that failed.
    pub(crate) failures: Vec<String>,
    /// Names of those that passed only at their second try.
    pub(crate) flaky: Vec<String>,
    /// Seconds and name of each that took any time; of Rust's those of whole programs.
    pub(crate) times: Vec<(f64, String)>,
    /// The program of Rust's that is running.
    pub(crate) program: String,
}

impl Outcomes {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.failures.extend(other.failures);
        self.flaky.extend(other.flaky);
        self.times.extend(other.times);
    }

    /// How many there were.
    pub(crate) fn count(&self) -> u64 {
        self.passed + self.failed + self.skipped
    }

    /// The tests that took longest, the longest first.
    pub(crate) fn slowest(&self, count: usize) -> Vec<&(f64, String)> {
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by(|a, b| b.0.total_cmp(&a.0));
        times.truncate(count);
        times
    }

    /// Adds what a line of Rust's test harness says.
    pub(crate) fn read_line(&mut self, line: &str) {
        if let Some(program) = line.trim().strip_prefix("Running ") {
            self.program = program.split(" (").next().unwrap_or_default().to_owned();
            // `unittests src/lib.rs (target/debug/deps/ringside_core-0123)`
            let krate = program.rsplit('/').next().and_then(|file| file.rsplit_once('-'));
            self.program.push_str(&krate.map(|(krate, _)| format!(" of {krate}")).unwrap_or_default());
        }
        if let Some(totals) = rust_totals(line) {
            self.add(totals);
            let seconds =
                line.rsplit_once("finished in ").and_then(|(_, time)| time.trim_end_matches('s').parse().ok());
            self.times.extend(seconds.map(|seconds| (seconds, self.program.clone())));
        }
        self.failures.extend(rust_failure(line));
    }

    /// What Playwright's JSON report says.
    pub(crate) fn of_playwright(report: &Value) -> Self {
        let mut outcomes = Self::default();
        for suite in list(report, "suites") {
            outcomes.add_suite(suite);
        }
        outcomes
    }

    fn add_suite(&mut self, suite: &Value) {
        for inner in list(suite, "suites") {
            self.add_suite(inner);
        }
        for spec in list(suite, "specs") {
            let text = |key: &str| spec[key].as_str().unwrap_or_default();
            let name = format!("{}: {}", text("file"), text("title"));
            for test in list(spec, "tests") {
                match test["status"].as_str().unwrap_or_default() {
                    "expected" => self.passed += 1,
                    "flaky" => {
                        self.passed += 1;
                        self.flaky.push(name.clone());
                    }
                    "skipped" => self.skipped += 1,
                    _ => {
                        self.failed += 1;
                        self.failures.push(name.clone());
                    }
                }
                let milliseconds: f64 = list(test, "results").filter_map(|result| result["duration"].as_f64()).sum();
                self.times.push((milliseconds / 1000.0, name.clone()));
            }
        }
    }
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; …`
fn rust_totals(line: &str) -> Option<Outcomes> {
    let counts = line.trim().strip_prefix("test result: ")?;
    let count = |word: &str| {
        let (before, _) = counts.split_once(word)?;
        before.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let (passed, failed, skipped) = (count(" passed")?, count(" failed")?, count(" ignored")?);
    Some(Outcomes { passed, failed, skipped, ..Outcomes::default() })
}

/// The name in `test query::tests::it_reads ... FAILED`.
fn rust_failure(line: &str) -> Option<String> {
    let (name, result) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (result == "FAILED").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rusts_harness_is_read_line_by_line() {
        let mut outcomes = Outcomes::default();
        for line in [
            "     Running unittests src/lib.rs (target/debug/deps/ringside_core-0123)",
            "running 3 tests",
            "test query::tests::it_reads ... ok",
            "test slow ... FAILED",
            "test left_out ... ignored",
            "test result: FAILED. 12 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s",
        ] {
            outcomes.read_line(line);
        }
        assert_eq!((outcomes.passed, outcomes.failed, outcomes.skipped), (12, 3, 1));
        assert_eq!(outcomes.failures, ["slow"]);
        assert_eq!(outcomes.times, [(0.1, "unittests src/lib.rs of ringside_core".to_owned())]);
    }

    #[test]
    fn a_test_that_passes_at_its_second_try_passes_and_is_named() {
        let test = |status: &str, tries: &[u64]| {
            let results: Vec<Value> = tries.iter().map(|ms| serde_json::json!({ "duration": ms })).collect();
            serde_json::json!({ "title": status, "file": "a.spec.ts", "tests": [{ "status": status, "results": results }] })
        };
        let inner = serde_json::json!({ "specs": [test("flaky", &[2000, 500])] });
        let specs = [test("expected", &[1000]), test("unexpected", &[9, 9]), test("skipped", &[])];
        let report = serde_json::json!({ "suites": [{ "suites": [inner], "specs": specs }] });
        let outcomes = Outcomes::of_playwright(&report);
        assert_eq!((outcomes.passed, outcomes.failed, outcomes.skipped), (2, 1, 1));
        assert_eq!(outcomes.flaky, ["a.spec.ts: flaky"]);
        assert_eq!(outcomes.slowest(1), [&(2.5, "a.spec.ts: flaky".to_owned())]);
    }
}
