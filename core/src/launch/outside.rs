//! What is known of commands and variables that are not the script's own: what they print, and that most change nothing.

use super::shell::{Env, UNKNOWN, known};
use super::step::{Job, Options};
use super::world::{host, ip};

/// Commands that set no variable and launch nothing.
const HARMLESS: &str = "[ alias awk basename bc cat cd chmod chown clear cmp column cp curl cut date dcgmi df diff dirname dmesg du echo egrep env \
                        expr fgrep file find flock free git grep groups gunzip gzip head hostname hostnamectl ibstat ibstatus id ip jobs jq kill \
                        less ln logger ls lscpu lsof make mkdir mktemp mlflow more mv nl nproc nvcc nvidia-smi paste pgrep pip pip3 pkill popd \
                        printf ps pushd pwd realpath readlink rm rmdir rocm-smi rsync sacct sacctmgr scancel scontrol sed seq set shopt shuf \
                        sinfo sleep sort squeue stat stdbuf sync tail tar tee test timedatectl top touch tr trap tree true type ulimit umask \
                        uname uniq unzip uptime vmstat wait watch wc wget which whoami xargs zcat dvc wandb huggingface-cli hf trackio";

/// Whether a command sets no variable and launches nothing.
pub fn harmless(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    HARMLESS.split_whitespace().any(|one| one == name)
}

/// Whether how such a command ends says something of the machine, so that it isn't known.
pub fn tells(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    "cmp diff egrep expr fgrep grep lsof pgrep test type wait which".split_whitespace().any(|one| one == name)
}

/// Whether a command only sets variables.
pub fn sets_variables(name: &str) -> bool {
    matches!(name, "source" | "." | "module" | "ml" | "conda" | "mamba" | "micromamba" | "spack" | "let" | "getopts")
}

/// Whether a file or a text prepares an environment of Python or modules.
pub fn activates(text: &str) -> bool {
    let path = text.trim();
    path.ends_with("/activate")
        || path == "activate"
        || path.contains("shell.bash hook")
        || path.contains("/etc/profile")
        || ["conda.sh", "mamba.sh", "modules.sh", "/init/bash", "/.bashrc"].iter().any(|end| path.ends_with(end))
}

/// Whether a variable has a value from the login, the site or Slurm that the script does not say.
pub fn of_login(name: &str) -> bool {
    let named = "HOME USER LOGNAME SHELL PATH PWD OLDPWD TMPDIR TMP LD_LIBRARY_PATH LIBRARY_PATH CPATH PYTHONPATH CUDA_HOME CUDA_PATH CONDA_PREFIX \
                 CONDA_EXE CONDA_DEFAULT_ENV VIRTUAL_ENV SCRATCH WORK PROJECT LANG TERM UID EUID HOSTTYPE SECONDS LINENO BASH_SOURCE \
                 SLURM_SUBMIT_DIR SLURM_SUBMIT_HOST SLURM_JOB_PARTITION SLURM_JOB_ACCOUNT SLURM_JOB_USER SLURM_JOB_UID SLURM_CLUSTER_NAME \
                 SLURM_JOB_CPUS_PER_NODE SLURM_CPUS_ON_NODE SLURM_TASKS_PER_NODE SLURM_MEM_PER_NODE SLURM_JOB_GPUS SLURM_STEP_GPUS \
                 SLURM_JOB_START_TIME SLURM_JOB_END_TIME SLURM_GTIDS SLURM_TASK_PID SLURM_CONF SLURM_JOB_QOS SLURM_TOPOLOGY_ADDR \
                 SLURM_LAUNCH_NODE_IPADDR SLURM_SRUN_COMM_HOST SLURM_STEP_NODELIST SLURM_STEP_ID SLURM_STEPID SLURM_RESTART_COUNT";
    named.split_whitespace().any(|one| one == name) || (name.starts_with("SLURM_ARRAY_") || name.starts_with("BASH_"))
}

/// What a command prints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    /// This.
    Text(String),
    /// Something that is not known, and need not be.
    Quiet,
    /// It is not evaluated.
    NotRead,
}

