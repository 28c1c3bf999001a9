//! What starts the processes on a node: torchrun, accelerate, or the script itself.
//!
//! Options and what becomes of them: pytorch/pytorch `torch/distributed/run.py` at 010929fd (2.9), `torch/distributed/elastic/rendezvous/`
//! (`utils.py`, `parse_rendezvous_endpoint`), `torch/distributed/rendezvous.py`; huggingface/accelerate `src/accelerate/commands/launch.py` and
//! `utils/launch.py` at 16cb6eb8 (1.15), with options that 1.0 still had. One that is on no list is not known here, and is not called wrong.

use super::outside;
use super::shell::{Arg, Reach, Shell, Went, known};
use super::verdict::{Fault, Launch};
use super::world::{PORT, Process, Task, host, is_host, is_local};
use crate::query::{did_you_mean, shorten};

/// Port of a c10d rendezvous whose endpoint has none (`c10d_rendezvous_backend.py`).
const C10D_PORT: &str = "29400";
/// Most processes that are followed.
const MOST_PROCESSES: u64 = 1024;

/// Options of a launcher: those with a value, and those without; written with hyphens, each with its letter where it has one.
struct Known {
    name: &'static str,
    valued: &'static str,
    flags: &'static str,
    /// Whether a beginning of a name is enough, as argparse has it unless told otherwise.
    abbreviated: bool,
}

const TORCHRUN: Known = Known {
    name: "torchrun",
    valued: "nnodes nproc-per-node rdzv-backend rdzv-endpoint rdzv-id rdzv-conf max-restarts monitor-interval start-method event-log-handler role \
             log-dir redirects:r tee:t local-ranks-filter node-rank master-addr master-port local-addr logs-specs numa-binding signals-to-handle \
             duplicate-stdout-filters duplicate-stderr-filters log-line-prefix-template",
    flags: "standalone module:m no-python run-path help:h use-env",
    abbreviated: true,
};

const ACCELERATE: Known = Known {
    name: "accelerate launch",
    valued: "config-file mixed-precision num-processes num-machines num-cpu-threads-per-process dynamo-backend dynamo-mode gpu-ids machine-rank \
             main-process-ip main-process-port tee:t log-dir role rdzv-backend rdzv-conf max-restarts monitor-interval vm env \
             main-training-function deepspeed-config-file zero-stage offload-optimizer-device offload-param-device offload-optimizer-nvme-path \
             offload-param-nvme-path gradient-accumulation-steps gradient-clipping zero3-init-flag zero3-save-16bit-model deepspeed-hostfile \
             deepspeed-exclusion-filter deepspeed-inclusion-filter deepspeed-multinode-launcher deepspeed-moe-layer-cls-names fsdp-version \
             fsdp-offload-params fsdp-min-num-params fsdp-sharding-strategy fsdp-reshard-after-forward fsdp-auto-wrap-policy \
             fsdp-transformer-layer-cls-to-wrap fsdp-backward-prefetch fsdp-backward-prefetch-policy fsdp-state-dict-type fsdp-forward-prefetch \
             fsdp-use-orig-params fsdp-cpu-ram-efficient-loading fsdp-sync-module-states fsdp-activation-checkpointing megatron-lm-tp-degree \
             megatron-lm-use-custom-fsdp megatron-lm-no-load-optim megatron-lm-eod-mask-loss megatron-lm-overlap-cpu-optimizer-d2h-h2d \
             megatron-lm-no-save-optim megatron-lm-optimizer-cpu-offload megatron-lm-use-precision-aware-optimizer \
             megatron-lm-decoder-last-pipeline-num-layers megatron-lm-pp-degree megatron-lm-num-micro-batches megatron-lm-sequence-parallelism \
             megatron-lm-recompute-activations megatron-lm-use-distributed-optimizer megatron-lm-gradient-clipping \
             megatron-lm-recompute-granularity megatron-lm-recompute-method megatron-lm-recompute-num-layers megatron-lm-attention-backend \
             megatron-lm-expert-model-parallel-size megatron-lm-context-parallel-size megatron-lm-attention-dropout megatron-lm-hidden-dropout \
             megatron-lm-attention-softmax-in-fp32 megatron-lm-expert-tensor-parallel-size megatron-lm-calculate-per-token-loss \
             megatron-lm-use-rotary-position-embeddings fp8-backend fp8-margin fp8-interval fp8-format fp8-amax-history-len \
             fp8-amax-compute-algo fp8-override-linear-precision fp8-opt-level fp8-enable-fsdp-float8-all-gather fp8-pad-inner-dim \
             aws-access-key-id aws-secret-access-key mpirun-hostfile mpirun-ccl parallelism-config-dp-replicate-size \
             parallelism-config-dp-shard-size parallelism-config-tp-size parallelism-config-cp-size parallelism-config-cp-backend \
             parallelism-config-cp-comm-strategy parallelism-config-sp-size parallelism-config-sp-backend parallelism-config-sp-seq-length \
             parallelism-config-sp-seq-length-is-variable parallelism-config-sp-attn-implementation",
    flags: "help:h quiet:q cpu multi-gpu tpu ipex enable-cpu-affinity dynamo-use-fullgraph dynamo-use-dynamic \
            dynamo-use-regional-compilation use-deepspeed use-fsdp use-parallelism-config use-megatron-lm use-xpu same-network module:m no-python \
            tpu-cluster no-tpu-cluster tpu-use-sudo downcast-bf16 fp8-use-autocast-during-eval debug",
    abbreviated: false,
};

