//! An address as a QR code, made here.

use std::fmt::Write as _;

use leptos::prelude::*;
use qrcodegen::{QrCode, QrCodeEcc};

/// The free space around a code, in modules: what ISO/IEC 18004 asks for.
const QUIET: i32 = 4;

/// The code of an address; nothing if it is too long for one.
pub(super) fn view(address: &str) -> AnyView {
    let Some((size, path)) = code(address) else { return ().into_any() };
    let all = size + 2 * QUIET;
    view! {
        <svg class="qr" viewBox=format!("{} {} {all} {all}", -QUIET, -QUIET) role="img" aria-label="QR code of the address">
            <path d=path />
        </svg>
    }
    .into_any()
}

/// How many modules a side has, and the dark ones as a path.
fn code(address: &str) -> Option<(i32, String)> {
    let code = QrCode::encode_text(address, QrCodeEcc::Medium).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            let _ = write!(path, "M{x} {y}h1v1h-1z");
        }
    }
    Some((code.size(), path))
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn an_address_has_a_code_with_its_three_corners() {
        let (size, path) = code("https://example.org/w/memory-breakdown/?params=30e9&zero=3").expect("short enough");
        for (x, y) in [(0, 0), (size - 7, 0), (0, size - 7)] {
            assert!(path.contains(&format!("M{x} {y}h1v1h-1z")) && !path.contains(&format!("M{} {}h", x + 1, y + 1)));
        }
        assert!(code(&"x".repeat(4000)).is_none());
    }
}
