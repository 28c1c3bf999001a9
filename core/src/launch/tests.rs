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
        (Case::TwentyFive, Fault::FewCores),
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
        (Case::TwentyFive, "--ntasks-per-node=1", "--ntasks-per-node=1 --cpus-per-task=64"),
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
    // It may be an option of a newer release or of a site's plugin: it is marked, and nothing is said of what comes of it.
    let l = own("#!/bin/bash\n#SBATCH --nodse=2\nsrun torchrun train.py").launch();
    assert_eq!((l.fault, l.outcome(), l.remarks[0].0), (None, Outcome::Unread, 2));
    assert!(l.remarks[0].1.contains("did you mean “nodes”"), "{:?}", l.remarks);
    // Quotes hold a value together, a site's resources may have any name, and a name that is to be filled in changes nothing.
    let l = own("#!/bin/bash\n#SBATCH --job-name=\"TWO WORDS\" --nodes=1 -A <account>\n#SBATCH --gpus-per-node=8\n#SBATCH --gres=gpumem:24G\n#SBATCH --cpus-per-task=64\ntorchrun --nproc-per-node=8 train.py").launch();
    assert_eq!((l.fault, l.outcome(), l.processes.len()), (None, Outcome::Trains, 8), "{:?}", l.remarks);
    // A number that is to be filled in, and a word that is no option, prove nothing.
    for header in ["--nodes=<nodes>", "-N 1 (1)", "-p { partition }"] {
        let l = own(&format!("#!/bin/bash\n#SBATCH {header}\nsrun torchrun train.py")).launch();
        assert_eq!((l.fault, l.outcome()), (None, Outcome::Unread), "{header}: {:?}", l.remarks);
    }
    let l = own("#!/bin/bash\n#SBATCH --nodes=two\nsrun torchrun train.py").launch();
    assert_eq!((l.fault, l.remarks[0].0), (Some((Fault::BadOption, 2)), 2));
    let l = own("#SBATCH --nodes=2 --gpus-per-node=8\nsrun torchrun \\\n  --nproc=8 train.py").launch();
    assert_eq!(l.fault, Some((Fault::BadArgument, 3)));
    // As argparse of Python 3.11 has it.
    assert_eq!(l.detail, "torchrun: error: ambiguous option: --nproc=8 could match --nproc-per-node, --nproc_per_node");
    let l = own("#SBATCH -N 2\nwhile sleep 1; do srun torchrun t.py; done").launch();
    assert_eq!(l.remarks[0].0, 2);
    assert_eq!(l.outcome(), Outcome::Unread);
    let l = own("apiVersion: v1\nkind: Trainjob").launch();
    assert_eq!((l.fault, l.remarks[0].0), (Some((Fault::UnreadManifest, 2)), 2));
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
            "#SBATCH --nodes=2 --gpus-per-node=8 --exclusive\nhead=$(hostname)\nsrun -N1 -n1 -w $head ray start --head --block &\n{join}\npython t.py {driver}"
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
    let l = own("#SBATCH -N2 --ntasks-per-node=1 --gpus-per-node=8 --exclusive\nsrun ray symmetric-run --address gpu01:6379 --min-nodes 2 -- python t.py --num-workers=16 --use-gpu").launch();
    assert_eq!((l.fault, l.processes.len()), (None, 16), "{:?}", l.remarks);
}

#[test]
fn pods_of_a_pytorchjob_meet() {
    let replica = |name: &str| {
        format!(
            "    {name}:\n      replicas: 1\n      template:\n        spec:\n          containers:\n          - name: pytorch\n            \
             command: [\"torchrun\", \"train.py\"]\n            resources:\n              limits:\n                nvidia.com/gpu: 8\n            \
             volumeMounts:\n            - name: shm\n              mountPath: /dev/shm\n          volumes:\n          - name: shm\n            \
             emptyDir: {{medium: Memory}}\n"
        )
    };
    let head = "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  nprocPerNode: \"8\"\n  pytorchReplicaSpecs:\n";
    let text = format!("{head}{}{}", replica("Master"), replica("Worker"));
    let l = own(&text).launch();
    assert_eq!((l.fault, l.processes.len()), (None, 16), "{:?}", l.remarks);
    // A mount under another key is no mount, and one of a volume that is not there is none either.
    let l = own(&text.replace("volumeMounts", "ports")).launch();
    assert_eq!(l.fault.map(|(f, _)| f), Some(Fault::SharedMemory));
    let l = own(&text.replace("          volumes:", "          volumez:")).launch();
    assert_eq!(l.fault, Some((Fault::BadManifest, 19)), "{:?}", l.remarks);
    assert!(
        l.detail.ends_with("unknown field \"spec.pytorchReplicaSpecs.Master.template.spec.volumez\""),
        "{}",
        l.detail
    );
    let l = own(&text.replace("replicas: 1", "replicas: 18446744073709551615")).launch();
    // Their cluster may have as many nodes.
    assert_eq!((l.fault, l.outcome()), (None, Outcome::Unread));
}

