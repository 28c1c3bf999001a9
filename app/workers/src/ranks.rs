//! The dedicated worker that runs a learner's programs on several ranks: downloaded by whoever runs one first, and by no one else.
//!
//! The page posts what it asks ([`Asked`]), and is told what came of it ([`Said`]), both as bytes of postcard. One job at a time; a
//! page that has waited long enough ends the worker, and a program that takes all memory ends it too. Several of these workers run a
//! rank each and talk to one another ([`one`]); the ports for that come in an array, after the bytes.

mod one;

use js_sys::{Array, Uint8Array};
use ringside_core::program::{Asked, Said};
use ringside_workers::say;
use wasm_bindgen::prelude::*;

/// Bounds what lists and strings of a program take.
#[global_allocator]
static ALLOCATOR: ringside_ranks::Allocator = ringside_ranks::Allocator;

fn main() {
    // It fails only where the allocator is another one.
    let _ = ringside_ranks::arm();
    let hears = ringside_workers::hear(|message| {
        let (bytes, ports) = match message.dyn_into::<Array>() {
            Ok(parts) => (parts.shift(), parts),
            Err(bytes) => (bytes, Array::new()),
        };
        match postcard::from_bytes(&Uint8Array::new(&bytes).to_vec()) {
            Ok(Asked::Run(job)) => say(&Said::Done(Box::new(ringside_ranks::run(&job)))),
            Ok(asked) => one::hear(asked, &ports),
            Err(_) => say(&Said::Unread),
        }
    });
    if hears {
        say(&Said::Ready);
    }
}

#[cfg(test)]
mod tests {
    use ringside_core::program::{Fault, Job, Outcome};

    use super::*;

    #[test]
    fn jobs_and_outcomes_arrive_as_they_were_meant() {
        let program = "import torch\nprint(torch.ones(2))  # größer\n".to_owned();
        let fault = Some(Fault { rank: 1, step: -3 });
        let job = Job { program, fault, launches: vec![4, 2], reference: Some(String::new()), ..Job::default() };
        let asked = Asked::Run(Box::new(job.clone()));
        let bytes = postcard::to_allocvec(&asked).expect("it can be written");
        assert_eq!(postcard::from_bytes::<Asked>(&bytes).expect("it can be read"), asked);
        let outcome: Outcome = ringside_ranks::run(&job);
        let bytes = postcard::to_allocvec(&Said::Done(Box::new(outcome.clone()))).expect("it can be written");
        assert_eq!(postcard::from_bytes(&bytes), Ok(Said::Done(Box::new(outcome))));
        assert!(postcard::from_bytes::<Said>(&bytes[..bytes.len() - 1]).is_err());
    }
}
