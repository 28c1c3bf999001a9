//! The allocator by hand, and snapshots.

use proptest::prelude::*;

use super::device::{LARGE_SEGMENT, SMALL_SEGMENT};
use super::*;

const KI: u64 = 1 << 10;
const MI: u64 = 1 << 20;
const GI: u64 = 1 << 30;

#[test]
fn sizes_are_rounded_as_the_source_says() {
    // Request, block, segment.
    for (bytes, block, segment) in [
        (0, 512, 2 * MI),
        (1, 512, 2 * MI),
        (513, 1024, 2 * MI),
        (MI, MI, 2 * MI),
        (MI + 1, MI + 512, 20 * MI),
        (10 * MI - 512, 10 * MI - 512, 20 * MI),
        (10 * MI, 10 * MI, 10 * MI),
        (11 * MI + 1, 11 * MI + 512, 12 * MI),
    ] {
        assert_eq!((rounded(bytes), segment_size(rounded(bytes))), (block, segment), "{bytes}");
    }
}

#[test]
fn small_requests_share_a_segment_and_large_ones_split_theirs() {
    let mut a = Allocator::new(GI, false);
    a.alloc(0, 600 * KI);
    a.alloc(1, 600 * KI);
    assert_eq!((a.segments.len(), a.reserved(), a.allocated()), (1, 2 * MI, 1200 * KI));
    // The third does not fit into what is left of 2 MiB.
    assert!(matches!(a.alloc(2, 900 * KI).served, Served::Taken { bytes: SMALL_SEGMENT, .. }));
    // 3 MiB of 20; what is left serves 9 MiB, and then 8 MiB.
    assert!(matches!(a.alloc(3, 3 * MI).served, Served::Taken { bytes: LARGE_SEGMENT, .. }));
    assert!(matches!(a.alloc(4, 9 * MI).served, Served::Reused { block, .. } if block == 17 * MI));
    // Half a MiB that is left over is not split off: the whole block is allocated.
    let before = a.allocated();
    a.alloc(5, 15 * MI / 2);
    assert_eq!(a.allocated() - before, 8 * MI);
    assert_eq!(
        a.inactive_split(),
        a.segments.iter().filter(|s| s.small).map(|s| s.reserved() - s.allocated()).sum::<u64>()
    );
}

#[test]
fn the_smallest_block_that_is_long_enough_is_taken_and_neighbours_join() {
    let mut a = Allocator::new(GI, false);
    for (request, size) in [(0, 40 * MI), (1, 24 * MI), (2, 64 * MI)] {
        a.alloc(request, size);
    }
    for request in 0..3 {
        a.free(request);
    }
    assert!(matches!(a.alloc(3, 22 * MI).served, Served::Reused { segment: 2, block } if block == 24 * MI));
    assert!(matches!(a.alloc(4, 30 * MI).served, Served::Reused { segment: 1, .. }));
    a.alloc(5, 8 * MI);
    a.free(4);
    a.free(5);
    let first = &a.segments[0];
    assert_eq!(first.blocks, [Block { size: 40 * MI, used: Use::Free }]);
}

#[test]
fn a_retry_gives_back_what_is_wholly_free_and_nothing_else() {
    let mut a = Allocator::new(100 * MI, false);
    a.alloc(0, 40 * MI);
    a.alloc(1, 40 * MI);
    a.free(0);
    let answer = a.alloc(2, 50 * MI);
    assert_eq!((answer.released, a.retries, a.failures), (Some(40 * MI), 1, 0));
    assert_eq!(a.reserved(), 90 * MI);
    let answer = a.alloc(3, 30 * MI);
    assert_eq!((answer.served, answer.released, a.retries, a.failures), (Served::OutOfMemory, Some(0), 2, 1));
}

fn run(scenario: Scenario, expandable: bool, request: f64) -> Run {
    Params { scenario, expandable, request, memory: 8.0, step: LAST }.run()
}

#[test]
fn holes_are_out_of_memory_unless_segments_expand() {
    let fixed = run(Scenario::Holes, false, 3584.0);
    assert_eq!((fixed.now.failures, fixed.now.retries), (1, 1));
    assert_eq!((fixed.now.reserved(), fixed.now.allocated()), (6 * GI, 6 * 320 * MI));
    assert_eq!(fixed.now.inactive_split(), 6 * 704 * MI);
    assert!(fixed.finding().contains("Fragmentation"), "{}", fixed.finding());
    let grown = run(Scenario::Holes, true, 3584.0);
    assert_eq!((grown.now.failures, grown.now.retries), (0, 1));
    assert_eq!(grown.now.allocated(), (6 * 320 + 3584) * MI);
    // What cannot be given back are parts of pages of 20 MiB.
    assert!(grown.now.reserved() - grown.now.allocated() < 7 * 2 * LARGE_SEGMENT);
}

