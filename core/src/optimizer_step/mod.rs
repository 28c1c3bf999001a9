//! A step of SGD, momentum and Adam in matrix form, on a problem small enough to see.
//!
//! Eight examples of two numbers, X of 8 × 2, are mapped by a weight vector w of 2 × 1 to y. The loss is the mean of half the
//! squared errors, its gradient over a batch of b rows g = Xᵀ(Xw − y)/b, and its matrix of second derivatives H = XᵀX/8. The
//! columns of X are orthogonal, so H has the eigenvalues 1 and κ, turned by an angle: a bowl κ times as steep across as along. The
//! targets have noise that no w explains, so that a batch of fewer than eight rows has a gradient that differs from the whole
//! one's.
//!
//! The shapes are those of any linear layer: X of B × m, W of m × n, a gradient of m × n, and optimizer states of m × n.

mod params;
#[cfg(test)]
mod tests;

pub use params::Params;

use crate::mix::mix;
use crate::options;

/// Rows of X.
pub const ROWS: usize = 8;

/// Two numbers: a point in the plane of the weights.
pub type Pair = [f64; 2];

/// Three orthogonal columns of signs: two of X before it is scaled and turned, and the noise of the targets.
const SIGNS: [[f64; 3]; ROWS] = [
    [1.0, 1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, -1.0],
    [-1.0, 1.0, 1.0],
    [-1.0, -1.0, 1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, -1.0],
];

/// An update rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rule {
    /// w ← w − ηg.
    Sgd,
    /// v ← βv + g; w ← w − ηv.
    #[default]
    Momentum,
    /// Two running means, corrected for their start at zero.
    Adam,
}

options!(Rule {
    Sgd: "sgd", "SGD";
    Momentum: "momentum", "momentum";
    Adam: "adam", "Adam";
});

impl Rule {
    /// The update as it is written, with W, G and the states as matrices of one shape.
    pub fn formula(self) -> &'static [&'static str] {
        match self {
            Rule::Sgd => &["W ← W − η G"],
            Rule::Momentum => &["U ← β U + G", "W ← W − η U"],
            Rule::Adam => {
                &["M ← β₁ M + (1 − β₁) G", "V ← β₂ V + (1 − β₂) G ⊙ G", "W ← W − η M/(1 − β₁ᵗ) ⊘ (√(V/(1 − β₂ᵗ)) + ε)"]
            }
        }
    }

    /// Operations on numbers for each weight: additions, multiplications, quotients and roots count one each, and what is the same for
    /// all weights nothing.
    pub fn flop_per_weight(self) -> f64 {
        match self {
            Rule::Sgd => 2.0,
            Rule::Momentum => 4.0,
            // M: 3, V: 4, the root, ε, the quotient, the step: 2 more.
            Rule::Adam => 12.0,
        }
    }

    /// State matrices of W's shape.
    pub fn states(self) -> f64 {
        match self {
            Rule::Sgd => 0.0,
            Rule::Momentum => 1.0,
            Rule::Adam => 2.0,
        }
    }

    /// Bytes that a step moves for each weight in fp32: W and the states are read and written, G is read.
    pub fn bytes_per_weight(self) -> f64 {
        4.0 * (2.0 + 1.0 + 2.0 * self.states())
    }
}

/// The problem: examples and targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Problem {
    /// X.
    pub x: [Pair; ROWS],
    /// y.
    pub y: [f64; ROWS],
}

impl Problem {
    /// The best weights.
    pub const BEST: Pair = [0.0, 0.0];

    /// Of a bowl κ times as steep across as along, turned by `angle` degrees, with targets that are off by `noise`.
    pub fn new(kappa: f64, angle: f64, noise: f64) -> Self {
        let (sin, cos) = angle.to_radians().sin_cos();
        let steep = kappa.sqrt();
        let x = SIGNS.map(|[a, b, _]| [a * cos - b * steep * sin, a * sin + b * steep * cos]);
        // The noise is orthogonal to both columns, so the best weights are the same with it.
        Self { x, y: SIGNS.map(|[_, _, c]| noise * c) }
    }

    /// The error of a row.
    fn error(&self, row: usize, w: Pair) -> f64 {
        let ([a, b], y) = (self.x[row % ROWS], self.y[row % ROWS]);
        a * w[0] + b * w[1] - y
    }

    /// The gradient of a row.
    fn row_gradient(&self, row: usize, w: Pair) -> Pair {
        let (error, [a, b]) = (self.error(row, w), self.x[row % ROWS]);
        [error * a, error * b]
    }

