//! An address as a QR code, made here.

use std::fmt::Write as _;

use qrcodegen::{QrCode, QrCodeEcc};

/// How many modules a side has, and the dark ones as a path; nothing if it is too long for a code.
pub fn code(address: &str) -> Option<(i32, String)> {
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
