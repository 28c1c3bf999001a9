//! Runs a [`Program`], warp by warp and line by line, and watches every access.

use std::rc::Rc;

use naga::{AtomicFunction, CollectiveOperation, SubgroupOperation};
use ringside_core::kernels::glass::{Access, AccessKind, BANKS, Counts, Finding, FindingKind, LineCounts, SECTOR};
use ringside_core::quantity::{counted, grouped};

use crate::math::{binary, cast, f, flop, math, rounded, special, unary};
use crate::program::{Address, Atomic, From, Kind, Leaf, Len, Op, Program, Root, Slot, Term, Told, Unary, Whole};
use crate::shadow::{Cell, Mark};

/// Findings that are kept; of more, the first are.
const MAX_FINDINGS: usize = 100;

/// Memory: words, and what is known of each cell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory {
    pub words: Vec<u32>,
    pub cells: Vec<Cell>,
    /// Bytes per cell: of a half, where there are halves.
    pub grain: u32,
    /// Bytes that the kernel may touch. Beyond them there may be a margin.
    pub limit: u32,
}

impl Memory {
    /// So many bytes of words. Whoever fills them says whether they count as written.
    pub fn new(words: Vec<u32>, halves: bool, limit: u32, written: bool) -> Self {
        let grain = if halves { 2 } else { 4 };
        let cells = vec![Cell::new(written); words.len() * 4 / grain as usize];
        Self { words, cells, grain, limit }
    }

    /// That the cell at an offset has a value.
    pub fn know(&mut self, at: u32) {
        if let Some(cell) = self.cells.get_mut((at / self.grain.max(1)) as usize) {
            cell.written = true;
        }
    }

    fn bytes(&self) -> u32 {
        (self.words.len() * 4) as u32
    }

    /// What is in a cell, as a person writes it.
    pub fn text(&self, at: u32, kind: Kind) -> String {
        kind.text(self.get(at, kind))
    }

    fn get(&self, at: u32, kind: Kind) -> u32 {
        let word = self.words.get((at / 4) as usize).copied().unwrap_or(0);
        match kind {
            Kind::F16 => half::f16::from_bits((word >> (8 * (at & 2))) as u16).to_f32().to_bits(),
            _ => word,
        }
    }

    pub fn set(&mut self, at: u32, kind: Kind, value: u32) {
        let Some(word) = self.words.get_mut((at / 4) as usize) else { return };
        *word = match kind {
            Kind::F16 => {
                let shift = 8 * (at & 2);
                let bits = u32::from(half::f16::from_f32(f(value)).to_bits());
                (*word & !(0xffff << shift)) | (bits << shift)
            }
            _ => value,
        };
    }
}

/// A place where lanes part.
#[derive(Debug, Clone, Copy)]
enum Frame {
    /// Who goes on at the end, and who takes the other branch.
    If {
        join: u64,
        other: u64,
    },
    /// Who goes on at the end, and who waits for the next lap.
    Loop {
        join: u64,
        next: u64,
    },
    Switch {
        join: u64,
        waiting: u64,
    },
    Call {
        join: u64,
    },
}

/// A warp.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warp {
    pub pc: usize,
    pub active: u64,
    /// Its lanes.
    pub full: u64,
    frames: Vec<Frame>,
    pub registers: Vec<u32>,
    /// At this barrier it waits.
    pub waiting: Option<usize>,
    pub done: bool,
    /// The line it has come to.
    pub line: u32,
    /// Lanes in which each named value is there.
    pub defined: Vec<u64>,
    /// Where each lane returned.
    returned: Vec<u32>,
}

/// A dispatch: what runs, and on what.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub program: Rc<Program>,
    pub grid: [u32; 3],
    /// The buffer behind each of the program's variables; nothing for one of the workgroup.
    pub buffers: Vec<Option<usize>>,
}

/// Why a run ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// So many operations of warps were done.
    Budget(u64),
}

/// All that there is while kernels run.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    launches: Rc<Vec<Launch>>,
    /// The launch that runs, and its workgroup.
    pub launch: usize,
    pub group: u32,
    pub buffers: Vec<Memory>,
    pub shared: Vec<Memory>,
    pub warps: Vec<Warp>,
    width: u32,
    epochs: [u32; 2],
    pub counts: Counts,
    pub lines: Vec<LineCounts>,
    pub findings: Vec<Finding>,
    /// What one warp accessed on the line that it did last.
    pub accesses: Vec<Access>,
    pub watched: usize,
    /// Rounds since the beginning.
    pub round: u64,
    /// Whether a barrier opened in the last.
    pub opened: bool,
    /// Operations of warps that may still be done.
    pub budget: u64,
    budgeted: u64,
}