/// Programs that start others, and whose own options do not matter.
const AROUND: &str = "apptainer singularity enroot numactl taskset nsys ncu timeout stdbuf nice ionice uv poetry pixi xvfb-run time nohup env \
                      unbuffer numawrap";
/// Launchers that are not followed.
const OTHERS: &str = "deepspeed mpirun mpiexec mpiexec.hydra horovodrun colossalai composer lightning fabric torchx llamafactory-cli jsrun aprun \
                      pdsh ssh clush docker podman sbatch salloc kubectl helm make julia";

/// A task, and the command that it runs.
pub type Started = (Task, Vec<Arg>);

/// What a command is.
pub enum Kind {
    /// It launches nothing.
    Harmless,
    /// It starts processes in these tasks.
    Launch(Vec<Started>),
    /// What it starts is not known; why.
    Unknown(String),
}

/// A name without its path.
pub fn program(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == program(name))
}

fn is_python(name: &str) -> bool {
    let name = program(name);
    name == "python"
        || name == "python3"
        || name.strip_prefix("python3.").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

fn is_shell(name: &str) -> bool {
    matches!(program(name), "bash" | "sh" | "zsh")
}

/// Whether a program is a launcher that is not followed.
pub fn is_other(name: &str) -> bool {
    listed(OTHERS, name)
}

/// Whether a program starts the command behind it, and changes nothing of where that runs.
pub fn is_around(name: &str) -> bool {
    listed(AROUND, name) && program(name) != "env"
}

/// What a command is, in these tasks.
pub fn kind(tasks: Vec<Task>, args: &[Arg], shell: &mut Shell) -> Kind {
    let Some(first) = args.first() else { return Kind::Harmless };
    let name = first.text.as_str();
    if !known(name) {
        return Kind::Unknown("Which program this is, is not known here.".to_owned());
    }
    if is_shell(name) {
        return in_shell(tasks, args, shell);
    }
    if program(name).ends_with(".sh") || program(name).ends_with(".bash") || program(name).ends_with(".slurm") {
        return Kind::Unknown(paste(name));
    }
    if program(name) == "kubectl" {
        return super::kubectl::kind(args, shell);
    }
    if program(name).ends_with("_perf") {
        return Kind::Unknown(format!(
            "“{}” is one of nccl-tests. Built with MPI=1 its tasks make one communicator, and without MPI each tests its own GPUs alone: paste the table that it prints.",
            shorten(program(name))
        ));
    }
    if listed(OTHERS, name) {
        return Kind::Unknown(format!("What “{}” starts is not followed here.", shorten(name)));
    }
    if listed(AROUND, name) {
        let at = (1..args.len()).find(|&i| {
            args.get(i).is_some_and(|arg| is_launcher(&arg.text) || is_shell(&arg.text) || arg.text.ends_with(".sh"))
        });
        let Some(at) = at else {
            return Kind::Unknown(format!("What “{}” starts is not known here.", shorten(name)));
        };
        let before = args.get(1..at).unwrap_or_default();
        if before.iter().any(|arg| !known(&arg.text) && arg.text.chars().count() == 1) {
            return Kind::Unknown(format!("What “{}” starts is not known here.", shorten(name)));
        }
        let mut tasks = tasks;
        for arg in before.iter().filter(|_| program(name) == "env") {
            if let Some((variable, value)) = arg.text.split_once('=').filter(|(variable, _)| !variable.starts_with('-'))
            {
                tasks.iter_mut().for_each(|task| task.env.set(variable, value, true, arg.line));
            }
        }
        return kind(tasks, args.get(at..).unwrap_or_default(), shell);
    }
    if is_launcher(name) {
        if only_asks(args) {
            return Kind::Harmless;
        }
        return Kind::Launch(tasks.into_iter().map(|task| (task, args.to_vec())).collect());
    }
    if outside::harmless(name) {
        return Kind::Harmless;
    }
    Kind::Unknown(paste(name))
}

fn paste(name: &str) -> String {
    let name = shorten(name);
    format!("What “{name}” starts cannot be seen here. Paste its contents too, in its place, as bash -c '…'.")
}

fn is_launcher(name: &str) -> bool {
    matches!(program(name), "torchrun" | "accelerate") || is_python(name)
}

/// Whether a launcher or Python is only asked something, or does what is no training.
fn only_asks(args: &[Arg]) -> bool {
    let word = |i: usize| args.get(i).map_or("", |arg| arg.text.as_str());
    if program(word(0)) == "accelerate" {
        return matches!(word(1), "config" | "env" | "test" | "estimate-memory" | "merge-weights");
    }
    if !is_python(word(0)) {
        return matches!(word(1), "--help" | "-h");
    }
    let at =
        (1..args.len()).find(|&i| !matches!(word(i), "-u" | "-O" | "-B" | "-s" | "-E" | "-I")).unwrap_or(args.len());
    match word(at) {
        "-c" | "-V" | "--version" | "" => true,
        "-m" => matches!(word(at + 1), "pip" | "venv" | "site" | "json.tool" | "torch.utils.collect_env"),
        _ => false,
    }
}

/// `bash -c '…'` in each task; a file is asked for.
fn in_shell(tasks: Vec<Task>, args: &[Arg], shell: &mut Shell) -> Kind {
    let name = args.first().map_or("bash", |arg| arg.text.as_str());
    let mut at = 1;
    let mut text = None;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with(['-', '+'])) {
        if arg.text.ends_with('c') && !arg.text.starts_with("--") {
            text = args.get(at + 1);
            break;
        }
        at += 1;
    }
    let Some(text) = text else {
        let file = args.get(at).map_or(name, |arg| arg.text.as_str());
        return Kind::Unknown(paste(file));
    };
    if text.text.chars().all(|c| c == super::shell::UNKNOWN) {
        return Kind::Unknown("What this shell runs is not known here.".to_owned());
    }
    let mut all: Vec<Started> = Vec::new();
    let mut unknown = None;
    for task in tasks {
        let mut child = shell.child(task.env.clone());
        let mut started: Option<Started> = None;
        let mut run = |inner: &mut Shell, args: &[Arg], _: bool| {
            let here = Task { env: inner.env.inherited(), ..task.clone() };
            match kind(vec![here], args, inner) {
                Kind::Harmless => Went::On(Some(true)),
                Kind::Launch(mut launched) => {
                    started = launched.pop();
                    Went::Stop
                }
                Kind::Unknown(why) => {
                    unknown.get_or_insert(why);
                    Went::Stop
                }
            }
        };
        child.run_text(&text.text, text.line, &mut run);
        shell.join(child);
        all.extend(started);
        if unknown.is_some() {
            break;
        }
    }
    match unknown {
        Some(why) => Kind::Unknown(why),
        None if all.is_empty() => Kind::Harmless,
        None => Kind::Launch(all),
    }
}

