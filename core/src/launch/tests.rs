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
    for case in [Case::Torchrun, Case::Srun, Case::Accelerate, Case::TrainJob] {
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
    let l = own("#SBATCH -N 2\nfor i in 1 2; do srun torchrun t.py; done").launch();
    assert_eq!(l.remarks[0].0, 2);
    let l = own("apiVersion: v1\nkind: Trainjob").launch();
    assert_eq!((l.fault, l.remarks[0].0), (Some((Fault::BadManifest, 2)), 2));
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
        fn text_is_read(text in "([ -~]{0,30}\n?){0,6}", head in 0_usize..4) {
            let heads = [
                "#SBATCH --nodes=2 --gpus-per-node=8\nsrun ",
                "kind: TrainJob\nspec:\n  trainer:\n    numNodes: 2\n",
                "#SBATCH -N 2 -G 16\nsrun bash -c '",
                "torchrun --nnodes=2 ",
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
