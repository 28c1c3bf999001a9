//! Recognizing what was pasted.

use std::ops::Range;

use serde_json::{Map, Value};
use toml::Table;

use super::card::{Card, Found, Kind, Outcome};
use super::file::Run;
use super::measure::Metric;
use super::output::{CUT, Output, RATE, TABLE, is_failure, is_numbers};
use super::{broken, config, content, evidence, hardware, parts, topology};
use crate::launch::{schema, yaml};
use crate::model::config::companions::companion;
use crate::quantity::counted;
use crate::terminal::plain;
use crate::trace::diagnosis::diagnose;
use crate::trace::versus::Profile;
use crate::trace::{MOST_EVENTS, Reader};

pub use super::evidence::{snapshot, traces};

/// The longest text that is read as a whole, in bytes. Run output is read in pieces ([`Output`]) and may be longer.
pub const MOST: usize = 4_000_000;

/// What is said of an error log.
const ERRORS: &str = "It says what stopped the run, and has no numbers of its speed or memory.";

/// The same of JSON lines.
const LINES: &str = "They are lines of JSON without a step time, throughput or memory that is known here. Paste what the run prints, with its progress bar.";
/// What is said of output without a number that is known.
const LOGGED: &str = "It looks like a program’s output, with no step time, throughput or memory that is known here, and nothing that is known here as an error. Paste lines that have one.";
/// The same of a trainer's dictionaries.
const STEPS: &str = "They are a trainer’s lines without a step time, throughput or memory that is known here. Paste what the run prints, with its progress bar.";

/// The same of a script or of settings that nothing is known of.
const WRITTEN: &str = "It is a script or settings of a program that isn’t known here. Paste the command that starts training or the server, or what it prints.";

/// Programs of reinforcement learning, and what their commands have. slime’s also has Megatron-LM’s flags.
const REINFORCING: [(&str, &[&str]); 2] = [
    ("verl", &["verl.trainer.main_", "verl.trainer.fsdp_sft"]),
    ("slime", &["--rollout-num-gpus", "--rollout-batch-size", "--num-rollout"]),
];

