//! Which events of a trace count, from when to when, and what launched them: by HTA's rules or by ours.
//!
//! HTA's (`facebookresearch/HolisticTraceAnalysis` @ `f4d0062c`, `hta/common/trace.py`, `trace_parser.py`, `trace_filter.py`) are kept
//! to the letter, so that its numbers come out. Ours differ:
//!
//! - Times are never rounded. HTA rounds starts up and ends down to whole microseconds once any start has a fraction.
//! - Work of the GPU is what the profiler says it is: kernels, copies, memsets. HTA takes any row that names a stream, so waits
//!   (`cuda_sync`) and operators of Triton count as work.
//! - Nothing is dropped. HTA drops the last step of two or more, and all GPU work whose launch is not in the file.
//! - Streams of two devices are two streams.

use super::kind::Kind;
use super::{Sort, Span, Trace};

/// By whose rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rules {
    /// Ours.
    Ours,
    /// HTA's.
    Hta {
        /// Whether times are rounded, as it ships.
        rounded: bool,
        /// Whether the last step is kept.
        last_step: bool,
    },
}

/// An event that counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Its index among [`Trace::spans`].
    pub span: u32,
    /// When it begins, in nanoseconds.
    pub start: i64,
    /// When it ends; by HTA's rounding it may do so before it begins.
    pub end: i64,
    /// Whether it is on a stream of a GPU.
    pub on_gpu: bool,
    /// Its stream: HTA's number, or the index of its track.
    pub stream: i64,
    /// The id of the call that caused it; −1 for none.
    pub correlation: i64,
    /// When the call that launched it began, if that is in the trace.
    pub launched: Option<i64>,
    /// That call, by its index among [`Trace::spans`]; by HTA's rules none.
    pub call: Option<u32>,
    /// Whether anything has its correlation on the other side.
    pub linked: bool,
}

impl Row {
    /// How long it takes, in nanoseconds.
    pub const fn length(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// The rows of a trace that count.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// By whose rules.
    pub rules: Rules,
    /// The rows, in the order in which those rules keep them.
    pub all: Vec<Row>,
}

impl<'a> Rows<'a> {
    /// The rows of one trace.
    pub fn of(trace: &'a Trace, rules: Rules) -> Self {
        Self::of_all(std::slice::from_ref(trace), rules).pop().unwrap_or(Self { trace, rules, all: Vec::new() })
    }

    /// The rows of the traces of several ranks: by HTA's rules the steps of all of them decide which are kept.
    pub fn of_all(traces: &'a [Trace], rules: Rules) -> Vec<Self> {
        match rules {
            Rules::Ours => traces.iter().map(Self::ours).collect(),
            Rules::Hta { rounded, last_step } => {
                let origin = traces.iter().filter_map(|t| kept(t).map(|s| s.start).min()).min().unwrap_or_default();
                let mut steps: Vec<&str> = Vec::new();
                for trace in traces {
                    steps.extend(kept(trace).map(|s| trace.name(s)).filter(|name| is_step(name)));
                }
                steps.sort_unstable();
                steps.dedup();
                let filter = Filter { rounded, last_step, origin, several: steps.len() > 1 };
                traces.iter().map(|trace| Self { trace, rules, all: filter.rows(trace) }).collect()
            }
        }
    }

    fn ours(trace: &'a Trace) -> Self {
        let calls = Partners::new(trace.spans.iter(), |s| s.sort == Sort::Call && s.correlation >= 0);
        let work = Partners::new(trace.spans.iter(), |s| s.sort.is_work() && s.correlation >= 0);
        let row = |(index, span): (usize, &Span)| {
            let on_gpu = span.sort.is_work();
            let call = if on_gpu { calls.last(span.correlation) } else { None };
            let linked = if on_gpu { call.is_some() } else { work.last(span.correlation).is_some() };
            let launched = call.and_then(|i| trace.spans.get(i as usize)).map(|s| s.start);
            Row {
                span: index as u32,
                start: span.start,
                end: span.end(),
                on_gpu,
                stream: i64::from(span.track),
                correlation: span.correlation,
                launched,
                call,
                linked,
            }
        };
        Self { trace, rules: Rules::Ours, all: trace.spans.iter().enumerate().map(row).collect() }
    }

    /// The span of a row.
    pub fn span(&self, row: &Row) -> Option<&'a Span> {
        self.trace.spans.get(row.span as usize)
    }

    /// The name of a row.
    pub fn name(&self, row: &Row) -> &'a str {
        self.span(row).map_or("", |span| self.trace.name(span))
    }

    /// What a row is.
    pub fn kind(&self, row: &Row) -> Kind {
        match (self.rules, self.span(row)) {
            (Rules::Hta { .. }, _) => Kind::as_hta(self.name(row)),
            (Rules::Ours, Some(span)) => Kind::of(self.trace, row.span, span),
            (Rules::Ours, None) => Kind::Other,
        }
    }

    /// Rows on streams of the GPU.
    pub fn on_gpu(&self) -> impl Iterator<Item = &Row> {
        self.all.iter().filter(|row| row.on_gpu)
    }

    /// The streams on which something runs, in order.
    pub fn streams(&self) -> Vec<i64> {
        let mut streams: Vec<i64> = self.on_gpu().map(|row| row.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        streams
    }
}

