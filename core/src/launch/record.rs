//! What of a run is recorded so that it can be found and repeated: a checklist that the launch itself fills.
//!
//! The items are those that people miss when they repeat a run; what counts is read from the script or the manifest, as far as it says so.
//! MLflow's client notes the commit of a script that lies in a Git repository (mlflow/mlflow `mlflow/tracking/context/git_context.py`),
//! and train.py here logs its merged configuration, its metrics and its seed where `MLFLOW_TRACKING_URI` is set. `scontrol write
//! batch_script` and `dvc checkout` are as in Slurm's and DVC's manuals.

use super::params::Params;
use super::verdict::Launch;
use super::world::host;
use crate::options;
use crate::query::shorten;

/// Whether an item is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is.
    Recorded,
    /// Something is, and not enough.
    Partly,
    /// Nothing is.
    Missing,
}

options!(Kept {
    Recorded: "recorded", "recorded";
    Partly: "partly", "in part";
    Missing: "missing", "missing";
});

/// An item of the checklist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is about.
    pub name: &'static str,
    /// Whether it is there.
    pub kept: Kept,
    /// What the run says of it; empty where it says nothing.
    pub found: String,
    /// The line that says so; 0 for none.
    pub line: usize,
    /// What is missing and how to record it; empty where nothing is.
    pub advice: &'static str,
}

/// The lines of a script that do something, with their numbers.
struct Script<'a>(Vec<(usize, &'a str)>);

impl<'a> Script<'a> {
    fn of(text: &'a str) -> Self {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        Self(lines.filter(|(_, line)| !line.starts_with('#') || line.starts_with("#SBATCH")).collect())
    }

    /// The first line with one of these words.
    fn find(&self, words: &[&str]) -> Option<(usize, &'a str)> {
        self.0.iter().copied().find(|(_, line)| words.iter().any(|word| line.contains(word)))
    }
}

fn item(name: &'static str, kept: Kept, at: Option<(usize, &str)>, advice: &'static str) -> Item {
    let (line, text) = at.unwrap_or((0, ""));
    Item { name, kept, found: shorten(text.trim_end_matches('\\').trim()), line, advice }
}

const MLFLOW: [&str; 1] = ["MLFLOW_TRACKING_URI"];

fn code(script: &Script<'_>) -> Item {
    let commit =
        script.find(&["git rev-parse", "git log -1", "git describe", "git checkout "]).or(script.find(&MLFLOW));
    let changes = script.find(&["git diff", "git status --porcelain"]);
    match (commit, changes) {
        (Some(_), Some(_)) => item("code", Kept::Recorded, commit, ""),
        (Some(_), None) => item(
            "code",
            Kept::Partly,
            commit,
            "The commit is known, what was not committed is not: git diff HEAD > $run/diff.",
        ),
        (None, _) => item(
            "code",
            Kept::Missing,
            None,
            "Nothing says which commit ran: git rev-parse HEAD > $run/commit, or a tracking server that notes it.",
        ),
    }
}

fn environment(script: &Script<'_>) -> Item {
    let image = script.find(&["--container-image", "image:"]);
    let listed = script.find(&["pip freeze", "pip list", "conda env export", "conda list", "uv.lock"]);
    match (image, listed) {
        (Some((_, line)), _) if line.contains("@sha256:") => item("environment", Kept::Recorded, image, ""),
        (Some(_), _) => item(
            "environment",
            Kept::Partly,
            image,
            "A tag can be pushed again and name another image: write the digest, @sha256:….",
        ),
        (None, Some(_)) => item(
            "environment",
            Kept::Partly,
            listed,
            "Python’s packages are known, with the CUDA and NCCL that pip installed. The driver, and libraries from modules or \
             LD_LIBRARY_PATH, are not: name an image by its digest, and note the driver.",
        ),
        (None, None) => {
            item("environment", Kept::Missing, None, "Whatever is installed runs: use an image, named by its digest.")
        }
    }
}

