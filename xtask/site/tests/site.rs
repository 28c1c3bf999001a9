//! The program as it's called. `cargo xtask build` compiles it with this test (`maker` in `xtask/src/build.rs`).

use std::process::Command;

#[test]
fn called_by_hand_it_says_who_calls_it() {
    let done = Command::new(env!("CARGO_BIN_EXE_ringside-site")).arg("nonsense").output().expect("it starts");
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("cargo xtask help"));
}
