//! The tests of the models from outside, in one program: linking seven took longer than running them.

mod activations;
mod anatomy;
mod attention;
mod blocks;
mod budgets;
mod caches;
mod catalogue;
mod code;
mod collectives;
mod compare;
mod drafts;
mod experts;
mod failures;
mod feedback;
mod frameworks;
mod generate;
mod grids;
mod layouts;
mod memory;
mod network;
mod occupancy;
// A comparison in a module of its own lies beside it.
#[path = "oracles.rs"]
mod oracles;
mod overlap;
mod pipeline;
mod planner;
mod precision;
mod published;
mod rollouts;
mod scheduler;
mod schedules;
mod serving;
mod sums;
mod tensors;
mod traces;
mod zero;
