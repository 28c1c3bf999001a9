//! The parameters, and the model in the catalogue.

use super::cases::Case;
use super::record::Kept;
use super::shell::{Reach, UNKNOWN};
use super::verdict::{Launch, Outcome};
use super::world::{Process, World};
use super::{batch, manifest};
use crate::declare::{
    Field, Measure, Model, Origin, Origins, Param, Slot, Takes, Text, choice, doc, headline, measure, origin, switch,
    text, when, whole, within, words, yes_no,
};
use crate::options;
use crate::quantity::Unit;
use crate::query::shorten;

/// Most lines of a script, and most characters.
const MOST: (usize, usize) = (400, 20_000);

/// A script as it was written; an empty one for that of the case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script(pub String);

impl Text for Script {
    fn read(&mut self, text: &str) -> Result<(), String> {
        // A character of our own stands for what is not known.
        self.0 = text.trim().replace([UNKNOWN, '\r'], "");
        let (lines, characters) = (text.lines().count(), text.chars().count());
        if lines > MOST.0 || characters > MOST.1 {
            self.0.clear();
            return Err(format!(
                "script may have {} lines and {} characters; it has {lines} and {characters}.",
                MOST.0, MOST.1
            ));
        }
        let begins = ["ray ", "python", "kind:", "apiVersion:", "#SBATCH", "vllm ", "sglang", "trtllm-"];
        let names = |word: &str| {
            let name = word.rsplit('/').next().unwrap_or(word);
            ["srun", "torchrun", "accelerate"].contains(&name) || super::launcher::is_other(name)
        };
        let is_launch = begins.iter().any(|word| self.0.contains(word)) || self.0.split_whitespace().any(names);
        if self.0.is_empty() || is_launch {
            return Ok(());
        }
        Err("script launches nothing that is known here: it has neither srun, torchrun, accelerate, ray nor python, no \
             other launcher, and is no manifest."
            .to_owned())
    }

    fn write(&self) -> String {
        self.0.clone()
    }
}

impl Field for Script {
    fn slot(&mut self) -> Slot<'_> {
        Slot::Text(self)
    }
}

/// What is shown of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// Its processes and what they print.
    #[default]
    Launch,
    /// What of it is recorded.
    Record,
}

options!(Show {
    Launch: "launch", "processes and log";
    Record: "record", "what is recorded";
});

/// The state of the widget.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Params {
    /// The launch to begin with.
    pub case: Case,
    /// What is shown.
    pub show: Show,
    /// Nodes of the cluster.
    pub nodes: u64,
    /// GPUs of a node.
    pub gpus: u64,
    /// The script as changed; an empty one for that of the case.
    pub script: Script,
    /// The node that is looked at, from 0.
    pub node: u64,
    /// The GPU of it that is looked at, from 0.
    pub local: u64,
    /// Whether it is said what is wrong.
    pub explain: bool,
}

impl Params {
    /// The cluster.
    pub fn world(&self) -> World {
        World { nodes: self.nodes, gpus: self.gpus }
    }

    /// The script that is launched.
    pub fn text(&self) -> String {
        if self.script.0.is_empty() { self.case.script(self.nodes, self.gpus) } else { self.script.0.clone() }
    }

    /// What comes of it.
    pub fn launch(&self) -> Launch {
        let (text, world) = (self.text(), self.world());
        let is_manifest = manifest::is_manifest(&text);
        let read = |text: &str| {
            if is_manifest { manifest::launch(text, world) } else { batch::launch(text, world, &[]) }
        };
        let mut launch = read(&text);
        let last = text.lines().count().max(1);
        // A text that ends within a line may have been cut there: what is refused of its last word may go on.
        let is_open = !text.ends_with('\n') || text.ends_with("\\\n");
        if is_open && launch.fault.is_some_and(|(fault, line)| fault.is_refusal() && line >= last) {
            let longer = read(&format!("{text}{UNKNOWN}"));
            if longer.fault != launch.fault {
                launch = longer;
                launch.unread(
                    last,
                    Reach::Everything,
                    "The text ends within this line: whether its last word is complete is not known.",
                );
            }
        }
        if self.case == Case::Own && launch.fault.is_some() && !is_manifest {
            launch = submitted(launch, |names| batch::launch(&text, world, names));
        }
        launch.follow(world);
        if self.case == Case::Own {
            self.withhold(&mut launch);
        }
        launch.within(last);
        launch
    }

