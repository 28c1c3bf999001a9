//! What is said of traces as people have them: loaders of their own, ranges of their own, devices of other makers; and what is not said.

use proptest::prelude::*;

use super::super::intervals::both;
use super::super::simulate::Setup;
use super::super::{Platform, Reader, idle, layout, look, select};
use super::*;
use crate::detective::{Own, evidence, remedy, title};

fn read(text: &str) -> Trace {
    let mut reader = Reader::default();
    for piece in text.as_bytes().chunks(4096) {
        reader.push(piece);
    }
    reader.finish()
}

/// Writes down a program as Kineto would: one CPU thread, one stream. Times in microseconds.
#[derive(Default)]
struct Tape {
    events: Vec<String>,
    now: f64,
    /// When the GPU is done with what it was given.
    free: f64,
    next: u32,
}

impl Tape {
    fn event(&mut self, category: &str, name: &str, row: u32, from: f64, length: f64, args: &str) {
        self.events.push(format!(
            r#"{{"ph":"X","cat":"{category}","name":"{name}","pid":{},"tid":{row},"ts":{from:.3},"dur":{length:.3},"args":{{{args}}}}}"#,
            if row == 7 { 0 } else { 1 }
        ));
    }

    fn range(&mut self, name: &str, inside: impl FnOnce(&mut Self)) {
        let from = self.now;
        self.now += 1.0;
        inside(self);
        self.now += 1.0;
        if !name.is_empty() {
            self.event("user_annotation", name, 1, from, self.now - from, "");
        }
    }

    /// An operator with a kernel of so many microseconds.
    fn kernel(&mut self, micros: f64) {
        self.next += 1;
        let args = format!("\"correlation\":{}", self.next);
        self.event("cpu_op", "aten::mm", 1, self.now, 22.0, "");
        self.event("cuda_runtime", "cudaLaunchKernel", 1, self.now + 12.0, 6.0, &args);
        let start = self.free.max(self.now + 22.0);
        self.event("kernel", "gemm", 7, start, micros, &format!("\"stream\":7,{args}"));
        self.free = start + micros;
        self.now += 24.0;
    }

    fn synchronize(&mut self) {
        let end = self.free.max(self.now) + 7.0;
        self.event("cuda_runtime", "cudaDeviceSynchronize", 1, self.now, end - self.now, "\"correlation\":99999");
        self.now = end;
    }

    fn finish(self) -> Trace {
        let trace = read(&format!("{{\"traceEvents\":[{}]}}", self.events.join(",")));
        assert_eq!(trace.problems, []);
        trace
    }
}

/// Three steps: `input`, then sixty kernels in a range `model`, within `around`; `after` comes in the middle of those.
fn steps(around: &str, model: &str, input: impl Fn(&mut Tape), after: impl Fn(&mut Tape, u32)) -> Trace {
    let mut tape = Tape::default();
    for step in 0..3 {
        let (input, after) = (&input, &after);
        tape.range(&format!("ProfilerStep#{step}"), |tape| {
            tape.range(around, |tape| {
                input(tape);
                tape.range(model, |tape| {
                    for kernel in 0..60 {
                        tape.kernel(160.0);
                        if kernel == 30 {
                            after(tape, step);
                        }
                    }
                });
            });
        });
    }
    tape.finish()
}

fn said(trace: &Trace) -> Vec<(String, f64)> {
    diagnose(std::slice::from_ref(trace), 0)
        .iter()
        .map(|f| (title(trace, f), (f.share * 1000.0).round() / 1000.0))
        .collect()
}

fn first(trace: &Trace) -> Finding {
    diagnose(std::slice::from_ref(trace), 0).swap_remove(0)
}

