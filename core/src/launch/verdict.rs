//! What comes of a launch: whether its processes meet, take a GPU each and find each other.

use super::shell::{Reach, UNKNOWN, known};
use super::world::{INTERFACES, Process, World, is_host, is_local, takes};
use crate::options;

/// Seconds after which `init_process_group` and torchrun's c10d rendezvous give up waiting for others, and the watchdog a collective
/// operation (pytorch/pytorch `torch/distributed/constants.py`, `torch/distributed/elastic/rendezvous/dynamic_rendezvous.py`).
pub const PATIENCE: u64 = 600;
/// The same for torchrun's static rendezvous, which has node ranks (`torch/distributed/launcher/api.py`).
pub const STATIC_PATIENCE: u64 = 900;
/// Seconds after which an agent gives up connecting to a c10d store (`elastic/rendezvous/c10d_rendezvous_backend.py`, `read_timeout`).
pub const CONNECT_PATIENCE: u64 = 60;
/// Seconds between two attempts of Ray to start its workers (ray-project/ray `RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S`).
pub const RAY_PATIENCE: u64 = 30;
/// Milliseconds that NCCL sleeps between its attempts to connect, 34 of them: 100, 200 … (NVIDIA/nccl v2.27.5 `src/misc/socket.cc:17-18`
/// and `575-585`).
pub const NCCL_PATIENCE_MS: u64 = 100 * 34 * 35 / 2;

/// What went wrong first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// An option that does not exist, or a value that it does not take.
    BadOption,
    /// The same, of torchrun or accelerate.
    BadArgument,
    /// More nodes or GPUs than there are.
    NoSuchNodes,
    /// No command that starts a script.
    NothingLaunched,
    /// The launcher runs on one node alone.
    OneAgent,
    /// Each agent waits in a place of its own.
    AgentsApart,
    /// The endpoint where agents meet has no host that torchrun takes.
    EmptyHost,
    /// Fewer agents are started than each waits for.
    FewAgents,
    /// Two agents say that they are the same node.
    SameNodeRank,
    /// Nobody listens where all connect to.
    NobodyListens,
    /// A variable is missing.
    NoVariable,
    /// Two processes have the same rank.
    SameRank,
    /// Two processes of one node are rank 0, and each wants to listen.
    PortTaken,
    /// A rank that is beyond the world.
    RankBeyond,
    /// Some of the world never come.
    TooFew,
    /// The process sees no GPU.
    NoGpu,
    /// It takes a GPU that it does not see.
    NoSuchDevice,
    /// Two processes take the same GPU.
    SameDevice,
    /// No interface has the name.
    NoInterface,
    /// The interface leads nowhere.
    DeadInterface,
    /// Shared memory is full.
    SharedMemory,
    /// Pods that fit on no node.
    Unschedulable,
    /// A queue that does not exist.
    NoQueue,
    /// A manifest that the API server refuses.
    BadManifest,
    /// A manifest of a kind, or with a part, that is not known here.
    UnreadManifest,
    /// Ray has fewer GPUs than the job has workers.
    RayWaits,
    /// Processes of one world run different programs, and call different collectives.
    Mismatch,
    /// Ray's workers have no GPUs and train on CPUs.
    OnCpu,
    /// It runs over Ethernet.
    NoInfiniband,
    /// Processes share too few processors.
    FewCores,
    /// Each node trains a model of its own.
    Apart,
    /// GPUs that nobody uses.
    Idle,
}

