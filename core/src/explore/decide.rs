//! What a figure's decision comes to in a state, and the cheapest change that makes it good.

use super::{Axis, Sliced, written};
use crate::catalogue::Entry;
use crate::declare::{Aim, Decision, Evaluation};
use crate::hardware::{self, Accelerator};
use crate::quantity::{Quantity, listed, unbroken};
use crate::query::Query;

/// The most values of a lever that are tried where it names none.
const MOST: usize = 24;

/// What a decision comes to in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decided {
    /// Whether it is good.
    pub is_good: bool,
    /// The verdict: `Fits.`, or `LoRA fits:` where what follows is of the same thing.
    pub verdict: String,
    /// By how much: a sentence, or the rest of one.
    pub by: String,
}

/// What decides in a state.
struct Stands<'a> {
    quantity: &'a Quantity,
    /// What it is held against.
    limit: f64,
    /// The judge, if there is one.
    judge: Option<&'a Quantity>,
    aim: Aim,
}

impl<'a> Stands<'a> {
    /// None where there is nothing to decide.
    fn of(decision: &Decision, quantities: &'a [Quantity]) -> Option<Self> {
        let find = |id: &str| quantities.iter().find(|q| q.id == id && q.applies);
        let (quantity, limit, aim) = decision.quantities.iter().find_map(|id| {
            let quantity = find(id)?;
            // What has a limit of its own is held against that.
            match (quantity.limit, decision.aim) {
                (Some(limit), _) => Some((quantity, limit, Aim::Within)),
                (None, Aim::AtLeast { least, .. }) => Some((quantity, least, decision.aim)),
                (None, Aim::Within) => None,
            }
        })?;
        let judge = decision.judges.iter().find_map(|id| find(id));
        Some(Self { quantity, limit, judge, aim })
    }

    /// How far it is from good: at most 1 where it is good.
    fn strain(&self) -> f64 {
        let (over, under) = match self.aim {
            Aim::Within => (self.quantity.value, self.limit),
            Aim::AtLeast { .. } => (self.limit, self.quantity.value),
        };
        let ratio = if under > 0.0 {
            over / under
        } else if over <= 0.0 {
            1.0
        } else {
            f64::MAX
        };
        match self.judge {
            None => ratio,
            Some(judge) if judge.value >= 1.0 => ratio.min(1.0),
            Some(_) => 1.0 + ratio,
        }
    }
}

/// The decision of a figure in a state that was evaluated; none where there is none to make.
pub fn decided(entry: &Entry, evaluation: &Evaluation) -> Option<Decided> {
    let decision = entry.decision?;
    if let Some(why) = &evaluation.error {
        return Some(Decided { is_good: false, verdict: "These settings can’t work.".to_owned(), by: why.clone() });
    }
    let stands = Stands::of(&decision, &evaluation.quantities)?;
    let is_good = stands.strain() <= 1.0;
    let Stands { quantity: &Quantity { id, label, unit, value, .. }, limit, judge, aim } = stands;
    let write = |value: f64| unbroken(&written(entry, (id, label, unit), value));
    let (number, difference, limit_text) = (write(value), write((limit - value).abs()), write(limit));
    let [bad, good] = decision.words;
    let said = judge.and_then(|judge| Some(entry.shown().find(|shown| shown.id == judge.id)?.text(judge.value)));
    let verdict = said.unwrap_or_else(|| (if is_good { good } else { bad }).to_owned());
    let amount = if value <= limit {
        format!("{number} of {limit_text}, {difference} left.")
    } else {
        format!("{number}, {difference} over the limit of {limit_text}.")
    };
    let (end, by) = match aim {
        Aim::Within if verdict.starts_with(label) => (':', amount),
        Aim::Within => ('.', format!("{label}: {amount}")),
        Aim::AtLeast { said, .. } => ('.', said.replace("{}", &number)),
    };
    Some(Decided { is_good, verdict: format!("{verdict}{end}"), by })
}

/// A lever at a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pull {
    lever: usize,
    /// Which of the lever's values.
    value: usize,
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// A lever by itself, or upon the best of all before it.
    Try {
        pull: Pull,
        upon: bool,
    },
    /// Without each of those that were pulled, from the last; then with its weaker values, the weakest first.
    Without {
        at: usize,
        value: Option<usize>,
    },
    Done,
}

