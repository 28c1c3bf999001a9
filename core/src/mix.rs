//! Numbers that look random and are the same every time.

/// SplitMix64's finalizer (Steele, Lea and Flood 2014): every bit of the result depends on every bit of `z`.
pub(crate) const fn mix(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