/// A field one level too far left is what a backslash at the end of a line of Rust once did to every TrainJob here.
#[test]
fn fields_stand_where_the_api_server_looks_for_them() {
    let sound = of(Case::TrainJob, 2, 8).text();
    for (wrong, right, line) in [
        ("      volumes:", "    volumes:", 23),
        ("        volumeMounts:", "      volumeMounts:", 20),
        ("    numNodes:", "  numNodes:", 10),
        ("runtimeRef", "runtimeref", 8),
    ] {
        assert!(sound.contains(wrong), "{sound}");
        let l = own(&sound.replacen(wrong, right, 1)).launch();
        let fault = l.fault.map(|(fault, _)| fault);
        assert!(
            matches!(fault, Some(Fault::BadManifest | Fault::UnreadManifest)),
            "{wrong} {line}: {fault:?}\n{:?}",
            l.remarks
        );
    }
}

#[test]
fn every_manifest_of_a_case_is_yaml_and_has_the_fields_of_its_kind() {
    for case in Case::ALL {
        for (nodes, gpus) in [(2, 8), (4, 4)] {
            let text = of(case, nodes, gpus).text();
            if !super::manifest::is_manifest(&text) {
                continue;
            }
            let documents = super::yaml::read(&text).unwrap_or_else(|why| panic!("{case:?}: {why:?}\n{text}"));
            assert_eq!(documents.len(), 1);
            assert_eq!(super::schema::check(&documents[0], "TrainJob", ""), None, "{case:?}\n{text}");
        }
    }
}

#[test]
fn no_sound_launch_lacks_processors() {
    for case in [Case::Torchrun, Case::Srun, Case::Accelerate, Case::Ray, Case::Recorded] {
        let text = of(case, 2, 8).text();
        assert!(text.contains("--cpus-per-task"), "{case:?}");
        let without: Vec<&str> = text.lines().filter(|line| !line.contains("--cpus-per-task")).collect();
        let l = Params { script: Script(without.join("\n")), ..of(case, 2, 8) }.launch();
        assert_eq!(l.fault.map(|(f, _)| f), Some(Fault::FewCores), "{case:?}: {:?}", l.remarks);
        // Somebody else's site may give more.
        assert_eq!(own(&without.join("\n")).launch().outcome(), Outcome::Unread, "{case:?}");
        // Whole nodes, processors with each GPU, and a variable that srun reads do as well.
        for line in ["#SBATCH --exclusive", "#SBATCH --cpus-per-gpu=8", "#SBATCH --ntasks-per-node=1 -c 64"] {
            if case == Case::Srun && line.contains("ntasks") {
                continue;
            }
            let mut lines = without.clone();
            lines.insert(1, line);
            assert_eq!(own(&lines.join("\n")).launch().fault, None, "{case:?} {line}");
        }
    }
    let l = own("#SBATCH -N 2 --ntasks-per-node=1 --gpus-per-node=8 -c 4\nsrun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d \
                 --rdzv-endpoint=gpu01 train.py")
    .launch();
    assert!(
        l.fault
            .is_some_and(|(f, _)| f == Fault::FewCores && l.why(f).starts_with("A task has 4 cores for 8 processes"))
    );
}

const HEADER: &str = "#!/bin/bash\n#SBATCH --nodes=2 --ntasks-per-node=1 --cpus-per-task=64 --gpus-per-node=8\n";

