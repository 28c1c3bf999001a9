//! The learning rate over a run: warm-up, then a cosine or a plateau with a decay at its end.
//!
//! Sources: cosine to a tenth over the whole run, Hoffmann et al. 2022, arXiv:2203.15556, §3.1 and Appendix B (a cycle much longer than the run costs
//! loss); warm-up–stable–decay, Hu et al. 2024 (MiniCPM), arXiv:2404.06395, §4; its decay of a tenth to a fifth of the run, Hägele et al.
//! 2024, arXiv:2405.18392.

use crate::declare::Origin;
use crate::options;
use crate::scaling_laws::POINTS;

/// Where the schedules come from.
pub const ORIGIN: Origin = Origin::Of(
    "Hoffmann et al. 2022 (cosine to a tenth), arXiv:2203.15556, §3.1 and Appendix B; Hu et al. 2024 (warm-up–stable–decay), arXiv:2404.06395, §4; Hägele et al. 2024, arXiv:2405.18392",
);

/// Where the memory of the weights comes from.
pub const MEMORY: Origin =
    Origin::Of("Wang and Aitchison 2024, arXiv:2405.13698, §2: AdamW’s weights as a moving average of 1/(ηλ) steps");

/// The shape after the warm-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// Half a cosine down to the floor.
    #[default]
    Cosine,
    /// Constant, then a straight line down to the floor.
    Wsd,
    /// Constant.
    Constant,
}

options!(Shape {
    Cosine: "cosine", "cosine";
    Wsd: "wsd", "warm-up, stable, decay";
    Constant: "constant", "constant";
});

/// A schedule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// The shape.
    pub shape: Shape,
    /// Share of the run in which the rate rises from zero.
    pub warmup: f64,
    /// Share of the run in which it falls, for [`Shape::Wsd`].
    pub decay: f64,
    /// Where it ends, as a part of its peak.
    pub floor: f64,
}

impl Schedule {
    /// The learning rate at a share of the run, as a part of its peak.
    pub fn at(&self, share: f64) -> f64 {
        if share < self.warmup {
            return share / self.warmup;
        }
        match self.shape {
            Shape::Cosine => {
                let done = (share - self.warmup) / (1.0 - self.warmup).max(f64::MIN_POSITIVE);
                self.floor + (1.0 - self.floor) * f64::midpoint(1.0, (std::f64::consts::PI * done).cos())
            }
            Shape::Wsd => {
                let falls = self.decay.min(1.0 - self.warmup);
                let left = ((1.0 - share) / falls.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                self.floor + (1.0 - self.floor) * left
            }
            Shape::Constant => 1.0,
        }
    }

    /// Its mean over the run, in closed form: what the run has of its peak.
    pub fn mean(&self) -> f64 {
        let after = 1.0 - self.warmup;
        let half = f64::midpoint(1.0, self.floor);
        let rest = match self.shape {
            Shape::Cosine => after * half,
            Shape::Wsd => {
                let falls = self.decay.min(after);
                (after - falls) + falls * half
            }
            Shape::Constant => after,
        };
        self.warmup / 2.0 + rest
    }

    /// Share of the run, and what is left at its end of an update that is made there, if the run at its peak rate would decay the
    /// weights by a factor of e so many times: exp(−λ ∫η), by trapezoids.
    pub fn left(&self, times: f64) -> Vec<(f64, f64)> {
        let mut left = self.curve();
        let (mut to_come, mut later) = (0.0, (1.0, self.at(1.0)));
        for (share, rate) in left.iter_mut().rev() {
            let here = (*share, *rate);
            to_come += (later.0 - here.0) * f64::midpoint(later.1, here.1);
            *rate = (-times * to_come).exp();
            later = here;
        }
        left
    }

    /// Share of the run and learning rate.
    pub fn curve(&self) -> Vec<(f64, f64)> {
        let last = (POINTS - 1) as f64;
        (0..POINTS).map(|i| i as f64 / last).map(|share| (share, self.at(share))).collect()
    }
}
