//! What starts the processes on a node: torchrun, accelerate, or the script itself.
//!
//! Sources: pytorch/pytorch `torch/distributed/run.py`, `torch/distributed/elastic/rendezvous/`, `torch/distributed/rendezvous.py`;
//! huggingface/accelerate `src/accelerate/commands/launch.py`.

use super::batch::assignments;
use super::shell::{Env, Word, commands, expand};
use super::verdict::{Fault, Launch};
use super::world::{PORT, Process, Task};
use crate::query::{did_you_mean, shorten};

/// Options of torchrun that are known, written with hyphens.
const TORCHRUN: [&str; 17] = [
    "nnodes",
    "nproc-per-node",
    "node-rank",
    "rdzv-backend",
    "rdzv-endpoint",
    "rdzv-id",
    "rdzv-conf",
    "master-addr",
    "master-port",
    "max-restarts",
    "monitor-interval",
    "log-dir",
    "redirects",
    "tee",
    "local-addr",
    "role",
    "local-ranks-filter",
];
/// Options of accelerate launch.
const ACCELERATE: [&str; 13] = [
    "num-machines",
    "num-processes",
    "machine-rank",
    "main-process-ip",
    "main-process-port",
    "mixed-precision",
    "config-file",
    "rdzv-backend",
    "dynamo-backend",
    "num-cpu-threads-per-process",
    "same-network",
    "gpu-ids",
    "fsdp-config",
];
/// Options that take no value.
const FLAGS: [&str; 10] = [
    "standalone",
    "no-python",
    "module",
    "multi-gpu",
    "use-fsdp",
    "use-deepspeed",
    "run-path",
    "same-network",
    "no-local-rank",
    "debug",
];

/// An agent: one for each node, as a rule, which starts the processes there.
#[derive(Debug, Clone)]
struct Agent {
    task: Task,
    nnodes: u64,
    nproc: u64,
    node_rank: u64,
    /// Where agents meet: host and port; none where each keeps to itself.
    endpoint: Option<(String, String)>,
    /// Whether they agree on ranks among themselves, else each is told its own.
    elastic: bool,
}

/// Starts `command` in each task; whether it launched something. `line_env` is what the batch shell replaces words with.
pub fn start(tasks: &[Task], command: &[Word], batch: &Env, stepped: bool, launch: &mut Launch) -> bool {
    let Some(first) = command.first() else { return false };
    let line = first.line;
    if matches!(first.raw.as_str(), "bash" | "sh")
        && command.get(1).is_some_and(|w| w.raw.starts_with('-') && w.raw.ends_with('c'))
    {
        let Some(inner) = command.get(2) else { return false };
        let text = expand(&inner.raw, batch);
        let mut launched = false;
        let mut all = Vec::new();
        for task in tasks {
            let mut task = task.clone();
            for command in commands(&text, inner.line) {
                let (rest, local) = assignments(&command, &mut task.env);
                see_devices(&mut task);
                if rest.is_empty() {
                    continue;
                }
                let mut of_command = Task { env: local, ..task.clone() };
                see_devices(&mut of_command);
                let words: Vec<Word> =
                    rest.iter().map(|w| Word { raw: quote(&expand(&w.raw, &of_command.env)), line: w.line }).collect();
                if is_launcher(&words) {
                    of_command.env = of_command.env.inherited();
                    all.push((of_command, words));
                    launched = true;
                    break;
                }
            }
        }
        if launched {
            make(all, stepped, line, launch);
        }
        return launched;
    }
    let words: Vec<Word> = command.iter().map(|w| Word { raw: quote(&expand(&w.raw, batch)), line: w.line }).collect();
    // A container or a launcher of something else may stand before it.
    let Some(at) = (0..words.len()).find(|&i| words.get(i..).is_some_and(is_launcher)) else { return false };
    let words = words.get(at..).unwrap_or_default().to_vec();
    make(tasks.iter().map(|task| (task.clone(), words.clone())).collect(), stepped, line, launch);
    true
}

/// A word that expands to itself.
pub fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "’"))
}

/// A word that [`quote`] made, without its quotes.
pub fn plain(word: &Word) -> &str {
    word.raw.trim_matches('\'')
}

/// `CUDA_VISIBLE_DEVICES` as set in the task: those of what it had.
fn see_devices(task: &mut Task) {
    if task.env.line("CUDA_VISIBLE_DEVICES") == 0 {
        return;
    }
    let list = task.env.get("CUDA_VISIBLE_DEVICES").to_owned();
    let chosen = list.split(',').map_while(|one| one.trim().parse::<usize>().ok());
    task.visible = chosen.filter_map(|i| task.visible.get(i).copied()).collect();
    task.env.set("CUDA_VISIBLE_DEVICES", list, true, 0);
}

fn is_launcher(words: &[Word]) -> bool {
    let name = words.first().map_or("", plain);
    let program = name.rsplit('/').next().unwrap_or(name);
    matches!(program, "torchrun" | "accelerate") || program.starts_with("python")
}

