//! Options of `sbatch` and `srun`: which there are, which take a value, and what those say that decide where a job runs.
//!
//! The lists are those of SchedMD/slurm `src/common/slurm_opt.c` at 284c3b95 (26.05, with what is new in 26.11), and of the container plugin
//! pyxis (NVIDIA/pyxis, README). Sites add options of their own by plugins, so an option that is on no list is not known here, and is not called wrong.

use super::time;
use crate::query::{did_you_mean, shorten};

/// Who reads an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// `sbatch`, and the `#SBATCH` lines of a script.
    Sbatch,
    /// `srun`.
    Srun,
}

impl Program {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sbatch => "sbatch",
            Self::Srun => "srun",
        }
    }
}

/// Whether an option takes a value: as `getopt_long` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Value,
    /// Behind `=`, or none.
    Perhaps,
    Nothing,
}

/// Options: who reads them, whether they take a value, and their names, each with its letter where it has one.
const LISTS: [(Option<Program>, Takes, &str); 9] = [
    (
        None,
        Takes::Value,
        "account:A acctg-freq autocomplete bbf bb begin:b chdir:D cluster-constraint clusters:M cluster comment constraint:C container \
         container-id context core-spec:S cores-per-socket cpu-freq cpus-per-gpu cpus-per-task:c deadline delay-boot dependency:d \
         distribution:m error:e exclude:x export extra extra-node-info:B gpu-bind gpu-freq gpus:G gpus-per-node gpus-per-socket gpus-per-task \
         gres gres-flags hint input:i job-name:J licenses:L mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu mem-update \
         mincpus network nodefile:F nodelist:w nodes:N ntasks:n ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket \
         ntasks-per-tres open-mode output:o partition:p prefer priority profile qos:q reservation resources runtime segment signal \
         sockets-per-node switches tasks-per-node thread-spec threads-per-core time:t time-min tmp tres-bind tres-per-task wckey",
    ),
    (None, Takes::Perhaps, "exclusive nice no-kill:k oom-kill-step propagate resv-ports"),
    (
        None,
        Takes::Nothing,
        "consolidate-segments contiguous help:h hold:H overcommit:O oversubscribe:s parsable quiet:Q reboot spread-job spread-segments stepmgr \
         test-only usage use-min-nodes verbose:v version:V",
    ),
    (Some(Program::Sbatch), Takes::Value, "array:a batch export-file gid kill-on-invalid-dep uid wait-all-nodes wrap"),
    (Some(Program::Sbatch), Takes::Perhaps, "requeue"),
    (Some(Program::Sbatch), Takes::Nothing, "external get-user-env ignore-pbs no-requeue wait:W"),
    (
        Some(Program::Srun),
        Takes::Value,
        "accel-bind bcast-exclude cpu-bind cpu_bind epilog het-group ignore-signals jobid mpi msg-timeout pack-group prolog relative:r \
         slurmd-debug task-epilog task-prolog threads:T treewidth wait:W",
    ),
    (
        Some(Program::Srun),
        Takes::Perhaps,
        "bcast compress external-launcher immediate:I kill-on-bad-exit:K overlap pty send-libs x11",
    ),
    (
        Some(Program::Srun),
        Takes::Nothing,
        "async debugger-test disable-status:X exact interactive label:l multi-prog no-allocate:Z preserve-env:E quit-on-interrupt unbuffered:u \
         wait-for-children whole",
    ),
];

/// Options of pyxis, for both.
const PYXIS: [(Takes, &str); 2] = [
    (Takes::Value, "container-image container-mounts container-workdir container-name container-save container-env"),
    (
        Takes::Nothing,
        "container-mount-home no-container-mount-home container-remap-root no-container-remap-root container-entrypoint \
         no-container-entrypoint container-entrypoint-log container-writable container-readonly",
    ),
];

/// Every option that a program reads: name, letter, and whether it takes a value.
fn known(program: Program) -> impl Iterator<Item = (&'static str, &'static str, Takes)> {
    let own = LISTS.into_iter().filter(move |(who, ..)| who.is_none_or(|who| who == program));
    own.map(|(_, takes, names)| (takes, names)).chain(PYXIS).flat_map(|(takes, names)| {
        names.split_whitespace().map(move |name| {
            let (name, letter) = name.split_once(':').unwrap_or((name, ""));
            (name, letter, takes)
        })
    })
}

