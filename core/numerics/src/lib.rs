//! Number formats to the bit, and a transformer small enough to train in them while somebody looks. `core` shows both under its own names;
//! they are a crate of their own because they take long enough to be optimized in every build.

pub mod float;
pub mod mix;
pub mod network;
pub mod scaler;
