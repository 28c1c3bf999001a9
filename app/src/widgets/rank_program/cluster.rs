//! The same program with every rank in a Web Worker of its own: measured next to predicted, and who waits for a worker that was ended.

use std::sync::Arc;

use js_sys::Array;
use leptos::prelude::*;
use ringside_core::program::workers::{Alone, Ended, Measured, Took, differs, machine, standing, wire, workers};
use ringside_core::program::{Asked, Comparison, Diagnosis, Job, Limits, Puzzle, Said, State as Rank, Wire};
use ringside_core::quantity::counted;

use super::super::kernels::worker::Worker;
use super::super::puzzles::editor::Editor;
use super::trial::RUNNER;
use super::{State, next_to};
use crate::clock;
use crate::ui::later::Later;
use crate::ui::unique_id;

/// Timed runs, after one that the browser compiles in; and milliseconds after which there are no more.
const REPEATS: usize = 5;
const ENOUGH: f64 = 3_000.0;

/// Milliseconds between two looks at where the ranks are, and looks that find nothing moved before the run is given up.
const LOOK: u32 = 250;
const STILL: u32 = 3;

/// What came of it.
#[derive(Debug, Clone)]
enum Came {
    /// All ranks ended: measured next to predicted, what to make of it, and what else there is to say.
    Measured(Box<Comparison>, String, Option<String>),
    /// They did not: why, and where each rank is.
    Stopped(String, Vec<(u32, String)>),
}

/// A worker and what it last said.
struct Seat {
    /// None once it was ended.
    worker: Option<Worker>,
    stands: Option<Rank>,
    /// A number that changes as long as anything happens: as it was told since the last look, and before.
    moves: Option<u64>,
    before: Option<u64>,
    ended: Option<(Ended, Took)>,
}

struct Going {
    job: Job,
    kill: Option<usize>,
    seats: Vec<Seat>,
    /// Workers that have done what all were asked to do.
    done: usize,
    wire: Option<(Wire, Vec<(f64, f64)>)>,
    alone: Option<Result<Box<Alone>, Diagnosis>>,
    round: u32,
    runs: Vec<Vec<Took>>,
    began: f64,
    still: u32,
}

impl Going {
    fn tell(&self, asked: &Asked) {
        self.seats.iter().filter_map(|seat| seat.worker.as_ref()).for_each(|worker| worker.post(asked));
    }

    /// Whether this was the last worker that was waited for.
    fn one_more(&mut self) -> bool {
        self.done += 1;
        let all = self.done == self.seats.len();
        if all {
            self.done = 0;
        }
        all
    }

    /// Gives every two workers a port to each other.
    fn connect(&self) {
        let n = self.seats.len();
        let ports: Vec<Array> = (0..n).map(|_| Array::new_with_length(n as u32)).collect();
        for (a, of_a) in ports.iter().enumerate() {
            for (b, of_b) in ports.iter().enumerate().skip(a + 1) {
                if let Ok(channel) = web_sys::MessageChannel::new() {
                    of_a.set(b as u32, channel.port1().into());
                    of_b.set(a as u32, channel.port2().into());
                }
            }
        }
        for (rank, (seat, ports)) in self.seats.iter().zip(ports).enumerate() {
            if let Some(worker) = &seat.worker {
                worker.post_with(&Asked::Join(rank), &ports);
            }
        }
    }

    /// Where a rank is, with its line.
    fn standing(&self, rank: usize) -> (u32, String) {
        let seat = self.seats.get(rank);
        let ended = seat.and_then(|seat| seat.ended.as_ref()).map(|(ended, _)| &ended.state);
        let state = ended.or_else(|| seat.and_then(|seat| seat.stands.as_ref()));
        let line = match state {
            Some(
                Rank::Waits { line, .. }
                | Rank::Failed { line, .. }
                | Rank::Died { line }
                | Rank::Refused { line, .. }
                | Rank::Stopped { line },
            ) => *line,
            _ => 0,
        };
        (line, standing(rank, state))
    }
}

/// The workers of a bench. They are started when they are asked for, and ended when the program has.
#[derive(Clone, Copy)]
pub(super) struct Cluster {
    doing: RwSignal<Option<String>>,
    came: RwSignal<Option<Came>>,
    going: StoredValue<Option<Going>, LocalStorage>,
    wall: Later,
    look: Later,
}

