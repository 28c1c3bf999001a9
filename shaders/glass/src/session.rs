//! A kernel that can be looked at, at any of its steps, in any order.
//!
//! A run is the same every time, so a step is shown by running to it again, from a copy that was kept on the way.

use ringside_core::coalescing::measured::{Gather, Order};
use ringside_core::kernels::glass::{Lanes, Opened, SharedVariable, Shown, Source, WIDTHS, WarpAt};
use ringside_core::kernels::job::Note;
use ringside_core::kernels::rows::{self, Op as Rows};
use ringside_core::kernels::{attention, decode, matmul, stream, tuner};
use ringside_shaders::puzzles;
use ringside_shaders::{Kernel, Problem};

use crate::machine::Machine;
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
const MAX_COMPONENTS: usize = 8;
/// The seed of all inputs.
const SEED: u32 = 1;

/// A kernel that was opened.
pub struct Session {
    runnable: Runnable,
    width: u32,
    rounds: u64,
    stride: u64,
    /// From the first on.
    kept: Vec<Machine>,
}

fn wrong(text: &str) -> Vec<Note> {
    vec![Note { error: true, line: 0, column: 0, text: text.to_owned() }]
}

/// Sizes at which a kernel fits on a screen: a few workgroups, with an edge.
fn small(kernel: &Kernel) -> Option<Problem> {
    let product = matmul::Sizes { m: 40, n: 40, k: 20 };
    Some(match kernel.family {
        "matmul" => Problem::Matmul(product),
        tuner::FAMILY => {
            let shape = tuner::SPACE.first()?.config;
            let numbers = ringside_core::kernels::config::Numbers::ALL.into_iter().find(|n| n.id() == kernel.id)?;
            Problem::Tuned(product, ringside_core::kernels::config::Config { numbers, ..shape })
        }
        "attention" => {
            Problem::Attention(attention::Sizes { seq: 20, head_dim: 32, heads: 1, kv_heads: 1, causal: true })
        }
        "decode" => Problem::Decode(decode::Sizes { keys: 40, head_dim: 32, heads: 2, kv_heads: 1, chunk: 32 }),
        "copy" => Problem::Copy(stream::Copy { rows: 40, cols: 20 }),
        "gather" => Problem::Gather(Gather { n: 256, order: Order::Strided, stride: 8, offset: 0 }),
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
        Source::Kernel { family, kernel } => {
            let kernel = ringside_shaders::find(family, kernel).ok_or_else(|| wrong("There is no such kernel."))?;
            let problem = small(kernel).ok_or_else(|| wrong("There is no such kernel."))?;
            let inputs = problem.data(SEED);
            let named = |(name, size): &(&str, u64)| format!("{name} = {size}");
            let sizes = problem.dims().0.iter().map(named).collect::<Vec<_>>().join(", ");
            (Runnable::kernel(kernel, &problem, &inputs).map_err(|note| vec![note])?, sizes)
        }
    };
    let width = if WIDTHS.contains(&width) { width } else { WIDTHS[0] };
    let mut session = Session { runnable, width, rounds: 0, stride: 1, kept: Vec::new() };
    let opened = session.run(sizes);
    Ok((session, opened))
}

impl Session {
    fn run(&mut self, sizes: String) -> Opened {
        let mut machine = self.runnable.machine(self.width, BUDGET);
        self.kept.push(machine.clone());
        let mut barriers = Vec::new();
        let mut groups = vec![0];
        let stopped = loop {
            let before = (machine.launch, machine.group);
            match machine.step() {
                Ok(false) => break None,
                Ok(true) if machine.round >= MAX_ROUNDS => {
                    break Some(format!("The view shows the first {MAX_ROUNDS} steps of this kernel."));
                }
                Ok(true) => {}
                Err(why) => break Some(sentence(why)),
            }
            if (machine.launch, machine.group) != before {
                groups.push(machine.round);
            } else if machine.opened {
                barriers.push(machine.round);
            }
        };
        self.rounds = machine.round;
        let size = machine.size().max(1);
        let copies = (KEPT_BYTES / size).clamp(1, KEPT) as u64;
        self.stride = self.rounds.div_ceil(copies).max(1);
        let program = self.runnable.launches.first().map(|launch| launch.program.clone()).unwrap_or_default();
        let most = |of: fn(&crate::program::Program) -> u32| {
            self.runnable.launches.iter().map(|launch| of(&launch.program)).max().unwrap_or(0)
        };
        Opened {
            text: self.runnable.text.lines().map(str::to_owned).collect(),
            sizes,
            rounds: self.rounds,
            barriers,
            groups,
            width: self.width,
            workgroup: program.workgroup,
            findings: machine.findings,
            counts: machine.counts,
            lines: machine.lines.into_iter().skip(1).collect(),
            registers: most(|program| program.live),
            shared_bytes: most(|program| program.shared_bytes),
            stopped,
        }
    }

    /// Shows a step: of the last, the end. `warp` is the one whose lanes are shown.
    pub fn show(&mut self, round: u64, warp: u32) -> Shown {
        let round = round.min(self.rounds);
        // The step itself is taken anew, because what is accessed in it is noted for one warp only.
        let known = self.kept.iter().rposition(|machine| machine.round < round).unwrap_or(0);
        let Some(mut machine) = self.kept.get(known).cloned() else { return Shown::default() };
        machine.watched = warp as usize;
        while machine.round < round {
            let last = self.kept.last().map_or(0, |machine| machine.round);
            if machine.round >= last + self.stride {
                self.kept.push(machine.clone());
            }
            if machine.step() != Ok(true) {
                break;
            }
        }
        self.shown(&machine, warp)
    }

    fn shown(&self, machine: &Machine, number: u32) -> Shown {
        let entry = self.runnable.entries.get(machine.launch).copied().unwrap_or_default();
        let at = |warp: &crate::machine::Warp| WarpAt {
            line: warp.line,
            active: if warp.done { 0 } else { warp.active },
            full: warp.full,
            waiting: warp.waiting.is_some(),
            done: warp.done,
        };
        let mut shown = Shown {
            round: machine.round,
            dispatch: entry.to_owned(),
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
