//! The small model on several ranks: every matrix cut as the split says, every collective run and written down.

mod backward;
mod forward;

use super::local::Normed;
use super::matrix::Matrix;
use super::sharded::{COLS, Layout, Sharded};
use super::small::{Half, Outcome, Small, Weights};
use super::split::{Cut, Split};
use super::trace::{Concept, Exchange, Panel, Part, Phase, Slot, Step};
use crate::collective::Op;

/// A run of the small model on several ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The weights as they are cut.
    pub weights: Weights<Sharded>,
    /// Every step, in order.
    pub steps: Vec<Step>,
    /// What came of it, put together from all ranks.
    pub outcome: Outcome,
}

/// What half a layer keeps for its backward pass.
struct Kept {
    normed: Vec<Normed>,
    /// What the norm put out, as it is held.
    input: Sharded,
    /// What the first matrices read.
    read: Sharded,
    mids: Vec<Sharded>,
    softmax: Vec<Vec<Matrix>>,
    /// What the second matrix read.
    act: Sharded,
}

/// The ranks at work.
struct Ranks<'a> {
    small: &'a Small,
    ranks: usize,
    split: Split,
    sequence: bool,
    weights: Weights<Sharded>,
    steps: Vec<Step>,
}

/// How the weights of `small` are cut: by `split` within the layer, by vocabulary outside.
pub fn cut(small: &Small, ranks: usize, split: Split) -> Weights<Sharded> {
    let lay = |m: &Matrix, layout| Sharded::lay(m, layout, ranks);
    let half = |half: &Half<Matrix>, attention: bool| Half {
        gain: lay(&half.gain, Layout::Full),
        bias: lay(&half.bias, Layout::Full),
        first: half
            .first
            .iter()
            .enumerate()
            .map(|(i, w)| {
                let copies = if attention && i > 0 { copies(small, ranks) } else { 1 };
                lay(w, if split.first == Cut::Columns { Layout::Cols { copies } } else { Layout::Rows })
            })
            .collect(),
        second: lay(&half.second, if split.second == Cut::Columns { COLS } else { Layout::Rows }),
    };
    let [attention, mlp] = &small.weights.halves;
    Weights {
        embedding: lay(&small.weights.embedding, Layout::Rows),
        halves: [half(attention, true), half(mlp, false)],
        head: lay(&small.weights.head, COLS),
    }
}

/// Ranks that hold the same key–value head.
fn copies(small: &Small, ranks: usize) -> usize {
    (ranks / small.sizes.kv_heads.max(1)).max(1)
}

/// One step of training on `ranks` ranks, which must divide every size that is cut. Sequence parallelism is for the split
/// by columns and then rows; it is not used with another.
pub fn run(small: &Small, ranks: usize, split: Split, sequence: bool) -> Run {
    let sequence = sequence && split == Split::PAIR;
    let weights = cut(small, ranks, split);
    let mut at = Ranks { small, ranks, split, sequence, weights, steps: Vec::new() };
    let outcome = at.train();
    Run { weights: at.weights, steps: at.steps, outcome }
}

fn panel(name: &str, concept: Concept, held: &Sharded) -> Panel {
    Panel { name: name.to_owned(), concept, held: held.clone() }
}

fn panels(names: &[&str], concept: Concept, list: &[Sharded]) -> Vec<Panel> {
    names.iter().zip(list).map(|(name, held)| panel(name, concept, held)).collect()
}

impl Ranks<'_> {
    fn note(
        &mut self,
        (phase, part, slot): (Phase, Part, Slot),
        title: &'static str,
        [inputs, factors, outputs]: [Vec<Panel>; 3],
        say: String,
    ) {
        self.steps.push(Step { phase, part, slot, title, inputs, factors, outputs, exchange: None, say });
    }

    /// Changes how matrices are held, by a collective that is written down with them.
    fn exchange(
        &mut self,
        place: (Phase, Part, Slot),
        op: Op,
        (names, concept): (&[&str], Concept),
        (from, layouts): (&[Sharded], &[Layout]),
        say: &str,
    ) -> Vec<Sharded> {
        let to: Vec<Sharded> = from.iter().zip(layouts).map(|(m, &layout)| m.to(layout)).collect();
        let elements = to.iter().map(|m| m.whole()).map(|m| m.rows * m.cols).sum();
        let title = match op {
            Op::AllReduce => "all-reduce",
            Op::ReduceScatter => "reduce-scatter",
            _ => "all-gather",
        };
        let matrices = [panels(names, concept, from), Vec::new(), panels(names, concept, &to)];
        self.note(place, title, matrices, say.to_owned());
        if let Some(step) = self.steps.last_mut() {
            let of_layer = matches!(place.1, Part::Attention | Part::Mlp);
            step.exchange = Some(Exchange { op, elements, again: false, of_layer });
        }
        to
    }

    fn exchange_one(
        &mut self,
        place: (Phase, Part, Slot),
        op: Op,
        name: (&str, Concept),
        from: &Sharded,
        layout: Layout,
        say: &str,
    ) -> Sharded {
        self.exchange(place, op, (&[name.0], name.1), (std::slice::from_ref(from), &[layout]), say)
            .pop()
            .unwrap_or_else(|| from.clone())
    }

    /// Marks the exchange that was just written down.
    fn mark(&mut self, change: impl FnOnce(&mut Exchange)) {
        if let Some(exchange) = self.steps.last_mut().and_then(|step| step.exchange.as_mut()) {
            change(exchange);
        }
    }

    /// How the residual stream is held.
    fn stream(&self) -> Layout {
        if self.sequence { Layout::Rows } else { Layout::Full }
    }

    fn train(&mut self) -> Outcome {
        let x = self.look_up();
        let (middle, kept_attention) = self.forward(Part::Attention, &x);
        let (output, kept_mlp) = self.forward(Part::Mlp, &middle);
        let (loss, d_output, head) = self.loss(&output);
        let (d_middle, mlp) = self.backward(Part::Mlp, &d_output, &kept_mlp);
        let (d_x, attention) = self.backward(Part::Attention, &d_middle, &kept_attention);
        let embedding = self.look_up_backward(&d_x);
        let gradients = Weights { embedding, halves: [attention, mlp], head };
        Outcome { loss, output: output.whole(), input_gradient: d_x.whole(), gradients }
    }

    fn names(&self, part: Part) -> [&'static [&'static str]; 4] {
        match part {
            Part::Attention => [&["Wq", "Wk", "Wv"], &["Q", "K", "V"], &["dQ", "dK", "dV"], &["dWq", "dWk", "dWv"]],
            _ if self.small.sizes.gated => [&["Wgate", "Wup"], &["G", "U"], &["dG", "dU"], &["dWgate", "dWup"]],
            _ => [&["Wup"], &["U"], &["dU"], &["dWup"]],
        }
    }

    fn half(&self, part: Part) -> Half<Sharded> {
        self.weights.halves[usize::from(part == Part::Mlp)].clone()
    }

    /// What a matrix read in the forward pass, once more: under sequence parallelism only a rank's own tokens were kept.
    fn again(&mut self, part: Part, name: &str, kept: &Sharded, read: &Sharded) -> Sharded {
        if !self.sequence {
            return read.clone();
        }
        let say = "Only a rank’s own tokens were kept, so the input is gathered once more for the gradient of the weights. It runs while the gradient of the input is computed, which does not need it.";
        let again = self.exchange_one(
            (Phase::Backward, part, Slot::In),
            Op::AllGather,
            (name, Concept::Activations),
            kept,
            Layout::Full,
            say,
        );
        self.mark(|exchange| exchange.again = true);
        again
    }
}