options!(Fault {
    BadOption: "bad-option", "Slurm refuses an option";
    BadArgument: "bad-argument", "the launcher refuses an argument";
    NoSuchNodes: "no-such-nodes", "more is asked for than a node has";
    NothingLaunched: "nothing-launched", "nothing is launched";
    OneAgent: "one-agent", "the launcher runs on one node alone";
    AgentsApart: "agents-apart", "each node waits in a place of its own";
    EmptyHost: "empty-host", "the endpoint where agents meet has no host";
    FewAgents: "few-agents", "fewer agents are started than each waits for";
    SameNodeRank: "same-node-rank", "two nodes have the same number";
    NobodyListens: "nobody-listens", "nobody listens at the address that all connect to";
    NoVariable: "no-variable", "a variable is missing";
    SameRank: "same-rank", "two processes have the same rank";
    PortTaken: "port-taken", "two processes of a node are rank 0";
    RankBeyond: "rank-beyond", "a rank is not below the size of the world";
    TooFew: "too-few", "fewer processes come than the world has";
    NoGpu: "no-gpu", "a process sees no GPU";
    NoSuchDevice: "no-such-device", "a process takes a GPU that it does not see";
    SameDevice: "same-device", "two processes take the same GPU";
    NoInterface: "no-interface", "no interface has the name that NCCL is told";
    DeadInterface: "dead-interface", "the interface that NCCL is told leads to no other node";
    SharedMemory: "shared-memory", "shared memory is too small";
    Unschedulable: "unschedulable", "no node has room for a pod";
    NoQueue: "no-queue", "the queue does not exist";
    BadManifest: "bad-manifest", "the manifest cannot be used";
    UnreadManifest: "unread-manifest", "the manifest is not of a kind that is known here";
    RayWaits: "ray-waits", "Ray has fewer GPUs than the job has workers";
    Mismatch: "mismatch", "ranks run different programs";
    OnCpu: "on-cpu", "Ray’s workers have no GPUs";
    FewCores: "few-cores", "processes share too few processors";
    NoInfiniband: "no-infiniband", "NCCL goes over Ethernet";
    Apart: "apart", "each node trains a model of its own";
    Idle: "idle", "GPUs that were asked for are not used";
});

/// How it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It trains as it should.
    Trains,
    /// It trains, and slowly, on too little, or several models: nothing says so.
    Silent,
    /// It ends with an error.
    Fails,
    /// It stands still, and ends after minutes, or never.
    Hangs,
    /// It never starts.
    Refused,
    /// Something that it hangs on is not read.
    Unread,
}

options!(Outcome {
    Trains: "trains", "It trains";
    Silent: "silent", "It trains, and something is wrong";
    Fails: "fails", "It fails";
    Hangs: "hangs", "It hangs";
    Refused: "refused", "It never starts";
    Unread: "unread", "Not fully read";
});

impl Fault {
    /// Whether it is certain even where something of this reach is not read: what sbatch and the launcher's own words decide is.
    const fn stands(self, reach: Reach) -> bool {
        match reach {
            Reach::Nothing => true,
            Reach::Variables => matches!(
                self,
                Self::BadOption
                    | Self::NoSuchNodes
                    | Self::BadArgument
                    | Self::EmptyHost
                    | Self::OneAgent
                    | Self::AgentsApart
                    | Self::FewAgents
            ),
            Reach::Everything => matches!(self, Self::BadOption | Self::NoSuchNodes | Self::BadManifest),
        }
    }

    /// Whether a word is refused as it is written.
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::BadOption | Self::BadArgument | Self::BadManifest | Self::NoQueue)
    }

    /// Whether it would be another, or none, if the job had more nodes.
    const fn counts_nodes(self) -> bool {
        matches!(self, Self::FewAgents | Self::TooFew | Self::RayWaits)
    }

    /// How a launch with it ends.
    pub const fn outcome(self) -> Outcome {
        match self {
            // Nothing was found that launches: what does may be elsewhere.
            Self::NothingLaunched | Self::UnreadManifest => Outcome::Unread,
            Self::BadOption | Self::NoSuchNodes | Self::Unschedulable | Self::NoQueue | Self::BadManifest => {
                Outcome::Refused
            }
            Self::OneAgent
            | Self::AgentsApart
            | Self::FewAgents
            | Self::SameNodeRank
            | Self::NobodyListens
            | Self::TooFew
            | Self::SameRank
            | Self::RayWaits
            | Self::Mismatch
            | Self::DeadInterface => Outcome::Hangs,
            Self::NoInfiniband | Self::FewCores | Self::Apart | Self::Idle | Self::OnCpu => Outcome::Silent,
            _ => Outcome::Fails,
        }
    }
}

