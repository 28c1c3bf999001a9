//! The same load at more and more requests a second, under every policy: where it stops keeping its promise.

use super::figure::Params;
use super::requests::{Request, Workload};
use super::result::percentile;
use super::scheduler::{Policy, Rules};
use super::simulate::simulate;
use super::step::Engine;

/// Requests of a simulation: enough that a queue can build up.
const REQUESTS: usize = 96;
/// The most that one of them may do.
const BUDGET: usize = 12_000;
/// The share of requests within the promise at which a rate counts as served (DistServe, arXiv:2401.09670, §2.1).
pub const ATTAINED: f64 = 0.9;
/// Rates that are tried, in parts of what the machine can do at most: some below it, some above.
const PARTS: [f64; 9] = [0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.25, 1.6];

/// What one rate comes to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Requests a second that come.
    pub rate: f64,
    /// Requests a second within the promise.
    pub goodput: f64,
    /// The share of requests within the promise.
    pub attained: f64,
    /// The time to the first token that 90% do not wait longer for.
    pub first: f64,
    /// The time for each next token that 90% do not wait longer for.
    pub token: f64,
}

/// Every rate under every policy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sweep {
    /// The points of each, in the order of [`Policy::ALL`].
    pub of: Vec<(Policy, Vec<Point>)>,
}

impl Sweep {
    /// The points of a policy.
    pub fn points(&self, policy: Policy) -> &[Point] {
        self.of.iter().find(|(other, _)| *other == policy).map_or(&[], |(_, points)| points)
    }

    /// The highest rate up to which [`ATTAINED`] of the requests are within the promise; none if not even at the lowest.
    pub fn knee(&self, policy: Policy) -> Option<f64> {
        self.points(policy).iter().take_while(|point| point.attained >= ATTAINED).last().map(|point| point.rate)
    }
}

/// Sweeps the rate.
pub fn sweep(params: &Params, engine: &Engine) -> Sweep {
    let own = params.trace.listed().requests;
    let workload = Workload { count: REQUESTS, rate: 0.0, ..params.workload() };
    let requests: Vec<Request> = match own.is_empty() {
        true => workload.draw(),
        false => own.iter().cycle().take(REQUESTS).map(|r| Request { arrival: 0.0, ..*r }).collect(),
    };
    // What the machine can do at most, with all of them there from the start.
    // As many blocks as all of them fill together are as good as more of them, and cost less.
    let block = params.block.max(1);
    let filled: u64 = requests.iter().map(|r| (r.prompt + r.output).div_ceil(block)).sum();
    let rules = |policy| {
        let rules = params.rules(engine, policy);
        Rules { blocks: rules.blocks.min(filled as usize), ..rules }
    };
    let bandwidth = params.bandwidth();
    let all_at_once = simulate(requests.clone(), rules(Policy::Chunked), engine, bandwidth, BUDGET);
    let Ok(most) = all_at_once.map(|schedule| schedule.rate()) else { return Sweep::default() };
    let of = Policy::ALL.into_iter().map(|policy| {
        let point = |part: f64| {
            let rate = part * most;
            let coming = Workload { rate, ..workload }.arriving(requests.clone());
            let schedule = simulate(coming, rules(policy), engine, bandwidth, BUDGET).ok()?;
            let attained = schedule.attained(params.slo());
            Some(Point {
                rate,
                goodput: attained * rate.min(schedule.rate()),
                attained,
                first: percentile(schedule.firsts(), 0.9),
                token: percentile(schedule.per_tokens(), 0.9),
            })
        };
        (policy, PARTS.into_iter().filter_map(point).collect())
    });
    Sweep { of: of.collect() }
}
