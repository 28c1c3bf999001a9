//! Hands that a room raises for answers.

/// An answer that was put to the room.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// What whoever decides knows it by.
    pub key: String,
    /// What it says: HTML of our own build.
    pub text: String,
    /// The hands that were counted for it.
    pub hands: u32,
}

/// A number with a digit more: as many hands as a hall has.
pub fn typed_on(number: u32, digit: u32) -> u32 {
    let longer = number.saturating_mul(10).saturating_add(digit);
    if longer > 9999 { number } else { longer }
}

/// The letter of an answer.
pub fn letter(nth: usize) -> char {
    char::from(b'A' + u8::try_from(nth.min(25)).unwrap_or_default())
}

/// The answer with the most hands.
///
/// # Errors
/// Why there is none: a sentence.
pub fn most(all: &[Answer]) -> Result<usize, String> {
    let most = all.iter().map(|answer| answer.hands).max().unwrap_or_default();
    let first: Vec<usize> = (0..all.len()).filter(|i| all.get(*i).is_some_and(|a| a.hands == most)).collect();
    match first.as_slice() {
        _ if most == 0 => Err("No hands have been counted yet.".into()),
        [one] => Ok(*one),
        _ => Err("There is a tie. Count again, or decide one of them.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, most, typed_on};

    #[test]
    fn a_count_is_typed_digit_by_digit() {
        let typed = |digits: &[u32]| digits.iter().fold(0, |number, digit| typed_on(number, *digit));
        assert_eq!([typed(&[1, 2]), typed(&[0, 7]), typed(&[9, 9, 9, 9, 9])], [12, 7, 9999]);
    }

    #[test]
    fn the_most_hands_decide_unless_two_answers_have_them() {
        let of = |hands: &[u32]| {
            let all: Vec<Answer> = hands.iter().map(|hands| Answer { hands: *hands, ..Answer::default() }).collect();
            most(&all)
        };
        assert_eq!(of(&[3, 9, 2]), Ok(1));
        assert!(of(&[4, 1, 4]).is_err_and(|why| why.contains("tie")));
        for none in [&[][..], &[0], &[0, 0]] {
            assert!(of(none).is_err_and(|why| why.contains("No hands")));
        }
    }
}
