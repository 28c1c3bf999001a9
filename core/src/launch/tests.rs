use super::*;
use crate::declare::Model as _;

fn of(case: Case, nodes: u64, gpus: u64) -> Params {
    Params { case, nodes, gpus, ..Params::standard() }
}

fn own(script: &str) -> Params {
    Params { script: Script(script.into()), ..of(Case::Own, 2, 8) }
}

#[test]
fn sound_launches_train_on_every_gpu() {
    for case in [Case::Torchrun, Case::Srun, Case::Accelerate, Case::Ray, Case::Recorded, Case::TrainJob] {
        for (nodes, gpus) in [(2, 8), (4, 4), (8, 2)] {
            let p = of(case, nodes, gpus);
            let l = p.launch();
            assert_eq!((l.fault, l.remarks.len()), (None, 0), "{case:?}: {}\n{:?}", p.text(), l.remarks);
            let ranks: Vec<u64> = l.processes.iter().filter_map(|p| p.rank).collect();
            assert_eq!(ranks, (0..nodes * gpus).collect::<Vec<_>>(), "{case:?}");
            assert!(l.processes.iter().all(|p| p.world_size == Some(nodes * gpus)), "{case:?}");
            assert!(l.processes.iter().all(|p| p.device == p.local_rank), "{case:?}");
        }
    }
}

#[test]
fn each_case_has_the_fault_that_it_is_about() {
    let faults = [
        (Case::One, Fault::OneAgent),
        (Case::Two, Fault::AgentsApart),
        (Case::Three, Fault::SameNodeRank),
        (Case::Four, Fault::SameDevice),
        (Case::Five, Fault::NoSuchDevice),
        (Case::Six, Fault::NoVariable),
        (Case::Seven, Fault::NobodyListens),
        (Case::Eight, Fault::RankBeyond),
        (Case::Nine, Fault::NoInterface),
        (Case::Ten, Fault::DeadInterface),
        (Case::Eleven, Fault::NoInfiniband),
        (Case::Twelve, Fault::Idle),
        (Case::Thirteen, Fault::SameNodeRank),
        (Case::Fourteen, Fault::FewAgents),
        (Case::Fifteen, Fault::NoGpu),
        (Case::Sixteen, Fault::Unschedulable),
        (Case::Seventeen, Fault::SharedMemory),
        (Case::Eighteen, Fault::Apart),
        (Case::Nineteen, Fault::NoQueue),
        (Case::Twenty, Fault::NoSuchDevice),
        (Case::TwentyOne, Fault::RayWaits),
        (Case::TwentyTwo, Fault::OnCpu),
        (Case::TwentyThree, Fault::Mismatch),
        (Case::TwentyFour, Fault::Mismatch),
    ];
    for (case, fault) in faults {
        for (nodes, gpus) in [(2, 8), (4, 4)] {
            let p = of(case, nodes, gpus);
            let l = p.launch();
            assert_eq!(l.fault.map(|(f, _)| f), Some(fault), "{case:?}: {:?}\n{}", l.remarks, p.text());
            assert!(!l.log(p.world()).is_empty(), "{case:?}");
            let said = Params { explain: true, ..p }.remarks(&l);
            assert!(!said.is_empty(), "{case:?} blames no line: {:?}", l.fault);
        }
    }
}

