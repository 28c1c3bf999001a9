//! Steps of a Slurm job: what `srun` starts, where, and what each task has.

use std::sync::Arc;

use super::shell::{Arg, Env, Shell, known};
use super::world::{Cpus, Task, World, host};
use crate::slurm::{NotRead, Program, split_option};

pub use crate::slurm::Options;

/// Most tasks that are followed.
pub const MOST_TASKS: u64 = 512;

/// A job of Slurm.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Job {
    /// What its header says.
    pub options: Options,
    /// Its nodes.
    pub nodes: u64,
    /// GPUs of each that it has.
    pub gpus: u64,
}

impl Job {
    /// A job with these options, in a cluster.
    pub fn new(options: Options, world: World) -> Self {
        // A job that has its nodes to itself has all of their GPUs (sbatch(1), --exclusive).
        let asked = if options.exclusive && options.gpus_of_a_node() == 0 && !options.no_gpus() {
            world.gpus
        } else {
            options.gpus_of_a_node()
        };
        let (nodes, gpus) = (options.node_count().min(world.nodes), asked.min(world.gpus));
        Self { options, nodes, gpus }
    }

    /// A job of so many nodes with so many GPUs.
    #[cfg(test)]
    pub fn of(nodes: u64, gpus: u64) -> Self {
        let options = Options { nodes: Some(nodes), gpus_per_node: Some(gpus), ..Options::default() };
        Self { options, nodes, gpus }
    }

    /// Its nodes, as Slurm writes them.
    pub fn list(&self) -> String {
        if self.nodes == 1 { host(0) } else { format!("gpu[01-{:02}]", self.nodes) }
    }

    /// Tasks on each node, as the header says; what each is given processors for.
    fn tasks_of_a_node(&self) -> u64 {
        let o = &self.options;
        o.ntasks_per_node.unwrap_or_else(|| o.ntasks.unwrap_or(self.nodes).div_ceil(self.nodes.max(1))).max(1)
    }

    /// Processors that the job has on a node; none where that is not known, or all are its own.
    fn cpus_of_a_node(&self) -> Option<u64> {
        let o = &self.options;
        if o.exclusive || o.other_cpus {
            return None;
        }
        match (o.cpus_per_task, o.cpus_per_gpu) {
            (Some(each), _) => Some(each.saturating_mul(self.tasks_of_a_node())),
            (None, Some(each)) => Some(each.saturating_mul(self.gpus)),
            (None, None) => Some(self.tasks_of_a_node()),
        }
    }

    /// Processors of the batch step, which has those of its node.
    pub fn batch_cpus(&self) -> Option<Cpus> {
        self.cpus_of_a_node().map(|count| Cpus { count, asked: self.asked() })
    }

    fn asked(&self) -> bool {
        self.options.cpus_per_task.is_some() || self.options.cpus_per_gpu.is_some()
    }
}

/// A step as its options have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The word at which the command begins.
    pub at: usize,
    /// Nodes that may be taken.
    nodes: Vec<u64>,
    /// Nodes that are taken.
    count: u64,
    /// Tasks.
    pub tasks: u64,
    /// Tasks on each node.
    each: u64,
    /// GPUs of each task, which then sees no others.
    gpus_per_task: Option<u64>,
    /// GPUs of each node for the step.
    gpus: u64,
    cpus: Option<Cpus>,
    /// Options that change what is run so that it is not followed here.
    pub other: Option<String>,
}

/// Why a step is not read: which of its words, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The word.
    pub at: usize,
    /// Why.
    pub not: NotRead,
}

