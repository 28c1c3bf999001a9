//! Small files, read.

use super::breakdown::{overlap, temporal};
use super::rows::{Rows, Rules};
use super::*;

/// Reads a file that is given in pieces of `size` bytes.
fn read(text: &str, size: usize) -> Trace {
    let mut reader = Reader::default();
    for piece in text.as_bytes().chunks(size) {
        reader.push(piece);
    }
    reader.finish()
}

const SMALL: &str = r#"{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"A GPU","x":1}],
"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},"traceEvents":[
{"ph":"M","name":"process_name","pid":9,"tid":0,"ts":0,"args":{"name":"python"}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":1,"ts":1000,"dur":5,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":1010.5,"dur":10.25,"args":{"stream":7,"correlation":7}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)","pid":0,"tid":20,"ts":1015,"dur":20,
 "args":{"stream":20,"correlation":8,"Collective name":"allreduce","In msg nelems":1024,"dtype":"BFloat16","Group size":8}},
{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":9,"tid":1,"ts":1001,
 "args":{"Device Type":1,"Device Id":0,"Bytes":1024,"Total Allocated":1024,"Total Reserved":2048}}]}"#;

#[test]
fn what_a_diagnosis_needs_is_kept() {
    for size in [1, 7, 64, 100_000] {
        let trace = read(SMALL, size);
        assert_eq!(trace.problems, []);
        assert_eq!((trace.rank, trace.world, trace.device.as_str()), (Some(3), Some(8), "A GPU"));
        assert_eq!(trace.spans.len(), 3);
        assert_eq!(trace.tracks[0].process_name, "python");
        let kernel = trace.spans[1];
        assert_eq!((kernel.start, kernel.length, kernel.sort), (1_010_500, 10_250, Sort::Kernel));
        let collective = trace.collective(2).expect("it says so");
        assert_eq!((collective.name.as_str(), collective.bytes, collective.group), ("allreduce", 2048, 8));
        assert_eq!(trace.memory, [Memory { at: 1_001_000, allocated: 1024, reserved: 2048 }]);
        let rows = Rows::of(&trace, Rules::Ours);
        let divided = temporal(&rows).expect("there is a GPU");
        assert_eq!((divided.window, divided.idle, divided.compute, divided.rest), (24_500, 0, 10_250, 14_250));
        assert!((overlap(&rows).expect("it communicates") - 5.75 / 20.0).abs() < 1e-12);
    }
}

fn said(text: &str) -> String {
    let messages: Vec<String> = read(text, 5).problems.into_iter().map(|p| p.message).collect();
    messages.join(" ")
}

#[test]
fn bad_files_are_told_and_read_as_far_as_they_go() {
    assert_eq!(said(""), "The file is empty.");
    assert!(said("hello").starts_with("This is no trace"));
    assert!(said("{\"a\":1}").contains("no “traceEvents”"));
    assert_eq!(said("{\"traceEvents\":[]}"), "There is no event with a duration in it.");
    let cut = &SMALL[..SMALL.len() - 300];
    assert!(said(cut).starts_with("The file stops in the middle, after 2 events."), "{}", said(cut));
    assert_eq!(read(cut, 100).spans.len(), 2);
    let cpu = r#"{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":1,"dur":2}]}"#;
    assert!(said(cpu).starts_with("Nothing runs on a GPU in it."));
    let back = SMALL.replace("\"dur\":20,", "\"dur\":-20,");
    assert_eq!(said(&back), "1 event ends before it begins, and is left out.");
    let timeless = SMALL.replace("\"ts\":1015", "\"ts\":null");
    assert!(said(&timeless).contains("no readable time"));
    let early = SMALL.replace("\"ts\":1000,", "\"ts\":1400,");
    assert!(said(&early).contains("begin before the call that launched them, by up to 390 µs"), "{}", said(&early));
}