/// `CUDA_VISIBLE_DEVICES` as set in the task: those of what it had.
fn see_devices(task: &mut Task, launch: &mut Launch) {
    let line = task.env.line("CUDA_VISIBLE_DEVICES");
    if line == 0 {
        return;
    }
    let Some(list) = task.env.exported("CUDA_VISIBLE_DEVICES").map(str::to_owned) else { return };
    if !known(&list) {
        return launch.unread(line, Reach::Everything, "Which GPUs are visible is not known here.");
    }
    let chosen = list.split(',').map_while(|one| one.trim().parse::<usize>().ok());
    task.visible = chosen.filter_map(|i| task.visible.get(i).copied()).collect();
    task.env.set("CUDA_VISIBLE_DEVICES", list, true, 0);
}

/// Where a program's own arguments begin, and whether it is accelerate; none for a script of Python.
fn launcher_of(args: &[Arg]) -> Option<(usize, &'static Known)> {
    let word = |i: usize| args.get(i).map_or("", |arg| arg.text.as_str());
    match program(word(0)) {
        "torchrun" => return Some((1, &TORCHRUN)),
        "accelerate" => return Some((2, &ACCELERATE)),
        _ => {}
    }
    let at = (1..args.len()).find(|&i| word(i) == "-m" || !word(i).starts_with('-'))?;
    if word(at) != "-m" {
        return None;
    }
    match word(at + 1) {
        "torch.distributed.run" | "torch.distributed.launch" => Some((at + 2, &TORCHRUN)),
        "accelerate.commands.launch" => Some((at + 2, &ACCELERATE)),
        _ => None,
    }
}