#[test]
fn a_true_shortage_is_one_with_either() {
    for expandable in [false, true] {
        let run = run(Scenario::Shortage, expandable, 2560.0);
        assert_eq!(run.now.failures, 1);
        assert!(run.finding().contains("A true shortage"), "{}", run.finding());
    }
}

#[test]
fn longer_batches_retry_unless_segments_expand() {
    let fixed = run(Scenario::Longer, false, 64.0);
    let grown = run(Scenario::Longer, true, 64.0);
    assert!(fixed.now.retries > 0 && grown.now.retries == 0);
    assert!(fixed.now.reserved() > grown.now.reserved());
    assert_eq!(fixed.now.allocated(), grown.now.allocated());
}

#[test]
fn a_program_ends_where_there_is_no_memory() {
    let run = Params { scenario: Scenario::Longer, expandable: false, request: 64.0, memory: 1.0, step: LAST }.run();
    assert_eq!((run.now.failures, run.step), (1, run.program.len()));
    assert!(matches!(run.program.last(), Some(Op::Alloc { .. })));
}

proptest! {
    #[test]
    fn nothing_is_lost_whatever_is_asked(
        expandable: bool,
        ops in proptest::collection::vec((any::<bool>(), 0_u32..40, 0_u64..(300 * MI)), 1..120),
    ) {
        let mut a = Allocator::new(2 * GI, expandable);
        let mut held: Vec<(u32, u64)> = Vec::new();
        for (i, (asks, which, bytes)) in ops.into_iter().enumerate() {
            if asks {
                let answer = a.alloc(i as u32, bytes);
                if answer.served != Served::OutOfMemory {
                    held.push((i as u32, answer.rounded));
                }
            } else if !held.is_empty() {
                let (request, _) = held.remove(which as usize % held.len());
                a.free(request);
            }
            let least: u64 = held.iter().map(|h| h.1).sum();
            // What is not split off is at most a MiB each.
            prop_assert!(a.allocated() >= least && a.allocated() <= least + held.len() as u64 * MI);
            prop_assert!(a.reserved() <= a.memory);
            prop_assert!(a.allocated() <= a.reserved());
            for segment in &a.segments {
                let free = segment.blocks.windows(2).filter(|w| w[0].used == w[1].used);
                prop_assert_eq!(free.count(), 0);
                if !segment.expandable {
                    prop_assert!(segment.blocks.iter().all(|b| b.used != Use::Unmapped));
                }
                prop_assert_eq!(segment.blocks.iter().map(|b| b.size).sum::<u64>() % SMALL_SEGMENT, 0);
            }
        }
    }
}

const JSON: &str = r#"{"segments":[
    {"device":0,"address":7,"total_size":20971520,"segment_type":"large","is_expandable":false,"frames":[],"blocks":[
        {"size":9437184,"requested_size":9437000,"state":"active_allocated","frames":[{"name":"f","filename":"t.py","line":3}]},
        {"size":11534336,"state":"inactive"}]},
    {"device":0,"total_size":2097152,"segment_type":"small","is_expandable":true,"blocks":[
        {"size":512,"state":"active_pending_free"},{"size":2096640,"state":"inactive"}]}],
    "device_traces":[[]]}"#;

/// The same by Python 3's pickle, protocol 4, with what a snapshot also has: tuples, floats, None, negative numbers.
const PICKLE: &str = "\
    800495ff010000000000007d94288c087365676d656e7473945d94287d94288c06646576696365944b008c0761646472657373948a0600c0444a547f8c0a746f\
    74616c5f73697a65944a000040018c0e616c6c6f63617465645f73697a65944a000090008c0c7365676d656e745f74797065948c056c61726765948c0f736567\
    6d656e745f706f6f6c5f6964944b004b0086948c0d69735f657870616e6461626c6594898c06626c6f636b73945d94287d942868058a0600c0444a547f8c0473\
    697a65944a000090008c0e7265717565737465645f73697a65944a48ff8f008c057374617465948c106163746976655f616c6c6f6361746564948c066672616d\
    6573945d947d94288c046e616d65948c0166948c0866696c656e616d65948c04742e7079948c046c696e65944b037561757d942868058a0600c0d44a547f6810\
    4a0000b00068114b0068128c08696e6163746976659468145d947565757d942868044b0068064a0000200068088c05736d616c6c94680c88680d5d94287d9428\
    68104d000268128c136163746976655f70656e64696e675f6672656594757d942868104a00fe1f006812681d756575658c0d6465766963655f74726163657394\
    5d945d94618c12616c6c6f6361746f725f73657474696e6773947d94288c017894473fe00000000000008c0179944e8c017a944af9ffffff8c017794284b014b\
    024b034b04749475752e";

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|text| u8::from_str_radix(text, 16).ok());
    hex.as_bytes().chunks(2).map(|pair| digit(pair).expect("two hexadecimal digits")).collect()
}

