//! What is in a part of the drawing, summed: some lanes, between two times.

use std::collections::BTreeMap;

use super::Trace;
use super::intervals::{Interval, length, union};
use super::layout::Lane;
use super::look::Look;

/// A sum over events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum<K> {
    /// Of what.
    pub key: K,
    /// How many events.
    pub count: u64,
    /// Their time within the part, in nanoseconds: events that lie over each other count once each.
    pub time: i64,
    /// For how long at least one of them runs.
    pub covered: i64,
}

/// What is in a part of the drawing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// By what events look like, in the order of [`Look::ALL`].
    pub kinds: Vec<Sum<Look>>,
    /// By name, those that take longest first.
    pub names: Vec<Sum<String>>,
}

impl Selection {
    /// How many events there are.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(|sum| sum.count).sum()
    }
}

/// What is in `lanes` from one time to another, in nanoseconds. `looks` has those of each trace. Of an event that reaches out of the part,
/// only what is inside counts.
pub fn select<'a>(
    traces: &[Trace],
    looks: &[Vec<Look>],
    lanes: impl Iterator<Item = &'a Lane>,
    (from, to): (i64, i64),
) -> Selection {
    let mut kinds: BTreeMap<Look, Vec<Interval>> = BTreeMap::new();
    let mut names: BTreeMap<(usize, u32), Vec<Interval>> = BTreeMap::new();
    for lane in lanes {
        let (Some(trace), Some(looks)) = (traces.get(lane.trace), looks.get(lane.trace)) else { continue };
        for index in lane.between(trace, from, to) {
            let (Some(span), Some(look)) = (trace.spans.get(*index as usize), looks.get(*index as usize)) else {
                continue;
            };
            let inside = (span.start.max(from), span.end().min(to));
            kinds.entry(*look).or_default().push(inside);
            names.entry((lane.trace, span.name)).or_default().push(inside);
        }
    }
    // The same name has another number in each trace.
    let mut by_text: BTreeMap<&str, Vec<Interval>> = BTreeMap::new();
    for ((trace, name), mut inside) in names {
        let text = traces.get(trace).map_or("", |trace| trace.names.get(name));
        by_text.entry(text).or_default().append(&mut inside);
    }
    let mut names: Vec<Sum<String>> = by_text.into_iter().map(|(text, inside)| sum(text.to_owned(), inside)).collect();
    names.sort_by_key(|sum| std::cmp::Reverse(sum.time));
    Selection { kinds: kinds.into_iter().map(|(look, inside)| sum(look, inside)).collect(), names }
}

fn sum<K>(key: K, inside: Vec<Interval>) -> Sum<K> {
    let time = inside.iter().fold(0_i64, |sum, (start, end)| sum.saturating_add(end - start));
    Sum { key, count: inside.len() as u64, time, covered: length(&union(inside)) }
}

#[cfg(test)]
mod tests {
    use super::super::layout::lanes;
    use super::super::{Reader, Sort};
    use super::*;

    fn traces() -> Vec<Trace> {
        let text = r#"[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":10},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":4,"args":{"correlation":1}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":10,"args":{"stream":7,"correlation":1}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":8,"ts":25,"dur":10,"args":{"stream":8,"correlation":2}},
            {"ph":"X","cat":"kernel","name":"mine","pid":0,"tid":8,"ts":40,"dur":10,
             "args":{"stream":8,"correlation":3,"Collective name":"allreduce"}}]"#;
        let mut reader = Reader::default();
        reader.push(text.as_bytes());
        vec![reader.finish()]
    }

    #[test]
    fn what_reaches_out_of_the_part_counts_as_far_as_it_is_inside() {
        let traces = traces();
        let looks: Vec<Vec<Look>> = traces.iter().map(Look::of_all).collect();
        let lanes = lanes(&traces);
        let found = select(&traces, &looks, lanes.iter(), (22_000, 45_000));
        let kinds: Vec<(Look, u64, i64, i64)> =
            found.kinds.iter().map(|s| (s.key, s.count, s.time, s.covered)).collect();
        // 22 to 30 and 25 to 35, together 22 to 35.
        assert_eq!(kinds, [(Look::Computation, 2, 18_000, 13_000), (Look::Communication, 1, 5_000, 5_000)]);
        let names: Vec<(&str, u64)> = found.names.iter().map(|s| (s.key.as_str(), s.count)).collect();
        assert_eq!(names, [("gemm", 2), ("mine", 1)]);
        let gpu = lanes.iter().filter(|l| traces[0].spans[l.spans[0] as usize].sort == Sort::Kernel);
        assert_eq!(select(&traces, &looks, gpu, (0, 15_000)), Selection::default());
        assert_eq!(select(&traces, &looks, lanes.iter(), (0, 5_000)).count(), 2);
    }
}
