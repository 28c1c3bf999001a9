//! What went wrong between ranks, at the line.

use ringside_core::program::Verdict::{self, Deadlock, Mismatch, Passed, Race, Unreceived};

use ringside_core::program::{Job, Rank, State};

use super::{HEAD, run};

fn told(program: &str, ranks: usize, verdict: Verdict, says: &str) {
    let diagnosis = run(program, ranks).diagnosis;
    assert_eq!((diagnosis.verdict, diagnosis.sentence.as_str()), (verdict, says), "{program}");
}

#[test]
fn sends_larger_than_the_buffer_wait_for_their_receiver() {
    let program = |n: usize| format!("t = torch.ones({n})\np = 1 - rank()\ndist.send(t, p)\ndist.recv(t, p)\n");
    assert_eq!(run(&program(16), 2).diagnosis.verdict, Passed);
    told(
        &program(17),
        2,
        Deadlock,
        "Deadlock: rank 0 waits at line 6 (send to rank 1) for rank 1, and rank 1 waits at line 6 (send to rank 0) for rank 0. A send \
         larger than the 64 B buffer waits until its receiver calls recv. Let one side receive first, or post both with \
         batch_isend_irecv.",
    );
}

#[test]
fn a_cycle_of_receives() {
    told(
        "t = torch.ones(2)\ndist.recv(t, (rank() + 1) % world_size())\ndist.send(t, (rank() - 1) % world_size())\n",
        3,
        Deadlock,
        "Deadlock: rank 0 waits at line 5 (recv from rank 1) for rank 1, rank 1 waits at line 5 (recv from rank 2) for rank 2, and rank 2 \
         waits at line 5 (recv from rank 0) for rank 0. Every rank receives before it sends. Let one side send first.",
    );
}

#[test]
fn a_rank_that_ended() {
    told(
        "t = torch.ones(2)\nif rank() > 0:\n    dist.all_reduce(t)\n",
        2,
        Deadlock,
        "Deadlock: rank 1 waits at line 6 (all_reduce) for rank 0, whose program has already ended. Every rank of a group must call the \
         same collectives.",
    );
}

#[test]
fn collectives_in_another_order_or_size() {
    told(
        "t = torch.ones(2)\nif rank() == 0:\n    dist.all_reduce(t)\nelse:\n    dist.broadcast(t, 0)\n",
        2,
        Mismatch,
        "Rank 0 calls all_reduce on 2 elements at line 6, but rank 1 calls broadcast with root 0 on 2 elements at line 8. Every rank of a \
         group must call the same collectives in the same order, with the same sizes.",
    );
    told(
        "t = torch.ones(2 + rank())\ndist.all_reduce(t)\n",
        2,
        Mismatch,
        "Rank 0 calls all_reduce on 2 elements at line 5, but rank 1 calls all_reduce on 3 elements at line 5. Every rank of a group must \
         call the same collectives in the same order, with the same sizes.",
    );
}

#[test]
fn whose_call_ended_the_run_is_stopped_in_it() {
    let program =
        "t = torch.ones(2 + rank())\nif rank() == 0:\n    dist.all_reduce(t)\nelse:\n    dist.all_reduce(t)\n";
    let run = run(program, 3).run;
    let stands = |rank: &Rank| (rank.standing(f64::INFINITY).line, rank.standing(f64::INFINITY).says);
    let stands: Vec<_> = run.ranks.iter().map(stands).collect();
    assert_eq!(stands[..2], [(6, "hangs in all_reduce".to_owned()), (8, "stopped in all_reduce".to_owned())]);
    let early = "t = torch.zeros(2)\nif rank() == 0:\n    dist.send(torch.ones(2), 1)\nelse:\n    w = dist.irecv(t, 0)\n    u = t + 1\n    w.wait()\n";
    let run = super::run(early, 2).run;
    assert_eq!(run.ranks[1].state, State::Refused { line: 9, call: String::new() });
}

#[test]
fn a_message_that_nobody_receives() {
    told(
        "if rank() == 0:\n    dist.send(torch.ones(2), 1)\n",
        2,
        Unreceived,
        "Rank 0 sends 8 B to rank 1 at line 5, but rank 1 never receives it. Every send needs a recv.",
    );
}

#[test]
fn a_tensor_that_is_still_under_way() {
    told(
        "t = torch.zeros(2)\nif rank() == 0:\n    dist.send(torch.ones(2), 1)\nelse:\n    w = dist.irecv(t, 0)\n    print(t.sum())\n    w.wait()\n",
        2,
        Race,
        "Rank 1 reads a tensor at line 9 while the irecv from line 8 may still be writing it. Call wait() on that handle first.",
    );
    let halves = "t = torch.zeros(4)\np = 1 - rank()\nw = [dist.isend(t[:2], p), dist.irecv(t[2:], p)]\nw[0].wait()\nw[1].wait()\n";
    assert_eq!(run(halves, 2).diagnosis.verdict, Passed);
}

