//! What collective operations cost, in closed form: seconds before the first byte, and seconds for each byte after it.
//!
//! A message of m bytes over a link takes α + m/B (Hockney, "The communication challenge for MPP", Parallel Computing 20(3),
//! 1994). A [`Fabric`] says what α and B are between the ranks of a machine; [`cost`] adds them up along an algorithm's
//! longest way and over its busiest boundary, for any number of ranks. [`crate::collective`] executes the same algorithms
//! step by step; where every rank has the same link and the steps are the same, both agree, and a test says so.
//!
//! What is left out: the launch of a collective (8.4 µs in NCCL's tuner), arithmetic on what arrives, other traffic, and
//! NCCL's protocols for small messages (LL, LL128), which trade bandwidth for latency. Bandwidths are peaks.

mod cost;
mod fabric;
pub mod measured;
pub mod sizes;
mod wires;

use crate::declare::Origin;
pub use cost::{Cost, TREE_EFFICIENCY, cost, ring, time};
pub use fabric::{Fabric, TIERS, Tier};
pub use wires::{Wired, Wires};

/// Where the times of collectives come from.
pub const ORIGIN: Origin = Origin::Of(
    "Hockney 1994, Parallel Computing 20(3); Thakur, Rabenseifner and Gropp 2005, IJHPCA 19(1); Patarasuk and Yuan 2009, JPDC 69(2); Sanders, Speck and Träff 2009, Parallel Computing 35(12); NVIDIA/nccl at 5067397, src/graph/tuning.cc",
);
