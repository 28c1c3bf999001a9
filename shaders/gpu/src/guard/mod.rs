//! Keeps a learner's kernel from freezing the browser: nothing else ends a kernel that runs, and no page gets a GPU back that hangs.
//!
//! The text is read by naga, WebGPU's compiler in Firefox and wgpu, and what runs is what naga writes again: a comment or a line
//! end that two lexers see differently is gone by then. In between, every loop is made to count its laps and to break after a
//! limit, whichever function it stands in and however often that is called. Whoever breaks says so in a flag, and a workgroup that
//! begins when the flag is up ends at once: a million invocations that run to the limit take minutes. Where a workgroup stands
//! in the grid is what it is told plus a base, so that a grid can be run piece by piece. And what no limit at run time bounds is
//! bounded before: calls within calls, copies of large arrays, workgroup memory.

mod rewrite;

use naga::Module;
use naga::back::wgsl::WriterFlags;
pub use ringside_glass::source::{Frame, Refused};
use ringside_glass::source::{note, read, reasons, valid};
use ringside_shaders::attention::SUBGROUPS;

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

/// Guards a text.
///
/// # Errors
/// Why it cannot be run, and where.
pub fn guard(text: &str, frame: Frame) -> Result<Guarded, Refused> {
    let (module, _, survey) = read(text, frame)?;
    let written = |times| {
        let module: Module = rewrite::guarded(module.clone(), &survey, frame, times);
        let info = valid(&module, frame.known()).map_err(|why| Refused::Invalid(note(text, None, reasons(&why))))?;
        let written = naga::back::wgsl::write_string(&module, &info, WriterFlags::empty())
            .map_err(|why| Refused::Invalid(note(text, None, why.to_string())))?;
        // naga does not write that word either.
        Ok(if frame.subgroups { format!("{SUBGROUPS}\n{written}") } else { written })
    };
    let twice = if survey.loops() == 0 { None } else { Some(written(2)?) };
    Ok(Guarded { text: written(1)?, twice, laps: survey.limit() })
}

#[cfg(test)]
mod tests;
