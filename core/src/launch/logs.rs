//! What a launch prints, line by line.
//!
//! Where each message is from:
//! - pytorch/pytorch `torch/csrc/distributed/c10d/{TCPStore,socket,NCCLUtils,ProcessGroupNCCL,ProcessGroupWrapper}.cpp`,
//!   `c10/cuda/CUDAMiscFunctions.cpp`, `torch/distributed/rendezvous.py`,
//!   `torch/distributed/elastic/{agent/server/api,rendezvous/static_tcp_rendezvous,rendezvous/c10d_rendezvous_backend}.py`;
//!   pytorch/gloo `gloo/context.cc`. Their times and line numbers, which differ by release, are left out.
//! - NVIDIA/nccl v2.27.5-1, with the lines of that release: `src/{init,bootstrap}.cc`, `src/misc/{socket,shmutils,param}.cc`,
//!   `src/transport/{net_ib,net_socket,p2p}.cc`.
//! - pytorch/pytorch `torch/distributed/elastic/rendezvous/utils.py` (`parse_rendezvous_endpoint`), `torch/utils/data/dataloader.py`
//!   (`_check_worker_number_rationality`; the train.py here has eight loader workers).
//! - kubernetes/apimachinery `pkg/runtime/error.go` (`strict decoding error`).
//! - ray-project/ray `python/ray/train/v2/_internal/` (`exceptions.py`, `execution/worker_group/worker_group.py`), `train/torch/config.py`,
//!   `src/ray/gcs/gcs_client/rpc_client.h`.
//! - kubernetes/kubernetes `pkg/scheduler/framework/types.go`; kubernetes-sigs/kueue `pkg/controller/core/workload_controller.go`;
//!   SchedMD/slurm `src/common/slurm_errno.c`.
//!
//! Addresses, pids and names of temporary files are examples.

use super::verdict::{CONNECT_PATIENCE, Fault, Launch, Outcome, PATIENCE, RAY_PATIENCE, STATIC_PATIENCE};
use super::world::{PORT, Process, World, host, takes};
use crate::slurm::time::clock;

/// A line as NCCL prints it, of a process.
fn nccl(p: &Process, text: &str) -> String {
    format!("{}:1741:1741 [{}] {text}", host(p.node), p.local_rank.unwrap_or(0))
}

/// A line that says nothing is printed for so many seconds.
fn silence(seconds: u64) -> String {
    format!("({} without a line)", clock(seconds))
}

fn too_few(patience: u64, joined: u64, all: u64) -> String {
    format!(
        "torch.distributed.DistStoreError: Timed out after {} seconds waiting for clients. {joined}/{all} clients joined.",
        patience + 1
    )
}

/// What PyTorch makes of an error of NCCL: NCCL's word for its kind, PyTorch's, and NCCL's last warning.
fn backend_error(kind: &str, detail: &str, last: &str) -> Vec<String> {
    vec![
        format!("torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp, {kind}, NCCL version 2.27.5"),
        detail.to_owned(),
        "Last error:".to_owned(),
        last.to_owned(),
    ]
}

const INVALID_USAGE: [&str; 2] = [
    "invalid usage (run with NCCL_DEBUG=WARN for details)",
    "ncclInvalidUsage: This usually reflects invalid usage of NCCL library.",
];
/// How PyTorch writes that a tensor is on a GPU.
const ON_GPU: &str = "TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), requires_grad=false (default), \
                      pinned_memory=false (default), memory_format=(nullopt))";
/// The collective of the older program, and that of the others.
const CALLED: [&str; 2] = ["ALLREDUCE", "_ALLGATHER_BASE"];

