//! Exercises, one file per kind.
