//! What the widgets that run kernels share: their figure, and in it a bench on which a ladder of kernels is run on the
//! learner's own GPU.

mod figure;
pub(super) mod kept;
mod ladder;
mod reference;
mod runner;
pub(super) mod trouble;
pub(super) mod worker;

use leptos::prelude::*;
use ringside_core::catalogue::Entry;
use ringside_core::kernels::glass::Source;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::{FULL, Needs, Rung};
use ringside_core::quantity::{Quantity, Unit, exact, grouped, number, unbroken};

use crate::ui::table::{Table, numbers, words};
use crate::widgets::glass::Glass;
use crate::widgets::readings;
pub(super) use figure::{Differences, figure};
pub(super) use runner::{Runner, bar};
pub(super) use worker::Job;

/// Sizes as a query, and in the order in which they are sent.
type Sizes = (String, Vec<u64>);

/// A kernel of another family that is timed beside a ladder.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guest {
    /// What a person reads.
    pub label: String,
    /// What it asks of the GPU.
    pub needs: Needs,
    /// How it is run, at the sizes of the ladder.
    pub job: Job,
}

/// A ladder of kernels, and what runs it.
#[derive(Clone, Copy)]
struct Bench {
    family: &'static str,
    kernel: Signal<&'static str>,
    set_kernel: Callback<&'static str>,
    sizes: Memo<Sizes>,
    ladder: Memo<Vec<Rung>>,
    guest: Memo<Option<Guest>>,
    runner: Runner,
    glass: Glass,
}

impl Bench {
    /// A bench for the kernels of `family`. `ladder` is what they ask of memory at these, `guest` what is timed beside them.
    fn new(
        family: &'static str,
        kernel: Signal<&'static str>,
        set_kernel: Callback<&'static str>,
        sizes: Memo<Sizes>,
        ladder: Memo<Vec<Rung>>,
        guest: Memo<Option<Guest>>,
    ) -> Self {
        Self { family, kernel, set_kernel, sizes, ladder, guest, runner: Runner::new(), glass: Glass::new() }
    }

    /// Runs these kernels, one after the other, at the sizes on show.
    fn run(self, kernels: impl IntoIterator<Item = &'static str>) {
        self.runner.run(self.jobs(kernels), |_| None);
    }

    /// Runs all of them, and the guest.
    fn run_all(self) {
        let mut jobs = self.jobs(self.ladder.get_untracked().iter().map(|rung| rung.id));
        jobs.extend(self.guest.get_untracked().map(|guest| guest.job));
        self.runner.run(jobs, |_| None);
    }

    fn jobs(self, kernels: impl IntoIterator<Item = &'static str>) -> Vec<Job> {
        let (query, sizes) = self.sizes.get_untracked();
        let job = |kernel| Job { family: self.family, kernel, sizes: sizes.clone(), query: query.clone() };
        kernels.into_iter().map(job).collect()
    }

    /// What was measured of a kernel at the sizes on show, the last time. Tracks.
    fn of(self, kernel: &str) -> Option<Measured> {
        self.sizes.with(|(sizes, _)| self.runner.last(self.family, kernel, sizes))
    }

    /// What was measured of the guest, the last time. Tracks.
    fn of_guest(self) -> Option<Measured> {
        let Job { family, kernel, query, .. } = self.guest.get()?.job;
        self.runner.last(family, kernel, &query)
    }

    /// What was measured of the chosen kernel, in sentences; empty if nothing was. Tracks.
    fn finding(self) -> String {
        let Some(m) = self.of(self.kernel.get()) else { return String::new() };
        let device = m.ran_on();
        let share = if m.checked < m.of {
            format!(
                "{} of {} values were checked",
                exact(m.checked).unwrap_or_default(),
                exact(m.of).unwrap_or_default()
            )
        } else {
            format!("all {} values were checked", exact(m.of).unwrap_or_default())
        };
        let verdict =
            if m.verified { "and are right to rounding" } else { "and are not all right: do not trust its time" };
        format!(
            " On {device} a run took {}: {}{}. Against sums in f64, {share} {verdict}.",
            unbroken(&Unit::Seconds.format(m.seconds)),
            unbroken(&Unit::FlopPerSecond.format(m.rate())),
            self.gained(&m),
        )
    }

    /// How much faster it is than the rung that it improves on, if that was measured on the same device. Tracks.
    fn gained(self, m: &Measured) -> String {
        let base = self.ladder.with(|all| {
            let base = all.iter().find(|rung| rung.id == m.kernel)?.base?;
            all.iter().find(|rung| rung.id == base).map(|rung| (rung.id, rung.label))
        });
        let measured = base.and_then(|(id, label)| Some((self.of(id)?, label)));
        match measured {
            Some((other, label)) if other.device == m.device && other.rate() > 0.0 => {
                format!(", {} times {label}", number(m.rate() / other.rate()))
            }
            _ => String::new(),
        }
    }

    /// The drawing: a row for each kernel.
    fn ladder(self) -> AnyView {
        view! { <div class="bench">{ladder::view(self)}</div> }.into_any()
    }

