//! Tests that cross crates; the crate itself is empty. The browser tests are in `browser/`.
