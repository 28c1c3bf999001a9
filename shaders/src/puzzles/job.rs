//! What the GPU is asked to run of a learner's text.

use ringside_core::kernels::job::{self, Buffer, Role, Text};

use super::guard::guarded;
use super::{Case, MARGIN, POISON, Puzzle, UNWRITTEN};
use crate::descriptor::uniform;

impl Puzzle {
    /// `body` on these cases, with every loop guarded; the flag of the guard is the last value of each output.
    pub fn trial(&self, body: &str, cases: &[Case]) -> Text {
        let code = self.whole(body);
        let flag = Buffer::of(Role::Flag, &[0.0]);
        let with_flag = |case: &Case| {
            let mut bound = self.bound(case);
            bound.buffers.push(flag.clone());
            bound
        };
        Text {
            instead: guarded(&code, self.inputs.len() + 2),
            code,
            timed: false,
            cases: cases.iter().map(with_flag).collect(),
        }
    }

    /// `body` as it was written, to be timed.
    pub fn race(&self, body: &str) -> Text {
        Text { code: self.whole(body), instead: String::new(), timed: true, cases: vec![self.bound(&self.timed())] }
    }

    /// A case as it is bound: inputs and output, each with its margin, and the sizes.
    fn bound(&self, case: &Case) -> job::Case {
        let input = |values: &Vec<f32>| Buffer::of(Role::Read, &[&values[..], &[POISON; MARGIN]].concat());
        let mut buffers: Vec<Buffer> = case.inputs.iter().map(input).collect();
        let length = self.output.at(&case.dims) as usize + MARGIN;
        buffers.push(Buffer::of(Role::Write, &vec![UNWRITTEN; length]));
        buffers.push(Buffer { role: Role::Uniform, bytes: uniform(&self.parameters(), &case.dims, 0) });
        job::Case { grid: self.grid.each_ref().map(|size| size.at(&case.dims) as u32), buffers }
    }
}
