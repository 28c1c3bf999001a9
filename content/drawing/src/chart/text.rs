//! How wide text is: in Inter, which is what the page sets charts in, without asking a browser. Stand-ins are stretched to the
//! same widths (`tokens.css`).

/// Advance widths of U+0020 to U+007E in thousandths of the size, at weight 550: `hmtx` of `public/fonts/inter-latin-wght-normal.woff2`.
const WIDTHS: [u16; 95] = [
    259, 312, 508, 641, 648, 999, 658, 319, 371, 371, 530, 670, 311, 464, 311, 374, 652, 419, 620, 631, 661, 607, 635,
    574, 635, 635, 311, 322, 670, 670, 670, 535, 991, 718, 658, 735, 722, 604, 589, 748, 745, 274, 578, 695, 565, 917,
    758, 768, 643, 771, 650, 648, 656, 738, 718, 1011, 710, 705, 646, 371, 374, 371, 479, 466, 344, 571, 621, 580, 621,
    589, 384, 623, 607, 256, 256, 564, 256, 894, 606, 606, 621, 621, 392, 544, 347, 607, 581, 834, 563, 582, 562, 447,
    352, 447, 670,
];
/// A digit: the page sets digits that are as wide as each other.
const DIGIT: u16 = 635;
/// A sign that is none of these.
const OTHER: u16 = 640;

/// The width of a text of this size.
pub fn width(text: &str, size: f64) -> f64 {
    let of = |sign: char| match sign {
        '0'..='9' => DIGIT,
        '\u{a0}' => WIDTHS[0],
        '\u{202f}' => 200,
        '·' | '’' => 300,
        _ => (sign as usize).checked_sub(32).and_then(|i| WIDTHS.get(i)).copied().unwrap_or(OTHER),
    };
    text.chars().map(|sign| f64::from(of(sign))).sum::<f64>() * size / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_as_wide_as_each_other_and_letters_are_not() {
        assert_eq!(width("111", 10.0), width("888", 10.0));
        assert!(width("iii", 10.0) < width("mmm", 10.0) / 3.0);
        assert!((width("100 GB", 13.0) - 45.9).abs() < 1.0, "{}", width("100 GB", 13.0));
    }
}
