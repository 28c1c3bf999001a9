//! The small model on several ranks: every matrix cut as the split says, every collective run and written down.

use super::local::{Normed, norm, norm_backward};
use super::matrix::Matrix;
use super::sharded::{COLS, Layout, Sharded};
use super::small::{Half, Outcome, Small, Weights, act, act_backward};
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

use Concept::{Activations, Gradients, Weights as W};

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

    fn look_up(&mut self) -> Sharded {
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

    fn look_up_backward(&mut self, d: &Sharded) -> Matrix {
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

    fn forward(&mut self, part: Part, x: &Sharded) -> (Sharded, Kept) {
        let at = |slot| (Phase::Forward, part, slot);
        let half = self.half(part);
        let attention = part == Part::Attention;
        let [weight_names, mid_names, ..] = self.names(part);
        let second_name = if attention { "Wo" } else { "Wdown" };

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
            at(Slot::Norm),
            "layer norm",
            [vec![panel("X", Activations, x)], Vec::new(), vec![panel("N", Activations, &input)]],
            say.to_owned(),
        );

        let read = match self.split.first {
            _ if self.sequence => self.exchange_one(at(Slot::In), Op::AllGather, ("N", Activations), &input, Layout::Full, "The matrices are cut by columns, and a column needs every token’s whole row. So each rank gets all tokens: the first half of what an all-reduce does, moved to the front."),
            Cut::Columns => input.clone(),
            Cut::Rows => input.to(COLS),
        };

        let layout = |w: &Sharded| if self.split.first == Cut::Columns { w.layout } else { Layout::Partial };
        let mids: Vec<Sharded> = half.first.iter().map(|w| read.zip(w, layout(w), Matrix::times)).collect();
        let say = self.say_first(part);
        self.note(
            at(Slot::First),
            if attention { "queries, keys, values" } else { "first product of the MLP" },
            [
                vec![panel("N", Activations, &read)],
                panels(weight_names, W, &half.first),
                panels(mid_names, Activations, &mids),
            ],
            say,
        );

        let mids = self.join(at(Slot::Between), mid_names, mids, attention);

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
            [panels(mid_names, Activations, &mids), Vec::new(), vec![panel(name, Activations, &held)]],
            say.to_owned(),
        );

        let act = if self.split.second == Cut::Columns && held.layout != Layout::Full {
            self.exchange_one(at(Slot::Gather), Op::AllGather, (name, Activations), &held, Layout::Full, "The second matrix is cut by columns too. A column needs the whole row of its input, but each rank has only its own columns of it: they must be gathered first. By rows this exchange would not exist.")
        } else {
            held
        };

        let out_layout = if self.split.second == Cut::Columns { COLS } else { Layout::Partial };
        let out = act.zip(&half.second, out_layout, Matrix::times);
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
                vec![panel(name, Activations, &act)],
                vec![panel(second_name, W, &half.second)],
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
        let out = self.exchange_one(at(Slot::Out), op, ("Y", Activations), &out, self.stream(), say);
        (x.plus(&out), Kept { normed, input, read, mids, softmax, act })
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

    fn loss(&mut self, output: &Sharded) -> (f64, Sharded, Matrix) {
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

    /// What a matrix read in the forward pass, once more: under sequence parallelism only a rank's own tokens were kept.
    fn again(&mut self, part: Part, name: &str, kept: &Sharded, read: &Sharded) -> Sharded {
        if !self.sequence {
            return read.clone();
        }
        let say = "Only a rank’s own tokens were kept, so the input is gathered once more for the gradient of the weights. It runs while the gradient of the input is computed, which does not need it.";
        let again = self.exchange_one(
            (Phase::Backward, part, Slot::In),
            Op::AllGather,
            (name, Activations),
            kept,
            Layout::Full,
            say,
        );
        self.mark(|exchange| exchange.again = true);
        again
    }

    fn backward(&mut self, part: Part, d: &Sharded, kept: &Kept) -> (Sharded, Half<Matrix>) {
        let at = |slot| (Phase::Backward, part, slot);
        let half = self.half(part);
        let attention = part == Part::Attention;
        let [weight_names, mid_names, d_names, gradient_names] = self.names(part);
        let (act_name, d_act_name) = if attention { ("A", "dA") } else { ("H", "dH") };
        let (second_name, d_second_name) = if attention { ("Wo", "dWo") } else { ("Wdown", "dWdown") };

        let d_out = match self.split.second {
            Cut::Rows if self.sequence => self.exchange_one(at(Slot::Out), Op::AllGather, ("dY", Gradients), d, Layout::Full, "Backward of the reduce-scatter: every rank’s term counted in every token’s sum, so every rank needs the gradients of all tokens."),
            Cut::Rows => d.clone(),
            Cut::Columns => d.to(COLS),
        };
        let d_act_layout = if self.split.second == Cut::Rows { COLS } else { Layout::Partial };
        let d_act = d_out.zip(&half.second, d_act_layout, |d, w| d.times(&w.transposed()));
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
                vec![panel("dY", Gradients, &d_out)],
                vec![panel(second_name, W, &half.second)],
                vec![panel(d_act_name, Gradients, &d_act)],
            ],
            say.to_owned(),
        );
        let d_second_layout = if self.split.second == Cut::Rows { Layout::Rows } else { COLS };
        let d_second = kept.act.zip(&d_out, d_second_layout, |a, d| a.transposed().times(d));
        self.note(at(Slot::Second), "weight gradient", [vec![panel(act_name, Activations, &kept.act)], vec![panel("dY", Gradients, &d_out)], vec![panel(d_second_name, Gradients, &d_second)]], "The gradient of a rank’s own block of the matrix needs its own activations only. Nothing is exchanged, and data parallelism adds nothing to it but its own all-reduce.".to_owned());

        let d_act = match (self.split.second, self.split.first) {
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
        };

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
            at(Slot::Local),
            if attention { "attention, backward" } else { "non-linearity, backward" },
            [
                vec![panel(d_act_name, Gradients, &d_act)],
                panels(mid_names, Activations, &kept.mids),
                panels(d_names, Gradients, &d_mids),
            ],
            if attention {
                "Each rank runs its heads backward. Alone, as forward.".to_owned()
            } else {
                "Element by element, as forward.".to_owned()
            },
        );

        let d_mids = self.join_backward(at(Slot::Between), d_names, d_mids, &half.first);

        let d_input_layout = if self.split.first == Cut::Columns { Layout::Partial } else { COLS };
        let input = |rank: usize| {
            d_mids
                .iter()
                .zip(&half.first)
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
                panels(d_names, Gradients, &d_mids),
                panels(weight_names, W, &half.first),
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
        let d_normed = self.exchange_one(at(Slot::In), op, ("dN", Gradients), &d_input, self.stream(), say);

        let read = self.again(part, "N", &kept.input, &kept.read);
        let gradient = |(i, d): (usize, &Sharded)| {
            let layout = half.first.get(i).map_or(Layout::Full, |w| w.layout);
            read.zip(d, layout, |x, d| x.transposed().times(d))
        };
        let first: Vec<Sharded> = d_mids.iter().enumerate().map(gradient).collect();
        self.note(
            at(Slot::First),
            "weight gradient",
            [
                vec![panel("N", Activations, &read)],
                panels(d_names, Gradients, &d_mids),
                panels(gradient_names, Gradients, &first),
            ],
            "The gradient of a rank’s own block, from its own activations and gradients. Nothing is exchanged."
                .to_owned(),
        );
        let first = self.sum_copies(at(Slot::First), gradient_names, first);

        let norms: Vec<[Matrix; 3]> = d_normed
            .parts
            .iter()
            .zip(&kept.normed)
            .zip(&half.gain.parts)
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
            at(Slot::Norm),
            "layer norm, backward",
            [vec![panel("dN", Gradients, &d_normed)], Vec::new(), vec![panel("dX", Gradients, &d_x)]],
            say.to_owned(),
        );
        let small = if self.sequence { Layout::Partial } else { Layout::Full };
        let (gain, bias) = (held(1, small).whole(), held(2, small).whole());
        let first = first.iter().map(Sharded::whole).collect();
        (d_x, Half { gain, bias, first, second: d_second.whole() })
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
