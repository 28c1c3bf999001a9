//! What the ranks do backward.

use super::super::local::norm_backward;
use super::super::matrix::Matrix;
use super::super::sharded::{COLS, Layout, Sharded};
use super::super::small::{Half, act_backward};
use super::super::split::{Cut, Split};
use super::super::trace::Concept::{Activations, Gradients, Weights as W};
use super::super::trace::{Exchange, Panel, Part, Phase, Slot};
use super::{Kept, Ranks, panel, panels};
use crate::collective::Op;

impl Ranks<'_> {
    pub(super) fn look_up_backward(&mut self, d: &Sharded) -> Matrix {
        let place = (Phase::Backward, Part::Embedding, Slot::Out);
        let whole = if self.sequence {
            self.exchange_one(place, Op::AllGather, ("dX", Gradients), d, Layout::Full, "The rows of the embedding that a rank owns may belong to any token, so it needs the gradients of all of them.")
        } else {
            d.clone()
        };
        let sizes = self.small.sizes;
        let rows = sizes.vocab / self.ranks.max(1);
        let part = |(rank, d): (usize, &Matrix)| {
            let mut table = Matrix::zero(rows, sizes.hidden);
            for (i, id) in self.small.ids.iter().enumerate() {
                if let Some(row) = id.checked_sub(rank * rows) {
                    d.row(i).iter().enumerate().for_each(|(j, &v)| table.add_at(row, j, v));
                }
            }
            table
        };
        let gradient = Sharded { layout: Layout::Rows, parts: whole.parts.iter().enumerate().map(part).collect() };
        self.note(
            (Phase::Backward, Part::Embedding, Slot::First),
            "gradient of the embedding",
            [vec![panel("dX", Gradients, &whole)], Vec::new(), vec![panel("dWe", Gradients, &gradient)]],
            "Every rank adds the gradients of its own tokens' rows. Nothing is exchanged: the step is done.".to_owned(),
        );
        gradient.whole()
    }

    /// One half of a layer backward: from the gradient `d` of its output to that of its input and of its weights.
    pub(super) fn backward(&mut self, part: Part, d: &Sharded, kept: &Kept) -> (Sharded, Half<Matrix>) {
        let half = self.half(part);
        let [_, _, d_names, _] = self.names(part);
        let d_out = self.output_backward(part, d);
        let (d_act, d_second) = self.second_backward(part, &half.second, &d_out, kept);
        let d_act = self.gather_backward(part, d_act);
        let d_mids = self.local_backward(part, &d_act, kept);
        let d_mids = self.join_backward((Phase::Backward, part, Slot::Between), d_names, d_mids, &half.first);
        let d_normed = self.first_backward(part, &half.first, &d_mids);
        let first = self.first_gradients(part, &half.first, &d_mids, kept);
        let (d_x, gain, bias) = self.normed_backward(part, &half.gain, (d, &d_normed), kept);
        let first = first.iter().map(Sharded::whole).collect();
        (d_x, Half { gain, bias, first, second: d_second.whole() })
    }

    /// What the exchange at the end of the half is backward.
    fn output_backward(&mut self, part: Part, d: &Sharded) -> Sharded {
        let at = |slot| (Phase::Backward, part, slot);
        match self.split.second {
            Cut::Rows if self.sequence => self.exchange_one(at(Slot::Out), Op::AllGather, ("dY", Gradients), d, Layout::Full, "Backward of the reduce-scatter: every rank’s term counted in every token’s sum, so every rank needs the gradients of all tokens."),
            Cut::Rows => d.clone(),
            Cut::Columns => d.to(COLS),
        }
    }

    /// Through the second matrix: the gradients of its input and of the matrix.
    fn second_backward(&mut self, part: Part, second: &Sharded, d_out: &Sharded, kept: &Kept) -> (Sharded, Sharded) {
        let at = |slot| (Phase::Backward, part, slot);
        let (act_name, d_act_name) = act_names(part);
        let (second_name, d_second_name) = if part == Part::Attention { ("Wo", "dWo") } else { ("Wdown", "dWdown") };
        let d_act_layout = if self.split.second == Cut::Rows { COLS } else { Layout::Partial };
        let d_act = d_out.zip(second, d_act_layout, |d, w| d.times(&w.transposed()));
        let say = match self.split.second {
            Cut::Rows => {
                "The gradient of a sum is the gradient of each term, so g is nothing at all backward. Each rank gets the gradient of just the columns that it computed."
            }
            Cut::Columns => {
                "Each rank has gradients of its columns of the result. They give terms of a sum for the input."
            }
        };
        self.note(
            at(Slot::Second),
            "gradient of the input",
            [
                vec![panel("dY", Gradients, d_out)],
                vec![panel(second_name, W, second)],
                vec![panel(d_act_name, Gradients, &d_act)],
            ],
            say.to_owned(),
        );
        let d_second_layout = if self.split.second == Cut::Rows { Layout::Rows } else { COLS };
        let d_second = kept.act.zip(d_out, d_second_layout, |a, d| a.transposed().times(d));
        self.note(at(Slot::Second), "weight gradient", [vec![panel(act_name, Activations, &kept.act)], vec![panel("dY", Gradients, d_out)], vec![panel(d_second_name, Gradients, &d_second)]], "The gradient of a rank’s own block of the matrix needs its own activations only. Nothing is exchanged, and data parallelism adds nothing to it but its own all-reduce.".to_owned());
        (d_act, d_second)
    }

    /// What the exchange before the second matrix is backward.
    fn gather_backward(&mut self, part: Part, d_act: Sharded) -> Sharded {
        let at = |slot| (Phase::Backward, part, slot);
        let (_, d_act_name) = act_names(part);
        match (self.split.second, self.split.first) {
            (Cut::Rows, _) => d_act,
            (Cut::Columns, Cut::Columns) => self.exchange_one(
                at(Slot::Gather),
                Op::ReduceScatter,
                (d_act_name, Gradients),
                &d_act,
                COLS,
                "Backward of the all-gather: the terms are added up, and each rank takes the columns that it computed.",
            ),
            (Cut::Columns, Cut::Rows) => self.exchange_one(
                at(Slot::Gather),
                Op::AllReduce,
                (d_act_name, Gradients),
                &d_act,
                Layout::Full,
                "The terms are added up; every rank needs all of it, because every rank ran all of the middle.",
            ),
        }
    }

    /// Through attention or the non-linearity, which each rank does alone.
    fn local_backward(&mut self, part: Part, d_act: &Sharded, kept: &Kept) -> Vec<Sharded> {
        let attention = part == Part::Attention;
        let [_, mid_names, d_names, _] = self.names(part);
        let (_, d_act_name) = act_names(part);
        let parts = |list: &[Sharded], rank: usize| -> Vec<Matrix> {
            list.iter().filter_map(|m| m.parts.get(rank).cloned()).collect()
        };
        let locals: Vec<Vec<Matrix>> = d_act
            .parts
            .iter()
            .zip(&kept.softmax)
            .enumerate()
            .map(|(rank, (d, softmax))| {
                act_backward(
                    d,
                    &parts(&kept.mids, rank).iter().collect::<Vec<_>>(),
                    softmax,
                    attention,
                    self.small.sizes.head_dim,
                )
            })
            .collect();
        let d_mids: Vec<Sharded> = kept
            .mids
            .iter()
            .enumerate()
            .map(|(i, mid)| Sharded {
                layout: mid.layout,
                parts: locals.iter().filter_map(|list| list.get(i).cloned()).collect(),
            })
            .collect();
        self.note(
            (Phase::Backward, part, Slot::Local),
            if attention { "attention, backward" } else { "non-linearity, backward" },
            [
                vec![panel(d_act_name, Gradients, d_act)],
                panels(mid_names, Activations, &kept.mids),
                panels(d_names, Gradients, &d_mids),
            ],
            if attention {
                "Each rank runs its heads backward. Alone, as forward.".to_owned()
            } else {
                "Element by element, as forward.".to_owned()
            },
        );
        d_mids
    }

    /// Through the first matrices to the normalised input, and what their exchange is backward.
    fn first_backward(&mut self, part: Part, first: &[Sharded], d_mids: &[Sharded]) -> Sharded {
        let at = |slot| (Phase::Backward, part, slot);
        let [weight_names, _, d_names, _] = self.names(part);
        let d_input_layout = if self.split.first == Cut::Columns { Layout::Partial } else { COLS };
        let input = |rank: usize| {
            d_mids
                .iter()
                .zip(first)
                .filter_map(|(d, w)| Some(d.parts.get(rank)?.times(&w.parts.get(rank)?.transposed())))
                .reduce(|sum, m| sum.plus(&m))
                .unwrap_or_default()
        };
        let d_input = Sharded { layout: d_input_layout, parts: (0..self.ranks).map(input).collect() };
        let say = match self.split.first {
            Cut::Columns => {
                "Every rank read the whole input, so each has a term of its gradient: f, which was nothing forward, is a sum backward."
            }
            Cut::Rows => "Each rank gets the gradient of the columns of the input that it read.",
        };
        self.note(
            at(Slot::First),
            "gradient of the input",
            [
                panels(d_names, Gradients, d_mids),
                panels(weight_names, W, first),
                vec![panel("dN", Gradients, &d_input)],
            ],
            say.to_owned(),
        );

        let (op, say) = match self.split.first {
            Cut::Columns if self.sequence => (
                Op::ReduceScatter,
                "Backward of the all-gather. Forward and backward, the two halves of an all-reduce are where the all-reduce was: the bytes are the same.",
            ),
            Cut::Columns => (
                Op::AllReduce,
                "This is f, the one exchange of this half in the backward pass. The weight gradients do not need it: they can be computed while it runs.",
            ),
            Cut::Rows => (
                Op::AllGather,
                "The residual stream’s gradient is needed whole on every rank, so the columns are gathered.",
            ),
        };
        self.exchange_one(at(Slot::In), op, ("dN", Gradients), &d_input, self.stream(), say)
    }

    /// The gradients of the first matrices.
    fn first_gradients(&mut self, part: Part, weights: &[Sharded], d_mids: &[Sharded], kept: &Kept) -> Vec<Sharded> {
        let at = |slot| (Phase::Backward, part, slot);
        let [_, _, d_names, gradient_names] = self.names(part);
        let read = self.again(part, "N", &kept.input, &kept.read);
        let gradient = |(i, d): (usize, &Sharded)| {
            let layout = weights.get(i).map_or(Layout::Full, |w| w.layout);
            read.zip(d, layout, |x, d| x.transposed().times(d))
        };
        let first: Vec<Sharded> = d_mids.iter().enumerate().map(gradient).collect();
        self.note(
            at(Slot::First),
            "weight gradient",
            [
                vec![panel("N", Activations, &read)],
                panels(d_names, Gradients, d_mids),
                panels(gradient_names, Gradients, &first),
            ],
            "The gradient of a rank’s own block, from its own activations and gradients. Nothing is exchanged."
                .to_owned(),
        );
        self.sum_copies(at(Slot::First), gradient_names, first)
    }

    /// Through the layer norm and the residual: the gradients of the half's input, of gain and of bias.
    fn normed_backward(
        &mut self,
        part: Part,
        gain: &Sharded,
        (d, d_normed): (&Sharded, &Sharded),
        kept: &Kept,
    ) -> (Sharded, Matrix, Matrix) {
        let norms: Vec<[Matrix; 3]> = d_normed
            .parts
            .iter()
            .zip(&kept.normed)
            .zip(&gain.parts)
            .map(|((d, normed), gain)| norm_backward(d, normed, gain))
            .collect();
        let held =
            |i: usize, layout| Sharded { layout, parts: norms.iter().filter_map(|n| n.get(i).cloned()).collect() };
        let d_input = held(0, self.stream());
        let d_x = d.plus(&d_input);
        let say = if self.sequence {
            "Each rank has seen its own tokens only, so the gradients of gain and bias are sums over the ranks: a few numbers, exchanged once a step."
        } else {
            "Every rank does the same and gets the same, also for gain and bias: what is on all ranks stays equal by itself."
        };
        self.note(
            (Phase::Backward, part, Slot::Norm),
            "layer norm, backward",
            [vec![panel("dN", Gradients, d_normed)], Vec::new(), vec![panel("dX", Gradients, &d_x)]],
            say.to_owned(),
        );
        let small = if self.sequence { Layout::Partial } else { Layout::Full };
        (d_x, held(1, small).whole(), held(2, small).whole())
    }

    /// Brings the gradients of what [`Ranks::join`] made back to where it came from.
    fn join_backward(
        &mut self,
        place: (Phase, Part, Slot),
        names: &[&str],
        d: Vec<Sharded>,
        first: &[Sharded],
    ) -> Vec<Sharded> {
        if self.split != Split::new(Cut::Rows, Cut::Rows) {
            return d;
        }
        let why = "Backward of the reduce-scatter: a row of the first matrix needs the gradient’s whole width.";
        let layouts = vec![Layout::Full; d.len()];
        if d.iter().all(|m| m.layout == COLS) {
            self.exchange(place, Op::AllGather, (names, Gradients), (&d, &layouts), why)
        } else {
            let widths = first.iter().map(|w| w.whole().cols);
            let spread: Vec<Sharded> = d.iter().zip(widths).map(|(m, width)| m.spread(width)).collect();
            self.exchange(place, Op::AllReduce, (names, Gradients), (&spread, &layouts), why)
        }
    }

    /// Adds up the gradients of matrices of which several ranks hold the same block.
    fn sum_copies(&mut self, place: (Phase, Part, Slot), names: &[&str], gradients: Vec<Sharded>) -> Vec<Sharded> {
        let twice = |m: &Sharded| matches!(m.layout, Layout::Cols { copies } if copies > 1);
        if !gradients.iter().any(twice) {
            return gradients;
        }
        let summed: Vec<Sharded> = gradients.iter().map(Sharded::sum_copies).collect();
        let pick = |list: &[Sharded]| -> Vec<Panel> {
            names.iter().zip(list).filter(|(_, m)| twice(m)).map(|(name, m)| panel(name, Gradients, m)).collect()
        };
        let elements = summed.iter().filter(|m| twice(m)).map(Sharded::whole).map(|m| m.rows * m.cols).sum();
        self.note(place, "sum over the copies", [pick(&gradients), Vec::new(), pick(&summed)], "A key–value head that several ranks hold has served other query heads on each of them. Its gradient is their sum, or the copies would drift apart. It is exchanged once a step, like the gradients of data parallelism.".to_owned());
        if let Some(step) = self.steps.last_mut() {
            step.exchange = Some(Exchange { op: Op::AllReduce, elements, again: false, of_layer: false });
        }
        summed
    }
}

/// What goes into the second matrix, and its gradient.
fn act_names(part: Part) -> (&'static str, &'static str) {
    if part == Part::Attention { ("A", "dA") } else { ("H", "dH") }
}
