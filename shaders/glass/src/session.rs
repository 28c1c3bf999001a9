//! A kernel that can be looked at, at any of its steps, in any order.
//!
//! A run is the same every time, so a step is shown by running on from the last that was shown, or from a copy that was kept on the way.

use ringside_core::coalescing::measured::{Gather, Order};
use ringside_core::kernels::glass::{Held, Lanes, Opened, SharedVariable, Shown, Source, WIDTHS, WarpAt};
use ringside_core::kernels::job::Note;
use ringside_core::kernels::rows::{self, Op as Rows};
use ringside_core::kernels::{attention, decode, matmul, stream, tuner};
use ringside_core::quantity::grouped;
use ringside_shaders::puzzles;
use ringside_shaders::{Kernel, Problem};

use crate::machine::Machine;
use crate::own;
use crate::program::Kind;
use crate::run::{Runnable, sentence};

/// Operations of warps that a view runs.
const BUDGET: u64 = 4_000_000;
/// Steps that a view has.
const MAX_ROUNDS: u64 = 100_000;
/// Bytes of copies that are kept, and how many at most.
const KEPT_BYTES: usize = 48 << 20;
const KEPT: usize = 64;
/// Cells that are shown of each variable of the workgroup, and components of a value.
const MAX_CELLS: usize = 1024;
/// Values that are listed of each buffer.
const MAX_HELD: usize = 64;
const MAX_COMPONENTS: usize = 8;
/// Values of a pattern that a view reads.
const MOST_GATHERED: u64 = 1 << 13;
/// The seed of all inputs.
const SEED: u32 = 1;

/// A kernel that was opened.
pub struct Session {
    runnable: Runnable,
    width: u32,
    rounds: u64,
    /// From the first on, about equally far apart.
    kept: Vec<Machine>,
    /// What was shown last.
    at: Option<Machine>,
}

/// Copies of a machine that are kept while it runs: as many as fit, the fewer the longer it runs.
struct Copies {
    all: Vec<Machine>,
    most: usize,
    /// Steps from one to the next.
    stride: u64,
}

impl Copies {
    /// Of one that has not begun.
    fn of(machine: &Machine) -> Self {
        let most = (KEPT_BYTES / machine.size().max(1)).clamp(1, KEPT);
        Self { all: vec![machine.clone()], most, stride: 1 }
    }

    fn due(&self, machine: &Machine) -> bool {
        machine.round >= self.all.last().map_or(0, |last| last.round) + self.stride
    }

    /// Keeps a copy if one is due. If there is no room, every second goes first.
    fn pass(&mut self, machine: &Machine) {
        if self.due(machine) && self.all.len() >= self.most {
            self.stride *= 2;
            let mut even = false;
            self.all.retain(|_| {
                even = !even;
                even
            });
        }
        if self.due(machine) {
            self.all.push(machine.clone());
        }
    }
}

fn wrong(text: &str) -> Vec<Note> {
    vec![Note { error: true, line: 0, column: 0, text: text.to_owned() }]
}

