//! Each rank on its own, packets delivered in order from one to another but in any order among pairs, as ports do.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};

use ringside_core::mix::Stream;
use ringside_core::program::workers::{Ended, differs, machine, standing};
use ringside_core::program::{Fault, Job, State, Verdict, Wire};
use ringside_ranks::Member;

/// Delivers until nothing is under way, pair by pair as `seed` has it.
fn play<'a>(job: &'a Job, breaks: Option<(usize, u64)>, seed: u64) -> Vec<Member<'a>> {
    let breaks = |rank: usize| breaks.filter(|(who, _)| *who == rank).map(|(_, call)| call);
    let mut members: Vec<Member<'a>> =
        (0..job.world_size).map(|rank| Member::new(job, rank, breaks(rank)).unwrap()).collect();
    let mut ways: BTreeMap<(usize, usize), VecDeque<Vec<u8>>> = BTreeMap::new();
    let mut random = Stream::new(seed);
    let flush = |from: usize, member: &mut Member<'_>, ways: &mut BTreeMap<(usize, usize), VecDeque<Vec<u8>>>| {
        for (to, packet) in member.out() {
            ways.entry((from, to)).or_default().push_back(packet);
        }
    };
    for (rank, member) in members.iter_mut().enumerate() {
        member.go();
        flush(rank, member, &mut ways);
    }
    loop {
        let full: Vec<(usize, usize)> = ways.iter().filter(|(_, way)| !way.is_empty()).map(|(pair, _)| *pair).collect();
        if full.is_empty() {
            return members;
        }
        let (from, to) = full[(random.unit() * full.len() as f64) as usize];
        let packet = ways.get_mut(&(from, to)).unwrap().pop_front().unwrap();
        members[to].hear(from, &packet);
        members[to].go();
        flush(to, &mut members[to], &mut ways);
    }
}

fn job(program: &str, ranks: usize) -> Job {
    Job { program: format!("{}{program}", super::HEAD), world_size: ranks, ..Job::default() }
}

#[test]
fn solutions_submit_what_they_submit_in_one_worker() {
    let mut alike = 0;
    for (name, puzzle) in super::ladder::puzzles() {
        // Files are of one worker, and who is alive depends on when the others hear of it.
        if !puzzle.launches.is_empty() {
            continue;
        }
        for ranks in &puzzle.ranks {
            let mut job = puzzle.job(&puzzle.solution, *ranks);
            (job.reference, job.best) = (None, None);
            let run = ringside_ranks::run(&job).run;
            for seed in 0..3 {
                let members = play(&job, None, seed);
                let ended: Vec<Option<Ended>> = members.iter().map(Member::ended).collect();
                let dead = job.fault.map(|fault| fault.rank);
                for (rank, ended) in ended.iter().enumerate() {
                    let state = ended.as_ref().map(|ended| &ended.state);
                    let right = match state {
                        Some(State::Died { .. }) => dead == Some(rank),
                        other => matches!(other, Some(State::Finished)),
                    };
                    let all =
                        || members.iter().enumerate().map(|(r, m)| standing(r, Some(&m.state()))).collect::<Vec<_>>();
                    assert!(right, "{name} on {ranks}: {:?}", all());
                }
                let ended: Vec<Ended> = ended.into_iter().flatten().collect();
                assert_eq!(differs(&run, &ended, job.tolerance), None, "{name} on {ranks}");
                alike += usize::from(ended.iter().any(|ended| !ended.submitted.is_empty()));
            }
        }
    }
    assert!(alike > 200, "{alike}");
}

#[test]
fn every_collective_moves_what_it_moves_in_one_worker() {
    let program = "
r, n = rank(), world_size()
x = torch.arange(7).float() + 10 * r
for op in [dist.ReduceOp.SUM, dist.ReduceOp.AVG, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PRODUCT]:
    y = x.clone()
    dist.all_reduce(y, op)
    submit('all_reduce', y)
y = x.bfloat16()
dist.all_reduce(y)
submit('bf16', y)
y = x.clone()
dist.broadcast(y, n - 1)
submit('broadcast', y)
y = x.clone()
dist.reduce(y, n - 1)
if r == n - 1: submit('reduce', y)
parts = [torch.zeros(7) for _ in range(n)]
dist.all_gather(parts, x)
submit('all_gather', torch.stack(parts))
y = torch.zeros(2)
dist.reduce_scatter(y, [torch.ones(2) * (i + r) for i in range(n)])
submit('reduce_scatter', y)
sizes = [r + i for i in range(n)]
y = torch.zeros(sum(sizes))
dist.all_to_all_single(y, torch.arange(sum(sizes)).float() + 100 * r, sizes, sizes)
submit('all_to_all', y)
dist.barrier()
half = dist.new_group([i for i in range(n) if i % 2 == r % 2])
y = x.clone()
work = dist.all_reduce(y, group=half, async_op=True)
work.wait()
submit('group', y)
";
    for ranks in [2, 3, 5, 8] {
        let job = job(program, ranks);
        let run = ringside_ranks::run(&job);
        assert!(run.diagnosis.passed(), "{}", run.diagnosis.sentence);
        let ended: Vec<Ended> = play(&job, None, 7).iter().map(|member| member.ended().unwrap()).collect();
        assert!(ended.iter().all(|ended| ended.submitted.len() >= 11), "{ended:?}");
        assert_eq!(differs(&run.run, &ended, 1e-6), None, "{ranks}");
    }
}

