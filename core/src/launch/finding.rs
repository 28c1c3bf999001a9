//! What a launch comes to, and what is wrong with it, in sentences.

use super::params::{Params, Show};
use super::shell::Reach;
use super::verdict::{Fault, Launch, Outcome};
use super::world::Process;
use crate::quantity::{Unit, counted};
use crate::query::shorten;

impl Params {
    /// What a person would see, without why.
    pub fn finding(&self, l: &Launch) -> String {
        if self.show == Show::Record {
            return self.record_finding(l);
        }
        let (processes, nodes) = (l.processes.len(), l.nodes());
        let outcome = l.outcome();
        let text = match outcome {
            Outcome::Trains => format!(
                "It trains: {} on {}, each on a GPU of its own.",
                counted(processes as u64, "process", "processes"),
                counted(nodes as u64, "node", "nodes")
            ),
            Outcome::Silent => format!(
                "It trains, and nothing complains: {} on {}. Something is wrong all the same.",
                counted(processes as u64, "process", "processes"),
                counted(nodes as u64, "node", "nodes")
            ),
            Outcome::Fails if processes == 0 => "It fails before a process is started.".to_owned(),
            Outcome::Fails => format!(
                "It fails: {} on {}, and the first to stop ends all.",
                if processes == 1 { "one process starts".to_owned() } else { format!("{processes} processes start") },
                counted(nodes as u64, "node", "nodes")
            ),
            Outcome::Hangs => {
                let all = self.nodes * self.gpus;
                match l.silence() {
                    0 => format!("The job hangs: no error is ever printed while you pay for {all} GPUs."),
                    seconds => {
                        format!(
                            "The job hangs: no error for {} while you pay for {all} GPUs.",
                            Unit::Seconds.format(seconds as f64)
                        )
                    }
                }
            }
            Outcome::Refused => "It never starts: no process is made.".to_owned(),
            Outcome::Unread => return self.unread_finding(l),
        };
        if self.explains() {
            return format!("{text}{}", l.fault.map_or(String::new(), |(fault, _)| format!(" {}", l.why(fault))));
        }
        if outcome == Outcome::Trains { text } else { format!("{text} Find the line, and repair it.") }
    }

    /// What is said where no verdict is given.
    fn unread_finding(&self, l: &Launch) -> String {
        let far = match l.processes.len() {
            _ if l.reach == Reach::Everything => String::new(),
            0 => String::new(),
            processes => format!(
                " The rest starts {} on {}.",
                counted(processes as u64, "process", "processes"),
                counted(l.nodes() as u64, "node", "nodes")
            ),
        };
        match l.fault {
            Some((fault, _)) if l.unread == 0 => format!("Nothing to judge here. {}", l.why(fault)),
            _ => format!(
                "Not fully read, so there is no verdict: what happens depends on the marked lines, the first of which is line {}.{far}",
                l.unread.max(1)
            ),
        }
    }

    /// What is wrong with which lines: what can be said of any script, and why it does not train where that is not withheld.
    pub fn remarks(&self, l: &Launch) -> Vec<(usize, String)> {
        if self.script.0.is_empty() && !self.explains() {
            return Vec::new();
        }
        let mut remarks = l.remarks.clone();
        if let Some((fault, line)) = l.fault
            && self.explains()
            && line > 0
            && !remarks.iter().any(|(at, _)| *at == line)
        {
            remarks.push((line, l.why(fault)));
        } else if let Some((fault, _)) = l.fault
            && self.explains()
            && let Some(line) = self.named_line(fault)
        {
            remarks.push((line, l.why(fault)));
        }
        remarks.sort();
        remarks
    }

    /// The line with the variable that a fault is about.
    pub fn named_line(&self, fault: Fault) -> Option<usize> {
        let names: &[&str] = match fault {
            Fault::NoInterface | Fault::DeadInterface => &["NCCL_SOCKET_IFNAME"],
            Fault::NoInfiniband => &["NCCL_IB_HCA", "NCCL_IB_DISABLE"],
            _ => return None,
        };
        self.text().lines().position(|line| names.iter().any(|name| line.contains(name))).map(|i| i + 1)
    }
}

impl Launch {
    /// Processors of the task that has the fewest, of those that have too few.
    pub fn cores(&self) -> u64 {
        self.processes.iter().filter_map(|p| p.scarce).map(|cpus| cpus.count).min().unwrap_or(1)
    }

