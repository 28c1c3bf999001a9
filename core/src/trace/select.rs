//! What is in a part of the drawing, summed: some lanes, between two times.

use std::collections::BTreeMap;

use super::Trace;
use super::intervals::{Interval, length, union};
use super::layout::Lane;
use super::look::Look;

/// Events that look alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfKind {
    /// How they look.
    pub look: Look,
    /// How many there are.
    pub count: u64,
    /// Their time within the part, in nanoseconds: events that lie over each other count once each.
    pub time: i64,
    /// For how long at least one of them runs.
    pub covered: i64,
}

/// Events of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfName {
    /// Their name.
    pub name: String,
    /// How many there are.
    pub count: u64,
    /// Their time within the part, in nanoseconds.
    pub time: i64,
}

/// What is in a part of the drawing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// By what events look like, in the order of [`Look::ALL`].
    pub kinds: Vec<OfKind>,
    /// By name, those that take longest first.
    pub names: Vec<OfName>,
}

impl Selection {
    /// How many events there are.
    pub fn count(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.count).sum()
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
    let mut kinds = Look::ALL.map(|look| (look, Vec::<Interval>::new()));
    // By trace and by the number that the name has there.
    let mut names: Vec<Vec<(u64, i64)>> = traces.iter().map(|trace| vec![(0, 0); trace.names.len()]).collect();
    for lane in lanes {
        let (Some(trace), Some(looks)) = (traces.get(lane.trace), looks.get(lane.trace)) else { continue };
        let Some(names) = names.get_mut(lane.trace) else { continue };
        for index in lane.between(trace, from, to) {
            let (Some(span), Some(look)) = (trace.spans.get(*index as usize), looks.get(*index as usize)) else {
                continue;
            };
            let inside = (span.start.max(from), span.end().min(to));
            if let Some((_, kind)) = kinds.get_mut(*look as usize) {
                kind.push(inside);
            }
            if let Some((count, time)) = names.get_mut(span.name as usize) {
                *count += 1;
                *time = time.saturating_add(inside.1 - inside.0);
            }
        }
    }
    let kind = |(look, inside): (Look, Vec<Interval>)| {
        (!inside.is_empty()).then(|| OfKind {
            look,
            count: inside.len() as u64,
            time: length(&inside),
            covered: length(&union(inside)),
        })
    };
    Selection { kinds: kinds.into_iter().filter_map(kind).collect(), names: by_name(traces, &names) }
}

/// The sums of all traces by name, which has another number in each.
fn by_name(traces: &[Trace], sums: &[Vec<(u64, i64)>]) -> Vec<OfName> {
    let mut all: BTreeMap<&str, (u64, i64)> = BTreeMap::new();
    for (trace, sums) in traces.iter().zip(sums) {
        for (name, (count, time)) in trace.names.iter().zip(sums).filter(|(_, sum)| sum.0 > 0) {
            let sum = all.entry(name).or_default();
            *sum = (sum.0 + count, sum.1.saturating_add(*time));
        }
    }
    let of_name = |(name, (count, time)): (&str, (u64, i64))| OfName { name: name.to_owned(), count, time };
    let mut names: Vec<OfName> = all.into_iter().map(of_name).collect();
    names.sort_by_key(|of| std::cmp::Reverse(of.time));
    names
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
            found.kinds.iter().map(|s| (s.look, s.count, s.time, s.covered)).collect();
        // 22 to 30 and 25 to 35, together 22 to 35.
        assert_eq!(kinds, [(Look::Computation, 2, 18_000, 13_000), (Look::Communication, 1, 5_000, 5_000)]);
        let names: Vec<(&str, u64)> = found.names.iter().map(|s| (s.name.as_str(), s.count)).collect();
        assert_eq!(names, [("gemm", 2), ("mine", 1)]);
        let gpu = lanes.iter().filter(|l| traces[0].spans[l.spans[0] as usize].sort == Sort::Kernel);
        assert_eq!(select(&traces, &looks, gpu, (0, 15_000)), Selection::default());
        assert_eq!(select(&traces, &looks, lanes.iter(), (0, 5_000)).count(), 2);
    }
}
