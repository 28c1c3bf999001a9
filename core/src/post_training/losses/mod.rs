//! The objectives of reinforcement learning from feedback, token by token.
//!
//! A token has the log-probability that the policy gives it now, `new`, and gave it when it was sampled, `old`; their ratio is
//! r = exp(new − old). [`ppo`] is the clipped objective, [`advantage`] says how much better than expected a token or an answer was,
//! [`divergence`] how far the policy is from its reference, [`preference`] is DPO and the loss of a reward model.

pub mod advantage;
pub mod divergence;
pub mod ppo;
pub mod preference;

/// The mean of the numbers that a mask keeps; 0 if it keeps none.
pub fn masked_mean(values: &[f64], mask: &[bool]) -> f64 {
    let kept = || values.iter().zip(mask).filter(|(_, kept)| **kept).map(|(value, _)| *value);
    let count = kept().count();
    if count == 0 { 0.0 } else { kept().sum::<f64>() / count as f64 }
}
