//! What comes of a launch: whether its processes meet, take a GPU each and find each other, and what they print if not.
//!
//! Sources of the messages: pytorch/pytorch `torch/csrc/distributed/c10d/{TCPStore,socket,ProcessGroupNCCL}.cpp`,
//! `torch/distributed/rendezvous.py`; NVIDIA/nccl `src/{init,bootstrap}.cc`, `src/transport/net_ib.cc`; kubernetes/kubernetes
//! `pkg/scheduler/framework/types.go`. Where a line has times or addresses, they are examples.

use super::launcher::is_local;
use super::world::{INTERFACES, PORT, Process, World, host, takes};
use crate::options;
use crate::slurm::time::clock;

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
    /// Agents that found no place.
    pub late: usize,
    /// Places where agents meet.
    pub worlds: usize,
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

    /// The process that a fault is about, of those that it could be.
    fn about(&self, is: impl Fn(&Process) -> bool) -> Process {
        self.processes.iter().find(|p| is(p)).or(self.processes.first()).cloned().unwrap_or_default()
    }

    /// What is printed, line by line.
    pub fn log(&self, world: World) -> Vec<String> {
        let Some((fault, _)) = self.fault else { return self.training_log() };
        let port = self.processes.first().map_or(PORT, |p| p.port.as_str());
        let size = self.processes.iter().filter_map(|p| p.world_size).max().unwrap_or(0);
        let here = |p: &Process| (host(p.node), p.rank.unwrap_or(0));
        let nccl =
            |p: &Process, text: &str| format!("{}:1741:1741 [{}] {text}", host(p.node), p.local_rank.unwrap_or(0));
        match fault {
            Fault::BadOption => vec![
                format!("sbatch: {}", self.remarks.last().map_or("", |(_, why)| why.as_str())),
                "Try \"sbatch --help\" for more information".into(),
            ],
            Fault::BadArgument => vec![format!("error: {}", self.remarks.last().map_or("", |(_, why)| why.as_str()))],
            Fault::NoSuchNodes => {
                vec!["sbatch: error: Batch job submission failed: Requested node configuration is not available".into()]
            }
            Fault::NothingLaunched => vec!["(the script ends, and nothing was started)".into()],
            Fault::OneAgent | Fault::AgentsApart | Fault::FewAgents | Fault::SameNodeRank => {
                let mut log = Vec::new();
                if fault == Fault::SameNodeRank {
                    log.push(format!("[c10d] TCPStore: {} of {size} workers have joined", size / 2));
                }
                log.push(format!("({} without a line)", clock(PATIENCE)));
                log.push(if fault == Fault::SameNodeRank {
                    format!("torch.distributed.DistStoreError: Timed out after {} seconds waiting for clients. {}/{size} clients joined.", PATIENCE + 1, size / 2)
                } else {
                    "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError".into()
                });
                log
            }
            Fault::NobodyListens => {
                let p = self.about(|p| p.rank != Some(0));
                let name = if p.master.is_empty() { "localhost" } else { &p.master };
                vec![
                    format!(
                        "[W socket.cpp:752] [c10d] The client socket has failed to connect to [{name}]:{port} (errno: 111 - Connection refused)."
                    ),
                    "(the same line, over and over)".into(),
                    format!(
                        "[E socket.cpp:796] [c10d] The client socket has timed out after {PATIENCE}s while trying to connect to ({name}, {port})."
                    ),
                    "torch.distributed.DistNetworkError: The client socket has timed out".into(),
                ]
            }
            Fault::NoVariable => vec![format!(
                "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable {} expected, but not set",
                self.detail
            )],
            Fault::SameRank | Fault::TooFew => {
                let mut there: Vec<u64> = self.processes.iter().filter_map(|p| p.rank).collect();
                there.sort_unstable();
                there.dedup();
                let joined = if fault == Fault::SameRank { there.len() } else { self.processes.len() };
                let bind = "[W socket.cpp:464] [c10d] The server socket has failed to bind to [::]".to_owned();
                let twice = self.processes.iter().filter(|p| p.rank == Some(0)).count() > 1;
                let mut log = Vec::new();
                if twice {
                    log.push(format!("{bind}:{port} (errno: 98 - Address already in use)."));
                }
                log.push(format!("({} without a line)", clock(PATIENCE)));
                log.push(format!(
                    "torch.distributed.DistStoreError: Timed out after {} seconds waiting for clients. {joined}/{size} clients joined.",
                    PATIENCE + 1
                ));
                log
            }
            Fault::RankBeyond => {
                let p = self.about(|p| p.rank.is_some_and(|rank| rank >= size));
                vec![
                    nccl(&p, &format!("init.cc:1750 NCCL WARN Invalid rank requested : {}/{size}", here(&p).1)),
                    "torch.distributed.DistBackendError: NCCL error: invalid argument (run with NCCL_DEBUG=WARN for details)".into(),
                ]
            }
            Fault::NoGpu => vec![format!(
                "[rank{}]: RuntimeError: No CUDA GPUs are available",
                here(&self.about(|p| p.visible.is_empty())).1
            )],
            Fault::NoSuchDevice => {
                let p = self.about(|p| p.device.is_none());
                vec![
                    format!("[rank{}]:   torch.cuda.set_device({})", here(&p).1, p.local_rank.unwrap_or(0)),
                    format!("[rank{}]: torch.AcceleratorError: CUDA error: invalid device ordinal", here(&p).1),
                ]
            }
            Fault::SameDevice => self.same_device(&nccl),
            Fault::NoInterface => {
                let p = self.about(|_| true);
                vec![
                    nccl(&p, &format!("NCCL INFO NCCL_SOCKET_IFNAME set by environment to {}", p.interface.clone().unwrap_or_default())),
                    nccl(&p, "bootstrap.cc:73 NCCL WARN Bootstrap : no socket interface found"),
                    "torch.distributed.DistBackendError: NCCL error: internal error - please report this issue to the NCCL developers".into(),
                ]
            }
            Fault::DeadInterface => {
                let p = self.about(|p| p.node > 0);
                let name = p.interface.clone().unwrap_or_default();
                let seconds = PATIENCE * 1000;
                vec![
                    nccl(&p, &format!("NCCL INFO NCCL_SOCKET_IFNAME set by environment to {name}")),
                    nccl(&p, &format!("NCCL INFO Bootstrap : Using {name}:172.17.0.1<0>")),
                    format!("({} without a line)", clock(PATIENCE)),
                    format!(
                        "[rank{}]:[E ProcessGroupNCCL.cpp:632] [Rank {}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, \
                         OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)={seconds}) ran for {} milliseconds before timing out.",
                        here(&p).1,
                        here(&p).1,
                        seconds + 41
                    ),
                ]
            }
            Fault::SharedMemory => {
                let p = self.about(|_| true);
                vec![
                    nccl(&p, "misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-8tJxWd to 33030532 bytes, error: No space left on device (28)"),
                    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).".into(),
                ]
            }
            Fault::Unschedulable => vec![
                "$ kubectl get pods".into(),
                "train-node-0-0   0/1   Pending".into(),
                format!(
                    "Warning  FailedScheduling  0/{0} nodes are available: {0} Insufficient nvidia.com/gpu.",
                    world.nodes
                ),
            ],
            Fault::NoQueue => vec![
                "$ kubectl get workloads".into(),
                format!("Inadmissible: LocalQueue {} doesn't exist", self.detail),
                "(the job stays suspended: no pod is made)".into(),
            ],
            Fault::BadManifest => vec![format!("error: {}", self.detail)],
            Fault::NoInfiniband => {
                let p = self.about(|_| true);
                let mut log = vec![nccl(
                    &p,
                    if p.no_ib {
                        "NCCL INFO NCCL_IB_DISABLE set by environment to 1."
                    } else {
                        "NCCL INFO NET/IB : No device found."
                    },
                )];
                log.push(nccl(&p, "NCCL INFO NET/Socket : Using [0]ib0:10.1.0.1<0>"));
                log.push(nccl(&p, "NCCL INFO Using network Socket"));
                log.extend(self.training_log());
                log
            }
            Fault::Apart | Fault::Idle => self.training_log(),
        }
    }

    fn same_device(&self, nccl: &dyn Fn(&Process, &str) -> String) -> Vec<String> {
        for (i, p) in self.processes.iter().enumerate() {
            let same = |o: &&Process| (o.world, o.node, o.device) == (p.world, p.node, p.device);
            if let Some(other) = self.processes.iter().take(i).find(same) {
                let bus = 0x1b000 + p.device.unwrap_or(0) * 0x2_8000;
                let words = format!(
                    "Duplicate GPU detected : rank {} and rank {} both on CUDA device {bus:x}",
                    p.rank.unwrap_or(0),
                    other.rank.unwrap_or(0)
                );
                return vec![
                    nccl(p, &format!("init.cc:943 NCCL WARN {words}")),
                    "torch.distributed.DistBackendError: NCCL error: invalid usage (run with NCCL_DEBUG=WARN for details)".into(),
                    "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.".into(),
                ];
            }
        }
        Vec::new()
    }

    /// What each world prints when it trains.
    fn training_log(&self) -> Vec<String> {
        let worlds = self.processes.iter().map(|p| p.world).max().map_or(0, |most| most + 1);
        let of = |world: usize| {
            let members: Vec<&Process> = self.processes.iter().filter(|p| p.world == world).collect();
            let first = members.first().map_or(0, |p| p.node);
            format!("{}: [rank0] world size {}, step 1: loss 10.97", host(first), members.len())
        };
        (0..worlds).map(of).collect()
    }
}
