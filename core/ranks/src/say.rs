//! What a learner is told.

use std::collections::BTreeMap;

use ringside_core::program::{At, Budgets, Diagnosis, Run, Totals, Verdict, operation, rank_list};
use ringside_core::quantity::{Unit, bytes_binary, grouped, listed, number};

use crate::tensor::shown;
use crate::world::{Block, Expected, What, World};

/// An error as it ends a sentence.
pub(crate) fn stopped(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}

/// What another rank sent ends this one.
pub(crate) fn failed(why: String, at: Vec<At>) -> Diagnosis {
    Diagnosis { verdict: Verdict::Error, sentence: stopped(&why), at }
}

/// A text that is no program.
pub(crate) fn syntax(line: u32, message: &str) -> Diagnosis {
    let place = if line > 0 { format!("Line {line}") } else { "The program".to_owned() };
    // Valid Python that the interpreter lacks, and what to write instead.
    let lacks = message.strip_prefix("The monty syntax parser does not yet support ");
    let instead = [
        ("yield", "generators aren't available. Build a list and return it"),
        ("class inheritance", "a class can't inherit from another one. Write a plain class, or functions"),
        (
            "method decorators",
            "@property, @staticmethod and @classmethod aren't available. Write plain methods and functions",
        ),
        ("pattern matching", "match isn't available. Use if and elif"),
        (
            "invalid unpacking target",
            "a loop or an unpacking can't fill this target. Use plain names, then assign each on its own",
        ),
    ];
    let known = instead.into_iter().find(|(what, _)| lacks.unwrap_or(message).starts_with(what));
    let sentence = match (known, lacks) {
        (Some((_, instead)), _) => format!("{place} can't run here: {instead}."),
        (None, Some(what)) => format!("{place} can't run here: the interpreter doesn't support {}", stopped(what)),
        (None, None) => format!("{place} is not valid Python: {}", stopped(message)),
    };
    Diagnosis { verdict: Verdict::Syntax, sentence, at: vec![At { rank: 0, line }] }
}

/// Everybody waits: the cycle, or the rank that is waited for in vain.
pub(crate) fn deadlock(world: &World<'_>, blocked: &BTreeMap<usize, Block>) -> Diagnosis {
    let next = |rank: usize| blocked.get(&rank).and_then(|block| world.waits_on(rank, block).into_iter().next());
    let Some(first) = blocked.keys().next().copied() else {
        return Diagnosis { verdict: Verdict::Deadlock, sentence: "No rank can go on.".to_owned(), at: Vec::new() };
    };
    // Along the waits until a rank comes again, or one that waits for nobody.
    let mut path = vec![first];
    let cycle = loop {
        let Some(rank) = path.last().copied().and_then(next) else { break None };
        if let Some(at) = path.iter().position(|r| *r == rank) {
            break Some(path.split_off(at));
        }
        if !blocked.contains_key(&rank) {
            break None;
        }
        path.push(rank);
    };
    let line = |rank: usize| blocked.get(&rank).map_or(0, |b| b.line);
    let call = |rank: usize| blocked.get(&rank).map_or("", |b| b.call.as_str());
    let at = |ranks: &[usize]| ranks.iter().map(|r| At { rank: *r, line: line(*r) }).collect();
    let Some(cycle) = cycle else {
        let last = path.last().copied().unwrap_or(first);
        let on = blocked.get(&last).map(|block| world.waits_on(last, block)).unwrap_or_default();
        let ended = if on.len() == 1 { "whose program has already ended" } else { "whose programs have already ended" };
        let advice = match call(last).split(' ').next() {
            Some("recv") => "Every recv needs a send.",
            Some("send") => "Every send needs a recv.",
            Some("wait") => {
                "Every isend needs a receive, every irecv a send, and every collective all ranks of its group."
            }
            _ => "Every rank of a group must call the same collectives.",
        };
        let sentence = format!(
            "Deadlock: rank {last} waits at line {} ({}) for {}, {ended}. {advice}",
            line(last),
            call(last),
            rank_list(&on)
        );
        return Diagnosis { verdict: Verdict::Deadlock, sentence, at: at(&[last]) };
    };
    // From the lowest rank.
    let mut cycle = cycle;
    let lowest = cycle.iter().enumerate().min_by_key(|(_, r)| **r).map_or(0, |(at, _)| at);
    cycle.rotate_left(lowest);
    let mut text = String::from("Deadlock: ");
    for (i, rank) in cycle.iter().enumerate() {
        let on = cycle.get((i + 1) % cycle.len()).copied().unwrap_or(0);
        if i == 3 && cycle.len() > 4 {
            text += &format!(", and so on back to rank {}", cycle[0]);
            break;
        }
        if i > 0 {
            text += if i + 1 == cycle.len() { ", and " } else { ", " };
        }
        text += &format!("rank {rank} waits at line {} ({}) for rank {on}", line(*rank), call(*rank));
    }
    let all = |word: &str| cycle.iter().all(|r| call(*r).starts_with(word));
    let advice = if all("send") {
        format!(
            " A send larger than the {} buffer waits until its receiver calls recv. Let one side receive first, or post both with \
             batch_isend_irecv.",
            bytes_binary(world.job.machine.buffer as f64)
        )
    } else if all("recv") {
        " Every rank receives before it sends. Let one side send first.".to_owned()
    } else if cycle.iter().any(|r| call(*r).starts_with("send")) {
        format!(
            " A send larger than the {} buffer waits until its receiver calls recv. Order the calls so that each send meets its \
             receive, or use isend.",
            bytes_binary(world.job.machine.buffer as f64)
        )
    } else {
        " Ranks must call matching operations in the same order.".to_owned()
    };
    Diagnosis { verdict: Verdict::Deadlock, sentence: format!("{text}.{advice}"), at: at(&cycle) }
}