/// What options say about where a job runs. All are as given; what was not given is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// Nodes.
    pub nodes: Option<u64>,
    /// Tasks.
    pub ntasks: Option<u64>,
    /// Tasks on each node.
    pub ntasks_per_node: Option<u64>,
    /// GPUs in all.
    pub gpus: Option<u64>,
    /// GPUs of each node, by `--gpus-per-node` or `--gres=gpu:n`.
    pub gpus_per_node: Option<u64>,
    /// GPUs of each task, which then sees no others.
    pub gpus_per_task: Option<u64>,
    /// Processors of each task.
    pub cpus_per_task: Option<u64>,
    /// Processors that come with each GPU.
    pub cpus_per_gpu: Option<u64>,
    /// Whether processors are asked for in a way that is not counted here, such as by sockets or as TRES.
    pub other_cpus: bool,
    /// Time limit in seconds.
    pub time: Option<u64>,
    /// The job's name.
    pub name: Option<String>,
    /// The account that it is charged to.
    pub account: Option<String>,
    /// Its quality of service.
    pub qos: Option<String>,
    /// Whether nobody else may run on its nodes.
    pub exclusive: bool,
    /// Whether it must lie under one switch.
    pub one_switch: bool,
}

/// One option as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given<'a> {
    /// The long name.
    pub name: &'a str,
    /// Its value; empty if there is none.
    pub value: &'a str,
    /// Words that it takes, the option itself included.
    pub words: usize,
}

/// Why an option is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotRead {
    /// A sentence.
    pub why: String,
    /// Whether that proves nothing: it is on none of the lists and may exist all the same, or the line ends before its value,
    /// which the rest of a text that was cut may have.
    pub unknown: bool,
}

impl NotRead {
    fn wrong(why: String) -> Self {
        Self { why, unknown: false }
    }

    fn cut(why: String) -> Self {
        Self { why, unknown: true }
    }
}

/// The options that a program is given before the first word that is none. One that isn't known is passed over, with the word behind it, which
/// may be its value.
pub fn split_options<'a>(program: Program, words: &[&'a str]) -> Vec<Given<'a>> {
    let (mut all, mut left) = (Vec::new(), words);
    while let Some(option) = split_option(program, left) {
        let taken = match option {
            Ok(given) => {
                let words = given.words;
                all.push(given);
                words
            }
            Err(_) => 1 + usize::from(left.get(1).is_some_and(|word| !word.starts_with('-'))),
        };
        left = left.get(taken..).unwrap_or_default();
    }
    all
}

/// Reads the first of `words` as an option of a program; none if it is no option at all.
///
/// # Errors
/// A sentence: an option that is not known, with the nearest that is, or one without its value.
pub fn split_option<'a>(program: Program, words: &[&'a str]) -> Option<Result<Given<'a>, NotRead>> {
    let first = *words.first()?;
    if let Some(long) = first.strip_prefix("--") {
        if long.is_empty() {
            return None;
        }
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let Some((known, takes)) = named(program, name) else {
            let names: Vec<&str> = known(program).map(|(name, ..)| name).collect();
            let why = format!(
                "{} is not known to have an option --{}{}.",
                program.name(),
                shorten(name),
                did_you_mean(name, &names)
            );
            return Some(Err(NotRead { why, unknown: true }));
        };
        return Some(match (takes, value) {
            (Takes::Value, Some("")) => Err(NotRead::wrong(format!("--{known} needs a value: --{known}=…."))),
            (Takes::Value, None) => match words.get(1).copied() {
                Some(value) => Ok(Given { name: known, value, words: 2 }),
                None => Err(NotRead::cut(format!("--{known} needs a value: --{known}=…."))),
            },
            (_, value) => Ok(Given { name: known, value: value.unwrap_or_default(), words: 1 }),
        });
    }
    let letter = first.strip_prefix('-').filter(|rest| !rest.is_empty())?;
    let end = letter.chars().next().map_or(0, char::len_utf8);
    let (letter, glued) = letter.split_at(end);
    let Some((name, _, takes)) = known(program).find(|(_, short, _)| *short == letter) else {
        let why = format!("{} is not known to have an option -{}.", program.name(), shorten(letter));
        return Some(Err(NotRead { why, unknown: true }));
    };
    let glued = glued.strip_prefix('=').unwrap_or(glued);
    Some(match (takes, glued, words.get(1).copied()) {
        (Takes::Value, "", Some(value)) => Ok(Given { name, value, words: 2 }),
        (Takes::Value, "", None) => Err(NotRead::cut(format!("-{letter} needs a value."))),
        (_, value, _) => Ok(Given { name, value, words: 1 }),
    })
}