    /// What is said in the place of a fault that is certain only in the cluster of this figure: a sentence, or nothing where it is none in
    /// another; none for other faults.
    pub fn rests_on_cluster(&self, fault: Fault) -> Option<&'static str> {
        let is_default = || self.processes.iter().filter_map(|p| p.scarce).any(|cpus| !cpus.asked);
        Some(match fault {
            Fault::NoSuchNodes | Fault::Unschedulable => {
                "More is asked for than the cluster of this figure has. Set Nodes and GPUs per node to what yours has, up to 8 of each: a larger launch isn’t followed here."
            }
            Fault::NoQueue => "Whether this queue exists in your namespace isn’t known here.",
            Fault::NoInterface => "Whether your nodes have an interface of this name isn’t known here.",
            Fault::NoInfiniband => {
                "Whether your nodes have InfiniBand or RoCE, and its adapters this name, isn’t known here. If they have, this keeps NCCL from using it: it sends over TCP sockets, several times slower."
            }
            Fault::Mismatch => "Whether all nodes have the same image under this tag isn’t known here.",
            Fault::OnCpu => {
                "Whether the program gives Ray’s workers GPUs isn’t known here: use_gpu in its ScalingConfig."
            }
            Fault::NoGpu if !self.gpus_asked => {
                "Nothing here asks for GPUs. Whether the processes see some all the same, by the command line or by default, or train on CPUs, isn’t known."
            }
            Fault::NoSuchDevice if !self.gpus_asked => "How many GPUs the machine has isn’t known here.",
            Fault::FewCores if is_default() => {
                "How many processors a task has isn’t said here. Slurm gives it one unless the site adds some with each GPU or gives whole nodes: --cpus-per-task says it."
            }
            Fault::Idle if !self.gpus_asked => "",
            Fault::NoVariable if self.stepped && self.processes.iter().all(is_from_slurm) => {
                "RANK and WORLD_SIZE are not set. Whether the program needs them isn’t known here: init_process_group() with env:// does, one that reads SLURM_PROCID and SLURM_NTASKS, as Lightning does, doesn’t."
            }
            // One task on each node, and nothing that srun starts: a program may do that itself, as one that submits steps does.
            Fault::NoVariable if !self.stepped && !self.kubernetes && !self.by_hand && !self.crowded => {
                "Nothing starts a process on the other nodes here, and RANK and WORLD_SIZE are not set. Whether the program does that itself isn’t known: if not, it runs on the first node alone."
            }
            _ => return None,
        })
    }

    /// What is wrong here, and what to do: sentences.
    pub fn why(&self, fault: Fault) -> String {
        let why = fault.why();
        match fault {
            Fault::EmptyHost => {
                let line = self.fault.map_or(0, |(_, line)| line);
                let named = self.unset.iter().find(|(at, _)| *at == line).map(|(_, name)| name);
                named.map_or_else(|| why.to_owned(), |name| format!("${} is empty here. {why}", shorten(name)))
            }
            Fault::NoVariable if !self.stepped && !self.kubernetes => {
                format!("{why} Without srun in front, Python starts once, on the first node.")
            }
            Fault::SameNodeRank if self.kubernetes => {
                "Two agents say that they are the same node. Give each the index of its pod: --node_rank=$JOB_COMPLETION_INDEX.".to_owned()
            }
            Fault::NoSuchDevice => {
                let Some(process) = self.processes.iter().find(|p| p.device.is_none()) else { return why.to_owned() };
                let together = self.processes.iter().filter(|p| p.node == process.node).count() as u64;
                let sees = process.visible.len() as u64;
                let all = self.processes.iter().filter(|p| p.node == process.node).flat_map(|p| &p.visible);
                let gpus = all.collect::<std::collections::BTreeSet<_>>().len() as u64;
                if together > gpus {
                    return format!(
                        "A node starts {} and the job has {} there: the process with LOCAL_RANK {} takes one that doesn’t exist. Start {gpus} per node, or ask for more GPUs.",
                        counted(together, "process", "processes"),
                        counted(gpus, "GPU", "GPUs"),
                        process.local_rank.unwrap_or(gpus),
                    );
                }
                format!(
                    "The script takes GPU number LOCAL_RANK of those that it sees. The process with LOCAL_RANK {} sees {}, number 0{}: let every task see all GPUs of its node, or use device 0.",
                    process.local_rank.unwrap_or(1),
                    counted(sees, "GPU", "GPUs"),
                    if sees > 1 { format!(" to {}", sees - 1) } else { String::new() },
                )
            }
            Fault::FewCores => {
                let cores = self.cores();
                let node = self.processes.first().map_or(0, |p| p.node);
                let together = self.processes.iter().filter(|p| p.node == node).count() as u64;
                format!(
                    "A task has {} for {}. {why}",
                    counted(cores, "core", "cores"),
                    counted(together.max(1), "process", "processes")
                )
            }
            _ => why.to_owned(),
        }
    }
}