/// A loader of forty milliseconds that is not PyTorch's.
#[test]
fn what_runs_before_the_first_kernel_is_the_input_whoever_loads_it() {
    let sleep = |tape: &mut Tape| tape.now += 40_000.0;
    let forms: [(&str, Trace); 5] = [
        ("host, silent", steps("", "", sleep, |_, _| {})),
        ("host, in `get_batch`", steps("", "model", |tape| tape.range("get_batch", sleep), |_, _| {})),
        // As the course's lab 06 writes it: a range with an operator at its end, in a step that begins with a wait.
        (
            "host, in `load`",
            steps(
                "",
                "forward",
                |tape| {
                    tape.synchronize();
                    tape.range("load", |tape| {
                        tape.now += 40_000.0;
                        tape.kernel(5.0);
                    });
                },
                |_, _| {},
            ),
        ),
        ("host, in `train`", steps("train", "", sleep, |_, _| {})),
        (
            "host, in `data`",
            steps("train", "forward", |tape| tape.range("data", |tape| tape.range("", sleep)), |_, _| {}),
        ),
    ];
    for (place, trace) in forms {
        let found = first(&trace);
        assert_eq!(title(&trace, &found), format!("Slow input ({place})"), "{:?}", said(&trace));
        assert_eq!((found.cause, found.certainty), (Some(Cause::DataLoader), Certainty::Suspected));
        assert!(found.share > 0.6, "{:?}", said(&trace));
        let wrong = [Cause::SmallKernels, Cause::GarbageCollection];
        let all = diagnose(std::slice::from_ref(&trace), 0);
        assert!(all.iter().all(|f| f.cause.is_none_or(|c| !wrong.contains(&c))), "{:?}", said(&trace));
    }
}

#[test]
fn a_wait_explains_no_more_than_it_waited() {
    // Nothing is left to do when the wait begins: it takes 7 µs, and then a loader takes 40 ms.
    let trace = steps(
        "",
        "forward",
        |tape| {
            tape.now = tape.now.max(tape.free);
            tape.synchronize();
            tape.range("load", |tape| tape.now += 40_000.0);
        },
        |_, _| {},
    );
    assert!(said(&trace).iter().all(|(title, _)| !title.contains("synchronization")), "{:?}", said(&trace));
    // Sixty kernels are waited for, and then Python takes 2 ms: without the wait they would be hidden.
    let trace = steps(
        "",
        "",
        |_| {},
        |tape, _| {
            tape.synchronize();
            tape.now += 2_000.0;
        },
    );
    assert_eq!(title(&trace, &first(&trace)), "Host–device synchronization", "{:?}", said(&trace));
}

#[test]
fn garbage_collection_is_found_under_ranges() {
    let pause = |tape: &mut Tape, step: u32| tape.now += if step == 1 { 40_000.0 } else { 0.0 };
    for (around, model) in [("", ""), ("train", ""), ("", "forward"), ("train", "forward")] {
        let trace = steps(around, model, |_| {}, pause);
        let found = first(&trace);
        assert_eq!(found.cause, Some(Cause::GarbageCollection), "{around} {model}: {:?}", said(&trace));
        assert_eq!(found.certainty, Certainty::Suspected);
        assert!(!said(&trace).iter().any(|(title, _)| title.contains("Small kernels")), "{:?}", said(&trace));
    }
    // PyTorch 2.9 can record it by name, and then it is no guess.
    let trace = steps(
        "",
        "forward",
        |_| {},
        |tape, step| {
            if step == 1 {
                tape.event("python_function", "Python GC", 1, tape.now, 40_000.0, "");
                tape.now += 40_000.0;
            }
        },
    );
    assert_eq!((first(&trace).cause, first(&trace).certainty), (Some(Cause::GarbageCollection), Certainty::Shown));
}