/// A launch, as far as it comes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Launch {
    /// What goes wrong first, and the line that it is about; 0 for none.
    pub fault: Option<(Fault, usize)>,
    /// What is wrong with which lines, or to be known about them.
    pub remarks: Vec<(usize, String)>,
    /// Processes of the training script.
    pub processes: Vec<Process>,
    /// The line of the launching command.
    pub line: usize,
    /// A line that is to blame for whatever goes wrong later.
    pub blame: Option<usize>,
    /// Whether a task was started on each node, by srun or an operator.
    pub stepped: bool,
    /// Whether agents start the processes.
    pub agents: bool,
    /// Whether agents are told their ranks, and meet once: torchrun's static rendezvous.
    pub fixed: bool,
    /// Agents that met, and those that each waits for, where too few did.
    pub met: (usize, u64),
    /// Whether Ray starts the processes.
    pub ray: bool,
    /// Words of the fault: a variable, a message.
    pub detail: String,
    /// The line of an image of which a node has an older one; 0 where there is none.
    pub image: usize,
    /// Whether it is a manifest for Kubernetes.
    pub kubernetes: bool,
    /// Whether a job or a pod says how many GPUs it gets.
    pub gpus_asked: bool,
    /// Tasks or nodes that a job asks for, whichever are more.
    pub asked: u64,
    /// Whether a job asks for more tasks than nodes.
    pub crowded: bool,
    /// Whether it is no job of a scheduler: somebody starts it.
    pub by_hand: bool,
    /// Whether it is a job whose lines do not say how many nodes or tasks it has.
    pub sizeless: bool,
    /// What hangs on something that was not read; none where all that matters was.
    pub reach: Reach,
    /// The first line that was not read, of those on which something hangs; 0 for none.
    pub unread: usize,
    /// Whether the job has one node, on which a process may be all that it starts.
    pub one_node: bool,
    /// Whether its processes are known, and all that isn't is whether the program needs ranks that nothing sets.
    pub unranked: bool,
    /// Variables that were read, and have no value: lines and names.
    pub unset: Vec<(usize, String)>,
}

impl Launch {
    /// Notes something about a line.
    pub fn remark(&mut self, line: usize, text: impl Into<String>) {
        self.remarks.push((line.max(1), text.into()));
    }

    /// Notes that something is not read, and what hangs on it.
    pub fn unread(&mut self, line: usize, reach: Reach, text: impl Into<String>) {
        self.remark(line, text);
        if reach > Reach::Nothing && (self.unread == 0 || line.max(1) < self.unread) {
            self.unread = line.max(1);
        }
        self.reach = self.reach.max(reach);
    }

    /// Keeps what is said within a text of so many lines, and free of marks for what is not known.
    pub fn within(&mut self, last: usize) {
        for (line, text) in &mut self.remarks {
            *line = (*line).min(last);
            if !known(text) {
                *text = text.replace(UNKNOWN, "…");
            }
        }
        self.unread = self.unread.min(last);
        self.fault = self.fault.map(|(fault, line)| (fault, line.min(last)));
    }

    /// Notes what goes wrong, unless something did before.
    pub fn fail(&mut self, fault: Fault, line: usize) {
        self.fault.get_or_insert((fault, line));
    }

    /// Follows the processes until they train or cannot.
    pub fn follow(&mut self, world: World) {
        if self.reach < Reach::Everything {
            self.conclude(world);
        }
        if self.sizeless && self.fault.is_some_and(|(fault, _)| fault.counts_nodes()) {
            let why = "No #SBATCH line says how many nodes the job has: one, unless the sbatch command says --nodes.";
            self.unread(self.line, Reach::Everything, why);
        }
        // What something unread could overturn is not said.
        if let Some((fault, _)) = self.fault
            && !fault.stands(self.reach)
        {
            self.fault = None;
        }
    }

    fn conclude(&mut self, world: World) {
        let goes_on = |launch: &Self| launch.fault.is_none() && launch.reach < Reach::Everything;
        if goes_on(self) {
            self.variables();
        }
        // train.py calls init_process_group first, which waits for all.
        if goes_on(self) {
            self.rendezvous();
        }
        if goes_on(self) {
            self.devices();
        }
        if goes_on(self) {
            self.network();
        }
        if goes_on(self) {
            self.silent(world);
        }
        if let (Some((fault, line)), Some(blame)) = (self.fault, self.blame) {
            self.fault = Some((fault, if line == 0 || line == self.line { blame } else { line }));
        }
    }