#[test]
fn streams_of_jax_are_found_by_their_names() {
    let text = r#"[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/device:GPU:0 NVIDIA H100"}},
    {"ph":"M","pid":1,"tid":5,"name":"thread_name","args":{"name":"Stream #13(Compute)"}},
    {"ph":"M","pid":1,"tid":6,"name":"thread_name","args":{"name":"XLA Modules"}},
    {"ph":"M","pid":2,"name":"process_name","args":{"name":"/host:CPU"}},
    {"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
    {"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
    {"ph":"X","pid":1,"tid":5,"ts":3,"dur":2,"name":"fusion_1","args":{"correlation_id":"4"}},
    {"ph":"X","pid":1,"tid":6,"ts":3,"dur":9,"name":"jit_step"},
    {"ph":"X","pid":2,"tid":9,"ts":1,"dur":1,"name":"cuLaunchKernelEx","args":{"correlation_id":"4"}},
    {"ph":"X","pid":2,"tid":9,"ts":0,"dur":3,"name":"cumsum"},
    {"ph":"X","pid":3,"tid":3,"ts":6,"dur":1,"name":"all-reduce.17"},"#;
    let trace = read(text, 11);
    assert_eq!(trace.problems, []);
    assert_eq!((trace.spans[0].sort, trace.spans[0].stream, trace.spans[0].correlation), (Sort::Kernel, 13, 4));
    let sorts: Vec<Sort> = trace.spans.iter().map(|s| s.sort).collect();
    assert_eq!(sorts, [Sort::Kernel, Sort::Other, Sort::Call, Sort::Other, Sort::Kernel]);
    assert_eq!(layout::partners(&trace, 0), [2]);
    assert_eq!(kind::Kind::of(&trace, 4, &trace.spans[4]), kind::Kind::Communication);
}

/// Names of HTA's tests (`tests/data/mtia_trace_single_rank`, `mtia_inference_trace`); the last category is ours.
#[test]
fn a_device_that_is_not_known_is_not_said_to_idle() {
    let event = |category: &str, name: &str, at: u64| {
        format!("{{\"ph\":\"X\",\"cat\":\"{category}\",\"name\":\"{name}\",\"pid\":9,\"tid\":4,\"ts\":{at},\"dur\":2}}")
    };
    let mtia = ["event_wait", "event_record", "dma_request", "add-dtype_Float"];
    let mtia: Vec<String> = mtia.iter().zip(1..).map(|(name, at)| event("mtia_ccp_events", name, 10 * at)).collect();
    let call = event("mtia_runtime", "runFunction - submit", 1);
    let text = format!("{{\"traceEvents\":[{call},{}]}}", mtia.join(","));
    let trace = read(&text, 9);
    let sorts: Vec<Sort> = trace.spans.iter().map(|span| span.sort).collect();
    assert_eq!(sorts, [Sort::Call, Sort::Wait, Sort::Other, Sort::Copy, Sort::Kernel]);
    assert!(said(&text).starts_with("This is a trace of MTIA."), "{}", said(&text));
    let unknown = format!("{{\"traceEvents\":[{call},{}]}}", event("mtia_engine_events", "add", 5));
    let why = said(&unknown);
    assert_eq!(
        why,
        "No work of a device is known in it: 1 event is of the category “mtia_engine_events”, which isn’t known here."
    );
}

#[test]
fn what_chrome_writes_is_read() {
    let rows = ["one".to_owned(), "two".to_owned()];
    let event =
        Event { row: 1, name: "work".into(), category: "kernel", start: 1.0, end: 3.5, args: vec![("stream", 7)] };
    let trace = read(&chrome("a model", &rows, [event]), 9);
    assert_eq!((trace.spans[0].start, trace.spans[0].length, trace.spans[0].stream), (1_000_000, 2_500_000, 7));
    assert_eq!(trace.tracks[0].thread_name, "two");
}

#[test]
fn no_bytes_make_it_panic() {
    for cut in 0..SMALL.len() {
        let mut broken = SMALL.as_bytes().to_vec();
        broken[cut] = b"\"{}[]\\,:9"[cut % 9];
        let mut reader = Reader::default();
        reader.push(&broken);
        let trace = reader.finish();
        for rules in [Rules::Ours, Rules::Hta { rounded: true, last_step: true }] {
            let rows = Rows::of(&trace, rules);
            let _ = (temporal(&rows), idle::by_stream(&rows), launches::queues(&rows), bandwidth::summaries(&rows));
        }
    }
}

#[test]
fn a_file_that_is_too_long_or_damaged_is_shown_as_far_as_it_was_read() {
    let mut reader = Reader::default();
    assert!(reader.push(&SMALL.as_bytes()[..SMALL.len() - 300]));
    reader.damaged();
    let trace = reader.finish();
    assert_eq!(trace.spans.len(), 2);
    assert!(trace.problems[0].message.starts_with("After 2 events the file could not be read"), "{:?}", trace.problems);
    assert!(!trace.problems[0].fatal);

    let mut reader = Reader::within(MOST_EVENTS, 2_000_000);
    reader.push(&SMALL.as_bytes()[..SMALL.len() - 300]);
    let blank = vec![b' '; 10_000];
    let pieces = (0..300).take_while(|_| reader.push(&blank)).count();
    assert_eq!((pieces, reader.bytes()), (199, 2_000_000));
    let trace = reader.finish();
    assert_eq!(trace.spans.len(), 2);
    assert!(trace.problems[0].message.starts_with("The file has more than 2 MB unpacked."), "{:?}", trace.problems);

    let mut reader = Reader::with_room(1);
    reader.push(SMALL.as_bytes());
    let trace = reader.finish();
    assert_eq!(trace.spans.len(), 1);
    assert!(trace.problems.iter().any(|p| p.message.starts_with("2 more events are left out")), "{:?}", trace.problems);
}

/// A second of two threads, one behind the other in the file, and of a stream.
#[test]
fn of_more_events_than_are_kept_the_first_seconds_are_whole() {
    use std::fmt::Write as _;
    let mut text = "{\"traceEvents\":[".to_owned();
    let each = 1000;
    for (category, thread) in [("python_function", 1), ("cuda_runtime", 2), ("kernel", 7)] {
        for i in 0..each {
            let (at, name) = (10 + i * 1000, format!("{category} {i}"));
            let _ = write!(
                text,
                "{{\"ph\":\"X\",\"cat\":\"{category}\",\"name\":\"{name}\",\"pid\":1,\"tid\":{thread},\"ts\":{at},\"dur\":500,\"args\":{{\"stream\":7,\"correlation\":{i},\"memory bandwidth (GB/s)\":{i}}}}},"
            );
        }
    }
    text +=
        "{\"ph\":\"B\",\"name\":\"open\",\"pid\":1,\"tid\":1,\"ts\":0},{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5}]}";
    let of = |room: usize| {
        let mut reader = Reader::with_room(room);
        text.as_bytes().chunks(777).all(|piece| reader.push(piece));
        reader.finish()
    };
    let whole = of(4000);
    assert_eq!((whole.spans.len(), whole.problems.as_slice()), (3 * each + 1, &[][..]));
    for room in [100, 999, 1500, 2999] {
        let trace = of(room);
        assert!((room / 4..=room).contains(&trace.spans.len()), "{room}: {}", trace.spans.len());
        let last = trace.spans.iter().map(|span| span.start).max().expect("spans");
        // Exactly those of the whole that begin until then, with what is said of them.
        let kept: Vec<(usize, &Span)> = whole.spans.iter().enumerate().filter(|(_, span)| span.start <= last).collect();
        assert_eq!(kept.len(), trace.spans.len(), "{room}");
        for (i, (at, span)) in kept.iter().enumerate() {
            let same = &trace.spans[i];
            assert_eq!((whole.name(span), span.start, span.sort), (trace.name(same), same.start, same.sort));
            assert_eq!(whole.bandwidth(*at as u32), trace.bandwidth(i as u32));
        }
        assert!(trace.names.len() <= trace.spans.len() + 4, "{}", trace.names.len());
        let said = &trace.problems[0].message;
        assert!(said.contains("two million events") && said.contains("are read, with all"), "{said}");
    }
}