#[test]
fn an_endpoint_without_a_host_stops_torchrun_at_once() {
    let script = |set: &str| {
        own(&format!(
            "{HEADER}{set}\nsrun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint $MASTER_ADDR:29500 train.py"
        ))
    };
    let p = script("MASTER_ADDR=");
    let l = p.launch();
    assert_eq!((l.fault, l.outcome()), (Some((Fault::EmptyHost, 4)), Outcome::Fails));
    assert!(l.why(Fault::EmptyHost).starts_with("$MASTER_ADDR is empty here."), "{}", l.why(Fault::EmptyHost));
    assert!(l.log(p.world())[0].contains("ValueError: The hostname of the rendezvous endpoint ':29500' must be"));
    // What submits the job may have set it.
    let l = script("").launch();
    assert_eq!(l.outcome(), Outcome::Unread);
    let why = "$MASTER_ADDR isn’t set in this script. If what submits the job doesn’t set it either: the endpoint where agents meet has no host.";
    assert_eq!(l.remarks, [(4, why.to_owned())]);
    // Where something unread may have set it, nothing is said.
    assert_eq!(script("source env.sh").launch().outcome(), Outcome::Unread);
    assert_eq!(script("MASTER_ADDR=$(hostname)").launch().outcome(), Outcome::Trains);
    // A machine that is none of the figure's may be any.
    assert_eq!(script("MASTER_ADDR=node17").launch().outcome(), Outcome::Unread);
}

/// No verdict rests on a variable that the script doesn't set, and one that doesn't need it stays.
#[test]
fn what_submits_a_job_may_have_set_variables() {
    let of = |arguments: &str| own(&format!("{HEADER}srun torchrun {arguments} train.py\n")).launch();
    let rest = "--rdzv-backend=c10d --rdzv-endpoint=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1):29500";
    for arguments in [
        format!("--nnodes=$NNODES --nproc-per-node=8 {rest}"),
        format!("--nnodes=2 --nproc-per-node=$GPUS {rest}"),
        "--nnodes=2 --nproc-per-node=8 --node-rank $NODE_RANK --master-addr $MASTER_ADDR".to_owned(),
    ] {
        let l = of(&arguments);
        assert_eq!(l.outcome(), Outcome::Unread, "{arguments}");
        assert!(
            l.remarks.iter().any(|(_, why)| why.contains("isn’t set in this script")),
            "{arguments}: {:?}",
            l.remarks
        );
    }
    let l = of("--nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=localhost:29500 train.py $ARGS");
    assert_eq!(l.fault.map(|(fault, _)| fault), Some(Fault::AgentsApart), "{:?}", l.remarks);
}

/// What was tried, and what is right.
#[test]
fn public_cases_are_judged_rightly() {
    const SHM: &str = include_str!("../../../tests/fixtures/launch/33-pytorchjob-no-shm.yaml");
    const ARRAYS: &str = include_str!("../../../tests/fixtures/launch/34-only-arrays.sh");
    const HOSTNAME: &str = include_str!("../../../tests/fixtures/launch/34-only-srun-hostname.sh");
    const EITHER: &str = include_str!("../../../tests/fixtures/launch/34-neither-trains.sh");
    for script in [ARRAYS, HOSTNAME, EITHER] {
        let l = Params { script: Script(script.into()), ..of(Case::Own, 4, 1) }.launch();
        assert_eq!((l.fault, l.outcome(), l.processes.len()), (None, Outcome::Trains, 4), "{script}\n{:?}", l.remarks);
        let met: Vec<&str> = l.processes.iter().map(|p| p.master.as_str()).collect();
        assert!(met.iter().all(|at| matches!(*at, "gpu01" | "10.0.0.1")), "{met:?}");
    }
    let l = own(SHM).launch();
    assert_eq!(l.fault.map(|(fault, _)| fault), Some(Fault::SharedMemory), "{:?}", l.remarks);
    // Lightning-AI/pytorch-lightning issue 8707.
    let p = Params {
        script: Script(
            "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gres=gpu:4\npython train.py".into(),
        ),
        ..of(Case::Own, 2, 4)
    };
    let l = p.launch();
    assert_eq!(l.fault, Some((Fault::NoVariable, 5)));
    let said = p.finding(&l);
    assert!(said.starts_with("It fails: one process starts on 1 node") && said.contains("Without srun"), "{said}");
    // A program may ask Slurm for its rank, whatever is exported for rank 0.
    let script = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --gres=gpu:4\nexport MASTER_PORT=29500\nsrun python train.py";
    let l = Params { script: Script(script.into()), ..of(Case::Own, 2, 4) }.launch();
    assert_eq!((l.fault, l.outcome()), (None, Outcome::Unread), "{:?}", l.remarks);
}

