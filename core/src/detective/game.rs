//! The cases of the game.

use crate::mix::Stream;
use crate::trace::simulate::Cause;

/// A case: what is wrong, which is not said, and how often one may look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its title, which says what was observed.
    pub title: &'static str,
    /// What is wrong.
    pub causes: Vec<Cause>,
    /// Layers of the model.
    pub layers: u64,
    /// Events that may be looked at.
    pub looks: u32,
}

/// A case as it is written down.
pub struct Written {
    title: &'static str,
    causes: &'static [Cause],
    layers: u64,
    looks: u32,
}

const fn case(title: &'static str, causes: &'static [Cause], layers: u64, looks: u32) -> Written {
    Written { title, causes, layers, looks }
}

/// The cases, from those that one look tells to those with two causes.
pub const CASES: [Written; 16] = [
    case("The GPU is idle at the start of every step", &[Cause::DataLoader], 12, 12),
    case("Utilization is low all through the step", &[Cause::SmallKernels], 12, 12),
    case("The last kernels of a step come one by one", &[Cause::UnfusedOptimizer], 12, 12),
    case("The first kernel of a step waits for something slow", &[Cause::PageableCopies], 12, 12),
    case("Eight GPUs are hardly faster than four", &[Cause::ExposedCommunication], 12, 10),
    case("A line was added that prints the loss", &[Cause::Sync], 12, 10),
    case("Some steps are slow, and none is like the next", &[Cause::AllocatorRetries], 16, 10),
    case("The GPU is always busy, and the step is slow", &[Cause::MemoryBound], 12, 10),
    case("One step in many is slow", &[Cause::GarbageCollection], 12, 8),
    case("The GPU is always busy, and a third of it is not needed", &[Cause::Recomputation], 12, 8),
    case("Since Tuesday everybody is slow", &[Cause::Straggler], 12, 8),
    case("All-reduces take twice as long as they should", &[Cause::Straggler], 20, 6),
    case("More workers helped, and not enough", &[Cause::DataLoader, Cause::UnfusedOptimizer], 12, 10),
    case("The print is gone, and it is still slow", &[Cause::Sync, Cause::Straggler], 12, 10),
    case("Busy, and waiting for the network", &[Cause::ExposedCommunication, Cause::MemoryBound], 12, 10),
    case("It fits now, and is slow", &[Cause::AllocatorRetries, Cause::Recomputation], 16, 10),
];

impl Case {
    /// The case with this number, from 1; a fresh one by the seed for 0.
    pub fn of(number: u64, seed: u64) -> Self {
        let written = usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| CASES.get(n));
        match written {
            Some(w) => Self { title: w.title, causes: w.causes.to_vec(), layers: w.layers, looks: w.looks },
            None => Self::fresh(seed),
        }
    }

    /// One cause, or in a third of the cases two, in a model of any size.
    fn fresh(seed: u64) -> Self {
        let mut random = Stream::new(seed ^ 0x0074_7261_6365);
        let causes = Cause::ALL.get(1..).unwrap_or_default();
        let mut pick = || causes.get(random.below(causes.len() as u64) as usize).copied().unwrap_or_default();
        let mut all = vec![pick()];
        let other = pick();
        // Two that hide each other would not be fair: next to small kernels nothing else is seen.
        let fair = !all.contains(&other) && !all.contains(&Cause::SmallKernels) && other != Cause::SmallKernels;
        if fair && seed.is_multiple_of(3) {
            all.push(other);
        }
        Self { title: "Nobody has looked at this one yet", causes: all, layers: 8 + 4 * random.below(4), looks: 8 }
    }
}

/// Causes to choose from: the right ones and so many others, in an order that the seed decides.
pub fn choices(right: &[Cause], others: usize, seed: u64) -> Vec<Cause> {
    let mut random = Stream::new(seed);
    let mut rest: Vec<Cause> = Cause::ALL.into_iter().filter(|c| *c != Cause::None && !right.contains(c)).collect();
    let mut chosen: Vec<Cause> = right.to_vec();
    while chosen.len() < right.len() + others && !rest.is_empty() {
        let at = random.below(rest.len() as u64) as usize;
        chosen.push(rest.swap_remove(at));
    }
    random.shuffle(&mut chosen);
    chosen
}