impl Fault {
    /// What is wrong, and what to do: sentences.
    pub const fn why(self) -> &'static str {
        match self {
            Self::BadOption => "Slurm does not take this option as it is written.",
            Self::BadArgument => "The launcher does not take this argument as it is written.",
            Self::NoSuchNodes => {
                "More nodes, or more GPUs per node, are asked for than the cluster of this figure has. If yours has them, set Nodes and GPUs to match, up to 8 of each."
            }
            Self::NothingLaunched => "No line starts torchrun, accelerate, Ray or Python. Paste the script that does.",
            Self::EmptyHost => {
                "The rendezvous endpoint has no host, and torchrun stops at once. Set the variable in the batch script, from the first host of the job: $(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)."
            }
            Self::OneAgent => {
                "A batch script runs on the first node alone. Without srun in front, torchrun starts there and waits for agents that nobody started: put srun before it."
            }
            Self::AgentsApart => {
                "Agents meet at one endpoint, and each of these waits where no other comes: localhost is another host on every node. Use the first host of the job, and start as many agents as --nnodes says."
            }
            Self::FewAgents => {
                "Each agent waits until as many have come as --nnodes says, and fewer were started: one for each node that the job has."
            }
            Self::SameNodeRank => {
                "The batch shell replaces the variable ($SLURM_NODEID, $SLURM_PROCID) before srun starts anything: it is 0 for all. Let the task replace it (bash -c '…', single quotes, or \\$), or use a c10d rendezvous, which needs no node rank."
            }
            Self::NobodyListens => {
                "Rank 0 listens on its own host. MASTER_ADDR must be that host, the same for all: set it once in the batch script, from the first host of the job."
            }
            Self::NoVariable => {
                "env:// needs RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in the environment of each process. srun alone sets none of them, and a variable that is not exported stays in its shell."
            }
            Self::SameRank => {
                "Two processes have the same RANK: it must come from SLURM_PROCID, which the task replaces and not the batch shell."
            }
            Self::PortTaken => {
                "Two processes of one node have RANK 0, and both want to listen. RANK must come from SLURM_PROCID, which the task replaces and not the batch shell."
            }
            Self::RankBeyond => "WORLD_SIZE counts processes, not nodes: SLURM_NTASKS.",
            Self::TooFew => {
                "WORLD_SIZE is larger than the number of processes that were started: all wait for those that never come."
            }
            Self::NoGpu => {
                "The process sees no GPU: ask for them, with --gpus-per-node in Slurm, with a limit on nvidia.com/gpu in Kubernetes."
            }
            Self::NoSuchDevice => {
                "The script takes GPU number LOCAL_RANK of those that it sees, and a process sees fewer: start as many processes per node as there are GPUs, and let every task see all GPUs of its node."
            }
            Self::SameDevice => {
                "Two processes of one node take the same GPU: torchrun starts a process for each GPU, so that one torchrun for each node is enough. --ntasks-per-node=1."
            }
            Self::NoInterface => {
                "No interface of the nodes begins with the name in NCCL_SOCKET_IFNAME. They have eth0 and ib0."
            }
            Self::DeadInterface => {
                "docker0 and lo have the same address on every node and lead to none: name an interface that others can reach, or leave NCCL_SOCKET_IFNAME away."
            }
            Self::SharedMemory => {
                "A container has 64 MB of /dev/shm, for NCCL and the workers of data loaders. Mount an emptyDir with medium: Memory there."
            }
            Self::Unschedulable => {
                "No node has as many GPUs as one pod asks for, or there are fewer nodes than pods. A limit is for one pod, not for the job."
            }
            Self::NoQueue => {
                "The label names a LocalQueue that does not exist: Kueue keeps the job suspended and makes no pods."
            }
            Self::BadManifest => "The API server does not take this manifest.",
            Self::UnreadManifest => "This manifest is of a kind, or has a part, that is not known here.",
            Self::FewCores => {
                "Slurm gives a task one core unless the job asks for more, the site adds some with each GPU, or it gives whole nodes. Data loaders and launches then wait for that core while the GPUs are idle: --cpus-per-task. Slurm 22.05 and 23.02 do not hand it on to srun: export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK."
            }
            Self::RayWaits => {
                "Ray starts no worker before it has places for all, and nodes that did not join have none. Every node must find the head at its own host and port: --address=$head:6379."
            }
            Self::Mismatch => {
                "A tag such as train:dev is not one image: gpu01 still had yesterday’s under that name and does not pull it again. Its ranks run another program and call another collective. Name a version that is never pushed again, or a digest."
            }
            Self::OnCpu => {
                "ScalingConfig’s use_gpu is False unless it is said: Ray gives its workers a CPU each, hides all GPUs from them, and takes Gloo in the place of NCCL."
            }
            Self::NoInfiniband => {
                "No adapter has the name in NCCL_IB_HCA, or InfiniBand is switched off: NCCL falls back on sockets. The adapters are mlx5_0 and so on."
            }
            Self::Apart => {
                "Each node has a world of its own: as many models train as there are nodes, and no gradient crosses between them. Let torchrun take its nodes from what the operator sets."
            }
            Self::Idle => {
                "Fewer processes than GPUs: the other GPUs are idle, unless a process drives several. torchrun’s --nproc_per_node counts the processes of one node, accelerate’s --num_processes those of all machines together."
            }
        }
    }
}

/// Whether nothing was said to a process about its rank but where rank 0 is, as for a program that asks Slurm.
fn is_from_slurm(process: &Process) -> bool {
    process.rank.is_none() && process.world_size.is_none() && process.local_rank.is_none()
}
