//! How each machine goes through each computation.

use super::work::{degree, neighbour};
use super::{Kind, Lane, Message, Params, Run, Step, Touch, WORD, Work};

/// A run that is being written.
struct Writer<'a> {
    p: &'a Params,
    units: usize,
    lanes: usize,
    /// When each unit is done with what it has been given; the last of them has taken all the time so far.
    clocks: Vec<f64>,
    steps: Vec<Step>,
}

/// What a unit does in a step: the elements of its lanes, from the first lane on.
type Part = Vec<Option<u16>>;

impl Writer<'_> {
    /// The elements of each unit, in contiguous parts; the last are shorter or empty.
    fn parts(&self, n: usize) -> Vec<std::ops::Range<usize>> {
        let each = n.div_ceil(self.units);
        (0..self.units).map(|u| (u * each).min(n)..((u + 1) * each).min(n)).collect()
    }

    /// Units whose memory is not next to them: half of the cores, where one thread touched everything first.
    fn is_far(&self, unit: usize) -> bool {
        self.p.machine == Kind::Cpu && self.p.touch == Touch::One && unit >= self.units.div_ceil(2)
    }

    /// When the last unit is done.
    fn last(&self) -> f64 {
        self.clocks.iter().copied().fold(0.0, f64::max)
    }

    /// Every unit waits for the last.
    fn meet(&mut self) {
        let last = self.last();
        self.clocks.fill(last);
    }

    /// A step of what each unit does; an empty part waits. Each working lane does `flop` operations and moves `words` words. No unit waits
    /// for another here, so the step takes the time by which the last of them is done later than before.
    fn step(&mut self, what: &'static str, parts: Vec<Part>, flop: f64, words: f64) {
        let mut step = Step { what, ..Step::default() };
        let before = self.last();
        for (unit, part) in parts.into_iter().enumerate() {
            let works = part.iter().flatten().count() as f64;
            let bytes = works * words * WORD;
            step.flop += works * flop;
            let is_far = self.is_far(unit);
            *(if is_far { &mut step.far } else { &mut step.near }) += bytes;
            if let Some(clock) = self.clocks.get_mut(unit).filter(|_| works > 0.0) {
                *clock += if is_far && bytes > 0.0 { self.p.remote } else { 1.0 };
            }
            let idle = if part.iter().any(Option::is_some) { Lane::Masked } else { Lane::Waits };
            let lane = |i: usize| part.get(i).copied().flatten().map_or(idle, Lane::Works);
            step.lanes.extend((0..self.lanes).map(lane));
        }
        step.time = self.last() - before;
        self.steps.push(step);
    }

    /// A step in which nothing is computed and messages fly.
    fn send(&mut self, what: &'static str, messages: Vec<Message>) {
        if messages.is_empty() {
            return;
        }
        let most = messages.iter().map(|m| m.bytes).fold(0.0, f64::max);
        let time = self.p.latency + most / WORD / self.lanes as f64;
        self.meet();
        self.clocks.iter_mut().for_each(|clock| *clock += time);
        let lanes = vec![Lane::Waits; self.units * self.lanes];
        self.steps.push(Step { what, lanes, messages, time, ..Step::default() });
    }

    /// Every unit goes through its elements, a lane for each.
    fn sweep(&mut self, what: &'static str, n: usize, flop: f64, words: f64) {
        let parts = self.parts(n);
        let longest = parts.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        for row in 0..longest.div_ceil(self.lanes) {
            let part = |range: &std::ops::Range<usize>| -> Part {
                let from = range.start + row * self.lanes;
                (from..from + self.lanes).map(|e| (e < range.end).then_some(e as u16)).collect()
            };
            let parts = parts.iter().map(part).collect();
            self.step(what, parts, flop, words);
        }
    }

    fn update(&mut self, n: usize) {
        // Two numbers are read and one is written.
        self.sweep("multiply and add", n, 2.0, 3.0);
    }

    fn stencil(&mut self, n: usize) {
        if self.p.machine == Kind::Nodes {
            let parts = self.parts(n);
            let busy = |u: usize| parts.get(u).is_some_and(|range| !range.is_empty());
            let edges = (1..self.units).filter(|&u| busy(u) && busy(u - 1));
            let messages =
                edges.flat_map(|u| [(u - 1, u), (u, u - 1)]).map(|(from, to)| Message { from, to, bytes: WORD });
            let messages = messages.collect();
            self.send("send the edge cells", messages);
        }
        for what in ["left neighbour", "itself", "right neighbour"] {
            self.sweep(what, n, 2.0, if what == "itself" { 2.0 } else { 1.0 });
        }
    }

    fn reduce(&mut self, n: usize) {
        self.sweep("add to the lane’s sum", n, 1.0, 1.0);
        let filled = n.div_ceil(self.units).min(self.lanes);
        let busy = n.div_ceil(n.div_ceil(self.units).max(1)).min(self.units);
        let fold = |count: usize, this: &mut Self, what: &'static str, units: usize| {
            let mut left = count;
            while left > 1 {
                let half = left.div_ceil(2);
                let part = |u: usize| -> Part {
                    if u < units { (0..left - half).map(|lane| Some(lane as u16)).collect() } else { Vec::new() }
                };
                let parts = (0..this.units).map(part).collect();
                this.step(what, parts, 1.0, 0.0);
                left = half;
            }
        };
        fold(filled, self, "fold the lanes", busy);
        if self.p.machine == Kind::Nodes {
            let mut left = busy;
            while left > 1 {
                let half = left.div_ceil(2);
                let messages = (half..left).map(|from| Message { from, to: from - half, bytes: WORD }).collect();
                self.send("send the sums", messages);
                let part = |u: usize| -> Part { if u < left - half { vec![Some(u as u16)] } else { Vec::new() } };
                let parts = (0..self.units).map(part).collect();
                self.step("add what came", parts, 1.0, 0.0);
                left = half;
            }
        } else {
            // One unit gathers the sums of all from shared memory and folds them over its lanes.
            self.meet();
            let mut left = busy;
            while left > 1 {
                let adds = (left - left.div_ceil(2)).min(self.lanes);
                let part = |u: usize| -> Part {
                    if u == 0 { (0..adds).map(|lane| Some(lane as u16)).collect() } else { Vec::new() }
                };
                let parts = (0..self.units).map(part).collect();
                self.step("fold the units’ sums", parts, 1.0, 1.0);
                left -= adds;
            }
        }
    }

    /// Rows of C to units, columns to lanes, one step for each term of the sums.
    fn product(&mut self, n: usize) {
        let parts = self.parts(n);
        if self.p.machine == Kind::Nodes {
            // Each node has rows of A, B and C; B goes round the ring of those that have rows.
            let busy: Vec<usize> = (0..self.units).filter(|&u| parts.get(u).is_some_and(|r| !r.is_empty())).collect();
            let bytes = WORD * (n * n) as f64 / busy.len().max(1) as f64;
            for _ in 1..busy.len() {
                let next = |i: usize| busy.get((i + 1) % busy.len()).copied().unwrap_or_default();
                let messages = busy.iter().enumerate().map(|(i, &from)| Message { from, to: next(i), bytes }).collect();
                self.send("pass B on", messages);
            }
        }
        let rows = parts.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        for row in 0..rows {
            for block in 0..n.div_ceil(self.lanes) {
                for term in 0..n {
                    let part = |range: &std::ops::Range<usize>| -> Part {
                        let here = range.start + row;
                        if here >= range.end {
                            return Vec::new();
                        }
                        let column = |lane: usize| block * self.lanes + lane;
                        (0..self.lanes).map(|l| (column(l) < n).then(|| (here * n + column(l)) as u16)).collect()
                    };
                    let parts = parts.iter().map(part).collect();
                    // A row of B for each term, the sum stays in a register; it is written with the last.
                    self.step("multiply and add", parts, 2.0, if term + 1 == n { 2.0 } else { 1.0 });
                }
            }
        }
    }

    /// A vertex for each lane, which goes through its neighbours while the other lanes of its unit wait.
    fn graph(&mut self, n: usize) {
        let parts = self.parts(n);
        if self.p.machine == Kind::Nodes {
            let owner = |vertex: usize| parts.iter().position(|range| range.contains(&vertex)).unwrap_or_default();
            let mut messages: Vec<Message> = Vec::new();
            for vertex in 0..n {
                for place in 0..degree(vertex) {
                    let (from, to) = (owner(neighbour(vertex, place, n)), owner(vertex));
                    if from == to {
                        continue;
                    }
                    match messages.iter_mut().find(|m| m.from == from && m.to == to) {
                        Some(message) => message.bytes += WORD,
                        None => messages.push(Message { from, to, bytes: WORD }),
                    }
                }
            }
            self.send("send the neighbours’ values", messages);
        }
        // A unit goes through its own rows of vertices, each as long as the longest of its lanes takes, and waits for no other.
        let lanes = self.lanes;
        let walk = |range: &std::ops::Range<usize>| -> Vec<Part> {
            let rows = range.clone().step_by(lanes).map(|from| from..(from + lanes).min(range.end));
            rows.flat_map(|row| {
                let most = row.clone().map(degree).max().unwrap_or(0);
                (0..most).map(move |place| row.clone().map(|v| (place < degree(v)).then_some(v as u16)).collect())
            })
            .collect()
        };
        let walks: Vec<Vec<Part>> = parts.iter().map(walk).collect();
        for at in 0..walks.iter().map(Vec::len).max().unwrap_or(0) {
            let parts = walks.iter().map(|walk| walk.get(at).cloned().unwrap_or_default()).collect();
            // The edge, and the value at its other end.
            self.step("add a neighbour", parts, 1.0, 2.0);
        }
    }

    /// Weights stay in an array of `lanes` × `lanes` cells and `rows` of activations march through it: cell (i, j) meets row r at step
    /// r + i + j. `has` says whether a cell's weight is there.
    fn march(&mut self, rows: usize, inner: usize, columns: usize, has: &dyn Fn(usize, usize) -> bool) {
        let side = self.lanes;
        for top in (0..inner).step_by(side) {
            for left in (0..columns).step_by(side) {
                let (depth, width) = ((inner - top).min(side), (columns - left).min(side));
                // A tile without a weight is left out.
                if !(0..depth).any(|i| (0..width).any(|j| has(top + i, left + j))) {
                    continue;
                }
                for clock in 0..rows + depth + width - 2 {
                    let cell = |i: usize, j: usize| -> Option<u16> {
                        let row = clock.checked_sub(i + j)?;
                        (i < depth && j < width && row < rows && has(top + i, left + j)).then_some(row as u16)
                    };
                    let parts: Vec<Part> = (0..side).map(|i| (0..side).map(|j| cell(i, j)).collect()).collect();
                    let mut step = Step { what: "march", time: 1.0, ..Step::default() };
                    for lane in parts.into_iter().flatten() {
                        step.lanes.push(lane.map_or(Lane::Waits, Lane::Works));
                    }
                    step.flop = 2.0 * step.working() as f64;
                    // Only the left edge reads, and only the lower edge writes.
                    let enters = (0..depth).filter(|&i| clock.checked_sub(i).is_some_and(|row| row < rows)).count();
                    let leaves =
                        (0..width).filter(|&j| clock.checked_sub(depth - 1 + j).is_some_and(|row| row < rows)).count();
                    step.near = WORD * (enters + leaves) as f64;
                    self.steps.push(step);
                }
            }
        }
    }

    fn systolic(&mut self, n: usize) {
        match self.p.work {
            Work::Product => self.march(n, n, n, &|_, _| true),
            // One row of n numbers times a matrix of n × n with little in it: its diagonal, three of them, ones in one column, edges.
            Work::Update => self.march(1, n, n, &|i, j| i == j),
            Work::Stencil => self.march(1, n, n, &|i, j| i.abs_diff(j) <= 1),
            Work::Reduce => self.march(1, n, 1, &|_, _| true),
            Work::Graph => self.march(1, n, n, &|i, j| (0..degree(j)).any(|place| neighbour(j, place, n) == i)),
        }
    }
}

/// Runs it.
pub(super) fn run(p: &Params) -> Run {
    let n = p.elements();
    let (units, lanes) = match p.machine {
        Kind::Systolic => (p.lanes as usize, p.lanes as usize),
        _ => (p.units as usize, p.lanes as usize),
    };
    let (units, lanes) = (units.max(1), lanes.max(1));
    let mut writer = Writer { p, units, lanes, clocks: vec![0.0; units], steps: Vec::new() };
    match (p.machine, p.work) {
        (Kind::Systolic, _) => writer.systolic(n),
        (_, Work::Update) => writer.update(n),
        (_, Work::Product) => writer.product(n),
        (_, Work::Stencil) => writer.stencil(n),
        (_, Work::Reduce) => writer.reduce(n),
        (_, Work::Graph) => writer.graph(n),
    }
    Run { units: writer.units, lanes: writer.lanes, steps: writer.steps, needed: p.work.needed(n) }
}