fn data(script: &Script<'_>) -> Item {
    let version =
        script.find(&["dvc pull", "dvc checkout", "dvc repro", "dvc get", "dvc import", "--data-rev", "--data-sha"]);
    let path = script.find(&["--data", "--dataset", "--train-data"]);
    match (version, path) {
        (Some(_), _) => item("data", Kept::Recorded, version, ""),
        (None, Some(_)) => item(
            "data",
            Kept::Partly,
            path,
            "A path says where, and not what lies there today: dvc checkout takes the version that the commit names.",
        ),
        (None, None) => item("data", Kept::Missing, None, "Nothing names the data: dvc checkout, or a hash of it."),
    }
}

fn configuration(script: &Script<'_>) -> Item {
    let merged = script.find(&["--dump-config", "--save-config"]).or(script.find(&MLFLOW));
    let file = script.find(&["--config", " --conf=", " --conf "]);
    match (merged, file) {
        (Some(_), _) => item("configuration", Kept::Recorded, merged, ""),
        (None, Some(_)) => item(
            "configuration",
            Kept::Partly,
            file,
            "The file is named. What defaults and the command line made of it is not: let the program write what it merged.",
        ),
        (None, None) => item(
            "configuration",
            Kept::Missing,
            None,
            "All values are defaults of the code: let the program write what it merged.",
        ),
    }
}

fn launched(script: &Script<'_>, l: &Launch) -> Item {
    let kept = script.find(&["write batch_script", "cp $0", "cp \"$0\"", "cat $0", "cat \"$0\""]);
    let what = format!("{} processes on {} nodes", l.processes.len(), l.nodes());
    let (state, advice) = match kept {
        Some(_) => (Kept::Recorded, ""),
        None if l.kubernetes => {
            (Kept::Partly, "The manifest is known to the cluster until the job is deleted: keep it with the run.")
        }
        None => (
            Kept::Partly,
            "The script is here. Slurm forgets it with the job: scontrol write batch_script $SLURM_JOB_ID $run/launch.sh.",
        ),
    };
    Item { found: what, ..item("launch", state, kept, advice) }
}

