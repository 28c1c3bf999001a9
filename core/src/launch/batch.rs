//! A batch script: what Slurm gives it, and the tasks that its `srun` starts.

use super::launcher;
use super::ray::Cluster;
use super::shell::{Command, Env, Word, commands, expand};
use super::verdict::{Fault, Launch};
use super::world::{Task, World, host};
use crate::query::shorten;
use crate::slurm::{Options, split_option};

/// Words that begin what is no simple command.
const COMPOUND: [&str; 8] = ["for", "while", "if", "case", "function", "until", "select", "{"];

/// What a script launches.
pub fn launch(text: &str, world: World) -> Launch {
    let mut launch = Launch::default();
    let options = header(text, &mut launch);
    if launch.fault.is_some() {
        return launch;
    }
    if options.node_count() > world.nodes || options.gpus_of_a_node() > world.gpus {
        launch.fail(Fault::NoSuchNodes, options_line(text, &["--nodes", "-N", "--gpus", "--gres", "-G"]));
        return launch;
    }
    let mut env = batch_env(&options);
    let mut ray = Cluster::default();
    for command in commands(text, 1) {
        let Some(first) = command.first() else { continue };
        if COMPOUND.contains(&first.raw.as_str()) {
            launch.remark(first.line, format!("“{}” is not evaluated here: write out what it does.", first.raw));
            continue;
        }
        let (command, local) = assignments(&command, &mut env);
        if command.is_empty() {
            continue;
        }
        let tasks = tasks(&command, &local, &options, world, &mut launch);
        let Some((tasks, at)) = tasks else { return launch };
        let command = command.get(at..).unwrap_or_default();
        if ray.takes(&tasks, command, &local, &mut launch)
            || launcher::start(&tasks, command, &local, at > 0, &mut launch)
        {
            return launch;
        }
    }
    launch.fail(Fault::NothingLaunched, 0);
    launch
}

/// The `#SBATCH` lines before the first command; those behind it count for nothing, and are remarked.
fn header(text: &str, launch: &mut Launch) -> Options {
    let (mut options, mut begun) = (Options::default(), false);
    for (line, content) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        let Some(rest) = content.strip_prefix("#SBATCH") else {
            begun |= !content.is_empty() && !content.starts_with('#');
            continue;
        };
        if begun {
            launch
                .remark(line, "sbatch stops reading #SBATCH lines at the first command: this one counts for nothing.");
            launch.blame.get_or_insert(line);
            continue;
        }
        let words: Vec<&str> = rest.split_whitespace().take_while(|word| !word.starts_with('#')).collect();
        let mut rest = words.as_slice();
        while !rest.is_empty() {
            let result = match split_option(rest) {
                Some(Ok(given)) => {
                    rest = rest.get(given.words..).unwrap_or_default();
                    options.take(&given)
                }
                Some(Err(why)) => Err(why),
                None => Err(format!("“{}” is no option.", rest.first().map_or(String::new(), |w| shorten(w)))),
            };
            if let Err(why) = result {
                let word = rest.first().map_or(String::new(), |w| shorten(w));
                launch.detail = refusal("sbatch", &word, &why);
                launch.remark(line, why);
                launch.fail(Fault::BadOption, line);
                return options;
            }
        }
    }
    options
}

/// The first line with one of these options.
fn options_line(text: &str, names: &[&str]) -> usize {
    let has = |line: &str| line.trim_start().starts_with("#SBATCH") && names.iter().any(|name| line.contains(name));
    text.lines().position(has).map_or(0, |i| i + 1)
}

/// What the batch shell knows: it runs once, on the first node.
fn batch_env(options: &Options) -> Env {
    let nodes = options.node_count();
    let hosts: Vec<String> = (0..nodes).map(host).collect();
    let mut env = Env { host: host(0), hosts, variables: Default::default() };
    let list = if nodes == 1 { host(0) } else { format!("gpu[01-{nodes:02}]") };
    for (name, value) in [
        ("SLURM_JOB_ID", "4711".to_owned()),
        ("SLURM_JOBID", "4711".to_owned()),
        ("SLURM_JOB_NODELIST", list.clone()),
        ("SLURM_NODELIST", list),
        ("SLURM_NNODES", nodes.to_string()),
        ("SLURM_JOB_NUM_NODES", nodes.to_string()),
        ("SLURM_NTASKS", options.task_count().to_string()),
        ("SLURM_NTASKS_PER_NODE", options.ntasks_per_node.unwrap_or(1).to_string()),
        ("SLURM_GPUS_ON_NODE", options.gpus_of_a_node().to_string()),
        ("SLURM_GPUS_PER_NODE", options.gpus_of_a_node().to_string()),
        ("SLURM_NODEID", "0".to_owned()),
        ("SLURM_PROCID", "0".to_owned()),
        ("SLURM_LOCALID", "0".to_owned()),
        ("SLURMD_NODENAME", host(0)),
        ("HOSTNAME", host(0)),
        ("RANDOM", "17289".to_owned()),
    ] {
        env.set(name, value, true, 0);
    }
    env
}

