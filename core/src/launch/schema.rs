//! Fields of the manifests that are known, as the API server checks them: a field that a kind does not have is refused, not passed over.
//!
//! From kubeflow/trainer `pkg/apis/trainer/v1alpha1/trainjob_types.go` (2.1, and `runtimePatches` of what follows it), kubeflow/training-operator
//! `pkg/apis/kubeflow.org/v1` (PyTorchJob), kubernetes-sigs/jobset `api/jobset/v1alpha2`, kubernetes/api `batch/v1` and `core/v1` (1.34), and
//! ai-dynamo/dynamo `deploy/operator/api/v1beta1` (0fddc01 and 006b6e1), which is written here and not read.

use super::shell::known;
use super::yaml::{Node, Value};
use crate::query::{did_you_mean, shorten};

/// A type, and its fields: each a name, and behind a colon its type; `*` for a list of it. A field without a type may be anything.
const TYPES: [(&str, &str); 32] = [
    ("TrainJob", "apiVersion kind metadata:Meta spec:TrainJobSpec status"),
    (
        "TrainJobSpec",
        "runtimeRef:RuntimeRef initializer:Initializer trainer:Trainer labels annotations podTemplateOverrides:*PodOverride runtimePatches \
         suspend managedBy activeDeadlineSeconds",
    ),
    ("RuntimeRef", "name apiGroup kind"),
    ("Initializer", "dataset model"),
    ("Trainer", "image command args env:*EnvVar numNodes resourcesPerNode:Resources numProcPerNode"),
    ("PodOverride", "targetJobs:*Named metadata:Meta spec:PodSpecOverride"),
    ("Named", "name"),
    (
        "PodSpecOverride",
        "serviceAccountName nodeSelector affinity tolerations volumes:*Volume initContainers:*ContainerOverride containers:*ContainerOverride \
         schedulingGates imagePullSecrets",
    ),
    ("ContainerOverride", "name env:*EnvVar volumeMounts:*VolumeMount"),
    ("PyTorchJob", "apiVersion kind metadata:Meta spec:PyTorchJobSpec status"),
    ("PyTorchJobSpec", "runPolicy:RunPolicy elasticPolicy pytorchReplicaSpecs:Replicas nprocPerNode"),
    (
        "RunPolicy",
        "cleanPodPolicy ttlSecondsAfterFinished activeDeadlineSeconds backoffLimit schedulingPolicy suspend managedBy",
    ),
    ("Replicas", "Master:Replica Worker:Replica"),
    ("Replica", "replicas template:PodTemplate restartPolicy"),
    ("JobSet", "apiVersion kind metadata:Meta spec:JobSetSpec status"),
    (
        "JobSetSpec",
        "replicatedJobs:*ReplicatedJob network successPolicy failurePolicy startupPolicy suspend coordinator managedBy ttlSecondsAfterFinished \
         volumeClaimPolicies",
    ),
    ("ReplicatedJob", "name groupName replicas template:JobTemplate dependsOn"),
    ("JobTemplate", "metadata:Meta spec:JobSpec"),
    ("Job", "apiVersion kind metadata:Meta spec:JobSpec status"),
    (
        "JobSpec",
        "parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector \
         manualSelector template:PodTemplate ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy",
    ),
    ("PodTemplate", "metadata:Meta spec:PodSpec"),
    (
        "Meta",
        "name generateName namespace labels annotations finalizers ownerReferences uid resourceVersion generation creationTimestamp \
         deletionTimestamp deletionGracePeriodSeconds managedFields selfLink",
    ),
    (
        "PodSpec",
        "volumes:*Volume initContainers:*Container containers:*Container ephemeralContainers restartPolicy terminationGracePeriodSeconds \
         activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID \
         hostIPC shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases \
         priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead \
         topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources:Resources hostnameOverride \
         schedulingGroup workloadRef",
    ),
    (
        "Container",
        "name image command args workingDir ports envFrom env:*EnvVar resources:Resources resizePolicy restartPolicy restartPolicyRules \
         volumeMounts:*VolumeMount volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath \
         terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
    ),
    ("EnvVar", "name value valueFrom"),
    ("Resources", "limits requests claims"),
    ("VolumeMount", "name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr"),
    (
        "Volume",
        "name hostPath emptyDir:EmptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs persistentVolumeClaim rbd \
         flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap vsphereVolume quobyte azureDisk photonPersistentDisk projected \
         portworxVolume scaleIO storageos csi ephemeral image",
    ),
    ("EmptyDir", "medium sizeLimit"),
    ("DynamoGraphDeployment", "apiVersion kind metadata:Meta spec:DynamoGraphDeploymentSpec status"),
    (
        "DynamoGraphDeploymentSpec",
        "providerOverride annotations labels priorityClassName components:*DynamoComponent env:*EnvVar backendFramework restart \
         topologyConstraint experimental",
    ),
    (
        "DynamoComponent",
        "providerOverride name type runtimeVersionOverride globalDynamoNamespace podTemplate:PodTemplate replicas minAvailable multinode roles \
         sharedMemorySize modelRef scalingAdapter eppConfig frontendSidecar dynamoSidecar compilationCache topologyConstraint experimental",
    ),
];

