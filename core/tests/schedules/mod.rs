//! Pipeline schedules against other people's: orders, tables and times.

use std::collections::BTreeMap;

use ringside_core::expr;
use ringside_core::pipeline::{Costs, Fleet, Kind, Op, Schedule, Timeline, simulate};
use serde_json::Value;

use crate::compare::{Check, cases, int, json, real};

const MODEL: &str = "pipeline-timeline";

/// A schedule on `p` equal devices.
fn run(schedule: Schedule, [p, m, v]: [u64; 3], costs: &Costs) -> Timeline {
    let [p, m, v] = [p, m, v].map(|n| u32::try_from(n).expect("a small number"));
    let fleet = Fleet { devices: p, chunks: schedule.chunks(v), microbatches: m, placement: schedule.placement() };
    simulate(&schedule.orders(p, m, v), fleet, costs).expect("the order can be run")
}

fn costs(forward: f64, input: f64, weight: f64, latency: f64) -> Costs {
    Costs { forward, input, weight, latency, factors: Vec::new() }
}

fn texts(value: &Value) -> Vec<Vec<&str>> {
    let lines = value.as_array().expect("a list of lines");
    lines.iter().map(|line| line.as_str().expect("a line").split(' ').collect()).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|n| n.as_f64().expect("a number")).collect()
}

/// `F3` as in the files.
fn short(op: Op) -> String {
    format!("{}{}", op.kind.letter(), op.microbatch)
}

/// DeepSpeed's grid has a forward pass at every other step only; ours begins as early as it can. The order of every stage, the
/// steps in all, the idle ones and the buffers are the same, and nothing of ours is later.
pub fn deepspeed() -> Check {
    let file = "oracles/deepspeed_train_schedule.json";
    let mut check = Check::new(MODEL, file, "1F1B: order of each stage, steps, idle steps, buffers", 0.0);
    for case in cases(&json(file)) {
        let (p, m) = (int(&case["inputs"], "stages"), int(&case["inputs"], "micro_batches"));
        let timeline = run(Schedule::OneForwardOneBackward, [p, m, 1], &costs(1.0, 1.0, 0.0, 0.0));
        let theirs = &case["outputs"];
        let (idle, buffers) = (numbers(&theirs["idle_slots_per_stage"]), numbers(&theirs["num_pipe_buffers"]));
        check.close("steps", timeline.makespan(), real(theirs, "total_steps"));
        for ((device, line), (idle, buffers)) in (0..).zip(texts(&theirs["grid"])).zip(idle.into_iter().zip(buffers)) {
            let name = format!("p {p}, m {m}, stage {device}");
            let steps: Vec<(usize, &str)> = line.into_iter().enumerate().filter(|(_, text)| *text != ".").collect();
            let ours: Vec<String> = timeline.of(device).iter().map(|b| short(b.op)).collect();
            assert_eq!(ours, steps.iter().map(|(_, text)| *text).collect::<Vec<_>>(), "{name}");
            for (block, (step, text)) in timeline.of(device).iter().zip(steps) {
                assert!(block.start <= step as f64, "{name}: {text} at {}", block.start);
            }
            check.close(&name, timeline.makespan() - timeline.busy(device), idle);
            // It never has fewer than two.
            check.close(&name, timeline.peak(device).max(2.0), buffers);
        }
        check.case();
    }
    check
}

/// Megatron-LM's warm-up counts and its table of the interleaved schedule.
pub fn megatron() -> Check {
    let file = "oracles/megatron_schedule_tables.json";
    let mut check = Check::new(MODEL, file, "interleaved 1F1B: schedule table, warm-up of each rank", 0.0);
    for case in cases(&json(file)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let (p, m) = (int(inputs, "pp"), int(inputs, "num_microbatches"));
        let v = inputs["vpp"].as_u64().unwrap_or(1);
        if inputs["microbatch_group_size_per_vp_stage"].as_u64().is_some_and(|group| group != p) {
            check.exclude("groups that are larger than the pipeline");
            continue;
        }
        let schedule = if v > 1 { Schedule::Interleaved } else { Schedule::OneForwardOneBackward };
        let [p32, m32, v32] = [p, m, v].map(|n| n as u32);
        let orders = schedule.orders(p32, m32, v32);
        let ranks = outputs["per_rank_total_allwarm_warmup_remaining"].as_array().expect("ranks");
        assert_eq!(orders.len(), ranks.len());
        for (rank, (order, theirs)) in orders.iter().zip(ranks).enumerate() {
            let forwards = order.iter().filter(|op| op.kind == Kind::Forward).count();
            let leading = order.iter().take_while(|op| op.kind == Kind::Forward).count();
            // After the warm-up each backward pass has a forward pass before it.
            let warm_up = if leading < forwards || theirs[3] != 0 { leading - 1 } else { leading };
            let name = format!("p {p}, v {v}, m {m}, rank {rank}");
            check.close(&name, forwards as f64, theirs[0].as_f64().expect("total"));
            check.close(&name, warm_up as f64, theirs[2].as_f64().expect("warm-up"));
            let Some(table) = outputs["schedule_table(microbatch,chunk)"].as_array() else { continue };
            let row = |op: &Op| (u64::from(op.microbatch), u64::from(op.stage / p32));
            let ours: Vec<_> = order.iter().filter(|op| op.kind == Kind::Forward).map(row).collect();
            let back: Vec<_> = order.iter().filter(|op| op.kind == Kind::Backward).map(row).collect();
            let theirs: Vec<_> =
                table.iter().map(|r| (r[0].as_u64().unwrap_or(99), r[1].as_u64().unwrap_or(99))).collect();
            assert_eq!(ours, theirs, "{name}");
            assert_eq!(back, theirs.iter().map(|(j, c)| (*j, v - 1 - c)).collect::<Vec<_>>(), "{name}");
        }
        check.case();
    }
    check
}