/// The option of this name: all of it, or a beginning that only one has, as `getopt_long` takes it.
fn named(program: Program, name: &str) -> Option<(&'static str, Takes)> {
    if let Some((exact, _, takes)) = known(program).find(|(known, ..)| *known == name) {
        return Some((exact, takes));
    }
    let mut begun = known(program).filter(|(known, ..)| name.len() > 2 && known.starts_with(name));
    let (only, _, takes) = begun.next()?;
    begun.next().is_none().then_some((only, takes))
}

fn whole(name: &str, value: &str, most: u64) -> Result<u64, String> {
    match value.parse::<u64>() {
        Ok(n) if (1..=most).contains(&n) => Ok(n),
        _ => Err(format!("--{name} must be a whole number from 1 to {most}, not “{}”.", shorten(value))),
    }
}

/// GPUs of `gpu:8`, `gpu:h100:8`, `h100:8` or `8`.
fn gpus(name: &str, value: &str) -> Result<u64, String> {
    let last = value.rsplit(':').next().unwrap_or(value);
    match last.parse::<u64>() {
        Ok(n) if n <= 4096 => Ok(n),
        _ if value == "gpu" => Ok(1),
        _ => Err(format!("--{name} must say how many GPUs, such as 8 or h100:8, not “{}”.", shorten(value))),
    }
}

impl Options {
    /// Takes an option in. Those that say nothing about where a job runs are passed over.
    ///
    /// # Errors
    /// What is wrong with its value, and what would be valid: a sentence.
    pub fn take(&mut self, given: &Given<'_>) -> Result<(), String> {
        let (name, value) = (given.name, given.value);
        match name {
            "nodes" => {
                // A range asks for as many as there are: its lower end is what counts.
                let least = value.split(['-', ',']).next().unwrap_or(value);
                self.nodes = Some(whole(name, least, 100_000)?);
            }
            "ntasks" => self.ntasks = Some(whole(name, value, 10_000_000)?),
            "ntasks-per-node" | "tasks-per-node" => self.ntasks_per_node = Some(whole(name, value, 1024)?),
            "cpus-per-task" => self.cpus_per_task = Some(whole(name, value, 100_000)?),
            "cpus-per-gpu" => self.cpus_per_gpu = Some(whole(name, value, 100_000)?),
            "mincpus" | "cores-per-socket" | "sockets-per-node" | "threads-per-core" | "extra-node-info"
            | "tres-per-task" | "ntasks-per-gpu" | "ntasks-per-tres" | "ntasks-per-core" | "ntasks-per-socket"
            | "overcommit" => self.other_cpus = true,
            "gpus" => self.gpus = Some(gpus(name, value)?),
            "gpus-per-node" => self.gpus_per_node = Some(gpus(name, value)?),
            "gpus-per-task" => self.gpus_per_task = Some(gpus(name, value)?),
            "gres" if value == "none" => self.gpus_per_node = Some(0),
            "gres" => match value.split(',').find(|part| *part == "gpu" || part.starts_with("gpu:")) {
                Some(part) => self.gpus_per_node = Some(gpus(name, part)?),
                None if value.split(',').any(|part| part.split(':').next() == Some("gpus")) => {
                    return Err(format!("--gres must name gpu, as in gpu:8, not “{}”.", shorten(value)));
                }
                // A site may have resources of any other name.
                None => {}
            },
            "time" => {
                self.time = match value.to_ascii_uppercase().as_str() {
                    "UNLIMITED" | "INFINITE" => None,
                    _ => Some(
                        time::limit(value)
                            .filter(|seconds| *seconds > 0)
                            .ok_or_else(|| format!("--time must be {}, not “{}”.", time::FORMS, shorten(value)))?,
                    ),
                };
            }
            "job-name" => self.name = Some(value.to_owned()),
            "account" => self.account = Some(value.to_owned()),
            "qos" => self.qos = Some(value.to_owned()),
            // Sharing with the same user or organization alone is sharing.
            "exclusive" => self.exclusive = matches!(value, "" | "topo"),
            "switches" => self.one_switch = value.split('@').next() == Some("1"),
            _ => {}
        }
        Ok(())
    }

