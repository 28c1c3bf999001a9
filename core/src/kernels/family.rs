//! What every family of kernels has: the kernels, the work that all of them do, and a state that names one of them.

use super::{Needs, Rung, intensity};
use crate::catalogue::{Entry, Evaluation};
use crate::query::{Kind, ParamSpec, Problem, Query, Reader};

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
pub trait Work: Copy + PartialEq + Send + Sync + 'static {
    /// What a kernel does about memory.
    type Scheme: 'static;
    /// What the family is called where its kernels are run, and in what was measured: `matmul`.
    const NAME: &'static str;
    /// The kernels, the least clever first.
    const KERNELS: &'static [Kernel<Self::Scheme>];
    /// The model in the catalogue. Its parameters are `kernel`, those of the sizes, and [`RUN`].
    const ENTRY: &'static Entry;

    /// The sizes among a state's parameters.
    fn read(reader: &mut Reader) -> Self;

    /// The sizes as a query.
    fn query(self) -> Query;

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

    /// The value of a quantity that only this family has; 0 for any other id.
    fn own(self, _kernel: &Kernel<Self::Scheme>, _id: &str) -> f64 {
        0.0
    }

    /// What `kernel` asks of memory, beside what it must, in sentences.
    fn finding(self, kernel: &Kernel<Self::Scheme>) -> String;

    /// The kernel with this id.
    fn kernel(id: &str) -> Option<&'static Kernel<Self::Scheme>> {
        Self::KERNELS.iter().find(|k| k.id == id)
    }
}

/// The parameter that says whether the kernel is to be run as soon as it is on show.
pub const RUN: ParamSpec =
    ParamSpec { name: "run", doc: "1: run as the page opens", kind: Kind::Integer { min: 0, max: 1 }, default: "0" };

/// The parameters of a family's model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params<W> {
    /// The kernel.
    pub kernel: &'static str,
    /// The sizes.
    pub sizes: W,
    /// Whether the kernel is to be run as soon as it is on show.
    pub run: bool,
}

impl<W: Work> Params<W> {
    /// Reads the parameters; what cannot be read is the default and is reported.
    pub fn read(query: &Query) -> (Self, Vec<Problem>) {
        let mut reader = Reader::over(W::ENTRY.specs(), query);
        let kernel = reader.choice("kernel");
        let sizes = W::read(&mut reader);
        let run = reader.integer("run") == 1;
        (Self { kernel, sizes, run }, reader.finish())
    }

    /// The parameters as a query that reads back to the same.
    pub fn query(&self) -> Query {
        let mut query = Query::new([("kernel", self.kernel)]).with(&self.sizes.query());
        query.set("run", if self.run { "1" } else { "0" });
        query
    }

    /// The model as the catalogue asks for it.
    pub fn evaluate(query: &Query) -> Evaluation {
        let (params, problems) = Self::read(query);
        let result = match params.sizes.impossible() {
            Some(why) => Err(why),
            None => Ok(W::ENTRY.measured(|id| params.quantity(id))),
        };
        Evaluation::new(params.query(), problems, result)
    }

    /// The value of a quantity of the family's model; 0 for any other id.
    pub fn quantity(&self, id: &str) -> f64 {
        let Some(kernel) = W::kernel(self.kernel) else { return 0.0 };
        let (flop, least, needs) = (self.sizes.flop(), self.sizes.compulsory(), self.sizes.needs(kernel));
        let asked = needs.asked.total();
        match id {
            "flop" => flop as f64,
            "compulsory" => least as f64,
            "asked" => asked as f64,
            "intensity" => intensity(flop, asked),
            "best-intensity" => intensity(flop, least),
            "scratch" => needs.scratch as f64,
            "workgroup-memory" => needs.workgroup_memory as f64,
            own => self.sizes.own(kernel, own),
        }
    }

    /// Every kernel at these sizes.
    pub fn ladder(&self) -> Vec<Rung> {
        let rung = |kernel: &Kernel<W::Scheme>| Rung {
            id: kernel.id,
            label: kernel.label,
            flop: self.sizes.flop(),
            needs: self.sizes.needs(kernel),
        };
        W::KERNELS.iter().map(rung).collect()
    }

    /// What the kernel asks of memory, in sentences.
    pub fn finding(&self) -> String {
        self.sizes
            .impossible()
            .or_else(|| W::kernel(self.kernel).map(|kernel| self.sizes.finding(kernel)))
            .unwrap_or_default()
    }
}
