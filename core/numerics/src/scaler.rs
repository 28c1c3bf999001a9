//! Dynamic loss scaling: how the scale follows overflows.
//!
//! Sources: NVIDIA/Megatron-LM at d98e8a6, megatron/core/optimizer/grad_scaler.py, `DynamicGradScaler.update`; PyTorch,
//! aten/src/ATen/native/cuda/AmpKernels.cu, `_amp_update_scale_`, which `torch.amp.GradScaler` calls.

/// Whose rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `torch.amp.GradScaler`: every overflow lowers the scale; there is no floor, and it does not grow to infinity.
    PyTorch,
    /// Megatron's: only the overflow that uses up the hysteresis, and each one after it, lowers the scale; clean steps do not
    /// give hysteresis back, growth does. Never below `min_scale`.
    Megatron,
}

/// A scaler's settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Whose rule.
    pub rule: Rule,
    /// The scale of the first step.
    pub initial: f64,
    /// What the scale is multiplied by when it grows.
    pub growth: f64,
    /// What it is multiplied by when it backs off.
    pub backoff: f64,
    /// Steps without overflow, one after another, after which it grows.
    pub interval: u32,
    /// Overflows that use up Megatron's patience; 1 backs off at each.
    pub hysteresis: u32,
    /// The least scale, of Megatron's rule.
    pub min: f64,
}

impl Settings {
    /// PyTorch's defaults: 2¹⁶, doubled after 2000 steps, halved at each overflow.
    pub const PYTORCH: Self = Self {
        rule: Rule::PyTorch,
        initial: 65_536.0,
        growth: 2.0,
        backoff: 0.5,
        interval: 2000,
        hysteresis: 1,
        min: 0.0,
    };
    /// Megatron-LM's defaults: 2³², doubled after 1000 steps, halved from the second overflow on, at least 1.
    pub const MEGATRON: Self = Self {
        rule: Rule::Megatron,
        initial: 4_294_967_296.0,
        growth: 2.0,
        backoff: 0.5,
        interval: 1000,
        hysteresis: 2,
        min: 1.0,
    };
}

/// A scaler between two steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scaler {
    settings: Settings,
    /// What the loss of the next step is multiplied by.
    pub scale: f64,
    /// Clean steps since the last overflow or growth.
    pub clean: u32,
    /// Overflows until the scale backs off; may be below zero, where every further one lowers the scale.
    pub patience: i64,
}

impl Scaler {
    /// Before the first step.
    pub fn new(settings: Settings) -> Self {
        Self { settings, scale: settings.initial, clean: 0, patience: settings.hysteresis.into() }
    }

    /// After a step: whether any gradient was infinite or NaN.
    pub fn update(&mut self, overflow: bool) {
        let s = self.settings;
        if overflow {
            self.clean = 0;
            self.patience -= 1;
            match s.rule {
                Rule::PyTorch => self.scale *= s.backoff,
                Rule::Megatron if self.patience <= 0 => self.scale = (self.scale * s.backoff).max(s.min),
                Rule::Megatron => {}
            }
            return;
        }
        self.clean += 1;
        if self.clean == s.interval {
            self.clean = 0;
            self.patience = s.hysteresis.into();
            let grown = self.scale * s.growth;
            // Both hold the scale in fp32. PyTorch leaves it where it is if it would become infinite there.
            if s.rule == Rule::Megatron || grown <= f64::from(f32::MAX) {
                self.scale = grown;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(settings: Settings, overflows: &str) -> Vec<f64> {
        let mut scaler = Scaler::new(settings);
        overflows
            .bytes()
            .map(|b| {
                scaler.update(b == b'1');
                scaler.scale
            })
            .collect()
    }

    #[test]
    fn hysteresis_forgives_one_overflow_and_clean_steps_do_not_give_it_back() {
        let megatron = Settings { initial: 1024.0, interval: 4, ..Settings::MEGATRON };
        assert_eq!(course(megatron, "1001"), [1024.0, 1024.0, 1024.0, 512.0]);
        // Growth does: the overflow after it is forgiven again.
        assert_eq!(course(megatron, "100001"), [1024.0, 1024.0, 1024.0, 1024.0, 2048.0, 2048.0]);
        let torch = Settings { rule: Rule::PyTorch, ..megatron };
        assert_eq!(course(torch, "1001"), [512.0, 512.0, 512.0, 256.0]);
    }

    #[test]
    fn a_loss_that_is_nan_takes_the_scale_to_its_floor() {
        let scales = course(Settings::MEGATRON, &"1".repeat(40));
        assert_eq!((scales[0], scales[1], scales[32], scales[39]), (2_f64.powi(32), 2_f64.powi(31), 1.0, 1.0));
        let torch = course(Settings::PYTORCH, &"1".repeat(40));
        assert!(torch[39] < 1e-7);
    }

    #[test]
    fn torchs_scale_does_not_grow_to_infinity() {
        let settings = Settings { interval: 1, initial: 2_f64.powi(126), ..Settings::PYTORCH };
        assert_eq!(course(settings, "000"), [2_f64.powi(127); 3]);
    }
}