/// The processes of all tasks.
fn make(tasks: Vec<(Task, Vec<Word>)>, stepped: bool, line: usize, launch: &mut Launch) {
    launch.line = line;
    launch.stepped = stepped;
    let Some((_, words)) = tasks.first() else { return };
    let name = words.first().map_or("", plain);
    let through_python = name.contains("python")
        && words.iter().any(|w| {
            matches!(plain(w), "torch.distributed.run" | "torch.distributed.launch" | "accelerate.commands.launch")
        });
    if name.ends_with("torchrun") || name.ends_with("accelerate") || through_python {
        let mut agents = Vec::new();
        for (task, words) in tasks {
            let skip = words.iter().position(|w| plain(w).starts_with("--")).unwrap_or(words.len());
            let accelerate = words.iter().take(skip).any(|w| plain(w).contains("accelerate"));
            match agent(task, words.get(skip..).unwrap_or_default(), accelerate) {
                Ok(agent) => agents.push(agent),
                Err(refused) => return refused.note(launch),
            }
        }
        launch.agents = true;
        meet(&agents, launch);
    } else {
        launch.processes = tasks.iter().map(|(task, _)| by_environment(task)).collect();
    }
}

/// A process that takes everything from its environment: `env://`.
fn by_environment(task: &Task) -> Process {
    let number = |name: &str| task.env.exported(name).and_then(|text| text.trim().parse::<u64>().ok());
    let mut process = Process::of(task);
    // A script that has no LOCAL_RANK takes GPU 0.
    let local = number("LOCAL_RANK");
    process = process.with_local_rank(local.unwrap_or(0));
    process.local_rank = local;
    process.rank = number("RANK");
    process.world_size = number("WORLD_SIZE");
    process.master = task.env.exported("MASTER_ADDR").unwrap_or_default().to_owned();
    process.port = task.env.exported("MASTER_PORT").unwrap_or_default().to_owned();
    process
}

type Named = Vec<(String, String, usize)>;

/// What a program refuses: the line, why, and what it prints of it; nothing where that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refused {
    /// The line.
    pub line: usize,
    /// Why, and what would be valid.
    pub why: String,
    /// What the program prints.
    pub said: String,
}

impl Refused {
    /// Notes it.
    pub fn note(self, launch: &mut Launch) {
        launch.detail = self.said;
        launch.remark(self.line, self.why);
        launch.fail(Fault::BadArgument, self.line);
    }
}

/// The options of a launcher, up to the name of the script.
fn arguments(words: &[Word], known: &[&str]) -> Result<Named, Refused> {
    let (mut all, mut i): (Named, usize) = (Vec::new(), 0);
    while let Some(word) = words.get(i) {
        let Some(long) = plain(word).strip_prefix("--") else { break };
        let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v.to_owned())));
        let name = name.replace('_', "-");
        i += 1;
        if FLAGS.contains(&name.as_str()) {
            all.push((name, String::new(), word.line));
            continue;
        }
        if !known.contains(&name.as_str()) {
            return Err(Refused {
                line: word.line,
                why: format!("There is no option --{}{}.", shorten(&name), did_you_mean(&name, known)),
                said: format!("torchrun: error: {}", unknown(&name, plain(word), known)),
            });
        }
        let value = match value {
            Some(value) => value,
            None => {
                i += 1;
                words.get(i - 1).map(|w| plain(w).to_owned()).unwrap_or_default()
            }
        };
        all.push((name, value, word.line));
    }
    Ok(all)
}

/// What argparse says of an option that it does not know. It takes a beginning for the whole, and torchrun's options have two spellings.
fn unknown(name: &str, word: &str, known: &[&str]) -> String {
    match known.iter().find(|option| option.starts_with(name) && option.contains('-')) {
        Some(option) => {
            format!("ambiguous option: {} could match --{option}, --{}", shorten(word), option.replace('-', "_"))
        }
        None => format!("unrecognized arguments: {}", shorten(word)),
    }
}

