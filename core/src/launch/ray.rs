//! Ray: nodes join a cluster with the GPUs that they declare, and a driver asks it for workers.
//!
//! Sources: ray-project/ray `python/ray/scripts/scripts.py` (`ray start`), `scripts/symmetric_run.py`,
//! `_private/resource_and_label_spec.py` (what is declared is held against `CUDA_VISIBLE_DEVICES`), `train/torch/config.py` (the variables of
//! a worker, and NCCL or Gloo), `train/v2/_internal/execution/worker_group/worker_group.py` (a placement group, tried again and again). The
//! driver here is a train.py that gives `--num-workers` and `--use-gpu` to `ScalingConfig`.

use super::launcher::{Refused, Stopped};
use super::shell::{Arg, Reach, known};
use super::verdict::{Fault, Launch};
use super::world::{Process, Task, host, is_host, is_local};
use crate::query::{did_you_mean, shorten};

/// Port at which the head node of a cluster is found.
const HEAD_PORT: &str = "6379";
/// Port that rank 0 of the workers happens to find free.
const FREE_PORT: &str = "41713";
/// Options of `ray start` and `ray symmetric-run` that take a value: those of Ray 2 (docs.ray.io, "Cluster Management CLI";
/// `symmetric_run.py`). One that is not among them is not known here, and is not called wrong.
const VALUED: &str = "address port node-ip-address node-name num-gpus num-cpus min-nodes wait-for-nnodes include-dashboard dashboard-host \
                      dashboard-port dashboard-grpc-port dashboard-agent-grpc-port dashboard-agent-listen-port temp-dir resources labels labels-file \
                      memory object-store-memory object-manager-port node-manager-port gcs-server-port min-worker-port max-worker-port \
                      worker-port-list ray-client-server-port runtime-env-agent-port metrics-export-port redis-username redis-password \
                      redis-shard-ports num-redis-shards redis-max-memory plasma-directory object-spilling-directory autoscaling-config \
                      plasma-store-socket-name raylet-socket-name system-config tracing-startup-hook include-log-monitor log-style log-color \
                      system-reserved-cpu system-reserved-memory cgroup-path";
/// Those that take none.
const FLAGS: &str = "head block disable-usage-stats no-redirect-output no-monitor ray-debugger-external enable-resource-isolation verbose";

/// What a driver that says nothing of its workers is told.
pub const NO_WORKERS: &str =
    "How many workers this driver asks Ray for is not in its command: --num-workers says it here.";

/// Most nodes of a cluster, counted anew for each time that one joins.
const MOST_MEMBERS: usize = 512;

/// A node of the cluster.
#[derive(Debug, Clone)]
struct Member {
    task: Task,
    gpus: u64,
}

/// A Ray cluster, as far as it has been started.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Node and port of its head.
    head: Option<(u64, String)>,
    members: Vec<Member>,
    /// A node that did not find the head: the line, and the address that it tried.
    lost: Option<(usize, String)>,
}

impl Cluster {
    /// Starts what a command starts of Ray in its tasks; whether that launched a job.
    pub fn takes(&mut self, tasks: &[Task], words: &[Arg], launch: &mut Launch) -> Taken {
        let name = |i: usize| words.get(i).map_or("", |word| word.text.as_str());
        match (name(0), name(1)) {
            ("ray", "start") => match self.start(tasks, words.get(2..).unwrap_or_default(), false) {
                Ok(()) => Taken::Started,
                // `ray start` ends a script that it cannot start in.
                Err(stopped) => stopped.note(launch),
            },
            ("ray", "symmetric-run" | "symmetric_run") => {
                let at = words.iter().position(|w| w.text == "--").unwrap_or(words.len());
                if let Err(stopped) = self.start(tasks, words.get(2..at).unwrap_or_default(), true) {
                    return stopped.note(launch);
                }
                self.drive(tasks, words.get(at + 1..).unwrap_or_default(), launch)
            }
            ("ray", "stop" | "status" | "--version") => Taken::Started,
            ("ray", _) => {
                let line = words.first().map_or(1, |w| w.line);
                launch.unread(
                    line,
                    Reach::Everything,
                    format!("What “ray {}” starts is not followed here.", shorten(name(1))),
                );
                Taken::Ended
            }
            (program, _) if program.rsplit('/').next().is_some_and(|p| p.starts_with("python")) => {
                let has =
                    |option: &str| words.iter().any(|w| self::option(&w.text).is_some_and(|(name, _)| name == option));
                // --num-workers alone may be those of a data loader.
                if has("num-workers") && (has("use-gpu") || self.begun()) {
                    self.drive(tasks, words, launch)
                } else {
                    Taken::No
                }
            }
            _ => Taken::No,
        }
    }

    /// Whether something of it was started.
    pub fn begun(&self) -> bool {
        self.head.is_some() || !self.members.is_empty() || self.lost.is_some()
    }