/// The search for the cheapest change that makes a decision good. Each lever is tried by itself, then upon those that cost less; what turns out not
/// to be needed is left out again.
#[derive(Debug, Clone)]
pub struct Levers {
    entry: Entry,
    decision: Decision,
    base: Query,
    /// The parameter of each lever, and its values in the order in which they are tried.
    axes: Vec<(Axis, Vec<String>)>,
    /// The best value of the lever that is being tried, and how far from good it is with it.
    best: Option<(Pull, f64)>,
    pulled: Vec<Pull>,
    /// How far from good it is with what was pulled.
    strain: f64,
    /// Whether something was left out or weakened since the last pull was looked at: another may do with less now.
    weakened: bool,
    phase: Phase,
    count: usize,
}

/// The change that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// The state with the change made; none where nothing tried makes the decision good.
    pub query: Option<Query>,
    /// What to change, what it comes to and what it costs; or that nothing tried helps.
    pub said: String,
}

impl Levers {
    /// The search from a state. None for a figure without a decision.
    pub fn new(entry: Entry, base: &Query) -> Option<Self> {
        let decision = entry.decision?;
        let base = (entry.read)(base).0;
        let axes: Vec<(Axis, Vec<String>)> = decision
            .levers
            .iter()
            .filter_map(|lever| {
                let axis = entry.param(lever.param).and_then(Axis::of)?;
                let given: Vec<String> = lever.values.iter().map(|value| (*value).to_owned()).collect();
                let values = if given.is_empty() { nearest_first(&axis, &base) } else { given };
                Some((axis, values))
            })
            .collect();
        let strain = strain(&entry, &decision, &base);
        let (best, pulled) = (None, Vec::new());
        let mut search =
            Self { entry, decision, base, axes, best, pulled, strain, weakened: false, phase: Phase::Done, count: 0 };
        search.phase = search.next(0);
        Some(search)
    }

    /// The state with these levers pulled; none where a parameter does not take its value with the others.
    fn state(&self, pulled: &[Pull]) -> Option<Query> {
        pulled.iter().try_fold(self.base.clone(), |query, pull| {
            let (axis, values) = self.axes.get(pull.lever)?;
            axis.set(&self.entry, &query, values.get(pull.value)?).filter(|turned| *turned != query)
        })
    }

    /// How far from good it is with these levers pulled; beyond everything where that is no state.
    fn tried(&mut self, pulled: &[Pull]) -> f64 {
        self.count += 1;
        self.state(pulled).map_or(f64::INFINITY, |query| strain(&self.entry, &self.decision, &query))
    }

    fn has(&self, pull: Pull) -> bool {
        self.axes.get(pull.lever).is_some_and(|(_, values)| pull.value < values.len())
    }

    fn attempt(&mut self, pull: Pull, upon: bool) -> Phase {
        let before = if upon { self.pulled.clone() } else { Vec::new() };
        let pulled: Vec<Pull> = before.iter().copied().chain([pull]).collect();
        let strain = self.tried(&pulled);
        if strain <= 1.0 {
            (self.pulled, self.strain) = (pulled, strain);
            return Phase::Without { at: self.pulled.len(), value: None };
        }
        // Of equals the last: values are given from the weakest to the strongest.
        if self.best.is_none_or(|(_, least)| strain <= least) {
            self.best = Some((pull, strain));
        }
        let next = Pull { value: pull.value + 1, ..pull };
        if self.has(next) {
            return Phase::Try { pull: next, upon };
        }
        let best = self.best.take();
        if !upon && !self.pulled.is_empty() {
            return Phase::Try { pull: Pull { value: 0, ..pull }, upon: true };
        }
        // One that changes nothing may be what another needs.
        if let Some((best, strain)) = best.filter(|(_, strain)| *strain <= self.strain) {
            self.pulled.push(best);
            self.strain = strain;
        }
        self.next(pull.lever + 1)
    }

    /// The first lever from this one on that has values.
    fn next(&self, from: usize) -> Phase {
        let lever = (from..self.axes.len()).find(|lever| self.has(Pull { lever: *lever, value: 0 }));
        match lever {
            Some(lever) => Phase::Try { pull: Pull { lever, value: 0 }, upon: false },
            None => Phase::Without { at: self.pulled.len(), value: None },
        }
    }