/// A time of Victarry's simulator: one number, or one a stage.
fn op_time(inputs: &Value, kind: &str, stage: u64) -> f64 {
    let time = &inputs["op_times"][kind];
    time.as_f64().or_else(|| time[stage.to_string()].as_f64()).unwrap_or_else(|| panic!("{kind} in {inputs}"))
}

/// Victarry's simulator: totals, work and peaks of every device, and where its file has them the start of every piece of work.
pub fn victarry() -> Check {
    let file = "oracles/victarry_pp_schedules.json";
    let what = "1F1B, interleaved, ZB-H1, DualPipeV: times of every piece of work, peaks";
    let mut check = Check::new(MODEL, file, what, 1e-12);
    for case in cases(&json(file)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let schedule = match inputs["strategy"].as_str().unwrap_or_default() {
            "1f1b" => Schedule::OneForwardOneBackward,
            "interleave" => Schedule::Interleaved,
            "zb1p" => Schedule::ZeroBubbleH1,
            "dualpipe_v" => {
                dualpipe_order(inputs, outputs);
                check.exclude("DualPipeV: its overlapped passes end together; order compared, peaks to a chunk");
                continue;
            }
            "dualpipe" => {
                check.exclude("DualPipe: two copies of the model; not modelled");
                continue;
            }
            other => {
                assert_eq!(other, "1f1b_overlap");
                check.exclude("1F1B with overlapped passes: not modelled");
                continue;
            }
        };
        let (p, m) = (int(inputs, "num_devices"), int(inputs, "num_microbatches"));
        let v = int(inputs, "num_stages") / p;
        let base = op_time(inputs, "forward", p.min(1));
        let (input, weight) = if schedule == Schedule::ZeroBubbleH1 {
            (op_time(inputs, "backward_D", 1), op_time(inputs, "backward_W", 1))
        } else {
            (op_time(inputs, "backward", 1), 0.0)
        };
        let mut costs = costs(base, input, weight, real(inputs, "p2p_latency"));
        [costs.forward, costs.input, costs.weight] = [base, input, weight].map(|time| time * v as f64);
        costs.factors = (0..p).map(|stage| op_time(inputs, "forward", stage) / base).collect();
        let timeline = run(schedule, [p, m, v], &costs);
        let name = inputs.to_string();
        check.close(&name, timeline.makespan(), real(outputs, "total_time"));
        let (busy, bubble) =
            (numbers(&outputs["busy_time_per_device"]), numbers(&outputs["bubble_fraction_per_device"]));
        let peaks = numbers(&outputs["peak_inflight_chunks_per_device(W frees)"]);
        assert_eq!((busy.len(), peaks.len()), (p as usize, p as usize));
        check.close(&name, timeline.idle_share(timeline.makespan()), bubble.iter().sum::<f64>() / p as f64);
        for (device, (busy, peak)) in (0..).zip(busy.into_iter().zip(peaks)) {
            check.close(&name, timeline.busy(device), busy);
            check.close(&name, timeline.peak(device) * v as f64, peak);
        }
        if let Some(devices) = outputs["ops(type,microbatch,stage,start,end)"].as_array() {
            for (device, theirs) in (0..).zip(devices) {
                let theirs = theirs.as_array().expect("a list of operations");
                assert_eq!(timeline.of(device).len(), theirs.len());
                for (block, op) in timeline.of(device).iter().zip(theirs) {
                    let kind = match block.op.kind {
                        Kind::Forward => "forward",
                        Kind::Backward => "backward",
                        Kind::Input => "backward_D",
                        Kind::Weight => "backward_W",
                    };
                    assert_eq!(
                        (&op[0], &op[1], &op[2]),
                        (&kind.into(), &block.op.microbatch.into(), &block.op.stage.into())
                    );
                    check.close(&name, block.start, op[3].as_f64().expect("a start"));
                    check.close(&name, block.end, op[4].as_f64().expect("an end"));
                }
            }
        }
        check.case();
    }
    check
}