    /// Nodes join, or found the cluster; with `symmetric` the one whose address it is founds it.
    fn start(&mut self, tasks: &[Task], words: &[Arg], symmetric: bool) -> Result<(), Stopped> {
        let (mut i, mut given) = (0, Vec::new());
        let listed = |list: &str, name: &str| list.split_whitespace().any(|one| one == name);
        while let Some(word) = words.get(i) {
            let Some((name, value)) = option(&word.text) else { break };
            if !listed(VALUED, &name) && !listed(FLAGS, &name) {
                let names: Vec<&str> = VALUED.split_whitespace().chain(FLAGS.split_whitespace()).collect();
                let why = format!(
                    "ray start is not known to have an option --{}{}.",
                    shorten(&name),
                    did_you_mean(&name, &names)
                );
                return Err(Stopped::Unread(word.line, why));
            }
            let value = match value {
                Some(value) => value,
                None if listed(FLAGS, &name) => String::new(),
                None => {
                    i += 1;
                    words.get(i).map(|w| w.text.clone()).unwrap_or_default()
                }
            };
            if !known(&value) && matches!(name.as_str(), "address" | "port" | "num-gpus") {
                return Err(Stopped::Unread(word.line, format!("The value of --{name} is not known here.")));
            }
            given.push((name, value, word.line));
            i += 1;
        }
        let find = |name: &str| given.iter().find(|(n, ..)| n == name).map(|(_, value, line)| (value.as_str(), *line));
        for task in tasks {
            let here = task.node;
            let port = find("port").map_or(HEAD_PORT, |(port, _)| port);
            let line = words.first().map_or(1, |w| w.line);
            let (address, line) = find("address").unwrap_or(("", line));
            let (name, at) = address.split_once(':').unwrap_or((address, HEAD_PORT));
            if find("head").is_some() || (symmetric && (is_host(name, here) || is_local(name))) {
                let port = if symmetric { at } else { port };
                self.head = Some((here, port.to_owned()));
            } else if let Some(head) =
                tasks.iter().map(|t| t.node).find(|node| symmetric && self.head.is_none() && is_host(name, *node))
            {
                self.head = Some((head, at.to_owned()));
            } else {
                let found = self.head.as_ref().is_some_and(|(head, port)| {
                    port == at && (is_host(name, *head) || (is_local(name) && *head == here))
                });
                let elsewhere = !address.is_empty()
                    && !is_local(name)
                    && !(0..super::world::MOST_NODES).any(|node| is_host(name, node));
                if elsewhere {
                    return Err(Stopped::Unread(
                        line,
                        format!("Which node “{}” is, is not known here.", shorten(name)),
                    ));
                }
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
                        return Err(Stopped::Refused(Refused { line, why, said }));
                    };
                    if gpus > task.visible.len() as u64 {
                        return Err(Stopped::Refused(too_many(line, gpus, &task.visible)));
                    }
                    gpus
                }
            };
            if self.members.len() < MOST_MEMBERS {
                self.members.push(Member { task: task.clone(), gpus });
            }
        }
        Ok(())
    }

    /// The driver asks for workers.
    fn drive(&self, tasks: &[Task], words: &[Arg], launch: &mut Launch) -> Taken {
        let Some(first) = words.first() else { return Taken::No };
        launch.line = first.line;
        (launch.ray, launch.agents) = (true, true);
        let given: Vec<(String, Option<String>, usize)> =
            words.iter().filter_map(|w| option(&w.text).map(|(name, value)| (name, value, w.line))).collect();
        let after = |name: &str| {
            let at = words.iter().position(|w| option(&w.text).is_some_and(|(n, _)| n == name))?;
            words.get(at + 1).map(|w| w.text.clone())
        };
        let Some((_, value, line)) = given.iter().find(|(name, ..)| name == "num-workers") else {
            launch.unread(first.line, Reach::Everything, NO_WORKERS);
            return Taken::Ended;
        };
        let value = value.clone().or_else(|| after("num-workers")).unwrap_or_default();
        if !known(&value) {
            launch.unread(*line, Reach::Everything, "The value of --num-workers is not known here.");
            return Taken::Ended;
        }
        let Some(workers) = value.parse::<u64>().ok().filter(|n| (1..=1024).contains(n)) else {
            launch.remark(
                *line,
                format!("--num-workers must be a whole number from 1 to 1024, not “{}”.", shorten(&value)),
            );
            launch.fail(Fault::BadArgument, *line);
            return Taken::Ended;
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
        Taken::Ended
    }
}

/// What became of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is not Ray's.
    No,
    /// It is, and the script goes on.
    Started,
    /// It launches a job, or ends the script.
    Ended,
}

impl Stopped {
    fn note(self, launch: &mut Launch) -> Taken {
        match self {
            Self::Refused(refused) => refused.note(launch),
            Self::Unread(line, why) => launch.unread(line, Reach::Everything, why),
        }
        Taken::Ended
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
        let together = taken.iter().filter(|(m, _)| m.task.node == node).count() as u64;
        process.scarce = member.task.cpus.filter(|cpus| gpu.is_some() && cpus.scarce(together));
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