    /// The pull before place `at` left out, or weakened to a value, where that is as good.
    fn without(&mut self, at: usize, value: Option<usize>) -> Phase {
        let Some(i) = at.checked_sub(1) else {
            let again = std::mem::take(&mut self.weakened);
            return if again { Phase::Without { at: self.pulled.len(), value: None } } else { Phase::Done };
        };
        let mut pulled = self.pulled.clone();
        let pull = pulled.remove(i);
        match value {
            None => {}
            Some(value) if value < pull.value => pulled.insert(i, Pull { value, ..pull }),
            Some(_) => return Phase::Without { at: i, value: None },
        }
        let strain = self.tried(&pulled);
        if strain <= self.strain.max(1.0) {
            (self.pulled, self.strain) = (pulled, strain);
            self.weakened = true;
            return Phase::Without { at: i, value: None };
        }
        Phase::Without { at, value: Some(value.map_or(0, |value| value + 1)) }
    }

    /// What was found.
    pub fn remedy(&self) -> Remedy {
        let pulls = self.pulled.iter().filter_map(|pull| {
            let (axis, values) = self.axes.get(pull.lever)?;
            let cost = self.decision.levers.iter().find(|lever| lever.param == axis.name())?.cost;
            Some((format!("“{}” to “{}”", axis.label(), axis.write(values.get(pull.value)?)), cost))
        });
        let (changes, mut costs): (Vec<String>, Vec<&str>) = pulls.unzip();
        costs.dedup();
        let state = self.state(&self.pulled);
        let comes_to = state.as_ref().map(|query| (self.entry.evaluate)(query)).and_then(|evaluation| {
            let Stands { quantity, .. } = Stands::of(&self.decision, &evaluation.quantities)?;
            let write = |value| unbroken(&written(&self.entry, (quantity.id, quantity.label, quantity.unit), value));
            let of = quantity.limit.map(|limit| format!(" of {}", write(limit))).unwrap_or_default();
            Some(format!(" {}: {}{of}.", quantity.label, write(quantity.value)))
        });
        let (changes, comes_to) = (listed(&changes), comes_to.unwrap_or_default());
        if self.strain <= 1.0 && !self.pulled.is_empty() {
            let said = format!("Cheapest change found: set {changes}.{comes_to} {}", costs.join(" "));
            return Remedy { query: state, said };
        }
        let closest = if self.pulled.is_empty() || comes_to.is_empty() {
            String::new()
        } else {
            format!(" Closest: set {changes}.{comes_to}")
        };
        Remedy { query: None, said: format!("No change tried is enough.{closest}") }
    }
}

impl Sliced for Levers {
    fn step(&mut self) -> bool {
        self.phase = match self.phase {
            Phase::Try { pull, upon } => self.attempt(pull, upon),
            Phase::Without { at, value } => self.without(at, value),
            Phase::Done => Phase::Done,
        };
        !matches!(self.phase, Phase::Done)
    }

    fn progress(&self) -> (usize, usize) {
        let all = self.axes.iter().map(|(_, values)| 3 * values.len() + 1).sum();
        (self.count.min(all), all)
    }
}

/// How far a state is from good; as far as can be where it has no result.
fn strain(entry: &Entry, decision: &Decision, query: &Query) -> f64 {
    let quantities = (entry.evaluate)(query).quantities;
    Stands::of(decision, &quantities).map_or(f64::MAX, |stands| stands.strain())
}

/// The values of an axis as a query has them, without the present one, the nearest to it first. Of GPUs those that are sold with more memory and are at least as fast, the smallest first.
fn nearest_first(axis: &Axis, base: &Query) -> Vec<String> {
    if let Some(gpu) = base.get(axis.name()).and_then(hardware::find) {
        let has_more = |a: &&Accelerator| a.sold.0 > gpu.sold.0 && a.peak >= gpu.peak;
        let mut larger: Vec<_> = hardware::ALL.iter().filter(has_more).collect();
        larger.sort_by(|a, b| a.sold.0.total_cmp(&b.sold.0));
        return larger.into_iter().map(|a| a.id.to_owned()).collect();
    }
    let now = axis.position(base).unwrap_or(0);
    let mut at: Vec<usize> = axis.spread(MOST).into_iter().filter(|at| *at != now).collect();
    at.sort_by_key(|at| at.abs_diff(now));
    at.into_iter().map(|at| axis.text(at)).collect()
}