/// Recognizes a text and reads it. `name` is the file's, or "Pasted text". Time grows with the length of the text.
pub fn read(name: &str, text: &str) -> Card {
    let text = text.trim_start_matches('\u{feff}');
    let bare = text.trim();
    if bare.is_empty() {
        return Card::refused(name, Kind::Unknown, "There is nothing in it.");
    }
    if bare.contains(crate::lab::BEGIN) {
        return evidence::lab(name, bare);
    }
    if let Some(card) = config::megatron::neox(name, bare) {
        return card;
    }
    if bare.starts_with("{{") && bare.contains("}}") {
        return Card::refused(name, Kind::Unknown, TEMPLATE);
    }
    // A log may begin with a time in brackets, and TOML with a table.
    let is_list = bare.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', '[']));
    if bare.starts_with('{') || is_list {
        return json(name, bare);
    }
    if bare.len() > MOST {
        return output(name, text);
    }
    // As transformers prints it: `Model config LlamaConfig {`.
    if bare.lines().next().is_some_and(|line| line.contains("Model config ") && line.trim_end().ends_with('{')) {
        return evidence::config(name, bare);
    }
    if let Some(card) = topology::of_rocm(name, text) {
        return card;
    }
    if topology::Topology::read(text).is_some() || text.contains("\tGPU0\t") && text.contains("CPU Affinity") {
        return topology::card(name, text);
    }
    if is_nccl(text) {
        return evidence::nccl(name, text);
    }
    if let Some(log) = hardware::of_xml(bare) {
        return read(name, &log);
    }
    let sections = ["NVSMI LOG", "Clocks Event Reasons", "Clocks Throttle Reasons"];
    if sections.iter().any(|section| bare.contains(section)) {
        let mut card = hardware::nvidia_smi(name, text);
        if ["Product Name", "FB Memory Usage"].iter().any(|field| bare.contains(field)) {
            let why = "the names, the memory in use, the SM clocks and what holds them down are read";
            card.unread("Other fields", why, 0);
        }
        card.said = hardware::held(text).said();
        return card.done();
    }
    if bare.contains("NVIDIA-SMI")
        || ["clocks_event_reasons.", "clocks_throttle_reasons."]
            .iter()
            .any(|column| bare.lines().next().is_some_and(|first| first.contains(column)))
        || bare.lines().filter(|line| !line.trim().is_empty()).take(3).any(|line| line.contains("(UUID: GPU-"))
        || ["memory.used [MiB]", "memory.total [MiB]"].iter().any(|column| bare.contains(column))
        || bare.contains("clocks.sm [MHz]")
        || bare.contains("clocks.current.sm [MHz]")
        || bare.lines().any(|line| hardware::of_gpustat(line).is_some())
    {
        return among(name, text, hardware::nvidia_smi(name, text));
    }
    if bare.contains("| AMD-SMI ") {
        return hardware::amd_smi(name, text);
    }
    if bare.lines().take(8).any(hardware::is_dmon) {
        let card = hardware::dmon(name, text);
        if card.outcome != Outcome::Refused {
            return card;
        }
    }
    if bare.contains("ROCm System Management Interface") || bare.starts_with("GPU[0]") || bare.contains("ROCm SMI") {
        return hardware::rocm_smi(name, text);
    }
    if let Some(what) = jobs(bare) {
        let said = format!(
            "It is {what}. It doesn’t say how fast a job runs or what it holds. Paste the job’s script, or what the job prints."
        );
        return Card::refused(name, Kind::Unknown, said);
    }
    if bare.lines().take(8).any(|line| line.trim_start().starts_with("#Entity ")) {
        let said = "It is what dcgmi dmon prints, counters of GPUs, which aren’t read here. Paste what nvidia-smi prints, or the job’s output.";
        return Card::refused(name, Kind::Unknown, said);
    }
    if hardware::are_names(bare) {
        return hardware::names(name, text);
    }
    if let Some((lines, command)) = config::serve::find(text) {
        let mut card = config::serve::read(name, lines.start + 1, &command);
        if config::is_cut(text) && lines.end >= text.trim_end().lines().count() {
            config::serve::cut(&mut card, text.trim_end().lines().last().unwrap_or_default(), lines.end);
        }
        return served(name, text, &lines, card);
    }
    if config::fsdp::is_code(bare) {
        return config::fsdp::code(name, text);
    }
    if looks_like_toml(bare) {
        match bare.parse::<Table>() {
            Ok(table) if config::torchtitan::is(&table) => return config::torchtitan::read(name, &table),
            Ok(table) if !Run::is_meant(&table) => return Card::refused(name, Kind::Written, FOREIGN_TOML),
            Ok(_) | Err(_) => return file(name, text),
        }
    }
    // A log may quote flags, so that lines with numbers of a run count first.
    let log = output(name, text);
    if log.outcome != Outcome::Refused {
        return log;
    }
    let reinforcing = REINFORCING.iter().find(|(_, marks)| marks.iter().any(|mark| bare.contains(mark)));
    if let Some((program, _)) = reinforcing.filter(|_| log.stop.is_none()) {
        let said = format!(
            "It starts {program}, whose settings aren’t read: a step of reinforcement learning isn’t predicted here. Paste what it prints, or the \
             vllm serve command with the same model and parallel sizes."
        );
        return Card::refused(name, Kind::Unknown, said);
    }
    if bare.contains("mlx_lm.")
        && let Some(form) = foreign(bare)
    {
        return Card::refused(name, Kind::Unknown, not_read(form));
    }
    if ["--tensor-model-parallel-size", "--num-layers", "--micro-batch-size", "--pipeline-model-parallel-size"]
        .iter()
        .any(|flag| bare.contains(flag))
        || ["--tensor_model_parallel_size", "--pipeline_model_parallel_size"].iter().any(|flag| bare.contains(flag))
        || config::megatron::is_swift(bare)
    {
        return config::megatron::read(name, text);
    }
    if let Ok(documents) = yaml::read(bare) {
        if let Some((kind, node)) = documents.iter().find_map(|node| Some((config::fsdp::kind(node)?, node))) {
            return config::fsdp::yaml(name, kind, node);
        }
        if let Some(node) = documents.iter().find(|node| config::trainer::is_yaml(node)) {
            return config::trainer::yaml(name, node);
        }
    }
    // What a launcher prints at the end names it, and starts nothing.
    let is_written = parts::is_written(bare);
    if !is_written && !bare.starts_with("#!") && !bare.contains("#SBATCH") && text.lines().any(parts::fails) {
        let mut card = Card { stop: log.stop, said: ERRORS.to_owned(), ..Card::new(name, Kind::Errors) };
        let Card { run, found, .. } = hardware::environment(name, text);
        (card.run, card.found) = (run, found);
        if log.unread_count > 0 {
            let others = crate::quantity::grouped(log.unread_count as u64);
            card.said += &format!(" Other lines ({others}) have no numbers that are known here.");
        }
        let outcome = if log.unread_count > 0 { Outcome::Partly } else { Outcome::Read };
        return Card { outcome, ..card };
    }
    let has = |start: &str| bare.lines().any(|line| line.starts_with(start));
    if has("apiVersion:") && has("kind:") {
        let mut card = evidence::script(name, text);
        if card.outcome == Outcome::Refused {
            card.said = manifest(bare);
        }
        return card;
    }
    const STARTS: [&str; 9] = [
        "#SBATCH",
        "#PBS ",
        "#BSUB ",
        "srun ",
        "torchrun",
        "torch.distributed.launch",
        "torch.distributed.run",
        "accelerate launch",
        "deepspeed ",
    ];
    if STARTS.iter().any(|word| bare.contains(word)) || config::trainer::is(&config::options(bare)) {
        let card = evidence::script(name, text);
        return match foreign(bare).filter(|_| card.outcome == Outcome::Refused && card.said == Card::NOTHING) {
            Some(form) => Card { said: not_read(form), ..card },
            None => card,
        };
    }
    if log.said == CUT || log.said == TABLE || log.said.contains(RATE) {
        return log;
    }
    let environment = hardware::environment(name, text);
    if environment.outcome != Outcome::Refused || environment.unread_count > 0 {
        return environment;
    }
    let lines = bare.lines().filter(|line| !line.trim().is_empty());
    let printed = lines.clone().filter(|line| parts::is_logged(line)).count();
    let said = match foreign(bare) {
        Some(form) => not_read(form),
        None if is_written => WRITTEN.to_owned(),
        None if 2 * printed > lines.count() && yaml::read(bare).is_err() => LOGGED.to_owned(),
        None => "It isn't recognized. Paste run output, a configuration, launch flags, or what nvidia-smi or nccl-tests print.".to_owned(),
    };
    Card::refused(name, if is_written { Kind::Written } else { Kind::Unknown }, said)
}

const FOREIGN_TOML: &str = "It is TOML with settings of a program that isn’t known here. Paste the command that starts training, or what it prints, and the model’s config.json.";

/// What is said of something that is known by its form alone.
fn not_read((what, instead): (&str, &str)) -> String {
    format!("It is {what}, which isn’t read here. {instead}")
}

const TEMPLATE: &str =
    "It is a template of a Helm chart, whose values aren’t in it. Paste what “helm template” prints with your values.";

/// What is said of manifests that say neither how many GPUs there are nor what starts on them.
fn manifest(text: &str) -> String {
    if ["{{ .Values", "{{.Values", "{{ .Release", "{{.Release", "{{-", "{{ include"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return TEMPLATE.to_owned();
    }
    let documents = yaml::read(text).unwrap_or_default();
    let kind_of = |node: &yaml::Node| node.get("kind").and_then(yaml::Node::text).unwrap_or_default().to_owned();
    let is_known =
        |node: &&yaml::Node| schema::is_known(node) || ["Pod", "Deployment"].contains(&kind_of(node).as_str());
    // A service or a volume often stands before what runs.
    if let Some(node) = documents.iter().find(is_known) {
        return format!(
            "It is a manifest of a {} that says neither how many GPUs train nor what starts on them: an image may have a command of its own. Paste the \
             command, or what a pod prints.",
            kind_of(node)
        );
    }
    // Where the YAML can’t be read, its lines still name the kinds.
    let written = || text.lines().filter_map(|line| line.strip_prefix("kind:"));
    let mut kinds: Vec<String> = match documents.is_empty() {
        true => written().map(|kind| kind.trim().trim_matches(['"', '\'']).to_owned()).collect(),
        false => documents.iter().map(kind_of).collect(),
    };
    kinds.retain(|kind| !kind.is_empty());
    kinds.dedup();
    let (named, kind) = match &kinds[..] {
        [] => {
            return "It is a manifest that names no kind. Paste the command that it starts, or what a pod prints."
                .to_owned();
        }
        [one] => (one.clone(), "a kind that isn’t"),
        more => (crate::quantity::listed(more), "kinds that aren’t"),
    };
    format!(
        "It is a manifest of a {named}, {kind} followed here. Paste the command that it starts, or what a pod prints."
    )
}

/// What is known by its form and has nothing that is read: what it is, and what to bring instead.
fn foreign(text: &str) -> Option<(&'static str, &'static str)> {
    const OF_A_JOB: &str = "Paste the job’s script, or what the job prints.";
    const OF_A_GPU: &str = "Set cluster.gpu to the GPU, and paste the job’s output.";
    const OF_A_SERVER: &str = "Paste the command that starts the server and what it prints, or the report of vllm bench serve or of sglang.bench_serving.";
    const OF_ANOTHER: &str =
        "Give the model and the number of GPUs as a command of vLLM: vllm serve org/model --tensor-parallel-size 4.";
    const OF_A_LINK: &str = "For the time of collectives, paste what nccl-tests prints on the same nodes.";
    const OF_A_TRACE: &str = "Bring the trace itself: what export_chrome_trace writes, or nsys export --type json.";
    const OF_EVALUATION: &str = "a table of the evaluation harness, of a model’s scores";
    const OF_BATCHES: &str = "A step takes several where gradients are accumulated. Give the time of a step in a run file (measured.step-time).";
    const OF_TRAINER: &str = "Paste what the run prints, and the model’s config.json.";
    const FORMS: [(&[&str], &str, &str); 86] = [
        (
            &["llamafactory-cli train"],
            "a command of LLaMA-Factory, whose settings stand in the file that it names",
            "Paste that file, and how many GPUs there are.",
        ),
        (&["mlx_lm."], "a command of MLX, which trains on Apple’s GPUs", "The models here are of GPUs in servers."),
        (
            &["modules:", "pre_trainer:", "overrides:"],
            "a configuration of Primus, which rests on other files",
            OF_A_JOB,
        ),
        (&["primus_megatron"], "a configuration of Primus, which rests on other files", OF_A_JOB),
        (
            &["policy:", "model_name:", "cluster:", "gpus_per_node:"],
            "a configuration of NeMo RL, of post-training",
            OF_A_JOB,
        ),
        (&["policy:", "megatron_cfg:"], "a configuration of NeMo RL, of post-training", OF_A_JOB),
        (&["policy:", "dtensor_cfg:"], "a configuration of NeMo RL, of post-training", OF_A_JOB),
        (
            &["resources:", "backend:", "prefill_nodes:", "decode_nodes:"],
            "a recipe of srt-slurm for separate pools",
            OF_ANOTHER,
        ),
        (
            &["resources:", "backend:", "gpu_type:", "prefill_workers:"],
            "a recipe of srt-slurm for separate pools",
            OF_ANOTHER,
        ),
        (&["base_emb_dim:", "base_num_decoder_layers:"], "a model’s sizes as MaxText has them", OF_TRAINER),
        (
            &["dist_config:", "micro_batch_size:", "cutoff_len:"],
            "a configuration of LLaMA-Factory’s new trainer",
            OF_TRAINER,
        ),
        (&["model_class: llm", "dist_config:"], "a configuration of LLaMA-Factory’s new trainer", OF_TRAINER),
        (&["icl_tasks", "device_eval_batch_size:"], "an evaluation with LLM Foundry", OF_A_JOB),
        (&["| iter time: ", "loss train (curr):"], "what LitGPT prints of micro-batches", OF_BATCHES),
        (&["iter ", " step ", ", iter time: "], "what LitGPT prints of micro-batches", OF_BATCHES),
        (&["eta: ", "data_time: ", "time: "], "what MMEngine prints of batches", OF_BATCHES),
        (&["eta: ", " data: ", "max mem: "], "what Detectron’s trainer prints of batches", OF_BATCHES),
        (&["forward_microstep:", "backward_microstep:"], "what DeepSpeed prints of a micro-batch", OF_BATCHES),
        (&["fwd_microstep:", "bwd_microstep:"], "what DeepSpeed prints of a micro-batch", OF_BATCHES),
        (&["Self CPU time total:"], "the end of a table of PyTorch’s profiler", OF_A_TRACE),
        (&["Name", "Self CPU total %"], "a table of PyTorch’s profiler", OF_A_TRACE),
        (&["JOB EFFICIENCY REPORT"], "what seff prints of a job", OF_A_JOB),
        (&["Job Run at request of", "Resource_List."], "what Torque’s tracejob prints of a job", OF_A_JOB),
        (&["NvLink Link Status"], "what dcgmi nvlink prints of links", OF_A_LINK),
        (&["DCGM", "| Diagnostic", "| Result"], "what dcgmi diag prints, DCGM’s diagnosis", OF_A_GPU),
        (&["first_token latency(min, max, ave)"], "what LMDeploy’s profile_generation prints", OF_A_SERVER),
        (
            &["load_tensors:", "offloaded ", " layers to GPU"],
            "what llama.cpp prints when it loads a model",
            "Paste the lines with its timings, too.",
        ),
        (&["Train step of epoch"], "OpenRLHF’s progress bar of micro-batches", OF_BATCHES),
        (&[":::MLLOG {"], "MLPerf’s log of results", OF_A_JOB),
        (&["# HELP ", "# TYPE "], "what a server answers to Prometheus", OF_A_SERVER),
        (&["| model ", "t/s |", "pp512"], "a table of llama-bench", OF_A_SERVER),
        (&["Prefill. latency:", "Decode."], "what sglang.bench_one_batch prints of one batch", OF_A_SERVER),
        (&["Avg latency:", "percentile latency:"], "what vllm bench latency prints of one batch", OF_A_SERVER),
        (&["lmdeploy serve"], "a command of LMDeploy", OF_ANOTHER),
        (&["ray job submit"], "a command that submits a job to Ray", OF_A_JOB),
        (&["JOBID", "PRIORITY", "FAIRSHARE"], "what sprio prints, a list of priorities", OF_A_JOB),
        (&["CA type:", "Link layer:", "Rate:"], "what ibstat prints of a network card", OF_A_LINK),
        (&["3D controller: NVIDIA"], "what lspci prints of devices", OF_A_GPU),
        (
            &["text_generation_router", "time_per_token="],
            "what Text Generation Inference logs of a request",
            OF_A_SERVER,
        ),
        (&["openrlhf.cli.train_"], "a command of OpenRLHF", OF_TRAINER),
        (&["| iter time: ", "loss train:"], "what LitGPT prints of micro-batches", OF_BATCHES),
        (&["ms/step - loss:", "[="], "Keras’s progress bar of batches", OF_BATCHES),
        (
            &["|Version|", "|n-shot|", "|Stderr|"],
            OF_EVALUATION,
            "For the speed, paste what the run or the server prints.",
        ),
        (&["actor_rollout_ref:", "rollout:"], "a configuration of verl, of reinforcement learning", OF_A_JOB),
        (&["general:", "parallelism:", "batch_accumulation_per_replica:"], "a configuration of nanotron", OF_TRAINER),
        (&["global_train_batch_size:", "device_train_microbatch_size:"], "a configuration of LLM Foundry", OF_TRAINER),
        (
            &["checkpoint_dir:", "global_batch_size:", "micro_batch_size:", "train:"],
            "a configuration of LitGPT",
            OF_TRAINER,
        ),
        (&["trainer:", "model:", "tensor_model_parallel_size:"], "a configuration of NeMo", OF_TRAINER),
        (&["base_config:", "per_device_batch_size:"], "a configuration of MaxText", OF_TRAINER),
        (&["modelArtifacts:", "decode:"], "values for llm-d’s chart", OF_ANOTHER),
        (&["it/s, v_num="], "PyTorch Lightning’s progress bar of batches", OF_BATCHES),
        (&["s/it, v_num="], "PyTorch Lightning’s progress bar of batches", OF_BATCHES),
        (&["vllmConfig:", "modelURL:"], "values for the Helm chart of vLLM’s production stack", OF_ANOTHER),
        (&["slots_per_trial"], "a configuration of Determined", OF_A_JOB),
        (&["run_id,key,value,step"], "metrics of MLflow", "Paste what the run prints."),
        (&["pcieport", "AER: "], "what the kernel says of errors on PCIe links", OF_A_JOB),
        (&["Job Wall-clock time:", "CPU Efficiency:"], "what seff prints of a job", OF_A_JOB),
        (&["JobID|", "State|"], "what sacct prints, a list of jobs", OF_A_JOB),
        (
            &["Thread ", "(active): \"MainThread\"", ".py:"],
            "a stack that py-spy dumped: the first line below its thread is where that thread stands",
            OF_A_JOB,
        ),
        (
            &["GPU instance profiles:"],
            "what nvidia-smi mig -lgip lists, the parts that a GPU can be split into",
            OF_A_GPU,
        ),
        (&["Unsloth ", ": Fast ", " patching."], "Unsloth’s banner", "Paste the lines of its steps, too."),
        (&["MIG devices:", "GI", "CI"], "the part of nvidia-smi’s table that lists parts of GPUs", OF_A_GPU),
        (&[".batch|", ".extern|"], "what sacct -P prints, without the names of its columns", OF_A_JOB),
        (&["# gpu", "pid", "type", "command"], "what nvidia-smi pmon prints", OF_A_GPU),
        (&["text-generation-inference", "--model-id"], "a command of Text Generation Inference", OF_ANOTHER),
        (&["llama-server ", " -m "], "a command of llama.cpp", OF_ANOTHER),
        (&["eval rate:", "prompt eval rate:"], "what ollama run --verbose prints", OF_A_SERVER),
        (
            &["_component_: torchtune"],
            "a configuration of torchtune",
            "Paste what the run prints, and the model’s config.json.",
        ),
        (&["proc'd:", "errors:"], "what gpu-burn prints", OF_A_GPU),
        (&["#bytes", "#iterations", "BW peak"], "what a bandwidth test of perftest (ib_write_bw) prints", OF_A_LINK),
        (&["#bytes", "#iterations", "t_min[usec]"], "what a latency test of perftest (ib_write_lat) prints", OF_A_LINK),
        (&["Name", "Self CPU", "CPU total", "# of Calls"], "a table of PyTorch’s profiler", OF_A_TRACE),
        (&["Time (%)", "Total Time (ns)", "Instances"], "a table of nsys stats", OF_A_TRACE),
        (&["Resources", "Usage:", " CPU", "object_store_memory"], "what ray status prints of a cluster", OF_A_SERVER),
        (&["JobId=", "JobState="], "what scontrol show job prints", OF_A_JOB),
        (&["NodeName=", "CPUAlloc="], "what scontrol show node prints", OF_A_JOB),
        (&["Namespace:", "Containers:", "Image:"], "what kubectl describe prints of a pod", OF_A_JOB),
        (&["HBM-Usage(MB)", "NPU"], "the table of npu-smi, of Ascend NPUs", "The models here are of GPUs."),
        (&["# gpu", "pwr", "gtemp"], "what nvidia-smi dmon prints, with no row of a busy GPU", OF_A_GPU),
        (&["GPU Utilization (%)", "DeviceId"], "what xpu-smi prints, counters of Intel’s GPUs", OF_A_GPU),
        (&["guidellm "], "a command of guidellm, which measures a server", OF_A_SERVER),
        (&["Benchmarks Info:", "Metadata"], "a table of guidellm", OF_A_SERVER),
        (&["Performance Parameters", "TTFT", "TPOT"], "a table of AISBench", OF_A_SERVER),
        (&["_perf ", "-b ", "-e "], "a command that starts nccl-tests", "Paste the table that it prints."),
        (&["GPU", " X ", "SYS"], "a part of the matrix of nvidia-smi topo -m", MATRIX),
        (&["GPU", " X ", "NV"], "a part of the matrix of nvidia-smi topo -m", MATRIX),
    ];
    const MATRIX: &str = "Paste all of it, from the line that begins with GPU0.";
    FORMS
        .iter()
        .find(|(marks, ..)| marks.iter().all(|mark| text.contains(mark)))
        .map(|(_, what, instead)| (*what, *instead))
}

/// What lists jobs, nodes or pods, by the columns that its first lines name.
fn jobs(text: &str) -> Option<&'static str> {
    const LISTS: [(&[&str], &str); 9] = [
        (&["JobID", "State"], "what sacct prints, a list of jobs"),
        (&["JobID", "MaxRSS"], "what sacct prints, a list of jobs"),
        (&["JOBID", "PARTITION", "ST", "NODELIST(REASON)"], "what squeue prints, a list of jobs"),
        (&["PARTITION", "AVAIL", "TIMELIMIT", "NODELIST"], "what sinfo prints, a list of nodes"),
        (&["NODELIST", "NODES", "PARTITION", "STATE", "REASON"], "what sinfo prints, a list of nodes"),
        (&["NAME", "READY", "STATUS", "RESTARTS", "AGE"], "what kubectl get pods prints, a list of pods"),
        (&["Job", "Name", "User", "Use", "S", "Queue"], "what qstat prints, a list of jobs"),
        (&["job-ID", "prior", "name", "user", "state"], "what qstat prints, a list of jobs"),
        (&["Job", "ID", "Username", "Queue", "Jobname"], "what qstat prints, a list of jobs"),
    ];
    text.lines().take(8).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let names_all = |columns: &&[&str]| columns.iter().all(|column| words.contains(column));
        LISTS.iter().find(|(columns, _)| names_all(columns)).map(|(_, what)| *what)
    })
}