    /// What rests on the cluster of this figure is no verdict on a launch that somebody brings: theirs may be another.
    fn withhold(&self, launch: &mut Launch) {
        let Some((fault, line)) = launch.fault else { return };
        let Some(why) = launch.rests_on_cluster(fault) else { return };
        launch.fault = None;
        if why.is_empty() {
            return;
        }
        let line = if line > 0 { line } else { self.named_line(fault).unwrap_or(launch.line) };
        launch.remarks.retain(|(at, _)| *at != line);
        launch.unread(line, Reach::Everything, why);
    }

    /// The process that is looked at.
    pub fn looked_at<'a>(&self, launch: &'a Launch) -> Option<&'a Process> {
        let at_local = |p: &&Process| p.node == self.node && p.local_rank.unwrap_or(0) == self.local;
        launch.processes.iter().find(at_local).or_else(|| launch.processes.iter().find(|p| p.node == self.node))
    }

    /// Whether nothing of what is wrong is withheld: a script of one's own, or asked for.
    pub fn explains(&self) -> bool {
        self.explain || self.case == Case::Own
    }
}

fn is(launch: &Launch, outcome: Outcome) -> f64 {
    f64::from(u8::from(launch.outcome() == outcome))
}

impl Model for Params {
    type Result = Launch;
    const ID: &'static str = "launch-doctor";
    const TITLE: &'static str = "Why does it not start?";
    const SUMMARY: &'static str = "A launch over several nodes as people write it: what each process sees is computed, and failures print the \
                                   real messages.";
    const PARAMS: &'static [Param<Self>] = &[
        choice("case", "the launch to begin with", Case::LIST, "1").label("Launch").main().at(|p| p.case.slot()),
        choice("show", "what is shown", Show::LIST, "launch").label("Show").main().at(|p| p.show.slot()),
        whole("nodes", "nodes of the cluster", [1, 8], "2")
            .takes(Takes::Nodes)
            .label("Nodes")
            .doubling(3)
            .main()
            .at(|p| p.nodes.slot()),
        whole("gpus", "GPUs per node", [1, 8], "8")
            .takes(Takes::Node)
            .label("GPUs per node")
            .doubling(3)
            .main()
            .at(|p| p.gpus.slot()),
        text("script", "the script or manifest, as changed; none for that of the case", "")
            .quiet()
            .at(|p| p.script.slot()),
        whole("node", "the node that is looked at, from 0", [0, 7], "0").drawn().quiet().at(|p| p.node.slot()),
        whole("local", "the process of it that is looked at, from 0", [0, 7], "0")
            .drawn()
            .quiet()
            .at(|p| p.local.slot()),
        switch("explain", "whether it is said what is wrong", false).drawn().quiet().at(|p| p.explain.slot()),
    ];
    const ORIGIN: Origin = Origin::Of(
        "Slurm’s sbatch and srun (SchedMD/slurm, doc/man/man1); PyTorch 2.9, torch/distributed/run.py at 010929f and elastic/rendezvous; Hugging Face accelerate 1.15, commands/launch.py; Ray Train; Kubeflow’s operators; evaluated process by process",
    );
    const ORIGINS: &'static [Origins] = &[
        origin(
            Origin::Of(
                "PyTorch, torch/distributed/constants.py and elastic/rendezvous: the timeouts that end the wait",
            ),
            &["silence"],
        ),
        origin(
            Origin::Own("what another person needs to run the same job again, counted among what the script records"),
            &["recorded", "partly", "unrecorded", "repeatable"],
        ),
        origin(Origin::Controls, &["all-gpus"]),
    ];
    const QUANTITIES: &'static [Measure<Self, Launch>] = &[
        words(
            Outcome::LIST.labels,
            headline(
                "What becomes of the launch.",
                measure("outcome", "Outcome", Unit::Count, |_, l| {
                    Outcome::ALL.iter().position(|outcome| *outcome == l.outcome()).unwrap_or(0) as f64
                }),
            ),
        ),
        measure("processes", "Processes started", Unit::Count, |_, l| l.processes.len() as f64),
        within(
            |_, l| l.processes.len() as f64,
            headline(
                "Processes that do useful work, of those that were started.",
                measure("training", "Processes training", Unit::Count, |_, l| l.training() as f64),
            ),
        ),
        measure("world-size", "WORLD_SIZE", Unit::Count, |_, l| {
            l.processes.iter().filter_map(|p| p.world_size).max().unwrap_or(0) as f64
        }),
        measure("nodes-used", "Nodes running a process", Unit::Count, |_, l| l.nodes() as f64),
        measure("all-gpus", "GPUs in the cluster", Unit::Count, |p, _| (p.nodes * p.gpus) as f64),
        measure("gpus-seen", "GPUs visible to some process", Unit::Count, |_, l| l.gpus_seen() as f64),
        headline(
            "GPUs that you pay for and don’t use.",
            measure("idle-gpus", "Visible GPUs no process uses", Unit::Count, |_, l| {
                l.gpus_seen().saturating_sub(l.processes.len()) as f64
            }),
        ),
        yes_no(measure("trains", "Trains correctly", Unit::Count, |_, l| is(l, Outcome::Trains))),
        yes_no(measure("silent", "Trains with a silent fault", Unit::Count, |_, l| is(l, Outcome::Silent))),
        yes_no(measure("fails", "Fails with an error", Unit::Count, |_, l| is(l, Outcome::Fails))),
        yes_no(measure("hangs", "Hangs", Unit::Count, |_, l| is(l, Outcome::Hangs))),
        when(
            |_, l| l.silence() > 0,
            headline(
                "How long you wait before anything tells you that the job has failed.",
                measure("silence", "Time until an error appears", Unit::Seconds, |_, l| l.silence() as f64),
            ),
        ),
        doc(
            "Processes that can reach each other count as one group. There should be one.",
            measure("worlds", "Separate process groups", Unit::Count, |_, l| {
                l.processes.iter().map(|p| p.world).max().map_or(0.0, |most| (most + 1) as f64)
            }),
        ),
        measure("rank", "RANK of the selected process", Unit::Count, |p, l| {
            p.looked_at(l).and_then(|p| p.rank).unwrap_or(0) as f64
        }),
        measure("local-rank", "LOCAL_RANK of the selected process", Unit::Count, |p, l| {
            p.looked_at(l).and_then(|p| p.local_rank).unwrap_or(0) as f64
        }),
        measure("visible", "GPUs the selected process sees", Unit::Count, |p, l| {
            p.looked_at(l).map_or(0, |p| p.visible.len()) as f64
        }),
        measure("recorded", "Items recorded", Unit::Count, |p, l| p.items(l, Kept::Recorded) as f64),
        measure("partly", "Items recorded in part", Unit::Count, |p, l| p.items(l, Kept::Partly) as f64),
        measure("unrecorded", "Items not recorded", Unit::Count, |p, l| p.items(l, Kept::Missing) as f64),
        when(
            |p, _| p.show == Show::Record,
            yes_no(headline(
                "Whether what is recorded is enough to run the same thing again.",
                measure("repeatable", "Run can be repeated", Unit::Count, |p, l| f64::from(u8::from(p.repeatable(l)))),
            )),
        ),
        yes_no(measure("unread", "Script not fully read", Unit::Count, |_, l| is(l, Outcome::Unread))),
        yes_no(measure("faults", "Fault found", Unit::Count, |_, l| f64::from(u8::from(l.fault.is_some())))),
    ];

    fn evaluate(&self) -> Result<Launch, String> {
        self.in_range()?;
        Ok(self.launch())
    }

    fn follow(&mut self, before: &Self) {
        if (self.case, self.nodes, self.gpus) != (before.case, before.nodes, before.gpus) && self.case != Case::Own {
            self.script = Script::default();
        }
        (self.node, self.local, self.explain) = (0, 0, false);
    }
}

/// A script's launch that fails, unless that rests on a variable that the script doesn't set: what submits it hands its own on
/// (`sbatch --export`), so that no verdict rests on them. `with` reads the script again, where these are set to something.
fn submitted(launch: Launch, with: impl Fn(&[&str]) -> Launch) -> Launch {
    let mut names: Vec<&str> = launch.unset.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return launch;
    }
    let mut given = with(&names);
    if given.fault == launch.fault {
        return launch;
    }
    let Some((fault, line)) = launch.fault else { return launch };
    let here = launch.unset.iter().find(|(at, _)| *at == line).or(launch.unset.first());
    let (line, name) = here.map_or((line, ""), |(at, name)| (*at, name.as_str()));
    let why = format!(
        "${} isn’t set in this script. If what submits the job doesn’t set it either: {}.",
        shorten(name),
        fault.label()
    );
    given.remarks.retain(|(at, _)| *at != line);
    given.unread(line, Reach::Everything, why);
    given
}
