//! A batch script: what Slurm gives it, and the tasks that its `srun` starts.

use super::launcher::{self, Kind, Started};
use super::ray::{self, Cluster, Taken};
use super::shell::{Arg, Env, Reach, Shell, Went, known, unknown};
use super::step::{Job, MOST_TASKS, Options, Place, batch_shell, texts};
use super::verdict::{Fault, Launch};
use super::world::{Task, World};
use crate::query::shorten;
use crate::slurm::{NotRead, Program, split_option};

/// What a script launches. What submits it may have set the variables `given`, to something that isn't known.
pub fn launch(text: &str, world: World, given: &[&str]) -> Launch {
    let mut launch = Launch::default();
    let has_header = text.lines().any(|line| line.trim_start().starts_with("#SBATCH"));
    let mut options = header(text, &mut launch);
    if launch.fault.is_some() {
        return launch;
    }
    if options.node_count() > world.nodes || options.gpus_of_a_node() > world.gpus {
        let names = ["--nodes", "-N", "--gpus", "--gres", "-G", "--ntasks", "-n"];
        launch.fail(Fault::NoSuchNodes, options_line(text, &names));
        return launch;
    }
    launch.gpus_asked = options.gpus_of_a_node() > 0;
    launch.asked = options.task_count().max(options.node_count());
    launch.one_node = options.node_count() <= 1;
    launch.crowded = options.task_count() > options.node_count();
    launch.sizeless = has_header && options.nodes.is_none() && options.ntasks.is_none() && launch.blame.is_none();
    if !has_header {
        // A script that is started by hand has the machine, and what its caller sets.
        options = Options { nodes: Some(1), gpus_per_node: Some(world.gpus), exclusive: true, ..Options::default() };
    }
    let mut shell = batch_shell(Job::new(options, world));
    shell.by_hand = !has_header;
    if shell.by_hand {
        shell.env = Env::default();
        shell.env.open = true;
        shell.env.set("HOSTNAME", super::world::host(0), true, 0);
    }
    for name in given {
        shell.env.set(name, unknown(), true, 0);
    }
    let mut run = Script::default();
    shell.run_text(text, 1, &mut |shell, args, background| run.command(shell, args, background, &mut launch));
    let Script { found, bare, ray, ended } = run;
    for note in std::mem::take(&mut shell.notes) {
        match note.reach {
            Some(reach) => launch.unread(note.line, reach, note.text),
            None => launch.remark(note.line, note.text),
        }
    }
    launch.unset = std::mem::take(&mut shell.unset);
    if !ended {
        // What starts nothing else, a plain Python in the batch shell is what is launched.
        let (started, stepped, line) = if found.is_empty() {
            bare.unwrap_or_default()
        } else {
            let line = found.first().map_or(0, |(.., line)| *line);
            let stepped = found.iter().any(|(_, stepped, _)| *stepped);
            (found.into_iter().flat_map(|(started, ..)| started).collect(), stepped, line)
        };
        launch.by_hand = shell.by_hand;
        if started.is_empty() {
            launch.fail(Fault::NothingLaunched, 0);
        } else if ray.begun() && !stepped {
            launch.unread(line, Reach::Everything, ray::NO_WORKERS);
        } else {
            launcher::make(started, stepped, line, &mut launch);
        }
    }
    launch
}

/// What tasks start, whether by srun, and the line.
type Found = (Vec<Started>, bool, usize);

/// A batch script that runs.
#[derive(Default)]
struct Script {
    /// Launches, of which all but the last run in the background.
    found: Vec<Found>,
    /// A Python that the batch shell itself starts: a preparation, if something is launched after it.
    bare: Option<Found>,
    ray: Cluster,
    /// Whether Ray, or what it refuses, decides what comes of it.
    ended: bool,
}