impl Cluster {
    fn new() -> Self {
        let cluster = Self {
            doing: RwSignal::new(None),
            came: RwSignal::new(None),
            going: StoredValue::new_local(None),
            wall: Later::after((Limits::default().wall * 1e3) as u32),
            look: Later::after(LOOK),
        };
        // The bench may be gone already.
        on_cleanup(move || drop(cluster.going.try_update_value(Option::take)));
        cluster
    }

    /// Starts as many workers as the job has ranks. `kill` is the rank whose worker is ended in the middle of its program.
    fn start(self, job: Job, kill: Option<usize>) {
        self.came.set(None);
        let ranks = job.world_size;
        let started: Result<Vec<Worker>, String> =
            (0..ranks).map(|rank| Worker::start_as(RUNNER, move |said| self.hear(rank, said))).collect();
        let seat = |worker| Seat { worker: Some(worker), stands: None, moves: None, before: None, ended: None };
        match started {
            Ok(workers) => {
                self.going.set_value(Some(Going {
                    job,
                    kill,
                    seats: workers.into_iter().map(seat).collect(),
                    done: 0,
                    wire: None,
                    alone: None,
                    round: 0,
                    runs: Vec::new(),
                    began: 0.0,
                    still: 0,
                }));
                self.step(format!("Starting {ranks} workers"));
            }
            Err(why) => self.end(why),
        }
    }

    /// Begins something that has its time.
    fn step(self, doing: String) {
        self.doing.set(Some(doing));
        self.wall.run(move || self.end(format!("The workers were ended after {} seconds.", Limits::default().wall)));
    }

    /// Ends all workers. With `why`, says it and where the ranks are.
    fn stop(self, why: Option<String>) {
        self.wall.cancel();
        self.look.cancel();
        let going = self.going.try_update_value(Option::take).flatten();
        self.doing.set(None);
        if let Some(why) = why {
            // Before a program has begun there is no rank to speak of.
            let ranks = going.filter(|going| going.round > 0);
            let standings = ranks.map(|going| (0..going.seats.len()).map(|rank| going.standing(rank)).collect());
            self.came.set(Some(Came::Stopped(why, standings.unwrap_or_default())));
        }
    }

    fn end(self, why: String) {
        self.stop(Some(why));
    }

    fn with<T: Default>(self, act: impl FnOnce(&mut Going) -> T) -> T {
        self.going.try_update_value(|going| going.as_mut().map(act)).flatten().unwrap_or_default()
    }

    fn hear(self, rank: usize, said: Result<Said, String>) {
        match said {
            Err(why) => self.end(why),
            Ok(Said::Unread | Said::Done(_)) => self.end(RUNNER.stale()),
            Ok(Said::Ready) => {
                if self.with(Going::one_more) {
                    self.step("Measuring messages between two workers".to_owned());
                    self.with(|going| {
                        going.connect();
                        going.seats.first().and_then(|seat| seat.worker.as_ref()).map(|worker| worker.post(&Asked::Ping))
                    });
                }
            }
            Ok(Said::Pinged(points)) => match wire(&points) {
                None => self.end(
                    "The times of messages fit no line with a latency and a bandwidth. Close what else is running, then try again."
                        .to_owned(),
                ),
                Some(wire) => {
                    self.step("Timing all ranks in one worker".to_owned());
                    self.with(|going| {
                        going.job.machine = machine(going.seats.len(), wire, going.job.machine.buffer);
                        going.wire = Some((wire, points));
                        let asked = Asked::Alone(Box::new(going.job.clone()));
                        going.seats.first().and_then(|seat| seat.worker.as_ref()).map(|worker| worker.post(&asked))
                    });
                }
            },
            Ok(Said::Alone(alone)) => {
                self.with(|going| {
                    going.alone = Some(alone);
                    going.began = clock::milliseconds();
                });
                self.load();
            }
            Ok(Said::Loaded(Err(diagnosis))) => self.end(diagnosis.sentence),
            Ok(Said::Loaded(Ok(()))) => {
                if self.with(Going::one_more) {
                    self.with(|going| going.tell(&Asked::Go));
                    self.look.run(move || self.look());
                }
            }
            Ok(Said::Stands(state, moves)) => self.with(|going| {
                if let Some(seat) = going.seats.get_mut(rank) {
                    (seat.stands, seat.moves) = (Some(state), Some(moves));
                }
            }),
            Ok(Said::Ended(ended, took)) => self.ended(rank, *ended, took),
        }
    }