    /// The workgroups of the chosen kernel and the seconds of its run, if it was measured on a GPU that they leave half idle. Tracks.
    fn too_few(self) -> Option<(u64, f64)> {
        let m = self.of(self.kernel.get()).filter(|m| !m.software && m.instead.is_empty())?;
        let needs = self.ladder.with(|rungs| rungs.iter().find(|rung| rung.id == m.kernel).map(|rung| rung.needs));
        needs.map(|needs| (needs.workgroups, m.seconds)).filter(|(workgroups, _)| *workgroups < FULL)
    }

    /// Runs again what was measured at `before`, at the sizes on show.
    fn run_again(self, before: &str) {
        let at = |m: &&Measured| m.family == self.family && m.sizes == before;
        let ran: Vec<String> =
            self.runner.measured().with_untracked(|all| all.iter().filter(at).map(|m| m.kernel.clone()).collect());
        let rungs = self.ladder.get_untracked();
        self.run(rungs.into_iter().map(|rung| rung.id).filter(|id| ran.iter().any(|kernel| kernel == id)));
    }

    /// That the chosen kernel has too little to do for the GPU that it was measured on, and what would be enough; nothing else.
    /// Tracks.
    fn underused(self, full: Callback<()>) -> Option<AnyView> {
        let (few, _) = self.too_few()?;
        let text = format!(
            "At these sizes the kernel has {} workgroup{}, too few for a GPU with a hundred SMs. Larger sizes may rank the kernels \
             differently.",
            grouped(few),
            if few == 1 { "" } else { "s" },
        );
        Some(
            view! {
                <p class="message">
                    {text} " "
                    <button type="button" class="secondary" on:click=move |_| full.run(())>"Fill the GPU"</button>
                </p>
            }
            .into_any(),
        )
    }

    /// What can be done, and how far it is.
    fn actions(self) -> AnyView {
        let idle = Memo::new(move |_| self.runner.idle());
        let one = move |_| self.run([self.kernel.get_untracked()]);
        let all = move |_| self.run_all();
        let meant = move || Source::Kernel {
            family: self.family.to_owned(),
            kernel: self.kernel.get().to_owned(),
            sizes: Vec::new(),
        };
        let label = move || {
            let kernel = self.kernel.get();
            self.ladder.with(|all| all.iter().find(|r| r.id == kernel).map(|r| format!("Run: {}", r.label)))
        };
        let start = view! {
            <button type="button" disabled=move || !idle.get() on:click=one>{label}</button>
            <button type="button" class="secondary" disabled=move || !idle.get() on:click=all>"Run all"</button>
            {self.glass.button(meant)}
        };
        self.runner.actions(start.into_any())
    }

    /// What was measured of the chosen kernel, and what the model says of it.
    fn readings(self, model: &'static Entry, quantities: Memo<Vec<Quantity>>) -> AnyView {
        let chosen = Memo::new(move |_| self.of(self.kernel.get()));
        let known = Memo::new(move |_| chosen.with(Option::is_some));
        let of = move |look: fn(&Measured) -> f64| {
            Signal::derive(move || chosen.with(|m| m.as_ref().map(look).unwrap_or_default()))
        };
        let measured = move |id, label, unit, look| readings::one(id, label, unit, of(look));
        let verified = of(|m| f64::from(u8::from(m.verified)));
        view! {
            <Show when=move || known.get()>
                <dl class="readings bench-readings">
                    {measured("gflops", "Measured FLOP/s", Unit::FlopPerSecond, Measured::rate)}
                    {measured("time", "Median time per run", Unit::Seconds, |m| m.seconds)}
                    {measured("max-error", "Largest error", Unit::Ratio, |m| m.max_error)}
                    {measured("bound", "Error that rounding explains", Unit::Ratio, |m| m.bound)}
                    {readings::verified("Correct result", verified)}
                    {measured("bandwidth", "Requested bandwidth", Unit::BytesPerSecond, Measured::bandwidth)}
                    {measured("memory", "Memory of all buffers", Unit::Bytes, |m| m.memory)}
                </dl>
            </Show>
            {readings::view(model, quantities)}
        }
        .into_any()
    }

    /// The ladder as a table: what each kernel asks memory for.
    fn numbers(self) -> AnyView {
        let bytes = |n: u64| Unit::Bytes.format(n as f64);
        let row = move |rung: Rung| {
            view! {
                <tr>
                    <th scope="row">{rung.label}</th>
                    <td class="number">{bytes(rung.needs.asked.read)}</td>
                    <td class="number">{bytes(rung.needs.asked.written)}</td>
                    <td class="number">{number(rung.intensity())}</td>
                    <td class="number">{bytes(rung.needs.scratch)}</td>
                    <td class="number">{bytes(rung.needs.workgroup_memory)}</td>
                </tr>
            }
        };
        view! {
            <Table
                columns=[
                    words("Kernel"),
                    numbers("Asks to read"),
                    numbers("Asks to write"),
                    numbers("FLOP/byte"),
                    numbers("Extra memory"),
                    numbers("Workgroup memory"),
                ]
                rows=(move || self.ladder.get().into_iter().map(row).collect_view()).into_any()
            />
        }
        .into_any()
    }
}
