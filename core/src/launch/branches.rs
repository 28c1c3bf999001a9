//! Which words of a script stand in a branch of a conditional, and whether that branch is run: what a reader of options asks before it counts
//! one as given.

use std::collections::BTreeMap;

use super::launcher;
use super::outside;
use super::parse::{DEEPEST, Item, Simple, Step, parse};
use super::shell::{Env, Shell, Went};

/// What becomes of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is run: what the script itself sets decides so.
    Ran,
    /// It isn't, or it is a pattern that is only compared.
    Passed,
    /// That isn't known. Where one of several branches is run whatever happens, which of them it is.
    Open(Option<Arm>),
}

/// One of several branches of which exactly one is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arm {
    /// The conditional.
    pub group: usize,
    /// The branch.
    pub at: usize,
    /// How many it has.
    pub of: usize,
}

/// The words of a script that stand in branches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branches {
    /// By line, from 1, and by word, without quotes and parentheses; a variable that is set is `NAME=`.
    words: BTreeMap<(usize, String), Fate>,
    groups: usize,
    /// What the whole script starts.
    starts: Starts,
    /// Variables at the end of the script, as far as they are known.
    values: BTreeMap<String, String>,
}

/// Bytes of a script that are run.
const MOST: usize = 200_000;

impl Branches {
    /// Runs a script as far as it decides its own conditions. What its caller sets and what files hold isn't known; of `${NAME:-value}` the value
    /// counts. A branch that has all that is launched is taken to be run.
    pub fn of(text: &str) -> Self {
        let has = |line: &str| {
            let first = line.split_whitespace().next().unwrap_or_default();
            matches!(first, "if" | "case" | "for" | "while" | "until")
                || ["&&", "||", "$(", "`"].iter().any(|mark| line.contains(mark))
        };
        let end = text.bytes().enumerate().skip(MOST).find(|(_, byte)| *byte == b'\n').map_or(text.len(), |(at, _)| at);
        let text = text.get(..end).unwrap_or(text);
        if !text.lines().any(has) {
            return Self::default();
        }
        let items = parse(text, 1).items;
        let starts = [false, true].map(|by_options| {
            let mut starts = Starts { by_options, ..Starts::default() };
            starts.of(&items, 0);
            starts
        });
        let [starts, by_options] = starts;
        let starts = if starts.count > 0 { starts } else { by_options };
        let mut shell = Shell::new(Env::default(), None);
        shell.env.open = true;
        shell.by_hand = true;
        let header = super::batch::header_of(text);
        let node = Some(header.gpus_of_a_node()).filter(|n| *n > 0);
        for (name, n) in
            [("SLURM_NNODES", header.nodes), ("SLURM_JOB_NUM_NODES", header.nodes), ("SLURM_GPUS_ON_NODE", node)]
        {
            if let Some(n) = n {
                shell.env.set(name, n.to_string(), true, 0);
            }
        }
        shell.branches = Some(Self { starts, ..Self::default() });
        shell.run_text(text, 1, &mut |_, args, _| {
            // A run is what all of it succeeds in.
            let started = args.first().is_some_and(|arg| starts_program(&arg.text));
            Went::On(started.then_some(true))
        });
        let values = shell.env.values().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { values, ..shell.branches.unwrap_or_default() }
    }

    /// The value that a variable has at the end of the script, if that is known.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// What becomes of the branch that has this word of a line, from 1; none where it stands in no branch.
    pub fn of_word(&self, line: usize, word: &str) -> Option<Fate> {
        self.words.get(&(line, word.to_owned())).copied()
    }

    /// The same of what sets a variable.
    pub fn of_set(&self, line: usize, name: &str) -> Option<Fate> {
        self.of_word(line, &format!("{name}="))
    }

    /// Whether these steps have everything that the script launches, and how many steps were looked at.
    pub(super) fn has_all(&self, items: &[Item]) -> (bool, usize) {
        let mut own = Starts { count: 0, seen: 0, ..self.starts.clone() };
        own.of(items, 0);
        (own.count > 0 && own.count == self.starts.count, own.seen)
    }

    /// A number for a conditional.
    pub(super) fn group(&mut self) -> usize {
        self.groups += 1;
        self.groups
    }

    /// Notes what becomes of a branch. What is nested in one that isn't run, or perhaps, isn't run whatever happens; of one that is run, each
    /// conditional says its own. Returns how many words it has.
    pub(super) fn note(&mut self, items: &[Item], fate: Fate) -> usize {
        self.note_all(items, fate, 0)
    }

