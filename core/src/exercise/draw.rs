//! Fresh parameters from a seed.
//!
//! The same exercise and seed give the same parameters in every version of Ringside: an instructor's link and an
//! exported answer name a seed and nothing more. Each parameter's choice depends on the seed and on the parameter's
//! name alone, so that adding one to an exercise does not change what the others become.

use super::Exercise;
use crate::query::{Query, parse_number, shorten};

/// The largest seed: the largest whole number that every reader of JSON keeps, 2⁵³ − 1.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// Reads the `seed=…` of a link.
///
/// # Errors
/// A sentence without its full stop, so that what is used instead can be added.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.bytes().all(|b| b.is_ascii_digit());
    let seed = text.parse().ok().filter(|seed| digits && *seed <= MAX_SEED);
    seed.ok_or_else(|| format!("seed must be a whole number from 0 to {MAX_SEED}, not “{}”", shorten(text)))
}

/// The parameters of `exercise` for `seed`: as written for 0, otherwise chosen from its `draw`. They differ from those
/// as written if any candidate does.
///
/// The choice is the top of the 128-bit product of a random `u64` and the number of candidates. The random number is
/// the first of SplitMix64 from `seed ^ fnv1a(name)`, and the next ones as long as the outcome is the exercise as
/// written.
pub fn draw(exercise: &Exercise, seed: u64) -> Query {
    let written = exercise.query();
    if seed == 0 {
        return written;
    }
    let mut generators: Vec<(&str, SplitMix64)> =
        exercise.draw.keys().map(|name| (name.as_str(), SplitMix64(seed ^ fnv1a(name.bytes())))).collect();
    for _ in 0..32 {
        let mut query = written.clone();
        for ((name, generator), candidates) in generators.iter_mut().zip(exercise.draw.values()) {
            if let Some(value) = candidates.get(generator.below(candidates.len())) {
                query.set(name, value.as_str());
            }
        }
        if differs(&query, &written) {
            return query;
        }
    }
    // Nearly all candidates are as written: take the first that is not.
    let mut query = written.clone();
    for (name, candidates) in &exercise.draw {
        let other = |value: &str| written.get(name).is_none_or(|w| !same(w, value));
        if let Some(value) = candidates.iter().find(|v| other(v.as_str())) {
            query.set(name, value.as_str());
            break;
        }
    }
    query
}

/// The order in which to show options, items, partners, names or causes for `seed`: indices into them. Empty for the kinds
/// that have none.
///
/// Shuffled for every seed, 0 included, since authors tend to write the right one first: Fisher–Yates from the last
/// index down, with SplitMix64 from `seed ^ fnv1a(id)`.
pub fn option_order(exercise: &Exercise, seed: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..exercise.kind.shuffled()).collect();
    let mut generator = SplitMix64(seed ^ fnv1a(exercise.id.bytes()));
    for last in (1..order.len()).rev() {
        order.swap(last, generator.below(last + 1));
    }
    order
}

fn differs(query: &Query, written: &Query) -> bool {
    query.iter().any(|(name, value)| written.get(name).is_none_or(|w| !same(w, value)))
}

/// Whether two values of a parameter are the same: `7e9` is `7B`.
pub(super) fn same(a: &str, b: &str) -> bool {
    a == b || parse_number(a).is_some_and(|a| parse_number(b) == Some(a))
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), as in the reference code by Sebastiano Vigna,
/// <https://prng.di.unimi.it/splitmix64.c>.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// The 64-bit FNV-1a hash of `bytes`.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_its_seed() {
        assert_eq!([parse_seed("0"), parse_seed(" 7 "), parse_seed("9007199254740991")], [Ok(0), Ok(7), Ok(MAX_SEED)]);
        for wrong in ["", "-1", "+1", "7.0", "9007199254740992", "99999999999999999999", "seven", "１"] {
            assert!(parse_seed(wrong).is_err_and(|why| why.starts_with("seed must be a whole number")), "{wrong}");
        }
    }

    #[test]
    fn the_generators_are_the_published_ones() {
        // The first outputs of splitmix64.c from 1234567, and the FNV-1a test vectors of Noll's page.
        let mut generator = SplitMix64(1_234_567);
        assert_eq!([generator.next(), generator.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
        assert_eq!(fnv1a("".bytes()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a".bytes()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
        assert_eq!(SplitMix64(1).below(0), 0);
    }
}