fn lanes(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

impl Machine {
    /// Ready to run these one after the other, in warps of so many lanes.
    pub fn new(launches: Rc<Vec<Launch>>, buffers: Vec<Memory>, width: u32, budget: u64, lines: usize) -> Self {
        let mut machine = Self {
            launches,
            launch: 0,
            group: 0,
            buffers,
            shared: Vec::new(),
            warps: Vec::new(),
            width: width.clamp(1, 64),
            epochs: [1, 1],
            counts: Counts::default(),
            lines: vec![LineCounts::default(); lines + 1],
            findings: Vec::new(),
            accesses: Vec::new(),
            watched: 0,
            round: 0,
            opened: false,
            budget,
            budgeted: budget,
        };
        machine.enter();
        machine
    }

    pub fn current(&self) -> Option<&Launch> {
        self.launches.get(self.launch)
    }

    /// About how many bytes a copy of it takes.
    pub fn size(&self) -> usize {
        let memories = self.buffers.iter().chain(&self.shared);
        let memory: usize = memories.map(|m| 4 * m.words.len() + size_of::<Cell>() * m.cells.len()).sum();
        memory + self.warps.iter().map(|warp| 4 * warp.registers.len() + 8 * warp.defined.len()).sum::<usize>()
    }

    /// Whether all is done.
    pub fn done(&self) -> bool {
        self.launch >= self.launches.len()
    }

    fn groups(launch: &Launch) -> u32 {
        launch.grid.iter().fold(1, |all: u32, n| all.saturating_mul(*n))
    }

    /// Begins the workgroup, or the next that there is.
    fn enter(&mut self) {
        let launches = self.launches.clone();
        loop {
            let Some(launch) = launches.get(self.launch) else { return };
            if self.group < Self::groups(launch) {
                break;
            }
            self.launch += 1;
            self.group = 0;
            for memory in &mut self.buffers {
                memory.cells.iter_mut().for_each(Cell::settle);
            }
        }
        let Some(launch) = launches.get(self.launch) else { return };
        let program = &launch.program;
        self.epochs = self.epochs.map(|epoch| epoch.wrapping_add(1));
        self.shared = program
            .variables
            .iter()
            .map(|variable| match variable.binding {
                Some(_) => Memory::default(),
                None => {
                    let halves = variable.layout.halves();
                    Memory::new(vec![0; variable.bytes.div_ceil(4) as usize], halves, variable.bytes, false)
                }
            })
            .collect();
        let size = program.workgroup;
        let [gx, gy, _] = launch.grid.map(|n| n.max(1));
        let group = [self.group % gx, self.group / gx % gy, self.group / gx / gy];
        let all: u32 = size.iter().product();
        let width = self.width as usize;
        let count = all.div_ceil(self.width);
        self.warps.resize_with(count as usize, Warp::default);
        for (number, warp) in self.warps.iter_mut().enumerate() {
            let first = number as u32 * self.width;
            let here = (all - first).min(self.width);
            warp.full = u64::MAX >> (64 - here);
            warp.active = warp.full;
            warp.pc = 0;
            warp.frames.clear();
            warp.waiting = None;
            warp.done = false;
            warp.line = 0;
            warp.registers.clear();
            warp.registers.resize(program.slots as usize * width, 0);
            warp.defined.clear();
            warp.defined.resize(program.named.len(), 0);
            warp.returned.clear();
            warp.returned.resize(width, 0);
            for (slot, value) in &program.constants {
                let at = *slot as usize * width;
                if let Some(all) = warp.registers.get_mut(at..at + width) {
                    all.fill(*value);
                }
            }
            for (told, slot) in &program.told {
                for lane in 0..width {
                    let index = first + lane as u32;
                    let local = [index % size[0], index / size[0] % size[1], index / size[0] / size[1]];
                    let global =
                        [0, 1, 2].map(|axis: usize| group[axis].wrapping_mul(size[axis]).wrapping_add(local[axis]));
                    let words: &[u32] = match told {
                        Told::Global => &global,
                        Told::Local => &local,
                        Told::Group => &group,
                        Told::Groups => &launch.grid,
                        Told::Size => &size,
                        Told::Index => &[index],
                        Told::SubgroupSize => &[self.width],
                        Told::SubgroupLane => &[lane as u32],
                        Told::SubgroupId => &[number as u32],
                        Told::Subgroups => &[count],
                    };
                    for (i, word) in words.iter().enumerate() {
                        warp.registers[(*slot as usize + i) * width + lane] = *word;
                    }
                }
            }
        }
        self.counts.workgroups += 1;
    }

    /// Takes every warp that does not wait to its next line; a barrier at which all wait opens. Once all have ended, the next
    /// workgroup begins, in a step of its own. Whether there is more to do.
    pub fn step(&mut self) -> Result<bool, Stopped> {
        if self.done() {
            return Ok(false);
        }
        self.round += 1;
        self.opened = false;
        self.accesses.clear();
        if self.warps.iter().all(|warp| warp.done) {
            self.group += 1;
            self.enter();
            return Ok(!self.done());
        }
        for number in 0..self.warps.len() {
            if self.warps[number].done || self.warps[number].waiting.is_some() {
                continue;
            }
            let mut warp = std::mem::take(&mut self.warps[number]);
            let outcome = self.advance(&mut warp, number);
            self.warps[number] = warp;
            outcome?;
        }
        let rest = || self.warps.iter().filter(|warp| !warp.done);
        if rest().next().is_some() && rest().all(|warp| warp.waiting.is_some()) {
            self.open();
            self.opened = true;
        }
        Ok(true)
    }

    /// Opens a barrier at which all warps wait that have not ended.
    fn open(&mut self) {
        let Some(launch) = self.launches.get(self.launch) else { return };
        let program = launch.program.clone();
        let at = self.warps.iter().find_map(|warp| warp.waiting);
        let other = self.warps.iter().position(|warp| warp.waiting != at);
        if let (Some(at), Some(other)) = (at, other) {
            let here = self.warps.iter().position(|warp| warp.waiting == Some(at)).unwrap_or(0);
            let line = program.lines.get(at).copied().unwrap_or(0);
            let warp = &self.warps[other];
            // The first lane that waits; of a warp that has ended, the first of all.
            let lane = |of: usize| {
                self.first_lane(of) + self.warps.get(of).map_or(0, |w| w.active.trailing_zeros() % 64 % self.width)
            };
            let elsewhere = match warp.waiting {
                Some(pc) => program.lines.get(pc).copied().unwrap_or(0),
                None => warp.returned.first().copied().unwrap_or(0),
            };
            let how = match (warp.waiting, elsewhere) {
                (Some(_), line) => format!("waits at the barrier on line {line}"),
                (None, 0) => "ended without reaching it".to_owned(),
                (None, line) => format!("returned on line {line}"),
            };
            let (a, b) = (lane(here), lane(other));
            let text = self.unreached(a, b, &how);
            self.find(FindingKind::Barrier, line, elsewhere, [a, b], text);
        }
        for warp in &mut self.warps {
            if let Some(pc) = warp.waiting.take() {
                if let Some(Op::Barrier { shared, storage }) = program.ops.get(pc) {
                    self.epochs[0] += u32::from(*shared && Some(pc) == at);
                    self.epochs[1] += u32::from(*storage && Some(pc) == at);
                }
                warp.pc = pc + 1;
            }
        }
    }

    /// What is said of a barrier at which one invocation waits and the other is not: `how` ends the sentence.
    fn unreached(&self, here: u32, missing: u32, how: &str) -> String {
        format!(
            "Not every invocation reaches this barrier: {} waits here, and {} {how}. WGSL requires every invocation of a \
             workgroup to reach a barrier: a browser may refuse the kernel, and a GPU may hang or compute garbage.",
            self.name(here),
            self.name(missing)
        )
    }

    fn first_lane(&self, warp: usize) -> u32 {
        warp as u32 * self.width
    }

    /// What an invocation of this workgroup is called, by its index in it.
    pub fn name(&self, index: u32) -> String {
        self.called(self.group, index)
    }

    /// What an invocation of the dispatch is called, counted from 1.
    fn name_of(&self, who: u32) -> String {
        let size = self.current().map_or(1, |launch| launch.program.workgroup.iter().product::<u32>().max(1));
        let who = who.saturating_sub(1);
        self.called(who / size, who % size)
    }

    /// What an invocation is called, by its workgroup and its index in that.
    fn called(&self, group: u32, index: u32) -> String {
        let Some(launch) = self.current() else { return index.to_string() };
        let name = format!("invocation {}", place(index, launch.program.workgroup));
        match launch.grid {
            [1, 1, 1] => name,
            grid => format!("{name} of workgroup {}", place(group, grid)),
        }
    }

    fn find(&mut self, kind: FindingKind, line: u32, other: u32, lanes: [u32; 2], text: String) {
        if let Some(known) = self.findings.iter_mut().find(|f| (f.kind, f.line, f.other) == (kind, line, other)) {
            known.times += 1;
        } else if self.findings.len() < MAX_FINDINGS {
            let round = self.round;
            self.findings.push(Finding { kind, line, other, lanes, round, times: 1, text });
        }
    }

    /// Whether a finding of this kind is already known here, so that its sentence need not be written.
    fn known(&mut self, kind: FindingKind, line: u32, other: u32) -> bool {
        let found = self.findings.iter_mut().find(|f| (f.kind, f.line, f.other) == (kind, line, other));
        found.is_some_and(|finding| {
            finding.times += 1;
            true
        })
    }

    /// Takes a warp to its next line, to a barrier, or to its end.
    fn advance(&mut self, warp: &mut Warp, number: usize) -> Result<(), Stopped> {
        let launches = self.launches.clone();
        let Some(launch) = launches.get(self.launch) else { return Ok(()) };
        let program = &*launch.program;
        let mut begun = false;
        loop {
            let Some(op) = program.ops.get(warp.pc) else {
                warp.done = true;
                return Ok(());
            };
            let line = program.lines.get(warp.pc).copied().unwrap_or(0);
            if let Op::Line = op {
                if warp.active != 0 {
                    if begun {
                        warp.line = line;
                        return Ok(());
                    }
                    warp.line = line;
                    begun = true;
                }
                warp.pc += 1;
                continue;
            }
            if self.budget == 0 {
                return Err(Stopped::Budget(self.budgeted));
            }
            self.budget -= 1;
            if let Op::Barrier { .. } = op {
                if warp.active == 0 {
                    warp.pc += 1;
                    continue;
                }
                self.counts.barriers += 1;
                self.count(warp, 1);
                if warp.active != warp.full {
                    self.parted(warp, number, line);
                }
                warp.waiting = Some(warp.pc);
                return Ok(());
            }
            // What no lane does costs nothing: the rest of a lap after the last lane has left its loop, say.
            if warp.active == 0 && !op.steers() {
                warp.pc += 1;
                continue;
            }
            let next = self.execute(op, program, launch, warp, number, line);
            warp.pc = next;
        }
    }

    /// A barrier that not all lanes of a warp reach.
    fn parted(&mut self, warp: &Warp, number: usize, line: u32) {
        let first = self.first_lane(number);
        let missing = (warp.full & !warp.active).trailing_zeros();
        let here = warp.active.trailing_zeros();
        let returned = warp.returned.get(missing as usize).copied().unwrap_or(0);
        if self.known(FindingKind::Barrier, line, returned) {
            return;
        }
        let what = if returned != 0 { format!("returned on line {returned}") } else { "does not".to_owned() };
        let (here, missing) = (first + here, first + missing);
        let text = self.unreached(here, missing, &what);
        self.find(FindingKind::Barrier, line, returned, [here, missing], text);
    }

    /// Takes note of so many instructions of a warp.
    fn count(&mut self, warp: &Warp, n: u64) {
        let active = u64::from(warp.active.count_ones());
        self.counts.issued += n;
        self.counts.lanes += n * active;
        self.counts.slots += n * u64::from(warp.full.count_ones());
    }

    /// One operation. Where it goes on.
    fn execute(
        &mut self,
        op: &Op,
        program: &Program,
        launch: &Launch,
        warp: &mut Warp,
        number: usize,
        line: u32,
    ) -> usize {
        let next = warp.pc + 1;
        let active = warp.active;
        // What is skipped is not done: of control flow, only what opens and closes.
        let n64 = |n: u32| u64::from(n);
        match *op {
            Op::Line | Op::Barrier { .. } => {}
            Op::Name(name) => {
                if let Some(mask) = warp.defined.get_mut(name as usize) {
                    *mask |= active;
                }
            }
            Op::Move { dst, src, n } => self.moved(warp, dst, src, n, false),
            Op::Fill { dst, src, n } => self.moved(warp, dst, src, n, true),
            Op::Unary { op, kind, dst, a, n } => {
                self.count(warp, n64(n));
                self.arithmetic(kind, warp, n64(n), u64::from(matches!(op, Unary::Negate)));
                self.one(warp, dst, a, n, |a| unary(op, kind, a));
            }
            Op::Binary { op, kind, dst, a, b, n, sa, sb } => {
                use naga::BinaryOperator as B;
                self.count(warp, n64(n));
                let flop = matches!(op, B::Add | B::Subtract | B::Multiply | B::Divide | B::Modulo);
                self.arithmetic(kind, warp, n64(n), u64::from(flop));
                // What is done most is written out, so that it is done on many lanes at once.
                match (op, kind) {
                    (B::Add, Kind::F32) => self.two(warp, dst, a, b, n, sa, sb, |a, b| (f(a) + f(b)).to_bits()),
                    (B::Subtract, Kind::F32) => self.two(warp, dst, a, b, n, sa, sb, |a, b| (f(a) - f(b)).to_bits()),
                    (B::Multiply, Kind::F32) => self.two(warp, dst, a, b, n, sa, sb, |a, b| (f(a) * f(b)).to_bits()),
                    (B::Add, Kind::U32) => self.two(warp, dst, a, b, n, sa, sb, u32::wrapping_add),
                    (B::Multiply, Kind::U32) => self.two(warp, dst, a, b, n, sa, sb, u32::wrapping_mul),
                    (B::Less, Kind::U32) => self.two(warp, dst, a, b, n, sa, sb, |a, b| u32::from(a < b)),
                    _ => self.two(warp, dst, a, b, n, sa, sb, |a, b| binary(op, kind, a, b)),
                }
            }
            Op::Select { dst, condition, accept, reject, n, one } => {
                self.count(warp, n64(n));
                self.counts.integer += n64(n);
                let w = self.width as usize;
                for i in 0..n as usize {
                    for lane in lanes(active) {
                        let c = condition as usize + if one { 0 } else { i };
                        let from = if warp.registers[c * w + lane] != 0 { accept } else { reject };
                        warp.registers[(dst as usize + i) * w + lane] = warp.registers[(from as usize + i) * w + lane];
                    }
                }
            }
            Op::Math { fun, kind, dst, args, n } => {
                self.count(warp, n64(n));
                if special(fun) {
                    self.counts.special += n64(n);
                    self.counts.flop += n64(n) * u64::from(active.count_ones());
                } else {
                    self.arithmetic(kind, warp, n64(n), flop(fun));
                }
                let w = self.width as usize;
                let scalars = matches!(fun, naga::MathFunction::ExtractBits | naga::MathFunction::InsertBits);
                for i in 0..n as usize {
                    for lane in lanes(active) {
                        let mut words = [0; 4];
                        for (k, (word, slot)) in words.iter_mut().zip(args).enumerate() {
                            // Where the bits are is one for all components.
                            let last = if fun == naga::MathFunction::ExtractBits { 1 } else { 2 };
                            let i = if scalars && k >= last { 0 } else { i };
                            *word = warp.registers[(slot as usize + i) * w + lane];
                        }
                        warp.registers[(dst as usize + i) * w + lane] = math(fun, kind, words);
                    }
                }
            }
            Op::Whole { fun, kind, dst, a, b, n } => {
                self.count(warp, n64(n));
                self.arithmetic(kind, warp, n64(n), 2);
                self.whole(warp, fun, kind, dst, a, b, n);
            }
            Op::Fold { all, dst, a, n } => {
                self.count(warp, 1);
                self.counts.integer += 1;
                let w = self.width as usize;
                for lane in lanes(active) {
                    let mut words = (0..n as usize).map(|i| warp.registers[(a as usize + i) * w + lane] != 0);
                    let value = if all { words.all(|b| b) } else { words.any(|b| b) };
                    warp.registers[dst as usize * w + lane] = u32::from(value);
                }
            }
            Op::Cast { from, to, dst, a, n } => {
                self.count(warp, n64(n));
                self.counts.convert += n64(n);
                self.one(warp, dst, a, n, |a| cast(from, to, a));
            }
            Op::Extract { dst, base, ref term, n } => {
                let w = self.width as usize;
                for lane in lanes(active) {
                    let (index, bad) = self.index(warp, term, launch, lane);
                    if let Some(bad) = bad {
                        self.outside(line, number, lane, "", bad, false);
                    }
                    for i in 0..n as usize {
                        let from = base as usize + (index * term.stride) as usize + i;
                        warp.registers[(dst as usize + i) * w + lane] = warp.registers[from * w + lane];
                    }
                }
            }
            Op::LoadOwn { dst, address, n } | Op::StoreOwn { src: dst, address, n } => {
                let store = matches!(op, Op::StoreOwn { .. });
                let Some(address) = program.addresses.get(address as usize) else { return next };
                let Root::Own(root) = address.root else { return next };
                self.count(warp, n64(n));
                self.counts.integer += n64(n);
                let w = self.width as usize;
                for lane in lanes(active) {
                    let mut at = root + address.offset;
                    for term in &address.terms {
                        let (index, bad) = self.index(warp, term, launch, lane);
                        if let Some(bad) = bad {
                            let name = own_name(program, root);
                            self.outside(line, number, lane, &name, bad, store);
                        }
                        at += index * term.stride;
                    }
                    for i in 0..n as usize {
                        let (own, value) = ((at as usize + i) * w + lane, (dst as usize + i) * w + lane);
                        if store {
                            warp.registers[own] = warp.registers[value];
                        } else {
                            warp.registers[value] = warp.registers[own];
                        }
                    }
                }
            }
            Op::Load { dst, address, shape } => {
                if let (Some(address), Some(shape)) =
                    (program.addresses.get(address as usize), program.shapes.get(shape as usize))
                {
                    self.transfer(warp, number, line, launch, address, shape, dst, false);
                }
            }
            Op::Store { src, address, shape } => {
                if let (Some(address), Some(shape)) =
                    (program.addresses.get(address as usize), program.shapes.get(shape as usize))
                {
                    self.transfer(warp, number, line, launch, address, shape, src, true);
                }
            }
            Op::Atomic { fun, kind, dst, value, address } => {
                if let Some(address) = program.addresses.get(address as usize) {
                    self.atomic(warp, number, line, launch, address, fun, kind, dst, value);
                }
            }
            Op::Length { dst, buffer, from, stride } => {
                self.count(warp, 1);
                self.counts.integer += 1;
                let bytes = self.memory(launch, Root::Buffer(buffer)).map_or(0, Memory::bytes);
                let length = bytes.saturating_sub(from) / stride.max(1);
                self.one(warp, dst, dst, 1, |_| length);
            }
            Op::If { condition, orelse } => {
                let w = self.width as usize;
                let taken = lanes(active).filter(|lane| warp.registers[condition as usize * w + lane] != 0);
                let taken = taken.fold(0, |mask, lane| mask | 1 << lane);
                if active != 0 {
                    self.count(warp, 1);
                    self.counts.branches += 1;
                    self.counts.divergent += u64::from(taken != 0 && taken != active);
                }
                warp.frames.push(Frame::If { join: active, other: active & !taken });
                warp.active = taken;
                if taken == 0 {
                    return orelse as usize;
                }
            }
            Op::Else { end } => {
                if let Some(Frame::If { other, .. }) = warp.frames.last_mut() {
                    warp.active = std::mem::take(other);
                }
                if warp.active == 0 {
                    return end as usize;
                }
            }
            Op::EndIf => {
                if let Some(Frame::If { join, .. }) = warp.frames.pop() {
                    warp.active = join;
                }
            }
            Op::Loop => warp.frames.push(Frame::Loop { join: active, next: 0 }),
            Op::Continuing { end } => {
                if let Some(Frame::Loop { next, .. }) = warp.frames.last_mut() {
                    warp.active |= std::mem::take(next);
                }
                if warp.active == 0 {
                    return end as usize;
                }
            }
            Op::BreakIf { condition } => {
                let w = self.width as usize;
                let gone = lanes(active).filter(|lane| warp.registers[condition as usize * w + lane] != 0);
                warp.active &= !gone.fold(0, |mask, lane| mask | 1 << lane);
            }
            Op::Again { start } => {
                if warp.active != 0 {
                    self.count(warp, 1);
                    self.counts.branches += 1;
                    return start as usize;
                }
            }
            Op::EndLoop => {
                if let Some(Frame::Loop { join, .. }) = warp.frames.pop() {
                    warp.active = join;
                }
            }
            Op::Switch => warp.frames.push(Frame::Switch { join: active, waiting: active }),
            Op::Case { selector, values, falls, next: end } => {
                let w = self.width as usize;
                let none = Vec::new();
                let (named, all) =
                    program.cases.get(values as usize).unwrap_or(&none).split_first().unwrap_or((&1, &[]));
                let through = if falls { warp.active } else { 0 };
                if let Some(Frame::Switch { waiting, .. }) = warp.frames.last_mut() {
                    let here = lanes(*waiting)
                        .filter(|lane| all.contains(&warp.registers[selector as usize * w + lane]) == (*named == 1))
                        .fold(0, |mask, lane| mask | 1 << lane);
                    *waiting &= !here;
                    warp.active = here | through;
                }
                if warp.active == 0 {
                    return end as usize;
                }
                self.count(warp, 1);
                self.counts.branches += 1;
            }
            Op::EndSwitch => {
                if let Some(Frame::Switch { join, .. }) = warp.frames.pop() {
                    warp.active = join;
                }
            }
            Op::Call => warp.frames.push(Frame::Call { join: active }),
            Op::EndCall => {
                if let Some(Frame::Call { join }) = warp.frames.pop() {
                    warp.active = join;
                }
            }
            Op::Return => {
                if warp.frames.iter().filter(|frame| matches!(frame, Frame::Call { .. })).count() == 1 {
                    for lane in lanes(active) {
                        warp.returned[lane] = line;
                    }
                }
                for frame in warp.frames.iter_mut().rev() {
                    match frame {
                        // Who returns goes on after the call; from the entry point, nowhere.
                        Frame::Call { .. } => break,
                        Frame::If { join, other } => {
                            *join &= !active;
                            *other &= !active;
                        }
                        Frame::Loop { join, next } => {
                            *join &= !active;
                            *next &= !active;
                        }
                        Frame::Switch { join, waiting } => {
                            *join &= !active;
                            *waiting &= !active;
                        }
                    }
                }
                warp.active = 0;
            }
            Op::Break => {
                for frame in warp.frames.iter_mut().rev() {
                    match frame {
                        Frame::If { join, other } => {
                            *join &= !active;
                            *other &= !active;
                        }
                        Frame::Call { .. } | Frame::Loop { .. } | Frame::Switch { .. } => break,
                    }
                }
                warp.active = 0;
            }
            Op::Continue => {
                for frame in warp.frames.iter_mut().rev() {
                    match frame {
                        Frame::If { join, other } => {
                            *join &= !active;
                            *other &= !active;
                        }
                        Frame::Switch { join, waiting } => {
                            *join &= !active;
                            *waiting &= !active;
                        }
                        Frame::Loop { next, .. } => {
                            *next |= active;
                            break;
                        }
                        Frame::Call { .. } => break,
                    }
                }
                warp.active = 0;
            }
            Op::Ballot { dst, predicate } => {
                self.count(warp, 1);
                self.counts.subgroup += 1;
                let w = self.width as usize;
                let said = lanes(active)
                    .filter(|lane| predicate.is_none_or(|p| warp.registers[p as usize * w + lane] != 0))
                    .fold(0_u64, |mask, lane| mask | 1 << lane);
                for lane in lanes(active) {
                    for (i, word) in [said as u32, (said >> 32) as u32, 0, 0].into_iter().enumerate() {
                        warp.registers[(dst as usize + i) * w + lane] = word;
                    }
                }
            }
            Op::Gather { from, dst, a, n } => {
                self.count(warp, n64(n));
                self.counts.subgroup += n64(n);
                self.gather(warp, from, dst, a, n);
            }
            Op::Collective { op, how, kind, dst, a, n } => {
                self.count(warp, n64(n));
                self.counts.subgroup += n64(n);
                self.collective(warp, op, how, kind, dst, a, n);
            }
        }
        next
    }

    fn arithmetic(&mut self, kind: Kind, warp: &Warp, n: u64, flop: u64) {
        if kind.float() {
            self.counts.float += n;
            self.counts.flop += n * flop * u64::from(warp.active.count_ones());
        } else {
            self.counts.integer += n;
        }
    }

    fn moved(&self, warp: &mut Warp, dst: Slot, src: Slot, n: u32, fill: bool) {
        let w = self.width as usize;
        if warp.active == warp.full && !fill {
            let from = src as usize * w;
            warp.registers.copy_within(from..from + n as usize * w, dst as usize * w);
            return;
        }
        for i in 0..n as usize {
            for lane in lanes(warp.active) {
                let from = src as usize + if fill { 0 } else { i };
                warp.registers[(dst as usize + i) * w + lane] = warp.registers[from * w + lane];
            }
        }
    }

    fn one(&self, warp: &mut Warp, dst: Slot, a: Slot, n: u32, f: impl Fn(u32) -> u32) {
        let w = self.width as usize;
        for i in 0..n as usize {
            for lane in lanes(warp.active) {
                warp.registers[(dst as usize + i) * w + lane] = f(warp.registers[(a as usize + i) * w + lane]);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn two(
        &self,
        warp: &mut Warp,
        dst: Slot,
        a: Slot,
        b: Slot,
        n: u32,
        sa: bool,
        sb: bool,
        f: impl Fn(u32, u32) -> u32,
    ) {
        let w = self.width as usize;
        let step = |one: bool, i: usize| if one { 0 } else { i };
        for i in 0..n as usize {
            let (a, b) = ((a as usize + step(sa, i)) * w, (b as usize + step(sb, i)) * w);
            let at = (dst as usize + i) * w;
            if warp.active == warp.full {
                // A result lies after what it is made of.
                let (before, after) = warp.registers.split_at_mut(at);
                if let (Some(a), Some(b)) = (before.get(a..a + w), before.get(b..b + w)) {
                    for ((out, a), b) in after.iter_mut().zip(a).zip(b) {
                        *out = f(*a, *b);
                    }
                    continue;
                }
            }
            for lane in lanes(warp.active) {
                warp.registers[at + lane] = f(warp.registers[a + lane], warp.registers[b + lane]);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn whole(&self, warp: &mut Warp, fun: Whole, kind: Kind, dst: Slot, a: Slot, b: Slot, n: u32) {
        let w = self.width as usize;
        for lane in lanes(warp.active) {
            let get = |slot: Slot, i: u32| warp.registers[(slot + i) as usize * w + lane];
            let dot = |x: &dyn Fn(u32) -> u32, y: &dyn Fn(u32) -> u32| {
                (0..n).fold(0_u32, |sum, i| {
                    let product = binary(naga::BinaryOperator::Multiply, kind, x(i), y(i));
                    binary(naga::BinaryOperator::Add, kind, sum, product)
                })
            };
            let length = |x: &dyn Fn(u32) -> u32| rounded(kind, f(dot(x, x)).sqrt());
            let mut out = [0; 4];
            match fun {
                Whole::Dot => out[0] = dot(&|i| get(a, i), &|i| get(b, i)),
                Whole::Length => out[0] = length(&|i| get(a, i)),
                Whole::Distance => {
                    out[0] = length(&|i| rounded(kind, f(get(a, i)) - f(get(b, i))));
                }
                Whole::Normalize => {
                    let all = f(length(&|i| get(a, i)));
                    for i in 0..n.min(4) {
                        out[i as usize] = rounded(kind, f(get(a, i)) / all);
                    }
                }
                Whole::Cross => {
                    for i in 0..3 {
                        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                        let value = f(get(a, j)) * f(get(b, k)) - f(get(a, k)) * f(get(b, j));
                        out[i as usize] = rounded(kind, value);
                    }
                }
            }
            let results = match fun {
                Whole::Dot | Whole::Length | Whole::Distance => 1,
                Whole::Normalize | Whole::Cross => n.min(4),
            };
            for i in 0..results {
                warp.registers[(dst + i) as usize * w + lane] = out[i as usize];
            }
        }
    }

    fn gather(&self, warp: &mut Warp, from: From, dst: Slot, a: Slot, n: u32) {
        let w = self.width as usize;
        let active = warp.active;
        let first = active.trailing_zeros();
        for i in 0..n as usize {
            let at = (a as usize + i) * w;
            let values: Vec<u32> = warp.registers[at..at + w].to_vec();
            for lane in lanes(active) {
                let me = lane as u32;
                let told = |slot: Slot| warp.registers[slot as usize * w + lane];
                let source = match from {
                    From::First => first,
                    From::Lane(slot) => told(slot),
                    From::Down(slot) => me.wrapping_add(told(slot)),
                    From::Up(slot) => me.wrapping_sub(told(slot)),
                    From::Xor(slot) => me ^ told(slot),
                    From::Quad(slot) => (me & !3) | (told(slot) & 3),
                    From::Swap(bits) => me ^ bits,
                };
                // What a lane would read that is not there is its own value here; WGSL leaves it open.
                let value = values.get(source as usize).filter(|_| source < 64 && active & (1 << source) != 0);
                let value = value.or(values.get(lane)).copied().unwrap_or(0);
                warp.registers[(dst as usize + i) * w + lane] = value;
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn collective(
        &self,
        warp: &mut Warp,
        op: SubgroupOperation,
        how: CollectiveOperation,
        kind: Kind,
        dst: Slot,
        a: Slot,
        n: u32,
    ) {
        use naga::BinaryOperator as B;
        use naga::MathFunction as M;
        let w = self.width as usize;
        let with = |x: u32, y: u32| match op {
            SubgroupOperation::All | SubgroupOperation::And => x & y,
            SubgroupOperation::Any | SubgroupOperation::Or => x | y,
            SubgroupOperation::Xor => x ^ y,
            SubgroupOperation::Add => binary(B::Add, kind, x, y),
            SubgroupOperation::Mul => binary(B::Multiply, kind, x, y),
            SubgroupOperation::Min => math(M::Min, kind, [x, y, 0, 0]),
            SubgroupOperation::Max => math(M::Max, kind, [x, y, 0, 0]),
        };
        let neutral = match op {
            SubgroupOperation::Mul if kind.float() => 1.0_f32.to_bits(),
            SubgroupOperation::Mul => 1,
            _ => 0,
        };
        for i in 0..n as usize {
            let at = (a as usize + i) * w;
            let mut sum: Option<u32> = None;
            for lane in lanes(warp.active) {
                let value = warp.registers[at + lane];
                let before = sum;
                let now = sum.map_or(value, |sum| with(sum, value));
                sum = Some(now);
                let kept = if how == CollectiveOperation::ExclusiveScan { before.unwrap_or(neutral) } else { now };
                warp.registers[(dst as usize + i) * w + lane] = kept;
            }
            if let (CollectiveOperation::Reduce, Some(sum)) = (how, sum) {
                for lane in lanes(warp.active) {
                    warp.registers[(dst as usize + i) * w + lane] = sum;
                }
            }
        }
    }

    fn memory(&self, launch: &Launch, root: Root) -> Option<&Memory> {
        match root {
            Root::Own(_) => None,
            Root::Shared(variable) => self.shared.get(variable as usize),
            Root::Buffer(variable) => self.buffers.get((*launch.buffers.get(variable as usize)?)?),
        }
    }

    fn memory_mut(&mut self, launch: &Launch, root: Root) -> Option<&mut Memory> {
        match root {
            Root::Own(_) => None,
            Root::Shared(variable) => self.shared.get_mut(variable as usize),
            Root::Buffer(variable) => self.buffers.get_mut((*launch.buffers.get(variable as usize)?)?),
        }
    }

    /// An index of a lane, kept within bounds; and what it was and how many elements the kernel may touch, if it was not.
    fn index(&self, warp: &Warp, term: &Term, launch: &Launch, lane: usize) -> (u32, Option<(i64, u32)>) {
        let word = warp.registers[term.index as usize * self.width as usize + lane];
        let (len, said) = match term.len {
            Len::Fixed(n) => (n, n),
            Len::Rest { buffer, from } => {
                let count = |bytes: u32| bytes.saturating_sub(from) / term.stride.max(1);
                // A margin is there, but not the kernel's.
                self.memory(launch, Root::Buffer(buffer)).map_or((0, 0), |m| (count(m.bytes()), count(m.limit)))
            }
        };
        let told = if term.signed { i64::from(word as i32) } else { i64::from(word) };
        if told >= 0 && told < i64::from(len) {
            return (word, None);
        }
        // A negative index is clamped as the large one that its bits are.
        (word.min(len.saturating_sub(1)), Some((told, said)))
    }

    fn outside(&mut self, line: u32, number: usize, lane: usize, name: &str, (told, len): (i64, u32), store: bool) {
        if self.known(FindingKind::Bounds, line, 0) {
            return;
        }
        let who = self.first_lane(number) + lane as u32;
        let (place, what) = match name {
            "" => (format!("Index {told}"), "the value"),
            _ => (format!("{name}[{told}]"), name),
        };
        let elements = counted(len.into(), "element", "elements");
        let (then, free) = if store {
            ("writes", "the write may land on another element or be dropped")
        } else {
            ("reads", "the read may return another element or zero")
        };
        let text = format!(
            "{place} is out of bounds: {what} has {elements}, and {} {then} there. WebGPU raises no error: {free}.",
            self.name(who)
        );
        self.find(FindingKind::Bounds, line, 0, [who, who], text);
    }

    /// Where each active lane points, in bytes.
    #[allow(clippy::too_many_arguments)]
    fn addresses(
        &mut self,
        warp: &Warp,
        number: usize,
        line: u32,
        launch: &Launch,
        address: &Address,
        bytes: u32,
        store: bool,
        out: &mut [u32; 64],
    ) {
        let (Root::Shared(variable) | Root::Buffer(variable)) = address.root else { return };
        let limit = self.memory(launch, address.root).map_or(0, |memory| memory.limit);
        let variable = launch.program.variables.get(variable as usize);
        for lane in lanes(warp.active) {
            let mut at = address.offset;
            let mut bad = None;
            for term in &address.terms {
                let (index, wrong) = self.index(warp, term, launch, lane);
                bad = bad.or(wrong);
                at = at.saturating_add(index.saturating_mul(term.stride));
            }
            if at.saturating_add(bytes) > limit {
                // Beyond what the kernel may touch, in a margin that is there to catch it.
                let (from, stride) = variable.and_then(|v| v.layout.rest()).unwrap_or((0, bytes));
                let element = |at: u32| at.saturating_sub(from) / stride.max(1);
                bad = bad.or(Some((i64::from(element(at)), element(limit))));
            }
            if let Some(wrong) = bad
                && !self.known(FindingKind::Bounds, line, 0)
            {
                self.outside(line, number, lane, variable.map_or("", |v| v.name.as_str()), wrong, store);
            }
            out[lane] = at;
        }
    }

    /// Counts what an access of a warp costs, and shows it to whoever watches.
    #[allow(clippy::too_many_arguments)]
    fn access(
        &mut self,
        warp: &Warp,
        number: usize,
        line: u32,
        program: &Program,
        root: Root,
        at: &[u32; 64],
        bytes: u32,
        kind: AccessKind,
    ) {
        let active = u64::from(warp.active.count_ones());
        let asked = active * u64::from(bytes);
        let (shared, variable) = match root {
            Root::Shared(variable) => (true, variable),
            Root::Buffer(variable) => (false, variable),
            Root::Own(_) => return,
        };
        let uniform = program.variables.get(variable as usize).is_some_and(|v| v.uniform);
        let units = if uniform {
            0
        } else if shared {
            passes(warp.active, at, bytes)
        } else {
            sectors(warp.active, at, bytes)
        };
        if shared {
            self.counts.shared_bytes += asked;
            self.counts.shared_requests += 1;
            self.counts.passes += units;
        } else if !uniform {
            match kind {
                AccessKind::Read => self.counts.read += asked,
                AccessKind::Write => self.counts.written += asked,
                AccessKind::Atomic => {
                    self.counts.read += asked;
                    self.counts.written += asked;
                }
            }
            self.counts.requests += 1;
            self.counts.sectors += units;
        }
        match kind {
            AccessKind::Read => self.counts.loads += 1,
            AccessKind::Write => self.counts.stores += 1,
            AccessKind::Atomic => self.counts.atomics += 1,
        }
        if uniform {
            return;
        }
        if let Some(of) = self.lines.get_mut(line as usize) {
            if shared {
                of.shared_requests += 1;
                of.passes += units;
            } else {
                of.requests += 1;
                of.sectors += units;
            }
        }
        if number == self.watched {
            let name = program.variables.get(variable as usize).map(|v| v.name.clone()).unwrap_or_default();
            let offsets = lanes(warp.active).map(|lane| (lane as u8, at[lane])).collect();
            self.accesses.push(Access { line, kind, shared, name, bytes, offsets, units });
        }
    }

    fn mark(&self, launch: &Launch, number: usize, lane: usize, line: u32, shared: bool) -> (Mark, u32) {
        let size: u32 = launch.program.workgroup.iter().product();
        let who = self.group.wrapping_mul(size).wrapping_add(self.first_lane(number) + lane as u32).wrapping_add(1);
        (Mark { who: who.max(1), epoch: self.epochs[usize::from(!shared)], line }, size.max(1))
    }

    /// A load or a store.
    #[allow(clippy::too_many_arguments)]
    fn transfer(
        &mut self,
        warp: &mut Warp,
        number: usize,
        line: u32,
        launch: &Launch,
        address: &Address,
        shape: &[Leaf],
        slot: Slot,
        store: bool,
    ) {
        let bytes = shape.iter().map(|leaf| leaf.offset + leaf.kind.bytes()).max().unwrap_or(0);
        let (Root::Shared(variable) | Root::Buffer(variable)) = address.root else { return };
        let shared = matches!(address.root, Root::Shared(_));
        self.count(warp, 1);
        let mut at = [0; 64];
        self.addresses(warp, number, line, launch, address, bytes, store, &mut at);
        let kind = if store { AccessKind::Write } else { AccessKind::Read };
        self.access(warp, number, line, &launch.program, address.root, &at, bytes, kind);
        let w = self.width as usize;
        for lane in lanes(warp.active) {
            let (mark, size) = self.mark(launch, number, lane, line, shared);
            for (i, leaf) in shape.iter().enumerate() {
                let place = at[lane].saturating_add(leaf.offset);
                let register = (slot as usize + i) * w + lane;
                let Some(memory) = self.memory_mut(launch, address.root) else { return };
                let cell = (place / memory.grain.max(1)) as usize;
                // In the margin nothing races: what is there is out of bounds.
                let inside = place < memory.limit;
                let mut found = None;
                if store {
                    memory.set(place, leaf.kind, warp.registers[register]);
                    if let Some(cell) = memory.cells.get_mut(cell).filter(|_| inside) {
                        found = cell.write(mark, size).map(|(before, wrote)| (before, Some(wrote)));
                    }
                } else {
                    warp.registers[register] = memory.get(place, leaf.kind);
                    if let Some(cell) = memory.cells.get_mut(cell).filter(|_| inside) {
                        found = cell.read(mark, size).map(|before| (before, None));
                        if !cell.written {
                            found = Some((Mark::default(), None));
                            // Said once.
                            cell.written = true;
                        }
                    }
                }
                if let Some((before, wrote)) = found {
                    self.conflict(launch, variable, place, line, mark, before, wrote, shared);
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn conflict(
        &mut self,
        launch: &Launch,
        variable: u32,
        place: u32,
        line: u32,
        now: Mark,
        before: Mark,
        wrote: Option<bool>,
        shared: bool,
    ) {
        let kind = if before.who == 0 { FindingKind::Uninitialized } else { FindingKind::Race };
        if self.known(kind, line, before.line) {
            return;
        }
        let size: u32 = launch.program.workgroup.iter().product::<u32>().max(1);
        let variable = launch.program.variables.get(variable as usize);
        let cell = variable.map(|v| format!("{}{}", v.name, v.layout.name(place))).unwrap_or_default();
        let me = self.name_of(now.who);
        let index = |mark: Mark| mark.who.saturating_sub(1) % size;
        if before.who == 0 {
            let then = if shared {
                "WebGPU fills it with zeros; CUDA does not."
            } else {
                "Whatever was in the buffer is read."
            };
            let text = format!("{cell} is read by {me} before anything was written there. {then}");
            self.find(kind, line, 0, [index(now), index(now)], text);
            return;
        }
        let (did, does) = match wrote {
            None => ("wrote", "reads"),
            Some(true) => ("wrote", "writes"),
            Some(false) => ("read", "writes"),
        };
        let foreign = (before.who - 1) / size != (now.who - 1) / size;
        let why = if foreign {
            "workgroups run in no particular order".to_owned()
        } else if shared {
            "no workgroupBarrier() separates the two".to_owned()
        } else {
            "no storageBarrier() separates the two".to_owned()
        };
        let text = format!(
            "Data race on {cell}: {me} {does} it, {} {did} it on line {}, and {why}.",
            self.name_of(before.who),
            before.line
        );
        self.find(kind, line, before.line, [index(now), index(before)], text);
    }

    #[allow(clippy::too_many_arguments)]
    fn atomic(
        &mut self,
        warp: &mut Warp,
        number: usize,
        line: u32,
        launch: &Launch,
        address: &Address,
        fun: Atomic,
        kind: Kind,
        dst: Slot,
        value: Slot,
    ) {
        self.count(warp, 1);
        let mut at = [0; 64];
        self.addresses(warp, number, line, launch, address, 4, !matches!(fun, Atomic::Load), &mut at);
        self.access(warp, number, line, &launch.program, address.root, &at, 4, AccessKind::Atomic);
        let w = self.width as usize;
        for lane in lanes(warp.active) {
            let given = warp.registers[value as usize * w + lane];
            let expected = match fun {
                Atomic::Compare(slot) => warp.registers[slot as usize * w + lane],
                _ => 0,
            };
            let Some(memory) = self.memory_mut(launch, address.root) else { return };
            let old = memory.get(at[lane], kind);
            let signed = kind == Kind::I32;
            let new = match fun {
                Atomic::Load => old,
                Atomic::Store => given,
                Atomic::Compare(_) => {
                    if old == expected {
                        given
                    } else {
                        old
                    }
                }
                Atomic::Do(fun) => match fun {
                    AtomicFunction::Add => old.wrapping_add(given),
                    AtomicFunction::Subtract => old.wrapping_sub(given),
                    AtomicFunction::And => old & given,
                    AtomicFunction::ExclusiveOr => old ^ given,
                    AtomicFunction::InclusiveOr => old | given,
                    AtomicFunction::Min if signed => (old as i32).min(given as i32) as u32,
                    AtomicFunction::Max if signed => (old as i32).max(given as i32) as u32,
                    AtomicFunction::Min => old.min(given),
                    AtomicFunction::Max => old.max(given),
                    AtomicFunction::Exchange { .. } => given,
                },
            };
            memory.set(at[lane], kind, new);
            let cell = (at[lane] / memory.grain.max(1)) as usize;
            if let Some(cell) = memory.cells.get_mut(cell) {
                cell.written = true;
            }
            match fun {
                Atomic::Store => {}
                Atomic::Compare(_) => {
                    warp.registers[dst as usize * w + lane] = old;
                    warp.registers[(dst as usize + 1) * w + lane] = u32::from(old == expected);
                }
                _ => warp.registers[dst as usize * w + lane] = old,
            }
            if let (Root::Shared(_), false) = (address.root, matches!(fun, Atomic::Load)) {
                let (mark, _) = self.mark(launch, number, lane, line, true);
                if let Some(cell) = self.memory_mut(launch, address.root).and_then(|m| m.cells.get_mut(cell)) {
                    cell.writer = mark;
                }
            }
        }
    }
}

/// A number as a place in a block of this size, with as many axes as the block has.
fn place(n: u32, size: [u32; 3]) -> String {
    let [x, y, z] = size;
    let (x, y) = (x.max(1), y.max(1));
    match (y, z) {
        (1, 1) => grouped(n.into()),
        (_, 1) => format!("({}, {})", n % x, n / x),
        _ => format!("({}, {}, {})", n % x, n / x % y, n / x / y),
    }
}

/// What a learner called these registers.
fn own_name(program: &Program, slot: Slot) -> String {
    let named = program.named.iter().find(|named| named.slot == slot);
    named.map(|named| named.name.clone()).unwrap_or_default()
}

/// Distinct sectors that active lanes touch.
pub(crate) fn sectors(active: u64, at: &[u32; 64], bytes: u32) -> u64 {
    let mut seen = [0_u32; 256];
    let mut count = 0;
    let mut last = u32::MAX;
    for lane in lanes(active) {
        let (first, end) = (at[lane] / SECTOR, at[lane].saturating_add(bytes.max(1) - 1) / SECTOR);
        for sector in first..=end.min(first.saturating_add(3)) {
            if sector != last && count < seen.len() {
                seen[count] = sector;
                count += 1;
                last = sector;
            }
        }
    }
    let seen = &mut seen[..count];
    if !seen.is_sorted() {
        seen.sort_unstable();
    }
    let mut distinct = 0;
    let mut before = None;
    for sector in seen.iter() {
        distinct += u64::from(before != Some(*sector));
        before = Some(*sector);
    }
    distinct
}

/// Passes over the banks: of each part of the warp that asks for 128 bytes, the most distinct words in one bank.
pub(crate) fn passes(active: u64, at: &[u32; 64], bytes: u32) -> u64 {
    let together = (32 / bytes.div_ceil(4).clamp(1, 4).next_power_of_two()) as usize;
    let mut total = 0;
    for part in 0..64 / together {
        let mask = (u64::MAX >> (64 - together)) << (part * together);
        let mut words = [0_u32; 128];
        let mut count = 0;
        for lane in lanes(active & mask) {
            for i in 0..bytes.div_ceil(4).clamp(1, 4) {
                if count < words.len() {
                    words[count] = at[lane] / 4 + i;
                    count += 1;
                }
            }
        }
        let words = &mut words[..count];
        if words.is_empty() {
            continue;
        }
        words.sort_unstable();
        let mut most = [0_u8; BANKS as usize];
        let mut before = None;
        for word in words.iter() {
            if before != Some(*word) {
                most[(word % BANKS) as usize] += 1;
            }
            before = Some(*word);
        }
        total += u64::from(most.into_iter().max().unwrap_or(0));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_as_many_axes_as_its_block() {
        assert_eq!(place(5, [64, 1, 1]), "5");
        assert_eq!(place(1234, [4096, 1, 1]), "1,234");
        assert_eq!(place(13, [4, 4, 1]), "(1, 3)");
        assert_eq!(place(70, [8, 8, 4]), "(6, 0, 1)");
        assert_eq!(place(5, [1, 1, 8]), "(0, 0, 5)");
    }
}
