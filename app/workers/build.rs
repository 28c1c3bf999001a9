//! naga goes 200 levels into a learner's text before it gives up, for which it wants more stack than wasm has by default.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        println!("cargo:rustc-link-arg-bin=gpu-worker=-zstack-size=4194304");
        println!("cargo:rustc-link-arg-bin=glass-worker=-zstack-size=4194304");
    }
}
