//! `kubectl` in a script: which of its commands start something, and which options each has.
//!
//! Commands and options are those that `kubectl help` of v1.32.4 lists. One that is on no list is not known here, and is not called wrong.

use super::launcher::Kind;
use super::outside;
use super::shell::{Arg, Reach, Shell, known};
use crate::query::shorten;

/// A command: its options with a value and those without, each with its letter where it has one.
struct Command {
    name: &'static str,
    valued: &'static str,
    flags: &'static str,
}

const fn command(name: &'static str, valued: &'static str, flags: &'static str) -> Command {
    Command { name, valued, flags }
}

/// What every command has too. A value that may be left out stands behind a `=`, as in `--dry-run=client`, so that option is a flag here.
const ALL: Command = command(
    "",
    "as as-group as-uid cache-dir certificate-authority client-certificate client-key cluster context kubeconfig log-flush-frequency namespace:n \
     password profile profile-output request-timeout server:s tls-server-name token user username v:v vmodule",
    "disable-compression insecure-skip-tls-verify match-server-version warnings-as-errors help:h",
);

const COMMANDS: [Command; 16] = [
    command(
        "apply",
        "field-manager filename:f grace-period kustomize:k output:o prune-allowlist selector:l subresource template timeout",
        "all allow-missing-template-keys cascade dry-run force force-conflicts openapi-patch overwrite prune recursive:R server-side \
         show-managed-fields validate wait",
    ),
    // With those of `create job`.
    command(
        "create",
        "field-manager filename:f kustomize:k output:o raw selector:l template from image",
        "allow-missing-template-keys dry-run edit recursive:R save-config show-managed-fields validate windows-line-endings",
    ),
    command(
        "replace",
        "field-manager filename:f grace-period kustomize:k output:o raw subresource template timeout",
        "allow-missing-template-keys cascade dry-run force recursive:R save-config show-managed-fields validate wait",
    ),
    command(
        "run",
        "annotations env field-manager filename:f grace-period image image-pull-policy kustomize:k labels:l output:o override-type overrides \
         pod-running-timeout port restart template timeout",
        "allow-missing-template-keys attach cascade command dry-run expose force leave-stdin-open privileged quiet:q recursive:R rm save-config \
         show-managed-fields stdin:i tty:t wait",
    ),
    command("exec", "container:c filename:f pod-running-timeout", "quiet:q stdin:i tty:t"),
    command(
        "get",
        "chunk-size field-selector filename:f kustomize:k label-columns:L output:o raw selector:l sort-by subresource template",
        "all-namespaces:A allow-missing-template-keys ignore-not-found no-headers output-watch-events recursive:R server-print show-kind \
         show-labels show-managed-fields watch:w watch-only",
    ),
    command("describe", "chunk-size filename:f kustomize:k selector:l", "all-namespaces:A recursive:R show-events"),
    command(
        "logs",
        "container:c limit-bytes max-log-requests pod-running-timeout selector:l since since-time tail",
        "all-containers all-pods follow:f ignore-errors insecure-skip-tls-verify-backend prefix previous:p timestamps",
    ),
    command(
        "wait",
        "field-selector filename:f for output:o selector:l template timeout",
        "all all-namespaces:A allow-missing-template-keys local recursive:R show-managed-fields",
    ),
    command("cp", "container:c retries", "no-preserve"),
    command(
        "delete",
        "field-selector filename:f grace-period kustomize:k output:o raw selector:l timeout",
        "all all-namespaces:A cascade dry-run force ignore-not-found interactive:i now recursive:R wait",
    ),
    command(
        "events",
        "chunk-size for output:o template types",
        "all-namespaces:A allow-missing-template-keys no-headers show-managed-fields watch:w",
    ),
    command("port-forward", "address pod-running-timeout", ""),
    command(
        "scale",
        "current-replicas filename:f kustomize:k output:o replicas resource-version selector:l template timeout",
        "all allow-missing-template-keys dry-run recursive:R show-managed-fields",
    ),
    command(
        "label",
        "field-manager field-selector filename:f kustomize:k output:o resource-version selector:l template",
        "all all-namespaces:A allow-missing-template-keys dry-run list local overwrite recursive:R show-managed-fields",
    ),
    command(
        "annotate",
        "field-manager field-selector filename:f kustomize:k output:o resource-version selector:l template",
        "all all-namespaces:A allow-missing-template-keys dry-run list local overwrite recursive:R show-managed-fields",
    ),
];