    /// The nodes: as given, or as few as the tasks need.
    pub fn node_count(&self) -> u64 {
        let by_tasks = self.ntasks.zip(self.ntasks_per_node).map(|(tasks, each)| tasks.div_ceil(each.max(1)));
        self.nodes.or(by_tasks).unwrap_or(1)
    }

    /// The tasks: as given, or one for each node.
    pub fn task_count(&self) -> u64 {
        self.ntasks.unwrap_or_else(|| self.ntasks_per_node.unwrap_or(1).saturating_mul(self.node_count()))
    }

    /// Whether it is said that there are none.
    pub fn no_gpus(&self) -> bool {
        self.gpus_per_node == Some(0)
    }

    /// GPUs of each node, by whichever option says it.
    pub fn gpus_of_a_node(&self) -> u64 {
        let nodes = self.node_count().max(1);
        let by_task = self.gpus_per_task.map(|each| each.saturating_mul(self.task_count()).div_ceil(nodes));
        self.gpus_per_node.or(self.gpus.map(|all| all.div_ceil(nodes))).or(by_task).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Result<Options, String> {
        let words: Vec<&str> = line.split(' ').collect();
        let (mut options, mut rest) = (Options::default(), words.as_slice());
        while let Some(given) = split_option(Program::Sbatch, rest) {
            let given = given.map_err(|wrong| wrong.why)?;
            options.take(&given)?;
            rest = rest.get(given.words..).unwrap_or_default();
        }
        Ok(options)
    }

    #[test]
    fn the_ways_to_ask_for_gpus_come_to_the_same() {
        for line in [
            "-N2 --gpus-per-node=8",
            "--nodes=2 --gres=gpu:h100:8",
            "-N 2 -G 16",
            "-N2 --ntasks-per-node=8 --gpus-per-task=1",
        ] {
            assert_eq!(all(line).map(|o| (o.node_count(), o.gpus_of_a_node())), Ok((2, 8)), "{line}");
        }
        assert_eq!(all("--ntasks=16 --ntasks-per-node=8").map(|o| o.node_count()), Ok(2));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(
            all("--ntask-per-node=8"),
            Err("sbatch is not known to have an option --ntask-per-node (did you mean “ntasks-per-node”?).".into())
        );
        assert_eq!(all("--nodes=two"), Err("--nodes must be a whole number from 1 to 100000, not “two”.".into()));
        assert_eq!(all("--gres=gpus:8"), Err("--gres must name gpu, as in gpu:8, not “gpus:8”.".into()));
        assert!(all("--time=4h").is_err_and(|why| why.contains("hours:minutes:seconds")));
        assert_eq!(all("--nodes"), Err("--nodes needs a value: --nodes=….".into()));
    }

    /// Each was called an option that Slurm does not have; all are in sbatch(1) or srun(1).
    #[test]
    fn the_manuals_options_are_all_known() {
        for line in [
            "--signal=B:USR1@120 --hint=nomultithread --reservation=hug --open-mode=append --segment=4",
            "--distribution=block:block --comment=x --licenses=a:1 --threads-per-core=1 --contiguous --spread-job",
            "--mincpus=4 --tmp=10G --get-user-env --wrap=hostname --verbose --input=/dev/null --wait --requeue",
            "--container-name=a --container-workdir=/w --container-writable --container-env=PATH -k -H -s -M all",
        ] {
            assert!(all(line).is_ok(), "{line}: {:?}", all(line));
        }
        for line in [
            "--jobid=7 -l -u -K -I -v --pty --wait=60 --kill-on-bad-exit=1 --exact -W 0 -r 1 --mpi=pmix",
            "-K1 --overlap",
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let mut rest = words.as_slice();
            while !rest.is_empty() {
                let given = split_option(Program::Srun, rest);
                let Some(Ok(given)) = given else { panic!("{line}: {given:?}") };
                rest = rest.get(given.words..).unwrap_or_default();
            }
        }
        // What only one of them reads, and a beginning that is enough.
        assert!(split_option(Program::Sbatch, &["--pty"]).is_some_and(|r| r.is_err_and(|e| e.unknown)));
        assert_eq!(all("--cpus-per-t=8").map(|o| o.cpus_per_task), Ok(Some(8)));
    }
}