/// One forward and one backward message per micro-batch, each side sending before it receives: what hangs under NCCL.
#[test]
fn unbatched_1f1b_hangs() {
    let program = "r = rank()\nx = torch.ones(64)\ng = torch.ones(64)\nfor i in range(4):\n    if r == 0:\n        dist.send(x, 1)\n        if i > 0:\n            dist.recv(g, 1)\n    else:\n        if i == 0:\n            dist.recv(x, 0)\n        dist.send(g, 0)\n        if i < 3:\n            dist.recv(x, 0)\n";
    let diagnosis = run(program, 2).diagnosis;
    assert_eq!(diagnosis.verdict, Deadlock);
    assert!(
        diagnosis.sentence.contains(
            "rank 0 waits at line 9 (send to rank 1) for rank 1, and rank 1 waits at line 15 (send to rank 0)"
        ),
        "{}",
        diagnosis.sentence
    );
}

#[test]
fn time_is_alpha_beta_and_flops() {
    // 1,000 bytes at 1 GB/s after 1 µs, and 250 additions at 1 GFLOP/s.
    let run =
        run("t = torch.ones(250)\nif rank() == 0:\n    dist.send(t, 1)\nelse:\n    dist.recv(t, 0)\n    t += 1\n", 2)
            .run;
    assert!((run.totals.time - (1e-6 + 1e-6 + 0.25e-6)).abs() < 1e-12, "{}", run.totals.time);
    assert_eq!((run.totals.bytes, run.messages.len()), (1000, 1));
}

#[test]
fn a_collective_takes_what_the_network_model_says() {
    use ringside_core::collective::{Algo, Op};
    let outcome = run("dist.all_reduce(torch.ones(1000))\n", 4);
    let fabric = ringside_core::program::Machine { node: 4, ..Default::default() }.fabric();
    let expected = ringside_core::network::time(Op::AllReduce, Algo::Ring, 4, 4000.0, &fabric).unwrap();
    assert!((outcome.run.totals.time - expected).abs() < 1e-12);
    assert_eq!(outcome.run.totals.bytes, 6000);
    let moved: u64 = outcome.run.messages.iter().map(|m| m.bytes).sum();
    assert_eq!(moved, outcome.run.totals.bytes_total);
}

#[test]
fn every_element_that_is_not_close_is_counted() {
    let told = |program: &str, want: &str| {
        let job = Job {
            program: format!("{HEAD}{program}submit('x', t)\n"),
            world_size: 1,
            reference: Some(format!(
                "import torch\nfrom ringside import expect\nexpect(0, 'x', torch.tensor({want}))\n"
            )),
            ..Job::default()
        };
        let diagnosis = ringside_ranks::run(&job).diagnosis;
        (diagnosis.verdict, diagnosis.sentence)
    };
    let wrong = |says: &str| (Verdict::Wrong, format!("{says} It doesn’t depend on any communication."));
    assert_eq!(
        told("t = torch.zeros(4)\nt[1] = torch.nan\nt[2] = 5\nt[3] = torch.nan\n", "[0.0, 0.0, 0.0, 0.0]"),
        wrong("On rank 0, x[1] is NaN, but it should be 0; 3 of 4 elements are wrong.")
    );
    assert_eq!(
        told("t = torch.zeros(2)\nt[0] = torch.inf\nt[1] = 5\n", "[torch.inf, torch.inf]"),
        wrong("On rank 0, x[1] is 5, but it should be infinity; 1 of 2 elements are wrong.")
    );
    let same = "t = torch.zeros(2)\nt[0] = -torch.inf\nt[1] = torch.nan\n";
    assert_eq!(told(same, "[-torch.inf, torch.nan]").0, Passed);
}

#[test]
fn a_batch_sends_with_tags() {
    let ops = "t, a, b, p = torch.ones(1) * rank(), torch.zeros(1), torch.zeros(1), 1 - rank()\n\
               ops = [dist.P2POp(dist.isend, t + 1, p, tag=1), dist.P2POp(dist.isend, t + 2, p, tag=2)]\n\
               ops += [dist.P2POp(dist.irecv, b, p, tag=2), dist.P2POp(dist.irecv, a, p, tag=1)]\n\
               for work in dist.batch_isend_irecv(ops):\n    work.wait()\n\
               assert b.item() == a.item() + 1\n";
    assert_eq!(run(ops, 2).diagnosis.verdict, Passed);
}