/// Sizes at which a kernel fits on a screen: a few workgroups, with an edge. Of those of a figure, what is no size is kept.
fn small(kernel: &Kernel, sizes: &[u64]) -> Option<Problem> {
    let asked = Problem::read(kernel.family, sizes);
    let product = matmul::Sizes { m: 40, n: 40, k: 20 };
    Some(match kernel.family {
        "matmul" => Problem::Matmul(product),
        tuner::FAMILY => {
            if let Some(Problem::Tuned(_, config)) = asked {
                return Some(Problem::Tuned(product, config));
            }
            let shape = tuner::SPACE.first()?.config;
            let numbers = ringside_core::kernels::config::Numbers::ALL.into_iter().find(|n| n.id() == kernel.id)?;
            Problem::Tuned(product, ringside_core::kernels::config::Config { numbers, ..shape })
        }
        "attention" => {
            Problem::Attention(attention::Sizes { seq: 20, head_dim: 32, heads: 1, kv_heads: 1, causal: true })
        }
        "decode" => Problem::Decode(decode::Sizes { keys: 40, head_dim: 32, heads: 2, kv_heads: 1, chunk: 32 }),
        "copy" => Problem::Copy(stream::Copy { rows: 40, cols: 20 }),
        "gather" => match asked {
            // Long enough that no warp comes round to where it began.
            Some(Problem::Gather(gather)) => {
                let n = (64 * gather.stride).clamp(256, MOST_GATHERED).next_power_of_two();
                Problem::Gather(Gather { n, ..gather })
            }
            _ => Problem::Gather(Gather { n: 256, order: Order::Strided, stride: 8, offset: 0 }),
        },
        "sum" => Problem::Sum(stream::Sum { n: 600 }),
        "intensity" => Problem::Intensity(stream::Intensity { n: 100, fma: 4 }),
        other => Problem::Rows(Rows::find(other)?, rows::Sizes { rows: 2, cols: 100 }),
    })
}

/// Opens a kernel: runs it to its end, and says what it did.
///
/// # Errors
/// Why it cannot be run, and where.
pub fn open(source: &Source, width: u32) -> Result<(Session, Opened), Vec<Note>> {
    let (runnable, sizes) = match source {
        Source::Puzzle { puzzle, body } => {
            let puzzle = puzzles::find(puzzle).ok_or_else(|| wrong("There is no such puzzle."))?;
            let case = puzzle.shown(SEED);
            (Runnable::puzzle(puzzle, body, &case).map_err(|note| vec![note])?, case.name())
        }
        Source::Kernel { family, kernel, sizes } => {
            let kernel = ringside_shaders::find(family, kernel).ok_or_else(|| wrong("There is no such kernel."))?;
            let problem = small(kernel, sizes).ok_or_else(|| wrong("There is no such kernel."))?;
            let inputs = problem.data(SEED);
            let named = |(name, size): &(&str, u64)| format!("{name} = {size}");
            let sizes = problem.dims().0.iter().map(named).collect::<Vec<_>>().join(", ");
            (Runnable::kernel(kernel, &problem, &inputs).map_err(|note| vec![note])?, sizes)
        }
        Source::Own { text, given } => own::runnable(text, given)?,
    };
    let width = if WIDTHS.contains(&width) { width } else { WIDTHS[0] };
    let mut session = Session { runnable, width, rounds: 0, kept: Vec::new(), at: None };
    let opened = session.run(sizes);
    Ok((session, opened))
}

impl Session {
    fn run(&mut self, sizes: String) -> Opened {
        let mut machine = self.runnable.machine(self.width, BUDGET);
        let mut kept = Copies::of(&machine);
        let mut barriers = Vec::new();
        let stopped = loop {
            let more = machine.step();
            if machine.opened {
                barriers.push(machine.round);
            }
            match more {
                Ok(false) => break None,
                Ok(true) if machine.round >= MAX_ROUNDS => {
                    let most = grouped(MAX_ROUNDS);
                    break Some(format!("The view shows the first {most} steps of this kernel."));
                }
                Ok(true) => kept.pass(&machine),
                Err(why) => break Some(sentence(why)),
            }
        };
        self.rounds = machine.round;
        self.kept = kept.all;
        let program = self.runnable.launches.first().map(|launch| launch.program.clone()).unwrap_or_default();
        let most = |of: fn(&crate::program::Program) -> u32| {
            self.runnable.launches.iter().map(|launch| of(&launch.program)).max().unwrap_or(0)
        };
        Opened {
            text: self.runnable.text.lines().map(str::to_owned).collect(),
            sizes,
            rounds: self.rounds,
            barriers,
            width: self.width,
            workgroup: program.workgroup,
            buffers: self.held(&machine),
            findings: machine.findings,
            counts: machine.counts,
            lines: machine.lines.into_iter().skip(1).collect(),
            registers: most(|program| program.live),
            shared_bytes: most(|program| program.shared_bytes),
            stopped,
        }
    }