/// Whether a launcher is what starts processes here, and not a script of Python itself.
pub fn has_agent(args: &[Arg]) -> bool {
    launcher_of(args).is_some()
}

/// The processes of all tasks.
pub fn make(started: Vec<Started>, stepped: bool, line: usize, launch: &mut Launch) {
    launch.line = line;
    launch.stepped = stepped;
    let Some((_, args)) = started.first() else { return };
    let agents_start = launcher_of(args).is_some();
    let mut agents = Vec::new();
    for (mut task, args) in started {
        see_devices(&mut task, launch);
        match launcher_of(&args) {
            Some((at, known)) => match agent(task, args.get(at..).unwrap_or_default(), known, line) {
                Ok(agent) => agents.push(agent),
                Err(Stopped::Refused(refused)) => return refused.note(launch),
                Err(Stopped::Unread(line, why)) => return launch.unread(line, Reach::Everything, why),
            },
            None if agents_start => {
                return launch.unread(
                    line,
                    Reach::Everything,
                    "Tasks that start different programs are not followed here.",
                );
            }
            None => {
                if let Some(arg) = names_meeting(&args) {
                    let why = "How its processes meet is said by the program’s own arguments, so what they need of their environment isn’t known here.";
                    return launch.unread(arg.line, Reach::Everything, why);
                }
                let process = by_environment(&task, launch);
                launch.processes.push(process);
            }
        }
    }
    if agents_start {
        launch.agents = true;
        meet(&agents, launch);
    }
}

/// The argument by which a program says how its processes meet, if that isn't their environment: `--init_method tcp://…`.
fn names_meeting(args: &[Arg]) -> Option<&Arg> {
    let word = |i: usize| args.get(i).map_or("", |arg| arg.text.as_str());
    let meets = |(i, arg): (usize, &Arg)| {
        let (name, value) = arg.text.split_once('=').unwrap_or_else(|| (&arg.text, word(i + 1)));
        let names = ["--init-method", "--dist-url", "--dist-init-method"];
        names.contains(&name.replace('_', "-").as_str()) && !value.starts_with("env://")
    };
    args.iter().enumerate().find(|(i, arg)| meets((*i, *arg))).map(|(_, arg)| arg)
}

/// A process that takes everything from its environment: `env://`.
fn by_environment(task: &Task, launch: &mut Launch) -> Process {
    let mut process = Process::of(task);
    let mut text = |name: &str| {
        let value = task.env.exported(name).unwrap_or_default().to_owned();
        if !known(&value) {
            launch.unread(task.env.line(name), Reach::Everything, format!("The value of {name} is not known here."));
        }
        value
    };
    let (rank, local, size) = (text("RANK"), text("LOCAL_RANK"), text("WORLD_SIZE"));
    (process.master, process.port) = (text("MASTER_ADDR"), text("MASTER_PORT"));
    let number = |text: &str| text.trim().parse::<u64>().ok();
    // A script that has no LOCAL_RANK takes GPU 0.
    process = process.with_local_rank(number(&local).unwrap_or(0));
    (process.local_rank, process.rank, process.world_size) = (number(&local), number(&rank), number(&size));
    process.scarce = task.cpus.filter(|cpus| cpus.scarce(1));
    process
}

/// What a program refuses: the line, why, and what it prints of it; nothing where that is not known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Refused {
    /// The line.
    pub line: usize,
    /// Why, and what would be valid.
    pub why: String,
    /// What the program prints.
    pub said: String,
}

impl Refused {
    /// Notes it.
    pub fn note(self, launch: &mut Launch) {
        launch.detail = self.said;
        launch.remark(self.line, self.why);
        launch.fail(Fault::BadArgument, self.line);
    }
}

/// Why it does not come to processes.
pub enum Stopped {
    /// The program refuses an argument.
    Refused(Refused),
    /// An argument is not known here: the line, and what it is.
    Unread(usize, String),
}

struct Given {
    name: String,
    value: String,
    line: usize,
}