#[test]
fn what_nothing_explains_is_located() {
    // A pause in every step is no garbage collector.
    let trace = steps("train", "forward", |_| {}, |tape, _| tape.now += 40_000.0);
    assert_eq!(title(&trace, &first(&trace)), "Not explained (host, in `forward`)", "{:?}", said(&trace));
    let trace = steps("", "", |_| {}, |tape, _| tape.now += 40_000.0);
    assert_eq!(title(&trace, &first(&trace)), "Not explained (host, silent)", "{:?}", said(&trace));
    // An operator of the CPU that takes long.
    let trace = steps(
        "",
        "",
        |_| {},
        |tape, _| {
            tape.event("cpu_op", "aten::nonzero", 1, tape.now, 40_000.0, "");
            tape.now += 40_000.0;
        },
    );
    assert_eq!(title(&trace, &first(&trace)), "Not explained (host, in `aten::nonzero`)", "{:?}", said(&trace));
    let own = Own::of(&[trace]);
    assert!(
        own.finding.contains("No cause explains") && !own.finding.contains("Nothing stands out"),
        "{}",
        own.finding
    );
}

/// Case 12: the same events under Intel's names and under NVIDIA's.
#[test]
fn an_xpu_is_diagnosed_as_a_gpu_is() {
    let xpu = read(include_str!("../../../tests/fixtures/traces/xpu.json"));
    let cuda = read(include_str!("../../../tests/fixtures/traces/xpu-under-cudas-names.json"));
    assert_eq!((xpu.platform, cuda.platform), (Platform::Xpu, Platform::Cuda));
    for trace in [&xpu, &cuda] {
        assert_eq!(said(trace), [("Small kernels".to_owned(), 0.778)]);
        assert!(
            evidence(trace, &first(trace)).starts_with("7 launches, 40 µs each"),
            "{}",
            evidence(trace, &first(trace))
        );
    }
    assert!(remedy(&cuda, &first(&cuda)).contains("CUDA"));
    assert!(!remedy(&xpu, &first(&xpu)).contains("CUDA"));
}

/// Case 13: device rows that only their process names.
#[test]
fn ascends_rows_are_read_and_the_file_is_named() {
    let trace = read(include_str!("../../../tests/fixtures/traces/ascend.json"));
    let kernels: Vec<i64> = trace.spans.iter().filter(|s| s.sort.is_work()).map(|s| s.length).collect();
    assert_eq!(kernels, [20_000; 8]);
    assert_eq!(trace.platform, Platform::Ascend);
    let problems: Vec<&str> = trace.problems.iter().map(|p| p.message.as_str()).collect();
    assert!(problems.iter().any(|p| p.starts_with("This is an Ascend trace.")), "{problems:?}");
    let own = Own::of(std::slice::from_ref(&trace));
    assert!(own.finding.starts_with("The NPU computes for 22.2%"), "{}", own.finding);
    assert_eq!(said(&trace), [("Not explained (launches are missing)".to_owned(), 0.778)]);
    let all = format!("{problems:?}{}{}", own.finding, remedy(&trace, &first(&trace)));
    assert!(!all.contains("CUDA") && !all.contains("GPU"), "{all}");
}

#[test]
fn nothing_is_said_of_cuda_where_there_is_none() {
    let platforms = [
        Platform::Rocm,
        Platform::Xpu,
        Platform::Ascend,
        Platform::Mtia,
        Platform::Tpu,
        Platform::Other,
        Platform::Unknown,
    ];
    for platform in platforms {
        let trace = Trace { platform, ..Trace::default() };
        let causes = Cause::ALL.into_iter().skip(1).map(Some).chain([None]);
        for cause in causes {
            for certainty in [Certainty::Unexplained, Certainty::Suspected, Certainty::Shown] {
                for place in
                    [Place::Anywhere, Place::Silence, Place::Host, Place::Stream, Place::NoLaunch, Place::Kernels]
                {
                    let finding = Finding { cause, certainty, place, gain: 1, share: 0.1, evidence: vec![] };
                    let all = format!(
                        "{} {} {}",
                        title(&trace, &finding),
                        evidence(&trace, &finding),
                        remedy(&trace, &finding)
                    );
                    // AMD's activity has this name in PyTorch.
                    let all = all.replace("ProfilerActivity.CUDA", "");
                    assert!(!all.contains("CUDA") && !all.contains("cuda"), "{platform:?} {cause:?}: {all}");
                }
            }
        }
    }
}

