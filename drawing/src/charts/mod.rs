//! The charts of the course: what `core` says, as axes, lines and points. One file per widget, named like it.

pub mod activation_memory;
pub mod amdahl;
pub mod communication_cost;
pub mod kernel_fusion;
pub mod optimizer_step;
pub mod position_encoding;
pub mod roofline;
pub mod scaling_curve;
pub mod scaling_laws;
pub mod training_run;

/// Numbers from one to another that lie evenly on a logarithmic axis, so many steps apart, both ends included.
fn spread((from, to): (f64, f64), steps: u32) -> impl Iterator<Item = f64> {
    (0..=steps).map(move |i| from * (to / from).powf(f64::from(i) / f64::from(steps)))
}
