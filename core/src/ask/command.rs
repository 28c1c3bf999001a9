//! A command that starts a serving engine in a question: "vllm serve org/model -tp 4 on 4 A100: does it start?". It is read as `/run` reads one.

use super::measured::TITLE;
use super::read::{Reading, What};
use super::{Answered, RUN};
use crate::quantity::{counted, grouped};
use crate::query::Query;
use crate::run;
use crate::serving::command;

/// The page of runs with the command, and what it says of it; none where the question has no command.
pub(super) fn of(question: &str) -> Option<Answered> {
    let (mut read, around) = command::within(question)?;
    let reading = Reading::of(&around);
    if read.serve.model.is_empty() {
        read.serve.model = reading.preset?.hub.to_owned();
        read.problems.clear();
    }
    let mut card = run::serving_command("your question", 0, &read);
    card.run.cluster.gpu = reading.gpu.map(|gpu| gpu.id.to_owned());
    if let Some([node, nodes]) = reading.cluster() {
        (card.run.cluster.node, card.run.cluster.nodes) = (Some(node), Some(nodes));
    }
    let takes = |what: What| matches!(what, What::Model | What::Gpu | What::Cluster);
    let (used, left): (Vec<_>, Vec<_>) = reading.said.iter().partition(|(what, _)| takes(*what));
    let named = |what: &str, value: &str| if what == "Model" { value.to_owned() } else { format!("{what} {value}") };
    let mut said: Vec<String> = card.found.iter().map(|found| named(&found.what, &found.value)).collect();
    said.extend(used.into_iter().filter(|(what, _)| *what != What::Model).map(|(_, text)| text.clone()));
    let mut unused: Vec<String> = card.unread.iter().map(|unread| unread.text.clone()).collect();
    unused.extend(left.into_iter().map(|(_, text)| text.clone()).chain(reading.unread.iter().cloned()));
    let report = run::serves(&card.run).unwrap_or_default();
    let have = reading.all_gpus();
    let needs = card.run.serving.gpus();
    let says = match reading.gpu {
        Some(_) if have.is_some_and(|have| needs > have) => format!(
            "The engine won’t start: it asks for {}, and there {} {}.",
            counted(needs, "GPU", "GPUs"),
            if have == Some(1) { "is" } else { "are" },
            grouped(have.unwrap_or_default())
        ),
        None => "Name the GPU as well, as in “on 4 H100”, to hear whether it starts.".to_owned(),
        Some(_) if !report.missing.is_empty() => {
            report.missing.iter().map(|missing| missing.sentence.as_str()).collect::<Vec<_>>().join(" ")
        }
        Some(_) => {
            let assumed = report.assumed.iter().map(|assumed| format!(" Assumed: {}", assumed.sentence));
            report.verdict.clone() + &assumed.collect::<String>()
        }
    };
    let query = Query::new([("r", card.run.write())]);
    Some(Answered { figure: RUN, title: TITLE, query, read: said, unused, says })
}