/// Reads a text that is meant as a run file.
pub fn file(name: &str, text: &str) -> Card {
    let run = match Run::parse(text) {
        Ok(run) => run,
        Err(why) => return Card::refused(name, Kind::RunFile, why),
    };
    let mut card = Card::new(name, Kind::RunFile);
    for (metric, measured) in &run.measured {
        card.found(metric.label(), metric.text(measured.value), 0);
    }
    if !run.model.name.is_empty() || !run.model.sizes.is_empty() || run.model.parameters.is_some() {
        card.found("Model", run.setup().0.model.map(|model| model.name()).unwrap_or_default(), 0);
    }
    if let Some(gpu) = run.cluster.gpu.as_deref() {
        let name = crate::hardware::find(gpu).map_or(gpu, |gpu| gpu.name);
        card.found("GPU", name, 0);
    }
    card.found(
        "Settings",
        crate::quantity::grouped(run.write().lines().filter(|line| line.contains(" = ")).count() as u64),
        0,
    );
    card.topology = run.cluster.topology.as_deref().and_then(topology::Topology::read);
    card.run = run;
    card.done()
}

/// A command that starts a server, and what the server printed, if that was pasted too.
fn served(name: &str, text: &str, lines: &Range<usize>, mut command: Card) -> Card {
    let rest: Vec<&str> =
        text.lines().enumerate().map(|(i, line)| if lines.contains(&i) { "" } else { line }).collect();
    let mut log = output(name, &rest.join("\n"));
    if log.outcome == Outcome::Refused {
        let others = |(_, line): &(usize, &&str)| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let has = |start: &str| text.lines().any(|line| line.starts_with(start));
        let is_manifest = has("apiVersion:") && has("kind:");
        let mut passed = 0;
        // What an error says is kept as what stopped it.
        for (i, line) in rest.iter().enumerate().filter(others).filter(|(_, line)| !is_failure(&plain(line))) {
            if is_manifest && is_of_manifest(line) {
                passed += 1;
            } else {
                command.unread(line, "only the command is read", i + 1);
            }
        }
        let [nodes, node] = evidence::pods(text, &mut command);
        if nodes.is_none() && node.is_none() && text.contains("#SBATCH") {
            // A sentence may stand above it, behind which Slurm would read no header.
            let begin = text.find("#!/").or_else(|| text.find("#SBATCH")).unwrap_or_default();
            let script = text.get(begin..).unwrap_or(text);
            evidence::machines(script, &config::options(script), &mut command);
        }
        command.stop = log.stop;
        command.said.clear();
        let mut command = command.done();
        if passed > 0 {
            command.said += &format!(
                " Of the manifest, {} of metadata, ports, probes, volumes and status say nothing of memory or time.",
                counted(passed, "line", "lines")
            );
        }
        return command;
    }
    if command.outcome == Outcome::Refused {
        return log;
    }
    let how = if command.outcome == Outcome::Read { "read" } else { "partly read" };
    log.said = format!("The command that started it was {how}. {}", log.said);
    log.run.take(&command.run);
    log.found.retain(|found| !command.found.iter().any(|said| said.what == found.what));
    log.found.splice(0..0, command.found);
    log.unread.splice(0..0, command.unread);
    log.unread_count += command.unread_count;
    log.done()
}

