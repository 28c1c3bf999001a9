//! Two sets of GPUs set against each other: "4 L40S or 1 H200 for Llama 70B". Each is asked about as if the other weren't there, and what comes of
//! both stands in one answer.

use super::read::{self, Reading};
use super::{Answered, adapters, cache, memory, of, of_reading, planner, sizing, training_run};
use crate::declare::Model as _;
use crate::quantity::{Unit, counted, grouped, number};
use crate::query::{Query, plain};

/// Words that the name of a set of GPUs may have, at the most: "4 NVIDIA RTX A6000 48 GB cards".
const LONGEST: usize = 8;
/// Words that may stand between a named set of GPUs and what sets it against another: "4 L40S for a 30B or one H200".
const BETWEEN: usize = 6;
/// Words before the other set that say nothing of it: "or rather 1 H200".
const LEADS: [&str; 13] =
    ["rather", "just", "only", "simply", "better", "maybe", "even", "use", "buy", "get", "take", "with", "on"];

/// The answer to both, and the second one's own; none where the question doesn't set two sets of GPUs against each other, or no figure
/// answers for both.
pub(super) fn of_sides(question: &str) -> Option<Vec<Answered>> {
    let readings = sides(&read::words(question))?.map(|side| Reading::of(&side));
    let is_open = |r: &Reading| {
        let has_model = r.preset.is_some() || r.params.is_some();
        has_model && !super::is_trouble(r) && !super::has_no_state(r)
    };
    // Without any number of GPUs each side would be of a number that nobody named.
    if !readings.iter().all(is_open) || readings.iter().all(|r| r.cluster().is_none()) {
        return None;
    }
    let [mine, other] = readings.each_ref().map(of_reading);
    // Who compares cards and doesn't say what for wants to run the model.
    let trains = readings.iter().any(super::is_for_training);
    let later = |a: &&Answered| !trains && a.figure == memory::Params::ID;
    let in_order = mine.iter().filter(|a| !later(a)).chain(mine.iter().filter(later));
    let (one, two) =
        in_order.filter_map(|one| Some((one, other.iter().find(|two| two.figure == one.figure)?))).next()?;
    let [a, b] = &readings;
    let lines = [(one, a), (two, b)].map(|(answered, r)| format!("{}: {}", label(r), line(answered, r)));
    let mut first = one.clone();
    first.read.push(format!("or {}", label(b)));
    first.says =
        format!("{} The figure opens with the first, and prices aren’t compared: enter yours there.", lines.join(" "));
    Some(vec![first, two.clone()])
}

/// What a side is called.
fn label(r: &Reading) -> String {
    let name = r.gpu.map_or_else(|| r.foreign.clone().unwrap_or_else(|| "GPUs".to_owned()), |gpu| gpu.name.to_owned());
    match r.all_gpus() {
        Some(gpus) => format!("{} × {name}", grouped(gpus)),
        None => name,
    }
}

/// What comes of a side.
fn line(answered: &Answered, r: &Reading) -> String {
    if r.gpu.is_none() {
        return answered.says.clone();
    }
    let query = &answered.query;
    match answered.figure {
        cache::Params::ID => of(query, |p: &cache::Params, s| {
            let [few, many] = s.fit.beside;
            let after = if few == many {
                grouped(few as u64)
            } else {
                format!("{} to {}", grouped(few as u64), grouped(many as u64))
            };
            if s.fit.requests < 1.0 {
                return p.finding(s);
            }
            format!(
                "{} of {} tokens fit beside {} of weights per GPU, {after} once the engine has taken its share.{}",
                counted(s.fit.requests as u64, "request", "requests"),
                grouped(p.tokens),
                Unit::Bytes.format(s.fit.weights),
                alone(r)
            )
        }),
        sizing::Params::ID => of(query, |p: &sizing::Params, plan| {
            let Some(size) = plan.size() else { return String::new() };
            format!(
                "{} at {} per token need {} in replicas of {}, each for up to {}.{}",
                counted(p.users, "user", "users"),
                Unit::Seconds.format(p.token),
                counted(size.gpus().unwrap_or(0), "GPU", "GPUs"),
                grouped(size.replica()),
                counted(size.most.map_or(0, |point| point.batch), "user", "users"),
                alone(r)
            )
        }),
        training_run::Params::ID => of(query, |_: &training_run::Params, run| {
            format!("{} at an MFU of {}.", Unit::Seconds.format(run.seconds()), Unit::Fraction.format(run.machine.mfu))
        }),
        memory::Params::ID => of(query, |_: &memory::Params, b| b.answer()[0].clone()),
        adapters::Params::ID => of(query, |p: &adapters::Params, s| p.verdict_in_words(s, p.tune)),
        planner::Params::ID => answered.says.clone(),
        _ => answered.says.clone(),
    }
}

