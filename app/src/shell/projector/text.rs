//! How large a projected text is set: as large as all of it is seen, and no smaller than the last row can read.

use web_sys::HtmlElement;

/// What a text is set smaller by in a step, and how often: from 34 pixels of a screen of 1920 × 1080 to 20, as small as a figure's.
const SMALLER: (f64, i32) = (0.95, 10);
/// How many pixels may be hidden without anything being missed.
const SLACK: i32 = 2;

/// Sets `--shrink`, by which a text is set smaller than a short one, on it. What isn't seen then is turned to as a figure's parts are.
pub(in crate::shell) fn fit(text: &HtmlElement) {
    let style = text.style();
    for step in 0..=SMALLER.1 {
        // A size that cannot be set leaves the text as it was: it scrolls.
        let _ = style.set_property("--shrink", &format!("{:.3}", SMALLER.0.powi(step)));
        if text.scroll_height() - text.client_height() <= SLACK {
            return;
        }
    }
}
