//! The codes of the cards, and what a code means.

use serde::{Deserialize, Serialize};

/// How many modules a code has along each side, without its border.
pub(crate) const SIDE: usize = 5;
/// How many cards there are: numbers 1 to this.
pub const CARDS: u8 = 60;
/// The fewest bits in which two cards differ, however either is turned, and in which a card differs from itself turned.
#[cfg(test)]
const DISTANCE: u32 = 7;
/// A code has at least this many white modules, and as many black ones, so that both levels can be measured.
pub(crate) const FEWEST: u32 = 8;
/// How many bits may be misread in a card that is still taken for that card.
const MENDED: u32 = 1;

/// What a card says: the edge that is held up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Answer {
    /// As printed.
    A,
    /// After a quarter turn counterclockwise, as seen by the camera.
    B,
    /// Upside down.
    C,
    /// After a quarter turn clockwise, as seen by the camera.
    D,
}

impl Answer {
    /// Every one, in order.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// Its letter.
    pub const fn letter(self) -> char {
        match self {
            Self::A => 'A',
            Self::B => 'B',
            Self::C => 'C',
            Self::D => 'D',
        }
    }
}

/// The code of a card by its number, from 1: bit `row * SIDE + column` is 1 for a white module. Nothing for a number that no card has.
pub(crate) fn of(card: u8) -> Option<u32> {
    CODES.get(usize::from(card).checked_sub(1)?).copied()
}

/// The card and the answer whose code this is, with at most [`MENDED`] bits misread, and how many are.
pub(crate) fn meant(bits: u32) -> Option<(u8, Answer, u32)> {
    (1..=CARDS).find_map(|card| {
        let mut code = of(card)?;
        Answer::ALL.into_iter().find_map(|answer| {
            let wrong = (code ^ bits).count_ones();
            code = turned(code);
            (wrong <= MENDED).then_some((card, answer, wrong))
        })
    })
}

/// A code after a quarter turn counterclockwise.
pub(crate) fn turned(code: u32) -> u32 {
    let bit = |row: usize, column: usize| code >> (row * SIDE + column) & 1;
    (0..SIDE * SIDE).fold(0, |out, i| out | bit(i % SIDE, SIDE - 1 - i / SIDE) << i)
}

/// Found by `tests::search`, which also holds them to be what it finds.
#[rustfmt::skip]
const CODES: [u32; CARDS as usize] = [
    0x14a057d, 0x15067be, 0x1517bc7, 0x11aabe8, 0x021a163, 0x1b5331f, 0x1819154, 0x03fcd67, 0x1f5b9a4, 0x006a3d7,
    0x12fca06, 0x1f30a16, 0x08a0707, 0x136283d, 0x017a676, 0x1f552cb, 0x02a403f, 0x19be780, 0x1de9dd2, 0x113938f,
    0x12fb965, 0x195c5e6, 0x008b3aa, 0x1b13284, 0x07cebea, 0x135847a, 0x0109c8e, 0x1a8eccb, 0x0cebeb4, 0x010ddb0,
    0x17c3b04, 0x102ec6a, 0x0ad3d73, 0x1e3b06b, 0x0360586, 0x1c076b5, 0x16334f1, 0x161079a, 0x04371f2, 0x13c831a,
    0x011e6a4, 0x1d9a212, 0x0e577f6, 0x16e6118, 0x0e03523, 0x1ea2fc5, 0x0433446, 0x03e09ec, 0x0a02e55, 0x039fe1f,
    0x0b95e67, 0x0bb87e5, 0x10f1a74, 0x071c8d4, 0x18d38d1, 0x1495742, 0x17b6272, 0x0652c2c, 0x1a9fbc1, 0x0014d0b,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(code: u32) -> [u32; 4] {
        let (one, two) = (turned(code), turned(turned(code)));
        [code, one, two, turned(two)]
    }

    /// The first codes, in the order of a fixed sequence of candidates, that keep their distance.
    fn search() -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        let mut state = 41_u32;
        while found.len() < usize::from(CARDS) {
            // Xorshift (Marsaglia 2003).
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let code = state >> 7;
            let white = code.count_ones();
            let far = |other: &u32| turns(*other).iter().all(|turn| (turn ^ code).count_ones() >= DISTANCE);
            let is_balanced = white >= FEWEST && 25 - white >= FEWEST;
            if is_balanced
                && turns(code)[1..].iter().all(|t| (t ^ code).count_ones() >= DISTANCE)
                && found.iter().all(far)
            {
                found.push(code);
            }
        }
        found
    }

    #[test]
    fn the_codes_are_those_that_the_search_finds() {
        let found = search();
        assert!(found == CODES, "{found:x?}");
    }

    #[test]
    fn two_cards_differ_however_they_are_turned() {
        let mut least = u32::MAX;
        for (i, a) in CODES.iter().enumerate() {
            for (j, b) in CODES.iter().enumerate() {
                for (turn, b) in turns(*b).iter().enumerate() {
                    if (i, 0) != (j, turn) {
                        least = least.min((a ^ b).count_ones());
                    }
                }
            }
        }
        assert!(least >= DISTANCE && DISTANCE > 2 * MENDED, "{least}");
    }

    #[test]
    fn a_code_means_its_card_and_its_answer_also_with_a_bit_misread() {
        for card in 1..=CARDS {
            for (code, answer) in turns(of(card).expect("a card")).into_iter().zip(Answer::ALL) {
                assert_eq!(meant(code), Some((card, answer, 0)));
                for bit in 0..25 {
                    assert_eq!(meant(code ^ 1 << bit), Some((card, answer, 1)));
                    assert_eq!(meant(code ^ 1 << bit ^ 1 << ((bit + 3) % 25)), None);
                }
            }
        }
        assert!(of(0).is_none() && of(CARDS + 1).is_none() && meant(0).is_none());
    }
}
