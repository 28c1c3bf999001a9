//! What a search found, in words.

use super::cluster::{Axis, Group};
use super::job::{Choice, Job};
use super::search::{KNOBS, Layout, Search};
use crate::memory::activations::Recompute;
use crate::memory::verdict::Verdict;
use crate::quantity::{Unit, bytes_decimal, capital, grouped, significant};

/// A layout in a few words: "tp 8 · pp 16 · dp 8 · 3 chunks · ZeRO-1".
pub fn layout(choice: &Choice) -> String {
    let d = choice.degrees;
    let named = |name: &str, n: u64| (n > 1).then(|| format!("{name} {}", grouped(n)));
    let parts = [
        named("tp", d.tp),
        named("cp", d.cp),
        named("ep", d.ep),
        named("pp", d.pp),
        (choice.chunks > 1).then(|| format!("{} chunks", choice.chunks)),
        named("dp", d.dp),
        (choice.mbs > 1).then(|| format!("micro-batches of {}", choice.mbs)),
        (choice.zero > 0).then(|| format!("ZeRO-{}", choice.zero)),
        match choice.recompute {
            Recompute::None => None,
            Recompute::Selective => Some("selective recomputation".to_owned()),
            Recompute::Full => Some("full recomputation".to_owned()),
        },
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing split".to_owned() } else { parts.join(" · ") }
}

/// Where the groups of an axis lie and what connects them: "inside a node, over NVLink 3 (A100)".
pub fn place(job: &Job, group: Group) -> String {
    let cluster = &job.cluster;
    match group.ranks.div_ceil(group.local) {
        _ if group.ranks < 2 => "one rank".to_owned(),
        1 => format!("inside a node, over {}", cluster.link.name),
        n if group.local == 1 => format!("over {} nodes, one rank in each, by {}", grouped(n), cluster.net.name),
        n => format!("over {} nodes, {} ranks in each, by {}", grouped(n), group.local, cluster.net.name),
    }
}

/// Why a search has no layout to show: a sentence.
pub fn why_none(search: &Search) -> String {
    let least = search.layouts().iter().min_by(|a, b| a.memory.total_cmp(&b.memory));
    if let Some(least) = least {
        let have = search.job().cluster.gpu.memory.0;
        return format!(
            "No layout fits: the smallest, {}, holds {} on a GPU of {}, without what is always beside.",
            layout(&least.choice),
            bytes_decimal(least.memory),
            bytes_decimal(have)
        );
    }
    let most = search.refused().max_by_key(|r| r.count);
    let why = most.map_or_else(String::new, |r| format!(" {} {}", r.example, r.example.rule()));
    format!("No layout is possible.{why}")
}

/// The best layout in a few sentences, with its numbers.
pub fn finding(search: &Search) -> String {
    let Some(best) = search.best() else { return why_none(search) };
    let (job, step) = (search.job(), search.job().step(&best.choice));
    let total = step.total();
    let losses = step.parts();
    let loss = losses.iter().filter(|p| p.0 != "compute").max_by(|a, b| a.2.total_cmp(&b.2));
    let largest = loss.map_or_else(String::new, |(_, label, seconds)| {
        format!(
            " The largest loss is {}: {} of the step.",
            label.to_lowercase(),
            Unit::Fraction.format(seconds / total)
        )
    });
    let of = match search.valid() {
        1 => "The only layout that fits is".to_owned(),
        n => format!("The fastest of {} layouts that fit is", grouped(n as u64)),
    };
    let tight = match best.verdict {
        Verdict::Tight => " It is tight: CUDA, communication buffers and fragmentation may take what is left.",
        _ => "",
    };
    format!(
        "{of} {}. A step takes {} at an MFU of {}, with {} of tensors on the fullest GPU.{tight}{largest}",
        layout(&best.choice),
        Unit::Seconds.format(total),
        Unit::Fraction.format(job.mfu(total)),
        bytes_decimal(best.memory)
    )
}

/// A reason for one value of the best layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The axis: `tp`.
    pub name: &'static str,
    /// Its value in the best layout.
    pub value: String,
    /// What the neighbouring values would cost.
    pub why: String,
}

/// The value of an axis for a person.
pub fn value(name: &str, value: u64) -> String {
    match (name, value) {
        ("zero", 0) => "no ZeRO".to_owned(),
        ("zero", stage) => format!("ZeRO-{stage}"),
        ("recompute", 0) => "no recomputation".to_owned(),
        ("recompute", 1) => "selective recomputation".to_owned(),
        ("recompute", _) => "full recomputation".to_owned(),
        ("chunks", 1) => "1 chunk".to_owned(),
        ("chunks", n) => format!("{n} chunks"),
        ("mbs", n) => format!("micro-batches of {n}"),
        (name, n) => format!("{name} {n}"),
    }
}

/// Why the best layout is what it is, axis by axis: what the values beside its own would cost.
pub fn reasons(search: &Search) -> Vec<Reason> {
    let Some(best) = search.best() else { return Vec::new() };
    (0..KNOBS.len()).filter_map(|knob| reason(search, best, knob)).collect()
}

fn reason(search: &Search, best: &Layout, knob: usize) -> Option<Reason> {
    let (name, of) = *KNOBS.get(knob)?;
    let prices = search.prices(knob);
    let own = of(&best.choice);
    let at = prices.iter().position(|p| p.value == own)?;
    let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|i| prices.get(i));
    let costs: Vec<String> = beside
        .map(|price| {
            let other = value(name, price.value);
            match price.best {
                None => format!("{other}: {} at the least", bytes_decimal(price.least)),
                Some(layout) => {
                    let more = 100.0 * (layout.step / best.step - 1.0);
                    if more < 0.1 {
                        format!("{other}: as fast")
                    } else {
                        format!("{other}: {}% longer", significant(more, 2))
                    }
                }
            }
        })
        .collect();
    let axis = Axis::find(name).filter(|_| own > 1);
    let lies = axis.map(|axis| place(search.job(), best.choice.degrees.group(axis, search.job().cluster.node)));
    let beside = (!costs.is_empty()).then(|| costs.join("; "));
    let parts: Vec<String> = lies.into_iter().chain(beside).map(|part| format!("{part}.")).collect();
    if parts.is_empty() {
        return None;
    }
    Some(Reason { name, value: value(name, own), why: capital(&parts.join(" ")) })
}