impl Launch {
    /// What is printed, line by line. What NCCL says of itself only where `NCCL_DEBUG` is INFO.
    pub fn log(&self, world: World) -> Vec<String> {
        let mut log = match self.fault {
            _ if self.outcome() == Outcome::Unread => {
                let line = if self.unread > 0 { format!(": line {} is not read", self.unread) } else { String::new() };
                vec![format!("(what it prints is not known{line})")]
            }
            Some((Fault::FewCores, _)) => self.few_cores(),
            None | Some((Fault::Apart | Fault::Idle | Fault::OnCpu, _)) => self.training_log(),
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
            Fault::BadOption => self.detail.lines().map(str::to_owned).collect(),
            Fault::BadArgument if self.detail.is_empty() => {
                vec![format!("(the launcher stops at its arguments: {})", remark())]
            }
            Fault::EmptyHost => vec![format!(
                "ValueError: The hostname of the rendezvous endpoint '{}' must be a dot-separated list of labels, an IPv4 address, or an IPv6 \
                 address.",
                self.detail
            )],
            Fault::BadArgument => vec![self.detail.clone()],
            Fault::RayWaits => self.ray_waits(),
            Fault::NoSuchNodes => {
                vec!["sbatch: error: Batch job submission failed: Requested node configuration is not available".into()]
            }
            Fault::Unschedulable => vec![
                "$ kubectl get pods".into(),
                "train-node-0-0   0/1   Pending".into(),
                format!(
                    "Warning  FailedScheduling  0/{0} nodes are available: {0} Insufficient nvidia.com/gpu. preemption: 0/{0} nodes are \
                     available: {0} No preemption victims found for incoming pod.",
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

    /// What Ray says where it has too few GPUs.
    fn ray_waits(&self) -> Vec<String> {
        let workers = self.met.1;
        let controller = "(TrainController pid=5760)";
        let lost = self.remarks.iter().any(|(_, why)| why.starts_with("No cluster is found"));
        let gcs = "[W rpc_client.h] Failed to connect to GCS at address localhost:6379 within 5 seconds.";
        let lost = lost.then(|| format!("{}: {gcs}", host(1)));
        let rest = [
            format!(
                "{controller} Attempting to start training worker group of size {workers} with the following resources: [{{'GPU': 1}}] * \
                 {workers}"
            ),
            silence(RAY_PATIENCE),
            format!(
                "{controller} The worker group startup timed out after {RAY_PATIENCE}.0 seconds waiting for {workers} workers. Potential \
                 causes include: (1) temporary insufficient cluster resources while waiting for autoscaling (ignore this warning in this \
                 case), (2) infeasible resource request where the provided `ScalingConfig` cannot be satisfied), and (3) transient network \
                 issues. Set the RAY_TRAIN_WORKER_GROUP_START_TIMEOUT_S environment variable to increase the timeout."
            ),
            "(and the same again, for as long as the job has nodes)".to_owned(),
        ];
        lost.into_iter().chain(rest).collect()
    }

    /// What is said where processes do not meet; nothing for other faults.
    fn meeting(&self, fault: Fault) -> Vec<String> {
        let size = self.size();
        let port = self.processes.first().map_or(PORT, |p| p.port.as_str());
        match fault {
            Fault::OneAgent | Fault::AgentsApart | Fault::FewAgents if self.fixed => {
                let (joined, all) = self.met;
                vec![silence(STATIC_PATIENCE + 1), too_few(STATIC_PATIENCE, joined as u64, all)]
            }
            Fault::OneAgent | Fault::AgentsApart | Fault::FewAgents => {
                vec![silence(PATIENCE + 1), "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError".into()]
            }
            Fault::SameNodeRank => {
                let nodes = self.nodes() as u64;
                let keys: Vec<String> = (0..nodes).map(|i| format!("/none/torchelastic/role_info/{i}")).collect();
                let waited = format!("wait timeout after {}ms, keys: {}", STATIC_PATIENCE * 1000, keys.join(", "));
                vec![silence(STATIC_PATIENCE), format!("torch.distributed.DistStoreError: {waited}")]
            }
            Fault::NobodyListens => self.nobody_listens(port),
            Fault::NoVariable => vec![format!(
                "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable {} expected, but not set",
                self.detail
            )],
            Fault::PortTaken => vec![format!(
                "torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: {port}, \
                 useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use"
            )],
            Fault::TooFew => {
                vec![silence(PATIENCE + 1), too_few(PATIENCE, self.processes.len() as u64, size)]
            }
            Fault::SameRank => {
                let ranks = || self.processes.iter().filter_map(|p| p.rank);
                let twice = ranks().find(|rank| ranks().filter(|r| r == rank).count() > 1).unwrap_or(0);
                let root = self.about(|p| p.rank == Some(0));
                let seen = format!("Bootstrap Root : rank {twice} of {size} ranks has already checked in");
                vec![nccl(&root, &format!("bootstrap.cc:322 NCCL WARN {seen}")), "(and nothing more)".into()]
            }
            _ => Vec::new(),
        }
    }

    fn nobody_listens(&self, port: &str) -> Vec<String> {
        let p = self.about(|p| p.rank != Some(0));
        let name = if p.master.is_empty() { "localhost" } else { &p.master };
        let patience = match (self.agents, self.fixed) {
            (true, false) => CONNECT_PATIENCE,
            (true, true) => STATIC_PATIENCE,
            _ => PATIENCE,
        };
        let said = format!(
            "The client socket has timed out after {}ms while trying to connect to ({name}, {port}).",
            patience * 1000
        );
        let store = "torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed. See \
                     inner exception for details.";
        let mut lines = vec![
            format!(
                "[W socket.cpp] [c10d] The client socket has failed to connect to [{name}]:{port} (errno: 111 - Connection refused)."
            ),
            "(the same line, over and over)".into(),
            format!("[E socket.cpp] [c10d] {said}"),
            format!("torch.distributed.DistNetworkError: {said}"),
        ];
        if self.agents && !self.fixed {
            lines.push(store.to_owned());
        }
        lines
    }

    /// What is said of GPUs and the network, by processes that have met.
    fn beyond(&self, fault: Fault) -> Vec<String> {
        let rank = |p: &Process| p.rank.unwrap_or(0);
        match fault {
            Fault::RankBeyond => {
                let size = self.size();
                let p = self.about(|p| p.rank.is_some_and(|rank| rank >= size));
                if p.detail_debug {
                    // DETAIL makes a Gloo group beside that of NCCL, and Gloo looks first.
                    let words = format!("rank < size. {} vs {size}", rank(&p));
                    return vec![format!(
                        "[rank{}]: RuntimeError: [enforce fail at gloo/context.cc] {words}",
                        rank(&p)
                    )];
                }
                let words = format!("Invalid rank requested : {}/{size}", rank(&p));
                let kind = "invalid argument (run with NCCL_DEBUG=WARN for details)";
                let detail = "ncclInvalidArgument: Invalid value for an argument.";
                let warned = nccl(&p, &format!("init.cc:1791 NCCL WARN {words}"));
                std::iter::once(warned).chain(backend_error(kind, detail, &words)).collect()
            }
            Fault::NoGpu => {
                let p = self.about(|p| p.visible.is_empty());
                let words = "ProcessGroupNCCL is only supported with GPUs, no GPUs found!";
                vec![format!("[rank{}]: ValueError: {words}", rank(&p))]
            }
            Fault::Mismatch => self.mismatched(),
            Fault::NoSuchDevice => {
                let p = self.about(|p| p.device.is_none());
                vec![
                    format!("[rank{}]:   torch.cuda.set_device({})", rank(&p), p.local_rank.unwrap_or(0)),
                    format!("[rank{}]: torch.AcceleratorError: CUDA error: invalid device ordinal", rank(&p)),
                    "GPU device may be out of range, do you have enough GPUs?".to_owned(),
                ]
            }
            Fault::SameDevice => self.same_device(),
            Fault::SharedMemory => {
                let p = self.about(|_| true);
                let name = "/dev/shm/nccl-8tJxWd";
                let no_space = "error: No space left on device (28)";
                let grown = format!("Error: failed to extend {name} to 33030532 bytes, {no_space}");
                let failed = format!("Error while creating shared memory segment {name} (size 33030528), {no_space}");
                let kind = "unhandled system error (run with NCCL_DEBUG=INFO for details)";
                let detail = "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.";
                let mut lines = vec![
                    nccl(&p, &format!("misc/shmutils.cc:87 NCCL WARN {grown}")),
                    nccl(&p, &format!("misc/shmutils.cc:128 NCCL WARN {failed}")),
                ];
                lines.extend(backend_error(kind, detail, &failed));
                lines
            }
            _ => self.network_log(fault),
        }
    }

    /// What is said where ranks call different collectives: at once with DETAIL, else when the watchdog has waited long enough.
    fn mismatched(&self) -> Vec<String> {
        let Some((first, other)) = self.mismatch() else { return Vec::new() };
        let (old, new) = if first.older { (first, other) } else { (other, first) };
        let rank = |p: &Process| p.rank.unwrap_or(0);
        let ranks = (rank(old), rank(new));
        if self.detail_debug() {
            let print = |op: &str| {
                format!(
                    "CollectiveFingerPrint(SequenceNumber=0, OpType={op}, TensorShape=[1], TensorDtypes=Float, TensorDeviceTypes={ON_GPU})"
                )
            };
            return vec![format!(
                "[rank{0}]: RuntimeError: Detected mismatch between collectives on ranks. Rank {0} is running collective: {1}, but Rank {2} \
                 is running collective: {3}.Collectives differ in the following aspects:   Op type: {4}vs {5}",
                ranks.1,
                print(CALLED[1]),
                ranks.0,
                print(CALLED[0]),
                CALLED[1],
                CALLED[0]
            )];
        }
        let limit = PATIENCE * 1000;
        let watchdog = |rank: u64, op: &str, out: u64| {
            format!(
                "[rank{rank}]:[E ProcessGroupNCCL.cpp] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, \
                 OpType={op}, NumelIn=1, NumelOut={out}, Timeout(ms)={limit}) ran for {} milliseconds before timing out.",
                limit + 41 + rank
            )
        };
        vec![silence(PATIENCE), watchdog(ranks.0, CALLED[0], 1), watchdog(ranks.1, CALLED[1], self.size())]
    }

    fn network_log(&self, fault: Fault) -> Vec<String> {
        let first = self.about(|_| true);
        let set = |p: &Process| {
            let name = p.interface.clone().unwrap_or_default();
            nccl(p, &format!("NCCL INFO NCCL_SOCKET_IFNAME set by environment to {name}"))
        };
        match fault {
            Fault::NoInterface => {
                let words = "Bootstrap : no socket interface found";
                let lines = [set(&first), nccl(&first, &format!("bootstrap.cc:115 NCCL WARN {words}"))];
                lines.into_iter().chain(backend_error(INVALID_USAGE[0], INVALID_USAGE[1], words)).collect()
            }
            Fault::DeadInterface => self.dead_interface(set),
            _ => {
                let why = match &first.hca {
                    _ if first.no_ib => vec!["NCCL_IB_DISABLE set by environment to 1.".to_owned()],
                    Some(list) => {
                        vec![format!("NCCL_IB_HCA set to {list}"), "NET/IB : No device found.".to_owned()]
                    }
                    None => vec!["NET/IB : No device found.".to_owned()],
                };
                let lines = ["NET/Socket : Using [0]ib0:10.1.0.1<0>".to_owned(), "Using network Socket".to_owned()];
                let said = why.into_iter().chain(lines).map(|line| nccl(&first, &format!("NCCL INFO {line}")));
                said.chain(self.steps()).collect()
            }
        }
    }

    /// Every node has the address of such an interface itself, so ranks of other nodes connect to their own, where nobody listens.
    fn dead_interface(&self, set: impl Fn(&Process) -> String) -> Vec<String> {
        let (first, p) = (self.about(|_| true), self.about(|p| p.node > 0));
        let name = p.interface.clone().unwrap_or_default();
        let address = if takes(&name, "lo") { "127.0.0.1" } else { "172.17.0.1" };
        let device = if takes(&name, "lo") { "lo" } else { "docker0" };
        let refused = format!("socketPollConnect: connect to {address}<41713> returned Connection refused");
        let over = format!("{refused}, exceeded error retry count after 35 attempts");
        let retry = |n: u32| format!("NCCL INFO {refused}, retrying ({n}/34) after sleep for {}00 msec", n);
        let kind = "remote process exited or there was a network error";
        let detail =
            "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.";
        let mut lines = vec![
            set(&first),
            nccl(&first, &format!("NCCL INFO Bootstrap: Using {device}:{address}<0>")),
            nccl(&p, &retry(1)),
            nccl(&p, &retry(2)),
            nccl(&p, "NCCL INFO (and so on, a little later each time)"),
            nccl(&p, &format!("misc/socket.cc:577 NCCL WARN {over}")),
        ];
        lines.extend(backend_error(kind, detail, &over));
        lines
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
                let warned = nccl(p, &format!("init.cc:737 NCCL WARN {words}"));
                return std::iter::once(warned)
                    .chain(backend_error(INVALID_USAGE[0], INVALID_USAGE[1], &words))
                    .collect();
            }
        }
        Vec::new()
    }

    /// What is printed where it trains.
    fn training_log(&self) -> Vec<String> {
        let first = self.about(|_| true);
        let mut lines = Vec::new();
        if self.ray {
            let (workers, what) = (self.processes.len(), if first.on_cpu { "CPU" } else { "GPU" });
            lines.push(format!(
                "(TrainController pid=5760) Attempting to start training worker group of size {workers} with the following resources: \
                 [{{'{what}': 1}}] * {workers}"
            ));
            lines.push(format!(
                "(RayTrainWorker pid=17770) Setting up process group for: env:// [rank=0, world_size={workers}]"
            ));
        }
        if !first.on_cpu {
            let adapters = (0..first.visible.len()).map(|i| format!("mlx5_{i}"));
            let taken = adapters.filter(|name| first.hca.as_ref().is_none_or(|list| takes(list, name)));
            let listed: Vec<String> = taken.enumerate().map(|(i, name)| format!("[{i}]{name}:1/IB")).collect();
            let using = format!("NCCL INFO NET/IB : Using {} [RO]; OOB ib0:10.1.0.1<0>", listed.join(" "));
            lines.push(nccl(&first, &using));
            lines.push(nccl(&first, "NCCL INFO Using network IB"));
        }
        lines.extend(self.steps());
        lines
    }

    /// What is printed where data loaders are told how few cores there are.
    fn few_cores(&self) -> Vec<String> {
        let cores = self.cores();
        let first = self.about(|p| p.scarce.is_some_and(|cpus| cpus.count == cores));
        let warned = format!(
            "{}: UserWarning: This DataLoader will create 8 worker processes in total. Our suggested max number of worker in current system is \
             {cores}, which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might get \
             DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.",
            host(first.node)
        );
        let mut lines = self.training_log();
        if cores < 8 {
            let at = lines.len().saturating_sub(1);
            lines.insert(at, warned);
        }
        lines
    }

    /// The first step of each world.
    fn steps(&self) -> Vec<String> {
        let worlds = self.processes.iter().map(|p| p.world).max().map_or(0, |most| most + 1);
        let of = |world: usize| {
            let members: Vec<&Process> = self.processes.iter().filter(|p| p.world == world).collect();
            let first = members.first().map_or(0, |p| p.node);
            let where_to = if members.iter().any(|p| p.on_cpu) { " on cpu" } else { "" };
            format!("{}: [rank0] world size {}{where_to}, step 1: loss 10.97", host(first), members.len())
        };
        (0..worlds).map(of).collect()
    }
}
