use super::*;

fn sign(lines: &[&str]) -> Sign {
    Sign { lines: owned(lines), ..Sign::default() }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

const MEMORY: &str = "out of memory. Tried to allocate {asked}. GPU … and {unallocated} is reserved";

fn signs() -> Vec<Sign> {
    vec![
        Sign { conditions: owned(&["unallocated > asked"]), ..sign(&[MEMORY]) },
        sign(&["out of memory. Tried to allocate {asked}"]),
        Sign {
            kind: SignKind::Consequence, ..sign(&["Watchdog … SeqNum={number}, OpType={operation},", "NCCL WARN"])
        },
        Sign { kind: SignKind::Note, ..sign(&["NCCL INFO"]) },
    ]
}

fn of(log: &str) -> Vec<usize> {
    read_log(&signs(), log).seen.iter().map(|seen| seen.sign).collect()
}

#[test]
fn lines_are_recognized_and_counted() {
    let log = "step 1\n\nrank0: Watchdog caught: WorkNCCL(SeqNum=808, OpType=ALLREDUCE, Numel=1)\nx nccl warn y\nend";
    let reading = read_log(&signs(), log);
    assert_eq!((reading.lines, reading.recognized), (4, 2));
    let [seen] = &reading.seen[..] else { panic!("{reading:?}") };
    assert_eq!((seen.sign, seen.place.line, seen.times), (2, 3, 2));
    let kept = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!(seen.kept, [kept("number", "808"), kept("operation", "ALLREDUCE")]);
}

#[test]
fn ranks_that_time_out_in_different_collectives_are_told_apart() {
    let caught = |rank: u32, group: &str, number: u32, operation: &str| {
        format!(
            "[rank{rank}]:[E x.cpp:607] [{group}Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={number}, \
             OpType={operation}, NumelIn=1, Timeout(ms)=600000) ran for 600013 milliseconds before timing out."
        )
    };
    let said = |lines: &[String]| read_log(&signs(), &lines.join("\n")).waits.said();
    let log = |group: &str| {
        vec![
            caught(17, group, 184_213, "ALLREDUCE"),
            caught(3, group, 184_213, "ALLREDUCE"),
            caught(42, group, 184_212, "ALLGATHER"),
        ]
    };
    assert_eq!(
        said(&log("")).as_deref(),
        Some(
            "Rank 42 waits in collective 184212 (ALLGATHER). Ranks 3 and 17 wait in collective 184213 (ALLREDUCE). If they belong to one \
             process group, rank 42 is behind or makes the calls in another order. Begin there."
        )
    );
    let reading = read_log(&signs(), &log("").join("\n"));
    assert_eq!(reading.seen.iter().map(|seen| seen.times).collect::<Vec<_>>(), [2, 1]);
    assert!(reading.summary().contains("Rank 42 waits") && !reading.summary().contains("None of them names"));
    // All ranks give as many elements to an all-reduce. Those of an all-to-all may differ.
    let sized = |rank: u32, operation: &str, n: u32| {
        caught(rank, "", 13_807, operation).replace("NumelIn=1", &format!("NumelIn={n}"))
    };
    let sizes = |operation: &str| {
        said(&[sized(1, operation, 11_274_112), sized(6, operation, 11_274_112), sized(7, operation, 10_942_336)])
    };
    assert_eq!(
        sizes("ALLREDUCE").as_deref(),
        Some(
            "Rank 7 waits in collective 13807 (ALLREDUCE of 10,942,336 elements). Ranks 1 and 6 wait in collective 13807 (ALLREDUCE of \
             11,274,112 elements). If they belong to one process group, they called the same operation with different sizes: compare the \
             code that they run."
        )
    );
    assert_eq!((sizes("ALLTOALL_BASE"), said(&[sized(1, "ALLREDUCE", 5), sized(7, "ALLREDUCE", 5)])), (None, None));
    // Of the default group it is certain; of two groups nothing can be said; where all wait in the same, nobody is behind.
    let sure = said(&log("PG ID 0 PG GUID 0(default_pg) ")).expect("a sentence");
    assert!(sure.ends_with("Rank 42 is behind or makes the calls in another order. Begin there."), "{sure}");
    let [one, _, other] = [caught(17, "PG GUID 1 ", 9, "A"), String::new(), caught(42, "PG GUID 2 ", 8, "B")];
    assert_eq!(said(&[one, other]), None);
    assert_eq!(said(&log("")[..2]), None);
    assert_eq!(
        said(&[caught(1, "", 7, "A").replace("rank1", "x").replace("Rank 1", "x"), caught(2, "", 8, "A")]),
        None
    );
    // A rank counts with the first collective that did not end; the same number with another operation is another call.
    assert_eq!(said(&[caught(1, "", 7, "A"), caught(1, "", 8, "A"), caught(2, "", 7, "A")]), None);
    let differ = said(&[caught(1, "", 7, "A"), caught(2, "", 7, "B")]).expect("a sentence");
    assert!(differ.contains("different operations"), "{differ}");
}

#[test]
fn sizes_tell_one_sign_from_another() {
    let log = |unallocated: &str| {
        format!(
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has\n79 GiB, and {unallocated} is reserved"
        )
    };
    let first = |unallocated: &str| read_log(&signs(), &log(unallocated)).seen[0].clone();
    assert_eq!(first("16.92 GiB").sign, 0, "broken over two lines");
    assert_eq!(first("16.92 GiB").kept[1].1, "16.92 GiB");
    assert_eq!(first("16.92 MiB").sign, 1);
    assert_eq!(first("").sign, 1);
    assert_eq!(first("16.92 MiB").kept, [("asked".to_owned(), "2.00 GiB".to_owned())]);
}

#[test]
fn a_line_that_is_whole_takes_nothing_from_the_next() {
    let whole = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 is full.\n79 GiB, and 16 GiB is reserved";
    assert_eq!(of(whole), [1]);
    let other = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has\nnode1:1:1 [0] and 16 GiB is reserved";
    assert_eq!(of(other), [1]);
}

#[test]
fn other_lines_decide() {
    let conditions = owned(&["nodes > 1"]);
    let socket = sign(&["Using network Socket"]);
    let signs = [
        Sign { needs: owned(&["comm … nNodes {nodes} "]), conditions, ..socket.clone() },
        Sign { kind: SignKind::Possible, unless: owned(&["all is well"]), marks: owned(&["NCCL INFO"]), ..socket },
    ];
    let of = |log: &str| read_log(&signs, log).seen.first().map(|seen| seen.sign);
    assert_eq!(of("Using network Socket\ncomm 0x1 nNodes 2 x"), Some(0));
    assert_eq!(of("Using network Socket\ncomm 0x1 nNodes 1 x"), None);
    assert_eq!(of("Using network Socket"), None);
    assert_eq!(of("NCCL INFO Using network Socket"), Some(1));
    assert_eq!(of("all is well\nNCCL INFO Using network Socket"), None);
}

#[test]
fn the_rank_that_died_first_comes_first() {
    let memory = |rank: u32, time: &str| {
        format!("[rank{rank}]:[E1229 {time} x.cpp] a\n[rank{rank}]: CUDA out of memory. Tried to allocate 2 GiB, x")
    };
    let log = format!(
        "[rank0]:[E1229 12:10:00 x.cpp] Watchdog SeqNum=1, OpType=A,\n{}\n{}",
        memory(1, "12:05:00"),
        memory(3, "12:00:00")
    );
    let reading = read_log(&signs(), &log);
    let [first, second] = &reading.seen[..] else { panic!("{reading:?}") };
    assert_eq!((first.sign, first.times, first.place.rank), (1, 2, Some(3)));
    assert_eq!(second.kind, SignKind::Consequence);
    assert!(reading.summary().contains("Begin with line 5 (rank 3)"), "{}", reading.summary());
}

/// hiyouga/LlamaFactory: a progress bar without a line's end, and the messages of two ranks behind it.
#[test]
fn messages_on_one_line_are_each_of_their_rank() {
    let caught = |rank: u32, number: u32| {
        format!(
            "[rank{rank}]:[E1123 00:52:57.664949121 ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={number}, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600017 milliseconds before timing out. "
        )
    };
    let log = format!(" 2%|▏ | 10/620 [00:52<50:17, 4.95s/it]{}{}", caught(0, 1516), caught(1, 1517));
    let reading = read_log(&signs(), &log);
    let seen: Vec<_> = reading.seen.iter().map(|seen| (seen.place.rank, seen.place.line)).collect();
    assert_eq!(seen, [(Some(0), 1), (Some(1), 1)], "{reading:?}");
    assert!(reading.waits.said().is_some_and(|said| said.contains("Rank 0 waits in collective 1516")), "{reading:?}");
}

#[test]
fn what_is_not_known_is_quoted() {
    let reading = read_log(&signs(), "NCCL WARN x\n[rank3]: KeyError: 'input_ids'\nstep 3");
    assert_eq!((reading.unknown_lines, reading.others()), (1, 1));
    assert!(reading.begins_unknown());
    assert_eq!((reading.unknown[0].line, reading.unknown[0].rank), (2, Some(3)));
    assert!(
        reading.summary().contains("1 line looks like an error and is not known here. Begin with that one."),
        "{}",
        reading.summary()
    );
    let many = "ValueError: x\n".repeat(50);
    let reading = read_log(&signs(), &many);
    assert_eq!((reading.unknown_lines, reading.unknown.len()), (50, QUOTED));
    let late = "[rank0]:[E1229 12:10:00 x.cpp] one failed\n[rank3]:[E1229 12:00:00 x.cpp] another failed";
    assert_eq!(read_log(&signs(), late).unknown[0].rank, Some(3), "the earliest in front");
    let cut = read_log(&signs(), "Traceback (most recent call last):\n  File \"x.py\", line 3, in f");
    assert_eq!(cut.unknown_lines, 1, "the error is cut off");
    let known =
        read_log(&signs(), "Traceback (most recent call last):\nx: CUDA out of memory. Tried to allocate 2 GiB");
    assert_eq!(known.unknown_lines, 0);
}

#[test]
fn the_summary_says_what_was_not_read() {
    let of = |log: &str| read_log(&signs(), log).summary();
    assert!(of("").starts_with("Paste it here"));
    assert!(of("step 1").starts_with("Nothing in this line looks wrong."));
    assert!(of("step 1\nNCCL INFO x").starts_with("Nothing in these 2 lines looks wrong."));
    assert_eq!(of("ValueError: x\ny"), "1 line looks like an error and is not known here. Nothing else looks wrong.");
    assert!(of("NCCL WARN\nx").contains("None of them names the cause"));
    assert!(of(&"x".repeat(9000)).contains("1 line was read only as far as"));
    let long = of(&format!("NCCL WARN\n{}", "step\n".repeat(MOST / 5)));
    assert!(long.contains("Only the last 2 MB were read"), "{long}");
    assert!(long.starts_with("Nothing"), "{long}");
}

#[test]
fn lines_of_a_cut_log_are_counted_from_its_beginning() {
    let log = format!("{}NCCL WARN x\nend", "step\n".repeat(MOST));
    let reading = read_log(&signs(), &log);
    assert_eq!(reading.seen[0].place.line, MOST + 1);
    for size in [7_919, MOST + 1, 3 * MOST] {
        let mut end = End::default();
        for piece in log.as_bytes().chunks(size) {
            end.push(&String::from_utf8_lossy(piece));
        }
        assert!(end.text.len() <= 2 * MOST);
        assert_eq!(end.read(&signs()), reading, "{size}");
    }
}

#[test]
fn colors_and_progress_bars_are_no_text() {
    assert_eq!(of("\u{1b}[36m(worker)\u{1b}[0m NCCL \u{1b}[31mWARN\u{1b}[0m x"), [2]);
    assert_eq!(of("10%|#  \r20%|## \rNCCL WARN x"), [2]);
    assert_eq!(plain("a\u{1b}"), "a");
}

#[test]
fn a_hostile_log_takes_no_longer_than_its_length() {
    let line = "NCCL WARN Watchdog SeqNum=1, out of memory. Tried to allocate ".repeat(60);
    let log = format!("{line}\n").repeat(MOST / line.len());
    assert!(read_log(&signs(), &log).lines > 400);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "(\\PC|\n|\r|\u{1b}){0,300}", pattern in "\\PC{0,30}", condition in "\\PC{0,12}") {
        let signs = [
            sign(&[&pattern]),
            Sign { conditions: owned(&[&condition, "a >= a"]), unless: owned(&[&pattern]), ..sign(&["{a}"]) },
        ];
        let reading = read_log(&signs, &text);
        assert!(reading.recognized + reading.unknown_lines <= reading.lines.max(1));
        assert!(!reading.summary().is_empty());
    }
}

