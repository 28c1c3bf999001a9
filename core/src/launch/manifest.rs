//! Manifests for Kubernetes: Kubeflow Trainer's TrainJob, its predecessor PyTorchJob, and JobSet, each of which makes a pod for each node.
//!
//! What the operators set: Trainer and the PyTorchJob controller give each pod PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR
//! and PET_MASTER_PORT, which torchrun reads (kubeflow/trainer `pkg/runtime/framework/plugins/torch/torch.go`, kubeflow/training-operator
//! `pkg/controller.v1/pytorch/envvar.go`). JobSet gives an index alone.

use super::launcher;
use super::shell::{Env, Word};
use super::verdict::{Fault, Launch};
use super::world::{PORT, Task, World, host};
use crate::query::shorten;

/// A line of the manifest: its path (`spec.trainer.numNodes`) and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    path: String,
    value: String,
    line: usize,
}

/// The queue that the cluster has.
pub const QUEUE: &str = "team-a";

/// The image that was pushed again under its old name: the first node still has the one of yesterday.
const MOVED: &str = "train:dev";

/// The line of an image that a node may have under the same name from before: a kubelet pulls a tag anew only where it is told to, or where it
/// is `latest` (kubernetes/kubernetes `pkg/apis/core/v1/defaults.go`).
fn stale_image(entries: &[Entry]) -> Option<usize> {
    let always = entries.iter().any(|e| e.path.ends_with("imagePullPolicy") && e.value == "Always");
    entries.iter().find(|e| e.path.ends_with("image") && e.value.ends_with(MOVED) && !always).map(|e| e.line)
}

/// What a manifest launches.
pub fn launch(text: &str, world: World) -> Launch {
    let mut launch = Launch { stepped: true, kubernetes: true, ..Launch::default() };
    let entries = match read(text) {
        Ok(entries) => entries,
        Err((line, why)) => {
            launch.detail.clone_from(&why);
            launch.remark(line, why);
            launch.fail(Fault::BadManifest, line);
            return launch;
        }
    };
    let find = |end: &str| entries.iter().find(|e| e.path == end || e.path.ends_with(&format!(".{end}")));
    let kind = find("kind").map_or("", |e| e.value.as_str());
    let sets = match kind {
        "TrainJob" | "PyTorchJob" => true,
        "JobSet" | "Job" => false,
        _ => {
            let line = find("kind").map_or(1, |e| e.line);
            launch.detail = format!(
                "no matches for kind “{}”: TrainJob, PyTorchJob, JobSet and Job are known here.",
                shorten(kind)
            );
            let detail = launch.detail.clone();
            launch.remark(line, detail);
            launch.fail(Fault::BadManifest, line);
            return launch;
        }
    };
    let number =
        |entry: Option<&Entry>, default: u64| entry.and_then(|e| e.value.parse::<u64>().ok()).unwrap_or(default);
    let workers = entries.iter().find(|e| e.path.contains("Worker") && e.path.ends_with("replicas"));
    let nodes = match kind {
        "PyTorchJob" => {
            number(entries.iter().find(|e| e.path.contains("Master") && e.path.ends_with("replicas")), 1)
                + number(workers, 0)
        }
        "TrainJob" => number(find("numNodes"), 1),
        _ => number(find("completions").or(find("parallelism")), 1),
    }
    .min(1024);
    if let Some(queue) = entries.iter().find(|e| e.path.ends_with("kueue.x-k8s.io/queue-name") && e.value != QUEUE) {
        launch.detail.clone_from(&queue.value);
        launch.remark(
            queue.line,
            format!("There is no LocalQueue “{}” in this namespace: {QUEUE} is one.", shorten(&queue.value)),
        );
        launch.fail(Fault::NoQueue, queue.line);
        return launch;
    }
    let limit = entries.iter().find(|e| e.path.ends_with("limits.nvidia.com/gpu"));
    let request = entries.iter().find(|e| e.path.ends_with("requests.nvidia.com/gpu"));
    if let (Some(request), None) = (request, limit) {
        launch.detail = "GPUs are asked for under limits; a request alone is refused: Limit must be set for non overcommitable resources.".into();
        let detail = launch.detail.clone();
        launch.remark(request.line, detail);
        launch.fail(Fault::BadManifest, request.line);
        return launch;
    }
    let gpus = number(limit, 0);
    if gpus > world.gpus || nodes > world.nodes {
        let line = if gpus > world.gpus {
            limit.map_or(0, |e| e.line)
        } else {
            find("numNodes").or(workers).map_or(0, |e| e.line)
        };
        launch.fail(Fault::Unschedulable, line);
        return launch;
    }
    let shared = entries.iter().any(|e| e.path.ends_with("mountPath") && e.value == "/dev/shm")
        || find("hostIPC").is_some_and(|e| e.value == "true");
    let command = command(&entries);
    let Some(first) = command.first() else {
        launch.fail(Fault::NothingLaunched, 0);
        return launch;
    };
    let line = first.line;
    let mut batch = Env::default();
    for entry in env(&entries) {
        batch.set(&entry.path, entry.value.clone(), true, entry.line);
    }
    let nproc = find("numProcPerNode").or(find("nprocPerNode")).map_or(gpus.max(1).to_string(), |e| e.value.clone());
    let nproc = if matches!(nproc.as_str(), "auto" | "gpu") { gpus.max(1).to_string() } else { nproc };
    let tasks: Vec<Task> = (0..nodes)
        .map(|node| {
            let mut env = Env { host: host(node), ..batch.clone() };
            let first = host(0);
            let own: &[(&str, String)] = &[
                ("PET_NNODES", nodes.to_string()),
                ("PET_NPROC_PER_NODE", nproc.clone()),
                ("PET_NODE_RANK", node.to_string()),
                ("PET_MASTER_ADDR", first),
                ("PET_MASTER_PORT", PORT.to_owned()),
            ];
            for (name, value) in own.iter().filter(|_| sets) {
                env.set(name, value.clone(), true, 0);
            }
            env.set("JOB_COMPLETION_INDEX", node.to_string(), true, 0);
            Task { node, env, visible: (0..gpus).collect(), small_shm: !shared }
        })
        .collect();
    if !launcher::start(&tasks, &command, &batch, true, &mut launch) {
        launch.fail(Fault::NothingLaunched, line);
    }
    if let Some(line) = stale_image(&entries) {
        launch.image = line;
        launch.processes.iter_mut().for_each(|p| p.older = p.node == 0);
    }
    launch
}

