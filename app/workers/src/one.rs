//! One rank in a worker of its own: it runs until it waits, and goes on when a port brings what it waits for.
//!
//! Ports are plain `MessagePort`s, one to each other worker, so nothing here needs a page that is isolated. What goes through one is
//! bytes, handed over and not copied: a number that says which run they are of, or that they are a ping, and the packet.

use std::cell::RefCell;

use js_sys::{Array, Function, Uint8Array};
use ringside_core::program::workers::{Alone, PINGS, Took};
use ringside_core::program::{Asked, Job, Said};
use ringside_ranks::Member;
use ringside_workers::{member, say};
use wasm_bindgen::prelude::*;

/// What a ping's number is, and that of its answer.
const PING: u32 = u32::MAX;
const PONG: u32 = u32::MAX - 1;

/// Seconds for which pings of one size go to and fro, and the fewest of them.
const EACH: f64 = 0.15;
const FEWEST: u32 = 6;

/// Timed runs of all ranks in one worker, after one that the browser compiles in; and seconds after which there are no more.
const REPEATS: usize = 3;
const ENOUGH: f64 = 1.5;

/// A way to another worker.
struct Port {
    port: JsValue,
    post: Function,
}

/// A rank that was loaded.
struct Loaded {
    member: Member<'static>,
    round: u32,
    /// Seconds when it began; none before that.
    start: Option<f64>,
    busy: f64,
    told: bool,
}

/// Pings under way.
struct Pinging {
    /// Which of [`PINGS`].
    size: usize,
    began: f64,
    count: u32,
    came: Vec<(f64, f64)>,
}

#[derive(Default)]
struct One {
    rank: usize,
    /// By rank; none to itself.
    ports: Vec<Option<Port>>,
    loaded: Option<Loaded>,
    /// What came for a run that isn't loaded yet: its number, the sender, the packet.
    early: Vec<(u32, usize, Vec<u8>)>,
    pinging: Option<Pinging>,
}

thread_local! {
    static ONE: RefCell<One> = RefCell::default();
    static CLOCK: Option<(JsValue, Function, f64)> = {
        let performance = member(&js_sys::global(), "performance");
        let origin = member(&performance, "timeOrigin").as_f64().unwrap_or(0.0);
        member(&performance, "now").dyn_into().ok().map(|now| (performance, now, origin))
    };
}

/// Seconds since 1970: a clock that all workers of a page share.
fn clock() -> f64 {
    CLOCK
        .with(|clock| {
            let (performance, now, origin) = clock.as_ref()?;
            Some((origin + now.call0(performance).ok()?.as_f64()?) / 1e3)
        })
        .unwrap_or(0.0)
}

/// Does what the page asks.
pub(crate) fn hear(asked: Asked, ports: &Array) {
    ONE.with_borrow_mut(|one| match asked {
        // The page gives that to the whole of the program.
        Asked::Run(_) => {}
        Asked::Join(rank) => one.join(rank, ports),
        Asked::Ping => {
            one.pinging = Some(Pinging { size: 0, began: clock(), count: 0, came: Vec::new() });
            one.ping(&ringside_ranks::sample(PINGS[0]));
        }
        Asked::Alone(job) => say(&Said::Alone(alone(&job).map(Box::new))),
        Asked::Load { job, round, breaks } => one.load(job, round, breaks),
        Asked::Go => {
            if let Some(loaded) = &mut one.loaded {
                loaded.start = Some(clock());
            }
            one.go();
        }
        Asked::Where => {
            if let Some(loaded) = &one.loaded {
                say(&Said::Stands(loaded.member.state(), loaded.member.moves()));
            }
        }
    });
}

/// All ranks in turn in this worker: the run whose time is in the middle.
fn alone(job: &Job) -> Result<Alone, ringside_core::program::Diagnosis> {
    let began = clock();
    let mut runs = Vec::new();
    for repeat in 0..=REPEATS {
        let (seconds, run) = ringside_ranks::timed(job, clock)?;
        // The first one also waits for the browser to compile what it calls.
        if repeat > 0 || seconds > ENOUGH {
            runs.push(Alone { seconds, run });
        }
        if clock() - began > ENOUGH && !runs.is_empty() {
            break;
        }
    }
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    Ok(runs.swap_remove(runs.len() / 2))
}

