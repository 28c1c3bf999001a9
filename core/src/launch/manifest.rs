//! Manifests for Kubernetes: Kubeflow Trainer's TrainJob, its predecessor PyTorchJob, and JobSet, each of which makes a pod for each node.
//!
//! What the operators set: Trainer and the PyTorchJob controller give each pod PET_NNODES, PET_NPROC_PER_NODE, PET_NODE_RANK, PET_MASTER_ADDR
//! and PET_MASTER_PORT, which torchrun reads, and the PyTorchJob controller RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT as well (kubeflow/trainer `pkg/runtime/framework/plugins/torch/torch.go`, kubeflow/training-operator
//! `pkg/controller.v1/pytorch/envvar.go`). JobSet gives an index alone. Of Trainer's runtimes `torch-distributed` is known, which asks for one
//! node and mounts nothing (`manifests/base/runtimes/torch_distributed.yaml`).

use super::launcher::{self, Kind};
use super::schema;
use super::shell::{Arg, Env, Reach, Shell, UNKNOWN, known};
use super::verdict::{Fault, Launch};
use super::world::{PORT, Task, World, host};
use super::yaml::{self, Node};
use crate::query::shorten;

/// The queue that the cluster has.
pub const QUEUE: &str = "team-a";

/// The image that was pushed again under its old name: the first node still has the one of yesterday.
const MOVED: &str = "train:dev";
/// Most pods that are followed.
const MOST_PODS: u64 = 512;

/// A text that is a manifest.
pub fn is_manifest(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("kind:") || line.starts_with("apiVersion:"))
}

/// What a manifest says of a launch.
struct Job<'a> {
    /// Pods, and where that is said.
    nodes: u64,
    nodes_line: usize,
    /// The container's resources, if it has any.
    resources: Option<&'a Node>,
    /// What has its image, command and variables.
    container: Option<&'a Node>,
    /// Pods whose volumes and mounts count.
    pods: Vec<&'a Node>,
    /// Whether the operator sets variables that torchrun reads.
    sets: bool,
    /// Whether an operator sets RANK and WORLD_SIZE, too.
    ranks: bool,
    /// Processes of each pod.
    nproc: Option<&'a Node>,
    /// Whether a runtime that is not here may say more.
    elsewhere: bool,
}

/// What a manifest launches.
pub fn launch(text: &str, world: World) -> Launch {
    let mut launch = Launch { stepped: true, kubernetes: true, ..Launch::default() };
    let documents = match yaml::read(text) {
        Ok(documents) => documents,
        Err((line, why)) => {
            launch.remark(line, why);
            launch.fail(Fault::UnreadManifest, line);
            return launch;
        }
    };
    let kind = |node: &Node| node.get("kind").and_then(Node::text).unwrap_or("").to_owned();
    let Some(document) = documents.iter().find(|node| schema::is_known(node)) else {
        let named = documents.iter().find_map(|node| node.get("kind"));
        let line = named.map_or(1, |node| node.line);
        let group = documents.iter().find_map(|node| node.get("apiVersion")).and_then(Node::text).unwrap_or("");
        let name = shorten(named.and_then(Node::text).unwrap_or(""));
        // Volcano has a Job, too.
        let name = if schema::is_kind(&name) { format!("{name} of {}", shorten(group)) } else { name };
        launch.remark(line, format!("The kind “{name}” is not known here: TrainJob, PyTorchJob, JobSet and Job are."));
        launch.fail(Fault::UnreadManifest, line);
        return launch;
    };
    let kind = kind(document);
    if let Some((line, path, why)) = schema::check(document, &kind, "") {
        launch.detail = format!("strict decoding error: unknown field \"{path}\"");
        launch.remark(line, why);
        launch.fail(Fault::BadManifest, line);
        return launch;
    }
    let label = document.at("metadata.labels").and_then(|labels| labels.get("kueue.x-k8s.io/queue-name"));
    if let Some((name, line)) = label
        .and_then(|node| node.text().map(|name| (name, node.line)))
        .filter(|(name, _)| known(name) && *name != QUEUE)
    {
        name.clone_into(&mut launch.detail);
        launch.remark(line, format!("There is no LocalQueue “{}” in this namespace: {QUEUE} is one.", shorten(name)));
        launch.fail(Fault::NoQueue, line);
        return launch;
    }
    let Some(job) = job(document, &kind, &mut launch) else { return launch };
    start(&job, world, &mut launch);
    launch
}