/// The words of `command` and `args`, in a list or in brackets.
fn command(entries: &[Entry]) -> Vec<Word> {
    let mut words = Vec::new();
    for name in ["command", "args"] {
        for entry in entries {
            let end = entry.path.rsplit('.').next().unwrap_or("");
            if end != name && end != format!("{name}[]") {
                continue;
            }
            let list = entry.value.trim().strip_prefix('[').and_then(|v| v.strip_suffix(']'));
            let parts: Vec<&str> = list.map_or_else(|| vec![entry.value.as_str()], |list| list.split(',').collect());
            for part in parts {
                let raw = format!("'{}'", part.trim().trim_matches(['"', '\'']));
                words.push(Word { raw, line: entry.line });
            }
        }
        // A PyTorchJob says it for the master and again for the workers.
        if let Some(again) = words.iter().skip(1).position(|w| Some(&w.raw) == words.first().map(|f| &f.raw)) {
            words.truncate(again + 1);
        }
    }
    words
}

/// Variables of the container: `- name: A` and then `value: b`.
fn env(entries: &[Entry]) -> Vec<Entry> {
    let mut all = Vec::new();
    for pair in entries.windows(2) {
        if let [name, value] = pair
            && name.path.ends_with("env[].name")
            && value.path.ends_with("env[].value")
        {
            all.push(Entry { path: name.value.clone(), value: value.value.clone(), line: value.line });
        }
    }
    all
}

/// The lines of a manifest, as much of YAML as they use: maps and lists by indentation.
fn read(text: &str) -> Result<Vec<Entry>, (usize, String)> {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut entries = Vec::new();
    for (line, content) in text.lines().enumerate().map(|(i, l)| (i + 1, l)) {
        let content = content.split(" #").next().unwrap_or(content).trim_end();
        let body = content.trim_start();
        if body.is_empty() || body.starts_with('#') || body == "---" {
            continue;
        }
        if content.starts_with('\t') || content.trim_start_matches(' ').starts_with('\t') {
            return Err((
                line,
                "yaml: found character that cannot start any token: a tab. YAML is indented with blanks.".into(),
            ));
        }
        let mut indent = content.len() - body.len();
        let mut body = body;
        let is_item = body == "-" || body.starts_with("- ");
        while open.last().is_some_and(|(at, _)| if is_item { *at > indent } else { *at >= indent }) {
            open.pop();
        }
        if is_item {
            // An item belongs to the key above it, which may stand as far to the right as it.
            while open.last().is_some_and(|(at, name)| *at >= indent && name == "[]") {
                open.pop();
            }
            open.push((indent, "[]".into()));
            let rest = body.strip_prefix('-').unwrap_or(body);
            let inner = rest.trim_start();
            indent += 1 + rest.len() - inner.len();
            body = inner;
        }
        let path = |open: &[(usize, String)], name: &str| {
            let mut path = String::new();
            for part in open.iter().map(|(_, name)| name.as_str()).chain([name]).filter(|n| !n.is_empty()) {
                if !path.is_empty() && part != "[]" {
                    path.push('.');
                }
                path.push_str(part);
            }
            path
        };
        match key(body) {
            Some((name, value)) => {
                if !value.is_empty() {
                    entries.push(Entry {
                        path: path(&open, name),
                        value: value.trim_matches(['"', '\'']).to_owned(),
                        line,
                    });
                }
                open.push((indent, name.to_owned()));
            }
            None if is_item => {
                entries.push(Entry { path: path(&open, ""), value: body.trim_matches(['"', '\'']).to_owned(), line });
            }
            None => {
                return Err((
                    line,
                    format!("yaml: “{}” is neither “key: value” nor an item of a list.", shorten(body)),
                ));
            }
        }
    }
    Ok(entries)
}

fn key(body: &str) -> Option<(&str, &str)> {
    if body.starts_with(['"', '\'', '[']) {
        return None;
    }
    match body.split_once(": ") {
        Some((name, value)) => Some((name.trim(), value.trim())),
        None => body.strip_suffix(':').map(|name| (name.trim(), "")),
    }
}
