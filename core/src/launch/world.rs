//! The cluster that jobs are launched on, and the processes that a launch makes.

use super::shell::Env;

/// Network interfaces that each node has, and those of Kubernetes' pods.
pub const INTERFACES: [&str; 4] = ["lo", "docker0", "eth0", "ib0"];
/// Port that PyTorch takes where none is given.
pub const PORT: &str = "29500";

/// A cluster: nodes that are all alike, gpu01 and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct World {
    /// Nodes.
    pub nodes: u64,
    /// GPUs of each, and as many InfiniBand adapters, mlx5_0 and so on.
    pub gpus: u64,
}

/// Most nodes of a cluster.
pub const MOST_NODES: u64 = 8;

/// The name of a node, from 0.
pub fn host(node: u64) -> String {
    format!("gpu{:02}", node + 1)
}

/// The address of a node on eth0, from 0.
pub fn ip(node: u64) -> String {
    format!("10.0.0.{}", node + 1)
}

/// Whether a name or an address is this node's.
pub fn is_host(name: &str, node: u64) -> bool {
    name == host(node) || name == ip(node)
}

/// Whether a name means the host itself.
pub fn is_local(name: &str) -> bool {
    matches!(name, "localhost" | "127.0.0.1" | "::1" | "0.0.0.0")
}

/// Processors of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpus {
    /// How many.
    pub count: u64,
    /// Whether they were asked for, else there are as many as Slurm gives by default.
    pub asked: bool,
}

impl Cpus {
    /// Whether so many processes have too few of them: less than one each, or one each because nobody asked.
    pub const fn scarce(self, processes: u64) -> bool {
        self.count < processes || (!self.asked && self.count <= processes)
    }
}

/// Something that a scheduler or an operator starts on a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The node, from 0.
    pub node: u64,
    /// What it knows.
    pub env: Env,
    /// GPUs of the node that it sees, by the node's numbers.
    pub visible: Vec<u64>,
    /// Whether bytes of its /dev/shm are few: a container's 64 MB; none where that is not known.
    pub small_shm: Option<bool>,
    /// Its processors; none where they are not known, or those of the whole node.
    pub cpus: Option<Cpus>,
}

/// A process of the training script.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Process {
    /// Its node, from 0.
    pub node: u64,
    /// `RANK`, as it is set.
    pub rank: Option<u64>,
    /// `LOCAL_RANK`.
    pub local_rank: Option<u64>,
    /// `WORLD_SIZE`.
    pub world_size: Option<u64>,
    /// `MASTER_ADDR`.
    pub master: String,
    /// `MASTER_PORT`.
    pub port: String,
    /// GPUs of the node that it sees.
    pub visible: Vec<u64>,
    /// The one that it takes: the `LOCAL_RANK`-th of those.
    pub device: Option<u64>,
    /// Processes that can meet: those of one world.
    pub world: usize,
    /// Whether its container has little shared memory; none where that is not known.
    pub small_shm: Option<bool>,
    /// Processors of its task, where they are too few for the processes of it.
    pub scarce: Option<Cpus>,
    /// `NCCL_SOCKET_IFNAME`, where it is set.
    pub interface: Option<String>,
    /// `NCCL_IB_HCA`.
    pub hca: Option<String>,
    /// `NCCL_IB_DISABLE` is 1.
    pub no_ib: bool,
    /// `NCCL_DEBUG` is INFO: NCCL says what it does.
    pub nccl_debug: bool,
    /// `TORCH_DISTRIBUTED_DEBUG` is DETAIL: ranks compare what they are about to do.
    pub detail_debug: bool,
    /// It runs an older program than the others: its image is one that its node still had.
    pub older: bool,
    /// It was given no GPU and trains on the CPU.
    pub on_cpu: bool,
}

impl Process {
    /// A process on the node of `task`, with what its environment says of NCCL.
    pub fn of(task: &Task) -> Self {
        let text = |name: &str| task.env.exported(name).filter(|v| !v.is_empty()).map(str::to_owned);
        Self {
            node: task.node,
            visible: task.visible.clone(),
            small_shm: task.small_shm,
            scarce: None,
            interface: text("NCCL_SOCKET_IFNAME"),
            hca: text("NCCL_IB_HCA"),
            no_ib: text("NCCL_IB_DISABLE").is_some_and(|v| v == "1"),
            nccl_debug: text("NCCL_DEBUG").is_some_and(|v| v.eq_ignore_ascii_case("info")),
            detail_debug: text("TORCH_DISTRIBUTED_DEBUG").is_some_and(|v| v.eq_ignore_ascii_case("detail")),
            ..Self::default()
        }
    }

    /// Its `LOCAL_RANK`, and the GPU that it takes by it.
    pub fn with_local_rank(mut self, local_rank: u64) -> Self {
        self.device = self.visible.get(local_rank as usize).copied();
        self.local_rank = Some(local_rank);
        self
    }
}

/// Whether a list of names as NCCL reads it has this one: prefixes, `=` before exact names, `^` before those to leave out.
pub fn takes(list: &str, name: &str) -> bool {
    let (out, list) = list.strip_prefix('^').map_or((false, list), |rest| (true, rest));
    let (exact, list) = list.strip_prefix('=').map_or((false, list), |rest| (true, rest));
    let found = list.split(',').filter(|one| !one.is_empty()).any(|one| {
        let one = one.split(':').next().unwrap_or(one);
        if exact { name == one } else { name.starts_with(one) }
    });
    found != out
}

#[cfg(test)]
mod tests {
    use super::takes;

    #[test]
    fn names_are_matched_as_nccl_does() {
        for (list, name, is) in [
            ("eth", "eth0", true),
            ("=eth", "eth0", false),
            ("^lo,docker", "ib0", true),
            ("^docker0,lo", "docker0", false),
            ("mlx5_0:1,mlx5_1", "mlx5_0", true),
            ("mlx4", "mlx5_0", false),
        ] {
            assert_eq!(takes(list, name), is, "{list} {name}");
        }
    }
}
