//! What follows from a question's numbers alone, without a model: an all-reduce, a checkpoint interval, Amdahl's speedup; and the size of a
//! checkpoint, the tokens per second of a plan, and the speed of decoding at a bandwidth, which need no more than a model's size.

use super::read::{CHECKPOINT, Reading, What, number as amount};
use super::{Answered, of, some};
use crate::amdahl;
use crate::declare::Model as _;
use crate::failure::Failures;
use crate::hardware::{ALL, links};
use crate::model::{ModelRef, presets};
use crate::network::sizes;
use crate::quantity::{Unit, bytes_decimal, count, number};
use crate::query::{Query, plain};
use crate::speculative::serving as decoding;
use crate::training_run;

/// The figure that a question's numbers set, and what they come to; none where the question is of no such kind, or lacks a number.
pub(super) fn of_numbers(r: &Reading) -> Option<Answered> {
    collective(r)
        .or_else(|| interval(r))
        .or_else(|| amdahl(r))
        .or_else(|| saved(r))
        .or_else(|| needed(r))
        .or_else(|| decoded(r))
}

/// A figure in a state, with what was read of the question: what `takes` names, and these amounts of its own.
fn shown<M: crate::declare::Model>(
    r: &Reading,
    query: Query,
    takes: &[What],
    own: &[String],
    says: impl Fn(&M, &M::Result) -> String,
) -> Answered {
    let [mut read, mut unused] = r.parted(|what| takes.contains(&what));
    unused.retain(|text| !own.contains(text));
    read.extend(own.iter().cloned());
    let says = of(&query, says);
    Answered { figure: M::ID, title: M::TITLE, query, read, unused, says }
}

/// Time of a collective: bytes, ranks and a link, or that of its GPU.
fn collective(r: &Reading) -> Option<Answered> {
    let (op, bytes) = (r.collective?, r.bytes?);
    let [node, nodes] = r.cluster()?;
    let ranks = r.all_gpus()?;
    if ranks < 2 || r.has(&["hangs", "hang", "stuck", "timeout", "wrong"]) {
        return None;
    }
    // Who says a number of GPUs below a node's has them in one.
    let inside = ranks <= node.max(8) && nodes == 1;
    let mut query = Query::new([("op", op.to_owned()), ("bytes", plain(bytes)), ("ranks", ranks.to_string())]);
    let own = r.gpu.map(links::of);
    let net = if r.has(&["ethernet"]) {
        Some("eth-100")
    } else if r.has(&["roce", "rocev2"]) {
        Some("roce-400")
    } else if r.has(&["hdr"]) {
        Some("hdr")
    } else if r.has(&["infiniband", "ib", "ndr"]) {
        Some("ndr")
    } else {
        None
    };
    let link = if r.has(&["pcie"]) { Some("pcie4") } else { own.and_then(|(link, _)| Some(link?.id)) };
    if let Some(link) = link {
        query.set("link", link);
    }
    if let Some(net) = net.or(own.and_then(|(_, net)| Some(net?.id))) {
        query.set("net", net);
    }
    // A network is between nodes, however few ranks: one each.
    let is_network = net.is_some() && !r.has(&["nvlink", "pcie"]);
    if is_network && inside {
        query.set("node", "1");
    } else if nodes > 1 || (inside && node != 8) {
        query.set("node", node.to_string());
        // A port for each of its GPUs.
        query.set("nics", node.min(8).to_string());
    }
    if let Some(bandwidth) = r.bandwidth {
        query.set(if inside && !is_network { "rate" } else { "net-rate" }, plain(bandwidth));
    }
    let takes = [What::Bytes, What::Cluster, What::Bandwidth, What::Gpu];
    Some(shown(r, query, &takes, &[op.to_owned()], |p: &sizes::Params, s| {
        // One node's ranks share its links, so a ring through all nodes sends less over each port.
        let flat = sizes::Params { wires: crate::network::Wires { node: 1, ..p.wires }, ..p.clone() };
        let flat = flat.evaluate().ok().filter(|_| r.bandwidth.is_some() && !inside && p.wires.node > 1);
        let flat = flat.map_or_else(String::new, |flat| {
            format!(
                " Counted with {} GPUs per node on {}, each with a port of {}. If all had that port alone, it would take {}.",
                p.wires.node,
                p.links()[0].name,
                Unit::BytesPerSecond.format(p.links()[1].bandwidth),
                Unit::Seconds.format(flat.chosen.time(p.bytes))
            )
        });
        s.finding() + &flat
    }))
}