#[test]
fn what_was_kept_is_said_and_never_markup() {
    let kept = [("asked".to_owned(), "<b>2 GiB".to_owned())];
    assert_eq!(filled_html("<p>{asked}, {other} {", &kept), "<p>&lt;b&gt;2 GiB, other {");
}

/// A terminal breaks a word where its line ends, and each broken line is as long.
#[test]
fn a_message_broken_inside_a_word_is_read() {
    let said = "ValueError: To serve one request with the max seq len (100000), (4.26 GiB KV cache is needed, which is larger than the available KV cache memory (4.25 GiB). Based on it, the estimated maximum model length is 99584.";
    let signs =
        [sign(&["(4.26 GiB KV cache is needed, which is larger than the available KV cache memory ({available} GiB)"])];
    let mut tried = 0;
    for width in 60..130 {
        let parts: Vec<&str> =
            said.as_bytes().chunks(width).filter_map(|part| std::str::from_utf8(part).ok()).collect();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_inside = |pair: &[&str]| is_word(pair[0].chars().next_back()) && is_word(pair[1].chars().next());
        if parts.len() <= BROKEN && parts.len() > 2 && parts.windows(2).all(is_inside) {
            tried += 1;
            assert_eq!(read_log(&signs, &parts.join("\n")).seen.len(), 1, "{parts:#?}");
        }
    }
    assert!(tried > 2, "{tried}");
}

#[test]
fn a_long_line_is_quoted_where_its_sign_stands() {
    let log =
        format!("{{\"labels\": \"{}\", \"log\": \"out of memory. Tried to allocate 2.00 GiB\"}}", "x".repeat(900));
    let reading = read_log(&signs(), &log);
    let [seen] = &reading.seen[..] else { panic!("{reading:?}") };
    assert_eq!(seen.place.text, "… out of memory. Tried to allocate 2.00 GiB\"}");
}
