//! The same numbers summed by kernels of six orders on the learner's GPU: the bits of each, and those of the CPU in the same order.

use leptos::prelude::*;
use ringside_core::float::FP32;
use ringside_core::kernels::glass::Source;
use ringside_core::kernels::measured::Measured;
use ringside_core::kernels::stream::{KERNELS, Kernel, Sum};
use ringside_core::reduction_order::View;
use ringside_core::reduction_order::finding::{bits, hexadecimal};

use super::State;
use crate::ui::table::{Table, numbers, words};
use crate::widgets::glass::Glass;
use crate::widgets::kernels::{Job, Runner};

/// A run, and its bits: here, and on the CPU.
type Ran = (Measured, [u32; 2]);

/// The kernels that sum.
fn kernels() -> impl Iterator<Item = &'static Kernel> {
    KERNELS.iter().filter(|kernel| kernel.family == "sum")
}

fn size(state: State) -> (String, Vec<u64>) {
    let (query, list) = Sum { n: state.params().with(|p| p.n.into()) }.sizes();
    (query.to_string(), list)
}

/// Runs all of them, one after the other.
pub(super) fn run(state: State, runner: Runner) {
    let (query, sizes) = untrack(|| size(state));
    let job =
        |kernel: &Kernel| Job { family: kernel.family, kernel: kernel.id, sizes: sizes.clone(), query: query.clone() };
    runner.run(kernels().map(job).collect(), |_| None);
}

/// What came out, of each kernel that has run at this size. Tracks.
fn results(state: State, runner: Runner) -> Vec<(&'static Kernel, Option<Ran>)> {
    let (query, _) = size(state);
    let ran = |kernel: &'static Kernel| {
        let measured = runner.last(kernel.family, kernel.id, &query);
        (kernel, measured.and_then(|m| Some((m.clone(), m.bits?))))
    };
    kernels().map(ran).collect()
}

/// What the bits say, once all kernels have run. Tracks.
pub(super) fn finding(state: State, runner: Runner) -> Option<String> {
    if state.params().with(|p| p.show != View::Gpu) {
        return None;
    }
    let ran: Vec<Ran> = results(state, runner).into_iter().map(|(_, ran)| ran).collect::<Option<_>>()?;
    let (first, _) = ran.first()?;
    let mut codes: Vec<u32> = ran.iter().map(|(_, [here, _])| *here).collect();
    codes.sort_unstable();
    codes.dedup();
    let ordered = || kernels().zip(&ran).filter(|(kernel, _)| kernel.has_order()).map(|(_, ran)| ran);
    let as_on_cpu = ordered().filter(|(_, [here, cpu])| here == cpu).count();
    let note = match as_on_cpu {
        all if all == ordered().count() => {
            "Each that has an order has the bits that the CPU gets in the same order.".to_owned()
        }
        some => format!(
            "{some} of {} that have an order have the bits that the CPU gets in it; WGSL allows a compiler to add in another.",
            ordered().count()
        ),
    };
    let again = match arrivals(state, runner) {
        (runs, sums) if runs > 1 => format!(" Atomics came to {sums} different sums in {runs} runs."),
        _ => " Run them again: only atomics may change.".to_owned(),
    };
    Some(format!("On {}, {} orders come to {} different sums. {note}{again}", first.ran_on(), ran.len(), codes.len()))
}

/// Runs of the kernel without an order at this size, and the different sums that they came to. Tracks.
fn arrivals(state: State, runner: Runner) -> (usize, usize) {
    let (query, _) = size(state);
    let query = query.to_string();
    let without = |m: &Measured| kernels().any(|k| !k.has_order() && k.family == m.family && k.id == m.kernel);
    runner.measured().with(|all| {
        let runs = all.iter().filter(|m| without(m) && m.sizes == query).filter_map(|m| Some(m.bits?[0]));
        let mut sums: Vec<u32> = runs.collect();
        let count = sums.len();
        sums.sort_unstable();
        sums.dedup();
        (count, sums.len())
    })
}

/// The kernels with their bits, and what runs them.
pub(super) fn view(state: State, runner: Runner) -> AnyView {
    let busy = Memo::new(move |_| !runner.idle());
    let start = view! {
        <button type="button" disabled=move || busy.get() on:click=move |_| run(state, runner)>
            "Run all six"
        </button>
    };
    let glass = Glass::new();
    let step = move |kernel: &'static Kernel| {
        let (family, kernel) = (kernel.family.to_owned(), kernel.id.to_owned());
        glass.open(Source::Kernel { family, kernel, sizes: Vec::new() });
    };
    let rows = move || {
        let all = results(state, runner);
        let reference = all.first().and_then(|(_, ran)| ran.as_ref()).map(|(_, [here, _])| *here);
        let row = |(kernel, ran): (&'static Kernel, Option<Ran>)| {
            let code = ran.as_ref().map_or(0, |(_, [here, _])| *here);
            let (same, differing) = match ran {
                Some(_) => bits(FP32, code.into(), reference.unwrap_or(code).into()),
                None => ("–".to_owned(), String::new()),
            };
            let in_order = ran.as_ref().filter(|_| kernel.has_order());
            let cpu = in_order.map_or("–".to_owned(), |(_, [_, cpu])| hexadecimal((*cpu).into(), 32));
            view! {
                <tr>
                    <th scope="row">{kernel.label}</th>
                    <td class="code">{same}<b>{differing}</b></td>
                    <td class="number">{ran.map_or("–".to_owned(), |_| hexadecimal(code.into(), 32))}</td>
                    <td class="number">{cpu}</td>
                    <td>
                        <button type="button" class="quiet" aria-label=format!("Step {}", kernel.label) on:click=move |_| step(kernel)>
                            "Step it"
                        </button>
                    </td>
                </tr>
            }
        };
        all.into_iter().map(row).collect_view()
    };
    view! {
        {runner.actions(start.into_any())}
        <Table
            columns=[words("Kernel"), words("Bits on this device"), numbers("The same"), numbers("On the CPU, same order"), words("Stepper")]
            rows=rows.into_any()
        />
        {glass.view()}
        {runner.messages(move || runner.measured().with(|all| all.last().cloned()))}
        <p class="fine">"Bits from the first that differs from the first kernel’s stand out."</p>
    }
    .into_any()
}
