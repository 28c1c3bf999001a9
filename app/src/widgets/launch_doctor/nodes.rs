//! Nodes with their GPUs, the processes on them, and what a process sees.

use leptos::prelude::*;
use ringside_core::launch::world::{Process, host};
use ringside_core::launch::{Launch, Outcome, Params};

use crate::ui::state::State;
use crate::ui::table::{Table, numbers, words};

/// Every node, its GPUs, and the rank that has each.
pub(super) fn view(state: State<Params>, launch: Memo<Launch>) -> AnyView {
    let params = state.params();
    let rows = move || {
        let (nodes, gpus, looked) = params.with(|p| (p.nodes, p.gpus, (p.node, p.local)));
        launch.with(|l| {
            let row = |node: u64| {
                let on: Vec<&Process> = l.processes.iter().filter(|p| p.node == node).collect();
                let cells: Vec<AnyView> = (0..gpus)
                    .map(|gpu| {
                        let here = on.iter().copied().filter(|p| p.device == Some(gpu)).collect::<Vec<_>>();
                        cell(state, l, node, Some(gpu), &here, looked)
                    })
                    .collect();
                let without: Vec<&Process> = on.iter().copied().filter(|p| p.device.is_none()).collect();
                let homeless = (!without.is_empty()).then(|| cell(state, l, node, None, &without, looked));
                view! {
                    <div class="launch-node">
                        <span class="launch-host">{host(node)}</span>
                        <div class="launch-gpus">{cells}</div>
                        {homeless}
                    </div>
                }
            };
            (0..nodes).map(row).collect_view()
        })
    };
    view! { <div class="launch-nodes" data-seen="" role="group" aria-label="Nodes, their GPUs, and the ranks on them">{rows}</div> }
        .into_any()
}

/// A GPU with the ranks that take it, or the place of those that take none.
fn cell(
    state: State<Params>,
    l: &Launch,
    node: u64,
    gpu: Option<u64>,
    here: &[&Process],
    looked: (u64, u64),
) -> AnyView {
    let ranks: Vec<String> = here.iter().map(|p| p.rank.map_or("?".into(), |rank| rank.to_string())).collect();
    let text = match ranks.as_slice() {
        [] => "–".to_owned(),
        [one] => one.clone(),
        [one, two] => format!("{one} {two}"),
        [one, .., last] => format!("{one}…{last}"),
    };
    let Some(first) = here.first() else {
        return view! { <span class="launch-gpu empty" title="nobody takes this GPU">{text}</span> }.into_any();
    };
    let local = first.local_rank.unwrap_or(0);
    let kind = match l.outcome() {
        Outcome::Trains | Outcome::Silent if first.world == 0 => "trains",
        Outcome::Trains | Outcome::Silent => "trains other",
        Outcome::Hangs | Outcome::Unread => "waits",
        _ => "fails",
    };
    let crowded = if here.len() > 1 || gpu.is_none() { " crowded" } else { "" };
    let place = gpu.map_or("no GPU".to_owned(), |gpu| format!("GPU {gpu}"));
    let who = if ranks.len() == 1 { "rank" } else { "ranks" };
    let label = format!("{text}: {who} on {}, {place}", host(node));
    let class = format!("launch-gpu {kind}{crowded}");
    let look = move |_| state.update(|p| (p.node, p.local) = (node, local));
    view! {
        <button type="button" class=class aria-label=label aria-pressed=((node, local) == looked).to_string() on:click=look>
            {text}
        </button>
    }
    .into_any()
}

/// The environment of the process that is looked at.
pub(super) fn process(params: Memo<Params>, launch: Memo<Launch>) -> AnyView {
    let shown = move || {
        params.with(|p| {
            launch.with(|l| {
                let Some(process) = p.looked_at(l) else {
                    return view! { <p class="fine">"There is no process to look at."</p> }.into_any();
                };
                let number = |n: Option<u64>| n.map_or("not set".to_owned(), |n| n.to_string());
                let text = |t: &str| if t.is_empty() { "not set".to_owned() } else { t.to_owned() };
                let seen: Vec<String> = process.visible.iter().map(u64::to_string).collect();
                let entries = [
                    ("host", host(process.node)),
                    ("RANK", number(process.rank)),
                    ("LOCAL_RANK", number(process.local_rank)),
                    ("WORLD_SIZE", number(process.world_size)),
                    ("MASTER_ADDR", text(&process.master)),
                    ("MASTER_PORT", text(&process.port)),
                    ("GPUs seen", text(&seen.join(" "))),
                    ("GPU taken", process.device.map_or("none".to_owned(), |gpu| gpu.to_string())),
                ];
                let entry =
                    |(name, value): (&'static str, String)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> };
                view! { <dl class="launch-process">{entries.map(entry).collect_view()}</dl> }.into_any()
            })
        })
    };
    view! { <div class="launch-looked">{shown}</div> }.into_any()
}

/// Every process and what it sees.
pub(super) fn table(launch: Memo<Launch>) -> AnyView {
    let rows = move || {
        launch.with(|l| {
            let number = |n: Option<u64>| n.map_or("–".to_owned(), |n| n.to_string());
            let row = |p: &Process| {
                view! {
                    <tr>
                        <th scope="row">{host(p.node)}</th>
                        <td class="number">{number(p.rank)}</td>
                        <td class="number">{number(p.local_rank)}</td>
                        <td class="number">{number(p.world_size)}</td>
                        <td>{format!("{}:{}", p.master, p.port)}</td>
                        <td class="number">{p.visible.len()}</td>
                        <td class="number">{number(p.device)}</td>
                    </tr>
                }
            };
            l.processes.iter().map(row).collect_view()
        })
    };
    view! {
        <Table
            caption="Every process, and what it sees"
            columns=[
                words("Host"),
                numbers("RANK"),
                numbers("LOCAL_RANK"),
                numbers("WORLD_SIZE"),
                words("meets at"),
                numbers("GPUs seen"),
                numbers("GPU taken"),
            ]
            rows=rows.into_any()
        />
    }
    .into_any()
}