/// The options of a launcher, up to the name of the script, and whether that comes.
fn arguments(args: &[Arg], known_options: &Known, line: usize) -> Result<(Vec<Given>, bool), Stopped> {
    let (mut all, mut i) = (Vec::new(), 0);
    let names = |list: &'static str| list.split_whitespace().map(|name| name.split_once(':').unwrap_or((name, "")));
    while let Some(arg) = args.get(i) {
        let word = arg.text.as_str();
        if word.chars().all(|c| c == super::shell::UNKNOWN) && !word.is_empty() {
            return Err(Stopped::Unread(arg.line, "Which arguments stand here is not known.".to_owned()));
        }
        if !word.starts_with('-') {
            return Ok((all, true));
        }
        if word == "-" || word == "--" {
            break;
        }
        i += 1;
        let long = word.strip_prefix("--");
        let (typed, glued) = match long {
            Some(long) => long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v.to_owned()))),
            None => {
                let end = word.char_indices().nth(2).map_or(word.len(), |(at, _)| at);
                let (letter, rest) = word.split_at(end);
                (
                    letter.trim_start_matches('-'),
                    Some(rest.trim_start_matches('=').to_owned()).filter(|rest| !rest.is_empty()),
                )
            }
        };
        let find = |list: &'static str| {
            names(list)
                .find(|(name, letter)| if long.is_some() { *name == typed.replace('_', "-") } else { *letter == typed })
        };
        let mut found =
            find(known_options.valued).map(|(n, _)| (n, true)).or(find(known_options.flags).map(|(n, _)| (n, false)));
        if found.is_none() && long.is_some() && known_options.abbreviated && !typed.is_empty() {
            let all = names(known_options.valued)
                .map(|(n, _)| (n, true))
                .chain(names(known_options.flags).map(|(n, _)| (n, false)));
            // Each is spelled with hyphens and with underscores; argparse counts spellings.
            let spelled = all.flat_map(|(name, valued)| {
                let other = name.replace('-', "_");
                let both = if other == name { vec![name.to_owned()] } else { vec![name.to_owned(), other] };
                both.into_iter().map(move |spelling| (spelling, name, valued))
            });
            let begun: Vec<_> = spelled.filter(|(spelling, ..)| spelling.starts_with(typed)).collect();
            match begun.as_slice() {
                [] => {}
                [(_, name, valued)] => found = Some((*name, *valued)),
                many => {
                    let could: Vec<String> = many.iter().map(|(spelling, ..)| format!("--{spelling}")).collect();
                    return Err(Stopped::Refused(Refused {
                        line: arg.line,
                        why: format!("--{} is the beginning of more than one spelling: write it out.", shorten(typed)),
                        said: format!(
                            "torchrun: error: ambiguous option: {} could match {}",
                            shorten(word),
                            could.join(", ")
                        ),
                    }));
                }
            }
        }
        let Some((name, valued)) = found else {
            let hints: Vec<&str> =
                names(known_options.valued).chain(names(known_options.flags)).map(|(n, _)| n).collect();
            let hint = did_you_mean(&typed.replace('_', "-"), &hints);
            let why = format!(
                "{} is not known to have an option {}{hint}.",
                known_options.name,
                shorten(word.split('=').next().unwrap_or(word))
            );
            return Err(Stopped::Unread(arg.line, why));
        };
        let value = match (valued, glued) {
            (false, _) => String::new(),
            (true, Some(value)) => value,
            (true, None) => {
                let next = args.get(i).filter(|next| !next.text.starts_with('-') || next.text.parse::<f64>().is_ok());
                let Some(next) = next else {
                    if i >= args.len() {
                        return Err(Stopped::Unread(
                            arg.line,
                            format!("The command ends before the value of --{name}."),
                        ));
                    }
                    return Err(Stopped::Refused(Refused {
                        line: arg.line,
                        why: format!(
                            "--{name} has no value here: the next word is another option. A variable that is empty leaves none."
                        ),
                        said: String::new(),
                    }));
                };
                i += 1;
                next.text.clone()
            }
        };
        all.push(Given { name: name.to_owned(), value, line: arg.line });
    }
    let line = args.last().map_or(line, |arg| arg.line);
    Err(Stopped::Unread(line, format!("The command ends before the script that {} is to start.", known_options.name)))
}

/// An agent: one for each node, as a rule, which starts the processes there.
#[derive(Debug, Clone)]
struct Agent {
    task: Task,
    /// Agents that it waits for, at least, and at most.
    nnodes: (u64, u64),
    nproc: u64,
    node_rank: u64,
    /// Where agents meet: host and port; none where each keeps to itself.
    endpoint: Option<(String, String)>,
    /// The name of the run, which those that meet have in common.
    id: String,
    /// Whether they agree on ranks among themselves, else each is told its own.
    elastic: bool,
    /// The line with the host.
    line: usize,
}

