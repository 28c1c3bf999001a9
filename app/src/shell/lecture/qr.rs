//! An address as a QR code.

use leptos::prelude::*;
use ringside_drawing::qr::code;

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
