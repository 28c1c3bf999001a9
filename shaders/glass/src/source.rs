//! A text is read by naga, WebGPU's compiler in Firefox and wgpu.

use naga::valid::{Capabilities, ModuleInfo, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{Module, Span, WithSpan};
use ringside_core::kernels::job::Note;
use ringside_core::quantity::grouped;
use ringside_shaders::attention::SUBGROUPS;
use ringside_shaders::puzzles::Puzzle;

use crate::survey::Survey;

/// The longest text that is read, in bytes. The longest solution has 2000.
const MAX_TEXT: usize = 1 << 15;

/// What surrounds a text.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Invocations per workgroup of `main`, by axis.
    pub workgroup: [u32; 3],
    /// Number of buffers that are bound, from binding 0 on.
    pub buffers: u32,
    /// Whether its first line asks for the feature `subgroups`.
    pub subgroups: bool,
}

impl Frame {
    /// The frame of a puzzle: its inputs, `out` and the sizes.
    pub fn of(puzzle: &Puzzle) -> Self {
        Self { workgroup: puzzle.workgroup, buffers: puzzle.inputs.len() as u32 + 2, subgroups: puzzle.subgroups() }
    }

    /// What naga has to know for it.
    pub fn known(self) -> Capabilities {
        if self.subgroups { Capabilities::SUBGROUP } else { Capabilities::empty() }
    }
}

/// Why a text cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The text is not valid WGSL.
    Invalid(Note),
    /// The text is valid, and asks for more than is run here.
    TooMuch(Note),
}

impl Refused {
    /// The complaint itself.
    pub fn note(self) -> Note {
        match self {
            Self::Invalid(note) | Self::TooMuch(note) => note,
        }
    }
}

/// Reads a learner's text, which must keep to its frame.
///
/// # Errors
/// Why it cannot be run, and where.
pub fn read(text: &str, frame: Frame) -> Result<(Module, ModuleInfo, Survey), Refused> {
    within(text).map_err(Refused::TooMuch)?;
    // Chromium wants the word, naga does not know it. All that follows stays where it is.
    let text =
        &if frame.subgroups { text.replacen(SUBGROUPS, &" ".repeat(SUBGROUPS.len()), 1) } else { text.to_owned() };
    let (module, info) = parse(text, frame.known()).map_err(Refused::Invalid)?;
    let survey = Survey::of(&module, frame).map_err(|(why, span)| Refused::TooMuch(note(text, Some(span), why)))?;
    Ok((module, info, survey))
}

/// A text is no longer than what is read.
///
/// # Errors
/// A sentence: it is.
pub(crate) fn within(text: &str) -> Result<(), Note> {
    if text.len() <= MAX_TEXT {
        return Ok(());
    }
    let (bytes, most) = (grouped(text.len() as u64), grouped(MAX_TEXT as u64));
    Err(note(text, None, format!("The text has {bytes} bytes. At most {most} are read.")))
}

/// Reads any text that needs no more than these capabilities.
///
/// # Errors
/// What the compiler says, and where.
pub fn parse(text: &str, known: Capabilities) -> Result<(Module, ModuleInfo), Note> {
    let module = naga::front::wgsl::parse_str(text).map_err(|why| {
        let place = why.labels().next().map(|(span, _)| span);
        note(text, place, why.message().to_owned())
    })?;
    let info =
        valid(&module, known).map_err(|why| note(text, why.spans().next().map(|(span, _)| *span), reasons(&why)))?;
    Ok((module, info))
}

/// Validates a module. Whether all invocations of a workgroup reach a barrier is left to the browser's compiler, which knows more
/// about it, and to the interpreter, which sees it happen.
///
/// # Errors
/// What naga says; see [`reasons`].
pub fn valid(module: &Module, known: Capabilities) -> Result<ModuleInfo, Box<WithSpan<naga::valid::ValidationError>>> {
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let mut validator = Validator::new(flags, known);
    if known.contains(Capabilities::SUBGROUP) {
        validator.subgroup_stages(ShaderStages::COMPUTE).subgroup_operations(SubgroupOperationSet::all());
    }
    validator.validate(module).map_err(Box::new)
}

/// The whole chain of what naga says.
pub fn reasons(why: &WithSpan<naga::valid::ValidationError>) -> String {
    let mut all = why.as_inner().to_string();
    let mut next = std::error::Error::source(why.as_inner());
    while let Some(cause) = next {
        all = format!("{all}: {cause}");
        next = cause.source();
    }
    all
}

/// A complaint about a place in a text.
pub fn note(text: &str, place: Option<Span>, said: String) -> Note {
    let (line, column) =
        place.and_then(|span| span.to_range()).map_or((0, 0), |range| line_and_column(text, range.start));
    Note { error: true, line, column, text: said }
}

/// The line and the character in it, both from 1, at so many bytes into a text.
pub fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    (line as u32, before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_those_of_the_text() {
        assert_eq!(line_and_column("a\nüb", 4), (2, 2));
        assert_eq!(line_and_column("a", 99), (1, 1));
    }
}
