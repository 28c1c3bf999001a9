//! How much better than expected: from a critic token by token, or from other answers to the same prompt.

/// The advantages and returns of one answer's tokens, from its rewards and the critic's values (generalized advantage estimation, Schulman
/// et al. 2015, arXiv:1506.02438, equation 16): δₜ = rₜ + γVₜ₊₁ − Vₜ, Aₜ = δₜ + γλAₜ₊₁. Nothing follows the last token.
pub fn gae(rewards: &[f64], values: &[f64], gamma: f64, lambda: f64) -> (Vec<f64>, Vec<f64>) {
    let count = rewards.len().min(values.len());
    let mut advantages = vec![0.0; count];
    let (mut after, mut next) = (0.0, 0.0);
    for ((advantage, reward), value) in advantages.iter_mut().zip(rewards).zip(values).rev() {
        let delta = reward + gamma * next - value;
        after = delta + gamma * lambda * after;
        *advantage = after;
        next = *value;
    }
    let returns = advantages.iter().zip(values).map(|(a, v)| a + v).collect();
    (advantages, returns)
}

/// Mean 0 and deviation 1, the variance with n − 1, and TRL's and verl's 10⁻⁸ beside it. What is fewer than two is left as it is.
pub fn whiten(values: &[f64]) -> Vec<f64> {
    let Some((mean, variance)) = moments(values) else { return values.to_vec() };
    let by = 1.0 / (variance + 1e-8).sqrt();
    values.iter().map(|v| (v - mean) * by).collect()
}

/// Mean and variance with n − 1; none of fewer than two.
fn moments(values: &[f64]) -> Option<(f64, f64)> {
    let count = values.len() as f64;
    if count < 2.0 {
        return None;
    }
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Some((mean, variance))
}

/// What a group's differences from its mean are divided by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// The group's deviation, and this beside it (GRPO, arXiv:2402.03300, §4.1). TRL has 10⁻⁴, verl 10⁻⁶, OpenRLHF 10⁻⁹.
    Group(f64),
    /// The deviation of the whole batch, and this beside it.
    Batch(f64),
    /// Nothing (Dr. GRPO, arXiv:2503.20783).
    None,
}

/// Each answer's advantage over its group: rewards in groups of `size`, one after another.
pub fn group(rewards: &[f64], size: usize, scale: Scale) -> Vec<f64> {
    let deviation = |values: &[f64]| moments(values).map_or(0.0, |(_, variance)| variance.sqrt());
    let all = deviation(rewards);
    let one = |group: &[f64]| -> Vec<f64> {
        let mean = group.iter().sum::<f64>() / group.len() as f64;
        let by = match scale {
            Scale::Group(beside) => deviation(group) + beside,
            Scale::Batch(beside) => all + beside,
            Scale::None => 1.0,
        };
        group.iter().map(|reward| if by > 0.0 { (reward - mean) / by } else { 0.0 }).collect()
    };
    rewards.chunks(size.max(1)).flat_map(one).collect()
}

/// Each answer's reward less the mean of the others' of its group (RLOO, Ahmadian et al. 2024, arXiv:2402.14740).
pub fn leave_one_out(rewards: &[f64], size: usize) -> Vec<f64> {
    let one = |group: &[f64]| -> Vec<f64> {
        let sum: f64 = group.iter().sum();
        let others = group.len() as f64 - 1.0;
        group.iter().map(|reward| if others > 0.0 { reward - (sum - reward) / others } else { *reward }).collect()
    };
    rewards.chunks(size.max(1)).flat_map(one).collect()
}