fn agent(task: Task, args: &[Arg], known_options: &Known, at: usize) -> Result<Agent, Stopped> {
    let (given, _) = arguments(args, known_options, at)?;
    let accelerate = known_options.name != TORCHRUN.name;
    let find = |name: &str| given.iter().rev().find(|given| given.name == name);
    // What torchrun is not told it takes from variables with PET_ before them.
    let text = |name: &str| -> Result<Option<(String, usize)>, Stopped> {
        let by_env = || {
            let variable = format!("PET_{}", name.replace('-', "_").to_ascii_uppercase());
            task.env
                .exported(&variable)
                .filter(|_| !accelerate)
                .map(|v| (v.to_owned(), task.env.line(&variable).max(at)))
        };
        let found = find(name).map(|given| (given.value.clone(), given.line)).or_else(by_env);
        match found {
            Some((value, line)) if !known(&value) => {
                Err(Stopped::Unread(line, format!("The value of --{name} is not known here.")))
            }
            found => Ok(found),
        }
    };
    let whole = |name: &str, value: &str, line: usize, least: u64| match value.trim().parse::<u64>() {
        Ok(n) if (least..=4096).contains(&n) => Ok(n),
        _ => Err(Stopped::Refused(Refused {
            line,
            why: format!("--{name} must be a whole number from {least}, not “{}”.", shorten(value)),
            said: String::new(),
        })),
    };
    let number = |name: &str, least: u64, default: u64| -> Result<u64, Stopped> {
        text(name)?.map_or(Ok(default), |(value, line)| whole(name, &value, line, least))
    };
    if accelerate {
        return accelerated(&task, &given, &text, &number, at);
    }
    let nproc = match text("nproc-per-node")? {
        Some((value, _)) if matches!(value.as_str(), "gpu" | "auto") => task.visible.len().max(1) as u64,
        Some((value, line)) if matches!(value.as_str(), "cpu" | "xpu") => {
            return Err(Stopped::Unread(line, format!("How many processes “{value}” makes is not known here.")));
        }
        _ => number("nproc-per-node", 1, 1)?,
    };
    let nnodes = match text("nnodes")? {
        None => (1, 1),
        Some((value, line)) => {
            let (least, most) = value.split_once(':').unwrap_or((&value, &value));
            (whole("nnodes", least, line, 1)?, whole("nnodes", most, line, 1)?)
        }
    };
    let node_rank = match text("node-rank") {
        Ok(_) => number("node-rank", 0, 0)?,
        // A c10d rendezvous gives ranks of its own.
        Err(_) if matches!(text("rdzv-backend"), Ok(Some((ref backend, _))) if backend != "static") => 0,
        Err(stopped) => return Err(stopped),
    };
    let id = text("rdzv-id").ok().flatten().map_or_else(String::new, |(id, _)| id);
    let alone = |nproc| Agent {
        task: task.clone(),
        nnodes: (1, 1),
        nproc,
        node_rank: 0,
        endpoint: None,
        id: String::new(),
        elastic: true,
        line: at,
    };
    if find("standalone").is_some() {
        return Ok(alone(nproc));
    }
    let says = |name: &str| matches!(text(name), Ok(Some(_)));
    let backend = text("rdzv-backend")?
        .map_or_else(|| ("static".to_owned(), at), |(backend, line)| (backend.trim().to_lowercase(), line));
    let elastic = backend.0 != "static";
    if !matches!(backend.0.as_str(), "static" | "c10d") {
        return Err(Stopped::Unread(
            backend.1,
            format!("The rendezvous “{}” is not followed here.", shorten(&backend.0)),
        ));
    }
    let (endpoint, line) = match text("rdzv-endpoint")? {
        Some((endpoint, line)) if elastic || !endpoint.is_empty() => (endpoint.trim().to_owned(), line),
        _ if elastic && nnodes.1 == 1 => return Ok(alone(nproc)),
        // Only the static rendezvous takes the address of a master.
        _ if nnodes.1 > 1 && task.env.open && !says("master-addr") => {
            let why = "Where agents meet is not in the command, and what is not read may set it: PET_RDZV_ENDPOINT, PET_MASTER_ADDR.";
            return Err(Stopped::Unread(at, why.to_owned()));
        }
        _ if elastic => (String::new(), at),
        _ => {
            let (master, line) = text("master-addr")?.unwrap_or_else(|| ("127.0.0.1".to_owned(), at));
            let port = text("master-port")?.map_or_else(|| PORT.to_owned(), |(port, _)| port);
            (format!("{master}:{port}"), line)
        }
    };
    let (host, port) = endpoint_of(&endpoint, if elastic { C10D_PORT } else { PORT });
    Ok(Agent { task, nnodes, nproc, node_rank, endpoint: Some((host, port)), id, elastic, line })
}

