//! Ray: nodes join a cluster with the GPUs that they declare, and a driver asks it for workers.
//!
//! Sources: ray-project/ray `python/ray/scripts/scripts.py` (`ray start`), `scripts/symmetric_run.py`,
//! `_private/resource_and_label_spec.py` (what is declared is held against `CUDA_VISIBLE_DEVICES`), `train/torch/config.py` (the variables of
//! a worker, and NCCL or Gloo), `train/v2/_internal/execution/worker_group/worker_group.py` (a placement group, tried again and again). The
//! driver here is a train.py that gives `--num-workers` and `--use-gpu` to `ScalingConfig`.

use super::launcher::{Refused, is_local, plain, quote};
use super::shell::{Command, Env, Word, expand};
use super::verdict::{Fault, Launch};
use super::world::{Process, Task, host};
use crate::query::{did_you_mean, shorten};

/// Port at which the head node of a cluster is found.
const HEAD_PORT: &str = "6379";
/// Port that rank 0 of the workers happens to find free.
const FREE_PORT: &str = "41713";
/// Options of `ray start`.
const OPTIONS: [&str; 11] = [
    "head",
    "address",
    "port",
    "num-gpus",
    "num-cpus",
    "node-ip-address",
    "block",
    "disable-usage-stats",
    "min-nodes",
    "include-dashboard",
    "temp-dir",
];
/// Those that take no value.
const FLAGS: [&str; 3] = ["head", "block", "disable-usage-stats"];

/// A node of the cluster.
#[derive(Debug, Clone)]
struct Member {
    task: Task,
    gpus: u64,
}

/// A Ray cluster, as far as it has been started.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Host and port of its head.
    head: Option<(String, String)>,
    members: Vec<Member>,
    /// A node that did not find the head: the line, and the address that it tried.
    lost: Option<(usize, String)>,
}

impl Cluster {
    /// Starts what a command starts of Ray in its tasks; whether that launched a job.
    pub fn takes(&mut self, tasks: &[Task], command: &[Word], env: &Env, launch: &mut Launch) -> bool {
        let words: Command = command.iter().map(|w| Word { raw: quote(&expand(&w.raw, env)), line: w.line }).collect();
        let name = |i: usize| words.get(i).map_or("", plain);
        match (name(0), name(1)) {
            ("ray", "start") => {
                // `ray start` ends a script that it cannot start in.
                self.start(tasks, words.get(2..).unwrap_or_default(), false).is_err_and(|refused| {
                    refused.note(launch);
                    true
                })
            }
            ("ray", "symmetric-run" | "symmetric_run") => {
                let at = words.iter().position(|w| plain(w) == "--").unwrap_or(words.len());
                if let Err(refused) = self.start(tasks, words.get(2..at).unwrap_or_default(), true) {
                    refused.note(launch);
                    return true;
                }
                self.drive(tasks, words.get(at + 1..).unwrap_or_default(), launch)
            }
            (program, _) if program.rsplit('/').next().is_some_and(|p| p.starts_with("python")) => {
                let for_ray = words.iter().any(|w| option(plain(w)).is_some_and(|(name, _)| name == "num-workers"));
                for_ray && self.drive(tasks, &words, launch)
            }
            _ => false,
        }
    }

    /// Nodes join, or found the cluster; with `symmetric` the one whose address it is founds it.
    fn start(&mut self, tasks: &[Task], words: &[Word], symmetric: bool) -> Result<(), Refused> {
        let (mut i, mut given) = (0, Vec::new());
        while let Some(word) = words.get(i) {
            let Some((name, value)) = option(plain(word)) else { break };
            if !OPTIONS.contains(&name.as_str()) {
                let why = format!("ray start has no option --{}{}.", shorten(&name), did_you_mean(&name, &OPTIONS));
                let said = format!("Error: No such option: --{}", shorten(&name));
                return Err(Refused { line: word.line, why, said });
            }
            let value = match value {
                Some(value) => value,
                None if FLAGS.contains(&name.as_str()) => String::new(),
                None => {
                    i += 1;
                    words.get(i).map(|w| plain(w).to_owned()).unwrap_or_default()
                }
            };
            given.push((name, value, word.line));
            i += 1;
        }
        let find = |name: &str| given.iter().find(|(n, ..)| n == name).map(|(_, value, line)| (value.as_str(), *line));
        for task in tasks {
            let here = &task.env.host;
            let port = find("port").map_or(HEAD_PORT, |(port, _)| port);
            let line = words.first().map_or(1, |w| w.line);
            let (address, line) = find("address").unwrap_or(("", line));
            let (name, at) = address.split_once(':').unwrap_or((address, HEAD_PORT));
            if find("head").is_some() || (symmetric && (name == here || is_local(name))) {
                let port = if symmetric { at } else { port };
                self.head = Some((here.clone(), port.to_owned()));
            } else if symmetric && self.head.is_none() && tasks.iter().any(|t| t.env.host == name) {
                self.head = Some((name.to_owned(), at.to_owned()));
            } else {
                let found = self
                    .head
                    .as_ref()
                    .is_some_and(|(head, port)| port == at && (head == name || (is_local(name) && head == here)));
                if !found {
                    self.lost.get_or_insert((line, address.to_owned()));
                    continue;
                }
            }
            let gpus = match find("num-gpus") {
                None => task.visible.len() as u64,
                Some((value, line)) => {
                    let Ok(gpus) = value.parse::<u64>() else {
                        let why = format!("--num-gpus must be a whole number, not “{}”.", shorten(value));
                        let said = format!(
                            "Error: Invalid value for '--num-gpus': '{}' is not a valid integer.",
                            shorten(value)
                        );
                        return Err(Refused { line, why, said });
                    };
                    if gpus > task.visible.len() as u64 {
                        return Err(too_many(line, gpus, &task.visible));
                    }
                    gpus
                }
            };
            self.members.push(Member { task: task.clone(), gpus });
        }
        Ok(())
    }