#[test]
fn one_word_repairs_each() {
    for (case, wrong, right) in [
        (Case::One, "\ntorchrun", "\nsrun torchrun"),
        (Case::Two, "localhost", "$(scontrol show hostnames | head -n 1)"),
        (Case::Four, "ntasks-per-node=8", "ntasks-per-node=1"),
        (Case::Five, "--gpus-per-task=1 ", ""),
        (Case::Six, "  RANK=", "  export RANK="),
        (Case::Seven, "$(hostname)", "gpu01"),
        (Case::Eight, "SLURM_NNODES", "SLURM_NTASKS"),
        (Case::Nine, "eth1", "eth0"),
        (Case::Ten, "=docker0", "=^docker0,lo"),
        (Case::Eleven, "mlx4", "mlx5"),
        (Case::Twelve, "num_processes=8", "num_processes=16"),
        (Case::Thirteen, "=$SLURM_NODEID", "=\\$SLURM_NODEID"),
        (Case::Fourteen, "export HF_HOME=/scratch/hf\n", ""),
        (Case::Fifteen, "cpu: 64", "nvidia.com/gpu: 8"),
        (Case::Sixteen, "gpu: 16", "gpu: 8"),
        (Case::Eighteen, "    - --standalone\n", ""),
        (Case::Nineteen, "team-b", "team-a"),
        (Case::Twenty, "  export CUDA_VISIBLE_DEVICES=0\n", ""),
        (Case::TwentyOne, "localhost", "$head"),
        (Case::TwentyTwo, "=16", "=16 --use-gpu"),
        (Case::TwentyThree, "train:dev", "train:v8"),
        (Case::TwentyFour, "train:dev", "train@sha256:4f1c"),
    ] {
        let text = of(case, 2, 8).text();
        assert!(text.contains(wrong), "{case:?} has no {wrong}\n{text}");
        let p = Params { script: Script(text.replacen(wrong, right, 1)), ..of(case, 2, 8) };
        let l = p.launch();
        assert_eq!(l.fault, None, "{case:?}: {:?}\n{}", l.remarks, p.text());
    }
    let three = of(Case::Three, 2, 8)
        .text()
        .replace("srun torchrun", "srun bash -c 'torchrun")
        .replace("train.py", "train.py'");
    let three = three.replace("$head", "gpu01");
    assert_eq!(own(&three).launch().fault, None, "{three}");
}

#[test]
fn a_script_of_ones_own_is_checked_line_by_line() {
    let l = own("#!/bin/bash\n#SBATCH --nodse=2\nsrun torchrun train.py").launch();
    assert_eq!((l.fault, l.remarks[0].0), (Some((Fault::BadOption, 2)), 2));
    let l = own("#SBATCH --nodes=2 --gpus-per-node=8\nsrun torchrun \\\n  --nproc=8 train.py").launch();
    assert_eq!(l.fault, Some((Fault::BadArgument, 3)));
    // As argparse of Python 3.11 has it.
    assert_eq!(l.detail, "torchrun: error: ambiguous option: --nproc=8 could match --nproc-per-node, --nproc_per_node");
    let l = own("#SBATCH -N 2\nfor i in 1 2; do srun torchrun t.py; done").launch();
    assert_eq!(l.remarks[0].0, 2);
    let l = own("apiVersion: v1\nkind: Trainjob").launch();
    assert_eq!((l.fault, l.remarks[0].0), (Some((Fault::BadManifest, 2)), 2));
}

#[test]
fn what_ranks_are_about_to_do_is_compared_with_detail_alone() {
    let log = |case: Case| {
        let p = of(case, 2, 8);
        let l = p.launch();
        (l.outcome(), l.silence(), l.log(p.world()).join("\n"))
    };
    let (outcome, silence, text) = log(Case::TwentyThree);
    assert_eq!((outcome, silence), (Outcome::Hangs, 600));
    assert!(
        text.contains("[Rank 0] Watchdog caught") && text.contains("OpType=_ALLGATHER_BASE, NumelIn=1, NumelOut=16"),
        "{text}"
    );
    let (outcome, silence, text) = log(Case::TwentyFour);
    assert_eq!((outcome, silence), (Outcome::Fails, 0));
    assert!(
        text.contains("Rank 8 is running collective") && text.contains("Op type: _ALLGATHER_BASEvs ALLREDUCE"),
        "{text}"
    );
}