/// Idioms of launch scripts that people copy, in our words: each script is as short as it can be and keep them.
#[test]
fn idioms_of_public_scripts_are_read() {
    let torchrun =
        "torchrun --nnodes $NNODES --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT";
    let first = "NNODES=$SLURM_NNODES\nMASTER_ADDR=$(scontrol show hostnames $SLURM_JOB_NODELIST | head -n 1)\nMASTER_PORT=6000\n";
    for (source, script) in [
        (
            "stas00/ml-engineering orchestration/slurm/launchers/torchrun-launcher.slurm: a launcher in a variable, more of it for the task",
            format!(
                "{first}LAUNCHER=\"python -u -m torch.distributed.run \\\n  --nnodes $NNODES --nproc_per_node 8 \\\n  --node_rank \\$SLURM_PROCID --rdzv_backend c10d \
             --rdzv_endpoint $MASTER_ADDR:$MASTER_PORT --role \\$(hostname -s|tr -dc '0-9'): --tee 3 \\\n  \"\nexport CMD=\"$LAUNCHER x.py\"\n\
             SRUN_ARGS=\" --wait=60 --kill-on-bad-exit=1 --jobid $SLURM_JOB_ID \"\nsrun $SRUN_ARGS bash -c \"$CMD\" 2>&1 | tee -a log"
            ),
        ),
        ("the same, as words", format!("{first}LAUNCHER=\"{torchrun}\"\nsrun $LAUNCHER x.py")),
        (
            "bigscience-workshop/bigscience tr11-176B-ml.slurm: preparations in Python, a here-document, clear; srun",
            format!(
                "{first}set -x -e\npython prepare.py --split train\ncat <<EOT > ds.json\n{{ \"steps\": $NNODES }}\nEOT\nCMD=\" `pwd`/x.py --types 'a|b' \"\n\
             LAUNCHER=\"{torchrun}\"\nclear; srun --jobid $SLURM_JOB_ID bash -c \"$LAUNCHER --node_rank \\$SLURM_PROCID $CMD\" 2>&1 | tee main.log"
            ),
        ),
        (
            "huggingface/nanotron examples/mamba/run_multinode.sh: defaults, modules, a choice between sbatch and salloc",
                ": ${GPUS:=8} # a default\n: ${PORT:=\"12356\"}\nif [ -z \"${SLURM_JOB_ID}\" ]; then\n  export SLURM_JOB_ID=$SALLOC\n  exit 1\nfi\n\
             source /etc/profile.d/modules.sh\nmodule load cuda/12.1\nsource /opt/conda/bin/activate\nexport HEAD=`scontrol show hostnames $SLURM_JOB_NODELIST | head -n1`\n\
             if [ -z \"${SALLOC}\" ]; then\n  nvidia-smi topo -m\n  export ARGS=\"\"\nelse\n  export ARGS=\"--jobid=$SALLOC\"\nfi\n\
             if [ -n \"${SALLOC}\" ]; then\n  srun other &\nelse\n  srun $ARGS --wait=0 torchrun --nnodes=$SLURM_NNODES --nproc_per_node=$GPUS --rdzv_id=$SLURM_JOB_ID \
             --rdzv_backend=c10d --rdzv_endpoint=$HEAD:$PORT --max_restarts 0 --rdzv_conf timeout=60 x.py --config-file ${CONFIG}\nfi".to_owned(),
        ),
        (
            "pytorch/torchtitan multinode_trainer.slurm: an address by srun, a module",
            format!(
                "{first}nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )\nnodes_array=($nodes)\nhead_node=${{nodes_array[0]}}\n\
             ip=$(srun --nodes=1 --ntasks=1 -w \"$head_node\" hostname --ip-address)\necho Node IP: $ip\ndcgmi profile --pause\n\
             srun torchrun --nnodes 2 --nproc_per_node 8 --rdzv_id 101 --rdzv_backend c10d --rdzv_endpoint \"$ip:29500\" -m pkg.train --config ${{C:-a}} \"$@\""
            ),
        ),
        (
            "NVIDIA/Megatron-LM examples/gpt3: arguments in an array",
            format!(
                "{first}ARGS=(\n  --nproc_per_node 8\n  --nnodes $NNODES\n  --rdzv-backend c10d --rdzv-endpoint $MASTER_ADDR:$MASTER_PORT\n)\n\
             MODEL=(\n --layers 96 # many\n --data $1\n)\nsrun torchrun ${{ARGS[@]}} x.py ${{MODEL[@]}}"
            ),
        ),
        ("a launcher with a container before it", format!("{first}srun apptainer exec --nv image.sif {torchrun} x.py")),
        (
            "a loop that starts an agent on each node, as on many clusters’ pages",
            "nodes=($(scontrol show hostnames $SLURM_JOB_NODELIST))\nfor ((i = 0; i < SLURM_NNODES; i++)); do\n  node=${nodes[$i]}\n  \
             srun -N 1 -n 1 -w $node torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 --node_rank $i --master_addr ${nodes[0]} \
             --master_port 29500 x.py &\ndone\nwait"
                .to_owned(),
        ),
        (
            "ray-project/ray doc/source/cluster/doc_code/slurm-basic.sh: workers in a loop",
            "nodes=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\")\nnodes_array=($nodes)\nhead_node=${nodes_array[0]}\nport=6379\n\
             head_node_ip=$(srun --nodes=1 --ntasks=1 -w \"$head_node\" hostname --ip-address)\nip_head=$head_node_ip:$port\nexport ip_head\n\
             echo \"IP Head: $ip_head\"\nsrun --nodes=1 --ntasks=1 -w \"$head_node\" \\\n    ray start --head \
             --node-ip-address=\"$head_node_ip\" --port=$port \\\n    --num-cpus \"${SLURM_CPUS_PER_TASK}\" --num-gpus \
             \"${SLURM_GPUS_PER_NODE}\" --block &\nsleep 10\nworker_num=$((SLURM_JOB_NUM_NODES - 1))\n\
             for ((i = 1; i <= worker_num; i++)); do\n    node_i=${nodes_array[$i]}\n    echo \"Starting WORKER $i at $node_i\"\n    \
             srun --nodes=1 --ntasks=1 -w \"$node_i\" \\\n        ray start --address \"$ip_head\" \\\n        --num-cpus \
             \"${SLURM_CPUS_PER_TASK}\" --num-gpus \"${SLURM_GPUS_PER_NODE}\" --block &\n    sleep 5\ndone\n\
             python -u train.py --num-workers=16 --use-gpu"
                .to_owned(),
        ),
        ("a function, and a wait", format!("{first}run() {{ srun {torchrun} \"$@\" & }}\nrun x.py\nwait")),
    ] {
        let p = own(&format!("{HEADER}{script}"));
        let l = p.launch();
        assert_eq!(
            (l.fault, l.outcome(), l.processes.len()),
            (None, Outcome::Trains, 16),
            "{source}\n{}\n{:?}",
            p.text(),
            l.remarks
        );
    }
    for (source, script) in [
        (
            "huggingface/accelerate examples/slurm: a file is sourced",
            format!(
                "source activateEnvironment.sh\n{first}LAUNCHER=\"accelerate launch --num_processes $((SLURM_NNODES * 8)) --num_machines $SLURM_NNODES \
             --rdzv_backend c10d --main_process_ip $MASTER_ADDR --main_process_port 29500\"\nsrun $LAUNCHER x.py"
            ),
        ),
        ("a config that is not here", "srun accelerate launch --config_file a.yaml x.py".to_owned()),
        ("a wrapper", format!("{first}srun ./train.sh")),
        ("a wrapper by bash", "srun bash run.sh 8".to_owned()),
        ("steps whose nodes Slurm chooses", "for n in 0 1; do srun -N1 torchrun x.py & done\nwait".to_owned()),
        ("a loop over what is not known", "for n in $(cat hosts); do srun -w $n torchrun x.py & done\nwait".to_owned()),
        (
            "NVIDIA/Megatron-LM examples/megatron_fsdp: a script that submits another",
            "sbatch <<EOF\n#!/bin/bash\nsrun python x.py\nEOF".to_owned(),
        ),
        ("Lightning, which takes its ranks from Slurm", "srun python x.py".to_owned()),
        (
            "an endpoint by what is not known",
            format!(
                "{first}ip=$(getent hosts a | awk '{{print $1}}')\nsrun {}",
                torchrun.replace("$MASTER_ADDR", "$ip")
            ),
        ),
        ("deepspeed", "deepspeed --num_gpus 8 x.py".to_owned()),
        ("an option that is on no list", format!("{first}srun torchrun --very-new-option 3 --nnodes 2 x.py")),
    ] {
        let p = own(&format!("{HEADER}{script}"));
        let l = p.launch();
        assert_eq!((l.fault, l.outcome()), (None, Outcome::Unread), "{source}\n{}\n{:?}", p.text(), l.remarks);
        assert!(l.unread > 0 && !p.remarks(&l).is_empty(), "{source}: {:?}", l.remarks);
    }
    // By hand, on one machine and on one of several.
    let l = own("MASTER_ADDR=localhost\ntorchrun --nproc_per_node 8 --nnodes 1 --master_addr $MASTER_ADDR x.py $1")
        .launch();
    assert_eq!((l.outcome(), l.processes.len()), (Outcome::Trains, 8), "{:?}", l.remarks);
    let l = own("torchrun --nproc_per_node 8 --nnodes 2 --node_rank 0 --master_addr localhost x.py").launch();
    assert_eq!(l.outcome(), Outcome::Unread, "{:?}", l.remarks);
}

