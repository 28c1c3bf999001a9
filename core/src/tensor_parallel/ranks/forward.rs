//! What the ranks do forward, up to the loss.

use super::super::local::{Normed, norm};
use super::super::matrix::Matrix;
use super::super::sharded::{COLS, Layout, Sharded};
use super::super::small::{Half, act};
use super::super::split::{Cut, Split};
use super::super::trace::Concept::{Activations, Gradients, Weights as W};
use super::super::trace::{Exchange, Part, Phase, Slot};
use super::{Kept, Ranks, copies, panel, panels};
use crate::collective::Op;

impl Ranks<'_> {
    pub(super) fn look_up(&mut self) -> Sharded {
        let sizes = self.small.sizes;
        let table = self.weights.embedding.clone();
        let rows = sizes.vocab / self.ranks.max(1);
        let part = |(rank, part): (usize, &Matrix)| {
            Matrix::new(sizes.tokens, sizes.hidden, |i, j| {
                let id = self.small.ids.get(i).copied().unwrap_or(usize::MAX);
                id.checked_sub(rank * rows).filter(|row| *row < rows).map_or(0.0, |row| part.at(row, j))
            })
        };
        let found = Sharded { layout: Layout::Partial, parts: table.parts.iter().enumerate().map(part).collect() };
        self.note(
            (Phase::Forward, Part::Embedding, Slot::First),
            "look up the tokens",
            [vec![panel("E", W, &table)], Vec::new(), vec![panel("X", Activations, &found)]],
            "Every rank looks up the tokens whose rows of the embedding it has and puts zeros for the others. Each row of X is on one rank only, so the sum is the embedding.".to_owned(),
        );
        let (op, say) = if self.sequence {
            (
                Op::ReduceScatter,
                "The sums are formed, and each rank keeps those of its own tokens. From here on the residual stream lies split by tokens.",
            )
        } else {
            (
                Op::AllReduce,
                "The sum over the ranks is the embedding, and every rank needs all of it. It is paid once for the whole model, not in each layer.",
            )
        };
        self.exchange_one(
            (Phase::Forward, Part::Embedding, Slot::Out),
            op,
            ("X", Activations),
            &found,
            self.stream(),
            say,
        )
    }

    /// One half of a layer forward: from its input `x` to its output, and what the backward pass will need.
    pub(super) fn forward(&mut self, part: Part, x: &Sharded) -> (Sharded, Kept) {
        let half = self.half(part);
        let attention = part == Part::Attention;
        let [_, mid_names, ..] = self.names(part);
        let (normed, input) = self.normalise(part, &half, x);
        let (read, mids) = self.first_product(part, &half.first, &input);
        let mids = self.join((Phase::Forward, part, Slot::Between), mid_names, mids, attention);
        let (act, softmax) = self.middle(part, &mids);
        let out = self.second_product(part, &half.second, &act);
        (x.plus(&out), Kept { normed, input, read, mids, softmax, act })
    }

    fn normalise(&mut self, part: Part, half: &Half<Sharded>, x: &Sharded) -> (Vec<Normed>, Sharded) {
        let normed: Vec<Normed> = x
            .parts
            .iter()
            .zip(half.gain.parts.iter().zip(&half.bias.parts))
            .map(|(x, (gain, bias))| norm(x, gain, bias))
            .collect();
        let input = Sharded { layout: x.layout, parts: normed.iter().map(|n| n.out.clone()).collect() };
        let say = if self.sequence {
            "Each rank normalises its own tokens. Without sequence parallelism every rank would do all of them, and keep all of them."
        } else {
            "Every rank normalises every token: the same work, and the same activations kept, on all of them. That is what sequence parallelism divides."
        };
        self.note(
            (Phase::Forward, part, Slot::Norm),
            "layer norm",
            [vec![panel("X", Activations, x)], Vec::new(), vec![panel("N", Activations, &input)]],
            say.to_owned(),
        );
        (normed, input)
    }

    /// What the first matrices read, and what comes of it.
    fn first_product(&mut self, part: Part, first: &[Sharded], input: &Sharded) -> (Sharded, Vec<Sharded>) {
        let at = |slot| (Phase::Forward, part, slot);
        let [weight_names, mid_names, ..] = self.names(part);
        let read = match self.split.first {
            _ if self.sequence => self.exchange_one(at(Slot::In), Op::AllGather, ("N", Activations), input, Layout::Full, "The matrices are cut by columns, and a column needs every token’s whole row. So each rank gets all tokens: the first half of what an all-reduce does, moved to the front."),
            Cut::Columns => input.clone(),
            Cut::Rows => input.to(COLS),
        };
        let layout = |w: &Sharded| if self.split.first == Cut::Columns { w.layout } else { Layout::Partial };
        let mids: Vec<Sharded> = first.iter().map(|w| read.zip(w, layout(w), Matrix::times)).collect();
        let say = self.say_first(part);
        self.note(
            at(Slot::First),
            if part == Part::Attention { "queries, keys, values" } else { "first product of the MLP" },
            [
                vec![panel("N", Activations, &read)],
                panels(weight_names, W, first),
                panels(mid_names, Activations, &mids),
            ],
            say,
        );
        (read, mids)
    }

    /// Attention or the non-linearity, which each rank runs alone: its result as the second matrix reads it, and its softmax.
    fn middle(&mut self, part: Part, mids: &[Sharded]) -> (Sharded, Vec<Vec<Matrix>>) {
        let at = |slot| (Phase::Forward, part, slot);
        let attention = part == Part::Attention;
        let [_, mid_names, ..] = self.names(part);
        let parts = |rank: usize| mids.iter().filter_map(|m| m.parts.get(rank)).collect::<Vec<_>>();
        let (acts, softmax): (Vec<Matrix>, Vec<Vec<Matrix>>) =
            (0..self.ranks).map(|rank| act(&parts(rank), attention, self.small.sizes.head_dim)).unzip();
        let act_layout = if self.split == Split::new(Cut::Rows, Cut::Columns) { Layout::Full } else { COLS };
        let held = Sharded { layout: act_layout, parts: acts };
        let say = match (attention, act_layout == Layout::Full) {
            (true, false) => {
                "A head needs its own queries, keys and values and nothing of another head. Each rank runs its heads, softmax included, without a word to the others."
            }
            (true, true) => "Every rank has all heads and runs all of them: the ranks repeat each other’s work.",
            (false, false) => {
                "The non-linearity acts on each element alone, so it can be applied to columns one has. Applied to partial sums it would be wrong: SiLU(a) + SiLU(b) is not SiLU(a + b)."
            }
            (false, true) => "Every rank applies the non-linearity to all of it.",
        };
        let name = if attention { "A" } else { "H" };
        self.note(
            at(Slot::Local),
            if attention { "attention by heads" } else { "non-linearity" },
            [panels(mid_names, Activations, mids), Vec::new(), vec![panel(name, Activations, &held)]],
            say.to_owned(),
        );
        let act = if self.split.second == Cut::Columns && held.layout != Layout::Full {
            self.exchange_one(at(Slot::Gather), Op::AllGather, (name, Activations), &held, Layout::Full, "The second matrix is cut by columns too. A column needs the whole row of its input, but each rank has only its own columns of it: they must be gathered first. By rows this exchange would not exist.")
        } else {
            held
        };
        (act, softmax)
    }

    /// The second matrix, and the exchange at the end of the half.
    fn second_product(&mut self, part: Part, second: &Sharded, act: &Sharded) -> Sharded {
        let at = |slot| (Phase::Forward, part, slot);
        let attention = part == Part::Attention;
        let (name, second_name) = if attention { ("A", "Wo") } else { ("H", "Wdown") };
        let out_layout = if self.split.second == Cut::Columns { COLS } else { Layout::Partial };
        let out = act.zip(second, out_layout, Matrix::times);
        let say = match self.split.second {
            Cut::Rows => {
                "The second matrix is cut by rows, and the rows that a rank has meet just the columns that it computed. Each rank gets a matrix of the full size that lacks the other ranks’ share: a sum of as many terms as there are ranks."
            }
            Cut::Columns => "Each rank computes its columns of the result from the whole input.",
        };
        self.note(
            at(Slot::Second),
            if attention { "output projection" } else { "second product of the MLP" },
            [
                vec![panel(name, Activations, act)],
                vec![panel(second_name, W, second)],
                vec![panel("Y", Activations, &out)],
            ],
            say.to_owned(),
        );

        let (op, say) = match self.split.second {
            Cut::Columns => (
                Op::AllGather,
                "The residual stream is needed whole on every rank, so the columns are gathered: a second exchange where the row cut has one.",
            ),
            Cut::Rows if self.sequence => (
                Op::ReduceScatter,
                "The terms are added up, and each rank keeps the sums of its own tokens: half of an all-reduce. The residual is added where it lies.",
            ),
            Cut::Rows => (
                Op::AllReduce,
                "This is g, the one exchange of this half in the forward pass: the terms are added up, and every rank gets the sum. Then each adds the residual.",
            ),
        };
        self.exchange_one(at(Slot::Out), op, ("Y", Activations), &out, self.stream(), say)
    }

    /// Makes whole what the first matrices left as sums.
    fn join(
        &mut self,
        place: (Phase, Part, Slot),
        names: &[&str],
        mids: Vec<Sharded>,
        attention: bool,
    ) -> Vec<Sharded> {
        if self.split.first == Cut::Columns {
            return mids;
        }
        let copies = if attention { copies(self.small, self.ranks) } else { 1 };
        let why = "Cut by rows, the first matrix leaves sums, and neither softmax nor SiLU may be applied to the terms of a sum. They must be added up now, in the wide middle of the layer.";
        if self.split.second == Cut::Rows && copies == 1 {
            let layouts = vec![COLS; mids.len()];
            self.exchange(place, Op::ReduceScatter, (names, Activations), (&mids, &layouts), why)
        } else {
            let layouts = vec![Layout::Full; mids.len()];
            let whole = self.exchange(place, Op::AllReduce, (names, Activations), (&mids, &layouts), why);
            if self.split.second == Cut::Columns {
                return whole;
            }
            // Every rank keeps its query heads, and the key–value head that they share.
            whole
                .iter()
                .enumerate()
                .map(|(i, m)| m.to(Layout::Cols { copies: if i == 0 { 1 } else { copies } }))
                .collect()
        }
    }

    /// Why the first matrices of a half are cut as they are.
    fn say_first(&self, part: Part) -> String {
        let copies = copies(self.small, self.ranks);
        let mut say = match (self.split.first, part) {
            (Cut::Rows, _) => "Cut by rows, a matrix needs only some columns of its input, which every rank can take from what it has. But each product is of the full size and only a term of a sum.".to_owned(),
            (Cut::Columns, Part::Attention) => "Cut by columns, each rank gets the queries, keys and values of its own heads from the whole input. Nothing is exchanged.".to_owned(),
            (Cut::Columns, _) => "Cut by columns, each rank gets some columns of the result, complete, from the whole input. Nothing is exchanged.".to_owned(),
        };
        if part == Part::Attention && self.split.first == Cut::Columns && copies > 1 {
            let (kv, ranks) = (self.small.sizes.kv_heads, self.ranks);
            say += &format!(
                " There are {kv} key–value heads for {ranks} ranks, so each is on {copies} of them, computed {copies} times."
            );
        }
        say
    }

    pub(super) fn loss(&mut self, output: &Sharded) -> (f64, Sharded, Matrix) {
        let part = Part::Output;
        let head = self.weights.head.clone();
        let read = if self.sequence {
            self.exchange_one(
                (Phase::Forward, part, Slot::In),
                Op::AllGather,
                ("Y", Activations),
                output,
                Layout::Full,
                "The output matrix is cut by vocabulary: its columns need every token’s whole row.",
            )
        } else {
            output.clone()
        };
        let logits = read.zip(&head, COLS, Matrix::times);
        self.note((Phase::Forward, part, Slot::First), "logits", [vec![panel("Y", Activations, &read)], vec![panel("Wout", W, &head)], vec![panel("Z", Activations, &logits)]], "Each rank computes the logits of its own part of the vocabulary. Gathering them would move tokens × vocabulary numbers.".to_owned());

        let (loss, d_logits) = self.cross_entropy(&logits);
        self.note((Phase::Forward, part, Slot::Local), "cross-entropy", [vec![panel("Z", Activations, &logits)], Vec::new(), vec![panel("dZ", Gradients, &d_logits)]], "The loss of a token needs three numbers from all ranks: the largest logit, the sum of the exponentials, and the logit of the right token, which one rank has. Three all-reduces of a number for each token replace the gathering of all logits. Softmax less the right answer is the gradient, again by vocabulary.".to_owned());
        if let Some(step) = self.steps.last_mut() {
            step.exchange = Some(Exchange {
                op: Op::AllReduce,
                elements: 3 * self.small.sizes.tokens,
                again: false,
                of_layer: false,
            });
        }

        let d_output = d_logits.zip(&head, Layout::Partial, |d, w| d.times(&w.transposed()));
        self.note(
            (Phase::Backward, part, Slot::First),
            "gradient of the output",
            [
                vec![panel("dZ", Gradients, &d_logits)],
                vec![panel("Wout", W, &head)],
                vec![panel("dY", Gradients, &d_output)],
            ],
            "Backward the roles change: what was cut by columns now yields terms of a sum.".to_owned(),
        );
        let (op, say) = if self.sequence {
            (
                Op::ReduceScatter,
                "Backward of the all-gather: the terms are added up, each rank keeps those of its tokens.",
            )
        } else {
            (
                Op::AllReduce,
                "The forward pass copied the input to all ranks for nothing; backward, that copy is a sum over the ranks.",
            )
        };
        let d_output =
            self.exchange_one((Phase::Backward, part, Slot::In), op, ("dY", Gradients), &d_output, self.stream(), say);
        let read = self.again(part, "Y", output, &read);
        let d_head = read.zip(&d_logits, COLS, |x, d| x.transposed().times(d));
        self.note(
            (Phase::Backward, part, Slot::First),
            "weight gradient",
            [
                vec![panel("Y", Activations, &read)],
                vec![panel("dZ", Gradients, &d_logits)],
                vec![panel("dWout", Gradients, &d_head)],
            ],
            "Each rank has what the gradient of its own columns needs.".to_owned(),
        );
        (loss, d_output, d_head.whole())
    }

    /// The mean cross-entropy from logits cut by vocabulary, and its gradient, cut likewise.
    fn cross_entropy(&self, logits: &Sharded) -> (f64, Sharded) {
        let (tokens, width) = (self.small.sizes.tokens, self.small.sizes.vocab / self.ranks.max(1));
        let target = |i: usize| self.small.targets.get(i).copied().unwrap_or_default();
        let over_ranks = |of: &dyn Fn(usize, &Matrix, usize) -> f64, join: fn(f64, f64) -> f64| -> Vec<f64> {
            let token = |i| {
                logits.parts.iter().enumerate().map(|(rank, part)| of(rank, part, i)).reduce(join).unwrap_or_default()
            };
            (0..tokens).map(token).collect()
        };
        let most = over_ranks(&|_, part, i| part.row(i).iter().fold(f64::NEG_INFINITY, |m, &v| m.max(v)), f64::max);
        let sums = over_ranks(&|_, part, i| part.row(i).iter().map(|v| (v - most[i]).exp()).sum(), |a, b| a + b);
        let own = |rank: usize, i: usize| target(i).checked_sub(rank * width).filter(|j| *j < width);
        let right = over_ranks(&|rank, part, i| own(rank, i).map_or(0.0, |j| part.at(i, j)), |a, b| a + b);
        let n = tokens.max(1) as f64;
        let loss = (0..tokens).map(|i| sums[i].ln() + most[i] - right[i]).sum::<f64>() / n;
        let gradient = |(rank, part): (usize, &Matrix)| {
            Matrix::new(part.rows, part.cols, |i, j| {
                let hit = if own(rank, i) == Some(j) { 1.0 } else { 0.0 };
                ((part.at(i, j) - most[i]).exp() / sums[i] - hit) / n
            })
        };
        (loss, Sharded { layout: COLS, parts: logits.parts.iter().enumerate().map(gradient).collect() })
    }
}