/// What a command prints that reads `input`.
pub fn printed(args: &[String], input: Option<&str>, env: &Env, job: Option<&Job>) -> Printed {
    let Some((name, rest)) = args.split_first() else { return Printed::NotRead };
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    if words.iter().any(|word| !known(word))
        && !matches!(name.as_str(), "echo" | "printf" | "scontrol" | "dirname" | "basename")
    {
        return Printed::NotRead;
    }
    let text = |value: Option<String>| value.map_or(Printed::NotRead, Printed::Text);
    match (name.as_str(), words.as_slice()) {
        ("scontrol", ["show", "hostname" | "hostnames", rest @ ..]) => text(job.and_then(|job| hosts(rest, job))),
        ("hostname", flags) => text(Some(format!("{}\n", of_host(flags, env.node)))),
        ("uname", ["-n"]) => text(Some(format!("{}\n", host(env.node)))),
        ("srun", rest) => text(job.and_then(|job| on_nodes(rest, env, job))),
        ("echo", words) => {
            let plain =
                words.iter().skip_while(|word| matches!(**word, "-n" | "-e" | "-ne")).copied().collect::<Vec<_>>();
            Printed::Text(
                plain.join(" ")
                    + if words.first().is_some_and(|w| w.contains('n') && w.starts_with('-')) { "" } else { "\n" },
            )
        }
        ("printf", [format, values @ ..]) if matches!(*format, "%s" | "%s\\n" | "%s\n" | "%d") && values.len() == 1 => {
            Printed::Text(values.concat() + if format.contains('n') { "\n" } else { "" })
        }
        (
            "date" | "pwd" | "whoami" | "id" | "mktemp" | "dirname" | "basename" | "realpath" | "readlink" | "shuf"
            | "nproc" | "which" | "git",
            _,
        ) => Printed::Quiet,
        ("seq", ends) if (1..=2).contains(&ends.len()) => {
            let ends: Option<Vec<u64>> = ends.iter().map(|end| end.parse().ok()).collect();
            let range = ends.and_then(|ends| Some((if ends.len() == 2 { *ends.first()? } else { 1 }, *ends.last()?)));
            let is_short = |(from, to): &(u64, u64)| to.saturating_sub(*from) <= 512;
            text(range.filter(is_short).map(|(from, to)| (from..=to).map(|i| format!("{i}\n")).collect()))
        }
        ("expr", terms) => text(Sum::new(&terms.join(" "), env).value().map(|n| format!("{n}\n"))),
        ("nvidia-smi", flags)
            if flags.iter().any(|f| *f == "-L" || *f == "--list-gpus" || f.starts_with("--query-gpu=")) =>
        {
            text(job.map(|job| "GPU\n".repeat(job.gpus.min(64) as usize)))
        }
        (filter, words) => match input {
            Some(input) => filtered(filter, words, input),
            None => Printed::NotRead,
        },
    }
}

