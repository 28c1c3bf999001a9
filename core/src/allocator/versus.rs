//! Two snapshots side by side: what takes more memory in the second, by the line of code that allocated it.

use std::collections::BTreeMap;

use super::snapshot::{Bytes, Snapshot};
use crate::quantity::{Unit, signed};

/// Call sites that have a line of their own: those that changed most.
const LISTED: usize = 12;
/// The part of the memory in tensors from which on a change is one.
const WORTH: f64 = 0.01;

/// What of a snapshot is put beside another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Holdings {
    /// What its bytes are.
    bytes: Bytes,
    /// Bytes in tensors by the line of code that allocated them.
    sites: BTreeMap<String, u64>,
    /// Bytes in tensors of sites that aren't told apart.
    others: u64,
    /// Bytes in tensors whose site the file doesn't say.
    unknown: u64,
}

impl Holdings {
    /// That of a snapshot.
    pub fn of(snapshot: &Snapshot) -> Self {
        let sites: BTreeMap<String, u64> = snapshot.sites.iter().map(|site| (site.name.clone(), site.bytes)).collect();
        let others = snapshot.other_sites;
        let known = sites.values().fold(others, |sum, bytes| sum.saturating_add(*bytes));
        let unknown = snapshot.bytes.allocated.saturating_sub(known);
        Self { bytes: snapshot.bytes, sites, others, unknown }
    }

    fn site(&self, name: &str) -> u64 {
        self.sites.get(name).copied().unwrap_or_default()
    }
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What a person reads.
    pub label: String,
    /// Bytes in the first and in the second snapshot.
    pub bytes: [u64; 2],
}

impl Line {
    /// How much more it takes in the second, in bytes.
    pub fn difference(&self) -> f64 {
        self.bytes[1] as f64 - self.bytes[0] as f64
    }

    /// The bytes for a person.
    pub fn texts(&self) -> [String; 2] {
        self.bytes.map(|bytes| size(bytes as f64))
    }

    /// The difference for a person: `+1.2 GB`.
    pub fn difference_text(&self) -> String {
        let change = self.difference();
        let sign = if change > 0.0 { "+" } else { "" };
        format!("{sign}{}", signed(change, &size(change.abs())))
    }
}

/// Two snapshots side by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versus {
    /// What they are called.
    pub names: [String; 2],
    /// Reserved memory and what of it is in tensors or free; then what is in tensors, by the line of code that allocated it.
    pub lines: Vec<Line>,
    /// What grew most.
    pub finding: String,
    /// What makes the comparison less certain.
    pub notes: Vec<String>,
}

fn size(bytes: f64) -> String {
    Unit::Bytes.format(bytes)
}

impl Versus {
    /// The two snapshots with these names, the earlier first.
    pub fn of(names: [String; 2], both: [&Holdings; 2]) -> Self {
        let line = |label: &str, of: &dyn Fn(&Holdings) -> u64| Line { label: label.to_owned(), bytes: both.map(of) };
        let tensors = line("In tensors", &|h| h.bytes.allocated);
        let free = line("Free, and kept by PyTorch", &|h| h.bytes.free);
        let mut sites: Vec<Line> = both[0].sites.keys().map(|name| line(name, &|h| h.site(name))).collect();
        let new = both[1].sites.keys().filter(|name| !both[0].sites.contains_key(*name));
        sites.extend(new.map(|name| line(name, &|h| h.site(name))));
        sites.sort_by(|a, b| b.difference().abs().total_cmp(&a.difference().abs()));
        let rest = sites.split_off(sites.len().min(LISTED));
        let together = |i: usize| {
            let listed = rest.iter().map(|line| line.bytes[i]);
            listed.fold(both[i].others, u64::saturating_add)
        };
        let others = Line { label: "Other call sites together".to_owned(), bytes: [together(0), together(1)] };
        let unknown = line("Call site not recorded", &|h| h.unknown);
        let (finding, notes) = (finding(&names, [&tensors, &free, &unknown], sites.first()), notes(&names, both));
        let mut lines = vec![line("Reserved by PyTorch", &|h| h.bytes.reserved()), tensors];
        lines.push(line("Freed, and still in use on another stream", &|h| h.bytes.pending));
        lines.push(free);
        lines.extend(sites);
        lines.extend([others, unknown]);
        lines.retain(|line| line.bytes != [0, 0]);
        Self { names, lines, finding, notes }
    }
}

