//! What a launch prints, line by line.
//!
//! Sources of the messages: pytorch/pytorch `torch/csrc/distributed/c10d/{TCPStore,socket,ProcessGroupNCCL}.cpp`,
//! `torch/distributed/rendezvous.py`; NVIDIA/nccl `src/{init,bootstrap}.cc`, `src/transport/net_ib.cc`; kubernetes/kubernetes
//! `pkg/scheduler/framework/types.go`. Where a line has times or addresses, they are examples.

use super::verdict::{Fault, Launch, PATIENCE};
use super::world::{PORT, Process, World, host};
use crate::slurm::time::clock;

/// A line as NCCL prints it, of a process.
fn nccl(p: &Process, text: &str) -> String {
    format!("{}:1741:1741 [{}] {text}", host(p.node), p.local_rank.unwrap_or(0))
}

/// A line that says nothing is printed for as long as everybody is patient.
fn silence() -> String {
    format!("({} without a line)", clock(PATIENCE))
}

fn too_few(joined: usize, size: u64) -> String {
    format!(
        "torch.distributed.DistStoreError: Timed out after {} seconds waiting for clients. {joined}/{size} clients joined.",
        PATIENCE + 1
    )
}

const BACKEND: &str = "torch.distributed.DistBackendError: NCCL error:";

impl Launch {
    /// What is printed, line by line. What NCCL says of itself only where `NCCL_DEBUG` is INFO.
    pub fn log(&self, world: World) -> Vec<String> {
        let mut log = match self.fault {
            None | Some((Fault::Apart | Fault::Idle, _)) => self.training_log(),
            Some((fault, _)) => {
                let before = self.before_processes(fault, world);
                let meeting = if before.is_empty() { self.meeting(fault) } else { before };
                if meeting.is_empty() { self.beyond(fault) } else { meeting }
            }
        };
        if !self.processes.iter().any(|p| p.nccl_debug) {
            log.retain(|line| !line.contains("NCCL INFO"));
        }
        log
    }

    /// The process that a fault is about, of those that it could be.
    fn about(&self, is: impl Fn(&Process) -> bool) -> Process {
        self.processes.iter().find(|p| is(p)).or(self.processes.first()).cloned().unwrap_or_default()
    }

    /// The size of the largest world that a process was told.
    fn size(&self) -> u64 {
        self.processes.iter().filter_map(|p| p.world_size).max().unwrap_or(0)
    }

    /// What is said where no process is started; nothing for other faults.
    fn before_processes(&self, fault: Fault, world: World) -> Vec<String> {
        let remark = || self.remarks.last().map_or("", |(_, why)| why.as_str());
        match fault {
            Fault::BadOption => {
                vec![format!("sbatch: {}", remark()), "Try \"sbatch --help\" for more information".into()]
            }
            Fault::BadArgument => vec![format!("error: {}", remark())],
            Fault::NoSuchNodes => {
                vec!["sbatch: error: Batch job submission failed: Requested node configuration is not available".into()]
            }
            Fault::NothingLaunched => vec!["(the script ends, and nothing was started)".into()],
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
            _ => Vec::new(),
        }
    }