/// Commands that start nothing and whose options aren't listed here.
const OTHERS: &str = "explain top cluster-info cordon uncordon drain taint proxy auth diff kustomize completion api-resources api-versions config \
                      plugin version options help certificate";
/// What `kubectl create` makes by itself that runs nothing.
const MADE: &str = "clusterrole clusterrolebinding configmap cm ingress ing namespace ns poddisruptionbudget pdb priorityclass pc quota role \
                    rolebinding secret service svc serviceaccount sa token";

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|one| one == name)
}

/// What was given: the command's place, its options by name with their values, and its other words.
#[derive(Default)]
struct Given<'a> {
    name: &'a str,
    options: Vec<(&'a str, Option<&'a str>)>,
    words: Vec<&'a str>,
    /// Behind `--`.
    command: &'a [Arg],
    /// The first option that is on no list, with its line.
    unknown: Option<(usize, &'a str)>,
}

impl<'a> Given<'a> {
    fn read(args: &'a [Arg]) -> Self {
        let mut given = Self::default();
        let mut at = 1;
        while let Some(Arg { text, line }) = args.get(at) {
            at += 1;
            let next = args.get(at).map(|arg| arg.text.as_str());
            if text == "--" {
                given.command = args.get(at..).unwrap_or_default();
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                let (typed, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
                match given.find(|name, _| name == typed) {
                    Some((name, true)) if value.is_none() => {
                        given.options.push((name, next));
                        at += 1;
                    }
                    Some((name, _)) => given.options.push((name, value)),
                    None => given.note(*line, text),
                }
            } else if let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                at += usize::from(given.short(letters, next, *line, text));
            } else if given.name.is_empty() {
                given.name = text;
            } else {
                given.words.push(text);
            }
        }
        given
    }

    /// Letters, the last of which may have a value, behind it or as the next word. Whether the next word was one.
    fn short(&mut self, letters: &'a str, next: Option<&'a str>, line: usize, text: &'a str) -> bool {
        for (i, letter) in letters.char_indices() {
            match self.find(|_, short| short.chars().eq([letter])) {
                Some((name, true)) => {
                    let rest = letters.get(i + letter.len_utf8()..).unwrap_or_default();
                    let own = Some(rest.trim_start_matches('=')).filter(|rest| !rest.is_empty());
                    self.options.push((name, own.or(next)));
                    return own.is_none();
                }
                Some((name, false)) => self.options.push((name, None)),
                None => {
                    self.note(line, text);
                    return false;
                }
            }
        }
        false
    }

    /// An option of the command or of all: its name, and whether it has a value.
    fn find(&self, is: impl Fn(&str, &str) -> bool) -> Option<(&'static str, bool)> {
        let own = COMMANDS.iter().find(|command| command.name == self.name);
        own.into_iter().chain([&ALL]).find_map(|command| {
            [(command.valued, true), (command.flags, false)].into_iter().find_map(|(list, valued)| {
                let mut names = list.split_whitespace().map(|one| one.split_once(':').unwrap_or((one, "")));
                names.find(|(name, short)| is(name, short)).map(|(name, _)| (name, valued))
            })
        })
    }

    fn note(&mut self, line: usize, text: &'a str) {
        self.unknown.get_or_insert((line, text));
    }

    fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(own, _)| *own == name)
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        self.options.iter().rev().find(|(own, _)| *own == name).and_then(|(_, value)| *value)
    }
}

/// What a call of `kubectl` is.
pub fn kind(args: &[Arg], shell: &mut Shell) -> Kind {
    let given = Given::read(args);
    let name = given.name;
    if !known(name) {
        return Kind::Unknown("Which command of kubectl this is, is not known here.".to_owned());
    }
    if name.is_empty() || listed(OTHERS, name) || given.has("help") {
        return Kind::Harmless;
    }
    if !COMMANDS.iter().any(|command| command.name == name) {
        return Kind::Unknown(format!("What “kubectl {}” does is not known here.", shorten(name)));
    }
    let unknown = given.unknown.map(|(line, option)| {
        (line, format!("Whether kubectl {name} has the option {} is not known here (1.32).", shorten(option)))
    });
    let starts = matches!(name, "apply" | "create" | "replace" | "run" | "exec");
    // A value that isn't `none` only asks.
    let is_tried = given.has("dry-run") && given.value("dry-run") != Some("none");
    match (starts, unknown) {
        (true, Some((_, why))) => Kind::Unknown(why),
        (false, unknown) => {
            if let Some((line, why)) = unknown {
                shell.unread(line, Reach::Nothing, why);
            }
            Kind::Harmless
        }
        (true, None) if is_tried => Kind::Harmless,
        (true, None) => starting(&given),
    }
}