/// Whether a line is one of a manifest that says nothing of a server: a key and its value, or an item. Variables of the engine and of its libraries do.
fn is_of_manifest(line: &str) -> bool {
    const ENGINES: [&str; 8] = ["VLLM_", "SGLANG_", "SGL_", "TRTLLM_", "NCCL_", "CUDA_", "PYTORCH_", "TORCH_"];
    let bare = line.trim().trim_start_matches("- ");
    let (key, value) = bare.split_once(':').unwrap_or((bare, ""));
    let is_engine = |word: &str| ENGINES.iter().any(|start| word.trim().trim_matches(['"', '\'']).starts_with(start));
    let is_item = line.trim_start().starts_with("- ") || ["---", "}", "]", "- |", "|"].contains(&line.trim());
    let is_key = parts::is_word(key) || key.contains(['/', '.']) && !key.contains(' ');
    let is_pair = is_key && (value.is_empty() || value.starts_with(' '));
    (is_pair && bare.contains(':') || is_item) && !is_engine(key) && !is_engine(value)
}

/// What nvidia-smi printed, and the run around its table, as a batch job logs both.
fn among(name: &str, text: &str, tool: Card) -> Card {
    let is_table = |line: &str| line.trim_start().starts_with(['|', '+']) && line.trim_end().ends_with(['|', '+']);
    if !text.lines().any(is_table) {
        return listed(text, tool);
    }
    let rest: Vec<&str> = text.lines().map(|line| if is_table(line) { "" } else { line }).collect();
    let mut log = output(name, &rest.join("\n"));
    if log.outcome == Outcome::Refused {
        let mut card = tool;
        card.said = hardware::held(text).said();
        let others = rest.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
        // A prompt, the command and its date are the tool's.
        for (i, line) in others.skip_while(|(i, _)| *i < 3) {
            if !line.contains("nvidia-smi") && !is_date(line) {
                card.unread(line, "only what nvidia-smi prints was read", i + 1);
            }
        }
        return card.done();
    }
    let mut run = tool.run;
    // A batch script runs it before the job, or after it: what is in use then isn't the job's.
    let is_table = |line: &&str| line.contains("MiB /");
    let at = text.lines().position(|line| is_table(&line)).unwrap_or_default();
    let first = rest.iter().position(|line| is_numbers(line)).unwrap_or_default();
    if at < first && run.measured.remove(&Metric::MemoryUsed).is_some() {
        let why = "it was printed before the job’s lines, so it isn’t the job’s";
        log.unread(Metric::MemoryUsed.label(), why, at + 1);
    }
    log.run.take(&run);
    let held = hardware::held(text).said();
    if !held.is_empty() {
        log.said = format!("{held} {}", log.said);
    }
    let is_kept = |found: &Found| found.what != Metric::MemoryUsed.label() || at >= first;
    log.found.splice(0..0, tool.found.into_iter().filter(is_kept));
    log.unread.splice(0..0, tool.unread);
    log.unread_count += tool.unread_count;
    log.done()
}