fn agent(task: Task, words: &[Word], accelerate: bool) -> Result<Agent, Refused> {
    let given = arguments(words, if accelerate { &ACCELERATE } else { &TORCHRUN })?;
    let find = |name: &str| given.iter().rev().find(|(n, ..)| n == name);
    // What torchrun is not told it takes from variables with PET_ before them.
    let text = |name: &str| -> Option<(String, usize)> {
        let variable = format!("PET_{}", name.replace('-', "_").to_ascii_uppercase());
        let by_env = task.env.exported(&variable).map(|v| (v.to_owned(), task.env.line(&variable)));
        find(name).map(|(_, value, line)| (value.clone(), *line)).or(by_env)
    };
    let number = |name: &str, least: u64, default: u64| -> Result<u64, Refused> {
        let Some((value, line)) = text(name) else { return Ok(default) };
        let last = value.rsplit(':').next().unwrap_or(&value).to_owned();
        match last.parse::<u64>() {
            Ok(n) if (least..=4096).contains(&n) => Ok(n),
            _ => Err(Refused {
                line,
                why: format!("--{name} must be a whole number from {least}, not “{}”.", shorten(&value)),
                said: String::new(),
            }),
        }
    };
    if accelerate {
        let machines = number("num-machines", 1, 1)?;
        let all = number("num-processes", 1, task.visible.len().max(1) as u64)?;
        let host = text("main-process-ip").map_or_else(|| "127.0.0.1".to_owned(), |(v, _)| v);
        let port = text("main-process-port").map_or_else(|| PORT.to_owned(), |(v, _)| v);
        let node_rank = number("machine-rank", 0, 0)?;
        // What is asked for is for all machines together.
        let nproc = (all / machines).max(1);
        return Ok(Agent { task, nnodes: machines, nproc, node_rank, endpoint: Some((host, port)), elastic: false });
    }
    let nproc = match text("nproc-per-node") {
        Some((value, _)) if matches!(value.as_str(), "gpu" | "auto") => task.visible.len().max(1) as u64,
        _ => number("nproc-per-node", 1, 1)?,
    };
    let (nnodes, node_rank) = (number("nnodes", 1, 1)?, number("node-rank", 0, 0)?);
    if find("standalone").is_some() {
        return Ok(Agent { task, nnodes: 1, nproc, node_rank: 0, endpoint: None, elastic: true });
    }
    let elastic = text("rdzv-backend").is_some_and(|(v, _)| v != "static");
    let (host, port) = match text("rdzv-endpoint") {
        Some((endpoint, _)) => match endpoint.split_once(':') {
            Some((host, port)) => (host.to_owned(), port.to_owned()),
            None => (endpoint, PORT.to_owned()),
        },
        None if elastic && nnodes == 1 => {
            return Ok(Agent { task, nnodes, nproc, node_rank: 0, endpoint: None, elastic });
        }
        None => (
            text("master-addr").map_or_else(|| "127.0.0.1".to_owned(), |(v, _)| v),
            text("master-port").map_or_else(|| PORT.to_owned(), |(v, _)| v),
        ),
    };
    Ok(Agent { task, nnodes, nproc, node_rank, endpoint: Some((host, port)), elastic })
}

/// Whether a name means the host itself.
pub fn is_local(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0")
}

/// Agents meet, agree on ranks, and start their processes; or they do not.
fn meet(agents: &[Agent], launch: &mut Launch) {
    let mut worlds: Vec<(String, Vec<&Agent>)> = Vec::new();
    for agent in agents {
        let key = match &agent.endpoint {
            None => format!("alone {}", worlds.len()),
            Some((host, port)) if is_local(host) => format!("{} {port}", agent.task.env.host),
            Some((host, port)) => format!("{host} {port}"),
        };
        match worlds.iter_mut().find(|(other, _)| *other == key) {
            Some((_, list)) => list.push(agent),
            None => worlds.push((key, vec![agent])),
        }
    }
    launch.fixed = agents.iter().any(|agent| !agent.elastic);
    for (index, (_, members)) in worlds.iter().enumerate() {
        let Some(first) = members.first() else { continue };
        let host = first.endpoint.as_ref().map(|(host, _)| host.as_str());
        let met_by = |agent: &&&Agent| host.is_none_or(|host| is_local(host) || agent.task.env.host == host);
        if host.is_some_and(str::is_empty) || !members.iter().any(|agent| met_by(&agent)) {
            launch.fail(Fault::NobodyListens, launch.line);
        }
        let mut ranks: Vec<u64> = members.iter().map(|agent| agent.node_rank).collect();
        if first.elastic {
            ranks = (0..members.len() as u64).collect();
        }
        if (members.len() as u64) < first.nnodes {
            let fault = match (launch.stepped, worlds.len()) {
                (false, _) => Fault::OneAgent,
                (true, 1) => Fault::FewAgents,
                (true, _) => Fault::AgentsApart,
            };
            if launch.fault.is_none() {
                launch.met = (members.len(), first.nnodes);
            }
            launch.fail(fault, launch.line);
        } else if !first.elastic && has_twice(&ranks) {
            launch.fail(Fault::SameNodeRank, launch.line);
        }
        // Those that come too late find no place.
        let joined = (first.nnodes as usize).min(members.len());
        for (agent, node_rank) in members.iter().zip(ranks).take(joined) {
            let before: u64 = if first.elastic {
                members.iter().take(node_rank as usize).map(|a| a.nproc).sum()
            } else {
                node_rank * agent.nproc
            };
            for local in 0..agent.nproc {
                let mut process = Process::of(&agent.task).with_local_rank(local);
                process.rank = Some(before + local);
                process.world_size =
                    Some(members.iter().take(joined).map(|a| a.nproc).sum::<u64>().max(agent.nproc * agent.nnodes));
                (process.master, process.port) = agent.endpoint.clone().unwrap_or(("127.0.0.1".into(), PORT.into()));
                process.world = index;
                launch.processes.push(process);
            }
        }
    }
}

fn has_twice(list: &[u64]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
