//! What the commas and points of a number mean.

use crate::query::shorten;

/// A second reading of a number.
pub(super) enum Other {
    /// As likely as the first: ask.
    Ask(String),
    /// Unusual here, but offered where the first is not right.
    Unusual(String),
}

/// Reads the separators of a number: the number for `expr`, and another reading if there is one.
pub(super) fn separators(body: &str) -> Result<(String, Option<Other>), String> {
    let bad = || {
        Err(format!(
            "“{}” is not a number that can be read: write 1234.5, with a point for decimals and, if you like, commas \
             between groups of three digits.",
            shorten(body)
        ))
    };
    let plain: String = body.chars().filter(|c| !matches!(c, '_' | '\'' | ' ')).collect();
    let spaced = plain.len() < body.len();
    let commas = plain.matches(',').count();
    let points = plain.matches('.').count();
    match (commas, points) {
        (0, 0) => Ok((plain, None)),
        (0, 1) => {
            let thousands = !spaced && groups_of_three(&plain, '.');
            let other = thousands.then(|| Other::Unusual(plain.replace('.', "")));
            Ok((plain, other))
        }
        (0, _) if groups_of_three(&plain, '.') => Ok((plain.replace('.', ""), None)),
        (1, 0) => {
            let decimal = plain.replace(',', ".");
            let only_decimal = spaced || plain.starts_with("0,") || plain.starts_with(',');
            if only_decimal {
                return Ok((decimal, None));
            }
            // 1.5 rather than 1.500 beside 1500.
            let short = decimal.trim_end_matches('0').trim_end_matches('.').to_owned();
            let joined = plain.replace(',', "");
            // As the course writes them: 1,500 is fifteen hundred.
            if groups_of_three(&plain, ',') {
                return Ok((joined, Some(Other::Unusual(short))));
            }
            Ok((short, Some(Other::Ask(joined))))
        }
        (_, 0) if indian_groups(&plain) => Ok((plain.replace(',', ""), None)),
        _ => match (plain.rfind(','), plain.rfind('.')) {
            // 1,234.5
            (Some(comma), Some(point)) if comma < point && points == 1 => {
                let (whole, decimals) = plain.split_at(point);
                if !indian_groups(whole) {
                    return bad();
                }
                Ok((format!("{}{decimals}", whole.replace(',', "")), None))
            }
            // 1.234,5
            (Some(comma), Some(point)) if comma > point && commas == 1 => {
                let (whole, decimals) = plain.split_at(comma);
                if !groups_of_three(whole, '.') {
                    return bad();
                }
                Ok((format!("{}{}", whole.replace('.', ""), decimals.replace(',', ".")), None))
            }
            _ => bad(),
        },
    }
}

/// `1.234.567`: one to three digits, then groups of three.
fn groups_of_three(text: &str, separator: char) -> bool {
    let mut groups = text.split(separator);
    let begins = |first: &str| (1..=3).contains(&first.len()) && !first.starts_with('0');
    groups.next().is_some_and(begins) && groups.all(|g| g.len() == 3)
}

/// `1,234,567` and, as in India, `12,34,567`.
fn indian_groups(text: &str) -> bool {
    let groups: Vec<&str> = text.split(',').collect();
    let [first, middle @ .., last] = groups.as_slice() else {
        return false;
    };
    let even = middle.iter().all(|g| g.len() == 3) || (first.len() <= 2 && middle.iter().all(|g| g.len() == 2));
    (1..=3).contains(&first.len()) && !first.starts_with('0') && even && last.len() == 3
}