fn place(script: &Script<'_>, l: &Launch) -> Item {
    let says = |line: &str| line.contains("NODELIST") && (line.starts_with("echo") || line.contains('>'));
    let listed = script.0.iter().copied().find(|(_, line)| says(line));
    let nccl = script.find(&["NCCL_DEBUG"]).filter(|_| l.processes.iter().any(|p| p.nccl_debug));
    let hosts = || {
        let mut nodes: Vec<u64> = l.processes.iter().map(|p| p.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.into_iter().map(host).collect::<Vec<_>>().join(", ")
    };
    match listed.or(nccl) {
        Some(at) => Item { found: hosts(), ..item("place", Kept::Recorded, Some(at), "") },
        None => item(
            "place",
            Kept::Missing,
            None,
            "A slow or faulty node is found by its name: echo $SLURM_JOB_NODELIST > $run/hosts, or NCCL_DEBUG=INFO.",
        ),
    }
}

fn randomness(script: &Script<'_>) -> Item {
    match script.find(&["--seed", "SEED="]) {
        Some(at) => item("randomness", Kept::Recorded, Some(at), ""),
        None => item("randomness", Kept::Missing, None, "The seed is whatever the code takes: --seed=1234."),
    }
}

fn outcome(script: &Script<'_>) -> Item {
    let server = script.find(&MLFLOW);
    let files = script.find(&["--output", "--save", "--log-dir", "--checkpoint-dir", "#SBATCH -o"]);
    match (server, files) {
        (Some(_), _) => item("outcome", Kept::Recorded, server, ""),
        (None, Some(_)) => item(
            "outcome",
            Kept::Partly,
            files,
            "There are files. No one finds a run by its loss among them: log metrics and checkpoints to a tracking server.",
        ),
        (None, None) => {
            item("outcome", Kept::Missing, None, "Metrics are lost with the terminal: export MLFLOW_TRACKING_URI=….")
        }
    }
}

/// The checklist of a launch.
pub fn checklist(text: &str, l: &Launch) -> Vec<Item> {
    let script = Script::of(text);
    vec![
        code(&script),
        environment(&script),
        data(&script),
        configuration(&script),
        launched(&script, l),
        place(&script, l),
        randomness(&script),
        outcome(&script),
    ]
}

impl Params {
    /// The checklist of what is launched.
    pub fn record(&self, l: &Launch) -> Vec<Item> {
        checklist(&self.text(), l)
    }

    /// Items in this state.
    pub fn items(&self, l: &Launch, kept: Kept) -> usize {
        self.record(l).iter().filter(|item| item.kept == kept).count()
    }

    /// Whether the run can be repeated: code, environment and data are recorded.
    pub fn repeatable(&self, l: &Launch) -> bool {
        self.record(l).iter().take(3).all(|item| item.kept == Kept::Recorded)
    }

    /// What the checklist says.
    pub fn record_finding(&self, l: &Launch) -> String {
        let items = self.record(l);
        let named = |kept: Kept| {
            items.iter().filter(|item| item.kept == kept).map(|item| item.name).collect::<Vec<_>>().join(", ")
        };
        let recorded = self.items(l, Kept::Recorded);
        let mut said = format!("{recorded} of {} items are recorded.", items.len());
        for (kept, what) in [(Kept::Partly, "In part"), (Kept::Missing, "Missing")] {
            let names = named(kept);
            if !names.is_empty() {
                said.push_str(&format!(" {what}: {names}."));
            }
        }
        said.push_str(if self.repeatable(l) {
            " Code, environment and data are known: the run can be repeated."
        } else {
            " Without code, environment and data it cannot be repeated, whatever else is logged."
        });
        said
    }
}

#[cfg(test)]
mod tests {
    use super::super::Case;
    use super::*;
    use crate::declare::Model as _;

    fn kept(p: &Params) -> Vec<(&'static str, Kept)> {
        p.record(&p.launch()).into_iter().map(|item| (item.name, item.kept)).collect()
    }

    #[test]
    fn a_run_that_is_recorded_trains_and_one_that_is_not_says_what_is_missing() {
        let p = Params { case: Case::Recorded, ..Params::standard() };
        assert_eq!(p.launch().fault, None, "{}", p.text());
        assert!(kept(&p).iter().all(|(_, kept)| *kept == Kept::Recorded), "{:?}", p.record(&p.launch()));
        assert!(p.repeatable(&p.launch()));
        let p = Params { case: Case::Torchrun, ..Params::standard() };
        let expected = [
            ("code", Kept::Missing),
            ("environment", Kept::Missing),
            ("data", Kept::Missing),
            ("configuration", Kept::Missing),
            ("launch", Kept::Partly),
            ("place", Kept::Recorded),
            ("randomness", Kept::Missing),
            ("outcome", Kept::Missing),
        ];
        assert_eq!(kept(&p), expected);
    }

    #[test]
    fn each_line_of_the_recorded_run_is_needed() {
        let whole = Params { case: Case::Recorded, ..Params::standard() };
        let text = whole.text();
        for (line, name) in [
            ("git rev-parse HEAD", "environment"),
            ("git diff HEAD", "code"),
            ("dvc checkout", "data"),
            ("@sha256:", "environment"),
            ("--seed=1234", "randomness"),
            ("scontrol write", "launch"),
        ] {
            assert!(text.contains(line), "{line}");
            let script = super::super::Script(text.replace(line, "true"));
            let p = Params { script, ..whole.clone() };
            let lost =
                kept(&p).iter().filter(|(_, kept)| *kept != Kept::Recorded).map(|(name, _)| *name).collect::<Vec<_>>();
            // MLflow's client notes the commit as well.
            assert_eq!(lost, if line == "git rev-parse HEAD" { Vec::new() } else { vec![name] }, "{line}");
        }
    }
}