    /// Loads the next run of the program into every worker.
    fn load(self) {
        let ranks = self.with(|going| {
            going.round += 1;
            going.still = 0;
            for (rank, seat) in going.seats.iter_mut().enumerate() {
                (seat.stands, seat.moves, seat.before, seat.ended) = (None, None, None, None);
                // Half of the calls that it makes in one worker.
                let run = going.alone.as_ref().and_then(|alone| alone.as_ref().ok()).map(|alone| &alone.run);
                let calls = run.and_then(|run| run.ranks.get(rank)).map_or(2, |rank| rank.calls);
                let breaks = (going.kill == Some(rank)).then_some((calls / 2).max(1));
                let asked = Asked::Load { job: Box::new(going.job.clone()), round: going.round, breaks };
                if let Some(worker) = &seat.worker {
                    worker.post(&asked);
                }
            }
            going.seats.len()
        });
        self.step(format!("Running on {ranks} workers"));
    }

    fn ended(self, rank: usize, ended: Ended, took: Took) {
        let fault = ended.fault.as_ref().map(|fault| fault.sentence.clone());
        let all = self.with(|going| {
            let killed = going.kill == Some(rank) && matches!(ended.state, Rank::Died { .. });
            if let Some(seat) = going.seats.get_mut(rank) {
                seat.ended = Some((ended, took));
                if killed {
                    seat.worker = None;
                }
            }
            going.seats.iter().all(|seat| seat.ended.is_some())
        });
        if let Some(fault) = fault {
            return self.end(fault);
        }
        if !all {
            return;
        }
        if let Some(rank) = self.with(|going| going.kill) {
            return self.end(format!(
                "Rank {rank}’s worker was ended in the middle of its program. The others finished without it."
            ));
        }
        let enough = self.with(|going| {
            let took = going.seats.iter().filter_map(|seat| seat.ended.as_ref()).map(|(_, took)| *took).collect();
            // In the first one the browser compiles.
            if going.round > 1 {
                going.runs.push(took);
            }
            going.runs.len() == REPEATS || going.runs.len() > 1 && clock::milliseconds() - going.began > ENOUGH
        });
        self.look.cancel();
        if enough { self.measured() } else { self.load() }
    }

    /// Sees whether anything has moved since the last look, and asks where the ranks are.
    fn look(self) {
        let killed = self.with(|going| going.kill);
        let still = self.with(|going| {
            let mut still = true;
            for seat in going.seats.iter_mut().filter(|seat| seat.ended.is_none()) {
                let moves = seat.moves.take();
                still &= moves.is_some() && moves == seat.before;
                seat.before = moves;
            }
            going.still = if still { going.still + 1 } else { 0 };
            if going.still < STILL {
                going.tell(&Asked::Where);
            }
            going.still >= STILL
        });
        if !still {
            return self.look.run(move || self.look());
        }
        self.end(match killed {
            Some(rank) => format!(
                "Rank {rank}’s worker was ended in the middle of its program. Nobody tells the others, so they wait."
            ),
            None => "Every rank that is left waits, so the workers were ended.".to_owned(),
        });
    }

    fn measured(self) {
        let came = self.with(|going| {
            let (wire, points) = going.wire.take()?;
            let alone = match going.alone.take()? {
                Ok(alone) => alone,
                Err(told) => return Some(Came::Stopped(told.sentence, Vec::new())),
            };
            let ended: Vec<Ended> =
                going.seats.iter_mut().filter_map(|seat| seat.ended.take()).map(|(ended, _)| ended).collect();
            let differs = differs(&alone.run, &ended, going.job.tolerance);
            let measured = Measured {
                ranks: going.seats.len(),
                points,
                wire,
                alone: alone.seconds,
                predicted: alone.run.totals.time,
                runs: std::mem::take(&mut going.runs),
            };
            let finding = measured.finding();
            Some(match measured.comparison() {
                Some(comparison) => Came::Measured(Box::new(comparison), finding, differs),
                None => Came::Stopped(finding, Vec::new()),
            })
        });
        self.stop(None);
        self.came.set(came);
    }
}