#[test]
fn ray_places_workers_where_gpus_were_declared() {
    let script = |join: &str, driver: &str| {
        own(&format!(
            "#SBATCH --nodes=2 --gpus-per-node=8\nhead=$(hostname)\nsrun -N1 -n1 -w $head ray start --head --block &\n{join}\npython t.py {driver}"
        ))
        .launch()
    };
    let joins = "srun -N1 -n1 -x $head ray start --address=$head:6379 --block &";
    let l = script(joins, "--num-workers 12 --use-gpu");
    let devices: Vec<(u64, Option<u64>)> = l.processes.iter().map(|p| (p.node, p.device)).collect();
    assert_eq!((devices.len(), devices[7], devices[8]), (12, (0, Some(7)), (1, Some(0))));
    assert_eq!(l.fault.map(|(f, _)| f), None, "GPUs that Ray has over are another job's");
    // A second raylet on the same node declares the same GPUs again.
    let l = script("ray start --address=$head:6379", "--num-workers=16 --use-gpu");
    assert_eq!(l.fault.map(|(f, _)| f), Some(Fault::SameDevice));
    let l = script("", "--num-workers=16 --use-gpu");
    assert_eq!(l.fault, Some((Fault::RayWaits, 5)));
    let l = script("srun -N1 -n1 -x $head ray start --address=$head:6379 --num-gpus=16", "--num-workers=16 --use-gpu");
    assert_eq!(
        (l.fault, l.detail.starts_with("ValueError: Attempting to start raylet with 16 GPU")),
        (Some((Fault::BadArgument, 4)), true)
    );
    let l = own("#SBATCH -N2 --ntasks-per-node=1 --gpus-per-node=8\nsrun ray symmetric-run --address gpu01:6379 --min-nodes 2 -- python t.py --num-workers=16 --use-gpu").launch();
    assert_eq!((l.fault, l.processes.len()), (None, 16), "{:?}", l.remarks);
}

#[test]
fn pods_of_a_pytorchjob_meet() {
    let text = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  nprocPerNode: \"8\"\n  pytorchReplicaSpecs:\n    Master:\n      \
                replicas: 1\n      template:\n        spec:\n          containers:\n          - name: pytorch\n            command: \
                [\"torchrun\", \"train.py\"]\n            resources:\n              limits:\n                nvidia.com/gpu: 8\n            \
                volumeMounts:\n            - name: shm\n              mountPath: /dev/shm\n    Worker:\n      replicas: 1\n      \
                template:\n        spec:\n          containers:\n          - name: pytorch\n            command: [\"torchrun\", \
                \"train.py\"]\n            resources:\n              limits:\n                nvidia.com/gpu: 8\n";
    let l = own(text).launch();
    assert_eq!((l.fault, l.processes.len()), (None, 16), "{:?}", l.remarks);
    let apart = own(&text.replace("volumeMounts", "ports")).launch();
    assert_eq!(apart.fault.map(|(f, _)| f), None, "mountPath is what counts");
}

mod any {
    use super::own;
    use proptest::prelude::*;

    proptest! {
        /// Whatever is pasted is read without a panic, and what is said of it names one of its lines.
        #[test]
        fn text_is_read(text in "([ -~]{0,30}\n?){0,6}", head in 0_usize..6) {
            let heads = [
                "#SBATCH --nodes=2 --gpus-per-node=8\nsrun ",
                "kind: TrainJob\nspec:\n  trainer:\n    numNodes: 2\n",
                "#SBATCH -N 2 -G 16\nsrun bash -c '",
                "torchrun --nnodes=2 ",
                "#SBATCH -N 2 -G 16\nray start --head\npython t.py --num-workers=16 ",
                "#SBATCH -N 2 -G 16\nsrun ray symmetric-run --address=gpu01:6379 ",
            ];
            let text = format!("{}{text}", heads[head]);
            let p = own(&text);
            let l = p.launch();
            for (line, _) in p.remarks(&l) {
                prop_assert!(line >= 1 && line <= text.lines().count().max(1), "{line} of {text}");
            }
            _ = (l.log(p.world()), p.finding(&l));
        }
    }
}