    /// The mean gradient of some rows.
    pub fn gradient(&self, rows: &[usize], w: Pair) -> Pair {
        let sum = rows.iter().fold([0.0, 0.0], |[a, b], &row| {
            let [ga, gb] = self.row_gradient(row, w);
            [a + ga, b + gb]
        });
        let n = rows.len().max(1) as f64;
        [sum[0] / n, sum[1] / n]
    }

    /// The gradient of all rows.
    pub fn whole(&self, w: Pair) -> Pair {
        self.gradient(&[0, 1, 2, 3, 4, 5, 6, 7], w)
    }

    /// The loss over all rows, above what the noise leaves of it.
    pub fn loss(&self, w: Pair) -> f64 {
        let at = |w: Pair| (0..ROWS).map(|row| self.error(row, w).powi(2)).sum::<f64>() / (2 * ROWS) as f64;
        at(w) - at(Self::BEST)
    }

    /// The variance of the gradient of one row drawn at random, both coordinates together: tr Σ.
    pub fn variance(&self, w: Pair) -> f64 {
        let mean = self.whole(w);
        let off = |row| {
            let g = self.row_gradient(row, w);
            (g[0] - mean[0]).powi(2) + (g[1] - mean[1]).powi(2)
        };
        (0..ROWS).map(off).sum::<f64>() / ROWS as f64
    }
}

/// Where the weights were after each step, the start first.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The problem.
    pub problem: Problem,
    /// The weights.
    pub at: Vec<Pair>,
    /// The gradient that each step was made of.
    pub gradients: Vec<Pair>,
    /// The change that each step made.
    pub changes: Vec<Pair>,
}

/// ε of Adam.
const EPSILON: f64 = 1e-8;

/// Farther than this from the best weights a path has diverged, and ends.
pub const FAR: f64 = 1e6;

impl Path {
    /// Walks.
    pub fn new(p: &Params) -> Self {
        let problem = Problem::new(p.kappa, p.angle, p.noise);
        let mut w: Pair = [p.start_across, p.start_up];
        let mut path = Self { problem, at: vec![w], gradients: Vec::new(), changes: Vec::new() };
        let (mut m, mut v) = ([0.0; 2], [0.0; 2]);
        for t in 0..p.steps {
            let g = problem.gradient(&rows(t, p.batch as usize), w);
            let mut change = [0.0; 2];
            for i in 0..2 {
                change[i] = match p.rule {
                    Rule::Sgd => -p.lr * g[i],
                    Rule::Momentum => {
                        m[i] = p.beta * m[i] + g[i];
                        -p.lr * m[i]
                    }
                    Rule::Adam => {
                        m[i] = p.beta * m[i] + (1.0 - p.beta) * g[i];
                        v[i] = p.beta2 * v[i] + (1.0 - p.beta2) * g[i] * g[i];
                        let t = t as f64 + 1.0;
                        let (mean, square) = (m[i] / (1.0 - p.beta.powf(t)), v[i] / (1.0 - p.beta2.powf(t)));
                        -p.lr * mean / (square.sqrt() + EPSILON)
                    }
                };
                w[i] += change[i];
            }
            path.at.push(w);
            path.gradients.push(g);
            path.changes.push(change);
            if w[0].hypot(w[1]) > FAR {
                break;
            }
        }
        path
    }

    /// The weights after a step; the last where there are fewer.
    pub fn after(&self, step: usize) -> Pair {
        self.at.get(step).or(self.at.last()).copied().unwrap_or_default()
    }

    /// Whether it ran away.
    pub fn diverges(&self) -> bool {
        let [start, end] = [self.after(0), self.after(usize::MAX)].map(|w| self.problem.loss(w));
        end > 2.0 * start.max(1e-12)
    }

    /// Steps until the loss stays below a hundredth of its start; none if it does not.
    pub fn arrives(&self) -> Option<usize> {
        let bar = self.problem.loss(self.after(0)) / 100.0;
        let last_above = self.at.iter().rposition(|&w| self.problem.loss(w) >= bar)?;
        (last_above + 1 < self.at.len()).then_some(last_above + 1)
    }
}

/// The rows of a batch: all of them if it has as many, else so many drawn with replacement.
fn rows(step: u64, batch: usize) -> Vec<usize> {
    if batch >= ROWS {
        return (0..ROWS).collect();
    }
    (0..batch).map(|i| mix(step * 64 + i as u64 + 1) as usize % ROWS).collect()
}