/// A time in these words: its seconds, where it stands, and how it is written.
fn times(r: &Reading) -> Vec<(usize, f64, String)> {
    let seconds = |unit: &str| match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1.0),
        "min" | "mins" | "minute" | "minutes" => Some(60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" => Some(3600.0),
        "day" | "days" => Some(86_400.0),
        "week" | "weeks" => Some(604_800.0),
        _ => None,
    };
    let at = |(at, word): (usize, &String)| {
        let (n, unit) = amount(word).unwrap_or((1.0, ""));
        let before = at.checked_sub(1).and_then(|at| r.words.get(at)).map_or("", String::as_str);
        // "Every hour" has no number.
        let is_one = seconds(word).is_some() && before == "every";
        let unit = match unit {
            _ if is_one => word,
            "" if amount(word).is_some() => r.words.get(at + 1)?,
            unit => unit,
        };
        Some((at, n * seconds(unit)?, format!("{n} {unit}"))).filter(|(_, seconds, _)| (1e-3..1e9).contains(seconds))
    };
    r.words.iter().enumerate().filter_map(at).collect()
}

/// How often to save: the time between failures, and that of writing a checkpoint.
fn interval(r: &Reading) -> Option<Answered> {
    if !r.asks_interval() {
        return None;
    }
    let times = times(r);
    const FAILS: [&str; 5] = ["mtbf", "mttf", "between", "every", "mean"];
    let fails: Vec<&str> = FAILS.into_iter().chain(super::read::FAILS).collect();
    const WRITES: [&str; 14] = [
        "write",
        "writes",
        "writing",
        "written",
        "takes",
        "take",
        "save",
        "saves",
        "saving",
        "cost",
        "costs",
        "stall",
        "pause",
        "checkpoint",
    ];
    let near = |at: usize, list: &[&str]| {
        let far = |(own, word): (usize, &String)| list.contains(&word.as_str()).then(|| own.abs_diff(at));
        r.words.iter().enumerate().filter_map(far).min().unwrap_or(usize::MAX)
    };
    let (mtbf_at, mtbf, mtbf_said) = times.iter().min_by_key(|(at, ..)| near(*at, &fails))?.clone();
    let write = times.iter().filter(|(at, ..)| *at != mtbf_at).min_by_key(|(at, ..)| near(*at, &WRITES));
    let moved = r.bytes.zip(r.bandwidth).map(|(bytes, bandwidth)| (bytes / bandwidth, String::new()));
    let given = write.map(|(_, seconds, said)| (*seconds, said.clone())).or(moved);
    let is_given = given.is_some();
    // Who doesn't say how long it takes to write is answered for the figure's checkpoint.
    let usual = || Failures::standard().evaluate().ok().map(|o| (o.cost, String::new()));
    let (write, write_said) = given.or_else(usual)?;
    let gpus = r.all_gpus().unwrap_or(Failures::standard().gpus);
    let gpus = gpus.clamp(8, 131_072);
    let each = mtbf / 3600.0 * gpus as f64;
    let state = |interval: f64| {
        Query::new([
            ("view", "interval".to_owned()),
            ("rates", "own".to_owned()),
            ("gpu-mtbf", plain(each)),
            ("gpus", gpus.to_string()),
            ("write", plain(write)),
            ("fixed", "0".to_owned()),
            ("interval", plain(interval)),
        ])
    };
    let (standard, problems) = Failures::read(&state(Failures::standard().interval));
    let daly = crate::failure::interval::daly(write, standard.mtbf_of(gpus as f64));
    if !problems.is_empty() || !(10.0..=100_000.0).contains(&daly) {
        return None;
    }
    let own = [mtbf_said, write_said].map(|text| text.to_owned());
    let takes = [What::Cluster, What::Bytes, What::Bandwidth, What::Days];
    let mut answered = shown(r, state(daly.round()), &takes, &own, |p: &Failures, o| {
        let assumed = if is_given {
            ""
        } else {
            "The question doesn’t say how long a checkpoint stops training: the figure’s time is assumed. "
        };
        format!(
            "{assumed}Save every {} (Daly; Young’s √(2δM) is {}): a checkpoint stops training for {}, and something fails every {}. With \
             that interval and the figure’s recovery time of {}, {} of the time is useful work.",
            Unit::Seconds.format(o.daly),
            Unit::Seconds.format(o.young),
            Unit::Seconds.format(o.cost),
            Unit::Seconds.format(o.mtbf),
            Unit::Seconds.format(o.recovery),
            Unit::Fraction.format(o.efficiency(p.interval)),
        )
    });
    answered.read.retain(|text| !text.is_empty());
    Some(answered)
}

