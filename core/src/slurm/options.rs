//! Options of `sbatch` and `srun`: which there are, which take a value, and what those say that decide where a job runs.

use super::time;
use crate::query::{did_you_mean, shorten};

/// Options that take a value: the long name and, where there is one, the letter.
const VALUED: [(&str, &str); 37] = [
    ("nodes", "N"),
    ("ntasks", "n"),
    ("ntasks-per-node", ""),
    ("ntasks-per-gpu", ""),
    ("gpus", "G"),
    ("gpus-per-node", ""),
    ("gpus-per-task", ""),
    ("gpu-bind", ""),
    ("gres", ""),
    ("cpus-per-task", "c"),
    ("cpus-per-gpu", ""),
    ("mem", ""),
    ("mem-per-gpu", ""),
    ("mem-per-cpu", ""),
    ("time", "t"),
    ("job-name", "J"),
    ("partition", "p"),
    ("account", "A"),
    ("qos", "q"),
    ("output", "o"),
    ("error", "e"),
    ("priority", ""),
    ("nice", ""),
    ("begin", "b"),
    ("constraint", "C"),
    ("dependency", "d"),
    ("array", "a"),
    ("switches", ""),
    ("nodelist", "w"),
    ("exclude", "x"),
    ("chdir", "D"),
    ("export", ""),
    ("mail-type", ""),
    ("mail-user", ""),
    ("container-image", ""),
    ("container-mounts", ""),
    ("cpu-bind", ""),
];

/// Options that take none, or may.
const BARE: [&str; 10] = [
    "exclusive",
    "requeue",
    "no-requeue",
    "overlap",
    "wait",
    "unbuffered",
    "label",
    "container-mount-home",
    "kill-on-bad-exit",
    "mpi",
];

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

/// Reads the first of `words` as an option of Slurm; none if it is no option at all.
///
/// # Errors
/// A sentence: an option that does not exist, with the nearest that does, or one without its value.
pub fn split_option<'a>(words: &[&'a str]) -> Option<Result<Given<'a>, String>> {
    let first = *words.first()?;
    let value_after = || words.get(1).copied().filter(|word| !word.starts_with("--"));
    if let Some(long) = first.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let known = VALUED.iter().any(|(known, _)| *known == name);
        if !known {
            if BARE.contains(&name) {
                return Some(Ok(Given { name, value: value.unwrap_or_default(), words: 1 }));
            }
            let names: Vec<&str> = VALUED.iter().map(|(name, _)| *name).chain(BARE).collect();
            return Some(Err(format!("Slurm has no option --{}{}.", shorten(name), did_you_mean(name, &names))));
        }
        return Some(match value.map(|value| (value, 1)).or_else(|| value_after().map(|value| (value, 2))) {
            Some((value, words)) if !value.is_empty() => Ok(Given { name, value, words }),
            _ => Err(format!("--{name} needs a value: --{name}=….")),
        });
    }
    let letter = first.strip_prefix('-').filter(|rest| !rest.is_empty())?;
    let end = letter.chars().next().map_or(0, char::len_utf8);
    let (letter, glued) = letter.split_at(end);
    let Some((name, _)) = VALUED.iter().find(|(_, short)| *short == letter) else {
        return Some(Err(format!("Slurm has no option -{}.", shorten(letter))));
    };
    let glued = glued.strip_prefix('=').unwrap_or(glued);
    Some(match (glued, value_after()) {
        ("", Some(value)) => Ok(Given { name, value, words: 2 }),
        ("", None) => Err(format!("-{letter} needs a value.")),
        (value, _) => Ok(Given { name, value, words: 1 }),
    })
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
                let least = value.split('-').next().unwrap_or(value);
                self.nodes = Some(whole(name, least, 100_000)?);
            }
            "ntasks" => self.ntasks = Some(whole(name, value, 10_000_000)?),
            "ntasks-per-node" => self.ntasks_per_node = Some(whole(name, value, 1024)?),
            "gpus" => self.gpus = Some(gpus(name, value)?),
            "gpus-per-node" => self.gpus_per_node = Some(gpus(name, value)?),
            "gpus-per-task" => self.gpus_per_task = Some(gpus(name, value)?),
            "gres" if value == "none" => self.gpus_per_node = Some(0),
            "gres" => match value.split(',').find(|part| *part == "gpu" || part.starts_with("gpu:")) {
                Some(part) => self.gpus_per_node = Some(gpus(name, part)?),
                None => return Err(format!("--gres must name gpu, as in gpu:8, not “{}”.", shorten(value))),
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
            "exclusive" => self.exclusive = true,
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
        while let Some(given) = split_option(rest) {
            let given = given?;
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
            Err("Slurm has no option --ntask-per-node (did you mean “ntasks-per-node”?).".into())
        );
        assert_eq!(all("--nodes=two"), Err("--nodes must be a whole number from 1 to 100000, not “two”.".into()));
        assert_eq!(all("--gres=gpus:8"), Err("--gres must name gpu, as in gpu:8, not “gpus:8”.".into()));
        assert!(all("--time=4h").is_err_and(|why| why.contains("hours:minutes:seconds")));
        assert_eq!(all("--nodes"), Err("--nodes needs a value: --nodes=….".into()));
    }
}