#[test]
fn a_snapshot_is_read_from_json_and_from_its_pickle() {
    let from_json = Snapshot::read(JSON.as_bytes()).expect("it is one");
    assert_eq!(Snapshot::read(&bytes(PICKLE)), Ok(from_json.clone()));
    let alone = &JSON[JSON.find('[').expect("a list")..JSON.find(",\n    \"device_traces").expect("what follows it")];
    assert_eq!(Snapshot::read(alone.as_bytes()), Ok(from_json.clone()));
    assert_eq!(from_json.problems, [""; 0]);
    assert_eq!(from_json.bytes.allocated, 9_437_184);
    assert_eq!((from_json.bytes.longest_free, from_json.given_back), (11_534_336, 0));
    assert!(from_json.segments[1].small && from_json.segments[1].expandable);
    assert!(from_json.finding().starts_with("9 MiB of 22 MiB reserved"), "{}", from_json.finding());
}

#[test]
fn what_is_no_snapshot_is_told() {
    let said = |bytes: &[u8]| Snapshot::read(bytes).expect_err("it is none");
    assert_eq!(said(b" "), "The file is empty.");
    assert!(said(b"hello").starts_with("It is neither JSON nor a pickle."));
    assert!(said(b"{\"a\":1}").contains("missing field `segments`"));
    assert!(said(&JSON.as_bytes()[..300]).starts_with("The JSON stops in the middle"));
    assert!(said(b"[]").contains("no segments"));
    // os.system, as the textbook has it.
    let evil = b"\x80\x04cposix\nsystem\n(S'echo'\ntR.";
    assert!(said(evil).contains("call code for"));
    assert!(said(&bytes(PICKLE)[..200]).contains("in the middle"));
    let strange = JSON.replace("\"inactive\"", "\"asleep\"").replace("20971520", "20971521");
    let read = Snapshot::read(strange.as_bytes()).expect("it can be drawn");
    assert_eq!(read.problems.len(), 2);
}

#[test]
fn no_bytes_make_a_pickle_panic() {
    let whole = bytes(PICKLE);
    for at in 0..whole.len() {
        for byte in [b'.', b'(', b'u', b'e', b'0', 0x86, 0x8a, 0x94, b'h', 0xff] {
            let mut broken = whole.clone();
            broken[at] = byte;
            let _ = Snapshot::read(&broken);
        }
    }
}

/// Case 16: PyTorch's newer protocols, and what `_dump_snapshot` has beside the segments.
#[test]
fn every_protocol_of_a_snapshot_is_read() {
    let files: [&[u8]; 3] = [
        include_bytes!("../../tests/fixtures/snapshots/snapshot.p2.pickle"),
        include_bytes!("../../tests/fixtures/snapshots/snapshot.p4.pickle"),
        include_bytes!("../../tests/fixtures/snapshots/snapshot.p5.pickle"),
    ];
    for file in files {
        let snapshot = Snapshot::read(file).expect("it is one");
        let of = snapshot.bytes;
        assert_eq!(
            (of.reserved(), of.allocated, of.pending, of.longest_free),
            (86 * MI, 54 * MI - 3 * 512, 4 * MI, 24 * MI)
        );
        assert!(snapshot.finding().starts_with("54 MiB of 86 MiB reserved are allocated (62.8%)"));
        assert_eq!(snapshot.problems, [""; 0]);
    }
}