/// The order of DualPipeV on each device, an overlapped pair written as its two passes, and the peaks to a chunk.
fn dualpipe_order(inputs: &Value, outputs: &Value) {
    let (p, m) = (int(inputs, "num_devices"), int(inputs, "num_microbatches"));
    let timeline = run(Schedule::DualPipeV, [p, m, 2], &costs(2.0, 2.0, 2.0, 0.0));
    assert!(timeline.makespan() <= real(outputs, "total_time"), "running a pair in turn never delays its forward pass");
    let devices = outputs["ops(type,microbatch,stage,start,end)"].as_array().expect("operations");
    let peaks = numbers(&outputs["peak_inflight_chunks_per_device(W frees)"]);
    assert_eq!(devices.len(), p as usize);
    for ((device, theirs), peak) in (0..).zip(devices).zip(peaks) {
        let mut next_backward: BTreeMap<u64, u64> = BTreeMap::new();
        let mut expected = Vec::new();
        for op in theirs.as_array().expect("a list of operations") {
            let (microbatch, stage) = (op[1].as_u64().expect("a micro-batch"), op[2].as_u64().expect("a stage"));
            let mut back = |kind, stage| {
                let next = next_backward.entry(stage).or_default();
                *next += 1;
                (kind, *next - 1, stage)
            };
            match op[0].as_str().expect("a kind") {
                "forward" => expected.push((Kind::Forward, microbatch, stage)),
                "backward" => expected.push(back(Kind::Backward, stage)),
                "backward_D" => expected.push(back(Kind::Input, stage)),
                "backward_W" => expected.push((Kind::Weight, microbatch, stage)),
                "overlapped_forward_backward" => {
                    expected.push((Kind::Forward, microbatch, stage));
                    expected.push(back(Kind::Backward, 2 * p - 1 - stage));
                }
                other => panic!("{other}"),
            }
        }
        let ours = timeline.of(device).iter();
        let ours: Vec<_> = ours.map(|b| (b.op.kind, u64::from(b.op.microbatch), u64::from(b.op.stage))).collect();
        assert_eq!(ours, expected, "device {device}");
        // A pair in turn keeps, during its forward pass, what its backward pass has yet to let go: at most a chunk more.
        let more = timeline.peak(device) * 2.0 - peak;
        assert!(more == 0.0 || more == 1.0, "device {device}: {more} chunks more");
    }
}

/// The authors' schedulers search; ours are the schedules they draw. With equal times or in the memory of 1F1B the two agree.
pub fn zero_bubble() -> Check {
    let file = "oracles/zero_bubble_schedulers.json";
    let mut check = Check::new(MODEL, file, "ZB-H1, ZB-H2, ZB-V: time of a step, orders", 1e-9);
    for case in cases(&json(file)) {
        let (inputs, outputs) = (&case["inputs"], &case["outputs"]);
        let (p, m) = (int(inputs, "p"), int(inputs, "m"));
        let on_v = inputs["schedule"] == "ZBV";
        let time = |kind: &str| if on_v { 2.0 * real(inputs, &format!("{kind}_chunk")) } else { real(inputs, kind) };
        let costs = costs(time("T_F"), time("T_B"), time("T_W"), real(inputs, "T_comm"));
        let equal = costs.forward == costs.input && costs.input == costs.weight;
        let doubled = inputs["mem_limit"] == "2 x p x M_F";
        if (on_v || doubled) && !equal {
            check.exclude("found by search for unequal times");
            continue;
        }
        let schedule = match (on_v, doubled) {
            (true, _) => Schedule::ZeroBubbleV,
            (_, true) => Schedule::ZeroBubbleH2,
            _ => Schedule::ZeroBubbleH1,
        };
        let timeline = run(schedule, [p, m, 2], &costs);
        let name = inputs.to_string();
        let work = m as f64 * (costs.forward + costs.input + costs.weight);
        check.close(&name, work, if on_v { real(outputs, "expected_time") } else { real(outputs, "ideal") });
        check.close(&name, 1.0 - work / timeline.interval(), real(outputs, "bubble_rate"));
        if !on_v {
            check.close(&name, timeline.interval(), real(outputs, "longest_stage_span"));
        }
        if outputs["stage_sequences"].is_array() && !doubled {
            for (device, theirs) in (0..).zip(texts(&outputs["stage_sequences"])) {
                let ours: Vec<String> = timeline.of(device).iter().map(|b| short(b.op)).collect();
                assert_eq!(ours, theirs, "{name}, stage {device}");
            }
        }
        check.case();
    }
    check
}