impl Options {
    /// The step that `srun` makes with these words, its name left out.
    ///
    /// # Errors
    /// An option that is not read.
    pub fn step(words: &[&str], env: &Env, job: &Job) -> Result<Place, Refusal> {
        let header = &job.options;
        // What srun says goes before what the header says.
        // Processors come by a variable: Slurm 22.05 and 23.02 read SRUN_CPUS_PER_TASK alone, later ones SLURM_CPUS_PER_TASK.
        let mut own = Self { cpus_per_task: None, cpus_per_gpu: None, ..header.clone() };
        let mut nodes: Vec<u64> = (0..job.nodes.max(1)).collect();
        let (mut at, mut other): (usize, Option<String>) = (0, None);
        while let Some(given) = words.get(at..).and_then(|words| split_option(Program::Srun, words)) {
            let refused = |not: NotRead| Refusal { at, not };
            let given = given.map_err(refused)?;
            if !known(given.value) && matters(given.name) {
                let why = format!("The value of --{} is not known here.", given.name);
                return Err(refused(NotRead { why, unknown: true }));
            }
            if known(given.value) {
                own.take(&given).map_err(|why| refused(NotRead { why, unknown: false }))?;
            }
            let named = |node: &u64| given.value.split(',').any(|name| name == host(*node));
            match given.name {
                "nodelist" => nodes.retain(named),
                "exclude" => nodes.retain(|node| !named(node)),
                "relative" => {
                    let from = given.value.parse::<u64>().unwrap_or(0);
                    nodes.retain(|node| *node >= from);
                }
                // Variables that are not all handed on.
                "export" if given.value != "ALL" => other = Some(given.name.to_owned()),
                "multi-prog" | "het-group" | "pack-group" | "nodefile" | "test-only" | "no-allocate" => {
                    other = Some(given.name.to_owned())
                }
                // The arbitrary distribution, and those that deal tasks to nodes in turn.
                "distribution"
                    if given.value.starts_with("arbitrary")
                        || given.value.starts_with("plane")
                        || given.value.starts_with("cyclic") =>
                {
                    other = Some(given.name.to_owned());
                }
                _ => {}
            }
            at += given.words;
        }
        let step_nodes = own.node_count();
        let count = step_nodes.min(nodes.len() as u64);
        let tasks = if own.ntasks == header.ntasks && own.ntasks_per_node.is_none() {
            own.ntasks.unwrap_or(count)
        } else {
            own.task_count()
        };
        let tasks = if count == 0 { 0 } else { tasks };
        let each = own.ntasks_per_node.unwrap_or(tasks.div_ceil(count.max(1))).max(1);
        let by_variable = ["SRUN_CPUS_PER_TASK", "SLURM_CPUS_PER_TASK"].into_iter().find_map(|name| {
            env.exported(name).filter(|value| known(value)).and_then(|value| value.parse::<u64>().ok())
        });
        let asked = job.asked() || own.cpus_per_task.is_some() || own.cpus_per_gpu.is_some() || by_variable.is_some();
        let cpus = match own.cpus_per_task.or(by_variable) {
            Some(each) => Some(each),
            // A step has all processors of its job on a node, and its tasks share them.
            None => job.cpus_of_a_node().map(|all| (all / each).max(1)),
        };
        let cpus = cpus.filter(|_| !own.other_cpus).map(|count| Cpus { count, asked });
        let gpus =
            if own.gpus_of_a_node() == 0 && !own.no_gpus() { job.gpus } else { job.gpus.min(own.gpus_of_a_node()) };
        Ok(Place { at, nodes, count, tasks, each, gpus_per_task: own.gpus_per_task, gpus, cpus, other })
    }
}

/// Whether an option decides where tasks run.
fn matters(name: &str) -> bool {
    matches!(
        name,
        "nodes"
            | "ntasks"
            | "ntasks-per-node"
            | "tasks-per-node"
            | "gpus"
            | "gpus-per-node"
            | "gpus-per-task"
            | "gres"
            | "cpus-per-task"
            | "cpus-per-gpu"
            | "nodelist"
            | "exclude"
            | "relative"
            | "distribution"
            | "export"
    )
}

impl Place {
    /// Whether Slurm chooses among more nodes than it takes.
    pub fn is_free(&self) -> bool {
        self.count < self.nodes.len() as u64
    }

    /// The nodes of its tasks, in their order.
    pub fn places(&self) -> Vec<u64> {
        (0..self.tasks.min(MOST_TASKS)).map(|proc| self.node(proc)).collect()
    }

    fn place(&self, proc: u64) -> u64 {
        (proc / self.each).min(self.count.saturating_sub(1))
    }

    fn node(&self, proc: u64) -> u64 {
        self.nodes.get(usize::try_from(self.place(proc)).unwrap_or(usize::MAX)).copied().unwrap_or(0)
    }