/// Amdahl's speedup: a serial or a parallel part, and processors.
fn amdahl(r: &Reading) -> Option<Answered> {
    let (at, part) = r.words.iter().enumerate().find_map(|(at, word)| {
        let (n, unit) = amount(word)?;
        let is_percent = unit == "%" || r.words.get(at + 1).is_some_and(|word| word == "percent");
        let part = if is_percent { n / 100.0 } else { n };
        ((is_percent || (n < 1.0 && n > 0.0)) && (0.0..=1.0).contains(&part)).then_some((at, part))
    })?;
    let beside = r.words.get(at.saturating_sub(4)..r.words.len().min(at + 7)).unwrap_or_default();
    if !r.asks_law() {
        return None;
    }
    const NOT: [&str; 6] = ["cant", "cannot", "not", "isnt", "serial", "sequential"];
    let is_serial = beside.iter().any(|word| NOT.contains(&word.as_str()));
    let is_parallel = beside.iter().any(|word| word.starts_with("parallel"));
    let serial = if is_parallel && !is_serial { 1.0 - part } else { part };
    // Rounded, so that 1 − 0.95 is 0.05.
    let serial = (serial * 1e9).round() / 1e9;
    let n = r.all_gpus();
    let mut query = Query::new([("serial", plain(serial)), ("cost", "0".to_owned())]);
    query = query.with(&Query::new(some([("n", n)])));
    let own = [r.words.get(at).cloned().unwrap_or_default()];
    let lead = if n.is_none() { "The question doesn’t say how many processors. " } else { "" };
    Some(shown(r, query, &[What::Cluster], &own, |p: &amdahl::Params, _| lead.to_owned() + &p.finding()))
}

/// A model of this size: its name and its parameters.
fn size(r: &Reading) -> Option<(String, f64)> {
    let named = r.preset.and_then(|preset| Some((preset.name.to_owned(), preset.shape.count().ok()?.total as f64)));
    named.or_else(|| Some((format!("{} parameters", count(r.params?)), r.params?)))
}

/// What a checkpoint takes on a disk.
fn saved(r: &Reading) -> Option<Answered> {
    let is_size = r.has(&["size", "sizes", "big", "large", "disk", "storage", "space"])
        || (r.says(&["how", "much"]) && !r.has(&["memory", "vram", "ram"]))
        || r.says(&["how", "many", "gb"])
        || r.says(&["how", "many", "tb"]);
    let is_kept = r.has(CHECKPOINT.get(..2)?) || r.has(&["ckpt", "ckpts"]);
    if !is_size || !is_kept || r.has(&super::OUT) || super::is_trouble(r) || r.has(&super::SERVE) || r.asks_batch() {
        return None;
    }
    let (name, params) = size(r)?;
    let query = Query::new([("params", plain(params))]);
    let takes = [What::Model];
    Some(shown(r, query, &takes, &[], |p: &Failures, o| {
        format!(
            "A checkpoint of {name} that training can go on from takes {}: {} bytes per parameter (weights in bf16 and fp32, Adam’s two \
             moments). The weights alone take {} in bf16.",
            bytes_decimal(o.store.bytes),
            number(p.bytes),
            bytes_decimal(2.0 * p.params),
        )
    }))
}