/// What nvidia-smi listed without a table. With lines left out, as by `…`, more GPUs may have been listed.
fn listed(text: &str, mut card: Card) -> Card {
    let is_list = |line: &str| {
        line.contains("(UUID:") || hardware::link(line).is_some() || line.contains(',') || line.contains("nvidia-smi")
    };
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !is_list(line)) {
        if super::parts::is_elided(line) && card.run.cluster.node.take().is_some() {
            card.found.retain(|found| found.what != "GPUs per node");
            card.unread(line, "lines are left out here, so how many GPUs a node has isn’t known", i + 1);
        } else {
            card.unread(line, "only the names of the GPUs are read", i + 1);
        }
    }
    card.said = hardware::held(text).said();
    card.done()
}

/// Whether a line is the date that nvidia-smi prints above its table: `Sun May 23 08:40:52 2021`.
fn is_date(line: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    DAYS.iter().any(|day| line.trim_start().starts_with(day)) && line.split_whitespace().count() <= 7
}

/// Run output in one piece.
fn output(name: &str, text: &str) -> Card {
    let mut lines = Output::default();
    lines.push(&broken::whole(text));
    lines.finish(name)
}

/// Keys of which a model's config has one.
const MODEL_KEYS: [&str; 9] = [
    "model_type",
    "architectures",
    "hidden_size",
    "n_embd",
    "d_model",
    "dim",
    "num_hidden_layers",
    "n_layer",
    "text_config",
];

fn json(name: &str, text: &str) -> Card {
    let head = text.get(..text.len().min(20_000)).unwrap_or(text);
    if content::is_trace(head) || text.contains("\"traceEvents\"") || content::is_nsight(text) {
        let mut reader = Reader::with_room(MOST_EVENTS);
        reader.push(text.as_bytes());
        let trace = [reader.finish()];
        let profile = Profile::of(&trace[0], &diagnose(&trace, 0));
        return traces(name, &trace, profile);
    }
    if content::is_snapshot(head) || text.contains("\"segments\"") {
        return snapshot(name, &crate::allocator::Snapshot::read(text.as_bytes()));
    }
    if let Some(why) = content::unread(head) {
        return Card::refused(name, Kind::Unknown, why);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(object)) if object.get("log_history").is_some_and(Value::is_array) => {
            trainer_state(name, &object)
        }
        // As torchtitan prints its settings, and saves them.
        Ok(value) if ["training", "parallelism"].iter().all(|table| value.get(table).is_some_and(Value::is_object)) => {
            match toml_of(&value) {
                Some(toml::Value::Table(table)) if config::torchtitan::is(&table) => {
                    config::torchtitan::read(name, &table)
                }
                _ => Card::refused(name, Kind::Unknown, NO_CONFIG),
            }
        }
        Ok(Value::Object(object)) if config::deepspeed::is(&object) => config::deepspeed::read(name, &object),
        Ok(Value::Object(object))
            if object.contains_key("output_throughput") && object.contains_key("mean_ttft_ms") =>
        {
            benchmark(name, &object)
        }
        Ok(Value::Object(object)) if object.contains_key("train_runtime") => output(name, text),
        _ if text.contains("train_runtime") => output(name, text),
        // A log may begin with a dictionary of Python's, as the Trainer prints it.
        Err(_) => {
            let log = output(name, text);
            let is_lines = text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .take(50)
                .all(|line| serde_json::from_str::<Map<String, Value>>(line).is_ok());
            let is_steps = text.lines().next().is_some_and(|line| {
                ["'learning_rate':", "'epoch':", "'loss':"].iter().filter(|key| line.contains(*key)).count() > 1
            });
            match log.outcome {
                Outcome::Refused if is_steps => Card::refused(name, Kind::Unknown, STEPS),
                Outcome::Refused if is_lines => Card::refused(name, Kind::Unknown, LINES),
                Outcome::Refused => evidence::config(name, text),
                _ => log,
            }
        }
        Ok(_) if output(name, text).outcome != Outcome::Refused => output(name, text),
        Ok(value) if !MODEL_KEYS.iter().any(|key| value.get(key).is_some()) => {
            Card::refused(name, Kind::Unknown, companion(|field| value.get(field)).unwrap_or(NO_CONFIG))
        }
        // Its reader knows what Python writes and JSON doesn't have.
        _ => evidence::config(name, text),
    }
}

