//! What every family of kernels has: the kernels, the work that all of them do, and a state that names one of them.

use super::{Needs, Rung, intensity};
use crate::declare::{
    Choose, Declaration, Field, List, Measure, Model, Origin, Origins, Param, Slot, choice, doc, headline, measure,
    origin, whole,
};
use crate::quantity::Unit;
use crate::query::{Query, Reader};

/// A way to do the work of its family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel<S> {
    /// The name in a query string: `tiled`.
    pub id: &'static str,
    /// What a person reads.
    pub label: &'static str,
    /// What it does about memory: a sentence.
    pub about: &'static str,
    /// The same, to be reckoned with.
    pub scheme: S,
}

/// What the kernels of a family compute, at some sizes.
pub trait Work: Copy + Default + PartialEq + Send + Sync + 'static {
    /// What a kernel does about memory.
    type Scheme: Sync + 'static;
    /// What the family is called where its kernels are run, and in what was measured: `matmul`.
    const NAME: &'static str;
    /// The id of its widget: `matmul-kernels`.
    const ID: &'static str;
    /// Its title for people.
    const TITLE: &'static str;
    /// What it shows, in one sentence.
    const SUMMARY: &'static str;
    /// The kernels, the least clever first.
    const KERNELS: &'static [Kernel<Self::Scheme>];
    /// `kernel`, the sizes, and [`RUN`].
    const PARAMS: &'static [Param<Params<Self>>];
    /// `measures`, and what only this family has.
    const QUANTITIES: &'static [Measure<Params<Self>, Needs>];
    /// Where the counts come from.
    const ORIGIN: Origin;
    /// The quantities with another origin.
    const ORIGINS: &'static [Origins] = COMMON;

    /// Puts in what follows from other sizes where it was left out.
    fn settle(&mut self) {}

    /// Changes what else a control changes when it has set a size.
    fn follow(&mut self, _before: &Self) {}

    /// The sizes in the order in which they are sent to the GPU's worker.
    fn list(self) -> Vec<u64>;

    /// Why there is no such work, if there is none.
    fn impossible(self) -> Option<String> {
        None
    }

    /// Floating-point operations.
    fn flop(self) -> u64;

    /// Bytes that have to be moved at least: every input read once, the output written once.
    fn compulsory(self) -> u64;

    /// What `kernel` asks of memory.
    fn needs(self, kernel: &Kernel<Self::Scheme>) -> Needs;

    /// Sizes at which the kernels have work for every SM of a large GPU, and inputs that its cache does not hold.
    fn full() -> Self;

    /// What `kernel` asks of memory, beside what it must, in sentences.
    fn finding(self, kernel: &Kernel<Self::Scheme>) -> String;

    /// The kernel that this one improves on, where that is not the one before it.
    fn base(_id: &str) -> Option<&'static str> {
        None
    }

    /// The kernel with this id.
    fn kernel(id: &str) -> Option<&'static Kernel<Self::Scheme>> {
        Self::KERNELS.iter().find(|k| k.id == id)
    }
}

/// The ids of `kernels`, or their labels.
pub(super) const fn names<S, const N: usize>(kernels: &[Kernel<S>; N], labels: bool) -> [&'static str; N] {
    let mut all = [""; N];
    let mut i = 0;
    while i < N {
        all[i] = if labels { kernels[i].label } else { kernels[i].id };
        i += 1;
    }
    all
}

/// The parameter that names the kernel, one of `list`.
pub(super) const fn kernel(list: List, default: &'static str) -> Declaration {
    choice("kernel", "the kernel", list, default).label("Kernel").main()
}

/// The parameter that says whether a kernel is to be run as soon as it is on show.
pub const RUN: Declaration = whole("run", "1: run as the page opens", [0, 1], "0").drawn();

/// The quantities of every family whose names say what they are.
const COMMON: &[Origins] =
    &[origin(Origin::Definition, &["flop", "compulsory"]), origin(Origin::Rows, &["intensity", "best-intensity"])];