#[test]
fn whoever_needs_a_rank_that_stopped_waits_for_it_at_its_line() {
    let program = "
r, n = rank(), world_size()
x = torch.zeros(100)
for i in range(6):
    if r == 0: dist.send(x, 1)
    dist.recv(x, (r - 1) % n)
    if r > 0: dist.send(x, (r + 1) % n)
";
    let job = job(program, 4);
    let whole = play(&job, None, 1);
    assert!(whole.iter().all(|member| matches!(member.state(), State::Finished)));
    let calls = ringside_ranks::run(&job).run.ranks[2].calls;
    let states: Vec<State> = play(&job, Some((2, calls / 2)), 1).iter().map(Member::state).collect();
    let says: Vec<String> = states.iter().enumerate().map(|(rank, state)| standing(rank, Some(state))).collect();
    assert!(matches!(states[2], State::Died { line: 9 | 10 }), "{says:?}");
    assert_eq!(says[3], "Rank 3 waits for rank 2 at line 9, in recv from rank 2.");
    assert!(says[0].starts_with("Rank 0 waits for rank 3 at line 9"), "{says:?}");
    assert!(says[1].starts_with("Rank 1 waits for rank "), "{says:?}");
}

#[test]
fn a_death_that_is_heard_before_the_start_is_known_at_the_first_wait() {
    let mut job = job("from ringside import step\nif rank() == 0: dist.recv(torch.zeros(2), 1)\nelse: step(1)\n", 2);
    job.fault = Some(Fault { rank: 1, step: 1 });
    let (mut dies, mut waits) = (Member::new(&job, 1, None).unwrap(), Member::new(&job, 0, None).unwrap());
    dies.go();
    assert!(matches!(dies.state(), State::Died { .. }), "{:?}", dies.state());
    for (to, packet) in dies.out() {
        assert_eq!(to, 0);
        waits.hear(1, &packet);
    }
    waits.go();
    let ended = waits.ended().expect("nobody will wake it again");
    assert!(matches!(ended.state, State::Failed { line: 5, .. }), "{ended:?}");
}

#[test]
fn a_ring_waits_for_its_neighbor_only() {
    let program = "if rank() != 2: dist.all_reduce(torch.ones(4))\nelse: dist.recv(torch.ones(1), 0)\n";
    let job = job(program, 4);
    let members = play(&job, None, 3);
    let says: Vec<String> = members.iter().enumerate().map(|(rank, m)| standing(rank, Some(&m.state()))).collect();
    assert_eq!(says[3], "Rank 3 waits for rank 2 at line 4, in all_reduce.");
    assert_eq!(says[0], "Rank 0 waits for rank 3 at line 4, in all_reduce.");
    assert_eq!(says[2], "Rank 2 waits for rank 0 at line 5, in recv from rank 0.");
}

#[test]
fn what_does_not_go_together_is_told_with_both_lines() {
    let told = |program: &str, says: &str| {
        let job = job(program, 2);
        let members = play(&job, None, 2);
        let faults = members.iter().filter_map(|member| member.ended()?.fault);
        let told: Vec<String> = faults.map(|fault| fault.sentence).collect();
        assert!(told.iter().any(|told| told.contains(says)), "{told:?}");
    };
    told(
        "if rank() == 0: dist.all_reduce(torch.ones(4))\nelse: dist.broadcast(torch.ones(4), 0)\n",
        "calls all_reduce on 4 elements at line 4",
    );
    told(
        "if rank() == 0: dist.send(torch.ones(4), 1)\nelse: dist.recv(torch.ones(5), 0)\n",
        "Rank 0 sends 4 elements at line 4, but rank 1 receives into a tensor of 5 elements at line 5.",
    );
    told("x = torch.ones(4)\nx[9] = 1\n", "Rank 0 stopped at line 5");
    told("torch.save(torch.ones(1), 'a')\n", "workers share no files");
}

#[test]
fn nonsense_from_a_port_is_passed_over() {
    let job = job("dist.recv(torch.ones(2), 1 - rank())\n", 2);
    let mut member = Member::new(&job, 0, None).unwrap();
    member.go();
    let before = member.moves();
    for bytes in [&[][..], &[9, 9, 9], &[255; 64], &[3]] {
        member.hear(7, bytes);
    }
    member.hear(1, &[200, 1]);
    member.go();
    assert!(matches!(member.state(), State::Waits { line: 4, .. }) && member.moves() > before);
}

/// Half a millisecond passes whenever somebody looks.
fn clock() -> f64 {
    static NOW: AtomicU64 = AtomicU64::new(0);
    NOW.fetch_add(1, Ordering::Relaxed) as f64 * 5e-4
}

#[test]
fn what_programs_take_by_the_clock_is_played_over_the_measured_wire() {
    let wire = Wire { latency: 1e-3, bandwidth: 1e6 };
    let mut job = job("if rank() == 0: dist.send(torch.ones(250), 1)\nelse: dist.recv(torch.ones(250), 0)\n", 2);
    job.machine = machine(2, wire, 1 << 20);
    let (_, run) = ringside_ranks::timed(&job, clock).unwrap();
    // Each rank is timed up to its call; the message takes α and a millisecond for its kilobyte.
    let [sender, receiver] = [0, 1].map(|rank| run.ranks[rank].flops);
    assert_eq!((sender, receiver), (0.0, 0.0));
    let computed = |rank: usize| run.ranks[rank].events.iter().filter(|e| e.flops > 0.0).map(|e| e.flops).sum::<f64>();
    assert!(computed(0) >= 5e-4 && computed(1) >= 5e-4, "{run:?}");
    let sends = run.messages[0].start;
    assert!((run.messages[0].end - sends - 2e-3).abs() < 1e-9, "{:?}", run.messages);
    assert!(run.totals.time >= 2.5e-3, "{:?}", run.totals);
    let stuck = ringside_ranks::timed(&super::members::job("dist.recv(torch.ones(1), 1 - rank())\n", 2), clock);
    assert_eq!(stuck.unwrap_err().verdict, Verdict::Deadlock);
}