/// What is said of JSON that is nothing known.
const NO_CONFIG: &str =
    "It is JSON, but no model config, DeepSpeed configuration, trace or snapshot. Bring the model’s config.json.";

/// A value of JSON as one of TOML, which has no null.
fn toml_of(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => toml::Value::Boolean(*is),
        Value::Number(n) => {
            n.as_i64().map_or_else(|| toml::Value::Float(n.as_f64().unwrap_or_default()), toml::Value::Integer)
        }
        Value::String(text) => toml::Value::String(text.clone()),
        Value::Array(items) => toml::Value::Array(items.iter().filter_map(toml_of).collect()),
        Value::Object(fields) => {
            toml::Value::Table(fields.iter().filter_map(|(key, value)| Some((key.clone(), toml_of(value)?))).collect())
        }
    })
}

/// What `vllm bench serve --save-result` and `sglang.bench_serving` write: the numbers of their report.
fn benchmark(name: &str, result: &Map<String, Value>) -> Card {
    const KEYS: [(&str, &str); 3] = [
        ("output_throughput", "Output token throughput (tok/s):"),
        ("mean_ttft_ms", "Mean TTFT (ms):"),
        ("mean_tpot_ms", "Mean TPOT (ms):"),
    ];
    let line = |(key, words): (&str, &str)| Some(format!("{words} {}\n", result.get(key)?.as_f64()?));
    let mut card = output(name, &KEYS.into_iter().filter_map(line).collect::<String>());
    card.found.iter_mut().for_each(|found| found.line = 0);
    card
}

/// The Trainer's `trainer_state.json`: what it printed, a line for each entry.
fn trainer_state(name: &str, state: &Map<String, Value>) -> Card {
    let entries = state.get("log_history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let lines: Vec<String> = entries.iter().map(Value::to_string).collect();
    let mut card = output(&format!("{name}, log_history"), &lines.join("\n"));
    if card.outcome != Outcome::Refused {
        // Its entries are no lines of the file.
        card.found.iter_mut().for_each(|found| found.line = 0);
        card.unread.iter_mut().for_each(|unread| unread.line = 0);
        return Card { name: name.to_owned(), ..card };
    }
    let said = "It is a trainer_state.json without times, as the Trainer writes it into a checkpoint: it has losses and learning rates. Paste what the \
                run prints, with its progress bar, or the state that it writes at its end.";
    Card::refused(name, Kind::Log, said)
}

/// Whether a line is the head of a table of TOML.
pub(super) fn is_head(line: &str) -> bool {
    let inner = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        !inner.is_empty()
            && inner.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'[' | b']'))
    })
}

/// Whether a line is a table's head, or the first one sets a key.
fn looks_like_toml(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).take(400);
    let first = lines.next().unwrap_or_default();
    let sets = |line: &str| line.split_once(" = ").is_some_and(|(key, _)| !key.contains([' ', '$', '"']));
    is_head(first) || sets(first) && lines.any(is_head)
}

/// Whether a line is a row of nccl-tests.
pub(super) fn is_row(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&str| crate::decimal::parse(word).is_some();
    (11..=14).contains(&words.len())
        && words.iter().take(2).all(is_number)
        && words.get(2).is_some_and(|word| ROW_TYPES.contains(word))
        && words.iter().skip(4).all(is_number)
}

/// What nccl-tests calls the types of elements.
const ROW_TYPES: [&str; 8] = ["float", "half", "bfloat16", "double", "int8", "uint8", "int32", "int64"];

