//! Every reader on real inputs that were broken: nothing panics, takes long or answers at length, and nothing that was renamed to something
//! unknown makes an answer surer.
//!
//! `FUZZ_SECONDS=3600 cargo test -p ringside-content --test all fuzz -- --ignored --nocapture` tries new ones for so long; `FUZZ_SEED` begins
//! elsewhere. What it finds is kept in `tests/fixtures/broken`, where every run of the tests reads it.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ringside_content::schema::Sign;
use ringside_content::search::read_log;
use ringside_core::allocator::Snapshot;
use ringside_core::ask::{answers, of_config};
use ringside_core::mix::Stream;
use ringside_core::run::{self, Card, Kind, Outcome, Run, compare, gather};
use ringside_core::trace::Reader;

use crate::logs::added;
use crate::tried::{READERS, said, tried};
use crate::{root, signs};

/// Bytes of an input: of longer fixtures the beginning.
const LONGEST: usize = 60_000;

/// What one reader may take of a core, in a test that is hardly optimized: so much, and so much per byte.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(4), Duration::from_micros(60));

/// Bytes of all that is said of an input, beyond eight for each of its own.
const TALK: usize = 400_000;

/// What means something to one of the readers, or nothing to any.
const TOKENS: &[&str] = &[
    "$A",
    "$A$A",
    "${A:-$B}",
    "$(hostname)",
    "$((1/0))",
    "`date`",
    "{",
    "}",
    "[",
    "]",
    "((",
    "<<EOF\n",
    "\"",
    "'",
    "\\\n",
    "|",
    "&&",
    ";",
    "#",
    "#SBATCH --nodes=99999999999",
    "#SBATCH --array=0-99999999",
    "for i in {1..99999999}; do",
    "done",
    "while true; do",
    "export A=$A$A\n",
    "srun ",
    "torchrun ",
    "--nnodes=0",
    "--nproc_per_node=18446744073709551615",
    "--tensor-model-parallel-size -1",
    "--num-layers 1e308",
    "num_layers ...... 9223372036854775807",
    "NaN",
    "-Infinity",
    "1e999",
    "-0",
    "0x",
    "18446744073709551616",
    "null",
    "true",
    "\u{0}",
    "\u{7f}",
    "\u{1b}[31m",
    "\r",
    "\t",
    "\u{202e}",
    "é",
    "\u{feff}",
    "iteration 5/ 10 | consumed samples: 0 | elapsed time per iteration (ms): 0.0 |",
    "step: 1 loss: nan",
    "CUDA out of memory. Tried to allocate 20.00 GiB",
    "Traceback (most recent call last):",
    "NVRM: Xid (PCI:0000:3b:00): 79",
    "[rank3]: ",
    "GPU0\tGPU1",
    "NV18",
    "PIX",
    "# nThread 1",
    "8589934592 2147483648 float sum -1 1 1 1 0 1 1 1 0",
    "\"traceEvents\": [",
    "\"ph\": \"X\"",
    "\"ts\": 1e400",
    "\"segments\": [",
    "\"blocks\": []",
    "\"size\": -1",
    "apiVersion: v1",
    "kind: Job",
    "---",
    "&a *a",
    "- - - - - -",
    "hidden_size",
    "\"num_attention_heads\": 0",
    "\"vocab_size\": 1e30",
    "JobID|State",
    "COMPLETED",
    "vllm serve m --tensor-parallel-size 0",
];

/// Everything in these folders.
fn files(folder: &Path, into: &mut Vec<Vec<u8>>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, into),
            false => into.extend(fs::read(&path).ok().map(|mut bytes| {
                bytes.truncate(LONGEST);
                bytes
            })),
        }
    }
}

/// Real inputs: the fixtures, and what stands in the lists of them.
fn seeds() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for folder in ["../tests/fixtures", "../core/tests/fixtures", "tests/fixtures/broken"] {
        files(&root().join(folder), &mut all);
    }
    all.extend(tried().into_iter().map(|input| input.text.into_bytes()));
    for list in ["healthy", "sick"] {
        let text = fs::read_to_string(root().join(format!("tests/fixtures/logs/{list}.toml"))).expect("a list of logs");
        let table: toml::Table = text.parse().expect("TOML");
        let blocks = table["block"].as_array().expect("blocks");
        all.extend(blocks.iter().map(|block| block["text"].as_str().expect("a text").as_bytes().to_vec()));
    }
    all
}

/// The words of all of them that aren't numbers.
fn words(seeds: &[Vec<u8>]) -> Vec<String> {
    let texts = seeds.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let words: BTreeSet<String> = texts
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter(|word| (3..40).contains(&word.len()) && word.chars().any(char::is_alphabetic))
        .collect();
    words.into_iter().collect()
}