/// Host and port of an endpoint, as `parse_rendezvous_endpoint` has them; the host is empty where torchrun refuses it.
fn endpoint_of(endpoint: &str, port: &str) -> (String, String) {
    if endpoint.is_empty() {
        return ("localhost".to_owned(), port.to_owned());
    }
    match endpoint.rsplit_once(':').filter(|_| !endpoint.ends_with(']')) {
        Some((host, port)) => (host.trim_matches(['[', ']']).to_owned(), port.to_owned()),
        None => (endpoint.trim_matches(['[', ']']).to_owned(), port.to_owned()),
    }
}

type Texts<'a> = &'a dyn Fn(&str) -> Result<Option<(String, usize)>, Stopped>;
type Numbers<'a> = &'a dyn Fn(&str, u64, u64) -> Result<u64, Stopped>;

fn accelerated(
    task: &Task,
    given: &[Given],
    text: Texts<'_>,
    number: Numbers<'_>,
    at: usize,
) -> Result<Agent, Stopped> {
    let has = |name: &str| given.iter().find(|given| given.name == name);
    if let Some(file) = has("config-file") {
        let missing = ["num-machines", "num-processes"].into_iter().find(|name| has(name).is_none());
        if let Some(missing) = missing {
            let why = format!("The file may say --{missing}, and is not here: write it in the command.");
            return Err(Stopped::Unread(file.line, why));
        }
    }
    if let Some(other) = ["cpu", "tpu", "use-xpu", "ipex", "tpu-cluster", "mpirun-hostfile"].into_iter().find_map(has) {
        return Err(Stopped::Unread(
            other.line,
            format!("What accelerate starts with --{} is not followed here.", other.name),
        ));
    }
    let machines = number("num-machines", 1, 1)?;
    let standard = text("deepspeed-multinode-launcher")?.is_some_and(|(v, _)| v == "standard");
    if let Some(deepspeed) = has("use-deepspeed").filter(|_| machines > 1 && !standard) {
        return Err(Stopped::Unread(
            deepspeed.line,
            "DeepSpeed starts the other machines itself: that is not followed here.".to_owned(),
        ));
    }
    let all = number("num-processes", 1, task.visible.len().max(1) as u64)?;
    let host = text("main-process-ip")?;
    if host.is_none() && machines > 1 {
        let why = "Where the machines meet is not in the command: accelerate takes it from its default config file, which is not \
                   here. Write --main_process_ip.";
        return Err(Stopped::Unread(at, why.to_owned()));
    }
    let line = host.as_ref().map_or(at, |(_, line)| *line);
    let host = host.map_or_else(|| "127.0.0.1".to_owned(), |(host, _)| host);
    let port = text("main-process-port")?.map_or_else(|| PORT.to_owned(), |(port, _)| port);
    let elastic = text("rdzv-backend")?.is_some_and(|(backend, _)| backend != "static");
    let node_rank = match number("machine-rank", 0, 0) {
        Err(_) if elastic => 0,
        rank => rank?,
    };
    // What is asked for is for all machines together.
    let nproc = (all / machines).max(1);
    let endpoint = Some((host, port));
    Ok(Agent {
        task: task.clone(),
        nnodes: (machines, machines),
        nproc,
        node_rank,
        endpoint,
        id: String::new(),
        elastic,
        line,
    })
}

