//! Keeps a learner's kernel from freezing the browser: nothing else ends a kernel that runs, and no page gets a GPU back that hangs.
//!
//! The text is read by naga, WebGPU's compiler in Firefox and wgpu, and what runs is what naga writes again: a comment or a line
//! end that two lexers see differently is gone by then. In between, every loop is made to count its laps and to break after a
//! limit, whichever function it stands in and however often that is called. Whoever breaks says so in a flag, and a workgroup that
//! begins when the flag is up ends at once: a million invocations that run to the limit take minutes. Where a workgroup stands
//! in the grid is what it is told plus a base, so that a grid can be run piece by piece. And what no limit at run time bounds is
//! bounded before: calls within calls, copies of large arrays, workgroup memory.

mod rewrite;
mod survey;

use naga::back::wgsl::WriterFlags;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{Module, Span, WithSpan};
use ringside_core::kernels::job::Note;

use survey::Survey;

/// Bytes of a text. The longest solution has 2000.
const MAX_TEXT: usize = 1 << 15;

/// What stands around a text.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Invocations of a workgroup of `main`.
    pub workgroup: [u32; 3],
    /// Buffers that are bound, from 0 on. The flag is bound after them, and then the base.
    pub buffers: u32,
}

/// A text that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded {
    /// It, guarded.
    pub text: String,
    /// It, guarded twice over, to tell what the guard costs; nothing if it has no loop, and the guard costs nothing.
    pub twice: Option<String>,
    /// Laps after which a loop is broken off.
    pub laps: u32,
}

/// Why a text cannot be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// It is no WGSL.
    Invalid(Note),
    /// It is, and asks for more than is run here.
    TooMuch(Note),
}

/// Guards a text.
///
/// # Errors
/// Why it cannot be run, and where.
pub fn guard(text: &str, frame: Frame) -> Result<Guarded, Refused> {
    if text.len() > MAX_TEXT {
        let said = format!("The text has {} bytes. At most {MAX_TEXT} are read.", text.len());
        return Err(Refused::TooMuch(note(text, None, said)));
    }
    let module = naga::front::wgsl::parse_str(text).map_err(|why| {
        let place = why.labels().next().map(|(span, _)| span);
        Refused::Invalid(note(text, place, why.message().to_owned()))
    })?;
    valid(&module).map_err(|why| Refused::Invalid(invalid(text, &why)))?;
    let survey = Survey::of(&module, frame).map_err(|(why, span)| Refused::TooMuch(note(text, Some(span), why)))?;
    let written = |times| {
        let module = rewrite::guarded(module.clone(), &survey, frame, times);
        let info = valid(&module).map_err(|why| Refused::Invalid(note(text, None, said(&why))))?;
        naga::back::wgsl::write_string(&module, &info, WriterFlags::empty())
            .map_err(|why| Refused::Invalid(note(text, None, why.to_string())))
    };
    let twice = if survey.loops() == 0 { None } else { Some(written(2)?) };
    Ok(Guarded { text: written(1)?, twice, laps: survey.limit() })
}

/// Whether all invocations of a workgroup reach a barrier is for the browser's compiler to say, which knows more of it.
fn valid(module: &Module) -> Result<ModuleInfo, Box<WithSpan<naga::valid::ValidationError>>> {
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    Validator::new(flags, Capabilities::empty()).validate(module).map_err(Box::new)
}

/// The whole chain of what naga says.
fn said(why: &WithSpan<naga::valid::ValidationError>) -> String {
    let mut all = why.as_inner().to_string();
    let mut next = std::error::Error::source(why.as_inner());
    while let Some(cause) = next {
        all = format!("{all}: {cause}");
        next = cause.source();
    }
    all
}

fn invalid(text: &str, why: &WithSpan<naga::valid::ValidationError>) -> Note {
    note(text, why.spans().next().map(|(span, _)| *span), said(why))
}

fn note(text: &str, place: Option<Span>, said: String) -> Note {
    let (line, column) =
        place.and_then(|span| span.to_range()).map_or((0, 0), |range| line_and_column(text, range.start));
    Note { error: true, line, column, text: said }
}

/// The line and the character in it, both from 1, of what stands so many bytes into a text.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (u32, u32) {
    let before = text.get(..offset).unwrap_or("");
    let line = before.matches('\n').count() + 1;
    (line as u32, before.rsplit('\n').next().unwrap_or("").chars().count() as u32 + 1)
}

#[cfg(test)]
mod tests;