#[test]
fn what_grew_without_bound_ends_in_a_remark() {
    let doubling = |times: usize| {
        format!(
            "#!/bin/bash\n#SBATCH --nodes=2 --ntasks=4096\nexport A=aaaaaaaaaa\n{}srun torchrun train.py",
            "export A=$A$A\n".repeat(times)
        )
    };
    for script in [
        doubling(30),
        doubling(17),
        doubling(390),
        format!("#SBATCH -N2\nsrun echo {} torchrun", "$(".repeat(6000)),
        format!("#SBATCH -N2\nsrun torchrun {} train.py", "${A:-".repeat(3000)),
        format!("#SBATCH -N2\nA=$(({}1", "(".repeat(9000)),
        format!("#SBATCH -N2\n{}", "if true; then\n".repeat(390)),
        format!("#SBATCH -N2\nf() {{ f; f; }}\nf\nsrun torchrun train.py {}", "x".repeat(100)),
        format!("#SBATCH -N 2 --ntasks=512\nsrun bash -c '{} python train.py'", "A=$A$A$A;".repeat(1500)),
        "#SBATCH -N 2 --gpus-per-node=8\nsrun torchrun --nnodes=2 --nproc-per-node=4096 --rdzv-backend=c10d --rdzv-endpoint=gpu01 t.py".to_owned(),
        format!("#SBATCH -N2\na=({})\n{}srun torchrun ${{a[@]}} train.py", "b ".repeat(2000), "a+=(${a[@]})\n".repeat(300)),
        format!("kind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n    Master:\n      replicas: 1\n    Worker:\n      replicas: {}\n", u64::MAX),
        format!("kind: Job\nspec: {}", "{a: ".repeat(4000)),
    ] {
        let p = own(&script);
        let l = p.launch();
        _ = (p.finding(&l), p.remarks(&l), l.log(p.world()));
        assert!(l.outcome() != Outcome::Trains, "{:?}", l.remarks);
    }
    let l = own(&doubling(30).replace("4096", "2")).launch();
    assert!(l.remarks.iter().any(|(line, why)| *line == 12 && why.contains("4,096 characters")), "{:?}", l.remarks);
}