    fn variables(&mut self) {
        let nothing =
            |p: &Process| p.rank.is_none() && p.world_size.is_none() && p.master.is_empty() && p.port.is_empty();
        // A program that takes its ranks from Slurm, or needs none, is told nothing: which it is, is not in the script.
        let alone = !self.stepped && (self.asked <= 1 || self.one_node);
        if !self.processes.is_empty() && self.processes.iter().all(nothing) && (self.stepped || self.by_hand || alone) {
            let why = "RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT are not set. Whether the program needs them is not known here: \
                       init_process_group() does, Lightning takes what Slurm sets.";
            self.unranked = true;
            return self.unread(self.line, Reach::Everything, why);
        }
        for process in &self.processes {
            let missing = [
                ("RANK", process.rank.is_none()),
                ("WORLD_SIZE", process.world_size.is_none()),
                ("MASTER_ADDR", process.master.is_empty()),
                ("MASTER_PORT", process.port.is_empty()),
            ];
            if let Some((name, _)) = missing.into_iter().find(|(_, missing)| *missing) {
                self.detail = name.to_owned();
                self.fail(Fault::NoVariable, self.line);
                return;
            }
        }
    }

    fn devices(&mut self) {
        if self.processes.iter().any(|p| p.on_cpu) {
            return self.fail(Fault::OnCpu, self.line);
        }
        if self.processes.iter().any(|p| p.visible.is_empty()) {
            return self.fail(Fault::NoGpu, self.line);
        }
        if self.processes.iter().any(|p| p.device.is_none()) {
            self.fail(Fault::NoSuchDevice, self.line);
        }
    }

    /// Processes that have no agents meet at rank 0.
    fn rendezvous(&mut self) {
        let ranks: Vec<u64> = self.processes.iter().filter_map(|p| p.rank).collect();
        let size = self.processes.iter().filter_map(|p| p.world_size).max().unwrap_or(0);
        if self.agents {
            return;
        }
        // A name that is none of the cluster's may be that of any node.
        let named = |name: &str| is_local(name) || (0..super::world::MOST_NODES).any(|node| is_host(name, node));
        if let Some(other) = self.processes.iter().map(|p| p.master.clone()).find(|name| !named(name)) {
            let why = format!("Which node “{}” is, is not known here.", crate::query::shorten(&other));
            return self.unread(self.line, Reach::Everything, why);
        }
        let Some(first) = self.processes.iter().find(|p| p.rank == Some(0)) else {
            return self.fail(Fault::NobodyListens, self.line);
        };
        let (master_node, port) = (first.node, first.port.clone());
        let finds = |p: &Process| {
            let here = is_local(&p.master) && p.node == master_node;
            (here || is_host(&p.master, master_node)) && p.port == port
        };
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let listening = |node: u64| self.processes.iter().filter(|p| p.rank == Some(0) && p.node == node).count();
        if self.processes.iter().any(|p| listening(p.node) > 1) {
            self.fail(Fault::PortTaken, self.line);
        } else if twice {
            self.fail(Fault::SameRank, self.line);
        } else if !self.processes.iter().all(finds) {
            self.fail(Fault::NobodyListens, self.line);
        } else if ranks.iter().any(|rank| *rank >= size) {
            self.fail(Fault::RankBeyond, self.line);
        } else if (ranks.len() as u64) < size {
            self.fail(Fault::TooFew, self.line);
        }
    }

    /// Two processes of one world that run different programs.
    pub fn mismatch(&self) -> Option<(&Process, &Process)> {
        let first = self.processes.first()?;
        let other = self.processes.iter().find(|p| p.world == first.world && p.older != first.older)?;
        Some((first, other))
    }

    /// Whether the first processes check what the others are about to do: `TORCH_DISTRIBUTED_DEBUG=DETAIL`.
    pub fn detail_debug(&self) -> bool {
        self.processes.first().is_some_and(|p| p.detail_debug)
    }

    fn network(&mut self) {
        let differs = self.mismatch().is_some();
        if differs && self.detail_debug() {
            return self.fail(Fault::Mismatch, self.image);
        }
        self.connect();
        if differs {
            self.fail(Fault::Mismatch, self.image);
        }
    }