    /// What is in the buffers, by the names of the first dispatch that has them.
    fn held(&self, machine: &Machine) -> Vec<Held> {
        let mut held: Vec<Option<Held>> = vec![None; machine.buffers.len()];
        for launch in self.runnable.launches.iter() {
            let bound = launch.program.variables.iter().zip(&launch.buffers).filter(|(variable, _)| !variable.uniform);
            for (variable, buffer) in bound.filter_map(|(variable, buffer)| Some((variable, (*buffer)?))) {
                let (Some(memory), Some(into)) = (machine.buffers.get(buffer), held.get_mut(buffer)) else { continue };
                let layout = &variable.layout;
                let places =
                    || (0..memory.limit / memory.grain.max(1)).map(|i| i * memory.grain).filter(|at| layout.holds(*at));
                let cell = |at: u32| (layout.name(at), memory.text(at, layout.kind(at)));
                into.get_or_insert_with(|| Held {
                    name: variable.name.clone(),
                    of: places().count(),
                    values: places().take(MAX_HELD).map(cell).collect(),
                });
            }
        }
        held.into_iter().flatten().collect()
    }

    /// Shows a step: of the last, the end. `warp` is the one whose lanes are shown.
    pub fn show(&mut self, round: u64, warp: u32) -> Shown {
        let round = round.min(self.rounds);
        // The step itself is taken anew, because what is accessed in it is noted for one warp only.
        let known = self.kept.iter().rposition(|machine| machine.round < round).unwrap_or(0);
        let Some(kept) = self.kept.get(known) else { return Shown::default() };
        let at = self.at.take().filter(|machine| (kept.round..round).contains(&machine.round));
        let mut machine = at.unwrap_or_else(|| kept.clone());
        machine.watched = warp as usize;
        while machine.round < round && machine.step() == Ok(true) {}
        let shown = self.shown(&machine, warp);
        self.at = Some(machine);
        shown
    }

