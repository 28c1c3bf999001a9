//! What happens, in sentences.

use super::{Action, Event, Params, Pass, Prefetch, Run, Strategy};
use crate::quantity::{Unit, counted, number, unbroken};

/// Bytes as every part of the figure writes them: in full, because its model is small.
pub fn bytes(value: f64) -> String {
    unbroken(&if value.abs() < 1e6 { format!("{} B", number(value)) } else { Unit::Bytes.format(value) })
}

impl Event {
    /// The layers that it is about: "layer 2", "layers 0–3".
    pub fn layers(&self) -> String {
        if self.first == self.last {
            format!("layer\u{a0}{}", self.first)
        } else {
            format!("layers\u{a0}{}–{}", self.first, self.last)
        }
    }
}

impl Run {
    /// What event `step` is and why it is needed; before the first, what each rank has.
    pub fn step_finding(&self, step: usize) -> String {
        let p = &self.params;
        let step = step.min(self.steps());
        let Some(event) = self.event(step) else { return self.before() };
        format!("Event {step} of {}, {}: {}.", self.steps(), place(p, event), self.what(step, event))
    }

    fn before(&self) -> String {
        let p = &self.params;
        let numbers = self.mark(0).parameters;
        let moments = match p.strategy {
            Strategy::Ddp => "as well as both of Adam’s moments for all of them",
            _ => "and both of Adam’s moments for its shard",
        };
        let share = if p.strategy.shards_parameters() {
            format!("a shard of every layer, {numbers} of {} parameters", p.size())
        } else {
            format!("all {} parameters", p.size())
        };
        format!("Before the step each of {} ranks has {share}, {moments}.", p.ranks)
    }

    /// One event, as a clause.
    fn what(&self, step: usize, event: &Event) -> String {
        let p = &self.params;
        let before = self.mark(step.saturating_sub(1));
        let sent = bytes(self.mark(step).sent - before.sent);
        let layers = event.layers();
        let their = if event.first == event.last { "its" } else { "their" };
        match event.action {
            Action::Gather => {
                let from = if p.replicas() > 1 { "from the ranks of its node" } else { "from the others" };
                let again = match event.pass {
                    Pass::Backward => " again, because they were freed after the forward pass",
                    _ => ", because it has only a shard of them and computes with all",
                };
                let ahead = match (event.hidden, p.prefetch) {
                    (true, _) => "; another layer is computed first, so the transfer can hide behind it",
                    (false, Prefetch::None) => "; nothing is gathered ahead, so all wait for it",
                    (false, _) => "; the next computation waits for it",
                };
                format!("every rank gathers the parameters of {layers} {from}{again}. It sends {sent}{ahead}")
            }
            Action::Forward => format!(
                "every rank runs {layers} on {} of its own and keeps {their} input for the backward pass",
                unbroken(&counted(p.rows as u64, "row", "rows"))
            ),
            Action::Reshard => {
                let freed = bytes(before.memory.total() - self.mark(step).memory.total());
                format!("every rank frees what it gathered of {layers} and keeps its shard, {freed} less")
            }
            Action::Backward => {
                let sums = match event.micro {
                    0 => "",
                    _ if self.reduces_each_micro() => "",
                    1 => " and adds them to those of the micro-batch before",
                    _ => " and adds them to the sum of the micro-batches before",
                };
                format!(
                    "every rank computes the gradients of {layers} for its own rows{sums}. They differ from rank to rank, \
                     and {their} kept input is freed"
                )
            }
            Action::AllReduce => format!(
                "the gradients of {layers} are summed over all ranks, and each gets the whole sum, because it will update \
                 all parameters. It sends {sent}{}",
                behind(event)
            ),
            Action::ReduceScatter => {
                let over = if p.replicas() > 1 { "the ranks of each node" } else { "all ranks" };
                format!(
                    "the gradients of {layers} are summed over {over}, and each gets only its shard of the sum, because it \
                     will update nothing else. It sends {sent}{}",
                    behind(event)
                )
            }
            Action::AllReduceAcross => format!(
                "ranks with the same shard of {layers} in different nodes add up their nodes’ sums{}. Only a shard crosses between nodes: \
                 each rank sends {sent}{}",
                if p.accumulate == 1 {
                    ""
                } else if p.sums_across_each() {
                    " of this micro-batch"
                } else {
                    ", of all micro-batches at once"
                },
                behind(event)
            ),
            Action::DropGradients => {
                format!("every rank frees the whole gradients of {layers}, because its shard of the sum is enough")
            }
            Action::Update => match p.strategy {
                Strategy::Ddp => format!(
                    "every rank does Adam’s step for all {} parameters, the same arithmetic {} times over",
                    p.size(),
                    p.ranks
                ),
                _ => format!(
                    "every rank does Adam’s step for its own shards, one of {} parts. Nothing is sent",
                    p.sharers()
                ),
            },
            Action::Publish => format!(
                "every rank gets the updated shards of {layers} from the others, because its copy is old but for its own \
                 shard. It sends {sent}"
            ),
            Action::Clear => "the gradients are freed. This is what a rank holds between steps".to_owned(),
        }
    }

    fn reduces_each_micro(&self) -> bool {
        !matches!(self.params.strategy, Strategy::Ddp | Strategy::Zero1)
    }

    /// What the whole comes to.
    pub fn finding(&self) -> String {
        let p = &self.params;
        let peak = self.peak();
        let at = self.event(peak).map_or_else(
            || "before the step".to_owned(),
            |event| format!("after event {peak}, {} of {}", event.action.label().to_lowercase(), event.layers()),
        );
        let end = self.mark(usize::MAX);
        let mut finding = format!(
            "{}: a rank holds at most {}, {at}, and {} between steps; it sends {}, {} times Ψ, of which {} cannot hide behind \
             computation.",
            p.strategy.label(),
            bytes(self.mark(peak).memory.total()),
            bytes(self.resting().total()),
            bytes(end.sent),
            number(self.volume()),
            bytes(end.exposed)
        );
        if end.leaving > 0.0 {
            finding += &format!(" {} leave each node.", bytes(end.leaving));
        }
        finding
    }

    /// How the result compares with the step of one rank.
    pub fn end_finding(&self) -> String {
        let check = &self.check;
        if !check.matches() {
            return format!("The result is not that of a single rank: it differs by up to {:.1e}.", check.largest);
        }
        match check.differ {
            0 => "Every parameter and moment has the very bits that a single rank’s step gives it.".to_owned(),
            some => format!(
                "Parameters and moments are those of a single rank’s step; {some} of {} differ in their last bits, by at most \
                 {:.1e}, because the ring adds gradients in another order.",
                check.compared, check.largest
            ),
        }
    }
}

/// Whether a collective can run beside a computation.
fn behind(event: &Event) -> &'static str {
    if event.hidden { ", while the next layer is computed" } else { ", with nothing left to compute meanwhile" }
}

/// "forward pass", "backward pass of micro-batch 2".
fn place(p: &Params, event: &Event) -> String {
    let micro = if p.accumulate > 1 { format!(" of micro-batch {}", event.micro + 1) } else { String::new() };
    match event.pass {
        Pass::Forward => format!("forward pass{micro}"),
        Pass::Backward => format!("backward pass{micro}"),
        Pass::Update => "optimizer".to_owned(),
    }
}