/// A whole number, as large as it can be where it is larger.
fn number(node: Option<&Node>, default: u64) -> u64 {
    let Some(text) = node.and_then(Node::text) else { return default };
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().unwrap_or(if digits { u64::MAX } else { default })
}

/// What a document says, by its kind; none where that is not known, which is noted.
fn job<'a>(document: &'a Node, kind: &str, launch: &mut Launch) -> Option<Job<'a>> {
    let spec = document.get("spec");
    let at = |path: &str| spec.and_then(|spec| spec.at(path));
    if kind == "TrainJob" {
        let runtime = at("runtimeRef.name");
        let known = runtime.and_then(Node::text) == Some("torch-distributed");
        if !known {
            let line = runtime.map_or(1, |node| node.line);
            launch.unread(
                line,
                Reach::Variables,
                "What this runtime says besides is not here; torch-distributed is known.",
            );
        }
        let nodes = at("trainer.numNodes");
        if nodes.is_none() && !known {
            let line = runtime.map_or(1, |node| node.line);
            launch.unread(
                line,
                Reach::Everything,
                "How many nodes there are is said by the runtime, which is not here: numNodes.",
            );
            return None;
        }
        let overrides = at("podTemplateOverrides").map_or(&[][..], Node::items);
        return Some(Job {
            nodes: number(nodes, 1),
            nodes_line: nodes.map_or(0, |node| node.line),
            resources: at("trainer.resourcesPerNode"),
            container: at("trainer"),
            pods: overrides.iter().filter_map(|one| one.get("spec")).collect(),
            sets: true,
            ranks: false,
            nproc: at("trainer.numProcPerNode"),
            elsewhere: !known,
        });
    }
    let (template, nodes, nodes_line) = match kind {
        "PyTorchJob" => {
            let (master, worker) = (at("pytorchReplicaSpecs.Master"), at("pytorchReplicaSpecs.Worker"));
            if let Some(elastic) = at("elasticPolicy") {
                launch.unread(elastic.line, Reach::Everything, "An elastic PyTorchJob is not followed here.");
                return None;
            }
            let count = |replica: Option<&'a Node>| replica.map_or(0, |r| number(r.get("replicas"), 1));
            let line = worker.or(master).and_then(|r| r.get("replicas")).map_or(0, |node| node.line);
            (master.or(worker).and_then(|r| r.get("template")), count(master).saturating_add(count(worker)), line)
        }
        "JobSet" => {
            let jobs = at("replicatedJobs").map_or(&[][..], Node::items);
            if jobs.len() > 1 {
                let line = jobs.get(1).map_or(1, |node| node.line);
                launch.unread(line, Reach::Everything, "A JobSet of several jobs is not followed here.");
                return None;
            }
            let first = jobs.first();
            let inner = first.and_then(|job| job.at("template.spec"));
            let pods = inner.and_then(|spec| spec.get("parallelism").or(spec.get("completions")));
            let replicas = first.and_then(|job| job.get("replicas"));
            let line = pods.or(replicas).map_or(0, |node| node.line);
            (inner.and_then(|spec| spec.get("template")), number(pods, 1).saturating_mul(number(replicas, 1)), line)
        }
        _ => {
            let pods = at("completions").or(at("parallelism"));
            (at("template"), number(pods, 1), pods.map_or(0, |node| node.line))
        }
    };
    let pod = template.and_then(|template| template.get("spec"));
    let containers = pod.and_then(|pod| pod.get("containers")).map_or(&[][..], Node::items);
    if containers.len() > 1 {
        let line = containers.get(1).map_or(1, |node| node.line);
        launch.unread(line, Reach::Nothing, "The first container is taken to be the one that trains.");
    }
    let container = containers.first();
    Some(Job {
        nodes,
        nodes_line,
        resources: container.and_then(|container| container.get("resources")),
        container,
        pods: pod.into_iter().collect(),
        sets: kind == "PyTorchJob",
        ranks: kind == "PyTorchJob",
        nproc: at("nprocPerNode"),
        elsewhere: false,
    })
}

/// The pods with GPUs that manifests ask for.
pub(crate) struct Size {
    /// Pods that work together, and GPUs of each.
    pub(crate) pods: u64,
    pub(crate) gpus: u64,
    /// How many such groups there are.
    pub(crate) copies: u64,
    /// Where the GPUs are asked for.
    pub(crate) line: usize,
}

