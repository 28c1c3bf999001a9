//! What the log reader says of real logs: nothing of healthy ones, the right sign of sick ones, and nothing surer of less.

use std::collections::BTreeSet;

use ringside_content::schema::{Sign, SignKind};
use ringside_content::search::{LogReading, read_log};
use serde::Deserialize;

use crate::signs;

#[derive(Deserialize)]
struct Corpus {
    block: Vec<Block>,
}

#[derive(Deserialize)]
struct Block {
    program: String,
    source: String,
    #[serde(default)]
    first: String,
    #[serde(default)]
    also: Vec<String>,
    text: String,
}

impl Block {
    fn lines(&self) -> Vec<&str> {
        self.text.lines().filter(|line| !line.trim().is_empty()).collect()
    }
}

fn healthy() -> Vec<Block> {
    let corpus: Corpus = toml::from_str(include_str!("fixtures/logs/healthy.toml")).expect("TOML");
    corpus.block
}

fn sick() -> Vec<Block> {
    let corpus: Corpus = toml::from_str(include_str!("fixtures/logs/sick.toml")).expect("TOML");
    corpus.block
}

/// The signs that a log has, without notes.
fn diagnoses<'a>(signs: &'a [Sign], reading: &LogReading) -> Vec<&'a str> {
    let told = reading.seen.iter().filter(|seen| seen.kind > SignKind::Note);
    told.map(|seen| signs[seen.sign].id.as_str()).collect()
}