    fn shown(&self, machine: &Machine, number: u32) -> Shown {
        let entry = self.runnable.entries.get(machine.launch).cloned().unwrap_or_default();
        let at = |warp: &crate::machine::Warp| WarpAt {
            line: warp.line,
            active: if warp.done { 0 } else { warp.active },
            full: warp.full,
            waiting: warp.waiting.is_some(),
            done: warp.done,
        };
        let mut shown = Shown {
            round: machine.round,
            dispatch: entry,
            workgroup: machine.group,
            warps: if machine.done() { Vec::new() } else { machine.warps.iter().map(at).collect() },
            warp: number,
            accesses: machine.accesses.clone(),
            ..Shown::default()
        };
        let (Some(launch), Some(warp)) = (machine.current(), machine.warps.get(number as usize)) else { return shown };
        let program = &launch.program;
        let scope = program.scopes.get(warp.pc).copied().unwrap_or(0);
        for (named, defined) in program.named.iter().zip(&warp.defined) {
            let is_everywhere = named.scope == u32::MAX;
            if !is_everywhere && (named.scope != scope || *defined == 0) {
                continue;
            }
            let values = (0..self.width as usize).map(|lane| {
                let there = is_everywhere || defined & (1 << lane) != 0;
                (there && warp.full & (1 << lane) != 0).then(|| {
                    let word = |(i, kind): (usize, &Kind)| {
                        let at = (named.slot as usize + i) * self.width as usize + lane;
                        kind.text(warp.registers.get(at).copied().unwrap_or(0))
                    };
                    let mut parts: Vec<String> =
                        named.kinds.iter().enumerate().take(MAX_COMPONENTS).map(word).collect();
                    if named.kinds.len() > MAX_COMPONENTS {
                        parts.push("…".to_owned());
                    }
                    match parts.as_slice() {
                        [one] => one.clone(),
                        _ => format!("({})", parts.join(", ")),
                    }
                })
            });
            // A name may be given again in an inner block: the last one counts.
            let values = Lanes { name: named.name.clone(), values: values.collect() };
            match shown.values.iter_mut().find(|known| known.name == values.name) {
                Some(known) => *known = values,
                None => shown.values.push(values),
            }
        }
        let size: u32 = program.workgroup.iter().product::<u32>().max(1);
        for (variable, memory) in program.variables.iter().zip(&machine.shared).filter(|(v, _)| v.binding.is_none()) {
            let grain = if variable.layout.halves() { 2 } else { 4 };
            let of = (variable.bytes / grain) as usize;
            let cells = (0..of.min(MAX_CELLS)).map(|i| {
                let at = i as u32 * grain;
                let writer = memory.cells.get(i).map_or(0, |cell| cell.writer.who);
                (memory.text(at, variable.layout.kind(at)), writer.checked_sub(1).map(|who| who % size))
            });
            shown.shared.push(SharedVariable {
                name: variable.name.clone(),
                row: (variable.layout.row() / grain).clamp(1, 64) as usize,
                of,
                cells: cells.collect(),
            });
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_kept_on_the_way_and_spread_evenly() {
        let source = Source::Kernel { family: "matmul".to_owned(), kernel: "tiled".to_owned(), sizes: Vec::new() };
        let (mut session, opened) = open(&source, 32).expect("valid");
        let kept: Vec<u64> = session.kept.iter().map(|machine| machine.round).collect();
        assert!(kept.len() > KEPT / 2 && kept.len() <= KEPT && opened.rounds > KEPT as u64, "{kept:?}");
        let stride = kept[1];
        assert!(kept.iter().zip(0..).all(|(round, i)| *round == i * stride), "{kept:?}");
        assert!(kept.last().is_some_and(|last| opened.rounds - last <= stride), "{kept:?} {}", opened.rounds);
        // A step forward goes on from the one before, and a step back from a copy: no more are made.
        for round in [opened.rounds, 3, 4, opened.rounds / 2] {
            session.show(round, 0);
            assert_eq!(session.at.as_ref().map(|machine| machine.round), Some(round));
        }
        assert_eq!(session.kept.len(), kept.len());
    }

    #[test]
    fn a_figure_is_stepped_in_its_own_pattern_and_shape() {
        let counts = |stride| {
            let (_, sizes) = Gather { n: 1 << 20, order: Order::Strided, stride, offset: 0 }.sizes();
            let source = Source::Kernel { family: "gather".to_owned(), kernel: "gather".to_owned(), sizes };
            open(&source, 32).expect("valid").1
        };
        // A read of consecutive values and the write each touch 4 sectors; one with a stride of 32, one per lane.
        assert!((counts(1).counts.sectors_per_request() - 4.0).abs() < 1e-9, "{:?}", counts(1).counts);
        assert!((counts(32).counts.sectors_per_request() - 18.0).abs() < 1e-9, "{:?}", counts(32).counts);
        for shape in tuner::SPACE {
            let sizes: Vec<u64> = [64; 3].into_iter().chain(shape.config.list()).collect();
            let kernel = ringside_shaders::find(tuner::FAMILY, shape.config.numbers.id()).expect("a kernel");
            let small = small(kernel, &sizes);
            assert!(matches!(small, Some(Problem::Tuned(_, config)) if config == shape.config), "{small:?}");
        }
    }

    #[test]
    fn of_what_is_large_only_the_beginning_is_kept() {
        let source = Source::Kernel { family: "sum".to_owned(), kernel: "tree".to_owned(), sizes: Vec::new() };
        let (session, _) = open(&source, 32).expect("valid");
        let mut machine = session.kept[0].clone();
        let mut copies = Copies { most: 1, ..Copies::of(&machine) };
        while machine.step() == Ok(true) {
            copies.pass(&machine);
        }
        assert!(machine.round > 100, "{}", machine.round);
        assert_eq!(copies.all.iter().map(|machine| machine.round).collect::<Vec<_>>(), [0]);
    }
}
