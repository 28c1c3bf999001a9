//! A kernel under glass: a workgroup that is stepped line by line, with what every lane holds and touches, and what is wrong.

mod panes;

use leptos::prelude::*;
use ringside_core::kernels::glass::{Ask, Declared, Opened, Said, Shown, Source};
use ringside_core::kernels::job::Note;
use ringside_core::quantity::grouped;

use super::kernels::worker::Worker;
use crate::ui::segmented::Segmented;
use crate::ui::transport::{Pace, Transport};
use crate::worker::Program;

/// The program that interprets kernels.
pub(super) const INTERPRETER: Program =
    Program { meta: "ringside-glass", does: "interprets kernels", remedy: "Make the kernel simpler, and try again." };

/// How it is played.
const PACE: Pace = Pace { whole: 60_000.0, longest: 700.0, shortest: 60.0 };

/// What is looked at, if anything.
#[derive(Clone, Copy)]
pub(super) struct Glass {
    source: RwSignal<Option<Source>>,
    opened: RwSignal<Option<Opened>>,
    /// What a text of the learner's own needs, of the last that was asked about.
    declared: RwSignal<Option<Declared>>,
    /// The text that is to be asked about, and what it is given, until the worker can be asked.
    to_declare: StoredValue<Option<(String, String)>>,
    shown: RwSignal<Shown>,
    refused: RwSignal<Vec<Note>>,
    trouble: RwSignal<Option<String>>,
    round: RwSignal<u64>,
    warp: RwSignal<u32>,
    width: RwSignal<&'static str>,
    /// A line that is looked at instead of the warp's own.
    line: RwSignal<Option<u32>>,
    worker: StoredValue<Option<Worker>, LocalStorage>,
    /// Whether an answer is waited for, and whether it can be asked at all.
    waits: StoredValue<bool>,
    ready: StoredValue<bool>,
}

impl Glass {
    /// Nothing yet.
    pub fn new() -> Self {
        let glass = Self {
            source: RwSignal::new(None),
            opened: RwSignal::new(None),
            declared: RwSignal::new(None),
            to_declare: StoredValue::new(None),
            shown: RwSignal::new(Shown::default()),
            refused: RwSignal::new(Vec::new()),
            trouble: RwSignal::new(None),
            round: RwSignal::new(0),
            warp: RwSignal::new(0),
            width: RwSignal::new("32"),
            line: RwSignal::new(None),
            worker: StoredValue::new_local(None),
            waits: StoredValue::new(false),
            ready: StoredValue::new(false),
        };
        on_cleanup(move || glass.end());
        glass
    }

    /// Opens a kernel.
    pub fn open(self, source: Source) {
        self.source.set(Some(source));
        self.renew();
    }

    /// Asks what a text of the learner's own needs, and what of it is given: see [`Self::declared`].
    pub fn declare(self, text: String, given: String) {
        self.to_declare.set_value(Some((text, given)));
        self.trouble.set(None);
        self.start();
    }

    /// What a text of the learner's own needs, once it is known.
    pub fn declared(self) -> RwSignal<Option<Declared>> {
        self.declared
    }

    /// Why nothing is known, while nothing is open that says so. Tracks.
    pub fn trouble(self) -> Option<String> {
        self.trouble.get().filter(|_| !self.is_open())
    }

    /// A button that opens a kernel. Once another is meant, what is open closes.
    pub fn button(self, meant: impl Fn() -> Source + Copy + Send + Sync + 'static) -> AnyView {
        Effect::new(move |before: Option<Source>| {
            let now = meant();
            if before.is_some_and(|before| before != now) {
                self.close();
            }
            now
        });
        view! { <button type="button" class="quiet" on:click=move |_| self.open(untrack(meant))>"Step it"</button> }
            .into_any()
    }

    /// Closes what is open.
    pub fn close(self) {
        self.end();
        self.source.set(None);
        self.opened.set(None);
        self.refused.set(Vec::new());
        self.trouble.set(None);
    }

    /// Ends the worker.
    fn end(self) {
        // Its owner may be gone already.
        let _ = self.worker.try_update_value(Option::take);
        let _ = self.ready.try_set_value(false);
    }

    /// Asks for the kernel anew, from its first step.
    fn renew(self) {
        self.opened.set(None);
        self.refused.set(Vec::new());
        self.trouble.set(None);
        self.round.set(0);
        self.warp.set(0);
        self.line.set(None);
        self.start();
    }

    /// Asks what is to be asked, of a worker that is started first if there is none.
    fn start(self) {
        if self.ready.get_value() {
            self.ask_first();
        } else if self.worker.with_value(Option::is_none) {
            match Worker::start_as::<Said>(INTERPRETER, move |said| self.hear(said)) {
                Ok(worker) => self.worker.set_value(Some(worker)),
                Err(why) => self.trouble.set(Some(why)),
            }
        }
    }

