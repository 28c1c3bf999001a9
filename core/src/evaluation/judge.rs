//! A program against a problem's tests.

use super::language::{Program, Run, Stop, arguments, parse};
use super::problems::Problem;
use crate::options;

/// Which tests are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tests {
    /// Those that come with the problem.
    #[default]
    Base,
    /// These and more.
    Extra,
}

options!(Tests {
    Base: "base", "3 of each";
    Extra: "extra", "6 of each";
});

/// What became of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Every test passed.
    Passes,
    /// It is no program.
    Refused,
    /// It gave something else than it should.
    Wrong,
    /// It failed while it ran.
    Fails,
    /// It was stopped.
    Stopped,
}

impl Verdict {
    /// What a person calls it.
    pub fn label(&self) -> &'static str {
        match self {
            Verdict::Passes => "passes",
            Verdict::Refused => "syntax error",
            Verdict::Wrong => "wrong answer",
            Verdict::Fails => "runtime error",
            Verdict::Stopped => "stopped",
        }
    }

    /// A sign for it, which needs no colour.
    pub fn sign(&self) -> &'static str {
        match self {
            Verdict::Passes => "✓",
            Verdict::Refused => "§",
            Verdict::Wrong => "✗",
            Verdict::Fails => "!",
            Verdict::Stopped => "∞",
        }
    }
}

/// A program that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What became of it.
    pub verdict: Verdict,
    /// Why: a sentence.
    pub why: String,
    /// Steps that it took in all tests up to the first that it did not pass.
    pub steps: u32,
}

/// The tests of a problem.
pub fn tests(problem: &Problem, which: Tests) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let extra: &[_] = if which == Tests::Extra { problem.extra } else { &[] };
    problem.base.iter().chain(extra)
}

/// Runs a program against the tests, until one does not pass.
pub fn judge(text: &str, problem: &Problem, which: Tests) -> Judged {
    match parse(text) {
        Err(refused) => Judged { verdict: Verdict::Refused, why: refused.why, steps: 0 },
        Ok(program) if program.name != problem.name => {
            let why = format!("name “{}” is not defined: the function is called {}.", problem.name, program.name);
            Judged { verdict: Verdict::Fails, why, steps: 0 }
        }
        Ok(program) => run(&program, problem, which),
    }
}

fn run(program: &Program, problem: &Problem, which: Tests) -> Judged {
    let mut steps = 0;
    let mut count = 0;
    for (given, wanted) in tests(problem, which) {
        count += 1;
        let (value, taken) = Run::call(program, &arguments(given).unwrap_or_default());
        steps += taken;
        let call = format!("{}({given})", problem.name);
        let stopped = |verdict, why: String| Judged { verdict, why: format!("{call}: {why}"), steps };
        match value {
            Err(stop @ (Stop::Fuel | Stop::Depth)) => return stopped(Verdict::Stopped, stop.why()),
            Err(stop) => return stopped(Verdict::Fails, stop.why()),
            Ok(value) if arguments(wanted).is_ok_and(|all| all.first() == Some(&value)) => {}
            Ok(value) => return stopped(Verdict::Wrong, format!("it gives {value} and should give {wanted}.")),
        }
    }
    Judged { verdict: Verdict::Passes, why: format!("All {count} tests pass."), steps }
}