/// What starts something.
fn starting(given: &Given<'_>) -> Kind {
    let file = given.value("filename").or(given.value("kustomize"));
    let made = given.words.first().copied().unwrap_or_default();
    match (given.name, file) {
        ("exec", _) => {
            let inside = given.command.first().map(|arg| arg.text.as_str()).or(given.words.get(1).copied());
            if inside.is_some_and(outside::harmless) {
                return Kind::Harmless;
            }
            Kind::Unknown(
                "What kubectl exec starts runs in a pod whose GPUs and variables aren’t known here. Paste the pod’s manifest and the command in \
                 two texts."
                    .to_owned(),
            )
        }
        ("run", _) => Kind::Unknown(
            "The pod that kubectl run starts isn’t followed here. Paste its manifest: the same command prints it with --dry-run=client -o yaml."
                .to_owned(),
        ),
        (_, Some("-")) => Kind::Unknown(
            "What kubectl reads from a pipe isn’t followed here. Paste the manifest by itself.".to_owned(),
        ),
        (name, Some(file)) => Kind::Unknown(format!(
            "What “kubectl {name}” starts stands in {}. Paste that manifest by itself.",
            shorten(file)
        )),
        ("create", None) if listed(MADE, made) => Kind::Harmless,
        (name, None) => Kind::Unknown(format!("What “kubectl {name} {}” starts isn’t followed here.", shorten(made))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> (Result<(), String>, usize) {
        let args: Vec<Arg> = line.split(' ').map(|text| Arg { text: text.to_owned(), line: 1 }).collect();
        let mut shell = Shell::default();
        let kind = kind(&args, &mut shell);
        let said = match kind {
            Kind::Harmless => Ok(()),
            Kind::Unknown(why) => Err(why),
            Kind::Launch(_) => Err("a launch".to_owned()),
        };
        (said, shell.notes.len())
    }

    #[test]
    fn what_only_looks_starts_nothing() {
        for line in [
            "kubectl get pods -n ml -o wide",
            "kubectl -n ml get pods -owide --no-headers",
            "kubectl logs -f train-0 --tail=100 -c pytorch",
            "kubectl wait --for=condition=complete job/train --timeout=2h",
            "kubectl delete job train --ignore-not-found",
            "kubectl apply -f job.yaml --dry-run=server",
            "kubectl create namespace ml",
            "kubectl exec -it train-0 -- nvidia-smi",
            "kubectl config use-context big",
            "kubectl version --client",
            "kubectl run --help",
        ] {
            assert_eq!(of(line), (Ok(()), 0), "{line}");
        }
    }

    #[test]
    fn what_starts_something_asks_for_the_manifest() {
        for (line, says) in [
            ("kubectl apply -f job.yaml", "stands in job.yaml"),
            ("kubectl --context=big apply --server-side -Rf jobs/", "stands in jobs/"),
            ("kubectl create -f -", "from a pipe"),
            ("kubectl run train --image=x -it --rm -- torchrun train.py", "--dry-run=client"),
            ("kubectl exec -it train-0 -- torchrun train.py", "in a pod"),
            ("kubectl create job train --image=x", "create job"),
            ("kubectl apply -f job.yaml --dry-run=none", "stands in"),
            ("kubectl sniff pod", "is not known here"),
        ] {
            let (said, _) = of(line);
            assert!(said.as_ref().is_err_and(|why| why.contains(says)), "{line}: {said:?}");
        }
    }

    #[test]
    fn an_option_that_is_not_known_is_not_called_wrong() {
        let (said, _) = of("kubectl apply -f job.yaml --hurry");
        assert_eq!(said, Err("Whether kubectl apply has the option --hurry is not known here (1.32).".to_owned()));
        assert_eq!(of("kubectl get pods --hurry"), (Ok(()), 1));
        assert_eq!(of("kubectl logs -fZ train-0"), (Ok(()), 1));
    }
}
