//! The node that `nvidia-smi topo -m` describes: which GPUs and network cards share a switch and a CPU, and which path is slow.

use leptos::prelude::*;
use ringside_core::run::{Hop, Run, Socket, Topology};

/// Width of a device, and from one to the next.
const WIDE: f64 = 58.0;
const STEP: f64 = 68.0;
/// Between switches, and between sockets.
const GAP: f64 = 14.0;
const FAR: f64 = 44.0;
/// Where things stand, and how high they are.
const GPU: f64 = 58.0;
const SWITCH: f64 = 116.0;
const NIC: f64 = 162.0;
const CPU: f64 = 220.0;
const TALL: f64 = 28.0;
const FLAT: f64 = 22.0;

/// The drawing, if the run has a matrix.
pub(super) fn of(run: &Run) -> AnyView {
    let Some(topology) = run.cluster.topology.as_deref().and_then(Topology::read) else { return ().into_any() };
    view! {
        <section class="run-node">
            <h2>"The node"</h2>
            <p class="finding" role="note">{topology.finding()}</p>
            {drawing(&topology)} {matrix(&topology)}
        </section>
    }
    .into_any()
}

fn class(hop: Hop) -> &'static str {
    if hop.is_direct() {
        "fast"
    } else if hop.is_slow() {
        "slow"
    } else {
        "near"
    }
}

/// What is drawn, from left to right.
struct Pen<'a> {
    topology: &'a Topology,
    slowest: Option<Hop>,
    x: f64,
    /// The middle of each GPU that was drawn.
    gpus: Vec<(usize, f64)>,
    parts: Vec<AnyView>,
}

impl Pen<'_> {
    fn is_gpu(&self, device: usize) -> bool {
        self.topology.devices.get(device).is_some_and(|d| d.is_gpu)
    }

    /// Whether a path of one of these kinds is the slowest between two GPUs.
    fn is_slowest(&self, hops: &[Hop]) -> bool {
        self.slowest.is_some_and(|slowest| hops.contains(&slowest))
    }

    fn block(&mut self, x: f64, y: f64, [width, height]: [f64; 2], class: &'static str, text: String) {
        let middle = x + width / 2.0;
        self.parts.push(
            view! {
                <g class=class>
                    <rect x=x y=y width=width height=height rx="5" />
                    <text x=middle y=y + height / 2.0 + 4.0>{text}</text>
                </g>
            }
            .into_any(),
        );
    }

    fn line(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2], class: &'static str) {
        self.parts.push(view! { <line class=class x1=x1 y1=y1 x2=x2 y2=y2 /> }.into_any());
    }

    fn device(&mut self, device: usize, x: f64, y: f64) {
        let name = self.topology.devices.get(device).map(|d| d.name.clone()).unwrap_or_default();
        let class = if self.is_gpu(device) { "gpu" } else { "nic" };
        self.block(x, y, [WIDE, TALL], class, name);
    }

    /// A switch with its devices, or a device without one.
    fn switch(&mut self, members: &[usize], has_cpu: bool) {
        let left = self.x;
        let (gpus, nics): (Vec<usize>, Vec<usize>) = members.iter().copied().partition(|i| self.is_gpu(*i));
        let is_switch = members.len() > 1;
        for (place, gpu) in gpus.iter().enumerate() {
            let x = left + place as f64 * STEP;
            let middle = x + WIDE / 2.0;
            self.gpus.push((*gpu, middle));
            if is_switch || has_cpu {
                self.line([middle, GPU + TALL], [middle, if is_switch { SWITCH } else { CPU }], "near");
            }
            self.device(*gpu, x, GPU);
        }
        for (place, nic) in nics.iter().enumerate() {
            let x = left + place as f64 * STEP;
            let middle = x + WIDE / 2.0;
            match is_switch {
                true => self.line([middle, SWITCH + FLAT], [middle, NIC], "near"),
                false if has_cpu => self.line([middle, NIC + TALL], [middle, CPU], "near"),
                false => {}
            }
            self.device(*nic, x, NIC);
        }
        let columns = gpus.len().max(nics.len()).max(1);
        let width = columns as f64 * STEP - (STEP - WIDE);
        if is_switch {
            let has_several =
                members.iter().any(|a| members.iter().any(|b| self.topology.hop(*a, *b) == Some(Hop::Pxb)));
            let name = match (columns, has_several) {
                (1, _) => "PCIe",
                (_, true) => "PCIe switches",
                (_, false) => "PCIe switch",
            };
            let class = if self.is_slowest(&[Hop::Pix, Hop::Pxb]) { "switch slow" } else { "switch" };
            self.line([left - GAP / 2.0, SWITCH + FLAT / 2.0], [left, SWITCH + FLAT / 2.0], "near");
            self.line([left - GAP / 2.0, SWITCH + FLAT / 2.0], [left - GAP / 2.0, CPU], "near");
            self.block(left, SWITCH, [width, FLAT], class, name.to_owned());
        }
        self.x = left + width + GAP;
    }

    fn socket(&mut self, socket: &Socket) {
        let left = self.x - GAP / 2.0;
        for members in &socket.switches {
            self.switch(members, socket.is_known);
        }
        let right = self.x - GAP / 2.0;
        if socket.is_known {
            let name = if socket.numa.is_empty() { "CPU".to_owned() } else { format!("CPU, NUMA {}", socket.numa) };
            let class = if self.is_slowest(&[Hop::Phb, Hop::Node]) { "cpu slow" } else { "cpu" };
            self.block(left, CPU, [right - left, FLAT], class, name);
        }
        self.x = right + FAR;
    }
}