/// Launches of a batch script.
const SCRIPTS: [Case; 18] = [
    Case::Torchrun,
    Case::Srun,
    Case::Accelerate,
    Case::Ray,
    Case::Recorded,
    Case::One,
    Case::Two,
    Case::Three,
    Case::Four,
    Case::Five,
    Case::Six,
    Case::Seven,
    Case::Eight,
    Case::Nine,
    Case::Twelve,
    Case::Thirteen,
    Case::TwentyOne,
    Case::TwentyTwo,
];

/// A command or an option that is known, renamed to one that is not: nothing is concluded from it.
#[test]
fn what_is_renamed_is_not_judged() {
    let words = [
        "srun ",
        "torchrun ",
        "scontrol ",
        "accelerate launch",
        "bash -c",
        "export ",
        "ray start",
        "--nodes=",
        "--gpus-per-node",
        "--rdzv-endpoint",
        "python ",
        "--nnodes",
        "--num-workers",
        "--num_processes",
        "--main_process_ip",
        "--node-rank",
        "--address",
    ];
    let mut tried = 0;
    for case in SCRIPTS {
        let text = of(case, 2, 8).text();
        let before = own(&text).launch();
        for word in words.iter().filter(|word| text.contains(**word)) {
            tried += 1;
            let unknown = word.replace(|c: char| c.is_ascii_alphabetic(), "q");
            let renamed = text.replace(word, &unknown);
            let l = own(&renamed).launch();
            // What was certain without it may stay what it was.
            let same = l.fault.is_some() && l.fault.map(|(f, _)| f) == before.fault.map(|(f, _)| f);
            assert!(
                l.outcome() == Outcome::Unread || same,
                "{case:?}: {word} became {unknown}: {:?}\n{:?}\n{renamed}",
                l.fault,
                l.remarks
            );
        }
    }
    assert!(tried > 100, "{tried}");
}

