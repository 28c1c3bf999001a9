//! The node that `nvidia-smi topo -m` describes: GPUs and network cards, and how each pair is joined.

use leptos::prelude::*;
use ringside_core::run::{Hop, Run, Topology};

/// Width of a device, and from one to the next.
const WIDE: f64 = 58.0;
const STEP: f64 = 74.0;
/// Where GPUs and network cards stand.
const GPU: f64 = 70.0;
const NIC: f64 = 170.0;

/// The drawing, if the run has a matrix.
pub(super) fn of(run: &Run) -> AnyView {
    match run.cluster.topology.as_deref().and_then(Topology::read) {
        Some(topology) => view(&topology),
        None => ().into_any(),
    }
}

fn view(topology: &Topology) -> AnyView {
    view! {
        <section class="run-node">
            <h2>"The node"</h2>
            <p class="finding" role="note">{topology.finding()}</p>
            {drawing(topology)} {matrix(topology)}
        </section>
    }
    .into_any()
}

fn class(hop: Hop) -> &'static str {
    match hop {
        Hop::NvLink(_) => "fast",
        hop if hop.is_slow() => "slow",
        _ => "near",
    }
}

fn drawing(topology: &Topology) -> AnyView {
    let gpus = topology.gpus();
    let nics: Vec<usize> = (0..topology.devices.len()).filter(|i| !gpus.contains(i)).collect();
    let x = |place: usize| 8.0 + place as f64 * STEP;
    let middle = |place: usize| x(place) + WIDE / 2.0;
    let width = 16.0 + gpus.len().max(nics.len()) as f64 * STEP;
    let name = |i: usize| topology.devices.get(i).map(|d| d.name.clone()).unwrap_or_default();
    let boxed = |place: usize, device: usize, y: f64, kind: &'static str| {
        view! {
            <g class=kind>
                <rect x=x(place) y=y width=WIDE height="30" rx="5" />
                <text x=middle(place) y=y + 20.0>{name(device)}</text>
            </g>
        }
    };
    let inside = match topology.slowest() {
        Some(Hop::NvLink(n)) => {
            let wires = (0..gpus.len())
                .map(|place| view! { <line class="fast" x1=middle(place) y1="38" x2=middle(place) y2=GPU /> });
            view! {
                <rect class="switch" x="8" y="12" width=width - 16.0 height="26" rx="5" />
                <text x=width / 2.0 y="30">{format!("NVLink, {n} links per pair")}</text>
                {wires.collect_view()}
            }
            .into_any()
        }
        // A path for each neighbor: the rest is in the matrix.
        _ => {
            let pairs = gpus.windows(2).enumerate().filter_map(|(place, pair)| {
                let hop = topology.hop(*pair.first()?, *pair.last()?)?;
                let (from, to) = (middle(place), middle(place + 1));
                let path = format!("M{from} {GPU} Q{} 24 {to} {GPU}", (from + to) / 2.0);
                Some(view! {
                    <path class=class(hop) d=path />
                    <text x=(from + to) / 2.0 y="38">{hop.label()}</text>
                })
            });
            pairs.collect_view().into_any()
        }
    };
    let to_nics = gpus.iter().enumerate().filter_map(|(place, gpu)| {
        let (near, hop) = topology.nics(*gpu)?;
        let ends = near.iter().filter_map(|nic| nics.iter().position(|n| n == nic));
        Some(
            ends.map(
                move |end| view! { <line class=class(hop) x1=middle(place) y1=GPU + 30.0 x2=middle(end) y2=NIC /> },
            )
            .collect_view(),
        )
    });
    let label = topology.finding();
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label="Drawing of the node">
            <svg class="node-drawing" role="img" aria-label=label viewBox=format!("0 0 {width} 210") width=width height="210">
                {inside} {to_nics.collect_view()}
                {gpus.iter().enumerate().map(|(place, gpu)| boxed(place, *gpu, GPU, "gpu")).collect_view()}
                {nics.iter().enumerate().map(|(place, nic)| boxed(place, *nic, NIC, "nic")).collect_view()}
            </svg>
        </div>
        <p class="small sans">
            "Lines lead from each GPU to its nearest network cards. A dashed line goes through a CPU."
        </p>
    }
    .into_any()
}

/// Every pair, for reading and hearing.
fn matrix(topology: &Topology) -> AnyView {
    let n = topology.devices.len();
    let heads = topology.devices.iter().map(|d| view! { <th scope="col">{d.name.clone()}</th> }).collect_view();
    let rows = (0..n).map(|a| {
        let cells = (0..n).map(|b| match topology.hop(a, b) {
            Some(hop) => view! { <td class=class(hop) title=hop.meaning()>{hop.label()}</td> }.into_any(),
            None => view! { <td>"–"</td> }.into_any(),
        });
        let name = topology.devices.get(a).map(|d| d.name.clone()).unwrap_or_default();
        view! { <tr><th scope="row">{name}</th>{cells.collect_view()}</tr> }
    });
    view! {
        <details>
            <summary class="sans">"Every pair"</summary>
            <div class="scroll" tabindex="0" role="group" aria-label="How each pair of devices is joined">
                <table class="node-matrix">
                    <thead>
                        <tr>
                            <td></td>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
        </details>
    }
    .into_any()
}
