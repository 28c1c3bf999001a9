//! `occupancy`.
pub mod definition;