impl Script {
    fn command(&mut self, shell: &mut Shell, args: &[Arg], background: bool, launch: &mut Launch) -> Went {
        let Some(first) = args.first() else { return Went::On(Some(true)) };
        let line = first.line;
        // What stands around srun starts it.
        if launcher::is_around(&first.text)
            && let Some(at) = args.iter().position(|arg| launcher::program(&arg.text) == "srun")
        {
            return self.command(shell, args.get(at..).unwrap_or_default(), background, launch);
        }
        let stepped = launcher::program(&first.text) == "srun";
        if stepped && shell.by_hand {
            shell.unread(
                line,
                Reach::Everything,
                "There are no #SBATCH lines here, so how many nodes and tasks the job has is not known.",
            );
            return Went::Stop;
        }
        let (tasks, at, is_free) = if stepped {
            match step(shell, args.get(1..).unwrap_or_default(), launch) {
                Some(place) => (place.tasks(&shell.env), place.at + 1, place.is_free()),
                None => {
                    self.ended = launch.fault.is_some();
                    return Went::Stop;
                }
            }
        } else {
            (vec![in_batch(shell)], 0, false)
        };
        let is_second = !self.found.is_empty() || self.ray.begun();
        let command = args.get(at..).unwrap_or_default();
        if stepped && command.is_empty() {
            shell.unread(line, Reach::Everything, "srun ends before the command that it is to start.");
            return Went::Stop;
        }
        if is_free && is_second {
            shell.unread(line, Reach::Everything, "Which node this step takes is not known here: --nodelist says it.");
            return Went::Stop;
        }
        match self.ray.takes(&tasks, command, launch) {
            Taken::No => {}
            Taken::Started => return Went::On(Some(true)),
            Taken::Ended => {
                self.ended = true;
                return Went::Stop;
            }
        }
        match launcher::kind(tasks, command, shell) {
            Kind::Harmless => Went::On(Some(true)),
            Kind::Launch(started) => {
                let is_bare = !stepped && started.first().is_some_and(|(_, args)| !launcher::has_agent(args));
                if is_bare {
                    self.bare = Some((started, false, line));
                    return Went::On(Some(true));
                }
                let room = self.found.iter().map(|(started, ..)| started.len()).sum::<usize>() < MOST_TASKS as usize;
                if !room {
                    shell.unread(
                        line,
                        Reach::Everything,
                        format!("More than {MOST_TASKS} tasks are not followed here."),
                    );
                    return Went::Stop;
                }
                self.found.push((started, stepped, line));
                if background { Went::On(Some(true)) } else { Went::Stop }
            }
            // In the batch shell it cannot change what comes after it, unless it is a function that was not read.
            Kind::Unknown(why) => {
                let reach = if stepped { Reach::Everything } else { Reach::Variables };
                shell.unread(line, reach, why);
                Went::On(None)
            }
        }
    }
}

/// The one task of the batch shell.
fn in_batch(shell: &Shell) -> Task {
    let job = shell.job.as_deref();
    let visible = (0..job.map_or(0, |job| job.gpus)).collect();
    Task { node: 0, env: shell.env.inherited(), visible, small_shm: Some(false), cpus: job.and_then(Job::batch_cpus) }
}

/// Where srun starts its tasks; none where that is not known, which is noted.
fn step(shell: &mut Shell, args: &[Arg], launch: &mut Launch) -> Option<Place> {
    let job = shell.job.clone().unwrap_or_default();
    let line = |at: usize| args.get(at).or(args.last()).map_or(1, |arg| arg.line);
    match Options::step(&texts(args), &shell.env, &job) {
        Err(refusal) => {
            let at = line(refusal.at);
            if refusal.not.unknown {
                shell.unread(at, Reach::Everything, refusal.not.why);
            } else {
                launch.stepped = true;
                refuse(launch, Program::Srun, at, refusal.not.why);
            }
            None
        }
        Ok(place) => {
            if let Some(other) = place.other {
                shell.unread(
                    line(0),
                    Reach::Everything,
                    format!("What srun does with --{other} is not followed here."),
                );
                return None;
            }
            if place.tasks > MOST_TASKS {
                let why = format!("More than {MOST_TASKS} tasks are not followed here: srun starts {}.", place.tasks);
                shell.unread(line(0), Reach::Everything, why);
                return None;
            }
            Some(place)
        }
    }
}

