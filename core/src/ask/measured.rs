//! A measured speed in a question: "MFU 18% on 32 A100s". What published runs reach, and the page that says where the time goes.

use std::fmt::Write as _;

use super::read::{Reading, What};
use super::{Answered, RUN};
use crate::hardware::Accelerator;
use crate::planner::published;
use crate::quantity::{Unit, counted};
use crate::query::{Query, plain};

/// What it is called.
const TITLE: &str = "Compare your run";

/// The page with what the question says of a run; none where the question names no GPU, or no speed.
pub(super) fn of(reading: &Reading) -> Option<Answered> {
    let gpu = reading.gpu?;
    let says = match (reading.mfu, reading.step) {
        (Some(mfu), _) => format!("{} {NEXT}", typical(mfu, gpu)),
        (None, Some(_)) => format!("Whether that is slow depends on the model, the batch and the layout. {NEXT}"),
        (None, None) => return None,
    };
    let query = Query::new([("r", file(reading, gpu))]);
    let takes = |what: What| matches!(what, What::Model | What::Gpu | What::Cluster | What::Mfu | What::Step);
    let (read, unused): (Vec<_>, Vec<_>) = reading.said.iter().cloned().partition(|(what, _)| takes(*what));
    let texts = |said: Vec<(What, String)>| said.into_iter().map(|(_, text)| text);
    let unused = texts(unused).chain(reading.unread.iter().cloned()).collect();
    Some(Answered { figure: RUN, title: TITLE, query, read: texts(read).collect(), unused, says })
}

const NEXT: &str =
    "Add your configuration and ten lines of output, and the page divides the gap to the prediction among its causes.";

/// How an MFU stands among published runs: those on the same GPU, if there are any.
fn typical(mfu: f64, gpu: &Accelerator) -> String {
    let runs = published::all();
    let family = |gpu: &Accelerator| gpu.name.split(' ').next().unwrap_or_default();
    let own = || runs.iter().filter(|run| family(run.job.cluster.gpu) == family(gpu));
    let (mut reached, on): (Vec<f64>, _) = match own().count() {
        0 => (runs.iter().map(published::Published::mfu).collect(), "other GPUs".to_owned()),
        _ => {
            let is_same = own().all(|run| run.job.cluster.gpu.id == gpu.id);
            let on = if is_same { "this GPU".to_owned() } else { format!("another {}", family(gpu)) };
            (own().map(published::Published::mfu).collect(), on)
        }
    };
    reached.sort_by(f64::total_cmp);
    let share = |value: f64| Unit::Fraction.format(value);
    let (Some(least), Some(most)) = (reached.first(), reached.last()) else { return String::new() };
    let middle = reached.get(reached.len() / 2).unwrap_or(most);
    let judged = if mfu < *least {
        "is low"
    } else if mfu < *middle {
        "is in the lower half of what others reach"
    } else if mfu <= *most {
        "is in the upper half of what others reach"
    } else {
        "is more than published runs reach"
    };
    format!(
        "{} {judged}: {} on {on} reached {} to {}, half of them {} or more. At {} of {} a GPU does {} of useful work.",
        share(mfu),
        counted(reached.len() as u64, "published run", "published runs"),
        share(*least),
        share(*most),
        share(*middle),
        share(mfu),
        Unit::FlopPerSecond.format(gpu.peak),
        Unit::FlopPerSecond.format(mfu * gpu.peak),
    )
}

/// What the question says, as a run file.
fn file(reading: &Reading, gpu: &Accelerator) -> String {
    let mut text = String::new();
    match (reading.preset, reading.params) {
        (Some(preset), _) => _ = write!(text, "[model]\nname = \"{}\"\n\n", preset.id),
        (None, Some(params)) => _ = write!(text, "[model]\nparameters = {}\n\n", plain(params)),
        (None, None) => {}
    }
    _ = write!(text, "[cluster]\ngpu = \"{}\"\n", gpu.id);
    if let Some([node, nodes]) = reading.cluster() {
        _ = write!(text, "node = {node}\nnodes = {nodes}\n");
    }
    for (name, value) in [("mfu", reading.mfu), ("step-time", reading.step)] {
        if let Some(value) = value {
            _ = write!(text, "\n[measured.{name}]\nvalue = {}\nfrom = \"your question\"\n", plain(value));
        }
    }
    text
}
