//! Number formats to the bit ([`ringside_numerics::float`]), and one code of one taken apart.

pub mod bits;

pub use ringside_numerics::float::*;
