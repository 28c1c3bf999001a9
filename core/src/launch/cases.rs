//! Launches as people write them, each with one thing wrong, and some with nothing.

use crate::options;

/// A launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// torchrun on every node, by srun.
    Torchrun,
    /// A process for each GPU, by srun.
    Srun,
    /// accelerate launch.
    Accelerate,
    /// Ray, its nodes started by srun.
    Ray,
    /// A TrainJob.
    TrainJob,
    /// torchrun, and all that is to be known of the run.
    Recorded,
    /// One's own script, from an empty page.
    Own,
    /// torchrun without srun.
    #[default]
    One,
    /// An endpoint on localhost.
    Two,
    /// A node rank that the batch shell replaces.
    Three,
    /// A launcher for each GPU.
    Four,
    /// One visible GPU for each task.
    Five,
    /// A rank that is not exported.
    Six,
    /// Each host its own master.
    Seven,
    /// A world as large as its nodes.
    Eight,
    /// An interface that is not there.
    Nine,
    /// An interface that leads nowhere.
    Ten,
    /// Adapters of another name.
    Eleven,
    /// Half of the processes.
    Twelve,
    /// A machine rank that the batch shell replaces.
    Thirteen,
    /// Options behind the first command.
    Fourteen,
    /// A pod without GPUs.
    Fifteen,
    /// A pod that fits on no node.
    Sixteen,
    /// A pod with little shared memory.
    Seventeen,
    /// Pods that do not know of each other.
    Eighteen,
    /// A queue that is not there.
    Nineteen,
    /// A visible GPU for all tasks.
    Twenty,
    /// Nodes that do not find Ray's head.
    TwentyOne,
    /// Ray's workers without GPUs.
    TwentyTwo,
    /// An image that a node still had.
    TwentyThree,
    /// The same, and ranks compare what they are about to do.
    TwentyFour,
    /// Eight processes on one core.
    TwentyFive,
}

options!(Case {
    Torchrun: "torchrun", "srun and torchrun, sound";
    Srun: "srun", "srun alone, sound";
    Accelerate: "accelerate", "srun and accelerate, sound";
    Ray: "ray", "srun and Ray, sound";
    TrainJob: "trainjob", "TrainJob, sound";
    Recorded: "recorded", "torchrun, and all of it recorded";
    Own: "own", "your own script";
    One: "1", "1 · silence, then a time-out";
    Two: "2", "2 · every node waits";
    Three: "3", "3 · half of them join";
    Four: "4", "4 · a GPU is there twice";
    Five: "5", "5 · a device does not exist";
    Six: "6", "6 · expected, but not set";
    Seven: "7", "7 · connection refused";
    Eight: "8", "8 · NCCL refuses a rank";
    Nine: "9", "9 · NCCL stops at once";
    Ten: "10", "10 · a minute of retries";
    Eleven: "11", "11 · it trains, slowly";
    Twelve: "12", "12 · half of the bill for nothing";
    Thirteen: "13", "13 · accelerate waits";
    Fourteen: "14", "14 · it ran yesterday";
    Fifteen: "15", "15 · a pod finds no GPU";
    Sixteen: "16", "16 · a pod stays Pending";
    Seventeen: "17", "17 · no space left on a device";
    Eighteen: "18", "18 · the loss is a single node’s";
    Nineteen: "19", "19 · no pod appears";
    Twenty: "20", "20 · rank 0 alone gets far";
    TwentyOne: "21", "21 · Ray tries again and again";
    TwentyTwo: "22", "22 · Ray trains, very slowly";
    TwentyThree: "23", "23 · all meet, and nothing moves";
    TwentyFour: "24", "24 · the same, with DETAIL";
    TwentyFive: "25", "25 · it trains, and the GPUs wait";
});

/// Processors that a node has for each of its GPUs.
const CPUS: u64 = 8;

/// The first lines of a batch script, whose tasks have these processors.
fn header_with(nodes: u64, tasks: u64, gpus: u64, cpus: &str) -> String {
    format!(
        "#!/bin/bash\n#SBATCH --job-name=train\n#SBATCH --nodes={nodes}\n#SBATCH --ntasks-per-node={tasks}\n{cpus}#SBATCH \
         --gpus-per-node={gpus}\n#SBATCH --time=12:00:00\n\nexport NCCL_DEBUG=INFO\nexport TORCH_DISTRIBUTED_DEBUG=DETAIL\n"
    )
}

/// The first lines of a batch script: its tasks share the processors of a node.
fn header(nodes: u64, tasks: u64, gpus: u64) -> String {
    header_with(nodes, tasks, gpus, &cpus(tasks, gpus))
}

fn cpus(tasks: u64, gpus: u64) -> String {
    format!("#SBATCH --cpus-per-task={}\n", CPUS * gpus / tasks.max(1))
}

const HEAD: &str = "head=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\n";

