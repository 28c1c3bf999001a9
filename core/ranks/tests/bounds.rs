//! Everything ends, with a sentence, and the same way every time.

use proptest::prelude::*;
use ringside_core::program::Verdict;

use super::run;

fn ends(program: &str, verdict: Verdict, says: &str) {
    let first = run(program, 2);
    assert_eq!((first.diagnosis.verdict, first.diagnosis.sentence.as_str()), (verdict, says), "{program}");
    assert_eq!(first, run(program, 2), "not the same twice: {program}");
}

#[test]
fn an_endless_loop_ends() {
    let says = "Rank 0 was stopped after 5,000,000 steps. Check whether its loops end.";
    ends("while True:\n    pass\n", Verdict::Limit, says);
}

#[test]
fn an_endless_loop_that_catches_everything_ends() {
    let told =
        run("while True:\n    try:\n        while True:\n            pass\n    except:\n        pass\n", 2).diagnosis;
    assert_eq!(told.verdict, Verdict::Limit, "{}", told.sentence);
}

#[test]
fn an_endless_loop_of_calls_ends() {
    let says = "Rank 0 was stopped at line 6 after 20,000 calls into tensors and communication. Check whether a loop there ever ends.";
    ends("t = torch.zeros(1)\nwhile True:\n    t.add_(1)\n", Verdict::Limit, says);
}

#[test]
fn deep_recursion_ends() {
    let says =
        "Rank 0 calls functions more than 100 deep at line 5. Check whether a function there calls itself forever.";
    ends("def f(n):\n    return f(n + 1)\nf(0)\n", Verdict::Limit, says);
}

#[test]
fn a_list_of_a_hundred_million_elements_ends() {
    let says = "Rank 0 needs more than 256 MiB for lists and strings at line 4. Keep large data in tensors.";
    ends("x = [0] * 100_000_000\n", Verdict::Limit, says);
}

#[test]
fn a_tensor_that_is_too_large_is_refused() {
    let told = run("x = torch.zeros(100_000, 100_000)\n", 2).diagnosis;
    assert_eq!(told.verdict, Verdict::Error);
    assert!(told.sentence.contains("has more than"), "{}", told.sentence);
}

#[test]
fn tensors_that_add_up_are_stopped() {
    let says =
        "Rank 0's tensors take more than 64 MiB at line 6. Use smaller tensors, or drop those you no longer need.";
    ends("kept = []\nfor i in range(100):\n    kept.append(torch.zeros(1024, 1024))\n", Verdict::Limit, says);
}

#[test]
fn endless_printing_ends() {
    let says = "Rank 0 prints more than 16 KiB; it was stopped at line 5. Print less.";
    ends("while True:\n    print('and again')\n", Verdict::Limit, says);
}

/// Lines that programs are put together from.
const LINES: &[&str] = &[
    "t = torch.ones(4)",
    "t = torch.ones(100)",
    "t = t + 1",
    "t = t @ t",
    "t[1:3] = 2",
    "u = t[i % 4]",
    "u = t.reshape(2, 2).T",
    "t = torch.cat([t, t])",
    "dist.all_reduce(t)",
    "dist.broadcast(t, 0)",
    "dist.barrier()",
    "dist.send(t, (r + 1) % n)",
    "dist.recv(t, (r - 1) % n)",
    "w = dist.isend(t, (r + 1) % n)",
    "w = dist.irecv(t, (r - 1) % n)",
    "w.wait()",
    "del t",
    "t.add_(t)",
    "submit('t', t)",
    "if r == 0: dist.send(t, n - 1)",
    "if r == n - 1: dist.recv(t, 0)",
    "print(t, f'{r}')",
    "i += 1",
    "t = t.softmax(0).sum().item()",
    "t = torch.tensor([[1, 2], [3, 4.5]], dtype=torch.bfloat16)",
    "g = dist.new_group([0])",
    "dist.all_reduce(t, group=g)",
    "tag(t, 'gradients')",
    "raise ValueError('so')",
    "t = t.transpose(0, -1)[None, ..., 0]",
    "out = [torch.zeros(4) for _ in range(n)]; dist.all_gather(out, t)",
    "x = {}; x[t] = 1",
    "t = t[[0, 2]] > 0",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_program_panics(lines in prop::collection::vec(0..LINES.len(), 1..14), ranks in 1_usize..5) {
        let body: Vec<&str> = lines.into_iter().map(|l| LINES[l]).collect();
        let program = format!("r, n, i = rank(), world_size(), 0\nt = torch.ones(4)\n{}\n", body.join("\n"));
        let outcome = run(&program, ranks);
        prop_assert!(!outcome.diagnosis.sentence.is_empty());
        prop_assert!(!outcome.diagnosis.sentence.contains("_rs"), "{}", outcome.diagnosis.sentence);
        prop_assert_eq!(&outcome, &run(&program, ranks));
        for rank in &outcome.run.ranks {
            for event in &rank.events {
                prop_assert!(event.start <= event.end && event.end <= outcome.run.totals.time * (1.0 + 1e-9));
            }
        }
    }

    #[test]
    fn no_text_panics(text in "[a-z0-9\\[\\]():=+*@.,'\"# \n]{0,60}") {
        run(&text, 2);
    }
}