    fn connect(&mut self) {
        let mut taken: Vec<(usize, u64, u64)> = Vec::new();
        for process in &self.processes {
            let Some(device) = process.device else { continue };
            let key = (process.world, process.node, device);
            if taken.contains(&key) {
                return self.fail(Fault::SameDevice, self.line);
            }
            taken.push(key);
        }
        if self.most_on_a_node() > 1 {
            if self.processes.iter().any(|p| p.small_shm == Some(true)) {
                return self.fail(Fault::SharedMemory, self.line);
            }
            if self.processes.iter().any(|p| p.small_shm.is_none()) {
                let why = "How much /dev/shm a pod has is said by the runtime, which is not here.";
                return self.unread(self.line, Reach::Everything, why);
            }
        }
        let Some(first) = self.processes.first().cloned() else { return };
        let variables = [("NCCL_SOCKET_IFNAME", first.interface.clone()), ("NCCL_IB_HCA", first.hca.clone())];
        if let Some((name, _)) = variables.into_iter().find(|(_, list)| list.as_ref().is_some_and(|list| !known(list)))
        {
            return self.unread(self.line, Reach::Everything, format!("The value of {name} is not known here."));
        }
        if let Some(list) = &first.interface {
            let found: Vec<&str> = INTERFACES.into_iter().filter(|name| takes(list, name)).collect();
            let reaches = |name: &str| matches!(name, "eth0" | "ib0");
            let across = self.processes.iter().any(|p| p.node != first.node && p.world == first.world);
            if found.is_empty() {
                self.fail(Fault::NoInterface, 0);
            } else if across && !found.first().is_some_and(|name| reaches(name)) {
                self.fail(Fault::DeadInterface, 0);
            }
        }
    }

    fn most_on_a_node(&self) -> usize {
        let on = |node: u64| self.processes.iter().filter(|p| p.node == node).count();
        self.processes.iter().map(|p| on(p.node)).max().unwrap_or(0)
    }

    fn silent(&mut self, world: World) {
        let nodes = self.nodes();
        let worlds = self.processes.iter().map(|p| p.world).max().map_or(0, |most| most + 1);
        let first = self.processes.first();
        let adapters = || (0..world.gpus).map(|i| format!("mlx5_{i}"));
        let by_ethernet = first
            .is_some_and(|p| p.no_ib || p.hca.as_ref().is_some_and(|list| !adapters().any(|name| takes(list, &name))));
        let used = self.processes.len();
        let asked = self.gpus_seen();
        if worlds > 1 && nodes > 1 {
            self.fail(Fault::Apart, self.line);
        } else if by_ethernet && nodes > 1 {
            self.fail(Fault::NoInfiniband, 0);
        } else if self.processes.iter().any(|p| p.scarce.is_some()) {
            self.fail(Fault::FewCores, self.line);
        } else if used < asked {
            self.fail(Fault::Idle, self.line);
        }
    }

    /// Nodes with a process.
    pub fn nodes(&self) -> usize {
        let mut nodes: Vec<u64> = self.processes.iter().map(|p| p.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.len()
    }

    /// GPUs that a process sees.
    pub fn gpus_seen(&self) -> usize {
        let mut seen: Vec<(u64, u64)> =
            self.processes.iter().flat_map(|p| p.visible.iter().map(move |gpu| (p.node, *gpu))).collect();
        seen.sort_unstable();
        seen.dedup();
        seen.len()
    }

    /// How it ends.
    pub fn outcome(&self) -> Outcome {
        match self.fault {
            // With DETAIL it is noticed before the collective begins.
            Some((Fault::Mismatch, _)) if self.detail_debug() => Outcome::Fails,
            Some((fault, _)) => fault.outcome(),
            None if self.reach > Reach::Nothing => Outcome::Unread,
            None => Outcome::Trains,
        }
    }

    /// Processes that train.
    pub fn training(&self) -> usize {
        if matches!(self.outcome(), Outcome::Trains | Outcome::Silent) { self.processes.len() } else { 0 }
    }

    /// Seconds until the first error; 0 where there is none to wait for, or none ever comes.
    pub fn silence(&self) -> u64 {
        let meeting = if self.fixed { STATIC_PATIENCE + 1 } else { PATIENCE + 1 };
        match self.fault {
            Some((Fault::DeadInterface, _)) => NCCL_PATIENCE_MS.div_ceil(1000),
            Some((Fault::RayWaits, _)) => RAY_PATIENCE,
            Some((Fault::SameRank, _)) => 0,
            Some((Fault::SameNodeRank, _)) => STATIC_PATIENCE,
            Some((Fault::NobodyListens, _)) if self.agents && !self.fixed => CONNECT_PATIENCE,
            Some((Fault::NobodyListens, _)) if self.fixed => STATIC_PATIENCE,
            Some((Fault::NobodyListens, _)) => PATIENCE,
            Some((Fault::Mismatch, _)) if self.outcome() == Outcome::Hangs => PATIENCE,
            Some((fault, _)) if fault != Fault::Mismatch && fault.outcome() == Outcome::Hangs => meeting,
            _ => 0,
        }
    }
}