    /// Its tasks.
    pub fn tasks(&self, env: &Env) -> Vec<Task> {
        let common = env.inherited();
        (0..self.tasks.min(MOST_TASKS)).map(|proc| self.task(&common, proc)).collect()
    }

    fn task(&self, common: &Env, proc: u64) -> Task {
        let (node, local) = (self.node(proc), proc % self.each);
        let mut own = common.clone();
        own.node = node;
        for (name, value) in [
            ("SLURM_PROCID", proc.to_string()),
            ("SLURM_LOCALID", local.to_string()),
            ("SLURM_NODEID", self.place(proc).to_string()),
            ("SLURM_NTASKS", self.tasks.to_string()),
            ("SLURM_NPROCS", self.tasks.to_string()),
            ("SLURM_STEP_NUM_TASKS", self.tasks.to_string()),
            ("SLURM_STEP_NUM_NODES", self.count.to_string()),
            ("SLURM_NNODES", self.count.to_string()),
            ("SLURMD_NODENAME", host(node)),
            ("HOSTNAME", host(node)),
            // Each shell draws its own.
            ("RANDOM", (17_289 + 7 * proc).to_string()),
        ] {
            own.set(name, value, true, 0);
        }
        let visible: Vec<u64> = match self.gpus_per_task {
            Some(each) => {
                let from = local.saturating_mul(each);
                (from..from.saturating_add(each).min(self.gpus)).collect()
            }
            None => (0..self.gpus).collect(),
        };
        // A task that has GPUs of its own sees them from 0 on.
        let names: Vec<String> = (0..visible.len()).map(|gpu| gpu.to_string()).collect();
        own.set("CUDA_VISIBLE_DEVICES", names.join(","), true, 0);
        Task { node, env: own, visible, small_shm: Some(false), cpus: self.cpus }
    }
}

/// The batch shell's environment: it runs once, on the first node.
pub fn batch_env(job: &Job) -> Env {
    let (nodes, o) = (job.nodes, &job.options);
    let mut env = Env::default();
    let list = job.list();
    for (name, value) in [
        ("SLURM_JOB_ID", "4711".to_owned()),
        ("SLURM_JOBID", "4711".to_owned()),
        ("SLURM_JOB_NODELIST", list.clone()),
        ("SLURM_NODELIST", list),
        ("SLURM_NNODES", nodes.to_string()),
        ("SLURM_JOB_NUM_NODES", nodes.to_string()),
        ("SLURM_JOB_NAME", o.name.clone().unwrap_or_else(|| "train".to_owned())),
        ("SLURM_GPUS_ON_NODE", job.gpus.to_string()),
        ("SLURM_NODEID", "0".to_owned()),
        ("SLURM_PROCID", "0".to_owned()),
        ("SLURM_LOCALID", "0".to_owned()),
        ("SLURMD_NODENAME", host(0)),
        ("HOSTNAME", host(0)),
        ("RANDOM", "17289".to_owned()),
    ] {
        env.set(name, value, true, 0);
    }
    // Those that are set only where the option is given (sbatch(1), "OUTPUT ENVIRONMENT VARIABLES").
    let tasks = (o.ntasks.is_some() || o.ntasks_per_node.is_some()).then(|| o.task_count());
    for (name, value) in [
        ("SLURM_NTASKS", tasks),
        ("SLURM_NPROCS", tasks),
        ("SLURM_NTASKS_PER_NODE", o.ntasks_per_node),
        ("SLURM_GPUS_PER_NODE", o.gpus_per_node),
        ("SLURM_GPUS", o.gpus),
        ("SLURM_GPUS_PER_TASK", o.gpus_per_task),
        ("SLURM_CPUS_PER_TASK", o.cpus_per_task),
        ("SLURM_CPUS_PER_GPU", o.cpus_per_gpu),
    ] {
        if let Some(value) = value {
            env.set(name, value.to_string(), true, 0);
        }
    }
    env
}

/// A shell that runs a batch script.
pub fn batch_shell(job: Job) -> Shell {
    Shell::new(batch_env(&job), Some(Arc::new(job)))
}

/// The words of a command.
pub fn texts(args: &[Arg]) -> Vec<&str> {
    args.iter().map(|arg| arg.text.as_str()).collect()
}
