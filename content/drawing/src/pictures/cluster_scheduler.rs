//! A cluster's GPUs over time, node by node: whose job ran on which.

use ringside_core::quantity::Unit;
use ringside_core::scheduler::{Campaign, Params};

use super::{SEVERAL, ticks};
use crate::chart::Ink;
use crate::form::{Cell, Cells, Head};

/// A row for each node, divided among its GPUs.
pub fn picture(p: &Params, c: &Campaign) -> Cells {
    let from = c.jobs.iter().map(|job| job.submit).min().unwrap_or(0);
    let end = c.schedule.end().max(from + 1);
    let now = p.shown(c).checked_sub(1).and_then(|i| c.schedule.steps.get(i)).map_or(end, |step| step.time);
    let now = if now <= from { end } else { now };
    let mut users: Vec<&str> = Vec::new();
    for job in &c.jobs {
        if !users.contains(&job.user.as_str()) {
            users.push(&job.user);
        }
    }
    let span = |s: &ringside_core::scheduler::result::Span| {
        let (first, job) = (s.gpus.first()?, c.jobs.get(s.job)?);
        let user = users.iter().position(|user| *user == job.user).unwrap_or(0);
        let (left, right) =
            (s.from.saturating_sub(from) as f64, s.to.unwrap_or(now).min(now).saturating_sub(from) as f64);
        let high = s.gpus.len() as f64 / p.gpus as f64;
        let at = [left, s.node as f64 + *first as f64 / p.gpus as f64];
        let tone = SEVERAL[user % SEVERAL.len()].at(if s.runs { 90 } else { 35 });
        (right > left).then(|| Cell::of(at, [right - left, high], tone).text(job.name.clone()))
    };
    let whole = (end - from) as f64;
    let beds = (0..p.nodes).map(|node| Cell::of([0.0, node as f64], [whole, 1.0], Ink::Line.at(60)));
    let cells = beds.chain(c.schedule.spans.iter().filter(|s| s.from <= now).filter_map(span)).collect();
    let head = Head::new("Each node’s GPUs over time, a color for each user", &[]);
    let mut cells = Cells::new(p.caption(c), head, [whole, p.nodes as f64], cells);
    cells.rows = (0..p.nodes).map(|node| (node as f64 + 0.5, format!("node {}", node + 1))).collect();
    cells.columns = ticks(whole, Unit::Seconds);
    cells
}
