//! Starts the app in the browser.

fn main() {
    ringside_app::start();
}