/// Agents meet, agree on ranks, and start their processes; or they do not.
fn meet(agents: &[Agent], launch: &mut Launch) {
    let all: u64 = agents.iter().map(|agent| agent.nproc).sum();
    if all > MOST_PROCESSES {
        return launch.unread(
            launch.line,
            Reach::Everything,
            format!("More than {MOST_PROCESSES} processes are not followed here: {all} start."),
        );
    }
    let named = |name: &str| is_local(name) || (0..super::world::MOST_NODES).any(|node| is_host(name, node));
    for agent in agents {
        let Some((host, _)) = &agent.endpoint else { continue };
        // A port that is a word in brackets: people write such words in place of theirs.
        if host.contains("]:[") {
            let why = "The words in brackets stand for a host and a port: write yours in their place.";
            return launch.unread(agent.line, Reach::Everything, why);
        }
        let sound = !host.is_empty() && host.chars().all(|c| c.is_alphanumeric() || "_.:-".contains(c));
        if !sound {
            launch.detail = agent.endpoint.as_ref().map_or(String::new(), |(host, port)| format!("{host}:{port}"));
            return launch.fail(Fault::EmptyHost, agent.line);
        }
        // One agent alone meets nobody, and another's name may be its own.
        if !named(host) && agent.nnodes.1 > 1 {
            let why = format!("Which node “{}” is, is not known here.", shorten(host));
            return launch.unread(agent.line, Reach::Everything, why);
        }
    }
    if launch.by_hand
        && let Some(agent) = agents.iter().find(|agent| agent.nnodes.0 > agents.len() as u64)
    {
        let why = "It waits for other nodes. Whether somebody starts it there too is not in this script.";
        return launch.unread(agent.line, Reach::Everything, why);
    }
    let mut worlds: Vec<(String, Vec<&Agent>)> = Vec::new();
    for agent in agents {
        let id = if agent.elastic { agent.id.as_str() } else { "" };
        // Told that it is the only one, an agent of the static rendezvous waits for no other, whatever the store that they share.
        let beside = agents.iter().filter(|other| other.task.node == agent.task.node).count();
        let is_alone = !agent.elastic && agent.nnodes.1 == 1 && beside == 1;
        let key = match agent.endpoint.as_ref().filter(|_| !is_alone) {
            None => format!("alone {}", worlds.len()),
            Some((name, port)) if is_local(name) => format!("{} {port} {id}", host(agent.task.node)),
            Some((name, port)) => {
                let node = (0..super::world::MOST_NODES).find(|node| is_host(name, *node));
                format!("{} {port} {id}", node.map_or_else(|| name.clone(), host))
            }
        };
        match worlds.iter_mut().find(|(other, _)| *other == key) {
            Some((_, list)) => list.push(agent),
            None => worlds.push((key, vec![agent])),
        }
    }
    launch.fixed = agents.iter().any(|agent| !agent.elastic);
    for (index, (_, members)) in worlds.iter().enumerate() {
        let Some(first) = members.first() else { continue };
        let host = first.endpoint.as_ref().map(|(host, _)| host.as_str());
        let met_by =
            |agent: &&Agent| host.is_none_or(|host| is_local(host) || !named(host) || is_host(host, agent.task.node));
        let listening = if first.elastic || first.nnodes.1 > 1 { members.clone() } else { agents.iter().collect() };
        if !listening.iter().any(met_by) {
            launch.fail(Fault::NobodyListens, launch.line);
        }
        let mut ranks: Vec<u64> = members.iter().map(|agent| agent.node_rank).collect();
        if first.elastic {
            ranks = (0..members.len() as u64).collect();
        }
        if (members.len() as u64) < first.nnodes.0 {
            let fault = match (launch.stepped, worlds.len()) {
                (false, _) => Fault::OneAgent,
                (true, 1) => Fault::FewAgents,
                (true, _) => Fault::AgentsApart,
            };
            if launch.fault.is_none() {
                launch.met = (members.len(), first.nnodes.0);
            }
            launch.fail(fault, launch.line);
        } else if !first.elastic && has_twice(&ranks) {
            launch.fail(Fault::SameNodeRank, launch.line);
        }
        // Those that come too late find no place.
        let joined = usize::try_from(first.nnodes.1).unwrap_or(usize::MAX).min(members.len());
        for (agent, node_rank) in members.iter().zip(ranks).take(joined) {
            let before: u64 = if first.elastic {
                members.iter().take(node_rank as usize).map(|a| a.nproc).sum()
            } else {
                node_rank * agent.nproc
            };
            let together = members.iter().take(joined).map(|a| a.nproc).sum::<u64>();
            let size = together.max(agent.nproc * agent.nnodes.0);
            for local in 0..agent.nproc {
                let mut process = Process::of(&agent.task).with_local_rank(local);
                process.rank = Some(before + local);
                process.world_size = Some(size);
                (process.master, process.port) = agent.endpoint.clone().unwrap_or(("127.0.0.1".into(), PORT.into()));
                process.world = index;
                process.scarce = agent.task.cpus.filter(|cpus| cpus.scarce(agent.nproc));
                launch.processes.push(process);
            }
        }
    }
}

fn has_twice(list: &[u64]) -> bool {
    let mut sorted = list.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
