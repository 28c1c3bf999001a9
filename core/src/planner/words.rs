//! What a search found, in words.

use super::cluster::{Axis, Group};
use super::job::{Choice, Job};
use super::published::Reached;
use super::search::{KNOBS, Layout, Search};
use crate::memory::activations::Recompute;
use crate::memory::verdict::Verdict;
use crate::quantity::{Unit, bytes_decimal, capital, grouped, listed, significant};

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

/// What the fullest GPU holds, and the setting of the memory figure that isn't its default: "49.9 GB of tensors on the fullest GPU (gradients
/// in fp32)".
pub fn held(bytes: f64) -> String {
    format!("{} of tensors on the fullest GPU (gradients in fp32)", bytes_decimal(bytes))
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

/// What is fixed of a search, axis by axis. Experts that a model doesn't have are not divided anyway.
fn fixed(search: &Search) -> Vec<String> {
    let has_experts = search.job().shape.moe.is_some();
    let counts = |name: &str, pin: u64| has_experts || name != "ep" || pin > 1;
    let pinned = KNOBS.iter().zip(search.pins().values()).filter_map(|((name, _), pin)| Some((*name, pin?)));
    pinned.filter(|(name, pin)| counts(name, *pin)).map(|(name, pin)| value(name, pin)).collect()
}

/// The fastest layout that has what `name` calls and the best doesn't, or the other way around, and how much longer its step takes. `is_one`
/// says which values of the axis have it. None where no layout of the other kind was looked at.
pub fn other(search: &Search, axis: &str, name: &str, is_one: fn(u64) -> bool) -> Option<String> {
    let best = search.best()?;
    let (knob, (_, of)) = KNOBS.iter().enumerate().find(|(_, (id, _))| *id == axis)?;
    let has = is_one(of(&best.choice));
    let with = if has { format!("Without {name}") } else { format!("With {name}") };
    let others: Vec<_> = search.prices(knob).iter().filter(|price| is_one(price.value) != has).collect();
    let fastest = others.iter().filter_map(|price| price.best).min_by(|a, b| a.step.total_cmp(&b.step));
    match fastest {
        Some(other) => {
            let more = 100.0 * (other.step / best.step - 1.0);
            let longer = if more < 0.1 { "as fast".to_owned() } else { format!("{}% longer", significant(more, 2)) };
            let step = Unit::Seconds.format(other.step);
            Some(format!("{with} the fastest is {}: {step} per step, {longer}.", layout(&other.choice)))
        }
        None if others.is_empty() => None,
        None => Some(format!("{with} no layout fits.")),
    }
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
    let fixed = fixed(search);
    let with = if fixed.is_empty() { String::new() } else { format!(" with {} fixed", listed(&fixed)) };
    let of = match search.valid() {
        // Nothing is left to choose.
        _ if search.pins().values().iter().all(Option::is_some) => "The layout that you fixed is".to_owned(),
        1 => format!("The only layout that fits{with} is"),
        n => format!("The fastest of {} layouts that fit{with} is", grouped(n as u64)),
    };
    let tight = match best.verdict {
        Verdict::Tight => " It is tight: CUDA, communication buffers and fragmentation may take what is left.",
        _ => "",
    };
    let mfu = job.mfu(total);
    format!(
        "{of} {}. A step takes {} at an MFU of {}, with {}.{tight}{largest}{}",
        layout(&best.choice),
        Unit::Seconds.format(total),
        Unit::Fraction.format(mfu),
        held(best.memory),
        reached(job, mfu)
    )
}

/// What published runs on this GPU reached, beside an MFU in their upper half or above them; empty for others, and where there are too few.
fn reached(job: &Job, mfu: f64) -> String {
    let reached = Reached::on(job.cluster.gpu).filter(|reached| reached.runs >= 3 && mfu > reached.middle);
    reached.map_or_else(String::new, |reached| format!(" {}.", reached.in_words("this GPU")))
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
        ("mbs", 1) => "micro-batches of 1 sequence".to_owned(),
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

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;
    use crate::declare::Model as _;
    use crate::query::Query;

    fn said(query: &str) -> String {
        finding(&Params::read(&Query::parse(query)).0.search().expect("the model is possible").run())
    }

    #[test]
    fn the_fastest_of_a_search_says_what_is_fixed() {
        let job = "model=llama-2-7b&nodes=2";
        let pinned = said(job);
        assert!(
            pinned.contains(" layouts that fit with tp 8, cp 1, micro-batches of 1 sequence and ZeRO-1 fixed is "),
            "{pinned}"
        );
        let free = said(&format!("{job}&tp=0&cp=0&ep=0&mbs=0&zero=any"));
        assert!(free.starts_with("The fastest of ") && !free.contains("fixed"), "{free}");
        let experts = said("model=mixtral-8x7b&nodes=4&tp=0&mbs=0&zero=any");
        assert!(experts.contains(" with cp 1 and ep 1 fixed is "), "{experts}");
        let whole = format!("{job}&tp=1&cp=1&ep=1&pp=1&vpp=1&mbs=1&zero=3&recompute=full");
        assert!(said(&whole).starts_with("The layout that you fixed is dp 16"), "{}", said(&whole));
    }

    #[test]
    fn the_other_kind_of_layout_is_compared_with_the_best() {
        let params = Params::read(&Query::parse("model=llama-2-7b&nodes=2")).0.freed();
        let search = params.search().expect("the model is possible").run();
        let best = search.best().expect("a layout").step;
        let is_split = |n: u64| n > 1;
        let tensor = search.layouts().iter().filter(|l| l.verdict.possible() && is_split(l.choice.degrees.tp));
        let fastest = tensor.map(|l| l.step).min_by(f64::total_cmp).expect("one with tensor parallelism");
        let says = other(&search, "tp", "tensor parallelism", is_split).expect("a comparison");
        assert!(fastest > best && says.starts_with("With tensor parallelism the fastest is tp "), "{says}");
        assert!(says.contains(&Unit::Seconds.format(fastest)), "{says}");
        assert_eq!(other(&search, "tp", "a thousand ranks", |n| n > 1000), None);
    }
}
