//! The GPUs of a cluster, with the process that a launch puts on each.

use ringside_core::launch::world::{Process, host};
use ringside_core::launch::{Launch, Params};
use ringside_core::quantity::counted;

use crate::chart::Ink;
use crate::form::{Cell, Cells, Head, Tone};

const FREE: Tone = Ink::Line.at(70);
const ALONE: Tone = Ink::Weights.at(90);
const CROWDED: Tone = Ink::Warn.at(80);

/// A row for each node; the number is `RANK`.
pub fn picture(p: &Params, launch: &Launch) -> Cells {
    let on = |node: u64, gpu: u64| -> Vec<&Process> {
        launch.processes.iter().filter(|process| process.node == node && process.device == Some(gpu)).collect()
    };
    let cell = |(node, gpu): (u64, u64)| {
        let here = on(node, gpu);
        let tone = match here.len() {
            0 => FREE,
            1 => ALONE,
            _ => CROWDED,
        };
        let rank = |process: &&Process| process.rank.map_or("–".to_owned(), |rank| rank.to_string());
        let text = here.iter().map(rank).collect::<Vec<_>>().join(", ");
        Cell::new(gpu as f64, node as f64, tone).text(text)
    };
    let all = (0..p.nodes).flat_map(|node| (0..p.gpus).map(move |gpu| (node, gpu)));
    let keys = [(ALONE, "a process, with its rank"), (CROWDED, "several processes on one GPU"), (FREE, "free")];
    let title = format!(
        "{} on {}",
        counted(launch.processes.len() as u64, "process", "processes"),
        counted(p.nodes * p.gpus, "GPU", "GPUs")
    );
    Cells::new(p.finding(launch), Head::new(title, &keys), [p.gpus as f64, p.nodes as f64], all.map(cell).collect())
        .named((0..p.nodes).map(host), (0..p.gpus).map(|gpu| format!("GPU {gpu}")))
}