/// The quantities of every family; `scratch` says what the memory beside inputs and output is for.
pub(super) const fn measures<W: Work>(scratch: &'static str) -> [Measure<Params<W>, Needs>; 8] {
    [
        doc(
            "Floating-point operations of the problem.",
            measure("flop", "Work", Unit::Flop, |p, _| p.sizes.flop() as f64),
        ),
        headline(
            "Every input read once and every output written once.",
            measure("compulsory", "Minimum bytes moved", Unit::Bytes, |p, _| p.sizes.compulsory() as f64),
        ),
        headline(
            "What all invocations together load and store; caches serve some of it.",
            measure("asked", "Bytes requested", Unit::Bytes, |_, needs| needs.asked.total() as f64),
        ),
        headline(
            "The higher it is, the less the kernel depends on memory.",
            measure("intensity", "FLOPs per byte requested", Unit::Ratio, |p, needs| {
                intensity(p.sizes.flop(), needs.asked.total())
            }),
        ),
        measure("best-intensity", "Best arithmetic intensity, FLOP/byte", Unit::Ratio, |p, _| {
            intensity(p.sizes.flop(), p.sizes.compulsory())
        }),
        measure("scratch", scratch, Unit::Bytes, |_, needs| needs.scratch as f64),
        measure("workgroup-memory", "Workgroup memory", Unit::Bytes, |_, needs| needs.workgroup_memory as f64),
        headline(
            "Too few of them leave most of the GPU idle.",
            measure("workgroups", "Workgroups", Unit::Count, |_, needs| needs.workgroups as f64),
        ),
    ]
}

/// A kernel out of those of a family.
pub struct Chosen<W: Work>(pub &'static Kernel<W::Scheme>);

// Derived, these would ask the same of the scheme.
impl<W: Work> Clone for Chosen<W> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<W: Work> Copy for Chosen<W> {}

impl<W: Work> PartialEq for Chosen<W> {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl<W: Work> std::fmt::Debug for Chosen<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.id)
    }
}

impl<W: Work> Default for Chosen<W> {
    fn default() -> Self {
        Self(&W::KERNELS[0])
    }
}

impl<W: Work> Choose for Chosen<W> {
    fn id(&self) -> &'static str {
        self.0.id
    }

    fn choose(&mut self, id: &str) {
        if let Some(kernel) = W::kernel(id) {
            self.0 = kernel;
        }
    }
}

impl<W: Work> Field for Chosen<W> {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Choice(self)
    }
}

/// The parameters of a family's model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Params<W: Work> {
    /// The kernel.
    pub kernel: Chosen<W>,
    /// The sizes.
    pub sizes: W,
    /// Whether the kernel is to be run as soon as it is on show.
    pub run: bool,
}

impl<W: Work> Model for Params<W> {
    type Result = Needs;
    const ID: &'static str = W::ID;
    const TITLE: &'static str = W::TITLE;
    const SUMMARY: &'static str = W::SUMMARY;
    const PARAMS: &'static [Param<Self>] = W::PARAMS;
    const ORIGIN: Origin = W::ORIGIN;
    const ORIGINS: &'static [Origins] = W::ORIGINS;
    const QUANTITIES: &'static [Measure<Self, Needs>] = W::QUANTITIES;

    fn evaluate(&self) -> Result<Needs, String> {
        self.sizes.impossible().map_or_else(|| Ok(self.sizes.needs(self.kernel.0)), Err)
    }

    fn settle(&mut self, _reader: &mut Reader<'_>) {
        self.sizes.settle();
    }

    fn follow(&mut self, before: &Self) {
        self.sizes.follow(&before.sizes);
    }
}

impl<W: Work> Params<W> {
    /// The sizes as a query.
    pub fn sizes(&self) -> Query {
        let query = self.query();
        Query::new(query.iter().filter(|(name, _)| !["kernel", "run"].contains(name)))
    }

    /// Every kernel at these sizes.
    pub fn ladder(&self) -> Vec<Rung> {
        let before = std::iter::once(None).chain(W::KERNELS.iter().map(|kernel| Some(kernel.id)));
        let rung = |(kernel, before): (&Kernel<W::Scheme>, Option<&'static str>)| Rung {
            id: kernel.id,
            label: kernel.label,
            base: W::base(kernel.id).or(before),
            flop: self.sizes.flop(),
            needs: self.sizes.needs(kernel),
        };
        W::KERNELS.iter().zip(before).map(rung).collect()
    }

    /// What the kernel asks of memory, in sentences.
    pub fn finding(&self) -> String {
        self.sizes.impossible().unwrap_or_else(|| self.sizes.finding(self.kernel.0))
    }
}