/// Whether a kind is known.
pub fn is_kind(name: &str) -> bool {
    group(name).is_some()
}

/// The group that a kind is of.
fn group(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "TrainJob" => "trainer.kubeflow.org",
        "PyTorchJob" => "kubeflow.org",
        "JobSet" => "jobset.x-k8s.io",
        "Job" => "batch",
        _ => return None,
    })
}

/// Whether a document is of a kind and a group that are known here; one without a group is taken to be of it.
pub fn is_known(node: &Node) -> bool {
    let text = |name: &str| node.get(name).and_then(Node::text);
    let own = text("apiVersion").map(|version| version.split('/').next().unwrap_or_default());
    text("kind").and_then(group).is_some_and(|group| own.is_none_or(|own| own == group || !super::shell::known(own)))
}

fn fields(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|(one, _)| *one == name).map(|(_, fields)| *fields)
}

/// The first field that a type does not have, or that is a list where it has none: its line, its path, and a sentence.
pub fn check(node: &Node, name: &str, path: &str) -> Option<(usize, String, String)> {
    let list = fields(name)?;
    let names: Vec<&str> = list.split_whitespace().map(|f| f.split(':').next().unwrap_or(f)).collect();
    let Value::Map(entries) = &node.value else {
        // Nothing at all is as if the field were left out, and a text that may go on may be the beginning of a field.
        let is_open = matches!(&node.value, Value::Text(text) if text.is_empty() || !known(text));
        return (!is_open).then(|| {
            (node.line, path.to_owned(), format!("{path} must have fields: {}.", shorten(&names.join(", "))))
        });
    };
    for (key, line, value) in entries {
        let here = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let found =
            list.split_whitespace().map(|f| f.split_once(':').unwrap_or((f, ""))).find(|(field, _)| field == key);
        let Some((_, inner)) = found else {
            let parent = if path.is_empty() { name } else { path };
            let why = format!("{} has no field “{}”{}.", shorten(parent), shorten(key), did_you_mean(key, &names));
            return Some((*line, here, why));
        };
        let wrong = match (inner.strip_prefix('*'), &value.value) {
            (_, _) if inner.is_empty() => None,
            (Some(item), Value::List(items)) => {
                items.iter().enumerate().find_map(|(i, item_node)| check(item_node, item, &format!("{here}[{i}]")))
            }
            (Some(_), Value::Text(text)) if text.is_empty() || !known(text) => None,
            (Some(_), _) => Some((*line, here.clone(), format!("{here} must be a list: each item begins with “- ”."))),
            (None, Value::List(_)) => Some((*line, here.clone(), format!("{here} must have fields, and is a list."))),
            (None, _) => check(value, inner, &here),
        };
        if wrong.is_some() {
            return wrong;
        }
    }
    None
}
