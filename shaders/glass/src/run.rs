//! A kernel of ours or a learner's with what it is bound to, run to its end.

use std::collections::BTreeMap;
use std::rc::Rc;

use naga::valid::{Capabilities, ModuleInfo};
use naga::{GlobalVariable, Module, TypeInner};
use ringside_core::kernels::glass::{Counts, Finding, LineCounts};
use ringside_core::kernels::job::Note;
use ringside_core::quantity::grouped;
use ringside_shaders::attention::SUBGROUPS;
use ringside_shaders::descriptor::{Resource, uniform};
use ringside_shaders::puzzles::{Case, MARGIN, POISON, Puzzle, UNWRITTEN};
use ringside_shaders::{Kernel, Problem};

use crate::compile::compile;
use crate::machine::{Launch, Machine, Memory, Stopped};
use crate::program::Program;
use crate::source::{Frame, note, parse, read};

/// Bytes of all buffers of a run.
const MAX_BYTES: usize = 1 << 23;

/// Something that can be run.
pub struct Runnable {
    pub(crate) text: String,
    pub(crate) launches: Rc<Vec<Launch>>,
    pub(crate) buffers: Vec<Memory>,
    /// The buffer that holds the result.
    output: usize,
    /// The entry point of each launch.
    pub(crate) entries: Vec<String>,
}

/// What a run came to.
#[derive(Debug, Clone)]
pub struct Run {
    /// What is in the output, margin included.
    pub output: Vec<f32>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// What was done.
    pub counts: Counts,
    /// What each line did; the first is line 0, which there is not.
    pub lines: Vec<LineCounts>,
    /// Operations of warps that were done.
    pub operations: u64,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// One sentence about why a run ended early.
pub(crate) fn sentence(stopped: Stopped) -> String {
    let Stopped::Budget(most) = stopped;
    format!(
        "The kernel was stopped after {} operations. Does every loop end? If it does, the kernel does more work than is \
         interpreted here.",
        grouped(most)
    )
}

impl Runnable {
    /// A text that was compiled, with what it is bound to.
    pub(crate) fn new(text: String, launches: Vec<Launch>, buffers: Vec<Memory>, entries: Vec<String>) -> Self {
        Self { text, launches: Rc::new(launches), buffers, output: 0, entries }
    }

    /// Compiles an entry point of a module.
    fn program(
        module: &Module,
        info: &ModuleInfo,
        text: &str,
        entry: &str,
        overrides: &BTreeMap<String, f64>,
    ) -> Result<Program, Note> {
        compile(module, info, text, entry, overrides).map_err(|(place, why)| note(text, place, why))
    }

    /// A learner's text for a puzzle, on these inputs.
    ///
    /// # Errors
    /// Why it cannot be run, and where.
    pub fn puzzle(puzzle: &Puzzle, body: &str, case: &Case) -> Result<Self, Note> {
        let text = puzzle.whole(body);
        let inputs = puzzle.inputs.len();
        let (module, info, _) = read(&text, Frame::of(puzzle)).map_err(|why| why.note())?;
        let program = Self::program(&module, &info, &text, "main", &BTreeMap::new())?;
        // On a GPU a buffer is as long as whole elements need: the last vector may be partly beyond the values.
        let whole = |number: usize, values: usize| {
            let is_it = |v: &&GlobalVariable| v.binding.as_ref().is_some_and(|b| b.binding as usize == number);
            let variable = module.global_variables.iter().map(|(_, variable)| variable).find(is_it);
            let stride = match variable.map(|variable| &module.types[variable.ty].inner) {
                Some(TypeInner::Array { stride, .. }) => *stride,
                _ => 4,
            };
            (4 * values as u32).next_multiple_of(stride.max(4)).min(4 * (values + MARGIN) as u32)
        };
        let mut buffers = Vec::new();
        for (number, input) in case.inputs.iter().enumerate() {
            let words = input.iter().chain(&[POISON; MARGIN]).map(|value| value.to_bits()).collect();
            buffers.push(Memory::new(words, false, whole(number, input.len()), true));
        }
        let output = puzzle.output.at(&case.dims) as usize;
        buffers.push(Memory::new(vec![UNWRITTEN.to_bits(); output + MARGIN], false, 4 * output as u32, false));
        let sizes = words(&uniform(&puzzle.parameters(), &case.dims, 0));
        let limit = 4 * sizes.len() as u32;
        buffers.push(Memory::new(sizes, false, limit, true));
        fits(&buffers, &text)?;
        let binding = |number: Option<u32>| number.map(|number| number as usize);
        let bound = program.variables.iter().map(|variable| binding(variable.binding)).collect();
        let grid = puzzle.grid.each_ref().map(|size| size.at(&case.dims) as u32);
        let launch = Launch { program: Rc::new(program), grid, buffers: bound };
        Ok(Self { text, launches: Rc::new(vec![launch]), buffers, output: inputs, entries: vec!["main".to_owned()] })
    }

