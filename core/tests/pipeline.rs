//! Pipeline schedules: the rules they keep whatever the times, and what the papers say of them.

use proptest::prelude::*;
use ringside_core::declare::Model as _;
use ringside_core::pipeline::{
    Block, Costs, Fault, Fleet, Kind, MAX_CHUNKS, MAX_MICROBATCHES, MAX_STAGES, Op, Params, Placement, Schedule,
    Timeline, Violation, chrome_trace, explain, simulate, violations,
};
use ringside_core::query::Query;

fn params(schedule: Schedule, stages: u32, microbatches: u32) -> Params {
    let (params, problems) = Params::read(&Query::default());
    assert_eq!(problems, []);
    Params { schedule, stages, microbatches, ..params }
}

fn run(params: &Params) -> Timeline {
    params.timeline(params.schedule).unwrap_or_else(|fault| panic!("{params:?}: {fault}"))
}

fn any_params() -> impl Strategy<Value = Params> {
    let sizes = (1..=12_u32, 1..=30_u32, 1..=MAX_CHUNKS, proptest::sample::select(Schedule::ALL.to_vec()));
    let times =
        (0.001..10.0_f64, 0.001..10.0_f64, prop_oneof![Just(0.0), 0.0..10.0_f64], prop_oneof![Just(0.0), 0.0..5.0_f64]);
    (sizes, times, 0..12_u32, prop_oneof![Just(1.0), 1.0..10.0_f64]).prop_map(
        |((stages, microbatches, chunks, schedule), (forward, input, weight, latency), slow_stage, slow_by)| Params {
            schedule,
            compare: None,
            stages,
            microbatches,
            chunks,
            forward,
            input,
            weight,
            latency,
            slow_stage: slow_stage.min(stages - 1),
            slow_by,
            path: false,
            ..Params::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn every_schedule_keeps_the_rules_whatever_the_times(params in any_params()) {
        let timeline = run(&params);
        prop_assert_eq!(violations(&timeline, &params.costs(), params.cap(params.schedule)), vec![]);
        let (makespan, ideal) = (timeline.makespan(), timeline.ideal());
        prop_assert!(ideal <= timeline.interval() * (1.0 + 1e-9) && timeline.interval() <= makespan);
        for device in 0..params.stages {
            let most = timeline.flight(device).iter().map(|f| f.chunks).max();
            prop_assert_eq!(most.map(|n| f64::from(n) / f64::from(timeline.fleet.chunks)), Some(timeline.peak(device)));
        }
        let path = timeline.critical_path();
        let block = |i: &u32| timeline.blocks[*i as usize];
        prop_assert_eq!(path.first().map(|i| block(i).start), Some(0.0));
        prop_assert_eq!(path.last().map(|i| block(i).end), Some(makespan));
        for pair in path.windows(2) {
            let gap = block(&pair[1]).start - block(&pair[0]).end;
            let away = timeline.device(pair[0]) != timeline.device(pair[1]);
            let latency = if away { params.latency } else { 0.0 };
            prop_assert!((gap - latency).abs() <= makespan * 1e-12);
        }
    }
}

/// A validator that finds nothing proves nothing: whatever is moved, doubled, dropped or swapped is found.
#[test]
fn the_validator_finds_what_is_broken() {
    for schedule in Schedule::ALL {
        let params = params(schedule, 4, 8);
        let (timeline, costs, cap) = (run(&params), params.costs(), params.cap(schedule));
        let lists: Vec<Vec<Block>> = (0..4).map(|d| timeline.of(d).to_vec()).collect();
        let broken = |change: &dyn Fn(&mut Vec<Vec<Block>>)| {
            let mut lists = lists.clone();
            change(&mut lists);
            violations(&Timeline::new(timeline.fleet, &lists), &costs, cap)
        };
        assert_eq!(broken(&|_| {}), [], "{schedule:?}");
        for d in 0..4 {
            for i in 0..lists[d].len() {
                let op = lists[d][i].op;
                let found = broken(&|lists| _ = lists[d].remove(i));
                assert!(found.iter().any(|v| matches!(v, Violation::Missing(_))), "{schedule:?}: {op} missing");
                let found = broken(&|lists| lists[d][i].end += 0.25);
                assert!(found.contains(&Violation::Duration(op)), "{schedule:?}: {op} longer");
                let found = broken(&|lists| {
                    let twice = lists[d][i];
                    lists[d].push(twice);
                });
                assert!(found.contains(&Violation::Repeated(op)), "{schedule:?}: {op} twice");
                if let Some(after) = lists[d][i].after {
                    let found = broken(&|lists| {
                        lists[d][i].start -= 0.25;
                        lists[d][i].end -= 0.25;
                    });
                    let early = |v: &Violation| matches!(v, Violation::Overlap(..) | Violation::Early(..));
                    assert!(
                        found.iter().any(early),
                        "{schedule:?}: {op} before {}",
                        timeline.blocks[after as usize].op
                    );
                }
            }
        }
        let worst = timeline.worst_peak();
        let found = violations(&timeline, &costs, worst - 0.5);
        assert!(found.iter().any(|v| matches!(v, Violation::Memory { kept, .. } if *kept == worst)), "{schedule:?}");
        assert_eq!(violations(&timeline, &costs, worst), [], "{schedule:?}");
    }
}

/// Huang et al. 2019, §2.3, and Narayanan et al. 2021, §2.2: with equal times (p − 1)/(m + p − 1) of a step is idle, and stage i
/// keeps m, or min(p − i, m), micro-batches. Exact: the times are whole numbers.
#[test]
fn gpipe_and_1f1b_idle_as_long_as_their_papers_say() {
    for p in 2..=32_u32 {
        for m in 1..=64_u32 {
            for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward] {
                let timeline = run(&params(schedule, p, m));
                assert_eq!(timeline.makespan(), f64::from(3 * (m + p - 1)), "{schedule:?} p {p} m {m}");
                assert_eq!(timeline.ideal(), f64::from(3 * m));
                let bubble = timeline.idle_share(timeline.makespan());
                let expected = f64::from(p - 1) / f64::from(m + p - 1);
                assert!((bubble - expected).abs() <= f64::EPSILON, "{schedule:?} p {p} m {m}: {bubble}");
                for i in 0..p {
                    let kept = if schedule == Schedule::GPipe { m } else { m.min(p - i) };
                    assert_eq!(timeline.peak(i), f64::from(kept), "{schedule:?} p {p} m {m} stage {i}");
                }
            }
            let timeline = run(&params(Schedule::Naive, p, m));
            assert_eq!((timeline.makespan(), timeline.worst_peak()), (f64::from(3 * m * p), 1.0));
        }
    }
}

/// PipeDream, §3.3: stage i keeps p − i versions of its weights.
#[test]
fn pipedream_keeps_a_version_for_every_micro_batch_in_flight() {
    for p in 1..=8 {
        let timeline = run(&params(Schedule::PipeDream, p, 4 * p));
        assert_eq!((0..p).map(|d| timeline.versions(d)).collect::<Vec<_>>(), (1..=p).rev().collect::<Vec<_>>());
    }
}

/// Qi et al. 2024, §2: with equal times H1 leaves a third of the bubble of 1F1B and no more memory, H2 none between steps.
#[test]
fn zero_bubble_schedules_do_what_they_are_named_for() {
    for p in 2..=16_u32 {
        for m in [2 * p, 3 * p + 1, 64] {
            let h1 = run(&params(Schedule::ZeroBubbleH1, p, m));
            assert_eq!((h1.makespan(), h1.worst_peak()), (f64::from(3 * m + p - 1), f64::from(p)), "p {p} m {m}");
            let h2 = run(&params(Schedule::ZeroBubbleH2, p, m));
            assert_eq!((h2.interval(), h2.worst_peak()), (f64::from(3 * m), f64::from(2 * p - 1)), "p {p} m {m}");
            let v = run(&params(Schedule::ZeroBubbleV, p, m));
            assert_eq!((v.interval(), v.worst_peak()), (f64::from(3 * m), f64::from(p)), "p {p} m {m}");
        }
    }
}

#[test]
fn orders_that_cannot_be_run_are_named() {
    let fleet = Fleet { devices: 2, chunks: 1, microbatches: 1, placement: Placement::Loop };
    let costs = Costs { forward: 1.0, input: 1.0, weight: 1.0, latency: 0.0, factors: Vec::new() };
    let op = |kind, stage| Op { kind, stage, microbatch: 0 };
    let (f0, f1, b0, b1) = (op(Kind::Forward, 0), op(Kind::Forward, 1), op(Kind::Backward, 0), op(Kind::Backward, 1));
    let run = |orders: [&[Op]; 2]| simulate(&orders.map(<[Op]>::to_vec), fleet, &costs);
    assert!(run([&[f0, b0], &[f1, b1]]).is_ok());
    assert_eq!(run([&[b0, f0], &[f1, b1]]), Err(Fault::Stuck { device: 0, op: b0, awaits: f0 }));
    assert_eq!(run([&[f0, b0], &[b1, f1]]), Err(Fault::Stuck { device: 0, op: b0, awaits: b1 }));
    assert_eq!(run([&[f1], &[]]), Err(Fault::Misplaced { device: 0, op: f1 }));
    assert_eq!(run([&[f0, f0], &[]]), Err(Fault::Repeated(f0)));
    let beyond = Op { microbatch: 1, ..f0 };
    assert_eq!(run([&[beyond], &[]]), Err(Fault::Misplaced { device: 0, op: beyond }));
}

#[test]
fn the_trace_is_json_with_every_piece_of_work() {
    let timeline = run(&params(Schedule::ZeroBubbleH1, 4, 8));
    let trace: serde_json::Value = serde_json::from_str(&chrome_trace(&timeline, "a \"name\"\n\\")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let work: Vec<_> = events.iter().filter(|e| e["ph"] == "X").collect();
    assert_eq!(work.len(), timeline.blocks.len());
    let last = work.iter().filter_map(|e| Some(e["ts"].as_f64()? + e["dur"].as_f64()?)).fold(0.0, f64::max);
    assert_eq!(last, timeline.makespan() * 1e3);
}

#[test]
fn the_finding_says_what_the_timeline_shows() {
    let finding = |schedule| {
        let params = params(schedule, 4, 8);
        params.finding(&run(&params), None)
    };
    let text = finding(Schedule::OneForwardOneBackward);
    assert!(text.starts_with("1F1B takes 33 ms for 24 ms of work"), "{text}");
    assert!(text.contains("idle 27.3% of the time and keep at most 4 micro-batches"), "{text}");
    let text = finding(Schedule::ZeroBubbleH2);
    assert!(text.contains("one follows another every 24 ms, of which 0% is idle"), "{text}");
    let text = finding(Schedule::PipeDream);
    assert!(text.ends_with("the price is 4 versions of the weights."), "{text}");
}

#[test]
fn a_comparison_says_how_much_longer_and_how_much_more() {
    let params = Params { compare: Some(Schedule::GPipe), ..params(Schedule::ZeroBubbleH1, 4, 8) };
    let other = params.timeline(Schedule::GPipe).expect("it runs");
    let text = params.finding(&run(&params), Some(&other));
    assert!(text.ends_with("GPipe takes 1.22 times as long and keeps 2 times as much."), "{text}");
}

#[test]
fn a_block_says_what_it_waits_for() {
    let timeline = run(&params(Schedule::OneForwardOneBackward, 4, 8));
    let at = |device, time| explain(&timeline, timeline.at(device, time).expect("it works or waits"));
    assert_eq!(
        at(0, 0.5),
        "F0: forward pass of micro-batch 0 on stage 0, device 0, from 0 s to 1 ms. It can begin at once."
    );
    // It waits from 4 to 10, when B0 has come back from stage 1.
    let text = at(0, 7.0);
    assert!(text.ends_with("It waits for B0 of stage 1 on device 1; the device is idle for 6 ms before."), "{text}");
    assert_eq!(at(0, 11.0), text);
    assert!(at(0, 12.5).ends_with("It begins when its device is done with B0."), "{}", at(0, 12.5));
    assert_eq!(timeline.at(0, 33.0), None);
}

#[test]
fn looking_at_a_part_of_the_time_finds_just_what_is_there() {
    let timeline = run(&params(Schedule::Interleaved, 4, 8));
    let end = timeline.makespan();
    for device in 0..4 {
        for step in 0..60 {
            let (from, to) = (end * f64::from(step) / 70.0, end * f64::from(step + 5) / 70.0);
            let there: Vec<usize> = timeline
                .range(device)
                .filter(|i| timeline.blocks[*i].end > from && timeline.blocks[*i].start < to)
                .collect();
            assert_eq!(timeline.between(device, from, to).collect::<Vec<_>>(), there);
        }
    }
    // From change to change one passes every moment at which something begins or ends, both ways.
    let mut moments: Vec<f64> = timeline.blocks.iter().flat_map(|b| [b.start, b.end]).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let mut walk = vec![0.0];
    while let Some(next) = timeline.change(walk[walk.len() - 1], true) {
        walk.push(next);
    }
    let same = |a: &[f64], b: &[f64]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
    assert!(same(&walk, &moments), "{walk:?} {moments:?}");
    let mut back = vec![end];
    while let Some(before) = timeline.change(back[back.len() - 1], false) {
        back.push(before);
    }
    back.reverse();
    assert!(same(&back, &moments), "{back:?}");
    let working = timeline.working(end, 100);
    let busy: f64 = working.iter().sum::<f64>() / 100.0;
    assert!((1.0 - busy - timeline.idle_share(end)).abs() < 1e-9, "{busy}");
    assert!(working.iter().all(|share| (-1e-9..=1.0 + 1e-9).contains(share)));
}

/// The largest pipeline, 262 144 pieces of work. How fast it is says `cargo bench`.
#[test]
fn the_largest_pipeline_is_simulated_whole() {
    let largest = Params { chunks: MAX_CHUNKS, ..params(Schedule::Interleaved, MAX_STAGES, MAX_MICROBATCHES) };
    assert_eq!(run(&largest).blocks.len(), 2 * 64 * 512 * 4);
}