/// Tokens per second that a number of tokens in so many days needs, without a model.
fn needed(r: &Reading) -> Option<Answered> {
    let (tokens, days) = r.tokens.zip(r.days)?;
    if r.preset.is_some() || r.params.is_some() || !(r.asks_speed() || r.has(&["throughput"])) {
        return None;
    }
    let query = Query::new([("given", "tokens".to_owned()), ("tokens", plain(tokens))]);
    Some(shown(r, query, &[What::Tokens, What::Days], &[], |_: &training_run::Params, _| {
        format!(
            "{} tokens in {} are {} tokens per second, without a stop. Name the model as well to hear how many GPUs that takes: the figure opens with one of its own.",
            count(tokens),
            Unit::Seconds.format(days * 86_400.0),
            count(tokens / (days * 86_400.0))
        )
    }))
}

/// How fast one sequence is decoded at most where the bandwidth of the memory is given.
fn decoded(r: &Reading) -> Option<Answered> {
    let bandwidth = r.bandwidth?;
    let is_asked = r.asks_speed() || r.has(&["decode", "decoding", "generation", "generate", "inference"]);
    if !is_asked || r.trains() || r.collective.is_some() {
        return None;
    }
    let preset = r.preset.or_else(|| super::read::like(r.params?, r.is_mixture(), presets::LIST.ids))?;
    let quants = r.terms().find_map(|term| term.sets.iter().find(|(name, _)| *name == "quant"));
    let quant = quants.map_or(preset.stored.quant.id(), |(_, value)| value);
    // The table's own GPU with that memory, if there is one.
    let near = ALL.iter().find(|gpu| (gpu.bandwidth / bandwidth - 1.0).abs() < 0.01);
    let gpu = r.gpu.filter(|gpu| (gpu.bandwidth / bandwidth - 1.0).abs() < 0.01).or(near);
    let mut query = ModelRef::Preset(preset).query();
    query = query.with(&Query::new([("batch", "1"), ("context", "1"), ("quant", quant)]));
    if let Some(gpu) = gpu {
        query.set("gpu", gpu.id);
    }
    // As many GPUs as hold the weights.
    let holds = |tp: &u64| {
        let (params, _) = decoding::Params::read(&query.with(&Query::new([("tp", tp.to_string())])));
        params.evaluate().is_ok()
    };
    if let Some(tp) = [1, 2, 4, 8, 16].into_iter().find(holds).filter(|tp| *tp > 1) {
        query.set("tp", tp.to_string());
    }
    let terms: Vec<String> = r.terms().map(|term| term.name.to_owned()).collect();
    Some(shown(r, query, &[What::Model, What::Bandwidth, What::Gpu], &terms, |p: &decoding::Params, o| {
        let figure = match gpu {
            Some(gpu) => format!(" The figure has the {}, with that bandwidth.", gpu.name),
            None => format!(
                " The figure has no GPU with that bandwidth and opens with the {}, at {}.",
                p.machine.gpu.name,
                Unit::BytesPerSecond.format(p.machine.gpu.bandwidth)
            ),
        };
        format!(
            "At most {} tokens per second for one sequence: each token reads the {} of weights that it uses ({}, {}), in {} at {}. \
             Caches and the starts of kernels come on top.{figure}",
            number(bandwidth / o.pass.weights),
            bytes_decimal(o.pass.weights),
            p.machine.model.name(),
            p.machine.quant.label(),
            Unit::Seconds.format(o.pass.weights / bandwidth),
            Unit::BytesPerSecond.format(bandwidth),
        )
    }))
}
