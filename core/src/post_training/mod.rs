//! After pre-training: fine-tuning with masks and packing, low-rank adapters, preferences and reinforcement learning.
//!
//! [`memory`] is what each model of a job holds in each phase (`rlhf-memory`), [`adapters`] is LoRA, [`losses`] the objectives of PPO, GRPO
//! and DPO, [`policy`] a policy of six answers that is trained with them (`policy-update`), [`packing`] rows of tokens for supervised
//! fine-tuning, [`rollout`] engines and a trainer in four layouts (`rl-pipeline`).

pub mod adapters;
pub mod held;
pub mod losses;
pub mod memory;
pub mod packing;
pub mod policy;
pub mod rollout;