/// What is partly read stays so when more of it is taken away: any line, or all from any character on, as long as the mark stays.
#[test]
fn taking_away_makes_nothing_certain() {
    let mut bad = Vec::new();
    for case in SCRIPTS {
        let text = of(case, 2, 8).text();
        let head = text.find("\nexport").unwrap_or(0);
        let marked = format!("{}\nsource env.sh{}", &text[..head], &text[head..]);
        let certain = |text: &str| {
            let l = own(text).launch();
            (l.outcome() != Outcome::Unread).then_some((l.fault, l.remarks))
        };
        if certain(&marked).is_some() {
            continue;
        }
        let lines: Vec<&str> = marked.lines().collect();
        for i in (0..lines.len()).filter(|i| !lines[*i].starts_with("source")) {
            let dropped: Vec<&str> = lines.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, line)| *line).collect();
            // Without srun, what it started runs in the batch shell: that is another launch, and complete.
            let other = |l: &(Option<(Fault, usize)>, _)| {
                lines[i].contains("srun") && l.0.is_some_and(|(fault, _)| fault == Fault::OneAgent)
            };
            if let Some(l) = certain(&dropped.join("\n")).filter(|l| !other(l)) {
                bad.push(format!("{case:?} line {}: {} {l:?}", i + 1, lines[i]));
            }
        }
        for cut in 0..marked.len() {
            if let Some(l) = certain(&marked[..cut]) {
                bad.push(format!("{case:?} cut after {:?}: {l:?}", &marked[cut.saturating_sub(60)..cut]));
            }
        }
    }
    // A manifest whose runtime is not here.
    let text = of(Case::TrainJob, 2, 8).text().replace("torch-distributed", "our-runtime");
    for cut in 0..text.len() {
        let l = own(&text[..cut]).launch();
        if l.outcome() != Outcome::Unread {
            bad.push(format!("{:?}: {:?} {:?}", &text[cut.saturating_sub(60)..cut], l.fault, l.remarks));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
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

        /// Scripts made of what shells have, nested and repeated, end in a verdict or a mark.
        #[test]
        fn hostile_scripts_end(parts in prop::collection::vec(piece(), 1..40)) {
            let p = own(&format!("#SBATCH -N 2 -G 16\n{}", parts.join("")));
            let l = p.launch();
            for (line, _) in p.remarks(&l) {
                prop_assert!(line >= 1 && line <= p.text().lines().count().max(1));
            }
            prop_assert!(l.processes.len() <= 1024 && l.remarks.len() < 1000);
            _ = (l.log(p.world()), p.finding(&l), l.silence());
        }
    }

    fn piece() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            prop::sample::select(vec![
                "$A",
                "${A}",
                "${A:-$B}",
                "${#A[@]}",
                "${A[0]}",
                "\"$A $A\"",
                "'x y'",
                "1",
                "99999999999999999999",
                "--nnodes=2",
                "--nproc-per-node=8",
                "--rdzv-endpoint=$A:1",
                "torchrun",
                "train.py",
                "python",
                "-c",
                "bash",
                "srun",
                "-n",
                "512",
                "-N2",
                "ray",
                "start",
                "--head",
                "\\\n",
                "~",
                "*",
                "{1..9}",
                "`hostname`",
                "=",
                "(",
                ")",
                "|",
                "&",
                "&&",
                "||",
                ">",
                "<<EOF",
                "\"",
                "'",
            ])
            .prop_map(str::to_owned),
        ];
        leaf.prop_recursive(6, 60, 4, |inner| {
            let words = prop::collection::vec(inner, 0..4).prop_map(|words| words.join(" "));
            prop_oneof![
                words.clone().prop_map(|w| format!("$({w})")),
                words.clone().prop_map(|w| format!("$(( {w} * {w} ))")),
                words.clone().prop_map(|w| format!("\nA={}\n", w.replace(' ', "$A"))),
                words.clone().prop_map(|w| format!("\nA+=({w})\n")),
                words.clone().prop_map(|w| format!("\nif [ {w} ]; then {w}; fi\n")),
                words.clone().prop_map(|w| format!("\nf() {{ {w}; f; }}; f\n")),
                words.clone().prop_map(|w| format!("\nsrun bash -c \"{w}\" &\n")),
                words.clone().prop_map(|w| format!("\neval {w}\n")),
                words.clone().prop_map(|w| format!("\ncase {w} in a) {w};; esac\n")),
                words.prop_map(|w| format!("\nsrun torchrun {w} train.py\n")),
            ]
        })
    }
}