/// The pods with GPUs of all documents.
///
/// # Errors
/// The line of pods that differ from others, or whose number the manifest leaves open, and why nothing is said then.
pub(crate) fn size(documents: &[Node]) -> Result<Option<Size>, (usize, &'static str)> {
    const OPEN: &str = "how many there are isn’t fixed, or a variable says it";
    const MIXED: &str = "its pods have different numbers of GPUs, or several things are asked for";
    let mut all: Option<Size> = None;
    for document in documents {
        let copies = match document.get("kind").and_then(Node::text) {
            Some("LeaderWorkerSet" | "Deployment" | "StatefulSet") => Some(document.at("spec.replicas")),
            _ => None,
        };
        let whole = |node: Option<&Node>| match node {
            None => Ok(1),
            Some(node) => node.text().and_then(|text| text.parse::<u64>().ok()).ok_or((node.line, OPEN)),
        };
        let cluster = ["spec.rayClusterSpec", "spec.rayClusterConfig", "spec"].into_iter().find_map(|path| {
            let cluster = document.at(path)?;
            cluster.get("workerGroupSpecs").map(|workers| (cluster, workers))
        });
        if let Some((cluster, workers)) = cluster
            && cluster.get("enableInTreeAutoscaling").and_then(Node::text) == Some("true")
            && workers.items().iter().any(|group| {
                let [least, most] = ["minReplicas", "maxReplicas"].map(|name| group.get(name).and_then(Node::text));
                least != most
            })
        {
            return Err((workers.line, OPEN));
        }
        let mut sum: Option<Size> = None;
        for (counts, less, template) in groups(document) {
            let limits = |container: &'_ Node| {
                let resources = container.get("resources").or(container.get("resourcesPerNode"))?;
                let of = |list: &str| {
                    resources.get(list).and_then(|list| list.get("nvidia.com/gpu").or(list.get("amd.com/gpu")))
                };
                of("limits").or(of("requests")).cloned()
            };
            let spec = template.get("spec").unwrap_or(template);
            let containers = spec.get("containers").map_or(std::slice::from_ref(template), Node::items);
            for node in containers.iter().filter_map(limits) {
                let (mut pods, gpus) = (1_u64, whole(Some(&node))?);
                for count in counts.iter().flatten() {
                    pods = pods.saturating_mul(whole(Some(count))?);
                }
                pods = pods.saturating_sub(less);
                if gpus == 0 || pods == 0 {
                    continue;
                }
                match &mut sum {
                    Some(sum) if sum.gpus != gpus => return Err((node.line, MIXED)),
                    Some(sum) => sum.pods = sum.pods.saturating_add(pods),
                    None => sum = Some(Size { pods, gpus, copies: whole(copies.flatten())?, line: node.line }),
                }
            }
        }
        match (&all, sum) {
            (Some(_), Some(sum)) => return Err((sum.line, MIXED)),
            (None, sum) => all = sum,
            (Some(_), None) => {}
        }
    }
    Ok(all)
}

/// The template of some of a document's pods, with the numbers whose product says how many there are, and how many of them are others'.
type Group<'a> = (Vec<Option<&'a Node>>, u64, &'a Node);