    fn post(self, ask: &Ask) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(ask);
            }
        });
    }

    /// Asks what a text needs, or else for the kernel that is not open yet.
    fn ask_first(self) {
        if let Some((text, given)) = self.to_declare.try_update_value(Option::take).flatten() {
            self.post(&Ask::Declare { text, given });
        }
        if let Some(source) = self.source.get_untracked().filter(|_| self.opened.with_untracked(Option::is_none)) {
            let width = self.width.get_untracked().parse().unwrap_or(32);
            self.post(&Ask::Open { source, width });
        }
    }

    /// Asks for the step and the warp that are wanted, unless an answer is still to come: then it is asked for after it.
    fn ask(self) {
        if self.opened.with_untracked(Option::is_some) && !self.waits.get_value() {
            self.waits.set_value(true);
            self.post(&Ask::Show { round: self.round.get_untracked(), warp: self.warp.get_untracked() });
        }
    }

    fn hear(self, said: Result<Said, String>) {
        match said {
            Ok(Said::Ready) => {
                self.ready.set_value(true);
                self.ask_first();
            }
            Ok(Said::Declared(declared)) => self.declared.set(Some(*declared)),
            Ok(Said::Opened(opened)) => {
                self.opened.set(Some(*opened));
                self.waits.set_value(false);
                self.ask();
            }
            Ok(Said::Shown(shown)) => {
                self.waits.set_value(false);
                let wanted = (self.round.get_untracked(), self.warp.get_untracked());
                let got = (shown.round, shown.warp);
                self.shown.set(*shown);
                if got != wanted {
                    self.ask();
                }
            }
            Ok(Said::Refused(notes)) => self.refused.set(notes),
            Ok(Said::Job(_)) => self.trouble.set(Some(INTERPRETER.stale())),
            Err(why) => {
                self.end();
                self.opened.set(None);
                self.trouble.set(Some(why));
            }
        }
    }

    /// Goes to a step.
    fn go(self, round: u64) {
        self.line.set(None);
        self.round.set(round);
        self.ask();
    }

    /// Looks at another warp.
    fn look(self, warp: u32) {
        self.line.set(None);
        self.warp.set(warp);
        self.ask();
    }

    /// Goes to where something was found: the step, the warp and the line.
    fn find(self, round: u64, warp: u32, line: u32) {
        self.warp.set(warp);
        self.round.set(round);
        self.line.set(Some(line));
        self.ask();
    }

    /// Whether something is open, or about to be.
    pub fn is_open_now(self) -> bool {
        self.source.with_untracked(Option::is_some)
    }

    /// Whether something is open, or about to be. Tracks.
    pub fn is_open(self) -> bool {
        self.source.with(Option::is_some)
    }

    /// All of it, while something is open.
    pub fn view(self) -> AnyView {
        view! { <Show when=move || self.is_open()>{move || self.section()}</Show> }.into_any()
    }

    fn section(self) -> AnyView {
        let steps = Signal::derive(move || self.opened.with(|o| o.as_ref().map_or(0, |o| o.rounds as usize)));
        let step = Signal::derive(move || self.round.get() as usize);
        let set = Callback::new(move |to: usize| self.go(to as u64));
        let playback = PACE.of(steps);
        let place = Signal::derive(move || {
            let (at, of) = (grouped(self.round.get()), grouped(steps.get() as u64));
            format!("Step {at} of {of}")
        });
        let barrier = move |_| {
            let to = self.opened.with_untracked(|o| o.as_ref().map(|o| o.next_barrier(self.round.get_untracked())));
            if let Some(to) = to {
                self.go(to);
            }
        };
        let width = move |chosen: &'static str| {
            self.width.set(chosen);
            self.renew();
        };
        let waiting = move || {
            let waits = self.opened.with(Option::is_none)
                && self.refused.with(Vec::is_empty)
                && self.trouble.with(Option::is_none);
            waits.then(|| view! { <p class="fine">"Interpreting the kernel …"</p> })
        };
        let notes = move || {
            let notes = self.refused.get();
            (!notes.is_empty()).then(|| {
                let items = notes.into_iter().map(|note| match note.line {
                    0 => view! { <li>{note.text}</li> }.into_any(),
                    line => view! { <li>"Line " {line} ": " {note.text}</li> }.into_any(),
                });
                view! {
                    <div class="message">
                        <p>"The kernel can’t be stepped."</p>
                        <ul class="complaints">{items.collect_view()}</ul>
                    </div>
                }
            })
        };
        view! {
            <section class="glass" aria-label="The kernel, step by step">
                <div class="glass-head">
                    <Segmented
                        name="glass-width"
                        label="Lanes per warp"
                        options=vec![("16", "16"), ("32", "32"), ("64", "64")]
                        value=Signal::derive(move || self.width.get())
                        set=Callback::new(width)
                    />
                    <p class="fine">
                        {move || self.opened.with(|o| o.as_ref().map(|o| format!("Simulated on the CPU with {}", o.sizes)))}
                    </p>
                    <button type="button" class="quiet" on:click=move |_| self.close()>"Close the stepper"</button>
                </div>
                <div role="status">{waiting} {notes}</div>
                <div role="alert">{move || self.trouble.get().map(|why| view! { <p class="message">{why}</p> })}</div>
                <Show when=move || self.opened.with(Option::is_some)>
                    {move || panes::findings(self)}
                    <div class="glass-transport">
                        <Transport steps step set playback place alone=false />
                        <button type="button" class="secondary" disabled=move || step.get() == steps.get() on:click=barrier>
                            "Run to next barrier"
                        </button>
                    </div>
                    <div class="glass-panes">
                        <div>{panes::listing(self)}</div>
                        <div>{panes::warps(self)} {panes::accesses(self)}</div>
                    </div>
                    {panes::lanes(self)}
                    {panes::shared(self)}
                    {move || panes::buffers(self)}
                    {move || panes::counts(self)}
                </Show>
            </section>
        }
        .into_any()
    }
}
