//! What comes of a launch: whether its processes meet, take a GPU each and find each other.

use super::launcher::is_local;
use super::world::{INTERFACES, Process, World, host, takes};
use crate::options;

/// Seconds after which torchrun and PyTorch give up a rendezvous, and NCCL's watchdog a collective operation.
pub const PATIENCE: u64 = 600;

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
    /// A manifest that cannot be read.
    BadManifest,
    /// It runs over Ethernet.
    NoInfiniband,
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
    FewAgents: "few-agents", "fewer agents are started than each waits for";
    SameNodeRank: "same-node-rank", "two nodes have the same number";
    NobodyListens: "nobody-listens", "nobody listens at the address that all connect to";
    NoVariable: "no-variable", "a variable is missing";
    SameRank: "same-rank", "two processes have the same rank";
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
}

options!(Outcome {
    Trains: "trains", "It trains";
    Silent: "silent", "It trains, and something is wrong";
    Fails: "fails", "It fails";
    Hangs: "hangs", "It hangs";
    Refused: "refused", "It never starts";
});

impl Fault {
    /// How a launch with it ends.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::BadOption
            | Self::NoSuchNodes
            | Self::NothingLaunched
            | Self::Unschedulable
            | Self::NoQueue
            | Self::BadManifest => Outcome::Refused,
            Self::OneAgent
            | Self::AgentsApart
            | Self::FewAgents
            | Self::SameNodeRank
            | Self::NobodyListens
            | Self::TooFew
            | Self::SameRank
            | Self::DeadInterface => Outcome::Hangs,
            Self::NoInfiniband | Self::Apart | Self::Idle => Outcome::Silent,
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
    /// Words of the fault: a variable, a message.
    pub detail: String,
    /// Whether it is a manifest for Kubernetes.
    pub kubernetes: bool,
}

impl Launch {
    /// Notes something about a line.
    pub fn remark(&mut self, line: usize, text: impl Into<String>) {
        self.remarks.push((line.max(1), text.into()));
    }

    /// Notes what goes wrong, unless something did before.
    pub fn fail(&mut self, fault: Fault, line: usize) {
        self.fault.get_or_insert((fault, line));
    }

    /// Follows the processes until they train or cannot.
    pub fn follow(&mut self, world: World) {
        if self.fault.is_none() {
            self.variables();
        }
        if self.fault.is_none() {
            self.devices();
        }
        if self.fault.is_none() {
            self.rendezvous();
        }
        if self.fault.is_none() {
            self.network();
        }
        if self.fault.is_none() {
            self.silent(world);
        }
        if let (Some((fault, line)), Some(blame)) = (self.fault, self.blame) {
            self.fault = Some((fault, if line == 0 || line == self.line { blame } else { line }));
        }
    }

    fn variables(&mut self) {
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
        let Some(first) = self.processes.iter().find(|p| p.rank == Some(0)) else {
            return self.fail(Fault::NobodyListens, self.line);
        };
        let (master_node, port) = (first.node, first.port.clone());
        let finds = |p: &Process| {
            let here = is_local(&p.master) && p.node == master_node;
            (here || p.master == host(master_node)) && p.port == port
        };
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        let twice = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        if twice {
            self.fail(Fault::SameRank, self.line);
        } else if !self.processes.iter().all(finds) {
            self.fail(Fault::NobodyListens, self.line);
        } else if ranks.iter().any(|rank| *rank >= size) {
            self.fail(Fault::RankBeyond, self.line);
        } else if (ranks.len() as u64) < size {
            self.fail(Fault::TooFew, self.line);
        }
    }

    fn network(&mut self) {
        let mut taken: Vec<(usize, u64, u64)> = Vec::new();
        for process in &self.processes {
            let Some(device) = process.device else { continue };
            let key = (process.world, process.node, device);
            if taken.contains(&key) {
                return self.fail(Fault::SameDevice, self.line);
            }
            taken.push(key);
        }
        let Some(first) = self.processes.first() else { return };
        if self.processes.iter().any(|p| p.small_shm) && self.most_on_a_node() > 1 {
            return self.fail(Fault::SharedMemory, self.line);
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
        self.fault.map_or(Outcome::Trains, |(fault, _)| fault.outcome())
    }

    /// Processes that train.
    pub fn training(&self) -> usize {
        if matches!(self.outcome(), Outcome::Trains | Outcome::Silent) { self.processes.len() } else { 0 }
    }

    /// Seconds until it says that it failed; 0 where it trains or says nothing.
    pub fn silence(&self) -> u64 {
        match self.fault {
            Some((Fault::DeadInterface, _)) => PATIENCE,
            Some((fault, _)) if fault.outcome() == Outcome::Hangs => PATIENCE + 1,
            _ => 0,
        }
    }
}