    /// The driver asks for workers.
    fn drive(&self, tasks: &[Task], words: &[Word], launch: &mut Launch) -> bool {
        let Some(first) = words.first() else { return false };
        launch.line = first.line;
        (launch.ray, launch.agents) = (true, true);
        let given: Vec<(String, Option<String>, usize)> =
            words.iter().filter_map(|w| option(plain(w)).map(|(name, value)| (name, value, w.line))).collect();
        let after = |name: &str| {
            let at = words.iter().position(|w| option(plain(w)).is_some_and(|(n, _)| n == name))?;
            words.get(at + 1).map(|w| plain(w).to_owned())
        };
        let Some((_, value, line)) = given.iter().find(|(name, ..)| name == "num-workers") else { return false };
        let value = value.clone().or_else(|| after("num-workers")).unwrap_or_default();
        let Some(workers) = value.parse::<u64>().ok().filter(|n| (1..=4096).contains(n)) else {
            launch.remark(*line, format!("--num-workers must be a whole number from 1, not “{}”.", shorten(&value)));
            launch.fail(Fault::BadArgument, *line);
            return true;
        };
        let use_gpu = given.iter().any(|(name, value, _)| {
            name == "use-gpu" && value.as_deref().is_none_or(|v| !matches!(v, "0" | "false" | "False"))
        });
        // Where no cluster was started, Ray starts one of the driver's own node.
        let alone: Vec<Member> =
            tasks.iter().take(1).map(|t| Member { task: t.clone(), gpus: t.visible.len() as u64 }).collect();
        let members = if self.members.is_empty() { &alone } else { &self.members };
        if use_gpu {
            let seats = members.iter().flat_map(|m| (0..m.gpus).map(move |gpu| (m, Some(gpu))));
            if !seat(seats, workers, launch) {
                let line = self.lost.as_ref().map_or(*line, |(line, _)| *line);
                if let Some((line, address)) = &self.lost {
                    launch.remark(
                        *line,
                        format!("No cluster is found at {}: this node does not join.", shorten(address)),
                    );
                }
                launch.met = (members.iter().map(|m| m.gpus as usize).sum(), workers);
                launch.fail(Fault::RayWaits, line);
            }
        } else if let Some(first) = members.first() {
            // A worker without a GPU takes a CPU, and the first node has enough of them.
            seat((0..workers).map(|_| (first, None)), workers, launch);
        }
        true
    }
}

/// Workers take their places, node after node; whether there are enough.
fn seat<'a>(seats: impl Iterator<Item = (&'a Member, Option<u64>)>, workers: u64, launch: &mut Launch) -> bool {
    let taken: Vec<(&Member, Option<u64>)> = seats.take(workers as usize).collect();
    if (taken.len() as u64) < workers {
        return false;
    }
    let master = taken.first().map_or(0, |(m, _)| m.task.node);
    for (rank, (member, gpu)) in taken.iter().enumerate() {
        let node = member.task.node;
        let local = launch.processes.iter().filter(|p| p.node == node).count() as u64;
        let mut process = Process::of(&member.task);
        process.device = gpu.and_then(|gpu| member.task.visible.get(gpu as usize).copied());
        process.on_cpu = gpu.is_none();
        // Ray hides GPUs that no worker of the node was given.
        process.visible.clear();
        if gpu.is_some() {
            let given = taken.iter().filter(|(m, _)| m.task.node == node).filter_map(|(_, gpu)| *gpu);
            process.visible = given.filter_map(|gpu| member.task.visible.get(gpu as usize).copied()).collect();
            process.visible.sort_unstable();
            process.visible.dedup();
        }
        (process.rank, process.local_rank, process.world_size) = (Some(rank as u64), Some(local), Some(workers));
        (process.master, process.port) = (host(master), FREE_PORT.to_owned());
        launch.processes.push(process);
    }
    true
}

fn too_many(line: usize, gpus: u64, visible: &[u64]) -> Refused {
    let seen: Vec<String> = visible.iter().map(|gpu| format!("'{gpu}'")).collect();
    Refused {
        line,
        why: format!("This node has {} GPUs, and --num-gpus counts those of one node.", visible.len()),
        said: format!(
            "ValueError: Attempting to start raylet with {gpus} GPU, but CUDA_VISIBLE_DEVICES contains [{}].",
            seen.join(", ")
        ),
    }
}

/// The name of a long option, with hyphens, and its value behind `=`.
fn option(word: &str) -> Option<(String, Option<String>)> {
    let long = word.strip_prefix("--").filter(|rest| !rest.is_empty())?;
    let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value.to_owned())));
    Some((name.replace('_', "-"), value))
}