fn groups(document: &Node) -> Vec<Group<'_>> {
    let at = |path: &str| document.at(path);
    let items = |path: &str| at(path).map_or(&[][..], Node::items);
    let kinds = |path: &str| match at(path).map(|node| &node.value) {
        Some(yaml::Value::Map(entries)) => entries.iter().map(|(.., node)| node).collect(),
        _ => Vec::new(),
    };
    match document.get("kind").and_then(Node::text).unwrap_or_default() {
        "LeaderWorkerSet" => {
            let template = |name: &str| at("spec.leaderWorkerTemplate").and_then(|group| group.get(name));
            let size = at("spec.leaderWorkerTemplate.size");
            let leader = template("leaderTemplate").map(|leader| (Vec::new(), 0, leader));
            let less = u64::from(leader.is_some());
            leader.into_iter().chain(template("workerTemplate").map(|worker| (vec![size], less, worker))).collect()
        }
        "MPIJob" | "PyTorchJob" => {
            let replicas = [kinds("spec.mpiReplicaSpecs"), kinds("spec.pytorchReplicaSpecs")].concat();
            replicas.into_iter().filter_map(|r| Some((vec![r.get("replicas")], 0, r.get("template")?))).collect()
        }
        "RayJob" | "RayCluster" | "RayService" => {
            let cluster = at("spec.rayClusterSpec").or(at("spec.rayClusterConfig")).or(at("spec"));
            let head =
                cluster.and_then(|cluster| cluster.at("headGroupSpec.template")).map(|head| (Vec::new(), 0, head));
            let workers = cluster.and_then(|cluster| cluster.get("workerGroupSpecs")).map_or(&[][..], Node::items);
            let worker = |w| Some((vec![Node::get(w, "replicas"), w.get("numOfHosts")], 0, w.get("template")?));
            head.into_iter().chain(workers.iter().filter_map(worker)).collect()
        }
        "JobSet" => {
            let job = |job| {
                let spec = Node::at(job, "template.spec")?;
                Some((vec![job.get("replicas"), spec.get("parallelism")], 0, spec.get("template")?))
            };
            items("spec.replicatedJobs").iter().filter_map(job).collect()
        }
        // Volcano's has tasks.
        "Job" => {
            let tasks =
                items("spec.tasks").iter().filter_map(|t| Some((vec![t.get("replicas")], 0, t.get("template")?)));
            let pods = at("spec.template").map(|template| (vec![at("spec.parallelism")], 0, template));
            tasks.chain(pods).collect()
        }
        "TrainJob" => {
            at("spec.trainer").into_iter().map(|trainer| (vec![trainer.get("numNodes")], 0, trainer)).collect()
        }
        "Deployment" | "StatefulSet" => at("spec.template").into_iter().map(|pod| (Vec::new(), 0, pod)).collect(),
        "Pod" => vec![(Vec::new(), 0, document)],
        _ => Vec::new(),
    }
}

/// Whether a pod has /dev/shm of its own, or that of its node.
fn has_memory(job: &Job<'_>) -> bool {
    job.pods.iter().any(|pod| {
        let at_shm = |mount: &&Node| {
            mount.get("mountPath").and_then(Node::text).is_some_and(|path| path.trim_end_matches('/') == "/dev/shm")
        };
        let containers = pod.get("containers").map_or(&[][..], Node::items);
        let mounts = containers.iter().filter_map(|c| c.get("volumeMounts")).flat_map(Node::items);
        let volumes = pod.get("volumes").map_or(&[][..], Node::items);
        let names: Vec<&str> =
            mounts.filter(at_shm).filter_map(|mount| mount.get("name").and_then(Node::text)).collect();
        let is_there =
            |name: &&str| volumes.iter().any(|volume| volume.get("name").and_then(Node::text) == Some(*name));
        names.iter().any(is_there) || pod.get("hostIPC").and_then(Node::text) == Some("true")
    })
}