/// What grew most, and what to do about it.
fn finding([first, second]: &[String; 2], [tensors, free, unknown]: [&Line; 3], most: Option<&Line>) -> String {
    let [a, b] = tensors.texts();
    let change = tensors.difference();
    let least = WORTH * tensors.bytes[0].max(tensors.bytes[1]) as f64;
    let is_worth = |line: &Line| line.difference().abs() >= least.max(1.0);
    let compared = if is_worth(tensors) {
        let how = if change > 0.0 { "more" } else { "less" };
        format!("Tensors take {} {how} in {second} than in {first}: {b} instead of {a}.", size(change.abs()))
    } else {
        format!("Tensors take about as much in {second} as in {first}: {b} and {a}.")
    };
    let kept = if is_worth(free) && free.difference() > 0.0 {
        format!(
            " Free memory that PyTorch keeps grows by {}: a peak in between, or holes that no request fits.",
            size(free.difference())
        )
    } else {
        String::new()
    };
    let at = match most.filter(|line| is_worth(line)) {
        // What is not recorded may be more of the change than any site.
        Some(line) if unknown.difference().abs() <= line.difference().abs() => {
            let [a, b] = line.texts();
            let advice = if line.difference() > 0.0 { " Look for what keeps these tensors." } else { "" };
            format!(" The largest change is at {}: {}, from {a} to {b}.{advice}", line.label, line.difference_text())
        }
        _ if is_worth(unknown) => " The files don’t say where these tensors were allocated. Call torch.cuda.memory._record_memory_history() before the first step and dump both snapshots again.".to_owned(),
        _ => String::new(),
    };
    format!("{compared}{at}{kept}")
}

/// What makes it less certain.
fn notes(names: &[String; 2], both: [&Holdings; 2]) -> Vec<String> {
    let mut notes = vec![
        "A snapshot shows one moment. A difference is a leak only if both were taken at the same place of a step."
            .to_owned(),
    ];
    notes.extend(names.iter().zip(both).filter(|(_, h)| h.others > 0).map(|(name, _)| {
        format!("{name} has more call sites than are told apart, so a small one may seem to be missing in it.")
    }));
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A snapshot with blocks of these sizes in MiB, allocated at these lines of `train.py`; line 0 for no frames.
    fn holdings(blocks: &[(u64, u64)]) -> Holdings {
        let block = |(size, line): &(u64, u64)| {
            let torch = r#"{"filename":"/lib/python3.11/site-packages/torch/nn/modules/module.py","line":1,"name":"_call_impl"}"#;
            let own = format!(r#"{{"filename":"/home/me/run/train.py","line":{line},"name":"forward"}}"#);
            let frames = if *line > 0 {
                format!(r#"{{"filename":"??","line":0,"name":"c10::alloc"}},{torch},{own}"#)
            } else {
                String::new()
            };
            format!(r#"{{"size":{},"state":"active_allocated","frames":[{frames}]}}"#, size << 20)
        };
        let all: Vec<String> = blocks.iter().map(block).collect();
        let json = format!(
            r#"[{{"segment_type":"large","blocks":[{},{{"size":1048576,"state":"inactive"}}]}}]"#,
            all.join(",")
        );
        Holdings::of(&Snapshot::read(json.as_bytes()).expect("it is one"))
    }

    fn versus(a: &[(u64, u64)], b: &[(u64, u64)]) -> Versus {
        Versus::of(["a.pickle", "b.pickle"].map(str::to_owned), [&holdings(a), &holdings(b)])
    }

    fn sum(versus: &Versus, i: usize) -> u64 {
        let is_part = |line: &&Line| line.label.contains(".py:") || line.label.contains("all site");
        versus.lines.iter().filter(is_part).map(|line| line.bytes[i]).sum()
    }

    #[test]
    fn what_grew_is_named_by_the_line_that_allocated_it() {
        let two = versus(&[(100, 10), (50, 20)], &[(100, 10), (50, 20), (30, 20), (5, 33)]);
        assert!(
            two.finding
                .starts_with("Tensors take 36.7 MB more in b.pickle than in a.pickle: 194 MB instead of 157 MB."),
            "{}",
            two.finding
        );
        assert!(
            two.finding.contains("at run/train.py:20 (forward): +31.5 MB, from 52.4 MB to 83.9 MB."),
            "{}",
            two.finding
        );
        let tensors = &two.lines[1];
        assert_eq!((tensors.label.as_str(), [sum(&two, 0), sum(&two, 1)]), ("In tensors", tensors.bytes));
        let back = versus(&[(100, 10), (80, 20)], &[(100, 10)]);
        assert!(back.finding.contains(" less in b.pickle") && !back.finding.contains("Look for"), "{}", back.finding);
    }

    #[test]
    fn the_same_differs_in_nothing() {
        let said = versus(&[(100, 10)], &[(100, 10)]).finding;
        assert_eq!(said, "Tensors take about as much in b.pickle as in a.pickle: 105 MB and 105 MB.");
    }

    #[test]
    fn nothing_is_blamed_that_the_files_do_not_say() {
        let without = versus(&[(100, 0)], &[(150, 0)]);
        assert!(without.finding.contains("_record_memory_history") && !without.finding.contains("largest change"));
        // Most of the growth has no site.
        let partly = versus(&[(100, 10)], &[(110, 10), (50, 0)]);
        assert!(!partly.finding.contains("largest change"), "{}", partly.finding);
        assert_eq!([sum(&partly, 0), sum(&partly, 1)], partly.lines[1].bytes);
    }

    #[test]
    fn many_sites_are_summed() {
        let many: Vec<(u64, u64)> = (1..60).map(|i| (i, i)).collect();
        let two = versus(&[(1, 1)], &many);
        assert_eq!([sum(&two, 0), sum(&two, 1)], two.lines[1].bytes);
        assert!(two.lines.len() < LISTED + 6);
    }
}