/// Cores that the browser tells of.
fn cores() -> Option<usize> {
    let cores = window().navigator().hardware_concurrency();
    (cores >= 1.0).then_some(cores as usize)
}

/// The panel. `text` is the program as it is now.
pub(super) fn view(
    puzzle: Arc<Puzzle>,
    state: State,
    editor: Editor,
    text: impl Fn() -> String + Copy + Send + Sync + 'static,
) -> AnyView {
    let cluster = Cluster::new();
    let asked = Memo::new(move |_| state.params().with(|p| p.ranks as usize));
    let ranks = Memo::new(move |_| workers(asked.get(), cores()));
    let kill = RwSignal::new(None::<usize>);
    // The list of ranks is made anew with their number, and begins with none chosen.
    Effect::new(move |_| {
        ranks.track();
        kill.set(None);
    });
    let idle = move || cluster.doing.with(Option::is_none);
    let shares = !puzzle.launches.is_empty();
    let run = move |_| {
        let job = state.params().with_untracked(|p| p.job(&puzzle, &text(), ranks.get_untracked()));
        let job = Job { reference: None, best: None, ..job };
        let kill = kill.get_untracked().filter(|rank| *rank < job.world_size);
        cluster.start(job, kill);
    };
    let fewer = move || {
        let (asked, ranks) = (asked.get(), ranks.get());
        let why = match cores() {
            Some(cores) => format!("This browser reports {}", counted(cores as u64, "core", "cores")),
            None => "This browser doesn’t report its cores".to_owned(),
        };
        (ranks < asked).then(|| format!("{why}, so the program runs as {ranks} ranks instead of {asked}. "))
    };
    let id = unique_id("kill");
    let options = move || {
        let option = |rank: usize| view! { <option value=rank.to_string()>{format!("Rank {rank}’s worker")}</option> };
        (0..ranks.get()).map(option).collect_view()
    };
    let said = move || cluster.came.get().map(|came| said(came, editor));
    view! {
        <details class="fold rank-cluster">
            <summary>"Run it in one Web Worker per rank"</summary>
            {shares.then(|| view! { <p class="fine">"This puzzle’s launches share files, which workers can’t, so it runs in one worker only."</p> })}
            <p class="fine">
                {fewer}
                "Each rank runs in a worker of its own and talks to the others by postMessage. Collectives go around a ring; an all-to-all \
                 goes pair by pair. First a ping-pong between two workers measures α and β on this device."
            </p>
            <div class="bench-actions">
                <button type="button" class="secondary" disabled=move || shares || !idle() on:click=run>
                    {move || format!("Run on {} workers", ranks.get())}
                </button>
                <button type="button" class="secondary" disabled=idle on:click=move |_| cluster.stop(None)>"Stop the workers"</button>
                <label for=id.clone()>"End mid-run"</label>
                <select id=id disabled=shares on:change=move |event| kill.set(event_target_value(&event).parse().ok())>
                    <option value="">"No worker"</option>
                    {options}
                </select>
                <span class="fine" role="status">{move || cluster.doing.get()}</span>
            </div>
            <div role="status">{said}</div>
        </details>
    }
    .into_any()
}

fn said(came: Came, editor: Editor) -> AnyView {
    match came {
        Came::Measured(comparison, finding, differs) => {
            let differs = differs.map(|differs| view! { <p class="message">{differs}</p> });
            view! {
                <p>{finding}</p>
                {next_to::table(*comparison)}
                {differs}
            }
            .into_any()
        }
        Came::Stopped(why, ranks) => {
            let rank = |(line, says): (u32, String)| {
                let go = (line > 0).then(|| {
                    let label = format!("Line {line}");
                    view! { " " <button type="button" class="quiet" on:click=move |_| editor.go_to(line)>{label}</button> }
                });
                view! { <li>{says} {go}</li> }
            };
            view! {
                <div class="message">
                    <p class="said">{why}</p>
                    <ul>{ranks.into_iter().map(rank).collect_view()}</ul>
                </div>
            }
            .into_any()
        }
    }
}
