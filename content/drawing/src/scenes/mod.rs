//! Drawings that only the browser shows: what moves, what is zoomed, what has more parts than a page as served could hold.

pub mod circle;
pub mod ddp;
pub mod pipeline;