/// Indices of spans by correlation.
struct Partners(Vec<(i64, u32)>);

impl Partners {
    fn new<'s>(spans: impl Iterator<Item = &'s Span>, takes: impl Fn(&Span) -> bool) -> Self {
        let mut all: Vec<(i64, u32)> =
            spans.enumerate().filter(|(_, s)| takes(s)).map(|(i, s)| (s.correlation, i as u32)).collect();
        all.sort_unstable();
        Self(all)
    }

    /// The last of those with this correlation.
    fn last(&self, correlation: i64) -> Option<u32> {
        if correlation < 0 {
            return None;
        }
        let end = self.0.partition_point(|p| p.0 <= correlation);
        self.0.get(end.checked_sub(1)?).filter(|p| p.0 == correlation).map(|p| p.1)
    }

    /// How many have this correlation.
    fn count(&self, correlation: i64) -> usize {
        self.0.partition_point(|p| p.0 <= correlation) - self.0.partition_point(|p| p.0 < correlation)
    }
}

/// What HTA reads of a file.
fn kept(trace: &Trace) -> impl Iterator<Item = &Span> {
    trace.spans.iter().filter(|s| s.category != Trace::NONE)
}

fn is_step(name: &str) -> bool {
    name.strip_prefix("ProfilerStep#").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// How HTA keeps rows.
#[derive(Clone, Copy)]
struct Filter {
    rounded: bool,
    last_step: bool,
    /// The earliest start over all ranks, which becomes 0.
    origin: i64,
    /// Whether there are two steps or more.
    several: bool,
}

impl Filter {
    fn rows(self, trace: &Trace) -> Vec<Row> {
        // Linking and the filter know other GPU rows than the breakdowns do.
        let is_gpu =
            |s: &Span| (s.stream >= 0 && s.correlation >= 0) || matches!(trace.name(s), "Event Sync" | "Context Sync");
        let has = |s: &Span| s.category != Trace::NONE && s.correlation != -1;
        let cpu = Partners::new(trace.spans.iter(), |s| has(s) && !is_gpu(s));
        let gpu = Partners::new(trace.spans.iter(), |s| has(s) && is_gpu(s));
        let first = trace.spans.iter().position(|s| s.position == 0 && s.category != Trace::NONE);
        let cut = self.cut(trace, is_gpu);
        let is_kept = |s: &Span| cut.is_none_or(|cut| self.is_before(self.times(trace, s).0, cut));
        let launches = Partners::new(trace.spans.iter(), |s| has(s) && !is_gpu(s) && is_kept(s));
        let row = |(index, span): (usize, &Span)| {
            let partner = if is_gpu(span) { cpu.last(span.correlation) } else { gpu.last(span.correlation) };
            let (start, end) = self.times(trace, span);
            // A row whose correlation has no partner is taken to be launched by the first event of the file.
            let call = partner.map(|p| p as usize).or(if span.correlation == -1 { None } else { first });
            let call = call.and_then(|i| trace.spans.get(i)).filter(|s| is_gpu(s) || is_kept(s));
            Row {
                span: index as u32,
                start,
                end,
                on_gpu: span.stream != -1,
                stream: span.stream,
                correlation: span.correlation,
                launched: call.map(|s| self.times(trace, s).0),
                call: None,
                // A partner that is the first event of the file counts as none.
                linked: partner.and_then(|p| trace.spans.get(p as usize)).is_some_and(|s| s.position > 0),
            }
        };
        let all = || trace.spans.iter().enumerate().filter(|(_, s)| s.category != Trace::NONE);
        if cut.is_none() {
            return all().map(row).collect();
        }
        // A GPU row is there once for each call of its correlation, and before all others.
        let mut rows: Vec<Row> = Vec::new();
        for (index, span) in all().filter(|(_, s)| is_gpu(s)) {
            let times = launches.count(span.correlation);
            rows.extend(std::iter::repeat_n(row((index, span)), times));
        }
        rows.extend(all().filter(|(_, s)| !is_gpu(s) && is_kept(s)).map(row));
        rows
    }

    /// The time up to which CPU rows are kept; none if all are.
    fn cut(self, trace: &Trace, is_gpu: impl Fn(&Span) -> bool) -> Option<i64> {
        let steps = kept(trace).filter(|s| is_step(trace.name(s)) && !is_gpu(s));
        let latest = steps.max_by_key(|s| s.start).filter(|_| self.several)?;
        let (start, end) = self.times(trace, latest);
        // Starts are counted from the origin by then, and the end is not.
        Some(if self.last_step { end.saturating_add(self.origin) } else { start })
    }

    fn is_before(self, start: i64, cut: i64) -> bool {
        if self.last_step { start <= cut } else { start < cut }
    }

    /// Rounded as HTA does, in the doubles in which it does so.
    fn times(self, trace: &Trace, span: &Span) -> (i64, i64) {
        if !(self.rounded && trace.fractions) {
            return (span.start, span.end());
        }
        let micros = |ns: i64| ns.div_euclid(1000) as f64 + ns.rem_euclid(1000) as f64 / 1e3;
        let start = micros(span.start);
        let end = (start + micros(span.length)).floor();
        ((start.ceil() as i64).saturating_mul(1000), (end as i64).saturating_mul(1000))
    }
}