/// Changes an input once.
fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[String], random: &mut Stream) {
    let mut at = |n: usize| random.below(n as u64) as usize;
    let (from, long) = (at(bytes.len() + 1), 1 + at(60));
    let to = (from + long).min(bytes.len());
    match at(12) {
        0 => bytes.truncate(from),
        1 => drop(bytes.drain(from..to)),
        2 => drop(bytes.drain(..from)),
        3 => {
            let part = bytes[from..to].to_vec();
            let times = 1 << at(10);
            bytes.splice(from..from, part.repeat(times));
        }
        4 | 5 => {
            let mut lines: Vec<Vec<u8>> = bytes.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
            let (a, b) = (at(lines.len()), at(lines.len()));
            match at(3) {
                0 => lines.swap(a, b),
                1 => drop(lines.remove(a)),
                _ => lines.insert(b, lines[a].clone()),
            }
            *bytes = lines.join(&b'\n');
        }
        6 => drop(bytes.splice(from..from, TOKENS[at(TOKENS.len())].bytes())),
        7 => drop(bytes.splice(from..to, TOKENS[at(TOKENS.len())].bytes())),
        8 => drop(bytes.splice(from..from, words[at(words.len())].bytes())),
        9 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte ^= 1 << at(8);
            }
        }
        10 => {
            // Another number.
            if let Some(start) = bytes.iter().skip(from).position(u8::is_ascii_digit).map(|i| from + i) {
                let end = start + bytes[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                const NUMBERS: [&str; 9] =
                    ["0", "1", "-1", "3", "65536", "99999999999", "18446744073709551615", "1e300", "0.1"];
                bytes.splice(start..end, NUMBERS[at(NUMBERS.len())].bytes());
            }
        }
        _ => {
            let other = &seeds[at(seeds.len())];
            let cut = at(other.len() + 1);
            bytes.truncate(from);
            bytes.extend_from_slice(&other[cut..]);
        }
    }
    bytes.truncate(LONGEST);
}

/// The time that this thread had a core, where Linux says it; elsewhere that on the clock.
fn worked(began: Instant) -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|text| text.parse().ok());
    nanoseconds.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

/// How long a text is that shows all of an answer.
fn shown(card: &Card) -> usize {
    format!("{card:?}").len()
}

/// Reads a text with the reader of this name, and says how much came of it; or what is wrong with that.
type Step<'a> = (&'a str, Box<dyn Fn() -> Result<usize, String> + 'a>);

/// A name that a reader knows, made one that none does: of an option, or of a key.
fn renamed(text: &str, random: &mut Stream) -> Option<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let options = text.match_indices("--").map(|(at, _)| at + 2);
    let keys = text.match_indices("\": ").filter_map(|(end, _)| Some(text.get(..end)?.rfind('"')? + 1));
    let starts: Vec<usize> = options.chain(keys).filter(|at| text[*at..].starts_with(is_name)).collect();
    let at = *starts.get(random.below(starts.len() as u64) as usize)?;
    Some(format!("{}zq{}", &text[..at], &text[at..]))
}

