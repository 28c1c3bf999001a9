//! The texts of kernels, without what only people read: comments, indentation, empty lines. They are a tenth of what the worker
//! would be otherwise.

/// Writes what is kept of `text` into `out` as far as it goes; returns how long it is. Lines that `template` reads, `//#`, are
/// kept.
pub(crate) const fn kept(text: &str, out: &mut [u8]) -> usize {
    let text = text.as_bytes();
    let (mut at, mut length) = (0, 0);
    while at < text.len() {
        while at < text.len() && text[at] == b' ' {
            at += 1;
        }
        let directive = at + 2 < text.len() && text[at] == b'/' && text[at + 1] == b'/' && text[at + 2] == b'#';
        let begin = at;
        let mut end = at;
        let mut comment = false;
        while at < text.len() && text[at] != b'\n' {
            comment |= !directive && text[at] == b'/' && at + 1 < text.len() && text[at + 1] == b'/';
            if !comment && text[at] != b' ' {
                end = at + 1;
            }
            at += 1;
        }
        at += 1;
        let mut from = begin;
        while from < end {
            if length < out.len() {
                out[length] = text[from];
            }
            length += 1;
            from += 1;
        }
        if end > begin {
            if length < out.len() {
                out[length] = b'\n';
            }
            length += 1;
        }
    }
    length
}

/// The text of `wgsl/<name>.wgsl`.
macro_rules! wgsl {
    ($name:literal) => {{
        const WHOLE: &str = include_str!(concat!("../wgsl/", $name, ".wgsl"));
        const LENGTH: usize = $crate::source::kept(WHOLE, &mut []);
        const KEPT: [u8; LENGTH] = {
            let mut kept = [0; LENGTH];
            $crate::source::kept(WHOLE, &mut kept);
            kept
        };
        match std::str::from_utf8(&KEPT) {
            Ok(text) => text,
            // Whole characters are kept or not.
            Err(_) => "",
        }
    }};
}
pub(crate) use wgsl;

#[cfg(test)]
mod tests {
    use super::kept;

    fn of(text: &str) -> String {
        let mut out = vec![0; kept(text, &mut [])];
        assert_eq!(kept(text, &mut out), out.len());
        String::from_utf8(out).expect("whole characters")
    }

    #[test]
    fn what_only_people_read_goes() {
        assert_eq!(of("// é\n\n  let a = b / c;  // why\n//# for r in 0..2\n  x += $(r);\n//# end"), {
            "let a = b / c;\n//# for r in 0..2\nx += $(r);\n//# end\n"
        });
        assert_eq!(of("  // é"), "");
        assert_eq!(of(""), "");
    }
}