fn place(mut flat: usize, shape: &[usize]) -> String {
    let mut at = Vec::new();
    for size in shape.iter().rev() {
        at.push(flat % (*size).max(1));
        flat /= (*size).max(1);
    }
    at.reverse();
    if at.is_empty() {
        String::new()
    } else {
        format!("[{}]", at.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
    }
}

fn value(x: f32) -> String {
    if x.is_finite() {
        ringside_core::quantity::significant(f64::from(x), 6)
    } else if x.is_nan() {
        "NaN".to_owned()
    } else {
        if x > 0.0 { "infinity" } else { "-infinity" }.to_owned()
    }
}

/// The first thing that a rank submitted that is not what was expected.
pub(crate) fn wrong(world: &World<'_>, expected: &[Expected]) -> Option<Diagnosis> {
    for want in expected {
        let Some(seat) = world.seats.get(want.rank).filter(|seat| !seat.dead) else { continue };
        let rank = want.rank;
        let found: Vec<_> = seat.submitted.iter().filter(|(s, ..)| s.name == want.name).collect();
        let [(submitted, values, after)] = found.as_slice() else {
            let line = found.last().map_or(0, |(s, ..)| s.line);
            let sentence = match found.as_slice() {
                [] => format!(
                    "Rank {rank} didn't submit “{0}”. Call submit(\"{0}\", …) on every rank that the task names.",
                    want.name
                ),
                many => format!(
                    "Rank {rank} submitted “{}” {} times; the last time at line {line}. Submit it once.",
                    want.name,
                    many.len()
                ),
            };
            return Some(Diagnosis { verdict: Verdict::Missing, sentence, at: vec![At { rank, line }] });
        };
        let line = submitted.line;
        let mut at = vec![At { rank, line }];
        let since = match after {
            Some(after) => {
                if after.line != line {
                    at.push(At { rank, line: after.line });
                }
                format!(" The last communication that it depends on is the {}.", after.in_words())
            }
            None => " It doesn’t depend on any communication.".to_owned(),
        };
        if submitted.shape != want.shape {
            let sentence = format!(
                "On rank {rank}, {} has shape {}, but it should be {}.{since}",
                want.name,
                shown(&submitted.shape),
                shown(&want.shape)
            );
            return Some(Diagnosis { verdict: Verdict::Wrong, sentence, at });
        }
        let tolerance = world.job.tolerance as f32;
        // Nothing finite is near an infinity.
        let close = |(got, want): (&f32, &f32)| {
            let near = want.is_finite() && (got - want).abs() <= tolerance * want.abs().max(1.0);
            got == want || near || (got.is_nan() && want.is_nan())
        };
        let pairs = || values.iter().zip(&want.values);
        if let Some(first) = pairs().position(|pair| !close(pair)) {
            let count = pairs().filter(|pair| !close(*pair)).count();
            let (got, should) =
                (values.get(first).copied().unwrap_or_default(), want.values.get(first).copied().unwrap_or_default());
            let many = if values.len() == 1 {
                String::new()
            } else {
                format!("; {count} of {} elements are wrong", values.len())
            };
            let sentence = format!(
                "On rank {rank}, {}{} is {}, but it should be {}{many}.{since}",
                want.name,
                place(first, &want.shape),
                value(got),
                value(should)
            );
            return Some(Diagnosis { verdict: Verdict::Wrong, sentence, at });
        }
    }
    None
}

fn times(over: f64) -> String {
    if over < 1.995 { format!("{}% more", number((over - 1.0) * 100.0)) } else { format!("{}×", number(over)) }
}

/// A right program that calls a collective where only sends and receives count.
pub(crate) fn shortcut(run: &Run) -> Option<Diagnosis> {
    let call = run.collectives.iter().find(|one| operation(&one.call).is_some())?;
    let sentence =
        format!("The result is right, but dist.{} does the work. This puzzle asks for sends and receives.", call.call);
    Some(Diagnosis { verdict: Verdict::Collective, sentence, at: Vec::new() })
}

/// A right program beside its budgets.
pub(crate) fn budget(totals: &Totals, best: Option<&Totals>, budgets: &Budgets, peak: At) -> Diagnosis {
    let seconds = |s: f64| Unit::Seconds.format(s);
    // Exact where a reader can count along.
    let bytes = |b: u64| if b < 1_000_000 { format!("{} B", grouped(b)) } else { Unit::Bytes.format(b as f64) };
    let told = |verdict, sentence| Diagnosis { verdict, sentence, at: Vec::new() };
    let Some(best) = best else {
        let sentence = format!("Every rank finished in {}.", seconds(totals.time));
        return told(Verdict::Passed, sentence);
    };
    let exceeds = |used: f64, best: f64, budget: Option<f64>| {
        let budget = budget?;
        (used > best * budget * (1.0 + 1e-9)).then(|| if best > 0.0 { used / best } else { f64::INFINITY })
    };
    let against = |over: f64, of: &str| {
        if over.is_finite() {
            format!("{} {of} the best known program", times(over))
        } else {
            "more than the best known program, which needs none".to_owned()
        }
    };
    if let Some(over) = exceeds(totals.bytes as f64, best.bytes as f64, budgets.bytes) {
        let sentence = format!(
            "The result is right, but the busiest rank sends {}: {}, which sends {}.",
            bytes(totals.bytes),
            against(over, if over < 1.995 { "than" } else { "as much as" }),
            bytes(best.bytes)
        );
        return told(Verdict::OverBytes, sentence);
    }
    if let Some(over) = exceeds(totals.memory as f64, best.memory as f64, budgets.memory) {
        let sentence = format!(
            "The result is right, but rank {} holds {} at line {}: {}, which holds {}.",
            peak.rank,
            bytes(totals.memory),
            peak.line,
            against(over, if over < 1.995 { "than" } else { "as much as" }),
            bytes(best.memory)
        );
        // Only memory is used at a line.
        return Diagnosis { at: vec![peak], ..told(Verdict::OverMemory, sentence) };
    }
    if let Some(over) = exceeds(totals.time, best.time, budgets.time) {
        let sentence = format!(
            "The result is right, but it takes {}: {}, which takes {}.",
            seconds(totals.time),
            against(over, if over < 1.995 { "than" } else { "as long as" }),
            seconds(best.time)
        );
        return told(Verdict::OverTime, sentence);
    }
    let written = |t: &Totals| [seconds(t.time), bytes(t.memory), bytes(t.bytes)];
    let (known, [time, memory, sent], best) = (best, written(totals), written(best));
    // Where either is better than the other, as far as it is written.
    let mut than = [Vec::new(), Vec::new()];
    let is_less = [totals.time < known.time, totals.memory < known.memory, totals.bytes < known.bytes];
    let does = ["takes", "holds at most", "sends at most"];
    for (((does, best), own), is_less) in does.into_iter().zip(&best).zip([&time, &memory, &sent]).zip(is_less) {
        if best != own {
            than[usize::from(is_less)].push(format!("{does} {best}"));
        }
    }
    let [ahead, behind] = than.map(|all| (!all.is_empty()).then(|| listed(&all)));
    let compared = match (ahead, behind) {
        (None, None) => "The best known program is as good.".to_owned(),
        (Some(ahead), None) => format!("The best known program {ahead}."),
        (None, Some(behind)) => format!("Yours is better than the best known program, which {behind}."),
        (Some(ahead), Some(behind)) => format!("The best known program {ahead}, but {behind}."),
    };
    let sentence = format!(
        "Correct on every rank, in {time}. No rank holds more than {memory} or sends more than {sent}. {compared}"
    );
    told(Verdict::Passed, sentence)
}

impl What {
    /// What it is called on a lane.
    pub fn label(&self) -> &str {
        match self {
            Self::Message { .. } => "message",
            Self::Collective { call, .. } => call,
        }
    }
}