#[test]
fn what_other_programs_write_is_read_or_named() {
    let message = |text: &str| read(text).problems.first().map(|p| p.message.clone()).unwrap_or_default();
    // Beginnings and ends, in any order between threads.
    let pairs = read(
        r#"[{"ph":"B","cat":"kernel","name":"outer","pid":0,"tid":7,"ts":10,"args":{"stream":7}},
        {"ph":"B","name":"other","pid":1,"tid":1,"ts":1},
        {"ph":"B","cat":"kernel","name":"inner","pid":0,"tid":7,"ts":12},{"ph":"E","pid":0,"tid":7,"ts":15},
        {"ph":"E","pid":0,"tid":7,"ts":20},{"ph":"E","pid":5,"tid":5,"ts":20}]"#,
    );
    let times: Vec<(&str, i64, i64)> = pairs.spans.iter().map(|s| (pairs.name(s), s.start, s.length)).collect();
    assert_eq!(times, [("inner", 12_000, 3_000), ("outer", 10_000, 10_000)]);
    assert_eq!(pairs.spans[1].stream, 7);
    assert!(pairs.problems.iter().any(|p| p.message.starts_with("2 beginnings and ends")), "{:?}", pairs.problems);

    // PyTorch before Kineto (`torch/autograd/profiler.py` of 1.7).
    let old = r#"[{"name": "aten::mm", "ph": "X", "ts": 0.0, "dur": 20.0, "tid": 1, "pid": "CPU functions", "args": {}},
        {"name": "gemm", "ph": "X", "ts": 5.0, "dur": 9.0, "tid": 0, "pid": "CUDA functions", "args": {}},
        {"name": "gemm", "ph": "X", "ts": 30.0, "dur": 9.0, "tid": 0, "pid": "CUDA functions", "args": {}}]"#;
    let trace = read(old);
    assert_eq!(trace.spans.iter().map(|s| s.sort).collect::<Vec<Sort>>(), [Sort::Operator, Sort::Kernel, Sort::Kernel]);
    assert!(message(old).contains("without Kineto"), "{}", message(old));

    // rocprof.
    let roc = r#"{"traceEvents":[{"args":{"name":"CPU HIP API"},"ph":"M","pid":"2","name":"process_name"},
        {"args":{"name":"GPU0"},"ph":"M","pid":"6","name":"process_name"},{"args":{"name":"COPY"},"ph":"M","pid":"1","name":"process_name"},
        {"ph":"X","name":"hipLaunchKernel","pid":"2","tid":"9","ts":"1","dur":"2","args":{}},
        {"ph":"X","name":"gemm","pid":"6","tid":"0","ts":"4","dur":"9","args":{}},
        {"ph":"X","name":"hcMemcpyHostToDevice","pid":"1","tid":"0","ts":"14","dur":"9","args":{}}]}"#;
    let trace = read(roc);
    assert_eq!(trace.spans.iter().map(|s| s.sort).collect::<Vec<Sort>>(), [Sort::Call, Sort::Kernel, Sort::Copy]);
    assert_eq!(trace.platform, Platform::Rocm);
    assert!(message(roc).contains("rocprof"));

    // Categories of other makers.
    for (category, platform) in
        [("mtia_runtime", Platform::Mtia), ("privateuse1_runtime", Platform::Other), ("xpu_driver", Platform::Xpu)]
    {
        let text = format!(r#"[{{"ph":"X","cat":"{category}","name":"launch","pid":1,"tid":1,"ts":1,"dur":2}}]"#);
        let trace = read(&text);
        assert_eq!((trace.spans[0].sort, trace.platform), (Sort::Call, platform));
        assert!(
            message(&text).starts_with("Nothing runs on a") && !message(&text).contains("CUDA"),
            "{}",
            message(&text)
        );
    }

    // Nsight's own exports, an object a line or a database.
    let nsight = "{\"data\":[\"a\"]}\n{\"Type\":80,\"CudaEvent\":{\"startNs\":\"1\",\"endNs\":\"2\"}}\n";
    assert!(message(nsight).starts_with("This is Nsight Systems’ JSON export"), "{}", message(nsight));
    assert!(message("SQLite format 3\0…").starts_with("This is an SQLite database"));
    assert!(read(nsight).problems[0].fatal);
}