impl One {
    fn join(&mut self, rank: usize, ports: &Array) {
        self.rank = rank;
        self.ports = ports
            .iter()
            .enumerate()
            .map(|(from, port)| {
                let post = member(&port, "postMessage").dyn_into().ok()?;
                let hears = Closure::<dyn Fn(JsValue)>::new(move |event: JsValue| {
                    let bytes = Uint8Array::new(&member(&event, "data")).to_vec();
                    ONE.with_borrow_mut(|one| one.receive(from, &bytes));
                });
                js_sys::Reflect::set(&port, &"onmessage".into(), &hears.into_js_value()).ok()?;
                Some(Port { port, post })
            })
            .collect();
    }

    fn send(&self, to: usize, number: u32, packet: &[u8]) {
        let Some(Some(port)) = self.ports.get(to) else { return };
        let bytes = Uint8Array::new_with_length(packet.len() as u32 + 4);
        bytes.subarray(0, 4).copy_from(&number.to_le_bytes());
        bytes.subarray(4, bytes.length()).copy_from(packet);
        // To a worker that was ended it goes nowhere.
        let _ = port.post.call2(&port.port, &bytes, &Array::of1(&bytes.buffer()));
    }

    fn receive(&mut self, from: usize, bytes: &[u8]) {
        let Some((number, packet)) = bytes.split_first_chunk::<4>() else { return };
        match u32::from_le_bytes(*number) {
            PING => self.send(from, PONG, &ringside_ranks::echo(packet)),
            PONG => self.pong(packet),
            round => {
                let Some(loaded) = self.loaded.as_mut().filter(|loaded| loaded.round >= round) else {
                    return self.early.push((round, from, packet.to_vec()));
                };
                if loaded.round == round {
                    loaded.member.hear(from, packet);
                    self.go();
                }
            }
        }
    }

    fn load(&mut self, job: Box<Job>, round: u32, breaks: Option<u64>) {
        // The worker ends with the few runs that the page asks of it.
        let job: &'static Job = Box::leak(job);
        let loaded = Member::new(job, self.rank, breaks);
        let said = loaded.map(|mut member| {
            self.early.retain(|(of, from, packet)| {
                if *of == round {
                    member.hear(*from, packet);
                }
                *of > round
            });
            self.loaded = Some(Loaded { member, round, start: None, busy: 0.0, told: false });
        });
        say(&Said::Loaded(said));
    }

    /// Goes on until it waits, sends what is to be sent, and says if it has ended.
    fn go(&mut self) {
        let Some(Loaded { start: Some(start), told: false, .. }) = self.loaded else { return };
        let began = clock();
        let Some(loaded) = &mut self.loaded else { return };
        loaded.member.go();
        let (out, round) = (loaded.member.out(), loaded.round);
        for (to, packet) in out {
            self.send(to, round, &packet);
        }
        let Some(loaded) = &mut self.loaded else { return };
        let end = clock();
        loaded.busy += end - began;
        if let Some(ended) = loaded.member.ended() {
            loaded.told = true;
            say(&Said::Ended(Box::new(ended), Took { start, end, busy: loaded.busy }));
        }
    }

    fn ping(&self, packet: &[u8]) {
        self.send(1, PING, packet);
    }

    /// The answer to a ping: another one, of the next size once there were enough.
    fn pong(&mut self, packet: &[u8]) {
        let Some(pinging) = &mut self.pinging else { return };
        pinging.count += 1;
        let Some(elements) = PINGS.get(pinging.size) else { return };
        // The first ones also wait for the browser to compile what they call.
        let warm = pinging.count == FEWEST;
        if warm {
            pinging.began = clock();
        }
        let took = clock() - pinging.began;
        let after = pinging.count.saturating_sub(FEWEST);
        if warm || after < FEWEST || took < EACH {
            return self.ping(&ringside_ranks::echo(packet));
        }
        pinging.came.push((4.0 * *elements as f64, took / f64::from(2 * after)));
        (pinging.size, pinging.count) = (pinging.size + 1, 0);
        match PINGS.get(pinging.size) {
            Some(elements) => self.ping(&ringside_ranks::sample(*elements)),
            None => {
                let came = self.pinging.take().map(|pinging| pinging.came);
                say(&Said::Pinged(came.unwrap_or_default()));
            }
        }
    }
}