/// torchrun with a rendezvous of its own, behind `before`.
fn elastic(before: &str, nodes: u64, gpus: u64, endpoint: &str) -> String {
    format!(
        "\n{before}torchrun \\\n    --nnodes={nodes} --nproc-per-node={gpus} \\\n    --rdzv-id=$SLURM_JOB_ID --rdzv-backend=c10d \\\n    \
         --rdzv-endpoint={endpoint}:29500 \\\n    train.py\n"
    )
}

/// torchrun in an image, of a run that can be found and repeated.
fn recorded(nodes: u64, gpus: u64) -> String {
    let keep = "export MLFLOW_TRACKING_URI=https://mlflow.example\n\nrun=runs/$SLURM_JOB_ID\nmkdir -p $run\ngit rev-parse HEAD > \
                $run/commit\ngit diff HEAD > $run/diff\ndvc checkout data.dvc\nscontrol write batch_script $SLURM_JOB_ID \
                $run/launch.sh\n";
    let image = "srun --container-image=registry.example/train@sha256:4f1c2ab9 \\\n  ";
    let start =
        elastic(image, nodes, gpus, "$head").replace("train.py", "train.py --config=7b.yaml --seed=1234 --output=$run");
    format!("{}{keep}{HEAD}{start}", header(nodes, 1, gpus))
}

/// A process for each GPU by srun, with these variables.
fn bare(variables: &str, command: &str) -> String {
    format!("export MASTER_PORT=29500\n\nsrun {command}bash -c '\n{variables}  python train.py'\n")
}

const RANKS: &str = "  export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID\n  export WORLD_SIZE=$SLURM_NTASKS\n";

/// A Ray cluster of all nodes, whose others look for its head at `address`, and a driver.
fn ray(nodes: u64, address: &str, driver: &str) -> String {
    let others = nodes.saturating_sub(1);
    let join = format!(
        "srun --nodes={others} --ntasks={others} --exclude=$head \\\n    ray start --address={address}:6379 --block &\n"
    );
    let join = if others == 0 { "" } else { &join };
    format!(
        "\nsrun --nodes=1 --ntasks=1 --nodelist=$head \\\n    ray start --head --port=6379 --block &\n{join}sleep 30\n\n\
         python train.py {driver}\n"
    )
}

fn accelerate(nodes: u64, processes: u64, rank: &str) -> String {
    format!(
        "\nsrun bash -c \"accelerate launch \\\n    --num_machines={nodes} --num_processes={processes} \\\n    --machine_rank={rank} \
         --main_process_ip=$head \\\n    --main_process_port=29500 train.py\"\n"
    )
}

/// A TrainJob: what stands under its trainer, and its labels.
fn train_job(nodes: u64, resources: &str, volumes: bool, queue: &str) -> String {
    let (mounts, volumes) = if volumes {
        (
            ["      volumeMounts:", "      - mountPath: /dev/shm", "        name: shm"].as_slice(),
            ["    volumes:", "    - name: shm", "      emptyDir:", "        medium: Memory"].as_slice(),
        )
    } else {
        ([].as_slice(), [].as_slice())
    };
    // Line by line: a backslash at the end of a line would take the indentation of the next.
    let numbers = [format!("    kueue.x-k8s.io/queue-name: {queue}"), format!("    numNodes: {nodes}")];
    let before = [
        "apiVersion: trainer.kubeflow.org/v1alpha1",
        "kind: TrainJob",
        "metadata:",
        "  name: train",
        "  labels:",
        &numbers[0],
    ];
    let trainer = [
        "spec:",
        "  runtimeRef:",
        "    name: torch-distributed",
        "  trainer:",
        &numbers[1],
        "    image: registry.example/train:v7",
    ];
    let command = ["    command:", "    - torchrun", "    - train.py"];
    let pods = [
        "  podTemplateOverrides:",
        "  - targetJobs:",
        "    - name: node",
        "    spec:",
        "      containers:",
        "      - name: node",
    ];
    let resources: Vec<&str> = resources.lines().collect();
    let mounts: Vec<String> = mounts.iter().map(|line| format!("  {line}")).collect();
    let volumes: Vec<String> = volumes.iter().map(|line| format!("  {line}")).collect();
    let parts = before.iter().chain(&trainer).chain(&command).chain(&resources).chain(&pods).copied();
    let rest = mounts.iter().chain(&volumes).map(String::as_str);
    parts.chain(rest).flat_map(|line| [line, "\n"]).collect()
}

fn limits(gpus: u64) -> String {
    format!("    resourcesPerNode:\n      limits:\n        nvidia.com/gpu: {gpus}\n")
}

