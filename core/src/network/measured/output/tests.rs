use proptest::prelude::*;

use super::super::{EXAMPLE, fit};
use super::*;

fn faults(text: &str) -> Vec<String> {
    read(text).faults.into_iter().map(|fault| fault.message).collect()
}

const ROW: &str = "1048576 262144 float sum -1 27.76 37.78 66.11 0 27.49 38.15 66.76 0";

#[test]
fn a_posted_table_is_read_whole() {
    let report = read(EXAMPLE);
    assert_eq!(report.faults, []);
    assert_eq!((report.rows.len(), report.ranks), (15, Some(8)));
    assert_eq!(report.program.map(|p| p.name), Some("all_reduce_perf"));
    let last = report.rows.last().expect("rows");
    assert_eq!((last.bytes, last.out_of_place.busbw), (1_073_741_824.0, 357.73e9));
    let fit = fit(&report.points()).expect("many sizes");
    let busbw = fit.cost.peak() * 1.75 / 1e9;
    assert!((320.0..360.0).contains(&busbw), "{busbw}");
    assert!((15e-6..30e-6).contains(&fit.cost.latency), "{fit:?}");
}

#[test]
fn ranks_are_counted_or_inferred_and_logs_passed_over() {
    let listed =
        "#  Rank  0 Group 0\n#  Rank 15 Group 0\nnode1:1:2 [0] NCCL INFO Using network IB\n\n# Avg bus bandwidth : 12";
    assert_eq!((read(listed).ranks, read(listed).faults.len()), (Some(16), 0));
    let tagged = format!("$ mpirun ./build/all_reduce_perf -b 8\n[1,0]<stdout>: {ROW}\r\n");
    let report = read(&tagged);
    assert_eq!((report.rows.len(), report.rows[0].line, report.ranks), (1, 2, Some(8)));
    // A program without an operation and root in its table, or without a check.
    let short = "1048576 32768 float 50.00 20.97 18.35 N/A 50.00 20.97 18.35 N/A";
    let report = read(&format!("./all_gather_perf -g 8\n{short}"));
    assert_eq!((report.rows.len(), report.program.and_then(|p| p.op)), (1, Some(Op::AllGather)));
    assert_eq!(report.ranks, Some(8));
}

#[test]
fn nonsense_is_named_by_its_line() {
    assert_eq!(faults("banana"), ["Line 1: “banana” does not begin with a size in bytes and a count."]);
    assert_eq!(faults("NCCL_ALGO=Ring NCCL_PROTO=LL128\nrccl-tests: Version develop:83d38d9"), [""; 0]);
    assert_eq!(faults("\n8 2 float"), ["Line 2: “8 2 float” has 3 columns; there must be 11 to 13."]);
    let broken =
        |from: &str, to: &str| faults(&format!("# all_reduce_perf\n#  Rank  7\n{}", ROW.replacen(from, to, 1)));
    assert_eq!(broken("66.11", "sixty"), ["Line 3: busbw out of place, “sixty”, is no number."]);
    assert_eq!(broken("27.49", "0"), ["Line 3: time in place is 0."]);
    assert_eq!(broken("37.78", "73.78"), ["Line 3: 1.05 MB in 27.8 µs are 37.8 GB/s; algbw out of place says 73.8."]);
    assert_eq!(broken("66.76 0", "66.76 12"), ["Line 3: 12 results in place are wrong; such a time says nothing."]);
    assert_eq!(
        broken("66.11", "90.00"),
        ["Line 3: busbw out of place is 2.38 times algbw; all_reduce_perf on 8 ranks makes it 1.75."]
    );
    let many: String = (0..MAX_ROWS + 1).map(|_| format!("{ROW}\n")).collect();
    assert_eq!(faults(&many), ["Line 65: only the first 64 rows are used."]);
    assert_eq!(faults(&"x\n".repeat(1000)).len(), MAX_FAULTS);
}