fn start(job: &Job<'_>, world: World, launch: &mut Launch) {
    let of = |which: &str| job.resources.and_then(|r| r.get(which)).and_then(|list| list.get("nvidia.com/gpu"));
    let (limit, request) = (of("limits"), of("requests"));
    if let (Some(request), None) = (request, limit) {
        launch.detail = "GPUs are asked for under limits; a request alone is refused: Limit must be set for non overcommitable resources.".into();
        let detail = launch.detail.clone();
        launch.remark(request.line, detail);
        return launch.fail(Fault::BadManifest, request.line);
    }
    if job.resources.is_none() && job.elsewhere {
        return launch.unread(
            1,
            Reach::Everything,
            "How many GPUs a pod has is said by the runtime, which is not here: resourcesPerNode.",
        );
    }
    let gpus = number(limit, 0);
    launch.gpus_asked = gpus > 0;
    if gpus > world.gpus || job.nodes > world.nodes {
        let line = if gpus > world.gpus { limit.map_or(0, |node| node.line) } else { job.nodes_line };
        return launch.fail(Fault::Unschedulable, line);
    }
    if job.nodes > MOST_PODS {
        return launch.unread(
            job.nodes_line,
            Reach::Everything,
            format!("More than {MOST_PODS} pods are not followed here."),
        );
    }
    let mut batch = Env::default();
    for variable in job.container.and_then(|c| c.get("env")).map_or(&[][..], Node::items) {
        let Some(name) = variable.get("name").and_then(Node::text) else { continue };
        let value = variable.get("value").and_then(Node::text);
        let is_elsewhere = variable.get("valueFrom").is_some();
        let value = value.map_or_else(|| if is_elsewhere { UNKNOWN.to_string() } else { String::new() }, str::to_owned);
        batch.set(name, value, true, variable.line);
    }
    batch.open = job.container.is_some_and(|c| c.get("envFrom").is_some());
    let Some(words) = command(job, &batch, launch) else { return };
    let line = words.first().map_or(1, |word| word.line);
    let nproc = match job.nproc.and_then(Node::text) {
        None | Some("auto" | "gpu") => gpus.max(1).to_string(),
        Some(text) => text.to_owned(),
    };
    let tasks: Vec<Task> = (0..job.nodes)
        .map(|node| {
            let mut env = batch.clone();
            env.node = node;
            let own: &[(&str, String)] = &[
                ("PET_NNODES", job.nodes.to_string()),
                ("PET_NPROC_PER_NODE", nproc.clone()),
                ("PET_NODE_RANK", node.to_string()),
                ("PET_MASTER_ADDR", host(0)),
                ("PET_MASTER_PORT", PORT.to_owned()),
            ];
            for (name, value) in own.iter().filter(|_| job.sets) {
                env.set(name, value.clone(), true, 0);
            }
            // With several processes on a node they count those of the node, and torchrun sets them anew.
            let ranks = [
                ("WORLD_SIZE", job.nodes.to_string()),
                ("RANK", node.to_string()),
                ("MASTER_ADDR", host(0)),
                ("MASTER_PORT", PORT.to_owned()),
            ];
            for (name, value) in ranks.into_iter().filter(|_| job.ranks && job.nproc.is_none()) {
                env.set(name, value, true, 0);
            }
            env.set("JOB_COMPLETION_INDEX", node.to_string(), true, 0);
            let small_shm = if has_memory(job) { Some(false) } else { Some(true).filter(|_| !job.elsewhere) };
            Task { node, env, visible: (0..gpus).collect(), small_shm, cpus: None }
        })
        .collect();
    let mut shell = Shell::new(batch, None);
    let kind = launcher::kind(tasks, &words, &mut shell);
    for note in std::mem::take(&mut shell.notes) {
        match note.reach {
            Some(reach) => launch.unread(note.line, reach, note.text),
            None => launch.remark(note.line, note.text),
        }
    }
    match kind {
        Kind::Launch(started) => launcher::make(started, true, line, launch),
        Kind::Harmless => launch.fail(Fault::NothingLaunched, line),
        Kind::Unknown(why) => launch.unread(line, Reach::Everything, why),
    }
    if let Some(line) = stale_image(job) {
        launch.image = line;
        launch.processes.iter_mut().for_each(|p| p.older = p.node == 0);
    }
}

/// The words of `command` and `args`; none where they are the image's or the runtime's, which is noted.
fn command(job: &Job<'_>, env: &Env, launch: &mut Launch) -> Option<Vec<Arg>> {
    let container = job.container;
    let part = |name: &str| container.and_then(|c| c.get(name)).map_or(&[][..], Node::items);
    let mut words = Vec::new();
    for node in part("command").iter().chain(part("args")) {
        let text = node.text().unwrap_or("");
        words.push(Arg { text: filled(text, env), line: node.line });
    }
    if part("command").is_empty() {
        let line = container.map_or(1, |c| c.line);
        launch.unread(
            line,
            Reach::Everything,
            "What starts is said by the image or the runtime, which is not here: command.",
        );
        return None;
    }
    Some(words)
}

/// A word in which the kubelet replaces `$(NAME)` (kubernetes/kubernetes `third_party/forked/golang/expansion`).
fn filled(text: &str, env: &Env) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(") {
        out.push_str(before);
        match after.split_once(')') {
            Some((name, after)) if env.exported(name).is_some() => {
                out.push_str(env.exported(name).unwrap_or_default());
                rest = after;
            }
            // What is no variable stays as it is.
            _ => {
                out.push_str("$(");
                rest = after;
            }
        }
        if out.len() > super::shell::LONGEST {
            return UNKNOWN.to_string();
        }
    }
    out + rest
}

/// The line of an image that a node may have under the same name from before: a kubelet pulls a tag anew only where it is told to, or where it
/// is `latest` (kubernetes/kubernetes `pkg/apis/core/v1/defaults.go`).
fn stale_image(job: &Job<'_>) -> Option<usize> {
    let container = job.container?;
    let always = container.get("imagePullPolicy").and_then(Node::text) == Some("Always");
    container
        .get("image")
        .filter(|image| !always && image.text().is_some_and(|name| name.ends_with(MOVED)))
        .map(|image| image.line)
}