// Certainty. What is shown rests on events alone: taking events away takes explanations away.

fn idle_time(part: Part) -> Vec<Interval> {
    match part.taken {
        Taken::Idle(when) => when,
        Taken::Busy(_) => Vec::new(),
    }
}

/// When the GPU waits for its host, and when of that events say why.
fn explained(trace: &Trace) -> (Vec<Interval>, Vec<Interval>) {
    let case = Case::new(trace, Rows::of(trace, Rules::Ours));
    let host = idle::of_gpu(&case.rows).into_iter().filter(|g| g.0 == idle::Wait::Host).map(|g| g.1);
    let host = union(host);
    let shown = case.idle().into_iter().filter(|p| p.certainty == Certainty::Shown).flat_map(idle_time);
    (host, union(shown))
}

/// A trace without some of its spans.
fn without_spans(trace: &Trace, keeps: impl Fn(usize, &Span) -> bool) -> Trace {
    let mut less = Trace { spans: vec![], collectives: vec![], bandwidths: vec![], ..trace.clone() };
    for (i, span) in trace.spans.iter().enumerate().filter(|(i, s)| keeps(*i, s)) {
        if let Some(collective) = trace.collective(i as u32) {
            less.collectives.push((less.spans.len() as u32, collective.clone()));
        }
        less.spans.push(*span);
    }
    less
}

fn traces_with_something_wrong() -> impl Strategy<Value = Trace> {
    let cause = proptest::sample::select(&Cause::ALL[..]);
    let simulated = (proptest::collection::vec(cause, 0..3), 4_u64..8, 1_u64..4, 1_u64..500).prop_map(
        |(causes, layers, steps, seed)| {
            Setup { causes, layers, steps, ranks: 2, seed, graphs: false }.run().swap_remove(0)
        },
    );
    let own = (0_u32..5, 0_u32..3).prop_map(|(input, pause)| {
        steps(
            if input > 2 { "train" } else { "" },
            if pause > 0 { "forward" } else { "" },
            |tape| match input {
                0 => {}
                1 => tape.now += 20_000.0,
                2 => tape.range("load", |tape| tape.now += 20_000.0),
                3 => tape.synchronize(),
                _ => tape.range("enumerate(DataLoader)#__next__", |tape| tape.now += 20_000.0),
            },
            |tape, step| {
                if pause > step {
                    tape.synchronize();
                    tape.now += 9_000.0;
                }
            },
        )
    });
    prop_oneof![simulated, own]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn less_in_the_file_makes_no_diagnosis_more_certain(
        trace in traces_with_something_wrong(),
        way in 0_u32..4,
        seed: u64,
        part in 1_u64..10,
    ) {
        let mut random = crate::mix::Stream::new(seed);
        let dice: Vec<u64> = trace.spans.iter().map(|_| random.below(10)).collect();
        let names: Vec<u64> = (0..trace.names.len()).map(|_| random.below(10)).collect();
        let less = match way {
            // Some events, all events of some names, or the end of the file are missing.
            0 => without_spans(&trace, |i, _| dice[i] >= part),
            1 => without_spans(&trace, |_, s| names[s.name as usize] >= part),
            2 => without_spans(&trace, |i, _| (i as u64) * 10 < trace.spans.len() as u64 * part),
            // Categories are others.
            _ => {
                let mut less = trace.clone();
                for span in &mut less.spans {
                    if names[span.category as usize] < part {
                        span.sort = Sort::Other;
                    }
                }
                less
            }
        };
        let ((host, before), (_, after)) = (explained(&trace), explained(&less));
        let unexplained = without(&host, &before);
        let gained = both(&unexplained, &after);
        prop_assert!(gained.is_empty(), "{:?}, of {:?} and {:?}", gained, said(&trace), said(&less));
    }

    #[test]
    fn a_healthy_step_has_no_cause(layers in 4_u64..25, steps in 1_u64..5, ranks in 1_u64..5, seed in 1_u64..9999) {
        let traces = Setup { causes: vec![], layers, steps, ranks, seed, graphs: false }.run();
        // The gradients of the last bucket have no backward pass left to hide behind: three percent of a small model's step, and rightly said.
        let is_last_bucket = |f: &Finding| layers < 12 && f.cause == Some(Cause::ExposedCommunication) && f.share < 0.08;
        for rank in 0..traces.len() {
            let found = diagnose(&traces, rank);
            let wrong: Vec<&Finding> = found.iter().filter(|f| f.cause.is_some() && !is_last_bucket(f)).collect();
            prop_assert!(wrong.is_empty(), "{:?}", wrong);
        }
    }

    /// All idle time is in a finding, or too little of it to be one.
    #[test]
    fn no_idle_time_is_passed_over(trace in traces_with_something_wrong()) {
        let rows = Rows::of(&trace, Rules::Ours);
        let idle = idle::of_gpu(&rows).into_iter().map(|g| g.1);
        let parts = Case::new(&trace, rows.clone()).idle();
        let named = union(parts.into_iter().flat_map(idle_time));
        prop_assert_eq!(without(&union(idle), &named), vec![]);
    }
}