#[test]
fn a_row_that_is_rounded_as_it_must_be_is_read() {
    // Eight ranks: 1024 B in 23.34 µs are 0.0439 GB/s, and 7/4 of that 0.0768.
    let row = |rest: &str| faults(&format!("# all_reduce_perf\n#  Rank  7\n1024 256 float sum -1 {rest}"));
    assert_eq!(row("23.34 0.04 0.08 0 23.10 0.04 0.08 0"), [""; 0]);
    assert_eq!(row("23.34 0.04 0.07 0 23.10 0.04 0.08 0").len(), 1);
    assert_eq!(row("23.34 0.05 0.08 0 23.10 0.04 0.08 0").len(), 1);
}

#[test]
fn a_line_is_found_again() {
    let line = |bytes: f64| 20e-6 + bytes / 200e9;
    let points: Vec<(f64, f64)> = [8.0, 1e4, 1e6, 1e8, 1e10].map(|bytes| (bytes, line(bytes))).to_vec();
    let found = fit(&points).expect("five sizes");
    assert!((found.cost.latency / 20e-6 - 1.0).abs() < 1e-9 && (found.cost.peak() / 200e9 - 1.0).abs() < 1e-9);
    assert!(found.off < 1e-9);
    assert_eq!(fit(&[(8.0, 1.0), (8.0, 2.0)]), None);
    let falling = fit(&[(1.0, 2.0), (1e9, 1.0)]).expect("two sizes");
    assert!(falling.cost.per_byte == 0.0 && falling.cost.latency > 1.0);
    let steep = fit(&[(1.0, 1e-9), (1e6, 1.0)]).expect("two sizes");
    assert!(steep.cost.latency >= 0.0 && steep.cost.per_byte > 0.0);
}

fn brought(name: &str) -> String {
    let path = format!("{}/../tests/fixtures/brought/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// NVIDIA/nccl-tests issue 44, from before ec1b5e2: what is called algbw there is today's busbw.
#[test]
fn the_formula_of_before_june_2020_is_known() {
    let text = brought("nccl-tests-44.txt");
    let report = read(&text);
    assert_eq!((report.faults.clone(), report.rows.len(), report.ranks), (vec![], 13, Some(2)));
    assert!(report.old_formula);
    assert_eq!(report.program.and_then(|p| p.op), Some(Op::AllGather));
    let at = report.rows.iter().find(|row| row.bytes == 67_108_864.0).expect("67 MB");
    assert_eq!(at.out_of_place.busbw, 21.40e9);
    assert!((at.out_of_place.algbw / 42.79e9 - 1.0).abs() < 1e-3);
    // Without the command and the list of ranks the rows say it.
    let rows: String =
        text.lines().filter(|l| !l.contains("perf") && !l.contains("Rank")).map(|l| format!("{l}\n")).collect();
    let report = read(&rows);
    assert_eq!((report.faults, report.rows.len(), report.ranks, report.program), (vec![], 13, Some(2), None));
    // Of a program that never had that formula, they contradict themselves.
    let report = read(&text.replace("all_gather_perf", "broadcast_perf"));
    assert_eq!((report.rows.len(), report.faults.len()), (0, 13));
}

/// NVIDIA/nccl issue 1453, and what `srun -l` makes of a table.
#[test]
fn a_launchers_tags_are_no_part_of_a_row() {
    let report = read(&brought("nccl-1453.txt"));
    assert_eq!((report.faults, report.rows.len(), report.ranks), (vec![], 10, Some(24)));
    assert_eq!(report.program.and_then(|p| p.op), Some(Op::AllReduce));
    let busbw = |bytes: f64| report.rows.iter().find(|row| row.bytes == bytes).map(|row| row.out_of_place.busbw);
    assert_eq!((busbw(33_554_432.0), busbw(67_108_864.0)), (Some(29.5e9), Some(5.27e9)));
    let report = read(&brought("srun-l.txt"));
    assert_eq!((report.faults, report.rows.len(), report.ranks), (vec![], 2, Some(8)));
}

/// NVIDIA/nccl issue 1184.
#[test]
fn a_row_with_wrong_results_is_worth_nothing() {
    let report = read(&brought("nccl-1184.txt"));
    assert_eq!(report.rows.len(), 2);
    let faults: Vec<_> = report.faults.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].ends_with("results out of place are wrong; such a time says nothing."), "{faults:?}");
}