/// Sets what a command sets, and returns the rest of it with what that rest sees.
pub fn assignments(command: &Command, env: &mut Env) -> (Command, Env) {
    let is_export = command.first().is_some_and(|w| w.raw == "export");
    let words = if is_export { command.get(1..).unwrap_or_default() } else { command.as_slice() };
    let set: Vec<(&Word, &str, &str)> =
        words.iter().map_while(|w| Some((w, assignment(&w.raw)?))).map(|(w, (n, v))| (w, n, v)).collect();
    let rest: Command = words.get(set.len()..).unwrap_or_default().to_vec();
    if is_export {
        for (word, name, value) in set {
            let value = expand(value, env);
            env.set(name, value, true, word.line);
        }
        for word in rest {
            let value = env.get(&word.raw).to_owned();
            let line = env.line(&word.raw).max(1);
            env.set(&word.raw, value, true, line);
        }
        return (Vec::new(), env.clone());
    }
    let mut local = env.clone();
    for (word, name, value) in set {
        let value = expand(value, env);
        let target = if rest.is_empty() { &mut *env } else { &mut local };
        target.set(name, value, !rest.is_empty(), word.line);
    }
    (rest, local)
}

fn assignment(raw: &str) -> Option<(&str, &str)> {
    let (name, value) = raw.split_once('=')?;
    let sound = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    sound.then_some((name, value.strip_prefix('(').and_then(|v| v.strip_suffix(')')).unwrap_or(value)))
}

/// What sbatch or srun says of an option that it does not take (`getopt`'s words for one that does not exist).
fn refusal(program: &str, word: &str, why: &str) -> String {
    if why.starts_with("Slurm has no option") {
        format!("{program}: unrecognized option '{word}'\nTry \"{program} --help\" for more information")
    } else {
        format!("{program}: error: {why}")
    }
}

/// The tasks in which a command runs, and the words of it that name them: one in the batch shell, or those of srun; none where srun refuses
/// an option.
fn tasks(
    command: &Command,
    env: &Env,
    options: &Options,
    world: World,
    launch: &mut Launch,
) -> Option<(Vec<Task>, usize)> {
    let first = command.first()?;
    if first.raw != "srun" {
        let visible = (0..options.gpus_of_a_node()).collect();
        return Some((vec![Task { node: 0, env: env.inherited(), visible, small_shm: false }], 0));
    }
    // What srun says goes before what the header says.
    let mut of_step = options.clone();
    let mut places: Vec<u64> = (0..options.node_count().max(1)).collect();
    let expanded: Vec<String> = command.iter().map(|w| expand(&w.raw, env)).collect();
    let words: Vec<&str> = expanded.iter().map(String::as_str).collect();
    let mut at = 1;
    while let Some(given) = words.get(at..).and_then(split_option) {
        let line = command.get(at).map_or(first.line, |w| w.line);
        match given.and_then(|given| of_step.take(&given).map(|()| given)) {
            Ok(given) => {
                let named = |node: &u64| given.value.split(',').any(|name| name == host(*node));
                match given.name {
                    "nodelist" => places.retain(named),
                    "exclude" => places.retain(|node| !named(node)),
                    _ => {}
                }
                at += given.words;
            }
            Err(why) => {
                launch.stepped = true;
                launch.detail = refusal("srun", words.get(at).copied().unwrap_or(""), &why);
                launch.remark(line, why);
                launch.fail(Fault::BadOption, line);
                return None;
            }
        }
    }
    let nodes = of_step.node_count().min(places.len() as u64);
    let tasks = if of_step.ntasks == options.ntasks && of_step.ntasks_per_node.is_none() {
        of_step.ntasks.unwrap_or(nodes)
    } else {
        of_step.task_count()
    };
    let tasks = if nodes == 0 { 0 } else { tasks.min(4096) };
    let each = of_step.ntasks_per_node.unwrap_or(tasks.div_ceil(nodes.max(1))).max(1);
    let gpus = options.gpus_of_a_node().min(world.gpus);
    let list = (0..tasks)
        .map(|proc| {
            let place = (proc / each).min(nodes.saturating_sub(1));
            let (node, local) = (places.get(place as usize).copied().unwrap_or(0), proc % each);
            let visible = match of_step.gpus_per_task {
                Some(own) => (local * own..(local + 1) * own).filter(|gpu| *gpu < gpus).collect(),
                None => (0..gpus).collect(),
            };
            task_of(env, (node, place), proc, local, tasks, visible)
        })
        .collect();
    Some((list, at))
}

/// A task on a node, which is the `place`-th of its step.
fn task_of(env: &Env, (node, place): (u64, u64), proc: u64, local: u64, tasks: u64, visible: Vec<u64>) -> Task {
    let mut own = env.inherited();
    own.host = host(node);
    for (name, value) in [
        ("SLURM_PROCID", proc.to_string()),
        ("SLURM_LOCALID", local.to_string()),
        ("SLURM_NODEID", place.to_string()),
        ("SLURM_NTASKS", tasks.to_string()),
        ("SLURMD_NODENAME", host(node)),
        ("HOSTNAME", host(node)),
    ] {
        own.set(name, value, true, 0);
    }
    // A task that has GPUs of its own sees them from 0 on.
    let names: Vec<String> = (0..visible.len()).map(|gpu| gpu.to_string()).collect();
    own.set("CUDA_VISIBLE_DEVICES", names.join(","), true, 0);
    Task { node, env: own, visible, small_shm: false }
}