/// The history of two GPUs; `make_history.py` prints what was held at most and at the end.
#[test]
fn a_history_says_what_was_held_over_time() {
    let files: [&[u8]; 2] = [
        include_bytes!("../../tests/fixtures/snapshots/history.p2.pickle"),
        include_bytes!("../../tests/fixtures/snapshots/history.p4.pickle"),
    ];
    let whole = Snapshot::read(files[0]).expect("it is one");
    assert_eq!(whole.problems, [""; 0]);
    let said = |device: usize| {
        let history = &whole.histories[device];
        let peak = history.peak().expect("moments");
        let last = history.moments.last().expect("moments");
        (history.entries, peak.allocated, last.allocated, history.moments[0].before)
    };
    assert_eq!((whole.histories.len(), whole.histories[0].device, whole.histories[1].device), (2, 0, 1));
    assert_eq!(said(0), (59, 202_308, 131_772, 927));
    // Of more entries than moments two share one, the last of whose times counts.
    assert_eq!((said(1).0, said(1).1, said(1).2), (1311, 1_557_396, 1_316_264));
    assert!(whole.histories.iter().all(|history| history.is_timed && history.reserved() == 64 * MI));
    assert!(whole.sites.iter().all(|site| site.name.starts_with("run/train.py:")), "{:?}", whole.sites);
    for file in files {
        // In pieces of any size the same.
        for size in [1, 7, 997, 65_536] {
            let mut reader = super::Reader::default();
            assert!(file.chunks(size).take(file.len().div_ceil(size) - 1).all(|piece| reader.push(piece)));
            reader.push(file.chunks(size).last().expect("bytes"));
            assert_eq!(reader.finish().as_ref(), Ok(&whole), "pieces of {size}");
        }
        // Of one that stops in the middle nothing is said.
        let cut = Snapshot::read(&file[..file.len() / 2]).expect_err("half of it");
        assert!(cut.contains("in the middle"), "{cut}");
    }
    let json = JSON.replace(
        "\"device_traces\":[[]]",
        r#""device_traces":[[{"action":"alloc","size":500,"time_us":5},{"action":"segment_alloc","size":2097152,"time_us":4},
        {"action":"free_requested","size":300,"time_us":9},{"action":"oom","size":1}]]"#,
    );
    let snapshot = Snapshot::read(json.as_bytes()).expect("it is one");
    let moments: Vec<(u64, u64)> = snapshot.histories[0].moments.iter().map(|m| (m.allocated, m.reserved)).collect();
    let (asked, all) = (9_437_000, 22 * MI);
    assert_eq!(moments, [(asked + 300, all - 2 * MI), (asked + 300, all), (asked, all), (asked, all)]);
    assert!(!snapshot.histories[0].is_timed);
    // More given back than can have been.
    let wrong = json.replace("\"free_requested\",\"size\":300", "\"alloc\",\"size\":99999999");
    let snapshot = Snapshot::read(wrong.as_bytes()).expect("it is one");
    assert!(
        snapshot.histories.is_empty() && snapshot.problems[0].contains("doesn’t lead to"),
        "{:?}",
        snapshot.problems
    );
}

/// A pickle in which `segments` references to one segment each have `blocks` references to one block.
fn bomb(blocks: usize, segments: usize) -> Vec<u8> {
    let text = |text: &str| [&[0x8c, text.len() as u8], text.as_bytes()].concat();
    let again = |place: u8, count: usize| [b'h', place].repeat(count);
    [
        b"\x80\x04}(".to_vec(),
        [text("size"), b"K\x08".to_vec(), text("state"), text("inactive"), b"uq\x00](".to_vec()].concat(),
        again(0, blocks),
        b"eq\x01}(".to_vec(),
        [text("blocks"), b"h\x01".to_vec(), text("device"), b"K\x00uq\x02](".to_vec()].concat(),
        again(2, segments),
        b"e.".to_vec(),
    ]
    .concat()
}