/// What is certain only in the cluster of the figure is said of its own cases alone.
#[test]
fn the_cluster_of_the_figure_decides_nothing_about_a_launch_that_is_brought() {
    for case in
        [Case::Nine, Case::Eleven, Case::Fifteen, Case::Sixteen, Case::Nineteen, Case::TwentyTwo, Case::TwentyThree]
    {
        let theirs = of(case, 2, 8);
        assert!(theirs.launch().fault.is_some(), "{case:?}");
        let l = own(&theirs.text()).launch();
        assert_eq!((l.fault, l.outcome()), (None, Outcome::Unread), "{case:?}: {:?}", l.remarks);
        assert!(l.remarks.iter().any(|(line, _)| *line == l.unread), "{case:?}: {:?}", l.remarks);
    }
    let head = "#SBATCH --nodes=2 --ntasks-per-node=1 --cpus-per-task=64";
    let run = "srun torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint=gpu01 train.py";
    let outcome = |more: &str| own(&format!("{head} {more}\n{run}")).launch().outcome();
    assert_eq!(outcome("--gpus-per-node=8"), Outcome::Trains);
    // Whole nodes come with their GPUs; what nothing asks for may come by default; what is refused does not come.
    assert_eq!(outcome("--exclusive"), Outcome::Trains);
    assert_eq!(outcome(""), Outcome::Unread);
    assert_eq!(outcome("--exclusive=user"), Outcome::Unread);
    assert_eq!(outcome("--gpus-per-node=4"), Outcome::Fails);
    // A GPU that nobody asked for isn't idle.
    assert_eq!(own("torchrun --nproc_per_node=1 train.py").launch().outcome(), Outcome::Trains);
    // The line is that of the nodes, whatever else has an n in it.
    let l = own("#!/bin/bash\n#SBATCH --job-name=x\n#SBATCH --qos=long\n#SBATCH --nodes=16\n#SBATCH --gres=gpu:4\nsrun torchrun t.py").launch();
    assert_eq!((l.outcome(), l.unread), (Outcome::Unread, 4), "{:?}", l.remarks);
    // A program in front of srun starts it.
    let l = own(&format!("{head} --gpus-per-node=8\n/usr/bin/time -v {run}")).launch();
    assert_eq!((l.outcome(), l.processes.len()), (Outcome::Trains, 16), "{:?}", l.remarks);
    // Each agent is told that it is the only one.
    let alone = "srun torchrun --nproc_per_node=8 --master_addr=gpu01 --master_port=29500 train.py";
    let l = own(&format!("{head} --gpus-per-node=8\n{alone}")).launch();
    assert_eq!(l.fault.map(|(f, _)| f), Some(Fault::Apart), "{:?}", l.remarks);
}

#[test]
fn launchers_that_are_not_followed_are_launchers() {
    use crate::declare::Text as _;
    for text in ["deepspeed --num_gpus=8 t.py", "mpirun -np 8 ./t", "/opt/bin/horovodrun -np 4 x", "apiVersion: v1"] {
        assert_eq!(Script::default().read(text), Ok(()), "{text}");
    }
    assert!(Script::default().read("echo hello").is_err());
}

/// A program may be told how its processes meet. `env://` is their environment, however it is written.
#[test]
fn an_argument_may_name_the_environment() {
    let script = of(Case::Srun, 2, 8).text();
    let with = |argument: &str| own(&script.replace("train.py", &format!("train.py {argument}"))).launch();
    assert!(script.contains("train.py"), "{script}");
    let sound = with("--lr 1");
    assert_eq!((sound.processes.len(), sound.fault), (16, None), "{:?}", sound.remarks);
    for argument in ["--init_method env://", "--init-method=env://"] {
        let told = with(argument);
        assert_eq!((told.processes.len(), told.fault), (16, None), "{argument}: {:?}", told.remarks);
    }
    for argument in ["--init_method tcp://a:1", "--dist-url=tcp://a:1", "--init_method"] {
        let told = with(argument);
        assert!(told.processes.is_empty() && !told.remarks.is_empty(), "{argument}: {:?}", told.remarks);
    }
}