// Hostile files.

/// A field's value: sound, or not.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("1".to_owned()),
        (-9_i64..9_000_000).prop_map(|n| n.to_string()),
        any::<f64>().prop_map(|n| format!("{n:e}")),
        Just("\"7\"".to_owned()),
        Just("99999999999999999999".to_owned()),
        Just("null".to_owned()),
        Just("{\"a\":[1,{}]}".to_owned()),
        Just("\"\\u00\\\"\\n…\"".to_owned()),
        "[ -~]{0,6}".prop_map(|text| text),
    ]
}

fn event() -> impl Strategy<Value = String> {
    let categories =
        ["cpu_op", "kernel", "cuda_runtime", "user_annotation", "gpu_memcpy", "python_function", "what", "xpu_sync"];
    let names = [
        "ProfilerStep#1",
        "gemm",
        "enumerate(DataLoader)#x",
        "cudaDeviceSynchronize",
        "cudaFree",
        "Optimizer.step#A",
        "ncclX",
        "Memcpy HtoD (Pageable -> Device)",
        "Python GC",
        "process_name",
        "thread_name",
    ];
    let phase = proptest::sample::select(vec!["X", "X", "X", "X", "B", "E", "M", "i", "s"]);
    (
        phase,
        proptest::sample::select(categories.to_vec()),
        proptest::sample::select(names.to_vec()),
        (0_u32..3, 0_u32..3, -5_i64..5000, -2_i64..3000, 0_u32..6),
        proptest::option::weighted(0.2, (0_usize..7, value())),
    )
        .prop_map(|(phase, category, name, (process, thread, start, length, correlation), odd)| {
            let mut fields = [
                format!("\"ph\":\"{phase}\""),
                format!("\"cat\":\"{category}\""),
                format!("\"name\":\"{name}\""),
                format!("\"pid\":{process}"),
                format!("\"tid\":{thread}"),
                format!("\"ts\":{start}"),
                format!("\"dur\":{length}"),
                format!("\"args\":{{\"correlation\":{correlation},\"stream\":{thread},\"name\":\"Ascend Hardware\"}}"),
            ];
            if let Some((at, value)) = odd {
                let key = ["ph", "cat", "name", "pid", "tid", "ts", "dur"][at];
                fields[at] = format!("\"{key}\":{value}");
            }
            format!("{{{}}}", fields.join(","))
        })
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(events in proptest::collection::vec(event(), 0..60), cut in any::<proptest::sample::Index>(), whole: bool) {
        let text = format!("{{\"traceEvents\":[{}]}}", events.join(","));
        let end = if whole { text.len() } else { cut.index(text.len()) };
        let mut reader = Reader::default();
        for piece in text.as_bytes()[..end].chunks(97) {
            reader.push(piece);
        }
        let trace = reader.finish();
        let traces = [trace.clone(), trace];
        let own = Own::of(&traces);
        for finding in &own.findings {
            let _ = (title(&traces[0], finding), evidence(&traces[0], finding), remedy(&traces[0], finding));
        }
        let looks: Vec<Vec<look::Look>> = traces.iter().map(look::Look::of_all).collect();
        let _ = select::select(&traces, &looks, own.lanes.iter(), (-10_000, 3_000_000));
        for lane in layout::lanes(&traces) {
            let _ = lane.blocks(&traces[0], -1_000_000, 9_000_000, 1000);
        }
    }
}