impl Case {
    /// The script, for so many nodes with so many GPUs.
    pub fn script(self, nodes: u64, gpus: u64) -> String {
        let head = |tasks: u64| header(nodes, tasks, gpus);
        let master = format!("{HEAD}export MASTER_ADDR=$head\n");
        let torchrun = |extra: &str| format!("{}{extra}{HEAD}{}", head(1), elastic("srun ", nodes, gpus, "$head"));
        let queue = super::manifest::QUEUE;
        match self {
            Self::Own => String::new(),
            Self::Torchrun => torchrun(""),
            Self::Recorded => recorded(nodes, gpus),
            Self::Srun => format!("{}{master}{}", head(gpus), bare(RANKS, "")),
            Self::Accelerate => format!("{}{HEAD}{}", head(1), accelerate(nodes, nodes * gpus, "\\$SLURM_NODEID")),
            Self::Ray => {
                let driver = format!("--num-workers={} --use-gpu", nodes * gpus);
                format!("{}{HEAD}{}", head(1), ray(nodes, "$head", &driver))
            }
            Self::TrainJob => train_job(nodes, &limits(gpus), true, queue),
            Self::One => format!("{}{HEAD}{}", head(1), elastic("", nodes, gpus, "$head")),
            Self::Two => format!("{}{}", head(1), elastic("srun ", nodes, gpus, "localhost")),
            Self::Three => format!(
                "{}{HEAD}\nsrun torchrun \\\n    --nnodes={nodes} --nproc-per-node={gpus} \\\n    --node-rank=$SLURM_NODEID \\\n    \
                 --master-addr=$head --master-port=29500 \\\n    train.py\n",
                head(1)
            ),
            Self::Four => format!("{}{HEAD}{}", head(gpus), elastic("srun ", nodes, gpus, "$head")),
            Self::Five => format!("{}{master}{}", head(gpus), bare(RANKS, "--gpus-per-task=1 ")),
            Self::Six => format!(
                "{}{master}{}",
                head(gpus),
                bare(
                    "  RANK=$SLURM_PROCID\n  export LOCAL_RANK=$SLURM_LOCALID\n  export WORLD_SIZE=$SLURM_NTASKS\n",
                    ""
                )
            ),
            Self::Seven => {
                format!("{}{}", head(gpus), bare(&format!("  export MASTER_ADDR=$(hostname)\n{RANKS}"), ""))
            }
            Self::Eight => format!(
                "{}{master}{}",
                head(gpus),
                bare("  export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID\n  export WORLD_SIZE=$SLURM_NNODES\n", "")
            ),
            Self::Nine => torchrun("export NCCL_SOCKET_IFNAME=eth1\n"),
            Self::Ten => torchrun("export NCCL_SOCKET_IFNAME=docker0\n"),
            Self::Eleven => torchrun("export NCCL_IB_HCA=mlx4\n"),
            Self::Twelve => format!("{}{HEAD}{}", head(1), accelerate(nodes, gpus, "\\$SLURM_NODEID")),
            Self::Thirteen => format!("{}{HEAD}{}", head(1), accelerate(nodes, nodes * gpus, "$SLURM_NODEID")),
            Self::Fourteen => format!(
                "#!/bin/bash\n#SBATCH --job-name=train\nexport HF_HOME=/scratch/hf\n#SBATCH --nodes={nodes}\n#SBATCH \
                 --ntasks-per-node=1\n{}#SBATCH --gpus-per-node={gpus}\n#SBATCH --time=12:00:00\n\n{HEAD}{}",
                cpus(1, gpus),
                elastic("srun ", nodes, gpus, "$head")
            ),
            Self::Fifteen => train_job(nodes, "    resourcesPerNode:\n      limits:\n        cpu: 64\n", true, queue),
            Self::Sixteen => train_job(nodes, &limits(nodes * gpus), true, queue),
            Self::Seventeen => train_job(nodes, &limits(gpus), false, queue),
            Self::Eighteen => {
                let text = train_job(nodes, &limits(gpus), true, queue);
                let standalone = format!("    - torchrun\n    - --standalone\n    - --nproc-per-node={gpus}\n");
                text.replace("    - torchrun\n", &standalone)
            }
            Self::Nineteen => train_job(nodes, &limits(gpus), true, "team-b"),
            Self::TwentyOne => {
                let driver = format!("--num-workers={} --use-gpu", nodes * gpus);
                format!("{}{HEAD}{}", head(1), ray(nodes, "localhost", &driver))
            }
            Self::TwentyTwo => {
                format!("{}{HEAD}{}", head(1), ray(nodes, "$head", &format!("--num-workers={}", nodes * gpus)))
            }
            Self::TwentyThree | Self::TwentyFour => {
                let debug = if self == Self::TwentyFour { "DETAIL" } else { "OFF" };
                let variables = format!("    env:\n    - name: TORCH_DISTRIBUTED_DEBUG\n      value: {debug}\n");
                train_job(nodes, &format!("{}{variables}", limits(gpus)), true, queue).replace("train:v7", "train:dev")
            }
            Self::TwentyFive => {
                format!("{}{HEAD}{}", header_with(nodes, 1, gpus, ""), elastic("srun ", nodes, gpus, "$head"))
            }
            Self::Twenty => {
                format!("{}{master}{}", head(gpus), bare(&format!("  export CUDA_VISIBLE_DEVICES=0\n{RANKS}"), ""))
            }
        }
    }
}