#[test]
fn what_a_pickle_refers_to_many_times_is_counted() {
    let small = Snapshot::read(&bomb(3, 2)).expect("it is one");
    assert_eq!((small.segments.len(), small.bytes.free), (2, 48));
    // 80 KB that would be 400 million blocks, and 2 million segments without any.
    for (blocks, segments) in [(20_000, 20_000), (3_000, 1_000), (0, 2_000_000)] {
        let why = Snapshot::read(&bomb(blocks, segments)).expect_err("too many");
        assert!(why.contains("blocks, which are too many to be drawn"), "{why}");
    }
    // A dictionary of a million members, of which each of many segments asks.
    let members = b"K\x01K\x01".repeat(200_000);
    let pickle = [b"\x80\x04}(".to_vec(), members, b"uq\x00](".to_vec(), [b'h', 0].repeat(200_000), b"e.".to_vec()];
    assert!(Snapshot::read(&pickle.concat()).is_err());
    // A state as long as the file, for many blocks.
    let long = "x".repeat(1 << 20);
    let text = [&b"X"[..], &(long.len() as u32).to_le_bytes(), long.as_bytes()].concat();
    let mut pickle = b"\x80\x04".to_vec();
    pickle.extend(text);
    pickle.extend(b"q\x00}(\x8c\x04sizeK\x08\x8c\x05stateh\x00uq\x01](");
    pickle.extend([b'h', 1].repeat(100_000));
    pickle.extend(b"eq\x02](}(\x8c\x06blocksh\x02ue.");
    let snapshot = Snapshot::read(&pickle).expect("it is one");
    assert_eq!((snapshot.segments[0].blocks, snapshot.problems.len()), (100_000, 1));
}

#[test]
fn sizes_that_no_memory_has_are_left_out() {
    let segment =
        |size: u64| format!(r#"{{"blocks":[{{"size":{size},"state":"inactive"}},{{"size":8,"state":"inactive"}}]}}"#);
    let text = format!("[{}]", [segment(u64::MAX), segment(1 << 53), segment((1 << 53) - 1)].join(","));
    let snapshot = Snapshot::read(text.as_bytes()).expect("it is one");
    assert_eq!(snapshot.bytes.reserved(), (1 << 53) - 1 + 24);
    assert_eq!(snapshot.problems, ["2 blocks of 8 PiB or more: no memory has as much, so they are left out."]);
    // So many of the longest that their sum is more than a number holds.
    let many = format!("[{}]", vec![segment((1 << 53) - 1); 4000].join(","));
    let snapshot = Snapshot::read(many.as_bytes()).expect("it is one");
    assert_eq!(snapshot.bytes.free, u64::MAX);
    assert!(!snapshot.finding().is_empty());
}

#[test]
fn no_more_is_kept_than_can_be_drawn() {
    let block = r#"{"size":512,"state":"active_allocated"}"#;
    let one = |count: usize| format!(r#"{{"segment_type":"large","blocks":[{}]}}"#, vec![block; count].join(","));
    let many = format!("[{}]", vec![one(1); 100_000].join(","));
    let snapshot = Snapshot::read(many.as_bytes()).expect("it is one");
    assert_eq!((snapshot.segments.len(), snapshot.more), (60, (99_940, 99_940 * 512)));
    assert_eq!(snapshot.bytes.allocated, 100_000 * 512);
    let long = format!("[{}]", one(300_000));
    let snapshot = Snapshot::read(long.as_bytes()).expect("it is one");
    let segment = &snapshot.segments[0];
    assert_eq!((segment.blocks, segment.bytes.allocated), (300_000, 300_000 * 512));
    assert!(segment.pieces.len() <= 1000);
    assert_eq!(segment.pieces.iter().map(|p| p.size).sum::<u64>(), 300_000 * 512);
}

proptest! {
    /// Whatever is written where a file's words are.
    #[test]
    fn no_snapshot_makes_it_panic(
        steps in proptest::collection::vec((0_usize..28, any::<[u8; 4]>()), 0..200),
        cut in any::<proptest::sample::Index>(),
        byte: u8,
    ) {
        let keys = ["segments", "blocks", "size", "state", "inactive", "device", "total_size"];
        let codes = b"](}uesatlq.hr0N(K)JMG\x85\x86\x87\x88\x8a\x94";
        let mut pickle = b"\x80\x04".to_vec();
        for (which, bytes) in steps {
            match codes.get(which) {
                Some(code) => {
                    pickle.push(*code);
                    pickle.extend(&bytes[..usize::from(bytes[0] % 3)]);
                }
                None => {
                    let key = keys[usize::from(bytes[1]) % keys.len()];
                    pickle.extend([0x8c, key.len() as u8]);
                    pickle.extend(key.as_bytes());
                }
            }
        }
        let _ = Snapshot::read(&pickle);
        let mut json = JSON.as_bytes().to_vec();
        let at = cut.index(json.len());
        json[at] = byte;
        let _ = Snapshot::read(&json);
        let mut real = include_bytes!("../../tests/fixtures/snapshots/snapshot.p5.pickle").to_vec();
        let at = cut.index(real.len());
        real[at] = byte;
        if let Ok(snapshot) = Snapshot::read(&real) {
            prop_assert!(!snapshot.finding().is_empty());
        }
    }
}