/// What is read of the bytes, by every reader.
fn steps<'a>(bytes: &'a [u8], text: &'a str, renamed: Option<&'a str>, signs: &'a [Sign]) -> Vec<Step<'a>> {
    let mut all: Vec<Step<'a>> = Vec::new();
    for (reader, _) in READERS {
        all.push((reader, Box::new(move || Ok(said(reader, text, signs).1.len()))));
    }
    all.push(("content", Box::new(move || Ok(run::content(bytes).map_or_else(str::len, |_| 0)))));
    all.push((
        "trace",
        Box::new(move || {
            let mut reader = Reader::default();
            bytes.chunks(997).all(|piece| reader.push(piece));
            let trace = [reader.finish()];
            Ok(shown(&run::traces("x", &trace, None)))
        }),
    ));
    all.push(("snapshot", Box::new(move || Ok(shown(&run::snapshot("x", &Snapshot::read(bytes)))))));
    all.push((
        "compare",
        Box::new(move || {
            let card = run::read("x", text);
            let (run, replaced) = gather([&card]);
            let report = compare(&run);
            let again = Run::parse(&run.write());
            if again.as_ref() != Ok(&run) {
                return Err(format!("it is written as something else: {again:?}"));
            }
            Ok(shown(&card) + format!("{report:?}{replaced:?}").len())
        }),
    ));
    all.push(("apart", Box::new(move || Ok(run::read_all("x", text).iter().map(|(card, _)| shown(card)).sum()))));
    all.push(("box", Box::new(move || Ok(format!("{:?}{:?}", answers(text), of_config(text)).len()))));
    if let Some(renamed) = renamed {
        all.push((
            "run, renamed",
            Box::new(move || {
                let [whole, less] = [text, renamed].map(|text| run::read("x", text));
                let settings = [Kind::Script, Kind::Megatron, Kind::DeepSpeed, Kind::Serve, Kind::Config];
                let is_surer = whole.outcome == Outcome::Partly && less.outcome == Outcome::Read;
                if whole.kind == less.kind && settings.contains(&whole.kind) && is_surer {
                    return Err(format!("it is read to its end once something is renamed: {:?}", whole.unread));
                }
                Ok(0)
            }),
        ));
        all.push((
            "launch, renamed",
            Box::new(move || {
                let [whole, less] = [text, renamed].map(|text| said("launch", text, signs).1);
                let is_surer = whole.starts_with("unread") && less.starts_with("trains");
                if is_surer {
                    Err(format!("“{whole}” became “{less}” once something was renamed"))
                } else {
                    Ok(0)
                }
            }),
        ));
    }
    all.push((
        "logs, with a line less",
        Box::new(move || {
            // As expensive as the log is long.
            if text.len() > 20_000 {
                return Ok(0);
            }
            let whole = read_log(signs, text);
            let lines: Vec<&str> = text.lines().collect();
            let at = text.len() % lines.len().max(1);
            let less: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, line)| *line).collect();
            let surer = added(signs, &whole, &less.join("\n"));
            if surer.is_empty() { Ok(0) } else { Err(format!("line {} less says {surer:?}", at + 1)) }
        }),
    ));
    all
}

/// What is wrong with how the bytes are read, if anything is.
fn wrong(bytes: &[u8], seed: u64, signs: &[Sign]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let renamed = renamed(&text, &mut Stream::new(seed));
    steps(bytes, &text, renamed.as_deref(), signs).into_iter().find_map(|(reader, step)| {
        let patience = PATIENCE.0 + PATIENCE.1 * bytes.len() as u32;
        let clock = Instant::now();
        let began = worked(clock);
        let said = match catch_unwind(AssertUnwindSafe(&step)) {
            Err(panic) => {
                let why = panic.downcast_ref::<String>().cloned();
                let why = why.or_else(|| panic.downcast_ref::<&str>().map(|why| (*why).to_owned()));
                return Some(format!("{reader} panics: {}", why.unwrap_or_default()));
            }
            Ok(Err(why)) => return Some(format!("{reader}: {why}")),
            Ok(Ok(said)) => said,
        };
        if said > TALK + 8 * bytes.len() {
            return Some(format!("{reader} says {said} bytes of {}", bytes.len()));
        }
        let took = worked(clock).saturating_sub(began);
        (took > patience).then(|| format!("{reader} takes {took:?} for {} bytes", bytes.len()))
    })
}

#[test]
fn what_broke_a_reader_once_is_read() {
    let signs = signs();
    let mut kept = Vec::new();
    files(&root().join("tests/fixtures/broken"), &mut kept);
    let wrong: Vec<String> = kept
        .iter()
        .flat_map(|bytes| (0..4).filter_map(|seed| wrong(bytes, seed, &signs)).collect::<Vec<_>>())
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "runs for FUZZ_SECONDS"]
fn fuzz() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (seconds, first) = (number("FUZZ_SECONDS", 60), number("FUZZ_SEED", 0));
    let (signs, seeds) = (signs(), seeds());
    let words = words(&seeds);
    std::panic::set_hook(Box::new(|_| {}));
    let began = Instant::now();
    let (mut tried, mut found) = (0_u64, BTreeSet::new());
    while began.elapsed() < Duration::from_secs(seconds) {
        let seed = first + tried;
        let mut random = Stream::new(seed);
        let mut bytes = seeds[random.below(seeds.len() as u64) as usize].clone();
        for _ in 0..=random.below(5) {
            change(&mut bytes, &seeds, &words, &mut random);
        }
        tried += 1;
        if let Some(why) = wrong(&bytes, seed, &signs) {
            // One of each kind is enough.
            let kind: String = why.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
            if found.insert(kind) {
                println!("{seed}: {why}");
                fs::write(root().join(format!("tests/fixtures/broken/{seed}")), &bytes).expect("it is kept");
            }
        }
        if tried.is_multiple_of(500) {
            println!("{tried} inputs in {:?}, {} findings", began.elapsed(), found.len());
        }
    }
    drop(std::panic::take_hook());
    println!("{tried} inputs of {} seeds in {:?}", seeds.len(), began.elapsed());
    assert!(found.is_empty(), "{}", found.into_iter().collect::<Vec<_>>().join("\n"));
}