/// A table without its `#`, as it is copied from a page that took them for headings.
#[test]
fn a_table_without_its_hashes_is_read() {
    let report = read(&EXAMPLE.replace('#', ""));
    let whole = read(EXAMPLE);
    assert_eq!((report.rows, report.ranks, report.faults), (whole.rows, whole.ranks, vec![]));
}

/// What launchers put before a line.
const TAGS: [&str; 9] = [
    "",
    "[0] ",
    "[0]",
    "0: ",
    "00: ",
    "[1,0]<stdout>:",
    "[1,0]<stdout>: ",
    "[pod/nccl-launcher-x7/mpi] ",
    "2024-05-01T12:00:00.123Z ",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A tag changes nothing; and of a table that is cut off, no row says more than before.
    #[test]
    fn tags_change_nothing_and_cuts_add_nothing(
        tag in prop::sample::select(TAGS.to_vec()),
        within in any::<bool>(),
        hashes in any::<bool>(),
        cut in any::<prop::sample::Index>(),
    ) {
        let whole = read(EXAMPLE);
        let mut text: String = EXAMPLE.lines().map(|line| format!("{tag}{line}\n")).collect();
        if within && tag.starts_with('[') {
            text = text.replace(" -1 ", &format!(" -1{} ", tag.trim()));
        }
        if hashes {
            text = text.replace('#', " ");
        }
        let report = read(&text);
        prop_assert_eq!(&report.faults, &vec![]);
        prop_assert_eq!((&report.rows, report.ranks, report.program), (&whole.rows, whole.ranks, whole.program));
        let chars: Vec<char> = text.chars().collect();
        let part: String = chars[..cut.index(chars.len())].iter().collect();
        let less = read(&part);
        prop_assert!(less.rows.iter().all(|row| whole.rows.contains(row)), "{:?}", less.rows.last());
    }

    /// Any text is read; every row that is kept is finite and agrees with itself.
    #[test]
    fn any_text_is_read(words in prop::collection::vec(
        prop::sample::select(vec![
            "1048576", "262144", "float", "sum", "-1", "27.76", "37.78", "66.11", "0", "N/A", "1e308", "inf", "-0", "[0]", "0:", "#",
            "Rank", "Rank 99999", "all_gather_perf", "\n", "\n", "8 2 float sum -1", "27.49 38.15 66.76 0", "[", "]", "é",
        ]), 0..60)) {
        let report = read(&words.join(" "));
        for row in &report.rows {
            for (_, side) in row.sides() {
                prop_assert!([side.time, side.algbw, side.busbw].iter().all(|v| v.is_finite() && *v >= 0.0) && side.time > 0.0);
            }
        }
    }
}

/// Old versions print the largest error, and two programs may follow each other: the form of a public report on 64 V100s.
#[test]
fn of_two_tables_the_one_whose_collective_is_known_is_read() {
    let head = "#                                     out-of-place                       in-place\n\
                #       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n";
    let first = "268435456 67108864 float sum 122131 2.20 4.33 2e-06 122165 2.20 4.33 2e-06";
    let second = "268435456 1048576 float 520935 0.52 0.51 0e+00 519562 0.52 0.51 1e+00";
    let report = read(&format!("all_reduce result\n{head}{first}\n\nalltoall result\n{head}{second}\n"));
    // 4.33 over 2.20 may be any of many numbers of ranks.
    assert_eq!((report.program.map(|p| p.name), report.ranks), (Some("all_reduce_perf"), None));
    assert_eq!(report.rows.iter().map(|row| row.line).collect::<Vec<_>>(), [4]);
    let of_another = report.faults.iter().filter(|fault| fault.message.contains("of another table"));
    assert_eq!(of_another.map(|fault| fault.line).collect::<Vec<_>>(), [9], "{:?}", report.faults);
    // Of two that are known the last one counts.
    let both = format!("# all_reduce_perf\n{head}{first}\n# alltoall_perf\n{head}{second}\n");
    assert_eq!(read(&both).program.map(|p| p.name), Some("alltoall_perf"));
    assert_eq!(read(&both).rows.len(), 1);
}