/// How fast one user's answer comes from all the GPUs of a side in one replica; empty where they can't be divided so.
fn alone(r: &Reading) -> String {
    let gpus = r.all_gpus().unwrap_or(1);
    let slow = plain(10.0);
    let sets = vec![("users", "1".to_owned()), ("tp", gpus.to_string()), ("token", slow)];
    let query = super::rule_of(sizing::Params::ID).filter(|_| sizing::SIZES.contains(&gpus));
    let query = query.and_then(|rule| super::bare(rule, r, sets));
    let token = query.and_then(|query: Query| {
        let (params, _) = sizing::Params::read(&query);
        Some(params.evaluate().ok()?.size()?.share.token)
    });
    token.map_or_else(String::new, |token| {
        format!(" A single user gets about {} tokens per second.", number((1.0 / token).round()))
    })
}

/// Both sides of a question, each without the other.
fn sides(words: &[String]) -> Option<[String; 2]> {
    words.iter().enumerate().find_map(|(at, _)| {
        let between = between(words, at)?;
        let ends_at = |end: usize| {
            (1..=LONGEST.min(end)).rev().find_map(|n| {
                let start = end - n;
                span(words.get(start..end)?).filter(|span| span.words == n).map(|span| (start, span))
            })
        };
        let left = (0..=BETWEEN.min(at)).find_map(|gap| {
            // A number alone is one of GPUs only beside another set.
            let (start, span) = ends_at(at - gap)?;
            (gap == 0 || (span.is_named && span.count > 0)).then_some((start, span))
        });
        let rest = words.get(at + between..)?;
        let is_lead = |word: &&String| LEADS.contains(&word.as_str());
        let leads = rest.iter().take(2).take_while(is_lead).count();
        let article = leads + usize::from(rest.get(leads).is_some_and(|word| read::ONE.contains(&word.as_str())));
        let right = span(rest.get(article..)?)?;
        let (start, left) = left?;
        let is_beside = start + left.words == at && leads == 0;
        let is_pair = right.is_named || (left.is_named && is_beside);
        if !is_pair {
            return None;
        }
        let own = |from: usize, span: &Span| words.get(from..from + span.words).unwrap_or_default().to_vec();
        let right_at = at + between + article;
        let (mut one, mut two) = (own(start, &left), own(right_at, &right));
        // "2 or 4 H100", "8 H100 or 16".
        if !left.is_named {
            one.truncate(left.count);
            one.extend(two.get(right.count..).unwrap_or_default().iter().cloned());
        } else if !right.is_named {
            two.truncate(right.count);
            two.extend(one.get(left.count..).unwrap_or_default().iter().cloned());
        }
        if one == two {
            return None;
        }
        let around = |side: Vec<String>| {
            let before = words.get(..start).unwrap_or_default().iter().cloned();
            // What stands between the first set and "or" is said of both.
            let shared = words.get(start + left.words..at).unwrap_or_default().iter().cloned();
            let after = words.get(right_at + right.words..).unwrap_or_default().iter().cloned();
            before.chain(side).chain(shared).chain(after).collect::<Vec<_>>().join(" ")
        };
        Some([around(one), around(two)])
    })
}

/// How many words there set one thing against another.
fn between(words: &[String], at: usize) -> Option<usize> {
    let next = words.get(at + 1).map_or("", String::as_str);
    match words.get(at)?.as_str() {
        "or" | "vs" | "versus" | "against" => Some(1),
        "instead" if next == "of" => Some(2),
        "rather" if next == "than" => Some(2),
        "compared" if matches!(next, "to" | "with") => Some(2),
        "and" if words.iter().any(|word| matches!(word.as_str(), "between" | "compare")) => Some(1),
        _ => None,
    }
}

/// The name of a set of GPUs.
struct Span {
    /// Words of it.
    words: usize,
    /// Words of its number.
    count: usize,
    /// Whether it names the GPU.
    is_named: bool,
}

/// The set of GPUs at the beginning of these words: a number, a name, or both.
fn span(words: &[String]) -> Option<Span> {
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let is_number = |at: usize| {
        let n = read::number(word(at)).or_else(|| read::spelled(word(at)).map(|n| (n, "")));
        n.is_some_and(|(n, unit)| matches!(unit, "" | "x") && n.fract() == 0.0 && (1.0..=100_000.0).contains(&n))
            && !read::names_gpu(word(at))
    };
    let count = match (is_number(0), word(1)) {
        (true, "x") => 2,
        (true, _) => 1,
        (false, _) => 0,
    };
    let makers = words.iter().skip(count).take_while(|word| read::is_form(word)).count();
    let name = count + makers;
    if !read::names_gpu(word(name)) {
        let is_counted = count > 0 && makers == 0;
        return is_counted.then_some(Span { words: count, count, is_named: false });
    }
    let mut end = name + 1;
    loop {
        let gigabytes = |at: usize| read::number(word(at)).is_some_and(|(_, unit)| matches!(unit, "gb" | "gib" | "g"));
        let is_apart =
            read::number(word(end)).is_some_and(|(_, unit)| unit.is_empty()) && matches!(word(end + 1), "gb" | "gib");
        end += match word(end) {
            "gpus" | "cards" | "card" | "gpu" => 1,
            form if read::is_form(form) => 1,
            _ if gigabytes(end) => 1,
            _ if is_apart => 2,
            _ => return Some(Span { words: end, count, is_named: true }),
        };
    }
}
