//! Training in few bits: loss scaling, and what dies without it.

pub mod network;
pub mod scaler;