    fn note_all(&mut self, items: &[Item], fate: Fate, depth: usize) -> usize {
        if depth > DEEPEST {
            return 0;
        }
        let inner = if let Fate::Open(_) = fate { Fate::Open(None) } else { fate };
        let mut count = 0;
        for item in items {
            count += 1;
            match &item.step {
                Step::Simple(simple) => count += self.note_words(simple, fate),
                Step::Group(body, _) => count += self.note_all(body, fate, depth + 1),
                _ if fate == Fate::Ran => {}
                step => {
                    if let Step::Case(_, arms) = step {
                        for word in arms.iter().flat_map(|(patterns, _)| patterns) {
                            self.put(word.line, &word.raw, Fate::Passed);
                            count += 1;
                        }
                    }
                    for body in step.bodies() {
                        count += self.note_all(body, inner, depth + 1);
                    }
                }
            }
        }
        count
    }

    fn note_words(&mut self, simple: &Simple, fate: Fate) -> usize {
        simple.words.iter().for_each(|word| self.put(word.line, &word.raw, fate));
        simple.words.len()
    }

    /// Notes a word, which may stand on several lines and hold several.
    fn put(&mut self, line: usize, raw: &str, fate: Fate) {
        let set = is_set(raw).then(|| raw.split(['=', '+']).next().unwrap_or_default());
        let set = set.map(|name| (line, format!("{name}=")));
        let parts = raw.lines().enumerate().flat_map(|(i, part)| {
            let bare = part.replace(['"', '\'', '(', ')'], " ");
            let words: Vec<String> = bare.split_whitespace().map(str::to_owned).collect();
            words.into_iter().map(move |word| (line + i, word))
        });
        for key in set.into_iter().chain(parts) {
            let before = self.words.entry(key).or_insert(fate);
            if *before != fate {
                *before = Fate::Open(None);
            }
        }
    }
}

/// Programs that start training or a server, beside Python's.
const STARTERS: &str = "torchrun accelerate deepspeed srun mpirun mpiexec vllm sglang trtllm-serve megatron swift llamafactory-cli colossalai ray \
                        composer horovodrun docker podman apptainer singularity";

/// Whether a word starts a program, as far as it shows.
fn starts_program(word: &str) -> bool {
    let name = launcher::program(word);
    STARTERS.split_whitespace().any(|one| one == name) || name.starts_with("python") || name.ends_with(".py")
}

/// The commands that start a program. A function counts where it is called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Starts {
    count: usize,
    /// Steps that were looked at.
    seen: usize,
    /// Functions that start one.
    functions: Vec<String>,
    /// Whether any command with an option is one, as where none is known.
    by_options: bool,
}

impl Starts {
    fn of(&mut self, items: &[Item], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for item in items {
            self.seen += 1;
            match &item.step {
                Step::Simple(simple) => self.count += usize::from(self.is_one(simple)),
                Step::Function(name, body) => {
                    let before = self.count;
                    self.of(body, depth + 1);
                    if self.count > before {
                        self.functions.push(name.clone());
                    }
                    self.count = before;
                }
                step => step.bodies().into_iter().for_each(|body| self.of(body, depth + 1)),
            }
        }
    }

    fn is_one(&self, simple: &Simple) -> bool {
        let bare = |word: &str| word.replace(['"', '\''], "");
        let mut words = simple.words.iter().map(|word| bare(&word.raw)).skip_while(|word| is_set(word)).peekable();
        let first = words.peek().cloned().unwrap_or_default();
        let is_shown = outside::harmless(&first) || matches!(first.as_str(), "export" | "local" | "declare");
        let is_it = |word: String| if self.by_options { word.starts_with("--") } else { starts_program(&word) };
        self.functions.contains(&first) || !is_shown && words.any(is_it)
    }
}

/// Whether a word sets a variable.
fn is_set(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// What a script gives to the programs of Python that it starts, and the line of the first that gets something: their own options.
pub fn own_options(text: &str) -> Option<(usize, String)> {
    let text = text.get(..text.len().min(MOST)).unwrap_or_default();
    let mut found = None;
    own_of(&parse(text, 1).items, 0, &mut found);
    found
}

fn own_of(items: &[Item], depth: usize, found: &mut Option<(usize, String)>) {
    if depth > DEEPEST || found.is_some() {
        return;
    }
    for item in items {
        match &item.step {
            Step::Simple(simple) => {
                let starts = simple.words.iter().any(|word| starts_program(&word.raw));
                let at = simple.words.iter().position(|word| word.raw.ends_with(".py"));
                let Some(at) = at.filter(|_| starts && found.is_none()) else { continue };
                let own = simple.words.get(at + 1..).unwrap_or_default();
                if own.iter().any(|word| word.raw.starts_with("--")) {
                    let words: Vec<&str> = own.iter().map(|word| word.raw.as_str()).collect();
                    *found = Some((own.first().map_or(item.line, |word| word.line), words.join(" ")));
                }
            }
            step => step.bodies().into_iter().for_each(|body| own_of(body, depth + 1, found)),
        }
    }
}