    /// One of our kernels.
    ///
    /// # Errors
    /// Why it cannot be run, and where.
    pub fn kernel(kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>]) -> Result<Self, Note> {
        // Chromium wants the word, naga does not know it.
        let text = kernel.wgsl(&problem.dims()).replacen(SUBGROUPS, "", 1);
        Self::kernel_as(kernel, problem, inputs, text)
    }

    /// One of our kernels, with another text.
    ///
    /// # Errors
    /// Why it cannot be run, and where.
    pub fn kernel_as(kernel: &Kernel, problem: &Problem, inputs: &[Vec<f32>], text: String) -> Result<Self, Note> {
        let dims = problem.dims();
        let mut known = Capabilities::empty();
        known.set(Capabilities::SHADER_FLOAT16, kernel.f16);
        known.set(Capabilities::SUBGROUP, kernel.subgroups);
        let (module, info) = parse(&text, known)?;
        let overrides: BTreeMap<String, f64> =
            kernel.fits.iter().map(|fit| (fit.name.to_owned(), f64::from(u8::from(fit.at(&dims))))).collect();
        let mut names: Vec<(&str, u64)> = problem.inputs();
        names.push(problem.output());
        names.extend(kernel.scratch.iter().map(|(name, size)| (*name, size.at(&dims))));
        let mut buffers = Vec::new();
        for (i, (_, values)) in names.iter().enumerate() {
            let count = (*values as usize).next_multiple_of(4);
            let given = inputs.get(i);
            let mut all: Vec<u32> = given.map(|v| v.iter().map(|v| v.to_bits()).collect()).unwrap_or_default();
            all.resize(count.min(MAX_BYTES), 0);
            // Scratch may hold halves.
            buffers.push(Memory::new(all, kernel.f16 && given.is_none(), 4 * count as u32, given.is_some()));
        }
        fits(&buffers, &text)?;
        let mut launches = Vec::new();
        let mut entries = Vec::new();
        for pass in kernel.passes {
            let program = Self::program(&module, &info, &text, pass.entry, &overrides)?;
            let mut numbers = BTreeMap::new();
            for binding in pass.bindings {
                let buffer = match binding.resource {
                    Resource::Parameters(list) => {
                        let words = words(&uniform(list, &dims, 0));
                        let limit = 4 * words.len() as u32;
                        buffers.push(Memory::new(words, false, limit, true));
                        Some(buffers.len() - 1)
                    }
                    Resource::Read(name) | Resource::Write(name) => names.iter().position(|(known, _)| *known == name),
                };
                numbers.insert(binding.number, buffer);
            }
            let bound = |number: Option<u32>| number.and_then(|number| numbers.get(&number).copied().flatten());
            let bound = program.variables.iter().map(|variable| bound(variable.binding)).collect();
            let grid = pass.workgroups(&dims).map(|n| u32::try_from(n).unwrap_or(u32::MAX));
            launches.push(Launch { program: Rc::new(program), grid, buffers: bound });
            entries.push(pass.entry.to_owned());
        }
        Ok(Self { text, launches: Rc::new(launches), buffers, output: problem.inputs().len(), entries })
    }

    pub(crate) fn machine(&self, width: u32, budget: u64) -> Machine {
        let lines = self.text.lines().count() + 1;
        Machine::new(self.launches.clone(), self.buffers.clone(), width, budget, lines)
    }

    /// Runs it to its end in warps of so many lanes, or until so many operations of warps were done.
    pub fn run(&self, width: u32, budget: u64) -> Run {
        let mut machine = self.machine(width, budget);
        let stopped = loop {
            match machine.step() {
                Ok(true) => {}
                Ok(false) => break None,
                Err(why) => break Some(sentence(why)),
            }
        };
        let output =
            machine.buffers.get(self.output).map(|memory| memory.words.iter().map(|w| f32::from_bits(*w)).collect());
        Run {
            output: output.unwrap_or_default(),
            operations: budget - machine.budget,
            findings: machine.findings,
            counts: machine.counts,
            lines: machine.lines,
            stopped,
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| word.iter().rev().fold(0, |all, byte| (all << 8) | u32::from(*byte))).collect()
}

fn fits(buffers: &[Memory], text: &str) -> Result<(), Note> {
    let bytes: usize = buffers.iter().map(|memory| 4 * memory.words.len()).sum();
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    let (bytes, most) = (grouped(bytes as u64), grouped(MAX_BYTES as u64));
    Err(note(text, None, format!("The buffers have {bytes} bytes. At most {most} are interpreted.")))
}