/// Whether a text is a table of nccl-tests or rccl-tests.
fn is_nccl(text: &str) -> bool {
    // all_reduce_bench.py writes its table in Markdown.
    let is_head = |line: &str| {
        line.contains("algbw") && line.contains("busbw") && !line.contains('|') || line.contains("# nThread")
    };
    let names = text.contains("busbw") || text.contains("nccl-tests") || text.contains("_perf");
    if names {
        return text.lines().any(is_head) || !crate::network::measured::read(text).rows.is_empty();
    }
    // Rows alone, without what stands above them.
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(100).collect();
    let mut rows = lines.iter().filter(|line| !line.trim_start().starts_with('#')).peekable();
    lines.len() > 1 && rows.peek().is_some() && rows.all(|line| is_row(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_called_model_makes_no_run_file() {
        for text in [
            "[model]\nname = \"Qwen/Qwen3-0.6B\"\nattn = \"flash_attention_2\"\n\n[optim]\nlr = 1e-6\n\n[orchestrator]\nbatch_size = 128\n",
            "[model]\ndim = 4096\nn_layers = 32\n\n[train]\nlr = 3e-4\n",
            "max_steps = 100\n\n[model]\nname = \"x\"\n\n[data]\nname = \"fineweb\"\n",
            "[package]\nname = \"x\"\nversion = \"0.1.0\"\n\n[dependencies]\ntoml = \"1\"\n",
        ] {
            let card = read("config.toml", text);
            assert_eq!((card.kind, card.said.as_str()), (Kind::Written, FOREIGN_TOML), "{text}");
        }
        // One that has a mistake is still one, and says which.
        for (text, says) in [
            ("[model]\nname = \"llama-3-8b\"\n[cluster]\ngpuu = \"h100-80\"\n", "gpuu"),
            ("[cluster]\nnodse = 2\n", "nodse"),
            ("[model]\nname = \"llama-3-8b\"\nflavour = \"8B\"\n", "flavour"),
            ("[layout]\ntp = \"two\"\n", "two"),
        ] {
            let card = read("run.toml", text);
            assert!(card.kind == Kind::RunFile && card.said.contains(says), "{text}: {card:?}");
        }
        assert_eq!(read("run.toml", "[model]\nname = \"llama-3-8b\"\n").outcome, Outcome::Read);
    }

    fn of(text: &str) -> Card {
        read("text", text)
    }

    /// An error that a comment, a function or a handler only speaks of was never printed.
    #[test]
    fn a_source_that_speaks_of_errors_is_no_error_log() {
        for text in [
            "# retry if we hit \"CUDA out of memory\"\nretry() {\n    \"$@\" 2>&1 | tee run.log\n    if grep -q \"CUDA out of memory\" run.log; then\n        BATCH=$((BATCH / 2))\n    fi\n}\nretry python bench.py --size $BATCH\n",
            "cleanup() {\n  echo \"Segmentation fault\" >> $LOG\n}\ntrap cleanup EXIT\n",
            "import torch\nfrom train import train\n\ndef main():\n    \"\"\"Trains. CUDA out of memory is handled.\"\"\"\n    try:\n        train()\n    except torch.OutOfMemoryError as e:\n        # RuntimeError: CUDA out of memory\n        print(\"Traceback (most recent call last)\")\n        raise\n",
        ] {
            let card = of(text);
            assert_eq!((card.kind, card.stop.is_none()), (Kind::Written, true), "{text}: {card:?}");
        }
        let script = of(
            "# If you get\n# torch.OutOfMemoryError: CUDA out of memory.\n# then lower the batch\ntorchrun --nproc_per_node 8 train.py\n",
        );
        assert_eq!((script.kind, script.outcome, script.stop.is_none()), (Kind::Script, Outcome::Read, true));
        // What was printed below a source is an error.
        let both = "import torch\nfrom train import train\nTraceback (most recent call last):\n  File \"t.py\", line 3, in main\n    f()\nValueError: it broke\n";
        assert_eq!(of(both).kind, Kind::Errors);
    }

    #[test]
    fn a_command_and_how_its_process_ended_are_two_things() {
        for end in
            ["  exitcode  : -9 (pid: 143)\n", "[0]:\n  rank      : 3 (local_rank: 3)\n  exitcode  : -9 (pid: 143)\n"]
        {
            let text = format!("torchrun --nproc_per_node 8 train.py\n{end}");
            let cards = parts::read_all("text", &text);
            let kinds: Vec<Kind> = cards.iter().map(|(card, _)| card.kind).collect();
            assert_eq!(kinds, [Kind::Script, Kind::Errors], "{end}");
            assert!(cards[1].1.contains("exitcode") && !cards[0].1.contains("exitcode"));
        }
        // The arguments that DeepSpeed's launcher prints make no script of it.
        let card = of(
            "[2025-03-01 10:00:00,000] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 100\n[2025-03-01 10:00:01,000] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', '--deepspeed', 'ds.json', '--model_name_or_path', 'x'] exits with return code = -9\n",
        );
        assert_eq!(card.kind, Kind::Errors);
        assert_ne!(of("  exitcode  : 0 (pid: 143)\n").kind, Kind::Errors);
    }

    #[test]
    fn a_launch_that_says_nothing_says_where_that_stands() {
        for (text, file) in
            [("accelerate launch train.py\n", "accelerate env"), ("deepspeed train.py --lr 1e-5\n", "ds_config.json")]
        {
            let card = of(text);
            assert_eq!((card.kind, card.outcome), (Kind::Script, Outcome::Refused), "{text}: {card:?}");
            assert!(card.said.contains(file), "{}", card.said);
        }
    }

    #[test]
    fn options_of_an_engine_are_read_without_its_command() {
        for text in [
            "--tensor-parallel-size 2 --max-num-seqs 64 --max-model-len 8192\n",
            "--tensor-parallel-size 2\n--max-num-seqs 64\n--max-model-len 8192\n",
            "args:\n  - \"--tensor-parallel-size=2\"\n  - \"--max-num-seqs=64\"\n  - --max-model-len\n  - \"8192\"\n",
        ] {
            let card = of(text);
            let s = &card.run.serving;
            assert_eq!(
                (s.engine.as_deref(), s.tp, s.requests, s.context),
                (Some("vllm"), Some(2), Some(64), Some(8192)),
                "{text}"
            );
            assert_eq!(card.outcome, Outcome::Partly, "no model: {card:?}");
        }
        let sglang = of("--model-path Qwen/Qwen2.5-7B-Instruct --tp 2 --mem-fraction-static 0.8\n");
        assert_eq!((sglang.run.serving.engine.as_deref(), sglang.run.serving.tp), (Some("sglang"), Some(2)));
        // Options that several programs have, and words around them, make no engine's.
        for text in ["--tensor-parallel-size 2 --seed 1\n", "set --max-model-len 8192 if it does not fit\n"] {
            assert_ne!(of(text).kind, Kind::Serve, "{text}");
        }
    }

    /// ms-swift: Megatron-LM's flags with underscores, values for switches, and defaults of its own.
    #[test]
    fn swifts_megatron_has_its_own_defaults() {
        let text = "NPROC_PER_NODE=8 \\\nmegatron sft \\\n    --model Qwen/Qwen2.5-7B-Instruct \\\n    --tensor_model_parallel_size 4 \\\n    --sequence_parallel false \\\n    --max_length 2048 \\\n    --lr 1e-5\n";
        let card = of(text);
        let l = &card.run.layout;
        assert_eq!((card.kind, card.outcome), (Kind::Megatron, Outcome::Read), "{card:?}");
        assert_eq!(
            (l.tp, l.sp, l.seq, l.mbs, l.batch, l.zero),
            (Some(4), Some(false), Some(2048), Some(1), Some(16), Some(1))
        );
        assert_eq!(l.recompute, Some(crate::memory::activations::Recompute::Selective));
        assert_eq!((card.run.cluster.node, card.run.model.name.is_empty()), (Some(8), false));
        let lora = of(&text.replace("--lr 1e-5", "--train_type lora --sequence_parallel true"));
        assert_eq!(lora.outcome, Outcome::Partly);
        // modelscope/ms-swift issue 5737: the command above its error.
        let text = format!(
            "{text}\n[rank14]: AssertionError: Number of layers should be divisible by the pipeline-model-parallel size\n"
        );
        let both = parts::read_all("text", &text);
        assert_eq!(both.iter().map(|(card, _)| card.kind).collect::<Vec<_>>(), [Kind::Megatron, Kind::Errors]);
    }

    #[test]
    fn more_processes_than_gpus_are_told_as_that() {
        let text =
            "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:4\ntorchrun --standalone --nproc_per_node=8 train.py\n";
        for (text, kind) in [
            (text.to_owned(), Kind::Script),
            (
                text.replace("train.py", "pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32"),
                Kind::Megatron,
            ),
        ] {
            let card = of(&text);
            let why = card.stop.as_ref().map(|stop| stop.why.clone()).unwrap_or_default();
            assert!(why.contains("A node starts 8 processes and the job has 4 GPUs there"), "{why}");
            assert_eq!((card.kind, card.run.cluster.node), (kind, Some(4)), "{card:?}");
        }
    }

    /// CSC's example of Lightning: srun starts the processes, whatever they need to meet.
    #[test]
    fn tasks_of_srun_are_counted() {
        let card = of(
            "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n#SBATCH --cpus-per-task=10\n#SBATCH --gres=gpu:v100:4\n\nsrun python3 mnist_lightning_ddp.py --epochs=100\n",
        );
        assert!(card.found.iter().any(|found| found.what == "Processes that start" && found.value == "8"), "{card:?}");
        assert!(card.unread.iter().any(|unread| unread.line == 7 && unread.why.contains("Lightning")), "{card:?}");
    }

    #[test]
    fn a_path_of_a_log_makes_no_command() {
        let report = "| Server | tok/s |\n| --- | --- |\n| llama.cpp | 18.4 |\n\nfull output in /var/log/llama-server.log, -m was Q4\n";
        assert!(!of(report).said.contains("command of llama.cpp"), "{}", of(report).said);
        assert!(of("./llama-server -m model.gguf -ngl 99\n").said.contains("command of llama.cpp"));
    }

    fn why(card: &Card, part: &str) -> bool {
        card.unread.iter().any(|unread| unread.why.contains(part))
    }

    /// One process on one GPU needs no ranks, however many tasks the job has: rkenny/4960A `SUGER/submit.beluga.sh` and others.
    #[test]
    fn one_process_on_one_node_is_not_said_to_fail() {
        for tasks in [1, 4, 40] {
            let card = of(&format!(
                "#!/bin/bash\n#SBATCH --gres=gpu:1\n#SBATCH --ntasks-per-node={tasks}\n#SBATCH --cpus-per-task=1\npython train.py\n"
            ));
            assert!(
                card.stop.is_none() && card.found.iter().any(|f| f.what == "Processes that start" && f.value == "1"),
                "{card:?}"
            );
        }
        // Where something speaks of a world, a rank is missing.
        let card = of(
            "#!/bin/bash\n#SBATCH --gres=gpu:2\n#SBATCH --ntasks-per-node=2\nexport MASTER_ADDR=localhost\nexport MASTER_PORT=29500\nexport WORLD_SIZE=2\npython train.py\n",
        );
        assert!(card.stop.is_some(), "{card:?}");
    }

    #[test]
    fn the_operator_of_pytorch_sets_ranks() {
        let pods = |name: &str, n: u32| {
            format!(
                "    {name}:\n      replicas: {n}\n      template:\n        spec:\n          containers:\n          - name: pytorch\n            image: pytorch/pytorch:2.2.0\n            command: [\"python\", \"train.py\"]\n            env:\n            - name: WORLD_SIZE\n              value: \"4\"\n            resources:\n              limits:\n                nvidia.com/gpu: 1\n"
            )
        };
        let text = format!(
            "apiVersion: \"kubeflow.org/v1\"\nkind: PyTorchJob\nmetadata:\n  name: llama-dp\nspec:\n  pytorchReplicaSpecs:\n{}{}",
            pods("Master", 1),
            pods("Worker", 3)
        );
        let card = of(&text);
        assert!(card.stop.as_ref().is_none_or(|stop| !stop.why.contains("RANK")), "{card:?}");
        assert_eq!((card.run.cluster.nodes, card.run.cluster.node), (Some(4), Some(1)));
    }

    /// A script's own `echo`s and comments say nothing of a run.
    #[test]
    fn a_script_holds_no_errors() {
        let script = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n# causing EADDRINUSE when the worker tries to bind.\ncase $1 in\n  0|1) ;;\n  *) echo \"ERROR: CUDA out of memory\"; exit 1 ;;\nesac\nsrun torchrun --nnodes=2 --nproc_per_node=8 train.py\n";
        let cards = parts::read_all("ray.sub", script);
        assert_eq!(cards.len(), 1, "{cards:?}");
        assert!(cards[0].0.kind == Kind::Script && !cards[0].0.may_hold_errors(), "{:?}", cards[0].0);
        let with = format!(
            "{script}Traceback (most recent call last):\n  File \"t.py\", line 3, in main\n    f()\nValueError: it broke\n"
        );
        let holds: Vec<bool> = parts::read_all("log", &with).iter().map(|(card, _)| card.may_hold_errors()).collect();
        assert_eq!(holds, [false, true]);
    }

    /// What follows a backslash at the end may say anything that isn't said before it.
    #[test]
    fn a_command_that_is_cut_leaves_the_rest_open() {
        let card = of("vllm serve Qwen/QwQ-32B \\\n");
        assert!(
            card.outcome == Outcome::Partly
                && card.run.is_unknown("serving.tp")
                && card.run.is_unknown("serving.weight"),
            "{card:?}"
        );
        let whole = of("vllm serve Qwen/QwQ-32B \\\n  --tensor-parallel-size 2\n");
        assert_eq!((whole.outcome, whole.run.unknown.len()), (Outcome::Read, 0), "{whole:?}");
        let flags = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --vocab-size 32000 --seq-length 4096 --micro-batch-size 1 --bf16 --tensor-model-parallel-size 2";
        let card = of(&format!("{flags} \\\n"));
        assert_eq!((card.run.layout.tp, card.run.layout.pp, card.run.layout.zero), (Some(2), None, None), "{card:?}");
        assert!(card.run.is_unknown("layout.pp") && card.run.model.sizes.is_empty() && card.run.model.name.is_empty());
        assert_eq!(of(flags).run.layout.pp, Some(1));
    }

    #[test]
    fn what_of_a_launch_is_not_read_is_marked() {
        let card = of(
            "torchrun --nnodes 1 --nproc_per_node 4 finetuning.py --enable_fsdp --use_peft --model_name /models/7B\n",
        );
        assert!(card.outcome == Outcome::Partly && why(&card, "own options"), "{card:?}");
        let card = of("#!/bin/bash\n#SBATCH --gres=gpu:a5000:2\npython train.py\n");
        assert!(why(&card, "“a5000” isn’t known"), "{card:?}");
        let card = of("#!/bin/bash\n#SBATCH --nodes=1\n--mem=32G\n#SBATCH --gres=gpu:1\npython train.py\n");
        assert!(card.run.cluster.node.is_none() && why(&card, "behind the first command"), "{card:?}");
        // NVIDIA-NeMo/RL `infra/examples/rayjob-monolithic.yaml`: a wrapper script is what trains.
        let card = of(
            "apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: sft-job\nspec:\n  entrypoint: \"bash tests/functional/sft.sh\"\n  rayClusterSpec:\n    workerGroupSpecs:\n    - groupName: gpu-workers\n      replicas: 1\n      template:\n        spec:\n          containers:\n          - name: ray-worker\n            image: nemo-rl\n            resources:\n              limits: { nvidia.com/gpu: \"1\" }\n",
        );
        assert!(card.outcome == Outcome::Partly && why(&card, "paste its command or script"), "{card:?}");
    }

    #[test]
    fn variables_of_a_container_are_known() {
        let card = of(
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: vllm\n    image: vllm/vllm-openai:v0.8.5\n    env:\n    - name: MODEL_REPO\n      value: Qwen/Qwen2.5-7B-Instruct\n    command: [\"/bin/sh\", \"-c\"]\n    args:\n    - |\n      vllm serve ${MODEL_REPO} --tensor-parallel-size 2\n",
        );
        assert_eq!((card.run.model.name.as_str(), card.run.serving.tp), ("qwen2.5-7b", Some(2)), "{card:?}");
    }
}