/// What a filter makes of a text.
fn filtered(name: &str, words: &[&str], input: &str) -> Printed {
    if matches!(name, "wc" | "head" | "tail" | "sed" | "awk" | "cut" | "sort" | "uniq") && !known(input) {
        return Printed::Quiet;
    }
    let lines: Vec<&str> = input.lines().collect();
    let joined = |lines: &[&str]| Printed::Text(lines.iter().flat_map(|line| [*line, "\n"]).collect());
    let count = |short: char| -> Option<i64> {
        let text = match words {
            [] => return Some(10),
            [one] => {
                let dashes = one.strip_prefix('-')?;
                dashes.strip_prefix(short).or(dashes.strip_prefix("-lines=")).unwrap_or(dashes)
            }
            [flag, value] if flag.strip_prefix('-').is_some_and(|f| f == short.to_string()) => *value,
            _ => return None,
        };
        text.trim_start_matches('=').parse().ok()
    };
    match (name, words) {
        ("cat" | "tee", []) | ("tr", ["-s", " "]) => Printed::Text(input.to_owned()),
        ("xargs", []) => Printed::Text(input.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"),
        ("sort", [] | ["-u"] | ["-V"]) => {
            let mut sorted = lines.clone();
            sorted.sort_unstable();
            if words == ["-u"] {
                sorted.dedup();
            }
            joined(&sorted)
        }
        ("uniq", []) => {
            let mut once = lines.clone();
            once.dedup();
            joined(&once)
        }
        ("wc", ["-l"]) => Printed::Text(format!("{}\n", lines.len())),
        ("wc", ["-w"]) => Printed::Text(format!("{}\n", input.split_whitespace().count())),
        ("head", _) => match count('n') {
            Some(n) if n >= 0 => joined(lines.get(..(n as usize).min(lines.len())).unwrap_or_default()),
            _ => Printed::NotRead,
        },
        ("tail", ["-c", n]) | ("tail", ["-n", n]) if n.starts_with('+') => match n.parse::<usize>() {
            Ok(n) if words.first() == Some(&"-n") => joined(lines.get(n.saturating_sub(1)..).unwrap_or_default()),
            _ => Printed::NotRead,
        },
        ("tail", ["-c", n]) => match n.trim_start_matches('-').parse::<usize>() {
            Ok(n) => Printed::Text(input.chars().skip(input.chars().count().saturating_sub(n)).collect()),
            Err(_) => Printed::NotRead,
        },
        ("tail", _) => match count('n') {
            Some(n) if n >= 0 => joined(lines.get(lines.len().saturating_sub(n as usize)..).unwrap_or_default()),
            _ => Printed::NotRead,
        },
        ("sed", ["-n", place] | ["-ne", place]) => {
            match place.strip_suffix('p').and_then(|n| n.trim_matches('\'').parse::<usize>().ok()) {
                Some(n) if n > 0 => joined(lines.get(n - 1..n).unwrap_or_default()),
                _ => Printed::NotRead,
            }
        }
        ("tr", ["-d", set]) => match set.chars().all(|c| !matches!(c, '[' | '\\' | '-')) {
            true => Printed::Text(input.chars().filter(|c| !set.contains(*c)).collect()),
            false if *set == "\\n" => Printed::Text(input.replace('\n', "")),
            false => Printed::NotRead,
        },
        ("tr", ["-dc" | "-cd", "0-9"]) => Printed::Text(input.chars().filter(char::is_ascii_digit).collect()),
        ("tr", [from, to]) => {
            let one = |text: &str| match text {
                "\\n" => Some('\n'),
                text if text.chars().count() == 1 => text.chars().next(),
                _ => None,
            };
            match (one(from), one(to)) {
                (Some(from), Some(to)) => {
                    Printed::Text(input.chars().map(|c| if c == from { to } else { c }).collect())
                }
                _ => Printed::NotRead,
            }
        }
        (
            "paste",
            ["-sd,"]
            | ["-sd,", "-"]
            | ["-s", "-d,"]
            | ["-s", "-d", ","]
            | ["-s", "-d,", "-"]
            | ["-d,", "-s"]
            | ["-d,", "-s", "-"],
        ) => Printed::Text(lines.join(",") + "\n"),
        ("bc", []) if lines.len() == 1 => match Sum::new(input.trim(), &Env::default()).value() {
            Some(n) => Printed::Text(format!("{n}\n")),
            None => Printed::NotRead,
        },
        ("cut", words) => cut(words, &lines).map_or(Printed::NotRead, Printed::Text),
        ("awk", words) => awk(words, &lines).map_or(Printed::NotRead, Printed::Text),
        _ => Printed::NotRead,
    }
}

fn cut(words: &[&str], lines: &[&str]) -> Option<String> {
    let (mut delimiter, mut field, mut i) = ('\t', None, 0);
    while let Some(word) = words.get(i) {
        let after = || words.get(i + 1).copied();
        if let Some(glued) = word.strip_prefix("-d").or(word.strip_prefix("--delimiter=")) {
            let text = if glued.is_empty() { after()? } else { glued };
            i += usize::from(glued.is_empty());
            delimiter = text.chars().next()?;
        } else {
            let glued = word.strip_prefix("-f").or(word.strip_prefix("--fields="))?;
            let text = if glued.is_empty() { after()? } else { glued };
            i += usize::from(glued.is_empty());
            field = Some(text.parse::<usize>().ok().filter(|n| *n > 0)?);
        }
        i += 1;
    }
    let field = field?;
    let of = |line: &&str| {
        if line.contains(delimiter) {
            line.split(delimiter).nth(field - 1).unwrap_or("").to_owned()
        } else {
            (*line).to_owned()
        }
    };
    Some(lines.iter().map(|line| of(line) + "\n").collect())
}

/// `awk '{print $2}'`, with the number of a line before it or none, and a separator.
fn awk(words: &[&str], lines: &[&str]) -> Option<String> {
    let (separator, program) = match words {
        [program] => (None, *program),
        ["-F", separator, program] => (separator.chars().next(), *program),
        [glued, program] => (Some(glued.strip_prefix("-F")?.chars().next()?), *program),
        _ => return None,
    };
    let squeezed: String = program.chars().filter(|c| !c.is_whitespace()).collect();
    let (line, action) = match squeezed.strip_prefix("NR==") {
        Some(rest) => {
            let end = rest.find('{').unwrap_or(rest.len());
            let (number, action) = rest.split_at(end);
            (Some(number.parse::<usize>().ok().filter(|n| *n > 0)?), action)
        }
        None => (None, squeezed.as_str()),
    };
    let action = action.strip_prefix('{').and_then(|a| a.strip_suffix('}'));
    let (action, only_first) = match action {
        Some(action) => (action.strip_suffix(";exit").unwrap_or(action), action.ends_with(";exit")),
        None if squeezed.contains('{') => return None,
        None => ("print", false),
    };
    let field = match action.strip_prefix("print")? {
        "" | "$0" => 0,
        field => field.strip_prefix('$')?.parse::<usize>().ok()?,
    };
    let pick = |line: &&str| match (field, separator) {
        (0, _) => (*line).to_owned(),
        (n, Some(separator)) if separator != ' ' => line.split(separator).nth(n - 1).unwrap_or("").to_owned(),
        (n, _) => line.split_whitespace().nth(n - 1).unwrap_or("").to_owned(),
    };
    let chosen: Vec<&&str> = match (line, only_first) {
        (Some(n), _) => lines.iter().skip(n - 1).take(1).collect(),
        (None, true) => lines.iter().take(1).collect(),
        (None, false) => lines.iter().collect(),
    };
    Some(chosen.into_iter().map(|line| pick(line) + "\n").collect())
}

/// `scontrol show hostnames`: of the job, or of the list that is named.
fn hosts(rest: &[&str], job: &Job) -> Option<String> {
    let lines = |nodes: Vec<u64>| nodes.into_iter().map(|node| host(node) + "\n").collect();
    match rest {
        [] => Some(lines((0..job.nodes).collect())),
        [list] if *list == job.list() => Some(lines((0..job.nodes).collect())),
        // An empty list is as none.
        [list] if !known(list) => None,
        [list] => {
            let named: Option<Vec<u64>> =
                list.split(',').map(|name| (0..job.nodes).find(|node| host(*node) == name)).collect();
            named.map(lines)
        }
        _ => None,
    }
}

fn of_host(flags: &[&str], node: u64) -> String {
    let addresses = flags.iter().any(|f| matches!(*f, "-i" | "-I" | "--ip-address" | "--all-ip-addresses"));
    if addresses { ip(node) } else { host(node) }
}

/// `srun … hostname`, where it prints one line, or its order does not matter.
fn on_nodes(rest: &[&str], env: &Env, job: &Job) -> Option<String> {
    let step = Options::step(rest, env, job).ok()?;
    let command = rest.get(step.at..)?;
    let nodes = step.places();
    match command {
        ["hostname", flags @ ..] => {
            let mut names: Vec<String> = nodes.iter().map(|node| of_host(flags, *node)).collect();
            names.dedup();
            match names.as_slice() {
                [one] => Some(one.clone() + "\n"),
                // Which comes first is not known.
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether what `[ … ]` or `[[ … ]]` says holds.
pub fn test(args: &[String]) -> Option<bool> {
    let mut holds = Some(false);
    for alternative in args.split(|arg| arg == "||" || arg == "-o") {
        let mut all = Some(true);
        for part in alternative.split(|arg| arg == "&&" || arg == "-a") {
            let not = part.iter().take_while(|arg| *arg == "!").count();
            let one = simple_test(part.get(not..).unwrap_or_default());
            let one = if not % 2 == 1 { one.map(|one| !one) } else { one };
            all = match (all, one) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        holds = match (holds, all) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) => Some(false),
            _ => None,
        };
    }
    holds
}

fn simple_test(args: &[String]) -> Option<bool> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // Text around what is not known is enough to know that it is not empty.
    let empty = |text: &str| {
        if text.is_empty() {
            Some(true)
        } else if text.chars().all(|c| c == UNKNOWN) {
            None
        } else {
            Some(false)
        }
    };
    match words.as_slice() {
        [] => Some(false),
        ["-z"] => Some(true),
        ["-n"] => Some(true),
        ["-z", text] => empty(text),
        ["-n", text] | [text] => empty(text).map(|empty| !empty),
        ["-v", _] | ["-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x" | "-L" | "-h" | "-t", _] => None,
        [a, operator, b] => {
            if !known(a) || !known(b) {
                return None;
            }
            let numbers = || a.trim().parse::<i64>().ok().zip(b.trim().parse::<i64>().ok());
            match *operator {
                "=" | "==" if !b.contains(['*', '?', '[']) => Some(a == b),
                "!=" if !b.contains(['*', '?', '[']) => Some(a != b),
                "-eq" => numbers().map(|(a, b)| a == b),
                "-ne" => numbers().map(|(a, b)| a != b),
                "-lt" => numbers().map(|(a, b)| a < b),
                "-le" => numbers().map(|(a, b)| a <= b),
                "-gt" => numbers().map(|(a, b)| a > b),
                "-ge" => numbers().map(|(a, b)| a >= b),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A sum of whole numbers, as `$((…))` has it.
pub struct Sum<'a> {
    tokens: Vec<String>,
    i: usize,
    depth: usize,
    env: &'a Env,
}

impl<'a> Sum<'a> {
    /// The sum that a text is.
    pub fn new(text: &str, env: &'a Env) -> Self {
        let mut tokens: Vec<String> = Vec::new();
        let mut word = String::new();
        let flush = |word: &mut String, tokens: &mut Vec<String>| {
            if !word.is_empty() {
                tokens.push(std::mem::take(word));
            }
        };
        for c in text.chars() {
            if c.is_alphanumeric() || c == '_' || c == UNKNOWN {
                word.push(c);
                continue;
            }
            flush(&mut word, &mut tokens);
            let doubled = tokens.last().is_some_and(|last| {
                matches!(
                    (last.as_str(), c),
                    ("=" | "!" | "<" | ">", '=') | ("&", '&') | ("|", '|') | ("*", '*') | ("+", '+') | ("-", '-')
                )
            });
            match tokens.last_mut() {
                Some(last) if doubled && !c.is_whitespace() => last.push(c),
                _ if c.is_whitespace() => {}
                _ => tokens.push(c.to_string()),
            }
        }
        flush(&mut word, &mut tokens);
        Self { tokens, i: 0, depth: 0, env }
    }

    /// Its value, where every part of it is known.
    pub fn value(&mut self) -> Option<i64> {
        if self.tokens.is_empty() {
            return Some(0);
        }
        let value = self.level(0)?;
        (self.i == self.tokens.len()).then_some(value)
    }

    /// A sum whose operators bind at least as strongly as this.
    fn level(&mut self, least: usize) -> Option<i64> {
        if self.depth > super::parse::DEEPEST {
            return None;
        }
        self.depth += 1;
        let mut left = self.term()?;
        while let Some(operator) = self.tokens.get(self.i).cloned() {
            let binds = match operator.as_str() {
                "||" => 0,
                "&&" => 1,
                "==" | "!=" => 2,
                "<" | ">" | "<=" | ">=" => 3,
                "+" | "-" => 4,
                "*" | "/" | "%" => 5,
                _ => break,
            };
            if binds < least {
                break;
            }
            self.i += 1;
            let right = self.level(binds + 1)?;
            left = match operator.as_str() {
                "||" => i64::from(left != 0 || right != 0),
                "&&" => i64::from(left != 0 && right != 0),
                "==" => i64::from(left == right),
                "!=" => i64::from(left != right),
                "<" => i64::from(left < right),
                ">" => i64::from(left > right),
                "<=" => i64::from(left <= right),
                ">=" => i64::from(left >= right),
                "+" => left.checked_add(right)?,
                "-" => left.checked_sub(right)?,
                "*" => left.checked_mul(right)?,
                "/" => left.checked_div(right)?,
                _ => left.checked_rem(right)?,
            };
        }
        self.depth -= 1;
        Some(left)
    }

    fn term(&mut self) -> Option<i64> {
        let token = self.tokens.get(self.i)?.clone();
        self.i += 1;
        match token.as_str() {
            "(" => {
                let value = self.level(0)?;
                let closed = self.tokens.get(self.i).is_some_and(|t| t == ")");
                self.i += 1;
                closed.then_some(value)
            }
            "-" => self.level(6)?.checked_neg(),
            "+" => self.level(6),
            "!" => self.level(6).map(|n| i64::from(n == 0)),
            text if !known(text) => None,
            text if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
            name => match self.env.get(name).trim() {
                "" => Some(0),
                value => value.parse().ok(),
            },
        }
    }
}