/// Table 5 of Qi et al. 2024, for the two models whose measured times are in `zero_bubble_schedulers.json` (its `cross_check`
/// says how well they fit). They were measured at 24 micro-batches: there every digit of the table comes out. For 32 and 64 the
/// authors measured again, and a step agrees to a hundredth.
pub fn zero_bubble_table() -> Check {
    let file = "oracles/zero_bubble_table5.json";
    let mut check = Check::new(MODEL, file, "time of a step by its bubble rate: 1F1B, ZB-H1, ZB-H2", 1e-2);
    let table = json(file);
    for row in table["rows"].as_array().expect("rows") {
        let costs = match row["model"].as_str().unwrap_or_default() {
            "1.5B" => costs(18522.0, 18086.0, 9337.0, 601.0),
            "6.2B" => costs(29718.0, 29444.0, 19927.0, 527.0),
            _ => {
                check.exclude("times not known");
                continue;
            }
        };
        let (p, m) = (int(row, "p"), int(row, "m"));
        for (column, schedule) in [
            ("1F1B", Schedule::OneForwardOneBackward),
            ("ZB-H1", Schedule::ZeroBubbleH1),
            ("ZB-H2", Schedule::ZeroBubbleH2),
        ] {
            let timeline = run(schedule, [p, m, 1], &costs);
            let ours = timeline.idle_share(timeline.interval());
            let theirs = real(row, column);
            if m == 24 {
                assert!((ours - theirs).abs() <= 0.5001e-4, "{row} {column}: {ours}");
            }
            // The time of a step over its work: 1 / (1 − bubble).
            check.close(&format!("{row} {column}"), 1.0 / (1.0 - ours), 1.0 / (1.0 - theirs));
        }
        check.case();
    }
    check
}

/// The closed forms, for equal times: bubbles and peaks of every pipeline up to 16 devices.
pub fn formulas() -> Check {
    let file = "oracles/pipeline_formulas.json";
    let what = "closed forms of the bubble: GPipe, 1F1B, interleaved, ZB-H1, ZB-H2, ZB-V";
    let mut check = Check::new(MODEL, file, what, 1e-12);
    let table = json(file);
    let rows = table["rows"].as_array().expect("rows");
    let row = |name: &str| rows.iter().find(|r| r["schedule"] == name).unwrap_or_else(|| panic!("{name}"));
    let formula = |row: &Value, key: &str| match &row[key] {
        Value::String(text) => text.split(" when").next().unwrap_or_default().replace("3m", "3*m"),
        other => other.to_string(),
    };
    let equal = costs(12.0, 12.0, 12.0, 0.0);
    for p in 2..=16_u64 {
        for times in 1..=4 {
            // What the interleaved and the zero-bubble formulas hold for: a multiple of p, at least 2p − 1.
            let m = 2 * p * times;
            for v in 2..=4_u64 {
                let value = |text: &str| {
                    let names = |name: &str| match name {
                        "p" => Some(p as f64),
                        "m" => Some(m as f64),
                        "v" => Some(v as f64),
                        _ => None,
                    };
                    expr::evaluate(text, &names).unwrap_or_else(|e| panic!("{text}: {e}"))
                };
                let bubble = |schedule: Schedule| {
                    let timeline = run(schedule, [p, m, v], &equal);
                    (timeline.idle_share(timeline.makespan()), timeline.idle_share(timeline.interval()))
                };
                let name = |schedule: Schedule| format!("{} p {p} m {m} v {v}", schedule.id());
                for schedule in [Schedule::GPipe, Schedule::OneForwardOneBackward] {
                    let whole = row("GPipe, 1F1B");
                    let ours = bubble(schedule).0;
                    check.close(&name(schedule), ours, value(&formula(whole, "bubble_of_total")));
                    check.close(&name(schedule), ours / (1.0 - ours), value(&formula(whole, "bubble_over_ideal")));
                }
                let ours = bubble(Schedule::Interleaved).0;
                let theirs = value(&formula(row("interleaved v"), "bubble_over_ideal"));
                check.close(&name(Schedule::Interleaved), ours / (1.0 - ours), theirs);
                let theirs = value(&formula(row("ZB1P"), "bubble"));
                check.close(&name(Schedule::ZeroBubbleH1), bubble(Schedule::ZeroBubbleH1).0, theirs);
                let none = value(&formula(row("ZB2P, ZBV"), "bubble"));
                check.close(&name(Schedule::ZeroBubbleH2), 1.0 + bubble(Schedule::ZeroBubbleH2).1, 1.0 + none);
                check.close(&name(Schedule::ZeroBubbleV), 1.0 + bubble(Schedule::ZeroBubbleV).1, 1.0 + none);
                check.case();
            }
        }
    }
    check
}
