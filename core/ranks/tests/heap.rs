//! A list that grows bit by bit, in a program of its own: its allocator counts what all threads take.
#![allow(clippy::unwrap_used)]

use ringside_core::program::{Job, Verdict};

#[global_allocator]
static ALLOCATOR: ringside_ranks::Allocator = ringside_ranks::Allocator;

#[test]
fn a_list_that_grows_ends() {
    ringside_ranks::arm().unwrap();
    for program in
        ["x = [0]\nwhile True:\n    x = x + x\n", "x = []\nfor i in range(10**9):\n    x.append([i] * 1000)\n"]
    {
        let told = ringside_ranks::run(&Job { program: program.to_owned(), ..Job::default() }).diagnosis;
        assert_eq!(told.verdict, Verdict::Limit, "{program}{}", told.sentence);
        assert!(told.sentence.starts_with("Rank 0 needs more than 256 MiB for lists and strings"), "{}", told.sentence);
    }
}