#[test]
fn healthy_logs_get_no_diagnosis() {
    let (signs, blocks) = (signs(), healthy());
    let programs: BTreeSet<&str> = blocks.iter().map(|block| block.program.as_str()).collect();
    let lines: usize = blocks.iter().map(|block| block.lines().len()).sum();
    assert!(programs.len() >= 20 && lines >= 150, "{} programs, {lines} lines", programs.len());
    let all = blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n");
    let mut wrong = Vec::new();
    for block in &blocks {
        assert!(!block.source.is_empty(), "{}", block.program);
        for text in block.lines().into_iter().chain([block.text.as_str(), &all]) {
            let reading = read_log(&signs, text);
            let said = diagnoses(&signs, &reading);
            if !said.is_empty() || reading.unknown_lines > 0 || !reading.summary().starts_with("Nothing in th") {
                wrong.push(format!("{}: {said:?} {:?}\n{text}", block.program, reading.unknown));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn sick_logs_get_their_sign() {
    let (signs, blocks) = (signs(), sick());
    let lines: usize = blocks.iter().map(|block| block.lines().len()).sum();
    assert!(blocks.len() >= 60, "{} blocks, {lines} lines", blocks.len());
    let mut wrong = Vec::new();
    for block in &blocks {
        assert!(!block.source.is_empty(), "{}", block.program);
        let reading = read_log(&signs, &block.text);
        let said = diagnoses(&signs, &reading);
        let first = if reading.begins_unknown() { "unknown" } else { said.first().copied().unwrap_or("nothing") };
        let expected: BTreeSet<&str> =
            block.also.iter().map(String::as_str).chain([block.first.as_str()]).filter(|id| *id != "unknown").collect();
        let quoted = usize::from(block.first == "unknown");
        if first != block.first
            || said.iter().copied().collect::<BTreeSet<_>>() != expected
            || reading.unknown_lines != quoted
        {
            wrong.push(format!("{} ({}): {first}, {said:?}, {:?}", block.program, block.source, reading.unknown));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How often a log has a sign.
fn times(reading: &LogReading, sign: usize) -> usize {
    reading.seen.iter().find(|seen| seen.sign == sign).map_or(0, |seen| seen.times)
}

/// What less of a log is told that the whole was not, and that is surer than what the whole was told of the same lines.
pub(crate) fn added(signs: &[Sign], whole: &LogReading, less: &str) -> Vec<String> {
    let less = read_log(signs, less);
    let lost = whole.seen.iter().filter(|seen| times(&less, seen.sign) < seen.times).map(|seen| seen.kind).max();
    let new = less.seen.iter().filter(|seen| seen.kind > SignKind::Note && times(whole, seen.sign) == 0);
    // What a line explained is open again without it, and no more than that.
    let open = |kind: SignKind, sign: &Sign| !sign.unless.is_empty() && kind <= SignKind::Possible;
    new.filter(|seen| lost.is_none_or(|lost| lost < seen.kind) && !open(seen.kind, &signs[seen.sign]))
        .map(|seen| format!("{} from {}", signs[seen.sign].id, seen.place.text))
        .collect()
}

#[test]
fn less_of_a_log_says_nothing_surer() {
    let signs = signs();
    let mut wrong = Vec::new();
    for block in healthy().iter().chain(&sick()) {
        let whole = read_log(&signs, &block.text);
        let lines = block.lines();
        for i in 0..lines.len() {
            let without = |line: &str| {
                let mut less = lines.clone();
                less[i] = line;
                less.join("\n")
            };
            wrong.extend(added(&signs, &whole, &without("")));
            // Ends within numbers, which change them, and some others.
            let within = |at: usize| {
                let digit = |at: usize| lines[i].as_bytes().get(at).is_some_and(u8::is_ascii_digit);
                digit(at) && at.checked_sub(1).is_some_and(digit)
            };
            let cuts = lines[i].char_indices().filter(|(at, _)| (within(*at) && at % 2 == 0) || at % 19 == 0);
            for (at, _) in cuts {
                wrong.extend(added(&signs, &whole, &without(&lines[i][..at])));
            }
        }
        // Runs of lines, so that what stood apart comes together.
        for from in 0..lines.len() {
            for to in from + 2..=lines.len() {
                let less = [&lines[..from], &lines[to..]].concat().join("\n");
                wrong.extend(added(&signs, &whole, &less));
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} of them:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_another_line_explains_is_open_without_it() {
    let signs = signs();
    let refused = "[W socket.cpp:697] [c10d] The client socket has failed to connect to [node0]:29500 (errno: 111 - Connection refused).";
    let met = "INFO:torch.distributed.elastic.agent.server.api:[default] Rendezvous complete for workers. Result:";
    let said = |log: &str| diagnoses(&signs, &read_log(&signs, log)).join(" ");
    assert_eq!(said(&format!("{refused}\n{met}")), "");
    assert_eq!(said(refused), "not-yet");
    assert_eq!(said("curl: (7) Failed to connect to localhost port 8000: Connection refused"), "", "another program’s");
}

#[test]
fn the_first_error_of_the_rank_that_died_first_leads() {
    let signs = signs();
    let log = "\
[rank0]:[E1229 16:57:25.3 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600013 milliseconds before timing out.
[rank5]:[E1229 16:50:00.1 ProcessGroupNCCL.cpp:541] [Rank 5] NCCL WARN x
[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
[rank3]:[E1229 16:47:25.1 ProcessGroupNCCL.cpp:541] [Rank 3] NCCL WARN x
[rank3]: torch.AcceleratorError: CUDA error: an illegal memory access was encountered
";
    let reading = read_log(&signs, log);
    assert_eq!(diagnoses(&signs, &reading)[..2], ["illegal", "oom"]);
    assert!(reading.summary().contains("Begin with line 5 (rank 3)"), "{}", reading.summary());
}

#[test]
fn a_long_log_is_read_to_its_end() {
    let signs = signs();
    let blocks: String = healthy().iter().map(|block| block.text.clone()).collect();
    let log = blocks.repeat(400_000 / blocks.len());
    assert_eq!(diagnoses(&signs, &read_log(&signs, &log)), [] as [&str; 0]);
}

/// hiyouga/LlamaFactory issue 6111: as slow on several machines as on one, because RDMA was not set up. Its lines show no second node, so it is a note.
#[test]
fn a_thread_about_sockets_is_answered() {
    let signs = signs();
    let reading = read_log(&signs, include_str!("../../tests/fixtures/threads/llamafactory-6111.txt"));
    let seen: Vec<&str> = reading.seen.iter().map(|seen| signs[seen.sign].id.as_str()).collect();
    assert_eq!(seen, ["socket"]);
}