fn drawing(topology: &Topology) -> AnyView {
    let mut pen = Pen { topology, slowest: topology.slowest(), x: 16.0, gpus: Vec::new(), parts: Vec::new() };
    let sockets = topology.sockets();
    for (i, socket) in sockets.iter().enumerate() {
        if i > 0 && socket.is_known {
            let (y, class) = (CPU + FLAT / 2.0, if pen.is_slowest(&[Hop::Sys]) { "slow" } else { "near" });
            let (from, to) = (pen.x - FAR, pen.x - GAP / 2.0);
            pen.line([from, y], [to, y], class);
            pen.parts
                .push(view! { <text class=class x=(from + to) / 2.0 y=y - 6.0>{Hop::Sys.label()}</text> }.into_any());
        }
        pen.socket(socket);
    }
    let width = pen.x - FAR + 16.0;
    let middle = |gpu: usize| pen.gpus.iter().find(|(i, _)| *i == gpu).map(|(_, x)| *x);
    // Every pair at once, or an arc for each pair.
    let nvlink = match topology.wires() {
        Some(wires) => {
            let lines = pen.gpus.iter().map(|(_, x)| view! { <line class="fast" x1=*x y1="34" x2=*x y2=GPU /> });
            view! {
                {lines.collect_view()}
                <g class="fast">
                    <rect x="9" y="10" width=width - 18.0 height="24" rx="5" />
                    <text x=width / 2.0 y="26">{wires}" between each pair"</text>
                </g>
            }
            .into_any()
        }
        None => {
            let arcs = topology.direct().into_iter().filter_map(|(a, b, hop)| {
                let (from, to) = (middle(a)?, middle(b)?);
                let path = format!("M{from} {GPU} Q{} 14 {to} {GPU}", (from + to) / 2.0);
                Some(view! {
                    <path class="fast" d=path />
                    <text class="fast" x=(from + to) / 2.0 y="30">{hop.label()}</text>
                })
            });
            arcs.collect_view().into_any()
        }
    };
    let height = CPU + FLAT + 10.0;
    let legend = sockets.iter().any(|socket| socket.is_known) && topology.slowest().is_some_and(|hop| !hop.is_direct());
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label="Drawing of the node">
            <svg
                class="node-drawing"
                role="img"
                aria-label=topology.finding()
                viewBox=format!("0 0 {width} {height}")
                width=width
                height=height
            >
                {nvlink}
                {pen.parts}
            </svg>
        </div>
        {legend.then(|| view! { <p class="small sans">"Dashed: the slowest path between two GPUs goes through it."</p> })}
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
        <details class="no-print">
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
