//! A loss surface L(N, D) = E + A/N^α + B/D^β, and what follows from it in closed form.

use super::PER_PAIR;

/// The five constants of a fitted surface. `N` in parameters, `D` in tokens, the loss in nats a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// What no model and no data take away: the entropy of text, under this tokenizer.
    pub e: f64,
    /// Weight of the model's size.
    pub a: f64,
    /// Weight of the data.
    pub b: f64,
    /// Exponent of the model's size.
    pub alpha: f64,
    /// Exponent of the data.
    pub beta: f64,
}

/// A model size and a number of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Point {
    /// Parameters.
    pub params: f64,
    /// Tokens.
    pub tokens: f64,
}

impl Point {
    /// FLOPs of training: 6 for each pair of a parameter and a token (Kaplan et al. 2020, §2.1).
    pub fn compute(self) -> f64 {
        PER_PAIR * self.params * self.tokens
    }

    /// Tokens for each parameter.
    pub fn ratio(self) -> f64 {
        self.tokens / self.params
    }
}

impl Fit {
    /// Hoffmann et al. 2022, equation 10: the constants as the paper prints them, with two digits of each exponent.
    pub const ROUNDED: Fit = Fit { e: 1.69, a: 406.4, b: 410.7, alpha: 0.34, beta: 0.28 };

    /// The same fit with the digits that its LaTeX source had, as Besiroglu et al. 2024 use them
    /// (epoch-research/analyzing-chinchilla, `data_analysis.ipynb`).
    pub const UNROUNDED: Fit = Fit {
        e: 1.693_373_680_998_952_8,
        a: 406.401_017_519_473_7,
        b: 410.722_826_945_039_8,
        alpha: 0.339_170_84,
        beta: 0.284_908_3,
    };

    /// Besiroglu et al. 2024, arXiv:2404.10102: the same runs, read from the paper's figure and fitted anew. Digits of the notebook.
    pub const REFIT: Fit = Fit {
        e: 1.816_842_310_477_689_6,
        a: 482.026_937_780_325_34,
        b: 2_085.992_416_234_128,
        alpha: 0.3478,
        beta: 0.3659,
    };

    /// Muennighoff et al. 2023, arXiv:2305.16264, appendix A: runs on C4, with α and β held equal. Digits of the code that the authors
    /// published (huggingface/datablations), exp(0.6254804), exp(6.255414), exp(7.3049974).
    pub const C4: Fit = Fit {
        e: 1.869_143_678_405_485_8,
        a: 520.824_951_659_918_7,
        b: 1_487.716_093_782_861,
        alpha: 0.352_659_6,
        beta: 0.352_659_6,
    };

    /// The loss in nats a token.
    pub fn loss(&self, at: Point) -> f64 {
        self.e + self.a / at.params.powf(self.alpha) + self.b / at.tokens.powf(self.beta)
    }

    /// How the best model grows with the budget: N ∝ C^this. The tokens grow with the rest of one.
    pub fn exponent(&self) -> f64 {
        self.beta / (self.alpha + self.beta)
    }

    /// The model and the tokens that a budget of `compute` FLOPs is best spent on: where the derivative of the loss along
    /// C = 6ND is zero (Hoffmann et al. 2022, equation 4).
    pub fn optimum(&self, compute: f64) -> Point {
        let sum = self.alpha + self.beta;
        let g = (self.alpha * self.a / (self.beta * self.b)).powf(1.0 / sum);
        let pairs = compute / PER_PAIR;
        Point { params: g * pairs.powf(self.beta / sum), tokens: pairs.powf(self.alpha / sum) / g }
    }

    /// The model whose optimum has just these tokens: `optimum` the other way round.
    pub fn params_for(&self, tokens: f64) -> f64 {
        let sum = self.alpha + self.beta;
        let g = (self.alpha * self.a / (self.beta * self.b)).powf(1.0 / sum);
        let pairs = (tokens * g).powf(sum / self.alpha);
        g * pairs.powf(self.beta / sum)
    }

    /// The FLOPs with which an optimal run reaches `loss`; none if no run does.
    pub fn compute_for(&self, loss: f64) -> Option<f64> {
        // Along the frontier both terms fall as C^−αβ/(α+β).
        let unit = self.loss(self.optimum(PER_PAIR)) - self.e;
        let fall = self.alpha * self.beta / (self.alpha + self.beta);
        let over = loss - self.e;
        let compute = PER_PAIR * (unit / over).powf(1.0 / fall);
        (over > 0.0 && compute.is_finite()).then_some(compute)
    }

    /// The tokens with which a model of `params` reaches `loss`; none if it is too small for it.
    pub fn tokens_for(&self, params: f64, loss: f64) -> Option<f64> {
        let left = loss - self.e - self.a / params.powf(self.alpha);
        let tokens = (self.b / left).powf(1.0 / self.beta);
        (left > 0.0 && tokens.is_finite()).then_some(tokens)
    }
}