    /// What is said where processes do not meet; nothing for other faults.
    fn meeting(&self, fault: Fault) -> Vec<String> {
        let size = self.size();
        let port = self.processes.first().map_or(PORT, |p| p.port.as_str());
        match fault {
            Fault::OneAgent | Fault::AgentsApart | Fault::FewAgents => {
                vec![silence(), "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError".into()]
            }
            Fault::SameNodeRank => vec![silence(), too_few(size as usize / 2, size)],
            Fault::NobodyListens => {
                let p = self.about(|p| p.rank != Some(0));
                let name = if p.master.is_empty() { "localhost" } else { &p.master };
                let said = "[c10d] The client socket has";
                vec![
                    format!(
                        "[W socket.cpp:752] {said} failed to connect to [{name}]:{port} (errno: 111 - Connection refused)."
                    ),
                    "(the same line, over and over)".into(),
                    format!(
                        "[E socket.cpp:796] {said} timed out after {PATIENCE}s while trying to connect to ({name}, {port})."
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
                let twice = there.iter().filter(|rank| **rank == 0).count() > 1;
                there.dedup();
                let bind = "[W socket.cpp:464] [c10d] The server socket has failed to bind to [::]";
                let refused = twice.then(|| format!("{bind}:{port} (errno: 98 - Address already in use)."));
                refused.into_iter().chain([silence(), too_few(there.len(), size)]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What is said of GPUs and the network, by processes that have met.
    fn beyond(&self, fault: Fault) -> Vec<String> {
        let rank = |p: &Process| p.rank.unwrap_or(0);
        match fault {
            Fault::RankBeyond => {
                let size = self.size();
                let p = self.about(|p| p.rank.is_some_and(|rank| rank >= size));
                let words = format!("init.cc:1750 NCCL WARN Invalid rank requested : {}/{size}", rank(&p));
                vec![nccl(&p, &words), format!("{BACKEND} invalid argument (run with NCCL_DEBUG=WARN for details)")]
            }
            Fault::NoGpu => {
                let p = self.about(|p| p.visible.is_empty());
                vec![format!("[rank{}]: RuntimeError: No CUDA GPUs are available", rank(&p))]
            }
            Fault::NoSuchDevice => {
                let p = self.about(|p| p.device.is_none());
                vec![
                    format!("[rank{}]:   torch.cuda.set_device({})", rank(&p), p.local_rank.unwrap_or(0)),
                    format!("[rank{}]: torch.AcceleratorError: CUDA error: invalid device ordinal", rank(&p)),
                ]
            }
            Fault::SameDevice => self.same_device(),
            Fault::SharedMemory => {
                let grown =
                    "misc/shmutils.cc:72 NCCL WARN Error: failed to extend /dev/shm/nccl-8tJxWd to 33030532 bytes";
                vec![
                    nccl(&self.about(|_| true), &format!("{grown}, error: No space left on device (28)")),
                    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).".into(),
                ]
            }
            _ => self.network_log(fault),
        }
    }

    fn network_log(&self, fault: Fault) -> Vec<String> {
        let first = self.about(|_| true);
        let set = |p: &Process| {
            let name = p.interface.clone().unwrap_or_default();
            nccl(p, &format!("NCCL INFO NCCL_SOCKET_IFNAME set by environment to {name}"))
        };
        match fault {
            Fault::NoInterface => vec![
                set(&first),
                nccl(&first, "bootstrap.cc:73 NCCL WARN Bootstrap : no socket interface found"),
                format!("{BACKEND} internal error - please report this issue to the NCCL developers"),
            ],
            Fault::DeadInterface => {
                let p = self.about(|p| p.node > 0);
                let (rank, limit) = (p.rank.unwrap_or(0), PATIENCE * 1000);
                let name = p.interface.clone().unwrap_or_default();
                vec![
                    set(&p),
                    nccl(&p, &format!("NCCL INFO Bootstrap : Using {name}:172.17.0.1<0>")),
                    silence(),
                    format!(
                        "[rank{rank}]:[E ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: \
                         WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)={limit}) ran for {} milliseconds \
                         before timing out.",
                        limit + 41
                    ),
                ]
            }
            _ => {
                let why =
                    if first.no_ib { "NCCL_IB_DISABLE set by environment to 1." } else { "NET/IB : No device found." };
                let lines = [why, "NET/Socket : Using [0]ib0:10.1.0.1<0>", "Using network Socket"];
                let said = lines.into_iter().map(|line| nccl(&first, &format!("NCCL INFO {line}")));
                said.chain(self.steps()).collect()
            }
        }
    }

    fn same_device(&self) -> Vec<String> {
        for (i, p) in self.processes.iter().enumerate() {
            let same = |o: &&Process| (o.world, o.node, o.device) == (p.world, p.node, p.device);
            if let Some(other) = self.processes.iter().take(i).find(same) {
                let bus = 0x1b000 + p.device.unwrap_or(0) * 0x2_8000;
                let ranks = (p.rank.unwrap_or(0), other.rank.unwrap_or(0));
                let words = format!(
                    "Duplicate GPU detected : rank {} and rank {} both on CUDA device {bus:x}",
                    ranks.0, ranks.1
                );
                return vec![
                    nccl(p, &format!("init.cc:943 NCCL WARN {words}")),
                    format!("{BACKEND} invalid usage (run with NCCL_DEBUG=WARN for details)"),
                    "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.".into(),
                ];
            }
        }
        Vec::new()
    }

    /// What is printed where it trains.
    fn training_log(&self) -> Vec<String> {
        let first = self.about(|_| true);
        let across = self.processes.iter().any(|p| p.world == first.world && p.node != first.node);
        let network = if across { "Using network IB" } else { "Channel 00/24 : via P2P/CUMEM" };
        std::iter::once(nccl(&first, &format!("NCCL INFO {network}"))).chain(self.steps()).collect()
    }

    /// The first step of each world.
    fn steps(&self) -> Vec<String> {
        let worlds = self.processes.iter().map(|p| p.world).max().map_or(0, |most| most + 1);
        let of = |world: usize| {
            let members: Vec<&Process> = self.processes.iter().filter(|p| p.world == world).collect();
            let first = members.first().map_or(0, |p| p.node);
            format!("{}: [rank0] world size {}, step 1: loss 10.97", host(first), members.len())
        };
        (0..worlds).map(of).collect()
    }
}