/// Time that grows with the square of what a file has would show here.
#[test]
fn many_silences_and_deep_ranges_take_no_long_time() {
    let mut trace = Trace::default();
    let kernel = trace.names.number("a kernel");
    let range = trace.names.number("a range");
    trace.tracks = vec![Default::default(); 2];
    let span = |name, track, sort, correlation, start, length| Span {
        name,
        category: Trace::NONE,
        track,
        position: 1,
        sort,
        stream: i64::from(track) - 1,
        correlation,
        start,
        length,
    };
    for i in 0..40_000_i64 {
        let at = i * 10_000_000;
        trace.spans.push(span(kernel, 0, Sort::Call, i, at, 1000));
        trace.spans.push(span(kernel, 1, Sort::Kernel, i, at + 2000, 1000));
        trace.spans.push(span(range, 0, Sort::Range, -1, i, 400_000_000_000 - 2 * i));
    }
    let found = diagnose(&[trace], 0);
    assert!(found.len() == 1 && found[0].share > 0.99, "{:?}", found.len());
}

/// Real traces, of which their publishers say what they show; skipped without their folder, as in `core/tests/traces.rs`.
#[test]
fn real_traces_get_their_diagnosis() {
    use std::io::Read as _;
    let Some(folder) = std::env::var_os("RINGSIDE_TRACES").map(std::path::PathBuf::from) else { return };
    let open = |name: &str| {
        let packed = std::fs::File::open(folder.join(name)).expect("it is there");
        let (mut unpacked, mut bytes) = (flate2::read::GzDecoder::new(packed), Vec::new());
        unpacked.read_to_end(&mut bytes).expect("it can be unpacked");
        let mut reader = Reader::default();
        reader.push(&bytes);
        reader.finish()
    };
    for (name, platform, expected) in [
        // num_workers=0, in the words of 2021: the GPU waits for its input.
        ("kineto-resnet50-workers0.json.gz", Platform::Cuda, "Slow data loader"),
        // 61 kernels in 3.9 ms: bound by launches.
        ("tracelens-h100-bert-small.json.gz", Platform::Cuda, "Small kernels"),
        // Graphs that are replayed, idle for 97.9% between them.
        ("tracelens-mi300-sglang-decode.json.gz", Platform::Rocm, "Not explained (host, in `step[DECODE bs=32]`)"),
        // Cut down by its publisher: most kernels have no launch in the file.
        ("hta-compare-base.json.gz", Platform::Cuda, "Not explained (launches are missing)"),
    ] {
        let trace = open(name);
        assert_eq!(trace.platform, platform, "{name}");
        assert_eq!(title(&trace, &first(&trace)), expected, "{name}: {:?}", said(&trace));
    }
}
