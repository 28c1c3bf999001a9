//! Paper votes: printed cards whose upper edge is the answer A, B, C or D, and the program that reads a room full of them from a
//! camera's picture.
//!
//! A card is a square of 7 × 7 modules: a black border, and inside it the 25 bits of its number (`code`). [`Gray::read`] finds cards
//! in one picture by thresholding against the mean of the surroundings, following borders and trying the quadrilaterals among them; a
//! picture is read in time proportional to its pixels. [`Room`] counts over pictures: each card once, by the answer that it showed last
//! and long enough.

mod code;
mod draw;
mod find;
mod image;
mod quad;
mod read;
mod room;

pub use code::{Answer, CARDS};
pub use draw::{Sheet, svg};
pub use image::Gray;
pub use read::Reading;
pub use room::{Count, Room, Said};
