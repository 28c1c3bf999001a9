//! `fill-in-the-middle`: a document cut in three and rearranged, so that a model that writes left to right learns to write the middle.
//!
//! Bavarian et al. 2022 (arXiv:2207.14255): with some probability, the FIM rate, two places of a document are drawn, and prefix, middle
//! and suffix are written as prefix, suffix, middle (PSM) or suffix, prefix, middle (SPM), with sentinels between them. Places are drawn
//! in characters, not tokens, because people stop typing anywhere. In SPM's second variant prefix and middle are one text after the last
//! sentinel (their §3.1); that is the one that BigCode's Megatron-LM and Code Llama train with.

pub mod bpe;
pub mod context;
pub mod cut;
pub mod figure;
mod finding;
pub mod format;
pub mod numpy;
pub mod packed;
pub mod pieces;
#[cfg(test)]
mod tests;

pub use figure::Params;