/// Notes what a program of Slurm refuses. What it prints of it is not said: it differs by option and release.
fn refuse(launch: &mut Launch, program: Program, line: usize, why: String) {
    launch.remark(line, why);
    if launch.fault.is_none() {
        launch.detail = format!("({} refuses line {line}, and nothing is started)", program.name());
    }
    launch.fail(Fault::BadOption, line);
}

/// What the `#SBATCH` lines of a script ask for.
pub(crate) fn header_of(text: &str) -> Options {
    header(text, &mut Launch::default())
}

/// The `#SBATCH` lines before the first command; those behind it count for nothing, and are remarked.
fn header(text: &str, launch: &mut Launch) -> Options {
    let (mut options, mut begun) = (Options::default(), false);
    for (line, content) in text.lines().enumerate().map(|(i, l)| (i + 1, l.trim())) {
        let Some(rest) = content.strip_prefix("#SBATCH") else {
            begun |= !content.is_empty() && !content.starts_with('#') && !content.starts_with("{%");
            continue;
        };
        if begun {
            launch
                .remark(line, "sbatch stops reading #SBATCH lines at the first command: this one counts for nothing.");
            launch.blame.get_or_insert(line);
            continue;
        }
        // Jinja's and Helm's marks hold words of their own.
        if ["{{", "{%"].iter().any(|mark| rest.contains(mark)) {
            let why = format!("“{}” is part of a template: fill it in.", shorten(rest.trim()));
            launch.unread(line, Reach::Everything, why);
            continue;
        }
        // Quotes hold a value together, as in a shell; `#` begins a comment.
        let words = shlex::split(rest).unwrap_or_else(|| rest.split_whitespace().map(str::to_owned).collect());
        let words: Vec<&str> = words.iter().map(String::as_str).take_while(|word| !word.starts_with('#')).collect();
        let mut rest = words.as_slice();
        if rest == ["hetjob"] || rest == ["packjob"] {
            launch.unread(line, Reach::Everything, "Jobs of several parts are not followed here.");
            continue;
        }
        while let Some(word) = rest.first() {
            let given = split_option(Program::Sbatch, rest).unwrap_or_else(|| {
                Err(NotRead {
                    why: format!("“{}” is no option, and sbatch may pass it over.", shorten(word)),
                    unknown: true,
                })
            });
            match given {
                Ok(given) if !known(given.value) => {
                    launch.unread(line, Reach::Everything, format!("The value of --{} is not known here.", given.name));
                    break;
                }
                Ok(given) => {
                    rest = rest.get(given.words..).unwrap_or_default();
                    match options.take(&given) {
                        // A name that is to be filled in changes nothing of what starts; a number does.
                        Err(_) if is_placeholder(given.value) => {
                            let why = format!("“{}” stands for a value: fill it in.", shorten(given.value));
                            launch.unread(line, Reach::Everything, why);
                            break;
                        }
                        Err(why) => {
                            refuse(launch, Program::Sbatch, line, why);
                            break;
                        }
                        Ok(()) => {}
                    }
                }
                // Whether it has a value is not known either.
                Err(not) if not.unknown => {
                    launch.unread(line, Reach::Everything, not.why);
                    break;
                }
                Err(not) => {
                    refuse(launch, Program::Sbatch, line, not.why);
                    break;
                }
            }
        }
    }
    options
}

/// Whether a value is, or has in it, what a template's reader fills in: `<nodes>`, `gpu:{GPUS}`, `...`.
fn is_placeholder(value: &str) -> bool {
    value.contains(['{', '<', '…']) || value.contains("...")
}

/// The first line with one of these options.
fn options_line(text: &str, names: &[&str]) -> usize {
    let is_one = |word: &str| {
        // A short option may have its value glued to it.
        let glued = |name: &&str| name.len() == 2 && word.starts_with(*name);
        names.contains(&word.split('=').next().unwrap_or(word)) || names.iter().any(glued)
    };
    let has = |line: &str| line.trim_start().starts_with("#SBATCH") && line.split_whitespace().any(is_one);
    text.lines().position(has).map_or(0, |i| i + 1)
}
