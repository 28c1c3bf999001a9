//! The models behind every figure, exercise and test of Ringside.
//!
//! One rule holds everywhere in this crate: it is **deterministic and total**. There is no I/O, no clock, no
//! unseeded randomness and no panic. Input that makes no sense is a typed error that says what was wrong and what
//! would be valid.
//!
//! Each model is a pair of plain types: its parameters, read from a [`query::Query`] (the query string of a
//! widget's page, the body of a `widget` block, the parameters of an exercise), and its result, from which a list of
//! [`quantity::Quantity`] is taken. [`catalogue`] names them all. A number that a learner sees, the number that an
//! exercise expects and the number that a test checks come from the same call.
//!
//! This crate does not draw, does not store, and does not know what a chapter is.

pub mod allocator;
pub mod amdahl;
pub mod answer;
pub mod ask;
pub mod attention;
pub mod catalogue;
pub mod checked;
pub mod coalescing;
pub mod collective;
pub mod context_parallel;
mod critical;
pub mod ddp;
pub mod decimal;
pub mod declare;
pub mod detective;
pub mod editor_latency;
pub mod embed;
pub mod evaluation;
pub mod execution;
pub mod exercise;
pub mod expert_grid;
pub mod explore;
pub mod expr;
pub mod failure;
pub mod fim;
pub mod float;
pub mod hardware;
pub mod kernels;
pub mod kv_cache;
pub mod lab;
pub mod launch;
pub mod loss_detective;
pub mod loss_scaling;
pub mod machines;
pub mod memory;
pub mod mission;
pub mod model;
pub mod moe;
pub mod network;
pub mod occupancy;
pub mod optimizer_step;
pub mod overlap;
pub mod pass_at_k;
pub mod pipeline;
pub mod planner;
pub mod post_training;
pub mod practice;
pub mod program;
pub mod quantity;
pub mod quantization;
pub mod query;
mod queue;
pub mod reduction_order;
pub mod resume;
pub mod roofline;
pub mod run;
pub mod scaling;
pub mod scaling_laws;
pub mod scheduler;
pub mod seed_streams;
pub mod serving;
pub mod setup;
pub mod slurm;
pub mod speculative;
pub mod stragglers;
pub mod tensor_parallel;
pub mod terminal;
pub mod tile_order;
pub mod trace;
pub mod training_run;
pub mod units;
pub mod zero;

pub use ringside_numerics::mix;
